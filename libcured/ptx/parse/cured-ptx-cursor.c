/* SPDX-License-Identifier: MIT
 * The parser's place in the text: what it expects there, and its errors. */

#include "base/cured-base-internal.h"
#include "ptx/parse/cured-ptx-parser-private.h"

/* Fails with an error at @at; does not return. @subject: (nullable): start of the message. */
static void G_GNUC_NORETURN G_GNUC_PRINTF (5, 0)
    fail_text (CuredPtxParser *self, const CuredPtxToken *at, const CuredPtxToken *subject,
               gint code, const char *format, va_list arguments)
{
  char *text = g_strdup_vprintf (format, arguments);
  char *whole = subject != NULL
                    ? g_strdup_printf ("%.*s: %s", (int) subject->length, subject->at, text)
                    : g_strdup (text);
  char *valid = g_utf8_make_valid (whole, -1);

  cured_set_error_at (&self->error, (CuredError) code, self->module->file_name, at->line,
                      at->column, valid);
  g_free (text);
  g_free (whole);
  g_free (valid);
  longjmp (self->failed, 1);
}

/* Fails with an error at @at; does not return. */
void
_cured_ptx_parser_fail (CuredPtxParser *self, const CuredPtxToken *at, gint code,
                        const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_text (self, at, NULL, code, format, arguments);
}

/* The same, at the next token. */
void
_cured_ptx_parser_fail_here (CuredPtxParser *self, gint code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_text (self, &self->token, NULL, code, format, arguments);
}

/* The same; the message begins with @subject. */
void
_cured_ptx_parser_fail_of (CuredPtxParser *self, const CuredPtxToken *at,
                           const CuredPtxToken *subject, gint code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_text (self, at, subject, code, format, arguments);
}

void
_cured_ptx_parser_fail_expected (CuredPtxParser *self, const char *what)
{
  const CuredPtxToken *token = &self->token;

  if (token->kind == CURED_TOKEN_BAD)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX, "%s", _ (token->problem));
  if (token->kind == CURED_TOKEN_END)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 /* Translators: “a number”, “.param or .reg”, “a version such as
                                  * 8.0” … */
                                 _ ("the text ends where %s is expected"), what);
  _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                               /* Translators: “a number”, “.param or .reg”, “a version such as
                                * 8.0” …, and in quotes a word of the text. */
                               _ ("%s is expected, not “%s%.*s”"), what,
                               token->kind == CURED_TOKEN_WORD ? "." : "",
                               (int) MIN (token->length, 60), token->at);
}

/* Takes @sign. */
void
_cured_ptx_parser_expect (CuredPtxParser *self, char sign)
{
  const char what[] = { '\'', sign, '\'', '\0' };

  if (!cured_ptx_parser_accept (self, sign))
    _cured_ptx_parser_fail_expected (self, what);
}

/* Takes a token of @kind. @what: its name in errors, translated only then, since that is slow */
CuredPtxToken
_cured_ptx_parser_take (CuredPtxParser *self, CuredPtxTokenKind kind, const char *what)
{
  CuredPtxToken token = self->token;

  if (token.kind != kind)
    _cured_ptx_parser_fail_expected (self, _ (what));
  cured_ptx_parser_next (self);
  return token;
}

/* Takes a name. */
CuredPtxToken
_cured_ptx_parser_expect_name (CuredPtxParser *self)
{
  return _cured_ptx_parser_take (self, CURED_TOKEN_NAME, N_ ("a name"));
}

/* Takes an unsigned integer. */
guint64
_cured_ptx_parser_expect_integer (CuredPtxParser *self)
{
  return _cured_ptx_parser_take (self, CURED_TOKEN_INTEGER, N_ ("a number")).value;
}

/* Skips strings, which are ignored. */
void
_cured_ptx_parse_pragma (CuredPtxParser *self)
{
  do
    _cured_ptx_parser_take (self, CURED_TOKEN_STRING, N_ ("a string"));
  while (cured_ptx_parser_accept (self, ','));
  _cured_ptx_parser_expect (self, ';');
}

/* SPDX-License-Identifier: MIT
 * The parser's place in the text: what it expects there, and its errors. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "base/cured-error.h"
#include "ptx/parse/cured-ptx-parser-private.h"

static gboolean G_GNUC_PRINTF (5, 0) fail_text (CuredPtxParser *self, guint32 line, guint32 column,
                                                gint code, const char *format, va_list arguments)
{
  /* The first one counts. */
  if (self->error != NULL)
    return FALSE;
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  cured_set_error_at (&self->error, (CuredError) code, self->module->file_name, line, column,
                      valid);
  return FALSE;
}

/* Sets the parser's error, where none is set. */
gboolean
_cured_ptx_parser_fail (CuredPtxParser *self, guint32 line, guint32 column, gint code,
                        const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_text (self, line, column, code, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* As _cured_ptx_parser_fail(), of the next token. */
gboolean
_cured_ptx_parser_fail_here (CuredPtxParser *self, gint code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_text (self, self->token.line, self->token.column, code, format, arguments);
  va_end (arguments);
  return FALSE;
}

gboolean
_cured_ptx_parser_fail_expected (CuredPtxParser *self, const char *what)
{
  const CuredPtxToken *token = &self->token;

  if (token->kind == CURED_TOKEN_BAD)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX, "%s", _ (token->problem));
  if (token->kind == CURED_TOKEN_END)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                        /* Translators: “a number”, “.param or .reg”, “a version
                                         * such as 8.0” … */
                                        _ ("the text ends where %s is expected"), what);
  return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                      /* Translators: “a number”, “.param or .reg”, “a version such
                                       * as 8.0” …, and in quotes a word of the text. */
                                      _ ("%s is expected, not “%s%.*s”"), what,
                                      token->kind == CURED_TOKEN_WORD ? "." : "",
                                      (int) MIN (token->length, 60), token->at);
}

/* Takes @sign. */
gboolean
_cured_ptx_parser_expect (CuredPtxParser *self, char sign)
{
  const char what[] = { '\'', sign, '\'', '\0' };

  return cured_ptx_parser_accept (self, sign) || _cured_ptx_parser_fail_expected (self, what);
}

/* Takes a name. */
gboolean
_cured_ptx_parser_expect_name (CuredPtxParser *self, CuredPtxToken *name)
{
  if (self->token.kind != CURED_TOKEN_NAME)
    return _cured_ptx_parser_fail_expected (self, _ ("a name"));
  *name = self->token;
  cured_ptx_parser_next (self);
  return TRUE;
}

/* Takes an integer without a sign. */
gboolean
_cured_ptx_parser_expect_integer (CuredPtxParser *self, guint64 *value)
{
  if (self->token.kind != CURED_TOKEN_INTEGER)
    return _cured_ptx_parser_fail_expected (self, _ ("a number"));
  *value = self->token.value;
  cured_ptx_parser_next (self);
  return TRUE;
}

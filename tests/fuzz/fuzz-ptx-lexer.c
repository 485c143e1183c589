/* SPDX-License-Identifier: MIT
 * Fuzz target: the lexer of PTX comes to the end of any text, and its tokens are within it. */
#include <glib.h>
#include <string.h>

#include "fuzz.h"
#include "ptx/parse/cured-ptx-lexer-private.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_malloc (size + 1);
  const char *end = text + size;
  CuredPtxLexer lexer;
  CuredPtxToken token;
  const char *before;

  memcpy (text, data, size);
  text[size] = '\0';
  _cured_ptx_lexer_init (&lexer, text, size, 1);
  do
    {
      before = lexer.at;
      _cured_ptx_lexer_next (&lexer, &token);
      g_assert_true (lexer.at > before || token.kind == CURED_TOKEN_END);
      g_assert_true (lexer.at <= end);
      if (token.kind == CURED_TOKEN_NAME)
        {
          _cured_ptx_lexer_extend (&lexer, &token);
          g_assert_cmphex (token.hash, ==, _cured_ptx_hash (token.at, token.length, 1));
        }
      if (token.kind == CURED_TOKEN_NAME || token.kind == CURED_TOKEN_WORD ||
          token.kind == CURED_TOKEN_STRING)
        g_assert_true (token.at >= text && token.at + token.length <= end);
      g_assert_cmpuint (token.line, >=, 1);
      g_assert_cmpuint (token.column, >=, 1);
      g_assert_cmpuint (token.column, <=, size + 1);
      /* Sections of debuggers are skipped. */
      if (token.kind == CURED_TOKEN_STRING && token.length == 1)
        _cured_ptx_lexer_skip_block (&lexer);
      else if (token.kind == CURED_TOKEN_SIGN && token.sign == '?')
        _cured_ptx_lexer_skip_line (&lexer);
      g_assert_true (lexer.at <= end);
    }
  while (token.kind != CURED_TOKEN_END);
  return 0;
}

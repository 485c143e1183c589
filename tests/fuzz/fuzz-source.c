/* SPDX-License-Identifier: MIT
 * Fuzz target: of any text, host code is cut into blanks and nothing else, and headers are drafted
 * from how it launches its kernels. */
#include <string.h>

#include "cured.h"
#include "fuzz.h"
#include "draft/cured-header-draft-internal.h"
#include "kernel/sources/cured-host-code-internal.h"

/* Functions of a source that a header is drafted for. */
#define MAX_FUNCTIONS 8

/* Words at whose brackets a number is looked for. */
#define MAX_BRACKETS 256u

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (CuredHostCode) code = { 0 };

  _cured_host_code_init (&code);
  _cured_host_code_learn (&code, text);
  g_autofree char *cut = _cured_host_code_cut (&code, text);
  g_assert_cmpuint (strlen (cut), ==, strlen (text));
  for (gsize i = 0; text[i] != '\0'; i++)
    g_assert_true (cut[i] == text[i] || (cut[i] == ' ' && text[i] != '\n'));
  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);
  for (guint i = 0; i < MIN (tokens->tokens->len, MAX_BRACKETS); i++)
    if (CURED_TOKEN (tokens, i)->match != CURED_TOKEN_NONE)
      {
        gint64 value;

        _cured_literal_fold (tokens, i + 1, CURED_TOKEN (tokens, i)->match, &value);
      }
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (text, NULL);
  for (guint i = 0; i < MIN (functions->len, MAX_FUNCTIONS); i++)
    {
      g_autoptr (CuredHeaderDraft) draft =
          cured_header_draft_new_from_source (text, NULL, functions->pdata[i], "Drafted");
      g_autofree char *header = cured_header_draft_to_text (draft);

      g_assert_true (cured_header_is_there (header));
    }
  return 0;
}

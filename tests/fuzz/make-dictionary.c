/* SPDX-License-Identifier: MIT
 * Writes libFuzzer's dictionary of PTX: the words of all tables. */
#include <stdio.h>

#include "ptx/cured-ptx-internal.h"

int
main (void)
{
  static const char *const words[] = {
#define KEY(word, id) word,
#include "ptx/parse/cured-ptx-keys.def"
#define WORD(word, group, value)  word,
#define ALIAS(word, group, value) word,
#include "ptx/cured-ptx-words.def"
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    printf ("\".%s\"\n", words[i]);
  for (guint i = 1; i < CURED_PTX_N_TYPES; i++)
    printf ("\".%s\"\n", _cured_ptx_types[i].word);
  for (guint i = 0; i < CURED_PTX_N_OPS; i++)
    printf ("\"%s\"\n", _cured_ptx_ops[i].mnemonic);
  return 0;
}

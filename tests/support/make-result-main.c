/* SPDX-License-Identifier: MIT
 * Writes a result file of made-up numbers: make-result FILE [TILES BLOCKS [SIZES [FACTOR [NOTE]]]]. */
#include "make-result.h"

#include <stdlib.h>

int
main (int argc, char **argv)
{
  MakeResult what = { 0 };

  if (argc != 2 && (argc < 4 || argc > 7))
    {
      g_printerr ("usage: make-result FILE [TILES BLOCKS [SIZES [FACTOR [NOTE]]]]\n");
      return 2;
    }
  if (argc > 2)
    {
      what.n_tiles = strtoul (argv[2], NULL, 10);
      what.n_blocks = strtoul (argv[3], NULL, 10);
    }
  if (argc > 4)
    what.n_sizes = strtoul (argv[4], NULL, 10);
  if (argc > 5)
    what.factor = g_ascii_strtod (argv[5], NULL);
  what.no_samples = what.n_tiles * what.n_blocks > 100000;
  make_result (argv[1], &what);
  if (argc > 6 && !cured_remark_write (argv[1], NULL, CURED_REMARK_OF_FILE, argv[6], NULL))
    return 1;
  return 0;
}

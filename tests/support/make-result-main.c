/* SPDX-License-Identifier: MIT
 * Writes a result file of made-up numbers: make-result FILE [TILES BLOCKS [SIZES [FACTOR]]]. */
#include "make-result.h"

#include <stdlib.h>

int
main (int argc, char **argv)
{
  MakeResult what = { 0 };

  if (argc != 2 && argc != 4 && argc != 5 && argc != 6)
    {
      g_printerr ("usage: make-result FILE [TILES BLOCKS [SIZES [FACTOR]]]\n");
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
  return 0;
}

/* SPDX-License-Identifier: MIT
 * A long test is a list of cases (its kernels), each of which tries many cells. `--quick` tries
 * every case, but only the cells that the test says are quick; `--shard=I/N` tries what `--quick`
 * leaves out, in each N-th case from the I-th on. So `--quick` and all shards together try each
 * cell once. Run by hand, without either, a test tries all of that, and what it keeps for then. */
#include "part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum { ALL, QUICK, SHARD } part;
static guint shard;
static guint n_shards = 1;

/**
 * part_init:
 * @argc: (inout): of main()
 * @argv: of main()
 *
 * Takes its own argument out of the list; before g_test_init(), which knows nothing of it. Ends the
 * program where a shard is none. */
void
part_init (int *argc, char **argv)
{
  int kept = 1;

  for (int i = 1; i < *argc; i++)
    {
      char end;

      if (strcmp (argv[i], "--quick") == 0)
        part = QUICK;
      else if (!g_str_has_prefix (argv[i], "--shard="))
        argv[kept++] = argv[i];
      else if (sscanf (argv[i], "--shard=%u/%u%c", &shard, &n_shards, &end) != 2 || shard < 1 ||
               shard > n_shards)
        {
          fprintf (stderr, "%s: expected --shard=I/N, I from 1 to N\n", argv[i]);
          exit (2);
        }
      else
        part = SHARD;
    }
  argv[kept] = NULL;
  *argc = kept;
}

/**
 * part_has_case:
 * @nth: place of the case in the test's list
 *
 * Returns: whether to add the case */
gboolean
part_has_case (guint nth)
{
  return part != SHARD || nth % n_shards == shard - 1;
}

/**
 * part_has_cell:
 * @is_quick: whether the cell belongs to the quick tier
 *
 * Returns: whether to try the cell */
gboolean
part_has_cell (gboolean is_quick)
{
  return part == ALL || is_quick == (part == QUICK);
}

/**
 * part_is_whole:
 *
 * Returns: whether to try also what no shard does */
gboolean
part_is_whole (void)
{
  return part == ALL;
}

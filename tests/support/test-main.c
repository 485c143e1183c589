/* SPDX-License-Identifier: MIT
 * main() of tests that set nothing up. */
#include <locale.h>

#include "test.h"

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  return run_tests ();
}

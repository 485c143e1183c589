/* SPDX-License-Identifier: MIT
 * main() of tests of the window that set nothing else up. */
#include "gui-test.h"

int
main (int argc, char **argv)
{
  begin (&argc, &argv);
  return run_and_end ();
}

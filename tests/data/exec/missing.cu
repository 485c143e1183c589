// SPDX-License-Identifier: MIT
// Calls what is not there.
#include <cstdio>

int
main ()
{
  cudaGraph_t graph;

  printf ("%s\n", cudaGetErrorName (cudaGraphCreate (&graph, 0)));
  return 0;
}

// SPDX-License-Identifier: MIT
// Calls what is not there.
#include <cstdio>

int
main ()
{
  cudaIpcMemHandle_t handle;

  printf ("%s\n", cudaGetErrorName (cudaIpcGetMemHandle (&handle, NULL)));
  return 0;
}

// SPDX-License-Identifier: MIT
// Half of a program of two parts (-rdc=true).
__device__ int
twice (int i)
{
  return 2 * i;
}

__device__ int seen;

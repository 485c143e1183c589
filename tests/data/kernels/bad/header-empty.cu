// SPDX-License-Identifier: MIT
// 3 syntax there is no [Kernel]
/*! cured */
extern "C" __global__ void
test (const float *in, float *out, int n)
{
}

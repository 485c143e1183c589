// SPDX-License-Identifier: MIT
// 3 syntax the comment that starts here is not closed
/* MIT
extern "C" __global__ void
test (const float *in, float *out, int n)
{
}

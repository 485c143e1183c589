// SPDX-License-Identifier: MIT
// 3 syntax no header: expected a comment that starts with
extern "C" __global__ void
test (const float *in, float *out, int n)
{
}

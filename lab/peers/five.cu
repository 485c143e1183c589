// SPDX-License-Identifier: MIT
// Five algorithms, one launch each, for emulators of other makers: the kernels are HIP as well.
//
// usage: nvcc -o five lab/peers/five.cu; cured exec ./five saxpy|reduce|product|histogram|scan N
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define B 256
__global__ void
saxpy (const float *x, float *y, float a, unsigned n)
{
  unsigned i = blockIdx.x * B + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void
reduce (const float *x, float *sums, unsigned n)
{
  __shared__ float s[B];
  float v = 0;
  for (unsigned i = blockIdx.x * (4 * B) + threadIdx.x, k = 0; k < 4; k++, i += B)
    if (i < n)
      v += x[i];
  s[threadIdx.x] = v;
  __syncthreads ();
  for (unsigned d = B / 2; d > 0; d >>= 1)
    {
      if (threadIdx.x < d)
        s[threadIdx.x] += s[threadIdx.x + d];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = s[0];
}

__global__ void
product (const float *a, const float *b, float *c, unsigned n)
{
  __shared__ float s[16][16], t[16][16];
  unsigned x = threadIdx.x & 15, y = threadIdx.x >> 4;
  unsigned column = (blockIdx.x % (n / 16)) * 16 + x, row = (blockIdx.x / (n / 16)) * 16 + y;
  float v = 0;
  for (unsigned k = 0; k < n; k += 16)
    {
      s[y][x] = a[row * n + k + x];
      t[y][x] = b[(k + y) * n + column];
      __syncthreads ();
      for (unsigned i = 0; i < 16; i++)
        v += s[y][i] * t[i][x];
      __syncthreads ();
    }
  c[row * n + column] = v;
}

__global__ void
histogram (const unsigned *x, unsigned *bins, unsigned n)
{
  __shared__ unsigned s[B];
  s[threadIdx.x] = 0;
  __syncthreads ();
  for (unsigned i = blockIdx.x * (8 * B) + threadIdx.x, k = 0; k < 8; k++, i += B)
    if (i < n)
      atomicAdd (&s[x[i] & (B - 1)], 1u);
  __syncthreads ();
  atomicAdd (&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void
scan (const unsigned *x, unsigned *y, unsigned *sums, unsigned n)
{
  __shared__ unsigned s[B];
  unsigned i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads ();
  for (unsigned d = 1; d < B; d <<= 1)
    {
      unsigned v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
      __syncthreads ();
      s[threadIdx.x] += v;
      __syncthreads ();
    }
  if (i < n)
    y[i] = s[threadIdx.x];
  if (threadIdx.x == B - 1)
    sums[blockIdx.x] = s[threadIdx.x];
}

int main (int c, char **v)
{
  std::string k = v[1]; unsigned n = atoi (v[2]);
  size_t e = k == "product" ? size_t (n) * n : n, ze = std::max<size_t> (e, 256);
  std::vector<unsigned> x (e), y (e), o;
  bool in = k == "histogram" || k == "scan";
  for (size_t i = 0; i < e; i++)
    if (in) x[i] = i * 2654435761u >> 7 & 1023;
    else { float f = i % 17, g = i % 13; memcpy (&x[i], &f, 4); memcpy (&y[i], &g, 4); }
  void *a, *b, *d;
  cudaMalloc (&a, 4 * e); cudaMalloc (&b, 4 * e); cudaMalloc (&d, 4 * ze);
  cudaMemcpy (a, x.data (), 4 * e, cudaMemcpyHostToDevice);
  cudaMemcpy (b, y.data (), 4 * e, cudaMemcpyHostToDevice);
  cudaMemset (d, 0, 4 * ze);
  size_t outs = 0; void *out = d; unsigned bl;
  if (k == "saxpy") { bl = (n + 255) / 256; saxpy<<<bl, 256>>> ((float *) a, (float *) b, 2, n); out = b; outs = n; }
  if (k == "reduce") { bl = (n + 1023) / 1024; reduce<<<bl, 256>>> ((float *) a, (float *) d, n); outs = bl; }
  if (k == "product") { bl = n / 16 * (n / 16); product<<<bl, 256>>> ((float *) a, (float *) b, (float *) d, n); outs = e; }
  if (k == "histogram") { bl = (n + 2047) / 2048; histogram<<<bl, 256>>> ((unsigned *) a, (unsigned *) d, n); outs = 256; }
  if (k == "scan") { bl = (n + 255) / 256; scan<<<bl, 256>>> ((unsigned *) a, (unsigned *) b, (unsigned *) d, n); out = b; outs = n; }
  o.resize (outs);
  cudaMemcpy (o.data (), out, 4 * outs, cudaMemcpyDeviceToHost);
  unsigned long sum = 0; double fs = 0;
  for (unsigned w : o) { float f; memcpy (&f, &w, 4); sum += w; fs += f; }
  printf ("%s n=%u sum %s\n", k.c_str (), n, in ? std::to_string (sum).c_str () : std::to_string (fs).c_str ());
}

/* SPDX-License-Identifier: MIT
 * A program whose sizes, contents and launches its text does not tell. */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum class Mode { add, scale };

struct Rows
{
  float *data;
  int n;
  float by;
};

namespace tables
{
__constant__ float taps[3];
}

template <typename T, Mode MODE, int N>
__global__ void
blend (T *out, const T *in, int n, float by)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = MODE == Mode::add ? in[i] + by * tables::taps[i % N] : in[i] * by;
}

__global__ void
stretch (Rows rows)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < rows.n)
    rows.data[i] *= rows.by;
}

__global__ void
forgotten (const int *from, int *to)
{
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

static void
read_size (const char *text, int *n)
{
  *n = atoi (text);
}

int
main (int argc, char **argv)
{
  const float taps[3] = { 0.25f, 0.5f, 0.25f };
  const int threads = 128;
  int n = 0;
  float *in, *out;
  int *never, *to;

  if (argc > 1)
    read_size (argv[1], &n);
  if (n == 0)
    {
      puts ("usage: recorded N");
      return 2;
    }
  std::vector<float> noise (n);
  for (float &x : noise)
    x = (float) rand () / RAND_MAX;
  cudaMemcpyToSymbol (tables::taps, taps, sizeof taps);
  cudaMalloc (&in, n * sizeof *in);
  cudaMalloc (&out, n * sizeof *out);
  cudaMalloc (&never, 32 * sizeof *never);
  cudaMalloc (&to, 32 * sizeof *to);
  cudaMemcpy (in, noise.data (), n * sizeof *in, cudaMemcpyHostToDevice);
  cudaMemset (out, 0, n * sizeof *out);
  blend<float, Mode::add, 3><<<(n + threads - 1) / threads, threads>>> (out, in, n, 0.75f);
  blend<float, Mode::add, 3><<<(n / 2 + threads - 1) / threads, threads>>> (out, in, n / 2, 0.5f);
  stretch<<<(n + 255) / 256, 256>>> (Rows{ out, n, 1.5f });
  forgotten<<<1, 32>>> (never, to);
  return cudaDeviceSynchronize () != cudaSuccess;
}

// SPDX-License-Identifier: MIT
// Faults that only a whole program has, and twins without them: the first argument names one. A
// line with “finds: KIND” is where it is found.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void
fill (int *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = i; // finds: heap
}

__global__ void
overrun (int *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i <= n)
    out[i] = i; // finds: out-of-bounds
}

__global__ void
turn (int *out, bool is_synchronised)
{
  __shared__ int tile[256];

  tile[threadIdx.x] = threadIdx.x; // finds: race-shared
  if (is_synchronised)
    __syncthreads ();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void
add_one (const int *in, int *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = in[i] + 1; // finds: unwritten
}

// What a struct has between its members is nobody's to write.
struct Best
{
  bool is_found;
  long long where;
  int value;
  double score;
};

__global__ void
find_best (Best *out, int n)
{
  out[threadIdx.x].is_found = true;
  out[threadIdx.x].where = n;
  out[threadIdx.x].value = threadIdx.x;
  out[threadIdx.x].score = 1;
}

// Work of two streams on the same array: @how says what orders it.
static void
use_streams (const char *how, int *a, int *b, int *host, int n)
{
  bool is_apart = strstr (how, "apart") != NULL;
  cudaStream_t s, t;
  cudaEvent_t event;

  cudaStreamCreateWithFlags (&s, is_apart ? cudaStreamNonBlocking : cudaStreamDefault);
  cudaStreamCreateWithFlags (&t, cudaStreamNonBlocking);
  cudaEventCreateWithFlags (&event, cudaEventDisableTiming);
  cudaMemset (a, 0, n * sizeof *a);
  cudaDeviceSynchronize ();
  fill<<<4, 256, 0, s>>> (a, strstr (how, "halves") != NULL ? n / 2 : n);
  if (strstr (how, "event") != NULL)
    {
      cudaEventRecord (event, s);
      cudaStreamWaitEvent (t, event, 0);
    }
  if (strstr (how, "wait") != NULL)
    cudaStreamSynchronize (s);
  if (strstr (how, "query") != NULL)
    while (cudaStreamQuery (s) != cudaSuccess)
      ;
  if (strstr (how, "copy") != NULL)
    cudaMemcpy (host, a, n * sizeof *a, cudaMemcpyDeviceToHost); // finds: race-global
  else if (strstr (how, "halves") != NULL)
    add_one<<<4, 256, 0, t>>> (a + n / 2, b, n / 2);
  else
    add_one<<<4, 256, 0, t>>> (a, b, n); // finds: race-global
  cudaStreamDestroy (s);
  cudaStreamDestroy (t);
  cudaEventDestroy (event);
}

int
main (int argc, char **argv)
{
  const int n = 1000;
  const char *what = argc > 1 ? argv[1] : "";
  int *host = (int *) calloc (n + 1, sizeof *host);
  int *a = NULL;
  int *b = NULL;

  cudaMalloc (&a, n * sizeof *a);
  cudaMalloc ((void **) &b, n * sizeof *b);
  if (strcmp (what, "bounds") == 0)
    overrun<<<4, 256>>> (a, n);
  else if (strcmp (what, "bounds-twin") == 0)
    overrun<<<4, 256>>> (a, n - 1);
  else if (strcmp (what, "race") == 0)
    turn<<<1, 256>>> (a, false);
  else if (strcmp (what, "race-twin") == 0)
    turn<<<1, 256>>> (a, true);
  else if (strcmp (what, "undefined") == 0)
    add_one<<<4, 256>>> (a, b, n);
  else if (strcmp (what, "undefined-twin") == 0)
    {
      cudaMemset (a, 0, n * sizeof *a);
      add_one<<<4, 256>>> (a, b, n);
    }
  else if (strcmp (what, "copied") == 0)
    {
      fill<<<4, 256>>> (a, n / 2);
      cudaMemcpy (b, a, n * sizeof *a, cudaMemcpyDeviceToDevice);
      cudaMemcpy (host, b, n * sizeof *b, cudaMemcpyDeviceToHost); // finds: unwritten
    }
  else if (strcmp (what, "copied-twin") == 0)
    {
      fill<<<4, 256>>> (a, n / 2);
      cudaMemcpy (b, a, n * sizeof *a, cudaMemcpyDeviceToDevice);
      cudaMemcpy (host, b, n / 2 * sizeof *b, cudaMemcpyDeviceToHost);
    }
  else if (strcmp (what, "copied-last") == 0)
    {
      fill<<<4, 256>>> (a, n - 1);
      cudaMemcpy (host, a, n * sizeof *a, cudaMemcpyDeviceToHost); // finds: unwritten
    }
  else if (strcmp (what, "copied-odd") == 0)
    {
      cudaMemset2D (a, 8, 0, 4, n / 2);
      cudaMemcpy (host, a, n * sizeof *a, cudaMemcpyDeviceToHost); // finds: unwritten
    }
  else if (strcmp (what, "copied-padding-twin") == 0)
    {
      find_best<<<1, 8>>> ((Best *) a, n);
      cudaMemcpy (host, a, 8 * sizeof (Best), cudaMemcpyDeviceToHost);
    }
  else if (strcmp (what, "freed") == 0)
    {
      int *old = b;

      cudaFree (b);
      b = NULL;
      fill<<<4, 256>>> (old, n);
    }
  else if (strcmp (what, "freed-twin") == 0)
    {
      cudaFree (b);
      cudaMalloc (&b, n * sizeof *b);
      fill<<<4, 256>>> (b, n);
    }
  else if (strcmp (what, "twice") == 0)
    {
      cudaFree (b);
      cudaFree (b); // finds: heap
      b = NULL;
    }
  else if (strcmp (what, "beyond") == 0)
    cudaMemcpy (a, host, (n + 1) * sizeof *a, cudaMemcpyHostToDevice); // finds: out-of-bounds
  else if (strcmp (what, "touched") == 0)
    a[3] = 1; // finds: out-of-bounds
  else if (strcmp (what, "leaked") == 0)
    b = NULL;
  else if (strncmp (what, "streams", 7) == 0)
    use_streams (what, a, b, host, n);
  printf ("%s\n", cudaGetErrorName (cudaDeviceSynchronize ()));
  cudaFree (a);
  cudaFree (b);
  free (host);
  return 3;
}

// SPDX-License-Identifier: MIT
#define TILE 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
typedef double real;
struct pair { int a; double b; };
template <typename T, int N> __global__ void k (T *out, const T *in, int n) {}
__global__ void two (pair *p, real *r, unsigned char *c, int rows) {}
void run (float *a, float *b, int n, int block)
{
  const int blocks = CEIL_DIV (n, block);
  k<float, TILE><<<blocks, block, 2 * sizeof (float)>>> (a, b, n);
}
int main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1 << 12;
  float *a, *b;
  pair *p; real *r; unsigned char *c;
  dim3 grid (n / TILE, 4), threads (TILE, TILE);
  cudaMalloc ((void **) &a, n * sizeof (float));
  cudaMalloc (&b, sizeof (float) * n);
  cudaMalloc (&p, n * sizeof (pair));
  run (a, b, n, 256);
  n = n / 2;
  two<<<grid, threads>>> (p, r, c, grid.x * 2);
}

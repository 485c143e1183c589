// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <vector>
#include <string>
#include "missing.h"
#include <cuda_runtime.h>
using namespace std;
#define CHECK(x) do { cudaError_t e = x; if (e != cudaSuccess) { fprintf(stderr, "x %s", cudaGetErrorString(e)); exit(1);} } while(0)
const int N = 1000;
int counter = 5;
std::vector<float> host_data;
struct Timer { cudaEvent_t a, b; Timer() { cudaEventCreate(&a); } float stop() { return 3; } };
class Big { std::string name; int x; public: void f() { cout << name; } };
template <typename T> struct Vec { T x, y; __device__ T sum() const { return x + y; } void print() { printf("%f", x); } };
Big make_big();
namespace ns {
template <typename T, int K>
__global__ void scale(const T *in, T *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * (T) K + (T) M_PI;
}
void launch(float *a) { scale<float, 3><<<1, 2>>>(a, a, 3); }
}
#ifdef FOO
int main() {
#else
int main(int argc, char **argv) {
#endif
  float *d_in, *d_out;
  int n = N * 4;
  CHECK(cudaMalloc(&d_in, n * sizeof(float)));
#define BLOCK 256
  dim3 grid((n + BLOCK - 1) / BLOCK);
  ns::scale<float, 3><<<grid, BLOCK>>>(d_in, d_out, n);
  return 0;
}

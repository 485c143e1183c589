// SPDX-License-Identifier: MIT
// The peers that lab/measure-peers measures beside Cured: CUB, cuBLAS and cudaMemcpy.
//
// One function, which the harness calls where a kernel would be launched: only
// enqueues on the stream, as a launch does. What a peer wants beyond that
// (workspace, a handle) is made in its first call, which nobody times.
#include <cstdio>
#include <cstring>
#include <cublas_v2.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <cuda_runtime.h>
#include <thrust/iterator/zip_iterator.h>

namespace
{

template <typename T>
T
get (void **arguments, int index)
{
  return *static_cast<T *> (arguments[index]);
}

int
say (const char *what, const char *why)
{
  fprintf (stderr, "peers: %s: %s\n", what, why);
  return 1;
}

int
check (cudaError_t result)
{
  return result == cudaSuccess ? 0 : say ("CUDA", cudaGetErrorString (result));
}

int
check (cublasStatus_t result)
{
  return result == CUBLAS_STATUS_SUCCESS
             ? 0
             : say ("cuBLAS", cublasGetStatusString (result));
}

// Memory that grows and is never given back.
void *workspace;
size_t workspace_size;

// CUB's way: asked without memory, it says how much it wants.
template <typename Call>
int
with_workspace (Call call)
{
  size_t size = 0;
  cudaError_t result = call (nullptr, size);

  if (result == cudaSuccess && size > workspace_size)
    {
      cudaFree (workspace);
      workspace_size = 0;
      result = cudaMalloc (&workspace, size);
      if (result == cudaSuccess)
        workspace_size = size;
    }
  return check (result == cudaSuccess ? call (workspace, size) : result);
}

// Reductions: in, out, n:i64. CUB is faster with a 32-bit number of elements,
// which all sizes of the table fit.

template <typename T>
struct Sum
{
  cudaError_t
  operator() (void *space, size_t &size, T *in, T *out, int n, cudaStream_t s)
  {
    return cub::DeviceReduce::Sum (space, size, in, out, n, s);
  }
};

template <typename T>
struct Min
{
  cudaError_t
  operator() (void *space, size_t &size, T *in, T *out, int n, cudaStream_t s)
  {
    return cub::DeviceReduce::Min (space, size, in, out, n, s);
  }
};

template <typename T>
struct Max
{
  cudaError_t
  operator() (void *space, size_t &size, T *in, T *out, int n, cudaStream_t s)
  {
    return cub::DeviceReduce::Max (space, size, in, out, n, s);
  }
};

template <typename T>
struct Product
{
  cudaError_t
  operator() (void *space, size_t &size, T *in, T *out, int n, cudaStream_t s)
  {
    return cub::DeviceReduce::Reduce (
        space, size, in, out, n, cuda::std::multiplies<T> (), T (1), s);
  }
};

template <template <typename> class Operation, typename T>
int
reduce (void **arguments, cudaStream_t stream)
{
  T *in = get<T *> (arguments, 0);
  T *out = get<T *> (arguments, 1);
  long long n = get<long long> (arguments, 2);

  if (n > 0x7fffffff)
    return say ("reduce", "more elements than 31 bits count");
  return with_workspace ([=] (void *space, size_t &size) {
    return Operation<T> () (space, size, in, out, (int) n, stream);
  });
}

struct SquaredDifference
{
  __host__ __device__ float
  operator() (cuda::std::tuple<float, float> pair) const
  {
    float difference = cuda::std::get<0> (pair) - cuda::std::get<1> (pair);

    return difference * difference;
  }
};

// a, b, out, n:i64
int
squared_error (void **arguments, cudaStream_t stream)
{
  const float *a = get<const float *> (arguments, 0);
  const float *b = get<const float *> (arguments, 1);
  float *out = get<float *> (arguments, 2);
  int n = (int) get<long long> (arguments, 3);
  auto pairs = thrust::make_zip_iterator (a, b);

  return with_workspace ([=] (void *space, size_t &size) {
    return cub::DeviceReduce::TransformReduce (space,
                                               size,
                                               pairs,
                                               out,
                                               n,
                                               cuda::std::plus<float> (),
                                               SquaredDifference (),
                                               0.0f,
                                               stream);
  });
}

// a, b, out, n:i64
int
add (void **arguments, cudaStream_t stream)
{
  const int *a = get<const int *> (arguments, 0);
  const int *b = get<const int *> (arguments, 1);
  int *out = get<int *> (arguments, 2);
  int n = (int) get<long long> (arguments, 3);

  return check (cub::DeviceTransform::Transform (
      cuda::std::make_tuple (a, b), out, n, cuda::std::plus<int> (), stream));
}

// to, from, bytes:i64
int
copy (void **arguments, cudaStream_t stream)
{
  return check (cudaMemcpyAsync (get<void *> (arguments, 0),
                                 get<const void *> (arguments, 1),
                                 (size_t) get<long long> (arguments, 2),
                                 cudaMemcpyDeviceToDevice,
                                 stream));
}

// Plain single precision: no TF32, results where the device writes them.
cublasHandle_t
get_handle (cudaStream_t stream)
{
  static cublasHandle_t handle;
  static void *memory;
  static cudaStream_t current;
  const size_t size = 64 << 20;

  if (handle == nullptr &&
      (check (cudaMalloc (&memory, size)) || check (cublasCreate (&handle)) ||
       check (cublasSetMathMode (handle, CUBLAS_DEFAULT_MATH)) ||
       check (cublasSetPointerMode (handle, CUBLAS_POINTER_MODE_DEVICE))))
    return nullptr;
  if (current != stream && (check (cublasSetStream (handle, stream)) ||
                            check (cublasSetWorkspace (handle, memory, size))))
    return nullptr;
  current = stream;
  return handle;
}

// The factors of sums and products, where cuBLAS looks for them.
const float *
get_constant (int which)
{
  static float *constants;
  static const float values[] = { 0, 1 };

  if (constants == nullptr &&
      (check (cudaMalloc (&constants, sizeof values)) ||
       check (cudaMemcpy (
           constants, values, sizeof values, cudaMemcpyHostToDevice))))
    return nullptr;
  return constants + which;
}

// a, b, c, n: row by row, which cuBLAS takes for the transposed matrices
int
sgemm (void **arguments, cudaStream_t stream)
{
  const float *a = get<const float *> (arguments, 0);
  const float *b = get<const float *> (arguments, 1);
  float *c = get<float *> (arguments, 2);
  int n = (int) get<long long> (arguments, 3);
  cublasHandle_t handle = get_handle (stream);
  const float *zero = get_constant (0);
  const float *one = get_constant (1);

  if (handle == nullptr || zero == nullptr || one == nullptr)
    return 1;
  return check (cublasSgemm (handle,
                             CUBLAS_OP_N,
                             CUBLAS_OP_N,
                             n,
                             n,
                             n,
                             one,
                             b,
                             n,
                             a,
                             n,
                             zero,
                             c,
                             n));
}

// a, b, c, n:i64, pitch:i64: bf16 row by row, with sums in single precision
int
gemm_bf16 (void **arguments, cudaStream_t stream)
{
  const void *a = get<const void *> (arguments, 0);
  const void *b = get<const void *> (arguments, 1);
  void *c = get<void *> (arguments, 2);
  int n = (int) get<long long> (arguments, 3);
  int pitch = (int) get<long long> (arguments, 4);
  cublasHandle_t handle = get_handle (stream);
  const float *zero = get_constant (0);
  const float *one = get_constant (1);

  if (handle == nullptr || zero == nullptr || one == nullptr)
    return 1;
  return check (cublasGemmEx (handle,
                              CUBLAS_OP_N,
                              CUBLAS_OP_N,
                              n,
                              n,
                              n,
                              one,
                              b,
                              CUDA_R_16BF,
                              pitch,
                              a,
                              CUDA_R_16BF,
                              pitch,
                              zero,
                              c,
                              CUDA_R_16BF,
                              pitch,
                              CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
}

// a, b, out, n:i64
int
sdot (void **arguments, cudaStream_t stream)
{
  cublasHandle_t handle = get_handle (stream);

  if (handle == nullptr)
    return 1;
  return check (cublasSdot_64 (handle,
                               get<long long> (arguments, 3),
                               get<const float *> (arguments, 0),
                               1,
                               get<const float *> (arguments, 1),
                               1,
                               get<float *> (arguments, 2)));
}

// in, out, columns:i64, rows:i64 of in
int
sgeam (void **arguments, cudaStream_t stream)
{
  const float *in = get<const float *> (arguments, 0);
  float *out = get<float *> (arguments, 1);
  int columns = (int) get<long long> (arguments, 2);
  int rows = (int) get<long long> (arguments, 3);
  cublasHandle_t handle = get_handle (stream);
  const float *zero = get_constant (0);
  const float *one = get_constant (1);

  if (handle == nullptr || zero == nullptr || one == nullptr)
    return 1;
  return check (cublasSgeam (handle,
                             CUBLAS_OP_T,
                             CUBLAS_OP_N,
                             rows,
                             columns,
                             one,
                             in,
                             columns,
                             zero,
                             out,
                             rows,
                             out,
                             rows));
}

const struct
{
  const char *name;
  int (*func) (void **arguments, cudaStream_t stream);
} peers[] = {
  { "cub_sum_i32", reduce<Sum, int> },
  { "cub_sum_f32", reduce<Sum, float> },
  { "cub_sum_f64", reduce<Sum, double> },
  { "cub_min_i32", reduce<Min, int> },
  { "cub_min_f32", reduce<Min, float> },
  { "cub_min_f64", reduce<Min, double> },
  { "cub_max_i32", reduce<Max, int> },
  { "cub_max_f32", reduce<Max, float> },
  { "cub_max_f64", reduce<Max, double> },
  { "cub_product_i32", reduce<Product, int> },
  { "cub_product_f32", reduce<Product, float> },
  { "cub_product_f64", reduce<Product, double> },
  { "cub_squared_error", squared_error },
  { "cub_add", add },
  { "cublas_sgemm", sgemm },
  { "cublas_gemm_bf16", gemm_bf16 },
  { "cublas_sdot", sdot },
  { "cublas_sgeam", sgeam },
  { "cudaMemcpy", copy },
};

}

// Which peers these are, in words.
extern "C" const char *
peers_get_version ()
{
  static char text[200];
  cublasHandle_t handle = get_handle (nullptr);
  int cublas = 0;

  if (handle != nullptr)
    cublasGetVersion (handle, &cublas);
  snprintf (text,
            sizeof text,
            "CUB %d.%d.%d, cuBLAS %d.%d.%d",
            CUB_MAJOR_VERSION,
            CUB_MINOR_VERSION,
            CUB_SUBMINOR_VERSION,
            cublas / 10000,
            cublas / 100 % 100,
            cublas % 100);
  return text;
}

// Enqueues the peer's work. 0: done; else why is on standard error.
extern "C" int
peers_run (const char *name, void **arguments, void *stream)
{
  for (const auto &peer : peers)
    if (!strcmp (peer.name, name))
      return peer.func (arguments, (cudaStream_t) stream);
  return say (name, "is no peer");
}

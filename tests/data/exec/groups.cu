// SPDX-License-Identifier: MIT
// The runtime's functions in groups: the first argument names one. Exits with 0 where all is as it
// should be, or else with the line.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cg = cooperative_groups;

#define MUST(condition)                                                                            \
  do                                                                                               \
    if (!(condition))                                                                              \
      {                                                                                            \
        printf ("line %d: %s\n", __LINE__, cudaGetErrorString (cudaPeekAtLastError ()));           \
        exit (1);                                                                                  \
      }                                                                                            \
  while (0)
#define DO(call) MUST ((call) == cudaSuccess)

__constant__ float factors[4];
__device__ int counter;
__device__ __managed__ int shown = 5;

template <typename T>
__global__ void
scale (T *data, T factor, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    data[i] *= factor;
}

__global__ void
count (int n)
{
  if (blockIdx.x * blockDim.x + threadIdx.x < n)
    atomicAdd (&counter, 1);
  if (threadIdx.x == 0 && blockIdx.x == 0)
    shown += 37;
}

__global__ void
count_up ()
{
  atomicAdd (&counter, 1);
}

__global__ void
use_factors (float *out)
{
  out[threadIdx.x] = factors[threadIdx.x];
}

static void
symbols ()
{
  const float values[4] = { 1, 2, 3, 4 };
  float *out;
  float got[4];
  int n = 7;
  void *address;
  size_t size;

  DO (cudaMemcpyToSymbol (factors, values, sizeof values));
  DO (cudaMalloc (&out, sizeof got));
  use_factors<<<1, 4>>> (out);
  DO (cudaMemcpy (got, out, sizeof got, cudaMemcpyDefault));
  MUST (got[3] == 4);
  MUST (shown == 5);
  count<<<3, 100>>> (250);
  DO (cudaDeviceSynchronize ());
  DO (cudaMemcpyFromSymbol (&n, counter, sizeof n));
  MUST (n == 250);
  MUST (shown == 42);
  DO (cudaGetSymbolAddress (&address, counter));
  DO (cudaGetSymbolSize (&size, counter));
  MUST (size == 4);
  DO (cudaMemset (address, 0, 4));
  DO (cudaMemcpyFromSymbol (&n, counter, sizeof n));
  MUST (n == 0);
  DO (cudaFree (out));
}

__global__ void
write_rows (char *rows, size_t pitch, int width)
{
  if (threadIdx.x < width)
    ((int *) (rows + blockIdx.x * pitch))[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
}

static void
memory ()
{
  int rows[20][30];
  int box[3][4][16];
  char *pitched;
  size_t pitch, n_free, n_all;
  cudaExtent extent = make_cudaExtent (16 * 4, 4, 3);
  cudaPitchedPtr cube;
  cudaMemcpy3DParms copy = {};
  double *numbers, *seen;
  cudaPointerAttributes attributes;

  DO (cudaMallocPitch (&pitched, &pitch, sizeof rows[0], 20));
  write_rows<<<20, 32>>> (pitched, pitch, 30);
  DO (cudaMemcpy2D (rows, sizeof rows[0], pitched, pitch, sizeof rows[0], 20,
                    cudaMemcpyDeviceToHost));
  MUST (rows[7][9] == 709);
  DO (cudaMalloc3D (&cube, extent));
  DO (cudaMemset3D (cube, 1, extent));
  copy.srcPtr = cube;
  copy.dstPtr = make_cudaPitchedPtr (box, 16 * 4, 16, 4);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  DO (cudaMemcpy3D (&copy));
  MUST (box[2][3][15] == 0x01010101);
  DO (cudaHostAlloc (&numbers, 10 * sizeof *numbers, cudaHostAllocMapped));
  for (int i = 0; i < 10; i++)
    numbers[i] = i;
  DO (cudaHostGetDevicePointer (&seen, numbers, 0));
  scale<double><<<1, 32>>> (seen, 2, 10);
  DO (cudaDeviceSynchronize ());
  MUST (numbers[9] == 18);
  DO (cudaPointerGetAttributes (&attributes, pitched));
  MUST (attributes.type == cudaMemoryTypeDevice);
  DO (cudaPointerGetAttributes (&attributes, rows));
  MUST (attributes.type == cudaMemoryTypeUnregistered);
  DO (cudaMemGetInfo (&n_free, &n_all));
  MUST (n_free < n_all);
  MUST (cudaMalloc (&pitched, (size_t) 1 << 60) == cudaErrorMemoryAllocation);
  MUST (cudaGetLastError () == cudaErrorMemoryAllocation);
  MUST (cudaGetLastError () == cudaSuccess);
  DO (cudaFreeHost (numbers));
  /* Memory of the program's own, which does not begin at a page. */
  numbers = (double *) malloc (10000 * sizeof *numbers);
  numbers[0] = numbers[9999] = 21;
  DO (cudaHostRegister (numbers, 10000 * sizeof *numbers, cudaHostRegisterMapped));
  DO (cudaHostGetDevicePointer (&seen, numbers, 0));
  scale<double><<<40, 256>>> (seen, 2, 10000);
  DO (cudaDeviceSynchronize ());
  MUST (numbers[0] == 42 && numbers[9999] == 42);
  DO (cudaHostUnregister (numbers));
  MUST (numbers[0] == 42 && numbers[9999] == 42);
  free (numbers);
}

static void
call_back (void *data)
{
  ++*(int *) data;
}

static void
streams ()
{
  cudaStream_t stream;
  cudaEvent_t begin, end;
  int *data;
  int n = 0;
  float ms = 0;

  DO (cudaStreamCreate (&stream));
  DO (cudaEventCreate (&begin));
  DO (cudaEventCreateWithFlags (&end, cudaEventDefault));
  DO (cudaEventRecord (begin, stream));
  DO (cudaMallocAsync (&data, 64, stream));
  DO (cudaMemsetAsync (data, 0x11, 64, stream));
  scale<int><<<1, 16, 0, stream>>> (data, 2, 16);
  DO (cudaLaunchHostFunc (stream, call_back, &n));
  DO (cudaEventRecord (end, stream));
  DO (cudaStreamWaitEvent (stream, end, 0));
  DO (cudaEventSynchronize (end));
  MUST (n == 1);
  /* There is no time. */
  DO (cudaEventElapsedTime (&ms, begin, end));
  MUST (ms != ms);
  DO (cudaMemcpyAsync (&n, data + 15, 4, cudaMemcpyDeviceToHost, stream));
  DO (cudaStreamSynchronize (stream));
  MUST (n == 0x22222222);
  DO (cudaFreeAsync (data, stream));
  DO (cudaStreamDestroy (stream));
}

__global__ void
sum_all (int *data, int n)
{
  cg::grid_group grid = cg::this_grid ();

  for (int half = n / 2; half > 0; half /= 2)
    {
      for (int i = grid.thread_rank (); i < half; i += grid.size ())
        data[i] += data[i + half];
      grid.sync ();
    }
}

__global__ void
__cluster_dims__ (2, 1, 1) swap_blocks (int *out)
{
  __shared__ int own;
  cg::cluster_group cluster = cg::this_cluster ();

  if (threadIdx.x == 0)
    own = blockIdx.x;
  cluster.sync ();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank (&own, 1 - cluster.block_rank ());
  cluster.sync ();
}

__global__ void
turn (int *out)
{
  extern __shared__ int tile[];

  tile[threadIdx.x] = threadIdx.x;
  __syncthreads ();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__device__ int
sum (cg::thread_group group, int *work, int value)
{
  int lane = group.thread_rank ();

  for (int half = group.size () / 2; half > 0; half /= 2)
    {
      work[lane] = value;
      group.sync ();
      if (lane < half)
        value += work[lane + half];
      group.sync ();
    }
  return value;
}

/* Each half of a warp is for itself. */
__global__ void
sum_tiles (int *out)
{
  __shared__ int work[64];
  cg::thread_block_tile<16> tile = cg::tiled_partition<16> (cg::this_thread_block ());
  int value = sum (tile, work + threadIdx.x - tile.thread_rank (), threadIdx.x);

  if (tile.thread_rank () == 0)
    out[threadIdx.x / 16] = value;
}

/* A tile of several warps keeps its barrier in memory that is reserved. */
__global__ void
sum_wide (int *out)
{
  __shared__ cg::block_tile_memory<128> memory;
  auto tile = cg::tiled_partition<64> (cg::this_thread_block (memory));
  int value = cg::reduce (tile, (int) threadIdx.x, cg::plus<int> ());

  if (tile.thread_rank () == 0)
    out[threadIdx.x / 64] = value;
}

// With pointers into two buffers, behind their begins, and beside numbers.
struct View
{
  float *data;
  const int *index;
  int n;
};

struct Views
{
  View a;
  double factor;
  View b;
  char more;
};

__global__ void
gather (Views views)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < views.a.n)
    views.b.data[i] = views.factor * views.a.data[views.a.index[i]] + views.more;
}

// More than a kernel file's text carries.
static void
structs ()
{
  const int n = 600000;
  float *data, *out, *numbers = new float[n];
  int *index, *order = new int[n];
  float got;

  for (int i = 0; i < n; i++)
    {
      numbers[i] = i % 1000;
      order[i] = i * 7 % (n / 2);
    }
  DO (cudaMalloc (&data, n * sizeof *data));
  DO (cudaMalloc (&out, n * sizeof *out));
  DO (cudaMalloc (&index, n * sizeof *index));
  DO (cudaMemcpy (data, numbers, n * sizeof *data, cudaMemcpyHostToDevice));
  DO (cudaMemcpy (out, numbers, n * sizeof *out, cudaMemcpyHostToDevice));
  DO (cudaMemcpy (index, order, n * sizeof *index, cudaMemcpyHostToDevice));
  gather<<<(n / 2 + 255) / 256, 256>>> (
      Views{ { data + 3, index + 5, n / 2 }, 2.5, { out + n / 4, nullptr, 0 }, 'x' });
  DO (cudaMemcpy (&got, out + n / 4 + 1, sizeof got, cudaMemcpyDeviceToHost));
  MUST (got == 2.5 * (6 * 7 + 3) + 'x');
  delete[] numbers;
  delete[] order;
}

__global__ void
triple (float *out, const float *data, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = 3 * data[i];
}

// Two blocks and two lengths of one kernel.
static void
lengths ()
{
  const int n = 5000;
  float *data, *out, numbers[n];

  for (int i = 0; i < n; i++)
    numbers[i] = i;
  DO (cudaMalloc (&data, sizeof numbers));
  DO (cudaMalloc (&out, sizeof numbers));
  DO (cudaMemcpy (data, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  triple<<<(n + 127) / 128, 128>>> (out, data, n);
  triple<<<(n / 2 + 255) / 256, 256>>> (out, data, n / 2);
  DO (cudaDeviceSynchronize ());
}

static void
launches ()
{
  int n = 1024;
  int *data;
  void *arguments[] = { &data, &n };
  cudaLaunchConfig_t config = {};
  cudaFuncAttributes attributes;
  int n_blocks, n_threads;

  DO (cudaMallocManaged (&data, n * sizeof *data));
  for (int i = 0; i < n; i++)
    data[i] = i;
  DO (cudaLaunchCooperativeKernel ((void *) sum_all, dim3 (4), dim3 (128), arguments, 0, 0));
  DO (cudaDeviceSynchronize ());
  MUST (data[0] == 1023 * 512);
  sum_tiles<<<1, 64>>> (data);
  DO (cudaDeviceSynchronize ());
  MUST (data[0] == 120 && data[3] == 888);
  sum_wide<<<1, 128>>> (data);
  DO (cudaDeviceSynchronize ());
  MUST (data[0] == 2016 && data[1] == 6112);
  swap_blocks<<<4, 32>>> (data);
  DO (cudaDeviceSynchronize ());
  MUST (data[0] == 1 && data[3] == 2);
  config.gridDim = dim3 (1);
  config.blockDim = dim3 (64);
  config.dynamicSmemBytes = 64 * sizeof (int);
  DO (cudaLaunchKernelEx (&config, turn, data));
  DO (cudaDeviceSynchronize ());
  MUST (data[0] == 63);
  DO (cudaFuncGetAttributes (&attributes, turn));
  MUST (attributes.maxThreadsPerBlock == 1024);
  DO (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&n_blocks, turn, 128, 0));
  MUST (n_blocks == 16);
  DO (cudaOccupancyMaxPotentialBlockSize (&n_blocks, &n_threads, turn));
  MUST (n_threads >= 256);
  turn<<<0, 64>>> (data);
  MUST (cudaGetLastError () == cudaErrorInvalidConfiguration);
  DO (cudaFree (data));
}

__global__ void
say (int n)
{
  if (threadIdx.x < n)
    printf ("block %d, thread %d\n", blockIdx.x, threadIdx.x);
}

__global__ void
take (int **out)
{
  out[threadIdx.x] = (int *) malloc (sizeof (int));
  *out[threadIdx.x] = threadIdx.x;
}

__global__ void
give (int **in, int *out)
{
  out[threadIdx.x] = *in[threadIdx.x];
  free (in[threadIdx.x]);
}

static void
device_side ()
{
  int **pointers;
  int *out;
  int got[32];

  say<<<2, 32>>> (1);
  DO (cudaDeviceSynchronize ());
  DO (cudaMalloc (&pointers, 32 * sizeof *pointers));
  DO (cudaMalloc (&out, sizeof got));
  take<<<1, 32>>> (pointers);
  give<<<1, 32>>> (pointers, out);
  DO (cudaMemcpy (got, out, sizeof got, cudaMemcpyDeviceToHost));
  MUST (got[31] == 31);
}

__global__ void
add (int *data, int value)
{
  data[threadIdx.x] += value;
}

static void
graphs ()
{
  cudaStream_t stream, other;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaGraphNode_t first, second;
  cudaKernelNodeParams node = {};
  cudaMemcpy3DParms box = {};
  int again[32];
  int *data;
  int got[32];
  int value = 7;
  int n = 0;
  size_t n_nodes = 0;
  void *arguments[] = { &data, &value };

  DO (cudaMalloc (&data, sizeof got));
  DO (cudaStreamCreate (&stream));
  DO (cudaStreamCreate (&other));
  DO (cudaEventCreate (&fork));
  DO (cudaEventCreate (&join));
  DO (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal));
  DO (cudaMemsetAsync (data, 0, sizeof got, stream));
  DO (cudaEventRecord (fork, stream));
  DO (cudaStreamWaitEvent (other, fork, 0));
  add<<<1, 32, 0, other>>> (data, 1);
  DO (cudaEventRecord (join, other));
  DO (cudaStreamWaitEvent (stream, join, 0));
  add<<<1, 32, 0, stream>>> (data, 2);
  DO (cudaLaunchHostFunc (stream, call_back, &n));
  DO (cudaStreamEndCapture (stream, &graph));
  MUST (n == 0);
  DO (cudaGraphInstantiate (&made, graph, 0));
  DO (cudaGraphLaunch (made, stream));
  DO (cudaGraphLaunch (made, stream));
  DO (cudaStreamSynchronize (stream));
  DO (cudaMemcpy (got, data, sizeof got, cudaMemcpyDeviceToHost));
  MUST (n == 2 && got[31] == 3);
  DO (cudaGraphGetNodes (graph, NULL, &n_nodes));
  MUST (n_nodes == 4);
  DO (cudaGraphExecDestroy (made));
  DO (cudaGraphDestroy (graph));

  DO (cudaGraphCreate (&graph, 0));
  node.func = (void *) add;
  node.gridDim = dim3 (1);
  node.blockDim = dim3 (32);
  node.kernelParams = arguments;
  DO (cudaGraphAddKernelNode (&first, graph, NULL, 0, &node));
  DO (cudaGraphAddMemcpyNode1D (&second, graph, &first, 1, got, data, sizeof got,
                                cudaMemcpyDeviceToHost));
  box.srcPtr = make_cudaPitchedPtr (data, sizeof got, 32, 1);
  box.dstPtr = make_cudaPitchedPtr (again, sizeof got, 32, 1);
  box.extent = make_cudaExtent (sizeof got, 1, 1);
  box.kind = cudaMemcpyDeviceToHost;
  DO (cudaGraphAddMemcpyNode (&second, graph, &second, 1, &box));
  DO (cudaGraphInstantiate (&made, graph, 0));
  DO (cudaGraphLaunch (made, stream));
  MUST (got[0] == 10 && again[31] == 10);
  value = 100;
  DO (cudaGraphExecKernelNodeSetParams (made, first, &node));
  DO (cudaGraphLaunch (made, stream));
  MUST (got[0] == 110);
  // Events of a graph order other streams.
  {
    cudaStream_t other;
    cudaEvent_t event;
    cudaGraphNodeType type;

    DO (cudaStreamCreateWithFlags (&other, cudaStreamNonBlocking));
    DO (cudaEventCreate (&event));
    DO (cudaGraphCreate (&graph, 0));
    DO (cudaGraphAddMemcpyNode1D (&first, graph, NULL, 0, data, got, sizeof got,
                                  cudaMemcpyHostToDevice));
    DO (cudaGraphAddEventRecordNode (&second, graph, &first, 1, event));
    DO (cudaGraphNodeGetType (second, &type));
    MUST (type == cudaGraphNodeTypeEventRecord);
    DO (cudaGraphInstantiate (&made, graph, 0));
    DO (cudaGraphLaunch (made, stream));
    DO (cudaStreamWaitEvent (other, event, 0));
    DO (cudaMemcpyAsync (again, data, sizeof got, cudaMemcpyDeviceToHost, other));
    DO (cudaStreamSynchronize (other));
    DO (cudaEventDestroy (event));
    DO (cudaStreamDestroy (other));
  }

  // Memory of a graph's own, which is the same whenever it runs.
  for (int k = 0; k < 2; k++)
    {
      int *inside;

      DO (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal));
      DO (cudaMallocAsync ((void **) &inside, 128, stream));
      DO (cudaMemsetAsync (inside, 1, 128, stream));
      DO (cudaMemcpyAsync (got, inside, 128, cudaMemcpyDeviceToHost, stream));
      if (k == 0)
        DO (cudaFreeAsync (inside, stream));
      DO (cudaStreamEndCapture (stream, &graph));
      DO (cudaGraphInstantiate (&made, graph, 0));
      for (int turn = 0; turn < 2; turn++)
        {
          got[0] = 0;
          DO (cudaGraphLaunch (made, stream));
          DO (cudaStreamSynchronize (stream));
          MUST (got[0] == 0x01010101);
          if (k == 1)
            DO (cudaFree (inside));
        }
    }
}

__global__ void
fetch (cudaTextureObject_t texture, float4 *out)
{
  out[threadIdx.x] = tex1Dfetch<float4> (texture, threadIdx.x);
}

static void
textures ()
{
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  float4 *in, *out;
  float4 got[8];

  DO (cudaMallocManaged (&in, 8 * sizeof *in));
  DO (cudaMalloc (&out, sizeof got));
  for (int i = 0; i < 8; i++)
    in[i] = make_float4 (i, i + 1, i + 2, i + 3);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float4> ();
  resource.res.linear.sizeInBytes = 8 * sizeof *in;
  DO (cudaCreateTextureObject (&texture, &resource, &description, NULL));
  fetch<<<1, 8>>> (texture, out);
  DO (cudaMemcpy (got, out, sizeof got, cudaMemcpyDeviceToHost));
  MUST (got[7].x == 7 && got[7].w == 10);
  DO (cudaDestroyTextureObject (texture));
}

static void
device ()
{
  cudaDeviceProp properties;
  int n = 0;

  DO (cudaGetDeviceCount (&n));
  MUST (n == 1);
  DO (cudaGetDeviceProperties (&properties, 0));
  MUST (properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
  MUST (strstr (properties.name, "emulator") != NULL);
  DO (cudaDeviceGetAttribute (&n, cudaDevAttrMultiProcessorCount, 0));
  MUST (n == properties.multiProcessorCount);
  MUST (cudaSetDevice (1) == cudaErrorInvalidDevice);
  MUST (cudaGetLastError () == cudaErrorInvalidDevice);
}

// Two devices: each has variables of its own, and sees the other's memory.
static void
devices ()
{
  cudaPointerAttributes attributes;
  int *a[2], *b;
  int n = 0, got[2] = { 0 }, can = 0;

  DO (cudaGetDeviceCount (&n));
  MUST (n == 2);
  MUST (cudaSetDevice (2) == cudaErrorInvalidDevice);
  cudaGetLastError ();
  for (int d = 0; d < 2; d++)
    {
      int value = 10 * (d + 1);

      DO (cudaSetDevice (d));
      DO (cudaMalloc (&a[d], 256 * sizeof (int)));
      DO (cudaMemset (a[d], 0, 256 * sizeof (int)));
      DO (cudaMemcpyToSymbol (counter, &value, sizeof value));
      DO (cudaPointerGetAttributes (&attributes, a[d]));
      MUST (attributes.device == d);
    }
  for (int d = 0; d < 2; d++)
    {
      DO (cudaSetDevice (d));
      count_up<<<1, 32 * (d + 1)>>> ();
      DO (cudaMemcpyFromSymbol (&got[d], counter, sizeof got[d]));
    }
  MUST (got[0] == 42 && got[1] == 84);
  DO (cudaDeviceCanAccessPeer (&can, 1, 0));
  MUST (can == 1);
  DO (cudaDeviceEnablePeerAccess (0, 0));
  DO (cudaMemcpyPeer (a[1], 1, a[0], 0, 256 * sizeof (int)));
  scale<<<1, 256>>> (a[0], 3, 256);
  DO (cudaDeviceSynchronize ());
  DO (cudaMallocHost (&b, 4));
  DO (cudaFreeHost (b));
  DO (cudaFree (a[0]));
  DO (cudaFree (a[1]));
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) ();
  } groups[] = {
    { "symbols", symbols },   { "memory", memory },           { "streams", streams },
    { "launches", launches }, { "device-side", device_side }, { "device", device },
    { "graphs", graphs },     { "textures", textures },       { "devices", devices },
    { "structs", structs },   { "lengths", lengths },
  };

  for (const auto &group : groups)
    if (argc > 1 && strcmp (argv[1], group.name) == 0)
      {
        group.run ();
        puts ("as it should be");
        return 0;
      }
  return 2;
}

/* SPDX-License-Identifier: MIT
 * Graphs: what was captured from streams, or added node by node, and is done again in that
 * order. */
#include "exec/client/cured-client-private.h"

#include <stdlib.h>
#include <string.h>

/* A node may only wait for those that were added before it. */
typedef struct Graph
{
  Work *first;
  Work *last;
  size_t n;
} Graph;

static Graph *capture; /* what is captured now */
static const void *origin;
static __thread bool is_captured;

static void
add (Graph *graph, Work *work)
{
  work->index = graph->n++;
  work->next = NULL;
  if (graph->last != NULL)
    graph->last->next = work;
  else
    graph->first = work;
  graph->last = work;
}

/* (transfer full): @work, in memory of its own */
static Work *
copy (const Work *work)
{
  Work *made = malloc (sizeof *made);

  *made = *work;
  if (work->n_packed > 0)
    {
      made->packed = malloc (work->n_packed);
      memcpy (made->packed, work->packed, work->n_packed);
    }
  return made;
}

static Graph *
clone (const Graph *graph)
{
  Graph *made = calloc (1, sizeof *made);

  for (const Work *work = graph->first; work != NULL; work = work->next)
    add (made, copy (work));
  return made;
}

static void
destroy (Graph *graph)
{
  Work *next = NULL;

  for (Work *work = graph->first; work != NULL; work = next)
    {
      next = work->next;
      if (work->n_packed > 0)
        free (work->packed);
      free (work);
    }
  free (graph);
}

/* ---- Capture ---- */

/* The following calls are made on @stream. Streams that wait for one that is captured are captured
 * as well; the default streams are not. */
void
client_on_capture (const void *stream)
{
  is_captured = capture != NULL && (stream == origin || (uintptr_t) stream > 2);
}

bool
client_capture (const Work *work)
{
  if (capture == NULL || !is_captured)
    return false;
  add (capture, copy (work));
  return true;
}

API (cudaStreamBeginCapture, void *stream, int mode)
{
  if (capture != NULL)
    return client_miss ("two captures at once");
  capture = calloc (1, sizeof *capture);
  origin = stream;
  return client_get_error ();
}
API_ALIAS (cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

API (cudaStreamEndCapture, void *stream, Graph **graph)
{
  if (capture == NULL)
    return client_fail (CUDA_INVALID_VALUE);
  *graph = capture;
  capture = NULL;
  return client_get_error ();
}
API_ALIAS (cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

API (cudaStreamIsCapturing, const void *stream, int *status)
{
  *status = capture != NULL && (stream == origin || (uintptr_t) stream > 2);
  return client_get_error ();
}
API_ALIAS (cudaStreamGetCaptureInfo, cudaStreamIsCapturing);
API_ALIAS (cudaStreamGetCaptureInfo_v2, cudaStreamIsCapturing);
API_ALIAS (cudaStreamGetCaptureInfo_v3, cudaStreamIsCapturing);

/* ---- Memory of graphs ---- */

/* It is allocated for good, since it has the same address whenever its graph runs, whoever freed
 * it in between. */
typedef struct Owned
{
  const void *address;
  struct Owned *next;
} Owned;

static Owned *owned;

void
client_own (const void *address)
{
  Owned *made = malloc (sizeof *made);

  client_lock ();
  *made = (Owned){ address, owned };
  owned = made;
  client_unlock ();
}

bool
client_is_owned (const void *address)
{
  bool is_found = false;

  client_lock ();
  for (const Owned *at = owned; at != NULL && !is_found; at = at->next)
    is_found = at->address == address;
  client_unlock ();
  return is_found;
}

/* ---- Nodes ---- */

API (cudaGraphCreate, Graph **graph, unsigned flags)
{
  *graph = calloc (1, sizeof **graph);
  return client_get_error ();
}

static CudaError
add_node (Work **node, Graph *graph, const Work *work)
{
  Work *made = copy (work);

  add (graph, made);
  if (node != NULL)
    *node = made;
  return client_get_error ();
}

/* cudaKernelNodeParams */
typedef struct
{
  const void *function;
  Dim3 grid;
  Dim3 block;
  uint32_t shared_bytes;
  void **arguments;
  void **extra;
} KernelNode;

/* @work: gets memory of its own */
static CudaError
take_kernel (const KernelNode *node, Work *work)
{
  Function *function = client_find_function (node->function);
  CudaError error = CUDA_INVALID_FUNCTION;

  if (function != NULL)
    error = client_resolve (function);
  if (error != CUDA_SUCCESS || node->arguments == NULL)
    return client_fail (error != CUDA_SUCCESS ? error : CUDA_NOT_SUPPORTED);
  work->kind = WORK_LAUNCH;
  work->function = function;
  work->config =
      (Config){ .grid = node->grid, .block = node->block, .shared_bytes = node->shared_bytes };
  work->packed = client_pack (function, node->arguments, NULL, 0);
  work->n_packed = function->info->parameter_bytes;
  return CUDA_SUCCESS;
}

API (cudaGraphAddKernelNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const KernelNode *parameters)
{
  Work work = { 0 };
  CudaError error = take_kernel (parameters, &work);

  if (error == CUDA_SUCCESS)
    {
      error = add_node (node, graph, &work);
      free (work.packed);
    }
  return error;
}

static CudaError
set_kernel (Graph *graph, size_t index, const KernelNode *parameters)
{
  Work *work = graph->first;
  Work changed = { 0 };
  CudaError error = take_kernel (parameters, &changed);

  if (error != CUDA_SUCCESS)
    return error;
  while (work != NULL && work->index != index)
    work = work->next;
  if (work == NULL || work->kind != WORK_LAUNCH)
    return client_fail (CUDA_INVALID_VALUE);
  free (work->packed);
  changed.index = work->index;
  changed.next = work->next;
  *work = changed;
  return client_get_error ();
}

API (cudaGraphKernelNodeSetParams, Work *node, const KernelNode *parameters)
{
  Graph one = { .first = node };

  return set_kernel (&one, node->index, parameters);
}

API (cudaGraphExecKernelNodeSetParams, Graph *graph, const Work *node, const KernelNode *parameters)
{
  return set_kernel (graph, node->index, parameters);
}

API (cudaGraphAddMemcpyNode1D, Work **node, Graph *graph, Work *const *before, size_t n_before,
     void *to, const void *from, size_t size, int kind)
{
  return add_node (node, graph,
                   &(Work){ .kind = WORK_COPY,
                            .to = to,
                            .from = from,
                            .to_pitch = size,
                            .from_pitch = size,
                            .width = size,
                            .n_rows = 1 });
}

/* As if it were captured; of several planes the last one is the node. */
API (cudaGraphAddMemcpyNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const Copy3D *parameters)
{
  Graph *old = capture;
  CudaError error = CUDA_SUCCESS;

  capture = graph;
  is_captured = true;
  error = client_copy_3d (parameters);
  is_captured = false;
  capture = old;
  if (node != NULL)
    *node = graph->last;
  return error;
}

/* cudaMemsetParams */
typedef struct
{
  void *to;
  size_t pitch;
  uint32_t value;
  uint32_t value_bytes;
  size_t width;
  size_t height;
} SetNode;

API (cudaGraphAddMemsetNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const SetNode *parameters)
{
  size_t width = parameters->width * parameters->value_bytes;

  return add_node (node, graph,
                   &(Work){ .kind = WORK_SET,
                            .to = parameters->to,
                            .to_pitch = parameters->height > 1 ? parameters->pitch : width,
                            .value = parameters->value,
                            .value_bytes = parameters->value_bytes,
                            .width = width,
                            .n_rows = parameters->height });
}

/* cudaHostNodeParams */
typedef struct
{
  void (*function) (void *data);
  void *data;
} HostNode;

API (cudaGraphAddHostNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const HostNode *parameters)
{
  return add_node (
      node, graph,
      &(Work){ .kind = WORK_CALL, .call = parameters->function, .data = parameters->data });
}

API (cudaGraphAddEmptyNode, Work **node, Graph *graph, Work *const *before, size_t n_before)
{
  return add_node (node, graph, &(Work){ .kind = WORK_NOTHING });
}

API (cudaGraphAddEventRecordNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     void *event)
{
  return add_node (node, graph, &(Work){ .kind = WORK_RECORD, .data = event });
}

API (cudaGraphAddEventWaitNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     void *event)
{
  return add_node (node, graph, &(Work){ .kind = WORK_WAIT, .data = event });
}

/* cudaMemAllocNodeParams */
typedef struct
{
  char pool[104];
  size_t size;
  void *address;
} AllocateNode;

/* The memory is there from now on, at the same address whenever the graph runs. */
API (cudaGraphAddMemAllocNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     AllocateNode *parameters)
{
  CudaError error = client_allocate (&parameters->address, parameters->size, EXEC_DEVICE_MEMORY);

  if (error != CUDA_SUCCESS)
    return error;
  client_own (parameters->address);
  return add_node (node, graph, &(Work){ .kind = WORK_NOTHING, .to = parameters->address });
}

API (cudaGraphAddMemFreeNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     void *address)
{
  return add_node (node, graph, &(Work){ .kind = WORK_NOTHING, .to = address });
}

API (cudaGraphMemAllocNodeGetParams, const Work *node, AllocateNode *parameters)
{
  memset (parameters, 0, sizeof *parameters);
  parameters->address = node->to;
  return client_get_error ();
}

/* cudaGraphMemAttrUsedMemCurrent and the like: nothing is kept for graphs. */
API (cudaDeviceGetGraphMemAttribute, int device, int attribute, uint64_t *value)
{
  *value = 0;
  return client_check_device (device);
}

API_NOTHING (cudaDeviceSetGraphMemAttribute, int device, int attribute, uint64_t *value)
API_NOTHING (cudaDeviceGraphMemTrim, int device)

API (cudaGraphAddChildGraphNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const Graph *child)
{
  return add_node (node, graph, &(Work){ .kind = WORK_GRAPH, .data = clone (child) });
}

API (cudaGraphAddDependencies, Graph *graph, Work *const *from, Work *const *to, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (from[i]->index > to[i]->index)
      return client_miss ("cudaGraphAddDependencies of a node that was added later");
  return client_get_error ();
}

API (cudaGraphGetNodes, const Graph *graph, Work **nodes, size_t *n)
{
  size_t i = 0;

  for (Work *work = graph->first; work != NULL && nodes != NULL && i < *n; work = work->next)
    nodes[i++] = work;
  *n = nodes != NULL ? i : graph->n;
  return client_get_error ();
}

API (cudaGraphNodeGetType, const Work *node, int *type)
{
  static const int types[] = { 5, 0, 1, 2, 3, 4, 6, 7 };

  *type = types[node->kind];
  return client_get_error ();
}

/* ---- Graphs ---- */

API (cudaGraphClone, Graph **made, const Graph *graph)
{
  *made = clone (graph);
  return client_get_error ();
}

API (cudaGraphInstantiate, Graph **made, const Graph *graph, unsigned long long flags)
{
  *made = clone (graph);
  return client_get_error ();
}
API_ALIAS (cudaGraphInstantiateWithFlags, cudaGraphInstantiate);

API (cudaGraphExecUpdate, Graph *made, const Graph *graph, void *result)
{
  Graph *changed = clone (graph);
  Graph old = *made;

  *made = *changed;
  *changed = old;
  destroy (changed);
  /* cudaGraphExecUpdateSuccess */
  if (result != NULL)
    memset (result, 0, sizeof (int));
  return client_get_error ();
}

API (cudaGraphDestroy, Graph *graph)
{
  destroy (graph);
  return client_get_error ();
}
API_ALIAS (cudaGraphExecDestroy, cudaGraphDestroy);

static CudaError
run (const Graph *graph)
{
  CudaError error = client_get_error ();

  for (const Work *work = graph->first; work != NULL && error == CUDA_SUCCESS; work = work->next)
    switch (work->kind)
      {
      case WORK_LAUNCH:
        error = client_launch (work->function, &work->config, NULL, work->packed, work->n_packed);
        break;
      case WORK_COPY:
        error = client_copy (work->to, work->to_pitch, work->from, work->from_pitch, work->width,
                             work->n_rows);
        break;
      case WORK_SET:
        error = client_set (work->to, work->to_pitch, work->value, work->value_bytes, work->width,
                            work->n_rows);
        break;
      case WORK_CALL:
        work->call (work->data);
        break;
      case WORK_GRAPH:
        error = run (work->data);
        break;
      case WORK_WAIT:
        error = client_wait_event (work->data);
        break;
      case WORK_RECORD:
        error = client_record_event (work->data);
        break;
      case WORK_NOTHING:
      default:
        break;
      }
  return error;
}

API (cudaGraphLaunch, const Graph *graph, void *stream)
{
  client_on (stream);
  if (client_capture (&(Work){ .kind = WORK_GRAPH, .data = clone (graph) }))
    return client_off (CUDA_SUCCESS);
  return client_off (run (graph));
}
API_ALIAS (cudaGraphLaunch_ptsz, cudaGraphLaunch);

API_NOTHING (cudaGraphUpload, Graph *graph, void *stream)

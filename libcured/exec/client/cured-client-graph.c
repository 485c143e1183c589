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

static Graph *clone (const Graph *graph);

/* (transfer full): @work, in memory of its own */
static Work *
copy (const Work *work)
{
  Work *made = malloc (sizeof *made);
  Graph **bodies = NULL;

  *made = *work;
  if (work->n_packed > 0)
    {
      made->packed = malloc (work->n_packed);
      memcpy (made->packed, work->packed, work->n_packed);
    }
  if (work->kind == WORK_CONDITION)
    {
      made->data = bodies = calloc (work->n_rows, sizeof *bodies);
      for (size_t i = 0; i < work->n_rows; i++)
        bodies[i] = clone (((Graph **) work->data)[i]);
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

bool
client_is_capturing (void)
{
  return capture != NULL && is_captured;
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
  if (graph != NULL)
    *graph = capture;
  capture = NULL;
  return client_get_error ();
}
API_ALIAS (cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

/* Behind what the graph has so far. */
API (cudaStreamBeginCaptureToGraph, void *stream, Graph *graph, Work *const *before,
     const void *edges, size_t n_before, int mode)
{
  if (capture != NULL)
    return client_miss ("two captures at once");
  capture = graph;
  origin = stream;
  return client_get_error ();
}

API (cudaStreamIsCapturing, const void *stream, int *status)
{
  *status = capture != NULL && (stream == origin || (uintptr_t) stream > 2);
  return client_get_error ();
}

DRIVER_ALIAS (cuStreamIsCapturing, cudaStreamIsCapturing);

/* Whatever comes next waits for the last node. */
static CudaError
get_capture (const void *stream, int *status, unsigned long long *id, Graph **graph,
             Work *const **before, size_t *n)
{
  cudaStreamIsCapturing (stream, status);
  if (id != NULL)
    *id = (uintptr_t) capture;
  if (graph != NULL)
    *graph = capture;
  if (before != NULL)
    *before = capture != NULL ? &capture->last : NULL;
  if (n != NULL)
    *n = capture != NULL && capture->last != NULL;
  return client_get_error ();
}

API (cudaStreamGetCaptureInfo, const void *stream, int *status, unsigned long long *id,
     Graph **graph, Work *const **before, const void **edges, size_t *n)
{
  return get_capture (stream, status, id, graph, before, n);
}
API_ALIAS (cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);

API (cudaStreamGetCaptureInfo_v2, const void *stream, int *status, unsigned long long *id,
     Graph **graph, Work *const **before, size_t *n)
{
  return get_capture (stream, status, id, graph, before, n);
}

/* Nodes are done in the order in which they were added. */
API_NOTHING (cudaStreamUpdateCaptureDependencies, void *stream, Work **nodes, size_t n,
             unsigned flags)
API_ALIAS (cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies);

/* ---- Memory of graphs ---- */

/* It is allocated for good, since it has the same address whenever its graph runs, whoever freed
 * it in between. */
typedef struct Owned
{
  const void *address;
  struct Owned *next;
} Owned;

static Owned *owned;

CudaError
client_allocate_owned (void **address, size_t size)
{
  Owned *made = malloc (sizeof *made);
  CudaError error = client_allocate (address, size, EXEC_GRAPH_MEMORY);

  client_lock ();
  *made = (Owned){ *address, owned };
  owned = made;
  client_unlock ();
  return error;
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
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  if (node->arguments == NULL && function->info->n_parameters > 0)
    return client_miss ("the arguments of a graph's kernel in one piece");
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
  CudaError error = client_allocate_owned (&parameters->address, parameters->size);

  if (error != CUDA_SUCCESS)
    return error;
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

/* Since CUDA 13, data of edges come before the number: a pointer, mostly NULL. */
#define IS_NUMBER(x) ((x) != 0 && (x) < 4096)

API (cudaGraphAddDependencies, Graph *graph, Work *const *from, Work *const *to, uintptr_t a,
     uintptr_t b)
{
  size_t n = IS_NUMBER (a) ? a : b;

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
  static const int types[] = { 5, 0, 1, 2, 3, 4, 6, 7, 13 };

  *type = types[node->kind];
  return client_get_error ();
}

/* ---- Conditions ---- */

/* A condition's handle is the address of its value, which kernels set. */
typedef struct Condition
{
  void *address;
  unsigned value; /* what a graph begins with */
  struct Condition *next;
} Condition;

static Condition *conditions;

API (cudaGraphConditionalHandleCreate, unsigned long long *handle, Graph *graph, unsigned value,
     unsigned flags)
{
  Condition *made = NULL;
  void *address = NULL;
  CudaError error = client_allocate_owned (&address, sizeof value);

  if (error != CUDA_SUCCESS)
    return error;
  client_set (address, sizeof value, value, sizeof value, sizeof value, 1);
  *handle = (uintptr_t) address;
  /* cudaGraphCondAssignDefault */
  if ((flags & 1) != 0 && (made = malloc (sizeof *made)) != NULL)
    {
      *made = (Condition){ address, value, conditions };
      conditions = made;
    }
  return client_get_error ();
}
API_ALIAS (cudaGraphConditionalHandleCreate_v2, cudaGraphConditionalHandleCreate);

static unsigned *
get_value (const void *address)
{
  return client_get_bytes (address);
}

/* cudaConditionalNodeParams */
typedef struct
{
  unsigned long long handle;
  int32_t type; /* cudaGraphCondTypeIf and so on */
  uint32_t size;
  Graph **bodies;
} ConditionNode;

enum
{
  CONDITION_IF,
  CONDITION_WHILE,
  CONDITION_SWITCH,
};

static CudaError
add_condition (Work **node, Graph *graph, ConditionNode *parameters)
{
  Work *made = NULL;
  Work work = { .kind = WORK_CONDITION,
                .from = (const void *) (uintptr_t) parameters->handle,
                .value = (uint32_t) parameters->type };
  CudaError error = CUDA_INVALID_VALUE;

  if (!client_is_owned (work.from) || parameters->size == 0)
    return client_fail (error);
  error = add_node (&made, graph, &work);
  made->n_rows = parameters->size;
  made->data = parameters->bodies = calloc (parameters->size, sizeof (Graph *));
  for (size_t i = 0; i < made->n_rows; i++)
    parameters->bodies[i] = calloc (1, sizeof (Graph));
  if (node != NULL)
    *node = made;
  return error;
}

static CudaError run (const Graph *graph);

static CudaError
run_condition (const Work *work)
{
  Graph *const *bodies = work->data;
  unsigned value = *get_value (work->from);
  CudaError error = CUDA_SUCCESS;

  if (work->value == CONDITION_SWITCH)
    return value < work->n_rows ? run (bodies[value]) : CUDA_SUCCESS;
  if (work->value == CONDITION_IF && value == 0)
    return work->n_rows > 1 ? run (bodies[1]) : CUDA_SUCCESS;
  do
    error = value != 0 ? run (bodies[0]) : CUDA_SUCCESS;
  while (work->value == CONDITION_WHILE && error == CUDA_SUCCESS &&
         (value = *get_value (work->from)) != 0);
  return error;
}

/* ---- Nodes of any type ---- */

/* cudaGraphNodeParams */
typedef struct
{
  int32_t type;
  int32_t reserved[3];
  union
  {
    KernelNode kernel;
    struct
    {
      int64_t reserved[2];
      Copy3D copy;
    } copy;
    SetNode set;
    HostNode host;
    const Graph *graph;
    void *event;
    ConditionNode condition;
  } of;
} AnyNode;

/* Since CUDA 13, data of edges come before the number: a pointer, mostly NULL. */
API (cudaGraphAddNode, Work **node, Graph *graph, Work *const *before, uintptr_t a, uintptr_t b,
     AnyNode *last)
{
  AnyNode *any = b < 4096 ? last : (AnyNode *) b;

  switch (any->type)
    {
    case 0: /* cudaGraphNodeTypeKernel */
      return cudaGraphAddKernelNode (node, graph, NULL, 0, &any->of.kernel);
    case 1: /* …Memcpy, and so on */
      return cudaGraphAddMemcpyNode (node, graph, NULL, 0, &any->of.copy.copy);
    case 2:
      return cudaGraphAddMemsetNode (node, graph, NULL, 0, &any->of.set);
    case 3:
      return cudaGraphAddHostNode (node, graph, NULL, 0, &any->of.host);
    case 4:
      return cudaGraphAddChildGraphNode (node, graph, NULL, 0, any->of.graph);
    case 5:
      return cudaGraphAddEmptyNode (node, graph, NULL, 0);
    case 6:
      return cudaGraphAddEventWaitNode (node, graph, NULL, 0, any->of.event);
    case 7:
      return cudaGraphAddEventRecordNode (node, graph, NULL, 0, any->of.event);
    case 13: /* cudaGraphNodeTypeConditional */
      return add_condition (node, graph, &any->of.condition);
    default:
      return client_miss ("cudaGraphAddNode of that type");
    }
}
API_ALIAS (cudaGraphAddNode_v2, cudaGraphAddNode);

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
      case WORK_CONDITION:
        error = run_condition (work);
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
  for (const Condition *at = conditions; at != NULL; at = at->next)
    *get_value (at->address) = at->value;
  return client_off (run (graph));
}
API_ALIAS (cudaGraphLaunch_ptsz, cudaGraphLaunch);

API_NOTHING (cudaGraphUpload, Graph *graph, void *stream)

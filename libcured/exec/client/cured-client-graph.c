/* SPDX-License-Identifier: MIT
 * Graphs: work captured from streams, or added node by node, that runs again in that
 * order. */
#include "exec/client/cured-client-private.h"

#include <stdlib.h>
#include <string.h>

/* ---- Nodes ---- */

API (cudaGraphCreate, Graph **graph, unsigned flags)
{
  *graph = calloc (1, sizeof **graph);
  return client_get_error ();
}

static CudaError
add_node (Work **node, Graph *graph, const Work *work)
{
  Work *made = client_copy_work (work);

  client_graph_add (graph, made);
  if (node != NULL)
    *node = made;
  return client_get_error ();
}

/* cudaKernelNodeParams */
typedef struct
{
  const void *function;
  Dim3 grid, block;
  uint32_t shared_bytes;
  void **arguments, **extra;
} KernelNode;

/* @work: gets copies of all data */
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

/* As if captured; with several planes, the last one is the node. */
API (cudaGraphAddMemcpyNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const Copy3D *parameters)
{
  Graph *old = client_capture_into (graph);
  CudaError error = client_copy_3d (parameters);

  client_capture_into (old);
  if (node != NULL)
    *node = graph->last;
  return error;
}

/* cudaMemsetParams */
typedef struct
{
  void *to;
  size_t pitch;
  uint32_t value, value_bytes;
  size_t width, height;
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

/* The memory is allocated now, at the same address for all runs of the graph. */
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
API_GIVES (cudaDeviceGetGraphMemAttribute, (int device, int attribute, uint64_t *value), *value = 0,
           client_check_device (device))

API_NOTHING (cudaDeviceSetGraphMemAttribute, int device, int attribute, uint64_t *value)
API_NOTHING (cudaDeviceGraphMemTrim, int device)

API (cudaGraphAddChildGraphNode, Work **node, Graph *graph, Work *const *before, size_t n_before,
     const Graph *child)
{
  return add_node (node, graph, &(Work){ .kind = WORK_GRAPH, .data = client_graph_clone (child) });
}

/* Since CUDA 13, edge data precede the number: a pointer, mostly NULL. */
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
  unsigned value; /* initial value for a graph */
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
  int32_t type, reserved[3];
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

/* Since CUDA 13, edge data precede the number: a pointer, mostly NULL. */
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
    case 2: return cudaGraphAddMemsetNode (node, graph, NULL, 0, &any->of.set);
    case 3: return cudaGraphAddHostNode (node, graph, NULL, 0, &any->of.host);
    case 4: return cudaGraphAddChildGraphNode (node, graph, NULL, 0, any->of.graph);
    case 5: return cudaGraphAddEmptyNode (node, graph, NULL, 0);
    case 6: return cudaGraphAddEventWaitNode (node, graph, NULL, 0, any->of.event);
    case 7: return cudaGraphAddEventRecordNode (node, graph, NULL, 0, any->of.event);
    case 13: /* cudaGraphNodeTypeConditional */
      return add_condition (node, graph, &any->of.condition);
    default: return client_miss ("cudaGraphAddNode of that type");
    }
}
API_ALIAS (cudaGraphAddNode_v2, cudaGraphAddNode);

/* ---- Graphs ---- */

API (cudaGraphClone, Graph **made, const Graph *graph)
{
  *made = client_graph_clone (graph);
  return client_get_error ();
}

API (cudaGraphInstantiate, Graph **made, const Graph *graph, unsigned long long flags)
{
  *made = client_graph_clone (graph);
  return client_get_error ();
}
API_ALIAS (cudaGraphInstantiateWithFlags, cudaGraphInstantiate);

API (cudaGraphExecUpdate, Graph *made, const Graph *graph, void *result)
{
  Graph *changed = client_graph_clone (graph);
  Graph old = *made;

  *made = *changed;
  *changed = old;
  client_graph_destroy (changed);
  /* cudaGraphExecUpdateSuccess */
  if (result != NULL)
    memset (result, 0, sizeof (int));
  return client_get_error ();
}

API (cudaGraphDestroy, Graph *graph)
{
  client_graph_destroy (graph);
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
      case WORK_CALL: work->call (work->data); break;
      case WORK_GRAPH: error = run (work->data); break;
      case WORK_CONDITION: error = run_condition (work); break;
      case WORK_WAIT: error = client_wait_event (work->data); break;
      case WORK_RECORD: error = client_record_event (work->data); break;
      case WORK_NOTHING:
      default: break;
      }
  return error;
}

API (cudaGraphLaunch, const Graph *graph, void *stream)
{
  client_on (stream);
  if (client_capture (&(Work){ .kind = WORK_GRAPH, .data = client_graph_clone (graph) }))
    return client_off (CUDA_SUCCESS);
  for (const Condition *at = conditions; at != NULL; at = at->next)
    *get_value (at->address) = at->value;
  return client_off (run (graph));
}
API_ALIAS (cudaGraphLaunch_ptsz, cudaGraphLaunch);

API_NOTHING (cudaGraphUpload, Graph *graph, void *stream)

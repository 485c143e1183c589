// SPDX-License-Identifier: MIT
// Graphs whose nodes run, or run again, as a kernel says. The other part of nested.cu.
#include <cstdlib>

#include "nested.cuh"

__global__ void
step (int *left, cudaGraphConditionalHandle again, cudaGraphConditionalHandle which)
{
  if (--*left == 0)
    cudaGraphSetConditional (again, 0);
  cudaGraphSetConditional (which, *left % 3);
  if (*left < 0)
    printf ("%d is below zero\n", *left);
}

static cudaGraph_t *
add_condition (cudaGraph_t graph, cudaGraphConditionalHandle handle,
               cudaGraphConditionalNodeType type, unsigned size)
{
  cudaGraphNodeParams parameters = { cudaGraphNodeTypeConditional };
  cudaGraphNode_t node;

  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
#if CUDART_VERSION >= 13000
  DO (cudaGraphAddNode (&node, graph, NULL, NULL, 0, &parameters));
#else
  DO (cudaGraphAddNode (&node, graph, NULL, 0, &parameters));
#endif
  return parameters.conditional.phGraph_out;
}

static void
capture (cudaGraph_t graph, int *data, int what)
{
  cudaStream_t stream;
  cudaGraph_t same = NULL;

  DO (cudaStreamCreate (&stream));
  DO (cudaStreamBeginCaptureToGraph (stream, graph, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>> (data, what);
  DO (cudaStreamEndCapture (stream, &same));
  MUST (same == graph);
  DO (cudaStreamDestroy (stream));
}

/* Seven steps; of their numbers 6 to 0, three leave 0 when divided by 3, two 1 and two 2. */
void
conditions ()
{
  cudaGraphConditionalHandle again, which;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStream_t stream;
  int *left, *data;
  int got[64];

  DO (cudaMalloc (&left, sizeof *left));
  DO (cudaMalloc (&data, sizeof got));
  DO (cudaGraphCreate (&graph, 0));
  DO (cudaGraphConditionalHandleCreate (&again, graph, 1, cudaGraphCondAssignDefault));
  DO (cudaGraphConditionalHandleCreate (&which, graph));
  cudaGraph_t body = *add_condition (graph, again, cudaGraphCondTypeWhile, 1);
  DO (cudaStreamCreate (&stream));
  DO (cudaStreamBeginCaptureToGraph (stream, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
  step<<<1, 1, 0, stream>>> (left, again, which);
  DO (cudaStreamEndCapture (stream, NULL));
  cudaGraph_t *cases = add_condition (body, which, cudaGraphCondTypeSwitch, 2);
  capture (cases[0], data, 1);
  capture (cases[1], data, 100);
  cudaGraph_t *ways = add_condition (body, which, cudaGraphCondTypeIf, 2);
  capture (ways[0], data + 32, 1);
  capture (ways[1], data + 32, 100);
  DO (cudaGraphInstantiate (&made, graph, 0));
  for (int turn = 1; turn <= 2; turn++)
    {
      int seven = 7;

      DO (cudaMemcpy (left, &seven, sizeof seven, cudaMemcpyHostToDevice));
      DO (cudaMemset (data, 0, sizeof got));
      DO (cudaGraphLaunch (made, stream));
      DO (cudaStreamSynchronize (stream));
      DO (cudaMemcpy (got, data, sizeof got, cudaMemcpyDeviceToHost));
      MUST (got[0] == 3 + 200 && got[31] == 203);
      MUST (got[32] == 4 + 300);
    }
  DO (cudaGraphExecDestroy (made));
  DO (cudaGraphDestroy (graph));
  DO (cudaStreamDestroy (stream));
  DO (cudaFree (left));
  DO (cudaFree (data));
}

/* SPDX-License-Identifier: MIT
 * The contents of graphs, and their capture from streams. */
#include "exec/client/cured-client-private.h"

#include <stdlib.h>
#include <string.h>

static Graph *capture; /* the graph being captured */
static const void *origin;
static __thread bool is_captured;

void
client_graph_add (Graph *graph, Work *work)
{
  work->index = graph->n++;
  work->next = NULL;
  if (graph->last != NULL)
    graph->last->next = work;
  else
    graph->first = work;
  graph->last = work;
}

/* (transfer full): a deep copy of @work */
Work *
client_copy_work (const Work *work)
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
        bodies[i] = client_graph_clone (((Graph **) work->data)[i]);
    }
  return made;
}

Graph *
client_graph_clone (const Graph *graph)
{
  Graph *made = calloc (1, sizeof *made);

  for (const Work *work = graph->first; work != NULL; work = work->next)
    client_graph_add (made, client_copy_work (work));
  return made;
}

void
client_graph_destroy (Graph *graph)
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

/* The following calls are made on @stream. Streams that wait for a captured one are captured as
 * well; the default streams are not. */
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
  client_graph_add (capture, client_copy_work (work));
  return true;
}

bool
client_is_capturing (void)
{
  return capture != NULL && is_captured;
}

/* Adds all following work to @graph; returns the previous one. */
Graph *
client_capture_into (Graph *graph)
{
  Graph *old = capture;

  capture = graph;
  is_captured = graph != NULL && !is_captured;
  return old;
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

/* Appends to the graph's existing nodes. */
API (cudaStreamBeginCaptureToGraph, void *stream, Graph *graph, Work *const *before,
     const void *edges, size_t n_before, int mode)
{
  if (capture != NULL)
    return client_miss ("two captures at once");
  capture = graph;
  origin = stream;
  return client_get_error ();
}

API_GIVES (cudaStreamIsCapturing, (const void *stream, int *status),
           *status = capture != NULL && (stream == origin || (uintptr_t) stream > 2),
           client_get_error ())

DRIVER_ALIAS (cuStreamIsCapturing, cudaStreamIsCapturing);

/* The next node depends on the last one. */
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

API_IS (cudaStreamGetCaptureInfo,
        (const void *stream, int *status, unsigned long long *id, Graph **graph,
         Work *const **before, const void **edges, size_t *n),
        get_capture (stream, status, id, graph, before, n))
API_ALIAS (cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);

API_IS (cudaStreamGetCaptureInfo_v2,
        (const void *stream, int *status, unsigned long long *id, Graph **graph,
         Work *const **before, size_t *n),
        get_capture (stream, status, id, graph, before, n))

/* Nodes run in the order in which they were added. */
API_NOTHING (cudaStreamUpdateCaptureDependencies, void *stream, Work **nodes, size_t n,
             unsigned flags)
API_ALIAS (cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies);

/* SPDX-License-Identifier: MIT
 * The runtime's streams and events. All work is done immediately; the emulator is told which work a
 * chip might reorder. */
#include "exec/client/cured-client-private.h"

#include <math.h>
#include <stdlib.h>

/* Before these are the default stream and the per-thread one; from here on, the program's. */
#define FIRST_STREAM 2

/* Whether the program has made streams. */
static bool has_streams;

static __thread uint64_t current;
static __thread bool is_async;

typedef struct
{
  uint32_t flags;
  int32_t priority;
  uint64_t id;
  int32_t device;
} Stream;

/* ---- Ordering ---- */

/* The default streams are small numbers. */
static uint64_t
get_id (const void *stream)
{
  return (uintptr_t) stream > 2 ? ((const Stream *) stream)->id + FIRST_STREAM
                                : (uint64_t) (stream == (const void *) 2);
}

static CudaError
order (ExecOrder what, uint64_t a, uint64_t b)
{
  ExecCall call = { .op = EXEC_ORDER, .x = { what, a, b } };

  if (has_streams)
    client_call (&call, NULL, NULL, 0, NULL, NULL);
  return client_get_error ();
}

CudaError
client_record_event (const void *event)
{
  return order (EXEC_ORDER_RECORD, (uintptr_t) event, current);
}

CudaError
client_wait_event (const void *event)
{
  return order (EXEC_ORDER_WAIT, current, (uintptr_t) event);
}

void
client_wait_for (const void *stream)
{
  order (EXEC_ORDER_SYNC_STREAM, get_id (stream), 0);
}

void
client_synchronize (void)
{
  order (EXEC_ORDER_SYNC_ALL, 0, 0);
}

/* Names the stream of the next launch or copy. No other thread comes between
 * until client_end_work (). */
void
client_begin_work (Waiting waiting)
{
  char frames[CLIENT_FRAMES_BYTES];
  ExecCall call = { .op = EXEC_ORDER,
                    .x = { EXEC_ORDER_NEXT, current,
                           waiting == WAITING_ALWAYS || (waiting == WAITING_PLAIN && !is_async) } };

  client_lock ();
  if (has_streams)
    client_call (&call, NULL, frames, client_get_frames (frames), NULL, NULL);
}

void
client_end_work (void)
{
  client_unlock ();
}

/* The calls up to client_off () are made on @stream. */
void
client_on (const void *stream)
{
  current = get_id (stream);
  has_streams |= current != 0;
  is_async = true;
  client_on_capture (stream);
}

CudaError
client_off (CudaError error)
{
  current = 0;
  is_async = false;
  client_on_capture (NULL);
  return error;
}

/* ---- Streams ---- */

CudaError
client_make_stream (void **stream, unsigned flags, int priority)
{
  static uint64_t last;
  CudaError error = client_check_device (0);
  Stream *made = error == CUDA_SUCCESS ? calloc (1, sizeof *made) : NULL;

  if (made == NULL)
    return error;
  *made = (Stream){ flags, priority, __atomic_add_fetch (&last, 1, __ATOMIC_RELAXED),
                    client_get_current () };
  *stream = made;
  has_streams = true;
  order (EXEC_ORDER_STREAM, get_id (made), (flags & 1) == 0);
  return CUDA_SUCCESS;
}

API_IS (cudaStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
        client_make_stream (stream, flags, priority))

API (cudaStreamCreate, void **stream) { return client_make_stream (stream, 0, 0); }

API_IS (cudaStreamCreateWithFlags, (void **stream, unsigned flags),
        client_make_stream (stream, flags, 0))

API (cudaStreamDestroy, Stream *stream)
{
  if ((uintptr_t) stream > 2)
    free (stream);
  return client_check_device (0);
}

API_GIVES (cudaStreamGetFlags, (const Stream *stream, unsigned *flags),
           *flags = (uintptr_t) stream > 2 ? stream->flags : 0, client_check_device (0))
API_GIVES (cudaStreamGetPriority, (const Stream *stream, int *priority),
           *priority = (uintptr_t) stream > 2 ? stream->priority : 0, client_check_device (0))
API_GIVES (cudaStreamGetId, (const Stream *stream, unsigned long long *id),
           *id = (uintptr_t) stream > 2 ? stream->id + 2 : (uintptr_t) stream,
           client_check_device (0))
API_GIVES (cudaStreamGetDevice, (const Stream *stream, int *device),
           *device = (uintptr_t) stream > 2 ? stream->device : client_get_current (),
           client_check_device (0))
API_IS (cudaStreamSynchronize, (void *stream), order (EXEC_ORDER_SYNC_STREAM, get_id (stream), 0))
API_ALIAS (cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
API (cudaStreamQuery, void *stream) { return order (EXEC_ORDER_SYNC_STREAM, get_id (stream), 0); }
API_IS (cudaStreamWaitEvent, (void *stream, void *event, unsigned flags),
        order (EXEC_ORDER_WAIT, get_id (stream), (uintptr_t) event))
API_NOTHING (cudaStreamSetAttribute, void *stream, int attribute, const void *value)
API_NOTHING (cudaStreamCopyAttributes, void *to, void *from)
API_NOTHING (cudaThreadExchangeStreamCaptureMode, int *mode)

/* ---- Events ---- */

API (cudaEventCreateWithFlags, void **event, unsigned flags)
{
  CudaError error = client_check_device (0);

  *event = error == CUDA_SUCCESS ? calloc (1, 8) : NULL;
  return error;
}

API (cudaEventCreate, void **event) { return cudaEventCreateWithFlags (event, 0); }

API_GIVES (cudaEventDestroy, (void *event), free (event), client_check_device (0))

/* The emulator has no time, and any number would be misleading. */
API (cudaEventElapsedTime, float *ms, void *begin, void *end)
{
  *ms = NAN;
  client_note (EXEC_NOTE_NO_TIME, "cudaEventElapsedTime");
  return client_get_error ();
}
API_ALIAS (cudaEventElapsedTime_v2, cudaEventElapsedTime);

API_IS (cudaEventRecord, (void *event, void *stream),
        order (EXEC_ORDER_RECORD, (uintptr_t) event, get_id (stream)))
API_ALIAS (cudaEventRecord_ptsz, cudaEventRecord);
API_IS (cudaEventRecordWithFlags, (void *event, void *stream, unsigned flags),
        order (EXEC_ORDER_RECORD, (uintptr_t) event, get_id (stream)))
API_IS (cudaEventSynchronize, (void *event), order (EXEC_ORDER_SYNC_EVENT, (uintptr_t) event, 0))
API (cudaEventQuery, void *event) { return order (EXEC_ORDER_SYNC_EVENT, (uintptr_t) event, 0); }

/* ---- The driver's names ---- */

DRIVER_ALIAS (cuStreamDestroy_v2, cudaStreamDestroy);
DRIVER_ALIAS (cuStreamSynchronize, cudaStreamSynchronize);
DRIVER_ALIAS (cuStreamQuery, cudaStreamQuery);
DRIVER_ALIAS (cuStreamWaitEvent, cudaStreamWaitEvent);
DRIVER_ALIAS (cuEventCreate, cudaEventCreateWithFlags);
DRIVER_ALIAS (cuEventDestroy_v2, cudaEventDestroy);
DRIVER_ALIAS (cuEventRecord, cudaEventRecord);
DRIVER_ALIAS (cuEventSynchronize, cudaEventSynchronize);
DRIVER_ALIAS (cuEventQuery, cudaEventQuery);

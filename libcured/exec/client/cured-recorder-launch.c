/* SPDX-License-Identifier: MIT
 * Launches on a real GPU: times by events, and the inputs of the first launch of each kind, to be
 * saved. */
#include "exec/client/cured-recorder-private.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "exec/client/cured-wire-private.h"

/* Limit of launches whose times are not known yet. */
#define N_SLOTS 256

/* Limit of times in one message, and of their delay. */
#define MAX_TIMES   256
#define FLUSH_NS    50000000
#define MAX_BUFFERS 64

/* Limit of a saved launch's buffers. */
#define MAX_SAVED_BYTES ((uint64_t) 512 << 20)

#define MAX_PARAMETERS 512
#define BLOCK_BYTES    32768 /* no parameter block is larger */

typedef struct Kernel
{
  Handle handle;
  uint32_t id;
  bool is_wanted; /* its launches are saved, and its PTX is known */
  bool is_kernel; /* CUkernel */
  Handle module;  /* or library */
  uint64_t module_id;
  uint32_t n_parameters, n_bytes;
  struct
  {
    uint32_t offset, size;
  } parameters[MAX_PARAMETERS];
  struct Kernel *next;
} Kernel;

typedef struct
{
  enum
  {
    SLOT_FREE,
    SLOT_OPEN, /* the launch is being made */
    SLOT_PENDING,
  } state;
  Handle context, begin, end;
  ExecLaunch shape;
} Slot;

/* An allocation that a launch points into. */
typedef struct
{
  uint64_t address, size;
  uint64_t copy; /* the address of its copy */
} Buffer;

/* A launch that is being saved. */
typedef struct
{
  const Kernel *kernel;
  Buffer buffers[MAX_BUFFERS];
  uint32_t n_buffers;
  uint64_t n_bytes;
  const char *why; /* (nullable): it can't be saved */
  int error;       /* error of the driver's function @why */
  uint8_t block[sizeof (ExecLaunch) + BLOCK_BYTES];
} Saved;

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int connection = -1;
static pid_t process; /* the process with the device; a forked child has none */
static bool is_started;
static bool is_saving;
static uint8_t *alias; /* mapping of the memory for copies */
static Kernel *kernels;
static uint64_t *seen; /* hashes of kinds of launches that were saved */
static size_t n_seen;
static Slot slots[N_SLOTS];
static unsigned head; /* the next one to be used */
static unsigned tail; /* the oldest one that is pending */
static ExecTime times[MAX_TIMES];
static uint32_t n_times;
static int64_t flushed_ns;

/* ---- Messages ---- */

/* FALSE if refused, or Cured has ended; then nothing more is recorded. */
static bool
ask (ExecCall *call, const void *data, uint32_t n_data, const void *more, size_t n_more,
     ExecReply *reply, void **bytes)
{
  ExecReply spare;
  void *text = NULL;

  if (connection < 0)
    return false;
  if (reply == NULL)
    reply = &spare;
  call->n_bytes = n_data;
  if (!wire_exchange (connection, call, data, more, n_more, reply, &text, NULL))
    {
      close (connection);
      connection = -1;
      return false;
    }
  if (bytes != NULL && reply->error == 0)
    *bytes = text;
  else
    free (text);
  return reply->error == 0;
}

/* Reports why a launch was not saved. */
static void
say_why (const char *why, int error)
{
  char text[128];
  int n = error != 0 ? snprintf (text, sizeof text, "%s: %d\n", why, error)
                     : snprintf (text, sizeof text, "%s\n", why);
  ExecCall call = { .op = EXEC_NOTE, .x = { EXEC_NOTE_NOT_SAVED } };

  ask (&call, text, (uint32_t) n, NULL, 0, NULL, NULL);
}

static bool
begin (void)
{
  const char *path = getenv (EXEC_SOCKET_VARIABLE);
  ExecCall call = { .op = EXEC_HELLO, .x = { EXEC_VERSION, (uint64_t) getpid () } };
  ExecReply reply;
  void *bytes = NULL;
  int fd = -1;

  if (is_started)
    return connection >= 0 && process == getpid ();
  is_started = true;
  process = getpid ();
  if (path == NULL || recorder_get_driver () == NULL || (connection = wire_connect (path)) < 0)
    return false;
  if (!wire_exchange (connection, &call, NULL, NULL, 0, &reply, &bytes, &fd) || reply.error != 0 ||
      fd < 0)
    {
      close (connection);
      connection = -1;
      return false;
    }
  free (bytes);
  alias = mmap (NULL, EXEC_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close (fd);
  is_saving = recorder_is_saving () && alias != MAP_FAILED;
  return true;
}

/* Known before there is a connection: images are loaded early. */
bool
recorder_is_saving (void)
{
  return getenv (EXEC_SAVE_VARIABLE) != NULL;
}

static void *
get_bytes (uint64_t copy)
{
  return alias + (copy - EXEC_MEMORY_FIRST);
}

/* ---- Times ---- */

static int64_t
get_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
flush (void)
{
  ExecCall call = { .op = EXEC_TIMES };

  flushed_ns = get_now_ns ();
  if (n_times > 0)
    ask (&call, times, (uint32_t) (n_times * sizeof *times), NULL, 0, NULL, NULL);
  n_times = 0;
}

static void
add_time (const ExecLaunch *shape, double ns)
{
  times[n_times++] = (ExecTime){ *shape, ns };
  if (n_times == MAX_TIMES)
    flush ();
}

void
recorder_collect (bool is_all)
{
  const Driver *driver = recorder_get_driver ();

  pthread_mutex_lock (&mutex);
  while (tail != head && slots[tail].state == SLOT_PENDING)
    {
      Slot *slot = &slots[tail];
      float ms = 0;
      int error =
          is_all ? driver->cuEventSynchronize (slot->end) : driver->cuEventQuery (slot->end);

      if (error != 0 && !is_all)
        break;
      if (error == 0)
        error = driver->cuEventElapsedTime (&ms, slot->begin, slot->end);
      add_time (&slot->shape, error == 0 ? 1e6 * (double) ms : -1);
      slot->state = SLOT_FREE;
      tail = (tail + 1) % N_SLOTS;
    }
  if (n_times > 0 && (is_all || get_now_ns () - flushed_ns > FLUSH_NS))
    flush ();
  pthread_mutex_unlock (&mutex);
}

void
recorder_end (void)
{
  if (process != getpid ())
    return;
  pthread_mutex_lock (&mutex);
  /* The driver may already be unloaded: launches still in flight get no time. */
  for (; tail != head; tail = (tail + 1) % N_SLOTS)
    if (slots[tail].state == SLOT_PENDING)
      add_time (&slots[tail].shape, -1);
  flush ();
  pthread_mutex_unlock (&mutex);
}

/* A slot whose first event has been recorded. (nullable): NULL: this launch is not timed */
static Slot *
open_slot (const Launch *launch, const ExecLaunch *shape)
{
  const Driver *driver = recorder_get_driver ();
  Handle context = NULL;
  Slot *slot = &slots[head];
  int status = 1;

  if (driver->cuStreamIsCapturing[launch->is_own_stream](launch->stream, &status) != 0 ||
      status != 0)
    return NULL;
  recorder_collect (false);
  if ((head + 1) % N_SLOTS == tail)
    {
      if (slots[tail].state == SLOT_PENDING)
        driver->cuEventSynchronize (slots[tail].end);
      recorder_collect (false);
    }
  if (slot->state != SLOT_FREE || (head + 1) % N_SLOTS == tail ||
      driver->cuCtxGetCurrent (&context) != 0)
    return NULL;
  if (slot->context != context && slot->context != NULL)
    {
      driver->cuEventDestroy (slot->begin);
      driver->cuEventDestroy (slot->end);
    }
  if (slot->context != context &&
      (driver->cuEventCreate (&slot->begin, 0) != 0 || driver->cuEventCreate (&slot->end, 0) != 0))
    {
      slot->context = NULL;
      return NULL;
    }
  slot->context = context;
  slot->shape = *shape;
  if (driver->cuEventRecord[launch->is_own_stream](slot->begin, launch->stream) != 0)
    return NULL;
  slot->state = SLOT_OPEN;
  head = (head + 1) % N_SLOTS;
  return slot;
}

static void
close_slot (const Launch *launch, Slot *slot, int error)
{
  const Driver *driver = recorder_get_driver ();

  /* A launch that failed keeps its slot, so that the events stay in order, and has no time. */
  driver->cuEventRecord[launch->is_own_stream](slot->end, launch->stream);
  slot->state = SLOT_PENDING;
  if (error != 0)
    slot->shape.function = EXEC_NO_FUNCTION;
}

/* ---- Kernels ---- */

void
recorder_forget (void)
{
  pthread_mutex_lock (&mutex);
  for (Kernel *kernel = kernels; kernel != NULL; kernel = kernel->next)
    kernel->handle = NULL;
  pthread_mutex_unlock (&mutex);
}

static bool
get_parameter (const Kernel *self, size_t i, size_t *offset, size_t *size)
{
  const Driver *driver = recorder_get_driver ();

  if (self->is_kernel)
    return driver->cuKernelGetParamInfo != NULL &&
           driver->cuKernelGetParamInfo (self->handle, i, offset, size) == 0;
  return driver->cuFuncGetParamInfo != NULL &&
         driver->cuFuncGetParamInfo (self->handle, i, offset, size) == 0;
}

static void
find_parameters (Kernel *self)
{
  size_t offset = 0, size = 0;

  while (self->n_parameters < MAX_PARAMETERS &&
         get_parameter (self, self->n_parameters, &offset, &size))
    {
      self->parameters[self->n_parameters].offset = (uint32_t) offset;
      self->parameters[self->n_parameters++].size = (uint32_t) size;
      self->n_bytes = (uint32_t) (offset + size);
    }
}

/* Tells Cured of the device code of a kernel that may be saved. */
static bool
load (Kernel *self)
{
  const Driver *driver = recorder_get_driver ();
  ExecCall call = { .op = EXEC_LOAD };
  ExecReply reply;
  const void *image = NULL;
  size_t n_bytes = 0;
  int error = -1;

  if (self->is_kernel && driver->cuKernelGetLibrary != NULL)
    error = driver->cuKernelGetLibrary (&self->module, self->handle);
  else if (!self->is_kernel && driver->cuFuncGetModule != NULL)
    error = driver->cuFuncGetModule (&self->module, self->handle);
  if (error != 0 || (image = recorder_get_image (self->module, &n_bytes)) == NULL)
    return false;
  /* Reuse a module that was loaded before. */
  for (const Kernel *other = kernels; other != NULL; other = other->next)
    if (other->handle != NULL && other->module == self->module &&
        other->module_id != EXEC_NO_MODULE)
      {
        self->module_id = other->module_id;
        return true;
      }
  if (!ask (&call, NULL, 0, image, n_bytes, &reply, NULL))
    return false;
  self->module_id = reply.x[0];
  return true;
}

static Kernel *
get_kernel (Handle handle)
{
  const Driver *driver = recorder_get_driver ();
  ExecCall call = { .op = EXEC_FUNCTION };
  ExecReply reply;
  ExecFunction *info = NULL;
  const char *name = NULL;
  Kernel *kernel = kernels;

  while (kernel != NULL && kernel->handle != handle)
    kernel = kernel->next;
  if (kernel != NULL || (kernel = calloc (1, sizeof *kernel)) == NULL)
    return kernel;
  kernel->handle = handle;
  kernel->id = EXEC_NO_FUNCTION;
  kernel->module_id = EXEC_NO_MODULE;
  if (driver->cuFuncGetName == NULL || driver->cuFuncGetName (&name, handle) != 0)
    {
      kernel->is_kernel = true;
      if (driver->cuKernelGetName == NULL || driver->cuKernelGetName (&name, handle) != 0)
        name = "?";
    }
  if (is_saving)
    {
      find_parameters (kernel);
      kernel->is_wanted = load (kernel);
    }
  kernel->next = kernels;
  kernels = kernel;
  call.x[0] = kernel->module_id;
  if (!ask (&call, name, (uint32_t) strlen (name), NULL, 0, &reply, (void **) &info) &&
      kernel->module_id != EXEC_NO_MODULE)
    {
      kernel->is_wanted = false;
      call = (ExecCall){ .op = EXEC_FUNCTION, .x = { EXEC_NO_MODULE } };
      ask (&call, name, (uint32_t) strlen (name), NULL, 0, &reply, (void **) &info);
    }
  if (info != NULL)
    {
      kernel->id = info->id;
      kernel->is_wanted = kernel->is_wanted && reply.x[0] != 0;
    }
  free (info);
  return kernel;
}

/* ---- Inputs of a launch ---- */

/* Whether this is the first launch of a kernel and geometry. */
static bool
is_new (const Kernel *kernel, const ExecLaunch *shape)
{
  const uint8_t *bytes = (const uint8_t *) shape;
  uint64_t hash = UINT64_C (14695981039346656037);

  /* FNV-1a */
  for (size_t i = 0; i < sizeof *shape; i++)
    hash = (hash ^ bytes[i]) * UINT64_C (1099511628211);
  hash ^= (uint64_t) kernel->id << 32;
  for (size_t i = 0; i < n_seen; i++)
    if (seen[i] == hash)
      return false;
  uint64_t *larger = realloc (seen, (n_seen + 1) * sizeof *seen);
  if (larger == NULL)
    return false;
  seen = larger;
  seen[n_seen++] = hash;
  return true;
}

static void
leave (Saved *self, const char *why, int error)
{
  if (self->why == NULL)
    {
      self->why = why;
      self->error = error;
    }
}

static Buffer *
find_buffer (Saved *self, uint64_t address)
{
  for (uint32_t i = 0; i < self->n_buffers; i++)
    if (address - self->buffers[i].address < self->buffers[i].size)
      return &self->buffers[i];
  return NULL;
}

/* (nullable): the allocation that a word of the parameters, or of a buffer, points into. */
static Buffer *
take_buffer (Saved *self, uint64_t word)
{
  const Driver *driver = recorder_get_driver ();
  Buffer *buffer = find_buffer (self, word);
  ExecCall call = { .op = EXEC_ALLOCATE };
  ExecReply reply;
  uint64_t address = 0;
  size_t size = 0;

  if (buffer != NULL || word < 4096 || driver->cuMemGetAddressRange (&address, &size, word) != 0 ||
      size == 0)
    return buffer;
  call.x[0] = size;
  self->n_bytes += size;
  if (self->n_buffers == MAX_BUFFERS)
    leave (self, "it points into more than 64 allocations", 0);
  else if (self->n_bytes > MAX_SAVED_BYTES || !ask (&call, "", 1, NULL, 0, &reply, NULL))
    leave (self, "its allocations have more than 512 MiB", 0);
  if (self->why != NULL)
    return NULL;
  buffer = &self->buffers[self->n_buffers++];
  *buffer = (Buffer){ address, size, reply.x[0] };
  return buffer;
}

static void
copy_buffers (Saved *self)
{
  const Driver *driver = recorder_get_driver ();

  for (uint32_t i = 0; i < self->n_buffers; i++)
    {
      const Buffer *buffer = &self->buffers[i];
      int error = driver->cuMemcpyDtoH (get_bytes (buffer->copy), buffer->address, buffer->size);

      if (error != 0)
        leave (self, "cuMemcpyDtoH", error);
    }
}

/* Words that are addresses of the device become addresses of a copy, so that Cured sees that a
 * buffer holds addresses. */
static void
mark_addresses (Saved *self, uint64_t copy, uint64_t size)
{
  uint64_t *words = get_bytes (copy);

  for (uint64_t i = 0; i < size / sizeof *words && self->n_buffers > 0; i++)
    if (words[i] != 0 && words[i] >> 40 == self->buffers[0].address >> 40)
      {
        const Driver *driver = recorder_get_driver ();
        const Buffer *buffer = find_buffer (self, words[i]);
        uint64_t address = 0;
        size_t n = 0;

        if (buffer != NULL)
          words[i] = buffer->copy + (words[i] - buffer->address);
        else if (driver->cuMemGetAddressRange (&address, &n, words[i]) == 0)
          words[i] = self->buffers[0].copy;
      }
}

/* Copies the module's variables before the launch. */
static void
copy_variables (Saved *self)
{
  const Driver *driver = recorder_get_driver ();
  const Kernel *kernel = self->kernel;

  for (uint64_t i = 0;; i++)
    {
      ExecCall call = { .op = EXEC_VARIABLES, .x = { kernel->module_id, i } };
      ExecReply reply;
      void *name = NULL;
      uint64_t address = 0;
      size_t size = 0;

      if (!ask (&call, NULL, 0, NULL, 0, &reply, &name))
        return;
      int error = kernel->is_kernel
                      ? driver->cuLibraryGetGlobal (&address, &size, kernel->module, name)
                      : driver->cuModuleGetGlobal (&address, &size, kernel->module, name);
      if (error == 0 && size == reply.x[1] &&
          driver->cuMemcpyDtoH (get_bytes (reply.x[0]), address, size) == 0)
        mark_addresses (self, reply.x[0], size);
      free (name);
    }
}

/* The parameter block, with addresses of copies in it. */
static void
pack (Saved *self, const Launch *launch)
{
  const Kernel *kernel = self->kernel;
  uint8_t *block = self->block + sizeof (ExecLaunch);
  size_t n = kernel->n_bytes;
  const void *packed = NULL;
  size_t n_packed = 0;

  if (n > BLOCK_BYTES)
    {
      leave (self, "its parameters are more than 32 KiB", 0);
      return;
    }
  /* CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE; a NULL ends them. */
  for (size_t i = 0; launch->arguments == NULL && launch->extra != NULL &&
                     launch->extra[i] != NULL && launch->extra[i + 1] != NULL;
       i += 2)
    if (launch->extra[i] == (void *) 1)
      packed = launch->extra[i + 1];
    else if (launch->extra[i] == (void *) 2)
      n_packed = *(const size_t *) launch->extra[i + 1];
  if (packed != NULL)
    memcpy (block, packed, n_packed < n ? n_packed : n);
  for (uint32_t i = 0; launch->arguments != NULL && i < kernel->n_parameters; i++)
    memcpy (block + kernel->parameters[i].offset, launch->arguments[i], kernel->parameters[i].size);
  for (size_t i = 0; i + 8 <= n; i += 8)
    {
      uint64_t word = 0;

      memcpy (&word, block + i, sizeof word);
      const Buffer *buffer = take_buffer (self, word);
      if (buffer != NULL)
        {
          word = buffer->copy + (word - buffer->address);
          memcpy (block + i, &word, sizeof word);
        }
    }
}

static void
free_saved (Saved *self)
{
  for (uint32_t i = 0; i < self->n_buffers; i++)
    {
      ExecCall call = { .op = EXEC_FREE, .x = { self->buffers[i].copy } };

      ask (&call, "", 1, NULL, 0, NULL, NULL);
    }
  free (self);
}

/* Copies a launch's inputs before it runs. (nullable): NULL: it can't be saved */
static Saved *
begin_saving (const Kernel *kernel, const Launch *launch, ExecLaunch shape)
{
  const Driver *driver = recorder_get_driver ();
  Saved *self = calloc (1, sizeof *self);
  ExecCall call = { .op = EXEC_RECORD };
  bool is_begun = false;

  if (self == NULL)
    return NULL;
  self->kernel = kernel;
  int error = driver->cuCtxSynchronize ();
  if (error != 0)
    leave (self, "cuCtxSynchronize", error);
  pack (self, launch);
  copy_buffers (self);
  if (self->why != NULL)
    say_why (self->why, self->error);
  else
    {
      for (uint32_t i = 0; i < self->n_buffers; i++)
        mark_addresses (self, self->buffers[i].copy, self->buffers[i].size);
      copy_variables (self);
      shape.n_bytes = kernel->n_bytes;
      memcpy (self->block, &shape, sizeof shape);
      is_begun = ask (&call, self->block, (uint32_t) (sizeof shape + kernel->n_bytes), NULL, 0,
                      NULL, NULL);
    }
  if (is_begun)
    return self;
  free_saved (self);
  return NULL;
}

static void
end_saving (Saved *self, int error)
{
  const Driver *driver = recorder_get_driver ();
  ExecCall call = { .op = EXEC_RECORDED };

  if (error == 0)
    error = driver->cuCtxSynchronize ();
  if (error == 0)
    copy_buffers (self);
  for (uint32_t i = 0; i < self->n_buffers && error == 0; i++)
    mark_addresses (self, self->buffers[i].copy, self->buffers[i].size);
  call.x[0] = error != 0 || self->why != NULL;
  ask (&call, NULL, 0, NULL, 0, NULL, NULL);
  free_saved (self);
}

/* ---- A launch ---- */

int
recorder_launch (const Launch *launch)
{
  ExecLaunch shape = launch->shape;
  Kernel *kernel = NULL;
  Saved *saved = NULL;
  Slot *slot = NULL;

  pthread_mutex_lock (&mutex);
  if (begin ())
    kernel = get_kernel (launch->function);
  if (kernel != NULL && kernel->id != EXEC_NO_FUNCTION)
    {
      shape.function = kernel->id;
      slot = open_slot (launch, &shape);
      if (slot == NULL)
        add_time (&shape, -1);
    }
  if (slot != NULL && kernel->is_wanted && is_new (kernel, &shape))
    {
      saved = begin_saving (kernel, launch, shape);
      /* Again, after the copy. */
      recorder_get_driver ()->cuEventRecord[launch->is_own_stream](slot->begin, launch->stream);
    }
  if (saved == NULL)
    pthread_mutex_unlock (&mutex);
  int error = launch->run (launch->call);
  if (saved == NULL && slot != NULL)
    pthread_mutex_lock (&mutex);
  if (slot != NULL)
    close_slot (launch, slot, error);
  if (saved != NULL)
    end_saving (saved, error);
  if (slot != NULL)
    pthread_mutex_unlock (&mutex);
  return error;
}

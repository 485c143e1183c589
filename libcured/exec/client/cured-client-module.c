/* SPDX-License-Identifier: MIT
 * Registered device code with its kernels and variables; launches. */
#include "exec/client/cured-client-private.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FATBIN_MAGIC 0xba55ed50u

typedef struct
{
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t n_bytes;
} FatBinary;

typedef struct
{
  int32_t magic, version;
  const FatBinary *data;
  const FatBinary *const *parts; /* in version 2: the linked parts, NULL-terminated */
} Wrapper;

/* ---- A table of pointers ---- */

typedef struct
{
  const void **keys;
  void **values;
  size_t n;
  size_t size; /* a power of two */
} Table;

static Table functions; /* by the program's function, and by their own address */
static Table variables;
static Variable *managed;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static size_t
get_place (const Table *self, const void *key)
{
  size_t at = (size_t) (((uintptr_t) key >> 3) * UINT64_C (0x9e3779b97f4a7c15) >> 20);

  for (;; at++)
    if (self->keys[at & (self->size - 1)] == NULL || self->keys[at & (self->size - 1)] == key)
      return at & (self->size - 1);
}

static void *
table_get (const Table *self, const void *key)
{
  return self->size == 0 || key == NULL ? NULL : self->values[get_place (self, key)];
}

static void
table_put (Table *self, const void *key, void *value)
{
  if (2 * self->n >= self->size)
    {
      Table larger = { .size = self->size == 0 ? 256 : 2 * self->size };

      larger.keys = calloc (larger.size, sizeof *larger.keys);
      larger.values = calloc (larger.size, sizeof *larger.values);
      for (size_t i = 0; i < self->size; i++)
        if (self->keys[i] != NULL)
          table_put (&larger, self->keys[i], self->values[i]);
      free (self->keys);
      free (self->values);
      *self = larger;
    }
  size_t at = get_place (self, key);
  self->n += self->keys[at] == NULL;
  self->keys[at] = key;
  self->values[at] = value;
}

/* ---- Registration ---- */

void **__cudaRegisterFatBinary (void *wrapper);
void __cudaRegisterFatBinaryEnd (void **handle);
void __cudaUnregisterFatBinary (void **handle);
void __cudaRegisterFunction (void **handle, const char *host, char *symbol, const char *name,
                             int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar (void **handle, char *host, char *symbol, const char *name, int is_extern,
                        size_t size, int is_constant, int is_global);
void __cudaRegisterManagedVar (void **handle, void **host, char *symbol, const char *name,
                               int is_extern, size_t size, int is_constant, int is_global);
char __cudaInitModule (void **handle);

VERSIONS (__cudaRegisterFatBinary);
VERSIONS (__cudaRegisterFatBinaryEnd);
VERSIONS (__cudaUnregisterFatBinary);
VERSIONS (__cudaRegisterFunction);
VERSIONS (__cudaRegisterVar);
VERSIONS (__cudaRegisterManagedVar);
VERSIONS (__cudaInitModule);

void **
__cudaRegisterFatBinary (void *wrapper)
{
  Module *module = calloc (1, sizeof *module);

  module->wrapper = wrapper;
  return (void **) module;
}

static CudaError load (Module *module);

void
__cudaRegisterFatBinaryEnd (void **handle)
{
  /* The program may use a managed variable before any call. */
  for (const Variable *v = managed; v != NULL; v = v->next)
    if (v->module == (Module *) handle)
      {
        load ((Module *) handle);
        return;
      }
}

void
__cudaUnregisterFatBinary (void **handle)
{
  /* The process is about to end. */
}

char
__cudaInitModule (void **handle)
{
  load ((Module *) handle);
  return 1;
}

void
__cudaRegisterFunction (void **handle, const char *host, char *symbol, const char *name, int limit,
                        void *tid, void *bid, void *block, void *grid, int *warp)
{
  Function *function = calloc (1, sizeof *function);

  function->module = (Module *) handle;
  function->name = name;
  pthread_mutex_lock (&mutex);
  table_put (&functions, host, function);
  table_put (&functions, function, function);
  pthread_mutex_unlock (&mutex);
}

static Variable *
register_variable (void **handle, const void *host, const char *name, size_t size)
{
  Variable *variable = calloc (1, sizeof *variable);

  variable->module = (Module *) handle;
  variable->name = name;
  variable->size = size;
  pthread_mutex_lock (&mutex);
  table_put (&variables, host, variable);
  pthread_mutex_unlock (&mutex);
  return variable;
}

void
__cudaRegisterVar (void **handle, char *host, char *symbol, const char *name, int is_extern,
                   size_t size, int is_constant, int is_global)
{
  register_variable (handle, host, name, size);
}

void
__cudaRegisterManagedVar (void **handle, void **host, char *symbol, const char *name, int is_extern,
                          size_t size, int is_constant, int is_global)
{
  Variable *variable = register_variable (handle, host, name, size);

  variable->managed = host;
  variable->next = managed;
  managed = variable;
}

/* ---- Modules ---- */

static size_t
get_fatbin_bytes (const FatBinary *self)
{
  return self->magic == FATBIN_MAGIC ? self->header_bytes + (size_t) self->n_bytes : 0;
}

/* (transfer full): all parts of the program's device code, concatenated. */
static char *
join_parts (const Wrapper *wrapper, size_t *n_bytes)
{
  size_t size = get_fatbin_bytes (wrapper->data);
  char *bytes = NULL, *at = NULL;

  for (size_t i = 0; wrapper->version == 2 && wrapper->parts != NULL && wrapper->parts[i] != NULL;
       i++)
    size += get_fatbin_bytes (wrapper->parts[i]);
  at = bytes = malloc (size + 1);
  if (bytes == NULL)
    return NULL;
  at = (char *) mempcpy (at, wrapper->data, get_fatbin_bytes (wrapper->data));
  for (size_t i = 0; wrapper->version == 2 && wrapper->parts != NULL && wrapper->parts[i] != NULL;
       i++)
    at = (char *) mempcpy (at, wrapper->parts[i], get_fatbin_bytes (wrapper->parts[i]));
  *n_bytes = size;
  return bytes;
}

static CudaError
load (Module *module)
{
  ExecCall call = { .op = EXEC_LOAD };
  ExecReply reply;
  char *joined = NULL;
  size_t n_bytes = module->image_bytes;

  pthread_mutex_lock (&mutex);
  if (!module->is_loaded)
    {
      module->is_loaded = true;
      if (module->wrapper != NULL)
        joined = join_parts (module->wrapper, &n_bytes);
      module->error =
          client_call (&call, NULL, joined != NULL ? joined : module->image, n_bytes, &reply, NULL);
      module->id = reply.x[0];
      free (joined);
      for (Variable *v = managed; v != NULL && module->error == CUDA_SUCCESS; v = v->next)
        if (v->module == module && client_resolve_variable (v) == CUDA_SUCCESS)
          {
            client_protect (v->address, v->size, true);
            *v->managed = (void *) (uintptr_t) v->address;
          }
    }
  pthread_mutex_unlock (&mutex);
  return module->error;
}

/* @image: PTX, NUL-terminated if @size is 0, or a fat binary */
Module *
client_load (const void *image, size_t size, CudaError *error)
{
  Module *module = calloc (1, sizeof *module);
  uint32_t magic = 0;

  memcpy (&magic, image, sizeof magic);
  if (magic == 0x466243b1)
    module->wrapper = image;
  else
    {
      if (size == 0)
        size = magic == FATBIN_MAGIC ? get_fatbin_bytes (image) : strlen (image);
      module->image = malloc (size + 1);
      memcpy (module->image, image, size);
      module->image_bytes = size;
    }
  *error = load (module);
  if (*error == CUDA_SUCCESS)
    return module;
  free (module->image);
  free (module);
  return NULL;
}

void
client_unload (Module *module)
{
  ExecCall call = { .op = EXEC_UNLOAD, .x = { module->id } };

  client_call (&call, NULL, NULL, 0, NULL, NULL);
}

/* ---- Kernels and variables ---- */

/* The same device code on the thread's device, with separate variables. The mutex is
 * held. */
static Module *
get_on_device (Module *module)
{
  int device = client_get_current ();

  while (module->device != device && module->next != NULL)
    module = module->next;
  if (module->device != device)
    {
      Module *made = calloc (1, sizeof *made);

      made->device = device;
      made->wrapper = module->wrapper;
      made->image = module->image;
      made->image_bytes = module->image_bytes;
      for (const Variable *v = managed; v != NULL; v = v->next)
        if (v->module->wrapper == module->wrapper)
          {
            client_note (EXEC_NOTE_MISSING, "__managed__ variables of a further device");
            break;
          }
      module = module->next = made;
    }
  return module;
}

/* The function on the thread's device. */
Function *
client_find_function (const void *pointer)
{
  Module *module = NULL;

  pthread_mutex_lock (&mutex);
  Function *function = table_get (&functions, pointer);
  if (function != NULL && function->base != NULL)
    function = function->base;
  if (function != NULL)
    {
      module = get_on_device (function->module);
      while (function->module != module && function->next != NULL)
        function = function->next;
      if (function->module != module)
        {
          Function *made = calloc (1, sizeof *made);

          made->module = module;
          made->name = function->name;
          made->base = function->base != NULL ? function->base : function;
          function = function->next = made;
          table_put (&functions, made, made);
        }
    }
  pthread_mutex_unlock (&mutex);
  return function;
}

CudaError
client_resolve (Function *function)
{
  ExecCall call = { .op = EXEC_FUNCTION };
  CudaError error = CUDA_SUCCESS;
  void *info = NULL;

  if (function->info != NULL)
    return CUDA_SUCCESS;
  error = load (function->module);
  if (error != CUDA_SUCCESS)
    return error;
  call.x[0] = function->module->id;
  error = client_call (&call, NULL, function->name, strlen (function->name), NULL, &info);
  if (error == CUDA_SUCCESS)
    function->info = info;
  return error;
}

Function *
client_get_function (Module *module, const char *name, CudaError *error)
{
  Function *function = calloc (1, sizeof *function);

  function->module = module;
  function->name = strdup (name);
  *error = client_resolve (function);
  if (*error == CUDA_SUCCESS)
    {
      pthread_mutex_lock (&mutex);
      table_put (&functions, function, function);
      pthread_mutex_unlock (&mutex);
      return function;
    }
  free ((char *) function->name);
  free (function);
  return NULL;
}

Variable *
client_find_variable (const void *pointer)
{
  Module *module = NULL;

  pthread_mutex_lock (&mutex);
  Variable *variable = table_get (&variables, pointer);
  module = variable != NULL ? get_on_device (variable->module) : NULL;
  while (variable != NULL && variable->module != module && variable->other != NULL)
    variable = variable->other;
  if (variable != NULL && variable->module != module)
    {
      Variable *made = calloc (1, sizeof *made);

      made->module = module;
      made->name = variable->name;
      made->size = variable->size;
      variable = variable->other = made;
    }
  pthread_mutex_unlock (&mutex);
  return variable;
}

CudaError
client_resolve_variable (Variable *variable)
{
  ExecCall call = { .op = EXEC_VARIABLE };
  ExecReply reply;
  CudaError error = CUDA_SUCCESS;

  if (variable->address != 0)
    return CUDA_SUCCESS;
  error = load (variable->module);
  if (error != CUDA_SUCCESS)
    return error;
  call.x[0] = variable->module->id;
  error = client_call (&call, NULL, variable->name, strlen (variable->name), &reply, NULL);
  if (error != CUDA_SUCCESS)
    return error;
  variable->address = reply.x[0];
  variable->size = reply.x[1];
  return CUDA_SUCCESS;
}

/* ---- Launches ---- */

/* @arguments: one pointer per parameter; NULL: @packed is the whole block. @function: resolved */
void *
client_pack (const Function *function, void **arguments, const void *packed, size_t n_packed)
{
  const ExecFunction *info = function->info;
  char *block = calloc (1, info->parameter_bytes + 1);

  if (arguments != NULL)
    for (uint32_t i = 0; i < info->n_parameters; i++)
      memcpy (block + info->parameters[i].offset, arguments[i], info->parameters[i].size);
  else if (packed != NULL)
    memcpy (block, packed, n_packed < info->parameter_bytes ? n_packed : info->parameter_bytes);
  return block;
}

CudaError
client_launch (Function *function, const Config *config, void **arguments, const void *packed,
               size_t n_packed)
{
  ExecCall call = { .op = EXEC_LAUNCH, .n_bytes = sizeof (ExecLaunch) };
  const ExecFunction *info = NULL;
  CudaError error = client_get_error ();
  ExecReply reply;
  void *block = NULL, *output = NULL;

  if (error != CUDA_SUCCESS)
    return error;
  if (function == NULL)
    return client_fail (CUDA_INVALID_FUNCTION);
  error = client_resolve (function);
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  info = function->info;
  block = client_pack (function, arguments, packed, n_packed);
  if (client_capture (&(Work){ .kind = WORK_LAUNCH,
                               .function = function,
                               .config = *config,
                               .packed = block,
                               .n_packed = info->parameter_bytes }))
    {
      free (block);
      return CUDA_SUCCESS;
    }
  ExecLaunch launch = (ExecLaunch){
    .function = info->id,
    .grid = { config->grid.x, config->grid.y, config->grid.z },
    .block = { config->block.x, config->block.y, config->block.z },
    .cluster = { config->cluster.x, config->cluster.y, config->cluster.z },
    .is_cooperative = config->is_cooperative,
    .n_bytes = (uint32_t) info->parameter_bytes,
    .shared_bytes = config->shared_bytes,
  };
  client_begin_work (WAITING_NEVER);
  error = client_call (&call, &launch, block, info->parameter_bytes, &reply, &output);
  client_end_work ();
  free (block);
  if (error == CUDA_SUCCESS)
    {
      /* Kernels print to the program's output. */
      fwrite (output, 1, reply.n_bytes, stdout);
      error = (CudaError) reply.x[0];
    }
  free (output);
  return error == CUDA_SUCCESS ? CUDA_SUCCESS : client_fail (error);
}

/* ---- The runtime's launches ---- */

static __thread Config pushed;
static __thread void *pushed_stream;

unsigned __cudaPushCallConfiguration (Dim3 grid, Dim3 block, size_t shared_bytes, void *stream);

VERSIONS (__cudaPushCallConfiguration);

unsigned
__cudaPushCallConfiguration (Dim3 grid, Dim3 block, size_t shared_bytes, void *stream)
{
  pushed = (Config){ .grid = grid, .block = block, .shared_bytes = shared_bytes };
  pushed_stream = stream;
  return 0;
}

API (__cudaPopCallConfiguration, Dim3 *grid, Dim3 *block, size_t *shared_bytes, void **stream)
{
  *grid = pushed.grid;
  *block = pushed.block;
  *shared_bytes = pushed.shared_bytes;
  *stream = pushed_stream;
  return CUDA_SUCCESS;
}

API_GIVES (__cudaGetKernel, (void **kernel, const void *host),
           *kernel = client_find_function (host),
           *kernel != NULL ? CUDA_SUCCESS : client_fail (CUDA_INVALID_FUNCTION))

API (cudaGetKernel, void **kernel, const void *host) { return __cudaGetKernel (kernel, host); }

API_IS (cudaGetFuncBySymbol, (void **kernel, const void *host), __cudaGetKernel (kernel, host))

static CudaError
launch_plainly (const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared_bytes,
                const void *stream, bool is_cooperative)
{
  Config config = {
    .grid = grid, .block = block, .shared_bytes = shared_bytes, .is_cooperative = is_cooperative
  };

  client_on (stream);
  return client_off (client_launch (client_find_function (function), &config, arguments, NULL, 0));
}

API_IS (cudaLaunchKernel,
        (const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared_bytes,
         void *stream),
        launch_plainly (function, grid, block, arguments, shared_bytes, stream, false))
API_ALIAS (cudaLaunchKernel_ptsz, cudaLaunchKernel);

API_IS (__cudaLaunchKernel,
        (const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared_bytes,
         void *stream),
        launch_plainly (function, grid, block, arguments, shared_bytes, stream, false))
API_ALIAS (__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

API_IS (cudaLaunchCooperativeKernel,
        (const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared_bytes,
         void *stream),
        launch_plainly (function, grid, block, arguments, shared_bytes, stream, true))

enum
{
  ATTRIBUTE_COOPERATIVE = 2,
  ATTRIBUTE_CLUSTER = 4,
};

void
client_take_attributes (Config *config, const LaunchAttribute *attributes, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    if (attributes[i].id == ATTRIBUTE_COOPERATIVE)
      config->is_cooperative = attributes[i].value.number != 0;
    else if (attributes[i].id == ATTRIBUTE_CLUSTER)
      config->cluster = attributes[i].value.size;
}

/* cudaLaunchConfig_t */
typedef struct
{
  Dim3 grid, block;
  size_t shared_bytes;
  void *stream;
  LaunchAttribute *attributes;
  uint32_t n_attributes;
} LaunchConfig;

API (cudaLaunchKernelExC, const LaunchConfig *launch, const void *function, void **arguments)
{
  Config config = { .grid = launch->grid,
                    .block = launch->block,
                    .shared_bytes = launch->shared_bytes };

  client_take_attributes (&config, launch->attributes, launch->n_attributes);
  client_on (launch->stream);
  return client_off (client_launch (client_find_function (function), &config, arguments, NULL, 0));
}

API (cudaLaunchHostFunc, void *stream, void (*function) (void *), void *data)
{
  bool is_captured = false;

  client_on (stream);
  is_captured = client_capture (&(Work){ .kind = WORK_CALL, .call = function, .data = data });
  client_off (CUDA_SUCCESS);
  if (is_captured)
    return CUDA_SUCCESS;
  /* The callback may signal other threads that the stream has reached it. */
  client_wait_for (stream);
  function (data);
  return client_get_error ();
}

API (cudaStreamAddCallback, void *stream, void (*function) (void *, int, void *), void *data,
     unsigned flags)
{
  client_wait_for (stream);
  function (stream, client_get_error (), data);
  return client_get_error ();
}

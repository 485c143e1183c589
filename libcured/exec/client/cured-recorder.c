/* SPDX-License-Identifier: MIT
 * Watches a program on a real GPU without CUPTI: the dynamic loader (LD_AUDIT) binds calls of the
 * driver that launch or load to the functions here, which call the driver's own. */
#include "exec/client/cured-recorder-private.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* The intercepted functions. Some have a twin for the per-thread default stream. */
typedef enum
{
  LAUNCH,
  LAUNCH_EX,
  LAUNCH_COOPERATIVE,
  GET_PROC_ADDRESS,
  GET_PROC_ADDRESS_2,
  MODULE_LOAD,
  MODULE_LOAD_DATA,
  MODULE_LOAD_DATA_EX,
  MODULE_LOAD_FAT_BINARY,
  LIBRARY_LOAD_DATA,
  LIBRARY_LOAD_FROM_FILE,
  MODULE_UNLOAD,
  LIBRARY_UNLOAD,
  PRIMARY_RELEASE,
  CONTEXT_SYNCHRONIZE,
  STREAM_SYNCHRONIZE,
  COPY_TO_HOST,
  N_WATCHED
} Watched;

/* The driver's functions, for both kinds of streams. */
static Function real[N_WATCHED][2];

static int
loaded (int error, const Handle *module, const void *data)
{
  size_t n_bytes = 0;

  if (error == 0 && recorder_is_saving ())
    {
      const void *copy = recorder_copy_image (data, &n_bytes);

      recorder_note_image (*module, copy, n_bytes);
    }
  return error;
}

static int
loaded_file (int error, const Handle *module, const char *path)
{
  int fd = -1;
  void *bytes = MAP_FAILED;

  if (error != 0 || !recorder_is_saving () || (fd = open (path, O_RDONLY | O_CLOEXEC)) < 0)
    return error;
  off_t size = lseek (fd, 0, SEEK_END);
  if (size > 0)
    bytes = mmap (NULL, (size_t) size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (bytes != MAP_FAILED)
    recorder_note_image (*module, bytes, (size_t) size);
  return error;
}

/* ---- Replacements of the driver's functions ---- */

/* The driver's function, cast to its type. */
#define REAL(type, which, own) ((type) (void (*) (void)) real[which][own])

typedef int (*LaunchFunction) (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, Handle, void **, void **);
typedef int (*LaunchCooperativeFunction) (Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
                                          unsigned, unsigned, Handle, void **);

/* CUlaunchAttribute, CUlaunchConfig */
typedef struct
{
  int32_t id, padding;
  union
  {
    int32_t number;
    uint32_t size[3];
    char bytes[64];
  } value;
} Attribute;

typedef struct
{
  unsigned grid[3], block[3], shared_bytes;
  Handle stream;
  const Attribute *attributes;
  unsigned n_attributes;
} Config;

enum
{
  ATTRIBUTE_COOPERATIVE = 2,
  ATTRIBUTE_CLUSTER = 4,
};

typedef int (*LaunchExFunction) (const Config *, Handle, void **, void **);

/* A deferred call, made after recording its data. */
typedef struct
{
  Watched which;
  int own;
  Handle function;
  const unsigned *grid, *block;
  unsigned shared_bytes;
  Handle stream;
  const Config *config;
  void **arguments, **extra;
} Call;

static int
make_call (const void *data)
{
  const Call *call = data;
  const unsigned *g = call->grid, *b = call->block;

  if (call->which == LAUNCH_EX)
    return REAL (LaunchExFunction, LAUNCH_EX, call->own) (call->config, call->function,
                                                          call->arguments, call->extra);
  if (call->which == LAUNCH_COOPERATIVE)
    return REAL (LaunchCooperativeFunction, LAUNCH_COOPERATIVE,
                 call->own) (call->function, g[0], g[1], g[2], b[0], b[1], b[2], call->shared_bytes,
                             call->stream, call->arguments);
  return REAL (LaunchFunction, LAUNCH, call->own) (call->function, g[0], g[1], g[2], b[0], b[1],
                                                   b[2], call->shared_bytes, call->stream,
                                                   call->arguments, call->extra);
}

static int
launch (const Call *call)
{
  Launch what = { .function = call->function,
                  .stream = call->stream,
                  .shape = { .shared_bytes = call->shared_bytes,
                             .is_cooperative = call->which == LAUNCH_COOPERATIVE },
                  .arguments = call->arguments,
                  .extra = call->extra,
                  .is_own_stream = call->own != 0,
                  .run = make_call,
                  .call = call };

  memcpy (what.shape.grid, call->grid, sizeof what.shape.grid);
  memcpy (what.shape.block, call->block, sizeof what.shape.block);
  for (unsigned i = 0; call->config != NULL && i < call->config->n_attributes; i++)
    {
      const Attribute *attribute = &call->config->attributes[i];

      if (attribute->id == ATTRIBUTE_COOPERATIVE)
        what.shape.is_cooperative = attribute->value.number != 0;
      else if (attribute->id == ATTRIBUTE_CLUSTER)
        memcpy (what.shape.cluster, attribute->value.size, sizeof what.shape.cluster);
    }
  return recorder_launch (&what);
}

/* Both twins of a function, which call different driver functions. */
#define TWINS(name, parameters, ...)                                                               \
  static int name##_0 parameters                                                                   \
  {                                                                                                \
    const int own = 0;                                                                             \
    __VA_ARGS__                                                                                    \
  }                                                                                                \
  static int name##_1 parameters                                                                   \
  {                                                                                                \
    const int own = 1;                                                                             \
    __VA_ARGS__                                                                                    \
  }

/* clang-format off */
TWINS (launch_kernel,
       (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
        unsigned shared, Handle stream, void **arguments, void **extra),
       const unsigned grid[] = { gx, gy, gz };
       const unsigned block[] = { bx, by, bz };
       return launch (&(Call){ LAUNCH, own, function, grid, block, shared, stream, NULL, arguments, extra });)

TWINS (launch_cooperative,
       (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
        unsigned shared, Handle stream, void **arguments),
       const unsigned grid[] = { gx, gy, gz };
       const unsigned block[] = { bx, by, bz };
       return launch (&(Call){ LAUNCH_COOPERATIVE, own, function, grid, block, shared, stream, NULL, arguments, NULL });)

TWINS (launch_ex,
       (const Config *config, Handle function, void **arguments, void **extra),
       return launch (&(Call){ LAUNCH_EX, own, function, config->grid, config->block, config->shared_bytes,
                               config->stream, config, arguments, extra });)

TWINS (stream_synchronize, (Handle stream),
       int error = REAL (int (*) (Handle), STREAM_SYNCHRONIZE, own) (stream);

       recorder_collect (false);
       return error;)

TWINS (copy_to_host, (void *to, uint64_t from, size_t size),
       int error = REAL (int (*) (void *, uint64_t, size_t), COPY_TO_HOST, own) (to, from, size);

       recorder_collect (false);
       return error;)
/* clang-format on */

/* From CUDA 13 on, it is given a context. */
static int
context_synchronize (Handle context)
{
  int error = REAL (int (*) (Handle), CONTEXT_SYNCHRONIZE, 0) (context);

  recorder_collect (false);
  return error;
}

static int
module_load (Handle *module, const char *path)
{
  return loaded_file (REAL (int (*) (Handle *, const char *), MODULE_LOAD, 0) (module, path),
                      module, path);
}

static int
module_load_data (Handle *module, const void *image)
{
  return loaded (REAL (int (*) (Handle *, const void *), MODULE_LOAD_DATA, 0) (module, image),
                 module, image);
}

static int
module_load_fat_binary (Handle *module, const void *image)
{
  return loaded (REAL (int (*) (Handle *, const void *), MODULE_LOAD_FAT_BINARY, 0) (module, image),
                 module, image);
}

static int
module_load_data_ex (Handle *module, const void *image, unsigned n, void *options, void **values)
{
  return loaded (REAL (int (*) (Handle *, const void *, unsigned, void *, void **),
                       MODULE_LOAD_DATA_EX, 0) (module, image, n, options, values),
                 module, image);
}

typedef int (*LibraryFunction) (Handle *, const void *, void *, void **, unsigned, void *, void **,
                                unsigned);

static int
library_load_data (Handle *library, const void *image, void *jit, void **jit_values, unsigned n_jit,
                   void *options, void **values, unsigned n)
{
  return loaded (REAL (LibraryFunction, LIBRARY_LOAD_DATA, 0) (library, image, jit, jit_values,
                                                               n_jit, options, values, n),
                 library, image);
}

static int
library_load_from_file (Handle *library, const char *path, void *jit, void **jit_values,
                        unsigned n_jit, void *options, void **values, unsigned n)
{
  return loaded_file (REAL (LibraryFunction, LIBRARY_LOAD_FROM_FILE,
                            0) (library, path, jit, jit_values, n_jit, options, values, n),
                      library, path);
}

static int
unload (Handle module, Watched which)
{
  recorder_collect (true);
  recorder_forget ();
  return REAL (int (*) (Handle), which, 0) (module);
}

static int
module_unload (Handle module)
{
  return unload (module, MODULE_UNLOAD);
}

static int
library_unload (Handle library)
{
  return unload (library, LIBRARY_UNLOAD);
}

static int
primary_release (int device)
{
  recorder_collect (true);
  return REAL (int (*) (int), PRIMARY_RELEASE, 0) (device);
}

static int get_proc_address (const char *name, void **pointer, int version, uint64_t flags);
static int get_proc_address_2 (const char *name, void **pointer, int version, uint64_t flags,
                               int *status);

/* ---- Table of replacements ---- */

#define ANY(function) ((Function) (void (*) (void)) (function))

/* ORDER: as Watched. @name: as cuGetProcAddress () takes it; @symbols: in the library */
static const struct
{
  const char *name, *symbols[2];
  Function function[2];
} watched[] = {
  /* clang-format off */
  [LAUNCH] = { "cuLaunchKernel", { "cuLaunchKernel", "cuLaunchKernel_ptsz" }, { ANY (launch_kernel_0), ANY (launch_kernel_1) } },
  [LAUNCH_EX] = { "cuLaunchKernelEx", { "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz" }, { ANY (launch_ex_0), ANY (launch_ex_1) } },
  [LAUNCH_COOPERATIVE] = { "cuLaunchCooperativeKernel", { "cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel_ptsz" }, { ANY (launch_cooperative_0), ANY (launch_cooperative_1) } },
  [GET_PROC_ADDRESS] = { NULL, { "cuGetProcAddress", NULL }, { ANY (get_proc_address), NULL } },
  [GET_PROC_ADDRESS_2] = { "cuGetProcAddress", { "cuGetProcAddress_v2", NULL }, { ANY (get_proc_address_2), NULL } },
  [MODULE_LOAD] = { "cuModuleLoad", { "cuModuleLoad", NULL }, { ANY (module_load), NULL } },
  [MODULE_LOAD_DATA] = { "cuModuleLoadData", { "cuModuleLoadData", NULL }, { ANY (module_load_data), NULL } },
  [MODULE_LOAD_DATA_EX] = { "cuModuleLoadDataEx", { "cuModuleLoadDataEx", NULL }, { ANY (module_load_data_ex), NULL } },
  [MODULE_LOAD_FAT_BINARY] = { "cuModuleLoadFatBinary", { "cuModuleLoadFatBinary", NULL }, { ANY (module_load_fat_binary), NULL } },
  [LIBRARY_LOAD_DATA] = { "cuLibraryLoadData", { "cuLibraryLoadData", NULL }, { ANY (library_load_data), NULL } },
  [LIBRARY_LOAD_FROM_FILE] = { "cuLibraryLoadFromFile", { "cuLibraryLoadFromFile", NULL }, { ANY (library_load_from_file), NULL } },
  [MODULE_UNLOAD] = { "cuModuleUnload", { "cuModuleUnload", NULL }, { ANY (module_unload), NULL } },
  [LIBRARY_UNLOAD] = { "cuLibraryUnload", { "cuLibraryUnload", NULL }, { ANY (library_unload), NULL } },
  [PRIMARY_RELEASE] = { "cuDevicePrimaryCtxRelease", { "cuDevicePrimaryCtxRelease_v2", NULL }, { ANY (primary_release), NULL } },
  [CONTEXT_SYNCHRONIZE] = { "cuCtxSynchronize", { "cuCtxSynchronize", NULL }, { ANY (context_synchronize), NULL } },
  [STREAM_SYNCHRONIZE] = { "cuStreamSynchronize", { "cuStreamSynchronize", "cuStreamSynchronize_ptsz" }, { ANY (stream_synchronize_0), ANY (stream_synchronize_1) } },
  [COPY_TO_HOST] = { "cuMemcpyDtoH", { "cuMemcpyDtoH_v2", "cuMemcpyDtoH_v2_ptds" }, { ANY (copy_to_host_0), ANY (copy_to_host_1) } },
  /* clang-format on */
};

static void
replace (Watched which, int own, void **pointer)
{
  if (watched[which].function[own] == NULL)
    own = 0;
  real[which][own] = *(Function *) pointer;
  *(Function *) pointer = watched[which].function[own];
}

/* Replaces the driver's function for a name by the one here. */
static void
replace_by_name (const char *name, void **pointer, uint64_t flags)
{
  int own = (flags & OWN_STREAM) != 0;

  for (Watched i = 0; i < N_WATCHED; i++)
    if (watched[i].name != NULL && strcmp (watched[i].name, name) == 0)
      replace (i, own, pointer);
}

static int
get_proc_address (const char *name, void **pointer, int version, uint64_t flags)
{
  int error = REAL (int (*) (const char *, void **, int, uint64_t), GET_PROC_ADDRESS,
                    0) (name, pointer, version, flags);

  /* A program of CUDA 11 that asks for this function again gets the same one. */
  if (error == 0 && *pointer != NULL && strcmp (name, "cuGetProcAddress") == 0)
    replace (GET_PROC_ADDRESS, 0, pointer);
  else if (error == 0 && *pointer != NULL)
    replace_by_name (name, pointer, flags);
  return error;
}

static int
get_proc_address_2 (const char *name, void **pointer, int version, uint64_t flags, int *status)
{
  int error = REAL (int (*) (const char *, void **, int, uint64_t, int *), GET_PROC_ADDRESS_2,
                    0) (name, pointer, version, flags, status);

  if (error != 0 || pointer == NULL || *pointer == NULL)
    return error;
  if (version < 12000 && strcmp (name, "cuGetProcAddress") == 0)
    replace (GET_PROC_ADDRESS, 0, pointer);
  else
    replace_by_name (name, pointer, flags);
  return error;
}

/* ---- The dynamic loader ---- */

EXPORT unsigned
la_version (unsigned version)
{
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned
la_objopen (struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
  const char *last = strrchr (map->l_name, '/');

  last = last != NULL ? last + 1 : map->l_name;
  if (space != LM_ID_BASE)
    return 0;
  if (strncmp (last, "libcuda.so", strlen ("libcuda.so")) != 0)
    return LA_FLG_BINDFROM;
  recorder_set_library (map);
  return LA_FLG_BINDTO;
}

EXPORT uintptr_t
la_symbind64 (Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags,
              const char *name)
{
  void *pointer = (void *) symbol->st_value;

  *flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
  for (Watched i = 0; i < N_WATCHED; i++)
    for (int own = 0; own < 2; own++)
      if (watched[i].symbols[own] != NULL && strcmp (watched[i].symbols[own], name) == 0)
        {
          replace (i, own, &pointer);
          return (uintptr_t) pointer;
        }
  return symbol->st_value;
}

static void __attribute__ ((destructor)) end (void) { recorder_end (); }

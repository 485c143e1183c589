/* SPDX-License-Identifier: MIT
 * The driver of a recorded program: its functions, and the images loaded into it. */
#include "exec/client/cured-recorder-private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/client/cured-symbol-private.h"

#define FATBIN_MAGIC  0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u

static const struct link_map *driver_map;
static Driver driver;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Images of modules ---- */

typedef struct Image
{
  Handle module;
  const void *bytes;
  size_t n_bytes;
  struct Image *next;
} Image;

static Image *images;

static size_t
get_fatbin_bytes (const void *bytes)
{
  const struct
  {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t n_bytes;
  } *fatbin = bytes;

  return fatbin->magic == FATBIN_MAGIC ? fatbin->header_bytes + (size_t) fatbin->n_bytes : 0;
}

/* Size of an image as passed to the driver. */
static size_t
get_image_bytes (const void *bytes)
{
  const Elf64_Ehdr *elf = bytes;
  size_t size = get_fatbin_bytes (bytes);

  if (size > 0)
    return size;
  if (memcmp (elf->e_ident, ELFMAG, SELFMAG) == 0)
    return (size_t) elf->e_shoff + (size_t) elf->e_shnum * elf->e_shentsize;
  return strlen (bytes) + 1;
}

void *
recorder_copy_image (const void *image, size_t *n_bytes)
{
  const struct
  {
    uint32_t magic;
    int32_t version;
    const void *data;
    const void *const *parts; /* of version 2, up to a NULL */
  } *wrapper = image;
  const void *const *parts = NULL;
  size_t size = 0;
  char *bytes = NULL;

  if (wrapper->magic != WRAPPER_MAGIC)
    {
      *n_bytes = size = get_image_bytes (image);
      bytes = malloc (size + 1);
      return bytes != NULL ? memcpy (bytes, image, size) : NULL;
    }
  parts = wrapper->version == 2 ? wrapper->parts : NULL;
  size = get_fatbin_bytes (wrapper->data);
  for (size_t i = 0; parts != NULL && parts[i] != NULL; i++)
    size += get_fatbin_bytes (parts[i]);
  bytes = malloc (size + 1);
  if (bytes == NULL)
    return NULL;
  *n_bytes = get_fatbin_bytes (wrapper->data);
  memcpy (bytes, wrapper->data, *n_bytes);
  for (size_t i = 0; parts != NULL && parts[i] != NULL; i++)
    {
      memcpy (bytes + *n_bytes, parts[i], get_fatbin_bytes (parts[i]));
      *n_bytes += get_fatbin_bytes (parts[i]);
    }
  return bytes;
}

void
recorder_note_image (Handle module, const void *bytes, size_t n_bytes)
{
  Image *image = bytes != NULL ? malloc (sizeof *image) : NULL;

  if (image == NULL)
    return;
  pthread_mutex_lock (&mutex);
  *image = (Image){ module, bytes, n_bytes, images };
  images = image;
  pthread_mutex_unlock (&mutex);
}

const void *
recorder_get_image (Handle module, size_t *n_bytes)
{
  const void *bytes = NULL;

  pthread_mutex_lock (&mutex);
  for (const Image *image = images; image != NULL && bytes == NULL; image = image->next)
    if (image->module == module)
      {
        bytes = image->bytes;
        *n_bytes = image->n_bytes;
      }
  pthread_mutex_unlock (&mutex);
  return bytes;
}

/* ---- The driver's own functions ---- */

/* The version of CUDA that defines the types of functions in Driver. */
#define DRIVER_VERSION 12050

/* ORDER: as Driver. */
static const char *const driver_names[] = {
  "cuCtxGetCurrent",      "cuCtxSynchronize",   "cuEventCreate",        "cuEventDestroy",
  "cuEventElapsedTime",   "cuEventQuery",       "cuEventSynchronize",   "cuFuncGetModule",
  "cuFuncGetName",        "cuFuncGetParamInfo", "cuKernelGetLibrary",   "cuKernelGetName",
  "cuKernelGetParamInfo", "cuLibraryGetGlobal", "cuMemGetAddressRange", "cuMemcpyDtoH",
  "cuModuleGetGlobal",    "cuEventRecord",      "cuEventRecord",        "cuStreamIsCapturing",
  "cuStreamIsCapturing",
};

_Static_assert(sizeof driver_names / sizeof *driver_names == sizeof (Driver) / sizeof (Function),
               "a name each");

void
recorder_set_library (const struct link_map *map)
{
  driver_map = map;
}

static void
find_driver (void)
{
  int (*get) (const char *, void **, int, uint64_t, int *) = NULL;
  Function *functions = (Function *) (void *) &driver;
  size_t n = sizeof driver_names / sizeof *driver_names;

  *(void **) &get = find_symbol (driver_map, "cuGetProcAddress_v2");
  if (get == NULL)
    return;
  for (size_t i = 0; i < n; i++)
    {
      bool is_twin = i > 0 && strcmp (driver_names[i], driver_names[i - 1]) == 0;
      void *pointer = NULL;
      int status = 0;

      if (get (driver_names[i], &pointer, DRIVER_VERSION, is_twin ? OWN_STREAM : 1, &status) != 0)
        pointer = NULL;
      memcpy (&functions[i], &pointer, sizeof pointer);
    }
}

const Driver *
recorder_get_driver (void)
{
  static bool is_found;

  pthread_mutex_lock (&mutex);
  if (!is_found)
    find_driver ();
  is_found = true;
  pthread_mutex_unlock (&mutex);
  return driver.cuEventRecord[0] != NULL && driver.cuEventRecord[1] != NULL ? &driver : NULL;
}

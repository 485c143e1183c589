/* SPDX-License-Identifier: MIT
 * Definitions shared by the files of the client library.
 *
 * The library is loaded into any program in place of the CUDA runtime and driver: it uses only the
 * C library, and its names are CUDA's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/cured-exec-protocol-private.h"

/* A program's C library may be older than the build machine's: request the oldest versions of these
 * symbols, which newer libraries keep. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#ifdef OLDEST
__asm__(".symver dladdr, dladdr@" OLDEST "\n"
        ".symver dlopen, dlopen@" OLDEST "\n"
        ".symver dlsym, dlsym@" OLDEST);
#endif

/* Gives a function both symbol versions that programs request. */
#define VERSIONS(name)                                                                             \
  __asm__(".globl v12_" #name "\n.set v12_" #name ", " #name "\n"                                  \
          ".symver v12_" #name ", " #name "@libcudart.so.12\n"                                     \
          ".symver " #name ", " #name "@@@libcudart.so.13")

/* A function of CUDA's runtime. */
#define API(name, ...)                                                                             \
  VERSIONS (name);                                                                                 \
  int name (__VA_ARGS__);                                                                          \
  int name (__VA_ARGS__)

/* One that returns @value, optionally after a statement. */
#define API_IS(name, parameters, value)                                                            \
  VERSIONS (name);                                                                                 \
  DRIVER_IS (name, parameters, value)
#define API_GIVES(name, parameters, statement, value)                                              \
  VERSIONS (name);                                                                                 \
  DRIVER_GIVES (name, parameters, statement, value)

/* One that does nothing here. */
#define API_NOTHING(name, ...)                                                                     \
  API (name, __VA_ARGS__) { return client_get_error (); }

/* Another name of a function. */
#define API_ALIAS(name, other)                                                                     \
  __asm__(".globl " #name "\n.set " #name ", " #other);                                            \
  VERSIONS (name)

/* A function of the driver, whose symbols have no version. */
#define DRIVER(name, ...)                                                                          \
  int name (__VA_ARGS__);                                                                          \
  int name (__VA_ARGS__)

#define DRIVER_IS(name, parameters, value)                                                         \
  int name parameters;                                                                             \
  int name parameters { return value; }
#define DRIVER_GIVES(name, parameters, statement, value)                                           \
  int name parameters;                                                                             \
  int name parameters                                                                              \
  {                                                                                                \
    statement;                                                                                     \
    return value;                                                                                  \
  }
#define DRIVER_NOTHING(name, ...)                                                                  \
  DRIVER (name, __VA_ARGS__) { return client_get_error (); }

#define DRIVER_ALIAS(name, other) __asm__(".globl " #name "\n.set " #name ", " #other)

/* cudaError_t */
typedef enum
{
  CUDA_SUCCESS = 0,
  CUDA_INVALID_VALUE = 1,
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NOT_INITIALIZED = 3,
  CUDA_INVALID_CONFIGURATION = 9,
  CUDA_INVALID_SYMBOL = 13,
  CUDA_INVALID_DEVICE_POINTER = 17,
  CUDA_INVALID_DIRECTION = 21,
  CUDA_INVALID_FUNCTION = 98,
  CUDA_NO_DEVICE = 100,
  CUDA_INVALID_DEVICE = 101,
  CUDA_INVALID_IMAGE = 200,
  CUDA_NO_IMAGE = 209,
  CUDA_PEER_UNSUPPORTED = 217,
  CUDA_INVALID_PTX = 218,
  CUDA_INVALID_HANDLE = 400,
  CUDA_NOT_FOUND = 500,
  CUDA_NOT_READY = 600,
  CUDA_ILLEGAL_ADDRESS = 700,
  CUDA_OUT_OF_RESOURCES = 701,
  CUDA_LAUNCH_TIMEOUT = 702,
  CUDA_ASSERT = 710,
  CUDA_ILLEGAL_INSTRUCTION = 715,
  CUDA_MISALIGNED = 716,
  CUDA_LAUNCH_FAILURE = 719,
  CUDA_NOT_PERMITTED = 800,
  CUDA_NOT_SUPPORTED = 801,
  CUDA_UNKNOWN = 999,
} CudaError;

typedef struct
{
  uint32_t x, y, z;
} Dim3;

/* One image of device code, of the program or of one of its libraries, on one device. */
typedef struct Module
{
  int device;
  struct Module *next; /* the same on another device */
  const void *wrapper; /* as registered by the program; NULL: @image was loaded explicitly */
  void *image;
  size_t image_bytes;
  bool is_loaded;
  CudaError error; /* error of loading */
  uint64_t id;
} Module;

typedef struct Function
{
  Module *module;
  const char *name;
  ExecFunction *info;    /* NULL: not requested yet */
  struct Function *base; /* the one of the first device; NULL: this is it */
  struct Function *next; /* the same on another device */
} Function;

typedef struct Variable
{
  Module *module;
  const char *name;
  uint64_t address; /* 0: not requested yet */
  uint64_t size;
  void **managed; /* the program's pointer to it; NULL: it is not managed */
  struct Variable *next;
  struct Variable *other; /* the same on another device */
} Variable;

/* A launch, for all functions that launch. */
typedef struct
{
  Dim3 grid, block;
  Dim3 cluster; /* x is 0: by the kernel's attributes */
  bool is_cooperative;
  size_t shared_bytes;
} Config;

/* Kinds of work of a stream or a graph. */
typedef enum
{
  WORK_NOTHING,
  WORK_LAUNCH,
  WORK_COPY,
  WORK_SET,
  WORK_CALL,
  WORK_GRAPH, /* @data */
  WORK_WAIT,  /* for an event, @data */
  WORK_RECORD,
  WORK_CONDITION, /* selects among the @n_rows graphs at @data, by the value at @from */
} WorkKind;

typedef struct Work
{
  WorkKind kind;
  size_t index;
  struct Work *next;
  Function *function;
  Config config;
  void *packed;
  size_t n_packed;
  void *to;
  const void *from;
  size_t to_pitch, from_pitch, width, n_rows;
  uint32_t value, value_bytes;
  void (*call) (void *data);
  void *data;
} Work;

/* A node may only depend on nodes that were added before it. */
typedef struct Graph
{
  Work *first, *last;
  size_t n;
} Graph;

/* cudaPitchedPtr, cudaExtent */
typedef struct
{
  void *bytes;
  size_t pitch, width, height;
} Pitched;

typedef struct
{
  size_t width, height, depth;
} Extent;

/* cudaChannelFormatDesc */
typedef struct
{
  int32_t bits[4], kind;
} Channels;

/* The target of cudaArray_t. */
typedef struct
{
  void *address;
  Channels channels;
  Extent extent; /* as requested; 0 for a missing dimension */
  unsigned flags;
  size_t element; /* bytes */
  size_t pitch, plane;
} Array;

/* cudaMemcpy3DParms */
typedef struct
{
  Array *from_array;
  Extent from_place; /* x is in bytes */
  Pitched from;
  Array *to_array;
  Extent to_place;
  Pitched to;
  Extent extent;
  int32_t kind;
} Copy3D;

/* ---- cured-client.c ---- */

/* Sends a call; @bytes: (nullable): gets the answer's bytes, to be freed. */
CudaError client_call (ExecCall *call, const void *data, const void *more, size_t n_more,
                       ExecReply *reply, void **bytes);
/* Between the two, no other thread sends calls. */
void client_lock (void);
void client_unlock (void);
/* Notes an error for cudaGetLastError. */
CudaError client_fail (CudaError error);
CudaError client_get_error (void);
CudaError client_take_error (bool is_kept);
void client_reset_error (void);
bool client_start (void);
const ExecDevice *client_get_device (void);
/* The thread's device. */
int client_get_current (void);
void client_set_current (int number);
/* Checks that the device exists; otherwise notes an error. */
CudaError client_check_device (int number);
bool client_is_device (const void *address);
/* The program's pointer to the bytes of a device or host address. */
void *client_get_bytes (const void *address);
/* Maps pages of the program to those of device memory. */
void client_alias (void *pages, const void *address, size_t n_bytes);
void client_protect (uint64_t address, uint64_t size, bool is_open);
/* The calling frames, for messages: text in @buffer; returns its length. */
#define CLIENT_FRAMES_BYTES 4096
size_t client_get_frames (char *buffer);
void client_note (ExecNote note, const char *name);
/* A call of a missing function. */
CudaError client_miss (const char *name);

/* ---- cured-client-module.c ---- */

Function *client_find_function (const void *pointer);
CudaError client_resolve (Function *function);
Variable *client_find_variable (const void *pointer);
CudaError client_resolve_variable (Variable *variable);
/* The parameter block of a launch. (transfer full) */
void *client_pack (const Function *function, void **arguments, const void *packed, size_t n_packed);
CudaError client_launch (Function *function, const Config *config, void **arguments,
                         const void *packed, size_t n_packed);
Module *client_load (const void *image, size_t size, CudaError *error);
void client_unload (Module *module);
Function *client_get_function (Module *module, const char *name, CudaError *error);

/* cudaLaunchAttribute */
typedef struct
{
  int32_t id, padding;
  union
  {
    int32_t number;
    Dim3 size;
    char bytes[64];
  } value;
} LaunchAttribute;

void client_take_attributes (Config *config, const LaunchAttribute *attributes, uint32_t n);

/* ---- cured-client-device.c ---- */

CudaError client_get_attribute (int *value, int attribute);
CudaError client_get_occupancy (int *n_blocks, const Function *function, int block_threads,
                                size_t dynamic_bytes);
/* @has_text: as a sentence; otherwise the runtime's or the driver's name. */
const char *client_describe_error (int error, bool has_text, bool is_driver);

/* ---- cured-client-memory.c ---- */

/* [0] begin, [1] bytes, 0: there is no allocation, [2] ExecMemoryKind, [3] free bytes */
CudaError client_query (const void *address, ExecReply *reply);

CudaError client_allocate (void **address, size_t size, ExecMemoryKind kind);
/* Memory that a graph allocates, and only the graph frees. */
CudaError client_allocate_owned (void **address, size_t size);
bool client_is_owned (const void *address);
CudaError client_free (void *address);
CudaError client_copy_3d (const Copy3D *copy);
CudaError client_copy (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t n_rows);
CudaError client_set (void *to, size_t pitch, uint32_t value, uint32_t value_bytes, size_t width,
                      size_t n_rows);

/* ---- cured-client-stream.c ---- */

CudaError client_make_stream (void **stream, unsigned flags, int priority);
/* Enclose work given to a stream; client_off () passes on the result. */
void client_on (const void *stream);
CudaError client_off (CudaError error);
/* Whether the program waits for the work. */
typedef enum
{
  WAITING_NEVER,
  WAITING_PLAIN, /* if it is in no stream */
  WAITING_ALWAYS,
} Waiting;

void client_begin_work (Waiting waiting);
void client_end_work (void);
/* In the stream of client_on (). */
CudaError client_record_event (const void *event);
CudaError client_wait_event (const void *event);
/* The program has waited for a stream. */
void client_wait_for (const void *stream);
/* The program has waited for all streams. */
void client_synchronize (void);

/* ---- cured-client-capture.c ---- */

void client_graph_add (Graph *graph, Work *work);
Graph *client_graph_clone (const Graph *graph);
void client_graph_destroy (Graph *graph);
/* (transfer full): a deep copy of @work */
Work *client_copy_work (const Work *work);
void client_on_capture (const void *stream);
Graph *client_capture_into (Graph *graph);
/* Whether the stream's work is being captured. */
bool client_is_capturing (void);
/* The same, and captures @work. */
bool client_capture (const Work *work);

/* ---- cured-client-patch.c ---- */

extern int cured_client_is_ready;
void cured_client_patch (uintptr_t base, const char *path);
/* This library, for dlsym. */
void *client_get_library (void);

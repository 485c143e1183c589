/* SPDX-License-Identifier: MIT
 * The protocol between a program and the emulator. Plain C: the program's side links only the C
 * library.
 *
 * The program sends calls over a socket, and waits for each answer. Device memory is a file that
 * both map, so its bytes are never sent. */
#pragma once

#include <stdint.h>

/* Changes with every message. */
#define EXEC_VERSION 5

/* In an answer, a device above the kind of its memory. */
#define EXEC_DEVICE_SHIFT 8

/* The variable with the socket's name, and the one that is set if launches on a GPU are to be
 * saved. */
#define EXEC_SOCKET_VARIABLE "CURED_EXEC_SOCKET"
#define EXEC_SAVE_VARIABLE   "CURED_EXEC_SAVE"

/* The first device address, and the size of the address space. */
#define EXEC_MEMORY_FIRST UINT64_C (0x7a0000000000)
#define EXEC_MEMORY_BYTES (UINT64_C (1) << 40)

/* Text that comes with a call: frames, one a line, "FILE+OFFSET", the innermost one first. */

typedef enum
{
  EXEC_HELLO,    /* [0] EXEC_VERSION, [1] process; the program. Gives ExecDevice and the memory */
  EXEC_ALLOCATE, /* [0] bytes, [1] ExecMemoryKind, [2] device; frames. Gives [0] the address */
  EXEC_FREE,     /* [0] address; frames. Gives [0] bytes, [1] ExecMemoryKind */
  EXEC_ACCESS,   /* ExecAccess; frames behind it */
  EXEC_QUERY, /* [0] address. Gives [0] begin, [1] bytes, [2] kind and above it device, [3] free bytes */
  EXEC_LOAD,     /* fat binaries, or PTX. Gives [0] the module */
  EXEC_UNLOAD,   /* [0] module */
  EXEC_FUNCTION, /* [0] module; name. Gives ExecFunction */
  EXEC_VARIABLE, /* [0] module; name. Gives [0] address, [1] bytes */
  EXEC_LAUNCH,   /* ExecLaunch and the parameters behind it. Gives what the kernel printed */
  EXEC_TEXTURE,  /* ExecTexture. Gives [0] the handle */
  EXEC_NOTE,     /* [0] ExecNote; name, a line, frames behind it */
  EXEC_ORDER,    /* [0] ExecOrder, and [1] and [2] as it says */

  /* For a program on a real GPU. With [0] EXEC_NO_MODULE, EXEC_FUNCTION is for a kernel whose PTX
   * is unknown; its answer's [0] says whether launches of the kernel are to be saved. */
  EXEC_VARIABLES, /* [0] module, [1] index. Gives the name, [0] address, [1] bytes */
  EXEC_RECORD,    /* as EXEC_LAUNCH: a GPU runs it now; the memory has copies of its inputs */
  EXEC_RECORDED,  /* [0] whether it failed; the memory has copies of its results */
  EXEC_TIMES,     /* ExecTime, any number */
} ExecOp;

/* Operations that order the work of streams, which are numbers: 0 is the default one. */
typedef enum
{
  EXEC_ORDER_STREAM,      /* [1] a stream, [2] whether it and the default stream wait for another */
  EXEC_ORDER_NEXT,        /* [1] next stream, [2] whether the program waits for it; frames */
  EXEC_ORDER_RECORD,      /* [1] an event follows the work of [2] the stream */
  EXEC_ORDER_WAIT,        /* [1] the stream waits for [2] the event */
  EXEC_ORDER_SYNC_STREAM, /* the program waited for [1] a stream */
  EXEC_ORDER_SYNC_EVENT,  /* for [1] an event */
  EXEC_ORDER_SYNC_ALL,    /* for all streams */
} ExecOrder;

typedef enum
{
  EXEC_DEVICE_MEMORY,
  EXEC_MANAGED_MEMORY, /* the program may touch it at its own address */
  EXEC_PINNED_MEMORY,  /* likewise */
  EXEC_GRAPH_MEMORY,   /* of the device; its graph owns it to the end */
} ExecMemoryKind;

#define EXEC_IS_OPEN(kind) ((kind) == EXEC_MANAGED_MEMORY || (kind) == EXEC_PINNED_MEMORY)

/* Notes of the program's side for the report. */
typedef enum
{
  EXEC_NOTE_MISSING,   /* a missing function was called */
  EXEC_NOTE_NO_TIME,   /* the time between two events was requested */
  EXEC_NOTE_TOUCHED,   /* the program itself touched memory of the device */
  EXEC_NOTE_UNCAUGHT,  /* the program has a runtime that can't be replaced */
  EXEC_NOTE_CLOSED,    /* so has a library */
  EXEC_NOTE_NOT_SAVED, /* a launch on a GPU was not saved; the name is the reason */
  EXEC_N_NOTES
} ExecNote;

typedef struct
{
  uint32_t op; /* ExecOp */
  uint32_t n_bytes;
  uint64_t x[4];
} ExecCall;

/* @error: CUDA's; if not 0, the bytes are its text */
typedef struct
{
  int32_t error;
  uint32_t n_bytes;
  uint64_t x[4];
} ExecReply;

/* Rows that are copied or set; an address of 0 is host memory. */
typedef struct
{
  uint64_t to, from, to_pitch, from_pitch, width, n_rows;
} ExecAccess;

#define EXEC_MAX_PARAMETERS 1024

typedef struct
{
  uint32_t id, n_parameters;
  uint64_t parameter_bytes, shared_bytes, local_bytes, constant_bytes;
  int32_t max_threads, registers;
  int32_t target; /* 90 of sm_90 */
  uint32_t cluster[3];
  struct
  {
    uint32_t offset, size;
  } parameters[]; /* n_parameters */
} ExecFunction;

typedef struct
{
  uint32_t function, grid[3], block[3], cluster[3], is_cooperative;
  uint32_t n_bytes; /* of the parameters */
  uint64_t shared_bytes;
} ExecLaunch;

/* No function, no module. */
#define EXEC_NO_FUNCTION UINT32_MAX
#define EXEC_NO_MODULE   UINT64_MAX

/* How long a launch took on a GPU, by events. */
typedef struct
{
  ExecLaunch launch; /* without parameters */
  double ns;         /* negative: not timed */
} ExecTime;

typedef struct
{
  uint64_t address, n_bytes;
  uint32_t bits[4]; /* of each channel */
  uint32_t kind;    /* cudaChannelFormatKind */
  uint32_t is_normalized;
  uint32_t n_dims; /* 0: over linear memory; the following fields are for others */
  uint32_t n_layers, is_cube, has_filter;
  uint32_t is_unit; /* coordinates go from 0 to 1 */
  uint32_t size[3];
  uint32_t modes[3]; /* cudaTextureAddressMode */
  uint64_t pitch, plane;
  float border[4];
} ExecTexture;

typedef struct
{
  char name[256];
  uint64_t global_bytes;
  int32_t major, minor, sms, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
  int32_t max_block[3], max_grid[3], shared_per_block, shared_per_block_optin, shared_per_sm;
  int32_t shared_reserved, registers_per_block, registers_per_sm, l2_bytes, sm_clock_khz;
  int32_t memory_clock_khz, memory_bus_bits, has_clusters;
  int32_t n_devices; /* each as this one; all have the same memory */
} ExecDevice;

/* SPDX-License-Identifier: MIT
 * Launches by kernels (dynamic parallelism): device code that queues requests, and the host, which
 * runs them when the kernel has ended. Nothing can wait for such a launch earlier. */
#include "exec/cured-exec-nested-private.h"

#include <string.h>

/* The limit of a chip. */
#define MAX_NESTED 2048

#define QUEUE CURED_EXEC_QUEUE

/* State of the queue: numbers of prepared and submitted requests, and of streams and events. */
typedef struct
{
  guint32 n_prepared, n_asked, n_handles, padding[29];
  CuredExecNested nested[MAX_NESTED];
} Queue;

#define QUEUE_BYTES  "8650880"
#define NESTED_BYTES "4224"

G_STATIC_ASSERT (sizeof (CuredExecNested) == 4224);
G_STATIC_ASSERT (sizeof (Queue) == 8650880);

/* cudaStreamTailLaunch */
#define STREAM_TAIL 3

#define REGISTERS ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<9>;\n"

/* A function that only returns cudaSuccess. */
#define NOTHING(name, parameters)                                                                  \
  ".visible .func (.param .b32 result) __cudaCDP2" name " (" parameters ")\n"                      \
  "{ st.param.b32 [result], 0; ret; }\n"

/* A function that makes a new handle. */
#define MAKE(name, parameters)                                                                     \
  ".visible .func (.param .b32 result) __cudaCDP2" name " (.param .b64 to" parameters ")\n"        \
  "{ " REGISTERS "ld.param.u64 %rd1, [to];\n"                                                      \
  "atom.global.add.u32 %r1, [" QUEUE "+8], 1; add.u32 %r1, %r1, 16;\n"                             \
  "cvt.u64.u32 %rd2, %r1; st.u64 [%rd1], %rd2; st.param.b32 [result], 0; ret; }\n"

/* Gets a slot of the queue in %rd3; %p1: there is none. */
#define PREPARE                                                                                    \
  "atom.global.add.u32 %r1, [" QUEUE "], 1; setp.ge.u32 %p1, %r1, 2048;\n"                         \
  "mov.u64 %rd2, " QUEUE "; add.u64 %rd2, %rd2, 128;\n"                                            \
  "mad.wide.u32 %rd3, %r1, " NESTED_BYTES ", %rd2;\n"

/* Submits the launch or copy at [%rd3], with the kind in %r2 and the stream in %rd4. */
#define ASK                                                                                        \
  "atom.global.add.u32 %r3, [" QUEUE "+4], 1; st.global.u64 [%rd3+24], %rd4;\n"                    \
  "st.global.u32 [%rd3+32], %r2; st.global.u32 [%rd3+36], %r3;\n"

/* cudaErrorLaunchPendingCountExceeded */
#define REFUSE "@%p1 st.param.b32 [result], 69; @%p1 ret;\n"

#define SAY(name)                                                                                  \
  ".visible .func (.param .b64 result) __cudaCDP2" name " (.param .b32 error)\n"                   \
  "{ " REGISTERS "cvta.global.u64 %rd1, cured_nested_text; st.param.b64 [result], %rd1; ret; }\n"

/* clang-format off */

/* ORDER: what is behind [%rd3+…] is CuredExecNested, and behind QUEUE+… Queue. */
static const char runtime[] =
    ".visible .global .align 128 .b8 " QUEUE "[" QUEUE_BYTES "];\n"
    ".visible .func (.param .b64 result) __cudaCDP2GetParameterBufferV2 (.param .b64 kernel,\n"
    ".param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared)\n"
    "{ " REGISTERS PREPARE "@%p1 st.param.b64 [result], 0; @%p1 ret;\n"
    "ld.param.u64 %rd4, [kernel]; st.global.u64 [%rd3], %rd4;\n"
    "mov.u32 %r2, 0; st.global.u32 [%rd3+32], %r2;\n"
    "ld.param.u32 %r2, [grid]; st.global.u32 [%rd3+40], %r2;\n"
    "ld.param.u32 %r2, [grid+4]; st.global.u32 [%rd3+44], %r2;\n"
    "ld.param.u32 %r2, [grid+8]; st.global.u32 [%rd3+48], %r2;\n"
    "ld.param.u32 %r2, [block]; st.global.u32 [%rd3+52], %r2;\n"
    "ld.param.u32 %r2, [block+4]; st.global.u32 [%rd3+56], %r2;\n"
    "ld.param.u32 %r2, [block+8]; st.global.u32 [%rd3+60], %r2;\n"
    "ld.param.u32 %r2, [shared]; st.global.u32 [%rd3+64], %r2;\n"
    "add.u64 %rd4, %rd3, 128; cvta.global.u64 %rd4, %rd4; st.param.b64 [result], %rd4; ret; }\n"
    ".visible .func (.param .b32 result) __cudaCDP2LaunchDeviceV2 (.param .b64 buffer,\n"
    ".param .b64 stream)\n"
    "{ " REGISTERS "ld.param.u64 %rd3, [buffer]; setp.eq.u64 %p1, %rd3, 0;\n" REFUSE
    "cvta.to.global.u64 %rd3, %rd3; sub.u64 %rd3, %rd3, 128; ld.param.u64 %rd4, [stream];\n"
    "mov.u32 %r2, 1;\n" ASK "st.param.b32 [result], 0; ret; }\n"
    ".visible .func (.param .b32 result) __cudaCDP2MemcpyAsync (.param .b64 to, .param .b64 from,\n"
    ".param .b64 size, .param .b32 kind, .param .b64 stream)\n"
    "{ " REGISTERS PREPARE REFUSE "ld.param.u64 %rd4, [to]; st.global.u64 [%rd3], %rd4;\n"
    "ld.param.u64 %rd4, [from]; st.global.u64 [%rd3+8], %rd4;\n"
    "ld.param.u64 %rd4, [size]; st.global.u64 [%rd3+16], %rd4;\n"
    "ld.param.u64 %rd4, [stream]; mov.u32 %r2, 2;\n" ASK "st.param.b32 [result], 0; ret; }\n"
    ".visible .func (.param .b32 result) __cudaCDP2MemsetAsync (.param .b64 to, .param .b32 value,\n"
    ".param .b64 size, .param .b64 stream)\n"
    "{ " REGISTERS PREPARE REFUSE "ld.param.u64 %rd4, [to]; st.global.u64 [%rd3], %rd4;\n"
    "ld.param.u32 %r2, [value]; cvt.u64.u32 %rd4, %r2; st.global.u64 [%rd3+8], %rd4;\n"
    "ld.param.u64 %rd4, [size]; st.global.u64 [%rd3+16], %rd4;\n"
    "ld.param.u64 %rd4, [stream]; mov.u32 %r2, 3;\n" ASK "st.param.b32 [result], 0; ret; }\n"
    ".visible .func (.param .b32 result) __cudaCDP2GetDevice (.param .b64 to)\n"
    "{ " REGISTERS "ld.param.u64 %rd1, [to]; mov.u32 %r1, 0; st.u32 [%rd1], %r1;\n"
    "st.param.b32 [result], 0; ret; }\n"
    ".extern .func (.param .b64 result) malloc (.param .b64 size);\n"
    ".visible .func (.param .b32 result) __cudaCDP2Malloc (.param .b64 to, .param .b64 size)\n"
    "{ " REGISTERS "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [size];\n"
    "{ .param .b64 x; st.param.b64 [x], %rd2; .param .b64 y; call.uni (y), malloc, (x);\n"
    "ld.param.b64 %rd3, [y]; } st.u64 [%rd1], %rd3; setp.eq.u64 %p1, %rd3, 0;\n"
    "selp.u32 %r1, 2, 0, %p1; st.param.b32 [result], %r1; ret; }\n"
    ".extern .func free (.param .b64 what);\n"
    ".visible .func (.param .b32 result) __cudaCDP2Free (.param .b64 what)\n"
    "{ " REGISTERS "ld.param.u64 %rd1, [what];\n"
    "{ .param .b64 x; st.param.b64 [x], %rd1; call.uni free, (x); }\n"
    "st.param.b32 [result], 0; ret; }\n"
    /* The handle of a graph's condition is the address of its value. */
    ".visible .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value)\n"
    "{ " REGISTERS "ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value];\n"
    "atom.global.exch.b32 %r2, [%rd1], %r1; ret; }\n"
    /* Requests run in order, whatever the stream. */
    MAKE ("StreamCreateWithFlags", ", .param .b32 flags")
    MAKE ("EventCreateWithFlags", ", .param .b32 flags")
    NOTHING ("StreamDestroy", ".param .b64 stream")
    NOTHING ("EventDestroy", ".param .b64 event")
    NOTHING ("StreamWaitEvent", ".param .b64 stream, .param .b64 event, .param .b32 flags")
    NOTHING ("EventRecord", ".param .b64 event, .param .b64 stream")
    NOTHING ("EventRecordWithFlags", ".param .b64 event, .param .b64 stream, .param .b32 flags")
    NOTHING ("GetLastError", "")
    NOTHING ("PeekAtLastError", "")
    /* "cudaError" */
    ".visible .global .b8 cured_nested_text[10] = {99,117,100,97,69,114,114,111,114,0};\n"
    SAY ("GetErrorString") SAY ("GetErrorName");

/* clang-format on */

/* @text: PTX of a program
 * Returns: (nullable): PTX to add to it, if it calls functions of the device runtime */
const char *
_cured_exec_nested_get_text (const char *text)
{
  return strstr (text, "__cudaCDP2") != NULL || strstr (text, "cudaGraphSetConditional") != NULL
             ? runtime
             : NULL;
}

/* @text: PTX of a part of a program
 * Returns: whether it is CUDA's own device runtime, which only works on a chip */
gboolean
_cured_exec_nested_is_runtime (const char *text)
{
  return strstr (text, "__cuda_syscall_cnpv2LaunchDeviceV2") != NULL;
}

/* By submission; tail launches last. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  const CuredExecNested *left = a, *right = b;
  gboolean is_last[2] = { left->stream == STREAM_TAIL, right->stream == STREAM_TAIL };

  return is_last[0] != is_last[1] ? is_last[0] - is_last[1]
                                  : (left->order > right->order) - (left->order < right->order);
}

/* @module: module of a kernel that ended
 * @memory: of the device
 * @is_full: (out): whether the queue overflowed
 *
 * Empties the queue.
 * Returns: (transfer full) (element-type CuredExecNested): the kernel's requests, in the order to
 *   run them, to be freed with g_free() */
GList *
_cured_exec_nested_take (const CuredPtxModule *module, CuredMemory *memory, gboolean *is_full)
{
  GList *all = NULL;
  guint64 address = 0;
  gsize size = 0;
  Queue *queue = NULL;

  *is_full = FALSE;
  if (!cured_ptx_module_find_variable (module, QUEUE, &address, &size) || size != sizeof *queue ||
      (queue = cured_memory_map (memory, address, size)) == NULL)
    return NULL;
  *is_full = queue->n_prepared > MAX_NESTED;
  for (guint i = 0; i < MIN (queue->n_prepared, MAX_NESTED); i++)
    {
      if (queue->nested[i].kind != 0)
        all = g_list_prepend (all, g_memdup2 (&queue->nested[i], sizeof queue->nested[i]));
      queue->nested[i].kind = 0;
    }
  queue->n_prepared = 0;
  queue->n_asked = 0;
  return g_list_sort (all, compare);
}

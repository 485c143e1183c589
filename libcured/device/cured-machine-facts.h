/* SPDX-License-Identifier: MIT
 * Machine facts: a chip's rates, latencies and clocks. */
#pragma once

#include <glib.h>

#include "device/cured-device-info.h"

/* ORDER: field, group, key, unit, meaning (untranslated). Rates of pipes are warp instructions per
 * cycle of one multiprocessor; those of memory are of the whole chip. */
#define CURED_MACHINE_FACTS(X)                                                                     \
  X (sms, "Chip", "Multiprocessors", "", "multiprocessors")                                        \
  X (sm_clock_hz, "Chip", "Clock", "Hz", "clock of the multiprocessors")                           \
  X (issue, "Rates", "Issue", "1/cycle", "warp instructions issued")                               \
  X (fp32, "Rates", "Fp32", "1/cycle", "single precision")                                         \
  X (imad, "Rates", "Imad", "1/cycle", "integer multiplication")                                   \
  X (alu, "Rates", "Alu", "1/cycle", "integer arithmetic and logic")                               \
  X (half, "Rates", "Half", "1/cycle", "half precision")                                           \
  X (fp64, "Rates", "Fp64", "1/cycle", "double precision")                                         \
  X (mufu, "Rates", "Mufu", "1/cycle", "special functions, conversions")                           \
  X (lsu, "Rates", "Lsu", "1/cycle", "requests of loads and stores")                               \
  X (tensor, "Rates", "Tensor", "1/cycle", "16 x 8 x 16 products of halves")                       \
  X (wavefronts, "Rates", "Wavefronts", "1/cycle", "shared wavefronts")                            \
  X (remote, "Rates", "RemoteSectors", "1/cycle", "sectors of another block's shared memory")      \
  X (constant_words, "Rates", "ConstantWords", "1/cycle", "constant words")                        \
  X (lines, "Rates", "Lines", "1/cycle", "128-byte lines looked up in L1")                         \
  X (l1_bytes, "Rates", "L1Bytes", "B/cycle", "between L2 and one L1")                             \
  X (l2_read, "Rates", "L2Read", "B/s", "read from L2")                                            \
  X (l2_write, "Rates", "L2Write", "B/s", "written to L2")                                         \
  X (l2_both, "Rates", "L2Both", "B/s", "read and written, L2")                                    \
  X (memory_read, "Rates", "MemoryRead", "B/s", "read from memory")                                \
  X (memory_write, "Rates", "MemoryWrite", "B/s", "written to memory")                             \
  X (l2_capacity, "Caches", "L2Capacity", "B", "working set that L2 holds")                        \
  X (l1_latency, "Latencies", "L1", "cycles", "of a load that L1 has")                             \
  X (l2_latency, "Latencies", "L2", "cycles", "of a load that L2 has")                             \
  X (memory_latency, "Latencies", "Memory", "cycles", "of any other load")                         \
  X (shared_latency, "Latencies", "Shared", "cycles", "of shared memory")                          \
  X (remote_latency, "Latencies", "Remote", "cycles", "of another block's shared memory")          \
  X (alu_latency, "Latencies", "Alu", "cycles", "of an addition")                                  \
  X (fp64_latency, "Latencies", "Fp64", "cycles", "of double precision")                           \
  X (shuffle_latency, "Latencies", "Shuffle", "cycles", "of a shuffle")                            \
  X (constant_latency, "Latencies", "Constant", "cycles", "of a constant")                         \
  X (launch_ns, "Launch", "First", "ns", "a program's least time")                                 \
  X (next_launch_ns, "Launch", "Next", "ns", "each further launch")                                \
  X (dispatch_ns, "Launch", "Block", "ns", "handing out one block")                                \
  X (host_ns, "Launch", "Host", "ns", "bringing a buffer to the host")                             \
  X (to_device, "Copies", "ToDevice", "B/s", "from pinned memory of the host")                     \
  X (to_host, "Copies", "ToHost", "B/s", "to pinned memory of the host")                           \
  X (pageable_to_device, "Copies", "PageableToDevice", "B/s", "from pageable memory of the host")  \
  X (pageable_to_host, "Copies", "PageableToHost", "B/s", "to pageable memory of the host")        \
  X (to_device_ns, "Copies", "ToDeviceLeast", "ns", "4 KiB from pinned memory")                    \
  X (to_host_ns, "Copies", "ToHostLeast", "ns", "4 KiB to pinned memory")                          \
  X (pageable_to_device_ns, "Copies", "PageableToDeviceLeast", "ns", "4 KiB from pageable memory") \
  X (pageable_to_host_ns, "Copies", "PageableToHostLeast", "ns", "4 KiB to pageable memory")       \
  X (atomic_same_ns, "Atomics", "Same", "ns", "an atomic on the hottest word")                     \
  X (atomic_ns, "Atomics", "Any", "ns", "any atomic operation")

/* One number per row of the table above; NaN: not measured. Read with cured_machine_load() or
 * cured_machine_for_device(). */
typedef struct
{
#define CURED_MACHINE_FIELD(name, group, key, unit, meaning) double name;
  CURED_MACHINE_FACTS (CURED_MACHINE_FIELD)
#undef CURED_MACHINE_FIELD
  char *id;   /* "h200": the file's name */
  char *name; /* "NVIDIA H200" */
  char *arch; /* "sm_90" */
  char *date; /* date of measurement, ISO 8601 */
  /* How each fact was measured, in the order of cured_machine_facts(); NULL if
   * unknown. */
  char **provenance;
} CuredMachine;

/* A row of the table. */
typedef struct
{
  const char *name;    /* name of the field */
  const char *group;   /* group in the file */
  const char *key;     /* key in the file; @key + "From" says how it was measured */
  const char *unit;    /* unit of the value */
  const char *meaning; /* one phrase for people (untranslated) */
  gsize offset;        /* offset of the number in #CuredMachine */
} CuredMachineFact;

const CuredMachineFact *cured_machine_facts (gsize *n_facts);
double cured_machine_get (const CuredMachine *self, const CuredMachineFact *fact);
CuredMachine *cured_machine_load (const char *path, GError **error);
CuredMachine *cured_machine_find (const char *id, GError **error);
GPtrArray *cured_machine_list (void);
CuredMachine *cured_machine_for_device (const CuredDeviceInfo *device);
CuredMachine *cured_machine_nearest (const CuredDeviceInfo *device, gboolean *is_own);
void cured_machine_free (CuredMachine *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMachine, cured_machine_free)

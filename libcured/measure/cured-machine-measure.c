/* SPDX-License-Identifier: MIT
 * Measures the rates, latencies and costs of a chip, for a file of machine facts. */
#include "config.h"

#include "measure/cured-machine-measure.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-error.h"
#include "device/cured-machine-facts.h"
#include "kernel/cured-asset-internal.h"
#include "measure/cured-measure.h"

/* ORDER: as `Names=` in cured-machine-probe.cu. */
typedef enum
{
  PROBE_ISSUE,
  PROBE_FP32,
  PROBE_IMAD,
  PROBE_ALU,
  PROBE_HALF,
  PROBE_FP64,
  PROBE_MUFU,
  PROBE_SHUFFLE,
  PROBE_SHARED,
  PROBE_SHARED_WIDE,
  PROBE_CONSTANT,
  PROBE_CONSTANT_WORDS,
  PROBE_LINES,
  PROBE_L2_LINES,
  PROBE_CHASE,
  PROBE_CHASE_L2,
  PROBE_STREAM_READ,
  PROBE_STREAM_WRITE,
  PROBE_STREAM_COPY,
} Probe;

/* ORDER: as `Names=` of the parameter copy. */
typedef enum
{
  COPY_NONE,
  COPY_TO_DEVICE,
  COPY_TO_HOST,
  COPY_PAGEABLE_TO_DEVICE,
  COPY_PAGEABLE_TO_HOST,
} Copy;

/* One run: a value for each parameter of the kernel file. 0 is its default. */
typedef struct
{
  gint64 probe, atomics, warps, blocks;
  gint64 footprint; /* KiB */
  gint64 stride;
  gint64 steps; /* the measurement itself */
  gint64 launches, copy;
} Point;

typedef enum
{
  /* Warps times @scale, divided by the cycles of a step. */
  TAKE_RATE,
  /* The cycles of a step. */
  TAKE_CYCLES,
  /* Cold time of a program, ns. */
  TAKE_TIME,
  /* Cost of one of @scale more items than in the second point, ns. */
  TAKE_EACH,
  /* Bytes per second of @scale more bytes than in the second point. */
  TAKE_BYTES,
  /* Clock during the run. */
  TAKE_CLOCK,
} Take;

/* How a fact is measured. */
typedef struct
{
  const char *fact; /* the field's name */
  Take take;
  double scale;
  Point point;
  Point less; /* second point of %TAKE_EACH and %TAKE_BYTES */
  const char *how;
} Probing;

typedef struct
{
  CuredDevice *device;
  CuredKernel *kernel;
  CuredOptions options;
  CuredMachineFunc func;
  gpointer user_data;
  GCancellable *cancellable;
  gint64 n_done, n_all;
} Measuring;

/* Footprints to find the usable size of the L2 cache, in sixteenths of the size that the driver
 * reports. */
static const gint64 sixteenths[] = { 8, 10, 11, 12, 13, 14, 15, 16, 18, 20 };

/* Below this part of the best rate, an array does not fit into the L2 cache. */
#define HELD_RATE 0.9

#define CAPACITY_PASSES 16

/* Time for the about forty samples of a point. */
#define SAMPLING_S 0.2

/* FALSE if measuring can't continue: cancelled, or the device is lost. Otherwise the result is in
 * the outcome. */
static gboolean
run_point (Measuring *self, const Point *point, gboolean is_cold, CuredOutcome *outcome,
           GError **error)
{
  const struct
  {
    const char *name;
    gint64 value;
  } rows[] = {
    { "probe", point->probe },
    { "atomics", point->atomics },
    { "warps", MAX (point->warps, 1) },
    { "blocks", MAX (point->blocks, 1) },
    { "footprint", point->footprint > 0 ? point->footprint : 64 },
    { "stride", point->stride },
    { "steps", point->steps },
    { "launches", MAX (point->launches, 1) },
    { "copy", point->copy },
  };
  g_autofree gint64 *values = g_new0 (gint64, self->kernel->n_parameters);
  CuredJob job = { .kernel = self->kernel, .values = values, .options = &self->options };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gsize index;

      if (cured_kernel_find_parameter (self->kernel, rows[i].name, &index))
        values[index] = rows[i].value;
    }
  self->options.cold = is_cold;
  self->options.hot = !is_cold;
  gboolean is_done = cured_measure (self->device, &job, outcome, self->cancellable, error);
  if (self->func != NULL)
    self->func (++self->n_done, self->n_all, self->user_data);
  return is_done;
}

/* @reason: set if there is no value. FALSE as from run_point(). */
static gboolean
measure_fact (Measuring *self, const Probing *probing, double *value, char **reason, GError **error)
{
  /* Many launches are held until all are enqueued, but only in cold runs. */
  gboolean is_cold =
      (probing->take != TAKE_EACH && probing->take != TAKE_BYTES) || probing->point.launches > 1;
  CuredMetric metric = is_cold ? CURED_METRIC_time : CURED_METRIC_time_hot;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (CuredOutcome) less = cured_outcome_new ();

  *value = NAN;
  if (!run_point (self, &probing->point, is_cold, outcome, error))
    return FALSE;
  if (probing->take == TAKE_EACH || probing->take == TAKE_BYTES)
    {
      if (!run_point (self, &probing->less, is_cold, less, error))
        return FALSE;
      if (less->state != CURED_STATE_OK)
        {
          *reason = g_strdup (less->reason);
          return TRUE;
        }
    }
  if (outcome->state != CURED_STATE_OK)
    {
      *reason = g_strdup (outcome->reason);
      return TRUE;
    }
  double cycles = outcome->metrics[CURED_METRIC_cycles];
  double more_ns = outcome->metrics[metric] - less->metrics[metric];
  switch (probing->take)
    {
    case TAKE_RATE: *value = (double) probing->point.warps * probing->scale / cycles; break;
    case TAKE_CYCLES: *value = cycles; break;
    case TAKE_TIME: *value = outcome->metrics[metric]; break;
    case TAKE_EACH: *value = more_ns / probing->scale; break;
    case TAKE_BYTES: *value = probing->scale / more_ns * 1e9; break;
    case TAKE_CLOCK: *value = outcome->metrics[CURED_METRIC_sm_clock]; break;
    }
  if (!isfinite (*value) || *value <= 0)
    {
      *value = NAN;
      *reason = g_strdup (_ ("more work took no longer, or nothing was "
                             "counted"));
    }
  return TRUE;
}

static gint64
get_l2_kib (const CuredLimits *limits)
{
  return MAX (limits->l2_bytes >> 10, 1024);
}

/* Finds the largest array that is still read at nearly the best rate. */
static gboolean
measure_capacity (Measuring *self, const Point *read, double *value, char **reason, GError **error)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  double rates[G_N_ELEMENTS (sixteenths)], best = 0;

  *value = NAN;
  for (gsize i = 0; i < G_N_ELEMENTS (sixteenths); i++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      Point point = *read;

      point.footprint = get_l2_kib (limits) * sixteenths[i] / 16;
      point.steps = CAPACITY_PASSES;
      if (!run_point (self, &point, FALSE, outcome, error))
        return FALSE;
      if (outcome->state != CURED_STATE_OK)
        {
          *reason = g_strdup (outcome->reason);
          return TRUE;
        }
      rates[i] = (double) point.footprint / outcome->metrics[CURED_METRIC_time_hot];
      best = MAX (best, rates[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (sixteenths); i++)
    if (rates[i] >= HELD_RATE * best)
      *value = (double) (get_l2_kib (limits) * sixteenths[i] / 16) * 1024;
  return TRUE;
}

static const CuredMachineFact *
find_fact (const char *name)
{
  gsize n_facts = 0;
  const CuredMachineFact *facts = cured_machine_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    if (g_str_equal (facts[i].name, name))
      return &facts[i];
  g_return_val_if_reached (NULL);
}

static void
add_fact (GKeyFile *file, const char *name, double value, const char *how)
{
  const CuredMachineFact *fact = find_fact (name);
  g_autofree char *from = g_strconcat (fact->key, "From", NULL);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.4g", value);
  g_key_file_set_string (file, fact->group, fact->key, text);
  g_key_file_set_string (file, fact->group, from, how);
}

static void
leave_out (GPtrArray *left_out, const char *name, const char *reason)
{
  const CuredMachineFact *fact = find_fact (name);

  if (left_out != NULL)
    g_ptr_array_add (left_out, g_strdup_printf ("%s (%s): %s", fact->key, fact->meaning,
                                                reason != NULL ? reason : _ ("failed")));
}

static gboolean
refuse (const CuredDeviceInfo *info, GError **error)
{
  if (cured_device_info_has_time (info) && !g_str_equal (info->kind, "model"))
    return FALSE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               _ ("%s measures no time, and what it would say of a chip is not the chip's. Machine "
                  "facts are measured on a GPU, such as cuda:0; “cured devices” lists them"),
               info->id);
  return TRUE;
}

/* @device: a GPU, of this process or of a worker
 * @func: (nullable): called with progress
 * @left_out: (nullable) (element-type utf8): gets a line, with the reason, for each fact that could
 *   not be measured
 *
 * Measures rates, latencies, and the cost of launches and atomics, with events and the kernels' own
 * clocks, each by its own probe. Facts that can't be measured are left out. Blocks for some
 * seconds.
 * Returns: (transfer full): the text of a file for cured_machine_load(), each fact with its method;
 *   NULL with %CURED_ERROR_INVALID if the device has no clock, %G_IO_ERROR_CANCELLED, or the
 *   device's error */
char *
cured_machine_measure (CuredDevice *device, CuredMachineFunc func, gpointer user_data,
                       GPtrArray *left_out, GCancellable *cancellable, GError **error)
{
  const CuredDeviceInfo *info = cured_device_get_info (device);
  const CuredLimits *limits = &info->limits;
  gint64 sms = MAX (limits->sms, 1), l2 = get_l2_kib (limits);
  /* Half of the L2 cache, since other data needs room, too. In whole MiB, so that all threads have
   * the same share. */
  gint64 within = MAX (l2 / 2 / 1024, 1) * 1024;
  gint64 beyond = CLAMP (limits->global_bytes / 8 >> 10, 64 << 10, (gint64) 1 << 20);
  gint64 copied = MIN (beyond, 256 << 10), spread = MIN (8192, MAX (l2 / 4, 64));
  const Point read = { .probe = PROBE_STREAM_READ, .warps = 16, .blocks = 2 * sms };
#define RATE(fact, id, scale, how)                                                                 \
  {                                                                                                \
    fact, TAKE_RATE, scale, { .probe = id, .warps = 32, .steps = 8192 }, { 0 }, how                \
  }
#define CHAIN(fact, id, how)                                                                       \
  {                                                                                                \
    fact, TAKE_CYCLES, 1, { .probe = id, .warps = 1, .steps = 8192 }, { 0 }, how                   \
  }
#define COPIES(id, kib, n)                                                                         \
  {                                                                                                \
    .probe = PROBE_FP32, .footprint = kib, .copy = id, .launches = n                               \
  }
#define COPY(fact, id, memory)                                                                     \
  {                                                                                                \
    fact, TAKE_BYTES, (double) (copied * 1024 * 2), COPIES (id, copied, 3),                        \
        COPIES (id, copied, 1), "measured: two more copies of up to 256 MiB, " memory              \
  }
#define SMALL_COPY(fact, id, memory)                                                               \
  {                                                                                                \
    fact, TAKE_TIME, 1, COPIES (id, 4, 1), { 0 }, "measured: one copy of 4 KiB, " memory           \
  }
#define PASSES(id, kib, n)                                                                         \
  {                                                                                                \
    .probe = id, .warps = 16, .blocks = 2 * sms, .footprint = kib, .steps = n                      \
  }
#define STREAM(fact, id, kib, more, less, how)                                                     \
  {                                                                                                \
    fact, TAKE_BYTES, (double) ((kib) *1024 * ((more) - (less))), PASSES (id, kib, more),          \
        PASSES (id, kib, less), how                                                                \
  }
  /* clang-format off */
  const Probing probings[] = {
    { "sm_clock_hz",
      TAKE_CLOCK,
      1,
      { .probe = PROBE_FP32, .warps = 32, .blocks = sms, .steps = 1 << 16 },
      { 0 },
      "measured: mean while all multiprocessors multiply and add" },
    RATE ("issue", PROBE_ISSUE, 2, "measured: 32 warps, multiply-adds and shifts in turn"),
    RATE ("fp32", PROBE_FP32, 1, "measured: 32 warps, chains of fma.f32"),
    RATE ("imad", PROBE_IMAD, 1, "measured: 32 warps, chains of mad.lo.s32"),
    RATE ("alu", PROBE_ALU, 1, "measured: 32 warps, chains of shf.wrap"),
    RATE ("half", PROBE_HALF, 1, "measured: 32 warps, chains of fma.f16x2"),
    RATE ("fp64", PROBE_FP64, 1, "measured: 32 warps, chains of fma.f64"),
    RATE ("mufu", PROBE_MUFU, 1, "measured: 32 warps, chains of ex2.approx"),
    RATE ("lsu", PROBE_SHARED, 1, "measured: 32 warps, shared loads of 4 bytes per lane"),
    RATE ("wavefronts", PROBE_SHARED_WIDE, 4, "measured: 32 warps, shared loads of 16 bytes per lane"),
    RATE ("constant_words", PROBE_CONSTANT_WORDS, 32, "measured: 32 warps, a constant word for each lane"),
    { "lines",
      TAKE_RATE,
      4,
      { .probe = PROBE_LINES, .warps = 16, .footprint = 64, .steps = 8192 },
      { 0 },
      "measured: 16 warps, loads of 16 bytes per lane that L1 has" },
    { "l1_bytes",
      TAKE_RATE,
      512,
      { .probe = PROBE_L2_LINES, .warps = 32, .footprint = 1024, .steps = 8192 },
      { 0 },
      "measured: one multiprocessor reads from L2, 16 bytes per lane" },
    STREAM ("l2_read", PROBE_STREAM_READ, within, 48, 16, "measured: passes over half of the L2 cache"),
    STREAM ("l2_write", PROBE_STREAM_WRITE, within, 48, 16, "measured: passes over half of the L2 cache"),
    STREAM ("l2_both", PROBE_STREAM_COPY, within, 48, 16,
            "measured: copies within half of the L2 cache, both ways counted"),
    STREAM ("memory_read", PROBE_STREAM_READ, beyond, 3, 1, "measured: passes over many times the L2 cache"),
    STREAM ("memory_write", PROBE_STREAM_WRITE, beyond, 3, 1, "measured: passes over many times the L2 cache"),
    { "l1_latency",
      TAKE_CYCLES,
      1,
      { .probe = PROBE_CHASE, .warps = 1, .footprint = 16, .stride = 128, .steps = 8192 },
      { 0 },
      "measured: a ring of pointers in 16 KiB, far under what L1 holds" },
    { "l2_latency",
      TAKE_CYCLES,
      1,
      { .probe = PROBE_CHASE_L2,
        .warps = 1,
        .footprint = spread,
        .stride = 128,
        .steps = spread * 8 },
      { 0 },
      "measured: a ring of pointers in at most 8 MiB, past L1" },
    { "memory_latency",
      TAKE_CYCLES,
      1,
      { .probe = PROBE_CHASE_L2, .warps = 1, .footprint = beyond, .stride = 256, .steps = 16384 },
      { 0 },
      "measured: a ring of pointers in many times the L2 cache" },
    CHAIN ("shared_latency", PROBE_SHARED, "measured: a warp follows pointers in shared memory"),
    CHAIN ("alu_latency", PROBE_FP32, "measured: a warp's chain of fma.f32"),
    CHAIN ("fp64_latency", PROBE_FP64, "measured: a warp's chain of fma.f64"),
    CHAIN ("shuffle_latency", PROBE_SHUFFLE, "measured: a warp's chain of shuffles"),
    CHAIN ("constant_latency", PROBE_CONSTANT, "measured: a warp follows offsets in 256 bytes of constants"),
    { "launch_ns", TAKE_TIME, 1, { .warps = 1 }, { 0 }, "measured: a kernel that returns at once" },
    { "next_launch_ns",
      TAKE_EACH,
      256,
      { .warps = 1, .launches = 257 },
      { .warps = 1 },
      "measured: 256 more launches of a kernel that returns at once" },
    { "dispatch_ns",
      TAKE_EACH,
      (1 << 19) - (1 << 16),
      { .warps = 1, .blocks = 1 << 19 },
      { .warps = 1, .blocks = 1 << 16 },
      "measured: more blocks of a warp that return at once" },
    { "atomic_same_ns",
      TAKE_EACH,
      (double) (sms * 8 * 256),
      { .atomics = 1, .warps = 8, .blocks = sms, .steps = 320 },
      { .atomics = 1, .warps = 8, .blocks = sms, .steps = 64 },
      "measured: additions to one word by one lane of each warp" },
    { "atomic_ns",
      TAKE_EACH,
      (double) (sms * 1024 * 64),
      { .atomics = 2, .warps = 32, .blocks = sms, .footprint = spread, .steps = 80 },
      { .atomics = 2, .warps = 32, .blocks = sms, .footprint = spread, .steps = 16 },
      "measured: additions spread over sectors that the L2 cache holds" },
    COPY ("to_device", COPY_TO_DEVICE, "pinned"),
    COPY ("to_host", COPY_TO_HOST, "pinned"),
    COPY ("pageable_to_device", COPY_PAGEABLE_TO_DEVICE, "pageable"),
    COPY ("pageable_to_host", COPY_PAGEABLE_TO_HOST, "pageable"),
    SMALL_COPY ("to_device_ns", COPY_TO_DEVICE, "pinned"),
    SMALL_COPY ("to_host_ns", COPY_TO_HOST, "pinned"),
    SMALL_COPY ("pageable_to_device_ns", COPY_PAGEABLE_TO_DEVICE, "pageable"),
    SMALL_COPY ("pageable_to_host_ns", COPY_PAGEABLE_TO_HOST, "pageable"),
  };
  /* clang-format on */
#undef COPY
#undef SMALL_COPY
#undef RATE
#undef CHAIN
#undef COPIES
#undef PASSES
#undef STREAM
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format_iso8601 (now), *comment = NULL, *reason = NULL;
  g_auto (CuredOptions) options;
  Measuring self = {
    .device = device, .func = func, .user_data = user_data, .cancellable = cancellable
  };
  guint n_measured = 0;
  double value;

  cured_options_init (&options);
  if (refuse (info, error))
    return NULL;
  kernel = cured_kernel_new_from_text (_cured_asset_get ("measure/cured-machine-probe.cu"),
                                       "machine-probe", "cured-machine-probe.cu", error);
  if (kernel == NULL)
    return NULL;
  self.kernel = kernel;
  self.options = options;
  self.options.check = FALSE;
  self.options.min_samples = 7;
  self.options.sampling_s = SAMPLING_S;
  self.n_all = G_N_ELEMENTS (sixteenths);
  for (gsize i = 0; i < G_N_ELEMENTS (probings); i++)
    self.n_all += probings[i].take == TAKE_EACH || probings[i].take == TAKE_BYTES ? 2 : 1;

  comment = g_strdup_printf (" What %s reaches, as “cured measure-machine” of Cured %s measured "
                             "it\n with driver %s and %s.",
                             info->name, CURED_VERSION, info->driver, info->runtime);
  g_key_file_set_string (file, "Chip", "Name", info->name);
  g_key_file_set_string (file, "Chip", "Arch", info->arch);
  g_key_file_set_string (file, "Chip", "Date", date);
  g_key_file_set_comment (file, NULL, NULL, comment, NULL);
  add_fact (file, "sms", (double) limits->sms, "published: the driver's multiProcessorCount");
  for (gsize i = 0; i < G_N_ELEMENTS (probings); i++)
    {
      g_clear_pointer (&reason, g_free);
      if (!measure_fact (&self, &probings[i], &value, &reason, error))
        return NULL;
      if (isnan (value))
        leave_out (left_out, probings[i].fact, reason);
      else
        {
          add_fact (file, probings[i].fact, value, probings[i].how);
          n_measured++;
        }
    }
  g_clear_pointer (&reason, g_free);
  if (!measure_capacity (&self, &read, &value, &reason, error))
    return NULL;
  if (isnan (value))
    leave_out (left_out, "l2_capacity", reason);
  else
    add_fact (file, "l2_capacity", value,
              "measured: largest array that is read at nine tenths of the best rate");
  leave_out (left_out, "tensor",
             _ ("mma.sync does not reach what the chip's own tensor instructions do; take the "
                "published rate"));
  leave_out (left_out, "remote", _ ("lab/measure-remote.cu measures it, in clusters"));
  leave_out (left_out, "remote_latency", _ ("lab/measure-remote.cu measures it, in clusters"));
  leave_out (left_out, "host_ns", _ ("it is the host's, not the chip's; lab/fit-machine fits it"));
  if (n_measured == 0)
    return cured_fail_null (error, CURED_ERROR_DEVICE, _ ("Nothing could be measured on %s: %s"),
                            info->id, reason != NULL ? reason : "");
  return g_key_file_to_data (file, NULL, NULL);
}

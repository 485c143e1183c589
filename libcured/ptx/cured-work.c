/* SPDX-License-Identifier: MIT
 * Work: resources of the chip used by launches and their instructions. */
#include "ptx/cured-work-internal.h"

#include "base/cured-base-internal.h"

#define SECTOR_BYTES 32.0

static const CuredWorkField fields[] = {
#define CURED_WORK_ROW(name, title, meaning)                                                       \
  { #name, title, meaning, G_STRUCT_OFFSET (CuredWork, name) },
  CURED_WORK_FIELDS (CURED_WORK_ROW)
#undef CURED_WORK_ROW
};

/* @n_fields: (out): number of rows
 * Returns: (transfer none) (array length=n_fields): the table of figures */
const CuredWorkField *
cured_work_fields (gsize *n_fields)
{
  *n_fields = G_N_ELEMENTS (fields);
  return fields;
}

/* @field: a row of cured_work_fields()
 * Returns: its figure */
double
cured_work_get (const CuredWork *self, const CuredWorkField *field)
{
  return *(const double *) G_STRUCT_MEMBER_P (self, field->offset);
}

/* A pointer to the figure of @field. */
double *
_cured_work_at (CuredWork *self, const CuredWorkField *field)
{
  return (double *) G_STRUCT_MEMBER_P (self, field->offset);
}

/* @self: figures, which increase
 * @other: added to it
 * @times: multiplies @other */
void
cured_work_add (CuredWork *self, const CuredWork *other, double times)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    *_cured_work_at (self, &fields[i]) += cured_work_get (other, &fields[i]) * times;
}

/* @self: figures
 * Returns: issue slots of all pipes except the tensor pipe's products, since one instruction makes
 * many of them */
double
cured_work_get_slots (const CuredWork *self)
{
  double slots = 0;

  for (int pipe = 0; pipe < CURED_N_PIPES; pipe++)
    if (pipe != CURED_PIPE_TENSOR)
      slots += cured_work_get (self, &fields[pipe]);
  return slots;
}

/* Returns: threads of a block */
guint64
cured_work_launch_count_threads (const CuredWorkLaunch *self)
{
  return (guint64) self->block[0] * self->block[1] * self->block[2];
}

static void
site_free (CuredWorkSite *self)
{
  g_free (self->file);
  g_free (self->text);
  if (self->flow != NULL)
    g_free (self->flow->registers);
  g_free (self->flow);
  g_free (self);
}

CURED_FREE_FUNC (CuredWorkBuffer, buffer_free, name, g_free)

CURED_FREE_FUNC (CuredWorkLaunch, launch_free, entry, g_free, end, g_free, sites, g_ptr_array_unref,
                 buffers, g_ptr_array_unref, steps, g_array_unref)

/* Returns: (transfer full): a program without launches */
CuredWorkload *
cured_workload_new (void)
{
  CuredWorkload *self = g_atomic_rc_box_new0 (CuredWorkload);

  self->launches = g_ptr_array_new_with_free_func ((GDestroyNotify) launch_free);
  return self;
}

CURED_CLEAR_FUNC (CuredWorkload, workload_clear, launches, g_ptr_array_unref)

CURED_DEFINE_RC (CuredWorkload, cured_workload, workload_clear)

/* @self: a workload under construction
 * @entry: the kernel
 * Returns: (transfer none): a new launch in @self, run once, with all figures 0 */
CuredWorkLaunch *
cured_workload_add (CuredWorkload *self, const char *entry)
{
  CuredWorkLaunch *launch =
      CURED_NEW (CuredWorkLaunch, .entry = g_strdup (entry), .repeats = 1, .uncertain = NAN,
                 .in_flight = NAN, .traffic = (CuredTraffic){ NAN, NAN, NAN, NAN, NAN },
                 .sites = g_ptr_array_new_with_free_func ((GDestroyNotify) site_free),
                 .buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) buffer_free));

  g_ptr_array_add (self->launches, launch);
  return launch;
}

/* @self: a launch under construction
 * Returns: (transfer none): a new last instruction, with all figures 0 */
CuredWorkSite *
cured_work_launch_add_site (CuredWorkLaunch *self)
{
  CuredWorkSite *site = g_new0 (CuredWorkSite, 1);

  g_ptr_array_add (self->sites, site);
  return site;
}

/* @self: a launch under construction
 * Returns: (transfer none): a new last buffer */
CuredWorkBuffer *
cured_work_launch_add_buffer (CuredWorkLaunch *self)
{
  CuredWorkBuffer *buffer = g_new0 (CuredWorkBuffer, 1);

  buffer->fresh = buffer->joined = NAN;
  g_ptr_array_add (self->buffers, buffer);
  return buffer;
}

/* Bytes that a launch reads of a buffer if L2 keeps nothing from one wave of blocks to the next:
 * data shared by blocks of a wave is read once. */
double
_cured_work_buffer_get_read (const CuredWorkBuffer *self)
{
  double sectors = isnan (self->fresh) ? self->read : MIN (self->read, self->once) * self->fresh;

  return sectors * SECTOR_BYTES;
}

/* @value: untrusted
 * Returns: whether it is a possible count */
gboolean
cured_work_is_amount (double value)
{
  return isfinite (value) && value >= 0;
}

static gboolean
is_traffic (double value)
{
  return isnan (value) || cured_work_is_amount (value);
}

/* @self: an untrusted launch
 * Returns: whether its own numbers are possible; its figures are not checked */
gboolean
cured_work_launch_is_sane (const CuredWorkLaunch *self)
{
  for (int i = 0; i < 3; i++)
    if (self->grid[i] == 0 || self->block[i] == 0 || self->block[i] > 1024)
      return FALSE;
  return self->repeats > 0 && self->repeats < G_MAXINT64 &&
         cured_work_launch_count_threads (self) <= 1024 && self->registers >= 0 &&
         self->blocks_per_sm >= 0 && self->n_blocks > 0 && self->n_blocks < G_MAXINT64 &&
         self->n_run <= self->n_blocks && cured_work_is_amount (self->error) &&
         cured_work_is_amount (self->longest) && cured_work_is_amount (self->hottest) &&
         is_traffic (self->uncertain) && is_traffic (self->in_flight) &&
         is_traffic (self->traffic.l1_hits) && is_traffic (self->traffic.l2_read) &&
         is_traffic (self->traffic.l2_written) && is_traffic (self->traffic.memory_read) &&
         is_traffic (self->traffic.memory_written);
}

/* @traffic: (out caller-allocates): of all launches; NaN if that of one launch is unknown
 * Returns: whether all of it is known */
gboolean
cured_workload_get_traffic (const CuredWorkload *self, CuredTraffic *traffic)
{
  *traffic = (CuredTraffic){ 0 };
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, self->launches)
    {
      traffic->l1_hits += launch->traffic.l1_hits;
      traffic->l2_read += launch->traffic.l2_read;
      traffic->l2_written += launch->traffic.l2_written;
      traffic->memory_read += launch->traffic.memory_read;
      traffic->memory_written += launch->traffic.memory_written;
    }
  return self->launches->len > 0 &&
         isfinite (traffic->l1_hits + traffic->l2_read + traffic->l2_written +
                   traffic->memory_read + traffic->memory_written);
}

/* @total: (out): sum over all launches */
void
cured_workload_get_total (const CuredWorkload *self, CuredWork *total)
{
  *total = (CuredWork){ 0 };
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, self->launches)
    cured_work_add (total, &launch->total, 1);
}

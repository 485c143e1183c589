/* SPDX-License-Identifier: MIT
 * What a worker found out of a kernel, as bytes. */
#include "config.h"

#include "worker/cured-answer-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "base/cured-error.h"
#include "inspect/cured-inspection-internal.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/cured-work-internal.h"

/* Implementation notes
 *
 * A worker has compiled and run what a stranger wrote; if that found a way to make it lie, it says
 * here whatever it likes. GVariant's form has sizes that can't leave the bytes, and its types can't
 * nest deeper than they say. What it can't know is looked at below: indices, enumerations, what has
 * to be there. What can be computed from the rest is not sent. */

#define SIDE_TYPE    "(msiimsms(uuu)uu)"
#define FINDING_TYPE "(ums" SIDE_TYPE SIDE_TYPE "msmst)"
#define ACCESS_TYPE  "(uuuuay)"
#define PATTERN_TYPE "(t" ACCESS_TYPE ")"
#define SITE_TYPE    "(umsimsisuubtttttta" PATTERN_TYPE "tm" FINDING_TYPE "ms)"
#define EVENT_TYPE   "(t" ACCESS_TYPE ")"
#define WIDTHS_TYPE  "(msiuauau)"
#define SLICE_TYPE   "(stuttttay)"
#define TOUCH_TYPE   "(ttuy)"
#define BANK_VIEW_TYPE                                                                             \
  "(mst(uuu)(uuu)(uuu)uutua" SITE_TYPE "a" EVENT_TYPE "ta" SLICE_TYPE "a" TOUCH_TYPE               \
  "bmsa" WIDTHS_TYPE "msumsa" FINDING_TYPE ")"
#define LINE_TYPE       "(ittttttt)"
#define DIAGNOSTIC_TYPE "(uis)"
#define INSPECTION_TYPE                                                                            \
  "(m" BANK_VIEW_TYPE "msaia" LINE_TYPE "a" FINDING_TYPE "a" DIAGNOSTIC_TYPE "tbxx)"
#define DEMAND_TYPE      "(sxtittii)"
#define WORK_SITE_TYPE   "(umsiisad)"
#define WORK_BUFFER_TYPE "(sdddddd)"
#define WORK_LAUNCH_TYPE                                                                           \
  "(sut(uuu)(uuu)tiittbdddmsad(dddddd)a" WORK_SITE_TYPE "a" WORK_BUFFER_TYPE ")"

/* A field that somebody adds to one of these is lost on the way until it is in the type above, in
 * pack_… () and in unpack_… () below. So the compiler stops where there are more fields than there
 * are values here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
#define ASSERT_FIELDS(Type, ...) G_GNUC_UNUSED static const Type Type##_fields = { __VA_ARGS__ }
ASSERT_FIELDS (CuredFindingSide, NULL, 0, 0, NULL, NULL, { 0 }, 0, 0);
ASSERT_FIELDS (CuredFinding, 0, NULL, { 0 }, { 0 }, NULL, NULL, 0, { NULL });
ASSERT_FIELDS (CuredBankAccess, 0, 0, 0, 0, { 0 });
ASSERT_FIELDS (CuredBankViewPattern, 0, { 0 }, { 0 });
ASSERT_FIELDS (CuredBankEvent, 0, { 0 });
ASSERT_FIELDS (CuredBankSlice, NULL, 0, 0, 0, 0, 0, 0, NULL, 0);
ASSERT_FIELDS (CuredBankTouch, 0, 0, 0, 0);
ASSERT_FIELDS (CuredBankWidths, NULL, 0, 0, { 0 }, { 0 });
ASSERT_FIELDS (CuredLineCounts, 0, 0, 0, 0, 0, 0, 0, 0);
ASSERT_FIELDS (CuredDiagnostic, 0, 0, NULL);
ASSERT_FIELDS (CuredFunctionInfo, 0, 0, 0, 0, 0);
ASSERT_FIELDS (CuredDemand, NULL, 0, 0, { 0 });
/* What ties instructions together stays where they were counted. */
ASSERT_FIELDS (CuredWorkSite, 0, NULL, 0, 0, NULL, NULL, { 0 });
ASSERT_FIELDS (CuredWorkBuffer, NULL, 0, 0, 0, 0, 0, 0);
ASSERT_FIELDS (CuredTraffic, 0, 0, 0, 0, 0);
/* clang-format off */
ASSERT_FIELDS (CuredBankSite,
               0, NULL, 0, NULL, 0, NULL,       /* … ptx */
               0, 0, FALSE, 0, 0, 0, 0, 0, 0,   /* … block_least */
               NULL, 0, 0, NULL, NULL);
ASSERT_FIELDS (CuredBankView,
               NULL, 0, { 0 }, { 0 }, { 0 },    /* … threads */
               0, 0, 0, 0, NULL, 0,             /* … n_sites */
               NULL, 0, 0, NULL, 0, NULL, 0, 0, /* … is_touched_more */
               NULL, NULL, 0, NULL, NULL, 0, NULL);
ASSERT_FIELDS (CuredInspection,
               NULL, NULL, NULL, 0,             /* … n_ptx_lines */
               NULL, NULL, NULL, 0, FALSE, 0, 0);
/* clang-format on */
#undef ASSERT_FIELDS
#pragma GCC diagnostic pop

const char _cured_bank_view_type[] = BANK_VIEW_TYPE;
const char _cured_inspection_type[] = INSPECTION_TYPE;
const char _cured_demands_type[] = "a" DEMAND_TYPE;
const char _cured_workload_type[] = "a" WORK_LAUNCH_TYPE;

static gboolean
fail (GError **error)
{
  g_set_error_literal (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                       _ ("The worker's answer makes no sense"));
  return FALSE;
}

/* -- texts -- */

static GVariant *
pack_text (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (text != NULL ? text : "", -1));
}

static GVariant *
pack_maybe (const char *text)
{
  return g_variant_new_maybe (G_VARIANT_TYPE_STRING, text != NULL ? pack_text (text) : NULL);
}

/* -- findings -- */

static GVariant *
pack_side (const CuredFindingSide *side)
{
  return g_variant_new ("(@msii@ms@ms(uuu)uu)", pack_maybe (side->file), side->line, side->ptx_line,
                        pack_maybe (side->source), pack_maybe (side->what), side->block[0],
                        side->block[1], side->block[2], side->warp, side->lanes);
}

static gboolean
unpack_side (GVariant *variant, CuredFinding *finding, CuredFindingSide *side)
{
  char *what = NULL;

  g_variant_get (variant, "(msiimsms(uuu)uu)", &side->file, &side->line, &side->ptx_line,
                 &side->source, &what, &side->block[0], &side->block[1], &side->block[2],
                 &side->warp, &side->lanes);
  cured_finding_take_what (finding, side, what);
  return side->line >= 0 && side->ptx_line >= 0;
}

static GVariant *
pack_finding (const CuredFinding *finding)
{
  return g_variant_new ("(u@ms@" SIDE_TYPE "@" SIDE_TYPE "@ms@mst)", (guint32) finding->kind,
                        pack_maybe (finding->kernel), pack_side (&finding->here),
                        pack_side (&finding->there), pack_maybe (finding->object),
                        pack_maybe (finding->detail), finding->count);
}

static CuredFinding *
unpack_finding (GVariant *variant, GError **error)
{
  g_autoptr (CuredFinding) finding = g_new0 (CuredFinding, 1);
  g_autoptr (GVariant) here = NULL;
  g_autoptr (GVariant) there = NULL;
  guint32 kind = 0;

  g_variant_get (variant, "(ums@" SIDE_TYPE "@" SIDE_TYPE "msmst)", &kind, &finding->kernel, &here,
                 &there, &finding->object, &finding->detail, &finding->count);
  finding->kind = (CuredFindingKind) kind;
  if (kind >= CURED_N_FINDINGS || finding->kernel == NULL ||
      !unpack_side (here, finding, &finding->here) ||
      !unpack_side (there, finding, &finding->there))
    {
      fail (error);
      return NULL;
    }
  return g_steal_pointer (&finding);
}

static GVariant *
pack_findings (const GPtrArray *findings)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a" FINDING_TYPE));
  for (guint i = 0; i < findings->len; i++)
    g_variant_builder_add_value (&builder, pack_finding (findings->pdata[i]));
  return g_variant_builder_end (&builder);
}

static gboolean
unpack_findings (GVariant *variant, GPtrArray *findings, GError **error)
{
  if (g_variant_n_children (variant) > CURED_MAX_FINDINGS)
    return fail (error);
  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);
      CuredFinding *finding = unpack_finding (child, error);

      if (finding == NULL)
        return FALSE;
      g_ptr_array_add (findings, finding);
    }
  return TRUE;
}

/* -- banks -- */

static GVariant *
pack_access (const CuredBankAccess *access)
{
  return g_variant_new ("(uuuu@ay)", (guint32) access->arch, (guint32) access->kind,
                        (guint32) access->width, access->mask,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, access->addresses,
                                                   sizeof access->addresses, 1));
}

static gboolean
unpack_access (GVariant *variant, CuredBankAccess *access, CuredBankCounts *counts, GError **error)
{
  g_autoptr (GVariant) bytes = NULL;
  guint32 arch = 0;
  guint32 kind = 0;
  guint32 width = 0;
  gconstpointer addresses = NULL;
  gsize size = 0;

  g_variant_get (variant, "(uuuu@ay)", &arch, &kind, &width, &access->mask, &bytes);
  addresses = g_variant_get_fixed_array (bytes, &size, 1);
  if (arch > CURED_BANK_ARCH_1 || kind > CURED_BANK_KIND_SWAP || width < 8 || width > 128 ||
      (width & (width - 1)) != 0 || access->mask == 0 || size != sizeof access->addresses)
    return fail (error);
  access->arch = (CuredBankArch) arch;
  access->kind = (CuredBankKind) kind;
  access->width = width;
  memcpy (access->addresses, addresses, size);
  return cured_bank_model_count (access, counts) || fail (error);
}

static GVariant *
pack_site (const CuredBankSite *site)
{
  GVariantBuilder patterns;

  g_variant_builder_init (&patterns, G_VARIANT_TYPE ("a" PATTERN_TYPE));
  for (gsize i = 0; i < site->n_patterns; i++)
    g_variant_builder_add (&patterns, "(t@" ACCESS_TYPE ")", site->patterns[i].count,
                           pack_access (&site->patterns[i].access));
  return g_variant_new (
      "(u@msi@msi@suubtttttta" PATTERN_TYPE "t@m" FINDING_TYPE "@ms)", (guint32) site->site,
      pack_maybe (site->file), site->line, pack_maybe (site->source), site->ptx_line,
      pack_text (site->ptx), (guint32) site->kind, (guint32) site->width, site->is_known,
      site->accesses, site->wavefronts, site->least, site->block_accesses, site->block_wavefronts,
      site->block_least, &patterns, site->n_left_out,
      g_variant_new_maybe (G_VARIANT_TYPE (FINDING_TYPE),
                           site->fault != NULL ? pack_finding (site->fault) : NULL),
      pack_maybe (site->array));
}

static gboolean
unpack_site (GVariant *variant, CuredBankSite *site, GError **error)
{
  g_autoptr (GVariant) patterns = NULL;
  g_autoptr (GVariant) maybe = NULL;
  g_autoptr (GVariant) fault = NULL;
  guint32 number = 0;
  guint32 kind = 0;
  guint32 width = 0;

  g_variant_get (variant, "(umsimsisuubtttttt@a" PATTERN_TYPE "t@m" FINDING_TYPE "ms)", &number,
                 &site->file, &site->line, &site->source, &site->ptx_line, &site->ptx, &kind,
                 &width, &site->is_known, &site->accesses, &site->wavefronts, &site->least,
                 &site->block_accesses, &site->block_wavefronts, &site->block_least, &patterns,
                 &site->n_left_out, &maybe, &site->array);
  fault = g_variant_get_maybe (maybe);
  if (fault != NULL)
    {
      site->fault = unpack_finding (fault, error);
      if (site->fault == NULL)
        return FALSE;
    }
  site->site = number;
  site->kind = (CuredAccessKind) kind;
  site->width = width;
  site->n_patterns = g_variant_n_children (patterns);
  site->patterns = g_new0 (CuredBankViewPattern, MAX (site->n_patterns, 1));
  if (kind > CURED_ACCESS_COPY || width > 128 || site->line < 0 || site->ptx_line < 0 ||
      site->accesses == 0 || (site->is_known && site->n_patterns == 0) ||
      site->n_patterns > CURED_BANK_VIEW_MAX_PATTERNS)
    return fail (error);
  for (gsize i = 0; i < site->n_patterns; i++)
    {
      CuredBankViewPattern *pattern = &site->patterns[i];
      g_autoptr (GVariant) child = g_variant_get_child_value (patterns, i);
      g_autoptr (GVariant) access = NULL;

      g_variant_get (child, "(t@" ACCESS_TYPE ")", &pattern->count, &access);
      if (!unpack_access (access, &pattern->access, &pattern->counts, error))
        return FALSE;
    }
  return TRUE;
}

static GVariant *
pack_widths (const CuredBankWidths *widths)
{
  return g_variant_new (
      "(@msiu@au@au)", pack_maybe (widths->file), widths->line, (guint32) widths->kind,
      g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, widths->ptx, CURED_BANK_N_WIDTHS, 4),
      g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, widths->machine, CURED_BANK_N_WIDTHS, 4));
}

static gboolean
unpack_counts (GVariant *variant, guint *counts)
{
  gsize n = 0;
  const guint32 *values = g_variant_get_fixed_array (variant, &n, 4);

  if (n != CURED_BANK_N_WIDTHS)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    counts[i] = values[i];
  return TRUE;
}

static gboolean
unpack_widths (GVariant *variant, CuredBankWidths *widths, GError **error)
{
  g_autoptr (GVariant) ptx = NULL;
  g_autoptr (GVariant) machine = NULL;
  guint32 kind = 0;

  g_variant_get (variant, "(msiu@au@au)", &widths->file, &widths->line, &kind, &ptx, &machine);
  widths->kind = (CuredAccessKind) kind;
  return (kind <= CURED_ACCESS_COPY && widths->line >= 0 && unpack_counts (ptx, widths->ptx) &&
          unpack_counts (machine, widths->machine)) ||
         fail (error);
}

static GVariant *
pack_slice (const CuredBankSlice *slice)
{
  return g_variant_new (
      "(stutttt@ay)", slice->buffer, slice->bytes, slice->element_bytes, slice->read_begin,
      slice->read_end, slice->write_begin, slice->write_end,
      g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, slice->parts, slice->n_parts, 1));
}

static gboolean
unpack_slice (GVariant *variant, CuredBankSlice *slice, GError **error)
{
  g_autoptr (GVariant) parts = NULL;
  const guint8 *flags;

  g_variant_get (variant, "(stutttt@ay)", &slice->buffer, &slice->bytes, &slice->element_bytes,
                 &slice->read_begin, &slice->read_end, &slice->write_begin, &slice->write_end,
                 &parts);
  flags = g_variant_get_fixed_array (parts, &slice->n_parts, 1);
  slice->parts = g_memdup2 (flags, slice->n_parts);
  return (slice->n_parts >= 1 && slice->n_parts <= CURED_BANK_MAX_PARTS &&
          slice->element_bytes > 0 && slice->read_begin <= slice->read_end &&
          slice->read_end <= slice->bytes && slice->write_begin <= slice->write_end &&
          slice->write_end <= slice->bytes) ||
         fail (error);
}

/* (transfer floating) */
GVariant *
_cured_bank_view_to_variant (const CuredBankView *self)
{
  GVariantBuilder slices;
  GVariantBuilder sites;
  GVariantBuilder events;
  GVariantBuilder widths;
  GVariantBuilder touches;

  g_variant_builder_init (&sites, G_VARIANT_TYPE ("a" SITE_TYPE));
  g_variant_builder_init (&events, G_VARIANT_TYPE ("a" EVENT_TYPE));
  g_variant_builder_init (&widths, G_VARIANT_TYPE ("a" WIDTHS_TYPE));
  for (gsize i = 0; i < self->n_sites; i++)
    g_variant_builder_add_value (&sites, pack_site (&self->sites[i]));
  for (gsize i = 0; i < self->n_events; i++)
    g_variant_builder_add (&events, "(t@" ACCESS_TYPE ")", (guint64) self->events[i].site,
                           pack_access (&self->events[i].access));
  for (gsize i = 0; i < self->n_widths; i++)
    g_variant_builder_add_value (&widths, pack_widths (&self->widths[i]));
  g_variant_builder_init (&slices, G_VARIANT_TYPE ("a" SLICE_TYPE));
  for (gsize i = 0; i < self->n_slices; i++)
    g_variant_builder_add_value (&slices, pack_slice (&self->slices[i]));
  g_variant_builder_init (&touches, G_VARIANT_TYPE ("a" TOUCH_TYPE));
  for (gsize i = 0; i < self->n_touches; i++)
    g_variant_builder_add (&touches, TOUCH_TYPE, (guint64) self->touches[i].slice,
                           self->touches[i].element, self->touches[i].thread,
                           self->touches[i].flags);
  return g_variant_new (
      "(@mst(uuu)(uuu)(uuu)uutua" SITE_TYPE "a" EVENT_TYPE "ta" SLICE_TYPE "a" TOUCH_TYPE
      "b@msa" WIDTHS_TYPE "@msu@ms@a" FINDING_TYPE ")",
      pack_maybe (self->entry), (guint64) self->step, self->grid[0], self->grid[1], self->grid[2],
      self->block[0], self->block[1], self->block[2], self->threads[0], self->threads[1],
      self->threads[2], self->warp, self->n_warps, (guint64) self->shared_bytes,
      (guint32) self->arch, &sites, &events, self->n_later_events, &slices, &touches,
      self->is_touched_more, pack_maybe (self->machine), &widths, pack_maybe (self->note),
      (guint32) self->end, pack_maybe (self->end_text), pack_findings (self->faults));
}

static gboolean
unpack_sites (CuredBankView *self, GVariant *variant, GError **error)
{
  self->n_sites = g_variant_n_children (variant);
  self->sites = g_new0 (CuredBankSite, MAX (self->n_sites, 1));
  for (gsize i = 0; i < self->n_sites; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);

      if (!unpack_site (child, &self->sites[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
unpack_events (CuredBankView *self, GVariant *variant, GError **error)
{
  self->n_events = g_variant_n_children (variant);
  if (self->n_events > CURED_BANK_VIEW_MAX_EVENTS)
    return fail (error);
  self->events = g_new0 (CuredBankEvent, MAX (self->n_events, 1));
  for (gsize i = 0; i < self->n_events; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);
      g_autoptr (GVariant) access = NULL;
      CuredBankCounts counts;
      guint64 site = 0;

      g_variant_get (child, "(t@" ACCESS_TYPE ")", &site, &access);
      if (site >= self->n_sites || !self->sites[site].is_known)
        return fail (error);
      self->events[i].site = (gsize) site;
      if (!unpack_access (access, &self->events[i].access, &counts, error))
        return FALSE;
    }
  return TRUE;
}

/* What runs nothing has no threads, and then nothing is touched. */
static gboolean
check_block (const CuredBankView *self, GError **error)
{
  const guint *threads = self->threads;
  guint64 n_threads = 1;

  for (int i = 0; i < 3; i++)
    {
      /* Before it is multiplied. */
      if (threads[i] > CURED_BANK_VIEW_MAX_THREADS)
        return fail (error);
      n_threads *= threads[i];
    }
  if (n_threads > CURED_BANK_VIEW_MAX_THREADS || self->n_warps != (n_threads + 31) / 32)
    return fail (error);
  if (n_threads == 0)
    return (threads[0] == 0 && threads[1] == 0 && threads[2] == 0 && self->warp == 0) ||
           fail (error);
  return self->warp < self->n_warps || fail (error);
}

static gboolean
unpack_touches (CuredBankView *self, GVariant *variant, GError **error)
{
  guint n_threads = self->threads[0] * self->threads[1] * self->threads[2];

  self->n_touches = g_variant_n_children (variant);
  if (self->n_touches > CURED_BANK_VIEW_MAX_TOUCHES)
    return fail (error);
  self->touches = g_new0 (CuredBankTouch, MAX (self->n_touches, 1));
  for (gsize i = 0; i < self->n_touches; i++)
    {
      CuredBankTouch *touch = &self->touches[i];
      const CuredBankSlice *slice;
      guint64 index = 0;

      g_variant_get_child (variant, i, TOUCH_TYPE, &index, &touch->element, &touch->thread,
                           &touch->flags);
      if (index >= self->n_slices || touch->thread >= n_threads)
        return fail (error);
      touch->slice = (gsize) index;
      slice = &self->slices[index];
      if (slice->bytes == 0 || touch->element > (slice->bytes - 1) / slice->element_bytes)
        return fail (error);
    }
  return TRUE;
}

/* Of the type that goes by its name, and of a side that is not trusted. */
CuredBankView *
_cured_bank_view_from_variant (GVariant *variant, GError **error)
{
  g_autoptr (CuredBankView) self = _cured_bank_view_new_empty ();
  g_autoptr (GVariant) sites = NULL;
  g_autoptr (GVariant) events = NULL;
  g_autoptr (GVariant) slices = NULL;
  g_autoptr (GVariant) touches = NULL;
  g_autoptr (GVariant) widths = NULL;
  g_autoptr (GVariant) faults = NULL;
  guint64 step = 0;
  guint64 shared_bytes = 0;
  guint32 arch = 0;
  guint32 end = 0;

  g_variant_get (variant,
                 "(mst(uuu)(uuu)(uuu)uutu@a" SITE_TYPE "@a" EVENT_TYPE "t@a" SLICE_TYPE
                 "@a" TOUCH_TYPE "bms@a" WIDTHS_TYPE "msums@a" FINDING_TYPE ")",
                 &self->entry, &step, &self->grid[0], &self->grid[1], &self->grid[2],
                 &self->block[0], &self->block[1], &self->block[2], &self->threads[0],
                 &self->threads[1], &self->threads[2], &self->warp, &self->n_warps, &shared_bytes,
                 &arch, &sites, &events, &self->n_later_events, &slices, &touches,
                 &self->is_touched_more, &self->machine, &widths, &self->note, &end,
                 &self->end_text, &faults);
  self->step = (gsize) step;
  self->shared_bytes = (gsize) shared_bytes;
  self->arch = (CuredBankArch) arch;
  self->end = (CuredEnd) end;
  if (self->entry == NULL || arch > CURED_BANK_ARCH_1 || end > CURED_END_DEADLOCK)
    {
      fail (error);
      return NULL;
    }
  if (!check_block (self, error) || !unpack_findings (faults, self->faults, error) ||
      !unpack_sites (self, sites, error) || !unpack_events (self, events, error))
    return NULL;
  self->n_slices = g_variant_n_children (slices);
  self->slices = g_new0 (CuredBankSlice, MAX (self->n_slices, 1));
  for (gsize i = 0; i < self->n_slices; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (slices, i);

      if (!unpack_slice (child, &self->slices[i], error))
        return NULL;
    }
  if (!unpack_touches (self, touches, error))
    return NULL;
  self->n_widths = g_variant_n_children (widths);
  self->widths = g_new0 (CuredBankWidths, MAX (self->n_widths, 1));
  for (gsize i = 0; i < self->n_widths; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (widths, i);

      if (!unpack_widths (child, &self->widths[i], error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

/* -- inspections -- */

/* (transfer floating) */
GVariant *
_cured_inspection_to_variant (const CuredInspection *self)
{
  GVariantBuilder lines;
  GVariantBuilder diagnostics;
  GVariant *banks = self->banks != NULL ? _cured_bank_view_to_variant (self->banks) : NULL;

  g_variant_builder_init (&lines, G_VARIANT_TYPE ("a" LINE_TYPE));
  g_variant_builder_init (&diagnostics, G_VARIANT_TYPE ("a" DIAGNOSTIC_TYPE));
  for (guint i = 0; i < self->lines->len; i++)
    {
      const CuredLineCounts *line = &g_array_index (self->lines, CuredLineCounts, i);

      g_variant_builder_add (&lines, LINE_TYPE, line->line, line->issued, line->shared_requests,
                             line->wavefronts, line->least, line->requests, line->sectors,
                             line->diverged);
    }
  for (guint i = 0; i < self->diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = self->diagnostics->pdata[i];

      g_variant_builder_add (&diagnostics, "(ui@s)", (guint32) diagnostic->severity,
                             diagnostic->line, pack_text (diagnostic->text));
    }
  return g_variant_new (
      "(@m" BANK_VIEW_TYPE "@ms@aia" LINE_TYPE "@a" FINDING_TYPE "a" DIAGNOSTIC_TYPE "tbxx)",
      g_variant_new_maybe (G_VARIANT_TYPE (BANK_VIEW_TYPE), banks), pack_maybe (self->ptx),
      g_variant_new_fixed_array (G_VARIANT_TYPE_INT32, self->ptx_lines, self->n_ptx_lines, 4),
      &lines, pack_findings (self->findings), &diagnostics, self->n_blocks, self->is_partial,
      self->compile_ns, self->run_ns);
}

static gboolean
unpack_lines (CuredInspection *self, GVariant *variant, GError **error)
{
  GVariantIter iter;
  CuredLineCounts row = { 0 };
  int last = 0;

  g_variant_iter_init (&iter, variant);
  while (g_variant_iter_next (&iter, LINE_TYPE, &row.line, &row.issued, &row.shared_requests,
                              &row.wavefronts, &row.least, &row.requests, &row.sectors,
                              &row.diverged))
    {
      /* They are searched by halves. */
      if (row.line <= last)
        return fail (error);
      last = row.line;
      g_array_append_val (self->lines, row);
    }
  return TRUE;
}

static gboolean
unpack_diagnostics (CuredInspection *self, GVariant *variant, GError **error)
{
  GVariantIter iter;
  guint32 severity = 0;
  int line = 0;
  char *text = NULL;

  g_variant_iter_init (&iter, variant);
  while (g_variant_iter_next (&iter, DIAGNOSTIC_TYPE, &severity, &line, &text))
    {
      _cured_inspection_take_diagnostic (
          self, (CuredSeverity) MIN (severity, (guint32) CURED_SEVERITY_NOTE), MAX (line, 0), text);
      if (severity > CURED_SEVERITY_NOTE || line < 0)
        return fail (error);
    }
  return TRUE;
}

static gboolean
unpack_ptx (CuredInspection *self, GVariant *variant, GError **error)
{
  gsize n = 0;
  const gint32 *lines = g_variant_get_fixed_array (variant, &n, 4);
  gsize n_expected = self->ptx != NULL ? 1 : 0;

  for (const char *at = self->ptx; at != NULL && *at != '\0'; at++)
    n_expected += *at == '\n';
  if (n != n_expected)
    return fail (error);
  self->n_ptx_lines = n;
  self->ptx_lines = g_new0 (int, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    {
      if (lines[i] < 0)
        return fail (error);
      self->ptx_lines[i] = lines[i];
    }
  return TRUE;
}

/* As _cured_bank_view_from_variant(). */
CuredInspection *
_cured_inspection_from_variant (GVariant *variant, GError **error)
{
  g_autoptr (CuredInspection) self = _cured_inspection_new_empty ();
  g_autoptr (GVariant) maybe = NULL;
  g_autoptr (GVariant) banks = NULL;
  g_autoptr (GVariant) ptx_lines = NULL;
  g_autoptr (GVariant) lines = NULL;
  g_autoptr (GVariant) findings = NULL;
  g_autoptr (GVariant) diagnostics = NULL;

  g_variant_get (variant,
                 "(@m" BANK_VIEW_TYPE "ms@ai@a" LINE_TYPE "@a" FINDING_TYPE "@a" DIAGNOSTIC_TYPE
                 "tbxx)",
                 &maybe, &self->ptx, &ptx_lines, &lines, &findings, &diagnostics, &self->n_blocks,
                 &self->is_partial, &self->compile_ns, &self->run_ns);
  banks = g_variant_get_maybe (maybe);
  if (banks != NULL)
    self->banks = _cured_bank_view_from_variant (banks, error);
  if ((banks != NULL && self->banks == NULL) || !unpack_ptx (self, ptx_lines, error) ||
      !unpack_lines (self, lines, error) || !unpack_diagnostics (self, diagnostics, error))
    return NULL;
  if (!unpack_findings (findings, self->findings, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* -- demands -- */

/* (transfer floating) */
GVariant *
_cured_demands_to_variant (const GPtrArray *demands)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a" DEMAND_TYPE));
  for (guint i = 0; i < demands->len; i++)
    {
      const CuredDemand *demand = demands->pdata[i];

      g_variant_builder_add (&builder, "(@sxtittii)", pack_text (demand->entry), demand->threads,
                             (guint64) demand->shared_dynamic, demand->info.registers,
                             (guint64) demand->info.shared_static,
                             (guint64) demand->info.local_bytes, demand->info.max_threads_per_block,
                             demand->info.blocks_per_sm);
    }
  return g_variant_builder_end (&builder);
}

/* As _cured_bank_view_from_variant(). */
GPtrArray *
_cured_demands_from_variant (GVariant *variant, GError **error)
{
  g_autoptr (GPtrArray) demands =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_demand_free);

  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);
      CuredDemand *demand = g_new0 (CuredDemand, 1);
      guint64 sizes[3] = { 0 };

      g_ptr_array_add (demands, demand);
      g_variant_get (child, DEMAND_TYPE, &demand->entry, &demand->threads, &sizes[0],
                     &demand->info.registers, &sizes[1], &sizes[2],
                     &demand->info.max_threads_per_block, &demand->info.blocks_per_sm);
      demand->shared_dynamic = (gsize) sizes[0];
      demand->info.shared_static = (gsize) sizes[1];
      demand->info.local_bytes = (gsize) sizes[2];
      if (demand->threads < 1 || demand->info.registers < 0 ||
          demand->info.max_threads_per_block < 0 || demand->info.blocks_per_sm < 0 ||
          sizes[0] > G_MAXINT32 || sizes[1] > G_MAXINT32 || sizes[2] > G_MAXINT32)
        {
          fail (error);
          return NULL;
        }
    }
  return g_steal_pointer (&demands);
}

/* -- work -- */

static GVariant *
pack_work (const CuredWork *work)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("ad"));
  for (gsize i = 0; i < n_fields; i++)
    g_variant_builder_add (&builder, "d", cured_work_get (work, &fields[i]));
  return g_variant_builder_end (&builder);
}

static gboolean
unpack_work (GVariant *variant, CuredWork *work, GError **error)
{
  gsize n_fields;
  gsize n = 0;
  const CuredWorkField *fields = cured_work_fields (&n_fields);
  const double *values = g_variant_get_fixed_array (variant, &n, sizeof *values);

  if (n != n_fields)
    return fail (error);
  for (gsize i = 0; i < n; i++)
    {
      if (!cured_work_is_amount (values[i]))
        return fail (error);
      *_cured_work_at (work, &fields[i]) = values[i];
    }
  return TRUE;
}

/* (transfer floating) */
static GVariant *
pack_launch (const CuredWorkLaunch *self)
{
  const CuredTraffic *traffic = &self->traffic;
  GVariantBuilder sites;
  GVariantBuilder buffers;

  g_variant_builder_init (&sites, G_VARIANT_TYPE ("a" WORK_SITE_TYPE));
  g_variant_builder_init (&buffers, G_VARIANT_TYPE ("a" WORK_BUFFER_TYPE));
  for (guint i = 0; i < self->sites->len; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (self->sites, i);

      g_variant_builder_add (&sites, "(u@msii@s@ad)", site->site, pack_maybe (site->file),
                             site->line, site->ptx_line, pack_text (site->text),
                             pack_work (&site->work));
    }
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const CuredWorkBuffer *buffer = g_ptr_array_index (self->buffers, i);

      g_variant_builder_add (&buffers, "(@sdddddd)", pack_text (buffer->name), buffer->bytes,
                             buffer->read, buffer->written, buffer->once, buffer->fresh,
                             buffer->joined);
    }
  return g_variant_new (
      "(@sut(uuu)(uuu)tiittbddd@ms@ad(dddddd)a" WORK_SITE_TYPE "a" WORK_BUFFER_TYPE ")",
      pack_text (self->entry), self->step, self->repeats, self->grid[0], self->grid[1],
      self->grid[2], self->block[0], self->block[1], self->block[2], (guint64) self->shared_bytes,
      self->registers, self->blocks_per_sm, self->n_blocks, self->n_run, self->takes_tickets,
      self->error, self->longest, self->hottest, pack_maybe (self->end), pack_work (&self->total),
      traffic->l1_hits, traffic->l2_read, traffic->l2_written, traffic->memory_read,
      traffic->memory_written, self->uncertain, &sites, &buffers);
}

/* (transfer floating) */
GVariant *
_cured_workload_to_variant (const CuredWorkload *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a" WORK_LAUNCH_TYPE));
  for (guint i = 0; i < self->launches->len; i++)
    g_variant_builder_add_value (&builder, pack_launch (g_ptr_array_index (self->launches, i)));
  return g_variant_builder_end (&builder);
}

static gboolean
unpack_work_sites (GVariant *variant, CuredWorkLaunch *launch, GError **error)
{
  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      CuredWorkSite *site = cured_work_launch_add_site (launch);
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);
      g_autoptr (GVariant) work = NULL;

      g_variant_get (child, "(umsiis@ad)", &site->site, &site->file, &site->line, &site->ptx_line,
                     &site->text, &work);
      if (site->line < 0 || site->ptx_line < 0)
        return fail (error);
      if (!unpack_work (work, &site->work, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
unpack_buffers (GVariant *variant, CuredWorkLaunch *launch, GError **error)
{
  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      CuredWorkBuffer *buffer = cured_work_launch_add_buffer (launch);

      g_free (buffer->name);
      g_variant_get_child (variant, i, WORK_BUFFER_TYPE, &buffer->name, &buffer->bytes,
                           &buffer->read, &buffer->written, &buffer->once, &buffer->fresh,
                           &buffer->joined);
      if (!cured_work_is_amount (buffer->bytes) || !cured_work_is_amount (buffer->read) ||
          !cured_work_is_amount (buffer->written) || !cured_work_is_amount (buffer->once) ||
          !(isnan (buffer->fresh) || cured_work_is_amount (buffer->fresh)) ||
          !(isnan (buffer->joined) || cured_work_is_amount (buffer->joined)))
        return fail (error);
    }
  return TRUE;
}

static gboolean
unpack_launch (GVariant *variant, CuredWorkload *self, GError **error)
{
  CuredWorkLaunch *launch = cured_workload_add (self, "");
  CuredTraffic *traffic = &launch->traffic;
  guint64 shared_bytes = 0;
  g_autoptr (GVariant) total = NULL;
  g_autoptr (GVariant) sites = NULL;
  g_autoptr (GVariant) buffers = NULL;

  g_clear_pointer (&launch->entry, g_free);
  g_variant_get (
      variant, "(sut(uuu)(uuu)tiittbdddms@ad(dddddd)@a" WORK_SITE_TYPE "@a" WORK_BUFFER_TYPE ")",
      &launch->entry, &launch->step, &launch->repeats, &launch->grid[0], &launch->grid[1],
      &launch->grid[2], &launch->block[0], &launch->block[1], &launch->block[2], &shared_bytes,
      &launch->registers, &launch->blocks_per_sm, &launch->n_blocks, &launch->n_run,
      &launch->takes_tickets, &launch->error, &launch->longest, &launch->hottest, &launch->end,
      &total, &traffic->l1_hits, &traffic->l2_read, &traffic->l2_written, &traffic->memory_read,
      &traffic->memory_written, &launch->uncertain, &sites, &buffers);
  launch->shared_bytes = (gsize) shared_bytes;
  if (!cured_work_launch_is_sane (launch))
    return fail (error);
  return unpack_work (total, &launch->total, error) && unpack_work_sites (sites, launch, error) &&
         unpack_buffers (buffers, launch, error);
}

/* As _cured_bank_view_from_variant(). */
CuredWorkload *
_cured_workload_from_variant (GVariant *variant, GError **error)
{
  g_autoptr (CuredWorkload) self = cured_workload_new ();

  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);

      if (!unpack_launch (child, self, error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

/* -- bytes -- */

/* Takes a floating @variant. */
char *
_cured_answer_to_text (GVariant *variant)
{
  g_autoptr (GVariant) own = g_variant_ref_sink (variant);

  return g_base64_encode (g_variant_get_data (own), g_variant_get_size (own));
}

/* (transfer full): of @type, in normal form; NULL with CURED_ERROR_PROTOCOL */
GVariant *
_cured_answer_from_text (const char *text, const char *type, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GVariant) variant = NULL;
  guchar *data = NULL;
  gsize size = 0;

  data = g_base64_decode (text, &size);
  bytes = g_bytes_new_take (data, size);
  variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (type), bytes, FALSE));
  if (!g_variant_is_normal_form (variant))
    {
      fail (error);
      return NULL;
    }
  return g_steal_pointer (&variant);
}

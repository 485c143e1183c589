/* SPDX-License-Identifier: MIT
 * Texts of the bank page. */
#include <config.h>

#include "banks/cured-gui-banks.h"

#include <math.h>
#include <string.h>

/* Maximum number of kernels, faults or diagnostics to list. */
#define MAX_NAMED 4

/* (transfer full): such as “132 · 124 excess” */
static char *
format_counts (guint64 wavefronts, guint64 least)
{
  g_autofree char *count = cured_format_count ((gint64) wavefronts);
  g_autofree char *excess = cured_format_count ((gint64) (wavefronts - least));

  /* Translators: wavefronts, and how many of them conflicts add. */
  return g_strdup_printf (_ ("%s · %s excess"), count, excess);
}

/* (transfer full): such as “16 × 32 bits, 1 × 64 bits” */
static char *
list_widths (const guint *counts)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < CURED_BANK_N_WIDTHS; i++)
    {
      if (counts[i] == 0)
        continue;
      if (text->len > 0)
        g_string_append (text, ", ");
      /* Translators: how many instructions of how many bits per lane. */
      g_string_append_printf (text, _ ("%u × %u bits"), counts[i], cured_bank_width_get_bits (i));
    }
  if (text->len == 0)
    /* Translators: there are no such instructions. */
    g_string_append (text, _ ("none"));
  return g_string_free (text, FALSE);
}

static const CuredBankWidths *
find_widths (const CuredBankView *view, const CuredBankSite *site)
{
  CuredAccessKind kind = site->kind == CURED_ACCESS_REDUCTION ? CURED_ACCESS_ATOMIC : site->kind;

  for (gsize i = 0; i < view->n_widths; i++)
    if (view->widths[i].line == site->line && view->widths[i].kind == kind &&
        g_strcmp0 (view->widths[i].file, site->file) == 0)
      return &view->widths[i];
  return NULL;
}

/* (transfer full) (nullable): what ptxas changed on the site's line; %NULL: nothing or unknown */
char *
cured_bank_text_widths (const CuredBankView *view, const CuredBankSite *site)
{
  const CuredBankWidths *widths = find_widths (view, site);

  if (widths == NULL)
    return NULL;
  g_autofree char *ptx = list_widths (widths->ptx);
  g_autofree char *machine = list_widths (widths->machine);
  switch (cured_bank_widths_get_change (widths))
    {
    case CURED_BANK_CHANGE_WIDTHS:
      return g_strdup_printf (
          /* Translators: lists such as “16 × 32 bits”, and a chip: sm_90. */
          _ ("ptxas changes the widths on this line: the PTX has %s, the machine code for %s has "
             "%s. Picture and numbers are the PTX's."),
          ptx, view->machine, machine);
    case CURED_BANK_CHANGE_FEWER:
      return g_strdup_printf (
          /* Translators: lists such as “16 × 32 bits”, and a chip: sm_90. */
          _ ("ptxas leaves out accesses of this line: the PTX has %s, the machine code for %s has "
             "%s. Picture and numbers are the PTX's."),
          ptx, view->machine, machine);
    case CURED_BANK_CHANGE_MORE:
      return g_strdup_printf (
          /* Translators: lists such as “16 × 32 bits”, and a chip: sm_90. */
          _ ("ptxas repeats accesses of this line, as in an unrolled loop: the PTX has %s, the "
             "machine code for %s has %s. Picture and numbers are the PTX's."),
          ptx, view->machine, machine);
    case CURED_BANK_CHANGE_NONE:
    default: return NULL;
    }
}

static void
append_line (GString *text, const char *line)
{
  if (line != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
}

/* (transfer full) (nullable): why the picture may differ from that of a whole run, worst reason
 * first; %NULL: no reason */
char *
cured_bank_text_note (const CuredBankView *view)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (view->end != CURED_END_DONE && view->end != CURED_END_TIMED_OUT)
    {
      g_autofree char *end = g_strdup_printf (
          /* Translators: why a block of threads stopped early. */
          _ ("The block ended abnormally: %s"), view->end_text != NULL ? view->end_text : "");

      append_line (text, end);
    }
  for (guint i = 0; i < MIN (view->faults->len, MAX_NAMED); i++)
    {
      g_autofree char *fault = cured_finding_to_string (view->faults->pdata[i]);

      append_line (text, fault);
    }
  if (view->end == CURED_END_TIMED_OUT)
    append_line (text, view->end_text);
  append_line (text, view->note);
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* (transfer full): the first diagnostics, one per line */
char *
cured_bank_text_problems (const CuredInspection *inspection)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (inspection->diagnostics->len, MAX_NAMED); i++)
    {
      const CuredDiagnostic *diagnostic = inspection->diagnostics->pdata[i];

      if (i > 0)
        g_string_append_c (text, '\n');
      if (diagnostic->line > 0)
        /* Translators: a line of the source, and what is wrong there. */
        g_string_append_printf (text, _ ("Line %d: %s"), diagnostic->line, diagnostic->text);
      else
        g_string_append (text, diagnostic->text);
    }
  return g_string_free (text, FALSE);
}

/* (transfer full) (nullable): kernels of the catalogue that use shared memory, those of the family
 * first */
static char *
list_kernels_with_shared (const char *family)
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  for (int turn = 0; turn < 2; turn++)
    for (gsize i = 0; ids[i] != NULL && found->len < MAX_NAMED; i++)
      {
        g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], NULL);
        gboolean is_family = kernel != NULL && g_strcmp0 (kernel->family, family) == 0;

        if (kernel != NULL && is_family == (turn == 0) && kernel->defect == NULL &&
            strstr (kernel->source, "__shared__") != NULL)
          g_ptr_array_add (found, ids[i]);
      }
  g_ptr_array_add (found, NULL);
  return found->pdata[0] != NULL ? g_strjoinv (", ", (char **) found->pdata) : NULL;
}

/* (transfer full): a message that lists other kernels, which use shared memory */
char *
cured_bank_text_no_shared (CuredKernel *kernel, const CuredBankView *view)
{
  g_autofree char *others = list_kernels_with_shared (kernel->family);

  if (others == NULL)
    return g_strdup_printf (
        /* Translators: the name of a function. */
        _ ("%s uses no shared memory, so there is nothing to draw."), view->entry);
  return g_strdup_printf (
      /* Translators: the name of a function, and a list of kernels. */
      _ ("%s uses no shared memory, so there is nothing to draw. Kernels that use it are %s."),
      view->entry, others);
}

/* (transfer full): such as “Line 120 · ld.shared.f32 · tile_a” */
char *
cured_bank_text_site (const CuredBankSite *site)
{
  g_autofree char *plain = cured_bank_site_get_mnemonic (site);
  g_autofree char *mnemonic =
      site->array != NULL ? g_strdup_printf ("%s · %s", plain, site->array) : g_strdup (plain);

  if (site->line <= 0)
    return g_steal_pointer (&mnemonic);
  /* Translators: a line of the source, and an instruction. */
  return g_strdup_printf (_ ("Line %d · %s"), site->line, mnemonic);
}

static void
add_counts (CuredBankSide *side, const char *caption, guint64 wavefronts, guint64 least,
            const char *tooltip)
{
  g_autofree char *text = format_counts (wavefronts, least);
  g_autofree char *count = cured_format_count ((gint64) wavefronts);
  g_autofree char *excess = cured_format_count ((gint64) (wavefronts - least));
  g_autofree char *pair = g_strdup_printf ("%s · %s", count, excess);

  cured_bank_side_add_figure (side, caption, text, pair, tooltip);
}

/* Adds the result's counts of the whole kernel; FALSE: it has none. */
static gboolean
add_result_counts (CuredBankSide *side, CuredResult *result, gint64 cell)
{
  gsize wavefronts, excess;

  if (result == NULL || cell < 0 ||
      !cured_result_find_metric (result, "shared_wavefronts", &wavefronts) ||
      !cured_result_find_metric (result, "excess_wavefronts", &excess))
    return FALSE;
  double value = cured_result_get_value (result, cell, wavefronts);
  double more = cured_result_get_value (result, cell, excess);
  if (isnan (value) || isnan (more))
    return FALSE;
  add_counts (side, _ ("Whole kernel"), (guint64) llround (value), (guint64) llround (value - more),
              _ ("Wavefronts that the emulator counted for the whole kernel, and those that bank "
                 "conflicts add; from the file"));
  return TRUE;
}

static void
add_time (CuredBankSide *side, CuredResult *result, gint64 cell)
{
  gsize metric;
  g_autofree char *text = NULL;

  /* Metrics counted by the emulator are not measurements. */
  if (result == NULL || !cured_device_info_has_time (cured_result_get_device (result)))
    return;
  cured_bank_side_add_group (side, cured_text_origin (CURED_ORIGIN_MEASURED),
                             cured_text_origin (CURED_ORIGIN_MEASURED));
  if (cell < 0 || !cured_result_find_metric (result, "time", &metric))
    {
      cured_bank_side_add_figure (
          side, _ ("Time"), "—", "—",
          _ ("The file has no time of this source at these values; a sweep measures it"));
      return;
    }
  g_autofree char *tooltip =
      cured_text_metric_tooltip (&cured_result_get_metrics (result, NULL)[metric]);
  if (isnan (cured_result_get_value (result, cell, metric)))
    text = g_strdup (cured_state_get_title (cured_result_get_state (result, cell)));
  else
    text = cured_text_figure (result, cell, metric);
  cured_bank_side_add_figure (side, _ ("Time"), text, text, tooltip);
}

/* Shows wavefronts of access, warp and kernel, and the time. @result: (nullable): with
 * measurements. @cell: of @result, at the view's values; -1: none. @access: (nullable): the drawn
 * one. */
void
cured_bank_text_fill_figures (CuredBankSide *side, CuredResult *result, gint64 cell,
                              const CuredBankView *view, const CuredBankAccess *access)
{
  CuredBankCounts counts;
  guint64 wavefronts = 0;
  guint64 least = 0;
  guint64 block_wavefronts = 0;
  guint64 block_least = 0;
  guint64 remote = 0;
  guint64 remote_least = 0;

  for (gsize i = 0; i < view->n_sites; i++)
    {
      const CuredBankSite *site = &view->sites[i];

      if (site->is_remote)
        {
          remote += site->wavefronts;
          remote_least += site->least;
          continue;
        }
      wavefronts += site->wavefronts;
      least += site->least;
      block_wavefronts += site->block_wavefronts;
      block_least += site->block_least;
    }
  cured_bank_side_clear_figures (side);
  cured_bank_side_add_group (
      side,
      /* Translators: over several figures: their unit, and where they come from. There is room for
       * about 40 characters. */
      _ ("Wavefronts, counted by the emulator"),
      /* Translators: over several pairs of figures such as “132 · 124”: their units, and where they
       * come from. There is room for about 34 characters. */
      _ ("Wavefronts · excess, counted"));
  if (access != NULL && cured_bank_model_count (access, &counts))
    add_counts (side, _ ("This access"), counts.wavefronts, counts.least,
                _ ("Wavefronts of the access that is drawn: turns that the shared memory takes, by "
                   "the bank model, and those that bank conflicts add"));
  add_counts (side, _ ("This warp"), wavefronts, least,
              _ ("Wavefronts of all accesses of the warp, counted by the emulator, and those that "
                 "bank conflicts add"));
  if (!add_result_counts (side, result, cell))
    add_counts (side, _ ("This block"), block_wavefronts, block_least,
                _ ("Wavefronts of all warps of the block, counted by the emulator, and those that "
                   "bank conflicts add"));
  if (remote > 0)
    add_counts (side, _ ("Remote sectors"), remote, remote_least,
                _ ("Sectors of other blocks’ shared memory that this warp accesses, counted by the "
                   "emulator, and those that scattered lanes add"));
  add_time (side, result, cell);
}

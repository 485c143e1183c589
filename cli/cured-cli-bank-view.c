/* SPDX-License-Identifier: MIT
 * The accesses of a kernel's warp to the banks: a table of its instructions, then pictures of the
 * worst. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "cured-cli-banks.h"

/* Limits without --all: rows of the table, sites with a picture, patterns of a site given by
 * --site, patterns of a site in JSON. */
#define MAX_ROWS          16
#define MAX_MNEMONIC      21 /* characters of the table, for 80 columns */
#define MAX_PICTURES      3
#define MAX_PATTERNS      4
#define MAX_JSON_PATTERNS 16
#define MAX_FAULTS        4

/* As cured_bank_view_group(); an error names the switch. */
static GPtrArray *
get_groups (CuredBankView *view, const CuredCliBankChoice *choice, GError **error)
{
  GPtrArray *groups = cured_bank_view_group (view, &choice->sites, error);

  if (groups == NULL)
    g_prefix_error (error,
                    "%s: ", choice->sites.site > (gint64) view->n_sites ? "--site" : "--line");
  return groups;
}

/* A site's number in tables and for --site, from 1. */
static gsize
get_number (const CuredBankView *view, const CuredBankSite *site)
{
  return (gsize) (site - view->sites) + 1;
}

/* ---- Text ---- */

static const char *
describe_point (const CuredProgram *program)
{
  const CuredKernel *kernel = program->kernel;
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    cured_cli_append_value (text, kernel->parameters[i].name, kernel->parameters[i].values,
                            program->values[i]);
  return cured_cli_lend (g_string_free (text, FALSE));
}

static void
print_head (const CuredBankView *view, const CuredProgram *program, const CuredCliBankArch *arch)
{
  g_print ("%s\n%s\n%s\n", program->kernel->id, describe_point (program),
           cured_cli_lend (cured_bank_view_describe (view)));
  g_print (_ ("Compute capability %s: %s.\n"), arch->name, _ (arch->description));
  if (view->note != NULL)
    g_print ("%s\n", view->note);
  if (view->end == CURED_END_TIMED_OUT)
    g_print ("%s\n", view->end_text);
  else if (view->end != CURED_END_DONE)
    g_print (_ ("The block ended abnormally: %s\n"), view->end_text != NULL ? view->end_text : "");
  for (guint i = 0; i < MIN (view->faults->len, MAX_FAULTS); i++)
    g_print ("%s\n", cured_cli_lend (cured_finding_to_string (view->faults->pdata[i])));
  g_print ("\n");
}

/* “ld.shared.v4.f32”, as far as there is room for it */
static char *
get_mnemonic (const CuredBankSite *site)
{
  g_autofree char *mnemonic = cured_bank_site_get_mnemonic (site);

  if (strlen (mnemonic) > MAX_MNEMONIC)
    return g_strdup_printf ("%.*s…", MAX_MNEMONIC - 1, mnemonic);
  return g_steal_pointer (&mnemonic);
}

static void
print_table (const CuredBankView *view, const GPtrArray *groups, gboolean all)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rrlrrrrrr");
  guint n_rows = all ? groups->len : MIN (groups->len, MAX_ROWS);
  guint64 wavefronts = 0, least = 0, remote = 0, remote_least = 0;

  cured_cli_table_add (table, C_ ("column", "site"), C_ ("column", "line"), _ ("PTX"), "×",
                       _ ("bits"), _ ("accesses"), _ ("wavefronts"), _ ("excess"), _ ("ways"));
  for (guint i = 0; i < groups->len; i++)
    {
      const CuredBankGroup *group = groups->pdata[i];
      const CuredBankSite *site = cured_bank_group_get_site (group);
      double ways = cured_bank_site_get_ways (site);
      g_autofree char *count = cured_format_count ((gint64) group->wavefronts);

      *(site->is_remote ? &remote : &wavefronts) += group->wavefronts;
      *(site->is_remote ? &remote_least : &least) += group->least;
      if (i < n_rows)
        cured_cli_table_add (
            table, cured_cli_printf ("%zu", get_number (view, site)),
            site->line > 0 ? cured_cli_printf ("%d", site->line) : "-",
            cured_cli_lend (get_mnemonic (site)), cured_cli_printf ("%u", group->sites->len),
            cured_cli_printf ("%u", site->width), cured_cli_count (group->accesses),
            cured_cli_lend (!site->is_known ? g_strdup (_ ("no rule"))
                            : site->is_remote
                                /* Translators: in a column of wavefronts: sectors of another
                                    * block's shared memory. */
                                ? g_strdup_printf (_ ("%s remote"), count)
                                : g_strdup (count)),
            site->fault != NULL ? C_ ("of an access", "fault")
            : site->is_known    ? cured_cli_count (cured_bank_group_get_excess (group))
                                : "-",
            isnan (ways) || site->fault != NULL ? "-" : cured_cli_printf ("%.3g", ways));
    }
  cured_cli_table_print (table, "");
  if (n_rows < groups->len)
    /* Translators: rows of a table that were left out. */
    g_print (ngettext ("… and %u more (--all prints it)\n", "… and %u more (--all prints them)\n",
                       groups->len - n_rows),
             groups->len - n_rows);
  if (wavefronts > 0 || remote == 0)
    /* Translators: what all rows add up to, and how much of it is in excess of the least that is
     * possible. */
    g_print (ngettext ("Together %s wavefront, %s excess.\n\n",
                       "Together %s wavefronts, %s of them excess.\n\n", (gulong) wavefronts),
             cured_cli_count (wavefronts), cured_cli_count ((wavefronts - least)));
  if (remote > 0)
    g_print (ngettext ("Together %s remote sector, %s excess.\n\n",
                       "Together %s remote sectors, %s of them excess.\n\n", (gulong) remote),
             cured_cli_count (remote), cured_cli_count ((remote - remote_least)));
}

static void
print_pattern (const CuredBankSite *site, gsize index, gboolean colour)
{
  const CuredBankViewPattern *pattern = &site->patterns[index];
  CuredBankPicture picture;

  if (!cured_bank_model_explain (&pattern->access, &picture))
    return;
  /* Translators: how many an access takes, the least that is possible, and why, as “stride 2 words:
   * lanes 16 apart meet in a bank”. */
  g_print (site->is_remote ? _ ("Remote sectors %u, ideal %u: %s.\n")
                           : _ ("Wavefronts %u, ideal %u: %s.\n"),
           pattern->counts.wavefronts, pattern->counts.least,
           cured_cli_lend (cured_bank_site_describe (site, &pattern->access)));
  if (pattern->count > 1)
    {
      g_autofree char *count = cured_format_count ((gint64) pattern->count);

      g_print (
          /* Translators: it is always more than one. */
          ngettext (
              "%s access looks like this, up to a shift by whole words; this is the first.\n",
              "%s accesses look like this, up to a shift by whole words; this is the first.\n",
              (gulong) pattern->count),
          count);
    }
  g_print ("\n");
  cured_cli_print_bank_picture (&pattern->access, &picture, colour);
}

static void
print_site (const CuredBankView *view, const CuredBankSite *site, gsize max_patterns,
            gboolean colour)
{
  gsize n_shown = MIN (site->n_patterns, max_patterns);

  if (site->line > 0)
    g_print (_ ("Site %zu, line %d\n"), get_number (view, site), site->line);
  else
    g_print (_ ("Site %zu\n"), get_number (view, site));
  if (site->source != NULL)
    g_print ("  %s\n", site->source);
  g_print ("  %s\n", site->ptx != NULL ? site->ptx : "");
  if (!site->is_known)
    {
      g_autofree char *loop = cured_bank_site_describe_loop (site);

      if (loop != NULL)
        g_print ("%s\n\n", loop);
      else
        g_print (_ ("No rule was measured for this instruction.\n\n"));
      return;
    }
  for (gsize i = 0; i < n_shown; i++)
    print_pattern (site, i, colour);
  if (site->n_patterns + site->n_left_out > n_shown)
    {
      guint64 n_more = site->n_patterns - n_shown + site->n_left_out;

      g_print (g_dngettext (
                   GETTEXT_PACKAGE, "It has %s more pattern; “--site %zu --all” prints it.\n\n",
                   "It has %s more patterns; “--site %zu --all” prints them.\n\n", (gulong) n_more),
               cured_cli_count (n_more), get_number (view, site));
    }
}

/* Wraps lines at the terminal's width. */
static void
print_others (const CuredBankGroup *group)
{
  g_autoptr (GString) line =
      /* Translators: numbers of sites follow. */
      g_string_new (_ ("Same pattern at other start addresses: sites"));

  for (guint i = 1; i < group->sites->len; i++)
    {
      g_autofree char *word = g_strdup_printf ("%zu%s", g_array_index (group->sites, gsize, i) + 1,
                                               i + 1 < group->sites->len ? "," : "");

      if (cured_cli_get_width (line->str) + strlen (word) + 1 > 79)
        {
          g_print ("%s\n", line->str);
          g_string_truncate (line, 0);
        }
      g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", word);
    }
  g_print ("%s.\n\n", line->str);
}

/* “32 × 32, 4 × 128” */
static char *
describe_widths (const guint *counts)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < CURED_BANK_N_WIDTHS; i++)
    if (counts[i] > 0)
      g_string_append_printf (text, "%s%u × %u", text->len > 0 ? ", " : "", counts[i],
                              cured_bank_width_get_bits (i));
  if (text->len == 0)
    /* Translators: no accesses. */
    g_string_append (text, _ ("none"));
  return g_string_free (text, FALSE);
}

/* How the machine's accesses of a line differ from the PTX's: in JSON, and for people. */
static const char *const changes[][2] = {
  [CURED_BANK_CHANGE_NONE] = { NULL, NULL },
  [CURED_BANK_CHANGE_WIDTHS] = { "widths", N_ ("other widths") },
  [CURED_BANK_CHANGE_FEWER] = { "fewer", N_ ("some left out") },
  [CURED_BANK_CHANGE_MORE] = { "more", N_ ("repeated, unrolled") },
};

/* Prints the lines on which the machine code differs from the PTX. */
static void
print_widths (const CuredBankView *view, gint64 line)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rllll");
  gsize n_rows = 0;

  cured_cli_table_add (table, C_ ("column", "line"), C_ ("column", "access"),
                       _ ("PTX: number × bits"), _ ("machine code"), "");
  for (gsize i = 0; i < view->n_widths; i++)
    {
      const CuredBankWidths *widths = &view->widths[i];
      CuredBankChange change = cured_bank_widths_get_change (widths);

      if (change == CURED_BANK_CHANGE_NONE || (line > 0 && widths->line != line))
        continue;
      cured_cli_table_add (table, cured_cli_printf ("%d", widths->line),
                           _ (cured_access_kind_get_name (widths->kind)),
                           cured_cli_lend (describe_widths (widths->ptx)),
                           cured_cli_lend (describe_widths (widths->machine)),
                           _ (changes[change][1]));
      n_rows++;
    }
  if (n_rows == 0)
    return;
  g_print (_ ("ptxas has other instructions on these lines for %s; the numbers above are the\n"
              "PTX's:\n"),
           view->machine);
  cured_cli_table_print (table, "");
}

/* Returns FALSE with CURED_ERROR_NOT_FOUND if there is no such site or line. */
gboolean
cured_cli_print_bank_view (CuredBankView *view, const CuredProgram *program,
                           const CuredCliBankArch *arch, const CuredCliBankChoice *choice,
                           GError **error)
{
  gboolean has_choice = choice->sites.site > 0 || choice->sites.line > 0;

  g_autoptr (GPtrArray) groups = get_groups (view, choice, error);
  if (groups == NULL)
    return FALSE;
  print_head (view, program, arch);
  if (view->n_sites == 0)
    {
      if (view->shared_bytes == 0)
        g_print (_ ("%s uses no shared memory.\n"), view->entry);
      else
        g_print (_ ("This warp makes no access to shared memory; --warp and --block choose another "
                    "one.\n"));
      return TRUE;
    }
  print_table (view, groups, choice->sites.is_apart);
  /* Remote accesses have no picture, and cost most. */
  for (guint i = 0; i < groups->len && !has_choice && !choice->sites.is_apart; i++)
    if (cured_bank_group_get_site (groups->pdata[i])->loop_lanes > 0)
      print_site (view, cured_bank_group_get_site (groups->pdata[i]), 1, choice->colour);
  for (guint i = 0; i < groups->len; i++)
    {
      const CuredBankGroup *group = groups->pdata[i];

      if (cured_bank_group_get_site (group)->loop_lanes > 0 && !has_choice &&
          !choice->sites.is_apart)
        continue;
      /* Without a conflict one picture shows how it should be. */
      if (!choice->sites.is_apart && i > 0 &&
          (i == MAX_PICTURES || (!has_choice && group->wavefronts == group->least)))
        break;
      print_site (view, cured_bank_group_get_site (group),
                  choice->sites.is_apart   ? G_MAXSIZE
                  : choice->sites.site > 0 ? MAX_PATTERNS
                                           : 1,
                  choice->colour);
      if (group->sites->len > 1)
        print_others (group);
    }
  print_widths (view, has_choice ? cured_bank_group_get_site (groups->pdata[0])->line : 0);
  return TRUE;
}

/* ---- Pictures ---- */

/* Returns a drawing; NULL with CURED_ERROR_NOT_FOUND if there is no such site or line, or no access
 * that can be drawn. */
CuredDrawing *
cured_cli_draw_bank_view (CuredBankView *view, const CuredProgram *program,
                          const CuredCliBankChoice *choice, CuredBankPlotMode mode, GError **error)
{
  const char *values = describe_point (program);
  g_autofree char *warp = cured_bank_view_describe (view);
  g_autofree char *name = g_path_get_basename (program->kernel->id);
  const CuredBankSite *site = NULL;
  CuredBankShown shown = { .view = view };

  g_autoptr (GPtrArray) groups = get_groups (view, choice, error);
  if (groups == NULL)
    return NULL;
  for (guint i = 0; i < groups->len && site == NULL; i++)
    {
      site = cured_bank_group_get_site (groups->pdata[i]);
      if (!site->is_known || site->n_patterns == 0)
        site = NULL;
    }
  if (site == NULL)
    return cured_fail_null (
        error, CURED_ERROR_NOT_FOUND,
        _ ("%s: this warp makes no access to shared memory that can be drawn; --warp "
           "and --block choose another one"),
        view->entry);
  shown.site = (gsize) (site - view->sites);
  shown.access = site->patterns[0].access;
  return cured_drawing_new_banks (&shown, 1, mode, name, program->kernel->id, values, warp);
}

/* Returns a drawing of how data flows through shared memory, step by step. */
CuredDrawing *
cured_cli_draw_flow (CuredBankView *view, const CuredProgram *program, gboolean is_threads)
{
  const char *values = describe_point (program);
  g_autofree char *warp = cured_bank_view_describe (view);
  g_autofree char *name = g_path_get_basename (program->kernel->id);

  if (is_threads)
    return cured_drawing_new_threads (view, -1, name, program->kernel->id, values, warp);
  return cured_drawing_new_flow (view, name, program->kernel->id, values, warp);
}

/* ---- JSON ---- */

static void
add_pattern (const CuredBankSite *site, const CuredBankViewPattern *pattern)
{
  CuredBankPicture picture;
  g_autofree char *mask = g_strdup_printf ("%08x", pattern->access.mask);

  cured_cli_json ("{accesses mask addresses[", pattern->count, mask);
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((pattern->access.mask >> n & 1) != 0)
      cured_cli_json (".", pattern->access.addresses[n]);
    else
      cured_cli_json_put ("~");
  cured_cli_json_put ("]");
  cured_cli_json_add_counts (&pattern->counts);
  cured_cli_json ("why", cured_cli_lend (cured_bank_site_describe (site, &pattern->access)));
  if (cured_bank_model_explain (&pattern->access, &picture))
    cured_cli_json_add_served (&picture);
  cured_cli_json_put ("}");
}

static void
add_file (CuredKernel *kernel, const char *file)
{
  cured_cli_json ("file", cured_cli_find_source (kernel, file));
}

static void
add_fault (CuredKernel *kernel, const CuredFinding *fault)
{
  cured_cli_json ("{kind", cured_finding_info (fault->kind)->id);
  add_file (kernel, fault->here.file);
  cured_cli_json ("line ptx_line warp lanes object detail count}", fault->here.line,
                  fault->here.ptx_line, fault->here.warp, fault->here.lanes, fault->object,
                  fault->detail, fault->count);
}

static void
add_site (CuredKernel *kernel, const CuredBankView *view, const CuredBankSite *site, gboolean all)
{
  gsize n_patterns = all ? site->n_patterns : MIN (site->n_patterns, MAX_JSON_PATTERNS);

  cured_cli_json ("{site", get_number (view, site));
  add_file (kernel, site->file);
  cured_cli_json ("line source ptx_line ptx access bits accesses has_rule?", site->line,
                  site->source, site->ptx_line, site->ptx, cured_access_kind_get_name (site->kind),
                  site->width, site->accesses, site->is_known);
  if (site->is_known)
    cured_cli_json ("wavefronts least conflicts ways block{accesses wavefronts least}",
                    site->wavefronts, site->least, (site->wavefronts - site->least),
                    cured_bank_site_get_ways (site), site->block_accesses, site->block_wavefronts,
                    site->block_least);
  if (site->is_remote)
    cured_cli_json ("remote?", TRUE);
  if (site->loop_lanes > 0)
    cured_cli_json ("loop_lanes loop_cycles", site->loop_lanes,
                    cured_bank_site_get_loop_cycles (site));
  cured_cli_json_put ("patterns[");
  for (gsize i = 0; i < n_patterns; i++)
    add_pattern (site, &site->patterns[i]);
  cured_cli_json ("] patterns_left_out}", (site->n_patterns - n_patterns + site->n_left_out));
}

static void
add_widths (const char *name, const guint *counts)
{
  cured_cli_json ("${", name);
  for (gsize i = 0; i < CURED_BANK_N_WIDTHS; i++)
    if (counts[i] > 0)
      cured_cli_json ("$", cured_cli_printf ("%u", cured_bank_width_get_bits (i)), counts[i]);
  cured_cli_json_put ("}");
}

static void
add_coordinates (const char *name, const guint *values)
{
  cured_cli_json ("$[", name);
  for (gsize i = 0; i < 3; i++)
    cured_cli_json (".", values[i]);
  cured_cli_json_put ("]");
}

static gboolean
is_listed (const GPtrArray *groups, gsize site)
{
  for (guint i = 0; i < groups->len; i++)
    if (cured_bank_group_has (groups->pdata[i], site))
      return TRUE;
  return FALSE;
}

static const char *const ends[] = {
  [CURED_END_DONE] = "done",
  [CURED_END_TIMED_OUT] = "timed out",
  [CURED_END_TRAPPED] = "trapped",
  [CURED_END_DEADLOCK] = "deadlock",
};

/* Returns as cured_cli_print_bank_view(). */
gboolean
cured_cli_print_bank_view_json (CuredBankView *view, const CuredProgram *program,
                                const CuredCliBankArch *arch, const CuredCliBankChoice *choice,
                                GError **error)
{
  CuredKernel *kernel = program->kernel;
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  g_autoptr (GPtrArray) groups = get_groups (view, choice, error);
  if (groups == NULL)
    return FALSE;
  cured_cli_json ("{kernel parameters{", kernel->id);
  for (gsize i = 0; i < n_parameters; i++)
    cured_cli_json ("$", parameters[i].name, program->values[i]);
  cured_cli_json ("} entry step", view->entry, view->step + 1);
  add_coordinates ("grid", view->grid);
  add_coordinates ("block", view->block);
  cured_cli_json ("warp warps arch shared_bytes note end end_text faults[", view->warp,
                  view->n_warps, arch->name, view->shared_bytes, view->note, ends[view->end],
                  view->end_text);
  for (guint i = 0; i < view->faults->len; i++)
    add_fault (kernel, view->faults->pdata[i]);
  cured_cli_json_put ("] sites[");
  for (gsize i = 0; i < view->n_sites; i++)
    if (is_listed (groups, i))
      add_site (kernel, view, &view->sites[i], choice->sites.is_apart);
  cured_cli_json ("] machine lines[", view->machine);
  for (gsize i = 0; i < view->n_widths; i++)
    {
      const CuredBankWidths *widths = &view->widths[i];

      cured_cli_json_put ("{");
      add_file (kernel, widths->file);
      cured_cli_json ("line access", widths->line, cured_access_kind_get_name (widths->kind));
      add_widths ("ptx", widths->ptx);
      add_widths ("machine", widths->machine);
      cured_cli_json ("change}", changes[cured_bank_widths_get_change (widths)][0]);
    }
  cured_cli_json_put ("]}");
  return TRUE;
}

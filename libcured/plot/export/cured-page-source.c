/* SPDX-License-Identifier: MIT
 * A result's page: the source with the cost of its lines, and the banks. */

#include "base/cured-base-internal.h"
#include "plot/bank/cured-bank-plot.h"
#include "plot/export/cured-export-private.h"
#include "plot/export/cured-page-private.h"
#include "worker/cured-examiner.h"

/* Limit of instructions whose banks are drawn, the worst ones first. */
#define MAX_SITES 24

#define MAX_LINES 4000

/* Sizes in a picture of banks, in its own units. */
#define CHIP   24U
#define MARGIN 34U

static guint64
get_excess (const CuredLineCounts *counts)
{
  return counts != NULL && counts->wavefronts > counts->least ? counts->wavefronts - counts->least
                                                              : 0;
}

/* ---- The banks ---- */

static guint64
get_site_excess (const CuredBankSite *site)
{
  return site->wavefronts > site->least ? site->wavefronts - site->least : 0;
}

/* Whether two sites are alike, as copies of an unrolled loop's body are. */
static gboolean
is_like (const CuredBankSite *a, const CuredBankSite *b)
{
  return a->line > 0 && a->line == b->line && a->kind == b->kind && a->width == b->width &&
         a->n_patterns > 0 && b->n_patterns > 0 &&
         a->patterns[0].access.mask == b->patterns[0].access.mask &&
         a->patterns[0].counts.wavefronts == b->patterns[0].counts.wavefronts &&
         a->patterns[0].counts.least == b->patterns[0].counts.least;
}

/* Whether to draw the site: the first of alike ones; if there are too many, one with conflicts. */
static gboolean
is_drawn (const CuredBankView *view, gsize index)
{
  guint64 excess = get_site_excess (&view->sites[index]);
  gsize n_before = 0;

  for (gsize i = 0; i < index; i++)
    if (is_like (&view->sites[i], &view->sites[index]))
      return FALSE;

  for (gsize i = 0; i < view->n_sites && n_before < MAX_SITES; i++)
    {
      guint64 other = get_site_excess (&view->sites[i]);

      n_before += other > excess || (other == excess && i < index);
    }
  return n_before < MAX_SITES;
}

static void
append_chip (GString *page, const CuredBankPlot *plot, guint index)
{
  const CuredBankChip *chip = &g_array_index (plot->chips, CuredBankChip, index);
  g_autofree char *text = plot->chart.klass->describe (&plot->chart, index, -1);
  guint x = MARGIN + CHIP * chip->bank, y = MARGIN + CHIP * chip->wavefront;
  guint lane = (guint) g_bit_nth_lsf (chip->lanes, -1);
  CuredColour fill, ink;

  cured_bank_lane_get_colours (MIN (lane, CURED_BANK_LANES - 1), &fill, &ink);
  g_string_append (page, "<g><title>");
  _cured_page_append_text (page, text);
  g_string_append_printf (page, "</title><rect class=\"chip%s\" fill=\"",
                          chip->is_conflict ? " late" : "");
  _cured_page_append_colour (page, fill);
  g_string_append_printf (
      page, "\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/><text class=\"value\" fill=\"", x + 1,
      y + 1, CHIP - 2, CHIP * MAX (chip->n_wavefronts, 1) - 2);
  _cured_page_append_colour (page, ink);
  g_string_append_printf (page, "\" x=\"%u\" y=\"%u\">%s%u</text></g>\n", x + CHIP / 2,
                          y + CHIP / 2, chip->n_lanes > 1 ? "×" : "",
                          chip->n_lanes > 1 ? chip->n_lanes : lane);
}

static void
append_banks_picture (GString *page, const CuredBankPlot *plot)
{
  guint n_banks = plot->n_banks, n_wavefronts = plot->counts.wavefronts;
  guint width = MARGIN + CHIP * n_banks + 4, height = MARGIN + CHIP * n_wavefronts + 4;

  g_string_append_printf (page,
                          "<div class=\"scroll\"><svg class=\"banks\" viewBox=\"0 0 %u %u\" "
                          "width=\"%u\" height=\"%u\" role=\"img\" aria-label=\"",
                          width, height, width, height);
  _cured_page_append_text (page, _ ("Banks across, wavefronts down"));
  g_string_append (page, "\">\n");
  g_string_append_printf (page, "<text class=\"corner\" x=\"0\" y=\"26\">%s</text>\n",
                          /* Translators: of a picture: its columns. */
                          _ ("bank →"));
  for (guint bank = 0; bank < n_banks; bank++)
    g_string_append_printf (page, "<text class=\"x\" x=\"%u\" y=\"%u\">%u</text>\n",
                            MARGIN + CHIP * bank + CHIP / 2, MARGIN - 8, bank);
  for (guint i = 0; i < n_wavefronts; i++)
    g_string_append_printf (page,
                            "<text class=\"y\" x=\"%u\" y=\"%u\">%u</text><rect class=\"row\" "
                            "x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>\n",
                            MARGIN - 6, MARGIN + CHIP * i + CHIP / 2, i + 1, MARGIN,
                            MARGIN + CHIP * i, CHIP * n_banks, CHIP - 1);
  for (guint i = 0; i < plot->chips->len; i++)
    append_chip (page, plot, i);
  g_string_append (page, "</svg></div>\n");
}

static void
append_site (GString *page, const CuredBankView *view, gsize index)
{
  const CuredBankSite *site = &view->sites[index];
  g_autofree char *mnemonic = cured_bank_site_get_mnemonic (site);

  g_string_append_printf (page,
                          "<figure class=\"site\" id=\"site-%zu\" data-line=\"%d\">\n<figcaption>",
                          index + 1, site->line);
  if (site->line > 0)
    {
      g_autofree char *line =
          /* Translators: a line of source code. */
          g_strdup_printf (_ ("Line %d: %s"), site->line, site->source != NULL ? site->source : "");

      _cured_page_append_element (page, "code", line);
    }
  _cured_page_append_element (page, "code class=\"ptx\"", mnemonic);
  if (site->n_patterns == 0 || !site->is_known)
    {
      _cured_page_append_element (page, "p",
                                  site->is_known ? _ ("No lane of this warp takes part.")
                                                 : _ ("The bank model has no rule for it."));
      g_string_append (page, "</figcaption>\n</figure>\n");
      return;
    }
  CuredBankPlot *plot = cured_bank_plot_new (&site->patterns[0].access, CURED_BANK_PLOT_BANKS);
  g_autofree char *why = cured_bank_site_describe (site, &site->patterns[0].access);
  g_autofree char *cost = g_strdup_printf (_ ("Wavefronts %u, ideal %u: %s"),
                                           plot->counts.wavefronts, plot->counts.least, why);
  _cured_page_append_element (
      page, plot->counts.wavefronts > plot->counts.least ? "p class=\"excess\"" : "p", cost);
  g_string_append (page, "</figcaption>\n");
  if (plot->is_known)
    append_banks_picture (page, plot);
  cured_chart_free (&plot->chart);
  g_string_append (page, "</figure>\n");
}

static void
append_banks (GString *page, const CuredBankView *view)
{
  if (view == NULL || view->n_sites == 0)
    return;
  g_string_append (page, "<section class=\"card\" id=\"banks-view\" aria-labelledby=\"banks\">\n");
  _cured_page_append_element (page, "h2 id=\"banks\"", _ ("Banks of shared memory"));
  {
    g_autofree char *where =
        g_strdup_printf (_ ("Counted by the emulator: kernel %s, block %u, warp %u, its worst "
                            "access of each instruction. A number is a lane’s; ×4: one word serves "
                            "so many; a red edge: it had to wait for its bank."),
                         view->entry, view->block[0], view->warp);

    _cured_page_append_element (page, "p class=\"note\"", where);
  }
  g_string_append (page, "<div id=\"sites\">\n");
  for (gsize i = 0; i < view->n_sites; i++)
    if (is_drawn (view, i))
      append_site (page, view, i);
  g_string_append (page, "</div>\n");
  if (view->n_sites > MAX_SITES)
    _cured_page_append_element (
        page, "p class=\"note\"",
        _ ("Instructions that do no more are left out; “cured banks” has them."));
  g_string_append (page, "</section>\n");
}

/* ---- The source ---- */

/* The first drawn instruction on a line, from 1; 0: none. */
static gsize
find_site (const CuredBankView *view, int line)
{
  for (gsize i = 0; view != NULL && i < view->n_sites; i++)
    if (line > 0 && view->sites[i].line == line && is_drawn (view, i))
      return i + 1;
  return 0;
}

static const CuredFinding *
find_finding (const CuredInspection *inspection, int line)
{
  for (guint i = 0; inspection != NULL && i < inspection->findings->len; i++)
    {
      const CuredFinding *finding = inspection->findings->pdata[i];

      if (finding->here.line == line || finding->there.line == line)
        return finding;
    }
  return NULL;
}

static void
append_line (GString *page, const CuredInspection *inspection, const char *text, int line,
             gboolean has_counts)
{
  const CuredLineCounts *counts =
      inspection != NULL ? cured_inspection_find_line (inspection, line) : NULL;
  const CuredFinding *finding = find_finding (inspection, line);
  guint64 excess = get_excess (counts);
  gsize site = inspection != NULL ? find_site (inspection->banks, line) : 0;

  g_string_append_printf (page, "<tr%s><th scope=\"row\" id=\"line-%d\">%d</th>",
                          finding != NULL ? " class=\"found\""
                          : excess > 0    ? " class=\"excess\""
                                          : "",
                          line, line);
  if (has_counts && counts != NULL && counts->shared_requests > 0)
    {
      g_autofree char *wavefronts = cured_format_count ((gint64) counts->wavefronts);
      g_autofree char *number = cured_format_count ((gint64) excess);

      g_string_append_printf (page, "<td>%s</td><td>%s</td>", wavefronts, number);
    }
  else if (has_counts)
    g_string_append (page, "<td></td><td></td>");
  g_string_append (page, "<td><code>");
  if (site > 0)
    g_string_append_printf (page, "<a href=\"#site-%zu\">", site);
  _cured_page_append_text (page, text);
  g_string_append_printf (page, "%s</code></td></tr>\n", site > 0 ? "</a>" : "");
}

static void
append_findings (GString *page, const CuredInspection *inspection)
{
  if (inspection->findings->len == 0)
    return;
  g_string_append (page, "<ul class=\"findings\">\n");
  for (guint i = 0; i < MIN (inspection->findings->len, 20); i++)
    {
      g_autofree char *text = cured_finding_to_string (inspection->findings->pdata[i]);

      _cured_page_append_element (page, "li", text);
    }
  g_string_append (page, "</ul>\n");
}

static void
append_lines (GString *page, const CuredInspection *inspection, const char *source)
{
  g_auto (GStrv) lines = g_strsplit (source, "\n", MAX_LINES + 1);
  gboolean has_counts = inspection != NULL && inspection->lines->len > 0;
  int n_lines = (int) g_strv_length (lines);

  if (n_lines > 0 && *lines[n_lines - 1] == '\0')
    n_lines--;
  g_string_append (page, "<div class=\"scroll\"><table class=\"source\">\n"
                         "<thead><tr>");
  _cured_page_append_element (page, "th scope=\"col\"", _ ("Line"));
  if (has_counts)
    {
      _cured_page_append_element (page, "th scope=\"col\"", _ ("Wavefronts"));
      _cured_page_append_element (page, "th scope=\"col\"", _ ("Excess"));
    }
  _cured_page_append_element (page, "th scope=\"col\"", _ ("Source"));
  g_string_append (page, "</tr></thead>\n<tbody>\n");
  for (int i = 0; i < MIN (n_lines, MAX_LINES); i++)
    append_line (page, inspection, lines[i], i + 1, has_counts);
  g_string_append (page, "</tbody></table></div>\n");
}

/* Inspects one block of a cell; on failure NULL, and a text with the reason. */
static CuredInspection *
inspect (CuredResult *result, gint64 cell, GCancellable *cancellable, char **problem)
{
  CuredKernel *kernel = cured_result_get_kernel (result);
  const CuredDeviceInfo *device = cured_result_get_device (result);
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, 1));
  g_autofree gint64 *values = g_new0 (gint64, MAX (n_axes, 1));
  g_autoptr (GError) error = NULL;
  CuredBankQuery query;

  if (kernel == NULL || cell < 0)
    return NULL;
  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    values[i] = cured_axis_get_value (axes[i].values, positions[i]);
  cured_bank_query_init (&query);
  query.seed = cured_result_get_options (result)->seed;
  CuredInspection *inspection =
      cured_examiner_inspect (examiner, kernel, values, &device->limits, &query,
                              CURED_INSPECTION_TIME_LIMIT_MS, cancellable, &error);
  if (inspection == NULL)
    *problem = g_strdup (error->message);
  return inspection;
}

/* Appends the source with the cost of its lines, and the banks; without a compiler, only the
 * source. @cell: one of its blocks is run on the emulator, in a sandboxed process; -1: none.
 * @cancellable: (nullable): stops it. */
void
_cured_page_append_source (GString *page, CuredResult *result, gint64 cell,
                           GCancellable *cancellable)
{
  const char *source = cured_result_get_source (result);
  g_autofree char *problem = NULL;

  if (source == NULL || *source == '\0')
    return;
  g_autoptr (CuredInspection) inspection = inspect (result, cell, cancellable, &problem);
  if (inspection != NULL)
    append_banks (page, inspection->banks);
  g_string_append (
      page,
      "<section class=\"card\" id=\"source-view\" aria-labelledby=\"source\">\n<details open>\n"
      "<summary><h2 id=\"source\">");
  _cured_page_append_text (page, _ ("Source"));
  g_string_append (page, "</h2></summary>\n");
  if (inspection != NULL)
    {
      CuredView none = { .x_axis = CURED_AXIS_NONE, .y_axis = CURED_AXIS_NONE };
      gsize n_axes;

      cured_result_get_axes (result, &n_axes);
      none.positions = g_new0 (gsize, MAX (n_axes, 1));
      cured_result_get_positions (result, cell, none.positions);
      g_autofree char *where = _cured_export_describe_slice (result, &none);
      cured_view_clear (&none);
      g_autofree char *note = g_strdup_printf (
          /* Translators: the values of parameters. */
          _ ("Wavefronts of shared memory, and those that conflicts add, counted by the emulator "
             "in one block at %s."),
          where);
      _cured_page_append_element (page, "p class=\"note\"", note);
      append_findings (page, inspection);
    }
  else if (problem != NULL)
    _cured_page_append_element (page, "p class=\"note\"", problem);
  append_lines (page, inspection, source);
  g_string_append (page, "</details>\n</section>\n");
}

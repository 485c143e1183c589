/* SPDX-License-Identifier: MIT
 * The accesses of a kernel's warps to the banks of shared memory. */
#include <config.h>

#include "banks/cured-bank-page-private.h"

#include <string.h>

/* Implementation notes: an inspector runs one block at the document's point; for a comparison, a
 * second one runs with another value of one parameter or with another kernel. refresh() shows their
 * results, show_access() the selected access and the player's step. */

/* From this width on, the list is beside the picture instead of above it. */
#define WIDE 1500

/* Size limits of the list, beside and above. */
#define LIST_WIDTH_MOST   760
#define LIST_HEIGHT_LEAST 112
#define LIST_HEIGHT_MOST  260

static void refresh (CuredBankPage *self);

G_DEFINE_FINAL_TYPE (CuredBankPage, cured_bank_page, CURED_TYPE_PAGE)

/* ---- Pictures ---- */

/* The access to draw: the player's current one, or else a pattern of the selected site. */
static gboolean
find_access (CuredBankPage *self, gsize *site, CuredBankAccess *access)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  const CuredBankSite *selected = cured_bank_sites_get_selected (self->sites);
  gsize step = cured_bank_player_get_step (self->player);
  gsize pattern = 0;

  if (view == NULL || selected == NULL)
    return FALSE;
  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_ACCESSES)
    {
      if (step >= view->n_events)
        return FALSE;
      *site = view->events[step].site;
      *access = view->events[step].access;
      return TRUE;
    }
  *site = (gsize) (selected - view->sites);
  if (selected->n_patterns == 0 ||
      (selected->n_patterns > 1 && !cured_choice_get_selected (self->pattern, &pattern)))
    return FALSE;
  *access = selected->patterns[MIN (pattern, selected->n_patterns - 1)].access;
  return TRUE;
}

/* (nullable): the corresponding access in @other. In another kernel, which has other lines, it is
 * the n-th of its kind for the same n, preferably to the same array. */
static const CuredBankSite *
find_counterpart (CuredBankPage *self, const CuredBankView *other, const CuredBankSite *site)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  const CuredBankSite *found = cured_bank_view_find_like (other, site, view);

  for (int any = 0; self->rival != NULL && found == NULL && any < 2; any++)
    {
      gsize n_before = 0;

      for (const CuredBankSite *s = view->sites; s < site; s++)
        n_before += s->kind == site->kind && (any || g_strcmp0 (s->array, site->array) == 0);
      for (gsize i = 0; i < other->n_sites; i++)
        {
          const CuredBankSite *s = &other->sites[i];

          if (s->kind != site->kind || s->n_patterns == 0 ||
              (!any && g_strcmp0 (s->array, site->array) != 0))
            continue;
          found = s;
          if (n_before-- == 0)
            break;
        }
    }
  return found;
}

/* Finds the access of the second side that corresponds to the first side's: the same pattern of the
 * site, or its n-th access in time for the same n. */
static gboolean
find_other_access (CuredBankPage *self, gsize site, gsize *other_site, CuredBankAccess *access)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  const CuredBankView *other = _cured_bank_page_get_view (self->other);
  gsize pattern = 0;
  gsize n_before = 0;
  gboolean is_found = FALSE;

  if (other == NULL)
    return FALSE;
  const CuredBankSite *found = find_counterpart (self, other, &view->sites[site]);
  if (found == NULL || found->n_patterns == 0)
    return FALSE;
  *other_site = (gsize) (found - other->sites);
  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_WAVEFRONTS)
    {
      if (view->sites[site].n_patterns > 1)
        cured_choice_get_selected (self->pattern, &pattern);
      *access = found->patterns[MIN (pattern, found->n_patterns - 1)].access;
      return TRUE;
    }
  for (gsize i = 0; i < cured_bank_player_get_step (self->player); i++)
    n_before += view->events[i].site == site;
  for (gsize i = 0; i < other->n_events; i++)
    if (other->events[i].site == *other_site)
      {
        *access = other->events[i].access;
        is_found = TRUE;
        if (n_before-- == 0)
          break;
      }
  return is_found;
}

static void
show_wavefront (CuredBankPage *self)
{
  gssize wavefront = -1;

  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_WAVEFRONTS)
    wavefront = (gssize) cured_bank_player_get_step (self->player) - 1;
  cured_bank_picture_set_wavefront (cured_bank_side_get_chart (self->first), wavefront);
  cured_bank_picture_set_wavefront (cured_bank_side_get_chart (self->second), wavefront);
}

static gboolean
is_flow (CuredBankPage *self)
{
  return gtk_toggle_button_get_active (self->flow);
}

static gboolean
is_threads (CuredBankPage *self)
{
  return gtk_toggle_button_get_active (self->threads);
}

static void
set_read_out (CuredBankPage *self, const char *text)
{
  cured_widget_say (self->read_out, text);
}

static void
set_view (CuredPicture *picture, CuredBankView *view, CuredChart *(*make_chart) (CuredBankView *) )
{
  if (g_object_get_data (G_OBJECT (picture), "view") == view)
    return;
  cured_picture_set_chart (picture, make_chart (view), -1);
  g_object_set_data_full (G_OBJECT (picture), "view", cured_bank_view_ref (view),
                          (GDestroyNotify) cured_bank_view_unref);
}

static void
show_thread (CuredBankPage *self)
{
  g_autofree char *text = cured_picture_get_read_out (self->thread_chart);

  set_read_out (self, text);
}

/* Shows the player's thread, or all of them. */
static void
show_threads (CuredBankPage *self, CuredBankView *view)
{
  set_view (self->thread_chart, view, cured_thread_plot_new);
  cured_bank_player_set_length (self->player, CURED_BANK_PLAY_THREADS,
                                cured_picture_get_chart (self->thread_chart)->n_steps);
  gssize thread = (gssize) cured_bank_player_get_step (self->player) - 1;
  if (thread != cured_picture_get_item (self->thread_chart))
    cured_picture_set_item (self->thread_chart, thread);
  show_thread (self);
}

/* Shows the flow up to the player's access, or all of it. */
static void
show_flow (CuredBankPage *self, CuredBankView *view)
{
  gssize step = -1;

  if (is_threads (self))
    show_threads (self, view);
  if (!is_flow (self))
    return;
  set_view (self->flow_chart, view, cured_flow_plot_new);
  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_ACCESSES)
    step = (gssize) cured_bank_player_get_step (self->player);
  cured_picture_set_step (self->flow_chart, step, step);
  g_autofree char *text = cured_picture_get_read_out (self->flow_chart);
  set_read_out (self, text);
}

static void
show_read_out (CuredBankPage *self, CuredPicture *chart)
{
  const CuredBankSite *site = cured_bank_sites_get_selected (self->sites);
  gboolean is_faulty = site != NULL && site->fault != NULL;
  g_autofree char *text = cured_picture_get_read_out (chart);

  /* Counts of all lanes are meaningless for a faulty access. */
  if (is_faulty && cured_bank_picture_get_lane (chart) < 0)
    *text = '\0';
  set_read_out (self, text);
}

static void
show_first (CuredBankPage *self, const CuredBankView *view, const CuredBankSite *site,
            const CuredBankAccess *access)
{
  cured_bank_text_fill_figures (self->first, cured_document_get_result (self->page.document),
                                cured_inspector_get_cell (self->page.inspector), view, access);
  if (access != NULL)
    cured_bank_side_show_access (self->first, site, access);
  else
    cured_bank_side_show_message (self->first, _ ("No Measured Rule"),
                                  _ ("The bank model has no measured rule for this instruction, so "
                                     "there is no picture of it."));
}

/* Why the second side has no access. */
static char *
describe_missing (CuredBankPage *self)
{
  CuredInspection *inspection = cured_inspector_get_inspection (self->other);
  const GError *error = cured_inspector_get_error (self->other);

  if (error != NULL)
    return g_strdup (error->message);
  if (inspection != NULL && inspection->banks == NULL)
    return cured_bank_text_problems (inspection);
  if (inspection == NULL)
    return g_strdup (_ ("One block runs on the emulator…"));
  return g_strdup (self->rival != NULL
                       ? _ ("A warp of this kernel makes no such access.")
                       : _ ("With this value the warp makes no such access on this line."));
}

static void
show_second (CuredBankPage *self, gsize site)
{
  const CuredBankView *other = _cured_bank_page_get_view (self->other);
  CuredBankAccess access;
  gsize other_site;

  gtk_widget_set_visible (GTK_WIDGET (self->second), _cured_bank_page_is_comparing (self));
  if (!_cured_bank_page_is_comparing (self))
    return;
  gboolean is_found = find_other_access (self, site, &other_site, &access);
  cured_bank_side_clear_figures (self->second);
  if (other != NULL)
    cured_bank_text_fill_figures (
        self->second,
        cured_document_get_result (self->rival != NULL ? self->rival : self->page.document),
        cured_inspector_get_cell (self->other), other, is_found ? &access : NULL);
  if (is_found)
    cured_bank_side_show_access (self->second, &other->sites[other_site], &access);
  else
    {
      g_autofree char *text = describe_missing (self);

      cured_bank_side_show_message (self->second, _ ("No Picture at This Value"), text);
    }
}

/* Gives rows the same height on both sides. */
static void
align_sides (CuredBankPage *self)
{
  CuredPicture *first = cured_bank_side_get_chart (self->first);
  CuredPicture *second = cured_bank_side_get_chart (self->second);

  cured_bank_picture_align (first, _cured_bank_page_is_comparing (self) ? second : NULL);
  cured_bank_picture_align (second, first);
}

static gsize
count_wavefronts (CuredBankSide *side)
{
  const CuredChart *chart = cured_picture_get_chart (cured_bank_side_get_chart (side));

  return chart != NULL ? chart->n_steps : 0;
}

static void
show_access (CuredBankPage *self)
{
  CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  const CuredBankSite *selected = cured_bank_sites_get_selected (self->sites);
  CuredBankAccess access;
  gsize site = 0;
  g_autofree char *widths = NULL;

  if (view != NULL && selected == NULL)
    show_flow (self, view);
  if (view == NULL || selected == NULL)
    return;
  gboolean is_found = find_access (self, &site, &access);
  if (is_found)
    self->drawn = access;
  else
    site = (gsize) (selected - view->sites);
  g_autofree char *title = cured_bank_text_site (&view->sites[site]);
  if (cured_inspector_get_widths (self->page.inspector) != NULL)
    widths = cured_bank_text_widths (cured_inspector_get_widths (self->page.inspector),
                                     &view->sites[site]);
  gtk_label_set_label (self->site_title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->site_title), view->sites[site].ptx);
  gtk_widget_set_sensitive (self->show_source, view->sites[site].source != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->widths), widths != NULL);
  gtk_label_set_label (self->widths, widths != NULL ? widths : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->widths), widths);

  show_first (self, view, &view->sites[site], is_found ? &access : NULL);
  show_second (self, site);
  align_sides (self);
  gsize n_wavefronts = count_wavefronts (self->first);
  if (_cured_bank_page_is_comparing (self))
    n_wavefronts = MAX (n_wavefronts, count_wavefronts (self->second));
  cured_bank_player_set_length (self->player, CURED_BANK_PLAY_WAVEFRONTS, n_wavefronts);
  cured_bank_player_set_length (self->player, CURED_BANK_PLAY_ACCESSES, view->n_events);
  show_wavefront (self);
  show_read_out (self, cured_bank_side_get_chart (self->first));
  show_flow (self, view);
}

/* ---- Controls of the picture ---- */

/* Finds the pattern of the selected site that is already drawn, for example after the rest of the
 * block has run. */
static gboolean
find_drawn (CuredBankPage *self, gsize *pattern)
{
  const CuredBankSite *site = cured_bank_sites_get_selected (self->sites);

  for (gsize i = 0; site != NULL && i < site->n_patterns; i++)
    /* The struct has no padding. */
    if (memcmp (&site->patterns[i].access, &self->drawn, sizeof self->drawn) == 0)
      {
        *pattern = i;
        return TRUE;
      }
  return FALSE;
}

static void
fill_patterns (CuredBankPage *self, gsize chosen)
{
  const CuredBankSite *site = cured_bank_sites_get_selected (self->sites);
  gsize n_patterns = site != NULL ? site->n_patterns : 0;
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; i < n_patterns && n_patterns > 1; i++)
    {
      const CuredBankViewPattern *pattern = &site->patterns[i];
      g_autofree char *count = cured_format_count ((gint64) pattern->count);
      g_autofree char *title = g_strdup_printf (
          /* Translators: the wavefronts of an access, and how many accesses are alike. */
          ngettext ("%u wavefront, %s×", "%u wavefronts, %s×", pattern->counts.wavefronts),
          pattern->counts.wavefronts, count);

      cured_choice_add (store, i, title, NULL,
                        _ ("Accesses of this instruction that differ only in their start address; "
                           "the worst come first"));
    }
  cured_choice_fill (self->pattern, store, chosen);
}

/* If the list is above the picture, it already shows the site's name. */
static void
update_title_row (CuredBankPage *self)
{
  GListModel *patterns = gtk_drop_down_get_model (self->pattern);
  gboolean has_patterns = cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_WAVEFRONTS &&
                          patterns != NULL && g_list_model_get_n_items (patterns) > 1;

  gtk_widget_set_visible (GTK_WIDGET (self->pattern), has_patterns);
  gtk_widget_set_visible (self->title_row, has_patterns || self->is_wide);
}

/* When playing accesses in time, goes to the next access of the row. */
static void
go_to_site (CuredBankPage *self, gsize site)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  gsize step = cured_bank_player_get_step (self->player);

  for (gsize i = 0; i < view->n_events; i++)
    {
      gsize at = (step + i) % view->n_events;

      if (view->events[at].site == site)
        {
          cured_bank_player_set_step (self->player, at);
          return;
        }
    }
}

/* Whether the player's access is already drawn and belongs to the selected row, which may have
 * several sites. */
static gboolean
is_at_drawn (CuredBankPage *self, const CuredBankView *view)
{
  gsize step = cured_bank_player_get_step (self->player);
  const CuredBankEvent *event = step < view->n_events ? &view->events[step] : NULL;

  return event != NULL && cured_bank_sites_is_selected (self->sites, event->site) &&
         memcmp (&event->access, &self->drawn, sizeof self->drawn) == 0;
}

static void
selected_cb (CuredBankPage *self)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  const CuredBankSite *site = cured_bank_sites_get_selected (self->sites);
  gsize pattern = 0;

  if (view == NULL || site == NULL)
    return;
  gboolean is_drawn = find_drawn (self, &pattern);
  fill_patterns (self, pattern);
  update_title_row (self);
  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_ACCESSES)
    {
      if (!is_at_drawn (self, view))
        go_to_site (self, (gsize) (site - view->sites));
    }
  else if (!is_drawn)
    cured_bank_player_set_step (self->player, 0);
  show_access (self);
}

static void
moved_cb (CuredBankPage *self)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  gsize step = cured_bank_player_get_step (self->player);

  update_title_row (self);
  if (view == NULL)
    return;
  if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_ACCESSES &&
      step < view->n_events)
    {
      g_signal_handler_block (self->sites, self->selected_id);
      cured_bank_sites_select (self->sites, view->events[step].site);
      g_signal_handler_unblock (self->sites, self->selected_id);
      fill_patterns (self, 0);
    }
  show_access (self);
}

static void
mode_cb (CuredBankPage *self)
{
  CuredBankPlotMode mode = gtk_toggle_button_get_active (self->addresses)
                               ? CURED_BANK_PLOT_ADDRESSES
                               : CURED_BANK_PLOT_BANKS;

  cured_bank_side_set_mode (self->second, mode);
  cured_bank_side_set_mode (self->first, mode);
  align_sides (self);
  show_wavefront (self);
}

/* The flow consists of accesses in time. */
static void
flow_cb (CuredBankPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->sides), !is_flow (self) && !is_threads (self));
  gtk_widget_set_visible (self->flow_window, is_flow (self));
  gtk_widget_set_visible (self->threads_window, is_threads (self));
  if (is_flow (self))
    cured_bank_player_set_play (self->player, CURED_BANK_PLAY_ACCESSES);
  else if (is_threads (self))
    cured_bank_player_set_play (self->player, CURED_BANK_PLAY_THREADS);
  else if (cured_bank_player_get_play (self->player) == CURED_BANK_PLAY_THREADS)
    cured_bank_player_set_play (self->player, CURED_BANK_PLAY_WAVEFRONTS);
  show_access (self);
  /* Without accesses to shared memory, only the buffers can be shown. */
  if (_cured_bank_page_get_view (self->page.inspector) != NULL &&
      _cured_bank_page_get_view (self->page.inspector)->n_sites == 0)
    refresh (self);
}

static void
show_flow_cb (CuredBankPage *self)
{
  gtk_toggle_button_set_active (self->threads, TRUE);
}

/* Array elements are not steps of the player. */
static void
thread_chosen_cb (CuredBankPage *self)
{
  gssize cell = cured_picture_get_item (self->thread_chart);

  if (cell >= (gssize) cured_picture_get_chart (self->thread_chart)->n_steps)
    cell = -1;
  cured_bank_player_set_step (self->player, (gsize) (cell + 1));
}

static void
cursor_moved_cb (CuredBankPage *self, CuredPicture *chart)
{
  CuredPicture *first = cured_bank_side_get_chart (self->first);
  CuredPicture *second = cured_bank_side_get_chart (self->second);

  if (is_flow (self) || is_threads (self))
    return;
  if (_cured_bank_page_is_comparing (self))
    cured_bank_picture_point_at_lane (chart == first ? second : first,
                                      cured_bank_picture_get_lane (chart));
  show_read_out (self, chart);
}

static void
step_cb (CuredBankPage *self, int by)
{
  cured_bank_player_move (self->player, by);
}

static void
play_cb (CuredBankPage *self)
{
  cured_bank_player_toggle (self->player);
}

static void
show_source_cb (CuredBankPage *self)
{
  const CuredBankSite *site = cured_bank_sites_get_selected (self->sites);
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  int line = site != NULL && kernel != NULL
                 ? cured_kernel_find_line (kernel, site->file, site->line, site->ptx_line)
                 : 0;

  if (line > 0)
    cured_document_set_line (self->page.document, line);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "source");
}

static void
line_changed_cb (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  int line = cured_document_get_line (self->page.document);

  if (line > 0 && kernel != NULL)
    cured_bank_sites_select_line (self->sites, kernel, line);
}

/* ---- Available views ---- */

static void
show_empty (CuredBankPage *self, const char *icon, const char *title, const char *description,
            gboolean has_source)
{
  gtk_widget_set_visible (self->show_text, has_source);
  gtk_widget_set_visible (self->show_flow, FALSE);
  cured_page_show_empty (self, icon, title, description);
}

static void
show_no_kernel (CuredBankPage *self)
{
  const GError *error = cured_document_get_source_error (self->page.document);

  if (error != NULL)
    show_empty (self, "dialog-error-symbolic", _ ("This Can't Be Run"), error->message, TRUE);
  else if (cured_document_get_result (self->page.document) != NULL)
    show_empty (self, "text-x-generic-symbolic", _ ("No Kernel in This File"),
                _ ("The file has measurements, but no kernel source, so there is nothing to run. "
                   "The stride explorer shows what strides do to the banks."),
                FALSE);
  else
    show_empty (self, "view-list-symbolic", _ ("No Kernel Is Open"),
                _ ("Choose a kernel, or open a file, to see what its warps do to the banks of "
                   "shared memory. No GPU is needed."),
                FALSE);
}

static gboolean
has_line (const CuredInspection *inspection)
{
  for (guint i = 0; i < inspection->diagnostics->len; i++)
    if (((CuredDiagnostic *) inspection->diagnostics->pdata[i])->line > 0)
      return TRUE;
  return FALSE;
}

static void
show_problems (CuredBankPage *self, const CuredInspection *inspection)
{
  g_autofree char *text = cured_bank_text_problems (inspection);

  show_empty (self, "dialog-error-symbolic",
              has_line (inspection) ? _ ("The Kernel Does Not Compile") : _ ("This Can't Be Run"),
              text, TRUE);
}

static void
show_error (CuredBankPage *self, const GError *error)
{
  show_empty (self, "dialog-error-symbolic",
              g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER)
                  ? _ ("The Compiler Is Missing")
                  : _ ("The Block Can't Be Run"),
              error->message, FALSE);
}

/* Whether a partial result is shown while the block continues to run. */
static gboolean
is_running_on (CuredBankPage *self)
{
  CuredInspection *inspection = cured_inspector_get_inspection (self->page.inspector);

  return inspection != NULL && inspection->is_partial &&
         cured_inspector_is_busy (self->page.inspector);
}

/* The flow can show buffers even without shared memory. */
static gboolean
has_only_flow (const CuredBankView *view)
{
  return view->n_sites == 0 && view->n_slices > 0 && view->faults->len == 0 &&
         view->end == CURED_END_DONE;
}

static void
show_view (CuredBankPage *self, CuredBankView *view)
{
  g_autofree char *text = NULL;

  if (has_only_flow (view) && (is_flow (self) || is_threads (self)))
    {
      gtk_stack_set_visible_child_name (self->stack, "view");
      show_access (self);
      return;
    }
  if (view->shared_bytes == 0)
    {
      text = cured_bank_text_no_shared (cured_document_get_kernel (self->page.document), view);
      show_empty (self, "view-list-symbolic", _ ("No Shared Memory"), text, TRUE);
    }
  else if (view->n_sites == 0 && is_running_on (self))
    gtk_stack_set_visible_child_name (self->stack, "busy");
  else if (view->n_sites == 0 && view->faults->len > 0)
    {
      text = cured_finding_to_string (view->faults->pdata[0]);
      show_empty (self, "dialog-error-symbolic",
                  _ (cured_finding_info (((CuredFinding *) view->faults->pdata[0])->kind)->title),
                  text, TRUE);
    }
  else if (view->n_sites == 0 && view->end != CURED_END_DONE)
    show_empty (self, "dialog-warning-symbolic", _ ("The Block Was Stopped"),
                _ ("It was stopped before it reached shared memory. Choose a smaller problem, or "
                   "more blocks, so that each has less to do."),
                TRUE);
  else if (view->n_sites == 0)
    show_empty (self, "view-list-symbolic", _ ("No Access to Shared Memory"),
                _ ("This warp makes no access to shared memory. Choose another warp or another "
                   "block above."),
                TRUE);
  else
    gtk_stack_set_visible_child_name (self->stack, "view");
  gtk_widget_set_visible (self->show_flow, has_only_flow (view));
}

/* (transfer full) (nullable): why the picture is of an older version of the edited source */
static char *
describe_edit (CuredBankPage *self)
{
  CuredInspection *newest = cured_inspector_get_newest (self->page.inspector);

  if (newest == NULL || newest->banks != NULL)
    return NULL;
  g_autofree char *problems = cured_bank_text_problems (newest);
  return g_strdup_printf (
      /* Translators: what is wrong with a source, of several lines perhaps. */
      _ ("What you see is from before the last edit. %s"), problems);
}

/* A time-out of the emulator is not the kernel's fault. */
static gboolean
is_faulty (const CuredBankView *view)
{
  return view->faults->len > 0 || (view->end != CURED_END_DONE && view->end != CURED_END_TIMED_OUT);
}

static void
show_note (CuredBankPage *self, const CuredBankView *view)
{
  gboolean is_told = view != NULL && !is_running_on (self);
  g_autofree char *edit = view != NULL ? describe_edit (self) : NULL;
  g_autofree char *note = is_told ? cured_bank_text_note (view) : NULL;
  const char *text = edit != NULL ? edit : note;
  g_autofree char *first = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->note), text != NULL);
  /* The tooltip has the whole text. */
  if (text != NULL)
    first = g_strndup (text, strcspn (text, "\n"));
  gtk_label_set_label (self->note, first != NULL ? first : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->note), text);
  cured_widget_set_class (self->note, "error", edit != NULL || (is_told && is_faulty (view)));
}

static void
update_busy (CuredBankPage *self)
{
  gboolean is_busy =
      gtk_widget_get_mapped (GTK_WIDGET (self)) &&
      (cured_inspector_is_busy (self->page.inspector) ||
       (_cured_bank_page_is_comparing (self) && cured_inspector_is_busy (self->other)));

  gtk_spinner_set_spinning (self->spinner, is_busy);
  gtk_spinner_set_spinning (
      self->busy_spinner,
      is_busy && g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "busy") == 0);
}

static void
refresh (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  CuredInspection *inspection = cured_inspector_get_inspection (self->page.inspector);
  const GError *error = cured_inspector_get_error (self->page.inspector);
  CuredBankView *view = kernel != NULL ? _cured_bank_page_get_view (self->page.inspector) : NULL;

  gtk_widget_set_visible (self->choosers, kernel != NULL);
  show_note (self, view);
  cured_bank_sites_set_view (self->sites, view);
  gtk_widget_set_visible (GTK_WIDGET (self->sites), view == NULL || view->n_sites > 0);
  if (kernel == NULL)
    show_no_kernel (self);
  else if (error != NULL)
    show_error (self, error);
  else if (view != NULL)
    show_view (self, view);
  else if (inspection != NULL)
    show_problems (self, inspection);
  else
    gtk_stack_set_visible_child_name (self->stack, "busy");
  gtk_widget_set_sensitive (GTK_WIDGET (self->compare), view != NULL && view->n_sites > 0);
  update_busy (self);
}

static void
changed_cb (CuredBankPage *self)
{
  _cured_bank_page_update_query (self);
  refresh (self);
}

static void
other_changed_cb (CuredBankPage *self)
{
  if (_cured_bank_page_is_comparing (self))
    show_access (self);
  update_busy (self);
}

static void
compare_cb (CuredBankPage *self)
{
  _cured_bank_page_start_comparing (self);
  show_access (self);
}

static void
parameter_cb (CuredBankPage *self)
{
  _cured_bank_page_take_parameter (self);
  show_access (self);
}

static void
value_cb (CuredBankPage *self)
{
  _cured_bank_page_take_value (self);
  show_access (self);
}

static void
point_changed_cb (CuredBankPage *self)
{
  _cured_bank_page_update_query (self);
  if (_cured_bank_page_is_comparing (self))
    {
      _cured_bank_page_follow_point (self);
      _cured_bank_page_show_first_title (self);
      _cured_bank_page_fill_values (self);
      show_access (self);
    }
}

/* After an edit, the sides still differ in the same parameter, if it exists. */
static gboolean
keep_parameter (CuredBankPage *self, CuredKernel *kernel)
{
  gsize parameter;

  if (self->kernel == NULL || kernel == NULL || !_cured_bank_page_is_comparing (self))
    return FALSE;
  const CuredParameter *parameters = self->kernel->parameters;
  gsize n_parameters = self->kernel->n_parameters;
  if (self->parameter >= n_parameters ||
      !cured_kernel_find_parameter (kernel, parameters[self->parameter].name, &parameter) ||
      !_cured_bank_page_has_choices (self, parameter))
    return FALSE;
  self->parameter = parameter;
  return TRUE;
}

/* The kernel's parameters may have changed. */
static void
kernel_changed_cb (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  gboolean is_across = self->rival != NULL && self->kernel != NULL && kernel != NULL &&
                       g_str_equal (self->kernel->id, kernel->id);
  gboolean is_kept = keep_parameter (self, kernel);
  gboolean may_compare = is_kept || _cured_bank_page_choose_parameter (self);

  g_clear_pointer (&self->kernel, cured_kernel_unref);
  self->kernel = kernel != NULL ? cured_kernel_ref (kernel) : NULL;
  if (!is_across)
    _cured_bank_page_set_rival (self, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->compare), may_compare);
  if (!may_compare)
    gtk_toggle_button_set_active (self->compare, FALSE);
  else if (_cured_bank_page_is_comparing (self))
    {
      if (!is_kept)
        _cured_bank_page_choose_value (self);
      _cured_bank_page_show_sides (self);
      show_access (self);
    }
  _cured_bank_page_update_query (self);
  if (_cured_bank_page_get_view (self->page.inspector) == NULL)
    refresh (self);
}

static void
document_changed_cb (CuredBankPage *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_KERNEL) != 0)
    kernel_changed_cb (self);
  if ((what & CURED_DOCUMENT_POINT) != 0)
    point_changed_cb (self);
  if ((what & CURED_DOCUMENT_LINE) != 0)
    line_changed_cb (self);
}

static void
opened_cb (CuredBankPage *self)
{
  CuredInspector *inspector = self->page.inspector;

  _cured_bank_page_watch_other (self, cured_inspector_new (self->page.document));
  cured_point_button_set_document (self->point, self->page.document);
  CURED_CONNECT (inspector, "notify::inspection", changed_cb);
  CURED_CONNECT (inspector, "notify::busy", update_busy);
  CURED_CONNECT (inspector, "notify::widths", show_access);
  kernel_changed_cb (self);
  refresh (self);
  line_changed_cb (self);
}

/* ---- Layout ---- */

static void
layout_cb (CuredBankPage *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->paned), self->is_wide
                                                                    ? GTK_ORIENTATION_HORIZONTAL
                                                                    : GTK_ORIENTATION_VERTICAL);
  gtk_paned_set_position (
      self->paned, self->is_wide
                       ? MIN (gtk_widget_get_width (GTK_WIDGET (self)) * 2 / 5, LIST_WIDTH_MOST)
                       : CLAMP (gtk_widget_get_height (GTK_WIDGET (self)) / 5, LIST_HEIGHT_LEAST,
                                LIST_HEIGHT_MOST));
  cured_bank_sites_set_wide (self->sites, !self->is_wide);
  update_title_row (self);
}

/* If space is short, the compare button is reduced to an icon. */
static void
fit_cb (CuredBankPage *self)
{
  if (self->is_tight)
    gtk_button_set_icon_name (GTK_BUTTON (self->compare), "view-dual-symbolic");
  else
    gtk_button_set_label (GTK_BUTTON (self->compare), _ ("Side b_y Side"));
}

static void
fit_choosers (CuredBankPage *self, int width)
{
  gboolean is_tight;

  if (!self->is_tight && self->fit_id == 0)
    gtk_widget_measure (self->choosers, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &self->roomy, NULL,
                        NULL);
  is_tight = width < self->roomy;
  if (is_tight == self->is_tight)
    return;
  self->is_tight = is_tight;
  if (self->fit_id == 0)
    CURED_LATER (fit_id, 0, fit_cb);
}

/* Requests only the width of the layout with the list above the picture, since a narrower page
 * switches to that layout. */
static void
cured_bank_page_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));
  int least_width = 0;

  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (child == NULL)
    return;
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least_width, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN (least_width, 600);
      return;
    }
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL,
                      for_size >= 0 ? MAX (for_size, least_width) : -1, minimum, natural, NULL,
                      NULL);
}

static void
cured_bank_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  CuredBankPage *self = CURED_BANK_PAGE (widget);
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));
  gboolean is_wide = width >= WIDE;
  int least = 0;

  if (child == NULL)
    return;
  if (is_wide != self->is_wide || !self->was_laid_out)
    {
      self->is_wide = is_wide;
      self->was_laid_out = TRUE;
      if (self->layout_id == 0)
        CURED_LATER (layout_id, 0, layout_cb);
    }
  fit_choosers (self, width);
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_allocate (child, MAX (width, least), height, baseline, NULL);
}

static void
held_cb (CuredBankPage *self, gboolean is_held)
{
  _cured_bank_page_hold_other (self);
  update_busy (self);
}

/* ---- Export ---- */

static CuredDrawing *
draw_flow (CuredBankPage *self, CuredKernel *kernel, CuredBankView *view)
{
  const char *point = cured_point_button_get_text (self->point);
  g_autofree char *name = g_strdelimit (g_strdup (kernel->id), "/", '-');
  g_autofree char *subtitle = g_strdup_printf (
      /* Translators: numbers of a group of threads and of a block. */
      _ ("Warp %u · block (%u, %u, %u)"), view->warp, view->block[0], view->block[1],
      view->block[2]);

  if (is_threads (self))
    return cured_drawing_new_threads (view, cured_picture_get_item (self->thread_chart), name,
                                      kernel->title, point, NULL);
  return cured_drawing_new_flow (view, name, kernel->title, point, subtitle);
}

static CuredDrawing *
get_drawing (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);
  CuredBankShown shown[2] = { { 0 } };
  gsize n_shown = 1;
  g_autofree char *name = NULL;
  g_autofree char *second_title = NULL;

  if (kernel == NULL || view == NULL)
    return NULL;
  if (is_flow (self) || is_threads (self))
    return draw_flow (self, kernel, view);
  if (!find_access (self, &shown[0].site, &shown[0].access))
    return NULL;
  shown[0].view = view;
  if (_cured_bank_page_is_comparing (self) &&
      find_other_access (self, shown[0].site, &shown[1].site, &shown[1].access))
    {
      CuredChoice *choice = gtk_drop_down_get_selected_item (self->value_list);

      second_title = self->rival != NULL
                         ? g_strdup (cured_choice_get_title (choice))
                         : g_strdup_printf ("%s = %s", kernel->parameters[self->parameter].name,
                                            cured_choice_get_title (choice));
      shown[0].title = gtk_label_get_label (self->first_title);
      shown[1].title = second_title;
      shown[1].view = _cured_bank_page_get_view (self->other);
      n_shown = 2;
    }
  name = g_strdelimit (g_strdup (kernel->id), "/", '-');
  g_autofree char *site_title = cured_bank_text_site (&view->sites[shown[0].site]);
  g_autofree char *subtitle = g_strdup_printf (
      /* Translators: the line and the instruction of an access, and numbers of a group of threads
       * and of a block. */
      _ ("%s · warp %u · block (%u, %u, %u)"), site_title, view->warp, view->block[0],
      view->block[1], view->block[2]);
  return cured_drawing_new_banks (
      shown, n_shown,
      gtk_toggle_button_get_active (self->addresses) ? CURED_BANK_PLOT_ADDRESSES
                                                     : CURED_BANK_PLOT_BANKS,
      name, kernel->title, cured_point_button_get_text (self->point), subtitle);
}

/* ---- The widget ---- */

static void
cured_bank_page_class_init (CuredBankPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = cured_bank_page_measure;
  widget_class->size_allocate = cured_bank_page_size_allocate;

  CURED_NEEDS (BANK_PLAYER, BANK_SIDE, BANK_SITES, PICTURE, POINT_BUTTON);
  cured_template_set (klass, "cured-bank-page");
  CURED_CALLBACKS (show_source_cb, mode_cb, flow_cb, show_flow_cb, step_cb, play_cb,
                   thread_chosen_cb, show_thread);
  CURED_CALLBACKS (moved_cb, _cured_bank_page_spun_cb, compare_cb);
  CURED_BIND (CuredBankPage, choosers, point, launch, block, warp, spinner, compare, note);
  CURED_BIND (CuredBankPage, stack, empty, show_text, show_flow, busy_spinner, paned, sites,
              title_row);
  CURED_BIND (CuredBankPage, site_title, pattern, show_source, addresses, flow, threads, player,
              sides);
  CURED_BIND (CuredBankPage, flow_window, flow_chart, threads_window, thread_chart, first, second,
              widths, read_out);
  CURED_OWNS (CuredBankPage, other, other_signals, rival, first_head, second_head);
  CURED_PAGE_DOES (opened, opened_cb);
  CURED_PAGE_DOES (changed, document_changed_cb);
  CURED_PAGE_DOES (held, held_cb);
  CURED_PAGE_DOES (get_drawing, get_drawing);
  CURED_TIMERS (CuredBankPage, layout_id, fit_id);
  CURED_FREES (CuredBankPage, cured_kernel_unref, kernel);
  CURED_FREES (CuredBankPage, cured_axis_unref, choices);
  CURED_FREES (CuredBankPage, g_free, launches);
}

static void
make_heads (CuredBankPage *self)
{
  g_autoptr (GtkSizeGroup) heights = gtk_size_group_new (GTK_SIZE_GROUP_VERTICAL);
  GtkWidget *first =
      cured_widget_new (GTK_TYPE_LABEL, "heading", "ellipsize", PANGO_ELLIPSIZE_END, NULL);

  self->first_title = GTK_LABEL (first);
  self->first_head = g_object_ref_sink (first);
  self->parameter_list = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  self->value_list = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  cured_widget_name (self->parameter_list, _ ("Parameter in which the pictures differ"), NULL);
  cured_widget_name (self->value_list, _ ("Its value in the second picture"), NULL);
  self->second_head = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  CURED_APPEND (self->second_head, self->parameter_list, gtk_label_new ("="), self->value_list);
  cured_bank_side_set_head (self->second, self->second_head);
  cured_bank_side_set_narrow (self->second, TRUE);
  gtk_size_group_add_widget (heights, self->first_head);
  gtk_size_group_add_widget (heights, self->second_head);
}

static void
watch_chart (CuredBankPage *self, CuredBankSide *side)
{
  CuredPicture *chart = cured_bank_side_get_chart (side);

  CURED_CONNECT (chart, "pointed", cursor_moved_cb);
  CURED_CONNECT (chart, "step", step_cb);
  CURED_CONNECT (chart, "play", play_cb);
}

static void
cured_bank_page_init (CuredBankPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* Replaced by cured_bank_page_size_allocate(). */
  gtk_widget_set_layout_manager (GTK_WIDGET (self), NULL);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  self->is_wide = TRUE;
  cured_bank_sites_set_wide (self->sites, FALSE);
  make_heads (self);
  watch_chart (self, self->first);
  watch_chart (self, self->second);

  self->other_signals = g_signal_group_new (CURED_TYPE_INSPECTOR);
  g_signal_group_connect_swapped (self->other_signals, "notify::inspection",
                                  G_CALLBACK (other_changed_cb), self);
  g_signal_group_connect_swapped (self->other_signals, "notify::busy", G_CALLBACK (update_busy),
                                  self);
  self->selected_id = CURED_CONNECT (self->sites, "selected", selected_cb);
  cured_choice_connect (self->pattern, G_CALLBACK (show_access), self);
  cured_choice_connect (self->launch, G_CALLBACK (_cured_bank_page_launch_cb), self);
  cured_choice_connect (self->parameter_list, G_CALLBACK (parameter_cb), self);
  cured_choice_connect (self->value_list, G_CALLBACK (value_cb), self);
}

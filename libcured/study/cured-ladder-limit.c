/* SPDX-License-Identifier: MIT
 * The limits of a ladder's steps. */

#include "base/cured-each-internal.h"
#include "study/cured-ladder.h"

/* A step without counts stays unknown: -1. */
static void
explain_rung (CuredRung *rung, CuredResult *result, CuredExaminer *examiner,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredMachine) machine = cured_explain_find_machine (result, NULL, error);

  if (machine == NULL)
    return;
  g_autoptr (CuredExplanation) explanation =
      cured_explain_cell (result, rung->cell->number, machine, examiner, cancellable, error);
  if (explanation == NULL)
    return;
  rung->limiter = cured_explanation_get_limiter (explanation);
  rung->limiter_share = explanation->uses[explanation->limit].share;
}

/* @examiner: compiles and emulates if a file has no counts
 * @func: (nullable): called with progress after each step
 *
 * Finds the limit of each step's fastest cell. A step that can't be counted stays unknown. Blocks
 * for up to some seconds per step: run it in a thread; no other thread may use the view meanwhile.
 * Returns: FALSE with %G_IO_ERROR_CANCELLED or, if no step could be counted, with the first one's
 *   error */
gboolean
cured_ladder_view_explain (CuredLadderView *self, CuredExaminer *examiner, CuredExplainFunc func,
                           gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) first = NULL;
  gint64 n_done = 0;
  gboolean is_known = FALSE;

  CURED_EACH (CuredRung, rung, self->rungs)
    {
      g_autoptr (GError) problem = NULL;

      if (rung->cell == NULL)
        continue;
      g_autoptr (CuredResult) result = cured_result_load (rung->step->path, cancellable, &problem);
      if (result != NULL)
        explain_rung (rung, result, examiner, cancellable, &problem);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      is_known = is_known || rung->limiter >= 0;
      if (problem != NULL && first == NULL)
        first = g_steal_pointer (&problem);
      if (func != NULL)
        func (++n_done, self->n_recorded, user_data);
    }
  if (!is_known && first != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return FALSE;
    }
  return TRUE;
}

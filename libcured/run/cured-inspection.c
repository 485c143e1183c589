/* SPDX-License-Identifier: MIT
 * What can be found out of a kernel by compiling it and running one block. */
#include "config.h"

#include "run/cured-inspection.h"

#include "base/cured-error.h"

static void
diagnostic_free (gpointer data)
{
  CuredDiagnostic *self = data;

  g_free (self->text);
  g_free (self);
}

static void
add_diagnostic (CuredInspection *self,
                CuredSeverity severity,
                int line,
                const char *text)
{
  CuredDiagnostic *diagnostic = g_new0 (CuredDiagnostic, 1);

  diagnostic->severity = severity;
  diagnostic->line = line;
  diagnostic->text = g_strdup (text);
  g_ptr_array_add (self->diagnostics, diagnostic);
}

/**
 * cured_inspection_new:
 * @compiler: NVRTC
 * @kernel: what to look at
 * @values: one a parameter, in the kernel's order
 * @limits: of the device that is imitated
 * @query: which launch, block and warp
 * @cancellable: (nullable): to stop
 *
 * Compiles the kernel and runs one block on the emulator. Blocks; any thread.
 *
 * Returns: (transfer full): what was found; a kernel that can't be compiled or
 *   launched is no error, its @diagnostics say why. %NULL with
 *   %G_IO_ERROR_CANCELLED, or with an error that is not the kernel's
 */
CuredInspection *
cured_inspection_new (CuredCompiler *compiler,
                      CuredKernel *kernel,
                      const gint64 *values,
                      const CuredLimits *limits,
                      const CuredBankQuery *query,
                      GCancellable *cancellable,
                      GError **error)
{
  g_autoptr (CuredInspection) self = g_atomic_rc_box_new0 (CuredInspection);
  g_autoptr (CuredProgram) program = NULL;
  g_autoptr (GError) problem = NULL;

  self->lines = g_array_new (FALSE, TRUE, sizeof (CuredLineCounts));
  self->findings =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  self->diagnostics = g_ptr_array_new_with_free_func (diagnostic_free);
  program = cured_program_new (kernel, values, limits, &problem);
  if (program != NULL)
    self->banks =
        cured_bank_view_new (compiler, program, query, cancellable, &problem);
  if (problem != NULL && problem->domain != CURED_ERROR)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return NULL;
    }
  if (problem != NULL)
    add_diagnostic (self, CURED_SEVERITY_ERROR, 0, problem->message);
  return g_steal_pointer (&self);
}

static void
clear (gpointer data)
{
  CuredInspection *self = data;

  g_clear_pointer (&self->banks, cured_bank_view_unref);
  g_free (self->ptx);
  g_free (self->ptx_lines);
  g_clear_pointer (&self->lines, g_array_unref);
  g_clear_pointer (&self->findings, g_ptr_array_unref);
  g_clear_pointer (&self->diagnostics, g_ptr_array_unref);
}

/**
 * cured_inspection_ref:
 * @self: an inspection
 *
 * Returns: (transfer full): @self
 */
CuredInspection *
cured_inspection_ref (CuredInspection *self)
{
  return g_atomic_rc_box_acquire (self);
}

/**
 * cured_inspection_unref:
 * @self: (transfer full): an inspection
 */
void
cured_inspection_unref (CuredInspection *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

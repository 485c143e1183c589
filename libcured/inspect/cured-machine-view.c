/* SPDX-License-Identifier: MIT
 * A kernel's machine code as text, with the source's lines and executed counts. */
#include "inspect/cured-machine-view.h"

#include "base/cured-base-internal.h"
#include "inspect/cured-loaded-program-private.h"
#include "sass/cured-sass-flow-internal.h"

static guint
get_bit (guint barrier)
{
  return barrier == CURED_SASS_NO_BARRIER ? 0 : 1u << barrier;
}

static void
fill_lines (CuredMachineView *self, const CuredSassCode *code, const CuredKernel *kernel)
{
  self->arch = g_strdup_printf ("sm_%u", code->arch);
  self->n_lines = code->insts->len;
  self->lines = g_new0 (CuredMachineLine, self->n_lines + 1);
  for (gsize i = 0; i < self->n_lines; i++)
    {
      const CuredSassInst *inst = &g_array_index (code->insts, CuredSassInst, i);

      self->lines[i] = (CuredMachineLine){
        .offset = inst->offset,
        .text = cured_sass_inst_to_text (inst),
        .line = cured_kernel_find_line (kernel, inst->file, inst->line, inst->ptx_line),
        .stall = inst->stall,
        .waits = inst->wait_mask,
        .sets = get_bit (inst->write_barrier) | get_bit (inst->read_barrier),
      };
    }
}

static void
count_lines (CuredMachineView *self, const CuredSassCode *code, const CuredPtxModule *module,
             const CuredReport *report, guint64 warps_per_block)
{
  if (report->counts == NULL)
    return;
  g_autoptr (GArray) sites = cured_sass_list_sites (module, report->counts, report->n_counts);
  g_autoptr (CuredSassFlow) flow =
      cured_sass_flow_new (code, (const CuredSassSite *) (gpointer) sites->data, sites->len,
                           report->n_blocks_run * warps_per_block);
  CURED_EACH (const CuredSassBlock, block, flow->blocks)
    {
      for (guint i = block->first; i < block->first + block->n_insts; i++)
        {
          self->lines[i].executed = (guint64) llrint (MAX (block->executed, 0));
          self->lines[i].is_exact = block->certainty == CURED_SASS_EXACT;
        }
    }
}

/* @compiler: NVRTC
 * @program: a kernel at a point
 * @query: which launch and block
 * @cancellable: (nullable): stops it
 *
 * Compiles the kernel to machine code, decodes it, runs one block on the emulator, and derives how
 * often each instruction would have run (docs/machine-code.md). Blocks; any thread. Needs no GPU.
 * Returns: (transfer full): %NULL with %CURED_ERROR_COMPILE, %CURED_ERROR_SYNTAX,
 *   %CURED_ERROR_NOT_FOUND, %CURED_ERROR_INVALID (this chip's machine code is unknown) or
 *   %G_IO_ERROR_CANCELLED */
CuredMachineView *
cured_machine_view_new (CuredCompiler *compiler, const CuredProgram *program,
                        const CuredBankQuery *query, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredMachineView) self = g_new0 (CuredMachineView, 1);
  g_auto (CuredLoadedProgram) stage = { 0 };
  g_auto (CuredReport) report = { 0 };
  g_autofree char *note = NULL;
  CuredPtxEntry entry = { 0 };
  gsize step;

  g_return_val_if_fail (compiler != NULL && program != NULL && query != NULL, NULL);

  if (!_cured_loaded_program_init (&stage, compiler, program, FALSE, TRUE, cancellable, NULL,
                                   error) ||
      !_cured_loaded_program_choose (&stage, query, &step, &entry, error))
    return NULL;
  g_autoptr (GBytes) cubin = _cured_loaded_program_compile (
      compiler, program, CURED_STAGE_MACHINE_ARCH, TRUE, NULL, cancellable, error);
  if (cubin == NULL)
    return NULL;
  self->entry = g_strdup (program->steps[step].entry);
  g_autoptr (CuredSassCode) code = cured_sass_code_new (cubin, self->entry, error);
  if (code == NULL)
    return NULL;
  fill_lines (self, code, program->kernel);
  if (!_cured_loaded_program_run (&stage, query, step, NULL, NULL, &report, &note, cancellable,
                                  error))
    return NULL;
  count_lines (self, code, stage.emulated.module, &report,
               (_cured_step_count_threads (&program->steps[step]) + 31) / 32);
  return g_steal_pointer (&self);
}

/* @self: (nullable) (transfer full): a view */
void
cured_machine_view_free (CuredMachineView *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_lines; i++)
    g_free (self->lines[i].text);
  CURED_CLEAR (lines, g_free, entry, g_free, arch, g_free);
  g_free (self);
}

/* SPDX-License-Identifier: MIT
 * Fuzz target: any text is parsed or refused, and what was parsed holds together. */
#include <glib.h>

#include "fuzz.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/cured-ptx-internal.h"
#include "ptx/parse/cured-ptx-parse.h"

/* Places that are asked for. */
#define MAX_PLACES 50

static void
check_operand (const CuredPtxModule *module, const CuredPtxFunction *function,
               const CuredPtxOperand *x)
{
  gsize bytes = x->width == 1 ? 4 : (gsize) x->width * CURED_WARP_LANES;

  if (x->width == 0)
    return;
  g_assert_true (x->width == 1 || x->width == 2 || x->width == 4 || x->width == 8);
  g_assert_cmpuint (x->offset % (x->width == 1 ? 4 : 64), ==, 0);
  if (x->base == CURED_BASE_REGISTERS)
    g_assert_cmpuint (x->offset + bytes, <=, function->frame_bytes);
  else if (x->base == CURED_BASE_CONSTANTS)
    g_assert_cmpuint (x->offset + bytes, <=, module->constants_size);
  else
    g_assert_cmpint (x->base, ==, CURED_BASE_SPECIALS);
}

static void
check_function (const CuredPtxModule *module, const CuredPtxFunction *function)
{
  for (guint i = function->first; i < function->first + function->n_sites; i++)
    {
      const CuredPtxInst *inst = &module->code[i];
      guint n = 0;

      g_assert_cmpuint (inst->site, ==, i);
      g_assert_true (inst->run != NULL);
      g_assert_cmpuint (inst->file, <, module->n_files);
      check_operand (module, function, &inst->guard);
      for (guint k = 0; k < inst->n_counts; k++)
        n += inst->counts[k];
      for (guint k = 0; k < n; k++)
        check_operand (module, function, &inst->x[k]);
      if (inst->op == CURED_PTX_OP_bra)
        g_assert_true (inst->target >= function->first &&
                       inst->target < function->first + function->n_sites);
      if (inst->op == CURED_PTX_OP_brx)
        {
          const CuredPtxTable *table = &module->tables[inst->target];

          g_assert_cmpuint (inst->target, <, module->n_tables);
          for (guint k = 0; k < table->n_targets; k++)
            g_assert_true (table->targets[k] >= function->first &&
                           table->targets[k] < function->first + function->n_sites);
        }
      if (inst->call != NULL && !inst->call->is_indirect)
        g_assert_cmpuint (inst->target, <, module->n_functions);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredPtxModule) module =
      cured_ptx_module_parse ((const char *) data, (gssize) size, "a", &error);

  g_assert_true ((module == NULL) == (error != NULL));
  if (module == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  for (guint i = 0; i < module->n_functions; i++)
    {
      CuredPtxEntry entry;

      if (module->functions[i].is_defined)
        check_function (module, &module->functions[i]);
      if (i < MAX_PLACES)
        cured_ptx_module_find_entry (module, module->functions[i].name, &entry);
    }
  for (guint i = 0; i < MIN (module->n_code, MAX_PLACES); i++)
    {
      g_auto (CuredPtxPlace) place = { 0 };

      cured_ptx_module_get_place (module, i, &place);
      g_assert_true (place.text != NULL);
    }
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  cured_ptx_module_link (module, memory, NULL);
  return 0;
}

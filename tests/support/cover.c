/* SPDX-License-Identifier: MIT
 * Cells of a kernel that try each value of each parameter at least once, as few as will do: a cell
 * moves all parameters at a time. Nothing is drawn, so that what fails fails again. */
#include "cover.h"

#include "kernel/program/cured-program-internal.h"

/* Values of a parameter that are tried: all of a short list; of a longer one the ends and one from
 * between, which is odd as often as not. */
#define SHORT_LIST 4
#define OF_LONG    3

/* Of a launch parameter that may have any value. */
const gint64 cover_any_values[COVER_N_ANY_VALUES] = { 1, 2, 3, 7, 33 };

typedef struct
{
  gsize parameter;
  gint64 value;
  gboolean is_tried;
} Wanted;

static GArray *
list_wanted (CuredKernel *kernel, gboolean compiles_only)
{
  GArray *wanted = g_array_new (FALSE, FALSE, sizeof (Wanted));

  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      const CuredParameter *parameter = &kernel->parameters[i];
      const CuredAxis *list = parameter->values;
      gsize length = list != NULL ? cured_axis_get_length (list) : COVER_N_ANY_VALUES;
      gsize n = length > SHORT_LIST ? OF_LONG : length;
      const gsize places[OF_LONG] = { 0, length / 3, length - 1 };

      if (parameter->kind == CURED_PARAMETER_PROBLEM ||
          (compiles_only && parameter->kind != CURED_PARAMETER_COMPILE))
        continue;
      for (gsize k = 0; k < n; k++)
        {
          gsize place = length > SHORT_LIST ? places[k] : k;
          Wanted one = {
            i, list != NULL ? cured_axis_get_value (list, place) : cover_any_values[place], FALSE
          };

          /* That one is tried by whoever tries the defaults. */
          if (one.value != parameter->default_value)
            g_array_append_val (wanted, one);
        }
    }
  return wanted;
}

/* Moves as many parameters from @values as go together to a value that is yet to be tried, one
 * each; how many. */
static guint
move_all (CuredKernel *kernel, const CuredLimits *limits, GArray *wanted, gint64 *values)
{
  gsize moved = G_MAXSIZE;
  guint n = 0;

  for (guint i = 0; i < wanted->len; i++)
    {
      Wanted *one = &g_array_index (wanted, Wanted, i);
      gint64 old = values[one->parameter];

      if (one->is_tried || one->parameter == moved)
        continue;
      values[one->parameter] = one->value;
      if (cured_program_check (kernel, values, limits, NULL))
        {
          one->is_tried = TRUE;
          moved = one->parameter;
          n++;
        }
      else
        values[one->parameter] = old;
    }
  return n;
}

/**
 * cover_parameters:
 * @kernel: whose parameters are meant
 * @limits: of the device that can launch the cells
 * @compiles_only: leave launch parameters at their defaults
 *
 * Returns: (transfer full) (element-type gint64*): the parameters' values of
 *   each cell; problem parameters have their defaults. What goes with nothing is
 *   in none of them.
 */
GPtrArray *
cover_parameters (CuredKernel *kernel, const CuredLimits *limits, gboolean compiles_only)
{
  GPtrArray *cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) wanted = list_wanted (kernel, compiles_only);
  gsize n = kernel->n_parameters;
  g_autofree gint64 *defaults = g_new (gint64, n + 1);

  for (gsize i = 0; i < n; i++)
    defaults[i] = kernel->parameters[i].default_value;
  /* What does not go with the defaults may go with a cell that was made. */
  for (guint base = 0; base <= cells->len; base++)
    for (;;)
      {
        g_autofree gint64 *values = g_memdup2 (
            base == 0 ? defaults : g_ptr_array_index (cells, base - 1), (n + 1) * sizeof *values);

        if (move_all (kernel, limits, wanted, values) == 0)
          break;
        g_ptr_array_add (cells, g_steal_pointer (&values));
      }
  return cells;
}

/* SPDX-License-Identifier: MIT
 * Small problems to check a kernel with. */
#include "spec/cured-spec.h"

#include <math.h>

#include "kernel/program/cured-program.h"

/* One, and then odd, prime or one past a tile: these expose kernels that expect round
 * numbers. */
static const gint64 awkward[] = { 1, 31, 33, 97, 127, 257, 1009, 4099, 16411, 65537 };

/* For kernel files that refuse all of the above. */
static const gint64 round_ones[] = { 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536 };

#define N_STEPS G_N_ELEMENTS (awkward)
G_STATIC_ASSERT (G_N_ELEMENTS (round_ones) == N_STEPS);

/* Limits of a problem's size: some tenths of a second on the emulator. */
#define MAX_ELEMENTS         (1 << 16)
#define MAX_ELEMENTS_UNRATED (1 << 14) /* for a kernel file without Flops= */
#define MAX_FLOPS            1e8

/* Limit of a parameter that sizes no buffer: it may be a number of repetitions. */
#define MAX_REPETITIONS 33

typedef struct
{
  CuredSpec *spec;
  const CuredLimits *limits;
  const gint64 *ladder;
  const CuredParameter *parameters;
  gsize n_parameters;
  gsize n_sizes; /* problem parameters */
} Sizes;

/* The value of a problem parameter at a step of the ladder; a parameter that lists its values
 * uses these instead, in ascending order. Every second parameter is a step behind, to avoid
 * squares. */
static gboolean
get_size (const Sizes *self, gsize parameter, gsize nth, gsize step, gint64 *value)
{
  const CuredAxis *values = self->parameters[parameter].values;

  if (values != NULL)
    {
      if (step >= cured_axis_get_length (values))
        return FALSE;
      *value = cured_axis_get_value (values, step);
      return TRUE;
    }
  if (step >= N_STEPS)
    return FALSE;
  *value = self->ladder[step > 0 ? step - nth % 2 : 0];
  return TRUE;
}

/* FALSE: the ladder ends below, or this step is no longer small. The smallest problem, @least,
 * always counts as small. */
static gboolean
measure_step (const Sizes *self, gsize step, double least, double *elements, gboolean *is_on)
{
  g_autofree gint64 *values = g_new0 (gint64, self->n_parameters + 1);
  gsize nth = 0;

  *elements = 0;
  *is_on = FALSE;
  for (gsize i = 0; i < self->n_parameters; i++)
    {
      values[i] = cured_axis_get_value (cured_spec_get_axis (self->spec, i), 0);
      if (self->parameters[i].kind == CURED_PARAMETER_PROBLEM)
        {
          if (!get_size (self, i, nth, step, &values[i]))
            return FALSE;
          nth++;
        }
    }
  g_autoptr (CuredProgram) program =
      cured_program_new (cured_spec_get_kernel (self->spec), values, self->limits, NULL);
  /* A problem may be too small to be launched while a larger one is not. */
  if (program == NULL)
    return TRUE;
  for (gsize i = 0; i < program->n_buffers; i++)
    *elements += (double) program->buffers[i].length;
  double most = isnan (program->flops) ? MAX_ELEMENTS_UNRATED : MAX_ELEMENTS;
  *is_on = isnan (least) || (*elements <= MAX (most, least) && !(program->flops > MAX_FLOPS));
  return *is_on;
}

/* Steps that are small and can be launched; empty if none is. */
static GArray *
list_steps (const Sizes *self)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gsize));
  double first = NAN, elements = NAN;
  gboolean is_on;

  for (gsize step = 0; measure_step (self, step, first, &elements, &is_on); step++)
    {
      if (!is_on)
        continue;
      if (isnan (first))
        first = elements;
      else if (elements == first && step < N_STEPS && self->ladder[step] > MAX_REPETITIONS)
        break;
      g_array_append_val (steps, step);
    }
  return steps;
}

/* @limits: limits of the device that will run it
 *
 * Gives the problem parameters a few small values each (five if there is one such parameter), some
 * of them awkward; the other parameters keep theirs. A parameter that lists its values keeps to the
 * list. If no awkward size can be launched, round ones are used, and if no small problem can, the
 * defaults stay. */
void
cured_spec_use_small_sizes (CuredSpec *self, const CuredLimits *limits)
{
  Sizes sizes = { .spec = self, .limits = limits, .ladder = awkward };
  gsize nth = 0;

  g_return_if_fail (self != NULL && limits != NULL);

  sizes.parameters = cured_spec_get_kernel (self)->parameters;
  sizes.n_parameters = cured_spec_get_kernel (self)->n_parameters;
  for (gsize i = 0; i < sizes.n_parameters; i++)
    if (sizes.parameters[i].kind == CURED_PARAMETER_PROBLEM)
      sizes.n_sizes++;
  if (sizes.n_sizes == 0)
    return;
  g_autoptr (GArray) steps = list_steps (&sizes);
  if (steps->len == 0)
    {
      g_clear_pointer (&steps, g_array_unref);
      sizes.ladder = round_ones;
      steps = list_steps (&sizes);
    }
  if (steps->len == 0)
    return;

  /* The least two and the largest: the number of cells is a product. */
  gsize n_kept = sizes.n_sizes == 1 ? 5 : sizes.n_sizes == 2 ? 3 : 2;
  while (steps->len > n_kept)
    g_array_remove_index (steps, n_kept > 2 ? 2 : 1);
  for (gsize i = 0; i < sizes.n_parameters; i++)
    {
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));

      if (sizes.parameters[i].kind != CURED_PARAMETER_PROBLEM)
        continue;
      for (guint j = 0; j < steps->len; j++)
        {
          gint64 value = 0;

          get_size (&sizes, i, nth, g_array_index (steps, gsize, j), &value);
          if (values->len == 0 || g_array_index (values, gint64, values->len - 1) != value)
            g_array_append_val (values, value);
        }
      g_autoptr (CuredAxis) axis = cured_axis_new ((const gint64 *) values->data, values->len);
      if (axis != NULL)
        cured_spec_set_axis (self, sizes.parameters[i].name, axis, NULL);
      nth++;
    }
}

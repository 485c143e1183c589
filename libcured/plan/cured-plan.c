/* SPDX-License-Identifier: MIT
 * A spec on a device: numbered cells, and the order in which they run. */
#include "plan/cured-plan.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"
#include "kernel/program/cured-program-internal.h"

/* Why a cell can't be launched. Many cells share a reason; its text is stored once, in a
 * GStringChunk. */
typedef struct
{
  gint32 cell;
  const char *text;
} Reason;

struct _CuredPlan
{
  CuredSpec *spec;
  gsize n_axes;
  gint64 n_cells;
  gsize n_places;
  char **place_names, **place_archs;
  CuredAxis *places; /* (nullable): NULL: a single place */
  GArray *reasons;   /* (element-type Reason), in ascending order of cells */
  GStringChunk *reason_texts;
  guint8 *left_out; /* (nullable): by cell: TRUE if it does not meet the condition of the options */
  gint64 n_left_out;
  gint32 *ordered; /* launchable cells, in the order in which they run */
  gint64 n_launchable;
};

G_STATIC_ASSERT (CURED_PLAN_MAX_CELLS <= G_MAXINT32);

/* Context for the names in a condition. */
typedef struct
{
  const CuredKernel *kernel;
  const gint64 *values;
  const CuredLimits *limits;
} Names;

static gboolean
lookup_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  const Names *self = user_data;
  gsize index;

  *value = (CuredNumber){ 0 };
  if (!cured_kernel_find_parameter (self->kernel, name, &index))
    return cured_limits_get (self->limits, name, &value->integer);
  value->integer = self->values[index];
  return TRUE;
}

/* Fills @left_out. FALSE with CURED_ERROR_INVALID if the condition can't be evaluated. */
static gboolean
apply_condition (CuredPlan *self, const CuredPlanPlace *places, GError **error)
{
  CuredKernel *kernel = cured_spec_get_kernel (self->spec);
  const char *text = cured_spec_get_options (self->spec)->where;
  g_autofree gint64 *values = g_new (gint64, MAX (self->n_axes, 1));

  if (text == NULL)
    return TRUE;
  g_autoptr (CuredExpr) condition = cured_expr_parse (text, error);
  if (condition == NULL)
    return FALSE;
  self->left_out = g_new0 (guint8, (gsize) self->n_cells);
  for (gint64 cell = 0; cell < self->n_cells; cell++)
    {
      Names names = { kernel, values, places[cured_plan_get_place (self, cell)].limits };
      g_autoptr (GError) problem = NULL;
      double value = 0;

      cured_plan_get_values (self, cell, values);
      if (!cured_expr_evaluate_double (condition, lookup_cb, &names, &value, &problem))
        {
          g_autofree char *where = cured_plan_describe_cell (self, cell);

          return cured_fail (error, CURED_ERROR_INVALID,
                             /* Translators: a condition, the reason, and a cell. */
                             _ ("the condition %s has no value: %s (at %s)"), text,
                             problem->message, where);
        }
      self->left_out[cell] = value == 0;
      self->n_left_out += value == 0;
    }
  return TRUE;
}

static void
check_cells (CuredPlan *self, const CuredPlanPlace *places)
{
  CuredKernel *kernel = cured_spec_get_kernel (self->spec);
  g_autofree gint64 *values = g_new (gint64, MAX (self->n_axes, 1));

  for (gint64 cell = 0; cell < self->n_cells; cell++)
    {
      g_autoptr (GError) error = NULL;

      if (cured_plan_is_left_out (self, cell))
        continue;
      cured_plan_get_values (self, cell, values);
      if (!cured_program_check (kernel, values, places[cured_plan_get_place (self, cell)].limits,
                                &error))
        {
          Reason reason = {
            (gint32) cell,
            g_string_chunk_insert_const (self->reason_texts, error->message),
          };

          g_array_append_val (self->reasons, reason);
        }
    }
  self->n_launchable = self->n_cells - self->n_left_out - self->reasons->len;
}

/* Fills @ordered. Inputs and references depend on problem parameters, and the compiled variant on
 * compile parameters; both are costly to make, and a worker caches the last ones. Hence problem
 * parameters change slowest, then compile parameters, and launch parameters, which are free,
 * fastest. Parameters of the same kind keep the kernel file's order, the last one fastest, as in
 * the numbering of cells. */
static void
order_cells (CuredPlan *self)
{
  static const CuredParameterKind slowest_first[] = {
    CURED_PARAMETER_PROBLEM,
    CURED_PARAMETER_COMPILE,
    CURED_PARAMETER_LAUNCH,
  };
  const CuredParameter *parameters = cured_spec_get_kernel (self->spec)->parameters;
  g_autofree gint64 *strides = g_new (gint64, self->n_axes + 1);
  g_autofree gint64 *steps = g_new (gint64, self->n_axes + 1);
  g_autofree gsize *lengths = g_new (gsize, self->n_axes + 1);
  g_autofree gsize *digits = g_new0 (gsize, self->n_axes + 1);
  gint64 stride = (gint64) self->n_places, cell = 0, position = 0;
  gsize n_sorted = 0;
  g_autofree guint8 *refused = g_new0 (guint8, (gsize) self->n_cells);

  for (guint i = 0; i < self->reasons->len; i++)
    refused[g_array_index (self->reasons, Reason, i).cell] = 1;

  for (gsize i = self->n_axes; i-- > 0;)
    {
      strides[i] = stride;
      stride *= (gint64) cured_axis_get_length (cured_spec_get_axis (self->spec, i));
    }
  /* Places share nothing with each other. */
  steps[n_sorted] = 1;
  lengths[n_sorted++] = self->n_places;
  for (gsize k = 0; k < G_N_ELEMENTS (slowest_first); k++)
    for (gsize i = 0; i < self->n_axes; i++)
      if (parameters[i].kind == slowest_first[k])
        {
          steps[n_sorted] = strides[i];
          lengths[n_sorted] = cured_axis_get_length (cured_spec_get_axis (self->spec, i));
          n_sorted++;
        }

  /* Counts through all cells like an odometer whose wheels are the axes in that order; each wheel
   * moves the cell's number by its own stride. */
  self->ordered = g_new (gint32, (gsize) MAX (self->n_launchable, 1));
  for (gint64 i = 0; i < self->n_cells; i++)
    {
      if (!refused[cell] && !cured_plan_is_left_out (self, cell))
        self->ordered[position++] = (gint32) cell;
      for (gsize wheel = n_sorted; wheel-- > 0;)
        {
          cell += steps[wheel];
          if (++digits[wheel] < lengths[wheel])
            break;
          cell -= steps[wheel] * (gint64) lengths[wheel];
          digits[wheel] = 0;
        }
    }
  g_assert (position == self->n_launchable);
}

/* @spec: (transfer none): the sweep; the plan holds a reference, and it must not change
 *   afterwards
 * @limits: the device's
 *
 * Evaluates the kernel file's formulas for each cell and asks @limits whether it can be launched.
 * Blocks for about a microsecond a cell.
 *
 * Fails with CURED_ERROR_INVALID if there are more than CURED_PLAN_MAX_CELLS cells and with
 * CURED_ERROR_OVERFLOW if their number does not fit in 64 bits, both before anything is allocated,
 * and if the condition of the options can't be evaluated at a cell. A cell that can't be launched
 * is not an error: it has a reason.
 * Returns: (transfer full) (nullable): the plan */
CuredPlan *
cured_plan_new (CuredSpec *spec, const CuredLimits *limits, GError **error)
{
  const CuredPlanPlace place = { "", "", limits };

  g_return_val_if_fail (spec != NULL && limits != NULL, NULL);

  return cured_plan_new_on (spec, &place, 1, error);
}

/* Devices of the same name may compile for different chips, if they are the emulator. */
static CuredAxis *
name_places (const CuredPlanPlace *places, gsize n_places)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n_places; i++)
    {
      gboolean is_repeated = FALSE;

      for (gsize j = 0; j < n_places; j++)
        is_repeated |= j != i && g_str_equal (places[i].name, places[j].name);
      g_ptr_array_add (names, is_repeated
                                  ? g_strdup_printf ("%s %s", places[i].name, places[i].arch)
                                  : g_strdup (places[i].name));
    }
  return cured_axis_new_texts ((const char *const *) names->pdata, n_places);
}

/* @spec: (transfer none): as in cured_plan_new()
 * @places: (array length=n_places): the kinds of devices, no two of the same name and architecture
 * @n_places: at least one
 * @error: as from cured_plan_new(); also CURED_ERROR_INVALID if two places have the same name
 *
 * Plans every cell on every kind of device: if there are several, the kind is another
 * axis.
 * Returns: (transfer full) (nullable): the plan */
CuredPlan *
cured_plan_new_on (CuredSpec *spec, const CuredPlanPlace *places, gsize n_places, GError **error)
{
  g_autoptr (CuredAxis) axis = NULL;
  gint64 n_cells;

  g_return_val_if_fail (spec != NULL && places != NULL && n_places > 0, NULL);

  if (!cured_spec_count_cells (spec, &n_cells, error))
    return NULL;
  if (n_cells > CURED_PLAN_MAX_CELLS / (gint64) n_places)
    {
      g_autofree char *count = cured_format_count (n_cells);
      g_autofree char *most = cured_format_count (CURED_PLAN_MAX_CELLS / (gint64) n_places);

      return cured_fail_null (
          error, CURED_ERROR_INVALID,
          _ ("the sweep has %s cells, and %s is the most; give its axes fewer values"), count,
          most);
    }
  if (n_places > 1)
    {
      axis = name_places (places, n_places);
      if (axis == NULL)
        return cured_fail_null (
            error, CURED_ERROR_INVALID,
            _ ("the devices of a sweep need names of their own, and “%s” is one of several"),
            places[0].name);
    }

  CuredPlan *self = g_atomic_rc_box_new0 (CuredPlan);
  self->spec = cured_spec_ref (spec);
  self->n_axes = cured_spec_get_kernel (spec)->n_parameters;
  self->n_cells = n_cells * (gint64) n_places;
  self->n_places = n_places;
  self->places = g_steal_pointer (&axis);
  self->place_names = g_new0 (char *, n_places + 1);
  self->place_archs = g_new0 (char *, n_places + 1);
  for (gsize i = 0; i < n_places; i++)
    {
      self->place_names[i] = g_strdup (places[i].name);
      self->place_archs[i] = g_strdup (places[i].arch);
    }
  self->reasons = g_array_new (FALSE, FALSE, sizeof (Reason));
  self->reason_texts = g_string_chunk_new (256);
  if (!apply_condition (self, places, error))
    {
      cured_plan_unref (self);
      return NULL;
    }
  check_cells (self, places);
  order_cells (self);
  return self;
}

CURED_CLEAR_FUNC (CuredPlan, clear, reasons, g_array_unref, reason_texts, g_string_chunk_free,
                  left_out, g_free, ordered, g_free, place_names, g_strfreev, place_archs,
                  g_strfreev, places, cured_axis_unref, spec, cured_spec_unref)

CURED_DEFINE_RC (CuredPlan, cured_plan, clear)

/* Returns: (transfer none): its spec, not to be changed */
CURED_GETTER (CuredSpec *, cured_plan_get_spec, const CuredPlan, spec)

/* Returns: (transfer none) (nullable): the axis of kinds of devices, whose values have the devices'
 *   names; NULL if all are of one kind */
CURED_GETTER (const CuredAxis *, cured_plan_get_places, const CuredPlan, places)

/* Returns: the number of kinds of devices to measure on, at least 1 */
CURED_GETTER (gsize, cured_plan_get_n_places, const CuredPlan, n_places)

/* Returns: the kind of device that measures @cell: a position on cured_plan_get_places(), or 0 */
gsize
cured_plan_get_place (const CuredPlan *self, gint64 cell)
{
  g_return_val_if_fail (self != NULL && cell >= 0 && cell < self->n_cells, 0);
  return (gsize) (cell % (gint64) self->n_places);
}

/* @name: a device's name
 * @arch: its target of compilation
 * @place: (out): its place
 * Returns: FALSE if the plan has several places, and none is for such a device */
gboolean
cured_plan_find_place (const CuredPlan *self, const char *name, const char *arch, gsize *place)
{
  g_return_val_if_fail (self != NULL, FALSE);

  *place = 0;
  if (self->n_places == 1)
    return TRUE;
  for (gsize i = 0; i < self->n_places; i++)
    if (g_strcmp0 (self->place_names[i], name) == 0 && g_strcmp0 (self->place_archs[i], arch) == 0)
      {
        *place = i;
        return TRUE;
      }
  return FALSE;
}

/* Returns: the number of cells, launchable or not */
CURED_GETTER (gint64, cured_plan_get_n_cells, const CuredPlan, n_cells)

/* Returns: the number of cells that the device's limits allow */
CURED_GETTER (gint64, cured_plan_get_n_launchable, const CuredPlan, n_launchable)

/* Returns: the number of cells that don't meet the condition of the options */
CURED_GETTER (gint64, cured_plan_get_n_left_out, const CuredPlan, n_left_out)

/* Returns: whether the cell does not meet the condition of the options: it is not run, and has no
 *   reason */
gboolean
cured_plan_is_left_out (const CuredPlan *self, gint64 cell)
{
  g_return_val_if_fail (self != NULL && cell >= 0 && cell < self->n_cells, FALSE);
  return self->left_out != NULL && self->left_out[cell] != 0;
}

/* @values: (out caller-allocates): one value per parameter, in the kernel's order
 *
 * Finds a cell's position on each axis. */
void
cured_plan_get_values (const CuredPlan *self, gint64 cell, gint64 *values)
{
  g_return_if_fail (self != NULL && cell >= 0 && cell < self->n_cells);

  cell /= (gint64) self->n_places;
  for (gsize i = self->n_axes; i-- > 0;)
    {
      const CuredAxis *axis = cured_spec_get_axis (self->spec, i);
      gint64 length = (gint64) cured_axis_get_length (axis);

      values[i] = cured_axis_get_value (axis, (gsize) (cell % length));
      cell /= length;
    }
}

/* Describes a cell for people, and for `-p` of the command line: `tile=16 n=1024`, named values by
 * their names.
 * Returns: (transfer full): the values of the parameters that vary in the plan, or of all if none
 *   varies; empty for a kernel without parameters */
char *
cured_plan_describe_cell (const CuredPlan *self, gint64 cell)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (self != NULL && cell >= 0 && cell < self->n_cells, NULL);

  const CuredParameter *parameters = cured_spec_get_kernel (self->spec)->parameters;
  gsize n_parameters = cured_spec_get_kernel (self->spec)->n_parameters;
  g_autofree gint64 *values = g_new (gint64, MAX (n_parameters, 1));
  cured_plan_get_values (self, cell, values);
  for (gsize i = 0; i < n_parameters; i++)
    {
      if (self->n_cells > 1 && cured_axis_get_length (cured_spec_get_axis (self->spec, i)) == 1)
        continue;
      g_autofree char *value = cured_axis_value_to_string (parameters[i].values, values[i]);
      g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", parameters[i].name, value);
    }
  if (self->places != NULL)
    {
      gsize place = cured_plan_get_place (self, cell);
      const char *name =
          cured_axis_get_name (self->places, cured_axis_get_value (self->places, place));

      if (text->len > 0)
        g_string_append_c (text, ' ');
      /* Translators: the name of a device. */
      g_string_append_printf (text, _ ("on %s"), name);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static int
compare_reasons (gconstpointer a, gconstpointer b)
{
  return ((const Reason *) a)->cell - ((const Reason *) b)->cell;
}

/* Returns: (transfer none) (nullable): why the cell can't be launched; NULL: it can */
const char *
cured_plan_get_reason (const CuredPlan *self, gint64 cell)
{
  Reason key = { (gint32) cell, NULL };

  g_return_val_if_fail (self != NULL && cell >= 0 && cell < self->n_cells, NULL);

  if (self->reasons->len == 0)
    return NULL;
  const Reason *found =
      bsearch (&key, self->reasons->data, self->reasons->len, sizeof (Reason), compare_reasons);
  return found != NULL ? found->text : NULL;
}

/* @position: less than cured_plan_get_n_launchable()
 * Returns: the cell that runs at @position: neighbours share inputs and, where they can, compiled
 *   variants */
gint64
cured_plan_get_ordered (const CuredPlan *self, gint64 position)
{
  g_return_val_if_fail (self != NULL && position >= 0 && position < self->n_launchable, -1);
  return self->ordered[position];
}

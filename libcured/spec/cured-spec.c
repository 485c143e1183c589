/* SPDX-License-Identifier: MIT
 * A requested sweep: a kernel, axes and options. */
#include "spec/cured-spec.h"

#include "base/cured-base-internal.h"

struct _CuredSpec
{
  CuredKernel *kernel;
  CuredOptions options;
  CuredAxis **axes; /* one per parameter of the kernel, never NULL */
  gsize n_axes;
};

/* Gives values their names from the kernel file. */
static void
set_axis (CuredSpec *self, gsize index, CuredAxis *axis)
{
  const CuredParameter *parameter = &self->kernel->parameters[index];
  CuredAxis *like = cured_axis_new_like (axis, parameter->values);

  cured_axis_unref (self->axes[index]);
  self->axes[index] = like;
}

/* @kernel: (transfer none): the kernel to run; the spec holds a reference
 *
 * Every parameter starts with one value, its default, and the options with their defaults.
 * Returns: (transfer full): the spec */
CuredSpec *
cured_spec_new (CuredKernel *kernel)
{
  g_return_val_if_fail (kernel != NULL, NULL);

  CuredSpec *self = g_atomic_rc_box_new0 (CuredSpec);
  self->kernel = cured_kernel_ref (kernel);
  cured_options_init (&self->options);
  const CuredParameter *parameters = kernel->parameters;
  self->n_axes = kernel->n_parameters;
  self->axes = g_new0 (CuredAxis *, self->n_axes);
  for (gsize i = 0; i < self->n_axes; i++)
    {
      g_autoptr (CuredAxis) axis = cured_axis_new (&parameters[i].default_value, 1);

      set_axis (self, i, axis);
    }
  return self;
}

static void
clear (gpointer data)
{
  CuredSpec *self = data;

  for (gsize i = 0; i < self->n_axes; i++)
    cured_axis_unref (self->axes[i]);
  g_free (self->axes);
  cured_options_clear (&self->options);
  cured_kernel_unref (self->kernel);
}

CURED_DEFINE_RC (CuredSpec, cured_spec, clear)

/* Returns: (transfer none): its kernel */
CURED_GETTER (CuredKernel *, cured_spec_get_kernel, const CuredSpec, kernel)

/* Returns: (transfer none): its options; they may be changed in place until a plan is made of the
 *   spec */
CuredOptions *
cured_spec_get_options (CuredSpec *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return &self->options;
}

static gboolean
find_parameter (const CuredSpec *self, const char *name, gsize *index, GError **error)
{
  if (cured_kernel_find_parameter (self->kernel, name, index))
    return TRUE;

  const CuredParameter *parameters = self->kernel->parameters;
  gsize n_parameters = self->kernel->n_parameters;
  if (n_parameters == 0)
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("%s has no parameter “%s”; it has none at all"), self->kernel->id, name);
  g_autoptr (GString) names = g_string_new (NULL);
  for (gsize i = 0; i < n_parameters; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", parameters[i].name);
  return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("%s has no parameter “%s”; it has %s"),
                     self->kernel->id, name, names->str);
}

/* @parameter: name of a parameter
 * @axis: (transfer none): its values; the spec keeps a reference
 *
 * Fails with CURED_ERROR_NOT_FOUND for a parameter that the kernel does not have (the message lists
 * its parameters), and with CURED_ERROR_INVALID for a value that the kernel file does not allow;
 * the spec is then unchanged.
 * Returns: TRUE on success */
gboolean
cured_spec_set_axis (CuredSpec *self, const char *parameter, CuredAxis *axis, GError **error)
{
  gsize index;

  g_return_val_if_fail (self != NULL && parameter != NULL && axis != NULL, FALSE);

  if (!find_parameter (self, parameter, &index, error))
    return FALSE;

  const CuredAxis *allowed = self->kernel->parameters[index].values;
  for (gsize i = 0; allowed != NULL && i < cured_axis_get_length (axis); i++)
    {
      gint64 value = cured_axis_get_value (axis, i);

      if (!cured_axis_find (allowed, value, NULL))
        {
          g_autofree char *text = cured_axis_to_string (allowed);

          return cured_fail (error, CURED_ERROR_INVALID,
                             _ ("%s of %s can't be %" PRId64 "; allowed are %s"), parameter,
                             self->kernel->id, value, text);
        }
    }
  set_axis (self, index, axis);
  return TRUE;
}

/* @assignment: `tile=4..32:4`: a parameter's name and an axis, see cured_axis_parse_named()
 *
 * Fails as cured_spec_set_axis() and cured_axis_parse_named() do.
 * Returns: TRUE on success */
gboolean
cured_spec_parse_axis (CuredSpec *self, const char *assignment, GError **error)
{
  gsize index;

  g_return_val_if_fail (self != NULL && assignment != NULL, FALSE);

  const char *equals = strchr (assignment, '=');
  if (equals == NULL)
    return cured_fail (error, CURED_ERROR_SYNTAX,
                       _ ("“%s”: expected a parameter's name, “=” and values, as in tile=4..32:4"),
                       assignment);
  g_autofree char *name = g_strndup (assignment, (gsize) (equals - assignment));
  g_strstrip (name);
  /* A wrong name is reported before a wrong value. */
  if (!find_parameter (self, name, &index, error))
    return FALSE;
  g_autoptr (CuredAxis) axis =
      cured_axis_parse_named (equals + 1, self->kernel->parameters[index].values, error);
  if (axis == NULL)
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  return cured_spec_set_axis (self, name, axis, error);
}

/* @condition: a further condition on cells
 *
 * Adds a condition to the options. */
void
cured_spec_add_condition (CuredSpec *self, const char *condition)
{
  char *before = self->options.where;

  self->options.where =
      before != NULL ? g_strdup_printf ("(%s) && (%s)", before, condition) : g_strdup (condition);
  g_free (before);
}

static gint64
compare_tuples (const gint64 *a, const gint64 *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* Reads "8:8" into @values. */
static gboolean
parse_tuple (const CuredSpec *self, const char *text, const gsize *parameters, gsize n,
             gint64 *values, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);

  if (g_strv_length (parts) != n)
    return cured_fail (error, CURED_ERROR_SYNTAX,
                       _ ("“%s”: expected a value for each of the %zu parameters, as in 8:16"),
                       text, n);
  for (gsize i = 0; i < n; i++)
    if (!cured_axis_parse_value (self->kernel->parameters[parameters[i]].values,
                                 g_strstrip (parts[i]), &values[i], error))
      return FALSE;
  return TRUE;
}

/* An axis of one column of the tuples, each value once. */
static CuredAxis *
make_tied_axis (const GArray *tuples, gsize n, gsize column)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = column; i < tuples->len; i += (guint) n)
    {
      gint64 value = g_array_index (tuples, gint64, i);
      gboolean is_there = FALSE;

      for (guint j = 0; j < values->len; j++)
        is_there = is_there || g_array_index (values, gint64, j) == value;
      if (!is_there)
        g_array_append_val (values, value);
    }
  return cured_axis_new ((const gint64 *) (void *) values->data, values->len);
}

/* @assignment: `bx,by=8:8,16:16`: names of parameters, and tuples of their values
 *
 * Sets an axis for each of the parameters, and a condition that only these tuples meet. Fails as
 * cured_spec_parse_axis() does.
 * Returns: TRUE on success */
gboolean
cured_spec_parse_tied (CuredSpec *self, const char *assignment, GError **error)
{
  g_auto (GStrv) sides = g_strsplit (assignment, "=", 2);
  g_autoptr (GArray) tuples = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GString) condition = g_string_new (NULL);

  g_return_val_if_fail (self != NULL && g_strv_length (sides) == 2, FALSE);

  g_auto (GStrv) names = g_strsplit (sides[0], ",", -1), texts = g_strsplit (sides[1], ",", -1);
  gsize n = g_strv_length (names);
  g_autofree gsize *parameters = g_new0 (gsize, n + 1);
  g_autofree gint64 *values = g_new0 (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    if (!find_parameter (self, g_strstrip (names[i]), &parameters[i], error))
      return FALSE;
  for (gsize i = 0; texts[i] != NULL; i++)
    {
      if (!parse_tuple (self, texts[i], parameters, n, values, error))
        return FALSE;
      for (guint j = 0; j < tuples->len; j += (guint) n)
        if (compare_tuples (&g_array_index (tuples, gint64, j), values, n) == 0)
          return cured_fail (error, CURED_ERROR_INVALID, _ ("“%s” is given twice"), texts[i]);
      g_array_append_vals (tuples, values, (guint) n);
      g_string_append (condition, i > 0 ? " || " : "");
      for (gsize j = 0; j < n; j++)
        g_string_append_printf (condition, "%s%s == %" PRId64, j > 0 ? " && " : "", names[j],
                                values[j]);
    }
  if (tuples->len == 0)
    return cured_fail (error, CURED_ERROR_SYNTAX,
                       _ ("“%s”: expected values that go together, as in 8:16,16:32"), sides[1]);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (CuredAxis) axis = make_tied_axis (tuples, n, i);

      if (!cured_spec_set_axis (self, names[i], axis, error))
        return FALSE;
    }
  if (tuples->len > n)
    cured_spec_add_condition (self, condition->str);
  return TRUE;
}

/* Sets the axes of the kernel file's `[Sweep]` group; the other parameters keep theirs. */
void
cured_spec_use_default_sweep (CuredSpec *self)
{
  g_return_if_fail (self != NULL);

  for (gsize i = 0; i < self->n_axes; i++)
    {
      const CuredAxis *axis = self->kernel->sweep[i];

      if (axis != NULL)
        set_axis (self, i, (CuredAxis *) axis);
    }
}

typedef struct
{
  const char *name;
  gboolean is_found;
} Sought;

static void
seek_cb (const char *name, gpointer user_data)
{
  Sought *sought = user_data;

  if (g_str_equal (name, sought->name))
    sought->is_found = TRUE;
}

/* @parameter: index of a parameter of the kernel
 *
 * Separates parameters of the problem from those of its solution: the inputs depend on the former.
 * Inputs are buffers that are filled with varying numbers; one that is filled with a constant may
 * well be a counter for each block.
 * Returns: whether different values of the parameter are different problems */
gboolean
cured_spec_is_problem (const CuredSpec *self, gsize parameter)
{
  Sought sought = { 0 };

  g_return_val_if_fail (self != NULL && parameter < self->n_axes, FALSE);

  const CuredParameter *parameters = self->kernel->parameters;
  const CuredBuffer *buffers = self->kernel->buffers;
  gsize n_buffers = self->kernel->n_buffers;
  if (parameters[parameter].kind == CURED_PARAMETER_PROBLEM)
    return TRUE;
  sought.name = parameters[parameter].name;
  for (gsize i = 0; i < n_buffers; i++)
    {
      const CuredBuffer *buffer = &buffers[i];
      const CuredExpr *const exprs[] = {
        buffer->length,
        buffer->low,
        buffer->high,
        buffer->step,
      };

      if (buffer->fill == CURED_FILL_POISON || buffer->fill == CURED_FILL_CONSTANT)
        continue;
      if (buffer->type_parameter == (int) parameter)
        return TRUE;
      for (gsize j = 0; j < G_N_ELEMENTS (exprs); j++)
        if (exprs[j] != NULL)
          cured_expr_foreach_name (exprs[j], seek_cb, &sought);
    }
  return sought.is_found;
}

/* Resets every parameter of the problem, see cured_spec_is_problem(), to its default: the fastest
 * of several problems would just be the smallest. */
void
cured_spec_use_one_problem (CuredSpec *self)
{
  g_return_if_fail (self != NULL);

  const CuredParameter *parameters = self->kernel->parameters;
  gsize n_parameters = self->kernel->n_parameters;
  for (gsize i = 0; i < n_parameters; i++)
    if (cured_spec_is_problem (self, i))
      {
        g_autoptr (CuredAxis) axis = cured_axis_new (&parameters[i].default_value, 1);

        set_axis (self, i, axis);
      }
}

/* @parameter: index of a parameter of the kernel
 * Returns: (transfer none): its values */
const CuredAxis *
cured_spec_get_axis (const CuredSpec *self, gsize parameter)
{
  g_return_val_if_fail (self != NULL && parameter < self->n_axes, NULL);
  return self->axes[parameter];
}

/* @n_cells: (out): the product of the lengths of all axes
 *
 * Fails with CURED_ERROR_OVERFLOW if the product does not fit in 64 bits. Allocates nothing.
 * Returns: TRUE on success */
gboolean
cured_spec_count_cells (const CuredSpec *self, gint64 *n_cells, GError **error)
{
  gint64 product = 1;

  g_return_val_if_fail (self != NULL && n_cells != NULL, FALSE);

  for (gsize i = 0; i < self->n_axes; i++)
    if (__builtin_mul_overflow (product, (gint64) cured_axis_get_length (self->axes[i]), &product))
      return cured_fail (
          error, CURED_ERROR_OVERFLOW,
          _ ("the sweep has more cells than fit in 64 bits; give its axes fewer values"));
  *n_cells = product;
  return TRUE;
}

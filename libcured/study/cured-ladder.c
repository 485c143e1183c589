/* SPDX-License-Identifier: MIT
 * The steps of a family beside its peers and the device's limit. */
#include "study/cured-ladder.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"
#include "kernel/read/cured-catalogue.h"
#include "store/cured-recordings.h"

/* The suffix of a specimen's careful twin, which is not a step of its own. */
#define TWIN "-fixed"

/* Amounts of work that differ by less than this are equal, since a rate times a time is not
 * exact. */
#define SAME_WORK 1e-6

/* The recording of peers: the id of its kernel, and the value of its parameter `side` for
 * peers. */
#define PEERS_ID   "peers"
#define PEERS_SIDE 1

typedef struct
{
  const char *family;
  const char *work; /* a name of the recording's parameter `work` */
  const char *name, *problem;
} PeerInfo;

/* Tasks of lab/measure-peers that match those of a family. */
static const PeerInfo peer_infos[] = {
  { "reduce", "sum-i32", "CUB", "n=100000000" },
  { "reduce", "sum-i32-large", "CUB", "n=1073741824" },
  { "dot", "dot", "cuBLAS", "n=100000000" },
  { "squared-error", "squared-error-cub", "CUB", "n=10000" },
  { "vector", "add", "CUB", "n=50000000" },
  { "vector", "add-copy", "cudaMemcpy", "n=50000000" },
  { "transpose", "transpose-16384", "cuBLAS", "m=16384,n=16384" },
  { "transpose", "transpose-16384-copy", "cudaMemcpy", "m=16384,n=16384" },
  { "transpose", "transpose-8192", "cuBLAS", "m=8192,n=8192" },
  { "transpose", "transpose-8192-copy", "cudaMemcpy", "m=8192,n=8192" },
  { "transpose", "transpose-4096", "cuBLAS", "m=4096,n=4096" },
  { "transpose", "transpose-4096-copy", "cudaMemcpy", "m=4096,n=4096" },
  { "transpose", "transpose-10007", "cuBLAS", "m=5003,n=10007" },
  { "transpose", "transpose-10007-copy", "cudaMemcpy", "m=5003,n=10007" },
  { "matmul", "matmul-4095", "cuBLAS", "n=4095" },
  { "matmul", "matmul-4096", "cuBLAS", "n=4096" },
  { "matmul", "matmul-4097", "cuBLAS", "n=4097" },
  { "matmul", "matmul-8192", "cuBLAS", "n=8192" },
  { "matmul-bf16", "matmul-bf16-4096", "cuBLAS", "n=4096" },
  { "matmul-bf16", "matmul-bf16-4097", "cuBLAS", "n=4097" },
  { "matmul-bf16", "matmul-bf16-8192", "cuBLAS", "n=8192" },
};

/* The state of building a ladder from a folder. */
typedef struct
{
  CuredLadder *ladder;
  GPtrArray *problems;   /* of char * */
  GHashTable *numbers;   /* of problems: their index in @problems */
  GPtrArray *recordings; /* of CuredResult, one per step; NULL: none */
  CuredResult *peers;    /* nullable */
} Builder;

CURED_FREE_FUNC (CuredLadderCell, ladder_cell_free, values, g_free, where, g_free)

CURED_FREE_FUNC (CuredLadderStep, step_free, kernel, cured_kernel_unref, path, g_free, device,
                 g_free, best, g_ptr_array_unref, standard, g_ptr_array_unref)

static CuredLadderStep *
step_new (CuredKernel *kernel)
{
  CuredLadderStep *self = CURED_NEW (CuredLadderStep, .kernel = cured_kernel_ref (kernel),
                                     .best = g_ptr_array_new_with_free_func (ladder_cell_free),
                                     .standard = g_ptr_array_new_with_free_func (ladder_cell_free));

  return self;
}

CURED_FREE_FUNC (CuredLadderPeer, peer_free, name, g_free)

static void
unref_object (gpointer object)
{
  if (object != NULL)
    g_object_unref (object);
}

/* Families. */

static gboolean
is_twin (const char *id)
{
  if (!g_str_has_suffix (id, TWIN))
    return FALSE;
  g_autofree char *stem = g_strndup (id, strlen (id) - strlen (TWIN));
  g_autoptr (CuredKernel) specimen = cured_catalogue_get (stem, NULL);
  return specimen != NULL && specimen->defect != NULL;
}

static gboolean
is_step (const CuredKernel *kernel, const char *family)
{
  return g_strcmp0 (kernel->family, family) == 0 && kernel->rung > 0 && kernel->defect == NULL &&
         !is_twin (kernel->id);
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const CuredLadderStep *step_a = *(const CuredLadderStep *const *) a;
  const CuredLadderStep *step_b = *(const CuredLadderStep *const *) b;
  int rung_a = step_a->kernel->rung, rung_b = step_b->kernel->rung;

  if (rung_a != rung_b)
    return rung_a < rung_b ? -1 : 1;
  return strcmp (step_a->kernel->id, step_b->kernel->id);
}

static GPtrArray *
list_steps (const char *family)
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  GPtrArray *steps = g_ptr_array_new_with_free_func (step_free);

  /* Reading a kernel takes half a millisecond: those of other families are not read. */
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      if (!g_str_has_prefix (ids[i], family))
        continue;
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], NULL);

      if (kernel != NULL && is_step (kernel, family))
        g_ptr_array_add (steps, step_new (kernel));
    }
  g_ptr_array_sort (steps, compare_steps);
  return steps;
}

/* @kernel: any kernel
 * Returns: (transfer full) (nullable): id of the next step of its family; NULL: there is none */
char *
cured_ladder_find_next (const CuredKernel *kernel)
{
  if (kernel->family == NULL || kernel->rung == 0)
    return NULL;
  g_autoptr (GPtrArray) steps = list_steps (kernel->family);
  CURED_EACH_POINTER (const CuredLadderStep, step, steps)
    if (step->kernel->rung > kernel->rung)
      return g_strdup (step->kernel->id);
  return NULL;
}

/* Returns: (transfer full) (array zero-terminated=1): families of the catalogue that have more than
 *   one step, in alphabetical order */
char **
cured_ladder_list_families (void)
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) kernels =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_kernel_unref);
  g_autoptr (GStrvBuilder) families = g_strv_builder_new ();

  for (gsize i = 0; ids[i] != NULL; i++)
    {
      CuredKernel *kernel = cured_catalogue_get (ids[i], NULL);

      if (kernel == NULL)
        continue;
      g_ptr_array_add (kernels, kernel);
      const char *family = kernel->family;
      if (family == NULL || !is_step (kernel, family))
        continue;
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, family));
      g_hash_table_insert (counts, (gpointer) family, GUINT_TO_POINTER (n + 1));
      /* The ids are sorted, and begin with the family. */
      if (n == 1)
        g_strv_builder_add (families, family);
    }
  return g_strv_builder_end (families);
}

/* Returns: (transfer full) (array zero-terminated=1): the ids of its steps, in order; empty if
 *   there is no such family */
char **
cured_ladder_list_steps (const char *family)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();

  g_return_val_if_fail (family != NULL, NULL);

  g_autoptr (GPtrArray) steps = list_steps (family);
  CURED_EACH_POINTER (const CuredLadderStep, step, steps)
    g_strv_builder_add (ids, step->kernel->id);
  return g_strv_builder_end (ids);
}

/* Cells of a recording. */

static void
sort_strings (char **strings, gsize n_strings)
{
  /* An empty list has no array, and qsort() must not be given NULL. */
  if (n_strings > 0)
    qsort (strings, n_strings, sizeof *strings, _cured_compare_texts);
}

/* The problem of a cell, with its parameters in alphabetical order, so that it is the same in all
 * recordings. */
static char *
describe_problem (const CuredResultAxis *axes, gsize n_axes, const gsize *positions)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n_axes; i++)
    if (axes[i].kind == CURED_PARAMETER_PROBLEM)
      g_ptr_array_add (parts,
                       g_strdup_printf ("%s=%" PRId64, axes[i].name,
                                        cured_axis_get_value (axes[i].values, positions[i])));
  sort_strings ((char **) parts->pdata, parts->len);
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (",", (char **) parts->pdata);
}

static char *
describe_where (const CuredResultAxis *axes, gsize n_axes, const gsize *positions)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < n_axes; i++)
    if (axes[i].kind != CURED_PARAMETER_PROBLEM)
      {
        g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);

        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", axes[i].name, value);
      }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gsize
number_problem (Builder *self, const char *text)
{
  gpointer number;

  if (!g_hash_table_lookup_extended (self->numbers, text, NULL, &number))
    {
      char *problem = g_strdup (text);

      number = GSIZE_TO_POINTER (self->problems->len);
      g_ptr_array_add (self->problems, problem);
      g_hash_table_insert (self->numbers, problem, number);
    }
  return GPOINTER_TO_SIZE (number);
}

static CuredLadderCell *
make_cell (Builder *self, CuredKernel *kernel, CuredResult *result, gint64 number, GError **error)
{
  gsize n_axes, n_metrics;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  CuredLadderCell *cell = g_new0 (CuredLadderCell, 1);

  cell->number = number;
  cured_result_get_positions (result, number, positions);
  g_autofree char *problem = describe_problem (axes, n_axes, positions);
  cell->problem = number_problem (self, problem);
  cell->where = describe_where (axes, n_axes, positions);
  cell->values = g_new0 (gint64, n_parameters + 1);
  for (gsize i = 0; i < n_parameters; i++)
    cell->values[i] = parameters[i].default_value;
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize parameter;

      if (cured_kernel_find_parameter (kernel, axes[i].name, &parameter))
        cell->values[parameter] = cured_axis_get_value (axes[i].values, positions[i]);
    }
  for (gsize i = 0; i < CURED_N_METRICS; i++)
    cell->metrics[i] = CURED_MISSING;
  for (gsize i = 0; i < n_metrics; i++)
    {
      CuredMetric metric;

      if (!cured_metric_from_id (metrics[i].id, &metric))
        continue;
      if (!cured_result_load_column (result, i, NULL, error))
        {
          ladder_cell_free (cell);
          return NULL;
        }
      cell->metrics[metric] = cured_result_get_value (result, number, i);
    }
  return cell;
}

/* Whether all parameters except problem sizes are at their defaults. */
static gboolean
is_standard (CuredKernel *kernel, const CuredResultAxis *axes, gsize n_axes, const gsize *positions)
{
  const CuredParameter *parameters = kernel->parameters;

  for (gsize i = 0; i < n_axes; i++)
    {
      gsize parameter;

      if (axes[i].kind != CURED_PARAMETER_PROBLEM &&
          cured_kernel_find_parameter (kernel, axes[i].name, &parameter) &&
          parameters[parameter].default_value !=
              cured_axis_get_value (axes[i].values, positions[i]))
        return FALSE;
    }
  return TRUE;
}

/* The index of a cell's problem among those of its own result. */
static gsize
index_problem (const CuredResultAxis *axes, gsize n_axes, const gsize *positions)
{
  gsize index = 0;

  for (gsize i = 0; i < n_axes; i++)
    if (axes[i].kind == CURED_PARAMETER_PROBLEM)
      index = index * cured_axis_get_length (axes[i].values) + positions[i];
  return index;
}

/* The fastest cell of each problem, and the one at the defaults. */
static gboolean
fill_step (Builder *self, CuredLadderStep *step, CuredResult *result, GCancellable *cancellable,
           GError **error)
{
  gsize n_axes, time, n_problems = 1;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  if (!cured_result_find_metric (result, "time", &time) || !cured_result_has_values (result, time))
    return TRUE;
  if (!cured_result_load_column (result, time, cancellable, error))
    return FALSE;
  for (gsize i = 0; i < n_axes; i++)
    if (axes[i].kind == CURED_PARAMETER_PROBLEM)
      n_problems *= cured_axis_get_length (axes[i].values);
  g_autofree gint64 *best = g_new (gint64, n_problems), *standard = g_new (gint64, n_problems);
  for (gsize i = 0; i < n_problems; i++)
    best[i] = standard[i] = -1;

  CURED_EACH_CELL (result, cell)
    {
      double value = cured_result_get_value (result, cell, time);

      if (!(value > 0.0) || cured_result_get_state (result, cell) != CURED_STATE_OK)
        continue;
      cured_result_get_positions (result, cell, positions);
      gsize problem = index_problem (axes, n_axes, positions);
      if (best[problem] < 0 || value < cured_result_get_value (result, best[problem], time))
        best[problem] = cell;
      if (is_standard (step->kernel, axes, n_axes, positions))
        standard[problem] = cell;
    }
  for (gsize i = 0; i < n_problems; i++)
    {
      if (best[i] < 0)
        continue;
      CuredLadderCell *cell = make_cell (self, step->kernel, result, best[i], error);
      if (cell == NULL)
        return FALSE;
      g_ptr_array_add (step->best, cell);
      if (standard[i] < 0)
        continue;
      cell = make_cell (self, step->kernel, result, standard[i], error);
      if (cell == NULL)
        return FALSE;
      g_ptr_array_add (step->standard, cell);
    }
  step->path = g_strdup (cured_result_get_path (result));
  step->device = g_strdup (cured_result_get_device (result)->name);
  return TRUE;
}

/* Recordings. */

static gboolean
is_emulated (CuredResult *result)
{
  return !cured_device_info_has_time (cured_result_get_device (result));
}

static gboolean
is_newer (CuredResult *a, CuredResult *b)
{
  GDateTime *created_a = cured_result_get_created (a), *created_b = cured_result_get_created (b);

  return created_a != NULL && (created_b == NULL || g_date_time_compare (created_a, created_b) > 0);
}

static gssize
find_step (GPtrArray *steps, const char *id)
{
  for (guint i = 0; i < steps->len; i++)
    {
      const CuredLadderStep *step = steps->pdata[i];

      if (g_str_equal (step->kernel->id, id))
        return (gssize) i;
    }
  return -1;
}

/* The user's own files come first: their kernels may have been edited, or be steps that the
 * catalogue lacks. */
static gboolean
load_own (Builder *self, const char *const *own, GPtrArray *loaded, GCancellable *cancellable,
          GError **error)
{
  CuredLadder *ladder = self->ladder;

  for (gsize i = 0; own != NULL && own[i] != NULL; i++)
    {
      CuredResult *result = cured_result_load (own[i], cancellable, error);

      if (result == NULL)
        return FALSE;
      g_ptr_array_add (loaded, result);
      CuredKernel *kernel = cured_result_get_kernel (result);
      if (kernel == NULL || is_emulated (result) || !is_step (kernel, ladder->family))
        {
          g_ptr_array_add (ladder->left_out, g_strdup (own[i]));
          continue;
        }
      if (ladder->device == NULL)
        ladder->device = g_strdup (cured_result_get_device (result)->name);
      CuredLadderStep *step = step_new (kernel);
      step->is_own = TRUE;
      gssize index = find_step (ladder->steps, kernel->id);
      if (index >= 0)
        g_ptr_array_remove_index (ladder->steps, (guint) index);
      g_ptr_array_add (ladder->steps, step);
    }
  g_ptr_array_sort (ladder->steps, compare_steps);
  return TRUE;
}

/* Unreadable files are skipped, since the folder may contain other files. */
static gboolean
load_folder (const char *folder, GPtrArray *loaded, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, error);

  if (paths == NULL)
    return FALSE;
  for (guint i = 0; i < paths->len; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      CuredResult *result = cured_result_load (paths->pdata[i], cancellable, NULL);
      if (result != NULL)
        g_ptr_array_add (loaded, result);
    }
  return TRUE;
}

/* Chooses the device of most of the family's recordings. */
static void
choose_device (Builder *self, GPtrArray *loaded)
{
  CuredLadder *ladder = self->ladder;
  guint most = 0;

  if (ladder->device != NULL)
    return;
  for (guint i = 0; i < loaded->len; i++)
    {
      const char *name = cured_result_get_device (loaded->pdata[i])->name;
      guint n = 0;

      if (is_emulated (loaded->pdata[i]))
        continue;
      for (guint j = 0; j < loaded->len; j++)
        if (g_str_equal (cured_result_get_device (loaded->pdata[j])->name, name) &&
            find_step (ladder->steps, cured_result_get_kernel_id (loaded->pdata[j])) >= 0)
          n++;
      if (n > most)
        {
          most = n;
          g_free (ladder->device);
          ladder->device = g_strdup (name);
        }
    }
}

/* Chooses the newest recording of each step on the ladder's device; a user's own one first. */
static void
choose_recordings (Builder *self, GPtrArray *loaded, guint n_own)
{
  CuredLadder *ladder = self->ladder;
  g_autofree gboolean *is_foreign = g_new0 (gboolean, ladder->steps->len + 1);

  g_ptr_array_set_size (self->recordings, (int) ladder->steps->len);
  for (guint i = 0; i < loaded->len; i++)
    {
      CuredResult *result = loaded->pdata[i];
      const char *id = cured_result_get_kernel_id (result);
      gssize index = find_step (ladder->steps, id);
      gboolean is_device = g_strcmp0 (cured_result_get_device (result)->name, ladder->device) == 0;

      if (is_emulated (result))
        continue;
      if (g_str_equal (id, PEERS_ID) && is_device)
        g_set_object (&self->peers, result);
      if (index < 0)
        continue;
      if (!is_device)
        {
          is_foreign[index] = TRUE;
          continue;
        }
      if (((CuredLadderStep *) ladder->steps->pdata[index])->is_own && i >= n_own)
        continue;
      if (self->recordings->pdata[index] == NULL ||
          is_newer (result, self->recordings->pdata[index]))
        g_set_object ((CuredResult **) &self->recordings->pdata[index], result);
    }
  for (guint i = 0; i < ladder->steps->len; i++)
    if (is_foreign[i] && self->recordings->pdata[i] == NULL)
      ladder->n_foreign++;
}

/* A problem, for sorting. */
typedef struct
{
  gsize number;
  guint n_steps;
  double longest; /* ns */
} Ranked;

/* Problems with most steps first; among equal ones, the one that takes longest. */
static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *problem_a = a, *problem_b = b;

  if (problem_a->n_steps != problem_b->n_steps)
    return problem_a->n_steps > problem_b->n_steps ? -1 : 1;
  if (problem_a->longest != problem_b->longest)
    return problem_a->longest > problem_b->longest ? -1 : 1;
  return problem_a->number < problem_b->number ? -1 : 1;
}

static void
place_cells (GPtrArray *cells, const gsize *place)
{
  CURED_EACH_POINTER (CuredLadderCell, cell, cells)
    cell->problem = place[cell->problem];
}

static void
sort_problems (Builder *self)
{
  CuredLadder *ladder = self->ladder;
  gsize n = self->problems->len;
  g_autofree Ranked *ranked = g_new0 (Ranked, n + 1);
  g_autofree gsize *place = g_new0 (gsize, n + 1);

  for (gsize i = 0; i < n; i++)
    ranked[i].number = i;
  CURED_EACH_POINTER (const CuredLadderStep, step, ladder->steps)
    {
      CURED_EACH_POINTER (const CuredLadderCell, cell, step->best)
        {
          Ranked *problem = &ranked[cell->problem];

          problem->n_steps++;
          problem->longest = MAX (problem->longest, cell->metrics[CURED_METRIC_time]);
        }
    }
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  ladder->problems = g_new0 (char *, n + 1);
  ladder->n_steps = g_new0 (guint, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      place[ranked[i].number] = i;
      ladder->problems[i] = g_strdup (self->problems->pdata[ranked[i].number]);
      ladder->n_steps[i] = ranked[i].n_steps;
    }
  CURED_EACH_POINTER (const CuredLadderStep, step, ladder->steps)
    {
      place_cells (step->best, place);
      place_cells (step->standard, place);
    }
}

/* Chooses the rate that describes the family, and the device's limit of it. */
static void
choose_limit (Builder *self)
{
  CuredLadder *ladder = self->ladder;
  guint n_ceilings[CURED_CEILING_FP32 + 1] = { 0 };
  CuredCeiling ceiling = CURED_CEILING_NONE;
  gboolean has_flops = FALSE;
  CuredResult *newest = NULL;

  for (guint i = 0; i < ladder->steps->len; i++)
    {
      const CuredLadderStep *step = ladder->steps->pdata[i];

      n_ceilings[step->kernel->ceiling]++;
      has_flops |= step->kernel->flops != NULL;
      if (self->recordings->pdata[i] != NULL &&
          (newest == NULL || is_newer (self->recordings->pdata[i], newest)))
        newest = self->recordings->pdata[i];
    }
  for (guint i = CURED_CEILING_READ; i < G_N_ELEMENTS (n_ceilings); i++)
    if (n_ceilings[i] > 0 && (ceiling == CURED_CEILING_NONE || n_ceilings[i] > n_ceilings[ceiling]))
      ceiling = (CuredCeiling) i;
  ladder->rate = ceiling == CURED_CEILING_FP32 || (ceiling == CURED_CEILING_NONE && has_flops)
                     ? CURED_METRIC_flop_rate
                     : CURED_METRIC_bandwidth;
  if (newest == NULL)
    return;
  const CuredCeilings *ceilings = &cured_result_get_device (newest)->ceilings;
  switch (ceiling)
    {
    case CURED_CEILING_READ:
      ladder->limit = ceilings->read_bytes_per_s;
      ladder->limit_name = N_ ("read limit");
      break;
    case CURED_CEILING_COPY:
      ladder->limit = ceilings->copy_bytes_per_s;
      ladder->limit_name = N_ ("copy limit");
      break;
    case CURED_CEILING_FP32:
      ladder->limit = ceilings->fp32_flops;
      ladder->limit_name = N_ ("FP32 limit");
      break;
    case CURED_CEILING_NONE:
    default: break;
    }
}

/* Peers. */

/* The median over the rounds of one work, of the peer. */
static double
look_up_peer (CuredResult *peers, const PeerInfo *info, CuredMetric metric)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (peers, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  gint64 n_cells = cured_result_get_n_cells (peers);
  gsize index;

  if (!cured_result_find_metric (peers, cured_metric_info (metric)->id, &index) ||
      !cured_result_load_column (peers, index, NULL, NULL))
    return CURED_MISSING;
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      gboolean is_its = TRUE;
      double value = cured_result_get_value (peers, cell, index);

      cured_result_get_positions (peers, cell, positions);
      for (gsize i = 0; i < n_axes; i++)
        {
          gint64 at = cured_axis_get_value (axes[i].values, positions[i]);

          if (g_str_equal (axes[i].name, "work"))
            is_its =
                is_its && g_strcmp0 (cured_axis_get_name (axes[i].values, at), info->work) == 0;
          else if (g_str_equal (axes[i].name, "side"))
            is_its = is_its && at == PEERS_SIDE;
        }
      if (is_its && !isnan (value))
        g_array_append_val (values, value);
    }
  return _cured_median ((double *) (void *) values->data, values->len);
}

static void
add_peers (Builder *self)
{
  CuredLadder *ladder = self->ladder;

  for (gsize i = 0; self->peers != NULL && i < G_N_ELEMENTS (peer_infos); i++)
    {
      if (!g_str_equal (peer_infos[i].family, ladder->family))
        continue;
      double time = look_up_peer (self->peers, &peer_infos[i], CURED_METRIC_time);
      if (isnan (time))
        continue;
      CuredLadderPeer *peer = CURED_NEW (
          CuredLadderPeer, .name = g_strdup (peer_infos[i].name), .time = time,
          .rate = look_up_peer (self->peers, &peer_infos[i], ladder->rate), .problem = G_MAXSIZE);
      for (gsize j = 0; ladder->problems[j] != NULL; j++)
        if (g_str_equal (ladder->problems[j], peer_infos[i].problem))
          peer->problem = j;
      g_ptr_array_add (ladder->peers, peer);
    }
}

CURED_CLEAR_FUNC (CuredLadder, clear, family, g_free, device, g_free, steps, g_ptr_array_unref,
                  peers, g_ptr_array_unref, problems, g_strfreev, n_steps, g_free, left_out,
                  g_ptr_array_unref)

/* @family: a family of kernels
 * @folder: (nullable): folder of recordings; the newest of each step is taken
 * @own: (nullable) (array zero-terminated=1): result files that take precedence over those of
 *   @folder; other families are ignored
 * @error: %CURED_ERROR_NOT_FOUND if the family has no steps, or an error of reading @folder or one
 *   of @own
 *
 * Reads the recordings of the steps, all on one device: that of the first of @own, or the one with
 * most recordings. Blocks: run it in a thread.
 * Returns: (transfer full) (nullable): the ladder */
CuredLadder *
cured_ladder_new (const char *family, const char *folder, const char *const *own,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) recordings = g_ptr_array_new_with_free_func (unref_object);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  Builder builder = { 0 };

  g_return_val_if_fail (family != NULL, NULL);

  g_autoptr (CuredLadder) self = g_atomic_rc_box_new0 (CuredLadder);
  self->family = g_strdup (family);
  self->steps = list_steps (family);
  self->peers = g_ptr_array_new_with_free_func (peer_free);
  self->left_out = g_ptr_array_new_with_free_func (g_free);
  self->limit = CURED_MISSING;
  builder.ladder = self;
  builder.problems = problems;
  builder.numbers = numbers;
  builder.recordings = recordings;

  if (!load_own (&builder, own, loaded, cancellable, error))
    return NULL;
  guint n_own = loaded->len;
  if (self->steps->len == 0)
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                            _ ("no family is called %s; “cured ladder” lists them"), family);
  if (folder != NULL && !load_folder (folder, loaded, cancellable, error))
    return NULL;
  choose_device (&builder, loaded);
  choose_recordings (&builder, loaded, n_own);
  g_autoptr (CuredResult) peers = builder.peers;
  for (guint i = 0; i < self->steps->len; i++)
    if (recordings->pdata[i] != NULL &&
        !fill_step (&builder, self->steps->pdata[i], recordings->pdata[i], cancellable, error))
      return NULL;
  sort_problems (&builder);
  choose_limit (&builder);
  add_peers (&builder);
  return g_steal_pointer (&self);
}

CURED_DEFINE_RC (CuredLadder, cured_ladder, clear)

/* @text: sizes in any order, such as `n=2^12` or `n=8192,m=8192`
 * @problem: (out): index of the problem
 * @error: %CURED_ERROR_SYNTAX or %CURED_ERROR_NOT_FOUND
 * Returns: whether a step was recorded at it */
gboolean
cured_ladder_find_problem (const CuredLadder *self, const char *text, gsize *problem,
                           GError **error)
{
  g_return_val_if_fail (self != NULL && text != NULL && problem != NULL, FALSE);

  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *equals = strchr (parts[i], '=');

      if (equals == NULL)
        continue;
      g_autoptr (CuredAxis) axis = cured_axis_parse (equals + 1, error);
      if (axis == NULL)
        return FALSE;
      g_autofree char *name = g_strndup (parts[i], (gsize) (equals - parts[i]));
      g_free (parts[i]);
      parts[i] = g_strdup_printf ("%s=%" PRId64, g_strstrip (name), cured_axis_get_value (axis, 0));
    }
  sort_strings (parts, g_strv_length (parts));
  g_autofree char *sorted = g_strjoinv (",", parts);
  for (gsize i = 0; self->problems[i] != NULL; i++)
    if (g_str_equal (self->problems[i], sorted))
      {
        *problem = i;
        return TRUE;
      }
  g_autofree char *all = g_strjoinv ("; ", self->problems);
  return cured_fail (
      error, CURED_ERROR_NOT_FOUND, /* Translators: a problem's size, and those that there are. */
      _ ("no step was recorded at %s; recorded are: %s"), text, all);
}

/* Views at one problem. */

static const CuredLadderCell *
find_cell (GPtrArray *cells, gsize problem)
{
  CURED_EACH_POINTER (const CuredLadderCell, cell, cells)
    if (cell->problem == problem)
      return cell;
  return NULL;
}

/* The cell of the problem that most steps have, of this step's problems. */
static const CuredLadderCell *
find_other_cell (GPtrArray *cells)
{
  const CuredLadderCell *found = NULL;

  CURED_EACH_POINTER (const CuredLadderCell, cell, cells)
    if (found == NULL || cell->problem < found->problem)
      found = cell;
  return found;
}

/* NaN where the recording has no such rate. */
static double
get_work (const CuredLadder *ladder, const CuredLadderCell *cell)
{
  return cell->metrics[ladder->rate] * cell->metrics[CURED_METRIC_time] * 1e-9;
}

static gboolean
is_same_work (double a, double b)
{
  return fabs (a - b) <= SAME_WORK * fabs (b);
}

/* The amount of work of most steps at this problem; of equally frequent ones, the
 * first. */
static double
choose_work (const CuredLadderView *self)
{
  double found = CURED_MISSING;
  guint most = 0;

  CURED_EACH (const CuredRung, rung, self->rungs)
    {
      guint n = 0;

      if (rung->cell == NULL || rung->cell->problem != self->problem)
        continue;
      double work = get_work (self->ladder, rung->cell);
      CURED_EACH (const CuredRung, other, self->rungs)
        if (other->cell != NULL && other->cell->problem == self->problem &&
            is_same_work (get_work (self->ladder, other->cell), work))
          n++;
      if (n > most)
        {
          most = n;
          found = work;
        }
    }
  return found;
}

static void
finish_rung (const CuredLadderView *self, CuredRung *rung)
{
  rung->rate = rung->cell->metrics[self->ladder->rate];
  rung->of_limit = rung->cell->metrics[CURED_METRIC_of_ceiling];
  rung->time = rung->cell->metrics[CURED_METRIC_time];
  if (rung->standard != NULL)
    rung->standard_time = rung->standard->metrics[CURED_METRIC_time];
  double work = get_work (self->ladder, rung->cell);
  rung->is_scaled = rung->cell->problem != self->problem ||
                    (!isnan (work) && !isnan (self->work) && !is_same_work (work, self->work));
  if (!rung->is_scaled)
    return;
  /* Without a rate, the time can't be scaled, and would be misleading. */
  rung->time *= self->work / work;
  rung->standard_time *= self->work / work;
}

/* @problem: index of one of its problems
 *
 * Compares the steps at one problem. A step that was not recorded at it gets the cell of another
 * problem, and a time scaled to this one by its rate.
 * Returns: (transfer full): the view */
CuredLadderView *
cured_ladder_view_new (CuredLadder *ladder, gsize problem)
{
  CuredLadderView *self = CURED_NEW (
      CuredLadderView, .ladder = cured_ladder_ref (ladder), .problem = problem,
      .rungs = g_array_new (FALSE, FALSE, sizeof (CuredRung)), .peers = g_ptr_array_new ());

  CURED_EACH_POINTER (CuredLadderStep, step, ladder->steps)
    {
      CuredRung rung = {
        .step = step,
        .cell = find_cell (step->best, problem),
        .time = CURED_MISSING,
        .standard_time = CURED_MISSING,
        .rate = CURED_MISSING,
        .of_limit = CURED_MISSING,
        .limiter = -1,
        .limiter_share = CURED_MISSING,
      };

      if (rung.cell == NULL)
        rung.cell = find_other_cell (step->best);
      if (rung.cell != NULL)
        rung.standard = find_cell (step->standard, rung.cell->problem);
      g_array_append_val (self->rungs, rung);
    }
  self->work = choose_work (self);
  self->limit_time = self->work / ladder->limit * 1e9;
  CURED_EACH (CuredRung, rung, self->rungs)
    {
      if (rung->cell == NULL)
        continue;
      finish_rung (self, rung);
      self->n_recorded++;
      if (rung->is_scaled)
        self->n_scaled++;
    }
  CURED_EACH_POINTER (CuredLadderPeer, peer, ladder->peers)
    if (peer->problem == problem)
      g_ptr_array_add (self->peers, peer);
  return self;
}

CURED_DEFINE_FREE (CuredLadderView, cured_ladder_view_free, rungs, g_array_unref, peers,
                   g_ptr_array_unref, ladder, cured_ladder_unref)

/* @rung: index of a step
 *
 * Kernels of the same step have no order; a detour precedes no
 * step.
 * Returns: (transfer none) (nullable): the previous step, recorded or not; of several, the last one
 *   with a time; %NULL: it is the first */
const CuredRung *
cured_ladder_view_get_before (const CuredLadderView *self, guint rung)
{
  const CuredRung *found = NULL;

  g_return_val_if_fail (rung < self->rungs->len, NULL);
  int step = g_array_index (self->rungs, CuredRung, rung).step->kernel->rung;
  for (guint i = rung; i-- > 0;)
    {
      const CuredRung *other = &g_array_index (self->rungs, CuredRung, i);
      int other_step = other->step->kernel->rung;

      if (other_step == step || other->step->kernel->is_detour)
        continue;
      if (found != NULL && found->step->kernel->rung != other_step)
        break;
      if (found == NULL || (isnan (found->time) && !isnan (other->time)))
        found = other;
    }
  return found;
}

static gboolean
has_problem (const CuredKernel *self, const char *name)
{
  for (gsize i = 0; i < self->n_parameters; i++)
    if (self->parameters[i].kind == CURED_PARAMETER_PROBLEM &&
        g_str_equal (self->parameters[i].name, name))
      return TRUE;
  return FALSE;
}

/* Whether @other has all problem sizes of @self. */
static gboolean
has_problems_of (const CuredKernel *self, const CuredKernel *other)
{
  for (gsize i = 0; i < self->n_parameters; i++)
    if (self->parameters[i].kind == CURED_PARAMETER_PROBLEM &&
        !has_problem (other, self->parameters[i].name))
      return FALSE;
  return TRUE;
}

/* Whether the times are for the same task: a copy is not a transpose. Scaled times also need rates
 * with the same meaning. */
static gboolean
is_alike (const CuredRung *a, const CuredRung *b)
{
  const CuredKernel *before = a->step->kernel, *after = b->step->kernel;

  if (g_strcmp0 (before->reference, after->reference) != 0)
    return FALSE;
  if (!a->is_scaled && !b->is_scaled)
    return TRUE;
  return has_problems_of (before, after) && has_problems_of (after, before) &&
         ((before->flops != NULL && after->flops != NULL) ||
          (before->ceiling != CURED_CEILING_NONE && before->ceiling == after->ceiling));
}

/* @rung: index of a step
 * @is_standard: at the kernels' defaults; else the best cells
 * Returns: its speedup over the previous step; NaN if one of them has no time, if they have
 *   different references, or are scaled by rates that can't be compared
 */
double
cured_ladder_view_get_factor (const CuredLadderView *self, guint rung, gboolean is_standard)
{
  const CuredRung *before = cured_ladder_view_get_before (self, rung);
  const CuredRung *after = &g_array_index (self->rungs, CuredRung, rung);

  if (before == NULL || !is_alike (before, after))
    return CURED_MISSING;
  return is_standard ? before->standard_time / after->standard_time : before->time / after->time;
}

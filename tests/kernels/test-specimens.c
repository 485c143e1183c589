/* SPDX-License-Identifier: MIT
 * Every specimen: the emulator finds the deliberate bug, and nothing else; where there is none, as
 * in a twin, the result is right. test-sizes.c finds nothing in any other kernel. */
#include <cured.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "device/cured-kind-private.h"
#include "test.h"

static CuredDevice *device;

static char *
name_defects (guint32 defects)
{
  GString *text = g_string_new (NULL);

  for (int k = 0; k < CURED_N_FINDINGS; k++)
    if ((defects >> k & 1) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "",
                              cured_finding_info ((CuredFindingKind) k)->defect);
  return g_string_free (text, FALSE);
}

/* Whether a size of 10007 is not the length of a vector. */
static gboolean
is_matrix (CuredKernel *kernel)
{
  const CuredParameter *parameters;

  parameters = kernel->parameters;
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = parameters[i].kind == CURED_PARAMETER_PROBLEM
                    ? MIN (parameters[i].default_value, 10007)
                    : parameters[i].default_value;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &device->info.limits, NULL);
  for (gsize i = 0; program != NULL && i < program->n_buffers; i++)
    if (program->buffers[i].length > 1000000)
      return TRUE;
  return FALSE;
}

/* Measures a kernel at its defaults; which kinds of findings there were. */
static guint32
find_defects (CuredKernel *kernel, guint64 shuffle, CuredOutcome *outcome)
{
  const CuredParameter *parameters;
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .kernel = kernel };
  g_autoptr (GError) error = NULL;
  const char *id = kernel->id;
  gboolean is_long =
      g_str_has_prefix (id, "matmul/") || g_str_has_prefix (id, "banks/") || is_matrix (kernel);
  guint32 found = 0;

  parameters = kernel->parameters;
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      values[i] = parameters[i].default_value;
      /* What takes a GPU a millisecond takes longer here. */
      if (parameters[i].kind == CURED_PARAMETER_PROBLEM)
        values[i] = MIN (values[i], is_long ? 100 : 10007);
    }
  cured_options_init (&options);
  options.shuffle = shuffle;
  job.values = values;
  job.options = &options;
  if (!cured_measure (device, &job, outcome, NULL, &error))
    g_test_message ("%s", error->message);
  for (guint i = 0; outcome->findings != NULL && i < outcome->findings->len; i++)
    {
      const CuredFinding *finding = outcome->findings->pdata[i];
      g_autofree char *text = cured_finding_to_string (finding);

      g_test_message ("%s", text);
      found |= 1u << finding->kind;
    }
  return found;
}

static void
test_kernel (gconstpointer data)
{
  const char *id = data;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  guint32 declared = kernel->defects;
  for (guint64 shuffle = 0; shuffle < 3; shuffle++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      guint32 found = find_defects (kernel, shuffle, outcome);
      g_autofree char *expected = name_defects (declared);

      /* Slow and not wrong: a step of a ladder may have them undeclared. */
      if ((declared & 1u << CURED_FINDING_BANK_CONFLICT) == 0)
        found &= ~(1u << CURED_FINDING_BANK_CONFLICT);
      /* A read that comes too early in one order of the warps may come late enough in another. The
       * race is found in every order. */
      if (shuffle != 0 && (declared & 1u << CURED_FINDING_RACE_SHARED) != 0)
        found |= declared & 1u << CURED_FINDING_UNINITIALIZED;
      g_autofree char *got = name_defects (found);

      g_test_message ("%s, %s", cured_state_to_string (outcome->state),
                      outcome->reason != NULL ? outcome->reason : "");
      g_assert_cmpstr (got, ==, expected);
      if (outcome->state == CURED_STATE_NOT_LAUNCHABLE)
        {
          /* Its file says that the emulator can't run it. */
          g_assert_null (strstr (id, "specimens/"));
          g_test_skip (outcome->reason);
          return;
        }
      if (declared == 0)
        g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      /* Found, and not waited for. */
      g_assert_cmpint (outcome->state, !=, CURED_STATE_TIMED_OUT);
    }
}

/* Every specimen has a twin, and every detector that can be shown has a specimen. */
TEST ("/specimens/complete")
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  guint32 all = 0;

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], NULL);
      g_autofree char *twin = g_strconcat (ids[i], "-fixed", NULL);

      all |= kernel->defects;
      if (kernel->defects != 0)
        {
          g_autoptr (CuredKernel) other = cured_catalogue_get (twin, NULL);

          g_assert_nonnull (other);
          g_assert_cmphex (other->defects, ==, 0);
        }
    }
  g_assert_cmphex (all | 1u << CURED_FINDING_STACK_OVERFLOW, ==, (1u << CURED_N_FINDINGS) - 1);
}

/* ---- Where ---- */

/* Code of teaching texts, as a reader copies it: what is found, and the line that is shown for
 * it. */
static const struct
{
  const char *id;
  CuredFindingKind kind;
  const char *line;
} places[] = {
  { "specimens/hidden-size", CURED_FINDING_OUT_OF_BOUNDS,
    "threadIdx.x < grid_size ? partial[threadIdx.x]" },
  { "specimens/unwaited-tree", CURED_FINDING_RACE_SHARED,
    "sums[threadIdx.x] += sums[threadIdx.x + half]" },
  { "specimens/unwaited-tree", CURED_FINDING_UNINITIALIZED,
    "sums[threadIdx.x] += sums[threadIdx.x + half]" },
  { "specimens/average-tile", CURED_FINDING_RACE_GLOBAL, "tile[0] = in[i - 1]" },
  { "specimens/average-tile", CURED_FINDING_UNINITIALIZED, "tile[threadIdx.x + 2]" },
  { "specimens/average-branch", CURED_FINDING_DIVERGENT_BARRIER, "__syncthreads ()" },
  { "specimens/average-branch", CURED_FINDING_EXITED_BARRIER, "__syncthreads ()" },
  { "specimens/one-launch-sum", CURED_FINDING_DIVERGENT_BARRIER, "__syncthreads ()" },
  { "specimens/one-launch-sum", CURED_FINDING_RACE_GLOBAL, "partial[i] += partial[i + half]" },
  { "specimens/shared-lifetime", CURED_FINDING_UNINITIALIZED, "out[i] = tile[threadIdx.x]" },
};

/* Whether one of the two parties to a finding is at a line with this text. */
static gboolean
is_at (const CuredFinding *finding, char **lines, const char *text)
{
  const int numbers[] = { finding->here.line, finding->there.line };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i] > 0 && numbers[i] <= (int) g_strv_length (lines) &&
        strstr (lines[numbers[i] - 1], text) != NULL)
      return TRUE;
  return FALSE;
}

static void
test_places (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (places); k++)
    {
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (places[k].id, &fail));
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      gboolean is_found = FALSE;

      g_auto (GStrv) lines = g_strsplit (kernel->source, "\n", -1);
      find_defects (kernel, 0, outcome);
      g_assert_nonnull (outcome->findings);
      for (guint i = 0; i < outcome->findings->len; i++)
        {
          const CuredFinding *finding = outcome->findings->pdata[i];

          is_found |= finding->kind == places[k].kind && is_at (finding, lines, places[k].line);
        }
      if (!is_found)
        g_error ("%s: no %s at “%s”", places[k].id, cured_finding_info (places[k].kind)->defect,
                 places[k].line);
    }
}

/* ---- Against compute-sanitizer ---- */

/* What a tool of compute-sanitizer can find. */
static const struct
{
  const char *tool;
  guint32 kinds;
} tools[] = {
  { "memcheck", 1u << CURED_FINDING_OUT_OF_BOUNDS | 1u << CURED_FINDING_MISALIGNED |
                    1u << CURED_FINDING_TRAP | 1u << CURED_FINDING_STACK_OVERFLOW },
  { "racecheck", 1u << CURED_FINDING_RACE_SHARED },
  { "synccheck", 1u << CURED_FINDING_DIVERGENT_BARRIER | 1u << CURED_FINDING_DEADLOCK },
  { "initcheck", 1u << CURED_FINDING_UNWRITTEN },
};

/* tests/golden/h200/sanitizer.tsv (lab/compare-sanitizer): a specimen in which a tool found
 * something declares, and so has, a finding of that tool's sort; one that hangs has one that says
 * why; where a tool found nothing, there is none of its sort. What no tool looks for is outside its
 * kinds, and is Cured's alone: docs/emulator.md lists it. */
TEST ("/specimens/sanitizer")
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_GOLDEN"), "sanitizer.tsv", NULL);
  g_autofree char *text = NULL;
  guint n = 0;

  g_assert_true (MUST (g_file_get_contents (path, &text, NULL, &fail)));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) columns = g_strsplit (lines[i], "\t", -1);
      guint32 found;

      if (*lines[i] == '#' || *lines[i] == '\0')
        continue;
      g_assert_cmpuint (g_strv_length (columns), >=, 4);
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (columns[0], &fail));
      g_test_message ("%s", lines[i]);
      for (gsize t = 0; t < G_N_ELEMENTS (tools); t++)
        {
          if (!g_str_equal (tools[t].tool, columns[2]))
            continue;
          found = kernel->defects & tools[t].kinds;
          if (g_str_equal (columns[3], "found"))
            g_assert_cmphex (found, !=, 0);
          else if (g_str_equal (columns[3], "clean"))
            {
              /* Where blocks race, it is their order that decides whether an element is read before
               * it is written. */
              if ((kernel->defects & 1u << CURED_FINDING_RACE_GLOBAL) != 0)
                found &= ~(1u << CURED_FINDING_UNWRITTEN);
              g_assert_cmphex (found, ==, 0);
            }
          else
            {
              g_assert_cmpstr (columns[3], ==, "hangs");
              g_assert_cmphex (kernel->defects & (1u << CURED_FINDING_DEADLOCK |
                                                  1u << CURED_FINDING_DIVERGENT_BARRIER),
                               !=, 0);
            }
          n++;
        }
    }
  g_assert_cmpuint (n, >=, 4 * 28);
}

static void
test_none (gconstpointer data)
{
  g_test_skip (data);
}

int
main (int argc, char *argv[])
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    g_test_add_data_func ("/specimens/kernels", error->message, test_none);
  else
    {
      device = MUST (_cured_emulator_kind.open (NULL, &fail));
      g_test_add_func ("/specimens/places", test_places);
      for (guint i = 0; ids[i] != NULL; i++)
        {
          g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], NULL);
          g_autofree char *path = g_strconcat ("/specimens/", ids[i], NULL);

          if (kernel->defects != 0 || g_str_has_prefix (ids[i], "specimens/"))
            g_test_add_data_func (path, ids[i], test_kernel);
        }
    }
  int status = run_tests ();
  g_clear_pointer (&device, cured_device_close);
  return status;
}

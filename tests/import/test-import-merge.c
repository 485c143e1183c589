/* SPDX-License-Identifier: MIT
 * Several foreign files as one result, whatever their order. */
#include <math.h>
#include <string.h>

#include "cured.h"
#include "make-result.h"
#include "test.h"

#define T4(rows) "{\"metadata\": {\"timeunit\": \"microseconds\"}, \"results\": [" rows "]}"
#define POINT(configuration, runtimes, verdict)                                                    \
  "{\"configuration\": {" configuration "}, \"times\": {\"runtimes\": [" runtimes                  \
  "]}, \"invalidity\": \"" verdict "\"}"

/* Parameters in another order, one that two files lack, and points that all have. */
static const char *const sources[] = {
  T4 (POINT ("\"x\": 2, \"y\": \"a\"", "5, 6, 7", "correct") "," POINT (
      "\"x\": 2, \"y\": \"b\"", "", "timeout") "," POINT ("\"x\": 16, \"y\": \"b\"", "8",
                                                          "correct")),
  T4 (POINT ("\"y\": \"a\", \"x\": 2", "1", "correct") "," POINT (
      "\"y\": \"b\", \"x\": 2", "",
      "compile") "," POINT ("\"y\": \"a\", \"x\": 1", "",
                            "correctness") "," POINT ("\"y\": \"b\", \"x\": 16", "8", "correct")),
  T4 (POINT ("\"x\": 2, \"y\": \"a\"", "4, 5, 6", "correct") "," POINT (
      "\"x\": 1, \"y\": \"a\"", "", "runtime") "," POINT ("\"x\": 4, \"z\": 9, \"y\": \"a\"", "3",
                                                          "correct")),
};

static const char *const expected = "x=1 y=a z=null: wrong, its result was wrong, none;"
                                    "x=2 y=a z=null: ok, -, 4000 5000 6000 of 5000;"
                                    "x=2 y=b z=null: failed, it did not compile, none;"
                                    "x=4 y=a z=9: ok, -, 3000 of 3000;"
                                    "x=16 y=b z=null: ok, -, 8000 of 8000;";

/* Every cell with its point, state, reason, samples and time. */
static char *
describe (const char *path)
{
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  GString *text = g_string_new (NULL);
  gsize positions[3], n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  g_assert_cmpuint (n_axes, ==, G_N_ELEMENTS (positions));
  CURED_EACH_CELL (result, cell)
    {
      g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cell, &fail));

      cured_result_get_positions (result, cell, positions);
      for (gsize i = 0; i < n_axes; i++)
        {
          g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);

          g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", axes[i].name, value);
        }
      g_string_append_printf (text, ": %s, %s,", cured_state_to_string (outcome->state),
                              outcome->reason != NULL ? outcome->reason : "-");
      for (guint i = 0; outcome->cold != NULL && i < outcome->cold->samples->len; i++)
        g_string_append_printf (text, " %.0f",
                                g_array_index (outcome->cold->samples, CuredSample, i).time_ns);
      if (isnan (outcome->metrics[CURED_METRIC_time]))
        g_string_append (text, " none;");
      else
        g_string_append_printf (text, " of %.0f;", outcome->metrics[CURED_METRIC_time]);
    }
  return g_string_free (text, FALSE);
}

static CuredImport *
import (char *const *paths, const char *out, gboolean merge, GError **error)
{
  const CuredImportOptions options = { .out_path = out, .overwrite = !merge, .merge = merge };

  return cured_import_files ((const char *const *) paths, &options, NULL, error);
}

TEST ("/import/merge/orders")
{
  static const guint8 orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
  const char *folder = test_folder ();
  g_autofree char *out = g_build_filename (folder, "all.cured", NULL);
  g_autofree char *grown = g_build_filename (folder, "grown.cured", NULL);
  char *paths[3];

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("source-%u.json", i);

      paths[i] = g_build_filename (folder, name, NULL);
      g_assert_true (g_file_set_contents (paths[i], sources[i], -1, NULL));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      char *given[] = { paths[orders[i][0]], paths[orders[i][1]], paths[orders[i][2]], NULL };
      g_autoptr (CuredImport) made = MUST (import (given, out, FALSE, &fail));
      g_autofree char *at_once = describe (out);

      g_assert_cmpstr (at_once, ==, expected);
      g_assert_cmpuint (made->notes->len, ==, 1);
      g_assert_nonnull (strstr (g_ptr_array_index (made->notes, 0), "all: 3 points"));
      for (guint j = 0; j < 3; j++)
        {
          char *one[] = { given[j], NULL };
          g_autoptr (CuredImport) part = MUST (import (one, grown, j > 0, &fail));

          g_assert_cmpuint (part->files->len, ==, 1);
        }
      g_autofree char *one_by_one = describe (grown);
      g_assert_cmpstr (one_by_one, ==, expected);
    }
  /* A value that is there already is no conflict. */
  {
    char *again[] = { out, NULL };
    g_autofree char *copy = g_build_filename (folder, "copy.cured", NULL);
    char *third[] = { paths[2], NULL };
    g_autoptr (CuredImport) first = MUST (import (third, copy, FALSE, &fail));
    g_autoptr (CuredImport) second = MUST (import (third, copy, TRUE, &fail));

    g_assert_cmpuint (first->notes->len + second->notes->len, ==, 0);
    REFUSES (import (again, copy, TRUE, &fail), "already");
  }
  for (guint i = 0; i < 3; i++)
    g_free (paths[i]);
}

/* Only what is of one thing becomes one result. */
TEST ("/import/merge/refusals")
{
  const char *folder = test_folder ();
  g_autofree char *a = g_build_filename (folder, "a.json", NULL);
  g_autofree char *b = g_build_filename (folder, "b.csv", NULL);
  g_autofree char *c = g_build_filename (folder, "c.json", NULL);
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  const char *const tuned = "{\"kernel_name\": \"mm\", \"tune_params_keys\": [\"x\"], "
                            "\"cache\": {\"1\": {\"x\": 1, \"time\": 2}}}";

  g_assert_true (g_file_set_contents (a, sources[0], -1, NULL));
  g_assert_true (g_file_set_contents (b, "x,time_us\n1,2\n", -1, NULL));
  g_assert_true (g_file_set_contents (c, tuned, -1, NULL));
  char *both[] = { a, b, NULL };
  REFUSES (import (both, out, FALSE, &fail), "another format");
  char *first[] = { a, NULL };
  g_autoptr (CuredImport) made = MUST (import (first, out, FALSE, &fail));
  char *second[] = { b, NULL };
  REFUSES (import (second, out, TRUE, &fail), "nothing can be added");

  /* Of two kernels, two results. */
  g_autofree char *d = g_build_filename (folder, "d.json", NULL);
  g_autofree char *other = g_strdup (tuned);
  memcpy (strstr (other, "mm"), "vv", 2);
  g_assert_true (g_file_set_contents (d, other, -1, NULL));
  char *kernels[] = { c, d, NULL };
  g_autoptr (CuredImport) two = MUST (import (kernels, out, FALSE, &fail));
  g_assert_cmpuint (two->files->len, ==, 2);
  char *third[] = { c, NULL };
  g_autoptr (CuredImport) one = MUST (import (third, out, FALSE, &fail));
  char *fourth[] = { d, NULL };
  REFUSES (import (fourth, out, TRUE, &fail), "is of “mm”");
  /* A figure in two units would be one of them by chance. */
  g_assert_true (g_file_set_contents (a, "x,y (V)\n1,2\n", -1, NULL));
  g_assert_true (g_file_set_contents (b, "x,y (mV)\n2,3\n", -1, NULL));
  REFUSES (import (both, out, FALSE, &fail), "is in “");
}

/* SPDX-License-Identifier: MIT
 * What other programs measured, as result files. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "cured-plot.h"
#include "import/cured-import-internal.h"
#include "make-result.h"
#include "test.h"

static char *
sample_path (const char *name)
{
  return g_build_filename (g_getenv ("CURED_TEST_DATA"), "import", name, NULL);
}

static char *
read_sample (const char *name)
{
  g_autofree char *path = sample_path (name);
  char *text = NULL;

  MUST (g_file_get_contents (path, &text, NULL, &fail));
  return text;
}

/* Writes @text into @folder and imports it to out.cured there. */
static CuredImport *
import_text (const char *folder, const char *text, const char *const *only, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "source.json", NULL);
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  const CuredImportOptions options = { .out_path = out, .overwrite = TRUE, .only = only };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return cured_import_file (path, &options, NULL, error);
}

static CuredImport *
import_sample (const char *folder, const char *name)
{
  g_autofree char *path = sample_path (name);
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  const CuredImportOptions options = { .out_path = out, .overwrite = TRUE };
  return MUST (cured_import_file (path, &options, NULL, &fail));
}

static const CuredImportedFile *
get_file (const CuredImport *import, guint index)
{
  g_assert_cmpuint (index, <, import->files->len);
  return g_ptr_array_index (import->files, index);
}

static CuredResult *
load (const CuredImport *import, guint index)
{
  return MUST (cured_result_load (get_file (import, index)->path, NULL, &fail));
}

static CuredResult *
load_text (const char *folder, const char *text, const char *const *only, CuredImport **import)
{
  *import = MUST (import_text (folder, text, only, &fail));
  return load (*import, 0);
}

/* The cell at "tile=16 layout=row": every axis that has more than one value. */
static gint64
find_cell (CuredResult *result, const char *point)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_auto (GStrv) parts = g_strsplit (point, "; ", -1);
  gsize positions[16] = { 0 };

  for (gsize i = 0; parts[i] != NULL && *parts[i] != '\0'; i++)
    {
      char *equals = strchr (parts[i], '=');
      gint64 value = 0;
      gsize axis = 0;

      *equals = '\0';
      while (axis < n_axes && !g_str_equal (axes[axis].name, parts[i]))
        axis++;
      g_assert_cmpuint (axis, <, n_axes);
      MUST (cured_axis_parse_value (axes[axis].values, equals + 1, &value, &fail));
      g_assert_true (cured_axis_find (axes[axis].values, value, &positions[axis]));
    }
  return cured_result_get_cell (result, positions);
}

static CuredOutcome *
load_outcome (CuredResult *result, const char *point)
{
  return MUST (cured_result_load_outcome (result, find_cell (result, point), &fail));
}

static void
assert_metric (CuredResult *result, const char *point, const char *id, double expected)
{
  gsize metric = 0;

  g_assert_true (cured_result_find_metric (result, id, &metric));
  MUST (cured_result_load_column (result, metric, NULL, &fail));
  double value = cured_result_get_value (result, find_cell (result, point), metric);
  if (isnan (expected))
    g_assert_true (isnan (value));
  else
    g_assert_cmpfloat_with_epsilon (value, expected, fabs (expected) * 1e-6);
}

static void
assert_state (CuredResult *result, const char *point, CuredState state, const char *reason)
{
  g_autoptr (CuredOutcome) outcome = load_outcome (result, point);

  g_assert_cmpint (outcome->state, ==, state);
  if (reason == NULL)
    g_assert_null (outcome->reason);
  else
    g_assert_nonnull (strstr (outcome->reason, reason));
}

static void
assert_axis (CuredResult *result, gsize index, const char *name, CuredParameterKind kind,
             const char *values)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  g_assert_cmpuint (index, <, n_axes);
  g_assert_cmpstr (axes[index].name, ==, name);
  g_assert_cmpint (axes[index].kind, ==, kind);
  g_autofree char *text = cured_axis_to_string (axes[index].values);
  g_assert_cmpstr (text, ==, values);
}

static gboolean
has_note (const CuredImport *import, const char *part)
{
  for (guint i = 0; i < import->notes->len; i++)
    if (strstr (g_ptr_array_index (import->notes, i), part) != NULL)
      return TRUE;
  return FALSE;
}

/* When it was measured, by the file that was imported. */
static void
assert_finished (CuredResult *result, const char *cell, const char *date)
{
  g_autoptr (CuredOutcome) outcome = load_outcome (result, cell);
  g_autoptr (GDateTime) expected = g_date_time_new_from_iso8601 (date, NULL);

  g_assert_nonnull (outcome->finished);
  g_assert_cmpint (g_date_time_to_unix (outcome->finished), ==, g_date_time_to_unix (expected));
}

/* Formats */

TEST ("/import/recognise")
{
  static const struct
  {
    const char *file, *id;
  } samples[] = {
    { "nvbench.json", "nvbench" },
    { "kernel-tuner.json", "kernel-tuner" },
    { "t4.json", "t4" },
    { "nvbench.json-bin/0.bin", NULL },
    { "../kernels/fake.cu", NULL },
    { "no-such-file.json", NULL },
    { ".", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *path = sample_path (samples[i].file);
      const CuredImportFormat *format = cured_import_recognise (path);

      g_assert_cmpstr (format != NULL ? format->id : NULL, ==, samples[i].id);
    }
  for (gsize i = 0; cured_import_formats ()[i] != NULL; i++)
    g_assert_nonnull (cured_import_formats ()[i]->title);
}

/* The samples of formats that are rows: one cell of each, and its figures. */
TEST ("/import/samples")
{
  static const struct
  {
    const char *file, *id, *title, *device;
    gint64 n_cells, n_ok;
    const char *point, *metric;
    double value;
  } samples[] = {
    { "nvbench.csv", "nvbench-csv", "k", "GPU X", 2, 2, "Tile=32", "time", 3200 },
    { "nvbench.csv", "nvbench-csv", "k", "GPU X", 2, 2, "Tile=16", "time_hot", 1700 },
    { "nvbench-cpu.csv", "nvbench-csv", "host", "", 2, 2, "n=2", "time", 2500 },
    { "nvbench-2021.json", "nvbench", "k", "GPU X", 2, 2, "n=32", "time", 5000 },
    { "triton.autotune.json", "triton", "triton", "", 2, 2, "BLOCK_M=128; num_warps=4", "time",
      410000 },
    { "ktt.json", "ktt", "k", "GPU X", 2, 1, "block=32", "time", 96200 },
    { "ktt.json", "ktt", "k", "GPU X", 2, 1, "block=32", "registers", 12 },
    { "ktt.json", "ktt", "k", "GPU X", 2, 1, "block=32", "dram_sectors_read_sum", 100 },
    { "ktt-t4.json", "t4", "ktt-t4", "", 2, 2, "block=64", "time", 54000 },
    { "ktt-t4.json", "t4", "ktt-t4", "", 2, 2, "block=64", "flop_rate", 2e11 },
    { "energy.json", "kernel-tuner", "k", "GPU X", 3, 2, "block=64", "nvml_energy", 1.25 },
    { "list.json", "list", "list", "", 2, 2, "block=64", "time", 400000 },
    { "wide.json", "list", "wide", "", 2, 2, "off=9007199254740993", "time", 2000000 },
    { "cltune.json", "cltune", "Xgemm", "GPU X", 2, 2, "MWG=32", "time", 1500000 },
    { "google.json", "google-benchmark", "BM_mm", "", 2, 2, "arg0=16; n=64", "time", 51200 },
    { "google.csv", "google-benchmark-csv", "BM_mm", "", 3, 2, "n=64", "time", 12000 },
    { "google.csv", "google-benchmark-csv", "BM_mm", "", 3, 2, "n=128", "time", 1500000 },
    { "pytest.json", "pytest-benchmark", "test_mm", "", 2, 2, "tile=32", "time", 2000000 },
    { "ncu.csv", "ncu", "copy", "GPU X", 4, 4, "Block Size=64; Grid Size=132", "time", 206464 },
    { "ncu-gap.csv", "ncu", "copy", "", 2, 2, "Block Size=128", "dram_bytes_sum", 1500000 },
    { "ncu-details.csv", "ncu", "copy", "", 1, 1, "", "time", 206000 },
    { "ncu-early.csv", "ncu-early", "copy", "", 2, 2, "launch=0", "time", 206500 },
    { "ncu-early.csv", "ncu-early", "copy", "", 2, 2, "launch=0", "dram_bytes_read_sum",
      268440000 },
    { "ncu-early.csv", "ncu-early", "copy", "", 2, 2, "launch=1", "time", 1500000 },
    { "hyperfine.json", "hyperfine", "hyperfine", "", 2, 2, "tile=8", "time", 515e6 },
    { "hyperfine.json", "hyperfine", "hyperfine", "", 2, 2, "tile=16", "user", 200e6 },
    { "hyperfine.csv", "hyperfine-csv", "hyperfine", "", 2, 2, "tile=8", "time", 515e6 },
    { "hyperfine.csv", "hyperfine-csv", "hyperfine", "", 2, 2, "tile=16", "stddev", 10e6 },
    { "optuna.csv", "optuna", "optuna", "", 4, 2, "block=64; tile=2", "value", 1.25 },
    { "nsight.csv", "nsight-python", "matmul", "GPU X", 2, 2, "tile=2", "time", 152128 },
    { "cutlass.csv", "cutlass", "gemm", "", 2, 1, "cta_m=128", "flop_rate", 5e12 },
    { "plain.csv", "csv", "plain", "", 4, 4, "tile=16; layout=row", "time", 1500 },
    { "plain.csv", "csv", "plain", "", 4, 4, "tile=16; layout=row", "bandwidth", 2e9 },
    { "comma.tsv.gz", "csv", "comma", "", 2, 2, "scale=1.000", "time", 500000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      const char *folder = test_folder ();
      g_autoptr (CuredImport) import = import_sample (folder, samples[i].file);
      g_autoptr (CuredResult) result = load (import, 0);

      g_test_message ("%s: %s", samples[i].file, samples[i].point);
      g_assert_cmpstr (import->format->id, ==, samples[i].id);
      g_assert_cmpstr (get_file (import, 0)->title, ==, samples[i].title);
      g_assert_cmpstr (get_file (import, 0)->device, ==, samples[i].device);
      g_assert_cmpint (get_file (import, 0)->n_cells, ==, samples[i].n_cells);
      g_assert_cmpint (get_file (import, 0)->n_ok, ==, samples[i].n_ok);
      assert_metric (result, samples[i].point, samples[i].metric, samples[i].value);
    }
}

#define NCU_HEAD                                                                                   \
  "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\","           \
  "\"Metric Value\"\n"
#define NCU_ROW(id, grid, unit, value)                                                             \
  "\"" id "\",\"k\",\"(64, 1, 1)\",\"(" grid ", 1, 1)\",\"dram rate\",\"" unit "\",\"" value "\""  \
  "\n"
#define GOOGLE_RUN(name, rest)                                                                     \
  "{\"name\": \"" name "\", \"run_name\": \"" name "\", \"time_unit\": \"us\", " rest "}"
#define PYTEST_RUN(file, name, median)                                                             \
  "{\"name\": \"" name "\", \"fullname\": \"" file "::" name "\", \"params\": null, "              \
  "\"param\": \"16\", \"extra_info\": {\"gain\": 3}, \"stats\": {\"median\": " median "}}"
#define T4_RUN(rest)                                                                               \
  "\"results\": [{\"configuration\": {\"b\": 1}, \"times\": {\"runtimes\": [5]}" rest "}]}"

/* How numbers, units and names are written: what a figure becomes. */
TEST ("/import/figures")
{
  static const struct
  {
    const char *text, *point, *metric;
    double value; /* NaN: there is none */
  } figures[] = {
    { "b,time_microseconds\n1,10\n2,20\n", "b=1", "time", 10000 },
    { "b,time-us\n1,10\n2,20\n", "b=1", "time", 10000 },
    { "b,timeUs\n1,10\n2,20\n", "b=1", "time", 10000 },
    { "b,latency_us_p50,latency_us_p99\n1,10,12\n2,20,22\n", "b=1", "time", 10000 },
    { "b,latency_us_p50,latency_us_p99\n1,10,12\n2,20,22\n", "b=1", "time_p99", 12000 },
    { "b,time_us,ci_high_us\n1,10,12\n2,20,22\n", "b=1", "time", 10000 },
    { "b,kernel_time_us,total_time_us\n1,10,12\n2,20,22\n", "b=1", "time", 10000 },
    { "b,Time (us) mean,Time (us) median\n1,10,12\n2,20,22\n", "b=1", "time", 12000 },
    { "b,Triton (ms),Torch (ms)\n1,10,12\n2,20,22\n", "b=1", "torch", 12e6 },
    { "b,time_us,time_ms\n1,10,12\n2,20,22\n", "b=1", "time_ms", 12e6 },
    { "b,time_us\n1,OOM\n2,20\n", "b=2", "time", 20000 },
    { "[[{\"b\": 1, \"time\": 2, \"times\": [2]}, {\"b\": 2, \"time\": 3}], "
      "{\"device_name\": \"X\"}]",
      "b=1", "time", 2e6 },
    { "{\"results\": [{\"command\": \"a 1\", \"mean\": 1, \"user\": 0, \"parameters\": "
      "{\"n\": \"1\"}}, {\"command\": \"b 1\", \"mean\": 2, \"user\": 0, \"parameters\": "
      "{\"n\": \"1\"}}]}",
      "command=2", "time", 2e9 },
    { "{\"results\": [{\"command\": \"a\", \"mean\": 1, \"user\": 0}, {\"command\": \"b\", "
      "\"mean\": 2, \"user\": 0}]}",
      "command=b", "time", 2e9 },
    { "command,mean,stddev,user,system,parameter_n\na 1,1,0,0,0,1\nb 1,2,0,0,0,1\n", "command=2",
      "time", 2e9 },
    { "b|time_us\n1|10\n2|20\n", "b=1", "time", 10000 },
    { "b,GiB/s\n1,10\n2,20\n", "b=1", "bandwidth", 10 * 0x1p30 },
    { "b,bw_gbs\n1,10\n2,20\n", "b=1", "bw", 10e9 },
    { "power,time_us\n1,10\n2,20\n", "power=1", "time", 10000 },
    { "b,power_w,power_limit,time_us\n1,300,7,10\n2,350,7,5\n", "b=1", "power_w", 300 },
    { "time_steps,timeout_s,b,time_us\n5,9,1,10\n6,9,1,20\n", "time_steps=5", "time", 10000 },
    { "b,time,time_us\n1,7,10\n2,7,20\n", "b=1", "time", 10000 },
    { "b,Time [s],std\n1,1.5e-5,1e-6\n2,1,1\n", "b=1", "std", 1000 },
    { "b,time_us,items_per_s\n1,10,12\n2,20,22\n", "b=1", "items_per_s", 12 },
    { "b,time\n1,10 us\n2,20us\n", "b=2", "time", 20000 },
    { "b,time_us\n1,-1\n2,20\n", "b=1", "time", NAN },
    { "b\ttime_ms\n1\t0,500\n2\t1,250\n", "b=2", "time", 1250000 },
    { "b\ttime_ms\n1\t1,500\n2\t1,250,000.5\n", "b=1", "time", 1500e6 },
    { "b;time_us\n1;1.234,5\n2;1.250\n", "b=2", "time", 1250000 },
    { "b;time_us\n1;1.5\n2;1.250\n", "b=2", "time", 1250 },
    { "b,time_us\n1,\"1,234.5\"\n2,\"1,250\"\n", "b=2", "time", 1250000 },
    { "sep=;\nb;time_us\n1;0,5\n2;1\n", "b=1", "time", 500 },
    { "# b,time_us\n1,10\n2,20\n", "b=2", "time", 20000 },
    { "b,time_us\n1,10,\n2,20,\n", "b=2", "time", 20000 },
    { "b,time_us\n\n1,10\n2,20\n", "b=2", "time", 20000 },
    { "M,N,K,one\n256.000000,256.000000,64.000000,4.500000\n384.000000,384.000000,64.000000,"
      "12.250000\n",
      "M=384", "one", 12.25 },
    { "M,K,one,two\n256.0,1,4.5,4.1\n384.0,1,12.3,11.2\n", "M=384", "one", 12.3 },
    { NCU_HEAD NCU_ROW ("0", "1", "Gbyte/second", "1.5") NCU_ROW ("1", "2", "Mbyte/second", "850"),
      "Grid Size=2", "dram_rate", 850e6 },
    { NCU_HEAD NCU_ROW ("0", "1", "Gbyte/second", "1.5") NCU_ROW ("1", "2", "Mbyte/second", "850"),
      "Grid Size=1", "dram_rate", 1.5e9 },
    { NCU_HEAD NCU_ROW ("0", "1", "cycle/nsecond", "1.5") NCU_ROW ("1", "2", "cycle/usecond", "85"),
      "Grid Size=2", "dram_rate", 85e6 },
    { NCU_HEAD NCU_ROW ("0", "1", "sector", "1.5") NCU_ROW ("1", "2", "Ksector", "85"),
      "Grid Size=2", "dram_rate", NAN },
    { "Provider,Operation,Status,m,Runtime,GB/s\nC,a,success,1,0.02,2\nC,a,failed,2,0,0\n", "m=1",
      "bandwidth", 0x1p31 },
    { "Provider,Operation,Status,m,Runtime,GB/s\nC,a,success,1,0.02,2\nC,a,failed,2,0,0\n", "m=2",
      "bandwidth", NAN },
    { "{\"context\": {}, \"benchmarks\": [" GOOGLE_RUN (
          "a/1", "\"real_time\": 2, \"hits\": 7") ", " GOOGLE_RUN ("a/2", "\"real_time\": 3") "]}",
      "arg0=1", "hits", 7 },
    { "{\"context\": {}, \"benchmarks\": [" GOOGLE_RUN (
          "a/1", "\"real_time\": 0, \"skipped\": true") ", " GOOGLE_RUN ("a/2",
                                                                         "\"real_time\": 3") "]}",
      "arg0=1", "time", NAN },
    { "{\"machine_info\": {}, \"benchmarks\": [" PYTEST_RUN ("t", "a[16]", "5") "]}", "", "time",
      5e9 },
    { "{\"machine_info\": {}, \"benchmarks\": [" PYTEST_RUN ("t", "a[16]", "5") "]}", "", "gain",
      3 },
    { "{\"metadata\": {\"timeunit\": \"usec\"}, " T4_RUN (""), "", "time", 5000 },
    { "{" T4_RUN (", \"measurements\": [{\"name\": \"time\", \"value\": 5, \"unit\": \"s\"}]"), "",
      "time", 5e9 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autoptr (CuredImport) import = NULL;
      g_test_message ("%s", figures[i].text);
      g_autoptr (CuredResult) result = load_text (test_folder (), figures[i].text, NULL, &import);
      assert_metric (result, figures[i].point, figures[i].metric, figures[i].value);
    }
}

/* What Windows' shells write. */
TEST ("/import/utf-16")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "source.csv", NULL);
  gsize length = 0;
  g_autofree char *text = MUST (g_convert ("\xEF\xBB\xBF"
                                           "b,time_us\n1,10\n",
                                           -1, "UTF-16LE", "UTF-8", NULL, &length, &fail));
  const CuredImportOptions options = { .overwrite = TRUE };

  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  g_assert_cmpstr (cured_import_recognise (path)->id, ==, "csv");
  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_autoptr (CuredResult) result = load (import, 0);
  assert_metric (result, "b=1", "time", 10000);
}

/* Long texts are cut, and two of them stay two. */
TEST ("/import/long-texts")
{
  g_autofree char *word = g_strnfill (3000000, 'w');
  g_autofree char *text =
      g_strdup_printf ("[{\"%s\": \"%s1\", \"time_us\": 5}, {\"%s\": \"%s2\", \"time_us\": 6}]",
                       word, word, word, word);
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (CuredResult) result = load_text (test_folder (), text, NULL, &import);
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);

  g_assert_cmpint (get_file (import, 0)->n_ok, ==, 2);
  g_assert_cmpuint (strlen (axes[0].name), <, 3000);
}

/* What would be wrong by thousands is refused or said. */
TEST ("/import/assumed-units")
{
  static const char unknown[] =
      "{" T4_RUN (", \"measurements\": [{\"name\": \"time\", \"value\": 5, \"unit\": \"ells\"}]");
  static const char *const said[] = {
    "{" T4_RUN (""),
    "[{\"b\": 1, \"time\": 5}]",
    "b\ttime_ms\n1\t1,500\n2\t1,250\n",
    "b,time_us\n1,10\n2",
  };

  FAILS (import_text (test_folder (), unknown, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "“ells” is no unit of time");
  FAILS (
      import_text (test_folder (), "{\"metadata\": {\"timeunit\": 5}, " T4_RUN (""), NULL, &fail),
      CURED_ERROR, CURED_ERROR_SYNTAX, "metadata.timeunit: expected a unit of time");
  FAILS (import_text (test_folder (),
                      "{" T4_RUN (", \"objectives\": [\"TotalDuration\"], \"measurements\": "
                                  "[{\"name\": \"TotalDuration\", \"value\": 5, \"unit\": "
                                  "\"ells\"}]"),
                      NULL, &fail),
         CURED_ERROR, CURED_ERROR_SYNTAX, "“ells” is no unit of time");
  for (gsize i = 0; i < G_N_ELEMENTS (said); i++)
    {
      g_autoptr (CuredImport) import = MUST (import_text (test_folder (), said[i], NULL, &fail));
      g_test_message ("%s", said[i]);
      g_assert_cmpuint (import->notes->len, ==, 1);
    }
}

/* A run that was stopped before its first point. */
TEST ("/import/no-rows")
{
  static const char *const heads[] = {
    "Benchmark,Device Name,n,Skipped,Samples\n",     "number,state,datetime_start,params_n\n",
    "ID,Kernel Name,Metric Name,Metric Value\n",     "ID,Kernel Name,Block Size,Grid Size\n",
    "command,mean,stddev,user,system,parameter_n\n", "Provider,Operation,Runtime,m\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    FAILS (import_text (test_folder (), heads[i], NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
           "there is no measurement in it");
}

/* Two files have a benchmark of one name: both are kept. */
TEST ("/import/same-names")
{
  g_autoptr (CuredImport) import =
      MUST (import_text (test_folder (),
                         "{\"machine_info\": {}, \"benchmarks\": [" PYTEST_RUN (
                             "t", "a", "5") ", " PYTEST_RUN ("u", "a", "6") "]}",
                         NULL, &fail));

  g_assert_cmpuint (import->files->len, ==, 2);
  g_assert_cmpstr (get_file (import, 0)->title, ==, "t::a");
}

/* Columns whose names do not say what they are. */
TEST ("/import/columns")
{
  static const char text[] = "a,b,score\n1,0.5,7\n2,0.5,9\n";
  static const char *const parameters[] = { "a", NULL };
  static const char *const both[] = { "a,b", NULL };
  static const char *const wrong[] = { "c", NULL };
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "source.csv", NULL);
  CuredImportOptions options = { .overwrite = TRUE, .parameters = parameters, .metric = "score" };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_autoptr (CuredResult) result = load (import, 0);
  assert_axis (result, 0, "a", CURED_PARAMETER_LAUNCH, "1,2");
  assert_metric (result, "a=2", "score", 9);
  options.parameters = both;
  g_autoptr (CuredImport) again = MUST (cured_import_file (path, &options, NULL, &fail));
  g_autoptr (CuredResult) second = load (again, 0);
  assert_metric (second, "a=2; b=0.5", "score", 9);
  options.parameters = wrong;
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "no column “c”; there are: a, b, score");
}

TEST ("/import/nvbench")
{
  const char *folder = test_folder ();
  g_autoptr (CuredImport) import = import_sample (folder, "nvbench.json");
  g_autoptr (CuredResult) result = load (import, 0);
  g_autoptr (CuredResult) other = load (import, 1);
  g_autoptr (CuredResult) empty = load (import, 2);
  const CuredDeviceInfo *device = cured_result_get_device (result);
  const CuredImportedFile *file = get_file (import, 0);
  gsize metric = 0, n_axes = 0;

  g_assert_cmpstr (import->format->id, ==, "nvbench");
  g_assert_cmpuint (import->files->len, ==, 3);
  g_assert_true (g_str_has_suffix (file->path, "/out-transpose.cured"));
  g_assert_cmpint (file->n_cells, ==, 8);
  g_assert_cmpint (file->n_known, ==, 5);
  g_assert_cmpint (file->n_ok, ==, 2);

  g_assert_cmpstr (cured_result_get_title (result), ==, "transpose");
  g_assert_cmpstr (cured_result_get_imported (result), ==, "nvbench");
  g_assert_cmpstr (cured_result_get_source (result), ==, "");
  g_assert_null (cured_result_get_kernel (result));
  g_assert_true (cured_result_is_finished (result));
  g_assert_cmpstr (device->id, ==, "cuda:0");
  g_assert_cmpstr (device->name, ==, "GPU X");
  g_assert_cmpstr (device->arch, ==, "sm_90");
  g_assert_cmpstr (device->host, ==, "");
  g_assert_cmpint (device->limits.sms, ==, 132);
  g_assert_cmpint (device->limits.compute_major, ==, 9);
  g_assert_cmpint (device->limits.compute_minor, ==, 0);
  g_assert_cmpint (device->limits.sm_clock_khz, ==, 1980000);
  g_assert_cmpint (device->limits.shared_per_block, ==, 49152);
  g_assert_cmpint (device->limits.warp_size, ==, 0);

  assert_axis (result, 0, "T", CURED_PARAMETER_COMPILE, "F32,F64");
  assert_axis (result, 1, "Tile", CURED_PARAMETER_LAUNCH, "16,32");
  assert_axis (result, 2, "Fill", CURED_PARAMETER_LAUNCH, "0.5,1");

  assert_state (result, "T=F32; Tile=16; Fill=0.5", CURED_STATE_OK, NULL);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time", 12500);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_mean", 12600);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_min", 12000);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_spread", 0.004);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_samples", 100);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_hot", 11000);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "time_hot_samples", 4321);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "bandwidth", 6.7e11);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "sm_clock", 1.97e9);
  /* Figures that are nvbench's own. */
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "cold_time_cpu_mean", 17500);
  assert_metric (result, "T=F32; Tile=16; Fill=0.5", "cold_bw_global_utilization", 0.1363);
  g_assert_true (cured_result_find_metric (result, "cold_bw_item_rate", &metric));
  g_assert_cmpstr (cured_result_get_metrics (result, NULL)[metric].title, ==, "Elem/s");
  g_assert_cmpstr (cured_result_get_metrics (result, NULL)[metric].unit, ==, "1/s");
  g_assert_false (cured_result_find_metric (result, "cold_time_gpu_max", &metric));
  g_assert_true (has_note (import, "nv/cold/time/gpu/max"));

  /* No median, and no noise with three samples. */
  assert_metric (result, "T=F32; Tile=32; Fill=0.5", "time", 25000);
  assert_metric (result, "T=F32; Tile=32; Fill=0.5", "time_spread", 0.25);
  assert_metric (result, "T=F32; Tile=32; Fill=0.5", "cold_time_gpu_stdev_relative", NAN);

  assert_state (result, "T=F64; Tile=16; Fill=1", CURED_STATE_NOT_LAUNCHABLE, "no interest");
  assert_state (result, "T=F64; Tile=32; Fill=1", CURED_STATE_FAILED, "out of memory");
  assert_state (result, "T=F64; Tile=32; Fill=0.5", CURED_STATE_FAILED, "no sample");
  assert_state (result, "T=F32; Tile=16; Fill=1", CURED_STATE_NOT_RUN, NULL);

  /* Samples are beside the file, as single-precision seconds. */
  g_assert_cmpstr (cured_result_get_device (other)->arch, ==, "sm_120");
  assert_metric (other, "T=F32; Tile=16; Fill=0.5", "time", 40500);
  assert_metric (other, "T=F32; Tile=16; Fill=0.5", "sm_clock", 1.965e9);
  assert_metric (other, "T=F32; Tile=16; Fill=0.5", "throttled", NAN);
  g_autoptr (CuredOutcome) sampled = load_outcome (other, "T=F32; Tile=16; Fill=0.5");
  g_assert_nonnull (sampled->cold);
  g_assert_cmpuint (sampled->cold->samples->len, ==, 4);
  g_assert_cmpfloat_with_epsilon (g_array_index (sampled->cold->samples, CuredSample, 3).time_ns,
                                  44000, 0.01);

  /* A benchmark without axes is one point. */
  cured_result_get_axes (empty, &n_axes);
  g_assert_cmpuint (n_axes, ==, 0);
  g_assert_cmpint (cured_result_get_n_cells (empty), ==, 1);
  assert_metric (empty, "", "time", 2000);
}

TEST ("/import/kernel-tuner")
{
  const char *folder = test_folder ();
  g_autoptr (CuredImport) import = import_sample (folder, "kernel-tuner.json");
  g_autoptr (CuredResult) result = load (import, 0);
  const char *first = "tile=16; blocks=1; padded=True; scale=0.5; layout=row";

  g_assert_cmpuint (import->files->len, ==, 1);
  g_assert_cmpstr (cured_result_get_title (result), ==, "mm, 64 × 48");
  g_assert_cmpstr (cured_result_get_device (result)->name, ==, "GPU X");
  g_assert_cmpint (cured_result_get_n_cells (result), ==, 32);
  assert_axis (result, 0, "tile", CURED_PARAMETER_COMPILE, "16,32");
  assert_axis (result, 2, "padded", CURED_PARAMETER_COMPILE, "True,False");
  assert_axis (result, 3, "scale", CURED_PARAMETER_COMPILE, "0.5,2");
  assert_axis (result, 4, "layout", CURED_PARAMETER_COMPILE, "row,col, tiled");

  assert_finished (result, first, "2026-01-02T03:04:05Z");
  /* Milliseconds, of which the samples' median counts. */
  assert_metric (result, first, "time", 500000);
  assert_metric (result, first, "time_min", 400000);
  assert_metric (result, first, "time_samples", 3);
  assert_metric (result, first, "flop_rate", 250.5e9);
  assert_metric (result, first, "registers", 40);
  assert_metric (result, first, "sm_clock", 1.98e9);
  assert_metric (result, first, "compile_time", 300e6);
  assert_metric (result, first, "nvml_power", 310.5);
  assert_metric (result, first, "throttled", NAN);
  g_assert_true (has_note (import, "clocks"));
  g_autoptr (CuredOutcome) outcome = load_outcome (result, first);
  g_assert_cmpuint (outcome->cold->samples->len, ==, 3);
  g_assert_cmpfloat_with_epsilon (g_array_index (outcome->cold->samples, CuredSample, 0).time_ns,
                                  600000, 0.01);
  g_assert_cmpint (outcome->stage_ns[CURED_STAGE_COMPILE], ==, 300000000);
  g_assert_cmpint (outcome->stage_ns[CURED_STAGE_TIME], ==, 2000000);

  /* Python's words that are not numbers. */
  assert_metric (result, "tile=16; blocks=2; padded=True; scale=0.5; layout=row", "flop_rate", NAN);
  assert_metric (result, "tile=16; blocks=2; padded=True; scale=0.5; layout=row", "nvml_power",
                 NAN);
  /* A mean without samples. */
  assert_metric (result, "tile=32; blocks=1; padded=False; scale=2; layout=col, tiled", "time",
                 1250000);

  /* Errors of three generations. */
  assert_state (result, "tile=32; blocks=2; padded=False; scale=2; layout=row", CURED_STATE_FAILED,
                "compile");
  assert_state (result, "tile=32; blocks=2; padded=False; scale=0.5; layout=row",
                CURED_STATE_FAILED, "when it was run");
  assert_state (result, "tile=32; blocks=1; padded=False; scale=0.5; layout=row",
                CURED_STATE_FAILED, "failed");
  assert_state (result, "tile=32; blocks=1; padded=True; scale=0.5; layout=row",
                CURED_STATE_NOT_LAUNCHABLE, "restriction");
  assert_state (result, "tile=32; blocks=2; padded=True; scale=0.5; layout=row", CURED_STATE_FAILED,
                "no time");
  assert_metric (result, "tile=32; blocks=1; padded=False; scale=0.5; layout=row", "time", NAN);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 24);
}

TEST ("/import/t4")
{
  const char *folder = test_folder ();
  g_autoptr (CuredImport) import = import_sample (folder, "t4.json");
  g_autoptr (CuredResult) result = load (import, 0);

  g_assert_cmpstr (cured_result_get_title (result), ==, "t4");
  g_assert_cmpstr (cured_result_get_device (result)->name, ==, "");
  g_assert_cmpstr (cured_result_get_device (result)->id, ==, "imported");
  /* Without a name, there is nothing to look up. */
  FAILS (cured_explain_find_machine (result, NULL, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND,
         "does not say which device");
  /* The file has them in the order of the search. */
  assert_axis (result, 0, "tile", CURED_PARAMETER_COMPILE, "8,16,32,64");
  assert_axis (result, 1, "blocks", CURED_PARAMETER_COMPILE, "1,2");
  assert_metric (result, "tile=32; blocks=2", "time", 450000);
  assert_metric (result, "tile=32; blocks=2", "time_samples", 3);
  assert_metric (result, "tile=32; blocks=2", "flop_rate", 100e9);
  g_autoptr (CuredOutcome) outcome = load_outcome (result, "tile=32; blocks=2");
  g_assert_cmpint (outcome->stage_ns[CURED_STAGE_CHECK], ==, 4000000);
  assert_finished (result, "tile=32; blocks=2", "2026-01-02T03:04:05Z");
  assert_metric (result, "tile=8; blocks=2", "time", 1500000);
  assert_metric (result, "tile=8; blocks=2", "compile_time", 200e6);
  assert_state (result, "tile=16; blocks=1", CURED_STATE_TIMED_OUT, "stopped");
  assert_state (result, "tile=16; blocks=2", CURED_STATE_FAILED, "compile");
  assert_state (result, "tile=8; blocks=1", CURED_STATE_FAILED, "run");
  assert_state (result, "tile=32; blocks=1", CURED_STATE_WRONG, "wrong");
  assert_state (result, "tile=64; blocks=1", CURED_STATE_NOT_LAUNCHABLE, "constraint");
  /* A failure has no time, whatever is recorded beside it. */
  assert_metric (result, "tile=8; blocks=1", "time", NAN);
}

/* Files that are not whole */

/* However much of a cache is there, its whole records are kept. */
TEST ("/import/cut")
{
  const char *folder = test_folder ();
  g_autofree char *text = read_sample ("kernel-tuner.json");
  gsize length = strlen (text);
  guint n_imported = 0;

  for (gsize cut = 0; cut < length; cut += cut < 600 ? 97 : 31)
    {
      g_autofree char *part = g_strndup (text, cut);
      g_autoptr (GError) error = NULL;
      gint64 n_whole = 0;

      for (const char *at = part; (at = strstr (at, "\": {\"tile\"")) != NULL; at++)
        n_whole += strchr (at, '}') != NULL;
      g_autoptr (CuredImport) import = import_text (folder, part, NULL, &error);
      if (n_whole == 0)
        {
          g_assert_null (import);
          g_assert_nonnull (error);
          g_assert_nonnull (strstr (error->message, "source.json"));
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpint (get_file (import, 0)->n_known, ==, n_whole);
      if (strstr (part, "\n}\n}") == NULL)
        {
          g_autoptr (CuredResult) result = load (import, 0);

          g_assert_true (has_note (import, "cut"));
          g_assert_false (cured_result_is_finished (result));
        }
      n_imported++;
    }
  g_assert_cmpuint (n_imported, >, 30);
}

/* Lines of two runs that wrote at once. */
TEST ("/import/broken")
{
  const char *folder = test_folder ();
  g_autofree char *text = read_sample ("kernel-tuner.json");
  g_autoptr (GString) broken = g_string_new (text);

  g_string_replace (broken, "\"32,2,False,2,row\": {", "\"32,2,False\n\"32,2", 1);
  g_autoptr (CuredImport) import = MUST (import_text (folder, broken->str, NULL, &fail));
  g_assert_cmpint (get_file (import, 0)->n_known, ==, 3);
  g_assert_true (has_note (import, "first 3 records"));
}

TEST ("/import/errors")
{
  static const struct
  {
    const char *text, *message;
  } cases[] = {
    { "", "empty" },
    { "   \n ", "not a file that" },
    { "benchmarks", "not a file that" },
    { "{}", "not a file that" },
    { "[\"benchmarks\"]", "not a file that" },
    { "SQLite format 3", "result file already" },
    { "{\"benchmarks\": [", "line 1: the file ends here" },
    { "{\n\"benchmarks\": \"", "line 2: the file ends here" },
    { "{\"benchmarks\": [}]}", "not JSON" },
    { "{\"benchmarks\": 7}", "benchmarks: expected a list" },
    { "{\"benchmarks\": null}", "no measurement" },
    { "{\"benchmarks\": [7]}", "benchmarks[0]: expected an object" },
    { "{\"benchmarks\": [{}]}", "benchmarks[0].name: expected" },
    { "{\"benchmarks\": [{\"name\": 7}]}", "benchmarks[0].name: expected" },
    { "{\"benchmarks\": [{\"name\": \"a\", \"states\": 7}]}",
      "benchmarks[0].states: expected a list" },
    { "{\"benchmarks\": [{\"name\": \"a\", \"states\": [null]}]}",
      "benchmarks[0].states[0]: expected an object" },
    { "{\"benchmarks\": [{\"name\": \"a\", \"states\": [{\"axis_values\": [{}]}]}]}",
      "benchmarks[0].states[0].axis_values[0].name: expected" },
    { "{\"benchmarks\": [{\"name\": \"a\", \"axes\": [{\"name\": \"b\", \"values\": [1]}], "
      "\"states\": [{}]}]}",
      "benchmarks[0].axes[0].values[0]: expected an object" },
    { "{\"benchmarks\": [], \"devices\": \"all\"}", "devices: expected" },
    { "{\"tune_params_keys\": [\"a\"]", "ends here" },
    { "{\"tune_params_keys\": [\"a\"]}", "before its first record" },
    { "{\"tune_params_keys\": [\"a\"], \"cache\": []}", "cache: expected an object" },
    { "{\"tune_params_keys\": [\"a\"], \"cache\": {}}", "no measurement" },
    { "{\"tune_params_keys\": [\"a\"], \"cache\": {\"1\": 2}}", "cache[“1”]: expected an object" },
    { "{\"tune_params_keys\": [1], \"cache\": {\"1\": {}}}",
      "tune_params_keys[0]: expected a parameter's name" },
    { "{\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": 1}, \"cache\": {\"1\": {\"a\": "
      "1}}}",
      "tune_params.a: expected a list" },
    { "{\"tune_params_keys\": [\"\"], \"cache\": {\"1\": {\"a\": 1}}}", "a parameter has no name" },
    { "{\"results\": [], \"configuration\": 1}", "no measurement" },
    { "{\"results\": [], \"configuration\": 1, \"metadata\": {\"timeunit\": \"jiffies\"}}",
      "“jiffies” is no unit" },
    { "{\"abort_condition\": 1, \"search_technique\": 2}", "pyATF" },
    { "{\"input\": [], \"tvm_version\": \"0.1\"}", "TVM" },
    { "{\"benchmarks\": [{\"runs\": [{\"values\": [0.1]}]}]}", "pyperf" },
    { "{\"op_code\": 0, \"worker_id\": \"a\"}", "Optuna" },
    { "tile,time_ms\n1,2\n1,2,3\n", "line 3: 3 fields" },
    { "{\"results\": [{\"configuration\": 1}]}", "results[0].configuration: expected an object" },
    { "{\"results\": [{\"x\": \"configuration\"}]}",
      "results[0].configuration: expected the values" },
  };
  const char *folder = test_folder ();
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredImport) import = import_text (folder, cases[i].text, NULL, &error);

      g_test_message ("%s", cases[i].text);
      g_assert_null (import);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      g_assert_nonnull (strstr (error->message, "source.json"));
      g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
    }
}

TEST ("/import/no-text")
{
  static const char nul[] = "{\"benchmarks\":\n\0[]}";
  static const char latin[] = "{\"benchmarks\": \"\xe4\"}";
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "source.json", NULL);
  g_autofree char *gone = g_build_filename (folder, "gone.json", NULL);

  g_assert_true (g_file_set_contents (path, nul, sizeof nul - 1, NULL));
  FAILS (cured_import_file (path, NULL, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "line 2");
  g_assert_true (g_file_set_contents (path, latin, sizeof latin - 1, NULL));
  FAILS (cured_import_file (path, NULL, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "UTF-8");
  FAILS (cured_import_file (gone, NULL, NULL, &fail), G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "");
  FAILS (cured_import_file (folder, NULL, NULL, &fail), CURED_ERROR, CURED_ERROR_FOREIGN, "");
}

/* The parser would call itself as often. */
TEST ("/import/deep")
{
  const char *folder = test_folder ();
  g_autoptr (GString) text = g_string_new ("{\"benchmarks\":\n");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 1000000; i++)
    g_string_append_c (text, i % 2 == 0 ? '[' : '{');
  g_assert_null (import_text (folder, text->str, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, "line 2"));
  g_assert_nonnull (strstr (error->message, "deep"));
}

/* Values of the wrong type are missing, and nothing else is. */
TEST ("/import/wrong-types")
{
  static const char text[] =
      "{\"tune_params_keys\": [\"a\", \"b\"], \"device_name\": 7, \"kernel_name\": null, "
      "\"problem_size\": {\"x\": 1}, \"objective\": [\"time\"], \"cache\": {\"1\": {\"a\": [1, "
      "{\"x\": 2}], \"b\": \"\", \"time\": \"0.25\", \"times\": \"many\", \"compile_time\": [], "
      "\"power\": true},\"2\": {\"a\": 1e300, \"time\": 1, \"times\": [null, \"x\", -5, 2]},\"3\": "
      "{\"a\": \"line\\nbreak\", \"b\": 99999999999999999999, \"time\": 3},\"4\": {\"time\": "
      "[]},\"4\": {\"a\": null, \"b\": null, \"time\": 4}}}";
  const char *folder = test_folder ();
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (CuredResult) result = load_text (folder, text, NULL, &import);

  g_assert_cmpstr (cured_result_get_title (result), ==, "kernel");
  assert_metric (result, "a=[1,{\"x\":2}]; b=\"\"", "time", 250000);
  assert_metric (result, "a=line\\u000abreak; b=99999999999999999999", "time", 3e6);
  assert_metric (result, "a=null; b=null", "time", 4e6);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 4);
}

/* Sizes */

/* A product of more points than a file can have: those that were measured are kept, and where they
 * are too many too, a part is asked for. */
TEST ("/import/large")
{
  static const char *const only[] = { "p0=1", "p1=1", "p2=1", NULL };
  static const char *const bad[] = { "p0", NULL };
  static const char *const nothing[] = { "p0=77", NULL };
  const char *folder = test_folder ();
  g_autoptr (GString) head = g_string_new ("{\"tune_params_keys\": [");
  g_autoptr (GString) lists = g_string_new ("], \"tune_params\": {");
  g_autoptr (GString) one = g_string_new (NULL);
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (CuredImport) import = NULL;
  gsize n_axes = 0;

  for (guint i = 0; i < 6; i++)
    {
      g_string_append_printf (head, "%s\"p%u\"", i > 0 ? "," : "", i);
      g_string_append_printf (lists, "%s\"p%u\": [", i > 0 ? "," : "", i);
      for (guint j = 0; j < 20; j++)
        g_string_append_printf (lists, "%s%u", j > 0 ? "," : "", j);
      g_string_append (lists, "]");
    }
  g_string_append_printf (head, "%s}, \"cache\": {", lists->str);
  for (guint j = 0; j < 20; j++)
    {
      g_string_append_printf (many, "%s\"%u\": {", j > 0 ? "," : "", j);
      for (guint i = 0; i < 6; i++)
        g_string_append_printf (many, "\"p%u\": %u, ", i, j);
      g_string_append_printf (many, "\"time\": %u}", j + 1);
    }
  g_string_append_printf (
      one,
      "%s\"a\": {\"p0\":1,\"p1\":1,\"p2\":1,\"p3\":1,\"p4\":1,\"p5\":1,\"time\":1},\"b\": "
      "{\"p0\":2,\"p1\":1,\"p2\":1,\"p3\":1,\"p4\":1,\"p5\":1,\"time\":1}}}",
      head->str);
  g_autoptr (CuredResult) result = load_text (folder, one->str, NULL, &import);
  g_assert_true (has_note (import, "were measured"));
  g_assert_cmpint (cured_result_get_n_cells (result), ==, 2);
  cured_result_get_axes (result, &n_axes);
  g_assert_cmpuint (n_axes, ==, 6);
  g_clear_object (&result);
  g_clear_pointer (&import, cured_import_free);

  g_string_append (head, many->str);
  g_string_append (head, "}}");
  FAILS (import_text (folder, head->str, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "--only p0=VALUE");
  result = load_text (folder, head->str, only, &import);
  g_assert_cmpint (cured_result_get_n_cells (result), ==, 1);
  g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);

  REFUSES (import_text (folder, head->str, nothing, &fail), "there are: ");
  FAILS (import_text (folder, head->str, bad, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
}

/* T4: one record with @n_first parameters, and @n_others with one of their own. */
static char *
make_axes (guint n_first, guint n_others)
{
  GString *text = g_string_new ("{\"results\": [{\"configuration\": {");

  for (guint i = 0; i < n_first; i++)
    g_string_append_printf (text, "%s\"a%u\": 1", i > 0 ? ", " : "", i);
  for (guint i = 0; i < n_others; i++)
    g_string_append_printf (text, "}}, {\"configuration\": {\"b%u\": 1", i);
  g_string_append (text, "}}]}");
  return g_string_free (text, FALSE);
}

TEST ("/import/many-axes")
{
  const char *folder = test_folder ();
  g_autofree char *most = make_axes (256, 0);
  g_autofree char *one_more = make_axes (257, 0);
  /* 20 GB, if all were read. */
  g_autofree char *many = make_axes (1, 100000);

  g_autoptr (CuredImport) import = MUST (import_text (folder, most, NULL, &fail));
  FAILS (import_text (folder, one_more, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "256 parameters");
  FAILS (import_text (folder, many, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "256 parameters");
}

/* How many samples an NVBench file in @folder gets of the side file @name. */
static guint
count_samples (const char *folder, const char *name)
{
  g_autofree char *text = g_strdup_printf (
      "{\"benchmarks\": [{\"name\": \"a\", \"states\": [{\"device\": 0, \"axis_values\": [], "
      "\"summaries\": [{\"tag\": \"nv/json/bin:nv/cold/sample_times\", \"data\": [{\"name\": "
      "\"filename\", \"value\": \"%s\"}, {\"name\": \"size\", \"value\": 2}]}, {\"tag\": "
      "\"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"value\": 0.001}]}]}]}]}",
      name);
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (CuredResult) result = load_text (folder, text, NULL, &import);
  g_autoptr (CuredOutcome) outcome = load_outcome (result, "");

  return outcome->cold != NULL ? outcome->cold->samples->len : 0;
}

static void
make_link (const char *folder, const char *name, const char *target)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

/* A side file may only refer to files in the folder of the file or below. */
TEST ("/import/side-files")
{
  static const float times[2] = { 0.001f, 0.002f };
  const char *folder = test_folder ();
  char *outside = make_folder ();
  g_autofree char *below = g_build_filename (folder, "a.json-bin", NULL);
  g_autofree char *own = g_build_filename (below, "0.bin", NULL);
  g_autofree char *secret = g_build_filename (outside, "0.bin", NULL);
  g_autofree char *up = g_build_filename ("..", secret, NULL);

  g_assert_cmpint (g_mkdir (below, 0700), ==, 0);
  g_assert_true (g_file_set_contents (own, (const char *) times, sizeof times, NULL));
  g_assert_true (g_file_set_contents (secret, (const char *) times, sizeof times, NULL));
  make_link (folder, "in.bin", own);
  make_link (folder, "out.bin", secret);
  make_link (folder, "out", outside);
  g_assert_cmpuint (count_samples (folder, "a.json-bin/0.bin"), ==, 2);
  g_assert_cmpuint (count_samples (folder, "/where/a.json-bin/0.bin"), ==, 2);
  g_assert_cmpuint (count_samples (folder, "in.bin"), ==, 2);
  g_assert_cmpuint (count_samples (folder, "out.bin"), ==, 0);
  g_assert_cmpuint (count_samples (folder, "out/0.bin"), ==, 0);
  g_assert_cmpuint (count_samples (folder, secret), ==, 0);
  g_assert_cmpuint (count_samples (folder, up), ==, 0);
}

/* NVBench: @n benchmarks of one name. */
static char *
make_benchmarks (guint n)
{
  GString *text = g_string_new ("{\"benchmarks\": [");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            "%s{\"name\": \"a\", \"states\": [{\"device\": 0, \"axis_values\": "
                            "[{\"name\": \"x\", \"value\": 1}], \"summaries\": []}]}",
                            i > 0 ? ", " : "");
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

/* Each of them would be a file. */
TEST ("/import/many-benchmarks")
{
  const char *folder = test_folder ();
  g_autofree char *few = make_benchmarks (3);
  g_autofree char *many = make_benchmarks (1001);
  g_autofree char *third = g_build_filename (folder, "out-a-3.cured", NULL);
  g_autofree char *fourth = g_build_filename (folder, "out-a-4.cured", NULL);

  g_autoptr (CuredImport) import = MUST (import_text (folder, few, NULL, &fail));
  g_assert_cmpstr (get_file (import, 2)->path, ==, third);
  FAILS (import_text (folder, many, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "--benchmark");
  g_assert_false (g_file_test (fourth, G_FILE_TEST_EXISTS));
}

/* T4 repeats points, and parameters that depend on others are not in all. */
TEST ("/import/repeated")
{
  static const char text[] =
      "{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\", "
      "\"measurements\": [{\"name\": \"time\", \"value\": 1, \"unit\": \"ms\"}, {\"name\": "
      "\"Weight\", \"value\": 5, \"unit\": \"kg\"}]},{\"configuration\": {\"a\": 2, \"b\": 7}, "
      "\"invalidity\": \"correct\", \"measurements\": [{\"name\": \"time\", \"value\": 2, "
      "\"unit\": \"ms\"}]},{\"configuration\": {\"a\": 1.0}, \"invalidity\": \"correct\", "
      "\"measurements\": [{\"name\": \"time\", \"value\": 3, \"unit\": \"ms\"}, {\"name\": "
      "\"time!\", \"value\": 4, \"unit\": \"\"}]}]}";
  const char *folder = test_folder ();
  gsize metric = 0;
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (CuredResult) result = load_text (folder, text, NULL, &import);

  assert_axis (result, 0, "a", CURED_PARAMETER_COMPILE, "1,2");
  assert_axis (result, 1, "b", CURED_PARAMETER_COMPILE, "7,null");
  assert_metric (result, "a=1; b=null", "time", 3e6);
  g_assert_false (cured_result_find_metric (result, "weight", &metric));
  assert_metric (result, "a=1; b=null", "time_", 4);
  assert_metric (result, "a=2; b=7", "time", 2e6);
  g_assert_true (has_note (import, "1 record is of a point"));
}

/* What becomes of the files */

TEST ("/import/overwrite")
{
  const char *folder = test_folder ();
  g_autofree char *path = sample_path ("t4.json");
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  g_autofree char *bad = g_build_filename (folder, "bad.json", NULL);
  g_autofree char *kept = NULL;
  CuredImportOptions options = { .out_path = out };
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint n_files = 0;

  g_assert_true (g_file_set_contents (out, "precious", -1, NULL));
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_STORAGE,
         "--force");

  options.overwrite = TRUE;
  g_cancellable_cancel (cancelled);
  FAILS (cured_import_file (path, &options, cancelled, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED,
         "");
  g_assert_true (g_file_set_contents (bad, "{\"results\": []}", -1, NULL));
  g_assert_null (cured_import_file (bad, &options, NULL, &error));
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (out, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "precious");

  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_clear_pointer (&import, cured_import_free);
  options.out_path = "/no/such/folder/out.cured";
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_STORAGE,
         "/no/such/folder/out.cured");

  /* Nothing is left beside it. */
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    n_files++;
  g_assert_cmpuint (n_files, ==, 2);
}

/* A person who agreed to replace one file was not asked about the files that several results make of its name. */
TEST ("/import/siblings")
{
  const char *folder = test_folder ();
  g_autofree char *path = sample_path ("nvbench.json");
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  CuredImportOptions options = { .out_path = out };
  g_autofree char *first = NULL, *last = NULL, *kept = NULL;

  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_assert_cmpuint (import->files->len, >, 1);
  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *file = get_file (import, i);

      g_assert_cmpint (g_unlink (file->path), ==, 0);
      g_free (i == 0 ? first : last);
      *(i == 0 ? &first : &last) = g_strdup (file->path);
    }
  g_clear_pointer (&import, cured_import_free);
  g_assert_true (g_file_set_contents (out, "agreed", -1, NULL));
  g_assert_true (g_file_set_contents (last, "precious", -1, NULL));

  options.overwrite_named = TRUE;
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_STORAGE, last);
  g_assert_true (g_file_get_contents (last, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "precious");
  /* All or none. */
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));

  /* The file itself goes. */
  options.benchmark = "transpose";
  options.device = "GPU Y";
  import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_assert_cmpstr (get_file (import, 0)->path, ==, out);
}

/* A name that is taken after all were looked at, here by a link to nothing, which no look at files
 * finds: it is not replaced either. */
TEST ("/import/taken")
{
  const char *folder = test_folder ();
  g_autofree char *path = sample_path ("t4.json");
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  const CuredImportOptions options = { .out_path = out };

  g_assert_cmpint (symlink ("elsewhere", out), ==, 0);
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_STORAGE, "");
  g_autofree char *target = g_file_read_link (out, NULL);
  g_assert_cmpstr (target, ==, "elsewhere");
}

TEST ("/import/choice")
{
  const char *folder = test_folder ();
  g_autofree char *path = sample_path ("nvbench.json");
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  CuredImportOptions options = { .out_path = out, .overwrite = TRUE };

  options.benchmark = "transpose";
  options.device = "GPU Y";
  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_assert_cmpuint (import->files->len, ==, 1);
  const CuredImportedFile *file = get_file (import, 0);
  g_assert_cmpstr (file->path, ==, out);
  g_assert_cmpstr (file->device, ==, "GPU Y");
  g_clear_pointer (&import, cured_import_free);

  options.benchmark = NULL;
  options.device = "0";
  import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_assert_cmpuint (import->files->len, ==, 2);
  g_clear_pointer (&import, cured_import_free);

  options.device = "7";
  REFUSES (cured_import_file (path, &options, NULL, &fail), "--device");
}

/* The kernel is not in it, so that nothing can be appended. */
TEST ("/import/resume")
{
  const char *folder = test_folder ();
  g_autoptr (CuredImport) import = import_sample (folder, "t4.json");
  const CuredImportedFile *file = get_file (import, 0);
  g_autoptr (CuredStore) store = MUST (cured_store_open (file->path, &fail));

  FAILS (cured_store_load_spec (store, &fail), CURED_ERROR, CURED_ERROR_INVALID, "imported (t4)");
}

/* Words in another order are the same, and so are numbers beside them. */
TEST ("/import/comparison")
{
  static const char form[] =
      "{\"tune_params_keys\": [\"a\", \"n\"], \"cache\": {\"1\": {\"a\": \"%s\", \"n\": 0.5, "
      "\"time\": %s},\"2\": {\"a\": \"%s\", \"n\": 0.5, \"time\": %s}}}";
  const char *folder = test_folder ();
  g_autofree char *text_a = g_strdup_printf (form, "row", "1", "column", "4");
  g_autofree char *text_b = g_strdup_printf (form, "column", "2", "row", "3");
  g_autoptr (CuredImport) import_a = NULL, import_b = NULL;
  g_autofree char *text_d = g_strdup_printf (form, "row", "1.004", "column", "4.03");
  g_autofree char *text_c = g_strdup_printf (form, "swizzled", "2", "row", "3");
  g_auto (CuredView) view = { 0 };

  g_autoptr (CuredResult) a = load_text (folder, text_a, NULL, &import_a);
  g_autoptr (CuredResult) b = load_text (folder, text_b, NULL, &import_b);
  g_autoptr (CuredComparison) comparison = MUST (cured_comparison_new (a, b, "time", &fail));
  g_assert_cmpuint (comparison->pairs->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const CuredPair *pair = &g_array_index (comparison->pairs, CuredPair, i);

      g_assert_cmpfloat_with_epsilon (pair->ratio, pair->cell_a == find_cell (a, "a=row") ? 3 : 0.5,
                                      1e-9);
    }
  g_clear_object (&b);
  g_clear_pointer (&import_b, cured_import_free);
  g_clear_pointer (&comparison, cured_comparison_free);

  /* Without samples, half a percent is the least that counts. */
  b = load_text (folder, text_d, NULL, &import_b);
  comparison = MUST (cured_comparison_new (a, b, "time", &fail));
  g_assert_cmpint (g_array_index (comparison->pairs, CuredPair, 0).verdict, ==, CURED_VERDICT_SAME);
  g_assert_cmpint (g_array_index (comparison->pairs, CuredPair, 1).verdict, ==,
                   CURED_VERDICT_WORSE);
  g_clear_object (&b);
  g_clear_pointer (&import_b, cured_import_free);

  /* A map of both has the words of both. */
  b = load_text (folder, text_c, NULL, &import_b);
  cured_view_init (&view, a);
  view.other = g_object_ref (b);
  g_autoptr (CuredGrid) grid = cured_grid_new (a, &view);
  g_autofree char *words = cured_axis_to_string (grid->x_values);
  g_assert_cmpstr (words, ==, "row,column,swizzled");
  g_assert_cmpfloat_with_epsilon (grid->values[0], 3, 1e-9);
  g_assert_true (isnan (grid->values[1]));
  g_assert_true (isnan (grid->values[2]));
  g_assert_cmpint (grid->states[1], ==, CURED_LOOK_ONLY_THIS);
  g_assert_cmpint (grid->states[2], ==, CURED_LOOK_ONLY_OTHER);
}

/* Everything that shows and writes results takes imported ones. */
TEST ("/import/views")
{
  static const char *const samples[] = { "nvbench.json", "kernel-tuner.json", "t4.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      const char *folder = test_folder ();
      g_autoptr (CuredImport) import = import_sample (folder, samples[i]);

      for (guint j = 0; j < import->files->len; j++)
        {
          g_autoptr (CuredResult) result = load (import, j);
          gsize n_formats = 0;
          const CuredExportFormat *formats = cured_export_formats (&n_formats);
          CuredView view;

          cured_view_init (&view, result);
          g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (result, &view);
          g_autofree char *map = cured_export_terminal (result, &view, 80, FALSE);
          g_assert_nonnull (map);
          for (gsize k = 0; k < n_formats; k++)
            {
              g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

              g_assert_true (MUST (
                  formats[k].write (drawing, &(CuredExportOptions){ 0 }, stream, NULL, &fail)));
              g_output_stream_close (stream, NULL, NULL);
              if (g_str_equal (formats[k].id, "csv"))
                {
                  g_autoptr (GBytes) bytes =
                      g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
                  gsize size = 0;
                  const char *data = g_bytes_get_data (bytes, &size);

                  g_assert_null (g_strstr_len (data, (gssize) size, ",not run,"));
                }
              if (g_str_equal (formats[k].id, "json"))
                {
                  g_autoptr (GBytes) bytes =
                      g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
                  g_autoptr (JsonParser) parser = json_parser_new ();
                  gsize size = 0;
                  const char *data = g_bytes_get_data (bytes, &size);

                  MUST (json_parser_load_from_data (parser, data, (gssize) size, &fail));
                  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
                  g_assert_cmpstr (json_object_get_string_member (root, "imported"), ==,
                                   import->format->id);
                  g_assert_false (json_object_has_member (root, "options"));
                }
            }
          cured_view_clear (&view);
        }
    }
}

/* What writers do that looks like something else. */
static const struct
{
  const char *name, *text;
  gint64 n_cells; /* of the last of its files */
  const char *point, *metric;
  double value;
} writers[] = {
  /* Bandwidths repeat. */
  { "triton-report",
    "size,Triton,Torch\n4096.000000,9.600000,9.600000\n8192.000000,9.600000,19.200000\n"
    "16384.000000,38.400000,38.400000\n",
    3, "size=8192", "triton", 9.6 },
  /* Fractions that are parameters. */
  { "fractions", "size,scale,speed\n4096,0.50,9.60\n8192,0.50,19.20\n", 2, "size=8192; scale=0.5",
    "speed", 19.2 },
  { "nvbench-benchmarks",
    "Benchmark,Device,Device Name,N,Skipped,Samples,CPU Time (sec),Noise,GPU Time "
    "(sec),Rows,Ratio\n"
    "copy,0,GPU X,32,No,9,1e-3,0.1,2e-3,,\nrows,0,GPU X,,No,9,1e-3,0.1,3e-3,64,0.5\n"
    "rows,0,GPU X,,No,9,1e-3,0.1,4e-3,128,0.25\n",
    2, "Rows=128", "ratio", 0.25 },
  { "google-complexity",
    "{\"context\": {}, \"benchmarks\": [{\"run_name\": \"BM_f/8\", \"run_type\": \"iteration\", "
    "\"real_time\": 5, \"time_unit\": \"us\"}, {\"run_name\": \"BM_f\", \"run_type\": "
    "\"aggregate\", \"aggregate_name\": \"BigO\", \"real_coefficient\": 2, \"time_unit\": "
    "\"us\"}, {\"run_name\": \"BM_f\", \"aggregate_name\": \"RMS\", \"rms\": 0.1}]}",
    1, "", "time", 5000 },
  { "clblast-arguments",
    "{\"arg_m\": \"1024\", \"kernel_family\": \"xgemm\", \"results\": [{\"kernel\": \"Xgemm\", "
    "\"time\": 2, \"parameters\": {\"MWG\": 32}}]}",
    1, "arg_m=1024; MWG=32", "time", 2000000 },
  { "parameter-after", "name,median [ms],min [ms],tile\nk,0.5,0.4,8\nk,0.75,0.7,16\n", 2, "tile=16",
    "time", 750000 },
  { "verdict", "tile,time_us,correct\n8,5,False\n16,6,True\n32,7,1\n", 3, "tile=8", "time", NAN },
  { "verdict-json",
    "[{\"t\": 8, \"time_us\": 5, \"correct\": false}, "
    "{\"t\": 9, \"time_us\": 6, \"correct\": true}]",
    2, "t=8", "time", NAN },
  { "cutlass-unverified",
    "Provider,Operation,Disposition,Status,m,cta_m,Runtime,GB/s,GFLOPs\n"
    "CUTLASS,gemm,not_run,success,64,128,0.5,1,2\n",
    1, "cta_m=128", "time", 500000 },
};

TEST_ROWS ("/import/writers/%s", writers)
{
  const typeof (writers[0]) *row = data;
  g_autoptr (CuredImport) import = MUST (import_text (test_folder (), row->text, NULL, &fail));
  g_autoptr (CuredResult) result = load (import, import->files->len - 1);

  g_assert_cmpint (cured_result_get_n_cells (result), ==, row->n_cells);
  assert_metric (result, row->point, row->metric, row->value);
}

/* As tools and people write units of time. */
static const struct
{
  const char *name;
  double ns; /* 0: refused */
} time_units[] = {
  { "seconds", 1e9 },       { "Sec", 1e9 },         { "s", 1e9 },
  { "milliseconds", 1e6 },  { "miliseconds", 1e6 }, { "milisecond", 1e6 },
  { "Milli-seconds", 1e6 }, { "msecs", 1e6 },       { "Microseconds", 1e3 },
  { "mircoseconds", 1e3 },  { "\u00b5s", 1e3 },     { "usec", 1e3 },
  { "nano seconds", 1 },    { "nanosec", 1 },       { "m", 0 },
  { "cycles", 0 },          { "minutes", 0 },       { "mills", 0 },
};

TEST_ROWS ("/import/time-unit/%s", time_units)
{
  const char *folder = test_folder ();
  const typeof (time_units[0]) *row = data;
  g_autofree char *text = g_strdup_printf (
      "{\"metadata\": {\"timeunit\": \"%s\"}, \"results\": [{\"configuration\": {\"x\": 1}, "
      "\"times\": {\"runtimes\": [2]}, \"invalidity\": \"correct\"}]}",
      row->name);

  if (row->ns == 0)
    {
      FAILS (import_text (folder, text, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
             "expected s, ms, us or ns");
      return;
    }
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (CuredResult) result = load_text (folder, text, NULL, &import);
  assert_metric (result, "x=1", "time", 2 * row->ns);
}

/* Two files of a cache folder, tuned for other arguments, are one map. */
TEST ("/import/triton-key")
{
  const char *folder = test_folder ();
  const char *const texts[] = {
    "{\"key\": [1024, true, \"torch.float16\", \"torch.float16\"], \"configs_timings\": "
    "[[{\"kwargs\": {\"B\": 64}, \"num_warps\": 4, \"maxnreg\": null}, [0.5, 0.4, 0.6]], "
    "[{\"kwargs\": {\"B\": 128}, \"num_warps\": 4, \"maxnreg\": null}, "
    "[Infinity, Infinity, Infinity]]]}",
    "{\"key\": [4096, true, \"torch.float16\", \"torch.float32\"], \"configs_timings\": "
    "[[{\"kwargs\": {\"B\": 64}, \"num_warps\": 4, \"maxnreg\": null}, [0.7, 0.6, 0.8]]]}",
  };
  g_autofree char *first = g_build_filename (folder, "a.autotune.json", NULL);
  g_autofree char *second = g_build_filename (folder, "b.autotune.json", NULL);
  g_autofree char *out = g_build_filename (folder, "out.cured", NULL);
  const char *const paths[] = { second, first, NULL };
  const CuredImportOptions options = { .out_path = out };

  g_assert_true (g_file_set_contents (first, texts[0], -1, NULL));
  g_assert_true (g_file_set_contents (second, texts[1], -1, NULL));
  g_autoptr (CuredImport) import = MUST (cured_import_files (paths, &options, NULL, &fail));
  g_autoptr (CuredResult) result = load (import, 0);
  assert_axis (result, 0, "key0", CURED_PARAMETER_PROBLEM, "1024,4096");
  assert_axis (result, 1, "key1", CURED_PARAMETER_PROBLEM, "True");
  const char *const same = "key0=1024; B=64; types=float16,float16";
  assert_metric (result, same, "time", 500000);
  assert_metric (result, "key0=4096; B=64; types=float16,float32", "time", 700000);
  assert_state (result, "key0=1024; B=128; types=float16,float16", CURED_STATE_FAILED, "");
}

/* Without a name to write to, the result is written beside its source. */
TEST ("/import/default-path")
{
  const char *folder = test_folder ();
  g_autofree char *text = read_sample ("t4.json");
  g_autofree char *path = g_build_filename (folder, "tuned.json", NULL);
  g_autofree char *expected = g_build_filename (folder, "tuned.cured", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_autoptr (CuredImport) import = MUST (cured_import_file (path, NULL, NULL, &fail));
  g_assert_cmpstr (get_file (import, 0)->path, ==, expected);
}

static void
write_compressed (const char *path, const char *text, gsize length)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GConverter) converter =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9));
  g_autoptr (GOutputStream) raw =
      G_OUTPUT_STREAM (MUST (g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, &fail)));
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (raw, converter);

  MUST (g_output_stream_write_all (stream, text, length, NULL, NULL, &fail));
  MUST (g_output_stream_close (stream, NULL, &fail));
}

/* A small file takes little memory, however large it says that it is. */
TEST ("/import/unpacked")
{
  g_autofree char *path = g_build_filename (test_folder (), "rows.csv.gz", NULL);
  g_autofree char *out = g_build_filename (test_folder (), "rows.cured", NULL);
  const CuredImportOptions options = { .out_path = out, .overwrite = TRUE };
  g_autoptr (GString) text = g_string_new ("tile,time_ms\n");

  while (text->len < 12 << 20)
    g_string_append (text, "                 \n");
  g_string_append (text, "8,1\n16,2\n");
  write_compressed (path, text->str, text->len);
  g_autoptr (CuredImport) import = MUST (cured_import_file (path, &options, NULL, &fail));
  g_assert_cmpint (get_file (import, 0)->n_cells, ==, 2);
  while (text->len < 17 << 20)
    g_string_append (text, "                 \n");
  write_compressed (path, text->str, text->len);
  FAILS (cured_import_file (path, &options, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "100 times");
}

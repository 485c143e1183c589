/* SPDX-License-Identifier: MIT
 * Whole programs on the emulator: those of tests/data/exec are built with nvcc, where that is
 * there, and run by the command. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"

static char *folder; /* where programs are built and run */

/* ---- Programs ---- */

static char *
find_source (const char *name)
{
  return g_build_filename (g_getenv ("CURED_TEST_DATA"), "exec", name, NULL);
}

/* @line: of nvcc, without the sources; each of @sources is a file of tests/data/exec. FALSE: the
 * test was skipped. */
static gboolean
build (const char *name, const char *line, const char *const *sources)
{
  g_autofree char *nvcc = g_find_program_in_path ("nvcc");
  g_autofree char *output = g_build_filename (folder, name, NULL);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) options = NULL;
  g_autofree char *text = NULL;
  int status = 0;

  if (nvcc == NULL)
    {
      g_test_skip ("no nvcc");
      return FALSE;
    }
  if (g_file_test (output, G_FILE_TEST_EXISTS))
    return TRUE;
  g_ptr_array_add (words, g_strdup (nvcc));
  g_assert_true (MUST (g_shell_parse_argv (line, NULL, &options, &fail)));
  for (gsize i = 0; options[i] != NULL; i++)
    g_ptr_array_add (words, g_strdup (options[i]));
  g_ptr_array_add (words, g_strdup ("-o"));
  g_ptr_array_add (words, g_strdup (output));
  for (gsize i = 0; sources[i] != NULL; i++)
    g_ptr_array_add (words, find_source (sources[i]));
  g_ptr_array_add (words, NULL);
  g_assert_true (MUST (g_spawn_sync (folder, (char **) words->pdata, NULL, G_SPAWN_DEFAULT, NULL,
                                     NULL, NULL, &text, &status, &fail)));
  if (status != 0)
    g_test_message ("%s", text);
  g_assert_cmpint (status, ==, 0);
  return TRUE;
}

/* Of a program that was built, with words for its command line; the report as JSON. */
static JsonObject *
run (const char *options, const char *command, int *status, char **said)
{
  g_autofree char *line =
      g_strdup_printf ("'%s' exec --json %s -- ./%s", g_getenv ("CURED_PROGRAM"), options, command);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;

  g_assert_true (g_shell_parse_argv (line, NULL, &words, &error));
  g_subprocess_launcher_set_cwd (launcher, folder);
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &fail));
  MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, &fail));
  g_assert_true (g_subprocess_get_if_exited (process));
  *status = g_subprocess_get_exit_status (process);
  g_autoptr (JsonNode) root = json_from_string (out, &error);
  if (error != NULL)
    g_test_message ("%s\n%s", out, err);
  g_assert_no_error (error);
  if (said != NULL)
    *said = g_steal_pointer (&err);
  return json_object_ref (json_node_get_object (root));
}

/* The line of a source that has @mark; @nth from 0. 0: none. */
static gint64
get_line_of (const char *source, const char *mark, gint64 wanted)
{
  g_autofree char *path = find_source (source);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gint64 i = 0; lines[i] != NULL; i++)
    if (i + 1 == wanted && strstr (lines[i], mark) != NULL)
      return wanted;
  return 0;
}

/* ---- Faults ---- */

typedef struct
{
  const char *name;
  const char *kind; /* nullable: nothing is found */
  const char *object;
  const char *error; /* what the program sees in the end; nullable: it dies */
  guint n_leaks;
} Fault;

static const Fault faults[] = {
  { "bounds", "out-of-bounds", "a[1000]", "cudaErrorIllegalAddress", 0 },
  { "bounds-twin", NULL, NULL, "cudaSuccess", 0 },
  { "race", "race-shared", NULL, "cudaSuccess", 0 },
  { "race-twin", NULL, NULL, "cudaSuccess", 0 },
  { "undefined", "unwritten", "a[0]", "cudaSuccess", 0 },
  { "undefined-twin", NULL, NULL, "cudaSuccess", 0 },
  { "copied", "unwritten", "b", "cudaSuccess", 0 },
  { "copied-twin", NULL, NULL, "cudaSuccess", 0 },
  { "copied-last", "unwritten", "a", "cudaSuccess", 0 },
  { "copied-odd", "unwritten", "a", "cudaSuccess", 0 },
  { "copied-padding-twin", NULL, NULL, "cudaSuccess", 0 },
  { "freed", "heap", "b[0]", "cudaErrorIllegalAddress", 0 },
  { "freed-twin", NULL, NULL, "cudaSuccess", 0 },
  { "twice", "heap", "b", "cudaSuccess", 0 },
  { "beyond", "out-of-bounds", "a", "cudaSuccess", 0 },
  { "touched", "out-of-bounds", NULL, NULL, 2 },
  { "leaked", NULL, NULL, "cudaSuccess", 1 },
  { "streams", "race-global", "a", "cudaSuccess", 0 },
  { "streams-event-twin", NULL, NULL, "cudaSuccess", 0 },
  { "streams-wait-twin", NULL, NULL, "cudaSuccess", 0 },
  { "streams-query-twin", NULL, NULL, "cudaSuccess", 0 },
  { "streams-halves-twin", NULL, NULL, "cudaSuccess", 0 },
  { "streams-copy-apart", "race-global", "a", "cudaSuccess", 0 },
  { "streams-copy-apart-wait-twin", NULL, NULL, "cudaSuccess", 0 },
  { "streams-copy-twin", NULL, NULL, "cudaSuccess", 0 },
};

TEST_ROWS ("/exec/fault/%s", faults)
{
  const Fault *fault = data;
  g_autofree char *command = g_strconcat ("faults ", fault->name, NULL);
  g_autofree char *said = NULL;
  gboolean is_found = FALSE;
  int status = 0;

  if (!build ("faults", "-g -lineinfo", (const char *[]){ "faults.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("", command, &status, &said);
  JsonArray *findings = json_object_get_array_member (report, "findings");
  for (guint i = 0; i < json_array_get_length (findings); i++)
    {
      JsonObject *finding = json_array_get_object_element (findings, i);
      JsonObject *here = json_object_get_object_member (finding, "here");
      const char *kind = json_object_get_string_member (finding, "kind");
      g_autofree char *mark = g_strconcat ("// finds: ", kind, NULL);

      g_assert_nonnull (fault->kind);
      if (!g_str_equal (kind, fault->kind))
        continue;
      is_found = TRUE;
      if (fault->object != NULL)
        g_assert_cmpstr (json_object_get_string_member (finding, "object"), ==, fault->object);
      g_assert_cmpint (get_line_of ("faults.cu", mark, json_object_get_int_member (here, "line")),
                       >, 0);
    }
  g_assert_cmpint (is_found, ==, fault->kind != NULL);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "never_freed")),
                    ==, fault->n_leaks);
  if (fault->error != NULL)
    {
      g_assert_nonnull (strstr (said, fault->error));
      g_assert_cmpint (json_object_get_int_member (report, "status"), ==, 3);
    }
  else
    g_assert_cmpint (json_object_get_int_member (report, "status"), ==, 128 + SIGSEGV);
  g_assert_cmpint (status, ==, fault->kind != NULL ? 1 : 3);
}

/* An access out of bounds that the program does not see. */
TEST ("/exec/fault/keep-going")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("faults", "-g -lineinfo", (const char *[]){ "faults.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("--keep-going", "faults bounds", &status, &said);
  g_assert_cmpint (status, ==, 1);
  g_assert_nonnull (strstr (said, "cudaSuccess"));
}

/* A column of another block's tile, where conflicts are looked for. */
TEST ("/exec/remote")
{
  int status = 0;

  if (!build ("remote", "-arch=sm_90", (const char *[]){ "remote.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("--banks", "remote", &status, NULL);
  JsonArray *findings = json_object_get_array_member (report, "findings");
  g_assert_cmpint (json_object_get_int_member (report, "status"), ==, 0);
  g_assert_cmpuint (json_array_get_length (findings), ==, 1);
  JsonObject *finding = json_array_get_object_element (findings, 0);
  g_assert_cmpstr (json_object_get_string_member (finding, "kind"), ==, "bank-conflict");
  g_assert_nonnull (strstr (json_object_get_string_member (finding, "detail"),
                            "32 remote sectors per access, where 4 is ideal"));
}

/* One is one. */
TEST ("/exec/summary")
{
  g_autofree char *text = NULL;
  const char *words[] = { g_getenv ("CURED_PROGRAM"), "exec", "./faults", "bounds", NULL };
  int status = 0;

  if (!build ("faults", "-g -lineinfo", (const char *[]){ "faults.cu", NULL }))
    return;
  g_assert_true (MUST (g_spawn_sync (folder, (char **) words, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                     &text, NULL, &status, &fail)));
  g_assert_nonnull (strstr (text, "\n1 launch, "));
  g_assert_nonnull (strstr (text, ": 1 finding\n"));
}

/* ---- The runtime ---- */

static const char *const groups[] = {
  "symbols", "memory", "streams",  "launches", "device-side",
  "device",  "graphs", "textures", "devices",
};

TEST_ROWS ("/exec/group/%s", groups)
{
  g_autofree char *command = g_strconcat ("groups ", *(const char *const *) data, NULL);
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("groups", "-g -lineinfo -arch=sm_90", (const char *[]){ "groups.cu", NULL }))
    return;
  g_autoptr (JsonObject) report =
      run (g_str_equal (*(const char *const *) data, "devices") ? "--all --devices 2" : "--all",
           command, &status, &said);
  if (status != 0)
    g_test_message ("%s", said);
  g_assert_cmpint (status, ==, 0);
  g_assert_nonnull (strstr (said, "as it should be"));
  JsonArray *findings = json_object_get_array_member (report, "findings");
  g_assert_cmpuint (json_array_get_length (findings), ==, 0);
  if (g_str_equal (*(const char *const *) data, "device-side"))
    g_assert_nonnull (strstr (said, "block 0, thread 0\nblock 1, thread 0\n"));
}

/* clang-format off */
/* What the report says of how far results and counts can be relied on. */
static const struct
{
  const char *word, *options, *has, *lacks;
} fidelities[] = {
  { "exact",       "",                  "to the bit.",                           "approximat" },
  { "exact",       "",                  "to the bit.",                           "Bank conflicts" },
  { "approximate", "",                  "to the bit.",                           "approximat" },
  { "approximate", "-d emulator:sm_80", "Those of ex2 are approximations",       "not counted" },
  { "exact",       "-d emulator:sm_80", "not confirmed on an sm_80.",            "approximat" },
  { "unruled",     "",                  "Bank conflicts of atom are not counted", "not confirmed" },
};
/* clang-format on */

TEST ("/exec/fidelity")
{
  for (gsize i = 0; i < G_N_ELEMENTS (fidelities); i++)
    {
      g_autofree char *command = g_strdup_printf ("fidelity %s", fidelities[i].word);
      int status = 0;

      if (!build ("fidelity", "-arch=compute_80", (const char *[]){ "fidelity.cu", NULL }))
        return;
      g_autoptr (JsonObject) report = run (fidelities[i].options, command, &status, NULL);
      const char *fidelity = json_object_get_string_member (report, "fidelity");

      g_assert_cmpint (status, ==, 0);
      g_assert_nonnull (strstr (fidelity, fidelities[i].has));
      g_assert_null (strstr (fidelity, fidelities[i].lacks));
    }
}

/* Kernels launch kernels, and say what a graph does. Its two parts define some things alike. */
TEST ("/exec/nested")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("nested", "-rdc=true -arch=sm_90 -lcudadevrt",
              (const char *[]){ "nested.cu", "nested-conditions.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("--all", "nested", &status, &said);
  if (status != 0)
    g_test_message ("%s", said);
  g_assert_cmpint (status, ==, 0);
  g_assert_nonnull (strstr (said, "as it should be"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "findings")), ==,
                    0);
  /* What a graph owns is not its program's to free. */
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "never_freed")),
                    ==, 0);
  /* Of parents 3, and what each of them launched; then 1, and twice 7 steps of 3 launches, but for
   * numbers that the switch has no case for. */
  g_assert_cmpint (json_object_get_int_member (report, "launches"), ==, 3 + 9 + 1 + 2 * (21 - 2));
}

/* All ways to build a program that runs, and those that are told what to do. */
typedef struct
{
  const char *name, *line, *sources[3];
  const char *says; /* nullable: of the notes, where it does not run */
} Kind;

static const Kind kinds[] = {
  { "shared", "-cudart shared", { "parts.cu", "parts-kernel.cu" }, NULL },
  { "static", "", { "parts.cu", "parts-kernel.cu" }, NULL },
  { "lineinfo", "-g -lineinfo", { "parts.cu", "parts-kernel.cu" }, NULL },
  { "plain", "-no-compress", { "parts.cu", "parts-kernel.cu" }, NULL },
  { "lz4", "-compress-mode=speed", { "parts.cu", "parts-kernel.cu" }, NULL },
  { "machine-code",
    "-gencode arch=compute_90,code=sm_90",
    { "parts.cu", "parts-kernel.cu" },
    "-gencode arch=compute_90,code=compute_90" },
  { "stripped", "-Xlinker -s", { "parts.cu", "parts-kernel.cu" }, "-cudart shared" },
};

TEST_ROWS ("/exec/kind/%s", kinds)
{
  const Kind *kind = data;
  g_autofree char *name = g_strconcat ("parts-", kind->name, NULL);
  g_autofree char *line = g_strconcat ("-rdc=true ", kind->line, NULL);
  g_autofree char *said = NULL;
  int status = 0;

  if (!build (name, line, kind->sources))
    return;
  g_autoptr (JsonObject) report = run ("", name, &status, &said);
  JsonArray *notes = json_object_get_array_member (report, "notes");
  if (kind->says == NULL)
    {
      if (json_array_get_length (notes) > 0)
        g_test_message ("%s", json_array_get_string_element (notes, 0));
      g_assert_nonnull (strstr (said, "as it should be"));
      g_assert_cmpint (status, ==, 0);
      g_assert_cmpint (json_object_get_int_member (report, "launches"), ==, 1);
      return;
    }
  g_assert_null (strstr (said, "as it should be"));
  g_assert_cmpuint (json_array_get_length (notes), >, 0);
  g_assert_nonnull (strstr (json_array_get_string_element (notes, 0), kind->says));
}

/* Exit code of “cured check” of all kernel files in a folder. */
static int
check_saved (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *out = NULL;
  const char *file = NULL;
  int status = 0;

  g_assert_nonnull (dir);
  g_ptr_array_add (words, g_strdup (g_getenv ("CURED_PROGRAM")));
  g_ptr_array_add (words, g_strdup ("check"));
  while ((file = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (file, ".kernel"))
      g_ptr_array_add (words, g_build_filename (path, file, NULL));
  g_assert_cmpuint (words->len, >, 2);
  g_ptr_array_add (words, NULL);
  g_assert_true (g_spawn_sync (NULL, (char **) words->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                               &out, NULL, &status, NULL));
  g_test_message ("%s", out);
  return WEXITSTATUS (status);
}

static guint
count_kernels (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *file = NULL;
  guint n = 0;

  while ((file = g_dir_read_name (dir)) != NULL)
    n += g_str_has_suffix (file, ".kernel");
  return n;
}

/* For a program that shows how far it is: lines, and the report last, which names each kernel's
 * file. */
TEST ("/exec/progress")
{
  g_autofree char *out = NULL;
  g_autofree char *path = g_build_filename (folder, "groups", NULL);
  g_autofree char *saved = g_build_filename (folder, "progress", NULL);
  const char *const words[] = { g_getenv ("CURED_PROGRAM"),
                                "exec",
                                "--json",
                                "--progress",
                                "json",
                                "--save",
                                saved,
                                path,
                                "memory",
                                NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonArray *kernels;
  char *rest;
  guint n = 0;
  gint64 last = -1;

  if (!build ("groups", "-g -lineinfo -arch=sm_90", (const char *[]){ "groups.cu", NULL }))
    return;
  g_assert_true (g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               &out, NULL, NULL, NULL));
  for (rest = out; g_str_has_prefix (rest, "{\"launches\""); rest = strchr (rest, '\n') + 1, n++)
    {
      g_autofree char *line = g_strndup (rest, (gsize) (strchr (rest, '\n') - rest));
      g_autoptr (JsonNode) node = json_from_string (line, &error);
      gint64 launches;

      g_assert_no_error (error);
      launches = json_object_get_int_member (json_node_get_object (node), "launches");
      g_assert_cmpint (launches, >=, last);
      last = launches;
    }
  g_assert_cmpuint (n, >, 0);
  json_parser_load_from_data (parser, rest, -1, &error);
  g_assert_no_error (error);
  kernels = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                          "kernels");
  g_assert_cmpuint (json_array_get_length (kernels), >, 0);
  for (guint i = 0; i < json_array_get_length (kernels); i++)
    g_assert_true (g_file_test (
        json_object_get_string_member (json_array_get_object_element (kernels, i), "file"),
        G_FILE_TEST_IS_REGULAR));
}

/* Launches become kernel files that come to the same. Those of one run replace those of another,
 * and nothing else. */
TEST ("/exec/saved")
{
  static const char *const commands[] = { "groups symbols", "groups memory", "groups launches",
                                          "groups structs" };
  g_autofree char *own = g_build_filename (folder, "launches", "own.cured", NULL);
  g_autofree char *after = g_build_filename (folder, "launches", "turn.data.after.bin", NULL);
  g_autofree char *bytes = NULL;
  gsize size = 0;

  if (!build ("groups", "-g -lineinfo -arch=sm_90", (const char *[]){ "groups.cu", NULL }))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      int status = 0;

      g_autoptr (JsonObject) report = run ("--save launches", commands[i], &status, NULL);
      JsonArray *saved = json_object_get_array_member (report, "saved");
      g_assert_cmpint (status, ==, 0);
      g_assert_cmpuint (json_array_get_length (saved), >, 0);
      g_assert_cmpint (check_saved ("launches"), ==, 0);
      g_assert_cmpuint (count_kernels ("launches"), ==, json_array_get_length (saved));
      g_assert_true (i > 0 ? g_file_test (own, G_FILE_TEST_EXISTS)
                           : g_file_set_contents (own, "", 0, NULL));
      if (!g_file_test (after, G_FILE_TEST_EXISTS))
        continue;
      /* What a launch came to is looked at. */
      g_assert_true (g_file_get_contents (after, &bytes, &size, NULL));
      bytes[size / 2] ^= 1;
      g_assert_true (g_file_set_contents (after, bytes, (gssize) size, NULL));
      g_clear_pointer (&bytes, g_free);
      g_assert_cmpint (check_saved ("launches"), ==, 1);
    }
  g_assert_cmpuint (size, >, 0);
}

/* No more than was asked for, and a note says so. */
TEST ("/exec/saved/limit")
{
  g_autofree char *path = g_build_filename (folder, "few", NULL);
  const char *name = NULL;
  gsize n_bytes = 0;
  int status = 0;

  if (!build ("groups", "-g -lineinfo -arch=sm_90", (const char *[]){ "groups.cu", NULL }))
    return;
  g_autoptr (JsonObject) report =
      run ("--save few --save-limit 1", "groups structs", &status, NULL);
  JsonArray *notes = json_object_get_array_member (report, "notes");
  g_assert_cmpuint (json_array_get_length (notes), >, 0);
  g_assert_nonnull (strstr (json_array_get_string_element (notes, 0), "1 MiB"));
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      GStatBuf info;

      g_assert_cmpint (g_stat (file, &info), ==, 0);
      n_bytes += (gsize) info.st_size;
    }
  g_assert_cmpuint (n_bytes, <, (1 << 20) + 4096);
}

/* Where a grid follows from a length and the block, the kernel file sweeps both. */
TEST ("/exec/derived")
{
  g_autofree char *path = g_build_filename (folder, "lengths", "triple.kernel", NULL);
  g_autofree char *result = g_build_filename (folder, "lengths", "triple.cured", NULL);
  const char *const words[] = { g_getenv ("CURED_PROGRAM"),
                                "run",
                                path,
                                "--device",
                                "emulator:sm_90",
                                "--sweep",
                                "-o",
                                result,
                                NULL };
  g_autofree char *text = NULL, *out = NULL;
  int status = 0;

  if (!build ("groups", "-g -lineinfo -arch=sm_90", (const char *[]){ "groups.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("--save lengths", "groups lengths", &status, NULL);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "# Derived from 2 launches"));
  g_assert_nonnull (strstr (text, "n=625,1250,2500,5000"));
  g_assert_cmpint (check_saved ("lengths"), ==, 0);
  g_assert_true (g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                               &status, NULL));
  g_test_message ("%s", out);
  g_assert_nonnull (strstr (out, "20 ok"));
}

/* A library that is loaded later, with a runtime that is linked into it. */
TEST ("/exec/late")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("late.so", "-shared -Xcompiler -fPIC", (const char *[]){ "late.cu", NULL }) ||
      !build ("late-main", "-cudart none -ldl", (const char *[]){ "late-main.cpp", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("", "late-main", &status, &said);
  g_assert_nonnull (strstr (said, "as it should be"));
  g_assert_cmpint (json_object_get_int_member (report, "launches"), ==, 1);
}

/* One whose runtime can't be caught: the loader hears of it while it works, and goes on. */
TEST ("/exec/late/stripped")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("closed.so", "-shared -Xcompiler -fPIC -Xlinker -s",
              (const char *[]){ "late.cu", NULL }) ||
      !build ("late-main", "-cudart none -ldl", (const char *[]){ "late-main.cpp", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("", "late-main ./closed.so", &status, &said);
  JsonArray *notes = json_object_get_array_member (report, "notes");
  g_assert_nonnull (strstr (said, "wrong"));
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpuint (json_array_get_length (notes), ==, 1);
  g_assert_nonnull (strstr (json_array_get_string_element (notes, 0), "closed.so has"));
}

/* The order between streams is that of the runtime's. */
TEST ("/exec/driver")
{
  static const struct
  {
    const char *command;
    gint64 n_launches;
    gboolean is_found;
  } rows[] = { { "driver", 1, FALSE },
               { "driver apart", 3, TRUE },
               { "driver ordered", 3, FALSE } };

  if (!build ("driver", "-cudart none -ldl", (const char *[]){ "driver.cpp", NULL }))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *said = NULL;
      int status = 0;

      g_autoptr (JsonObject) report = run ("", rows[i].command, &status, &said);
      JsonArray *findings = json_object_get_array_member (report, "findings");
      g_assert_nonnull (strstr (said, "as it should be"));
      g_assert_cmpint (status, ==, rows[i].is_found);
      g_assert_cmpint (json_object_get_int_member (report, "launches"), ==, rows[i].n_launches);
      g_assert_cmpuint (json_array_get_length (findings), ==, rows[i].is_found);
    }
}

TEST ("/exec/thrust")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!g_test_slow ())
    {
      g_test_skip ("nvcc takes half a minute; -m slow");
      return;
    }
  if (!build ("thrust", "-g -lineinfo -arch=sm_90", (const char *[]){ "thrust.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("--all", "thrust", &status, &said);
  g_assert_nonnull (strstr (said, "as it should be"));
  g_assert_cmpint (status, ==, 0);
}

/* Textures and surfaces give what a GPU gave, which tests/data/exec/textures.txt has. */
TEST ("/exec/textures")
{
  g_autofree char *path = find_source ("textures.txt");
  g_autofree char *text = NULL, *said = NULL;
  int status = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  if (!build ("textures", "-arch=sm_90", (const char *[]){ "textures.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("", "textures", &status, &said);
  g_assert_cmpint (status, ==, 0);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && lines[i][0] != '#' && strstr (said, lines[i]) == NULL)
      {
        g_test_message ("not given: %s", lines[i]);
        g_test_fail ();
      }
}

TEST ("/exec/missing")
{
  g_autofree char *said = NULL;
  int status = 0;

  if (!build ("missing", "-g", (const char *[]){ "missing.cu", NULL }))
    return;
  g_autoptr (JsonObject) report = run ("", "missing", &status, &said);
  JsonArray *notes = json_object_get_array_member (report, "notes");
  g_assert_nonnull (strstr (said, "cudaErrorNotSupported"));
  g_assert_cmpuint (json_array_get_length (notes), ==, 1);
  g_assert_nonnull (strstr (json_array_get_string_element (notes, 0), "missing.cu:10"));
}

/* ---- Drafts of what was recorded ---- */

/* Of recorded.cu; its text, without the code. NULL: the test was skipped. */
static char *
draft (const char *options, const char *output, char **said)
{
  g_autofree char *nvcc = g_find_program_in_path ("nvcc");
  g_autofree char *source = find_source ("recorded.cu");
  g_autofree char *line = g_strdup_printf ("'%s' header '%s' --run --force -o %s %s",
                                           g_getenv ("CURED_PROGRAM"), source, output, options);
  g_autofree char *path = g_build_filename (folder, output, NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;
  char *text = NULL;
  int status = 0;

  if (nvcc == NULL)
    {
      g_test_skip ("no nvcc");
      return NULL;
    }
  g_assert_true (g_shell_parse_argv (line, NULL, &words, &error));
  g_assert_no_error (error);
  g_assert_true (
      g_spawn_sync (folder, words, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, said, &status, &error));
  g_assert_no_error (error);
  g_test_message ("%s", *said);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, " */"));
  *strstr (text, " */") = '\0';
  return text;
}

/* What “cured check” says of a draft; 0: nothing was found, and what was compared is right. */
static int
check_draft (const char *output, char **said)
{
  const char *const words[] = { g_getenv ("CURED_PROGRAM"), "check", output, NULL };
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_assert_true (g_spawn_sync (folder, (char **) words, NULL, G_SPAWN_DEFAULT, NULL, NULL, said,
                               NULL, &status, &error));
  g_assert_no_error (error);
  return WEXITSTATUS (status);
}

TEST ("/exec/drafted/template")
{
  static const char *const lines[] = {
    "Default=1000  # derived from 2 launches\n",
    "Default=128  # derived from 2 launches\n",
    "Length=n\n",
    "File=drafted.in_.bin\n",
    "[Constant tables::taps]\n * Type=f32\n",
    "Values=0.25,0.5,0.25\n",
    "Entry=blend<float, (Mode)0, 3>\n",
    "Arguments=out,in_,n,0.75:f32\n",
    "Reference=copy\n",
  };
  g_autofree char *said = NULL, *checked = NULL;
  g_autofree char *text = draft ("-- 1000", "drafted.cu", &said);

  if (text == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    if (strstr (text, lines[i]) == NULL)
      g_error ("“%s” is not in\n%s", lines[i], text);
  g_assert_null (strstr (text, "# a guess"));
  g_assert_cmpint (check_draft ("drafted.cu", &checked), ==, 0);
  g_assert_nonnull (strstr (checked, "1/1"));
}

/* A struct by value, with its pointer and its numbers as the source has them. */
TEST ("/exec/drafted/struct")
{
  g_autofree char *said = NULL, *checked = NULL;
  g_autofree char *text = draft ("-k stretch -- 1000", "struct.cu", &said);

  if (text == NULL)
    return;
  g_assert_nonnull (strstr (text, "Arguments=(data,n,1.5):struct:Rows\n"));
  g_assert_nonnull (strstr (text, "Default=1000  # derived from 1 launch\n"));
  g_assert_cmpint (check_draft ("struct.cu", &checked), ==, 0);
  g_assert_nonnull (strstr (checked, "1/1"));
}

/* A size that no call names stays a guess, and nothing is compared with what it came to. */
TEST ("/exec/drafted/unwritten")
{
  g_autofree char *said = NULL;
  g_autofree char *text = draft ("-k forgotten -- 1000", "unwritten.cu", &said);

  if (text == NULL)
    return;
  g_assert_nonnull (strstr (text, "  # a guess\n"));
  g_assert_null (strstr (text, "[Check]"));
  g_assert_nonnull (strstr (said, "forgotten read what nobody had written"));
}

/* A program that does not get far: the text's draft, and what to do. */
TEST ("/exec/drafted/nothing")
{
  g_autofree char *said = NULL;
  g_autofree char *text = draft ("", "nothing.cu", &said);

  if (text == NULL)
    return;
  g_assert_nonnull (strstr (said, "exit code was 2"));
  g_assert_nonnull (strstr (said, "follow “--”"));
  g_assert_nonnull (strstr (said, "drafted from the text alone"));
  g_assert_nonnull (strstr (text, "Entry=blend<"));
}

/* After two launches or so, and with the numbers of the first one. */
TEST ("/exec/drafted/limit")
{
  g_autofree char *said = NULL;
  g_autofree char *text = draft ("--launches 1 --limit 60 -- 2000", "limited.cu", &said);

  if (text != NULL)
    g_assert_nonnull (strstr (text, "Default=2000  # derived from"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("cured-test-exec-XXXXXX", NULL);
  int status = run_tests ();
  remove_all (folder);
  g_free (folder);
  return status;
}

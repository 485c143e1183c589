/* SPDX-License-Identifier: MIT
 * The command, from outside: what it prints, where, and its exit codes. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

static const char *program;
static char *folder; /* where every command runs */

typedef struct
{
  int status;
  char *out;
  char *err;
} Ran;

static void
ran_clear (Ran *self)
{
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->err, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ran, ran_clear)

static char *
to_text (GBytes *bytes)
{
  gsize length = 0;
  const char *data = g_bytes_get_data (bytes, &length);

  return length > 0 ? g_strndup (data, length) : g_strdup ("");
}

/* Runs a command line in the test's folder, as a shell would split it; “cured”
 * is the command that was built. @environment is NULL or NAME=VALUE words. */
static void
run_in (Ran *self, const char *environment, const char *line)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) err = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;

  ran_clear (self);
  g_assert_true (g_shell_parse_argv (line, NULL, &words, &error));
  g_assert_no_error (error);
  if (g_str_equal (words[0], "cured"))
    {
      g_free (words[0]);
      words[0] = g_strdup (program);
    }
  g_subprocess_launcher_set_cwd (launcher, folder);
  if (environment != NULL)
    {
      g_auto (GStrv) settings = NULL;

      g_assert_true (g_shell_parse_argv (environment, NULL, &settings, NULL));
      for (gsize i = 0; settings[i] != NULL; i++)
        {
          char *equals = strchr (settings[i], '=');

          *equals = '\0';
          g_subprocess_launcher_setenv (
              launcher, settings[i], equals + 1, TRUE);
        }
    }
  process = g_subprocess_launcher_spawnv (
      launcher, (const char *const *) words, &error);
  g_assert_no_error (error);
  g_subprocess_communicate (process, NULL, NULL, &out, &err, &error);
  g_assert_no_error (error);
  self->status = g_subprocess_get_if_exited (process)
                     ? g_subprocess_get_exit_status (process)
                     : -g_subprocess_get_term_sig (process);
  self->out = to_text (out);
  self->err = to_text (err);
}

static void
run (Ran *self, const char *line)
{
  run_in (self, NULL, line);
}

static void
assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("“%s” is not in:\n%s", part, text);
}

static void
assert_has_not (const char *text, const char *part)
{
  if (strstr (text, part) != NULL)
    g_error ("“%s” should not be in:\n%s", part, text);
}

/* The command refused, said so on standard error alone, and the message has
 * @part. */
static void
assert_refused (const Ran *ran, const char *part)
{
  g_assert_cmpint (ran->status, ==, 2);
  g_assert_cmpstr (ran->out, ==, "");
  g_assert_true (g_str_has_prefix (ran->err, "cured: "));
  assert_has (ran->err, part);
}

static void
assert_refuses (const char *line, const char *part)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, line);
  assert_refused (&ran, part);
}

static JsonNode *
parse_json (const Ran *ran)
{
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (ran->out, &error);

  g_assert_no_error (error);
  g_assert_nonnull (root);
  return root;
}

/* cured and cured --help */

static void
test_help (void)
{
  static const char *const lines[] = {
    "cured",
    "cured --help",
    "cured -h",
    "cured help",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_auto (Ran) ran = { 0 };

      run (&ran, lines[i]);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.err, ==, "");
      assert_has (ran.out, "cured VERB");
      assert_has (ran.out, "Exit codes");
      assert_has (ran.out, "\n  cured run ");
    }
}

typedef struct
{
  const char *verb;
  const char *options;
} VerbOptions;

static const VerbOptions verb_options[] = {
  { "kernels", "--json --source" },
};

static void
test_help_verbs (void)
{
  g_auto (Ran) all = { 0 };

  run (&all, "cured --help");
  for (gsize i = 0; i < G_N_ELEMENTS (verb_options); i++)
    {
      const VerbOptions *row = &verb_options[i];
      g_auto (GStrv) options = g_strsplit (row->options, " ", -1);
      g_autofree char *line = g_strdup_printf ("cured %s --help", row->verb);
      g_autofree char *other = g_strdup_printf ("cured help %s", row->verb);
      g_autofree char *listed = g_strdup_printf ("\n  %s ", row->verb);
      g_auto (Ran) ran = { 0 };
      g_auto (Ran) same = { 0 };

      assert_has (all.out, listed);
      run (&ran, line);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.err, ==, "");
      assert_has (ran.out, "Usage:\n  cured ");
      assert_has (ran.out, "Examples:\n  cured ");
      for (gsize j = 0; options[j] != NULL; j++)
        assert_has (ran.out, options[j]);
      run (&same, other);
      g_assert_cmpstr (same.out, ==, ran.out);
    }
}

static void
test_version (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured --version");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_str_has_prefix (ran.out, "cured "));
  g_assert_true (g_ascii_isdigit (ran.out[strlen ("cured ")]));
}

static void
test_unknown (void)
{
  assert_refuses ("cured kernel", "did you mean “cured kernels”?");
  assert_refuses ("cured KERNELS", "did you mean “cured kernels”?");
  assert_refuses ("cured zzzzzzzzzzzz", "“cured --help” lists them");
  assert_refuses ("cured tiles.cured", "“cured show tiles.cured”");
  assert_refuses ("cured mine.cu", "“cured run mine.cu”");
  assert_refuses ("cured --json kernels", "unknown option “--json” before");
  for (gsize i = 0; i < G_N_ELEMENTS (verb_options); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("cured %s --nonsense", verb_options[i].verb);
      g_autofree char *help =
          g_strdup_printf ("“cured %s --help”", verb_options[i].verb);
      g_auto (Ran) ran = { 0 };

      run (&ran, line);
      assert_refused (&ran, "--nonsense");
      assert_has (ran.err, help);
    }
}

/* A reader that went away is nobody's error; a full disk is. */
static void
test_output (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *pipe = g_strdup_printf (
      "sh -c '%s kernels --json | head -c 1; %s --help | true'",
      program,
      program);
  g_autofree char *full =
      g_strdup_printf ("sh -c '%s kernels > /dev/full'", program);

  run (&ran, pipe);
  g_assert_cmpstr (ran.err, ==, "");
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    return;
  run (&ran, full);
  assert_refused (&ran, "standard output");
}

/* cured kernels */

static void
test_kernels_list (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured kernels");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "vector/add\n    ");
  assert_has (ran.out, "threads=256 (1..1024)");
  assert_refuses ("cured kernels a b", "one kernel at a time");
}

static void
test_kernels_json (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) list = NULL;
  g_autoptr (JsonNode) one = NULL;
  JsonArray *kernels = NULL;
  gboolean found = FALSE;

  run (&ran, "cured kernels --json");
  g_assert_cmpint (ran.status, ==, 0);
  list = parse_json (&ran);
  kernels = json_node_get_array (list);
  for (guint i = 0; i < json_array_get_length (kernels); i++)
    {
      JsonObject *kernel = json_array_get_object_element (kernels, i);
      JsonArray *parameters =
          json_object_get_array_member (kernel, "parameters");

      found =
          found || g_str_equal (json_object_get_string_member (kernel, "id"),
                                "vector/add");
      g_assert_true (json_object_has_member (kernel, "defect"));
      for (guint j = 0; j < json_array_get_length (parameters); j++)
        g_assert_cmpint (
            json_object_get_int_member (
                json_array_get_object_element (parameters, j), "default"),
            >=,
            0);
    }
  g_assert_true (found);

  run (&ran, "cured kernels vector/add --json");
  g_assert_cmpint (ran.status, ==, 0);
  one = parse_json (&ran);
  g_assert_cmpstr (
      json_object_get_string_member (json_node_get_object (one), "bytes"),
      ==,
      "12*n");
}

static void
test_kernels_one (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured kernels vector/add");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Vector addition");
  assert_has (ran.out, "12*n");
  assert_has (ran.out, "vector_add<<<");
  assert_has (ran.out, "cured run vector/add --sweep");

  run (&ran, "cured kernels --source vector/add");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "/*! cured");
  assert_has (ran.out, "__global__");
  assert_refuses ("cured kernels --source", "--source wants a kernel");
  assert_refuses ("cured kernels --source --json vector/add", "exclude");
}

/* A file of one's own is explained as well, and its errors have a line. */
static void
test_kernels_file (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *good = g_build_filename (folder, "mine.cu", NULL);
  g_autofree char *bad = g_build_filename (folder, "bad.cu", NULL);

  run (&ran, "cured kernels --source vector/add");
  g_assert_true (g_file_set_contents (good, ran.out, -1, NULL));
  g_assert_true (g_file_set_contents (bad, "int main;\n", -1, NULL));

  run (&ran, "cured kernels mine.cu");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "mine.cu");
  assert_has (ran.out, "cured run mine.cu --sweep");
  assert_refuses ("cured kernels bad.cu", "bad.cu:1:");
  assert_refuses ("cured kernels none.cu", "none.cu");
  assert_refuses ("cured kernels vector/ad", "did you mean vector/add?");
}

/* German has a decimal comma and points between thousands; what programs read
 * has neither, in any locale. */
static void
test_locale (void)
{
  g_auto (Ran) c = { 0 };
  g_auto (Ran) german = { 0 };

  run (&c, "cured kernels --json");
  run_in (&german, "LC_ALL=de_DE.UTF-8", "cured kernels --json");
  g_assert_cmpint (german.status, ==, 0);
  g_assert_cmpstr (german.out, ==, c.out);

  /* In the C locale the text stays UTF-8, not question marks. */
  run_in (&c, "LC_ALL=C", "cured --help");
  assert_has (c.out, "…");
  assert_has_not (c.out, "?");
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_test_init (&argc, &argv, NULL);
  program = g_getenv ("CURED_PROGRAM");
  g_assert_nonnull (program);
  folder = g_dir_make_tmp ("cured-cli-XXXXXX", &error);
  g_assert_no_error (error);

  g_test_add_func ("/cli/help", test_help);
  g_test_add_func ("/cli/help/verbs", test_help_verbs);
  g_test_add_func ("/cli/version", test_version);
  g_test_add_func ("/cli/unknown", test_unknown);
  g_test_add_func ("/cli/output", test_output);
  g_test_add_func ("/cli/kernels/list", test_kernels_list);
  g_test_add_func ("/cli/kernels/json", test_kernels_json);
  g_test_add_func ("/cli/kernels/one", test_kernels_one);
  g_test_add_func ("/cli/kernels/file", test_kernels_file);
  g_test_add_func ("/cli/locale", test_locale);
  status = g_test_run ();
  remove_folder ();
  return status;
}

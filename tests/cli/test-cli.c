/* SPDX-License-Identifier: MIT
 * The command, from outside: what transcripts can't say. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>

#include "base/cured-own.h"
#include "make-result.h"
#include "other-values.h"
#include "test-compiled.h"
#include "test.h"

static const char *program;
static char *folder; /* where every command runs */

typedef struct
{
  int status;
  char *out, *err;
} Ran;

CURED_CLEAR_FUNC (Ran, ran_clear, out, g_free, err, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ran, ran_clear)

static char *
to_text (GBytes *bytes)
{
  gsize length = 0;
  const char *data = g_bytes_get_data (bytes, &length);

  return length > 0 ? g_strndup (data, length) : g_strdup ("");
}

/* Runs a command line in the test's folder, as a shell would split it; “cured” is the command that
 * was built. @environment is NULL or NAME=VALUE words. */
static void
run_in (Ran *self, const char *environment, const char *line)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GBytes) out = NULL, err = NULL;
  g_auto (GStrv) words = NULL;

  ran_clear (self);
  g_assert_true (MUST (g_shell_parse_argv (line, NULL, &words, &fail)));
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
          g_subprocess_launcher_setenv (launcher, settings[i], equals + 1, TRUE);
        }
    }
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &fail));
  MUST (g_subprocess_communicate (process, NULL, NULL, &out, &err, &fail));
  self->status = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process)
                                                      : -g_subprocess_get_term_sig (process);
  self->out = to_text (out);
  self->err = to_text (err);
}

/* A program of this test's folder. */
static void
write_program (const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  MUST (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0777, &fail));
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
  JsonNode *root = MUST (json_from_string (ran->out, &fail));

  g_assert_nonnull (root);
  return root;
}

static void
make_file (const char *name, const MakeResult *what)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_remove (path);
  make_result (path, what);
}

/* What a terminal would obey: its title, a colour, the same in Unicode's own CSI, and DEL. */
#define ORDERS "\033]0;owned\007\033[31m\302\2335m\177"

/* Prints the orders, too. */
#define ORDERS_PTX                                                                                 \
  ".version 8.0\n.target sm_80\n.address_size 64\n"                                                \
  ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"                        \
  ".global .align 1 .b8 words[12] = {104,105,27,93,48,59,120,7,155,10,0};\n"                       \
  ".visible .entry f(.param .u64 f_0)\n{\n.reg .b64 %%rd<4>;\n"                                    \
  ".reg .b32 %%r<4>;\nld.param.u64 %%rd1, [f_0];\nmov.u32 %%r1, 1;\n"                              \
  "st.global.u32 [%%rd1], %%r1;\nmov.u64 %%rd2, words;\n"                                          \
  "cvta.global.u64 %%rd2, %%rd2;\nmov.u64 %%rd3, 0;\n{\n.param .b64 a;\n"                          \
  ".param .b64 b;\n.param .b32 r;\nst.param.b64 [a], %%rd2;\n"                                     \
  "st.param.b64 [b], %%rd3;\ncall.uni (r), vprintf, (a, b);\n}\n%s\nret;\n}\n"

#define ORDERS_HEADER                                                                              \
  "/*! cured\n[Kernel]\nTitle=Title" ORDERS "\nSummary=Summary" ORDERS                             \
  "\nFamily=test\n[Parameter n]\nKind=problem\nValues=1..8\nDefault=1\n"                           \
  "Summary=elements" ORDERS "\n[Parameter threads]\nKind=launch\n"                                 \
  "Values=1..32\nDefault=1\n[Buffer x]\nType=i32\nLength=n\nFill=poison\n"                         \
  "[Launch]\nEntry=f\nGrid=1\nBlock=threads\nArguments=x\n*/\n"

typedef struct
{
  const char *verb, *options;
} VerbOptions;

/* clang-format off */
static const VerbOptions verb_options[] = {
  { "kernels", "--json --source" },
  { "ladder", "--results --size --limits --json" },
  { "devices", "--json --limits" },
  { "doctor", "--json" },
  { "predict", "--parameter --for --output --resume --force --limit --dry-run --json" },
  { "run",
    "-p --parameter --fill --sweep --budget --order --predict --replay --replays --preset --device "
    "--output --resume --force --limit --seed --samples --sampling --precision --rounds --no-check "
    "--no-cold --no-hot --option --worker --dry-run --verbose --json --quiet" },
  { "show", "--metric --x --y --at --colormap --log --linear --relative --absolute --cell --list --color --json" },
  { "export", "--output --format --dark --metric --x --y --at --colormap --log --linear --relative --absolute" },
  { "compare", "--metric --fail-on --exit-code --map --all --output --format --dark --json --quiet" },
  { "import", "--output --force --benchmark --device --only --json --quiet" },
  { "banks", "--parameter --block --warp --step --site --line --all --stride --width --base "
             "--store --layout --access --type --shape --patterns --arch --output --format --dark "
             "--view --color --json" },
  { "check", "--device --parameter --fill --limit --seed --option --verbose --json --quiet" },
  { "claims", "--quiz --results --json --quiet" },
  { "lessons", "--results --answers --handouts --output --format --dark --json" },
  { "occupancy", "--parameter --arch --block --registers --shared --json" },
  { "worker", "--device" },
};
/* clang-format on */

TEST ("/cli/help")
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

TEST ("/cli/help/verbs")
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
      g_auto (Ran) ran = { 0 }, same = { 0 };

      assert_has (all.out, listed);
      run (&ran, line);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.err, ==, "");
      assert_has (ran.out, "Usage:\n  cured ");
      assert_has (ran.out, "Examples:\n  cured ");
      for (gsize j = 0; options[j] != NULL; j++)
        assert_has (ran.out, options[j]);
      g_auto (GStrv) lines = g_strsplit (ran.out, "\n", -1);
      for (gsize j = 0; lines[j] != NULL; j++)
        g_assert_cmpint (g_utf8_strlen (lines[j], -1), <=, 80);
      run (&same, other);
      g_assert_cmpstr (same.out, ==, ran.out);
    }
}

/* A letter is short for one option, whatever the verb, and an option that has a letter somewhere
 * has no other. */
TEST ("/cli/letters")
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) letters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GRegex) regex = g_regex_new ("^  -(\\w), --([\\w-]+)", G_REGEX_MULTILINE, 0, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (verb_options); i++)
    {
      g_autofree char *line = g_strdup_printf ("cured %s --help", verb_options[i].verb);
      g_auto (Ran) ran = { 0 };
      g_autoptr (GMatchInfo) match = NULL;

      run (&ran, line);
      g_regex_match (regex, ran.out, 0, &match);
      for (; g_match_info_matches (match); g_match_info_next (match, NULL))
        {
          g_autofree char *letter = g_match_info_fetch (match, 1);
          g_autofree char *name = g_match_info_fetch (match, 2);
          const char *known_name = g_hash_table_lookup (names, letter);
          const char *known_letter = g_hash_table_lookup (letters, name);

          if (known_name != NULL)
            g_assert_cmpstr (name, ==, known_name);
          if (known_letter != NULL)
            g_assert_cmpstr (letter, ==, known_letter);
          g_hash_table_insert (names, g_strdup (letter), g_strdup (name));
          g_hash_table_insert (letters, g_strdup (name), g_strdup (letter));
        }
    }
  g_assert_cmpuint (g_hash_table_size (names), >, 10);
}

/* Each verb refuses an option that it does not have. */
TEST ("/cli/unknown")
{
  for (gsize i = 0; i < G_N_ELEMENTS (verb_options); i++)
    {
      g_autofree char *line = g_strdup_printf ("cured %s --nonsense", verb_options[i].verb);
      g_autofree char *help = g_strdup_printf ("“cured %s --help”", verb_options[i].verb);
      g_auto (Ran) ran = { 0 };

      run (&ran, line);
      assert_refused (&ran, "--nonsense");
      assert_has (ran.err, help);
    }
}

TEST ("/cli/show-json")
{
  const MakeResult what = { .n_tiles = 4, .n_blocks = 3, .n_sizes = 2 };
  g_auto (Ran) ran = { 0 };
  double least = G_MAXDOUBLE;

  make_file ("json.cured", &what);
  run_in (&ran, "LC_ALL=de_DE.UTF-8",
          "cured show json.cured --json --x tile --y blocks --metric time");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  g_autoptr (JsonNode) root = parse_json (&ran);
  JsonObject *map = json_node_get_object (root);
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (map, "metric"), "id"), ==,
      "time");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                        json_object_get_object_member (map, "x"), "values")),
                    ==, 4);
  JsonArray *rows = json_object_get_array_member (map, "rows");
  g_assert_cmpuint (json_array_get_length (rows), ==, 3);
  for (guint y = 0; y < 3; y++)
    for (guint x = 0; x < 4; x++)
      {
        JsonObject *shown =
            json_array_get_object_element (json_array_get_array_element (rows, y), x);

        if (!json_object_get_null_member (shown, "value"))
          least = MIN (least, json_object_get_double_member (shown, "value"));
      }
  JsonObject *best = json_object_get_object_member (map, "best");
  g_assert_true (json_object_has_member (best, "tile"));

  run (&ran, "cured show json.cured --json --list");
  g_autoptr (JsonNode) list = parse_json (&ran);
  g_assert_cmpuint (json_array_get_length (
                        json_object_get_array_member (json_node_get_object (list), "parameters")),
                    ==, json_object_get_size (best));

  {
    g_autofree char *line = g_strdup_printf (
        "cured show json.cured --json --cell tile=%" G_GINT64_FORMAT ",blocks=%" G_GINT64_FORMAT
        ",n=%" G_GINT64_FORMAT,
        json_object_get_int_member (best, "tile"), json_object_get_int_member (best, "blocks"),
        json_object_get_int_member (best, "n"));

    run (&ran, line);
  }
  g_autoptr (JsonNode) cell = parse_json (&ran);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (cell), "state"), ==, "ok");
  g_assert_cmpfloat (
      json_object_get_double_member (
          json_object_get_object_member (json_node_get_object (cell), "metrics"), "time"),
      ==, least);
}

/* Of a kernel, on each chip of the table: where it can't be compiled for one, the output names the
 * chip whose registers it has. */
TEST ("/cli/occupancy/kernel")
{
  g_auto (Ran) ran = { 0 };
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  run (&ran, "cured occupancy vector/add");
  if (strstr (ran.err, "NVRTC") != NULL)
    {
      g_test_skip (ran.err);
      return;
    }
  assert_has (ran.out, "vector_add on sm_90, such as H200");
  assert_has_not (ran.out, "nothing is compiled for");
  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredProfile *profile = &profiles[i];
      g_autofree char *line =
          g_strdup_printf ("cured occupancy vector/add --arch %s --json", profile->arch);

      run (&ran, line);
      g_assert_cmpstr (ran.err, ==, "");
      g_assert_cmpint (ran.status, ==, 0);
      g_autoptr (JsonNode) root = parse_json (&ran);
      const char *compiled =
          json_object_get_string_member (json_node_get_object (root), "compiled_for");
      if (profile->is_emulated)
        g_assert_cmpstr (compiled, ==, profile->arch);
      else
        g_assert_cmpstr (compiled, ==,
                         profile->limits.compute_major < 8    ? "sm_75"
                         : profile->limits.compute_major < 12 ? "sm_100"
                                                              : "sm_120");
    }
}

/* Every row of the table of options has a switch that sets it. */
TEST ("/cli/run/every-option")
{
  static const char *const left_out[] = { "cold", "hot" };
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_autofree char *path = g_build_filename (folder, "every.cured", NULL);

  for (gsize k = 0; k < G_N_ELEMENTS (left_out); k++)
    {
      g_autoptr (GString) line =
          g_string_new ("cured run vector/add -p n=100 -d emulator -o every.cured --force");
      g_auto (Ran) ran = { 0 };

      for (gsize i = 0; i < n_rows; i++)
        {
          const char *value = other_option (&rows[i]);
          g_auto (GStrv) words = NULL;

          if ((rows[i].flags & CURED_OPTION_UNSAFE) != 0 || g_str_equal (rows[i].name, left_out[k]))
            continue;
          if (rows[i].type == CURED_OPTION_FLAG)
            g_string_append_printf (line, " --%s", rows[i].switch_name);
          else if (rows[i].type == CURED_OPTION_WORDS)
            {
              words = g_strsplit (value, " ", -1);
              for (gsize j = 0; words[j] != NULL; j++)
                g_string_append_printf (line, " --%s=%s", rows[i].switch_name, words[j]);
            }
          else if (g_str_equal (rows[i].unit, "ratio"))
            g_string_append_printf (line, " --%s %g%%", rows[i].switch_name,
                                    100 * g_ascii_strtod (value, NULL));
          else
            g_string_append_printf (line, " --%s '%s'", rows[i].switch_name, value);
        }
      run (&ran, line->str);
      if (strstr (ran.err, "NVRTC") != NULL)
        {
          g_test_skip (ran.err);
          return;
        }
      g_assert_cmpint (ran.status, ==, 0);
      g_autoptr (CuredResult) result = cured_result_load (path, NULL, NULL);
      g_assert_nonnull (result);
      for (gsize i = 0; i < n_rows; i++)
        if ((rows[i].flags & CURED_OPTION_UNSAFE) == 0 && !g_str_equal (rows[i].name, left_out[k]))
          {
            g_autofree char *text =
                cured_option_to_string (&rows[i], cured_result_get_options (result));

            g_test_message ("%s", rows[i].name);
            g_assert_cmpstr (text, ==, other_option (&rows[i]));
          }
    }
}

TEST ("/cli/run/verbose")
{
  g_auto (Ran) ran = { 0 };
  double sum = 0.0;

  run (&ran, "cured run vector/add -p n=100 -p blocks=1,2 -o v.cured -v");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_regex_match_simple ("\nblocks=1: ok, [0-9.]+ µs\n", ran.err, 0, 0));
  const char *text = strstr (ran.out, "of 1 device went:\n");
  g_assert_nonnull (text);
  assert_has (text, "  running kernels ");
  assert_has (text, "  waiting for the compiler ");
  for (const char *at = strchr (text, '\n'); at[1] != '\0'; at = strchr (at + 1, '\n'))
    sum += g_ascii_strtod (at + 1 + strlen ("  waiting for the compiler"), NULL);
  g_assert_cmpfloat (sum, >, 99.5);
  g_assert_cmpfloat (sum, <, 100.5);
}

/* Starts a long sweep with @command, sends @signal_number once a cell is done, and asserts on how
 * it ends. */
static char *
stop_sweep (const char *command, int signal_number, int status)
{
  g_auto (GStrv) words = g_strsplit (command, " ", -1);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  char *out = NULL;

  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_setenv (launcher, "CURED_FAKE", "slow=*", TRUE);
  g_free (words[0]);
  words[0] = g_strdup (program);
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &fail));
  g_autoptr (GDataInputStream) lines =
      g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  /* Until the line of the first cell. */
  for (gboolean is_first = FALSE; !is_first;)
    {
      g_autofree char *line = MUST (g_data_input_stream_read_line (lines, NULL, NULL, &fail));

      g_assert_nonnull (line);
      is_first = strstr (line, ": ok") != NULL;
    }
  g_subprocess_send_signal (process, signal_number);
  MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, &fail));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, status);
  return out;
}

/* Ctrl+C keeps what is finished, says how to go on, and going on works. So does what a scheduler
 * sends, with an exit code of its own. */
TEST ("/cli/run/interrupt")
{
  const struct
  {
    const char *name;
    int number, status;
  } signals[] = { { "cut.cured", SIGINT, 130 }, { "term.cured", SIGTERM, 75 } };

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_auto (Ran) ran = { 0 };
      g_autofree char *command = g_strdup_printf (
          "cured run vector/add -p n=100 -p blocks=1..100 --rounds 1 -o %s -v", signals[i].name);
      g_autofree char *out = stop_sweep (command, signals[i].number, signals[i].status);
      g_autofree char *resume = g_strconcat ("cured run --resume ", signals[i].name, NULL);

      assert_has (out, " not run");
      assert_has_not (out, "crashed");
      run (&ran, resume);
      g_assert_cmpint (ran.status, ==, 0);
      assert_has (ran.out, "100 ok\n");
      assert_has_not (ran.out, "Ran 100 of");
    }
}

/* More cells than anyone would wait for: each is there once it is predicted, and a space too large
 * to be numbered is refused. */
TEST ("/cli/predict/many")
{
  g_auto (Ran) shown = { 0 };

  if (!need_compiler ())
    return;
  assert_refuses ("cured predict vector/one -p n=1..100000000 -o x.cured",
                  "an axis may have 1048576");
  g_autofree char *out =
      stop_sweep ("cured predict vector/one -p n=1..1000000 -o many.cured -v", SIGINT, 130);
  assert_has (out, " not run");
  run (&shown, "cured show many.cured --cell n=1");
  g_assert_cmpint (shown.status, ==, 0);
}

/* The second cell never ends by itself; one Ctrl+C ends it. */
TEST ("/cli/interrupt/loop")
{
  static const char loop[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry f(.param .u64 x, .param .s32 n)\n{\n"
                             ".reg .pred %p<2>;\n.reg .b32 %r<2>;\nld.param.s32 %r1, [n];\n"
                             "setp.ne.s32 %p1, %r1, 2;\n@%p1 bra done;\nloop:\nbra loop;\n"
                             "done:\nret;\n}\n"
                             "/*! cured\n[Kernel]\nTitle=Loop\n[Parameter n]\nKind=problem\n"
                             "Values=1..2\nDefault=1\n[Buffer x]\nType=i32\nLength=1\n"
                             "Fill=constant\nLow=0\n[Launch]\nEntry=f\nGrid=1\nBlock=1\n"
                             "Arguments=x,n\n*/\n";
  g_autofree char *path = g_build_filename (folder, "loop.ptx", NULL);

  g_assert_true (g_file_set_contents (path, loop, -1, NULL));
  g_autofree char *out =
      stop_sweep ("cured run loop.ptx -p n=1,2 -d emulator --blocks 0 --limit 3600 -o loop.cured "
                  "-v",
                  SIGINT, 130);
  assert_has (out, "1 ok, 1 not run");
}

/* On a terminal, one line is redrawn and taken away at the end. */
TEST ("/cli/run/terminal")
{
  /* The second cell waits until the bar shows the first one as done. */
  static const char on_terminal[] =
      "#!/bin/sh\n{\n"
      "  CURED_FAKE=wait=2,until=tty-seen,lie=2 TERM=xterm script -qefc \\\n"
      "    'stty cols 60; \"$CURED_PROGRAM\" run vector/add -p n=100 \\\n"
      "      -p blocks=1,2,4 -o tty.cured' tty.txt >tty.out 2>&1\n"
      "  echo $? >tty-status\n"
      "} &\n"
      "until grep -q █ tty.txt 2>/dev/null || [ -e tty-status ]; do\n"
      "  sleep 0.05\n"
      "done\n"
      ": >tty-seen\n"
      "wait\n"
      "cat tty.out\n"
      "exit \"$(cat tty-status)\"\n";
  g_auto (Ran) ran = { 0 };
  g_autofree char *script = g_find_program_in_path ("script");

  if (script == NULL)
    {
      g_test_skip ("no script(1) here");
      return;
    }
  write_program ("on-terminal", on_terminal);
  run (&ran, "./on-terminal");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "\r░");
  assert_has (ran.out, "█");
  assert_has (ran.out, "/3");
  assert_has (ran.out, "1 wrong");
  assert_has (ran.out, "\r\033[KRan 3 of 3 cells");
  g_auto (GStrv) frames = g_strsplit (ran.out, "\033[K", -1);
  for (gsize i = 0; frames[i + 1] != NULL; i++)
    {
      const char *line = strrchr (frames[i], '\r');

      if (line != NULL)
        g_assert_cmpint (g_utf8_strlen (line + 1, -1), <, 60);
    }

  run_in (
      &ran, "TERM=dumb",
      "script -qec '\"$CURED_PROGRAM\" run vector/add -p n=100 -o tty.cured --force' /dev/null");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has_not (ran.out, "\033");
}

/* Whether there is a control character but those that the program says itself: a new line, colours,
 * and the line that is shown anew. */
static void
assert_printable (const char *text, const char *line)
{
  static const char *const own = "\033\\[(K|H|2J|0m|48;2;[0-9;]+m)|\r?\n|\r|\t";
  g_autoptr (GRegex) regex = g_regex_new (own, 0, 0, NULL);
  g_autofree char *rest = g_regex_replace (regex, text, -1, 0, "", 0, NULL);

  g_assert_nonnull (rest);
  for (const char *at = rest; *at != '\0'; at = g_utf8_next_char (at))
    if (g_unichar_iscntrl (g_utf8_get_char (at)))
      {
        g_autofree char *escaped = g_strescape (text, NULL);

        g_error ("%s: a control character in %s", line, escaped);
      }
}

/* Titles, summaries and what kernels print are strangers' text: none of it is an order to the
 * terminal, whatever shows it. */
TEST ("/cli/printable")
{
  static const char *const lines[] = {
    "run orders.ptx --device emulator -p n=1,2 -p threads=1,2 -o orders.cured --force",
    "run orders.ptx --device emulator --dry-run",
    "run orders.ptx --device emulator -o one.cured --force --verbose --print x",
    "show orders.cured",
    "show orders.cured --color=always",
    "show orders.cured --cell n=1,threads=1",
    "show orders.cured --list",
    "show orders.cured --json",
    "compare orders.cured orders.cured --all",
    "export orders.cured -o - --format md",
    "export orders.cured -o - --format tsv",
    "export orders.cured -o - --format csv",
    "export orders.cured -o - --format json",
    "export orders.cured -o - --format svg",
    "kernels orders.ptx",
    "kernels orders.ptx --json",
    "kernels orders.ptx --source",
    "check orders.ptx --verbose",
    "check orders.ptx --json",
    "check broken.ptx",
    "banks orders.ptx",
    "occupancy orders.ptx",
    "kernels 'name" ORDERS "'",
  };
  g_autofree char *ptx = g_build_filename (folder, "orders.ptx", NULL);
  g_autofree char *broken = g_build_filename (folder, "broken.ptx", NULL);
  g_autofree char *good = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "");
  g_autofree char *bad = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "mov.\033[31m.b32 %r1, 1;");
  g_autofree char *script = g_find_program_in_path ("script");
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (ptx, good, -1, NULL));
  g_assert_true (g_file_set_contents (broken, bad, -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *line = g_strconcat ("cured ", lines[i], NULL);

      run (&ran, line);
      g_assert_cmpint (ran.status, >=, 0);
      /* A file gets what it is to have; so does a pipe. */
      if (strstr (line, "export") == NULL)
        {
          assert_printable (ran.out, line);
          assert_printable (ran.err, line);
        }
      if (strstr (line, " --json") == NULL && strstr (line, "broken") == NULL)
        continue;
      if (strstr (line, "broken") != NULL)
        g_assert_cmpint (ran.status, !=, 0);
      else
        {
          g_autoptr (JsonNode) root = parse_json (&ran);

          g_assert_nonnull (root);
        }
    }
  run (&ran, "cured kernels orders.ptx");
  assert_has (ran.out, "Title␛]0;owned␇␛[31m");
  run (&ran, "cured show orders.cured");
  assert_has (ran.out, "Title␛]0;owned␇␛[31m");
  run (&ran, "cured show orders.cured --json");
  assert_has (ran.out, "\"Title\\u001b]0;owned\\u0007\\u001b[31m\\u009b5m");

  if (script == NULL)
    {
      g_test_skip ("no script(1) here");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *command = g_strconcat ("\"$CURED_PROGRAM\" ", lines[i], NULL);
      g_autofree char *quoted = g_shell_quote (command);
      g_autofree char *line = g_strdup_printf ("script -qec %s /dev/null", quoted);

      run_in (&ran, "TERM=xterm COLORTERM=truecolor", line);
      assert_printable (ran.out, lines[i]);
    }
  run_in (&ran, NULL,
          "script -qec '\"$CURED_PROGRAM\" export orders.cured -o - --format png' /dev/null");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.out, "a terminal takes text alone");
  run (&ran, "cured export orders.cured -o - --format png");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_str_has_prefix (ran.out, "\211PNG"));
}

static char *
read_file (const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *contents = NULL;

  g_assert_true (MUST (g_file_get_contents (path, &contents, length, &fail)));
  return contents;
}

/* The height of a picture of a reduction's flow, in its own units. */
static double
draw_tree (int block)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *command = g_strdup_printf (
      "cured banks reduce/sequential -p n=64 -p block=%d --view flow -o tree.svg", block);

  run (&ran, command);
  g_assert_cmpint (ran.status, ==, 0);
  g_autofree char *text = read_file ("tree.svg", NULL);
  const char *height = strstr (text, " height=\"");
  g_assert_nonnull (height);
  return g_ascii_strtod (height + strlen (" height=\""), NULL);
}

/* A tree is a level deeper where its block has twice the threads: two loads and a store. */
TEST ("/cli/banks/flow")
{
  double levels[3];

  if (!need_compiler ())
    return;
  for (int i = 0; i < 3; i++)
    levels[i] = draw_tree (32 << i);
  g_assert_cmpfloat (levels[1], >, levels[0]);
  g_assert_cmpfloat_with_epsilon (levels[2] - levels[1], levels[1] - levels[0], 1);
}

/* A picture of the elements that threads touch; NULL where it was refused. */
static char *
draw_threads (const char *axes)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *command =
      g_strdup_printf ("cured banks vector/add %s --view threads -o threads.svg", axes);

  run (&ran, command);
  g_assert_cmpint (ran.status, ==, 0);
  return read_file ("threads.svg", NULL);
}

static double
get_height (const char *svg)
{
  const char *height = strstr (svg, " height=\"");

  g_assert_nonnull (height);
  return g_ascii_strtod (height + strlen (" height=\""), NULL);
}

/* A kernel without shared memory has buffers, too: twice the elements are more rows of each of
 * three, and another block has other ones. */
TEST ("/cli/banks/threads")
{
  if (!need_compiler ())
    return;
  g_autofree char *one = draw_threads ("-p n=64 -p threads=16 -p blocks=2");
  g_autofree char *two = draw_threads ("-p n=128 -p threads=16 -p blocks=2");
  g_autofree char *other = draw_threads ("-p n=64 -p threads=16 -p blocks=2 --block 1");
  g_assert_cmpfloat (get_height (two), >, get_height (one));
  g_assert_cmpfloat (get_height (other), ==, get_height (one));
  g_assert_cmpstr (other, !=, one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  program = g_getenv ("CURED_PROGRAM");
  g_assert_nonnull (program);
  g_setenv ("CURED_WORKER", g_getenv ("CURED_TEST_WORKER"), TRUE);
  folder = make_folder ();

  int status = run_tests ();
  remove_folder (folder);
  return status;
}

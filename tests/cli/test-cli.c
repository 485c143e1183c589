/* SPDX-License-Identifier: MIT
 * The command, from outside: what it prints, where, and its exit codes. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

#include "make-result.h"
#include "other-values.h"

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

/* Runs a command line in the test's folder, as a shell would split it; “cured” is the command that
 * was built. @environment is NULL or NAME=VALUE words. */
static void
run_in (Ran *self, const char *environment, const char *line)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
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
          g_subprocess_launcher_setenv (launcher, settings[i], equals + 1, TRUE);
        }
    }
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &error);
  g_assert_no_error (error);
  g_subprocess_communicate (process, NULL, NULL, &out, &err, &error);
  g_assert_no_error (error);
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
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0777, &error);
  g_assert_no_error (error);
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

static void
make_file (const char *name, const MakeResult *what)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_remove (path);
  make_result (path, what);
}

static void
write_text (const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
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
      g_auto (GStrv) lines = NULL;

      assert_has (all.out, listed);
      run (&ran, line);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.err, ==, "");
      assert_has (ran.out, "Usage:\n  cured ");
      assert_has (ran.out, "Examples:\n  cured ");
      for (gsize j = 0; options[j] != NULL; j++)
        assert_has (ran.out, options[j]);
      lines = g_strsplit (ran.out, "\n", -1);
      for (gsize j = 0; lines[j] != NULL; j++)
        g_assert_cmpint (g_utf8_strlen (lines[j], -1), <=, 80);
      run (&same, other);
      g_assert_cmpstr (same.out, ==, ran.out);
    }
}

/* A letter is short for one option, whatever the verb, and an option that has a letter somewhere
 * has no other. */
static void
test_letters (void)
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

static void
test_completions (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured --completions bash");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "complete -F _cured cured");
  run (&ran, "cured --complete bash 'cured merge --on-conflict '");
  g_assert_cmpstr (ran.out, ==, "fail\t\nnewest\t\noldest\t\nfirst\t\n");
  run (&ran, "cured --complete bash 'cured merge --accept '");
  assert_has (ran.out, "source\t\noptions\t\naxes\t\n");
  run (&ran, "cured --complete fish 'cured show --metric=time_h'");
  assert_has (ran.out, "--metric=time_high\t\n");
  assert_refuses ("cured --completions", "not one of bash, fish and zsh");
  assert_refuses ("cured --completions csh", "“csh” is not one of");
}

/* Nothing is printed but errors, and the exit code is the same. */
static void
test_quiet (void)
{
  const MakeResult before = { 0 };
  const MakeResult slower = { .factor = 1.2 };
  static const char *const lines[] = {
    "kernels",
    "kernels vector/add",
    "ladder",
    "lessons",
    "show quiet-a.cured",
    "show quiet-a.cured --color=always",
    "show quiet-a.cured --json",
    "show quiet-a.cured --cell tile=64,blocks=132",
    "export quiet-a.cured -o quiet.csv",
    "banks --stride 32",
    "banks --stride 32 --color=always",
    "occupancy --block 256 --registers 32",
  };
  g_auto (Ran) ran = { 0 };

  make_file ("quiet-a.cured", &before);
  make_file ("quiet-b.cured", &slower);
  run (&ran, "cured compare -q quiet-a.cured quiet-b.cured --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 1);
  g_assert_cmpstr (ran.out, ==, "");
  g_assert_cmpstr (ran.err, ==, "");
  run (&ran, "cured compare -q quiet-a.cured quiet-a.cured --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured compare -q quiet-a.cured none.cured", "none.cured");
  run (&ran, "cured run vector/add -p n=100 -p blocks=1,2 --quiet -o quiet.cured");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.out, ==, "");
  g_assert_cmpstr (ran.err, ==, "");
  run (&ran, "cured show quiet.cured --list");
  assert_has (ran.out, "blocks");
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *line = g_strconcat ("cured ", lines[i], " -q", NULL);

      run (&ran, line);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.out, ==, "");
      g_assert_cmpstr (ran.err, ==, "");
    }
}

/* Started without standard files, a run writes what it always does: none of its files takes their
 * place and gets its messages. */
static void
test_closed_files (void)
{
  static const char *const script =
      "\"$CURED_PROGRAM\" run closed.ptx --device emulator -o closed.cured --verbose --json <&- "
      ">&- 2>&-\n"
      "echo $?\n"
      "\"$CURED_PROGRAM\" export closed.cured -o closed.csv <&- >&- 2>&-\n"
      "echo $?\n"
      "\"$CURED_PROGRAM\" export closed.cured -o open.csv\n"
      "cmp closed.csv open.csv && echo same\n"
      "\"$CURED_PROGRAM\" show closed.cured <&- >&- 2>&-\n"
      "echo $?\n"
      "\"$CURED_PROGRAM\" show nowhere.cured <&- >&- 2>&-\n"
      "echo $?\n";
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *line = g_strdup_printf ("sh -c %s", quoted);
  g_autofree char *ptx = g_build_filename (folder, "closed.ptx", NULL);
  g_autofree char *text = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "");
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (ptx, text, -1, NULL));
  run (&ran, line);
  g_assert_cmpstr (ran.err, ==, "");
  g_assert_cmpstr (ran.out, ==, "2\n0\nsame\n2\n2\n");
}

/* What is too much for the compiler is so once: no other cell is compiled. */
static void
test_check_once (void)
{
  static const char *const text =
      "/*! cured\n[Kernel]\nTitle=Huge\nFamily=test\n[Parameter n]\n"
      "Kind=problem\nValues=1..8\nDefault=1\n[Buffer x]\nType=i32\nLength=n\n"
      "Fill=poison\n[Launch]\nEntry=f\nGrid=1\nBlock=n\nArguments=x\n*/\n"
      "#define A 1,1,1,1,1,1,1,1,1,1\n#define B A,A,A,A,A,A,A,A,A,A\n"
      "#define C B,B,B,B,B,B,B,B,B,B\n#define D C,C,C,C,C,C,C,C,C,C\n"
      "#define E D,D,D,D,D,D,D,D,D,D\n#define F E,E,E,E,E,E,E,E,E,E\n"
      "#define G F,F,F,F,F,F,F,F,F,F\n#define H G,G,G,G,G,G,G,G,G,G\n"
      "__device__ char huge[] = { H,H,H,H,H,H,H,H,H,H };\n"
      "extern \"C\" __global__ void f (int *x) { x[0] = huge[x[1]]; }\n";
  g_autofree char *path = g_build_filename (folder, "huge.cu", NULL);
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  run (&ran, "cured check huge.cu --limit 1");
  if (strstr (ran.err, "NVRTC") != NULL)
    {
      g_test_skip ("no NVRTC");
      return;
    }
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "0/1");
  assert_has (ran.out, "in the stage “compile”");
  assert_has (ran.out, "huge: no other cell was tried");
  run (&ran, "cured check vector/add");
  assert_has_not (ran.out, "0/1");
  assert_has_not (ran.out, "no other cell was tried");
}

/* A barrier that ends two races is told of once. */
static void
test_check_remedies (void)
{
  static const char *const text =
      "/*! cured\n[Kernel]\nTitle=Twice\n[Buffer x]\nType=i32\nLength=64\n"
      "Fill=poison\n[Launch]\nEntry=f\nGrid=1\nBlock=64\nArguments=x\n*/\n"
      "extern \"C\" __global__ void f (int *x)\n{\n"
      "  __shared__ int a[64], b[64];\n"
      "  a[threadIdx.x] = threadIdx.x;\n"
      "  b[threadIdx.x] = threadIdx.x;\n"
      "  x[threadIdx.x] = a[63 - threadIdx.x] + b[63 - threadIdx.x];\n}\n";
  g_autofree char *path = g_build_filename (folder, "twice.cu", NULL);
  const char *told;
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  run (&ran, "cured check twice.cu");
  if (strstr (ran.err, "NVRTC") != NULL)
    {
      g_test_skip ("no NVRTC");
      return;
    }
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "f: a[");
  assert_has (ran.out, "f: b[");
  told = strstr (ran.out, "tried: A barrier between");
  g_assert_nonnull (told);
  g_assert_null (strstr (told + 1, "tried: "));
}

static void
test_show_json (void)
{
  const MakeResult what = { .n_tiles = 4, .n_blocks = 3, .n_sizes = 2 };
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonNode) list = NULL;
  g_autoptr (JsonNode) cell = NULL;
  JsonObject *map = NULL;
  JsonArray *rows = NULL;
  JsonObject *best = NULL;
  double least = G_MAXDOUBLE;

  make_file ("json.cured", &what);
  run_in (&ran, "LC_ALL=de_DE.UTF-8",
          "cured show json.cured --json --x tile --y blocks --metric time");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  root = parse_json (&ran);
  map = json_node_get_object (root);
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (map, "metric"), "id"), ==,
      "time");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                        json_object_get_object_member (map, "x"), "values")),
                    ==, 4);
  rows = json_object_get_array_member (map, "rows");
  g_assert_cmpuint (json_array_get_length (rows), ==, 3);
  for (guint y = 0; y < 3; y++)
    for (guint x = 0; x < 4; x++)
      {
        JsonObject *shown =
            json_array_get_object_element (json_array_get_array_element (rows, y), x);

        if (!json_object_get_null_member (shown, "value"))
          least = MIN (least, json_object_get_double_member (shown, "value"));
      }
  best = json_object_get_object_member (map, "best");
  g_assert_true (json_object_has_member (best, "tile"));

  run (&ran, "cured show json.cured --json --list");
  list = parse_json (&ran);
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
  cell = parse_json (&ran);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (cell), "state"), ==, "ok");
  g_assert_cmpfloat (
      json_object_get_double_member (
          json_object_get_object_member (json_node_get_object (cell), "metrics"), "time"),
      ==, least);
}

/* --color wins over the terminal and NO_COLOR. */
static void
test_colour (void)
{
  const MakeResult what = { 0 };
  g_auto (Ran) ran = { 0 };

  make_file ("colour.cured", &what);
  run (&ran, "cured show colour.cured");
  assert_has_not (ran.out, "\033[");
  run_in (&ran, "NO_COLOR=1", "cured show colour.cured --color=always");
  assert_has (ran.out, "\033[");
  run (&ran, "cured show colour.cured --color=never");
  assert_has_not (ran.out, "\033[");
  run (&ran, "cured show colour.cured --color auto");
  assert_has_not (ran.out, "\033[");
  run (&ran, "cured show colour.cured --color=always");
  assert_has (ran.out, "\033[");
  run (&ran, "cured banks --stride 2 --color=always");
  assert_has (ran.out, "\033[");
  run (&ran, "cured banks --stride 2");
  assert_has_not (ran.out, "\033[");
  assert_refuses ("cured show colour.cured --color=red",
                  "--color red: expected one of auto, always, never");
  assert_refuses ("cured banks --stride 2 --color=", "--color : expected one of");
}

/* A tile in CuTe's or Triton's notation. */
static void
test_layout (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured banks --layout 'Swizzle<3,4,3> o (8,64):(64,1)' --access ldmatrix --type f16");
  assert_has (ran.out, "ldmatrix.x4       2          16      8          8");
  assert_has (ran.out, "changes element numbers");
  assert_has (ran.out, "Nearest without a conflict: Swizzle<3,3,3> o (8,64):(64,1)");
  run (&ran, "cured banks --layout '#ttg.swizzled_shared<{vec = 8, maxPhase = 8}>' --shape 32x64 "
             "--access ldmatrix --access cp.async.16");
  assert_has (ran.out, "No access has a conflict.");
  run (&ran, "cured banks --layout '(32,32):(32,1)' --type f32 --access ld.column.b32 --json");
  assert_has (ran.out, "\"conflicts\" : 992");
  assert_has (ran.out, "\"nearest\" : \"(32,32):(33,1)\"");
  assert_refuses ("cured banks --layout '(8,8)'", "expected “:”");
  assert_refuses ("cured banks --layout '(8,8):(8,1)' --type f12", "--type");
  assert_refuses ("cured banks --layout '(8,8):(8,1)' --shape 8", "--shape");
  assert_refuses ("cured banks --layout '(8,8):(8,1)' --access x", "ldmatrix");
  assert_refuses ("cured banks --layout '(8,8):(8,1)' --arch 2.x", "--arch");
  assert_refuses ("cured banks --stride 2 --access ldmatrix", "--layout");
  assert_refuses ("cured banks --layout '(8,8):(8,1)' --stride 2", "exclude");
}

/* What is not a verb, and what is not a kernel but a family of them. */
static void
test_words (void)
{
  assert_refuses ("cured help nope", "“nope” is not a verb");
  assert_refuses ("cured help exprot", "did you mean “cured export”?");
  assert_refuses ("cured run matmul", "matmul is a family of kernels, such as");
  assert_refuses ("cured run vector/ad", "did you mean vector/add?");
  assert_refuses ("cured run nothing", "a file of your own ends in .cu");
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
      g_autofree char *line = g_strdup_printf ("cured %s --nonsense", verb_options[i].verb);
      g_autofree char *help = g_strdup_printf ("“cured %s --help”", verb_options[i].verb);
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
  g_autofree char *pipe =
      g_strdup_printf ("sh -c '%s kernels --json | head -c 1; %s --help | true'", program, program);
  g_autofree char *full = g_strdup_printf ("sh -c '%s kernels > /dev/full'", program);

  run (&ran, pipe);
  g_assert_cmpstr (ran.err, ==, "");
  /* A sweep goes on to its end though nobody reads the summary. */
  run (&ran, "sh -c '\"$CURED_PROGRAM\" run vector/add -p n=100 -p blocks=1,2 -o piped.cured "
             "2>/dev/null | true'");
  g_assert_cmpstr (ran.err, ==, "");
  run (&ran, "cured run --resume piped.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Nothing was left to run");
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
      JsonArray *parameters = json_object_get_array_member (kernel, "parameters");

      found = found || g_str_equal (json_object_get_string_member (kernel, "id"), "vector/add");
      g_assert_true (json_object_has_member (kernel, "defect"));
      for (guint j = 0; j < json_array_get_length (parameters); j++)
        g_assert_cmpint (
            json_object_get_int_member (json_array_get_object_element (parameters, j), "default"),
            >=, 0);
    }
  g_assert_true (found);

  run (&ran, "cured kernels vector/add --json");
  g_assert_cmpint (ran.status, ==, 0);
  one = parse_json (&ran);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (one), "bytes"), ==, "12*n");
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
  assert_refuses ("cured kernels --source", "--source needs a kernel");
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

/* cured devices */

/* With a GPU or without: what is there is told, and what is missing too. */
static void
test_devices (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonArray *devices = NULL;

  run (&ran, "cured devices");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "cuda:0: ");
  assert_has (ran.out, "\nemulator: no GPU");
  assert_has (ran.out, "emulator:sm_86");
  assert_has (ran.out, "\ncompiler: ");

  run (&ran, "cured devices --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  devices = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (devices); i++)
    {
      JsonObject *device = json_array_get_object_element (devices, i);

      if (json_object_get_boolean_member (device, "usable"))
        {
          g_assert_true (json_object_has_member (device, "limits"));
          g_assert_true (json_object_get_null_member (device, "reason"));
        }
      else
        g_assert_cmpstr (json_object_get_string_member (device, "reason"), !=, "");
    }
  run_in (&ran, "CURED_NVRTC=/nowhere/n.so", "cured devices");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "\ncompiler: none: ");
  assert_refuses ("cured devices cuda:0", "takes no arguments");
}

/* cured doctor */

/* What is wrong is told with what helps, and fails; who fails for it leads here. */
static void
test_doctor (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonArray *lines = NULL;
  gboolean has_fault = FALSE;

  run_in (&ran, "CURED_NVML=/nowhere/n.so", "cured doctor");
  g_assert_cmpint (ran.status, ==, 1);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "driver: fault: ");
  assert_has (ran.out, "\n    → ");
  assert_has (ran.out, "\nresults: ");

  run_in (&ran, "CURED_NVML=/nowhere/n.so", "cured doctor --json");
  g_assert_cmpint (ran.status, ==, 1);
  root = parse_json (&ran);
  lines = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (lines); i++)
    {
      JsonObject *line = json_array_get_object_element (lines, i);
      const char *state = json_object_get_string_member (line, "state");

      g_assert_cmpstr (json_object_get_string_member (line, "text"), !=, "");
      g_assert_true (g_str_equal (state, "ok") == json_object_get_null_member (line, "remedy"));
      if (g_str_equal (json_object_get_string_member (line, "id"), "driver"))
        has_fault = g_str_equal (state, "fault");
    }
  g_assert_true (has_fault);
  assert_refuses ("cured doctor cuda:0", "takes no arguments");

  /* What else keeps a sweep from its end, or nobody from seeing it. */
  run_in (&ran, "LC_ALL=C", "cured doctor");
  assert_has (ran.out, "locale: note: ");
  assert_has (ran.out, "LC_ALL=C.UTF-8");
  run_in (&ran, "XDG_CACHE_HOME=/dev/null/cache", "cured doctor");
  assert_has (ran.out, "\ncache: warning: /dev/null/cache/");
  assert_has (ran.out, "set XDG_CACHE_HOME");
  run_in (&ran, "PATH=/nowhere", "cured doctor");
  assert_has (ran.out, "\nwindow: note: ");
  assert_has (ran.out, "need no window");
  /* A file system without a size is not a full one. */
  run (&ran, "sh -c 'cd /proc && \"$CURED_PROGRAM\" doctor'");
  assert_has (ran.out, "\nresults: ");
  assert_has_not (ran.out, "0 B are free");

  run_in (&ran, "CURED_NVRTC=/nowhere/n.so", "cured check vector/add");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "cured doctor");
}

/* The table of capabilities beside the devices. */
static void
test_limits (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  gboolean has_table = FALSE;
  guint n_models = 0;

  run (&ran, "cured devices --limits");
  assert_has (ran.out, " 2.0    1024  1536     48 ");
  assert_has (ran.out, "512 KiB of local memory");
  assert_has (ran.out, "16 and 48 KiB of shared memory");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "max_threads_per_block");
  assert_has (ran.out, "\ncompute capabilities");
  assert_has (ran.out, "\n 1.0     512   768     24");
  assert_has (ran.out, "256,128\n");

  run (&ran, "cured devices --limits --json");
  root = parse_json (&ran);
  for (guint i = 0; i < json_array_get_length (json_node_get_array (root)); i++)
    {
      JsonObject *device = json_array_get_object_element (json_node_get_array (root), i);
      JsonObject *first;
      const char *id = json_object_get_string_member (device, "id");

      /* A model allocates nothing: it has no size of memory to tell. */
      if (g_str_has_prefix (id, "model:"))
        {
          JsonObject *limits = json_object_get_object_member (device, "limits");

          n_models++;
          g_assert_cmpint (json_object_get_int_member (limits, "global_bytes"), ==, 0);
          g_assert_cmpint (json_object_get_int_member (limits, "sms"), >, 0);
        }
      if (!json_object_has_member (device, "capabilities"))
        continue;
      has_table = TRUE;
      first =
          json_array_get_object_element (json_object_get_array_member (device, "capabilities"), 0);
      g_assert_cmpstr (json_object_get_string_member (first, "arch"), ==, "sm_10");
      g_assert_cmpint (json_object_get_int_member (first, "banks"), ==, 16);
    }
  g_assert_true (has_table);
  g_assert_cmpuint (n_models, >, 0);
}

/* Of a kernel, on each chip of the table: where it can't be compiled for one, the output names the
 * chip whose registers it has. */
static void
test_occupancy_kernel (void)
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
      g_autoptr (JsonNode) root = NULL;
      const char *compiled = NULL;

      run (&ran, line);
      g_assert_cmpstr (ran.err, ==, "");
      g_assert_cmpint (ran.status, ==, 0);
      root = parse_json (&ran);
      compiled = json_object_get_string_member (json_node_get_object (root), "compiled_for");
      if (profile->is_emulated)
        g_assert_cmpstr (compiled, ==, profile->arch);
      else
        g_assert_cmpstr (compiled, ==,
                         profile->limits.compute_major < 8    ? "sm_75"
                         : profile->limits.compute_major < 12 ? "sm_100"
                                                              : "sm_120");
    }
  run (&ran, "cured occupancy vector/add --arch 2.0");
  assert_has (ran.out, "vector_add on sm_20, such as Tesla C2050");
  assert_has (ran.out, "nothing is compiled for sm_20");
  assert_has (ran.out, "are those of sm_75");
  run (&ran, "cured occupancy vector/add --arch 2.0 --registers 20 --shared 0");
  assert_has_not (ran.out, "nothing is compiled for");
  /* Asynchronous copies are no sooner than on sm_80. */
  run (&ran, "cured occupancy matmul/async --arch 3.5");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "are those of sm_80");
  assert_refuses ("cured occupancy reduce/bulk --arch 8.0", "need compute capability 9.0");
}

/* cured occupancy, without a kernel: no compiler is needed. */
static void
test_occupancy (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *launch;

  run (&ran, "cured occupancy --block 192 --registers 40 --shared 30000");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "on sm_90");
  assert_has (ran.out, "occupancy 65.6 %: 42 of 64 warps, in 7 blocks");
  assert_has (ran.out, "limited by shared memory\n");
  assert_has (ran.out, "more with 256 threads per block: 75.0 %");
  assert_has (ran.out, "@");

  run (&ran, "cured occupancy --arch 1.0 --block 256 --registers 10 --shared 4096 --json");
  root = parse_json (&ran);
  launch = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "launches"), 0);
  g_assert_cmpint (json_object_get_int_member (launch, "blocks"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (launch, "registers_per_block"), ==, 2560);
  g_assert_cmpfloat (json_object_get_double_member (launch, "occupancy"), ==, 1);

  assert_refuses ("cured occupancy", "--block");
  assert_refuses ("cured occupancy --block 0", "from 1 on");
  assert_refuses ("cured occupancy --block 1025", "the most that sm_90 has");
  assert_refuses ("cured occupancy --block 32 --arch sm_99", "there are sm_10");
  assert_refuses ("cured occupancy -p tile=4 --block 32", "name the kernel");
  assert_refuses ("cured occupancy a b", "one kernel at a time");
}

/* The emulator: no GPU, but NVRTC. */

static gboolean
has_compiler (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  if (compiler == NULL)
    g_test_skip (error->message);
  return compiler != NULL;
}

static void
test_check (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  run (&ran, "cured check vector/add specimens/past-end");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "vector/add");
  assert_has (ran.out, "5/5");
  assert_has (ran.out, "ok, as declared");
  assert_has (ran.out, "out-of-bounds");
  assert_has (ran.out, "2 kernels on Emulator of sm_90");
  /* Declared findings in full only where they are asked for. */
  g_assert_null (strstr (ran.out, "past-end.cu:"));
  run (&ran, "cured check specimens/past-end --verbose");
  assert_has (ran.out, "(declared): Access out of bounds");
  assert_has (ran.out, "past-end.cu:");

  assert_refuses ("cured check none", "none");
  assert_refuses ("cured check vector/add -p m=1", "parameter");
  assert_refuses ("cured check vector/add -d emulator:sm_20", "emulator:sm_75");
  assert_refuses ("cured check vector/add --limit 0", "--limit");
  assert_refuses ("cured check vector/add --seed x", "--seed");
}

static void
write_file (const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

/* A specimen that declares nothing, and one that declares too much. */
static void
test_check_finds (void)
{
  const char *kernels = g_getenv ("CURED_KERNELS_DIR");
  g_autofree char *path = g_build_filename (kernels, "specimens", "past-end.cu", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  {
    g_auto (GStrv) parts = g_strsplit (text, " * Defect=out-of-bounds\n", 2);
    g_autofree char *undeclared = g_strconcat (parts[0], parts[1], NULL);
    g_autofree char *other =
        g_strconcat (parts[0], " * Defect=out-of-bounds,race\n", parts[1], NULL);

    write_file ("undeclared.cu", undeclared);
    write_file ("other.cu", other);
  }
  run (&ran, "cured check undeclared.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "undeclared finding");
  assert_has (ran.out, "undeclared.cu:");
  run (&ran, "cured check other.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "race not found");
}

/* What keeps a kernel from running is told as what it is. */
static void
test_check_reasons (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *kernel;
  g_autofree char *path = NULL;

  if (!has_compiler ())
    return;
  /* A number of another kind than the kernel takes, and its twin. */
  write_file ("kind.cu",
              "/*! cured\n"
              " * [Kernel]\n * Title=t\n * Summary=s\n"
              " * [Buffer out]\n * Type=f32\n * Length=64\n"
              " * Fill=constant\n * Low=0\n"
              " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out,1:i32\n"
              " */\n"
              "extern \"C\" __global__ void\nk (float *out, float x) { out[threadIdx.x] = x; }\n");
  run (&ran, "cured check kind.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "1:f32");
  assert_has (ran.out, "failed");
  g_assert_null (strstr (ran.out, "wrong"));
  write_file ("kind.cu",
              "/*! cured\n"
              " * [Kernel]\n * Title=t\n * Summary=s\n"
              " * [Buffer out]\n * Type=f32\n * Length=64\n"
              " * Fill=constant\n * Low=0\n"
              " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out,1:f32\n"
              " */\n"
              "extern \"C\" __global__ void\nk (float *out, float x) { out[threadIdx.x] = x; }\n");
  run (&ran, "cured check kind.cu");
  g_assert_cmpint (ran.status, ==, 0);
  write_file ("kind.cu",
              "/*! cured\n"
              " * [Kernel]\n * Title=t\n * Summary=s\n"
              " * [Buffer out]\n * Type=f32\n * Length=64\n"
              " * Fill=constant\n * Low=0\n"
              " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out,1:f32\n"
              " */\n"
              "extern \"C\" __global__ void\nk (float *out, int x) { out[threadIdx.x] = x; }\n");
  run (&ran, "cured check kind.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "1:i32");

  /* Does not compile: failed, not wrong. */
  write_file ("syntax.cu", "/*! cured\n"
                           " * [Kernel]\n * Title=t\n * Summary=s\n"
                           " * [Buffer out]\n * Type=f32\n * Length=64\n"
                           " * Fill=constant\n * Low=0\n"
                           " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out\n"
                           " */\n"
                           "extern \"C\" __global__ void\nk (float *out) { nothing; }\n");
  run (&ran, "cured check syntax.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "failed");
  assert_has (ran.out, "does not compile");
  g_assert_null (strstr (ran.out, "wrong"));

  /* More than the device has. */
  write_file ("large.cu", "/*! cured\n"
                          " * [Kernel]\n * Title=t\n * Summary=s\n"
                          " * [Buffer out]\n * Type=f32\n * Length=64\n"
                          " * Fill=constant\n * Low=0\n"
                          " * [Launch]\n * Entry=k\n * Grid=1\n * Block=2048\n * Arguments=out\n"
                          " */\n"
                          "extern \"C\" __global__ void\nk (float *out) { }\n");
  run (&ran, "cured check large.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "nothing could be launched");
  assert_has (ran.out, "1024");

  /* The reference fails, and not the kernel. */
  write_file ("reference.cu", "/*! cured\n"
                              " * [Kernel]\n * Title=t\n * Summary=s\n"
                              " * [Buffer out]\n * Type=f32\n * Length=64\n"
                              " * Fill=constant\n * Low=0\n"
                              " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out\n"
                              " * [Check]\n * Output=out\n * Reference=sum\n */\n"
                              "extern \"C\" __global__ void\nk (float *out) { __trap (); }\n");
  write_file ("judged.cu",
              "/*! cured\n"
              " * [Kernel]\n * Title=t\n * Summary=s\n"
              " * [Buffer out]\n * Type=f32\n * Length=64\n"
              " * Fill=constant\n * Low=0\n"
              " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out\n"
              " * [Check]\n * Output=out\n * Reference=reference.cu\n */\n"
              "extern \"C\" __global__ void\nk (float *out) { out[threadIdx.x] = 0; }\n");
  run (&ran, "cured check judged.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "The reference");

  /* The file that JSON names is there. */
  write_file ("below.cu", "/*! cured\n"
                          " * [Kernel]\n * Title=t\n * Summary=s\n"
                          " * [Buffer out]\n * Type=f32\n * Length=64\n"
                          " * Fill=constant\n * Low=0\n"
                          " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * Arguments=out\n"
                          " */\n"
                          "extern \"C\" __global__ void\nk (float *out) { out[-5000] = 0; }\n");
  run (&ran, "cured check below.cu --json");
  g_assert_cmpint (ran.status, ==, 1);
  root = parse_json (&ran);
  kernel = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "kernels"), 0);
  path = g_canonicalize_filename (
      json_object_get_string_member (
          json_object_get_object_member (
              json_array_get_object_element (json_object_get_array_member (kernel, "findings"), 0),
              "here"),
          "file"),
      folder);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
}

/* Of many sizes, those cells in which every two values meet. */
static void
test_check_pairs (void)
{
#define SIZE(name) " * [Parameter " name "]\n * Kind=problem\n * Default=100\n * Summary=s\n"
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  write_file ("sizes.cu",
              "/*! cured\n"
              " * [Kernel]\n * Title=t\n * Summary=s\n" SIZE ("a") SIZE ("b") SIZE ("c") SIZE ("d")
                  SIZE ("e") SIZE ("f") SIZE ("g") SIZE ("h") SIZE ("i")
                      SIZE ("j") " * [Buffer out]\n * Type=f32\n * Length=64\n"
                                 " * Fill=constant\n * Low=0\n"
                                 " * [Launch]\n * Entry=k\n * Grid=1\n * Block=64\n * "
                                 "Arguments=out,a,b,c,d,e,f,g,h,i,j\n"
                                 " */\n"
                                 "extern \"C\" __global__ void\nk (float *out, int a, int b, int "
                                 "c, int d, int e, int f,\n"
                                 "   int g, int h, int i, int j) { out[threadIdx.x] = a; }\n");
  run (&ran, "cured check sizes.cu");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "of 1024 cells");
  g_assert_null (strstr (ran.out, "1024/1024"));
  run (&ran, "cured check sizes.cu -p a=1 -p b=1 -p c=1 -p d=1 -p e=1 -p f=1 -p g=1");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "8/8");
#undef SIZE
}

/* A file of two programs' times has a kernel for its axes only; nothing is told of what it would
 * do. */
static void
test_peers (void)
{
  static const char *const verbs[] = { "explain", "banks" };

  if (!has_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      g_autofree char *line = g_strdup_printf ("cured %s %s/peers-h200.cured", verbs[i],
                                               g_getenv ("CURED_TEST_RESULTS"));

      assert_refuses (line, "programs of their own");
    }
}

/* A claim that is so, and its twin that is not; a time, without a recording and with one. */
static void
test_claims (void)
{
  const char *results = g_getenv ("CURED_TEST_RESULTS");
  const char *kernels = g_getenv ("CURED_KERNELS_DIR");
  g_autofree char *path = g_build_filename (kernels, "vector", "add.cu", NULL);
  g_autofree char *text = NULL;
  g_autofree char *recorded =
      g_strdup_printf ("cured claims banks/stride --json --results %s", results);
  g_autofree char *nowhere = g_strdup_printf ("cured claims --results %s/none", results);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_auto (Ran) ran = { 0 };
  JsonArray *claims;
  guint n_times = 0;

  assert_refuses ("cured claims none", "none");
  assert_refuses (nowhere, "none");
  if (!has_compiler ())
    return;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  {
    g_auto (GStrv) parts = g_strsplit (text, " * [Sweep]\n", 2);
    const char *claim = " * [Claim test]\n * Text=So it is\n"
                        " * Metric=global_sectors\n"
                        " * At=n=1024,threads=32,blocks=1,vector=1\n";
    /* Three arrays of 4 KiB are 384 sectors of 32 bytes. */
    g_autofree char *holds =
        g_strconcat (parts[0], claim, " * Low=384\n * High=384\n * [Sweep]\n", parts[1], NULL);
    g_autofree char *broken =
        g_strconcat (parts[0], claim, " * High=383\n * [Sweep]\n", parts[1], NULL);

    write_file ("holds.cu", holds);
    write_file ("broken.cu", broken);
  }
  run (&ran, "cured claims holds.cu");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "So it is");
  assert_has (ran.out, "384, counted, holds");
  run (&ran, "cured claims broken.cu");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "384, counted, broken");

  run (&ran, "cured claims banks/stride");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, ", recorded, holds");
  run (&ran, recorded);
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  claims = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (claims); i++)
    {
      JsonObject *claim = json_array_get_object_element (claims, i);

      g_assert_cmpstr (json_object_get_string_member (claim, "verdict"), ==, "holds");
      n_times += g_str_equal (json_object_get_string_member (claim, "metric"), "time");
    }
  g_assert_cmpuint (n_times, >=, 1);
}

static void
test_check_json (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *kernel;
  JsonObject *finding;
  JsonObject *cell;

  if (!has_compiler ())
    return;
  run (&ran, "cured check specimens/past-end -p n=100 --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  g_assert_true (json_object_get_boolean_member (json_node_get_object (root), "ok"));
  kernel = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "kernels"), 0);
  g_assert_true (json_object_get_boolean_member (kernel, "ok"));
  cell = json_array_get_object_element (json_object_get_array_member (kernel, "cells"), 0);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (cell, "values"), "n"),
                   ==, 100);
  finding = json_array_get_object_element (json_object_get_array_member (kernel, "findings"), 0);
  g_assert_cmpstr (json_object_get_string_member (finding, "kind"), ==, "out-of-bounds");
  g_assert_true (json_object_get_boolean_member (finding, "declared"));
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (finding, "here"), "line"), >, 0);
}

/* Times of a chip that is not there: told from measured ones everywhere. */
static void
test_predict (void)
{
  g_auto (Ran) ran = { 0 };
  g_auto (Ran) shown = { 0 };
  g_auto (Ran) table = { 0 };

  if (!has_compiler ())
    return;
  run (&ran, "cured predict vector/add -p n=4096,1048576 -p threads=64,256 -o predicted.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Model of NVIDIA H200");
  assert_has (ran.out, "4 ok");
  run (&shown, "cured show predicted.cured");
  assert_has (shown.out, "Predicted time · × the best · predicted");
  assert_has (shown.out, "×1.0*");
  assert_has (shown.out, "predicted best: ");
  assert_has_not (shown.out, " µs\n");
  run (&table, "cured export predicted.cured --format csv -o -");
  g_assert_cmpint (table.status, ==, 0);
  assert_has (table.out, "predicted_time");
  g_assert_null (strstr (table.out, ",time,"));
  run (&table, "cured export predicted.cured --format json -o -");
  g_assert_cmpint (table.status, ==, 0);
  assert_has (table.out, "\"predicted_time\"");
  g_assert_null (strstr (table.out, "\"time\""));
  run (&table, "cured export predicted.cured --format md -o -");
  assert_has (table.out, "**×1.0**");
  run (&table, "cured export predicted.cured --format html -o -");
  assert_has (table.out, "predicted ×1.0");
  assert_has (table.out, "Predicted time (× the best)");
  run (&shown, "cured show predicted.cured --absolute");
  g_assert_cmpint (shown.status, ==, 0);
  assert_has (shown.out, "Predicted time · µs · predicted");
  assert_has_not (shown.out, "×1.0");

  assert_refuses ("cured predict vector/add --for nobody -o x.cured", "no machine facts “nobody”");
  assert_refuses ("cured predict vector/add --for ../x -o x.cured", "“../x” is a path");
  assert_refuses ("cured predict vector/add --for /dev/null -o x.cured", "“/dev/null” is a path");
  assert_refuses ("cured predict vector/add --blocks 0 -o x.cured", "--blocks");
  assert_refuses ("cured predict vector/add --launcher x -o x.cured", "--launcher");
  assert_refuses ("cured predict vector/add -d cuda:0 -o x.cured", "-d");
  assert_refuses ("cured check vector/add -d model:h200", "runs no kernel");
}

static void
test_run_emulator (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  run (&ran, "cured run matmul/coarsened -p n=40 -p tile=4,8 -p rows=1,2 -d emulator -o "
             "emulated.cured --verbose");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "matmul/coarsened on Emulator of sm_90");
  assert_has (ran.out, "Ran 4 of 4 cells");
  assert_has (ran.out, "4 ok");
  run (&ran, "cured show emulated.cured --color=never");
  assert_has (ran.out, "Shared wavefronts");
  g_assert_null (strstr (ran.out, " ns"));
  run (&ran, "cured show emulated.cured -c tile=4,rows=1");
  assert_has (ran.out, "counted by the emulator");
  g_assert_null (strstr (ran.out, "Median"));
  /* The same as on another run. */
  run (&ran, "cured run matmul/coarsened -p n=40 -p tile=4,8 -p rows=1,2 -d emulator -o "
             "again.cured --shuffle 7");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured compare emulated.cured again.cured --fail-on 0.01%");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Shared wavefronts");

  run (&ran, "cured run matmul/coarsened -d emulator:sm_75 -p n=64 --blocks 0,3 -o blocks.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Blocks that ran, of each grid: 0,3");
  run (&ran, "cured run --resume blocks.cured");
  assert_refuses ("cured run --resume blocks.cured -d emulator:sm_75 --blocks 1", "blocks");
  /* Without a clock, the fewest instructions are the best. */
  run (&ran, "cured run --best matmul/coarsened -p n=40 -p tile=2..17 -p rows=1,2 -d emulator -o "
             "fewest.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, " of 32 cells, for the best instructions\n");
  run (&ran, "cured run --best --resume fewest.cured -d emulator --metric shared_wavefronts");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "for the best shared_wavefronts");
  /* What takes minutes is said before, and what is soon done goes without. */
  run (&ran,
       "cured run matmul/naive -d emulator -p n=1024 -p bx=16 -p by=16 --limit 0.5 -o long.cured");
  assert_has (ran.err, "--blocks");
  run (&ran, "cured run matmul/naive -d emulator -p n=32 -p bx=16 -p by=16 -o short.cured");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_null (strstr (ran.err, "--blocks"));
  assert_refuses ("cured run vector/add -d emulator --blocks some", "--blocks");
  assert_refuses ("cured run vector/add -d emulator --shuffle -1", "--shuffle");
  assert_refuses ("cured run vector/add -d emulator:none", "emulator:sm_90");
}

/* Adds odd numbers to b, and leaves an element of c as it was. */
static const char printed_source[] = "/*! cured\n"
                                     " * [Kernel]\n"
                                     " * Title=Twice\n"
                                     " * [Parameter n]\n"
                                     " * Kind=problem\n"
                                     " * Default=100\n"
                                     " * [Buffer a]\n"
                                     " * Type=f32\n"
                                     " * Length=n\n"
                                     " * Fill=ramp\n"
                                     " * High=0.1\n"
                                     " * [Buffer b]\n"
                                     " * Type=i32\n"
                                     " * Length=n\n"
                                     " * Fill=ramp\n"
                                     " * [Buffer c]\n"
                                     " * Type=f32\n"
                                     " * Length=n\n"
                                     " * Fill=poison\n"
                                     " * [Launch]\n"
                                     " * Entry=twice\n"
                                     " * Grid=1\n"
                                     " * Block=64\n"
                                     " * Arguments=a,b,c,n\n"
                                     " */\n"
                                     "extern \"C\" __global__ void\n"
                                     "twice (const float *a, int *b, float *c, int n)\n"
                                     "{\n"
                                     "  int i = threadIdx.x;\n"
                                     "  if (i < n && i != 3)\n"
                                     "    {\n"
                                     "      c[i] = a[i] + a[i];\n"
                                     "      b[i] += i % 2;\n"
                                     "    }\n"
                                     "}\n";

/* A folder of pages to hand out, two a lesson. */
static void
test_handouts (void)
{
  g_auto (Ran) ran = { 0 };
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);
  const char *const kinds[] = { "", "-answers" };

  if (!has_compiler ())
    return;
  assert_refuses ("cured lessons strides --handouts course", "all lessons");
  run (&ran, "cured lessons --handouts course");
  g_assert_cmpint (ran.status, ==, 0);
  for (gsize i = 0; i < n_lessons; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        g_autofree char *path =
            g_strdup_printf ("%s/course/%02zu-%s%s.pdf", folder, i + 1, lessons[i].id, kinds[k]);
        g_autofree char *text = NULL;

        g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
        g_assert_true (g_str_has_prefix (text, "%PDF"));
      }
}

/* The examples that the texts work out, seen with --fill and --print; as docs/texts.md has them. */
static void
test_run_fill (void)
{
  static const struct
  {
    const char *command;
    const char *has[4];
  } rows[] = {
    { "cured run dot/two-launch -p n=10 -p block=4 -p blocks=2 --fill a=ramp --fill b=ramp -d "
      "emulator -o filled.cured --force --print a --print out",
      { "  0  0  1  2  3  4  5  6  7\n  8  8  9\n", "  0  285\n" } },
    { "cured run squared-error/blocks -p n=4 -p bx=2 -p by=2 --fill a=ramp:1:1 --fill b=ramp:16:-1 "
      "-d emulator -o filled.cured --force --print out",
      { "468", "212  212  468", "1360", "85" } },
    { "cured run average/global -p n=16 -p iterations=4 --fill "
      "in=25,6,34,91,10,62,55,5,80,20,10,40,6,99,26,2 -d emulator -o filled.cured --force --print "
      "out",
      { "  8  36.96", "  0         25  31.27" } },
    { "cured run vector/add -p n=10 -p threads=3 -p blocks=2 --fill a=ramp --fill b=constant:100 "
      "-d emulator -o filled.cured --force --print out",
      { "  0  100  101  102  103  104  105  106  107\n  8  108  109\n" } },
  };
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      run (&ran, rows[i].command);
      g_assert_cmpint (ran.status, ==, 0);
      for (gsize k = 0; k < G_N_ELEMENTS (rows[i].has); k++)
        if (rows[i].has[k] != NULL)
          assert_has (ran.out, rows[i].has[k]);
    }
  /* The file has it, so that it can go on. */
  run (&ran, "cured run --resume filled.cured -d emulator");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured check vector/add --fill a=ramp:-5:3");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured run vector/add --fill a=slope", "file, values");
  assert_refuses ("cured run vector/add --fill q=ramp", "a, b, out");
  assert_refuses ("cured run vector/add --fill a", "BUFFER=FILL");
  assert_refuses ("cured run vector/add --fill a=1,2,x", "“x”");
  assert_refuses ("cured run vector/add --fill a=1.5", "“1.5”");
  assert_refuses ("cured run vector/add --fill a=*/", "no fill");
}

/* Types of every kind reach the kernel, and come back. */
static void
test_run_types (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  write_file ("typed.cu", "/*! cured\n[Kernel]\nTitle=Types\n"
                          "[Buffer p]\nType=struct:Item\nLength=4\nFill=ramp\n"
                          "[Buffer out]\nType=f32x2\nLength=4\nFill=poison\n"
                          "[Launch]\nEntry=k\nGrid=1\nBlock=1\nRepeat=3\nIndex=i\n"
                          "Arguments=p+1,(out,i,10):struct:Args,3:u8\n*/\n"
                          "struct Item { unsigned char tag[3]; short id; };\n"
                          "struct Args { float2 *out; int i; double more; };\n"
                          "__global__ void k (const Item *p, Args a, unsigned char add)\n"
                          "{ a.out[a.i] = make_float2 (p[a.i].id + add, a.more); }\n");
  run (&ran, "cured run typed.cu -d emulator -o typed.cured --print p[0..1] --print out");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "  0  (0, 1, 2, 3)  (4, 5, 6, 7)");
  assert_has (ran.out, "  0  (10, 10)  (14, 10)  (18, 10)  unwritten");
}

static const char convolution_source[] =
    "/*! cured\n[Kernel]\nTitle=Convolution\nInclude=inc\n"
    "[Parameter n]\nKind=problem\nDefault=12\n"
    "[Buffer in]\nType=i32\nLength=n*n\nFill=constant\nLow=2\n"
    "[Buffer out]\nType=i32\nLength=n*n\nFill=poison\n"
    "[Constant mask]\nType=i32\nLength=9\nFill=values\n"
    "Values=1,2,1,2,4,2,1,2,1\n"
    "[Constant filter::bias]\nType=i32\nLength=1\nFill=constant\nLow=7\n"
    "[Launch]\nEntry=convolve\nGrid=ceil(n/8),ceil(n/8)\nBlock=8,8\n"
    "Arguments=in,out,n\n*/\n"
    "#include \"util.cuh\"\n"
    "#include <deep.cuh>\n"
    "__constant__ int mask[SIDE * SIDE];\n"
    "namespace filter { __constant__ int bias; }\n"
    "__global__ void convolve (const int *in, int *out, int n)\n"
    "{\n"
    "  __shared__ int tile[64];\n"
    "  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n"
    "  int sum = filter::bias;\n"
    "  if (x >= n || y >= n) return;\n"
    "  for (int j = 0; j < SIDE; j++)\n"
    "    for (int i = 0; i < SIDE; i++)\n"
    "      sum += mask[j * SIDE + i]\n"
    "             * in[wrap (y + j, n) * n + wrap (x + i, n)];\n"
    "  tile[threadIdx.y * 8 + threadIdx.x] = sum;\n"
    "  out[y * n + x] = tile[threadIdx.y * 8 + threadIdx.x];\n"
    "}\n";

/* A mask in constant memory: what the launches find there is the group's. */
static void
test_run_constant (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  write_file ("deep/inc/deep.cuh", "#define SIDE 3\n");
  write_file ("deep/util.cuh", "#include \"inc/deep.cuh\"\n"
                               "__device__ int wrap (int i, int n) { return i % n; }\n");
  write_file ("deep/conv.cu", convolution_source);
  run (&ran,
       "cured run deep/conv.cu -d emulator -o constant.cured --print out[0..1] --print mask[3..5]");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "out, i32, elements 0 to 1 of 144\n  0  39  39\n");
  assert_has (ran.out, "mask, i32, elements 3 to 5 of 9\n  3  2  4  2\n");
  run (&ran, "cured run deep/conv.cu -d emulator -o constant-2.cured --print out[0] --fill "
             "mask=constant:1 --fill filter::bias=constant:0");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "  0  18\n");
  run (&ran, "cured kernels deep/conv.cu");
  assert_has (ran.out, "__constant__ i32");
  run (&ran, "cured banks deep/conv.cu");
  g_assert_cmpint (ran.status, ==, 0);

  /* The variable is smaller than the group, or is not there. */
  write_file ("deep/inc/deep.cuh", "#define SIDE 2\n");
  run (&ran, "cured run deep/conv.cu -d emulator -o constant-3.cured");
  assert_has (ran.out, "[Constant mask] has 36 bytes");
}

/* A result file explains itself where nothing of what it includes is. */
static void
test_carried (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  write_file ("carry/inc/deep.cuh", "#define SIDE 3\n");
  write_file ("carry/util.cuh", "#include \"inc/deep.cuh\"\n"
                                "__device__ int wrap (int i, int n) { return i % n; }\n");
  write_file ("carry/conv.cu", convolution_source);
  run (&ran, "cured run carry/conv.cu -d emulator -p n=8,9 -o carry/moved.cured --json");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "sh -c 'mkdir carried && mv carry/moved.cured carried && rm -r carry'");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured banks carried/moved.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "tile[threadIdx.y * 8 + threadIdx.x] = sum;");
  run (&ran, "cured check carried/moved.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run --resume carried/moved.cured -d emulator");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Nothing was left to run");
}

static char *
make_prepared (const char *launches)
{
  return g_strconcat ("/*! cured\n[Kernel]\nTitle=In place\n"
                      "[Parameter n]\nKind=problem\nDefault=64\n"
                      "[Buffer in]\nType=i32\nLength=n\nFill=ramp\n"
                      "[Buffer work]\nType=i32\nLength=n\nFill=poison\n"
                      "[Buffer runs]\nType=i32\nLength=1\nFill=poison\n",
                      launches,
                      "[Launch 3]\nEntry=twice\nGrid=1\nBlock=n\nArguments=work,runs\n*/\n"
                      "__global__ void copy (const int *in, int *out)\n"
                      "{ out[threadIdx.x] = in[threadIdx.x]; }\n"
                      "__global__ void twice (int *work, int *runs)\n"
                      "{ work[threadIdx.x] *= 2; if (threadIdx.x == 0) *runs += 1; }\n",
                      NULL);
}

/* Launches that prepare are run, and neither counted nor shown first. */
static void
test_run_setup (void)
{
  static const char setup[] = "[Launch 1]\nMemset=runs\nValue=0\nSetup=once\n"
                              "[Launch 2]\nEntry=copy\nGrid=1\nBlock=n\nArguments=in,work\n"
                              "Setup=each\n";
  g_autofree char *prepared = NULL;
  g_autofree char *late = NULL;
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  prepared = make_prepared (setup);
  write_file ("prepared.cu", prepared);
  run (&ran, "cured run prepared.cu -d emulator -o prepared.cured --print work[0..3] --print runs");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "  0  0  2  4  6\n");
  assert_has (ran.out, "runs, i32, elements 0 to 0 of 1\n  0  1\n");
  run (&ran, "cured kernels prepared.cu");
  assert_has (ran.out, "in, work), before each run, not timed");
  assert_has (ran.out, "once before the runs, not timed");

  /* 8 sectors of numbers and one of the counter, loaded and stored: what the copy does is not among
   * them. */
  run (&ran, "cured export prepared.cured -f csv -o -");
  assert_has (ran.out, "\n64,ok,,0,0,18,");

  late = make_prepared ("[Launch 1]\nEntry=twice\nGrid=1\nBlock=n\n"
                        "Arguments=work,runs\n"
                        "[Launch 2]\nMemset=runs\nValue=0\nSetup=once\n");
  write_file ("late.cu", late);
  assert_refuses ("cured run late.cu -d emulator", "Setup= first");
}

/* What the kernel found and wrote, for people and for programs. */
static void
test_run_print (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonArray *buffers = NULL;
  JsonObject *buffer = NULL;
  JsonArray *elements = NULL;

  if (!has_compiler ())
    return;
  write_file ("printed.cu", printed_source);
  run (&ran, "cured run printed.cu -p n=64,20 -d emulator -o printed.cured --print a[0..9] --print "
             "b[1..3] --print c[2..3] --print c[64]");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Buffers at n=64 after one run:");
  assert_has (ran.out, "a, f32, elements 0 to 9 of 64\n  0    0  0.1  0.2");
  assert_has (ran.out, "\n  8  0.8  0.9\n");
  assert_has (ran.out, "before  after\n  1       1      2\n  2       2      2");
  assert_has (ran.out, "  2  0.4  unwritten\n");
  assert_has (ran.out, "c, f32, has 64 elements, and none from 64 on");

  run (&ran, "cured run printed.cu -p n=64,20 -d emulator -o printed-2.cured --json --cell n=20 "
             "--print b --print c[3]");
  root = parse_json (&ran);
  buffers = json_object_get_array_member (json_node_get_object (root), "buffers");
  g_assert_cmpuint (json_array_get_length (buffers), ==, 2);
  buffer = json_array_get_object_element (buffers, 0);
  g_assert_cmpint (json_object_get_int_member (buffer, "length"), ==, 20);
  elements = json_object_get_array_member (buffer, "before");
  g_assert_cmpuint (json_array_get_length (elements), ==, 20);
  g_assert_cmpint (json_array_get_int_element (elements, 5), ==, 5);
  elements = json_object_get_array_member (buffer, "after");
  g_assert_cmpint (json_array_get_int_element (elements, 5), ==, 6);
  buffer = json_array_get_object_element (buffers, 1);
  g_assert_false (json_object_has_member (buffer, "before"));
  elements = json_object_get_array_member (buffer, "after");
  g_assert_true (json_array_get_null_element (elements, 0));

  assert_refuses ("cured run printed.cu --print d", "a, b, c");
  assert_refuses ("cured run printed.cu --print a[3..1]", "a[0..15]");
  assert_refuses ("cured run printed.cu --print a[1..", "a[0..15]");
  assert_refuses ("cured run printed.cu --print a[0..65536]", "65536");
  assert_refuses ("cured run printed.cu --cell n=20", "--print");
  assert_refuses ("cured run printed.cu -d model:h200 --print a", "model:h200");
  assert_refuses ("cured run --resume printed.cured -d emulator --print a --cell n=20", "-o");
}

/* What detectors find is in the file. */
static void
test_run_findings (void)
{
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  run (&ran, "cured run specimens/past-end -p n=100,1000 -d emulator -o past-end.cured -v");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "finding");
  assert_has (ran.out, "Findings: in 2 cells");
  run (&ran, "cured show past-end.cured -c n=100");
  assert_has (ran.out, "Access out of bounds in specimens_past_end: ");
}

/* cured worker */

static void
test_worker (void)
{
  g_auto (Ran) ran = { 0 };

  assert_refuses ("cured worker cuda:0", "takes no arguments");
  /* What it has to say, it says in its protocol. */
  write_program ("ask", "#!/bin/sh\n"
                        "# The end of its input would end it before it has answered.\n"
                        "mkfifo open\n"
                        "{ echo '{\"type\":\"hello\",\"protocol\":1}'; cat open; } |\n"
                        "  { \"$CURED_PROGRAM\" worker --device nonsense; echo \"status $?\"; } |\n"
                        "  {\n"
                        "    while read -r line && echo \"$line\"; do\n"
                        "      case $line in *error* | status*) break ;; esac\n"
                        "    done\n"
                        "    : >open\n"
                        "    cat\n"
                        "  }\n");
  run (&ran, "./ask");
  assert_has (ran.out, "status 1\n");
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "\"error\"");
  assert_has (ran.out, "nonsense");
}

/* cured run, on the fake device */

static void
assert_exists (const char *name, gboolean exists)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, exists);
}

static void
test_run (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured run vector/add -p n=1000 -p threads=32,64,96,128 -p blocks=1,2 -o sweep.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "8 cells, to sweep.cured\n");
  assert_has_not (ran.err, "\033");
  assert_has_not (ran.err, "\r");
  assert_has (ran.out, "Ran 8 of 8 cells");
  assert_has (ran.out, "Cells       8 ok\n");
  assert_has (ran.out, "threads=32,64,96,128\n");
  assert_has (ran.out, "Best: ");
  assert_has (ran.out, "Written to sweep.cured\n");
  assert_has (ran.out, "cured show sweep.cured\n");
  assert_exists ("sweep.cured", TRUE);

  /* A file is not replaced by accident, and not run twice. */
  run (&ran, "cured run vector/add -o sweep.cured");
  assert_refused (&ran, "sweep.cured exists");
  assert_has (ran.err, "--resume");
  assert_has (ran.err, "--force");
  run (&ran, "cured run --resume sweep.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Nothing was left to run");
  assert_has (ran.out, "8 ok");
  run (&ran, "cured run vector/add -p n=100 -o sweep.cured --force");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Ran 1 of 1 cell ");
}

/* A budget is kept to, and a replay rates the search on what a file has. */
static void
test_run_budget (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *replay;

  if (!has_compiler ())
    return;
  run (&ran, "cured run --best vector/add -p n=1000 -p threads=32..640:32 -p blocks=1,2,3,4 "
             "--budget 5 -d emulator -o budget.cured");
  assert_has (ran.out, "Visited 5 of 80 cells");
  run (&ran, "cured run vector/add -p n=1000 -p threads=32..640:32 -p blocks=1,2 -d emulator -o "
             "whole.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run --best --replay whole.cured -m instructions --replays 7 --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  replay = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (replay, "cells"), ==, 40);
  g_assert_cmpint (json_object_get_int_member (replay, "searches"), ==, 7);
  g_assert_cmpint (json_object_get_int_member (replay, "within_1_percent"), <=, 7);
  g_assert_cmpfloat (json_object_get_double_member (replay, "score"), <=, 1);

  assert_refuses ("cured run --replay whole.cured", "add --best");
  assert_refuses ("cured run --best --replay whole.cured -o no.cured", "--replay runs nothing");
  assert_refuses ("cured run --best --replay whole.cured -d zz", "--replay runs nothing");
  assert_refuses ("cured run --best --replay whole.cured --dry-run", "--replay runs nothing");
  assert_refuses ("cured run vector/add --budget 5", "add --best");
  assert_refuses ("cured run --best vector/add --budget 5m", "60s");
  assert_refuses ("cured run --best --replay none.cured", "none.cured");
  run (&ran, "cured run --best --replay none.cured");
  assert_has_not (strstr (ran.err, "none.cured") + 1, "none.cured");
}

/* Where a cell stands in what a verbose run printed. */
static const char *
find_line (const char *text, const char *cell)
{
  const char *found = strstr (text, cell);

  g_assert_nonnull (found);
  return found;
}

/* The predicted best cells come first, and it is said by whose facts; where there are none, the
 * order is the ordinary one. */
static void
test_run_predicted (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  assert_refuses ("cured run vector/add --order best", "plan, predicted");
  assert_refuses ("cured run --best vector/add --order predicted", "--predict");
  run_in (&ran, "CURED_DATA_DIR=/nowhere",
          "cured run vector/add -p n=65536 -p threads=32,256 -p blocks=4,64 --order predicted -v "
          "-o ordinary.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "there are no machine facts of Fake device");
  g_assert_true (find_line (ran.err, "threads=32 blocks=4:") <
                 find_line (ran.err, "threads=256 blocks=64:"));
  if (compiler == NULL)
    {
      g_test_skip ("no NVRTC");
      return;
    }
  run (&ran, "cured run vector/add -p n=65536 -p threads=32,256 -p blocks=4,64 --order predicted "
             "-v -o ordered.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "machine facts of NVIDIA H");
  assert_has (ran.err, ", as there are none of");
  g_assert_true (find_line (ran.err, "threads=256 blocks=64:") <
                 find_line (ran.err, "threads=32 blocks=4:"));
  run (&ran, "cured run --best vector/add -p n=65536 -p threads=32..640:32 -p blocks=1,2,3,4 "
             "--budget 2 --predict -o guided.cured --json");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "\"guided\" : 2");
  run (&ran, "cured run --best vector/add -p n=1000 --predict -d emulator -p blocks=1,2 -p "
             "threads=64 -o counted.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "--predict is about time");
}

/* --best runs a part of the sweep, says how sure it is, and leaves a file that a later run
 * completes. */
static void
test_run_best (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *search = NULL;

  run (&ran, "cured run --best vector/add -p n=1000 -p threads=32..640:32 -p blocks=1,2,3,4 -o "
             "best.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, " of 80 cells, for the best time\n");
  assert_has (ran.out, "Best: ");
  assert_has (ran.out, "at threads=");
  assert_has (ran.out, "Sure, 95 %: at most ");
  assert_has_not (ran.out, "Visited 80 ");
  assert_has (ran.out, " not run\n");

  /* What is known is not run again, also where something else is best. */
  run (&ran, "cured run --best --resume best.cured --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  search = json_object_get_object_member (json_node_get_object (root), "search");
  g_assert_cmpstr (json_object_get_string_member (search, "metric"), ==, "time");
  g_assert_cmpint (json_object_get_int_member (search, "cells"), ==, 80);
  g_assert_cmpint (json_object_get_int_member (search, "visited"), <, 80);
  g_assert_true (json_object_get_boolean_member (search, "finished"));
  g_assert_true (
      json_object_has_member (json_object_get_object_member (search, "best"), "threads"));
  run (&ran, "cured run --best --resume best.cured --metric bandwidth");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "for the best bandwidth");
  run (&ran, "cured run --resume best.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "80 ok");
  run (&ran, "cured run --best --resume best.cured");
  assert_has (ran.out, "Certain: all cells were visited");

  assert_refuses ("cured run --best vector/add -p n=10,20", "“n”");
  assert_refuses ("cured run vector/add --metric time", "--best");
  assert_refuses ("cured run --best vector/add -p n=10 --metric tim -o none.cured",
                  "did you mean “time”?");
  assert_refuses ("cured run --best vector/add -p n=10 --metric registers -o none.cured",
                  "registers");
}

static void
test_run_name (void)
{
  g_auto (Ran) ran = { 0 };
  const char *name = NULL;
  g_auto (GStrv) words = NULL;

  run (&ran, "cured run vector/add -p n=100");
  g_assert_cmpint (ran.status, ==, 0);
  name = strstr (ran.out, "Written to ");
  g_assert_nonnull (name);
  words = g_strsplit_set (name + strlen ("Written to "), "\n", 2);
  g_assert_true (g_regex_match_simple ("^vector-add-[0-9]{4}-[0-9]{2}-[0-9]{2}(-[0-9]+)?\\.cured$",
                                       words[0], 0, 0));
  assert_exists (words[0], TRUE);
}

/* One cell: every figure with its origin, the first mismatches, and what the kernel printed. */
static void
test_run_one (void)
{
  g_auto (Ran) ran = { 0 };

  run_in (&ran, "CURED_FAKE=print=*", "cured run vector/add -p n=100 -o 1.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "n=100: ok\n");
  g_assert_true (g_regex_match_simple ("\n  time +[0-9.]+ µs +measured ", ran.out, 0, 0));
  g_assert_true (g_regex_match_simple ("\n  bandwidth +[0-9.]+ .B/s +derived ", ran.out, 0, 0));
  g_assert_true (g_regex_match_simple ("\n  registers +32 +counted ", ran.out, 0, 0));
  assert_has (ran.out, "The kernel printed:\n");

  run_in (&ran, "CURED_FAKE=lie=*", "cured run vector/add -p n=100 -o 1.cured --force");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "n=100: wrong\n");
  assert_has (ran.out, "expected ");
  assert_has_not (ran.out, "Best:");
}

/* A kernel whose parameters have names, which refuses a point itself, and whose buffers change
 * their type. */
static const char named_source[] =
    "/*! cured\n[Kernel]\nTitle=Named\n"
    "[Parameter op]\nKind=compile\nValues=0..2\nNames=plain,fancy,odd\n"
    "Default=fancy\n"
    "[Parameter type]\nKind=compile\nValues=0..1\nNames=i32,f32\n"
    "Default=0\n"
    "[Parameter blocks]\nKind=launch\nDefault=1\n"
    "[Parameter n]\nKind=problem\nDefault=64\n"
    "[Buffer a]\nType=type:i32,f32\nLength=n\nFill=uniform\n"
    "[Buffer b]\nType=type:i32,f32\nLength=n\nFill=ramp\n"
    "[Buffer out]\nType=type:i32,f32\nLength=n\nFill=poison\n"
    "[Launch]\nEntry=named\nGrid=blocks\nBlock=32\nArguments=a,b,out,n\n"
    "[Require shape]\nIf=op != 2 || type == 1\n"
    "Reason=odd is for reals alone\n"
    "[Check]\nOutput=out\nReference=vector-add\n"
    "[Sweep]\nX=op\nY=blocks\nop=plain,fancy\nblocks=1,2\n*/\n"
    "extern \"C\" __global__ void named () {}\n";

static void
test_run_named (void)
{
  g_autofree char *path = g_build_filename (folder, "named.cu", NULL);
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (path, named_source, -1, NULL));
  run (&ran, "cured kernels ./named.cu");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "plain,fancy,odd");
  assert_has (ran.out, "type:i32,f32");
  assert_has (ran.out, "odd is for reals alone");
  run (&ran, "cured kernels ./named.cu --json");
  assert_has (ran.out, "\"odd\" : 2");
  assert_has (ran.out, "op != 2 || type == 1");

  run (&ran, "cured run ./named.cu -p op=odd,plain,1 -p type=i32,f32 -o named.cured --verbose");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "op=plain type=f32");
  assert_has (ran.out, "op=odd,plain,fancy\n");
  assert_has (ran.out, "type=i32,f32\n");
  assert_has (ran.out, "1 not launchable");
  assert_has (ran.out, "5 ok");
  run (&ran, "cured run ./named.cu -p op=odd --dry-run");
  assert_has (ran.out, "odd is for reals alone");
  assert_has (ran.out, "op=odd\n");
  assert_refuses ("cured run ./named.cu -p op=best", "plain, fancy, odd");
  assert_refuses ("cured run ./named.cu -p op=3", "plain,fancy,odd");

  run (&ran, "cured show named.cured --color=never --x op --y type");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "fancy");
  assert_has (ran.out, "f32");
  run (&ran, "cured show named.cured -c op=fancy,type=f32");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "op=fancy type=f32");
  run (&ran, "cured show named.cured -c op=odd,type=i32");
  assert_has (ran.out, "odd is for reals alone");
  run (&ran, "cured export named.cured --format csv -o named.csv");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cat named.csv");
  assert_has (ran.out, "\r\nodd,i32,1,64,not launchable,odd is for reals alone");
  assert_has (ran.out, "\r\nplain,f32,1,64,ok,");
  run (&ran, "cured export named.cured --format json -o named.json");
  run (&ran, "cat named.json");
  assert_has (ran.out, "\"values\":[2,0,1],\"names\":[\"odd\",\"plain\",\"fancy\"]");
  run (&ran, "cured export named.cured --x op --y type -o named.svg");
  g_assert_cmpint (ran.status, ==, 0);

  /* A result is compared and carried on by numbers. */
  run (&ran, "cured run --resume named.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Nothing was left to run");
  run (&ran, "cured compare named.cured named.cured");
  g_assert_cmpint (ran.status, ==, 0);
}

/* What a file claims is found out, and what it refuses is no fault of it. */
static void
test_check_claims (void)
{
  static const char head[] = "/*! cured\n[Kernel]\nTitle=Test\n"
                             "[Parameter n]\nKind=problem\nDefault=64\n"
                             "[Buffer out]\nType=i32\nLength=n\nFill=poison\n"
                             "[Launch]\nEntry=test\nGrid=ceil(n/32)\nBlock=32\nArguments=out,n\n";
  static const char body[] = "*/\nextern \"C\" __global__ void test (int *out, int n) {\n"
                             "  if (blockIdx.x * 32 + threadIdx.x < n)\n"
                             "    out[blockIdx.x * 32 + threadIdx.x] = 1;\n}\n";
  static const struct
  {
    const char *groups;
    int status;
    const char *out;
  } rows[] = {
    { "[Claim sectors]\nText=So\nMetric=global_sectors\nLow=8\nHigh=8\n", 0,
      "all as their files say" },
    { "[Claim sectors]\nText=So\nMetric=global_sectors\nAt=n=32\nLow=5\n", 1,
      "test: claim “sectors” is broken: global_sectors at n=32 ≥ 5 is 4" },
    { "[Claim time]\nText=So\nMetric=time\nLow=5\n", 0, "all as their files say" },
    { "[Require hardware]\nIf=!emulated\nReason=only a GPU has it\n", 0,
      "not here: only a GPU has it" },
    { "[Require size]\nIf=n != 31\nReason=it is 31\n", 0, "5/5" },
  };
  g_autofree char *path = g_build_filename (folder, "test.cu", NULL);
  g_auto (Ran) ran = { 0 };

  if (!has_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (head, rows[i].groups, body, NULL);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      run (&ran, "cured check ./test.cu");
      g_assert_cmpint (ran.status, ==, rows[i].status);
      assert_has (ran.out, rows[i].out);
    }
  run (&ran, "cured check ./test.cu --json");
  assert_has (ran.out, "\"broken_claims\" : 0");
  run (&ran, "cured kernels specimens/tile-column-fixed");
  assert_has (ran.out, "No access has a conflict");
  assert_has (ran.out, "excess_wavefronts ≤ 0");
}

/* 1 for what went wrong, unless the kernel file says that it will. */
static void
test_run_finding (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (GString) source = NULL;
  g_autofree char *path = g_build_filename (folder, "defect.cu", NULL);

  run_in (&ran, "CURED_FAKE=lie=2,fail=4,crash=8",
          "cured run vector/add -p n=100 -p blocks=1,2,4,8 -o found.cured");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "1 ok, 1 wrong, 1 failed, 1 crashed");
  assert_has (ran.out, "\n  blocks=2: wrong, ");
  assert_has (ran.out, "\n  blocks=8: crashed, ");

  run_in (&ran, "CURED_FAKE=hang=1",
          "cured run vector/add -p n=100 -p blocks=1,2 --limit 3 -o found.cured --force");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "1 ok, 1 timed out");

  run (&ran, "cured kernels --source vector/add");
  source = g_string_new (ran.out);
  g_assert_cmpint (
      g_string_replace (source, "Title=Vector addition", "Title=Odd\n * Defect=race", 1), ==, 1);
  g_assert_true (g_file_set_contents (path, source->str, -1, NULL));
  run_in (&ran, "CURED_FAKE=lie=*", "cured run defect.cu -p n=100 -o found.cured --force");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "1 wrong");
}

static void
run_preset (Ran *self, const char *config, const char *line)
{
  g_autofree char *environment = g_strconcat ("XDG_CONFIG_HOME=", config, NULL);

  run_in (self, environment, line);
}

static void
write_preset (const char *path, const char *text)
{
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
test_run_plan (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GString) source = NULL;
  g_autofree char *path = g_build_filename (folder, "wide.cu", NULL);
  JsonObject *plan = NULL;

  /* A kernel whose parameter may ask for more than a device gives. */
  run (&ran, "cured kernels --source vector/add");
  source = g_string_new (ran.out);
  g_assert_cmpint (g_string_replace (source, "Values=1..1024", "Values=1..4096", 1), ==, 1);
  g_assert_true (g_file_set_contents (path, source->str, -1, NULL));

  run (&ran, "cured run wide.cu -p threads=512..4096:512 --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "8 cells, 2 of them launchable");
  assert_has (ran.out, "Not launchable:\n");
  assert_has (ran.out, "In this order:\n  threads=512\n  threads=1024\n");

  /* Without a device there is a plan too, and word of what it lacks. */
  run_in (&ran, "CURED_FAKE=open=fail", "cured run wide.cu -p threads=512..4096:512 --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "No device: ");
  assert_has (ran.out, "8 cells, 8 of them launchable");

  run (&ran, "cured run wide.cu -p threads=512..4096:512 -nv --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  plan = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (plan, "cells"), ==, 8);
  g_assert_cmpint (json_object_get_int_member (plan, "launchable"), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (plan, "estimate_s"), >, 0);
  g_assert_nonnull (json_object_get_string_member (plan, "estimate_by"));
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (plan, "order")), ==, 2);

  run (&ran, "cured run wide.cu --sweep -p blocks=1 --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "\n  blocks=1\n");
  assert_has (ran.out, "\n  threads=32,");

  run (&ran, "cured run wide.cu -p threads=1024,2048 -p n=100 -o w.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "1 ok, 1 not launchable");

  assert_refuses ("cured run wide.cu -p threads=2048,4096 -o none.cured",
                  "no cell can be launched on Fake device: ");
  assert_exists ("none.cured", FALSE);
}

/* A preset as the window saves it, whose word counts for less than the command line's. */
static void
test_run_preset (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", &error);
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_autoptr (CuredPreset) preset = NULL;
  g_autofree char *config = g_build_filename (folder, "config", NULL);
  g_autofree char *own = NULL;
  g_autofree char *text = NULL;
  g_autofree char *launched = NULL;
  g_auto (Ran) ran = { 0 };

  /* Where the command looks for them. */
  own = g_build_filename (config, "cured", "presets", "vector%2Fadd", "a few.preset", NULL);
  g_assert_true (cured_spec_parse_axis (spec, "blocks=1..3", NULL));
  g_assert_true (cured_spec_parse_axis (spec, "n=1024", NULL));
  cured_spec_get_options (spec)->seed = 5;
  cured_spec_get_options (spec)->limit_s = 7.5;
  cured_spec_get_options (spec)->blocks = g_strdup ("0..1");
  preset = cured_preset_new ("a few", spec, "fake:3", NULL);
  text = cured_preset_to_text (preset);
  write_preset (own, text);

  run_preset (&ran, config, "cured run vector/add --preset 'a few' -o p.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "(fake:3): 3 cells");
  assert_has (ran.out, "blocks=1,2,3");
  run (&ran, "cured export p.cured --format json -o p.json");
  run (&ran, "cat p.json");
  assert_has (ran.out, "\"seed\":5,");
  assert_has (ran.out, "\"limit_s\":7.5,");
  /* What the emulator alone understands is not for this device. */
  assert_has (ran.out, "\"blocks\":null,");

  run_preset (&ran, config,
              "cured run vector/add --preset 'a few' -o q.cured --limit 9 -p blocks=4,5 -d fake:0");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "(fake:0): 2 cells");
  run (&ran, "cured export q.cured --format json -o q.json");
  run (&ran, "cat q.json");
  assert_has (ran.out, "\"seed\":5,");
  assert_has (ran.out, "\"limit_s\":9,");

  /* A file names its kernel; an own name does not. */
  write_file ("a.preset", text);
  run_preset (&ran, config, "cured run --preset a.preset --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "vector/add on ");
  assert_has (ran.out, "\nTime: ");
  run_preset (&ran, config, "cured run --preset few --dry-run");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "does not say of which kernel");
  run_preset (&ran, config, "cured run vector/add --preset few --dry-run");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "there is no preset “few” of vector/add");
  assert_has (ran.err, "a few");
  run_preset (&ran, config, "cured run dot/shuffle --preset few --dry-run");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "New Sweep");
  run_preset (&ran, config, "cured run dot/shuffle --preset a.preset -n");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "a.preset:");
  run_preset (&ran, config, "cured run --resume p.cured --preset a.preset");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "--resume");

  /* Nobody's file starts a program. */
  launched = g_strdup_printf ("[Preset]\nKernel=vector/add\n"
                              "Launcher=sh -c 'touch launched'\n");
  write_file ("launch.preset", launched);
  run_preset (&ran, config, "cured run --preset launch.preset -o l.cured");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "launch.preset:3: ");
  assert_has (ran.err, "--worker");
  assert_exists ("launched", FALSE);
  /* One's own does. */
  write_preset (own, launched);
  run_preset (&ran, config, "cured run vector/add --preset 'a few' -o l.cured");
  g_assert_cmpint (ran.status, ==, 2);
  assert_exists ("launched", TRUE);

  write_file ("wrong.preset", "[Preset]\n[Options]\nlimits=3\n");
  run_preset (&ran, config, "cured run vector/add --preset wrong.preset -n");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "wrong.preset:3: ");
  assert_has (ran.err, "limit_s");
}

static void
test_run_usage (void)
{
  assert_refuses ("cured run", "run needs a kernel");
  assert_refuses ("cured run a b", "one kernel at a time");
  assert_refuses ("cured run matmul/tild", "matmul/tiled");
  assert_refuses ("cured run none.cu", "none.cu");
  assert_refuses ("cured run vector/add -p", "-p");
  assert_refuses ("cured run vector/add -p threads", "NAME=AXIS");
  assert_refuses ("cured run vector/add -p thread=1",
                  "did you mean “threads”? There are: threads, ");
  assert_refuses ("cured run vector/add -p threads=1..", "1..");
  assert_refuses ("cured run vector/add -p threads=0", "1..1024");
  assert_refuses ("cured run vector/add --limit 0", "--limit 0");
  assert_refuses ("cured run vector/add --limit 1,5", "--limit 1,5");
  assert_refuses ("cured run vector/add --limit soon", "--limit soon");
  assert_refuses ("cured run vector/add --seed=-1", "--seed -1");
  assert_refuses ("cured run vector/add --samples 9..3", "--samples 9..3");
  assert_refuses ("cured run vector/add --samples many", "--samples");
  assert_refuses ("cured run vector/add --precision tight", "--precision: ");
  assert_refuses ("cured run vector/add --no-cold --no-hot", "nothing");
  assert_refuses ("cured run vector/add --device cuda:0,", "cuda:0,cuda:1");
  assert_refuses ("cured run vector/add -d ''", "--device : expected names");
  assert_refuses ("cured run vector/add --precision=200",
                  "--precision 200: expected a percentage from 0% to 100%");
  assert_refuses ("cured run vector/add --anchor=-1",
                  "--anchor -1: expected a whole number from 0 to");
  assert_refuses ("cured run vector/add --anchor=nan",
                  "--anchor nan: expected a whole number from 0 to");
  assert_refuses ("cured run vector/add --rounds=0", "expected auto, or");
  assert_refuses ("cured run vector/add --launcher=", "--launcher: expected");
  assert_refuses ("cured run vector/add --push", "--push copies");
  assert_refuses ("cured run vector/add --replays=-1",
                  "--replays -1: expected a whole number from 1 to 10000");
  assert_refuses ("cured run vector/add --replays=1", "--replays goes with --replay FILE");
  assert_refuses ("cured run vector/add -p n=64 -p n=32", "“n” is given twice");
  assert_refuses ("cured predict", "cured predict needs a kernel, such as “cured predict ");
  assert_refuses ("sh -c '\"$CURED_PROGRAM\" run vector/add -p \"$(printf \"n=\\377\")\"'",
                  "cured: “n=");
  assert_refuses ("cured run vector/add --worker \"'\"", "--worker: ");
  assert_refuses ("cured run vector/add --worker /nowhere/w", "/nowhere/w");
  assert_refuses ("cured run --resume", "--resume needs a file");
  assert_refuses ("cured run --resume none.cured", "none.cured");
  assert_refuses ("cured run vector/add --resume --force -o x.cured", "exclude each other");
  assert_refuses ("cured run vector/add -p n=9 -o /nowhere/x.cured", "/nowhere/x.cured");
}

static void
test_run_device (void)
{
  g_auto (Ran) ran = { 0 };

  run_in (&ran, "CURED_FAKE=open=fail", "cured run vector/add -p n=9");
  g_assert_cmpint (ran.status, ==, 2);
  g_assert_true (g_str_has_prefix (ran.err, "cured: "));

  run (&ran, "cured run vector/add -p n=100 -p blocks=1..6 --device cuda:0,cuda:1 -o two.cured -v");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "6 ok");
  assert_has (ran.out, "of 2 devices went:");

  /* The command line says which worker, before the environment does. */
  run_in (&ran, "CURED_WORKER=/nowhere/w",
          "sh -c '\"$CURED_PROGRAM\" run vector/add -p n=100 -o said.cured --worker "
          "\"$CURED_TEST_WORKER\"'");
  g_assert_cmpint (ran.status, ==, 0);

  /* Its own worker is itself, whatever its file is called. */
  run (&ran, "sh -c 'cp \"$CURED_PROGRAM\" tuner'");
  g_assert_cmpint (ran.status, ==, 0);
  run_in (&ran, "PATH=/usr/bin:/bin",
          "env -u CURED_WORKER ./tuner run vector/add -p n=100 --device emulator -o renamed.cured");
  g_assert_cmpint (ran.status, ==, 0);
}

/* What was asked for reaches the file. */
static void
test_run_options (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured run vector/add -p n=100 -o options.cured --samples 7..7 --no-hot --seed 5 "
             "--precision 1% --option=-use_fast_math --option=-DX=1 --limit 2.5 --rounds 1");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_regex_match_simple ("time_samples +7 ", ran.out, 0, 0));
  assert_has_not (ran.out, "time_hot");

  /* More rounds are no other sweep; the second one takes half of the seven. */
  run (&ran, "cured run --resume options.cured --rounds 2");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_regex_match_simple ("time_samples +11 ", ran.out, 0, 0));
  assert_has (ran.out, "2 rounds: the interval holds between processes");
  assert_refuses ("cured run vector/add --rounds some", "expected auto, or");

  /* … and --resume notices what differs. */
  run (&ran, "cured run --resume options.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run --resume options.cured --seed 6");
  assert_refused (&ran, "seed");
  run (&ran, "cured run --resume options.cured vector/add -p n=99");
  assert_refused (&ran, "options.cured");
  run (&ran, "cured run --resume options.cured vector/add");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run --resume options.cured matmul/naive");
  assert_refused (&ran, "another kernel");
  run (&ran, "cured run --resume options.cured -p n=100");
  assert_refused (&ran, "-p and --sweep need a kernel");

  run (&ran, "cured run vector/add -p n=100 -o hot.cured --no-cold --no-check");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Best: ");
  assert_has (ran.out, "time_hot");
  assert_has_not (ran.out, "time_low");
}

/* Every row of the table of options has a switch that sets it. */
static void
test_run_every_option (void)
{
  static const char *const left_out[] = { "cold", "hot" };
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_autofree char *path = g_build_filename (folder, "every.cured", NULL);

  for (gsize k = 0; k < G_N_ELEMENTS (left_out); k++)
    {
      g_autoptr (GString) line =
          g_string_new ("cured run vector/add -p n=100 -d emulator -o every.cured --force");
      g_autoptr (CuredResult) result = NULL;
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
            g_string_append_printf (line, " --%s %s", rows[i].switch_name, value);
        }
      run (&ran, line->str);
      if (strstr (ran.err, "NVRTC") != NULL)
        {
          g_test_skip (ran.err);
          return;
        }
      g_assert_cmpint (ran.status, ==, 0);
      result = cured_result_load (path, NULL, NULL);
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

static void
test_run_verbose (void)
{
  g_auto (Ran) ran = { 0 };
  const char *text = NULL;
  double sum = 0.0;

  run (&ran, "cured run vector/add -p n=100 -p blocks=1,2 -o v.cured -v");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_regex_match_simple ("\nblocks=1: ok, [0-9.]+ µs\n", ran.err, 0, 0));
  text = strstr (ran.out, "of 1 device went:\n");
  g_assert_nonnull (text);
  assert_has (text, "  running kernels ");
  assert_has (text, "  waiting for the compiler ");
  for (const char *at = strchr (text, '\n'); at[1] != '\0'; at = strchr (at + 1, '\n'))
    sum += g_ascii_strtod (at + 1 + strlen ("  waiting for the compiler"), NULL);
  g_assert_cmpfloat (sum, >, 99.5);
  g_assert_cmpfloat (sum, <, 100.5);
}

static void
test_run_json (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *summary = NULL;
  JsonObject *best = NULL;

  run_in (&ran, "LC_ALL=de_DE.UTF-8 CURED_FAKE=lie=2",
          "cured run vector/add -p n=100 -p blocks=1,2,4 -o j.cured --json");
  g_assert_cmpint (ran.status, ==, 1);
  root = parse_json (&ran);
  summary = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (summary, "file"), ==, "j.cured");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (summary, "states"), "wrong"), ==,
      1);
  best = json_object_get_object_member (summary, "best");
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (best, "values"), "n"),
                   ==, 100);
  g_assert_cmpfloat (
      json_object_get_double_member (json_object_get_object_member (best, "metrics"), "time"), >,
      0.0);
  g_assert_true (json_object_get_null_member (summary, "stopped"));
}

/* Starts a long sweep with @command, sends @signal_number once a cell is done, and asserts on how
 * it ends. */
static char *
stop_sweep (const char *command, int signal_number, int status)
{
  g_auto (GStrv) words = g_strsplit (command, " ", -1);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  g_autoptr (GError) error = NULL;
  char *out = NULL;

  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_setenv (launcher, "CURED_FAKE", "slow=*", TRUE);
  g_free (words[0]);
  words[0] = g_strdup (program);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &error);
  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  /* Until the line of the first cell. */
  for (gboolean is_first = FALSE; !is_first;)
    {
      g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_nonnull (line);
      is_first = strstr (line, ": ok") != NULL;
    }
  g_subprocess_send_signal (process, signal_number);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, status);
  return out;
}

/* Ctrl+C keeps what is finished, says how to go on, and going on works. So does what a scheduler
 * sends, with an exit code of its own. */
static void
test_run_interrupt (void)
{
  const struct
  {
    const char *name;
    int number;
    int status;
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

/* So many cells that nobody waits for all of them: each is there once it is predicted, and what is
 * too long to be numbered is refused. */
static void
test_predict_many (void)
{
  g_auto (Ran) shown = { 0 };
  g_autofree char *out = NULL;

  if (!has_compiler ())
    return;
  assert_refuses ("cured predict vector/one -p n=1..100000000 -o x.cured",
                  "an axis may have 1048576");
  out = stop_sweep ("cured predict vector/one -p n=1..1000000 -o many.cured -v", SIGINT, 130);
  assert_has (out, " not run");
  run (&shown, "cured show many.cured --cell n=1");
  g_assert_cmpint (shown.status, ==, 0);
}

/* The far side: a shell's words, a machine with an environment and a folder of its own, one that
 * can't be reached, and one that has no Cured. */
static void
test_launcher (void)
{
  static const char words[] = "--launcher \"sh -c 'exec \\\"$@\\\"' launcher\"";
  g_auto (Ran) ran = { 0 };
  g_autofree char *path = g_strconcat ("PATH='", folder, "/far:", g_getenv ("PATH"), "'", NULL);
  g_autofree char *run_there = g_strdup_printf (
      "cured run vector/add -p n=100 -p blocks=1..4 -o there.cured %s --launcher ./elsewhere -v",
      words);
  g_autofree char *far = g_strdup_printf ("#!/bin/sh\n"
                                          "[ \"$1\" != worker ] || exec '%s' \"$@\"\n"
                                          "exec '%s' \"$@\"\n",
                                          g_getenv ("CURED_TEST_WORKER"), program);
  g_autofree char *elsewhere =
      g_strdup_printf ("#!/bin/sh\n"
                       "cd / && exec env -i PATH='%s/far:/usr/bin:/bin' LC_ALL=C.UTF-8 \"$@\"\n",
                       folder);
  g_autofree char *devices = g_strconcat ("cured devices ", words, NULL);

  write_program ("far/cured", far);
  write_program ("elsewhere", elsewhere);
  write_program ("away", "#!/bin/sh\necho 'no route to gpu-7' >&2\nexit 255\n");

  run_in (&ran, path, devices);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "emulator");
  run (&ran, "cured devices --launcher ./elsewhere --json");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "emulator");

  run_in (&ran, path, run_there);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "4 ok");
  assert_has (ran.out, "of 2 devices went:");
  run (&ran, "cured check vector/add -p n=100 --launcher ./elsewhere");
  g_assert_cmpint (ran.status, ==, 0);

  assert_refuses ("cured devices --launcher ./away", "no route to gpu-7");
  assert_refuses ("cured run vector/add -p n=9 --launcher ./away", "no route to gpu-7");
  assert_refuses ("cured run vector/add -p n=9 -o none.cured --launcher 'env PATH=/nowhere'",
                  "No such file");
  assert_refuses ("cured check vector/add --launcher 'env PATH=/nowhere'", "No such file");
  assert_refuses ("cured devices --launcher \"ssh 'gpu\"", "ssh 'gpu");
  assert_exists ("none.cured", FALSE);
}

/* Each of these waits for the other one to be started: devices are opened at the same time. */
static void
test_launchers (void)
{
  static const char meeting[] = "#!/bin/sh\n"
                                ": > met.$1\n"
                                "until [ -e met.$2 ]; do sleep 0.01; done\n"
                                "shift 2\n"
                                "exec env PATH=\"$PWD/far:$PATH\" \"$@\"\n";
  g_auto (Ran) ran = { 0 };
  g_autofree char *far =
      g_strdup_printf ("#!/bin/sh\nexec '%s' \"$@\"\n", g_getenv ("CURED_TEST_WORKER"));

  write_program ("far/cured", far);
  write_program ("meeting", meeting);
  run (&ran, "cured run vector/add -p n=100 -p blocks=1..4 -o met.cured --launcher './meeting one "
             "two' --launcher './meeting two one' -v");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "4 ok");
  assert_has (ran.out, "of 2 devices went:");
}

/* What containers are entered with, as far as that is how they take words, standard input and exit
 * codes: options up to the image or to “--”, words as they are, no input unless asked for it, an
 * exit code of their own or the program's. */
static const char docker[] =
    "#!/bin/sh\n"
    "input=/dev/null\n"
    "[ \"$1\" = run ] || exit 125\n"
    "shift\n"
    "while :; do case $1 in\n"
    "  -i) input= ;;\n"
    "  --rm) ;;\n"
    "  --gpus | -v) shift ;;\n"
    "  -e) shift; export \"$1\" ;;\n"
    "  -*) echo \"unknown flag: $1\" >&2; exit 125 ;;\n"
    "  *) break ;;\n"
    "esac; shift; done\n"
    "if [ \"$1\" = gone ]; then\n"
    "  echo 'docker: Cannot connect to the Docker daemon.' >&2; exit 125\n"
    "fi\n"
    "if [ \"$1\" = bare ]; then\n"
    "  echo \"exec: \\\"$2\\\": executable file not found in \\$PATH\" >&2\n"
    "  exit 127\n"
    "fi\n"
    "shift\n"
    "printf '%s|' \"$GREETING\" \"$@\" >> words\n"
    "echo >> words\n"
    "if [ -n \"$input\" ]; then exec \"$@\" < $input; fi\n"
    "exec \"$@\"\n";

static const char kubectl[] =
    "#!/bin/sh\n"
    "[ \"$1 $2 $4\" = 'exec -i --' ] || exit 1\n"
    "if [ \"$3\" = gone ]; then\n"
    "  echo 'Error from server (NotFound): pods \"gone\" not found' >&2; exit 1\n"
    "fi\n"
    "shift 4\n"
    "\"$@\" || {\n"
    "  code=$?\n"
    "  echo \"command terminated with exit code $code\" >&2\n"
    "  exit $code\n"
    "}\n";

static void
test_containers (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *path =
      g_strconcat ("PATH='", folder, "/engines:", folder, "/far:", g_getenv ("PATH"), "'", NULL);
  g_autofree char *far = g_strdup_printf ("#!/bin/sh\n"
                                          "[ \"$1\" != worker ] || exec '%s' \"$@\"\n"
                                          "exec '%s' \"$@\"\n",
                                          g_getenv ("CURED_TEST_WORKER"), program);
  g_autofree char *words_path = g_build_filename (folder, "words", NULL);
  g_autofree char *words = NULL;

  write_program ("far/cured", far);
  write_program ("engines/docker", docker);
  write_program ("engines/kubectl", kubectl);

  run_in (&ran, path,
          "cured devices --launcher \"docker run -i --rm --gpus all -e 'GREETING=to all  of "
          "\\\"you\\\"' image\"");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "emulator");
  g_assert_true (g_file_get_contents (words_path, &words, NULL, NULL));
  g_assert_cmpstr (words, ==, "to all  of \"you\"|cured|devices|--json|\n");
  run_in (&ran, path,
          "cured run vector/add -p n=100 -p blocks=1..4 -o inside.cured -v --launcher 'docker run "
          "-i --rm --gpus all image' --launcher 'kubectl exec -i pod --'");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "4 ok");
  assert_has (ran.out, "of 2 devices went:");
  run_in (&ran, path, "cured check vector/add -p n=100 --launcher 'kubectl exec -i pod --'");
  g_assert_cmpint (ran.status, ==, 0);

  /* What they say of their own failure is passed on, and the exit code for a program that is not
   * there is known. */
  run_in (&ran, path, "cured devices --launcher 'docker run -i gone'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "Cannot connect to the Docker daemon");
  run_in (&ran, path, "cured run vector/add -p n=9 -o no.cured --launcher 'docker run -i bare'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "no Cured where");
  assert_has (ran.err, "executable file not found");
  run_in (&ran, path,
          "cured run vector/add -p n=9 -o no.cured --launcher 'kubectl exec -i gone --'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "pods \"gone\" not found");
  run_in (&ran, path,
          "cured check vector/add --launcher 'kubectl exec -i pod -- env PATH=/nowhere'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "no Cured where");

  /* Without its “-i”, docker gives a worker nothing to read. */
  run_in (&ran, path, "cured run vector/add -p n=9 -o no.cured --launcher 'docker run image'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "docker run -i");
  assert_exists ("no.cured", FALSE);
}

/* The batch script, without Slurm: whatever the words have in them reaches Slurm and the shell as
 * it is. */
static void
test_submit (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *script = g_build_filename (folder, "job.sh", NULL);

  run (&ran,
       "cured submit vector/add -p n=100 --array 4 -o 'it is 5%\".cured' \"--option=-DX='1'\" "
       "--sbatch=--time=30 --sbatch='-A lab' --sbatch='--comment=a \"b\" #c' --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "#SBATCH --array=0-3\n");
  assert_has (ran.out, "#SBATCH --requeue\n");
  assert_has (ran.out, "#SBATCH --gpus=1\n");
  assert_has (ran.out, "/it is 5%%\\\".cured.shards/%a.log\"\n");
  assert_has (ran.out, "#SBATCH --time=30\n#SBATCH -A lab\n");
  assert_has (ran.out, "#SBATCH --comment=\"a \\\"b\\\" #c\"\n");
  assert_has (ran.out, "/it is 5%\".cured.shards'/\"$SLURM_ARRAY_TASK_ID\"");
  assert_has (ran.out, " '--option=-DX='\\''1'\\''' ");
  assert_has (ran.out, " --resume --shard slurm -o \"$file\" &\n");
  g_assert_true (g_file_set_contents (script, ran.out, -1, NULL));
  run (&ran, "sh -n job.sh");
  g_assert_cmpint (ran.status, ==, 0);

  run (&ran, "cured submit vector/add --array 4 -o x.cured --device emulator --dry-run");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has_not (ran.out, "--gpus");

  assert_refuses ("cured submit vector/add --array 4 --dry-run", "where to write");
  assert_refuses ("cured submit no/such --array 4 -o x.cured --dry-run",
                  "no kernel is called no/such");
  assert_refuses ("cured submit vector/add --array 4 -o x.cured --shard 1/2", "--shard");
  assert_refuses ("cured submit vector/add --array 4 -o x.cured --sbatch=time",
                  "expected an option of sbatch");
  assert_refuses ("cured submit vector/add --array 0 -o x.cured -n",
                  "--array 0: expected a whole number from 1 to");
  assert_refuses ("cured submit vector/add --array -1 -o x.cured -n",
                  "--array -1: expected a whole number");
  assert_refuses ("cured submit vector/add -p n=0 --array 4 -o x.cured -n",
                  "no cell can be launched");
  assert_refuses ("cured submit vector/add --array 4 -o '' -n", "-o: expected");
  assert_refuses ("cured submit vector/add --array 4 -o nodir/x.cured -n",
                  "there is no folder nodir");
  assert_refuses ("cured submit vector/add --array 4 -o job.sh -n", "job.sh exists; --force");
  run_in (&ran, "PATH=/nowhere", "cured submit vector/add --array 4 -o x.cured -d emulator");
  assert_refused (&ran, "there is no sbatch here");
  assert_exists ("x.cured.shards", FALSE);
}

/* The program is copied to a machine that has none, and once. */
static void
test_push (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *path = g_strconcat ("PATH='", folder, "/no-tar:", g_getenv ("PATH"), "'", NULL);
  g_autofree char *bare =
      g_strdup_printf ("#!/bin/sh\n"
                       "cd / && exec env -i PATH=/usr/bin:/bin XDG_CACHE_HOME='%s/cache of others' "
                       "LC_ALL=C.UTF-8 \"$@\"\n",
                       folder);

  write_program ("bare", bare);
  write_program ("no-tar/tar", "#!/bin/sh\nexit 9\n");
  write_program ("no-shell", "#!/bin/sh\nexit 127\n");

  /* What is copied is the worker's program, where the environment names one. */
  run (&ran,
       "cured run vector/add -p n=100 -p blocks=1..4 -o pushed.cured --launcher ./bare --push");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "4 ok");
  run_in (&ran, path,
          "cured run vector/add -p n=100 -p blocks=1..4 -o pushed-again.cured --launcher ./bare "
          "--push");
  g_assert_cmpint (ran.status, ==, 0);

  run_in (&ran, path,
          "sh -c 'exec env -u CURED_WORKER \"$CURED_PROGRAM\" devices --launcher ./bare --push'");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "shell, tar and a cache folder");
  for (int i = 0; i < 2; i++)
    {
      run_in (
          &ran, i == 0 ? NULL : path,
          "sh -c 'exec env -u CURED_WORKER \"$CURED_PROGRAM\" devices --launcher ./bare --push'");
      g_assert_cmpint (ran.status, ==, 0);
      assert_has (ran.out, "emulator");
    }
  run_in (&ran, path, "cured check vector/add -p n=100 --launcher ./bare --push");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured devices --launcher ./no-shell --push", "shell, tar and a cache folder");
}

/* On a terminal, one line is redrawn and taken away at the end. */
static void
test_run_terminal (void)
{
  /* The second cell waits until the bar shows the first one as done. */
  static const char on_terminal[] =
      "#!/bin/sh\n"
      "{\n"
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
  g_auto (GStrv) frames = NULL;

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
  frames = g_strsplit (ran.out, "\033[K", -1);
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

/* cured show */

static void
test_show (void)
{
  const MakeResult what = { .n_sizes = 2 };
  g_auto (Ran) ran = { 0 };

  make_file ("map.cured", &what);
  run (&ran, "cured show map.cured");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "(synthetic/sum)\n");
  assert_has (ran.out, "Device      Synthetic device");
  assert_has (ran.out, "synthetic driver");
  assert_has (ran.out, " ok, ");
  assert_has (ran.out, " not launchable\n");
  assert_has (ran.out, "Best in the file: ");
  assert_has_not (ran.out, "\033");

  run (&ran, "cured show map.cured --color=always");
  assert_has (ran.out, "\033[");
  run (&ran, "cured show map.cured --metric bandwidth --x blocks --log");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Bandwidth");
  run (&ran, "cured show map.cured --x n --y tile --at blocks=132 --linear");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "blocks = 132");
  run (&ran, "cured show map.cured --y tile");
  g_assert_cmpint (ran.status, ==, 0);

  /* Multiples of the best, of which there is one where an end is better. */
  assert_has_not (ran.out, "×1.00");
  run (&ran, "cured show map.cured --y tile --relative");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Time · × the best · measured");
  assert_has (ran.out, "×1.00");
  assert_refuses ("cured show map.cured --relative --absolute", "exclude each other");
  assert_refuses ("cured show map.cured --metric registers --relative", "“registers”");

  run (&ran, "cured show map.cured --list");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "\n  blocks ");
  assert_has (ran.out, "\n  time ");
  assert_has_not (ran.out, "flop_rate");
}

/* A map is as wide as the terminal allows, and coloured only there. */
static void
test_show_terminal (void)
{
  const MakeResult what = { .n_tiles = 60 };
  g_auto (Ran) ran = { 0 };
  g_autofree char *script = g_find_program_in_path ("script");
  g_auto (GStrv) lines = NULL;

  make_file ("wide.cured", &what);
  run_in (&ran, "COLUMNS=50", "cured show wide.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "│");
  lines = g_strsplit (ran.out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "│") != NULL)
      g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 50);

  if (script == NULL)
    {
      g_test_skip ("no script(1) here");
      return;
    }
  run_in (&ran, "TERM=xterm", "script -qec '\"$CURED_PROGRAM\" show wide.cured' /dev/null");
  assert_has (ran.out, "\033[");
  run_in (&ran, "TERM=xterm NO_COLOR=1",
          "script -qec '\"$CURED_PROGRAM\" show wide.cured' /dev/null");
  assert_has_not (ran.out, "\033[");
  run_in (&ran, "TERM=xterm",
          "script -qec '\"$CURED_PROGRAM\" show wide.cured --color=never' /dev/null");
  assert_has_not (ran.out, "\033[");
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
static void
test_printable (void)
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

/* A block that the kernel was not compiled for is refused with the bound, what was asked for, and
 * what to do: by check, by a run, by banks. */
static void
test_bounds (void)
{
  static const struct
  {
    const char *directive;
    const char *words[3];
  } cases[] = {
    { ".maxntid 128", { "at most 128 threads", "has 256", "Block=" } },
    { ".reqntid 512", { "512 × 1 × 1", "256 × 1 × 1", "Block=512,1,1" } },
    { ".reqntid 64", { "at most 64 threads", "has 256", "Block=" } },
  };
  static const char *const lines[] = {
    "cured check bounds.ptx",
    "cured run bounds.ptx --device emulator -p threads=256 -o bounds.cured --force",
    "cured show bounds.cured --cell threads=256",
    "cured banks bounds.ptx",
  };
  g_autofree char *path = g_build_filename (folder, "bounds.ptx", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *ptx =
          g_strdup_printf (".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry f(.param .u64 f_0) %s\n{\n.reg .b64 %%rd<2>;\n"
                           ".reg .b32 %%r<2>;\nld.param.u64 %%rd1, [f_0];\nmov.u32 %%r1, 1;\n"
                           "st.global.u32 [%%rd1], %%r1;\nret;\n}\n"
                           "/*! cured\n[Kernel]\nTitle=Bounds\nFamily=test\n"
                           "[Parameter threads]\nKind=launch\nValues=32..1024:32\nDefault=256\n"
                           "[Buffer x]\nType=i32\nLength=1\nFill=poison\n"
                           "[Launch]\nEntry=f\nGrid=1\nBlock=threads\nArguments=x\n*/\n",
                           cases[i].directive);

      g_assert_true (g_file_set_contents (path, ptx, -1, NULL));
      for (gsize k = 0; k < G_N_ELEMENTS (lines); k++)
        {
          g_auto (Ran) ran = { 0 };
          g_autofree char *all = NULL;

          run (&ran, lines[k]);
          all = g_strconcat (ran.out, ran.err, NULL);
          if (strstr (lines[k], "cured run") != NULL)
            assert_has (all, "1 not launchable");
          else
            for (gsize w = 0; w < G_N_ELEMENTS (cases[i].words); w++)
              assert_has (all, cases[i].words[w]);
        }
    }
}

/* A disk that is full: which file, what becomes of it, what to do next; and nothing of what was
 * there is lost. The disk is a small file system in memory, which only these commands see. */
static void
test_full_disk (void)
{
  static const char *const script =
      "mount -t tmpfs -o size=64k tmpfs disk || exit 77\n"
      "exec 2>&1\n"
      "\"$CURED_PROGRAM\" run disk.ptx --device emulator -o disk/new.cured\n"
      "echo status $? $(ls disk | wc -l)\n"
      "\"$CURED_PROGRAM\" export disk.cured -o disk/x.csv >/dev/null\n"
      "echo old >disk/y.png\n"
      "\"$CURED_PROGRAM\" export disk.cured -o disk/y.png\n"
      "echo status $? $(cat disk/y.png) $(ls disk | wc -l)\n"
      "rm disk/*\n"
      "mount -o remount,size=250k disk\n"
      "cp small.cured disk/old.cured\n"
      "\"$CURED_PROGRAM\" merge disk.cured disk.cured -o disk/old.cured --force\n"
      "cmp small.cured disk/old.cured && echo same $(ls disk | wc -l)\n"
      "rm disk/*\n"
      "\"$CURED_PROGRAM\" run disk.ptx --device emulator -o disk/run.cured -p n=1..8 -p "
      "threads=1..32\n"
      "\"$CURED_PROGRAM\" show disk/run.cured --list\n"
      "echo shown $?\n"
      "mount -o remount,size=3m disk\n"
      "\"$CURED_PROGRAM\" run --resume disk/run.cured --device emulator\n"
      "echo finished $?\n";
  const MakeResult large = { .n_tiles = 16, .n_blocks = 16 };
  const MakeResult small = { .n_tiles = 1, .n_blocks = 1, .no_samples = TRUE };
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *line = g_strdup_printf ("unshare -rm sh -c %s", quoted);
  g_autofree char *unshare = g_find_program_in_path ("unshare");
  g_autofree char *disk = g_build_filename (folder, "disk", NULL);
  g_autofree char *ptx = g_build_filename (folder, "disk.ptx", NULL);
  g_autofree char *text = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "");
  g_auto (Ran) ran = { 0 };

  if (unshare == NULL)
    {
      g_test_skip ("no unshare(1) here");
      return;
    }
  g_assert_true (g_file_set_contents (ptx, text, -1, NULL));
  make_file ("disk.cured", &large);
  make_file ("small.cured", &small);
  g_assert_cmpint (g_mkdir (disk, 0700), ==, 0);
  run (&ran, line);
  g_assert_cmpint (g_rmdir (disk), ==, 0);
  if (strstr (ran.out, "status") == NULL)
    {
      g_test_skip ("no file system can be mounted here");
      return;
    }
  assert_has (ran.out, "The disk that is to hold “disk/new.cured” is full.");
  assert_has (ran.out, "status 2 0\n");
  assert_has (ran.out, "disk/y.png: the disk is full");
  assert_has (ran.out, "free some space, or choose another folder");
  assert_has (ran.out, "status 2 old 2\n");
  assert_has (ran.out, "The disk that is to hold “disk/old.cured” is full.");
  assert_has (ran.out, "\nsame 1\n");
  /* What is written to a file that is there stays in it. */
  assert_has (ran.out, "The disk that holds “disk/run.cured” is full.");
  assert_has (ran.out, "continue with --resume");
  assert_has (ran.out, "is kept. Go on with: cured run --resume disk/run.cured");
  g_assert_true (g_regex_match_simple ("Cells +[0-9]+ ok, [0-9]+ not run\n", ran.out, 0, 0));
  assert_has (ran.out, "\nshown 0\n");
  assert_has (ran.out, "\nfinished 0\n");
  assert_has (ran.out, "Cells       256 ok\n");
}

static gboolean
has_german (void)
{
  gboolean found = setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL;

  setlocale (LC_NUMERIC, "C");
  return found;
}

static void
test_show_cell (void)
{
  const MakeResult what = { 0 };
  g_auto (Ran) ran = { 0 };

  make_file ("cell.cured", &what);
  run (&ran, "cured show cell.cured --cell tile=64,blocks=132");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "tile=64 blocks=132: ok\n");
  g_assert_true (g_regex_match_simple ("\n  time +[0-9.]+ .?s +measured ", ran.out, 0, 0));
  run (&ran, "cured show cell.cured --cell tile=2048,blocks=132");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, ": not launchable\n");

  /* Numbers for people have the user's decimal mark. */
  run_in (&ran, "LC_ALL=de_DE.UTF-8", "cured show cell.cured --cell tile=64,blocks=132");
  g_assert_cmpint (ran.status, ==, 0);
  if (has_german ())
    g_assert_true (g_regex_match_simple ("\n  time +[0-9.]+,[0-9]+ .?s ", ran.out, 0, 0));
}

static void
test_show_usage (void)
{
  const MakeResult what = { .n_sizes = 2 };
  g_autofree char *foreign = g_build_filename (folder, "foreign.cured", NULL);

  make_file ("m.cured", &what);
  g_assert_true (g_file_set_contents (foreign, "not SQLite at all", -1, NULL));
  assert_refuses ("cured show", "one result file");
  assert_refuses ("cured show m.cured m.cured", "one result file");
  assert_refuses ("cured show none.cured", "none.cured");
  assert_refuses ("cured show foreign.cured", "foreign.cured");
  assert_refuses ("cured show m.cured --metric bandwith",
                  "did you mean “bandwidth”? There are: bandwidth, ");
  assert_refuses ("cured show m.cured --x tle", "did you mean “tile”?");
  assert_refuses ("cured show m.cured --y rows", "; there are: ");
  assert_refuses ("cured show m.cured --x tile --y tile", "tile");
  assert_refuses ("cured show m.cured --at n", "PARAMETER=VALUE");
  assert_refuses ("cured show m.cured --at n=7", "“n” has no value 7");
  assert_refuses ("cured show m.cured --at n=x", "x");
  assert_refuses ("cured show m.cured --at tile=64", "--x and --y");
  assert_refuses ("cured show m.cured --cell tile=64,blocks=66", "add n=");
  assert_refuses ("cured show m.cured --cell tile=65", "“tile” has no value");
  assert_refuses ("cured show m.cured --log --linear", "exclude each other");
  assert_refuses ("cured show m.cured --list --cell n=1", "exclude each other");
  assert_refuses ("cured show m.cured --colormap rainbow", "viridis");
}

/* cured export */

static char *
read_file (const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *contents = NULL;

  g_assert_true (g_file_get_contents (path, &contents, length, &error));
  g_assert_no_error (error);
  return contents;
}

static void
test_export (void)
{
  static const struct
  {
    const char *name;
    const char *start;
  } rows[] = {
    { "e.csv", "tile,blocks,n,state,reason,time [ns]," },
    { "e.json", "{\"format\":\"cured-result\"" },
    { "e.png", "\x89PNG" },
    { "e.svg", "<?xml" },
    { "e.PDF", "%PDF-" },
  };
  const MakeResult what = { 0 };
  g_auto (Ran) ran = { 0 };

  make_file ("e.cured", &what);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strdup_printf ("cured export e.cured -o %s", rows[i].name);
      g_autofree char *contents = NULL;
      gsize length = 0;

      run (&ran, line);
      g_assert_cmpint (ran.status, ==, 0);
      g_assert_cmpstr (ran.out, ==, "");
      g_assert_cmpstr (ran.err, ==, "");
      contents = read_file (rows[i].name, &length);
      g_assert_true (g_str_has_prefix (contents, rows[i].start));
    }
  run (&ran, "cured export e.cured --format svg --metric bandwidth --dark -o x");
  g_assert_cmpint (ran.status, ==, 0);
  assert_exists ("x", TRUE);
}

/* A table on standard output is the one in a file, in any locale. */
static void
test_export_stdout (void)
{
  const MakeResult what = { 0 };
  g_auto (Ran) ran = { 0 };
  g_autofree char *file = NULL;
  g_autofree char *head =
      g_strdup_printf ("sh -c '%s export s.cured -f csv -o - | head -n 1'", program);

  make_file ("s.cured", &what);
  run (&ran, "cured export s.cured -o s.csv");
  g_assert_cmpint (ran.status, ==, 0);
  file = read_file ("s.csv", NULL);
  run_in (&ran, "LC_ALL=de_DE.UTF-8", "cured export s.cured -f csv -o -");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.out, ==, file);
  run (&ran, head);
  g_assert_cmpstr (ran.err, ==, "");
}

static void
test_export_usage (void)
{
  const MakeResult what = { 0 };

  make_file ("u.cured", &what);
  assert_refuses ("cured export u.cured", "-o OUT");
  assert_refuses ("cured export -o u.png", "one result file");
  assert_refuses ("cured export u.cured -o picture", "add --format");
  assert_refuses ("cured export u.cured -o -", "add --format");
  assert_refuses ("cured export u.cured -o u.gif", "here are: ");
  assert_refuses ("cured export u.cured -f pgn -o u.png", "did you mean “png”?");
  assert_refuses ("cured export none.cured -o u.png", "none.cured");
  assert_refuses ("cured export u.cured -o /nowhere/u.png", "/nowhere/u.png");
  assert_refuses ("cured export u.cured -o u.png --metric tmie", "“time”");
  assert_exists ("u.png", FALSE);
}

/* cured import, and what other verbs do with what it made */

static void
test_import (void)
{
  g_autofree char *data = g_build_filename (g_getenv ("CURED_TEST_DATA"), "import", NULL);
  g_autofree char *whole =
      g_strdup_printf ("cured import %s/kernel-tuner.json -o tuned.cured", data);
  g_autofree char *json =
      g_strdup_printf ("cured import %s/nvbench.json --json --device 0 -o nvbench.cured", data);
  g_autofree char *part =
      g_strdup_printf ("cured import %s/t4.json --only tile=32 -o part.cured", data);
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonArray *files = NULL;

  run (&ran, whole);
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "mm, 64 × 48 on GPU X\n");
  assert_has (ran.out, "32 points, 8 of them in the file");
  assert_has (ran.out, "written to tuned.cured\n");
  assert_has (ran.out, "Note: mm, 64 × 48: 1 entry");
  run (&ran, whole);
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "--force");

  run (&ran, "cured show tuned.cured --color=never --at layout=row --at scale=0.5");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "mm, 64 × 48 (kernel-tuner)");
  assert_has (ran.out, "layout=row,col, tiled");
  run (&ran, "cured show tuned.cured -c tile=16,blocks=1,padded=True,scale=0.5,layout=row");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "310.5 W");
  run (&ran, "cured show tuned.cured --at 'layout=col, tiled,scale=2' --at padded=False");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "layout = col, tiled");
  run (&ran, "cured export tuned.cured -o - -f csv --metric nvml_power");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "16,1,True,0.5,row,ok,,500000");
  assert_has (ran.out, "32,1,False,2,\"col, tiled\",ok,,1250000");
  run (&ran, "cured compare tuned.cured tuned.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run --resume tuned.cured --device emulator");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "imported (kernel-tuner)");
  run (&ran, "cured run vector/add --resume -o tuned.cured --device emulator");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "imported (kernel-tuner)");

  run (&ran, json);
  g_assert_cmpint (ran.status, ==, 0);
  root = json_from_string (ran.out, NULL);
  g_assert_nonnull (root);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "format"), ==,
                   "nvbench");
  files = json_object_get_array_member (json_node_get_object (root), "files");
  g_assert_cmpuint (json_array_get_length (files), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (files, 1), "path"),
                   ==, "nvbench-empty-kernel.cured");
  run (&ran, "cured show nvbench-empty-kernel.cured");
  g_assert_cmpint (ran.status, ==, 0);

  run (&ran, part);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "2 points, 2 of them in the file, 1 of these");

  run (&ran, "cured import");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "needs one file");
  run (&ran, "cured import tuned.cured");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "result file already");
  run (&ran, "cured import nothing.json");
  g_assert_cmpint (ran.status, ==, 2);
  assert_has (ran.err, "nothing.json");
}

/* A file whose name is no text, and a device that is the only one. */
static void
test_run_bytes (void)
{
  static const char *const script =
      "cp bytes.ptx \"$(printf 'k\\377.ptx')\"\n"
      "\"$CURED_PROGRAM\" run \"$(printf 'k\\377.ptx')\" -d emulator -o bytes.cured\n";
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *line = g_strdup_printf ("sh -c %s", quoted);
  g_autofree char *text = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "");
  g_auto (Ran) ran = { 0 };

  write_text ("bytes.ptx", text);
  run (&ran, line);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has_not (ran.err, "failed");
  run_in (&ran, "CURED_FAKE=crash=*", "cured run vector/add -p n=100 -o crashing.cured");
  assert_has_not (ran.err, "continuing on the others");

  /* It goes on where it was begun. */
  run (&ran, "cured run --resume bytes.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "Nothing was left to run");
}

/* What a verb is given has to be of use. */
static void
test_refusals (void)
{
  const MakeResult what = { 0 };
  g_autofree char *text = g_strdup_printf (ORDERS_PTX ORDERS_HEADER, "");
  g_auto (Ran) ran = { 0 };

  make_file ("given.cured", &what);
  assert_refuses ("cured lessons strides -f svg", "--format goes with -o OUT");
  assert_refuses ("cured lessons strides --dark", "--dark goes with -o OUT");
  assert_refuses ("cured lessons --answers", "--answers goes with LESSON");
  assert_refuses ("cured lessons strides --json -o x.svg", "--json and -o exclude each other");
  assert_refuses ("cured lessons strides -o x.csv", "no export format “csv”");
  run (&ran, "cured lessons --help");
  assert_has (ran.out, "pdf, png, svg or html\n");
  assert_refuses ("cured ladder --limits", "--limits goes with FAMILY");
  assert_refuses ("cured ladder --size n=4", "--size goes with FAMILY");
  assert_refuses ("cured devices --push", "--push copies");
  assert_refuses ("cured devices --launcher=", "--launcher: expected");
  assert_refuses ("cured check vector/add --push", "--push copies");
  assert_refuses ("cured explain given.cured --instructions", "--instructions goes with --json");
  assert_refuses ("cured show given.cured --machine zz", "--machine goes with --metric limiter");
  assert_refuses ("cured export given.cured -o x.svg --machine zz",
                  "--machine goes with --metric limiter");
  assert_refuses ("cured show given.cured -c tile=64,tile=96,blocks=132", "“tile” is given twice");
  assert_refuses ("cured run given.cured", "given.cured is a result file");
  assert_refuses ("cured occupancy given.cured", "is a result file");
  assert_refuses ("cured kernels given.cured", "is a result file");
  assert_refuses ("cured claims given.cured", "is a result file");
  assert_refuses ("sh -c '\"$CURED_PROGRAM\" banks --patterns - </dev/zero'",
                  "<stdin>: a table of accesses has at most");
  assert_refuses ("cured banks --patterns /dev/zero", "has at most");
  assert_refuses ("cured banks --patterns nowhere", "nowhere: can't be read");
  assert_refuses ("cured check vector/add -p n=0", "no cell can be launched");

  /* A count has no time. */
  write_text ("count.ptx", text);
  run (&ran, "cured run count.ptx -d emulator -o count.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured explain count.cured", "No cell of count.cured");
  assert_refuses ("cured explain count.cured --cell n=1", "no cold time");
}

/* cured ladder */

/* cured ladder */

static void
test_ladder (void)
{
  g_autofree char *line =
      g_strdup_printf ("cured ladder matmul -r %s", g_getenv ("CURED_TEST_RESULTS"));
  g_autofree char *small = g_strconcat (line, " --size n=2^11", NULL);
  g_autofree char *wrong = g_strconcat (line, " --size n=3", NULL);
  g_autofree char *json = g_strconcat (line, " --json", NULL);
  g_autofree char *limits =
      g_strdup_printf ("cured ladder vector --limits -r %s", g_getenv ("CURED_TEST_RESULTS"));
  g_autofree char *limits_json = NULL;
  const MakeResult what = { 0 };
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *ladder = NULL;

  run (&ran, "cured ladder");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "matmul/naive … matmul/best");
  assert_has_not (ran.out, "specimens");

  run (&ran, line);
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "matmul · NVIDIA H200 · n=4096");
  assert_has (ran.out, "≈ ");
  assert_has (ran.out, "matmul/naive: n=2048");
  assert_has (ran.out, "cuBLAS");
  assert_has (ran.out, "FP32 limit");
  assert_has (ran.out, "█");
  run (&ran, small);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "NVIDIA H200 · n=2048");
  assert_has_not (ran.out, "matmul/naive: n=2048");

  run_in (&ran, "LC_ALL=de_DE.UTF-8", json);
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  ladder = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (ladder, "limit_name"), ==, "FP32 limit");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (ladder, "steps")), ==, 12);

  /* What holds the steps, which is counted. */
  if (g_test_slow () && has_compiler ())
    {
      run (&ran, limits);
      g_assert_cmpint (ran.status, ==, 0);
      assert_has (ran.out, "held by");
      assert_has (ran.out, "Memory");
      limits_json = g_strconcat (limits, " --json", NULL);
      run (&ran, limits_json);
      g_assert_cmpint (ran.status, ==, 0);
      assert_has (ran.out, "\"limiter\" : \"memory\"");
    }

  /* One's own file, and none of the device's recordings. */
  make_file ("mine.cured", &what);
  run (&ran, "cured ladder vector mine.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "vector · Synthetic device · n=1048576");
  assert_has (ran.out, "synthetic/sum");

  run (&ran, "cured ladder reduce mine.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.err, "mine.cured is left out");
  assert_refuses (wrong, "n=4096");
  assert_refuses ("cured ladder matmull", "“cured ladder” lists them");
  assert_refuses ("cured ladder matmul -r /nowhere", "/nowhere");
}

/* cured header, and what all verbs do that write a file */

static const char bare_source[] = "__global__ void twice (float *x, int n)\n{\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n)\n    x[i] *= 2;\n}\n";

/* Links lead on, and permissions stay; pipes are written to. */
static void
test_header (void)
{
  static const char *const script =
      "chmod 640 bare.cu && ln -s bare.cu link.cu && mkfifo pipe\n"
      "\"$CURED_PROGRAM\" header bare.cu -o made.cu && grep -c '\\[Kernel' made.cu\n"
      "cat pipe >piped.cu & \"$CURED_PROGRAM\" header bare.cu -o pipe\n"
      "test -p pipe || kill $!; wait\n"
      "test -p pipe && cmp piped.cu made.cu && echo piped\n"
      "\"$CURED_PROGRAM\" header link.cu --in-place\n"
      "test -L link.cu && cmp bare.cu made.cu && stat -c %a bare.cu\n";
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *line = g_strdup_printf ("sh -c %s", quoted);
  g_autofree char *made = NULL;
  g_auto (Ran) ran = { 0 };

  write_text ("bare.cu", bare_source);
  run (&ran, line);
  g_assert_cmpstr (ran.err, ==, "");
  g_assert_cmpstr (ran.out, ==, "1\npiped\n640\n");

  write_text ("bare.cu", bare_source);
  write_text ("made.cu", "kept");
  assert_refuses ("cured header bare.cu -o made.cu", "made.cu exists; --force replaces it");
  assert_refuses ("cured header bare.cu -o bare.cu --force", "what is read");
  assert_refuses ("cured header bare.cu -o ''", "-o: expected the name");
  assert_refuses ("cured header bare.cu -o nowhere/x.cu",
                  "nowhere/x.cu can't be written: there is no folder nowhere");
  assert_refuses ("cured header bare.cu -o .", ". is a folder");
  assert_refuses ("cured header bare.cu --force", "--force goes with -o FILE");
  made = read_file ("made.cu", NULL);
  g_assert_cmpstr (made, ==, "kept");
  run (&ran, "cured header bare.cu -o made.cu --force");
  g_assert_cmpint (ran.status, ==, 0);
}

/* Nothing is written over what is read, nor a picture over results. */
static void
test_outputs (void)
{
  static const char *const lines[] = {
    "cured export in -f csv -o in",
    "cured compare out in -f csv -o ./in",
    "cured compare in out -f csv -o in",
    "cured import in.json -o in.json --force",
  };
  const MakeResult what = { 0 };
  g_autofree char *data =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "import", "kernel-tuner.json", NULL);
  g_autofree char *copy = g_strdup_printf ("sh -c 'cp %s in.json; mkfifo results'", data);
  g_auto (Ran) ran = { 0 };

  make_file ("in", &what);
  make_file ("out", &what);
  make_file ("in.cured", &what);
  run (&ran, copy);
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    assert_refuses (lines[i], "is what is read; name another file with -o");
  assert_refuses ("cured export in -f csv -o in.cured", "result files are named");
  assert_refuses ("cured lessons strides -f svg -o in.cured", "result files are named");
  assert_refuses ("cured banks --stride 2 -f svg -o in.cured", "result files are named");
  run (&ran, "cured compare in in.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured merge in out -o in.cured", "in.cured exists; --force replaces it");

  assert_refuses ("cured run vector/add -p n=64 -d emulator -o ''",
                  "-o: expected the name of a file");
  assert_refuses ("cured run vector/add -d emulator --force -o ''", "-o: ");
  assert_refuses ("cured run vector/add -d emulator --resume -o ''", "-o: ");
  assert_refuses ("cured predict vector/add -o ''", "-o: ");
  assert_refuses ("cured merge in out -o ''", "-o: ");
  assert_refuses ("cured run vector/add -d emulator -o .", "is a folder");
  assert_refuses ("cured merge in out -o .", "is a folder");
  assert_refuses ("cured run vector/add -p n=64 -d emulator -o results",
                  "not a file that could be replaced");
  assert_refuses ("cured merge in -o results", "not a file that could be replaced");
}

/* Ctrl+C takes away what was begun. */
static void
test_export_interrupt (void)
{
  static const char *const script = "mkdir empty && cd empty\n"
                                    "\"$CURED_PROGRAM\" export ../broad.cured -o x.json &\n"
                                    "exporting=$!\n"
                                    "until ls | grep -q . || ! kill -0 $exporting; do :; done\n"
                                    "kill -INT $exporting; wait $exporting; echo $? $(ls)\n";
  const MakeResult what = { .n_tiles = 128, .n_blocks = 128, .n_sizes = 4, .no_samples = TRUE };
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *line = g_strdup_printf ("bash -c %s", quoted);
  g_auto (Ran) ran = { 0 };

  make_file ("broad.cured", &what);
  run (&ran, line);
  g_assert_cmpstr (ran.out, ==, "130\n");
}

/* cured compare */

static void
test_compare (void)
{
  const MakeResult before = { 0 };
  const MakeResult slower = { .factor = 1.2 };
  const MakeResult faster = { .factor = 0.5 };
  const MakeResult other = { .n_tiles = 3, .n_blocks = 2 };
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *report = NULL;

  make_file ("before.cured", &before);
  make_file ("slower.cured", &slower);
  make_file ("faster.cured", &faster);
  make_file ("other.cured", &other);

  run (&ran, "cured compare before.cured before.cured --fail-on 0%");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "same\n");
  assert_has (ran.out, "Geometric mean of B/A: 1.0000");
  assert_has (ran.out, "No cell is worse by more than");

  run (&ran, "cured compare before.cured slower.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "(time, ns)");
  assert_has (ran.out, "worse");
  assert_has (ran.out, "+20.0 %");
  assert_has (ran.out, "Geometric mean of B/A: 1.2000");

  run (&ran, "cured compare before.cured slower.cured --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "worse by more than 5.00 %");
  run (&ran, "cured compare before.cured slower.cured --fail-on 5");
  g_assert_cmpint (ran.status, ==, 1);
  assert_has (ran.out, "worse by more than 5.00 %");
  run (&ran, "cured compare before.cured slower.cured --fail-on 25");
  g_assert_cmpint (ran.status, ==, 0);
  run_in (&ran, "LC_ALL=de_DE.UTF-8", "cured compare before.cured slower.cured --fail-on 19.5%");
  g_assert_cmpint (ran.status, ==, 1);
  run (&ran, "cured compare before.cured slower.cured --fail-on 25%");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured compare before.cured faster.cured --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "−50.0 %");
  run (&ran, "cured compare before.cured slower.cured --all");
  assert_has_not (ran.out, "--all");

  /* Whether anything differs, and by which names. */
  run (&ran, "cured compare -q before.cured before.cured --exit-code");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured compare -q before.cured slower.cured --exit-code");
  g_assert_cmpint (ran.status, ==, 1);
  run (&ran, "cured compare -q before.cured faster.cured --exit-code");
  g_assert_cmpint (ran.status, ==, 1);
  run (&ran, "cured compare before.cured slower.cured --map blocks=other");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "A is at its best over other");
  assert_refuses ("cured compare before.cured slower.cured --map BLOCK=block",
                  "neither file has a parameter “BLOCK”");
  assert_refuses ("cured compare before.cured slower.cured --map blocks", "such as BLOCK=block");

  run_in (&ran, "LC_ALL=de_DE.UTF-8",
          "cured compare before.cured slower.cured --json --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 1);
  root = parse_json (&ran);
  report = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (report, "metric"), ==, "time");
  g_assert_cmpstr (json_object_get_string_member (report, "unit"), ==, "ns");
  g_assert_cmpfloat (json_object_get_double_member (report, "fail_on"), ==, 0.05);
  g_assert_cmpint (
      json_object_get_int_member (report, "failing"), ==,
      json_object_get_int_member (json_object_get_object_member (report, "verdicts"), "worse"));
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (report, "worst"), 1.2, 1e-9);
  g_assert_cmpfloat (
      json_object_get_double_member (
          json_array_get_object_element (json_object_get_array_member (report, "cells"),
                                         (guint) json_array_get_int_element (
                                             json_object_get_array_member (report, "largest"), 0)),
          "significance"),
      >, 1);

  run (&ran, "cured compare before.cured other.cured --fail-on 5%");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "only in A");
}

/* A kernel with a parameter more: its best cells are compared. */
static void
test_compare_kernels (void)
{
  const char *results = g_getenv ("CURED_TEST_RESULTS");
  g_autofree char *line = g_strdup_printf (
      "cured compare '%s/transpose-shared-h200.cured' '%s/transpose-padded-h200.cured'", results,
      results);
  g_autofree char *json = g_strconcat (line, " --json", NULL);
  g_autofree char *csv = g_strconcat (line, " -o - --format csv", NULL);
  g_autofree char *failing = g_strconcat (line, " --fail-on 1%", NULL);
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *report = NULL;
  JsonArray *cells = NULL;

  run (&ran, line);
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (
      ran.out,
      "cells are compared at equal values of tile, rows, n, m. B is at its best over padding.");
  assert_has (ran.out, "\ntile=32 rows=4 padding=1 ");
  assert_has (ran.out, "2 same, 1 better, 12 only in A");
  run (&ran, failing);
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, csv);
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (
      g_str_has_prefix (ran.out, "tile,rows,n,m,padding,a,b,ratio,significance,verdict\r\n"));
  g_assert_true (g_regex_match_simple (
      "\n32,4,8192,8192,1,[0-9.]+,[0-9.]+,0\\.48[0-9]*,[0-9.]+,better\r\n", ran.out, 0, 0));
  g_assert_true (g_regex_match_simple ("\n4,1,8192,8192,,[0-9.]+,,,,only in A\r\n", ran.out, 0, 0));

  run (&ran, json);
  root = parse_json (&ran);
  report = json_node_get_object (root);
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (report, "best_over_b"), 0), ==,
      "padding");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "shared")), ==, 4);
  cells = json_object_get_array_member (report, "cells");
  g_assert_cmpuint (json_array_get_length (cells), ==, 15);
  for (guint i = 0; i < json_array_get_length (cells); i++)
    {
      JsonObject *cell = json_array_get_object_element (cells, i);
      JsonObject *values = json_object_get_object_member (cell, "values");

      g_assert_cmpint (json_object_has_member (values, "padding"), ==,
                       !json_object_get_null_member (cell, "b"));
    }
}

static void
test_compare_usage (void)
{
  const MakeResult what = { 0 };

  make_file ("a.cured", &what);
  assert_refuses ("cured compare", "two result files");
  assert_refuses ("cured compare a.cured", "two result files");
  assert_refuses ("cured compare a.cured b.cured c.cured", "two result files");
  assert_refuses ("cured compare a.cured none.cured", "none.cured");
  assert_refuses ("cured compare none.cured a.cured", "none.cured");
  assert_refuses ("cured compare a.cured a.cured --metric tme", "did you mean “time”?");
  assert_refuses ("cured compare a.cured a.cured --dark", "goes with -o OUT");
  assert_refuses ("cured compare a.cured a.cured --json -o x.csv",
                  "--json and -o exclude each other");
  assert_refuses ("cured compare a.cured a.cured -o pairs", "add --format");
  assert_refuses ("cured compare a.cured a.cured --fail-on lots", "--fail-on: ");
  assert_refuses ("cured compare a.cured a.cured --fail-on=-5%", "--fail-on: ");
  assert_refuses ("cured compare a.cured a.cured --fail-on 0.05",
                  "--fail-on: “0.05” may be meant as percent or as a fraction; write 0.05% or 5%");
  assert_refuses ("cured compare a.cured a.cured --fail-on 5,5%", "--fail-on: ");
  assert_refuses ("cured compare a.cured a.cured --fail-on 5%%", "--fail-on: ");
  assert_refuses ("cured compare a.cured a.cured --fail-on 1e400", "“1e400”");
  assert_refuses ("cured compare a.cured a.cured --fail-on nan", "“nan”");
  assert_refuses ("cured run vector/add --precision 0.2",
                  "--precision: “0.2” may be meant as percent or as a fraction; write 0.2% or 20%");
}

/* Where no cell was compared, none is found to be as good. */
static void
test_compare_nothing (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured run vector/add -p n=100 -o hundred.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured run vector/add -p n=200 -o two-hundred.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured compare hundred.cured two-hundred.cured");
  g_assert_cmpint (ran.status, ==, 0);
  assert_refuses ("cured compare hundred.cured two-hundred.cured --fail-on 5%",
                  "nothing to compare");
  assert_refuses ("cured compare hundred.cured two-hundred.cured -q --exit-code",
                  "nothing to compare");
}

/* A cell that was ok and is wrong now is a loss, however fast it is. */
static void
test_compare_lost (void)
{
  g_auto (Ran) ran = { 0 };

  run (&ran, "cured run vector/add -p n=100 -p blocks=1,2 -o right.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run_in (&ran, "CURED_FAKE=lie=2", "cured run vector/add -p n=100 -p blocks=1,2 -o wrong.cured");
  g_assert_cmpint (ran.status, ==, 1);
  run (&ran, "cured compare right.cured wrong.cured");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured compare right.cured wrong.cured --fail-on 1000%");
  g_assert_cmpint (ran.status, ==, 1);
  g_assert_true (g_regex_match_simple ("\nblocks=2 .* wrong .*only in A !", ran.out, 0, 0));
}

/* cured banks */

static void
test_banks (void)
{
  g_auto (Ran) ran = { 0 };
  g_auto (Ran) wide = { 0 };
  g_auto (GStrv) lines = NULL;

  run (&ran, "cured banks --stride 2");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "from byte 0 + 8·l");
  assert_has (ran.out, "\n        1 │  0  ·  1  ·  2  ·  3");
  assert_has (ran.out, "\n        2 │ 16  · 17");
  assert_has (ran.out, "\nwavefronts 2, ideal 1, conflicts 1\n");
  assert_has_not (ran.out, "\033");
  lines = g_strsplit (ran.out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 80);

  /* All banks in one row where there is room. */
  run_in (&wide, "COLUMNS=120", "cured banks --stride 2");
  assert_has (wide.out, "14 15 16 17");
  assert_has (wide.out, "\n        1 │  0  ·  1  ·  2  ·");
  assert_has (wide.out, " 15  ·\n        2 │ 16  ·");

  /* A broadcast, and banks that nobody wants. */
  run (&ran, "cured banks --stride 0 --base 3");
  assert_has (ran.out, "\n        1 │  ·  ·  ·  a  ·");
  assert_has (ran.out, "\na: lanes 0–31 at once\n");
  assert_has (ran.out, "Banks 16–31 are idle.");
  assert_has (ran.out, "wavefronts 1, ideal 1, conflicts 0");

  run (&ran, "cured banks --stride 2 --color=always");
  assert_has (ran.out, "\033[48;2;");

  run (&ran, "cured banks --stride 1 --width 16 --store");
  assert_has (ran.out, "Lane l stores 16 bytes at byte 0 + 16·l");
  assert_has (ran.out, "wavefronts 4, ideal 4, conflicts 0");
  run (&ran, "cured banks --stride 2 --arch 1.x");
  assert_has (ran.out, "wavefronts 4, ideal 2, conflicts 2");
  run (&ran, "cured banks --stride 2 --arch 3.5");
  assert_has (ran.out, "Compute capability 3.5: 32 banks of 8 bytes");
  assert_has (ran.out, "wavefronts 1, ideal 1, conflicts 0");
  run (&ran, "cured banks --stride 1 --width 8 --arch 3.x/8");
  assert_has (ran.out, "wavefronts 1, ideal 1, conflicts 0");
}

/* Pictures and tables, of a stride. */
static void
test_banks_export (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *text = NULL;

  run (&ran, "cured banks --stride 2 -o stride.svg");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.out, ==, "");
  g_assert_cmpstr (ran.err, ==, "");
  text = read_file ("stride.svg", NULL);
  assert_has (text, "<svg");
  run (&ran, "cured banks --stride 2 -o stride.png --dark --view addresses");
  g_assert_cmpint (ran.status, ==, 0);
  run (&ran, "cured banks --stride 2 -o - --format csv");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "picture,lane,word,bank,wavefront,is_broadcast\r\n");
  assert_has (ran.out, "\n1,17,34,2,1,0\r\n");
  run (&ran, "cured banks --stride 2 -o - -f json");
  assert_has (ran.out, "\"wavefronts\" : 2");

  assert_refuses ("cured banks --stride 2 --view banks", "goes with -o OUT");
  assert_refuses ("cured banks --stride 2 -o a.svg --view flow", "a kernel");
  assert_refuses ("cured banks --stride 2 --dark", "goes with -o OUT");
  assert_refuses ("cured banks --stride 2 -o a.png --view words",
                  "expected one of banks, addresses, flow, threads");
  assert_refuses ("cured banks --stride 2 -o a.svg --view threads", "a kernel");
  assert_refuses ("cured banks --stride 2 -o a.png --json", "print");
  assert_refuses ("cured banks --stride 2 -o a", "add --format");
  assert_refuses ("cured banks --stride 2 -o a.gif", "gif");
}

static void
test_banks_json (void)
{
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object = NULL;
  JsonArray *served = NULL;
  JsonObject *last = NULL;

  run (&ran, "cured banks --stride 32 --json");
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "wavefronts"), ==, 32);
  g_assert_cmpint (json_object_get_int_member (object, "least"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (object, "conflicts"), ==, 31);
  served = json_object_get_array_member (object, "served");
  g_assert_cmpuint (json_array_get_length (served), ==, 32);
  last = json_array_get_object_element (served, 31);
  g_assert_cmpint (json_object_get_int_member (last, "lane"), ==, 31);
  g_assert_cmpint (json_object_get_int_member (last, "word"), ==, 992);
  g_assert_cmpint (json_object_get_int_member (last, "bank"), ==, 0);
  g_assert_cmpint (json_object_get_int_member (last, "wavefront"), ==, 31);
  g_assert_false (json_object_get_boolean_member (last, "broadcast"));
}

static char *
make_line (const char *op, guint stride, const char *measured)
{
  GString *line = g_string_new (op);

  g_string_append (line, "\tffffffff\t");
  for (guint n = 0; n < 32; n++)
    g_string_append_printf (line, "%s%u", n > 0 ? "," : "", n * stride);
  g_string_append_printf (line, "%s\n", measured);
  return g_string_free (line, FALSE);
}

static void
test_banks_patterns (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *data = g_strdup_printf ("cured banks --patterns '%s/wavefronts-h200.tsv'",
                                           g_getenv ("CURED_TEST_DATA"));
  g_autofree char *path = g_build_filename (folder, "some.tsv", NULL);
  g_autofree char *right = make_line ("ld.b32", 8, "\t2\t1");
  g_autofree char *wrong = make_line ("st.b32", 8, "\t3\t2");
  g_autofree char *only = make_line ("red.u32", 0, "");
  g_autofree char *unknown = make_line ("st.b33", 0, "");
  g_autofree char *text = g_strconcat ("# comment\n\n", right, wrong, only, NULL);
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object = NULL;

  run (&ran, data);
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_true (g_str_has_suffix (ran.out, "\n896 of 896 match\n"));

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  run (&ran, "cured banks --patterns some.tsv");
  g_assert_cmpint (ran.status, ==, 1);
  g_assert_true (
      g_regex_match_simple ("\n +3  ld.b32 +2 +1\n +4  st.b32 +2 +1  differs: measured 3 and 2\n"
                            " +5  red.u32 +32 +31\n",
                            ran.out, 0, 0));
  g_assert_true (g_str_has_suffix (ran.out, "\n1 access is predicted only\n1 of 2 match\n"));

  run (&ran, "sh -c '\"$CURED_PROGRAM\" banks --json --patterns - < some.tsv'");
  g_assert_cmpint (ran.status, ==, 1);
  root = parse_json (&ran);
  object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "measured"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (object, "matching"), ==, 1);
  object = json_array_get_object_element (json_object_get_array_member (object, "patterns"), 1);
  g_assert_cmpint (json_object_get_int_member (object, "wavefronts"), ==, 2);
  g_assert_false (json_object_get_boolean_member (object, "matches"));

  /* Nothing measured differs from nothing. */
  g_assert_true (g_file_set_contents (path, only, -1, NULL));
  run (&ran, "cured banks --patterns some.tsv");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "\n0 of 0 match\n");
  assert_refuses ("cured banks --patterns some.tsv --arch 2.x",
                  "some.tsv:1: there is no rule for “red.u32” on compute capability 2.x");

  g_assert_true (g_file_set_contents (path, unknown, -1, NULL));
  assert_refuses ("cured banks --patterns some.tsv", "some.tsv:1: no rule for the access “st.b33”");
  run (&ran, "sh -c 'echo ld.b32 | \"$CURED_PROGRAM\" banks --patterns -'");
  assert_refused (&ran, "<stdin>:1: 1 columns; expected");
}

/* A tile that is stored by rows and read by columns. */
static const char tile_source[] = "/*! cured\n"
                                  " * [Kernel]\n"
                                  " * Title=A tile by columns\n"
                                  " *\n"
                                  " * [Parameter pad]\n"
                                  " * Kind=compile\n"
                                  " * Values=0,1\n"
                                  " * Default=0\n"
                                  " *\n"
                                  " * [Buffer in]\n"
                                  " * Type=f32\n"
                                  " * Length=1024\n"
                                  " * Fill=ramp\n"
                                  " *\n"
                                  " * [Buffer out]\n"
                                  " * Type=f32\n"
                                  " * Length=1024\n"
                                  " * Fill=poison\n"
                                  " *\n"
                                  " * [Launch]\n"
                                  " * Entry=columns\n"
                                  " * Grid=1\n"
                                  " * Block=32,32\n"
                                  " * Arguments=in,out\n"
                                  " */\n"
                                  "extern \"C\" __global__ void\n"
                                  "columns (const float *in, float *out)\n"
                                  "{\n"
                                  "  __shared__ float tile[32][32 + PAD];\n"
                                  "  unsigned x = threadIdx.x, y = threadIdx.y;\n"
                                  "  tile[y][x] = in[32 * y + x];\n"
                                  "  __syncthreads ();\n"
                                  "  out[32 * y + x] = tile[x][y];\n"
                                  "}\n";

static void
assert_narrow (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 80);
}

static void
test_banks_kernel (void)
{
  g_autofree char *path = g_build_filename (folder, "tile.cu", NULL);
  g_auto (Ran) ran = { 0 };

  g_assert_true (g_file_set_contents (path, tile_source, -1, NULL));
  run (&ran, "cured banks tile.cu --warp 5");
  if (strstr (ran.err, "NVRTC") != NULL)
    {
      g_test_skip (ran.err);
      return;
    }
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_has (ran.out, "columns: warp 5 of 32, block (0, 0, 0) of 1 × 1 × 1");
  g_assert_true (g_regex_match_simple ("\n +2 +33  ld.shared.\\w+ +1 +32 +1 +32 +31 +32\n"
                                       " +1 +31  st.shared.\\w+ +1 +32 +1 +1 +0 +1\n"
                                       "Together 33 wavefronts, 31 of them excess.\n",
                                       ran.out, 0, 0));
  assert_has (ran.out, "Site 2, line 33\n  out[32 * y + x] = tile[x][y];\n  ld.");
  assert_has (ran.out, "stride 32 words: every lane in bank 5.");
  assert_has (ran.out, "\n       32 │  ·  ·  ·  ·  · 31");
  assert_has_not (ran.out, "Site 1,");
  assert_narrow (ran.out);

  /* The remedy. */
  run (&ran, "cured banks tile.cu --warp 5 -p pad=1 --line 33");
  assert_has (ran.out, "Together 1 wavefront, 0 excess.");
  assert_has (ran.out, "stride 33 words: no bank has to serve twice.");
  assert_narrow (ran.out);

  run (&ran, "cured banks tile.cu --site 1");
  assert_has (ran.out, "Site 1, line 31");
  assert_has_not (ran.out, "Site 2");
  run (&ran, "cured banks tile.cu --all --color=always --arch sm_20");
  assert_has (ran.out, "Compute capability 2.0: 32 banks of 4 bytes.");
  assert_has (ran.out, "Site 1,");
  assert_has (ran.out, "Site 2,");
  assert_has (ran.out, "\033[48;2;");

  assert_refuses ("cured banks tile.cu --site 3", "no site 3; the warp has 2");
  assert_refuses ("cured banks tile.cu --line 32", "on line 32");
  assert_refuses ("cured banks tile.cu --warp 32", "warps 0 to 31");
  assert_refuses ("cured banks tile.cu --step 2", "launches 1 to 1");

  run (&ran, "cured banks tile.cu --warp 5 -o - -f csv");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "picture,is_shown,site,line,ptx_line,access,bits,");
  assert_has (ran.out, "\r\n1,1,2,33,");
  run (&ran, "cured banks tile.cu --warp 5 -o - -f csv --site 1");
  assert_has (ran.out, "\r\n1,1,1,");
  assert_refuses ("cured banks tile.cu --site 3 -o a.png", "no site 3");
  assert_refuses ("cured banks vector/add -p n=1000 -o a.png",
                  "no access to shared memory that can be drawn");

  run (&ran, "cured banks vector/add -p n=1000");
  g_assert_cmpint (ran.status, ==, 0);
  assert_has (ran.out, "vector_add uses no shared memory.");

  /* ptxas merges the loads of the inner loop. */
  run (&ran, "cured banks matmul/coarsened -p n=64 -p tile=32");
  g_assert_true (
      g_regex_match_simple ("\n +\\d+  load +32 × 32 +8 × 128 +other widths\n", ran.out, 0, 0));
  assert_has (ran.out, "Same pattern at other start addresses: sites ");
  assert_narrow (ran.out);
}

static void
test_banks_kernel_json (void)
{
  g_autofree char *path = g_build_filename (folder, "tile.cu", NULL);
  g_auto (Ran) ran = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object = NULL;
  JsonObject *site = NULL;
  JsonObject *pattern = NULL;
  JsonArray *array = NULL;

  g_assert_true (g_file_set_contents (path, tile_source, -1, NULL));
  run (&ran, "cured banks tile.cu --json");
  if (strstr (ran.err, "NVRTC") != NULL)
    {
      g_test_skip (ran.err);
      return;
    }
  g_assert_cmpint (ran.status, ==, 0);
  root = parse_json (&ran);
  object = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (object, "entry"), ==, "columns");
  g_assert_cmpstr (json_object_get_string_member (object, "end"), ==, "done");
  g_assert_cmpint (json_object_get_int_member (object, "warps"), ==, 32);
  array = json_object_get_array_member (object, "sites");
  g_assert_cmpuint (json_array_get_length (array), ==, 2);
  site = json_array_get_object_element (array, 1);
  g_assert_cmpstr (json_object_get_string_member (site, "file"), ==, "tile.cu");
  g_assert_cmpint (json_object_get_int_member (site, "line"), ==, 33);
  g_assert_cmpstr (json_object_get_string_member (site, "access"), ==, "load");
  g_assert_cmpint (json_object_get_int_member (site, "wavefronts"), ==, 32);
  g_assert_cmpint (json_object_get_int_member (site, "conflicts"), ==, 31);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (site, "block"), "wavefronts"), ==,
      32 * 32);
  array = json_object_get_array_member (site, "patterns");
  g_assert_cmpuint (json_array_get_length (array), ==, 1);
  pattern = json_array_get_object_element (array, 0);
  g_assert_cmpstr (json_object_get_string_member (pattern, "mask"), ==, "ffffffff");
  array = json_object_get_array_member (pattern, "addresses");
  g_assert_cmpint (json_array_get_int_element (array, 31) - json_array_get_int_element (array, 0),
                   ==, 31 * 128);
  array = json_object_get_array_member (pattern, "served");
  g_assert_cmpuint (json_array_get_length (array), ==, 32);
  array = json_object_get_array_member (object, "lines");
  g_assert_cmpuint (json_array_get_length (array), ==, 2);
  object = json_array_get_object_element (array, 1);
  g_assert_true (json_object_get_null_member (object, "change"));
}

static void
test_banks_usage (void)
{
  assert_refuses ("cured banks", "banks needs a kernel, --stride, --layout or");
  assert_refuses ("cured banks a b", "“b”: one kernel at a time");
  assert_refuses ("cured banks --stride 2 --patterns x", "exclude each other");
  assert_refuses ("cured banks --stride 2 vector/add", "exclude each other");
  assert_refuses ("cured banks --stride 2 --warp 1", "go with a kernel");
  assert_refuses ("cured banks vector/add --width 8", "go with --stride");
  assert_refuses ("cured banks vector/ad", "vector/add");
  assert_refuses ("cured banks vector/add -p n", "expected NAME=AXIS");
  assert_refuses ("cured banks vector/add -p m=1", "no parameter “m”");
  assert_refuses ("cured banks vector/add -p n=8,16", "looks at one point");
  assert_refuses ("cured banks vector/add --warp x", "--warp x: expected");
  assert_refuses ("cured banks vector/add --step 0", "--step 0: expected a whole number from 1 to");
  assert_refuses ("cured banks vector/add --block -1",
                  "--block -1: expected a whole number from 0 on");
  assert_refuses ("cured banks --patterns x --store", "go with --stride");
  assert_refuses ("cured banks --stride two", "--stride two: expected");
  assert_refuses ("cured banks --stride -1", "from 0 to 65536");
  assert_refuses ("cured banks --stride 65537", "from 0 to 65536");
  assert_refuses ("cured banks --stride 1 --base x", "--base x: expected");
  assert_refuses ("cured banks --stride 1 --width 3", "expected one of 1, 2, 4, 8, 16");
  assert_refuses ("cured banks --stride 1 --width 32", "expected one of 1, 2, 4, 8, 16");
  assert_refuses ("cured banks --stride 1 --arch 4.x", "“4.x” is not");
  assert_refuses ("cured banks --stride 1 --arch 9.0/8", "“9.0/8” is not");
  assert_refuses ("cured banks --stride 1 --arch hopper", "5.0 and later");
  assert_refuses ("cured banks --patterns none.tsv", "none.tsv");
  assert_refuses ("cured banks --patterns .", "directory");
}

/* German has a decimal comma and points between thousands; what programs read has neither, in any
 * locale. */
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

/* A file of machine facts, which the facts that are missing are told of apart; a device without a
 * clock has none, and a file is not lost to a second run. */
static void
test_measure_machine (void)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *path = g_build_filename (folder, "mine.ini", NULL);
  g_autofree char *text = NULL;

  run_in (&ran, "CURED_FAKE=mib=1024", "cured measure-machine -o mine.ini");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.out, ==, "");
  assert_has (ran.err, "Left out: Tensor (");
  assert_has (ran.err, "mine.ini");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  assert_has (text, "Fp64From=measured:");
  assert_refuses ("cured measure-machine -o mine.ini", "--force");
  run_in (&ran, "CURED_FAKE=mib=1024", "cured measure-machine -o mine.ini --force --quiet");
  g_assert_cmpint (ran.status, ==, 0);
  g_assert_cmpstr (ran.err, ==, "");
  assert_refuses ("cured measure-machine mine.ini", "takes no arguments");
  run_in (&ran, "CURED_FAKE=open=fail", "cured measure-machine");
  assert_refused (&ran, "no fake device");
  g_remove (path);
}

/* The height of a picture of a reduction's flow, in its own units. */
static double
draw_tree (int block)
{
  g_auto (Ran) ran = { 0 };
  g_autofree char *command = g_strdup_printf (
      "cured banks reduce/sequential -p n=64 -p block=%d --view flow -o tree.svg", block);
  g_autofree char *text = NULL;
  const char *height;

  run (&ran, command);
  g_assert_cmpint (ran.status, ==, 0);
  text = read_file ("tree.svg", NULL);
  height = strstr (text, " height=\"");
  g_assert_nonnull (height);
  return g_ascii_strtod (height + strlen (" height=\""), NULL);
}

/* A tree is a level deeper where its block has twice the threads: two loads and a store. */
static void
test_banks_flow (void)
{
  double levels[3];

  if (!has_compiler ())
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
static void
test_banks_threads (void)
{
  g_autofree char *one = NULL;
  g_autofree char *two = NULL;
  g_autofree char *other = NULL;

  if (!has_compiler ())
    return;
  one = draw_threads ("-p n=64 -p threads=16 -p blocks=2");
  two = draw_threads ("-p n=128 -p threads=16 -p blocks=2");
  other = draw_threads ("-p n=64 -p threads=16 -p blocks=2 --block 1");
  g_assert_cmpfloat (get_height (two), >, get_height (one));
  g_assert_cmpfloat (get_height (other), ==, get_height (one));
  g_assert_cmpstr (other, !=, one);
}

int
main (int argc, char **argv)
{
  int status = 0;

  g_test_init (&argc, &argv, NULL);
  program = g_getenv ("CURED_PROGRAM");
  g_assert_nonnull (program);
  g_setenv ("CURED_WORKER", g_getenv ("CURED_TEST_WORKER"), TRUE);
  folder = make_folder ();

  g_test_add_func ("/cli/help", test_help);
  g_test_add_func ("/cli/help/verbs", test_help_verbs);
  g_test_add_func ("/cli/version", test_version);
  g_test_add_func ("/cli/layout", test_layout);
  g_test_add_func ("/cli/words", test_words);
  g_test_add_func ("/cli/letters", test_letters);
  g_test_add_func ("/cli/completions", test_completions);
  g_test_add_func ("/cli/quiet", test_quiet);
  g_test_add_func ("/cli/closed-files", test_closed_files);
  g_test_add_func ("/cli/check-once", test_check_once);
  g_test_add_func ("/cli/check-remedies", test_check_remedies);
  g_test_add_func ("/cli/measure-machine", test_measure_machine);
  g_test_add_func ("/cli/show-json", test_show_json);
  g_test_add_func ("/cli/colour", test_colour);
  g_test_add_func ("/cli/unknown", test_unknown);
  g_test_add_func ("/cli/output", test_output);
  g_test_add_func ("/cli/kernels/list", test_kernels_list);
  g_test_add_func ("/cli/kernels/json", test_kernels_json);
  g_test_add_func ("/cli/kernels/one", test_kernels_one);
  g_test_add_func ("/cli/kernels/file", test_kernels_file);
  g_test_add_func ("/cli/devices", test_devices);
  g_test_add_func ("/cli/doctor", test_doctor);
  g_test_add_func ("/cli/limits", test_limits);
  g_test_add_func ("/cli/occupancy", test_occupancy);
  g_test_add_func ("/cli/occupancy/kernel", test_occupancy_kernel);
  g_test_add_func ("/cli/worker", test_worker);
  g_test_add_func ("/cli/run", test_run);
  g_test_add_func ("/cli/run/best", test_run_best);
  g_test_add_func ("/cli/launcher", test_launcher);
  g_test_add_func ("/cli/launchers", test_launchers);
  g_test_add_func ("/cli/containers", test_containers);
  g_test_add_func ("/cli/submit", test_submit);
  g_test_add_func ("/cli/push", test_push);
  g_test_add_func ("/cli/run/budget", test_run_budget);
  g_test_add_func ("/cli/run/predicted", test_run_predicted);
  g_test_add_func ("/cli/run/name", test_run_name);
  g_test_add_func ("/cli/run/one", test_run_one);
  g_test_add_func ("/cli/run/named", test_run_named);
  g_test_add_func ("/cli/run/finding", test_run_finding);
  g_test_add_func ("/cli/run/plan", test_run_plan);
  g_test_add_func ("/cli/run/preset", test_run_preset);
  g_test_add_func ("/cli/run/usage", test_run_usage);
  g_test_add_func ("/cli/run/device", test_run_device);
  g_test_add_func ("/cli/run/options", test_run_options);
  g_test_add_func ("/cli/run/every-option", test_run_every_option);
  g_test_add_func ("/cli/run/verbose", test_run_verbose);
  g_test_add_func ("/cli/run/json", test_run_json);
  g_test_add_func ("/cli/run/interrupt", test_run_interrupt);
  g_test_add_func ("/cli/run/terminal", test_run_terminal);
  g_test_add_func ("/cli/show", test_show);
  g_test_add_func ("/cli/show/terminal", test_show_terminal);
  g_test_add_func ("/cli/printable", test_printable);
  g_test_add_func ("/cli/bounds", test_bounds);
  g_test_add_func ("/cli/full-disk", test_full_disk);
  g_test_add_func ("/cli/show/cell", test_show_cell);
  g_test_add_func ("/cli/show/usage", test_show_usage);
  g_test_add_func ("/cli/export", test_export);
  g_test_add_func ("/cli/export/stdout", test_export_stdout);
  g_test_add_func ("/cli/export/usage", test_export_usage);
  g_test_add_func ("/cli/ladder", test_ladder);
  g_test_add_func ("/cli/header", test_header);
  g_test_add_func ("/cli/outputs", test_outputs);
  g_test_add_func ("/cli/export/interrupt", test_export_interrupt);
  g_test_add_func ("/cli/compare", test_compare);
  g_test_add_func ("/cli/compare/kernels", test_compare_kernels);
  g_test_add_func ("/cli/compare/usage", test_compare_usage);
  g_test_add_func ("/cli/compare/nothing", test_compare_nothing);
  g_test_add_func ("/cli/run/bytes", test_run_bytes);
  g_test_add_func ("/cli/refusals", test_refusals);
  g_test_add_func ("/cli/compare/lost", test_compare_lost);
  g_test_add_func ("/cli/check", test_check);
  g_test_add_func ("/cli/check/finds", test_check_finds);
  g_test_add_func ("/cli/check/json", test_check_json);
  g_test_add_func ("/cli/check/reasons", test_check_reasons);
  g_test_add_func ("/cli/check/pairs", test_check_pairs);
  g_test_add_func ("/cli/check/claims", test_check_claims);
  g_test_add_func ("/cli/claims", test_claims);
  g_test_add_func ("/cli/run/emulator", test_run_emulator);
  g_test_add_func ("/cli/predict", test_predict);
  g_test_add_func ("/cli/predict/many", test_predict_many);
  g_test_add_func ("/cli/run/findings", test_run_findings);
  g_test_add_func ("/cli/run/print", test_run_print);
  g_test_add_func ("/cli/lessons/handouts", test_handouts);
  g_test_add_func ("/cli/peers", test_peers);
  g_test_add_func ("/cli/banks/flow", test_banks_flow);
  g_test_add_func ("/cli/banks/threads", test_banks_threads);
  g_test_add_func ("/cli/run/fill", test_run_fill);
  g_test_add_func ("/cli/run/types", test_run_types);
  g_test_add_func ("/cli/run/constant", test_run_constant);
  g_test_add_func ("/cli/run/carried", test_carried);
  g_test_add_func ("/cli/run/setup", test_run_setup);
  g_test_add_func ("/cli/banks", test_banks);
  g_test_add_func ("/cli/banks/export", test_banks_export);
  g_test_add_func ("/cli/banks/json", test_banks_json);
  g_test_add_func ("/cli/banks/kernel", test_banks_kernel);
  g_test_add_func ("/cli/banks/kernel-json", test_banks_kernel_json);
  g_test_add_func ("/cli/banks/patterns", test_banks_patterns);
  g_test_add_func ("/cli/banks/usage", test_banks_usage);
  g_test_add_func ("/cli/import", test_import);
  g_test_add_func ("/cli/locale", test_locale);
  status = g_test_run ();
  remove_folder (folder);
  return status;
}

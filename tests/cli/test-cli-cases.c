/* SPDX-License-Identifier: MIT
 * Transcripts: command lines with what they print, from a text file.
 *
 * usage: test-cli-cases FILE.txt [GTest options]
 *
 *   == NAME                 begins a test, in a folder of its own
 *   needs WORD…             skips it without nvrtc, slow tests or a program of that name
 *   make FILE [KEY=N]…      a result file of made-up numbers, as MakeResult says
 *   file NAME [MODE]        with the lines that follow, up to “end”
 *   $ COMMAND               runs in sh; lines in a row share what follows
 *   ! COMMAND => TEXT       is refused: exit code 2, nothing but a message that has TEXT
 *   exit N|any              exit code; 0 where none is given, -N a signal
 *   out TEXT, err TEXT      standard output or error has it; “…” is any text within a line
 *   not TEXT, err-not TEXT  and has not
 *   out-is TEXT, err-is TEXT  is nothing else
 *   match REGEX             standard output matches
 *   json PATH OP VALUE      a value of the JSON on standard output: sites.1.line = 33; “#” is an
 *                           array's length; OP is =, !=, <, >, <=, >= or has
 *   narrow N                no line of standard output has more columns
 *   skip N                  an exit code that skips the rest
 *
 * TEXT has C's escapes. “# ” begins a comment. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "make-result.h"
#include "test.h"

#include "base/cured-own.h"

typedef struct
{
  char *line;
  int number;
} Line;

typedef struct
{
  const char *file;
  char *name;
  GArray *lines; /* (element-type Line) */
} Case;

typedef struct
{
  int status;
  char *out, *err;
} Ran;

CURED_FREE_FUNC (Ran, ran_free, out, g_free, err, g_free)

static char *
to_text (GBytes *bytes)
{
  gsize length = 0;
  const char *data = g_bytes_get_data (bytes, &length);

  return length > 0 ? g_strndup (data, length) : g_strdup ("");
}

static Ran *
run (const char *folder, const char *command)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GBytes) out = NULL, err = NULL;
  Ran *self = g_new0 (Ran, 1);

  g_subprocess_launcher_set_cwd (launcher, folder);
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawn (launcher, &fail, "sh", "-c", command, NULL));
  MUST (g_subprocess_communicate (process, NULL, NULL, &out, &err, &fail));
  self->status = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process)
                                                      : -g_subprocess_get_term_sig (process);
  self->out = to_text (out);
  self->err = to_text (err);
  return self;
}

/* “…” matches any text within a line. */
static gboolean
has_text (const char *text, const char *part)
{
  g_auto (GStrv) parts = g_strsplit (part, "…", -1);
  const char *start = text;

  if (parts[0] == NULL)
    return TRUE;
  while ((start = strstr (start, parts[0])) != NULL)
    {
      const char *at = start + strlen (parts[0]);
      gsize i = 1;

      for (; parts[i] != NULL; i++)
        {
          const char *next = strstr (at, parts[i]);

          if (next == NULL || memchr (at, '\n', (gsize) (next - at)) != NULL)
            break;
          at = next + strlen (parts[i]);
        }
      if (parts[i] == NULL)
        return TRUE;
      start++;
    }
  return FALSE;
}

/* NULL: nothing is there. */
static JsonNode *
find_json (JsonNode *node, const char *path, gint64 *length)
{
  g_auto (GStrv) names = g_strsplit (path, ".", -1);

  for (gsize i = 0; names[i] != NULL && node != NULL; i++)
    if (g_str_equal (names[i], "#"))
      {
        *length = JSON_NODE_HOLDS_ARRAY (node)
                      ? (gint64) json_array_get_length (json_node_get_array (node))
                      : (gint64) json_object_get_size (json_node_get_object (node));
        return node;
      }
    else if (JSON_NODE_HOLDS_ARRAY (node))
      {
        guint64 n = g_ascii_strtoull (names[i], NULL, 10);
        JsonArray *array = json_node_get_array (node);

        node = n < json_array_get_length (array) ? json_array_get_element (array, (guint) n) : NULL;
      }
    else
      node = JSON_NODE_HOLDS_OBJECT (node)
                 ? json_object_get_member (json_node_get_object (node), names[i])
                 : NULL;
  return node;
}

static gboolean
is_json (const char *text, const char *rule)
{
  g_auto (GStrv) words = g_strsplit (rule, " ", 3);
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  gint64 length = -1;
  g_autofree char *value = NULL;

  if (root == NULL || g_strv_length (words) != 3)
    return FALSE;
  JsonNode *node = find_json (root, words[0], &length);
  const char *op = words[1];
  if (node == NULL)
    return g_str_equal (op, "=") && g_str_equal (words[2], "missing");
  if (length >= 0)
    value = g_strdup_printf ("%" G_GINT64_FORMAT, length);
  else if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    value = json_node_dup_string (node);
  else
    value = json_to_string (node, FALSE);
  if (g_str_equal (op, "has"))
    return strstr (value, words[2]) != NULL;
  if (g_str_equal (op, "="))
    return g_str_equal (value, words[2]) ||
           (g_ascii_isdigit (value[0]) && g_ascii_isdigit (words[2][0]) &&
            g_ascii_strtod (value, NULL) == g_ascii_strtod (words[2], NULL));
  if (g_str_equal (op, "!="))
    return !g_str_equal (value, words[2]);
  double difference = g_ascii_strtod (value, NULL) - g_ascii_strtod (words[2], NULL);
  return (op[0] == '<' && difference < 0) || (op[0] == '>' && difference > 0) ||
         (op[1] == '=' && difference == 0);
}

static gboolean
is_narrow (const char *text, int columns)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_utf8_strlen (lines[i], -1) > columns)
      return FALSE;
  return TRUE;
}

/* Whether what @word says holds of @ran. */
static gboolean
holds (const Ran *ran, const char *word, const char *raw)
{
  g_autofree char *text = g_strcompress (raw);

  if (g_str_equal (word, "exit"))
    return g_str_equal (raw, "any") || ran->status == atoi (raw);
  if (g_str_equal (word, "out"))
    return has_text (ran->out, text);
  if (g_str_equal (word, "err"))
    return has_text (ran->err, text);
  if (g_str_equal (word, "not"))
    return !has_text (ran->out, text);
  if (g_str_equal (word, "err-not"))
    return !has_text (ran->err, text);
  if (g_str_equal (word, "out-is"))
    return g_str_equal (ran->out, text);
  if (g_str_equal (word, "err-is"))
    return g_str_equal (ran->err, text);
  if (g_str_equal (word, "match"))
    return g_regex_match_simple (raw, ran->out, G_REGEX_MULTILINE, 0);
  if (g_str_equal (word, "json"))
    return is_json (ran->out, raw);
  if (g_str_equal (word, "narrow"))
    return is_narrow (ran->out, atoi (raw));
  g_error ("“%s” is no rule", word);
}

static gboolean
is_missing (const char *need)
{
  g_autofree char *path = NULL;
  g_autoptr (CuredCompiler) compiler = NULL;

  if (g_str_equal (need, "slow"))
    return !g_test_slow ();
  if (g_str_equal (need, "nvrtc"))
    return (compiler = cured_compiler_new (NULL)) == NULL;
  return (path = g_find_program_in_path (need)) == NULL;
}

static void
make_file (const char *folder, char **words)
{
  g_autofree char *path = g_build_filename (folder, words[0], NULL);
  MakeResult what = { 0 };

  for (gsize i = 1; words[i] != NULL; i++)
    {
      const char *value = strchr (words[i], '=') + 1;

      if (g_str_has_prefix (words[i], "tiles="))
        what.n_tiles = (gsize) atoi (value);
      else if (g_str_has_prefix (words[i], "blocks="))
        what.n_blocks = (gsize) atoi (value);
      else if (g_str_has_prefix (words[i], "sizes="))
        what.n_sizes = (gsize) atoi (value);
      else if (g_str_has_prefix (words[i], "factor="))
        what.factor = g_ascii_strtod (value, NULL);
      else if (g_str_has_prefix (words[i], "samples="))
        what.no_samples = value[0] == '0';
      else
        g_error ("make: “%s”", words[i]);
    }
  g_remove (path);
  make_result (path, &what);
}

/* Writes the lines after @i; returns the number of “end”. */
static guint
write_file (const Case *self, const char *folder, guint i, char **words)
{
  g_autofree char *path = g_build_filename (folder, words[0], NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GString) text = g_string_new (NULL);
  int mode = words[1] != NULL ? (int) g_ascii_strtoull (words[1], NULL, 8) : 0666;

  for (i++; i < self->lines->len; i++)
    {
      const char *line = g_array_index (self->lines, Line, i).line;

      if (g_str_equal (line, "end"))
        break;
      g_string_append_printf (text, "%s\n", line);
    }
  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  /* GLib writes over the beginning of a file that is there. */
  g_remove (path);
  g_assert_true (g_file_set_contents_full (path, text->str, (gssize) text->len,
                                           G_FILE_SET_CONTENTS_NONE, mode, NULL));
  return i;
}

static void
fail (const Case *self, const Line *line, const Ran *ran)
{
  g_error ("%s:%d: %s\nexit code %d, standard output:\n%s\nstandard error:\n%s", self->file,
           line->number, line->line, ran->status, ran->out, ran->err);
}

/* “! COMMAND => TEXT” */
static void
check_refusal (const Case *self, const char *folder, const Line *line)
{
  g_auto (GStrv) parts = g_strsplit (line->line + 2, " => ", 2);
  Ran *ran = run (folder, parts[0]);
  g_autofree char *text = g_strcompress (parts[1]);

  if (ran->status != 2 || *ran->out != '\0' || !g_str_has_prefix (ran->err, "cured: ") ||
      !has_text (ran->err, text))
    fail (self, line, ran);
  ran_free (ran);
}

static void
check_exits (const Case *self, GPtrArray *rans, const Line *command, gboolean is_given)
{
  for (guint i = 0; !is_given && i < rans->len; i++)
    if (((const Ran *) rans->pdata[i])->status != 0)
      fail (self, command, rans->pdata[i]);
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  char *folder = make_folder ();
  g_autoptr (GPtrArray) rans = g_ptr_array_new_with_free_func (ran_free);
  const Line *command = NULL;
  gboolean is_exit_given = FALSE, is_skipped = FALSE;

  for (guint i = 0; i < self->lines->len && !is_skipped; i++)
    {
      const Line *line = &g_array_index (self->lines, Line, i);
      g_auto (GStrv) words = g_strsplit (line->line, " ", -1);
      const char *rest = strchr (line->line, ' ') != NULL ? strchr (line->line, ' ') + 1 : "";

      if (words[0] == NULL || g_str_equal (words[0], "#"))
        continue;
      if (g_str_equal (words[0], "$"))
        {
          gboolean is_next = command != NULL && command + 1 == line;

          if (!is_next)
            {
              check_exits (self, rans, command, is_exit_given);
              g_ptr_array_set_size (rans, 0);
              is_exit_given = FALSE;
            }
          command = line;
          g_ptr_array_add (rans, run (folder, rest));
        }
      else if (g_str_equal (words[0], "!"))
        check_refusal (self, folder, line);
      else if (g_str_equal (words[0], "make"))
        make_file (folder, words + 1);
      else if (g_str_equal (words[0], "file"))
        i = write_file (self, folder, i, words + 1);
      else if (g_str_equal (words[0], "needs"))
        {
          for (gsize k = 1; words[k] != NULL; k++)
            if (is_missing (words[k]) && !is_skipped)
              {
                g_test_skip (words[k]);
                is_skipped = TRUE;
              }
        }
      else if (g_str_equal (words[0], "skip"))
        {
          is_exit_given = is_skipped = ((const Ran *) rans->pdata[0])->status == atoi (rest);
          if (is_skipped)
            g_test_skip (command->line);
        }
      else
        {
          is_exit_given = is_exit_given || g_str_equal (words[0], "exit");
          for (guint k = 0; k < rans->len; k++)
            if (!holds (rans->pdata[k], words[0], rest))
              fail (self, line, rans->pdata[k]);
        }
    }
  check_exits (self, rans, command, is_exit_given);
  remove_all (folder);
  g_free (folder);
}

CURED_FREE_FUNC (Case, case_free, lines, g_array_unref, name, g_free)

int
main (int argc, char **argv)
{
  g_autofree char *text = NULL;
  Case *one = NULL;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  g_assert_true (g_file_get_contents (argv[1], &text, NULL, NULL));
  char *folder = make_folder ();
  g_autofree char *bin = g_build_filename (folder, "bin", NULL);
  g_autofree char *link = g_build_filename (bin, "cured", NULL);
  g_assert_cmpint (g_mkdir (bin, 0777), ==, 0);
  g_assert_cmpint (symlink (g_getenv ("CURED_PROGRAM"), link), ==, 0);
  g_autofree char *path = g_strconcat (bin, ":", g_getenv ("PATH"), NULL);
  g_setenv ("PATH", path, TRUE);
  g_setenv ("CURED_WORKER", g_getenv ("CURED_TEST_WORKER"), TRUE);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      const Line line = { lines[i], i + 1 };

      if (g_str_has_prefix (lines[i], "== "))
        {
          one = g_new0 (Case, 1);
          one->file = argv[1];
          one->name = g_strconcat ("/cli/", lines[i] + 3, NULL);
          one->lines = g_array_new (FALSE, FALSE, sizeof (Line));
          g_test_add_data_func_full (one->name, one, test_case, case_free);
        }
      else if (one != NULL)
        g_array_append_val (one->lines, line);
    }
  int status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  return status;
}

/* SPDX-License-Identifier: MIT
 * A CUDA program, which runs on the emulator, and its launches. */
#include <config.h>

#include "program/cured-gui-program.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>

#define PROGRESS_MS 200

/* Length of the output's end that is shown; the file has all of it. */
#define SHOWN_BYTES 16384

#define SHOWN_FINDINGS 200

struct _CuredProgramPage
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkEditable *arguments;
  GtkWidget *run, *stop, *findings_group, *printed_group;
  GtkStack *stack;
  AdwStatusPage *message;
  GtkSpinner *spinner;
  AdwPreferencesGroup *kernels_group;
  GtkListBox *launched, *findings;
  GtkLabel *printed;

  /* Owned */
  GFile *file; /* nullable: none was opened yet */
  CuredTask *running;
  guint progress_id;
};

CURED_DEFINE_TEMPLATE_TYPE (CuredProgramPage, cured_program_page, ADW_TYPE_BIN)

/* ---- Running ---- */

typedef struct
{
  GSubprocess *process;
  char *printed_path; /* of the program's output */
  GMutex mutex;
  char *progress; /* nullable: last line of progress, in JSON */
} Run;

static void
run_free (gpointer data)
{
  Run *self = data;

  g_object_unref (self->process);
  g_free (self->printed_path);
  g_free (self->progress);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* The end of the program's output, which may be long. */
static char *
read_printed (const char *path)
{
  g_autofree char *bytes = NULL;
  gsize size = 0;

  if (!g_file_get_contents (path, &bytes, &size, NULL))
    return g_strdup ("");
  return g_utf8_make_valid (bytes + (size > SHOWN_BYTES ? size - SHOWN_BYTES : 0), -1);
}

/* Reads lines of progress, then the report. */
static void
run_work (CuredTask *task)
{
  Run *run = task->input;
  g_autoptr (GDataInputStream) lines =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (run->process));
  g_autoptr (GString) report = g_string_new (NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  char *line;

  while ((line = g_data_input_stream_read_line (lines, NULL, task->cancellable, NULL)) != NULL)
    if (g_str_has_prefix (line, "{\"launches\""))
      {
        g_mutex_lock (&run->mutex);
        g_free (run->progress);
        run->progress = line;
        g_mutex_unlock (&run->mutex);
      }
    else
      {
        g_string_append_printf (report, "%s\n", line);
        g_free (line);
      }
  if (g_cancellable_set_error_if_cancelled (task->cancellable, &task->error))
    g_subprocess_send_signal (run->process, SIGTERM);
  g_subprocess_wait (run->process, NULL, NULL);
  if (task->error != NULL)
    return;
  if (json_parser_load_from_data (parser, report->str, -1, NULL))
    task->output = json_parser_steal_root (parser);
  if (task->output != NULL && !JSON_NODE_HOLDS_OBJECT ((JsonNode *) task->output))
    g_clear_pointer (&task->output, json_node_unref);
  if (task->output == NULL)
    {
      g_autofree char *printed = read_printed (run->printed_path);

      g_set_error_literal (&task->error, G_IO_ERROR, G_IO_ERROR_FAILED, g_strstrip (printed));
    }
}

static void
show_message (CuredProgramPage *self, const char *title, const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  adw_status_page_set_title (self->message, title);
  adw_status_page_set_description (self->message, markup);
  gtk_stack_set_visible_child_name (self->stack, "message");
}

static void
set_running (CuredProgramPage *self, gboolean is_running)
{
  gtk_widget_set_visible (self->run, !is_running);
  gtk_widget_set_visible (self->stop, is_running);
  gtk_widget_set_sensitive (GTK_WIDGET (self->arguments), !is_running);
  gtk_spinner_set_spinning (self->spinner, is_running);
  if (!is_running)
    g_clear_handle_id (&self->progress_id, g_source_remove);
}

/* "4 launches, 8.89 k instructions, 0.3 s": from a JSON object with these members. */
static char *
describe_progress (JsonObject *object)
{
  CuredExecProgress progress = {
    .n_launches = (guint64) json_object_get_int_member (object, "launches"),
    .instructions = (guint64) json_object_get_int_member (object, "instructions"),
    .elapsed_us = (gint64) (json_object_get_double_member (object, "elapsed_s") * G_USEC_PER_SEC)
  };

  return cured_exec_progress_to_string (&progress);
}

static gboolean
progress_cb (gpointer data)
{
  CuredProgramPage *self = data;
  Run *run = self->running->input;
  g_autoptr (JsonNode) node = NULL;

  g_mutex_lock (&run->mutex);
  if (run->progress != NULL)
    node = json_from_string (run->progress, NULL);
  g_mutex_unlock (&run->mutex);
  if (node == NULL)
    return G_SOURCE_CONTINUE;
  g_autofree char *text = describe_progress (json_node_get_object (node));
  adw_status_page_set_description (self->message, text);
  return G_SOURCE_CONTINUE;
}

/* ---- The report ---- */

static GtkWidget *
add_row (GtkListBox *list, const char *title, const char *subtitle)
{
  GtkWidget *row = cured_widget_new_row (title, subtitle, 0);

  gtk_list_box_append (list, row);
  return row;
}

static void
row_activated_cb (CuredProgramPage *self, AdwActionRow *row)
{
  g_signal_emit_by_name (self, "open-file", g_object_get_data (G_OBJECT (row), "file"));
}

static guint
count_findings (JsonArray *findings, const char *kernel)
{
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (findings); i++)
    {
      JsonObject *finding = json_array_get_object_element (findings, i);

      n += g_strcmp0 (json_object_get_string_member_with_default (finding, "kernel", NULL),
                      kernel) == 0;
    }
  return n;
}

static void
append_part (GString *text, char *part)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", part);
  g_free (part);
}

/* "32 × 128 threads": blocks and threads per block, without sizes of 1. */
static char *
describe_geometry (JsonObject *kernel)
{
  gint64 n_blocks = 1;
  gint64 n_threads = 1;

  for (guint i = 0; i < 3; i++)
    {
      n_blocks *= json_array_get_int_element (json_object_get_array_member (kernel, "grid"), i);
      n_threads *= json_array_get_int_element (json_object_get_array_member (kernel, "block"), i);
    }
  g_autofree char *blocks = cured_format_count (n_blocks);
  /* Translators: blocks of a grid, and threads of a block: "32 × 128 threads". */
  return g_strdup_printf (_ ("%s × %d threads"), blocks, (int) n_threads);
}

static void
add_kernel (CuredProgramPage *self, JsonObject *kernel, JsonArray *findings)
{
  const char *name = json_object_get_string_member (kernel, "kernel");
  const char *path = json_object_get_string_member_with_default (kernel, "file", NULL);
  gint64 n = json_object_get_int_member (kernel, "launches");
  gint64 wavefronts = json_object_get_int_member (kernel, "wavefronts");
  gint64 least = json_object_get_int_member (kernel, "least_wavefronts");
  guint n_findings = count_findings (findings, name);
  g_autofree char *launches = cured_format_count (n);
  g_autoptr (GString) text = g_string_new (NULL);

  append_part (text, g_strdup_printf (ngettext ("%s launch", "%s launches", (gulong) n), launches));
  append_part (text, describe_geometry (kernel));
  if (n_findings > 0)
    append_part (text,
                 g_strdup_printf (ngettext ("%u finding", "%u findings", n_findings), n_findings));
  if (least > 0)
    append_part (text,
                 /* Translators: of accesses to shared memory, in percent. */
                 g_strdup_printf (_ ("%.0f %% excess wavefronts"),
                                  100.0 * (double) (wavefronts - least) / (double) least));
  GtkWidget *row = add_row (self->launched, name, text->str);
  if (path == NULL)
    return;
  cured_widget_lead_on (row);
  gtk_widget_set_tooltip_text (row,
                               _ ("Open this launch: its banks, its source, and a sweep of it"));
  g_object_set_data_full (G_OBJECT (row), "file", g_file_new_for_path (path), g_object_unref);
  CURED_CONNECT (row, "activated", row_activated_cb);
}

/* A finding's first line is its title; the others are indented, for terminals. */
static void
add_finding (CuredProgramPage *self, JsonObject *finding)
{
  g_auto (GStrv) lines = g_strsplit (json_object_get_string_member (finding, "text"), "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    g_strstrip (lines[i]);
  g_autofree char *rest = g_strjoinv ("\n", lines + 1);
  add_row (self->findings, lines[0], rest);
}

/* Adds a row for each text. */
static void
add_texts (CuredProgramPage *self, JsonArray *texts, const char *title)
{
  for (guint i = 0; i < json_array_get_length (texts); i++)
    add_row (self->findings, title, json_array_get_string_element (texts, i));
}

static void
show_report (CuredProgramPage *self, JsonObject *report, const char *printed)
{
  JsonArray *kernels = json_object_get_array_member (report, "kernels");
  JsonArray *findings = json_object_get_array_member (report, "findings");
  g_autofree char *progress = describe_progress (report);
  gint64 status = json_object_get_int_member (report, "status");
  g_autoptr (GString) text = g_string_new (progress);

  if (json_object_get_boolean_member (report, "stopped"))
    g_string_append_printf (text, ". %s", _ ("The program was stopped before its end"));
  else if (status > 128)
    {
      g_string_append (text, ". ");
      /* Translators: what ended a program, such as “Segmentation fault”. */
      g_string_append_printf (text, _ ("The program was ended by a signal: %s"),
                              g_strsignal ((int) status - 128));
    }
  else if (status != 0)
    {
      g_string_append (text, ". ");
      g_string_append_printf (text, _ ("The program's exit code was %d"), (int) status);
    }
  cured_widget_empty (self->launched);
  cured_widget_empty (self->findings);
  for (guint i = 0; i < json_array_get_length (kernels); i++)
    add_kernel (self, json_array_get_object_element (kernels, i), findings);
  for (guint i = 0; i < MIN (json_array_get_length (findings), SHOWN_FINDINGS); i++)
    add_finding (self, json_array_get_object_element (findings, i));
  add_texts (self, json_object_get_array_member (report, "never_freed"), _ ("Never freed"));
  add_texts (self, json_object_get_array_member (report, "notes"), _ ("Note"));
  adw_preferences_group_set_description (self->kernels_group, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->launched), json_array_get_length (kernels) > 0);
  gtk_widget_set_visible (self->findings_group,
                          gtk_list_box_get_row_at_index (self->findings, 0) != NULL);
  gtk_label_set_label (self->printed, printed);
  gtk_widget_set_visible (self->printed_group, *printed != '\0');
  gtk_stack_set_visible_child_name (self->stack, "report");
}

static void
ran_cb (CuredProgramPage *self, CuredTask *task)
{
  const Run *run = task->input;

  set_running (self, FALSE);
  if (task->output == NULL)
    show_message (self, _ ("The Program Did Not Run"), task->error->message);
  else
    {
      g_autofree char *printed = read_printed (run->printed_path);

      show_report (self, json_node_get_object (task->output), printed);
    }
  gtk_widget_grab_focus (GTK_WIDGET (self->arguments));
}

static const CuredTaskKind run_task = CURED_TASK_KIND (run_work, ran_cb, run_free, json_node_unref);

/* (nullable): the started command, which saves launches in a folder */
static Run *
start (CuredProgramPage *self, GError **error)
{
  g_auto (GStrv) command = cured_worker_default_verb ("exec");
  g_autofree char *path = g_file_get_path (self->file);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *folder = cured_sweep_get_folder ();
  g_autofree char *launches_name = g_strconcat (name, ".launches", NULL);
  g_autofree char *launches = g_build_filename (folder, launches_name, NULL);
  g_autofree char *printed = g_build_filename (launches, "printed.txt", NULL);
  const char *const options[] = { "--json", "--progress", "json", "--save", launches, "--", path };
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_auto (GStrv) arguments = NULL;
  const char *text = gtk_editable_get_text (self->arguments);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *beside = g_path_get_dirname (path);

  if (!g_shell_parse_argv (text, NULL, &arguments, error))
    {
      if (!g_error_matches (*error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
        return NULL;
      g_clear_error (error);
    }
  for (gsize i = 0; command[i] != NULL; i++)
    g_ptr_array_add (argv, command[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    g_ptr_array_add (argv, (gpointer) options[i]);
  for (gsize i = 0; arguments != NULL && arguments[i] != NULL; i++)
    g_ptr_array_add (argv, arguments[i]);
  g_ptr_array_add (argv, NULL);
  g_mkdir_with_parents (launches, 0755);
  g_subprocess_launcher_set_cwd (launcher, beside);
  g_subprocess_launcher_set_stderr_file_path (launcher, printed);
  GSubprocess *process =
      g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, error);
  if (process == NULL)
    return NULL;
  Run *run = g_new0 (Run, 1);
  run->process = process;
  run->printed_path = g_steal_pointer (&printed);
  g_mutex_init (&run->mutex);
  return run;
}

static void
run_cb (CuredProgramPage *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = cured_text_file (self->file);

  if (self->running != NULL)
    return;
  Run *run = start (self, &error);
  if (run == NULL)
    {
      show_message (self, _ ("The Program Did Not Run"), error->message);
      return;
    }
  cured_task_start (&self->running, self, &run_task, run);
  /* Translators: a program's name. */
  g_autofree char *title = g_strdup_printf (_ ("Running “%s”"), name);
  show_message (self, title, "");
  set_running (self, TRUE);
  self->progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
}

/* On SIGTERM, the command prints the report so far. */
static void
stop_cb (CuredProgramPage *self)
{
  if (self->running != NULL)
    g_subprocess_send_signal (((Run *) self->running->input)->process, SIGTERM);
}

static void
cured_program_page_class_init (CuredProgramPageClass *klass)
{
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
  cured_template_set (klass, "cured-program-page");
  CURED_OWNS (CuredProgramPage, file);
  CURED_TIMERS (CuredProgramPage, progress_id);
  CURED_BIND (CuredProgramPage, arguments, run, stop, stack, message, spinner, kernels_group,
              launched);
  CURED_BIND (CuredProgramPage, findings_group, findings, printed_group, printed);
  CURED_CALLBACKS (run_cb, stop_cb);
}

/* Returns: whether @file is a local ELF executable or a script; reads its first bytes */
gboolean
cured_program_page_can_open (GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  char magic[4] = { 0 };

  if (path == NULL || !g_file_test (path, G_FILE_TEST_IS_REGULAR) ||
      !g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    return FALSE;
  FILE *stream = g_fopen (path, "rb");
  if (stream == NULL)
    return FALSE;
  if (fread (magic, 1, sizeof magic, stream) != sizeof magic)
    magic[0] = '\0';
  fclose (stream);
  return memcmp (magic, "\177ELF", 4) == 0 || memcmp (magic, "#!", 2) == 0;
}

/* Shows @file without running it. */
void
cured_program_page_open (CuredProgramPage *self, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = cured_text_file (file);

  cured_task_cancel (&self->running);
  set_running (self, FALSE);
  g_set_object (&self->file, file);
  /* Translators: a program's name. */
  g_autofree char *title = g_strdup_printf (_ ("Run “%s” Without a GPU?"), name);
  show_message (self, title,
                _ ("It runs as it is, with your rights, and with the emulator as its device. Its "
                   "kernels are listed with what was found in them, and each can be opened."));
  gtk_widget_grab_focus (GTK_WIDGET (self->arguments));
}

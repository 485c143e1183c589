/* SPDX-License-Identifier: MIT
 * The page of a whole program in a real window, with a command that answers at once. */
#include <string.h>

#include <glib/gstdio.h>

#include "app/cured-window-private.h"
#include "gui-test.h"

#define KERNEL(name, file, rest)                                                                   \
  "{\"kernel\":\"" name "\",\"file\":" file ",\"launches\":3,\"watched\":3,\"geometries\":1,"      \
  "\"grid\":[32,2,1],\"block\":[128,1,1],\"instructions\":10," rest "}"

/* What it was started with is in "words". It waits while there is a file "hold", and tells that it
 * was stopped. */
static const char command[] =
    "#!/bin/sh\n"
    "cd \"$(dirname \"$0\")\"\n"
    "[ \"$1\" = exec ] || exit 3\n"
    "shift\n"
    "echo \"$@\" >words\n"
    "[ ! -e broken ] || { echo 'it has no kernel' >&2; exit 2; }\n"
    "echo 'the sum is 12' >&2\n"
    "echo '{\"launches\":7,\"instructions\":10,\"elapsed_s\":0.1}'\n"
    "stopped=false\n"
    "trap 'stopped=true; rm -f hold' TERM\n"
    "while [ -e hold ]; do sleep 0.05; done\n"
    "cat <<END\n"
    "{\"status\":0,\"launches\":6,\"instructions\":8887,\"elapsed_s\":0.2,\"stopped\":$stopped,\n"
    "\"kernels\":[" KERNEL (
        "saxpy", "\"$PWD/saxpy.cu\"",
        "\"wavefronts\":0,\"least_wavefronts\":0") "," KERNEL ("sum", "null",
                                                               "\"wavefronts\":30,\"least_"
                                                               "wavefronts\":20") "],\n"
                                                                                  "\"findings\":[{"
                                                                                  "\"kind\":\"race-"
                                                                                  "shared\","
                                                                                  "\"kernel\":"
                                                                                  "\"sum\","
                                                                                  "\"text\":\"A "
                                                                                  "race\\\\n  "
                                                                                  "here\"}],\n"
                                                                                  "\"never_freed\":"
                                                                                  "[\"x, 4 "
                                                                                  "bytes\"],"
                                                                                  "\"saved\":[],"
                                                                                  "\"notes\":[]}\n"
                                                                                  "END\n";

static void
write_file (const char *name, const char *text, int mode)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, mode, &error);
  g_assert_no_error (error);
}

static void
remove_file (const char *name)
{
  g_autofree char *path = in_folder (name);

  g_unlink (path);
}

static CuredWindow *
open_program (void)
{
  g_autofree char *path = in_folder ("program");
  g_autofree char *fake = in_folder ("fake-cured");

  write_file ("fake-cured", command, 0755);
  write_file ("program", "#!/bin/sh\nexit 0\n", 0755);
  remove_file ("words");
  remove_file ("broken");
  remove_file ("hold");
  g_setenv ("CURED_PROGRAM", fake, TRUE);
  return open_path (path);
}

static GtkWidget *
get_part (CuredWindow *window, const char *id)
{
  return get (get (GTK_WIDGET (window), "program_page"), id);
}

static const char *
get_row_text (CuredWindow *window, const char *list, int index, gboolean is_subtitle)
{
  GtkListBoxRow *row =
      gtk_list_box_get_row_at_index (GTK_LIST_BOX (get_part (window, list)), index);

  if (row == NULL)
    return NULL;
  return is_subtitle ? adw_action_row_get_subtitle (ADW_ACTION_ROW (row))
                     : adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row));
}

static const char *
get_message (CuredWindow *window)
{
  return adw_status_page_get_description (ADW_STATUS_PAGE (get_part (window, "message")));
}

static const char *
get_page_name (CuredWindow *window)
{
  return gtk_stack_get_visible_child_name (GTK_STACK (get_part (window, "stack")));
}

/* Opened, nothing runs; then it runs with its arguments, tells how far it is, and what came of it
 * leads to a launch. */
TEST ("/program/run")
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", NULL);
  CuredWindow *window = open_program ();
  g_autofree char *words_path = in_folder ("words");
  g_autofree char *words = NULL;

  write_file ("saxpy.cu", kernel->source, 0644);
  write_file ("hold", "", 0644);
  assert_soon_cmpstr (get_shown (window), ==, "program");
  g_assert_false (g_file_test (words_path, G_FILE_TEST_EXISTS));
  assert_soon (gtk_widget_has_focus (get_part (window, "run")) ||
               gtk_widget_get_focus_child (get_part (window, "arguments")) != NULL);
  gtk_editable_set_text (GTK_EDITABLE (get_part (window, "arguments")), "-n 'two words'");
  press ("Return");
  assert_soon (gtk_widget_get_visible (get_part (window, "stop")));
  assert_soon_cmpstr (get_message (window), ==, "7 launches, 10 instructions, 0.1 s");
  shoot ("program-running");
  remove_file ("hold");
  assert_soon_cmpstr (get_page_name (window), ==, "report");
  shoot ("program");
  g_file_get_contents (words_path, &words, NULL, NULL);
  g_assert_nonnull (strstr (words, "/program -n two words"));
  g_assert_nonnull (strstr (words, "program.launches"));
  g_assert_cmpstr (get_row_text (window, "launched", 0, FALSE), ==, "saxpy");
  g_assert_cmpstr (get_row_text (window, "launched", 0, TRUE), ==, "3 launches · 64 × 128 threads");
  g_assert_cmpstr (get_row_text (window, "launched", 1, TRUE), ==,
                   "3 launches · 64 × 128 threads · 1 finding · 50 % excess wavefronts");
  g_assert_cmpstr (get_row_text (window, "findings", 0, FALSE), ==, "A race");
  g_assert_cmpstr (get_row_text (window, "findings", 0, TRUE), ==, "here");
  g_assert_cmpstr (get_row_text (window, "findings", 1, TRUE), ==, "x, 4 bytes");
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (get_part (window, "printed"))), ==,
                   "the sum is 12\n");

  gtk_widget_activate (
      GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (get_part (window, "launched")), 0)));
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  assert_soon_cmpstr (get_shown (window), ==, "result");
}

/* What was found until then is shown. */
TEST ("/program/stop")
{
  CuredWindow *window = open_program ();

  write_file ("hold", "", 0644);
  press ("Return");
  assert_soon_cmpstr (get_message (window), ==, "7 launches, 10 instructions, 0.1 s");
  gtk_widget_activate (get_part (window, "stop"));
  assert_soon_cmpstr (get_page_name (window), ==, "report");
  g_assert_nonnull (strstr (adw_preferences_group_get_description (
                                ADW_PREFERENCES_GROUP (get_part (window, "kernels_group"))),
                            "stopped"));
  assert_soon_not (gtk_widget_get_visible (get_part (window, "stop")));
}

/* A tab that is closed ends its program. */
TEST ("/program/close")
{
  CuredWindow *window = open_program ();
  g_autofree char *hold = in_folder ("hold");

  write_file ("hold", "", 0644);
  press ("Return");
  assert_soon_cmpstr (get_message (window), ==, "7 launches, 10 instructions, 0.1 s");
  close_window (window);
  assert_soon_not (g_file_test (hold, G_FILE_TEST_EXISTS));
}

TEST ("/program/broken")
{
  CuredWindow *window = open_program ();

  write_file ("broken", "", 0644);
  press ("Return");
  assert_soon_cmpstr (get_message (window), ==, "it has no kernel");
  assert_soon_cmpstr (get_page_name (window), ==, "message");
  remove_file ("broken");
  press ("Return");
  assert_soon_cmpstr (get_page_name (window), ==, "report");
}

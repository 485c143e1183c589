/* SPDX-License-Identifier: MIT
 * Prints to standard output and standard error. */
#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

/* Implementation notes
 *
 * Titles, notes, names, messages of compilers and what kernels print are untrusted
 * text, and hundreds of places print such text. So all output of g_print () and
 * g_printerr () is made printable here, also if it goes to a file, which may be shown
 * in a terminal later. The program's own control sequences are printed by the functions
 * below only. */

/* Options of every verb: print errors only, or a document only. */
gboolean cured_cli_is_quiet, cured_cli_is_json;

/* Why the first write to standard output failed, or 0. */
static int output_errno;

/* GLib's own handlers replace characters outside the locale's character set by “?”. In the C
 * locale, which is common in containers and over ssh, this would affect quotation marks and whole
 * heat maps, although the terminal usually supports UTF-8. */
static void
write_raw (FILE *stream, const char *text)
{
  const char *charset = NULL;

  errno = 0;
  if (!g_get_charset (&charset) && strstr (charset, "646") == NULL &&
      strstr (charset, "ASCII") == NULL && strstr (charset, "ANSI_X3.4") == NULL)
    {
      g_autofree char *converted =
          g_convert_with_fallback (text, -1, charset, "UTF-8", "?", NULL, NULL, NULL);

      fputs (converted != NULL ? converted : text, stream);
    }
  else
    fputs (text, stream);
  if (stream == stdout && ferror (stdout) != 0 && output_errno == 0)
    output_errno = errno;
}

static void
write_printable (FILE *stream, const char *text)
{
  g_autoptr (GString) printable = g_string_sized_new (strlen (text) + 1);

  cured_append_printable (printable, text, strlen (text));
  write_raw (stream, printable->str);
}

static void
print_cb (const char *text)
{
  write_printable (stdout, text);
}

static void
printerr_cb (const char *text)
{
  fflush (stdout);
  write_printable (stderr, text);
  fflush (stderr);
}

/* From here on, all output is made printable. */
void
cured_cli_print_init (void)
{
  g_set_print_handler (print_cb);
  g_set_printerr_handler (printerr_cb);
}

/* Prints the message to standard error. */
int
cured_cli_fail (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("cured: %s\n", g_strchomp (message));
  return CURED_EXIT_USAGE;
}

/* A full disk behind `cured … > file` is an error; a reader that went away (`cured … | head`) is
 * not. */
int
cured_cli_print_flush (int status)
{
  errno = 0;
  if (fflush (stdout) != 0 && output_errno == 0)
    output_errno = errno;
  if (output_errno == 0 || output_errno == EPIPE)
    return status;
  return cured_cli_fail (_ ("writing to standard output failed: %s"), g_strerror (output_errno));
}

static void
ignore_cb (const char *text)
{
}

/* From here on, g_print () does nothing: --quiet was given, or --json, whose document is printed by
 * cured_cli_print_document () alone. */
void
cured_cli_print_nothing (void)
{
  g_set_print_handler (ignore_cb);
}

/* Prints text with colours to standard output. */
void
cured_cli_print_coloured (const char *text)
{
  if (!cured_cli_is_quiet && !cured_cli_is_json)
    write_raw (stdout, text);
}

/* Prints the document of --json. */
void
cured_cli_print_document (const char *text)
{
  if (!cured_cli_is_quiet)
    write_printable (stdout, text);
}

/* Empties the terminal behind standard output. */
void
cured_cli_print_clear (void)
{
  cured_cli_print_coloured ("\033[H\033[2J");
}

/* Shortest time between plain lines: logs are scrolled past. */
#define PLAIN_INTERVAL_US (5 * G_USEC_PER_SEC)

static gboolean is_line_shown;
static gint64 plain_us; /* time of the last plain line; 0: none yet */

/* Whether a line of progress takes the place of the last one: standard error is a terminal. */
gboolean
cured_cli_line_is_redrawn (void)
{
  return isatty (STDERR_FILENO) && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

/* Whether a line of progress may be shown now; call it ten times per second. */
gboolean
cured_cli_line_is_due (void)
{
  gint64 now_us = g_get_monotonic_time ();

  if (cured_cli_is_quiet)
    return FALSE;
  if (cured_cli_line_is_redrawn ())
    return TRUE;
  if (plain_us == 0)
    plain_us = now_us;
  return now_us - plain_us >= PLAIN_INTERVAL_US;
}

/* Puts a line of progress in the place of the last one; plain if standard error is not a
 * terminal. */
void
cured_cli_line_show (const char *line)
{
  if (!cured_cli_line_is_redrawn ())
    {
      plain_us = g_get_monotonic_time ();
      g_printerr ("%s\n", line);
      return;
    }
  fflush (stdout);
  write_raw (stderr, "\r");
  write_printable (stderr, line);
  write_raw (stderr, "\033[K");
  fflush (stderr);
  is_line_shown = *line != '\0';
}

/* Takes the line off again. */
void
cured_cli_line_clear (void)
{
  if (is_line_shown)
    cured_cli_line_show ("");
}

/* SPDX-License-Identifier: MIT
 * Runs the golden cases on a GPU and writes down what came out.
 *
 * usage: record-instructions FOLDER [ROW...]
 *        record-instructions --ptx FOLDER [ROW...]
 *        record-instructions --list
 *
 * FOLDER gets one text file for each row of the instruction table: a line a case, with the case's
 * name, the hash of its text and inputs, and its results, or why there are none.
 * tests/golden/test-golden.c replays them. With --ptx FOLDER gets the cases' PTX instead, and no
 * GPU is needed. --list prints row, name and hash of each case.
 *
 * The cases run in a process of their own, since a kernel that traps takes its context with it, and
 * one that hangs would never come back. */
#include "golden-gpu.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time limit of a case; the first one also starts CUDA. */
#define CASE_MS  20000
#define START_MS 120000

/* ---- The process with the GPU ---- */

static void G_GNUC_PRINTF (2, 3) say (int fd, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  for (gsize at = 0, length = strlen (text); at < length;)
    {
      gssize n = write (fd, text + at, length - at);

      if (n < 0 && errno != EINTR)
        _exit (1);
      at += n > 0 ? (gsize) n : 0;
    }
}

/* FALSE: the context is lost. */
static gboolean
run_case (const GoldenCase *golden, guint index, int fd)
{
  GoldenGpu gpu;
  g_autofree guint8 *buffer = g_malloc (golden->size);
  g_autofree char *problem = golden_gpu_load (&gpu, golden);

  if (problem != NULL)
    {
      say (fd, "%u\trefused: %s\n", index, problem);
      return TRUE;
    }
  problem = golden_gpu_run (&gpu, golden, buffer);
  if (problem != NULL)
    {
      say (fd, "%u\t%s\n", index, problem);
      return cudaDeviceSynchronize () == cudaSuccess;
    }
  g_autofree char *text = golden_case_print (golden, buffer);
  say (fd, "%u\t%s\n", index, text);
  golden_gpu_unload (&gpu);
  return TRUE;
}

static void G_GNUC_NORETURN
run_cases (GPtrArray *cases, guint first, int fd)
{
  struct cudaDeviceProp properties;
  int driver = 0;

  g_setenv ("CUDA_MODULE_LOADING", "EAGER", TRUE);
  cudaError_t result = cudaGetDeviceProperties (&properties, 0);
  if (result != cudaSuccess)
    {
      say (fd, "error\t%s\n", cudaGetErrorString (result));
      _exit (1);
    }
  cudaDriverGetVersion (&driver);
  say (fd, "device\t%s (sm_%d%d), driver for CUDA %d.%d\n", properties.name, properties.major,
       properties.minor, driver / 1000, driver % 1000 / 10);
  for (guint i = first; i < cases->len; i++)
    if (!run_case (g_ptr_array_index (cases, i), i, fd))
      _exit (3);
  _exit (0);
}

/* ---- The parent process ---- */

typedef struct
{
  GPtrArray *cases;
  char **results; /* one per case; NULL: not run yet */
  char *device, *error;
  guint next; /* the first case without a result */
} Recording;

static void
take_line (Recording *self, const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, "\t", 2);
  guint64 index;

  if (fields[0] == NULL || fields[1] == NULL)
    return;
  if (g_str_equal (fields[0], "device"))
    {
      g_free (self->device);
      self->device = g_strdup (fields[1]);
    }
  else if (g_str_equal (fields[0], "error"))
    self->error = g_strdup (fields[1]);
  else if (g_ascii_string_to_unsigned (fields[0], 10, self->next, self->cases->len - 1, &index,
                                       NULL))
    {
      self->results[index] = g_strdup (fields[1]);
      self->next = (guint) index + 1;
    }
}

/* Runs cases from the next one on, until all are done or the process ends. */
static void
run_batch (Recording *self)
{
  g_autoptr (GString) pending = g_string_new (NULL);
  guint first = self->next;
  gboolean is_over = FALSE;
  int pipes[2], status = 0;

  if (pipe (pipes) != 0)
    g_error ("pipe: %s", g_strerror (errno));
  pid_t child = fork ();
  if (child < 0)
    g_error ("fork: %s", g_strerror (errno));
  if (child == 0)
    {
      close (pipes[0]);
      run_cases (self->cases, first, pipes[1]);
    }
  close (pipes[1]);
  while (!is_over)
    {
      struct pollfd watch = { .fd = pipes[0], .events = POLLIN };
      int ready = poll (&watch, 1, self->next == first ? START_MS : CASE_MS);
      char chunk[65536];
      char *end;

      if (ready < 0 && errno == EINTR)
        continue;
      if (ready == 0)
        {
          kill (child, SIGKILL);
          if (self->next < self->cases->len)
            self->results[self->next++] = g_strdup ("failed: timed out");
          break;
        }
      gssize n = read (pipes[0], chunk, sizeof chunk);
      is_over = n <= 0;
      if (n > 0)
        g_string_append_len (pending, chunk, n);
      while ((end = memchr (pending->str, '\n', pending->len)) != NULL)
        {
          *end = '\0';
          take_line (self, pending->str);
          g_string_erase (pending, 0, end - pending->str + 1);
        }
    }
  close (pipes[0]);
  waitpid (child, &status, 0);
  if (self->error == NULL && self->next == first)
    self->results[self->next++] = g_strdup_printf ("failed: status %d", status);
}

static gboolean
write_results (const Recording *self, const char *folder, GError **error)
{
  for (guint i = 0; i < self->cases->len;)
    {
      const char *row = ((GoldenCase *) g_ptr_array_index (self->cases, i))->row;
      g_autofree char *name = g_strconcat (row, ".txt", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GString) text = g_string_new (NULL);

      g_string_append_printf (text, "# %s\n", self->device);
      for (; i < self->cases->len; i++)
        {
          const GoldenCase *golden = g_ptr_array_index (self->cases, i);

          if (!g_str_equal (golden->row, row))
            break;
          g_string_append_printf (text, "%s %s %s\n", golden->name, golden->hash, self->results[i]);
        }
      if (!g_file_set_contents (path, text->str, (gssize) text->len, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_ptx (GPtrArray *cases, const char *folder, GError **error)
{
  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *golden = g_ptr_array_index (cases, i);
      g_autofree char *name = g_strdup_printf ("%s-%s.ptx", golden->row, golden->name);

      g_strdelimit (name, "/%: ,$", '_');
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (!g_file_set_contents (path, golden->ptx, -1, error))
        return FALSE;
    }
  return TRUE;
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 ((*(const GoldenCase *const *) a)->row, (*(const GoldenCase *const *) b)->row);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cases = NULL;
  gboolean is_ptx = argc > 1 && g_str_equal (argv[1], "--ptx");
  int folder_at = is_ptx ? 2 : 1;
  Recording recording = { 0 };
  guint n_refused = 0, n_failed = 0;

  if (argc == 2 && g_str_equal (argv[1], "--list"))
    {
      cases = golden_cases_new (NULL);
      for (guint i = 0; i < cases->len; i++)
        {
          const GoldenCase *golden = g_ptr_array_index (cases, i);

          g_print ("%s\t%s\t%s\n", golden->row, golden->name, golden->hash);
        }
      return 0;
    }
  if (argc <= folder_at || *argv[folder_at] == '-')
    {
      g_printerr ("usage: %s [--ptx] FOLDER [ROW...]\n", argv[0]);
      return 2;
    }
  if (g_mkdir_with_parents (argv[folder_at], 0777) != 0)
    {
      g_printerr ("%s: %s\n", argv[folder_at], g_strerror (errno));
      return 1;
    }
  cases = golden_cases_new (NULL);
  for (guint i = cases->len; i-- > 0 && argc > folder_at + 1;)
    if (!g_strv_contains ((const char *const *) argv + folder_at + 1,
                          ((GoldenCase *) g_ptr_array_index (cases, i))->row))
      g_ptr_array_remove_index (cases, i);
  /* Cases of a row are consecutive. */
  g_ptr_array_sort (cases, compare_rows);

  if (is_ptx)
    {
      if (!write_ptx (cases, argv[folder_at], &error))
        g_printerr ("%s\n", error->message);
      return error == NULL ? 0 : 1;
    }

  recording.cases = cases;
  recording.results = g_new0 (char *, cases->len + 1);
  while (recording.next < cases->len && recording.error == NULL)
    run_batch (&recording);
  if (recording.error != NULL)
    {
      g_printerr ("%s\n", recording.error);
      return 77;
    }
  if (!write_results (&recording, argv[folder_at], &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *golden = g_ptr_array_index (cases, i);
      gboolean is_refused = g_str_has_prefix (recording.results[i], "refused");

      n_refused += is_refused;
      if (is_refused || g_str_has_prefix (recording.results[i], "failed"))
        {
          g_print ("%s/%s: %s\n", golden->row, golden->name, recording.results[i]);
          n_failed += !is_refused;
        }
    }
  g_print ("device: %s\n%u cases, %u refused, %u failed\n", recording.device, cases->len, n_refused,
           n_failed);
  g_strfreev (recording.results);
  g_free (recording.device);
  return 0;
}

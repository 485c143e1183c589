/* SPDX-License-Identifier: MIT
 * The worker process and the device that drives it, through every death. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "fake-device.h"
#include "fake-plan.h"
#include "make-result.h"
#include "test.h"
#include "worker/cured-worker-internal.h"

typedef struct
{
  CuredKernel *kernel;
  CuredOptions options;
  gint64 values[3]; /* tile, blocks, n */
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  self->kernel = fake_kernel_load ();
  cured_options_init (&self->options);
  self->options.min_samples = 3;
  self->options.max_samples = 5;
  self->options.precision = 0;
  self->options.limit_s = 20;
  self->values[0] = 4;
  self->values[1] = 1;
  self->values[2] = 64;
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  cured_kernel_unref (self->kernel);
  cured_options_clear (&self->options);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, fixture_set_up, fixture_tear_down)

static CuredDevice *
open_worker (const char *faults)
{
  CuredDevice *device = MUST (fake_worker_open (faults, "fake:0", &fail));

  g_assert_nonnull (device);
  return device;
}

static CuredOutcome *
measure (Fixture *self, CuredDevice *device, gint64 blocks)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  CuredJob job = { self->kernel, self->values, &self->options };

  self->values[1] = blocks;
  g_assert_true (MUST (cured_measure (device, &job, outcome, NULL, &fail)));
  return g_steal_pointer (&outcome);
}

static void
assert_ok (Fixture *self, CuredDevice *device)
{
  g_autoptr (CuredOutcome) outcome = measure (self, device, 1);

  g_assert_cmpstr (outcome->reason, ==, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], >, 1000);
  g_assert_nonnull (outcome->cold);
  g_assert_cmpuint (outcome->cold->samples->len, ==, 5);
}

#define assert_contains(text, part)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (strstr ((text), (part)) == NULL)                                                           \
      g_error ("“%s” has no “%s”", (text), (part));                                                \
  }                                                                                                \
  G_STMT_END

FIXTURE_TEST ("/worker/info")
{
  g_autoptr (CuredDevice) device = open_worker ("");
  const CuredDeviceInfo *info = cured_device_get_info (device);

  g_assert_cmpstr (info->id, ==, "fake:0");
  g_assert_cmpstr (info->kind, ==, "fake");
  g_assert_true (cured_device_has_time (device));
  g_assert_cmpstr (info->name, ==, "Fake device");
  g_assert_cmpint (info->limits.sms, ==, 132);
  g_assert_cmpfloat (info->calibration.resolution_ns, ==, 32);
  g_assert_cmpfloat (info->ceilings.copy_bytes_per_s, ==, 1e12);
  g_assert_true (isnan (info->ceilings.fp32_flops));
}

/* The same cell in this process and in a worker. */
FIXTURE_TEST ("/worker/same-as-in-process")
{
  g_autoptr (CuredDevice) here = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredDevice) there = open_worker ("");
  g_autoptr (CuredOutcome) a = measure (self, here, 3);
  g_autoptr (CuredOutcome) b = measure (self, there, 3);

  g_assert_cmpint (a->state, ==, b->state);
  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      g_assert_true (isnan (a->metrics[i]) == isnan (b->metrics[i]));
      if (!isnan (a->metrics[i]))
        g_assert_cmpfloat (a->metrics[i], ==, b->metrics[i]);
    }
  g_assert_cmpuint (a->hot->samples->len, ==, b->hot->samples->len);
  g_assert_cmpfloat (a->hot->statistics.median, ==, b->hot->statistics.median);
}

typedef struct
{
  const char *faults;
  CuredState state;
  const char *reason;
} Death;

static const Death deaths[] = {
  { "crash=2", CURED_STATE_CRASHED, "signal 6" },
  { "segv=2", CURED_STATE_CRASHED, "signal 11" },
  { "kill=2", CURED_STATE_CRASHED, "signal 9" },
  { "exit=2", CURED_STATE_CRASHED, "exit status 0" },
  { "sticky=2", CURED_STATE_FAILED, "lost as told" },
};

static void
test_death (Fixture *self, gconstpointer data)
{
  const Death *death = data;
  g_autoptr (CuredDevice) device = open_worker (death->faults);
  int first = _cured_worker_device_get_pid (device);

  assert_ok (self, device);
  g_assert_cmpint (_cured_worker_device_get_pid (device), ==, first);
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);
  g_assert_cmpint (outcome->state, ==, death->state);
  assert_contains (outcome->reason, death->reason);
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_time]));
  assert_ok (self, device);
  g_assert_cmpint (_cured_worker_device_get_pid (device), !=, first);
  g_assert_cmpint (_cured_worker_device_get_pid (device), !=, 0);
}

FIXTURE_TEST ("/worker/death/last-words")
{
  g_autoptr (CuredDevice) device = open_worker ("crash=2");
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);

  assert_contains (outcome->reason, "dying as told");
  assert_contains (outcome->reason, "check");
}

/* Whether a process of the group runs. Dead ones that were not waited for yet don't count: in a
 * container that may be for ever. */
static gboolean
group_lives (int group)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
      g_autofree char *stat = NULL;
      char state;
      int process_group;

      if (!g_ascii_isdigit (*name) || !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      const char *rest = strrchr (stat, ')');
      if (rest != NULL && sscanf (rest, ") %c %*d %d", &state, &process_group) == 2 &&
          process_group == group && state != 'Z' && state != 'X')
        return TRUE;
    }
  return FALSE;
}

/* When this returns, the worker is dead, but not buried. */
static void
kill_worker (CuredDevice *device)
{
  int pid = _cured_worker_device_get_pid (device);
  siginfo_t info;

  kill (pid, SIGKILL);
  g_assert_cmpint (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), ==, 0);
}

/* A launcher ends with 255 where its connection is lost, and where what it ran was killed: the cell
 * is measured once more. */
FIXTURE_TEST ("/worker/death/lost-connection")
{
  const char *folder = test_folder ();
  g_autofree char *starts = g_build_filename (folder, "starts", NULL);
  const char *const faults[] = { "crash=2", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *script =
          g_strdup_printf ("echo >>'%s'; [ $(wc -l <'%s') = 1 ] && export CURED_FAKE=crash=2 || "
                           "export CURED_FAKE=%s; \"$0\" \"$@\" 2>/dev/null || exit 255",
                           starts, starts, faults[i]);
      const char *command[] = { "sh", "-c", script, g_getenv ("CURED_TEST_WORKER"), NULL };
      g_autofree char *lines = NULL;

      g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
      g_autoptr (CuredOutcome) outcome = measure (self, device, 2);
      g_assert_cmpint (outcome->state, ==, i == 0 ? CURED_STATE_CRASHED : CURED_STATE_OK);
      g_assert_true (g_file_get_contents (starts, &lines, NULL, NULL));
      g_assert_cmpstr (lines, ==, "\n\n");
      assert_ok (self, device);
      g_assert_cmpint (g_remove (starts), ==, 0);
    }
}

/* A launcher stays between: it must die with the worker. */
FIXTURE_TEST ("/worker/hang")
{
  const char *command[] = { "sh", "-c", "CURED_FAKE=hang=2 \"$0\" \"$@\"; true",
                            g_getenv ("CURED_TEST_WORKER"), NULL };

  g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
  int group = _cured_worker_device_get_pid (device);
  self->options.limit_s = 2;
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_TIMED_OUT);
  assert_contains (outcome->reason, "2 s");
  assert_contains (outcome->reason, "check");

  self->options.limit_s = 20;
  assert_ok (self, device);
  while (group_lives (group))
    g_usleep (10 * 1000);
}

FIXTURE_TEST ("/worker/lie")
{
  g_autoptr (CuredDevice) device = open_worker ("lie=2");
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);

  g_assert_cmpint (outcome->state, ==, CURED_STATE_WRONG);
  g_assert_cmpuint (outcome->n_mismatches, ==, 1);
  g_assert_cmpuint (outcome->mismatches->len, ==, 1);
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_time]));
  assert_ok (self, device);
}

FIXTURE_TEST ("/worker/fail")
{
  g_autoptr (CuredDevice) device = open_worker ("fail=2");
  int first = _cured_worker_device_get_pid (device);
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);

  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  assert_contains (outcome->reason, "fails as told");
  assert_ok (self, device);
  g_assert_cmpint (_cured_worker_device_get_pid (device), ==, first);
}

FIXTURE_TEST ("/worker/output")
{
  g_autoptr (CuredDevice) device = open_worker ("print=2,chatter=3");
  g_autoptr (CuredOutcome) quiet = measure (self, device, 1);
  g_autoptr (CuredOutcome) loud = measure (self, device, 2);
  g_autoptr (CuredOutcome) chatty = measure (self, device, 3);
  g_autoptr (CuredOutcome) after = measure (self, device, 1);

  g_assert_null (quiet->output);
  /* Of one run, though many were timed. */
  g_assert_cmpstr (loud->output, ==, "thread 0 of cell 2 says hello\n");
  self->options.check = FALSE;
  g_autoptr (CuredOutcome) unchecked = measure (self, device, 2);
  g_assert_nonnull (unchecked->cold);
  g_assert_cmpstr (unchecked->output, ==, "thread 0 of cell 2 says hello\n");
  g_assert_true (g_str_has_prefix (chatty->output, "sixteen bytes.\n"));
  assert_contains (chatty->output, "cut after");
  g_assert_cmpuint (strlen (chatty->output), <, 66 << 10);
  g_assert_null (after->output);
}

static gpointer
cancel_thread (gpointer data)
{
  g_usleep (200 * 1000);
  g_cancellable_cancel (data);
  return NULL;
}

FIXTURE_TEST ("/worker/cancel")
{
  g_autoptr (CuredDevice) device = open_worker ("hang=2");
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  CuredJob job = { self->kernel, self->values, &self->options };

  self->values[1] = 2;
  GThread *thread = g_thread_new ("cancel", cancel_thread, cancellable);
  FAILS (cured_measure (device, &job, outcome, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_NOT_RUN);
  g_thread_join (thread);
  assert_ok (self, device);
}

/* A worker that dies between two cells costs none of them. */
FIXTURE_TEST ("/worker/death/idle")
{
  g_autoptr (CuredDevice) device = open_worker ("");
  CuredJob job = { self->kernel, self->values, &self->options };

  assert_ok (self, device);
  kill_worker (device);
  /* A hint to the dead must not raise SIGPIPE. */
  cured_prepare (device, &job);
  assert_ok (self, device);
}

FIXTURE_TEST ("/worker/prepare")
{
  g_autoptr (CuredDevice) device = open_worker ("crash=2");
  CuredJob job = { self->kernel, self->values, &self->options };

  for (int i = 0; i < 100; i++)
    cured_prepare (device, &job);
  assert_ok (self, device);
  g_autoptr (CuredOutcome) outcome = measure (self, device, 2);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_CRASHED);
  cured_prepare (device, &job);
  assert_ok (self, device);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Where in the shared memory the worker's is: offsets, in their order. */
static char *
list_shared (CuredDevice *device)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", _cured_worker_device_get_pid (device));
  g_autofree char *maps = NULL;
  g_autoptr (GPtrArray) offsets = g_ptr_array_new_with_free_func (g_free);

  g_assert_true (g_file_get_contents (path, &maps, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "memfd:cured-share") != NULL)
      {
        g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);

        g_ptr_array_add (offsets, g_strdup (words[2]));
      }
  g_ptr_array_sort (offsets, compare_texts);
  g_ptr_array_add (offsets, NULL);
  return g_strjoinv (" ", (char **) offsets->pdata);
}

/* What one worker made the other has at the same place; behind what may be a launcher nothing is
 * shared. */
FIXTURE_TEST ("/worker/share")
{
  const char *command[] = { "sh", "-c", "exec \"$0\" \"$@\"", g_getenv ("CURED_TEST_WORKER"),
                            NULL };
  g_autoptr (CuredDevice) first = open_worker ("");
  g_autoptr (CuredDevice) second = open_worker ("");
  g_autoptr (CuredDevice) apart = cured_worker_device_new (command, "fake:0", NULL);

  assert_ok (self, first);
  assert_ok (self, second);
  assert_ok (self, apart);
  g_autofree char *of_first = list_shared (first);
  g_autofree char *of_second = list_shared (second);
  g_autofree char *of_apart = list_shared (apart);
  /* The table, and what was made. */
  assert_contains (of_first, " ");
  g_assert_cmpstr (of_first, ==, of_second);
  g_assert_cmpstr (of_apart, ==, "");
}

/* The kernel's reference is a file of this machine. */
FIXTURE_TEST ("/worker/reference")
{
  g_autoptr (CuredDevice) device = open_worker ("");
  g_autofree char *folder = g_dir_make_tmp ("cured-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "mine.cu", NULL);
  g_autofree char *other = g_build_filename (folder, "other.cu", NULL);
  g_autoptr (GString) text = g_string_new (self->kernel->source);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (other, text->str, -1, &error));
  g_string_replace (text, "Reference=vector-add", "Reference=./other.cu", 1);
  g_assert_true (g_file_set_contents (path, text->str, -1, &error));
  cured_kernel_unref (self->kernel);
  self->kernel = MUST (cured_kernel_new_from_file (path, &fail));
  assert_ok (self, device);

  /* Known to this process; a fresh one would have to be sent it again. */
  g_remove (other);
  assert_ok (self, device);
  kill_worker (device);
  CuredOutcome *outcome = measure (self, device, 1);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  assert_contains (outcome->reason, "other.cu");
  cured_outcome_free (outcome);
  /* Nothing is compared. */
  self->options.check = FALSE;
  assert_ok (self, device);
  self->options.check = TRUE;
  g_remove (path);
  g_rmdir (folder);
}

static void
assert_refused (const char *const *command, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (cured_worker_device_new (command, "fake:0", &error));
  g_assert_error (error, CURED_ERROR, code);
  assert_contains (error->message, part);
}

TEST ("/worker/refused")
{
  const char *worker = g_getenv ("CURED_TEST_WORKER");
  const char *missing[] = { "/nowhere/cured", "worker", NULL };
  const char *not_a_worker[] = { "true", NULL };
  const char *complaining[] = { "sh", "-c", "echo no such host >&2; exit 255", NULL };
  const char *banner[] = { "echo", "Welcome", NULL };
  const char *no_device[] = { "env", "CURED_FAKE=open=fail", worker, NULL };
  const char *newer[] = {
    "env",
    "CURED_FAKE_HELLO={\"type\":\"hello\",\"protocol\":99,\"version\":\"7.0\",\"device\":{}}",
    worker, NULL
  };
  const char *impolite[] = { "env", "CURED_FAKE_HELLO={\"type\":\"outcome\"}", worker, NULL };
  const char *bare[] = { "env", "CURED_FAKE_HELLO={\"type\":\"hello\",\"protocol\":1}", worker,
                         NULL };

  assert_refused (missing, CURED_ERROR_NO_DEVICE, "/nowhere/cured worker");
  assert_refused (not_a_worker, CURED_ERROR_CRASHED, "exit status 0");
  assert_refused (complaining, CURED_ERROR_CRASHED, "no such host");
  assert_refused (banner, CURED_ERROR_PROTOCOL, "Welcome");
  assert_refused (no_device, CURED_ERROR_NO_DEVICE, "no fake device");
  assert_refused (newer, CURED_ERROR_PROTOCOL, "99");
  assert_refused (newer, CURED_ERROR_PROTOCOL, "7.0");
  assert_refused (impolite, CURED_ERROR_PROTOCOL, "hello");
  assert_refused (bare, CURED_ERROR_PROTOCOL, "device");
}

/* Runs the worker at first, and @later when it is started again. */
static CuredDevice *
open_changing (const char *later, char **mark)
{
  const char *command[] = { "sh", "-c", NULL, g_getenv ("CURED_TEST_WORKER"), NULL };
  int fd = g_file_open_tmp ("cured-XXXXXX", mark, NULL);

  close (fd);
  g_remove (*mark);
  g_autofree char *script = g_strdup_printf (
      "if [ -e %s ]; then %s; else touch %s; exec \"$0\" \"$@\"; fi", *mark, later, *mark);
  command[2] = script;
  CuredDevice *device = MUST (cured_worker_device_new (command, "fake:0", &fail));
  return device;
}

static void
assert_changed (Fixture *self, const char *later, int code, const char *part)
{
  g_autofree char *mark = NULL;
  g_autoptr (CuredDevice) device = open_changing (later, &mark);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GError) error = NULL;
  CuredJob job = { self->kernel, self->values, &self->options };

  assert_ok (self, device);
  kill_worker (device);
  if (code == CURED_ERROR_TIMED_OUT)
    _cured_worker_device_set_limits (device, 0.3, 10);
  g_assert_false (cured_measure (device, &job, outcome, NULL, &error));
  g_assert_error (error, CURED_ERROR, code);
  assert_contains (error->message, part);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_NOT_RUN);
  g_remove (mark);
}

FIXTURE_TEST ("/worker/death/restart")
{
  assert_changed (self, "exec sleep 60", CURED_ERROR_TIMED_OUT, "0.3 s");
  assert_changed (self, "exit 3", CURED_ERROR_CRASHED, "exit status 3");
  assert_changed (self, "exec \"$0\" \"$@\" --device fake:9", CURED_ERROR_DEVICE, "fake-fake:9");
}

/* Says something wrong once the handshake is done. */
FIXTURE_TEST ("/worker/garbage")
{
  const char *const garbage[] = {
    "Segmentation fault",
    "{\"type\":\"outcome\",\"id\":0,\"state\":\"ok\",\"cold\":3}",
    "{\"type\":\"outcome\",\"id\":0,\"state\":\"splendid\"}",
    "{\"type\":\"outcome\",\"id\":\"0\"}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (garbage); i++)
    {
      g_autofree char *script = g_strdup_printf (
          "read x; echo '{\"type\":\"hello\",\"protocol\":1,\"device\":{}}'; read x; read x; echo "
          "'{\"type\":\"later\"}'; echo '{\"type\":\"outcome\",\"id\":12345}'; echo '%s'; sleep 60",
          garbage[i]);
      const char *command[] = { "sh", "-c", script, NULL };

      g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
      g_autoptr (CuredOutcome) outcome = measure (self, device, 1);
      g_assert_cmpint (outcome->state, ==, CURED_STATE_CRASHED);
      assert_contains (outcome->reason, "can't be understood");
      g_assert_null (outcome->cold);
      g_assert_cmpint (_cured_worker_device_get_pid (device), ==, 0);
    }
}

/* A flood on either stream does not stop the clock. */
FIXTURE_TEST ("/worker/flood")
{
  const char *const floods[] = { "yes >&2", "yes '{\"type\":\"later\"}'" };

  for (gsize i = 0; i < G_N_ELEMENTS (floods); i++)
    {
      g_autofree char *script = g_strdup_printf (
          "read x; echo '{\"type\":\"hello\",\"protocol\":1,\"device\":{}}'; read x; read x; %s",
          floods[i]);
      const char *command[] = { "sh", "-c", script, NULL };

      g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
      _cured_worker_device_set_limits (device, 60, 0.3);
      self->options.limit_s = 0.3;
      g_autoptr (CuredOutcome) outcome = measure (self, device, 1);
      g_assert_cmpint (outcome->state, ==, CURED_STATE_TIMED_OUT);
    }
}

/* Compiling and preparing may take longer than the cell, but not for ever; what comes later has the
 * cell's limit. */
FIXTURE_TEST ("/worker/prepare-limit")
{
  static const struct
  {
    const char *stage, *limit;
  } cases[] = { { "compile", "0.6 s" }, { "prepare", "0.6 s" }, { "check", "0.2 s" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *script = g_strdup_printf (
          "read x; echo '{\"type\":\"hello\",\"protocol\":1,\"device\":{}}'; read x; read x; echo "
          "'{\"type\":\"stage\",\"id\":0,\"stage\":\"%s\"}'; exec sleep 60",
          cases[i].stage);
      const char *command[] = { "sh", "-c", script, NULL };

      g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
      _cured_worker_device_set_limits (device, 60, 0.6);
      self->options.limit_s = 0.2;
      g_autoptr (CuredOutcome) outcome = measure (self, device, 1);
      g_assert_cmpint (outcome->state, ==, CURED_STATE_TIMED_OUT);
      assert_contains (outcome->reason, cases[i].limit);
    }
}

/* The same with a question, and without a reader of the answer. */
FIXTURE_TEST ("/worker/flooded-answer")
{
#define REFUSAL "echo '{\"type\":\"refusal\",\"id\":0,\"code\":\"invalid\",\"message\":\"no\"}'; "
#define FLOOD   "yes '{\"type\":\"later\"}'"
#define DRIP    "while printf x; do sleep 0.05; done"
  static const struct
  {
    const char *words;
    double limit_s;
    gboolean is_cancelled;
    int code;
  } cases[] = {
    { REFUSAL FLOOD, 20, FALSE, CURED_ERROR_INVALID }, { FLOOD, 0.3, FALSE, CURED_ERROR_TIMED_OUT },
    { DRIP, 0.3, FALSE, CURED_ERROR_TIMED_OUT },       { FLOOD, 20, TRUE, G_IO_ERROR_CANCELLED },
    { DRIP, 20, TRUE, G_IO_ERROR_CANCELLED },
  };
  CuredJob job = { self->kernel, self->values, &self->options };
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  g_cancellable_cancel (cancelled);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *script = g_strconcat (
          "read x; echo '{\"type\":\"hello\",\"protocol\":1,\"device\":{}}'; read x; read x; ",
          cases[i].words, NULL);
      const char *command[] = { "sh", "-c", script, NULL };
      CuredWorkerRequest request;
      CuredDemands demands = { NULL };
      GQuark domain = cases[i].is_cancelled ? G_IO_ERROR : CURED_ERROR;
      g_autoptr (GError) error = NULL;

      g_autoptr (CuredDevice) device = MUST (cured_worker_device_new (command, "fake:0", &fail));
      _cured_request_init (&request);
      g_assert_false (_cured_worker_device_ask (device, "demands", &request, &job,
                                                &_cured_demands_record, &demands, cases[i].limit_s,
                                                cases[i].is_cancelled ? cancelled : NULL, &error));
      _cured_record_clear (&_cured_request_record, &request);
      g_assert_error (error, domain, cases[i].code);
    }
#undef REFUSAL
#undef FLOOD
#undef DRIP
}

static GSubprocess *
start_raw (const char *faults)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);

  g_subprocess_launcher_setenv (launcher, "CURED_FAKE", faults, TRUE);
  GSubprocess *process =
      MUST (g_subprocess_launcher_spawn (launcher, &fail, g_getenv ("CURED_TEST_WORKER"), NULL));
  return process;
}

static void
say (GSubprocess *process, const char *text)
{
  g_output_stream_write_all (g_subprocess_get_stdin_pipe (process), text, strlen (text), NULL, NULL,
                             NULL);
}

#define HELLO "{\"type\":\"hello\",\"protocol\":1}\n"

/* Whatever a worker hears, it says what it expected and ends by itself. */
FIXTURE_TEST ("/worker/hostile")
{
  g_autoptr (GString) deep = g_string_new (HELLO "{\"type\":");
  const char *lines[] = {
    "hello\n",
    "\n",
    "{\"type\":\"measure\"}\n",
    "{\"type\":\"hello\"}\n",
    "{\"type\":\"hello\",\"protocol\":\"1\"}\n",
    "{\"type\":\"hello\",\"protocol\":99,\"version\":\"7.0\"}\n",
    HELLO "{\"type\":\"kernel\"}\n",
    HELLO "{\"type\":\"kernel\",\"number\":0,\"source\":\"int x;\"}\n",
    HELLO "{\"type\":\"kernel\",\"number\":-1,\"source\":7}\n",
    HELLO "{\"type\":\"measure\",\"id\":0,\"kernel\":0}\n",
    HELLO "{\"type\":\"measure\"}\n",
    HELLO "{\"type\":\"prepare\",\"kernel\":[0]}\n",
    HELLO "{\"type\":\"later\"}\n{\"type\":\"measure\",\"options\":1}\n",
    HELLO "\x80\x81\n",
    NULL,
  };

  for (int i = 0; i < 100000; i++)
    g_string_append (deep, "[{\"\":");
  g_string_append_c (deep, '\n');
  lines[G_N_ELEMENTS (lines) - 1] = deep->str;
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (GSubprocess) process = start_raw ("");
      g_autoptr (GDataInputStream) answers =
          g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));

      say (process, lines[i]);
      g_autofree char *answer = g_data_input_stream_read_line (answers, NULL, NULL, NULL);
      g_assert_nonnull (answer);
      if (strstr (answer, "\"hello\"") != NULL && strstr (answer, "\"error\"") == NULL)
        {
          g_free (answer);
          answer = g_data_input_stream_read_line (answers, NULL, NULL, NULL);
          g_assert_nonnull (answer);
        }
      assert_contains (answer, "\"type\":\"error\"");
      g_subprocess_wait (process, NULL, NULL);
      g_assert_true (g_subprocess_get_if_exited (process));
      g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 1);
    }
}

FIXTURE_TEST ("/worker/random")
{
  g_autoptr (GString) good = g_string_new (HELLO "{\"type\":\"kernel\",\"number\":0,\"source\":\"");

  g_autofree char *quoted = g_strescape (self->kernel->source, NULL);
  g_string_append_printf (good,
                          "%s\"}\n{\"type\":\"measure\",\"id\":1,\"kernel\":0,\"parameters\":{"
                          "\"blocks\":2},\"options\":{\"max_samples\":3}}\n{\"type\":\"quit\"}\n",
                          quoted);
  for (int round = 0; round < 60; round++)
    {
      g_autoptr (GSubprocess) process = start_raw ("");
      g_autofree char *bytes = g_memdup2 (good->str, good->len);

      for (int i = 0; i < 1 << (round % 8); i++)
        bytes[g_test_rand_int_range (0, (gint32) good->len)] =
            (char) g_test_rand_int_range (-128, 127);
      g_output_stream_write_all (g_subprocess_get_stdin_pipe (process), bytes, good->len, NULL,
                                 NULL, NULL);
      g_output_stream_close (g_subprocess_get_stdin_pipe (process), NULL, NULL);
      g_subprocess_wait (process, NULL, NULL);
      g_assert_true (g_subprocess_get_if_exited (process));
    }
}

/* The other side went away: a kernel that hangs does not stay behind. */
FIXTURE_TEST ("/worker/end-of-input")
{
  g_autoptr (GSubprocess) process = start_raw ("hang=2");
  g_autofree char *quoted = g_strescape (self->kernel->source, NULL);
  g_autofree char *kernel =
      g_strdup_printf ("{\"type\":\"kernel\",\"number\":0,\"source\":\"%s\"}\n", quoted);
  g_autoptr (GDataInputStream) answers =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  gboolean is_checking = FALSE;

  say (process, HELLO);
  say (process, kernel);
  say (process, "{\"type\":\"measure\",\"id\":1,\"kernel\":0,\"parameters\":{\"blocks\":2}}\n");
  while (!is_checking)
    {
      g_autofree char *answer = g_data_input_stream_read_line (answers, NULL, NULL, NULL);

      g_assert_nonnull (answer);
      is_checking = strstr (answer, "\"check\"") != NULL;
    }
  g_output_stream_close (g_subprocess_get_stdin_pipe (process), NULL, NULL);
  g_subprocess_wait (process, NULL, NULL);
}

TEST ("/worker/default-command")
{
  g_setenv ("CURED_WORKER", "ssh 'my host' cured worker", TRUE);
  g_auto (GStrv) wanted = cured_worker_default_command ();
  g_assert_cmpstrv (wanted, ((const char *const[]){ "ssh", "my host", "cured", "worker", NULL }));
  g_setenv ("CURED_WORKER", "a 'b", TRUE);
  g_auto (GStrv) broken = cured_worker_default_command ();
  g_assert_cmpstrv (broken, ((const char *const[]){ "a 'b", NULL }));
  g_unsetenv ("CURED_WORKER");
  g_auto (GStrv) found = cured_worker_default_command ();
  g_assert_cmpuint (g_strv_length (found), ==, 2);
  g_assert_true (g_str_has_suffix (found[0], "cured"));
  g_assert_cmpstr (found[1], ==, "worker");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (deaths); i++)
    {
      g_autofree char *path = g_strdup_printf ("/worker/death/%s", deaths[i].faults);

      g_test_add (path, Fixture, &deaths[i], fixture_set_up, test_death, fixture_tear_down);
    }
  return run_tests ();
}

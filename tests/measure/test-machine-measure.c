/* SPDX-License-Identifier: MIT
 * Machine facts, measured: what the file says, what is refused, and that the probes are made of
 * what they are named after. */
#include <cured.h>
#include <math.h>
#include <string.h>

#include "sass/cured-sass-code-internal.h"
#include "fake-device.h"
#include "part.h"
#include "test-compiled.h"
#include "make-result.h"
#include "test.h"

typedef struct
{
  gint64 done, all;
} Seen;

static void
see (gint64 done, gint64 all, gpointer user_data)
{
  Seen *seen = user_data;

  g_assert_cmpint (done, ==, seen->done + 1);
  g_assert_cmpint (done, <=, all);
  seen->done = done;
  seen->all = all;
}

/* Every fact is in the file, with how it was measured, or is named with the reason why it is
 * not. */
TEST ("/machine-measure/facts")
{
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "fake.ini", NULL);
  Seen seen = { 0, 0 };
  gsize n_facts = 0;
  const CuredMachineFact *facts = cured_machine_facts (&n_facts);
  guint n_known = 0;

  g_setenv ("CURED_FAKE", "mib=1024", TRUE);
  g_autoptr (CuredDevice) device = MUST (fake_device_open ("fake:0", &fail));
  g_autofree char *text = MUST (cured_machine_measure (device, see, &seen, left_out, NULL, &fail));
  g_assert_cmpint (seen.done, ==, seen.all);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_autoptr (CuredMachine) machine = MUST (cured_machine_load (path, &fail));
  g_assert_cmpstr (machine->name, ==, "Fake device");
  g_assert_nonnull (machine->date);
  for (gsize i = 0; i < n_facts; i++)
    {
      gboolean is_known = !isnan (cured_machine_get (machine, &facts[i]));
      gboolean is_named = FALSE;
      g_autofree char *name = g_strdup_printf ("(%s)", facts[i].meaning);

      for (guint k = 0; k < left_out->len; k++)
        if (strstr (g_ptr_array_index (left_out, k), name) != NULL)
          is_named = TRUE;
      g_test_message ("%s", facts[i].name);
      g_assert_true (is_known != is_named);
      g_assert_true (!is_known || machine->provenance[i] != NULL);
      n_known += is_known;
    }
  g_assert_cmpuint (n_known, >, 20);
  g_assert_cmpfloat (machine->sms, ==, 132);
  g_assert_cmpfloat (machine->sm_clock_hz, ==, 1.98e9);
}

/* What counts instead of timing, and what computes times, is no chip. */
TEST ("/machine-measure/refused")
{
  static const char *const ids[] = { "emulator:sm_90", "model:h200" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredDevice) device = cured_device_open (ids[i], &error);

      if (device == NULL)
        {
          g_test_skip (error->message);
          return;
        }
      g_assert_null (cured_machine_measure (device, NULL, NULL, NULL, NULL, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, ids[i]));
      g_assert_nonnull (strstr (error->message, "cuda:0"));
    }
}

TEST ("/machine-measure/cancelled")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_setenv ("CURED_FAKE", "mib=1024", TRUE);
  g_autoptr (CuredDevice) device = MUST (fake_device_open ("fake:0", &fail));
  g_cancellable_cancel (cancellable);
  FAILS (cured_machine_measure (device, NULL, NULL, NULL, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
}

/* Nothing is left: that is an error, and no empty file. */
TEST ("/machine-measure/lost")
{
  g_autoptr (GError) error = NULL;

  g_setenv ("CURED_FAKE", "sticky=*", TRUE);
  g_autoptr (CuredDevice) device = MUST (fake_device_open ("fake:0", &fail));
  g_assert_null (cured_machine_measure (device, NULL, NULL, NULL, NULL, &error));
  g_assert_nonnull (error);
}

/* In its loop, the machine code of a probe has a run of what it is named after: the compiler took
 * nothing for superfluous and put nothing in its place. */
TEST ("/machine-measure/machine-code")
{
  static const struct
  {
    const char *probe, *mnemonic;
    guint n;
  } rows[] = {
    { "0", "FFMA", 128 }, { "0", "SHF", 128 },   { "1", "FFMA", 128 }, { "2", "IMAD", 128 },
    { "3", "SHF", 128 },  { "4", "HFMA2", 128 }, { "5", "DFMA", 128 }, { "6", "MUFU", 128 },
    { "7", "SHFL", 128 }, { "8", "LDS", 128 },   { "9", "LDS", 128 },  { "10", "LDC", 128 },
    { "11", "LDC", 128 }, { "12", "LDG", 4 },    { "13", "LDG", 4 },   { "14", "LDG", 16 },
    { "15", "LDG", 16 },  { "16", "LDG", 4 },    { "17", "STG", 4 },   { "18", "LDG", 4 },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "..", "..", "libcured",
                                            "measure", "cured-machine-probe.cu", NULL);
  g_autofree char *source = NULL;

  NEED_COMPILER ();
  MUST (g_file_get_contents (path, &source, NULL, &fail));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *define = g_strconcat ("-DPROBE=", rows[i].probe, NULL);
      const char *const options[] = { define, "-DATOMICS=0", NULL };
      guint n = 0;

      /* A chain of arithmetic, and the one that once went to the uniform pipe: enough for the quick
       * tier. */
      if (!part_has_cell (i == 2 || i == 11))
        continue;
      g_autoptr (GBytes) cubin = MUST (
          cured_compiler_compile (compiler, source, "probe.cu", options, "sm_90", NULL, &fail));
      g_autoptr (CuredSassCode) code = MUST (cured_sass_code_new (cubin, "machine_probe", &fail));
      for (guint k = 0; k < code->insts->len; k++)
        {
          g_autofree char *mnemonic =
              cured_sass_inst_get_mnemonic (&g_array_index (code->insts, CuredSassInst, k));
          gsize length = strlen (rows[i].mnemonic);

          n += strncmp (mnemonic, rows[i].mnemonic, length) == 0 &&
               (mnemonic[length] == '\0' || mnemonic[length] == '.');
        }
      g_test_message ("probe %s: %u × %s of %u", rows[i].probe, n, rows[i].mnemonic,
                      code->insts->len);
      g_assert_cmpuint (n, >=, rows[i].n);
      /* The ring's first lap has loads of its own. */
      g_assert_cmpuint (n, <=, rows[i].n + 40);
    }
}

/* A number that no chip has is not taken for a count of multiprocessors. */
TEST ("/machine-measure/huge")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "huge.ini", NULL);
  static const char *const values[] = { "1e308", "inf", "nan", "0", "-1" };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = g_strdup_printf ("[Chip]\nMultiprocessors=%s\n", values[i]);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      FAILS (cured_machine_load (path, &fail), CURED_ERROR, CURED_ERROR_INVALID,
             "Multiprocessors in [Chip]");
    }
}

int
main (int argc, char **argv)
{
  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  return run_tests ();
}

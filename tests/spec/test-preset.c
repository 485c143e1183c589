/* SPDX-License-Identifier: MIT
 * Presets: there and back, in files, and what is refused. */
#include <gio/gio.h>
#include <string.h>

#include "base/cured-error.h"
#include "kernel/read/cured-catalogue.h"
#include "other-values.h"
#include "spec/cured-preset.h"
#include "test.h"

static CuredSpec *
make_spec (void)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));

  return cured_spec_new (kernel);
}

/* Of which no option is as by default. */
static CuredPreset *
make_preset (const char *name)
{
  g_autoptr (CuredSpec) spec = make_spec ();
  CuredOptions *options = cured_spec_get_options (spec);

  cured_options_clear (options);
  other_options_init (options);
  options->hot = TRUE;
  g_assert_true (cured_spec_parse_axis (spec, "blocks=2^4..2^12", NULL));
  return cured_preset_new (name, spec, "cuda:1", "ssh  'a host' \\ =;#");
}

static void
assert_same (const CuredPreset *a, const CuredPreset *b)
{
  g_assert_cmpstrv (a->axes, b->axes);
  g_assert_cmpstr (a->kernel_id, ==, b->kernel_id);
  g_assert_cmpstr (a->device_id, ==, b->device_id);
  g_assert_cmpstr (a->launcher, ==, b->launcher);
  assert_same_options (&a->options, &b->options, CURED_OPTION_UNSAFE);
}

TEST ("/preset/text")
{
  g_autoptr (CuredPreset) preset = make_preset ("one");
  g_autofree char *text = cured_preset_to_text (preset);
  g_autoptr (CuredPreset) read =
      MUST (cured_preset_new_from_text (text, "one", "one.preset", &fail));
  g_autoptr (CuredSpec) spec = make_spec ();
  gsize index;

  assert_same (preset, read);
  g_assert_null (strstr (text, "unsafe"));

  MUST (cured_preset_apply (read, spec, &fail));
  assert_same_options (&preset->options, cured_spec_get_options (spec), CURED_OPTION_UNSAFE);
  g_assert_true (cured_kernel_find_parameter (cured_spec_get_kernel (spec), "blocks", &index));
  g_autofree char *values = cured_axis_to_string (cured_spec_get_axis (spec, index));
  g_assert_cmpstr (values, ==, "2^4..2^12");
}

/* A file by hand needs no more than what it changes. */
TEST ("/preset/short")
{
  g_autoptr (CuredPreset) preset = MUST (cured_preset_new_from_text (
      "# mine\n\n[Preset]\n[Options]\n  limit_s = 5 \n[Parameters]\nn=64\n", "mine", "mine.preset",
      &fail));
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  g_assert_null (preset->kernel_id);
  g_assert_null (preset->device_id);
  g_assert_cmpuint (g_strv_length (preset->axes), ==, 1);
  g_assert_cmpfloat (preset->options.limit_s, ==, 5);
  g_assert_cmpuint (preset->options.seed, ==, defaults.seed);
}

TEST ("/preset/refused")
{
  static const struct
  {
    const char *text;
    int code, line;
    const char *says;
  } cases[] = {
    { "", CURED_ERROR_SYNTAX, 1, "[Preset]" },
    { "hello\n", CURED_ERROR_SYNTAX, 1, "expected [Preset]" },
    { "[Preset]\n[Sweep]\n", CURED_ERROR_SYNTAX, 2, "[Options]" },
    { "[Preset\n", CURED_ERROR_SYNTAX, 1, "[Options]" },
    { "[", CURED_ERROR_SYNTAX, 1, "[Options]" },
    { "[Preset]\nKernel\n", CURED_ERROR_SYNTAX, 2, "NAME=VALUE" },
    { "[Preset]\n=1\n", CURED_ERROR_SYNTAX, 2, "before the" },
    { "[Preset]\nColour=red\n", CURED_ERROR_SYNTAX, 2, "Launcher" },
    { "[Preset]\nVersion=0\n", CURED_ERROR_SYNTAX, 2, "Version=1" },
    { "[Preset]\nVersion=2\nNew=\n", CURED_ERROR_NEWER, 2, "later version" },
    { "[Preset]\nKernel=a\nKernel=b\n", CURED_ERROR_SYNTAX, 3, "twice" },
    { "[Preset]\nKernel=\\q\n", CURED_ERROR_SYNTAX, 2, "Kernel" },
    { "[Options]\nlimits=1\n", CURED_ERROR_SYNTAX, 2, "limit_s" },
    { "[Options]\nunsafe_options=-o\n", CURED_ERROR_SYNTAX, 2, "no option" },
    { "[Options]\nlimit_s=0\n", CURED_ERROR_SYNTAX, 2, "seconds from" },
    { "[Options]\nhot=yes\n", CURED_ERROR_SYNTAX, 2, "1 or 0" },
    { "[Options]\ncompile_options=-o x\n", CURED_ERROR_SYNTAX, 2, "-o" },
    { "[Options]\n\nmin_samples=9\nmax_samples=8\n", CURED_ERROR_SYNTAX, 4, "nothing is both" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *where = g_strdup_printf ("/a/x.preset:%d: ", cases[i].line);

      g_assert_null (cured_preset_new_from_text (cases[i].text, "x", "/a/x.preset", &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, CURED_ERROR, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, where));
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

/* Its valid values are set, and the first invalid one is reported. */
TEST ("/preset/other-kernel")
{
  static const struct
  {
    const char *axis;
    int code;
    const char *says;
  } cases[] = {
    { "tile=4", CURED_ERROR_NOT_FOUND, "tile" },
    { "threads=1e9", CURED_ERROR_SYNTAX, "threads" },
    { "threads=5000", CURED_ERROR_INVALID, "threads" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredSpec) spec = make_spec ();
      g_autofree char *text = g_strdup_printf ("[Preset]\n[Parameters]\n%s\nn=64\n", cases[i].axis);
      g_autoptr (CuredPreset) preset =
          MUST (cured_preset_new_from_text (text, "x", "x.preset", &fail));
      gsize index;

      g_assert_false (cured_preset_apply (preset, spec, &error));
      g_test_message ("%s", error->message);
      g_assert_cmpint (error->code, ==, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, "x.preset:3: "));
      g_assert_nonnull (strstr (error->message, cases[i].says));
      g_assert_true (cured_kernel_find_parameter (cured_spec_get_kernel (spec), "n", &index));
      g_assert_cmpint (cured_axis_get_value (cured_spec_get_axis (spec, index), 0), ==, 64);
    }
}

/* A file that ends too early is read or refused, with its place. */
TEST ("/preset/cut")
{
  g_autoptr (CuredPreset) preset = make_preset ("one");
  g_autofree char *text = cured_preset_to_text (preset);

  for (gsize length = 0; length < strlen (text); length++)
    {
      g_autofree char *cut = g_strndup (text, length);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredPreset) read = cured_preset_new_from_text (cut, "cut", "cut.preset", &error);

      g_assert_true ((read == NULL) == (error != NULL));
      g_assert_true (read != NULL || cured_error_get_place (error) != NULL);
    }
}

TEST ("/preset/files")
{
  static const char *const names[] = { "one",     "[a] /=b; ü%2F", "..",
                                       ".preset", "a.preset",      "Zwei Wörter" };
  const char *missing[] = { NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder =
      g_build_filename (g_get_user_config_dir (), "cured", "presets", "vector%2Fadd", NULL);
  g_autofree char *other = g_build_filename (folder, "%zz.preset", NULL);
  g_auto (GStrv) listed = cured_presets_list ("vector/add");

  g_assert_cmpstrv (listed, missing);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (CuredPreset) preset = make_preset (names[i]);

      MUST (cured_presets_save (preset, &fail));
      g_autoptr (CuredPreset) loaded = MUST (cured_presets_load ("vector/add", names[i], &fail));
      g_assert_cmpstr (loaded->name, ==, names[i]);
      assert_same (preset, loaded);
    }
  /* What has no name of ours is not listed. */
  g_assert_true (g_file_set_contents (other, "[Preset]\n", -1, NULL));
  g_clear_pointer (&listed, g_strfreev);
  listed = cured_presets_list ("vector/add");
  g_assert_cmpuint (g_strv_length (listed), ==, G_N_ELEMENTS (names));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (g_strv_contains ((const char *const *) listed, names[i]));
  g_clear_pointer (&listed, g_strfreev);
  listed = cured_presets_list ("vector");
  g_assert_cmpstrv (listed, missing);

  FAILS (cured_presets_load ("vector/add", "two", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  FAILS (cured_presets_delete ("vector/add", "two", &fail), G_FILE_ERROR, G_FILE_ERROR_NOENT, "");

  g_assert_true (cured_presets_rename ("vector/add", "one", "two", NULL));
  g_assert_null (cured_presets_load ("vector/add", "one", NULL));
  {
    g_autoptr (CuredPreset) two = MUST (cured_presets_load ("vector/add", "two", &fail));

    g_assert_cmpstr (two->name, ==, "two");
  }
  g_assert_true (cured_presets_delete ("vector/add", "two", NULL));
  g_assert_null (cured_presets_load ("vector/add", "two", NULL));

  /* A name that no file may have is refused, not cut. */
  {
    g_autofree char *name = g_strnfill (300, 'x');
    g_autoptr (CuredPreset) preset = make_preset (name);

    g_assert_false (cured_presets_save (preset, &error));
    g_assert_nonnull (error);
    g_clear_error (&error);
  }
}

/* Kernel files' ids may be longer than a folder's name. */
TEST ("/preset/long-id")
{
  g_autofree char *id = g_strnfill (250, '/');
  g_autofree char *text = g_strdup_printf ("[Preset]\nKernel=%s\n", id);
  g_autoptr (CuredPreset) preset = cured_preset_new_from_text (text, "one", "x", NULL);

  MUST (cured_presets_save (preset, &fail));
  g_auto (GStrv) names = cured_presets_list (id);
  g_assert_cmpuint (g_strv_length (names), ==, 1);
  g_assert_cmpstr (names[0], ==, "one");
}

TEST ("/preset/hostile")
{
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "hostile.preset", NULL);
  g_autofree char *large = g_strnfill (70 * 1024, '#');
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_config_dir (), 0700), ==, 0);
  FAILS (cured_preset_new_from_file (path, &fail), G_IO_ERROR, G_IO_ERROR_NOT_FOUND, path);
  g_assert_null (cured_preset_new_from_file (g_get_user_config_dir (), &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  FAILS (cured_preset_new_from_file ("/dev/zero", &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  g_assert_true (g_file_set_contents (path, large, -1, NULL));
  FAILS (cured_preset_new_from_file (path, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  g_assert_true (g_file_set_contents (path, "[Preset]\nDevice=\xff\n", -1, NULL));
  FAILS (cured_preset_new_from_file (path, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  g_assert_true (g_file_set_contents (path, "[Preset]\n\0[Options]\n", 20, NULL));
  FAILS (cured_preset_new_from_file (path, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
}

TEST ("/preset/drop-emulated")
{
  g_auto (CuredOptions) options = { 0 }, other = { 0 };

  other_options_init (&options);
  other_options_init (&other);
  cured_options_drop_emulated (&options);
  assert_same_options (&other, &options, CURED_OPTION_EMULATOR);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  return run_tests ();
}

/* SPDX-License-Identifier: MIT
 * Shared-memory instructions of cubins: recorded ones, damaged ones, and the catalogue's against
 * nvdisasm. */
#include <cured.h>
#include <glib/gstdio.h>
#include <string.h>
#include "sass/cured-sass-internal.h"
#include "test-compiled.h"
#include "test.h"

typedef struct
{
  int line; /* of tests/data/cubin/shared.cu */
  guint arch;
  CuredAccessKind kind;
  guint width, matrices;
} Expected;

/* In the order of lines. */
static const Expected expected[] = {
  { 28, 75, CURED_ACCESS_LOAD, 8, 0 },
  { 29, 75, CURED_ACCESS_STORE, 8, 0 },
  { 30, 75, CURED_ACCESS_LOAD, 16, 0 },
  { 31, 75, CURED_ACCESS_STORE, 16, 0 },
  { 32, 75, CURED_ACCESS_LOAD, 8, 0 },
  { 33, 75, CURED_ACCESS_LOAD, 16, 0 },
  { 34, 75, CURED_ACCESS_LOAD, 32, 0 },
  { 35, 75, CURED_ACCESS_STORE, 32, 0 },
  { 36, 75, CURED_ACCESS_LOAD, 64, 0 },
  { 37, 75, CURED_ACCESS_STORE, 64, 0 },
  { 40, 75, CURED_ACCESS_LOAD, 128, 0 },
  { 42, 75, CURED_ACCESS_STORE, 128, 0 },
  { 43, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 44, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 45, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 46, 75, CURED_ACCESS_ATOMIC, 64, 0 },
  { 47, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 48, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 51, 75, CURED_ACCESS_ATOMIC, 32, 0 },
  { 54, 75, CURED_ACCESS_ATOMIC, 64, 0 },
  { 57, 75, CURED_ACCESS_LDMATRIX, 128, 1 },
  { 61, 75, CURED_ACCESS_LDMATRIX, 128, 2 },
  { 66, 75, CURED_ACCESS_LDMATRIX, 128, 4 },
  { 69, 90, CURED_ACCESS_STMATRIX, 128, 1 },
  { 72, 90, CURED_ACCESS_STMATRIX, 128, 2 },
  { 75, 90, CURED_ACCESS_STMATRIX, 128, 4 },
  { 78, 80, CURED_ACCESS_COPY, 32, 0 },
  { 79, 80, CURED_ACCESS_COPY, 64, 0 },
  { 81, 80, CURED_ACCESS_COPY, 128, 0 },
  /* Inlined from shared.cuh: the line that calls. */
  { 84, 75, CURED_ACCESS_LOAD, 32, 0 },
  { 84, 75, CURED_ACCESS_LOAD, 32, 0 },
};

static GBytes *
read_cubin (guint arch)
{
  g_autofree char *name = g_strdup_printf ("shared.sm_%u.cubin", arch);
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "cubin", name, NULL);
  char *contents = NULL;
  gsize size = 0;

  MUST (g_file_get_contents (path, &contents, &size, &fail));
  return g_bytes_new_take (contents, size);
}

static gint
compare_line (gconstpointer a, gconstpointer b)
{
  const CuredSassAccess *access_a = a;
  const CuredSassAccess *access_b = b;

  return access_a->line - access_b->line;
}

static void
test_shared (gconstpointer data)
{
  guint arch = GPOINTER_TO_UINT (data);
  g_autoptr (GBytes) cubin = read_cubin (arch);
  g_autoptr (GArray) accesses = MUST (cured_sass_list_shared (cubin, "shared_all", &fail));
  guint n = 0;

  for (guint i = 1; i < accesses->len; i++)
    g_assert_cmpuint (g_array_index (accesses, CuredSassAccess, i).offset, >,
                      g_array_index (accesses, CuredSassAccess, i - 1).offset);
  g_array_sort (accesses, compare_line);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const CuredSassAccess *access = &g_array_index (accesses, CuredSassAccess, n);

      if (expected[i].arch > arch)
        continue;
      g_assert_cmpuint (n++, <, accesses->len);
      g_test_message ("line %d", expected[i].line);
      g_assert_cmpint (access->line, ==, expected[i].line);
      g_assert_cmpint (access->kind, ==, expected[i].kind);
      g_assert_cmpuint (access->width, ==, expected[i].width);
      g_assert_cmpuint (access->matrices, ==, expected[i].matrices);
      g_assert_true (g_str_has_suffix (access->file, "/shared.cu"));
    }
  g_assert_cmpuint (n, ==, accesses->len);
}

TEST ("/sass/errors")
{
  g_autoptr (GBytes) text = g_bytes_new_static (".version 8.0\n", 13);
  g_autoptr (GBytes) cubin = read_cubin (90);
  gsize size = 0;

  FAILS (cured_sass_list_shared (text, "shared_all", &fail), CURED_ERROR, CURED_ERROR_INVALID, "");

  FAILS (cured_sass_list_shared (cubin, "shared", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");

  /* The flags' second byte is the architecture; encodings differ from sm_100 on. */
  guint8 *copy = g_memdup2 (g_bytes_get_data (cubin, &size), g_bytes_get_size (cubin));
  g_assert_cmpuint (copy[49], ==, 90);
  copy[49] = 100;
  g_autoptr (GBytes) later = g_bytes_new_take (copy, size);
  FAILS (cured_sass_list_shared (later, "shared_all", &fail), CURED_ERROR, CURED_ERROR_INVALID,
         "sm_100");
}

/* Whatever is in the file, reading it ends, and stays inside of it. */
TEST ("/sass/damaged")
{
  g_autoptr (GBytes) cubin = read_cubin (90);
  g_autoptr (GRand) random = g_rand_new_with_seed (20261121);
  gsize size = 0;
  const guint8 *data = g_bytes_get_data (cubin, &size);
  guint n_read = 0;

  for (gsize length = 0; length < size; length += 13)
    {
      /* A copy of its own, so that a read beyond the end is seen. */
      g_autoptr (GBytes) part = g_bytes_new_take (g_memdup2 (data, length), length);
      g_autoptr (GArray) accesses = cured_sass_list_shared (part, "shared_all", NULL);

      n_read += accesses != NULL;
    }
  for (guint turn = 0; turn < 3000; turn++)
    {
      guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) changed = g_bytes_new_take (copy, size);

      for (guint i = 0; i < 8; i++)
        copy[g_rand_int_range (random, 0, (gint32) size)] = (guint8) g_rand_int (random);
      g_autoptr (GArray) accesses = cured_sass_list_shared (changed, "shared_all", NULL);
      n_read += accesses != NULL;
    }
  g_assert_cmpuint (n_read, >, 0);
}

/* ---- Against nvdisasm ---- */

static char *
find_disassembler (void)
{
  const char *name = g_getenv ("CURED_NVDISASM");
  char *path = g_find_program_in_path (name != NULL ? name : "nvdisasm");

  return path != NULL ? path : g_find_program_in_path ("/usr/local/cuda/bin/nvdisasm");
}

/* One line per access, from nvdisasm's names of instructions. */
static char *
describe_listing (const char *listing, const char *entry, const char *file)
{
  g_autofree char *begin = g_strdup_printf ("\n.text.%s:\n", entry);
  g_autofree char *mark = g_strdup_printf ("/%s\"", file);
  g_autoptr (GRegex) place =
      g_regex_new ("^\\s*//## File \"(.*?)\", line (\\d+)( inlined at)?", 0, 0, NULL);
  g_autoptr (GRegex) instruction =
      g_regex_new ("^\\s*/\\*([0-9a-f]{4,})\\*/\\s+(?:@(?:!?U?P[0-6]|PT) "
                   "+)?(LDS|STS|ATOMS|LDSM|STSM|LDGSTS)((?:\\.\\w+)*) ",
                   0, 0, NULL);
  const char *text = strstr (listing, begin);
  GString *description = g_string_new (NULL);
  gboolean is_in_group = FALSE, is_own = FALSE;
  guint64 line = 0;

  g_assert_nonnull (text);
  g_auto (GStrv) lines = g_strsplit (text + strlen (begin), "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GMatchInfo) match = NULL;

      if (g_str_has_prefix (g_strchug (lines[i]), ".section"))
        break;
      if (g_regex_match (place, lines[i], 0, &match))
        {
          g_autofree char *path = g_match_info_fetch (match, 1);
          g_autofree char *number = g_match_info_fetch (match, 2);
          g_autofree char *inlined = g_match_info_fetch (match, 3);
          g_autofree char *path_end = g_strconcat (path, "\"", NULL);

          /* The innermost place of the kernel's own file, or else the innermost one. */
          if (!is_in_group || (!is_own && g_str_has_suffix (path_end, mark)))
            {
              line = g_ascii_strtoull (number, NULL, 10);
              is_own = g_str_has_suffix (path_end, mark);
            }
          is_in_group = inlined != NULL && *inlined != '\0';
          if (!is_in_group)
            is_own = FALSE;
          continue;
        }
      g_clear_pointer (&match, g_match_info_free);
      if (g_regex_match (instruction, lines[i], 0, &match))
        {
          g_autofree char *offset = g_match_info_fetch (match, 1);
          g_autofree char *name = g_match_info_fetch (match, 2);
          g_autofree char *suffixes = g_match_info_fetch (match, 3);
          g_autofree char *words = g_strconcat (suffixes, ".", NULL);
          gboolean is_matrix = g_str_equal (name, "LDSM") || g_str_equal (name, "STSM");
          guint width = is_matrix || strstr (words, ".128.")                 ? 128
                        : strstr (words, ".64.")                             ? 64
                        : strstr (words, ".U8.") || strstr (words, ".S8.")   ? 8
                        : strstr (words, ".U16.") || strstr (words, ".S16.") ? 16
                                                                             : 32;

          g_string_append_printf (description, "%s %s %u x%d line %" G_GUINT64_FORMAT "\n", offset,
                                  name, width,
                                  !is_matrix              ? 0
                                  : strstr (words, ".4.") ? 4
                                  : strstr (words, ".2.") ? 2
                                                          : 1,
                                  line);
        }
    }
  return g_string_free (description, FALSE);
}

static char *
describe_accesses (const GArray *accesses)
{
  static const char *const names[] = {
    [CURED_ACCESS_LOAD] = "LDS",      [CURED_ACCESS_STORE] = "STS",
    [CURED_ACCESS_ATOMIC] = "ATOMS",  [CURED_ACCESS_LDMATRIX] = "LDSM",
    [CURED_ACCESS_STMATRIX] = "STSM", [CURED_ACCESS_COPY] = "LDGSTS",
  };
  GString *description = g_string_new (NULL);

  for (guint i = 0; i < accesses->len; i++)
    {
      const CuredSassAccess *access = &g_array_index (accesses, CuredSassAccess, i);

      g_string_append_printf (description, "%04" G_GINT64_MODIFIER "x %s %u x%u line %d\n",
                              access->offset, names[access->kind], access->width, access->matrices,
                              access->line);
    }
  return g_string_free (description, FALSE);
}

static guint
compare_kernel (CuredCompiler *compiler, CuredProgram *program, const char *arch,
                const char *disassembler)
{
  g_autofree char *path = NULL, *listing = NULL;
  g_autoptr (GError) error = NULL;
  const char *argv[] = { disassembler, "-c", "-gi", NULL, NULL };
  guint n_accesses = 0;
  int status = 0;
  g_autoptr (GBytes) cubin =
      cured_compiler_compile (compiler, program->kernel->source, "kernel.cu",
                              (const char *const *) program->defines, arch, NULL, &error);

  /* A few need what an older chip does not have. */
  if (g_error_matches (error, CURED_ERROR, CURED_ERROR_COMPILE))
    {
      g_test_message ("not for %s: %s", arch, error->message);
      return 0;
    }
  g_assert_no_error (error);
  int file = MUST (g_file_open_tmp ("cured-XXXXXX.cubin", &path, &fail));
  g_close (file, NULL);
  MUST (g_file_set_contents (path, g_bytes_get_data (cubin, NULL),
                             (gssize) g_bytes_get_size (cubin), &fail));
  argv[3] = path;
  MUST (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &listing, NULL,
                      &status, &fail));
  g_assert_cmpint (status, ==, 0);
  g_remove (path);

  for (gsize i = 0; i < program->n_steps; i++)
    {
      const char *entry = program->steps[i].entry;

      if (entry == NULL)
        continue;
      g_autoptr (GArray) accesses = MUST (cured_sass_list_shared (cubin, entry, &fail));
      g_autofree char *theirs = describe_listing (listing, entry, "kernel.cu");
      g_autofree char *ours = describe_accesses (accesses);
      g_assert_cmpstr (ours, ==, theirs);
      n_accesses += accesses->len;
    }
  return n_accesses;
}

TEST ("/sass/catalogue")
{
  static const char *const archs[] = { "sm_75", "sm_80", "sm_86", "sm_90" };
  static const CuredLimits limits = { .sms = 132 };
  g_autofree char *disassembler = find_disassembler ();
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GError) error = NULL;
  guint n_accesses = 0;

  if (disassembler == NULL)
    {
      g_test_skip ("nvdisasm was not found; CURED_NVDISASM can name it");
      return;
    }
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  NEED_COMPILER ();
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (ids[i], &fail));

      const CuredParameter *parameters = kernel->parameters;
      gsize n_parameters = kernel->n_parameters;
      g_autofree gint64 *values = g_new0 (gint64, n_parameters + 1);
      for (gsize j = 0; j < n_parameters; j++)
        values[j] = parameters[j].default_value;
      g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &limits, &fail));
      for (gsize j = 0; j < G_N_ELEMENTS (archs); j++)
        {
          g_test_message ("%s for %s", ids[i], archs[j]);
          n_accesses += compare_kernel (compiler, program, archs[j], disassembler);
        }
    }
  g_assert_cmpuint (n_accesses, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sass/shared/sm-75", GUINT_TO_POINTER (75), test_shared);
  g_test_add_data_func ("/sass/shared/sm-80", GUINT_TO_POINTER (80), test_shared);
  g_test_add_data_func ("/sass/shared/sm-90", GUINT_TO_POINTER (90), test_shared);
  return run_tests ();
}

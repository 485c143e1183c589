/* SPDX-License-Identifier: MIT
 * cured banks: the bank model, on a kernel, a stride or a file of accesses. */
#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli-banks.h"

#define MAX_ELEMENT 65536 /* limit of --stride and --base: the elements of shared memory */

typedef CuredCliBankArch Arch;

/* ORDER: the first is the default. */
static const Arch archs[] = {
  { "9.0", CURED_BANK_ARCH_5, N_ ("32 banks of 4 bytes") },
  { "3.x", CURED_BANK_ARCH_3, N_ ("32 banks of 8 bytes, in 4-byte mode") },
  { "3.x/8", CURED_BANK_ARCH_3_WIDE, N_ ("32 banks of 8 bytes") },
  { "2.x", CURED_BANK_ARCH_2, N_ ("32 banks of 4 bytes") },
  { "1.x", CURED_BANK_ARCH_1, N_ ("16 banks of 4 bytes, half warps") },
};

/* ORDER: as the words of --view. */
enum
{
  VIEW_BANKS,
  VIEW_ADDRESSES,
  VIEW_FLOW,
  VIEW_THREADS,
};

#define NOT_GIVEN -1

#define CURED_VERB "verb/cured-verb-banks.def"
#include "cured-verb.h"

/* “8.6” of “8.6” and of “sm_86” */
static char *
get_capability (const char *text)
{
  const char *digits = text;

  if (!g_str_has_prefix (text, "sm_"))
    return g_strdup (text);
  digits += strlen ("sm_");
  gsize length = strspn (digits, "0123456789");
  if (length < 2 || length > 3)
    return g_strdup (text);
  return g_strdup_printf ("%.*s.%s", (int) length - 1, digits, digits + length - 1);
}

/* “9.0”, “sm_86”, “3.x”, “3.5/8” */
static const Arch *
find_arch (const char *name)
{
  g_autofree char *text = get_capability (name);
  g_autoptr (GRegex) regex = g_regex_new ("^([1-9][0-9]?)\\.(?:x|[0-9])(/8)?$", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  CuredBankArch arch = CURED_BANK_ARCH_5;

  if (!g_regex_match (regex, text, 0, &match))
    return NULL;
  g_autofree char *major = g_match_info_fetch (match, 1);
  g_autofree char *mode = g_match_info_fetch (match, 2);
  guint64 number = g_ascii_strtoull (major, NULL, 10);
  if (number == 4 || (mode != NULL && mode[0] != '\0' && number != 3))
    return NULL;
  if (number == 1)
    arch = CURED_BANK_ARCH_1;
  else if (number == 2)
    arch = CURED_BANK_ARCH_2;
  else if (number == 3)
    arch = mode != NULL && mode[0] != '\0' ? CURED_BANK_ARCH_3_WIDE : CURED_BANK_ARCH_3;
  for (gsize i = 0; i < G_N_ELEMENTS (archs); i++)
    if (archs[i].arch == arch)
      return &archs[i];
  return NULL;
}

/* --patterns */

typedef struct
{
  const CuredBankPattern *pattern;
  CuredBankCounts counts;
} Prediction;

static gboolean
is_match (const Prediction *self)
{
  return self->counts.wavefronts == self->pattern->wavefronts &&
         self->counts.conflicts == self->pattern->conflicts;
}

/* A line has some hundred bytes; a million lines is more than enough. */
#define MAX_PATTERNS_MIB   64
#define MAX_PATTERNS_BYTES (MAX_PATTERNS_MIB * 1024 * 1024)

/* Reads a whole file, or standard input for “-”. */
static char *
read_text (const char *path, const char *name, gsize *length, GError **error)
{
  gboolean is_stdin = g_str_equal (path, "-");
  FILE *file = is_stdin ? stdin : g_fopen (path, "rbe");
  int code = errno;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char buffer[65536];
  gsize n_read = 0;

  do
    {
      n_read = file != NULL ? fread (buffer, 1, sizeof buffer, file) : 0;
      g_byte_array_append (bytes, (const guint8 *) buffer, (guint) n_read);
    }
  while (n_read > 0 && bytes->len <= MAX_PATTERNS_BYTES);
  if (file != NULL)
    {
      code = ferror (file) != 0 ? errno : 0;
      if (!is_stdin)
        fclose (file);
    }
  if (code != 0)
    {
      cured_cli_refuse (error, _ ("%s: can't be read: %s"), name, g_strerror (code));
      return NULL;
    }
  if (bytes->len > MAX_PATTERNS_BYTES)
    {
      cured_cli_refuse (error, _ ("%s: a table of accesses has at most %d MiB"), name,
                        MAX_PATTERNS_MIB);
      return NULL;
    }
  *length = bytes->len;
  g_byte_array_append (bytes, (const guint8 *) "", 1);
  return (char *) g_byte_array_free (g_steal_pointer (&bytes), FALSE);
}

static void
print_predictions (GArray *predictions, guint n_measured, guint n_matching)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rlrrl");

  cured_cli_table_add (table, C_ ("column", "line"), C_ ("column", "access"), _ ("wavefronts"),
                       _ ("conflicts"));
  cured_cli_json_put ("{patterns[");
  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *prediction = &g_array_index (predictions, Prediction, i);
      const CuredBankPattern *pattern = prediction->pattern;
      g_autoptr (GString) note = g_string_new (NULL);

      if (pattern->is_measured && !is_match (prediction))
        g_string_append_printf (note,
                                /* Translators: wavefronts and conflicts. */
                                _ ("differs: measured %u and %u"), pattern->wavefronts,
                                pattern->conflicts);
      if (prediction->counts.misaligned != 0)
        g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("misaligned"));
      cured_cli_table_add (table, cured_cli_printf ("%u", pattern->line), pattern->op,
                           prediction->counts.wavefronts, prediction->counts.conflicts, note->str);
      cured_cli_json ("{line access", pattern->line, pattern->op);
      cured_cli_json_add_counts (&prediction->counts);
      if (pattern->is_measured)
        cured_cli_json ("measured_wavefronts measured_conflicts matches?", pattern->wavefronts,
                        pattern->conflicts, is_match (prediction));
      cured_cli_json_put ("}");
    }
  cured_cli_json ("] measured matching}", n_measured, n_matching);
  cured_cli_table_print (table, "");
  g_print ("\n");
  if (n_measured < predictions->len)
    g_print (ngettext ("%u access has no measurement\n", "%u accesses have no measurement\n",
                       predictions->len - n_measured),
             predictions->len - n_measured);
  /* Translators: how many predictions are as measured, of how many. */
  g_print (ngettext ("%u of %u match\n", "%u of %u match\n", n_measured), n_matching, n_measured);
}

static int
predict (const char *path, const Arch *arch, GError **error)
{
  const char *name = g_str_equal (path, "-") ? "<stdin>" : path;
  gsize length = 0;
  guint n_measured = 0, n_matching = 0;

  g_autofree char *text = read_text (path, name, &length, error);
  if (text == NULL)
    return CURED_EXIT_USAGE;
  g_autoptr (GArray) patterns = cured_bank_patterns_parse (text, length, name, error);
  if (patterns == NULL)
    return CURED_EXIT_USAGE;

  g_autoptr (GArray) predictions = g_array_new (FALSE, TRUE, sizeof (Prediction));
  for (guint i = 0; i < patterns->len; i++)
    {
      CuredBankPattern *pattern = &g_array_index (patterns, CuredBankPattern, i);
      Prediction prediction = { .pattern = pattern };

      pattern->access.arch = arch->arch;
      if (!cured_bank_model_count (&pattern->access, &prediction.counts))
        return cured_cli_fail (
            _ ("%s:%u: there is no rule for “%s” on compute capability %s; leave out --arch"), name,
            pattern->line, pattern->op, arch->name);
      n_measured += pattern->is_measured;
      n_matching += pattern->is_measured && is_match (&prediction);
      g_array_append_val (predictions, prediction);
    }
  print_predictions (predictions, n_measured, n_matching);
  return n_matching < n_measured ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

/* -o: writes a file instead of text */

/* FALSE after a message, or with @error set */
static gboolean
check_output (char **inputs, const CuredExportFormat **format, GError **error)
{
  CuredCliExportOptions *export = &cured_cli_export_options;

  if (!cured_cli_export_options_check (export, inputs) ||
      !cured_cli_check_with (given.view != NOT_GIVEN, "--view", export->output != NULL, "-o OUT"))
    return FALSE;
  if (export->output == NULL)
    return TRUE;
  if (cured_cli_is_json || given.patterns != NULL)
    return cured_cli_deny (_ ("-o writes the picture or the table of a kernel, of --stride or of "
                              "--layout; --json and --patterns print"));
  *format = cured_cli_export_options_get_format (export, error);
  return *format != NULL;
}

static CuredBankPlotMode
get_mode (void)
{
  return given.view == VIEW_ADDRESSES ? CURED_BANK_PLOT_ADDRESSES : CURED_BANK_PLOT_BANKS;
}

/* --stride */

typedef struct
{
  CuredBankAccess access;
  CuredBankPicture picture;
  const Arch *arch;
  gint64 stride, base;
} Lesson;

/* Describes the result in a separate line. */
static char *
describe_lesson (const Lesson *self)
{
  guint bytes = self->access.width / 8;

  return g_strdup_printf (self->access.kind == CURED_BANK_KIND_STORE
                              ? ngettext ("Lane l stores %u byte at byte %u + %u·l.\n",
                                          "Lane l stores %u bytes at byte %u + %u·l.\n", bytes)
                              : ngettext ("Lane l loads %u byte from byte %u + %u·l.\n",
                                          "Lane l loads %u bytes from byte %u + %u·l.\n", bytes),
                          bytes, (guint) self->base * bytes, (guint) self->stride * bytes);
}

static gboolean
draw_lesson (const Lesson *self, const CuredExportFormat *format, GError **error)
{
  g_autofree char *title = describe_lesson (self);
  g_autofree char *banks = g_strdup_printf (_ ("Compute capability %s: %s.\n"), self->arch->name,
                                            _ (self->arch->description));
  CuredBankShown shown = { .access = self->access };
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_banks (
      &shown, 1, get_mode (), "banks", g_strchomp (title), g_strchomp (banks), NULL);

  return cured_cli_export (&cured_cli_export_options, drawing, format, error);
}

static void
print_lesson (const Lesson *self)
{
  const CuredBankCounts *counts = &self->picture.counts;

  g_print ("%s", cured_cli_lend (describe_lesson (self)));
  g_print (_ ("Compute capability %s: %s.\n\n"), self->arch->name, _ (self->arch->description));

  cured_cli_print_bank_picture (&self->access, &self->picture, cured_cli_get_colour ());
  g_print (_ ("wavefronts %u, ideal %u, conflicts %u\n"), counts->wavefronts, counts->least,
           counts->conflicts);
  cured_cli_json ("{access width stride base arch banks",
                  self->access.kind == CURED_BANK_KIND_STORE ? "store" : "load",
                  self->access.width / 8, self->stride, self->base, self->arch->name,
                  self->picture.n_banks);
  cured_cli_json_add_counts (counts);
  cured_cli_json_add_served (&self->picture);
  cured_cli_json_put ("}");
}

static int
teach (const Arch *arch, const CuredExportFormat *format, GError **error)
{
  gint64 bytes = given.width != NOT_GIVEN ? 1 << given.width : 4;
  Lesson lesson = {
    .access = { .arch = arch->arch,
                .kind = given.is_store ? CURED_BANK_KIND_STORE : CURED_BANK_KIND_LOAD,
                .width = (unsigned) bytes * 8,
                .mask = G_MAXUINT32 },
    .arch = arch,
    .stride = given.stride,
    .base = MAX (given.base, 0),
  };

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    lesson.access.addresses[n] = (guint32) ((lesson.base + lesson.stride * n) * bytes);
  if (!cured_bank_model_explain (&lesson.access, &lesson.picture))
    g_assert_not_reached ();
  if (format != NULL)
    draw_lesson (&lesson, format, error);
  else
    print_lesson (&lesson);
  return CURED_EXIT_OK;
}

/* --layout */

static int
show_layout (const CuredExportFormat *format, GError **error)
{
  const CuredCliBankLayoutOptions options = { given.layout, given.accesses, given.type,
                                              given.shape };
  g_autoptr (CuredCliBankLayout) layout = cured_cli_bank_layout_new (&options, error);
  g_autoptr (CuredDrawing) drawing = NULL;

  if (layout == NULL)
    return CURED_EXIT_USAGE;
  if (format != NULL)
    {
      drawing = cured_cli_bank_layout_draw (layout, get_mode ());
      cured_cli_export (&cured_cli_export_options, drawing, format, error);
    }
  else
    cured_cli_bank_layout_print (layout, cured_cli_get_colour ());
  return CURED_EXIT_OK;
}

/* KERNEL */

static gboolean
has_kernel_options (void)
{
  return given.axes != NULL || given.block >= 0 || given.warp >= 0 || given.step > 0 ||
         given.site > 0 || given.line > 0 || given.all;
}

/* Limits of “sm_86” for “8.6”; chips without a profile get those of the latest measured one. */
static const CuredLimits *
find_limits (const Arch *arch)
{
  g_autofree char *name = g_strdup_printf ("sm_%s", arch->name);
  char *dot = strchr (name, '.');

  if (dot != NULL)
    memmove (dot, dot + 1, strlen (dot));
  const CuredProfile *profile = cured_profile_find (name);
  if (profile == NULL)
    profile = cured_profile_find ("sm_90");
  return &profile->limits;
}

static int
explain (const char *name, const Arch *arch, const CuredExportFormat *format, GError **error)
{
  const CuredLimits *limits = find_limits (arch);
  CuredCliBankChoice choice = {
    .sites = { .is_apart = given.all, .site = given.site, .line = given.line },
    .colour = cured_cli_get_colour (),
  };
  g_autoptr (CuredKernel) kernel = cured_cli_load_kernel (name, error);
  g_autoptr (CuredProgram) program = NULL;
  g_autoptr (CuredExaminer) examiner = NULL;
  g_autofree gint64 *values = NULL;
  g_autoptr (CuredBankView) view = NULL;
  g_autoptr (CuredDrawing) drawing = NULL;
  CuredBankQuery query;

  cured_bank_query_init (&query);
  query.block = (guint64) MAX (given.block, 0);
  query.warp = (guint) MAX (given.warp, 0);
  query.arch = arch->arch;
  if (given.step > 0)
    query.step = (gsize) given.step - 1;

  if (kernel != NULL)
    values = cured_cli_get_point (kernel, given.axes, "banks", error);
  if (values != NULL)
    program = cured_program_new (kernel, values, limits, error);
  if (program != NULL)
    {
      examiner = cured_examiner_new (NULL);
      view = cured_examiner_view_banks (examiner, kernel, values, limits, &query, NULL, error);
    }
  if (view == NULL)
    return CURED_EXIT_USAGE;
  if (format != NULL)
    {
      drawing = given.view >= VIEW_FLOW
                    ? cured_cli_draw_flow (view, program, given.view == VIEW_THREADS)
                    : cured_cli_draw_bank_view (view, program, &choice, get_mode (), error);
      if (drawing != NULL)
        cured_cli_export (&cured_cli_export_options, drawing, format, error);
      return CURED_EXIT_OK;
    }
  if (!(cured_cli_is_json ? cured_cli_print_bank_view_json
                          : cured_cli_print_bank_view) (view, program, arch, &choice, error))
    return CURED_EXIT_USAGE;
  return view->end == CURED_END_DONE && view->faults->len == 0 ? CURED_EXIT_OK : CURED_EXIT_FINDING;
}

/* FALSE after a message if the options are incompatible. */
static gboolean
check_options (gboolean has_kernel)
{
  gboolean has_stride_options = given.width != NOT_GIVEN || given.base >= 0 || given.is_store;
  const struct
  {
    gboolean is_wrong;
    const char *message;
  } rules[] = {
    { !has_kernel && given.view >= VIEW_FLOW,
      _ ("--view flow and --view threads need a kernel, such as “cured banks reduce/sequential "
         "--view flow -o tree.svg”") },
    { has_kernel + (given.patterns != NULL) + (given.stride >= 0) + (given.layout != NULL) > 1,
      _ ("a kernel, --stride, --layout and --patterns exclude each other") },
    { !has_kernel && given.patterns == NULL && given.stride < 0 && given.layout == NULL,
      _ ("banks needs a kernel, --stride, --layout or --patterns, such as “cured banks "
         "matmul/tiled” or “cured banks --stride 2”") },
    { given.layout == NULL && (given.accesses != NULL || given.type != NULL || given.shape != NULL),
      _ ("--access, --type and --shape go with --layout") },
    { given.layout != NULL && (has_stride_options || given.arch_name != NULL),
      _ ("--width, --base, --store and --arch do not go with --layout; use --type and --access") },
    { given.patterns != NULL && has_stride_options,
      _ ("--width, --base and --store go with --stride; a line of --patterns has its own") },
    { has_kernel && has_stride_options, _ ("--width, --base and --store go with --stride") },
    { !has_kernel && has_kernel_options (),
      _ ("--parameter, --block, --warp, --step, --site, --line and --all go with a kernel") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].is_wrong)
      return cured_cli_deny ("%s", rules[i].message);
  return TRUE;
}

static int
run (int argc, char **argv, GError **error)
{
  g_autofree char *capability = NULL;
  const CuredExportFormat *format = NULL;
  const Arch *known = NULL;
  Arch arch = archs[0];

  if (!check_options (argc == 2))
    return CURED_EXIT_USAGE;
  if (given.arch_name != NULL)
    {
      known = find_arch (given.arch_name);
      if (known == NULL)
        return cured_cli_fail (
            _ ("--arch: “%s” is not a compute capability with known banks; write 1.x, 2.x, 3.x, "
               "3.x/8 for its 8-byte mode, or 5.0 and later"),
            given.arch_name);
      arch = *known;
      arch.name = capability = get_capability (given.arch_name);
    }
  if (!check_output (argv + 1, &format, error))
    return CURED_EXIT_USAGE;
  if (argc == 2)
    return explain (argv[1], &arch, format, error);
  if (given.patterns != NULL)
    return predict (given.patterns, &arch, error);
  return given.stride >= 0 ? teach (&arch, format, error) : show_layout (format, error);
}

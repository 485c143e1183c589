/* SPDX-License-Identifier: MIT
 * cured banks: the bank model, on a kernel, a stride or a file of accesses. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli-banks.h"

#define MAX_ELEMENT 65536 /* of --stride and --base: what shared memory has */

typedef CuredCliBankArch Arch;

/* ORDER: the first is the default. */
static const Arch archs[] = {
  { "9.0", CURED_BANK_ARCH_5, N_ ("32 banks of 4 bytes") },
  { "3.x", CURED_BANK_ARCH_3, N_ ("32 banks of 8 bytes, in 4-byte mode") },
  { "3.x/8", CURED_BANK_ARCH_3_WIDE, N_ ("32 banks of 8 bytes") },
  { "2.x", CURED_BANK_ARCH_2, N_ ("32 banks of 4 bytes") },
  { "1.x", CURED_BANK_ARCH_1, N_ ("16 banks of 4 bytes, half warps") },
};

/* “8.6” of “8.6” and of “sm_86” */
static char *
get_capability (const char *text)
{
  const char *digits = text;
  gsize length = 0;

  if (!g_str_has_prefix (text, "sm_"))
    return g_strdup (text);
  digits += strlen ("sm_");
  length = strspn (digits, "0123456789");
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
  g_autofree char *major = NULL;
  g_autofree char *mode = NULL;
  CuredBankArch arch = CURED_BANK_ARCH_5;
  guint64 number = 0;

  if (!g_regex_match (regex, text, 0, &match))
    return NULL;
  major = g_match_info_fetch (match, 1);
  mode = g_match_info_fetch (match, 2);
  number = g_ascii_strtoull (major, NULL, 10);
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

/* A line has some hundred bytes, and nobody has a million of them. */
#define MAX_PATTERNS_MIB   64
#define MAX_PATTERNS_BYTES (MAX_PATTERNS_MIB * 1024 * 1024)

/* The whole of a file, or of standard input for “-”. */
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
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, _ ("%s: can't be read: %s"), name,
                   g_strerror (code));
      return NULL;
    }
  if (bytes->len > MAX_PATTERNS_BYTES)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("%s: a table of accesses has at most %d MiB"), name, MAX_PATTERNS_MIB);
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
                       _ ("conflicts"), NULL);
  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *prediction = &g_array_index (predictions, Prediction, i);
      const CuredBankPattern *pattern = prediction->pattern;
      g_autofree char *line = g_strdup_printf ("%u", pattern->line);
      g_autofree char *wavefronts = g_strdup_printf ("%u", prediction->counts.wavefronts);
      g_autofree char *conflicts = g_strdup_printf ("%u", prediction->counts.conflicts);
      g_autoptr (GString) note = g_string_new (NULL);

      if (pattern->is_measured && !is_match (prediction))
        g_string_append_printf (note,
                                /* Translators: wavefronts and conflicts. */
                                _ ("differs: measured %u and %u"), pattern->wavefronts,
                                pattern->conflicts);
      if (prediction->counts.misaligned != 0)
        g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("misaligned"));
      cured_cli_table_add (table, line, pattern->op, wavefronts, conflicts, note->str, NULL);
    }
  cured_cli_table_print (table, "");
  g_print ("\n");
  if (n_measured < predictions->len)
    g_print (ngettext ("%u access is predicted only\n", "%u accesses are predicted only\n",
                       predictions->len - n_measured),
             predictions->len - n_measured);
  /* Translators: how many predictions are as measured, of how many. */
  g_print (ngettext ("%u of %u match\n", "%u of %u match\n", n_measured), n_matching, n_measured);
}

static void
print_predictions_json (GArray *predictions, guint n_measured, guint n_matching)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "patterns");
  json_builder_begin_array (builder);
  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *prediction = &g_array_index (predictions, Prediction, i);
      const CuredBankPattern *pattern = prediction->pattern;

      json_builder_begin_object (builder);
      cured_cli_json_add_int (builder, "line", pattern->line);
      cured_cli_json_add_string (builder, "access", pattern->op);
      cured_cli_json_add_counts (builder, &prediction->counts);
      if (pattern->is_measured)
        {
          cured_cli_json_add_int (builder, "measured_wavefronts", pattern->wavefronts);
          cured_cli_json_add_int (builder, "measured_conflicts", pattern->conflicts);
          json_builder_set_member_name (builder, "matches");
          json_builder_add_boolean_value (builder, is_match (prediction));
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  cured_cli_json_add_int (builder, "measured", n_measured);
  cured_cli_json_add_int (builder, "matching", n_matching);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

static int
predict (const char *path, const Arch *arch, gboolean json)
{
  const char *name = g_str_equal (path, "-") ? "<stdin>" : path;
  g_autoptr (GArray) patterns = NULL;
  g_autoptr (GArray) predictions = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;
  guint n_measured = 0;
  guint n_matching = 0;

  text = read_text (path, name, &length, &error);
  if (text == NULL)
    return cured_cli_fail_error (error);
  patterns = cured_bank_patterns_parse (text, length, name, &error);
  if (patterns == NULL)
    return cured_cli_fail_error (error);

  predictions = g_array_new (FALSE, TRUE, sizeof (Prediction));
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
  if (json)
    print_predictions_json (predictions, n_measured, n_matching);
  else
    print_predictions (predictions, n_measured, n_matching);
  return n_matching < n_measured ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

/* -o: a file instead of text */

typedef struct
{
  CuredCliExportOptions options;
  char *mode_name;
  CuredBankPlotMode mode;
  gboolean is_flow;                /* of a kernel's warp, instead of one access */
  gboolean is_threads;             /* of a kernel's block, likewise */
  const CuredExportFormat *format; /* NULL: text is printed */
} Output;

static void
output_clear (Output *self)
{
  cured_cli_export_options_clear (&self->options);
  g_free (self->mode_name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Output, output_clear)

/* FALSE: it was reported */
static gboolean
output_check (Output *self, char **inputs, gboolean json, const char *patterns)
{
  g_autoptr (GError) error = NULL;

  if (!cured_cli_export_options_check (&self->options, inputs) ||
      !cured_cli_check_with (self->mode_name != NULL, "--view", self->options.output != NULL,
                             "-o OUT"))
    return FALSE;
  if (self->options.output == NULL)
    return TRUE;
  if (json || patterns != NULL)
    {
      cured_cli_fail (_ ("-o writes the picture or the table of a kernel, of --stride or of "
                         "--layout; --json and --patterns print"));
      return FALSE;
    }
  if (g_strcmp0 (self->mode_name, "addresses") == 0)
    self->mode = CURED_BANK_PLOT_ADDRESSES;
  else if (g_strcmp0 (self->mode_name, "flow") == 0)
    self->is_flow = TRUE;
  else if (g_strcmp0 (self->mode_name, "threads") == 0)
    self->is_threads = TRUE;
  else if (self->mode_name != NULL && !g_str_equal (self->mode_name, "banks"))
    {
      cured_cli_fail (_ ("--view: “%s” is not a view; write banks, addresses, flow or threads"),
                      self->mode_name);
      return FALSE;
    }
  self->format = cured_cli_export_options_get_format (&self->options, &error);
  if (self->format == NULL)
    cured_cli_fail_error (error);
  return self->format != NULL;
}

/* Returns an exit code. */
static int
output_write (const Output *self, const CuredDrawing *drawing)
{
  g_autoptr (GError) error = NULL;

  if (!cured_cli_export (&self->options, drawing, self->format, &error))
    return cured_cli_fail_error (error);
  return CURED_EXIT_OK;
}

/* --stride */

typedef struct
{
  CuredBankAccess access;
  CuredBankPicture picture;
  const Arch *arch;
  gint64 stride;
  gint64 base;
} Lesson;

/* A line of its own. */
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

static int
draw_lesson (const Lesson *self, const Output *output)
{
  g_autofree char *title = describe_lesson (self);
  g_autofree char *banks = g_strdup_printf (_ ("Compute capability %s: %s.\n"), self->arch->name,
                                            _ (self->arch->description));
  CuredBankShown shown = { .access = self->access };
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_banks (
      &shown, 1, output->mode, "banks", g_strchomp (title), g_strchomp (banks), NULL);

  return output_write (output, drawing);
}

static void
print_lesson (const Lesson *self, gboolean colour)
{
  const CuredBankCounts *counts = &self->picture.counts;
  g_autofree char *text = describe_lesson (self);

  g_print ("%s", text);
  g_print (_ ("Compute capability %s: %s.\n\n"), self->arch->name, _ (self->arch->description));

  cured_cli_print_bank_picture (&self->picture, colour);
  g_print (_ ("wavefronts %u, ideal %u, conflicts %u\n"), counts->wavefronts, counts->least,
           counts->conflicts);
}

static void
print_lesson_json (const Lesson *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "access",
                             self->access.kind == CURED_BANK_KIND_STORE ? "store" : "load");
  cured_cli_json_add_int (builder, "width", self->access.width / 8);
  cured_cli_json_add_int (builder, "stride", self->stride);
  cured_cli_json_add_int (builder, "base", self->base);
  cured_cli_json_add_string (builder, "arch", self->arch->name);
  cured_cli_json_add_int (builder, "banks", self->picture.n_banks);
  cured_cli_json_add_counts (builder, &self->picture.counts);
  cured_cli_json_add_served (builder, &self->picture);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

/* FALSE: it was reported */
static gboolean
parse_element (const char *option, const char *text, gint64 *element)
{
  if (text == NULL || g_ascii_string_to_signed (text, 10, 0, MAX_ELEMENT, element, NULL))
    return TRUE;
  cured_cli_fail (_ ("%s: “%s” is not a number of elements; write a whole number from 0 to %d"),
                  option, text, MAX_ELEMENT);
  return FALSE;
}

static int
teach (const Arch *arch, const char *stride, const char *width, const char *base, gboolean is_store,
       const Output *output, gboolean json, gboolean colour)
{
  Lesson lesson = {
    .access = { .arch = arch->arch,
                .kind = is_store ? CURED_BANK_KIND_STORE : CURED_BANK_KIND_LOAD,
                .mask = G_MAXUINT32 },
    .arch = arch,
  };
  gint64 bytes = 4;

  if (!parse_element ("--stride", stride, &lesson.stride) ||
      !parse_element ("--base", base, &lesson.base))
    return CURED_EXIT_USAGE;
  if (width != NULL &&
      (!g_ascii_string_to_signed (width, 10, 1, 16, &bytes, NULL) || (bytes & (bytes - 1)) != 0))
    return cured_cli_fail (_ ("--width: “%s” is not a width; write 1, 2, 4, 8 or 16 bytes"), width);
  lesson.access.width = (unsigned) bytes * 8;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    lesson.access.addresses[n] = (guint32) ((lesson.base + lesson.stride * n) * bytes);
  if (!cured_bank_model_explain (&lesson.access, &lesson.picture))
    g_assert_not_reached ();
  if (output->format != NULL)
    return draw_lesson (&lesson, output);
  if (json)
    print_lesson_json (&lesson);
  else
    print_lesson (&lesson, colour);
  return CURED_EXIT_OK;
}

/* --layout */

static int
show_layout (const CuredCliBankLayoutOptions *options, const Output *output, gboolean json,
             gboolean colour)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCliBankLayout) layout = cured_cli_bank_layout_new (options, &error);
  g_autoptr (CuredDrawing) drawing = NULL;

  if (layout == NULL)
    return cured_cli_fail_error (error);
  if (output->format != NULL)
    {
      drawing = cured_cli_bank_layout_draw (layout, output->mode);
      return output_write (output, drawing);
    }
  if (json)
    cured_cli_bank_layout_print_json (layout);
  else
    cured_cli_bank_layout_print (layout, colour);
  return CURED_EXIT_OK;
}

/* KERNEL */

typedef struct
{
  char **axes;
  char *block;
  char *warp;
  char *step;
  char *site;
  char *line;
  gboolean all;
} KernelOptions;

static void
kernel_options_clear (KernelOptions *self)
{
  g_strfreev (self->axes);
  g_free (self->block);
  g_free (self->warp);
  g_free (self->step);
  g_free (self->site);
  g_free (self->line);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KernelOptions, kernel_options_clear)

static gboolean
has_kernel_options (const KernelOptions *self)
{
  return self->axes != NULL || self->block != NULL || self->warp != NULL || self->step != NULL ||
         self->site != NULL || self->line != NULL || self->all;
}

/* A number from @least on; FALSE: it was reported. */
static gboolean
parse_number (const char *option, const char *text, gint64 least, gint64 most, gint64 *number)
{
  if (text == NULL || g_ascii_string_to_signed (text, 10, least, most, number, NULL))
    return TRUE;
  cured_cli_fail (_ ("%s: “%s” is not a whole number from %" PRId64 " on"), option, text, least);
  return FALSE;
}

/* “sm_86” of “8.6”; chips that have no profile are given the latest measured one's limits. */
static const CuredLimits *
find_limits (const Arch *arch)
{
  g_autofree char *name = g_strdup_printf ("sm_%s", arch->name);
  const CuredProfile *profile = NULL;
  char *dot = strchr (name, '.');

  if (dot != NULL)
    memmove (dot, dot + 1, strlen (dot));
  profile = cured_profile_find (name);
  if (profile == NULL)
    profile = cured_profile_find ("sm_90");
  return &profile->limits;
}

static int
explain (const char *name, const KernelOptions *options, const Arch *arch, const Output *output,
         gboolean json, gboolean colour)
{
  CuredCliBankChoice choice = { .sites.is_apart = options->all, .colour = colour };
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredProgram) program = NULL;
  g_autoptr (CuredExaminer) examiner = NULL;
  g_autofree gint64 *values = NULL;
  g_autoptr (CuredBankView) view = NULL;
  g_autoptr (CuredDrawing) drawing = NULL;
  g_autoptr (GError) error = NULL;
  CuredBankQuery query;
  gint64 block = 0;
  gint64 warp = 0;
  gint64 step = 0;

  cured_bank_query_init (&query);
  if (!parse_number ("--block", options->block, 0, G_MAXINT64, &block) ||
      !parse_number ("--warp", options->warp, 0, G_MAXINT32, &warp) ||
      !parse_number ("--step", options->step, 1, G_MAXINT32, &step) ||
      !parse_number ("--site", options->site, 1, G_MAXINT32, &choice.sites.site) ||
      !parse_number ("--line", options->line, 1, G_MAXINT32, &choice.sites.line))
    return CURED_EXIT_USAGE;
  query.block = (guint64) block;
  query.warp = (guint) warp;
  query.arch = arch->arch;
  if (step > 0)
    query.step = (gsize) step - 1;

  kernel = cured_cli_load_kernel (name, &error);
  if (kernel != NULL)
    values = cured_cli_get_point (kernel, options->axes, "banks", &error);
  if (values != NULL)
    program = cured_program_new (kernel, values, find_limits (arch), &error);
  if (program != NULL)
    {
      examiner = cured_examiner_new (NULL);
      view = cured_examiner_view_banks (examiner, kernel, values, find_limits (arch), &query, NULL,
                                        &error);
    }
  if (view == NULL)
    return cured_cli_fail_error (error);
  if (output->format != NULL)
    {
      drawing = output->is_flow || output->is_threads
                    ? cured_cli_draw_flow (view, program, output->is_threads)
                    : cured_cli_draw_bank_view (view, program, &choice, output->mode, &error);
      return drawing != NULL ? output_write (output, drawing) : cured_cli_fail_error (error);
    }
  if (!(json ? cured_cli_print_bank_view_json : cured_cli_print_bank_view) (view, program, arch,
                                                                            &choice, &error))
    return cured_cli_fail_error (error);
  return view->end == CURED_END_DONE && view->faults->len == 0 ? CURED_EXIT_OK : CURED_EXIT_FINDING;
}

static int
run_banks (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *patterns = NULL;
  g_autofree char *stride = NULL;
  g_autofree char *width = NULL;
  g_autofree char *base = NULL;
  g_autofree char *arch_name = NULL;
  g_autofree char *capability = NULL;
  g_auto (KernelOptions) options = { 0 };
  g_auto (CuredCliBankLayoutOptions) layout = { 0 };
  g_auto (Output) output = { 0 };
  gboolean is_store = FALSE;
  gboolean colour = FALSE;
  gboolean json = FALSE;
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "parameter", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &options.axes,
      N_ ("A parameter of KERNEL, such as tile=32"), N_ ("NAME=VALUE") },
    { "block", 0, 0, G_OPTION_ARG_STRING, &options.block, N_ ("Block of the grid [0]"), N_ ("NUMBER") },
    { "warp", 0, 0, G_OPTION_ARG_STRING, &options.warp, N_ ("Warp of the block [0]"), N_ ("NUMBER") },
    { "step", 0, 0, G_OPTION_ARG_STRING, &options.step, N_ ("Launch of KERNEL [first with shared memory]"), N_ ("NUMBER") },
    { "site", 0, 0, G_OPTION_ARG_STRING, &options.site, N_ ("Show only this site of the table"), N_ ("NUMBER") },
    { "line", 0, 0, G_OPTION_ARG_STRING, &options.line, N_ ("Show only this line of the source"), N_ ("NUMBER") },
    { "all", 'a', 0, G_OPTION_ARG_NONE, &options.all, N_ ("Print every site and every pattern"), NULL },
    { "stride", 0, 0, G_OPTION_ARG_STRING, &stride, N_ ("Elements from one lane to the next"), N_ ("NUMBER") },
    { "width", 'w', 0, G_OPTION_ARG_STRING, &width, N_ ("Bytes per element [4]"), N_ ("BYTES") },
    { "base", 0, 0, G_OPTION_ARG_STRING, &base, N_ ("Element of lane 0 [0]"), N_ ("NUMBER") },
    { "store", 0, 0, G_OPTION_ARG_NONE, &is_store, N_ ("Store instead of load"), NULL },
    { "layout", 0, 0, G_OPTION_ARG_STRING, &layout.layout, N_ ("A tile as CuTe or Triton writes it"), N_ ("LAYOUT") },
    { "access", 0, 0, G_OPTION_ARG_STRING_ARRAY, &layout.accesses,
      N_ ("What accesses it; repeat for more [ldmatrix]"), N_ ("ACCESS") },
    { "type", 0, 0, G_OPTION_ARG_STRING, &layout.type, N_ ("Of the tile's elements [f16]"), N_ ("TYPE") },
    { "shape", 0, 0, G_OPTION_ARG_STRING, &layout.shape,
      N_ ("Of the tile, where LAYOUT does not say it"), N_ ("ROWSxCOLUMNS") },
    { "patterns", 0, 0, G_OPTION_ARG_FILENAME, &patterns, N_ ("Predict every access of a file instead"), N_ ("FILE") },
    { "arch", 0, 0, G_OPTION_ARG_STRING, &arch_name, N_ ("1.x, 2.x, 3.x, 3.x/8 or later [9.0]"), N_ ("CAPABILITY") },
    { "view", 0, 0, G_OPTION_ARG_STRING, &output.mode_name,
      N_ ("In OUT: banks, addresses, flow, threads [banks]"), N_ ("VIEW") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  /* clang-format on */
  const Arch *known = NULL;
  Arch arch = archs[0];

  cured_cli_export_options_add (&output.options, context);
  cured_cli_add_colour (context);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc > 2)
    return cured_cli_fail (_ ("“%s”: one kernel at a time"), argv[2]);
  if (argc == 1 &&
      (g_strcmp0 (output.mode_name, "flow") == 0 || g_strcmp0 (output.mode_name, "threads") == 0))
    return cured_cli_fail (_ ("--view %s needs a kernel, such as “cured banks reduce/sequential "
                              "--view flow -o tree.svg”"),
                           output.mode_name);
  if ((argc == 2) + (patterns != NULL) + (stride != NULL) + (layout.layout != NULL) > 1)
    return cured_cli_fail (_ ("a kernel, --stride, --layout and --patterns exclude each other"));
  if (argc == 1 && patterns == NULL && stride == NULL && layout.layout == NULL)
    return cured_cli_fail (_ ("banks needs a kernel, --stride, --layout or --patterns, such as "
                              "“cured banks matmul/tiled” or “cured banks --stride 2”"));
  if (layout.layout == NULL &&
      (layout.accesses != NULL || layout.type != NULL || layout.shape != NULL))
    return cured_cli_fail (_ ("--access, --type and --shape go with --layout"));
  if (layout.layout != NULL && (width != NULL || base != NULL || is_store || arch_name != NULL))
    return cured_cli_fail (_ ("--width, --base, --store and --arch do not go with --layout; --type "
                              "and --access say what is moved"));
  if (argc == 2 && (width != NULL || base != NULL || is_store))
    return cured_cli_fail (_ ("--width, --base and --store go with --stride"));
  if (argc == 1 && has_kernel_options (&options))
    return cured_cli_fail (
        _ ("--parameter, --block, --warp, --step, --site, --line and --all go with a kernel"));
  if (patterns != NULL && (width != NULL || base != NULL || is_store))
    return cured_cli_fail (
        _ ("--width, --base and --store go with --stride; a line of --patterns has its own"));
  if (arch_name != NULL)
    {
      known = find_arch (arch_name);
      if (known == NULL)
        return cured_cli_fail (
            _ ("--arch: “%s” is not a compute capability with known banks; write 1.x, 2.x, 3.x, "
               "3.x/8 for its 8-byte mode, or 5.0 and later"),
            arch_name);
      arch = *known;
      arch.name = capability = get_capability (arch_name);
    }
  if (!output_check (&output, argv + 1, json, patterns) || !cured_cli_get_colour (&colour))
    return CURED_EXIT_USAGE;
  if (argc == 2)
    return explain (argv[1], &options, &arch, &output, json, colour);
  if (patterns != NULL)
    return predict (patterns, &arch, json);
  if (layout.layout != NULL)
    return show_layout (&layout, &output, json, colour);
  return teach (&arch, stride, width, base, is_store, &output, json, colour);
}

const CuredVerb cured_verb_banks = {
  .name = "banks",
  .arguments = N_ ("[KERNEL]"),
  .summary = N_ ("Show which lanes meet in a bank of shared memory"),
  .description =
      N_ ("KERNEL is an id of “cured kernels”, or the path of a kernel file (.cu) or of a\n"
          "result file (.cured), of which it is the kernel. One\n"
          "block of it runs on the emulator, which needs no GPU, and what one of its warps\n"
          "did to shared memory is shown, one row per instruction. Ways are the wavefronts\n"
          "of the worst access divided by their ideal number.\n"
          "\n"
          "The picture has one row per wavefront and one column per bank; in it are the\n"
          "numbers of the lanes, and letters where a bank serves several at once.\n"
          "With -o, the worst access is written as a picture, and its view by address shows\n"
          "where in shared memory it lies; tables have all sites, or the words of a stride.\n"
          "A layout is a tile in shared memory, such as CuTe prints it, rows first, or\n"
          "Triton's #ttg.swizzled_shared, nvmma_shared or padded_shared with --shape; each\n"
          "--access is tried everywhere in it: ldmatrix or stmatrix with .x1 to .x4 and\n"
          ".trans, ld or st with .row, .column or .fragment and .b8 to .b128, cp.async.16.\n"
          "The nearest layout in which none of them has a conflict is printed below.\n"
          "A file of accesses has one per line, with tabs between its columns: the access\n"
          "(ld.b32, st.b128, red.u32, ldmatrix.x4, …), the mask of active lanes in hex, 32\n"
          "byte addresses with commas, and, if they were measured, wavefronts and\n"
          "conflicts; “-” is standard input. The exit code is 1 where a measured line\n"
          "differs.\n"
          "\n"
          "Examples:\n"
          "  cured banks matmul/tiled -p tile=32\n"
          "  cured banks mine.cu --warp 1 --line 40\n"
          "  cured banks --stride 2\n"
          "  cured banks --stride 33 --width 8 --store\n"
          "  cured banks --stride 2 --arch 1.x\n"
          "  cured banks --stride 33 -o column.svg --view addresses\n"
          "  cured banks --layout 'Swizzle<3,3,3> o (16,64):(64,1)' --access ldmatrix\n"
          "  cured banks --patterns accesses.tsv\n"),
  .words = CURED_CLI_WORDS_KERNELS,
  .run = run_banks,
};

/* SPDX-License-Identifier: MIT
 * cured banks: the bank model, on a stride or on a file of accesses. */
#include "config.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

#define MAX_BANKS   32
#define MAX_ELEMENT 65536 /* of --stride and --base: what shared memory has */

typedef struct
{
  const char *name;
  CuredBankArch arch;
  const char *description; /* untranslated */
} Arch;

/* ORDER: the first is the default. */
static const Arch archs[] = {
  { "9.0", CURED_BANK_ARCH_5, N_ ("32 banks of 4 bytes") },
  { "3.x", CURED_BANK_ARCH_3, N_ ("32 banks of 8 bytes, in 4-byte mode") },
  { "3.x/8", CURED_BANK_ARCH_3_WIDE, N_ ("32 banks of 8 bytes") },
  { "2.x", CURED_BANK_ARCH_2, N_ ("32 banks of 4 bytes") },
  { "1.x", CURED_BANK_ARCH_1, N_ ("16 banks of 4 bytes, half warps") },
};

/* “9.0”, “8.6”, “3.x”, “3.5/8” */
static const Arch *
find_arch (const char *text)
{
  g_autoptr (GRegex) regex =
      g_regex_new ("^([1-9][0-9]?)\\.(?:x|[0-9])(/8)?$", 0, 0, NULL);
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
    arch = mode != NULL && mode[0] != '\0' ? CURED_BANK_ARCH_3_WIDE
                                           : CURED_BANK_ARCH_3;
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

/* The whole of a file, or of standard input for “-”. */
static char *
read_text (const char *path, gsize *length, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char buffer[65536];
  gsize n_read = 0;
  char *text = NULL;

  if (!g_str_equal (path, "-"))
    return g_file_get_contents (path, &text, length, error) ? text : NULL;
  while ((n_read = fread (buffer, 1, sizeof buffer, stdin)) > 0)
    g_byte_array_append (bytes, (const guint8 *) buffer, (guint) n_read);
  if (ferror (stdin) != 0)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_INVALID,
                   _ ("reading standard input failed: %s"),
                   g_strerror (errno));
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

  cured_cli_table_add (
      table, _ ("line"), _ ("access"), _ ("wavefronts"), _ ("conflicts"), NULL);
  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *prediction =
          &g_array_index (predictions, Prediction, i);
      const CuredBankPattern *pattern = prediction->pattern;
      g_autofree char *line = g_strdup_printf ("%u", pattern->line);
      g_autofree char *wavefronts =
          g_strdup_printf ("%u", prediction->counts.wavefronts);
      g_autofree char *conflicts =
          g_strdup_printf ("%u", prediction->counts.conflicts);
      g_autoptr (GString) note = g_string_new (NULL);

      if (pattern->is_measured && !is_match (prediction))
        g_string_append_printf (note,
                                _ ("differs: measured %u and %u"),
                                pattern->wavefronts,
                                pattern->conflicts);
      if (prediction->counts.misaligned != 0)
        g_string_append_printf (
            note, "%s%s", note->len > 0 ? "; " : "", _ ("misaligned"));
      cured_cli_table_add (
          table, line, pattern->op, wavefronts, conflicts, note->str, NULL);
    }
  cured_cli_table_print (table, "");
  g_print ("\n");
  if (n_measured < predictions->len)
    g_print (ngettext ("%u access is predicted only\n",
                       "%u accesses are predicted only\n",
                       predictions->len - n_measured),
             predictions->len - n_measured);
  g_print (_ ("%u of %u match\n"), n_matching, n_measured);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_counts (JsonBuilder *builder, const CuredBankCounts *counts)
{
  add_int (builder, "wavefronts", counts->wavefronts);
  add_int (builder, "least", counts->least);
  add_int (builder, "conflicts", counts->conflicts);
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
      const Prediction *prediction =
          &g_array_index (predictions, Prediction, i);
      const CuredBankPattern *pattern = prediction->pattern;

      json_builder_begin_object (builder);
      add_int (builder, "line", pattern->line);
      cured_cli_json_add_string (builder, "access", pattern->op);
      add_counts (builder, &prediction->counts);
      if (pattern->is_measured)
        {
          add_int (builder, "measured_wavefronts", pattern->wavefronts);
          add_int (builder, "measured_conflicts", pattern->conflicts);
          json_builder_set_member_name (builder, "matches");
          json_builder_add_boolean_value (builder, is_match (prediction));
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_int (builder, "measured", n_measured);
  add_int (builder, "matching", n_matching);
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

  text = read_text (path, &length, &error);
  if (text == NULL)
    return cured_cli_fail_error (error);
  patterns = cured_bank_patterns_parse (text, length, name, &error);
  if (patterns == NULL)
    return cured_cli_fail_error (error);

  predictions = g_array_new (FALSE, TRUE, sizeof (Prediction));
  for (guint i = 0; i < patterns->len; i++)
    {
      CuredBankPattern *pattern =
          &g_array_index (patterns, CuredBankPattern, i);
      Prediction prediction = { .pattern = pattern };

      pattern->access.arch = arch->arch;
      if (!cured_bank_model_count (&pattern->access, &prediction.counts))
        return cured_cli_fail (_ ("%s:%u: there is no rule for “%s” on compute "
                                  "capability %s; leave out --arch"),
                               name,
                               pattern->line,
                               pattern->op,
                               arch->name);
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

/* --stride */

typedef struct
{
  CuredBankAccess access;
  CuredBankPicture picture;
  const Arch *arch;
  gint64 stride;
  gint64 base;
  gboolean colour;
  GArray *groups; /* (element-type guint32): lanes behind the letters */
} Lesson;

/* The lanes that a bank serves in a wavefront, as a mask. */
static guint32
get_lanes (const Lesson *self, guint wavefront, guint bank)
{
  guint32 lanes = 0;

  for (gsize i = 0; i < self->picture.n_served; i++)
    if (self->picture.served[i].wavefront == wavefront &&
        self->picture.served[i].bank == bank)
      lanes |= 1u << self->picture.served[i].lane;
  return lanes;
}

static guint
get_first_lane (guint32 lanes)
{
  return (guint) g_bit_nth_lsf (lanes, -1);
}

static gboolean
is_single (guint32 lanes)
{
  return (lanes & (lanes - 1)) == 0;
}

/* “0–3, 8, 12–15” */
static char *
describe_lanes (guint32 lanes)
{
  GString *text = g_string_new (NULL);

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    {
      guint last = n;

      if ((lanes >> n & 1) == 0)
        continue;
      while (last + 1 < CURED_BANK_LANES && (lanes >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, "%s%u", text->len > 0 ? ", " : "", n);
      if (last > n)
        g_string_append_printf (text, "%s%u", last > n + 1 ? "–" : ", ", last);
      n = last;
    }
  return g_string_free (text, FALSE);
}

/* Lanes that are served together have a letter, which the legend explains. At
 * most 16 groups of two or more are in a wavefront; the same lanes meet again
 * in the next. */
static char
get_letter (Lesson *self, guint32 lanes)
{
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  guint i = 0;

  for (; i < self->groups->len; i++)
    if (g_array_index (self->groups, guint32, i) == lanes)
      break;
  if (i == self->groups->len)
    g_array_append_val (self->groups, lanes);
  return i < strlen (letters) ? letters[i] : '*';
}

/* Colour follows the number of the lane, the first of several. */
static void
append_cell (Lesson *self, GString *line, guint32 lanes)
{
  CuredColour colour;
  gboolean is_light = FALSE;

  if (lanes == 0)
    {
      g_string_append (line, "  ·");
      return;
    }
  g_string_append_c (line, ' ');
  if (self->colour)
    {
      colour = cured_colour_map_get (cured_colour_map_find ("viridis"),
                                     get_first_lane (lanes) / 31.0);
      is_light =
          0.3 * colour.red + 0.6 * colour.green + 0.1 * colour.blue > 0.5;
      g_string_append_printf (line,
                              "\033[48;2;%d;%d;%d;38;2;%sm",
                              (int) lround (255 * colour.red),
                              (int) lround (255 * colour.green),
                              (int) lround (255 * colour.blue),
                              is_light ? "0;0;0" : "255;255;255");
    }
  if (is_single (lanes))
    g_string_append_printf (line, "%2u", get_first_lane (lanes));
  else
    g_string_append_printf (line, "%2c", get_letter (self, lanes));
  if (self->colour)
    g_string_append (line, "\033[0m");
}

/* A row a wavefront, a column a bank, of @n_columns banks from @first. */
static void
print_panel (Lesson *self, guint first, guint n_columns)
{
  g_autoptr (GString) header = g_string_new (NULL);
  gboolean is_idle = TRUE;
  gsize width = MAX (cured_cli_get_width (_ ("wavefront")), 3);

  for (gsize i = 0; i < self->picture.n_served; i++)
    if (self->picture.served[i].bank - first < n_columns)
      is_idle = FALSE;
  if (is_idle)
    {
      g_print (_ ("Banks %u–%u are idle.\n"), first, first + n_columns - 1);
      return;
    }
  for (guint bank = first; bank < first + n_columns; bank++)
    g_string_append_printf (header, " %2u", bank);
  g_print ("%*s │ %s\n", (int) width, "", _ ("bank"));
  g_print ("%s │%s\n", _ ("wavefront"), header->str);
  for (guint w = 0; w < self->picture.counts.wavefronts; w++)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      for (guint bank = first; bank < first + n_columns; bank++)
        append_cell (self, line, get_lanes (self, w, bank));
      g_print ("%*u │%s\n", (int) width, w + 1, line->str);
    }
}

static void
print_lesson (Lesson *self)
{
  const CuredBankCounts *counts = &self->picture.counts;
  guint bytes = self->access.width / 8;
  int room = cured_cli_get_columns (STDOUT_FILENO) -
             (int) cured_cli_get_width (_ ("wavefront")) - 2;
  guint n_columns = self->picture.n_banks;

  while (n_columns > 8 && (int) n_columns * 3 > room)
    n_columns /= 2;
  g_print (self->access.kind == CURED_BANK_KIND_STORE
               ? _ ("Lane l stores %u bytes at byte %u + %u·l.\n")
               : _ ("Lane l loads %u bytes from byte %u + %u·l.\n"),
           bytes,
           (guint) self->base * bytes,
           (guint) self->stride * bytes);
  g_print (_ ("Compute capability %s: %s.\n\n"),
           self->arch->name,
           _ (self->arch->description));

  self->groups = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint first = 0; first < self->picture.n_banks; first += n_columns)
    {
      print_panel (self, first, n_columns);
      g_print ("\n");
    }
  for (guint i = 0; i < self->groups->len; i++)
    {
      guint32 lanes = g_array_index (self->groups, guint32, i);
      g_autofree char *list = describe_lanes (lanes);

      g_print (_ ("%c: lanes %s at once\n"), get_letter (self, lanes), list);
    }
  if (self->groups->len > 0)
    g_print ("\n");
  g_array_unref (self->groups);
  g_print (_ ("wavefronts %u, least %u, conflicts %u\n"),
           counts->wavefronts,
           counts->least,
           counts->conflicts);
}

static void
print_lesson_json (const Lesson *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  cured_cli_json_add_string (
      builder,
      "access",
      self->access.kind == CURED_BANK_KIND_STORE ? "store" : "load");
  add_int (builder, "width", self->access.width / 8);
  add_int (builder, "stride", self->stride);
  add_int (builder, "base", self->base);
  cured_cli_json_add_string (builder, "arch", self->arch->name);
  add_int (builder, "banks", self->picture.n_banks);
  add_counts (builder, &self->picture.counts);
  json_builder_set_member_name (builder, "served");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < self->picture.n_served; i++)
    {
      const CuredBankServed *served = &self->picture.served[i];

      json_builder_begin_object (builder);
      add_int (builder, "lane", served->lane);
      add_int (builder, "word", served->word);
      add_int (builder, "bank", served->bank);
      add_int (builder, "wavefront", served->wavefront);
      json_builder_set_member_name (builder, "broadcast");
      json_builder_add_boolean_value (builder, served->is_broadcast);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

/* FALSE: it was reported */
static gboolean
parse_element (const char *option, const char *text, gint64 *element)
{
  if (text == NULL ||
      g_ascii_string_to_signed (text, 10, 0, MAX_ELEMENT, element, NULL))
    return TRUE;
  cured_cli_fail (_ ("%s: “%s” is not a number of elements; write a whole "
                     "number from 0 to %d"),
                  option,
                  text,
                  MAX_ELEMENT);
  return FALSE;
}

static int
teach (const Arch *arch,
       const char *stride,
       const char *width,
       const char *base,
       gboolean is_store,
       gboolean json,
       gboolean colour)
{
  Lesson lesson = {
    .access = { .arch = arch->arch,
                .kind = is_store ? CURED_BANK_KIND_STORE : CURED_BANK_KIND_LOAD,
                .mask = G_MAXUINT32 },
    .arch = arch,
    .colour = colour,
  };
  gint64 bytes = 4;

  if (!parse_element ("--stride", stride, &lesson.stride) ||
      !parse_element ("--base", base, &lesson.base))
    return CURED_EXIT_USAGE;
  if (width != NULL &&
      (!g_ascii_string_to_signed (width, 10, 1, 16, &bytes, NULL) ||
       (bytes & (bytes - 1)) != 0))
    return cured_cli_fail (
        _ ("--width: “%s” is not a width; write 1, 2, 4, 8 or 16 bytes"),
        width);
  lesson.access.width = (unsigned) bytes * 8;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    lesson.access.addresses[n] =
        (guint32) ((lesson.base + lesson.stride * n) * bytes);
  if (!cured_bank_model_explain (&lesson.access, &lesson.picture))
    g_assert_not_reached ();
  if (json)
    print_lesson_json (&lesson);
  else
    print_lesson (&lesson);
  return CURED_EXIT_OK;
}

static int
run_banks (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *patterns = NULL;
  g_autofree char *stride = NULL;
  g_autofree char *width = NULL;
  g_autofree char *base = NULL;
  g_autofree char *arch_name = NULL;
  gboolean is_store = FALSE;
  gboolean plain = FALSE;
  gboolean colour = FALSE;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "stride",
      's',
      0,
      G_OPTION_ARG_STRING,
      &stride,
      N_ ("Elements from one lane to the next"),
      N_ ("NUMBER") },
    { "width",
      'w',
      0,
      G_OPTION_ARG_STRING,
      &width,
      N_ ("Bytes an element [4]"),
      N_ ("BYTES") },
    { "base",
      'b',
      0,
      G_OPTION_ARG_STRING,
      &base,
      N_ ("Element of lane 0 [0]"),
      N_ ("NUMBER") },
    { "store",
      0,
      0,
      G_OPTION_ARG_NONE,
      &is_store,
      N_ ("Store instead of load"),
      NULL },
    { "patterns",
      0,
      0,
      G_OPTION_ARG_FILENAME,
      &patterns,
      N_ ("Predict every access of a file instead"),
      N_ ("FILE") },
    { "arch",
      0,
      0,
      G_OPTION_ARG_STRING,
      &arch_name,
      N_ ("1.x, 2.x, 3.x, 3.x/8 or later [9.0]"),
      N_ ("CAPABILITY") },
    { "plain",
      0,
      0,
      G_OPTION_ARG_NONE,
      &plain,
      N_ ("No colours, though it is a terminal"),
      NULL },
    { "colour",
      0,
      0,
      G_OPTION_ARG_NONE,
      &colour,
      N_ ("Colours, though it is no terminal"),
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  const Arch *known = NULL;
  Arch arch = archs[0];

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 1)
    return cured_cli_fail (_ ("banks takes options alone, such as “cured banks "
                              "--stride 2” or “cured banks --patterns "
                              "accesses.tsv”"));
  if (plain && colour)
    return cured_cli_fail (_ ("--plain and --colour exclude each other"));
  if ((patterns != NULL) == (stride != NULL))
    return cured_cli_fail (
        patterns != NULL
            ? _ ("--patterns and --stride exclude each other")
            : _ ("banks wants --stride or --patterns, such as “cured banks "
                 "--stride 2” or “cured banks --patterns accesses.tsv”"));
  if (patterns != NULL && (width != NULL || base != NULL || is_store))
    return cured_cli_fail (_ ("--width, --base and --store belong to --stride; "
                              "a line of --patterns has its own"));
  if (arch_name != NULL)
    {
      known = find_arch (arch_name);
      if (known == NULL)
        return cured_cli_fail (
            _ ("--arch: “%s” is not a compute capability with known banks; "
               "write 1.x, 2.x, 3.x, 3.x/8 for its 8-byte mode, or 5.0 and "
               "later"),
            arch_name);
      arch = *known;
      arch.name = arch_name;
    }
  if (patterns != NULL)
    return predict (patterns, &arch, json);
  return teach (&arch,
                stride,
                width,
                base,
                is_store,
                json,
                colour || (!plain && cured_cli_wants_colour (STDOUT_FILENO)));
}

const CuredVerb cured_verb_banks = {
  .name = "banks",
  .arguments = "",
  .summary = N_ ("Show which lanes meet in a bank of shared memory"),
  .description = N_ (
      "The picture has a row for every wavefront and a column for every bank; "
      "in it\n"
      "are the numbers of the lanes, and letters where a bank serves several "
      "at once.\n"
      "A file of accesses has one a line, with tabs between its columns: the "
      "access\n"
      "(ld.b32, st.b128, red.u32, ldmatrix.x4, …), the mask of active lanes in "
      "hex, 32\n"
      "byte addresses with commas, and, if they were measured, wavefronts and\n"
      "conflicts; “-” is standard input. The exit code is 1 where a measured "
      "line\n"
      "differs.\n"
      "\n"
      "Examples:\n"
      "  cured banks --stride 2\n"
      "  cured banks --stride 33 --width 8 --store\n"
      "  cured banks --stride 2 --arch 1.x\n"
      "  cured banks --patterns accesses.tsv\n"),
  .run = run_banks,
};

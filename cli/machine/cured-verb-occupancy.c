/* SPDX-License-Identifier: MIT
 * cured occupancy: how many warps a multiprocessor holds, and what limits them. */
#include <inttypes.h>
#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli.h"

#define DEFAULT_ARCH "sm_90"

#define CURED_VERB "machine/cured-verb-occupancy.def"
#include "cured-verb.h"

/* Size of one of the three charts side by side. */
#define CHART_COLUMNS 22
#define CHART_ROWS    8

/* ORDER: as CuredNeed; -1: not given */
static const gint64 *const asked[] = { &given.block, &given.registers, &given.shared };

/* ORDER: as CuredNeed. */
static const struct
{
  const char *id; /* key in JSON */
  const char *option, *title;
  gint64 least; /* least value in a chart */
} needs_table[] = {
  { "threads", "--block", N_ ("threads per block"), 32 },
  { "registers", "--registers", N_ ("registers per thread"), 8 },
  { "shared", "--shared", N_ ("shared memory, B"), 0 },
};

/* “sm_90”, or the capability, “9.0”. */
static const CuredProfile *
find_profile (const char *arch)
{
  g_autoptr (GString) known = g_string_new (NULL);
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredLimits *limits = &profiles[i].limits;
      g_autofree char *capability =
          g_strdup_printf ("%d.%d", (int) limits->compute_major, (int) limits->compute_minor);

      if (g_str_equal (arch, profiles[i].arch) || g_str_equal (arch, capability))
        return &profiles[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", profiles[i].arch);
    }
  cured_cli_fail (_ ("--arch: “%s” is not known; there are %s"), arch, known->str);
  return NULL;
}

/* The last value of a chart; no launch can need more. */
static gint64
get_most (const CuredProfile *profile, CuredNeed need)
{
  const gint64 most[] = { profile->limits.max_threads_per_block, profile->registers_per_thread,
                          profile->limits.shared_per_block_optin };

  return most[need];
}

static CuredOccupancy
compute (const CuredProfile *profile, const gint64 *needs)
{
  CuredOccupancy occupancy;

  cured_occupancy_init (&occupancy, profile, needs[CURED_NEED_THREADS],
                        (int) needs[CURED_NEED_REGISTERS], (gsize) needs[CURED_NEED_SHARED]);
  return occupancy;
}

static double
compute_with (const CuredProfile *profile, const gint64 *needs, CuredNeed need, gint64 value)
{
  gint64 others[CURED_N_NEEDS];

  memcpy (others, needs, sizeof others);
  others[need] = value;
  return compute (profile, others).occupancy;
}

/* The value at a column of a chart. The launch's own value replaces the nearest one. */
static gint64
get_column (const CuredProfile *profile, const gint64 *needs, CuredNeed need, int column,
            gboolean *is_own)
{
  gint64 least = needs_table[need].least;
  gint64 most = get_most (profile, need);
  gint64 own = MAX (needs[need], least);
  gint64 place = ((own - least) * (CHART_COLUMNS - 1) + (most - least) / 2) / (most - least);
  gint64 value = least + (most - least) * column / (CHART_COLUMNS - 1);

  *is_own = column == place;
  if (*is_own)
    return needs[need];
  return need == CURED_NEED_THREADS ? value / 32 * 32 : value;
}

static void
print_charts (const CuredProfile *profile, const gint64 *needs)
{
  for (int row = CHART_ROWS; row > 0; row--)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      if (row % 2 == 0)
        g_string_append_printf (line, "%5d %%", 100 * row / CHART_ROWS);
      else
        g_string_append (line, "       ");
      for (int k = 0; k < CURED_N_NEEDS; k++)
        {
          g_string_append (line, k > 0 ? "  |" : " |");
          for (int column = 0; column < CHART_COLUMNS; column++)
            {
              gboolean is_own;
              gint64 value = get_column (profile, needs, (CuredNeed) k, column, &is_own);
              double level = compute_with (profile, needs, (CuredNeed) k, value) * CHART_ROWS;
              char mark = is_own ? '@' : '#';

              g_string_append_c (line, level >= row - 0.5 ? mark : ' ');
            }
        }
      g_print ("%s\n", g_strchomp (line->str));
    }
  for (int line = 0; line < 2; line++)
    {
      g_print ("%8s", "");
      for (int k = 0; k < CURED_N_NEEDS; k++)
        {
          g_autofree char *least = cured_format_count (needs_table[k].least);
          g_autofree char *most = cured_format_count (get_most (profile, (CuredNeed) k));
          const char *title = _ (needs_table[k].title);
          int padding = CHART_COLUMNS + 1;

          if (line == 0)
            g_print (" %s%*s%s", least,
                     padding - (int) cured_cli_get_width (least) - (int) cured_cli_get_width (most),
                     "", most);
          else
            g_print (" %s%*s", title, MAX (padding - (int) cured_cli_get_width (title), 0), "");
          g_print ("%s", k + 1 < CURED_N_NEEDS ? " " : "\n");
        }
    }
}

static char *
describe_limiters (const CuredOccupancy *occupancy)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int k = 0; k < CURED_N_LIMITERS; k++)
    if ((occupancy->limiters & 1u << k) != 0)
      cured_cli_append_item (text, cured_limiter_get_title ((CuredLimiter) k));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* “2 by warps, 25 by shared memory” */
static char *
describe_room (const CuredOccupancy *occupancy)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int k = 0; k < CURED_N_LIMITERS; k++)
    if (occupancy->most[k] != CURED_OCCUPANCY_UNLIMITED)
      /* Translators: blocks, as far as warps, registers, shared memory or the blocks themselves go:
       * “2 by warps”. */
      cured_cli_append_item (text, cured_cli_printf (_ ("%d by %s"), occupancy->most[k],
                                                     cured_limiter_get_title ((CuredLimiter) k)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static const char *
describe_more (CuredNeed need, gint64 value, double occupancy)
{
  const char *number = cured_cli_count (value);
  const char *percent = cured_cli_quantity (occupancy, "ratio");

  /* Translators: in the next three, the share of the warps that can then be resident. */
  return need == CURED_NEED_THREADS
             ? cured_cli_printf (
                   ngettext ("%s thread per block: %s", "%s threads per block: %s", (gulong) value),
                   number, percent)
         : need == CURED_NEED_REGISTERS
             ? cured_cli_printf (ngettext ("%s register per thread or fewer: %s",
                                           "%s registers per thread or fewer: %s", (gulong) value),
                                 number, percent)
             : cured_cli_printf (_ ("%s B of shared memory per block or less: %s"), number,
                                 percent);
}

static void
print_more (const CuredProfile *profile, const gint64 *needs)
{
  gboolean is_first = TRUE;
  /* Translators: “more with 128 threads per block: 50 %”, and in the lines below it, with as many
   * blanks before them, what else gives more. */
  const char *heading = _ ("more with");

  for (int k = 0; k < CURED_N_NEEDS; k++)
    {
      gint64 value = 0;
      double occupancy = 0;

      if (!cured_occupancy_find_more (profile, needs, (CuredNeed) k, &value, &occupancy))
        continue;
      const char *text = describe_more ((CuredNeed) k, value, occupancy);
      if (is_first)
        g_print ("  %s %s\n", heading, text);
      else
        g_print ("  %*s %s\n", (int) cured_cli_get_width (heading), "", text);
      is_first = FALSE;
    }
}

static void
print_needs (const gint64 *needs)
{
  gint64 n_threads = needs[CURED_NEED_THREADS];
  gint64 n_registers = needs[CURED_NEED_REGISTERS];
  g_autofree char *threads =
      g_strdup_printf (ngettext ("%" PRId64 " thread per block", "%" PRId64 " threads per block",
                                 (gulong) n_threads),
                       n_threads);
  g_autofree char *registers =
      g_strdup_printf (ngettext ("%" PRId64 " register per thread",
                                 "%" PRId64 " registers per thread", (gulong) n_registers),
                       n_registers);

  /* Translators: “128 threads per block”, “32 registers per thread”, bytes. */
  g_print (_ ("  %s, %s, %s B of shared memory per block\n"), threads, registers,
           cured_cli_count (needs[CURED_NEED_SHARED]));
}

static void
print_given (const CuredOccupancy *occupancy)
{
  g_autofree char *warps = g_strdup_printf (
      ngettext ("%" PRId64 " warp", "%" PRId64 " warps", (gulong) occupancy->warps_per_block),
      occupancy->warps_per_block);
  g_autofree char *registers = g_strdup_printf (
      ngettext ("%s register", "%s registers", (gulong) occupancy->registers_per_block),
      cured_cli_count (occupancy->registers_per_block));

  /* Translators: what a device sets aside for a block: “4 warps”, “4096 registers”, and bytes of
   * shared memory. */
  g_print (_ ("  allocated: %s, %s and %s B per block\n"), warps, registers,
           cured_cli_count (occupancy->shared_per_block));
}

static void
print_launch (const CuredProfile *profile, const gint64 *needs)
{
  CuredOccupancy occupancy = compute (profile, needs);

  print_needs (needs);
  print_given (&occupancy);
  g_print (_ ("  blocks: %s\n"), cured_cli_lend (describe_room (&occupancy)));
  g_print (
      g_dngettext (GETTEXT_PACKAGE, "  occupancy %s: %d of %d warps, in %d block\n",
                   "  occupancy %s: %d of %d warps, in %d blocks\n", (gulong) occupancy.blocks),
      cured_cli_quantity (occupancy.occupancy, "ratio"), occupancy.warps,
      (int) (profile->limits.max_threads_per_sm / profile->limits.warp_size), occupancy.blocks);
  g_print (_ ("  limited by %s\n"), cured_cli_lend (describe_limiters (&occupancy)));
  print_more (profile, needs);
  g_print ("\n");
  print_charts (profile, needs);
}

static void
add_curve (const CuredProfile *profile, const gint64 *needs, CuredNeed need)
{
  gint64 step = need == CURED_NEED_SHARED ? 1024 : needs_table[need].least;

  cured_cli_json ("$[", needs_table[need].id);
  for (gint64 value = needs_table[need].least; value <= get_most (profile, need); value += step)
    cured_cli_json ("[. .]", value, compute_with (profile, needs, need, value));
  cured_cli_json_put ("]");
}

static void
add_launch (const CuredProfile *profile, const char *entry, const gint64 *needs)
{
  CuredOccupancy occupancy = compute (profile, needs);

  cured_cli_json ("{entry", entry);
  for (int k = 0; k < CURED_N_NEEDS; k++)
    cured_cli_json ("$", needs_table[k].id, needs[k]);
  cured_cli_json (
      "warps_per_block registers_per_block shared_per_block blocks warps occupancy limited_by[",
      occupancy.warps_per_block, occupancy.registers_per_block, occupancy.shared_per_block,
      occupancy.blocks, occupancy.warps, occupancy.occupancy);
  for (int k = 0; k < CURED_N_LIMITERS; k++)
    if ((occupancy.limiters & 1u << k) != 0)
      cured_cli_json (".", cured_limiter_to_string ((CuredLimiter) k));
  cured_cli_json_put ("] room_for{");
  for (int k = 0; k < CURED_N_LIMITERS; k++)
    if (occupancy.most[k] == CURED_OCCUPANCY_UNLIMITED)
      cured_cli_json ("$:~", cured_limiter_to_string ((CuredLimiter) k));
    else
      cured_cli_json ("$", cured_limiter_to_string ((CuredLimiter) k), occupancy.most[k]);
  cured_cli_json_put ("} more_with{");
  for (int k = 0; k < CURED_N_NEEDS; k++)
    {
      gint64 value = 0;
      double more = 0;

      if (cured_occupancy_find_more (profile, needs, (CuredNeed) k, &value, &more))
        cured_cli_json ("$", needs_table[k].id, value);
    }
  cured_cli_json_put ("} curves{");
  for (int k = 0; k < CURED_N_NEEDS; k++)
    add_curve (profile, needs, (CuredNeed) k);
  cured_cli_json_put ("}}");
}

/* Notes that figures are from another chip's code, if so. */
static void
print_source (const CuredProfile *profile, const CuredProfile *compiled, const gint64 *needs,
              const CuredDemand *demand)
{
  if (*asked[CURED_NEED_REGISTERS] >= 0 && *asked[CURED_NEED_SHARED] >= 0)
    return;
  /* Translators: two architectures, as sm_20 and sm_75. */
  g_print (_ ("  no code can be made for %s: registers and shared memory are those of %s;\n  "
              "--registers and --shared replace them\n"),
           profile->arch, compiled->arch);
  if (needs[CURED_NEED_REGISTERS] < demand->info.registers && *asked[CURED_NEED_REGISTERS] < 0)
    g_print (
        _ ("  of the %d registers per thread, %s has %d: the rest would spill to local memory\n"),
        demand->info.registers, profile->arch, profile->registers_per_thread);
}

static void
report (const CuredProfile *profile, const CuredProfile *compiled, const char *title,
        GPtrArray *demands)
{
  cured_cli_json ("{arch chip kernel compiled_for launches[", profile->arch, profile->chip, title,
                  compiled != NULL ? compiled->arch : NULL);
  for (guint i = 0; i < (demands != NULL ? demands->len : 1); i++)
    {
      const CuredDemand *demand = demands != NULL ? g_ptr_array_index (demands, i) : NULL;
      gint64 needs[CURED_N_NEEDS] = { 0 };

      if (demand != NULL)
        {
          needs[CURED_NEED_THREADS] = demand->threads;
          needs[CURED_NEED_REGISTERS] = MIN (demand->info.registers, profile->registers_per_thread);
          needs[CURED_NEED_SHARED] = (gint64) (demand->info.shared_static + demand->shared_dynamic);
        }
      for (int k = 0; k < CURED_N_NEEDS; k++)
        if (*asked[k] >= 0)
          needs[k] = *asked[k];
      add_launch (profile, demand != NULL ? demand->entry : NULL, needs);
      g_print (i > 0 ? "\n" : "");
      /* Translators: a kernel's function or “A block”, an architecture, and a chip that has it. */
      g_print (_ ("%s on %s, such as %s\n"), demand != NULL ? demand->entry : _ ("A block"),
               profile->arch, profile->chip);
      if (demand != NULL && compiled != profile)
        print_source (profile, compiled, needs, demand);
      print_launch (profile, needs);
    }
  cured_cli_json_put ("]}");
}

static int
get_capability (const CuredProfile *profile)
{
  return (int) (10 * profile->limits.compute_major + profile->limits.compute_minor);
}

/* The nearest first; if two are equally near, the older. */
static int
compare_distance (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const CuredProfile *profile = user_data;
  int one = get_capability (*(const CuredProfile *const *) a);
  int other = get_capability (*(const CuredProfile *const *) b);
  int wanted = get_capability (profile);
  int difference = ABS (one - wanted) - ABS (other - wanted);

  return difference != 0 ? difference : one - other;
}

static GPtrArray *
inspect_for (CuredKernel *kernel, const CuredProfile *profile, GError **error)
{
  g_autofree char *id = g_strconcat ("emulator:", profile->arch, NULL);
  g_autofree gint64 *values = cured_cli_get_point (kernel, given.axes, "occupancy", error);
  g_auto (CuredOptions) options;
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  cured_options_init (&options);
  if (values == NULL)
    return NULL;
  return cured_examine_demands (id, &job, error);
}

/* Gets the needs of the kernel's launches from the chip's machine code, without the chip. If the
 * emulator does not support the chip, compilers mostly don't either: then from the code of the
 * nearest chip for which the kernel compiles, @compiled. */
static GPtrArray *
inspect (CuredKernel *kernel, const CuredProfile *profile, const CuredProfile **compiled,
         GError **error)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);
  g_autoptr (GPtrArray) nearest = g_ptr_array_new ();
  g_autoptr (GError) first_error = NULL;

  *compiled = profile;
  if (profile->is_emulated)
    return inspect_for (kernel, profile, error);
  for (gsize i = 0; i < n_profiles; i++)
    if (profiles[i].is_emulated)
      g_ptr_array_add (nearest, (gpointer) &profiles[i]);
  g_ptr_array_sort_with_data (nearest, compare_distance, (gpointer) profile);
  for (guint i = 0; i < nearest->len; i++)
    {
      g_autoptr (GError) try_error = NULL;

      *compiled = g_ptr_array_index (nearest, i);
      GPtrArray *demands = inspect_for (kernel, *compiled, &try_error);
      if (demands != NULL)
        return demands;
      if (first_error == NULL)
        first_error = g_error_copy (try_error);
      if (g_error_matches (try_error, CURED_ERROR, CURED_ERROR_NO_COMPILER))
        break;
    }
  g_propagate_error (error, g_steal_pointer (&first_error));
  return NULL;
}

static int
run (int argc, char **argv, GError **error)
{
  const CuredProfile *profile = find_profile (given.arch);
  const CuredProfile *compiled = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (GPtrArray) demands = NULL;

  if (profile == NULL)
    return CURED_EXIT_USAGE;
  for (int k = 0; k < CURED_N_NEEDS; k++)
    if (*asked[k] > get_most (profile, (CuredNeed) k))
      return cured_cli_fail (_ ("%s %" PRId64 ": the most that %s has is %" PRId64),
                             needs_table[k].option, *asked[k], profile->arch,
                             get_most (profile, (CuredNeed) k));
  if (argc < 2 && given.axes != NULL)
    return cured_cli_fail (_ ("-p is a kernel's parameter; name the kernel"));
  if (argc < 2 && *asked[CURED_NEED_THREADS] < 0)
    return cured_cli_fail (
        _ ("occupancy needs a kernel, or --block threads; see “cured occupancy --help”"));
  if (argc == 2)
    {
      kernel = cured_catalogue_load (argv[1], error);
      if (kernel != NULL)
        demands = inspect (kernel, profile, &compiled, error);
      if (demands == NULL)
        return CURED_EXIT_USAGE;
    }
  report (profile, compiled, kernel != NULL ? kernel->id : NULL, demands);
  return CURED_EXIT_OK;
}

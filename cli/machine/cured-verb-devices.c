/* SPDX-License-Identifier: MIT
 * cured devices: the devices that can run kernels, and why others can't. */
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli-devices.h"

#define CURED_VERB "machine/cured-verb-devices.def"
#include "cured-verb.h"

static void
add_fact (CuredCliTable *table, const char *title, const char *text)
{
  if (text != NULL && text[0] != '\0')
    cured_cli_table_add (table, title, text);
}

static char *
describe_ceilings (const CuredDeviceInfo *info)
{
  const char *measured = info->ceilings.date;
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_facts = 0;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    {
      if (facts[i].type != CURED_DEVICE_FACT_NUMBER || facts[i].title == NULL ||
          isnan (cured_device_fact_get_number (&facts[i], info)))
        continue;
      g_string_append_printf (
          text, "%s%s %s", text->len > 0 ? ", " : "", _ (facts[i].title),
          cured_cli_quantity (cured_device_fact_get_number (&facts[i], info), facts[i].unit));
    }
  if (text->len == 0)
    g_string_assign (text, _ ("not measured yet; the first run does it"));
  else if (measured != NULL)
    {
      g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (measured, NULL);
      g_autofree char *when = date != NULL ? cured_format_date (date) : NULL;

      g_string_append_printf (text, _ (" (%s)"), when != NULL ? when : measured);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_limits (const CuredLimits *limits)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrll");
  gsize n_limits = 0;
  const CuredLimitInfo *infos = cured_limits_list (&n_limits);

  for (gsize i = 0; i < n_limits; i++)
    {
      gint64 value = G_STRUCT_MEMBER (gint64, limits, infos[i].offset);

      cured_cli_table_add (table, infos[i].name,
                           cured_limits_is_known (infos[i].name, value) ? cured_cli_count (value)
                                                                        : "-",
                           infos[i].unit, _ (infos[i].meaning));
    }
  cured_cli_table_print (table, "    ");
}

/* The chips whose limits the emulator supports. */
static char *
describe_profiles (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  for (gsize i = 0; i < n_profiles; i++)
    if (profiles[i].is_emulated)
      g_string_append_printf (text, "%semulator:%s", text->len > 0 ? ", " : "", profiles[i].arch);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_emulator (const CuredDeviceFound *found, gboolean limits)
{
  g_print (_ ("%s: no GPU; counts and checks on this machine's processor, within the limits of\n"),
           found->id);
  g_print ("    %s\n", cured_cli_lend (describe_profiles ()));
  if (limits)
    {
      g_print (_ ("  launch limits of %s, by the names that kernel files use:\n"), found->info->id);
      print_limits (&found->info->limits);
    }
}

static void
print_model (const CuredDeviceFound *found, gboolean limits)
{
  g_print (_ ("%s: %s; no GPU; predicts times from counts\n"), found->id, found->info->name);
  if (limits)
    print_limits (&found->info->limits);
}

static void
print_device (const CuredDeviceFound *found, gboolean limits)
{
  const CuredDeviceInfo *info = found->info;
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");
  gsize n_facts = 0;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  if (info == NULL)
    {
      g_print (_ ("%s: can't be used: %s\n"), found->id, found->reason);
      return;
    }
  if (cured_device_is_model (found->id))
    {
      print_model (found, limits);
      return;
    }
  if (cured_device_is_emulated (found->id))
    {
      print_emulator (found, limits);
      return;
    }
  g_print ("%s: %s\n", found->id, info->name);
  if (found->reason != NULL)
    g_print ("    %s\n", found->reason);
  for (gsize i = 0; i < n_facts; i++)
    if (facts[i].type == CURED_DEVICE_FACT_TEXT && facts[i].title != NULL)
      add_fact (table, _ (facts[i].title), cured_device_fact_get_text (&facts[i], info));
  if (info->limits.global_bytes > 0)
    add_fact (table, _ ("memory"), cured_cli_quantity ((double) info->limits.global_bytes, "B"));
  if (info->limits.sms > 0)
    add_fact (table, _ ("multiprocessors"), cured_cli_count (info->limits.sms));
  add_fact (table, _ ("measured limits"), cured_cli_lend (describe_ceilings (info)));
  cured_cli_table_print (table, "    ");
  if (limits)
    {
      g_print (_ ("  launch limits, by the names that kernel files use:\n"));
      print_limits (&info->limits);
    }
}

static gboolean
has_capability (GPtrArray *devices, const CuredLimits *limits)
{
  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (devices, i);

      if (found->info != NULL && !cured_device_is_emulated (found->id) &&
          found->info->limits.compute_major == limits->compute_major &&
          found->info->limits.compute_minor == limits->compute_minor)
        return TRUE;
    }
  return FALSE;
}

/* Prints a line per compute capability, and marks the devices'. The headings of columns are short,
 * to fit 80 columns; the lines below explain them. */
static void
print_profiles (GPtrArray *devices)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrrrrrrrrrrr");
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  cured_cli_table_add (
      table, C_ ("compute capability", "cc"), C_ ("column: threads per block", "block"),
      C_ ("column: threads per multiprocessor", "thr"),
      C_ ("column: warps per multiprocessor", "warps"),
      C_ ("column: blocks per multiprocessor", "blocks"), C_ ("column: 1024 registers", "regs"),
      C_ ("column: of those per block", "/block"), C_ ("column: of those per thread", "/thread"),
      C_ ("column: shared memory", "KiB"), C_ ("column: of those per block", "/block"),
      C_ ("column: of shared memory", "banks"), C_ ("column: allocated together", "units"));
  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredProfile *profile = &profiles[i];
      const CuredLimits *limits = &profile->limits;
      const int numbers[] = {
        (int) limits->max_threads_per_block,
        (int) limits->max_threads_per_sm,
        (int) (limits->max_threads_per_sm / limits->warp_size),
        (int) limits->max_blocks_per_sm,
        (int) (limits->registers_per_sm >> 10),
        (int) (limits->registers_per_block >> 10),
        profile->registers_per_thread,
        (int) (limits->shared_per_sm >> 10),
        (int) (limits->shared_per_block_optin >> 10),
        profile->banks,
      };
      g_auto (GStrv) text = g_new0 (char *, G_N_ELEMENTS (numbers) + 1);

      for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
        text[k] = g_strdup_printf ("%d", numbers[k]);
      cured_cli_table_add (
          table,
          cured_cli_printf ("%d.%d%s", (int) limits->compute_major, (int) limits->compute_minor,
                            has_capability (devices, limits) ? "*" : ""),
          text[0], text[1], text[2], text[3], text[4], text[5], text[6], text[7], text[8], text[9],
          cured_cli_printf ("%d%s,%zu", profile->register_unit,
                            profile->is_register_block ? "b" : "", profile->shared_unit));
    }
  g_print (_ ("compute capabilities (*: of a device above):\n"));
  cured_cli_table_print (table, " ");
  g_print (_ ("  block: threads of a block; thr, warps, blocks: threads, warps and blocks that\n"
              "  are resident on a multiprocessor;\n"
              "  regs: registers of a multiprocessor and of a block, in units of 1024, and\n"
              "  of a thread; KiB: shared memory of a multiprocessor and of a block; banks: of\n"
              "  shared memory; units: so many registers are allocated at a time to a warp\n"
              "  (b: to a block), and so many bytes of shared memory to a block. Since 8.0,\n"
              "  CUDA takes 1 KiB of the shared memory of every block.\n"
              "  A grid has up to 65535 blocks in x (2^31 - 1 since 3.0), 65535 in y, and,\n"
              "  since 2.0, 65535 in z; a block up to 1024 threads in x and in y (512 before\n"
              "  2.0), and 64 in z.\n"));
  g_print (_ ("  A thread has up to 512 KiB of local memory (16 KiB before 2.0). Constant memory\n"
              "  has 64 KiB, of which a multiprocessor caches 8 KiB (4 KiB on 6.0). On 2.x a\n"
              "  launch chooses between 16 and 48 KiB of shared memory; the rest of 64 KiB is\n"
              "  the first cache.\n"));
}

/* Devices need the compiler, as kernels are source text. */
static void
print_compiler (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  if (compiler != NULL)
    g_print (_ ("compiler: %s, from %s\n"), cured_compiler_get_version (compiler),
             cured_compiler_get_path (compiler));
  else
    g_print (_ ("compiler: none: %s\n"), error->message);
}

static void
add_limits (const CuredLimits *self)
{
  gsize n_limits = 0;
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  cured_cli_json_put ("limits{");
  for (gsize i = 0; i < n_limits; i++)
    cured_cli_json ("$", limits[i].name, G_STRUCT_MEMBER (gint64, self, limits[i].offset));
  cured_cli_json_put ("}");
}

/* @group: NULL for the device's own facts, except those printed elsewhere */
static void
add_facts (const CuredDeviceInfo *info, const char *group)
{
  gsize n_facts = 0;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    if (g_strcmp0 (facts[i].group, group) != 0 || g_str_equal (facts[i].column, "id") ||
        g_str_equal (facts[i].column, "compiler"))
      continue;
    else if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
      cured_cli_json ("$", facts[i].key, cured_device_fact_get_number (&facts[i], info));
    else
      cured_cli_json ("$", facts[i].key, cured_device_fact_get_text (&facts[i], info));
}

static void
add_info (const CuredDeviceInfo *info, const CuredCompiler *compiler)
{
  add_facts (info, NULL);
  /* The installed compiler, whether or not the device needs it. */
  cured_cli_json ("compiler", compiler != NULL ? cured_compiler_get_version (compiler) : NULL);
  add_limits (&info->limits);
  cured_cli_json_put ("ceilings{");
  add_facts (info, "ceilings");
  cured_cli_json_put ("}");
}

/* Adds the ids of the chips that the emulator supports and, with @limits, the table of
 * capabilities. */
static void
add_profiles (gboolean limits)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  cured_cli_json_put ("profiles[");
  for (gsize i = 0; i < n_profiles; i++)
    if (profiles[i].is_emulated)
      cured_cli_json (".", cured_cli_printf ("emulator:%s", profiles[i].arch));
  cured_cli_json_put ("]");
  if (!limits)
    return;
  cured_cli_json_put ("capabilities[");
  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredProfile *profile = &profiles[i];

      cured_cli_json ("{arch chip registers_go_to registers_per_thread register_unit partitions "
                      "shared_reserved shared_unit banks",
                      profile->arch, profile->chip, profile->is_register_block ? "block" : "warp",
                      profile->registers_per_thread, profile->register_unit, profile->partitions,
                      profile->shared_reserved, profile->shared_unit, profile->banks);
      add_limits (&profile->limits);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("]");
}

static void
print_json (GPtrArray *devices, gboolean limits)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  cured_cli_json_put ("[");
  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (devices, i);

      cured_cli_json ("{id usable? reason", found->id, found->info != NULL && compiler != NULL,
                      found->reason == NULL && error != NULL ? error->message : found->reason);
      if (found->info != NULL)
        add_info (found->info, compiler);
      if (cured_device_is_emulated (found->id))
        add_profiles (limits);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("]");
}

/* Lists several hosts: one list for JSON, a paragraph each for people. */
static int
list_elsewhere (GError **error)
{
  char **launchers = cured_cli_places.launchers;
  g_autoptr (GPtrArray) all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_found_free);

  for (gsize i = 0; launchers[i] != NULL; i++)
    {
      g_autofree char *program = NULL;

      if (cured_cli_places.push &&
          (program = cured_launcher_push (launchers[i], NULL, error)) == NULL)
        return CURED_EXIT_USAGE;
      g_autoptr (GPtrArray) devices =
          cured_launcher_list_devices_of (launchers[i], program, NULL, error);
      if (devices == NULL)
        return CURED_EXIT_USAGE;
      cured_launcher_remember (launchers[i]);
      g_print (_ ("%s:\n"), launchers[i]);
      for (guint j = 0; j < devices->len; j++)
        print_device (g_ptr_array_index (devices, j), given.limits);
      g_ptr_array_extend_and_steal (all, g_steal_pointer (&devices));
    }
  print_json (all, given.limits);
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  if (!cured_cli_check_places ())
    return CURED_EXIT_USAGE;
  if (cured_cli_places.launchers != NULL)
    return list_elsewhere (error);
  g_autoptr (GPtrArray) devices = cured_device_list ();
  if (cured_cli_is_json)
    {
      print_json (devices, given.limits);
      return CURED_EXIT_OK;
    }
  for (guint i = 0; i < devices->len; i++)
    print_device (g_ptr_array_index (devices, i), given.limits);
  if (devices->len == 0)
    g_print (_ ("No device.\n"));
  print_compiler ();
  if (given.limits)
    print_profiles (devices);
  return CURED_EXIT_OK;
}

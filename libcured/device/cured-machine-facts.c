/* SPDX-License-Identifier: MIT
 * Machine facts: a chip's rates, latencies and clocks. */
#include "device/cured-device-internal.h"

#include "base/cured-base-internal.h"

static const CuredMachineFact facts[] = {
#define CURED_MACHINE_ROW(name, group, key, unit, meaning)                                         \
  { #name, group, key, unit, meaning, G_STRUCT_OFFSET (CuredMachine, name) },
  CURED_MACHINE_FACTS (CURED_MACHINE_ROW)
#undef CURED_MACHINE_ROW
};

/* Returns: (transfer none) (array length=n_facts): the table of facts */
const CuredMachineFact *
cured_machine_facts (gsize *n_facts)
{
  *n_facts = G_N_ELEMENTS (facts);
  return facts;
}

/* @fact: a row of cured_machine_facts()
 * Returns: that number; NaN: not measured */
double
cured_machine_get (const CuredMachine *self, const CuredMachineFact *fact)
{
  return *(const double *) G_STRUCT_MEMBER_P (self, fact->offset);
}

void
cured_machine_free (CuredMachine *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    g_free (self->provenance[i]);
  CURED_CLEAR (provenance, g_free, id, g_free, name, g_free, arch, g_free, date, g_free);
  g_free (self);
}

/* Limit of rates, sizes and clocks, which fits integers. */
#define MOST 1e18

static gboolean
read_fact (GKeyFile *file, const char *path, const CuredMachineFact *fact, double *value,
           GError **error)
{
  g_autoptr (GError) problem = NULL;
  double read = g_key_file_get_double (file, fact->group, fact->key, &problem);

  *value = NAN;
  if (g_error_matches (problem, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_KEY_NOT_FOUND) ||
      g_error_matches (problem, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_GROUP_NOT_FOUND))
    return TRUE;
  if (problem == NULL && read > 0 && read <= MOST)
    {
      *value = read;
      return TRUE;
    }
  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("%s: %s in [%s]: expected a positive number up to 1e18"), path, fact->key,
                     fact->group);
}

/* @path: of a file such as data/machines/h200.ini
 *
 * Reads the facts of a chip. Missing ones are NaN.
 * Returns: (transfer full): the chip; NULL with the file's error, or with %CURED_ERROR_INVALID if a
 *   fact is not a positive number */
CuredMachine *
cured_machine_load (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) problem = NULL;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &problem))
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("%s: expected a file of machine facts, such as data/machines/h200.ini: %s"), path,
        problem->message);
  g_autoptr (CuredMachine) self =
      CURED_NEW (CuredMachine, .provenance = g_new0 (char *, G_N_ELEMENTS (facts) + 1),
                 .id = g_path_get_basename (path));
  if (g_str_has_suffix (self->id, ".ini"))
    self->id[strlen (self->id) - strlen (".ini")] = '\0';
  self->name = g_key_file_get_string (file, "Chip", "Name", NULL);
  self->arch = g_key_file_get_string (file, "Chip", "Arch", NULL);
  self->date = g_key_file_get_string (file, "Chip", "Date", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      g_autofree char *from = g_strconcat (facts[i].key, "From", NULL);
      double *value = (double *) G_STRUCT_MEMBER_P (self, facts[i].offset);

      if (!read_fact (file, path, &facts[i], value, error))
        return NULL;
      self->provenance[i] = g_key_file_get_string (file, facts[i].group, from, NULL);
    }
  return g_steal_pointer (&self);
}

/* ---- Finding files ---- */

/* Returns: (transfer full): the folders that are searched for machine facts, in order
 */
GStrv
_cured_machine_list_folders (void)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new ();
  const char *data = g_getenv ("CURED_DATA_DIR");

  g_ptr_array_add (folders, g_build_filename (g_get_user_data_dir (), "cured", "machines", NULL));
  if (data != NULL)
    g_ptr_array_add (folders, g_build_filename (data, "machines", NULL));
  else
    {
      g_ptr_array_add (folders, g_strdup (CURED_DATADIR "/cured/machines"));
      g_ptr_array_add (folders, g_strdup (CURED_SOURCE_DATADIR "/machines"));
    }
  g_ptr_array_add (folders, NULL);
  return (GStrv) g_ptr_array_steal (folders, NULL);
}

/* @id: "h200"
 *
 * Searches `cured/machines` in the user's data folder, then `machines` in the folder that
 * `CURED_DATA_DIR` names, or else in that of the installation or the source.
 * Returns: (transfer full): the chip; NULL with %CURED_ERROR_NOT_FOUND, or as from
 *   cured_machine_load() */
CuredMachine *
cured_machine_find (const char *id, GError **error)
{
  g_auto (GStrv) folders = _cured_machine_list_folders ();
  g_autofree char *name = g_strconcat (id, ".ini", NULL);

  /* The id may come from a file or another process. */
  if (strchr (id, '/') != NULL)
    return cured_fail_null (
        error, CURED_ERROR_NOT_FOUND,
        _ ("“%s” is a path, and machine facts go by a name such as h200: put the file "
           "into %s, and name it without its folder and “.ini”"),
        id, folders[0]);
  for (gsize i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folders[i], name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return cured_machine_load (path, error);
    }
  g_autoptr (GPtrArray) ids = cured_machine_list ();
  g_ptr_array_add (ids, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **) ids->pdata);
  return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                          _ ("There are no machine facts “%s”: no %s in %s. There are: %s"), id,
                          name, folders[0], list);
}

/* Returns: (transfer full) (element-type utf8): the ids of all chips with facts,
 *   sorted */
GPtrArray *
cured_machine_list (void)
{
  g_auto (GStrv) folders = _cured_machine_list_folders ();
  GPtrArray *ids = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; folders[i] != NULL; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (folders[i], 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *id = g_strdup (name);

          if (!g_str_has_suffix (id, ".ini"))
            continue;
          id[strlen (id) - strlen (".ini")] = '\0';
          if (!g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
            g_ptr_array_add (ids, g_steal_pointer (&id));
        }
    }
  g_ptr_array_sort (ids, _cured_compare_texts);
  return ids;
}

/* @device: a device, possibly from a result file
 * Returns: (transfer full) (nullable): the facts of the chip of that name; NULL: there are
 *   none */
CuredMachine *
cured_machine_for_device (const CuredDeviceInfo *device)
{
  g_auto (GStrv) folders = _cured_machine_list_folders ();

  for (gsize i = 0; folders[i] != NULL; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (folders[i], 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folders[i], name, NULL);

          if (!g_str_has_suffix (name, ".ini"))
            continue;
          g_autoptr (CuredMachine) machine = cured_machine_load (path, NULL);
          if (machine != NULL && g_strcmp0 (machine->name, device->name) == 0)
            return g_steal_pointer (&machine);
        }
    }
  return NULL;
}

/* 90 for "sm_90"; 0 for other names. */
static gint64
get_arch_number (const char *arch)
{
  return arch != NULL && g_str_has_prefix (arch, "sm_")
             ? g_ascii_strtoll (arch + strlen ("sm_"), NULL, 10)
             : 0;
}

/* Whether @self is more similar to @device than @other is. */
static gboolean
is_nearer (const CuredMachine *self, const CuredMachine *other, const CuredDeviceInfo *device)
{
  gint64 arch = get_arch_number (device->arch);
  gint64 arches_off = ABS (get_arch_number (self->arch) - arch);
  gint64 other_off = ABS (get_arch_number (other->arch) - arch);
  double sms = (double) device->limits.sms;

  if (arches_off != other_off)
    return arches_off < other_off;
  return fabs (self->sms - sms) < fabs (other->sms - sms);
}

/* @device: a device, possibly from a result file
 * @is_own: (out) (optional): whether the facts are those of the device's chip
 *
 * Finds the facts of the chip of that name or, if there are none, of the chip with the nearest
 * architecture; of several, the one with the nearest number of multiprocessors. Only chips that the
 * emulator supports, with a known number of multiprocessors, are considered.
 * Returns: (transfer full) (nullable): the facts; NULL: there are none */
CuredMachine *
cured_machine_nearest (const CuredDeviceInfo *device, gboolean *is_own)
{
  g_autoptr (GPtrArray) ids = cured_machine_list ();
  g_autoptr (CuredMachine) nearest = NULL;
  gboolean is_named = FALSE;

  for (guint i = 0; i < ids->len && !is_named; i++)
    {
      g_autoptr (CuredMachine) machine = cured_machine_find (g_ptr_array_index (ids, i), NULL);
      const CuredProfile *profile =
          machine != NULL && machine->arch != NULL ? cured_profile_find (machine->arch) : NULL;

      if (profile == NULL || !profile->is_emulated || !(machine->sms > 0))
        continue;
      is_named = g_strcmp0 (machine->name, device->name) == 0;
      if (nearest != NULL && !is_named && !is_nearer (machine, nearest, device))
        continue;
      g_clear_pointer (&nearest, cured_machine_free);
      nearest = g_steal_pointer (&machine);
    }
  if (is_own != NULL)
    *is_own = is_named;
  return g_steal_pointer (&nearest);
}

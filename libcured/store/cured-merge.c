/* SPDX-License-Identifier: MIT
 * Merges result files: shards of a plan, or sweeps on different devices. */
#include "store/cured-merge.h"

#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "store/cured-remarks-private.h"
#include "store/cured-store-internal.h"

/* Implementation notes
 *
 * Files are opened one after the other, never all at once: a process may not open as many files as
 * there are shards. The first pass reads the files' heads and lists their cells; the second
 * attaches each file in turn, and copies the rows of the cells taken from it, where map_cell() is
 * an SQL function that gives a cell's new number. This takes 13 bytes of memory per cell, and 24
 * for each file that has it. Values must be sorted by metric, but arrive file by file: they are
 * collected in a temporary table, and sorted at the end, since inserting rows in random order would
 * read and write most pages again and again. */

/* Rows are copied after the rows that they refer to. */
#define BEGIN_PRAGMAS                                                                              \
  "COMMIT;PRAGMA foreign_keys = OFF;PRAGMA cache_size = -131072;BEGIN IMMEDIATE;CREATE TEMP "      \
  "TABLE gathered (metric INTEGER, cell INTEGER, value REAL)"
#define END_PRAGMAS "COMMIT;PRAGMA foreign_keys = ON;BEGIN IMMEDIATE"

/* Limit of conflicts that are listed. */
#define MAX_NAMED 20

/* A cell of one file. */
typedef struct
{
  gint64 cell, stamp;
  CuredState state;
} Claim;

/* A source file, with the mapping of its cells and devices to the merged one. */
typedef struct
{
  const char *path;
  CuredHead *head;        /* only axes without names, and devices */
  GStatBuf status;        /* when @head was read */
  GArray *claims;         /* (element-type Claim) (nullable): until copied */
  GArray *device_numbers; /* (element-type gint64): by index in the file */
  gsize **positions;      /* (nullable): by axis and position; NULL: the same positions */
  gsize n_axes;
  gint64 n_cells;
} Source;

typedef struct
{
  const char *const *paths;
  CuredMergeRule rule;
  CuredMergeAccept accept;
  GCancellable *cancellable;
  CuredMergeReport *report;
  CuredHead *head;    /* head of the merged file */
  GPtrArray *values;  /* (element-type GArray of gint64): by axis */
  GPtrArray *lookups; /* (element-type GHashTable): from value to position */
  GPtrArray *places;  /* (element-type utf8): "name\narch" */
  GHashTable *devices;
  GPtrArray *sources;
  guint32 *owners; /* by cell: 1 + index of its source; 0: none */
  gint64 *stamps;
  guint8 *states;
  guint copied; /* index of the source that is attached */
} Merge;

static void
source_free (gpointer data)
{
  Source *self = data;

  for (gsize i = 0; self->positions != NULL && i < self->n_axes; i++)
    g_free (self->positions[i]);
  CURED_CLEAR (positions, g_free, claims, g_array_unref, device_numbers, g_array_unref, head,
               _cured_head_free);
  g_free (self);
}

CURED_CLEAR_FUNC (Merge, merge_clear, head, _cured_head_free, values, g_ptr_array_unref, lookups,
                  g_ptr_array_unref, places, g_ptr_array_unref, devices, g_hash_table_unref,
                  sources, g_ptr_array_unref, owners, g_free, stamps, g_free, states, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Merge, merge_clear)

/* -- Comparing heads -- */

/* Notes an accepted difference, or fails. */
static gboolean
differ (Merge *self, CuredMergeAccept what, const char *option, const char *path,
        const char *difference, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  if (what != 0 && (self->accept & what) != 0)
    {
      if (self->report->differences->len < MAX_NAMED)
        g_ptr_array_add (self->report->differences, g_strdup_printf ("%s: %s", name, difference));
      return TRUE;
    }
  if (option != NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 /* Translators: a file, how it differs from the first one, and a word of the
                  * command line. */
                 _ ("“%s” is not of the same sweep: %s. Leave it out, or merge it all the same "
                    "with --accept %s."),
                 name, difference, option);
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("“%s” is not of the same sweep: %s. Leave it out."), name, difference);
  return FALSE;
}

static gboolean
fail_imported (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("“%s” was imported. Merge the files that it was made of: “cured import "
                        "FILE FILE… -o OUT”, or “cured import FILE -o OUT --merge” to add one"),
                     name);
}

static gboolean
compare_options (Merge *self, const char *path, const CuredHead *head, GError **error)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *difference = NULL;

      if ((rows[i].flags & (CURED_OPTION_RESUMABLE | CURED_OPTION_UNSAFE)) != 0)
        continue;
      g_autofree char *first = cured_option_to_string (&rows[i], &self->head->options);
      g_autofree char *other = cured_option_to_string (&rows[i], &head->options);
      if (g_strcmp0 (first, other) == 0)
        continue;
      difference =
          g_strdup_printf (_ ("its option %s is “%s”, and the first file's “%s”"), rows[i].name,
                           other != NULL ? other : "", first != NULL ? first : "");
      if (!differ (self, CURED_MERGE_ACCEPT_OPTIONS, "options", path, difference, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
compare_heads (Merge *self, const char *path, const CuredHead *head, GError **error)
{
  gsize n_axes = _cured_head_count_parameters (head);
  g_autofree char *difference = NULL;

  if (head->imported != NULL)
    return fail_imported (path, error);
  if (!g_str_equal (head->kernel_id, self->head->kernel_id))
    {
      difference = g_strdup_printf (_ ("its kernel is %s, and the first file's %s"),
                                    head->kernel_id, self->head->kernel_id);
      return differ (self, 0, NULL, path, difference, error);
    }
  if (n_axes != self->values->len)
    return differ (self, 0, NULL, path, _ ("its kernel has other parameters"), error);
  for (gsize i = 0; i < n_axes; i++)
    if (!g_str_equal (head->axes[i].name, self->head->axes[i].name))
      return differ (self, 0, NULL, path, _ ("its kernel has other parameters"), error);
  if (!g_str_equal (head->source, self->head->source) &&
      !differ (self, CURED_MERGE_ACCEPT_SOURCE, "source", path,
               _ ("the source of its kernel is another one"), error))
    return FALSE;
  return compare_options (self, path, head, error);
}

/* Values of an axis as hash keys; the pointers are not dereferenced. */
static gpointer
value_to_key (gint64 value)
{
  return GSIZE_TO_POINTER ((gsize) value);
}

static gboolean
find_value (Merge *self, guint axis, gint64 value, gsize *position)
{
  gpointer found;

  if (!g_hash_table_lookup_extended (g_ptr_array_index (self->lookups, axis), value_to_key (value),
                                     NULL, &found))
    return FALSE;
  *position = GPOINTER_TO_SIZE (found);
  return TRUE;
}

static void
add_value (Merge *self, guint axis, gint64 value)
{
  GArray *values = g_ptr_array_index (self->values, axis);

  g_hash_table_insert (g_ptr_array_index (self->lookups, axis), value_to_key (value),
                       GSIZE_TO_POINTER ((gsize) values->len));
  g_array_append_val (values, value);
}

/* Numbers the sorted values. */
static void
number_values (Merge *self, guint axis)
{
  GArray *values = g_ptr_array_index (self->values, axis);

  for (guint i = 0; i < values->len; i++)
    g_hash_table_replace (g_ptr_array_index (self->lookups, axis),
                          value_to_key (g_array_index (values, gint64, i)),
                          GSIZE_TO_POINTER ((gsize) i));
}

static gboolean
has_same_values (GArray *values, const CuredAxis *axis)
{
  gsize length = cured_axis_get_length (axis);

  if (length != values->len)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (cured_axis_get_value (axis, i) != g_array_index (values, gint64, (guint) i))
      return FALSE;
  return TRUE;
}

static gboolean
add_values (Merge *self, const char *path, const CuredHead *head, GError **error)
{
  for (guint i = 0; i < self->values->len; i++)
    {
      GArray *values = g_ptr_array_index (self->values, i);
      const CuredAxis *axis = head->axes[i].values;

      if (has_same_values (values, axis))
        continue;
      g_autofree char *text = cured_axis_to_string (axis);
      g_autofree char *difference = g_strdup_printf (
          _ ("it has %s=%s, and the first file other values"), head->axes[i].name, text);
      if (!differ (self, CURED_MERGE_ACCEPT_AXES, "axes", path, difference, error))
        return FALSE;
      for (gsize j = 0; j < cured_axis_get_length (axis); j++)
        {
          gint64 value = cured_axis_get_value (axis, j);
          gsize position;

          if (!find_value (self, i, value, &position))
            add_value (self, i, value);
        }
    }
  return TRUE;
}

static gsize
find_place (Merge *self, const CuredDeviceInfo *info)
{
  g_autofree char *key = g_strdup_printf ("%s\n%s", info->name, info->arch);

  for (guint i = 0; i < self->places->len; i++)
    if (g_str_equal (g_ptr_array_index (self->places, i), key))
      return i;
  g_ptr_array_add (self->places, g_steal_pointer (&key));
  return self->places->len - 1;
}

static void
add_devices (Merge *self, const CuredHead *head)
{
  for (guint i = 0; i < head->devices->len; i++)
    {
      const CuredDeviceInfo *info = &g_array_index (head->devices, CuredResultDevice, i).info;
      g_autofree char *key =
          g_strjoin ("\n", info->kind, info->name, info->uuid, info->arch, info->driver,
                     info->runtime, info->compiler, info->host, NULL);

      find_place (self, info);
      if (g_hash_table_add (self->devices, g_steal_pointer (&key)))
        {
          _cured_head_add_device (self->head, NULL, info);
          guint last = self->head->devices->len - 1;
          g_array_index (self->head->devices, CuredResultDevice, last).place =
              find_place (self, info);
        }
    }
}

static gboolean
is_ascending (GArray *values)
{
  for (guint i = 1; i < values->len; i++)
    if (g_array_index (values, gint64, i) < g_array_index (values, gint64, i - 1))
      return FALSE;
  return TRUE;
}

/* The head of the first file becomes that of the merged one. */
static gboolean
start_head (Merge *self, CuredHead *head, GError **error)
{
  gsize n_axes = _cured_head_count_parameters (head);

  self->head = head;
  if (head->imported != NULL)
    return fail_imported (self->paths[0], error);
  for (gsize i = 0; i < n_axes; i++)
    {
      const CuredAxis *axis = head->axes[i].values;

      g_ptr_array_add (self->values, g_array_new (FALSE, FALSE, sizeof (gint64)));
      g_ptr_array_add (self->lookups, g_hash_table_new (g_direct_hash, g_direct_equal));
      for (gsize j = 0; j < cured_axis_get_length (axis); j++)
        add_value (self, (guint) i, cured_axis_get_value (axis, j));
    }
  g_autoptr (GArray) devices = g_steal_pointer (&head->devices);
  head->devices = _cured_result_devices_new ();
  head->shard = 0;
  head->n_shards = 0;
  {
    CuredHead first = { .devices = devices };

    add_devices (self, &first);
  }
  return TRUE;
}

/* Keeps the parts of a head that later passes need. Shards have the same axes, and share the first
 * file's. */
static Source *
add_source (Merge *self, const char *path, const CuredHead *head)
{
  Source *source = g_new0 (Source, 1);
  const CuredHead *first =
      self->sources->len > 0 ? ((Source *) g_ptr_array_index (self->sources, 0))->head : NULL;

  source->path = path;
  source->claims = g_array_new (FALSE, FALSE, sizeof (Claim));
  source->device_numbers = g_array_new (FALSE, TRUE, sizeof (gint64));
  source->head = g_new0 (CuredHead, 1);
  cured_options_init (&source->head->options);
  source->head->devices = g_array_ref (head->devices);
  source->head->n_cells = head->n_cells;
  source->head->n_axes = head->n_axes;
  source->head->axes = g_new0 (CuredResultAxis, head->n_axes + 1);
  for (gsize i = 0; i < head->n_axes; i++)
    {
      const CuredAxis *values = head->axes[i].values;

      if (first != NULL && i < first->n_axes && cured_axis_equal (first->axes[i].values, values))
        values = first->axes[i].values;
      source->head->axes[i].kind = head->axes[i].kind;
      source->head->axes[i].values = cured_axis_ref ((CuredAxis *) values);
    }
  if (g_stat (path, &source->status) != 0)
    memset (&source->status, 0, sizeof source->status);
  g_ptr_array_add (self->sources, source);
  return source;
}

/* Opens a file that was open before. */
static CuredDatabase *
reopen (const Merge *self, const Source *source, GError **error)
{
  g_autoptr (CuredDatabase) database = _cured_database_open (source->path, FALSE, error);
  GStatBuf status;

  if (database == NULL)
    return NULL;
  if (g_stat (source->path, &status) != 0 || status.st_ino != source->status.st_ino ||
      status.st_size != source->status.st_size ||
      status.st_mtim.tv_sec != source->status.st_mtim.tv_sec ||
      status.st_mtim.tv_nsec != source->status.st_mtim.tv_nsec)
    return cured_fail_null (error, CURED_ERROR_STORAGE, _ ("“%s” was written while it was merged"),
                            source->path);
  _cured_database_set_cancellable (database, self->cancellable);
  return g_steal_pointer (&database);
}

/* Microseconds since 1970; G_MININT64: not a date. */
static gint64
parse_stamp (const char *text)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) date = text != NULL ? g_date_time_new_from_iso8601 (text, utc) : NULL;

  return date != NULL
             ? g_date_time_to_unix (date) * G_USEC_PER_SEC + g_date_time_get_microsecond (date)
             : G_MININT64;
}

/* Finds the cells that a file has. */
static gboolean
read_claims (Source *self, CuredDatabase *database, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (
      database, "SELECT cell, state, finished FROM cell ORDER BY cell", error);
  gint64 last = G_MININT64;
  int has_row;

  while ((has_row = _cured_database_next (database, statement, error)) > 0)
    {
      Claim claim;

      if (!_cured_database_check_order (database, statement, 0, &last, error))
        return FALSE;
      claim.cell = sqlite3_column_int64 (statement, 0);
      int state = sqlite3_column_int (statement, 1);
      if (claim.cell < 0 || claim.cell >= self->head->n_cells || state <= CURED_STATE_NOT_RUN ||
          state >= CURED_N_STATES)
        return _cured_database_damaged (database, error, _ ("cell %lld has state %d"),
                                        (long long) claim.cell, state);
      claim.state = (CuredState) state;
      claim.stamp = parse_stamp ((const char *) sqlite3_column_text (statement, 2));
      if (claim.stamp == G_MININT64)
        return _cured_database_damaged (database, error, _ ("the value of %s.%s can't be"), "cell",
                                        "finished");
      g_array_append_val (self->claims, claim);
    }
  return has_row == 0;
}

static gboolean
read_files (Merge *self, GError **error)
{
  for (gsize i = 0; self->paths[i] != NULL; i++)
    {
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      g_autoptr (CuredDatabase) database = _cured_database_open (self->paths[i], FALSE, error);
      if (database == NULL)
        return FALSE;
      g_autoptr (CuredHead) head = _cured_head_read (database, error);
      if (head == NULL)
        return FALSE;
      self->report->n_files++;
      _cured_database_set_cancellable (database, self->cancellable);
      Source *source = add_source (self, self->paths[i], head);
      if (i == 0)
        {
          if (!start_head (self, g_steal_pointer (&head), error))
            return FALSE;
        }
      else
        {
          if (!compare_heads (self, self->paths[i], head, error) ||
              !add_values (self, self->paths[i], head, error))
            return FALSE;
          add_devices (self, head);
          if (g_date_time_compare (head->created, self->head->created) < 0)
            {
              g_date_time_unref (self->head->created);
              self->head->created = g_date_time_ref (head->created);
            }
        }
      if (!read_claims (source, database, error))
        return FALSE;
    }
  return TRUE;
}

static CuredAxis *
make_place_axis (Merge *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->places->len; i++)
    {
      const char *place = g_ptr_array_index (self->places, i);
      gsize length = strcspn (place, "\n");
      gboolean is_repeated = FALSE;

      for (guint j = 0; j < self->places->len; j++)
        is_repeated |=
            j != i && strncmp (g_ptr_array_index (self->places, j), place, length + 1) == 0;
      g_ptr_array_add (
          names, is_repeated ? g_strdup_printf ("%.*s %s", (int) length, place, place + length + 1)
                             : g_strndup (place, length));
    }
  return cured_axis_new_texts ((const char *const *) names->pdata, names->len);
}

/* Makes the merged axes, and computes the number of cells. */
static gboolean
make_axes (Merge *self, GError **error)
{
  CuredHead *head = self->head;
  gsize n_axes = self->values->len;
  gint64 n_cells = 1;

  for (gsize i = 0; i < n_axes; i++)
    {
      GArray *values = g_ptr_array_index (self->values, i);
      const CuredAxis *first = head->axes[i].values;

      /* Sort values that later files added. */
      if (!has_same_values (values, first))
        {
          g_autoptr (GArray) head_values = g_array_new (FALSE, FALSE, sizeof (gint64));

          for (gsize j = 0; j < cured_axis_get_length (first); j++)
            {
              gint64 value = cured_axis_get_value (first, j);

              g_array_append_val (head_values, value);
            }
          if (is_ascending (head_values))
            {
              g_array_sort (values, _cured_compare_integers);
              number_values (self, (guint) i);
            }
        }
      CuredAxis *axis = cured_axis_new ((const gint64 *) (void *) values->data, values->len);
      cured_axis_unref (head->axes[i].values);
      head->axes[i].values = axis;
    }
  if (_cured_head_count_parameters (head) < head->n_axes)
    {
      g_free ((char *) head->axes[n_axes].name);
      g_free ((char *) head->axes[n_axes].summary);
      cured_axis_unref (head->axes[n_axes].values);
      head->axes[n_axes] = (CuredResultAxis){ 0 };
      head->n_axes = n_axes;
    }
  if (self->places->len > 1)
    {
      CuredAxis *places = make_place_axis (self);

      if (places == NULL)
        return cured_fail (error, CURED_ERROR_INVALID,
                           _ ("the devices of the files can't be told apart by their names"));
      _cured_head_set_places (head, places);
    }
  for (gsize i = 0; i < head->n_axes; i++)
    {
      gint64 length = (gint64) cured_axis_get_length (head->axes[i].values);

      if (n_cells > CURED_PLAN_MAX_CELLS / length)
        return cured_fail (
            error, CURED_ERROR_INVALID,
            _ ("the merged sweep would have more than %" PRId64 " cells; merge fewer files"),
            CURED_PLAN_MAX_CELLS);
      n_cells *= length;
    }
  head->n_cells = n_cells;
  self->report->n_cells = n_cells;
  return TRUE;
}

/* -- Assigning cells to files -- */

static gsize *
map_values (Merge *self, guint axis, const CuredAxis *values)
{
  gsize length = cured_axis_get_length (values);
  gsize *positions = g_new0 (gsize, length + 1);

  for (gsize i = 0; i < length; i++)
    if (!find_value (self, axis, cured_axis_get_value (values, i), &positions[i]))
      g_assert_not_reached ();
  return positions;
}

/* The merged file's index of each of the file's places. */
static gsize *
map_places (Merge *self, const CuredHead *head, gsize length)
{
  gsize *places = g_new0 (gsize, length + 1);

  for (guint i = head->devices->len; i-- > 0;)
    {
      const CuredResultDevice *device = &g_array_index (head->devices, CuredResultDevice, i);

      places[MIN (device->place, length)] = find_place (self, &device->info);
    }
  return places;
}

/* Maps the positions of the file's axes to the merged ones. */
static void
map_source (Merge *self, Source *source)
{
  const CuredHead *head = source->head;
  gsize n_axes = _cured_head_count_parameters (head);
  gboolean is_same = self->places->len == 1 || n_axes < head->n_axes;
  g_autofree gsize *places = NULL;

  source->n_axes = self->head->n_axes;
  source->n_cells = head->n_cells;
  for (gsize i = 0; i < n_axes; i++)
    is_same &= has_same_values (g_ptr_array_index (self->values, (guint) i), head->axes[i].values);
  if (source->n_axes > n_axes)
    {
      gsize length = n_axes < head->n_axes ? cured_axis_get_length (head->axes[n_axes].values) : 1;

      places = map_places (self, head, length);
      for (gsize i = 0; i < length; i++)
        is_same &= places[i] == i && length == self->places->len;
    }
  if (is_same)
    return;
  source->positions = g_new0 (gsize *, source->n_axes + 1);
  for (gsize i = 0; i < n_axes; i++)
    source->positions[i] = map_values (self, (guint) i, head->axes[i].values);
  if (source->n_axes > n_axes)
    source->positions[n_axes] = g_steal_pointer (&places);
}

static gint64
map_cell (const Merge *self, const Source *source, gint64 cell)
{
  const CuredHead *head = source->head;
  gint64 mapped = 0, stride = 1;

  if (source->positions == NULL)
    return cell;
  for (gsize i = self->head->n_axes; i-- > 0;)
    {
      gint64 length = i < head->n_axes ? (gint64) cured_axis_get_length (head->axes[i].values) : 1;

      mapped += (gint64) source->positions[i][cell % length] * stride;
      cell /= length;
      stride *= (gint64) cured_axis_get_length (self->head->axes[i].values);
    }
  return mapped;
}

static void
note_conflict (Merge *self, gint64 cell, guint32 other)
{
  const Source *first = g_ptr_array_index (self->sources, self->owners[cell] - 1);
  const Source *second = g_ptr_array_index (self->sources, other - 1);
  g_autoptr (GString) where = g_string_new (NULL);
  gint64 rest = cell;

  self->report->n_conflicts++;
  if (self->report->conflicts->len >= MAX_NAMED)
    return;
  for (gsize i = self->head->n_axes; i-- > 0;)
    {
      const CuredResultAxis *axis = &self->head->axes[i];
      gint64 length = (gint64) cured_axis_get_length (axis->values);
      g_autofree char *value = cured_axis_format_value (axis->values, (gsize) (rest % length));
      g_autofree char *word = g_strdup_printf ("%s=%s", axis->name, value);

      rest /= length;
      if (length == 1)
        continue;
      if (where->len > 0)
        g_string_prepend_c (where, ' ');
      g_string_prepend (where, word);
    }
  g_ptr_array_add (
      self->report->conflicts,
      /* Translators: a cell, and two files. */
      g_strdup_printf (_ ("%s: in %s and in %s"), where->str, first->path, second->path));
}

static gboolean
is_better (const Merge *self, gint64 cell, CuredState state, gint64 stamp)
{
  /* Cells that can't be launched were not measured, so can't conflict. */
  if (self->states[cell] == CURED_STATE_NOT_LAUNCHABLE)
    return TRUE;
  if (state == CURED_STATE_NOT_LAUNCHABLE)
    return FALSE;
  return (self->rule == CURED_MERGE_NEWEST && stamp > self->stamps[cell]) ||
         (self->rule == CURED_MERGE_OLDEST && stamp < self->stamps[cell]);
}

static void
claim_cell (Merge *self, guint32 owner, gint64 cell, CuredState state, gint64 stamp)
{
  if (self->owners[cell] != 0)
    {
      if (state == CURED_STATE_NOT_LAUNCHABLE && self->states[cell] == CURED_STATE_NOT_LAUNCHABLE)
        return;
      if (self->stamps[cell] == stamp && self->states[cell] == (guint8) state)
        {
          self->report->n_repeated++;
          return;
        }
      note_conflict (self, cell, owner);
      if (!is_better (self, cell, state, stamp))
        return;
    }
  self->owners[cell] = owner;
  self->states[cell] = (guint8) state;
  self->stamps[cell] = stamp;
}

static void
claim_cells (Merge *self, guint index)
{
  Source *source = g_ptr_array_index (self->sources, index);

  map_source (self, source);
  CURED_EACH (const Claim, claim, source->claims)
    {
      claim_cell (self, index + 1, map_cell (self, source, claim->cell), claim->state,
                  claim->stamp);
    }
}

static gboolean
fail_conflicts (Merge *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->report->conflicts->len && i < 5; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "",
                            (char *) g_ptr_array_index (self->report->conflicts, i));
  return cured_fail (
      error, CURED_ERROR_INVALID,
      g_dngettext (GETTEXT_PACKAGE,
                   "%d cell was measured twice with different results (%s). Say which "
                   "measurement is taken: --on-conflict newest, oldest or first.",
                   "%d cells were measured twice with different results (%s). Say which "
                   "measurement is taken: --on-conflict newest, oldest or first.",
                   (gulong) self->report->n_conflicts),
      (int) MIN (self->report->n_conflicts, G_MAXINT), text->str);
}

/* -- writing -- */

/* map_cell (cell): the merged number of a cell of the attached file; NULL if it is not taken from
 * it. */
static void
map_cell_func (sqlite3_context *context, int n, sqlite3_value **arguments)
{
  const Merge *self = sqlite3_user_data (context);
  const Source *source = g_ptr_array_index (self->sources, self->copied);
  gint64 cell = sqlite3_value_int64 (arguments[0]);

  if (n != 1 || cell < 0 || cell >= source->n_cells)
    return;
  cell = map_cell (self, source, cell);
  if (self->owners[cell] == self->copied + 1)
    sqlite3_result_int64 (context, cell);
}

/* map_device (device): the merged number of a device of the attached file. */
static void
map_device_func (sqlite3_context *context, int n, sqlite3_value **arguments)
{
  const Merge *self = sqlite3_user_data (context);
  const Source *source = g_ptr_array_index (self->sources, self->copied);
  guint index;

  if (n == 1 &&
      _cured_result_device_find (source->head->devices, sqlite3_value_int64 (arguments[0]), &index))
    sqlite3_result_int64 (context, g_array_index (source->device_numbers, gint64, index));
}

static gboolean
add_functions (Merge *self, CuredDatabase *to, GError **error)
{
  const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;

  return (sqlite3_create_function (to->handle, "map_cell", 1, flags, self, map_cell_func, NULL,
                                   NULL) == SQLITE_OK &&
          sqlite3_create_function (to->handle, "map_device", 1, flags, self, map_device_func, NULL,
                                   NULL) == SQLITE_OK) ||
         _cured_database_fail (to, error);
}

/* Devices and anchors. */
static gboolean
copy_devices (Merge *self, Source *source, CuredDatabase *from, CuredDatabase *to, GError **error)
{
  GArray *devices = source->head->devices;
  g_autoptr (GArray) anchors = _cured_database_read_anchors (from, devices, error);

  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceInfo *info = &g_array_index (devices, CuredResultDevice, i).info;
      gint64 number;

      if (!_cured_database_add_device (to, info, find_place (self, info), &number, error))
        return FALSE;
      g_array_append_val (source->device_numbers, number);
    }
  for (guint i = 0; anchors != NULL && i < anchors->len; i++)
    {
      CuredAnchor anchor = g_array_index (anchors, CuredAnchor, i);

      if (anchor.cell < 0 || anchor.cell >= source->n_cells)
        continue;
      anchor.cell = map_cell (self, source, anchor.cell);
      if (!_cured_database_add_anchor (
              to, g_array_index (source->device_numbers, gint64, (guint) anchor.device), &anchor,
              error))
        return FALSE;
    }
  return anchors != NULL;
}

static gboolean
copy_metrics (CuredDatabase *from, CuredDatabase *to, GError **error)
{
  g_autoptr (GArray) numbers = NULL, metrics = _cured_database_read_metrics (from, &numbers, error);
  g_autoptr (sqlite3_stmt) find =
      _cured_database_prepare (to, "SELECT 1 FROM main.metric WHERE id = ?1", error);

  for (guint i = 0; metrics != NULL && i < metrics->len; i++)
    {
      const CuredMetricInfo *info = &g_array_index (metrics, CuredMetricInfo, i);
      gint64 number;

      if (find != NULL)
        _cured_database_bind_text (find, 1, info->id);
      int has_row = _cured_database_next (to, find, error);
      sqlite3_reset (find);
      if (has_row < 0 || (has_row == 0 && !_cured_database_add_metric (to, info, &number, error)))
        return FALSE;
    }
  return metrics != NULL && find != NULL;
}

/* Appends a file's note to those of earlier files. */
static gboolean
add_file_remark (CuredDatabase *to, const char *text, GError **error)
{
  g_autoptr (GArray) before = _cured_database_read_remarks (to, 0, error);

  if (before == NULL)
    return FALSE;
  g_autofree char *all =
      before->len > 0 ? g_strconcat (g_array_index (before, CuredRemark, 0).text, "\n", text, NULL)
                      : g_strdup (text);
  g_autofree char *short_enough = _cured_text_shorten (all, CURED_REMARK_BYTES);
  return _cured_database_write_remark (to, CURED_REMARK_OF_FILE, short_enough, error);
}

/* Copies notes on the file, and on cells that are taken from it. */
static gboolean
copy_remarks (const Source *source, CuredDatabase *from, CuredDatabase *to, GError **error)
{
  g_autoptr (GArray) remarks = _cured_database_read_remarks (from, source->head->n_cells, error);

  for (guint i = 0; remarks != NULL && i < remarks->len; i++)
    {
      const CuredRemark *remark = &g_array_index (remarks, CuredRemark, i);

      if (remark->cell < 0)
        {
          if (!add_file_remark (to, remark->text, error))
            return FALSE;
          continue;
        }
      g_autoptr (sqlite3_stmt) find =
          _cured_database_query (to, error, "SELECT map_cell (?1)", "i", remark->cell);
      if (_cured_database_next (to, find, error) <= 0)
        return FALSE;
      if (sqlite3_column_type (find, 0) != SQLITE_NULL &&
          !_cured_database_write_remark (to, sqlite3_column_int64 (find, 0), remark->text, error))
        return FALSE;
    }
  return remarks != NULL;
}

/* Copies the rows of all cells that are taken from the attached file. */
static gboolean
copy_cells (const Source *source, CuredDatabase *to, GError **error)
{
  static const CuredRows *const tables[] = {
    &_cured_rows_cell,    &_cured_rows_sample_set, &_cured_rows_sample, &_cured_rows_mismatch,
    &_cured_rows_finding, &_cured_rows_launch,     &_cured_rows_site,   &_cured_rows_buffer,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *columns = _cured_rows_list_columns (tables[i]);
      /* The first column is the cell. */
      g_autofree char *sql =
          g_strdup_printf ("INSERT INTO main.%s SELECT map_cell (cell)%s FROM source.%s WHERE "
                           "map_cell (cell) IS NOT "
                           "NULL ORDER BY cell",
                           tables[i]->name, columns + strlen ("cell"), tables[i]->name);

      if (!_cured_database_exec (to, sql, error))
        return FALSE;
    }
  /* A file with one device need not name it for each cell. */
  return _cured_database_exec (
             to,
             "INSERT INTO main.cell_device SELECT map_cell (cell), round, map_device (device) FROM "
             "source.cell_device WHERE map_cell (cell) IS NOT NULL AND map_device (device) IS NOT "
             "NULL;INSERT INTO temp.gathered SELECT n.metric, map_cell (m.cell), m.value FROM "
             "source.metric AS s JOIN main.metric AS n USING (id) JOIN source.measurement AS m ON "
             "m.metric = s.metric WHERE map_cell (m.cell) IS NOT NULL",
             error) &&
         (source->head->devices->len > 1 ||
          _cured_database_exec (
              to,
              "INSERT OR IGNORE INTO main.cell_device SELECT map_cell (cell), 0, map_device "
              "((SELECT "
              "device FROM source.device)) FROM source.cell WHERE map_cell (cell) IS NOT NULL AND "
              "state <> (SELECT state FROM source.state WHERE name = 'not launchable')",
              error));
}

static gboolean
copy_file (Merge *self, guint index, CuredDatabase *to, GError **error)
{
  Source *source = g_ptr_array_index (self->sources, index);
  g_autoptr (CuredDatabase) from = reopen (self, source, error);

  self->copied = index;
  if (from == NULL || !copy_devices (self, source, from, to, error) ||
      !copy_metrics (from, to, error) || !copy_remarks (source, from, to, error))
    return FALSE;
  g_clear_pointer (&from, _cured_database_close);
  g_clear_pointer (&source->claims, g_array_unref);
  return _cured_database_exec (to, "COMMIT", error) &&
         _cured_database_attach (to, source->path, error) &&
         _cured_database_exec (to, "BEGIN IMMEDIATE", error) && copy_cells (source, to, error) &&
         _cured_database_exec (to, "COMMIT;DETACH source;BEGIN IMMEDIATE", error);
}

static gboolean
write_dates (Merge *self, CuredDatabase *to, GError **error)
{
  g_autofree char *created = _cured_database_format_date (self->head->created);

  return _cured_database_run (to, error,
                              "UPDATE sweep SET created = ?1, changed = coalesce ((SELECT max "
                              "(finished) FROM cell), changed), finished = ?2",
                              "ti", created, (gint64) (self->report->n_missing == 0));
}

static gboolean
fill (CuredStore *store, gpointer data, GError **error)
{
  Merge *self = data;
  CuredDatabase *to = _cured_store_get_database (store);

  _cured_database_set_cancellable (to, self->cancellable);
  if (!_cured_database_exec (to, BEGIN_PRAGMAS, error) || !add_functions (self, to, error))
    return FALSE;
  for (guint i = 0; i < self->sources->len; i++)
    if (!copy_file (self, i, to, error))
      return FALSE;
  return _cured_database_exec (to,
                               "INSERT INTO measurement SELECT metric, cell, value FROM "
                               "temp.gathered ORDER BY metric, "
                               "cell;" END_PRAGMAS,
                               error) &&
         _cured_database_write_notes (to, error) && write_dates (self, to, error);
}

static CuredMergeReport *
report_new (void)
{
  CuredMergeReport *self =
      CURED_NEW (CuredMergeReport, .conflicts = g_ptr_array_new_with_free_func (g_free),
                 .differences = g_ptr_array_new_with_free_func (g_free));

  return self;
}

CURED_DEFINE_FREE (CuredMergeReport, cured_merge_report_free, conflicts, g_ptr_array_unref,
                   differences, g_ptr_array_unref)

/* @paths: (array zero-terminated=1): result files of one kernel, at least one; must not be written
 *   meanwhile
 * @out_path: the file to write; not one of @paths
 * @rule: which measurement to take of a cell that two files have
 * @accept: differences of the files to accept
 * @overwrite: replace an existing file
 * @cancellable: (nullable): cancels with G_IO_ERROR_CANCELLED
 *
 * Merges files, keeping each cell's samples, findings, date and device. If the files'
 * devices are of several kinds, the kind becomes an axis. A cell that a file has twice
 * with the same date and state is one measurement. Blocks. After an error there is no new
 * file.
 *
 * Fails with CURED_ERROR_INVALID where the files are not of one sweep, or a cell was measured twice
 * and @rule is %CURED_MERGE_REFUSE; otherwise as cured_result_load() and cured_store_create() do.
 * Returns: (transfer full) (nullable): a report */
CuredMergeReport *
cured_merge (const char *const *paths, const char *out_path, CuredMergeRule rule,
             CuredMergeAccept accept, gboolean overwrite, GCancellable *cancellable, GError **error)
{
  g_auto (Merge) self = { 0 };
  g_autoptr (CuredMergeReport) report = report_new ();

  g_return_val_if_fail (paths != NULL && paths[0] != NULL && out_path != NULL, NULL);

  self.paths = paths;
  self.rule = rule;
  self.accept = accept;
  self.cancellable = cancellable;
  self.report = report;
  self.values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  self.places = g_ptr_array_new_with_free_func (g_free);
  self.sources = g_ptr_array_new_with_free_func (source_free);
  self.lookups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  self.devices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!read_files (&self, error) || !make_axes (&self, error))
    return NULL;
  self.owners = g_new0 (guint32, (gsize) self.head->n_cells);
  self.stamps = g_new0 (gint64, (gsize) self.head->n_cells);
  self.states = g_new0 (guint8, (gsize) self.head->n_cells);
  for (guint i = 0; i < self.sources->len; i++)
    claim_cells (&self, i);
  if (report->n_conflicts > 0 && rule == CURED_MERGE_REFUSE)
    {
      fail_conflicts (&self, error);
      return NULL;
    }
  for (gint64 cell = 0; cell < report->n_cells; cell++)
    if (self.owners[cell] != 0)
      report->n_written++;
    else
      report->n_missing++;
  self.head->finished = FALSE;
  if (!_cured_store_write (out_path, self.head, overwrite, fill, &self, error))
    return NULL;
  return g_steal_pointer (&report);
}

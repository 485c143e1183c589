/* SPDX-License-Identifier: MIT
 * A result file in a list, with a thumbnail of its map. */
#include <config.h>

#include "folder/cured-gui-folder.h"

#include <math.h>
#include <string.h>
#include <glib/gstdio.h>

/* Size of the picture in pixels: the displayed size at a scale of 4/3. */
#define WIDTH  96
#define HEIGHT 64

/* Maximum summaries kept in memory, of about 30 kB each. */
#define MAX_KNOWN 1200

#define MAX_LINE_BYTES 400

struct _CuredSummary
{
  GObject parent_instance;

  /* Owned */
  char *path, *name;
  CuredFacts *facts; /* nullable: not read yet */

  /* Of the file as it was read. */
  gint64 mtime_us, size;
};

G_DEFINE_FINAL_TYPE (CuredSummary, cured_summary, G_TYPE_OBJECT)

/* (element-type filename CuredSummary): cache by path */
static GHashTable *known;

CURED_FREE_FUNC (CuredFacts, facts_free, error, g_free, title, g_free, kernel_id, g_free, device,
                 g_free, created, g_date_time_unref, best, g_free, picture, g_object_unref)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredFacts, facts_free)

/* ---- In a thread ---- */

/* The input and the output of a thread. */
typedef struct
{
  CuredSummary *summary; /* the thread only uses the path */
  CuredFacts *facts;     /* nullable: the file is unchanged */
  gint64 mtime_us, size;
  void (*read) (gpointer owner);
} Reading;

CURED_FREE_FUNC (Reading, reading_free, summary, g_object_unref, facts, facts_free)

/* The map without axes, a few pixels wide. */
static GdkTexture *
draw (const CuredGrid *grid)
{
  guint32 *pixels = g_new (guint32, WIDTH * HEIGHT);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        gsize column = (gsize) x * grid->nx / WIDTH;
        gsize row = (gsize) (HEIGHT - 1 - y) * grid->ny / HEIGHT;
        double value = grid->values[row * grid->nx + column];

        pixels[y * WIDTH + x] =
            isnan (value)
                ? 0x66333333
                : cured_colour_map_get_pixel (grid->colours, cured_grid_get_position (grid, value));
      }
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, WIDTH * HEIGHT * sizeof (guint32));
  return gdk_memory_texture_new (WIDTH, HEIGHT, GDK_MEMORY_DEFAULT, bytes,
                                 WIDTH * sizeof (guint32));
}

/* Makes a single valid line, of limited length, of untrusted text. */
static char *
make_line (const char *text)
{
  g_autofree char *start = g_strndup (text, MAX_LINE_BYTES);
  char *line = g_utf8_make_valid (start, -1);

  g_strdelimit (line, "\n\r\t", ' ');
  return line;
}

static void
find_best (CuredFacts *facts, CuredResult *result, gsize metric)
{
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, NULL);

  facts->best_ns = NAN;
  facts->origin = metrics[metric].origin;
  if (g_strcmp0 (metrics[metric].unit, "ns") != 0)
    return;
  gint64 best = cured_result_find_best (result, metric);
  if (best < 0)
    return;
  /* All files in a list have the same number of digits. */
  facts->best_ns = cured_result_get_value (result, best, metric);
  facts->best = cured_format_quantity (facts->best_ns, metrics[metric].unit);
}

/* Reads a file; one that is not a result, or exceeds the loader's limits, gets an error. */
static CuredFacts *
read_facts (const char *path, GCancellable *cancellable)
{
  g_autoptr (CuredFacts) facts = g_new0 (CuredFacts, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, cancellable, &error);
  g_auto (CuredView) view = { 0 };

  facts->best_ns = NAN;
  if (result != NULL)
    {
      cured_view_init (&view, result);
      cured_result_load_column (result, view.metric, cancellable, &error);
    }
  if (error != NULL)
    {
      facts->error = make_line (error->message);
      return g_steal_pointer (&facts);
    }
  GDateTime *created = cured_result_get_created (result);
  facts->title = make_line (cured_kernel_translate (cured_result_get_title (result)));
  facts->kernel_id = make_line (cured_result_get_kernel_id (result));
  g_autofree char *device = cured_text_device (cured_result_get_device (result));
  facts->device = make_line (device);
  facts->created = created != NULL ? g_date_time_ref (created) : NULL;
  facts->n_cells = cured_result_get_n_cells (result);
  find_best (facts, result, view.metric);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  facts->picture = draw (grid);
  return g_steal_pointer (&facts);
}

static void
read_work (CuredTask *task)
{
  Reading *self = task->input;
  GStatBuf status;
  gint64 mtime_us = 0;
  gint64 size = 0;

  if (g_stat (self->summary->path, &status) == 0)
    {
      mtime_us = (gint64) status.st_mtim.tv_sec * G_USEC_PER_SEC + status.st_mtim.tv_nsec / 1000;
      size = (gint64) status.st_size;
    }
  if (mtime_us != self->mtime_us || size != self->size)
    self->facts = read_facts (self->summary->path, task->cancellable);
  self->mtime_us = mtime_us;
  self->size = size;
}

static void
read_cb (gpointer owner, CuredTask *task)
{
  Reading *reading = task->input;
  CuredSummary *self = reading->summary;

  if (reading->facts != NULL)
    {
      g_clear_pointer (&self->facts, facts_free);
      self->facts = g_steal_pointer (&reading->facts);
      self->mtime_us = reading->mtime_us;
      self->size = reading->size;
      g_signal_emit_by_name (self, "read");
    }
  if (reading->read != NULL)
    reading->read (owner);
}

/* Low priority: after tasks that the user waits for. */
static const CuredTaskKind read_task = {
  .work = read_work, .done = read_cb, .free_input = reading_free, .priority = G_PRIORITY_LOW
};

/* ---- The summary ---- */

static void
cured_summary_class_init (CuredSummaryClass *klass)
{
  cured_class_add_signal (klass, "read", 0);
  CURED_FREES (CuredSummary, g_free, path, name);
  CURED_FREES (CuredSummary, facts_free, facts);
}

static void
cured_summary_init (CuredSummary *self)
{
  /* No file has this size. */
  self->size = -1;
}

/* Returns: (transfer full): the summary of a path, from the cache if it was listed before */
CuredSummary *
cured_summary_get (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  CuredSummary *self = g_hash_table_lookup (known, path);
  if (self != NULL)
    return g_object_ref (self);
  /* Lists hold references to theirs. */
  if (g_hash_table_size (known) >= MAX_KNOWN)
    g_hash_table_remove_all (known);
  self = g_object_new (CURED_TYPE_SUMMARY, NULL);
  self->path = g_strdup (path);
  self->name = g_filename_display_name (base);
  if (g_str_has_suffix (self->name, ".cured"))
    self->name[strlen (self->name) - strlen (".cured")] = '\0';
  g_hash_table_insert (known, self->path, g_object_ref (self));
  return self;
}

CURED_GETTER (const char *, cured_summary_get_path, CuredSummary, path)

CURED_GETTER (const char *, cured_summary_get_name, CuredSummary, name)

/* Returns: (nullable): the facts; NULL: not read yet */
CURED_GETTER (const CuredFacts *, cured_summary_get_facts, CuredSummary, facts)

/* Returns: (transfer full): a line about the file, or its error */
char *
cured_summary_describe (CuredSummary *self)
{
  if (self->facts == NULL)
    return g_strdup (_ ("Reading…"));
  if (self->facts->error != NULL)
    return g_strdup (self->facts->error);
  g_autofree char *cells = cured_format_count (self->facts->n_cells);
  g_autofree char *date =
      self->facts->created != NULL ? cured_format_date (self->facts->created) : g_strdup ("");
  return g_strdup_printf (
      /* Translators: a kernel's id, a device's name, how many cells there are and a date, as in
       * "matmul/tiled · NVIDIA H200 · 252 cells · 2026-11-22". */
      ngettext ("%s · %s · %s cell · %s", "%s · %s · %s cells · %s", (gulong) self->facts->n_cells),
      self->facts->kernel_id, self->facts->device, cells, date);
}

/* Returns: whether the file's name, description or title contain every word */
gboolean
cured_summary_matches (CuredSummary *self, char **words)
{
  g_autofree char *line = cured_summary_describe (self);
  g_autofree char *all =
      g_strjoin (" ", self->name, line,
                 self->facts != NULL && self->facts->title != NULL ? self->facts->title : "", NULL);
  g_autofree char *folded = g_utf8_casefold (all, -1);

  for (; *words != NULL; words++)
    if (strstr (folded, *words) == NULL)
      return FALSE;
  return TRUE;
}

/* Reads the file in a thread if it changed since it was last read; emits `read` for new facts.
 * @read (nullable) is called in any case. */
void
cured_summary_read (CuredSummary *self, CuredTask **slot, gpointer owner,
                    void (*read) (gpointer owner))
{
  Reading *reading = g_new0 (Reading, 1);

  *reading = (Reading){
    .summary = g_object_ref (self), .mtime_us = self->mtime_us, .size = self->size, .read = read
  };
  cured_task_start (slot, owner, &read_task, reading);
}

/* SPDX-License-Identifier: MIT
 * The SQLite side of a result file: opening, errors, rows by field tables, and a file's data about
 * the whole sweep. */
#pragma once

#include <gio/gio.h>
#include <sqlite3.h>

#include "base/cured-fields.h"
#include "measure/cured-anchor.h"
#include "measure/cured-outcome.h"
#include "plan/cured-plan.h"
#include "store/cured-result.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

/* Far more than a cluster has, but cheap. */
#define CURED_STORE_MAX_DEVICES 16384

typedef struct
{
  sqlite3 *handle;           /* the connection; only the owner's thread uses it */
  char *path;                /* as given by the user */
  char *name;                /* the path for messages, valid UTF-8 */
  GCancellable *cancellable; /* (nullable): checked every few thousand instructions */
  GHashTable *statements; /* (element-type utf8 sqlite3_stmt): cached statements, by their text */
  guint n_calls;          /* number of checks since the statement began */
  gboolean is_preparing;  /* a statement is being prepared, which may read the schema */
  gboolean is_new;        /* it is renamed to its own name once complete; deleted after an error */
} CuredDatabase;

CuredDatabase *_cured_database_connect (const char *path, gboolean writable, GError **error);
CuredDatabase *_cured_database_open (const char *path, gboolean writable, GError **error);
CuredDatabase *_cured_database_create (const char *path, GError **error);
void _cured_database_close (CuredDatabase *self);
void _cured_database_set_cancellable (CuredDatabase *self, GCancellable *cancellable);
gboolean _cured_database_fail (CuredDatabase *self, GError **error);
gboolean _cured_database_damaged (CuredDatabase *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean _cured_database_exec (CuredDatabase *self, const char *sql, GError **error);
gboolean _cured_database_attach (CuredDatabase *self, const char *path, GError **error);
sqlite3_stmt *_cured_database_prepare (CuredDatabase *self, const char *sql, GError **error);
int _cured_database_next (CuredDatabase *self, sqlite3_stmt *statement, GError **error);
gboolean _cured_database_check_order (CuredDatabase *self, sqlite3_stmt *statement, int column,
                                      gint64 *last, GError **error);
gboolean _cured_database_step (CuredDatabase *self, sqlite3_stmt *statement, GError **error);
gboolean _cured_database_run (CuredDatabase *self, GError **error, const char *sql,
                              const char *types, ...);
sqlite3_stmt *_cured_database_query (CuredDatabase *self, GError **error, const char *sql,
                                     const char *types, ...);
gboolean _cured_database_look_up (CuredDatabase *self, const char *sql, gint64 key, gint64 *value,
                                  GError **error);
gboolean _cured_database_get_integer (CuredDatabase *self, const char *sql, gint64 *value,
                                      GError **error);
/* Limits: names and titles, which are shown on a line; summaries. */
#define CURED_NAME_BYTES    1000
#define CURED_SUMMARY_BYTES 4096

char *_cured_database_dup_text (sqlite3_stmt *statement, int column, gsize most);
double _cured_database_get_double (sqlite3_stmt *statement, int column);
void _cured_database_bind_double (sqlite3_stmt *statement, int parameter, double value);
void _cured_database_bind_text (sqlite3_stmt *statement, int parameter, const char *text);
char *_cured_database_format_date (GDateTime *date);
char *_cured_database_now (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDatabase, _cured_database_close)

/* A table of a result file, made from a field table. */
typedef struct
{
  const char *name;            /* name of the table */
  const char *const *keys;     /* (array zero-terminated=1): integer columns before the fields */
  const CuredRecordInfo *info; /* the fields */
  const char *end;             /* SQL behind the columns */
  gboolean is_replaced;        /* writing replaces a row of the same key */
} CuredRows;

extern const CuredRows _cured_rows_cell;
extern const CuredRows _cured_rows_sample_set;
extern const CuredRows _cured_rows_sample;
extern const CuredRows _cured_rows_mismatch;
extern const CuredRows _cured_rows_finding;
extern const CuredRows _cured_rows_launch;
extern const CuredRows _cured_rows_site;
extern const CuredRows _cured_rows_buffer;
extern const CuredRows _cured_rows_anchor;
extern const CuredRows _cured_rows_note;
extern const CuredRows _cured_rows_metric;
extern const CuredRows _cured_rows_sweep;
extern const CuredRows _cured_rows_kernel;
extern const CuredRows _cured_rows_axis;
const CuredRows *const *_cured_rows_list (void);

gboolean _cured_rows_create (CuredDatabase *self, const CuredRows *rows, GError **error);
char *_cured_rows_list_columns (const CuredRows *rows);
gboolean _cured_rows_insert (CuredDatabase *self, const CuredRows *rows, const gint64 *keys,
                             gconstpointer of, GError **error);
sqlite3_stmt *_cured_rows_select (CuredDatabase *self, const CuredRows *rows, const char *rest,
                                  GError **error);
sqlite3_stmt *_cured_rows_select_of (CuredDatabase *self, const CuredRows *rows, const char *rest,
                                     gint64 cell, GError **error);
gboolean _cured_rows_get (CuredDatabase *self, const CuredRows *rows, sqlite3_stmt *statement,
                          gpointer of, GError **error);
gboolean _cured_rows_take (CuredDatabase *self, const CuredRows *rows, sqlite3_stmt *statement,
                           GPtrArray *into, GError **error);
gboolean _cured_rows_read (CuredDatabase *self, const CuredRows *rows, gint64 cell, GPtrArray *into,
                           GError **error);

/* A file's data about the whole sweep. The strings of @axes are owned. @imported is the id of the
 * format that the file was imported from; NULL: Cured measured it. @devices are all devices that
 * measured, @device is a copy of the first. The file is for shard @shard of @n_shards, from 1; 0:
 * for all. */
typedef struct
{
  char *cured_version, *kernel_id, *title, *source, *imported;
  GDateTime *created, *changed;
  gboolean finished;
  CuredDeviceInfo device;
  GArray *devices; /* (element-type CuredResultDevice) */
  int shard, n_shards;
  CuredOptions options;
  CuredResultAxis *axes;
  gsize n_axes;
  gint64 n_cells;
} CuredHead;

char *_cured_head_get_source (CuredSpec *spec);
CuredHead *_cured_head_new (CuredPlan *plan, const CuredDeviceInfo *device);
void _cured_head_set_places (CuredHead *self, CuredAxis *places);
void _cured_head_add_device (CuredHead *self, CuredPlan *plan, const CuredDeviceInfo *device);
gsize _cured_head_count_parameters (const CuredHead *self);
CuredHead *_cured_head_read (CuredDatabase *database, GError **error);
gboolean _cured_head_write (const CuredHead *self, CuredDatabase *database, CuredPlan *plan,
                            GError **error);
void _cured_head_free (CuredHead *self);
gboolean _cured_database_is_of (CuredDatabase *self, GDateTime *created, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredHead, _cured_head_free)

/* Metrics */
GArray *_cured_database_read_metrics (CuredDatabase *self, GArray **numbers, GError **error);
void _cured_metric_clear (gpointer info);
gboolean _cured_database_register_metrics (CuredDatabase *self, gint64 *numbers, GError **error);
gboolean _cured_database_add_metric (CuredDatabase *self, const CuredMetricInfo *metric,
                                     gint64 *number, GError **error);

/* Cells */
guint8 *_cured_database_read_states (CuredDatabase *self, gint64 n_cells, GError **error);
gboolean _cured_database_read_figures (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                                       GError **error);
gboolean _cured_database_read_outcome (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                                       GError **error);
gboolean _cured_database_read_work (CuredDatabase *self, gint64 cell, CuredWorkload **work,
                                    GError **error);
gboolean _cured_database_write_outcome (CuredDatabase *self, gint64 cell,
                                        const CuredOutcome *outcome, const gint64 *metric_numbers,
                                        GError **error);
gboolean _cured_database_write_figures (CuredDatabase *self, gint64 cell,
                                        const CuredOutcome *outcome, const gint64 *metric_numbers,
                                        GError **error);
gboolean _cured_database_write_samples (CuredDatabase *self, gint64 cell,
                                        const CuredSamples *samples, guint first, GError **error);
gboolean _cured_database_delete_cell (CuredDatabase *self, gint64 cell, GError **error);

/* Devices */
gboolean _cured_database_create_devices (CuredDatabase *self, GError **error);
gboolean _cured_database_add_device (CuredDatabase *self, const CuredDeviceInfo *device,
                                     gsize place, gint64 *number, GError **error);
GArray *_cured_database_read_devices (CuredDatabase *self, GError **error);
gboolean _cured_database_read_cell_devices (CuredDatabase *self, GArray *devices, gint64 n_cells,
                                            guint16 **indices, GError **error);
gboolean _cured_database_add_anchor (CuredDatabase *self, gint64 number, const CuredAnchor *anchor,
                                     GError **error);
GArray *_cured_database_read_anchors (CuredDatabase *self, GArray *devices, GError **error);
gboolean _cured_database_write_notes (CuredDatabase *self, GError **error);
GArray *_cured_database_read_notes (CuredDatabase *self, GArray *devices, GError **error);
gboolean _cured_result_device_find (GArray *devices, gint64 number, guint *index);
GArray *_cured_result_devices_new (void);

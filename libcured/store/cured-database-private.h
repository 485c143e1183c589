/* SPDX-License-Identifier: MIT
 * The SQLite side of a result file: opening, errors, schema, and what it says about the sweep as a
 * whole. */
#pragma once

#include <gio/gio.h>
#include <sqlite3.h>

#include "measure/cured-anchor.h"
#include "measure/cured-outcome.h"
#include "plan/cured-plan.h"
#include "store/cured-result.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

/**
 * CuredDatabase:
 * @handle: the connection; no other than its owner's thread uses it
 * @path: as the user wrote it
 * @name: the same for messages, valid UTF-8
 * @cancellable: (nullable): asked every few thousand instructions
 * @n_calls: how often it was asked since the statement began
 * @is_preparing: a statement is prepared, which may read the schema
 * @is_new: it gets its own name when it is whole; after an error there is none
 */
typedef struct
{
  sqlite3 *handle;
  char *path;
  char *name;
  GCancellable *cancellable;
  guint n_calls;
  gboolean is_preparing;
  gboolean is_new;
} CuredDatabase;

CuredDatabase *_cured_database_open (const char *path, gboolean writable, GError **error);
CuredDatabase *_cured_database_create (const char *path, GError **error);
void _cured_database_close (CuredDatabase *self);
void _cured_database_set_cancellable (CuredDatabase *self, GCancellable *cancellable);
gboolean _cured_database_fail (CuredDatabase *self, GError **error);
gboolean _cured_database_damaged (CuredDatabase *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean _cured_database_exec (CuredDatabase *self, const char *sql, GError **error);
sqlite3_stmt *_cured_database_prepare (CuredDatabase *self, const char *sql, GError **error);
gboolean _cured_database_has_table (CuredDatabase *self, const char *name, gboolean *has_table,
                                    GError **error);
gboolean _cured_database_has_column (CuredDatabase *self, const char *table, const char *column,
                                     gboolean *has, GError **error);
gboolean _cured_database_step (CuredDatabase *self, sqlite3_stmt *statement, gboolean *has_row,
                               GError **error);
gboolean _cured_database_check_order (CuredDatabase *self, sqlite3_stmt *statement, int column,
                                      gint64 *last, GError **error);
gboolean _cured_database_run (CuredDatabase *self, sqlite3_stmt *statement, GError **error);
char *_cured_database_dup_text (sqlite3_stmt *statement, int column);
double _cured_database_get_double (sqlite3_stmt *statement, int column);
void _cured_database_bind_double (sqlite3_stmt *statement, int parameter, double value);
void _cured_database_bind_text (sqlite3_stmt *statement, int parameter, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDatabase, _cured_database_close)

/**
 * CuredMigration:
 *
 * Brings an open transaction's database from version k to k + 1.
 */
typedef gboolean (*CuredMigration) (CuredDatabase *self, GError **error);

/* Before this version, issue slots of products of matrices were `tensor`, which counts the products
 * now, and `lines` were not the turns of L1. */
#define CURED_STORE_COUNTS_VERSION 7

/* The figures of a cell that were made of these, as a query for their numbers. */
#define CURED_STORE_OLD_COUNTS                                                                     \
  "SELECT metric FROM main.metric WHERE id IN ('slots_tensor', 'slots_control', 'global_lines')"

/* The table that version 2 added. */
extern const char _cured_schema_finding[];

gboolean _cured_database_migrate (CuredDatabase *self, const CuredMigration *migrations,
                                  int version, GError **error);

/**
 * CuredHead:
 *
 * Everything a file says about the sweep as a whole. The strings of @axes are owned. @imported is
 * the id of the format that the file was read from; NULL: Cured measured it. @devices are all that
 * measured, @device is a copy of the first. Cells of a shard are the @shard-th part of @n_shards;
 * 0: all.
 */
typedef struct
{
  char *cured_version;
  char *kernel_id;
  char *title;
  char *source;
  char *imported;
  GDateTime *created;
  GDateTime *changed;
  gboolean finished;
  CuredDeviceInfo device;
  GArray *devices; /* (element-type CuredResultDevice) */
  int shard;
  int n_shards;
  CuredOptions options;
  CuredResultAxis *axes;
  gsize n_axes;
  gint64 n_cells;
} CuredHead;

char *_cured_head_get_source (CuredSpec *spec);
CuredHead *_cured_head_new (CuredPlan *plan, const CuredDeviceInfo *device);
void _cured_head_set_places (CuredHead *self, CuredAxis *places);
void _cured_head_add_device (CuredHead *self, CuredPlan *plan, const CuredDeviceInfo *device);
CuredHead *_cured_head_read (CuredDatabase *database, GError **error);
gboolean _cured_database_is_of (CuredDatabase *self, GDateTime *created, GError **error);
void _cured_head_free (CuredHead *self);
guint8 *_cured_database_read_states (CuredDatabase *self, gint64 n_cells, GError **error);
gboolean _cured_database_write_schema (CuredDatabase *self, const CuredHead *head, CuredPlan *plan,
                                       GError **error);
gboolean _cured_database_register_metrics (CuredDatabase *self, gint64 *numbers, GError **error);
gboolean _cured_database_add_metric (CuredDatabase *self, const CuredMetricInfo *metric,
                                     gint64 *number, GError **error);
gboolean _cured_database_write_views (CuredDatabase *self, GError **error);
gboolean _cured_database_create_work (CuredDatabase *self, GError **error);
gboolean _cured_database_write_work (CuredDatabase *self, gint64 cell, const CuredWorkload *work,
                                     GError **error);
gboolean _cured_database_delete_work (CuredDatabase *self, gint64 cell, GError **error);
gboolean _cured_database_read_work (CuredDatabase *self, gint64 cell, CuredWorkload **work,
                                    GError **error);
char *_cured_database_format_date (GDateTime *date);
char *_cured_database_now (void);

gboolean _cured_database_create_devices (CuredDatabase *self, GError **error);
gboolean _cured_database_migrate_devices (CuredDatabase *self, GError **error);
gboolean _cured_database_migrate_rounds (CuredDatabase *self, GError **error);
gboolean _cured_database_read_figures (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                                       GError **error);
gboolean _cured_database_read_outcome (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                                       GError **error);
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
void _cured_result_device_clear (gpointer self);
void _cured_device_note_clear (gpointer self);
const char *_cured_stop_to_string (CuredStop stop);
CuredStop _cured_stop_from_string (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredHead, _cured_head_free)

G_END_DECLS

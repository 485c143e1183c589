/* SPDX-License-Identifier: MIT
 * What the readers of foreign files share: JSON that may be cut, and tables that become result
 * files. */
#pragma once

#include <json-glib/json-glib.h>

#include "measure/cured-outcome.h"
#include "import/cured-import.h"
#include "store/cured-store-internal.h"

G_BEGIN_DECLS

typedef struct _CuredImportTable CuredImportTable;

/**
 * CuredImportReader:
 * @format: of the file
 * @path: the file
 * @name: the same for messages, valid UTF-8
 * @options: what to read of it
 * @parser: owns @root
 * @root: the file
 * @tables: (element-type CuredImportTable): what became of it
 * @notes: (element-type utf8): for people
 * @is_cut: the end of the file is missing
 * @n_skipped: records that the options leave out
 */
struct _CuredImportReader
{
  const CuredImportFormat *format;
  const char *path;
  char *name;
  const CuredImportOptions *options;
  JsonParser *parser;
  JsonObject *root;
  GPtrArray *tables;
  GPtrArray *notes;
  gboolean is_cut;
  guint n_skipped;
};

/**
 * CuredImportCell:
 *
 * A record that becomes a cell: @outcome is what the cell will be, and the functions that take a
 * cell add figures to it.
 */
typedef struct
{
  CuredImportReader *reader;
  CuredImportTable *table;
  CuredStore *store;
  gint64 number;
  CuredOutcome *outcome;
  GArray *extras; /* private */
  GError *error;  /* private */
} CuredImportCell;

typedef void (*CuredImportInterpret) (CuredImportCell *cell, JsonObject *record);

extern const CuredImportFormat _cured_import_nvbench;
extern const CuredImportFormat _cured_import_kernel_tuner;
extern const CuredImportFormat _cured_import_t4;

/* JSON */
gboolean _cured_import_parse (CuredImportReader *self, gboolean may_be_cut,
                              GCancellable *cancellable, GError **error);
gboolean _cured_import_fail (const CuredImportReader *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean _cured_import_get_array (const CuredImportReader *self, JsonObject *object,
                                  const char *place, const char *member, JsonArray **array,
                                  GError **error);
gboolean _cured_import_get_object (const CuredImportReader *self, JsonObject *object,
                                   const char *place, const char *member, JsonObject **found,
                                   GError **error);
JsonObject *_cured_import_get_element (const CuredImportReader *self, JsonArray *array, guint index,
                                       const char *place, GError **error);
const char *_cured_import_get_string (JsonObject *object, const char *member);
double _cured_import_get_number (JsonObject *object, const char *member);
double _cured_import_to_number (JsonNode *node);

/* Tables */
CuredImportTable *_cured_import_add_table (CuredImportReader *self, const char *label,
                                           const char *name, CuredImportInterpret interpret);
CuredDeviceInfo *_cured_import_get_device (CuredImportTable *self);
void _cured_import_set_sorted (CuredImportTable *self);
void _cured_import_add_axis (CuredImportTable *self, const char *name, CuredParameterKind kind);
void _cured_import_list_value (CuredImportTable *self, const char *axis, JsonNode *value);
void _cured_import_begin_record (CuredImportTable *self, JsonObject *record);
void _cured_import_set_value (CuredImportTable *self, const char *axis, CuredParameterKind kind,
                              JsonNode *value);
gboolean _cured_import_end_record (CuredImportReader *self, CuredImportTable *table,
                                   GError **error);

/* Cells */
void _cured_import_set_metric (CuredImportCell *self, CuredMetric metric, double value);
void _cured_import_set_extra (CuredImportCell *self, const char *id, const char *title,
                              const char *description, const char *unit, CuredBetter better,
                              double value);
double _cured_import_scale_unit (const char **unit);
void _cured_import_set_named (CuredImportCell *self, const char *name, const char *unit,
                              double value);
void _cured_import_add_sample (CuredImportCell *self, double time_ns, double sm_clock_hz);
void _cured_import_set_date (CuredImportCell *self, JsonObject *record);
void _cured_import_drop (CuredImportCell *self, const char *what);
void _cured_import_finish_times (CuredImportCell *self);

G_END_DECLS

/* SPDX-License-Identifier: MIT
 * Definitions shared by the importers: JSON that may be truncated, and tables that become result
 * files. */
#pragma once

#include <json-glib/json-glib.h>

#include "measure/cured-outcome.h"
#include "import/cured-import.h"
#include "store/cured-store-internal.h"

typedef struct _CuredImportTable CuredImportTable;

/* Formats are recognized by this many bytes at the beginning. */
#define CURED_IMPORT_HEAD_BYTES ((gsize) 64 * 1024)

typedef enum
{
  CURED_IMPORT_AS_UNKNOWN,
  CURED_IMPORT_AS_PARAMETER,
  CURED_IMPORT_AS_FIGURE,
  CURED_IMPORT_AS_CPU_TIME, /* the time if there is no other */
  CURED_IMPORT_AS_STATE,
  CURED_IMPORT_AS_VERDICT, /* whether the result was right */
  CURED_IMPORT_AS_TITLE,   /* of what was measured */
  CURED_IMPORT_AS_DEVICE,
  CURED_IMPORT_AS_ARCH,     /* "9.0" */
  CURED_IMPORT_AS_KEY,      /* distinguishes points */
  CURED_IMPORT_AS_KEY_NAME, /* name of the figure in another column */
  CURED_IMPORT_IGNORED,
} CuredImportUse;

/* A column of a table. */
typedef struct
{
  char *name;
  guint index; /* of the reader's columns */
  CuredImportUse use;
  CuredParameterKind kind; /* of a parameter */
  int metric;              /* CuredMetric of the numbers times @scale; -1: named by @label */
  double scale;
  char *label;         /* the name without the unit */
  const char *unit;    /* of the numbers */
  gboolean is_assumed; /* its unit is */
} CuredImportColumn;

/* A row of a table, small, since a file may have a million. */
typedef struct
{
  guint column;   /* its index */
  JsonNode *node; /* which other rows and the parser may share */
} CuredImportField;

typedef struct
{
  guint n_fields;
  CuredImportField *fields; /* by column; those without a value are left out */
} CuredImportRow;

/* A format's known column; a "*" at the end matches any rest of the name. */
typedef struct
{
  const char *column;
  CuredImportUse use;
  int metric;
  double scale;
} CuredImportKnown;

/* How rows become cells. */
typedef struct
{
  const CuredImportKnown *known;
  const char *const *after;  /* parameters are behind the last of these columns… */
  const char *const *before; /* …and before the first of these; NULL: to be guessed */
  gboolean says_unit;        /* unit if none is given */

  /* For rows with one figure each: columns with its name, unit and value. */
  const char *name_column, *unit_column, *value_column;
  const CuredImportKnown *figures;
} CuredImportFlat;

struct _CuredImportReader
{
  const CuredImportFormat *format;   /* of the file */
  const char *path;                  /* the file */
  char *name;                        /* the same for messages, valid UTF-8 */
  const CuredImportOptions *options; /* what to read of it */
  char *text;                        /* the file */
  gsize length;                      /* bytes of @text */
  guint bad_line;                    /* first line of @text that is not UTF-8; 0: none */
  gboolean is_nul;                   /* it is a NUL byte there */
  JsonParser *parser;                /* owns @root */
  JsonObject *root;                  /* the file, if it is a JSON object */
  JsonNode *made;                    /* (nullable): owns @root in place of @parser */
  JsonArray *list;                   /* the file, if it is a JSON list */
  GPtrArray *columns;                /* (nullable) (element-type CuredImportColumn): of @rows */
  GHashTable *column_of;             /* name → element of @columns */
  GPtrArray *rows;                   /* (nullable) (element-type CuredImportRow): of a table */
  const char *title;                 /* (nullable): title of the benchmark, if no row has one */
  const char *device;                /* (nullable): name of the device, likewise */
  gboolean is_cpu;                   /* the times are of the CPU */
  GPtrArray *tables;                 /* (element-type CuredImportTable): the resulting tables */
  GPtrArray *notes;                  /* (element-type utf8): for people */
  /* (element-type utf8): options such as “--device X” that would include omitted parts */
  GPtrArray *left_out;
  gboolean is_cut; /* the end of the file is missing */
};

/* A record that becomes a cell with @outcome, to which the functions that take a cell add
 * figures. */
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

/* A member of an object, of which _cured_import_next() goes from one to the next. */
typedef struct
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
} CuredImportMember;

/* @record: what _cured_import_begin_record() was given */
typedef void (*CuredImportInterpret) (CuredImportCell *cell, gpointer record);

/* ORDER: in which formats are tried: X (name). */
#define CURED_IMPORT_FORMATS(X)                                                                    \
  X (kernel_tuner)                                                                                 \
  X (triton)                                                                                       \
  X (ktt)                                                                                          \
  X (pytest)                                                                                       \
  X (google)                                                                                       \
  X (nvbench)                                                                                      \
  X (t4)                                                                                           \
  X (hyperfine)                                                                                    \
  X (cltune)                                                                                       \
  X (list)                                                                                         \
  X (ncu)                                                                                          \
  X (ncu_early)                                                                                    \
  X (nvbench_csv)                                                                                  \
  X (nsight_python)                                                                                \
  X (cutlass)                                                                                      \
  X (hyperfine_csv)                                                                                \
  X (google_csv)                                                                                   \
  X (optuna)                                                                                       \
  X (csv)

#define CURED_IMPORT_DECLARE(name) extern const CuredImportFormat _cured_import_##name;
CURED_IMPORT_FORMATS (CURED_IMPORT_DECLARE)
#undef CURED_IMPORT_DECLARE

/* Text */
char *_cured_import_load_head (const char *path, gsize *length);
gboolean _cured_import_load (CuredImportReader *self, GCancellable *cancellable, GError **error);
gboolean _cured_import_is_report (const CuredImportReader *self);
gboolean _cured_import_convert_report (CuredImportReader *self, GCancellable *cancellable,
                                       GError **error);
char *_cured_import_drop_suffixes (const char *path);

/* Tables of columns */
CuredImportColumn *_cured_import_add_column (CuredImportReader *self, const char *name,
                                             CuredImportUse use);
void _cured_import_take_commands (CuredImportReader *self);
CuredImportRow *_cured_import_add_row (CuredImportReader *self);
void _cured_import_put (CuredImportReader *self, CuredImportRow *row, const char *name,
                        CuredImportUse use, JsonNode *value);
void _cured_import_put_text (CuredImportReader *self, CuredImportRow *row, const char *name,
                             CuredImportUse use, const char *text);
void _cured_import_put_number (CuredImportReader *self, CuredImportRow *row, const char *name,
                               double value);
JsonNode *_cured_import_get_field (const CuredImportReader *self, const CuredImportRow *row,
                                   const char *name);
const char *_cured_import_get_text (const CuredImportReader *self, const CuredImportRow *row,
                                    const char *name);
double _cured_import_get_figure (const CuredImportReader *self, const CuredImportRow *row,
                                 const char *name);
GPtrArray *_cured_import_read_columns (const char *text, GPtrArray **first);
gboolean _cured_import_is_numeric (const char *text);
gboolean _cured_import_parse_csv (CuredImportReader *self, GCancellable *cancellable,
                                  GError **error);
gboolean _cured_import_read_flat (CuredImportReader *self, const CuredImportFlat *flat,
                                  GError **error);

gboolean _cured_import_is_wanted (CuredImportReader *self, const char *option, const char *wanted,
                                  const char *value);
void _cured_import_leave_out (CuredImportReader *self, const char *option, const char *value);

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
JsonObject *_cured_import_to_object (JsonNode *node);
JsonArray *_cured_import_to_array (JsonNode *node);
JsonObject *_cured_import_find_object (JsonObject *object, const char *member);
JsonArray *_cured_import_find_array (JsonObject *object, const char *member);
guint _cured_import_count (JsonArray *array);
gboolean _cured_import_next (JsonObject *object, CuredImportMember *at);
const char *_cured_import_to_string (JsonNode *node);
const char *_cured_import_get_string (JsonObject *object, const char *member);
double _cured_import_get_number (JsonObject *object, const char *member);
double _cured_import_to_number (JsonNode *node);

/* Limit of tables in one file, each of which becomes a file. */
#define MAX_TABLES 1000

/* Tables */
gboolean _cured_import_has_room (const CuredImportReader *self, GError **error);
CuredImportTable *_cured_import_add_table (CuredImportReader *self, const char *label,
                                           const char *name, CuredImportInterpret interpret);
CuredDeviceInfo *_cured_import_get_device (CuredImportTable *self);
void _cured_import_set_sorted (CuredImportTable *self);
void _cured_import_set_file_named (CuredImportTable *self);
void _cured_import_add_axis (CuredImportTable *self, const char *name, CuredParameterKind kind);
void _cured_import_list_value (CuredImportTable *self, const char *axis, JsonNode *value);
void _cured_import_begin_record (CuredImportTable *self, gpointer record);
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
gboolean _cured_import_fail_unit (const CuredImportReader *self, const char *unit, GError **error);
gboolean _cured_import_is_named (const char *name);
gboolean _cured_import_has_figure (const CuredImportCell *self);
void _cured_import_set_named (CuredImportCell *self, const char *name, const char *unit,
                              double value);
void _cured_import_add_sample (CuredImportCell *self, double time_ns, double sm_clock_hz);
void _cured_import_set_date (CuredImportCell *self, JsonObject *record);
void _cured_import_drop (CuredImportCell *self, const char *what);
void _cured_import_finish_times (CuredImportCell *self);

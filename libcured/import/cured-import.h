/* SPDX-License-Identifier: MIT
 * Result files out of what other programs measured. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _CuredImportReader CuredImportReader;

/* A path that is standard input. */
#define CURED_IMPORT_STDIN "-"

typedef enum
{
  CURED_IMPORT_OBJECT, /* JSON: { … } */
  CURED_IMPORT_LIST,   /* JSON: [ … ] */
  CURED_IMPORT_CSV,
} CuredImportShape;

/**
 * CuredImportFormat:
 * @id: what the command and the files call it: `nvbench`
 * @title: for people, untranslated
 * @shape: of the whole file
 * @keys: (nullable) (array zero-terminated=1): names of members near the beginning of such a
 *   file, or of columns; it has all of them
 * @may_be_cut: the records of a file that ends in the middle are of use: its
 *   program appends to it while it runs
 * @read: fills the reader's tables with what the file has
 *
 * A row of the table of formats.
 */
typedef struct
{
  const char *id;
  const char *title;
  CuredImportShape shape;
  const char *const *keys;
  gboolean may_be_cut;
  gboolean (*read) (CuredImportReader *reader, GError **error);
} CuredImportFormat;

/**
 * CuredImportOptions:
 * @out_path: (nullable): the file to write; NULL: beside the one that is read,
 *   under its name, ending in `.cured`. Several results are told apart by what
 *   they measured: `out.cured` becomes `out-transpose.cured`
 * @overwrite: replace all files that are there
 * @overwrite_named: replace @out_path, and no other file that is there
 * @merge: add to the results that are there, which were imported from files of the same format
 * @benchmark: (nullable): of this name only
 * @device: (nullable): measured on this device only: its number, or its name
 * @only: (nullable) (array zero-terminated=1): `NAME=VALUE`, values of
 *   parameters; records that have other ones are left out
 * @parameters: (nullable) (array zero-terminated=1): columns of a table that are parameters;
 *   NULL: its names and values tell
 * @metric: (nullable): the column of a table that was measured; NULL: all that are figures
 *
 * What of a file is imported, and where to. All NULL and FALSE is all of it.
 */
typedef struct
{
  const char *out_path;
  gboolean overwrite;
  gboolean overwrite_named;
  gboolean merge;
  const char *benchmark;
  const char *device;
  const char *const *only;
  const char *const *parameters;
  const char *metric;
} CuredImportOptions;

/**
 * CuredImportedFile:
 * @path: the result file
 * @title: what was measured
 * @device: on what; "" where the source does not say
 * @n_cells: of the product of its axes
 * @n_known: of them, those about which the source says something
 * @n_ok: of those, the ones that have a figure
 */
typedef struct
{
  char *path;
  char *title;
  char *device;
  gint64 n_cells;
  gint64 n_known;
  gint64 n_ok;
} CuredImportedFile;

/**
 * CuredImport:
 * @format: of the file
 * @files: (element-type CuredImportedFile): the written files; at least one
 * @notes: (element-type utf8): for people: omissions and the reasons; what the
 *   figures are
 */
typedef struct
{
  const CuredImportFormat *format;
  GPtrArray *files;
  GPtrArray *notes;
} CuredImport;

const CuredImportFormat *cured_import_recognise (const char *path);
CuredImport *cured_import_files (const char *const *paths, const CuredImportOptions *options,
                                 GCancellable *cancellable, GError **error);
CuredImport *cured_import_file (const char *path, const CuredImportOptions *options,
                                GCancellable *cancellable, GError **error);
void cured_import_free (CuredImport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredImport, cured_import_free)

G_END_DECLS

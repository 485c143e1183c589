/* SPDX-License-Identifier: MIT
 * Imports other programs' measurements as result files. */
#pragma once

#include <gio/gio.h>

typedef struct _CuredImportReader CuredImportReader;

/* The path for standard input. */
#define CURED_IMPORT_STDIN "-"

typedef enum
{
  CURED_IMPORT_OBJECT, /* JSON: { … } */
  CURED_IMPORT_LIST,   /* JSON: [ … ] */
  CURED_IMPORT_CSV,
} CuredImportShape;

/* A row of the table of formats. */
typedef struct
{
  const char *id;         /* its name in the command and in files: `nvbench` */
  const char *title;      /* for people, untranslated */
  CuredImportShape shape; /* shape of the whole file */
  /* (nullable) (array zero-terminated=1): names of members near the beginning of such a file, or of
   * columns; it has all of them */
  const char *const *keys;
  /* records of a truncated file are useful, since its program appends to it while
   * running */
  gboolean may_be_cut;
  /* fills the reader's tables from the file */
  gboolean (*read) (CuredImportReader *reader, GError **error);
} CuredImportFormat;

/* What to import from a file, and the destination. With all NULL and FALSE, everything. */
typedef struct
{
  /* (nullable): the file to write; NULL: beside the input, with its name and the suffix `.cured`.
   * Several results get different names by benchmark: `out.cured` becomes
   * `out-transpose.cured` */
  const char *out_path;
  gboolean overwrite;       /* replace all existing files */
  gboolean overwrite_named; /* replace @out_path, but no other existing file */
  /* add to existing results, which must have been imported from files of the same format */
  gboolean merge;
  const char *benchmark; /* (nullable): only the benchmark of this name */
  const char *device;    /* (nullable): only measurements on this device: its number, or its name */
  /* (nullable) (array zero-terminated=1): `NAME=VALUE`, values of parameters; records with other
   * values are left out */
  const char *const *only;
  /* (nullable) (array zero-terminated=1): columns of a table that are parameters; NULL: recognized
   * by names and values */
  const char *const *parameters;
  /* (nullable): the measured column of a table; NULL: all columns of figures */
  const char *metric;
} CuredImportOptions;

typedef struct
{
  char *path;     /* the result file */
  char *title;    /* title of the benchmark */
  char *device;   /* name of the device; "" if unknown */
  gint64 n_cells; /* of the product of its axes */
  gint64 n_known; /* of these, the ones in the source */
  gint64 n_ok;    /* of those, the ones with a figure */
} CuredImportedFile;

typedef struct
{
  const CuredImportFormat *format; /* of the file */
  GPtrArray *files; /* (element-type CuredImportedFile): the written files; at least one */
  /* (element-type utf8): for people: omissions with reasons; meanings of the figures */
  GPtrArray *notes;
} CuredImport;

const CuredImportFormat *cured_import_recognise (const char *path);
CuredImport *cured_import_files (const char *const *paths, const CuredImportOptions *options,
                                 GCancellable *cancellable, GError **error);
CuredImport *cured_import_file (const char *path, const CuredImportOptions *options,
                                GCancellable *cancellable, GError **error);
void cured_import_free (CuredImport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredImport, cured_import_free)

/* SPDX-License-Identifier: MIT
 * Result files out of what other programs measured. */
#pragma once

#include <gio/gio.h>

typedef struct _CuredImportReader CuredImportReader;

/* A path that is standard input. */
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
  const char *id;         /* what the command and the files call it: `nvbench` */
  const char *title;      /* for people, untranslated */
  CuredImportShape shape; /* of the whole file */
  /* (nullable) (array zero-terminated=1): names of members near the beginning of such a file, or of
   * columns; it has all of them */
  const char *const *keys;
  /* the records of a file that ends in the middle are of use: its program appends to it while it
   * runs */
  gboolean may_be_cut;
  /* fills the reader's tables with what the file has */
  gboolean (*read) (CuredImportReader *reader, GError **error);
} CuredImportFormat;

/* What of a file is imported, and where to. All NULL and FALSE is all of it. */
typedef struct
{
  /* (nullable): the file to write; NULL: beside the one that is read, under its name, ending in
   * `.cured`. Several results are told apart by what they measured: `out.cured` becomes
   * `out-transpose.cured` */
  const char *out_path;
  gboolean overwrite;       /* replace all files that are there */
  gboolean overwrite_named; /* replace @out_path, and no other file that is there */
  /* add to the results that are there, which were imported from files of the same format */
  gboolean merge;
  const char *benchmark; /* (nullable): of this name only */
  const char *device;    /* (nullable): measured on this device only: its number, or its name */
  /* (nullable) (array zero-terminated=1): `NAME=VALUE`, values of parameters; records that have
   * other ones are left out */
  const char *const *only;
  /* (nullable) (array zero-terminated=1): columns of a table that are parameters; NULL: its names
   * and values tell */
  const char *const *parameters;
  /* (nullable): the column of a table that was measured; NULL: all that are figures */
  const char *metric;
} CuredImportOptions;

typedef struct
{
  char *path;     /* the result file */
  char *title;    /* what was measured */
  char *device;   /* on what; "" where the source does not say */
  gint64 n_cells; /* of the product of its axes */
  gint64 n_known; /* of them, those about which the source says something */
  gint64 n_ok;    /* of those, the ones that have a figure */
} CuredImportedFile;

typedef struct
{
  const CuredImportFormat *format; /* of the file */
  GPtrArray *files; /* (element-type CuredImportedFile): the written files; at least one */
  /* (element-type utf8): for people: omissions and the reasons; what the figures are */
  GPtrArray *notes;
} CuredImport;

const CuredImportFormat *cured_import_recognise (const char *path);
CuredImport *cured_import_files (const char *const *paths, const CuredImportOptions *options,
                                 GCancellable *cancellable, GError **error);
CuredImport *cured_import_file (const char *path, const CuredImportOptions *options,
                                GCancellable *cancellable, GError **error);
void cured_import_free (CuredImport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredImport, cured_import_free)

/* SPDX-License-Identifier: MIT
 * A kernel's input files. */
#pragma once

#include "kernel/read/cured-header-private.h"
#include "kernel/cured-kernel.h"
#include "kernel/cured-sources.h"

/* Prefixes of groups that carry a file; its name follows. */
#define CURED_DATA_FILE    "File "
#define CURED_DATA_INCLUDE "Include "

/* Total limit of all inputs that a text carries, and again of all included files. */
#define CURED_DATA_MAX_BYTES (2 << 20)

/* Key of the digest, for an input that the text does not carry. */
#define CURED_DATA_DIGEST "SHA256"

/* Limit of included files in one text, since each directive is compared with all names. */
#define CURED_DATA_MAX_FILES 1024

/* Limit of lines per file. */
#define CURED_DATA_MAX_LINES 64

gboolean _cured_data_embed (const char *text, const char *path, CuredHeader **header,
                            const char *file, char **source, GError **error);
char *_cured_data_carry (const char *text, const CuredSources *there, GPtrArray *names,
                         GPtrArray *texts);
GBytes *_cured_data_read (const CuredHeader *header, const char *group);
GBytes *_cured_data_load_named (const CuredHeader *header, const char *group, const char *path,
                                GError **error);
GBytes *_cured_data_expand (GBytes *bytes, const char *name, gsize most, GError **error);
GBytes *_cured_data_get_elements (GBytes *whole, const CuredBuffer *buffer, GError **error);

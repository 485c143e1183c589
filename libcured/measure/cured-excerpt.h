/* SPDX-License-Identifier: MIT
 * Excerpts: some elements of a buffer, to show to people. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

/* Elements of an excerpt that is requested without a range. */
#define CURED_EXCERPT_ELEMENTS 64

/* Limits: elements of an excerpt, and excerpts of a cell. */
#define CURED_EXCERPT_MAX_ELEMENTS 65536
#define CURED_EXCERPT_MAX          16

/* A requested range of a buffer; free with cured_range_free(). */
typedef struct
{
  char *buffer;  /* its name */
  gint64 first;  /* index of the first element */
  gint64 length; /* number of elements, 1 to CURED_EXCERPT_MAX_ELEMENTS */
} CuredRange;

/* Elements of a buffer, as text that reads back as the same number; free with
 * cured_excerpt_free(). */
typedef struct
{
  char *buffer;  /* its name */
  char *type;    /* type of its elements, as in a kernel file */
  gint64 length; /* elements of the whole buffer */
  gint64 first;  /* index of the first one in @before and @after */
  /* (array zero-terminated=1) (nullable): the elements before the first run; NULL if the buffer was
   * filled with poison */
  char **before;
  /* (array zero-terminated=1): the elements after one run; "unwritten" if they still hold the
   * poison */
  char **after;
} CuredExcerpt;

CuredRange *cured_range_parse (const char *text, const CuredKernel *kernel, GError **error);
void cured_range_free (CuredRange *self);
void cured_excerpt_free (CuredExcerpt *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRange, cured_range_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExcerpt, cured_excerpt_free)

/* SPDX-License-Identifier: MIT
 * Some elements of a buffer, as a person wants to see them. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

/* Of a buffer that is asked for without a range. */
#define CURED_EXCERPT_ELEMENTS 64

/* Of one excerpt, and how many of these there are of a cell. */
#define CURED_EXCERPT_MAX_ELEMENTS 65536
#define CURED_EXCERPT_MAX          16

/* What is wanted of a buffer; free with cured_range_free(). */
typedef struct
{
  char *buffer;  /* its name */
  gint64 first;  /* its first element that is wanted */
  gint64 length; /* elements, 1 to CURED_EXCERPT_MAX_ELEMENTS */
} CuredRange;

/* Elements of a buffer, as text that reads back as the same number; free with
 * cured_excerpt_free(). */
typedef struct
{
  char *buffer;  /* its name */
  char *type;    /* of its elements, as a kernel file has it */
  gint64 length; /* elements of the whole buffer */
  gint64 first;  /* the first one in @before and @after */
  /* (array zero-terminated=1) (nullable): the elements before the first run; NULL where the buffer
   * was filled with poison */
  char **before;
  /* (array zero-terminated=1): the elements after one run; "unwritten" where the poison is still
   * there */
  char **after;
} CuredExcerpt;

CuredRange *cured_range_parse (const char *text, const CuredKernel *kernel, GError **error);
void cured_range_free (CuredRange *self);
void cured_excerpt_free (CuredExcerpt *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRange, cured_range_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExcerpt, cured_excerpt_free)

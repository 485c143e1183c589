/* SPDX-License-Identifier: MIT
 * A compiler's input: a kernel's text and the files that it includes. */
#pragma once

#include "kernel/cured-kernel.h"

/* All files that a compilation reads, except the toolkit's headers. Immutable, reference-counted;
 * may be used by any thread. */
struct _CuredSources
{
  char *text;   /* the kernel's text; its directives use @names */
  char **names; /* (array length=n): names of the files included, directly or not */
  char **texts; /* (array length=n): their contents */
  gsize n;      /* number of included files */
};

CuredSources *cured_sources_new (const CuredKernel *kernel, const char *const *options,
                                 GError **error);
char *cured_sources_carry (const CuredKernel *kernel, const char *const *options);
CuredSources *cured_sources_new_from_text (const char *text);
void cured_sources_unref (CuredSources *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSources, cured_sources_unref)

/* SPDX-License-Identifier: MIT
 * What the compiler gets of a kernel: its text, and what that includes. */
#pragma once

#include "kernel/cured-kernel.h"

/* Everything that a compilation reads but the toolkit's own headers. Immutable, reference-counted;
 * may be used by any thread. */
struct _CuredSources
{
  char *text; /* the kernel's, in which each file that it includes has the name that it has here */
  char **names; /* (array length=n): of the files that are included, by whatever file */
  char **texts; /* (array length=n): their contents */
  gsize n;      /* how many there are */
};

CuredSources *cured_sources_new (const CuredKernel *kernel, const char *const *options,
                                 GError **error);
char *cured_sources_carry (const CuredKernel *kernel, const char *const *options);
CuredSources *cured_sources_new_from_text (const char *text);
void cured_sources_unref (CuredSources *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSources, cured_sources_unref)

/* SPDX-License-Identifier: MIT
 * What a process, or a thread, may no longer do. */
#pragma once

#include <glib.h>

/* The restrictions on a process; a kernel may support only some of them. */
typedef enum
{
  CURED_CONFINED_PRIVILEGES = 1 << 0, /* it gains none by starting a program */
  CURED_CONFINED_FILES = 1 << 1,      /* Landlock: it opens no files but the given ones */
  CURED_CONFINED_CALLS = 1 << 2,      /* seccomp: no call but those that it needs */
  CURED_CONFINED_MEMORY = 1 << 3,     /* it has only so much address space */
} CuredConfined;

guint _cured_confine_process (const char *const *readable, const char *const *writable);
gboolean _cured_is_confined (void);
guint64 _cured_confine_get_memory (void);
void _cured_confine_allow (guint64 extra_bytes, double seconds);

int _cured_landlock_new (const char *const *readable, const char *const *writable);
gboolean _cured_landlock_enter_thread (int ruleset);

/* SPDX-License-Identifier: MIT
 * Confines a process or a thread. */
#pragma once

#include <glib.h>

/* The restrictions on a process; a kernel may support only some of them. */
typedef enum
{
  CURED_CONFINED_PRIVILEGES = 1 << 0, /* it gains no privileges by starting a program */
  CURED_CONFINED_FILES = 1 << 1,      /* Landlock: it opens no files but the given ones */
  CURED_CONFINED_CALLS = 1 << 2,      /* seccomp: only the system calls that it needs */
  CURED_CONFINED_MEMORY = 1 << 3,     /* its address space is limited */
} CuredConfined;

guint _cured_confine_process (const char *const *readable, const char *const *writable);
gboolean _cured_is_confined (void);
guint64 _cured_confine_get_memory (void);
void _cured_confine_allow (guint64 extra_bytes, double seconds);

int _cured_landlock_new (const char *const *readable, const char *const *writable);
gboolean _cured_landlock_enter_thread (int ruleset);

/* SPDX-License-Identifier: MIT
 * Inputs from a seeded generator: the same on every machine. */
#pragma once

#include <glib.h>

#include "kernel/cured-program.h"

G_BEGIN_DECLS

/* Every byte of a poisoned buffer: as f32 -1.0e-13, as i32 -1431655766; no
 * kernel of a teaching text writes it by accident. */
#define CURED_POISON_BYTE 0xAA

void cured_fill_buffer (const CuredProgramBuffer *buffer,
                        gsize buffer_index,
                        guint64 seed,
                        void *data);
void cured_fill_range (const CuredProgramBuffer *buffer,
                       gsize buffer_index,
                       guint64 seed,
                       gint64 begin,
                       gint64 end,
                       void *data);
char *cured_fill_key (const CuredProgramBuffer *buffer,
                      gsize buffer_index,
                      guint64 seed);

G_END_DECLS

/* SPDX-License-Identifier: MIT
 * Tells when a kernel was changed and is fit to run again. */
#pragma once

#include "model/cured-document.h"
#include "model/cured-inspector.h"

#define CURED_TYPE_CHANGE (cured_change_get_type ())
/* Watches the kernel of a document, as it is edited and in its file, while it is active. Signals:
 * `ready`: a moment after the last change, when the kernel compiles and the emulator finds nothing
 * wrong with it; `refused` (const char *reason): when it does not, or does. */
G_DECLARE_FINAL_TYPE (CuredChange, cured_change, CURED, CHANGE, GObject)

CuredChange *cured_change_new (CuredDocument *document, CuredInspector *inspector);
void cured_change_set_active (CuredChange *self, gboolean is_active);
gboolean cured_change_is_active (CuredChange *self);

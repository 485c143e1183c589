/* SPDX-License-Identifier: MIT
 * Runs a kernel of a PTX module on this machine's processor. */
#pragma once

#include <gio/gio.h>

#include "ptx/machine/cured-launch.h"

gboolean cured_ptx_module_link (CuredPtxModule *module, CuredMemory *memory, GError **error);
void cured_ptx_module_unlink (CuredPtxModule *module, CuredMemory *memory);
gboolean cured_emulator_launch (const CuredLaunch *launch, CuredReport *report,
                                GCancellable *cancellable, GError **error);

/* SPDX-License-Identifier: MIT
 * The bank model alone: a stride, and what the banks make of it. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_STRIDE_EXPLORER (cured_stride_explorer_get_type ())
G_DECLARE_FINAL_TYPE (CuredStrideExplorer, cured_stride_explorer, CURED, STRIDE_EXPLORER, AdwWindow)

CuredStrideExplorer *cured_stride_explorer_new (GtkWindow *parent);

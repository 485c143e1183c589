/* SPDX-License-Identifier: MIT
 * Which options of NVRTC a kernel file may ask for. */
#pragma once

#include <glib.h>

/* SPDX-License-Identifier: MIT
 * Texts that are part of the library: sources, headers and scripts for other programs. */
#pragma once

const char *_cured_asset_get (const char *path);

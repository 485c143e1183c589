/* SPDX-License-Identifier: MIT
 * What every fuzz target is, with libFuzzer or without. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* SPDX-License-Identifier: MIT
 * A program's end of the socket to Cured. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "exec/cured-exec-protocol-private.h"

int wire_connect (const char *path);
bool wire_exchange (int connection, ExecCall *call, const void *data, const void *more,
                    size_t n_more, ExecReply *reply, void **bytes, int *fd);

/* SPDX-License-Identifier: MIT
 * Progress of a run: a bar on a terminal, plain lines elsewhere, or lines of JSON. */
#pragma once

#include "cured.h"

typedef struct _CuredCliProgress CuredCliProgress;

CuredCliProgress *cured_cli_progress_new (CuredPlan *plan, gboolean is_json);
void cured_cli_progress_free (CuredCliProgress *self);
gboolean cured_cli_progress_is_abandoned (const CuredCliProgress *self);
void cured_cli_progress_update (CuredCliProgress *self, const CuredProgress *progress);
void cured_cli_progress_print (CuredCliProgress *self, const char *line);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliProgress, cured_cli_progress_free)

/* SPDX-License-Identifier: MIT
 * What of a machine keeps Cured from measuring well, and what helps. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredCheckupState:
 * @CURED_CHECKUP_OK: as it should be
 * @CURED_CHECKUP_NOTE: good to know
 * @CURED_CHECKUP_WARNING: times may be off, or something is left out
 * @CURED_CHECKUP_FAULT: nothing can be measured, or compiled, or kept
 *
 * ORDER: the worse, the later.
 */
typedef enum
{
  CURED_CHECKUP_OK,
  CURED_CHECKUP_NOTE,
  CURED_CHECKUP_WARNING,
  CURED_CHECKUP_FAULT,
} CuredCheckupState;

/**
 * CuredCheckupLine:
 * @id: what was looked at: "driver", "ecc"; never translated
 * @gpu: of which GPU, counted from 0; -1: of the machine
 * @state: how it is
 * @text: what was found, translated
 * @remedy: (nullable): what helps, translated
 *
 * A line of a checkup.
 */
typedef struct
{
  const char *id;
  int gpu;
  CuredCheckupState state;
  char *text, *remedy;
} CuredCheckupLine;

GPtrArray *cured_checkup_run (const char *root, const char *results);
const char *cured_checkup_state_get_id (CuredCheckupState state);

G_END_DECLS

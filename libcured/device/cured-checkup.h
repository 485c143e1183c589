/* SPDX-License-Identifier: MIT
 * What of a machine keeps Cured from measuring well, and what helps. */
#pragma once

#include <glib.h>

/* ORDER: the worse, the later. */
typedef enum
{
  CURED_CHECKUP_OK,      /* as it should be */
  CURED_CHECKUP_NOTE,    /* good to know */
  CURED_CHECKUP_WARNING, /* times may be off, or something is left out */
  CURED_CHECKUP_FAULT,   /* nothing can be measured, or compiled, or kept */
} CuredCheckupState;

/* A line of a checkup. */
typedef struct
{
  const char *id;          /* what was looked at: "driver", "ecc"; never translated */
  int gpu;                 /* of which GPU, counted from 0; -1: of the machine */
  CuredCheckupState state; /* how it is */
  char *text;              /* what was found, translated */
  char *remedy;            /* (nullable): what helps, translated */
} CuredCheckupLine;

GPtrArray *cured_checkup_run (const char *root, const char *results);
const char *cured_checkup_state_get_id (CuredCheckupState state);

/* SPDX-License-Identifier: MIT
 * Checks for conditions of a machine that prevent good measurements, with remedies. */
#pragma once

#include <glib.h>

/* ORDER: from good to bad. */
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
  const char *id; /* what was checked: "driver", "ecc"; never translated */
  int gpu;        /* index of the GPU, from 0; -1: the machine */
  CuredCheckupState state;
  char *text;   /* the finding, translated */
  char *remedy; /* (nullable): the remedy, translated */
} CuredCheckupLine;

GPtrArray *cured_checkup_run (const char *root, const char *results);
const char *cured_checkup_state_get_id (CuredCheckupState state);

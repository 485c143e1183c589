/* SPDX-License-Identifier: MIT
 * When to stop taking samples. */
#pragma once

#include <glib.h>

typedef enum
{
  CURED_STOP_NO,      /* continue */
  CURED_STOP_PRECISE, /* the interval is tight enough */
  CURED_STOP_STABLE,  /* more samples no longer tighten it */
  CURED_STOP_SAMPLES, /* the greatest number of samples was taken */
  CURED_STOP_TIME,    /* the time for sampling is used up */
} CuredStop;

/* Gets samples and elapsed times, and decides when to stop. Independent of devices and clocks, so
 * that it can be tested on recorded numbers. */
typedef struct _CuredStopRule CuredStopRule;

void cured_stop_rule_free (CuredStopRule *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredStopRule, cured_stop_rule_free)

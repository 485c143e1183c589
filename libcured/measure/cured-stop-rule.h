/* SPDX-License-Identifier: MIT
 * When to stop taking samples. */
#pragma once

#include <glib.h>

typedef enum
{
  CURED_STOP_NO,      /* go on */
  CURED_STOP_PRECISE, /* the interval is tight enough */
  CURED_STOP_STABLE,  /* more samples no longer tighten it */
  CURED_STOP_SAMPLES, /* the most samples were taken */
  CURED_STOP_TIME,    /* the time for sampling is used up */
} CuredStop;

/* Fed with samples and the time that passed; says when it is enough. Knows no device and no clock,
 * so that it is tested on recorded numbers. */
typedef struct _CuredStopRule CuredStopRule;

void cured_stop_rule_free (CuredStopRule *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredStopRule, cured_stop_rule_free)

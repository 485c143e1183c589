/* SPDX-License-Identifier: MIT
 * Limiting factors of a kernel, by name: values of the metric `limiter`. */
#pragma once

#include <glib.h>

/* Resources that may limit a kernel.
 *
 * ORDER: numbers are values of the metric `limiter`, and never reused. */
typedef enum
{
  CURED_RESOURCE_ISSUE = 0,
  CURED_RESOURCE_FP32 = 1,
  CURED_RESOURCE_INTEGER = 2,
  CURED_RESOURCE_FP64 = 3,
  CURED_RESOURCE_SPECIAL = 4,
  CURED_RESOURCE_TENSOR = 5,
  CURED_RESOURCE_LOAD_STORE = 6,
  CURED_RESOURCE_SHARED = 7,
  CURED_RESOURCE_CONSTANT = 8,
  CURED_RESOURCE_L1 = 9,
  CURED_RESOURCE_L2 = 10,
  CURED_RESOURCE_MEMORY = 11,
  CURED_RESOURCE_ATOMIC = 12,
  CURED_RESOURCE_DISPATCH = 13,
  CURED_RESOURCE_LAUNCH = 14,
  CURED_RESOURCE_REMOTE = 15,
  CURED_N_RESOURCES
} CuredResource;

/* The metric `limiter` is a #CuredResource, or one of these.
 *
 * ORDER: numbers are never reused. */
enum
{
  CURED_FACTOR_LATENCY = 32,
  CURED_FACTOR_UNEXPLAINED = 33,
  CURED_FACTOR_CONTRADICTED = 34,
};

const char *cured_resource_to_string (CuredResource resource);
const char *cured_resource_get_title (CuredResource resource);
const char *cured_resource_get_name (CuredResource resource);
const char *cured_resource_get_unit (CuredResource resource);
int cured_factor_from_value (double value);
const char *cured_factor_to_string (int limit);
const char *cured_factor_get_title (int limit);

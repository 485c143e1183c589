/* SPDX-License-Identifier: MIT
 * The identity of a device, its limits and its measured rates. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"

/* Limits of the device, measured by Cured; NaN: not measured. */
typedef struct
{
  double copy_bytes_per_s; /* bytes read plus bytes written */
  double read_bytes_per_s;
  double fp32_flops; /* FLOP/s; a fused multiply-add counts as two */
  char *date;        /* ISO 8601, when they were measured; nullable */
} CuredCeilings;

/* Overhead and resolution of the clock; see docs/measuring.md. */
typedef struct
{
  double cold_overhead_ns; /* subtracted from a span around one program */
  double resolution_ns;    /* least difference of two event spans */
} CuredCalibration;

/* The identity of a device. Strings are never NULL; "" is unknown. Except the limits, each field
 * has a row in cured_device_facts(). */
typedef struct
{
  char *id;   /* "cuda:0", "emulator:sm_90" */
  char *kind; /* "cuda", "emulator", "model", "fake" */
  char *name; /* "NVIDIA H200" */
  char *uuid;
  char *arch;    /* NVRTC's arch: "sm_90" */
  char *driver;  /* "580.159.04" */
  char *runtime; /* "CUDA 13.0" */
  char *host;
  char *compiler; /* "NVRTC 13.0" */
  char *sharing;  /* who else uses the chip: "MIG 1g.10gb"; "": nobody known */
  CuredLimits limits;
  CuredCalibration calibration;
  CuredCeilings ceilings;
} CuredDeviceInfo;

typedef enum
{
  CURED_DEVICE_FACT_TEXT,   /* a string, "" where it is unknown */
  CURED_DEVICE_FACT_DATE,   /* a string, NULL where it is unknown */
  CURED_DEVICE_FACT_NUMBER, /* a double, NaN where it is unknown */
} CuredDeviceFactType;

/* A row of the table of device facts. */
typedef struct
{
  const char *column; /* in result files and tables */
  /* (nullable): its object in a message; NULL: the device itself */
  const char *group;
  const char *key;          /* in that object */
  CuredDeviceFactType type; /* type of the field */
  const char *unit;         /* unit of a number, else "" */
  /* (nullable): a few words for people (untranslated); NULL: shown elsewhere, or not at all */
  const char *title;
  gsize offset; /* of the field in #CuredDeviceInfo */
} CuredDeviceFact;

void cured_device_info_init (CuredDeviceInfo *self);
void cured_device_info_copy (const CuredDeviceInfo *self, CuredDeviceInfo *copy);
void cured_device_info_clear (CuredDeviceInfo *self);
gboolean cured_device_info_has_time (const CuredDeviceInfo *self);

const CuredDeviceFact *cured_device_facts (gsize *n_facts);
const char *cured_device_fact_get_text (const CuredDeviceFact *self, const CuredDeviceInfo *of);
double cured_device_fact_get_number (const CuredDeviceFact *self, const CuredDeviceInfo *of);

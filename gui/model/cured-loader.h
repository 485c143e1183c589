/* SPDX-License-Identifier: MIT
 * Finds out what a file is, and reads it. */
#pragma once

#include "cured.h"

#define CURED_TYPE_LOADER (cured_loader_get_type ())
/* Reads one file at a time, off the main thread. Property `status`: what it does. Of these signals,
 * all on the main thread, one follows each call, and none after cured_loader_cancel(): `result`
 * (CuredResult *): the file is a result; `kernel` (CuredKernel *): it is a kernel file;
 * `bare-kernel` (const char *text): it is one without a header; `imported` (CuredImport *): another
 * program's measurements were imported; `path-needed`: they can't be imported beside their file:
 * cured_loader_import() says where to; `failed` (GError *). */
G_DECLARE_FINAL_TYPE (CuredLoader, cured_loader, CURED, LOADER, GObject)

/* The phases of a loader. */
typedef enum
{
  CURED_LOADER_IDLE,
  CURED_LOADER_OPENING,
  CURED_LOADER_IMPORTING,
} CuredLoaderStatus;

CuredLoader *cured_loader_new (void);
void cured_loader_load (CuredLoader *self, const char *path);
void cured_loader_import (CuredLoader *self, const char *out_path);
void cured_loader_cancel (CuredLoader *self);
CuredLoaderStatus cured_loader_get_status (CuredLoader *self);

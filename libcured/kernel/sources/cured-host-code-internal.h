/* SPDX-License-Identifier: MIT
 * Host-only code in CUDA sources. */
#pragma once

#include <glib.h>

/* Names that the files of one kernel define for each other. */
typedef struct
{
  GHashTable *device;    /* (element-type utf8): macros that represent `__device__` and its like */
  GHashTable *constants; /* (element-type utf8): macros that represent `constexpr` */
  GHashTable *host;      /* (element-type utf8): types that no device has */
  GHashTable *spaces;    /* (element-type utf8): namespaces that the files define */
} CuredHostCode;

void _cured_host_code_init (CuredHostCode *self);
void _cured_host_code_clear (CuredHostCode *self);
void _cured_host_code_learn (CuredHostCode *self, const char *text);
char *_cured_host_code_cut (CuredHostCode *self, const char *text);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredHostCode, _cured_host_code_clear)

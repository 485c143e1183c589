/* SPDX-License-Identifier: MIT
 * Contents of buffers, which the processes of a host make once and share. */
#pragma once

#include <gio/gio.h>

/* Limit of contents that are kept, used or not. */
#define CURED_SHARE_KEPT_BYTES (G_GUINT64_CONSTANT (2) << 30)

typedef struct _CuredShare CuredShare;

/* A parameter that contents depend on, and its value. */
typedef struct
{
  guint64 parameter;
  gint64 value;
} CuredParameterValue;

/* Bytes that are made once, and then only read. */
typedef struct
{
  const void *data; /* (array length=size): the bytes */
  gsize size;
  /* (element-type CuredParameterValue): contents of the same key differ if these parameters
   * do */
  GArray *asked;
} CuredContents;

/* @data: (out caller-allocates): room for the bytes
 * @asked: (element-type CuredParameterValue): gets the parameters that they depend on
 *
 * Makes contents. It may take other contents from the share only if those exist, or are made by a
 * function that takes none. */
typedef gboolean (*CuredContentsFunc) (void *data, GArray *asked, gpointer user_data,
                                       GError **error);

CuredShare *_cured_share_new (void);
CuredShare *_cured_share_open (int fd);
void _cured_share_free (CuredShare *self);
CuredShare *_cured_share_enter (void);
void _cured_share_leave (void);
int _cured_share_get_fd (const CuredShare *self);
CuredContents *_cured_share_take (CuredShare *self, const char *key, gsize size,
                                  const gint64 *values, gsize n_values, gboolean is_needed,
                                  CuredContentsFunc make, gpointer user_data, GError **error);
gboolean _cured_contents_fit (const CuredContents *self, const gint64 *values, gsize n_values);
CuredContents *_cured_contents_ref (CuredContents *self);
void _cured_contents_unref (CuredContents *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredContents, _cured_contents_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredShare, _cured_share_free)

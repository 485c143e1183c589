/* SPDX-License-Identifier: MIT
 * Definitions shared by the files of the stage: a running program, and its connections. */
#pragma once

#include "base/cured-profile.h"
#include "exec/cured-exec-protocol-private.h"
#include "exec/cured-exec.h"
#include "ptx/machine/cured-launch.h"

/* The place of a call of the program: frames as sent by the client, later resolved. All calls from
 * one place share it. */
typedef struct
{
  char *frames;
  char *file; /* (nullable): of the source */
  int line;
  guint64 offset; /* of the call in its file */
  char *function; /* (nullable) */
  gboolean is_resolved;
  gboolean is_launch; /* while it is resolved: frames so far are of a launch */
} CuredExecSite;

/* An allocation, kept even after it is freed, since findings name it. */
typedef struct
{
  guint number; /* from 1 */
  guint64 address, size;
  ExecMemoryKind kind;
  guint device;
  gboolean is_freed;
  CuredExecSite *site;
} CuredExecBuffer;

/* A finding about the host program itself.
 * @other: (nullable): of the finding's other side */
typedef struct
{
  CuredFinding *finding;
  CuredExecSite *site, *other;
} CuredExecHostFinding;

/* Two unordered works: the later one in the order here, and the earlier
 * one. */
typedef struct
{
  guint64 address;
  const char *names[2];
  CuredExecSite *sites[2];
  guint streams[2];
} CuredExecConflict;

typedef void (*CuredExecConflictFunc) (const CuredExecConflict *conflict, gpointer data);
typedef struct _CuredExecOrder CuredExecOrder;

typedef struct
{
  const CuredExecOptions *options;
  const CuredProfile *profile;
  GCancellable *cancellable; /* of launches */
  gint64 begin_us;

  GMutex mutex; /* guards everything below */
  CuredExecReport *report;
  GHashTable *kernels;    /* utf8 → CuredExecKernel of the report */
  GHashTable *times;      /* CuredExecKernel → GArray of double: nanoseconds on a GPU */
  GHashTable *geometries; /* utf8 of kernel and geometry → launches */
  GHashTable *stems;      /* utf8: names of saved launches */
  GPtrArray *launches;    /* (element-type CuredExecSaved) */
  guint64 saved_bytes;    /* size of written files */
  gboolean is_replaced;   /* files of an earlier run have been removed */
  GHashTable *sites;      /* utf8 of frames → CuredExecSite */
  GHashTable *inexact;    /* utf8: executed instructions with approximate results */
  GHashTable *unruled;    /* utf8: executed instructions without a rule for bank conflicts */
  GHashTable *notes;      /* utf8 → GUINT_TO_POINTER (times) */
  GPtrArray *buffers;     /* (element-type CuredExecBuffer) */
  GPtrArray *host;        /* (element-type CuredExecHostFinding) */
} CuredExec;

/* A launch that is to be saved. */
typedef struct
{
  CuredExec *exec;
  const char *folder;
  CuredMemory *memory;
  GHashTable *buffers; /* of the connection */
  const CuredPtxModule *ptx;
  const char *text; /* of it */
  const char *symbol, *name;
  const ExecLaunch *launch;
  const guint8 *parameters;
} CuredExecSaving;

typedef struct _CuredExecSave CuredExecSave;
typedef struct _CuredExecSaved CuredExecSaved;

CuredExecOrder *_cured_exec_order_new (CuredExecConflictFunc conflict, gpointer data);
void _cured_exec_order_free (CuredExecOrder *self);
void _cured_exec_order_note (CuredExecOrder *self, ExecOrder what, guint64 a, guint64 b);
guint32 _cured_exec_order_begin (CuredExecOrder *self, guint64 number, const char *name,
                                 CuredExecSite *site);
void _cured_exec_order_touch (CuredExecOrder *self, guint32 work, guint64 address, guint64 size,
                              gboolean is_write, gboolean is_atomic);
void _cured_exec_order_forget (CuredExecOrder *self, guint64 address, guint64 size);
void _cured_exec_serve (CuredExec *self, int fd);
CuredExecBuffer *_cured_exec_find_buffer (GHashTable *buffers, guint64 address);
CuredExecSave *_cured_exec_save_begin (const CuredExecSaving *saving);
void _cured_exec_save_end (CuredExecSave *self, gboolean is_done);
void _cured_exec_save_replace (CuredExec *exec);
void _cured_exec_save_sweeps (CuredExec *exec);
void _cured_exec_saved_free (CuredExecSaved *self);
void _cured_exec_note (CuredExec *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
char *_cured_exec_demangle (const char *symbol);
char *_cured_exec_demangle_whole (const char *symbol);
void _cured_exec_site_resolve (CuredExecSite *self);
char *_cured_exec_site_to_string (CuredExecSite *self);
CuredExecSite *_cured_exec_get_site (CuredExec *self, const char *frames);
void _cured_exec_site_free (CuredExecSite *self);
char *_cured_exec_get_buffer_name (CuredExec *self, CuredExecBuffer *buffer);
void _cured_exec_host_finding_free (CuredExecHostFinding *self);

/* Placeholder for a buffer's name while the program runs. */
#define CURED_EXEC_BUFFER_NAME "allocation %u"

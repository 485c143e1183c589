/* SPDX-License-Identifier: MIT
 * One connection of a program: its memory, its device code, its launches. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "exec/cured-exec-image-private.h"
#include "exec/cured-exec-nested-private.h"
#include "exec/cured-exec-private.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/cured-ptx-internal.h"
#include "ptx/cured-texture-internal.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/emulator/cured-work-count-internal.h"
#include "ptx/parse/cured-ptx-parse.h"

/* Longer messages are refused. */
#define MAX_MESSAGE ((gsize) 1 << 30)

/* The program's device may have 1 / MEMORY_SHARE of the machine's memory. */
#define MEMORY_SHARE 2

/* cudaError_t */
enum
{
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONFIGURATION = 9,
  INVALID_DEVICE_POINTER = 17,
  INVALID_DEVICE_FUNCTION = 98,
  INVALID_PTX = 218,
  NO_IMAGE = 209,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_TIMEOUT = 702,
  ASSERT = 710,
  MISALIGNED = 716,
  LAUNCH_FAILURE = 719,
};

/* Device code of the program. */
typedef struct
{
  CuredPtxModule *ptx;
  char *text;
  int target;
} Module;

typedef struct
{
  Module *module;
  char *symbol, *name;
  guint64 parameter_bytes;
  gboolean is_wanted; /* --kernel */
} Kernel;

typedef struct
{
  CuredExec *exec;
  int fd, memory_fd;
  CuredMemory *memory;
  GPtrArray *modules;    /* (element-type Module) (nullable elements) */
  GPtrArray *kernels;    /* (element-type Kernel) */
  GArray *textures;      /* (element-type CuredTexture) */
  GHashTable *buffers;   /* address → CuredExecBuffer */
  CuredExecOrder *order; /* (nullable): NULL: only one stream */
  guint64 stream;        /* stream of the next operation */
  CuredExecSite *site;   /* (nullable): place of the next operation */
  gboolean is_waited;
  CuredExecSave *save; /* (nullable): of the launch that a GPU runs now */
  ExecLaunch saved;    /* that launch */

  /* The message being answered */
  ExecCall call;
  GByteArray *data; /* with a NUL behind it */
  ExecReply reply;
  GByteArray *answer;
} Session;

CURED_FREE_FUNC (Module, module_free, ptx, cured_ptx_module_free, text, g_free)

CURED_FREE_FUNC (Kernel, kernel_free, symbol, g_free, name, g_free)

/* ---- Messages ---- */

static gboolean
receive (int fd, void *data, gsize size)
{
  for (gsize n = 0; n < size;)
    {
      gssize got = recv (fd, (char *) data + n, size - n, 0);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return FALSE;
      n += (gsize) got;
    }
  return TRUE;
}

/* @passed: a file that comes along, or -1 */
static gboolean
send_bytes (int fd, const void *data, gsize size, int passed)
{
  for (gsize n = 0; n < size;)
    {
      struct iovec part = { (char *) data + n, size - n };
      union
      {
        struct cmsghdr head;
        char bytes[CMSG_SPACE (sizeof (int))];
      } control = { 0 };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

      if (passed >= 0)
        {
          message.msg_control = &control;
          message.msg_controllen = sizeof control;
          control.head.cmsg_level = SOL_SOCKET;
          control.head.cmsg_type = SCM_RIGHTS;
          control.head.cmsg_len = CMSG_LEN (sizeof passed);
          memcpy (CMSG_DATA (&control.head), &passed, sizeof passed);
        }
      gssize sent = sendmsg (fd, &message, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR)
        continue;
      if (sent <= 0)
        return FALSE;
      passed = -1;
      n += (gsize) sent;
    }
  return TRUE;
}

/* Refuses a call; the reason is in the report. */
static void
refuse (Session *self, int code, GError *error)
{
  self->reply.error = code;
  if (error == NULL)
    return;
  _cured_exec_note (self->exec, "%s", error->message);
  g_error_free (error);
}

/* ---- Findings about the host program ---- */

static CuredExecHostFinding *
add_host_finding_at (CuredExec *exec, CuredFindingKind kind, const char *what, CuredExecSite *site,
                     char *object, char *detail)
{
  CuredExecHostFinding *host = g_new0 (CuredExecHostFinding, 1);

  host->finding = g_new0 (CuredFinding, 1);
  host->finding->kind = kind;
  host->finding->here.what = what;
  host->finding->here.warp = CURED_FINDING_HOST;
  host->finding->object = object;
  host->finding->detail = detail;
  host->finding->count = 1;
  host->site = site;
  g_mutex_lock (&exec->mutex);
  if (exec->host->len < CURED_MAX_FINDINGS)
    g_ptr_array_add (exec->host, host);
  else
    g_clear_pointer (&host, _cured_exec_host_finding_free);
  g_mutex_unlock (&exec->mutex);
  return host;
}

static void
add_host_finding (Session *self, CuredFindingKind kind, const char *what, const char *frames,
                  char *object, char *detail)
{
  add_host_finding_at (self->exec, kind, what, _cured_exec_get_site (self->exec, frames), object,
                       detail);
}

/* ---- Streams ---- */

/* "stream 2": numbered as the program made them; without the default one. */
static char *
name_stream (guint number)
{
  return number == 0   ? g_strdup (_ ("the default stream"))
         : number == 1 ? g_strdup (_ ("the thread's default stream"))
                       : g_strdup_printf (_ ("stream %u"), number - 2);
}

static void
conflict_cb (const CuredExecConflict *conflict, gpointer data)
{
  Session *self = data;
  const CuredExecBuffer *buffer = _cured_exec_find_buffer (self->buffers, conflict->address);
  g_autofree char *later = name_stream (conflict->streams[0]);
  g_autofree char *earlier = name_stream (conflict->streams[1]);
  CuredExecHostFinding *host = add_host_finding_at (
      self->exec, CURED_FINDING_RACE_GLOBAL, N_ ("work"), conflict->sites[0],
      buffer != NULL ? g_strdup_printf (CURED_EXEC_BUFFER_NAME, buffer->number) : NULL,
      /* Translators: a kernel or copy, its stream, and the same of another one. */
      g_strdup_printf (_ ("%s in %s and %s in %s may run at once: cudaStreamWaitEvent () orders "
                          "them"),
                       conflict->names[1], earlier, conflict->names[0], later));

  if (host == NULL)
    return;
  host->finding->there.what = N_ ("work");
  host->finding->there.warp = CURED_FINDING_HOST;
  host->other = conflict->sites[1];
}

static void
take_order (Session *self)
{
  const char *frames = (const char *) self->data->data;
  ExecOrder what = (ExecOrder) self->call.x[0];

  if (self->exec->options->watch != CURED_EXEC_CHECK)
    return;
  if (self->order == NULL)
    self->order = _cured_exec_order_new (conflict_cb, self);
  if (what != EXEC_ORDER_NEXT)
    {
      _cured_exec_order_note (self->order, what, self->call.x[1], self->call.x[2]);
      return;
    }
  self->stream = self->call.x[1];
  self->is_waited = self->call.x[2] != 0;
  self->site = _cured_exec_get_site (self->exec, frames);
}

/* Begins the announced work. 0 if none was announced. */
static guint32
begin_work (Session *self, const char *name)
{
  return self->order != NULL && self->site != NULL
             ? _cured_exec_order_begin (self->order, self->stream, name, self->site)
             : 0;
}

static void
end_work (Session *self)
{
  if (self->order != NULL && self->site != NULL && self->is_waited)
    _cured_exec_order_note (self->order, EXEC_ORDER_SYNC_STREAM, self->stream, 0);
  self->site = NULL;
}

typedef struct
{
  CuredExecOrder *order;
  guint32 work;
} Tracing;

static void
trace_cb (const CuredTraced *access, gpointer data)
{
  const Tracing *self = data;
  gboolean is_write = access->kind != CURED_ACCESS_LOAD;
  gboolean is_atomic =
      access->kind == CURED_ACCESS_ATOMIC || access->kind == CURED_ACCESS_REDUCTION;

  if (access->is_shared)
    return;
  for (guint32 left = access->mask; left != 0;)
    {
      guint first = (guint) __builtin_ctz (left);
      guint64 size = access->width;

      /* Lanes with adjacent bytes are one access. */
      left &= left - 1;
      while (left != 0 &&
             access->addresses[__builtin_ctz (left)] == access->addresses[first] + size)
        {
          size += access->width;
          left &= left - 1;
        }
      _cured_exec_order_touch (self->order, self->work, access->addresses[first], size, is_write,
                               is_atomic);
    }
}

/* ---- Memory ---- */

static void
hello (Session *self)
{
  const CuredLimits *limits = &self->exec->profile->limits;
  gint64 bytes = (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGE_SIZE) / MEMORY_SHARE;
  ExecDevice device = {
    .global_bytes = (guint64) bytes,
    .major = (gint32) limits->compute_major,
    .minor = (gint32) limits->compute_minor,
    .sms = (gint32) limits->sms,
    .max_threads_per_block = (gint32) limits->max_threads_per_block,
    .max_threads_per_sm = (gint32) limits->max_threads_per_sm,
    .max_blocks_per_sm = (gint32) limits->max_blocks_per_sm,
    .max_block = { (gint32) limits->max_block_x, (gint32) limits->max_block_y,
                   (gint32) limits->max_block_z },
    .max_grid = { (gint32) limits->max_grid_x, (gint32) limits->max_grid_y,
                  (gint32) limits->max_grid_z },
    .shared_per_block = (gint32) limits->shared_per_block,
    .shared_per_block_optin = (gint32) limits->shared_per_block_optin,
    .shared_per_sm = (gint32) limits->shared_per_sm,
    .shared_reserved = (gint32) self->exec->profile->shared_reserved,
    .registers_per_block = (gint32) limits->registers_per_block,
    .registers_per_sm = (gint32) limits->registers_per_sm,
    .l2_bytes = (gint32) self->exec->profile->l2_bytes,
    .sm_clock_khz = (gint32) limits->sm_clock_khz,
    .memory_clock_khz = (gint32) limits->memory_clock_khz,
    .memory_bus_bits = (gint32) limits->memory_bus_bits,
    .has_clusters = limits->compute_major >= 9,
    .n_devices = (gint32) MAX (self->exec->options->n_devices, 1),
  };

  if (self->call.x[0] != EXEC_VERSION || self->memory != NULL)
    {
      self->reply.error = INVALID_VALUE;
      return;
    }
  g_snprintf (device.name, sizeof device.name, "Cured's emulator of %s", self->exec->profile->arch);
  self->memory_fd = memfd_create ("cured-exec", MFD_CLOEXEC);
  if (self->memory_fd >= 0 && ftruncate (self->memory_fd, (off_t) EXEC_MEMORY_BYTES) == 0)
    self->memory =
        cured_memory_new_shared (device.global_bytes, self->memory_fd, EXEC_MEMORY_BYTES, NULL);
  _cured_exec_save_replace (self->exec);
  if (self->memory == NULL)
    self->reply.error = OUT_OF_MEMORY;
  else
    g_byte_array_append (self->answer, (const guint8 *) &device, sizeof device);
}

static void
allocate (Session *self)
{
  CuredExec *exec = self->exec;
  guint64 address = 0;
  gsize size = (gsize) self->call.x[0];
  ExecMemoryKind kind = (ExecMemoryKind) self->call.x[1];

  if (size > EXEC_MEMORY_BYTES || !cured_memory_allocate (self->memory, size, &address, NULL))
    {
      /* As on a device: the program requested too much, and may continue with less. */
      self->reply.error = OUT_OF_MEMORY;
      return;
    }
  CuredExecBuffer *buffer =
      CURED_NEW (CuredExecBuffer, .address = address, .size = size, .kind = kind,
                 .device = (guint) self->call.x[2],
                 .site = _cured_exec_get_site (exec, (const char *) self->data->data));
  g_mutex_lock (&exec->mutex);
  g_ptr_array_add (exec->buffers, buffer);
  buffer->number = exec->buffers->len;
  g_mutex_unlock (&exec->mutex);
  g_hash_table_insert (self->buffers, &buffer->address, buffer);
  g_autofree char *name = g_strdup_printf (CURED_EXEC_BUFFER_NAME, buffer->number);
  /* Writes by the host program are not tracked. */
  cured_memory_label (self->memory, address, size, name, 0,
                      !EXEC_IS_OPEN (kind) && exec->options->watch == CURED_EXEC_CHECK &&
                          exec->options->n_blocks == 0);
  self->reply.x[0] = address;
}

/* (nullable): the last freed allocation at @address. */
static CuredExecBuffer *
find_freed (CuredExec *exec, guint64 address)
{
  CuredExecBuffer *found = NULL;

  g_mutex_lock (&exec->mutex);
  for (guint i = exec->buffers->len; i > 0 && found == NULL; i--)
    {
      CuredExecBuffer *buffer = g_ptr_array_index (exec->buffers, i - 1);

      if (buffer->address == address && buffer->is_freed)
        found = buffer;
    }
  g_mutex_unlock (&exec->mutex);
  return found;
}

static void
free_buffer (Session *self)
{
  guint64 address = self->call.x[0];
  CuredExecBuffer *buffer = g_hash_table_lookup (self->buffers, &address);
  const char *frames = (const char *) self->data->data;

  if (buffer == NULL)
    {
      CuredExecBuffer *freed = find_freed (self->exec, address);

      add_host_finding (
          self, CURED_FINDING_HEAP, N_ ("free"), frames,
          freed != NULL ? g_strdup_printf (CURED_EXEC_BUFFER_NAME, freed->number) : NULL,
          freed != NULL ? g_strdup (_ ("it was freed before"))
                        : g_strdup_printf (_ ("no allocation begins at 0x%" PRIx64), address));
      self->reply.error = INVALID_VALUE;
      return;
    }
  self->reply.x[0] = buffer->size;
  self->reply.x[1] = buffer->kind;
  g_hash_table_remove (self->buffers, &address);
  if (self->order != NULL)
    _cured_exec_order_forget (self->order, address, buffer->size);
  cured_memory_retire (self->memory, address);
  g_mutex_lock (&self->exec->mutex);
  buffer->is_freed = TRUE;
  g_mutex_unlock (&self->exec->mutex);
}

/* Whether rows are within one allocation. */
static gboolean
are_rows (Session *self, guint64 address, guint64 pitch, const ExecAccess *access, gsize *span)
{
  guint64 before = 0;

  return !__builtin_mul_overflow (pitch, access->n_rows - 1, &before) &&
         !__builtin_add_overflow (before, access->width, span) &&
         cured_memory_map (self->memory, address, *span) != NULL;
}

/* Reports an access outside of all allocations. */
static void
report_outside (Session *self, const char *what, guint64 address, gsize span, const char *frames)
{
  CuredExecBuffer *buffer = _cured_exec_find_buffer (self->buffers, address);
  char *object = NULL, *detail = NULL;

  if (buffer != NULL)
    {
      object = g_strdup_printf (CURED_EXEC_BUFFER_NAME, buffer->number);
      detail = g_strdup_printf (
          _ ("%zu bytes from byte %" PRIu64 " on, where the allocation has %" PRIu64), span,
          address - buffer->address, buffer->size);
    }
  else
    detail =
        g_strdup_printf (_ ("no allocation is at 0x%" PRIx64 "; it may have been freed"), address);
  add_host_finding (self, CURED_FINDING_OUT_OF_BOUNDS, what, frames, object, detail);
}

static void
touch_rows (Session *self, guint32 work, const ExecAccess *access)
{
  for (guint64 i = 0; work != 0 && i < access->n_rows; i++)
    {
      if (access->from != 0)
        _cured_exec_order_touch (self->order, work, access->from + i * access->from_pitch,
                                 access->width, FALSE, FALSE);
      if (access->to != 0)
        _cured_exec_order_touch (self->order, work, access->to + i * access->to_pitch,
                                 access->width, TRUE, FALSE);
    }
}

/* A mask of the written bytes of eight. */
static guint
get_written (Session *self, guint64 at)
{
  guint written = 0;

  for (guint i = 0; i < 8; i++)
    written |= (guint) cured_memory_is_defined (self->memory, at + i, 1) << i;
  return written;
}

/* Whether all unwritten bytes may be padding of structs: they are at the end of four bytes next to
 * four written ones, or of eight next to eight written ones. Unwritten bytes only at the very end
 * are more likely an array's last element. */
static gboolean
is_padding (Session *self, guint64 from, guint64 size)
{
  guint n_found = 0;
  gboolean is_last = FALSE;

  if (from % 8 != 0 || size % 8 != 0)
    return FALSE;
  for (guint64 at = from; at < from + size; at += 8)
    {
      guint written = cured_memory_is_defined (self->memory, at, 8) ? 0xff : get_written (self, at);
      guint low = written & 15, high = written >> 4;
      gboolean is_beside =
          (at > from && cured_memory_is_defined (self->memory, at - 8, 8)) ||
          (at + 8 < from + size && cured_memory_is_defined (self->memory, at + 8, 8));

      if (written == 0xff)
        continue;
      /* In each half, written bytes must precede unwritten ones. */
      if (low == 0 || (low & (low + 1)) != 0 || (high & (high + 1)) != 0 ||
          (high == 0 ? !is_beside : low != 15 && high != 15))
        return FALSE;
      n_found++;
      is_last = at + 8 == from + size && high != 15;
    }
  return n_found > 1 || !is_last;
}

/* Handles a copy or a memset of the program. If there is something to report, the program sends it
 * again with frames. */
static void
take_access (Session *self)
{
  ExecAccess access;
  gboolean is_told = self->call.x[0] != 0;
  const char *frames = (const char *) self->data->data + sizeof access;
  gsize to_span = 0, from_span = 0;
  gboolean is_inside = TRUE;
  guint32 work = 0;

  memcpy (&access, self->data->data, sizeof access);
  if (access.n_rows == 0 || access.width == 0)
    return;
  is_inside =
      (access.to == 0 || are_rows (self, access.to, access.to_pitch, &access, &to_span)) &&
      (access.from == 0 || are_rows (self, access.from, access.from_pitch, &access, &from_span));
  if (!is_inside && !is_told)
    self->reply.x[0] = 1;
  else if (!is_inside)
    {
      gboolean is_target = access.to != 0 && (from_span > 0 || to_span == 0 || access.from == 0);

      if (is_target && access.from != 0 &&
          are_rows (self, access.to, access.to_pitch, &access, &to_span))
        is_target = FALSE;
      report_outside (self, is_target ? N_ ("copy to") : N_ ("copy from"),
                      is_target ? access.to : access.from, is_target ? to_span : from_span, frames);
      self->reply.error = INVALID_VALUE;
    }
  if (!is_inside)
    return;
  if (!is_told)
    {
      work = begin_work (self, _ ("a copy or memset"));
      touch_rows (self, work, &access);
      end_work (self);
    }
  for (guint64 i = 0; i < access.n_rows; i++)
    {
      guint64 to = access.to + i * access.to_pitch, from = access.from + i * access.from_pitch;

      if (access.to != 0 && access.from != 0)
        cured_memory_copy_defined (self->memory, to, from, access.width);
      else if (access.to != 0)
        cured_memory_define (self->memory, to, access.width);
      else if (!cured_memory_is_defined (self->memory, from, access.width) &&
               !is_padding (self, from, access.width))
        {
          CuredExecBuffer *buffer = _cured_exec_find_buffer (self->buffers, from);

          if (!is_told)
            {
              self->reply.x[0] = 1;
              return;
            }
          add_host_finding (
              self, CURED_FINDING_UNWRITTEN, N_ ("copy to the host"), frames,
              buffer != NULL ? g_strdup_printf (CURED_EXEC_BUFFER_NAME, buffer->number) : NULL,
              g_strdup_printf (_ ("not all of these %" PRIu64 " bytes have been written yet"),
                               access.width * access.n_rows));
          return;
        }
    }
}

static void
query (Session *self)
{
  CuredExecBuffer *buffer = _cured_exec_find_buffer (self->buffers, self->call.x[0]);
  guint64 used = 0;
  GHashTableIter iter;
  gpointer value = NULL;

  if (buffer != NULL)
    {
      self->reply.x[0] = buffer->address;
      self->reply.x[1] = buffer->size;
      self->reply.x[2] = buffer->kind | (guint64) buffer->device << EXEC_DEVICE_SHIFT;
    }
  g_hash_table_iter_init (&iter, self->buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    used += ((CuredExecBuffer *) value)->size;
  self->reply.x[3] =
      (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGE_SIZE) / MEMORY_SHARE - used;
}

/* ---- Device code ---- */

static void
load (Session *self)
{
  const CuredLimits *limits = &self->exec->profile->limits;
  int arch = (int) (limits->compute_major * 10 + limits->compute_minor);
  g_autoptr (GError) error = NULL;
  Module *module = g_new0 (Module, 1);

  module->text = _cured_exec_image_get_ptx (self->data->data, self->data->len - 1, arch,
                                            &module->target, &error);
  if (module->text != NULL)
    module->ptx = cured_ptx_module_parse (module->text, -1, "PTX", &error);
  if (module->ptx == NULL || !cured_ptx_module_link (module->ptx, self->memory, &error))
    {
      if (self->exec->options->is_gpu)
        {
          _cured_exec_note (self->exec,
                            _ ("Kernels of which there is machine code alone were timed "
                               "and not saved: the emulator needs PTX"));
          g_clear_error (&error);
        }
      refuse (self, module->text == NULL ? NO_IMAGE : INVALID_PTX, g_steal_pointer (&error));
      module_free (module);
      return;
    }
  g_ptr_array_add (self->modules, module);
  self->reply.x[0] = self->modules->len - 1;
}

/* (nullable) */
static Module *
get_module (Session *self)
{
  guint64 index = self->call.x[0];

  return index < self->modules->len ? g_ptr_array_index (self->modules, (guint) index) : NULL;
}

static void
unload (Session *self)
{
  Module *module = get_module (self);

  if (module == NULL)
    return;
  cured_ptx_module_unlink (module->ptx, self->memory);
  /* Kernels that were looked up by name still point to it. */
  CURED_EACH_POINTER (Kernel, kernel, self->kernels)
    if (kernel->module == module)
      kernel->module = NULL;
  module_free (module);
  self->modules->pdata[self->call.x[0]] = NULL;
}

/* @module: (nullable): NULL: unknown */
static Kernel *
add_kernel (Session *self, Module *module, const char *symbol, guint64 parameter_bytes)
{
  const char *glob = self->exec->options->kernel;
  Kernel *kernel =
      CURED_NEW (Kernel, .module = module, .symbol = g_strdup (symbol),
                 .name = _cured_exec_demangle (symbol), .parameter_bytes = parameter_bytes);

  kernel->is_wanted = glob == NULL || g_pattern_match_simple (glob, kernel->name) ||
                      g_pattern_match_simple (glob, symbol);
  g_ptr_array_add (self->kernels, kernel);
  return kernel;
}

static void
find_function (Session *self)
{
  const char *symbol = (const char *) self->data->data;
  Module *module = get_module (self);
  CuredPtxEntry entry;
  CuredPtxParameter parameter;
  ExecFunction function = { 0 };
  guint n = 0;

  if (self->call.x[0] == EXEC_NO_MODULE)
    entry = (CuredPtxEntry){ 0 };
  else if (module == NULL || !cured_ptx_module_find_entry (module->ptx, symbol, &entry))
    {
      self->reply.error = NOT_FOUND;
      return;
    }
  while (module != NULL && cured_ptx_module_get_parameter (module->ptx, symbol, n, &parameter))
    n++;
  Kernel *kernel = add_kernel (self, module, symbol, entry.parameter_bytes);
  function = (ExecFunction){
    .id = self->kernels->len - 1,
    .n_parameters = n,
    .parameter_bytes = entry.parameter_bytes,
    .shared_bytes = entry.shared_bytes,
    .local_bytes = entry.local_bytes,
    .max_threads = entry.max_threads,
    .registers = entry.registers,
    .target = module != NULL ? module->target : 0,
    .cluster = { entry.cluster[0], entry.cluster[1], entry.cluster[2] },
  };
  self->reply.x[0] = module != NULL && kernel->is_wanted && self->exec->options->save != NULL;
  g_byte_array_append (self->answer, (const guint8 *) &function, sizeof function);
  for (guint i = 0; i < n; i++)
    {
      guint32 place[2];

      cured_ptx_module_get_parameter (module->ptx, symbol, i, &parameter);
      place[0] = (guint32) parameter.offset;
      place[1] = (guint32) parameter.size;
      g_byte_array_append (self->answer, (const guint8 *) place, sizeof place);
    }
}

static void
find_variable (Session *self)
{
  Module *module = get_module (self);
  gsize size = 0;

  if (module == NULL || !cured_ptx_module_find_variable (
                            module->ptx, (const char *) self->data->data, &self->reply.x[0], &size))
    self->reply.error = NOT_FOUND;
  self->reply.x[1] = size;
}

/* ---- Launches ---- */

/* The kernel's row of the report; with the lock held. */
static CuredExecKernel *
get_row (CuredExec *exec, const char *name, const ExecLaunch *launch)
{
  CuredExecKernel *row = g_hash_table_lookup (exec->kernels, name);

  if (row != NULL)
    return row;
  row = g_new0 (CuredExecKernel, 1);
  row->name = g_strdup (name);
  memcpy (row->grid, launch->grid, sizeof row->grid);
  memcpy (row->block, launch->block, sizeof row->block);
  g_ptr_array_add (exec->report->kernels, row);
  g_hash_table_insert (exec->kernels, row->name, row);
  return row;
}

/* Records a launch. Returns the number of previous launches of its kind. */
static guint
begin_launch (CuredExec *exec, const Kernel *kernel, const ExecLaunch *launch)
{
  const guint *g = launch->grid, *b = launch->block;
  g_autofree char *geometry =
      g_strdup_printf ("%s %u,%u,%u %u,%u,%u %" PRIu64, kernel->symbol, g[0], g[1], g[2], b[0],
                       b[1], b[2], launch->shared_bytes);

  g_mutex_lock (&exec->mutex);
  CuredExecKernel *row = get_row (exec, kernel->name, launch);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (exec->geometries, geometry));
  row->n_launches++;
  row->n_geometries += n == 0;
  g_hash_table_insert (exec->geometries, g_steal_pointer (&geometry), GUINT_TO_POINTER (n + 1));
  g_mutex_unlock (&exec->mutex);
  return n;
}

/* The error that the program gets for a failed launch. */
static int
get_launch_error (const CuredExec *exec, const CuredReport *report)
{
  int code = 0;

  CURED_EACH_POINTER (const CuredFinding, finding, report->findings)
    if (finding->kind == CURED_FINDING_TRAP)
      code = report->output != NULL && strstr (report->output->str, "Assertion") != NULL
                 ? ASSERT
                 : LAUNCH_FAILURE;
    else if (exec->options->keep_going)
      continue;
    else if (finding->kind == CURED_FINDING_MISALIGNED)
      code = MISALIGNED;
    else if (finding->kind == CURED_FINDING_OUT_OF_BOUNDS || finding->kind == CURED_FINDING_HEAP)
      code = ILLEGAL_ADDRESS;
  if (report->end == CURED_END_DONE)
    return code;
  if (report->end == CURED_END_TRAPPED)
    return code != 0 ? code : LAUNCH_FAILURE;
  return LAUNCH_TIMEOUT;
}

/* Records an executed instruction if its results differ between chips, or there is no rule for its
 * bank conflicts. */
static void
note_fidelity (CuredExec *exec, const CuredPtxInst *inst, const CuredSiteCounts *counts)
{
  guint precision = inst->words[CURED_PTX_GROUP_PRECISION];
  const char *mnemonic = _cured_ptx_ops[inst->op].mnemonic;

  if (precision == CURED_PTX_PRECISION_APPROX || precision == CURED_PTX_PRECISION_FULL)
    g_hash_table_add (exec->inexact, (gpointer) mnemonic);
  if (counts->shared_requests > 0 && counts->wavefronts == 0 && counts->remote == 0)
    g_hash_table_add (exec->unruled, (gpointer) mnemonic);
}

static void
end_launch (CuredExec *exec, const Kernel *kernel, const ExecLaunch *launch, CuredReport *report,
            gboolean is_watched, gint64 elapsed_us)
{
  g_mutex_lock (&exec->mutex);
  CuredExecKernel *row = get_row (exec, kernel->name, launch);
  row->n_watched += is_watched;
  row->instructions += report->instructions;
  row->elapsed_us += elapsed_us;
  exec->report->progress.n_launches++;
  exec->report->progress.instructions += report->instructions;
  for (guint i = 0; report->counts != NULL && i < report->n_counts; i++)
    {
      const CuredSiteCounts *counts = &report->counts[i];

      if (counts->issued > 0)
        note_fidelity (exec, &kernel->module->ptx->code[i], counts);
      row->wavefronts += counts->wavefronts;
      row->least += counts->least;
      row->sectors += counts->sectors;
      row->requests += counts->requests - counts->shared_requests - counts->local_requests;
      g_autoptr (CuredFinding) conflict =
          exec->options->watch == CURED_EXEC_BANKS
              ? _cured_ptx_find_conflict (kernel->module->ptx, i, kernel->name, counts)
              : NULL;
      if (conflict != NULL)
        cured_findings_add (exec->report->findings, conflict);
    }
  CURED_EACH_POINTER (CuredFinding, finding, report->findings)
    {
      /* On a chip, this memory is zero when a block begins. */
      if (finding->kind == CURED_FINDING_UNINITIALIZED && finding->object != NULL &&
          g_str_has_prefix (finding->object, CURED_EXEC_RESERVED))
        continue;
      g_free (finding->kernel);
      finding->kernel = g_strdup (kernel->name);
      if (exec->report->findings->len < CURED_MAX_FINDINGS)
        cured_findings_add (exec->report->findings, finding);
    }
  g_mutex_unlock (&exec->mutex);
  if (report->end != CURED_END_DONE && report->end_text != NULL &&
      !g_cancellable_is_cancelled (exec->cancellable))
    {
      g_auto (GStrv) parts = g_strsplit (report->end_text, kernel->symbol, -1);
      g_autofree char *text = g_strjoinv (kernel->name, parts);

      _cured_exec_note (exec, "%s", text);
    }
}

/* Blocks of a grid, evenly spread. (nullable): NULL: all */
static guint64 *
choose_blocks (const CuredExec *exec, const ExecLaunch *launch, gsize *n_blocks)
{
  guint64 n = exec->options->n_blocks;
  guint64 all = (guint64) launch->grid[0] * launch->grid[1] * launch->grid[2];

  *n_blocks = 0;
  if (n == 0 || n >= all || launch->is_cooperative)
    return NULL;
  guint64 *blocks = g_new (guint64, n);
  for (guint64 i = 0; i < n; i++)
    blocks[i] = (guint64) ((__uint128_t) i * all / n);
  *n_blocks = n;
  return blocks;
}

/* Whether there is anything to launch. */
static gboolean
is_possible (const ExecLaunch *launch)
{
  for (int i = 0; i < 3; i++)
    if (launch->grid[i] == 0 || launch->block[i] == 0)
      return FALSE;
  return TRUE;
}

/* (nullable): the kernel of the requested launch; NULL if the request is invalid, and refused. */
static Kernel *
get_launch (Session *self, ExecLaunch *launch)
{
  Kernel *kernel = NULL;

  memcpy (launch, self->data->data, sizeof *launch);
  if (launch->function < self->kernels->len)
    kernel = g_ptr_array_index (self->kernels, launch->function);
  if (kernel == NULL || kernel->module == NULL ||
      launch->n_bytes > self->data->len - 1 - sizeof *launch ||
      launch->n_bytes < kernel->parameter_bytes)
    {
      self->reply.error = INVALID_DEVICE_FUNCTION;
      return NULL;
    }
  return kernel;
}

static CuredExecSave *
begin_save (Session *self, const Kernel *kernel, const ExecLaunch *launch, const guint8 *parameters)
{
  return _cured_exec_save_begin (&(CuredExecSaving){ .exec = self->exec,
                                                     .folder = self->exec->options->save,
                                                     .memory = self->memory,
                                                     .buffers = self->buffers,
                                                     .ptx = kernel->module->ptx,
                                                     .text = kernel->module->text,
                                                     .symbol = kernel->symbol,
                                                     .name = kernel->name,
                                                     .launch = launch,
                                                     .parameters = parameters });
}

/* Runs one kernel. @work: from begin_work (). FALSE if it failed; the error is in the
 * reply. */
static gboolean
run_launch (Session *self, const Kernel *kernel, const ExecLaunch *asked, const guint8 *parameters,
            guint32 work)
{
  CuredExec *exec = self->exec;
  g_auto (CuredReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree guint64 *blocks = NULL;
  CuredLaunch launch = { .memory = self->memory, .limits = &exec->profile->limits };
  CuredExecSave *save = NULL;
  guint n_alike = begin_launch (exec, kernel, asked);
  gboolean is_watched =
      kernel->is_wanted && (exec->options->first == 0 || n_alike < exec->options->first);
  gint64 begin_us = g_get_monotonic_time ();
  Tracing tracing = { self->order, work };

  if (exec->options->save != NULL && kernel->is_wanted && n_alike == 0 && is_possible (asked))
    save = begin_save (self, kernel, asked, parameters);
  launch.module = kernel->module->ptx;
  launch.entry = kernel->symbol;
  memcpy (launch.grid, asked->grid, sizeof launch.grid);
  memcpy (launch.block, asked->block, sizeof launch.block);
  memcpy (launch.cluster, asked->cluster, sizeof launch.cluster);
  launch.is_cooperative = asked->is_cooperative != 0;
  launch.shared_bytes = (gsize) asked->shared_bytes;
  launch.parameters = parameters;
  launch.parameters_bytes = asked->n_bytes;
  launch.textures = (const CuredTexture *) (gpointer) self->textures->data;
  launch.n_textures = self->textures->len;
  launch.blocks = blocks = choose_blocks (exec, asked, &launch.n_blocks);
  if (is_watched)
    launch.watch =
        CURED_WATCH_COUNTS |
        (exec->options->watch == CURED_EXEC_CHECK ? CURED_WATCH_RACES | CURED_WATCH_UNDEFINED : 0);
  if (tracing.work != 0 && is_watched)
    {
      launch.trace = trace_cb;
      launch.is_trace_global = TRUE;
      launch.trace_data = &tracing;
    }
  if (!cured_emulator_launch (&launch, &report, exec->cancellable, &error))
    {
      self->reply.error = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                              ? LAUNCH_TIMEOUT
                              : INVALID_CONFIGURATION;
      if (self->reply.error != LAUNCH_TIMEOUT)
        refuse (self, INVALID_CONFIGURATION, g_steal_pointer (&error));
    }
  if (save != NULL)
    _cured_exec_save_end (save, self->reply.error == 0 && report.end == CURED_END_DONE &&
                                    launch.blocks == NULL);
  if (report.findings == NULL)
    return FALSE;
  if (!is_watched && exec->options->watch == CURED_EXEC_CHECK)
    cured_memory_define_all (self->memory);
  end_launch (exec, kernel, asked, &report, is_watched, g_get_monotonic_time () - begin_us);
  self->reply.x[0] = (guint64) get_launch_error (exec, &report);
  if (report.output != NULL)
    g_byte_array_append (self->answer, (const guint8 *) report.output->str,
                         (guint) report.output->len);
  return self->reply.error == 0 && self->reply.x[0] == 0;
}

/* ---- Launches by kernels ---- */

/* (nullable): the kernel at an address taken by device code. */
static Kernel *
get_nested_kernel (Session *self, Module *module, guint64 address)
{
  const CuredPtxFunction *function =
      address - 1 < module->ptx->n_functions ? &module->ptx->functions[address - 1] : NULL;

  if (function == NULL || !function->is_entry || !function->is_defined ||
      function->parameter_bytes > CURED_EXEC_MAX_NESTED_BYTES)
    return NULL;
  CURED_EACH_POINTER (Kernel, kernel, self->kernels)
    if (kernel->module == module && g_str_equal (kernel->symbol, function->name))
      return kernel;
  return add_kernel (self, module, function->name, function->parameter_bytes);
}

/* FALSE if it failed. */
static gboolean
run_nested (Session *self, Module *module, const CuredExecNested *nested, guint32 work)
{
  const guint64 *x = nested->x;
  gboolean is_copy = nested->kind == CURED_EXEC_NESTED_COPY;
  guint8 *to = NULL;
  const guint8 *from = NULL;
  Kernel *kernel = NULL;
  ExecLaunch launch = { .shared_bytes = nested->shared_bytes };

  if (nested->kind != CURED_EXEC_NESTED_LAUNCH)
    {
      to = cured_memory_map (self->memory, x[0], x[2]);
      from = is_copy ? cured_memory_map (self->memory, x[1], x[2]) : to;
      if (to == NULL || from == NULL)
        {
          _cured_exec_note (
              self->exec,
              _ ("A kernel asked for a copy or memset of %" PRIu64 " bytes beyond an allocation"),
              x[2]);
          self->reply.x[0] = ILLEGAL_ADDRESS;
          return FALSE;
        }
      if (is_copy)
        {
          memmove (to, from, x[2]);
          cured_memory_copy_defined (self->memory, x[0], x[1], x[2]);
        }
      else
        {
          memset (to, (int) x[1], x[2]);
          cured_memory_define (self->memory, x[0], x[2]);
        }
      return TRUE;
    }
  kernel = get_nested_kernel (self, module, x[0]);
  if (kernel == NULL)
    {
      _cured_exec_note (self->exec, _ ("A kernel launched what is no kernel of its module"));
      self->reply.x[0] = LAUNCH_FAILURE;
      return FALSE;
    }
  memcpy (launch.grid, nested->grid, sizeof launch.grid);
  memcpy (launch.block, nested->block, sizeof launch.block);
  launch.n_bytes = (guint32) kernel->parameter_bytes;
  return run_launch (self, kernel, &launch, nested->parameters, work);
}

/* The new requests of @module's kernel come first, then earlier ones. */
static GList *
take_nested (Session *self, const Module *module, GList *before)
{
  gboolean is_full = FALSE;
  GList *nested = _cured_exec_nested_take (module->ptx, self->memory, &is_full);

  if (is_full)
    _cured_exec_note (self->exec, _ ("A kernel launched more than a chip has room for by default; "
                                     "the rest was refused (cudaErrorLaunchPendingCountExceeded)"));
  return g_list_concat (nested, before);
}

static void
take_launch (Session *self)
{
  ExecLaunch asked;
  Kernel *kernel = get_launch (self, &asked);

  if (kernel == NULL)
    return;
  guint32 work = begin_work (self, kernel->name);
  gboolean is_fine = run_launch (self, kernel, &asked, self->data->data + sizeof asked, work);
  GList *nested = take_nested (self, kernel->module, NULL);
  while (nested != NULL)
    {
      g_autofree CuredExecNested *next = nested->data;

      nested = g_list_delete_link (nested, nested);
      is_fine = is_fine && run_nested (self, kernel->module, next, work);
      nested = take_nested (self, kernel->module, nested);
    }
  end_work (self);
}

/* ---- Launches on a GPU ---- */

static void
list_variable (Session *self)
{
  Module *module = get_module (self);
  const char *name = NULL;
  gsize size = 0;

  if (module == NULL || !cured_ptx_module_get_variable (module->ptx, (guint) self->call.x[1], &name,
                                                        &self->reply.x[0], &size))
    {
      self->reply.error = NOT_FOUND;
      return;
    }
  self->reply.x[1] = size;
  g_byte_array_append (self->answer, (const guint8 *) name, (guint) strlen (name));
}

static void
take_record (Session *self)
{
  if (self->save != NULL || self->exec->options->save == NULL)
    {
      self->reply.error = INVALID_VALUE;
      return;
    }
  Kernel *kernel = get_launch (self, &self->saved);
  if (kernel == NULL)
    return;
  cured_memory_define_all (self->memory);
  self->save = begin_save (self, kernel, &self->saved, self->data->data + sizeof self->saved);
}

static void
take_recorded (Session *self)
{
  if (self->save != NULL)
    _cured_exec_save_end (self->save, self->call.x[0] == 0);
  self->save = NULL;
}

static void
take_times (Session *self)
{
  CuredExec *exec = self->exec;

  for (gsize at = 0; at + sizeof (ExecTime) < self->data->len; at += sizeof (ExecTime))
    {
      ExecTime time;
      GArray *times = NULL;

      memcpy (&time, self->data->data + at, sizeof time);
      if (time.launch.function >= self->kernels->len)
        continue;
      const Kernel *kernel = g_ptr_array_index (self->kernels, time.launch.function);
      begin_launch (exec, kernel, &time.launch);
      g_mutex_lock (&exec->mutex);
      CuredExecKernel *row = get_row (exec, kernel->name, &time.launch);
      times = g_hash_table_lookup (exec->times, row);
      if (times == NULL)
        {
          times = g_array_new (FALSE, FALSE, sizeof (double));
          g_hash_table_insert (exec->times, row, times);
        }
      if (time.ns >= 0)
        g_array_append_val (times, time.ns);
      exec->report->progress.n_launches++;
      g_mutex_unlock (&exec->mutex);
    }
}

/* ---- Textures ---- */

static void
make_texture (Session *self)
{
  static const struct
  {
    guint kind; /* cudaChannelFormatKind */
    guint bits;
    CuredPtxType type;
  } types[] = {
    { 0, 8, CURED_PTX_S8 },   { 0, 16, CURED_PTX_S16 }, { 0, 32, CURED_PTX_S32 },
    { 1, 8, CURED_PTX_U8 },   { 1, 16, CURED_PTX_U16 }, { 1, 32, CURED_PTX_U32 },
    { 2, 16, CURED_PTX_F16 }, { 2, 32, CURED_PTX_F32 },
  };
  ExecTexture asked;
  CuredTexture texture = { 0 };

  memcpy (&asked, self->data->data, sizeof asked);
  while (texture.n_channels < 4 && asked.bits[texture.n_channels] != 0)
    texture.n_channels++;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (asked.kind == types[i].kind && asked.bits[0] == types[i].bits)
      texture.type = types[i].type;
  if (texture.type == CURED_PTX_TYPE_NONE || texture.n_channels == 0 || texture.n_channels == 3)
    {
      self->reply.error = INVALID_VALUE;
      return;
    }
  texture.address = asked.address;
  texture.n_elements = asked.n_bytes / (asked.bits[0] / 8 * texture.n_channels);
  texture.is_normalized = asked.is_normalized != 0;
  texture.n_dims = (guint8) asked.n_dims;
  texture.is_cube = asked.is_cube != 0;
  texture.n_layers = asked.n_layers;
  texture.has_filter = asked.has_filter != 0;
  texture.is_unit = asked.is_unit != 0;
  texture.pitch = asked.pitch;
  texture.plane = asked.plane;
  for (guint i = 0; i < 3; i++)
    {
      texture.size[i] = asked.size[i];
      /* Other modes need coordinates from 0 to 1. */
      texture.modes[i] = texture.is_unit || asked.modes[i] == CURED_EDGE_BORDER
                             ? (guint8) asked.modes[i]
                             : CURED_EDGE_CLAMP;
    }
  memcpy (texture.border, asked.border, sizeof texture.border);
  if (texture.n_dims > 3 || (texture.n_dims > 0 && MIN (texture.size[0], texture.size[1]) == 0) ||
      (texture.n_dims > 0 && texture.size[2] == 0))
    {
      self->reply.error = INVALID_VALUE;
      return;
    }
  self->reply.x[0] = CURED_TEXTURE_HANDLE + self->textures->len;
  g_array_append_val (self->textures, texture);
}

/* ---- Notes ---- */

static void
take_note (Session *self)
{
  char *name = (char *) self->data->data, *frames = strchr (name, '\n');
  g_autofree char *place = NULL;

  if (frames == NULL)
    return;
  *frames++ = '\0';
  switch (self->call.x[0])
    {
    case EXEC_NOTE_MISSING:
      place = _cured_exec_site_to_string (_cured_exec_get_site (self->exec, frames));
      _cured_exec_note (self->exec,
                        _ ("%s, called at %s, is not supported here: it returned an error"), name,
                        place != NULL ? place : "?");
      break;
    case EXEC_NOTE_NO_TIME:
      _cured_exec_note (self->exec, _ ("%s gave no number (NaN): there is no time on the emulator"),
                        name);
      break;
    case EXEC_NOTE_TOUCHED:
      add_host_finding (self, CURED_FINDING_OUT_OF_BOUNDS, N_ ("access of the host"), frames, NULL,
                        g_strdup (_ ("the program itself touched memory of the device, which only "
                                     "kernels and copies can")));
      break;
    case EXEC_NOTE_UNCAUGHT:
      _cured_exec_note (self->exec,
                        _ ("The program's CUDA runtime is linked into it and its symbols were "
                           "stripped, so that it can't be caught; build it with "
                           "NVCC_APPEND_FLAGS=\"-cudart shared\", or without strip"));
      break;
    case EXEC_NOTE_CLOSED:
      place = g_path_get_basename (name);
      _cured_exec_note (self->exec,
                        _ ("%s has a CUDA runtime of its own that can't be caught, as closed "
                           "libraries have: its kernels do not run here"),
                        place);
      break;
    case EXEC_NOTE_NOT_SAVED:
      _cured_exec_note (self->exec, _ ("A launch was not saved: %s"), name);
      break;
    default: break;
    }
}

/* ---- The connection ---- */

/* ORDER: as ExecOp. Least number of bytes with a call. */
static const struct
{
  void (*run) (Session *self);
  gsize n_bytes;
  gboolean needs_memory;
} calls[] = {
  [EXEC_HELLO] = { hello, 0, FALSE },
  [EXEC_ALLOCATE] = { allocate, 0, TRUE },
  [EXEC_FREE] = { free_buffer, 0, TRUE },
  [EXEC_ACCESS] = { take_access, sizeof (ExecAccess), TRUE },
  [EXEC_QUERY] = { query, 0, TRUE },
  [EXEC_LOAD] = { load, 0, TRUE },
  [EXEC_UNLOAD] = { unload, 0, TRUE },
  [EXEC_FUNCTION] = { find_function, 0, TRUE },
  [EXEC_VARIABLE] = { find_variable, 0, TRUE },
  [EXEC_LAUNCH] = { take_launch, sizeof (ExecLaunch), TRUE },
  [EXEC_TEXTURE] = { make_texture, sizeof (ExecTexture), TRUE },
  [EXEC_NOTE] = { take_note, 0, TRUE },
  [EXEC_ORDER] = { take_order, 0, TRUE },
  [EXEC_VARIABLES] = { list_variable, 0, TRUE },
  [EXEC_RECORD] = { take_record, sizeof (ExecLaunch), TRUE },
  [EXEC_RECORDED] = { take_recorded, 0, TRUE },
  [EXEC_TIMES] = { take_times, 0, TRUE },
};

static gboolean
answer_call (Session *self)
{
  guint op = self->call.op;

  self->reply = (ExecReply){ 0 };
  g_byte_array_set_size (self->answer, 0);
  if (op >= G_N_ELEMENTS (calls) || calls[op].run == NULL ||
      self->data->len - 1 < calls[op].n_bytes || (calls[op].needs_memory && self->memory == NULL))
    self->reply.error = INVALID_VALUE;
  else
    calls[op].run (self);
  self->reply.n_bytes = self->answer->len;
  return send_bytes (self->fd, &self->reply, sizeof self->reply,
                     op == EXEC_HELLO ? self->memory_fd : -1) &&
         send_bytes (self->fd, self->answer->data, self->answer->len, -1);
}

/* @self: a program that runs
 * @fd: (transfer full): descriptor of its connection
 *
 * Answers the program's calls until it ends. Blocks. */
void
_cured_exec_serve (CuredExec *self, int fd)
{
  Session session = {
    .exec = self,
    .fd = fd,
    .memory_fd = -1,
    .modules = g_ptr_array_new_with_free_func ((GDestroyNotify) module_free),
    .kernels = g_ptr_array_new_with_free_func ((GDestroyNotify) kernel_free),
    .textures = g_array_new (FALSE, FALSE, sizeof (CuredTexture)),
    .buffers = g_hash_table_new (g_int64_hash, g_int64_equal),
    .data = g_byte_array_new (),
    .answer = g_byte_array_new (),
  };

  while (receive (fd, &session.call, sizeof session.call) && session.call.n_bytes < MAX_MESSAGE)
    {
      g_byte_array_set_size (session.data, session.call.n_bytes + 1);
      if (!receive (fd, session.data->data, session.call.n_bytes))
        break;
      session.data->data[session.call.n_bytes] = 0;
      if (!answer_call (&session))
        break;
    }
  if (session.save != NULL)
    _cured_exec_save_end (session.save, FALSE);
  g_ptr_array_unref (session.kernels);
  g_ptr_array_unref (session.modules);
  g_array_unref (session.textures);
  g_hash_table_unref (session.buffers);
  g_clear_pointer (&session.order, _cured_exec_order_free);
  g_clear_pointer (&session.memory, cured_memory_free);
  if (session.memory_fd >= 0)
    close (session.memory_fd);
  g_byte_array_unref (session.data);
  g_byte_array_unref (session.answer);
  close (fd);
}

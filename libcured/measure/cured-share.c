/* SPDX-License-Identifier: MIT
 * Contents of buffers, which the processes of a host make once and share.
 *
 * Implementation notes
 *
 * The workers of a run need the same inputs and expected outputs, and each would keep all cores
 * busy making them: on two H100s, preparing took 30.2 % of the devices' time instead of 13.9 %,
 * and two devices were 1.57 times as fast as one. They share one memfd: a table, and behind it an
 * area for each row, together much larger than any memory. Unwritten pages cost nothing. It has no
 * name that could be left behind, and the memory is freed with the last process, however that
 * ends.
 *
 * A process opens a separate file description for contents, with a lock on their row's byte: a
 * write lock while making them, a read lock while using them. So the row of a maker that dies is
 * released, and contents in use are never discarded. The table's own lock is held only briefly, and
 * never while waiting for a row.
 *
 * If anything fails (no /proc, no memory, a foreign file), contents are made in the process's own
 * memory, as without a share. */
#include "measure/cured-share-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-own.h"

#define MAGIC      G_GUINT64_CONSTANT (0x3165726168536443)
#define N_ROWS     64
#define MAX_ASKED  16
#define KEY_BYTES  32
#define PLACE_BITS 38
#define FILE_BYTES ((off_t) (N_ROWS + 1) << PLACE_BITS)
#define SEALS      (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

/* Offsets of the locked bytes, whose contents do not matter. */
#define TABLE_LOCK    0
#define ROW_LOCK(row) (1 + (off_t) (row))

typedef enum
{
  ROW_EMPTY = 0,
  ROW_BEGUN,
  ROW_MADE,
} RowState;

typedef struct
{
  guint8 key[KEY_BYTES];
  guint64 size;
  guint64 used; /* time of last use, by @time of the table */
  guint32 state, n_asked;
  CuredParameterValue asked[MAX_ASKED];
} Row;

typedef struct
{
  guint64 magic; /* 0: not used yet */
  guint64 time;  /* counts reads */
  Row rows[N_ROWS];
} Table;

struct _CuredShare
{
  int fd;
  Table *table;
};

typedef struct
{
  CuredContents parent;
  int fd; /* description that holds the lock; -1: private memory */
} Contents;

/* -- Locks -- */

static gboolean
set_lock (int fd, int command, short type, off_t byte)
{
  struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
  int result;

  do
    result = fcntl (fd, command, &lock);
  while (result < 0 && errno == EINTR);
  return result == 0;
}

/* Opens another file description, to own a lock. */
static int
open_again (const CuredShare *self)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", self->fd);

  return open (path, O_RDWR | O_CLOEXEC);
}

/* -- Rows, with the table's lock held -- */

static off_t
get_place (guint row)
{
  return (off_t) (row + 1) << PLACE_BITS;
}

static void
clear_row (CuredShare *self, guint index)
{
  Row *row = &self->table->rows[index];

  row->state = ROW_EMPTY;
  fallocate (self->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, get_place (index),
             (off_t) 1 << PLACE_BITS);
}

static gboolean
is_asked_for (const CuredParameterValue *asked, guint n_asked, const gint64 *values, gsize n_values)
{
  for (guint i = 0; i < n_asked; i++)
    if (asked[i].parameter >= n_values || values[asked[i].parameter] != asked[i].value)
      return FALSE;
  return TRUE;
}

typedef enum
{
  FOUND_NOTHING,
  FOUND_MADE,  /* made; with a read lock */
  FOUND_BEGUN, /* begun by another worker */
} Found;

static Found
find_row (CuredShare *self, int fd, const guint8 *key, gsize size, const gint64 *values,
          gsize n_values, guint *index)
{
  for (guint i = 0; i < N_ROWS; i++)
    {
      Row *row = &self->table->rows[i];

      if (row->state == ROW_EMPTY || row->size != size || memcmp (row->key, key, KEY_BYTES) != 0)
        continue;
      *index = i;
      if (!set_lock (fd, F_OFD_SETLK, F_RDLCK, ROW_LOCK (i)))
        return FOUND_BEGUN;
      if (row->state == ROW_MADE &&
          is_asked_for (row->asked, MIN (row->n_asked, MAX_ASKED), values, n_values))
        {
          row->used = ++self->table->time;
          return FOUND_MADE;
        }
      /* The process that began it has died. */
      if (row->state == ROW_BEGUN)
        clear_row (self, i);
      set_lock (fd, F_OFD_SETLK, F_UNLCK, ROW_LOCK (i));
    }
  return FOUND_NOTHING;
}

/* Discards the least recently used contents; FALSE if all are in use. */
static gboolean
drop_oldest (CuredShare *self, int fd)
{
  gboolean is_tried[N_ROWS] = { FALSE };

  for (;;)
    {
      guint oldest = N_ROWS;

      for (guint i = 0; i < N_ROWS; i++)
        if (self->table->rows[i].state != ROW_EMPTY && !is_tried[i] &&
            (oldest == N_ROWS || self->table->rows[i].used < self->table->rows[oldest].used))
          oldest = i;
      if (oldest == N_ROWS)
        return FALSE;
      is_tried[oldest] = TRUE;
      if (!set_lock (fd, F_OFD_SETLK, F_WRLCK, ROW_LOCK (oldest)))
        continue;
      clear_row (self, oldest);
      set_lock (fd, F_OFD_SETLK, F_UNLCK, ROW_LOCK (oldest));
      return TRUE;
    }
}

/* Begins an empty row, with a write lock, making room for its contents. */
static gboolean
begin_row (CuredShare *self, int fd, const guint8 *key, gsize size, guint *index)
{
  for (;;)
    {
      guint64 kept = size;
      guint empty = N_ROWS;

      for (guint i = 0; i < N_ROWS; i++)
        if (self->table->rows[i].state == ROW_EMPTY)
          empty = i;
        else
          kept += self->table->rows[i].size;
      /* Contents in use may exceed the limit. */
      if ((empty == N_ROWS || kept > CURED_SHARE_KEPT_BYTES) && drop_oldest (self, fd))
        continue;
      if (empty == N_ROWS || !set_lock (fd, F_OFD_SETLK, F_WRLCK, ROW_LOCK (empty)))
        return FALSE;
      memcpy (self->table->rows[empty].key, key, KEY_BYTES);
      self->table->rows[empty].size = size;
      self->table->rows[empty].used = ++self->table->time;
      self->table->rows[empty].n_asked = 0;
      self->table->rows[empty].state = ROW_BEGUN;
      *index = empty;
      return TRUE;
    }
}

/* -- Contents -- */

static CuredContents *
contents_new (const void *data, gsize size, GArray *asked, int fd)
{
  Contents *self = g_atomic_rc_box_new0 (Contents);

  self->parent.data = data;
  self->parent.size = size;
  self->parent.asked = g_array_ref (asked);
  self->fd = fd;
  return &self->parent;
}

static void
contents_clear (gpointer data)
{
  Contents *self = data;

  if (self->fd < 0)
    g_free ((void *) self->parent.data);
  else
    {
      munmap ((void *) self->parent.data, MAX (self->parent.size, 1));
      close (self->fd);
    }
  g_array_unref (self->parent.asked);
}

static CuredContents *
make_own (gsize size, CuredContentsFunc make, gpointer user_data, GError **error)
{
  g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (CuredParameterValue));
  g_autofree void *data = g_try_malloc (MAX (size, 1));

  if (data == NULL)
    return cured_fail_null (error, CURED_ERROR_DEVICE,
                            g_dngettext (GETTEXT_PACKAGE, "No memory for %zu byte",
                                         "No memory for %zu bytes", (gulong) size),
                            size);
  if (!make (data, asked, user_data, error))
    return NULL;
  return contents_new (g_steal_pointer (&data), size, asked, -1);
}

/* Makes the contents of the begun row @index. NULL without an error: the share has no memory for
 * them. */
static CuredContents *
make_row (CuredShare *self, int fd, guint index, gsize size, CuredContentsFunc make,
          gpointer user_data, GError **error)
{
  g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (CuredParameterValue));
  Row *row = &self->table->rows[index];
  void *data = MAP_FAILED;
  gboolean is_made = FALSE;

  /* Without this, writing pages for which there is no memory would kill the process. */
  if (fallocate (fd, 0, get_place (index), (off_t) MAX (size, 1)) == 0)
    data = mmap (NULL, MAX (size, 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, get_place (index));
  if (data != MAP_FAILED)
    is_made = make (data, asked, user_data, error);
  set_lock (fd, F_OFD_SETLKW, F_WRLCK, TABLE_LOCK);
  if (is_made && asked->len <= MAX_ASKED)
    {
      memcpy (row->asked, asked->data, asked->len * sizeof (CuredParameterValue));
      row->n_asked = asked->len;
      row->state = ROW_MADE;
    }
  else
    {
      /* Others may reuse the row's pages once it is cleared, so keep a copy. */
      g_autofree void *copy = is_made ? g_memdup2 (data, MAX (size, 1)) : NULL;

      clear_row (self, index);
      set_lock (fd, F_OFD_SETLK, F_UNLCK, TABLE_LOCK);
      if (data != MAP_FAILED)
        munmap (data, MAX (size, 1));
      close (fd);
      return copy != NULL ? contents_new (g_steal_pointer (&copy), size, asked, -1) : NULL;
    }
  set_lock (fd, F_OFD_SETLK, F_RDLCK, ROW_LOCK (index));
  set_lock (fd, F_OFD_SETLK, F_UNLCK, TABLE_LOCK);
  mprotect (data, MAX (size, 1), PROT_READ);
  return contents_new (data, size, asked, fd);
}

static CuredContents *
open_row (CuredShare *self, int fd, guint index, gsize size)
{
  const Row *row = &self->table->rows[index];
  g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (CuredParameterValue));
  void *data = mmap (NULL, MAX (size, 1), PROT_READ, MAP_SHARED, fd, get_place (index));

  if (data == MAP_FAILED)
    return NULL;
  g_array_append_vals (asked, row->asked, MIN (row->n_asked, MAX_ASKED));
  return contents_new (data, size, asked, fd);
}

/* Any thread may call it. Blocks while another process makes the contents.
 *
 * @self: (nullable): the share; NULL: do not share
 * @size: bytes of the contents
 * @values: (array length=n_values): values of the parameters
 * @is_needed: whether to wait for a process that makes
 * them, and to make them in private memory if they can't be
 * shared
 * @make: called to make them if no process has
 * Returns: (transfer full) (nullable): the contents, which are valid while there is a reference;
 *   NULL without an error if they are not needed */
CuredContents *
_cured_share_take (CuredShare *self, const char *key, gsize size, const gint64 *values,
                   gsize n_values, gboolean is_needed, CuredContentsFunc make, gpointer user_data,
                   GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  CuredContents *contents = NULL;
  GError *make_error = NULL;
  guint8 digest[KEY_BYTES];
  gsize digest_bytes = KEY_BYTES;
  Found found = FOUND_BEGUN;
  guint index = 0;
  int fd = -1;

  g_checksum_update (sum, (const guchar *) key, -1);
  g_checksum_get_digest (sum, digest, &digest_bytes);
  if (self != NULL && size < (gsize) 1 << PLACE_BITS)
    fd = open_again (self);
  while (fd >= 0 && found == FOUND_BEGUN)
    {
      if (!set_lock (fd, F_OFD_SETLKW, F_WRLCK, TABLE_LOCK))
        break;
      found = find_row (self, fd, digest, size, values, n_values, &index);
      if (found == FOUND_NOTHING && begin_row (self, fd, digest, size, &index))
        {
          set_lock (fd, F_OFD_SETLK, F_UNLCK, TABLE_LOCK);
          contents = make_row (self, fd, index, size, make, user_data, &make_error);
          fd = contents != NULL ? fd : -1;
          break;
        }
      set_lock (fd, F_OFD_SETLK, F_UNLCK, TABLE_LOCK);
      if (found == FOUND_MADE)
        contents = open_row (self, fd, index, size);
      if (found != FOUND_BEGUN || !is_needed)
        break;
      /* Look again, since the maker may have failed, or the row may have been reused. */
      set_lock (fd, F_OFD_SETLKW, F_RDLCK, ROW_LOCK (index));
      set_lock (fd, F_OFD_SETLK, F_UNLCK, ROW_LOCK (index));
    }
  if (contents != NULL)
    return contents;
  if (make_error != NULL)
    {
      g_propagate_error (error, make_error);
      return NULL;
    }
  if (fd >= 0)
    close (fd);
  return is_needed ? make_own (size, make, user_data, error) : NULL;
}

/* @values: (array length=n_values): values of the parameters
 * Returns: whether @self was made for these values, as far as it depends on them */
gboolean
_cured_contents_fit (const CuredContents *self, const gint64 *values, gsize n_values)
{
  return is_asked_for ((const CuredParameterValue *) (void *) self->asked->data, self->asked->len,
                       values, n_values);
}

CURED_DEFINE_RC (CuredContents, _cured_contents, contents_clear)

/* -- The share -- */

/* Takes ownership of @fd. */
static CuredShare *
share_new_take (int fd)
{
  Table *table = mmap (NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (table == MAP_FAILED)
    {
      close (fd);
      return NULL;
    }
  CuredShare *self = g_new0 (CuredShare, 1);
  self->fd = fd;
  self->table = table;
  return self;
}

/* Returns: (transfer full) (nullable): an empty share; NULL if this machine does not support one
 */
CuredShare *
_cured_share_new (void)
{
  struct rlimit limit;

  /* Exceeding the limit of a file's size would raise a signal. */
  if (getrlimit (RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur < (rlim_t) FILE_BYTES)
    return NULL;
  int fd = memfd_create ("cured-share", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return NULL;
  if (ftruncate (fd, FILE_BYTES) < 0 || fcntl (fd, F_ADD_SEALS, SEALS) < 0 ||
      fallocate (fd, 0, 0, sizeof (Table)) < 0)
    {
      close (fd);
      return NULL;
    }
  CuredShare *self = share_new_take (fd);
  if (self != NULL)
    self->table->magic = MAGIC;
  return self;
}

/* Returns: (transfer full) (nullable): the share; NULL if @fd is not one */
CuredShare *
_cured_share_open (int fd)
{
  struct stat info;

  if (fstat (fd, &info) < 0 || info.st_size != FILE_BYTES ||
      (fcntl (fd, F_GET_SEALS) & SEALS) != SEALS)
    return NULL;
  int own_fd = fcntl (fd, F_DUPFD_CLOEXEC, 3);
  if (own_fd < 0)
    return NULL;
  g_autoptr (CuredShare) self = share_new_take (own_fd);
  if (self == NULL || self->table->magic != MAGIC)
    return NULL;
  return g_steal_pointer (&self);
}

/* @self: (transfer full) (nullable): a share; contents taken from it stay valid */
void
_cured_share_free (CuredShare *self)
{
  if (self == NULL)
    return;
  munmap (self->table, sizeof *self->table);
  close (self->fd);
  g_free (self);
}

static GMutex common_mutex;
static CuredShare *common;
static guint n_common;

/* Returns: (transfer none) (nullable): the share of all workers of this process, until
 *   _cured_share_leave(); NULL if this machine does not support one */
CuredShare *
_cured_share_enter (void)
{
  g_mutex_lock (&common_mutex);
  if (n_common == 0)
    common = _cured_share_new ();
  CuredShare *self = common;
  if (self != NULL)
    n_common++;
  g_mutex_unlock (&common_mutex);
  return self;
}

/* Releases what _cured_share_enter() returned. The last worker frees the share; its contents are
 * freed when no process has them open. */
void
_cured_share_leave (void)
{
  g_mutex_lock (&common_mutex);
  g_assert (n_common > 0);
  if (--n_common == 0)
    g_clear_pointer (&common, _cured_share_free);
  g_mutex_unlock (&common_mutex);
}

/* Returns: its descriptor, for _cured_share_open() in a process that inherits it */
CURED_GETTER (int, _cured_share_get_fd, const CuredShare, fd)

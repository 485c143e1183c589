/* SPDX-License-Identifier: MIT
 * Contents that are made once: by threads, by processes, and by those that die over it. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "measure/cured-share-internal.h"
#include "test.h"

#define SIZE 100000

typedef struct
{
  gint n_made; /* atomic */
  guint8 byte;
  gsize size;
  const gint *may_end; /* (nullable): atomic: what it waits for */
  guint64 parameter;   /* that it asks for; 0: none */
  gint64 value;
  gboolean fails, dies;
} Maker;

static gboolean
make (void *data, GArray *asked, gpointer user_data, GError **error)
{
  Maker *self = user_data;

  g_atomic_int_inc (&self->n_made);
  if (self->dies)
    _exit (0);
  if (self->fails)
    {
      g_set_error_literal (error, CURED_ERROR, CURED_ERROR_DEVICE, "as told");
      return FALSE;
    }
  memset (data, self->byte, self->size);
  while (self->may_end != NULL && !g_atomic_int_get (self->may_end))
    g_usleep (1000);
  if (self->parameter != 0)
    {
      CuredParameterValue one = { self->parameter, self->value };

      g_array_append_val (asked, one);
    }
  return TRUE;
}

static CuredContents *
take (CuredShare *share, const char *key, Maker *maker, gboolean is_needed)
{
  gint64 values[] = { 0, maker->value };
  g_autoptr (GError) error = NULL;
  CuredContents *contents = _cured_share_take (
      share, key, maker->size, values, G_N_ELEMENTS (values), is_needed, make, maker, &error);

  if (!maker->fails)
    g_assert_no_error (error);
  return contents;
}

static void
assert_bytes (const CuredContents *contents, const Maker *maker)
{
  const guint8 *data = contents->data;

  g_assert_cmpuint (contents->size, ==, maker->size);
  for (gsize i = 0; i < contents->size; i++)
    if (data[i] != maker->byte)
      g_assert_cmpuint (data[i], ==, maker->byte);
}

TEST ("/share/once")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  Maker maker = { .byte = 7, .size = SIZE };

  g_assert_nonnull (share);
  g_autoptr (CuredShare) other = _cured_share_open (_cured_share_get_fd (share));
  g_assert_nonnull (other);
  g_autoptr (CuredContents) first = take (share, "a", &maker, TRUE);
  g_autoptr (CuredContents) second = take (other, "a", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 1);
  assert_bytes (second, &maker);
  g_autoptr (CuredContents) third = take (other, "b", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 2);
  assert_bytes (third, &maker);

  /* What is made of nothing is its own. */
  g_clear_pointer (&second, _cured_contents_unref);
  second = take (NULL, "a", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 3);
  assert_bytes (second, &maker);
}

/* What was asked for tells contents of one key apart. */
TEST ("/share/asked")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  Maker maker = { .byte = 1, .size = SIZE, .parameter = 1, .value = 10 };
  gint64 values[] = { 5, 10 };
  g_autoptr (CuredContents) first = take (share, "a", &maker, TRUE);

  maker.byte = 2;
  maker.value = 20;
  g_autoptr (CuredContents) second = take (share, "a", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 2);
  assert_bytes (second, &maker);
  maker.byte = 1;
  maker.value = 10;
  g_autoptr (CuredContents) again = take (share, "a", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 2);
  assert_bytes (again, &maker);
  g_assert_true (_cured_contents_fit (again, values, 2));
  g_assert_false (_cured_contents_fit (second, values, 2));
  g_assert_false (_cured_contents_fit (again, values, 1));
}

static gpointer
take_thread (gpointer data)
{
  gpointer *both = data;
  g_autoptr (CuredContents) contents = take (both[0], "a", both[1], TRUE);

  assert_bytes (contents, both[1]);
  return NULL;
}

/* Whoever comes meanwhile waits, unless it need not have them. */
TEST ("/share/threads")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  gint may_end = FALSE;
  Maker maker = { .byte = 3, .size = SIZE, .may_end = &may_end };
  gpointer both[] = { share, &maker };
  GThread *threads[8];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("take", take_thread, both);
  while (g_atomic_int_get (&maker.n_made) == 0)
    g_usleep (1000);
  g_assert_null (take (share, "a", &maker, FALSE));
  g_atomic_int_set (&may_end, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (maker.n_made, ==, 1);
}

static void
in_child (CuredShare *share, const char *key, Maker *maker)
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (CuredContents) contents = take (share, key, maker, TRUE);

      _exit (contents != NULL && maker->n_made == 1 ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* What another process made is there; what one died over is made anew. */
TEST ("/share/processes")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  Maker maker = { .byte = 4, .size = SIZE };

  in_child (share, "made", &maker);
  g_autoptr (CuredContents) made = take (share, "made", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 0);
  assert_bytes (made, &maker);

  maker.dies = TRUE;
  in_child (share, "left", &maker);
  maker.dies = FALSE;
  g_autoptr (CuredContents) left = take (share, "left", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, 1);
  assert_bytes (left, &maker);
}

TEST ("/share/failure")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  Maker maker = { .byte = 5, .size = SIZE, .fails = TRUE };

  g_assert_null (take (share, "a", &maker, TRUE));
  g_assert_null (take (share, "a", &maker, FALSE));
  g_assert_cmpint (maker.n_made, ==, 2);
  maker.fails = FALSE;
  g_autoptr (CuredContents) contents = take (share, "a", &maker, TRUE);
  assert_bytes (contents, &maker);
}

/* More than there are places for: the oldest go, and what is in use stays. */
TEST ("/share/full")
{
  g_autoptr (CuredShare) share = _cured_share_new ();
  g_autoptr (GPtrArray) held =
      g_ptr_array_new_with_free_func ((GDestroyNotify) _cured_contents_unref);
  Maker maker = { .size = 1000 };

  for (int i = 0; i < 200; i++)
    {
      g_autofree char *key = g_strdup_printf ("%d", i);

      maker.byte = (guint8) i;
      CuredContents *contents = take (share, key, &maker, TRUE);
      if (i < 100)
        g_ptr_array_add (held, contents);
      else
        _cured_contents_unref (contents);
      if (i == 99)
        g_ptr_array_set_size (held, 60);
    }
  for (guint i = 0; i < held->len; i++)
    {
      maker.byte = (guint8) i;
      assert_bytes (held->pdata[i], &maker);
    }
  int n_made = maker.n_made;
  maker.byte = 199;
  g_autoptr (CuredContents) last = take (share, "199", &maker, TRUE);
  g_assert_cmpint (maker.n_made, ==, n_made);
  assert_bytes (last, &maker);
}

TEST ("/share/foreign")
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp (NULL, &path, NULL);

  g_assert_null (_cured_share_open (-1));
  g_assert_null (_cured_share_open (fd));
  g_assert_cmpint (ftruncate (fd, 1000000), ==, 0);
  g_assert_null (_cured_share_open (fd));
  close (fd);
  unlink (path);
}

/* A process that may not write long files gets none, and survives. */
TEST ("/share/limited")
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      struct rlimit limit = { 1 << 20, 1 << 20 };

      setrlimit (RLIMIT_FSIZE, &limit);
      _exit (_cured_share_new () == NULL ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

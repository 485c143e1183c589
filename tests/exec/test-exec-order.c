/* SPDX-License-Identifier: MIT
 * What two pieces of work touch that nothing orders. */
#include "exec/cured-exec-private.h"
#include "test.h"

/* Bytes of one piece of work, from an address on; 0: none. */
typedef struct
{
  guint64 from, size;
  gboolean is_write;
} Touch;

typedef struct
{
  const char *name;
  Touch first, second;
  Touch freed; /* between the two */
  gboolean is_conflict;
} Row;

static const Row rows[] = {
  /* clang-format off */
  { "lines",              { 4096, 128, TRUE },  { 4096, 128, TRUE },  { 0 },               TRUE },
  { "lines-read",         { 4096, 128, FALSE }, { 4096, 128, FALSE }, { 0 },               FALSE },
  { "read-after-write",   { 4096, 128, TRUE },  { 4160, 64, FALSE },  { 0 },               TRUE },
  { "write-after-read",   { 4096, 128, FALSE }, { 4160, 64, TRUE },   { 0 },               TRUE },
  { "neighbours",         { 4096, 64, TRUE },   { 4160, 64, TRUE },   { 0 },               FALSE },
  { "halves",             { 4096, 32, TRUE },   { 4128, 32, TRUE },   { 0 },               FALSE },
  { "bytes",              { 4096, 2, TRUE },    { 4098, 2, TRUE },    { 0 },               FALSE },
  { "byte",               { 4096, 3, TRUE },    { 4098, 2, TRUE },    { 0 },               TRUE },
  { "part-of-a-line",     { 4096, 64, TRUE },   { 4156, 4, FALSE },   { 0 },               TRUE },
  { "line-over-a-part",   { 4100, 4, TRUE },    { 4096, 64, FALSE },  { 0 },               TRUE },
  { "pages",              { 8128, 128, TRUE },  { 8192, 4, TRUE },    { 0 },               TRUE },
  { "freed-line",         { 4096, 128, TRUE },  { 4096, 64, TRUE },   { 4096, 64, FALSE }, FALSE },
  { "freed-part",         { 4096, 64, TRUE },   { 4096, 4, TRUE },    { 4096, 4, FALSE },  FALSE },
  { "beside-freed-part",  { 4096, 64, TRUE },   { 4100, 4, TRUE },    { 4096, 4, FALSE },  TRUE },
  { "freed-untouched",    { 4096, 64, TRUE },   { 4096, 4, TRUE },    { 65536, 8, FALSE }, TRUE },
  /* clang-format on */
};

static void
conflict_cb (const CuredExecConflict *conflict, gpointer data)
{
  guint *n = data;

  ++*n;
}

TEST_ROWS ("/exec-order/touch/%s", rows)
{
  const Row *row = data;
  guint n = 0;
  CuredExecOrder *self = _cured_exec_order_new (conflict_cb, &n);

  for (guint64 stream = 1; stream <= 2; stream++)
    {
      const Touch *touch = stream == 1 ? &row->first : &row->second;

      /* It waits for the default stream alone. */
      _cured_exec_order_note (self, EXEC_ORDER_STREAM, stream, FALSE);
      guint32 work = _cured_exec_order_begin (self, stream, stream == 1 ? "first" : "second", NULL);
      _cured_exec_order_touch (self, work, touch->from, touch->size, touch->is_write, FALSE);
      if (stream == 1)
        _cured_exec_order_forget (self, row->freed.from, row->freed.size);
    }
  g_assert_cmpuint (n, ==, row->is_conflict);
  _cured_exec_order_free (self);
}

/* SPDX-License-Identifier: MIT
 * The emulator's global memory: addresses, gaps, labels. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "ptx/machine/cured-memory-private.h"
#include "test.h"

static guint64
allocate (CuredMemory *memory, gsize size)
{
  guint64 address = 0;

  g_assert_true (MUST (cured_memory_allocate (memory, size, &address, &fail)));
  return address;
}

TEST ("/memory/addresses")
{
  static const gsize sizes[] = { 1, 511, 512, 513, 0, 100000, 3 };
  g_autoptr (CuredMemory) one = cured_memory_new (0);
  g_autoptr (CuredMemory) two = cured_memory_new (0);
  guint64 end = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint64 address = allocate (one, sizes[i]);

      g_assert_cmphex (address % CURED_MEMORY_ALIGN, ==, 0);
      g_assert_cmphex (address, ==, allocate (two, sizes[i]));
      if (i > 0)
        g_assert_cmphex (address, >=, end + CURED_MEMORY_ALIGN);
      else
        g_assert_cmphex (address, ==, CURED_MEMORY_FIRST);
      end = address + sizes[i];
    }
}

TEST ("/memory/contents")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  guint64 a = allocate (memory, 1000);
  guint64 b = allocate (memory, 1000);
  guint8 *a_host = cured_memory_map (memory, a, 1000);
  guint8 *b_host = cured_memory_map (memory, b, 1000);

  g_assert_cmphex ((guintptr) a_host % CURED_MEMORY_ALIGN, ==, 0);
  for (gsize i = 0; i < 1000; i++)
    g_assert_cmpuint (a_host[i], ==, 0);
  memset (a_host, 1, 1000);
  memset (b_host, 2, 1000);
  g_assert_true (cured_memory_map (memory, a + 999, 1) == a_host + 999);
  g_assert_true (cured_memory_map (memory, a + 1000, 0) == a_host + 1000);
  g_assert_null (cured_memory_map (memory, a + 999, 2));
  g_assert_null (cured_memory_map (memory, a + 1001, 0));
  g_assert_null (cured_memory_map (memory, a, G_MAXSIZE));
  g_assert_null (cured_memory_map (memory, 0, 1));
  g_assert_null (cured_memory_map (memory, G_MAXUINT64, 1));
  g_assert_cmpuint (a_host[999], ==, 1);
}

TEST ("/memory/find")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  guint64 address[40];

  for (gsize i = 0; i < G_N_ELEMENTS (address); i++)
    address[i] = allocate (memory, 1 + i * 77);
  g_assert_null (_cured_memory_find (memory, 0));
  g_assert_null (_cured_memory_find (memory, CURED_MEMORY_FIRST - 1));
  g_assert_null (_cured_memory_find (memory, G_MAXUINT64));
  for (gsize i = 0; i < G_N_ELEMENTS (address); i++)
    {
      CuredRegion *region = _cured_memory_find (memory, address[i]);

      g_assert_nonnull (region);
      g_assert_cmphex (region->address, ==, address[i]);
      g_assert_true (_cured_memory_find (memory, address[i] + i * 77) == region);
      g_assert_null (_cured_memory_find (memory, address[i] + i * 77 + 1));
      g_assert_null (_cured_memory_find (memory, address[i] - 1));
    }
}

TEST ("/memory/release")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (3000);
  guint64 a = allocate (memory, 1000);
  guint64 b = allocate (memory, 1000);
  guint64 c = allocate (memory, 1000);
  g_autoptr (GError) error = NULL;
  guint64 none = 1;

  g_assert_false (cured_memory_allocate (memory, 1, &none, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DEVICE);
  g_assert_cmphex (none, ==, 0);
  g_clear_error (&error);

  cured_memory_release (memory, b);
  g_assert_null (_cured_memory_find (memory, b));
  g_assert_nonnull (_cured_memory_find (memory, a));
  g_assert_nonnull (_cured_memory_find (memory, c));
  /* What fits into the gap goes there, and keeps its distance. */
  g_assert_cmphex (allocate (memory, 900), ==, b);
  FAILS (cured_memory_allocate (memory, G_MAXSIZE - 100, &none, &fail), CURED_ERROR,
         CURED_ERROR_DEVICE, "");
}

/* More than the address space has, and more than the machine. */
TEST ("/memory/too-much")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  guint64 address = 0;

  for (guint bits = 42; bits < 64; bits++)
    {
      FAILS (cured_memory_allocate (memory, (gsize) 1 << bits, &address, &fail), CURED_ERROR,
             CURED_ERROR_DEVICE, "");
    }
  g_assert_false (cured_memory_allocate (memory, G_MAXSIZE, &address, NULL));
}

TEST ("/memory/label")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  guint64 base = allocate (memory, 2048);

  cured_memory_label (memory, base + 512, 1024, "c", 4, FALSE);
  g_assert_null (_cured_memory_find (memory, base));
  g_assert_null (_cured_memory_find (memory, base + 511));
  CuredRegion *region = _cured_memory_find (memory, base + 512);
  g_assert_nonnull (region);
  g_assert_cmpstr (region->name, ==, "c");
  g_assert_cmpuint (region->element_bytes, ==, 4);
  g_assert_null (region->written);
  g_assert_true (_cured_memory_find (memory, base + 1535) == region);
  g_assert_null (_cured_memory_find (memory, base + 1536));
  /* The host sees the guards. */
  g_assert_nonnull (cured_memory_map (memory, base, 2048));
  /* The message about a miss names what is near. */
  g_assert_true (_cured_memory_find_near (memory, base + 1536) == region);
  g_assert_true (_cured_memory_find_near (memory, base + 100) == region);
  g_assert_true (_cured_memory_find_near (memory, base + 5000) == region);
  g_assert_true (_cured_memory_find_near (memory, base - 5000) == region);
  g_assert_null (_cured_memory_find_near (memory, base + 1000000));
  g_assert_null (_cured_memory_find_near (memory, 0));

  cured_memory_label (memory, base + 1024, 8, NULL, 1, FALSE);
  g_assert_null (_cured_memory_find (memory, base + 512));
  g_assert_true (_cured_memory_find (memory, base + 1031) == region);
}

static gboolean
is_undefined (const CuredRegion *region, guint64 byte)
{
  return region->written != NULL && (region->written[byte / 8] >> byte % 8 & 1) == 0;
}

TEST ("/memory/define")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  guint64 base = allocate (memory, 300);
  CuredRegion *region;

  for (guint first = 0; first < 40; first++)
    for (guint size = 0; size < 70; size += 3)
      {
        cured_memory_label (memory, base + 10, 200, "c", 4, TRUE);
        region = _cured_memory_find (memory, base + 10);
        cured_memory_define (memory, base + first, size);
        for (guint i = 0; i < 200; i++)
          g_assert_cmpint (is_undefined (region, i), ==,
                           !(i + 10 >= first && i + 10 < first + size));
      }
  cured_memory_define (memory, base, 300);
  region = _cured_memory_find (memory, base + 10);
  for (guint i = 0; i < 200; i++)
    g_assert_false (is_undefined (region, i));
  cured_memory_label (memory, base, 300, "c", 4, FALSE);
  cured_memory_define (memory, base, 300);
  g_assert_null (region->written);
}

typedef struct
{
  guint n_calls;
  gsize n_bytes;
} Filled;

static void
fill_cb (guint8 *bytes, gsize offset, gsize size, gpointer user_data)
{
  Filled *filled = user_data;

  filled->n_calls++;
  filled->n_bytes += size;
  memset (bytes + offset, (int) (offset >> 16) + 1, size);
}

/* Contents are made once, when they are first used. */
TEST ("/memory/fill")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  gsize size = 10 * 65536 + 100;
  guint64 base = allocate (memory, size);
  Filled filled = { 0 };

  cured_memory_set_fill (memory, base, fill_cb, &filled, NULL);
  cured_memory_label (memory, base, size, "c", 4, FALSE);
  g_assert_cmpuint (filled.n_calls, ==, 0);
  guint8 *bytes = cured_memory_map (memory, base + 65535, 2);
  g_assert_cmpuint (bytes[0], ==, 1);
  g_assert_cmpuint (bytes[1], ==, 2);
  g_assert_cmpuint (filled.n_calls, ==, 2);
  bytes[0] = 99;
  g_assert_cmpuint (*(guint8 *) cured_memory_map (memory, base + 65535, 1), ==, 99);
  g_assert_cmpuint (filled.n_calls, ==, 2);
  /* The last piece is a short one. */
  bytes = cured_memory_map (memory, base + size - 1, 1);
  g_assert_cmpuint (bytes[0], ==, 11);
  g_assert_cmpuint (filled.n_bytes, ==, 2 * 65536 + 100);
  bytes = cured_memory_map (memory, base, size);
  g_assert_cmpuint (bytes[65535], ==, 99);
  g_assert_cmpuint (filled.n_bytes, ==, size);
}

/* A large buffer takes no memory where it is untouched, and is zero elsewhere, even after another
 * one. */
TEST ("/memory/large")
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  const gsize size = 1000 * page;

  for (guint turn = 0; turn < 2; turn++)
    {
      g_autoptr (CuredMemory) memory = cured_memory_new (0);
      guint64 base = allocate (memory, size);
      guint8 *bytes = cured_memory_map (memory, base, size);
      guint8 *pages = bytes + page - (guintptr) bytes % page;
      unsigned char is_there[998];

      g_assert_cmphex ((guintptr) bytes % CURED_MEMORY_ALIGN, ==, 0);
      g_assert_cmpint (mincore (pages, sizeof is_there * page, is_there), ==, 0);
      for (gsize i = 1; i < sizeof is_there; i++)
        g_assert_cmpint (is_there[i] & 1, ==, 0);
      for (gsize i = 0; i < size; i += 512)
        g_assert_cmpuint (bytes[i], ==, 0);
      memset (bytes, 1, size);
    }
}

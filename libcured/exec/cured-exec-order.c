/* SPDX-License-Identifier: MIT
 * Finds conflicts of streams: unordered work of different streams that accesses the same bytes.
 * Here everything runs in one order; a chip may choose another. */

#include "base/cured-base-internal.h"
#include "exec/cured-exec-private.h"

/* Accesses are tracked per word of four bytes; per line while whole lines are accessed; lines are
 * in pages. */
#define WORD_BYTES 4
#define LINE_WORDS 16
#define LINE_BYTES (WORD_BYTES * LINE_WORDS)
#define PAGE_LINES 64
#define PAGE_BYTES (LINE_BYTES * PAGE_LINES)

/* Size of the cache of pages. */
#define N_RECENT 64

/* A word's last access: the work, and a bit for atomic operations. */
#define ATOMIC  0x80000000u
#define WORK(x) ((x) & ~ATOMIC)

/* Limit of streams; the work of further ones is not checked. */
#define MAX_STREAMS 4096

/* For each stream, the number of works known to be done. */
typedef GArray Clock; /* (element-type guint32) */

typedef struct
{
  Clock *clock; /* (nullable): NULL: there is no such stream */
  gboolean is_blocking;
} Stream;

typedef struct
{
  guint stream;
  guint32 tick; /* index among its stream's works */
  char *name;
  CuredExecSite *site;
} Work;

typedef struct
{
  guint32 writer; /* index of the work + 1 */
  guint32 reader;
  guint8 written; /* a bit per byte */
  guint8 read;
} Word;

typedef struct
{
  Word all;    /* state of every word */
  Word *words; /* (nullable) (array): states, if words differ */
} Line;

typedef struct
{
  guint64 number;
  Line lines[PAGE_LINES];
} Page;

struct _CuredExecOrder
{
  GArray *streams;    /* (element-type Stream) */
  GHashTable *events; /* number → Clock */
  Clock *host;        /* work that the program waited for */
  GArray *works;      /* (element-type Work): since the last wait for all */
  GHashTable *pages;  /* (element-type Page): by their number */
  Page *recent[N_RECENT];
  guint32 ordered[2]; /* the last pair that was found to be ordered */
  GHashTable *told;   /* (set) reported pairs of places */
  CuredExecConflictFunc conflict;
  gpointer data;
};

/* ---- Clocks ---- */

static Clock *
clock_new (void)
{
  return g_array_new (FALSE, TRUE, sizeof (guint32));
}

static guint32
clock_get (const Clock *self, guint stream)
{
  return stream < self->len ? g_array_index (self, guint32, stream) : 0;
}

static void
clock_join (Clock *self, const Clock *other)
{
  if (self->len < other->len)
    g_array_set_size (self, other->len);
  for (guint i = 0; i < other->len; i++)
    g_array_index (self, guint32, i) = MAX (g_array_index (self, guint32, i), clock_get (other, i));
}

/* (nullable): NULL: there are too many */
static Stream *
get_stream (CuredExecOrder *self, guint64 number)
{
  if (number >= MAX_STREAMS)
    return NULL;
  if (number >= self->streams->len)
    g_array_set_size (self->streams, (guint) number + 1);
  Stream *stream = &g_array_index (self->streams, Stream, number);
  if (stream->clock == NULL)
    *stream = (Stream){ clock_new (), TRUE };
  return stream;
}

CURED_CLEAR_FUNC (Work, clear_work, name, g_free)

CURED_CLEAR_FUNC (Stream, clear_stream, clock, g_array_unref)

static void
page_free (gpointer data)
{
  Page *self = data;

  for (guint i = 0; i < PAGE_LINES; i++)
    g_free (self->lines[i].words);
  g_free (self);
}

CuredExecOrder *
_cured_exec_order_new (CuredExecConflictFunc conflict, gpointer data)
{
  CuredExecOrder *self = g_new0 (CuredExecOrder, 1);

  self->streams = g_array_new (FALSE, TRUE, sizeof (Stream));
  g_array_set_clear_func (self->streams, clear_stream);
  self->events =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  self->host = clock_new ();
  self->works = g_array_new (FALSE, FALSE, sizeof (Work));
  g_array_set_clear_func (self->works, clear_work);
  self->pages = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, page_free);
  self->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->conflict = conflict;
  self->data = data;
  return self;
}

CURED_DEFINE_FREE (CuredExecOrder, _cured_exec_order_free, streams, g_array_unref, events,
                   g_hash_table_unref, host, g_array_unref, works, g_array_unref, pages,
                   g_hash_table_unref, told, g_hash_table_unref)

/* ---- Ordering by the program ---- */

/* Forgets all work, since it is ordered before everything that follows. */
static void
forget (CuredExecOrder *self)
{
  g_hash_table_remove_all (self->pages);
  memset (self->recent, 0, sizeof self->recent);
  self->ordered[0] = 0;
  g_array_set_size (self->works, 0);
}

static void
record (CuredExecOrder *self, guint64 event, const Stream *stream)
{
  Clock *clock = clock_new ();

  clock_join (clock, stream->clock);
  g_hash_table_replace (self->events, g_memdup2 (&event, sizeof event), clock);
}

void
_cured_exec_order_note (CuredExecOrder *self, ExecOrder what, guint64 a, guint64 b)
{
  const Clock *event = NULL;
  Stream *stream = NULL;

  switch (what)
    {
    case EXEC_ORDER_STREAM:
      stream = get_stream (self, a);
      if (stream != NULL)
        stream->is_blocking = b != 0;
      break;
    case EXEC_ORDER_RECORD:
      stream = get_stream (self, b);
      if (stream != NULL)
        {
          /* An event of the default stream follows everything that it waits for. */
          _cured_exec_order_begin (self, b, NULL, NULL);
          record (self, a, stream);
        }
      break;
    case EXEC_ORDER_WAIT:
      stream = get_stream (self, a);
      event = g_hash_table_lookup (self->events, &b);
      if (stream != NULL && event != NULL)
        clock_join (stream->clock, event);
      break;
    case EXEC_ORDER_SYNC_STREAM:
      stream = get_stream (self, a);
      if (stream == NULL)
        break;
      _cured_exec_order_begin (self, a, NULL, NULL);
      clock_join (self->host, stream->clock);
      break;
    case EXEC_ORDER_SYNC_EVENT:
      event = g_hash_table_lookup (self->events, &a);
      if (event != NULL)
        clock_join (self->host, event);
      break;
    case EXEC_ORDER_SYNC_ALL:
      for (guint i = 0; i < self->streams->len; i++)
        if (g_array_index (self->streams, Stream, i).clock != NULL)
          clock_join (self->host, g_array_index (self->streams, Stream, i).clock);
      forget (self);
      break;
    case EXEC_ORDER_NEXT:
    default: break;
    }
}

/* @number: of the stream
 * @name: (nullable): name of the work; NULL: only record its dependencies
 * @site: (nullable): the program's call
 * Returns: the work, for _cured_exec_order_touch(); 0: none */
guint32
_cured_exec_order_begin (CuredExecOrder *self, guint64 number, const char *name,
                         CuredExecSite *site)
{
  Stream *stream = get_stream (self, number);
  Work work = { (guint) number, 0, g_strdup (name), site };

  if (stream == NULL || self->works->len == G_MAXINT32)
    {
      g_free (work.name);
      return 0;
    }
  clock_join (stream->clock, self->host);
  /* The default stream and blocking streams wait for each other. */
  if (number == 0)
    {
      for (guint i = 1; i < self->streams->len; i++)
        {
          const Stream *other = &g_array_index (self->streams, Stream, i);

          if (other->clock != NULL && other->is_blocking)
            clock_join (stream->clock, other->clock);
        }
    }
  else if (stream->is_blocking && g_array_index (self->streams, Stream, 0).clock != NULL)
    clock_join (stream->clock, g_array_index (self->streams, Stream, 0).clock);
  if (name == NULL)
    return 0;
  if (stream->clock->len <= number)
    g_array_set_size (stream->clock, (guint) number + 1);
  work.tick = ++g_array_index (stream->clock, guint32, number);
  g_array_append_val (self->works, work);
  return self->works->len;
}

/* ---- Accesses of work ---- */

/* (nullable): only if @is_made is not set */
static Line *
find_line (CuredExecOrder *self, guint64 address, gboolean is_made)
{
  guint64 number = address / PAGE_BYTES;
  Page **recent = &self->recent[number % N_RECENT];

  if (*recent == NULL || (*recent)->number != number)
    *recent = g_hash_table_lookup (self->pages, &number);
  if (*recent == NULL && !is_made)
    return NULL;
  if (*recent == NULL)
    {
      *recent = g_new0 (Page, 1);
      (*recent)->number = number;
      g_hash_table_insert (self->pages, &(*recent)->number, *recent);
    }
  return &(*recent)->lines[address / LINE_BYTES % PAGE_LINES];
}

static Word *
get_word (Line *line, guint64 address)
{
  if (line->words == NULL)
    {
      line->words = g_new (Word, LINE_WORDS);
      for (guint i = 0; i < LINE_WORDS; i++)
        line->words[i] = line->all;
    }
  return &line->words[address / WORD_BYTES % LINE_WORDS];
}

static gboolean
is_ordered (const CuredExecOrder *self, guint32 before, guint32 work)
{
  const Work *first = &g_array_index (self->works, Work, before - 1);
  const Work *second = &g_array_index (self->works, Work, work - 1);

  return first->stream == second->stream ||
         clock_get (g_array_index (self->streams, Stream, second->stream).clock, first->stream) >=
             first->tick;
}

static void
look_at (CuredExecOrder *self, guint32 before, guint32 work, guint64 address)
{
  if (WORK (before) == 0 || WORK (before) == WORK (work) ||
      (self->ordered[0] == WORK (before) && self->ordered[1] == WORK (work)))
    return;
  if (is_ordered (self, WORK (before), WORK (work)))
    {
      self->ordered[0] = WORK (before);
      self->ordered[1] = WORK (work);
      return;
    }
  const Work *first = &g_array_index (self->works, Work, WORK (before) - 1);
  const Work *second = &g_array_index (self->works, Work, WORK (work) - 1);
  char *pair = g_strdup_printf ("%p %s %p %s", (void *) first->site, first->name,
                                (void *) second->site, second->name);
  if (!g_hash_table_add (self->told, pair))
    return;
  self->conflict (&(CuredExecConflict){ .address = address,
                                        .names = { second->name, first->name },
                                        .sites = { second->site, first->site },
                                        .streams = { second->stream, first->stream } },
                  self->data);
}

/* @bytes: of the word, a bit each */
static void
touch_word (CuredExecOrder *self, Word *word, guint8 bytes, guint32 work, guint64 address,
            gboolean is_write)
{
  if ((word->written & bytes) != 0 && (word->writer & work & ATOMIC) == 0)
    look_at (self, word->writer, work, address);
  if (is_write && (word->read & bytes) != 0)
    look_at (self, word->reader, work, address);
  if (is_write)
    {
      word->written = word->writer == work ? word->written | bytes : bytes;
      word->writer = work;
    }
  else
    {
      word->read = word->reader == work ? word->read | bytes : bytes;
      word->reader = work;
    }
}

/* @work: as begun; 0: nothing
 * @address: in the device's memory
 * @size: in bytes
 * @is_write: a write; otherwise a read
 * @is_atomic: an atomic operation, which does not conflict with another one */
void
_cured_exec_order_touch (CuredExecOrder *self, guint32 work, guint64 address, guint64 size,
                         gboolean is_write, gboolean is_atomic)
{
  guint64 end = address + size;

  if (work == 0)
    return;
  if (is_atomic)
    work |= ATOMIC;
  while (address < end)
    {
      Line *line = find_line (self, address, TRUE);
      guint skip = (guint) (address % WORD_BYTES);
      guint n = (guint) MIN (WORD_BYTES - skip, end - address);

      if (line->words == NULL && address % LINE_BYTES == 0 && end - address >= LINE_BYTES)
        {
          touch_word (self, &line->all, 0xf, work, address, is_write);
          address += LINE_BYTES;
          continue;
        }
      touch_word (self, get_word (line, address), (guint8) (((1u << n) - 1) << skip), work, address,
                  is_write);
      address += n;
    }
}

/* Forgets the accesses to freed memory. */
void
_cured_exec_order_forget (CuredExecOrder *self, guint64 address, guint64 size)
{
  guint64 end = address + size;

  while (address < end)
    {
      Line *line = find_line (self, address, FALSE);

      if (line == NULL)
        address = (address / PAGE_BYTES + 1) * PAGE_BYTES;
      else if (address % LINE_BYTES == 0 && end - address >= LINE_BYTES)
        {
          g_free (line->words);
          *line = (Line){ 0 };
          address += LINE_BYTES;
        }
      else
        {
          *get_word (line, address) = (Word){ 0 };
          address += WORD_BYTES;
        }
    }
}

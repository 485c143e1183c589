/* SPDX-License-Identifier: MIT
 * Inputs from a seeded generator: the same on every machine. */
#include "kernel/fill/cured-fill-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* Implementation notes: each element is a function of the seed, the buffer and its own index, so
 * that any number of threads fills the same numbers. The function is SplitMix64's (Steele, Lea and
 * Flood, 2014): a counter times an odd constant, mixed. Nothing here calls the mathematics library,
 * whose last digit differs from one version to the next, and the build keeps products and sums
 * apart (-ffp-contract=off). A change of the numbers needs a new GENERATOR, because result files
 * are resumed and compared by seed. */
#define GENERATOR "1"
#define GOLDEN    G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)

/* Elements per chunk: about a millisecond. */
#define CHUNK (1 << 18)

__extension__ typedef unsigned __int128 Product;

typedef struct
{
  const CuredProgramBuffer *buffer;
  guint64 key;
  guint half_bits;  /* of the permutation's Feistel network */
  gint64 n_scalars; /* all fields of all elements */
  void *data;
} Fill;

static guint64
mix (guint64 x)
{
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static guint64
draw (const Fill *self, guint64 counter)
{
  return mix (self->key + counter * GOLDEN);
}

/* One of the numbers 0 … range - 1. */
static guint64
uniform (const Fill *self, gint64 i, guint64 range)
{
  guint64 bits = draw (self, (guint64) i);

  if (range <= G_GUINT64_CONSTANT (1) << 32)
    return ((bits >> 32) * range) >> 32;
  return (guint64) (((Product) bits * range) >> 64);
}

/* From low up to, but not including, high; the rounding at the end may not reach high either. */
static double
uniform_real (const Fill *self, gint64 i)
{
  double low = self->buffer->low, high = self->buffer->high;
  double u = (double) (draw (self, (guint64) i) >> 11) * 0x1p-53, span = (high - low) * u;
  double value = low + span;

  return value < high || high <= low ? value : low;
}

/* The sum of twelve uniform numbers of 16 bits has a standard deviation of 2^16 (but for one part
 * in 2^33), and is exact: it is within 6 deviations of the mean, near enough to normal for a test's
 * input. */
static double
normal (const Fill *self, gint64 i)
{
  gint32 sum = 0;

  for (guint64 k = 0; k < 3; k++)
    for (guint64 bits = draw (self, (guint64) i * 3 + k), j = 0; j < 4; j++)
      {
        sum += (gint32) (bits & 0xFFFF);
        bits >>= 16;
      }
  double scaled = (sum - 12 * 65535 / 2) * 0x1p-16 * self->buffer->high;
  return self->buffer->low + scaled;
}

/* A Feistel network permutes 0 … 4^half_bits - 1; a result outside the buffer is permuted again
 * until it falls inside. */
static guint64
permute (const Fill *self, gint64 i)
{
  guint bits = self->half_bits;
  guint64 mask = (G_GUINT64_CONSTANT (1) << bits) - 1, x = (guint64) i;

  do
    {
      guint64 left = x >> bits, right = x & mask;

      for (guint64 round = 0; round < 6; round++)
        {
          guint64 next = left ^ (draw (self, (round << 40) + right) & mask);

          left = right;
          right = next;
        }
      x = left << bits | right;
    }
  while (x >= (guint64) self->buffer->length);
  return x;
}

/* Keeps a float below high, since rounding a double may reach it. */
static float
uniform_float (const Fill *self, gint64 i)
{
  float rounded = (float) uniform_real (self, i);

  if (self->buffer->high > self->buffer->low && (double) rounded >= self->buffer->high)
    return nextafterf ((float) self->buffer->high, -INFINITY);
  return rounded;
}

static double
ramp_real (const Fill *self, gint64 i)
{
  double rise = (double) i * self->buffer->high;

  return self->buffer->low + rise;
}

static double
listed (const Fill *self, gint64 i)
{
  const CuredBuffer *buffer = self->buffer->buffer;

  return buffer->values[(guint64) i % buffer->n_values];
}

/* The switches are outside of the loops, which are long. */
#define FOR_EACH(type, value)                                                                      \
  for (gint64 i = begin; i < end; i++)                                                             \
  ((type *) self->data)[i] = (value)

static void
fill_integers (const Fill *self, gint64 begin, gint64 end)
{
  const guint64 low = (guint64) (gint64) self->buffer->low;
  const guint64 high = (guint64) (gint64) self->buffer->high;
  const guint64 step = (guint64) MAX (self->buffer->step, 1);

  switch (self->buffer->buffer->fill)
    {
    case CURED_FILL_CONSTANT: FOR_EACH (guint32, (guint32) low); break;
    case CURED_FILL_RAMP: FOR_EACH (guint32, (guint32) (low + (guint64) i * high)); break;
    case CURED_FILL_UNIFORM:
      FOR_EACH (guint32, (guint32) (low + step * uniform (self, i, (high - low) / step + 1)));
      break;
    case CURED_FILL_PERMUTATION: FOR_EACH (guint32, (guint32) permute (self, i)); break;
    case CURED_FILL_VALUES: FOR_EACH (guint32, (guint32) (gint64) listed (self, i)); break;
    case CURED_FILL_POISON:
    case CURED_FILL_NORMAL:
    case CURED_FILL_SORTED:
    case CURED_FILL_EXPRESSION:
    case CURED_FILL_FILE:
    default: g_return_if_reached ();
    }
}

static void
fill_floats (const Fill *self, gint64 begin, gint64 end)
{
  switch (self->buffer->buffer->fill)
    {
    case CURED_FILL_CONSTANT: FOR_EACH (float, (float) self->buffer->low); break;
    case CURED_FILL_RAMP: FOR_EACH (float, (float) ramp_real (self, i)); break;
    case CURED_FILL_UNIFORM: FOR_EACH (float, uniform_float (self, i)); break;
    case CURED_FILL_NORMAL: FOR_EACH (float, (float) normal (self, i)); break;
    case CURED_FILL_VALUES: FOR_EACH (float, (float) listed (self, i)); break;
    case CURED_FILL_POISON:
    case CURED_FILL_PERMUTATION:
    case CURED_FILL_SORTED:
    case CURED_FILL_EXPRESSION:
    case CURED_FILL_FILE:
    default: g_return_if_reached ();
    }
}

static void
fill_doubles (const Fill *self, gint64 begin, gint64 end)
{
  switch (self->buffer->buffer->fill)
    {
    case CURED_FILL_CONSTANT: FOR_EACH (double, self->buffer->low); break;
    case CURED_FILL_RAMP: FOR_EACH (double, ramp_real (self, i)); break;
    case CURED_FILL_UNIFORM: FOR_EACH (double, uniform_real (self, i)); break;
    case CURED_FILL_NORMAL: FOR_EACH (double, normal (self, i)); break;
    case CURED_FILL_VALUES: FOR_EACH (double, listed (self, i)); break;
    case CURED_FILL_POISON:
    case CURED_FILL_PERMUTATION:
    case CURED_FILL_SORTED:
    case CURED_FILL_EXPRESSION:
    case CURED_FILL_FILE:
    default: g_return_if_reached ();
    }
}

/* ---- Any type, one scalar at a time ---- */

/* Each number is drawn from its own slice of the range, so the numbers ascend. */
static guint64
sorted (const Fill *self, gint64 i, guint64 range)
{
  guint64 n = (guint64) self->n_scalars;
  Product begin = (Product) (guint64) i * range;
  Product within = ((Product) (draw (self, (guint64) i) >> 32) * range) >> 32;

  return (guint64) ((begin + within) / n);
}

static double
sorted_real (const Fill *self, gint64 i)
{
  double low = self->buffer->low, u = (double) (draw (self, (guint64) i) >> 11) * 0x1p-53;
  double place = ((double) i + u) / (double) self->n_scalars;
  double rise = place * (self->buffer->high - low);

  return low + rise;
}

static guint64
get_integer (const Fill *self, gint64 i)
{
  const guint64 low = (guint64) (gint64) self->buffer->low;
  const guint64 high = (guint64) (gint64) self->buffer->high;
  const guint64 step = (guint64) MAX (self->buffer->step, 1);
  gint64 value;

  switch (self->buffer->buffer->fill)
    {
    case CURED_FILL_CONSTANT: return low;
    case CURED_FILL_RAMP: return low + (guint64) i * high;
    case CURED_FILL_UNIFORM: return low + step * uniform (self, i, (high - low) / step + 1);
    case CURED_FILL_PERMUTATION: return permute (self, i);
    case CURED_FILL_VALUES: return (guint64) (gint64) listed (self, i);
    case CURED_FILL_SORTED: return low + sorted (self, i, high - low + 1);
    case CURED_FILL_EXPRESSION:
      return cured_program_evaluate_integer (self->buffer, i, &value) ? (guint64) value : 0;
    case CURED_FILL_POISON:
    case CURED_FILL_NORMAL:
    case CURED_FILL_FILE:
    default: g_return_val_if_reached (0);
    }
}

static double
get_real (const Fill *self, gint64 i)
{
  double value;

  switch (self->buffer->buffer->fill)
    {
    case CURED_FILL_CONSTANT: return self->buffer->low;
    case CURED_FILL_RAMP: return ramp_real (self, i);
    case CURED_FILL_UNIFORM: return uniform_real (self, i);
    case CURED_FILL_NORMAL: return normal (self, i);
    case CURED_FILL_VALUES: return listed (self, i);
    case CURED_FILL_SORTED: return sorted_real (self, i);
    case CURED_FILL_EXPRESSION:
      return cured_program_evaluate_real (self->buffer, i, &value) ? value : (double) NAN;
    case CURED_FILL_POISON:
    case CURED_FILL_PERMUTATION:
    case CURED_FILL_FILE:
    default: g_return_val_if_reached (0);
    }
}

/* The @i-th number of the buffer, counting through the fields of its elements. */
static void
put_scalar (const Fill *self, CuredElement type, gint64 i, void *to)
{
  const CuredProgramBuffer *buffer = self->buffer;

  if (cured_element_is_integer (type))
    {
      cured_element_store_integer (type, to, get_integer (self, i));
      return;
    }
  cured_element_store (type, to, get_real (self, i));
  if ((buffer->buffer->fill != CURED_FILL_UNIFORM && buffer->buffer->fill != CURED_FILL_SORTED) ||
      buffer->high <= buffer->low)
    return;
  /* Rounding may reach high. */
  double rounded = cured_element_load (type, to);
  if (rounded >= buffer->high)
    cured_element_store (type, to, cured_element_step_down (type, rounded));
}

static void
put_element (const Fill *self, gint64 i, guint8 *to)
{
  const CuredBuffer *buffer = self->buffer->buffer;
  const CuredRecord *record = buffer->record;

  if (buffer->fill == CURED_FILL_FILE)
    {
      const guint8 *from = g_bytes_get_data (buffer->contents, NULL);
      gsize size = cured_buffer_get_element_size (buffer);

      memcpy (to, from + (gsize) i * size, size);
      return;
    }
  if (record == NULL)
    {
      put_scalar (self, self->buffer->buffer->type, i, to);
      return;
    }
  memset (to, 0, record->size);
  for (gsize k = 0; k < record->n_fields; k++)
    put_scalar (self, record->fields[k].type, i * (gint64) record->n_fields + (gint64) k,
                to + record->fields[k].offset);
}

static void
fill_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  const Fill *self = user_data;
  const CuredBuffer *buffer = self->buffer->buffer;
  gsize size = cured_buffer_get_element_size (buffer);

  if (buffer->fill == CURED_FILL_POISON)
    memset ((guint8 *) self->data + (gsize) begin * size, CURED_POISON_BYTE,
            (gsize) (end - begin) * size);
  /* The most frequent types have their own loops. */
  else if (buffer->fill < CURED_FILL_SORTED && buffer->record == NULL &&
           (buffer->type == CURED_ELEMENT_I32 || buffer->type == CURED_ELEMENT_U32))
    fill_integers (self, begin, end);
  else if (buffer->fill < CURED_FILL_SORTED && buffer->record == NULL &&
           buffer->type == CURED_ELEMENT_F32)
    fill_floats (self, begin, end);
  else if (buffer->fill < CURED_FILL_SORTED && buffer->record == NULL &&
           buffer->type == CURED_ELEMENT_F64)
    fill_doubles (self, begin, end);
  else
    for (gint64 i = begin; i < end; i++)
      put_element (self, i, (guint8 *) self->data + (gsize) i * size);
}

static void
fill_init (Fill *self, const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed,
           void *data)
{
  *self = (Fill){ .buffer = buffer,
                  .key = mix (seed + GOLDEN * mix (buffer_index + 1)),
                  .half_bits = 1,
                  .n_scalars = buffer->length * (buffer->buffer->record != NULL
                                                     ? (gint64) buffer->buffer->record->n_fields
                                                     : 1),
                  .data = data };
  while (self->half_bits < 31 && (G_GINT64_CONSTANT (1) << (2 * self->half_bits)) < buffer->length)
    self->half_bits++;
}

/* @buffer: a buffer of a program
 * @buffer_index: its index in the program: buffers differ in their numbers
 * @data: (out caller-allocates): room for the buffer's size in bytes, aligned for its type
 *
 * Fills @data with the buffer's initial contents. Blocks, and uses all cores for a long buffer;
 * what it writes depends on neither. */
void
cured_fill_buffer (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed, void *data)
{
  Fill self;

  g_return_if_fail (buffer != NULL && data != NULL);

  fill_init (&self, buffer, buffer_index, seed, data);
  _cured_parallel (buffer->length, CHUNK, fill_chunk, &self, NULL);
}

/* @buffer: a buffer of a program
 * @buffer_index: its index in the program
 * @offset: first byte that is written
 * @size: how many bytes
 * @data: (out caller-allocates): room for the whole buffer
 *
 * Writes a piece of what cured_fill_buffer() writes, in this thread. It may begin and end within an
 * element. */
void
cured_fill_range (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed, gsize offset,
                  gsize size, void *data)
{
  Fill self;

  g_return_if_fail (buffer != NULL && data != NULL && offset <= buffer->size &&
                    size <= buffer->size - offset);

  fill_init (&self, buffer, buffer_index, seed, data);
  gsize element = cured_buffer_get_element_size (buffer->buffer), end = offset + size;
  while (offset < end)
    {
      gsize first = offset / element, within = offset % element;
      gsize n = MIN (element - within, end - offset);
      guint8 whole[CURED_RECORD_MAX_BYTES];

      if (within == 0 && n == element)
        {
          gsize last = end / element;

          fill_chunk ((gint64) first, (gint64) last, &self);
          offset = last * element;
          continue;
        }
      if (buffer->buffer->fill == CURED_FILL_POISON)
        memset (whole, CURED_POISON_BYTE, element);
      else
        put_element (&self, (gint64) first, whole);
      memcpy ((guint8 *) data + offset, whole + within, n);
      offset += n;
    }
}

/* Whether an expression that has an integer value at both ends of a buffer may lack one in between:
 * everything may but sums, products and remainders by a divisor without the index. */
static gboolean
may_lack_value (const char *text)
{
  if (strpbrk (text, "/^.") != NULL || strstr (text, "log2") != NULL ||
      strstr (text, "sqrt") != NULL)
    return TRUE;
  for (const char *at = text; (at = strchr (at, '%')) != NULL;)
    {
      int depth = 0;

      at += 1 + strspn (at + 1, " \t");
      for (; *at != '\0' && (depth > 0 || g_ascii_isalnum (*at) || strchr ("_(", *at)); at++)
        {
          depth += (*at == '(') - (*at == ')');
          if (*at == 'i' && !g_ascii_isalnum (at[1]) && at[1] != '_' && !g_ascii_isalnum (at[-1]) &&
              at[-1] != '_')
            return TRUE;
        }
    }
  return FALSE;
}

typedef struct
{
  const CuredProgramBuffer *buffer;
  GMutex lock;
  gint64 first; /* first element without a value */
} Check;

static void
check_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Check *self = user_data;
  gint64 value;

  while (begin < end && cured_program_evaluate_integer (self->buffer, begin, &value))
    begin++;
  if (begin == end)
    return;
  g_mutex_lock (&self->lock);
  self->first = MIN (self->first, begin);
  g_mutex_unlock (&self->lock);
}

/* @buffer: a buffer of a program
 * @error: (nullable): %CURED_ERROR_INVALID
 *
 * Blocks; evaluates each element only if the expression may lack a value.
 * Returns: whether each integer of `Fill=expression` has a value; cured_program_new() has checked
 *   the buffer's ends */
gboolean
cured_fill_check (const CuredProgramBuffer *buffer, GError **error)
{
  Check self = { .buffer = buffer, .first = G_MAXINT64 };

  g_return_val_if_fail (buffer != NULL, FALSE);

  if (buffer->buffer->fill != CURED_FILL_EXPRESSION || buffer->buffer->record != NULL ||
      !cured_element_is_integer (buffer->buffer->type) ||
      !may_lack_value (cured_expr_get_text (buffer->buffer->value)))
    return TRUE;
  _cured_parallel (buffer->length, CHUNK, check_chunk, &self, NULL);
  return self.first == G_MAXINT64 ||
         cured_error_refuse (error, _ ("buffer %s: Value=%s has no value where i is %" PRId64),
                             buffer->buffer->name, cured_expr_get_text (buffer->buffer->value),
                             self.first);
}

/* @buffer: a buffer of a program
 * @buffer_index: its index in the program
 * Returns: (transfer full): a key that is equal for two buffers exactly if cured_fill_buffer()
 *   writes the same contents */
char *
cured_fill_key (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed)
{
  guint64 low, high;
  g_autofree char *values = NULL;

  g_return_val_if_fail (buffer != NULL, NULL);

  if (buffer->buffer->fill == CURED_FILL_FILE)
    return g_strdup_printf (GENERATOR " %s %s %" PRId64,
                            cured_buffer_get_type_name (buffer->buffer), buffer->buffer->checksum,
                            buffer->length);
  if (buffer->buffer->fill == CURED_FILL_EXPRESSION)
    {
      GString *key = g_string_new (GENERATOR " expression ");

      g_string_append_printf (key, "%s %" PRId64 " %s", cured_buffer_get_type_name (buffer->buffer),
                              buffer->length, cured_expr_get_text (buffer->buffer->value));
      for (gsize i = 0; i < buffer->program->kernel->n_parameters; i++)
        g_string_append_printf (key, " %" PRId64, buffer->program->values[i]);
      return g_string_free (key, FALSE);
    }
  if (buffer->buffer->n_values > 0)
    values =
        g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) buffer->buffer->values,
                                     buffer->buffer->n_values * sizeof (double));
  memcpy (&low, &buffer->low, sizeof low);
  memcpy (&high, &buffer->high, sizeof high);
  return g_strdup_printf (GENERATOR " %s %d %" PRId64 " %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
                                    "x %" PRId64 " %zu %" PRIu64 "%s%s",
                          cured_buffer_get_type_name (buffer->buffer), (int) buffer->buffer->fill,
                          buffer->length, low, high, MAX (buffer->step, 1), buffer_index, seed,
                          values != NULL ? " " : "", values != NULL ? values : "");
}

/* SPDX-License-Identifier: MIT
 * Matrix product. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "kernel/cured-element-internal.h"
#include "kernel/fill/cured-fill.h"
#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* matmul: the output (m × n) is a (m × k) times b (k × n), all row by row. If the output has more
 * than m × n elements, the rows of all three have a pitch, and the padding between rows stays
 * unchanged. */

#define TILE  64  /* output tile, rows and columns */
#define DEPTH 256 /* of the packed pieces: two of them fill half a level-2 */
#define MICRO 4   /* rows and columns that are held in registers */

typedef double Vector __attribute__ ((vector_size (MICRO * sizeof (double))));

typedef struct
{
  CuredElement type;
  const void *a, *b;
  void *c;
  gint64 m, n, k;
  gint64 pitch_a, pitch_b, pitch_c; /* elements from one row to the next */
  gint64 tiles_n;
} Product;

static inline __attribute__ ((always_inline)) double
load (CuredElement type, const void *data, gint64 index)
{
  switch ((int) type)
    {
    case CURED_ELEMENT_F32: return (double) AT (const float, data, index);
    case CURED_ELEMENT_F64: return AT (const double, data, index);
    case CURED_ELEMENT_BF16:
      {
        guint32 bits = (guint32) AT (const guint16, data, index) << 16;
        float value;

        memcpy (&value, &bits, sizeof value);
        return (double) value;
      }
    default:
      return cured_element_load (type,
                                 (const guint8 *) data + index * cured_element_get_size (type));
    }
}

static void
store (CuredElement type, void *data, gint64 index, double value)
{
  switch ((int) type)
    {
    case CURED_ELEMENT_F32: AT (float, data, index) = (float) value; break;
    case CURED_ELEMENT_F64: AT (double, data, index) = value; break;
    default:
      cured_element_store (type, (guint8 *) data + index * cured_element_get_size (type), value);
    }
}

/* Copies rows @i… and columns @j… of a matrix of @columns columns, @pitch elements apart from row
 * to row, into strips of MICRO: element (i, j) of the piece is at [i / MICRO][j][i % MICRO]. With
 * @by_column, rows and columns are swapped. Elements outside are 0. */
static inline __attribute__ ((always_inline)) void
pack (const Product *self, const void *matrix, gint64 rows, gint64 columns, gint64 pitch,
      gint64 row, gint64 column, gboolean by_column, double *to)
{
  for (gint64 strip = 0; strip < TILE / MICRO; strip++)
    for (gint64 d = 0; d < DEPTH; d++)
      for (gint64 e = 0; e < MICRO; e++)
        {
          gint64 i = row + (by_column ? d : strip * MICRO + e);
          gint64 j = column + (by_column ? strip * MICRO + e : d);

          *to++ = i < rows && j < columns ? load (self->type, matrix, i * pitch + j) : 0;
        }
}

static inline __attribute__ ((always_inline)) void
multiply_tile (const Product *self, gint64 tile)
{
  gint64 row = tile / self->tiles_n * TILE, column = tile % self->tiles_n * TILE;
  g_autofree double *a = g_new (double, TILE *DEPTH), *b = g_new (double, TILE *DEPTH);
  g_autofree double *c = g_new0 (double, TILE *TILE);

  for (gint64 depth = 0; depth < self->k; depth += DEPTH)
    {
      pack (self, self->a, self->m, self->k, self->pitch_a, row, depth, FALSE, a);
      pack (self, self->b, self->k, self->n, self->pitch_b, depth, column, TRUE, b);
      for (gint64 i = 0; i < TILE; i += MICRO)
        for (gint64 j = 0; j < TILE; j += MICRO)
          {
            const double *x = a + i * DEPTH, *y = b + j * DEPTH;
            Vector sums[MICRO] = { 0 };

            for (gint64 d = 0; d < DEPTH; d++, x += MICRO, y += MICRO)
              {
                Vector v;

                memcpy (&v, y, sizeof v);
                for (int e = 0; e < MICRO; e++)
                  sums[e] += x[e] * v;
              }
            for (int e = 0; e < MICRO; e++)
              for (int f = 0; f < MICRO; f++)
                c[(i + e) * TILE + j + f] += sums[e][f];
          }
    }

  for (gint64 i = row; i < MIN (row + TILE, self->m); i++)
    for (gint64 j = column; j < MIN (column + TILE, self->n); j++)
      store (self->type, self->c, i * self->pitch_c + j, c[(i - row) * TILE + j - column]);
}

static void
product_tile (gint64 tile, gint64 end, gpointer user_data)
{
  multiply_tile (user_data, tile);
}

#if defined(__x86_64__)
/* The same sums, without fused multiply-adds, four at a time. */
__attribute__ ((target ("avx2"))) static void
product_tile_avx2 (gint64 tile, gint64 end, gpointer user_data)
{
  multiply_tile (user_data, tile);
}

static gboolean
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") != 0;
}
#else
#define product_tile_avx2 product_tile
#define has_avx2()        FALSE
#endif

/* Finds an input of @rows rows and @columns columns, and the pitch of its rows. */
static gboolean
find_matrix (const CuredProgram *program, const char *name, gint64 rows, gint64 columns,
             gboolean has_pitch, int *index, gint64 *pitch, GError **error)
{
  if (!_cured_reference_find_input (program, name, rows * columns, index, error))
    return FALSE;
  *pitch = has_pitch ? program->buffers[*index].length / rows : columns;
  return TRUE;
}

gboolean
_cured_reference_matmul (const CuredProgram *program, const void *const *inputs, void *output,
                         GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Product product = { .type = out->buffer->type, .c = output };
  guint64 length;
  int a, b;

  if (product.type != CURED_ELEMENT_F32 && product.type != CURED_ELEMENT_F64 &&
      product.type != CURED_ELEMENT_BF16 && product.type != CURED_ELEMENT_F16)
    return _cured_reference_refuse (program, error, _ ("needs an f16, bf16, f32 or f64 output"));
  if (!_cured_reference_get_parameter (program, "n", &product.n, error))
    return FALSE;
  product.m = product.k = product.n;
  cured_program_get_value (program, "m", &product.m);
  cured_program_get_value (program, "k", &product.k);
  if (product.m < 1 || product.n < 1 || product.k < 1 ||
      !g_uint64_checked_mul (&length, (guint64) product.m, (guint64) product.n) ||
      length > (guint64) out->length || out->length % product.m != 0)
    return _cured_reference_refuse (program, error,
                                    _ ("needs an output of m × n elements (%" PRId64 " × %" PRId64
                                       "); [Buffer %s] has %" PRId64),
                                    product.m, product.n, out->buffer->name, out->length);
  if (product.k > G_MAXINT64 / MAX (product.m, product.n))
    return _cured_reference_refuse (program, error, _ ("can't count m × k elements"));
  product.pitch_c = out->length / product.m;
  gboolean has_pitch = product.pitch_c > product.n;
  if (!find_matrix (program, "a", product.m, product.k, has_pitch, &a, &product.pitch_a, error) ||
      !find_matrix (program, "b", product.k, product.n, has_pitch, &b, &product.pitch_b, error))
    return FALSE;
  product.a = inputs[a];
  product.b = inputs[b];
  if (has_pitch)
    memset (output, CURED_POISON_BYTE, (gsize) out->length * cured_element_get_size (product.type));
  product.tiles_n = (product.n + TILE - 1) / TILE;
  gint64 tiles = (product.m + TILE - 1) / TILE * product.tiles_n;
  if (!_cured_parallel (tiles, 1, has_avx2 () ? product_tile_avx2 : product_tile, &product,
                        cancellable))
    return _cured_reference_cancelled (cancellable, error);
  return TRUE;
}

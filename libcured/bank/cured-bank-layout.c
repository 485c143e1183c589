/* SPDX-License-Identifier: MIT
 * Layouts of a tile in shared memory, as CuTe and Triton write them, and what an access of a warp
 * to such a tile costs. */
#include "bank/cured-bank-layout.h"

#include "base/cured-base-internal.h"

#define MAX_MODES  8
#define MAX_GAPS   4
#define MAX_NUMBER 1048576
#define MAX_BYTES  232448 /* most shared memory of a block: that of sm_90, the largest so far */

/* CuTe: a coordinate is split into one index per mode; the first mode varies fastest. */
typedef struct
{
  guint32 extent;
  guint32 stride; /* elements */
} Mode;

typedef struct
{
  Mode modes[MAX_MODES];
  guint n_modes;
} Side;

typedef enum
{
  FORM_CUTE,
  FORM_SWIZZLED, /* Triton's swizzled_shared */
  FORM_NVMMA,    /* Triton's nvmma_shared */
  FORM_PADDED,   /* Triton's padded_shared */
} Form;

struct _CuredBankLayout
{
  Form form;
  guint bytes; /* per element */
  guint n_rows, n_columns;

  /* FORM_CUTE */
  Side rows, columns;
  guint32 origin;
  gint swizzle[3]; /* Swizzle<B,M,S>; B = 0: none */
  gboolean is_of_bytes;

  /* Triton */
  gboolean is_transposed; /* a column is contiguous */
  guint32 vec, per_phase, max_phase;
  guint32 width;       /* of nvmma_shared, bytes */
  Mode gaps[MAX_GAPS]; /* a gap of stride elements follows after every extent elements */
  guint n_gaps;
};

/* ---- Parsing ---- */

/* Keeps the first error; after it, reads return 0 and consume nothing. */
typedef struct
{
  const char *text, *at;
  GError *error;
} Cursor;

static void
fail (Cursor *self, const char *expected)
{
  glong place = g_utf8_strlen (self->text, self->at - self->text) + 1;

  if (self->error != NULL)
    return;
  g_autofree char *valid = g_utf8_make_valid (self->text, -1);
  if (g_utf8_strlen (valid, -1) > 120)
    *g_utf8_offset_to_pointer (valid, 120) = '\0';
  g_set_error (&self->error, CURED_ERROR, CURED_ERROR_SYNTAX,
               /* Translators: a layout, a place in it, what should be there */
               _ ("layout “%s”, character %ld: expected %s"), valid, place, expected);
}

static void
expect (Cursor *self, gboolean holds, const char *expected)
{
  if (!holds)
    fail (self, expected);
}

static void
skip_space (Cursor *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
take (Cursor *self, const char *word)
{
  skip_space (self);
  if (self->error != NULL || !g_str_has_prefix (self->at, word))
    return FALSE;
  self->at += strlen (word);
  return TRUE;
}

static void
need (Cursor *self, const char *word)
{
  g_autofree char *quoted = g_strdup_printf (_ ("“%s”"), word);

  expect (self, take (self, word), quoted);
}

/* “8” and CuTe's “_8” */
static guint32
parse_number (Cursor *self)
{
  guint64 value = 0;

  skip_space (self);
  if (self->at[0] == '_' && g_ascii_isdigit (self->at[1]))
    self->at++;
  expect (self, g_ascii_isdigit (*self->at), _ ("a whole number"));
  for (; g_ascii_isdigit (*self->at) && value <= MAX_NUMBER; self->at++)
    value = value * 10 + (guint64) g_ascii_digit_value (*self->at);
  expect (self, value <= MAX_NUMBER, _ ("a number up to 1048576"));
  return self->error == NULL ? (guint32) value : 0;
}

/* Reads @format: “#” is a number, stored to the next guint32 *; other characters must match. */
static void
scan (Cursor *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  for (; *format != '\0'; format++)
    if (*format == '#')
      *va_arg (args, guint32 *) = parse_number (self);
    else
      need (self, (const char[]){ *format, '\0' });
  va_end (args);
}

typedef struct
{
  guint32 values[MAX_MODES];
  guint n;
} Numbers;

/* A number, or a tuple of tuples, as one row of numbers. */
static void
parse_tuple (Cursor *self, Numbers *numbers, guint depth)
{
  skip_space (self);
  if (*self->at != '(')
    {
      expect (self, numbers->n < MAX_MODES, _ ("at most eight modes per side"));
      if (self->error == NULL)
        numbers->values[numbers->n++] = parse_number (self);
      return;
    }
  expect (self, depth < MAX_MODES, _ ("fewer tuples in each other"));
  if (self->error != NULL)
    return;
  self->at++;
  do
    parse_tuple (self, numbers, depth + 1);
  while (take (self, ","));
  scan (self, ")");
}

/* “(rows,columns)” */
static void
parse_pair (Cursor *self, Numbers *pair)
{
  scan (self, "(");
  parse_tuple (self, &pair[0], 0);
  scan (self, ",");
  parse_tuple (self, &pair[1], 0);
  scan (self, ")");
}

/* Product of the extents; 0 if it exceeds the limit of a side. */
static guint
fill_side (Side *side, const Numbers *extents, const Numbers *strides)
{
  guint64 product = 1;

  side->n_modes = extents->n;
  for (guint i = 0; i < extents->n; i++)
    {
      side->modes[i] = (Mode){ extents->values[i], strides->values[i] };
      product *= extents->values[i];
      if (product > CURED_BANK_LAYOUT_MAX_ROWS)
        return 0;
    }
  return (guint) product;
}

static void
parse_cute_layout (Cursor *self, CuredBankLayout *layout)
{
  Numbers shape[2] = { 0 }, stride[2] = { 0 };

  parse_pair (self, shape);
  scan (self, ":");
  parse_pair (self, stride);
  expect (self, shape[0].n == stride[0].n && shape[1].n == stride[1].n,
          _ ("a stride for each extent of the shape"));
  layout->n_rows = fill_side (&layout->rows, &shape[0], &stride[0]);
  layout->n_columns = fill_side (&layout->columns, &shape[1], &stride[1]);
  expect (self, layout->n_rows > 0 && layout->n_columns > 0,
          _ ("1 to 4096 rows and as many columns"));
}

/* “Swizzle<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)”; CuTe prints the pointer and an
 * offset. */
static void
parse_cute (Cursor *self, CuredBankLayout *layout)
{
  layout->form = FORM_CUTE;
  if (take (self, "Swizzle") || take (self, "Sw"))
    {
      guint32 bits, base, shift;

      scan (self, "<#,#,", &bits, &base);
      gboolean is_negative = take (self, "-");
      scan (self, "#>o", &shift);
      expect (self, bits <= shift && base <= 16 && shift <= 16,
              _ ("a swizzle <B,M,S> with B up to |S|, and M and |S| up to 16"));
      layout->swizzle[0] = (gint) bits;
      layout->swizzle[1] = (gint) base;
      layout->swizzle[2] = is_negative ? -(gint) shift : (gint) shift;
      skip_space (self);
      layout->is_of_bytes = take (self, "smem_ptr");
      if (layout->is_of_bytes)
        {
          self->at += strcspn (self->at, "o(");
          if (*self->at == '(')
            self->at += strcspn (self->at, ")");
          if (*self->at == ')')
            self->at++;
          scan (self, "o");
        }
      else if (*self->at != '(')
        scan (self, "#o", &layout->origin);
    }
  parse_cute_layout (self, layout);
}

/* Skips the value of a name that is ignored. */
static void
skip_value (Cursor *self)
{
  guint depth = 0;

  for (; *self->at != '\0' && (depth > 0 || strchr (",}", *self->at) == NULL); self->at++)
    {
      depth += *self->at == '[' || *self->at == '{';
      depth -= depth > 0 && (*self->at == ']' || *self->at == '}');
    }
}

/* The names of Triton's attribute, “vec = 8, order = [1, 0]”; those of clusters are skipped. */
static void
parse_attribute (Cursor *self, CuredBankLayout *layout, guint32 *element_bits)
{
  static const char *const ignored[] = { "CTAsPerCGA", "CTASplitNum", "CTAOrder",
                                         "CGALayout",  "rank",        "fp4Padded" };
  const struct
  {
    const char *name;
    guint32 *value;
  } numbers[] = {
    { "vec", &layout->vec },
    { "perPhase", &layout->per_phase },
    { "maxPhase", &layout->max_phase },
    { "swizzlingByteWidth", &layout->width },
    { "elementBitWidth", element_bits },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (take (self, numbers[i].name))
      {
        scan (self, "=#", numbers[i].value);
        return;
      }
  for (gsize i = 0; i < G_N_ELEMENTS (ignored); i++)
    if (take (self, ignored[i]))
      {
        skip_value (self);
        return;
      }
  gboolean is_order = take (self, "order");
  if (is_order || take (self, "shape"))
    {
      guint32 first, second;

      scan (self, "=[#,#]", &first, &second);
      if (is_order)
        {
          expect (self, first + second == 1, _ ("an order of two dimensions, [1, 0] or [0, 1]"));
          layout->is_transposed = first == 0;
          return;
        }
      expect (self, layout->n_rows == 0 || (layout->n_rows == first && layout->n_columns == second),
              _ ("the shape that was given beside it"));
      layout->n_rows = first;
      layout->n_columns = second;
      return;
    }
  if (!take (self, "transposed"))
    {
      fail (self, _ ("vec, perPhase, maxPhase, order, swizzlingByteWidth, transposed, "
                     "elementBitWidth or shape"));
      return;
    }
  scan (self, "=");
  layout->is_transposed = take (self, "true");
  if (!layout->is_transposed)
    need (self, "false");
}

static void
parse_gaps (Cursor *self, CuredBankLayout *layout)
{
  scan (self, "[");
  do
    {
      Mode *gap = &layout->gaps[layout->n_gaps];

      expect (self, layout->n_gaps < MAX_GAPS, _ ("at most four gaps"));
      if (self->error != NULL)
        return;
      scan (self, "#:+#", &gap->extent, &gap->stride);
      expect (self, gap->extent > 0, _ ("an interval of at least 1"));
      layout->n_gaps++;
    }
  while (take (self, ","));
  scan (self, "]");
}

static gboolean
is_power_of_two (guint32 number)
{
  return number != 0 && (number & (number - 1)) == 0;
}

/* “#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8}>” */
static void
parse_triton (Cursor *self, CuredBankLayout *layout)
{
  guint32 element_bits = 8 * layout->bytes;

  if (take (self, "swizzled_shared") || take (self, "shared"))
    layout->form = FORM_SWIZZLED;
  else if (take (self, "nvmma_shared"))
    layout->form = FORM_NVMMA;
  else if (take (self, "padded_shared"))
    layout->form = FORM_PADDED;
  else
    fail (self, _ ("swizzled_shared, nvmma_shared or padded_shared"));
  layout->vec = layout->per_phase = layout->max_phase = 1;
  scan (self, "<");
  if (layout->form == FORM_PADDED)
    parse_gaps (self, layout);
  if (take (self, "{") && !take (self, "}"))
    {
      do
        parse_attribute (self, layout, &element_bits);
      while (take (self, ","));
      scan (self, "}");
    }
  scan (self, ">");
  expect (self, layout->n_rows > 0,
          _ ("a shape, which Triton writes elsewhere; give it as ROWSxCOLUMNS"));
  expect (self, element_bits == 8 * layout->bytes, _ ("the element's own size as elementBitWidth"));
  expect (self,
          is_power_of_two (layout->vec) && is_power_of_two (layout->per_phase) &&
              is_power_of_two (layout->max_phase),
          _ ("powers of two as vec, perPhase and maxPhase"));
  expect (self, (guint64) layout->vec * layout->max_phase <= MAX_NUMBER,
          _ ("a number up to 1048576"));
  expect (self,
          layout->form != FORM_NVMMA || layout->width == 0 || layout->width == 32 ||
              layout->width == 64 || layout->width == 128,
          _ ("0, 32, 64 or 128 as swizzlingByteWidth"));
}

/* Checks that Triton's swizzles stay within a row, and that the tile fits into shared memory. */
static gboolean
check_size (const CuredBankLayout *self, GError **error)
{
  guint n_inner = self->is_transposed ? self->n_rows : self->n_columns;
  guint32 piece = 1;
  guint64 end = 0;

  if (self->form == FORM_SWIZZLED)
    piece = self->vec * self->max_phase;
  else if (self->form == FORM_NVMMA)
    piece = MAX (MAX (self->width, 16) / self->bytes, 1);
  if (n_inner % piece != 0)
    return cured_fail (
        error, CURED_ERROR_INVALID,
        _ ("this layout exchanges elements within pieces of %u, which do not divide the "
           "tile's %u"),
        piece, n_inner);
  if (self->n_rows > 0 && self->n_columns > 0 &&
      (guint64) self->n_rows * self->n_columns <= MAX_BYTES)
    {
      for (guint row = 0; row < self->n_rows; row++)
        for (guint column = 0; column < self->n_columns; column++)
          end =
              MAX (end, (guint64) cured_bank_layout_get_address (self, row, column) + self->bytes);
      if (end <= MAX_BYTES)
        return TRUE;
    }
  return cured_fail (
      error, CURED_ERROR_INVALID,
      _ ("a tile of %u × %u elements of %u bytes in this layout does not fit into the %u "
         "bytes of shared memory that a block can have"),
      self->n_rows, self->n_columns, self->bytes, MAX_BYTES);
}

/* @text: a layout in CuTe's notation, “Swizzle<3,3,3> o (8,64):(64,1)”, whose first mode is the
 *   row, or in Triton's, “#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1,
 *   0]}>”, nvmma_shared or padded_shared; the text need not be trusted
 * @n_rows: rows of the tile, or 0 if the layout itself gives them, as CuTe's do
 * @n_columns: likewise
 * @element_bits: 8, 16, 32, 64 or 128
 *
 * A swizzle of CuTe changes element numbers or, after “smem_ptr”, byte addresses. The formulas
 * are those of cute/swizzle.hpp and of Triton's TritonGPUAttrDefs.td.
 * Returns: (transfer full) (nullable): the layout; NULL: %CURED_ERROR_SYNTAX, or
 *   %CURED_ERROR_INVALID if it does not fit into shared memory */
CuredBankLayout *
cured_bank_layout_parse (const char *text, guint n_rows, guint n_columns, guint element_bits,
                         GError **error)
{
  g_autoptr (CuredBankLayout) self = g_new0 (CuredBankLayout, 1);
  Cursor cursor = { text, text, NULL };

  g_return_val_if_fail (text != NULL && element_bits >= 8 && element_bits <= 128 &&
                            is_power_of_two (element_bits) && (n_rows == 0) == (n_columns == 0),
                        NULL);

  if (!g_utf8_validate (text, -1, NULL))
    return cured_fail_null (error, CURED_ERROR_SYNTAX, _ ("the layout is not UTF-8 text"));
  self->bytes = element_bits / 8;
  self->n_rows = n_rows;
  self->n_columns = n_columns;
  gboolean is_triton = take (&cursor, "#ttg.") || take (&cursor, "#triton_gpu.");
  (is_triton ? parse_triton : parse_cute) (&cursor, self);
  skip_space (&cursor);
  expect (&cursor, *cursor.at == '\0', _ ("the end"));
  expect (&cursor, n_rows == 0 || (n_rows == self->n_rows && n_columns == self->n_columns),
          _ ("the shape that was given beside it"));
  if (cursor.error != NULL)
    {
      g_propagate_error (error, cursor.error);
      return NULL;
    }
  return check_size (self, error) ? g_steal_pointer (&self) : NULL;
}

/* @self: (nullable) (transfer full): a layout */
void
cured_bank_layout_free (CuredBankLayout *self)
{
  g_free (self);
}

/* Returns: number of rows of its tile */
CURED_GETTER (guint, cured_bank_layout_get_n_rows, const CuredBankLayout, n_rows)

/* Returns: number of columns of its tile */
CURED_GETTER (guint, cured_bank_layout_get_n_columns, const CuredBankLayout, n_columns)

/* Returns: whether a swizzle changes element numbers although byte addresses may have been
 *   intended: one of CuTe, without “smem_ptr”, of elements larger than a byte */
gboolean
cured_bank_layout_swizzles_elements (const CuredBankLayout *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->form == FORM_CUTE && self->swizzle[0] > 0 && !self->is_of_bytes && self->bytes > 1;
}

/* ---- Addresses ---- */

static guint64
get_side_offset (const Side *self, guint32 index)
{
  guint64 offset = 0;

  for (guint i = 0; i < self->n_modes; i++)
    {
      offset += (guint64) (index % self->modes[i].extent) * self->modes[i].stride;
      index /= self->modes[i].extent;
    }
  return offset;
}

static guint64
apply_swizzle (const gint *swizzle, guint64 offset)
{
  guint64 bits = (G_GUINT64_CONSTANT (1) << swizzle[0]) - 1;
  gint shift = swizzle[2];
  guint64 chosen = offset & (bits << (swizzle[1] + MAX (shift, 0)));

  return offset ^ (shift >= 0 ? chosen >> shift : chosen << -shift);
}

/* Offset in bytes; the contiguous dimension of Triton's layouts is the inner one. */
static guint64
get_triton_address (const CuredBankLayout *self, guint32 outer, guint32 inner)
{
  guint32 n_outer = self->is_transposed ? self->n_columns : self->n_rows;
  guint32 n_inner = self->is_transposed ? self->n_rows : self->n_columns;
  guint64 linear = (guint64) outer * n_inner + inner;

  if (self->form == FORM_SWIZZLED)
    {
      guint32 phase = outer / self->per_phase % self->max_phase;

      inner = (inner / self->vec ^ phase) * self->vec + inner % self->vec;
      return ((guint64) outer * n_inner + inner) * self->bytes;
    }
  if (self->form == FORM_NVMMA)
    {
      /* Columns are split into pieces of the swizzle's width, stored one after the other; a row of
       * 128 bytes is repeated if the width is less. */
      guint32 width = MAX (self->width, 16);
      guint64 byte = (guint64) inner * self->bytes;
      guint64 address = byte / width * n_outer * width + (guint64) outer * width + byte % width;
      const gint swizzle[3] = { self->width == 0 ? 0 : (gint) g_bit_storage (self->width) - 5, 4,
                                3 };

      return apply_swizzle (swizzle, address);
    }
  for (guint i = 0; i < self->n_gaps; i++)
    linear += ((guint64) outer * n_inner + inner) / self->gaps[i].extent * self->gaps[i].stride;
  return linear * self->bytes;
}

/* @row: row of the tile
 * @column: column of the tile
 * Returns: address in shared memory of the element's first byte */
guint32
cured_bank_layout_get_address (const CuredBankLayout *self, guint row, guint column)
{
  g_return_val_if_fail (self != NULL && row < self->n_rows && column < self->n_columns, 0);

  if (self->form != FORM_CUTE)
    return (guint32) MIN (self->is_transposed ? get_triton_address (self, column, row)
                                              : get_triton_address (self, row, column),
                          G_MAXUINT32);
  guint64 offset =
      self->origin + get_side_offset (&self->rows, row) + get_side_offset (&self->columns, column);
  if (!self->is_of_bytes)
    offset = apply_swizzle (self->swizzle, offset);
  offset *= self->bytes;
  if (self->is_of_bytes)
    offset = apply_swizzle (self->swizzle, offset);
  return (guint32) MIN (offset, G_MAXUINT32);
}

/* ---- Text ---- */

static void
append_side (GString *text, const Side *side, gboolean is_stride)
{
  if (side->n_modes > 1)
    g_string_append_c (text, '(');
  for (guint i = 0; i < side->n_modes; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "," : "",
                            is_stride ? side->modes[i].stride : side->modes[i].extent);
  if (side->n_modes > 1)
    g_string_append_c (text, ')');
}

static char *
format_cute (const CuredBankLayout *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->swizzle[0] > 0)
    g_string_append_printf (text, "Swizzle<%d,%d,%d> o ", self->swizzle[0], self->swizzle[1],
                            self->swizzle[2]);
  if (self->swizzle[0] > 0 && self->is_of_bytes)
    g_string_append (text, "smem_ptr o ");
  else if (self->origin > 0)
    g_string_append_printf (text, "%u o ", self->origin);
  g_string_append_c (text, '(');
  append_side (text, &self->rows, FALSE);
  g_string_append_c (text, ',');
  append_side (text, &self->columns, FALSE);
  g_string_append (text, "):(");
  append_side (text, &self->rows, TRUE);
  g_string_append_c (text, ',');
  append_side (text, &self->columns, TRUE);
  g_string_append_c (text, ')');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_padded (const CuredBankLayout *self)
{
  g_autoptr (GString) text = g_string_new ("#ttg.padded_shared<[");

  for (guint i = 0; i < self->n_gaps; i++)
    g_string_append_printf (text, "%s%u:+%u", i > 0 ? ", " : "", self->gaps[i].extent,
                            self->gaps[i].stride);
  g_string_append_printf (text, "] {order = [%s], shape = [%u, %u]}>",
                          self->is_transposed ? "0, 1" : "1, 0", self->n_rows, self->n_columns);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: (transfer full): the layout in its original notation, as text for
 *   cured_bank_layout_parse() */
char *
cured_bank_layout_format (const CuredBankLayout *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  switch (self->form)
    {
    case FORM_SWIZZLED:
      return g_strdup_printf (
          "#ttg.swizzled_shared<{vec = %u, perPhase = %u, maxPhase = %u, order = [%s]}>", self->vec,
          self->per_phase, self->max_phase, self->is_transposed ? "0, 1" : "1, 0");
    case FORM_NVMMA:
      return g_strdup_printf (
          "#ttg.nvmma_shared<{swizzlingByteWidth = %u, transposed = %s, elementBitWidth = %u}>",
          self->width, self->is_transposed ? "true" : "false", 8 * self->bytes);
    case FORM_PADDED: return format_padded (self);
    case FORM_CUTE:
    default: return format_cute (self);
    }
}

/* ---- Accesses ---- */

typedef enum
{
  PATH_ROW,      /* lanes along a row */
  PATH_COLUMN,   /* lanes along a column */
  PATH_FRAGMENT, /* four lanes in each of eight rows, as in fragments of mma */
  PATH_MATRIX,   /* rows of 16 bytes of 8 × 8 matrices */
} Path;

struct _CuredBankTileAccess
{
  const char *name;
  Path path;
  CuredBankKind kind;
  guint width;         /* bits */
  guint n_matrices;    /* for PATH_MATRIX */
  gboolean is_flipped; /* rows of the matrix are the tile's columns */
};

/* clang-format off */
#define ALONG(op, KIND, name, PATH)                     \
  { op "." name ".b8", PATH, KIND, 8, 0, FALSE },       \
  { op "." name ".b16", PATH, KIND, 16, 0, FALSE },     \
  { op "." name ".b32", PATH, KIND, 32, 0, FALSE },     \
  { op "." name ".b64", PATH, KIND, 64, 0, FALSE },     \
  { op "." name ".b128", PATH, KIND, 128, 0, FALSE }
#define MATRICES(op, KIND)                              \
  { op ".x1", PATH_MATRIX, KIND##_X1, 128, 1, FALSE },  \
  { op ".x2", PATH_MATRIX, KIND##_X2, 128, 2, FALSE },  \
  { op ".x4", PATH_MATRIX, KIND##_X4, 128, 4, FALSE },  \
  { op ".x1.trans", PATH_MATRIX, KIND##_X1, 128, 1, TRUE }, \
  { op ".x2.trans", PATH_MATRIX, KIND##_X2, 128, 2, TRUE }, \
  { op ".x4.trans", PATH_MATRIX, KIND##_X4, 128, 4, TRUE }
/* clang-format on */

static const CuredBankTileAccess tile_accesses[] = {
  MATRICES ("ldmatrix", CURED_BANK_KIND_LDMATRIX),
  MATRICES ("stmatrix", CURED_BANK_KIND_STMATRIX),
  ALONG ("ld", CURED_BANK_KIND_LOAD, "row", PATH_ROW),
  ALONG ("ld", CURED_BANK_KIND_LOAD, "column", PATH_COLUMN),
  ALONG ("ld", CURED_BANK_KIND_LOAD, "fragment", PATH_FRAGMENT),
  ALONG ("st", CURED_BANK_KIND_STORE, "row", PATH_ROW),
  ALONG ("st", CURED_BANK_KIND_STORE, "column", PATH_COLUMN),
  ALONG ("st", CURED_BANK_KIND_STORE, "fragment", PATH_FRAGMENT),
  { "cp.async.4", PATH_ROW, CURED_BANK_KIND_COPY, 32, 0, FALSE },
  { "cp.async.8", PATH_ROW, CURED_BANK_KIND_COPY, 64, 0, FALSE },
  { "cp.async.16", PATH_ROW, CURED_BANK_KIND_COPY, 128, 0, FALSE },
};

/* @name: “ldmatrix.x4”, “stmatrix.x2.trans”, “ld.row.b128”, “st.column.b32”, “ld.fragment.b32” or
 *   “cp.async.16”; “ldmatrix” is short for “ldmatrix.x4”
 *
 * Along a row, each lane takes the next element or vector, and continues in the next row when one
 * ends; along a column likewise. A fragment has four lanes in each of eight rows, as those of mma
 * do. Four matrices are arranged two by two if the tile has 16 rows, else side by side; “.trans”
 * takes rows of 16 bytes from the tile's columns.
 * Returns: (transfer none) (nullable): the access; NULL: %CURED_ERROR_NOT_FOUND */
const CuredBankTileAccess *
cured_bank_tile_access_find (const char *name, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);

  if (g_str_equal (name, "ldmatrix"))
    name = "ldmatrix.x4";
  else if (g_str_equal (name, "stmatrix"))
    name = "stmatrix.x4";
  for (gsize i = 0; i < G_N_ELEMENTS (tile_accesses); i++)
    if (g_str_equal (name, tile_accesses[i].name))
      return &tile_accesses[i];
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  return cured_fail_null (
      error, CURED_ERROR_NOT_FOUND,
      _ ("“%s” is no access to a tile; write ldmatrix or stmatrix with .x1, .x2 or .x4 and .trans, "
         "ld or st with .row, .column or .fragment and .b8 to .b128, or cp.async.4, .8 or .16"),
      valid);
}

/* Returns: (transfer none): its full name */
CURED_GETTER (const char *, cured_bank_tile_access_get_name, const CuredBankTileAccess, name)

/* Rows and columns of the tile that one access covers. */
typedef struct
{
  guint n_rows, n_columns;
  guint vec; /* elements per lane */
  guint n_down;
} Footprint;

static gboolean
get_footprint (const CuredBankTileAccess *self, const CuredBankLayout *layout, Footprint *footprint,
               GError **error)
{
  guint n_rows = self->is_flipped ? layout->n_columns : layout->n_rows;
  guint n_columns = self->is_flipped ? layout->n_rows : layout->n_columns;
  guint vec = self->width / 8 / layout->bytes;

  *footprint = (Footprint){ .vec = vec };
  if (vec == 0)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("%s moves %u bytes per lane, less than an element of %u"), self->name,
                       self->width / 8, layout->bytes);
  switch (self->path)
    {
    case PATH_COLUMN:
      footprint->n_rows = MIN (n_rows, CURED_BANK_LANES);
      footprint->n_columns = vec * ((CURED_BANK_LANES - 1) / footprint->n_rows + 1);
      break;
    case PATH_FRAGMENT:
      footprint->n_rows = 8;
      footprint->n_columns = 4 * vec;
      break;
    case PATH_MATRIX:
      footprint->n_down = n_rows >= 16 ? MIN (self->n_matrices, 2) : 1;
      footprint->n_rows = 8 * footprint->n_down;
      footprint->n_columns = vec * (self->n_matrices / footprint->n_down);
      break;
    case PATH_ROW:
    default:
      footprint->n_columns = MIN (n_columns / vec, CURED_BANK_LANES) * vec;
      footprint->n_rows =
          footprint->n_columns == 0 ? 1 : (CURED_BANK_LANES * vec - 1) / footprint->n_columns + 1;
    }
  if (footprint->n_columns > 0 && footprint->n_columns <= n_columns && footprint->n_rows <= n_rows)
    return TRUE;
  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("%s needs %u × %u elements, and the tile has %u × %u; choose a narrower "
                        "access or a larger tile"),
                     self->name, footprint->n_rows, MAX (footprint->n_columns, vec), n_rows,
                     n_columns);
}

/* Row and column of a lane within the footprint. */
static void
get_lane_place (const CuredBankTileAccess *self, const Footprint *footprint, guint lane, guint *row,
                guint *column)
{
  guint per_row = footprint->n_columns / footprint->vec, matrix = 0;

  switch (self->path)
    {
    case PATH_COLUMN:
      *row = lane % footprint->n_rows;
      *column = lane / footprint->n_rows * footprint->vec;
      break;
    case PATH_MATRIX:
      matrix = lane / 8 % self->n_matrices;
      *row = matrix % footprint->n_down * 8 + lane % 8;
      *column = matrix / footprint->n_down * footprint->vec;
      break;
    case PATH_FRAGMENT:
    case PATH_ROW:
    default: *row = lane / per_row; *column = lane % per_row * footprint->vec;
    }
}

static guint32
get_address (const CuredBankLayout *self, gboolean is_flipped, guint row, guint column)
{
  return is_flipped ? cured_bank_layout_get_address (self, column, row)
                    : cured_bank_layout_get_address (self, row, column);
}

static gboolean
place (const CuredBankTileAccess *self, const CuredBankLayout *layout, const Footprint *footprint,
       guint row, guint column, CuredBankAccess *access, GError **error)
{
  *access = (CuredBankAccess){
    .arch = CURED_BANK_ARCH_5, .kind = self->kind, .width = self->width, .mask = G_MAXUINT32
  };
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    {
      guint r, c;

      get_lane_place (self, footprint, lane, &r, &c);
      r += row;
      c += column;
      guint32 first = get_address (layout, self->is_flipped, r, c);
      access->addresses[lane] = first;
      for (guint i = 0; i < footprint->vec; i++)
        if (first % (self->width / 8) != 0 ||
            get_address (layout, self->is_flipped, r, c + i) != first + i * layout->bytes)
          return cured_fail (
              error, CURED_ERROR_INVALID,
              _ ("%s needs %u elements from (%u, %u) on to be %u aligned bytes in a "
                 "row, which this layout does not give; choose a narrower access, one "
                 "along the other dimension (.trans), or another layout"),
              self->name, footprint->vec, self->is_flipped ? c : r, self->is_flipped ? r : c,
              self->width / 8);
    }
  return TRUE;
}

/* @layout: layout of the tile
 * @count: (out caller-allocates): cost of the accesses
 *
 * Moves the access over the tile in steps of its footprint.
 * Returns: TRUE; FALSE: %CURED_ERROR_INVALID if the access does not fit or the elements of a
 *   lane are not contiguous */
gboolean
cured_bank_tile_access_count (const CuredBankTileAccess *self, const CuredBankLayout *layout,
                              CuredBankTileCount *count, GError **error)
{
  Footprint footprint;
  guint worst = 0;

  g_return_val_if_fail (self != NULL && layout != NULL && count != NULL, FALSE);

  *count = (CuredBankTileCount){ 0 };
  if (!get_footprint (self, layout, &footprint, error))
    return FALSE;
  guint n_rows = self->is_flipped ? layout->n_columns : layout->n_rows;
  guint n_columns = self->is_flipped ? layout->n_rows : layout->n_columns;
  for (guint row = 0; row + footprint.n_rows <= n_rows; row += footprint.n_rows)
    for (guint column = 0; column + footprint.n_columns <= n_columns; column += footprint.n_columns)
      {
        CuredBankAccess access;
        CuredBankCounts counts;

        if (!place (self, layout, &footprint, row, column, &access, error))
          return FALSE;
        if (!cured_bank_model_count (&access, &counts))
          g_assert_not_reached ();
        count->n_places++;
        count->wavefronts += counts.wavefronts;
        count->least += counts.least;
        count->conflicts += counts.conflicts;
        if (counts.wavefronts <= worst)
          continue;
        worst = counts.wavefronts;
        count->worst = access;
        count->row = self->is_flipped ? column : row;
        count->column = self->is_flipped ? row : column;
      }
  return TRUE;
}

/* ---- The nearest layout without a conflict ---- */

static gboolean
has_no_conflict (const CuredBankLayout *self, const CuredBankTileAccess *const *accesses,
                 gsize n_accesses)
{
  for (gsize i = 0; i < n_accesses; i++)
    {
      CuredBankTileCount count;

      if (!cured_bank_tile_access_count (accesses[i], self, &count, NULL) || count.conflicts > 0)
        return FALSE;
    }
  return check_size (self, NULL);
}

typedef struct
{
  CuredBankLayout layout;
  guint distance;
} Candidate;

CURED_COMPARE_FUNC (Candidate, compare_candidates, distance)

static guint
get_log_distance (guint32 a, guint32 b)
{
  gint distance = (gint) g_bit_storage (a) - (gint) g_bit_storage (b);

  return (guint) ABS (distance);
}

static void
add_candidate (GArray *candidates, const CuredBankLayout *layout, guint distance)
{
  const Candidate candidate = { *layout, distance };

  g_array_append_val (candidates, candidate);
}

/* Adds other swizzles; the default without a swizzle permutes pieces of 16 bytes. */
static void
add_swizzles (const CuredBankLayout *self, GArray *candidates)
{
  CuredBankLayout layout = *self;
  gint from[3] = { 0, self->is_of_bytes ? 4 : 0, 3 };

  if (self->swizzle[0] > 0)
    memcpy (from, self->swizzle, sizeof from);
  else if (!self->is_of_bytes)
    from[1] = (gint) g_bit_storage (16 / self->bytes) - 1;
  for (gint bits = 0; bits <= 5; bits++)
    for (gint base = 0; base <= 7; base++)
      for (gint shift = MAX (bits, 1); shift <= 8; shift++)
        {
          layout.swizzle[0] = bits;
          layout.swizzle[1] = base;
          layout.swizzle[2] = shift;
          add_candidate (
              candidates, &layout,
              (guint) (ABS (bits - from[0]) + ABS (base - from[1]) + ABS (shift - from[2])));
        }
}

/* Adds longer rows, if each side of the layout is a single mode. */
static void
add_paddings (const CuredBankLayout *self, GArray *candidates)
{
  gboolean is_column_wide = self->columns.modes[0].stride > self->rows.modes[0].stride;

  if (self->rows.n_modes != 1 || self->columns.n_modes != 1)
    return;
  for (guint n = 1; n <= 64; n++)
    {
      CuredBankLayout layout = *self;

      (is_column_wide ? &layout.columns : &layout.rows)->modes[0].stride += n;
      add_candidate (candidates, &layout, n);
    }
}

static void
add_triton (const CuredBankLayout *self, GArray *candidates)
{
  CuredBankLayout layout = *self;

  if (self->form == FORM_NVMMA)
    for (guint32 width = 16; width <= 128; width *= 2)
      {
        layout.width = width == 16 ? 0 : width;
        add_candidate (candidates, &layout, get_log_distance (width, MAX (self->width, 16)));
      }
  if (self->form == FORM_PADDED)
    for (guint n = 1; n <= 64 && self->n_gaps > 0; n++)
      {
        layout.gaps[0].stride = self->gaps[0].stride + n;
        add_candidate (candidates, &layout, n);
      }
  if (self->form == FORM_SWIZZLED)
    for (layout.vec = 1; layout.vec <= 16; layout.vec *= 2)
      for (layout.per_phase = 1; layout.per_phase <= 16; layout.per_phase *= 2)
        for (layout.max_phase = 1; layout.max_phase <= 32; layout.max_phase *= 2)
          add_candidate (candidates, &layout,
                         get_log_distance (layout.vec, self->vec) +
                             get_log_distance (layout.per_phase, self->per_phase) +
                             get_log_distance (layout.max_phase, self->max_phase));
}

/* @accesses: (array length=n_accesses): reads and writes of the tile
 * @n_accesses: at least 1
 *
 * Looks among layouts of the same notation for the one with the fewest changes under which no
 * access has a conflict anywhere in the tile: other parameters of a swizzle, or longer rows
 * if there is none.
 * Returns: (transfer full) (nullable): that layout; NULL if none was found */
CuredBankLayout *
cured_bank_layout_find_nearest (const CuredBankLayout *self,
                                const CuredBankTileAccess *const *accesses, gsize n_accesses)
{
  g_return_val_if_fail (self != NULL && accesses != NULL && n_accesses > 0, NULL);

  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  if (self->form != FORM_CUTE)
    add_triton (self, candidates);
  else if (self->swizzle[0] > 0)
    add_swizzles (self, candidates);
  else
    add_paddings (self, candidates);
  g_array_sort (candidates, compare_candidates);
  CURED_EACH (const Candidate, candidate, candidates)
    if (has_no_conflict (&candidate->layout, accesses, n_accesses))
      return g_memdup2 (&candidate->layout, sizeof candidate->layout);
  return NULL;
}

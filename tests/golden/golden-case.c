/* SPDX-License-Identifier: MIT
 * Expands golden-cases.def: PTX texts and inputs. */
#include "golden-case.h"

#include <string.h>

#include "base/cured-error.h"

#define POISON 0xa5

/* A line of the list. */
typedef struct
{
  const char *row;
  const char *name; /* nullable: the body's first word */
  const char *body, *signature;
} Family;

static const Family families[] = {
#define CASE(row, body, signature)          { #row, NULL, body, signature },
#define CASE_AS(row, name, body, signature) { #row, name, body, signature },
#include "base/cured-own.h"
#include "golden-cases.def"
};

static gboolean is_recorded (const GoldenOperand *operand);

/* ---- Values ---- */

/* SplitMix64's output function: every input bit moves every output bit. */
static guint64
mix (guint64 x)
{
  x += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ x >> 31;
}

static const guint64 ints_16[] = {
  0, 1, 2, 0xffff, 0xfffe, 0x7fff, 0x8000, 0x8001, 0x00ff, 0x0100, 0x5555, 0xaaaa, 0x0010,
};
static const guint64 ints_32[] = {
  0,          1,          2,          0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000,
  0x80000001, 0x0000ffff, 0x00010000, 0x55555555, 0xaaaaaaaa, 0x00ffffff,
};
static const guint64 ints_64[] = {
  0,
  1,
  2,
  G_GUINT64_CONSTANT (0xffffffffffffffff),
  G_GUINT64_CONSTANT (0xfffffffffffffffe),
  G_GUINT64_CONSTANT (0x7fffffffffffffff),
  G_GUINT64_CONSTANT (0x8000000000000000),
  G_GUINT64_CONSTANT (0x8000000000000001),
  G_GUINT64_CONSTANT (0x00000000ffffffff),
  G_GUINT64_CONSTANT (0x0000000100000000),
  G_GUINT64_CONSTANT (0xffffffff80000000),
  G_GUINT64_CONSTANT (0x5555555555555555),
  G_GUINT64_CONSTANT (0x0000000080000000),
};
/* Zeros, ones, ties, ends of the range, subnormals, infinities, NaNs that are quiet, signalling,
 * negative and with a payload. */
static const guint64 floats_16[] = {
  0x0000, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0x0400, 0x0001, 0x83ff,
  0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xfe55,
};
static const guint64 brains_16[] = {
  0x0000, 0x8000, 0x3f80, 0xbf80, 0x3fc0, 0x0080, 0x0001, 0x807f,
  0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffd5,
};
static const guint64 floats_32[] = {
  0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40200000, 0x00800000, 0x00000001, 0x807fffff,
  0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f812345, 0xffd54321,
};
static const guint64 floats_64[] = {
  G_GUINT64_CONSTANT (0x0000000000000000), G_GUINT64_CONSTANT (0x8000000000000000),
  G_GUINT64_CONSTANT (0x3ff0000000000000), G_GUINT64_CONSTANT (0xbff0000000000000),
  G_GUINT64_CONSTANT (0x4004000000000000), G_GUINT64_CONSTANT (0x0010000000000000),
  G_GUINT64_CONSTANT (0x0000000000000001), G_GUINT64_CONSTANT (0x800fffffffffffff),
  G_GUINT64_CONSTANT (0x7fefffffffffffff), G_GUINT64_CONSTANT (0xffefffffffffffff),
  G_GUINT64_CONSTANT (0x7ff0000000000000), G_GUINT64_CONSTANT (0xfff0000000000000),
  G_GUINT64_CONSTANT (0x7ff8000000000000), G_GUINT64_CONSTANT (0x7ff0123456789abc),
  G_GUINT64_CONSTANT (0xfff8543210fedcba),
};
/* Amounts of shifts, positions and lengths of fields. */
static const guint64 shifts[] = {
  0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 0x80000000, 0xffffffff,
};

/* Those below 256: fields of 64-bit numbers have no others. */
static const guint64 shifts_8[] = {
  0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200, 255,
};

typedef struct
{
  const guint64 *values;
  gsize n_values;
} Specials;

#define SPECIALS(array) ((Specials){ (array), G_N_ELEMENTS (array) })

static Specials
get_specials (const GoldenOperand *operand)
{
  if (g_strcmp0 (operand->set, "shift") == 0)
    return SPECIALS (shifts);
  if (g_strcmp0 (operand->set, "shift8") == 0)
    return SPECIALS (shifts_8);
  if (operand->set != NULL)
    return (Specials){ 0 };
  switch ((int) operand->type)
    {
    case CURED_PTX_F16:
    case CURED_PTX_F16X2: return SPECIALS (floats_16);
    case CURED_PTX_BF16:
    case CURED_PTX_BF16X2: return SPECIALS (brains_16);
    case CURED_PTX_F32:
    case CURED_PTX_TF32: return SPECIALS (floats_32);
    case CURED_PTX_F64: return SPECIALS (floats_64);
    case CURED_PTX_U16X2:
    case CURED_PTX_S16X2: return SPECIALS (ints_16);
    default:
      switch (operand->bytes)
        {
        case 2: return SPECIALS (ints_16);
        case 4: return SPECIALS (ints_32);
        case 8: return SPECIALS (ints_64);
        default: return (Specials){ 0 };
        }
    }
}

static gboolean
is_packed (CuredPtxType type)
{
  return type == CURED_PTX_F16X2 || type == CURED_PTX_BF16X2 || type == CURED_PTX_U16X2 ||
         type == CURED_PTX_S16X2;
}

/* A floating-point number of @bits of mantissa and @exponent_bits whose magnitude is within
 * 2^-@range and 2^@range. */
static guint64
make_float (guint64 r, int bits, int exponent_bits, int range)
{
  gint64 bias = ((gint64) 1 << (exponent_bits - 1)) - 1;
  gint64 exponent = bias + (gint64) ((r >> 52) % (guint64) (2 * range)) - range;
  guint64 sign = r >> 63;

  return sign << (bits + exponent_bits) | (guint64) exponent << bits |
         (r & (((guint64) 1 << bits) - 1));
}

static guint64
make_random_of (CuredPtxType type, gsize bytes, guint64 r)
{
  guint64 kind = mix (r);

  switch ((int) type)
    {
    case CURED_PTX_F16: return kind % 3 == 0 ? r & 0xffff : make_float (r, 10, 5, 4);
    case CURED_PTX_BF16: return kind % 3 == 0 ? r & 0xffff : make_float (r, 7, 8, 6);
    case CURED_PTX_F32:
    case CURED_PTX_TF32: return kind % 3 == 0 ? r & 0xffffffff : make_float (r, 23, 8, 12);
    case CURED_PTX_F64: return kind % 3 == 0 ? r : make_float (r, 52, 11, 12);
    case CURED_PTX_F16X2:
      return make_random_of (CURED_PTX_F16, 2, r) | make_random_of (CURED_PTX_F16, 2, mix (kind))
                                                        << 16;
    case CURED_PTX_BF16X2:
      return make_random_of (CURED_PTX_BF16, 2, r) | make_random_of (CURED_PTX_BF16, 2, mix (kind))
                                                         << 16;
    default:
      /* Of every magnitude. */
      r >>= 64 - 8 * MIN (bytes, 8);
      return r >> kind % (8 * MIN (bytes, 8));
    }
}

/* Value of @operand, its @position-th input, in thread @thread. @special says which of the special
 * ones, -1: none. @seed: 0: those that are recorded */
static guint64
make_value (const GoldenOperand *operand, guint position, guint thread, gssize special,
            guint64 seed)
{
  Specials specials = get_specials (operand);
  guint64 r = mix (mix (position + 1 + seed) + thread);
  const char *set = operand->set;

  if (special >= 0 && specials.n_values > 0)
    {
      gsize i = (gsize) special % specials.n_values;

      return is_packed (operand->type)
                 ? specials.values[i] | specials.values[(i * 7 + 3) % specials.n_values] << 16
                 : specials.values[i];
    }
  if (set == NULL)
    return make_random_of (operand->type, operand->bytes, r);
  if (g_str_has_prefix (set, "shift"))
    return r % 40;
  if (g_str_equal (set, "index"))
    return thread;
  if (g_str_equal (set, "lane"))
    return thread % 32;
  if (g_str_equal (set, "bits"))
    return r;
  /* Few distinct values in a warp, for votes and matches. */
  if (g_str_equal (set, "few"))
    return mix (thread / 32) + r % 5;
  if (g_str_equal (set, "same"))
    return mix (thread / 32 / 2);
  /* Numbers whose products and sums neither overflow nor vanish. */
  if (g_str_equal (set, "tame"))
    switch ((int) operand->type)
      {
      case CURED_PTX_F16: return make_float (r, 10, 5, 2);
      case CURED_PTX_F16X2: return make_float (r, 10, 5, 2) | make_float (mix (r), 10, 5, 2) << 16;
      case CURED_PTX_BF16: return make_float (r, 7, 8, 2);
      case CURED_PTX_BF16X2: return make_float (r, 7, 8, 2) | make_float (mix (r), 7, 8, 2) << 16;
      case CURED_PTX_F64: return make_float (r, 52, 11, 3);
      default: return make_float (r, 23, 8, 3);
      }
  /* Four 8-bit floats of either format, likewise. */
  if (g_str_equal (set, "bytes"))
    {
      guint64 value = 0;

      for (guint i = 0; i < 4; i++)
        {
          guint64 byte = r >> (16 * i) & 0xffff;

          value |= ((byte & 0x80) | (0x28 + byte % 0x20)) << (8 * i);
        }
      return value;
    }
  /* Small whole numbers: sums are exact in any order. */
  if (g_str_equal (set, "whole"))
    {
      static const guint16 halves[] = {
        0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4200, 0xc200, 0x4400,
      };
      static const guint16 brains[] = {
        0x0000, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4040, 0xc040, 0x4080,
      };
      static const double numbers[] = { 0, 1, -1, 2, -2, 3, -3, 4 };
      float single = (float) numbers[r % 8];
      guint32 bits_32;
      guint64 bits_64;

      memcpy (&bits_32, &single, sizeof bits_32);
      memcpy (&bits_64, &numbers[r % 8], sizeof bits_64);
      switch ((int) operand->type)
        {
        case CURED_PTX_F16: return halves[r % 8];
        case CURED_PTX_F16X2: return halves[r % 8] | (guint64) halves[r / 8 % 8] << 16;
        case CURED_PTX_BF16: return brains[r % 8];
        case CURED_PTX_BF16X2: return brains[r % 8] | (guint64) brains[r / 8 % 8] << 16;
        case CURED_PTX_F64: return bits_64;
        default: return bits_32;
        }
    }
  /* "below32": less than that. */
  if (g_str_has_prefix (set, "below"))
    return r % g_ascii_strtoull (set + 5, NULL, 10);
  /* "of1,2,0x3": one of these. */
  if (g_str_has_prefix (set, "of"))
    {
      g_auto (GStrv) words = g_strsplit (set + 2, ",", -1);

      return g_ascii_strtoull (words[r % g_strv_length (words)], NULL, 0);
    }
  g_error ("\"%s\" is no set of values", set);
}

static void
store (guint8 *to, guint64 value, gsize bytes)
{
  for (gsize i = 0; i < bytes; i++)
    to[i] = (guint8) (value >> 8 * i);
}

/**
 * golden_case_fill:
 * @seed: 0: the inputs that are recorded; others: further ones of the same sets
 *
 * Fills all inputs. Special values meet all others where there is room. */
void
golden_case_fill (GoldenCase *self, guint64 seed)
{
  const GoldenOperand *inputs[24];
  gsize n_specials[24], n_inputs = 0, n_crossed = 1;

  memset (self->buffer, POISON, self->size);
  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);

      if (operand->role == GOLDEN_OUT)
        continue;
      if (operand->type == CURED_PTX_TYPE_NONE)
        {
          for (gsize k = 0; k < operand->size; k++)
            self->buffer[operand->offset + k] =
                g_strcmp0 (operand->set, "zero") == 0
                    ? 0
                    : (guint8) (mix (mix (i + 77 + seed) + k / 8) >> 8 * (k % 8));
          continue;
        }
      g_assert (n_inputs < G_N_ELEMENTS (inputs));
      inputs[n_inputs] = operand;
      n_specials[n_inputs] = MAX (get_specials (operand).n_values, 1);
      n_crossed *= n_specials[n_inputs];
      n_inputs++;
    }
  for (guint t = 0; t < self->n_threads; t++)
    {
      gsize rest = t;

      for (gsize i = 0; i < n_inputs; i++)
        {
          const GoldenOperand *operand = inputs[i];
          guint64 r = mix (mix (1000 + i + seed) + t);
          gssize special;

          if (n_crossed <= self->n_threads && seed == 0)
            {
              special = t < n_crossed ? (gssize) (rest % n_specials[i]) : -1;
              rest /= n_specials[i];
            }
          else
            special = r % 8 < 5 ? (gssize) (r / 8 % n_specials[i]) : -1;
          store (self->buffer + operand->offset + t * operand->bytes,
                 make_value (operand, (guint) i, t, special, seed), operand->bytes);
          if (operand->type == CURED_PTX_PRED)
            self->buffer[operand->offset + t] &= 1;
        }
    }
}

/* ---- Expansion ---- */

/* One `<a=x=y|b=z>` of a body: its alternatives, of which one is chosen. */
typedef struct
{
  char **choices;
  gsize chosen;
} Group;

static GArray *
find_groups (const char *body)
{
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (Group));

  for (const char *at = body; (at = strchr (at, '<')) != NULL;)
    {
      const char *end = strchr (at, '>');
      Group group = { 0 };

      g_assert (end != NULL);
      g_autofree char *inner = g_strndup (at + 1, (gsize) (end - at - 1));
      group.choices = g_strsplit (inner, "|", -1);
      if (group.choices[0] == NULL)
        g_error ("%s: an empty group", body);
      g_array_append_val (groups, group);
      at = end;
    }
  return groups;
}

/* The next combination; FALSE after the last one. */
static gboolean
advance (GArray *groups)
{
  for (guint i = groups->len; i-- > 0;)
    {
      Group *group = &g_array_index (groups, Group, i);

      if (group->choices[++group->chosen] != NULL)
        return TRUE;
      group->chosen = 0;
    }
  return FALSE;
}

/* What the chosen word of @group is called: 0 itself, 1 and up the texts after its '='s. */
static char *
get_choice (const Group *group, gsize index)
{
  g_auto (GStrv) parts = g_strsplit (group->choices[group->chosen], "=", -1);

  if (g_strv_length (parts) <= index)
    return g_strdup (index == 0 ? "" : parts[g_strv_length (parts) - 1]);
  return g_strdup (parts[index]);
}

/* Replaces groups by what was chosen, $1 $1a $1b by choices, and other $names by registers. */
static char *
expand (const char *text, GArray *groups)
{
  GString *out = g_string_new (NULL);
  guint n_seen = 0;

  for (const char *at = text; *at != '\0'; at++)
    if (*at == '<' && at[1] != '-')
      {
        g_autofree char *choice = get_choice (&g_array_index (groups, Group, n_seen++), 0);

        g_string_append (out, choice);
        at = strchr (at, '>');
      }
    else if (*at == '$' && g_ascii_isdigit (at[1]))
      {
        guint number = (guint) (at[1] - '1');
        gsize index = at[2] == 'a' || at[2] == 'b' || at[2] == 'c' ? (gsize) (at[2] - 'a' + 1) : 0;

        if (number >= groups->len)
          g_error ("%s: there is no group %u", text, number + 1);
        g_autofree char *choice = get_choice (&g_array_index (groups, Group, number), index);
        g_string_append (out, choice);
        at += index > 0 ? 2 : 1;
      }
    else if (*at == '$')
      g_string_append (out, "%_");
    else
      g_string_append_c (out, *at);
  return g_string_free (out, FALSE);
}

CURED_CLEAR_FUNC (GoldenOperand, operand_clear, name, g_free, set, g_free)

static CuredPtxType
find_type (const char *word)
{
  for (int i = 1; i < CURED_PTX_N_TYPES; i++)
    if (g_str_equal (_cured_ptx_types[i].word, word))
      return (CuredPtxType) i;
  g_error ("\"%s\" is no type", word);
}

static guint
split_numbers (const char *text, guint64 *numbers)
{
  g_auto (GStrv) items = g_strsplit (text, "x", -1);
  guint n = g_strv_length (items);

  g_assert_cmpuint (n, <=, CURED_TENSOR_RANK);
  for (guint i = 0; i < n; i++)
    numbers[i] = g_ascii_strtoull (items[i], NULL, 10);
  return n;
}

/* "-1x-1:0x0" */
static void
parse_corners (CuredTensorShape *shape, const char *text)
{
  g_auto (GStrv) corners = g_strsplit (text, ":", 2);
  g_auto (GStrv) lower = g_strsplit (corners[0], "x", -1);
  g_auto (GStrv) upper = g_strsplit (corners[1], "x", -1);

  shape->is_im2col = TRUE;
  for (guint i = 0; i + 2 < shape->rank; i++)
    {
      shape->lower[i] = (int) g_ascii_strtoll (lower[i], NULL, 10);
      shape->upper[i] = (int) g_ascii_strtoll (upper[i], NULL, 10);
    }
}

/* "tensor/m/f32/40x20/160/32x8/1x1/128/nan", or /i16 or /i32; with "im2col=-1x-1:0x0", the box is
 * channels and pixels. */
static void
parse_map (GoldenCase *self, const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, "/", -1);
  CuredTensorShape *shape = &self->shape;
  guint64 box[CURED_TENSOR_RANK], steps[CURED_TENSOR_RANK];
  const char *const *types = cured_tensor_type_list ();

  if (g_strv_length (items) < 8)
    g_error ("\"%s\" is no tensor map", text);
  self->map_of = g_strdup (items[1]);
  while (!g_str_equal (types[shape->type], items[2]))
    shape->type++;
  shape->rank = split_numbers (items[3], shape->dims);
  split_numbers (items[4], shape->strides);
  memset (box, 0, sizeof box);
  split_numbers (items[5], box);
  g_assert_cmpuint (split_numbers (items[6], steps), ==, shape->rank);
  for (guint i = 0; i < shape->rank; i++)
    {
      shape->box[i] = (guint) box[i];
      shape->steps[i] = (guint) steps[i];
    }
  shape->swizzle = (guint) g_ascii_strtoull (items[7], NULL, 10);
  for (gsize i = 8; items[i] != NULL; i++)
    if (g_str_equal (items[i], "nan"))
      shape->fills_nan = TRUE;
    else if (*items[i] == 'i' && g_ascii_isdigit (items[i][1]))
      shape->interleave = (guint) g_ascii_strtoull (items[i] + 1, NULL, 10);
    else if (g_str_has_prefix (items[i], "im2col="))
      parse_corners (shape, items[i] + 7);
    else
      g_error ("\"%s\" is nothing of a tensor map", items[i]);
}

/* "texture/m/f16/4", or with /normalized */
static void
parse_texture (GoldenCase *self, const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, "/", -1);

  if (g_strv_length (items) < 4)
    g_error ("\"%s\" is no texture", text);
  self->texture_of = g_strdup (items[1]);
  self->texture.type = find_type (items[2]);
  self->texture.n_channels = (guint8) g_ascii_strtoull (items[3], NULL, 10);
  self->texture.is_normalized = items[4] != NULL;
}

/* Writes out what [[COUNT|TEXT|SEPARATOR]] repeats, with # the number. */
static char *
repeat (const char *text)
{
  GString *out = g_string_new (NULL);
  const char *open;

  while ((open = strstr (text, "[[")) != NULL)
    {
      const char *end = strstr (open, "]]");
      g_autofree char *inner = g_strndup (open + 2, (gsize) (end - open - 2));
      g_auto (GStrv) parts = g_strsplit (inner, "|", 3);
      guint n = (guint) g_ascii_strtoull (parts[0], NULL, 10);

      g_string_append_len (out, text, open - text);
      for (guint i = 0; i < n; i++)
        {
          g_auto (GStrv) pieces = g_strsplit (parts[1], "#", -1);
          g_autofree char *number = g_strdup_printf ("%u", i);
          g_autofree char *one = g_strjoinv (number, pieces);

          g_string_append_printf (out, "%s%s", i > 0 ? parts[2] : "", one);
        }
      text = end + 2;
    }
  g_string_append (out, text);
  return g_string_free (out, FALSE);
}

/* "d:u32 <- a:u32 b:u32@shift m:*f32 w:warp64 s:=16 n=64" */
static void
parse_signature (GoldenCase *self, const char *signature)
{
  g_auto (GStrv) words = g_strsplit (signature, " ", -1);
  gboolean is_output = TRUE;
  gsize n_inputs = 0;

  for (gsize i = 0; words[i] != NULL; i++)
    {
      GoldenOperand operand = { 0 };
      char *colon = strchr (words[i], ':'), *type, *at;

      if (*words[i] == '\0')
        continue;
      if (g_str_equal (words[i], "<-"))
        {
          is_output = FALSE;
          continue;
        }
      if (g_str_has_prefix (words[i], "n="))
        {
          self->n_threads = (guint) g_ascii_strtoull (words[i] + 2, NULL, 10);
          continue;
        }
      if (colon == NULL)
        g_error ("\"%s\": expected name:type", signature);
      if (g_str_has_prefix (colon + 1, "tensor/"))
        {
          parse_map (self, colon + 1);
          continue;
        }
      if (g_str_has_prefix (colon + 1, "texture/"))
        {
          parse_texture (self, colon + 1);
          continue;
        }
      operand.name = g_strndup (words[i], (gsize) (colon - words[i]));
      type = colon + 1;
      at = strchr (type, '@');
      if (at != NULL)
        {
          operand.set = g_strdup (at + 1);
          *at = '\0';
        }
      operand.role = is_output ? GOLDEN_OUT : GOLDEN_IN;
      if (g_str_has_prefix (type, "warp"))
        {
          operand.role = GOLDEN_WARP;
          operand.bytes = g_ascii_strtoull (type + 4, NULL, 10);
        }
      else if (*type == '*' || *type == '=')
        {
          operand.role = *type == '*' ? GOLDEN_CELL : GOLDEN_SOURCE;
          type++;
          if (g_ascii_isdigit (*type))
            operand.bytes = g_ascii_strtoull (type, NULL, 10);
        }
      if (operand.bytes == 0)
        {
          operand.type = find_type (type);
          operand.bytes = MAX (_cured_ptx_types[operand.type].bytes, 1);
        }
      n_inputs += operand.role == GOLDEN_IN || operand.role == GOLDEN_CELL;
      g_array_append_val (self->operands, operand);
    }
  if (is_output)
    g_error ("\"%s\": no <-", signature);
  if (self->n_threads == 0)
    self->n_threads = n_inputs < 2 ? 96 : 192;
  if (n_inputs == 2 && self->n_threads == 192)
    self->n_threads = 256; /* 15 x 15 special values, and others */
}

static void
lay_out (GoldenCase *self)
{
  g_autoptr (GError) error = NULL;
  gsize offset = 0;

  for (guint i = 0; i < self->operands->len; i++)
    {
      GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);
      gsize n = operand->role == GOLDEN_WARP ? self->n_threads / 32 : self->n_threads;

      operand->offset = offset;
      operand->size = n * operand->bytes;
      if (g_strcmp0 (operand->name, self->map_of) == 0)
        {
          self->map_at = (gssize) offset;
          if (!cured_tensor_shape_check (&self->shape, operand->size, &error))
            g_error ("%s/%s: %s", self->row, self->name, error->message);
        }
      if (g_strcmp0 (operand->name, self->texture_of) == 0)
        {
          g_assert_cmpuint (offset % 512, ==, 0);
          self->texture.address = offset;
          self->texture.n_elements = operand->size / (_cured_ptx_types[self->texture.type].bytes *
                                                      self->texture.n_channels);
        }
      offset += (operand->size + 255) / 256 * 256;
    }
  self->size = MAX (offset, 256);
  self->buffer = g_malloc (self->size);
}

/* Width of the register of an operand. */
static gsize
get_register_bits (const GoldenOperand *operand)
{
  return operand->role >= GOLDEN_CELL ? 64 : MAX (8 * operand->bytes, 16);
}

static void
write_address (GString *out, const GoldenOperand *operand)
{
  g_string_append_printf (out, "  mad.wide.u32 %%_at, %s, %" G_GSIZE_FORMAT ", %%_base;\n",
                          operand->role == GOLDEN_WARP ? "%_warp" : "%_tid", operand->bytes);
}

static char *
write_ptx (const GoldenCase *self, const char *body)
{
  /* What later chips do not have is of a target of its own. */
  bool is_special = strstr (body, "setmaxnreg") != NULL ||
                    strstr (body, "tensormap.replace") != NULL || strstr (body, "wgmma") != NULL;
  bool is_late = strstr (body, "e2m1x2") != NULL || strstr (body, "e2m3x2") != NULL ||
                 strstr (body, "e3m2x2") != NULL || strstr (body, "ue8m0x2") != NULL ||
                 strstr (body, ".f32x2 ") != NULL ||
                 g_regex_match_simple ("redux[A-Za-z._]*\\.f32 ", body, 0, 0);
  GString *out = g_string_new (is_late      ? ".version 8.8\n"
                                              ".target sm_100a\n"
                                              ".address_size 64\n"
                               : is_special ? ".version 8.8\n"
                                              ".target sm_90a\n"
                                              ".address_size 64\n"
                                            : ".version 8.8\n"
                                              ".target sm_90\n"
                                              ".address_size 64\n");
  const char *split = strstr (body, "@@");

  /* Text for the front of the kernel precedes "@@". */
  if (split != NULL)
    {
      g_string_append_len (out, body, split - body);
      g_string_append_c (out, '\n');
      body = split + 2;
    }
  g_string_append (out, ".visible .entry " GOLDEN_ENTRY " (.param .u64 buffer");
  if (self->map_at >= 0)
    g_string_append (out, ", .param .align 64 .b8 map[128]");
  if (self->texture_of != NULL)
    g_string_append (out, ", .param .u64 texture");
  g_string_append (out, ")\n{\n"
                        "  .reg .b64 %_base, %_at;\n"
                        "  .reg .b32 %_tid, %_lane, %_warp;\n"
                        "  .reg .b16 %_byte;\n");
  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);

      if (operand->type == CURED_PTX_PRED)
        g_string_append_printf (out, "  .reg .pred %%_%s;\n", operand->name);
      else
        g_string_append_printf (out, "  .reg .b%" G_GSIZE_FORMAT " %%_%s;\n",
                                get_register_bits (operand), operand->name);
    }
  g_string_append (out, "  ld.param.u64 %_base, [buffer];\n"
                        "  cvta.to.global.u64 %_base, %_base;\n"
                        "  mov.u32 %_tid, %tid.x;\n"
                        "  and.b32 %_lane, %_tid, 31;\n"
                        "  shr.u32 %_warp, %_tid, 5;\n");
  if (self->map_at >= 0)
    g_string_append (out, "  .reg .b64 %_map;\n"
                          "  mov.b64 %_map, map;\n"
                          "  cvta.param.u64 %_map, %_map;\n");
  if (self->texture_of != NULL)
    g_string_append (out, "  .reg .b64 %_tex;\n"
                          "  ld.param.u64 %_tex, [texture];\n");
  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);

      if (operand->role == GOLDEN_OUT)
        continue;
      write_address (out, operand);
      if (operand->role >= GOLDEN_CELL)
        g_string_append_printf (out, "  add.u64 %%_%s, %%_at, %" G_GSIZE_FORMAT ";\n",
                                operand->name, operand->offset);
      else if (operand->type == CURED_PTX_PRED)
        g_string_append_printf (out,
                                "  ld.global.u8 %%_byte, [%%_at+%" G_GSIZE_FORMAT "];\n"
                                "  setp.ne.u16 %%_%s, %%_byte, 0;\n",
                                operand->offset, operand->name);
      else
        g_string_append_printf (
            out, "  ld.global.b%" G_GSIZE_FORMAT " %%_%s, [%%_at+%" G_GSIZE_FORMAT "];\n",
            8 * operand->bytes, operand->name, operand->offset);
    }
  g_string_append_printf (out, "  {\n    %s\n  }\n", body);
  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);

      if (operand->role != GOLDEN_OUT)
        continue;
      write_address (out, operand);
      if (operand->type == CURED_PTX_PRED)
        g_string_append_printf (out,
                                "  selp.u16 %%_byte, 1, 0, %%_%s;\n"
                                "  st.global.u8 [%%_at+%" G_GSIZE_FORMAT "], %%_byte;\n",
                                operand->name, operand->offset);
      else
        g_string_append_printf (
            out, "  st.global.b%" G_GSIZE_FORMAT " [%%_at+%" G_GSIZE_FORMAT "], %%_%s;\n",
            8 * operand->bytes, operand->offset, operand->name);
    }
  g_string_append (out, "  ret;\n}\n");
  return g_string_free (out, FALSE);
}

CURED_DEFINE_FREE (GoldenCase, golden_case_free, name, g_free, hash, g_free, ptx, g_free, map_of,
                   g_free, texture_of, g_free, buffer, g_free, operands, g_array_unref)

/* The instruction's words, without what guards it. */
static char *
get_first_word (const char *body)
{
  const char *at = strstr (body, "@@");

  at = at != NULL ? at + 2 : body;
  while (*at == ' ')
    at++;
  return g_strndup (at, strcspn (at, " ;"));
}

static GoldenCase *
case_new (const Family *family, GArray *groups)
{
  GoldenCase *self = g_new0 (GoldenCase, 1);
  g_autofree char *chosen = expand (family->body, groups);
  g_autofree char *body = repeat (chosen);
  g_autofree char *signature = expand (family->signature, groups);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  self->row = family->row;
  self->name = family->name != NULL ? expand (family->name, groups) : get_first_word (body);
  self->map_at = -1;
  self->operands = g_array_new (FALSE, TRUE, sizeof (GoldenOperand));
  g_array_set_clear_func (self->operands, (GDestroyNotify) operand_clear);
  parse_signature (self, signature);
  lay_out (self);
  golden_case_fill (self, 0);
  self->ptx = write_ptx (self, body);
  g_checksum_update (checksum, (const guchar *) self->ptx, -1);
  g_checksum_update (checksum, self->buffer, (gssize) self->size);
  if (self->map_at >= 0 || self->texture_of != NULL)
    g_checksum_update (checksum, (const guchar *) signature, (gssize) strlen (signature));
  self->hash = g_strndup (g_checksum_get_string (checksum), 8);
  return self;
}

/**
 * golden_case_new:
 * @row: id of a row of the instruction table
 * @name: of the case
 * @body: (transfer none): as golden-cases.def has it, without choices
 * @signature: likewise
 *
 * Returns: (transfer full): a case of no list */
GoldenCase *
golden_case_new (const char *row, const char *name, const char *body, const char *signature)
{
  Family family = { row, name, body, signature };
  g_autoptr (GArray) groups = find_groups (body);

  return case_new (&family, groups);
}

/**
 * golden_case_count_differences:
 * @first: (out) (optional): the first thread whose results differ
 *
 * Returns: threads whose recorded bytes differ in two buffers of the case; cells of a warp count as
 *   those of its first thread
 */
guint
golden_case_count_differences (const GoldenCase *self, const guint8 *a, const guint8 *b,
                               guint *first)
{
  guint n = 0;

  for (guint t = 0; t < self->n_threads; t++)
    {
      gboolean is_other = FALSE;

      for (guint i = 0; i < self->operands->len && !is_other; i++)
        {
          const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);
          guint place = operand->role == GOLDEN_WARP ? t / 32 : t;
          gsize at = operand->offset + place * operand->bytes;

          is_other = is_recorded (operand) && memcmp (a + at, b + at, operand->bytes) != 0;
        }
      if (is_other && n++ == 0 && first != NULL)
        *first = t;
    }
  return n;
}

/**
 * golden_cases_new:
 * @row: (nullable): id of a row; NULL: all
 *
 * Returns: (transfer full) (element-type GoldenCase): the cases, in the order
 *   of the list
 */
GPtrArray *
golden_cases_new (const char *row)
{
  GPtrArray *cases = g_ptr_array_new_with_free_func ((GDestroyNotify) golden_case_free);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      if (row != NULL && !g_str_equal (row, families[i].row))
        continue;
      g_autoptr (GArray) groups = find_groups (families[i].body);
      do
        {
          GoldenCase *self = case_new (&families[i], groups);

          g_ptr_array_add (cases, self);
          if (!g_hash_table_add (names, g_strconcat (self->row, "/", self->name, NULL)))
            g_error ("%s/%s: two cases of that name", self->row, self->name);
        }
      while (advance (groups));
      for (guint k = 0; k < groups->len; k++)
        g_strfreev (g_array_index (groups, Group, k).choices);
    }
  return cases;
}

/**
 * golden_cases_find:
 * @cases: (element-type GoldenCase): of one row
 * @name: of a case
 *
 * Returns: (nullable) (transfer none): the case */
const GoldenCase *
golden_cases_find (GPtrArray *cases, const char *name)
{
  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *self = g_ptr_array_index (cases, i);

      if (g_str_equal (self->name, name))
        return self;
    }
  return NULL;
}

static gboolean
is_recorded (const GoldenOperand *operand)
{
  return operand->role == GOLDEN_OUT || operand->role == GOLDEN_CELL ||
         operand->role == GOLDEN_WARP;
}

/* Whether its one block is launched as a cluster of its own: of rows that reach the shared memory
 * of a cluster, some trap without. */
gboolean
golden_case_has_cluster (const GoldenCase *self)
{
  static const char *const rows[] = {
    "mapa",      "getctarank", "cluster_arrive", "cluster_wait", "st_async",
    "red_async", "bulk",       "bulk_reduce",    "bulk_tensor",  NULL,
  };

  return g_strv_contains (rows, self->row);
}

/**
 * golden_case_print:
 * @buffer: of the case, after its launch
 *
 * Writes what was recorded as "d=0123… m=…": values in hexadecimal, thread by thread, with the
 * highest digit first; of a predicate a digit per thread.
 *
 * Returns: (transfer full): the text, without a line end */
char *
golden_case_print (const GoldenCase *self, const guint8 *buffer)
{
  static const char digits[] = "0123456789abcdef";
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);
      const guint8 *from = buffer + operand->offset;
      gsize bytes = operand->type == CURED_PTX_TYPE_NONE ? 1 : operand->bytes;

      if (!is_recorded (operand))
        continue;
      g_string_append_printf (out, "%s%s=", out->len > 0 ? " " : "", operand->name);
      for (gsize k = 0; k < operand->size; k += bytes)
        if (operand->type == CURED_PTX_PRED)
          /* A lane that stored nothing leaves the poison there. */
          g_string_append_c (out, from[k] == POISON ? '-' : digits[from[k] & 15]);
        else
          for (gsize b = bytes; b-- > 0;)
            {
              g_string_append_c (out, digits[from[k + b] >> 4]);
              g_string_append_c (out, digits[from[k + b] & 15]);
            }
    }
  return g_string_free (out, FALSE);
}

/**
 * golden_case_read:
 * @text: what golden_case_print() wrote
 * @buffer: of the case's size; what was recorded is put there
 * @error: return location for an error
 *
 * Returns: whether @text has what the case records, and nothing else */
gboolean
golden_case_read (const GoldenCase *self, const char *text, guint8 *buffer, GError **error)
{
  const char *at = text;

  memcpy (buffer, self->buffer, self->size);
  for (guint i = 0; i < self->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (self->operands, GoldenOperand, i);
      guint8 *to = buffer + operand->offset;
      gsize bytes = operand->type == CURED_PTX_TYPE_NONE ? 1 : operand->bytes;

      if (!is_recorded (operand))
        continue;
      while (*at == ' ')
        at++;
      if (!g_str_has_prefix (at, operand->name) || at[strlen (operand->name)] != '=')
        break;
      at += strlen (operand->name) + 1;
      if (operand->type == CURED_PTX_PRED)
        for (gsize k = 0; k < operand->size; k++, at++)
          {
            if (*at != '0' && *at != '1' && *at != '-')
              goto out;
            to[k] = *at == '-' ? POISON : (guint8) (*at - '0');
          }
      else
        for (gsize k = 0; k < operand->size; k += bytes)
          for (gsize b = bytes; b-- > 0; at += 2)
            {
              if (!g_ascii_isxdigit (at[0]) || !g_ascii_isxdigit (at[1]))
                goto out;
              to[k + b] =
                  (guint8) (g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1]));
            }
    }
out:
  if (*at != '\0')
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX,
                   "the recording of %s/%s does not fit the case; record it again", self->row,
                   self->name);
      return FALSE;
    }
  return TRUE;
}

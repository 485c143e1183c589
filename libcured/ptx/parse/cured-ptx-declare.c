/* SPDX-License-Identifier: MIT
 * Declarations of PTX: registers, variables and what they begin with. */
#include "config.h"

#include "ptx/parse/cured-ptx-parser-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"

#define MAX_DIMENSIONS 16

/* Vectors of registers that `name<n>` declares. */
#define MAX_VECTORS 4096

/* The bytes that all variables of a module may begin with. */
#define MAX_INITIAL_BYTES (256u << 20)

gboolean
_cured_ptx_parse_type (CuredPtxParser *self, CuredPtxType *type)
{
  CuredPtxKey key = _cured_ptx_get_key (self);

  if (key == CURED_KEY_B128)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                        _ ("values of 128 bits are not emulated: use two of 64"));
  if (key == CURED_KEY_TEXREF || key == CURED_KEY_SAMPLERREF || key == CURED_KEY_SURFREF)
    return _cured_ptx_parser_fail_here (
        self, CURED_ERROR_INVALID, _ ("textures and surfaces are not emulated: use global memory"));
  if (key <= CURED_KEY_FIRST_TYPE)
    return _cured_ptx_parser_fail_expected (self, _ ("a type, as .u32"));
  *type = (CuredPtxType) (key - CURED_KEY_FIRST_TYPE);
  cured_ptx_parser_next (self);
  return TRUE;
}

gboolean
_cured_ptx_parse_align (CuredPtxParser *self, gsize *align)
{
  guint64 value;

  cured_ptx_parser_next (self);
  if (!_cured_ptx_parser_expect_integer (self, &value))
    return FALSE;
  if (value == 0 || value > CURED_MAX_ALIGN || (value & (value - 1)) != 0)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                        _ ("an alignment is a power of two, at most %u"),
                                        CURED_MAX_ALIGN);
  *align = (gsize) value;
  return TRUE;
}

/* A register, or a vector of them. */
static gboolean
declare_one (CuredPtxParser *self, const CuredPtxToken *name, CuredPtxType type,
             guint8 n_components)
{
  CuredPtxSymbol *symbol = _cured_ptx_declare (
      self, name, n_components > 0 ? CURED_SYMBOL_VECTOR : CURED_SYMBOL_REGISTER);

  if (symbol == NULL)
    return FALSE;
  symbol->type = (guint8) type;
  symbol->n_components = n_components;
  return TRUE;
}

/* Vectors name0 to name(n - 1), each by its own name. */
static gboolean
declare_vectors (CuredPtxParser *self, const CuredPtxToken *name, CuredPtxType type,
                 guint8 n_components, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      char *text = g_strdup_printf ("%.*s%u", (int) name->length, name->at, i);
      CuredPtxToken one = *name;

      g_ptr_array_add (self->joined, text);
      one.at = text;
      one.length = (guint32) strlen (text);
      one.hash = _cured_ptx_hash (text, one.length, self->lexer.seed);
      if (!declare_one (self, &one, type, n_components))
        return FALSE;
    }
  return TRUE;
}

/* Reads `.b32 %r<12>, %a;`. */
gboolean
_cured_ptx_parse_registers (CuredPtxParser *self)
{
  CuredPtxType type;
  CuredPtxKey key = _cured_ptx_get_key (self);
  guint8 n_components = key == CURED_KEY_V2 ? 2 : key == CURED_KEY_V4 ? 4 : 0;

  if (n_components > 0)
    cured_ptx_parser_next (self);
  if (!_cured_ptx_parse_type (self, &type))
    return FALSE;
  do
    {
      CuredPtxToken name;

      if (!_cured_ptx_parser_expect_name (self, &name))
        return FALSE;
      if (cured_ptx_parser_accept (self, '<'))
        {
          guint64 n;

          if (!_cured_ptx_parser_expect_integer (self, &n) || !_cured_ptx_parser_expect (self, '>'))
            return FALSE;
          if (n > (n_components > 0 ? MAX_VECTORS : G_MAXINT32))
            return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_INVALID,
                                           _ ("the emulator has no such number of registers"));
          if (n_components > 0 ? !declare_vectors (self, &name, type, n_components, (guint) n)
                               : !_cured_ptx_declare_range (self, &name, type, (guint32) n))
            return FALSE;
        }
      else
        {
          if (!declare_one (self, &name, type, n_components))
            return FALSE;
        }
    }
  while (cured_ptx_parser_accept (self, ','));
  return _cured_ptx_parser_expect (self, ';');
}

/* ---- What a variable begins with ---- */

typedef struct
{
  GByteArray *bytes;
  CuredPtxType type;
  guint n_dimensions;
  gsize dimensions[MAX_DIMENSIONS + 1];
  gsize strides[MAX_DIMENSIONS + 1]; /* bytes of an element of a level */
  guint variable;
  const CuredPtxToken *name;
} Initial;

static gboolean
write_initial (CuredPtxParser *self, Initial *initial, gsize at, guint64 bits)
{
  gsize width = _cured_ptx_types[initial->type].bytes;
  guint8 bytes[8];

  if (at + width > MAX_INITIAL_BYTES || self->initial_bytes + at + width > MAX_INITIAL_BYTES)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                        _ ("variables may begin with %u MiB of values"),
                                        MAX_INITIAL_BYTES >> 20);
  if (at + width > initial->bytes->len)
    {
      guint before = initial->bytes->len;

      g_byte_array_set_size (initial->bytes, (guint) (at + width));
      memset (initial->bytes->data + before, 0, at + width - before);
    }
  for (guint i = 0; i < width; i++)
    bytes[i] = (guint8) (bits >> (8 * i));
  memcpy (initial->bytes->data + at, bytes, width);
  return TRUE;
}

/* The address of a variable or function; @is_generic: in generic space. */
static gboolean
parse_initial_address (CuredPtxParser *self, Initial *initial, gsize at, guint8 shift)
{
  CuredPtxToken name = self->token;
  gboolean is_generic = name.length == 7 && memcmp (name.at, "generic", 7) == 0;
  gint64 addend = 0;
  guint8 width = _cured_ptx_types[initial->type].bytes;
  guint64 base;

  cured_ptx_parser_next (self);
  is_generic = is_generic && cured_ptx_parser_is (self, '(');
  if (is_generic)
    {
      cured_ptx_parser_next (self);
      if (!_cured_ptx_parser_expect_name (self, &name))
        return FALSE;
    }
  guint32 index = _cured_ptx_lookup (self, &name);
  if (index == 0)
    return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_SYNTAX,
                                   _ ("%.*s is not declared"), (int) name.length, name.at);
  if (is_generic && !_cured_ptx_parser_expect (self, ')'))
    return FALSE;
  if (cured_ptx_parser_is (self, '+') || cured_ptx_parser_is (self, '-'))
    {
      gboolean is_minus = cured_ptx_parser_is (self, '-');

      cured_ptx_parser_next (self);
      if (!_cured_ptx_parse_integer (self, &addend))
        return FALSE;
      if (is_minus)
        addend = (gint64) ((guint64) 0 - (guint64) addend);
    }
  if (_cured_ptx_types[initial->type].kind == CURED_PTX_KIND_F ||
      _cured_ptx_types[initial->type].kind == CURED_PTX_KIND_X)
    return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_SYNTAX,
                                   _ ("an address is not a floating-point number"));

  switch ((guint) SYMBOL (self, index)->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      {
        CuredPtxRelocation relocation = {
          .is_in_variable = TRUE,
          .holder = initial->variable,
          .offset = at,
          .width = width,
          .shift = shift,
          .variable = SYMBOL (self, index)->index,
          .addend = addend,
        };

        g_array_append_val (self->relocations, relocation);
        g_array_index (self->variables, CuredPtxVariable, relocation.variable).is_used = TRUE;
        return write_initial (self, initial, at, 0);
      }
    case CURED_SYMBOL_FUNCTION:
      {
        guint32 function = SYMBOL (self, index)->index;

        g_array_append_val (self->taken, function);
        base = (guint64) function + 1;
        break;
      }
    case CURED_SYMBOL_SHARED:
      base = SYMBOL (self, index)->offset + (is_generic ? CURED_SHARED_WINDOW : 0);
      if (!SYMBOL (self, index)->is_own)
        {
          self->shares_all = TRUE;
          break;
        }
      G_GNUC_FALLTHROUGH;
    default:
      return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_INVALID,
                                     _ ("%.*s has no address that is known before the launch"),
                                     (int) name.length, name.at);
    }
  return write_initial (self, initial, at, (base + (guint64) addend) >> shift);
}

/* One value: a number, an address, or mask(address). */
static gboolean
parse_initial_value (CuredPtxParser *self, Initial *initial, gsize at)
{
  const CuredPtxTypeInfo *info = &_cured_ptx_types[initial->type];
  CuredPtxRaw raw = { 0 };
  double value;
  float single;
  guint32 bits_32;

  if (self->token.kind == CURED_TOKEN_NAME &&
      !(self->token.length == 7 && memcmp (self->token.at, "WARP_SZ", 7) == 0))
    return parse_initial_address (self, initial, at, 0);
  if (self->token.kind == CURED_TOKEN_INTEGER && *self->lexer.at == '(')
    {
      guint64 mask = self->token.value;
      guint shift = mask == 0 ? 0 : (guint) __builtin_ctzll (mask) / 8 * 8;

      cured_ptx_parser_next (self);
      cured_ptx_parser_next (self);
      if (mask >> shift != 0xff || info->bytes != 1 || self->token.kind != CURED_TOKEN_NAME)
        return _cured_ptx_parser_fail_here (
            self, CURED_ERROR_INVALID,
            _ ("a mask picks one byte of an address, as in 0xFF00(name)"));
      return parse_initial_address (self, initial, at, (guint8) shift) &&
             _cured_ptx_parser_expect (self, ')');
    }
  if (!_cured_ptx_parse_constant (self, &raw))
    return FALSE;
  if (info->kind == CURED_PTX_KIND_F && info->bytes >= 4)
    {
      if (raw.kind == CURED_RAW_INTEGER)
        value = (double) (gint64) raw.value;
      else if (raw.kind == CURED_RAW_F64)
        memcpy (&value, &raw.value, sizeof value);
      else
        {
          bits_32 = (guint32) raw.value;
          memcpy (&single, &bits_32, sizeof single);
          value = (double) single;
        }
      if (info->bytes == 8)
        memcpy (&raw.value, &value, sizeof value);
      else if (raw.kind != CURED_RAW_F32)
        {
          single = (float) value;
          memcpy (&bits_32, &single, sizeof bits_32);
          raw.value = bits_32;
        }
    }
  else if (raw.kind != CURED_RAW_INTEGER &&
           (raw.is_decimal || info->bytes != (raw.kind == CURED_RAW_F32 ? 4 : 8)))
    return _cured_ptx_parser_fail_here (
        self, CURED_ERROR_SYNTAX, _ ("a variable of type .%s begins with integers"), info->word);
  return write_initial (self, initial, at, raw.value);
}

/* The values of one level of braces, from byte @at on. */
static gboolean
parse_initial_level (CuredPtxParser *self, Initial *initial, guint level, gsize at)
{
  gsize n = 0;

  if (level == initial->n_dimensions)
    return parse_initial_value (self, initial, at);
  if (!_cured_ptx_parser_expect (self, '{'))
    return FALSE;
  if (cured_ptx_parser_accept (self, '}'))
    return TRUE;
  do
    {
      gsize offset;

      if (initial->dimensions[level] != 0 && n == initial->dimensions[level])
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                            _ ("%.*s has %zu elements, and more are given"),
                                            (int) initial->name->length, initial->name->at, n);
      if (!g_size_checked_mul (&offset, n, initial->strides[level]) ||
          !g_size_checked_add (&offset, offset, at) || offset > MAX_INITIAL_BYTES)
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                            _ ("variables may begin with %u MiB of values"),
                                            MAX_INITIAL_BYTES >> 20);
      if (!parse_initial_level (self, initial, level + 1, offset))
        return FALSE;
      n++;
    }
  while (cured_ptx_parser_accept (self, ','));
  if (level == 0 && initial->dimensions[0] == 0)
    initial->dimensions[0] = n;
  return _cured_ptx_parser_expect (self, '}');
}

/* ---- Variables ---- */

/* Finds room in a lane's local memory of a frame. */
gboolean
_cured_ptx_add_local (CuredPtxParser *self, gsize size, gsize align, gsize *offset)
{
  gsize at = (self->local_cursor + align - 1) & ~(align - 1);

  if (size > CURED_MAX_LOCAL_BYTES || at + size > CURED_MAX_LOCAL_BYTES)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                        _ ("a function has at most %u KiB of local memory"),
                                        CURED_MAX_LOCAL_BYTES >> 10);
  *offset = at;
  self->local_cursor = at + size;
  self->local_bytes = MAX (self->local_bytes, self->local_cursor);
  self->local_align = MAX (self->local_align, align);
  return TRUE;
}

static gboolean
fail_too_large (CuredPtxParser *self, const CuredPtxToken *name, gsize most)
{
  return _cured_ptx_parser_fail (self, name->line, name->column, CURED_ERROR_INVALID,
                                 _ ("%.*s does not fit: at most %zu bytes are there"),
                                 (int) name->length, name->at, most);
}

/* Remembers what is where in shared memory. */
static void
name_shared (CuredPtxParser *self, const CuredPtxToken *name, gsize offset, gsize size,
             CuredPtxType type, gboolean is_own)
{
  CuredPtxShared shared = {
    .name = g_strndup (name->at, name->length),
    .function = is_own ? self->function : G_MAXUINT32,
    .offset = offset,
    .size = size,
    .element_bytes = MAX (_cured_ptx_types[type].bytes, 1),
  };

  g_array_append_val (self->shared, shared);
}

/* Puts a shared variable behind those before it. */
static gboolean
add_shared (CuredPtxParser *self, const CuredPtxToken *name, gsize size, gsize align,
            CuredPtxType type, gboolean is_own, gsize *offset)
{
  gsize *end = is_own ? &self->own_bytes : &self->module_shared;
  gsize at = (*end + align - 1) & ~(align - 1);

  if (size > CURED_MAX_SHARED_BYTES || at + size > CURED_MAX_SHARED_BYTES)
    return fail_too_large (self, name, CURED_MAX_SHARED_BYTES);
  *offset = at;
  *end = at + size;
  if (is_own)
    self->own_align = MAX (self->own_align, align);
  name_shared (self, name, at, size, type, is_own);
  return TRUE;
}

/* A variable of global or constant memory: its index, made where the name is not that of one that
 * was only declared. */
static gboolean
add_variable (CuredPtxParser *self, const CuredPtxToken *name, CuredSpace space, gboolean is_extern,
              CuredPtxType type, guint32 *index)
{
  guint32 known = _cured_ptx_find_atom (self, name);
  CuredPtxVariable variable = {
    .space = space,
    .is_extern = is_extern,
    .ptx_line = name->line,
    .ptx_column = name->column,
    .element_bytes = _cured_ptx_types[type].bytes,
  };

  known = known != 0 ? ATOM (self, known)->symbol : 0;
  if (known != 0 && SYMBOL (self, known)->kind == CURED_SYMBOL_GLOBAL)
    {
      CuredPtxVariable *before =
          &g_array_index (self->variables, CuredPtxVariable, SYMBOL (self, known)->index);

      if ((before->is_extern || is_extern) && before->space == space && self->scopes->len == 1)
        {
          before->is_extern = before->is_extern && is_extern;
          *index = SYMBOL (self, known)->index;
          return TRUE;
        }
    }
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, name, CURED_SYMBOL_GLOBAL);
  if (symbol == NULL)
    return FALSE;
  *index = self->variables->len;
  symbol->index = *index;
  symbol->type = (guint8) type;
  variable.name = g_strndup (name->at, name->length);
  g_array_append_val (self->variables, variable);
  return TRUE;
}

static gboolean
finish_global (CuredPtxParser *self, const CuredPtxToken *name, CuredSpace space, guint32 index,
               gsize size, gsize align, GByteArray *bytes)
{
  CuredPtxVariable *variable = &g_array_index (self->variables, CuredPtxVariable, index);

  if (size > CURED_MAX_GLOBAL_BYTES)
    return fail_too_large (self, name, CURED_MAX_GLOBAL_BYTES);
  if (space == CURED_SPACE_CONST)
    {
      self->const_bytes += size;
      if (size > CURED_MAX_CONST_BYTES || self->const_bytes > CURED_MAX_CONST_BYTES)
        return fail_too_large (self, name, CURED_MAX_CONST_BYTES);
    }
  variable->size = MAX (variable->size, size);
  variable->align = MAX (variable->align, align);
  if (bytes->len > 0)
    {
      self->initial_bytes += bytes->len;
      g_free (variable->initial);
      variable->initial = g_memdup2 (bytes->data, bytes->len);
      variable->initial_bytes = bytes->len;
    }
  return TRUE;
}

/* [4][8], of which the first may be empty. */
static gboolean
parse_dimensions (CuredPtxParser *self, gsize bytes, guint n_components, Initial *initial,
                  gsize *size)
{
  initial->n_dimensions = 0;
  while (cured_ptx_parser_accept (self, '['))
    {
      gint64 n = 0;

      if (initial->n_dimensions == MAX_DIMENSIONS - 1)
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                            _ ("an array has at most %d dimensions"),
                                            MAX_DIMENSIONS - 1);
      if (!cured_ptx_parser_is (self, ']'))
        {
          if (!_cured_ptx_parse_integer (self, &n))
            return FALSE;
          if (n <= 0)
            return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                                _ ("an array has at least one element"));
        }
      else if (initial->n_dimensions > 0)
        return _cured_ptx_parser_fail_expected (
            self, _ ("the number of elements: only the first may be missing"));
      initial->dimensions[initial->n_dimensions++] = (gsize) n;
      if (!_cured_ptx_parser_expect (self, ']'))
        return FALSE;
    }
  if (n_components > 0)
    initial->dimensions[initial->n_dimensions++] = n_components;
  *size = bytes;
  for (guint i = initial->n_dimensions; i-- > 0;)
    {
      initial->strides[i] = *size;
      if (!g_size_checked_mul (size, *size, initial->dimensions[i]))
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                            _ ("the array is larger than any memory"));
    }
  return TRUE;
}

static gboolean
parse_attribute (CuredPtxParser *self)
{
  cured_ptx_parser_next (self);
  if (!_cured_ptx_parser_expect (self, '('))
    return FALSE;
  while (self->token.kind == CURED_TOKEN_WORD || self->token.kind == CURED_TOKEN_INTEGER ||
         cured_ptx_parser_is (self, ',') || cured_ptx_parser_is (self, '('))
    {
      if (cured_ptx_parser_accept (self, '('))
        {
          while (self->token.kind == CURED_TOKEN_INTEGER || cured_ptx_parser_is (self, ','))
            cured_ptx_parser_next (self);
          if (!_cured_ptx_parser_expect (self, ')'))
            return FALSE;
        }
      else
        cured_ptx_parser_next (self);
    }
  return _cured_ptx_parser_expect (self, ')');
}

/* One name, its size and what it begins with. */
static gboolean
parse_one_variable (CuredPtxParser *self, CuredSpace space, gboolean is_extern, CuredPtxType type,
                    guint n_components, gsize align)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gsize element = _cured_ptx_types[type].bytes;
  CuredPtxToken name;
  Initial initial = { .bytes = bytes, .type = type };
  gsize size = 0;
  guint32 index = 0;
  gboolean is_global = space == CURED_SPACE_GLOBAL || space == CURED_SPACE_CONST;
  CuredPtxSymbol *symbol;

  if (!_cured_ptx_parser_expect_name (self, &name) ||
      !parse_dimensions (self, element, n_components, &initial, &size))
    return FALSE;
  if (align == 0)
    align = element * MAX (n_components, 1);
  initial.name = &name;
  if (is_global)
    {
      if (!add_variable (self, &name, space, is_extern, type, &index))
        return FALSE;
      initial.variable = index;
    }
  if (cured_ptx_parser_is (self, '='))
    {
      if (!is_global || is_extern)
        return _cured_ptx_parser_fail_here (
            self, CURED_ERROR_SYNTAX,
            _ ("only variables of global and constant memory begin with a value"));
      cured_ptx_parser_next (self);
      if (!parse_initial_level (self, &initial, 0, 0))
        return FALSE;
      if (size == 0 && initial.n_dimensions > 0 &&
          !g_size_checked_mul (&size, initial.dimensions[0], initial.strides[0]))
        size = G_MAXSIZE;
    }
  if (is_global)
    {
      if (size == 0 && !is_extern)
        return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_SYNTAX,
                                       _ ("%.*s has no size"), (int) name.length, name.at);
      return finish_global (self, &name, space, index, size, align, bytes);
    }

  if (space == CURED_SPACE_SHARED && (size == 0 || is_extern))
    {
      guint32 known = _cured_ptx_find_atom (self, &name);

      self->shared_align = MAX (self->shared_align, align);
      known = known != 0 ? ATOM (self, known)->symbol : 0;
      if (known != 0 && SYMBOL (self, known)->kind == CURED_SYMBOL_DYNAMIC &&
          SYMBOL (self, known)->scope ==
              g_array_index (self->scopes, CuredPtxScope, self->scopes->len - 1).id)
        return TRUE;
      symbol = _cured_ptx_declare (self, &name, CURED_SYMBOL_DYNAMIC);
      if (symbol == NULL)
        return FALSE;
      symbol->type = (guint8) type;
      name_shared (self, &name, 0, 0, type, FALSE);
      return TRUE;
    }
  if (size == 0)
    return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_SYNTAX,
                                   _ ("%.*s has no size"), (int) name.length, name.at);
  symbol = _cured_ptx_declare (self, &name,
                               space == CURED_SPACE_SHARED  ? CURED_SYMBOL_SHARED
                               : space == CURED_SPACE_LOCAL ? CURED_SYMBOL_LOCAL
                                                            : CURED_SYMBOL_SLOT);
  if (symbol == NULL)
    return FALSE;
  symbol->type = (guint8) type;
  symbol->size = size;
  if (space == CURED_SPACE_SHARED)
    {
      symbol->is_own = self->is_in_function &&
                       g_array_index (self->functions, CuredPtxFunction, self->function).is_entry;
      return add_shared (self, &name, size, align, type, symbol->is_own, &symbol->offset);
    }
  if (space == CURED_SPACE_LOCAL)
    g_array_index (self->scopes, CuredPtxScope, self->scopes->len - 1).keeps_local = TRUE;
  return _cured_ptx_add_local (self, size, align, &symbol->offset);
}

/* Reads the variables of one statement, up to the `;`. */
gboolean
_cured_ptx_parse_variable (CuredPtxParser *self, CuredSpace space, gboolean is_extern)
{
  CuredPtxType type = CURED_PTX_TYPE_NONE;
  guint n_components = 0;
  gsize align = 0;

  for (;;)
    {
      CuredPtxKey key = _cured_ptx_get_key (self);

      if (key == CURED_KEY_ALIGN)
        {
          if (!_cured_ptx_parse_align (self, &align))
            return FALSE;
        }
      else if (key == CURED_KEY_ATTRIBUTE)
        {
          if (!parse_attribute (self))
            return FALSE;
        }
      else if (key == CURED_KEY_V2 || key == CURED_KEY_V4)
        {
          n_components = key == CURED_KEY_V2 ? 2 : 4;
          cured_ptx_parser_next (self);
        }
      else if (type == CURED_PTX_TYPE_NONE)
        {
          if (!_cured_ptx_parse_type (self, &type))
            return FALSE;
        }
      else
        break;
    }
  if (type == CURED_PTX_PRED)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                        _ ("predicates are registers: they have no memory"));
  do
    if (!parse_one_variable (self, space, is_extern, type, n_components, align))
      return FALSE;
  while (cured_ptx_parser_accept (self, ','));
  return _cured_ptx_parser_expect (self, ';');
}

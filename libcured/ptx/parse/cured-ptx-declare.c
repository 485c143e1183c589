/* SPDX-License-Identifier: MIT
 * Declarations of PTX: registers, variables and what they begin with. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

#define MAX_DIMENSIONS 16

/* Maximum number of vectors of registers that `name<n>` declares. */
#define MAX_VECTORS 4096

/* Maximum size of the initial values of all variables of a module. */
#define MAX_INITIAL_BYTES (256u << 20)

CuredPtxType
_cured_ptx_parse_type (CuredPtxParser *self)
{
  CuredPtxKey key = _cured_ptx_get_key (self);

  if (key == CURED_KEY_B128)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("values of 128 bits are not emulated: use two of 64"));
  if (key == CURED_KEY_TEXREF || key == CURED_KEY_SAMPLERREF || key == CURED_KEY_SURFREF)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("textures and surfaces are not emulated: use global memory"));
  if (key <= CURED_KEY_FIRST_TYPE)
    _cured_ptx_parser_fail_expected (self, _ ("a type, as .u32"));
  cured_ptx_parser_next (self);
  return (CuredPtxType) (key - CURED_KEY_FIRST_TYPE);
}

gsize
_cured_ptx_parse_align (CuredPtxParser *self)
{
  cured_ptx_parser_next (self);
  guint64 value = _cured_ptx_parser_expect_integer (self);
  if (value == 0 || value > CURED_MAX_ALIGN || (value & (value - 1)) != 0)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("an alignment is a power of two, at most %u"), CURED_MAX_ALIGN);
  return (gsize) value;
}

/* .v2 or .v4: number of components; 0: neither. */
guint
_cured_ptx_accept_vector (CuredPtxParser *self)
{
  CuredPtxKey key = _cured_ptx_get_key (self);

  if (key != CURED_KEY_V2 && key != CURED_KEY_V4)
    return 0;
  cured_ptx_parser_next (self);
  return key == CURED_KEY_V2 ? 2 : 4;
}

/* A register, or a vector of them. */
static void
declare_one (CuredPtxParser *self, const CuredPtxToken *name, CuredPtxType type, guint n_components)
{
  CuredPtxSymbol *symbol = _cured_ptx_declare (
      self, name, n_components > 0 ? CURED_SYMBOL_VECTOR : CURED_SYMBOL_REGISTER);

  symbol->type = (guint8) type;
  symbol->n_components = (guint8) n_components;
}

/* Reads `.b32 %r<12>, %a;`. */
void
_cured_ptx_parse_registers (CuredPtxParser *self)
{
  guint n_components = _cured_ptx_accept_vector (self);
  gboolean is_pair = n_components == 0 && _cured_ptx_get_key (self) == CURED_KEY_B128;
  CuredPtxType type = is_pair ? CURED_PTX_B64 : _cured_ptx_parse_type (self);

  if (is_pair)
    {
      n_components = 2;
      cured_ptx_parser_next (self);
    }

  if (n_components > 0 &&
      (type == CURED_PTX_PRED || n_components * _cured_ptx_types[type].bytes > 16))
    _cured_ptx_parser_fail_here (
        self, CURED_ERROR_INVALID,
        _ ("a vector of registers has at most 128 bits, and no predicates"));
  do
    {
      CuredPtxToken name = _cured_ptx_parser_expect_name (self);

      if (!cured_ptx_parser_accept (self, '<'))
        {
          declare_one (self, &name, type, n_components);
          continue;
        }
      guint64 n = _cured_ptx_parser_expect_integer (self);
      _cured_ptx_parser_expect (self, '>');
      if (n > (n_components > 0 ? MAX_VECTORS : G_MAXINT32))
        _cured_ptx_parser_fail (self, &name, CURED_ERROR_INVALID,
                                _ ("the emulator has no such number of registers"));
      if (n_components == 0)
        _cured_ptx_declare_range (self, &name, type, (guint32) n);
      /* Each vector has its own name. */
      for (guint i = 0; n_components > 0 && i < n; i++)
        {
          CuredPtxToken one = _cured_ptx_make_token (
              self, &name, g_strdup_printf ("%.*s%u", (int) name.length, name.at, i));

          declare_one (self, &one, type, n_components);
        }
    }
  while (cured_ptx_parser_accept (self, ','));
  _cured_ptx_parser_expect (self, ';');
}

/* ---- Initial values of variables ---- */

typedef struct
{
  CuredPtxType type;
  guint n_dimensions;
  gsize dimensions[MAX_DIMENSIONS + 1];
  gsize strides[MAX_DIMENSIONS + 1]; /* bytes of an element at each level */
  guint variable;
  const CuredPtxToken *name;
} Initial;

static void G_GNUC_NORETURN
fail_too_many (CuredPtxParser *self)
{
  _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                               _ ("variables may begin with %u MiB of values"),
                               MAX_INITIAL_BYTES >> 20);
}

static void
write_initial (CuredPtxParser *self, Initial *initial, gsize at, guint64 bits)
{
  gsize width = _cured_ptx_types[initial->type].bytes;
  guint before = self->initial->len;

  if (at + width > MAX_INITIAL_BYTES || self->initial_bytes + at + width > MAX_INITIAL_BYTES)
    fail_too_many (self);
  if (at + width > before)
    {
      g_byte_array_set_size (self->initial, (guint) (at + width));
      memset (self->initial->data + before, 0, at + width - before);
    }
  for (guint i = 0; i < width; i++)
    self->initial->data[at + i] = (guint8) (bits >> (8 * i));
}

/* The address of a variable or function. */
static void
parse_initial_address (CuredPtxParser *self, Initial *initial, gsize at, guint8 shift)
{
  CuredPtxToken name = self->token;
  const CuredPtxTypeInfo *info = &_cured_ptx_types[initial->type];
  gboolean is_generic = _cured_ptx_is_name (&name, "generic");
  guint64 base, addend = 0;

  cured_ptx_parser_next (self);
  is_generic = is_generic && cured_ptx_parser_accept (self, '(');
  if (is_generic)
    name = _cured_ptx_parser_expect_name (self);
  guint32 index = _cured_ptx_lookup (self, &name);
  if (index == 0)
    _cured_ptx_parser_fail (self, &name, CURED_ERROR_SYNTAX, _ ("%.*s is not declared"),
                            (int) name.length, name.at);
  if (is_generic)
    _cured_ptx_parser_expect (self, ')');
  _cured_ptx_parse_addend (self, &addend);
  if (info->kind == CURED_PTX_KIND_F || info->kind == CURED_PTX_KIND_X)
    _cured_ptx_parser_fail (self, &name, CURED_ERROR_SYNTAX,
                            _ ("an address is not a floating-point number"));

  switch ((guint) SYMBOL (self, index)->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      {
        CuredPtxRelocation relocation = {
          .is_in_variable = TRUE,
          .holder = initial->variable,
          .offset = at,
          .width = info->bytes,
          .shift = shift,
          .variable = SYMBOL (self, index)->index,
          .addend = (gint64) addend,
        };

        g_array_append_val (self->relocations, relocation);
        VARIABLE (self, relocation.variable)->is_used = TRUE;
        write_initial (self, initial, at, 0);
        return;
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
      _cured_ptx_parser_fail (self, &name, CURED_ERROR_INVALID,
                              _ ("%.*s has no address that is known before the launch"),
                              (int) name.length, name.at);
    }
  write_initial (self, initial, at, (base + addend) >> shift);
}

/* One value: a number, an address, or mask(address). */
static void
parse_initial_value (CuredPtxParser *self, Initial *initial, gsize at)
{
  const CuredPtxTypeInfo *info = &_cured_ptx_types[initial->type];
  CuredPtxRaw raw = { 0 };

  if (self->token.kind == CURED_TOKEN_NAME && !_cured_ptx_is_name (&self->token, "WARP_SZ"))
    {
      parse_initial_address (self, initial, at, 0);
      return;
    }
  if (self->token.kind == CURED_TOKEN_INTEGER && *self->lexer.at == '(')
    {
      guint64 mask = self->token.value;
      guint shift = mask == 0 ? 0 : (guint) __builtin_ctzll (mask) / 8 * 8;

      cured_ptx_parser_next (self);
      cured_ptx_parser_next (self);
      if (mask >> shift != 0xff || info->bytes != 1 || self->token.kind != CURED_TOKEN_NAME)
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                     _ ("a mask picks one byte of an address, as in 0xFF00(name)"));
      parse_initial_address (self, initial, at, (guint8) shift);
      _cured_ptx_parser_expect (self, ')');
      return;
    }
  _cured_ptx_parse_constant (self, &raw);
  if (info->kind == CURED_PTX_KIND_F && info->bytes >= 4)
    {
      if (info->bytes == 8 || raw.kind != CURED_RAW_F32)
        raw.value =
            _cured_ptx_from_double (_cured_ptx_to_double (raw.kind, raw.value), info->bytes);
    }
  else if (raw.kind != CURED_RAW_INTEGER &&
           (raw.is_decimal || info->bytes != (raw.kind == CURED_RAW_F32 ? 4 : 8)))
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 _ ("a variable of type .%s begins with integers"), info->word);
  write_initial (self, initial, at, raw.value);
}

/* The values at one level of braces, starting at byte @at. */
static void
parse_initial_level (CuredPtxParser *self, Initial *initial, guint level, gsize at)
{
  gsize n = 0;

  if (level == initial->n_dimensions)
    {
      parse_initial_value (self, initial, at);
      return;
    }
  _cured_ptx_parser_expect (self, '{');
  if (cured_ptx_parser_accept (self, '}'))
    return;
  do
    {
      gsize offset;

      if (initial->dimensions[level] != 0 && n == initial->dimensions[level])
        _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                     _ ("%.*s has %zu elements, and more are given"),
                                     (int) initial->name->length, initial->name->at, n);
      if (!g_size_checked_mul (&offset, n, initial->strides[level]) ||
          !g_size_checked_add (&offset, offset, at) || offset > MAX_INITIAL_BYTES)
        fail_too_many (self);
      parse_initial_level (self, initial, level + 1, offset);
      n++;
    }
  while (cured_ptx_parser_accept (self, ','));
  if (level == 0 && initial->dimensions[0] == 0)
    initial->dimensions[0] = n;
  _cured_ptx_parser_expect (self, '}');
}

/* ---- Variables ---- */

/* Allocates room in a lane's local memory of a frame. */
gsize
_cured_ptx_add_local (CuredPtxParser *self, gsize size, gsize align)
{
  gsize at = (self->local_cursor + align - 1) & ~(align - 1);

  if (size > CURED_MAX_LOCAL_BYTES || at + size > CURED_MAX_LOCAL_BYTES)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("a function has at most %u KiB of local memory"),
                                 CURED_MAX_LOCAL_BYTES >> 10);
  self->local_cursor = at + size;
  self->local_bytes = MAX (self->local_bytes, self->local_cursor);
  self->local_align = MAX (self->local_align, align);
  return at;
}

static void G_GNUC_NORETURN
fail_too_large (CuredPtxParser *self, const CuredPtxToken *name, gsize most)
{
  _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID,
                          _ ("%.*s does not fit: at most %zu bytes are there"), (int) name->length,
                          name->at, most);
}

/* Records a variable's offset in shared memory. */
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

/* Places a shared variable after the earlier ones. */
static gsize
add_shared (CuredPtxParser *self, const CuredPtxToken *name, gsize size, gsize align,
            CuredPtxType type, gboolean is_own)
{
  gsize *end = is_own ? &self->own_bytes : &self->module_shared;
  gsize at = (*end + align - 1) & ~(align - 1);

  if (size > CURED_MAX_SHARED_BYTES || at + size > CURED_MAX_SHARED_BYTES)
    fail_too_large (self, name, CURED_MAX_SHARED_BYTES);
  *end = at + size;
  if (is_own)
    self->own_align = MAX (self->own_align, align);
  name_shared (self, name, at, size, type, is_own);
  return at;
}

/* The index of a variable of global or constant memory; created unless the name was declared
 * before without a definition. */
static guint32
add_variable (CuredPtxParser *self, const CuredPtxToken *name, CuredSpace space, gboolean is_extern,
              CuredPtxType type)
{
  guint32 known = _cured_ptx_find_symbol (self, name, CURED_SYMBOL_GLOBAL);
  CuredPtxVariable variable = {
    .space = space,
    .is_extern = is_extern,
    .ptx_line = name->line,
    .ptx_column = name->column,
    .element_bytes = _cured_ptx_types[type].bytes,
  };

  CuredPtxVariable *before = known != 0 ? VARIABLE (self, SYMBOL (self, known)->index) : NULL;

  if (before != NULL && (before->is_extern || is_extern) && before->space == space &&
      self->scopes->len == 1)
    {
      before->is_extern = before->is_extern && is_extern;
      return SYMBOL (self, known)->index;
    }
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, name, CURED_SYMBOL_GLOBAL);
  symbol->index = self->variables->len;
  symbol->type = (guint8) type;
  variable.name = g_strndup (name->at, name->length);
  g_array_append_val (self->variables, variable);
  return symbol->index;
}

static void
finish_global (CuredPtxParser *self, const CuredPtxToken *name, CuredSpace space, guint32 index,
               gsize size, gsize align)
{
  const GByteArray *bytes = self->initial;
  CuredPtxVariable *variable = VARIABLE (self, index);

  if (size > CURED_MAX_GLOBAL_BYTES)
    fail_too_large (self, name, CURED_MAX_GLOBAL_BYTES);
  if (space == CURED_SPACE_CONST)
    {
      self->const_bytes += size;
      if (size > CURED_MAX_CONST_BYTES || self->const_bytes > CURED_MAX_CONST_BYTES)
        fail_too_large (self, name, CURED_MAX_CONST_BYTES);
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
}

/* Dimensions such as [4][8]; the first may be empty. */
static void
parse_dimensions (CuredPtxParser *self, gsize bytes, guint n_components, Initial *initial,
                  gsize *size)
{
  initial->n_dimensions = 0;
  while (cured_ptx_parser_accept (self, '['))
    {
      gint64 n = 0;

      if (initial->n_dimensions == MAX_DIMENSIONS - 1)
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                     _ ("an array has at most %d dimensions"), MAX_DIMENSIONS - 1);
      if (!cured_ptx_parser_is (self, ']'))
        {
          n = _cured_ptx_parse_integer (self);
          if (n <= 0)
            _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                         _ ("an array has at least one element"));
        }
      else if (initial->n_dimensions > 0)
        _cured_ptx_parser_fail_expected (
            self, _ ("the number of elements: only the first may be missing"));
      initial->dimensions[initial->n_dimensions++] = (gsize) n;
      _cured_ptx_parser_expect (self, ']');
    }
  if (n_components > 0)
    initial->dimensions[initial->n_dimensions++] = n_components;
  *size = bytes;
  for (guint i = initial->n_dimensions; i-- > 0;)
    {
      initial->strides[i] = *size;
      if (!g_size_checked_mul (size, *size, initial->dimensions[i]))
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                     _ ("the array is larger than any memory"));
    }
}

static void
parse_attribute (CuredPtxParser *self)
{
  cured_ptx_parser_next (self);
  _cured_ptx_parser_expect (self, '(');
  while (self->token.kind == CURED_TOKEN_WORD || self->token.kind == CURED_TOKEN_INTEGER ||
         cured_ptx_parser_is (self, ',') || cured_ptx_parser_is (self, '('))
    {
      if (cured_ptx_parser_accept (self, '('))
        {
          while (self->token.kind == CURED_TOKEN_INTEGER || cured_ptx_parser_is (self, ','))
            cured_ptx_parser_next (self);
          _cured_ptx_parser_expect (self, ')');
        }
      else
        cured_ptx_parser_next (self);
    }
  _cured_ptx_parser_expect (self, ')');
}

/* One name, its size and what it begins with. @element: bytes of one, which a .b128 has two of @type
 * for */
static void
parse_one_variable (CuredPtxParser *self, CuredSpace space, gboolean is_extern, CuredPtxType type,
                    gsize element, guint n_components, gsize align)
{
  gsize size;
  CuredPtxToken name = _cured_ptx_parser_expect_name (self);
  Initial initial = { .type = type, .name = &name };
  gboolean is_global = space == CURED_SPACE_GLOBAL || space == CURED_SPACE_CONST;
  CuredPtxSymbol *symbol;

  g_byte_array_set_size (self->initial, 0);
  parse_dimensions (self, element, n_components, &initial, &size);
  if (align == 0)
    align = element * MAX (n_components, 1);
  if (is_global)
    initial.variable = add_variable (self, &name, space, is_extern, type);
  if (cured_ptx_parser_is (self, '='))
    {
      if (!is_global || is_extern)
        _cured_ptx_parser_fail_here (
            self, CURED_ERROR_SYNTAX,
            _ ("only variables of global and constant memory begin with a value"));
      cured_ptx_parser_next (self);
      parse_initial_level (self, &initial, 0, 0);
      if (size == 0 && initial.n_dimensions > 0 &&
          !g_size_checked_mul (&size, initial.dimensions[0], initial.strides[0]))
        size = G_MAXSIZE;
    }
  gboolean is_dynamic = space == CURED_SPACE_SHARED && (size == 0 || is_extern);
  if (size == 0 && !is_dynamic && !(is_global && is_extern))
    _cured_ptx_parser_fail (self, &name, CURED_ERROR_SYNTAX, _ ("%.*s has no size"),
                            (int) name.length, name.at);
  if (is_global)
    {
      finish_global (self, &name, space, initial.variable, size, align);
      return;
    }
  if (is_dynamic)
    {
      guint32 known = _cured_ptx_find_symbol (self, &name, CURED_SYMBOL_DYNAMIC);

      self->shared_align = MAX (self->shared_align, align);
      if (known != 0 && SYMBOL (self, known)->scope == SCOPE (self)->id)
        return;
      symbol = _cured_ptx_declare (self, &name, CURED_SYMBOL_DYNAMIC);
      symbol->type = (guint8) type;
      name_shared (self, &name, 0, 0, type, FALSE);
      return;
    }
  symbol = _cured_ptx_declare (self, &name,
                               space == CURED_SPACE_SHARED  ? CURED_SYMBOL_SHARED
                               : space == CURED_SPACE_LOCAL ? CURED_SYMBOL_LOCAL
                                                            : CURED_SYMBOL_SLOT);
  symbol->type = (guint8) type;
  symbol->size = size;
  if (space == CURED_SPACE_SHARED)
    {
      symbol->is_own = self->is_in_function && FUNCTION (self, self->function)->is_entry;
      symbol->offset = add_shared (self, &name, size, align, type, symbol->is_own);
      return;
    }
  if (space == CURED_SPACE_LOCAL)
    SCOPE (self)->keeps_local = TRUE;
  symbol->offset = _cured_ptx_add_local (self, size, align);
}

/* Reads the variables of one statement, up to the `;`. */
void
_cured_ptx_parse_variable (CuredPtxParser *self, CuredSpace space, gboolean is_extern)
{
  CuredPtxType type = CURED_PTX_TYPE_NONE;
  guint n_components = 0;
  gsize align = 0, element = 0;

  for (;;)
    {
      CuredPtxKey key = _cured_ptx_get_key (self);
      guint n = _cured_ptx_accept_vector (self);

      if (n > 0)
        n_components = n;
      else if (key == CURED_KEY_ALIGN)
        align = _cured_ptx_parse_align (self);
      else if (key == CURED_KEY_ATTRIBUTE)
        parse_attribute (self);
      else if (type != CURED_PTX_TYPE_NONE)
        break;
      else if (key == CURED_KEY_B128 && n_components == 0)
        {
          cured_ptx_parser_next (self);
          type = CURED_PTX_B64;
          element = 16;
        }
      else
        {
          type = _cured_ptx_parse_type (self);
          element = _cured_ptx_types[type].bytes;
        }
    }
  if (type == CURED_PTX_PRED)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 _ ("predicates are registers: they have no memory"));
  do
    parse_one_variable (self, space, is_extern, type, element, n_components, align);
  while (cured_ptx_parser_accept (self, ','));
  _cured_ptx_parser_expect (self, ';');
}

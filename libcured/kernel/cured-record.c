/* SPDX-License-Identifier: MIT
 * Elements with fields: vectors, and structs that the source declares. */

#include <stdio.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-tokens-internal.h"

#define MAX_LANES  16
#define MAX_DEPTH  8
#define MAX_LENGTH 4096

typedef struct
{
  CuredRecord *record;
  GArray *fields; /* (element-type CuredField) */
  gsize at;       /* bytes so far */
} Maker;

CURED_CLEAR_FUNC (CuredField, clear_field, name, g_free)

static void
maker_init (Maker *self)
{
  self->record = g_new0 (CuredRecord, 1);
  self->record->alignment = 1;
  self->fields = g_array_new (FALSE, TRUE, sizeof (CuredField));
  g_array_set_clear_func (self->fields, clear_field);
  self->at = 0;
}

CURED_CLEAR_FUNC (Maker, maker_clear, record, cured_record_free, fields, g_array_unref)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Maker, maker_clear)

static gsize
align (gsize at, gsize alignment)
{
  return (at + alignment - 1) / alignment * alignment;
}

#define refuse(error, ...)                                                                         \
  (g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, __VA_ARGS__), FALSE)

static gboolean
maker_add (Maker *self, const char *name, CuredElement type, gboolean is_pointer, gsize offset,
           GError **error)
{
  CuredField field = { NULL, type, is_pointer, offset };

  if (self->fields->len >= CURED_RECORD_MAX_FIELDS ||
      offset + cured_element_get_size (type) > CURED_RECORD_MAX_BYTES)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("more than %d fields or %d bytes; expected fewer"),
                       CURED_RECORD_MAX_FIELDS, CURED_RECORD_MAX_BYTES);
  field.name = g_strdup (name);
  g_array_append_val (self->fields, field);
  return TRUE;
}

static CuredRecord *
maker_end (Maker *self, gsize size, const char *text)
{
  CuredRecord *record = g_steal_pointer (&self->record);

  record->text = g_strdup (text);
  record->size = align (size, record->alignment);
  record->n_fields = self->fields->len;
  record->fields = g_new (CuredField, MAX (record->n_fields, 1));
  for (gsize i = 0; i < record->n_fields; i++)
    {
      record->fields[i] = g_array_index (self->fields, CuredField, i);
      record->fields[i].name = g_strdup (record->fields[i].name);
    }
  record->is_plain = TRUE;
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const CuredField *field = &record->fields[i];

      record->is_plain &= !field->is_pointer && field->type == record->fields[0].type &&
                          field->offset == i * cured_element_get_size (field->type);
    }
  record->is_plain &=
      record->n_fields > 0 &&
      record->size == record->n_fields * cured_element_get_size (record->fields[0].type);
  return record;
}

/* The alignment of a CUDA vector: the largest power of two that divides its size. */
static gsize
get_vector_alignment (CuredElement type, guint count)
{
  gsize size = cured_element_get_size (type) * count;

  return MIN (size & -size, 16);
}

/* @type: type of its components
 * @count: number of components, 2 to 16
 * Returns: (transfer full): for example `f32x4`, laid out as CUDA's `float4` */
CuredRecord *
cured_record_new_vector (CuredElement type, guint count)
{
  static const char *const names[] = { "x", "y", "z", "w" };
  g_auto (Maker) maker = { NULL };
  g_autofree char *text = g_strdup_printf ("%sx%u", cured_element_to_string (type), count);
  gsize size = cured_element_get_size (type);

  g_return_val_if_fail (count >= 2 && count <= MAX_LANES, NULL);

  maker_init (&maker);
  maker.record->alignment = get_vector_alignment (type, count);
  for (guint i = 0; i < count; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);

      maker_add (&maker, count <= 4 ? names[i] : number, type, FALSE, i * size, NULL);
    }
  return maker_end (&maker, count * size, text);
}

/* @self: (nullable) (transfer full): an element's fields
 *
 * Frees them. */
void
cured_record_free (CuredRecord *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_fields; i++)
    g_free (self->fields[i].name);
  g_free (self->fields);
  g_free (self->text);
  g_free (self);
}

/* @self: an element's fields
 * @other: another element's fields
 * Returns: whether both have the same types at the same offsets */
gboolean
cured_record_equal (const CuredRecord *self, const CuredRecord *other)
{
  if (self->size != other->size || self->n_fields != other->n_fields)
    return FALSE;
  for (gsize i = 0; i < self->n_fields; i++)
    if (self->fields[i].type != other->fields[i].type ||
        self->fields[i].offset != other->fields[i].offset ||
        self->fields[i].is_pointer != other->fields[i].is_pointer)
      return FALSE;
  return TRUE;
}

/* @self: an element's fields
 * Returns: whether one of them is an address */
gboolean
cured_record_has_pointer (const CuredRecord *self)
{
  for (gsize i = 0; i < self->n_fields; i++)
    if (self->fields[i].is_pointer)
      return TRUE;
  return FALSE;
}

/* ---- Structs of the source ---- */

/* The meaning of a name in the source. */
typedef struct
{
  CuredElement type;
  guint count;         /* vector components; 1: a scalar */
  CuredRecord *record; /* fields of a struct; owned */
  gboolean is_pointer; /* a typedef of a pointer */
} Meaning;

CURED_CLEAR_FUNC (Meaning, meaning_clear, record, cured_record_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Meaning, meaning_clear)

static gboolean find_meaning (const CuredTokens *tokens, const char *name, guint depth,
                              Meaning *meaning, GError **error);

/* Words of a declaration that do not affect the type's layout. */
static gboolean
is_qualifier (const CuredTokens *tokens, guint i)
{
  static const char *const words[] = { "const",    "volatile", "struct", "mutable", "__restrict__",
                                       "restrict", "register", "public", NULL };
  g_autofree char *word = _cured_tokens_dup (tokens, i);

  return g_strv_contains (words, word);
}

/* Adds a field of type @meaning; a struct's members become fields of their own. */
static gboolean
add_meaning (Maker *maker, const char *name, const Meaning *meaning, gboolean is_pointer,
             GError **error)
{
  gsize size = is_pointer ? 8 : cured_element_get_size (meaning->type), alignment = size;

  if (is_pointer || (meaning->record == NULL && meaning->count == 1))
    {
      maker->at = align (maker->at, alignment);
      if (!maker_add (maker, name, is_pointer ? CURED_ELEMENT_U64 : meaning->type, is_pointer,
                      maker->at, error))
        return FALSE;
      maker->at += size;
    }
  else
    {
      g_autoptr (CuredRecord) vector =
          meaning->record == NULL ? cured_record_new_vector (meaning->type, meaning->count) : NULL;
      const CuredRecord *record = vector != NULL ? vector : meaning->record;

      alignment = record->alignment;
      maker->at = align (maker->at, alignment);
      for (gsize i = 0; i < record->n_fields; i++)
        {
          const CuredField *field = &record->fields[i];
          g_autofree char *path = g_strconcat (name, ".", field->name, NULL);

          if (!maker_add (maker, path, field->type, field->is_pointer, maker->at + field->offset,
                          error))
            return FALSE;
        }
      maker->at += record->size;
    }
  maker->record->alignment = MAX (maker->record->alignment, alignment);
  return TRUE;
}

/* The array length in brackets, 1 to MAX_LENGTH; 0 if unknown. */
static guint
get_number (const CuredTokens *tokens, guint open)
{
  gint64 value;

  if (open >= tokens->tokens->len || CURED_TOKEN (tokens, open)->match == CURED_TOKEN_NONE ||
      !_cured_literal_fold (tokens, open + 1, CURED_TOKEN (tokens, open)->match, &value))
    return 0;
  return value > 0 && value <= MAX_LENGTH ? (guint) value : 0;
}

/* Reads the type at @i, and moves @i behind it. */
static gboolean
read_type (const CuredTokens *tokens, guint *i, guint last, guint depth, Meaning *meaning,
           GError **error)
{
  g_autoptr (GString) name = g_string_new (NULL);

  for (; *i < last && CURED_TOKEN (tokens, *i)->kind == CURED_TOKEN_WORD; (*i)++)
    {
      CuredElement type;
      guint count;

      if (is_qualifier (tokens, *i))
        continue;
      g_autofree char *word = _cured_tokens_dup (tokens, *i);
      g_autofree char *more = g_strconcat (name->str, name->len > 0 ? " " : "", word, NULL);
      /* A word that does not extend the type is the name of the variable. */
      if (name->len > 0 && !cured_element_find_c_type (more, &type, &count))
        break;
      g_string_assign (name, more);
    }
  return find_meaning (tokens, name->str, depth + 1, meaning, error);
}

/* The members of a struct, from @i to @last. */
static CuredRecord *
read_struct (const CuredTokens *tokens, guint i, guint last, gsize alignment, const char *name,
             guint depth, GError **error)
{
  g_auto (Maker) maker = { NULL };
  g_autofree char *text = g_strconcat ("struct:", name, NULL);

  maker_init (&maker);
  maker.record->alignment = alignment;
  while (i < last)
    {
      g_auto (Meaning) meaning = { 0 };
      g_autoptr (GError) unknown = NULL;
      guint end = i;
      gboolean is_function = FALSE, is_static = FALSE;

      /* "public:" */
      if (i + 1 < last && _cured_tokens_get_sign (tokens, i + 1) == ':' &&
          _cured_tokens_get_sign (tokens, i + 2) != ':')
        {
          i += 2;
          continue;
        }
      for (; end < last && _cured_tokens_get_sign (tokens, end) != ';'; end++)
        {
          const CuredSourceToken *token = CURED_TOKEN (tokens, end);

          is_static |= _cured_tokens_is (tokens, end, "static") ||
                       _cured_tokens_is (tokens, end, "using") ||
                       _cured_tokens_is (tokens, end, "typedef");
          if (_cured_tokens_is (tokens, end, "union") ||
              _cured_tokens_is (tokens, end, "virtual") ||
              (_cured_tokens_get_sign (tokens, end) == ':' && !is_function))
            return cured_fail_null (
                error, CURED_ERROR_INVALID,
                _ ("%s has a union, a bit field or a virtual function; expected plain "
                   "fields, or name them: struct:(f32 x, i32 n)"),
                name);
          if (_cured_tokens_get_sign (tokens, end) == '(')
            is_function = TRUE;
          if (token->match != CURED_TOKEN_NONE && token->match < last)
            {
              gboolean is_body = _cured_tokens_get_sign (tokens, end) == '{';

              end = token->match;
              if (is_body && is_function)
                break;
            }
        }
      if (is_function || is_static || end == i)
        {
          i = end + 1;
          continue;
        }
      guint begin = i;
      if (!read_type (tokens, &i, end, depth, &meaning, &unknown))
        {
          /* The type behind a pointer does not matter: it may be the struct itself. */
          for (i = begin; i < end && (CURED_TOKEN (tokens, i)->kind == CURED_TOKEN_WORD ||
                                      _cured_tokens_get_sign (tokens, i) == ':');)
            i++;
          if (_cured_tokens_get_sign (tokens, i) != '*')
            {
              g_propagate_error (error, g_steal_pointer (&unknown));
              return NULL;
            }
        }
      while (i < end)
        {
          gboolean is_pointer = meaning.is_pointer;
          guint length = 1;
          gboolean is_array = FALSE;

          for (; i < end && (_cured_tokens_get_sign (tokens, i) != 0 || is_qualifier (tokens, i));
               i++)
            is_pointer |= _cured_tokens_get_sign (tokens, i) == '*';
          if (i >= end)
            break;
          if (unknown != NULL && !is_pointer)
            {
              g_propagate_error (error, g_steal_pointer (&unknown));
              return NULL;
            }
          g_autofree char *field = _cured_tokens_dup (tokens, i++);
          for (; i < end && _cured_tokens_get_sign (tokens, i) == '[';
               i = CURED_TOKEN (tokens, i)->match + 1)
            {
              guint n = get_number (tokens, i);

              if (n == 0 || n > MAX_LENGTH / length)
                return cured_fail_null (
                    error, CURED_ERROR_INVALID,
                    _ ("the length of %s is not known; expected a number in brackets"), field);
              is_array = TRUE;
              length *= n;
            }
          for (guint k = 0; k < length; k++)
            {
              g_autofree char *part =
                  is_array ? g_strdup_printf ("%s[%u]", field, k) : g_strdup (field);

              if (!add_meaning (&maker, part, &meaning, is_pointer, error))
                {
                  g_prefix_error (error, "%s: ", name);
                  return NULL;
                }
            }
          /* Its initial value does not matter. */
          while (i < end && _cured_tokens_get_sign (tokens, i) != ',')
            i = CURED_TOKEN (tokens, i)->match != CURED_TOKEN_NONE
                    ? CURED_TOKEN (tokens, i)->match + 1
                    : i + 1;
          i++;
        }
      i = end + 1;
    }
  if (maker.fields->len == 0)
    return cured_fail_null (error, CURED_ERROR_INVALID, _ ("%s has no fields"), name);
  return maker_end (&maker, maker.at, text);
}

/* `__align__(16)` or `alignas(16)` before the brace at @open. */
static gsize
read_alignment (const CuredTokens *tokens, guint begin, guint open)
{
  for (guint i = begin; i + 2 < open; i++)
    if (_cured_tokens_is (tokens, i, "__align__") || _cured_tokens_is (tokens, i, "alignas") ||
        _cured_tokens_is (tokens, i, "aligned"))
      {
        guint n = get_number (tokens, i + 1);

        if (n > 0 && n <= 256 && (n & (n - 1)) == 0)
          return n;
      }
  return 1;
}

/* The index at which a typedef from @i to @end declares the name @name, followed by nothing but
 * another declarator or an attribute; 0 if it does not. */
static guint
find_declarator (const CuredTokens *tokens, guint i, guint end, const char *name)
{
  for (; i < end; i++)
    if (_cured_tokens_is (tokens, i, name) &&
        (i + 1 == end || _cured_tokens_get_sign (tokens, i + 1) == ',' ||
         _cured_tokens_is (tokens, i + 1, "__attribute__") ||
         _cured_tokens_is (tokens, i + 1, "__align__") ||
         _cured_tokens_is (tokens, i + 1, "__device_builtin__")))
      return i;
  return 0;
}

static gboolean
find_meaning (const CuredTokens *tokens, const char *name, guint depth, Meaning *meaning,
              GError **error)
{
  guint n = tokens->tokens->len;

  meaning->count = 1;
  if (cured_element_find_c_type (name, &meaning->type, &meaning->count))
    return TRUE;
  /* Only possible behind a pointer. */
  if (g_str_equal (name, "void"))
    {
      meaning->type = CURED_ELEMENT_U8;
      return TRUE;
    }
  if (depth > MAX_DEPTH || *name == '\0')
    return refuse (error, _ ("%s goes too deep to be found out"), name);
  for (guint i = 0; i + 1 < n; i++)
    {
      guint open = i + 1;

      /* struct A { … }, typedef struct A { … } B */
      if (_cured_tokens_is (tokens, i, "struct") || _cured_tokens_is (tokens, i, "class"))
        {
          gboolean is_it = FALSE, has_base = FALSE;

          for (; open < n && _cured_tokens_get_sign (tokens, open) != '{' &&
                 _cured_tokens_get_sign (tokens, open) != ';' && open < i + 16;
               open++)
            {
              is_it |= _cured_tokens_is (tokens, open, name);
              has_base |= _cured_tokens_get_sign (tokens, open) == ':';
            }
          if (open >= n || _cured_tokens_get_sign (tokens, open) != '{' ||
              CURED_TOKEN (tokens, open)->match == CURED_TOKEN_NONE)
            continue;
          guint close = CURED_TOKEN (tokens, open)->match;
          for (guint k = close + 1; k < n && i > 0 && _cured_tokens_is (tokens, i - 1, "typedef") &&
                                    _cured_tokens_get_sign (tokens, k) != ';';
               k++)
            is_it |= _cured_tokens_is (tokens, k, name);
          if (!is_it)
            continue;
          if (has_base)
            return refuse (error,
                           _ ("%s has a base class; expected plain fields, or name them: "
                              "struct:(f32 x, i32 n)"),
                           name);
          meaning->record = read_struct (tokens, open + 1, close, read_alignment (tokens, i, open),
                                         name, depth, error);
          return meaning->record != NULL;
        }
      /* typedef float real, *address; */
      if (_cured_tokens_is (tokens, i, "typedef"))
        {
          guint end = i, at = i + 1;

          while (end < n && _cured_tokens_get_sign (tokens, end) != ';' &&
                 _cured_tokens_get_sign (tokens, end) != '{')
            end++;
          guint found = end < n && _cured_tokens_get_sign (tokens, end) == ';'
                            ? find_declarator (tokens, i + 2, end, name)
                            : 0;
          if (found > 0)
            {
              if (!read_type (tokens, &at, found, depth, meaning, error))
                return FALSE;
              while (found-- > at && _cured_tokens_get_sign (tokens, found) != ',')
                meaning->is_pointer |= _cured_tokens_get_sign (tokens, found) == '*';
              return TRUE;
            }
        }
      /* using real = float; */
      if (i + 3 < n && _cured_tokens_is (tokens, i, "using") &&
          _cured_tokens_is (tokens, i + 1, name) && _cured_tokens_get_sign (tokens, i + 2) == '=')
        {
          guint at = i + 3, end = at;

          while (end < n && _cured_tokens_get_sign (tokens, end) != ';')
            end++;
          return read_type (tokens, &at, end, depth, meaning, error);
        }
    }
  /* #define real float */
  CURED_EACH (const CuredDirective, line, tokens->directives)
    {
      g_autofree char *text = g_strndup (tokens->text + line->begin, line->end - line->begin);

      g_strdelimit (text, "\t", ' ');
      g_auto (GStrv) words = g_strsplit (text + strspn (text, "# "), " ", 3);
      if (g_strv_length (words) == 3 && g_str_equal (words[0], "define") &&
          g_str_equal (words[1], name) &&
          cured_element_find_c_type (g_strstrip (words[2]), &meaning->type, &meaning->count))
        return TRUE;
    }
  return refuse (error,
                 _ ("no declaration of %s is in the file that says what it is made of; expected "
                    "one, or name the fields: struct:(f32 x, i32 n)"),
                 name);
}

/* (transfer full): the fields of a struct that the source declares. */
CuredRecord *
_cured_record_new_from_source (const char *source, const char *name, GError **error)
{
  g_autofree char *chosen = _cured_tokens_choose (source);
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (chosen);
  g_auto (Meaning) meaning = { 0 };

  if (!find_meaning (tokens, name, 0, &meaning, error))
    return NULL;
  if (meaning.record == NULL || meaning.is_pointer)
    return cured_fail_null (error, CURED_ERROR_INVALID, _ ("%s is no struct"), name);
  return g_steal_pointer (&meaning.record);
}

/* ---- Types as a kernel file has them ---- */

/* "f32x4", or a scalar's word. */
static gboolean
parse_vector (const char *text, CuredElement *type, guint *count)
{
  const char *cross = strchr (text, 'x');
  guint64 n;

  *count = 1;
  if (cured_element_from_string (text, type))
    return TRUE;
  if (cross == NULL || !g_ascii_string_to_unsigned (cross + 1, 10, 2, MAX_LANES, &n, NULL))
    return FALSE;
  g_autofree char *word = g_strndup (text, (gsize) (cross - text));
  *count = (guint) n;
  return cured_element_from_string (word, type);
}

/* "f32 x, alignas(16) i32x2 at, u8 rest[4]", as C lays it out. */
static CuredRecord *
parse_fields (const char *text, const char *all, GError **error)
{
  g_auto (Maker) maker = { NULL };
  g_auto (GStrv) items = g_strsplit (text, ",", CURED_RECORD_MAX_FIELDS + 1);

  maker_init (&maker);
  for (guint i = 0; items[i] != NULL; i++)
    {
      Meaning meaning = { 0 };
      char *item = g_strstrip (items[i]), *blank;
      guint64 length = 1;
      guint alignment = 1, given;
      int end_of_word = 0;

      if (sscanf (item, "alignas(%3u) %n", &given, &end_of_word) == 1 && end_of_word > 0 &&
          given > 0 && given <= 256 && (given & (given - 1)) == 0)
        {
          alignment = given;
          item += end_of_word;
        }
      blank = item + strcspn (item, " \t");
      g_autofree char *type = g_strndup (item, (gsize) (blank - item));
      g_autofree char *name = g_strdup (g_strchug (blank));
      char *bracket = strchr (name, '[');
      gboolean is_pointer = g_str_equal (type, "ptr");

      if (bracket != NULL)
        {
          gsize end = strlen (bracket);

          if (bracket[end - 1] == ']')
            bracket[end - 1] = '\0';
          if (!g_ascii_string_to_unsigned (bracket + 1, 10, 1, MAX_LENGTH, &length, NULL))
            length = 0;
          *bracket = '\0';
          g_strchomp (name);
        }
      if (*name == '\0' || length == 0 ||
          (!is_pointer && !parse_vector (type, &meaning.type, &meaning.count)))
        return cured_fail_null (
            error, CURED_ERROR_INVALID,
            _ ("“%s”: expected a type and a name, as in f32 x, i32x2 at or u8 rest[4]"), item);
      maker.at = align (maker.at, alignment);
      maker.record->alignment = MAX (maker.record->alignment, alignment);
      for (guint k = 0; k < length; k++)
        {
          g_autofree char *part =
              bracket != NULL ? g_strdup_printf ("%s[%u]", name, k) : g_strdup (name);

          if (!add_meaning (&maker, part, &meaning, is_pointer, error))
            return NULL;
        }
    }
  return maker_end (&maker, maker.at, all);
}

/* Reads "f32", "bf16x2", "struct:Particle" or "struct:(f32 x, i32 n)". A scalar has no @record,
 * whose type else is that of its first field. */
gboolean
_cured_type_parse (const char *text, const char *source, CuredElement *type, CuredRecord **record,
                   GError **error)
{
  guint count;

  *record = NULL;
  if (parse_vector (text, type, &count))
    {
      if (count > 1)
        *record = cured_record_new_vector (*type, count);
      return TRUE;
    }
  if (!g_str_has_prefix (text, "struct:"))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("“%s” is not known; expected i8, u8, i16, u16, i32, u32, i64, u64, e4m3, "
                          "e5m2, f16, bf16, f32 or f64, a vector of them as f32x4, or struct:NAME"),
                       text);
  g_autofree char *rest = g_strstrip (g_strdup (text + strlen ("struct:")));
  if (*rest == '(' && g_str_has_suffix (rest, ")"))
    {
      rest[strlen (rest) - 1] = '\0';
      *record = parse_fields (rest + 1, text, error);
    }
  else if (strpbrk (rest, " \t,") != NULL)
    *record = parse_fields (rest, text, error);
  else
    *record = _cured_record_new_from_source (source, rest, error);
  if (*record == NULL)
    return FALSE;
  *type = (*record)->fields[0].type;
  return TRUE;
}

/* @self: a buffer of one type
 * @other: another one
 * Returns: whether their elements have the same type */
gboolean
cured_buffer_has_type_of (const CuredBuffer *self, const CuredBuffer *other)
{
  if (self->record == NULL || other->record == NULL)
    return self->record == other->record && self->type == other->type;
  return cured_record_equal (self->record, other->record);
}

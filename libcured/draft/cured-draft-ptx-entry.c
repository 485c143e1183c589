/* SPDX-License-Identifier: MIT
 * Entries of PTX: their parameters, and how the instructions use these.
 *
 * This is not a parser: statements are split at semicolons, and only their opcode and registers are
 * read, which is enough to follow a parameter to the addresses computed from it. */
#include "draft/cured-draft-ptx-private.h"

#include "base/cured-base-internal.h"

#define MAX_PARAMETERS      64
#define MAX_PARAMETER_BYTES 32768
/* Limits of registers of loaded vectors that are searched in the whole text, and of registers. */
#define MAX_ASKED     256
#define MAX_REGISTERS (1 << 16)

CURED_CLEAR_FUNC (CuredPtxDraftParameter, parameter_clear, name, g_free, label, g_free)

CURED_DEFINE_FREE (CuredPtxDraftEntry, _cured_draft_entry_free, name, g_free, parameters,
                   g_array_unref, registers, g_hash_table_unref, places, g_hash_table_unref,
                   predicates, g_hash_table_unref, statements, g_strfreev)

/* ---- Text ---- */

/* Blanks comments and the contents of strings, keeping all offsets. */
char *
_cured_draft_mask_ptx (const char *ptx)
{
  char *text = g_strdup (ptx);

  for (char *at = text; *at != '\0';)
    {
      char *end = at + 1;

      if (g_str_has_prefix (at, "//"))
        end = at + strcspn (at, "\n");
      else if (g_str_has_prefix (at, "/*"))
        {
          char *close = strstr (at + 2, "*/");

          end = close != NULL ? close + 2 : at + strlen (at);
        }
      else if (*at == '"')
        {
          end = at + 1 + strcspn (at + 1, "\"\n");
          end += *end == '"';
        }
      else
        {
          at = end;
          continue;
        }
      for (; at < end; at++)
        if (*at != '\n')
          *at = ' ';
    }
  return text;
}

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '%';
}

char *
_cured_draft_read_ptx_name (const char **at)
{
  while (**at != '\0' && !is_name (**at))
    (*at)++;
  const char *from = *at;
  while (is_name (**at))
    (*at)++;
  return g_strndup (from, (gsize) (*at - from));
}

/* ---- Entries ---- */

static int
get_type_bytes (const char *type)
{
  static const struct
  {
    const char *type;
    int bytes;
  } types[] = {
    { ".b8", 1 },  { ".u8", 1 },   { ".s8", 1 },  { ".b16", 2 }, { ".u16", 2 }, { ".s16", 2 },
    { ".f16", 2 }, { ".bf16", 2 }, { ".b32", 4 }, { ".u32", 4 }, { ".s32", 4 }, { ".f32", 4 },
    { ".b64", 8 }, { ".u64", 8 },  { ".s64", 8 }, { ".f64", 8 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (type, types[i].type))
      return types[i].bytes;
  return 0;
}

static guint
add_parameter (CuredPtxDraftEntry *self, const CuredPtxDraftParameter *parameter)
{
  g_array_append_val (self->parameters, *parameter);
  return self->parameters->len;
}

/* ".param .u64 .ptr .global .align 1 name", ".param.align 8 .b8 name[56]" */
static void
read_parameter (CuredPtxDraftEntry *self, const char *text)
{
  g_autoptr (GString) plain = g_string_new (text);
  CuredPtxDraftParameter parameter = { 0 };
  guint n;

  g_string_replace (plain, ".", " .", 0);
  g_string_replace (plain, "[", " [", 0);
  g_auto (GStrv) words = g_strsplit_set (plain->str, " \n\t\r", -1);
  n = 0;
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      words[n++] = *word;
    else
      g_free (*word);
  words[n] = NULL;
  char *bracket = n > 0 && *words[n - 1] == '[' ? words[--n] : NULL;
  if (n < 3 || self->parameters->len == MAX_PARAMETERS)
    return;
  for (guint i = 0; i + 1 < n; i++)
    {
      if (get_type_bytes (words[i]) > 0)
        {
          parameter.bytes = get_type_bytes (words[i]);
          parameter.is_real = words[i][1] == 'f';
        }
      else if (g_str_equal (words[i], ".align"))
        parameter.alignment = (int) CLAMP (g_ascii_strtoll (words[i + 1], NULL, 0), 0, 256);
      parameter.is_pointer |= g_str_equal (words[i], ".ptr");
    }
  if (bracket != NULL)
    {
      guint64 count = g_ascii_strtoull (bracket + 1, NULL, 0);

      parameter.bytes *= (int) MIN (count, MAX_PARAMETER_BYTES);
      parameter.is_array = TRUE;
    }
  parameter.name = g_strdup (words[n - 1]);
  g_hash_table_insert (self->places, g_strdup (parameter.name),
                       GUINT_TO_POINTER (add_parameter (self, &parameter)));
}

/* The field of a struct by value that is read at @offset, created if it is new; 0 if there are too
 * many.
 * Returns: its index + 1 */
static guint
get_field (CuredPtxDraftEntry *self, guint place, int offset, int bytes)
{
  CuredPtxDraftParameter field = { .bytes = bytes, .parent = (int) place, .offset = offset };

  for (guint i = 0; i < self->parameters->len; i++)
    if (PARAMETER (self, i)->parent == (int) place && PARAMETER (self, i)->offset == offset)
      return i + 1;
  if (self->parameters->len == MAX_PARAMETERS || bytes <= 0 || offset < 0 || offset % bytes != 0 ||
      offset + bytes > PARAMETER (self, place - 1)->bytes)
    return 0;
  return add_parameter (self, &field);
}

/* ".reqntid 128, 1, 1" between the parameters and the body. */
static void
read_block (CuredPtxDraftEntry *self, const char *text)
{
  static const char *const words[] = { ".reqntid", ".maxntid" };

  for (gsize i = 0; i < G_N_ELEMENTS (words) && !self->has_block; i++)
    {
      const char *at = strstr (text, words[i]);
      gsize k = 0;

      if (at == NULL)
        continue;
      at += strlen (words[i]);
      for (k = 0; k < 3; k++)
        {
          char *end;
          guint64 number = g_ascii_strtoull (at, &end, 0);

          if (end == at || number == 0 || number > 1024)
            break;
          self->block[k] = (int) number;
          at = end + strspn (end, " \t\r\n");
          if (*at != ',')
            {
              k++;
              break;
            }
          at++;
        }
      self->has_block = k > 0;
      self->is_block_exact = i == 0;
    }
}

/* Whether a semicolon before @body, other than that of a .pragma, ends the declaration at @open. */
static gboolean
is_declaration (const char *open, const char *body)
{
  const char *stop = strchr (open, ';');

  for (const char *pragma = strstr (open, ".pragma");
       stop != NULL && pragma != NULL && pragma < stop && stop < body;
       pragma = strstr (stop, ".pragma"), stop = strchr (stop + 1, ';'))
    ;
  return stop != NULL && stop < body;
}

/* The entry that begins behind @at, whose text is masked; @at becomes its end. */
CuredPtxDraftEntry *
_cured_draft_read_entry (const char **at)
{
  g_autoptr (CuredPtxDraftEntry) self = g_new0 (CuredPtxDraftEntry, 1);
  const char *open, *close;
  int depth = 0;

  self->parameters = g_array_new (FALSE, TRUE, sizeof (CuredPtxDraftParameter));
  g_array_set_clear_func (self->parameters, parameter_clear);
  self->registers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->predicates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->name = _cured_draft_read_ptx_name (at);
  open = *at + strspn (*at, " \t\r\n");
  if (*open == '(')
    {
      close = strchr (open, ')');
      if (close == NULL)
        return NULL;
      g_autofree char *list = g_strndup (open + 1, (gsize) (close - open - 1));
      g_auto (GStrv) items = g_strsplit (list, ",", -1);
      for (guint i = 0; items[i] != NULL; i++)
        read_parameter (self, items[i]);
      open = close + 1;
    }
  close = strchr (open, '{');
  if (close == NULL || is_declaration (open, close))
    return NULL;
  g_autofree char *between = g_strndup (open, (gsize) (close - open));
  read_block (self, between);
  for (open = close; *close != '\0'; close++)
    {
      depth += (*close == '{') - (*close == '}');
      if (depth == 0)
        break;
    }
  g_autofree char *body = g_strndup (open, (gsize) (close - open));
  self->uses_y = strstr (body, "%tid.y") != NULL;
  self->has_rows = strstr (body, "%ctaid.y") != NULL;
  self->statements = g_strsplit (body, ";", -1);
  *at = close;
  return g_steal_pointer (&self);
}

/* ---- Uses of parameters ---- */

static CuredPtxDraftRegister *
get_register (CuredPtxDraftEntry *self, const char *name)
{
  CuredPtxDraftRegister *found = g_hash_table_lookup (self->registers, name);

  if (found == NULL && g_hash_table_size (self->registers) < MAX_REGISTERS)
    {
      found = g_new0 (CuredPtxDraftRegister, 1);
      g_hash_table_insert (self->registers, g_strdup (name), found);
    }
  return found;
}

static guint64
get_origins (CuredPtxDraftEntry *self, const char *name)
{
  const CuredPtxDraftRegister *found = get_register (self, name);

  return found != NULL ? found->origins : 0;
}

static void
add_origins (CuredPtxDraftEntry *self, const char *name, guint64 origins)
{
  CuredPtxDraftRegister *found = get_register (self, name);

  if (found != NULL)
    found->origins |= origins;
}

/* The registers and other names of a statement, in order; those in addresses in a separate
 * list. */
static void
list_registers (const char *text, GPtrArray *plain, GPtrArray *address)
{
  int depth = 0;

  while (*text != '\0')
    {
      depth += (*text == '[') - (*text == ']');
      if (*text == '.' || g_ascii_isdigit (*text))
        {
          text++;
          while (is_name (*text))
            text++;
        }
      else if (is_name (*text))
        g_ptr_array_add (depth > 0 ? address : plain, _cured_draft_read_ptx_name (&text));
      else
        text++;
    }
}

/* Records the names in ".reg .pred %p<3>, q". */
static void
read_predicates (CuredPtxDraftEntry *self, const char *statement)
{
  const char *at = strstr (statement, ".pred");

  at = at != NULL ? at + strlen (".pred") : "";
  while (*at != '\0')
    if (is_name (*at) && !g_ascii_isdigit (*at))
      g_hash_table_add (self->predicates, _cured_draft_read_ptx_name (&at));
    else
      at++;
}

static gboolean
is_predicate (CuredPtxDraftEntry *self, const char *name)
{
  g_autofree char *front = g_strdup (name);
  gsize length = strlen (front);

  if (g_hash_table_contains (self->predicates, name))
    return TRUE;
  while (length > 0 && g_ascii_isdigit (front[length - 1]))
    front[--length] = '\0';
  return g_hash_table_contains (self->predicates, front);
}

/* Marks the registers of @plain as reals; TRUE if one was not marked before. */
static gboolean
mark_reals (CuredPtxDraftEntry *self, const GPtrArray *plain)
{
  gboolean is_new = FALSE;

  for (guint i = 0; i < plain->len; i++)
    {
      CuredPtxDraftRegister *other =
          is_predicate (self, plain->pdata[i]) ? NULL : get_register (self, plain->pdata[i]);

      if (other == NULL)
        continue;
      is_new |= !other->is_real;
      other->is_real = TRUE;
    }
  return is_new;
}

static gboolean
has_part (const char *opcode, const char *part)
{
  gsize length = strlen (part);

  for (const char *at = opcode; (at = strstr (at, part)) != NULL; at++)
    if (at[length] == '\0' || at[length] == '.')
      return TRUE;
  return FALSE;
}

static gboolean
starts (const char *opcode, const char *word)
{
  gsize length = strlen (word);

  return strncmp (opcode, word, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

/* The bytes that an instruction moves. */
static int
get_access_bytes (const char *opcode)
{
  g_auto (GStrv) parts = g_strsplit (opcode, ".", -1);
  int bytes = 0;

  for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++)
    {
      g_autofree char *type = g_strconcat (".", parts[i], NULL);

      if (get_type_bytes (type) > 0)
        bytes = get_type_bytes (type);
      else if (g_str_equal (parts[i], "f16x2") || g_str_equal (parts[i], "bf16x2"))
        bytes = 4;
    }
  return bytes;
}

static gboolean
is_real_opcode (const char *opcode)
{
  return has_part (opcode, ".f32") || has_part (opcode, ".f64") || has_part (opcode, ".f16") ||
         has_part (opcode, ".bf16");
}

/* Records an access through the address in @address. */
static void
note_access (CuredPtxDraftEntry *self, const char *opcode, GPtrArray *plain, const char *address)
{
  const CuredPtxDraftRegister *base = get_register (self, address);
  gboolean is_store = starts (opcode, "st");
  gboolean is_atomic = starts (opcode, "atom") || starts (opcode, "red");
  gboolean is_real = is_real_opcode (opcode);

  for (guint i = 0; i < plain->len && !is_real; i++)
    {
      const CuredPtxDraftRegister *value = get_register (self, plain->pdata[i]);

      is_real = value != NULL && value->is_real;
    }
  for (guint i = 0; base != NULL && i < self->parameters->len; i++)
    {
      CuredPtxDraftParameter *parameter = PARAMETER (self, i);

      if ((base->origins >> i & 1) == 0 || parameter->bytes != 8)
        continue;
      parameter->is_pointer = TRUE;
      parameter->is_read |= !is_store;
      parameter->is_written |= is_store || is_atomic;
      if (parameter->is_exact)
        continue;
      /* Wider accesses hide the elements' size; cp.async moves bytes. */
      if (!starts (opcode, "cp") && get_access_bytes (opcode) > 0 &&
          (parameter->element_bytes == 0 || get_access_bytes (opcode) < parameter->element_bytes))
        parameter->element_bytes = get_access_bytes (opcode);
      parameter->is_real |= is_real;
    }
}

/* Whether another statement than @load has the register. */
static gboolean
is_read_elsewhere (const CuredPtxDraftEntry *self, const char *load, const char *name)
{
  gsize length = strlen (name);

  for (char **statement = self->statements; *statement != NULL; statement++)
    if (*statement != load && strstr (*statement, ".reg") == NULL)
      for (const char *at = *statement; (at = strstr (at, name)) != NULL; at += length)
        if (!is_name (at[length]) && (at == *statement || !is_name (at[-1])))
          return TRUE;
  return FALSE;
}

/* `ld.param.v2.u64 {a, b}, [name+16]`; TRUE if it changed something. */
static gboolean
follow_load_of_parameter (CuredPtxDraftEntry *self, const char *statement, const char *opcode,
                          const char *operands, const GPtrArray *plain)
{
  const char *open = strchr (operands, '[');
  g_autofree char *name = open != NULL ? _cured_draft_read_ptx_name (&open) : NULL;
  guint place = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->places, name)) : 0;
  int bytes = get_access_bytes (opcode), offset = 0;
  gboolean is_new = FALSE;

  if (place == 0)
    return FALSE;
  open += strspn (open, " \t");
  if (*open == '+')
    offset = (int) MIN (g_ascii_strtoull (open + 1 + strspn (open + 1, " \t"), NULL, 0),
                        MAX_PARAMETER_BYTES);
  for (guint i = 0; i < plain->len; i++)
    {
      CuredPtxDraftRegister *to = get_register (self, plain->pdata[i]);

      /* Compilers also load unused elements of a vector. */
      if (to != NULL && plain->len > 1 && !to->is_asked && self->n_asked < MAX_ASKED)
        {
          self->n_asked++;
          to->is_asked = TRUE;
          to->is_unread = !is_read_elsewhere (self, statement, plain->pdata[i]);
        }
      if (to != NULL && to->is_unread)
        to = NULL;
      guint field = to == NULL ? 0
                    : PARAMETER (self, place - 1)->is_array
                        ? get_field (self, place, offset + (int) i * bytes, bytes)
                        : place;
      CuredPtxDraftParameter *parameter = field > 0 ? PARAMETER (self, field - 1) : NULL;

      if (to == NULL || parameter == NULL)
        continue;
      PARAMETER (self, place - 1)->is_used = parameter->is_used = TRUE;
      if (to->is_real && !parameter->is_pointer)
        parameter->is_real = TRUE;
      guint64 before = to->origins;
      to->origins |= G_GUINT64_CONSTANT (1) << (field - 1);
      is_new |= before != to->origins;
    }
  return is_new;
}

/* Follows one statement; TRUE if it changed something. */
static gboolean
follow (CuredPtxDraftEntry *self, const char *statement)
{
  g_autoptr (GPtrArray) plain = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) address = g_ptr_array_new_with_free_func (g_free);
  const char *at = statement;
  const char *from;

  /* Skip labels, braces, line marks and guards before it. */
  for (;;)
    {
      at += strspn (at, " \t\r\n{}:");
      if (g_str_has_prefix (at, ".reg"))
        {
          read_predicates (self, at);
          return FALSE;
        }
      if (*at == '@')
        at += strcspn (at, " \t\n");
      else if (*at == '.')
        at += strcspn (at, "\n");
      else
        {
          for (from = at; is_name (*at);)
            at++;
          if (at == from || at[strspn (at, " \t")] != ':')
            break;
        }
    }
  at = from + strcspn (from, " \t\r\n");
  g_autofree char *opcode = g_strndup (from, (gsize) (at - from));
  list_registers (at, plain, address);
  if (starts (opcode, "ld") && has_part (opcode, ".param"))
    return follow_load_of_parameter (self, statement, opcode, at, plain);
  if (address->len > 0 &&
      (starts (opcode, "ld") || starts (opcode, "st") || starts (opcode, "atom") ||
       starts (opcode, "red") || has_part (opcode, "cp.async") || starts (opcode, "cp")) &&
      !has_part (opcode, ".shared") == !starts (opcode, "cp"))
    {
      /* Of a copy, the second address is read. */
      const char *base = address->pdata[starts (opcode, "cp") ? address->len - 1 : 0];

      note_access (self, opcode, plain, base);
    }
  if (plain->len == 0)
    return FALSE;

  CuredPtxDraftRegister *to = get_register (self, plain->pdata[0]);
  if (to == NULL)
    return FALSE;
  CuredPtxDraftRegister before = *to;
  /* Lanes pass addresses to others through shared memory. */
  if (has_part (opcode, ".shared") && get_access_bytes (opcode) == 8)
    {
      guint64 stored = self->stored;

      if (starts (opcode, "st"))
        for (guint i = 0; i < plain->len; i++)
          self->stored |= get_origins (self, plain->pdata[i]);
      else if (starts (opcode, "ld"))
        for (guint i = 0; i < plain->len; i++)
          add_origins (self, plain->pdata[i], self->stored);
      return self->stored != stored || to->origins != before.origins;
    }
  /* All operands of an instruction on reals are reals. */
  if (is_real_opcode (opcode) && !starts (opcode, "cvt") && !starts (opcode, "setp"))
    return mark_reals (self, plain);
  if (starts (opcode, "mov") || starts (opcode, "selp"))
    {
      gboolean is_real = FALSE;

      for (guint i = 0; i < plain->len; i++)
        {
          const CuredPtxDraftRegister *other = get_register (self, plain->pdata[i]);

          is_real |= other != NULL && other->is_real;
        }
      if (is_real && mark_reals (self, plain))
        return TRUE;
    }
  gboolean adds = starts (opcode, "mov") || starts (opcode, "cvta") || starts (opcode, "add") ||
                  starts (opcode, "sub") || starts (opcode, "selp");
  for (guint i = 1; adds && i < plain->len; i++)
    to->origins |= get_origins (self, plain->pdata[i]);
  /* In a multiply-add, the last operand. */
  if (starts (opcode, "mad") && plain->len >= 2)
    to->origins |= get_origins (self, plain->pdata[plain->len - 1]);
  return before.origins != to->origins;
}

/* A struct with one field is passed like this field: compilers wrap pointers so. */
static void
unwrap (CuredPtxDraftEntry *self)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      CuredPtxDraftParameter *field = PARAMETER (self, i);
      CuredPtxDraftParameter *whole =
          field->parent > 0 ? PARAMETER (self, field->parent - 1) : field;

      if (whole->is_array && whole != field && whole->bytes == field->bytes)
        {
          char *name = whole->name;
          int parent = field->parent;

          *whole = *field;
          whole->name = name;
          whole->parent = whole->offset = 0;
          /* The rest of it belongs to none. */
          *field = (CuredPtxDraftParameter){ .parent = parent };
        }
      else if (whole->is_array && whole == field && !whole->is_used &&
               (whole->bytes == 8 || whole->bytes == 4))
        whole->is_array = FALSE;
    }
}

/* Repeats until nothing changes, because of loops. */
void
_cured_draft_follow_entry (CuredPtxDraftEntry *self)
{
  gboolean is_new = TRUE;

  for (int i = 0; i < 8 && is_new; i++)
    {
      is_new = FALSE;
      for (char **statement = self->statements; *statement != NULL; statement++)
        is_new |= follow (self, *statement);
    }
  unwrap (self);
}

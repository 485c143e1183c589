/* SPDX-License-Identifier: MIT
 * A first header for PTX: what its entries take, as their instructions use it.
 *
 * No parser: statements are cut at semicolons, and of each the opcode and the registers are looked
 * at. That is enough to follow a parameter to the addresses that are made of it. What is guessed is
 * marked so in the header. */
#include "config.h"

#include "draft/cured-header-draft-internal.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-json-internal.h"
#include "kernel/cured-element-internal.h"

/* More than any sensible file has; a set of parameters is a word. */
#define MAX_ENTRIES         64
#define MAX_PARAMETERS      64
#define MAX_PARAMETER_BYTES 32768
/* Registers of loaded vectors that are looked for in the whole text. */
#define MAX_ASKED        256
#define WARP_ARRAY_BYTES 56
#define MAX_REGISTERS    (1 << 16)
#define MAX_JSON_BYTES   ((gsize) 1 << 20)
#define MAX_TTIR_BYTES   ((gsize) 16 << 20)

/* Appended to unknown values: the header's own comment. */
#define GUESS "  # a guess"

typedef struct
{
  char *name;
  char *label; /* for people and headers; NULL: none is known */
  int bytes;
  gboolean is_pointer; /* `.ptr`, or an address is made of it */
  gboolean is_real;    /* a scalar, or the pointer's target */
  gboolean is_used;
  int element_bytes; /* of the pointer's target; 0: not known */
  gboolean is_read;
  gboolean is_written;
  gboolean is_exact;    /* its type was told, and not found out */
  CuredElement element; /* where it is exact */
  gboolean is_array;    /* `name[56]`: a struct by value, whose fields follow as they are read */
  int parent;           /* the struct's index + 1; 0: a parameter of its own */
  int offset;           /* in the struct */
} Parameter;

typedef struct
{
  guint64 origins; /* of an address: the parameters that were added up */
  gboolean is_real;
  gboolean is_unread; /* a vector has it, and nothing else */
  gboolean is_asked;  /* whether it is that */
} Register;

typedef struct
{
  char *name;
  GArray *parameters;     /* (element-type Parameter) */
  GHashTable *registers;  /* name → Register */
  GHashTable *places;     /* name of a parameter → its index + 1 */
  GHashTable *predicates; /* names, and the text before <n> */
  guint64 stored;         /* origins of addresses in shared memory */
  int block[3];
  gboolean has_block;
  gboolean is_block_exact;
  gboolean has_shared; /* dynamic */
  gboolean uses_y;     /* threads in two dimensions */
  gboolean has_rows;   /* likewise blocks */
  guint n_asked;       /* registers */
  int scratch;         /* bytes a block of Triton's, in the last pointer but one */
  char **statements;
} Entry;

static void
parameter_clear (gpointer data)
{
  Parameter *self = data;

  g_free (self->name);
  g_free (self->label);
}

static void
entry_free (gpointer data)
{
  Entry *self = data;

  g_free (self->name);
  g_array_unref (self->parameters);
  g_hash_table_unref (self->registers);
  g_hash_table_unref (self->places);
  g_hash_table_unref (self->predicates);
  g_strfreev (self->statements);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Entry, entry_free)

#define PARAMETER(self, i) (&g_array_index ((self)->parameters, Parameter, i))

/* ---- Text ---- */

/* Without comments and the contents of strings, byte by byte where it was. */
static char *
mask (const char *ptx)
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

static char *
read_name (const char **at)
{
  const char *from;

  while (**at != '\0' && !is_name (**at))
    (*at)++;
  from = *at;
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
add_parameter (Entry *self, const Parameter *parameter)
{
  g_array_append_val (self->parameters, *parameter);
  return self->parameters->len;
}

/* ".param .u64 .ptr .global .align 1 name", ".param.align 8 .b8 name[56]" */
static void
read_parameter (Entry *self, const char *text)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GString) plain = g_string_new (text);
  Parameter parameter = { 0 };
  char *bracket;
  guint n;

  g_string_replace (plain, ".", " .", 0);
  g_string_replace (plain, "[", " [", 0);
  words = g_strsplit_set (plain->str, " \n\t\r", -1);
  n = 0;
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      words[n++] = *word;
    else
      g_free (*word);
  words[n] = NULL;
  bracket = n > 0 && *words[n - 1] == '[' ? words[--n] : NULL;
  if (n < 3 || self->parameters->len == MAX_PARAMETERS)
    return;
  for (guint i = 0; i + 1 < n; i++)
    {
      if (get_type_bytes (words[i]) > 0)
        {
          parameter.bytes = get_type_bytes (words[i]);
          parameter.is_real = words[i][1] == 'f';
        }
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

/* The field of a struct by value that is read at @offset, made where it is new; 0: there are too
 * many.
 * Returns: its index + 1 */
static guint
get_field (Entry *self, guint place, int offset, int bytes)
{
  Parameter field = { .bytes = bytes, .parent = (int) place, .offset = offset };

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
read_block (Entry *self, const char *text)
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

/* Whether a semicolon before @body ends what began at @open, other than that of a .pragma. */
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
static Entry *
read_entry (const char **at)
{
  g_autoptr (Entry) self = g_new0 (Entry, 1);
  g_autofree char *between = NULL;
  g_autofree char *body = NULL;
  const char *open;
  const char *close;
  int depth = 0;

  self->parameters = g_array_new (FALSE, TRUE, sizeof (Parameter));
  g_array_set_clear_func (self->parameters, parameter_clear);
  self->registers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->predicates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->name = read_name (at);
  open = *at + strspn (*at, " \t\r\n");
  if (*open == '(')
    {
      g_autofree char *list = NULL;
      g_auto (GStrv) items = NULL;

      close = strchr (open, ')');
      if (close == NULL)
        return NULL;
      list = g_strndup (open + 1, (gsize) (close - open - 1));
      items = g_strsplit (list, ",", -1);
      for (guint i = 0; items[i] != NULL; i++)
        read_parameter (self, items[i]);
      open = close + 1;
    }
  close = strchr (open, '{');
  if (close == NULL || is_declaration (open, close))
    return NULL;
  between = g_strndup (open, (gsize) (close - open));
  read_block (self, between);
  for (open = close; *close != '\0'; close++)
    {
      depth += (*close == '{') - (*close == '}');
      if (depth == 0)
        break;
    }
  body = g_strndup (open, (gsize) (close - open));
  self->uses_y = strstr (body, "%tid.y") != NULL;
  self->has_rows = strstr (body, "%ctaid.y") != NULL;
  self->statements = g_strsplit (body, ";", -1);
  *at = close;
  return g_steal_pointer (&self);
}

/* ---- What becomes of a parameter ---- */

static Register *
get_register (Entry *self, const char *name)
{
  Register *found = g_hash_table_lookup (self->registers, name);

  if (found == NULL && g_hash_table_size (self->registers) < MAX_REGISTERS)
    {
      found = g_new0 (Register, 1);
      g_hash_table_insert (self->registers, g_strdup (name), found);
    }
  return found;
}

static guint64
get_origins (Entry *self, const char *name)
{
  const Register *found = get_register (self, name);

  return found != NULL ? found->origins : 0;
}

static void
add_origins (Entry *self, const char *name, guint64 origins)
{
  Register *found = get_register (self, name);

  if (found != NULL)
    found->origins |= origins;
}

/* The registers of a statement, in order, and other names; those of an address behind the
 * others. */
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
        g_ptr_array_add (depth > 0 ? address : plain, read_name (&text));
      else
        text++;
    }
}

/* Notes the names of ".reg .pred %p<3>, q". */
static void
read_predicates (Entry *self, const char *statement)
{
  const char *at = strstr (statement, ".pred");

  at = at != NULL ? at + strlen (".pred") : "";
  while (*at != '\0')
    if (is_name (*at) && !g_ascii_isdigit (*at))
      g_hash_table_add (self->predicates, read_name (&at));
    else
      at++;
}

static gboolean
is_predicate (Entry *self, const char *name)
{
  g_autofree char *front = g_strdup (name);
  gsize length = strlen (front);

  if (g_hash_table_contains (self->predicates, name))
    return TRUE;
  while (length > 0 && g_ascii_isdigit (front[length - 1]))
    front[--length] = '\0';
  return g_hash_table_contains (self->predicates, front);
}

/* Marks the registers of @plain as reals; TRUE where one was not. */
static gboolean
mark_reals (Entry *self, const GPtrArray *plain)
{
  gboolean is_new = FALSE;

  for (guint i = 0; i < plain->len; i++)
    {
      Register *other =
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

/* How wide what an instruction moves is. */
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

/* An access through the address in @address. */
static void
note_access (Entry *self, const char *opcode, GPtrArray *plain, const char *address)
{
  const Register *base = get_register (self, address);
  gboolean is_store = starts (opcode, "st");
  gboolean is_atomic = starts (opcode, "atom") || starts (opcode, "red");
  gboolean is_real = is_real_opcode (opcode);

  for (guint i = 0; i < plain->len && !is_real; i++)
    {
      const Register *value = get_register (self, plain->pdata[i]);

      is_real = value != NULL && value->is_real;
    }
  for (guint i = 0; base != NULL && i < self->parameters->len; i++)
    {
      Parameter *parameter = PARAMETER (self, i);

      if ((base->origins >> i & 1) == 0 || parameter->bytes != 8)
        continue;
      parameter->is_pointer = TRUE;
      parameter->is_read |= !is_store;
      parameter->is_written |= is_store || is_atomic;
      if (parameter->is_exact)
        continue;
      /* The widest hides what the elements are; cp.async moves bytes. */
      if (!starts (opcode, "cp") && get_access_bytes (opcode) > 0 &&
          (parameter->element_bytes == 0 || get_access_bytes (opcode) < parameter->element_bytes))
        parameter->element_bytes = get_access_bytes (opcode);
      parameter->is_real |= is_real;
    }
}

/* Whether another statement than @load has the register. */
static gboolean
is_read_elsewhere (const Entry *self, const char *load, const char *name)
{
  gsize length = strlen (name);

  for (char **statement = self->statements; *statement != NULL; statement++)
    if (*statement != load && strstr (*statement, ".reg") == NULL)
      for (const char *at = *statement; (at = strstr (at, name)) != NULL; at += length)
        if (!is_name (at[length]) && (at == *statement || !is_name (at[-1])))
          return TRUE;
  return FALSE;
}

/* `ld.param.v2.u64 {a, b}, [name+16]`; TRUE where something new is known. */
static gboolean
follow_load_of_parameter (Entry *self, const char *statement, const char *opcode,
                          const char *operands, const GPtrArray *plain)
{
  const char *open = strchr (operands, '[');
  g_autofree char *name = open != NULL ? read_name (&open) : NULL;
  guint place = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->places, name)) : 0;
  int bytes = get_access_bytes (opcode);
  int offset = 0;
  gboolean is_new = FALSE;

  if (place == 0)
    return FALSE;
  open += strspn (open, " \t");
  if (*open == '+')
    offset = (int) MIN (g_ascii_strtoull (open + 1 + strspn (open + 1, " \t"), NULL, 0),
                        MAX_PARAMETER_BYTES);
  for (guint i = 0; i < plain->len; i++)
    {
      Register *to = get_register (self, plain->pdata[i]);

      /* Of a vector, compilers load unused elements, too. */
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
      Parameter *parameter = field > 0 ? PARAMETER (self, field - 1) : NULL;
      guint64 before;

      if (to == NULL || parameter == NULL)
        continue;
      PARAMETER (self, place - 1)->is_used = parameter->is_used = TRUE;
      if (to->is_real && !parameter->is_pointer)
        parameter->is_real = TRUE;
      before = to->origins;
      to->origins |= G_GUINT64_CONSTANT (1) << (field - 1);
      is_new |= before != to->origins;
    }
  return is_new;
}

/* One statement; TRUE where something new is known. */
static gboolean
follow (Entry *self, const char *statement)
{
  g_autoptr (GPtrArray) plain = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) address = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *opcode = NULL;
  const char *at = statement;
  const char *from;
  Register *to;
  Register before;
  gboolean adds;

  /* Labels, braces, line marks and guards are before it. */
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
  opcode = g_strndup (from, (gsize) (at - from));
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

  to = get_register (self, plain->pdata[0]);
  if (to == NULL)
    return FALSE;
  before = *to;
  /* Lanes hand addresses to others through shared memory. */
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
  /* All that an instruction on reals has are reals. */
  if (is_real_opcode (opcode) && !starts (opcode, "cvt") && !starts (opcode, "setp"))
    return mark_reals (self, plain);
  if (starts (opcode, "mov") || starts (opcode, "selp"))
    {
      gboolean is_real = FALSE;

      for (guint i = 0; i < plain->len; i++)
        {
          const Register *other = get_register (self, plain->pdata[i]);

          is_real |= other != NULL && other->is_real;
        }
      if (is_real && mark_reals (self, plain))
        return TRUE;
    }
  adds = starts (opcode, "mov") || starts (opcode, "cvta") || starts (opcode, "add") ||
         starts (opcode, "sub") || starts (opcode, "selp");
  for (guint i = 1; adds && i < plain->len; i++)
    to->origins |= get_origins (self, plain->pdata[i]);
  /* Of a product and a sum, the last operand. */
  if (starts (opcode, "mad") && plain->len >= 2)
    to->origins |= get_origins (self, plain->pdata[plain->len - 1]);
  return before.origins != to->origins;
}

/* A struct of one field is passed as that is: so compilers wrap pointers. */
static void
unwrap (Entry *self)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      Parameter *field = PARAMETER (self, i);
      Parameter *whole = field->parent > 0 ? PARAMETER (self, field->parent - 1) : field;

      if (whole->is_array && whole != field && whole->bytes == field->bytes)
        {
          char *name = whole->name;
          int parent = field->parent;

          *whole = *field;
          whole->name = name;
          whole->parent = whole->offset = 0;
          /* The rest of it belongs to none. */
          *field = (Parameter){ .parent = parent };
        }
      else if (whole->is_array && whole == field && !whole->is_used &&
               (whole->bytes == 8 || whole->bytes == 4))
        whole->is_array = FALSE;
    }
}

/* Loops lead back: until nothing is new. */
static void
follow_all (Entry *self)
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

/* ---- What compilers say besides ---- */

/* A type as MLIR has it: "f32", "i64", "f8E4M3FN"; i1 is a byte. */
static void
take_type (Parameter *self, const char *type)
{
  const char *word = g_str_has_prefix (type, "f8E4M3") ? "e4m3"
                     : g_str_has_prefix (type, "f8E5") ? "e5m2"
                     : g_str_equal (type, "i1")        ? "i8"
                                                       : type;

  if (!cured_element_from_string (word, &self->element))
    return;
  self->element_bytes = (int) cured_element_get_size (self->element);
  self->is_real = !cured_element_is_integer (self->element);
  self->is_exact = TRUE;
}

/* Names and types of the arguments, from Triton's own language beside the PTX: tt.func public
 * @matmul(%a: !tt.ptr<f32> … loc("a"(#loc)), %n: i32 …) */
static void
read_ttir (Entry *self, const char *ttir)
{
  g_autofree char *head = g_strdup_printf ("tt.func public @%s(", self->name);
  const char *at = strstr (ttir, head);
  const char *end;

  if (at == NULL)
    return;
  at += strlen (head);
  end = at + strcspn (at, "\n");
  for (guint i = 0; i < self->parameters->len; i++)
    {
      Parameter *parameter = PARAMETER (self, i);
      const char *mark = at;
      const char *colon;
      g_autofree char *name = NULL;
      g_autofree char *type = NULL;

      while (mark < end && *mark != '%')
        mark++;
      if (mark == end)
        return;
      mark++;
      name = read_name (&mark);
      colon = mark + strspn (mark, ": ");
      if (g_str_has_prefix (colon, "!tt.ptr<"))
        {
          colon += strlen ("!tt.ptr<");
          parameter->is_pointer = TRUE;
        }
      type = g_strndup (colon, strcspn (colon, " ,>)\n"));
      parameter->label = g_steal_pointer (&name);
      take_type (parameter, type);
      at = colon;
    }
}

/* Arrays of Numba: "5ArrayIfLi2E1C7mutable7alignedE" in the entry's name is one of floats with 2
 * dimensions. Where they are all of the parameters but scalars of one each, (element-type int)
 * gives each argument's dimensions, 0 for a scalar. NULL where it is no such name. */
static GArray *
read_numba (const Entry *self, GString *types)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (int));
  const char *at = strstr (self->name, "5ArrayI");
  guint n = 0;

  if (!g_str_has_prefix (self->name, "_ZN") || at == NULL)
    return NULL;
  /* Scalars are before, each a letter, behind the E that ends the name. */
  while (at > self->name && at[-1] != 'E' && strchr ("fdijlmxybhst", at[-1]))
    at--;
  while (*at != '\0')
    {
      int dimensions = 0;
      char type = *at;

      if (g_str_has_prefix (at, "5ArrayI"))
        {
          const char *close;

          at += strlen ("5ArrayI");
          type = *at;
          if (type == '\0' || !g_str_has_prefix (at + 1, "Li") || !g_ascii_isdigit (at[3]))
            return NULL;
          dimensions = at[3] - '0';
          close = strstr (at, "alignedE");
          if (close == NULL)
            return NULL;
          at = close + strlen ("alignedE");
        }
      else if (strchr ("fdijlmxybhst", type) != NULL)
        at++;
      else
        break;
      g_array_append_val (list, dimensions);
      g_string_append_c (types, type);
      n += dimensions > 0 ? 5 + 2 * (guint) dimensions : 1;
    }
  return n == self->parameters->len ? g_steal_pointer (&list) : NULL;
}

/* ---- The draft ---- */

static void
add_problem (CuredHeaderDraft *self, const char *name, const char *value)
{
  CuredDraftParameter *parameter = g_new0 (CuredDraftParameter, 1);

  parameter->name = g_strdup (name);
  parameter->kind = CURED_PARAMETER_PROBLEM;
  parameter->default_value = g_strdup (value);
  g_ptr_array_add (self->parameters, parameter);
}

static const char *
find_fill (const Parameter *parameter)
{
  if (parameter->is_written && !parameter->is_read)
    return "poison";
  return parameter->is_written ? "constant" : "uniform";
}

/* A buffer for the target of @parameter. */
static void
add_buffer (CuredHeaderDraft *self, const Parameter *parameter, const char *name,
            const char *length)
{
  CuredDraftBuffer *buffer = g_new0 (CuredDraftBuffer, 1);

  buffer->name = g_strdup (name);
  buffer->fill = g_strdup (find_fill (parameter));
  buffer->length = g_strdup (length);
  buffer->type = parameter->is_exact             ? parameter->element
                 : parameter->element_bytes == 1 ? CURED_ELEMENT_U8
                 : parameter->element_bytes == 2 ? CURED_ELEMENT_U16
                 : parameter->element_bytes == 8
                     ? (parameter->is_real ? CURED_ELEMENT_F64 : CURED_ELEMENT_I64)
                 : parameter->is_real ? CURED_ELEMENT_F32
                                      : CURED_ELEMENT_I32;
  g_ptr_array_add (self->buffers, buffer);
  if (parameter->is_written && self->output == NULL)
    self->output = g_strdup (name);
}

static void
append_argument (GString *text, const char *argument)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", argument);
}

/* What a header may call it. */
static char *
make_label (const Parameter *parameter, guint i)
{
  const char *label = parameter->label;

  if (label == NULL || !(g_ascii_isalpha (*label) || *label == '_'))
    return g_strdup_printf ("%s%u", parameter->is_pointer ? "buffer" : "n", i);
  return g_strconcat (label, _cured_draft_is_taken (label) ? "_" : "", NULL);
}

/* Arrays first, scalars as they are: what Numba passes. */
static void
draft_numba (CuredHeaderDraft *self, const Entry *entry, const GArray *dimensions,
             const char *types, GString *arguments)
{
  guint place = 0;

  add_problem (self, "n", "256" GUESS);
  for (guint i = 0; i < dimensions->len; i++)
    {
      int n = g_array_index (dimensions, int, i);
      g_autoptr (GString) length = g_string_new ("n");
      g_autoptr (GString) shape = g_string_new ("n");
      g_autofree char *name = g_strdup_printf ("array%u", i);
      Parameter array = { 0 };

      if (n == 0)
        {
          append_argument (arguments, types[i] == 'f'                        ? "1:f32"
                                      : types[i] == 'd'                      ? "1:f64"
                                      : PARAMETER (entry, place)->bytes == 8 ? "n:i64"
                                                                             : "n");
          place += 1;
          continue;
        }
      for (int k = 1; k < n; k++)
        {
          g_string_append (length, "*n");
          g_string_append (shape, ",n");
        }
      array = *PARAMETER (entry, place + 4);
      array.is_exact = FALSE;
      array.is_real = strchr ("fd", types[i]) != NULL;
      array.element_bytes = strchr ("dxylm", types[i]) != NULL ? 8
                            : strchr ("st", types[i]) != NULL  ? 2
                            : strchr ("bh", types[i]) != NULL  ? 1
                                                               : 4;
      g_string_append (length, GUESS);
      add_buffer (self, &array, name, length->str);
      g_string_prepend (shape, ":numba[");
      g_string_prepend (shape, name);
      g_string_append_c (shape, ']');
      append_argument (arguments, shape->str);
      place += 5 + 2 * (guint) n;
    }
}

/* Adds a value for @parameter: a buffer, a size, or what does for one that nothing reads. Of a
 * struct it has no type, since its fields have theirs. */
static void
append_value (CuredHeaderDraft *self, const Parameter *parameter, guint i, const char *length,
              GString *values)
{
  g_autofree char *label = make_label (parameter, i);
  g_autofree char *typed = NULL;
  gboolean is_real = parameter->is_real && !parameter->is_pointer;
  const char *type = parameter->parent > 0   ? ""
                     : parameter->bytes == 8 ? (is_real ? ":f64" : ":i64")
                     : parameter->bytes == 2 ? (is_real ? ":f16" : ":i16")
                     : parameter->bytes == 1 ? ":u8"
                     : is_real               ? ":f32"
                                             : "";

  if (parameter->is_pointer && parameter->is_used)
    {
      add_buffer (self, parameter, label, length);
      append_argument (values, label);
      return;
    }
  /* Nothing reads it: Triton's scratch memory is such a pointer. */
  typed = g_strconcat (parameter->is_pointer || !parameter->is_used ? "0"
                       : parameter->is_real || parameter->bytes < 4 ? "1"
                                                                    : label,
                       type, NULL);
  append_argument (values, typed);
}

static int
compare_fields (gconstpointer a, gconstpointer b, gpointer data)
{
  const Entry *entry = data;

  return PARAMETER (entry, *(const guint *) a)->offset -
         PARAMETER (entry, *(const guint *) b)->offset;
}

/* What Warp's kernels are launched with: the lengths of the threads' space, how many there are, and
 * threads a point; an array's data, gradient, lengths, strides in bytes, dimensions and flags. */
static char *
draft_warp (CuredHeaderDraft *self, const Entry *entry, guint place)
{
  const Parameter *whole = PARAMETER (entry, place);
  gboolean is_array = whole->bytes == WARP_ARRAY_BYTES;
  int first = is_array ? 32 : 0; /* of strides, or of lengths */
  g_autoptr (GString) length = g_string_new ("n");
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  g_autofree char *gradient = NULL;
  int rank = 1;
  int bytes = 4;

  if (!is_array && whole->bytes != 24 && whole->bytes != 32)
    return NULL;
  if (whole->bytes == 32)
    rank = 3;
  for (guint i = 0; i < entry->parameters->len; i++)
    {
      const Parameter *field = PARAMETER (entry, i);

      if (field->parent != (int) place + 1)
        continue;
      if (field->bytes == 4 && field->offset >= first && field->offset < first + 16 &&
          (is_array || field->offset < whole->bytes - 16))
        rank = MAX (rank, (field->offset - first) / 4 + 1);
      if (field->is_pointer && field->element_bytes > 0)
        bytes = field->element_bytes;
    }
  for (int k = 1; k < rank; k++)
    g_string_append (length, "*n");
  if (!is_array)
    {
      for (int k = 0; k < rank; k++)
        {
          append_argument (values, "n");
          g_string_append_printf (types, "u32 s%d, ", k);
        }
      return g_strdup_printf ("(%s,%s,1):struct:(%si64 size, i64 mult)", values->str, length->str,
                              types->str);
    }
  for (int k = 0; k < 2; k++)
    {
      const Parameter *pointer = NULL;
      g_autofree char *name = NULL;
      g_autofree char *guessed = g_strconcat (length->str, GUESS, NULL);

      for (guint i = 0; i < entry->parameters->len && pointer == NULL; i++)
        if (PARAMETER (entry, i)->parent == (int) place + 1 &&
            PARAMETER (entry, i)->offset == 8 * k && PARAMETER (entry, i)->is_pointer)
          pointer = PARAMETER (entry, i);
      name = g_strdup_printf ("%s%u", k == 0 ? "array" : "gradient", place);
      if (pointer != NULL)
        add_buffer (self, pointer, name, guessed);
      append_argument (values, pointer != NULL ? name : "0");
    }
  for (int k = 0; k < 4; k++)
    append_argument (values, k < rank ? "n" : "0");
  for (int k = 0; k < 4; k++)
    {
      g_autoptr (GString) stride = g_string_new (NULL);

      g_string_append_printf (stride, "%d", k < rank ? bytes : 0);
      for (int m = k + 1; m < rank; m++)
        g_string_append (stride, "*n");
      append_argument (values, stride->str);
    }
  return g_strdup_printf ("(%s,%d,0):struct:(ptr data, ptr grad, i32 shape[4], i32 strides[4], i32 "
                          "ndim, i32 flags)",
                          values->str, rank);
}

static gboolean
is_of_warp (const Entry *entry)
{
  return entry->parameters->len > 0 && PARAMETER (entry, 0)->is_array &&
         (g_str_has_suffix (entry->name, "_cuda_kernel_forward") ||
          g_str_has_suffix (entry->name, "_cuda_kernel_backward"));
}

/* A struct by value, as fields that have all of its bytes. */
static char *
draft_struct (CuredHeaderDraft *self, const Entry *entry, guint place, const char *length)
{
  const Parameter *whole = PARAMETER (entry, place);
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (guint));
  int at = 0;
  guint n = 0;

  for (guint i = 0; i < entry->parameters->len; i++)
    if (PARAMETER (entry, i)->parent == (int) place + 1)
      g_array_append_val (fields, i);
  g_array_sort_with_data (fields, compare_fields, (gpointer) entry);
  for (guint i = 0; i <= fields->len; i++)
    {
      guint index = i < fields->len ? g_array_index (fields, guint, i) : 0;
      const Parameter *field = i < fields->len ? PARAMETER (entry, index) : NULL;
      int end = field != NULL ? field->offset : whole->bytes;

      if (end < at)
        continue;
      /* What nothing reads. */
      while (at < end)
        {
          int bytes = at % 8 == 0 && end - at >= 8 ? 8 : at % 4 == 0 && end - at >= 4 ? 4 : 1;

          g_string_append_printf (types, "%s%s p%u", n > 0 ? ", " : "",
                                  bytes == 8   ? "i64"
                                  : bytes == 4 ? "i32"
                                               : "u8",
                                  n);
          n++;
          append_argument (values, "0");
          at += bytes;
        }
      if (field == NULL)
        break;
      g_string_append_printf (types, "%s%s f%u", n > 0 ? ", " : "",
                              field->is_pointer && field->bytes == 8 ? "ptr"
                              : field->is_real && field->bytes == 8  ? "f64"
                              : field->is_real && field->bytes == 4  ? "f32"
                              : field->bytes == 8                    ? "i64"
                              : field->bytes == 4                    ? "i32"
                              : field->bytes == 2                    ? "i16"
                                                                     : "u8",
                              n);
      n++;
      append_value (self, field, index, length, values);
      at += field->bytes;
    }
  return g_strdup_printf ("(%s):struct:(%s)", values->str, types->str);
}

static void
draft_plain (CuredHeaderDraft *self, const Entry *entry, GString *arguments)
{
  g_autoptr (GString) length = g_string_new (NULL);
  gboolean is_warp = is_of_warp (entry);
  guint n_sizes = 0;

  for (guint i = 0; i < entry->parameters->len; i++)
    {
      const Parameter *parameter = PARAMETER (entry, i);
      g_autofree char *label = NULL;

      /* Few bits hold no size. */
      if (parameter->is_pointer || parameter->is_real || !parameter->is_used ||
          parameter->bytes < 4 || parameter->is_array || (is_warp && parameter->parent > 0))
        continue;
      label = make_label (parameter, i);
      add_problem (self, label, "256" GUESS);
      if (n_sizes++ < 2)
        g_string_append_printf (length, "%s%s", n_sizes > 1 ? "*" : "", label);
    }
  if (n_sizes == 0 || is_warp)
    {
      add_problem (self, "n", is_warp ? "256" GUESS : "4096" GUESS);
      g_string_assign (length, "n");
    }
  else if (n_sizes == 1)
    g_string_append_printf (length, "*%s", length->str);
  g_string_append (length, GUESS);
  for (guint i = 0; i < entry->parameters->len; i++)
    {
      Parameter *parameter = PARAMETER (entry, i);
      g_autofree char *value = NULL;

      if (parameter->parent > 0)
        continue;
      if (parameter->is_array)
        {
          value = is_warp ? draft_warp (self, entry, i) : NULL;
          if (value == NULL)
            value = draft_struct (self, entry, i, length->str);
          append_argument (arguments, value);
        }
      else
        append_value (self, parameter, i, length->str, arguments);
    }
}

/* For people: of _ZN7package3addE…, which compilers of C++ and Numba make, the last of the
 * names. */
static char *
make_title (const char *name)
{
  char *title = NULL;
  const char *at = name;

  if (g_str_has_prefix (at, "_ZN"))
    for (at += 3; g_ascii_isdigit (*at);)
      {
        char *end;
        guint64 length = g_ascii_strtoull (at, &end, 10);

        if (length == 0 || length > strlen (end))
          break;
        g_free (title);
        title = g_strndup (end, length);
        at = end + length;
      }
  if (title == NULL)
    title = g_strdup (name);
  g_strdelimit (title, "_", ' ');
  *title = g_ascii_toupper (*title);
  return title;
}

/* Triton's scratch memory has room for each block of the grid. */
static void
size_scratch (CuredHeaderDraft *self, const Entry *entry)
{
  guint place = entry->parameters->len - 2;
  g_autofree char *name = NULL;
  g_autofree char *blocks = g_strdup (self->grid);

  if (entry->parameters->len < 2)
    return;
  name = make_label (PARAMETER (entry, place), place);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      CuredDraftBuffer *buffer = self->buffers->pdata[i];

      if (!g_str_equal (buffer->name, name))
        continue;
      buffer->type = CURED_ELEMENT_U8;
      g_free (buffer->length);
      buffer->length = g_strdup_printf ("%d*%s", entry->scratch, g_strdelimit (blocks, ",", '*'));
      if (g_strcmp0 (self->output, name) == 0)
        g_clear_pointer (&self->output, g_free);
    }
}

/* @warps: of a block, as Triton says; 0: not known. @shared: likewise, -1. */
static CuredHeaderDraft *
draft_entry (Entry *entry, int warps, gint64 shared)
{
  CuredHeaderDraft *self = _cured_header_draft_new_bare ();
  g_autoptr (GString) arguments = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (GArray) numba = NULL;
  const CuredDraftParameter *first;
  int threads = 0;

  self->function = g_strdup (entry->name);
  self->entry = g_strdup (entry->name);
  self->title = make_title (entry->name);
  follow_all (entry);
  /* What is used as an address is none of the numbers. */
  numba = read_numba (entry, types);
  if (numba != NULL)
    draft_numba (self, entry, numba, types->str, arguments);
  else
    draft_plain (self, entry, arguments);
  self->arguments = g_string_free (g_steal_pointer (&arguments), FALSE);
  if (entry->has_block)
    {
      GString *block = g_string_new (NULL);

      threads = entry->block[0];
      g_string_append_printf (block, "%d", entry->block[0]);
      for (int i = 1; i < 3 && entry->block[i] > 0; i++)
        g_string_append_printf (block, ",%d", entry->block[i]);
      if (!entry->is_block_exact)
        g_string_append (block, GUESS);
      self->block = g_string_free (block, FALSE);
    }
  else
    {
      gboolean is_plane = entry->uses_y && warps == 0;

      threads = warps > 0 ? 32 * warps : is_plane ? 16 : 128;
      self->block = is_plane ? g_strdup_printf ("%d,%d" GUESS, threads, threads)
                             : g_strdup_printf ("%d%s", threads, warps > 0 ? "" : GUESS);
    }
  first = self->parameters->pdata[0];
  if (entry->has_rows)
    self->grid = g_strdup_printf ("ceil(%s/%d),ceil(%s/%d)" GUESS, first->name, MIN (threads, 32),
                                  first->name, MIN (threads, 32));
  else
    self->grid = g_strdup_printf ("ceil(%s/%d)" GUESS, first->name, threads);
  if (entry->scratch > 0)
    size_scratch (self, entry);
  if (shared > 0)
    self->shared = g_strdup_printf ("%" PRId64, shared);
  else if (shared < 0 && entry->has_shared)
    self->shared = g_strdup ("16384" GUESS);
  return self;
}

/* (transfer full): the text of a regular file of at most @max_bytes; NULL where it is anything
 * else. */
static char *
load_beside (const char *stem, const char *suffix, gsize max_bytes)
{
  g_autofree char *path = g_strconcat (stem, suffix, NULL);
  g_autofree char *text = NULL;
  gsize length = 0;
  GStatBuf info;

  if (g_stat (path, &info) != 0 || !S_ISREG (info.st_mode) || (gsize) info.st_size > max_bytes ||
      !g_file_get_contents (path, &text, &length, NULL) || length > max_bytes ||
      strlen (text) != length)
    return NULL;
  return g_steal_pointer (&text);
}

/* A member, or @other where it is none, or no number. */
static gint64
get_integer (JsonObject *object, const char *name, gint64 min, gint64 max, gint64 other)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return other;
  return CLAMP (json_node_get_int (node), min, max);
}

/* What Triton wrote beside NAME.ptx: NAME.json and NAME.ttir. */
static void
read_triton (const char *path, Entry *entry, int *warps, gint64 *shared)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".ptx"));
  g_autofree char *ttir = load_beside (stem, ".ttir", MAX_TTIR_BYTES);
  g_autofree char *json = load_beside (stem, ".json", MAX_JSON_BYTES);
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  if (ttir != NULL)
    read_ttir (entry, ttir);
  if (json != NULL)
    root = _cured_json_parse (json, MAX_JSON_BYTES, NULL);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return;
  object = json_node_get_object (root);
  *warps = (int) get_integer (object, "num_warps", 0, 32, *warps);
  *shared = get_integer (object, "shared", -1, 1 << 20, *shared);
  entry->scratch = (int) get_integer (object, "global_scratch_size", 0, 1 << 20, 0);
}

/**
 * cured_header_draft_from_ptx:
 * @path: a `.ptx`; Triton's NAME.json and NAME.ttir are read beside it where
 *   they are
 * @source: its text
 *
 * Drafts a header for each entry of a module: buffers and numbers as the parameters are used, the
 * block as `.reqntid` or Triton say, Numba's arrays by the entry's name. What is guessed has a
 * comment that says so.
 *
 * Returns: (transfer full) (element-type CuredHeaderDraft): perhaps none
 */
GPtrArray *
cured_header_draft_from_ptx (const char *path, const char *source)
{
  GPtrArray *drafts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_header_draft_free);
  g_autofree char *text = mask (source);
  const char *at = text;
  gboolean has_shared = strstr (text, ".extern .shared") != NULL;

  while ((at = strstr (at, ".entry")) != NULL && drafts->len < MAX_ENTRIES)
    {
      g_autoptr (Entry) entry = NULL;
      int warps = 0;
      gint64 shared = -1;

      at += strlen (".entry");
      if (!g_ascii_isspace (*at))
        continue;
      entry = read_entry (&at);
      if (entry == NULL)
        continue;
      entry->has_shared = has_shared;
      if (g_str_has_suffix (path, ".ptx"))
        read_triton (path, entry, &warps, &shared);
      g_ptr_array_add (drafts, draft_entry (entry, warps, shared));
    }
  return drafts;
}

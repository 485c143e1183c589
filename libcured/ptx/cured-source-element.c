/* SPDX-License-Identifier: MIT
 * Finds the element size of an array that CUDA code declares: in PTX, all are arrays of bytes.
 *
 * This is no compiler: there is no answer for what it does not understand (templates, members of
 * class types, sizes that are expressions). */
#include "ptx/cured-finding-internal.h"

#include <string.h>

#define MAX_DEPTH 4

typedef struct
{
  gsize size; /* 0: not known */
  gsize align;
} Type;

static Type find_struct (const char *source, const char *name, guint depth);

static void
ignore (GScanner *scanner, char *message, gboolean is_error)
{
}

static GScanner *
scan (const char *source)
{
  GScanner *scanner = g_scanner_new (NULL);

  scanner->msg_handler = ignore;
  scanner->config->cpair_comment_single = (char *) "#\n";
  scanner->config->scan_identifier_1char = TRUE;
  scanner->config->identifier_2_string = FALSE;
  scanner->config->scan_float = FALSE;
  /* An apostrophe in a comment would hide the rest. */
  scanner->config->scan_string_sq = FALSE;
  scanner->config->scan_string_dq = FALSE;
  g_scanner_input_text (scanner, source, (guint) MIN (strlen (source), G_MAXINT));
  return scanner;
}

static gboolean
is_one_of (const char *word, const char *const *words)
{
  return g_strv_contains (words, word);
}

static Type
find_type (const char *source, const char *name, guint depth)
{
  static const struct
  {
    const char *name;
    gsize size;
  } types[] = {
    { "char", 1 },           { "uchar", 1 },     { "bool", 1 },
    { "int8_t", 1 },         { "uint8_t", 1 },   { "short", 2 },
    { "ushort", 2 },         { "int16_t", 2 },   { "uint16_t", 2 },
    { "half", 2 },           { "__half", 2 },    { "nv_bfloat16", 2 },
    { "__nv_bfloat16", 2 },  { "int", 4 },       { "uint", 4 },
    { "int32_t", 4 },        { "uint32_t", 4 },  { "float", 4 },
    { "half2", 4 },          { "__half2", 4 },   { "nv_bfloat162", 4 },
    { "__nv_bfloat162", 4 }, { "long", 8 },      { "ulong", 8 },
    { "longlong", 8 },       { "ulonglong", 8 }, { "int64_t", 8 },
    { "uint64_t", 8 },       { "size_t", 8 },    { "double", 8 },
  };
  gsize length = strlen (name);
  gsize n = length > 0 && name[length - 1] >= '1' && name[length - 1] <= '4'
                ? (gsize) (name[length - 1] - '0')
                : 0;

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      gsize size = types[i].size;

      if (g_str_equal (name, types[i].name))
        return (Type){ size, size };
      /* float3 is three floats, float4 is aligned as a whole. */
      if (n > 0 && strlen (types[i].name) == length - 1 && g_str_has_prefix (name, types[i].name))
        return (Type){ n * size, n == 3 || n == 1 ? size : MIN (n * size, 16) };
    }
  return find_struct (source, name, depth + 1);
}

static void
skip_brackets (GScanner *scanner, int open, int close)
{
  int depth = 0, token;

  do
    {
      token = (int) g_scanner_get_next_token (scanner);
      depth += token == open ? 1 : token == close ? -1 : 0;
    }
  while (depth > 0 && token != G_TOKEN_EOF);
}

/* The type that a declaration begins with; the declarators come next. */
static Type
read_type (GScanner *scanner, const char *source, guint depth)
{
  static const char *const ignored[] = { "const",    "volatile", "extern", "static", "struct",
                                         "unsigned", "signed",   "std",    NULL };
  static const char *const attributes[] = { "alignas", "__align__", "__attribute__", NULL };
  Type type = { 0, 1 };
  gboolean is_int = FALSE, is_long = FALSE;

  for (;;)
    {
      GTokenType token = g_scanner_peek_next_token (scanner);

      if (token == ':')
        {
          g_scanner_get_next_token (scanner);
          continue;
        }
      if (token != G_TOKEN_IDENTIFIER)
        break;
      const char *word = scanner->next_value.v_identifier;
      gboolean is_integer = g_str_equal (word, "int") || g_str_equal (word, "long") ||
                            g_str_equal (word, "short") || g_str_equal (word, "char");

      if (is_one_of (word, attributes))
        {
          g_scanner_get_next_token (scanner);
          if (g_scanner_peek_next_token (scanner) == '(')
            skip_brackets (scanner, '(', ')');
          continue;
        }
      if (is_one_of (word, ignored))
        is_int = is_int || g_str_equal (word, "unsigned") || g_str_equal (word, "signed");
      else if (type.size != 0 && !(is_integer && is_long))
        break;
      else if (type.size == 0 && is_int && !is_integer)
        break;
      else if (type.size == 0)
        {
          type = find_type (source, word, depth);
          is_long = g_str_equal (word, "long") || g_str_equal (word, "short");
          if (type.size == 0)
            return type;
        }
      g_scanner_get_next_token (scanner);
    }
  return type.size == 0 && is_int ? (Type){ 4, 4 } : type;
}

/* Reads declarators up to the semicolon.
 *
 * @wanted: (nullable): stops at this one
 * @bytes: (out): of all of them, where each length is a number; 0: not known
 * Returns: the size of an element of @wanted */
static gsize
read_declarators (GScanner *scanner, Type type, const char *wanted, gsize *bytes)
{
  gboolean is_known = TRUE;

  *bytes = 0;
  for (;;)
    {
      gsize size = type.size, n = 1;
      GTokenType token = g_scanner_get_next_token (scanner);

      for (; token == '*'; token = g_scanner_get_next_token (scanner))
        size = 8;
      if (token != G_TOKEN_IDENTIFIER)
        return 0;
      if (wanted != NULL && g_str_equal (scanner->value.v_identifier, wanted))
        return size;
      while ((token = g_scanner_get_next_token (scanner)) == '[')
        {
          gsize length =
              g_scanner_get_next_token (scanner) == G_TOKEN_INT ? (gsize) scanner->value.v_int : 0;

          is_known = is_known && length > 0 && g_scanner_peek_next_token (scanner) == ']' &&
                     g_size_checked_mul (&n, n, length);
          while (scanner->token != ']' && scanner->token != G_TOKEN_EOF)
            g_scanner_get_next_token (scanner);
        }
      /* A function. */
      if (token == '(')
        return 0;
      is_known = is_known && g_size_checked_mul (&size, size, n) &&
                 g_size_checked_add (bytes, *bytes, size);
      while (token != ',' && token != ';' && token != G_TOKEN_EOF)
        token = g_scanner_get_next_token (scanner);
      if (token != ',')
        break;
    }
  *bytes = is_known ? *bytes : 0;
  return 0;
}

static gsize
round_up (gsize bytes, gsize align)
{
  return (bytes + align - 1) / align * align;
}

/* The members of a struct, whose brace is open. */
static Type
read_members (GScanner *scanner, const char *source, guint depth)
{
  Type all = { 0, 1 };

  while (g_scanner_peek_next_token (scanner) != '}')
    {
      Type type = read_type (scanner, source, depth);
      gsize bytes = 0;

      if (type.size != 0)
        read_declarators (scanner, type, NULL, &bytes);
      if (bytes == 0 || bytes > G_MAXINT32 || all.size > G_MAXINT32)
        return (Type){ 0, 1 };
      all.align = MAX (all.align, type.align);
      all.size = round_up (all.size, type.align) + bytes;
    }
  all.size = round_up (all.size, all.align);
  return all;
}

static Type
find_struct (const char *source, const char *name, guint depth)
{
  Type type = { 0, 1 };
  GScanner *scanner = depth < MAX_DEPTH ? scan (source) : NULL;

  while (scanner != NULL && type.size == 0 && g_scanner_get_next_token (scanner) != G_TOKEN_EOF)
    if (scanner->token == G_TOKEN_IDENTIFIER &&
        g_str_equal (scanner->value.v_identifier, "struct") &&
        g_scanner_get_next_token (scanner) == G_TOKEN_IDENTIFIER &&
        g_str_equal (scanner->value.v_identifier, name) &&
        g_scanner_get_next_token (scanner) == '{')
      type = read_members (scanner, source, depth);
  g_clear_pointer (&scanner, g_scanner_destroy);
  return type;
}

/* @source: CUDA code
 * @name: of an array in shared, global or constant memory
 * Returns: bytes of one of its elements, as it is declared; 0: not known */
gsize
_cured_source_find_element (const char *source, const char *name)
{
  static const char *const spaces[] = { "__shared__", "__device__", "__constant__", "__managed__",
                                        NULL };
  GScanner *scanner = scan (source);
  gsize size = 0, bytes;

  while (size == 0 && g_scanner_get_next_token (scanner) != G_TOKEN_EOF)
    if (scanner->token == G_TOKEN_IDENTIFIER && is_one_of (scanner->value.v_identifier, spaces))
      {
        Type type = read_type (scanner, source, 0);

        if (type.size != 0)
          size = read_declarators (scanner, type, name, &bytes);
      }
  g_scanner_destroy (scanner);
  return size;
}

/* SPDX-License-Identifier: MIT
 * Cuts host-only code out of a CUDA source.
 *
 * A device compiler does not know the host's functions and types, and most CUDA files contain both
 * sides. Host code is replaced by blanks: functions that are not marked for the device, variables
 * that device code can't see, and types with members that only a host has. Preprocessor lines stay,
 * and so do lines and columns. If a source's brackets do not match, all of it stays, and the
 * compiler reports its errors. */
#include "kernel/sources/cured-host-code-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-tokens-internal.h"
#include "kernel/sources/cured-stub-headers-internal.h"

/* Nesting of namespaces and classes. */
#define MAX_DEPTH 64

/* clang-format off */
static const char *const device_words[] = {
  "__global__", "__device__", "__constant__", "__shared__", "__managed__", "_CCCL_DEVICE",
  "_CCCL_HOST_DEVICE", "__host_device__", "__hostdev__", "_CCCL_API", "_CCCL_DEVICE_API", NULL,
};
/* clang-format on */

/* Words before a parenthesis that does not begin a parameter list. */
/* clang-format off */
static const char *const attributes[] = {
  "__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype", "__declspec",
  "noexcept", "throw", "__maxnreg__", "__cluster_dims__", "__block_size__", "explicit",
  "requires", "__builtin_align__", "_Alignas", "typeof", "__typeof__", NULL,
};
/* clang-format on */

/* Names of `std` that the stub headers define for device code; see cured-stub-headers.c. */
/* clang-format off */
static const char *const std_words[] = {
  "size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
  "uint32_t", "uint64_t", "intptr_t", "uintptr_t", "numeric_limits", "is_same", "is_same_v",
  "enable_if", "enable_if_t", "conditional", "conditional_t", "is_integral", "is_integral_v",
  "is_signed", "is_unsigned", "remove_const", "true_type", "bool_constant", "false_type",
  "integral_constant", "is_arithmetic", "is_pointer", "is_floating_point", "is_floating_point_v",
  "remove_cv_t", "remove_cv", "remove_const_t", "is_arithmetic_v", "forward", "move", NULL,
};
/* clang-format on */

/* Host types that files use without a namespace. */
/* clang-format off */
static const char *const host_words[] = {
  "FILE", "curandGenerator_t", "cufftHandle", "CUcontext", "CUdevice", "CUmodule", "CUfunction",
  "CUdeviceptr", "StopWatchInterface", "pthread_t", "timespec", "timeval", "ifstream", "ofstream",
  "stringstream", "ostream", "istream", "thrust", NULL,
};
/* clang-format on */

/* Namespaces of headers that device code has. */
static const char *const device_spaces[] = {
  "std", "cuda", "cooperative_groups", "nvcuda", "cub", "nv", NULL,
};

/* Prefixes of the many host types of CUDA's libraries. */
static const char *const host_prefixes[] = {
  "cudnn", "cublas", "cusparse", "cusolver", "nccl", NULL,
};

/* Host types if a `<` follows. */
/* clang-format off */
static const char *const host_templates[] = {
  "vector", "map", "unordered_map", "set", "unordered_set", "list", "deque", "unique_ptr",
  "shared_ptr", "initializer_list", NULL,
};
/* clang-format on */

/* A declaration, from its first token to the one behind its last. */
typedef struct
{
  guint begin, end;
  guint name; /* token behind `class`; 0: none */
  guint body; /* opening brace of a class; 0: none */
  gboolean is_device, is_const;
  gboolean is_indirect; /* a pointer or an array */
  gboolean is_constexpr;
  gboolean is_type; /* class, struct, union */
  gboolean is_enum, is_typedef;
  gboolean is_template; /* `template` without `<`: instantiates one */
  gboolean is_function;
  gboolean has_code;   /* a function with a body */
  gboolean is_default; /* `= default`, `= delete` */
  gboolean is_static;
  gboolean is_call; /* only a macro's name and its arguments */
  gboolean uses_host;
} Declaration;

typedef struct
{
  CuredHostCode *known;
  const CuredTokens *tokens;
  char *text;
} Cutter;

static gboolean cut_scope (Cutter *self, guint first, guint last, guint depth, gboolean is_class,
                           gboolean *has_host);

static gboolean
is_one_of (const CuredTokens *tokens, guint index, const char *const *words)
{
  if (index >= tokens->tokens->len)
    return FALSE;
  const CuredSourceToken *token = CURED_TOKEN (tokens, index);
  gsize n = token->end - token->begin;
  for (; *words != NULL; words++)
    if (strncmp (*words, tokens->text + token->begin, n) == 0 && (*words)[n] == '\0')
      return TRUE;
  return FALSE;
}

static gboolean
is_in (const CuredTokens *tokens, guint index, GHashTable *words)
{
  char name[64];
  const CuredSourceToken *token = CURED_TOKEN (tokens, index);
  gsize n = token->end - token->begin;

  if (n >= sizeof name)
    return FALSE;
  memcpy (name, tokens->text + token->begin, n);
  name[n] = '\0';
  return g_hash_table_contains (words, name);
}

static gboolean
is_word (const CuredTokens *tokens, guint index)
{
  return index < tokens->tokens->len && CURED_TOKEN (tokens, index)->kind == CURED_TOKEN_WORD;
}

/* Whether the token begins with one of @prefixes. */
static gboolean
begins_with (const CuredTokens *tokens, guint index, const char *const *prefixes)
{
  const CuredSourceToken *token = CURED_TOKEN (tokens, index);

  for (; *prefixes != NULL; prefixes++)
    if (token->end - token->begin > strlen (*prefixes) &&
        strncmp (tokens->text + token->begin, *prefixes, strlen (*prefixes)) == 0)
      return TRUE;
  return FALSE;
}

#define is(i, word) _cured_tokens_is (self->tokens, i, word)
#define sign(i)     _cured_tokens_get_sign (self->tokens, i)

/* Whether the toolkit's headers define the word in `std` for devices. */
static gboolean
is_std_of_cuda (const CuredTokens *tokens, guint i)
{
  g_autofree char *word = _cured_tokens_dup (tokens, i);

  return _cured_stub_header_find_std (word) != NULL;
}

/* Whether the word belongs to a type that only the host has. */
static gboolean
is_host_word (const Cutter *self, guint i)
{
  const CuredTokens *tokens = self->tokens;

  if (is (i, "std") && sign (i + 1) == ':' && sign (i + 2) == ':')
    return !is_one_of (tokens, i + 3, std_words) &&
           !(i + 3 < tokens->tokens->len && is_std_of_cuda (tokens, i + 3));
  return (is_one_of (tokens, i, host_templates) && sign (i + 1) == '<') ||
         is_one_of (tokens, i, host_words) || begins_with (tokens, i, host_prefixes) ||
         is_in (tokens, i, self->known->host);
}

/* Blanks the words from @begin to, not including, @end, and everything between them, except
 * preprocessor lines. */
static void
cut (Cutter *self, guint begin, guint end)
{
  const GArray *lines = self->tokens->directives;
  guint low = 0, high = lines->len;

  if (begin >= end)
    return;
  guint32 at = CURED_TOKEN (self->tokens, begin)->begin;
  guint32 to = CURED_TOKEN (self->tokens, end - 1)->end;
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (lines, CuredDirective, middle).end <= at)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint k = low; at < to; k++)
    {
      guint32 stop = to, next = to;

      if (k < lines->len && g_array_index (lines, CuredDirective, k).begin < to)
        {
          stop = g_array_index (lines, CuredDirective, k).begin;
          next = g_array_index (lines, CuredDirective, k).end;
        }
      for (; at < stop; at++)
        if (self->text[at] != '\n' && self->text[at] != '\r')
          self->text[at] = ' ';
      at = MAX (at, next);
    }
}

static void
add_host_word (Cutter *self, guint index)
{
  g_hash_table_add (self->known->host, _cured_tokens_dup (self->tokens, index));
}

/* Reads a word of a declaration, outside of brackets. */
static void
read_word (const Cutter *self, guint i, Declaration *what)
{
  const CuredTokens *tokens = self->tokens;

  if (is_one_of (tokens, i, device_words) || is_in (tokens, i, self->known->device))
    what->is_device = TRUE;
  else if (is (i, "const"))
    what->is_const = TRUE;
  else if (is (i, "constexpr") || is (i, "consteval") || is_in (tokens, i, self->known->constants))
    what->is_constexpr = TRUE;
  else if (is (i, "static"))
    what->is_static = TRUE;
  else if (is (i, "typedef") || is (i, "using"))
    what->is_typedef = TRUE;
  else if (is (i, "enum"))
    what->is_enum = TRUE;
  else if (is (i, "struct") || is (i, "class") || is (i, "union"))
    {
      if (!what->is_enum && !what->is_type)
        {
          what->is_type = TRUE;
          for (what->name = i + 1;; what->name++)
            if (is_one_of (tokens, what->name, attributes) && sign (what->name + 1) == '(' &&
                CURED_TOKEN (tokens, what->name + 1)->match != CURED_TOKEN_NONE)
              what->name = CURED_TOKEN (tokens, what->name + 1)->match;
            else
              break;
          if (!is_word (tokens, what->name))
            what->name = 0;
        }
    }
  else if (is_host_word (self, i))
    what->uses_host = TRUE;
}

/* Reads the declaration that begins at @what->begin; FALSE if its end can't be found. */
static gboolean
read_declaration (const Cutter *self, guint last, Declaration *what)
{
  const CuredTokens *tokens = self->tokens;
  gboolean has_value = FALSE, is_operator = FALSE;
  gboolean has_list = FALSE; /* a constructor's initializer list */
  guint i = what->begin;

  while (i < last)
    {
      char c = sign (i);
      guint match = CURED_TOKEN (tokens, i)->match;

      if ((c == '(' || c == '[' || c == '{') && match == CURED_TOKEN_NONE)
        return FALSE;
      if (c == ';')
        {
          what->end = i + 1;
          return TRUE;
        }
      if (is (i, "template") && sign (i + 1) == '<')
        {
          i = _cured_tokens_skip_angles (tokens, i + 1, last);
          continue;
        }
      if (is (i, "template"))
        what->is_template = TRUE;
      else if (is (i, "operator"))
        is_operator = TRUE;
      else if ((c == '*' || c == '[') && !has_value)
        what->is_indirect = TRUE;
      else if (c == '=' && !what->is_function && !is_operator)
        has_value = TRUE;
      else if (c == '=' && what->is_function && (is (i + 1, "default") || is (i + 1, "delete")))
        what->is_default = TRUE;
      else if (c == ':' && what->is_function)
        {
          if (sign (i + 1) == ':')
            i++;
          else
            has_list = TRUE;
        }
      else if (c == '(' && !has_value && !what->is_function && i > what->begin)
        {
          gboolean is_list = is_word (tokens, i - 1) ? !is_one_of (tokens, i - 1, attributes)
                                                     : sign (i - 1) == '>' || is_operator;
          gboolean is_pointer = sign (i + 1) == '*' && !is_operator;

          if (is_operator && is (i - 1, "operator"))
            {
              /* operator() (…) */
              i = match + 1;
              continue;
            }
          what->is_function = is_list && !is_pointer;
          /* A macro with arguments, followed by a declaration on a new line. */
          if (what->is_function && i == what->begin + 1 && match + 1 < last &&
              is_word (tokens, match + 1) && CURED_TOKEN (tokens, match + 1)->is_first &&
              !is (match + 1, "const") && !is (match + 1, "noexcept"))
            {
              what->is_call = TRUE;
              what->end = match + 1;
              return TRUE;
            }
        }
      else if (c == '{')
        {
          if (what->is_function && !has_value && !(has_list && is_word (tokens, i - 1)))
            {
              what->has_code = TRUE;
              what->end = match + 1;
              /* int f () try { … } catch (…) { … } */
              while (is (what->end, "catch") && sign (what->end + 1) == '(')
                {
                  guint to = CURED_TOKEN (tokens, what->end + 1)->match;

                  if (to == CURED_TOKEN_NONE || sign (to + 1) != '{' ||
                      CURED_TOKEN (tokens, to + 1)->match == CURED_TOKEN_NONE)
                    return FALSE;
                  what->end = CURED_TOKEN (tokens, to + 1)->match + 1;
                }
              return TRUE;
            }
          if (what->is_type && !what->is_function && !has_value && what->body == 0)
            what->body = i;
        }
      if (is_word (tokens, i))
        read_word (self, i, what);
      i = c == '(' || c == '[' || c == '{' ? match + 1 : i + 1;
    }
  what->end = last;
  return FALSE;
}

/* Whether `struct body …;` declares a variable of that type: `struct body;` does not. */
static gboolean
is_variable (const Cutter *self, const Declaration *what)
{
  guint behind = what->name + 1;

  if (what->name == 0 || what->body != 0)
    return FALSE;
  if (sign (behind) == '<')
    behind = _cured_tokens_skip_angles (self->tokens, behind, what->end);
  return what->end > behind + 1;
}

/* Whether the declaration is host-only. */
static gboolean
is_of_host (Cutter *self, const Declaration *what, guint depth, gboolean is_class,
            gboolean *has_host, gboolean *is_right)
{
  const CuredTokens *tokens = self->tokens;
  gboolean has_host_member = FALSE;

  *is_right = TRUE;
  if (what->is_device ||
      is_one_of (tokens, what->begin, (const char *const[]){ "static_assert", "asm", NULL }))
    return FALSE;
  if (what->is_call || what->is_template)
    return TRUE;
  if (what->is_function && !what->is_typedef)
    return !what->is_default && (!what->is_constexpr || what->uses_host);
  if (what->body != 0 && !what->uses_host)
    *is_right = cut_scope (self, what->body + 1, CURED_TOKEN (tokens, what->body)->match, depth + 1,
                           TRUE, &has_host_member);
  if (what->uses_host || has_host_member)
    {
      if (what->is_typedef && is_word (tokens, what->end - 2))
        add_host_word (self, what->end - 2);
      else if (what->is_type && what->name != 0 && !is_variable (self, what))
        add_host_word (self, what->name);
      else if (is_class && !what->is_static)
        *has_host = TRUE;
      return TRUE;
    }
  if (is_class || what->is_typedef || what->is_enum)
    return FALSE;
  if (what->body != 0)
    {
      guint behind = CURED_TOKEN (tokens, what->body)->match + 1;

      /* struct body { … } bodies[N]; */
      if (!what->is_const && what->end > behind + 1)
        cut (self, behind, what->end - 1);
      return FALSE;
    }
  if (what->is_type && !is_variable (self, what))
    return FALSE;
  return !what->is_constexpr && (!what->is_const || what->is_indirect);
}

/* Whether `using namespace` or an alias names a namespace that only the host has: std::chrono, cv. */
static gboolean
is_host_space (const Cutter *self, guint i)
{
  if (sign (i) == ':')
    i += 2;
  return is_word (self->tokens, i) && !is_in (self->tokens, i, self->known->spaces) &&
         (is (i, "std") ? sign (i + 1) == ':' : !is_one_of (self->tokens, i, device_spaces));
}

/* using std::min; using list = std::vector<int>; */
static void
read_using (Cutter *self, guint begin, guint end)
{
  gboolean uses_host = is (begin + 1, "namespace") && is_host_space (self, begin + 2);

  for (guint i = begin + 1; i < end && !is (begin + 1, "namespace"); i++)
    uses_host |= is_word (self->tokens, i) && is_host_word (self, i);
  if (!uses_host)
    return;
  if (sign (begin + 2) == '=' && is_word (self->tokens, begin + 1))
    add_host_word (self, begin + 1);
  cut (self, begin, end);
}

static guint
find_sign (const Cutter *self, guint i, guint last, char wanted)
{
  for (; i < last && sign (i) != wanted; i++)
    {
      char c = sign (i);

      if (c == ';' || c == '{' || c == '}')
        break;
    }
  return i;
}

/* FALSE if the rest can't be parsed. */
static gboolean
cut_scope (Cutter *self, guint first, guint last, guint depth, gboolean is_class,
           gboolean *has_host)
{
  const CuredTokens *tokens = self->tokens;
  gboolean is_right = TRUE;

  if (depth > MAX_DEPTH)
    return FALSE;
  for (guint i = first; i < last && is_right;)
    {
      Declaration what = { .begin = i };
      guint open = 0;

      if (sign (i) == ';' || sign (i) == '}')
        {
          i++;
          continue;
        }
      if (is_class && sign (i + 1) == ':' && sign (i + 2) != ':')
        {
          i += 2;
          continue;
        }
      if (is (i, "using"))
        {
          guint end = find_sign (self, i, last, ';');

          if (sign (end) != ';')
            return FALSE;
          read_using (self, i, end + 1);
          i = end + 1;
          continue;
        }
      if (is (i, "namespace") || (is (i, "inline") && is (i + 1, "namespace")))
        {
          open = find_sign (self, i, last, '{');
          if (sign (open) == ';')
            {
              if (sign (i + 2) == '=' && is_host_space (self, i + 3))
                cut (self, i, open + 1);
              i = open + 1;
              continue;
            }
          if (sign (open) != '{')
            return FALSE;
        }
      else if (is (i, "extern") && i + 2 < last &&
               CURED_TOKEN (tokens, i + 1)->kind == CURED_TOKEN_TEXT && sign (i + 2) == '{')
        open = i + 2;
      if (open != 0)
        {
          guint match = CURED_TOKEN (tokens, open)->match;

          if (match == CURED_TOKEN_NONE || match > last ||
              !cut_scope (self, open + 1, match, depth + 1, FALSE, has_host))
            return FALSE;
          i = match + 1;
          continue;
        }
      if (!read_declaration (self, last, &what))
        /* A file may end with a macro without a semicolon. */
        return what.end == last;
      if (is_of_host (self, &what, depth, is_class, has_host, &is_right))
        cut (self, what.begin, what.end);
      i = what.end;
    }
  return is_right;
}

#undef is
#undef sign

void
_cured_host_code_init (CuredHostCode *self)
{
  self->device = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->constants = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->host = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->spaces = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

CURED_DEFINE_CLEAR (CuredHostCode, _cured_host_code_clear, device, g_hash_table_unref, constants,
                    g_hash_table_unref, host, g_hash_table_unref, spaces, g_hash_table_unref)

/* `#define NAME …`: if its text contains a mark of device code, or `constexpr`, NAME counts as
 * one. */
static void
learn_macro (CuredHostCode *self, const char *text, const CuredDirective *line)
{
  gsize at = line->begin + 1;

  at += strspn (text + at, " \t");
  if (strncmp (text + at, "define", 6) != 0)
    return;
  at += 6;
  at += strspn (text + at, " \t");
  gsize begin = at;
  while (at < line->end && (g_ascii_isalnum (text[at]) || text[at] == '_'))
    at++;
  g_autofree char *name = g_strndup (text + begin, at - begin);
  while (at < line->end)
    {
      char word[64];
      gsize n = 0;

      while (at < line->end && !g_ascii_isalpha (text[at]) && text[at] != '_')
        at++;
      while (at < line->end && (g_ascii_isalnum (text[at]) || text[at] == '_'))
        {
          if (n + 1 < sizeof word)
            word[n++] = text[at];
          at++;
        }
      word[n] = '\0';
      if (g_strv_contains (device_words, word) || g_hash_table_contains (self->device, word))
        {
          g_hash_table_add (self->device, g_steal_pointer (&name));
          return;
        }
      if (g_str_equal (word, "constexpr"))
        g_hash_table_add (self->constants, g_strdup (name));
    }
}

/* Finds the namespaces, and the macros that mark code for the device. A macro may use another one that is defined above
 * it, or in a file that was learnt before. */
void
_cured_host_code_learn (CuredHostCode *self, const char *text)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);

  for (guint i = 0; i < tokens->directives->len; i++)
    learn_macro (self, text, &g_array_index (tokens->directives, CuredDirective, i));
  for (guint i = 1; i < tokens->tokens->len; i++)
    if (is_word (tokens, i) && _cured_tokens_is (tokens, i - 1, "namespace") &&
        !_cured_tokens_is (tokens, i - 2, "using"))
      g_hash_table_add (self->spaces, _cured_tokens_dup (tokens, i));
}

/* (transfer full): @text with blanks over host code, of the same length; an unchanged copy if it
 * can't be parsed. */
char *
_cured_host_code_cut (CuredHostCode *self, const char *text)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);
  Cutter cutter = { .known = self, .tokens = tokens };
  g_autofree char *result = g_strdup (text);
  gboolean has_host = FALSE;

  cutter.text = result;
  if (!tokens->is_whole || !cut_scope (&cutter, 0, tokens->tokens->len, 0, FALSE, &has_host))
    return g_strdup (text);
  return g_steal_pointer (&result);
}

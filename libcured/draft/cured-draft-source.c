/* SPDX-License-Identifier: MIT
 * Reads host code: its functions, macros, declarations and launches. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

static void read_launches (CuredHostSource *self);

/* ---- Words ---- */

gboolean
_cured_draft_is_word (const CuredTokens *tokens, guint i)
{
  return i < tokens->tokens->len && CURED_TOKEN (tokens, i)->kind == CURED_TOKEN_WORD;
}

gboolean
_cured_draft_is_same (const CuredTokens *tokens, guint i, const CuredTokens *others, guint k)
{
  const CuredSourceToken *a = CURED_TOKEN (tokens, i), *b = CURED_TOKEN (others, k);

  return a->end - a->begin == b->end - b->begin &&
         strncmp (tokens->text + a->begin, others->text + b->begin, a->end - a->begin) == 0;
}

gboolean
_cured_draft_ends_statement (char c)
{
  return c == ';' || c == '{' || c == '}';
}

guint
_cured_draft_get_match (const CuredTokens *tokens, guint i)
{
  return i < tokens->tokens->len ? CURED_TOKEN (tokens, i)->match : CURED_TOKEN_NONE;
}

/* The pieces of a list between @begin and @end, at its commas. */
GArray *
_cured_draft_split (const CuredTokens *tokens, guint begin, guint end, int function)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (CuredTokenSpan));
  guint first = begin;

  for (guint i = begin; i <= end && i <= tokens->tokens->len; i++)
    {
      guint match = i < end ? match (tokens, i) : CURED_TOKEN_NONE;

      if (match != CURED_TOKEN_NONE && match < end)
        i = match;
      else if (i < end && sign (tokens, i) == '<' && i > begin && is_word (tokens, i - 1))
        {
          guint after = _cured_tokens_skip_angles (tokens, i, end);

          /* A comparison has no end. */
          if (after > i + 1)
            i = after - 1;
        }
      else if (i == end || sign (tokens, i) == ',')
        {
          CuredTokenSpan span = { tokens, first, i, function };

          if (i > first || i < end)
            g_array_append_val (spans, span);
          first = i + 1;
        }
    }
  return spans;
}

/* ---- Reading the source ---- */

static void
read_macro (CuredHostSource *self, const CuredDirective *line)
{
  gsize at = line->begin + 1;

  at += strspn (self->source + at, " \t");
  if (strncmp (self->source + at, "define", 6) != 0 ||
      g_hash_table_size (self->macros) >= MAX_MACROS)
    return;
  at += 6;
  at += strspn (self->source + at, " \t");
  gsize begin = at;
  while (g_ascii_isalnum (self->source[at]) || self->source[at] == '_')
    at++;
  /* Skip macros with arguments, which are like functions. */
  if (at >= line->end || at == begin || self->source[at] == '(' || line->end - at > MAX_EXPR)
    return;
  char *text = g_strndup (self->source + at, line->end - at);
  g_ptr_array_add (self->texts, text);
  CuredTokens *tokens = _cured_tokens_new (text);
  g_hash_table_replace (self->macros, g_strndup (self->source + begin, at - begin), tokens);
}

static gboolean
is_statement (const CuredTokens *tokens, guint i)
{
  return is (tokens, i, "if") || is (tokens, i, "for") || is (tokens, i, "while") ||
         is (tokens, i, "switch") || is (tokens, i, "catch") || is (tokens, i, "return") ||
         is (tokens, i, "sizeof");
}

/* Whether a word is in front of a function's name. */
static gboolean
is_marked (const CuredTokens *tokens, guint name, const char *word)
{
  for (guint i = name; i > 0 && i + MAX_EXPR > name; i--)
    if (_cured_draft_ends_statement (sign (tokens, i - 1)))
      return FALSE;
    else if (is (tokens, i - 1, word))
      return TRUE;
  return FALSE;
}

gboolean
_cured_draft_is_for_device (const CuredTokens *tokens, guint name)
{
  return is_marked (tokens, name, "__global__") || is_marked (tokens, name, "__device__");
}

/* Skips the `: n_ (n), size_{ 4 * n }` of a constructor. */
static guint
skip_initialisers (const CuredTokens *tokens, guint at)
{
  guint i = at;

  if (sign (tokens, i) != ':' || sign (tokens, i + 1) == ':')
    return at;
  do
    {
      i++;
      while (is_word (tokens, i) || sign (tokens, i) == ':')
        i++;
      if (sign (tokens, i) == '<')
        i = _cured_tokens_skip_angles (tokens, i, tokens->tokens->len);
      if ((sign (tokens, i) != '(' && sign (tokens, i) != '{') ||
          match (tokens, i) == CURED_TOKEN_NONE)
        return at;
      i = match (tokens, i) + 1;
    }
  while (sign (tokens, i) == ',');
  return sign (tokens, i) == '{' ? i : at;
}

static void
read_functions (CuredHostSource *self)
{
  const CuredTokens *tokens = self->tokens;

  for (guint i = 0; i < tokens->tokens->len; i++)
    {
      CuredHostFunction function = { .name = i, .open = i + 1 };

      if (!is_word (tokens, i) || is_statement (tokens, i))
        continue;
      /* Of a template's arguments: k<float> (…) { … } */
      if (sign (tokens, i + 1) == '<')
        function.open = _cured_tokens_skip_angles (tokens, i + 1, tokens->tokens->len);
      if (sign (tokens, function.open) != '(' || match (tokens, function.open) == CURED_TOKEN_NONE)
        continue;
      guint at = match (tokens, function.open) + 1;
      while (is (tokens, at, "const") || is (tokens, at, "noexcept"))
        at++;
      at = skip_initialisers (tokens, at);
      if (sign (tokens, at) != '{' || match (tokens, at) == CURED_TOKEN_NONE)
        continue;
      function.body = at;
      function.is_device = _cured_draft_is_for_device (tokens, i);
      if (self->functions->len < MAX_FUNCTIONS)
        g_array_append_val (self->functions, function);
      i = match (tokens, at);
    }
}

/* The host's function of that name; -1: none. */
int
_cured_draft_find_function (const CuredHostSource *self, const char *name)
{
  for (guint k = 0; k < self->functions->len; k++)
    {
      const CuredHostFunction *function = &g_array_index (self->functions, CuredHostFunction, k);

      if (!function->is_device && is (self->tokens, function->name, name))
        return (int) k;
    }
  return -1;
}

/* The first function that ends behind a word; -1: none. */
static int
find_function_before (const CuredHostSource *self, guint token)
{
  guint low = 0, high = self->functions->len;

  /* Functions are sorted by position. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (token <
          match (self->tokens, g_array_index (self->functions, CuredHostFunction, middle).body))
        high = middle;
      else
        low = middle + 1;
    }
  return low < self->functions->len ? (int) low : -1;
}

int
_cured_draft_find_function_at (const CuredHostSource *self, guint token)
{
  int function = find_function_before (self, token);

  return function >= 0 && token > g_array_index (self->functions, CuredHostFunction, function).body
             ? function
             : -1;
}

/* ---- Macros and functions that represent an expression ---- */

/* Limits of a source's growth, enough for launches through nested macros. */
#define MAX_EXPANSIONS 2048
#define MAX_PASSES     4

typedef struct
{
  GPtrArray *parameters; /* (element-type utf8) */
  char *body;
  gboolean is_function;
  gboolean is_variadic; /* __VA_ARGS__ has additional arguments */
  gboolean is_wrapper;  /* a lambda or a function with a pack that launches something */
  gboolean is_block;    /* a macro of statements, of interest if it contains a launch */
  gboolean is_launch;   /* a macro that launches something, perhaps by another one */
} Shorthand;

CURED_FREE_FUNC (Shorthand, shorthand_free, parameters, g_ptr_array_unref, body, g_free)

char *
_cured_draft_dup_span (const CuredTokens *tokens, guint begin, guint end)
{
  gsize at = begin < end ? CURED_TOKEN (tokens, begin)->begin : 0;

  return begin < end ? g_strndup (tokens->text + at, CURED_TOKEN (tokens, end - 1)->end - at)
                     : g_strdup ("");
}

static gboolean
has_launch (const char *body)
{
  return strstr (body, "<<<") != NULL || strstr (body, "<< <") != NULL ||
         strstr (body, "cudaLaunch") != NULL;
}

/* Adds `#define NAME(a, b) …` of a launch or an expression. */
static void
add_macro (const CuredTokens *tokens, const CuredDirective *line, GHashTable *known)
{
  g_autofree char *text = g_strndup (tokens->text + line->begin, line->end - line->begin);
  char *at = text + 1 + strspn (text + 1, " \t");
  gboolean is_block;

  if (!g_str_has_prefix (at, "define"))
    return;
  char *name = at + strlen ("define");
  name += strspn (name, " \t");
  char *open = name + strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
  char *close = *open == '(' ? strchr (open, ')') : open - 1;
  gboolean is_launch = has_launch (open);
  GHashTableIter iter;
  gpointer other, shorthand;
  g_hash_table_iter_init (&iter, known);
  while (!is_launch && g_hash_table_iter_next (&iter, &other, &shorthand))
    is_launch = ((const Shorthand *) shorthand)->is_launch && strstr (open, other) != NULL &&
                _cured_text_has_word (open, other);
  if (close == NULL || (*open != '(' && !is_launch))
    return;
  for (char *splice = close + 1; (splice = strchr (splice, '\\')) != NULL; splice++)
    if (splice[1] == '\n' || splice[1] == '\r')
      *splice = ' ';
  is_block = !is_launch && (strpbrk (close + 1, ";{") != NULL || strlen (close) > MAX_EXPR);
  if (is_block && strstr (close + 1, "__VA_ARGS__") == NULL)
    return;
  Shorthand *self = CURED_NEW (Shorthand, .is_block = is_block, .is_launch = is_launch,
                               .parameters = g_ptr_array_new_with_free_func (g_free),
                               .body = g_strdup (close + 1));
  if (*open == '(')
    {
      *close = '\0';
      g_auto (GStrv) names = g_strsplit (open + 1, ",", -1);
      for (guint i = 0; names[i] != NULL; i++)
        if (g_str_equal (g_strstrip (names[i]), "..."))
          self->is_variadic = TRUE;
        else if (*names[i] != '\0')
          g_ptr_array_add (self->parameters, g_strdup (names[i]));
    }
  else
    g_clear_pointer (&self->parameters, g_ptr_array_unref);
  *open = '\0';
  g_hash_table_replace (known, g_strdup (name), self);
}

/* The name of a parameter: `void (*kernel) (int)`, `int n = 3`, `Args &&...args`. */
static char *
dup_parameter (const CuredTokens *tokens, const CuredTokenSpan *span)
{
  guint last = span->begin;

  for (guint k = span->begin; k < span->end && sign (tokens, k) != '='; k++)
    if (is_word (tokens, k))
      {
        last = k;
        if (k > span->begin && sign (tokens, k - 1) == '*' && sign (tokens, k + 1) == ')')
          break;
      }
  return _cured_tokens_dup (tokens, last);
}

/* `int div_up (int a, int b) { return (a + b - 1) / b; }` */
static void
add_function (const CuredTokens *tokens, guint name, GHashTable *known)
{
  guint close = match (tokens, name + 1), open = close + 1;

  while (is (tokens, open, "const") || is (tokens, open, "noexcept"))
    open++;
  guint end = match (tokens, open);
  if (sign (tokens, open) != '{' || end == CURED_TOKEN_NONE || !is (tokens, open + 1, "return") ||
      end < open + 4 || end > open + 128 || sign (tokens, end - 1) != ';')
    return;
  for (guint i = open + 2; i + 1 < end; i++)
    if (sign (tokens, i) == ';' || sign (tokens, i) == '{')
      return;
  Shorthand *self =
      CURED_NEW (Shorthand, .parameters = g_ptr_array_new_with_free_func (g_free),
                 .body = _cured_draft_dup_span (tokens, open + 2, end - 1), .is_function = TRUE);
  g_autoptr (GArray) list = _cured_draft_split (tokens, name + 2, close, -1);
  CURED_EACH (const CuredTokenSpan, span, list)
    g_ptr_array_add (self->parameters, dup_parameter (tokens, span));
  g_hash_table_replace (known, _cured_tokens_dup (tokens, name), self);
}

/* A host function or lambda that launches something with its arguments, and that can't be followed
 * by name: `auto run = [&] (int n) { k<<<n, 32>>> (a); };`, or one with a pack, `void launch (K k,
 * int n, A... rest)`. Adds it to @known if @calls, with the last call of each name, has a later
 * call. Returns: whether it is a lambda, which ends at @end */
static gboolean
add_wrapper (const CuredTokens *tokens, guint name, GHashTable *calls, GHashTable *known,
             guint *end)
{
  gboolean is_lambda = sign (tokens, name + 1) == '=' && sign (tokens, name + 2) == '[';
  guint open = is_lambda ? match (tokens, name + 2) + 1 : name + 1, body;

  if ((is_lambda && match (tokens, name + 2) == CURED_TOKEN_NONE) || sign (tokens, open) != '(' ||
      match (tokens, open) == CURED_TOKEN_NONE)
    return FALSE;
  for (body = match (tokens, open) + 1; is_lambda && is_word (tokens, body);)
    body++;
  *end = match (tokens, body);
  if (sign (tokens, body) != '{' || *end == CURED_TOKEN_NONE ||
      CURED_TOKEN (tokens, *end)->end - CURED_TOKEN (tokens, body)->begin > 4 * MAX_EXPR ||
      _cured_draft_is_for_device (tokens, name))
    return FALSE;
  g_autofree char *called = _cured_tokens_dup (tokens, name);
  g_autofree char *text = _cured_draft_dup_span (tokens, body, *end + 1);
  if (strstr (text, "<<<") == NULL || GPOINTER_TO_UINT (g_hash_table_lookup (calls, called)) < *end)
    return FALSE;
  g_autoptr (GArray) list = _cured_draft_split (tokens, open + 1, match (tokens, open), -1);
  if (list->len == 0)
    return FALSE;
  const CuredTokenSpan *last = &g_array_index (list, CuredTokenSpan, list->len - 1);
  gboolean is_pack = FALSE;
  for (guint k = last->begin; k < last->end; k++)
    is_pack |= sign (tokens, k) == '.';
  g_autofree char *pack = is_pack ? dup_parameter (tokens, last) : NULL;
  if (is_pack ? !g_regex_match_simple ("^\\w+$", pack, 0, 0) : !is_lambda)
    return FALSE;
  Shorthand *self =
      CURED_NEW (Shorthand, .parameters = g_ptr_array_new_with_free_func (g_free),
                 .is_wrapper = TRUE, .is_variadic = is_pack, .body = g_steal_pointer (&text));
  CURED_EACH (const CuredTokenSpan, span, list)
    if (!is_pack || span != last)
      g_ptr_array_add (self->parameters, dup_parameter (tokens, span));
  if (is_pack)
    {
      g_autofree char *whole = self->body;
      g_autofree char *pattern = g_strdup_printf (
          "(std\\s*::\\s*forward\\s*<[^<>]*>\\s*\\(\\s*%s\\s*\\)|\\b%s)\\s*\\.\\.\\.", pack, pack);
      g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);

      self->body = g_regex_replace_literal (regex, whole, -1, 0, "__VA_ARGS__", 0, NULL);
    }
  g_hash_table_replace (known, g_steal_pointer (&called), self);
  return is_lambda;
}

/* Appends its body, with parameters replaced by @arguments. */
static void
append_body (GString *text, const Shorthand *self, const CuredTokens *tokens,
             const GArray *arguments)
{
  g_autoptr (CuredTokens) body = _cured_tokens_new (self->body);

  g_string_append_c (text, self->is_function ? '(' : ' ');
  for (guint i = 0; i < body->tokens->len; i++)
    {
      const CuredSourceToken *token = CURED_TOKEN (body, i);
      guint k = 0;

      if (sign (body, i) == '#')
        continue;
      if (i > 0 && token->begin > CURED_TOKEN (body, i - 1)->end && sign (body, i - 1) != '#')
        g_string_append_c (text, ' ');
      /* Not x of block.x in a function of x. */
      while (arguments != NULL && k < self->parameters->len &&
             (!is (body, i, self->parameters->pdata[k]) ||
              (self->is_function && i > 0 && sign (body, i - 1) == '.')))
        k++;
      if (self->is_variadic && is (body, i, "__VA_ARGS__"))
        {
          g_autofree char *rest =
              arguments->len > k
                  ? _cured_draft_dup_span (
                        tokens, g_array_index (arguments, CuredTokenSpan, k).begin,
                        g_array_index (arguments, CuredTokenSpan, arguments->len - 1).end)
                  : g_strdup ("");

          g_string_append (text, rest);
        }
      else if (arguments == NULL || k == self->parameters->len || token->kind != CURED_TOKEN_WORD)
        g_string_append_len (text, body->text + token->begin, token->end - token->begin);
      else
        {
          const CuredTokenSpan *span = &g_array_index (arguments, CuredTokenSpan, k);
          g_autofree char *given = _cured_draft_dup_span (tokens, span->begin, span->end);

          gboolean is_sum = (self->is_function || self->is_wrapper) && span->end > span->begin + 1;
          g_string_append_printf (text, is_sum ? "(%s)" : "%s", given);
        }
    }
  g_string_append_c (text, self->is_function ? ')' : ' ');
}

/* (transfer full): @text with macros and such functions expanded, once. */
static char *
expand_once (const char *text, gboolean *is_new)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, shorthand_free);
  g_autoptr (GHashTable) calls = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *result = g_string_new (NULL);
  gsize done = 0;
  guint n = 0, end;

  *is_new = FALSE;
  for (guint i = 0; i < tokens->directives->len; i++)
    add_macro (tokens, &g_array_index (tokens->directives, CuredDirective, i), known);
  for (guint i = 0; i + 1 < tokens->tokens->len; i++)
    if (is_word (tokens, i) && sign (tokens, i + 1) == '(')
      g_hash_table_replace (calls, _cured_tokens_dup (tokens, i), GUINT_TO_POINTER (i));
  for (guint i = 1; i + 1 < tokens->tokens->len; i++)
    if (is_word (tokens, i) && sign (tokens, i + 1) == '(' &&
        match (tokens, i + 1) != CURED_TOKEN_NONE && !is (tokens, i, "main"))
      {
        add_function (tokens, i, known);
        add_wrapper (tokens, i, calls, known, &end);
      }
  for (guint i = 0; i < tokens->tokens->len && n < MAX_EXPANSIONS; i++)
    {
      g_autoptr (GArray) arguments = NULL;
      guint close = i;

      if (!is_word (tokens, i))
        continue;
      /* Remove the lambda, since nothing else uses its parameters. */
      if (add_wrapper (tokens, i, calls, known, &end))
        {
          guint begin = i;

          while (begin > 0 && !_cured_draft_ends_statement (sign (tokens, begin - 1)) &&
                 CURED_TOKEN (tokens, begin - 1)->begin >= done)
            begin--;
          g_string_append_len (result, text + done,
                               (gssize) (CURED_TOKEN (tokens, begin)->begin - done));
          i = end;
          done = CURED_TOKEN (tokens, end)->end;
          *is_new = TRUE;
          continue;
        }
      g_autofree char *word = _cured_tokens_dup (tokens, i);
      const Shorthand *self = g_hash_table_lookup (known, word);
      if (self == NULL || (i > 1 && (sign (tokens, i - 1) == '.' ||
                                     (sign (tokens, i - 1) == ':' && sign (tokens, i - 2) == ':') ||
                                     (sign (tokens, i - 1) == '>' && sign (tokens, i - 2) == '-'))))
        continue;
      if (self->parameters != NULL)
        {
          close = sign (tokens, i + 1) == '(' ? match (tokens, i + 1) : CURED_TOKEN_NONE;
          if (close == CURED_TOKEN_NONE)
            continue;
          arguments = _cured_draft_split (tokens, i + 2, close, -1);
          if (arguments->len < self->parameters->len ||
              (arguments->len > self->parameters->len && !self->is_variadic))
            continue;
          if (self->is_block)
            {
              g_autofree char *given = _cured_draft_dup_span (tokens, i + 2, close);

              if (!has_launch (given))
                continue;
            }
          /* Its own declaration. */
          if ((self->is_function || self->is_wrapper) &&
              (sign (tokens, close + 1) == '{' || is (tokens, close + 1, "const") ||
               (i > 0 && is_word (tokens, i - 1) && !is (tokens, i - 1, "return"))))
            continue;
        }
      g_string_append_len (result, text + done, (gssize) (CURED_TOKEN (tokens, i)->begin - done));
      append_body (result, self, tokens, arguments);
      done = CURED_TOKEN (tokens, close)->end;
      i = close;
      n++;
      *is_new = TRUE;
    }
  g_string_append (result, text + done);
  return g_string_free (result, FALSE);
}

static char *
expand (char *text)
{
  gsize most = 4 * strlen (text) + 65536;
  gboolean is_new = TRUE;

  for (guint i = 0; i < MAX_PASSES && is_new; i++)
    {
      char *next = expand_once (text, &is_new);

      if (strlen (next) > most)
        {
          g_free (next);
          break;
        }
      g_free (text);
      text = next;
    }
  return text;
}

/* Whether the word is between the parentheses of a function that has code. */
static gboolean
is_parameter_list (const CuredHostSource *self, guint token)
{
  int at = find_function_before (self, token);
  const CuredHostFunction *function =
      at >= 0 ? &g_array_index (self->functions, CuredHostFunction, at) : NULL;

  return function != NULL && token >= function->open && token < function->body;
}

CURED_DEFINE_CLEAR (CuredHostSource, _cured_draft_source_clear, source, g_free, tokens,
                    _cured_tokens_free, functions, g_array_unref, launches, g_array_unref, calls,
                    g_array_unref, macros, g_hash_table_unref, texts, g_ptr_array_unref)

static void
find_calls (CuredHostSource *self)
{
  static const char *const copies[] = { "cudaMemcpy",
                                        "cudaMemcpyAsync",
                                        "cudaMemset",
                                        "cudaMemsetAsync",
                                        "cudaMemcpyToSymbol",
                                        "cudaMemcpyToSymbolAsync",
                                        "memcpy",
                                        "memset",
                                        NULL };
  const CuredTokens *tokens = self->tokens;

  for (guint i = 0; i + 1 < tokens->tokens->len; i++)
    {
      if (!is_word (tokens, i) || sign (tokens, i + 1) != '(' ||
          match (tokens, i + 1) == CURED_TOKEN_NONE)
        continue;
      g_autofree char *word = _cured_tokens_dup (tokens, i);
      g_autofree char *lower = g_ascii_strdown (word, -1);
      CuredHostCall call = { i, g_strv_contains (copies, word) };

      if (call.is_copy || strstr (lower, "alloc") != NULL)
        g_array_append_val (self->calls, call);
    }
}

void
_cured_draft_source_init (CuredHostSource *self, const char *source, const char *context)
{
  g_autofree char *whole =
      context != NULL ? g_strconcat (context, "\n", source, NULL) : g_strdup (source);

  self->source = expand (_cured_tokens_choose (whole));
  self->tokens = _cured_tokens_new (self->source);
  self->functions = g_array_new (FALSE, FALSE, sizeof (CuredHostFunction));
  self->launches = g_array_new (FALSE, FALSE, sizeof (CuredHostLaunch));
  self->calls = g_array_new (FALSE, FALSE, sizeof (CuredHostCall));
  self->macros =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) _cured_tokens_free);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->tokens->directives->len; i++)
    read_macro (self, &g_array_index (self->tokens->directives, CuredDirective, i));
  read_functions (self);
  read_launches (self);
  find_calls (self);
}

/* ---- Definitions of names ---- */

/* The beginning of the value assigned to the variable at @i: `int n = 3`, `n = 3`, `dim3 b (3)`; 0
 * if there is none. */
static guint
find_value (const CuredTokens *tokens, guint i)
{
  char before = i > 0 ? sign (tokens, i - 1) : 0, after = sign (tokens, i + 1);

  if (after == '=' && sign (tokens, i + 2) != '=' && before != '.' &&
      !(before == '>' && sign (tokens, i - 2) == '-'))
    return i + 2;
  /* void (*f) (int) = k; void (*list[]) (int) = { k }; */
  if (before == '*' && (after == ')' || after == '['))
    {
      guint close = after == ')' ? i + 1 : match (tokens, i + 1) + 1;

      if (sign (tokens, close) == ')' && sign (tokens, close + 1) == '(' &&
          match (tokens, close + 1) != CURED_TOKEN_NONE &&
          sign (tokens, match (tokens, close + 1) + 1) == '=')
        return match (tokens, close + 1) + 2;
    }
  /* void *arguments[] = { … }; */
  if (after == '[' && match (tokens, i + 1) != CURED_TOKEN_NONE &&
      sign (tokens, match (tokens, i + 1) + 1) == '=' &&
      sign (tokens, match (tokens, i + 1) + 2) == '{')
    return match (tokens, i + 1) + 2;
  /* dim3 grid (4), block (5) */
  if ((after == '(' || after == '{') && i > 0 &&
      (is_word (tokens, i - 1) || before == ',' ||
       (before == '>' && sign (tokens, i - 2) != '-')) &&
      !is_statement (tokens, i - 1) && match (tokens, i + 1) != CURED_TOKEN_NONE)
    return i + 1;
  return 0;
}

guint
_cured_draft_find_value_end (const CuredTokens *tokens, guint i)
{
  guint limit = MIN (tokens->tokens->len, i + MAX_EXPR);

  for (; i < limit; i++)
    {
      char c = sign (tokens, i);

      if (c == ';' || c == ',' || c == ')' || c == '}')
        return i;
      if (match (tokens, i) != CURED_TOKEN_NONE)
        i = match (tokens, i);
    }
  return i;
}

/* Moves the beginning of a value behind further targets: `a = b = 4`. */
static void
skip_targets (CuredTokenSpan *value)
{
  const CuredTokens *tokens = value->tokens;

  for (guint i = value->begin; i + 1 < value->end; i++)
    if (sign (tokens, i) == '=' && i > value->begin && sign (tokens, i + 1) != '=' &&
        sign (tokens, i - 1) != '=' && (sign (tokens, i - 1) == 0 || sign (tokens, i - 1) == ']'))
      value->begin = i + 1;
    else if (match (tokens, i) < value->end)
      i = match (tokens, i);
}

/* The last assignment to @name in the function before @before; the previous one if @nth is 1, and
 * so on. */
gboolean
_cured_draft_find_assignment (const CuredHostSource *self, const CuredTokens *names, guint name,
                              guint begin, guint before, guint nth, CuredTokenSpan *span)
{
  const CuredTokens *tokens = self->tokens;

  for (guint i = MIN (before, tokens->tokens->len); i > begin; i--)
    {
      if (!is_word (tokens, i - 1) || !_cured_draft_is_same (tokens, i - 1, names, name))
        continue;
      guint value = find_value (tokens, i - 1);
      /* n = n / 2: uses the previous value. */
      if (value == 0 || (value <= before && before < _cured_draft_find_value_end (tokens, value)) ||
          nth-- > 0)
        continue;
      span->tokens = tokens;
      span->begin = value;
      span->end = _cured_draft_find_value_end (tokens, value);
      /* dim3 grid (4, 4): both brackets. */
      if (value == i && match (tokens, value) != CURED_TOKEN_NONE)
        span->end = match (tokens, value) + 1;
      else
        skip_targets (span);
      return TRUE;
    }
  return FALSE;
}

/* Reads the declaration of the word at @i, if it is one: `const float *a`, `T *a, *b;`. */
gboolean
_cured_draft_read_declared (const CuredTokens *tokens, guint i, int function, CuredDeclared *to)
{
  guint stars = i;
  guint begin, end;
  int depth = 0;

  *to = (CuredDeclared){ .type = { tokens, 0, 0, function } };
  while (stars > 0 && (sign (tokens, stars - 1) == '*' || sign (tokens, stars - 1) == '&' ||
                       is (tokens, stars - 1, "const") || is (tokens, stars - 1, "__restrict__")))
    to->stars += sign (tokens, --stars) == '*';
  if (stars == 0)
    return FALSE;
  begin = end = stars;
  if (sign (tokens, stars - 1) == ',')
    {
      /* An earlier name of the same declaration, up to the type in front. */
      for (begin = stars; begin > 0 && !_cured_draft_ends_statement (sign (tokens, begin - 1));
           begin--)
        {
          depth += (sign (tokens, begin - 1) == ')') - (sign (tokens, begin - 1) == '(');
          if (depth < 0 || begin + MAX_EXPR < stars)
            return FALSE;
          /* int a[] = { 1, 2 }, b; */
          guint open = begin - 1;
          while (sign (tokens, begin - 2) == '}' && open-- > 1 &&
                 (match (tokens, open) != begin - 2 || sign (tokens, open - 1) != '='))
            if (open + MAX_EXPR < stars)
              break;
          if (sign (tokens, begin - 2) == '}' && match (tokens, open) == begin - 2)
            begin = open + 1;
        }
      for (end = begin; end < stars && (is_word (tokens, end) || sign (tokens, end) == ':'); end++)
        if (sign (tokens, end + 1) == '<')
          end = _cured_tokens_skip_angles (tokens, end + 1, stars) - 1;
      /* The last word is a name, unless a star follows. */
      if (end > begin + 1 && sign (tokens, end) != '*')
        end--;
    }
  else
    while (begin > 0 && (is_word (tokens, begin - 1) || sign (tokens, begin - 1) == ':' ||
                         (sign (tokens, begin - 1) == '>' && begin > 2)))
      {
        guint angles = 0;

        if (sign (tokens, begin - 1) == '>')
          for (; begin > 0 && begin + MAX_EXPR > stars; begin--)
            {
              angles += sign (tokens, begin - 1) == '>';
              angles -= sign (tokens, begin - 1) == '<';
              if (angles == 0)
                break;
            }
        begin--;
      }
  while (begin < end && (is (tokens, begin, "const") || is (tokens, begin, "static") ||
                         is (tokens, begin, "struct") || is (tokens, begin, "constexpr") ||
                         is (tokens, begin, "extern") || sign (tokens, begin) == ':'))
    begin++;
  if (begin >= end || is_statement (tokens, begin) || is (tokens, begin, "else") ||
      is (tokens, begin, "delete") || is (tokens, begin, "new") || !is_word (tokens, begin))
    return FALSE;
  to->type.begin = begin;
  to->type.end = end;
  to->bracket = sign (tokens, i + 1) == '[' ? i + 1 : 0;
  return TRUE;
}

/* The declaration of a name, in the function before @before, or in the file. */
gboolean
_cured_draft_find_declaration (const CuredHostSource *self, const CuredTokens *names, guint name,
                               int function, guint before, CuredDeclared *to)
{
  const CuredTokens *tokens = self->tokens;
  const CuredHostFunction *where =
      function >= 0 ? &g_array_index (self->functions, CuredHostFunction, function) : NULL;

  /* The declaration precedes all uses, some of which look like one: a * b. */
  for (guint i = where != NULL ? where->open : before; i < before; i++)
    if (is_word (tokens, i) && _cured_draft_is_same (tokens, i, names, name) &&
        _cured_draft_read_declared (tokens, i, function, to))
      return TRUE;
  CURED_EACH_SAME (i, tokens, names, name)
    if (_cured_draft_find_function_at (self, i) < 0 && !is_parameter_list (self, i) &&
        _cured_draft_read_declared (tokens, i, -1, to))
      return TRUE;
  return FALSE;
}

/* The index of a function's parameter of this name, -1 if it has none. */
int
_cured_draft_find_parameter (const CuredHostSource *self, int function, const CuredTokens *names,
                             guint name)
{
  if (function < 0)
    return -1;
  const CuredHostFunction *where = &g_array_index (self->functions, CuredHostFunction, function);
  g_autoptr (GArray) list = _cured_draft_split (self->tokens, where->open + 1,
                                                match (self->tokens, where->open), function);
  for (guint i = 0; i < list->len; i++)
    {
      const CuredTokenSpan *span = &g_array_index (list, CuredTokenSpan, i);

      for (guint k = span->begin; k < span->end; k++)
        if (sign (self->tokens, k) == '=')
          break;
        else if (is_word (self->tokens, k) && _cured_draft_is_same (self->tokens, k, names, name) &&
                 (k + 1 == span->end || sign (self->tokens, k + 1) == '=' ||
                  sign (self->tokens, k + 1) == '['))
          return (int) i;
    }
  return -1;
}

/* A call's argument for a parameter of a function. */
gboolean
_cured_draft_find_call (const CuredHostSource *self, int function, int parameter,
                        CuredTokenSpan *span)
{
  const CuredHostFunction *where = &g_array_index (self->functions, CuredHostFunction, function);
  const CuredTokens *tokens = self->tokens;

  CURED_EACH_SAME (i, tokens, tokens, where->name)
    {
      guint open = i + 1;

      if (i == where->name)
        continue;
      if (sign (tokens, open) == '<')
        open = _cured_tokens_skip_angles (tokens, open, tokens->tokens->len);
      /* Bench bench (n); */
      if (is_word (tokens, open) && sign (tokens, open + 1) == '(')
        open++;
      if (sign (tokens, open) != '(' || match (tokens, open) == CURED_TOKEN_NONE)
        continue;
      g_autoptr (GArray) list = _cured_draft_split (tokens, open + 1, match (tokens, open),
                                                    _cured_draft_find_function_at (self, i));
      if ((int) list->len <= parameter)
        continue;
      *span = g_array_index (list, CuredTokenSpan, parameter);
      if (span->function >= 0 && span->function != function)
        return TRUE;
    }
  return FALSE;
}

/* The name of the class that the token is in; 0: it is in none. */
static guint
find_class (const CuredTokens *tokens, guint i)
{
  guint open = i;

  while (open > 0 && (sign (tokens, open) != '{' || match (tokens, open) == CURED_TOKEN_NONE ||
                      match (tokens, open) < i))
    open--;
  for (guint k = open; k > 0 && !_cured_draft_ends_statement (sign (tokens, k - 1)); k--)
    if ((is (tokens, k - 1, "struct") || is (tokens, k - 1, "class")) && is_word (tokens, k) &&
        sign (tokens, k + 1) != '>' && sign (tokens, k + 1) != ',')
      return k;
  return 0;
}

/* As _cured_draft_find_template_argument(), for the function's or class's template with the name at
 * @own. */
static gboolean
find_given (const CuredHostSource *self, guint own, int function, const CuredTokens *names,
            guint name, CuredTokenSpan *span)
{
  const CuredTokens *tokens = self->tokens;
  g_autoptr (GArray) list = NULL;
  guint open = CURED_TOKEN_NONE, number = G_MAXUINT;

  for (guint i = own; i > 0 && i + MAX_EXPR > own && open == CURED_TOKEN_NONE; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == ';' || c == '{' || c == '}')
        return FALSE;
      if (is (tokens, i - 1, "template") && sign (tokens, i) == '<')
        open = i;
    }
  if (open == CURED_TOKEN_NONE || _cured_tokens_skip_angles (tokens, open, own) <= open + 1)
    return FALSE;
  list =
      _cured_draft_split (tokens, open + 1, _cured_tokens_skip_angles (tokens, open, own) - 1, -1);
  for (guint i = 0; i < list->len && number == G_MAXUINT; i++)
    {
      CuredTokenSpan *parameter = &g_array_index (list, CuredTokenSpan, i);

      for (guint k = parameter->begin; k < parameter->end; k++)
        {
          if (sign (tokens, k) == '=')
            break;
          if (!is_word (tokens, k) || !_cured_draft_is_same (tokens, k, names, name))
            continue;
          number = i;
          *span = *parameter;
          span->begin = k + 1;
        }
    }
  if (number == G_MAXUINT)
    return FALSE;
  CURED_EACH_SAME (i, tokens, tokens, own)
    {
      if (i == own || sign (tokens, i + 1) != '<')
        continue;
      guint end = _cured_tokens_skip_angles (tokens, i + 1, tokens->tokens->len);
      /* A call, a launch, an object, Runner<float>::run (), or using Tile = Shape<16, 8>; */
      if (end <= i + 2 ||
          (sign (tokens, end) != '(' && sign (tokens, end) != '<' && sign (tokens, end) != ':' &&
           !is_word (tokens, end) && (function >= 0 || sign (tokens, end) != ';')))
        continue;
      g_autoptr (GArray) given =
          _cured_draft_split (tokens, i + 2, end - 1, _cured_draft_find_function_at (self, i));
      if (number >= given->len ||
          _cured_draft_is_same (tokens, g_array_index (given, CuredTokenSpan, number).begin, names,
                                name))
        continue;
      *span = g_array_index (given, CuredTokenSpan, number);
      return function < 0 || span->function != function;
    }
  /* template <int N = 256> */
  if (sign (tokens, span->begin) != '=')
    return FALSE;
  span->begin++;
  return span->begin < span->end;
}

/* The argument of a call for this parameter of a host's template, or the default: `launch<float,
 * 256> (…)`; for a class's function or constant, the argument of an object of the class or of an
 * alias: `Runner<float> r`. */
gboolean
_cured_draft_find_template_argument (const CuredHostSource *self, int function,
                                     const CuredTokens *names, guint name, CuredTokenSpan *span)
{
  guint own = name;

  if (function < 0 && names != self->tokens)
    return FALSE;
  if (function >= 0)
    {
      own = g_array_index (self->functions, CuredHostFunction, function).name;
      if (find_given (self, own, function, names, name, span))
        return TRUE;
    }
  own = find_class (self->tokens, own);
  return own > 0 && find_given (self, own, function, names, name, span);
}

/* The type that a call deduces for a parameter of the function's template: with `template <class F>
 * void run (int n, F f)`, that of `square` in `run (9, square);`, or of `Square ()`. */
static gboolean
find_deduced (const CuredHostSource *self, const CuredTokenSpan *span, CuredTokenSpan *type)
{
  const CuredTokens *tokens = self->tokens;
  const CuredHostFunction *function =
      span->function >= 0 ? &g_array_index (self->functions, CuredHostFunction, span->function)
                          : NULL;
  CuredDeclared declared;

  if (function == NULL)
    return FALSE;
  g_autoptr (GArray) list =
      _cured_draft_split (tokens, function->open + 1, match (tokens, function->open), -1);
  for (guint i = 0; i < list->len; i++)
    {
      const CuredTokenSpan *own = &g_array_index (list, CuredTokenSpan, i);
      guint k = own->begin;

      while (k + 1 < own->end && !_cured_draft_is_same (tokens, k, span->tokens, span->begin))
        k++;
      if (k + 1 >= own->end || !_cured_draft_find_call (self, span->function, (int) i, type) ||
          !is_word (tokens, type->begin))
        continue;
      if (type->end == type->begin + 1 &&
          _cured_draft_find_declaration (self, tokens, type->begin, type->function, type->begin,
                                         &declared))
        *type = declared.type;
      else
        {
          guint last = type->end;

          for (k = type->begin; is_word (tokens, k) || sign (tokens, k) == ':'; k++)
            if (sign (tokens, k + 1) == '<')
              k = _cured_tokens_skip_angles (tokens, k + 1, last) - 1;
          type->end = k;
          if (k >= last || match (tokens, k) + 1 != last)
            continue;
        }
      return TRUE;
    }
  return FALSE;
}

/* The type that a function names: `typedef double real;`, `using real = double;`. */
static gboolean
find_local_alias (const CuredHostSource *self, const CuredTokenSpan *span, CuredTokenSpan *type)
{
  const CuredTokens *tokens = self->tokens;

  CURED_EACH_SAME (i, tokens, span->tokens, span->begin)
    {
      gboolean is_using = is (tokens, i - 1, "using") && sign (tokens, i + 1) == '=';
      guint begin = is_using ? i + 2 : i, end = i;

      if (_cured_draft_find_function_at (self, i) < 0 || (!is_using && sign (tokens, i + 1) != ';'))
        continue;
      while (is_using && !_cured_draft_ends_statement (sign (tokens, end)))
        end++;
      while (!is_using && begin > 1 && !_cured_draft_ends_statement (sign (tokens, begin - 1)))
        begin--;
      if (!is_using && !is (tokens, begin++, "typedef"))
        continue;
      *type = (CuredTokenSpan){ tokens, begin, end, _cured_draft_find_function_at (self, i) };
      return end > begin;
    }
  return FALSE;
}

/* Replaces a type that is a parameter of the host's template by a call's argument, and a name that
 * only a function of the host knows. */
void
_cured_draft_follow_type (const CuredHostSource *self, CuredTokenSpan *span)
{
  CuredTokenSpan next;

  for (guint turn = 0; turn < 4 && span->end == span->begin + 1 &&
                       (_cured_draft_find_template_argument (self, span->function, span->tokens,
                                                             span->begin, &next) ||
                        find_deduced (self, span, &next) || find_local_alias (self, span, &next));
       turn++)
    *span = next;
}

/* The value returned by a call of a host function; the call must be the whole @span. */
gboolean
_cured_draft_find_returned (const CuredHostSource *self, const CuredTokenSpan *span,
                            CuredTokenSpan *value)
{
  const CuredTokens *tokens = self->tokens;

  if (span->begin + 1 >= span->end || !is_word (span->tokens, span->begin) ||
      sign (span->tokens, span->begin + 1) != '(' ||
      match (span->tokens, span->begin + 1) + 1 != span->end)
    return FALSE;
  g_autofree char *name = _cured_tokens_dup (span->tokens, span->begin);
  int function = _cured_draft_find_function (self, name);
  if (function < 0)
    return FALSE;
  for (guint open = g_array_index (self->functions, CuredHostFunction, function).body,
             i = match (tokens, open);
       i > open; i--)
    if (is (tokens, i, "return"))
      {
        *value = (CuredTokenSpan){ tokens, i + 1, i + 1, function };
        while (sign (tokens, value->end) != ';' && value->end < match (tokens, open))
          value->end++;
        return value->end > value->begin;
      }
  return FALSE;
}

/* ---- Launches ---- */

/* The kernel of that name; -1 if there is none. */
static int
find_kernel (const CuredHostSource *self, const CuredTokens *names, guint name)
{
  for (guint k = 0; k < self->functions->len; k++)
    {
      const CuredHostFunction *function = &g_array_index (self->functions, CuredHostFunction, k);

      if (function->is_device && _cured_draft_is_same (self->tokens, function->name, names, name) &&
          is_marked (self->tokens, function->name, "__global__"))
        return (int) k;
    }
  return -1;
}

/* Finds the kernel of an expression: `(void *) k<float>`, or a variable with that value. FALSE if
 * it can't be followed. */
static gboolean
find_target (const CuredHostSource *self, const CuredTokenSpan *span, guint depth,
             CuredHostLaunch *launch)
{
  const CuredTokens *tokens = span->tokens;
  gboolean is_found = FALSE;

  for (guint i = span->begin; i < span->end && !is_found; i++)
    {
      int kernel = is_word (tokens, i) ? find_kernel (self, tokens, i) : -1;

      if (kernel < 0)
        continue;
      launch->name = g_array_index (self->functions, CuredHostFunction, kernel).name;
      launch->arguments = launch->arguments_end = 0;
      is_found = TRUE;
      if (tokens != self->tokens || sign (tokens, i + 1) != '<')
        continue;
      launch->arguments = i + 1;
      launch->arguments_end = _cured_tokens_skip_angles (tokens, i + 1, span->end);
      if (launch->arguments_end <= launch->arguments + 1)
        launch->arguments = launch->arguments_end = 0;
    }
  for (guint i = span->end; i > span->begin && !is_found && depth < MAX_DEPTH; i--)
    {
      CuredTokenSpan next = { tokens, 0, 0, span->function };

      if (!is_word (tokens, i - 1))
        continue;
      g_autofree char *word = _cured_tokens_dup (tokens, i - 1);
      const CuredTokens *macro = g_hash_table_lookup (self->macros, word);
      if (macro != NULL)
        {
          next = (CuredTokenSpan){ macro, 0, macro->tokens->len, span->function };
          is_found = find_target (self, &next, depth + 1, launch);
        }
      if (is_found || tokens != self->tokens || span->function < 0)
        continue;
      if (_cured_draft_find_assignment (
              self, tokens, i - 1,
              g_array_index (self->functions, CuredHostFunction, span->function).body, i - 1, 0,
              &next))
        is_found = find_target (self, &next, depth + 1, launch);
      int parameter = _cured_draft_find_parameter (self, span->function, tokens, i - 1);
      if (!is_found && parameter >= 0 &&
          _cured_draft_find_call (self, span->function, parameter, &next))
        is_found = find_target (self, &next, depth + 1, launch);
    }
  return is_found;
}

/* For a launch of an unknown kernel: guesses a kernel with as many parameters that is not launched
 * otherwise. */
static void
guess_target (const CuredHostSource *self, CuredHostLaunch *launch)
{
  CURED_EACH (const CuredHostFunction, function, self->functions)
    {
      gboolean is_launched = FALSE;

      if (!function->is_device || !is_marked (self->tokens, function->name, "__global__"))
        continue;
      for (guint i = 0; i < self->launches->len && !is_launched; i++)
        is_launched = _cured_draft_is_same (self->tokens,
                                            g_array_index (self->launches, CuredHostLaunch, i).name,
                                            self->tokens, function->name);
      g_autoptr (GArray) list = _cured_draft_split (self->tokens, function->open + 1,
                                                    match (self->tokens, function->open), -1);
      if (is_launched || list->len != launch->n_given)
        continue;
      launch->name = function->name;
      launch->arguments = launch->arguments_end = 0;
      return;
    }
}

static guint
count_given (const CuredHostSource *self, const CuredHostLaunch *launch)
{
  g_autoptr (GArray) list = _cured_draft_split (
      self->tokens, launch->given + 1, match (self->tokens, launch->given), launch->function);

  return list->len - MIN (launch->n_skipped, list->len);
}

static void
add_launch (CuredHostSource *self, CuredHostLaunch *launch, const CuredTokenSpan *target)
{
  launch->n_given = count_given (self, launch);
  /* A kernel that another one launches has no size of its own. */
  if (self->launches->len >= MAX_LAUNCHES ||
      (launch->function >= 0 &&
       g_array_index (self->functions, CuredHostFunction, launch->function).is_device))
    return;
  if (!find_target (self, target, 0, launch))
    launch->name = target->end - 1;
  if (is_word (self->tokens, launch->name))
    g_array_append_val (self->launches, *launch);
}

/* k<int><<<grid, block>>> (…) */
static gboolean
read_chevrons (CuredHostSource *self, guint i, guint *end)
{
  const CuredTokens *tokens = self->tokens;
  CuredHostLaunch launch = { .chevron = i };
  CuredTokenSpan target = { tokens, i - 1, i, -1 };
  guint at = i - 1, depth = 0;

  if (i < 2 || i + 2 >= tokens->tokens->len || sign (tokens, i) != '<' ||
      sign (tokens, i + 1) != '<' || sign (tokens, i + 2) != '<')
    return FALSE;
  if (sign (tokens, at) == '>')
    {
      guint n = 0;

      for (; at > 0 && n < MAX_EXPR; at--, n++)
        {
          depth += sign (tokens, at) == '>';
          depth -= sign (tokens, at) == '<';
          if (depth == 0)
            break;
        }
      at = at > 0 ? at - 1 : 0;
    }
  /* kernels[i], (*kernel) */
  for (guint open = at; open > 0 && open + MAX_EXPR > at &&
                        strchr (")]", sign (tokens, at)) != NULL && sign (tokens, at) != 0;
       open--)
    if (match (tokens, open - 1) == at)
      {
        at = sign (tokens, at) == ']' && open > 1 ? open - 2 : open - 1;
        break;
      }
  target.begin = at;
  for (*end = i + 3; *end + 2 < tokens->tokens->len && *end < i + MAX_EXPR; (*end)++)
    {
      guint match = match (tokens, *end);

      if (match != CURED_TOKEN_NONE)
        *end = match;
      else if (sign (tokens, *end) == '>' && sign (tokens, *end + 1) == '>' &&
               sign (tokens, *end + 2) == '>')
        break;
    }
  if (sign (tokens, *end) != '>' || sign (tokens, *end + 3) != '(' ||
      match (tokens, *end + 3) == CURED_TOKEN_NONE)
    return FALSE;
  *end += 3;
  launch.function = target.function = _cured_draft_find_function_at (self, i);
  launch.given = *end;
  g_autoptr (GArray) shape = _cured_draft_split (tokens, i + 3, *end - 3, launch.function);
  if (shape->len >= 2)
    {
      launch.grid = g_array_index (shape, CuredTokenSpan, 0);
      launch.block = g_array_index (shape, CuredTokenSpan, 1);
    }
  if (shape->len >= 3)
    launch.shared = g_array_index (shape, CuredTokenSpan, 2);
  add_launch (self, &launch, &target);
  return TRUE;
}

/* cudaLaunchKernel (k, grid, block, arguments, shared, stream) */
static gboolean
read_launch_call (CuredHostSource *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  CuredHostLaunch launch = { .chevron = i, .is_given_by_address = TRUE };
  g_autoptr (GArray) list = NULL;
  CuredTokenSpan value;

  if (!(is (tokens, i, "cudaLaunchKernel") || is (tokens, i, "cudaLaunchCooperativeKernel")))
    return FALSE;
  if (sign (tokens, i + 1) != '(' || match (tokens, i + 1) == CURED_TOKEN_NONE)
    return FALSE;
  launch.is_cooperative = is (tokens, i, "cudaLaunchCooperativeKernel");
  launch.function = _cured_draft_find_function_at (self, i);
  list = _cured_draft_split (tokens, i + 2, match (tokens, i + 1), launch.function);
  if (list->len < 4 || launch.function < 0)
    return FALSE;
  launch.grid = g_array_index (list, CuredTokenSpan, 1);
  launch.block = g_array_index (list, CuredTokenSpan, 2);
  if (list->len > 4)
    launch.shared = g_array_index (list, CuredTokenSpan, 4);
  const CuredTokenSpan *array = &g_array_index (list, CuredTokenSpan, 3);
  /* (void **) arguments */
  for (guint k = array->end; k > array->begin && launch.given == 0; k--)
    if (is_word (tokens, k - 1) &&
        _cured_draft_find_assignment (
            self, tokens, k - 1,
            g_array_index (self->functions, CuredHostFunction, launch.function).body, i, 0,
            &value) &&
        sign (tokens, value.begin) == '{' && match (tokens, value.begin) != CURED_TOKEN_NONE)
      launch.given = value.begin;
  if (launch.given == 0)
    return FALSE;
  add_launch (self, &launch, &g_array_index (list, CuredTokenSpan, 0));
  return TRUE;
}

/* The value assigned to a member, `gridDim` or `in.n`, of a launch's configuration or argument, in
 * its function. */
gboolean
_cured_draft_find_member (const CuredHostSource *self, const CuredTokens *names, guint name,
                          const char *member, guint begin, guint before, CuredTokenSpan *span)
{
  const CuredTokens *tokens = self->tokens;
  g_autoptr (CuredTokens) path = _cured_tokens_new (member);
  guint n = path->tokens->len;

  for (guint i = before; n > 0 && i > begin + n + 1; i--)
    {
      guint k = 0, object = i - n - 2;

      if (sign (tokens, i) != '=' || sign (tokens, i + 1) == '=' ||
          sign (tokens, object + 1) != '.' || !is_word (tokens, object) ||
          !_cured_draft_is_same (tokens, object, names, name) ||
          /* A member of that name. */
          (sign (tokens, object - 1) == '.' && name > 0 && sign (names, name - 1) != '.'))
        continue;
      while (k < n && _cured_draft_is_same (tokens, i - n + k, path, k))
        k++;
      if (k < n)
        continue;
      span->tokens = tokens;
      span->begin = i + 1;
      span->end = _cured_draft_find_value_end (tokens, i + 1);
      skip_targets (span);
      return TRUE;
    }
  return FALSE;
}

/* cudaLaunchKernelEx (&config, k, arguments…) */
static gboolean
read_launch_ex (CuredHostSource *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  CuredHostLaunch launch = { .chevron = i, .given = i + 1, .n_skipped = 2 };
  g_autoptr (GArray) list = NULL;
  guint body;

  if (!is (tokens, i, "cudaLaunchKernelEx") || sign (tokens, i + 1) != '(' ||
      match (tokens, i + 1) == CURED_TOKEN_NONE)
    return FALSE;
  launch.function = _cured_draft_find_function_at (self, i);
  list = _cured_draft_split (tokens, i + 2, match (tokens, i + 1), launch.function);
  if (list->len < 2 || launch.function < 0)
    return FALSE;
  const CuredTokenSpan *config = &g_array_index (list, CuredTokenSpan, 0);
  body = g_array_index (self->functions, CuredHostFunction, launch.function).body;
  launch.grid.function = launch.block.function = launch.shared.function = launch.function;
  if (!_cured_draft_find_member (self, tokens, config->end - 1, "gridDim", body, i, &launch.grid) ||
      !_cured_draft_find_member (self, tokens, config->end - 1, "blockDim", body, i, &launch.block))
    return FALSE;
  _cured_draft_find_member (self, tokens, config->end - 1, "dynamicSmemBytes", body, i,
                            &launch.shared);
  add_launch (self, &launch, &g_array_index (list, CuredTokenSpan, 1));
  return TRUE;
}

static void
read_launches (CuredHostSource *self)
{
  for (guint i = 0; i < self->tokens->tokens->len; i++)
    {
      guint end = i;

      if (read_chevrons (self, i, &end))
        i = end;
      else if (!read_launch_call (self, i))
        read_launch_ex (self, i);
    }
  CURED_EACH (CuredHostLaunch, launch, self->launches)
    if (find_kernel (self, self->tokens, launch->name) < 0)
      guess_target (self, launch);
}

/* (transfer full) (element-type CuredTokenSpan): the launch's arguments. */
GArray *
_cured_draft_get_given (const CuredHostSource *self, const CuredHostLaunch *launch)
{
  const CuredTokens *tokens = self->tokens;
  GArray *list = _cured_draft_split (tokens, launch->given + 1, match (tokens, launch->given),
                                     launch->function);

  g_array_remove_range (list, 0, MIN (launch->n_skipped, list->len));
  for (guint i = 0; i < list->len && launch->is_given_by_address; i++)
    {
      CuredTokenSpan *span = &g_array_index (list, CuredTokenSpan, i);
      guint name = span->begin;

      /* (void *) &n, (void *) (&n) */
      while (name < span->end && sign (tokens, name) != '&')
        name++;
      if (name >= span->end)
        continue;
      if (name > span->begin && match (tokens, name - 1) < span->end)
        span->end = match (tokens, name - 1);
      span->begin = name + 1;
    }
  return list;
}

/* SPDX-License-Identifier: MIT
 * Drafts headers from the host code of a CUDA source: how its kernels are launched, on how much
 * memory, and with which numbers.
 *
 * No interpreter: a name is what was last assigned to it above, what a call of the function gives
 * its parameter, a macro or a constant, and where all of that says nothing, it becomes a parameter
 * of the kernel file. The sources are other people's, so that each search is bounded. */
#include "config.h"

#include "draft/cured-header-draft-internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-expr-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-tokens-internal.h"

#define MAX_FUNCTIONS 512
#define MAX_LAUNCHES  64
#define MAX_DEPTH     12
#define MAX_EXPR      512
#define MAX_NODES     4096
#define MAX_MACROS    1024
/* Too many elements for a quick check. */
#define LARGE 4096
/* Too many for any. */
#define HUGE_SIZE (1 << 24)

/* A piece of the source, in the function of this index; -1: in none. */
typedef struct
{
  const CuredTokens *tokens;
  guint begin;
  guint end;
  int function;
} Span;

/* A function with its body. */
typedef struct
{
  guint name;
  guint open; /* of its parameters */
  guint body; /* its braces */
  gboolean is_device;
} Function;

typedef struct
{
  guint name;          /* of the kernel */
  guint arguments;     /* template's: index of `<`, or 0 */
  guint arguments_end; /* one behind its `>` */
  guint chevron;       /* where it stands: the first `<` of `<<<`, or a call */
  int function;        /* that it is in */
  Span grid;
  Span block;
  Span shared; /* empty: none */
  /* A list of what the kernel is given, from its opening bracket on; that of cudaLaunchKernel ()
   * has addresses. */
  guint given;
  guint n_skipped; /* of the list, which are no arguments */
  gboolean is_given_by_address;
  gboolean is_cooperative;
  guint n_given;
} Launch;

typedef struct
{
  char *source; /* as the preprocessor leaves it, as far as that is known */
  CuredTokens *tokens;
  GArray *functions;  /* (element-type Function) */
  GArray *launches;   /* (element-type Launch) */
  GHashTable *macros; /* name → CuredTokens of its text */
  GPtrArray *texts;   /* (element-type utf8): of the macros */
} Source;

/* While one launch is drafted. */
typedef struct
{
  Source *source;
  CuredHeaderDraft *draft;
  const CuredDraftFunction *kernel;
  const Launch *launch;
  guint nodes;      /* what was looked at: an end for what has none */
  gboolean is_flat; /* one dimension */
} Draft;

/* An expression in a kernel file's language. */
typedef struct
{
  GString *text;
  gboolean is_real;
} Value;

static gboolean translate (Draft *self, const Span *span, guint depth, Value *value);
static void read_launches (Source *self);

/* ---- Words ---- */

#define is(tokens, i, word) _cured_tokens_is (tokens, i, word)
#define sign(tokens, i)     _cured_tokens_get_sign (tokens, i)

static gboolean
is_word (const CuredTokens *tokens, guint i)
{
  return i < tokens->tokens->len && CURED_TOKEN (tokens, i)->kind == CURED_TOKEN_WORD;
}

static gboolean
is_same (const CuredTokens *tokens, guint i, const CuredTokens *others, guint k)
{
  const CuredSourceToken *a = CURED_TOKEN (tokens, i);
  const CuredSourceToken *b = CURED_TOKEN (others, k);

  return a->end - a->begin == b->end - b->begin &&
         strncmp (tokens->text + a->begin, others->text + b->begin, a->end - a->begin) == 0;
}

static guint
get_match (const CuredTokens *tokens, guint i)
{
  return i < tokens->tokens->len ? CURED_TOKEN (tokens, i)->match : CURED_TOKEN_NONE;
}

static gboolean
is_adjacent (const CuredTokens *tokens, guint i)
{
  return i + 1 < tokens->tokens->len &&
         CURED_TOKEN (tokens, i)->end == CURED_TOKEN (tokens, i + 1)->begin;
}

/* The pieces of a list between @begin and @end, at its commas. */
static GArray *
split (const CuredTokens *tokens, guint begin, guint end, int function)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  guint first = begin;

  for (guint i = begin; i <= end && i <= tokens->tokens->len; i++)
    {
      guint match = i < end ? get_match (tokens, i) : CURED_TOKEN_NONE;

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
          Span span = { tokens, first, i, function };

          if (i > first || i < end)
            g_array_append_val (spans, span);
          first = i + 1;
        }
    }
  return spans;
}

/* ---- Reading the source ---- */

static void
read_macro (Source *self, const CuredDirective *line)
{
  gsize at = line->begin + 1;
  gsize begin;
  CuredTokens *tokens;
  char *text;

  at += strspn (self->source + at, " \t");
  if (strncmp (self->source + at, "define", 6) != 0 ||
      g_hash_table_size (self->macros) >= MAX_MACROS)
    return;
  at += 6;
  at += strspn (self->source + at, " \t");
  begin = at;
  while (g_ascii_isalnum (self->source[at]) || self->source[at] == '_')
    at++;
  /* With arguments: a function, more or less. */
  if (at >= line->end || at == begin || self->source[at] == '(' || line->end - at > MAX_EXPR)
    return;
  text = g_strndup (self->source + at, line->end - at);
  g_ptr_array_add (self->texts, text);
  tokens = _cured_tokens_new (text);
  g_hash_table_replace (self->macros, g_strndup (self->source + begin, at - begin), tokens);
}

static gboolean
is_statement (const CuredTokens *tokens, guint i)
{
  return is (tokens, i, "if") || is (tokens, i, "for") || is (tokens, i, "while") ||
         is (tokens, i, "switch") || is (tokens, i, "catch") || is (tokens, i, "return") ||
         is (tokens, i, "sizeof");
}

/* Whether what stands in front of a function's name says so. */
static gboolean
is_for_device (const CuredTokens *tokens, guint name)
{
  for (guint i = name; i > 0 && i + MAX_EXPR > name; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == ';' || c == '{' || c == '}')
        return FALSE;
      if (is (tokens, i - 1, "__global__") || is (tokens, i - 1, "__device__"))
        return TRUE;
    }
  return FALSE;
}

/* Whether the function is a kernel. */
static gboolean
is_global (const CuredTokens *tokens, guint name)
{
  for (guint i = name; i > 0 && i + MAX_EXPR > name; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == ';' || c == '{' || c == '}')
        return FALSE;
      if (is (tokens, i - 1, "__global__"))
        return TRUE;
    }
  return FALSE;
}

static void
read_functions (Source *self)
{
  const CuredTokens *tokens = self->tokens;

  for (guint i = 0; i < tokens->tokens->len; i++)
    {
      Function function = { .name = i, .open = i + 1 };
      guint at;

      if (!is_word (tokens, i) || sign (tokens, i + 1) != '(' || is_statement (tokens, i) ||
          get_match (tokens, i + 1) == CURED_TOKEN_NONE)
        continue;
      at = get_match (tokens, i + 1) + 1;
      while (is (tokens, at, "const") || is (tokens, at, "noexcept"))
        at++;
      if (sign (tokens, at) != '{' || get_match (tokens, at) == CURED_TOKEN_NONE)
        continue;
      function.body = at;
      function.is_device = is_for_device (tokens, i);
      if (self->functions->len < MAX_FUNCTIONS)
        g_array_append_val (self->functions, function);
      i = get_match (tokens, at);
    }
}

static int
find_function_at (const Source *self, guint token)
{
  guint low = 0;
  guint high = self->functions->len;

  /* They stand one behind the other. */
  while (low < high)
    {
      guint middle = (low + high) / 2;
      const Function *function = &g_array_index (self->functions, Function, middle);

      if (token <= function->body)
        high = middle;
      else if (token < get_match (self->tokens, function->body))
        return (int) middle;
      else
        low = middle + 1;
    }
  return -1;
}

static void
source_clear (Source *self)
{
  g_clear_pointer (&self->source, g_free);
  g_clear_pointer (&self->tokens, _cured_tokens_free);
  g_clear_pointer (&self->functions, g_array_unref);
  g_clear_pointer (&self->launches, g_array_unref);
  g_clear_pointer (&self->macros, g_hash_table_unref);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static void
source_init (Source *self, const char *source, const char *context)
{
  g_autofree char *whole =
      context != NULL ? g_strconcat (context, "\n", source, NULL) : g_strdup (source);

  self->source = _cured_tokens_choose (whole);
  self->tokens = _cured_tokens_new (self->source);
  self->functions = g_array_new (FALSE, FALSE, sizeof (Function));
  self->launches = g_array_new (FALSE, FALSE, sizeof (Launch));
  self->macros =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) _cured_tokens_free);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->tokens->directives->len; i++)
    read_macro (self, &g_array_index (self->tokens->directives, CuredDirective, i));
  read_functions (self);
  read_launches (self);
}

/* ---- What a name is ---- */

/* Where a value begins that is given to a variable at @i: `int n = 3`, `n = 3`, `dim3 b (3)`; 0:
 * nothing is. */
static guint
find_value (const CuredTokens *tokens, guint i)
{
  char before = i > 0 ? sign (tokens, i - 1) : 0;
  char after = sign (tokens, i + 1);

  if (after == '=' && sign (tokens, i + 2) != '=' && before != '.' &&
      !(before == '>' && sign (tokens, i - 2) == '-'))
    return i + 2;
  /* void (*f) (int) = k; void (*list[]) (int) = { k }; */
  if (before == '*' && (after == ')' || after == '['))
    {
      guint close = after == ')' ? i + 1 : get_match (tokens, i + 1) + 1;

      if (sign (tokens, close) == ')' && sign (tokens, close + 1) == '(' &&
          get_match (tokens, close + 1) != CURED_TOKEN_NONE &&
          sign (tokens, get_match (tokens, close + 1) + 1) == '=')
        return get_match (tokens, close + 1) + 2;
    }
  /* void *arguments[] = { … }; */
  if (after == '[' && get_match (tokens, i + 1) != CURED_TOKEN_NONE &&
      sign (tokens, get_match (tokens, i + 1) + 1) == '=' &&
      sign (tokens, get_match (tokens, i + 1) + 2) == '{')
    return get_match (tokens, i + 1) + 2;
  /* dim3 grid (4), block (5) */
  if ((after == '(' || after == '{') && i > 0 && (is_word (tokens, i - 1) || before == ',') &&
      !is_statement (tokens, i - 1) && get_match (tokens, i + 1) != CURED_TOKEN_NONE)
    return i + 1;
  return 0;
}

static guint
find_value_end (const CuredTokens *tokens, guint i)
{
  guint limit = MIN (tokens->tokens->len, i + MAX_EXPR);

  for (; i < limit; i++)
    {
      char c = sign (tokens, i);

      if (c == ';' || c == ',' || c == ')' || c == '}')
        return i;
      if (get_match (tokens, i) != CURED_TOKEN_NONE)
        i = get_match (tokens, i);
    }
  return i;
}

/* The last place before @before, in the function, that gives @name a value. The one before it where
 * @nth is 1, and so on. */
static gboolean
find_assignment (const Source *self, const CuredTokens *names, guint name, guint begin,
                 guint before, guint nth, Span *span)
{
  const CuredTokens *tokens = self->tokens;

  for (guint i = MIN (before, tokens->tokens->len); i > begin; i--)
    {
      guint value;

      if (!is_word (tokens, i - 1) || !is_same (tokens, i - 1, names, name))
        continue;
      value = find_value (tokens, i - 1);
      /* n = n / 2: what it was before. */
      if (value == 0 || (value <= before && before < find_value_end (tokens, value)) || nth-- > 0)
        continue;
      span->tokens = tokens;
      span->begin = value;
      span->end = find_value_end (tokens, value);
      /* dim3 grid (4, 4): both brackets. */
      if (value == i && get_match (tokens, value) != CURED_TOKEN_NONE)
        span->end = get_match (tokens, value) + 1;
      return TRUE;
    }
  return FALSE;
}

/* The number of a function's parameter of this name, -1 where it has none. */
static int
find_parameter (const Source *self, int function, const CuredTokens *names, guint name)
{
  const Function *where;
  g_autoptr (GArray) list = NULL;

  if (function < 0)
    return -1;
  where = &g_array_index (self->functions, Function, function);
  list = split (self->tokens, where->open + 1, get_match (self->tokens, where->open), function);
  for (guint i = 0; i < list->len; i++)
    {
      const Span *span = &g_array_index (list, Span, i);

      for (guint k = span->begin; k < span->end; k++)
        if (sign (self->tokens, k) == '=')
          break;
        else if (is_word (self->tokens, k) && is_same (self->tokens, k, names, name) &&
                 (k + 1 == span->end || sign (self->tokens, k + 1) == '=' ||
                  sign (self->tokens, k + 1) == '['))
          return (int) i;
    }
  return -1;
}

/* What a call gives the parameter of a function. */
static gboolean
find_call (const Source *self, int function, int parameter, Span *span)
{
  const Function *where = &g_array_index (self->functions, Function, function);
  const CuredTokens *tokens = self->tokens;

  for (guint i = 0; i + 1 < tokens->tokens->len; i++)
    {
      guint open = i + 1;
      g_autoptr (GArray) list = NULL;

      if (i == where->name || !is_word (tokens, i) || !is_same (tokens, i, tokens, where->name))
        continue;
      if (sign (tokens, open) == '<')
        open = _cured_tokens_skip_angles (tokens, open, tokens->tokens->len);
      if (sign (tokens, open) != '(' || get_match (tokens, open) == CURED_TOKEN_NONE)
        continue;
      list = split (tokens, open + 1, get_match (tokens, open), find_function_at (self, i));
      if ((int) list->len <= parameter)
        continue;
      *span = g_array_index (list, Span, parameter);
      if (span->function >= 0 && span->function != function)
        return TRUE;
    }
  return FALSE;
}

/* What a call of a host's template gives its parameter of this name, or what the template does:
 * `launch<float, 256> (…)`. */
static gboolean
find_template_argument (const Source *self, int function, const CuredTokens *names, guint name,
                        Span *span)
{
  const CuredTokens *tokens = self->tokens;
  g_autoptr (GArray) list = NULL;
  guint open = CURED_TOKEN_NONE;
  guint number = G_MAXUINT;
  guint own;

  if (function < 0)
    return FALSE;
  own = g_array_index (self->functions, Function, function).name;
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
  list = split (tokens, open + 1, _cured_tokens_skip_angles (tokens, open, own) - 1, -1);
  for (guint i = 0; i < list->len && number == G_MAXUINT; i++)
    {
      Span *parameter = &g_array_index (list, Span, i);

      for (guint k = parameter->begin; k < parameter->end; k++)
        {
          if (sign (tokens, k) == '=')
            break;
          if (!is_word (tokens, k) || !is_same (tokens, k, names, name))
            continue;
          number = i;
          *span = *parameter;
          span->begin = k + 1;
        }
    }
  if (number == G_MAXUINT)
    return FALSE;
  for (guint i = 0; i + 1 < tokens->tokens->len; i++)
    {
      g_autoptr (GArray) given = NULL;
      guint end;

      if (i == own || sign (tokens, i + 1) != '<' || !is_word (tokens, i) ||
          !is_same (tokens, i, tokens, own))
        continue;
      end = _cured_tokens_skip_angles (tokens, i + 1, tokens->tokens->len);
      if (end <= i + 2 || sign (tokens, end) != '(')
        continue;
      given = split (tokens, i + 2, end - 1, find_function_at (self, i));
      if (number >= given->len)
        continue;
      *span = g_array_index (given, Span, number);
      return span->function != function;
    }
  /* template <int N = 256> */
  if (sign (tokens, span->begin) != '=')
    return FALSE;
  span->begin++;
  return span->begin < span->end;
}

/* A type that is a parameter of the host's template is what a call says. */
static void
follow_type (const Source *self, Span *span)
{
  Span next;

  for (guint turn = 0;
       turn < 4 && span->end == span->begin + 1 &&
       find_template_argument (self, span->function, span->tokens, span->begin, &next);
       turn++)
    *span = next;
}

/* ---- Launches ---- */

/* The kernel that is called so; -1: none is. */
static int
find_kernel (const Source *self, const CuredTokens *names, guint name)
{
  for (guint k = 0; k < self->functions->len; k++)
    {
      const Function *function = &g_array_index (self->functions, Function, k);

      if (function->is_device && is_same (self->tokens, function->name, names, name) &&
          is_global (self->tokens, function->name))
        return (int) k;
    }
  return -1;
}

/* Which kernel an expression means: `(void *) k<float>`, or the name of what the host gave that
 * value. FALSE: that can't be followed. */
static gboolean
find_target (const Source *self, const Span *span, guint depth, Launch *launch)
{
  const CuredTokens *tokens = span->tokens;
  gboolean is_found = FALSE;

  for (guint i = span->begin; i < span->end && !is_found; i++)
    {
      int kernel = is_word (tokens, i) ? find_kernel (self, tokens, i) : -1;

      if (kernel < 0)
        continue;
      launch->name = g_array_index (self->functions, Function, kernel).name;
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
      const CuredTokens *macro = NULL;
      g_autofree char *word = NULL;
      int parameter;
      Span next = { tokens, 0, 0, span->function };

      if (!is_word (tokens, i - 1))
        continue;
      word = _cured_tokens_dup (tokens, i - 1);
      macro = g_hash_table_lookup (self->macros, word);
      if (macro != NULL)
        {
          next = (Span){ macro, 0, macro->tokens->len, span->function };
          is_found = find_target (self, &next, depth + 1, launch);
        }
      if (is_found || tokens != self->tokens || span->function < 0)
        continue;
      if (find_assignment (self, tokens, i - 1,
                           g_array_index (self->functions, Function, span->function).body, i - 1, 0,
                           &next))
        is_found = find_target (self, &next, depth + 1, launch);
      parameter = find_parameter (self, span->function, tokens, i - 1);
      if (!is_found && parameter >= 0 && find_call (self, span->function, parameter, &next))
        is_found = find_target (self, &next, depth + 1, launch);
    }
  return is_found;
}

/* A kernel that takes as many arguments as a launch gives one of which nothing else is known, and
 * that nothing else launches. */
static void
guess_target (const Source *self, Launch *launch)
{
  for (guint k = 0; k < self->functions->len; k++)
    {
      const Function *function = &g_array_index (self->functions, Function, k);
      g_autoptr (GArray) list = NULL;
      gboolean is_launched = FALSE;

      if (!function->is_device || !is_global (self->tokens, function->name))
        continue;
      for (guint i = 0; i < self->launches->len && !is_launched; i++)
        is_launched = is_same (self->tokens, g_array_index (self->launches, Launch, i).name,
                               self->tokens, function->name);
      list = split (self->tokens, function->open + 1, get_match (self->tokens, function->open), -1);
      if (is_launched || list->len != launch->n_given)
        continue;
      launch->name = function->name;
      launch->arguments = launch->arguments_end = 0;
      return;
    }
}

static guint
count_given (const Source *self, const Launch *launch)
{
  g_autoptr (GArray) list = split (self->tokens, launch->given + 1,
                                   get_match (self->tokens, launch->given), launch->function);

  return list->len - MIN (launch->n_skipped, list->len);
}

static void
add_launch (Source *self, Launch *launch, const Span *target)
{
  launch->n_given = count_given (self, launch);
  /* A kernel that another one launches has no size of its own. */
  if (self->launches->len >= MAX_LAUNCHES ||
      (launch->function >= 0 &&
       g_array_index (self->functions, Function, launch->function).is_device))
    return;
  if (!find_target (self, target, 0, launch))
    launch->name = target->end - 1;
  if (is_word (self->tokens, launch->name))
    g_array_append_val (self->launches, *launch);
}

/* k<int><<<grid, block>>> (…) */
static gboolean
read_chevrons (Source *self, guint i, guint *end)
{
  const CuredTokens *tokens = self->tokens;
  Launch launch = { .chevron = i };
  Span target = { tokens, i - 1, i, -1 };
  guint at = i - 1;
  guint depth = 0;
  g_autoptr (GArray) shape = NULL;

  if (i < 2 || i + 2 >= tokens->tokens->len || sign (tokens, i) != '<' ||
      sign (tokens, i + 1) != '<' || sign (tokens, i + 2) != '<' || !is_adjacent (tokens, i) ||
      !is_adjacent (tokens, i + 1))
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
    if (get_match (tokens, open - 1) == at)
      {
        at = sign (tokens, at) == ']' && open > 1 ? open - 2 : open - 1;
        break;
      }
  target.begin = at;
  for (*end = i + 3; *end + 2 < tokens->tokens->len && *end < i + MAX_EXPR; (*end)++)
    {
      guint match = get_match (tokens, *end);

      if (match != CURED_TOKEN_NONE)
        *end = match;
      else if (sign (tokens, *end) == '>' && sign (tokens, *end + 1) == '>' &&
               sign (tokens, *end + 2) == '>')
        break;
    }
  if (sign (tokens, *end) != '>' || sign (tokens, *end + 3) != '(' ||
      get_match (tokens, *end + 3) == CURED_TOKEN_NONE)
    return FALSE;
  *end += 3;
  launch.function = target.function = find_function_at (self, i);
  launch.given = *end;
  shape = split (tokens, i + 3, *end - 3, launch.function);
  if (shape->len >= 2)
    {
      launch.grid = g_array_index (shape, Span, 0);
      launch.block = g_array_index (shape, Span, 1);
    }
  if (shape->len >= 3)
    launch.shared = g_array_index (shape, Span, 2);
  add_launch (self, &launch, &target);
  return TRUE;
}

/* cudaLaunchKernel (k, grid, block, arguments, shared, stream) */
static gboolean
read_launch_call (Source *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  Launch launch = { .chevron = i, .is_given_by_address = TRUE };
  g_autoptr (GArray) list = NULL;
  const Span *array;
  Span value;

  if (!(is (tokens, i, "cudaLaunchKernel") || is (tokens, i, "cudaLaunchCooperativeKernel")))
    return FALSE;
  if (sign (tokens, i + 1) != '(' || get_match (tokens, i + 1) == CURED_TOKEN_NONE)
    return FALSE;
  launch.is_cooperative = is (tokens, i, "cudaLaunchCooperativeKernel");
  launch.function = find_function_at (self, i);
  list = split (tokens, i + 2, get_match (tokens, i + 1), launch.function);
  if (list->len < 4 || launch.function < 0)
    return FALSE;
  launch.grid = g_array_index (list, Span, 1);
  launch.block = g_array_index (list, Span, 2);
  if (list->len > 4)
    launch.shared = g_array_index (list, Span, 4);
  array = &g_array_index (list, Span, 3);
  /* (void **) arguments */
  for (guint k = array->end; k > array->begin && launch.given == 0; k--)
    if (is_word (tokens, k - 1) &&
        find_assignment (self, tokens, k - 1,
                         g_array_index (self->functions, Function, launch.function).body, i, 0,
                         &value) &&
        sign (tokens, value.begin) == '{' && get_match (tokens, value.begin) != CURED_TOKEN_NONE)
      launch.given = value.begin;
  if (launch.given == 0)
    return FALSE;
  add_launch (self, &launch, &g_array_index (list, Span, 0));
  return TRUE;
}

/* What is assigned to a member of a launch's configuration, in its function. */
static gboolean
find_member (const Source *self, const CuredTokens *names, guint name, const char *member,
             guint begin, guint before, Span *span)
{
  const CuredTokens *tokens = self->tokens;

  for (guint i = before; i > begin + 2; i--)
    if (is (tokens, i - 1, member) && sign (tokens, i - 2) == '.' && is_word (tokens, i - 3) &&
        is_same (tokens, i - 3, names, name) && sign (tokens, i) == '=')
      {
        span->tokens = tokens;
        span->begin = i + 1;
        span->end = find_value_end (tokens, i + 1);
        return TRUE;
      }
  return FALSE;
}

/* cudaLaunchKernelEx (&config, k, arguments…) */
static gboolean
read_launch_ex (Source *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  Launch launch = { .chevron = i, .given = i + 1, .n_skipped = 2 };
  g_autoptr (GArray) list = NULL;
  const Span *config;
  guint body;

  if (!is (tokens, i, "cudaLaunchKernelEx") || sign (tokens, i + 1) != '(' ||
      get_match (tokens, i + 1) == CURED_TOKEN_NONE)
    return FALSE;
  launch.function = find_function_at (self, i);
  list = split (tokens, i + 2, get_match (tokens, i + 1), launch.function);
  if (list->len < 2 || launch.function < 0)
    return FALSE;
  config = &g_array_index (list, Span, 0);
  body = g_array_index (self->functions, Function, launch.function).body;
  launch.grid.function = launch.block.function = launch.shared.function = launch.function;
  if (!find_member (self, tokens, config->end - 1, "gridDim", body, i, &launch.grid) ||
      !find_member (self, tokens, config->end - 1, "blockDim", body, i, &launch.block))
    return FALSE;
  find_member (self, tokens, config->end - 1, "dynamicSmemBytes", body, i, &launch.shared);
  add_launch (self, &launch, &g_array_index (list, Span, 1));
  return TRUE;
}

static void
read_launches (Source *self)
{
  for (guint i = 0; i < self->tokens->tokens->len; i++)
    {
      guint end = i;

      if (read_chevrons (self, i, &end))
        i = end;
      else if (!read_launch_call (self, i))
        read_launch_ex (self, i);
    }
  for (guint i = 0; i < self->launches->len; i++)
    {
      Launch *launch = &g_array_index (self->launches, Launch, i);

      if (find_kernel (self, self->tokens, launch->name) < 0)
        guess_target (self, launch);
    }
}

/* What a launch gives the kernel. (transfer full) (element-type Span) */
static GArray *
get_given (const Source *self, const Launch *launch)
{
  const CuredTokens *tokens = self->tokens;
  GArray *list =
      split (tokens, launch->given + 1, get_match (tokens, launch->given), launch->function);

  g_array_remove_range (list, 0, MIN (launch->n_skipped, list->len));
  for (guint i = 0; i < list->len && launch->is_given_by_address; i++)
    {
      Span *span = &g_array_index (list, Span, i);
      guint name = span->begin;

      /* (void *) &n, (void *) (&n) */
      while (name < span->end && sign (tokens, name) != '&')
        name++;
      if (name >= span->end)
        continue;
      if (name > span->begin && get_match (tokens, name - 1) < span->end)
        span->end = get_match (tokens, name - 1);
      span->begin = name + 1;
    }
  return list;
}

/* ---- Types ---- */

static gsize get_type_size (Draft *self, const CuredTokens *tokens, guint begin, guint end,
                            guint depth);

/* The fields of `struct NAME { … }`, as C lays them out. */
static gsize
get_struct_size (Draft *self, const CuredTokens *names, guint name, guint depth)
{
  const CuredTokens *tokens = self->source->tokens;

  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    {
      gsize size = 0;
      gsize widest = 1;
      guint open = i + 2;
      guint last;

      if (!(is (tokens, i, "struct") || is (tokens, i, "class")))
        continue;
      if (is_word (tokens, i + 1) && is_same (tokens, i + 1, names, name))
        ;
      /* typedef struct { … } NAME; */
      else if (sign (tokens, i + 1) == '{' && get_match (tokens, i + 1) != CURED_TOKEN_NONE &&
               is_word (tokens, get_match (tokens, i + 1) + 1) &&
               is_same (tokens, get_match (tokens, i + 1) + 1, names, name))
        open = i + 1;
      else
        continue;
      if (sign (tokens, open) != '{' || get_match (tokens, open) == CURED_TOKEN_NONE)
        continue;
      last = get_match (tokens, open);
      for (guint at = open + 1; at < last;)
        {
          guint end = at;
          guint names_begin;
          gsize field;

          while (end < last && sign (tokens, end) != ';' && sign (tokens, end) != '(' &&
                 sign (tokens, end) != '{')
            end++;
          if (end >= last || sign (tokens, end) != ';')
            return 0;
          /* The type, and then names with commas. */
          for (names_begin = at; names_begin < end; names_begin++)
            if (sign (tokens, names_begin + 1) == ',' || sign (tokens, names_begin + 1) == ';' ||
                sign (tokens, names_begin + 1) == '[')
              break;
          field = get_type_size (self, tokens, at, names_begin, depth + 1);
          if (field == 0)
            return 0;
          for (guint k = names_begin; k < end; k++)
            if (is_word (tokens, k) && sign (tokens, k - 1) != '[')
              {
                gsize align = MIN (field, 16);

                if (field == 12)
                  align = 4;
                if (sign (tokens, k + 1) == '[' || size > 1 << 20)
                  return 0;
                widest = MAX (widest, align);
                size = (size + align - 1) / align * align + field;
              }
          at = end + 1;
        }
      return (size + widest - 1) / widest * widest;
    }
  return 0;
}

/* Bytes of a type; 0: not known. */
static gsize
get_type_size (Draft *self, const CuredTokens *tokens, guint begin, guint end, guint depth)
{
  g_autoptr (GString) name = g_string_new (NULL);
  guint last = begin;
  gsize size;

  if (depth > MAX_DEPTH || self->nodes++ > MAX_NODES)
    return 0;
  for (guint i = begin; i < end; i++)
    {
      if (sign (tokens, i) == '*')
        return 8;
      if (!is_word (tokens, i))
        continue;
      if (!is (tokens, i, "const") && !is (tokens, i, "struct") && !is (tokens, i, "std") &&
          !is (tokens, i, "volatile"))
        {
          g_autofree char *word = _cured_tokens_dup (tokens, i);

          if (name->len > 0)
            g_string_append_c (name, ' ');
          g_string_append (name, word);
          last = i;
        }
    }
  size = _cured_draft_get_type_size (name->str);
  if (size > 0 || name->len == 0 || strchr (name->str, ' ') != NULL)
    return size;
  {
    const CuredTokens *macro = g_hash_table_lookup (self->source->macros, name->str);
    const CuredTokens *all = self->source->tokens;
    Span span = { tokens, last, last + 1, -1 };

    if (tokens == all)
      {
        span.function = find_function_at (self->source, last);
        follow_type (self->source, &span);
        if (span.begin != last)
          return get_type_size (self, span.tokens, span.begin, span.end, depth + 1);
      }

    if (macro != NULL)
      return get_type_size (self, macro, 0, macro->tokens->len, depth + 1);
    /* typedef float NAME; using NAME = float; */
    for (guint i = 0; i + 3 < all->tokens->len; i++)
      {
        guint to = i + 1;

        if (is (all, i, "using") && is_same (all, i + 1, tokens, last) && sign (all, i + 2) == '=')
          return get_type_size (self, all, i + 3, find_value_end (all, i + 3), depth + 1);
        if (!is (all, i, "typedef"))
          continue;
        while (to < all->tokens->len && to < i + 16 && sign (all, to) != ';' &&
               sign (all, to) != '{')
          to++;
        if (sign (all, to) == ';' && is_same (all, to - 1, tokens, last))
          return get_type_size (self, all, i + 1, to - 1, depth + 1);
      }
  }
  /* A template's own type is float where nobody says otherwise. */
  if (self->kernel->is_template && name->len <= 2)
    return 4;
  return get_struct_size (self, tokens, last, depth);
}

/* ---- Expressions ---- */

typedef struct
{
  Draft *draft;
  Span span;
  guint at;
  guint depth;
  Value *value; /* the text that grows */
} Reader;

static gboolean read_ternary (Reader *self, GString *text, gboolean *is_real);

static const char *
dup_name (Draft *self, const char *name)
{
  /* Names that a header keeps for itself. */
  return _cured_draft_is_taken (name) ? "_" : "";
}

static gboolean
has_draft_parameter (const CuredHeaderDraft *self, const char *name)
{
  for (guint i = 0; i < self->parameters->len; i++)
    if (g_str_equal (((CuredDraftParameter *) self->parameters->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* The value itself, and what it is when halved, again and again: a small problem keeps what the
 * host's is a multiple of. */
static char *
list_values (gint64 value, gboolean is_flat)
{
  gint64 list[24];
  gint64 unit = is_flat && value % 256 == 0 ? 256 : value % 32 == 0 ? 32 : 16;
  guint n = 0;
  GString *text = g_string_new (NULL);

  for (gint64 v = value; n < G_N_ELEMENTS (list) && v >= unit; v /= 2)
    {
      list[n++] = v;
      if (v % 2 == 0 && (unit == 16 || v / 2 % unit == 0))
        continue;
      /* Then of one that the blocks divide, too: 10^8 does not get far. */
      if (v < LARGE || v / 2 < unit)
        break;
      v = v / 2 / unit * unit * 2;
    }
  if (n == 0)
    list[n++] = value;
  while (n-- > 0)
    g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", list[n]);
  return g_string_free (text, FALSE);
}

/* Makes a name of the host's a parameter of the kernel file. */
static void
add_parameter (Draft *self, const char *name, gint64 value, gboolean is_known)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  CuredDraftParameter *parameter;
  gboolean is_per_sm = strstr (lower, "persm") != NULL || strstr (lower, "per_sm") != NULL;
  gboolean is_shape = is_per_sm || strstr (lower, "block") != NULL ||
                      strstr (lower, "thread") != NULL || strstr (lower, "grid") != NULL ||
                      strstr (lower, "tile") != NULL;

  if (has_draft_parameter (self->draft, name))
    return;
  parameter = g_new0 (CuredDraftParameter, 1);
  parameter->name = g_strdup (name);
  if (!is_known)
    {
      value = 1024;
      if (is_per_sm)
        value = 1;
      else if (is_shape)
        value = strstr (lower, "grid") != NULL || strstr (lower, "num") != NULL
                    ? 64
                    : (!self->is_flat                                                   ? 16
                       : g_str_has_suffix (lower, "y") || g_str_has_suffix (lower, "z") ? 1
                                                                                        : 256);
      else if (strstr (lower, "iter") != NULL || strstr (lower, "step") != NULL ||
               strstr (lower, "repeat") != NULL)
        value = 4;
      else if (strstr (lower, "stride") != NULL || strstr (lower, "offset") != NULL ||
               strstr (lower, "idx") != NULL || g_str_has_suffix (name, "Id") ||
               g_str_equal (lower, "id") || g_str_has_suffix (lower, "_id"))
        value = 1;
    }
  parameter->kind = is_shape || value < 64 ? CURED_PARAMETER_LAUNCH : CURED_PARAMETER_PROBLEM;
  parameter->values =
      parameter->kind == CURED_PARAMETER_PROBLEM ? list_values (value, self->is_flat) : NULL;
  parameter->default_value = g_strdup_printf ("%" PRId64, value);
  g_ptr_array_add (self->draft->parameters, parameter);
}

static gboolean
no_name_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return FALSE;
}

/* The number of an expression without names. */
static gboolean
get_constant (const char *text, gint64 *value)
{
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);

  return expr != NULL && cured_expr_evaluate_integer (expr, no_name_cb, NULL, value, NULL);
}

/* Puts what a span says into @text, in brackets where it takes some. */
static gboolean
append_span (Reader *self, const Span *span, GString *text, gboolean *is_real)
{
  Value value = { g_string_new (NULL), FALSE };
  gboolean is_done = translate (self->draft, span, self->depth + 1, &value);
  gint64 number;

  if (is_done && value.text->len < MAX_EXPR)
    {
      gboolean is_plain =
          strspn (value.text->str, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.") == value.text->len;

      if (!value.is_real && get_constant (value.text->str, &number))
        g_string_append_printf (text, "%" PRId64, number);
      else
        g_string_append_printf (text, is_plain ? "%s" : "(%s)", value.text->str);
      *is_real |= value.is_real;
    }
  is_done = is_done && value.text->len < MAX_EXPR;
  g_string_free (value.text, TRUE);
  return is_done;
}

/* A part of a dim3: 0 is x. What has no such part is 1, but x is all of it. */
static gboolean
append_component (Reader *self, const Span *span, guint part, GString *text)
{
  const CuredTokens *tokens = span->tokens;
  guint open = span->begin;
  g_autoptr (GArray) list = NULL;
  gboolean is_real = FALSE;
  Span inside;

  if (is (tokens, open, "dim3") || is (tokens, open, "uint3"))
    open++;
  /* All of it: (n + 255) / 256 begins with a bracket, too. */
  if ((sign (tokens, open) == '(' || sign (tokens, open) == '{') &&
      get_match (tokens, open) + 1 == span->end)
    {
      list = split (tokens, open + 1, get_match (tokens, open), span->function);
      if (list->len <= part)
        {
          g_string_append_c (text, '1');
          return TRUE;
        }
      inside = g_array_index (list, Span, part);
      return append_span (self, &inside, text, &is_real);
    }
  if (part > 0)
    {
      g_string_append_c (text, '1');
      return TRUE;
    }
  return append_span (self, span, text, &is_real);
}

/* Finds what stands for a name, in the function or by its callers; @nth: how many assignments from
 * the last one. */
static gboolean
resolve (const Draft *self, const CuredTokens *names, guint name, int function, guint before,
         guint nth, Span *span)
{
  const Source *source = self->source;
  int parameter;
  Span call;

  span->function = function;
  if (function >= 0)
    {
      const Function *where = &g_array_index (source->functions, Function, function);

      if (find_assignment (source, names, name, where->body, before, nth, span))
        return TRUE;
      if (nth > 0)
        return FALSE;
      parameter = find_parameter (source, function, names, name);
      if (parameter >= 0)
        {
          if (!find_call (source, function, parameter, &call))
            return FALSE;
          *span = call;
          return TRUE;
        }
      if (find_template_argument (source, function, names, name, &call))
        {
          *span = call;
          return TRUE;
        }
    }
  return FALSE;
}

/* Whether the word at @i is what a struct's objects have each of their own. */
static gboolean
is_member (const CuredTokens *tokens, guint i)
{
  for (guint k = i; k > 0 && sign (tokens, k - 1) != ';'; k--)
    if (is (tokens, k - 1, "static") || is (tokens, k - 1, "constexpr"))
      return FALSE;
  for (guint open = i; open-- > 0;)
    {
      guint close = get_match (tokens, open);

      if (sign (tokens, open) != '{' || close == CURED_TOKEN_NONE || close < i)
        continue;
      for (guint k = open; k > 0 && sign (tokens, k - 1) != ';' && sign (tokens, k - 1) != '{' &&
                           sign (tokens, k - 1) != '}';
           k--)
        if (is (tokens, k - 1, "struct") || is (tokens, k - 1, "class"))
          return TRUE;
    }
  return FALSE;
}

/* A variable of the file that is 0 until a function sets it: what that does. */
static void
find_later (const Source *self, const char *name, Span *span)
{
  const CuredTokens *tokens = self->tokens;

  if (span->end != span->begin + 1 || !is (tokens, span->begin, "0"))
    return;
  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    {
      int function;

      if (!is (tokens, i, name) || sign (tokens, i + 1) != '=' || sign (tokens, i + 2) == '=' ||
          (function = find_function_at (self, i)) < 0)
        continue;
      *span = (Span){ tokens, i + 2, find_value_end (tokens, i + 2), function };
      return;
    }
}

/* A constant or a macro of the file. */
static gboolean
resolve_constant (const Draft *self, const char *name, Span *span)
{
  const Source *source = self->source;
  const CuredTokens *tokens = source->tokens;
  const CuredTokens *macro = g_hash_table_lookup (source->macros, name);

  if (macro != NULL)
    {
      *span = (Span){ macro, 0, macro->tokens->len, -1 };
      return macro->tokens->len > 0;
    }
  for (guint i = 1; i + 1 < tokens->tokens->len; i++)
    {
      if (!is (tokens, i, name) || sign (tokens, i + 1) != '=' || sign (tokens, i + 2) == '=' ||
          find_function_at (source, i) >= 0 || is_member (tokens, i))
        continue;
      *span = (Span){ tokens, i + 2, find_value_end (tokens, i + 2), -1 };
      find_later (source, name, span);
      return TRUE;
    }
  return FALSE;
}

static gboolean
has_word (const CuredTokens *tokens, guint begin, guint end, const char *word)
{
  for (guint i = begin; i < end; i++)
    if (is (tokens, i, word))
      return TRUE;
  return FALSE;
}

/* n = 1 << 20: a size that can be another one. What is made of the file's constants, or of other
 * variables, is as large as they are, and a template's arguments are in the kernel's name. */
static gboolean
find_variable (const Draft *self, const char *name, const Span *value, const char *text,
               gint64 *number)
{
  for (guint i = value->begin; i < value->end; i++)
    if (is_word (value->tokens, i))
      {
        g_autofree char *word = _cured_tokens_dup (value->tokens, i);
        Span constant;

        if (g_str_equal (word, "sizeof") || resolve_constant (self, word, &constant) ||
            resolve (self, value->tokens, i, value->function, value->begin, 0, &constant))
          return FALSE;
      }
  if (self->launch->arguments != 0 &&
      has_word (self->source->tokens, self->launch->arguments, self->launch->arguments_end, name))
    return FALSE;
  return get_constant (text, number) && *number >= 64;
}

static gboolean
get_value (const CuredHeaderDraft *draft, const char *name, gboolean is_least, CuredNumber *value)
{
  for (guint i = 0; i < draft->parameters->len; i++)
    {
      const CuredDraftParameter *parameter = draft->parameters->pdata[i];
      const char *text =
          is_least && parameter->values != NULL ? parameter->values : parameter->default_value;

      if (!g_str_equal (parameter->name, name))
        continue;
      *value = (CuredNumber){ .integer = g_ascii_strtoll (text, NULL, 10) };
      return TRUE;
    }
  return FALSE;
}

/* The least value of a parameter of those so far. */
static gboolean
get_least_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return get_value (user_data, name, TRUE, value);
}

static gboolean
get_default_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return get_value (user_data, name, FALSE, value);
}

/* A product of numbers and parameters that is too much for a check at the least of these, such as
 * 1024 * 1024 * chunks: one number to choose. */
static gboolean
is_too_large (const Draft *self, const char *text, gint64 *number)
{
  g_autoptr (CuredExpr) expr = NULL;

  if (get_constant (text, number) ||
      strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_*()") != strlen (text))
    return FALSE;
  expr = cured_expr_parse (text, NULL);
  return expr != NULL &&
         cured_expr_evaluate_integer (expr, get_least_cb, self->draft, number, NULL) &&
         *number >= HUGE_SIZE &&
         cured_expr_evaluate_integer (expr, get_default_cb, self->draft, number, NULL);
}

/* Whether the word at @i is the name of a function's parameter, or in the body of a function that
 * has one: nothing of the file is meant. */
static gboolean
is_of_parameter (const Source *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  int function = find_function_at (self, i);
  char before = i > 0 ? sign (tokens, i - 1) : 0;
  char after = sign (tokens, i + 1);

  if (function >= 0)
    return find_parameter (self, function, tokens, i) >= 0;
  return i > 0 && (is_word (tokens, i - 1) || before == '*' || before == '&') &&
         (after == ',' || after == ')') && !is (tokens, i - 1, "return");
}

/* The word that what stands at @i is part of the value of: `const int m = n * 4;` outside of
 * functions; 0: none. */
static guint
find_constant_of (const CuredTokens *tokens, guint i)
{
  for (; i > 1; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == '=' && is_word (tokens, i - 2))
        return i - 2;
      if (c == ';' || c == '{' || c == '}')
        return 0;
    }
  return 0;
}

/* Whether a constant or macro of the file may be one of device code's, too: where it stands outside
 * of the host's functions, but for its own value, and for what is no more device code's. */
static gboolean
is_seen_by_device (const Source *self, const char *name, guint depth)
{
  const CuredTokens *tokens = self->tokens;
  GHashTableIter iter;
  gpointer macro;

  for (guint i = 0; i < tokens->tokens->len; i++)
    {
      int function;
      guint constant;

      if (!is (tokens, i, name) || is_of_parameter (self, i))
        continue;
      function = find_function_at (self, i);
      if (function < 0 && sign (tokens, i + 1) == '=')
        continue;
      constant = function < 0 ? find_constant_of (tokens, i) : 0;
      if (constant > 0 && depth < MAX_DEPTH)
        {
          g_autofree char *other = _cured_tokens_dup (tokens, constant);

          if (!is_seen_by_device (self, other, depth + 1))
            continue;
        }
      if (function < 0 || g_array_index (self->functions, Function, function).is_device)
        return TRUE;
    }
  g_hash_table_iter_init (&iter, self->macros);
  while (g_hash_table_iter_next (&iter, NULL, &macro))
    if (has_word (macro, 0, ((CuredTokens *) macro)->tokens->len, name))
      return TRUE;
  return FALSE;
}

/* Whether a function fills the variable: read_size (&n). */
static gboolean
is_filled_elsewhere (const Source *self, const char *name)
{
  for (guint i = 1; i < self->tokens->tokens->len; i++)
    if (is (self->tokens, i, name) && sign (self->tokens, i - 1) == '&' &&
        (i < 2 || sign (self->tokens, i - 2) == '(' || sign (self->tokens, i - 2) == ','))
      return TRUE;
  return FALSE;
}

/* Whether a span begins with a type of integers: `int`, `unsigned int`, `size_t`. */
static gboolean
is_integer_type (const CuredTokens *tokens, guint i)
{
  CuredElement type;
  guint count;
  g_autofree char *word = i < tokens->tokens->len ? _cured_tokens_dup (tokens, i) : NULL;

  return word != NULL && cured_element_find_c_type (word, &type, &count) && count == 1 &&
         cured_element_is_integer (type);
}

/* A real that becomes an integer loses what follows its point. */
static void
append_cast (GString *text, const char *value, gboolean was_real, gboolean is_integer)
{
  g_autoptr (CuredExpr) expr = was_real && is_integer ? cured_expr_parse (value, NULL) : NULL;
  double real;

  if (expr != NULL && cured_expr_evaluate_double (expr, no_name_cb, NULL, &real, NULL) &&
      fabs (real) < 0x1p53)
    g_string_append_printf (text, "%" PRId64, (gint64) real);
  else
    g_string_append_printf (text, was_real && is_integer ? "floor(%s)" : "%s", value);
}

/* As append_span(), of what is assigned: `int n = 0.5 * m` has no fraction. */
static gboolean
append_converted (Reader *self, const Span *span, GString *text, gboolean *is_real)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean is_integer = span->begin > 2 && sign (span->tokens, span->begin - 1) == '=' &&
                        is_integer_type (span->tokens, span->begin - 3);
  gboolean was_real = FALSE;

  if (!append_span (self, span, value, &was_real))
    return FALSE;
  append_cast (text, value->str, was_real, is_integer);
  *is_real |= was_real && !is_integer;
  return TRUE;
}

/* What of cudaDeviceProp expressions have under a name of their own. */
static const struct
{
  const char *name;
  const char *limit;
} properties[] = {
  { "multiProcessorCount", "sms" },
  { "maxThreadsPerBlock", "max_threads_per_block" },
  { "maxThreadsPerMultiProcessor", "max_threads_per_sm" },
  { "sharedMemPerBlock", "shared_per_block" },
  { "warpSize", "warp_size" },
};

/* A name, perhaps with parts: `n`, `grid.x`, `params.n`. */
static gboolean
read_name (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;
  guint name = self->at;
  g_autofree char *word = _cured_tokens_dup (tokens, name);
  g_autofree char *known = NULL;
  guint part = G_MAXUINT;
  Span span;
  guint before = tokens == self->draft->source->tokens ? name : self->draft->launch->chevron;

  self->at++;
  while (sign (tokens, self->at) == ':' && sign (tokens, self->at + 1) == ':' &&
         is_word (tokens, self->at + 2))
    {
      g_free (word);
      name = self->at + 2;
      word = _cured_tokens_dup (tokens, name);
      self->at += 3;
    }
  if (sign (tokens, self->at) == '.' && self->at + 1 < self->span.end)
    {
      if (is (tokens, self->at + 1, "x"))
        part = 0;
      else if (is (tokens, self->at + 1, "y"))
        part = 1;
      else if (is (tokens, self->at + 1, "z"))
        part = 2;
    }
  if (part != G_MAXUINT)
    {
      self->at += 2;
      if (resolve (self->draft, tokens, name, self->span.function, before, 0, &span))
        return append_component (self, &span, part, text);
    }
  /* A member of something: a name of its own. */
  while (self->at + 1 < self->span.end &&
         (sign (tokens, self->at) == '.' ||
          (sign (tokens, self->at) == '-' && sign (tokens, self->at + 1) == '>')))
    {
      guint member = self->at + (sign (tokens, self->at) == '.' ? 1 : 2);
      g_autofree char *next = NULL;
      char *joined;

      if (!is_word (tokens, member))
        return FALSE;
      for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
        if (is (tokens, member, properties[i].name))
          {
            self->at = member + 1;
            g_string_append (text, properties[i].limit);
            return TRUE;
          }
      next = _cured_tokens_dup (tokens, member);
      joined = g_strconcat (word, "_", next, NULL);
      g_free (word);
      word = joined;
      self->at = member + 1;
      part = 0;
    }
  if (sign (tokens, self->at) == '[')
    {
      self->at = get_match (tokens, self->at) + 1;
      part = 0;
    }
  if (self->at < self->span.end && sign (tokens, self->at) == '(')
    return FALSE;
  if (part == G_MAXUINT)
    {
      for (guint nth = 0; nth < 4; nth++)
        {
          GString *mine = NULL;
          gboolean is_done;
          gboolean was_const;
          gint64 number;
          guint n_before = self->draft->draft->parameters->len;

          if (!resolve (self->draft, tokens, name, self->span.function, before, nth, &span))
            break;
          mine = g_string_new (NULL);
          was_const = is (span.tokens, span.begin, "dim3");
          is_done =
              append_converted (self, &span, mine, is_real) &&
              !(g_str_equal (mine->str, "0") && is_filled_elsewhere (self->draft->source, word));
          if (is_done && !was_const && !*is_real &&
              (find_variable (self->draft, word, &span, mine->str, &number) ||
               is_too_large (self->draft, mine->str, &number)))
            {
              known = g_strconcat (word, dup_name (self->draft, word), NULL);
              add_parameter (self->draft, known, number, TRUE);
              g_string_assign (mine, known);
            }
          if (is_done)
            g_string_append (text, mine->str);
          g_string_free (mine, TRUE);
          if (is_done)
            return TRUE;
          while (self->draft->draft->parameters->len > n_before)
            g_ptr_array_remove_index (self->draft->draft->parameters,
                                      self->draft->draft->parameters->len - 1);
        }
      if (resolve_constant (self->draft, word, &span))
        {
          GString *mine = g_string_new (NULL);
          gboolean is_done = append_converted (self, &span, mine, is_real);
          gint64 number;

          if (is_done && !*is_real &&
              (find_variable (self->draft, word, &span, mine->str, &number) ||
               is_too_large (self->draft, mine->str, &number)) &&
              !is_seen_by_device (self->draft->source, word, 0))
            {
              known = g_strconcat (word, dup_name (self->draft, word), NULL);
              add_parameter (self->draft, known, number, TRUE);
              g_string_assign (mine, known);
            }
          if (is_done)
            g_string_append (text, mine->str);
          g_string_free (mine, TRUE);
          if (is_done)
            return TRUE;
        }
    }
  g_free (known);
  known = g_strconcat (word, dup_name (self->draft, word), NULL);
  for (char *at = known; *at != '\0'; at++)
    if ((*at & 0x80) != 0 || *at == '$')
      return FALSE;
  add_parameter (self->draft, known, 0, FALSE);
  g_string_append (text, known);
  return TRUE;
}

/* sizeof (float), max (a, b), ceil (x), div_up (a, b), … */
static gboolean
read_call (Reader *self, GString *text, gboolean *is_real)
{
  static const struct
  {
    const char *name;
    const char *call;
  } calls[] = { { "ceil", "ceil" },  { "ceilf", "ceil" }, { "max", "max" },     { "min", "min" },
                { "fmax", "max" },   { "fmin", "min" },   { "floor", "floor" }, { "sqrt", "sqrt" },
                { "sqrtf", "sqrt" }, { "log2", "log2" },  { "abs", "abs" } };
  const CuredTokens *tokens = self->span.tokens;
  g_autofree char *name = _cured_tokens_dup (tokens, self->at);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  guint open = self->at + 1;
  guint close = get_match (tokens, open);
  g_autoptr (GArray) list = NULL;
  gboolean is_first = TRUE;
  const char *call = NULL;

  if (close == CURED_TOKEN_NONE || close >= self->span.end)
    return FALSE;
  self->at = close + 1;
  if (g_str_equal (name, "sizeof"))
    {
      gsize size = get_type_size (self->draft, tokens, open + 1, close, self->depth);

      g_string_append_printf (text, "%zu", size > 0 ? size : 4);
      return TRUE;
    }
  list = split (tokens, open + 1, close, self->span.function);
  if (list->len == 1 && _cured_draft_get_type_size (name) > 0)
    {
      gboolean is_integer = is_integer_type (tokens, open - 1);
      gboolean was_real = FALSE;
      g_autoptr (GString) value = g_string_new (NULL);

      if (!append_span (self, &g_array_index (list, Span, 0), value, &was_real))
        return FALSE;
      append_cast (text, value->str, was_real, is_integer);
      *is_real |= !is_integer;
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      call = calls[i].call;
  if (call == NULL && list->len == 2 && strstr (lower, "div") != NULL)
    {
      gboolean is_ratio = FALSE;

      g_string_append (text, "ceil(");
      if (!append_span (self, &g_array_index (list, Span, 0), text, &is_ratio))
        return FALSE;
      g_string_append_c (text, '/');
      if (!append_span (self, &g_array_index (list, Span, 1), text, &is_ratio))
        return FALSE;
      g_string_append_c (text, ')');
      return TRUE;
    }
  if (call == NULL || list->len == 0 || list->len > 2)
    return FALSE;
  g_string_append_printf (text, "%s(", call);
  for (guint i = 0; i < list->len; i++)
    {
      gboolean is_part_real = FALSE;

      if (!is_first)
        g_string_append_c (text, ',');
      is_first = FALSE;
      if (!append_span (self, &g_array_index (list, Span, i), text, &is_part_real))
        return FALSE;
    }
  g_string_append_c (text, ')');
  return TRUE;
}

static gboolean
read_number (Reader *self, GString *text, gboolean *is_real)
{
  g_autofree char *word = _cured_tokens_dup (self->span.tokens, self->at++);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  CuredNumber number;

  if (!_cured_literal_read (word, &number))
    return FALSE;
  *is_real |= number.is_double;
  if (!number.is_double)
    {
      g_string_append_printf (text, "%" PRId64, number.integer);
      return TRUE;
    }
  g_ascii_formatd (buffer, sizeof buffer, "%.9g", number.real);
  if (strpbrk (word, "fF") == NULL && g_ascii_strtod (buffer, NULL) != number.real)
    g_ascii_dtostr (buffer, sizeof buffer, number.real);
  g_string_append (text, buffer);
  return isfinite (number.real);
}

static gboolean
read_unary (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;
  char c;

  if (self->at >= self->span.end || self->draft->nodes++ > MAX_NODES || text->len > MAX_EXPR)
    return FALSE;
  c = sign (tokens, self->at);
  if (c == '-' || c == '+')
    {
      self->at++;
      if (c == '-')
        g_string_append_c (text, '-');
      return read_unary (self, text, is_real);
    }
  if (c == '(')
    {
      guint close = get_match (tokens, self->at);
      gsize size;

      if (close == CURED_TOKEN_NONE || close >= self->span.end)
        return FALSE;
      size = close - self->at <= 4
                 ? get_type_size (self->draft, tokens, self->at + 1, close, MAX_DEPTH - 2)
                 : 0;
      /* (float) n */
      if (size > 0 && close + 1 < self->span.end &&
          (is_word (tokens, close + 1) || sign (tokens, close + 1) == '(' ||
           CURED_TOKEN (tokens, close + 1)->kind == CURED_TOKEN_NUMBER))
        {
          gboolean is_integer = is_integer_type (tokens, close - 1);
          gboolean was_real = FALSE;
          g_autoptr (GString) value = g_string_new (NULL);

          self->at = close + 1;
          if (!read_unary (self, value, &was_real))
            return FALSE;
          append_cast (text, value->str, was_real, is_integer);
          *is_real |= !is_integer;
          return TRUE;
        }
      else
        {
          Span inside = { tokens, self->at + 1, close, self->span.function };

          self->at = close + 1;
          return append_span (self, &inside, text, is_real);
        }
    }
  if (c != 0)
    return FALSE;
  if (CURED_TOKEN (tokens, self->at)->kind == CURED_TOKEN_NUMBER)
    return read_number (self, text, is_real);
  if (!is_word (tokens, self->at))
    return FALSE;
  if (is (tokens, self->at, "static_cast") && sign (tokens, self->at + 1) == '<')
    {
      guint open = _cured_tokens_skip_angles (tokens, self->at + 1, self->span.end);
      Span inside = { tokens, open + 1, get_match (tokens, open), self->span.function };
      gboolean is_integer = is_integer_type (tokens, open - 2);
      gboolean was_real = FALSE;
      g_autoptr (GString) value = g_string_new (NULL);

      if (sign (tokens, open) != '(' || inside.end == CURED_TOKEN_NONE)
        return FALSE;
      self->at = inside.end + 1;
      if (!append_span (self, &inside, value, &was_real))
        return FALSE;
      append_cast (text, value->str, was_real, is_integer);
      *is_real |= !is_integer;
      return TRUE;
    }
  /* std::max (…) */
  if (is (tokens, self->at, "std") && sign (tokens, self->at + 1) == ':')
    self->at += 3;
  if (is (tokens, self->at, "true") || is (tokens, self->at, "false"))
    {
      g_string_append_c (text, is (tokens, self->at, "true") ? '1' : '0');
      self->at++;
      return TRUE;
    }
  if (self->at + 1 < self->span.end && sign (tokens, self->at + 1) == '(')
    return read_call (self, text, is_real);
  return is_word (tokens, self->at) && read_name (self, text, is_real);
}

/* The operator at @at: its words, its rank; 0 where there is none. */
static int
peek_operator (const Reader *self, const char **op, guint *n)
{
  static const struct
  {
    const char *op;
    int rank;
  } operators[] = { { "||", 1 }, { "&&", 2 }, { "==", 3 }, { "!=", 3 }, { "<=", 4 },
                    { ">=", 4 }, { "<<", 5 }, { ">>", 5 }, { "<", 4 },  { ">", 4 },
                    { "+", 6 },  { "-", 6 },  { "*", 7 },  { "/", 7 },  { "%", 7 } };
  const CuredTokens *tokens = self->span.tokens;
  char first = self->at < self->span.end ? sign (tokens, self->at) : 0;
  char second = self->at + 1 < self->span.end ? sign (tokens, self->at + 1) : 0;

  for (gsize i = 0; first != 0 && i < G_N_ELEMENTS (operators); i++)
    if (operators[i].op[0] == first && (operators[i].op[1] == '\0' || operators[i].op[1] == second))
      {
        *op = operators[i].op;
        *n = (guint) strlen (*op);
        return operators[i].rank;
      }
  return 0;
}

static gboolean
read_binary (Reader *self, int least, GString *text, gboolean *is_real)
{
  const char *op = NULL;
  guint n = 0;
  int rank;

  if (!read_unary (self, text, is_real))
    return FALSE;
  while ((rank = peek_operator (self, &op, &n)) >= least && rank > 0)
    {
      g_autoptr (GString) right = g_string_new (NULL);
      gboolean is_right_real = FALSE;
      g_autofree char *left = NULL;

      self->at += n;
      if (!read_binary (self, rank + 1, right, &is_right_real))
        return FALSE;
      left = g_strdup (text->str);
      if (g_str_equal (op, "<<"))
        g_string_printf (text, "(%s)*2^(%s)", left, right->str);
      else if (g_str_equal (op, ">>"))
        g_string_printf (text, "floor((%s)/2^(%s))", left, right->str);
      else if (*op == '/' && !*is_real && !is_right_real)
        {
          gint64 a, b;

          /* Whole numbers that come out even need no floor. */
          if (get_constant (left, &a) && get_constant (right->str, &b) && b != 0)
            g_string_printf (text, "%" PRId64, a / b);
          else
            g_string_printf (text, "floor(%s/%s)", left, right->str);
        }
      else
        g_string_printf (text, "%s%s%s", left, op, right->str);
      *is_real |= is_right_real;
      if (text->len > MAX_EXPR)
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_ternary (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;
  guint question = self->at;

  for (; question < self->span.end; question++)
    {
      if (sign (tokens, question) == '?')
        break;
      if (get_match (tokens, question) != CURED_TOKEN_NONE)
        question = get_match (tokens, question);
    }
  if (question < self->span.end)
    {
      guint colon = question;
      gboolean asks_command_line = FALSE;
      Span parts[3];

      for (; colon < self->span.end && sign (tokens, colon) != ':'; colon++)
        if (get_match (tokens, colon) != CURED_TOKEN_NONE)
          colon = get_match (tokens, colon);
      for (guint i = self->at; i < question; i++)
        asks_command_line |= is (tokens, i, "argc") || is (tokens, i, "argv");
      if (asks_command_line && colon < self->span.end)
        {
          self->at = colon + 1;
          return read_ternary (self, text, is_real);
        }
      if (colon >= self->span.end)
        return FALSE;
      parts[0] = (Span){ tokens, self->at, question, self->span.function };
      parts[1] = (Span){ tokens, question + 1, colon, self->span.function };
      parts[2] = (Span){ tokens, colon + 1, self->span.end, self->span.function };
      self->at = self->span.end;
      g_string_append_c (text, '(');
      for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          gboolean is_part_real = FALSE;

          if (i > 0)
            g_string_append_c (text, i == 1 ? '?' : ':');
          if (!append_span (self, &parts[i], text, &is_part_real))
            return FALSE;
          *is_real |= i > 0 && is_part_real;
        }
      g_string_append_c (text, ')');
      return TRUE;
    }
  return read_binary (self, 1, text, is_real);
}

/* What a piece of C is in a kernel file's language. FALSE where it is nothing there; what was made
 * of it is then of no use. */
static gboolean
translate (Draft *self, const Span *span, guint depth, Value *value)
{
  Reader reader = {
    .draft = self, .span = *span, .at = span->begin, .depth = depth, .value = value
  };

  if (depth > MAX_DEPTH || span->begin >= span->end)
    return FALSE;
  return read_ternary (&reader, value->text, &value->is_real) && reader.at == span->end;
}

/* An expression, or NULL. */
static char *
make_expr (Draft *self, const Span *span, gboolean *is_real)
{
  Value value = { g_string_new (NULL), FALSE };
  gint64 number;

  if (!translate (self, span, 0, &value) || value.text->len > MAX_EXPR)
    {
      g_string_free (value.text, TRUE);
      return NULL;
    }
  if (is_real != NULL)
    *is_real = value.is_real;
  if (!value.is_real && get_constant (value.text->str, &number))
    g_string_printf (value.text, "%" PRId64, number);
  return g_string_free (value.text, FALSE);
}

/* grid and block: up to three expressions. */
static char *
make_extent (Draft *self, const Span *span)
{
  GString *text = g_string_new (NULL);
  Span whole = *span;
  Reader reader = { .draft = self, .depth = 1 };
  const CuredTokens *tokens = whole.tokens;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  /* A variable of the host's, once or twice removed. */
  for (guint turn = 0; turn < 6 && whole.end == whole.begin + 1 && is_word (tokens, whole.begin);
       turn++)
    {
      Span next;
      guint before = tokens == self->source->tokens ? whole.begin : self->launch->chevron;

      if (resolve (self, tokens, whole.begin, whole.function, before, 0, &next))
        ;
      else
        {
          g_autofree char *word = _cured_tokens_dup (tokens, whole.begin);

          if (!resolve_constant (self, word, &next))
            break;
        }
      /* A number stays under its name. */
      if (!is (next.tokens, next.begin, "dim3") && sign (next.tokens, next.begin) != '(' &&
          sign (next.tokens, next.begin) != '{' &&
          !(next.end == next.begin + 1 && is_word (next.tokens, next.begin)))
        break;
      /* dim3 grid (x, y), or int n = (a + b) / c. */
      if (sign (next.tokens, next.begin) == '(' &&
          get_match (next.tokens, next.begin) + 1 != next.end)
        break;
      whole = next;
      tokens = whole.tokens;
    }
  reader.span = whole;
  for (guint i = 0; i < 3; i++)
    {
      GString *part = g_string_new (NULL);
      gint64 number;

      if (!append_component (&reader, &whole, i, part))
        {
          g_string_free (part, TRUE);
          break;
        }
      if (get_constant (part->str, &number))
        g_string_printf (part, "%" PRId64, number);
      g_ptr_array_add (parts, g_string_free (part, FALSE));
    }
  while (parts->len > 1 && g_str_equal (parts->pdata[parts->len - 1], "1"))
    g_ptr_array_remove_index (parts, parts->len - 1);
  for (guint i = 0; i < parts->len; i++)
    {
      char *part = parts->pdata[i];
      gsize n = strlen (part);

      /* Brackets around all of it say nothing. */
      g_string_append_printf (text, "%s", i > 0 ? "," : "");
      if (n > 2 && part[0] == '(' && part[n - 1] == ')' && strchr (part + 1, '(') == NULL)
        g_string_append_len (text, part + 1, (gssize) n - 2);
      else
        g_string_append (text, part);
    }
  if (text->len == 0)
    {
      g_string_free (text, TRUE);
      return NULL;
    }
  return g_string_free (text, FALSE);
}

/* ---- Memory ---- */

/* The host's name for what an argument points at, and where it is known. */
static gboolean
find_pointer (Draft *self, Span *span)
{
  const CuredTokens *tokens = span->tokens;

  for (guint turn = 0; turn < 6; turn++)
    {
      int parameter;
      guint name = span->begin;
      Span next;

      while (name < span->end &&
             (!is_word (tokens, name) || _cured_draft_is_type_word (tokens, name)))
        name++;
      if (name >= span->end)
        return FALSE;
      span->begin = name;
      parameter = find_parameter (self->source, span->function, tokens, name);
      if (parameter < 0 || !find_call (self->source, span->function, parameter, &next))
        return TRUE;
      *span = next;
    }
  return TRUE;
}

static gboolean
mentions (const CuredTokens *tokens, guint begin, guint end, const CuredTokens *names, guint name)
{
  for (guint i = begin; i < end; i++)
    if (is_word (tokens, i) && is_same (tokens, i, names, name))
      return TRUE;
  return FALSE;
}

/* Elements of @bytes bytes each that the host allocates for the pointer. */
static char *
find_length (Draft *self, const Span *pointer, gsize bytes)
{
  const CuredTokens *tokens = self->source->tokens;

  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    {
      g_autoptr (GArray) list = NULL;
      g_autofree char *word = NULL;
      g_autofree char *lower = NULL;
      g_autofree char *expr = NULL;
      Span size;
      gboolean is_allocation;
      guint star;

      if (!is_word (tokens, i) || sign (tokens, i + 1) != '(' ||
          get_match (tokens, i + 1) == CURED_TOKEN_NONE)
        continue;
      word = _cured_tokens_dup (tokens, i);
      lower = g_ascii_strdown (word, -1);
      is_allocation = strstr (lower, "malloc") != NULL || strstr (lower, "alloc") != NULL;
      if (!is_allocation)
        continue;
      list = split (tokens, i + 2, get_match (tokens, i + 1), find_function_at (self->source, i));
      if (list->len >= 2)
        {
          const Span *to = &g_array_index (list, Span, 0);

          if (!mentions (tokens, to->begin, to->end, pointer->tokens, pointer->begin))
            continue;
          size = g_array_index (list, Span, list->len > 2 ? 1 : 1);
        }
      else if (list->len == 1 && i > 2 &&
               mentions (tokens, i > 8 ? i - 8 : 0, i, pointer->tokens, pointer->begin))
        size = g_array_index (list, Span, 0);
      else
        continue;
      /* n * sizeof (float) */
      for (star = size.begin; star < size.end; star++)
        if (is (tokens, star, "sizeof") && sign (tokens, star + 1) == '(' &&
            get_match (tokens, star + 1) != CURED_TOKEN_NONE)
          {
            guint close = get_match (tokens, star + 1);
            gsize unit = get_type_size (self, tokens, star + 2, close, 1);

            if (unit != 0 && unit != bytes)
              break;
            if (star == size.begin && sign (tokens, close + 1) == '*' && close + 2 < size.end)
              size.begin = close + 2;
            else if (close + 1 == size.end && star > size.begin + 1 &&
                     sign (tokens, star - 1) == '*')
              size.end = star - 1;
            else
              break;
            expr = make_expr (self, &size, NULL);
            return g_steal_pointer (&expr);
          }
        else if (sign (tokens, star) == '(' && get_match (tokens, star) < size.end)
          star = get_match (tokens, star);
      expr = make_expr (self, &size, NULL);
      if (expr != NULL)
        return bytes == 1 ? g_steal_pointer (&expr)
                          : g_strdup_printf ("ceil((%s)/%zu)", expr, bytes);
    }
  return NULL;
}

/* Whether the host fills the memory before the launch. */
static gboolean
is_filled (Draft *self, const Span *pointer)
{
  const CuredTokens *tokens = self->source->tokens;

  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    {
      g_autoptr (GArray) list = NULL;

      if (!is_word (tokens, i) || sign (tokens, i + 1) != '(' ||
          get_match (tokens, i + 1) == CURED_TOKEN_NONE ||
          !(is (tokens, i, "cudaMemcpy") || is (tokens, i, "cudaMemset") ||
            is (tokens, i, "cudaMemcpyAsync") || is (tokens, i, "memcpy") ||
            is (tokens, i, "cudaMemsetAsync")))
        continue;
      list = split (tokens, i + 2, get_match (tokens, i + 1), -1);
      if (list->len >= 2 &&
          mentions (tokens, g_array_index (list, Span, 0).begin, g_array_index (list, Span, 0).end,
                    pointer->tokens, pointer->begin))
        return TRUE;
    }
  return FALSE;
}

/* How the kernel uses its parameter @name. */
static void
read_use (const Source *self, const char *kernel, const char *name, gboolean *is_read,
          gboolean *is_written, gboolean *is_index)
{
  const CuredTokens *tokens = self->tokens;

  *is_read = *is_written = *is_index = FALSE;
  for (guint k = 0; k < self->functions->len; k++)
    {
      const Function *function = &g_array_index (self->functions, Function, k);
      guint last;
      guint brackets = 0;

      if (!is (tokens, function->name, kernel))
        continue;
      last = get_match (tokens, function->body);
      for (guint i = function->body; i < last; i++)
        {
          guint after = i + 1;

          brackets += sign (tokens, i) == '[';
          if (sign (tokens, i) == ']' && brackets > 0)
            brackets--;
          if (!is (tokens, i, name))
            continue;
          if (brackets > 0)
            *is_index = TRUE;
          while (sign (tokens, after) == '[' && get_match (tokens, after) != CURED_TOKEN_NONE)
            after = get_match (tokens, after) + 1;
          if (sign (tokens, after) == '.' && after > i + 1)
            after += 2;
          if (after > i + 1 && sign (tokens, after) == '=' && sign (tokens, after + 1) != '=')
            *is_written = TRUE;
          else if (sign (tokens, i - 1) == '*' && after == i + 1 && sign (tokens, after) == '=' &&
                   sign (tokens, after + 1) != '=')
            *is_written = TRUE;
          else
            *is_read = TRUE;
        }
    }
}

/* ---- The draft ---- */

static void
add_buffer (Draft *self, const char *name, const CuredDraftArgument *argument, gsize bytes,
            char *length, gboolean is_host_filled)
{
  CuredDraftBuffer *buffer = g_new0 (CuredDraftBuffer, 1);
  gsize size = cured_element_get_size (argument->element);
  gboolean is_read, is_written, is_index;
  g_autoptr (CuredRecord) record = NULL;
  gboolean has_integer = FALSE;

  read_use (self->source, self->kernel->name, argument->name, &is_read, &is_written, &is_index);
  buffer->name = g_strdup (name);
  buffer->type = argument->element;
  buffer->record = _cured_draft_find_record (self->source->source, argument, &record);
  if (record != NULL && record->size != bytes)
    {
      g_clear_pointer (&buffer->record, g_free);
      g_clear_pointer (&record, cured_record_free);
    }
  if (record != NULL || bytes == size)
    buffer->length = g_strdup (length);
  else if (bytes % size == 0)
    buffer->length = g_strdup_printf ("%zu*(%s)", bytes / size, length);
  else
    {
      buffer->type = CURED_ELEMENT_U32;
      buffer->length = g_strdup_printf ("ceil(%zu*(%s)/4)", bytes, length);
    }
  if (record == NULL)
    has_integer = cured_element_is_integer (buffer->type);
  for (gsize i = 0; record != NULL && i < record->n_fields; i++)
    has_integer |= cured_element_is_integer (record->fields[i].type);
  if (is_written && !is_read && !argument->is_const && !is_host_filled)
    buffer->fill = g_strdup ("poison");
  else if (has_integer && (is_index || !argument->is_exact ||
                           (is_host_filled && is_written && !argument->is_const)))
    buffer->fill = g_strdup ("constant");
  else
    buffer->fill = g_strdup ("uniform");
  g_ptr_array_add (self->draft->buffers, buffer);
}

static gboolean
has_buffer (const CuredHeaderDraft *self, const char *name)
{
  for (guint i = 0; i < self->buffers->len; i++)
    if (g_str_equal (((CuredDraftBuffer *) self->buffers->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* The largest thing that the grid has threads for: what a buffer's length is where the host's code
 * does not tell. */
static char *
guess_length (const CuredHeaderDraft *draft)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < draft->parameters->len && n < 2; i++)
    {
      const CuredDraftParameter *parameter = draft->parameters->pdata[i];

      if (parameter->kind != CURED_PARAMETER_PROBLEM)
        continue;
      g_string_append_printf (text, "%s%s", n > 0 ? "*" : "", parameter->name);
      n++;
    }
  if (n == 0)
    g_string_append (text, "2^20");
  return g_string_free (text, FALSE);
}

/* A vector, or a struct that the source declares: a 1 for each of its fields, which the person
 * changes. One that has pointers is left to the person. */
static gboolean
add_by_value (Draft *self, const CuredDraftArgument *argument, GString *arguments)
{
  g_autoptr (CuredRecord) record = NULL;
  g_autofree char *name = g_strdup (argument->type);

  if (g_str_has_prefix (name, "const "))
    memmove (name, name + strlen ("const "), strlen (name) - 5);
  if (argument->count > 1)
    record = cured_record_new_vector (argument->element, argument->count);
  else if (argument->size == 0 && strpbrk (name, " <*&") == NULL)
    record = _cured_record_new_from_source (self->source->source, name, NULL);
  if (record == NULL || cured_record_has_pointer (record))
    return FALSE;
  g_string_append_printf (arguments, "%s(", arguments->len > 0 ? "," : "");
  for (gsize i = 0; i < record->n_fields; i++)
    g_string_append (arguments, i > 0 ? ",1" : "1");
  g_string_append_printf (arguments, "):%s", record->text);
  return TRUE;
}

static void
add_argument (Draft *self, const CuredDraftArgument *argument, const Span *span,
              GHashTable *pointers, GString *arguments)
{
  const char *comma = arguments->len > 0 ? "," : "";
  g_autofree char *expr = NULL;
  gboolean is_real = FALSE;

  if (argument->is_pointer)
    {
      Span pointer = *span;
      g_autofree char *name = g_strconcat (argument->name, dup_name (self, argument->name), NULL);
      g_autofree char *host = NULL;
      gsize bytes = argument->size;
      const char *known;

      if (bytes == 0)
        bytes = _cured_draft_find_size (self->source->source, argument->type,
                                        self->kernel->is_template);
      if (span->end == span->begin + 1 &&
          (is (span->tokens, span->begin, "NULL") || is (span->tokens, span->begin, "nullptr") ||
           is (span->tokens, span->begin, "0")))
        {
          g_string_append_printf (arguments, "%s0:i64", comma);
          return;
        }
      if (find_pointer (self, &pointer))
        {
          host = _cured_tokens_dup (pointer.tokens, pointer.begin);
          known = g_hash_table_lookup (pointers, host);
          /* In place: one buffer, twice. */
          if (known != NULL && pointer.end == pointer.begin + 1)
            {
              g_string_append_printf (arguments, "%s%s", comma, known);
              return;
            }
          expr = find_length (self, &pointer, MAX (bytes, 1));
        }
      while (has_buffer (self->draft, name) || has_draft_parameter (self->draft, name))
        {
          char *other = g_strconcat (name, "_", NULL);

          g_free (name);
          name = other;
        }
      if (expr == NULL)
        expr = guess_length (self->draft);
      add_buffer (self, name, argument, MAX (bytes, 1), expr,
                  host != NULL && is_filled (self, &pointer));
      g_string_append_printf (arguments, "%s%s", comma, name);
      if (host != NULL)
        g_hash_table_insert (pointers, g_steal_pointer (&host), g_steal_pointer (&name));
      return;
    }
  if (add_by_value (self, argument, arguments))
    return;
  /* Nothing but a type. */
  if (g_str_has_suffix (argument->type, "_constant"))
    {
      g_string_append_printf (arguments, "%s0:i8", comma);
      return;
    }
  expr = make_expr (self, span, &is_real);
  if (!cured_element_is_integer (argument->element))
    {
      g_string_append_printf (arguments, "%s%s:%s", comma, expr != NULL ? expr : "1",
                              cured_element_to_string (argument->element));
      return;
    }
  if (expr == NULL)
    {
      g_autofree char *name = g_strconcat (argument->name, dup_name (self, argument->name), NULL);

      add_parameter (self, name, 0, FALSE);
      expr = g_steal_pointer (&name);
    }
  g_string_append_printf (arguments, "%s%s", comma, expr);
  if (argument->element != CURED_ELEMENT_I32)
    g_string_append_printf (arguments, ":%s", cured_element_to_string (argument->element));
}

/* `k`, `ns::k<float, 16>`. */
static char *
make_entry (Draft *self)
{
  const CuredTokens *tokens = self->source->tokens;
  GString *text = g_string_new (self->kernel->space);
  g_autoptr (GArray) list = NULL;

  g_string_append (text, self->kernel->name);
  if (!self->kernel->is_template)
    return g_string_free (text, FALSE);
  g_string_append_c (text, '<');
  if (self->launch->arguments != 0)
    list = split (tokens, self->launch->arguments + 1, self->launch->arguments_end - 1,
                  find_function_at (self->source, self->launch->arguments));
  for (guint i = 0; i < self->kernel->n_template; i++)
    {
      const CuredDraftTemplate *parameter = &self->kernel->templates[i];
      Span *span = list != NULL && i < list->len ? &g_array_index (list, Span, i) : NULL;

      if (span == NULL && (parameter->has_default || parameter->is_pack))
        break;
      if (i > 0)
        g_string_append (text, ", ");
      if (parameter->is_type)
        {
          gsize size = 0;

          if (span != NULL)
            {
              follow_type (self->source, span);
              size = get_type_size (self, tokens, span->begin, span->end, 1);
            }

          if (size > 0 && find_parameter (self->source, span->function, tokens, span->begin) < 0 &&
              span->end - span->begin > 0 &&
              (CURED_TOKEN (tokens, span->end - 1)->end - CURED_TOKEN (tokens, span->begin)->begin >
               2))
            g_string_append_len (text, tokens->text + CURED_TOKEN (tokens, span->begin)->begin,
                                 (gssize) (CURED_TOKEN (tokens, span->end - 1)->end -
                                           CURED_TOKEN (tokens, span->begin)->begin));
          else
            g_string_append (text, "float");
        }
      else
        {
          guint n = self->draft->parameters->len;
          g_autofree char *expr = span != NULL ? make_expr (self, span, NULL) : NULL;
          gint64 number = 0;

          /* What the host chooses while it runs can't be an argument. */
          if (expr == NULL || !get_constant (expr, &number))
            number = parameter->is_bool ? 0 : (self->is_flat ? 256 : 16);
          while (self->draft->parameters->len > n)
            g_ptr_array_remove_index (self->draft->parameters, self->draft->parameters->len - 1);
          g_string_append_printf (text, "%" PRId64, number);
        }
    }
  g_string_append_c (text, '>');
  return g_string_free (text, FALSE);
}

/* What a parameter is where a launch does not give it. */
static gboolean
find_default (const Source *self, const char *kernel, guint n, Span *value)
{
  const CuredTokens *tokens = self->tokens;

  /* Of a declaration, too. */
  for (guint i = 0; i + 1 < tokens->tokens->len; i++)
    {
      g_autoptr (GArray) list = NULL;

      if (!is (tokens, i, kernel) || sign (tokens, i + 1) != '(' ||
          get_match (tokens, i + 1) == CURED_TOKEN_NONE || !is_for_device (tokens, i))
        continue;
      list = split (tokens, i + 2, get_match (tokens, i + 1), -1);
      if (n >= list->len)
        continue;
      *value = g_array_index (list, Span, n);
      while (value->begin < value->end && sign (tokens, value->begin) != '=')
        value->begin++;
      if (value->begin++ < value->end)
        return TRUE;
    }
  return FALSE;
}

/* The element type of a type of the source's, which may be another name for it. */
static gboolean
find_element (Draft *self, const Span *type, guint depth, CuredDraftArgument *to)
{
  const CuredTokens *all = self->source->tokens;
  g_autofree char *name = NULL;
  const CuredTokens *macro;
  Span next = { all, 0, 0, -1 };

  if (type->end <= type->begin || depth > MAX_DEPTH)
    return FALSE;
  name = g_strndup (type->tokens->text + CURED_TOKEN (type->tokens, type->begin)->begin,
                    CURED_TOKEN (type->tokens, type->end - 1)->end -
                        CURED_TOKEN (type->tokens, type->begin)->begin);
  if (cured_element_find_c_type (name, &to->element, &to->count))
    {
      to->size = to->count * cured_element_get_size (to->element);
      return TRUE;
    }
  if (type->end != type->begin + 1)
    return FALSE;
  macro = g_hash_table_lookup (self->source->macros, name);
  if (macro != NULL)
    {
      next = (Span){ macro, 0, macro->tokens->len, -1 };
      return find_element (self, &next, depth + 1, to);
    }
  for (guint i = 0; i + 3 < all->tokens->len; i++)
    {
      if (is (all, i, "using") && is (all, i + 1, name) && sign (all, i + 2) == '=')
        {
          next.begin = i + 3;
          next.end = find_value_end (all, i + 3);
          return find_element (self, &next, depth + 1, to);
        }
      if (!is (all, i, "typedef"))
        continue;
      next.begin = next.end = i + 1;
      while (next.end < all->tokens->len && next.end < i + 16 && sign (all, next.end) != ';' &&
             sign (all, next.end) != '{')
        next.end++;
      if (sign (all, next.end--) == ';' && is (all, next.end, name))
        return find_element (self, &next, depth + 1, to);
    }
  return FALSE;
}

/* The arguments of a template that the launch, or who calls its function, gives other types than
 * float. (transfer full): free its array alone */
static CuredDraftArgument *
specialise (Draft *self)
{
  const Launch *launch = self->launch;
  CuredDraftArgument *arguments = g_memdup2 (
      self->kernel->arguments, self->kernel->n_arguments * sizeof *self->kernel->arguments);
  g_autoptr (GArray) list = NULL;

  if (launch->arguments == 0)
    return arguments;
  list = split (self->source->tokens, launch->arguments + 1, launch->arguments_end - 1,
                find_function_at (self->source, launch->arguments));
  for (gsize i = 0; i < self->kernel->n_arguments; i++)
    {
      CuredDraftArgument *argument = &arguments[i];
      Span span;

      if (argument->of_template == 0 || argument->of_template > list->len)
        continue;
      span = g_array_index (list, Span, argument->of_template - 1);
      follow_type (self->source, &span);
      find_element (self, &span, 0, argument);
    }
  return arguments;
}

/* Of @values, those that @tile divides, and the last one, which is the host's. */
static char *
keep_multiples (const char *values, gint64 tile)
{
  g_auto (GStrv) list = g_strsplit (values, ",", -1);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; list[i] != NULL; i++)
    if (list[i + 1] == NULL || g_ascii_strtoll (list[i], NULL, 10) % tile == 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", list[i]);
  return g_string_free (text, FALSE);
}

/* Where a block's part divides the host's size, smaller ones are multiples of it, too: a kernel may
 * not ask whether there is less. */
static void
keep_tiles (CuredHeaderDraft *draft)
{
  const char *extent = draft->grid;

  while (extent != NULL && *extent != '\0')
    {
      gsize n = 0;
      g_autofree char *text = NULL;
      g_autoptr (CuredExpr) expr = NULL;
      gint64 blocks;

      for (int depth = 0; extent[n] != '\0' && (extent[n] != ',' || depth > 0); n++)
        depth += (extent[n] == '(') - (extent[n] == ')');
      text = g_strndup (extent, n);
      extent += n + (extent[n] == ',');
      expr = cured_expr_parse (text, NULL);
      if (expr == NULL || !cured_expr_evaluate_integer (expr, get_default_cb, draft, &blocks, NULL))
        continue;
      for (guint i = 0; i < draft->parameters->len; i++)
        {
          CuredDraftParameter *parameter = draft->parameters->pdata[i];
          gint64 size = g_ascii_strtoll (parameter->default_value, NULL, 10);
          g_autofree char *values = parameter->values;
          g_autoptr (CuredTokens) words = _cured_tokens_new (text);

          if (values != NULL && blocks > 0 && size % blocks == 0 &&
              has_word (words, 0, words->tokens->len, parameter->name))
            parameter->values = keep_multiples (values, size / blocks);
          else
            parameter->values = g_steal_pointer (&values);
        }
    }
}

static CuredHeaderDraft *
draft_launch (Source *source, const CuredDraftFunction *kernel, const Launch *launch,
              const char *title)
{
  Draft self = { .source = source, .kernel = kernel, .launch = launch, .is_flat = !kernel->uses_y };
  CuredHeaderDraft *draft = _cured_header_draft_new_empty (kernel, title);
  g_autoptr (GArray) given = get_given (source, launch);
  g_autoptr (GHashTable) pointers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree CuredDraftArgument *special = NULL;
  CuredDraftFunction own;
  GString *arguments = g_string_new (NULL);
  Span value;

  while (given->len < kernel->n_arguments &&
         find_default (source, kernel->name, given->len, &value))
    g_array_append_val (given, value);
  self.draft = draft;
  own = *kernel;
  own.arguments = special = specialise (&self);
  draft->is_cooperative = launch->is_cooperative;
  self.kernel = kernel = &own;
  if (launch->grid.end > launch->grid.begin)
    {
      draft->grid = make_extent (&self, &launch->grid);
      draft->block = make_extent (&self, &launch->block);
    }
  if (launch->shared.end > launch->shared.begin)
    {
      draft->shared = make_expr (&self, &launch->shared, NULL);
      if (g_strcmp0 (draft->shared, "0") == 0)
        g_clear_pointer (&draft->shared, g_free);
    }
  /* Numbers first: what a buffer's length is guessed from. */
  for (guint turn = 0; turn < 2; turn++)
    {
      g_string_truncate (arguments, 0);
      for (guint i = 0; i < draft->buffers->len;)
        g_ptr_array_remove_index (draft->buffers, i);
      g_hash_table_remove_all (pointers);
      for (guint i = 0; i < kernel->n_arguments && i < given->len; i++)
        if (turn == 1 || !kernel->arguments[i].is_pointer)
          add_argument (&self, &kernel->arguments[i], &g_array_index (given, Span, i), pointers,
                        arguments);
    }
  draft->arguments = g_string_free (arguments, FALSE);
  keep_tiles (draft);
  g_free (draft->entry);
  draft->entry = make_entry (&self);
  if (draft->grid == NULL || draft->block == NULL || given->len > kernel->n_arguments ||
      self.nodes > MAX_NODES)
    g_clear_pointer (&draft, cured_header_draft_free);
  return draft;
}

/**
 * cured_header_draft_new_from_source:
 * @source: of a CUDA file
 * @context: (nullable): as cured_header_draft_read_context() returns it
 * @function: one that cured_header_draft_scan() found in it
 * @title: of the kernel
 *
 * Guesses a header from how the host's code launches the function. Where it does not, or in a way
 * that can't be followed, as cured_header_draft_new().
 *
 * Returns: (transfer full): a draft to be mended
 */
CuredHeaderDraft *
cured_header_draft_new_from_source (const char *source, const char *context,
                                    const CuredDraftFunction *function, const char *title)
{
  g_auto (Source) self = { 0 };

  g_return_val_if_fail (source != NULL, NULL);
  g_return_val_if_fail (function != NULL, NULL);
  g_return_val_if_fail (title != NULL, NULL);

  source_init (&self, source, context);
  for (guint i = 0; i < self.launches->len; i++)
    {
      const Launch *launch = &g_array_index (self.launches, Launch, i);
      CuredHeaderDraft *draft;

      if (!is (self.tokens, launch->name, function->name))
        continue;
      draft = draft_launch (&self, function, launch, title);
      if (draft != NULL)
        return draft;
    }
  return cured_header_draft_new (function, title);
}

/**
 * _cured_header_draft_order:
 * @source: of a CUDA file
 * @functions: (element-type CuredDraftFunction): that were found in it
 *
 * Returns: (transfer full) (element-type guint): their indices, those that the
 *   host launches first, in its order
 */
GArray *
_cured_header_draft_order (const char *source, GPtrArray *functions)
{
  g_auto (Source) self = { 0 };
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree gboolean *is_taken = g_new0 (gboolean, functions->len + 1);

  source_init (&self, source, NULL);
  for (guint i = 0; i < self.launches->len; i++)
    for (guint k = 0; k < functions->len; k++)
      {
        const CuredDraftFunction *function = functions->pdata[k];

        if (is_taken[k] ||
            !is (self.tokens, g_array_index (self.launches, Launch, i).name, function->name))
          continue;
        is_taken[k] = TRUE;
        g_array_append_val (order, k);
      }
  for (guint k = 0; k < functions->len; k++)
    if (!is_taken[k])
      g_array_append_val (order, k);
  return order;
}

/**
 * _cured_draft_find_size:
 * @source: of a CUDA file
 * @type: of a parameter, as it has it
 * @is_template: the parameter is a template's
 *
 * Returns: bytes of what it points at; 4 where that is not known
 */
gsize
_cured_draft_find_size (const char *source, const char *type, gboolean is_template)
{
  g_auto (Source) all = { 0 };
  g_autoptr (CuredTokens) tokens = NULL;
  g_autofree char *plain = g_strdup (type);
  CuredDraftFunction kernel = { .is_template = is_template };
  Draft draft = { .source = &all, .kernel = &kernel };
  gsize size;

  g_strdelimit (plain, "*&", ' ');
  tokens = _cured_tokens_new (plain);
  source_init (&all, source, NULL);
  size = get_type_size (&draft, tokens, 0, tokens->tokens->len, 0);
  return size > 0 ? size : 4;
}

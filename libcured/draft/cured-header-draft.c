/* SPDX-License-Identifier: MIT
 * Drafts a header for a CUDA file that has none, by guesses.
 *
 * This does not parse C++: it looks for `__global__`, a name, and the words between the
 * parentheses. The draft of an unusual source may be wrong, and is to be corrected by the user. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-internal.h"

/* More than any sensible file has. */
#define MAX_ARGUMENTS 64
#define MAX_ATTEMPTS  4096
#define MAX_ALIASES   8
#define MAX_WORDS     16
/* Words before `__global__`, at most. */
#define MAX_BEFORE 1024
/* Bytes of the names of namespaces. */
#define MAX_SPACE 8192

/* ---- Types ---- */

/* Types without an element type, and their sizes. */
static const struct
{
  const char *name;
  gsize size;
} others[] = {
  { "dim3", 12 },
  { "curandState", 48 },
  { "curandState_t", 48 },
};

/* Words of a declaration that do not affect the type's layout. */
static const char *const qualifiers[] = {
  "const",    "volatile", "restrict",  "__restrict__",      "__restrict", "struct",
  "register", "std",      "__const__", "__grid_constant__", NULL
};

static gboolean
is_type_word (const char *word)
{
  CuredElement type;
  guint count;

  static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int",
                                       "float",    "double", "bool", "void",  NULL };

  if (g_strv_contains (words, word) || g_strv_contains (qualifiers, word))
    return TRUE;
  return cured_element_find_c_type (word, &type, &count);
}

/* Bytes of a CUDA type; 0 if it is unknown. */
gsize
_cured_draft_get_type_size (const char *name)
{
  CuredElement type;
  guint count;

  if (cured_element_find_c_type (name, &type, &count))
    return count * cured_element_get_size (type);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (others[i].name, name))
      return others[i].size;
  return 0;
}

/* Whether the word is part of a type rather than a value. */
gboolean
_cured_draft_is_type_word (const CuredTokens *tokens, guint index)
{
  g_autofree char *word = _cured_tokens_dup (tokens, index);

  return is_type_word (word) || _cured_draft_get_type_size (word) > 0 ||
         g_str_has_suffix (word, "_cast") || g_str_equal (word, "thrust");
}

static void
find_type (CuredDraftArgument *self, const char *name)
{
  self->size = _cured_draft_get_type_size (name);
  self->element = self->is_pointer ? CURED_ELEMENT_U32 : CURED_ELEMENT_I32;
  self->count = 1;
  self->is_exact = cured_element_find_c_type (name, &self->element, &self->count);
  /* std::bool_constant<…>, std::integral_constant<…>: it carries only a type. */
  if (!self->is_pointer && g_str_has_suffix (name, "_constant"))
    {
      self->element = CURED_ELEMENT_I8;
      self->size = 1;
      self->is_exact = TRUE;
    }
}

/* One parameter of a function, from its words. */
static void
parse_argument (const CuredTokenSpan *span, gsize n, CuredDraftArgument *self)
{
  const CuredTokens *tokens = span->tokens;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) type = g_string_new (NULL);
  guint end = span->begin, star = G_MAXUINT, n_stars = 0;

  for (; end < span->end && sign (tokens, end) != '='; end++)
    if (sign (tokens, end) == '*' || sign (tokens, end) == '[')
      {
        star = MIN (star, end);
        n_stars++;
      }
  self->is_pointer = n_stars > 0;
  self->is_table = n_stars > 1 && sign (tokens, star) == '*';
  for (guint i = span->begin; i < end; i++)
    if (sign (tokens, i) == '[')
      i = MIN (match (tokens, i), end);
    else if (sign (tokens, i) == '<')
      i = _cured_tokens_skip_angles (tokens, i, end) - 1;
    else if (is_word (tokens, i))
      {
        g_ptr_array_add (words, _cured_tokens_dup (tokens, i));
        /* The target of a pointer to const is only read. */
        self->is_const |= self->is_pointer && i < star && is (tokens, i, "const");
      }
  if (words->len > 1 && !is_type_word (words->pdata[words->len - 1]) &&
      !g_str_has_suffix (words->pdata[words->len - 1], "_constant"))
    {
      self->name = g_strdup (words->pdata[words->len - 1]);
      g_ptr_array_remove_index (words, words->len - 1);
    }
  else
    self->name = g_strdup_printf ("arg%zu", n + 1);
  for (guint i = 0; i < words->len; i++)
    if (!g_strv_contains (qualifiers, words->pdata[i]))
      g_string_append_printf (type, "%s%s", type->len > 0 ? " " : "", (char *) words->pdata[i]);
  find_type (self, type->str);
  if (self->is_const)
    g_string_prepend (type, "const ");
  if (self->is_pointer)
    g_string_append (type, " *");
  self->type = g_string_free (g_steal_pointer (&type), FALSE);
}

static void
parse_arguments (CuredDraftFunction *self, const CuredTokens *tokens, guint begin, guint end)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (CuredDraftArgument));
  g_autoptr (GArray) spans = _cured_draft_split (tokens, begin, end, -1);

  CURED_EACH (const CuredTokenSpan, span, spans)
    {
      CuredDraftArgument argument = { 0 };

      if (span->begin == span->end || list->len == MAX_ARGUMENTS ||
          (span->end == span->begin + 1 && is (tokens, span->begin, "void")))
        continue;
      parse_argument (span, list->len, &argument);
      g_array_append_val (list, argument);
    }
  self->n_arguments = list->len;
  self->arguments = (CuredDraftArgument *) (gpointer) g_array_free (g_steal_pointer (&list), FALSE);
}

/* ---- Functions ---- */

static void
function_free (gpointer data)
{
  CuredDraftFunction *self = data;

  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_arguments; i++)
    {
      g_free (self->arguments[i].name);
      g_free (self->arguments[i].type);
    }
  CURED_CLEAR (arguments, g_free, templates, g_free, space, g_free, name, g_free);
  g_free (self);
}

/* `template <typename T, int N = 4>`, and which parameters have such types. */
static void
parse_template (CuredDraftFunction *self, const CuredTokens *tokens, guint begin, guint end)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (CuredDraftTemplate));
  CuredDraftTemplate parameter = { 0 };
  guint depth = 0, n_words = 0, last = 0;

  for (guint i = begin; i < end; i++)
    {
      char sign = _cured_tokens_get_sign (tokens, i);

      if (sign == '<')
        depth++;
      else if (depth == 1 && (sign == ',' || sign == '>'))
        {
          if (n_words > 0 && list->len < MAX_ARGUMENTS)
            g_array_append_val (list, parameter);
          for (gsize k = 0; n_words > 0 && parameter.is_type && k < self->n_arguments; k++)
            {
              CuredDraftArgument *argument = &self->arguments[k];
              g_autofree char *name = _cured_tokens_dup (tokens, last);
              g_auto (GStrv) words = g_strsplit (argument->type, " ", -1);

              if (argument->size != 0 || !g_strv_contains ((const char *const *) words, name))
                continue;
              /* Draft it for floats. */
              argument->element = CURED_ELEMENT_F32;
              argument->count = 1;
              argument->size = 4;
              argument->is_exact = TRUE;
              argument->of_template = list->len;
            }
          memset (&parameter, 0, sizeof parameter);
          n_words = 0;
          if (sign == '>')
            break;
        }
      else if (sign == '>' && depth > 0)
        depth--;
      else if (sign == '=')
        parameter.has_default = TRUE;
      else if (sign == '.')
        parameter.is_pack = TRUE;
      else if (depth == 1 && sign == 0)
        {
          n_words++;
          parameter.is_type |=
              _cured_tokens_is (tokens, i, "typename") || _cured_tokens_is (tokens, i, "class");
          parameter.is_bool |= _cured_tokens_is (tokens, i, "bool");
          if (!parameter.has_default)
            last = i;
        }
    }
  self->n_template = list->len;
  self->templates = (CuredDraftTemplate *) (gpointer) g_array_free (g_steal_pointer (&list), FALSE);
}

/* @name: a number, or what a macro or a constant defines as one
 * Returns: the number; 0: unknown */
static guint64
find_number (const CuredTokens *tokens, guint name)
{
  g_autofree char *word = _cured_tokens_dup (tokens, name);

  if (g_ascii_isdigit (*word))
    return g_ascii_strtoull (word, NULL, 0);
  CURED_EACH (const CuredDirective, line, tokens->directives)
    {
      const char *at = g_strstr_len (tokens->text + line->begin, line->end - line->begin, word);
      const char *value = at != NULL ? at + strlen (word) : "";

      if (at != NULL && g_ascii_isspace (at[-1]) && g_ascii_isspace (*value) &&
          g_ascii_isdigit (value[strspn (value, " \t")]))
        return g_ascii_strtoull (value, NULL, 0);
    }
  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    if (sign (tokens, i + 1) == '=' && is (tokens, i, word) &&
        CURED_TOKEN (tokens, i + 2)->kind == CURED_TOKEN_NUMBER)
      return g_ascii_strtoull (tokens->text + CURED_TOKEN (tokens, i + 2)->begin, NULL, 0);
  return 0;
}

/* The threads in `__launch_bounds__ (256, 2)`; 0 if there is none. */
static guint
read_bounds (const CuredTokens *tokens, guint begin, guint end)
{
  for (guint i = begin; i + 2 < end; i++)
    if (is (tokens, i, "__launch_bounds__"))
      {
        guint64 number = find_number (tokens, i + 2);

        return number > 1024 ? 0 : (guint) number;
      }
  return 0;
}

/* The first word of the declaration that contains @at. */
static guint
find_begin (const CuredTokens *tokens, guint at)
{
  guint begin = at;

  while (begin > 0 && at - begin < MAX_BEFORE &&
         !_cured_draft_ends_statement (sign (tokens, begin - 1)))
    begin--;
  return begin;
}

static gboolean
has_extern_c (const CuredTokens *tokens, guint begin, guint end)
{
  for (guint i = begin; i + 1 < end; i++)
    if (is (tokens, i, "extern") && is (tokens, i + 1, "\"C\""))
      return TRUE;
  return FALSE;
}

/* Reads the function whose `__global__` is at @at, NULL if there is none; @close: the parenthesis
 * behind its parameters. */
static CuredDraftFunction *
parse_function (const CuredTokens *tokens, guint at, guint *close)
{
  guint begin = find_begin (tokens, at), name = 0, open = at + 1;

  for (; sign (tokens, open) != '(' || name == 0 ||
         g_str_has_prefix (tokens->text + CURED_TOKEN (tokens, name)->begin, "__");
       open++)
    {
      /* Skip __launch_bounds__ (256), __attribute__ ((…)). */
      if (sign (tokens, open) == '(' && name != 0 && match (tokens, open) != CURED_TOKEN_NONE)
        open = match (tokens, open);
      else if (sign (tokens, open) == '(' || open >= tokens->tokens->len ||
               _cured_draft_ends_statement (sign (tokens, open)))
        return NULL;
      else if (is_word (tokens, open))
        name = open;
    }
  *close = match (tokens, open);
  if (*close == CURED_TOKEN_NONE)
    return NULL;
  CuredDraftFunction *self = CURED_NEW (
      CuredDraftFunction, .name = _cured_tokens_dup (tokens, name),
      .is_template = _cured_draft_has_word (tokens, begin, at, "template"),
      .is_extern_c = has_extern_c (tokens, begin, open),
      .has_code = sign (tokens, *close + 1) == '{', .offset = CURED_TOKEN (tokens, begin)->begin,
      .max_threads = read_bounds (tokens, begin, open));
  parse_arguments (self, tokens, open + 1, *close);
  if (self->is_template)
    parse_template (self, tokens, begin, at);
  return self;
}

/* @source: text of a CUDA file
 * Returns: whether it has a header, valid or not */
gboolean
cured_header_is_there (const char *source)
{
  g_return_val_if_fail (source != NULL, FALSE);
  return strstr (source, "/*! cured") != NULL;
}

/* The scope that a brace opens, as far as names depend on it. */
typedef struct
{
  gboolean is_c; /* extern "C" */
  char *name;    /* nullable: of a namespace */
} Brace;

CURED_CLEAR_FUNC (Brace, brace_clear, name, g_free)

/* The scope opened by the brace at @at. */
static Brace
read_brace (const CuredTokens *tokens, guint at)
{
  Brace brace = { FALSE, NULL };
  guint before = find_begin (tokens, at);

  brace.is_c =
      has_extern_c (tokens, before, at) && !_cured_draft_has_word (tokens, before, at, "(");
  before += is (tokens, before, "inline");
  if (before < at && is (tokens, before, "namespace"))
    {
      g_autofree char *name = _cured_draft_dup_span (tokens, before + 1, at);

      if (*name != '\0' &&
          name[strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_:")] == '\0')
        brace.name = g_steal_pointer (&name);
    }
  return brace;
}

/* `a::b::` */
static char *
join_names (GArray *braces)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < braces->len && text->len < MAX_SPACE; i++)
    {
      const char *name = g_array_index (braces, Brace, i).name;

      if (name != NULL)
        g_string_append_printf (text, "%s::", name);
    }
  return g_string_free (text, FALSE);
}

/* Whether a type continues at @i: a word, or the star of a pointer. */
static gboolean
is_of_type (const CuredTokens *tokens, guint i)
{
  return _cured_tokens_get_sign (tokens, i) == 0 || _cured_tokens_get_sign (tokens, i) == '*';
}

/* The type of an alias, from `typedef float NAME;` or `using NAME = float;`; or NULL. */
static char *
find_alias (const CuredTokens *tokens, const char *name)
{
  for (guint i = 0; i + 3 < tokens->tokens->len; i++)
    {
      guint begin = i + 1;
      guint end;

      if (_cured_tokens_is (tokens, i, "using") && _cured_tokens_is (tokens, i + 1, name) &&
          _cured_tokens_get_sign (tokens, i + 2) == '=')
        {
          begin = end = i + 3;
          while (end < tokens->tokens->len && end < begin + MAX_WORDS && is_of_type (tokens, end))
            end++;
        }
      else if (_cured_tokens_is (tokens, i, "typedef"))
        {
          end = begin;
          while (end < tokens->tokens->len && end < begin + MAX_WORDS && is_of_type (tokens, end))
            end++;
          if (end == begin || !_cured_tokens_is (tokens, --end, name))
            continue;
        }
      else
        continue;
      if (end == begin || (_cured_tokens_get_sign (tokens, end) != ';' &&
                           _cured_tokens_get_sign (tokens, end + 1) != ';'))
        continue;
      GString *text = g_string_new (NULL);
      for (; begin < end; begin++)
        {
          g_autofree char *word = _cured_tokens_dup (tokens, begin);

          g_string_append_printf (text, text->len > 0 ? " %s" : "%s", word);
        }
      return g_string_free (text, FALSE);
    }
  return NULL;
}

/* Replaces the file's aliases of types. */
static void
resolve_aliases (GPtrArray *functions, const char *source, const char *context)
{
  g_autofree char *whole =
      context != NULL ? g_strconcat (context, "\n", source, NULL) : g_strdup (source);
  g_autofree char *chosen = _cured_tokens_choose (whole);
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (chosen);

  CURED_EACH_POINTER (const CuredDraftFunction, function, functions)
    {
      for (gsize k = 0; k < function->n_arguments; k++)
        {
          CuredDraftArgument *argument = &function->arguments[k];
          g_autofree char *name = g_strdup (argument->type);

          for (guint turn = 0; turn < MAX_ALIASES && name != NULL && argument->size == 0; turn++)
            {
              if (g_str_has_prefix (name, "const "))
                memmove (name, name + 6, strlen (name) - 5);
              g_strdelimit (name, "*&", ' ');
              char *next = find_alias (tokens, g_strstrip (name));
              g_free (name);
              name = next;
              if (name == NULL)
                break;
              if (strchr (name, '*') != NULL)
                {
                  argument->is_pointer = TRUE;
                  *strchr (name, '*') = '\0';
                  g_strstrip (name);
                  g_free (argument->type);
                  argument->type = g_strconcat (name, " *", NULL);
                }
              find_type (argument, name);
            }
        }
    }
}

/* Whether something of that name is launched: `k<<<`, `k<T> <<<`, or passed to a function. */
static gboolean
is_launched (const char *source, const char *name)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (source);
  gboolean has_call = strstr (source, "cudaLaunch") != NULL;

  for (guint i = 0; i + 3 < tokens->tokens->len; i++)
    if (_cured_tokens_is (tokens, i, name) &&
        (has_call || _cured_tokens_get_sign (tokens, i + 1) == '<'))
      return TRUE;
  CURED_EACH (const CuredDirective, line, tokens->directives)
    {
      g_autofree char *text = g_strndup (source + line->begin, line->end - line->begin);

      if (strstr (text, "<<<") != NULL && strstr (text, name) != NULL)
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_y (const CuredTokens *tokens, guint i)
{
  return is (tokens, i, "threadIdx") && is (tokens, i + 1, ".") && is (tokens, i + 2, "y");
}

/* Adds a function, replacing a previous declaration. */
static void
add_function (GPtrArray *list, CuredDraftFunction *function)
{
  for (guint k = 0; k < list->len; k++)
    {
      CuredDraftFunction *known = list->pdata[k];

      /* `extern "C"` of the declaration applies, too. */
      if (!g_str_equal (known->name, function->name))
        continue;
      if (known->has_code && function->has_code)
        {
          known->is_overloaded = function->is_overloaded = TRUE;
          continue;
        }
      function->is_extern_c |= known->is_extern_c;
      g_ptr_array_remove_index (list, k);
      break;
    }
  g_ptr_array_add (list, function);
}

/* Whether the `__global__` at @at is an explicit specialization, `template <> __global__ void
 * k<float> (…)`: the known template then has code. */
static gboolean
is_specialised (GPtrArray *list, const CuredTokens *tokens, guint at)
{
  guint begin = find_begin (tokens, at);

  if (!is (tokens, begin, "template") || sign (tokens, begin + 1) != '<' ||
      sign (tokens, begin + 2) != '>')
    return FALSE;
  CURED_EACH_POINTER (CuredDraftFunction, function, list)
    for (guint i = at; sign (tokens, i) != '(' && i < at + MAX_BEFORE; i++)
      function->has_code |= is (tokens, i, function->name);
  return TRUE;
}

/* The functions of one text. */
static GPtrArray *
scan (const char *source)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (function_free);
  /* Of the same length as the source: branches left out by #ifdef are blank. */
  g_autofree char *chosen = _cured_tokens_choose (source);
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (chosen);
  g_autoptr (GArray) braces = g_array_new (FALSE, TRUE, sizeof (Brace));
  gboolean uses_y = FALSE; /* outside of kernels */
  guint n_attempts = 0, close = 0;
  gsize at = 0;
  int line = 1;

  g_array_set_clear_func (braces, brace_clear);
  for (guint i = 0; i < tokens->tokens->len && list->len < MAX_FUNCTIONS; i++)
    {
      CuredDraftFunction *function = NULL;

      for (; at < CURED_TOKEN (tokens, i)->begin; at++)
        line += chosen[at] == '\n';
      uses_y |= has_y (tokens, i);
      if (sign (tokens, i) == '{')
        {
          Brace brace = read_brace (tokens, i);

          g_array_append_val (braces, brace);
        }
      else if (sign (tokens, i) == '}' && braces->len > 0)
        g_array_set_size (braces, braces->len - 1);
      else if (is (tokens, i, "__global__") && n_attempts++ < MAX_ATTEMPTS &&
               !is_specialised (list, tokens, i))
        function = parse_function (tokens, i, &close);
      if (function == NULL)
        continue;
      function->line = line;
      function->space = join_names (braces);
      CURED_EACH (const Brace, brace, braces)
        function->is_extern_c |= brace->is_c;
      guint end = match (tokens, close + 1);
      if (function->has_code && end != CURED_TOKEN_NONE)
        for (; i < end; i++)
          function->uses_y |= has_y (tokens, i);
      add_function (list, function);
    }
  CURED_EACH_POINTER (CuredDraftFunction, function, list)
    function->uses_y |= uses_y;
  return list;
}

/* @source: text of a CUDA file, UTF-8; may be truncated, or not C at all
 * @context: (nullable): from cured_header_draft_read_context(): may define
 *   types
 *
 * Finds the functions that can be launched: those of @context, too, that @source launches.
 * Comments, strings and preprocessor lines are ignored; macros are not expanded.
 * Returns: (transfer full) (element-type CuredDraftFunction): in the source's order, then those of
 *   @context; possibly empty */
GPtrArray *
cured_header_draft_scan (const char *source, const char *context)
{
  g_return_val_if_fail (source != NULL, NULL);

  GPtrArray *list = scan (source);
  g_autoptr (GPtrArray) of_context = context != NULL ? scan (context) : NULL;
  for (guint i = 0; of_context != NULL && i < of_context->len; i++)
    {
      CuredDraftFunction *function = of_context->pdata[i];

      if (!is_launched (source, function->name))
        continue;
      /* It is in another file. */
      function->offset = G_MAXSIZE;
      function->line = 0;
      of_context->pdata[i] = NULL;
      g_ptr_array_add (list, function);
    }
  resolve_aliases (list, source, context);
  return list;
}

/* ---- The draft ---- */

CURED_FREE_FUNC (CuredDraftParameter, parameter_free, name, g_free, values, g_free, default_value,
                 g_free, sweep, g_free)

/* @self: (transfer full): a buffer of a draft */
CURED_DEFINE_FREE (CuredDraftBuffer, cured_draft_buffer_free, name, g_free, record, g_free, length,
                   g_free, fill, g_free, low, g_free, high, g_free)

static void
add_parameter (CuredHeaderDraft *self, const char *name, CuredParameterKind kind,
               const char *values, const char *default_value)
{
  CuredDraftParameter *parameter = CURED_NEW (
      CuredDraftParameter, .name = g_strdup (name), .kind = kind, .values = g_strdup (values),
      .default_value = g_strdup (default_value), .is_guess = TRUE);

  g_ptr_array_add (self->parameters, parameter);
}

/* Whether a header keeps the name for itself. */
gboolean
_cured_draft_is_taken (const char *name)
{
  static const CuredLimits limits;
  gint64 value;

  return cured_limits_get (&limits, name, &value) || _cured_kernel_is_reserved (name);
}

static char *
make_name (const char *name)
{
  return g_strconcat (name, _cured_draft_is_taken (name) ? "_" : "", NULL);
}

/* A name for the block size that the function does not use. */
static const char *
choose_threads (const CuredDraftFunction *function)
{
  for (gsize i = 0; i < function->n_arguments; i++)
    if (g_str_equal (function->arguments[i].name, "threads"))
      return "block_threads";
  return "threads";
}

/* The pointer to the kernel's output; NULL if there is none. */
static const CuredDraftArgument *
find_output (const CuredDraftFunction *function)
{
  static const char *const names[] = {
    "out", "output", "result", "dst", "res", "c", "C", "y", NULL
  };
  const CuredDraftArgument *last = NULL;

  for (gsize i = 0; i < function->n_arguments; i++)
    {
      const CuredDraftArgument *argument = &function->arguments[i];

      if (!argument->is_pointer || argument->is_const)
        continue;
      last = argument;
      if (g_strv_contains (names, argument->name) || g_str_has_suffix (argument->name, "out") ||
          g_str_has_prefix (argument->name, "out"))
        return argument;
    }
  return last;
}

/* Whether the name could be a struct's. */
static gboolean
is_plain_name (const char *text)
{
  gsize length = strlen (text);

  return length > 0 && !g_ascii_isdigit (*text) &&
         strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == length;
}

/* (transfer full) (nullable): a vector, or a struct declared in @source, if any, as a type of a
 * header; NULL for a scalar, or a type that a buffer can't have. */
char *
_cured_draft_find_record (const char *source, const CuredDraftArgument *argument,
                          CuredRecord **record)
{
  g_autoptr (CuredRecord) found = NULL;
  g_auto (GStrv) words = NULL;
  g_autofree char *plain = g_strdup (argument->type), *text = NULL;
  const char *name = NULL;

  if (argument->count > 1)
    {
      found = cured_record_new_vector (argument->element, argument->count);
      text = g_strdup (found->text);
    }
  else if (source != NULL && argument->size == 0)
    {
      g_strdelimit (plain, "*&\t", ' ');
      words = g_strsplit (plain, " ", -1);
      for (guint i = 0; words[i] != NULL; i++)
        if (is_plain_name (words[i]) && !g_str_equal (words[i], "const") &&
            !g_str_equal (words[i], "struct") && !g_str_has_prefix (words[i], "__restrict"))
          {
            /* Two words can't be a struct's name. */
            if (name != NULL)
              return NULL;
            name = words[i];
          }
      if (name == NULL || strpbrk (plain, "<:") != NULL)
        return NULL;
      found = _cured_record_new_from_source (source, name, NULL);
      if (found == NULL || cured_record_has_pointer (found))
        return NULL;
      text = g_strconcat ("struct:", name, NULL);
    }
  if (record != NULL)
    *record = g_steal_pointer (&found);
  return g_steal_pointer (&text);
}

/* An empty draft. */
CuredHeaderDraft *
_cured_header_draft_new_bare (void)
{
  CuredHeaderDraft *self = g_new0 (CuredHeaderDraft, 1);

  self->parameters = g_ptr_array_new_with_free_func (parameter_free);
  self->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_draft_buffer_free);
  return self;
}

/* Appends a mangled type; previous parts are S_, S0_ … */
static void
mangle_type (GString *symbol, const char *type, GPtrArray *known)
{
  static const struct
  {
    const char *type, *code;
  } codes[] = {
    { "bool", "b" },          { "char", "c" },           { "signed char", "a" },
    { "unsigned char", "h" }, { "uint8_t", "h" },        { "int8_t", "a" },
    { "short", "s" },         { "unsigned short", "t" }, { "uint16_t", "t" },
    { "int", "i" },           { "int32_t", "i" },        { "unsigned", "j" },
    { "uint", "j" },          { "uint32_t", "j" },       { "unsigned int", "j" },
    { "long", "l" },          { "size_t", "m" },         { "unsigned long", "m" },
    { "long long", "x" },     { "int64_t", "x" },        { "unsigned long long", "y" },
    { "uint64_t", "y" },      { "float", "f" },          { "double", "d" },
    { "void", "v" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_equal (codes[i].type, type))
      {
        g_string_append (symbol, codes[i].code);
        return;
      }
  for (guint i = 0; i < known->len; i++)
    if (g_str_equal (known->pdata[i], type))
      {
        g_string_append_printf (symbol, i == 0 ? "S_" : "S%c_", (int) ('0' + i - 1));
        return;
      }
  if (g_str_has_suffix (type, " *"))
    {
      g_autofree char *inner = g_strndup (type, strlen (type) - 2);

      g_string_append_c (symbol, 'P');
      mangle_type (symbol, inner, known);
    }
  else if (g_str_has_prefix (type, "const "))
    {
      g_string_append_c (symbol, 'K');
      mangle_type (symbol, type + strlen ("const "), known);
    }
  else
    g_string_append_printf (symbol, "%zu%s", strlen (type), type);
  if (known->len < 10)
    g_ptr_array_add (known, g_strdup (type));
}

/* (transfer full): the mangled symbol of an overloaded kernel. */
static char *
mangle (const CuredDraftFunction *function)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);
  GString *symbol = g_string_new (NULL);

  g_string_printf (symbol, "_Z%zu%s", strlen (function->name), function->name);
  for (gsize i = 0; i < function->n_arguments; i++)
    mangle_type (symbol, function->arguments[i].type, known);
  return g_string_free (symbol, FALSE);
}

/* A draft with only the kernel's name. */
CuredHeaderDraft *
_cured_header_draft_new_empty (const CuredDraftFunction *function, const char *title)
{
  CuredHeaderDraft *self = _cured_header_draft_new_bare ();
  GString *entry = g_string_new (function->space);

  g_string_append (entry, function->name);
  /* A template without further information: of floats, and a common size. */
  for (gsize i = 0; i < function->n_template; i++)
    {
      const CuredDraftTemplate *parameter = &function->templates[i];

      if (parameter->is_pack || parameter->has_default)
        break;
      g_string_append_printf (entry, "%s%s", i > 0 ? ", " : "<",
                              parameter->is_type   ? "float"
                              : parameter->is_bool ? "false"
                                                   : "16");
    }
  if (strchr (entry->str, '<') != NULL)
    g_string_append_c (entry, '>');
  self->title = g_strdup (title);
  self->function = g_strdup (function->name);
  self->entry = g_string_free (entry, FALSE);
  if (function->is_overloaded && !function->is_template && *function->space == '\0')
    {
      g_free (self->entry);
      self->entry = mangle (function);
    }
  return self;
}

/* @function: one from cured_header_draft_scan()
 * @title: title of the kernel
 *
 * Guesses a header: pointers become buffers as long as the product of the first two integers,
 * integers become problem sizes, and reals the number 1.
 * Returns: (transfer full): a draft to be corrected */
CuredHeaderDraft *
cured_header_draft_new (const CuredDraftFunction *function, const char *title)
{
  CuredHeaderDraft *self = NULL;
  g_autoptr (GString) arguments = g_string_new (NULL);
  /* Two, and the end of the list. */
  g_auto (GStrv) sizes = g_new0 (char *, 3);
  g_autofree char *length = NULL, *values = NULL;
  guint max_threads;
  gsize n_sizes = 0;

  g_return_val_if_fail (function != NULL, self);
  g_return_val_if_fail (title != NULL, self);

  self = _cured_header_draft_new_empty (function, title);
  const CuredDraftArgument *output = find_output (function);
  const char *threads = choose_threads (function);
  max_threads = function->max_threads > 0 ? function->max_threads : 1024;
  for (gsize i = 0; i < function->n_arguments; i++)
    {
      const CuredDraftArgument *argument = &function->arguments[i];

      if (!argument->is_pointer && cured_element_is_integer (argument->element) && n_sizes++ < 2)
        sizes[n_sizes - 1] = make_name (argument->name);
    }
  values = g_strdup_printf ("1..%u", max_threads);
  if (function->uses_y)
    {
      g_autofree char *rows = g_strdup_printf ("%u", CLAMP (max_threads / 16, 1, 16));

      add_parameter (self, "threads_x", CURED_PARAMETER_LAUNCH, values,
                     max_threads < 16 ? values + strlen ("1..") : "16");
      add_parameter (self, "threads_y", CURED_PARAMETER_LAUNCH, values, rows);
    }
  else
    add_parameter (self, threads, CURED_PARAMETER_LAUNCH, values,
                   max_threads < 256 ? values + strlen ("1..") : "256");
  if (n_sizes == 0)
    {
      sizes[0] = g_strdup ("n");
      add_parameter (self, "n", CURED_PARAMETER_PROBLEM, NULL, function->uses_y ? "1024" : "2^20");
    }
  if (sizes[1] != NULL)
    length = g_strdup_printf ("%s*%s", sizes[0], sizes[1]);
  else if (function->uses_y)
    length = g_strdup_printf ("%s*%s", sizes[0], sizes[0]);
  else
    length = g_strdup (sizes[0]);

  for (gsize i = 0; i < function->n_arguments; i++)
    {
      const CuredDraftArgument *argument = &function->arguments[i];
      g_autofree char *name = make_name (argument->name);
      const char *comma = arguments->len > 0 ? "," : "";

      if (argument->is_pointer)
        {
          CuredDraftBuffer *buffer =
              CURED_NEW (CuredDraftBuffer, .name = g_strdup (name), .type = argument->element,
                         .record = _cured_draft_find_record (NULL, argument, NULL),
                         .length = g_strdup (length),
                         .fill = g_strdup (argument == output ? "poison" : "uniform"));

          g_ptr_array_add (self->buffers, buffer);
          g_string_append_printf (arguments, "%s%s", comma, name);
        }
      else if (!cured_element_is_integer (argument->element))
        g_string_append_printf (arguments, "%s1:%s", comma,
                                cured_element_to_string (argument->element));
      else
        {
          add_parameter (self, name, CURED_PARAMETER_PROBLEM, NULL,
                         n_sizes > 1 || function->uses_y ? "1024" : "2^20");
          g_string_append_printf (arguments, "%s%s", comma, name);
          if (argument->element != CURED_ELEMENT_I32)
            g_string_append_printf (arguments, ":%s", cured_element_to_string (argument->element));
        }
    }
  if (output != NULL)
    self->output = make_name (output->name);
  if (function->uses_y)
    {
      self->block = g_strdup ("threads_x,threads_y");
      self->grid = g_strdup_printf ("ceil(%s/threads_x),ceil(%s/threads_y)",
                                    sizes[1] != NULL ? sizes[1] : sizes[0], sizes[0]);
    }
  else
    {
      self->block = g_strdup (threads);
      self->grid = g_strdup_printf ("ceil(%s/%s)", length, threads);
    }
  self->arguments = g_string_free (g_steal_pointer (&arguments), FALSE);
  return self;
}

/* @self: (nullable) (transfer full): a draft */
void
cured_header_draft_free (CuredHeaderDraft *self)
{
  if (self == NULL)
    return;
  CURED_CLEAR (title, g_free, function, g_free, entry, g_free, grid, g_free, block, g_free, cluster,
               g_free, shared, g_free, arguments, g_free, output, g_free, reference, g_free,
               parameters, g_ptr_array_unref, buffers, g_ptr_array_unref);
  CURED_CLEAR (fields, g_ptr_array_unref, setup, g_ptr_array_unref, code, g_free);
  g_free (self);
}

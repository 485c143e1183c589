/* SPDX-License-Identifier: MIT
 * Cuts a CUDA source into words, numbers and brackets.
 *
 * Knows as much of C++ as it takes to find the end of a declaration: comments, strings (raw ones,
 * too), preprocessor lines, brackets. All branches of an `#if` start with the brackets that were
 * open at the `#if`, so that a brace opened in each branch is closed once. Sources are untrusted:
 * the time is linear in their length. */
#include "kernel/cured-tokens-internal.h"

#include "base/cured-base-internal.h"

/* Far more than handwritten files have; longer sources are left unchanged. */
#define MAX_TOKENS (2 << 20)
#define MAX_DEPTH  256
#define MAX_RAW    16
/* Limit of tokens in a list of template arguments. */
#define MAX_ANGLES 4096u

/* Index of an open bracket. */
typedef guint32 Open;

/* The state at an `#if`, to restore at its `#else`. */
typedef struct
{
  Open *open; /* copy of the stack */
  guint n_open;
  GArray *orphans; /* (element-type Orphan) */
} Branch;

/* A bracket left open by a branch that is not the last: the last branch's one closes both. */
typedef struct
{
  guint depth;
  guint32 token;
} Orphan;

/* @token has the same closing bracket as @other. */
typedef struct
{
  guint32 token, other;
} Alias;

typedef struct
{
  CuredTokens *result;
  const char *text;
  gsize length;
  GArray *open;     /* (element-type Open) */
  GArray *branches; /* (element-type Branch) */
  GArray *aliases;  /* (element-type Alias) */
  gboolean is_line_begin;
} Lexer;

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

CURED_CLEAR_FUNC (Branch, branch_clear, open, g_free, orphans, g_array_unref)

static gboolean
is_spliced (const char *text, gsize newline)
{
  if (newline > 0 && text[newline - 1] == '\r')
    newline--;
  return newline > 0 && text[newline - 1] == '\\';
}

/* The end of a comment that begins at @i; @i if none does. */
static gsize
skip_comment (const Lexer *self, gsize i)
{
  const char *text = self->text;

  if (text[i] != '/')
    return i;
  if (text[i + 1] == '*')
    {
      const char *close = strstr (text + i + 2, "*/");

      return close != NULL ? (gsize) (close - text) + 2 : self->length;
    }
  if (text[i + 1] != '/')
    return i;
  while (i < self->length && (text[i] != '\n' || is_spliced (text, i)))
    i++;
  return i;
}

/* The end of the string or character literal at @i. */
static gsize
skip_quoted (const Lexer *self, gsize i)
{
  char quote = self->text[i];

  for (i++; i < self->length; i++)
    if (self->text[i] == '\\' && i + 1 < self->length)
      i++;
    else if (self->text[i] == quote)
      return i + 1;
    else if (self->text[i] == '\n')
      return i;
  return self->length;
}

/* R"name(…)name", whose quotation mark is at @i. */
static gsize
skip_raw (const Lexer *self, gsize i)
{
  char end[MAX_RAW + 3] = ")";
  gsize n = strcspn (self->text + i + 1, "( \t\n\\)\"");

  if (n > MAX_RAW || self->text[i + 1 + n] != '(')
    return skip_quoted (self, i);
  memcpy (end + 1, self->text + i + 1, n);
  end[n + 1] = '"';
  const char *found = strstr (self->text + i + 1 + n, end);
  return found != NULL ? (gsize) (found - self->text) + n + 2 : self->length;
}

/* The end of the preprocessor line that begins at @i. */
static gsize
skip_directive (const Lexer *self, gsize i)
{
  const char *text = self->text;

  while (i < self->length)
    {
      gsize comment = skip_comment (self, i);

      if (comment > i)
        i = comment;
      else if (text[i] == '\n' && !is_spliced (text, i))
        return i;
      else if (text[i] == '"')
        i = skip_quoted (self, i);
      else
        i++;
    }
  return self->length;
}

static void
add (Lexer *self, CuredSourceTokenKind kind, gsize begin, gsize end)
{
  CuredSourceToken token = { .begin = (guint32) begin,
                             .end = (guint32) end,
                             .match = CURED_TOKEN_NONE,
                             .kind = (guint8) kind,
                             .is_first = self->is_line_begin };

  g_array_append_val (self->result->tokens, token);
  self->is_line_begin = FALSE;
}

static void
close_bracket (Lexer *self, char sign)
{
  char wanted = sign == ')' ? '(' : sign == ']' ? '[' : '{';
  guint n = self->open->len;

  while (n > 0)
    {
      guint32 index = g_array_index (self->open, Open, n - 1);
      CuredSourceToken *token = CURED_TOKEN (self->result, index);

      if (self->text[token->begin] == wanted)
        {
          token->match = self->result->tokens->len - 1;
          break;
        }
      /* A parenthesis does not close a brace. */
      if (wanted != '{')
        n = 1;
      n--;
    }
  if (n == 0)
    self->result->is_whole = FALSE;
  else
    {
      if (n != self->open->len)
        self->result->is_whole = FALSE;
      g_array_set_size (self->open, n - 1);
    }
}

static void
begin_branch (Lexer *self)
{
  Branch branch = { .n_open = self->open->len };

  if (self->branches->len >= MAX_DEPTH)
    {
      self->result->is_whole = FALSE;
      return;
    }
  branch.open = g_memdup2 (self->open->data, branch.n_open * sizeof (Open));
  branch.orphans = g_array_new (FALSE, FALSE, sizeof (Orphan));
  g_array_append_val (self->branches, branch);
}

static void
next_branch (Lexer *self)
{
  if (self->branches->len == 0)
    return;
  Branch *branch = &g_array_index (self->branches, Branch, self->branches->len - 1);
  for (guint i = branch->n_open; i < self->open->len; i++)
    {
      Orphan orphan = { i, g_array_index (self->open, Open, i) };

      /* Bounds a long chain of `#elif`, each of which opens a brace. */
      if (branch->orphans->len < MAX_DEPTH)
        g_array_append_val (branch->orphans, orphan);
    }
  g_array_set_size (self->open, 0);
  g_array_append_vals (self->open, branch->open, branch->n_open);
}

static void
end_branch (Lexer *self)
{
  if (self->branches->len == 0)
    return;
  Branch *branch = &g_array_index (self->branches, Branch, self->branches->len - 1);
  CURED_EACH (Orphan, orphan, branch->orphans)
    {
      Alias alias = { .token = orphan->token };

      if (orphan->depth >= self->open->len)
        {
          self->result->is_whole = FALSE;
          continue;
        }
      alias.other = g_array_index (self->open, Open, orphan->depth);
      g_array_append_val (self->aliases, alias);
    }
  g_array_set_size (self->branches, self->branches->len - 1);
}

/* The directive's name. */
static gsize
read_directive (const Lexer *self, gsize begin, const char **word)
{
  gsize i = begin + 1, n = 0;

  while (self->text[i] == ' ' || self->text[i] == '\t')
    i++;
  *word = self->text + i;
  while (g_ascii_isalpha ((*word)[n]))
    n++;
  return n;
}

static gboolean
is_word_of (const char *word, gsize n, const char *expected)
{
  return strlen (expected) == n && strncmp (word, expected, n) == 0;
}

/* The end of the text in `#if 0` that begins at @i: the line of its `#else` or `#endif`. */
static gsize
skip_dead (const Lexer *self, gsize i)
{
  guint depth = 0;

  while (i < self->length)
    {
      gsize at = i;

      while (self->text[at] == ' ' || self->text[at] == '\t')
        at++;
      if (self->text[at] == '#')
        {
          const char *word;
          gsize n = read_directive (self, at, &word);

          if (n >= 2 && strncmp (word, "if", 2) == 0)
            depth++;
          else if (depth == 0 && n >= 4 &&
                   (strncmp (word, "el", 2) == 0 || is_word_of (word, n, "endif")))
            return i;
          else if (is_word_of (word, n, "endif"))
            depth--;
        }
      const char *newline = strchr (self->text + i, '\n');
      if (newline == NULL)
        return self->length;
      i = (gsize) (newline - self->text) + 1;
    }
  return i;
}

static gsize
read_line (Lexer *self, gsize i)
{
  CuredDirective line = { .begin = (guint32) i };
  const char *word;
  gsize n = read_directive (self, i, &word), end = skip_directive (self, i);

  line.end = (guint32) end;
  g_array_append_val (self->result->directives, line);
  if (is_word_of (word, n, "if") || is_word_of (word, n, "ifdef") || is_word_of (word, n, "ifndef"))
    {
      const char *condition = word + n + strspn (word + n, " \t(");

      begin_branch (self);
      if (is_word_of (word, n, "if") && *condition == '0' && !is_word_char (condition[1]) &&
          condition + 1 + strspn (condition + 1, " \t)\r") == self->text + end)
        return skip_dead (self, MIN (end + 1, self->length));
    }
  else if (is_word_of (word, n, "else") || is_word_of (word, n, "elif"))
    next_branch (self);
  else if (is_word_of (word, n, "endif"))
    end_branch (self);
  return end;
}

static gsize
read_number (const Lexer *self, gsize i)
{
  const char *text = self->text;

  while (is_word_char (text[i]) || text[i] == '.' ||
         (text[i] == '\'' && g_ascii_isalnum (text[i + 1])) ||
         ((text[i] == '+' || text[i] == '-') && strchr ("eEpP", text[i - 1]) != NULL))
    i++;
  return i;
}

static gsize
read_token (Lexer *self, gsize i)
{
  const char *text = self->text;
  char c = text[i];
  gsize end = i + 1;

  if (g_ascii_isdigit (c) || (c == '.' && g_ascii_isdigit (text[i + 1])))
    {
      end = read_number (self, i);
      add (self, CURED_TOKEN_NUMBER, i, end);
    }
  else if (is_word_char (c))
    {
      while (is_word_char (text[end]))
        end++;
      if (text[end] == '"' && text[end - 1] == 'R' && end - i <= 3)
        {
          end = skip_raw (self, end);
          add (self, CURED_TOKEN_TEXT, i, end);
        }
      else
        add (self, CURED_TOKEN_WORD, i, end);
    }
  else if (c == '"' || c == '\'')
    {
      end = skip_quoted (self, i);
      add (self, CURED_TOKEN_TEXT, i, end);
    }
  else
    {
      add (self, CURED_TOKEN_SIGN, i, end);
      if (c == '(' || c == '[' || c == '{')
        {
          Open open = self->result->tokens->len - 1;

          g_array_append_val (self->open, open);
          if (self->open->len > MAX_DEPTH)
            {
              self->result->is_whole = FALSE;
              return self->length;
            }
        }
      else if (c == ')' || c == ']' || c == '}')
        close_bracket (self, c);
    }
  return end;
}

/* (transfer full): the tokens; @text must outlive them. */
CuredTokens *
_cured_tokens_new (const char *text)
{
  CuredTokens *result = g_new0 (CuredTokens, 1);
  Lexer self = { .result = result, .text = text, .length = strlen (text), .is_line_begin = TRUE };
  gsize i = g_str_has_prefix (text, "\xef\xbb\xbf") ? 3 : 0;

  result->text = text;
  result->is_whole = self.length < G_MAXUINT32;
  result->tokens = g_array_new (FALSE, FALSE, sizeof (CuredSourceToken));
  result->directives = g_array_new (FALSE, FALSE, sizeof (CuredDirective));
  self.open = g_array_new (FALSE, FALSE, sizeof (Open));
  self.branches = g_array_new (FALSE, FALSE, sizeof (Branch));
  g_array_set_clear_func (self.branches, branch_clear);
  self.aliases = g_array_new (FALSE, FALSE, sizeof (Alias));
  while (self.length < G_MAXUINT32 && i < self.length && result->tokens->len < MAX_TOKENS)
    {
      gsize comment = skip_comment (&self, i);

      if (comment > i)
        i = comment;
      else if (text[i] == '\n')
        {
          self.is_line_begin = TRUE;
          i++;
        }
      else if (g_ascii_isspace (text[i]))
        i++;
      else if (text[i] == '\\' && (text[i + 1] == '\n' || text[i + 1] == '\r'))
        i += 2;
      else if (text[i] == '#' && self.is_line_begin)
        i = read_line (&self, i);
      else
        i = read_token (&self, i);
      if (result->tokens->len >= MAX_TOKENS)
        result->is_whole = FALSE;
    }
  for (guint k = self.aliases->len; k > 0; k--)
    {
      const Alias *alias = &g_array_index (self.aliases, Alias, k - 1);

      CURED_TOKEN (result, alias->token)->match = CURED_TOKEN (result, alias->other)->match;
    }
  if (self.open->len > 0)
    result->is_whole = FALSE;
  g_array_unref (self.open);
  g_array_unref (self.branches);
  g_array_unref (self.aliases);
  return result;
}

CURED_DEFINE_FREE (CuredTokens, _cured_tokens_free, tokens, g_array_unref, directives,
                   g_array_unref, firsts, g_hash_table_unref, nexts, g_free)

/* Whether the token is this word or sign. */
gboolean
_cured_tokens_is (const CuredTokens *self, guint index, const char *word)
{
  gsize n = strlen (word);

  if (index >= self->tokens->len)
    return FALSE;
  const CuredSourceToken *token = CURED_TOKEN (self, index);
  return token->end - token->begin == n && strncmp (self->text + token->begin, word, n) == 0;
}

/* The token's sign, 0 if it is not a sign. */
char
_cured_tokens_get_sign (const CuredTokens *self, guint index)
{
  if (index >= self->tokens->len || CURED_TOKEN (self, index)->kind != CURED_TOKEN_SIGN)
    return 0;
  return self->text[CURED_TOKEN (self, index)->begin];
}

/* (transfer full): the token's text. */
char *
_cured_tokens_dup (const CuredTokens *self, guint index)
{
  const CuredSourceToken *token = CURED_TOKEN (self, index);

  return g_strndup (self->text + token->begin, token->end - token->begin);
}

/* Searches for names go from hit to hit, since each launch of a file makes some. */
static void
link_words (CuredTokens *self)
{
  self->firsts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->nexts = g_new (guint32, self->tokens->len + 1);
  for (guint i = self->tokens->len; i-- > 0;)
    {
      if (CURED_TOKEN (self, i)->kind != CURED_TOKEN_WORD)
        continue;
      char *word = _cured_tokens_dup (self, i);

      self->nexts[i] = _cured_tokens_find (self, word);
      g_hash_table_insert (self->firsts, word, GUINT_TO_POINTER (i + 1));
    }
}

/* Index of the first token that is the word; %CURED_TOKEN_NONE where there is none. */
guint
_cured_tokens_find (const CuredTokens *self, const char *word)
{
  if (self->firsts == NULL)
    link_words ((CuredTokens *) self);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->firsts, word)) - 1;
}

/* The same, of the word that is a token of @others. */
guint
_cured_tokens_find_same (const CuredTokens *self, const CuredTokens *others, guint index)
{
  g_autofree char *word = _cured_tokens_dup (others, index);

  return _cured_tokens_find (self, word);
}

/* The token behind the matching `>`; @index + 1 if the statement ends before one. */
guint
_cured_tokens_skip_angles (const CuredTokens *self, guint index, guint last)
{
  guint depth = 0;

  last = MIN (last, index + MIN (MAX_ANGLES, G_MAXUINT32 - index));
  for (guint i = index; i < last; i++)
    {
      char sign = _cured_tokens_get_sign (self, i);

      if (sign == '<')
        depth++;
      else if (sign == '>' && _cured_tokens_get_sign (self, i - 1) != '-' && --depth == 0)
        return i + 1;
      else if (sign == ';' || sign == '}')
        break;
      else if ((sign == '(' || sign == '[' || sign == '{') &&
               CURED_TOKEN (self, i)->match != CURED_TOKEN_NONE)
        i = CURED_TOKEN (self, i)->match;
    }
  return index + 1;
}

/* Whether a branch of an `#if` is compiled. */
typedef enum
{
  PART_UNKNOWN,
  PART_TAKEN,
  PART_LEFT_OUT,
} PartState;

typedef struct
{
  PartState state;
  gsize begin; /* offset of the branch */
} Part;

static void
blank (char *text, gsize begin, gsize end)
{
  for (gsize i = begin; i < end; i++)
    if (text[i] != '\n' && text[i] != '\r')
      text[i] = ' ';
}

/* Whether compilers predefine the macro. */
static gboolean
is_of_compiler (const char *name)
{
  static const char *const prefixes[] = {
    "__CUDA",  "__NV",    "__cplusplus", "__GNU",   "__GXX",  "__HIP", "__clang", "__SYCL",
    "__INTEL", "__linux", "__x86",       "__APPLE", "__unix", "__AMD", "__SIZEOF"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

/* Evaluates a condition on one name, by the names that the file defined so far. For a compiler's
 * predefined names, the result is unknown. */
static PartState
judge (GHashTable *defined, const char *word, gsize n, const char *end)
{
  gboolean is_negated = is_word_of (word, n, "ifndef");
  const char *at = word + n + strspn (word + n, " \t");
  gsize length = 0;

  if (is_word_of (word, n, "if"))
    {
      if (*at == '!')
        {
          is_negated = TRUE;
          at++;
        }
      if (strncmp (at, "defined", strlen ("defined")) != 0)
        return PART_UNKNOWN;
      at += strlen ("defined");
      at += strspn (at, " \t(");
    }
  while (at + length < end && is_word_char (at[length]))
    length++;
  if (length == 0 || is_of_compiler (at) || at + length + strspn (at + length, " \t)\r") < end)
    return PART_UNKNOWN;
  g_autofree char *name = g_strndup (at, length);
  return g_hash_table_contains (defined, name) != is_negated ? PART_TAKEN : PART_LEFT_OUT;
}

/* Names from a compiler's command line are unknown, and count as undefined. Returns (transfer
 * full): @text with blanks over the branches that `#ifdef`, `#ifndef` and `#if defined` of one name
 * leave out. */
char *
_cured_tokens_choose (const char *text)
{
  char *chosen = g_strdup (text);
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);
  g_autoptr (GHashTable) defined = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  Lexer lexer = { .text = text, .length = strlen (text) };

  for (guint i = 0; i < tokens->directives->len; i++)
    {
      CuredDirective line = g_array_index (tokens->directives, CuredDirective, i);
      Part *last = parts->len > 0 ? &g_array_index (parts, Part, parts->len - 1) : NULL;
      const char *word;
      gsize n = read_directive (&lexer, line.begin, &word);
      gboolean is_there = TRUE;

      for (guint k = 0; k < parts->len && k < MAX_DEPTH; k++)
        is_there &= g_array_index (parts, Part, k).state != PART_LEFT_OUT;
      if (is_there && (is_word_of (word, n, "define") || is_word_of (word, n, "undef")))
        {
          const char *at = word + n + strspn (word + n, " \t");
          gsize length = 0;

          while (is_word_char (at[length]))
            length++;
          g_autofree char *name = g_strndup (at, length);
          if (is_word_of (word, n, "undef"))
            g_hash_table_remove (defined, name);
          else
            g_hash_table_add (defined, g_steal_pointer (&name));
        }
      else if (is_word_of (word, n, "if") || is_word_of (word, n, "ifdef") ||
               is_word_of (word, n, "ifndef"))
        {
          Part part = { judge (defined, word, n, text + line.end), line.end };

          g_array_append_val (parts, part);
        }
      else if (last != NULL && (is_word_of (word, n, "else") || is_word_of (word, n, "elif") ||
                                is_word_of (word, n, "endif")))
        {
          if (last->state == PART_LEFT_OUT)
            blank (chosen, last->begin, line.begin);
          last->begin = line.end;
          last->state = last->state == PART_TAKEN ? PART_LEFT_OUT
                        : last->state == PART_LEFT_OUT && is_word_of (word, n, "else")
                            ? PART_TAKEN
                            : PART_UNKNOWN;
          if (is_word_of (word, n, "endif"))
            g_array_set_size (parts, parts->len - 1);
        }
    }
  return chosen;
}

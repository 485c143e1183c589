/* SPDX-License-Identifier: MIT
 * Remedies: changes of a kernel that were tried, and remove a finding. */
#include "inspect/cured-remedy.h"

#include "base/cured-base-internal.h"

/* Implementation notes: this code does not parse CUDA. It changes a copy of the text, at places
 * that look like ends of statements or like arrays in shared memory, and runs the copy on the
 * emulator. A change that does not compile, diverges at the barrier or has new findings is not a
 * remedy. */

/* Limit of trials per inspection: each needs a compilation. */
#define MAX_TRIALS 12
/* Limit of places for one finding, or for one array. */
#define MAX_PLACES 4
/* A longer text is not edited by hand. */
#define MAX_TEXT (1 << 20)

typedef struct
{
  /* Borrowed */
  CuredKernel *kernel;
  const CuredInspection *before;
  CuredInspectFunc inspect;
  gpointer data;
  GCancellable *cancellable;

  /* Owned */
  char *code;   /* the kernel's text, its comments and strings blanked */
  char *name;   /* name of its file */
  gsize *lines; /* beginnings of all lines, and the end */
  int *depths;  /* number of open braces at each line */
  int n_lines;
  GPtrArray *remedies;

  guint n_trials;
} Search;

/* ---- The text ---- */

static char *
blank (char *at, const char *end)
{
  for (; at < end && *at != '\0'; at++)
    if (*at != '\n')
      *at = ' ';
  return at;
}

/* The end of a literal that begins at @at, or of its line. */
static char *
skip_literal (char *at)
{
  char quote = *at++;

  while (*at != '\0' && *at != quote && *at != '\n')
    at += *at == '\\' && at[1] != '\0' ? 2 : 1;
  return *at == quote ? at + 1 : at;
}

/* (transfer full): @text with spaces where comments and literals are */
static char *
blank_comments (const char *text)
{
  char *code = g_strdup (text), *at = code;

  while (*at != '\0')
    {
      char *end = NULL;

      if (at[0] == '/' && at[1] == '*')
        {
          end = strstr (at + 2, "*/");
          end = end != NULL ? end + 2 : at + strlen (at);
        }
      else if (at[0] == '/' && at[1] == '/')
        end = at + strcspn (at, "\n");
      else if (at[0] == '"' || at[0] == '\'')
        end = skip_literal (at);
      at = end != NULL ? blank (at, end) : at + 1;
    }
  return code;
}

static void
find_lines (Search *self)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (gsize));
  GArray *depths = g_array_new (FALSE, FALSE, sizeof (int));
  gsize at = 0;
  int depth = 0;

  g_array_append_val (lines, at);
  g_array_append_val (depths, depth);
  for (const char *c = self->code; *c != '\0'; c++)
    {
      depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
      if (*c != '\n')
        continue;
      at = (gsize) (c - self->code) + 1;
      g_array_append_val (lines, at);
      g_array_append_val (depths, depth);
    }
  self->n_lines = (int) lines->len;
  at = strlen (self->code);
  g_array_append_val (lines, at);
  self->lines = (gsize *) (gpointer) g_array_free (lines, FALSE);
  self->depths = (int *) (gpointer) g_array_free (depths, FALSE);
}

static gboolean
is_line (const Search *self, int line)
{
  return line >= 1 && line <= self->n_lines;
}

/* Whether a statement ends before a line begins, so that another may follow. */
static gboolean
is_between_statements (const Search *self, int line)
{
  const char *at = self->code + self->lines[line - 1];

  while (at > self->code && g_ascii_isspace (at[-1]))
    at--;
  return at > self->code && strchr (";{}", at[-1]) != NULL;
}

/* The line whose brace closes the block of @line, at @depth braces; 0: there is none. */
static int
find_closing (const Search *self, int line, int depth)
{
  int now = self->depths[line - 1];

  for (const char *at = self->code + self->lines[line - 1]; *at != '\0'; at++)
    {
      line += *at == '\n';
      if (*at == '{')
        now++;
      else if (*at == '}' && --now < depth)
        return line;
    }
  return 0;
}

/* ---- Trials ---- */

static guint64
count_excess (const CuredInspection *inspection)
{
  guint64 excess = 0;

  CURED_EACH (const CuredLineCounts, counts, inspection->lines)
    excess += counts->wavefronts - MIN (counts->least, counts->wavefronts);
  return excess;
}

static guint
count_kind (const CuredInspection *inspection, CuredFindingKind kind)
{
  guint n = 0;

  for (guint i = 0; i < inspection->findings->len; i++)
    n += ((const CuredFinding *) inspection->findings->pdata[i])->kind == kind;
  return n;
}

/* Whether the trial ran to the end, without a new kind of finding. */
static gboolean
is_no_worse (const Search *self, const CuredInspection *after)
{
  if (after->banks == NULL || after->is_partial || after->banks->end != self->before->banks->end ||
      after->banks->faults->len > self->before->banks->faults->len)
    return FALSE;
  for (int kind = 0; kind < CURED_N_FINDINGS; kind++)
    if (count_kind (after, (CuredFindingKind) kind) >
        count_kind (self->before, (CuredFindingKind) kind))
      return FALSE;
  return TRUE;
}

/* (transfer full): the text with @insertion at @column of @line */
static char *
insert (const Search *self, int line, int column, const char *insertion)
{
  gsize at = self->lines[line - 1] + (gsize) column;
  GString *text = g_string_new (self->kernel->text);

  g_string_insert (text, (gssize) at, insertion);
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full) (nullable): the inspection of a copy; %NULL without an error if it is
 * not a kernel any more. */
static CuredInspection *
try_text (Search *self, const char *text, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (self->n_trials++ >= MAX_TRIALS)
    return NULL;
  g_autoptr (CuredKernel) copy =
      cured_kernel_new_from_text (text, self->kernel->id, self->kernel->path, NULL);
  if (copy == NULL)
    return NULL;
  g_autoptr (CuredInspection) after = self->inspect (copy, self->data, self->cancellable, &problem);
  if (after == NULL && g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error (error, g_steal_pointer (&problem));
  return after == NULL || !is_no_worse (self, after) ? NULL : g_steal_pointer (&after);
}

static void
take_remedy (Search *self, int finding, int line, int column, const char *insertion, char *text,
             char *source)
{
  CuredRemedy *remedy =
      CURED_NEW (CuredRemedy, .finding = finding, .line = line, .column = column,
                 .insertion = g_strdup (insertion), .text = text, .source = source);

  g_ptr_array_add (self->remedies, remedy);
}

/* ---- Barriers ---- */

/* A barrier in the source's notation, indented like the line that it precedes. */
static char *
write_barrier (const Search *self, int line)
{
  const char *from = self->kernel->text + self->lines[line - 1];
  gsize n = strspn (from, " \t");
  /* A closing brace is indented less than its block. */
  const char *more = from[n] == '}' ? "  " : "";
  const char *call =
      strstr (self->code, "__syncthreads()") != NULL ? "__syncthreads();" : "__syncthreads ();";

  return g_strdup_printf ("%.*s%s%s\n", (int) n, from, more, call);
}

static char *
describe_findings (const CuredInspection *after, guint n_before)
{
  guint n = after->findings->len;

  if (n == 0)
    return g_strdup (_ ("no finding"));
  g_autofree char *before = cured_format_count (n_before), *now = cured_format_count (n);
  /* Translators: numbers of findings before and after a change. */
  return g_strdup_printf (_ ("%s findings → %s"), before, now);
}

/* Returns: whether no other place needs to be tried; %FALSE also with an error. */
static gboolean
try_barrier (Search *self, int finding, int line, GError **error)
{
  const CuredFinding *found = self->before->findings->pdata[finding];
  g_autofree char *insertion = write_barrier (self, line);
  g_autofree char *source = insert (self, line, 0, insertion);
  g_autoptr (CuredInspection) after = try_text (self, source, error);

  if (after == NULL || count_kind (after, found->kind) >= count_kind (self->before, found->kind))
    return FALSE;
  g_autofree char *verdict = describe_findings (after, self->before->findings->len);
  char *text = g_strdup_printf (
      /* Translators: two lines of a source that follow each other, and what the emulator says then:
       * “no finding”. */
      _ ("Add a barrier between lines %d and %d: %s"), line - 1, line, verdict);
  take_remedy (self, finding, line, 0, insertion, text, g_steal_pointer (&source));
  return TRUE;
}

static gboolean
is_ours (const Search *self, const CuredFindingSide *side)
{
  g_autofree char *name = side->file != NULL ? g_path_get_basename (side->file) : NULL;

  return side->what != NULL && is_line (self, side->line) &&
         (name == NULL || g_str_equal (name, self->name));
}

/* Finds places for a barrier, the most promising first: between the two lines, where the fewest
 * braces are open, since all threads pass there; then at the end of the block that contains both,
 * possibly a loop's. */
static guint
find_places (const Search *self, int first, int last, int *places)
{
  int depth = MIN (self->depths[first - 1], self->depths[last - 1]);
  guint n = 0;

  for (int line = last; line > first && n < MAX_PLACES - 1; line--)
    if (self->depths[line - 1] <= depth && is_between_statements (self, line))
      places[n++] = line;
  int end = depth > 1 ? find_closing (self, last, depth) : 0;
  if (end > last && is_between_statements (self, end))
    places[n++] = end;
  return n;
}

static gboolean
try_barriers (Search *self, int finding, GError **error)
{
  const CuredFinding *found = self->before->findings->pdata[finding];
  int places[MAX_PLACES];

  if (found->kind != CURED_FINDING_RACE_SHARED || !is_ours (self, &found->here) ||
      !is_ours (self, &found->there))
    return TRUE;
  guint n = find_places (self, MIN (found->here.line, found->there.line),
                         MAX (found->here.line, found->there.line), places);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) problem = NULL;

      if (try_barrier (self, finding, places[i], &problem))
        return TRUE;
      if (problem != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- Padding ---- */

static const char *
skip_space (const char *at)
{
  while (g_ascii_isspace (*at))
    at++;
  return at;
}

/* The bracket that matches the one at @at. */
static const char *
find_bracket (const char *at)
{
  int depth = 0;

  for (; *at != '\0' && *at != ';'; at++)
    {
      depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
      if (depth == 0)
        return at;
    }
  return NULL;
}

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* The last bracket of the declaration behind a `__shared__`, if the array has at least two
 * dimensions. @name: (out): its name */
static const char *
find_last_bracket (const char *at, char **name)
{
  const char *open = at + strcspn (at, "[;={(");
  const char *end = open, *close = NULL;
  guint n_dimensions = 0;

  if (*open != '[')
    return NULL;
  while (end > at && g_ascii_isspace (end[-1]))
    end--;
  at = end;
  while (is_name (at[-1]))
    at--;
  if (at == end)
    return NULL;
  for (; *open == '['; n_dimensions++)
    {
      close = find_bracket (open);
      if (close == NULL)
        return NULL;
      open = skip_space (close + 1);
    }
  if (n_dimensions < 2)
    return NULL;
  *name = g_strndup (at, (gsize) (end - at));
  return close;
}

static gboolean
try_padding (Search *self, const char *close, const char *name, GError **error)
{
  gsize at = (gsize) (close - self->code);
  guint64 excess = count_excess (self->before);
  g_autoptr (GError) problem = NULL;
  int line = 1;

  while (line < self->n_lines && self->lines[line] <= at)
    line++;
  g_autofree char *source = insert (self, line, (int) (at - self->lines[line - 1]), " + 1");
  g_autoptr (CuredInspection) after = try_text (self, source, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (after == NULL || count_excess (after) >= excess)
    return TRUE;
  g_autofree char *before = cured_format_count ((gint64) excess);
  g_autofree char *now = cured_format_count ((gint64) count_excess (after));
  take_remedy (
      self, -1, line, (int) (at - self->lines[line - 1]), " + 1",
      g_strdup_printf (
          /* Translators: an array, a line of the source, and how many wavefronts too many there are
           * before and after. */
          _ ("One element of padding in each row of %s, line %d: %s excess wavefronts → %s"), name,
          line, before, now),
      g_steal_pointer (&source));
  return TRUE;
}

static gboolean
try_paddings (Search *self, GError **error)
{
  static const char word[] = "__shared__";
  const char *at = self->code;

  if (count_excess (self->before) == 0)
    return TRUE;
  for (guint n = 0; n < MAX_PLACES; n++)
    {
      g_autofree char *name = NULL;

      at = strstr (at, word);
      if (at == NULL)
        return TRUE;
      at += strlen (word);
      const char *close = find_last_bracket (at, &name);
      if (close != NULL && !try_padding (self, close, name, error))
        return FALSE;
    }
  return TRUE;
}

/* @kernel: the inspected kernel
 * @inspect: inspects a copy in the same way as for @inspection
 * @data: for @inspect
 *
 * Searches for changes of the kernel's text that remove findings: a barrier between two lines that
 * race in shared memory, an element of padding in the rows of an array whose columns share a bank.
 * Each is tried in a copy, which the emulator runs, and kept if it helps without new findings. This
 * holds only for one block at one point of the parameters. Blocks for some compilations; may be
 * called in any thread in which @inspect may be.
 * Returns: (transfer full) (element-type CuredRemedy): the remedies, in the order of the findings;
 *   %NULL with %G_IO_ERROR_CANCELLED */
GPtrArray *
cured_remedies_try (CuredKernel *kernel, const CuredInspection *inspection,
                    CuredInspectFunc inspect, gpointer data, GCancellable *cancellable,
                    GError **error)
{
  Search self = { .kernel = kernel,
                  .before = inspection,
                  .inspect = inspect,
                  .data = data,
                  .cancellable = cancellable };
  gboolean is_done = TRUE;

  g_return_val_if_fail (kernel != NULL && inspection != NULL, NULL);

  self.remedies = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_remedy_free);
  /* PTX is generated, not edited. */
  if (inspection->banks == NULL || inspection->is_partial || kernel->is_ptx ||
      strlen (kernel->text) > MAX_TEXT)
    return self.remedies;
  self.code = blank_comments (kernel->text);
  g_autofree char *path = cured_kernel_get_file_name (kernel);
  self.name = g_path_get_basename (path);
  find_lines (&self);
  for (guint i = 0; is_done && i < inspection->findings->len; i++)
    is_done = try_barriers (&self, (int) i, error);
  is_done = is_done && try_paddings (&self, error);
  g_free (self.depths);
  g_free (self.lines);
  g_free (self.name);
  g_free (self.code);
  if (!is_done)
    g_clear_pointer (&self.remedies, g_ptr_array_unref);
  return self.remedies;
}

/* @self: (transfer full) (nullable): a remedy */
CURED_DEFINE_FREE (CuredRemedy, cured_remedy_free, insertion, g_free, text, g_free, source, g_free)

/* SPDX-License-Identifier: MIT
 * A CSV table in other formats: with tabs, as Markdown, and as LaTeX. */
#include <gio/gio.h>

#include "base/cured-base-internal.h"

#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"

/* The formats differ in separators and in escapes; fields stay the same. All kinds of
 * drawings write CSV, so a converter that reads CSV needs to know nothing about
 * them. */

typedef enum
{
  SPELLING_MARKDOWN = CURED_MARKUP_MARKDOWN,
  SPELLING_LATEX = CURED_MARKUP_LATEX,
  SPELLING_TABS,
} Spelling;

static const struct
{
  const char *begin, *separator, *end;
} spellings[] = {
  [SPELLING_MARKDOWN] = { "| ", " | ", " |\n" },
  [SPELLING_LATEX] = { "", " & ", " \\\\\n" },
  [SPELLING_TABS] = { "", "\t", "\n" },
};

typedef struct
{
  Spelling spelling;
  gboolean is_quoted;     /* inside quotes */
  gboolean is_quote_seen; /* a quote inside quotes: the end, or one of two */
  gboolean is_in_record, is_after_head;
  guint n_separators; /* in the first record */
  GString *text;
} Speller;

/* Appends a character, escaped if it has a meaning in the markup. */
void
_cured_markup_append_char (GString *text, CuredMarkup markup, char c)
{
  static const char *const words[128] = {
    ['\\'] = "\\textbackslash{}", ['~'] = "\\textasciitilde{}", ['^'] = "\\textasciicircum{}",
    ['<'] = "\\textless{}",       ['>'] = "\\textgreater{}",    ['|'] = "\\textbar{}",
    ['"'] = "\\textquotedbl{}",
  };
  gboolean is_latex = markup != CURED_MARKUP_MARKDOWN;

  if (is_latex && (guchar) c < 128 && words[(guchar) c] != NULL)
    {
      g_string_append (text, words[(guchar) c]);
      return;
    }
  if (c != '\0' && strchr (is_latex ? "{}$&#_%" : "\\|`*_<>[]~#", c) != NULL)
    g_string_append_c (text, '\\');
  g_string_append_c (text, c == '\n' || c == '\r' ? ' ' : c);
}

static void
append_char (Speller *self, char c)
{
  if (self->spelling != SPELLING_TABS)
    _cured_markup_append_char (self->text, (CuredMarkup) self->spelling, c);
  else if (c == '\t')
    g_string_append (self->text, "\\t");
  else if (c == '\n')
    g_string_append (self->text, "\\n");
  else if (c == '\\')
    g_string_append (self->text, "\\\\");
  else if (c != '\r')
    g_string_append_c (self->text, c);
}

static void
begin_record (Speller *self)
{
  if (!self->is_in_record)
    g_string_append (self->text, spellings[self->spelling].begin);
  self->is_in_record = TRUE;
}

static void
end_record (Speller *self)
{
  if (!self->is_in_record)
    return;
  g_string_append (self->text, spellings[self->spelling].end);
  self->is_in_record = FALSE;
  /* LaTeX needs the number of columns first. */
  if (self->spelling == SPELLING_LATEX && !self->is_after_head)
    {
      g_autofree char *columns = g_strnfill (self->n_separators + 1, 'l');
      g_autofree char *begin = g_strdup_printf ("\\begin{tabular}{%s}\n\\hline\n", columns);

      g_string_prepend (self->text, begin);
      g_string_append (self->text, "\\hline\n");
    }
  if (self->spelling == SPELLING_MARKDOWN && !self->is_after_head)
    {
      for (guint i = 0; i <= self->n_separators; i++)
        g_string_append (self->text, "|---");
      g_string_append (self->text, "|\n");
    }
  self->is_after_head = TRUE;
}

static void
take (Speller *self, char c)
{
  if (self->is_quoted && !self->is_quote_seen)
    {
      if (c == '"')
        self->is_quote_seen = TRUE;
      else
        append_char (self, c);
      return;
    }
  if (self->is_quote_seen && c == '"')
    {
      self->is_quote_seen = FALSE;
      append_char (self, c);
      return;
    }
  self->is_quoted = FALSE;
  self->is_quote_seen = FALSE;
  if (c == '\n')
    {
      end_record (self);
      return;
    }
  if (c == '\r')
    return;
  begin_record (self);
  if (c == '"')
    self->is_quoted = TRUE;
  else if (c != ',')
    append_char (self, c);
  else
    {
      self->n_separators += !self->is_after_head;
      g_string_append (self->text, spellings[self->spelling].separator);
    }
}

static gboolean
write_spelled (const CuredDrawing *drawing, Spelling spelling, GOutputStream *stream,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GString) text = g_string_new (NULL);
  Speller speller = { .spelling = spelling, .text = text };

  if (!_cured_drawing_write_csv (drawing, memory, cancellable, error))
    return FALSE;
  const char *csv = g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory));
  gsize length = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory));
  for (gsize i = 0; i < length; i++)
    take (&speller, csv[i]);
  if (spelling == SPELLING_LATEX)
    g_string_append (text, "\\hline\n\\end{tabular}\n");
  return g_output_stream_write_all (stream, text->str, text->len, NULL, cancellable, error);
}

gboolean
_cured_export_write_tsv (const CuredDrawing *drawing, const CuredExportOptions *options,
                         GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_spelled (drawing, SPELLING_TABS, stream, cancellable, error);
}

static gboolean
write_markup (const CuredDrawing *drawing, CuredMarkup markup, GOutputStream *stream,
              GCancellable *cancellable, GError **error)
{
  g_autofree char *text = cured_drawing_get_markup (drawing, markup);

  if (text != NULL)
    return g_output_stream_write_all (stream, text, strlen (text), NULL, cancellable, error);
  if (markup != CURED_MARKUP_PGFPLOTS)
    return write_spelled (drawing, (Spelling) markup, stream, cancellable, error);
  return cured_fail (error, CURED_ERROR_INVALID,
                     /* Translators: the name of a drawing. */
                     _ ("PGFPlots draws maps and lines, and %s is none; export it as pdf or eps"),
                     cured_drawing_get_name (drawing));
}

gboolean
_cured_export_write_markdown (const CuredDrawing *drawing, const CuredExportOptions *options,
                              GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_MARKDOWN, stream, cancellable, error);
}

gboolean
_cured_export_write_latex (const CuredDrawing *drawing, const CuredExportOptions *options,
                           GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_LATEX, stream, cancellable, error);
}

gboolean
_cured_export_write_pgfplots (const CuredDrawing *drawing, const CuredExportOptions *options,
                              GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_PGFPLOTS, stream, cancellable, error);
}

/* SPDX-License-Identifier: MIT
 * A CSV table spelled otherwise: with tabs, as Markdown, and as LaTeX. */
#include "config.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"

#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"

/* A field of a CSV table is between its separators as it is; what separates, and what would be
 * taken for a separator, differs. Drawings of any sort write CSV: what reads it on the way to the
 * file needs to know nothing of them. */

typedef enum
{
  SPELLING_MARKDOWN = CURED_MARKUP_MARKDOWN,
  SPELLING_LATEX = CURED_MARKUP_LATEX,
  SPELLING_TABS,
} Spelling;

static const struct
{
  const char *begin;
  const char *separator;
  const char *end;
} spellings[] = {
  [SPELLING_MARKDOWN] = { "| ", " | ", " |\n" },
  [SPELLING_LATEX] = { "", " & ", " \\\\\n" },
  [SPELLING_TABS] = { "", "\t", "\n" },
};

#define TYPE_SPELLER (speller_get_type ())
G_DECLARE_FINAL_TYPE (Speller, speller, CURED, SPELLER, GObject)

struct _Speller
{
  GObject parent;
  Spelling spelling;
  gboolean is_quoted;     /* inside quotes */
  gboolean is_quote_seen; /* a quote inside quotes: the end, or one of two */
  gboolean is_in_record;
  gboolean is_after_head;
  gboolean is_ended;
  guint n_separators; /* of the first record */
  GString *ready;     /* spelled, and not yet handed on */
  gsize handed;       /* bytes of @ready */
};

static void converter_iface_init (GConverterIface *iface);

G_DEFINE_TYPE_WITH_CODE (Speller, speller, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (G_TYPE_CONVERTER, converter_iface_init))

/* A character that the markup may give a meaning. */
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
    _cured_markup_append_char (self->ready, (CuredMarkup) self->spelling, c);
  else if (c == '\t')
    g_string_append (self->ready, "\\t");
  else if (c == '\n')
    g_string_append (self->ready, "\\n");
  else if (c == '\\')
    g_string_append (self->ready, "\\\\");
  else if (c != '\r')
    g_string_append_c (self->ready, c);
}

static void
begin_record (Speller *self)
{
  if (!self->is_in_record)
    g_string_append (self->ready, spellings[self->spelling].begin);
  self->is_in_record = TRUE;
}

static void
end_record (Speller *self)
{
  if (!self->is_in_record)
    return;
  g_string_append (self->ready, spellings[self->spelling].end);
  self->is_in_record = FALSE;
  /* How many columns there are is said before them: until then, nothing is handed on. */
  if (self->spelling == SPELLING_LATEX && !self->is_after_head)
    {
      g_autofree char *columns = g_strnfill (self->n_separators + 1, 'l');
      g_autofree char *begin = g_strdup_printf ("\\begin{tabular}{%s}\n\\hline\n", columns);

      g_string_prepend (self->ready, begin);
      g_string_append (self->ready, "\\hline\n");
    }
  if (self->spelling == SPELLING_MARKDOWN && !self->is_after_head)
    {
      for (guint i = 0; i <= self->n_separators; i++)
        g_string_append (self->ready, "|---");
      g_string_append (self->ready, "|\n");
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
      g_string_append (self->ready, spellings[self->spelling].separator);
    }
}

/* The head of a LaTeX table waits for its end. */
static gboolean
is_held (const Speller *self)
{
  return self->spelling == SPELLING_LATEX && !self->is_after_head && !self->is_ended;
}

static GConverterResult
speller_convert (GConverter *converter, const void *inbuf, gsize inbuf_size, void *outbuf,
                 gsize outbuf_size, GConverterFlags flags, gsize *bytes_read, gsize *bytes_written,
                 GError **error)
{
  Speller *self = CURED_SPELLER (converter);
  const char *in = inbuf;

  *bytes_read = 0;
  while (*bytes_read < inbuf_size &&
         (is_held (self) || self->ready->len - self->handed < outbuf_size))
    take (self, in[(*bytes_read)++]);
  if ((flags & G_CONVERTER_INPUT_AT_END) != 0 && *bytes_read == inbuf_size && !self->is_ended)
    {
      self->is_ended = TRUE;
      if (self->spelling == SPELLING_LATEX)
        g_string_append (self->ready, "\\hline\n\\end{tabular}\n");
    }
  *bytes_written = is_held (self) ? 0 : MIN (self->ready->len - self->handed, outbuf_size);
  memcpy (outbuf, self->ready->str + self->handed, *bytes_written);
  self->handed += *bytes_written;
  if (!is_held (self) && self->handed == self->ready->len)
    {
      g_string_truncate (self->ready, 0);
      self->handed = 0;
    }
  if ((flags & G_CONVERTER_INPUT_AT_END) != 0 && *bytes_read == inbuf_size && self->ready->len == 0)
    return G_CONVERTER_FINISHED;
  if ((flags & G_CONVERTER_FLUSH) != 0 && *bytes_read == inbuf_size && self->ready->len == 0)
    return G_CONVERTER_FLUSHED;
  if (*bytes_read == 0 && *bytes_written == 0)
    {
      g_set_error_literal (error, G_IO_ERROR,
                           outbuf_size == 0 ? G_IO_ERROR_NO_SPACE : G_IO_ERROR_PARTIAL_INPUT, "");
      return G_CONVERTER_ERROR;
    }
  return G_CONVERTER_CONVERTED;
}

static void
speller_reset (GConverter *converter)
{
  Speller *self = CURED_SPELLER (converter);

  self->is_quoted = self->is_quote_seen = FALSE;
  self->is_in_record = self->is_after_head = self->is_ended = FALSE;
  self->n_separators = 0;
  g_string_truncate (self->ready, 0);
  self->handed = 0;
}

static void
converter_iface_init (GConverterIface *iface)
{
  iface->convert = speller_convert;
  iface->reset = speller_reset;
}

static void
speller_finalize (GObject *object)
{
  g_string_free (CURED_SPELLER (object)->ready, TRUE);
  G_OBJECT_CLASS (speller_parent_class)->finalize (object);
}

static void
speller_class_init (SpellerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = speller_finalize;
}

static void
speller_init (Speller *self)
{
  self->ready = g_string_new (NULL);
}

static gboolean
write_spelled (const CuredDrawing *drawing, Spelling spelling, GOutputStream *stream,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (Speller) speller = g_object_new (TYPE_SPELLER, NULL);
  g_autoptr (GOutputStream) spelled = g_converter_output_stream_new (stream, G_CONVERTER (speller));

  speller->spelling = spelling;
  g_filter_output_stream_set_close_base_stream (G_FILTER_OUTPUT_STREAM (spelled), FALSE);
  return _cured_drawing_write_csv (drawing, spelled, cancellable, error) &&
         g_output_stream_close (spelled, cancellable, error);
}

gboolean
_cured_export_write_tsv (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
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
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               /* Translators: the name of a drawing. */
               _ ("PGFPlots draws maps and lines, and %s is none; export it as pdf or eps"),
               cured_drawing_get_name (drawing));
  return FALSE;
}

gboolean
_cured_export_write_markdown (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                              GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_MARKDOWN, stream, cancellable, error);
}

gboolean
_cured_export_write_latex (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                           GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_LATEX, stream, cancellable, error);
}

gboolean
_cured_export_write_pgfplots (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                              GCancellable *cancellable, GError **error)
{
  return write_markup (drawing, CURED_MARKUP_PGFPLOTS, stream, cancellable, error);
}

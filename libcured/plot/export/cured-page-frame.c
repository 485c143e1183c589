/* SPDX-License-Identifier: MIT
 * A self-contained web page: its frame, and escaping of text. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "kernel/cured-asset-internal.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/export/cured-page-private.h"

#define SCRIPT() _cured_asset_get ("plot/export/cured-page.js")

/* Limit of the table below a picture. */
#define MAX_TABLE_BYTES (256 * 1024)

/* ---- Text ---- */

/* Appends literal text, escaped for an element or an attribute. Characters that no document may
 * contain are replaced. @text: (nullable): of any origin. */
void
_cured_page_append_text (GString *page, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '&')
        g_string_append (page, "&amp;");
      else if (c == '<')
        g_string_append (page, "&lt;");
      else if (c == '>')
        g_string_append (page, "&gt;");
      else if (c == '"')
        g_string_append (page, "&quot;");
      else if (c == '\'')
        g_string_append (page, "&#39;");
      else if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) ||
               (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
        /* Controls, and marks that change the direction of text. */
        g_string_append (page, "\uFFFD");
      else
        g_string_append_unichar (page, c);
    }
}

/* Appends an element and a newline. @text: (nullable): its text. */
void
_cured_page_append_element (GString *page, const char *tag, const char *text)
{
  g_string_append_printf (page, "<%s>", tag);
  _cured_page_append_text (page, text);
  g_string_append_printf (page, "</%.*s>\n", (int) strcspn (tag, " "), tag);
}

/* Appends a colour in the syntax of attributes and style sheets. */
void
_cured_page_append_colour (GString *page, CuredColour colour)
{
  g_string_append_printf (page, "#%02x%02x%02x", (guint) (colour.red * 255 + 0.5),
                          (guint) (colour.green * 255 + 0.5), (guint) (colour.blue * 255 + 0.5));
}

/* ---- The document ---- */

/* The hash of a text for a Content-Security-Policy. */
static char *
hash (const char *text)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize length = sizeof digest;

  g_checksum_update (checksum, (const guchar *) text, -1);
  g_checksum_get_digest (checksum, digest, &length);
  g_autofree char *base64 = g_base64_encode (digest, length);
  return g_strconcat ("'sha256-", base64, "'", NULL);
}

/* Appends everything before the text. The page may run its own script and use its own style, but
 * load nothing. */
void
_cured_page_begin (GString *page, const char *title, gboolean dark)
{
  const char *style = _cured_asset_get ("plot/export/cured-page.css");
  g_autofree char *style_hash = hash (style), *script_hash = hash (SCRIPT ());

  g_string_append (page, "<!DOCTYPE html>\n<html lang=\"");
  /* Translators: the language of these translations: “de”, “ja”. */
  _cured_page_append_text (page, C_ ("language", "en"));
  g_string_append_printf (
      page,
      "\"%s>\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s; "
      "style-src %s; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta name=\"generator\" content=\"Cured %s\">\n",
      dark ? " data-theme=\"dark\"" : "", script_hash, style_hash, CURED_VERSION);
  _cured_page_append_element (page, "title", title);
  g_string_append_printf (page, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
}

/* Appends everything after the text. */
void
_cured_page_end (GString *page, const CuredPageParts *parts)
{
  g_autofree char *made =
      /* Translators: the foot of a page; %s is a version. */
      g_strdup_printf (_ ("Made by Cured %s"), CURED_VERSION);

  g_string_append (page, "</main>\n<footer>\n");
  _cured_page_append_element (page, "p", made);
  g_string_append (page, "</footer>\n");
  if (parts->data != NULL)
    g_string_append_printf (page, "<script type=\"application/json\" id=\"data\">%s</script>\n",
                            parts->data);
  if (parts->script)
    g_string_append_printf (page, "<script>%s</script>\n", SCRIPT ());
  g_string_append (page, "</body>\n</html>\n");
}

/* FALSE if it could not be written. @stream: stays open. @cancellable: (nullable): stops
 * writing. */
gboolean
_cured_page_write (GString *page, GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return !g_cancellable_set_error_if_cancelled (cancellable, error) &&
         g_output_stream_write_all (stream, page->str, page->len, NULL, cancellable, error);
}

/* ---- The page of any drawing ---- */

static gboolean
append_picture (GString *page, const CuredDrawing *drawing, const CuredExportOptions *options,
                GError **error)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();

  if (!_cured_export_write_svg (drawing, options, memory, NULL, error))
    return FALSE;
  g_autofree char *base64 =
      g_base64_encode (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
                       g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory)));
  g_string_append (page, "<figure class=\"card\">\n<img alt=\"");
  _cured_page_append_text (page, cured_drawing_get_title (drawing));
  g_string_append_printf (page, "\" src=\"data:image/svg+xml;base64,%s\">\n</figure>\n", base64);
  return TRUE;
}

/* The table, as text like in a file. */
static gboolean
append_table (GString *page, const CuredDrawing *drawing, GError **error)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();

  if (!cured_drawing_has_table (drawing))
    return TRUE;
  if (!_cured_export_write_tsv (drawing, FALSE, memory, NULL, error))
    return FALSE;
  gsize length = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory));
  g_autofree char *text =
      g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
                 MIN (length, MAX_TABLE_BYTES));
  g_string_append (page, "<details class=\"card\">\n");
  _cured_page_append_element (page, "summary", _ ("Table"));
  g_string_append (page, "<div class=\"scroll\"><table>\n");
  {
    g_auto (GStrv) rows = g_strsplit (g_strchomp (text), "\n", -1);

    for (gsize i = 0; rows[i] != NULL; i++)
      {
        g_auto (GStrv) fields = g_strsplit (rows[i], "\t", -1);

        g_string_append (page, "<tr>");
        for (gsize k = 0; fields[k] != NULL; k++)
          _cured_page_append_element (page, i == 0 ? "th scope=\"col\"" : "td", fields[k]);
        g_string_append (page, "</tr>\n");
      }
  }
  g_string_append (page, "</table></div>\n");
  if (length > MAX_TABLE_BYTES)
    _cured_page_append_element (page, "p class=\"note\"",
                                _ ("The rest is left out; export as CSV."));
  g_string_append (page, "</details>\n");
  return TRUE;
}

/* The drawing's own page, or one made from its picture and table. */
gboolean
_cured_page_write_drawing (const CuredDrawing *drawing, const CuredExportOptions *options,
                           GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GError) own_error = NULL;
  const CuredPageParts parts = { 0 };

  if (_cured_drawing_write_own_page (drawing, options, stream, cancellable, &own_error))
    return TRUE;
  if (own_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&own_error));
      return FALSE;
    }
  _cured_page_begin (page, cured_drawing_get_title (drawing), options->dark);
  _cured_page_append_element (page, "h1", cured_drawing_get_title (drawing));
  if (!append_picture (page, drawing, options, error) || !append_table (page, drawing, error))
    return FALSE;
  _cured_page_end (page, &parts);
  return _cured_page_write (page, stream, cancellable, error);
}

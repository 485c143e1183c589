/* SPDX-License-Identifier: MIT
 * Makes text safe for terminals. */
#include "base/cured-printable.h"

/* Unicode's pictures of ASCII's control characters. */
#define PICTURES       0x2400
#define PICTURE_DELETE 0x2421

#define REPLACEMENT 0xfffd

/* Invisible characters that reorder or hide others: overrides and isolates of the writing
 * direction, zero-width spaces and joiners, tags, line separators. */
static gboolean
is_hidden (gunichar character)
{
  GUnicodeType type = g_unichar_type (character);

  return type == G_UNICODE_LINE_SEPARATOR || type == G_UNICODE_PARAGRAPH_SEPARATOR ||
         (type == G_UNICODE_FORMAT && g_unichar_iszerowidth (character));
}

/* @text: the text to append to
 * @more: untrusted text
 * @length: its bytes
 *
 * Appends text with a picture for each control character, such as ␛ for ESC, which begins a
 * terminal's commands: these move its cursor, name its window, write its clipboard. Newlines
 * and tabs are kept, and a carriage return before a newline. U+FFFD replaces control
 * characters without a picture, invisible characters that reorder or hide others, and invalid
 * UTF-8. */
void
cured_append_printable (GString *text, const char *more, gsize length)
{
  const char *end = more + length;

  g_return_if_fail (text != NULL && (more != NULL || length == 0));

  for (const char *at = more; at < end;)
    {
      gunichar character = g_utf8_get_char_validated (at, end - at);
      const char *next = at + 1;

      if (character == (gunichar) -1 || character == (gunichar) -2)
        g_string_append_unichar (text, REPLACEMENT);
      else if (character == '\n' || character == '\t' ||
               (character == '\r' && next < end && *next == '\n'))
        g_string_append_c (text, *at);
      else if (character < 0x20)
        g_string_append_unichar (text, PICTURES + character);
      else if (character == 0x7f)
        g_string_append_unichar (text, PICTURE_DELETE);
      else
        {
          next = g_utf8_next_char (at);
          if ((character >= 0x80 && character < 0xa0) || is_hidden (character))
            g_string_append_unichar (text, REPLACEMENT);
          else
            g_string_append_len (text, at, next - at);
        }
      at = next;
    }
}

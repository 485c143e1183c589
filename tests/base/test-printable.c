/* SPDX-License-Identifier: MIT
 * What a terminal would obey, and what it would not. */
#include <string.h>

#include "cured.h"
#include "test.h"

TEST ("/printable/rows")
{
  static const struct
  {
    const char *text, *printable;
  } rows[] = {
    { "", "" },
    { "plain, “quoted”, 中文, 🙂", "plain, “quoted”, 中文, 🙂" },
    { "a\tb\nc\r\nd", "a\tb\nc\r\nd" },
    { "a\rb\r", "a␍b␍" },
    { "\033]0;name\007", "␛]0;name␇" },
    { "\033[2J\033[1;31m", "␛[2J␛[1;31m" },
    { "\010\013\014\016\037\177", "␈␋␌␎␟␡" },
    /* U+0080, U+009B, U+009F, and U+00A0, which is a space. */
    { "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "���\xc2\xa0" },
    /* An override, an isolate and its end, a zero-width space and a joiner, a byte-order mark, a
     * tag, a line separator; an accent and a soft hyphen stay. */
    { "a\u202eb\u2066c\u2069", "a�b�c�" },
    { "a\u200bb\u200dc\ufeff", "a�b�c�" },
    { "a\U000e0041b\u2028c", "a�b�c" },
    { "e\u0301\u00ad", "e\u0301\u00ad" },
    /* No UTF-8: the byte that is CSI in eight bits, one too many, one too few. */
    { "\x9b"
      "2J",
      "�2J" },
    { "\xc3\x28\xc3", "�(�" },
    { "\xe2\x80", "��" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GString) text = g_string_new ("> ");

      cured_append_printable (text, rows[i].text, strlen (rows[i].text));
      g_assert_true (g_str_has_prefix (text->str, "> "));
      g_assert_cmpstr (text->str + 2, ==, rows[i].printable);
    }
}

/* All of one byte and of two, in every place: nothing that is left is a control character but those
 * that are meant. */
TEST ("/printable/bytes")
{
  for (int a = 0; a < 256; a++)
    for (int b = 0; b < 256; b++)
      {
        const char bytes[] = { (char) a, (char) b };
        g_autoptr (GString) text = g_string_new (NULL);

        cured_append_printable (text, bytes, sizeof bytes);
        g_assert_true (g_utf8_validate (text->str, (gssize) text->len, NULL));
        for (const char *at = text->str; *at != '\0'; at = g_utf8_next_char (at))
          if (g_unichar_iscntrl (g_utf8_get_char (at)))
            g_assert_true (*at == '\n' || *at == '\t' || (*at == '\r' && at[1] == '\n'));
      }
}

/* SPDX-License-Identifier: MIT
 * printf in kernels. */
#include "ptx/machine/cured-machine-private.h"

#include <locale.h>
#include <string.h>

/* Longest output of one call, and longest format. */
#define MAX_TEXT 4096

/* The @size bytes at the generic address, for reading; NULL: no such memory. */
static const uint8_t *
peek (CuredWarp *warp, uint32_t lane, uint64_t address, gsize size)
{
  const CuredBlock *block = warp->block;
  const CuredLaunch *launch = block->grid->launch;
  const CuredRegion *region;
  const uint8_t *base = NULL;
  uint64_t first = 0, limit = 0;

  if (cured_is_in_window (address, CURED_SHARED_WINDOW))
    {
      base = block->shared;
      first = CURED_SHARED_WINDOW;
      limit = block->shared_bytes;
    }
  else if (cured_is_in_window (address, CURED_LOCAL_WINDOW))
    {
      base = warp->local + (gsize) lane * block->grid->stack_bytes;
      first = CURED_LOCAL_WINDOW;
      limit = block->grid->stack_bytes;
    }
  else if (cured_is_in_window (address, CURED_PARAM_WINDOW))
    {
      base = launch->parameters;
      first = CURED_PARAM_WINDOW;
      limit = launch->parameters_bytes;
    }
  else
    {
      region = _cured_memory_find (block->grid->memory, address);
      if (region == NULL)
        return NULL;
      base = region->bytes;
      first = region->address;
      limit = region->size;
      if (size <= limit && address - first <= limit - size)
        cured_region_touch (region, address - first, size);
    }
  return size > limit || address - first > limit - size ? NULL : base + (address - first);
}

/* (transfer full): a C string in the kernel's memory; unreadable bytes end it. */
char *
_cured_warp_read_string (CuredWarp *warp, uint32_t lane, uint64_t address)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < MAX_TEXT; i++)
    {
      const uint8_t *byte = peek (warp, lane, address + i, 1);

      if (byte == NULL || *byte == '\0')
        break;
      g_string_append_c (text, (char) *byte);
    }
  return g_string_free (text, FALSE);
}

/* Formats come from the kernel; _cured_warp_vprintf () parses them and composes new ones from the
 * conversions that it knows. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Appends one conversion; @flags: the text between '%' and the letter. */
static void
append_conversion (CuredWarp *warp, uint32_t lane, GString *text, const char *flags, char letter,
                   uint64_t value)
{
  const char ending[] = { letter, '\0' };
  g_autofree char *plain = g_strconcat ("%", flags, ending, NULL);
  g_autofree char *wide = g_strconcat ("%", flags, "ll", ending, NULL);
  double number;

  switch (letter)
    {
    case 'd':
    case 'i': g_string_append_printf (text, wide, (long long) (int64_t) value); break;
    case 'u':
    case 'o':
    case 'x':
    case 'X': g_string_append_printf (text, wide, (unsigned long long) value); break;
    case 'c': g_string_append_printf (text, plain, (int) (value & 0x7f)); break;
    case 'p': g_string_append_printf (text, "0x%llx", (unsigned long long) value); break;
    case 's':
      {
        g_autofree char *string = _cured_warp_read_string (warp, lane, value);

        g_string_append_printf (text, plain, string);
      }
      break;
    default: /* e, E, f, F, g, G, a, A */
      memcpy (&number, &value, sizeof number);
      g_string_append_printf (text, plain, number);
      break;
    }
}

#pragma GCC diagnostic pop

/* The width of an argument by its length modifier: 32 bits except for l, ll, j, z and t. */
static uint64_t
narrow (uint64_t value, char letter, bool is_long)
{
  if (is_long || strchr ("diuoxXc", letter) == NULL)
    return value;
  if (letter == 'd' || letter == 'i')
    return (uint64_t) (int64_t) (int32_t) value;
  return (uint32_t) value;
}

/* Prints as vprintf does: arguments are in a buffer, each aligned to its size, which is 8 bytes for
 * all but 32-bit integers (CUDA C++ ABI). */
void
_cured_warp_vprintf (CuredWarp *warp, uint32_t lane, uint64_t format, uint64_t arguments)
{
  static gsize c_locale = 0;
  g_autoptr (GString) text = g_string_new (NULL);
  uint64_t at = arguments;

  /* A device's output does not depend on the locale. */
  if (g_once_init_enter (&c_locale))
    g_once_init_leave (&c_locale, (gsize) newlocale (LC_ALL_MASK, "C", (locale_t) 0));
  locale_t locale = uselocale ((locale_t) c_locale);

  for (uint64_t i = 0; i < MAX_TEXT && text->len < MAX_TEXT; i++)
    {
      const uint8_t *byte = peek (warp, lane, format + i, 1);
      char flags[24];
      gsize n_flags = 0;
      bool is_long = false, is_valid = true;
      uint64_t value = 0;
      const uint8_t *from;

      if (byte == NULL || *byte == '\0')
        break;
      if (*byte != '%')
        {
          g_string_append_c (text, (char) *byte);
          continue;
        }
      for (;;)
        {
          byte = peek (warp, lane, format + ++i, 1);
          if (byte == NULL || *byte == '\0' || strchr ("-+ #0123456789.*hlLjzt", *byte) == NULL)
            break;
          if (strchr ("hlLjzt", *byte) != NULL)
            {
              is_long = is_long || *byte != 'h';
              continue;
            }
          if (*byte == '*')
            {
              int width = 0;

              at = (at + 3) & ~UINT64_C (3);
              from = peek (warp, lane, at, 4);
              if (from != NULL)
                memcpy (&width, from, 4);
              at += 4;
              width = CLAMP (width, -200, 200);
              n_flags += (gsize) g_snprintf (flags + n_flags, 6, "%d", width);
            }
          else
            flags[n_flags++] = (char) *byte;
          if (n_flags > 12)
            {
              is_valid = false;
              n_flags = 0;
            }
        }
      flags[n_flags] = '\0';
      if (byte == NULL || *byte == '\0')
        break;
      if (*byte == '%')
        {
          g_string_append_c (text, '%');
          continue;
        }
      if (strchr ("diuoxXcpseEfFgGaA", *byte) == NULL)
        {
          g_string_append_c (text, '%');
          g_string_append_c (text, (char) *byte);
          continue;
        }
      /* A width of more than three digits is taken to be a mistake. */
      for (gsize j = 0, digits = 0; flags[j] != '\0'; j++)
        {
          digits = g_ascii_isdigit (flags[j]) ? digits + 1 : 0;
          is_valid = is_valid && digits <= 3;
        }
      gsize size = is_long || strchr ("diuoxXc", *byte) == NULL ? 8 : 4;
      at = (at + size - 1) & ~(uint64_t) (size - 1);
      from = peek (warp, lane, at, size);
      if (from != NULL)
        memcpy (&value, from, size);
      at += size;
      append_conversion (warp, lane, text, is_valid ? flags : "", (char) *byte,
                         narrow (value, (char) *byte, is_long));
    }
  uselocale (locale);
  _cured_block_print (warp->block, text->str, text->len);
}

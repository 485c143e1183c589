/* SPDX-License-Identifier: MIT
 * What an error carries beside its message. */
#include <gio/gio.h>

#include "base/cured-error.h"
#include "test.h"

TEST ("/error/place")
{
  g_autoptr (GError) error = NULL, outer = NULL;
  const CuredErrorPlace *place;

  cured_set_error_at (&error, CURED_ERROR_SYNTAX, "/a: 1/k.cu", 6, 0, "no key X=: see below");
  g_assert_error (error, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_cmpstr (error->message, ==, "/a: 1/k.cu:6: no key X=: see below");
  g_autoptr (GError) copy = g_error_copy (error);
  g_propagate_prefixed_error (&outer, g_steal_pointer (&error), "The reference “%s”: ", "k:7: y");
  g_assert_cmpstr (outer->message, ==,
                   "The reference “k:7: y”: /a: 1/k.cu:6: no key X=: see below");
  for (int i = 0; i < 2; i++)
    {
      place = cured_error_get_place (i == 0 ? copy : outer);
      g_assert_nonnull (place);
      g_assert_cmpstr (place->file, ==, "/a: 1/k.cu");
      g_assert_cmpint (place->line, ==, 6);
      g_assert_cmpint (place->column, ==, 0);
      g_assert_cmpstr (place->text, ==, "no key X=: see below");
    }

  g_clear_error (&error);
  cured_set_error_at (&error, CURED_ERROR_INVALID, "k.ptx", 7, 3, "odd");
  g_assert_cmpstr (error->message, ==, "k.ptx:7:3: odd");
  g_assert_cmpint (cured_error_get_place (error)->column, ==, 3);
  cured_error_set_place (error, "k.cu", 4, 0, "even");
  g_assert_cmpstr (error->message, ==, "k.ptx:7:3: odd");
  g_assert_cmpint (cured_error_get_place (error)->line, ==, 4);
  g_assert_cmpstr (cured_error_get_place (error)->text, ==, "even");

  /* The caller does not want the error. */
  cured_set_error_at (NULL, CURED_ERROR_INVALID, "k.ptx", 7, 3, "odd");
}

/* A message that only looks as if it named a place names none. */
TEST ("/error/none")
{
  g_autoptr (GError) plain = g_error_new_literal (CURED_ERROR, CURED_ERROR_SYNTAX, "k.cu:6: odd");
  g_autoptr (GError) foreign = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "k.cu:6: odd");

  g_assert_null (cured_error_get_place (plain));
  g_assert_null (cured_error_get_log (plain));
  g_assert_null (cured_error_get_place (foreign));
  g_assert_null (cured_error_get_log (foreign));
}

TEST ("/error/log")
{
  g_autoptr (GError) error =
      g_error_new_literal (CURED_ERROR, CURED_ERROR_COMPILE, "Es geht nicht");

  cured_error_set_log (error, "k.cu(7): error: expected a \";\"");
  g_autoptr (GError) copy = g_error_copy (error);
  cured_error_set_log (error, NULL);
  g_assert_null (cured_error_get_log (error));
  g_assert_cmpstr (cured_error_get_log (copy), ==, "k.cu(7): error: expected a \";\"");
  g_assert_cmpstr (copy->message, ==, "Es geht nicht");
}

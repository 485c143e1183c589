/* SPDX-License-Identifier: MIT
 * Fuzz target: any text is a kernel file or refused with a reason, and a header that is drafted for
 * a source is one. An input that does not begin a comment is the inside of a header. */
#include <string.h>

#include "cured.h"
#include "fuzz.h"
#include "draft/cured-header-draft-internal.h"

/* Functions of a source that a header is drafted for. */
#define MAX_FUNCTIONS 8

static char *
make_text (const uint8_t *data, size_t size)
{
  g_autofree char *given = g_strndup ((const char *) data, size);

  if (*given == '/' || cured_header_is_there (given))
    return g_steal_pointer (&given);
  g_auto (GStrv) lines = g_strsplit (given, "\n", -1);
  GString *text = g_string_new ("/*! cured\n");
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (text, " * %s\n", lines[i]);
  g_string_append (text, " */\nextern \"C\" __global__ void k () {}\n");
  return g_string_free (text, FALSE);
}

static void
check_text (const char *text)
{
  g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
}

static void
check_kernel (CuredKernel *kernel)
{
  check_text (kernel->title);
  check_text (kernel->summary);
  check_text (kernel->family);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      gsize found;

      check_text (kernel->parameters[i].summary);
      g_assert_true (cured_kernel_find_parameter (kernel, kernel->parameters[i].name, &found));
      g_assert_cmpuint (found, ==, i);
    }
  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      g_autofree char *type = cured_kernel_describe_type (kernel, i);

      g_assert_nonnull (kernel->buffers[i].name);
    }
  for (gsize i = 0; i < kernel->n_steps; i++)
    check_text (kernel->steps[i].entry);
  g_assert_cmpint (kernel->output, <, (int) kernel->n_buffers);
}

/* Text taken from another kernel is in the copy, on lines of its own. */
static void
check_copy (CuredKernel *kernel)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) copy = cured_kernel_new_from_text (kernel->source, "copy", NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (copy->text, ==, kernel->source);
  g_assert_cmpstr (copy->source, ==, kernel->source);
  g_assert_cmpuint (copy->n_parameters, ==, kernel->n_parameters);
  g_assert_cmpuint (copy->n_buffers, ==, kernel->n_buffers);
  g_assert_cmpuint (copy->n_steps, ==, kernel->n_steps);
}

static void
check_drafts (const char *source)
{
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, NULL);

  for (guint i = 0; i < MIN (functions->len, MAX_FUNCTIONS); i++)
    {
      const CuredDraftFunction *function = g_ptr_array_index (functions, i);
      g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (function, "Drafted");
      g_autofree char *text = cured_header_draft_apply (draft, function, source);
      g_autoptr (GError) error = NULL;

      g_assert_cmpuint (strlen (text), >, strlen (source));
      g_assert_true (cured_header_is_there (text));
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "drafted", NULL, &error);
      g_assert_true ((kernel == NULL) == (error != NULL));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = make_text (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "fuzz", NULL, &error);

  g_assert_true ((kernel == NULL) == (error != NULL));
  if (kernel != NULL)
    {
      check_kernel (kernel);
      check_copy (kernel);
    }
  else
    check_text (error->message);
  if (g_utf8_validate (text, -1, NULL) && !cured_header_is_there (text))
    check_drafts (text);
  return 0;
}

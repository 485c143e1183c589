/* SPDX-License-Identifier: MIT
 * A draft as text: the header of a kernel file, and the file with it on top. */

#include "base/cured-base-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "kernel/cured-kernel-internal.h"

static gboolean
is_empty (const char *text)
{
  return text == NULL || *text == '\0';
}

/* A line " * Key=value"; characters that would end the line or the comment are left out. */
static void
add_line_with (GString *text, const char *key, const char *value, const char *comment)
{
  g_string_append_printf (text, " * %s=", key);
  for (const char *at = value; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      g_string_append_c (text, ' ');
    else if (*at != '/' || at == value || at[-1] != '*')
      g_string_append_c (text, *at);
  g_string_append_printf (text, "%s\n", comment);
}

static void
add_line_of (GString *text, const char *key, const char *value, gboolean is_guess)
{
  add_line_with (text, key, value, is_guess ? "  # a guess" : "");
}

static void
add_line (GString *text, const char *key, const char *value)
{
  add_line_of (text, key, value, FALSE);
}

static void
add_group (GString *text, const char *group, const char *name)
{
  g_string_append_printf (text, " *\n * [%s%s%s]\n", group, name != NULL ? " " : "",
                          name != NULL ? name : "");
}

/* The default sweep; a map shows two of its parameters, the problem size on the vertical axis. */
static void
add_sweep (GString *text, const CuredHeaderDraft *self)
{
  static const char *const keys[] = { "X", "Y" };
  g_autoptr (GString) values = g_string_new (NULL);
  guint n = 0;

  for (int is_problem = 0; is_problem < 2; is_problem++)
    CURED_EACH_POINTER (const CuredDraftParameter, parameter, self->parameters)
      {
        if (is_empty (parameter->sweep) ||
            (parameter->kind == CURED_PARAMETER_PROBLEM) != is_problem)
          continue;
        if (n == 0)
          add_group (text, "Sweep", NULL);
        if (n < G_N_ELEMENTS (keys))
          add_line (text, keys[n++], parameter->name);
        add_line (values, parameter->name, parameter->sweep);
      }
  g_string_append (text, values->str);
}

static void
add_fill (GString *text, const CuredDraftBuffer *buffer)
{
  add_line_of (text, "Fill", buffer->fill, buffer->is_fill_guess);
  if (g_str_equal (buffer->fill, "constant"))
    add_line (text, "Low", buffer->low != NULL ? buffer->low : "0");
  else if (g_str_equal (buffer->fill, "values"))
    add_line (text, "Values", buffer->low);
  else if (g_str_equal (buffer->fill, "file"))
    add_line (text, "File", buffer->low);
  else if (buffer->low != NULL)
    add_line (text, "Low", buffer->low);
  if (buffer->high != NULL)
    add_line (text, "High", buffer->high);
}

/* @self: a draft
 * Returns: (transfer full): the comment, with a new line at its end; it may have errors, which
 *   cured_kernel_new_from_text() reports */
char *
cured_header_draft_to_text (const CuredHeaderDraft *self)
{
  static const char *const kinds[] = { "compile", "launch", "problem" };
  GString *text = g_string_new ("/*! cured\n * [Kernel]\n");
  g_autofree char *own = NULL;

  g_return_val_if_fail (self != NULL, g_string_free (text, FALSE));

  add_line (text, "Title", self->title);
  CURED_EACH_POINTER (const CuredDraftParameter, parameter, self->parameters)
    {
      add_group (text, "Parameter", parameter->name);
      add_line (text, "Kind", kinds[parameter->kind]);
      if (!is_empty (parameter->values))
        add_line (text, "Values", parameter->values);
      if (parameter->n_launches > 0)
        {
          g_autofree char *origin =
              g_strdup_printf (parameter->n_launches > 1 ? "  # derived from %u launches"
                                                         : "  # derived from %u launch",
                               parameter->n_launches);

          add_line_with (text, "Default", parameter->default_value, origin);
        }
      else
        add_line_of (text, "Default", parameter->default_value, parameter->is_guess);
    }
  CURED_EACH_POINTER (const CuredDraftBuffer, buffer, self->buffers)
    {
      add_group (text, buffer->is_constant ? "Constant" : "Buffer", buffer->name);
      add_line (text, "Type",
                buffer->record != NULL ? buffer->record : cured_element_to_string (buffer->type));
      add_line_of (text, "Length", buffer->length, buffer->is_guess);
      add_fill (text, buffer);
    }
  for (guint i = 0; self->setup != NULL && i < self->setup->len; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i + 1);

      add_group (text, "Launch", number);
      g_string_append (text, self->setup->pdata[i]);
    }
  if (self->setup != NULL)
    own = g_strdup_printf ("%u", self->setup->len + 1);
  add_group (text, "Launch", own);
  add_line (text, "Entry", self->entry);
  add_line (text, "Grid", self->grid);
  add_line (text, "Block", self->block);
  if (!is_empty (self->cluster))
    add_line (text, "Cluster", self->cluster);
  if (!is_empty (self->shared))
    add_line (text, "Shared", self->shared);
  if (self->is_cooperative)
    add_line (text, "Cooperative", "true");
  if (!is_empty (self->arguments))
    add_line_of (text, "Arguments", self->arguments, self->is_argument_guess);
  if (self->is_incomplete)
    g_string_append (
        text, " * # a class by value: write its fields, as in (in,n):struct:(ptr in, i32 n)\n");
  if (self->is_lambda)
    g_string_append (text,
                     " * # a lambda has no name: cured exec --save saves such a launch as PTX\n");
  if (!is_empty (self->output) && !is_empty (self->reference))
    {
      add_group (text, "Check", NULL);
      add_line (text, "Output", self->output);
      add_line (text, "Reference", self->reference);
      if (!self->is_exact)
        add_line (text, "Relative", "1e-5");
    }
  add_sweep (text, self);
  g_string_append (text, " */\n");
  return g_string_free (text, FALSE);
}

/* @self: a draft
 * @function: (nullable): of @source, to be declared `extern "C"` if it is not; %NULL: no
 *   change
 * @source: a CUDA file's text
 * Returns: (transfer full): @source with the header on top; definitions of compile parameters are
 *   in an `#ifndef` */
char *
cured_header_draft_apply (const CuredHeaderDraft *self, const CuredDraftFunction *function,
                          const char *source)
{
  g_autofree char *header = cured_header_draft_to_text (self);
  GString *text = g_string_new (header);

  g_return_val_if_fail (source != NULL, g_string_free (text, FALSE));

  /* A byte order mark stays at the very beginning. */
  gboolean has_mark = g_str_has_prefix (source, "\xef\xbb\xbf");
  if (has_mark)
    g_string_prepend (text, "\xef\xbb\xbf");
  if (function != NULL && !function->is_extern_c && !function->is_template &&
      function->offset <= strlen (source) && function->offset >= 3 * (gsize) has_mark)
    {
      g_string_append_len (text, source + 3 * has_mark,
                           (gssize) (function->offset - 3 * (gsize) has_mark));
      g_string_append (text, "extern \"C\" ");
      g_string_append (text, source + function->offset);
    }
  else
    g_string_append (text, source + 3 * has_mark);
  if (self->code != NULL)
    g_string_append_printf (text, "\n%s", self->code);
  g_autofree char *guarded = _cured_header_draft_guard (self, text->str);
  g_string_free (text, TRUE);
  return g_steal_pointer (&guarded);
}

/* SPDX-License-Identifier: MIT
 * cured kernels: prints the catalogue, or all about one kernel. */
#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-kernels.def"
#include "cured-verb.h"

/* clang-format off */
static const char *const kinds[] = {
  [CURED_PARAMETER_COMPILE] = NC_ ("kind of parameter", "compile"),
  [CURED_PARAMETER_LAUNCH] = NC_ ("kind of parameter", "launch"),
  [CURED_PARAMETER_PROBLEM] = NC_ ("kind of parameter", "problem"),
};

static const char *const fills[] = {
  [CURED_FILL_POISON] = N_ ("poison"), [CURED_FILL_CONSTANT] = N_ ("constant"),
  [CURED_FILL_RAMP] = N_ ("ramp"), [CURED_FILL_UNIFORM] = N_ ("uniform"),
  [CURED_FILL_NORMAL] = N_ ("normal"), [CURED_FILL_PERMUTATION] = N_ ("permutation"),
  [CURED_FILL_SORTED] = N_ ("sorted"), [CURED_FILL_EXPRESSION] = N_ ("expression"),
  [CURED_FILL_FILE] = N_ ("file"), [CURED_FILL_VALUES] = N_ ("values"),
};
/* clang-format on */

static char *
describe_axis (const CuredAxis *axis)
{
  return axis != NULL ? cured_axis_to_string (axis) : g_strdup (_ ("any"));
}

static void
print_line (CuredKernel *kernel)
{
  const char *defect = kernel->defect;
  g_autoptr (GString) text = g_string_new (NULL);

  g_print ("%s\n", kernel->id);
  g_print ("    %s\n", cured_kernel_translate (kernel->title));
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      g_autofree char *values = describe_axis (kernel->parameters[i].values);

      g_string_append_printf (
          text, "%s%s=%s (%s)", i > 0 ? ", " : "", kernel->parameters[i].name,
          cured_cli_lend (cured_axis_value_to_string (kernel->parameters[i].values,
                                                      kernel->parameters[i].default_value)),
          values);
    }
  if (text->len > 0)
    g_print ("    %s\n", text->str);
  if (defect != NULL)
    g_print (_ ("    wrong on purpose: %s\n"), defect);
}

static void
add_argument (GString *text, const CuredKernel *kernel, const CuredArgument *argument)
{
  if (argument->record != NULL)
    {
      g_string_append_c (text, '{');
      for (gsize i = 0; i < argument->record->n_fields; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          add_argument (text, kernel, &argument->parts[i]);
        }
      g_string_append_c (text, '}');
      return;
    }
  if (argument->tensor_map >= 0)
    g_string_append (text, kernel->tensor_maps[argument->tensor_map].name);
  if (argument->buffer >= 0)
    g_string_append_printf (text, "%s%s", kernel->buffers[argument->buffer].name,
                            argument->texture != CURED_TEXTURE_NO ? ":texture"
                            : argument->expr != NULL              ? " + "
                                                                  : "");
  if (argument->expr != NULL)
    g_string_append (text, cured_expr_get_text (argument->expr));
}

static char *
describe_step (CuredKernel *kernel, const CuredStep *step)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (step->host == CURED_HOST_FETCH)
    g_string_append_printf (text,
                            step->is_pageable ? _ ("the host fetches %s to pageable memory")
                                              : _ ("the host fetches %s to pinned memory"),
                            kernel->buffers[step->host_from].name);
  else if (step->host == CURED_HOST_SEND)
    g_string_append_printf (text,
                            step->is_pageable
                                ? _ ("the host sends zeros for %s from pageable memory")
                                : _ ("the host sends zeros for %s from pinned memory"),
                            kernel->buffers[step->host_to].name);
  else if (step->host == CURED_HOST_SUM)
    g_string_append_printf (text, _ ("the host adds up %s and writes the sum to %s"),
                            kernel->buffers[step->host_from].name,
                            kernel->buffers[step->host_to].name);
  else if (step->entry == NULL)
    g_string_append_printf (text, _ ("set every byte of %s to %u"),
                            kernel->buffers[step->memset_buffer].name, step->memset_value);
  else
    {
      const CuredExpr *const *dimensions[] = { (const CuredExpr *const *) step->grid,
                                               (const CuredExpr *const *) step->block };

      g_string_append_printf (text, "%s<<<", step->entry);
      for (gsize i = 0; i < G_N_ELEMENTS (dimensions); i++)
        {
          g_string_append (text, i > 0 ? "; " : "");
          for (gsize j = 0; j < 3 && dimensions[i][j] != NULL; j++)
            g_string_append_printf (text, "%s%s", j > 0 ? ", " : "",
                                    cured_expr_get_text (dimensions[i][j]));
        }
      if (step->shared != NULL)
        g_string_append_printf (text, "; %s", cured_expr_get_text (step->shared));
      g_string_append (text, ">>>(");
      for (gsize i = 0; i < step->n_arguments; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          add_argument (text, kernel, &step->arguments[i]);
        }
      g_string_append_c (text, ')');
    }
  if (step->repeat != NULL)
    g_string_append_printf (text, _ (", %s times"), cured_expr_get_text (step->repeat));
  if (step->index != NULL)
    g_string_append_printf (text, _ (", counted by %s"), step->index);
  if (step->swap[0] >= 0)
    g_string_append_printf (text, _ (", swapping %s and %s"), kernel->buffers[step->swap[0]].name,
                            kernel->buffers[step->swap[1]].name);
  if (step->setup != CURED_SETUP_NO)
    g_string_append (text, step->setup == CURED_SETUP_ONCE ? _ (", once before the runs, not timed")
                                                           : _ (", before each run, not timed"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_parameters (CuredKernel *kernel)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lllrll");

  if (kernel->n_parameters == 0)
    return;
  cured_cli_table_add (table, _ ("name"), _ ("kind"), _ ("values"), _ ("default"), _ ("--sweep"),
                       _ ("meaning"));
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      const CuredParameter *parameter = &kernel->parameters[i];
      const CuredAxis *sweep = kernel->sweep[i];
      g_autofree char *values = describe_axis (parameter->values);

      cured_cli_table_add (
          table, parameter->name, g_dpgettext2 (NULL, "kind of parameter", kinds[parameter->kind]),
          values,
          cured_cli_lend (cured_axis_value_to_string (parameter->values, parameter->default_value)),
          sweep != NULL ? cured_cli_lend (cured_axis_to_string (sweep)) : "-",
          parameter->summary != NULL ? cured_kernel_translate (parameter->summary) : "");
    }
  g_print (_ ("\nParameters\n"));
  cured_cli_table_print (table, "  ");
}

static void
print_program (CuredKernel *kernel)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("llll");

  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      g_autofree char *type = cured_kernel_describe_type (kernel, i);

      cured_cli_table_add (
          table, kernel->buffers[i].name,
          g_strconcat (kernel->buffers[i].is_constant ? "__constant__ " : "", type, NULL),
          cured_expr_get_text (kernel->buffers[i].length), _ (fills[kernel->buffers[i].fill]));
    }
  g_print (_ ("\nBuffers (name, type, elements, contents)\n"));
  cured_cli_table_print (table, "  ");
  g_print (_ ("\nLaunches\n"));
  for (gsize i = 0; i < kernel->n_steps; i++)
    g_print ("  %s\n", cured_cli_lend (describe_step (kernel, &kernel->steps[i])));
}

static void
print_requirements (CuredKernel *kernel)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");

  if (kernel->n_requirements == 0)
    return;
  for (gsize i = 0; i < kernel->n_requirements; i++)
    cured_cli_table_add (table, cured_expr_get_text (kernel->requirements[i].condition),
                         kernel->requirements[i].reason);
  g_print (_ ("\nRequires\n"));
  cured_cli_table_print (table, "  ");
}

static void
print_claims (CuredKernel *kernel)
{
  if (kernel->n_claims > 0)
    g_print (_ ("\nClaims\n"));
  for (gsize i = 0; i < kernel->n_claims; i++)
    {
      g_autofree char *text = cured_claim_to_string (&kernel->claims[i]);

      g_print ("  %s: %s\n    %s\n", kernel->claims[i].name, kernel->claims[i].text, text);
    }
}

/* @given: the given id or file: a header may be beside its PTX. */
static void
print_details (CuredKernel *kernel, const char *given_name)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");
  const char *summary = cured_kernel_translate (kernel->summary);
  const char *family = kernel->family;
  const char *defect = kernel->defect;
  const char *reference = kernel->reference;
  const char *file = kernel->path;
  const CuredExpr *flops = kernel->flops;
  const CuredExpr *bytes = kernel->bytes;
  int output = kernel->output;
  gboolean is_beside = g_str_has_suffix (given_name, ".kernel");

  g_print ("%s: %s\n", kernel->id, cured_kernel_translate (kernel->title));
  if (summary != NULL && summary[0] != '\0')
    g_print ("%s\n", summary);
  g_print ("\n");

  cured_cli_table_add (table, _ ("Source"),
                       file != NULL ? file : _ ("built in (--source prints it)"));
  if (is_beside)
    cured_cli_table_add (table, _ ("Header"), given_name);
  if (family != NULL && family[0] != '\0')
    {
      int rung = kernel->rung;

      cured_cli_table_add (table, _ ("Family"),
                           cured_cli_lend (rung > 0
                                               ? g_strdup_printf (_ ("%s, step %d"), family, rung)
                                               : g_strdup (family)));
    }
  if (defect != NULL)
    cured_cli_table_add (table, _ ("Wrong on purpose"), defect);
  if (flops != NULL)
    cured_cli_table_add (table, _ ("Flops per run"), cured_expr_get_text (flops));
  if (bytes != NULL)
    cured_cli_table_add (table, _ ("Bytes per run"), cured_expr_get_text (bytes));
  if (output >= 0 && reference != NULL)
    cured_cli_table_add (table, _ ("Checked"),
                         cured_cli_printf (_ ("%s against the reference “%s”"),
                                           kernel->buffers[output].name, reference));
  cured_cli_table_print (table, "");

  print_parameters (kernel);
  print_program (kernel);
  print_requirements (kernel);
  print_claims (kernel);
  g_print (_ ("\nTry: cured run %s --sweep\n"), is_beside      ? given_name
                                                : file != NULL ? file
                                                               : kernel->id);
}

static void
add_text (const char *name, const CuredExpr *expr)
{
  cured_cli_json ("$", name, expr != NULL ? cured_expr_get_text (expr) : NULL);
}

static void
add_axis (const char *name, const CuredAxis *axis)
{
  cured_cli_json ("$", name, cured_cli_lend (axis != NULL ? cured_axis_to_string (axis) : NULL));
}

/* Adds the number of each name. */
static void
add_names (const CuredAxis *values)
{
  if (!cured_axis_is_named (values))
    return;
  cured_cli_json_put ("names{");
  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    {
      gint64 value = cured_axis_get_value (values, i);

      cured_cli_json ("$", cured_axis_get_name (values, value), value);
    }
  cured_cli_json_put ("}");
}

static void
add_json (CuredKernel *kernel)
{
  cured_cli_json ("{id title summary family step defect path", kernel->id, kernel->title,
                  kernel->summary, kernel->family, kernel->rung, kernel->defect, kernel->path);
  add_text ("flops", kernel->flops);
  add_text ("bytes", kernel->bytes);
  cured_cli_json ("reference", kernel->reference);

  cured_cli_json_put ("parameters[");
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      cured_cli_json ("{name kind summary", kernel->parameters[i].name,
                      kinds[kernel->parameters[i].kind], kernel->parameters[i].summary);
      add_axis ("values", kernel->parameters[i].values);
      add_names (kernel->parameters[i].values);
      cured_cli_json ("default", kernel->parameters[i].default_value);
      add_axis ("sweep", kernel->sweep[i]);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("] buffers[");
  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      cured_cli_json ("{name type", kernel->buffers[i].name,
                      cured_cli_lend (cured_kernel_describe_type (kernel, i)));
      add_text ("length", kernel->buffers[i].length);
      cured_cli_json ("fill}", fills[kernel->buffers[i].fill]);
    }
  cured_cli_json_put ("] launches[");
  for (gsize i = 0; i < kernel->n_steps; i++)
    cured_cli_json (".", cured_cli_lend (describe_step (kernel, &kernel->steps[i])));
  cured_cli_json_put ("] requires[");
  for (gsize i = 0; i < kernel->n_requirements; i++)
    {
      cured_cli_json_put ("{");
      add_text ("if", kernel->requirements[i].condition);
      cured_cli_json ("reason}", kernel->requirements[i].reason);
    }
  cured_cli_json_put ("] claims[");
  for (gsize i = 0; i < kernel->n_claims; i++)
    cured_cli_json ("{name text metric at against low high}", kernel->claims[i].name,
                    kernel->claims[i].text, cured_metric_info (kernel->claims[i].metric)->id,
                    kernel->claims[i].at, kernel->claims[i].against, kernel->claims[i].low,
                    kernel->claims[i].high);
  cured_cli_json_put ("]}");
}

static int
list_all (GError **error)
{
  g_auto (GStrv) ids = cured_catalogue_list ();

  cured_cli_json_put ("[");
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], error);

      if (kernel == NULL)
        return CURED_EXIT_USAGE;
      add_json (kernel);
      print_line (kernel);
    }
  cured_cli_json_put ("]");
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  if (cured_cli_is_json && given.source)
    return cured_cli_fail (_ ("--json and --source exclude each other"));
  if (argc == 1 && given.source)
    return cured_cli_fail (_ ("--source needs a kernel; “cured kernels” lists them"));
  if (argc == 1)
    return list_all (error);

  g_autoptr (CuredKernel) kernel = cured_catalogue_load (argv[1], error);
  if (kernel == NULL)
    return CURED_EXIT_USAGE;
  if (given.source)
    g_print ("%s", kernel->source);
  else
    {
      add_json (kernel);
      print_details (kernel, argv[1]);
    }
  return CURED_EXIT_OK;
}

/* SPDX-License-Identifier: MIT
 * cured doctor: what of this machine keeps Cured from measuring well. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static void
print_text (GPtrArray *lines)
{
  /* ORDER: that of CuredCheckupState. */
  static const char *const states[] = {
    NC_ ("checkup", "ok"),
    NC_ ("checkup", "note"),
    NC_ ("checkup", "warning"),
    NC_ ("checkup", "fault"),
  };

  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);
      g_autofree char *gpu =
          line->gpu < 0 ? g_strdup ("") : g_strdup_printf ("cuda:%d ", line->gpu);

      g_print ("%s%s: %s: %s\n", gpu, line->id, g_dpgettext2 (NULL, "checkup", states[line->state]),
               line->text);
      if (line->remedy != NULL)
        g_print ("    → %s\n", line->remedy);
    }
}

static void
print_json (GPtrArray *lines)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  cured_cli_json_put (builder, "[");
  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);

      cured_cli_json (builder, "{id", line->id);
      if (line->gpu >= 0)
        cured_cli_json (builder, "gpu", line->gpu);
      cured_cli_json (builder, "state text remedy}", cured_checkup_state_get_id (line->state),
                      line->text, line->remedy);
    }
  cured_cli_json_put (builder, "]");
  cured_cli_print_json (builder);
}

static struct
{
  gboolean json;
} given;

/* clang-format off */
static const CuredCliOption rows[] = {
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
run_doctor (int argc, char **argv, GError **error)
{
  gboolean has_fault = FALSE;

  g_autoptr (GPtrArray) lines = cured_checkup_run (NULL, NULL);
  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);

      has_fault = has_fault || line->state == CURED_CHECKUP_FAULT;
    }
  if (given.json)
    print_json (lines);
  else
    print_text (lines);
  return has_fault ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

const CuredVerb cured_verb_doctor = {
  .name = "doctor",
  .summary = N_ ("Diagnose why this machine can't measure"),
  .description =
      N_ ("Looks at the driver, the GPUs (clocks, persistence, ECC, MIG, other processes),\n"
          "the compiler with its builtins and headers, the disk, the locale and the\n"
          "window. Changes nothing, and needs no privilege. The exit code is 1 where a\n"
          "fault keeps kernels from being compiled or timed.\n"
          "\n"
          "Examples:\n"
          "  cured doctor\n"
          "  cured doctor --json\n"),
  .options = { rows },
  .run = run_doctor,
};

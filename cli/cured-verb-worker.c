/* SPDX-License-Identifier: MIT
 * cured worker: the process in which a device's kernels run. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static int
run_worker (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *device = NULL;
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, N_ ("The device to drive [cuda:0]"),
      N_ ("ID") },
    G_OPTION_ENTRY_NULL,
  };

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc > 1)
    return cured_cli_fail (_ ("“%s”: worker takes no arguments"), argv[1]);
  return cured_worker_main (cured_device_open, device != NULL ? device : "cuda:0");
}

const CuredVerb cured_verb_worker = {
  .name = "worker",
  .arguments = "",
  .summary = N_ ("Drive a device for another process"),
  .description = N_ ("Speaks JSON lines over standard input and output, as cured-worker(7) says.\n"
                     "“cured run” starts its workers itself.\n"
                     "\n"
                     "Examples:\n"
                     "  cured worker --device cuda:1\n"
                     "  cured run vector/add --worker 'env CUDA_VISIBLE_DEVICES=1 cured worker'\n"),
  .run = run_worker,
};

/* SPDX-License-Identifier: MIT
 * cured worker: the process in which a device's kernels run. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static struct
{
  char *device;
} given = { .device = (char *) "cuda:0" };

/* clang-format off */
static const CuredCliOption rows[] = {
  { "device", 'd', CURED_CLI_TEXT, &given.device, N_ ("The device to drive [cuda:0]"), N_ ("ID") },
  { NULL },
};
/* clang-format on */

static int
run_worker (int argc, char **argv, GError **error)
{
  return cured_worker_main (cured_device_open, given.device);
}

const CuredVerb cured_verb_worker = {
  .name = "worker",
  .summary = N_ ("Drive a device for another process"),
  .description = N_ ("Speaks JSON lines over standard input and output, as cured-worker(7) says.\n"
                     "“cured run” starts its workers itself.\n"
                     "\n"
                     "Examples:\n"
                     "  cured worker --device cuda:1\n"
                     "  cured run vector/add --worker 'env CUDA_VISIBLE_DEVICES=1 cured worker'\n"),
  .options = { rows },
  .run = run_worker,
};

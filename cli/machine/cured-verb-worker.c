/* SPDX-License-Identifier: MIT
 * cured worker: the process in which a device's kernels run. */
#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "machine/cured-verb-worker.def"
#include "cured-verb.h"

static int
run (int argc, char **argv, GError **error)
{
  return cured_worker_main (cured_device_open, given.device);
}

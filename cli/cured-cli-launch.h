/* SPDX-License-Identifier: MIT
 * Devices elsewhere: what several verbs take for it. */
#pragma once

#include "cured-cli.h"

G_BEGIN_DECLS

/* Rows of a table of options. */
#define CURED_CLI_LAUNCH_ENTRIES(launchers, push)                                                  \
  { "launcher",                                                                                    \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_STRING_ARRAY,                                                                     \
    &launchers,                                                                                    \
    N_ ("Before “cured” elsewhere: ssh HOST, srun, …"),                                            \
    N_ ("COMMAND") },                                                                              \
  {                                                                                                \
    "push", 0, 0, G_OPTION_ARG_NONE, &push, N_ ("Copy this program there, unless it is"), NULL     \
  }

gboolean cured_cli_check_launchers (char **launchers, gboolean push);
char **cured_cli_launch_worker (const char *launcher, gboolean push, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: MIT
 * Options of the sweep of run and predict. */
#pragma once

#include "cured-cli-devices.h"

#define CURED_CLI_NOT_GIVEN -1

/* ORDER: as the words of --order. */
enum
{
  CURED_CLI_ORDER_PLAN,
  CURED_CLI_ORDER_PREDICTED,
};

/* ORDER: as the words of --progress. */
enum
{
  CURED_CLI_PROGRESS_AUTO,
  CURED_CLI_PROGRESS_JSON,
};

/* clang-format off */
/* The given options, and the sweep that they make. */
typedef struct
{
  char *chip; /* chip to predict times for; NULL: the kernel runs */
#define OPTION(type, member, ...) CURED_CLI_TYPE_##type member;
#include "cured-cli-sweep.def"
#include "cured-cli-run.def"
#undef OPTION
  GPtrArray *ranges;   /* nullable: parsed @prints */
  CuredPreset *preset; /* nullable: the preset of @preset_name */
  int shard;           /* 0: all */
  int n_shards;
  gint64 budget_cells; /* 0: none */
  double budget_s;     /* 0: none */
  CuredMetric best_metric;
} CuredCliSweep;
/* clang-format on */

extern CuredCliSweep cured_cli_sweep;
extern const CuredCliOption cured_cli_sweep_rows[];
extern const CuredCliOption cured_cli_run_rows[];

gboolean cured_cli_sweep_parse_budget (void);
gboolean cured_cli_sweep_parse (int argc, char **argv, const char **kernel);
gboolean cured_cli_sweep_parse_ranges (const CuredKernel *kernel, GError **error);
CuredSpec *cured_cli_sweep_make_spec (const char *kernel_name, CuredStore *store, GError **error);

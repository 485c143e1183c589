/* SPDX-License-Identifier: MIT
 * The sweep that run and predict are given. */
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

typedef struct
{
  char **axes;
  char **fills;
  char *devices;
  char *output;
  char *worker;
  char *shard_text;
  char *metric;
  char *preset_name;
  char *budget;
  char *replay;
  char **prints;
  char *cell;
  char *chip; /* whose times are predicted; NULL: the kernel runs */
  gint64 n_replays;
  double anchor_minutes;
  int order;
  int progress;
  gboolean sweep;
  gboolean best;
  gboolean resume;
  gboolean force;
  gboolean dry_run;
  gboolean verbose;

  /* What that comes to */
  GPtrArray *ranges;   /* nullable: what @prints are */
  CuredPreset *preset; /* nullable: what @preset_name is */
  int shard;           /* 0: all */
  int n_shards;
  gint64 budget_cells; /* 0: none */
  double budget_s;     /* 0: none */
  CuredMetric best_metric;
} CuredCliSweep;

extern CuredCliSweep cured_cli_sweep;
extern const CuredCliOption cured_cli_sweep_rows[];

gboolean cured_cli_sweep_parse_budget (void);
gboolean cured_cli_sweep_parse (int argc, char **argv, const char **kernel);
gboolean cured_cli_sweep_parse_ranges (const CuredKernel *kernel, GError **error);
CuredSpec *cured_cli_sweep_make_spec (const char *kernel_name, CuredStore *store, GError **error);

/* SPDX-License-Identifier: MIT
 * What rounds of samples, each in a fresh process, say together. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredRounds:
 * @n: how many rounds there are
 * @median: the median of their medians
 * @between: the standard deviation of their medians over @median; NaN with one round
 * @low: lower end of where the median of another process is, 95 %; NaN with one round
 * @high: upper end
 */
typedef struct
{
  guint n;
  double median, between, low, high;
} CuredRounds;

G_END_DECLS

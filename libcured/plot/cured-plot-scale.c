/* SPDX-License-Identifier: MIT
 * Numbers of a plot: common units, ticks of values and of parameters. */
#include "plot/cured-paint-private.h"

#include "base/cured-base-internal.h"

/* One prefix serves values up to this factor apart, so five digits at most. */
#define MAX_COMMON_RANGE 1e4

/* From this value on, the next larger unit is used. */
#define MAX_COMMON_VALUE 1e6

/* Digits of a value in a cell, usually. */
#define SIGNIFICANT_DIGITS 3

/* Decimals: three digits from 0.1 on. */
#define MOST_DECIMALS 3

/* Number of decimals that gives @shown three significant digits. */
static int
count_decimals (double shown)
{
  if (!(shown > 0))
    return 0;
  /* 9.995 is 10.0: rounding can add a digit. */
  return (int) CLAMP (2 - floor (log10 (shown * 1.0005003)), 0, 9);
}

/* @low and @high: the range of the values, in the metric's own @unit. */
void
_cured_plot_scale_init (CuredPlotScale *self, const char *unit, double low, double high)
{
  *self = (CuredPlotScale){ .metric_unit = unit, .factor = 1, .unit = "" };
  if (low > 0 && high / low > MAX_COMMON_RANGE)
    self->is_individual = *unit != '\0';
  else if (!isnan (high))
    {
      double least = low > 0 ? low : MAX (fabs (low), fabs (high));

      self->unit = cured_unit_choose (unit, least, &self->factor);
      if (high / self->factor >= MAX_COMMON_VALUE)
        self->unit = cured_unit_choose (unit, least * 1024, &self->factor);
    }
  else
    self->unit = cured_unit_choose (unit, 0, &self->factor);
}

static double
round_to_digits (double value, guint digits)
{
  if (digits == 0 || value == 0)
    return value;
  double step = pow (10, floor (log10 (fabs (value))) - digits + 1);
  return round (value / step) * step;
}

static char *
format_fixed (double value, int decimals)
{
  if (decimals == 0 && fabs (value) < 1e15)
    return cured_format_count ((gint64) rint (value));
  return g_strdup_printf ("%.*f", decimals, value);
}

/* Formats a value for a cell: three digits; all digits of a count; fewer for values that are small
 * relative to their neighbours. */
char *
_cured_plot_scale_format (const CuredPlotScale *self, double value)
{
  if (self->is_relative)
    return cured_format_multiple (value / self->factor,
                                  self->digits > 0 ? self->digits : SIGNIFICANT_DIGITS);
  if (self->is_individual || isnan (value))
    return self->digits > 0 ? cured_format_rough (value, self->metric_unit)
                            : cured_format_quantity (value, self->metric_unit);
  value = round_to_digits (value, self->digits);
  double shown = fabs (value / self->factor);
  if (*self->metric_unit == '\0' && shown == floor (shown) && shown < 1e15)
    return cured_format_count ((gint64) value);
  /* 0.866 and 0.0067, but not 0.00670, which would only be wider. */
  int decimals = count_decimals (shown);
  if (self->digits > 0)
    decimals = MAX (decimals - SIGNIFICANT_DIGITS + (int) self->digits, 0);
  if (decimals > MOST_DECIMALS)
    decimals = MAX (decimals - 1, MOST_DECIMALS);
  return format_fixed (value / self->factor, decimals);
}

/* Formats a tick whose neighbours are @step of the metric's units away. */
char *
_cured_plot_scale_format_tick (const CuredPlotScale *self, double value, double step)
{
  double shown = step / self->factor;

  if (self->is_individual)
    return cured_format_quantity_aligned (value, self->metric_unit, value);
  int decimals = shown > 0 ? (int) CLAMP (-floor (log10 (shown) + 1e-9), 0, 9) : 0;
  if (!self->is_relative)
    return format_fixed (value / self->factor, decimals);
  return g_strdup_printf ("×%.*f", decimals, value / self->factor);
}

static double
nice_step (double least)
{
  double power = pow (10, floor (log10 (least)));

  for (int i = 0; i < 3; i++)
    {
      static const double multiples[] = { 1, 2, 5 };

      if (multiples[i] * power >= least * (1 - 1e-9))
        return multiples[i] * power;
    }
  return 10 * power;
}

/* Round numbers from @low to @high, both included, at most @max_ticks. */
gsize
_cured_plot_ticks_linear (double low, double high, gsize max_ticks,
                          double ticks[CURED_PLOT_MAX_TICKS], double *step)
{
  gsize n = 0;

  *step = 0;
  max_ticks = MIN (max_ticks, CURED_PLOT_MAX_TICKS);
  if (!(high > low) || max_ticks < 1)
    return 0;
  *step = nice_step ((high - low) / (double) max_ticks);
  double first = ceil (low / *step - 1e-9);
  while (n < max_ticks && (first + (double) n) * *step <= high + 1e-9 * *step)
    {
      ticks[n] = (first + (double) n) * *step;
      n++;
    }
  return n;
}

/* 1, 2 and 5 of each power of ten, or 1 only, or each second power …: the densest choice with at
 * most @max_ticks. */
gsize
_cured_plot_ticks_logarithmic (double low, double high, gsize max_ticks,
                               double ticks[CURED_PLOT_MAX_TICKS])
{
  static const int multiples[] = { 1, 2, 5 };
  int first = (int) floor (log10 (low)), last = (int) ceil (log10 (high));

  max_ticks = MIN (max_ticks, CURED_PLOT_MAX_TICKS);
  /* Denser to sparser: 1-2-5, then every power, every second one … */
  for (int every = 0; every <= last - first + 1; every++)
    {
      gsize n = 0;

      for (int power = first; power <= last && n <= max_ticks; power++)
        for (int i = 0; i < (every == 0 ? 3 : 1) && n <= max_ticks; i++)
          {
            double tick = multiples[i] * pow (10, power);

            if (every > 1 && power % every != 0)
              continue;
            if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9))
              continue;
            if (n < max_ticks)
              ticks[n] = tick;
            n++;
          }
      if (n <= max_ticks)
        return n;
    }
  return 0;
}

static gboolean
is_power_of_two (gint64 value)
{
  return value > 0 && (value & (value - 1)) == 0;
}

/* The common difference of the axis's values; 0 if there is none. */
static gint64
get_difference (const CuredAxis *axis)
{
  gsize n = cured_axis_get_length (axis);

  if (n < 3 || cured_axis_is_named (axis))
    return 0;
  gint64 difference = cured_axis_get_value (axis, 1) - cured_axis_get_value (axis, 0);
  /* Enough to distinguish a range from a list, without a pass over a million values. */
  for (gsize i = 2; i < MIN (n, 64); i++)
    if (cured_axis_get_value (axis, i) - cured_axis_get_value (axis, i - 1) != difference)
      return 0;
  if (cured_axis_get_value (axis, n - 1) - cured_axis_get_value (axis, n - 2) != difference)
    return 0;
  return difference;
}

/* Chooses the values of a parameter that get a label: every @step-th from the index @first, at
 * least @min_step apart. In ranges, round multiples: 8, 16, 24, 32 in 1..32, not 1, 9, 17,
 * 25. */
void
_cured_plot_axis_ticks (const CuredAxis *axis, gsize min_step, gsize *first, gsize *step)
{
  gsize n = cured_axis_get_length (axis);
  gint64 difference = get_difference (axis), start = cured_axis_get_value (axis, 0);

  *first = 0;
  *step = 1;
  if (min_step <= 1)
    return;
  if (is_power_of_two (ABS (difference)) && (difference != 1 || n <= 128))
    while (*step < min_step)
      *step *= 2;
  else
    *step = (gsize) (nice_step ((double) min_step) + 0.5);
  if (difference != 0 && start % difference == 0)
    {
      gint64 offset = (start / difference) % (gint64) *step;

      if (offset < 0)
        offset += (gint64) *step;
      if (offset != 0)
        *first = *step - (gsize) offset;
      if (*first >= n)
        *first = 0;
    }
}

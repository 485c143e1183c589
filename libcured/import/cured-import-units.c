/* SPDX-License-Identifier: MIT
 * Other programs' names of figures and units. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"

/* ORDER: the name in tuners (case-insensitive); the metric; the
 * factor. */
static const struct
{
  const char *name;
  CuredMetric metric;
  double scale;
} named[] = {
  { "GFLOP/s", CURED_METRIC_flop_rate, 1e9 },  { "GFLOPs", CURED_METRIC_flop_rate, 1e9 },
  { "TFLOP/s", CURED_METRIC_flop_rate, 1e12 }, { "TFLOPs", CURED_METRIC_flop_rate, 1e12 },
  { "GB/s", CURED_METRIC_bandwidth, 1e9 },     { "GBs", CURED_METRIC_bandwidth, 1e9 },
  { "TB/s", CURED_METRIC_bandwidth, 1e12 },    { "num_regs", CURED_METRIC_registers, 1 },
  { "registers", CURED_METRIC_registers, 1 },  { "core_freq", CURED_METRIC_sm_clock, 1e6 },
  { "GFLOPS", CURED_METRIC_flop_rate, 1e9 },   { "GBps", CURED_METRIC_bandwidth, 1e9 },
  { "regs", CURED_METRIC_registers, 1 },       { "GiB/s", CURED_METRIC_bandwidth, 0x1p30 },
};

/* ORDER: the beginning of a unit of time, longer ones first; and its rest. Comparisons ignore case,
 * signs and doubled letters, since “miliseconds” occurs, too. */
static const struct
{
  const char *word;
  double ns;
} time_prefixes[] = {
  { "mili", 1e6 }, { "micro", 1e3 }, { "mirco", 1e3 }, { "mikro", 1e3 },
  { "nano", 1 },   { "m", 1e6 },     { "u", 1e3 },     { "µ", 1e3 },
  { "μ", 1e3 },    { "n", 1 },       { "", 1e9 },
};
static const char *const time_words[] = { "s", "sec", "secs", "second", "seconds", NULL };

/* The same with prefixes, as in "Mbyte/second" and "GiB/s". */
static const struct
{
  const char *unit, *ours;
} prefixed[] = {
  { "Hz", "Hz" },         { "byte", "B" },           { "bytes", "B" },
  { "byte/block", "B" },  { "byte/s", "B/s" },       { "bytes/s", "B/s" },
  { "byte/sec", "B/s" },  { "bytes/sec", "B/s" },    { "byte/second", "B/s" },
  { "FLOP/s", "FLOP/s" }, { "bytes/second", "B/s" }, { "FLOPS", "FLOP/s" },
  { "B", "B" },           { "B/s", "B/s" },          { "Bps", "B/s" },
  { "Bs", "B/s" },
};

/* Of the observers that come with Kernel Tuner. */
static const struct
{
  const char *name, *unit;
} observed[] = {
  { "nvml_power", "W" }, { "nvml_energy", "J" },   { "power_readings", "W" },
  { "ps_power", "W" },   { "ps_energy", "J" },     { "temperature", "°C" },
  { "mem_freq", "MHz" }, { "core_voltage", "mV" }, { "gr_voltage", "mV" },
};

/* Nanoseconds of a unit of time; NaN if it is not one. */
static double
find_time_unit (const char *unit)
{
  g_autoptr (GString) folded = g_string_new (NULL);

  for (const char *at = unit; *at != '\0'; at++)
    if (strchr (" -_.", *at) == NULL &&
        (folded->len == 0 || folded->str[folded->len - 1] != g_ascii_tolower (*at)))
      g_string_append_c (folded, g_ascii_tolower (*at));
  for (gsize i = 0; i < G_N_ELEMENTS (time_prefixes); i++)
    if (g_str_has_prefix (folded->str, time_prefixes[i].word) &&
        g_strv_contains (time_words, folded->str + strlen (time_prefixes[i].word)))
      return time_prefixes[i].ns;
  return CURED_MISSING;
}

gboolean
_cured_import_fail_unit (const CuredImportReader *self, const char *unit, GError **error)
{
  return _cured_import_fail (self, error,
                             _ ("“%s” is no unit of time that Cured knows; expected s, ms, us or "
                                "ns, or seconds, milliseconds, microseconds or nanoseconds"),
                             unit);
}

/* The factor for numbers in a unit. */
double
_cured_import_scale_unit (const char **unit)
{
  double ns = find_time_unit (*unit);

  if (!isnan (ns))
    {
      *unit = "ns";
      return ns;
    }
  if (g_str_has_prefix (*unit, "cycle/"))
    {
      const char *time = *unit + strlen ("cycle/");

      ns = find_time_unit (time);
      if (isnan (ns))
        return 1;
      *unit = "Hz";
      return 1e9 / ns;
    }
  static const char prefixes[] = "kmgtp";
  const char *prefix = **unit != '\0' ? strchr (prefixes, g_ascii_tolower (**unit)) : NULL;
  const char *base = *unit + (prefix != NULL);
  gboolean is_binary = prefix != NULL && g_str_has_prefix (base, "iB");

  base += is_binary;
  for (gsize i = 0; i < G_N_ELEMENTS (prefixed); i++)
    if (g_ascii_strcasecmp (prefixed[i].unit, base) == 0)
      {
        *unit = prefixed[i].ours;
        return prefix != NULL ? pow (is_binary ? 1024 : 1000, (double) (prefix - prefixes) + 1) : 1;
      }
  return 1;
}

/* Whether the name is that of a known figure. */
gboolean
_cured_import_is_named (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (named); i++)
    if (g_ascii_strcasecmp (named[i].name, name) == 0)
      return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (observed); i++)
    if (g_str_equal (observed[i].name, name))
      return TRUE;
  return FALSE;
}

/* Sets the metric of that name, or an extra one. */
void
_cured_import_set_named (CuredImportCell *self, const char *name, const char *unit, double value)
{
  const char *ours = unit;
  double scale = _cured_import_scale_unit (&ours);

  for (gsize i = 0; i < G_N_ELEMENTS (named); i++)
    if (g_ascii_strcasecmp (named[i].name, name) == 0 &&
        (*unit == '\0' || g_str_equal (ours, cured_metric_info (named[i].metric)->unit)))
      {
        _cured_import_set_metric (self, named[i].metric,
                                  value * (*unit == '\0' ? named[i].scale : scale));
        return;
      }
  ours = unit;
  for (gsize i = 0; *ours == '\0' && i < G_N_ELEMENTS (observed); i++)
    if (g_str_equal (observed[i].name, name))
      ours = observed[i].unit;
  scale = _cured_import_scale_unit (&ours);
  _cured_import_set_extra (self, name, name, NULL, ours,
                           g_str_equal (ours, "J") ? CURED_BETTER_LOWER : CURED_BETTER_NEITHER,
                           value * scale);
}

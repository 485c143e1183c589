/* SPDX-License-Identifier: MIT
 * Words an explanation in plain language. */

#include "base/cured-base-internal.h"
#include "explain/cured-explanation-private.h"

/* Smallest share that is mentioned. */
#define WORTH_SAYING 0.05

/* A share of the work from here on is shown as all of it. */
#define NEARLY_ALL 0.9995

/* Limits of a mentioned last round: share of the chip that it fills, and number of rounds. */
#define TAIL_WORTH_SAYING 0.25
#define MANY_WAVES        8

/* From this use on, more bytes in flight gain nothing; ratio of the latencies of a busy and an idle
 * memory. Both by data/results/reduce-two-launch-h200.cured. */
#define FULLY_BUSY 0.88
#define LOADED     3

static char *
format_share (double share)
{
  return cured_format_quantity (share, "ratio");
}

/* The line's work on @limit, per access. */
static void
get_line_work (const CuredExplanation *self, CuredWork *work)
{
  *work = (CuredWork){ 0 };
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, self->work->launches)
    {
      CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
        if (site->line == self->line && g_strcmp0 (site->file, self->file) == 0 &&
            (self->limit != CURED_RESOURCE_SHARED || site->work.wavefronts > site->work.least))
          cured_work_add (work, &site->work, 1);
    }
}

/* ": 31 of 32 wavefronts of an access are conflicts at line 120" */
static void
add_conflicts (const CuredExplanation *self, GString *text)
{
  CuredWork work;

  get_line_work (self, &work);
  if (!(work.shared_requests > 0))
    return;
  g_string_append_printf (
      text,
      /* Translators: continues “Shared memory is busy 97 % of the time”. Two numbers, and a line of
       * the source. */
      _ (": %.3g of %.3g wavefronts of an access are conflicts at line %d"),
      (work.wavefronts - work.least) / work.shared_requests, work.wavefronts / work.shared_requests,
      self->line);
}

/* A resource that is busier than the limit, but no limit itself, since it carries the limit's
 * accesses: shared memory is a stage of L1. -1: none. */
static int
find_carrier (const CuredExplanation *self)
{
  double share = self->uses[self->limit].share;

  if (self->uses[self->next].share > share)
    return (int) self->next;
  return self->limit == CURED_RESOURCE_SHARED && self->uses[CURED_RESOURCE_L1].share > share
             ? CURED_RESOURCE_L1
             : -1;
}

static void
add_bound (const CuredExplanation *self, GString *text)
{
  int busier = find_carrier (self);
  g_autofree char *share = format_share (self->uses[self->limit].share);
  g_autofree char *next = format_share (self->uses[self->next].share);
  g_autofree char *same = busier >= 0 ? format_share (self->uses[busier].share) : NULL;

  if (self->uses[self->limit].share > 1)
    /* Translators: a resource, such as “Memory”, whose share is over 100 %. */
    g_string_append_printf (text, _ ("%s runs at its measured limit"),
                            cured_resource_get_title (self->limit));
  else
    /* Translators: a resource, such as “Shared memory”, and a percentage. */
    g_string_append_printf (text, _ ("%s is busy %s of the time"),
                            cured_resource_get_title (self->limit), share);
  if (self->excess > WORTH_SAYING && self->limit == CURED_RESOURCE_SHARED && self->line > 0)
    add_conflicts (self, text);
  if (self->excess > WORTH_SAYING && self->limit == CURED_RESOURCE_REMOTE)
    {
      g_autofree char *excess = format_share (self->excess);

      g_string_append_printf (
          text,
          /* Translators: ends “Other blocks’ memory is busy 64 % of the time”. A percentage. */
          _ (": %s of its sectors would not be needed at neighbouring addresses"), excess);
    }
  if (self->excess > WORTH_SAYING && self->after_limit != self->limit)
    g_string_append_printf (
        text,
        /* Translators: ends “Shared memory is busy 97 % of the time: …”. A resource, and a fraction
         * such as 0.55. */
        _ ("; without them it would be bounded by %s, at about %.2f of the time."),
        cured_resource_get_name (self->after_limit), self->after);
  else if (self->excess > WORTH_SAYING)
    g_string_append_printf (text, _ ("; without them it would take about %.2f of the time."),
                            self->after);
  else if (busier >= 0)
    g_string_append_printf (
        text,
        /* Translators: ends “Shared memory is busy 78.5 % of the time”. A resource and a
         * percentage. */
        _ ("; %s is busy %s, since it carries the same accesses."),
        cured_resource_get_name ((CuredResource) busier), same);
  else
    /* Translators: ends “Memory is busy 97 % of the time”. A resource and a percentage. */
    g_string_append_printf (text, _ ("; next is %s, with %s."),
                            cured_resource_get_name (self->next), next);
}

/* Excess traffic of memory has a special name. */
static void
add_memory (const CuredExplanation *self, GString *text)
{
  g_autofree char *share = format_share (self->uses[self->limit].share);
  g_autofree char *excess = format_share (self->excess);

  g_string_append_printf (
      text,
      _ ("Memory is busy %s of the time: %s of its bytes are moved more than once; without them it "
         "would be bounded by %s, at about %.2f of the time."),
      share, excess, cured_resource_get_name (self->after_limit), self->after);
}

static void
add_parallelism (const CuredExplanation *self, GString *text)
{
  const CuredParallelism *parallelism = &self->parallelism;
  g_autofree char *filled = format_share (1 - parallelism->tail);

  if (parallelism->sms_busy < parallelism->sms)
    g_string_append_printf (
        text,
        /* Translators: numbers: multiprocessors twice, and threads. */
        _ (" %.0f of %.0f multiprocessors have work, with %.0f threads in flight."),
        parallelism->sms_busy, parallelism->sms, parallelism->threads);
  else if (parallelism->waves > 1 && parallelism->waves < MANY_WAVES &&
           parallelism->tail > TAIL_WORTH_SAYING)
    g_string_append_printf (
        text,
        /* Translators: a number of rounds, and a percentage. */
        _ (" Blocks run in %.0f rounds, the last of which fills %s of the chip."),
        ceil (parallelism->waves), filled);
}

/* @possible: the resource that may be the limit; CURED_N_RESOURCES: none */
char *
_cured_explanation_describe (const CuredExplanation *self, CuredResource possible)
{
  const char *name = cured_resource_get_name (self->limit);
  g_autofree char *share = format_share (self->uses[self->limit].share);
  g_autofree char *wait = format_share (self->wait_ns / self->time_ns);
  g_autoptr (GString) text = g_string_new (NULL);

  switch (self->bottleneck)
    {
    case CURED_BOTTLENECK_RESOURCE:
      if (self->limit == CURED_RESOURCE_MEMORY && self->excess > WORTH_SAYING)
        add_memory (self, text);
      else
        add_bound (self, text);
      break;
    case CURED_BOTTLENECK_LATENCY:
      g_string_append_printf (text,
                              /* Translators: a percentage, and a resource. */
                              _ ("No resource is busy more than %s of the time (%s): warps wait "
                                 "on their loads, and too few others are ready to hide it."),
                              share, name);
      break;
    case CURED_BOTTLENECK_CONTRADICTED:
      g_string_append_printf (
          text,
          /* Translators: a resource and a percentage. */
          _ ("No verdict: the counts contradict the clock. What was counted for %s would take %s "
             "of the measured time: the machine code does less than the PTX that was counted."),
          name, share);
      return g_string_free (g_steal_pointer (&text), FALSE);
    case CURED_BOTTLENECK_UNEXPLAINED:
    default:
      if (possible != CURED_N_RESOURCES)
        {
          g_autofree char *most = format_share (self->uses[possible].share);

          g_string_append_printf (
              text,
              /* Translators: a resource, a percentage, a resource, and a percentage. */
              _ ("No verdict: %s may be the limit, with a share of at most %s; of the shares that "
                 "are "
                 "certain, the largest is that of %s, %s."),
              cured_resource_get_name (possible), most, name, share);
          break;
        }
      g_string_append_printf (text,
                              /* Translators: a percentage, a resource, and a percentage. */
                              _ ("No verdict: no resource is busy more than %s of the time (%s), "
                                 "and latency accounts for %s of it."),
                              share, name, wait);
      break;
    }
  add_parallelism (self, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Whether memory idles for lack of requests: Little's law gives the bytes in flight that keep it
 * busy at its latency, which grows under load. */
static gboolean
has_few_in_flight (const CuredExplanation *self)
{
  return self->limit == CURED_RESOURCE_MEMORY && self->uses[self->limit].share < FULLY_BUSY &&
         self->parallelism.bytes > 0 && self->parallelism.bytes < LOADED * self->least_in_flight;
}

/* Says which counts would have to be less. */
char *
_cured_explanation_describe_change (const CuredExplanation *self)
{
  const CuredResourceUse *use = &self->uses[self->limit];
  g_autofree char *share =
      /* Translators: of what a kernel asks, in the place of a percentage. */
      self->line_share >= NEARLY_ALL ? g_strdup (_ ("all")) : format_share (self->line_share);
  g_autofree char *work = cured_format_count ((gint64) (use->work + 0.5));

  if (self->bottleneck == CURED_BOTTLENECK_LATENCY)
    {
      double more = CURED_EXPLAIN_BOUND / MAX (use->share, 0.001);

      return g_strdup_printf (
          /* Translators: two numbers, and a resource. */
          _ ("With %.0f times the %.0f threads in flight, %s would become the limit."), ceil (more),
          self->parallelism.threads, cured_resource_get_name (self->limit));
    }
  if (self->bottleneck != CURED_BOTTLENECK_RESOURCE)
    return NULL;
  if (self->limit == CURED_RESOURCE_DISPATCH)
    return g_strdup_printf (_ ("It is the number of blocks that counts, not what they do: %s."),
                            work);
  if (self->limit == CURED_RESOURCE_LAUNCH)
    return g_strdup (_ ("It is the launch that takes the time, not what the kernel does."));
  if (has_few_in_flight (self))
    {
      g_autofree char *bytes = cured_format_quantity (self->parallelism.bytes, "B");

      /* Translators: a number of bytes. */
      return g_strdup_printf (_ ("With more than these %s in flight, memory would be busier: more "
                                 "threads, or more loads per thread before the first is used."),
                              bytes);
    }
  if (self->line == 0)
    return NULL;
  if (use->share < FULLY_BUSY)
    {
      g_autofree char *time = cured_format_quantity (use->time_ns, "ns");

      return g_strdup_printf (
          /* Translators: a number and its unit (“wavefronts”), a time, a line of the source, and a
           * percentage, or “all”. */
          _ ("At the chip’s full rate, these %s %s take %s; line %d accounts for %s of them."),
          work, cured_resource_get_unit (self->limit), time, self->line, share);
    }
  return g_strdup_printf (
      /* Translators: a number and its unit (“wavefronts”), a percentage, and a line of the
       * source. */
      _ ("To go faster it needs fewer than these %s %s; line %d accounts for %s of them."), work,
      cured_resource_get_unit (self->limit), self->line, share);
}

/* SPDX-License-Identifier: MIT
 * What the model makes of made-up work, against the figures in tests/data/works.tsv: whoever changes
 * a formula sees which figures it moves. “test-works --print” prints new ones. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "model/cured-prediction.h"
#include "ptx/cured-work-internal.h"
#include "test.h"

#define N_WORKS 240

static double
draw (GRand *random, double least, double most)
{
  return g_rand_double_range (random, least, most);
}

static gboolean
is_drawn (GRand *random, double share)
{
  return g_rand_double (random) < share;
}

/* Numbers of a field's own: one more field leaves those of the others alone. */
static GRand *
branch (guint32 seed, const char *name)
{
  return g_rand_new_with_seed (seed ^ g_str_hash (name));
}

/* A chip; of some rates nothing is known. */
static void
draw_machine (GRand *random, CuredMachine *machine)
{
  static const struct
  {
    const char *unit;
    double least, most;
  } ranges[] = {
    { "", 3, 5 },          { "Hz", 1e9, 2e9 }, { "1/cycle", 0.2, 4 }, { "B/cycle", 8, 64 },
    { "B/s", 1e10, 3e11 }, { "B", 2e4, 2e5 },  { "cycles", 4, 600 },  { "ns", 0.02, 3 },
  };
  gsize n_facts;
  const CuredMachineFact *facts = cured_machine_facts (&n_facts);
  guint32 seed = g_rand_int (random);

  for (gsize i = 0; i < n_facts; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (ranges); k++)
      if (g_str_equal (facts[i].unit, ranges[k].unit))
        {
          g_autoptr (GRand) own = branch (seed, facts[i].name);
          double *fact = &G_STRUCT_MEMBER (double, machine, facts[i].offset);

          *fact = draw (own, ranges[k].least, ranges[k].most);
          if (strstr (facts[i].unit, "/cycle") != NULL && is_drawn (own, 0.1))
            *fact = NAN;
        }
  machine->sms = floor (machine->sms);
  if (is_drawn (random, 0.1))
    machine->launch_ns = 1e7;
}

/* Some kinds of work are much more than the others, so that each decides somewhere. */
static void
draw_work (GRand *random, CuredWork *work, double most)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);
  guint32 seed = g_rand_int (random);

  for (gsize i = 0; i < n_fields; i++)
    {
      g_autoptr (GRand) own = branch (seed, fields[i].name);
      double value = draw (own, 0, most);

      *_cured_work_at (work, &fields[i]) = is_drawn (own, 0.3)    ? 0
                                           : is_drawn (own, 0.05) ? 40 * value
                                                                  : value;
    }
}

static void
draw_site (GRand *random, CuredWorkLaunch *launch, double times)
{
  CuredWorkSite *site = cured_work_launch_add_site (launch);
  CuredWorkFlow *flow = site->flow = g_new0 (CuredWorkFlow, 1);

  site->site = launch->sites->len - 1;
  flow->wait = (CuredWaitKind) g_rand_int_range (random, 0, CURED_WAIT_BRANCH + 1);
  flow->target = G_MAXUINT;
  if (is_drawn (random, 0.35))
    {
      flow->wait = CURED_WAIT_BRANCH;
      flow->target = (guint) g_rand_int_range (random, 0, (int) site->site + 4);
    }
  flow->is_read_only = is_drawn (random, 0.5);
  flow->n_out = (guint) g_rand_int_range (random, 0, 3);
  flow->n_in = (guint) g_rand_int_range (random, 0, 3);
  flow->registers = g_new (guint, flow->n_out + flow->n_in + 1);
  for (guint i = 0; i < flow->n_out + flow->n_in; i++)
    flow->registers[i] = (guint) g_rand_int_range (random, 7, 12);
  draw_work (random, &site->work, 20);
  if (is_drawn (random, 0.3))
    site->work.requests = site->work.remote = 0;
  if (is_drawn (random, 0.3))
    site->work.shared_requests = 1;
  site->work.issued =
      times * (is_drawn (random, 0.2) ? draw (random, 0, 0.6) : g_rand_int_range (random, 0, 14));
}

static void
draw_steps (GRand *random, CuredWorkLaunch *launch, double times)
{
  launch->steps = g_array_new (FALSE, FALSE, sizeof (CuredMachineStep));
  for (int i = g_rand_int_range (random, 1, 16), at = 0; at < i; at++)
    {
      CuredMachineStep step = {
        .wait = (CuredWaitKind) g_rand_int_range (random, 0, CURED_WAIT_BRANCH + 1),
        .site = (guint) g_rand_int_range (random, 0, 12),
        .target =
            is_drawn (random, 0.35) ? (guint) g_rand_int_range (random, 0, at + 5) : G_MAXUINT,
        .stall = (guint8) g_rand_int_range (random, 0, 15),
        .sets = (guint8) g_rand_int_range (random, 0, 8),
        .reads = (guint8) g_rand_int_range (random, 0, 8),
        .mask = (guint8) g_rand_int_range (random, 0, 64),
        .executed = times * (is_drawn (random, 0.2) ? draw (random, 0, 0.6)
                                                    : g_rand_int_range (random, 0, 14)),
      };

      g_array_append_val (launch->steps, step);
    }
}

static void
draw_buffer (GRand *random, CuredWorkLaunch *launch, const char *name)
{
  CuredWorkBuffer *buffer = cured_work_launch_add_buffer (launch);

  buffer->name = g_strdup (name);
  buffer->bytes = draw (random, 1e3, 1e5);
  buffer->read = is_drawn (random, 0.3) ? 0 : draw (random, 0, 4e3);
  buffer->written = is_drawn (random, 0.5) ? 0 : draw (random, 0, 4e3);
  buffer->once = draw (random, 0, buffer->read + 1);
  if (is_drawn (random, 0.4))
    buffer->joined = draw (random, 0, 0.5);
  if (is_drawn (random, 0.3))
    buffer->fresh = draw (random, 0, 1);
}

static void
draw_launch (GRand *random, CuredWorkload *work)
{
  static const char *const names[] = { "a", "b", "c" };
  CuredWorkLaunch *launch = cured_workload_add (work, "k");

  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->grid[0] = (guint) g_rand_int_range (random, 1, 60);
  launch->block[0] = (guint) g_rand_int_range (random, 1, 130);
  launch->n_blocks = launch->n_run = launch->grid[0];
  launch->repeats = (guint64) g_rand_int_range (random, 1, 4);
  /* A single warp. */
  if (is_drawn (random, 0.15))
    launch->grid[0] = launch->n_blocks = launch->n_run = launch->repeats = launch->block[0] = 1;
  launch->blocks_per_sm = g_rand_int_range (random, 0, 4);
  launch->shared_bytes = is_drawn (random, 0.5) ? 512 : 0;
  launch->takes_tickets = is_drawn (random, 0.5);
  launch->hottest = draw (random, 0, 20);
  draw_work (random, &launch->total, 3e3);
  double *traffic = &launch->traffic.l1_hits;
  for (gsize i = 0; i < sizeof launch->traffic / sizeof *traffic; i++)
    if (is_drawn (random, 0.2))
      traffic[i] = draw (random, 0, 1e5);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_drawn (random, 0.6))
      draw_buffer (random, launch, names[i]);
  double times = ceil (launch->block[0] / 32.0) * launch->grid[0] * (double) launch->repeats;
  for (int i = g_rand_int_range (random, 0, 14); i > 0; i--)
    draw_site (random, launch, times);
  if (is_drawn (random, 0.4))
    draw_steps (random, launch, times);
  /* No instruction is known. */
  if (launch->steps == NULL && launch->sites->len > 0 && is_drawn (random, 0.1))
    g_clear_pointer (&((CuredWorkSite *) launch->sites->pdata[0])->flow, g_free);
}

/* The figures of work @number, separated by tabs. */
static char *
predict (guint number)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (number);
  CuredMachine machine = { 0 };
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  CuredPrediction whole;

  draw_machine (random, &machine);
  for (int i = g_rand_int_range (random, 1, 4); i > 0; i--)
    draw_launch (random, work);
  work->n_sets = (guint) g_rand_int_range (random, 0, 2);
  work->n_host_steps = (guint) g_rand_int_range (random, 0, 3);
  cured_prediction_init (&whole, work, &machine);
  g_string_append_printf (text, "%u\t%s\t%.8g", number, cured_term_to_string (whole.held_by),
                          whole.time_ns);
  for (int i = 0; i < CURED_N_TERMS; i++)
    g_string_append_printf (text, "\t%.8g", whole.terms[i]);
  g_autoptr (GArray) launches = cured_prediction_list_launches (work, &machine);
  for (guint k = 0; k < launches->len; k++)
    {
      const CuredLaunchPrediction *of = &g_array_index (launches, CuredLaunchPrediction, k);
      const double figures[] = { of->time_ns,     of->rounds,        of->near,   of->middle,
                                 of->far,         of->last,          of->loaded, of->from_l2,
                                 of->memory_read, of->memory_written };

      for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
        g_string_append_printf (text, "\t%.8g", figures[i]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

TEST ("/works/figures")
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "works.tsv", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, N_WORKS);
  for (guint i = 0; i < N_WORKS; i++)
    {
      g_autofree char *found = predict (i);
      g_auto (GStrv) figures = g_strsplit (found, "\t", -1);
      g_auto (GStrv) expected = g_strsplit (lines[i], "\t", -1);

      g_assert_cmpuint (g_strv_length (figures), ==, g_strv_length (expected));
      g_assert_cmpstr (figures[1], ==, expected[1]);
      for (guint k = 2; figures[k] != NULL; k++)
        {
          double figure = g_ascii_strtod (figures[k], NULL);
          double wanted = g_ascii_strtod (expected[k], NULL);

          /* Libraries' pow () differ in the last place. */
          if (!g_str_equal (figures[k], expected[k]) && !(isnan (figure) && isnan (wanted)) &&
              !(fabs (figure - wanted) <= 1e-6 * fabs (wanted)))
            g_error ("work %u, figure %u: %s, expected %s", i, k, figures[k], expected[k]);
        }
    }
}

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], "--print"))
    {
      for (guint i = 0; i < N_WORKS; i++)
        {
          g_autofree char *line = predict (i);

          puts (line);
        }
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  return run_tests ();
}

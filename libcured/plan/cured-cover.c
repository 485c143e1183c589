/* SPDX-License-Identifier: MIT
 * A few cells of a spec in which every two values of two parameters meet.
 *
 * Implementation notes.
 *
 * Greedy, as in AETG: a cell begins with two values that have not met yet, and each further
 * parameter takes the value that forms most new pairs with those already chosen. n parameters of
 * two values need about 2 log₂ n cells. */
#include "plan/cured-cover.h"

#include "base/cured-base-internal.h"
#include "kernel/program/cured-program-internal.h"

/* Limit of pairs of values, one byte each. */
#define MAX_PAIRS ((gsize) 1 << 24)

/* Attempts to find a cell for a pair before it is given up. */
#define MAX_TRIES 64

typedef struct
{
  const CuredSpec *spec;
  gsize n, *lengths;
  gsize *choice; /* by parameter: index of its value; G_MAXSIZE: open */
  gsize *begin;  /* by pair of parameters: its first index in @met */
  guint8 *met;   /* by pair of values */
  gsize n_pairs;
  GRand *random;
} Cover;

static guint8 *
get_met (const Cover *self, gsize i, gsize a, gsize j, gsize b)
{
  if (i > j)
    return get_met (self, j, b, i, a);
  return &self->met[self->begin[i * self->n + j] + a * self->lengths[j] + b];
}

/* New pairs that a value would form. */
static guint
count_new (const Cover *self, gsize parameter, gsize value)
{
  guint n = 0;

  for (gsize j = 0; j < self->n; j++)
    if (j != parameter && self->choice[j] != G_MAXSIZE &&
        *get_met (self, parameter, value, j, self->choice[j]) == 0)
      n++;
  return n;
}

/* Gives the open parameters values, in a random order: those that form most new pairs, or any. */
static void
complete (Cover *self, gboolean is_greedy)
{
  g_autofree gsize *order = g_new (gsize, self->n);

  for (gsize i = 0; i < self->n; i++)
    order[i] = i;
  for (gsize i = self->n; i-- > 1;)
    {
      gsize k = (gsize) g_rand_int_range (self->random, 0, (gint32) i + 1), other = order[k];

      order[k] = order[i];
      order[i] = other;
    }
  for (gsize k = 0; k < self->n; k++)
    {
      gsize i = order[k];

      if (self->choice[i] != G_MAXSIZE)
        continue;
      gsize first = (gsize) g_rand_int_range (self->random, 0, (gint32) self->lengths[i]);
      gsize best = first;
      guint most = count_new (self, i, first);
      for (gsize d = 1; is_greedy && d < self->lengths[i]; d++)
        {
          gsize value = (first + d) % self->lengths[i];
          guint n = count_new (self, i, value);

          if (n > most)
            {
              most = n;
              best = value;
            }
        }
      self->choice[i] = best;
    }
}

static void
get_values (const Cover *self, gint64 *values)
{
  for (gsize i = 0; i < self->n; i++)
    values[i] = cured_axis_get_value (cured_spec_get_axis (self->spec, i), self->choice[i]);
}

static void
meet (Cover *self)
{
  for (gsize i = 0; i < self->n; i++)
    for (gsize j = i + 1; j < self->n; j++)
      *get_met (self, i, self->choice[i], j, self->choice[j]) = 1;
}

/* Adds a cell in which value @a of parameter @i meets value @b of @j. */
static void
add_cell (Cover *self, CuredCover *cover, GArray *values, const CuredLimits *limits, gsize i,
          gsize a, gsize j, gsize b)
{
  g_autofree gint64 *cell = g_new (gint64, self->n);
  g_autoptr (GError) error = NULL;

  for (guint try = 0; try < MAX_TRIES; try++)
    {
      for (gsize k = 0; k < self->n; k++)
        self->choice[k] = G_MAXSIZE;
      self->choice[i] = a;
      self->choice[j] = b;
      /* The values with most new pairs may not be launchable. */
      complete (self, try < MAX_TRIES / 2);
      get_values (self, cell);
      g_clear_error (&error);
      if (!cured_program_check (cured_spec_get_kernel (self->spec), cell, limits, &error))
        continue;
      meet (self);
      g_array_append_vals (values, cell, (guint) self->n);
      cover->n_cells++;
      return;
    }
  *get_met (self, i, a, j, b) = 1;
  cover->n_missed++;
  if (cover->reason == NULL)
    cover->reason = g_strdup (error->message);
}

static gboolean
count_pairs (Cover *self)
{
  for (gsize i = 0; i < self->n; i++)
    for (gsize j = i + 1; j < self->n; j++)
      {
        self->begin[i * self->n + j] = self->n_pairs;
        if (self->lengths[i] > MAX_PAIRS / self->lengths[j])
          return FALSE;
        self->n_pairs += self->lengths[i] * self->lengths[j];
        if (self->n_pairs > MAX_PAIRS)
          return FALSE;
      }
  return TRUE;
}

/* @spec: a spec of two parameters or more
 * @limits: the device's
 *
 * Chooses cells so that each two values of each two parameters occur together in one of them, if
 * any such cell can be launched. Deterministic. Fails with CURED_ERROR_INVALID if the axes are too
 * long.
 * Returns: (transfer full) (nullable): the cells */
CuredCover *
cured_cover_new (CuredSpec *spec, const CuredLimits *limits, GError **error)
{
  Cover self = { .spec = spec };
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  CuredCover *cover = NULL;

  g_return_val_if_fail (spec != NULL && limits != NULL, NULL);

  self.n = cured_spec_get_kernel (spec)->n_parameters;
  g_return_val_if_fail (self.n >= 2, NULL);
  self.lengths = g_new (gsize, self.n);
  self.choice = g_new (gsize, self.n);
  self.begin = g_new0 (gsize, self.n * self.n);
  for (gsize i = 0; i < self.n; i++)
    self.lengths[i] = cured_axis_get_length (cured_spec_get_axis (spec, i));
  if (count_pairs (&self))
    {
      cover = g_new0 (CuredCover, 1);
      cover->n_parameters = self.n;
      self.met = g_malloc0 (self.n_pairs);
      self.random = g_rand_new_with_seed (1);
      for (gsize i = 0; i < self.n; i++)
        for (gsize j = i + 1; j < self.n; j++)
          for (gsize a = 0; a < self.lengths[i]; a++)
            for (gsize b = 0; b < self.lengths[j]; b++)
              if (*get_met (&self, i, a, j, b) == 0)
                add_cell (&self, cover, values, limits, i, a, j, b);
      cover->values = (gint64 *) g_array_free (g_steal_pointer (&values), FALSE);
      g_rand_free (self.random);
    }
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("the axes have more than %zu pairs of values; give them fewer"), MAX_PAIRS);
  g_free (self.lengths);
  g_free (self.choice);
  g_free (self.begin);
  g_free (self.met);
  return cover;
}

/* @self: (nullable): a cover
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredCover, cured_cover_free, values, g_free, reason, g_free)

/* SPDX-License-Identifier: MIT
 * The bank model, against counters and times of a device and against itself. */
#include "cured.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define ALL 0xffffffffu

static const unsigned widths[] = { 8, 16, 32, 64, 128 };
static const CuredBankArch arches[] = {
  CURED_BANK_ARCH_5, CURED_BANK_ARCH_3, CURED_BANK_ARCH_3_WIDE,
  CURED_BANK_ARCH_2, CURED_BANK_ARCH_1,
};

static GArray *
load_patterns (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "wavefronts-h200.tsv", NULL);
  g_autofree char *text = NULL;
  gsize length = 0;

  MUST (g_file_get_contents (path, &text, &length, &fail));
  GArray *patterns = MUST (cured_bank_patterns_parse (text, length, path, &fail));
  g_assert_cmpuint (patterns->len, ==, 896);
  return patterns;
}

static CuredBankAccess
make_stride (CuredBankKind kind, unsigned width, guint base, int stride)
{
  CuredBankAccess access = { .kind = kind, .width = width, .mask = ALL };

  for (int n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = (base + (guint32) (stride * n)) * MAX (width / 8, 1);
  return access;
}

static CuredBankCounts
count (const CuredBankAccess *access)
{
  CuredBankCounts counts;

  g_assert_true (cured_bank_model_count (access, &counts));
  return counts;
}

static void
assert_wavefronts (const CuredBankAccess *access, guint wavefronts, guint conflicts)
{
  CuredBankCounts counts = count (access);

  g_assert_cmpuint (counts.wavefronts, ==, wavefronts);
  g_assert_cmpuint (counts.conflicts, ==, conflicts);
}

/* Random bits from the test's printed seed. */
static guint32
random_bits (void)
{
  return (guint32) g_test_rand_int ();
}

/* As the patterns of the data: dense, sparse, strided, permuted, repeated. */
static CuredBankAccess
make_random (void)
{
  static const guint32 masks[] = { ALL, 0x0000ffff, 0x55555555, 0xff00ff00 };
  CuredBankAccess access = { .arch = arches[random_bits () % G_N_ELEMENTS (arches)],
                             .kind = random_bits () % (CURED_BANK_KIND_LDMATRIX_X4 + 1),
                             .width = widths[random_bits () % G_N_ELEMENTS (widths)],
                             .mask = random_bits () % 2 == 0
                                         ? masks[random_bits () % G_N_ELEMENTS (masks)]
                                         : random_bits () };
  guint shape = random_bits () % 4;
  guint32 base = random_bits () % 64;
  guint32 stride = random_bits () % 66;
  guint32 swap = random_bits () % 32;
  guint32 range = 1u << random_bits () % 12;

  if (access.kind == CURED_BANK_KIND_REDUCTION)
    access.width = 32;
  else if (access.kind >= CURED_BANK_KIND_LDMATRIX_X1)
    access.width = 128;
  if (access.kind >= CURED_BANK_KIND_REDUCTION)
    access.arch = CURED_BANK_ARCH_5;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    {
      guint32 element = shape == 0   ? base + stride * n
                        : shape == 1 ? base + (n ^ swap)
                        : shape == 2 ? base + n / (1 + swap % 4)
                                     : random_bits () % range;

      access.addresses[n] = element * (access.width / 8);
    }
  return access;
}

TEST ("/bank-model/measured")
{
  g_autoptr (GArray) patterns = load_patterns ();

  for (guint i = 0; i < patterns->len; i++)
    {
      const CuredBankPattern *pattern = &g_array_index (patterns, CuredBankPattern, i);
      CuredBankCounts counts = count (&pattern->access);

      g_assert_true (pattern->is_measured);
      if (counts.wavefronts != pattern->wavefronts || counts.conflicts != pattern->conflicts)
        g_test_message ("line %u, %s", pattern->line, pattern->op);
      g_assert_cmpuint (counts.wavefronts, ==, pattern->wavefronts);
      g_assert_cmpuint (counts.conflicts, ==, pattern->conflicts);
      g_assert_cmphex (counts.misaligned, ==, 0);
    }
}

/* The kinds that were measured later. */
static void
check_measured (const char *name, guint n)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), name, NULL);
  g_autofree char *text = NULL;
  guint n_matching = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GArray) patterns =
          MUST (cured_bank_patterns_parse (lines[i], strlen (lines[i]), path, &fail));

      if (patterns->len == 0)
        continue;
      const CuredBankPattern *pattern = &g_array_index (patterns, CuredBankPattern, 0);
      assert_wavefronts (&pattern->access, pattern->wavefronts, pattern->conflicts);
      n_matching++;
    }
  g_assert_cmpuint (n_matching, ==, n);
}

TEST ("/bank-model/measured/extra") { check_measured ("wavefronts-extra-h200.tsv", 1260); }

/* Another block's shared memory: by the clock, within 3 %. Of stores of 8 and 16 bits and of atomic
 * operations the rule is not the whole truth: these, and asynchronous ones, may take longer, but are no
 * quicker. @shares: what has to be within it at least, in percent, by kind and whether narrow */
static void
check_remote (const char *name, gboolean is_mutual, const guint shares[][2])
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), name, NULL);
  g_autofree char *text = NULL;
  guint n[8][2] = { 0 }, n_right[8][2] = { 0 }, n_over = 0;

  MUST (g_file_get_contents (path, &text, NULL, &fail));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *column = strrchr (lines[i], '\t');

      if (column == NULL || *lines[i] == '#')
        continue;
      double measured = g_ascii_strtod (column + 1, NULL);
      *column = '\0';
      g_autoptr (GArray) patterns =
          MUST (cured_bank_patterns_parse (lines[i], strlen (lines[i]), path, &fail));
      const CuredBankAccess *access = &g_array_index (patterns, CuredBankPattern, 0).access;
      guint kind = access->kind - CURED_BANK_KIND_REMOTE_LOAD;
      guint is_narrow = access->width < 32;
      double cycles = cured_bank_model_get_remote_cycles (access, is_mutual);

      n[kind][is_narrow]++;
      n_right[kind][is_narrow] += fabs (cycles - measured) <= 0.03 * measured;
      n_over += access->kind >= CURED_BANK_KIND_REMOTE_ASYNC_STORE && cycles > 1.03 * measured;
    }
  g_test_message ("quicker: %u", n_over);
  g_assert_cmpuint (n_over, <=, 1);
  for (guint kind = 0; kind <= CURED_BANK_KIND_REMOTE_SWAP - CURED_BANK_KIND_REMOTE_LOAD; kind++)
    for (guint is_narrow = 0; is_narrow < 2; is_narrow++)
      {
        g_test_message ("kind %u%s: %u of %u", kind, is_narrow ? ", narrow" : "",
                        n_right[kind][is_narrow], n[kind][is_narrow]);
        g_assert_cmpuint (n_right[kind][is_narrow] * 100, >=,
                          n[kind][is_narrow] * shares[kind][is_narrow]);
      }
}

/* By kind: loads, stores, st.async, red.async, red, atom, atom.cas. */
TEST ("/bank-model/measured/remote")
{
  check_remote ("remote-h200.tsv", FALSE,
                (const guint[][2]){ { 98, 99 }, { 99, 95 }, { 0 }, { 0 }, { 98 }, { 0 }, { 0 } });
}

TEST ("/bank-model/measured/remote/atomics")
{
  check_remote ("remote-atomics-h200.tsv", FALSE,
                (const guint[][2]){ { 0 }, { 0 }, { 89 }, { 100 }, { 99 }, { 95 }, { 88 } });
}

TEST ("/bank-model/measured/remote/mutual")
{
  check_remote (
      "remote-mutual-h200.tsv", TRUE,
      (const guint[][2]){ { 100, 100 }, { 96, 95 }, { 91 }, { 97 }, { 100 }, { 100 }, { 100 } });
}

/* Reductions of another block's words: neighbours take a turn for their line and one for each of its
 * sectors; lanes in different lines one each, unless a line of several lanes is in their pass. */
TEST ("/bank-model/remote/reductions")
{
  static const struct
  {
    const char *words;
    guint turns, excess;
  } rows[] = {
    { "0", 1, 0 },
    { "0 1 2 3 4 5 6 7", 2, 0 },
    { "0 1 2 3 4 5 6 7 8", 3, 0 },
    { "5 5 5 5", 4, 2 },
    { "0 33 66 99", 4, 2 },
    { "0 33 66 99 132 165 198 231", 8, 6 },
    /* Line 0 has two lanes: it and the other three of its pass take two turns each. */
    { "0 1 34 67 100 133 166 199 232", 12, 9 },
    /* Lines 11 and 7 share a slot, 11 and 0 do not. */
    { "365 15 254 372", 6, 4 },
    { "67 21 368 20", 5, 3 },
    /* A lane that waits for its slot holds its bank: the third has to wait for the second. */
    { "5 1606 6 7", 4, 2 },
    { "5 6 1606 7", 3, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) words = g_strsplit (rows[i].words, " ", -1);
      CuredBankAccess access = { .arch = CURED_BANK_ARCH_5,
                                 .kind = CURED_BANK_KIND_REMOTE_REDUCTION,
                                 .width = 32,
                                 .mask = (1u << g_strv_length (words)) - 1 };
      CuredBankPicture picture;
      guint last = 0;

      g_test_message ("%s", rows[i].words);
      for (guint l = 0; words[l] != NULL; l++)
        access.addresses[l] = 4 * (guint32) g_ascii_strtoull (words[l], NULL, 10);
      assert_wavefronts (&access, rows[i].turns, rows[i].excess);
      g_assert_true (cured_bank_model_explain (&access, &picture));
      for (gsize k = 0; k < picture.n_served; k++)
        last = MAX (last, picture.served[k].wavefront);
      g_assert_cmpuint (picture.n_served, ==, g_strv_length (words));
      g_assert_cmpuint (last + 1, ==, rows[i].turns);
    }
}

/* A line of 128 bytes takes four sectors; a column 32, padded or not; halves of a sector that is not
 * written whole go one by one; and the picture has a turn for each. */
TEST ("/bank-model/remote")
{
  const CuredBankKind load = CURED_BANK_KIND_REMOTE_LOAD;
  const CuredBankKind store = CURED_BANK_KIND_REMOTE_STORE;
  static const struct
  {
    gboolean is_store;
    guint base;
    int stride;
    guint turns, excess;
  } rows[] = {
    { FALSE, 0, 1, 4, 0 },    { FALSE, 1, 1, 5, 1 },   { FALSE, 0, 32, 32, 28 },
    { FALSE, 0, 33, 32, 28 }, { FALSE, 0, 0, 1, 0 },   { TRUE, 0, 1, 4, 0 },
    { TRUE, 0, 2, 16, 12 },   { TRUE, 0, 33, 32, 28 }, { TRUE, 8, 1, 5, 1 },
    { TRUE, 4, 1, 5, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredBankAccess access =
          make_stride (rows[i].is_store ? store : load, 32, rows[i].base, rows[i].stride);
      CuredBankPicture picture;
      guint last = 0;

      g_test_message ("row %zu", i);
      assert_wavefronts (&access, rows[i].turns, rows[i].excess);
      g_assert_true (cured_bank_model_explain (&access, &picture));
      for (gsize k = 0; k < picture.n_served; k++)
        last = MAX (last, picture.served[k].wavefront);
      g_assert_cmpuint (picture.n_served, ==, CURED_BANK_LANES);
      g_assert_cmpuint (last + 1, ==, rows[i].turns);
    }
  CuredBankAccess own = make_stride (CURED_BANK_KIND_LOAD, 32, 0, 1);
  g_assert_cmpfloat (cured_bank_model_get_remote_cycles (&own, FALSE), ==, 0);
}

/* st.async is sent in the passes of an atomic operation: lanes of lines in one slot, here lines 0, 5 and
 * 9, wait for each other, and so does who comes behind a lane that waits for the same bank. Of 64 bits
 * the other block's banks take a half warp at a time. */
TEST ("/bank-model/remote/passes")
{
  static const struct
  {
    const char *words;
    guint turns;
  } rows[] = {
    { "0 1 2 3", 1 },
    { "5 5 5 5", 4 },
    { "28 0 1", 2 },
    { "28 160 0 299 1", 5 },
  };
  CuredBankAccess access = make_stride (CURED_BANK_KIND_REMOTE_REDUCTION, 64, 0, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) words = g_strsplit (rows[i].words, " ", -1);
      CuredBankAccess async = { .arch = CURED_BANK_ARCH_5,
                                .kind = CURED_BANK_KIND_REMOTE_ASYNC_STORE,
                                .width = 32,
                                .mask = (1u << g_strv_length (words)) - 1 };

      g_test_message ("%s", rows[i].words);
      for (guint l = 0; words[l] != NULL; l++)
        async.addresses[l] = 4 * (guint32) g_ascii_strtoull (words[l], NULL, 10);
      g_assert_cmpuint (count (&async).wavefronts, ==, rows[i].turns);
    }
  for (guint l = 0; l < CURED_BANK_LANES; l++)
    access.addresses[l] = l < 16 ? 40 : 128 + 16;
  g_assert_cmpfloat (cured_bank_model_get_remote_cycles (&access, FALSE), ==, 66);
  for (guint l = 0; l < CURED_BANK_LANES; l++)
    access.addresses[l] = l % 2 == 0 ? 40 : 128 + 16;
  g_assert_cmpfloat (cured_bank_model_get_remote_cycles (&access, FALSE), ==, 48);
}

/* What comes back costs as well where both blocks access each other's memory. */
TEST ("/bank-model/remote/mutual")
{
  static const struct
  {
    CuredBankKind kind;
    guint width;
    int stride;
    guint turns;
    double cycles, mutual;
  } rows[] = {
    { CURED_BANK_KIND_REMOTE_LOAD, 32, 1, 4, 6, 7.5 },
    { CURED_BANK_KIND_REMOTE_LOAD, 32, 33, 32, 48, 96 },
    { CURED_BANK_KIND_REMOTE_STORE, 32, 1, 4, 6, 8.12 },
    { CURED_BANK_KIND_REMOTE_STORE, 32, 33, 32, 48, 352 / 7.0 },
    { CURED_BANK_KIND_REMOTE_ASYNC_STORE, 32, 0, 32, 48, 64.96 },
    { CURED_BANK_KIND_REMOTE_ATOMIC, 32, 1, 5, 7.5, 13.5 },
    { CURED_BANK_KIND_REMOTE_REDUCTION, 64, 1, 10, 15, 27 },
    { CURED_BANK_KIND_REMOTE_SWAP, 32, 1, 10, 15, 22.9 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredBankAccess access = make_stride (rows[i].kind, rows[i].width, 0, rows[i].stride);

      g_test_message ("row %zu", i);
      g_assert_cmpuint (count (&access).wavefronts, ==, rows[i].turns);
      g_assert_cmpfloat_with_epsilon (cured_bank_model_get_remote_cycles (&access, FALSE),
                                      rows[i].cycles, 1e-9);
      g_assert_cmpfloat_with_epsilon (cured_bank_model_get_remote_cycles (&access, TRUE),
                                      rows[i].mutual, 1e-9);
    }
}

/* A store of a few lanes side by side has no excess, although a single whole sector goes in halves. */
TEST ("/bank-model/remote/few-lanes")
{
  static const struct
  {
    guint lanes, width, turns;
  } rows[] = {
    { 1, 32, 1 },  { 4, 32, 1 },  { 8, 32, 2 },  { 12, 32, 3 }, { 14, 32, 4 },
    { 16, 32, 2 }, { 20, 32, 3 }, { 24, 32, 3 }, { 32, 8, 2 },  { 32, 16, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredBankAccess access = make_stride (CURED_BANK_KIND_REMOTE_STORE, rows[i].width, 0, 1);

      g_test_message ("%u lanes of %u bits", rows[i].lanes, rows[i].width);
      access.mask = G_MAXUINT32 >> (CURED_BANK_LANES - rows[i].lanes);
      assert_wavefronts (&access, rows[i].turns, 0);
    }
}

/* cp.async of fewer bytes than it writes: zeros take their banks, too. */
TEST ("/bank-model/measured/short") { check_measured ("wavefronts-short-h100.tsv", 180); }

/* The model with one rule wrong. */
typedef enum
{
  TWIN_RIGHT,
  TWIN_LANES,        /* counts lanes, as for an atomic, not words */
  TWIN_NO_MERGE,     /* loads as stores */
  TWIN_STORES_MERGE, /* stores as loads */
  TWIN_WHOLE_WARP,   /* one group whatever the width */
} Twin;

static CuredBankCounts
count_twin (const CuredBankAccess *access, Twin twin)
{
  CuredBankAccess changed = *access;

  if (twin == TWIN_LANES && access->width <= 32)
    {
      changed.kind = CURED_BANK_KIND_REDUCTION;
      changed.width = 32;
      for (guint n = 0; n < CURED_BANK_LANES; n++)
        changed.addresses[n] &= ~3u;
    }
  if (twin == TWIN_NO_MERGE && access->kind == CURED_BANK_KIND_LOAD)
    changed.kind = CURED_BANK_KIND_STORE;
  if (twin == TWIN_STORES_MERGE && access->kind == CURED_BANK_KIND_STORE)
    changed.kind = CURED_BANK_KIND_LOAD;
  if (twin == TWIN_WHOLE_WARP && access->kind <= CURED_BANK_KIND_STORE)
    changed.arch = CURED_BANK_ARCH_3;
  return count (&changed);
}

/* The data tell each wrong twin from the right one: a test that passes with any of them would
 * prove nothing. */
TEST ("/bank-model/measured/twins")
{
  g_autoptr (GArray) patterns = load_patterns ();

  for (Twin twin = TWIN_RIGHT; twin <= TWIN_WHOLE_WARP; twin++)
    {
      guint n_wrong = 0;

      for (guint i = 0; i < patterns->len; i++)
        {
          const CuredBankPattern *pattern = &g_array_index (patterns, CuredBankPattern, i);
          CuredBankCounts counts = count_twin (&pattern->access, twin);

          n_wrong +=
              counts.wavefronts != pattern->wavefronts || counts.conflicts != pattern->conflicts;
        }
      g_test_message ("twin %d: %u of 896 differ", twin, n_wrong);
      if (twin == TWIN_RIGHT)
        g_assert_cmpuint (n_wrong, ==, 0);
      else
        g_assert_cmpuint (n_wrong, >, 0);
    }
}

static guint
get_common_factor (guint a, guint b)
{
  return b == 0 ? a : get_common_factor (b, a % b);
}

TEST ("/bank-model/strides")
{
  for (int stride = 1; stride <= 130; stride++)
    for (guint base = 0; base < 40; base += 13)
      {
        CuredBankAccess load = make_stride (CURED_BANK_KIND_LOAD, 32, base, stride);
        CuredBankAccess store = make_stride (CURED_BANK_KIND_STORE, 32, base, stride);
        CuredBankAccess reduction = make_stride (CURED_BANK_KIND_REDUCTION, 32, base, stride);
        guint ways = get_common_factor ((guint) stride, 32);

        assert_wavefronts (&load, ways, ways - 1);
        assert_wavefronts (&store, ways, ways - 1);
        assert_wavefronts (&reduction, ways, ways - 1);
        load.arch = CURED_BANK_ARCH_2;
        assert_wavefronts (&load, ways, ways - 1);
        /* Two half warps of 16 banks. */
        ways = get_common_factor ((guint) stride, 16);
        load.arch = CURED_BANK_ARCH_1;
        assert_wavefronts (&load, 2 * ways, 2 * ways - 2);
        store.arch = CURED_BANK_ARCH_1;
        assert_wavefronts (&store, 2 * ways, 2 * ways - 2);
      }
}

/* The tables of 8 and 16 bytes, for stride 1 by hand: a contiguous access moves 128 bytes per
 * wavefront and has no conflict. */
TEST ("/bank-model/wide")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 128, 0, 1);

  assert_wavefronts (&access, 4, 0);
  access.mask = 0xff;
  assert_wavefronts (&access, 1, 0);
  /* No pair has two active lanes, so that the half warp is served at once. */
  access.mask = 0x1001;
  assert_wavefronts (&access, 1, 0);
  access.kind = CURED_BANK_KIND_STORE;
  assert_wavefronts (&access, 2, 0);

  access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 1);
  assert_wavefronts (&access, 2, 0);
  access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 2);
  assert_wavefronts (&access, 4, 2);
  access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 0);
  assert_wavefronts (&access, 1, 0);
  access.kind = CURED_BANK_KIND_STORE;
  assert_wavefronts (&access, 2, 0);
}

/* The condition's edges: pairs, the other pairs, and one lane that breaks
 * it. */
TEST ("/bank-model/merge")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 0);

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = n / 2 * 8;
  assert_wavefronts (&access, 1, 0);

  /* Pairs (n, n xor 2): lanes 0 and 2, 1 and 3 agree. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = (n / 4 * 2 + n % 2) * 8;
  assert_wavefronts (&access, 1, 0);

  /* Pairs (n, n xor 4) do not count. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = (n / 8 * 4 + n % 4) * 8;
  assert_wavefronts (&access, 2, 0);

  /* Half of the pairs one way and half of them the other way is neither. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = (n < 16 ? n / 2 : n / 4 * 2 + n % 2) * 8;
  assert_wavefronts (&access, 2, 0);

  /* One lane of the last pair, though the first half warp has all equal; and an inactive lane's
   * address is no one's. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = n / 2 * 8;
  access.addresses[31] += 8;
  assert_wavefronts (&access, 2, 0);
  access.mask = 0x7fffffff;
  assert_wavefronts (&access, 1, 0);
}

TEST ("/bank-model/arch-1")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, 0, 0);

  access.arch = CURED_BANK_ARCH_1;
  assert_wavefronts (&access, 2, 0);
  access.mask = 0xffff;
  assert_wavefronts (&access, 1, 0);

  /* Two words of different banks, eight lanes each: one is the broadcast, the other's lanes go one
   * per step. The first step serves eight and one; the second makes the other word the
   * broadcast. */
  for (guint n = 0; n < 16; n++)
    access.addresses[n] = n % 2 * 4;
  assert_wavefronts (&access, 2, 1);

  /* Doubles are two words of stride 2. */
  access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 1);
  access.arch = CURED_BANK_ARCH_1;
  assert_wavefronts (&access, 8, 4);

  /* Bytes of one word are one word to a load, and four places to a store. */
  access = make_stride (CURED_BANK_KIND_LOAD, 8, 0, 1);
  access.arch = CURED_BANK_ARCH_1;
  access.mask = 0xf;
  assert_wavefronts (&access, 1, 0);
  access.kind = CURED_BANK_KIND_STORE;
  assert_wavefronts (&access, 4, 3);
}

TEST ("/bank-model/arch-3")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, 0, 2);

  /* Stride 2: words i and i + 32 of a segment are neighbours in a bank. */
  access.arch = CURED_BANK_ARCH_3;
  assert_wavefronts (&access, 1, 0);
  access.arch = CURED_BANK_ARCH_3_WIDE;
  assert_wavefronts (&access, 1, 0);

  /* Shifted by one segment's half, they are of two segments. */
  access = make_stride (CURED_BANK_KIND_LOAD, 32, 32, 2);
  access.arch = CURED_BANK_ARCH_3;
  assert_wavefronts (&access, 2, 1);

  /* Stride 32: 16 segments of two words, or 32 words of one bank in pairs. */
  access = make_stride (CURED_BANK_KIND_LOAD, 32, 0, 32);
  access.arch = CURED_BANK_ARCH_3;
  assert_wavefronts (&access, 16, 15);
  access.arch = CURED_BANK_ARCH_3_WIDE;
  assert_wavefronts (&access, 16, 15);

  access = make_stride (CURED_BANK_KIND_LOAD, 64, 0, 1);
  access.arch = CURED_BANK_ARCH_3_WIDE;
  assert_wavefronts (&access, 1, 0);
  access.arch = CURED_BANK_ARCH_2;
  assert_wavefronts (&access, 2, 0);
}

/* What a picture promises. */
static void
assert_picture (const CuredBankAccess *access)
{
  CuredBankPicture picture;
  CuredBankCounts counts = count (access);
  guint n_words = MAX (access->width / 32, 1);
  guint n_lanes = access->kind == CURED_BANK_KIND_LDMATRIX_X1   ? 8
                  : access->kind == CURED_BANK_KIND_LDMATRIX_X2 ? 16
                                                                : 32;
  guint seen[CURED_BANK_LANES] = { 0 };
  gboolean is_used[CURED_BANK_MAX_SERVED] = { FALSE };
  guint n_used = 0;

  g_assert_true (cured_bank_model_explain (access, &picture));
  g_assert_cmpmem (&picture.counts, sizeof counts, &counts, sizeof counts);
  g_assert_cmpuint (counts.wavefronts, >=, counts.least);
  g_assert_cmpuint (counts.conflicts, ==, counts.wavefronts - counts.least);
  g_assert_cmpuint (picture.n_served, <=, CURED_BANK_MAX_SERVED);

  for (gsize i = 0; i < picture.n_served; i++)
    {
      const CuredBankServed *a = &picture.served[i];
      guint32 first = (access->addresses[a->lane] & ~(access->width / 8 - 1)) / 4;
      gboolean is_broadcast = FALSE;

      g_assert_cmpuint (a->lane, <, n_lanes);
      g_assert_cmpuint (access->mask >> a->lane & 1, ==, 1);
      g_assert_cmpuint (a->bank, <, picture.n_banks);
      g_assert_cmpuint (a->wavefront, <, counts.wavefronts);
      g_assert_cmpuint (a->word - first, <, n_words);
      /* Once a word. */
      g_assert_cmpuint (seen[a->lane] >> (a->word - first) & 1, ==, 0);
      seen[a->lane] |= 1u << (a->word - first);
      n_used += !is_used[a->wavefront];
      is_used[a->wavefront] = TRUE;

      for (gsize j = 0; j < picture.n_served; j++)
        {
          const CuredBankServed *b = &picture.served[j];

          if (i == j || a->wavefront != b->wavefront || a->bank != b->bank)
            continue;
          if (a->lane != b->lane)
            is_broadcast = TRUE;
          /* A bank gives one row per wavefront. */
          if (access->arch == CURED_BANK_ARCH_3 || access->arch == CURED_BANK_ARCH_3_WIDE)
            g_assert_cmpuint (a->word / 64, ==, b->word / 64);
          else
            g_assert_cmpuint (a->word, ==, b->word);
          g_assert_cmpint (access->kind, !=, CURED_BANK_KIND_REDUCTION);
        }
      g_assert_cmpint (a->is_broadcast, ==, is_broadcast);
    }
  /* Every word of every lane that takes part, and no idle wavefront. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    g_assert_cmphex (seen[n], ==,
                     n < n_lanes && (access->mask >> n & 1) != 0 ? (1u << n_words) - 1 : 0);
  g_assert_cmpuint (n_used, ==, counts.wavefronts);
}

TEST ("/bank-model/picture")
{
  g_autoptr (GArray) patterns = load_patterns ();

  for (guint i = 0; i < patterns->len; i++)
    assert_picture (&g_array_index (patterns, CuredBankPattern, i).access);
  for (guint i = 0; i < 5000; i++)
    {
      CuredBankAccess access = make_random ();

      assert_picture (&access);
    }
}

/* Which lane of a group asks does not matter. */
TEST ("/bank-model/permuted")
{
  for (guint i = 0; i < 2000; i++)
    {
      CuredBankAccess access = make_random ();
      CuredBankAccess permuted = access;

      if (access.width != 32 || access.arch == CURED_BANK_ARCH_1)
        continue;
      CuredBankCounts before = count (&access);
      for (guint n = CURED_BANK_LANES - 1; n > 0; n--)
        {
          guint other = random_bits () % (n + 1);
          guint32 address = permuted.addresses[n];
          gboolean is_active = (permuted.mask >> n & 1) != 0;
          gboolean is_other = (permuted.mask >> other & 1) != 0;

          permuted.addresses[n] = permuted.addresses[other];
          permuted.addresses[other] = address;
          permuted.mask &= ~(1u << n | 1u << other);
          permuted.mask |= (guint32) is_other << n;
          permuted.mask |= (guint32) is_active << other;
        }
      assert_wavefronts (&permuted, before.wavefronts, before.conflicts);
    }
}

/* A whole number of rows further is the same; an idle lane's address does not matter; fewer lanes of a
 * store cost no more. */
TEST ("/bank-model/invariants")
{
  for (guint i = 0; i < 2000; i++)
    {
      CuredBankAccess access = make_random ();
      CuredBankCounts before = count (&access);
      CuredBankAccess other = access;

      for (guint n = 0; n < CURED_BANK_LANES; n++)
        other.addresses[n] += 256 * 1000;
      assert_wavefronts (&other, before.wavefronts, before.conflicts);
      other = access;
      for (guint n = 0; n < CURED_BANK_LANES; n++)
        if ((access.mask >> n & 1) == 0)
          other.addresses[n] = random_bits ();
      assert_wavefronts (&other, before.wavefronts, before.conflicts);
      other = access;
      other.mask &= random_bits ();
      if (access.arch != CURED_BANK_ARCH_1)
        g_assert_cmpuint (count (&other).wavefronts, <=, before.wavefronts);
      other.mask = 0;
      assert_wavefronts (&other, 0, 0);
    }
}

TEST ("/bank-model/edges")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 128, 0, 0);
  CuredBankPicture picture;

  /* The last byte there is: rounded down, said, and inside. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = ALL;
  assert_picture (&access);
  g_assert_true (cured_bank_model_explain (&access, &picture));
  g_assert_cmphex (picture.counts.misaligned, ==, ALL);
  g_assert_cmphex (picture.served[0].word, ==, 0x3ffffffc);
  access.width = 8;
  g_assert_cmphex (count (&access).misaligned, ==, 0);
  assert_wavefronts (&access, 1, 0);

  /* Rows that ldmatrix does not read. */
  access = make_stride (CURED_BANK_KIND_LDMATRIX_X1, 128, 0, 1);
  access.addresses[8] = 1;
  assert_wavefronts (&access, 1, 0);
  g_assert_cmphex (count (&access).misaligned, ==, 0);
}

/* Unmeasured instructions, and names of none. */
TEST ("/bank-model/refused")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_REDUCTION, 64, 0, 1);
  CuredBankPicture picture;
  CuredBankCounts counts = { 1, 1, 1, 1 };

  g_assert_false (cured_bank_model_count (&access, &counts));
  g_assert_cmpuint (counts.wavefronts, ==, 0);
  g_assert_cmpuint (counts.conflicts, ==, 0);
  access.width = 32;
  for (gsize i = 0; i < G_N_ELEMENTS (arches); i++)
    {
      access.arch = arches[i];
      g_assert_cmpint (cured_bank_model_count (&access, &counts), ==,
                       access.arch == CURED_BANK_ARCH_5);
    }
  access = make_stride (CURED_BANK_KIND_LDMATRIX_X4, 32, 0, 4);
  g_assert_false (cured_bank_model_count (&access, &counts));

  for (guint i = 0; i < 20000; i++)
    {
      guint32 *words = (guint32 *) (void *) &access;

      for (gsize j = 0; j < sizeof access / sizeof *words; j++)
        words[j] = random_bits ();
      g_assert_false (cured_bank_model_explain (&access, &picture));
      g_assert_cmpuint (picture.n_served, ==, 0);
      /* Anything at all, of a kind that there is. */
      access.arch = arches[access.mask % G_N_ELEMENTS (arches)];
      access.kind = access.mask % (CURED_BANK_KIND_LDMATRIX_X4 + 1);
      access.width = widths[random_bits () % G_N_ELEMENTS (widths)];
      if (cured_bank_model_explain (&access, &picture))
        assert_picture (&access);
    }
}

/* The times that a device took for every stride fall on a line over the model's wavefronts,
 * whatever the width: one line, one cycle per wavefront. */
TEST ("/bank-model/times")
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"),
                                            "../../data/results/banks-stride-h200.cured", NULL);
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  gsize n_axes = 0, time = 0, clock = 0;

  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gint64 n_cells = cured_result_get_n_cells (result);
  g_assert_true (cured_result_find_metric (result, "time", &time));
  g_assert_true (cured_result_find_metric (result, "sm_clock", &clock));
  /* Of loads and of stores. */
  for (guint turn = 0; turn < 6; turn++)
    {
      guint bytes = 4u << turn % 3;
      double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;

      for (gint64 cell = 0; cell < n_cells; cell++)
        {
          gsize positions[16];
          gint64 stride = 0, width = 0, base = 0, store = 0, threads = 0, blocks = 0, accesses = 0;
          const struct
          {
            const char *name;
            gint64 *value;
          } parameters[] = {
            { "stride", &stride },     { "width", &width },     { "base", &base },
            { "store", &store },       { "threads", &threads }, { "blocks", &blocks },
            { "accesses", &accesses },
          };

          g_assert_cmpuint (n_axes, <=, G_N_ELEMENTS (positions));
          cured_result_get_positions (result, cell, positions);
          for (gsize a = 0; a < n_axes; a++)
            for (gsize p = 0; p < G_N_ELEMENTS (parameters); p++)
              if (g_str_equal (axes[a].name, parameters[p].name))
                *parameters[p].value = cured_axis_get_value (axes[a].values, positions[a]);
          if (width != bytes || store != turn / 3)
            continue;
          CuredBankAccess access =
              make_stride (store != 0 ? CURED_BANK_KIND_STORE : CURED_BANK_KIND_LOAD, bytes * 8,
                           (guint) base, (int) stride);
          double x = count (&access).wavefronts;
          /* Cycles of the H200's 132 multiprocessors an access of a warp; the blocks share them
           * evenly. */
          g_assert_cmpint (blocks % 132, ==, 0);
          double y = cured_result_get_value (result, cell, time) * 1e-9 *
                     cured_result_get_value (result, cell, clock) /
                     (double) (blocks / 132 * (threads / 32) * accesses);
          g_assert_true (isfinite (y));
          n++;
          sx += x;
          sy += y;
          sxx += x * x;
          sxy += x * y;
          syy += y * y;
        }
      g_assert_cmpfloat (n, ==, 65);
      double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
      double fit = slope * (n * sxy - sx * sy) / (n * syy - sy * sy);
      g_test_message ("%2u bytes: %.4f cycles per wavefront, %.3f per access besides, R² = %.7f",
                      bytes, slope, (sy - slope * sx) / n, fit);
      g_assert_cmpfloat (fit, >=, 0.99);
      g_assert_cmpfloat_with_epsilon (slope, 1, 0.01);
    }
}

/* SPDX-License-Identifier: MIT
 * Lessons: from a textbook's statement to measurements. */
#include "study/cured-lesson.h"

#include "base/cured-base-internal.h"
#include "kernel/read/cured-catalogue.h"
#include "store/cured-recordings.h"
#include "worker/cured-examiner.h"

/* ORDER: of teaching: banks before the tree that needs them, latency before hiding it. */
static const CuredLesson lessons[] = {
  {
      "one-launch",
      N_ ("A sum in one launch"),
      N_ ("Each block adds up a slice of the vector in shared memory, and the first threads add "
          "the blocks' sums. A shared array, the text says, is split among the blocks."),
      "reduce/single-launch",
      N_ ("With one block it works. With more, the cells time out: the barrier is inside a "
          "branch. Choose the metric Dynamic shared memory: each block reserves memory for the "
          "whole vector, not only for its slice."),
      N_ ("Which threads never reach the barrier? Write it down; then move the barrier out of "
          "the branch and run the cell on the emulator. specimens/one-launch-sum is the text's "
          "own code."),
      { "reduce/single-launch:reserved", "reduce/single-launch:resident" },
      .change = { "          __syncthreads ();\n"
                  "        }\n"
                  "    }\n"
                  "  if (threadIdx",
                  "        }\n"
                  "      __syncthreads ();\n"
                  "    }\n"
                  "  if (threadIdx",
                  "    {\n"
                  "      data[i] = partial[i];\n"
                  "      for (unsigned half = gridDim.x / 2; half > 0; half /= 2)\n"
                  "        {\n"
                  "          if (i < half)\n"
                  "            data[i] += data[i + half];\n"
                  "          __syncthreads ();\n"
                  "        }\n"
                  "    }\n",
                  "    data[i] = partial[i];\n"
                  "  for (unsigned half = gridDim.x / 2; half > 0; half /= 2)\n"
                  "    {\n"
                  "      if (i < half)\n"
                  "        data[i] += data[i + half];\n"
                  "      __syncthreads ();\n"
                  "    }\n" },
  },
  {
      "two-launches",
      N_ ("A sum in two launches"),
      N_ ("Each thread adds elements that are a grid apart; the block adds its threads' sums in "
          "a tree; a second launch adds the blocks' sums. The text's example has 24 blocks of "
          "1,024 threads; its advice is two blocks per multiprocessor."),
      "reduce/two-launch",
      N_ ("Equal times are on diagonals, where blocks × threads is the same: 24 × 1,024, 66 × "
          "384 and 132 × 192. Threads in flight count, not multiprocessors: by Little's law, "
          "memory stays busy with bandwidth × latency bytes in flight. Beyond that is a "
          "plateau. View, Show, Against Bytes in flight draws all cells as one curve."),
      N_ ("Follow one row from left to right: where does it stop paying? Do the same in a "
          "column, and compare blocks × threads at both places."),
      { "reduce/two-launch:diagonal", "reduce/two-launch:grid", "reduce/two-launch:waves" },
      { "block=16", "blocks=2", "n=64" },
      1,
  },
  {
      "last-block",
      N_ ("The last block adds up"),
      N_ ("One launch is enough if the block that finishes last, by an atomic counter, adds the "
          "sums of all others, behind a memory fence."),
      "reduce/last-block",
      N_ ("The map looks like that of two launches. Compare the two files: only short vectors "
          "benefit from saving a launch."),
      N_ ("Remove the fence and look at the findings. Then find the slip in "
          "specimens/hidden-size before Cured names its line."),
      { "reduce/last-block:time", "dot/last-block:short" },
      .change = { "      __threadfence ();\n", "" },
  },
  {
      "strides",
      N_ ("Strides and banks"),
      N_ ("Element base + s·lane of an array of words is in bank (base + s·lane) mod 32: odd "
          "strides have no conflict."),
      "banks/stride",
      N_ ("There are dark bars at multiples of 2, darker ones at multiples of 4, 8, 16 and 32: "
          "the degree is gcd(stride, 32). Stride 16 is no broadcast: only stride 0 reads one "
          "word."),
      N_ ("Write down the degree at strides 6, 12 and 33 before you look at Banks."),
      { "banks/stride:eight", "banks/stride:time", "banks/stride:time_odd" },
      .banks = { "stride=8" },
  },
  {
      "patterns",
      N_ ("Broadcast, permutation, column"),
      N_ ("All lanes reading one word is a broadcast; any permutation of the lanes over the "
          "banks is free; a column of a tile of 32 columns is not."),
      "banks/pattern",
      N_ ("Padding moves the columns apart: look along that axis. In Banks the wavefronts of a "
          "column come one after the other."),
      N_ ("Which padding from 1 to 16 is the worst? Write it down, then look."),
      { "banks/pattern:column", "banks/pattern:column_even", "banks/pattern:time_column" },
      .banks = { "pattern=column", "padding=4" },
  },
  {
      "latency",
      N_ ("Latencies"),
      N_ ("A register takes one cycle, shared memory and cached constants five, global memory "
          "five hundred."),
      "latency/global",
      N_ ("At a stride of 128 bytes there are three plateaus: L1, L2 and memory. The first ends "
          "before L1 does: a run follows only 2,048 pointers, and finds each in L2 at first. At "
          "32 bytes the last plateau is lower, since memory fills 64 bytes at a time. The other "
          "files of the family have registers, shared memory and constants."),
      N_ ("Write down the height of each plateau in cycles before you look."),
      { "latency/register:multiply-add", "latency/shared:latency", "latency/global:memory" },
  },
  {
      "conflict-cost",
      N_ ("What a conflict costs"),
      N_ ("An access with a k-way conflict takes k times as long."),
      "banks/conflict",
      N_ ("With 32 warps it does: that is throughput. One warp alone waits for the latency in "
          "any case, and pays far less."),
      N_ ("Where does a program run one warp alone? Find a cell of another map."),
      { "banks/conflict:throughput", "banks/conflict:latency_ways" },
      .banks = { "ways=8" },
  },
  {
      "ladder",
      N_ ("A better tree"),
      N_ ("Threads whose number is divisible by twice the distance add their neighbour's "
          "element; in a better tree the active threads are side by side; in a still better one "
          "the elements are, too."),
      "reduce/interleaved-strided",
      N_ ("Open Ladder. The second step trades branches that split warps for bank conflicts: "
          "fewer warps have work, and each of their accesses takes more wavefronts."),
      N_ ("Write down the index of the third version before you look at it. How many excess "
          "wavefronts should remain? And which barrier does specimens/unwaited-tree lack?"),
      { "reduce/interleaved-modulo:branches", "reduce/interleaved-strided:wavefronts",
        "reduce/interleaved-strided:time" },
  },
  {
      "tiles-without-reuse",
      N_ ("Tiles without reuse"),
      N_ ("Load a tile into shared memory, compute there, store the result: the texts practise "
          "tiling on an element-wise sum."),
      "elementwise/add-tile",
      N_ ("No cell is faster than without tiles. Choose Global sectors: the tile saves none, "
          "since nothing is read twice."),
      N_ ("When does a tile pay off? Write down a condition and a figure for it. The next "
          "lesson has one."),
      { "elementwise/add-tile:sectors", "elementwise/add-tile:reuse", "elementwise/add-tile:time" },
  },
  {
      "tiled-product",
      N_ ("The tiled product"),
      N_ ("A tile of 16 cuts the accesses to global memory by 16. Change the tile, the threads "
          "per block and the number of blocks, and explain the times."),
      "matmul/tiled",
      N_ ("From 12 on, even sides are brighter than odd ones: where rows of the tile are aligned, "
          "the compiler merges two or four loads from shared memory into one. The brightest are "
          "16, 24 and 32, whose rows are whole sectors. Loaded elements fall with the side, but "
          "memory is read in sectors of 32 bytes, and those fall by less."),
      N_ ("Guess the time of tile 31 from those of 30 and 32, then look."),
      { "matmul/tiled:reuse", "matmul/tiled:sectors", "matmul/tiled:odd" },
      { "tile=4", "n=8" },
      1,
  },
  {
      "transpose",
      N_ ("Transposing by tiles"),
      N_ ("A transpose reads rows and writes columns; through a tile in shared memory both go "
          "along rows; one column of padding removes the conflicts."),
      "transpose/padded",
      N_ ("Compare padding 0 and 1: the same bytes of global memory, fewer wavefronts of shared "
          "memory. Open Source: the excess is at the line that reads the column."),
      N_ ("Remove the padding in the source. Which line turns red, and how many wavefronts are "
          "reported?"),
      { "transpose/naive:moved", "transpose/shared:ways", "transpose/shared:time" },
      { "tile=4", "rows=2", "n=8", "m=8" },
      1,
      .change = { "[TILE + PADDING]", "[TILE]" },
  },
  {
      "diagonal",
      N_ ("Diagonal order, then and now"),
      N_ ("Blocks along a diagonal keep all partitions of memory busy: on a GTX 280 that paid "
          "off."),
      "transpose/diagonal",
      N_ ("The diagonal is the slowest of the three orders at all six sizes, by up to 8 %: "
          "today's memory hashes addresses over its channels, and along a diagonal neither "
          "matrix is accessed in long pieces."),
      N_ ("How would this map look if the diagonal order paid off?"),
      { "transpose/diagonal:same", "transpose/diagonal:diagonal" },
  },
  {
      "another-block",
      N_ ("Another block's tile"),
      N_ ("In a cluster, blocks read each other's shared memory. Texts teach to pad a tile whose "
          "columns are read, so that its banks do not conflict."),
      "cluster/padded",
      N_ ("Compare with cluster/column, which has no padding: the times are the same. The network "
          "between multiprocessors carries sectors of 32 bytes, and a column of 32 words is in 32 "
          "of them, padded or not. cluster/rows reads rows, of four sectors each, and turns them "
          "in "
          "its own shared memory, where padding helps."),
      N_ ("Open Banks. How many remote sectors does a warp's load take, and how many bytes of each "
          "does it use?"),
      { "cluster/column:sectors", "cluster/padded:time", "cluster/rows:time" },
      { "n=64", "m=64" },
      1,
  },
  {
      "averaging",
      N_ ("Averaging, sixteen cases"),
      N_ ("The same array or two, one or many iterations, one or many blocks, with or without "
          "shared memory: sixteen cases, four of them useless."),
      "average/cases",
      N_ ("The four are 8, 9, 12 and 13, which copy to shared memory for one iteration. A "
          "three-point filter reads each element three times, so the copy saves two thirds of "
          "the loads; L1 serves them today, and before Fermi nothing did. Many blocks beat one."),
      N_ ("Which cases race when they are written like the formula? The specimens average-… are "
          "the answer."),
      { "average/cases:copy", "average/cases:one block", "average/cases:one launch" },
  },
  {
      "ghost-zones",
      N_ ("Ghost zones"),
      N_ ("Blocks that keep their elements in shared memory for many iterations load more "
          "elements on each side, and repeat their neighbours' work."),
      "average/shared",
      N_ ("More iterations per launch save traffic and repeat work: the optimum is in between, "
          "and it moves with the block's size."),
      N_ ("Guess how many iterations per launch are best for blocks of 128."),
      { "average/shared:sectors", "average/shared:faster" },
      { "block=16", "steps=2", "iterations=2", "n=64" },
      1,
  },
  {
      "dot-product",
      N_ ("A dot product, and the host"),
      N_ ("Products are added like a sum's elements; the blocks' sums go to the host, which is "
          "said to be fastest at adding a few numbers."),
      "dot/two-launch",
      N_ ("Compare with dot/host-sum: the copy takes longer than a second launch, and matters "
          "most for short vectors."),
      N_ ("How long does a copy of 4 bytes take? Compare one cell of each file."),
      { "dot/two-launch:short", "reduce/host-sum:time" },
  },
};

/* @n_lessons: (out): their number
 * Returns: (transfer none) (array length=n_lessons): the lessons, in the order of teaching */
const CuredLesson *
cured_lessons (gsize *n_lessons)
{
  *n_lessons = G_N_ELEMENTS (lessons);
  return lessons;
}

/* @id: id of a lesson
 * Returns: (transfer none) (nullable): the lesson, or %NULL */
const CuredLesson *
cured_lesson_find (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (lessons); i++)
    if (g_str_equal (lessons[i].id, id))
      return &lessons[i];
  return NULL;
}

/* @source: source of the lesson's kernel
 *
 * Applies the change that the lesson asks to try.
 * Returns: (transfer full) (nullable): the changed source; NULL if the lesson asks for none, or
 *   @source lacks a text to change */
char *
cured_lesson_change (const CuredLesson *self, const char *source)
{
  g_autoptr (GString) text = g_string_new (source);

  for (gsize i = 0; self->change[i] != NULL; i += 2)
    if (g_string_replace (text, self->change[i], self->change[i + 1], 1) == 0)
      return NULL;
  return self->change[0] != NULL ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* @question: "KERNEL:CLAIM", as in lessons
 * @claim: (out) (transfer none): the claim, owned by the kernel
 * Returns: (transfer full): the kernel of the catalogue that makes the claim; NULL with
 *   %CURED_ERROR_NOT_FOUND */
CuredKernel *
cured_lesson_load_question (const char *question, const CuredClaim **claim, GError **error)
{
  const char *colon = strchr (question, ':');
  g_autofree char *id = g_strndup (question, colon != NULL ? (gsize) (colon - question) : 0);
  g_autoptr (CuredKernel) kernel = cured_catalogue_load (id, error);

  if (kernel == NULL)
    return NULL;
  for (gsize i = 0; i < kernel->n_claims && colon != NULL; i++)
    if (g_str_equal (kernel->claims[i].name, colon + 1))
      {
        *claim = &kernel->claims[i];
        return g_steal_pointer (&kernel);
      }
  return cured_fail_null (
      error, CURED_ERROR_NOT_FOUND,
      _ ("%s: the kernel makes no such claim; “cured claims %s” lists those that it makes"),
      question, id);
}

/* (nullable): NULL without an error if there is none */
static CuredResult *
load_recording (GPtrArray *paths, const char *kernel_id, GError **error)
{
  const char *path = kernel_id != NULL ? cured_recordings_find (paths, kernel_id, NULL) : NULL;

  return path != NULL ? cured_result_load (path, NULL, error) : NULL;
}

static gboolean
look_up (CuredKernel *kernel, const CuredClaim *claim, CuredClaimResult *result, GError **error)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, error);
  g_autoptr (CuredResult) against = NULL;
  g_autoptr (GError) problem = NULL;

  if (paths == NULL)
    return FALSE;
  g_autoptr (CuredResult) recorded = load_recording (paths, kernel->id, &problem);
  if (problem == NULL)
    against = load_recording (paths, claim->against_kernel, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (recorded == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("%s: there is no recording of it"),
                       kernel->id);
  return cured_claim_look_up (kernel, claim, recorded, against, result, error);
}

/* The beginning of an answer. Accepts a decimal comma, too. */
static const char *
judge (const char *guess, double value)
{
  g_autofree char *number = guess != NULL ? g_strdelimit (g_strdup (guess), ",", '.') : NULL;
  char *end = NULL;
  double guessed = number != NULL ? g_ascii_strtod (number, &end) : NAN;

  if (number == NULL || end == number || isnan (value))
    return "";
  /* Translators: before the answer to a question of a lesson, which was guessed. */
  return cured_claim_is_near (guessed, value) ? _ ("Right. ") : _ ("Not quite. ");
}

/* @question: "KERNEL:CLAIM"
 * @guess: (nullable): the user's guess; %NULL: none
 *
 * Finds the figure of a question: counts on the emulator, in a confined process, or looks it up in
 * the installed recordings. Blocks.
 * Returns: (transfer full): "27.4, recorded: a sentence", preceded by a verdict on the guess; NULL
 *   if there is no figure */
char *
cured_lesson_answer (const char *question, const char *guess, GError **error)
{
  const CuredClaim *claim = NULL;
  g_autoptr (CuredKernel) kernel = cured_lesson_load_question (question, &claim, error);
  g_auto (CuredClaimResult) result = { .value = NAN };

  if (kernel == NULL)
    return NULL;
  if (cured_claim_is_counted (claim))
    {
      CuredDevice *device = cured_device_open_confined ("emulator:sm_90", error);
      gboolean is_counted =
          device != NULL && cured_claim_count (kernel, claim, device, &result, error);

      g_clear_pointer (&device, cured_device_close);
      if (!is_counted)
        return NULL;
    }
  else if (!look_up (kernel, claim, &result, error))
    return NULL;
  g_autofree char *figure = cured_claim_describe_figure (claim, &result);
  return g_strdup_printf (
      "%s%s, %s: %s", judge (guess, result.value), figure != NULL ? figure : _ ("not recorded"),
      cured_claim_is_counted (claim) ? _ ("counted") : _ ("recorded"), claim->text);
}

static guint
count_findings (const CuredInspection *inspection, CuredFindingKind kind)
{
  guint n = 0;

  CURED_EACH_POINTER (CuredFinding, finding, inspection->findings)
    n += finding->kind == kind;
  return n;
}

/* "2 findings, 31 excess wavefronts", of one block. */
static char *
describe_found (const CuredInspection *inspection)
{
  guint64 excess = cured_inspection_count_excess (inspection);
  g_autofree char *count = cured_format_count ((gint64) excess);
  g_autofree char *findings = g_strdup_printf (
      ngettext ("%u finding", "%u findings", inspection->findings->len), inspection->findings->len);
  g_autofree char *wavefronts = g_strdup_printf (
      ngettext ("%s excess wavefront", "%s excess wavefronts", (gulong) excess), count);

  return g_strdup_printf ("%s, %s", findings, wavefronts);
}

/* @sentence: (transfer full) */
static void
add_sentence (GString *text, char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, sentence);
  g_free (sentence);
}

/* @text: (nullable): inspection of the lesson's kernel
 * @own: (nullable): inspection of a student's changed kernel, with the same parameters
 *
 * Describes the effect of the change on a block: findings and excess wavefronts of both, and the
 * kinds of findings that appeared and disappeared.
 * Returns: (transfer full): one or more sentences; empty if nothing is known */
char *
cured_lesson_compare (const CuredInspection *text, const CuredInspection *own)
{
  GString *line = g_string_new (NULL);

  if (text != NULL && text->banks != NULL)
    {
      g_autofree char *found = describe_found (text);

      /* Translators: “2 findings, 31 excess wavefronts”. */
      add_sentence (line, g_strdup_printf (_ ("Original kernel: %s."), found));
    }
  if (own == NULL)
    return g_string_free (line, FALSE);
  if (own->banks == NULL)
    {
      add_sentence (line, g_strdup (_ ("Your change does not compile or run yet.")));
      return g_string_free (line, FALSE);
    }
  g_autofree char *changed = describe_found (own);
  /* Translators: “2 findings, 31 excess wavefronts”. */
  add_sentence (line, g_strdup_printf (_ ("Your change: %s."), changed));
  if (text == NULL || text->banks == NULL)
    return g_string_free (line, FALSE);
  if (text->findings->len == own->findings->len &&
      cured_inspection_count_excess (text) == cured_inspection_count_excess (own))
    add_sentence (line, g_strdup (_ ("One block shows no difference; a sweep on the emulator runs "
                                     "all of them.")));
  for (int kind = 0; kind < CURED_N_FINDINGS; kind++)
    {
      guint before = count_findings (text, (CuredFindingKind) kind);
      guint after = count_findings (own, (CuredFindingKind) kind);
      const char *title = _ (cured_finding_info ((CuredFindingKind) kind)->title);

      if (before == 0 && after > 0)
        /* Translators: the kind of a finding, as “Race in shared memory”. */
        add_sentence (line, g_strdup_printf (_ ("New: %s."), title));
      else if (before > 0 && after == 0)
        /* Translators: the kind of a finding, as “Race in shared memory”. */
        add_sentence (line, g_strdup_printf (_ ("Gone: %s."), title));
    }
  return g_string_free (line, FALSE);
}

/* SPDX-License-Identifier: MIT
 * The table of every option of a run: how a cell is measured. */
#pragma once

#include <glib.h>

/* ORDER: type, name, default, least, greatest, unit, flags, switch, argument of the switch, title,
 * description, help of the switch. The name is also the key in messages, result files and presets,
 * and the switch is the command's: two rows of the same switch are its MIN..MAX, and a flag's
 * switch turns it on, or off if it begins with "no-". `least` and `greatest` limit users' values,
 * not a file's. Units: "s", "ratio" (a fraction; shown as percent), "". A title has a mnemonic,
 * unique among rows. */
#define CURED_OPTIONS(X)                                                                           \
  X (SEED, seed, 1, 0, 0, "", CURED_OPTION_ADVANCED, "seed", N_ ("NUMBER"),                        \
     N_ ("Seed o_f the inputs"), N_ ("The same seed gives the same inputs"),                       \
     N_ ("Seed of the inputs"))                                                                    \
  X (NUMBER, limit_s, 20, 0.001, 1e9, "s", CURED_OPTION_RESUMABLE, "limit", N_ ("SECONDS"),        \
     N_ ("T_ime limit"), N_ ("Seconds that one cell may take, compiling and checking included"),   \
     N_ ("Time limit of a cell"))                                                                  \
  X (COUNT, min_samples, 4, 1, G_MAXINT, "", CURED_OPTION_ADVANCED, "samples", N_ ("MIN..MAX"),    \
     N_ ("Samples _at least"), N_ ("Cold samples of a cell, however steady they are"),             \
     N_ ("Least and most cold samples"))                                                           \
  X (COUNT, max_samples, 200, 1, G_MAXINT, "", CURED_OPTION_ADVANCED, "samples", N_ ("MIN..MAX"),  \
     N_ ("Samples at _most"), N_ ("Cold samples of a cell, however unsteady they are"),            \
     N_ ("Least and most cold samples"))                                                           \
  X (NUMBER, sampling_s, 0.5, 0.001, 3600, "s", 0, "sampling", N_ ("SECONDS"),                     \
     N_ ("_Sampling time"), N_ ("Seconds at most, for cold and for hot samples each"),             \
     N_ ("Sampling time limit, cold and hot each"))                                                \
  X (NUMBER, precision, 0.003, 0, 1, "ratio", CURED_OPTION_ADVANCED, "precision", N_ ("PERCENT"),  \
     N_ ("Pr_ecision"), /* xgettext:no-c-format */                                                 \
     N_ ("Percent of the median: sampling stops where its 95 % confidence interval is no wider "   \
         "to either side"),                                                                        \
     N_ ("Sufficient precision of the median"))                                                    \
  X (COUNT, rounds, 0, 1, 64, "", CURED_OPTION_RESUMABLE | CURED_OPTION_AUTO, "rounds",            \
     N_ ("N|auto"), N_ ("Rounds"),                                                                 \
     N_ ("Samples are taken in so many fresh processes; 0 (auto): in as many as each cell needs"), \
     N_ ("Rounds in fresh processes"))                                                             \
  X (FLAG, check, TRUE, 0, 1, "", 0, "no-check", NULL, N_ ("Chec_k results"),                      \
     N_ ("Compare the output with the reference before timing"), N_ ("Do not check the output"))   \
  X (FLAG, cold, TRUE, 0, 1, "", 0, "no-cold", NULL, N_ ("C_old samples"),                         \
     N_ ("One run at a time, with the L2 cache flushed before it"),                                \
     N_ ("No samples with a cold L2 cache"))                                                       \
  X (FLAG, hot, TRUE, 0, 1, "", 0, "no-hot", NULL, N_ ("Ho_t samples"),                            \
     N_ ("Batches of back-to-back runs, with warm caches"),                                        \
     N_ ("No samples of back-to-back runs"))                                                       \
  X (FLAG, counts, FALSE, 0, 1, "", CURED_OPTION_RESUMABLE, "counts", NULL, N_ ("Counts"),         \
     N_ ("Count on the emulator, too, what each launch asks of the chip"),                         \
     N_ ("Count on the emulator, too, for cured explain"))                                         \
  X (FLAG, predict, FALSE, 0, 1, "", CURED_OPTION_RESUMABLE, "predict", NULL,                      \
     N_ ("Predicted _best first"),                                                                 \
     N_ ("Predict each cell, and measure the predicted best cells first"),                         \
     N_ ("Predict; the predicted best cells come first"))                                          \
  X (WORDS, compile_options, NULL, 0, 0, "", CURED_OPTION_ADVANCED, "option", N_ ("OPTION"),       \
     N_ ("Compiler optio_ns, such as --use__fast__math"),                                          \
     N_ ("Further options of NVRTC, with spaces between them"),                                    \
     N_ ("NVRTC option, as --option=-use_fast_math"))                                              \
  X (WORDS, unsafe_options, NULL, 0, 0, "", CURED_OPTION_UNSAFE, "unsafe-option", N_ ("OPTION"),   \
     NULL, NULL, N_ ("NVRTC option, even one that writes files"))                                  \
  X (BLOCKS, blocks, NULL, 0, 0, "", CURED_OPTION_EMULATOR | CURED_OPTION_ADVANCED, "blocks",      \
     N_ ("BLOCKS"), N_ ("_Blocks that run, such as 0..7 or sample:64; empty is all"),              \
     N_ ("On the emulator alone. The output of some blocks is not compared with the reference."),  \
     N_ ("Emulate these blocks only: 0..7 or sample:64"))                                          \
  X (SEED, shuffle, 0, 0, 0, "", CURED_OPTION_EMULATOR | CURED_OPTION_ADVANCED, "shuffle",         \
     N_ ("NUMBER"), N_ ("Seed of the order of blocks and _warps; 0 is the natural one"),           \
     N_ ("On the emulator alone: a kernel with a race may give another output in another order"),  \
     N_ ("Seed for shuffling blocks and warps"))                                                   \
  X (FLAG, caches, FALSE, 0, 1, "", CURED_OPTION_EMULATOR | CURED_OPTION_ADVANCED, "caches", NULL, \
     N_ ("Caches"), N_ ("On the emulator alone: predict what L1, L2 and memory see"),              \
     N_ ("Predict the traffic of L1, L2 and memory"))                                              \
  X (CONDITION, where, NULL, 0, 0, "", CURED_OPTION_ADVANCED, "where", N_ ("CONDITION"),           \
     N_ ("Condition, such as x*y == 64; empty is none"),                                           \
     N_ ("Only cells whose parameters meet it are run"),                                           \
     N_ ("Cells that meet this, such as 'bx*by <= 1024'"))

typedef enum
{
  CURED_OPTION_FLAG,  /* a #gboolean */
  CURED_OPTION_COUNT, /* a #guint */
  /* a #guint64; a string in messages, because many readers of JSON lose integers above 2^53 */
  CURED_OPTION_SEED,
  CURED_OPTION_NUMBER, /* a double */
  CURED_OPTION_WORDS,  /* (nullable): words for the compiler, separated by spaces */
  CURED_OPTION_BLOCKS, /* (nullable): in the syntax of cured_block_set_check() */
  /* (nullable): a #CuredExpr of the kernel's parameters and the device's limits */
  CURED_OPTION_CONDITION,
} CuredOptionType;

typedef enum
{
  CURED_OPTION_RESUMABLE = 1 << 0, /* may change when a sweep is resumed */
  /* only on the command line, never in result files or presets */
  CURED_OPTION_UNSAFE = 1 << 1,
  CURED_OPTION_EMULATOR = 1 << 2, /* has an effect on emulators only */
  CURED_OPTION_ADVANCED = 1 << 3, /* rarely needed; hidden at first in dialogs */
  /* a count whose value 0 means Cured's choice, written "auto", and is valid outside the row's
   * range */
  CURED_OPTION_AUTO = 1 << 4,
} CuredOptionFlags;

#define CURED_OPTION_TYPE_FLAG      gboolean
#define CURED_OPTION_TYPE_COUNT     guint
#define CURED_OPTION_TYPE_SEED      guint64
#define CURED_OPTION_TYPE_NUMBER    double
#define CURED_OPTION_TYPE_WORDS     char *
#define CURED_OPTION_TYPE_BLOCKS    char *
#define CURED_OPTION_TYPE_CONDITION char *

/* How a cell is measured: a field for each row of %CURED_OPTIONS. A plain value;
 * cured_options_init() gives the defaults, and a copy is freed with cured_options_clear(). */
typedef struct
{
#define CURED_OPTION_MEMBER(type, name, ...) CURED_OPTION_TYPE_##type name;
  CURED_OPTIONS (CURED_OPTION_MEMBER)
#undef CURED_OPTION_MEMBER
} CuredOptions;

/* A row of the table. Texts for people are untranslated; pass them through gettext before showing
 * them. */
typedef struct
{
  const char *name;        /* key in messages, result files and presets */
  CuredOptionType type;    /* type of the field */
  CuredOptionFlags flags;  /* #CuredOptionFlags */
  const char *unit;        /* "s", "ratio" or "" */
  double min;              /* least value that users may set */
  double max;              /* greatest value */
  const char *switch_name; /* switch of the command, without the dashes */
  const char *argument;    /* (nullable): placeholder of the switch's argument; NULL: it has none */
  const char *title;       /* (nullable): with a mnemonic; NULL: not shown in dialogs */
  const char *description; /* (nullable): one sentence below the title */
  const char *help;        /* help text of the switch */
  gsize offset;            /* offset of the field in #CuredOptions */
} CuredOptionInfo;

void cured_options_init (CuredOptions *self);
void cured_options_copy (const CuredOptions *self, CuredOptions *copy);
void cured_options_clear (CuredOptions *self);
gboolean cured_options_check (const CuredOptions *self, GError **error);
void cured_options_drop_emulated (CuredOptions *self);

const CuredOptionInfo *cured_options_list (gsize *n_options);
double cured_option_get_number (const CuredOptionInfo *self, const CuredOptions *of);
void cured_option_set_number (const CuredOptionInfo *self, CuredOptions *of, double value);
char *cured_option_to_string (const CuredOptionInfo *self, const CuredOptions *of);
gboolean cured_option_parse (const CuredOptionInfo *self, CuredOptions *of, const char *text,
                             GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredOptions, cured_options_clear)

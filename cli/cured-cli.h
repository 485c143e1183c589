/* SPDX-License-Identifier: MIT
 * Functions shared by the verbs of the command. */
#pragma once

#include <json-glib/json-glib.h>

#include "cured-plot.h"

/* Exit codes of every verb. */
typedef enum
{
  CURED_EXIT_OK = 0,
  CURED_EXIT_FINDING = 1,     /* done, with findings such as wrong results */
  CURED_EXIT_USAGE = 2,       /* failed: wrong usage, bad input, no device, full disk */
  CURED_EXIT_RESUME = 75,     /* stopped by SIGTERM before the end; --resume goes on */
  CURED_EXIT_CANCELLED = 130, /* stopped by the user */
} CuredExit;

/* Words with which a shell completes a verb's arguments. */
typedef enum
{
  CURED_CLI_WORDS_NONE,
  CURED_CLI_WORDS_KERNELS,  /* kernels of the catalogue, and kernel files */
  CURED_CLI_WORDS_FAMILIES, /* families of the catalogue, and result files */
  CURED_CLI_WORDS_RESULTS,  /* result files */
  CURED_CLI_WORDS_FILES,    /* any files */
} CuredCliWords;

/* Kind of an option's value, and its C type. */
typedef enum
{
  CURED_CLI_FLAG,    /* gboolean: nothing */
  CURED_CLI_TEXT,    /* char * */
  CURED_CLI_TEXTS,   /* char **: may be repeated */
  CURED_CLI_FILE,    /* char * */
  CURED_CLI_FOLDER,  /* char * */
  CURED_CLI_INT,     /* gint64, from least to most */
  CURED_CLI_REAL,    /* double, from least to most */
  CURED_CLI_PERCENT, /* double: a fraction */
  CURED_CLI_WORD,    /* int: index of the word */
} CuredCliOptionType;

/* A row of a table of options; NULL as its name ends one. Texts are untranslated. */
typedef struct
{
  const char *name; /* without the dashes */
  char letter;      /* its short form, or 0 */
  CuredCliOptionType type;
  gpointer value; /* variable of that type, unchanged if the option is not given; never freed */
  const char *help;
  const char *argument; /* nullable: placeholder of its value */
  const char *words;    /* nullable: “auto|always|never”: valid words, or suggestions */
  gint64 least;         /* range of a number */
  gint64 most;
  void (*list) (GString *words); /* nullable: adds further suggestions */
} CuredCliOption;

/* A verb. Texts are untranslated. */
typedef struct
{
  const char *name;                 /* the word after `cured` */
  const char *arguments;            /* for the usage line; NULL: it takes none */
  const char *summary;              /* one line for `cured --help` */
  const char *description;          /* below the options in `cured VERB --help`, with examples */
  const CuredCliOption *options[6]; /* tables, besides --quiet */
  const char *const *switches;      /* nullable: names of its rows of a sweep's options */
  CuredCliWords words;              /* kind of its arguments */
  int least;                        /* number of arguments */
  int most;                         /* 0: any */
  const char *usage;                /* nullable: message for a wrong number of arguments */
  gboolean passes_on;               /* unknown options are arguments */
  gboolean is_strict;               /* options end at the first argument */
  /* Called after the options were parsed; the arguments begin at argv[1]. Returns #CuredExit, or
   * sets the error. */
  int (*run) (int argc, char **argv, GError **error);
} CuredVerb;

#define VERB(name) extern const CuredVerb cured_verb_##name;
#include "cured-verbs.def"
#undef VERB

/* Standard output and standard error */
void cured_cli_print_init (void);
int cured_cli_print_flush (int status);
void cured_cli_print_nothing (void);
void cured_cli_print_coloured (const char *text);
void cured_cli_print_document (const char *text);
void cured_cli_print_clear (void);
gboolean cured_cli_line_is_redrawn (void);
gboolean cured_cli_line_is_due (void);
void cured_cli_line_show (const char *line);
void cured_cli_line_clear (void);

/* Errors and usage */
int cured_cli_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);
int cured_cli_fail_error (const GError *error);
gboolean cured_cli_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
gboolean cured_cli_prefix (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
gboolean cured_cli_deny (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Text that is lent: freed after many later ones, so that it can be an argument of a call. */
const char *cured_cli_lend (char *text);
const char *cured_cli_printf (const char *format, ...) G_GNUC_PRINTF (1, 2);
const char *cured_cli_count (gint64 value);
const char *cured_cli_quantity (double value, const char *unit);
const char *cured_cli_seconds (double seconds);

/* Options. Of which type what each kind of them takes is: */
/* clang-format off */
#define CURED_CLI_TYPE_FLAG    gboolean
#define CURED_CLI_TYPE_TEXT    char *
#define CURED_CLI_TYPE_TEXTS   char **
#define CURED_CLI_TYPE_FILE    char *
#define CURED_CLI_TYPE_FOLDER  char *
#define CURED_CLI_TYPE_INT     gint64
#define CURED_CLI_TYPE_REAL    double
#define CURED_CLI_TYPE_PERCENT double
#define CURED_CLI_TYPE_WORD    int
/* clang-format on */

extern gboolean cured_cli_is_quiet, cured_cli_is_json;
extern const CuredCliOption cured_cli_json_rows[];
extern const CuredCliOption cured_cli_colour_rows[];
extern const char *const cured_cli_all_switches[];

GArray *cured_cli_list_options (const CuredVerb *verb);
gboolean cured_cli_parse (const CuredVerb *verb, int *argc, char ***argv);
gboolean cured_cli_get_colour (void);
gboolean cured_cli_check_with (gboolean is_given, const char *option, gboolean has_other,
                               const char *other);
gboolean cured_cli_check_output (const char *output, char **inputs, gboolean force);
gboolean cured_cli_switches_has_emulator (void);
gboolean cured_cli_switches_apply (const CuredKernel *kernel, CuredOptions *options,
                                   GError **error);

/* Completion */
void cured_cli_list_metrics (GString *words);
void cured_cli_list_formats (GString *words);
void cured_cli_list_colours (GString *words);
void cured_cli_list_archs (GString *words);
void cured_cli_list_devices (GString *words);
void cured_cli_list_launchers (GString *words);
int cured_cli_complete (const CuredVerb *const *verbs, const char *shell, const char *line);
int cured_cli_print_completions (const char *shell);

/* Suggestions for typos */
void cured_cli_sort_nearest (const char *word, char **candidates);
gboolean cured_cli_is_near (const char *word, const char *candidate);

void cured_cli_append_item (GString *text, const char *item);
char **cured_cli_collect (gconstpointer first, gsize n, gsize size);
/* A member of each row of a table. */
#define CURED_CLI_COLLECT(rows, n, member) cured_cli_collect (&(rows)->member, n, sizeof *(rows))
gboolean cured_cli_set_unknown (GError **error, const char *message, const char *word,
                                char **candidates);

/* Values on the command line, in the C locale */
gboolean cured_cli_set_axes (CuredSpec *spec, char **axes, GError **error);
CuredKernel *cured_cli_load_kernel (const char *name, GError **error);
gboolean cured_cli_refill (CuredKernel **kernel, char **fills, GError **error);
gint64 *cured_cli_get_point (CuredKernel *kernel, char **axes, const char *verb, GError **error);
gboolean cured_cli_parse_percent (const char *text, double *fraction, GError **error);
gboolean cured_cli_find_metric (CuredResult *result, const char *id, gsize *metric, GError **error);
gboolean cured_cli_check_machine (const char *machine_id, const char *metric);
gboolean cured_cli_add_limiters (CuredResult *result, const char *metric, const char *machine_id,
                                 GError **error);
gboolean cured_cli_find_cell (CuredResult *result, const char *assignments, gint64 *cell,
                              GError **error);

/* clang-format off */
typedef struct
{
#define OPTION(type, member, ...) CURED_CLI_TYPE_##type member;
#include "cured-cli-view.def"
#undef OPTION
} CuredCliViewOptions;
/* clang-format on */

extern CuredCliViewOptions cured_cli_view;
extern const CuredCliOption cured_cli_view_rows[];

gboolean cured_cli_get_view (CuredResult *result, CuredView *view, GError **error);
gboolean cured_cli_get_limits (const char *low, const char *high, const char *centre,
                               const char *unit, gboolean is_ratio, CuredColourLimits *limits,
                               GError **error);

/* Options of a drawing's output. */
typedef struct
{
  char *output; /* nullable; "-" is standard output */
  char *format; /* nullable: by the suffix of the output */
  char *size;   /* nullable: size of a picture */
  CuredExportOptions look;
  gboolean is_picture; /* the drawing has no table; not an option */
} CuredCliExportOptions;

extern CuredCliExportOptions cured_cli_export_options;
extern const CuredCliOption cured_cli_export_rows[];
extern const CuredCliOption cured_cli_picture_rows[];

gboolean cured_cli_export_options_check (const CuredCliExportOptions *self, char **inputs);
const CuredExportFormat *cured_cli_export_options_get_format (CuredCliExportOptions *self,
                                                              GError **error);
gboolean cured_cli_export (const CuredCliExportOptions *self, const CuredDrawing *drawing,
                           const CuredExportFormat *format, GError **error);

/* Rows of text that are printed with their columns aligned. */
typedef struct _CuredCliTable CuredCliTable;

CuredCliTable *cured_cli_table_new (const char *alignment);
void cured_cli_table_widen (CuredCliTable *self, gsize column, gsize width);
void cured_cli_table_print (CuredCliTable *self, const char *indent);
void cured_cli_table_free (CuredCliTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliTable, cured_cli_table_free)

/* Where figures of claims come from: the emulator, and recordings. */
typedef struct _CuredCliClaims CuredCliClaims;

CuredCliClaims *cured_cli_claims_new (const char *folder, GError **error);
void cured_cli_claims_free (CuredCliClaims *self);
CuredResult *cured_cli_claims_find_recording (CuredCliClaims *self, const char *kernel_id);
gboolean cured_cli_claims_find_out (CuredCliClaims *self, CuredKernel *kernel,
                                    const CuredClaim *claim, CuredClaimResult *result,
                                    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliClaims, cured_cli_claims_free)

/* Output for people and programs */
gsize cured_cli_get_width (const char *text);
int cured_cli_get_columns (int fd);
void cured_cli_append_value (GString *text, const char *name, const CuredAxis *axis, gint64 value);
const char *cured_cli_describe_cell (CuredResult *result, gint64 cell);
void cured_cli_print_facts (CuredResult *result, gboolean has_title);
gboolean cured_cli_print_cell (CuredResult *result, gint64 cell, GError **error);
void cured_cli_print_plan (CuredPlan *plan, CuredDevice *on, gboolean all);
void cured_cli_print_summary (CuredResult *result, const CuredProgress *progress,
                              CuredSearch *search, const char *path);
void cured_cli_print_summary_json (CuredResult *result, const CuredProgress *progress,
                                   CuredSearch *search, const char *path, const GPtrArray *excerpts,
                                   const GError *stopped);
void cured_cli_print_excerpts (const GPtrArray *excerpts);
void cured_cli_print_search (CuredSearch *search, CuredResult *result);
void cured_cli_print_replay (const CuredSearchReplay *replay);
void cured_cli_print_breakdown (const CuredProgress *progress, guint n_devices);
/* A value of a document or of a cell of a table. */
typedef struct
{
  enum
  {
    CURED_CLI_VALUE_INT,
    CURED_CLI_VALUE_REAL,
    CURED_CLI_VALUE_TEXT,
    CURED_CLI_VALUE_TEXTS, /* several, NULL after the last one */
    CURED_CLI_VALUE_LIST,  /* (element-type utf8) */
    CURED_CLI_VALUE_SIZES, /* three */
    CURED_CLI_VALUE_REALS, /* three */
  } kind;
  union
  {
    gint64 integer;
    double real;
    const char *text; /* nullable */
    char **texts;
    const GPtrArray *list;
    const guint *sizes;
    const double *reals;
  };
} CuredCliValue;

CuredCliValue cured_cli_value_int (gint64 value);
CuredCliValue cured_cli_value_real (double value);
CuredCliValue cured_cli_value_text (const char *value);
CuredCliValue cured_cli_value_texts (char **value);
CuredCliValue cured_cli_value_list (const GPtrArray *value);
CuredCliValue cured_cli_value_sizes (const guint *value);
CuredCliValue cured_cli_value_reals (const double *value);

/* clang-format off */
#define CURED_CLI_VALUE(value)                                                                     \
  _Generic ((value), char *: cured_cli_value_text, const char *: cured_cli_value_text,             \
            void *: cured_cli_value_text, /* an element of a GPtrArray */                          \
            char **: cured_cli_value_texts, GPtrArray *: cured_cli_value_list,                     \
            guint *: cured_cli_value_sizes, const guint *: cured_cli_value_sizes,                  \
            const double *: cured_cli_value_reals, double *: cured_cli_value_reals,                                                 \
            double: cured_cli_value_real, default: cured_cli_value_int) (value)
#define CURED_CLI_VALUES_1(a) CURED_CLI_VALUE (a)
#define CURED_CLI_VALUES_2(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_1 (__VA_ARGS__)
#define CURED_CLI_VALUES_3(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_2 (__VA_ARGS__)
#define CURED_CLI_VALUES_4(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_3 (__VA_ARGS__)
#define CURED_CLI_VALUES_5(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_4 (__VA_ARGS__)
#define CURED_CLI_VALUES_6(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_5 (__VA_ARGS__)
#define CURED_CLI_VALUES_7(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_6 (__VA_ARGS__)
#define CURED_CLI_VALUES_8(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_7 (__VA_ARGS__)
#define CURED_CLI_VALUES_9(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_8 (__VA_ARGS__)
#define CURED_CLI_VALUES_10(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_9 (__VA_ARGS__)
#define CURED_CLI_VALUES_11(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_10 (__VA_ARGS__)
#define CURED_CLI_VALUES_12(a, ...) CURED_CLI_VALUE (a), CURED_CLI_VALUES_11 (__VA_ARGS__)
#define CURED_CLI_COUNTED(a, b, c, d, e, f, g, h, i, j, k, l, macro, ...) macro
#define CURED_CLI_VALUES(...)                                                                      \
  CURED_CLI_COUNTED (__VA_ARGS__, CURED_CLI_VALUES_12, CURED_CLI_VALUES_11, CURED_CLI_VALUES_10,   \
                     CURED_CLI_VALUES_9, CURED_CLI_VALUES_8, CURED_CLI_VALUES_7,                   \
                     CURED_CLI_VALUES_6, CURED_CLI_VALUES_5, CURED_CLI_VALUES_4,                   \
                     CURED_CLI_VALUES_3, CURED_CLI_VALUES_2, CURED_CLI_VALUES_1, 0) (__VA_ARGS__)
#define CURED_CLI_ARRAY(...)                                                                       \
  (const CuredCliValue[]){ CURED_CLI_VALUES (__VA_ARGS__) },                                       \
  G_N_ELEMENTS (((const CuredCliValue[]){ CURED_CLI_VALUES (__VA_ARGS__) }))
/* Up to twelve values of any type; see cured_cli_json_add(), cured_cli_table_add_row(). */
#define cured_cli_json(format, ...) cured_cli_json_add (format, CURED_CLI_ARRAY (__VA_ARGS__))
#define cured_cli_json_line(format, ...)                                                           \
  cured_cli_json_compose (format, CURED_CLI_ARRAY (__VA_ARGS__))
#define cured_cli_table_add(table, ...)                                                            \
  cured_cli_table_add_row (table, CURED_CLI_ARRAY (__VA_ARGS__))
/* clang-format on */

void cured_cli_begin_document (void);
void cured_cli_json_add (const char *format, const CuredCliValue *values, gsize n_values);
char *cured_cli_json_compose (const char *format, const CuredCliValue *values, gsize n_values);
void cured_cli_json_put (const char *format);
void cured_cli_json_add_metric (const CuredMetricInfo *metric);
void cured_cli_json_add_axis (const char *member, CuredResult *result, const CuredAxis *values);
void cured_cli_json_add_facts (CuredResult *result);
void cured_cli_json_add_values (CuredResult *result, gint64 cell, const char *const *but);
void cured_cli_json_add_cell (CuredResult *result, gint64 cell);
void cured_cli_print_roofline (CuredResult *result, GError **error);
const char *cured_cli_find_source (CuredKernel *kernel, const char *file);

void cured_cli_table_add_row (CuredCliTable *self, const CuredCliValue *values, gsize n_values);

void cured_cli_print_merge (const CuredMergeReport *report, const char *path);

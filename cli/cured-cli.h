/* SPDX-License-Identifier: MIT
 * What the verbs of the command share. */
#pragma once

#include <json-glib/json-glib.h>

#include "cured-plot.h"

G_BEGIN_DECLS

/**
 * CuredExit: exit codes of every verb.
 * @CURED_EXIT_OK: done
 * @CURED_EXIT_FINDING: done, and something was found that should not be so
 * @CURED_EXIT_USAGE: not done: wrong usage, bad input, no device, full disk
 * @CURED_EXIT_RESUME: stopped by SIGTERM before the end; --resume goes on
 * @CURED_EXIT_CANCELLED: stopped by the user
 */
typedef enum
{
  CURED_EXIT_OK = 0,
  CURED_EXIT_FINDING = 1,
  CURED_EXIT_USAGE = 2,
  CURED_EXIT_RESUME = 75,
  CURED_EXIT_CANCELLED = 130,
} CuredExit;

/**
 * CuredCliWords: what a shell completes the arguments of a verb with.
 * @CURED_CLI_WORDS_NONE: nothing: there are none
 * @CURED_CLI_WORDS_KERNELS: kernels of the catalogue, and kernel files
 * @CURED_CLI_WORDS_FAMILIES: families of the catalogue, and result files
 * @CURED_CLI_WORDS_RESULTS: result files
 * @CURED_CLI_WORDS_FILES: any files
 */
typedef enum
{
  CURED_CLI_WORDS_NONE,
  CURED_CLI_WORDS_KERNELS,
  CURED_CLI_WORDS_FAMILIES,
  CURED_CLI_WORDS_RESULTS,
  CURED_CLI_WORDS_FILES,
} CuredCliWords;

/**
 * CuredVerb:
 * @name: the word after `cured`
 * @arguments: for the usage line, untranslated
 * @summary: one line for `cured --help`, untranslated
 * @description: below the options in `cured VERB --help`, with examples,
 *   untranslated
 * @words: what its arguments are
 * @run: parses the rest of the command line and does it; returns #CuredExit; its
 *   options go through cured_cli_parse() before anything is done
 */
typedef struct
{
  const char *name;
  const char *arguments;
  const char *summary;
  const char *description;
  CuredCliWords words;
  int (*run) (GOptionContext *context, int argc, char **argv);
} CuredVerb;

extern const CuredVerb cured_verb_banks;
extern const CuredVerb cured_verb_check;
extern const CuredVerb cured_verb_claims;
extern const CuredVerb cured_verb_compare;
extern const CuredVerb cured_verb_merge;
extern const CuredVerb cured_verb_submit;
extern const CuredVerb cured_verb_devices;
extern const CuredVerb cured_verb_doctor;
extern const CuredVerb cured_verb_exec;
extern const CuredVerb cured_verb_explain;
extern const CuredVerb cured_verb_export;
extern const CuredVerb cured_verb_header;
extern const CuredVerb cured_verb_import;
extern const CuredVerb cured_verb_kernels;
extern const CuredVerb cured_verb_ladder;
extern const CuredVerb cured_verb_lessons;
extern const CuredVerb cured_verb_measure_machine;
extern const CuredVerb cured_verb_occupancy;
extern const CuredVerb cured_verb_run;
extern const CuredVerb cured_verb_predict;
extern const CuredVerb cured_verb_show;
extern const CuredVerb cured_verb_worker;

/* Standard output and standard error */
void cured_cli_print_init (void);
int cured_cli_print_flush (int status);
void cured_cli_print_coloured (const char *text);
void cured_cli_print_clear (void);
void cured_cli_line_show (const char *line);
void cured_cli_line_clear (void);

/* Errors and usage */
int cured_cli_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);
int cured_cli_fail_error (const GError *error);
gboolean cured_cli_parse (GOptionContext *context, const GOptionEntry *entries, int *argc,
                          char ***argv);

/* Options */
typedef void (*CuredCliEntryFunc) (const GOptionEntry *entry, gpointer user_data);

void cured_cli_add_entries (GOptionContext *context, const GOptionEntry *entries);
void cured_cli_list_entries (const CuredVerb *verb, CuredCliEntryFunc func, gpointer user_data);
gboolean cured_cli_is_quiet (void);
void cured_cli_add_colour (GOptionContext *context);
gboolean cured_cli_get_colour (gboolean *colour);
/* What a whole number that an option sets begins with. */
#define CURED_CLI_NOT_GIVEN G_MININT

gboolean cured_cli_check_with (gboolean is_given, const char *option, gboolean has_other,
                               const char *other);
gboolean cured_cli_check_output (const char *output, char **inputs, gboolean force);
int cured_cli_print_completions (const CuredVerb *const *verbs, const char *shell);

/* What was meant */
void cured_cli_sort_nearest (const char *word, char **candidates);
gboolean cured_cli_is_near (const char *word, const char *candidate);

void cured_cli_append_item (GString *text, const char *item);
void cured_cli_set_unknown (GError **error, char *message, const char *word, char **candidates);

/**
 * CuredCliSwitches:
 *
 * What a verb was told of how cells are measured: the switches of the table of options.
 */
typedef struct _CuredCliSwitches CuredCliSwitches;

CuredCliSwitches *cured_cli_switches_new (const char *const *names);
void cured_cli_switches_free (CuredCliSwitches *self);
void cured_cli_switches_add (CuredCliSwitches *self, GOptionContext *context);
gboolean cured_cli_switches_has_emulator (const CuredCliSwitches *self);
gboolean cured_cli_switches_apply (const CuredCliSwitches *self, const CuredKernel *kernel,
                                   CuredOptions *options, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliSwitches, cured_cli_switches_free)

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

/**
 * CuredCliViewOptions:
 *
 * The options that choose what of a result is seen; NULL or FALSE is the result's own default.
 * Clear with cured_cli_view_options_clear().
 */
typedef struct
{
  char *metric;
  char *x;
  char *y;
  char **at;
  char *colours;
  gboolean logarithmic;
  gboolean linear;
  gboolean relative;
  gboolean absolute;
} CuredCliViewOptions;

void cured_cli_view_options_add (CuredCliViewOptions *self, GOptionContext *context);
gboolean cured_cli_view_options_get_view (const CuredCliViewOptions *self, CuredResult *result,
                                          CuredView *view, GError **error);
void cured_cli_view_options_clear (CuredCliViewOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredCliViewOptions, cured_cli_view_options_clear)

/**
 * CuredCliExportOptions:
 * @output: (nullable): the file to write; "-" is standard output
 * @format: (nullable): its format, where its name does not tell
 * @dark: light text on a dark ground
 * @is_picture: set before cured_cli_export_options_add(): there is no table
 *
 * Clear with cured_cli_export_options_clear().
 */
typedef struct
{
  char *output;
  char *format;
  gboolean dark;
  gboolean is_picture;
} CuredCliExportOptions;

void cured_cli_export_options_add (CuredCliExportOptions *self, GOptionContext *context);
gboolean cured_cli_export_options_check (const CuredCliExportOptions *self, char **inputs);
const CuredExportFormat *cured_cli_export_options_get_format (const CuredCliExportOptions *self,
                                                              GError **error);
gboolean cured_cli_export (const CuredCliExportOptions *self, const CuredDrawing *drawing,
                           const CuredExportFormat *format, GError **error);
void cured_cli_export_options_clear (CuredCliExportOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredCliExportOptions, cured_cli_export_options_clear)

/**
 * CuredCliTable:
 *
 * Rows of text that are printed with their columns aligned.
 */
typedef struct _CuredCliTable CuredCliTable;

CuredCliTable *cured_cli_table_new (const char *alignment);
void cured_cli_table_add (CuredCliTable *self, ...) G_GNUC_NULL_TERMINATED;
void cured_cli_table_print (const CuredCliTable *self, const char *indent);
void cured_cli_table_free (CuredCliTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliTable, cured_cli_table_free)

/**
 * CuredCliClaims:
 *
 * Where figures of claims come from: the emulator, and recordings.
 */
typedef struct _CuredCliClaims CuredCliClaims;

CuredCliClaims *cured_cli_claims_new (const char *folder, GError **error);
void cured_cli_claims_free (CuredCliClaims *self);
CuredResult *cured_cli_claims_find_recording (CuredCliClaims *self, const char *kernel_id);
gboolean cured_cli_claims_find_out (CuredCliClaims *self, CuredKernel *kernel,
                                    const CuredClaim *claim, CuredClaimResult *result,
                                    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliClaims, cured_cli_claims_free)

/* What people and programs read */
gsize cured_cli_get_width (const char *text);
int cured_cli_get_columns (int fd);
gboolean cured_cli_wants_colour (int fd);
char *cured_cli_describe_values (const char *const *names, const CuredAxis *const *axes,
                                 const gint64 *values, gsize n_values);
char *cured_cli_describe_cell (CuredResult *result, gint64 cell);
gint64 cured_cli_find_best (CuredResult *result, gsize metric);
void cured_cli_print_facts (CuredResult *result, gboolean has_title);
gboolean cured_cli_print_cell (CuredResult *result, gint64 cell, GError **error);
void cured_cli_print_plan (CuredPlan *plan, const CuredDeviceInfo *device, gboolean all);
void cured_cli_print_plan_json (CuredPlan *plan, const CuredDeviceInfo *device, gboolean all);
void cured_cli_print_summary (CuredResult *result, const CuredProgress *progress,
                              CuredSearch *search, const char *path);
void cured_cli_print_summary_json (CuredResult *result, const CuredProgress *progress,
                                   CuredSearch *search, const char *path, const GPtrArray *excerpts,
                                   const GError *stopped);
void cured_cli_print_excerpts (const GPtrArray *excerpts);
void cured_cli_json_add_excerpts (JsonBuilder *builder, const GPtrArray *excerpts);
void cured_cli_print_search (CuredSearch *search, CuredResult *result);
void cured_cli_print_replay (const CuredSearchReplay *replay);
void cured_cli_print_replay_json (const CuredSearchReplay *replay);
void cured_cli_json_add_search (JsonBuilder *builder, CuredSearch *search, CuredResult *result);
void cured_cli_print_breakdown (const CuredProgress *progress, guint n_devices);
void cured_cli_json_add_int (JsonBuilder *builder, const char *name, gint64 value);
void cured_cli_json_add_double (JsonBuilder *builder, const char *name, double value);
void cured_cli_json_add_string (JsonBuilder *builder, const char *name, const char *value);
void cured_cli_json_add_metric (JsonBuilder *builder, const CuredMetricInfo *metric);
void cured_cli_json_add_axis (JsonBuilder *builder, const char *member, CuredResult *result,
                              gsize axis);
void cured_cli_json_add_facts (JsonBuilder *builder, CuredResult *result);
gboolean cured_cli_print_cell_json (CuredResult *result, gint64 cell, GError **error);
void cured_cli_json_add_values (JsonBuilder *builder, CuredResult *result, gint64 cell,
                                const char *const *but);
const char *cured_cli_find_source (CuredKernel *kernel, const char *file);
void cured_cli_json_add_cell (JsonBuilder *builder, CuredResult *result, gint64 cell);
void cured_cli_print_json (JsonBuilder *builder);

void cured_cli_print_merge (const CuredMergeReport *report, const char *path);

G_END_DECLS

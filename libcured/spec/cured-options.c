/* SPDX-License-Identifier: MIT
 * The table of every option of a run: how a cell is measured. */
#include "spec/cured-options-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "spec/cured-block-set.h"

static const CuredOptionInfo options[] = {
#define CURED_OPTION_ROW(type, name, fallback, min, max, unit, flags, switch_name, argument,       \
                         title, description, help)                                                 \
  { #name,       CURED_OPTION_##type,                                                              \
    flags,       unit,                                                                             \
    min,         max,                                                                              \
    switch_name, argument,                                                                         \
    title,       description,                                                                      \
    help,        G_STRUCT_OFFSET (CuredOptions, name) },
  CURED_OPTIONS (CURED_OPTION_ROW)
#undef CURED_OPTION_ROW
};

#define FIELD(type, of, info) G_STRUCT_MEMBER (type, of, (info)->offset)

/* Text of a count that Cured chooses. */
#define AUTO_TEXT "auto"

static gboolean
is_auto (const CuredOptionInfo *self)
{
  return (self->flags & CURED_OPTION_AUTO) != 0;
}

static gboolean
is_text (const CuredOptionInfo *self)
{
  return self->type == CURED_OPTION_WORDS || self->type == CURED_OPTION_BLOCKS ||
         self->type == CURED_OPTION_CONDITION;
}

/* @self: (out caller-allocates): uninitialized memory
 *
 * Sets the defaults of the table. */
void
cured_options_init (CuredOptions *self)
{
  *self = (CuredOptions){
#define CURED_OPTION_DEFAULT(type, name, fallback, ...) .name = fallback,
    CURED_OPTIONS (CURED_OPTION_DEFAULT)
#undef CURED_OPTION_DEFAULT
  };
}

/* @copy: (out caller-allocates): uninitialized memory; cured_options_clear() it
 *
 * Makes a deep copy. */
void
cured_options_copy (const CuredOptions *self, CuredOptions *copy)
{
  *copy = *self;
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    if (is_text (&options[i]))
      FIELD (char *, copy, &options[i]) = g_strdup (FIELD (char *, self, &options[i]));
}

/* Frees the contents; the struct itself is the caller's. */
void
cured_options_clear (CuredOptions *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    if (is_text (&options[i]))
      g_clear_pointer (&FIELD (char *, self, &options[i]), g_free);
}

/* @error: set to %CURED_ERROR_INVALID
 *
 * Checks whether the options are compatible with each other. */
gboolean
cured_options_check (const CuredOptions *self, GError **error)
{
  if (self->min_samples > self->max_samples)
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("at least %u samples and at most %u: nothing is both"), self->min_samples,
                 self->max_samples);
  else if (!self->cold && !self->hot)
    g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID,
                         _ ("without cold and without hot samples there is nothing to measure"));
  else
    return TRUE;
  return FALSE;
}

/* Resets options that only the emulator has to their defaults, for another device. */
void
cured_options_drop_emulated (CuredOptions *self)
{
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *text = cured_option_to_string (&options[i], &defaults);

      if ((options[i].flags & CURED_OPTION_EMULATOR) != 0)
        cured_option_read (&options[i], self, text);
    }
}

/* Returns: (transfer none): the table of options, in the order of the struct */
const CuredOptionInfo *
cured_options_list (gsize *n_options)
{
  *n_options = G_N_ELEMENTS (options);
  return options;
}

/* @name: an option's name in files
 * Returns: (transfer none) (nullable): its row; NULL for an unknown name */
const CuredOptionInfo *
cured_option_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    if (g_str_equal (options[i].name, name))
      return &options[i];
  return NULL;
}

/* @self: a row of a flag, a count or a number
 * Returns: the value, in the row's unit; 0 or 1 of a flag */
double
cured_option_get_number (const CuredOptionInfo *self, const CuredOptions *of)
{
  switch (self->type)
    {
    case CURED_OPTION_FLAG: return FIELD (gboolean, of, self) ? 1 : 0;
    case CURED_OPTION_COUNT: return FIELD (guint, of, self);
    case CURED_OPTION_NUMBER: return FIELD (double, of, self);
    case CURED_OPTION_SEED:
    case CURED_OPTION_WORDS:
    case CURED_OPTION_BLOCKS:
    case CURED_OPTION_CONDITION: break;
    }
  g_return_val_if_reached (0);
}

/* @self: a row of a flag, a count or a number
 * @value: in the row's unit; not clamped to its range */
void
cured_option_set_number (const CuredOptionInfo *self, CuredOptions *of, double value)
{
  value = CLAMP (value, is_auto (self) ? 0 : self->min, self->max);
  switch (self->type)
    {
    case CURED_OPTION_FLAG: FIELD (gboolean, of, self) = value > 0; return;
    case CURED_OPTION_COUNT: FIELD (guint, of, self) = (guint) value; return;
    case CURED_OPTION_NUMBER: FIELD (double, of, self) = value; return;
    case CURED_OPTION_SEED:
    case CURED_OPTION_WORDS:
    case CURED_OPTION_BLOCKS:
    case CURED_OPTION_CONDITION: break;
    }
  g_return_if_reached ();
}

/* Returns: (transfer full): the value as in result files, in the C locale: "1" or "0" for a flag,
 *   "auto" for a count that Cured chooses, "" for a missing text */
char *
cured_option_to_string (const CuredOptionInfo *self, const CuredOptions *of)
{
  const char *text = NULL;

  switch (self->type)
    {
    case CURED_OPTION_FLAG: return g_strdup (FIELD (gboolean, of, self) ? "1" : "0");
    case CURED_OPTION_COUNT:
      if (is_auto (self) && FIELD (guint, of, self) == 0)
        return g_strdup (AUTO_TEXT);
      return g_strdup_printf ("%u", FIELD (guint, of, self));
    case CURED_OPTION_SEED: return g_strdup_printf ("%" PRIu64, FIELD (guint64, of, self));
    case CURED_OPTION_NUMBER: return cured_format_file_number (FIELD (double, of, self));
    case CURED_OPTION_WORDS:
    case CURED_OPTION_BLOCKS:
    case CURED_OPTION_CONDITION: text = FIELD (char *, of, self); break;
    }
  return g_strdup (text != NULL ? text : "");
}

static gboolean
check_condition (const char *text, GError **error)
{
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, error);

  return expr != NULL;
}

static void
set_text (char **field, const char *text)
{
  g_free (*field);
  *field = *text != '\0' ? g_strdup (text) : NULL;
}

/* @text: text from a file, as written by cured_option_to_string(); a flag may be `true` or `false`
 *
 * Reads a value of any version of Cured; it may be outside today's range.
 * Returns: FALSE if @text is not such a value; @of is then unchanged */
gboolean
cured_option_read (const CuredOptionInfo *self, CuredOptions *of, const char *text)
{
  guint64 whole;
  double number;

  switch (self->type)
    {
    case CURED_OPTION_FLAG:
      if (g_str_equal (text, "1") || g_str_equal (text, "true"))
        FIELD (gboolean, of, self) = TRUE;
      else if (g_str_equal (text, "0") || g_str_equal (text, "false"))
        FIELD (gboolean, of, self) = FALSE;
      else
        return FALSE;
      return TRUE;
    case CURED_OPTION_COUNT:
      if (is_auto (self) && g_str_equal (text, AUTO_TEXT))
        {
          FIELD (guint, of, self) = 0;
          return TRUE;
        }
      if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT, &whole, NULL))
        return FALSE;
      FIELD (guint, of, self) = (guint) whole;
      return TRUE;
    case CURED_OPTION_SEED:
      return g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &FIELD (guint64, of, self),
                                         NULL);
    case CURED_OPTION_NUMBER:
      if (!cured_parse_file_number (text, &number, NULL) || !isfinite (number) || number < 0)
        return FALSE;
      FIELD (double, of, self) = number;
      return TRUE;
    case CURED_OPTION_BLOCKS:
      if (*text != '\0' && !cured_block_set_check (text, NULL))
        return FALSE;
      break;
    case CURED_OPTION_CONDITION:
      if (*text != '\0' && !check_condition (text, NULL))
        return FALSE;
      break;
    case CURED_OPTION_WORDS: break;
    }
  set_text (&FIELD (char *, of, self), text);
  return TRUE;
}

static gboolean
fail_value (const CuredOptionInfo *self, GError **error)
{
  g_autofree char *least = cured_format_file_number (self->min);
  g_autofree char *most = cured_format_file_number (self->max);

  if (self->type == CURED_OPTION_FLAG)
    return cured_fail (error, CURED_ERROR_INVALID, _ ("expected 1 or 0"));
  if (self->type == CURED_OPTION_SEED)
    return cured_fail (error, CURED_ERROR_INVALID, _ ("expected a whole number, 0 or more"));
  return cured_fail (
      error, CURED_ERROR_INVALID,
      is_auto (self)                     ? _ ("expected auto, or a whole number from %s to %s")
      : self->type == CURED_OPTION_COUNT ? _ ("expected a whole number from %s to %s")
      : g_str_equal (self->unit, "s")    ? _ ("expected a number of seconds from %s to %s")
                                         : _ ("expected a number from %s to %s"),
      least, most);
}

/* @text: the user's text, in the syntax of cured_option_read()
 * @error: set to %CURED_ERROR_INVALID, saying what was expected
 *
 * Reads the user's value, which must be in the row's range.
 * Returns: FALSE with an error; @of is then unchanged */
gboolean
cured_option_parse (const CuredOptionInfo *self, CuredOptions *of, const char *text, GError **error)
{
  g_auto (CuredOptions) read = { 0 };
  g_auto (GStrv) words = NULL;

  if (self->type == CURED_OPTION_BLOCKS && *text != '\0' && !cured_block_set_check (text, error))
    return FALSE;
  if (self->type == CURED_OPTION_CONDITION && *text != '\0' && !check_condition (text, error))
    return FALSE;
  if (self->type == CURED_OPTION_WORDS && (self->flags & CURED_OPTION_UNSAFE) == 0)
    {
      words = cured_compile_options_parse (text, error);
      if (words == NULL)
        return FALSE;
    }
  if (!cured_option_read (self, &read, text))
    return fail_value (self, error);
  if (self->type == CURED_OPTION_COUNT || self->type == CURED_OPTION_NUMBER)
    {
      double number = cured_option_get_number (self, &read);

      /* The text for Cured's choice is accepted; its number, 0, is not. */
      gboolean is_left = is_auto (self) && g_str_equal (text, AUTO_TEXT);

      if ((number < self->min && !is_left) || number > self->max)
        return fail_value (self, error);
    }
  return cured_option_read (self, of, text);
}

/* SPDX-License-Identifier: MIT
 * Reads a kernel file: what each group and key of its header means. */
#include "config.h"

#include "kernel/read/cured-data-private.h"
#include "kernel/read/cured-read-private.h"

#include <inttypes.h>
#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cured-axis-internal.h"
#include "base/cured-error.h"
#include "base/cured-expr-internal.h"
#include "base/cured-limits.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-reference-table-private.h"
#include "kernel/cured-sources-internal.h"
#include "ptx/cured-finding.h"

/* No kernel for people to read is near this size; a larger file is a mistake in the path. */
#define MAX_FILE_BYTES (4 << 20)

/* With the numbers and the included files that result files have in it. */
#define MAX_TEXT_BYTES (16 << 20)

/* Of a kernel's name with its template arguments. */
#define MAX_ENTRY 1024

/* Names are for what a person tells apart. */
#define MAX_NAMES 256

typedef struct
{
  const CuredHeader *header;
  CuredKernel *kernel;
  const char *group;        /* the one that is being read */
  const char *index;        /* nullable: what a launch calls its repetition */
  const char *declarations; /* what structs are looked for in */
} Parser;

/* The groups and their keys. A trailing space: the group has a name, as in [Buffer a]. The keys of
 * [Sweep] are parameters besides. */
static const struct
{
  const char *group;
  const char *keys[20];
} forms[] = {
  { "Kernel",
    { "Like", "Source", "Title", "Summary", "Family", "Step", "Flops", "Bytes", "Ceiling", "Defect",
      "Options", "Include", "Arch", NULL } },
  { "Parameter ", { "Kind", "Values", "Names", "Default", "Summary", NULL } },
  { "Buffer ",
    { "Type", "Length", "Fill", "Low", "High", "Step", "Value", "Values", "File", NULL } },
  { "Constant ",
    { "Type", "Length", "Fill", "Low", "High", "Step", "Value", "Values", "File", NULL } },
  { "TensorMap ",
    { "Buffer", "Type", "Dims", "Strides", "Box", "Channels", "Pixels", "LowerCorner",
      "UpperCorner", "ElementStrides", "Swizzle", "Interleave", "Promotion", "Fill", NULL } },
  { CURED_DATA_FILE, { "Bytes", "1", NULL } },
  { CURED_DATA_INCLUDE, { "Bytes", "1", NULL } },
  { "Launch",
    { "Entry", "Grid", "Block", "Cluster", "Cooperative", "Shared", "Arguments", "Repeat", "Index",
      "Swap", "Memset", "Value", "Host", "From", "To", "Setup", NULL } },
  { "Require ", { "If", "Reason", NULL } },
  { "Claim ", { "Text", "Metric", "At", "Against", "Low", "High", NULL } },
  { "Check", { "Output", "Reference", "Tolerance", "Relative", NULL } },
  { "Cycles", { "Buffer", "Per", NULL } },
  { "Sweep", { "X", "Y", NULL } },
};

static const char *const kinds[] = { "compile", "launch", "problem", NULL };
static const char *const fills[] = { "poison", "constant",    "ramp",   "uniform",
                                     "normal", "permutation", "sorted", "expression",
                                     "file",   "values",      NULL };
#define NAME(name, function, summary) name,
static const char *const references[] = { CURED_REFERENCES (NAME) NULL };
#undef NAME
static const char *const ceilings[] = { "read", "copy", "fp32", NULL };

/* Names that an expression or an argument understands already. */
static const char *const reserved[] = { "abs",  "ceil", "floor", "log2",   "max", "min", "pow2",
                                        "sqrt", "i32",  "u32",   "f32",    "f64", "i64", "X",
                                        "Y",    "i8",   "u8",    "i16",    "u16", "u64", "f16",
                                        "bf16", "e4m3", "e5m2",  "struct", NULL };

/* One element more, all zeros, at the end of an array of the kernel. */
#define ADD(array, n)                                                                              \
  ((array) = g_renew (typeof (*(array)), (array), (n) + 1),                                        \
   memset (&(array)[n], 0, sizeof *(array)), &(array)[(n)++])

#define fail(self, key, code, error, ...)                                                          \
  _cured_header_fail ((self)->header, (self)->group, key, code, error, __VA_ARGS__)

static gboolean
is_identifier (const char *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && *text != '_')
      return FALSE;
  return TRUE;
}

/* Gives the value of a key of the current group. A missing one is NULL, and an error if it is
 * @required; an empty one is an error. */
static gboolean
get (const Parser *self, const char *key, gboolean required, char **value, GError **error)
{
  *value = _cured_header_get (self->header, self->group, key);
  if (*value == NULL && required)
    return fail (self, NULL, CURED_ERROR_SYNTAX, error, _ ("[%s] has no %s="), self->group, key);
  if (*value != NULL && **value == '\0')
    {
      fail (self, key, CURED_ERROR_SYNTAX, error,
            _ ("%s= has no value; give one or remove the line"), key);
      g_clear_pointer (value, g_free);
      return FALSE;
    }
  return TRUE;
}

static gboolean
has_key (const Parser *self, const char *key)
{
  g_autofree char *value = _cured_header_get (self->header, self->group, key);

  return value != NULL;
}

/* Gives the index of the value among @words, -1 for a missing key. */
static gboolean
get_word (const Parser *self, const char *key, const char *const *words, gboolean required,
          int *index, GError **error)
{
  g_autofree char *value = NULL;
  g_autofree char *list = NULL;

  *index = -1;
  if (!get (self, key, required, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  for (int i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], value))
      {
        *index = i;
        return TRUE;
      }
  list = g_strjoinv (", ", (char **) words);
  return fail (self, key, CURED_ERROR_INVALID, error, _ ("%s=%s is not known; expected one of %s"),
               key, value, list);
}

static gboolean
get_integer (const Parser *self, const char *key, gboolean required, gint64 low, gint64 high,
             gint64 *number, GError **error)
{
  g_autofree char *value = NULL;
  g_autoptr (GError) local = NULL;

  if (!get (self, key, required, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  if (!cured_parse_integer (value, number, &local))
    return fail (self, key, local->code, error, "%s=: %s", key, local->message);
  if (*number < low || *number > high)
    return fail (self, key, CURED_ERROR_INVALID, error,
                 _ ("%s=%s is out of range; expected %" PRId64 " to %" PRId64), key, value, low,
                 high);
  return TRUE;
}

static int
find_tensor_map (const CuredKernel *kernel, const char *name)
{
  for (gsize i = 0; i < kernel->n_tensor_maps; i++)
    if (g_str_equal (kernel->tensor_maps[i].name, name))
      return (int) i;
  return -1;
}

static int
find_buffer (const CuredKernel *kernel, const char *name)
{
  for (gsize i = 0; i < kernel->n_buffers; i++)
    if (g_str_equal (kernel->buffers[i].name, name))
      return (int) i;
  return -1;
}

static const char **
list_buffers (const CuredKernel *kernel)
{
  const char **names = g_new0 (const char *, kernel->n_buffers + 1);

  for (gsize i = 0; i < kernel->n_buffers; i++)
    names[i] = kernel->buffers[i].name;
  return names;
}

typedef struct
{
  const CuredKernel *kernel;
  const char *index;
  char *unknown;
} NameSearch;

static void
check_name_cb (const char *name, gpointer user_data)
{
  NameSearch *search = user_data;
  static const CuredLimits limits;
  gint64 value;
  gsize index;

  if (search->unknown == NULL && g_strcmp0 (name, search->index) != 0 &&
      !cured_kernel_find_parameter (search->kernel, name, &index) &&
      !cured_limits_get (&limits, name, &value))
    search->unknown = g_strdup (name);
}

static gboolean
lookup_nothing_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return FALSE;
}

/* Parses an expression of @key, and refuses names that have no value. */
static CuredExpr *
parse_expr (const Parser *self, const char *key, const char *text, GError **error)
{
  NameSearch search = { self->kernel, self->index, NULL };
  g_autoptr (GError) local = NULL;
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, &local);
  g_autofree char *unknown = NULL;

  if (expr == NULL)
    {
      fail (self, key, local->code, error, "%s=%s: %s", key, text, local->message);
      return NULL;
    }
  cured_expr_foreach_name (expr, check_name_cb, &search);
  unknown = search.unknown;
  if (unknown == NULL)
    return g_steal_pointer (&expr);

  if (find_buffer (self->kernel, unknown) >= 0)
    fail (self, key, CURED_ERROR_INVALID, error,
          _ ("%s=%s: %s is a buffer, and has no value in an expression"), key, text, unknown);
  else
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, TRUE);
      g_autofree char *hint = _cured_suggest (unknown, names);

      fail (self, key, CURED_ERROR_NOT_FOUND, error,
            _ ("%s=%s: no parameter or device limit is called %s%s"), key, text, unknown, hint);
    }
  return NULL;
}

static gboolean
get_expr (const Parser *self, const char *key, gboolean required, CuredExpr **expr, GError **error)
{
  g_autofree char *value = NULL;

  if (!get (self, key, required, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  *expr = parse_expr (self, key, value, error);
  return *expr != NULL;
}

/* Splits at the commas that are outside parentheses; items are stripped. */
static char **
split (const char *text)
{
  GPtrArray *items = g_ptr_array_new ();
  const char *start = text;
  int depth = 0;

  for (const char *at = text;; at++)
    {
      if (*at == '(')
        depth++;
      else if (*at == ')')
        depth--;
      else if (*at == '\0' || (*at == ',' && depth <= 0))
        {
          g_ptr_array_add (items, g_strstrip (g_strndup (start, (gsize) (at - start))));
          start = at + 1;
        }
      if (*at == '\0')
        break;
    }
  g_ptr_array_add (items, NULL);
  return (char **) g_ptr_array_free (items, FALSE);
}

/* Expressions between commas, at most @max; @n is how many there are, 0 for a key that is
 * missing. */
static gboolean
read_exprs (const Parser *self, const char *key, gboolean required, CuredExpr **exprs, guint max,
            guint *n, GError **error)
{
  g_autofree char *value = NULL;
  g_auto (GStrv) items = NULL;

  *n = 0;
  if (!get (self, key, required, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  items = split (value);
  *n = g_strv_length (items);
  if (*n > max)
    return fail (self, key, CURED_ERROR_INVALID, error,
                 _ ("%s=%s has too many dimensions; expected at most %u"), key, value, max);
  for (guint i = 0; items[i] != NULL; i++)
    {
      exprs[i] = parse_expr (self, key, items[i], error);
      if (exprs[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_extent (const Parser *self, const char *key, gboolean is_needed, CuredExpr *extent[3],
             GError **error)
{
  guint n;

  return read_exprs (self, key, is_needed, extent, 3, &n, error);
}

/* Names= gives the values names, in the order of Values=. */
static gboolean
read_names (const Parser *self, CuredParameter *parameter, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) names = NULL;
  CuredAxis *named;

  if (!get (self, "Names", FALSE, &text, error))
    return FALSE;
  if (text == NULL)
    return TRUE;
  if (parameter->values == NULL)
    return fail (self, "Names", CURED_ERROR_INVALID, error,
                 _ ("Names= needs Values=, which it names"));
  names = split (text);
  if (g_strv_length (names) != cured_axis_get_length (parameter->values))
    return fail (self, "Names", CURED_ERROR_INVALID, error,
                 g_dngettext (GETTEXT_PACKAGE, "Names=%s: %u name for %zu values",
                              "Names=%s: %u names for %zu values", g_strv_length (names)),
                 text, g_strv_length (names), cured_axis_get_length (parameter->values));
  if (g_strv_length (names) > MAX_NAMES)
    return fail (self, "Names", CURED_ERROR_INVALID, error,
                 g_dngettext (GETTEXT_PACKAGE, "Names= has %u name; %d are the most",
                              "Names= has %u names; %d are the most", g_strv_length (names)),
                 g_strv_length (names), MAX_NAMES);
  for (guint i = 0; names[i] != NULL; i++)
    if (!cured_axis_is_name (names[i]))
      return fail (
          self, "Names", CURED_ERROR_INVALID, error,
          _ ("Names=: “%s” can't name a value; use letters, digits, _ and -, a letter first"),
          names[i]);
  named = cured_axis_new_named (parameter->values, (const char *const *) names);
  if (named == NULL)
    return fail (self, "Names", CURED_ERROR_INVALID, error, _ ("Names=%s has a name twice"), text);
  cured_axis_unref (parameter->values);
  parameter->values = named;
  return TRUE;
}

static gboolean
read_values (const Parser *self, CuredParameter *parameter, GError **error)
{
  g_autofree char *values = NULL;
  g_autoptr (GError) local = NULL;

  if (!get (self, "Values", FALSE, &values, error))
    return FALSE;
  if (values != NULL)
    {
      parameter->values = cured_axis_parse (values, &local);
      if (parameter->values == NULL)
        return fail (self, "Values", local->code, error, "Values=%s: %s", values, local->message);
    }
  return read_names (self, parameter, error);
}

static gboolean
read_default (const Parser *self, CuredParameter *parameter, GError **error)
{
  g_autofree char *value = NULL;
  g_autofree char *values = NULL;
  g_autoptr (GError) local = NULL;

  if (!get (self, "Default", TRUE, &value, error))
    return FALSE;
  if (!cured_axis_parse_value (parameter->values, value, &parameter->default_value, &local))
    return fail (self, "Default", local->code, error, "Default=: %s", local->message);
  if (parameter->values == NULL ||
      cured_axis_find (parameter->values, parameter->default_value, NULL))
    return TRUE;
  values = cured_axis_to_string (parameter->values);
  return fail (self, "Default", CURED_ERROR_INVALID, error,
               _ ("Default=%" PRId64 " is not among Values=%s"), parameter->default_value, values);
}

static gboolean
read_parameter (const Parser *self, const char *name, GError **error)
{
  CuredKernel *kernel = self->kernel;
  CuredParameter *parameter;
  static const CuredLimits limits;
  gint64 value;
  int kind;

  if (!is_identifier (name))
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("“%s” can't name a parameter; use letters, digits and _"), name);
  if (cured_limits_get (&limits, name, &value) || g_strv_contains (reserved, name))
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("%s means something in expressions already; choose another name"), name);
  if (!get_word (self, "Kind", kinds, TRUE, &kind, error))
    return FALSE;
  if (kernel->is_ptx && kind == CURED_PARAMETER_COMPILE)
    return fail (self, "Kind", CURED_ERROR_INVALID, error,
                 _ ("Kind=compile becomes a macro of CUDA C, and PTX was compiled before; expected "
                    "launch or problem"));
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      const CuredParameter *other = &kernel->parameters[i];

      if (kind == CURED_PARAMETER_COMPILE && other->kind == CURED_PARAMETER_COMPILE &&
          g_ascii_strcasecmp (other->name, name) == 0)
        {
          g_autofree char *macro = g_ascii_strup (name, -1);

          return fail (self, NULL, CURED_ERROR_INVALID, error,
                       _ ("%s and %s would both be the macro %s"), other->name, name, macro);
        }
    }

  parameter = ADD (kernel->parameters, kernel->n_parameters);
  parameter->name = g_strdup (name);
  parameter->kind = (CuredParameterKind) kind;
  return get (self, "Summary", FALSE, &parameter->summary, error) &&
         read_values (self, parameter, error) && read_default (self, parameter, error);
}

static gboolean
refuse_pointers (const Parser *self, const char *type, GError **error)
{
  return fail (self, "Type", CURED_ERROR_INVALID, error,
               _ ("Type=%s has a pointer, which no fill can make; expected fields of numbers. A "
                  "struct with pointers can be an argument by value"),
               type);
}

/* "type:i32,f32": the values 0 and 1 of the parameter pick a type. */
static gboolean
read_types (const Parser *self, CuredBuffer *buffer, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *name = g_strstrip (g_strndup (text, (gsize) (colon - text)));
  g_auto (GStrv) items = split (colon + 1);
  guint n = g_strv_length (items);
  const CuredParameter *parameter;
  gboolean is_covered;
  gsize index;

  if (!cured_kernel_find_parameter (self->kernel, name, &index))
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, FALSE);
      g_autofree char *hint = _cured_suggest (name, names);

      return fail (self, "Type", CURED_ERROR_NOT_FOUND, error,
                   _ ("Type=%s: no parameter is called %s%s"), text, name, hint);
    }
  parameter = &self->kernel->parameters[index];
  is_covered = parameter->values != NULL;
  for (gsize i = 0; is_covered && i < cured_axis_get_length (parameter->values); i++)
    {
      gint64 value = cured_axis_get_value (parameter->values, i);

      is_covered = value >= 0 && value < (gint64) n;
    }
  if (!is_covered)
    return fail (
        self, "Type", CURED_ERROR_INVALID, error,
        _ ("Type=%s: the Values= of %s have to be from 0 to %u, the number of types less one"),
        text, name, n - 1);

  buffer->type_parameter = (int) index;
  buffer->variants = g_new0 (CuredBuffer, n);
  buffer->n_variants = n;
  for (guint i = 0; i < n; i++)
    {
      CuredBuffer *variant = &buffer->variants[i];
      g_autoptr (GError) local = NULL;

      if (!_cured_type_parse (items[i], self->declarations, &variant->type, &variant->record,
                              &local))
        return fail (self, "Type", CURED_ERROR_INVALID, error, "Type=%s: %s", text, local->message);
      if (variant->record != NULL && cured_record_has_pointer (variant->record))
        return refuse_pointers (self, items[i], error);
    }
  buffer->type = buffer->variants[parameter->default_value].type;
  return TRUE;
}

static gboolean
read_type (const Parser *self, CuredBuffer *buffer, GError **error)
{
  g_autofree char *value = NULL;
  g_autoptr (GError) local = NULL;

  if (!get (self, "Type", TRUE, &value, error))
    return FALSE;
  if (strchr (value, ':') != NULL && !g_str_has_prefix (value, "struct:"))
    return read_types (self, buffer, value, error);
  if (!_cured_type_parse (value, self->declarations, &buffer->type, &buffer->record, &local))
    return fail (self, "Type", CURED_ERROR_INVALID, error, "Type=%s: %s", value, local->message);
  if (buffer->record != NULL && cured_record_has_pointer (buffer->record))
    return refuse_pointers (self, value, error);
  return TRUE;
}

static gboolean
has_field (const CuredBuffer *buffer, gboolean integers)
{
  if (buffer->record == NULL)
    return cured_element_is_integer (buffer->type) == integers;
  for (gsize i = 0; i < buffer->record->n_fields; i++)
    if (cured_element_is_integer (buffer->record->fields[i].type) == integers)
      return TRUE;
  return FALSE;
}

/* Whether some type of the buffer has integers, or reals. */
static gboolean
has_type (const CuredBuffer *buffer, gboolean integers)
{
  for (gsize i = 0; i < buffer->n_variants; i++)
    if (has_field (&buffer->variants[i], integers))
      return TRUE;
  return buffer->n_variants == 0 && has_field (buffer, integers);
}

/* What [File NAME] has of the file that a buffer names: it was put there when the kernel file was
 * opened where that lies, or came along with a result. */
static gboolean
read_contents (const Parser *self, CuredBuffer *buffer, GError **error)
{
  g_autofree char *group = g_strconcat (CURED_DATA_FILE, buffer->file, NULL);
  g_autoptr (GBytes) whole = _cured_data_read (self->header, group);
  g_autoptr (GError) local = NULL;

  if (g_bytes_get_size (whole) == 0)
    return fail (self, "File", CURED_ERROR_NOT_FOUND, error,
                 _ ("File=%s is not here: a file beside the kernel file is read when that is "
                    "opened, and this text came without it; open the kernel file where %s lies"),
                 buffer->file, buffer->file);
  if (buffer->n_variants > 0)
    return fail (self, "File", CURED_ERROR_INVALID, error,
                 _ ("File=%s is of one type; expected Type= with one too"), buffer->file);
  buffer->contents = _cured_data_get_elements (whole, buffer, &local);
  if (buffer->contents == NULL)
    return fail (self, "File", CURED_ERROR_INVALID, error, "File=%s: %s", buffer->file,
                 local->message);
  buffer->checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, buffer->contents);
  return TRUE;
}

static gboolean
has_record (const CuredBuffer *buffer)
{
  for (gsize i = 0; i < buffer->n_variants; i++)
    if (buffer->variants[i].record != NULL)
      return TRUE;
  return buffer->record != NULL;
}

/* Value= and File= are each for one fill. */
static gboolean
read_value (const Parser *self, CuredBuffer *buffer, GError **error)
{
  Parser inner = *self;
  g_autofree char *value = NULL;
  gboolean is_expression = buffer->fill == CURED_FILL_EXPRESSION;
  gboolean is_file = buffer->fill == CURED_FILL_FILE;
  const char *stray = NULL;
  gsize index;

  if (!get (self, "Value", is_expression, &value, error) ||
      !get (self, "File", is_file, &buffer->file, error))
    return FALSE;
  if (value != NULL && !is_expression)
    stray = "Value";
  if (buffer->file != NULL && !is_file)
    stray = "File";
  if (stray != NULL)
    return fail (self, stray, CURED_ERROR_INVALID, error, _ ("%s= means nothing to Fill=%s"), stray,
                 fills[buffer->fill]);
  if (is_file)
    return read_contents (self, buffer, error);
  if (!is_expression)
    return TRUE;
  if (cured_kernel_find_parameter (self->kernel, "i", &index))
    return fail (self, "Value", CURED_ERROR_INVALID, error,
                 _ ("Value=: i is the index of an element, and a parameter is called so; give that "
                    "another name"));
  inner.index = "i";
  buffer->value = parse_expr (&inner, "Value", value, error);
  return buffer->value != NULL;
}

/* Most numbers that a file or a command line gives one by one. */
#define MAX_VALUES 4096

/* Reads `Values=25,6,34`. */
static gboolean
read_listed (const Parser *self, CuredBuffer *buffer, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;

  if (!get (self, "Values", TRUE, &text, error))
    return FALSE;
  words = g_strsplit (text, ",", MAX_VALUES + 1);
  buffer->n_values = g_strv_length (words);
  if (buffer->n_values > MAX_VALUES)
    return fail (self, "Values", CURED_ERROR_INVALID, error, _ ("Values= has %d numbers at most"),
                 MAX_VALUES);
  buffer->values = g_new (double, buffer->n_values);
  for (gsize i = 0; i < buffer->n_values; i++)
    {
      const char *word = g_strstrip (words[i]);
      char *end = NULL;
      double value = g_ascii_strtod (word, &end);

      if (end == word || *end != '\0' || !isfinite (value) ||
          (has_type (buffer, TRUE) &&
           (value != floor (value) || value < G_MININT32 || value > G_MAXUINT32)))
        return fail (self, "Values", CURED_ERROR_INVALID, error,
                     _ ("“%s” is no number that buffer %s can have"), word, buffer->name);
      buffer->values[i] = value;
    }
  return TRUE;
}

static gboolean
refuse_values (const Parser *self, int fill, GError **error)
{
  g_autofree char *text = NULL;

  if (!get (self, "Values", FALSE, &text, error))
    return FALSE;
  return text == NULL || fail (self, "Values", CURED_ERROR_INVALID, error,
                               _ ("%s= means nothing to Fill=%s"), "Values", fills[fill]);
}

/* What fills a buffer that has no Fill=, by the key that is for one alone; -1: no key says so. */
static int
get_implied_fill (const Parser *self)
{
  return has_key (self, "File")     ? CURED_FILL_FILE
         : has_key (self, "Value")  ? CURED_FILL_EXPRESSION
         : has_key (self, "Values") ? CURED_FILL_VALUES
                                    : -1;
}

static gboolean
read_fill (const Parser *self, CuredBuffer *buffer, GError **error)
{
  int implied = get_implied_fill (self);
  gboolean takes_low, takes_high, takes_step;
  int fill;

  if (!get_word (self, "Fill", fills, implied < 0, &fill, error))
    return FALSE;
  if (fill < 0)
    fill = implied;
  if (!get_expr (self, "Low", fill == CURED_FILL_CONSTANT, &buffer->low, error) ||
      !get_expr (self, "High", FALSE, &buffer->high, error) ||
      !get_expr (self, "Step", FALSE, &buffer->step, error))
    return FALSE;
  buffer->fill = (CuredFill) fill;
  if (fill == CURED_FILL_VALUES ? !read_listed (self, buffer, error)
                                : !refuse_values (self, fill, error))
    return FALSE;
  if (fill == CURED_FILL_PERMUTATION && (has_type (buffer, FALSE) || has_record (buffer)))
    return fail (self, "Fill", CURED_ERROR_INVALID, error,
                 _ ("Fill=permutation needs a buffer of integers, as i32"));
  if (fill == CURED_FILL_NORMAL && has_type (buffer, TRUE))
    return fail (self, "Fill", CURED_ERROR_INVALID, error,
                 _ ("Fill=normal needs a buffer of reals, as f32"));
  if (buffer->step != NULL && !has_type (buffer, TRUE))
    return fail (self, "Step", CURED_ERROR_INVALID, error,
                 _ ("Step= needs a buffer of integers, as i32"));
  if (!read_value (self, buffer, error))
    return FALSE;
  takes_high = fill == CURED_FILL_RAMP || fill == CURED_FILL_UNIFORM || fill == CURED_FILL_SORTED ||
               fill == CURED_FILL_NORMAL;
  takes_low = takes_high || fill == CURED_FILL_CONSTANT;
  takes_step = fill == CURED_FILL_UNIFORM;
  if ((buffer->low != NULL && !takes_low) || (buffer->high != NULL && !takes_high) ||
      (buffer->step != NULL && !takes_step))
    {
      const char *key = buffer->low != NULL && !takes_low     ? "Low"
                        : buffer->high != NULL && !takes_high ? "High"
                                                              : "Step";

      return fail (self, key, CURED_ERROR_INVALID, error, _ ("%s= means nothing to Fill=%s"), key,
                   fills[fill]);
    }
  return TRUE;
}

/* "mask", "filter::mask". */
static gboolean
is_qualified (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "::", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (!is_identifier (parts[i]))
      return FALSE;
  return parts[0] != NULL;
}

static gboolean
read_array (const Parser *self, const char *name, gboolean is_constant, GError **error)
{
  CuredKernel *kernel = self->kernel;
  CuredBuffer *buffer;
  gsize index;

  if (is_constant ? !is_qualified (name) || strlen (name) > MAX_ENTRY : !is_identifier (name))
    return fail (
        self, NULL, CURED_ERROR_INVALID, error,
        is_constant
            ? _ ("“%s” can't name a variable of the source; expected a name as in mask or ns::mask")
            : _ ("“%s” can't name a buffer; use letters, digits and _"),
        name);
  if (is_constant && find_buffer (kernel, name) >= 0)
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("%s is a buffer already; give that another name"), name);
  if (cured_kernel_find_parameter (kernel, name, &index))
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("%s is a parameter already; choose another name"), name);

  buffer = ADD (kernel->buffers, kernel->n_buffers);
  buffer->name = g_strdup (name);
  buffer->is_constant = is_constant;
  buffer->type_parameter = -1;
  if (!read_type (self, buffer, error) ||
      !get_expr (self, "Length", TRUE, &buffer->length, error) || !read_fill (self, buffer, error))
    return FALSE;
  for (gsize i = 0; i < buffer->n_variants; i++)
    {
      CuredBuffer *variant = &buffer->variants[i];
      CuredElement type = variant->type;
      CuredRecord *record = variant->record;

      *variant = *buffer;
      variant->type = type;
      variant->record = record;
      variant->variants = NULL;
      variant->n_variants = 0;
    }
  if (!is_constant || buffer->fill != CURED_FILL_POISON)
    return TRUE;
  return fail (self, "Fill", CURED_ERROR_INVALID, error,
               _ ("Fill=poison is for what a kernel writes, and constant memory is only read; "
                  "choose another fill"));
}

static gboolean
read_buffer (const Parser *self, const char *name, GError **error)
{
  return read_array (self, name, FALSE, error);
}

static gboolean
read_constant (const Parser *self, const char *name, GError **error)
{
  return read_array (self, name, TRUE, error);
}

/* A kernel finds it by its name in the source. */
static gboolean
refuse_constant (const Parser *self, const char *key, const char *name, GError **error)
{
  return fail (self, key, CURED_ERROR_INVALID, error,
               _ ("%s=: %s is a [Constant], which the source has by its name; expected a buffer"),
               key, name);
}

/* Finds the buffer that @key names. */
static gboolean
parse_buffer (const Parser *self, const char *key, const char *name, int *index, GError **error)
{
  *index = find_buffer (self->kernel, name);
  if (*index < 0)
    {
      g_autofree const char **names = list_buffers (self->kernel);
      g_autofree char *hint = _cured_suggest (name, names);

      return fail (self, key, CURED_ERROR_NOT_FOUND, error, _ ("%s=: there is no [Buffer %s]%s"),
                   key, name, hint);
    }
  return !self->kernel->buffers[*index].is_constant || refuse_constant (self, key, name, error);
}

/* The type of the elements: Type=, or that of the buffer. */
static gboolean
read_tensor_type (const Parser *self, CuredTensorMap *map, GError **error)
{
  const CuredBuffer *buffer = &self->kernel->buffers[map->buffer];
  int type;

  if (!get_word (self, "Type", cured_tensor_type_list (), FALSE, &type, error))
    return FALSE;
  if (type >= 0)
    {
      map->type = (CuredTensorType) type;
      return TRUE;
    }
  if (buffer->n_variants > 0)
    return fail (self, NULL, CURED_ERROR_SYNTAX, error,
                 _ ("[%s] has no Type=, and a parameter picks that of [Buffer %s]"), self->group,
                 buffer->name);
  for (type = 0; cured_tensor_type_list ()[type] != NULL; type++)
    if (buffer->record == NULL &&
        g_str_equal (cured_tensor_type_list ()[type], _cured_element_words[buffer->type]))
      {
        map->type = (CuredTensorType) type;
        return TRUE;
      }
  return fail (self, NULL, CURED_ERROR_SYNTAX, error,
               _ ("[%s] has no Type=, and no tensor map has the elements of [Buffer %s]; say as "
                  "what they are copied, such as Type=u8"),
               self->group, buffer->name);
}

/* As many expressions as there are dimensions, or none. */
static gboolean
read_ranked (const Parser *self, const char *key, gboolean required, guint rank, CuredExpr **exprs,
             GError **error)
{
  guint n;

  if (!read_exprs (self, key, required, exprs, rank, &n, error))
    return FALSE;
  if (n == 0 || n == rank)
    return TRUE;
  return fail (self, key, CURED_ERROR_INVALID, error, _ ("%s= has too few dimensions; expected %u"),
               key, rank);
}

/* What one copy takes: a box of each dimension, or of im2col channels of so many pixels, which walk
 * between two corners. */
static gboolean
read_box (const Parser *self, CuredTensorMap *map, GError **error)
{
  static const char *const keys[] = { "Channels", "Pixels", "LowerCorner", "UpperCorner" };
  guint n_corners = map->rank > 2 ? map->rank - 2 : 0;
  gboolean has_any = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    has_any |= _cured_header_get_line (self->header, self->group, keys[i]) != 0;
  if (!has_any)
    return read_ranked (self, "Box", TRUE, map->rank, map->box, error);
  if (_cured_header_get_line (self->header, self->group, "Box") != 0)
    return fail (self, "Box", CURED_ERROR_INVALID, error,
                 _ ("Box= is what a copy takes of a tiled tensor, and Channels= and Pixels= of "
                    "im2col; leave one of both out"));
  if (n_corners == 0)
    return fail (self, "Dims", CURED_ERROR_INVALID, error,
                 _ ("Dims= has too few dimensions; im2col needs channels, one to three dimensions "
                    "of pixels, and images"));
  map->is_im2col = TRUE;
  return get_expr (self, "Channels", TRUE, &map->box[0], error) &&
         get_expr (self, "Pixels", TRUE, &map->box[1], error) &&
         read_ranked (self, "LowerCorner", FALSE, n_corners, map->lower, error) &&
         read_ranked (self, "UpperCorner", FALSE, n_corners, map->upper, error);
}

static gboolean
read_tensor_map (const Parser *self, const char *name, GError **error)
{
  static const char *const tensor_fills[] = { "zero", "nan", NULL };
  CuredKernel *kernel = self->kernel;
  g_autofree char *buffer = NULL;
  CuredTensorMap *map;
  gsize index;
  int nan;

  if (!is_identifier (name))
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("“%s” can't name a tensor map; use letters, digits and _"), name);
  if (cured_kernel_find_parameter (kernel, name, &index) || find_buffer (kernel, name) >= 0)
    return fail (self, NULL, CURED_ERROR_INVALID, error,
                 _ ("%s is a parameter or a buffer already; choose another name"), name);

  map = ADD (kernel->tensor_maps, kernel->n_tensor_maps);
  map->name = g_strdup (name);
  if (!get (self, "Buffer", TRUE, &buffer, error) ||
      !parse_buffer (self, "Buffer", buffer, &map->buffer, error) ||
      !read_tensor_type (self, map, error) ||
      !read_exprs (self, "Dims", TRUE, map->dims, CURED_TENSOR_RANK, &map->rank, error) ||
      !read_box (self, map, error) ||
      !read_ranked (self, "ElementStrides", FALSE, map->rank, map->steps, error) ||
      !read_ranked (self, "Strides", FALSE, map->rank - 1, map->strides, error) ||
      !get_expr (self, "Swizzle", FALSE, &map->swizzle, error) ||
      !get_expr (self, "Interleave", FALSE, &map->interleave, error) ||
      !get_expr (self, "Promotion", FALSE, &map->promotion, error) ||
      !get_word (self, "Fill", tensor_fills, FALSE, &nan, error))
    return FALSE;
  map->fills_nan = nan == 1;
  return TRUE;
}

/* "in", "in+4": a buffer, and how many elements from its beginning. */
static gboolean
parse_place (const Parser *self, const char *text, CuredArgument *argument, gboolean *is_place,
             GError **error)
{
  gsize length = 0;
  g_autofree char *name = NULL;
  const char *rest;

  while (g_ascii_isalnum (text[length]) || text[length] == '_')
    length++;
  name = g_strndup (text, length);
  rest = text + length + strspn (text + length, " \t");
  argument->buffer = find_buffer (self->kernel, name);
  *is_place = argument->buffer >= 0 && (*rest == '\0' || *rest == '+');
  if (!*is_place)
    {
      argument->buffer = -1;
      return TRUE;
    }
  if (self->kernel->buffers[argument->buffer].is_constant)
    return refuse_constant (self, "Arguments", name, error);
  if (*rest == '\0')
    return TRUE;
  argument->expr = parse_expr (self, "Arguments", rest + 1, error);
  return argument->expr != NULL;
}

static gboolean parse_record (const Parser *self, char *text, CuredArgument *argument,
                              GError **error);

/* "in:texture", "in:texture:normalized": FALSE: it is none, and nothing is set. */
static gboolean
parse_texture (char *text, CuredTextureMode *mode)
{
  char *colon = strstr (text, ":texture");

  if (colon == NULL)
    return FALSE;
  if (g_str_equal (colon, ":texture"))
    *mode = CURED_TEXTURE_ELEMENTS;
  else if (g_str_equal (colon, ":texture:normalized"))
    *mode = CURED_TEXTURE_NORMALIZED;
  else
    return FALSE;
  *colon = '\0';
  g_strchomp (text);
  return TRUE;
}

/* "n", "n:i64", "in+4", "in:texture", "(1,2):f32x2", "(in,n):struct:Params". */
static gboolean
parse_argument (const Parser *self, char *text, CuredArgument *argument, GError **error)
{
  char *colon = strstr (text, ":struct:");
  gboolean is_place;

  argument->type = CURED_ELEMENT_I32;
  argument->buffer = -1;
  argument->tensor_map = find_tensor_map (self->kernel, text);
  if (argument->tensor_map >= 0)
    return TRUE;
  if (*text == '\0')
    return fail (self, "Arguments", CURED_ERROR_SYNTAX, error, _ ("Arguments= has an empty item"));
  if (parse_texture (text, &argument->texture))
    return parse_buffer (self, "Arguments", text, &argument->buffer, error);
  /* "n:i64"; what follows the last colon of "a ? b : c" is not a type. */
  if (colon == NULL)
    colon = strrchr (text, ':');
  if (colon != NULL)
    {
      const char *word = colon + 1 + strspn (colon + 1, " \t");
      g_autoptr (GError) local = NULL;

      if (_cured_type_parse (word, self->declarations, &argument->type, &argument->record, &local))
        {
          *colon = '\0';
          g_strchomp (text);
        }
      else if (g_str_has_prefix (word, "struct:"))
        return fail (self, "Arguments", CURED_ERROR_INVALID, error, "Arguments=%s: %s", text,
                     local->message);
    }
  if (argument->record != NULL)
    return parse_record (self, text, argument, error);
  if (!parse_place (self, text, argument, &is_place, error))
    return FALSE;
  if (is_place)
    return TRUE;
  argument->expr = parse_expr (self, "Arguments", text, error);
  return argument->expr != NULL;
}

/* "(x, y)", one value per field of the record that is there already. */
static gboolean
parse_record (const Parser *self, char *text, CuredArgument *argument, GError **error)
{
  const CuredRecord *record = argument->record;
  gsize length = strlen (text);
  g_auto (GStrv) items = NULL;

  argument->parts = g_new0 (CuredArgument, record->n_fields);
  if (*text == '(' && text[length - 1] == ')')
    {
      text[length - 1] = '\0';
      items = split (text + 1);
    }
  if (items == NULL || g_strv_length (items) != record->n_fields)
    return fail (
        self, "Arguments", CURED_ERROR_INVALID, error,
        _ ("Arguments=: %s needs %zu values in parentheses, one for each field, and “%s” has %u"),
        record->text, record->n_fields, items != NULL ? text + 1 : text,
        items != NULL ? g_strv_length (items) : 0);
  for (gsize i = 0; i < record->n_fields; i++)
    {
      CuredArgument *part = &argument->parts[i];
      gboolean is_place = FALSE;

      part->buffer = part->tensor_map = -1;
      part->type = record->fields[i].type;
      if (record->fields[i].is_pointer && !parse_place (self, items[i], part, &is_place, error))
        return FALSE;
      if (is_place)
        continue;
      part->expr = parse_expr (self, "Arguments", items[i], error);
      if (part->expr == NULL)
        return FALSE;
    }
  return TRUE;
}

/* As split(); what stands in square brackets is not split either. */
static char **
split_arguments (const char *value)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const char *start = value;
  int depth = 0;

  for (const char *at = value;; at++)
    {
      depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
      if (*at != '\0' && (*at != ',' || depth > 0))
        continue;
      g_ptr_array_add (items, g_strstrip (g_strndup (start, (gsize) (at - start))));
      if (*at == '\0')
        break;
      start = at + 1;
    }
  g_ptr_array_add (items, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&items), FALSE);
}

/* One more argument, an integer of 64 bits. */
static gboolean
add_word (const Parser *self, CuredStep *step, const char *text, GError **error)
{
  CuredArgument *argument = ADD (step->arguments, step->n_arguments);

  argument->buffer = argument->tensor_map = -1;
  argument->type = CURED_ELEMENT_I64;
  argument->expr = parse_expr (self, "Arguments", text, error);
  return argument->expr != NULL;
}

/* "x:numba[m,n]", as @text, with @numba at its colon: a buffer as Numba passes an array, element
 * after element in C's order. Its parameters are the array's meminfo and parent, which are of the
 * host; the number of elements; the bytes of one; the data; then the length and the stride, in
 * bytes, of each dimension. */
static gboolean
parse_numba (const Parser *self, char *text, char *numba, CuredStep *step, GError **error)
{
  g_auto (GStrv) shape = NULL;
  g_autoptr (GString) count = g_string_new (NULL);
  g_autofree char *size = NULL;
  char *open = numba + strlen (":numba");
  const CuredBuffer *buffer;
  CuredArgument *argument;
  int index;

  *numba = '\0';
  g_strchomp (text);
  if (!parse_buffer (self, "Arguments", text, &index, error))
    return FALSE;
  buffer = &self->kernel->buffers[index];
  if (*open == '[' && g_str_has_suffix (open, "]") && strlen (open) > 2)
    {
      open[strlen (open) - 1] = '\0';
      shape = g_strsplit (open + 1, ",", -1);
    }
  if (shape == NULL || buffer->n_variants > 0 || buffer->record != NULL)
    return fail (self, "Arguments", CURED_ERROR_SYNTAX, error,
                 shape == NULL ? _ ("Arguments=: after %s:numba, expected the lengths of the "
                                    "array's dimensions in brackets, as in %s:numba[n,n]")
                               : _ ("Arguments=: %s:numba: expected a buffer of one type, not of "
                                    "one that a parameter picks"),
                 text, text);
  for (guint i = 0; shape[i] != NULL; i++)
    g_string_append_printf (count, "%s(%s)", i > 0 ? "*" : "", shape[i]);
  size = g_strdup_printf ("%zu", cured_element_get_size (buffer->type));
  if (!add_word (self, step, "0", error) || !add_word (self, step, "0", error) ||
      !add_word (self, step, count->str, error) || !add_word (self, step, size, error))
    return FALSE;
  argument = ADD (step->arguments, step->n_arguments);
  argument->buffer = index;
  argument->tensor_map = -1;
  for (guint i = 0; shape[i] != NULL; i++)
    if (!add_word (self, step, shape[i], error))
      return FALSE;
  for (guint i = 0; shape[i] != NULL; i++)
    {
      g_autoptr (GString) stride = g_string_new (size);

      for (guint k = i + 1; shape[k] != NULL; k++)
        g_string_append_printf (stride, "*(%s)", shape[k]);
      if (!add_word (self, step, stride->str, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_arguments (const Parser *self, CuredStep *step, GError **error)
{
  g_autofree char *value = NULL;
  g_auto (GStrv) items = NULL;

  if (!get (self, "Arguments", FALSE, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  items = split_arguments (value);
  for (guint i = 0; items[i] != NULL; i++)
    {
      char *numba = strstr (items[i], ":numba");

      if (numba != NULL
              ? !parse_numba (self, items[i], numba, step, error)
              : !parse_argument (self, items[i], ADD (step->arguments, step->n_arguments), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_of_one_type (const CuredKernel *kernel, int a, int b)
{
  g_autofree char *type_a = cured_kernel_describe_type (kernel, (gsize) a);
  g_autofree char *type_b = cured_kernel_describe_type (kernel, (gsize) b);

  return g_str_equal (type_a, type_b);
}

static gboolean
read_swap (const Parser *self, CuredStep *step, GError **error)
{
  g_autofree char *value = NULL;
  g_auto (GStrv) items = NULL;

  if (!get (self, "Swap", FALSE, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  items = split (value);
  if (g_strv_length (items) != 2 || g_str_equal (items[0], items[1]))
    return fail (self, "Swap", CURED_ERROR_INVALID, error,
                 _ ("Swap=%s: expected two different buffers"), value);
  for (int i = 0; i < 2; i++)
    if (!parse_buffer (self, "Swap", items[i], &step->swap[i], error))
      return FALSE;
  if (!is_of_one_type (self->kernel, step->swap[0], step->swap[1]))
    return fail (self, "Swap", CURED_ERROR_INVALID, error,
                 _ ("Swap=%s: the two buffers differ in type"), value);
  if (step->repeat == NULL)
    return fail (self, "Swap", CURED_ERROR_INVALID, error,
                 _ ("Swap= trades buffers between repetitions, and there is no Repeat="));
  return TRUE;
}

/* Refuses the keys of the current group that are in @keys. */
static gboolean
refuse_keys (const Parser *self, const char *const *keys, const char *because, GError **error)
{
  for (; *keys != NULL; keys++)
    {
      g_autofree char *value = _cured_header_get (self->header, self->group, *keys);

      if (value != NULL)
        return fail (self, *keys, CURED_ERROR_INVALID, error,
                     _ ("%s= means nothing in a launch with %s"), *keys, because);
    }
  return TRUE;
}

/* "Host=sum": the buffer From= is copied to the host, which adds it up and writes the sum to To=.
 * The other works are copies one way. */
static gboolean
read_host (const Parser *self, CuredStep *step, GError **error)
{
  static const struct
  {
    CuredHostWork host;
    gboolean is_pageable;
  } ways[] = {
    { CURED_HOST_SUM, FALSE },  { CURED_HOST_FETCH, FALSE }, { CURED_HOST_FETCH, TRUE },
    { CURED_HOST_SEND, FALSE }, { CURED_HOST_SEND, TRUE },
  };
  /* ORDER: of @ways */
  static const char *const words[] = { "sum",  "fetch",         "fetch-pageable",
                                       "send", "send-pageable", NULL };
  static const char *const others[] = { "Entry",       "Grid",   "Block",     "Cluster",
                                        "Cooperative", "Shared", "Arguments", "Index",
                                        "Swap",        "Memset", "Value",     NULL };
  static const char *const not_sums[] = { "Repeat", NULL };
  static const char *const not_fetched[] = { "To", NULL };
  static const char *const not_sent[] = { "From", NULL };
  g_autofree char *from = NULL;
  g_autofree char *to = NULL;
  int way;

  if (!refuse_keys (self, others, "Host=", error) ||
      !get_word (self, "Host", words, TRUE, &way, error))
    return FALSE;
  step->host = ways[way].host;
  step->is_pageable = ways[way].is_pageable;
  if (!refuse_keys (self,
                    step->host == CURED_HOST_SUM     ? not_sums
                    : step->host == CURED_HOST_FETCH ? not_fetched
                                                     : not_sent,
                    step->host == CURED_HOST_SUM     ? "Host=sum"
                    : step->host == CURED_HOST_FETCH ? "Host=fetch"
                                                     : "Host=send",
                    error) ||
      !get_expr (self, "Repeat", FALSE, &step->repeat, error))
    return FALSE;
  if (step->host != CURED_HOST_SEND &&
      (!get (self, "From", TRUE, &from, error) ||
       !parse_buffer (self, "From", from, &step->host_from, error)))
    return FALSE;
  if (step->host != CURED_HOST_FETCH && (!get (self, "To", TRUE, &to, error) ||
                                         !parse_buffer (self, "To", to, &step->host_to, error)))
    return FALSE;
  if (step->host != CURED_HOST_SUM)
    return TRUE;
  if (step->host_from == step->host_to)
    return fail (self, "To", CURED_ERROR_INVALID, error, _ ("From= and To= are both %s"), to);
  if (!is_of_one_type (self->kernel, step->host_from, step->host_to))
    return fail (self, "To", CURED_ERROR_INVALID, error, _ ("From=%s and To=%s differ in type"),
                 from, to);
  return TRUE;
}

static gboolean
read_memset (const Parser *self, CuredStep *step, GError **error)
{
  static const char *const others[] = { "Entry",  "Grid",   "Block", "Cluster", "Cooperative",
                                        "Shared", "Repeat", "Index", "Swap",    "Arguments",
                                        "From",   "To",     NULL };
  g_autofree char *memset = NULL;
  gint64 value = 0;

  if (!refuse_keys (self, others, "Memset=", error) ||
      !get (self, "Memset", TRUE, &memset, error) ||
      !parse_buffer (self, "Memset", memset, &step->memset_buffer, error) ||
      !get_integer (self, "Value", TRUE, 0, 255, &value, error))
    return FALSE;
  step->memset_value = (guint8) value;
  return TRUE;
}

/* A name of C++: `k`, `ns::k` or `ns::k<float, N>`. */
static gboolean
is_entry (const char *text)
{
  const char *angle = strchr (text, '<');
  g_autofree char *name = angle != NULL ? g_strndup (text, (gsize) (angle - text)) : NULL;
  g_auto (GStrv) parts = NULL;
  int depth = 0;

  if (strlen (text) > MAX_ENTRY)
    return FALSE;
  parts = g_strsplit (angle != NULL ? g_strchomp (name) : text, "::", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (!is_identifier (parts[i]))
      return FALSE;
  if (parts[0] == NULL)
    return FALSE;
  for (const char *at = angle; at != NULL && *at != '\0'; at++)
    {
      depth += (*at == '<') - (*at == '>');
      if (depth < 0 || (depth == 0 && at[1] != '\0'))
        return FALSE;
      if (!g_ascii_isalnum (*at) && strchr ("_:<>,*&()+-.'% ", *at) == NULL)
        return FALSE;
    }
  return depth == 0;
}

/* A name that has no meaning yet. */
static gboolean
check_new_name (const Parser *self, const char *key, const char *name, GError **error)
{
  static const CuredLimits limits;
  gint64 value;
  gsize index;

  if (is_identifier (name) && !g_strv_contains (reserved, name) &&
      !cured_limits_get (&limits, name, &value) &&
      !cured_kernel_find_parameter (self->kernel, name, &index) &&
      find_buffer (self->kernel, name) < 0)
    return TRUE;
  return fail (
      self, key, CURED_ERROR_INVALID, error,
      _ ("%s=%s: expected a name of letters, digits and _ that no parameter, buffer or limit has"),
      key, name);
}

/* "Index=i": what the expressions of a launch call its repetition. */
static gboolean
read_index (const Parser *self, CuredStep *step, GError **error)
{
  if (!get (self, "Index", FALSE, &step->index, error))
    return FALSE;
  if (step->index == NULL)
    return TRUE;
  if (step->repeat == NULL)
    return fail (self, "Index", CURED_ERROR_INVALID, error,
                 _ ("Index= counts repetitions, and there is no Repeat="));
  return check_new_name (self, "Index", step->index, error);
}

/* "Setup=once": what prepares the others, and is not timed. */
static gboolean
read_setup (const Parser *self, CuredStep *step, GError **error)
{
  static const char *const setups[] = { "once", "each", NULL };
  const CuredKernel *kernel = self->kernel;
  int setup;

  if (!get_word (self, "Setup", setups, FALSE, &setup, error))
    return FALSE;
  /* ORDER: as in the table of words, after CURED_SETUP_NO. */
  step->setup = (CuredSetup) (setup + 1);
  if (step->setup == CURED_SETUP_NO || kernel->n_steps < 2 ||
      kernel->steps[kernel->n_steps - 2].setup != CURED_SETUP_NO)
    return TRUE;
  return fail (self, "Setup", CURED_ERROR_INVALID, error,
               _ ("Setup=%s comes behind a launch that is timed; put those with Setup= first"),
               setups[setup]);
}

static gboolean
read_launch (const Parser *self, GError **error)
{
  static const char *const others[] = { "Value", "From", "To", NULL };
  static const char *const truths[] = { "false", "true", NULL };
  CuredKernel *kernel = self->kernel;
  CuredStep *step;
  int is_cooperative = 0;
  Parser inner;

  step = ADD (kernel->steps, kernel->n_steps);
  step->swap[0] = step->swap[1] = step->memset_buffer = -1;
  step->host_from = step->host_to = -1;
  if (!read_setup (self, step, error))
    return FALSE;

  if (has_key (self, "Host"))
    return read_host (self, step, error);
  if (has_key (self, "Memset"))
    return read_memset (self, step, error);
  if (!refuse_keys (self, others, "Entry=", error) ||
      !get (self, "Entry", TRUE, &step->entry, error))
    return FALSE;
  if (!is_entry (step->entry))
    return fail (self, "Entry", CURED_ERROR_INVALID, error,
                 _ ("Entry=%s names no kernel; expected a name as in k, ns::k or k<float, 16>"),
                 step->entry);
  if (!get_word (self, "Cooperative", truths, FALSE, &is_cooperative, error) ||
      !get_expr (self, "Repeat", FALSE, &step->repeat, error) || !read_index (self, step, error))
    return FALSE;
  step->is_cooperative = is_cooperative == 1;
  inner = *self;
  inner.index = step->index;
  return read_extent (&inner, "Grid", TRUE, step->grid, error) &&
         read_extent (&inner, "Block", TRUE, step->block, error) &&
         read_extent (&inner, "Cluster", FALSE, step->cluster, error) &&
         get_expr (&inner, "Shared", FALSE, &step->shared, error) &&
         read_arguments (&inner, step, error) && read_swap (&inner, step, error);
}

/* Names a group of which a file may have any number: for people. */
static gboolean
dup_group_name (const Parser *self, const char *text, char **name, GError **error)
{
  *name = g_strstrip (g_strdup (text));
  if (**name != '\0')
    return TRUE;
  return fail (self, NULL, CURED_ERROR_SYNTAX, error, _ ("[%s] has no name"), self->group);
}

static gboolean
read_requirement (const Parser *self, const char *name, GError **error)
{
  CuredKernel *kernel = self->kernel;
  CuredRequirement *requirement;

  requirement = ADD (kernel->requirements, kernel->n_requirements);
  return dup_group_name (self, name, &requirement->name, error) &&
         get_expr (self, "If", TRUE, &requirement->condition, error) &&
         get (self, "Reason", TRUE, &requirement->reason, error);
}

/* The number of a bound: arithmetic, but no names. */
static gboolean
get_bound (const Parser *self, const char *key, double *bound, GError **error)
{
  g_autofree char *value = NULL;
  g_autoptr (CuredExpr) expr = NULL;
  g_autoptr (GError) local = NULL;

  *bound = NAN;
  if (!get (self, key, FALSE, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  expr = cured_expr_parse (value, &local);
  if (expr == NULL || !cured_expr_evaluate_double (expr, lookup_nothing_cb, NULL, bound, &local))
    return fail (self, key, local->code, error, "%s=: %s", key, local->message);
  if (isfinite (*bound))
    return TRUE;
  return fail (self, key, CURED_ERROR_INVALID, error, _ ("%s=%s is not a number"), key, value);
}

static gboolean
parse_point (const Parser *self, const char *key, const char *text, gint64 *values, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (cured_kernel_parse_point (self->kernel, text, values, &local))
    return TRUE;
  return fail (self, key, local->code, error, "%s=%s: %s", key, text, local->message);
}

/* "tile=8", "reduce/two-launch" or "reduce/two-launch block=256,blocks=8". */
static gboolean
read_against (const Parser *self, CuredClaim *claim, GError **error)
{
  const char *rest;
  gsize length;
  gsize n_parameters = self->kernel->n_parameters;

  if (!get (self, "Against", FALSE, &claim->against, error))
    return FALSE;
  if (claim->against == NULL)
    return TRUE;
  rest = claim->against;
  length = strcspn (claim->against, " \t");
  if (memchr (claim->against, '=', length) == NULL)
    {
      g_autofree char *id = g_strndup (claim->against, length);

      rest = claim->against + length;
      rest += strspn (rest, " \t");
      if (!g_str_equal (id, self->kernel->id))
        {
          claim->against_kernel = g_steal_pointer (&id);
          claim->against_point = *rest != '\0' ? g_strdup (rest) : NULL;
          return TRUE;
        }
    }
  claim->against_values = g_memdup2 (claim->at_values, n_parameters * sizeof (gint64));
  return *rest == '\0' || parse_point (self, "Against", rest, claim->against_values, error);
}

static gboolean
read_claim (const Parser *self, const char *name, GError **error)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *metric = NULL;
  CuredClaim *claim;

  claim = ADD (kernel->claims, kernel->n_claims);
  if (!dup_group_name (self, name, &claim->name, error) ||
      !get (self, "Text", TRUE, &claim->text, error) ||
      !get (self, "Metric", TRUE, &metric, error) || !get (self, "At", FALSE, &claim->at, error))
    return FALSE;
  if (!cured_metric_from_id (metric, &claim->metric))
    {
      const char *ids[CURED_N_METRICS + 1] = { NULL };
      g_autofree char *hint = NULL;

      for (int i = 0; i < CURED_N_METRICS; i++)
        ids[i] = cured_metric_info ((CuredMetric) i)->id;
      hint = _cured_suggest (metric, ids);
      return fail (self, "Metric", CURED_ERROR_NOT_FOUND, error, _ ("Metric=%s is not known%s"),
                   metric, hint);
    }
  claim->at_values = g_new (gint64, kernel->n_parameters + 1);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    claim->at_values[i] = kernel->parameters[i].default_value;
  if ((claim->at != NULL && !parse_point (self, "At", claim->at, claim->at_values, error)) ||
      !read_against (self, claim, error) || !get_bound (self, "Low", &claim->low, error) ||
      !get_bound (self, "High", &claim->high, error))
    return FALSE;
  if (isnan (claim->low) && isnan (claim->high))
    return fail (self, NULL, CURED_ERROR_SYNTAX, error, _ ("[%s] has neither Low= nor High="),
                 self->group);
  if (claim->low > claim->high)
    return fail (self, "Low", CURED_ERROR_INVALID, error, _ ("Low= is above High="));
  return TRUE;
}

/* The value of Defect=: words of the table of findings, separated by commas. */
static gboolean
read_defects (const Parser *self, GError **error)
{
  const char *words[CURED_N_FINDINGS + 1] = { NULL };
  g_auto (GStrv) items = split (self->kernel->defect);

  for (int k = 0; k < CURED_N_FINDINGS; k++)
    words[k] = cured_finding_info ((CuredFindingKind) k)->defect;
  for (guint i = 0; items[i] != NULL; i++)
    {
      int k = 0;

      while (k < CURED_N_FINDINGS && !g_str_equal (words[k], items[i]))
        k++;
      if (k == CURED_N_FINDINGS)
        {
          g_autofree char *list = g_strjoinv (", ", (char **) words);

          return fail (self, "Defect", CURED_ERROR_INVALID, error,
                       _ ("Defect=: “%s” is not known; expected some of %s, separated by commas"),
                       items[i], list);
        }
      self->kernel->defects |= 1u << k;
    }
  return TRUE;
}

/* "90a": a chip's own instructions. */
static gboolean
read_arch (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;
  gsize digits;

  if (!get (self, "Arch", FALSE, &kernel->arch, error))
    return FALSE;
  if (kernel->arch == NULL)
    return TRUE;
  if (kernel->is_ptx)
    return fail (self, "Arch", CURED_ERROR_INVALID, error,
                 _ ("Arch= is for NVRTC, and PTX names its chip itself; leave it out"));
  digits = strspn (kernel->arch, "0123456789");
  if (digits >= 2 && digits <= 3 && g_str_equal (kernel->arch + digits, "a"))
    return TRUE;
  return fail (self, "Arch", CURED_ERROR_INVALID, error,
               _ ("Arch=%s is not known; expected a compute capability with an a, as in 90a"),
               kernel->arch);
}

/* "Include=util,../common": where that leads is looked at when it is read. Of PTX: where the files
 * lie that its lines come from. */
static gboolean
read_includes (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *value = NULL;

  if (!get (self, "Include", FALSE, &value, error))
    return FALSE;
  kernel->includes = value != NULL ? split (value) : g_new0 (char *, 1);
  for (char **folder = kernel->includes; *folder != NULL; folder++)
    if (**folder == '\0' || g_path_is_absolute (*folder))
      return fail (self, "Include", CURED_ERROR_INVALID, error,
                   _ ("Include=%s: expected folders below the kernel file's, separated by commas; "
                      "others are named with --option=-IFOLDER"),
                   value);
  return TRUE;
}

/* The files that the text carries, for what includes them. */
static gboolean
read_carried (Parser *self, GError **error)
{
  const char *const *groups = _cured_header_get_groups (self->header);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) texts = g_strv_builder_new ();
  guint n = 0;

  for (; *groups != NULL; groups++)
    {
      const char *name = *groups + strlen (CURED_DATA_INCLUDE);
      g_autoptr (GBytes) bytes = NULL;
      g_autofree char *text = NULL;
      g_auto (GStrv) parts = NULL;
      gsize size;

      if (!g_str_has_prefix (*groups, CURED_DATA_INCLUDE))
        continue;
      self->group = *groups;
      parts = g_strsplit (name, "/", -1);
      if (*name == '\0' || g_path_is_absolute (name) ||
          g_strv_contains ((const char *const *) parts, ".."))
        return fail (
            self, NULL, CURED_ERROR_INVALID, error,
            _ ("“%s” can't name an included file; expected a path below the kernel file's folder"),
            name);
      bytes = _cured_data_read (self->header, *groups);
      size = g_bytes_get_size (bytes);
      text = size > 0 ? g_strndup (g_bytes_get_data (bytes, NULL), size) : g_strdup ("");
      if (strlen (text) != size || !g_utf8_validate (text, -1, NULL))
        return fail (self, NULL, CURED_ERROR_INVALID, error, _ ("[%s] is not UTF-8 text"), *groups);
      if (++n > CURED_DATA_MAX_FILES)
        return fail (self, NULL, CURED_ERROR_INVALID, error,
                     _ ("a text carries at most %d included files"), CURED_DATA_MAX_FILES);
      g_strv_builder_add (names, name);
      g_strv_builder_add (texts, text);
    }
  if (n > 0)
    self->kernel->carried = _cured_sources_new_take (g_strdup (""), g_strv_builder_end (names),
                                                     g_strv_builder_end (texts));
  return TRUE;
}

static gboolean
read_kernel (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *options = NULL;
  g_autofree char *source = NULL;
  char **words = NULL;
  g_autoptr (GError) local = NULL;
  gint64 rung = 0;
  int ceiling;

  if (!get (self, "Title", TRUE, &kernel->title, error) ||
      !get (self, "Summary", FALSE, &kernel->summary, error) ||
      !get (self, "Family", FALSE, &kernel->family, error) ||
      !get_integer (self, "Step", FALSE, 1, 999, &rung, error) ||
      !get_expr (self, "Flops", FALSE, &kernel->flops, error) ||
      !get_expr (self, "Bytes", FALSE, &kernel->bytes, error) ||
      !get_word (self, "Ceiling", ceilings, FALSE, &ceiling, error) ||
      !get (self, "Defect", FALSE, &kernel->defect, error) ||
      !get (self, "Options", FALSE, &options, error) || !read_includes (self, error) ||
      !read_arch (self, error) || !get (self, "Source", FALSE, &source, error))
    return FALSE;
  if (source != NULL && !kernel->is_ptx)
    return fail (self, "Source", CURED_ERROR_INVALID, error,
                 _ ("Source= is for a header in a file of its own, whose name ends in .kernel; "
                    "this one stands in the code"));
  if (kernel->defect != NULL && !read_defects (self, error))
    return FALSE;
  kernel->rung = (int) rung;
  /* ORDER: as in the table of words, after CURED_CEILING_NONE. */
  kernel->ceiling = (CuredCeiling) (ceiling + 1);

  if ((kernel->ceiling == CURED_CEILING_READ || kernel->ceiling == CURED_CEILING_COPY) &&
      kernel->bytes == NULL)
    return fail (self, "Ceiling", CURED_ERROR_INVALID, error, _ ("Ceiling=%s needs Bytes="),
                 ceilings[ceiling]);
  if (kernel->ceiling == CURED_CEILING_FP32 && kernel->flops == NULL)
    return fail (self, "Ceiling", CURED_ERROR_INVALID, error, _ ("Ceiling=fp32 needs Flops="));
  if (options != NULL && !g_shell_parse_argv (options, NULL, &words, &local))
    return fail (self, "Options", CURED_ERROR_SYNTAX, error, "Options=%s: %s", options,
                 local->message);
  kernel->options = (const char *const *) (words != NULL ? words : g_new0 (char *, 1));
  if (kernel->is_ptx && kernel->options[0] != NULL)
    return fail (self, "Options", CURED_ERROR_INVALID, error,
                 _ ("Options= is for NVRTC, and PTX was compiled before; leave it out"));
  if (!cured_compile_options_check (kernel->options, &local))
    return fail (self, "Options", CURED_ERROR_INVALID, error, "%s", local->message);
  return TRUE;
}

/* Whether the reference knows such elements, as an output or an input of it. */
static gboolean
takes (const char *name, const CuredBuffer *buffer)
{
  static const char *const of_any_type[] = { "copy", "reverse", "transpose", NULL };
  gboolean is_scalar = buffer->record == NULL;

  if (g_strv_contains (of_any_type, name) || (is_scalar && g_str_equal (name, "vector-add")) ||
      (is_scalar && g_str_equal (name, "matmul") &&
       (buffer->type == CURED_ELEMENT_F16 || buffer->type == CURED_ELEMENT_BF16)))
    return TRUE;
  return is_scalar && (buffer->type == CURED_ELEMENT_I32 || buffer->type == CURED_ELEMENT_U32 ||
                       buffer->type == CURED_ELEMENT_F32 || buffer->type == CURED_ELEMENT_F64);
}

/* A reference in C knows some types alone, in the output and in what it finds by name. */
static gboolean
check_reference_types (const Parser *self, GError **error)
{
  static const char *const inputs[] = { "in", "a", "b", NULL };
  const CuredKernel *kernel = self->kernel;

  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      const CuredBuffer *buffer = &kernel->buffers[i];

      if ((int) i != kernel->output && !g_strv_contains (inputs, buffer->name))
        continue;
      for (gsize k = 0; k < MAX (buffer->n_variants, 1); k++)
        {
          const CuredBuffer *variant = buffer->n_variants > 0 ? &buffer->variants[k] : buffer;

          if (!takes (kernel->reference, variant))
            return fail (self, "Reference", CURED_ERROR_INVALID, error,
                         _ ("Reference=%s does not know %s, of which [Buffer %s] is; write the "
                            "reference as another kernel, Reference=./plain.cu"),
                         kernel->reference, cured_buffer_get_type_name (variant), buffer->name);
        }
    }
  return TRUE;
}

static gboolean
read_check (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *output = NULL;
  const char *name;

  if (!get (self, "Output", TRUE, &output, error) ||
      !parse_buffer (self, "Output", output, &kernel->output, error) ||
      !get (self, "Reference", TRUE, &kernel->reference, error) ||
      !get_expr (self, "Tolerance", FALSE, &kernel->tolerance, error) ||
      !get_expr (self, "Relative", FALSE, &kernel->relative, error))
    return FALSE;

  name = kernel->reference;
  if (g_strv_contains (references, name))
    return check_reference_types (self, error);
  if (!g_str_has_prefix (name, "kernel:") && !cured_kernel_is_file_name (name))
    {
      g_autofree char *list = g_strjoinv (", ", (char **) references);

      return fail (self, "Reference", CURED_ERROR_NOT_FOUND, error,
                   _ ("Reference=%s is not known; expected one of %s, kernel:ID or a path that "
                      "ends in .cu or .ptx"),
                   name, list);
    }
  return TRUE;
}

static gboolean
read_cycles (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *buffer = NULL;

  if (!get (self, "Buffer", TRUE, &buffer, error) ||
      !parse_buffer (self, "Buffer", buffer, &kernel->cycles, error) ||
      !get_expr (self, "Per", FALSE, &kernel->cycles_per, error))
    return FALSE;
  if (kernel->buffers[kernel->cycles].fill != CURED_FILL_POISON)
    return fail (
        self, "Buffer", CURED_ERROR_INVALID, error,
        _ ("[Buffer %s] needs Fill=poison, which tells the elements that the kernel did not write"),
        buffer);
  return TRUE;
}

static gboolean
read_sweep_axis (const Parser *self, const char *key, char **to, GError **error)
{
  gsize index;

  if (!get (self, key, FALSE, to, error))
    return FALSE;
  if (*to == NULL)
    return TRUE;
  if (!cured_kernel_find_parameter (self->kernel, *to, &index))
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, FALSE);
      g_autofree char *hint = _cured_suggest (*to, names);

      return fail (self, key, CURED_ERROR_NOT_FOUND, error,
                   _ ("%s=%s: no parameter is called so%s"), key, *to, hint);
    }
  if (self->kernel->sweep[index] == NULL)
    return fail (self, key, CURED_ERROR_INVALID, error, _ ("%s=%s: [Sweep] gives %s no values"),
                 key, *to, *to);
  return TRUE;
}

static gboolean
read_sweep (const Parser *self, GError **error)
{
  CuredKernel *kernel = self->kernel;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      const CuredParameter *parameter = &kernel->parameters[i];
      g_autofree char *text = NULL;
      g_autoptr (GError) local = NULL;

      if (!get (self, parameter->name, FALSE, &text, error))
        return FALSE;
      if (text == NULL)
        continue;
      kernel->sweep[i] = cured_axis_parse_named (text, parameter->values, &local);
      if (kernel->sweep[i] == NULL)
        return fail (self, parameter->name, local->code, error, "%s=%s: %s", parameter->name, text,
                     local->message);
      for (gsize j = 0; parameter->values != NULL && j < cured_axis_get_length (kernel->sweep[i]);
           j++)
        {
          gint64 value = cured_axis_get_value (kernel->sweep[i], j);

          if (!cured_axis_find (parameter->values, value, NULL))
            return fail (self, parameter->name, CURED_ERROR_INVALID, error,
                         _ ("%s=%s: %" PRId64 " is not among the parameter's Values="),
                         parameter->name, text, value);
        }
    }
  if (!read_sweep_axis (self, "X", &kernel->sweep_x, error) ||
      !read_sweep_axis (self, "Y", &kernel->sweep_y, error))
    return FALSE;
  if (kernel->sweep_x != NULL && g_strcmp0 (kernel->sweep_x, kernel->sweep_y) == 0)
    return fail (self, "Y", CURED_ERROR_INVALID, error, _ ("X= and Y= are both %s"),
                 kernel->sweep_x);
  return TRUE;
}

/* Tells a group's form: an index of forms[], or -1. @name is what follows. */
static int
find_form (const char *group, const char **name)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      gboolean named = g_str_has_suffix (forms[i].group, " ");
      gboolean matches =
          named ? g_str_has_prefix (group, forms[i].group) : g_str_equal (group, forms[i].group);

      *name = named ? group + strlen (forms[i].group) : NULL;
      if (matches)
        return (int) i;
      if (g_str_equal (forms[i].group, "Launch") && g_str_has_prefix (group, "Launch "))
        {
          *name = group + strlen ("Launch ");
          return (int) i;
        }
    }
  return -1;
}

/* Refuses groups and keys that no form has. [Sweep] has the parameters' names, so it is looked at
 * after they are known. */
static gboolean
check_names (Parser *self, gboolean sweep, GError **error)
{
  const char *const *groups = _cured_header_get_groups (self->header);

  for (; *groups != NULL; groups++)
    {
      g_auto (GStrv) keys = _cured_header_get_keys (self->header, *groups);
      const char *name;
      int form = find_form (*groups, &name);

      if (g_str_equal (*groups, "Sweep") != sweep)
        continue;
      self->group = *groups;
      if (form < 0)
        {
          static const char *const known[] = { "Kernel",        "Parameter NAME", "Buffer NAME",
                                               "Constant NAME", "TensorMap NAME", "Launch",
                                               "Require NAME",  "Check",          "Cycles",
                                               "Sweep",         "Claim NAME",     NULL };
          g_autofree char *list = g_strjoinv ("], [", (char **) known);

          return fail (self, NULL, CURED_ERROR_SYNTAX, error,
                       _ ("[%s] is not known; expected one of [%s]"), *groups, list);
        }
      for (guint i = 0; keys[i] != NULL; i++)
        {
          g_autofree const char **names = NULL;
          g_autofree char *hint = NULL;
          const char *const *known = forms[form].keys;
          gsize index;

          if (g_strv_contains (known, keys[i]) ||
              ((g_str_equal (forms[form].group, CURED_DATA_FILE) ||
                g_str_equal (forms[form].group, CURED_DATA_INCLUDE)) &&
               g_ascii_isdigit (keys[i][0])))
            continue;
          if (sweep)
            {
              if (cured_kernel_find_parameter (self->kernel, keys[i], &index))
                continue;
              names = _cured_kernel_list_names (self->kernel, FALSE);
              known = (const char *const *) names;
            }
          hint = _cured_suggest (keys[i], known);
          return fail (self, keys[i], CURED_ERROR_SYNTAX, error, _ ("[%s] knows no %s=%s"), *groups,
                       keys[i], hint);
        }
    }
  return TRUE;
}

/* Reads all groups of one form, in the order of the file. */
static gboolean
read_named (Parser *self, const char *form,
            gboolean (*read) (const Parser *, const char *, GError **), GError **error)
{
  const char *const *groups = _cured_header_get_groups (self->header);

  for (; *groups != NULL; groups++)
    if (g_str_has_prefix (*groups, form))
      {
        self->group = *groups;
        if (!read (self, *groups + strlen (form), error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
read_launches (Parser *self, GError **error)
{
  const char *const *groups = _cured_header_get_groups (self->header);
  guint n = 0;
  gboolean single = FALSE;
  gboolean has_entry = FALSE;
  gboolean has_timed = FALSE;

  for (; *groups != NULL; groups++)
    {
      const char *name;
      g_autofree char *expected = g_strdup_printf ("Launch %u", n + 1);
      int form = find_form (*groups, &name);

      if (!g_str_equal (forms[form].group, "Launch"))
        continue;
      self->group = *groups;
      if (single || (name == NULL && n > 0))
        return fail (self, NULL, CURED_ERROR_SYNTAX, error,
                     _ ("several launches are called [Launch 1], [Launch 2] …"));
      if (name != NULL && !g_str_equal (*groups, expected))
        return fail (self, NULL, CURED_ERROR_SYNTAX, error,
                     _ ("[%s] is out of order; expected [%s]"), *groups, expected);
      single = name == NULL;
      n++;
      if (!read_launch (self, error))
        return FALSE;
    }
  for (gsize i = 0; i < self->kernel->n_steps; i++)
    {
      const CuredStep *step = &self->kernel->steps[i];

      has_entry |= step->entry != NULL;
      has_timed |=
          step->setup == CURED_SETUP_NO && (step->entry != NULL || step->host != CURED_HOST_NONE);
    }
  if (has_entry && has_timed)
    return TRUE;
  return _cured_header_fail (self->header, NULL, NULL, CURED_ERROR_SYNTAX, error,
                             has_entry
                                 ? _ ("all launches have Setup=, and none is left to be timed")
                                 : _ ("there is no [Launch] with an Entry="));
}

/* Reads a group that stands at most once. */
static gboolean
read_single (Parser *self, const char *group, gboolean required,
             gboolean (*read) (const Parser *, GError **), GError **error)
{
  if (!g_strv_contains (_cured_header_get_groups (self->header), group))
    {
      if (required)
        _cured_header_fail (self->header, NULL, NULL, CURED_ERROR_SYNTAX, error,
                            _ ("there is no [%s]"), group);
      return !required;
    }
  self->group = group;
  return read (self, error);
}

/* (transfer full): the source, and where it names a struct, what it includes of its own: types may
 * be declared there. */
static char *
collect_declarations (const CuredKernel *kernel)
{
  GString *all = g_string_new (NULL);

  if (strstr (kernel->text, "struct:") != NULL && !kernel->is_ptx)
    {
      const CuredSources *known[] = { kernel->carried, kernel->sources };
      g_autofree char *context = kernel->path != NULL && kernel->sources == NULL
                                     ? _cured_kernel_read_context (kernel->path, kernel->source)
                                     : NULL;

      for (const char *const *word = kernel->options; *word != NULL; word++)
        if (g_str_has_prefix (*word, "-D"))
          g_string_append_printf (all, "#define %.*s\n", (int) strcspn (*word + 2, "="), *word + 2);
      for (gsize k = 0; k < G_N_ELEMENTS (known); k++)
        for (gsize i = 0; known[k] != NULL && i < known[k]->n; i++)
          g_string_append_printf (all, "%s\n", known[k]->texts[i]);
      if (context != NULL)
        g_string_append (all, context);
    }
  g_string_append (all, kernel->source);
  return g_string_free (all, FALSE);
}

/* Expressions may name parameters that come later in the file, so the groups are read by kind. */
static gboolean
read_header (Parser *self, GError **error)
{
  g_autofree char *declarations = NULL;

  if (!check_names (self, FALSE, error) ||
      !read_named (self, "Parameter ", read_parameter, error) || !check_names (self, TRUE, error))
    return FALSE;
  self->kernel->sweep = g_new0 (CuredAxis *, self->kernel->n_parameters);
  if (!read_single (self, "Kernel", TRUE, read_kernel, error) || !read_carried (self, error))
    return FALSE;
  self->declarations = declarations = collect_declarations (self->kernel);
  return read_named (self, "Buffer ", read_buffer, error) &&
         read_named (self, "Constant ", read_constant, error) &&
         read_named (self, "TensorMap ", read_tensor_map, error) && read_launches (self, error) &&
         read_named (self, "Require ", read_requirement, error) &&
         read_single (self, "Check", FALSE, read_check, error) &&
         read_single (self, "Cycles", FALSE, read_cycles, error) &&
         read_single (self, "Sweep", FALSE, read_sweep, error) &&
         read_named (self, "Claim ", read_claim, error);
}

/* @is_alone: Like= is refused. @side: (transfer full) (nullable): the header, where that was read
 * from a file of its own. @sources: (nullable): what it includes, where that came along with it */
static CuredKernel *
read_kernel_file (const char *text, const char *id, const char *path, gboolean is_alone,
                  CuredHeader *side, CuredSources *sources, GError **error)
{
  g_autoptr (CuredKernel) self = NULL;
  g_autoptr (CuredHeader) header = side;
  gboolean is_ptx = _cured_text_is_ptx (text);
  gboolean has_side = side != NULL;
  g_autofree char *file = NULL;
  g_autofree char *source = NULL;
  const char *bad;

  file = path != NULL ? g_strdup (path) : g_strconcat (id, is_ptx ? ".ptx" : ".cu", NULL);
  if (!g_utf8_validate (text, -1, &bad))
    {
      guint line = 1;

      for (const char *at = text; at < bad; at++)
        line += *at == '\n';
      cured_set_error_at (error, CURED_ERROR_SYNTAX, file, line, 0,
                          _ ("the text is not UTF-8; save the file as UTF-8"));
      return NULL;
    }
  if (header == NULL)
    header = _cured_header_new (text, file, error);
  if (header == NULL)
    return NULL;
  if (_cured_header_get_line (header, "Kernel", "Like") != 0)
    {
      Parser parser = { .header = header, .group = "Kernel" };
      g_autofree char *like = NULL;

      if (!get (&parser, "Like", TRUE, &like, error))
        return NULL;
      if (is_alone)
        {
          fail (&parser, "Like", CURED_ERROR_INVALID, error,
                _ ("what another kernel is like has no Like= of its own; let both name %s"), like);
          return NULL;
        }
      source = _cured_kernel_expand (text, path, &header, file, error);
      if (source == NULL)
        return NULL;
    }

  if (!has_side &&
      !_cured_data_embed (source != NULL ? source : text, path, &header, file, &source, error))
    return NULL;

  self = g_atomic_rc_box_new0 (CuredKernel);
  self->id = g_strdup (id);
  self->path = g_strdup (path);
  self->text = g_strdup (text);
  self->source = source != NULL ? g_steal_pointer (&source) : g_strdup (text);
  self->is_ptx = is_ptx;
  self->sources = sources != NULL ? cured_sources_ref (sources) : NULL;
  self->output = -1;
  self->cycles = -1;
  if (!read_header (&(Parser){ .header = header, .kernel = self }, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* A kernel that another one is like, which has no Like= of its own. */
CuredKernel *
_cured_kernel_new_alone (const char *text, const char *id, const char *path, GError **error)
{
  return read_kernel_file (text, id, path, TRUE, NULL, NULL, error);
}

static void
fail_size (const char *name, gint64 n_bytes, int most, GError **error)
{
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               _ ("%s: %" PRId64 " bytes are too many for a kernel file; at most %d are read"),
               name, n_bytes, most);
}

/**
 * cured_kernel_new_from_text:
 * @text: a kernel file's whole text
 * @id: the kernel's id, as `reduce/two-launch`
 * @path: (nullable): where the text comes from; NULL for a kernel of the
 *   catalogue or of a result file. Relative references start in its folder.
 * @error: (nullable): CURED_ERROR_SYNTAX, CURED_ERROR_INVALID,
 *   CURED_ERROR_OVERFLOW or CURED_ERROR_NOT_FOUND; the message starts with
 *   file and line
 *
 * Returns: (transfer full): the kernel
 */
CuredKernel *
cured_kernel_new_from_text (const char *text, const char *id, const char *path, GError **error)
{
  gsize length;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (id != NULL, NULL);

  length = strlen (text);
  if (length > MAX_TEXT_BYTES)
    {
      fail_size (id, (gint64) length, MAX_TEXT_BYTES, error);
      return NULL;
    }
  return read_kernel_file (text, id, path, FALSE, NULL, NULL, error);
}

/* Like cured_kernel_new_from_text() for a kernel that what it includes came along with. */
CuredKernel *
_cured_kernel_new_from_sources (const char *text, const char *id, const char *path,
                                CuredSources *sources, GError **error)
{
  return read_kernel_file (text, id, path, FALSE, NULL, sources, error);
}

/* (transfer full): what is in a file that may be a kernel. */
char *
_cured_kernel_load_text (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  const char *nul;
  gsize length;
  GStatBuf info;

  /* A folder, a FIFO or a huge file is not worth an attempt to read it. */
  if (g_stat (path, &info) == 0)
    {
      if (!S_ISREG (info.st_mode))
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       _ ("%s: not a regular file; expected a kernel file"), path);
          return NULL;
        }
      if (info.st_size > MAX_FILE_BYTES)
        {
          fail_size (path, info.st_size, MAX_FILE_BYTES, error);
          return NULL;
        }
    }
  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  nul = memchr (text, '\0', length);
  if (nul != NULL && g_str_has_prefix (text, "SQLite format 3"))
    {
      g_autofree char *name = g_filename_display_name (path);

      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("%s is a result file, and a kernel is wanted: name its kernel; “cured show "
                      "%s” says which"),
                   name, name);
      return NULL;
    }
  if (nul != NULL)
    {
      guint line = 1;

      for (const char *at = text; at < nul; at++)
        line += *at == '\n';
      cured_set_error_at (error, CURED_ERROR_SYNTAX, path, line, 0,
                          _ ("a NUL byte; expected a text file"));
      return NULL;
    }
  return g_steal_pointer (&text);
}

/**
 * cured_kernel_new_from_file:
 * @path: a kernel file
 * @error: (nullable): as of cured_kernel_new_from_text(), or a #GFileError
 *
 * Blocks on the file. The id is the file's name without `.cu` or `.ptx`. A `.ptx` without a header
 * has it in a file of that name and `.kernel`; a file whose name ends in `.kernel` may name the PTX
 * by `Source=`.
 *
 * Returns: (transfer full): the kernel
 */
CuredKernel *
cured_kernel_new_from_file (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *id = NULL;
  g_autofree char *code_path = NULL;
  CuredHeader *header = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  text = _cured_kernel_load_pair (path, &code_path, &header, error);
  if (text == NULL)
    return NULL;
  id = _cured_kernel_make_id (path);
  return read_kernel_file (text, id, code_path, FALSE, header, NULL, error);
}

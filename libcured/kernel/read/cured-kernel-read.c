/* SPDX-License-Identifier: MIT
 * Reads a kernel file: interprets each group and key of its header. */
#include "kernel/read/cured-data-private.h"
#include "kernel/read/cured-read-private.h"
#include "kernel/read/cured-reader-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-reference-table-private.h"
#include "kernel/cured-sources-internal.h"
#include "ptx/cured-finding.h"

/* Names are for values that a person can tell apart. */
#define MAX_NAMES 256

/* Names that have a meaning in an expression or an argument. */
#define fail(self, key, code, ...) reader_fail (self, key, CURED_ERROR_##code, __VA_ARGS__)

/* The name of a group that may occur several times, for messages. */
static char *
dup_group_name (CuredReader *self)
{
  char *name = g_strstrip (g_strdup (self->name));

  if (*name == '\0')
    fail (self, NULL, SYNTAX, _ ("[%s] has no name"), self->group);
  return name;
}

/* ---- [Parameter NAME] ---- */

/* Names= gives the values names, in the order of Values=. */
static void
read_names (CuredReader *self, CuredParameter *parameter)
{
  g_autofree char *text = _cured_reader_get (self, "Names", FALSE);

  if (text == NULL)
    return;
  g_auto (GStrv) names = _cured_reader_split (text);
  guint n = g_strv_length (names);
  if (parameter->values == NULL)
    fail (self, "Names", INVALID, _ ("Names= needs Values=, which it names"));
  else if (n != cured_axis_get_length (parameter->values))
    fail (self, "Names", INVALID,
          g_dngettext (GETTEXT_PACKAGE, "Names=%s: %u name for %zu values",
                       "Names=%s: %u names for %zu values", n),
          text, n, cured_axis_get_length (parameter->values));
  else if (n > MAX_NAMES)
    fail (self, "Names", INVALID,
          g_dngettext (GETTEXT_PACKAGE, "Names= has %u name; %d are the most",
                       "Names= has %u names; %d are the most", n),
          n, MAX_NAMES);
  for (guint i = 0; i < n && self->error == NULL; i++)
    if (!cured_axis_is_name (names[i]))
      fail (self, "Names", INVALID,
            _ ("Names=: “%s” can't name a value; use letters, digits, _ and -, a letter first"),
            names[i]);
  if (self->error != NULL)
    return;
  CuredAxis *named = cured_axis_new_named (parameter->values, (const char *const *) names);
  if (named == NULL)
    {
      fail (self, "Names", INVALID, _ ("Names=%s has a name twice"), text);
      return;
    }
  cured_axis_unref (parameter->values);
  parameter->values = named;
}

static void
read_default (CuredReader *self, CuredParameter *parameter)
{
  g_autofree char *value = _cured_reader_get (self, "Default", TRUE);
  g_autoptr (GError) local = NULL;

  if (value == NULL)
    return;
  if (!cured_axis_parse_value (parameter->values, value, &parameter->default_value, &local))
    {
      reader_fail (self, "Default", local->code, "Default=: %s", local->message);
      return;
    }
  if (parameter->values == NULL ||
      cured_axis_find (parameter->values, parameter->default_value, NULL))
    return;
  g_autofree char *values = cured_axis_to_string (parameter->values);
  fail (self, "Default", INVALID, _ ("Default=%" PRId64 " is not among Values=%s"),
        parameter->default_value, values);
}

/* Whether a name has a meaning in headers and their expressions, so that no parameter can have it;
 * names of limits count, too. */
gboolean
_cured_kernel_is_reserved (const char *name)
{
  static const char *const reserved[] = { "abs",  "ceil", "floor", "log2",   "max", "min", "pow2",
                                          "sqrt", "i32",  "u32",   "f32",    "f64", "i64", "X",
                                          "Y",    "i8",   "u8",    "i16",    "u16", "u64", "f16",
                                          "bf16", "e4m3", "e5m2",  "struct", NULL };

  return g_strv_contains (reserved, name);
}

static gpointer
begin_parameter (CuredReader *self)
{
  static const CuredLimits limits;
  CuredKernel *kernel = self->kernel;
  gint64 value;

  if (!_cured_reader_is_identifier (self->name))
    fail (self, NULL, INVALID, _ ("“%s” can't name a parameter; use letters, digits and _"),
          self->name);
  else if (cured_limits_get (&limits, self->name, &value) || _cured_kernel_is_reserved (self->name))
    fail (self, NULL, INVALID, _ ("%s means something in expressions already; choose another name"),
          self->name);
  CuredParameter *parameter = READER_ADD (kernel->parameters, kernel->n_parameters);
  parameter->name = g_strdup (self->name);
  return parameter;
}

static void
end_parameter (CuredReader *self, gpointer record)
{
  CuredParameter *parameter = record;
  const CuredKernel *kernel = self->kernel;
  gboolean is_macro = parameter->kind == CURED_PARAMETER_COMPILE;
  g_autoptr (GError) local = NULL;

  if (kernel->is_ptx && is_macro)
    fail (self, "Kind", INVALID,
          _ ("Kind=compile becomes a macro of CUDA C, and PTX was compiled before; expected launch "
             "or problem"));
  for (gsize i = 0; i + 1 < kernel->n_parameters && is_macro; i++)
    {
      const CuredParameter *other = &kernel->parameters[i];
      g_autofree char *macro = g_ascii_strup (parameter->name, -1);

      if (other->kind == CURED_PARAMETER_COMPILE &&
          g_ascii_strcasecmp (other->name, parameter->name) == 0)
        fail (self, NULL, INVALID, _ ("%s and %s would both be the macro %s"), other->name,
              parameter->name, macro);
    }
  g_autofree char *values = _cured_reader_get (self, "Values", FALSE);
  if (values != NULL && (parameter->values = cured_axis_parse (values, &local)) == NULL)
    reader_fail (self, "Values", local->code, "Values=%s: %s", values, local->message);
  read_names (self, parameter);
  read_default (self, parameter);
  parameter->is_guess = _cured_reader_is_guess (self, "Default");
}

/* ---- [Launch] ---- */

/* Kinds of steps, as bits in the rows of keys. */
enum
{
  ENTRY = 1,
  SUM = 2,
  FETCH = 4,
  SEND = 8,
  MEMSET = 16,
  HOST = SUM | FETCH | SEND,
};

/* "Host=sum": the buffer From= is copied to the host, which adds it up and writes the sum to To=.
 * The others copy in one direction. */
static const struct
{
  const char *word;
  guint variant;
  CuredHostWork host;
  gboolean is_pageable;
} works[] = {
  { "sum", SUM, CURED_HOST_SUM, FALSE },
  { "fetch", FETCH, CURED_HOST_FETCH, FALSE },
  { "fetch-pageable", FETCH, CURED_HOST_FETCH, TRUE },
  { "send", SEND, CURED_HOST_SEND, FALSE },
  { "send-pageable", SEND, CURED_HOST_SEND, TRUE },
};

static gboolean
is_of_one_type (const CuredKernel *kernel, int a, int b)
{
  g_autofree char *type_a = cured_kernel_describe_type (kernel, (gsize) a);
  g_autofree char *type_b = cured_kernel_describe_type (kernel, (gsize) b);

  return g_str_equal (type_a, type_b);
}

static void
read_swap (CuredReader *self, CuredStep *step)
{
  g_autofree char *value = _cured_reader_get (self, "Swap", FALSE);

  if (value == NULL)
    return;
  g_auto (GStrv) items = _cured_reader_split (value);
  if (g_strv_length (items) != 2 || g_str_equal (items[0], items[1]))
    {
      fail (self, "Swap", INVALID, _ ("Swap=%s: expected two different buffers"), value);
      return;
    }
  for (int i = 0; i < 2 && self->error == NULL; i++)
    step->swap[i] = _cured_reader_find_buffer (self, "Swap", items[i]);
  if (self->error != NULL)
    return;
  if (!is_of_one_type (self->kernel, step->swap[0], step->swap[1]))
    fail (self, "Swap", INVALID, _ ("Swap=%s: the two buffers differ in type"), value);
  else if (step->repeat == NULL)
    fail (self, "Swap", INVALID,
          _ ("Swap= trades buffers between repetitions, and there is no Repeat="));
}

/* A name of C++, `k`, `ns::k` or `ns::k<float, N>`, or of PTX, which may have $ and %. */
static gboolean
is_entry (const char *text)
{
  const char *angle = strchr (text, '<');
  g_autofree char *name = g_strndup (text, angle != NULL ? (gsize) (angle - text) : strlen (text));
  int depth = 0;

  if (strlen (text) > MAX_ENTRY ||
      !_cured_reader_is_qualified (g_strchomp (g_strdelimit (name, "$%", '_'))))
    return FALSE;
  for (const char *at = angle; at != NULL && *at != '\0'; at++)
    {
      depth += (*at == '<') - (*at == '>');
      if (depth < 0 || (depth == 0 && at[1] != '\0') ||
          (!g_ascii_isalnum (*at) && strchr ("_:<>,*&()+-.'% ", *at) == NULL))
        return FALSE;
    }
  return depth == 0;
}

/* "Index=i": the name of the repetition in a launch's expressions. */
static void
check_index (CuredReader *self, const CuredStep *step)
{
  static const CuredLimits limits;
  const char *name = step->index;
  gint64 value;
  gsize index;

  if (step->repeat == NULL)
    fail (self, "Index", INVALID, _ ("Index= counts repetitions, and there is no Repeat="));
  else if (!_cured_reader_is_identifier (name) || _cured_kernel_is_reserved (name) ||
           cured_limits_get (&limits, name, &value) ||
           cured_kernel_find_parameter (self->kernel, name, &index) ||
           _cured_reader_has_buffer (self->kernel, name))
    fail (self, "Index", INVALID,
          _ ("%s=%s: expected a name of letters, digits and _ that no parameter, buffer or limit "
             "has"),
          "Index", name);
}

static const char *const setups[] = { "once", "each", NULL };
static const char *const truths[] = { "false", "true", NULL };

#define STEP(member) G_STRUCT_OFFSET (CuredStep, member)

/* clang-format off */
/* ORDER: keys that name the launch, then those that expressions depend on, then the expressions. */
static const CuredReaderField launch_fields[] = {
  { "Setup", CURED_READ_WORD, STEP (setup), .least = CURED_SETUP_ONCE, .words = setups },
  { "Host", CURED_READ_OTHER, .taken = HOST },
  { "Memset", CURED_READ_BUFFER, STEP (memset_buffer), .taken = MEMSET, .needed = MEMSET },
  { "Value", CURED_READ_INTEGER, STEP (memset_value), .taken = MEMSET, .needed = MEMSET, .most = 255 },
  { "From", CURED_READ_BUFFER, STEP (host_from), .taken = SUM | FETCH, .needed = SUM | FETCH },
  { "To", CURED_READ_BUFFER, STEP (host_to), .taken = SUM | SEND, .needed = SUM | SEND },
  { "Entry", CURED_READ_TEXT, STEP (entry), .taken = ENTRY, .needed = ENTRY },
  { "Cooperative", CURED_READ_WORD, STEP (is_cooperative), .taken = ENTRY, .words = truths },
  { "Repeat", CURED_READ_EXPR, STEP (repeat), .taken = ENTRY | FETCH | SEND },
  { "Index", CURED_READ_TEXT, STEP (index), .taken = ENTRY },
  { NULL },
};
static const CuredReaderField extent_fields[] = {
  { "Grid", CURED_READ_EXPRS, STEP (grid), .taken = ENTRY, .needed = ENTRY, .most = 3 },
  { "Block", CURED_READ_EXPRS, STEP (block), .taken = ENTRY, .needed = ENTRY, .most = 3 },
  { "Cluster", CURED_READ_EXPRS, STEP (cluster), .taken = ENTRY, .most = 3 },
  { "Shared", CURED_READ_EXPR, STEP (shared), .taken = ENTRY },
  { "Arguments", CURED_READ_OTHER, .taken = ENTRY },
  { "Swap", CURED_READ_OTHER, .taken = ENTRY },
  { NULL },
};
/* clang-format on */

/* The kind of the launch; keys of other kinds are refused. */
static guint
find_variant (CuredReader *self, CuredStep *step)
{
  const CuredReaderField *tables[] = { launch_fields, extent_fields };
  const char *because = "Entry=";
  guint variant = ENTRY;
  g_autofree char *because_host = NULL;

  if (_cured_reader_has (self, "Host"))
    {
      const char *words[G_N_ELEMENTS (works) + 1] = { NULL };
      g_autofree char *value = _cured_reader_get (self, "Host", TRUE);

      for (gsize i = 0; i < G_N_ELEMENTS (works); i++)
        words[i] = works[i].word;
      int work = value != NULL ? _cured_reader_find_word (self, "Host", value, words) : -1;
      if (work < 0)
        return 0;
      step->host = works[work].host;
      step->is_pageable = works[work].is_pageable;
      variant = works[work].variant;
    }
  else if (_cured_reader_has (self, "Memset"))
    {
      variant = MEMSET;
      because = "Memset=";
    }
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const CuredReaderField *field = tables[t]; field->key != NULL; field++)
      {
        if (field->taken == 0 || (field->taken & variant) != 0 ||
            !_cured_reader_has (self, field->key))
          continue;
        if ((variant & HOST) != 0)
          because = (field->taken & HOST) == 0 ? "Host="
                    : variant == SUM           ? "Host=sum"
                    : variant == FETCH         ? "Host=fetch"
                                               : "Host=send";
        fail (self, field->key, INVALID, _ ("%s= means nothing in a launch with %s"), field->key,
              because);
        return 0;
      }
  return variant;
}

static gpointer
begin_launch (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *expected = g_strdup_printf ("Launch %zu", kernel->n_steps + 1);
  gboolean is_numbered = self->name != NULL;

  if (kernel->n_steps > 0 && (!is_numbered || self->is_single_launch))
    fail (self, NULL, SYNTAX, _ ("several launches are called [Launch 1], [Launch 2] …"));
  else if (is_numbered && !g_str_equal (self->group, expected))
    fail (self, NULL, SYNTAX, _ ("[%s] is out of order; expected [%s]"), self->group, expected);
  self->is_single_launch = !is_numbered;
  CuredStep *step = READER_ADD (kernel->steps, kernel->n_steps);
  step->swap[0] = step->swap[1] = step->memset_buffer = step->host_from = step->host_to = -1;
  return step;
}

static void
end_launch (CuredReader *self, gpointer record)
{
  const CuredKernel *kernel = self->kernel;
  CuredStep *step = record;
  guint variant = self->error == NULL ? find_variant (self, step) : 0;

  _cured_reader_read (self, launch_fields, step, variant);
  if (self->error == NULL && step->setup != CURED_SETUP_NO && kernel->n_steps > 1 &&
      step[-1].setup == CURED_SETUP_NO)
    fail (self, "Setup", INVALID,
          _ ("Setup=%s comes behind a launch that is timed; put those with Setup= first"),
          setups[step->setup - CURED_SETUP_ONCE]);
  if (self->error == NULL && step->entry != NULL && !is_entry (step->entry))
    fail (self, "Entry", INVALID,
          _ ("Entry=%s names no kernel; expected a name as in k, ns::k or k<float, 16>"),
          step->entry);
  if (self->error == NULL && step->index != NULL)
    check_index (self, step);
  if (self->error == NULL && variant == SUM)
    {
      const CuredBuffer *from = &kernel->buffers[step->host_from];
      const CuredBuffer *to = &kernel->buffers[step->host_to];

      if (from == to)
        fail (self, "To", INVALID, _ ("From= and To= are both %s"), to->name);
      else if (!is_of_one_type (kernel, step->host_from, step->host_to))
        fail (self, "To", INVALID, _ ("From=%s and To=%s differ in type"), from->name, to->name);
    }
  if (self->error != NULL || variant != ENTRY)
    return;
  self->index = step->index;
  _cured_reader_read (self, extent_fields, step, variant);
  _cured_reader_get_arguments (self, step);
  read_swap (self, step);
  self->index = NULL;
}

static void
finish_launches (CuredReader *self)
{
  gboolean has_entry = FALSE, has_timed = FALSE;

  for (gsize i = 0; i < self->kernel->n_steps; i++)
    {
      const CuredStep *step = &self->kernel->steps[i];

      has_entry |= step->entry != NULL;
      has_timed |=
          step->setup == CURED_SETUP_NO && (step->entry != NULL || step->host != CURED_HOST_NONE);
    }
  self->group = NULL;
  if (!has_entry || !has_timed)
    fail (self, NULL, SYNTAX,
          has_entry ? _ ("all launches have Setup=, and none is left to be timed")
                    : _ ("there is no [Launch] with an Entry="));
}

/* ---- [Require NAME], [Claim NAME] ---- */

static gpointer
begin_requirement (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  CuredRequirement *requirement = READER_ADD (kernel->requirements, kernel->n_requirements);

  requirement->name = dup_group_name (self);
  return requirement;
}

static void
parse_point (CuredReader *self, const char *key, const char *text, gint64 *values)
{
  g_autoptr (GError) local = NULL;

  if (!cured_kernel_parse_point (self->kernel, text, values, &local))
    reader_fail (self, key, local->code, "%s=%s: %s", key, text, local->message);
}

/* "tile=8", "reduce/two-launch" or "reduce/two-launch block=256,blocks=8". */
static void
read_against (CuredReader *self, CuredClaim *claim)
{
  const char *rest = claim->against;
  gsize length = strcspn (claim->against, " \t");

  if (memchr (claim->against, '=', length) == NULL)
    {
      g_autofree char *id = g_strndup (claim->against, length);

      rest += length + strspn (claim->against + length, " \t");
      if (!g_str_equal (id, self->kernel->id))
        {
          claim->against_kernel = g_steal_pointer (&id);
          claim->against_point = *rest != '\0' ? g_strdup (rest) : NULL;
          return;
        }
    }
  claim->against_values =
      g_memdup2 (claim->at_values, self->kernel->n_parameters * sizeof (gint64));
  if (*rest != '\0')
    parse_point (self, "Against", rest, claim->against_values);
}

static gpointer
begin_claim (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  CuredClaim *claim = READER_ADD (kernel->claims, kernel->n_claims);

  claim->name = dup_group_name (self);
  return claim;
}

static void
end_claim (CuredReader *self, gpointer record)
{
  CuredKernel *kernel = self->kernel;
  CuredClaim *claim = record;
  g_autofree char *metric = _cured_reader_get (self, "Metric", TRUE);

  if (metric == NULL)
    return;
  if (!cured_metric_from_id (metric, &claim->metric))
    {
      const char *ids[CURED_N_METRICS + 1] = { NULL };

      for (int i = 0; i < CURED_N_METRICS; i++)
        ids[i] = cured_metric_info ((CuredMetric) i)->id;
      g_autofree char *hint = _cured_suggest (metric, ids);
      fail (self, "Metric", NOT_FOUND, _ ("Metric=%s is not known%s"), metric, hint);
    }
  claim->at_values = g_new (gint64, kernel->n_parameters + 1);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    claim->at_values[i] = kernel->parameters[i].default_value;
  if (claim->at != NULL)
    parse_point (self, "At", claim->at, claim->at_values);
  if (claim->against != NULL)
    read_against (self, claim);
  if (isnan (claim->low) && isnan (claim->high))
    fail (self, NULL, SYNTAX, _ ("[%s] has neither Low= nor High="), self->group);
  if (claim->low > claim->high)
    fail (self, "Low", INVALID, _ ("Low= is above High="));
}

/* ---- [Kernel], [Include FILE] ---- */

/* The value of Defect=: words of the table of findings, separated by commas. */
static void
read_defects (CuredReader *self)
{
  const char *words[CURED_N_FINDINGS + 1] = { NULL };
  g_auto (GStrv) items = _cured_reader_split (self->kernel->defect);

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

          fail (self, "Defect", INVALID,
                _ ("Defect=: “%s” is not known; expected some of %s, separated by commas"),
                items[i], list);
          return;
        }
      self->kernel->defects |= 1u << k;
    }
}

/* "90a": instructions that only one chip has. */
static void
check_arch (CuredReader *self)
{
  const char *arch = self->kernel->arch;
  gsize digits = strspn (arch, "0123456789");

  if (self->kernel->is_ptx)
    fail (self, "Arch", INVALID,
          _ ("Arch= is for NVRTC, and PTX names its chip itself; leave it out"));
  else if (digits < 2 || digits > 3 || !g_str_equal (arch + digits, "a"))
    fail (self, "Arch", INVALID,
          _ ("Arch=%s is not known; expected a compute capability with an a, as in 90a"), arch);
}

/* "Include=util,../common": paths are checked when files are read. For PTX: the folders of its
 * source files. */
static void
read_includes (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *value = _cured_reader_get (self, "Include", FALSE);

  kernel->includes = value != NULL ? _cured_reader_split (value) : g_new0 (char *, 1);
  for (char **folder = kernel->includes; *folder != NULL; folder++)
    if (**folder == '\0' || g_path_is_absolute (*folder))
      fail (self, "Include", INVALID,
            _ ("Include=%s: expected folders below the kernel file's, separated by commas; others "
               "are named with --option=-IFOLDER"),
            value);
}

static void
read_options (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  g_autofree char *options = _cured_reader_get (self, "Options", FALSE);
  g_autoptr (GError) local = NULL;
  char **words = NULL;

  if (options != NULL && !g_shell_parse_argv (options, NULL, &words, &local))
    fail (self, "Options", SYNTAX, "Options=%s: %s", options, local->message);
  kernel->options = (const char *const *) (words != NULL ? words : g_new0 (char *, 1));
  if (kernel->is_ptx && kernel->options[0] != NULL)
    fail (self, "Options", INVALID,
          _ ("Options= is for NVRTC, and PTX was compiled before; leave it out"));
  else if (local == NULL && !cured_compile_options_check (kernel->options, &local))
    fail (self, "Options", INVALID, "%s", local->message);
}

static const char *const ceilings[] = { "read", "copy", "fp32", NULL };

static void
end_kernel (CuredReader *self, gpointer record)
{
  CuredKernel *kernel = record;

  kernel->sweep = g_new0 (CuredAxis *, kernel->n_parameters);
  if (!kernel->is_ptx && _cured_reader_has (self, "Source"))
    fail (self, "Source", INVALID,
          _ ("Source= is for a header in a file of its own, whose name ends in .kernel; this one "
             "stands in the code"));
  if (kernel->defect != NULL)
    read_defects (self);
  if (kernel->arch != NULL)
    check_arch (self);
  if ((kernel->ceiling == CURED_CEILING_READ || kernel->ceiling == CURED_CEILING_COPY) &&
      kernel->bytes == NULL)
    fail (self, "Ceiling", INVALID, _ ("Ceiling=%s needs Bytes="),
          ceilings[kernel->ceiling - CURED_CEILING_READ]);
  if (kernel->ceiling == CURED_CEILING_FP32 && kernel->flops == NULL)
    fail (self, "Ceiling", INVALID, _ ("Ceiling=fp32 needs Flops="));
  read_includes (self);
  read_options (self);
}

static void
finish_kernel (CuredReader *self)
{
  self->group = NULL;
  if (self->kernel->includes == NULL)
    fail (self, NULL, SYNTAX, _ ("there is no [%s]"), "Kernel");
}

/* A file that the text carries, for an #include. */
static void
end_include (CuredReader *self, gpointer record)
{
  const char *name = self->name;
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  if (*name == '\0' || g_path_is_absolute (name) ||
      g_strv_contains ((const char *const *) parts, ".."))
    {
      fail (self, NULL, INVALID,
            _ ("“%s” can't name an included file; expected a path below the kernel file's folder"),
            name);
      return;
    }
  g_autoptr (GBytes) bytes = _cured_data_read (self->header, self->group);
  gsize size = g_bytes_get_size (bytes);
  g_autofree char *text =
      size > 0 ? g_strndup (g_bytes_get_data (bytes, NULL), size) : g_strdup ("");
  if (strlen (text) != size || !g_utf8_validate (text, -1, NULL))
    fail (self, NULL, INVALID, _ ("[%s] is not UTF-8 text"), self->group);
  else if (self->carried->len / 2 >= CURED_DATA_MAX_FILES)
    fail (self, NULL, INVALID, _ ("a text carries at most %d included files"),
          CURED_DATA_MAX_FILES);
  g_ptr_array_add (self->carried, g_strdup (name));
  g_ptr_array_add (self->carried, g_steal_pointer (&text));
}

static void
finish_includes (CuredReader *self)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new (), texts = g_strv_builder_new ();

  for (guint i = 0; i < self->carried->len; i++)
    g_strv_builder_add (i % 2 == 0 ? names : texts, self->carried->pdata[i]);
  if (self->carried->len > 0)
    self->kernel->carried = _cured_sources_new_take (g_strdup (""), g_strv_builder_end (names),
                                                     g_strv_builder_end (texts));
}

/* ---- [Check], [Cycles], [Sweep] ---- */

#define NAME(name, function, summary) name,
static const char *const references[] = { CURED_REFERENCES (NAME) NULL };
#undef NAME

/* Whether the reference supports the buffer's elements, as its output or input. */
static gboolean
takes (const char *name, const CuredBuffer *buffer)
{
  static const char *const of_any_type[] = { "copy", "reverse", "transpose", NULL };
  gboolean is_scalar = buffer->record == NULL;

  return g_strv_contains (of_any_type, name) || (is_scalar && g_str_equal (name, "vector-add")) ||
         (is_scalar && g_str_equal (name, "matmul") &&
          (buffer->type == CURED_ELEMENT_F16 || buffer->type == CURED_ELEMENT_BF16)) ||
         (is_scalar && (buffer->type == CURED_ELEMENT_I32 || buffer->type == CURED_ELEMENT_U32 ||
                        buffer->type == CURED_ELEMENT_F32 || buffer->type == CURED_ELEMENT_F64));
}

/* A reference in C supports only some types, for the output and for inputs found by name. */
static void
check_reference_types (CuredReader *self)
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
            fail (self, "Reference", INVALID,
                  _ ("Reference=%s does not know %s, of which [Buffer %s] is; write the reference "
                     "as another kernel, Reference=./plain.cu"),
                  kernel->reference, cured_buffer_get_type_name (variant), buffer->name);
        }
    }
}

static void
end_check (CuredReader *self, gpointer record)
{
  const char *name = self->kernel->reference;

  if (self->error != NULL)
    return;
  if (g_strv_contains (references, name))
    check_reference_types (self);
  else if (!g_str_has_prefix (name, "kernel:") && !cured_kernel_is_file_name (name))
    {
      g_autofree char *list = g_strjoinv (", ", (char **) references);

      fail (
          self, "Reference", NOT_FOUND,
          _ ("Reference=%s is not known; expected one of %s, kernel:ID or a path that ends in .cu "
             "or .ptx"),
          name, list);
    }
}

static void
end_cycles (CuredReader *self, gpointer record)
{
  const CuredBuffer *buffer =
      self->error == NULL ? &self->kernel->buffers[self->kernel->cycles] : NULL;

  if (buffer != NULL && buffer->fill != CURED_FILL_POISON)
    fail (self, "Buffer", INVALID,
          _ ("[Buffer %s] needs Fill=poison, which tells the elements that the kernel did not "
             "write"),
          buffer->name);
}

static void
check_sweep_axis (CuredReader *self, const char *key, const char *name)
{
  gsize index;

  if (name == NULL)
    return;
  if (!cured_kernel_find_parameter (self->kernel, name, &index))
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, FALSE);
      g_autofree char *hint = _cured_suggest (name, names);

      fail (self, key, NOT_FOUND, _ ("%s=%s: no parameter is called so%s"), key, name, hint);
    }
  else if (self->kernel->sweep[index] == NULL)
    fail (self, key, INVALID, _ ("%s=%s: [Sweep] gives %s no values"), key, name, name);
}

static void
end_sweep (CuredReader *self, gpointer record)
{
  CuredKernel *kernel = record;

  for (gsize i = 0; i < kernel->n_parameters && self->error == NULL; i++)
    {
      const CuredParameter *parameter = &kernel->parameters[i];
      g_autofree char *text = _cured_reader_get (self, parameter->name, FALSE);
      g_autoptr (GError) local = NULL;

      if (text == NULL)
        continue;
      kernel->sweep[i] = cured_axis_parse_named (text, parameter->values, &local);
      if (kernel->sweep[i] == NULL)
        {
          reader_fail (self, parameter->name, local->code, "%s=%s: %s", parameter->name, text,
                       local->message);
          return;
        }
      for (gsize j = 0; parameter->values != NULL && j < cured_axis_get_length (kernel->sweep[i]);
           j++)
        if (!cured_axis_find (parameter->values, cured_axis_get_value (kernel->sweep[i], j), NULL))
          {
            fail (self, parameter->name, INVALID,
                  _ ("%s=%s: %" PRId64 " is not among the parameter's Values="), parameter->name,
                  text, cured_axis_get_value (kernel->sweep[i], j));
            return;
          }
    }
  check_sweep_axis (self, "X", kernel->sweep_x);
  check_sweep_axis (self, "Y", kernel->sweep_y);
  if (kernel->sweep_x != NULL && g_strcmp0 (kernel->sweep_x, kernel->sweep_y) == 0)
    fail (self, "Y", INVALID, _ ("X= and Y= are both %s"), kernel->sweep_x);
}

/* ---- The groups ---- */

static gpointer
begin_single (CuredReader *self)
{
  return self->kernel;
}

#define ROW(key, kind, type, member, ...)                                                          \
  {                                                                                                \
    key, CURED_READ_##kind, G_STRUCT_OFFSET (type, member), __VA_ARGS__                            \
  }
#define OTHER(key)                                                                                 \
  {                                                                                                \
    key, CURED_READ_OTHER                                                                          \
  }

/* clang-format off */
static const char *const kinds[] = { "compile", "launch", "problem", NULL };
static const char *const roles[] = { "step", "detour", NULL };
static const char *const tensor_fills[] = { "zero", "nan", NULL };

static const CuredReaderField parameter_fields[] = {
  ROW ("Kind", WORD, CuredParameter, kind, .needed = 1, .words = kinds),
  ROW ("Summary", TEXT, CuredParameter, summary),
  OTHER ("Values"), OTHER ("Names"), OTHER ("Default"), { NULL },
};
static const CuredReaderField kernel_fields[] = {
  ROW ("Title", TEXT, CuredKernel, title, .needed = 1),
  ROW ("Summary", TEXT, CuredKernel, summary),
  ROW ("Family", TEXT, CuredKernel, family),
  ROW ("Step", INTEGER, CuredKernel, rung, .least = 1, .most = 999),
  ROW ("Role", WORD, CuredKernel, is_detour, .words = roles),
  ROW ("Flops", EXPR, CuredKernel, flops),
  ROW ("Bytes", EXPR, CuredKernel, bytes),
  ROW ("Elements", EXPR, CuredKernel, elements),
  ROW ("Ceiling", WORD, CuredKernel, ceiling, .least = CURED_CEILING_READ, .words = ceilings),
  ROW ("Defect", TEXT, CuredKernel, defect),
  ROW ("Arch", TEXT, CuredKernel, arch),
  OTHER ("Like"), OTHER ("Source"), OTHER ("Options"), OTHER ("Include"), { NULL },
};
static const CuredReaderField include_fields[] = { OTHER ("Bytes"), OTHER ("1"), { NULL } };
static const CuredReaderField file_fields[] = {
  OTHER ("Bytes"), OTHER (CURED_DATA_DIGEST), OTHER ("1"), { NULL },
};
static const CuredReaderField buffer_fields[] = {
  ROW ("Length", EXPR, CuredBuffer, length, .needed = 1),
  ROW ("Low", EXPR, CuredBuffer, low),
  ROW ("High", EXPR, CuredBuffer, high),
  ROW ("Step", EXPR, CuredBuffer, step),
  ROW ("File", TEXT, CuredBuffer, file),
  OTHER ("Type"), OTHER ("Fill"), OTHER ("Value"), OTHER ("Values"), { NULL },
};
static const CuredReaderField tensor_map_fields[] = {
  ROW ("Buffer", BUFFER, CuredTensorMap, buffer, .needed = 1),
  ROW ("Swizzle", EXPR, CuredTensorMap, swizzle),
  ROW ("Interleave", EXPR, CuredTensorMap, interleave),
  ROW ("Promotion", EXPR, CuredTensorMap, promotion),
  ROW ("Fill", WORD, CuredTensorMap, fills_nan, .words = tensor_fills),
  OTHER ("Type"), OTHER ("Dims"), OTHER ("Strides"), OTHER ("Box"), OTHER ("Channels"), OTHER ("Pixels"),
  OTHER ("LowerCorner"), OTHER ("UpperCorner"), OTHER ("ElementStrides"), { NULL },
};
static const CuredReaderField requirement_fields[] = {
  ROW ("If", EXPR, CuredRequirement, condition, .needed = 1),
  ROW ("Reason", TEXT, CuredRequirement, reason, .needed = 1),
  { NULL },
};
static const CuredReaderField check_fields[] = {
  ROW ("Output", BUFFER, CuredKernel, output, .needed = 1),
  ROW ("Reference", TEXT, CuredKernel, reference, .needed = 1),
  ROW ("Tolerance", EXPR, CuredKernel, tolerance),
  ROW ("Relative", EXPR, CuredKernel, relative),
  { NULL },
};
static const CuredReaderField cycles_fields[] = {
  ROW ("Buffer", BUFFER, CuredKernel, cycles, .needed = 1),
  ROW ("Per", EXPR, CuredKernel, cycles_per),
  { NULL },
};
static const CuredReaderField sweep_fields[] = {
  ROW ("X", TEXT, CuredKernel, sweep_x),
  ROW ("Y", TEXT, CuredKernel, sweep_y),
  { NULL },
};
static const CuredReaderField claim_fields[] = {
  ROW ("Text", TEXT, CuredClaim, text, .needed = 1),
  ROW ("Question", TEXT, CuredClaim, question),
  ROW ("At", TEXT, CuredClaim, at),
  ROW ("Against", TEXT, CuredClaim, against),
  ROW ("Low", BOUND, CuredClaim, low),
  ROW ("High", BOUND, CuredClaim, high),
  OTHER ("Metric"), { NULL },
};

/* @group: a name follows a trailing space, as in [Buffer a]. @finish: called after all
 * groups. */
static const struct
{
  const char *group;
  const CuredReaderField *fields;
  gpointer (*begin) (CuredReader *self);
  void (*end) (CuredReader *self, gpointer record);
  void (*finish) (CuredReader *self);
} forms[] = {
  { "Parameter ", parameter_fields, begin_parameter, end_parameter, NULL },
  { "Kernel", kernel_fields, begin_single, end_kernel, finish_kernel },
  { CURED_DATA_INCLUDE, include_fields, begin_single, end_include, finish_includes },
  { CURED_DATA_FILE, file_fields, begin_single, NULL, NULL },
  { "Buffer ", buffer_fields, _cured_reader_begin_buffer, _cured_reader_end_buffer, NULL },
  { "Constant ", buffer_fields, _cured_reader_begin_buffer, _cured_reader_end_buffer, NULL },
  { "TensorMap ", tensor_map_fields, _cured_reader_begin_tensor_map, _cured_reader_end_tensor_map, NULL },
  { "Launch", NULL, begin_launch, end_launch, finish_launches },
  { "Require ", requirement_fields, begin_requirement, NULL, NULL },
  { "Check", check_fields, begin_single, end_check, NULL },
  { "Cycles", cycles_fields, begin_single, end_cycles, NULL },
  { "Sweep", sweep_fields, begin_single, end_sweep, NULL },
  { "Claim ", claim_fields, begin_claim, end_claim, NULL },
};
/* clang-format on */

#undef ROW
#undef OTHER

/* Finds a group's form: an index of forms[], or -1. @name is the rest, if any. */
static int
find_form (const char *group, const char **name)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      gsize length = strlen (forms[i].group);
      gboolean is_named = g_str_has_suffix (forms[i].group, " ");

      if (strncmp (group, forms[i].group, length) != 0)
        continue;
      *name = is_named ? group + length : NULL;
      if (is_named || group[length] == '\0')
        return (int) i;
      if (g_str_equal (forms[i].group, "Launch") && group[length] == ' ')
        {
          *name = group + length + 1;
          return (int) i;
        }
    }
  return -1;
}

/* (transfer container): the keys that a group of the form may have. */
static const char **
list_keys (const CuredReader *self, int form)
{
  const CuredReaderField *tables[] = { forms[form].fields, NULL };
  GPtrArray *keys = g_ptr_array_new ();

  if (tables[0] == NULL)
    {
      tables[0] = launch_fields;
      tables[1] = extent_fields;
    }
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const CuredReaderField *field = tables[t]; field != NULL && field->key != NULL; field++)
      g_ptr_array_add (keys, (gpointer) field->key);
  for (gsize i = 0; i < self->kernel->n_parameters && tables[0] == sweep_fields; i++)
    g_ptr_array_add (keys, self->kernel->parameters[i].name);
  g_ptr_array_add (keys, NULL);
  return (const char **) g_ptr_array_free (keys, FALSE);
}

/* Refuses a group without a form, and keys that its form does not have. */
static void
check_group (CuredReader *self, int form)
{
  g_auto (GStrv) keys = _cured_header_get_keys (self->header, self->group);
  g_autofree const char **known = form >= 0 ? list_keys (self, form) : NULL;

  if (form < 0)
    {
      fail (
          self, NULL, SYNTAX, _ ("[%s] is not known; expected one of [%s]"), self->group,
          "Kernel], [Parameter NAME], [Buffer NAME], [Constant NAME], [TensorMap NAME], [Launch], "
          "[Require NAME], [Check], [Cycles], [Sweep], [Claim NAME");
      return;
    }
  for (guint i = 0; keys[i] != NULL && self->error == NULL; i++)
    {
      if (g_strv_contains (known, keys[i]) ||
          ((forms[form].fields == include_fields || forms[form].fields == file_fields) &&
           g_ascii_isdigit (keys[i][0])))
        continue;
      g_autofree char *hint = _cured_suggest (keys[i], known);
      fail (self, keys[i], SYNTAX, _ ("[%s] knows no %s=%s"), self->group, keys[i], hint);
    }
}

/* Reads all groups. [Sweep] has parameters' names as keys, so it is read after the
 * parameters. */
static void
read_header (CuredReader *self)
{
  const char *const *groups = _cured_header_get_groups (self->header);

  for (gsize i = 0; groups[i] != NULL && self->error == NULL; i++)
    {
      self->group = groups[i];
      if (!g_str_equal (groups[i], "Sweep"))
        check_group (self, find_form (groups[i], &self->name));
    }
  for (int form = 0; form < (int) G_N_ELEMENTS (forms) && self->error == NULL; form++)
    {
      for (gsize i = 0; groups[i] != NULL && self->error == NULL; i++)
        {
          self->group = groups[i];
          if (find_form (groups[i], &self->name) != form)
            continue;
          if (forms[form].fields == sweep_fields)
            check_group (self, form);
          gpointer record = forms[form].begin (self);
          if (forms[form].fields != NULL)
            _cured_reader_read (self, forms[form].fields, record, 1);
          if (forms[form].end != NULL && self->error == NULL)
            forms[form].end (self, record);
        }
      if (forms[form].finish != NULL && self->error == NULL)
        forms[form].finish (self);
    }
}

static CuredKernel *read_alone (const char *text, const char *id, const char *path, GError **error);

/* (transfer full) (nullable): the self-contained text of a kernel that is like another one. */
static char *
expand (const char *text, const char *path, gboolean is_alone, CuredHeader **header,
        const char *file, GError **error)
{
  CuredReader reader = { .header = *header, .group = "Kernel" };
  g_autofree char *like = _cured_reader_get (&reader, "Like", TRUE);

  if (like != NULL && is_alone)
    fail (&reader, "Like", INVALID,
          _ ("what another kernel is like has no Like= of its own; let both name %s"), like);
  if (reader.error == NULL)
    return _cured_kernel_expand (text, path, header, file, read_alone, error);
  g_propagate_error (error, reader.error);
  return NULL;
}

/* @is_alone: Like= is refused. @side: (transfer full) (nullable): the header, if it was read from a
 * file of its own. @sources, @inputs: (nullable): included files and contents of buffers, if they
 * came with the kernel */
static CuredKernel *
read_kernel_file (const char *text, const char *id, const char *path, gboolean is_alone,
                  CuredHeader *side, CuredSources *sources, GHashTable *inputs, GError **error)
{
  g_autoptr (CuredHeader) header = side;
  gboolean is_ptx = _cured_text_is_ptx (text);
  g_autofree char *file =
      path != NULL ? g_strdup (path) : g_strconcat (id, is_ptx ? ".ptx" : ".cu", NULL);
  g_autofree char *source = NULL;
  const char *bad;
  CuredReader reader = { NULL };

  if (!g_utf8_validate (text, -1, &bad))
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, file, _cured_text_count_lines (text, bad), 0,
                          _ ("the text is not UTF-8; save the file as UTF-8"));
      return NULL;
    }
  if (header == NULL)
    header = _cured_header_new (text, file, error);
  if (header == NULL || (_cured_header_get_line (header, "Kernel", "Like") != 0 &&
                         (source = expand (text, path, is_alone, &header, file, error)) == NULL))
    return NULL;
  /* Files are added below the code, which makes line numbers of a separate header wrong. */
  if (side != NULL && strstr (text, "File=") != NULL)
    {
      side = NULL;
      _cured_header_free (g_steal_pointer (&header));
      if ((header = _cured_header_new (text, file, error)) == NULL)
        return NULL;
    }
  if (side == NULL &&
      !_cured_data_embed (source != NULL ? source : text, path, &header, file, &source, error))
    return NULL;

  g_autoptr (CuredKernel) self = g_atomic_rc_box_new0 (CuredKernel);
  self->id = g_strdup (id);
  self->path = g_strdup (path);
  self->text = g_strdup (text);
  self->source = source != NULL ? g_steal_pointer (&source) : g_strdup (text);
  self->is_ptx = is_ptx;
  self->sources = sources != NULL ? cured_sources_ref (sources) : NULL;
  self->output = self->cycles = -1;
  reader.header = header;
  reader.kernel = self;
  reader.inputs = inputs;
  reader.carried = g_ptr_array_new_with_free_func (g_free);
  read_header (&reader);
  g_ptr_array_unref (reader.carried);
  g_free (reader.declarations);
  if (reader.error == NULL)
    return g_steal_pointer (&self);
  g_propagate_error (error, reader.error);
  return NULL;
}

/* Reads a kernel that a Like= names, which must have no Like= itself. */
static CuredKernel *
read_alone (const char *text, const char *id, const char *path, GError **error)
{
  return read_kernel_file (text, id, path, TRUE, NULL, NULL, NULL, error);
}

/* @text: a kernel file's whole text
 * @id: the kernel's id, such as `reduce/two-launch`
 * @path: (nullable): the text's file; NULL for a kernel from the catalogue or from a result file.
 *   Relative paths in the text are relative to its folder
 * @error: (nullable): CURED_ERROR_SYNTAX, CURED_ERROR_INVALID, CURED_ERROR_OVERFLOW or
 *   CURED_ERROR_NOT_FOUND; the message starts with file and line
 * Returns: (transfer full): the kernel */
CuredKernel *
cured_kernel_new_from_text (const char *text, const char *id, const char *path, GError **error)
{
  g_return_val_if_fail (text != NULL && id != NULL, NULL);

  return _cured_kernel_check_size (id, (gint64) strlen (text), error)
             ? read_kernel_file (text, id, path, FALSE, NULL, NULL, NULL, error)
             : NULL;
}

/* Like cured_kernel_new_from_text(), for a kernel that came with its included files and with the
 * inputs of its buffers: @inputs maps digests to #GByteArray. */
CuredKernel *
_cured_kernel_new_from_sources (const char *text, const char *id, const char *path,
                                CuredSources *sources, GHashTable *inputs, GError **error)
{
  return read_kernel_file (text, id, path, FALSE, NULL, sources, inputs, error);
}

/* @path: a kernel file
 * @error: (nullable): as from cured_kernel_new_from_text(), or a #GFileError
 *
 * Blocks on the file. The id is the file's name without `.cu` or `.ptx`. The header of a `.ptx` may
 * be in a file with `.kernel` appended to its name; a file that ends in `.kernel` may name the PTX
 * by `Source=`.
 * Returns: (transfer full): the kernel */
CuredKernel *
cured_kernel_new_from_file (const char *path, GError **error)
{
  g_autofree char *code_path = NULL;
  CuredHeader *header = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  g_autofree char *text = _cured_kernel_load_pair (path, &code_path, &header, error);
  if (text == NULL)
    return NULL;
  g_autofree char *id = _cured_kernel_make_id (path);
  return read_kernel_file (text, id, code_path, FALSE, header, NULL, NULL, error);
}

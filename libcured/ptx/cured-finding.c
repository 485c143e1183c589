/* SPDX-License-Identifier: MIT
 * What the detectors find: the table, the text, and lists without repetition. */
#include "ptx/cured-finding-internal.h"

#include "base/cured-base-internal.h"

/* @kind: of a finding
 *
 * Looks a kind of finding up.
 * Returns: (transfer none): its row of the table */
const CuredFindingInfo *
cured_finding_info (CuredFindingKind kind)
{
  static CuredFindingInfo infos[CURED_N_FINDINGS] = {
#define CURED_FINDING_ROW(id, defect, title, meaning) { #id, defect, title, meaning },
    CURED_FINDINGS (CURED_FINDING_ROW)
#undef CURED_FINDING_ROW
  };
  static char ids[CURED_N_FINDINGS][32];
  static gsize is_ready = 0;

  g_return_val_if_fail (kind < CURED_N_FINDINGS, NULL);

  /* RACE_SHARED is shown as race-shared. */
  if (g_once_init_enter (&is_ready))
    {
      for (guint i = 0; i < CURED_N_FINDINGS; i++)
        {
          gsize n = strlen (infos[i].id);

          g_assert (n < sizeof ids[i]);
          for (gsize k = 0; k < n; k++)
            ids[i][k] = infos[i].id[k] == '_' ? '-' : g_ascii_tolower (infos[i].id[k]);
          infos[i].id = ids[i];
        }
      g_once_init_leave (&is_ready, 1);
    }
  return &infos[kind];
}

/* @self:
 * Returns: (transfer full): another one with the same contents */
CuredFinding *
cured_finding_copy (const CuredFinding *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  CuredFinding *copy = g_memdup2 (self, sizeof *self);
  copy->kernel = g_strdup (self->kernel);
  copy->here.file = g_strdup (self->here.file);
  copy->there.file = g_strdup (self->there.file);
  copy->here.source = g_strdup (self->here.source);
  copy->there.source = g_strdup (self->there.source);
  copy->object = g_strdup (self->object);
  copy->detail = g_strdup (self->detail);
  for (gsize i = 0; i < G_N_ELEMENTS (copy->words); i++)
    copy->words[i] = NULL;
  if (self->words[0] != NULL)
    cured_finding_take_what (copy, &copy->here, g_strdup (self->words[0]));
  if (self->words[1] != NULL)
    cured_finding_take_what (copy, &copy->there, g_strdup (self->words[1]));
  return copy;
}

/* @side: one of its sides
 * @what: (transfer full) (nullable): what that side did, a word from another process or a file
 *
 * Sets the side's @what, which lives as long as the finding. */
void
cured_finding_take_what (CuredFinding *self, CuredFindingSide *side, char *what)
{
  char **word = &self->words[side == &self->there ? 1 : 0];

  g_return_if_fail (side == &self->here || side == &self->there);

  g_free (*word);
  *word = what;
  side->what = what;
}

static void
clear_texts (CuredFinding *self)
{
  CURED_CLEAR (kernel, g_free, here.file, g_free, there.file, g_free, here.source, g_free,
               there.source, g_free, object, g_free, detail, g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (self->words); i++)
    g_clear_pointer (&self->words[i], g_free);
}

/* @self: (transfer full) (nullable):
 *
 * Frees a finding. */
void
cured_finding_free (CuredFinding *self)
{
  if (self == NULL)
    return;
  clear_texts (self);
  g_free (self);
}

/* "lane 3", "lanes 0–7, 16" */
static char *
describe_lanes (guint32 lanes)
{
  GString *text = g_string_new (NULL);
  guint n_lanes = 0;

  for (guint first = 0; first < 32; first++)
    {
      guint last = first;

      if ((lanes >> first & 1) == 0)
        continue;
      while (last < 31 && (lanes >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, "%s%u", n_lanes > 0 ? ", " : "", first);
      if (last > first)
        g_string_append_printf (text, "–%u", last);
      n_lanes += last - first + 1;
      first = last;
    }
  g_autofree char *numbers = g_string_free (text, FALSE);
  return g_strdup_printf (
      /* Translators: of a warp: “lane 3”, “lanes 0–7, 16”. */
      g_dngettext (GETTEXT_PACKAGE, "lane %s", "lanes %s", n_lanes), numbers);
}

static char *
describe_threads (const CuredFindingSide *side)
{
  if (side->warp == CURED_FINDING_HOST)
    return g_strdup (_ ("the program"));
  if (side->lanes == 0)
    /* Translators: where a block is in its grid, and a warp's number. */
    return g_strdup_printf (_ ("block (%u, %u, %u), warp %u"), side->block[0], side->block[1],
                            side->block[2], side->warp);
  g_autofree char *lanes = describe_lanes (side->lanes);
  /* Translators: where a block is in its grid, a warp's number, and its lanes: “lanes 0–15”. */
  return g_strdup_printf (_ ("block (%u, %u, %u), warp %u, %s"), side->block[0], side->block[1],
                          side->block[2], side->warp, lanes);
}

/* "write at matmul.cu:31 by block (0, 1, 0), warp 2, lanes 0–15" */
static char *
describe_side (const CuredFindingSide *side)
{
  const char *what = side->what != NULL ? g_dpgettext2 (GETTEXT_PACKAGE, "in a finding", side->what)
                                        : C_ ("in a finding", "access");
  g_autofree char *threads = describe_threads (side);

  if (side->line > 0 && side->file != NULL)
    {
      g_autofree char *name = g_path_get_basename (side->file);

      return g_strdup_printf (
          /* Translators: “write”, a file, a line, and “block (0, 1, 0), warp 2, lanes 0–15”. */
          _ ("%s at %s:%d by %s"), what, name, side->line, threads);
    }
  if (side->ptx_line > 0)
    return g_strdup_printf (
        /* Translators: “write”, a line, and “block (0, 1, 0), warp 2, lanes 0–15”. */
        _ ("%s at line %d of the PTX by %s"), what, side->ptx_line, threads);
  /* Translators: “write” and “block (0, 1, 0), warp 2, lanes 0–15”. */
  return g_strdup_printf (_ ("%s by %s"), what, threads);
}

static char *
describe_heading (const CuredFinding *self)
{
  const char *title = _ (cured_finding_info (self->kind)->title);

  if (self->kernel != NULL && self->object != NULL)
    return g_strdup_printf (
        /* Translators: a finding such as “Race in shared memory”, a kernel, and the variable. */
        _ ("%s in %s: %s"), title, self->kernel, self->object);
  if (self->kernel != NULL)
    /* Translators: a finding such as “Race in shared memory”, and a kernel. */
    return g_strdup_printf (_ ("%s in %s"), title, self->kernel);
  if (self->object != NULL)
    /* Translators: a finding such as “Race in shared memory”, and the variable. */
    return g_strdup_printf (_ ("%s: %s"), title, self->object);
  return g_strdup (title);
}

/* @self:
 *
 * Describes a finding in a few lines, without a line break at the end:
 *
 *     Race in shared memory in reduce_naive: tile[3] (shared memory, byte 12)
 *       write at reduce.cu:31 by block (0, 0, 0), warp 1, lanes 0–15
 *       read at reduce.cu:33 by block (0, 0, 0), warp 0, lane 3
 *       640 times
 *
 * A place outside the kernel's own text is followed by the source line.
 * Returns: (transfer full): */
char *
cured_finding_to_string (const CuredFinding *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_autofree char *heading = describe_heading (self), *here = describe_side (&self->here);
  GString *text = g_string_new (heading);
  /* An access that never took place has no location. */
  if (self->kind != CURED_FINDING_NO_STORE)
    g_string_append_printf (text, "\n  %s", here);
  if (self->here.source != NULL)
    g_string_append_printf (text, "\n    %s", self->here.source);
  if (self->there.what != NULL)
    {
      g_autofree char *there = describe_side (&self->there);

      g_string_append_printf (text, "\n  %s", there);
      if (self->there.source != NULL)
        g_string_append_printf (text, "\n    %s", self->there.source);
    }
  if (self->detail != NULL)
    g_string_append_printf (text, "\n  %s", self->detail);
  if (self->count > 1)
    {
      g_autofree char *count = cured_format_count ((gint64) self->count);

      g_string_append_printf (
          text, g_dngettext (GETTEXT_PACKAGE, "\n  %s time", "\n  %s times", (gulong) self->count),
          count);
    }
  return g_string_free (text, FALSE);
}

/* ---- Lists ---- */

/* The source line, or the PTX line if that is not known. */
static gboolean
is_same_place (const CuredFindingSide *a, const CuredFindingSide *b)
{
  if (a->line > 0 || b->line > 0)
    return a->line == b->line && g_strcmp0 (a->file, b->file) == 0;
  return a->ptx_line == b->ptx_line;
}

static gboolean
is_same (const CuredFinding *a, const CuredFinding *b)
{
  if (a->kind != b->kind || g_strcmp0 (a->kernel, b->kernel) != 0)
    return FALSE;
  /* Which of the two accesses is reported as the second one is chance. */
  return (is_same_place (&a->here, &b->here) && is_same_place (&a->there, &b->there)) ||
         (is_same_place (&a->here, &b->there) && is_same_place (&a->there, &b->here));
}

/* @findings: (element-type CuredFinding): the findings so far
 * @finding: another one
 *
 * Adds a copy of @finding, or counts it with a known finding of the same kind in the same kernel at
 * the same line or pair of lines: an unrolled loop has many instructions per line, and one missing
 * barrier would be reported for each pair of them. The first one is the example.
 * Returns: whether it was new */
gboolean
cured_findings_add (GPtrArray *findings, const CuredFinding *finding)
{
  g_return_val_if_fail (findings != NULL && finding != NULL, FALSE);

  CURED_EACH_POINTER (CuredFinding, known, findings)
    {
      if (is_same (known, finding))
        {
          known->count += finding->count;
          return FALSE;
        }
    }
  g_ptr_array_add (findings, cured_finding_copy (finding));
  return TRUE;
}

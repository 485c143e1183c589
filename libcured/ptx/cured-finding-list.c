/* SPDX-License-Identifier: MIT
 * Findings of several launches, cells and instructions, each told once. */
#include "config.h"

#include "ptx/cured-finding.h"

/* A line of the source, or of the PTX where that is not known. */
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
  /* Who was caught and who was there before is a matter of chance. */
  return (is_same_place (&a->here, &b->here) &&
          is_same_place (&a->there, &b->there)) ||
         (is_same_place (&a->here, &b->there) &&
          is_same_place (&a->there, &b->here));
}

/**
 * cured_findings_add:
 * @findings: (element-type CuredFinding): what was found so far
 * @finding: one more
 *
 * Keeps a copy of @finding, or counts it with the one that is known of the same
 * kind, in the same kernel, at the same line or pair of lines: an unrolled loop
 * makes many instructions of one line, and one missing barrier would be told
 * for each two of them. The first one is the example.
 *
 * Returns: whether it was new
 */
gboolean
cured_findings_add (GPtrArray *findings, const CuredFinding *finding)
{
  g_return_val_if_fail (findings != NULL, FALSE);
  g_return_val_if_fail (finding != NULL, FALSE);

  for (guint i = 0; i < findings->len; i++)
    {
      CuredFinding *known = g_ptr_array_index (findings, i);

      if (is_same (known, finding))
        {
          known->count += finding->count;
          return FALSE;
        }
    }
  g_ptr_array_add (findings, cured_finding_copy (finding));
  return TRUE;
}

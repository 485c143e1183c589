/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever a worker says that it found out of a kernel makes sense or is refused, and
 * says the same when it is sent on. The first byte chooses what was asked, the others are the
 * answer. */

#include "base/cured-json-internal.h"
#include "fuzz.h"
#include "worker/cured-message-private.h"

#define MAX_SITES 64

static void
check_findings (const GPtrArray *findings)
{
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    g_free (cured_finding_to_string (g_ptr_array_index (findings, i)));
}

/* What those that show it do with it. */
static void
check_view (const CuredBankView *view)
{
  for (gsize i = 0; i < MIN (view->n_sites, MAX_SITES); i++)
    {
      const CuredBankSite *site = &view->sites[i];

      g_free (cured_bank_site_get_mnemonic (site));
      cured_bank_view_find_like (view, site, view);
      g_assert_nonnull (cured_access_kind_get_name (site->kind));
      for (gsize k = 0; k < MIN (site->n_patterns, MAX_SITES); k++)
        g_free (cured_bank_access_describe (&site->patterns[k].access));
    }
  for (gsize i = 0; i < view->n_events; i++)
    g_assert_cmpuint (view->events[i].site, <, view->n_sites);
  for (gsize i = 0; i < view->n_widths; i++)
    cured_bank_widths_get_change (&view->widths[i]);
  check_findings (view->faults);
}

static void
check_answer (const CuredRecordInfo *info, gconstpointer answer)
{
  const CuredInspection *inspection = answer;

  if (info == &_cured_bank_view_record)
    check_view (answer);
  if (info != &_cured_inspection_record)
    return;
  if (inspection->banks != NULL)
    check_view (inspection->banks);
  check_findings (inspection->findings);
  for (int line = -1; line < 40; line++)
    cured_inspection_find_line (inspection, line);
}

static void
free_answer (const CuredRecordInfo *info, gpointer answer)
{
  if (info->free != NULL)
    {
      info->free (answer);
      return;
    }
  _cured_record_clear (info, answer);
  g_free (answer);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const CuredRecordInfo *const infos[] = {
    &_cured_inspection_record,
    &_cured_bank_view_record,
    &_cured_demands_record,
    &_cured_workload_record,
  };
  g_autoptr (GError) error = NULL;

  if (size == 0)
    return 0;
  const CuredRecordInfo *info = infos[data[0] % G_N_ELEMENTS (infos)];
  g_autofree char *text = g_strndup ((const char *) data + 1, size - 1);
  g_autoptr (JsonNode) node = _cured_json_parse (text, CURED_MESSAGE_MAX_BYTES, &error);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return 0;
  gpointer answer = _cured_record_new (info);
  if (_cured_record_from_json (info, json_node_get_object (node), answer, &error))
    {
      g_autoptr (JsonNode) sent = cured_record_to_json (info, answer);
      gpointer again = _cured_record_new (info);

      check_answer (info, answer);
      _cured_record_from_json (info, json_node_get_object (sent), again, &error);
      g_assert_no_error (error);
      free_answer (info, again);
    }
  else
    g_assert_nonnull (error);
  free_answer (info, answer);
  return 0;
}

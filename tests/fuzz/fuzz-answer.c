/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever a worker says that it found out of a kernel makes sense or is refused, and
 * says the same when it is sent on. The first byte chooses what was asked, the others are the
 * answer. */
#include <string.h>

#include "fuzz.h"
#include "worker/cured-answer-private.h"

#define MAX_SITES 64

static GVariant *
pass_on (GVariant *variant, const char *type)
{
  g_autofree char *text = _cured_answer_to_text (variant);
  g_autoptr (GError) error = NULL;
  GVariant *arrived = _cured_answer_from_text (text, type, &error);

  g_assert_no_error (error);
  return arrived;
}

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
check_banks (GVariant *variant)
{
  g_autoptr (CuredBankView) view = _cured_bank_view_from_variant (variant, NULL);
  g_autoptr (CuredBankView) again = NULL;
  g_autoptr (GVariant) arrived = NULL;
  g_autoptr (GError) error = NULL;

  if (view == NULL)
    return;
  check_view (view);
  arrived = pass_on (_cured_bank_view_to_variant (view), _cured_bank_view_type);
  again = _cured_bank_view_from_variant (arrived, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (view->n_sites, ==, again->n_sites);
}

static void
check_inspection (GVariant *variant)
{
  g_autoptr (CuredInspection) inspection = _cured_inspection_from_variant (variant, NULL);
  g_autoptr (CuredInspection) again = NULL;
  g_autoptr (GVariant) arrived = NULL;
  g_autoptr (GError) error = NULL;

  if (inspection == NULL)
    return;
  if (inspection->banks != NULL)
    check_view (inspection->banks);
  check_findings (inspection->findings);
  for (int line = -1; line < 40; line++)
    cured_inspection_find_line (inspection, line);
  arrived = pass_on (_cured_inspection_to_variant (inspection), _cured_inspection_type);
  again = _cured_inspection_from_variant (arrived, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (inspection->findings->len, ==, again->findings->len);
}

static void
check_demands (GVariant *variant)
{
  g_autoptr (GPtrArray) demands = _cured_demands_from_variant (variant, NULL);
  g_autoptr (GPtrArray) again = NULL;
  g_autoptr (GVariant) arrived = NULL;
  g_autoptr (GError) error = NULL;

  if (demands == NULL)
    return;
  arrived = pass_on (_cured_demands_to_variant (demands), _cured_demands_type);
  again = _cured_demands_from_variant (arrived, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (demands->len, ==, again->len);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const struct
  {
    const char *type;
    void (*check) (GVariant *variant);
  } answers[] = {
    { _cured_inspection_type, check_inspection },
    { _cured_bank_view_type, check_banks },
    { _cured_demands_type, check_demands },
  };
  g_autofree char *text = NULL;
  g_autoptr (GVariant) raw = NULL;
  g_autoptr (GVariant) normal = NULL;
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  guint i;

  if (size == 0)
    return 0;
  i = data[0] % G_N_ELEMENTS (answers);
  text = g_base64_encode (data + 1, size - 1);
  variant = _cured_answer_from_text (text, answers[i].type, &error);
  g_assert_true ((variant == NULL) == (error != NULL));
  if (variant == NULL)
    {
      /* Few bytes are of a normal form; what is left of them is. */
      bytes = g_bytes_new (data + 1, size - 1);
      raw = g_variant_ref_sink (
          g_variant_new_from_bytes (G_VARIANT_TYPE (answers[i].type), bytes, FALSE));
      normal = g_variant_get_normal_form (raw);
      variant = pass_on (normal, answers[i].type);
    }
  answers[i].check (variant);
  return 0;
}

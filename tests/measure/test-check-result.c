/* SPDX-License-Identifier: MIT
 * What cells say of a kernel together: right, declared, missing, undeclared. */
#include "cured.h"
#include "measure/cured-measure-internal.h"
#include "test.h"

static CuredCheckResult *
make (const char *defects, gboolean has_detectors)
{
  g_autofree char *line = defects != NULL ? g_strdup_printf (" * Defect=%s\n", defects) : NULL;
  g_autofree char *text =
      g_strconcat ("/*! cured\n * [Kernel]\n * Title=Test\n", line != NULL ? line : "",
                   " * [Launch]\n * Entry=test\n * Grid=1\n * Block=1\n */\n"
                   "extern \"C\" __global__ void\ntest (void) {}\n",
                   NULL);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));

  return cured_check_result_new (kernel, has_detectors);
}

static void
add (CuredCheckResult *self, CuredState state, const CuredFindingKind *kinds, gsize n_kinds)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, state, state != CURED_STATE_OK ? "because" : NULL);
  for (gsize i = 0; i < n_kinds; i++)
    {
      CuredFinding *finding = g_new0 (CuredFinding, 1);

      finding->kind = kinds[i];
      finding->here.what = "write";
      finding->here.file = g_strdup ("test.cu");
      finding->here.line = 12;
      g_ptr_array_add (outcome->findings, finding);
    }
  cured_check_result_add (self, outcome, "n=1");
}

static const CuredFindingKind race[] = { CURED_FINDING_RACE_SHARED };
static const CuredFindingKind conflict[] = { CURED_FINDING_BANK_CONFLICT };
static const CuredFindingKind both[] = { CURED_FINDING_RACE_SHARED, CURED_FINDING_OUT_OF_BOUNDS };

TEST ("/check-result/no-defect")
{
  g_autoptr (CuredCheckResult) self = make (NULL, TRUE);

  /* Nothing ran: its correctness is unknown. */
  g_assert_false (cured_check_result_is_good (self));
  add (self, CURED_STATE_NOT_LAUNCHABLE, NULL, 0);
  g_assert_false (cured_check_result_is_good (self));
  add (self, CURED_STATE_OK, conflict, 1);
  g_assert_true (cured_check_result_is_good (self));
  g_assert_cmpuint (self->n_cells, ==, 1);
  add (self, CURED_STATE_WRONG, NULL, 0);
  g_assert_false (cured_check_result_is_good (self));
  g_assert_cmpuint (self->n_bad, ==, 1);
  g_assert_cmpuint (self->n_right, ==, 1);
  g_assert_cmpstr (self->reason, ==, "n=1: because");
}

TEST ("/check-result/undeclared")
{
  g_autoptr (CuredCheckResult) self = make (NULL, TRUE);

  add (self, CURED_STATE_OK, race, 1);
  add (self, CURED_STATE_OK, race, 1);
  g_assert_false (cured_check_result_is_good (self));
  /* The same one in two cells is one. */
  g_assert_cmpuint (self->n_undeclared, ==, 1);
  g_assert_cmpuint (self->findings->len, ==, 1);
}

TEST ("/check-result/declared")
{
  g_autoptr (CuredCheckResult) self = make ("race", TRUE);

  add (self, CURED_STATE_OK, NULL, 0);
  g_assert_false (cured_check_result_is_good (self));
  g_assert_cmpuint (self->found, ==, 0);
  add (self, CURED_STATE_WRONG, race, 1);
  g_assert_cmpuint (self->found, ==, self->declared);
  g_assert_true (cured_check_result_is_good (self));
  g_assert_true (cured_check_result_is_declared (self, g_ptr_array_index (self->findings, 0)));
  add (self, CURED_STATE_OK, both, 2);
  g_assert_false (cured_check_result_is_good (self));
}

TEST ("/check-result/several")
{
  g_autoptr (CuredCheckResult) self = make ("race,out-of-bounds", TRUE);

  g_assert_cmpuint (self->declared, ==,
                    1u << CURED_FINDING_RACE_SHARED | 1u << CURED_FINDING_OUT_OF_BOUNDS);
  add (self, CURED_STATE_FAILED, race, 1);
  g_assert_false (cured_check_result_is_good (self));
  add (self, CURED_STATE_FAILED, both, 2);
  g_assert_true (cured_check_result_is_good (self));
}

TEST ("/check-result/conflict")
{
  g_autoptr (CuredCheckResult) self = make ("bank-conflict", TRUE);

  add (self, CURED_STATE_OK, conflict, 1);
  g_assert_true (cured_check_result_is_good (self));
  /* It makes nothing wrong, so it excuses nothing. */
  add (self, CURED_STATE_WRONG, conflict, 1);
  g_assert_false (cured_check_result_is_good (self));
}

/* A GPU reports no defects: the kernel file's word has to do. */
TEST ("/check-result/no-detectors")
{
  g_autoptr (CuredCheckResult) declared = make ("race", FALSE);
  g_autoptr (CuredCheckResult) other = make (NULL, FALSE);

  add (declared, CURED_STATE_WRONG, NULL, 0);
  g_assert_true (cured_check_result_is_good (declared));
  add (other, CURED_STATE_WRONG, NULL, 0);
  g_assert_false (cured_check_result_is_good (other));
}

/* The file refuses the device: nothing to hold against the kernel. */
TEST ("/check-result/refused")
{
  g_autoptr (CuredCheckResult) self = make (NULL, TRUE);

  cured_check_result_add_refusal (self, "because");
  cured_check_result_add_refusal (self, "another");
  g_assert_true (cured_check_result_is_refused (self));
  g_assert_true (cured_check_result_is_good (self));
  g_assert_cmpstr (self->refusal, ==, "because");
  cured_check_result_add_unlaunchable (self, "too much");
  g_assert_false (cured_check_result_is_refused (self));
  g_assert_false (cured_check_result_is_good (self));
  add (self, CURED_STATE_OK, NULL, 0);
  g_assert_true (cured_check_result_is_good (self));
  add (self, CURED_STATE_WRONG, NULL, 0);
  g_assert_false (cured_check_result_is_good (self));
}

TEST ("/check-result/claims")
{
  g_autoptr (CuredCheckResult) self = make (NULL, TRUE);

  add (self, CURED_STATE_OK, NULL, 0);
  cured_check_result_add_claim (self, FALSE);
  g_assert_true (cured_check_result_is_good (self));
  cured_check_result_add_claim (self, TRUE);
  g_assert_false (cured_check_result_is_good (self));
  g_assert_cmpuint (self->n_claims, ==, 2);
  g_assert_cmpuint (self->n_broken, ==, 1);
}

/* Which cell was wrong first, and what was found there. */
TEST ("/check-result/mismatch")
{
  g_autoptr (CuredCheckResult) self = make (NULL, TRUE);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);

  mismatch->buffer = g_strdup ("out");
  mismatch->index = 3;
  mismatch->got = g_strdup ("5");
  mismatch->expected = g_strdup ("7");
  g_ptr_array_add (outcome->mismatches, mismatch);
  cured_outcome_set_state (outcome, CURED_STATE_WRONG, "1 element is wrong");
  cured_check_result_add (self, outcome, "n=96");
  g_assert_cmpstr (self->reason, ==, "n=96: 1 element is wrong: out[3] = 5, not 7");
}

/* SPDX-License-Identifier: MIT
 * Checks claims of kernel files. */
#pragma once

#include "device/cured-device.h"
#include "kernel/cured-kernel.h"
#include "store/cured-result.h"

/* The architecture for which kernel files claim counts: other chips have other machine code. */
#define CURED_CLAIM_ARCH "compute_90"

typedef enum
{
  CURED_CLAIM_HOLDS,        /* the figure is within the bounds */
  CURED_CLAIM_BROKEN,       /* the figure is not within the bounds */
  CURED_CLAIM_NOT_RECORDED, /* there is no figure */
} CuredClaimVerdict;

typedef struct
{
  CuredClaimVerdict verdict; /* the verdict */
  double value;              /* the figure, divided by that of Against=; NaN where there is none */
  double low;                /* lower bound; NaN: none */
  double high;               /* upper bound; NaN: none */
  char *reason;              /* (nullable): the reason why there is no figure */
} CuredClaimResult;

void cured_claim_result_clear (CuredClaimResult *self);
const char *cured_claim_verdict_to_string (CuredClaimVerdict verdict);

gboolean cured_claim_is_counted (const CuredClaim *claim);
gboolean cured_claim_count (CuredKernel *kernel, const CuredClaim *claim, CuredDevice *device,
                            CuredClaimResult *result, GError **error);
gboolean cured_claim_look_up (CuredKernel *kernel, const CuredClaim *claim, CuredResult *recorded,
                              CuredResult *against, CuredClaimResult *result, GError **error);
char *cured_claim_to_string (const CuredClaim *claim);
char *cured_claim_describe_figure (const CuredClaim *claim, const CuredClaimResult *result);
gboolean cured_claim_is_near (double guess, double value);
char *cured_claim_ask (CuredKernel *kernel, const CuredClaim *claim);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredClaimResult, cured_claim_result_clear)

/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "study/cured-claim.h"

G_BEGIN_DECLS

CuredKernel *cured_claim_load_against (CuredKernel *kernel, const CuredClaim *claim,
                                       gint64 **values, GError **error);

G_END_DECLS

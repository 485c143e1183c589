/* SPDX-License-Identifier: MIT
 * Which build of the exec files this processor runs. */
#include "config.h"

#include "ptx/exec/cured-ptx-exec-private.h"

extern const CuredPtxSelector _cured_ptx_selectors[CURED_PTX_N_OPS];
extern const CuredPtxHandler _cured_ptx_early;
#if CURED_HAVE_EXEC_V3
extern const CuredPtxSelector _cured_ptx_selectors_v3[CURED_PTX_N_OPS];
extern const CuredPtxHandler _cured_ptx_early_v3;

static bool
has_v3 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") &&
         __builtin_cpu_supports ("bmi2");
}
#endif

const CuredPtxSelector *
_cured_ptx_get_selectors (void)
{
#if CURED_HAVE_EXEC_V3
  if (has_v3 ())
    return _cured_ptx_selectors_v3;
#endif
  return _cured_ptx_selectors;
}

CuredPtxHandler
_cured_ptx_get_early (void)
{
#if CURED_HAVE_EXEC_V3
  if (has_v3 ())
    return _cured_ptx_early_v3;
#endif
  return _cured_ptx_early;
}

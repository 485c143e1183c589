/* SPDX-License-Identifier: MIT
 * A kernel's traffic of a chip's caches, at one point. */
#include "inspect/cured-traffic-view.h"

#include "base/cured-base-internal.h"
#include "device/cured-launch-traffic-internal.h"
#include "inspect/cured-loaded-program-private.h"

/* @values: values of its parameters
 * @arch: the chip: "sm_90"
 * @flags: #CuredTrafficFlags
 * @time_limit_ms: limit of the emulator; 0: none
 *
 * Compiles a kernel and counts its launches' traffic of caches and memory by the cache
 * model; docs/caches.md has its accuracy. Needs no GPU. Blocks, for seconds if a grid is
 * large.
 * Returns: (transfer full) (element-type CuredLaunchTraffic): the launches, in order; %NULL
 *   with %CURED_ERROR_INVALID if the chip's caches are unknown, %CURED_ERROR_NOT_LAUNCHABLE,
 *   %CURED_ERROR_COMPILE, %CURED_ERROR_SYNTAX, %CURED_ERROR_TIMED_OUT or
 *   %CURED_ERROR_DEVICE */
GPtrArray *
cured_traffic_view_new (CuredCompiler *compiler, CuredKernel *kernel, const gint64 *values,
                        const char *arch, CuredTrafficFlags flags, gint64 time_limit_ms,
                        GCancellable *cancellable, GError **error)
{
  const CuredProfile *profile = cured_profile_find (arch);

  g_return_val_if_fail (compiler != NULL && kernel != NULL, NULL);

  if (profile == NULL || !profile->is_emulated)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("The caches of %s are not known; take another chip, such as sm_90"),
                            arch);
  CuredLimits limits = profile->limits;
  limits.emulated = 1;
  limits.global_bytes = G_MAXINT64 / 4;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &limits, error);
  if (program == NULL)
    return NULL;
  g_autofree char *virtual_arch = g_strdup_printf ("compute_%s", arch + strlen ("sm_"));
  /* Compile machine code first, since that also yields the PTX. */
  g_autoptr (GBytes) binary =
      _cured_loaded_program_compile (compiler, program, arch, FALSE, NULL, cancellable, error);
  if (binary == NULL)
    return NULL;
  g_autoptr (GBytes) ptx = _cured_loaded_program_compile (compiler, program, virtual_arch, FALSE,
                                                          NULL, cancellable, error);
  if (ptx == NULL)
    return NULL;
  g_autofree char *file_name = cured_kernel_get_file_name (kernel);
  return _cured_traffic_count (
      &(CuredTrafficQuery){
          .program = program,
          .ptx = ptx,
          .binary = binary,
          .file_name = file_name,
          .profile = profile,
          .limits = &limits,
          .seed = 1,
          .is_flushing = (flags & CURED_TRAFFIC_FLUSHED) != 0,
          .deadline_us = time_limit_ms > 0 ? g_get_monotonic_time () + time_limit_ms * 1000 : 0,
      },
      cancellable, error);
}

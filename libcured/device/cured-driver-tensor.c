/* SPDX-License-Identifier: MIT
 * Makes tensor maps by the driver. */
#include "device/cured-device-internal.h"

#include <dlfcn.h>

#include "base/cured-base-internal.h"

/* cuTensorMapEncodeTiled(), whose enumerations are int. */
typedef int (*EncodeTiled) (void *object, int type, guint32 rank, void *address,
                            const guint64 *dims, const guint64 *strides, const guint32 *box,
                            const guint32 *steps, int interleave, int swizzle, int promotion,
                            int fill);

/* cuTensorMapEncodeIm2col(), likewise. */
typedef int (*EncodeIm2col) (void *object, int type, guint32 rank, void *address,
                             const guint64 *dims, const guint64 *strides, const int *lower,
                             const int *upper, guint32 channels, guint32 pixels,
                             const guint32 *steps, int interleave, int swizzle, int promotion,
                             int fill);

/* 0 for 0 bytes, 1 for @first, 2 for twice as many ... */
static int
count_doublings (guint bytes, guint first)
{
  int n = 0;

  for (; bytes >= first; bytes /= 2)
    n++;
  return n;
}

/* Calls the driver, which is not linked.
 *
 * @object: (out): the object that kernels take, aligned to 64 bytes
 * Returns: %FALSE with %CURED_ERROR_DEVICE if the driver is too old, or %CURED_ERROR_NOT_LAUNCHABLE
 *   if it refuses */
gboolean
_cured_driver_encode_tensor_map (const CuredTensorShape *shape, guint64 address,
                                 guint8 object[CURED_TENSOR_MAP_BYTES], GError **error)
{
  void *driver = _cured_driver_library_open ("libcuda.so.1", NULL);
  const char *name = shape->is_im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
  EncodeTiled encode_tiled = NULL;
  EncodeIm2col encode_im2col = NULL;
  void *encode = NULL;
  guint64 dims[CURED_TENSOR_RANK] = { 0 }, strides[CURED_TENSOR_RANK] = { 0 };
  guint32 box[CURED_TENSOR_RANK] = { 0 }, steps[CURED_TENSOR_RANK] = { 0 };
  int result;

  if (driver != NULL)
    encode = dlsym (driver, name);
  if (encode == NULL)
    return cured_fail (error, CURED_ERROR_DEVICE,
                       _ ("this driver makes no tensor maps; install one of CUDA 12.0 or later"));
  for (guint i = 0; i < shape->rank; i++)
    {
      dims[i] = shape->dims[i];
      box[i] = shape->box[i];
      steps[i] = shape->steps[i];
      if (i > 0)
        strides[i - 1] = shape->strides[i - 1];
    }
  if (shape->is_im2col)
    {
      *(void **) &encode_im2col = encode;
      result = encode_im2col (object, (int) shape->type, shape->rank, (void *) (gsize) address,
                              dims, strides, shape->lower, shape->upper, box[0], box[1], steps,
                              count_doublings (shape->interleave, 16),
                              count_doublings (shape->swizzle, 32),
                              count_doublings (shape->promotion, 64), shape->fills_nan ? 1 : 0);
    }
  else
    {
      *(void **) &encode_tiled = encode;
      result = encode_tiled (object, (int) shape->type, shape->rank, (void *) (gsize) address, dims,
                             strides, box, steps, count_doublings (shape->interleave, 16),
                             count_doublings (shape->swizzle, 32),
                             count_doublings (shape->promotion, 64), shape->fills_nan ? 1 : 0);
    }
  return result == 0 ||
         cured_fail (
             error, CURED_ERROR_NOT_LAUNCHABLE,
             _ ("the driver makes no such tensor map (%s: error %d); look at what it asks of its "
                "sizes and strides"),
             name, result);
}

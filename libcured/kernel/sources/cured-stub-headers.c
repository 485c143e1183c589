/* SPDX-License-Identifier: MIT
 * Stubs for headers that a device compiler lacks.
 *
 * NVRTC knows the device's functions without any header, and has none of the C and C++ libraries.
 * Files that were written for nvcc include those for their host code, and use a little of them in
 * kernels: integer types, limits, a few constants, traits of types. The stubs contain those. `std`
 * is a separate header, since a file may define what it needs of `std` itself. The stub for
 * <cub/cub.cuh> includes only device code: the rest is for the host, and no JIT compiler accepts
 * it. */
#include "kernel/sources/cured-stub-headers-internal.h"

#include <string.h>

#include "kernel/cured-asset-internal.h"

#define GET_BASE()  _cured_asset_get ("kernel/sources/cured-stub-base.cuh")
#define GET_STD()   _cured_asset_get ("kernel/sources/cured-stub-std.cuh")
#define INCLUDE_STD "#include \"" CURED_STUB_STD "\"\n"

static const char include_base[] = "#include \"" CURED_STUB_BASE "\"\n" INCLUDE_STD;

/* Headers from which device code uses only the base, or nothing. */
/* clang-format off */
static const char *const plain[] = {
  "algorithm", "array", "assert.h", "atomic", "bitset", "cassert", "cctype", "cerrno", "cfloat",
  "chrono", "cinttypes", "climits", "cmath", "complex", "condition_variable", "csignal",
  "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "ctype.h", "deque", "errno.h",
  "exception", "filesystem", "float.h", "fstream", "functional", "future", "getopt.h",
  "initializer_list", "inttypes.h", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator",
  "limits", "limits.h", "list", "locale", "malloc.h", "map", "math.h", "memory", "memory.h",
  "mutex", "new", "numeric", "optional", "ostream", "queue", "random", "ratio", "regex", "set",
  "signal.h", "sstream", "stack", "stdarg.h", "stdbool.h", "stddef.h", "stdexcept", "stdint.h",
  "stdio.h", "stdlib.h", "string", "string.h", "string_view", "strings.h", "sys/stat.h",
  "sys/time.h", "sys/types.h", "thread", "time.h", "tuple", "type_traits", "typeinfo", "unistd.h",
  "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector", "sys/mman.h",
  "fcntl.h", "pthread.h", "omp.h", "mpi.h", "windows.h", "Windows.h", "cstdarg", "cuchar",
  "execution", "numbers", "span", "bits/stdc++.h", "immintrin.h", "x86intrin.h", "dirent.h",
  "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_device_runtime_api.h",
  "device_launch_parameters.h", "driver_types.h", "vector_types.h", "vector_functions.h",
  "builtin_types.h", "device_functions.h", "device_atomic_functions.h",
  "sm_20_atomic_functions.h", "sm_60_atomic_functions.h", "math_functions.h",
  "common_functions.h", "host_defines.h", "device_types.h", "cuda_profiler_api.h",
  "cudaProfiler.h", "cuda_gl_interop.h", "texture_fetch_functions.h", "texture_types.h",
  "driver_functions.h", "channel_descriptor.h", "nvrtc.h", "cuda_texture_types.h",
  "crt/device_functions.h", "crt/host_defines.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h",
  "cuda_device_functions.h", "cudaTypedefs.h", "cublas.h", "cufft.h", "cufftXt.h", "cusparse.h",
  "cusparse_v2.h", "cusolverDn.h", "cusolverSp.h", "cudnn.h", "nvml.h", "nccl.h", "npp.h",
  "nvToolsExt.h", "cupti.h", "nvjpeg.h", NULL,
};
/* clang-format on */

/* Host libraries whose headers also define types of device code. */
static const char *const with_halves[] = {
  "cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h", NULL,
};

static const char include_halves[] =
    "#include \"" CURED_STUB_BASE "\"\n" INCLUDE_STD "#if __has_include(<cuda_bf16.h>)\n"
    "#include <cuda_fp16.h>\n"
    "#include <cuda_bf16.h>\n"
    "#endif\n";

/* clang-format off */
/* Names that the toolkit's `cuda::std` has beyond the base, by header. */
static const struct
{
  const char *header, *words;
} of_cuda[] = {
  { "type_traits",
    " add_const add_const_t add_cv_t add_lvalue_reference add_lvalue_reference_t add_pointer "
    "add_pointer_t add_rvalue_reference add_rvalue_reference_t aligned_storage "
    "aligned_storage_t alignment_of alignment_of_v common_type common_type_t conjunction "
    "conjunction_v decay decay_t declval disjunction disjunction_v extent extent_v "
    "has_unique_object_representations invoke_result invoke_result_t is_abstract is_aggregate "
    "is_array is_array_v is_assignable is_assignable_v is_base_of is_base_of_v is_class "
    "is_class_v is_compound is_const is_const_v is_constructible is_constructible_v "
    "is_convertible is_convertible_v is_copy_assignable is_copy_constructible "
    "is_copy_constructible_v is_default_constructible is_default_constructible_v "
    "is_destructible is_empty is_empty_v is_enum is_enum_v is_final is_function is_function_v "
    "is_fundamental is_fundamental_v is_invocable is_invocable_r is_invocable_v "
    "is_lvalue_reference is_lvalue_reference_v is_member_pointer is_move_constructible "
    "is_nothrow_copy_constructible is_nothrow_default_constructible "
    "is_nothrow_move_constructible is_null_pointer is_object is_object_v is_pod is_pointer_v "
    "is_polymorphic is_reference is_reference_v is_rvalue_reference is_scalar is_scalar_v "
    "is_signed_v is_standard_layout is_standard_layout_v is_trivial is_trivial_v "
    "is_trivially_copyable is_trivially_copyable_v is_trivially_destructible is_union "
    "is_union_v is_unsigned_v is_void is_void_v is_volatile is_volatile_v make_signed "
    "make_signed_t make_unsigned make_unsigned_t negation negation_v rank rank_v "
    "remove_all_extents remove_all_extents_t remove_cvref remove_cvref_t remove_extent "
    "remove_extent_t remove_pointer remove_pointer_t remove_reference remove_reference_t "
    "result_of_t type_identity type_identity_t underlying_type underlying_type_t void_t " },
  { "utility",
    " as_const exchange in_place in_place_t index_sequence index_sequence_for integer_sequence "
    "make_index_sequence make_integer_sequence make_pair pair piecewise_construct swap " },
  { "array",
    " array " },
  { "tuple",
    " apply forward_as_tuple get make_tuple tie tuple tuple_cat tuple_element tuple_element_t "
    "tuple_size tuple_size_v " },
  { "complex",
    " complex " },
  { "functional",
    " bit_and bit_or bit_xor divides equal_to greater greater_equal identity invoke less "
    "less_equal logical_and logical_not logical_or minus modulus multiplies negate not_equal_to "
    "plus reference_wrapper " },
  { "bit",
    " bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero "
    "has_single_bit popcount rotl rotr " },
  { "cstddef",
    " byte max_align_t nullptr_t to_integer " },
  { "span",
    " dynamic_extent span " },
  { "optional",
    " nullopt nullopt_t optional " },
  { "ratio",
    " ratio " },
};
/* clang-format on */

/* (nullable): the header of `cuda::std` that defines the word. */
const char *
_cured_stub_header_find_std (const char *word)
{
  g_autofree char *spaced = g_strconcat (" ", word, " ", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (of_cuda); i++)
    if (strstr (of_cuda[i].words, spaced) != NULL)
      return of_cuda[i].header;
  return NULL;
}

/* Adds the words behind `std::` in @text that need a header of the toolkit. */
void
_cured_stub_header_collect_std (const char *text, GHashTable *words)
{
  for (const char *at = text; (at = strstr (at, "std::")) != NULL;)
    {
      at += strlen ("std::");
      g_autofree char *word = g_strndup (at, strspn (at, G_CSET_a_2_z G_CSET_DIGITS "_"));
      if (_cured_stub_header_find_std (word) != NULL)
        g_hash_table_add (words, g_steal_pointer (&word));
    }
}

static gboolean
has_own_std (const char *text)
{
  for (const char *at = text; (at = strstr (at, "namespace")) != NULL;)
    {
      at += strlen ("namespace");
      at += strspn (at, " \t");
      if (g_str_has_prefix (at, "std") && at[3 + strspn (at + 3, " \t\r\n")] == '{')
        return TRUE;
    }
  return FALSE;
}

/* (transfer full): the text of %CURED_STUB_BASE. It precedes the compiled text, together with
 * `std`, unless one of @texts defines names in `std` itself: then only the stubs of C++ headers
 * include `std`. */
char *
_cured_stub_header_make_base (const char *const *texts)
{
  gboolean is_own = FALSE;

  for (; *texts != NULL; texts++)
    is_own |= has_own_std (*texts);
  return g_strconcat (GET_BASE (), is_own ? "" : INCLUDE_STD, NULL);
}

/* Macros of `cuda::std`'s <cmath> that files define themselves, as CUTLASS 4 does. */
static const char classes[] = "#ifdef FP_NAN\n"
                              "#undef FP_NAN\n#undef FP_INFINITE\n#undef FP_ZERO\n"
                              "#undef FP_SUBNORMAL\n#undef FP_NORMAL\n"
                              "enum { FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL };\n"
                              "#endif\n";

/* (transfer full): the text of %CURED_STUB_STD, with these words of `cuda::std`. */
char *
_cured_stub_header_make_std (GHashTable *words)
{
  GString *text = g_string_new (GET_STD ()), *names = g_string_new (NULL);
  g_autoptr (GList) list = g_hash_table_get_keys (words);

  list = g_list_sort (list, (GCompareFunc) strcmp);
  for (GList *at = list; at != NULL; at = at->next)
    {
      g_string_append_printf (text, "#include <cuda/std/%s>\n",
                              _cured_stub_header_find_std (at->data));
      g_string_append_printf (names, "using ::cuda::std::%s;\n", (const char *) at->data);
    }
  if (names->len > 0)
    g_string_append_printf (
        text, "#ifndef CURED_STD_H\n#define CURED_STD_H\nnamespace std {\n%s}\n%s#endif\n",
        names->str, classes);
  g_string_free (names, TRUE);
  return g_string_free (text, FALSE);
}

/* (nullable): the text of the stub; NULL if there is none. */
const char *
_cured_stub_header_find (const char *name)
{
  if (g_strv_contains (plain, name))
    return include_base;
  if (g_strv_contains (with_halves, name))
    return include_halves;
  /* The host's containers and algorithms, and its profiler marks. */
  if (g_str_has_prefix (name, "thrust/") || g_str_has_prefix (name, "nvtx3/"))
    return include_base;
  if (g_str_equal (name, "cub/cub.cuh"))
    return _cured_asset_get ("kernel/sources/cured-stub-cub.cuh");
  return g_str_equal (name, CURED_STUB_BASE)  ? GET_BASE ()
         : g_str_equal (name, CURED_STUB_STD) ? GET_STD ()
                                              : NULL;
}

/* (transfer full): text that includes the toolkit's file of that name, or only warns if there is
 * none: most such files are for host code. */
char *
_cured_stub_header_make_optional (const char *name, gboolean is_looked_for)
{
  g_autofree char *warning = g_strdup_printf (
      "#warning %s is not there: put it beside the kernel file, or name its folder with -I\n",
      name);

  if (!is_looked_for)
    return g_steal_pointer (&warning);
  return g_strdup_printf ("#if __has_include(<%s>)\n"
                          "#include <%s>\n"
                          "#else\n"
                          "%s#endif\n",
                          name, name, warning);
}

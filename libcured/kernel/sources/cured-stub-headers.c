/* SPDX-License-Identifier: MIT
 * Stubs for headers that a device compiler lacks.
 *
 * NVRTC knows the device's functions without any header, and has none of the C and C++ libraries.
 * Files that were written for nvcc include those for their host code, and use a little of them in
 * kernels: integer types, limits, a few constants, traits of types. That little is here. */
#include "kernel/sources/cured-stub-headers-internal.h"

#include <string.h>

static const char base[] = "#ifndef CURED_BASE_H\n"
                           "#define CURED_BASE_H\n"
                           "typedef signed char int8_t;\n"
                           "typedef short int16_t;\n"
                           "typedef int int32_t;\n"
                           "typedef long long int64_t;\n"
                           "typedef unsigned char uint8_t;\n"
                           "typedef unsigned short uint16_t;\n"
                           "typedef unsigned int uint32_t;\n"
                           "typedef unsigned long long uint64_t;\n"
                           "typedef long long intptr_t;\n"
                           "typedef unsigned long long uintptr_t;\n"
                           "typedef long ssize_t;\n"
                           "typedef unsigned int uint;\n"
                           "typedef unsigned short ushort;\n"
                           "typedef unsigned long ulong;\n"
                           "#define register\n"
                           "#ifndef NULL\n"
                           "#define NULL 0\n"
                           "#endif\n"
                           "#define CHAR_BIT 8\n"
                           "#define SCHAR_MIN (-128)\n"
                           "#define SCHAR_MAX 127\n"
                           "#define UCHAR_MAX 255\n"
                           "#define CHAR_MIN (-128)\n"
                           "#define CHAR_MAX 127\n"
                           "#define SHRT_MIN (-32768)\n"
                           "#define SHRT_MAX 32767\n"
                           "#define USHRT_MAX 65535\n"
                           "#define INT_MIN (-2147483647 - 1)\n"
                           "#define INT_MAX 2147483647\n"
                           "#define UINT_MAX 4294967295u\n"
                           "#define LONG_MIN (-9223372036854775807l - 1)\n"
                           "#define LONG_MAX 9223372036854775807l\n"
                           "#define ULONG_MAX 18446744073709551615ul\n"
                           "#define LLONG_MIN (-9223372036854775807ll - 1)\n"
                           "#define LLONG_MAX 9223372036854775807ll\n"
                           "#define ULLONG_MAX 18446744073709551615ull\n"
                           "#define INT8_MIN SCHAR_MIN\n"
                           "#define INT8_MAX SCHAR_MAX\n"
                           "#define UINT8_MAX UCHAR_MAX\n"
                           "#define INT16_MIN SHRT_MIN\n"
                           "#define INT16_MAX SHRT_MAX\n"
                           "#define UINT16_MAX USHRT_MAX\n"
                           "#define INT32_MIN INT_MIN\n"
                           "#define INT32_MAX INT_MAX\n"
                           "#define UINT32_MAX UINT_MAX\n"
                           "#define INT64_MIN LLONG_MIN\n"
                           "#define INT64_MAX LLONG_MAX\n"
                           "#define UINT64_MAX ULLONG_MAX\n"
                           "#define SIZE_MAX ULONG_MAX\n"
                           "#define RAND_MAX 2147483647\n"
                           "#define FLT_DIG 6\n"
                           "#define FLT_MANT_DIG 24\n"
                           "#define FLT_MIN 1.17549435e-38f\n"
                           "#define FLT_MAX 3.402823466e+38f\n"
                           "#define FLT_EPSILON 1.19209290e-07f\n"
                           "#define DBL_DIG 15\n"
                           "#define DBL_MANT_DIG 53\n"
                           "#define DBL_MIN 2.2250738585072014e-308\n"
                           "#define DBL_MAX 1.7976931348623157e+308\n"
                           "#define DBL_EPSILON 2.2204460492503131e-16\n"
                           "#define HUGE_VALF (__int_as_float (0x7f800000))\n"
                           "#define HUGE_VAL (__longlong_as_double (0x7ff0000000000000ll))\n"
                           "#define INFINITY (__int_as_float (0x7f800000))\n"
                           "#define NAN (__int_as_float (0x7fffffff))\n"
                           "#define M_E 2.7182818284590452354\n"
                           "#define M_LOG2E 1.4426950408889634074\n"
                           "#define M_LOG10E 0.43429448190325182765\n"
                           "#define M_LN2 0.69314718055994530942\n"
                           "#define M_LN10 2.30258509299404568402\n"
                           "#define M_PI 3.14159265358979323846\n"
                           "#define M_PI_2 1.57079632679489661923\n"
                           "#define M_PI_4 0.78539816339744830962\n"
                           "#define M_1_PI 0.31830988618379067154\n"
                           "#define M_2_PI 0.63661977236758134308\n"
                           "#define M_2_SQRTPI 1.12837916709551257390\n"
                           "#define M_SQRT2 1.41421356237309504880\n"
                           "#define M_SQRT1_2 0.70710678118654752440\n"
                           "#endif\n";

/* `std`: of its own, since a file may bring what it needs of that. */
static const char base_std[] =
    "#ifndef CURED_BASE_STD_H\n"
    "#define CURED_BASE_STD_H\n"
    "namespace std {\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n"
    "using ::intptr_t; using ::uintptr_t; using ::size_t; using ::ptrdiff_t;\n"
    "using ::min; using ::max; using ::abs; using ::sqrt; using ::exp; using ::log; using ::log2;\n"
    "using ::pow; using ::sin; using ::cos; using ::tan; using ::tanh;\n"
    "using ::floor; using ::ceil; using ::round; using ::fabs; using ::fmod;\n"
    "using ::fma; using ::exp2; using ::log10; using ::cbrt; using ::hypot;\n"
    "using ::fmax; using ::fmin; using ::isnan; using ::isinf;\n"
    "using ::isfinite; using ::erf; using ::atan; using ::atan2; using ::acos;\n"
    "using ::asin; using ::sinh; using ::cosh; using ::log1p; using ::expm1;\n"
    "using ::trunc; using ::rint; using ::lround; using ::copysign;\n"
    "template <class T> struct numeric_limits;\n"
    "#define CURED_LIMITS(type, least, most, lowest_, eps, signed_, integer_, digits_) \\\n"
    "  template <> struct numeric_limits<type> { \\\n"
    "    static constexpr bool is_specialized = true; \\\n"
    "    static constexpr bool is_signed = signed_; \\\n"
    "    static constexpr bool is_integer = integer_; \\\n"
    "    static constexpr int digits = digits_; \\\n"
    "    __host__ __device__ static constexpr type min () { return least; } \\\n"
    "    __host__ __device__ static constexpr type max () { return most; } \\\n"
    "    __host__ __device__ static constexpr type lowest () { return lowest_; } \\\n"
    "    __host__ __device__ static constexpr type epsilon () { return eps; } \\\n"
    "    __device__ static type infinity () { return integer_ ? (type) 0 : (type) HUGE_VAL; } \\\n"
    "    __device__ static type quiet_NaN () { return integer_ ? (type) 0 : (type) NAN; } };\n"
    "CURED_LIMITS (bool, false, true, false, 0, false, true, 1)\n"
    "CURED_LIMITS (char, CHAR_MIN, CHAR_MAX, CHAR_MIN, 0, true, true, 7)\n"
    "CURED_LIMITS (signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN, 0, true, true, 7)\n"
    "CURED_LIMITS (unsigned char, 0, UCHAR_MAX, 0, 0, false, true, 8)\n"
    "CURED_LIMITS (short, SHRT_MIN, SHRT_MAX, SHRT_MIN, 0, true, true, 15)\n"
    "CURED_LIMITS (unsigned short, 0, USHRT_MAX, 0, 0, false, true, 16)\n"
    "CURED_LIMITS (int, INT_MIN, INT_MAX, INT_MIN, 0, true, true, 31)\n"
    "CURED_LIMITS (unsigned int, 0, UINT_MAX, 0, 0, false, true, 32)\n"
    "CURED_LIMITS (long, LONG_MIN, LONG_MAX, LONG_MIN, 0, true, true, 63)\n"
    "CURED_LIMITS (unsigned long, 0, ULONG_MAX, 0, 0, false, true, 64)\n"
    "CURED_LIMITS (long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, 0, true, true, 63)\n"
    "CURED_LIMITS (unsigned long long, 0, ULLONG_MAX, 0, 0, false, true, 64)\n"
    "CURED_LIMITS (float, FLT_MIN, FLT_MAX, -FLT_MAX, FLT_EPSILON, true, false, 24)\n"
    "CURED_LIMITS (double, DBL_MIN, DBL_MAX, -DBL_MAX, DBL_EPSILON, true, false, 53)\n"
    "#undef CURED_LIMITS\n"
    "template <class T, T v> struct integral_constant\n"
    "{ static constexpr T value = v; typedef T value_type;\n"
    "  __host__ __device__ constexpr operator T () const { return v; } };\n"
    "template <bool v> using bool_constant = integral_constant<bool, v>;\n"
    "typedef integral_constant<bool, true> true_type;\n"
    "typedef integral_constant<bool, false> false_type;\n"
    "template <class T> struct remove_const { typedef T type; };\n"
    "template <class T> struct remove_const<const T> { typedef T type; };\n"
    "template <class T> struct remove_volatile { typedef T type; };\n"
    "template <class T> struct remove_volatile<volatile T> { typedef T type; };\n"
    "template <class T> struct remove_cv { typedef typename remove_const<typename "
    "remove_volatile<T>::type>::type type; };\n"
    "template <class A, class B> struct is_same : false_type {};\n"
    "template <class A> struct is_same<A, A> : true_type {};\n"
    "template <class T> struct is_pointer : false_type {};\n"
    "template <class T> struct is_pointer<T *> : true_type {};\n"
    "template <class T> struct is_floating_point : integral_constant<bool,\n"
    "  is_same<typename remove_cv<T>::type, float>::value ||\n"
    "  is_same<typename remove_cv<T>::type, double>::value> {};\n"
    "template <class T> struct is_integral : integral_constant<bool,\n"
    "  numeric_limits<typename remove_cv<T>::type>::is_integer> {};\n"
    "template <class T> struct is_arithmetic : integral_constant<bool,\n"
    "  is_integral<T>::value || is_floating_point<T>::value> {};\n"
    "template <class T> struct is_signed : integral_constant<bool,\n"
    "  numeric_limits<T>::is_signed> {};\n"
    "template <class T> struct is_unsigned : integral_constant<bool,\n"
    "  !numeric_limits<T>::is_signed> {};\n"
    "#if __cplusplus >= 201703L\n"
    "template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;\n"
    "template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;\n"
    "template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;\n"
    "template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;\n"
    "#endif\n"
    "template <bool c, class T = void> struct enable_if {};\n"
    "template <class T> struct enable_if<true, T> { typedef T type; };\n"
    "template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;\n"
    "template <bool c, class A, class B> struct conditional { typedef A type; };\n"
    "template <class A, class B> struct conditional<false, A, B> { typedef B type; };\n"
    "template <bool c, class A, class B> using conditional_t = typename conditional<c, A, "
    "B>::type;\n"
    "template <class T> using remove_const_t = typename remove_const<T>::type;\n"
    "template <class T> using remove_cv_t = typename remove_cv<T>::type;\n"
    "}\n"
    "#endif\n";

#define INCLUDE_STD "#include \"" CURED_STUB_STD "\"\n"

static const char include_base[] = "#include \"" CURED_STUB_BASE "\"\n" INCLUDE_STD;

/* Headers of which device code uses only the above, or nothing. */
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

/* Libraries of the host's that bring types of device code along. */
static const char *const with_halves[] = {
  "cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h", NULL,
};

static const char include_halves[] =
    "#include \"" CURED_STUB_BASE "\"\n" INCLUDE_STD "#if __has_include(<cuda_bf16.h>)\n"
    "#include <cuda_fp16.h>\n"
    "#include <cuda_bf16.h>\n"
    "#endif\n";

/* What <cub/cub.cuh> includes of device code. The rest of it is the host's, and no JIT compiler
 * takes it. */
/* clang-format off */
static const char cub[] =
    "#include <cub/block/block_adjacent_difference.cuh>\n#include <cub/block/block_discontinuity.cuh>\n"
    "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_histogram.cuh>\n"
    "#include <cub/block/block_load.cuh>\n#include <cub/block/block_merge_sort.cuh>\n"
    "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_reduce.cuh>\n"
    "#include <cub/block/block_run_length_decode.cuh>\n#include <cub/block/block_scan.cuh>\n"
    "#include <cub/block/block_shuffle.cuh>\n#include <cub/block/block_store.cuh>\n"
    "#include <cub/warp/warp_exchange.cuh>\n#include <cub/warp/warp_load.cuh>\n"
    "#include <cub/warp/warp_merge_sort.cuh>\n#include <cub/warp/warp_reduce.cuh>\n"
    "#include <cub/warp/warp_scan.cuh>\n#include <cub/warp/warp_store.cuh>\n"
    "#include <cub/thread/thread_load.cuh>\n#include <cub/thread/thread_operators.cuh>\n"
    "#include <cub/thread/thread_reduce.cuh>\n#include <cub/thread/thread_scan.cuh>\n"
    "#include <cub/thread/thread_search.cuh>\n#include <cub/thread/thread_store.cuh>\n"
    "#include <cub/iterator/cache_modified_input_iterator.cuh>\n"
    "#include <cub/iterator/cache_modified_output_iterator.cuh>\n";

/* What the toolkit's `cuda::std` has beyond the base, by the header that it is in. */
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

/* (nullable): the header of `cuda::std` that has the word. */
const char *
_cured_stub_header_find_std (const char *word)
{
  g_autofree char *spaced = g_strconcat (" ", word, " ", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (of_cuda); i++)
    if (strstr (of_cuda[i].words, spaced) != NULL)
      return of_cuda[i].header;
  return NULL;
}

/* Adds those words behind `std::` in @text that the toolkit has to bring. */
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

/* (transfer full): the text of %CURED_STUB_BASE. What is compiled has it in front, with `std`,
 * unless one of @texts puts things there itself: then `std` comes with the headers that represent
 * C++'s. */
char *
_cured_stub_header_make_base (const char *const *texts)
{
  gboolean is_own = FALSE;

  for (; *texts != NULL; texts++)
    is_own |= has_own_std (*texts);
  return g_strconcat (base, is_own ? "" : INCLUDE_STD, NULL);
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
  GString *text = g_string_new (base_std), *names = g_string_new (NULL);
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

/* (nullable): what the compiler gets instead; NULL where there is no stub. */
const char *
_cured_stub_header_find (const char *name)
{
  if (g_strv_contains (plain, name))
    return include_base;
  if (g_strv_contains (with_halves, name))
    return include_halves;
  /* Containers and algorithms of the host's, and its marks for profilers. */
  if (g_str_has_prefix (name, "thrust/") || g_str_has_prefix (name, "nvtx3/"))
    return include_base;
  if (g_str_equal (name, "cub/cub.cuh"))
    return cub;
  return g_str_equal (name, CURED_STUB_BASE)  ? base
         : g_str_equal (name, CURED_STUB_STD) ? base_std
                                              : NULL;
}

/* (transfer full): what includes the toolkit's file of that name, and where it has none says so
 * and goes on: most such files are the host's. */
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

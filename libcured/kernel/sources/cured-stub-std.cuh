#ifndef CURED_BASE_STD_H
#define CURED_BASE_STD_H
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::size_t; using ::ptrdiff_t;
using ::min; using ::max; using ::abs; using ::sqrt; using ::exp; using ::log; using ::log2;
using ::pow; using ::sin; using ::cos; using ::tan; using ::tanh;
using ::floor; using ::ceil; using ::round; using ::fabs; using ::fmod;
using ::fma; using ::exp2; using ::log10; using ::cbrt; using ::hypot;
using ::fmax; using ::fmin; using ::isnan; using ::isinf;
using ::isfinite; using ::erf; using ::atan; using ::atan2; using ::acos;
using ::asin; using ::sinh; using ::cosh; using ::log1p; using ::expm1;
using ::trunc; using ::rint; using ::lround; using ::copysign;
using ::memcpy; using ::memset; using ::acosh; using ::asinh; using ::atanh; using ::erfc;
using ::tgamma; using ::lgamma; using ::nearbyint; using ::remainder; using ::signbit;
using ::ldexp; using ::frexp; using ::modf; using ::fdim; using ::nextafter; using ::logb;
using ::ilogb; using ::scalbn; using ::llround; using ::lrint; using ::llrint; using ::labs;
using ::llabs;
template <class T> struct numeric_limits;
#define CURED_LIMITS(type, least, most, lowest_, eps, signed_, integer_, digits_) \
  template <> struct numeric_limits<type> { \
    static constexpr bool is_specialized = true; \
    static constexpr bool is_signed = signed_; \
    static constexpr bool is_integer = integer_; \
    static constexpr int digits = digits_; \
    __host__ __device__ static constexpr type min () { return least; } \
    __host__ __device__ static constexpr type max () { return most; } \
    __host__ __device__ static constexpr type lowest () { return lowest_; } \
    __host__ __device__ static constexpr type epsilon () { return eps; } \
    __device__ static type infinity () { return integer_ ? (type) 0 : (type) HUGE_VAL; } \
    __device__ static type quiet_NaN () { return integer_ ? (type) 0 : (type) NAN; } };
CURED_LIMITS (bool, false, true, false, 0, false, true, 1)
CURED_LIMITS (char, CHAR_MIN, CHAR_MAX, CHAR_MIN, 0, true, true, 7)
CURED_LIMITS (signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN, 0, true, true, 7)
CURED_LIMITS (unsigned char, 0, UCHAR_MAX, 0, 0, false, true, 8)
CURED_LIMITS (short, SHRT_MIN, SHRT_MAX, SHRT_MIN, 0, true, true, 15)
CURED_LIMITS (unsigned short, 0, USHRT_MAX, 0, 0, false, true, 16)
CURED_LIMITS (int, INT_MIN, INT_MAX, INT_MIN, 0, true, true, 31)
CURED_LIMITS (unsigned int, 0, UINT_MAX, 0, 0, false, true, 32)
CURED_LIMITS (long, LONG_MIN, LONG_MAX, LONG_MIN, 0, true, true, 63)
CURED_LIMITS (unsigned long, 0, ULONG_MAX, 0, 0, false, true, 64)
CURED_LIMITS (long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, 0, true, true, 63)
CURED_LIMITS (unsigned long long, 0, ULLONG_MAX, 0, 0, false, true, 64)
CURED_LIMITS (float, FLT_MIN, FLT_MAX, -FLT_MAX, FLT_EPSILON, true, false, 24)
CURED_LIMITS (double, DBL_MIN, DBL_MAX, -DBL_MAX, DBL_EPSILON, true, false, 53)
#undef CURED_LIMITS
template <class T, T v> struct integral_constant
{ static constexpr T value = v; typedef T value_type;
  __host__ __device__ constexpr operator T () const { return v; } };
template <bool v> using bool_constant = integral_constant<bool, v>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T *> : true_type {};
template <class T> struct is_floating_point : integral_constant<bool,
  is_same<typename remove_cv<T>::type, float>::value ||
  is_same<typename remove_cv<T>::type, double>::value> {};
template <class T> struct is_integral : integral_constant<bool,
  numeric_limits<typename remove_cv<T>::type>::is_integer> {};
template <class T> struct is_arithmetic : integral_constant<bool,
  is_integral<T>::value || is_floating_point<T>::value> {};
template <class T> struct is_signed : integral_constant<bool,
  numeric_limits<T>::is_signed> {};
template <class T> struct is_unsigned : integral_constant<bool,
  !numeric_limits<T>::is_signed> {};
#if __cplusplus >= 201703L
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
#endif
template <bool c, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;
template <bool c, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool c, class A, class B> using conditional_t = typename conditional<c, A, B>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
}
#endif

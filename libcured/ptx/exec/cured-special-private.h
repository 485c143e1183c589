/* SPDX-License-Identifier: MIT
 * Bit-exact approximations of a multiprocessor's special-function unit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Arguments and results are bits of f32, or of f16 or bf16, or upper words of f64, as named. */
uint32_t _cured_approx_rcp (uint32_t x, bool is_flushed);
uint32_t _cured_approx_sqrt (uint32_t x, bool is_flushed);
uint32_t _cured_approx_rsqrt (uint32_t x, bool is_flushed);
uint32_t _cured_approx_ex2 (uint32_t x, bool is_flushed);
uint32_t _cured_approx_lg2 (uint32_t x, bool is_flushed);
uint32_t _cured_approx_sin (uint32_t x);
uint32_t _cured_approx_cos (uint32_t x);
uint32_t _cured_approx_tanh (uint32_t x);
uint32_t _cured_approx_div (uint32_t x, uint32_t y, bool is_flushed);
uint32_t _cured_approx_div_full (uint32_t x, uint32_t y, bool is_flushed);
uint32_t _cured_approx_ex2_f16 (uint32_t x);
uint32_t _cured_approx_ex2_bf16 (uint32_t x);
uint32_t _cured_approx_tanh_f16 (uint32_t x);
uint32_t _cured_approx_tanh_bf16 (uint32_t x);
uint32_t _cured_approx_rcp_f64 (uint32_t x);
uint32_t _cured_approx_rsqrt_f64 (uint32_t x);

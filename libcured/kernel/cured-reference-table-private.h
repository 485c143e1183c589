/* SPDX-License-Identifier: MIT
 * The references in C that Reference= can name. */
#pragma once

#include <glib/gi18n-lib.h>

/* name, function, what it computes; sorted by name */
/* clang-format off */
#define CURED_REFERENCES(ROW) \
  ROW ("average", average, \
    N_ ("the mean of each element of in and its two neighbours, iterations times")) \
  ROW ("chase", chase, N_ ("where a ring of pointers leads after repeats · steps of them")) \
  ROW ("conflict", conflict, \
    N_ ("the numbers of the words that each lane of banks/conflict reads, added up")) \
  ROW ("copy", copy, N_ ("the elements of in")) \
  ROW ("divergence", divergence, N_ ("what the two ways of features/divergence make of in")) \
  ROW ("dot", dot, N_ ("the sum of a · b, element by element")) \
  ROW ("exclusive-or", exclusive_or, N_ ("all bits of a and b, exclusive-ored")) \
  ROW ("index", index, N_ ("each element's own index")) \
  ROW ("matmul", matmul, N_ ("c = a · b, row by row: m × k by k × n, or n × n")) \
  ROW ("pattern", pattern, N_ ("the words that each lane of banks/pattern meets, added up")) \
  ROW ("reduce", reduce, N_ ("the sum, product, minimum or maximum of all elements of in")) \
  ROW ("reverse", reverse, N_ ("the elements of in, the last one first")) \
  ROW ("squared-error", squared_error, \
    N_ ("sum and mean of (a − b)²; before them, if asked for, each block's sum")) \
  ROW ("stream", stream, \
    N_ ("what each thread adds up that takes every n-th element of in, passes times")) \
  ROW ("stride", stride, \
    N_ ("the words that each lane of banks/stride or banks/half-warp meets, added up")) \
  ROW ("sum", sum, N_ ("the sum of all elements of in")) \
  ROW ("transpose", transpose, N_ ("the columns of in, m × n or n × n, as rows")) \
  ROW ("vector-add", vector_add, N_ ("a + b, element by element"))
/* clang-format on */

/* SPDX-License-Identifier: MIT
 * A kernel file: one .cu whose opening comment describes it. */
#pragma once

#include <glib.h>

#include "base/cured-axis.h"
#include "base/cured-expr.h"
#include "base/cured-metric.h"
#include "ptx/cured-tensor-map.h"

typedef enum
{
  CURED_PARAMETER_COMPILE, /* becomes `-DNAME=value` (upper case) */
  CURED_PARAMETER_LAUNCH,  /* used in expressions only */
  CURED_PARAMETER_PROBLEM, /* used in expressions, and sizes the buffers */
  /* in no kernel file: the axis of a result that compares different devices */
  CURED_PARAMETER_DEVICE,
} CuredParameterKind;

typedef struct
{
  char *name;
  char *summary; /* nullable */
  CuredParameterKind kind;
  CuredAxis *values; /* allowed values, with their names; NULL: any */
  gint64 default_value;
  gboolean is_guess; /* the default is a draft's guess */
} CuredParameter;

/* ORDER: as in cured-elements.def. */
typedef enum
{
  CURED_ELEMENT_I32,
  CURED_ELEMENT_U32,
  CURED_ELEMENT_F32,
  CURED_ELEMENT_F64,
  CURED_ELEMENT_I64,
  CURED_ELEMENT_U64,
  CURED_ELEMENT_I8,
  CURED_ELEMENT_U8,
  CURED_ELEMENT_I16,
  CURED_ELEMENT_U16,
  CURED_ELEMENT_F16,
  CURED_ELEMENT_BF16,
  CURED_ELEMENT_E4M3,
  CURED_ELEMENT_E5M2,
  CURED_N_ELEMENTS,
} CuredElement;

typedef struct
{
  char *name;          /* "x", "at.y", "rest[3]" */
  CuredElement type;   /* type of the scalar */
  gboolean is_pointer; /* it is an address; @type is an integer of that size */
  gsize offset;        /* bytes from the element's beginning */
} CuredField;

/* An element that is not a scalar. */
typedef struct
{
  char *text;         /* as in the kernel file: `f32x4`, `struct:Particle` */
  gsize size;         /* bytes of an element */
  gsize alignment;    /* of an element, as in CUDA; bytes */
  CuredField *fields; /* (array length=n_fields): the scalars in it, at least one */
  gsize n_fields;
  gboolean is_plain; /* all fields have one type, without padding between or behind them */
} CuredRecord;

typedef enum
{
  CURED_FILL_POISON,      /* a pattern that no kernel writes by accident (outputs) */
  CURED_FILL_CONSTANT,    /* every element is `Low` */
  CURED_FILL_RAMP,        /* `Low + i * High`, wrapped to the type */
  CURED_FILL_UNIFORM,     /* uniform in [Low, High] (integers) or [Low, High) */
  CURED_FILL_NORMAL,      /* mean `Low`, standard deviation `High` */
  CURED_FILL_PERMUTATION, /* 0 … length - 1, each once */
  CURED_FILL_SORTED,      /* as uniform, in ascending order */
  CURED_FILL_EXPRESSION,  /* `Value`, in which `i` is the index */
  CURED_FILL_FILE,        /* the contents of a file */
  CURED_FILL_VALUES,      /* the numbers of `Values`, repeated */
} CuredFill;

/* *
 * CuredBuffer:
 * @type: type of its elements; with a @record, of their first field
 * @record: (nullable): fields of elements that are not scalars
 * @value: (nullable): the expression of CURED_FILL_EXPRESSION
 * @file: (nullable): for CURED_FILL_FILE, the name as in the kernel file
 * @contents: (nullable): the elements in that file; NULL if @is_apart and it is not available
 * @is_apart: the file is too large for the kernel's text, which contains its digest instead
 * @checksum: (nullable): of @contents; of the whole file if @is_apart
 * @values: (nullable) (array length=n_values): of %CURED_FILL_VALUES
 * @is_constant: it is the source's `__constant__` variable of that name, which is filled before the
 *   launches, and not an argument
 * @type_parameter: index of the parameter whose value picks the type, from 0; -1: the type is
 *   @type
 * @variants: (array length=n_variants): the buffer in each of its types; empty if it has only one.
 *   cured_buffer_resolve() picks one; a program's buffers are already resolved
 */
typedef struct _CuredBuffer CuredBuffer;
struct _CuredBuffer
{
  char *name;
  CuredElement type;
  CuredRecord *record; /* nullable */
  CuredExpr *length;   /* elements */
  CuredFill fill;
  CuredExpr *low;  /* NULL: the fill's default */
  CuredExpr *high; /* NULL: the fill's default */
  CuredExpr *step; /* distance of uniform integers; NULL: 1 */
  CuredExpr *value;
  char *file;
  GBytes *contents;
  gboolean is_apart;
  char *checksum;
  double *values;
  gsize n_values;
  gboolean is_constant;
  int type_parameter;
  CuredBuffer *variants;
  gsize n_variants;
  gboolean is_guess; /* the length is a draft's guess, or computed from one */
};

/* From a `[TensorMap NAME]` group: an argument `const __grid_constant__ CUtensorMap` of a
 * kernel. */
typedef struct
{
  char *name;
  int buffer;                         /* index of the buffer that it describes */
  CuredTensorType type;               /* of an element; may differ from the buffer's */
  guint rank;                         /* dimensions, 1 to 5 */
  CuredExpr *dims[CURED_TENSOR_RANK]; /* elements, the innermost dimension first */
  /* (nullable): bytes between neighbouring indices of dimension i + 1; %NULL: dimension i is
   * dense */
  CuredExpr *strides[CURED_TENSOR_RANK - 1];
  /* elements that one copy takes of each dimension; with im2col, channels and pixels */
  CuredExpr *box[CURED_TENSOR_RANK];
  gboolean is_im2col; /* a copy's pixels are counted between two corners, as for a convolution */
  /* (nullable): lower corner of im2col in each dimension from the second on; %NULL is
   * 0 */
  CuredExpr *lower[CURED_TENSOR_RANK - 2];
  /* (nullable): upper corner, relative to the tensor's end */
  CuredExpr *upper[CURED_TENSOR_RANK - 2];
  CuredExpr *steps[CURED_TENSOR_RANK]; /* (nullable): N copies every Nth element; %NULL is 1 */
  CuredExpr *swizzle;    /* (nullable): bytes within which chunks of 16 are permuted; %NULL is 0 */
  CuredExpr *interleave; /* (nullable): bytes of a slice of channels; %NULL is 0 */
  CuredExpr *promotion;  /* (nullable): bytes that the L2 cache fetches; %NULL is 0 */
  gboolean fills_nan;    /* elements out of bounds are NaN */
} CuredTensorMap;

typedef enum
{
  CURED_TEXTURE_NO,         /* the argument is not a texture */
  CURED_TEXTURE_ELEMENTS,   /* a fetch returns the buffer's elements */
  CURED_TEXTURE_NORMALIZED, /* a fetch returns integers as reals of 0 to 1, or -1 to 1 */
} CuredTextureMode;

/* *
 * CuredArgument:
 * @buffer: index of a buffer, or -1
 * @tensor_map: index of a tensor map, or -1
 * @expr: (nullable): a scalar's value, if both are -1; otherwise the offset into the buffer, in
 *   elements; NULL is 0
 * @texture: whether the argument is a texture object over @buffer
 * @type: the scalar's type; i32 for `n`, i64 for `n:i64`
 * @record: (nullable): a vector or a struct by value; then @buffer is -1 and @expr NULL
 * @parts: (array): of @record, one per field: scalars, and buffers where the field is a pointer */
typedef struct _CuredArgument CuredArgument;
struct _CuredArgument
{
  int buffer, tensor_map;
  CuredTextureMode texture;
  CuredExpr *expr;
  CuredElement type;
  CuredRecord *record;
  CuredArgument *parts;
};

/* Whether a step only prepares data for the others. */
typedef enum
{
  CURED_SETUP_NO,   /* the step is timed */
  CURED_SETUP_ONCE, /* it runs before the check and before the samples */
  CURED_SETUP_EACH, /* it runs before each run, between the samples too */
} CuredSetup;

/* What the host does in a step. Copies are steps so that they can be timed. */
typedef enum
{
  CURED_HOST_NONE,  /* nothing */
  CURED_HOST_SUM,   /* it sums up a buffer */
  CURED_HOST_FETCH, /* it copies a buffer from the device, and drops the copy */
  CURED_HOST_SEND,  /* it copies zeros over a whole buffer */
} CuredHostWork;

/* One launch of the timed program, from a `[Launch]` or `[Launch N]` group. */
typedef struct
{
  /* (nullable): name of the kernel; NULL: a memset of @memset_buffer to @memset_value, or the
   * host's work */
  char *entry;
  CuredExpr *grid[3];  /* blocks in x, y, z; missing ones are 1 */
  CuredExpr *block[3]; /* threads in x, y, z; missing ones are 1 */
  /* blocks of a cluster in x, y, z; missing ones are 1; without the first one, the kernel's own
   * attributes decide */
  CuredExpr *cluster[3];
  /* whether all blocks must be resident at once, so that a barrier of the whole grid works */
  gboolean is_cooperative;
  CuredExpr *shared; /* (nullable): bytes of dynamic shared memory */
  CuredArgument *arguments;
  gsize n_arguments;
  CuredExpr *repeat; /* (nullable): how often the step runs, may be 0; NULL is 1 */
  char *index;       /* (nullable): name of the repetition's index, from 0, in expressions */
  /* two buffers that are swapped between repetitions, or {-1, -1}; in the last repetition, each
   * argument is the buffer that it names */
  int swap[2], memset_buffer;
  int memset_value; /* 0 to 255 */
  CuredHostWork host;
  gboolean is_pageable; /* the host's memory of a fetch or send is not pinned */
  int host_from;        /* buffer that the host sums up or fetches, or -1 */
  int host_to;          /* buffer whose first element gets the sum, or that is sent */
  CuredSetup setup;     /* whether it is timed and counted; steps with it come first */
} CuredStep;

typedef struct
{
  char *name;           /* as in `[Require NAME]` */
  CuredExpr *condition; /* points of the parameters where it is 0 can't be launched */
  char *reason;         /* the reason, for people */
} CuredRequirement;

/* A statement about a kernel's metrics, which cured_claim_count() and cured_claim_look_up()
 * check. */
typedef struct
{
  char *name;     /* as in `[Claim NAME]` */
  char *text;     /* the claim, for people */
  char *question; /* (nullable): the same as a question whose answer is the figure; untranslated */
  CuredMetric metric;   /* the metric that it is about */
  char *at;             /* (nullable): the point, as in the file */
  gint64 *at_values;    /* one per parameter, in the kernel's order */
  char *against;        /* (nullable): what the figure is divided by, as in the file */
  char *against_kernel; /* (nullable): id of another kernel */
  /* (nullable): that kernel's point, for cured_kernel_parse_point(); NULL: its defaults */
  char *against_point;
  /* (nullable): one per parameter, if @against is a point of the same kernel */
  gint64 *against_values;
  double low;  /* lower bound of the figure; NaN: none */
  double high; /* upper bound of the figure; NaN: none */
} CuredClaim;

/* Source files that a kernel from another process came with; see cured-sources.h. */
typedef struct _CuredSources CuredSources;

typedef enum
{
  CURED_CEILING_NONE,
  CURED_CEILING_READ,
  CURED_CEILING_COPY,
  CURED_CEILING_FP32,
} CuredCeiling;

/* A parsed kernel file, immutable and reference-counted; may be used by any thread. All strings are
 * UTF-8. Every name in an expression is that of a parameter or of a limit, and every index is in
 * range. */
typedef struct
{
  char *id; /* `reduce/two-launch`, or a file name without `.cu` or `.ptx` */
  /* (nullable): the file with the code; NULL for a kernel from the catalogue or from a result
   * file */
  char *path;
  char *text; /* the file's whole text, as a person edits it */
  /* the self-contained text: @text and, with `Like=`, the groups from the other file in a comment
   * at the end. The header is a comment, too: the text compiles as it is, with true line
   * numbers */
  char *source;
  gboolean is_ptx; /* the code is another compiler's PTX, not CUDA C */

  char *title;   /* the title, for people */
  char *summary; /* (nullable): one line that describes it */
  char *family;  /* (nullable): the ladder that it is a step of */
  int rung;      /* its step of the family's ladder, from 1; 0 where it has none */
  int is_detour; /* `Role=detour`: the next step builds on the step before this one */
  /* (nullable): the deliberate bug, as in the file: `race`, or `race,global-race`; NULL for a
   * kernel that is meant to be right */
  char *defect;
  /* the same: bit k is #CuredFindingKind k; 0 for a kernel that is meant to be right */
  guint32 defects;
  const char *const *options; /* (array zero-terminated=1): further options for NVRTC; never NULL */
  /* (array zero-terminated=1): folders below the file's own, which are searched for included files;
   * never NULL */
  char **includes;
  char *arch; /* (nullable): the only chip that it runs on, by its features: `90a` */
  /* the measured rate of the device that bounds the kernel; unless it is CURED_CEILING_NONE, the
   * expression that it needs is set */
  CuredCeiling ceiling;
  CuredExpr *flops; /* (nullable): floating-point operations of one run */
  /* (nullable): units of work of one run; NULL: elements of the longest buffer */
  CuredExpr *elements;
  CuredExpr *bytes; /* (nullable): bytes of global memory that one run must move */

  /* (array length=n_parameters): in the file's order. Their names differ, and @default_value is
   * among @values where there are any */
  CuredParameter *parameters;
  /* (array length=n_parameters): each parameter's values in the default sweep, all allowed ones;
   * NULL: only its default value */
  CuredAxis **sweep;
  gsize n_parameters;
  char *sweep_x; /* (nullable): the parameter on a heat map's X axis; it has values in @sweep */
  char *sweep_y; /* (nullable): the one on the Y axis; differs from @sweep_x */
  CuredBuffer *buffers; /* (array length=n_buffers): in the file's order */
  gsize n_buffers;
  CuredTensorMap *tensor_maps; /* (array length=n_tensor_maps): in the file's order */
  gsize n_tensor_maps;
  /* (array length=n_steps): the launches, memsets and host steps of one run, in order; at least one
   * is a launch */
  CuredStep *steps;
  gsize n_steps;
  /* (array length=n_requirements): conditions on the parameters besides the device's limits, in the
   * file's order */
  CuredRequirement *requirements;
  gsize n_requirements;
  /* (array length=n_claims): the kernel file's claims about its metrics, in the file's order */
  CuredClaim *claims;
  gsize n_claims;

  /* index of the buffer that is checked; -1 for a kernel without `[Check]`, which is timed
   * unchecked */
  int output;
  /* (nullable): `sum`, `kernel:matmul/naive` or `./other.cu`; NULL where @output is -1 */
  char *reference;
  CuredExpr *tolerance; /* (nullable): absolute tolerance; NULL is 0 */
  CuredExpr *relative;  /* (nullable): tolerance relative to the reference; NULL is 0 */

  /* index of the buffer in which the kernel stores cycles that it measured itself; its fill is
   * poison; -1 for a kernel without `[Cycles]` */
  int cycles;
  CuredExpr *cycles_per; /* (nullable): divisor of the cycles; NULL is 1 */

  /*< private >*/
  CuredSources *sources; /* nullable: files that the kernel came with */
  CuredSources *carried; /* nullable: the [Include NAME] groups of the text */
} CuredKernel;

CuredKernel *cured_kernel_new_from_text (const char *text, const char *id, const char *path,
                                         GError **error);
CuredKernel *cured_kernel_new_from_file (const char *path, GError **error);
CuredKernel *cured_kernel_ref (CuredKernel *self);
void cured_kernel_unref (CuredKernel *self);

CuredKernel *cured_kernel_refill (CuredKernel *self, const char *const *fills, GError **error);

gboolean cured_kernel_find_parameter (const CuredKernel *self, const char *name, gsize *index);

gboolean cured_kernel_is_file_name (const char *name);
const char *cured_kernel_translate (const char *text);
char *cured_kernel_get_file_name (const CuredKernel *self);
int cured_kernel_find_line (const CuredKernel *self, const char *file, int line, int ptx_line);
char *cured_kernel_describe_type (const CuredKernel *self, gsize buffer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredKernel, cured_kernel_unref)

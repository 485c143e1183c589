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
  /* of no kernel file: the axis of a result whose cells were measured on unlike devices */
  CURED_PARAMETER_DEVICE,
} CuredParameterKind;

typedef struct
{
  char *name;
  char *summary; /* nullable */
  CuredParameterKind kind;
  CuredAxis *values; /* allowed values, with their names; NULL: any */
  gint64 default_value;
  gboolean is_guess; /* a draft took the default */
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
  CuredElement type;   /* of the scalar */
  gboolean is_pointer; /* it is an address, and @type an integer of its size */
  gsize offset;        /* bytes from the element's beginning */
} CuredField;

/* An element that is no scalar. */
typedef struct
{
  char *text;         /* as the kernel file has it: `f32x4`, `struct:Particle` */
  gsize size;         /* bytes of an element */
  gsize alignment;    /* of an element, as CUDA has it */
  CuredField *fields; /* (array length=n_fields): the scalars in it, at least one */
  gsize n_fields;
  gboolean is_plain; /* fields of one type and nothing between or behind them */
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
  CURED_FILL_VALUES,      /* the numbers of `Values`, over and over */
} CuredFill;

/**
 * CuredBuffer:
 * @type: of its elements; of their first field, where they have a @record
 * @record: (nullable): elements that are no scalars
 * @value: (nullable): of CURED_FILL_EXPRESSION
 * @file: (nullable): of CURED_FILL_FILE, its name as the kernel file has it
 * @contents: (nullable): the elements in that file; NULL where it is apart and not here
 * @is_apart: that file is too large for the kernel's text, which has its digest
 * @checksum: (nullable): of @contents; of the whole file where it is apart
 * @values: (nullable) (array length=n_values): of %CURED_FILL_VALUES
 * @is_constant: it is the source's `__constant__` variable of that name, which is filled before
 *   the launches, and no kernel's argument
 * @type_parameter: index of the parameter whose value picks the type, from 0; -1: the type is
 *   @type
 * @variants: (array length=n_variants): the buffer in each of its types; empty where there is but
 *   one. cured_buffer_resolve() picks one, and the buffers of a program are picked
 */
typedef struct _CuredBuffer CuredBuffer;
struct _CuredBuffer
{
  char *name;
  CuredElement type;
  CuredRecord *record; /* nullable */
  CuredExpr *length;   /* elements */
  CuredFill fill;
  CuredExpr *low;  /* nullable: the fill's default */
  CuredExpr *high; /* nullable: the fill's default */
  CuredExpr *step; /* nullable: uniform integers lie 1 apart */
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
  gboolean is_guess; /* the length is a draft's guess, or made of one */
};

/* From a `[TensorMap NAME]` group: what a kernel takes by value as a `const __grid_constant__
 * CUtensorMap`. */
typedef struct
{
  char *name;
  int buffer;                         /* index of the buffer that it is laid over */
  CuredTensorType type;               /* of an element, which need not be the buffer's */
  guint rank;                         /* dimensions, 1 to 5 */
  CuredExpr *dims[CURED_TENSOR_RANK]; /* elements, the innermost dimension first */
  /* (nullable): bytes from an index of dimension i + 1 to the next one; %NULL: all of the dimension
   * before */
  CuredExpr *strides[CURED_TENSOR_RANK - 1];
  /* elements that one copy takes of each dimension; of im2col, channels and pixels */
  CuredExpr *box[CURED_TENSOR_RANK];
  gboolean is_im2col; /* pixels of a copy walk between two corners */
  /* (nullable): of im2col, where the first pixel's walk begins, of the second dimension on; %NULL
   * is 0 */
  CuredExpr *lower[CURED_TENSOR_RANK - 2];
  /* (nullable): likewise, how far from the tensor's end it ends */
  CuredExpr *upper[CURED_TENSOR_RANK - 2];
  CuredExpr *steps[CURED_TENSOR_RANK]; /* (nullable): N copies every Nth of them; %NULL is 1 */
  CuredExpr *swizzle;    /* (nullable): bytes within which chunks of 16 are permuted; %NULL is 0 */
  CuredExpr *interleave; /* (nullable): bytes of a slice of channels; %NULL is 0 */
  CuredExpr *promotion;  /* (nullable): bytes that the L2 cache fetches; %NULL is 0 */
  gboolean fills_nan;    /* elements out of bounds are NaN */
} CuredTensorMap;

typedef enum
{
  CURED_TEXTURE_NO,         /* the argument is no texture */
  CURED_TEXTURE_ELEMENTS,   /* a fetch gives the buffer's elements */
  CURED_TEXTURE_NORMALIZED, /* it gives integers as reals of 0 to 1, or -1 to 1 */
} CuredTextureMode;

/**
 * CuredArgument:
 * @buffer: index of a buffer, or -1
 * @tensor_map: index of a tensor map, or -1
 * @expr: (nullable): a scalar's expression, where both are -1; of a buffer, how many elements from
 *   its beginning it points, NULL is 0
 * @texture: whether the argument is a texture object over @buffer
 * @type: the scalar's type; `n` is i32, `n:i64` says otherwise
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

/* Whether a step prepares what the others find. */
typedef enum
{
  CURED_SETUP_NO,   /* the step is timed */
  CURED_SETUP_ONCE, /* it runs before the check and before the samples */
  CURED_SETUP_EACH, /* it runs before each run, between the samples too */
} CuredSetup;

/* What the host does in a step. The latter two are there to be timed. */
typedef enum
{
  CURED_HOST_NONE,  /* nothing */
  CURED_HOST_SUM,   /* it adds a buffer up */
  CURED_HOST_FETCH, /* a buffer is copied to it, and dropped there */
  CURED_HOST_SEND,  /* it sends zeros for all of a buffer */
} CuredHostWork;

/* One launch of the timed program, from a `[Launch]` or `[Launch N]` group. */
typedef struct
{
  /* (nullable): name of the kernel; NULL: sets every byte of @memset_buffer to @memset_value, or
   * the host works */
  char *entry;
  CuredExpr *grid[3];  /* blocks in x, y, z; missing ones are 1 */
  CuredExpr *block[3]; /* threads in x, y, z; missing ones are 1 */
  /* blocks of a cluster in x, y, z; missing ones are 1, and without the first one the kernel itself
   * says whether it has clusters */
  CuredExpr *cluster[3];
  /* whether all blocks must be resident at once, so that a barrier of the whole grid works */
  gboolean is_cooperative;
  CuredExpr *shared; /* (nullable): bytes of dynamic shared memory */
  CuredArgument *arguments;
  gsize n_arguments;
  CuredExpr *repeat; /* (nullable): how often the step runs, 0 is never; NULL is once */
  char *index;       /* (nullable): what expressions call the repetition, from 0 */
  /* two buffers that are swapped between repetitions, or {-1, -1}; what the arguments name is what
   * the last repetition sees */
  int swap[2], memset_buffer;
  int memset_value; /* 0 to 255 */
  CuredHostWork host;
  gboolean is_pageable; /* the host's memory of a fetch or send is not pinned */
  int host_from;        /* buffer that the host adds up or fetches, or -1 */
  int host_to;          /* buffer whose first element gets the sum, or that is sent */
  CuredSetup setup;     /* whether it is timed and counted; steps with it come first */
} CuredStep;

typedef struct
{
  char *name;           /* as in `[Require NAME]` */
  CuredExpr *condition; /* a point of the parameters where it is 0 can't be launched */
  char *reason;         /* why, for people */
} CuredRequirement;

/* Something that can be found out of a kernel, and is true. cured_claim_count() and
 * cured_claim_look_up() find out. */
typedef struct
{
  char *name;     /* as in `[Claim NAME]` */
  char *text;     /* the claim, for people */
  char *question; /* (nullable): the same as a question whose answer is the figure; untranslated */
  CuredMetric metric;   /* about which figure */
  char *at;             /* (nullable): where, as the file has it */
  gint64 *at_values;    /* one per parameter, in the kernel's order */
  char *against;        /* (nullable): what the figure is divided by, as the file has it */
  char *against_kernel; /* (nullable): id of another kernel */
  /* (nullable): where in that kernel, for cured_kernel_parse_point(); NULL: at its defaults */
  char *against_point;
  /* (nullable): one per parameter, where @against is a point of the same kernel */
  gint64 *against_values;
  double low;  /* the least that it may be; NaN: no bound */
  double high; /* the most that it may be; NaN: no bound */
} CuredClaim;

/* What came along with a kernel from another process; see cured-sources.h. */
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
  char *id; /* `reduce/two-launch`, or a file's name without `.cu` or `.ptx` */
  /* (nullable): the file that the code is in; NULL for a kernel of the catalogue or of a result
   * file */
  char *path;
  char *text; /* the file's whole text, as a person edits it */
  /* the self-contained text: @text, and where that has a `Like=`, what it takes from the other
   * file, in a comment at the end. The header is a comment, so that it compiles as it is and line
   * numbers stay true */
  char *source;
  gboolean is_ptx; /* the code is PTX, which another compiler wrote, and not CUDA C */

  char *title;   /* the title, for people */
  char *summary; /* (nullable): a line on what it does */
  char *family;  /* (nullable): the ladder that it is a step of */
  int rung;      /* its step of the family's ladder, from 1; 0 where it has none */
  int is_detour; /* the step after it goes on from the one before it: `Role=detour` */
  /* (nullable): the deliberate bug, as the file has it: `race`, or `race,global-race`; NULL for a
   * kernel that is meant to be right */
  char *defect;
  /* the same: bit k is #CuredFindingKind k; 0 for a kernel that is meant to be right */
  guint32 defects;
  const char *const *options; /* (array zero-terminated=1): further NVRTC options; never NULL */
  /* (array zero-terminated=1): folders below the file's own, in which included files are looked
   * for; never NULL */
  char **includes;
  char *arch; /* (nullable): the only chip that it is for, with what no other one has: `90a` */
  /* which of the device's measured rates bounds the kernel; where it is not CURED_CEILING_NONE, the
   * expression that it needs is there */
  CuredCeiling ceiling;
  CuredExpr *flops; /* (nullable): floating-point operations of one run */
  /* (nullable): units of work of one run; NULL: elements of the longest buffer */
  CuredExpr *elements;
  CuredExpr *bytes; /* (nullable): bytes of global memory that one run has to move */

  /* (array length=n_parameters): in the file's order. Their names differ, and @default_value is
   * among @values where there are any */
  CuredParameter *parameters;
  /* (array length=n_parameters): a parameter's values in the default sweep, all of them among those
   * that it allows; NULL: its default value alone */
  CuredAxis **sweep;
  gsize n_parameters;
  char *sweep_x; /* (nullable): the parameter that a heat map has in X; it has values in @sweep */
  char *sweep_y; /* (nullable): likewise in Y; another than @sweep_x */
  CuredBuffer *buffers; /* (array length=n_buffers): in the file's order */
  gsize n_buffers;
  CuredTensorMap *tensor_maps; /* (array length=n_tensor_maps): in the file's order */
  gsize n_tensor_maps;
  /* (array length=n_steps): the launches, memsets and works of the host of one run, in their order;
   * at least one is a launch */
  CuredStep *steps;
  gsize n_steps;
  /* (array length=n_requirements): what a point of the parameters has to meet besides the device's
   * limits, in the file's order */
  CuredRequirement *requirements;
  gsize n_requirements;
  /* (array length=n_claims): what the kernel file says of its metrics, in the file's order */
  CuredClaim *claims;
  gsize n_claims;

  /* index of the buffer that is checked; -1 for a kernel without `[Check]`, which is timed
   * unchecked */
  int output;
  /* (nullable): `sum`, `kernel:matmul/naive` or `./other.cu`; NULL where @output is -1 */
  char *reference;
  CuredExpr *tolerance; /* (nullable): absolute tolerance; NULL is 0 */
  CuredExpr *relative;  /* (nullable): tolerance relative to the reference; NULL is 0 */

  /* index of the buffer to which the kernel writes cycles that it measured itself, filled with
   * poison; -1 for a kernel without `[Cycles]` */
  int cycles;
  CuredExpr *cycles_per; /* (nullable): what the cycles are divided by; NULL is 1 */

  /*< private >*/
  CuredSources *sources; /* nullable: they came along with it */
  CuredSources *carried; /* nullable: [Include NAME] of the text */
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

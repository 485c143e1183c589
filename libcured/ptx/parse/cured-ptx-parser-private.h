/* SPDX-License-Identifier: MIT
 * What the parts of the parser share. */
#pragma once

#include <setjmp.h>

#include "ptx/exec/cured-ptx-exec-private.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "ptx/parse/cured-ptx-lexer-private.h"

/* ---- Names ---- */

/* Words of PTX that are not modifiers: directives and types. */
typedef enum
{
  CURED_KEY_NONE,
#define KEY(word, id) CURED_KEY_##id,
#include "ptx/parse/cured-ptx-keys.def"
  CURED_KEY_FIRST_TYPE, /* + CuredPtxType */
} CuredPtxKey;

/* A distinct name, shared by all its occurrences. */
typedef struct
{
  const char *at;
  guint32 length, hash;
  guint32 symbol;      /* the innermost of this name; 0: none */
  guint32 range;       /* the innermost `name<n>`; 0: none */
  guint32 generation;  /* generation of the ranges for which symbol is valid */
  guint32 opcode;      /* index + 1 of its meaning at the start of an instruction */
  guint16 key;         /* CuredPtxKey, after a dot */
  guint32 digit_scope; /* scope with a name made of this one and digits ... */
  guint32 digit_least; /* ... and the least number of these digits */
} CuredPtxAtom;

typedef enum
{
  CURED_SYMBOL_REGISTER,
  CURED_SYMBOL_RANGE,     /* of registers: index is their number */
  CURED_SYMBOL_VECTOR,    /* of registers: index is of their table */
  CURED_SYMBOL_SPECIAL,   /* operand */
  CURED_SYMBOL_GLOBAL,    /* index of the variable; also constant memory */
  CURED_SYMBOL_SHARED,    /* offset; is_own: counts from the entry's own */
  CURED_SYMBOL_DYNAMIC,   /* the shared array whose size the launch gives */
  CURED_SYMBOL_LOCAL,     /* offset in the frame's local bytes */
  CURED_SYMBOL_PARAMETER, /* of an entry: offset in the parameter block */
  CURED_SYMBOL_SLOT,      /* .param of a function or call: as LOCAL, size */
  CURED_SYMBOL_FUNCTION,  /* index */
  CURED_SYMBOL_LABEL,     /* index is the site */
  CURED_SYMBOL_TABLE,     /* of branch targets: index */
  CURED_SYMBOL_PROTOTYPE, /* index of the signature */
} CuredSymbolKind;

typedef struct
{
  CuredSymbolKind kind;
  guint8 type;         /* CuredPtxType of a register, or of a variable's elements */
  guint8 n_components; /* of VECTOR */
  gboolean is_own;
  guint32 scope;  /* id */
  guint32 serial; /* inner symbols have greater ones */
  guint32 atom;
  guint32 below; /* next outer symbol of the same name */
  guint32 next;  /* next symbol of the same scope */
  guint32 index;
  guint32 use; /* of a register: index in uses; 0: not used yet */
  gsize offset, size;
  CuredPtxOperand operand;
} CuredPtxSymbol;

typedef struct
{
  guint32 id;
  guint32 first;      /* symbol */
  guint32 first_jump; /* first one not resolved when the scope began */
  gsize local_cursor;
  gboolean keeps_local;
} CuredPtxScope;

/* The use of a register in a function, for the estimate of registers. */
typedef struct
{
  guint32 first; /* site */
  guint32 last;
  guint32 width; /* bytes per lane */
} CuredPtxUse;

/* A reference to a label that may be defined later. */
typedef struct
{
  guint32 atom;
  guint32 site;  /* site of the branch; G_MAXUINT32: in a table */
  guint32 table; /* index of the table; for brx: G_MAXUINT32 - 1 there */
  guint32 slot;
  CuredPtxToken name;
} CuredPtxJump;

/* A parameter or a result of a function. */
typedef struct
{
  CuredPtxToken name;
  gboolean is_register;
  guint8 type;
  guint8 n_components; /* for a vector of registers, which has a formal per component */
  guint8 component;
  gsize size, align;
} CuredPtxFormal;

typedef struct
{
  GArray *results;    /* (element-type CuredPtxFormal) */
  GArray *parameters; /* (element-type CuredPtxFormal) */
} CuredPtxSignature;

/* Further properties of a function while its module is parsed. */
typedef struct
{
  guint32 signature;
  gboolean uses_shared; /* static variables of the module, directly or through
                           its callees */
  gsize own_bytes;      /* size of its own static shared variables, */
  gsize own_align;
  gsize own_base; /* which start here */
} CuredPtxLayout;

/* Decoded words of an instruction, cached. */
typedef struct
{
  guint16 op;
  guint8 n_types, types[4], words[CURED_PTX_N_GROUPS];
  gboolean is_pair;         /* .b128, which is two of 64 bits */
  const CuredPtxForm *form; /* (nullable): NULL: the parser has no forms */
} CuredPtxOpcode;

/* ---- Operands as parsed ---- */

typedef enum
{
  CURED_RAW_SINK,    /* _ */
  CURED_RAW_SYMBOL,  /* symbol, optionally + value */
  CURED_RAW_NAME,    /* atom: a name not declared so far */
  CURED_RAW_INTEGER, /* value */
  CURED_RAW_F32,     /* value: bits */
  CURED_RAW_F64,     /* value: bits */
  CURED_RAW_BRACES,  /* first, n: range of the elements */
  CURED_RAW_ADDRESS, /* [symbol + value] or [value] */
} CuredRawKind;

typedef struct
{
  CuredRawKind kind;
  gboolean is_negated;
  gboolean is_decimal; /* of F64 */
  gboolean has_addend; /* of SYMBOL */
  gint8 component;     /* of a vector: 0 to 3; -1: none */
  guint32 part;        /* of a video instruction's: CURED_PTX_PART_… */
  guint32 symbol;      /* of ADDRESS: 0: none */
  guint32 first, n;
  guint32 piped; /* index + 1 of the element after a '|' */
  guint64 value;
  CuredPtxToken token; /* the first token, or the name */
} CuredPtxRaw;

#define CURED_MAX_RAW      12
#define CURED_MAX_ELEMENTS 160

/* ---- The parser ---- */

typedef struct
{
  CuredPtxLexer lexer;
  CuredPtxToken token; /* the next one */
  CuredPtxModule *module;
  guint version;                  /* 78 of `.version 7.8` */
  gboolean is_specific;           /* of `.target sm_90a` */
  const CuredPtxFormTable *forms; /* (nullable) */
  jmp_buf failed;                 /* target of errors */
  GError *error;

  /* Names. */
  GArray *atoms;  /* (element-type CuredPtxAtom); [0] is none */
  guint32 *table; /* indices of atoms by hash; a power of two of them */
  guint32 table_mask;
  GArray *symbols; /* (element-type CuredPtxSymbol); [0] is none */
  GArray *vectors; /* (element-type guint32): 4 uses of components each */
  GArray *scopes;  /* (element-type CuredPtxScope) */
  guint32 next_scope, serial, generation;
  GPtrArray *joined; /* names made by the parser */
  GArray *opcodes;   /* (element-type CuredPtxOpcode) */

  /* The module so far. */
  GArray *code;         /* (element-type CuredPtxInst) */
  GArray *operands;     /* (element-type CuredPtxOperand) */
  GArray *functions;    /* (element-type CuredPtxFunction) */
  GArray *signatures;   /* (element-type CuredPtxSignature) */
  GArray *layouts;      /* (element-type CuredPtxLayout): by function */
  GArray *variables;    /* (element-type CuredPtxVariable) */
  GArray *relocations;  /* (element-type CuredPtxRelocation) */
  GArray *tables;       /* (element-type CuredPtxTable) */
  GArray *files;        /* (element-type char *) */
  GArray *file_numbers; /* (element-type guint16): index of `.file` number */
  GArray *constants;    /* (element-type CuredPtxConstant) */
  guint32 *constant_table, constant_mask;
  gsize constants_size;
  GArray *own_shared;  /* (element-type CuredPtxOwn) */
  gsize initial_bytes; /* total size of all variables */
  GArray *taken;       /* (element-type guint32): functions used as values */
  GArray *shared;      /* of CuredPtxShared; an entry's own start at 0 */
  gsize module_shared; /* bytes of the module's own static variables */
  gboolean shares_all; /* one of their addresses is stored in a variable */
  gsize shared_align;  /* of the dynamic array */
  gsize local_align;   /* greatest of all local variables */
  gsize const_bytes;

  /* The current function. */
  guint32 function;
  gboolean is_in_function;
  guint32 first_site;
  gsize frame_bytes;
  gsize predicate_cursor; /* place of the next predicate */
  guint predicates_left;
  gsize local_cursor, local_bytes;
  gsize own_bytes; /* size of its static shared variables */
  gsize own_align;
  gboolean uses_shared; /* it uses variables of the module */
  GArray *uses;         /* (element-type CuredPtxUse); [0] is none */
  GArray *jumps;        /* (element-type CuredPtxJump) */
  guint32 last_label;   /* site */
  GHashTable *inlined;  /* place → place of the unit's own file */
  guint32 own_file;
  guint16 file;
  gint32 line;

  /* The current instruction. */
  CuredPtxToken opcode;
  gboolean takes_parts; /* operands may be followed by .b3 or .h10 */
  CuredPtxRaw raws[CURED_MAX_RAW];
  guint n_raws;
  CuredPtxRaw elements[CURED_MAX_ELEMENTS];
  guint n_elements;

  /* Temporary arrays; kept here, so that errors do not leak them. */
  GByteArray *initial; /* of a variable */
  GArray *targets;     /* (element-type guint32): of a table of branches */
  GArray *results;     /* (element-type CuredPtxRaw): of a call */
  GArray *arguments;   /* (element-type CuredPtxRaw): of a call */
} CuredPtxParser;

/* A value of the pool. */
typedef struct
{
  guint64 bits;
  guint32 offset;
  guint32 variable; /* index + 1 of the variable whose address it is; 0: none */
  guint8 width;

} CuredPtxConstant;

/* A displacement relative to the start of an entry's own shared variables, which is known at
 * the end. */
typedef struct
{
  guint32 function, site;
  guint which; /* index of the address operand, from 0 */
} CuredPtxOwn;

#define ATOM(self, i)      (&g_array_index ((self)->atoms, CuredPtxAtom, (i)))
#define SYMBOL(self, i)    (&g_array_index ((self)->symbols, CuredPtxSymbol, (i)))
#define SCOPE(self)        (&g_array_index ((self)->scopes, CuredPtxScope, (self)->scopes->len - 1))
#define FUNCTION(self, i)  (&g_array_index ((self)->functions, CuredPtxFunction, (i)))
#define LAYOUT(self, i)    (&g_array_index ((self)->layouts, CuredPtxLayout, (i)))
#define SIGNATURE(self, i) (&g_array_index ((self)->signatures, CuredPtxSignature, (i)))
#define VARIABLE(self, i)  (&g_array_index ((self)->variables, CuredPtxVariable, (i)))

/* Limits: no real program exceeds them, and memory stays in proportion to the text. */
#define CURED_MAX_TEXT_BYTES   (256u << 20)
#define CURED_MAX_DEPTH        64
#define CURED_MAX_FRAME_BYTES  (32u << 20)
#define CURED_MAX_LOCAL_BYTES  (512u << 10)
#define CURED_MAX_SHARED_BYTES (8u << 20)
#define CURED_MAX_PARAM_BYTES  32764u
#define CURED_MAX_CONST_BYTES  (64u << 10)
#define CURED_MAX_ALIGN        1024u
#define CURED_MAX_GLOBAL_BYTES G_GUINT64_CONSTANT (0x4000000000)
#define CURED_MAX_POOL_BYTES   (64u << 20)
#define CURED_MAX_FILE_NUMBER  65535u

/* Errors leave the parser by longjmp(), so that callers need no checks. */
void _cured_ptx_parser_fail (CuredPtxParser *self, const CuredPtxToken *at, gint code,
                             const char *format, ...) G_GNUC_NORETURN G_GNUC_PRINTF (4, 5);
void _cured_ptx_parser_fail_here (CuredPtxParser *self, gint code, const char *format,
                                  ...) G_GNUC_NORETURN G_GNUC_PRINTF (3, 4);
void _cured_ptx_parser_fail_of (CuredPtxParser *self, const CuredPtxToken *at,
                                const CuredPtxToken *subject, gint code, const char *format,
                                ...) G_GNUC_NORETURN G_GNUC_PRINTF (5, 6);
void _cured_ptx_parser_fail_expected (CuredPtxParser *self, const char *what) G_GNUC_NORETURN;

/* Tokens. */
void _cured_ptx_parser_expect (CuredPtxParser *self, char sign);
CuredPtxToken _cured_ptx_parser_take (CuredPtxParser *self, CuredPtxTokenKind kind,
                                      const char *what);
CuredPtxToken _cured_ptx_parser_expect_name (CuredPtxParser *self);
guint64 _cured_ptx_parser_expect_integer (CuredPtxParser *self);
void _cured_ptx_parse_pragma (CuredPtxParser *self);

static inline void
cured_ptx_parser_next (CuredPtxParser *self)
{
  _cured_ptx_lexer_next (&self->lexer, &self->token);
}

static inline gboolean
cured_ptx_parser_is (const CuredPtxParser *self, char sign)
{
  return self->token.kind == CURED_TOKEN_SIGN && self->token.sign == sign;
}

static inline gboolean
_cured_ptx_is_name (const CuredPtxToken *token, const char *name)
{
  return token->kind == CURED_TOKEN_NAME && strlen (name) == token->length &&
         memcmp (token->at, name, token->length) == 0;
}

static inline gboolean
cured_ptx_parser_accept (CuredPtxParser *self, char sign)
{
  if (!cured_ptx_parser_is (self, sign))
    return FALSE;
  cured_ptx_parser_next (self);
  return TRUE;
}

/* Names and scopes. */
void _cured_ptx_symbols_init (CuredPtxParser *self);
guint32 _cured_ptx_find_atom (CuredPtxParser *self, const CuredPtxToken *name);
guint32 _cured_ptx_make_atom (CuredPtxParser *self, const CuredPtxToken *name);
CuredPtxKey _cured_ptx_get_key (CuredPtxParser *self);
CuredPtxToken _cured_ptx_make_token (CuredPtxParser *self, const CuredPtxToken *at, char *text);
void _cured_ptx_scope_open (CuredPtxParser *self);
void _cured_ptx_scope_close (CuredPtxParser *self);
CuredPtxSymbol *_cured_ptx_declare (CuredPtxParser *self, const CuredPtxToken *name,
                                    CuredSymbolKind kind);
void _cured_ptx_declare_range (CuredPtxParser *self, const CuredPtxToken *name, CuredPtxType type,
                               guint32 n);
guint32 _cured_ptx_lookup (CuredPtxParser *self, const CuredPtxToken *name);
guint32 _cured_ptx_find_symbol (CuredPtxParser *self, const CuredPtxToken *name,
                                CuredSymbolKind kind);
CuredPtxOperand _cured_ptx_use_register (CuredPtxParser *self, guint32 symbol, int component);
CuredPtxOperand _cured_ptx_get_constant (CuredPtxParser *self, guint64 bits, guint width,
                                         guint32 variable);
void _cured_ptx_fail_jump (CuredPtxParser *self, const CuredPtxJump *jump) G_GNUC_NORETURN;

/* Numbers. */
void _cured_ptx_parse_constant (CuredPtxParser *self, CuredPtxRaw *raw);
gint64 _cured_ptx_parse_integer (CuredPtxParser *self);
double _cured_ptx_to_double (CuredRawKind kind, guint64 bits);
guint64 _cured_ptx_from_double (double value, guint bytes);
gboolean _cured_ptx_parse_addend (CuredPtxParser *self, guint64 *addend);

/* Instructions. */
const CuredPtxOpcode *_cured_ptx_get_opcode (CuredPtxParser *self, const CuredPtxToken *name);
void _cured_ptx_parse_operands (CuredPtxParser *self, gboolean takes_parts);
void _cured_ptx_parse_operand (CuredPtxParser *self, CuredPtxRaw *raw);
void _cured_ptx_match_operands (CuredPtxParser *self, CuredPtxInst *inst);
gboolean _cured_ptx_is_whole_vector (const CuredPtxParser *self, const CuredPtxRaw *raw);
CuredPtxOperand _cured_ptx_match_source (CuredPtxParser *self, const CuredPtxRaw *raw,
                                         CuredPtxType type, gboolean is_wider);
CuredPtxOperand _cured_ptx_match_destination (CuredPtxParser *self, const CuredPtxRaw *raw,
                                              CuredPtxType type, gboolean is_wider);
void _cured_ptx_parse_call (CuredPtxParser *self, CuredPtxInst *inst);

/* Declarations. */
void _cured_ptx_parse_registers (CuredPtxParser *self);
void _cured_ptx_parse_variable (CuredPtxParser *self, CuredSpace space, gboolean is_extern);
CuredPtxType _cured_ptx_parse_type (CuredPtxParser *self);
gsize _cured_ptx_parse_align (CuredPtxParser *self);
guint _cured_ptx_accept_vector (CuredPtxParser *self);
gsize _cured_ptx_add_local (CuredPtxParser *self, gsize size, gsize align);

/* Functions. */
gboolean _cured_ptx_begin_function (CuredPtxParser *self, gboolean is_entry);
void _cured_ptx_end_function (CuredPtxParser *self);
void _cured_ptx_parse_prototype (CuredPtxParser *self, const CuredPtxToken *label);
void _cured_ptx_finish_functions (CuredPtxParser *self);
void _cured_ptx_parse_call_targets (CuredPtxParser *self, const CuredPtxToken *label);

/* Lines. */
void _cured_ptx_parse_file (CuredPtxParser *self);
void _cured_ptx_parse_loc (CuredPtxParser *self);

/* The whole module. */
void _cured_ptx_parser_init (CuredPtxParser *self);
void _cured_ptx_parser_clear (CuredPtxParser *self);
CuredPtxModule *_cured_ptx_parse (const char *text, gssize length, const char *file_name,
                                  const CuredPtxFormTable *forms, GError **error);
int _cured_ptx_estimate_registers (const CuredPtxUse *uses, guint n_uses, const CuredPtxInst *code,
                                   guint first, guint n);
gboolean _cured_ptx_find_recursion (const CuredPtxModule *module, const guint32 *taken,
                                    guint n_taken);
void _cured_ptx_spread_use (CuredPtxParser *self);

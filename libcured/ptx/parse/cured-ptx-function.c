/* SPDX-License-Identifier: MIT
 * Functions of PTX, their parameters, and calls of them. */
#include "config.h"

#include "ptx/parse/cured-ptx-parser-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"

/* Functions that the interpreter provides. */
static const struct
{
  const char *name;
  guint builtin;
} builtins[] = {
  { "vprintf", CURED_BUILTIN_VPRINTF },
  { "__assertfail", CURED_BUILTIN_ASSERTFAIL },
  { "malloc", CURED_BUILTIN_MALLOC },
  { "free", CURED_BUILTIN_FREE },
};

/* ---- Parameters ---- */

/* .param .align 4 .b8 name[32], or .reg .b32 name. */
static gboolean
parse_formal (CuredPtxParser *self, CuredPtxFormal *formal)
{
  CuredPtxKey key = _cured_ptx_get_key (self);
  CuredPtxType type = CURED_PTX_TYPE_NONE;
  gsize n = 1;

  *formal = (CuredPtxFormal){ .is_register = key == CURED_KEY_REG };
  if (key != CURED_KEY_PARAM && key != CURED_KEY_REG)
    return _cured_ptx_parser_fail_expected (self, _ (".param or .reg"));
  cured_ptx_parser_next (self);
  while (self->token.kind == CURED_TOKEN_WORD)
    {
      guint64 ignored;

      key = _cured_ptx_get_key (self);
      if (key == CURED_KEY_ALIGN && type == CURED_PTX_TYPE_NONE)
        {
          if (!_cured_ptx_parse_align (self, &formal->align))
            return FALSE;
        }
      else if (key == CURED_KEY_ALIGN)
        {
          /* Behind .ptr: of what the pointer points at. */
          cured_ptx_parser_next (self);
          if (!_cured_ptx_parser_expect_integer (self, &ignored))
            return FALSE;
        }
      else if (key == CURED_KEY_V2 || key == CURED_KEY_V4)
        {
          n = key == CURED_KEY_V2 ? 2 : 4;
          formal->n_components = formal->is_register ? (guint8) n : 0;
          cured_ptx_parser_next (self);
        }
      else if (type != CURED_PTX_TYPE_NONE &&
               (key == CURED_KEY_PTR || key == CURED_KEY_GLOBAL || key == CURED_KEY_CONST ||
                key == CURED_KEY_SHARED || key == CURED_KEY_LOCAL))
        cured_ptx_parser_next (self);
      else if (!_cured_ptx_parse_type (self, &type))
        return FALSE;
    }
  if (type == CURED_PTX_TYPE_NONE)
    return _cured_ptx_parser_fail_expected (self, _ ("a type, as .u32"));
  formal->type = (guint8) type;
  if (!_cured_ptx_parser_expect_name (self, &formal->name))
    return FALSE;
  if (type == CURED_PTX_PRED && !formal->is_register)
    return _cured_ptx_parser_fail (self, formal->name.line, formal->name.column, CURED_ERROR_SYNTAX,
                                   _ ("a predicate can't be a .param"));
  if (formal->align == 0)
    formal->align = MAX (_cured_ptx_types[type].bytes, 1) * n;
  while (cured_ptx_parser_accept (self, '['))
    {
      gint64 count = 0;

      if (!cured_ptx_parser_is (self, ']') && !_cured_ptx_parse_integer (self, &count))
        return FALSE;
      if (count < 0 || !g_size_checked_mul (&n, n, (gsize) count))
        n = G_MAXSIZE;
      if (!_cured_ptx_parser_expect (self, ']'))
        return FALSE;
    }
  if (formal->is_register && n == formal->n_components)
    n = 1;
  if (formal->is_register && n != 1)
    return _cured_ptx_parser_fail (self, formal->name.line, formal->name.column, CURED_ERROR_SYNTAX,
                                   _ ("%.*s is a register: it has no elements"),
                                   (int) formal->name.length, formal->name.at);
  if (!g_size_checked_mul (&formal->size, n, _cured_ptx_types[type].bytes) ||
      formal->size > CURED_MAX_PARAM_BYTES)
    return _cured_ptx_parser_fail (self, formal->name.line, formal->name.column,
                                   CURED_ERROR_INVALID, _ ("parameters have at most %u bytes"),
                                   CURED_MAX_PARAM_BYTES);
  return TRUE;
}

static gboolean
parse_formals (CuredPtxParser *self, GArray *formals)
{
  if (cured_ptx_parser_accept (self, ')'))
    return TRUE;
  do
    {
      CuredPtxFormal formal;

      if (!parse_formal (self, &formal))
        return FALSE;
      do
        g_array_append_val (formals, formal);
      while (++formal.component < formal.n_components);
    }
  while (cured_ptx_parser_accept (self, ','));
  return _cured_ptx_parser_expect (self, ')');
}

static guint32
add_signature (CuredPtxParser *self)
{
  CuredPtxSignature signature = {
    .results = g_array_new (FALSE, FALSE, sizeof (CuredPtxFormal)),
    .parameters = g_array_new (FALSE, FALSE, sizeof (CuredPtxFormal)),
  };

  g_array_append_val (self->signatures, signature);
  return self->signatures->len - 1;
}

/* (results) name (parameters) */
static gboolean
parse_signature (CuredPtxParser *self, guint32 *index, CuredPtxToken *name)
{
  *index = add_signature (self);
  CuredPtxSignature signature = g_array_index (self->signatures, CuredPtxSignature, *index);
  if ((cured_ptx_parser_accept (self, '(') && !parse_formals (self, signature.results)) ||
      !_cured_ptx_parser_expect_name (self, name))
    return FALSE;
  return !cured_ptx_parser_accept (self, '(') || parse_formals (self, signature.parameters);
}

static gboolean
is_same_list (const GArray *a, const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const CuredPtxFormal *x = &g_array_index (a, CuredPtxFormal, i);
      const CuredPtxFormal *y = &g_array_index (b, CuredPtxFormal, i);

      if (x->is_register != y->is_register || x->size != y->size)
        return FALSE;
    }
  return TRUE;
}

/* Declares the parameters of a function that has a body, and says where they are. */
static gboolean
declare_formals (CuredPtxParser *self, const GArray *formals, gboolean is_entry, gsize *end,
                 CuredPtxSlot *slots, CuredPtxOperand *in_registers)
{
  for (guint i = 0; i < formals->len; i++)
    {
      const CuredPtxFormal *formal = &g_array_index (formals, CuredPtxFormal, i);
      CuredPtxSymbol *symbol =
          formal->component > 0
              ? SYMBOL (self, self->symbols->len - 1)
              : _cured_ptx_declare (self, &formal->name,
                                    is_entry                   ? CURED_SYMBOL_PARAMETER
                                    : formal->n_components > 0 ? CURED_SYMBOL_VECTOR
                                    : formal->is_register      ? CURED_SYMBOL_REGISTER
                                                               : CURED_SYMBOL_SLOT);

      if (symbol == NULL)
        return FALSE;
      symbol->type = formal->type;
      symbol->size = formal->size;
      symbol->n_components = formal->n_components;
      if (formal->is_register)
        {
          if (is_entry)
            return _cured_ptx_parser_fail (self, formal->name.line, formal->name.column,
                                           CURED_ERROR_SYNTAX,
                                           _ ("parameters of a kernel are .param"));
          if (!_cured_ptx_use_register (self, self->symbols->len - 1,
                                        formal->n_components > 0 ? formal->component : -1,
                                        &in_registers[i]))
            return FALSE;
          continue;
        }
      if (is_entry)
        {
          symbol->offset = (*end + formal->align - 1) & ~(formal->align - 1);
          *end = symbol->offset + formal->size;
          if (*end > CURED_MAX_PARAM_BYTES)
            return _cured_ptx_parser_fail (
                self, formal->name.line, formal->name.column, CURED_ERROR_INVALID,
                _ ("parameters have at most %u bytes"), CURED_MAX_PARAM_BYTES);
        }
      else if (!_cured_ptx_add_local (self, formal->size, formal->align, &symbol->offset))
        return FALSE;
      slots[i] =
          (CuredPtxSlot){ symbol->offset, formal->size, _cured_ptx_types[formal->type].kind };
    }
  return TRUE;
}

/* ---- Functions ---- */

static gboolean
fail_at_name (CuredPtxParser *self, const CuredPtxToken *name, const char *format)
{
  g_autofree char *text = g_strndup (name->at, name->length);

  return _cured_ptx_parser_fail (self, name->line, name->column, CURED_ERROR_SYNTAX, "%s: %s", text,
                                 format);
}

/* The function of a name: its index, made where it was not declared before. */
static gboolean
declare_function (CuredPtxParser *self, const CuredPtxToken *name, gboolean is_entry,
                  guint32 signature, guint32 *index)
{
  guint32 known = _cured_ptx_find_atom (self, name);
  CuredPtxFunction function = { .is_entry = is_entry };
  CuredPtxLayout layout = { .signature = signature, .own_align = 1 };
  CuredPtxSymbol *symbol;

  known = known != 0 ? ATOM (self, known)->symbol : 0;
  if (known != 0 && SYMBOL (self, known)->kind == CURED_SYMBOL_FUNCTION)
    {
      const CuredPtxSignature *new_one =
          &g_array_index (self->signatures, CuredPtxSignature, signature);

      symbol = SYMBOL (self, known);
      *index = symbol->index;
      const CuredPtxSignature *old_one =
          &g_array_index (self->signatures, CuredPtxSignature,
                          g_array_index (self->layouts, CuredPtxLayout, *index).signature);
      if (!is_same_list (old_one->results, new_one->results) ||
          !is_same_list (old_one->parameters, new_one->parameters) ||
          g_array_index (self->functions, CuredPtxFunction, *index).is_entry != is_entry)
        return fail_at_name (self, name,
                             _ ("it was declared with different parameters or results"));
      g_array_index (self->layouts, CuredPtxLayout, *index).signature = signature;
      return TRUE;
    }
  symbol = _cured_ptx_declare (self, name, CURED_SYMBOL_FUNCTION);
  if (symbol == NULL)
    return FALSE;
  *index = self->functions->len;
  symbol->index = *index;
  function.name = g_strndup (name->at, name->length);
  g_array_append_val (self->functions, function);
  g_array_append_val (self->layouts, layout);
  return TRUE;
}

/* The blocks of a cluster, one number to three. */
static gboolean
parse_cluster (CuredPtxParser *self, const CuredPtxToken *word, guint *cluster)
{
  guint64 product = 1;

  cluster[0] = cluster[1] = cluster[2] = 1;
  for (int i = 0; i < 3; i++)
    {
      guint64 n;

      if (!_cured_ptx_parser_expect_integer (self, &n))
        return FALSE;
      cluster[i] = (guint) MIN (n, CURED_MAX_CLUSTER + 1);
      product *= cluster[i];
      if (!cured_ptx_parser_accept (self, ','))
        break;
    }
  if (product == 0 || product > CURED_MAX_CLUSTER)
    return _cured_ptx_parser_fail (self, word->line, word->column, CURED_ERROR_INVALID,
                                   _ ("a cluster has 1 to %d blocks"), CURED_MAX_CLUSTER);
  return TRUE;
}

/* The threads of a block, in one to three dimensions. */
static gboolean
parse_block (CuredPtxParser *self, const CuredPtxToken *word, int *threads, guint *block)
{
  guint64 product = 1;

  block[0] = block[1] = block[2] = 1;
  for (int i = 0; i < 3; i++)
    {
      guint64 n;

      if (!_cured_ptx_parser_expect_integer (self, &n))
        return FALSE;
      block[i] = (guint) MIN (n, G_MAXINT32);
      product = MIN (product * block[i], G_MAXINT32);
      if (!cured_ptx_parser_accept (self, ','))
        break;
    }
  if (product == 0)
    return _cured_ptx_parser_fail (self, word->line, word->column, CURED_ERROR_INVALID,
                                   _ ("a block has at least one thread"));
  *threads = (int) product;
  return TRUE;
}

/* .maxntid and the like.
 *
 * @threads: (out): the product, 0 where none is said
 * @block: (out): the only one that there may be; 0: any
 * @cluster: (out): blocks of a cluster; 0: not said */
static gboolean
parse_directives (CuredPtxParser *self, int *threads, guint *block, guint *cluster)
{
  *threads = 0;
  memset (block, 0, 3 * sizeof *block);
  memset (cluster, 0, 3 * sizeof *cluster);
  while (self->token.kind == CURED_TOKEN_WORD)
    {
      CuredPtxKey key = _cured_ptx_get_key (self);
      CuredPtxToken word = self->token;
      guint64 product = 1;
      guint said[3];

      cured_ptx_parser_next (self);
      switch ((guint) key)
        {
        case CURED_KEY_NORETURN:
        case CURED_KEY_BLOCKSARECLUSTERS:
          if (key == CURED_KEY_BLOCKSARECLUSTERS)
            return _cured_ptx_parser_fail (
                self, word.line, word.column, CURED_ERROR_INVALID,
                _ ("a launch whose blocks count clusters is not emulated: build the kernel without "
                   ".blocksareclusters"));
          break;
        case CURED_KEY_PRAGMA:
          do
            {
              if (self->token.kind != CURED_TOKEN_STRING)
                return _cured_ptx_parser_fail_expected (self, _ ("a string"));
              cured_ptx_parser_next (self);
            }
          while (cured_ptx_parser_accept (self, ','));
          if (!_cured_ptx_parser_expect (self, ';'))
            return FALSE;
          break;
        case CURED_KEY_MAXNTID:
        case CURED_KEY_REQNTID:
          if (!parse_block (self, &word, threads, said))
            return FALSE;
          if (key == CURED_KEY_REQNTID)
            memcpy (block, said, sizeof said);
          break;
        case CURED_KEY_MINNCTAPERSM:
        case CURED_KEY_MAXNCTAPERSM:
        case CURED_KEY_MAXNREG:
        case CURED_KEY_MAXCLUSTERRANK:
        case CURED_KEY_ABI_PRESERVE:
        case CURED_KEY_ABI_PRESERVE_CONTROL:
          /* They choose how ptxas compiles, not what comes out. */
          if (!_cured_ptx_parser_expect_integer (self, &product))
            return FALSE;
          break;
        case CURED_KEY_REQNCTAPERCLUSTER:
          if (!parse_cluster (self, &word, cluster))
            return FALSE;
          break;
        case CURED_KEY_EXPLICITCLUSTER:
          /* It is launched with clusters: their size is said beside it, or by the launch. */
          break;
        default:
          return _cured_ptx_parser_fail (self, word.line, word.column, CURED_ERROR_SYNTAX,
                                         _ ("the emulator knows no directive .%.*s of a function"),
                                         (int) word.length, word.at);
        }
    }
  return TRUE;
}

static void
begin_function (CuredPtxParser *self)
{
  self->first_site = self->code->len;
  self->last_label = G_MAXUINT32;
  /* The hidden register: each lane's base of local memory. */
  self->frame_bytes = CURED_WARP_LANES * sizeof (guint64);
  self->predicates_left = 0;
  self->local_cursor = 0;
  self->local_bytes = 0;
  self->own_bytes = 0;
  self->own_align = 1;
  self->uses_shared = FALSE;
  self->own_file = 0;
  self->file = 0;
  self->line = 0;
  g_array_set_size (self->uses, 1);
  g_hash_table_remove_all (self->inlined);
}

static gboolean
parse_defined (CuredPtxParser *self, guint32 index)
{
  CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, index);
  CuredPtxSignature signature =
      g_array_index (self->signatures, CuredPtxSignature,
                     g_array_index (self->layouts, CuredPtxLayout, index).signature);
  gboolean is_entry = function->is_entry;
  gsize end = 0;

  function->is_defined = TRUE;
  function->first = self->code->len;
  function->n_results = signature.results->len;
  function->n_parameters = signature.parameters->len;
  CuredPtxSlot *slots = function->results = g_new0 (CuredPtxSlot, function->n_results + 1);
  CuredPtxOperand *in_registers = function->in_registers =
      g_new0 (CuredPtxOperand, (gsize) function->n_results + function->n_parameters + 1);
  function->parameters = g_new0 (CuredPtxSlot, function->n_parameters + 1);

  begin_function (self);
  self->function = index;
  self->is_in_function = TRUE;
  _cured_ptx_scope_open (self);
  if (!declare_formals (self, signature.results, is_entry, &end, slots, in_registers))
    return FALSE;
  function = &g_array_index (self->functions, CuredPtxFunction, index);
  if (!declare_formals (self, signature.parameters, is_entry, &end, function->parameters,
                        in_registers + function->n_results) ||
      !_cured_ptx_parse_body (self))
    return FALSE;

  function = &g_array_index (self->functions, CuredPtxFunction, index);
  function->n_sites = self->code->len - function->first;
  function->frame_bytes = self->frame_bytes;
  function->local_bytes = self->local_bytes;
  CuredPtxLayout *layout = &g_array_index (self->layouts, CuredPtxLayout, index);
  layout->own_bytes = self->own_bytes;
  layout->own_align = self->own_align;
  layout->uses_shared = self->uses_shared;
  function->parameter_bytes = end;
  function->registers = _cured_ptx_estimate_registers (
      (const CuredPtxUse *) self->uses->data, self->uses->len,
      (const CuredPtxInst *) self->code->data, function->first, function->n_sites);
  self->is_in_function = FALSE;
  return TRUE;
}

/* Reads a kernel or a function, or its prototype. */
gboolean
_cured_ptx_parse_function (CuredPtxParser *self, gboolean is_entry)
{
  CuredPtxToken name;
  guint32 signature, index;
  int threads;
  guint block[3], cluster[3];

  while (_cured_ptx_get_key (self) == CURED_KEY_NORETURN)
    cured_ptx_parser_next (self);
  if (!parse_signature (self, &signature, &name))
    return FALSE;
  const CuredPtxSignature *said = &g_array_index (self->signatures, CuredPtxSignature, signature);
  if (is_entry && said->results->len > 0)
    return fail_at_name (self, &name, _ ("a kernel has no results"));
  if (!declare_function (self, &name, is_entry, signature, &index) ||
      !parse_directives (self, &threads, block, cluster))
    return FALSE;
  CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, index);
  function->max_threads = threads;
  memcpy (function->block, block, sizeof block);
  memcpy (function->cluster, cluster, sizeof cluster);
  if (cured_ptx_parser_accept (self, ';'))
    return TRUE;
  if (g_array_index (self->functions, CuredPtxFunction, index).is_defined)
    return fail_at_name (self, &name, _ ("it is defined twice"));
  return _cured_ptx_parser_expect (self, '{') && parse_defined (self, index);
}

/* Looks at functions that have no body: those that the interpreter provides, and those that no
 * one calls, may stay. */
gboolean
_cured_ptx_finish_functions (CuredPtxParser *self)
{
  for (guint i = 0; i < self->functions->len; i++)
    {
      CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, i);

      for (guint k = 0; k < G_N_ELEMENTS (builtins) && !function->is_defined; k++)
        if (strcmp (function->name, builtins[k].name) == 0)
          function->builtin = builtins[k].builtin;
    }
  for (guint i = 0; i < self->code->len; i++)
    {
      const CuredPtxInst *inst = &g_array_index (self->code, CuredPtxInst, i);

      if (inst->call == NULL || inst->call->is_indirect)
        continue;
      const CuredPtxFunction *function =
          &g_array_index (self->functions, CuredPtxFunction, inst->target);
      if (!function->is_defined && function->builtin == CURED_BUILTIN_NONE)
        return _cured_ptx_parser_fail (
            self, (guint32) inst->ptx_line, (guint32) inst->ptx_column, CURED_ERROR_INVALID,
            _ ("%s has no body here: the emulator has printf, assert, malloc and free, but no "
               "libraries; define it in the kernel's file"),
            function->name);
    }
  return TRUE;
}

/* ---- Calls ---- */

/* Reads what a function that is called through a pointer takes and gives. */
gboolean
_cured_ptx_parse_prototype (CuredPtxParser *self, const CuredPtxToken *label)
{
  CuredPtxToken name;
  guint32 signature;
  int threads;
  guint block[3], cluster[3];

  if (!parse_signature (self, &signature, &name) ||
      !parse_directives (self, &threads, block, cluster) || !_cured_ptx_parser_expect (self, ';'))
    return FALSE;
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, label, CURED_SYMBOL_PROTOTYPE);
  if (symbol == NULL)
    return FALSE;
  symbol->index = signature;
  return TRUE;
}

/* The signature of a function by the token of its name; FALSE: it is none. */
static gboolean
find_function (CuredPtxParser *self, const CuredPtxToken *name, guint32 *index, guint32 *signature)
{
  guint32 symbol = _cured_ptx_lookup (self, name);

  if (symbol == 0 || SYMBOL (self, symbol)->kind != CURED_SYMBOL_FUNCTION)
    return FALSE;
  *index = SYMBOL (self, symbol)->index;
  *signature = g_array_index (self->layouts, CuredPtxLayout, *index).signature;
  return TRUE;
}

/* Reads the functions that a pointer may point at. They are alike, so the first says what the
 * call takes and gives. */
gboolean
_cured_ptx_parse_call_targets (CuredPtxParser *self, const CuredPtxToken *label)
{
  guint32 first = G_MAXUINT32;

  do
    {
      CuredPtxToken name;
      guint32 index, signature;

      if (!_cured_ptx_parser_expect_name (self, &name))
        return FALSE;
      if (!find_function (self, &name, &index, &signature))
        return fail_at_name (self, &name, _ ("no function of this name"));
      if (first == G_MAXUINT32)
        first = signature;
    }
  while (cured_ptx_parser_accept (self, ','));
  if (!_cured_ptx_parser_expect (self, ';'))
    return FALSE;
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, label, CURED_SYMBOL_PROTOTYPE);
  if (symbol == NULL)
    return FALSE;
  symbol->index = first;
  return TRUE;
}

/* What stands in a call's parentheses: raws from @n on. */
static gboolean
parse_actuals (CuredPtxParser *self, GArray *raws)
{
  if (cured_ptx_parser_accept (self, ')'))
    return TRUE;
  do
    {
      CuredPtxRaw raw;

      if (!_cured_ptx_parse_operand (self, &raw))
        return FALSE;
      if (raw.kind == CURED_RAW_BRACES || raw.kind == CURED_RAW_ADDRESS || raw.piped != 0)
        return _cured_ptx_parser_fail (
            self, raw.token.line, raw.token.column, CURED_ERROR_SYNTAX,
            _ ("a call takes variables of .param, registers and numbers"));
      /* A whole vector of registers is its components. */
      if (raw.kind == CURED_RAW_SYMBOL && raw.component < 0 && !raw.has_addend &&
          SYMBOL (self, raw.symbol)->kind == CURED_SYMBOL_VECTOR)
        for (raw.component = 0; raw.component < SYMBOL (self, raw.symbol)->n_components;
             raw.component++)
          g_array_append_val (raws, raw);
      else
        g_array_append_val (raws, raw);
    }
  while (cured_ptx_parser_accept (self, ','));
  return _cured_ptx_parser_expect (self, ')');
}

static gboolean
match_actuals (CuredPtxParser *self, const GArray *raws, const GArray *formals, gboolean is_result,
               CuredPtxActual *actuals)
{
  if (raws->len != formals->len)
    return _cured_ptx_parser_fail (
        self, self->opcode.line, self->opcode.column, CURED_ERROR_SYNTAX,
        is_result ? g_dngettext (GETTEXT_PACKAGE, "the function has %u result, and %u are taken",
                                 "the function has %u results, and %u are taken", formals->len)
                  : g_dngettext (GETTEXT_PACKAGE, "the function has %u parameter, and %u are given",
                                 "the function has %u parameters, and %u are given", formals->len),
        formals->len, raws->len);
  for (guint i = 0; i < raws->len; i++)
    {
      const CuredPtxRaw *raw = &g_array_index (raws, CuredPtxRaw, i);
      const CuredPtxFormal *formal = &g_array_index (formals, CuredPtxFormal, i);
      const CuredPtxSymbol *symbol = SYMBOL (self, raw->kind == CURED_RAW_SYMBOL ? raw->symbol : 0);

      if (raw->kind == CURED_RAW_SYMBOL && symbol->kind == CURED_SYMBOL_SLOT)
        {
          if (symbol->size != formal->size || raw->has_addend || raw->is_negated ||
              raw->component >= 0)
            return _cured_ptx_parser_fail (
                self, raw->token.line, raw->token.column, CURED_ERROR_SYNTAX,
                _ ("%.*s has %zu bytes, and the function's has %zu"), (int) raw->token.length,
                raw->token.at, symbol->size, formal->size);
          actuals[i].is_slot = TRUE;
          actuals[i].slot = (CuredPtxSlot){ symbol->offset, symbol->size };
          continue;
        }
      if (formal->size != _cured_ptx_types[formal->type].bytes)
        return _cured_ptx_parser_fail (self, raw->token.line, raw->token.column, CURED_ERROR_SYNTAX,
                                       _ ("a variable of .param with %zu bytes belongs here"),
                                       formal->size);
      if (is_result
              ? !_cured_ptx_match_destination (self, raw, formal->type, FALSE, &actuals[i].operand)
              : !_cured_ptx_match_source (self, raw, formal->type, FALSE, &actuals[i].operand))
        return FALSE;
    }
  return TRUE;
}

static void
free_call (gpointer data)
{
  CuredPtxCall *call = data;

  g_free (call->results);
  g_free (call->arguments);
  g_free (call);
}

static gboolean
finish_call (CuredPtxParser *self, CuredPtxInst *inst, GArray *results, GArray *arguments)
{
  CuredPtxToken name;
  CuredPtxCall *call = g_new0 (CuredPtxCall, 1);
  guint32 index, which;

  if (self->module->calls == NULL)
    self->module->calls = g_ptr_array_new_with_free_func (free_call);
  g_ptr_array_add (self->module->calls, call);
  inst->call = call;

  if ((cured_ptx_parser_accept (self, '(') && !parse_actuals (self, results)) ||
      (results->len > 0 && !_cured_ptx_parser_expect (self, ',')))
    return FALSE;
  if (!_cured_ptx_parser_expect_name (self, &name))
    return FALSE;
  if (cured_ptx_parser_accept (self, ',') && cured_ptx_parser_accept (self, '('))
    {
      if (!parse_actuals (self, arguments))
        return FALSE;
      cured_ptx_parser_accept (self, ',');
    }
  if (find_function (self, &name, &index, &which))
    inst->target = index;
  else
    {
      guint32 known = _cured_ptx_lookup (self, &name);
      CuredPtxToken prototype;
      CuredPtxRaw raw = {
        .kind = CURED_RAW_SYMBOL, .component = -1, .symbol = known, .token = name
      };

      if (known == 0 || SYMBOL (self, known)->kind != CURED_SYMBOL_REGISTER)
        return fail_at_name (self, &name, _ ("no function of this name"));
      if (!_cured_ptx_match_source (self, &raw, CURED_PTX_U64, FALSE, &call->pointer) ||
          !_cured_ptx_parser_expect_name (self, &prototype))
        return FALSE;
      call->is_indirect = TRUE;
      inst->target = G_MAXUINT32;
      guint32 type = _cured_ptx_lookup (self, &prototype);
      if (type == 0 || SYMBOL (self, type)->kind != CURED_SYMBOL_PROTOTYPE)
        return fail_at_name (self, &prototype,
                             _ ("no .callprototype or .calltargets of this name before the call"));
      which = SYMBOL (self, type)->index;
    }
  CuredPtxSignature signature = g_array_index (self->signatures, CuredPtxSignature, which);
  call->n_results = results->len;
  call->results = g_new0 (CuredPtxActual, results->len + 1);
  call->n_arguments = arguments->len;
  call->arguments = g_new0 (CuredPtxActual, arguments->len + 1);
  return match_actuals (self, results, signature.results, TRUE, call->results) &&
         match_actuals (self, arguments, signature.parameters, FALSE, call->arguments) &&
         _cured_ptx_parser_expect (self, ';');
}

/* Reads `(results), function, (arguments), prototype;`, each but the function perhaps missing. */
gboolean
_cured_ptx_parse_call (CuredPtxParser *self, CuredPtxInst *inst)
{
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (CuredPtxRaw));
  g_autoptr (GArray) arguments = g_array_new (FALSE, FALSE, sizeof (CuredPtxRaw));

  self->n_elements = 0;
  return finish_call (self, inst, results, arguments);
}

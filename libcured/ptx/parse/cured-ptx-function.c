/* SPDX-License-Identifier: MIT
 * Functions of PTX, their parameters, and calls of them. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

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

static void G_GNUC_NORETURN
fail_too_many (CuredPtxParser *self, const CuredPtxToken *name)
{
  _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID, _ ("parameters have at most %u bytes"),
                          CURED_MAX_PARAM_BYTES);
}

/* .param .align 4 .b8 name[32], or .reg .b32 name. */
static CuredPtxFormal
parse_formal (CuredPtxParser *self)
{
  CuredPtxKey key = _cured_ptx_get_key (self);
  CuredPtxFormal formal = { .is_register = key == CURED_KEY_REG };
  gsize n = 1;

  if (key != CURED_KEY_PARAM && key != CURED_KEY_REG)
    _cured_ptx_parser_fail_expected (self, _ (".param or .reg"));
  cured_ptx_parser_next (self);
  while (self->token.kind == CURED_TOKEN_WORD)
    {
      guint n_components = _cured_ptx_accept_vector (self);

      key = _cured_ptx_get_key (self);
      if (n_components == 0 && key == CURED_KEY_B128 && n == 1)
        {
          cured_ptx_parser_next (self);
          formal.type = CURED_PTX_B64;
          n_components = 2;
        }
      if (n_components > 0)
        {
          n = n_components;
          formal.n_components = formal.is_register ? (guint8) n : 0;
        }
      else if (key == CURED_KEY_ALIGN && formal.type == CURED_PTX_TYPE_NONE)
        formal.align = _cured_ptx_parse_align (self);
      else if (key == CURED_KEY_ALIGN)
        {
          /* After .ptr: space and alignment of the target. */
          cured_ptx_parser_next (self);
          _cured_ptx_parser_expect_integer (self);
        }
      else if (formal.type != CURED_PTX_TYPE_NONE &&
               (key == CURED_KEY_PTR || key == CURED_KEY_GLOBAL || key == CURED_KEY_CONST ||
                key == CURED_KEY_SHARED || key == CURED_KEY_LOCAL))
        cured_ptx_parser_next (self);
      else
        formal.type = (guint8) _cured_ptx_parse_type (self);
    }
  if (formal.type == CURED_PTX_TYPE_NONE)
    _cured_ptx_parser_fail_expected (self, _ ("a type, as .u32"));
  formal.name = _cured_ptx_parser_expect_name (self);
  if (formal.type == CURED_PTX_PRED && !formal.is_register)
    _cured_ptx_parser_fail (self, &formal.name, CURED_ERROR_SYNTAX,
                            _ ("a predicate can't be a .param"));
  if (formal.align == 0)
    formal.align = MAX (_cured_ptx_types[formal.type].bytes, 1) * n;
  while (cured_ptx_parser_accept (self, '['))
    {
      gint64 count = cured_ptx_parser_is (self, ']') ? 0 : _cured_ptx_parse_integer (self);

      if (count < 0 || !g_size_checked_mul (&n, n, (gsize) count))
        n = G_MAXSIZE;
      _cured_ptx_parser_expect (self, ']');
    }
  if (formal.is_register && n == formal.n_components)
    n = 1;
  if (formal.is_register && n != 1)
    _cured_ptx_parser_fail (self, &formal.name, CURED_ERROR_SYNTAX,
                            _ ("%.*s is a register: it has no elements"), (int) formal.name.length,
                            formal.name.at);
  if (!g_size_checked_mul (&formal.size, n, _cured_ptx_types[formal.type].bytes) ||
      formal.size > CURED_MAX_PARAM_BYTES)
    fail_too_many (self, &formal.name);
  return formal;
}

static void
parse_formals (CuredPtxParser *self, GArray *formals)
{
  if (cured_ptx_parser_accept (self, ')'))
    return;
  do
    {
      CuredPtxFormal formal = parse_formal (self);

      do
        g_array_append_val (formals, formal);
      while (++formal.component < formal.n_components);
    }
  while (cured_ptx_parser_accept (self, ','));
  _cured_ptx_parser_expect (self, ')');
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

/* (results) name (parameters): the signature's index. */
static guint32
parse_signature (CuredPtxParser *self, CuredPtxToken *name)
{
  guint32 index = add_signature (self);
  CuredPtxSignature signature = *SIGNATURE (self, index);

  if (cured_ptx_parser_accept (self, '('))
    parse_formals (self, signature.results);
  *name = _cured_ptx_parser_expect_name (self);
  if (cured_ptx_parser_accept (self, '('))
    parse_formals (self, signature.parameters);
  return index;
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

/* Declares the parameters of a function with a body, and assigns their places. */
static void
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

      symbol->type = formal->type;
      symbol->size = formal->size;
      symbol->n_components = formal->n_components;
      if (formal->is_register)
        {
          if (is_entry)
            _cured_ptx_parser_fail (self, &formal->name, CURED_ERROR_SYNTAX,
                                    _ ("parameters of a kernel are .param"));
          in_registers[i] = _cured_ptx_use_register (
              self, self->symbols->len - 1, formal->n_components > 0 ? formal->component : -1);
          continue;
        }
      if (is_entry)
        {
          symbol->offset = (*end + formal->align - 1) & ~(formal->align - 1);
          *end = symbol->offset + formal->size;
          if (*end > CURED_MAX_PARAM_BYTES)
            fail_too_many (self, &formal->name);
        }
      else
        symbol->offset = _cured_ptx_add_local (self, formal->size, formal->align);
      slots[i] =
          (CuredPtxSlot){ symbol->offset, formal->size, _cured_ptx_types[formal->type].kind };
    }
}

/* ---- Functions ---- */

static void G_GNUC_NORETURN
fail_at_name (CuredPtxParser *self, const CuredPtxToken *name, const char *text)
{
  _cured_ptx_parser_fail_of (self, name, name, CURED_ERROR_SYNTAX, "%s", text);
}

/* The index of the function of a name; created if not yet declared. */
static guint32
declare_function (CuredPtxParser *self, const CuredPtxToken *name, gboolean is_entry,
                  guint32 signature)
{
  guint32 known = _cured_ptx_find_symbol (self, name, CURED_SYMBOL_FUNCTION);
  CuredPtxFunction function = { .is_entry = is_entry };
  CuredPtxLayout layout = { .signature = signature, .own_align = 1 };

  if (known != 0)
    {
      guint32 index = SYMBOL (self, known)->index;
      const CuredPtxSignature *ours = SIGNATURE (self, signature);
      const CuredPtxSignature *before = SIGNATURE (self, LAYOUT (self, index)->signature);

      if (!is_same_list (before->results, ours->results) ||
          !is_same_list (before->parameters, ours->parameters) ||
          FUNCTION (self, index)->is_entry != is_entry)
        fail_at_name (self, name, _ ("it was declared with different parameters or results"));
      LAYOUT (self, index)->signature = signature;
      return index;
    }
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, name, CURED_SYMBOL_FUNCTION);
  symbol->index = self->functions->len;
  function.name = g_strndup (name->at, name->length);
  g_array_append_val (self->functions, function);
  g_array_append_val (self->layouts, layout);
  return symbol->index;
}

/* Values of a function's directives; 0: not given. */
typedef struct
{
  guint threads;  /* maximum */
  guint block[3]; /* exact size */
  guint cluster[3];
} Bounds;

/* One to three numbers, each limited to @most. Returns: their product, limited to G_MAXINT32. */
static guint
parse_shape (CuredPtxParser *self, guint most, guint *shape)
{
  guint64 product = 1;
  int n = 0;

  shape[0] = shape[1] = shape[2] = 1;
  do
    {
      guint64 number = _cured_ptx_parser_expect_integer (self);

      shape[n] = (guint) MIN (number, most);
      product = MIN (product * shape[n], G_MAXINT32);
    }
  while (++n < 3 && cured_ptx_parser_accept (self, ','));
  return (guint) product;
}

/* .maxntid and the like. */
static Bounds
parse_directives (CuredPtxParser *self)
{
  Bounds bounds = { 0 };

  while (self->token.kind == CURED_TOKEN_WORD)
    {
      CuredPtxKey key = _cured_ptx_get_key (self);
      CuredPtxToken word = self->token;
      guint said[3], n;

      cured_ptx_parser_next (self);
      switch ((guint) key)
        {
        case CURED_KEY_BLOCKSARECLUSTERS:
          _cured_ptx_parser_fail (
              self, &word, CURED_ERROR_INVALID,
              _ ("a launch whose blocks count clusters is not emulated: build the kernel without "
                 ".blocksareclusters"));
        case CURED_KEY_PRAGMA: _cured_ptx_parse_pragma (self); break;
        case CURED_KEY_MAXNTID:
        case CURED_KEY_REQNTID:
          bounds.threads = parse_shape (self, G_MAXINT32, said);
          if (bounds.threads == 0)
            _cured_ptx_parser_fail (self, &word, CURED_ERROR_INVALID,
                                    _ ("a block has at least one thread"));
          if (key == CURED_KEY_REQNTID)
            memcpy (bounds.block, said, sizeof said);
          break;
        case CURED_KEY_MINNCTAPERSM:
        case CURED_KEY_MAXNCTAPERSM:
        case CURED_KEY_MAXNREG:
        case CURED_KEY_MAXCLUSTERRANK:
        case CURED_KEY_ABI_PRESERVE:
        case CURED_KEY_ABI_PRESERVE_CONTROL:
          /* They affect ptxas's compilation, but not the results. */
          _cured_ptx_parser_expect_integer (self);
          break;
        case CURED_KEY_REQNCTAPERCLUSTER:
          n = parse_shape (self, CURED_MAX_CLUSTER + 1, bounds.cluster);
          if (n == 0 || n > CURED_MAX_CLUSTER)
            _cured_ptx_parser_fail (self, &word, CURED_ERROR_INVALID,
                                    _ ("a cluster has 1 to %d blocks"), CURED_MAX_CLUSTER);
          break;
        case CURED_KEY_NORETURN:
        case CURED_KEY_EXPLICITCLUSTER:
          /* The cluster size is given by another directive, or by the launch. */
          break;
        default:
          _cured_ptx_parser_fail (self, &word, CURED_ERROR_SYNTAX,
                                  _ ("the emulator knows no directive .%.*s of a function"),
                                  (int) word.length, word.at);
        }
    }
  return bounds;
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

/* Begins the body of a function: its parameters have a scope of their own. */
static void
define (CuredPtxParser *self, guint32 index)
{
  CuredPtxFunction *function = FUNCTION (self, index);
  CuredPtxSignature signature = *SIGNATURE (self, LAYOUT (self, index)->signature);
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
  declare_formals (self, signature.results, is_entry, &end, slots, in_registers);
  function = FUNCTION (self, index);
  declare_formals (self, signature.parameters, is_entry, &end, function->parameters,
                   in_registers + function->n_results);
  FUNCTION (self, index)->parameter_bytes = end;
}

/* Ends the function after its body. */
void
_cured_ptx_end_function (CuredPtxParser *self)
{
  CuredPtxFunction *function = FUNCTION (self, self->function);
  CuredPtxLayout *layout = LAYOUT (self, self->function);

  function->n_sites = self->code->len - function->first;
  function->frame_bytes = self->frame_bytes;
  function->local_bytes = self->local_bytes;
  layout->own_bytes = self->own_bytes;
  layout->own_align = self->own_align;
  layout->uses_shared = self->uses_shared;
  function->registers = _cured_ptx_estimate_registers (
      (const CuredPtxUse *) self->uses->data, self->uses->len,
      (const CuredPtxInst *) self->code->data, function->first, function->n_sites);
  self->is_in_function = FALSE;
}

/* Reads a kernel or a function up to its body. Returns: whether it has one. */
gboolean
_cured_ptx_begin_function (CuredPtxParser *self, gboolean is_entry)
{
  CuredPtxToken name;

  while (_cured_ptx_get_key (self) == CURED_KEY_NORETURN)
    cured_ptx_parser_next (self);
  guint32 signature = parse_signature (self, &name);
  if (is_entry && SIGNATURE (self, signature)->results->len > 0)
    fail_at_name (self, &name, _ ("a kernel has no results"));
  guint32 index = declare_function (self, &name, is_entry, signature);
  Bounds bounds = parse_directives (self);
  CuredPtxFunction *function = FUNCTION (self, index);
  function->max_threads = (int) bounds.threads;
  memcpy (function->block, bounds.block, sizeof bounds.block);
  memcpy (function->cluster, bounds.cluster, sizeof bounds.cluster);
  if (cured_ptx_parser_accept (self, ';'))
    return FALSE;
  if (function->is_defined)
    fail_at_name (self, &name, _ ("it is defined twice"));
  _cured_ptx_parser_expect (self, '{');
  define (self, index);
  return TRUE;
}

/* Checks functions without a body: only those that the interpreter provides, and uncalled
 * ones, are allowed. */
void
_cured_ptx_finish_functions (CuredPtxParser *self)
{
  for (guint i = 0; i < self->functions->len; i++)
    {
      CuredPtxFunction *function = FUNCTION (self, i);

      for (guint k = 0; k < G_N_ELEMENTS (builtins) && !function->is_defined; k++)
        if (strcmp (function->name, builtins[k].name) == 0)
          function->builtin = builtins[k].builtin;
    }
  CURED_EACH (const CuredPtxInst, inst, self->code)
    {
      if (inst->call == NULL || inst->call->is_indirect)
        continue;
      const CuredPtxFunction *function = FUNCTION (self, inst->target);
      CuredPtxToken at = { .line = (guint32) inst->ptx_line, .column = (guint32) inst->ptx_column };
      if (!function->is_defined && function->builtin == CURED_BUILTIN_NONE)
        _cured_ptx_parser_fail (
            self, &at, CURED_ERROR_INVALID,
            _ ("%s has no body here: the emulator has printf, assert, malloc and free, but no "
               "libraries; define it in the kernel's file"),
            function->name);
    }
}

/* ---- Calls ---- */

/* Declares a signature for calls through pointers. */
static void
declare_prototype (CuredPtxParser *self, const CuredPtxToken *label, guint32 signature)
{
  _cured_ptx_parser_expect (self, ';');
  _cured_ptx_declare (self, label, CURED_SYMBOL_PROTOTYPE)->index = signature;
}

/* Reads the signature of a call through a pointer. */
void
_cured_ptx_parse_prototype (CuredPtxParser *self, const CuredPtxToken *label)
{
  CuredPtxToken name;
  guint32 signature = parse_signature (self, &name);

  parse_directives (self);
  declare_prototype (self, label, signature);
}

/* The signature of the function named by a token; FALSE: it is not a function. */
static gboolean
find_function (CuredPtxParser *self, const CuredPtxToken *name, guint32 *index, guint32 *signature)
{
  guint32 symbol = _cured_ptx_lookup (self, name);

  if (symbol == 0 || SYMBOL (self, symbol)->kind != CURED_SYMBOL_FUNCTION)
    return FALSE;
  *index = SYMBOL (self, symbol)->index;
  *signature = LAYOUT (self, *index)->signature;
  return TRUE;
}

/* Reads the possible targets of a pointer to functions. All have the same signature, so the first
 * one determines the call's. */
void
_cured_ptx_parse_call_targets (CuredPtxParser *self, const CuredPtxToken *label)
{
  guint32 first = G_MAXUINT32;

  do
    {
      CuredPtxToken name = _cured_ptx_parser_expect_name (self);
      guint32 index, signature;

      if (!find_function (self, &name, &index, &signature))
        fail_at_name (self, &name, _ ("no function of this name"));
      if (first == G_MAXUINT32)
        first = signature;
    }
  while (cured_ptx_parser_accept (self, ','));
  declare_prototype (self, label, first);
}

/* The operands in a call's parentheses. */
static void
parse_actuals (CuredPtxParser *self, GArray *raws)
{
  if (cured_ptx_parser_accept (self, ')'))
    return;
  do
    {
      CuredPtxRaw raw;

      _cured_ptx_parse_operand (self, &raw);
      if (raw.kind == CURED_RAW_BRACES || raw.kind == CURED_RAW_ADDRESS || raw.piped != 0)
        _cured_ptx_parser_fail (self, &raw.token, CURED_ERROR_SYNTAX,
                                _ ("a call takes variables of .param, registers and numbers"));
      /* A vector of registers without a suffix is replaced by its components. */
      if (raw.kind == CURED_RAW_SYMBOL && raw.component < 0 && !raw.has_addend &&
          SYMBOL (self, raw.symbol)->kind == CURED_SYMBOL_VECTOR)
        for (raw.component = 0; raw.component < SYMBOL (self, raw.symbol)->n_components;
             raw.component++)
          g_array_append_val (raws, raw);
      else
        g_array_append_val (raws, raw);
    }
  while (cured_ptx_parser_accept (self, ','));
  _cured_ptx_parser_expect (self, ')');
}

static void
match_actuals (CuredPtxParser *self, const GArray *raws, const GArray *formals, gboolean is_result,
               CuredPtxActual *actuals)
{
  if (raws->len != formals->len)
    _cured_ptx_parser_fail (
        self, &self->opcode, CURED_ERROR_SYNTAX,
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
            _cured_ptx_parser_fail (self, &raw->token, CURED_ERROR_SYNTAX,
                                    _ ("%.*s has %zu bytes, and the function's has %zu"),
                                    (int) raw->token.length, raw->token.at, symbol->size,
                                    formal->size);
          actuals[i].is_slot = TRUE;
          actuals[i].slot = (CuredPtxSlot){ symbol->offset, symbol->size };
          continue;
        }
      if (formal->size != _cured_ptx_types[formal->type].bytes)
        _cured_ptx_parser_fail (self, &raw->token, CURED_ERROR_SYNTAX,
                                _ ("a variable of .param with %zu bytes belongs here"),
                                formal->size);
      actuals[i].operand = is_result ? _cured_ptx_match_destination (self, raw, formal->type, FALSE)
                                     : _cured_ptx_match_source (self, raw, formal->type, FALSE);
    }
}

CURED_FREE_FUNC (CuredPtxCall, free_call, results, g_free, arguments, g_free)

/* Reads `(results), function, (arguments), prototype;`; all but the function are optional. */
void
_cured_ptx_parse_call (CuredPtxParser *self, CuredPtxInst *inst)
{
  GArray *results = self->results, *arguments = self->arguments;
  CuredPtxCall *call = g_new0 (CuredPtxCall, 1);
  guint32 index, which;

  self->n_elements = 0;
  g_array_set_size (results, 0);
  g_array_set_size (arguments, 0);
  if (self->module->calls == NULL)
    self->module->calls = g_ptr_array_new_with_free_func (free_call);
  g_ptr_array_add (self->module->calls, call);
  inst->call = call;

  if (cured_ptx_parser_accept (self, '('))
    parse_actuals (self, results);
  if (results->len > 0)
    _cured_ptx_parser_expect (self, ',');
  CuredPtxToken name = _cured_ptx_parser_expect_name (self);
  if (cured_ptx_parser_accept (self, ',') && cured_ptx_parser_accept (self, '('))
    {
      parse_actuals (self, arguments);
      cured_ptx_parser_accept (self, ',');
    }
  if (find_function (self, &name, &index, &which))
    inst->target = index;
  else
    {
      guint32 known = _cured_ptx_lookup (self, &name);
      CuredPtxRaw raw = {
        .kind = CURED_RAW_SYMBOL, .component = -1, .symbol = known, .token = name
      };

      if (known == 0 || SYMBOL (self, known)->kind != CURED_SYMBOL_REGISTER)
        fail_at_name (self, &name, _ ("no function of this name"));
      call->pointer = _cured_ptx_match_source (self, &raw, CURED_PTX_U64, FALSE);
      CuredPtxToken prototype = _cured_ptx_parser_expect_name (self);
      call->is_indirect = TRUE;
      inst->target = G_MAXUINT32;
      guint32 type = _cured_ptx_lookup (self, &prototype);
      if (type == 0 || SYMBOL (self, type)->kind != CURED_SYMBOL_PROTOTYPE)
        fail_at_name (self, &prototype,
                      _ ("no .callprototype or .calltargets of this name before the call"));
      which = SYMBOL (self, type)->index;
    }
  CuredPtxSignature signature = *SIGNATURE (self, which);
  call->n_results = results->len;
  call->results = g_new0 (CuredPtxActual, results->len + 1);
  call->n_arguments = arguments->len;
  call->arguments = g_new0 (CuredPtxActual, arguments->len + 1);
  match_actuals (self, results, signature.results, TRUE, call->results);
  match_actuals (self, arguments, signature.parameters, FALSE, call->arguments);
  _cured_ptx_parser_expect (self, ';');
}

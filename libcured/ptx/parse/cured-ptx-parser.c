/* SPDX-License-Identifier: MIT
 * Parses PTX text: statements of the module and of functions. */
#include "config.h"

#include "ptx/parse/cured-ptx-parser-private.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#include "base/cured-error.h"

/* ---- Statements of a function ---- */

static gboolean
parse_pragma (CuredPtxParser *self)
{
  do
    {
      if (self->token.kind != CURED_TOKEN_STRING)
        return _cured_ptx_parser_fail_expected (self, _ ("a string"));
      cured_ptx_parser_next (self);
    }
  while (cured_ptx_parser_accept (self, ','));
  return _cured_ptx_parser_expect (self, ';');
}

/* .section name { ... } is for debuggers. */
static gboolean
parse_section (CuredPtxParser *self)
{
  if (self->token.kind != CURED_TOKEN_WORD && self->token.kind != CURED_TOKEN_NAME)
    return _cured_ptx_parser_fail_expected (self, _ ("the name of a section"));
  cured_ptx_parser_next (self);
  if (!cured_ptx_parser_is (self, '{'))
    return _cured_ptx_parser_fail_expected (self, "'{'");
  if (!_cured_ptx_lexer_skip_block (&self->lexer))
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX, _ ("the section has no end"));
  cured_ptx_parser_next (self);
  return TRUE;
}

static gboolean
parse_branch_targets (CuredPtxParser *self, const CuredPtxToken *label)
{
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 index = self->tables->len;
  CuredPtxTable table = { 0 };

  do
    {
      CuredPtxToken name;
      CuredPtxJump jump = { .site = G_MAXUINT32, .table = index, .slot = targets->len };
      guint32 none = G_MAXUINT32;

      if (!_cured_ptx_parser_expect_name (self, &name))
        return FALSE;
      jump.atom = _cured_ptx_make_atom (self, &name);
      jump.line = name.line;
      jump.column = name.column;
      g_array_append_val (targets, none);
      if (!_cured_ptx_jump (self, &jump))
        return FALSE;
    }
  while (cured_ptx_parser_accept (self, ','));
  table.n_targets = targets->len;
  table.targets = g_memdup2 (targets->data, (gsize) targets->len * sizeof (guint32));
  g_array_append_val (self->tables, table);
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, label, CURED_SYMBOL_TABLE);
  if (symbol == NULL)
    return FALSE;
  symbol->index = index;
  return _cured_ptx_parser_expect (self, ';');
}

/* Behind `name:`. */
static gboolean
parse_label (CuredPtxParser *self, const CuredPtxToken *name)
{
  CuredPtxKey key = _cured_ptx_get_key (self);

  switch ((guint) key)
    {
    case CURED_KEY_BRANCHTARGETS:
      cured_ptx_parser_next (self);
      return parse_branch_targets (self, name);
    case CURED_KEY_CALLTARGETS:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_call_targets (self, name);
    case CURED_KEY_CALLPROTOTYPE:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_prototype (self, name);
    default:
      break;
    }
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, name, CURED_SYMBOL_LABEL);
  if (symbol == NULL)
    return FALSE;
  symbol->index = self->code->len;
  self->last_label = self->code->len;
  return TRUE;
}

static CuredPtxInst
make_instruction (CuredPtxParser *self, const CuredPtxToken *at)
{
  return (CuredPtxInst){
    .site = self->code->len,
    .line = self->line,
    .ptx_line = (int32_t) at->line,
    .ptx_column = (int32_t) at->column,
    .file = self->file,
  };
}

/* Finds the handler. */
static gboolean
select_handler (CuredPtxParser *self, const CuredPtxForm *form, CuredPtxInst *inst)
{
  const char *problem = NULL;
  const CuredPtxOperand *index = inst->x;

  if (form == NULL)
    return TRUE;
  /* Where the operands are now; they may still move. */
  inst->x = (const CuredPtxOperand *) self->operands->data + GPOINTER_TO_SIZE (index);
  inst->run = cured_ptx_form_select (form, inst, &problem);
  inst->x = index;
  return inst->run != NULL ||
         _cured_ptx_parser_fail (self, (guint32) inst->ptx_line, (guint32) inst->ptx_column,
                                 CURED_ERROR_INVALID, "%.*s %s", (int) self->opcode.length,
                                 self->opcode.at, problem);
}

/* What the words and the operands that were read are, as the next instruction. */
static gboolean
add_instruction (CuredPtxParser *self, const CuredPtxToken *start, const CuredPtxOpcode *opcode,
                 const CuredPtxOperand *guard)
{
  CuredPtxInst inst = make_instruction (self, start);
  const CuredPtxForm *form = opcode->form;

  inst.op = opcode->op;
  inst.n_types = opcode->n_types;
  memcpy (inst.types, opcode->types, sizeof inst.types);
  memcpy (inst.words, opcode->words, sizeof inst.words);
  inst.guard = *guard;
  if (inst.op == CURED_PTX_OP_call)
    {
      CuredPtxOperand none = { 0 };

      inst.x = GSIZE_TO_POINTER ((gsize) self->operands->len);
      inst.n_counts = 1;
      inst.counts[0] = 1;
      g_array_append_val (self->operands, none);
      if (!_cured_ptx_parse_call (self, &inst))
        return FALSE;
    }
  else if (!_cured_ptx_match_operands (self, &inst))
    return FALSE;
  if (cured_get_vector (&inst) * _cured_ptx_types[inst.types[0]].bytes > 16 &&
      self->module->target < 100)
    return _cured_ptx_parser_fail (self, self->opcode.line, self->opcode.column,
                                   CURED_ERROR_INVALID,
                                   "%.*s takes no more than 128 bits per lane before sm_100",
                                   (int) self->opcode.length, self->opcode.at);
  if (!select_handler (self, form, &inst))
    return FALSE;
  g_array_append_val (self->code, inst);
  return TRUE;
}

/* `st [x], r + 1`: the ISA has no such operand, ptxas takes it where a register is read and puts an
 * addition in front. Does the same for the @index-th operand. */
static gboolean
add_sum (CuredPtxParser *self, const CuredPtxToken *start, guint index)
{
  CuredPtxToken name = *start, opcode_name = *start;
  const CuredPtxToken opcode_before = self->opcode;
  const CuredPtxRaw sum = self->raws[index];
  const CuredPtxTypeInfo *type = &_cured_ptx_types[SYMBOL (self, sum.symbol)->type];
  CuredPtxRaw before[CURED_MAX_RAW];
  guint n_before = self->n_raws;
  CuredPtxOperand unguarded = { 0 };
  CuredPtxRaw *to = &self->raws[0];
  char *text = g_strdup_printf ("+%u+", self->joined->len);

  g_ptr_array_add (self->joined, text);
  name.at = text;
  name.length = (guint32) strlen (text);
  name.hash = _cured_ptx_hash (text, name.length, self->lexer.seed);
  CuredPtxSymbol *symbol = _cured_ptx_declare (self, &name, CURED_SYMBOL_REGISTER);
  if (symbol == NULL)
    return FALSE;
  symbol->type = SYMBOL (self, sum.symbol)->type;

  memcpy (before, self->raws, sizeof before);
  *to = sum;
  to->symbol = _cured_ptx_lookup (self, &name);
  to->has_addend = FALSE;
  before[index] = *to;
  self->raws[1] = sum;
  self->raws[1].has_addend = FALSE;
  self->raws[2] = (CuredPtxRaw){
    .kind = CURED_RAW_INTEGER, .component = -1, .value = sum.value, .token = sum.token
  };
  self->n_raws = 3;
  opcode_name.at = type->bytes == 2 ? "add.u16" : type->bytes == 4 ? "add.u32" : "add.u64";
  opcode_name.length = (guint32) strlen (opcode_name.at);
  opcode_name.hash = _cured_ptx_hash (opcode_name.at, opcode_name.length, self->lexer.seed);
  self->opcode = opcode_name;
  const CuredPtxOpcode *opcode = _cured_ptx_get_opcode (self, &opcode_name);
  if (opcode == NULL || !add_instruction (self, start, opcode, &unguarded))
    return FALSE;
  self->opcode = opcode_before;
  memcpy (self->raws, before, sizeof before);
  self->n_raws = n_before;
  return TRUE;
}

/* Whether an operand is an integer register and a number. */
static gboolean
is_sum (CuredPtxParser *self, const CuredPtxRaw *raw)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->kind == CURED_RAW_SYMBOL ? raw->symbol : 0);

  return raw->kind == CURED_RAW_SYMBOL && raw->has_addend && raw->piped == 0 &&
         symbol->kind == CURED_SYMBOL_REGISTER && raw->component < 0 &&
         _cured_ptx_types[symbol->type].bytes > 1 &&
         (_cured_ptx_types[symbol->type].kind == CURED_PTX_KIND_B ||
          _cured_ptx_types[symbol->type].kind == CURED_PTX_KIND_U ||
          _cured_ptx_types[symbol->type].kind == CURED_PTX_KIND_S);
}

/* An instruction that starts with its guard or its words; the next token is what follows them. */
static gboolean
parse_instruction (CuredPtxParser *self, const CuredPtxToken *start, const CuredPtxToken *name,
                   const CuredPtxOperand *guard)
{
  self->opcode = *name;
  const CuredPtxOpcode *opcode = _cured_ptx_get_opcode (self, name);
  if (opcode == NULL)
    return FALSE;
  if (opcode->op == CURED_PTX_OP_call)
    return add_instruction (self, start, opcode, guard);
  if (!_cured_ptx_parse_operands (self, _cured_ptx_ops[opcode->op].klass == CURED_PTX_CLASS_VIDEO))
    return FALSE;
  /* The array of them may move. */
  CuredPtxOpcode copy = *opcode;
  for (guint i = 1; i < self->n_raws; i++)
    if (is_sum (self, &self->raws[i]) && !add_sum (self, start, i))
      return FALSE;
  return add_instruction (self, start, &copy, guard);
}

/* @%p or @!%p */
static gboolean
parse_guard (CuredPtxParser *self, CuredPtxOperand *guard)
{
  CuredPtxRaw raw;

  self->opcode = self->token;
  cured_ptx_parser_next (self);
  return _cured_ptx_parse_operand (self, &raw) &&
         _cured_ptx_match_source (self, &raw, CURED_PTX_PRED, FALSE, guard);
}

static gboolean
parse_directive (CuredPtxParser *self)
{
  CuredPtxKey key = _cured_ptx_get_key (self);

  switch ((guint) key)
    {
    case CURED_KEY_REG:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_registers (self);
    case CURED_KEY_LOC:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_loc (self);
    case CURED_KEY_PARAM:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_PARAM, FALSE);
    case CURED_KEY_LOCAL:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_LOCAL, FALSE);
    case CURED_KEY_SHARED:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_SHARED, FALSE);
    case CURED_KEY_GLOBAL:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_GLOBAL, FALSE);
    case CURED_KEY_CONST:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_CONST, FALSE);
    case CURED_KEY_EXTERN:
      cured_ptx_parser_next (self);
      if (_cured_ptx_get_key (self) != CURED_KEY_SHARED)
        return _cured_ptx_parser_fail_expected (self, ".shared");
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_SHARED, TRUE);
    case CURED_KEY_PRAGMA:
      cured_ptx_parser_next (self);
      return parse_pragma (self);
    case CURED_KEY_FILE:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_file (self);
    case CURED_KEY_SECTION:
      cured_ptx_parser_next (self);
      return parse_section (self);
    default:
      return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                          _ ("the emulator knows no directive .%.*s in a function"),
                                          (int) self->token.length, self->token.at);
    }
}

/* Words with space between them: `add .u32`. No one writes that much, so the copy is no matter. */
static void
join_words (CuredPtxParser *self, CuredPtxToken *name)
{
  GString *text = g_string_new_len (name->at, name->length);

  while (self->token.kind == CURED_TOKEN_WORD)
    {
      g_string_append_c (text, '.');
      g_string_append_len (text, self->token.at, self->token.length);
      cured_ptx_parser_next (self);
    }
  name->length = (guint32) text->len;
  name->hash = _cured_ptx_hash (text->str, text->len, self->lexer.seed);
  name->at = text->str;
  g_ptr_array_add (self->joined, g_string_free (text, FALSE));
}

static gboolean
parse_statement (CuredPtxParser *self)
{
  CuredPtxOperand guard = { 0 };
  CuredPtxToken start = self->token;
  gboolean is_guarded = cured_ptx_parser_is (self, '@');

  if (is_guarded && !parse_guard (self, &guard))
    return FALSE;
  if (self->token.kind != CURED_TOKEN_NAME)
    return _cured_ptx_parser_fail_expected (self, _ ("an instruction"));
  CuredPtxToken name = self->token;
  if (*self->lexer.at == '.')
    _cured_ptx_lexer_extend (&self->lexer, &name);
  cured_ptx_parser_next (self);
  if (G_UNLIKELY (self->token.kind == CURED_TOKEN_WORD))
    join_words (self, &name);
  if (!is_guarded && cured_ptx_parser_accept (self, ':'))
    return parse_label (self, &name);
  return parse_instruction (self, &start, &name, &guard);
}

/* A function ends with an instruction that leaves it. */
static gboolean
end_code (CuredPtxParser *self, const CuredPtxToken *at)
{
  CuredPtxInst inst = make_instruction (self, at);
  const CuredPtxInst *last = NULL;
  CuredPtxOperand none = { 0 };

  if (self->code->len > self->first_site)
    last = &g_array_index (self->code, CuredPtxInst, self->code->len - 1);
  if (last != NULL && last->guard.width == 0 &&
      (last->op == CURED_PTX_OP_ret || last->op == CURED_PTX_OP_exit) &&
      self->last_label != self->code->len)
    return TRUE;
  inst.op = CURED_PTX_OP_ret;
  inst.x = GSIZE_TO_POINTER ((gsize) self->operands->len);
  g_array_append_val (self->operands, none);
  if (self->forms != NULL)
    inst.run = _cured_ptx_find_form (self->forms, &inst)->run;
  g_array_append_val (self->code, inst);
  return TRUE;
}

/* Reads the function to behind its `}`, and ends both scopes. */
gboolean
_cured_ptx_parse_body (CuredPtxParser *self)
{
  guint outside = self->scopes->len;
  CuredPtxToken end;

  /* Names of the body and of the parameters are of one scope. */
  for (;;)
    {
      if (self->token.kind == CURED_TOKEN_NAME || cured_ptx_parser_is (self, '@'))
        {
          if (!parse_statement (self))
            return FALSE;
        }
      else if (self->token.kind == CURED_TOKEN_WORD)
        {
          if (!parse_directive (self))
            return FALSE;
        }
      else if (cured_ptx_parser_accept (self, ';'))
        continue;
      else if (cured_ptx_parser_is (self, '{'))
        {
          if (self->scopes->len == CURED_MAX_DEPTH)
            return _cured_ptx_parser_fail_here (
                self, CURED_ERROR_INVALID, _ ("blocks may be nested %d deep"), CURED_MAX_DEPTH);
          cured_ptx_parser_next (self);
          _cured_ptx_scope_open (self);
        }
      else if (cured_ptx_parser_is (self, '}'))
        {
          end = self->token;
          cured_ptx_parser_next (self);
          if (self->scopes->len == outside)
            break;
          if (!_cured_ptx_scope_close (self))
            return FALSE;
        }
      else
        return _cured_ptx_parser_fail_expected (self, _ ("an instruction or “}”"));
    }
  if (!end_code (self, &end) || !_cured_ptx_scope_close (self))
    return FALSE;
  if (self->jumps->len > 0)
    {
      const CuredPtxJump *jump = &g_array_index (self->jumps, CuredPtxJump, 0);
      const CuredPtxAtom *atom = ATOM (self, jump->atom);

      return _cured_ptx_parser_fail (self, jump->line, jump->column, CURED_ERROR_SYNTAX,
                                     _ ("there is no label %.*s in this block or around it"),
                                     (int) atom->length, atom->at);
    }
  return TRUE;
}

/* ---- Statements of the module ---- */

/* .version 8.0 */
static gboolean
parse_version (CuredPtxParser *self)
{
  if (_cured_ptx_get_key (self) != CURED_KEY_VERSION)
    return _cured_ptx_parser_fail_expected (self, _ ("the .version that PTX begins with"));
  cured_ptx_parser_next (self);
  if (self->token.kind != CURED_TOKEN_F64 || !self->token.is_decimal)
    return _cured_ptx_parser_fail_expected (self, _ ("a version such as 8.0"));
  cured_ptx_parser_next (self);
  return TRUE;
}

/* .target sm_90, debug */
static gboolean
parse_target (CuredPtxParser *self)
{
  CuredPtxToken name;

  if (_cured_ptx_get_key (self) != CURED_KEY_TARGET)
    return _cured_ptx_parser_fail_expected (self, ".target");
  cured_ptx_parser_next (self);
  do
    {
      if (!_cured_ptx_parser_expect_name (self, &name))
        return FALSE;
      if (name.length > 3 && memcmp (name.at, "sm_", 3) == 0)
        self->module->target = (int) strtol (name.at + 3, NULL, 10);
      else if (name.length == 14 && memcmp (name.at, "map_f64_to_f32", 14) == 0)
        return _cured_ptx_parser_fail (
            self, name.line, name.column, CURED_ERROR_INVALID,
            _ ("map_f64_to_f32 is not emulated: no device of today needs it"));
    }
  while (cured_ptx_parser_accept (self, ','));
  if (self->module->target <= 0 || self->module->target > 9999)
    return _cured_ptx_parser_fail (self, name.line, name.column, CURED_ERROR_SYNTAX,
                                   _ (".target names an architecture, as sm_90"));
  return TRUE;
}

static gboolean
parse_module_statement (CuredPtxParser *self)
{
  gboolean is_extern = FALSE;
  CuredPtxKey key = _cured_ptx_get_key (self);
  guint64 size;

  while (key == CURED_KEY_VISIBLE || key == CURED_KEY_EXTERN || key == CURED_KEY_WEAK ||
         key == CURED_KEY_COMMON)
    {
      is_extern |= key == CURED_KEY_EXTERN;
      cured_ptx_parser_next (self);
      key = _cured_ptx_get_key (self);
    }
  if (key == CURED_KEY_NONE)
    {
      if (cured_ptx_parser_accept (self, ';'))
        return TRUE;
      if (cured_ptx_parser_is (self, '@') && *self->lexer.at == '@')
        {
          /* @@DWARF, of the time before .section. */
          _cured_ptx_lexer_skip_line (&self->lexer);
          cured_ptx_parser_next (self);
          return TRUE;
        }
      return _cured_ptx_parser_fail_expected (self, _ ("a directive such as .entry"));
    }
  switch ((guint) key)
    {
    case CURED_KEY_TARGET:
      return parse_target (self);
    case CURED_KEY_ADDRESS_SIZE:
      cured_ptx_parser_next (self);
      if (self->token.kind == CURED_TOKEN_INTEGER && self->token.value != 64)
        return _cured_ptx_parser_fail_here (
            self, CURED_ERROR_INVALID, _ ("addresses of 32 bits are not emulated: compile for 64"));
      return _cured_ptx_parser_expect_integer (self, &size);
    case CURED_KEY_ENTRY:
    case CURED_KEY_FUNC:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_function (self, key == CURED_KEY_ENTRY);
    case CURED_KEY_GLOBAL:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_GLOBAL, is_extern);
    case CURED_KEY_CONST:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_CONST, is_extern);
    case CURED_KEY_SHARED:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_variable (self, CURED_SPACE_SHARED, is_extern);
    case CURED_KEY_FILE:
      cured_ptx_parser_next (self);
      return _cured_ptx_parse_file (self);
    case CURED_KEY_SECTION:
      cured_ptx_parser_next (self);
      return parse_section (self);
    case CURED_KEY_PRAGMA:
      cured_ptx_parser_next (self);
      return parse_pragma (self);
    case CURED_KEY_ALIAS:
      return _cured_ptx_parser_fail_here (
          self, CURED_ERROR_INVALID,
          _ ("aliases of functions are not emulated: call the function by its own name"));
    case CURED_KEY_TEX:
      return _cured_ptx_parser_fail_here (
          self, CURED_ERROR_INVALID,
          _ ("textures and surfaces are not emulated: use global memory"));
    default:
      return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                          _ ("the emulator knows no directive .%.*s of a module"),
                                          (int) self->token.length, self->token.at);
    }
}

static gboolean
parse_all (CuredPtxParser *self)
{
  cured_ptx_parser_next (self);
  if (!parse_version (self) || !parse_target (self))
    return FALSE;
  while (self->token.kind != CURED_TOKEN_END)
    if (!parse_module_statement (self))
      return FALSE;
  for (guint i = 0; i < self->variables->len; i++)
    {
      const CuredPtxVariable *variable = &g_array_index (self->variables, CuredPtxVariable, i);

      if (variable->is_extern && variable->is_used)
        return _cured_ptx_parser_fail (self, variable->ptx_line, variable->ptx_column,
                                       CURED_ERROR_INVALID,
                                       _ ("%s is defined nowhere: the emulator links one module "
                                          "only, so define it in the kernel's file"),
                                       variable->name);
    }
  return _cured_ptx_finish_functions (self);
}

/* ---- The module ---- */

static void
write_lanes (guint8 *to, guint64 bits, guint width)
{
  for (guint lane = 0; lane < CURED_WARP_LANES; lane++)
    for (guint i = 0; i < width; i++)
      to[lane * width + i] = (guint8) (bits >> (8 * i));
}

/* The pool, and what in it linking has to set. */
static void
build_constants (CuredPtxParser *self)
{
  CuredPtxModule *module = self->module;

  module->constants_size = self->constants_size;
  module->constants = g_aligned_alloc0 (MAX (self->constants_size, 64), 1, 64);
  for (guint i = 1; i < self->constants->len; i++)
    {
      const CuredPtxConstant *constant = &g_array_index (self->constants, CuredPtxConstant, i);
      guint8 *to = module->constants + constant->offset;

      if (constant->variable != 0)
        {
          CuredPtxRelocation relocation = {
            .offset = constant->offset,
            .width = constant->width,
            .variable = constant->variable - 1,
            .addend = (gint64) constant->bits,
          };

          g_array_append_val (self->relocations, relocation);
        }
      else if (constant->width == 1)
        memset (to, constant->bits != 0 ? 0xff : 0, sizeof (guint32));
      else
        write_lanes (to, constant->bits, constant->width);
    }
}

#define STEAL(type, member, count)                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    module->count = self->member->len;                                                             \
    module->member = (type *) (gpointer) g_array_free (g_steal_pointer (&self->member), FALSE);    \
  }                                                                                                \
  G_STMT_END

static void
find_lines (CuredPtxModule *module)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (guint32));
  const char *end = module->text + module->length;

  for (const char *at = module->text; at != NULL;)
    {
      guint32 offset = (guint32) (at - module->text);

      g_array_append_val (lines, offset);
      at = memchr (at, '\n', (gsize) (end - at));
      if (at != NULL)
        at++;
    }
  module->n_lines = lines->len;
  module->lines = (guint32 *) (gpointer) g_array_free (lines, FALSE);
}

/* Those of the entries before those of the module: a search finds them first, in entries that have
 * none of the module's. */
static int
compare_shared (gconstpointer a, gconstpointer b)
{
  const CuredPtxShared *x = a, *y = b;

  return (x->function == G_MAXUINT32) - (y->function == G_MAXUINT32);
}

/* Where the static shared variables are: an entry's own behind the module's, where it uses any of
 * these, as ptxas has it. */
static void
place_shared (CuredPtxParser *self)
{
  _cured_ptx_spread_use (self);
  for (guint i = 0; i < self->functions->len; i++)
    {
      CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, i);
      CuredPtxLayout *layout = &g_array_index (self->layouts, CuredPtxLayout, i);

      if (layout->uses_shared || self->shares_all)
        layout->own_base = self->module_shared;
      if (layout->own_bytes > 0)
        layout->own_base = (layout->own_base + layout->own_align - 1) & ~(layout->own_align - 1);
      if (!function->is_entry)
        continue;
      function->shared_bytes = layout->own_base + layout->own_bytes;
      if (self->shared_align > 0)
        function->shared_bytes =
            (function->shared_bytes + self->shared_align - 1) & ~(self->shared_align - 1);
    }
  for (guint i = 0; i < self->own_shared->len; i++)
    {
      const CuredPtxOwn *own = &g_array_index (self->own_shared, CuredPtxOwn, i);
      CuredPtxInst *inst = &g_array_index (self->code, CuredPtxInst, own->site);
      gsize base = g_array_index (self->layouts, CuredPtxLayout, own->function).own_base;

      if (own->which == 2)
        inst->immediate += (int64_t) base;
      else if (own->which == 1)
        inst->displacement2 += (int64_t) base;
      else
        inst->displacement += (int64_t) base;
    }
  for (guint i = 0; i < self->shared->len; i++)
    {
      CuredPtxShared *shared = &g_array_index (self->shared, CuredPtxShared, i);

      if (shared->function != G_MAXUINT32)
        shared->offset += g_array_index (self->layouts, CuredPtxLayout, shared->function).own_base;
    }
  g_array_sort (self->shared, compare_shared);
}

/* Marks registers of a product in @used, a bit each. */
static void
mark_product (const CuredPtxInst *inst, GByteArray *used)
{
  guint n = inst->counts[0] + (inst->counts[1] > 1 ? inst->counts[1] : 0u);

  for (guint i = 0; i < n; i++)
    {
      guint at = inst->x[i].offset / (CURED_WARP_LANES * 4);

      if (used->len <= at)
        {
          guint old = used->len;

          g_byte_array_set_size (used, at + 1);
          memset (used->data + old, 0, used->len - old);
        }
      used->data[at] = 1;
    }
}

/* Instructions that have registers of products, in the same function, look at what is under way. */
static void
find_early (CuredPtxModule *module)
{
  for (guint f = 0; f < module->n_functions && module->n_code > 0; f++)
    {
      const CuredPtxFunction *function = &module->functions[f];
      CuredPtxInst *code = module->code + function->first;
      g_autoptr (GByteArray) used = g_byte_array_new ();
      guint at = 0;

      for (guint i = 0; i < function->n_sites; i++)
        if (_cured_ptx_is_wgmma (code[i].op))
          mark_product (&code[i], used);
      for (guint i = 0; i < function->n_sites && used->len > 0; i++)
        {
          if (_cured_ptx_is_wgmma (code[i].op) || code[i].op == CURED_PTX_OP_mov ||
              code[i].op == CURED_PTX_OP_call)
            continue;
          if (module->late == NULL)
            module->late = g_new0 (CuredPtxHandler, module->n_code);
          module->late[code[i].site] = code[i].run;
          at = 0;
          for (guint k = 0; k < code[i].n_counts; k++)
            for (guint j = 0; j < code[i].counts[k]; j++, at++)
              {
                const CuredPtxOperand *x = &code[i].x[at];
                guint offset = x->offset / (CURED_WARP_LANES * 4);

                if (x->base == CURED_BASE_REGISTERS && x->width > 1 && offset < used->len &&
                    used->data[offset] != 0)
                  code[i].run = _cured_warp_run_late;
              }
        }
    }
}

static void
finish (CuredPtxParser *self)
{
  CuredPtxModule *module = self->module;

  place_shared (self);
  build_constants (self);
  for (guint i = 0; i < self->functions->len; i++)
    {
      CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, i);
      gsize align = MAX (self->local_align, 16);

      /* Frames follow each other. */
      function->local_end = function->local_bytes;
      function->local_bytes = (function->local_bytes + align - 1) & ~(align - 1);
    }
  for (guint i = 0; i < self->files->len; i++)
    {
      char **name = &g_array_index (self->files, char *, i);

      if (*name == NULL)
        *name = g_strdup ("");
    }
  find_lines (module);
  STEAL (CuredPtxOperand, operands, n_operands);
  STEAL (CuredPtxInst, code, n_code);
  STEAL (CuredPtxFunction, functions, n_functions);
  STEAL (CuredPtxVariable, variables, n_variables);
  STEAL (CuredPtxShared, shared, n_shared);
  STEAL (CuredPtxRelocation, relocations, n_relocations);
  STEAL (CuredPtxTable, tables, n_tables);
  STEAL (char *, files, n_files);
  for (guint i = 0; i < module->n_code; i++)
    module->code[i].x = module->operands + GPOINTER_TO_SIZE (module->code[i].x);
  /* An address that was 0 is not 0 any more, and mov has a handler for that. */
  for (guint i = 0; self->forms != NULL && i < self->own_shared->len; i++)
    {
      CuredPtxInst *inst = &module->code[g_array_index (self->own_shared, CuredPtxOwn, i).site];
      const char *problem = NULL;

      inst->run = cured_ptx_form_select (_cured_ptx_find_form (self->forms, inst), inst, &problem);
      g_assert (inst->run != NULL);
    }
  if (self->forms != NULL)
    find_early (module);
  module->has_recursion =
      _cured_ptx_find_recursion (module, (const guint32 *) self->taken->data, self->taken->len);
}

/* What is left of a module that was not finished. */
static void
clear_parts (CuredPtxParser *self)
{
  if (self->functions != NULL)
    for (guint i = 0; i < self->functions->len; i++)
      {
        CuredPtxFunction *function = &g_array_index (self->functions, CuredPtxFunction, i);

        g_free (function->name);
        g_free (function->parameters);
        g_free (function->results);
        g_free (function->in_registers);
      }
  if (self->variables != NULL)
    for (guint i = 0; i < self->variables->len; i++)
      {
        g_free (g_array_index (self->variables, CuredPtxVariable, i).name);
        g_free (g_array_index (self->variables, CuredPtxVariable, i).initial);
      }
  if (self->shared != NULL)
    for (guint i = 0; i < self->shared->len; i++)
      g_free (g_array_index (self->shared, CuredPtxShared, i).name);
  if (self->tables != NULL)
    for (guint i = 0; i < self->tables->len; i++)
      g_free (g_array_index (self->tables, CuredPtxTable, i).targets);
  if (self->files != NULL)
    for (guint i = 0; i < self->files->len; i++)
      g_free (g_array_index (self->files, char *, i));
  g_clear_pointer (&self->functions, g_array_unref);
  g_clear_pointer (&self->variables, g_array_unref);
  g_clear_pointer (&self->shared, g_array_unref);
  g_clear_pointer (&self->tables, g_array_unref);
  g_clear_pointer (&self->files, g_array_unref);
  g_clear_pointer (&self->code, g_array_unref);
  g_clear_pointer (&self->operands, g_array_unref);
  g_clear_pointer (&self->relocations, g_array_unref);
}

static void
clear (CuredPtxParser *self)
{
  clear_parts (self);
  for (guint i = 0; i < self->signatures->len; i++)
    {
      CuredPtxSignature *signature = &g_array_index (self->signatures, CuredPtxSignature, i);

      g_array_unref (signature->results);
      g_array_unref (signature->parameters);
    }
  g_array_unref (self->signatures);
  g_array_unref (self->layouts);
  _cured_ptx_symbols_clear (self);
  g_array_unref (self->opcodes);
  g_array_unref (self->file_numbers);
  g_array_unref (self->own_shared);
  g_array_unref (self->taken);

  g_ptr_array_unref (self->joined);
  g_hash_table_unref (self->inlined);
}

static void
init (CuredPtxParser *self)
{
  char *none = g_strdup ("");
  CuredPtxOperand no_operand = { 0 };

  self->code = g_array_new (FALSE, FALSE, sizeof (CuredPtxInst));
  self->operands = g_array_new (FALSE, FALSE, sizeof (CuredPtxOperand));
  /* [0] belongs to no instruction; it keeps the array from being empty. */
  g_array_append_val (self->operands, no_operand);
  self->functions = g_array_new (FALSE, FALSE, sizeof (CuredPtxFunction));
  self->variables = g_array_new (FALSE, FALSE, sizeof (CuredPtxVariable));
  self->shared = g_array_new (FALSE, FALSE, sizeof (CuredPtxShared));
  self->relocations = g_array_new (FALSE, FALSE, sizeof (CuredPtxRelocation));
  self->tables = g_array_new (FALSE, FALSE, sizeof (CuredPtxTable));
  self->files = g_array_new (FALSE, FALSE, sizeof (char *));
  g_array_append_val (self->files, none);
  self->file_numbers = g_array_new (FALSE, TRUE, sizeof (guint16));
  self->signatures = g_array_new (FALSE, FALSE, sizeof (CuredPtxSignature));
  self->layouts = g_array_new (FALSE, FALSE, sizeof (CuredPtxLayout));
  self->opcodes = g_array_new (FALSE, FALSE, sizeof (CuredPtxOpcode));
  self->own_shared = g_array_new (FALSE, FALSE, sizeof (CuredPtxOwn));
  self->taken = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->joined = g_ptr_array_new_with_free_func (g_free);
  self->inlined = g_hash_table_new (NULL, NULL);
  _cured_ptx_symbols_init (self);
}

/* Parses with chosen forms. Returns: the module. */
CuredPtxModule *
_cured_ptx_parse (const char *text, gssize length, const char *file_name,
                  const CuredPtxFormTable *forms, GError **error)
{
  g_autoptr (CuredPtxModule) module = NULL;
  g_autofree CuredPtxParser *self = NULL;

  gsize bytes = length < 0 ? strlen (text) : (gsize) length;
  /* NVRTC counts the NUL at the end. */
  while (bytes > 0 && text[bytes - 1] == '\0')
    bytes--;
  module = g_new0 (CuredPtxModule, 1);
  module->file_name = g_strdup (file_name != NULL ? file_name : _ ("PTX"));
  if (bytes > CURED_MAX_TEXT_BYTES)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s: the text has more than %u MiB; split the module"),
                            module->file_name, CURED_MAX_TEXT_BYTES >> 20);
  module->text = g_malloc (bytes + 1);
  memcpy (module->text, text, bytes);
  module->text[bytes] = '\0';
  module->length = bytes;

  self = g_new0 (CuredPtxParser, 1);
  self->module = module;
  self->forms = forms;
  /* The hashes differ from text to text, so that none is made to collide; what comes out does not
   * depend on them. */
  _cured_ptx_lexer_init (&self->lexer, module->text, bytes,
                         (guint32) (GPOINTER_TO_SIZE (module->text) >> 4) * 2654435761u);
  init (self);
  if (parse_all (self))
    finish (self);
  clear (self);
  if (self->error != NULL)
    {
      g_propagate_error (error, self->error);
      return NULL;
    }
  return g_steal_pointer (&module);
}

/**
 * cured_ptx_module_parse:
 * @text: PTX; need not be valid in any way
 * @length: its bytes, or -1: up to a NUL
 * @file_name: (nullable): what errors call it
 * @error: #CURED_ERROR_SYNTAX where it is no PTX, #CURED_ERROR_INVALID where
 *   the emulator has not what it asks for. The message begins with file, line
 *   and column.
 *
 * Parses a PTX text whole. Whatever the emulator could not run is refused here, not when it is met.
 *
 * Returns: (nullable) (transfer full): the module; @text is not needed any more
 */
CuredPtxModule *
cured_ptx_module_parse (const char *text, gssize length, const char *file_name, GError **error)
{
  g_return_val_if_fail (text != NULL, NULL);

  return _cured_ptx_parse (text, length, file_name, _cured_ptx_get_forms (false), error);
}

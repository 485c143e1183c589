/* SPDX-License-Identifier: MIT
 * Parses PTX text: statements of the module and of functions. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"

/* ---- Statements of a function ---- */

/* Skips .section name { ... }, which is for debuggers. */
static void
parse_section (CuredPtxParser *self)
{
  if (self->token.kind != CURED_TOKEN_WORD && self->token.kind != CURED_TOKEN_NAME)
    _cured_ptx_parser_fail_expected (self, _ ("the name of a section"));
  cured_ptx_parser_next (self);
  if (!cured_ptx_parser_is (self, '{'))
    _cured_ptx_parser_fail_expected (self, "'{'");
  if (!_cured_ptx_lexer_skip_block (&self->lexer))
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX, _ ("the section has no end"));
  cured_ptx_parser_next (self);
}

static void
parse_branch_targets (CuredPtxParser *self, const CuredPtxToken *label)
{
  GArray *targets = self->targets;
  guint32 index = self->tables->len, none = G_MAXUINT32;

  g_array_set_size (targets, 0);
  do
    {
      CuredPtxJump jump = { .site = G_MAXUINT32, .table = index, .slot = targets->len };

      jump.name = _cured_ptx_parser_expect_name (self);
      jump.atom = _cured_ptx_make_atom (self, &jump.name);
      g_array_append_val (targets, none);
      g_array_append_val (self->jumps, jump);
    }
  while (cured_ptx_parser_accept (self, ','));
  CuredPtxTable table = {
    .n_targets = targets->len,
    .targets = g_memdup2 (targets->data, (gsize) targets->len * sizeof (guint32)),
  };
  g_array_append_val (self->tables, table);
  _cured_ptx_declare (self, label, CURED_SYMBOL_TABLE)->index = index;
  _cured_ptx_parser_expect (self, ';');
}

/* Statements after `name:`. */
static void
parse_label (CuredPtxParser *self, const CuredPtxToken *name)
{
  static const struct
  {
    CuredPtxKey key;
    void (*parse) (CuredPtxParser *self, const CuredPtxToken *label);
  } tables[] = {
    { CURED_KEY_BRANCHTARGETS, parse_branch_targets },
    { CURED_KEY_CALLTARGETS, _cured_ptx_parse_call_targets },
    { CURED_KEY_CALLPROTOTYPE, _cured_ptx_parse_prototype },
  };
  CuredPtxKey key = _cured_ptx_get_key (self);

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (key == tables[i].key)
      {
        cured_ptx_parser_next (self);
        tables[i].parse (self, name);
        return;
      }
  _cured_ptx_declare (self, name, CURED_SYMBOL_LABEL)->index = self->code->len;
  self->last_label = self->code->len;
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

/* Features that ptxas accepts for sm_100 only, although the instruction's name does not differ. */
static gboolean
is_later (const CuredPtxInst *inst)
{
  return ((inst->op == CURED_PTX_OP_min_float || inst->op == CURED_PTX_OP_max_float) &&
          inst->x[3].width != 0) ||
         cured_get_vector (inst) * _cured_ptx_types[inst->types[0]].bytes > 16;
}

/* Finds the handler. */
static void
select_handler (CuredPtxParser *self, const CuredPtxForm *form, CuredPtxInst *inst)
{
  const char *problem = NULL;
  const CuredPtxOperand *index = inst->x;
  CuredPtxToken at = { .line = (guint32) inst->ptx_line, .column = (guint32) inst->ptx_column };

  if (form == NULL)
    return;
  /* Temporary pointer: the operands may still move. */
  inst->x = (const CuredPtxOperand *) self->operands->data + GPOINTER_TO_SIZE (index);
  inst->run = cured_ptx_form_select (form, inst, &problem);
  if (inst->run != NULL && self->module->target < 100 && is_later (inst))
    {
      problem = "wants .target sm_100 or later in this form";
      inst->run = NULL;
    }
  inst->x = index;
  if (inst->run == NULL)
    _cured_ptx_parser_fail (self, &at, CURED_ERROR_INVALID, "%.*s %s", (int) self->opcode.length,
                            self->opcode.at, problem);
}

/* Adds the words and operands read as the next instruction. */
static void
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
      _cured_ptx_parse_call (self, &inst);
    }
  else
    _cured_ptx_match_operands (self, &inst);
  select_handler (self, form, &inst);
  g_array_append_val (self->code, inst);
}

/* `st [x], r + 1`: the ISA has no such operand, but ptxas accepts it for a register and inserts an
 * addition before it. Does the same for the @index-th operand. */
static void
add_sum (CuredPtxParser *self, const CuredPtxToken *start, guint index)
{
  const CuredPtxToken opcode_before = self->opcode;
  const CuredPtxRaw sum = self->raws[index];
  guint8 type = SYMBOL (self, sum.symbol)->type;
  guint bytes = _cured_ptx_types[type].bytes;
  CuredPtxRaw before[CURED_MAX_RAW];
  guint n_before = self->n_raws;
  CuredPtxOperand unguarded = { 0 };
  CuredPtxRaw *to = &self->raws[0];
  CuredPtxToken name =
      _cured_ptx_make_token (self, start, g_strdup_printf ("+%u+", self->joined->len));

  _cured_ptx_declare (self, &name, CURED_SYMBOL_REGISTER)->type = type;
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
  self->opcode = _cured_ptx_make_token (self, start, g_strdup_printf ("add.u%u", bytes * 8));
  add_instruction (self, start, _cured_ptx_get_opcode (self, &self->opcode), &unguarded);
  self->opcode = opcode_before;
  memcpy (self->raws, before, sizeof before);
  self->n_raws = n_before;
}

/* Whether an operand is an integer register and a number. */
static gboolean
is_sum (CuredPtxParser *self, const CuredPtxRaw *raw)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->kind == CURED_RAW_SYMBOL ? raw->symbol : 0);
  const CuredPtxTypeInfo *type = &_cured_ptx_types[symbol->type];

  return raw->kind == CURED_RAW_SYMBOL && raw->has_addend && raw->piped == 0 &&
         symbol->kind == CURED_SYMBOL_REGISTER && raw->component < 0 && type->bytes > 1 &&
         (type->kind == CURED_PTX_KIND_B || type->kind == CURED_PTX_KIND_U ||
          type->kind == CURED_PTX_KIND_S);
}

static void G_GNUC_NORETURN
fail_wide (CuredPtxParser *self, const CuredPtxRaw *raw)
{
  _cured_ptx_parser_fail (self, &raw->token, CURED_ERROR_INVALID,
                          _ ("values of 128 bits are not emulated: use two of 64"));
}

/* Half of a 128-bit value: of a pair of registers, or of two or four values in braces. */
static CuredPtxRaw
take_half (CuredPtxParser *self, const CuredPtxRaw *raw, guint half)
{
  CuredPtxRaw part = *raw;

  if (_cured_ptx_is_whole_vector (self, raw) && SYMBOL (self, raw->symbol)->n_components == 2)
    part.component = (gint8) half;
  else if (raw->kind == CURED_RAW_BRACES && raw->n == 4)
    {
      part.first += 2 * half;
      part.n = 2;
    }
  else if (raw->kind == CURED_RAW_BRACES && raw->n == 2)
    part = self->elements[raw->first + half];
  else
    fail_wide (self, raw);
  return part;
}

/* mov.b128 becomes two moves; loads and stores of a pair become those of a vector. */
static void
add_pair (CuredPtxParser *self, const CuredPtxToken *start, const CuredPtxOpcode *opcode,
          const CuredPtxOperand *guard)
{
  const CuredPtxRaw to = self->raws[0], from = self->raws[1];

  if (!_cured_ptx_is_whole_vector (self, &to) && !_cured_ptx_is_whole_vector (self, &from))
    fail_wide (self, to.kind == CURED_RAW_ADDRESS ? &from : &to);
  if (opcode->op != CURED_PTX_OP_mov || self->n_raws != 2)
    {
      add_instruction (self, start, opcode, guard);
      return;
    }
  for (guint half = 0; half < 2; half++)
    {
      self->raws[0] = take_half (self, &to, half);
      self->raws[1] = take_half (self, &from, half);
      self->n_raws = 2;
      if (self->raws[0].kind != CURED_RAW_SINK)
        add_instruction (self, start, opcode, guard);
    }
}

/* An instruction that starts with its guard or its words; the next token follows them. */
static void
parse_instruction (CuredPtxParser *self, const CuredPtxToken *start, const CuredPtxToken *name,
                   const CuredPtxOperand *guard)
{
  self->opcode = *name;
  /* A copy, as the array of them may move. */
  CuredPtxOpcode opcode = *_cured_ptx_get_opcode (self, name);
  if (opcode.op != CURED_PTX_OP_call)
    {
      gboolean is_video = _cured_ptx_ops[opcode.op].klass == CURED_PTX_CLASS_VIDEO;

      _cured_ptx_parse_operands (self, is_video);
      for (guint i = 1; i < self->n_raws && !is_video; i++)
        if (is_sum (self, &self->raws[i]))
          add_sum (self, start, i);
    }
  if (opcode.is_pair)
    add_pair (self, start, &opcode, guard);
  else
    add_instruction (self, start, &opcode, guard);
}

/* @%p or @!%p */
static CuredPtxOperand
parse_guard (CuredPtxParser *self)
{
  CuredPtxRaw raw;

  self->opcode = self->token;
  cured_ptx_parser_next (self);
  _cured_ptx_parse_operand (self, &raw);
  return _cured_ptx_match_source (self, &raw, CURED_PTX_PRED, FALSE);
}

/* Directives of a function, of the module, or of both. */
static const struct
{
  CuredPtxKey key;
  void (*parse) (CuredPtxParser *self);
  CuredSpace space; /* of variables, if @parse is NULL */
  gboolean is_inside, is_outside;
} directives[] = {
  { CURED_KEY_REG, _cured_ptx_parse_registers, 0, TRUE, FALSE },
  { CURED_KEY_LOC, _cured_ptx_parse_loc, 0, TRUE, FALSE },
  { CURED_KEY_PARAM, NULL, CURED_SPACE_PARAM, TRUE, FALSE },
  { CURED_KEY_LOCAL, NULL, CURED_SPACE_LOCAL, TRUE, FALSE },
  { CURED_KEY_SHARED, NULL, CURED_SPACE_SHARED, TRUE, TRUE },
  { CURED_KEY_GLOBAL, NULL, CURED_SPACE_GLOBAL, TRUE, TRUE },
  { CURED_KEY_CONST, NULL, CURED_SPACE_CONST, TRUE, TRUE },
  { CURED_KEY_PRAGMA, _cured_ptx_parse_pragma, 0, TRUE, TRUE },
  { CURED_KEY_FILE, _cured_ptx_parse_file, 0, TRUE, TRUE },
  { CURED_KEY_SECTION, parse_section, 0, TRUE, TRUE },
};

/* Reads a directive of the table. Returns: FALSE if @key is not allowed here. */
static gboolean
accept_directive (CuredPtxParser *self, CuredPtxKey key, gboolean is_inside, gboolean is_extern)
{
  for (guint i = 0; i < G_N_ELEMENTS (directives); i++)
    if (directives[i].key == key &&
        (is_inside ? directives[i].is_inside : directives[i].is_outside))
      {
        cured_ptx_parser_next (self);
        if (directives[i].parse != NULL)
          directives[i].parse (self);
        else
          _cured_ptx_parse_variable (self, directives[i].space, is_extern);
        return TRUE;
      }
  return FALSE;
}

static void
parse_directive (CuredPtxParser *self)
{
  CuredPtxKey key = _cured_ptx_get_key (self);
  gboolean is_extern = key == CURED_KEY_EXTERN;

  if (is_extern)
    {
      cured_ptx_parser_next (self);
      key = _cured_ptx_get_key (self);
      if (key != CURED_KEY_SHARED)
        _cured_ptx_parser_fail_expected (self, ".shared");
    }
  if (!accept_directive (self, key, TRUE, is_extern))
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 _ ("the emulator knows no directive .%.*s in a function"),
                                 (int) self->token.length, self->token.at);
}

/* Words separated by spaces: `add .u32`. They are rare, so that the copy costs nothing. */
static CuredPtxToken
join_words (CuredPtxParser *self, const CuredPtxToken *name)
{
  char *text = g_strndup (name->at, name->length);

  for (; self->token.kind == CURED_TOKEN_WORD; cured_ptx_parser_next (self))
    {
      char *longer = g_strdup_printf ("%s.%.*s", text, (int) self->token.length, self->token.at);

      g_free (text);
      text = longer;
    }
  return _cured_ptx_make_token (self, name, text);
}

static void
parse_statement (CuredPtxParser *self)
{
  CuredPtxToken start = self->token;
  gboolean is_guarded = cured_ptx_parser_is (self, '@');
  CuredPtxOperand guard = is_guarded ? parse_guard (self) : (CuredPtxOperand){ 0 };
  CuredPtxToken name = self->token;

  if (name.kind != CURED_TOKEN_NAME)
    _cured_ptx_parser_fail_expected (self, _ ("an instruction"));
  if (*self->lexer.at == '.')
    _cured_ptx_lexer_extend (&self->lexer, &name);
  cured_ptx_parser_next (self);
  if (G_UNLIKELY (self->token.kind == CURED_TOKEN_WORD))
    name = join_words (self, &name);
  if (!is_guarded && cured_ptx_parser_accept (self, ':'))
    parse_label (self, &name);
  else
    parse_instruction (self, &start, &name, &guard);
}

/* A function must end with an instruction that leaves it. */
static void
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
    return;
  inst.op = CURED_PTX_OP_ret;
  inst.x = GSIZE_TO_POINTER ((gsize) self->operands->len);
  g_array_append_val (self->operands, none);
  if (self->forms != NULL)
    inst.run = _cured_ptx_find_form (self->forms, &inst)->run;
  g_array_append_val (self->code, inst);
}

/* Reads the function through its `}`, and ends both scopes. */
static void
parse_body (CuredPtxParser *self)
{
  guint outside = self->scopes->len;
  CuredPtxToken end;

  /* Names of the body and of the parameters share a scope. */
  for (;;)
    {
      if (self->token.kind == CURED_TOKEN_NAME || cured_ptx_parser_is (self, '@'))
        parse_statement (self);
      else if (self->token.kind == CURED_TOKEN_WORD)
        parse_directive (self);
      else if (cured_ptx_parser_is (self, '{'))
        {
          if (self->scopes->len == CURED_MAX_DEPTH)
            _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                         _ ("blocks may be nested %d deep"), CURED_MAX_DEPTH);
          cured_ptx_parser_next (self);
          _cured_ptx_scope_open (self);
        }
      else if (cured_ptx_parser_is (self, '}'))
        {
          end = self->token;
          cured_ptx_parser_next (self);
          if (self->scopes->len == outside)
            break;
          _cured_ptx_scope_close (self);
        }
      else if (!cured_ptx_parser_accept (self, ';'))
        _cured_ptx_parser_fail_expected (self, _ ("an instruction or “}”"));
    }
  end_code (self, &end);
  _cured_ptx_scope_close (self);
  if (self->jumps->len > 0)
    _cured_ptx_fail_jump (self, &g_array_index (self->jumps, CuredPtxJump, 0));
}

/* ---- Statements of the module ---- */

/* .version 8.0 */
static void
parse_version (CuredPtxParser *self)
{
  double version;

  if (_cured_ptx_get_key (self) != CURED_KEY_VERSION)
    _cured_ptx_parser_fail_expected (self, _ ("the .version that PTX begins with"));
  cured_ptx_parser_next (self);
  if (self->token.kind != CURED_TOKEN_F64 || !self->token.is_decimal)
    _cured_ptx_parser_fail_expected (self, _ ("a version such as 8.0"));
  memcpy (&version, &self->token.value, sizeof version);
  self->version = (guint) (MIN (version, 99) * 10 + 0.5);
  cured_ptx_parser_next (self);
}

/* .target sm_90, debug */
static void
parse_target (CuredPtxParser *self)
{
  CuredPtxToken name;

  if (_cured_ptx_get_key (self) != CURED_KEY_TARGET)
    _cured_ptx_parser_fail_expected (self, ".target");
  cured_ptx_parser_next (self);
  do
    {
      name = _cured_ptx_parser_expect_name (self);
      if (name.length > 3 && memcmp (name.at, "sm_", 3) == 0)
        {
          self->module->target = (int) strtol (name.at + 3, NULL, 10);
          self->is_specific = g_ascii_isalpha (name.at[name.length - 1]);
        }
      else if (_cured_ptx_is_name (&name, "map_f64_to_f32"))
        _cured_ptx_parser_fail (self, &name, CURED_ERROR_INVALID,
                                _ ("map_f64_to_f32 is not emulated: no device of today needs it"));
    }
  while (cured_ptx_parser_accept (self, ','));
  if (self->module->target <= 0 || self->module->target > 9999)
    _cured_ptx_parser_fail (self, &name, CURED_ERROR_SYNTAX,
                            _ (".target names an architecture, as sm_90"));
}

static void
parse_module_statement (CuredPtxParser *self)
{
  gboolean is_extern = FALSE;
  CuredPtxKey key = _cured_ptx_get_key (self);

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
        return;
      if (cured_ptx_parser_is (self, '@') && *self->lexer.at == '@')
        {
          /* @@DWARF, used before there was .section. */
          _cured_ptx_lexer_skip_line (&self->lexer);
          cured_ptx_parser_next (self);
          return;
        }
      _cured_ptx_parser_fail_expected (self, _ ("a directive such as .entry"));
    }
  if (accept_directive (self, key, FALSE, is_extern))
    return;
  switch ((guint) key)
    {
    case CURED_KEY_TARGET: parse_target (self); break;
    case CURED_KEY_ADDRESS_SIZE:
      cured_ptx_parser_next (self);
      if (self->token.kind == CURED_TOKEN_INTEGER && self->token.value != 64)
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                     _ ("addresses of 32 bits are not emulated: compile for 64"));
      _cured_ptx_parser_expect_integer (self);
      break;
    case CURED_KEY_ENTRY:
    case CURED_KEY_FUNC:
      cured_ptx_parser_next (self);
      if (_cured_ptx_begin_function (self, key == CURED_KEY_ENTRY))
        {
          parse_body (self);
          _cured_ptx_end_function (self);
        }
      break;
    case CURED_KEY_ALIAS:
      _cured_ptx_parser_fail_here (
          self, CURED_ERROR_INVALID,
          _ ("aliases of functions are not emulated: call the function by its own name"));
    case CURED_KEY_TEX:
      _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                   _ ("textures and surfaces are not emulated: use global memory"));
    default:
      _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                   _ ("the emulator knows no directive .%.*s of a module"),
                                   (int) self->token.length, self->token.at);
    }
}

static void
parse_all (CuredPtxParser *self)
{
  cured_ptx_parser_next (self);
  parse_version (self);
  parse_target (self);
  while (self->token.kind != CURED_TOKEN_END)
    parse_module_statement (self);
  for (guint i = 0; i < self->variables->len; i++)
    {
      const CuredPtxVariable *variable = VARIABLE (self, i);

      CuredPtxToken at = { .line = variable->ptx_line, .column = variable->ptx_column };
      if (variable->is_extern && variable->is_used)
        _cured_ptx_parser_fail (self, &at, CURED_ERROR_INVALID,
                                _ ("%s is defined nowhere: the emulator links one module only, so "
                                   "define it in the kernel's file"),
                                variable->name);
    }
  _cured_ptx_finish_functions (self);
}

/* ---- The module ---- */

static void
write_lanes (guint8 *to, guint64 bits, guint width)
{
  for (guint lane = 0; lane < CURED_WARP_LANES; lane++)
    for (guint i = 0; i < width; i++)
      to[lane * width + i] = (guint8) (bits >> (8 * i));
}

/* Moves the pool to the module, with its relocations for linking. */
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

/* Puts entries' variables before the module's: a search finds them first, in entries that use
 * none of the module's. */
static int
compare_shared (gconstpointer a, gconstpointer b)
{
  const CuredPtxShared *x = a, *y = b;

  return (x->function == G_MAXUINT32) - (y->function == G_MAXUINT32);
}

/* Places the static shared variables: an entry's own follow the module's if it uses any of
 * these, as in ptxas. */
static void
place_shared (CuredPtxParser *self)
{
  _cured_ptx_spread_use (self);
  for (guint i = 0; i < self->functions->len; i++)
    {
      CuredPtxFunction *function = FUNCTION (self, i);
      CuredPtxLayout *layout = LAYOUT (self, i);

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
  CURED_EACH (const CuredPtxOwn, own, self->own_shared)
    {
      CuredPtxInst *inst = &g_array_index (self->code, CuredPtxInst, own->site);
      gsize base = LAYOUT (self, own->function)->own_base;

      if (own->which == 2)
        inst->immediate += (int64_t) base;
      else if (own->which == 1)
        inst->displacement2 += (int64_t) base;
      else
        inst->displacement += (int64_t) base;
    }
  CURED_EACH (CuredPtxShared, shared, self->shared)
    if (shared->function != G_MAXUINT32)
      shared->offset += LAYOUT (self, shared->function)->own_base;
  g_array_sort (self->shared, compare_shared);
}

/* Marks registers of a product in the bit mask @used. */
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

/* Instructions that use registers of products in the same function check for products in
 * flight. */
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
steal_code (CuredPtxParser *self)
{
  CuredPtxModule *module = self->module;
  gsize bytes = self->code->len * sizeof (CuredPtxInst);

  module->n_code = self->code->len;
  module->code = g_aligned_alloc (1, MAX (bytes, 1), CURED_PTX_INST_ALIGN);
  if (bytes > 0)
    memcpy (module->code, self->code->data, bytes);
  g_clear_pointer (&self->code, g_array_unref);
}

/* Stores the operands in @inst itself, if they are few. */
static void
place_operands (CuredPtxModule *module, CuredPtxInst *inst)
{
  guint n = 0;

  inst->x = module->operands + GPOINTER_TO_SIZE (inst->x);
  for (guint k = 0; k < inst->n_counts; k++)
    n += inst->counts[k];
  if (n > CURED_PTX_NEAR_OPERANDS)
    return;
  memcpy (inst->near_x, inst->x, n * sizeof *inst->x);
  inst->x = inst->near_x;
}

/* Sets CuredPtxInst.straight. */
static void
find_straight (CuredPtxModule *module)
{
  for (guint i = module->n_code; i > 0; i--)
    {
      CuredPtxInst *inst = &module->code[i - 1];
      bool is_straight = _cured_ptx_ops[inst->op].klass <= CURED_PTX_CLASS_MOVE;

      /* ORDER: classes of arithmetic, and of moves between registers, come first. */
      G_STATIC_ASSERT (CURED_PTX_CLASS_MOVE == 7);
      is_straight |= inst->op == CURED_PTX_OP_ld || inst->op == CURED_PTX_OP_st ||
                     inst->op == CURED_PTX_OP_atom || inst->op == CURED_PTX_OP_red;
      if (!is_straight)
        continue;
      inst->straight = 1;
      if (i < module->n_code)
        inst->straight = (uint16_t) MIN (inst[1].straight + 1, UINT16_MAX);
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
      CuredPtxFunction *function = FUNCTION (self, i);
      gsize align = MAX (self->local_align, 16);

      /* Frames are contiguous. */
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
  steal_code (self);
  STEAL (CuredPtxFunction, functions, n_functions);
  STEAL (CuredPtxVariable, variables, n_variables);
  STEAL (CuredPtxShared, shared, n_shared);
  STEAL (CuredPtxRelocation, relocations, n_relocations);
  STEAL (CuredPtxTable, tables, n_tables);
  STEAL (char *, files, n_files);
  for (guint i = 0; i < module->n_code; i++)
    place_operands (module, &module->code[i]);
  /* Addresses that were 0 have changed, and mov has a special handler for 0. */
  for (guint i = 0; self->forms != NULL && i < self->own_shared->len; i++)
    {
      CuredPtxInst *inst = &module->code[g_array_index (self->own_shared, CuredPtxOwn, i).site];
      const char *problem = NULL;

      inst->run = cured_ptx_form_select (_cured_ptx_find_form (self->forms, inst), inst, &problem);
      g_assert (inst->run != NULL);
    }
  if (self->forms != NULL)
    find_early (module);
  find_straight (module);
  module->has_recursion =
      _cured_ptx_find_recursion (module, (const guint32 *) self->taken->data, self->taken->len);
}

CURED_CLEAR_FUNC (CuredPtxFunction, free_function, name, g_free, parameters, g_free, results,
                  g_free, in_registers, g_free)

CURED_CLEAR_FUNC (CuredPtxVariable, free_variable, name, g_free, initial, g_free)

CURED_CLEAR_FUNC (CuredPtxShared, free_shared, name, g_free)

CURED_CLEAR_FUNC (CuredPtxTable, free_table, targets, g_free)

static void
free_file (gpointer data)
{
  g_free (*(char **) data);
}

CURED_CLEAR_FUNC (CuredPtxSignature, free_signature, results, g_array_unref, parameters,
                  g_array_unref)

/* clang-format off */
#define ARRAY(type, name) { G_STRUCT_OFFSET (CuredPtxParser, name), sizeof (type), NULL }
#define OWNING(type, name, free) { G_STRUCT_OFFSET (CuredPtxParser, name), sizeof (type), free }
/* clang-format on */

/* The parser's arrays; @free: frees an element's contents, unless the module took the array. */
static const struct
{
  gsize offset;
  guint size;
  GDestroyNotify free;
} arrays[] = {
  ARRAY (CuredPtxInst, code),
  ARRAY (CuredPtxOperand, operands),
  OWNING (CuredPtxFunction, functions, free_function),
  OWNING (CuredPtxVariable, variables, free_variable),
  OWNING (CuredPtxShared, shared, free_shared),
  ARRAY (CuredPtxRelocation, relocations),
  OWNING (CuredPtxTable, tables, free_table),
  OWNING (char *, files, free_file),
  ARRAY (guint16, file_numbers),
  OWNING (CuredPtxSignature, signatures, free_signature),
  ARRAY (CuredPtxLayout, layouts),
  ARRAY (CuredPtxOpcode, opcodes),
  ARRAY (CuredPtxOwn, own_shared),
  ARRAY (guint32, taken),
  ARRAY (guint32, targets),
  ARRAY (CuredPtxRaw, results),
  ARRAY (CuredPtxRaw, arguments),
  ARRAY (CuredPtxAtom, atoms),
  ARRAY (CuredPtxSymbol, symbols),
  ARRAY (CuredPtxScope, scopes),
  ARRAY (CuredPtxOperand, vectors),
  ARRAY (CuredPtxUse, uses),
  ARRAY (CuredPtxJump, jumps),
  ARRAY (CuredPtxConstant, constants),
};

#define MEMBER(self, i) ((GArray **) G_STRUCT_MEMBER_P (self, arrays[i].offset))

/* Frees what _cured_ptx_parser_init() made. */
void
_cured_ptx_parser_clear (CuredPtxParser *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (MEMBER (self, i), g_array_unref);
  CURED_CLEAR (initial, g_byte_array_unref, table, g_free, constant_table, g_free, joined,
               g_ptr_array_unref, inlined, g_hash_table_unref);
}

/* Makes the arrays and the names of a parser with an initialized lexer. */
void
_cured_ptx_parser_init (CuredPtxParser *self)
{
  char *none = g_strdup ("");

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      *MEMBER (self, i) = g_array_new (FALSE, TRUE, arrays[i].size);
      g_array_set_clear_func (*MEMBER (self, i), arrays[i].free);
    }
  /* [0] belongs to no instruction; it keeps the array from being empty. */
  g_array_set_size (self->operands, 1);
  g_array_append_val (self->files, none);
  self->initial = g_byte_array_new ();
  self->joined = g_ptr_array_new_with_free_func (g_free);
  self->inlined = g_hash_table_new (NULL, NULL);
  _cured_ptx_symbols_init (self);
}

/* Returns: FALSE with the parser's error. */
static gboolean
run (CuredPtxParser *self)
{
  if (setjmp (self->failed) != 0)
    return FALSE;
  parse_all (self);
  return TRUE;
}

/* Parses with chosen forms. Returns: the module. */
CuredPtxModule *
_cured_ptx_parse (const char *text, gssize length, const char *file_name,
                  const CuredPtxFormTable *forms, GError **error)
{
  gsize bytes = length < 0 ? strlen (text) : (gsize) length;
  /* NVRTC's length includes the NUL at the end. */
  while (bytes > 0 && text[bytes - 1] == '\0')
    bytes--;
  g_autoptr (CuredPtxModule) module = g_new0 (CuredPtxModule, 1);
  module->file_name = g_strdup (file_name != NULL ? file_name : _ ("PTX"));
  if (bytes > CURED_MAX_TEXT_BYTES)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s: the text has more than %u MiB; split the module"),
                            module->file_name, CURED_MAX_TEXT_BYTES >> 20);
  module->text = g_malloc (bytes + 1);
  memcpy (module->text, text, bytes);
  module->text[bytes] = '\0';
  module->length = bytes;

  g_autofree CuredPtxParser *self = g_new0 (CuredPtxParser, 1);
  self->module = module;
  self->forms = forms;
  /* The hash is seeded per text, so that collisions can't be provoked; results do not
   * depend on it. */
  _cured_ptx_lexer_init (&self->lexer, module->text, bytes,
                         (guint32) (GPOINTER_TO_SIZE (module->text) >> 4) * 2654435761u);
  _cured_ptx_parser_init (self);
  if (run (self))
    finish (self);
  _cured_ptx_parser_clear (self);
  if (self->error != NULL)
    {
      g_propagate_error (error, self->error);
      return NULL;
    }
  return g_steal_pointer (&module);
}

/* @text: PTX; need not be valid
 * @length: its length in bytes, or -1: up to a NUL
 * @file_name: (nullable): file name for errors
 * @error: #CURED_ERROR_SYNTAX if it is not PTX, #CURED_ERROR_INVALID if the emulator lacks
 *   something in it. The message begins with file, line and column.
 *
 * Parses a complete PTX text. Code that the emulator could not run is refused here, not when it is
 * reached.
 * Returns: (nullable) (transfer full): the module; it does not refer to @text */
CuredPtxModule *
cured_ptx_module_parse (const char *text, gssize length, const char *file_name, GError **error)
{
  g_return_val_if_fail (text != NULL, NULL);

  return _cured_ptx_parse (text, length, file_name, _cured_ptx_get_forms (false), error);
}

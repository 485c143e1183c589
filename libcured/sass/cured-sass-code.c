/* SPDX-License-Identifier: MIT
 * The machine code of a kernel, decoded. cured-sass-ops.def has the instructions, and where their
 * encodings were found. All have 16 bytes:
 *
 *   bits 0–8      operation; bits 9–11 say where its operands come from
 *   bits 12–15    guard: number and negation of a predicate; 15 is “never”
 *   bits 16–23    destination
 *   bits 24–31    first operand
 *   bits 32–63    a register, a uniform one, a number or a constant
 *   bits 64–71    a register
 *   bits 72–91    modifiers and predicates
 *   bits 105–108  stall cycles
 *   bit 109       clear: take another warp next
 *   bits 110–112  barrier of the results; 7 is none
 *   bits 113–115  barrier of the sources; 7 is none
 *   bits 116–121  barriers that are waited for
 *   bits 122–125  operands that are kept for reuse
 *
 * The last five are what Jia et al., “Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking” (2018), found for sm_70; a test checks that loaded registers are waited for
 * before they are used. */
#include "sass/cured-sass-code-internal.h"

#include "base/cured-base-internal.h"
#include "sass/cured-image-internal.h"
#include "sass/cured-elf-internal.h"
#include "sass/cured-line-table-private.h"

#define OLDEST_ARCH 75
#define LATEST_ARCH 90

#define INSTRUCTION_BYTES 16
#define NEVER             15
#define TRUE_PREDICATE    7
#define ZERO_REGISTER     255
#define ZERO_UNIFORM      63

/* Limit of following “inlined at”. */
#define MAX_DEPTH 64

#define MAX_FIELD_BITS 4

/* Operations that need special cases within their class. */
#define CALL_ABSOLUTE      0x143
#define CALL_RELATIVE      0x144
#define BEGIN_REGION       0x145
#define WARP_SYNC          0x148
#define BRANCH_BY_REGISTER 0x149
#define FLOAT_ATOMIC       0x1a3

/* ---- Tables ---- */

typedef struct
{
  guint16 opcode;
  guint32 mask; /* of bits 72–91, then 9–11 */
  guint32 value;
  const char *name;
  CuredSassPipe pipe;
  CuredSassClass op_class;
  const char *operands, *fields;
} Row;

static const Row rows[] = {
#define SASS(opcode, mask, value, name, pipe, op_class, operands, fields)                          \
  {                                                                                                \
    opcode,   mask,   value, name, CURED_SASS_PIPE_##pipe, CURED_SASS_CLASS_##op_class,            \
    operands, fields,                                                                              \
  },
#include "sass/cured-sass-ops.def"
#undef SASS
};

typedef struct
{
  const char *name;
  guint bit, n_bits;
  const char *texts[1 << MAX_FIELD_BITS];
} Field;

static const Field fields[] = {
#define FIELD(name, bit, n_bits, ...) { #name, bit, n_bits, { __VA_ARGS__ } },
#include "base/cured-own.h"
#include "sass/cured-sass-ops.def"
#undef FIELD
};

static const char *const pipe_names[] = {
  [CURED_SASS_PIPE_UNKNOWN] = "unknown", [CURED_SASS_PIPE_NONE] = "none",
  [CURED_SASS_PIPE_FMA] = "fma",         [CURED_SASS_PIPE_FMA_HEAVY] = "fmaheavy",
  [CURED_SASS_PIPE_ALU] = "alu",         [CURED_SASS_PIPE_FP16] = "fp16",
  [CURED_SASS_PIPE_FP64] = "fp64",       [CURED_SASS_PIPE_XU] = "xu",
  [CURED_SASS_PIPE_LSU] = "lsu",         [CURED_SASS_PIPE_TENSOR] = "tensor",
  [CURED_SASS_PIPE_UNIFORM] = "uniform", [CURED_SASS_PIPE_CBU] = "cbu",
  [CURED_SASS_PIPE_ADU] = "adu",
};

static const char *const class_names[] = {
#define X(id, name) name,
  CURED_SASS_CLASSES (X)
#undef X
};

/* Bits of an instruction, from the first one on. */
static guint64
get_bits (const CuredSassInst *inst, guint first, guint n_bits)
{
  guint64 bits = inst->words[first / 64] >> first % 64;

  if (first % 64 + n_bits > 64)
    bits |= inst->words[1] << (64 - first % 64);
  return bits & ((G_GUINT64_CONSTANT (1) << n_bits) - 1);
}

static int
find_row (const CuredSassInst *inst)
{
  guint32 modifiers = (guint32) (get_bits (inst, 72, 20) | get_bits (inst, 9, 3) << 20);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].opcode == inst->opcode && (modifiers & rows[i].mask) == rows[i].value)
      return (int) i;
  return -1;
}

/* ---- Operands ---- */

static void
add_operand (CuredSassInst *inst, CuredSassFile file, gboolean is_written, guint first, guint count)
{
  static const guint ends[] = {
    [CURED_SASS_REGISTER] = ZERO_REGISTER,
    [CURED_SASS_UNIFORM] = ZERO_UNIFORM,
    [CURED_SASS_PREDICATE] = TRUE_PREDICATE,
    [CURED_SASS_UNIFORM_PREDICATE] = TRUE_PREDICATE,
  };

  if (first >= ends[file] || inst->n_operands == CURED_SASS_MAX_OPERANDS)
    return;
  inst->operands[inst->n_operands++] = (CuredSassOperand){
    .file = (guint8) file,
    .first = (guint8) first,
    .count = (guint8) MIN (count, ends[file] - first),
    .is_written = is_written,
  };
}

/* Bits 32–63. */
typedef enum
{
  SLOT_REGISTER,
  SLOT_NUMBER,
  SLOT_CONSTANT,
  SLOT_UNIFORM,
} Slot;

static Slot
get_slot (guint form)
{
  switch (form)
    {
    case 2:
    case 4: return SLOT_NUMBER;
    case 3:
    case 5: return SLOT_CONSTANT;
    case 6:
    case 7: return SLOT_UNIFORM;
    default: return SLOT_REGISTER;
    }
}

static void
add_slot (CuredSassInst *inst, gboolean is_uniform, guint count)
{
  switch (get_slot ((guint) get_bits (inst, 9, 3)))
    {
    case SLOT_REGISTER:
      if (is_uniform)
        add_operand (inst, CURED_SASS_UNIFORM, FALSE, (guint) get_bits (inst, 32, 6), count);
      else
        add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 32, 8), count);
      break;
    case SLOT_UNIFORM:
      add_operand (inst, CURED_SASS_UNIFORM, FALSE, (guint) get_bits (inst, 32, 6), count);
      break;
    case SLOT_CONSTANT:
      inst->has_constant = TRUE;
      inst->bank = (guint8) get_bits (inst, 54, 5);
      inst->address = (guint16) get_bits (inst, 38, 16);
      break;
    case SLOT_NUMBER:
    default: break;
    }
}

static guint
get_memory_registers (guint type)
{
  return type == 5 ? 2 : type == 6 ? 4 : 1;
}

/* A digit, or a letter that names a rule. */
static guint
get_count (const CuredSassInst *inst, const char *text)
{
  guint type = (guint) get_bits (inst, 73, 3);

  switch (*text)
    {
    case 'm': return get_memory_registers (type);
    case 'g': return type == 2 || type == 5 || type == 6 ? 2 : 1;
    case 'f': return type == 7 ? 2 : 1;
    case 'n': return type == 2 || type == 3 ? 2 : 1;
    case 'l': return 1u << MIN (get_bits (inst, 72, 2), 2);
    case 'y': return get_bits (inst, 75, 2) == 3 ? 2 : 1;
    case 'w': return get_bits (inst, 84, 2) == 3 ? 2 : 1;
    default: return (guint) g_ascii_strtoull (text, NULL, 10);
    }
}

static void
add_mask (CuredSassInst *inst, gboolean is_written)
{
  for (guint i = 0; i < TRUE_PREDICATE; i++)
    if (get_bits (inst, 32 + i, 1) != 0)
      add_operand (inst, CURED_SASS_PREDICATE, is_written, i, 1);
}

static void
read_operand (CuredSassInst *inst, const char *text, gboolean is_uniform)
{
  CuredSassFile general = is_uniform ? CURED_SASS_UNIFORM : CURED_SASS_REGISTER;
  CuredSassFile predicate = is_uniform ? CURED_SASS_UNIFORM_PREDICATE : CURED_SASS_PREDICATE;
  guint n_bits = is_uniform ? 6 : 8, form = (guint) get_bits (inst, 9, 3);
  gboolean is_swapped = form == 2 || form == 3 || form == 7;
  gboolean has_uniform = get_bits (inst, 91, 1) != 0;
  guint count = get_count (inst, text + 1);
  gboolean is_slot = FALSE;

  switch (*text)
    {
    case 'd': add_operand (inst, general, TRUE, (guint) get_bits (inst, 16, n_bits), count); break;
    case 'D':
      add_operand (inst, CURED_SASS_UNIFORM, TRUE, (guint) get_bits (inst, 16, 6), count);
      break;
    case 'p': add_operand (inst, predicate, TRUE, (guint) get_bits (inst, 81, 3), 1); break;
    case 'P':
      add_operand (inst, CURED_SASS_UNIFORM_PREDICATE, TRUE, (guint) get_bits (inst, 81, 3), 1);
      break;
    case 'q': add_operand (inst, predicate, TRUE, (guint) get_bits (inst, 84, 3), 1); break;
    case 'W': add_mask (inst, TRUE); break;
    case 'M': add_mask (inst, FALSE); break;
    case 'a': add_operand (inst, general, FALSE, (guint) get_bits (inst, 24, n_bits), count); break;
    case 'b':
    case 'c':
      is_slot = (*text == 'b') != is_swapped;
      if (is_slot)
        add_slot (inst, is_uniform, count);
      else
        add_operand (inst, general, FALSE, (guint) get_bits (inst, 64, n_bits), count);
      break;
    case 'x': add_slot (inst, is_uniform, count); break;
    case 'S':
      add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 16, 8), count);
      break;
    case 'r':
    case 'h':
      if (*text == 'r' || form == 1 || form == 2)
        add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 32, 8), count);
      break;
    case 'e':
      add_operand (inst, CURED_SASS_REGISTER, FALSE,
                   (guint) get_bits (inst, form == 1 ? 64 : 32, 8), count);
      break;
    case 'k':
      add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 40, 8), count);
      break;
    case 'z':
    case 'i':
      if (*text == 'z' || form == 1 || form == 4)
        add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 64, 8), count);
      break;
    case 'A':
    case 'B':
      if (*text == 'A' && get_bits (inst, 72, 1) != 0)
        count = 2;
      add_operand (inst, CURED_SASS_REGISTER, FALSE, (guint) get_bits (inst, 24, 8), count);
      break;
    case 'u':
      if (has_uniform)
        add_operand (inst, CURED_SASS_UNIFORM, FALSE, (guint) get_bits (inst, 32, 6), count);
      break;
    case 'v':
      if (has_uniform)
        add_operand (inst, CURED_SASS_UNIFORM, FALSE, (guint) get_bits (inst, 64, 6), count);
      break;
    case 'U':
      if (has_uniform)
        add_operand (inst, CURED_SASS_UNIFORM, FALSE, (guint) get_bits (inst, 24, 6), 1);
      break;
    case 's': add_operand (inst, predicate, FALSE, (guint) get_bits (inst, 87, 3), 1); break;
    case 't': add_operand (inst, predicate, FALSE, (guint) get_bits (inst, 68, 3), 1); break;
    case 'o': add_operand (inst, predicate, FALSE, (guint) get_bits (inst, 77, 3), 1); break;
    case 'V':
      add_operand (
          inst, get_bits (inst, 67, 1) != 0 ? CURED_SASS_UNIFORM_PREDICATE : CURED_SASS_PREDICATE,
          FALSE, (guint) get_bits (inst, 68, 3), 1);
      break;
    default: g_assert_not_reached ();
    }
}

static void
read_operands (CuredSassInst *inst, const char *text)
{
  gboolean is_uniform = *text == '%';
  CuredSassFile predicate = is_uniform ? CURED_SASS_UNIFORM_PREDICATE : CURED_SASS_PREDICATE;

  if (inst->guard != CURED_SASS_NO_PREDICATE)
    add_operand (inst, predicate, FALSE, inst->guard, 1);
  text += is_uniform;
  while (*text != '\0')
    {
      const char *end = strchr (text, ' ');

      read_operand (inst, text, is_uniform);
      if (end == NULL)
        break;
      text = end + 1;
    }
}

/* ---- Instructions ---- */

/* Bits per lane of an access to memory: by bits 73–75, or by the rule for an operand. */
static void
read_width (CuredSassInst *inst)
{
  static const guint plain[8] = { 8, 8, 16, 16, 32, 64, 128, 0 };
  static const char *const rules[CURED_SASS_N_CLASSES] = {
    [CURED_SASS_CLASS_LOAD_GENERIC] = "m",     [CURED_SASS_CLASS_LOAD_GLOBAL] = "m",
    [CURED_SASS_CLASS_LOAD_SHARED] = "m",      [CURED_SASS_CLASS_LOAD_LOCAL] = "m",
    [CURED_SASS_CLASS_LOAD_CONSTANT] = "m",    [CURED_SASS_CLASS_STORE_GENERIC] = "m",
    [CURED_SASS_CLASS_STORE_GLOBAL] = "m",     [CURED_SASS_CLASS_STORE_SHARED] = "m",
    [CURED_SASS_CLASS_STORE_LOCAL] = "m",      [CURED_SASS_CLASS_COPY] = "m",
    [CURED_SASS_CLASS_ATOMIC_GENERIC] = "g",   [CURED_SASS_CLASS_ATOMIC_GLOBAL] = "g",
    [CURED_SASS_CLASS_REDUCTION_GLOBAL] = "g", [CURED_SASS_CLASS_ATOMIC_SHARED] = "n",
    [CURED_SASS_CLASS_LOAD_MATRICES] = "l",    [CURED_SASS_CLASS_STORE_MATRICES] = "l",
  };
  const char *rule = rules[inst->op_class];

  if (rule == NULL)
    return;
  if (inst->opcode == FLOAT_ATOMIC)
    rule = "f";
  if (*rule == 'm')
    inst->width = plain[get_bits (inst, 73, 3)];
  else if (*rule == 'l')
    {
      inst->width = 128;
      inst->matrices = get_count (inst, rule);
    }
  else
    inst->width = 32 * get_count (inst, rule);
}

/* A branch target is relative to the next instruction, in words of 4 bytes. */
static void
read_target (CuredSassInst *inst, guint arch)
{
  guint64 words = get_bits (inst, 34, 48);
  gint64 place = 0;

  inst->target = CURED_SASS_NO_TARGET;
  inst->is_indirect = inst->op_class == CURED_SASS_CLASS_RETURN ||
                      inst->opcode == BRANCH_BY_REGISTER || inst->opcode == CALL_ABSOLUTE ||
                      (inst->opcode == CALL_RELATIVE && get_bits (inst, 9, 3) == 1);
  if (inst->is_indirect ||
      (inst->op_class != CURED_SASS_CLASS_BRANCH && inst->op_class != CURED_SASS_CLASS_CALL &&
       inst->opcode != BEGIN_REGION &&
       /* WARPSYNC.COLLECTIVE */
       (inst->opcode != WARP_SYNC || get_bits (inst, 86, 1) == 0)))
    return;
  /* On sm_90, the lowest 8 bits are elsewhere, unless they are the number of a barrier. */
  if (arch >= 90 && inst->opcode != BEGIN_REGION)
    place = (gint64) (words << 16) >> 8 | (gint64) get_bits (inst, 16, 8);
  else
    place = (gint64) (words << 16) >> 16;
  inst->target = inst->offset + INSTRUCTION_BYTES + (guint64) (place * 4);
}

static void
decode (CuredSassInst *inst, const guint8 *bytes, guint arch)
{
  memcpy (inst->words, bytes, sizeof inst->words);
  inst->words[0] = GUINT64_FROM_LE (inst->words[0]);
  inst->words[1] = GUINT64_FROM_LE (inst->words[1]);
  guint guard = (guint) get_bits (inst, 12, 4);
  inst->opcode = (guint16) get_bits (inst, 0, 9);
  inst->guard = guard & TRUE_PREDICATE;
  inst->is_guard_negated = inst->guard != TRUE_PREDICATE && guard >> 3 != 0;
  inst->never = guard == NEVER;
  inst->stall = (guint8) get_bits (inst, 105, 4);
  inst->yields = get_bits (inst, 109, 1) == 0;
  inst->write_barrier = (guint8) get_bits (inst, 110, 3);
  inst->read_barrier = (guint8) get_bits (inst, 113, 3);
  inst->wait_mask = (guint8) get_bits (inst, 116, 6);
  inst->reuse = (guint8) get_bits (inst, 122, 4);
  inst->row = (gint16) find_row (inst);
  inst->frame = -1;
  inst->target = CURED_SASS_NO_TARGET;
  if (inst->row < 0)
    return;
  inst->pipe = rows[inst->row].pipe;
  inst->op_class = rows[inst->row].op_class;
  read_operands (inst, rows[inst->row].operands);
  read_width (inst);
  read_target (inst, arch);
}

static const Field *
find_field (const char *name, gsize length)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (strlen (fields[i].name) == length && strncmp (fields[i].name, name, length) == 0)
      return &fields[i];
  g_assert_not_reached ();
}

/* @inst: an instruction
 * Returns: its name with the modifiers for operation, types and width, as in "LDG.E.128.CONSTANT";
 *   "?" and the operation's number in hexadecimal if it is unknown */
char *
cured_sass_inst_get_mnemonic (const CuredSassInst *inst)
{
  if (inst->row < 0)
    return g_strdup_printf ("?%03x", inst->opcode);
  GString *text = g_string_new (rows[inst->row].name);
  const char *at = rows[inst->row].fields;
  while (*at != '\0')
    {
      gsize length = strcspn (at, " ");
      const Field *field = find_field (at, length);
      guint value = (guint) get_bits (inst, field->bit, field->n_bits);
      const char *word = field->texts[value];

      if (word != NULL)
        g_string_append (text, word);
      else
        g_string_append_printf (text, ".?%u", value);
      at += length + (at[length] == ' ');
    }
  return g_string_free (text, FALSE);
}

/* Writes consecutive registers as the first and the last. */
static void
append_operands (GString *text, const CuredSassInst *inst, gboolean is_written, const char *before)
{
  static const char *const names[] = { "R", "UR", "P", "UP" };

  /* The guard is the first operand, and is written in front of the name. */
  for (guint i = inst->guard != CURED_SASS_NO_PREDICATE; i < inst->n_operands; i++)
    {
      const CuredSassOperand *operand = &inst->operands[i];

      if (operand->is_written != is_written)
        continue;
      g_string_append_printf (text, "%s%s%u", before, names[operand->file], operand->first);
      if (operand->count > 1)
        g_string_append_printf (text, "-%s%u", names[operand->file],
                                operand->first + operand->count - 1u);
      before = ", ";
    }
}

/* @inst: an instruction
 * Returns: (transfer full): "@!P0 LDS.128 R4-R7 ← R2": guard, mnemonic, written and read registers,
 *   a constant's address and a branch's target; without immediates and signs of operands, which are
 *   not decoded */
char *
cured_sass_inst_to_text (const CuredSassInst *inst)
{
  g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);
  GString *text = g_string_new (NULL);

  if (inst->row >= 0 && (inst->guard != CURED_SASS_NO_PREDICATE || inst->never))
    g_string_append_printf (text, "@%s%sP%s ", inst->is_guard_negated || inst->never ? "!" : "",
                            *rows[inst->row].operands == '%' ? "U" : "",
                            inst->never ? "T" : (const char[]){ (char) ('0' + inst->guard), 0 });
  g_string_append (text, mnemonic);
  append_operands (text, inst, TRUE, " ");
  append_operands (text, inst, FALSE, " ← ");
  if (inst->has_constant)
    g_string_append_printf (text, " c[0x%x][0x%x]", inst->bank, inst->address);
  if (inst->target != CURED_SASS_NO_TARGET)
    g_string_append_printf (text, " → 0x%04" G_GINT64_MODIFIER "x", inst->target);
  return g_string_free (text, FALSE);
}

/* Returns: (transfer none): its name, as in files */
const char *
cured_sass_pipe_get_name (CuredSassPipe pipe)
{
  g_return_val_if_fail ((gsize) pipe < G_N_ELEMENTS (pipe_names), NULL);
  return pipe_names[pipe];
}

/* Returns: (transfer none): its name, as in files */
const char *
cured_sass_class_get_name (CuredSassClass op_class)
{
  g_return_val_if_fail ((gsize) op_class < G_N_ELEMENTS (class_names), NULL);
  return class_names[op_class];
}

/* ---- Lines ---- */

CURED_CLEAR_FUNC (CuredSassFrame, frame_clear, file, g_ref_string_release)

/* A frame per row of the table. */
static void
add_frames (CuredSassCode *self, const CuredLineTable *table)
{
  CURED_EACH (const CuredLineRow, row, table->rows)
    {
      GRefString *file = _cured_line_table_get_file (table, row);
      CuredSassFrame frame = {
        .file = file != NULL ? g_ref_string_acquire (file) : NULL,
        .line = row->line,
        .caller =
            row->inlined > 0 && row->inlined <= table->rows->len ? (int) row->inlined - 1 : -1,
      };

      g_array_append_val (self->frames, frame);
    }
}

/* Follows “inlined at” to the caller in @main_file, or else stays at @frame. */
static const CuredSassFrame *
follow_inlined (const CuredSassCode *self, int frame, const char *main_file)
{
  int at = frame;

  for (guint depth = 0; depth < MAX_DEPTH && at >= 0; depth++)
    {
      const CuredSassFrame *place = &g_array_index (self->frames, CuredSassFrame, at);

      if (g_strcmp0 (place->file, main_file) == 0)
        return place;
      at = place->caller;
    }
  return &g_array_index (self->frames, CuredSassFrame, frame);
}

/* Calls @func for each instruction that has a row of the table. */
typedef void (*RowFunc) (CuredSassCode *self, CuredSassInst *inst, const CuredLineTable *table,
                         guint row, gpointer user_data);

static void
visit_rows (CuredSassCode *self, const CuredLineTable *table, const GArray *ranges, RowFunc func,
            gpointer user_data)
{
  guint next = 0;

  CURED_EACH (CuredSassInst, inst, self->insts)
    {
      while (next < ranges->len &&
             g_array_index (ranges, CuredLineRange, next).begin <= inst->offset)
        next++;
      if (next == 0)
        continue;
      const CuredLineRange *range = &g_array_index (ranges, CuredLineRange, next - 1);
      if (inst->offset < range->end)
        func (self, inst, table, range->row, user_data);
    }
}

static void
set_line (CuredSassCode *self, CuredSassInst *inst, const CuredLineTable *table, guint row,
          gpointer user_data)
{
  const char *main_file = user_data;
  const CuredSassFrame *place = follow_inlined (self, (int) row, main_file);

  inst->frame = (int) row;
  if (place->file != NULL && place->line > 0)
    {
      inst->file = g_ref_string_acquire (place->file);
      inst->line = place->line;
    }
}

static void
set_ptx_line (CuredSassCode *self, CuredSassInst *inst, const CuredLineTable *table, guint row,
              gpointer user_data)
{
  inst->ptx_line = MAX (g_array_index (table->rows, CuredLineRow, row).line, 0);
}

static void
add_lines (CuredSassCode *self, const CuredElf *elf, gsize section)
{
  g_auto (CuredLineTable) source = { 0 }, ptx = { 0 };
  const char *main_file = NULL;

  _cured_line_table_init (&source, elf, ".debug_line");
  g_autoptr (GArray) ranges = _cured_line_table_get_ranges (&source, section);
  add_frames (self, &source);
  /* The kernel's own line is at its beginning. */
  for (guint i = 0; i < ranges->len && main_file == NULL; i++)
    {
      const CuredLineRange *range = &g_array_index (ranges, CuredLineRange, i);
      const CuredSassFrame *frame = &g_array_index (self->frames, CuredSassFrame, range->row);

      if (frame->caller < 0)
        main_file = frame->file;
    }
  visit_rows (self, &source, ranges, set_line, (gpointer) main_file);

  _cured_line_table_init (&ptx, elf, ".nv_debug_line_sass");
  g_autoptr (GArray) ptx_ranges = _cured_line_table_get_ranges (&ptx, section);
  visit_rows (self, &ptx, ptx_ranges, set_ptx_line, NULL);
}

/* ---- Kernels ---- */

CURED_CLEAR_FUNC (CuredSassInst, inst_clear, file, g_ref_string_release)

/* “90” of sm_90. Toolkits up to 12 store it in the lowest byte of the flags; later ones (ABI
 * version 8) in the next. */
static guint
get_arch (const CuredElf *self)
{
  const Elf64_Ehdr *header = &self->header;

  return header->e_flags >> (header->e_ident[EI_ABIVERSION] >= 8 ? 8 : 0) & 0xff;
}

/* @cubin: as cured_compiler_compile() makes it for "sm_75" to "sm_90"
 * @entry: name of a kernel in it
 *
 * Decodes the machine code of a kernel, and of the functions that it calls.
 *
 * Any bytes are allowed.
 * Returns: (transfer full): the code; NULL with %CURED_ERROR_INVALID if @cubin is not for one of
 *   these architectures, or %CURED_ERROR_NOT_FOUND if there is no such kernel */
CuredSassCode *
cured_sass_code_new (GBytes *cubin, const char *entry, GError **error)
{
  g_auto (CuredElf) elf = { 0 };
  g_autofree char *symbol = _cured_image_find_symbol (cubin, entry);
  g_autofree char *name = g_strconcat (".text.", symbol, NULL);
  CuredPiece file, code;

  file.data = g_bytes_get_data (cubin, &file.size);
  if (!_cured_elf_init (&elf, &file))
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("This is not a cubin: compile for an architecture such as “sm_90”"));
  if (get_arch (&elf) < OLDEST_ARCH || get_arch (&elf) > LATEST_ARCH)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("The machine code of sm_%u is not known; compile for sm_%d to sm_%d"), get_arch (&elf),
        OLDEST_ARCH, LATEST_ARCH);
  gsize section = _cured_elf_find_section (&elf, name);
  if (section == 0 || !_cured_elf_get_section (&elf, section, &code))
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND, _ ("The cubin has no kernel “%s”"),
                            entry);

  CuredSassCode *self = CURED_NEW (CuredSassCode, .arch = get_arch (&elf),
                                   .insts = g_array_new (FALSE, TRUE, sizeof (CuredSassInst)));
  g_array_set_clear_func (self->insts, inst_clear);
  self->frames = g_array_new (FALSE, TRUE, sizeof (CuredSassFrame));
  g_array_set_clear_func (self->frames, frame_clear);
  for (gsize i = 0; i + INSTRUCTION_BYTES <= code.size; i += INSTRUCTION_BYTES)
    {
      CuredSassInst inst = { .offset = i };

      decode (&inst, code.data + i, self->arch);
      g_array_append_val (self->insts, inst);
    }
  add_lines (self, &elf, section);
  return self;
}

/* @self: (nullable) (transfer full): code
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredSassCode, cured_sass_code_free, insts, g_array_unref, frames, g_array_unref)

/* SPDX-License-Identifier: MIT
 * The parser of PTX: what it makes of texts, and what it says of bad ones. */
#include "base/cured-error.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/machine/cured-memory-private.h"
#include "ptx/parse/cured-ptx-parser-private.h"

#include <string.h>
#include <time.h>
#include "test.h"

#define HEAD          ".version 8.0\n.target sm_90\n.address_size 64\n"
#define LINES_OF_HEAD 3

/* Parses @text behind a head, without handlers. */
static CuredPtxModule *
parse (const char *text)
{
  g_autofree char *whole = g_strconcat (HEAD, text, NULL);
  CuredPtxModule *module = MUST (_cured_ptx_parse (whole, -1, "a.ptx", NULL, &fail));

  g_assert_nonnull (module);
  return module;
}

/* A kernel with some registers around @body. */
static CuredPtxModule *
parse_body (const char *body)
{
  g_autofree char *text = g_strconcat (".global .align 4 .b32 gv[4];\n"
                                       ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n"
                                       ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n"
                                       ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .u32 %u<9>;\n"
                                       ".reg .b64 %rd<9>;\n.reg .f64 %fd<9>;\n",
                                       body, "\nret;\n}\n", NULL);

  return parse (text);
}

static void
assert_fails (const char *text, gint code, const char *place, const char *what)
{
  g_autofree char *whole = g_strconcat (HEAD, text, NULL);
  g_autofree char *start = g_strdup_printf ("a.ptx:%s: ", place);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (whole, -1, "a.ptx", &error);

  g_assert_null (module);
  g_assert_error (error, CURED_ERROR, code);
  if (!g_str_has_prefix (error->message, start))
    g_error ("\"%s\" does not begin with \"%s\"", error->message, start);
  if (strstr (error->message, what) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, what);
}

/* As assert_fails(), inside a kernel: @place counts from its first line. */
static void
assert_body_fails (const char *body, gint code, const char *column, const char *what)
{
  g_autofree char *text =
      g_strconcat (".global .align 4 .b32 gv[4]; .shared .b32 sv[4]; .visible .entry k(.param .u64 "
                   "p0) {.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>;.reg .f32 %f<9>; .reg "
                   ".b64 %rd<9>; .reg .f64 %fd<9>;\n",
                   body, "\nret;\n}\n", NULL);
  g_autofree char *place = g_strdup_printf ("%d:%s", LINES_OF_HEAD + 2, column);

  assert_fails (text, code, place, what);
}

static const CuredPtxOperand *
get_operand (const CuredPtxModule *module, guint site, guint i)
{
  return &module->code[site].x[i];
}

/* The value of a constant operand, the same in all lanes. */
static guint64
get_constant (const CuredPtxModule *module, const CuredPtxOperand *x)
{
  guint64 first = 0;

  g_assert_cmpint (x->base, ==, CURED_BASE_CONSTANTS);
  g_assert_cmpint (x->width, >, 1);
  g_assert_cmpuint (x->offset % 64, ==, 0);
  memcpy (&first, module->constants + x->offset, x->width);
  for (guint lane = 0; lane < 32; lane++)
    g_assert_cmpmem (module->constants + x->offset + lane * x->width, x->width, &first, x->width);
  return first;
}

static guint64
get_immediate (const char *instruction)
{
  g_autoptr (CuredPtxModule) module = parse_body (instruction);

  return get_constant (module, get_operand (module, 0, 1));
}

static const CuredPtxFunction *
get_function (const CuredPtxModule *module, const char *name)
{
  for (guint i = 0; i < module->n_functions; i++)
    if (strcmp (module->functions[i].name, name) == 0)
      return &module->functions[i];
  g_assert_not_reached ();
}

/* ---- The tables ---- */

TEST ("/ptx-parser/tables/rows")
{
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      const CuredPtxOpInfo *info = &_cured_ptx_ops[op];
      const char *letter = info->operands;
      guint n = 0;

      g_assert_cmpuint (strlen (info->mnemonic), >, 0);
      for (; *letter != '\0'; letter++)
        {
          g_assert_nonnull (strchr ("DWENHPOSXTUJQVYdsfihrgGMCRBAILKF?", *letter));
          n += *letter != '?';
        }
      g_assert_cmpuint (n, <=, CURED_PTX_MAX_OPERANDS);
      /* No other row is reached by the same words and a type of this one's: the one that comes
       * first is always taken. */
      for (guint other = 0; other < op; other++)
        if (strcmp (_cured_ptx_ops[other].mnemonic, info->mnemonic) == 0 &&
            ((_cured_ptx_ops[other].types & info->types) != 0 ||
             (_cured_ptx_ops[other].types == 0 && info->types == 0)))
          g_error ("%s hides %s", _cured_ptx_ops[other].id, info->id);
    }
}

/* Each row is what its own mnemonic and first type mean. */
TEST ("/ptx-parser/tables/rows-found")
{
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    for (guint type = 0; type < CURED_PTX_N_TYPES; type++)
      {
        const CuredPtxOpInfo *info = &_cured_ptx_ops[op];
        CuredPtxParser parser = { 0 };
        CuredPtxToken name;

        if (info->types == 0 ? type != 0 : !(info->types >> type & 1))
          continue;
        if (type == 0 && info->types != 0)
          continue;
        g_autofree char *text = g_strdup_printf ("%s%s%s", info->mnemonic, type != 0 ? "." : "",
                                                 _cured_ptx_types[type].word);
        _cured_ptx_lexer_init (&parser.lexer, text, strlen (text), 1);
        _cured_ptx_parser_init (&parser);
        _cured_ptx_lexer_next (&parser.lexer, &name);
        _cured_ptx_lexer_extend (&parser.lexer, &name);
        g_assert_cmpuint (name.length, ==, strlen (text));
        const CuredPtxOpcode *opcode = _cured_ptx_get_opcode (&parser, &name);
        g_assert_cmpstr (_cured_ptx_ops[opcode->op].id, ==, info->id);
        g_assert_cmpuint (opcode->n_types, ==, type != 0);
        _cured_ptx_parser_clear (&parser);
      }
}

TEST ("/ptx-parser/tables/words")
{
  static const struct
  {
    const char *word;
    CuredPtxGroup group;
    CuredPtxWord value;
  } words[] = {
#define WORD(word, group, value)  { word, CURED_PTX_GROUP_##group, CURED_PTX_##group##_##value },
#define ALIAS(word, group, value) WORD (word, group, value)
#include "ptx/cured-ptx-words.def"
#include "ptx/parse/cured-ptx-parse.h"
  };
  uint64_t allowed = 0;

  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    allowed |= _cured_ptx_ops[op].modifiers;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      /* Every chip with the space .shared::cluster has it. */
      if (!(allowed >> words[i].group & 1) && words[i].group != CURED_PTX_GROUP_WINDOW)
        g_error (".%s belongs to no row", words[i].word);
      /* A type's word would never be taken for it. */
      for (guint type = 1; type < CURED_PTX_N_TYPES; type++)
        g_assert_cmpstr (words[i].word, !=, _cured_ptx_types[type].word);
      for (guint k = 0; k < i; k++)
        g_assert_false (words[k].group == words[i].group &&
                        strcmp (words[k].word, words[i].word) == 0);
    }
}

/* ---- Instructions ---- */

TEST ("/ptx-parser/instruction")
{
  g_autoptr (CuredPtxModule) module =
      parse_body ("add.s32 %r1, %r2, 7;\n"
                  "@!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+-8];\n");
  const CuredPtxInst *add = &module->code[0];
  const CuredPtxInst *ld = &module->code[1];

  g_assert_cmpuint (module->n_code, ==, 3);
  g_assert_cmpint (add->op, ==, CURED_PTX_OP_add);
  g_assert_cmpint (add->n_types, ==, 1);
  g_assert_cmpint (add->types[0], ==, CURED_PTX_S32);
  g_assert_cmpint (add->n_counts, ==, 3);
  g_assert_cmpint (add->guard.width, ==, 0);
  g_assert_cmpint (add->x[0].base, ==, CURED_BASE_REGISTERS);
  g_assert_cmpint (add->x[0].width, ==, 4);
  g_assert_cmpuint (add->x[0].offset, !=, add->x[1].offset);
  g_assert_cmpuint (get_constant (module, &add->x[2]), ==, 7);

  g_assert_cmpint (ld->op, ==, CURED_PTX_OP_ld);
  g_assert_cmpint (ld->guard.width, ==, 1);
  g_assert_cmpint (ld->guard.is_negated, ==, 1);
  g_assert_cmpint (ld->words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_GLOBAL);
  g_assert_cmpint (ld->words[CURED_PTX_GROUP_VECTOR], ==, CURED_PTX_VECTOR_V2);
  g_assert_cmpint (ld->words[CURED_PTX_GROUP_NONCOHERENT], ==, CURED_PTX_NONCOHERENT_NC);
  g_assert_cmpint (ld->n_counts, ==, 3);
  g_assert_cmpint (ld->counts[0], ==, 2);
  g_assert_cmpint (ld->counts[1], ==, 1);
  g_assert_cmpint (ld->x[0].is_float, ==, 1);
  g_assert_cmpint (ld->x[2].width, ==, 8);
  g_assert_cmpint (ld->x[3].width, ==, 0);
  g_assert_cmpint (ld->displacement, ==, -8);
  g_assert_cmpint (module->code[2].op, ==, CURED_PTX_OP_ret);
}

/* Where registers are: as far apart as they are wide, aligned, and behind the hidden one. */
TEST ("/ptx-parser/registers")
{
  g_autoptr (CuredPtxModule) module = parse_body ("mov.b16 %rs1, %rs2;\nmov.b64 %rd1, %rd2;\n"
                                                  "mov.pred %p1, %p2;\nmov.pred %p3, %p1;\n"
                                                  "mov.b32 %r1, %r2;\n");
  const CuredPtxFunction *function = get_function (module, "k");
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  for (guint site = 0; site < 5; site++)
    for (guint i = 0; i < 2; i++)
      {
        const CuredPtxOperand *x = get_operand (module, site, i);
        guint bytes = x->width == 1 ? 4 : x->width * 32;

        g_assert_cmpuint (x->offset, >=, 256);
        g_assert_cmpuint (x->offset % (x->width == 1 ? 4 : 64), ==, 0);
        g_assert_cmpuint (x->offset + bytes, <=, function->frame_bytes);
        if (site == 3 && i == 1)
          g_assert_cmpuint (x->offset, ==, get_operand (module, 2, 0)->offset);
        else
          for (guint at = x->offset; at < x->offset + bytes; at += 4)
            g_assert_true (g_hash_table_add (taken, GUINT_TO_POINTER (at)));
      }
}

/* A name that an inner block declares again is another register there, and the outer one behind it:
 * of single names and of ranges, and where the outer one was used before. */
TEST ("/ptx-parser/scopes")
{
  g_autoptr (CuredPtxModule) module =
      parse_body ("mov.b32 %r1, 1;\n"                                  /* 0 */
                  "{ .reg .b64 %r1; mov.b64 %r1, 2; mov.b32 %r2, 3;\n" /* 1 2 */
                  "  { .reg .b16 %r<4>; mov.b16 %r1, 4; mov.b16 %r2, 5;\n"
                  "    mov.b32 %r7, 6; }\n"               /* 3 4 5 */
                  "  mov.b64 %r1, 7; mov.b32 %r2, 8; }\n" /* 6 7 */
                  "{ .reg .b64 %r1; mov.b64 %r1, 9; }\n"  /* 8 */
                  "mov.b32 %r1, 10; mov.b32 %r7, 11;\n"); /* 9 10 */
  static const struct
  {
    guint a, b;
    gboolean is_same;
  } pairs[] = {
    { 0, 9, TRUE },  { 1, 6, TRUE },  { 2, 7, TRUE },  { 5, 10, TRUE },
    { 0, 1, FALSE }, { 1, 3, FALSE }, { 2, 4, FALSE }, { 1, 8, FALSE },
  };
  static const guint8 widths[] = { 4, 8, 4, 2, 2, 4, 8, 4, 8, 4, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    g_assert_cmpint (get_operand (module, i, 0)->width, ==, widths[i]);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_assert_true ((get_operand (module, pairs[i].a, 0)->offset ==
                    get_operand (module, pairs[i].b, 0)->offset) == pairs[i].is_same);
}

/* What ptxas takes beside the ISA: a register and a number, which an addition in front adds. */
TEST ("/ptx-parser/sums")
{
  static const char *const bodies[] = {
    "add.u32 %r2, %r1 + 5, %r1;",
    "st.global.u32 [gv], %r1 + 1;",
    "shl.b64 %rd1, %rd2+8, %r1;",
    "st.global.u16 [gv], %rs1 + 1;",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (CuredPtxModule) module = parse_body (bodies[i]);

      g_assert_cmpuint (module->n_code, ==, 3);
      g_assert_cmpint (module->code[0].op, ==, CURED_PTX_OP_add);
      g_assert_cmpint (module->code[0].x[0].offset, ==,
                       module->code[1].x[i == 1 || i == 3 ? module->code[1].counts[0] : 1].offset);
    }
  {
    g_autoptr (CuredPtxModule) module = parse_body ("add.u32 %r2, %r1 + 5, %r1 + 6;");

    g_assert_cmpuint (module->n_code, ==, 4);
  }
  for (guint i = 0; i < 4; i++)
    {
      /* Of video instructions a minus is a register's, or begins a number. */
      static const char *const numbers[] = { "--1", "- 1", "-~1", "-(1)" };
      g_autofree char *body =
          g_strdup_printf ("vmad.s32.s32.s32 %%r1, %%r2, %%r3, %s;", numbers[i]);
      g_autoptr (CuredPtxModule) module = parse_body (body);

      g_assert_cmpuint (module->n_code, ==, 2);
    }
  g_autoptr (CuredPtxModule) one_and_a_half = parse_body ("mov.b64 %rd1, 1.5;");
  g_assert_cmpuint (one_and_a_half->n_code, ==, 2);
  assert_body_fails ("st.global.f32 [gv], %f1 + 1;", CURED_ERROR_SYNTAX, "21", "%f1");
  assert_body_fails ("vadd2.u32.u32.u32 %r1, 3, %r1, %r2;", CURED_ERROR_SYNTAX, "24", "a register");
  assert_body_fails ("vset4.u32.u32.lt %r1, %r3, 3, %r2;", CURED_ERROR_SYNTAX, "28", "a register");
}

TEST ("/ptx-parser/immediates")
{
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 42;"), ==, 42);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, -1;"), ==, 0xffffffff);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 0x1fU;"), ==, 31);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, --1;"), ==, 1);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, - 1;"), ==, 0xffffffff);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 017;"), ==, 15);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 0b101;"), ==, 5);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, WARP_SZ;"), ==, 32);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 2+3*4;"), ==, 14);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, (2+3)*4;"), ==, 20);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 7 > 3 ? 1 : 2;"), ==, 1);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, -7 / 2;"), ==, 0xfffffffd);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, 1 << 31 >> 30;"), ==, 2);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, ~0 & 0xf0 | 3 ^ 1;"), ==, 0xf2);
  g_assert_cmphex (get_immediate ("mov.u32 %r1, (.s64)-8 % 3;"), ==, 0xfffffffe);
  g_assert_cmphex (get_immediate ("mov.u64 %rd1, (.u64)-8 / 2;"), ==,
                   G_GUINT64_CONSTANT (0x7ffffffffffffffc));
  g_assert_cmphex (get_immediate ("mov.u64 %rd1, -4294967296;"), ==,
                   G_GUINT64_CONSTANT (0xffffffff00000000));
  g_assert_cmphex (get_immediate ("mov.b16 %rs1, 0x13C00;"), ==, 0x3c00);
  g_assert_cmphex (get_immediate ("mov.f32 %f1, 0f3F800000;"), ==, 0x3f800000);
  g_assert_cmphex (get_immediate ("mov.f32 %f1, 1.5;"), ==, 0x3fc00000);
  g_assert_cmphex (get_immediate ("mov.f32 %f1, -.5e1;"), ==, 0xc0a00000);
  g_assert_cmphex (get_immediate ("mov.f32 %f1, 0d3FF0000000000000;"), ==, 0x3f800000);
  g_assert_cmphex (get_immediate ("mov.f64 %fd1, 0f3F800000;"), ==,
                   G_GUINT64_CONSTANT (0x3ff0000000000000));
  g_assert_cmphex (get_immediate ("mov.b32 %r1, 0fBF800000;"), ==, 0xbf800000);
  g_assert_cmphex (get_immediate ("mov.b64 %rd1, 0dBFF0000000000000;"), ==,
                   G_GUINT64_CONSTANT (0xbff0000000000000));
}

/* The same bits of the same width are one entry of the pool. */
TEST ("/ptx-parser/pool")
{
  g_autoptr (CuredPtxModule) module = parse_body ("mov.u32 %r1, 1065353216;\nmov.f32 %f1, 1.0;\n"
                                                  "mov.u64 %rd1, 1065353216;\nmov.pred %p1, 5;\n"
                                                  "mov.pred %p1, 0;\n");

  g_assert_cmpuint (get_operand (module, 0, 1)->offset, ==, get_operand (module, 1, 1)->offset);
  g_assert_cmpuint (get_operand (module, 0, 1)->offset, !=, get_operand (module, 2, 1)->offset);
  g_assert_cmphex (*(const guint32 *) (module->constants + get_operand (module, 3, 1)->offset), ==,
                   0xffffffff);
  g_assert_cmphex (*(const guint32 *) (module->constants + get_operand (module, 4, 1)->offset), ==,
                   0);
}

TEST ("/ptx-parser/operands")
{
  g_autoptr (CuredPtxModule) module =
      parse_body ("setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;\n"          /* 0 */
                  "setp.lt.s32 %p1, %r1, 3;\n"                        /* 1 */
                  "mov.b64 {%r1, _}, %rd1;\n"                         /* 2 */
                  "mov.b64 %rd1, {%r1, 5};\n"                         /* 3 */
                  "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\n"     /* 4 */
                  "bar.red.or.pred %p1, 0, %p2;\n"                    /* 5 */
                  "bar.red.popc.u32 %r1, 0, 64, %p2;\n"               /* 6 */
                  "mbarrier.arrive.shared.b64 _, [%rd1];\n"           /* 7 */
                  "cp.async.cg.shared.global [%r1], [%rd1+16], 16;\n" /* 8 */
                  "lop3.b32 %r1, %r2, %r3, %r4, 0x96;\n"              /* 9 */
                  "mov.u32 %r1, %ctaid.y;\n"                          /* 10 */
                  "mov.u32 %r1, %tid.w;\n"                            /* 11 */
                  "mov.u32 %r1, %envreg3;\n"                          /* 12 */
                  "ld.global.u8 %r1, gv[2];\n"                        /* 13 */
                  "ld.global.L2::cache_hint.u32 %r1, [gv], %rd1;\n"   /* 14 */
                  "add /* with space */ .u32 %r1, %r2,\n 3 // and lines\n;\n" /* 15 */);
  const CuredPtxInst *code = module->code;

  g_assert_cmpint (code[0].n_counts, ==, 5);
  g_assert_cmpint (code[0].x[1].width, ==, 1);
  g_assert_cmpint (code[0].x[4].is_negated, ==, 1);
  g_assert_cmpint (code[1].n_counts, ==, 5);
  g_assert_cmpint (code[1].x[1].width, ==, 0);
  g_assert_cmpint (code[1].x[4].width, ==, 0);
  g_assert_cmpint (code[2].counts[0], ==, 2);
  g_assert_cmpint (code[2].x[0].width, ==, 4);
  g_assert_cmpint (code[2].x[1].width, ==, 0);
  g_assert_cmpint (code[2].x[2].width, ==, 8);
  g_assert_cmpint (code[3].counts[1], ==, 2);
  g_assert_cmpuint (get_constant (module, &code[3].x[2]), ==, 5);
  g_assert_cmpint (code[4].x[1].width, ==, 1);
  g_assert_cmpint (code[5].x[2].width, ==, 0);
  g_assert_cmpint (code[5].x[3].width, ==, 1);
  g_assert_cmpuint (get_constant (module, &code[6].x[2]), ==, 64);
  g_assert_cmpint (code[7].x[0].width, ==, 0);
  g_assert_cmpint (code[7].x[1].width, ==, 8);
  g_assert_cmpint (code[8].x[0].width, ==, 4);
  g_assert_cmpint (code[8].displacement2, ==, 16);
  g_assert_cmpint (code[8].immediate, ==, 16);
  g_assert_cmpint (code[9].immediate, ==, 0x96);
  g_assert_cmpint (code[9].x[1].width, ==, 0);
  g_assert_cmpint (code[9].x[4].width, ==, 4);
  g_assert_cmpint (code[10].x[1].base, ==, CURED_BASE_SPECIALS);
  g_assert_cmpuint (code[10].x[1].offset, ==, G_STRUCT_OFFSET (CuredSpecials, ctaid) + 128);
  g_assert_cmpuint (code[11].x[1].offset, ==, G_STRUCT_OFFSET (CuredSpecials, zero));
  g_assert_cmpuint (code[12].x[1].offset, ==, G_STRUCT_OFFSET (CuredSpecials, envreg));
  g_assert_cmpint (code[13].displacement, ==, 8);
  g_assert_cmpint (code[14].x[2].width, ==, 8);
  g_assert_cmpint (code[15].op, ==, CURED_PTX_OP_add);
}

TEST ("/ptx-parser/vectors")
{
  g_autoptr (CuredPtxModule) module = parse_body (".reg .v4 .f32 %v;\n"
                                                  "ld.global.v4.f32 %v, [gv];\n"
                                                  "mov.f32 %f1, %v.y; mov.f32 %f1, %v.g;\n");

  g_assert_cmpint (module->code[0].counts[0], ==, 4);
  g_assert_cmpuint (get_operand (module, 0, 1)->offset, ==, get_operand (module, 1, 1)->offset);
  g_assert_cmpuint (get_operand (module, 1, 1)->offset, ==, get_operand (module, 2, 1)->offset);
}

TEST ("/ptx-parser/labels")
{
  g_autoptr (CuredPtxModule) module = parse_body ("A: add.s32 %r1, %r1, 1;\n" /* 0 */
                                                  "bra.uni B;\n"              /* 1 */
                                                  "{ A: bra A;\n"             /* 2 */
                                                  "  bra B; }\n"              /* 3 */
                                                  "{ bra A; A: bra A; }\n"    /* 4, 5 */
                                                  "t: .branchtargets A, B, C;\n"
                                                  "brx.idx %r1, t;\n" /* 6 */
                                                  "B: @%p1 bra A;\n"  /* 7 */
                                                  "C:\n");
  const CuredPtxInst *code = module->code;

  g_assert_cmpuint (code[1].target, ==, 7);
  g_assert_cmpuint (code[2].target, ==, 2);
  g_assert_cmpuint (code[3].target, ==, 7);
  g_assert_cmpuint (code[4].target, ==, 5);
  g_assert_cmpuint (code[5].target, ==, 5);
  g_assert_cmpuint (code[7].target, ==, 0);
  g_assert_cmpuint (module->n_tables, ==, 1);
  g_assert_cmpuint (code[6].target, ==, 0);
  g_assert_cmpuint (module->tables[0].n_targets, ==, 3);
  g_assert_cmpuint (module->tables[0].targets[0], ==, 0);
  g_assert_cmpuint (module->tables[0].targets[1], ==, 7);
  g_assert_cmpuint (module->tables[0].targets[2], ==, 8);
}

/* A function ends with an instruction that leaves it, also where a label is the last thing in it,
 * or nothing is. */
TEST ("/ptx-parser/ends")
{
  g_autoptr (CuredPtxModule) module = parse (".entry a() { .reg .pred p; bra E; E: }\n"
                                             ".entry b() { }\n"
                                             ".entry c() { .reg .pred p; @p ret; }\n"
                                             ".entry d() { exit; }\n"
                                             ".entry e() { bra E; exit; E: }\n");
  static const guint sizes[] = { 2, 1, 2, 1, 3 };

  g_assert_cmpuint (module->n_functions, ==, G_N_ELEMENTS (sizes));
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];
      const CuredPtxInst *last = &module->code[function->first + function->n_sites - 1];

      g_assert_cmpuint (function->n_sites, ==, sizes[i]);
      g_assert_cmpint (last->guard.width, ==, 0);
      g_assert_true (last->op == CURED_PTX_OP_ret || last->op == CURED_PTX_OP_exit);
    }
  g_assert_cmpuint (module->code[0].target, ==, 1);
}

/* ---- Variables ---- */

TEST ("/ptx-parser/parameters")
{
  g_autoptr (CuredPtxModule) module =
      parse (".entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
             " .param .align 16 .b8 c[20], .param .f32 d)\n"
             ".maxntid 32, 4, 2 .minnctapersm 2\n{\n"
             ".reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
             "ld.param.u64 %rd1, [b];\n"
             "ld.param.u32 %r1, [c+12];\n"
             "ld.param.f32 %r1, [d];\n"
             "mov.b64 %rd1, c;\n"
             "ld.param.u32 %r1, [%rd1+4];\nret; }\n");
  const CuredPtxFunction *function = get_function (module, "k");
  CuredPtxEntry entry;

  g_assert_cmpuint (function->n_parameters, ==, 4);
  g_assert_cmpuint (function->parameters[1].offset, ==, 8);
  g_assert_cmpuint (function->parameters[2].offset, ==, 16);
  g_assert_cmpuint (function->parameters[2].size, ==, 20);
  g_assert_cmpuint (function->parameters[3].offset, ==, 36);
  g_assert_cmpuint (function->parameter_bytes, ==, 40);
  g_assert_cmpint (module->code[0].displacement, ==, 8);
  g_assert_cmpint (module->code[1].displacement, ==, 28);
  g_assert_cmpuint (get_constant (module, get_operand (module, 1, 1)), ==, 0);
  g_assert_cmpint (module->code[1].words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_PARAM);
  g_assert_cmpint (module->code[3].displacement, ==, 16);
  g_assert_cmpint (module->code[4].words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_PARAM);

  g_assert_false (cured_ptx_module_find_entry (module, "j", &entry));
  g_assert_true (cured_ptx_module_find_entry (module, "k", &entry));
  g_assert_cmpstr (entry.name, ==, "k");
  g_assert_cmpuint (entry.parameter_bytes, ==, 40);
  g_assert_cmpint (entry.max_threads, ==, 256);
}

/* An entry's own shared variables follow those of the module, also of those that are declared
 * later, where it uses one of them; sizes are as ptxas has them. */
TEST ("/ptx-parser/shared")
{
  g_autoptr (CuredPtxModule) module =
      parse (".shared .align 4 .b8 a[100];\n"
             ".extern .shared .align 16 .b8 dyn[];\n"
             ".entry k() { .shared .b32 x; .shared .align 16 .b8 y[8];\n"
             ".reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
             "st.shared.b32 [x], 1; mov.u32 %r1, y; cvta.shared.u64 %rd1, y;\n"
             "st.shared.b32 [a+4], 1; mov.u32 %r1, dyn; st.b32 [x], 1;\n"
             "st.shared.b32 [dyn+8], 1; ret; }\n"
             ".shared .align 8 .b8 b[60];\n"
             ".func f() { st.shared.b32 [b], 1; ret; }\n"
             ".func g() { call f; ret; }\n"
             ".entry l() { .shared .b32 z; st.shared.b32 [z], 1; call g; ret; }\n"
             ".entry m() { .shared .b32 z; st.shared.b32 [z], 1; ret; }\n"
             ".entry n() { ret; }\n");
  const CuredPtxInst *code = module->code;

  /* The module's end at 164. */
  g_assert_cmpint (code[0].displacement, ==, 176);
  g_assert_cmpint (code[1].displacement, ==, 176 + 16);
  g_assert_cmpint (code[2].displacement, ==, 176 + 16);
  g_assert_cmpint (code[3].displacement, ==, 4);
  g_assert_cmpint (code[4].displacement, ==, 0);
  g_assert_cmpint (code[4].x[1].base, ==, CURED_BASE_SPECIALS);
  g_assert_cmpuint (code[4].x[1].offset, ==, G_STRUCT_OFFSET (CuredSpecials, dynamic_shared));
  g_assert_cmpint (code[5].words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_SHARED);
  g_assert_cmpint (code[6].displacement, ==, 8);
  g_assert_cmpint (code[8].displacement, ==, 104);
  code = module->code + get_function (module, "l")->first;
  g_assert_cmpint (code[0].displacement, ==, 164);
  code = module->code + get_function (module, "m")->first;
  g_assert_cmpint (code[0].displacement, ==, 0);
  g_assert_cmpuint (get_function (module, "k")->shared_bytes, ==, 208);
  g_assert_cmpuint (get_function (module, "l")->shared_bytes, ==, 176);
  g_assert_cmpuint (get_function (module, "m")->shared_bytes, ==, 16);
  g_assert_cmpuint (get_function (module, "n")->shared_bytes, ==, 0);
}

/* Through a pointer, a function may use what another one does. */
TEST ("/ptx-parser/shared-of-pointers")
{
  g_autoptr (CuredPtxModule) module = parse (".shared .b32 a;\n"
                                             ".func f() { st.shared.b32 [a], 1; ret; }\n"
                                             ".func g() { call f; ret; }\n"
                                             ".global .u64 table[1] = {g};\n"
                                             ".entry k() { .reg .b64 p; ld.global.u64 p, [table];\n"
                                             "s: .callprototype _; call p, s; ret; }\n"
                                             ".entry l() { ret; }\n");
  g_autoptr (CuredPtxModule) address = parse (".shared .b32 a;\n.global .u64 p = generic(a);\n"
                                              ".entry k() { ret; }\n");

  g_assert_cmpuint (get_function (module, "k")->shared_bytes, ==, 4);
  g_assert_cmpuint (get_function (module, "l")->shared_bytes, ==, 0);
  g_assert_cmpuint (get_function (address, "k")->shared_bytes, ==, 4);
}

TEST ("/ptx-parser/local")
{
  g_autoptr (CuredPtxModule) module =
      parse (".entry k() { .local .align 16 .b8 depot[20]; .local .b64 q;\n"
             ".reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
             "mov.u64 %rd1, depot; st.local.b64 [q], %rd1;\n"
             "{ .param .b32 p; st.param.b32 [p], %r1; }\n"
             "{ .param .b32 p; st.param.b32 [p+0], %r1;\n"
             "  ld.param.b32 %r2, [p]; }\n"
             "st.b64 [q], %rd1; ret; }\n");
  const CuredPtxInst *code = module->code;
  const CuredPtxOperand *base = get_operand (module, 0, 1);

  g_assert_cmpint (base->base, ==, CURED_BASE_REGISTERS);
  g_assert_cmpuint (base->offset, ==, CURED_FRAME_BASE_OFFSET);
  g_assert_cmpint (base->width, ==, 8);
  g_assert_cmpint (code[0].displacement, ==, 0);
  g_assert_cmpint (code[1].displacement, ==, 24);
  /* Variables of calls take turns in their place. */
  g_assert_cmpint (code[2].displacement, ==, 32);
  g_assert_cmpint (code[3].displacement, ==, 32);
  g_assert_cmpint (code[4].displacement, ==, 32);
  for (guint i = 1; i < 6; i++)
    g_assert_cmpint (code[i].words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_LOCAL);
  g_assert_cmpuint (get_function (module, "k")->local_bytes, ==, 48);
}

/* A variable's bytes, as linking leaves them. */
static void
assert_bytes (const CuredPtxModule *module, CuredMemory *memory, guint variable, const void *bytes,
              gsize n)
{
  const CuredPtxVariable *known = &module->variables[variable];

  g_assert_cmpuint (known->size, ==, n);
  g_assert_cmpmem (cured_memory_map (memory, known->address, n), n, bytes, n);
}

TEST ("/ptx-parser/variables")
{
  g_autoptr (CuredPtxModule) module =
      parse (".func fn();\n.global .align 4 .b8 a[8] = {1, 2, 0xff};\n"
             ".const .u16 b[] = {1, -1, 300};\n"
             ".global .f32 c[2][2] = {{1.5}, {0f3F800000, -2.0}};\n"
             ".global .f64 d = 0f3F800000;\n"
             ".global .v2 .u32 e[2] = {{1, 2}, {3, 4}};\n"
             ".global .u64 f[4] = {a, generic(a)+4, fn, b};\n"
             ".global .b8 g[4] = {0xFF(a), 0xFF00(a), 0xFF0000(a), 7};\n"
             ".global .align 64 .u32 h;\n"
             ".global .b128 i[2] = {1, 2};\n"
             ".extern .global .u32 unused;\n"
             ".func fn() { ret; }\n"
             ".entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, f;\n"
             "mov.u64 %rd1, fn; ret; }\n");
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  g_autoptr (CuredMemory) other = cured_memory_new (1 << 20);
  g_autoptr (GError) error = NULL;
  guint64 ignored;

  g_assert_true (MUST (cured_ptx_module_link (module, memory, &fail)));
  /* Linked again, elsewhere, it is as new. */
  g_assert_true (cured_memory_allocate (other, 5000, &ignored, &error));
  g_assert_true (cured_ptx_module_link (module, other, &error));
  {
    const guint8 a[8] = { 1, 2, 255 };
    const guint16 b[3] = { 1, 65535, 300 };
    const float c[4] = { 1.5f, 0, 1, -2 };
    const double d = 1;
    const guint32 e[4] = { 1, 2, 3, 4 };
    guint64 at = module->variables[0].address;
    const guint64 f[4] = { at, at + 4, 1, module->variables[1].address };
    const guint8 g[4] = { (guint8) at, (guint8) (at >> 8), (guint8) (at >> 16), 7 };
    const guint32 h = 0;
    const guint64 i[4] = { 1, 0, 2, 0 };

    assert_bytes (module, other, 0, a, sizeof a);
    assert_bytes (module, other, 1, b, sizeof b);
    assert_bytes (module, other, 2, c, sizeof c);
    assert_bytes (module, other, 3, &d, sizeof d);
    assert_bytes (module, other, 4, e, sizeof e);
    assert_bytes (module, other, 5, f, sizeof f);
    assert_bytes (module, other, 6, g, sizeof g);
    assert_bytes (module, other, 7, &h, sizeof h);
    assert_bytes (module, other, 8, i, sizeof i);
    g_assert_cmphex (get_constant (module, get_operand (module, 1, 1)), ==,
                     module->variables[5].address);
    /* Functions are values, too: their index and one. */
    g_assert_cmphex (get_constant (module, get_operand (module, 2, 1)), ==, 1);
  }
}

TEST ("/ptx-parser/no-room")
{
  g_autoptr (CuredPtxModule) module = parse (".global .b8 a[1000000];\n");
  g_autoptr (CuredMemory) memory = cured_memory_new (1000);
  g_autoptr (GError) error = NULL;

  g_assert_false (cured_ptx_module_link (module, memory, &error));
  g_assert_nonnull (error);
}

/* ---- Functions ---- */

TEST ("/ptx-parser/calls")
{
  g_autoptr (CuredPtxModule) module =
      parse (".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".func (.param .b32 x) f(.param .b32 y, .param .align 8 .b8 z[12]);\n"
             ".func (.reg .b32 x) g(.reg .b32 y, .reg .f32 z)\n"
             "{ add.u32 x, y, 1; ret; }\n"
             ".func never(.param .b32 y);\n"
             ".entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>;\n"
             "{ .param .b32 a; .param .align 8 .b8 b[12]; .param .b32 c;\n"
             "  st.param.b32 [a], %r1; call.uni (c), f, (a, b);\n"
             "  call (c), f, (5, b); ld.param.b32 %r1, [c]; }\n"
             "call (%r1), g, (%r2, 0f3F800000);\n"
             "mov.u64 %rd1, f;\n"
             "{ .param .b32 a; .param .align 8 .b8 b[12]; .param .b32 c;\n"
             "  proto : .callprototype (.param .b32 _) _ (.param .b32 _,\n"
             "    .param .align 8 .b8 _[12]);\n"
             "  call (c), %rd1, (a, b), proto; }\n"
             "{ .param .b64 a; .param .b32 c; call (c), vprintf, (a, a); }\n"
             "ret; }\n"
             ".func (.param .b32 x) f(.param .b32 y, .param .align 8 .b8 z[12])\n"
             "{ .reg .b32 %r<3>; ld.param.b32 %r1, [z+4]; st.param.b32 [x], %r1;\n"
             "  ret; }\n");
  const CuredPtxFunction *f = get_function (module, "f");
  const CuredPtxFunction *g = get_function (module, "g");
  const CuredPtxFunction *k = get_function (module, "k");
  const CuredPtxInst *code = module->code + k->first;
  const CuredPtxCall *call = code[1].call;

  g_assert_true (f->is_defined);
  g_assert_false (get_function (module, "never")->is_defined);
  g_assert_cmpint (get_function (module, "vprintf")->builtin, ==, CURED_BUILTIN_VPRINTF);
  g_assert_cmpuint (f->n_parameters, ==, 2);
  g_assert_cmpuint (f->n_results, ==, 1);
  g_assert_cmpuint (f->parameters[1].size, ==, 12);
  g_assert_cmpuint (f->parameters[1].offset % 8, ==, 0);
  g_assert_cmpint (f->in_registers[1].width, ==, 0);
  g_assert_cmpint (g->in_registers[0].width, ==, 4);
  g_assert_cmpint (g->in_registers[2].width, ==, 4);
  g_assert_cmpint (g->in_registers[2].is_float, ==, 1);

  g_assert_cmpuint (code[1].target, ==, (guint) (f - module->functions));
  g_assert_cmpuint (call->n_results, ==, 1);
  g_assert_cmpuint (call->n_arguments, ==, 2);
  g_assert_true (call->results[0].is_slot);
  g_assert_true (call->arguments[1].is_slot);
  g_assert_cmpuint (call->arguments[1].slot.size, ==, 12);
  g_assert_false (code[2].call->arguments[0].is_slot);
  g_assert_cmpuint (get_constant (module, &code[2].call->arguments[0].operand), ==, 5);
  call = code[4].call;
  g_assert_false (call->results[0].is_slot);
  g_assert_cmpint (call->arguments[0].operand.base, ==, CURED_BASE_REGISTERS);
  g_assert_cmphex (get_constant (module, &call->arguments[1].operand), ==, 0x3f800000);
  g_assert_true (code[6].call->is_indirect);
  g_assert_cmpint (code[6].call->pointer.width, ==, 8);
  /* Parameters of a function are in its local memory. */
  code = module->code + f->first;
  g_assert_cmpint (code[0].words[CURED_PTX_GROUP_SPACE], ==, CURED_PTX_SPACE_LOCAL);
  g_assert_cmpint (code[0].displacement, ==, (gint64) f->parameters[1].offset + 4);
  g_assert_false (module->has_recursion);
}

TEST ("/ptx-parser/recursion")
{
  g_autoptr (CuredPtxModule) itself = parse (".func f() { call f; ret; }\n");
  g_autoptr (CuredPtxModule) through = parse (".func g();\n.func f() { call g; ret; }\n"
                                              ".func g() { call f; ret; }\n");
  g_autoptr (CuredPtxModule) pointer = parse (".func f() { .reg .b64 a; mov.u64 a, f;\n"
                                              "p: .callprototype _; call a, p; ret; }\n");
  g_autoptr (CuredPtxModule) none =
      parse (".func f() { ret; }\n.func g() { call f; call f; ret; }\n"
             ".func h() { call f; call g; ret; }\n");

  g_assert_true (itself->has_recursion);
  g_assert_true (through->has_recursion);
  g_assert_true (pointer->has_recursion);
  g_assert_false (none->has_recursion);
}

/* What is live at once, by hand: %r1 %r2 %r3 and the 64-bit one; a loop keeps what it reads. */
TEST ("/ptx-parser/live")
{
  g_autoptr (CuredPtxModule) module =
      parse (".entry a() { .reg .b32 %r<9>; .reg .b64 %rd<2>; .reg .pred p;\n"
             "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2;\n"
             "cvt.u64.u32 %rd1, %r3; ret; }\n"
             ".entry b() { .reg .b32 %r<9>; .reg .pred p;\n"
             "mov.u32 %r1, 1; mov.u32 %r2, 2;\n"
             "L: mov.u32 %r3, %r1; mov.u32 %r4, %r3; @p bra L;\n"
             "mov.u32 %r5, %r2; ret; }\n");

  g_assert_cmpint (get_function (module, "a")->registers, ==, 3);
  /* %r1 and %r2 to the end of the loop, %r3 and %r4 in it. */
  g_assert_cmpint (get_function (module, "b")->registers, ==, 4);
}

/* ---- Lines ---- */

TEST ("/ptx-parser/lines")
{
  g_autoptr (CuredPtxModule) module =
      parse (".entry k() {\n.reg .b32 %r<3>;\n.loc 1 10 0\n"
             "mov.u32 %r1, 0;\n" /* 0 */
             ".loc 1 20 3, function_name $L__info0, inlined_at 1 12 5\n"
             "mov.u32 %r1, 1;\n" /* 1 */
             ".loc 1 13 5\n"
             ".loc 2 100 3, function_name $L__info1, inlined_at 1 13 5\n"
             "mov.u32 %r1, 2;\n" /* 2 */
             ".loc 3 7 7, function_name $L__info2, inlined_at 2 100 3\n"
             ".loc 4 8 8, function_name $L__info3+4, inlined_at 3 7 7\n"
             "mov.u32 %r1, 3;\n" /* 3 */
             ".loc 1 0 3\n"
             "mov.u32 %r1,\n  4; ret;\n}\n"        /* 4, 5 */
             ".func f() {\n.loc 2 50 0\nret;\n}\n" /* 6 */
             ".file 1 \"/src/a.cu\"\n.file 2 \"/src/b.h\", 12, 34\n"
             ".file 3 \"/src/c.h\"\n");
  static const struct
  {
    const char *file;
    int line, ptx_line;
    const char *text;
  } places[] = {
    { "/src/a.cu", 10, 7, "mov.u32 %r1, 0;" },
    { "/src/a.cu", 20, 9, "mov.u32 %r1, 1;" },
    { "/src/a.cu", 13, 12, "mov.u32 %r1, 2;" },
    { "/src/a.cu", 13, 15, "mov.u32 %r1, 3;" },
    { "/src/a.cu", 0, 17, "mov.u32 %r1, 4;" },
    { "/src/a.cu", 0, 18, "ret;" },
    { "/src/b.h", 50, 22, "ret;" },
  };

  g_assert_cmpuint (cured_ptx_module_get_n_sites (module), ==, G_N_ELEMENTS (places));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_auto (CuredPtxPlace) place = { 0 };

      cured_ptx_module_get_place (module, i, &place);
      g_assert_cmpstr (place.file, ==, places[i].file);
      g_assert_cmpint (place.line, ==, places[i].line);
      g_assert_cmpint (place.ptx_line, ==, places[i].ptx_line);
      g_assert_cmpstr (place.text, ==, places[i].text);
    }
}

TEST ("/ptx-parser/guard-text")
{
  g_autoptr (CuredPtxModule) module =
      parse (".entry k() { .reg .pred p; @!p\n bra\tL; L: ret; }\n");
  g_auto (CuredPtxPlace) place = { 0 };

  cured_ptx_module_get_place (module, 0, &place);
  g_assert_cmpstr (place.text, ==, "@!p bra L;");
  g_assert_null (place.file);
}

/* ---- Errors ---- */

TEST ("/ptx-parser/errors")
{
  static const struct
  {
    const char *body;
    gint code;
    const char *column, *what;
  } wrong[] = {
#include "wrong-bodies.def"
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    assert_body_fails (wrong[i].body, wrong[i].code, wrong[i].column, wrong[i].what);
}

TEST ("/ptx-parser/module-errors")
{
  static const struct
  {
    const char *text;
    gint code;
    const char *place, *what;
  } wrong[] = {
#include "wrong-modules.def"
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    assert_fails (wrong[i].text, wrong[i].code, wrong[i].place, wrong[i].what);
}

static void
assert_text_fails (const char *text, gssize length, const char *message)
{
  FAILS (cured_ptx_module_parse (text, length, NULL, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         message);
}

TEST ("/ptx-parser/head")
{
  assert_text_fails ("", -1, "PTX:1:1: the text ends");
  assert_text_fails (".target sm_90", -1, ".version");
  assert_text_fails (".version 8", -1, "version");
  assert_text_fails (".version 8.0 .target compute_90", -1, "sm_90");
  /* A NUL ends nothing. */
  assert_text_fails (".version 8.0 .target sm_90 \0 .file", 35, "PTX:1:28");
}

/* Faults of an instruction beyond its words: as the forms say. */
TEST ("/ptx-parser/forms")
{
  static const struct
  {
    const char *line, *reason;
  } rows[] = {
    { "add.sat.u32 r, r, 1;", "takes no .sat for .u32" },
    { "add.sat.cc.s32 r, r, 1;", "takes no .cc with .sat" },
    { "add.cc.u16 h, h, 1;", "takes no .cc for .u16" },
    { "add.u32.u32 r, r, 1;", "takes one type" },
    { "fma.f32 f, f, f, f;", "needs .rn, .rz, .rm or .rp" },
    { "fma.rni.f32 f, f, f, f;", "takes .rn, .rz, .rm or .rp, not .rni for .f32" },
    { "fma.rn.ftz.f64 d, d, d, d;", "takes no .ftz for .f64" },
    { "dp4a.u32 r, r, r, r;", "takes two types" },
    { "dp4a.u32.b32 r, r, r, r;", "takes .u32 or .s32 as its second type" },
    { "bmsk.b32 r, r, r;", "needs .wrap or .clamp" },
    { "discard.global.L2 [d], 64;", "takes 128 bytes" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
          g_strconcat (HEAD ".entry k() { .reg .b16 h; .reg .b32 r; .reg .f32 f; .reg .b64 d;\n ",
                       rows[i].line, " }", NULL);
      g_autofree char *expected = g_strdup_printf (
          "a:5:2: %.*s %s", (int) strcspn (rows[i].line, " "), rows[i].line, rows[i].reason);
      g_autoptr (GError) error = NULL;

      g_assert_null (cured_ptx_module_parse (text, -1, "a", &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, expected);
    }
}

/* What compilers after that of the recorded chip write, or later chips have. */
TEST ("/ptx-parser/later")
{
  static const struct
  {
    const char *line;
    const char *reason; /* (nullable): on sm_90 */
  } rows[] = {
    { "ld.volatile.local.u32 r, [v];", NULL },
    { "st.volatile.local.u32 [v], r;", NULL },
    { "ld.global.v8.b32 {r, r, r, r, r, r, r, r}, [d];", "sm_100" },
    { "st.global.v8.b32 [d], {r, r, r, r, r, r, r, r};", "sm_100" },
    { "ld.global.v4.b64 {d, d, d, d}, [d];", "sm_100" },
    { "ld.shared.v8.b32 {r, r, r, r, r, r, r, r}, [d];", "" },
    { "ld.v8.b32 {r, r, r, r, r, r, r, r}, [d];", "sm_100" },
    { "ld.global.nc.L1::evict_last.L2::evict_last.v4.b64 {d, d, d, d}, [d];", "sm_100" },
    { "st.volatile.global.L2::evict_first.v4.b64 [d], {d, d, d, d};", "sm_100" },
    { "ld.global.L2::evict_last.b32 r, [d];", "" },
    { "st.global.L2::evict_unchanged.v4.b64 [d], {d, d, d, d};", "" },
    { "atom.global.add.v2.f32 _, [d], {g, g};", NULL },
    { "ld.global.v2.f32 _, [d];", "" },
    { "ld.global.b32 r, [d+-4]; st.local.b32 [v], r + 1 + -2;", NULL },
    { "ld.global.b32 r, [d - 4];", "" },
    { "st.local.b32 [v], r - 1;", "" },
    { ".reg .v2 .b64 y; .reg .v4 .f32 z;", NULL },
    { ".reg .v4 .b64 z;", "" },
    { ".reg .b128 q; mov.b128 q, {d, d}; mov.b128 {r, r, _, r}, q;", NULL },
    { ".reg .b128 q<2>; ld.b128 q0, [d]; st.global.b128 [d], q0; mov.b128 q1, q0;", NULL },
    { ".reg .b128 q; atom.global.exch.b128 q, [d], q;", "128" },
    { ".shared .b128 s[4]; .local .align 4 .b128 l; .reg .b128 q; st.local.b128 [l], q;", NULL },
    { "mov.b128 {d, d}, {d, d};", "128" },
    { "ld.global.b128 {d, d}, [d];", "128" },
    { "vadd.u32.u32.u32 r, r + 1, r;", "" },
    { ".reg .v2 .pred z;", "" },
    { "vote.ballot.sync.b32 r, p, -1;", NULL },
    { "mov.b32 r, w2; mov.b32 w0, r;", "" },
    { "mov.b32 r, w3.x;", NULL },
    { "call (r), f, (w2);", NULL },
    { "call (r), f, (r);", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int target = 90; target <= 100; target += 10)
      {
        g_autofree char *text = g_strdup_printf (
            ".version 8.8\n.target sm_%d\n.address_size 64\n"
            ".func (.reg .b32 o) f (.reg .v2 .b32 i) { add.u32 o, i.x, i.y; ret; }\n"
            ".entry k() { .local .b32 v[2]; .reg .b32 r; .reg .b64 d; .reg .pred p;"
            " .reg .v2 .b32 w<4>; .reg .f32 g; %s }",
            target, rows[i].line);
        g_autoptr (GError) error = NULL;
        g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (text, -1, "a", &error);
        gboolean is_taken =
            rows[i].reason == NULL || (target == 100 && g_str_has_prefix (rows[i].reason, "sm_"));

        g_test_message ("%s %s", rows[i].line, error != NULL ? error->message : "");
        g_assert_true ((module != NULL) == is_taken);
        if (!is_taken)
          g_assert_nonnull (strstr (error->message, rows[i].reason));
      }
}

/* As ptxas 13.0 has it, but for chips before sm_75, which it does not know, and a version too large
 * for a number. */
TEST ("/ptx-parser/since")
{
  static const struct
  {
    const char *version, *target, *line, *reason;
  } rows[] = {
    { "6.4", "sm_75", "abs.f16 h, h;", "needs .version 6.5" },
    { "6.5", "sm_75", "abs.f16 h, h;", NULL },
    { "6.5", "sm_60", "abs.f16 h, h;", NULL },
    { "7.0", "sm_75", "redux.sync.add.u32 r, r, -1;", ".target sm_80" },
    { "7.0", "sm_80", "redux.sync.add.u32 r, r, -1;", NULL },
    { "7.7", "sm_90", "mapa.shared::cluster.u32 r, r, r;", "needs .version 7.8" },
    { "7.8", "sm_89", "mapa.shared::cluster.u32 r, r, r;", ".target sm_90" },
    { "7.8", "sm_90", "mapa.shared::cluster.u32 r, r, r;", NULL },
    { "8.0", "sm_90", "setmaxnreg.inc.sync.aligned.u32 40;", ".target sm_90a" },
    { "8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", NULL },
    { "9e300", "sm_90", "add.u32 r, r, r;", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
          g_strdup_printf (".version %s\n.target %s\n.address_size 64\n.entry k() { .reg .b32 r;"
                           " .reg .b16 h; %s ret; }",
                           rows[i].version, rows[i].target, rows[i].line);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (text, -1, "a", &error);

      g_test_message ("%s %s", rows[i].line, error != NULL ? error->message : "");
      g_assert_true ((module != NULL) == (rows[i].reason == NULL));
      if (module == NULL)
        g_assert_nonnull (strstr (error->message, rows[i].reason));
    }
}

/* ---- Whole texts ---- */

static char *
read_data (const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "ptx", name, NULL);
  char *text;

  MUST (g_file_get_contents (path, &text, length, &fail));
  return text;
}

/* What NVRTC 13 makes of a kernel with every kind of function call, data and inline assembly. */
TEST ("/ptx-parser/functions-file")
{
  gsize length;
  g_autofree char *text = read_data ("functions.ptx", &length);
  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (text, (gssize) length, "functions.ptx", &fail));
  CuredPtxEntry entry;
  guint n_calls = 0;

  g_assert_cmpint (module->target, ==, 90);
  g_assert_true (cured_ptx_module_find_entry (module, "k", &entry));
  g_assert_cmpuint (entry.parameter_bytes, ==, 64);
  g_assert_cmpuint (entry.local_bytes, >=, 112);
  g_assert_cmpuint (entry.shared_bytes, ==, 4256);
  for (guint i = 0; i < module->n_code; i++)
    {
      g_assert_nonnull ((gpointer) (gsize) module->code[i].run);
      n_calls += module->code[i].call != NULL;
    }
  g_assert_cmpuint (n_calls, ==, 11);
}

/* Every beginning of a text, and the text with each byte changed, is parsed or refused, and nothing
 * worse. */
TEST ("/ptx-parser/damaged")
{
  gsize length;
  g_autofree char *text = read_data ("last-block.ptx", &length);

  for (gsize n = 0; n < length; n += 7)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (text, (gssize) n, NULL, &error);

      g_assert_true ((module == NULL) == (error != NULL));
    }
  for (gsize i = 0; i < length; i += 3)
    {
      g_autofree char *copy = g_memdup2 (text, length);

      copy[i] = "{}[]();,.%<@$9x \0"[i % 17];
      g_autoptr (CuredPtxModule) module =
          cured_ptx_module_parse (copy, (gssize) length, NULL, NULL);
    }
}

/* Nothing takes time or memory out of proportion to the text. */
TEST ("/ptx-parser/large")
{
  g_autoptr (GString) text = g_string_new (HEAD ".entry k() {\n");
  clock_t start = clock ();

  for (guint i = 0; i < 40; i++)
    g_string_append (text, "{ .reg .b32 %r<1000000000>; .reg .b64 %a1<9>;\n");
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "L%u: bra M%u; add.u32 %%r%u, %%r1, %u;\n", i, i, i, i);
  for (guint i = 0; i < 40; i++)
    g_string_append_c (text, '}');
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "M%u:", i);
  g_string_append (text, "}\n");
  g_autoptr (CuredPtxModule) module = MUST (_cured_ptx_parse (text->str, -1, NULL, NULL, &fail));
  g_assert_cmpuint (module->n_code, ==, 40001);
  g_assert_cmpfloat ((double) (clock () - start) / CLOCKS_PER_SEC, <, 20);
}

TEST ("/ptx-parser/deep")
{
  g_autoptr (GString) blocks = g_string_new (HEAD ".entry k() {\n");
  g_autoptr (GString) parentheses = g_string_new (HEAD ".entry k() { .reg .b32 r; mov.u32 r, ");
  g_autoptr (GString) signs = g_string_new (HEAD ".entry k() { .reg .b32 r; mov.u32 r, ");
  GString *texts[] = { blocks, parentheses, signs };
  const char deep[] = "{(-";

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      for (guint k = 0; k < 100000; k++)
        g_string_append_c (texts[i], deep[i]);
      FAILS (cured_ptx_module_parse (texts[i]->str, -1, NULL, &fail), CURED_ERROR,
             CURED_ERROR_INVALID, "nested");
    }
}

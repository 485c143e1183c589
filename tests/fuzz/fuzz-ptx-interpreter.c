/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever the parser takes can be run. An input that begins with a dot is PTX; any
 * other is a list of choices from which a kernel is written, so that most of it means something. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/cured-ptx-internal.h"
#include "ptx/parse/cured-ptx-parse.h"

#define THREADS          64
#define BUFFER_BYTES     4096
#define DYNAMIC_BYTES    1024
#define MAX_INSTRUCTIONS 3000
#define MAX_LINES        60
#define TIME_LIMIT_MS    2000

/* ---- Running ---- */

static void
trace_cb (const CuredTraced *access, gpointer user_data)
{
  guint *n = user_data;

  *n += access->mask != 0;
}

static void
launch (CuredPtxModule *module, const CuredPtxEntry *entry, guint seed)
{
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  g_auto (CuredReport) report = { 0 };
  guint n_traced = 0;
  guint64 address;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = entry->name,
    .grid = { 1, 1, 1 },
    .block = { THREADS, 1, 1 },
    .shared_bytes = DYNAMIC_BYTES,
    .parameters_bytes = entry->parameter_bytes,
    .watch = CURED_WATCH_COUNTS | CURED_WATCH_RACES | CURED_WATCH_UNDEFINED,
    .bank_arch = CURED_BANK_ARCH_5,
    .threads = 1,
    .seed = seed,
    .max_instructions = MAX_INSTRUCTIONS,
    .time_limit_ms = TIME_LIMIT_MS,
    .trace = trace_cb,
    .trace_data = &n_traced,
  };

  if (!cured_memory_allocate (memory, BUFFER_BYTES, &address, NULL) ||
      !cured_ptx_module_link (module, memory, NULL))
    return;
  cured_memory_label (memory, address, BUFFER_BYTES, "buffer", 4, seed % 2);
  /* Each parameter may be a pointer. */
  g_autofree guint64 *parameters = g_new (guint64, entry->parameter_bytes / 8 + 1);
  for (gsize i = 0; i <= entry->parameter_bytes / 8; i++)
    parameters[i] = address;
  launch.parameters = parameters;
  cured_emulator_launch (&launch, &report, NULL, NULL);
}

/* ---- Writing a kernel ---- */

typedef struct
{
  const uint8_t *at, *end;
} Choices;

static guint
choose (Choices *self, guint n)
{
  guint value = 0;

  if (self->at < self->end)
    value = *self->at++;
  if (n > 256 && self->at < self->end)
    value = value << 8 | *self->at++;
  return n == 0 ? 0 : value % n;
}

/* A number of which more happens than of others. */
static void
add_number (GString *text, Choices *choices)
{
  static const char *const numbers[] = {
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "33",
    "63",
    "64",
    "0x7fffffff",
    "0x80000000",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xff",
    "-128",
    "0x55555555",
  };

  g_string_append (text, numbers[choose (choices, G_N_ELEMENTS (numbers))]);
}

static void
add_register (GString *text, Choices *choices, guint bytes, gboolean is_float)
{
  static const char *const names[] = { "%p", "%h", "%h", "", "%r", "", "", "", "%d" };

  g_string_append_printf (text, "%s%u", is_float ? (bytes == 8 ? "%fd" : "%f") : names[bytes],
                          choose (choices, 6));
}

static void
add_source (GString *text, Choices *choices, guint bytes, gboolean is_float, gboolean is_register)
{
  if (!is_register && bytes > 0 && !is_float && choose (choices, 4) == 0)
    add_number (text, choices);
  else if (!is_register && is_float && bytes >= 4 && choose (choices, 4) == 0)
    {
      static const char *const floats[] = {
        "0f00000000", "0f80000000", "0f7F800000", "0fFF800000", "0f7FC00000",
        "0f00000001", "0f4F000000", "0fCF000000", "0f5F000000", "0f3F800000",
      };

      g_string_append (text, floats[choose (choices, G_N_ELEMENTS (floats))]);
    }
  else
    add_register (text, choices, bytes, is_float && choose (choices, 2) == 0);
}

static void
add_address (GString *text, Choices *choices)
{
  static const char *const bases[] = { "%b0", "%b1", "%b2", "%s0", "%s1", "%d0", "%r0",
                                       "sv",  "lv",  "gv",  "cv",  "dyn", "p0" };

  g_string_append_printf (text, "[%s+%d]", bases[choose (choices, G_N_ELEMENTS (bases))],
                          (int) choose (choices, 64) * 4 - 16);
}

static void
add_braces (GString *text, Choices *choices, guint n, guint bytes, gboolean is_float)
{
  g_string_append_c (text, '{');
  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      add_register (text, choices, bytes, is_float);
    }
  g_string_append_c (text, '}');
}

/* Words of groups that the row may have, some of them. */
static guint
add_words (GString *text, Choices *choices, const CuredPtxOpInfo *info)
{
  static const struct
  {
    const char *word;
    guint8 group;
  } words[] = {
#define WORD(word, group, value)  { word, CURED_PTX_GROUP_##group },
#define ALIAS(word, group, value) WORD (word, group, value)
#include "ptx/cured-ptx-words.def"
  };
  guint n_vector = 1;

  for (guint group = 0; group < CURED_PTX_N_GROUPS; group++)
    {
      guint n = 0, which;

      if (!(info->modifiers >> group & 1) || choose (choices, 2) == 0)
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (words); i++)
        n += words[i].group == group;
      which = choose (choices, n);
      for (guint i = 0; i < G_N_ELEMENTS (words); i++)
        if (words[i].group == group && which-- == 0)
          {
            g_string_append_printf (text, ".%s", words[i].word);
            if (group == CURED_PTX_GROUP_VECTOR)
              n_vector = (guint) (words[i].word[1] - '0');
          }
    }
  return n_vector;
}

static void
add_operand (GString *text, Choices *choices, char letter, const CuredPtxTypeInfo *first,
             const CuredPtxTypeInfo *last, guint n_vector)
{
  gboolean is_float = first->kind == CURED_PTX_KIND_F && first->bytes >= 4;

  switch (letter)
    {
    case 'D':
    case 'E': add_register (text, choices, first->bytes, is_float); break;
    case 'W': add_register (text, choices, MIN (first->bytes * 2u, 8), FALSE); break;
    case 'N': add_register (text, choices, 4, FALSE); break;
    case 'H': add_register (text, choices, 8, FALSE); break;
    case 'P': add_register (text, choices, 0, FALSE); break;
    case 'S':
    case 'A': add_source (text, choices, first->bytes, is_float, FALSE); break;
    case 'T':
      add_source (text, choices, last->bytes, last->kind == CURED_PTX_KIND_F && last->bytes >= 4,
                  FALSE);
      break;
    case 'X': add_source (text, choices, MIN (first->bytes * 2u, 8), FALSE, FALSE); break;
    case 'r': add_register (text, choices, 4, FALSE); break;
    case 'f':
    case 'i':
    case 'h':
    case 'U': add_source (text, choices, 4, FALSE, FALSE); break;
    case 'J': add_source (text, choices, 8, FALSE, FALSE); break;
    case 'Q':
      if (choose (choices, 3) == 0)
        g_string_append_c (text, '!');
      add_register (text, choices, 0, FALSE);
      break;
    case 'V':
    case 'Y':
      if (n_vector > 1 || choose (choices, 8) == 0)
        add_braces (text, choices, MAX (n_vector, 2), first->bytes, is_float);
      else
        add_source (text, choices, first->bytes, is_float, letter == 'V');
      break;
    case 'g':
    case 'G':
      {
        gboolean is_wide = choose (choices, 8) == 0;

        add_braces (text, choices, 1u << choose (choices, 4), is_wide ? 8 : 4,
                    choose (choices, 2) == 0);
        break;
      }
    case 'M': add_address (text, choices); break;
    case 'I': add_number (text, choices); break;
    case 'L': g_string_append_printf (text, "L%u", choose (choices, MAX_LINES)); break;
    case 'K': g_string_append (text, "table"); break;
    case 'F':
      g_string_append_printf (text, "(%%r%u), f%u, (%%r%u, %%d%u)", choose (choices, 6),
                              choose (choices, 2), choose (choices, 6), choose (choices, 6));
      break;
    default: break;
    }
}

static char *
write_line (Choices *choices)
{
  GString *text = g_string_new (NULL);
  const CuredPtxOpInfo *info = &_cured_ptx_ops[choose (choices, CURED_PTX_N_OPS)];
  const CuredPtxTypeInfo *first = &_cured_ptx_types[0];
  const CuredPtxTypeInfo *last = first;
  guint n_vector, n = 0;

  if (choose (choices, 4) == 0)
    g_string_append_printf (text, "@%s%%p%u ", choose (choices, 2) ? "!" : "", choose (choices, 6));
  g_string_append (text, info->mnemonic);
  n_vector = add_words (text, choices, info);
  if (info->types != 0)
    {
      guint type = choose (choices, CURED_PTX_N_TYPES);

      while (type == 0 || !(info->types >> type & 1))
        type = (type + 1) % CURED_PTX_N_TYPES;
      first = last = &_cured_ptx_types[type];
      g_string_append_printf (text, ".%s", first->word);
      if (choose (choices, 2) == 0)
        {
          guint more = choose (choices, 3) == 0 ? 3 : 1;

          for (guint i = 0; i < more; i++)
            {
              last = &_cured_ptx_types[1 + choose (choices, CURED_PTX_N_TYPES - 1)];
              g_string_append_printf (text, ".%s", last->word);
            }
        }
    }
  for (const char *c = info->operands; *c != '\0'; c++)
    {
      if (*c == '?')
        continue;
      if (*c == 'O')
        {
          if (choose (choices, 2) == 0)
            g_string_append_printf (text, "|%%p%u", choose (choices, 6));
          continue;
        }
      if (c[1] == '?' && choose (choices, 2) == 0)
        continue;
      g_string_append (text, n++ > 0 ? ", " : " ");
      add_operand (text, choices, *c, first, last, n_vector);
    }
  g_string_append (text, ";\n");
  return g_string_free (text, FALSE);
}

static const char head[] =
    ".version 8.0 .target sm_90 .address_size 64 .global .align 16 .b8 gv[256]; .const .align 16 "
    ".b8 cv[256] = {1,2,3}; .shared .align 16 .b8 sv[512]; .extern .shared .align 16 .b8 dyn[]; "
    ".func (.reg .b32 x) f0 (.reg .b32 y, .reg .b64 z) { add.u32 x, y, 1; ret; } .func (.param "
    ".b32 x) f1 (.param .b32 y, .param .b64 z) { .reg .b32 %r; .reg .pred %p; .reg .b64 %z; "
    "ld.param.b32 %r, [y]; ld.param.b64 %z, [z]; setp.eq.u32 %p, %r, 0; @%p ret; call (%r), f1, "
    "(%r, %z); st.param.b32 [x], %r; ret; } .visible .entry k (.param .u64 p0) { .reg .pred %p<6>; "
    ".reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .f32 %f<6>; .reg .f64 %fd<6>; .reg "
    ".b64 %b<3>; .reg .b32 %s<2>; .local .align 16 .b8 lv[128]; mov.u32 %r0, %tid.x; mov.u32 %r1, "
    "%laneid; mov.u32 %r2, -1; ld.param.u64 %b0, [p0]; mad.wide.u32 %b1, %r0, 16, %b0; mov.u64 "
    "%d0, sv; cvta.shared.u64 %b2, %d0; mov.u32 %s0, sv; mad.lo.u32 %s1, %r1, 4, %s0; cvt.u64.u32 "
    "%d1, %r0; cvt.rn.f32.u32 %f0, %r0; cvt.f64.f32 %fd0, %f0; cvt.u16.u32 %h0, %r0; setp.lt.u32 "
    "%p0, %r1, 16; setp.lt.u32 %p1, %r1, 1; mov.f32 %f1, 0f7FC00000; mov.f32 %f2, 0fFF800000; "
    "mov.f32 %f3, 0f5F000000; mov.b32 %r3, 0x80000000; mov.u64 %d2, -1; mov.b16 %h1, -1;\n";

/* Head, the lines that are left, each with a label, and the end. */
static char *
join_lines (char **lines, guint n)
{
  GString *text = g_string_new (head);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "L%u: %s", i, lines[i] != NULL ? lines[i] : "\n");
  for (guint i = n; i < MAX_LINES; i++)
    g_string_append_printf (text, "L%u: ", i);
  g_string_append (text, "table: .branchtargets L0, L3, L9; ret; }\n");
  return g_string_free (text, FALSE);
}

/* The kernel without the lines that the parser refuses. */
static CuredPtxModule *
write_kernel (Choices *choices)
{
  char *lines[MAX_LINES] = { NULL };
  guint n = 0;
  CuredPtxModule *module = NULL;

  while (n < MAX_LINES && choices->at < choices->end)
    lines[n++] = write_line (choices);
  for (guint turn = 0; turn <= n && module == NULL; turn++)
    {
      g_autofree char *text = join_lines (lines, n);
      g_autoptr (GError) error = NULL;

      module = cured_ptx_module_parse (text, -1, "a", &error);
      if (module != NULL)
        break;
      guint line = (guint) strtoul (error->message + strlen ("a:"), NULL, 10);
      /* The head is right. */
      g_assert_cmpuint (line, >=, 2);
      g_assert_cmpuint (line, <, n + 2);
      g_clear_pointer (&lines[line - 2], g_free);
    }
  for (guint i = 0; i < n; i++)
    g_free (lines[i]);
  return module;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (CuredPtxModule) module = NULL;
  Choices choices = { data, data + size };
  CuredPtxEntry entry;

  if (size == 0)
    return 0;
  guint seed = data[size - 1];
  if (data[0] == '.')
    module = cured_ptx_module_parse ((const char *) data, (gssize) size, "a", NULL);
  else
    module = write_kernel (&choices);
  if (module == NULL)
    return 0;
  for (guint i = 0; i < module->n_functions; i++)
    if (cured_ptx_module_find_entry (module, module->functions[i].name, &entry))
      {
        launch (module, &entry, seed);
        break;
      }
  return 0;
}

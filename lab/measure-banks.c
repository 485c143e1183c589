/* SPDX-License-Identifier: MIT
 * Makes single shared-memory accesses of one warp, for a profiler to count.
 *
 * usage: measure-banks PATTERNS
 *        measure-banks --cycles CYCLES.tsv PATTERNS
 *        measure-banks --compile-only FOLDER [ARCH]
 *        measure-banks --list
 *
 * PATTERNS has a line for each launch: the access, the active mask in hex and 32 byte addresses
 * with commas between them, with tabs between the three. Launches come in the order of the lines,
 * and each makes one access; lab/measure-banks reads the counters. With --cycles, each line is
 * launched with few accesses and with many, over and over, and CYCLES.tsv gets the lines with the
 * clock's difference for CYCLES_ACCESSES of them. Accesses whose name begins with "remote." are
 * made by one block of a cluster to the other one's shared memory, those with "self." to its own by
 * an address of the cluster. --compile-only needs no GPU and writes a cubin for each access. --list
 * names the accesses. */
#include <cured.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cured-limits-internal.h"
#include "device/cured-device-internal.h"

#define SHARED_BYTES 32768
#define IN_WORDS     2048
#define MASK_WORD    32
#define TIMES_WORD   33
#define CYCLES_WORD  32
#define SOURCE_WORD  64

/* --cycles: accesses of the two launches, and how often they are repeated. */
#define CYCLES_FEW      64
#define CYCLES_ACCESSES 256
#define CYCLES_REPEATS  3

/* Every access has the same operands: %0 to %3 are 32-bit results (or stored values), %4 is a
 * 64-bit one, %5 a float, %6 a double; %7 is the address, %8 whether the lane takes part, %9 a
 * global address; %10 and %11 are 32-bit values, %12 and %13 64-bit ones; %14 is the address of a
 * barrier beside
 * the target. */
typedef struct
{
  const char *name;
  const char *text;
  int source_stride; /* bytes between two lanes' global addresses */
  int sent_bytes;    /* bytes that each lane announces to the barrier */
} Access;

#define COLLECTIVE(text) text
#define PREDICATED(text) "{ .reg .pred p; setp.ne.u32 p, %8, 0; @p " text " }"
#define WAITED(text)     PREDICATED (text) " cp.async.wait_all;"

/* cp.async of @size bytes to each lane, of which it reads @least, or @more more where it takes
 * part; from neighbouring addresses, and from a cache line each. */
#define SHORT_COPY_FROM(op, size, name, more, least, suffix, stride)                               \
  {                                                                                                \
    "cp.async." op "." #size "." name suffix,                                                      \
        "{ .reg .u32 s; mad.lo.u32 s, %8, " #more ", " #least "; cp.async." op                     \
        ".shared.global [%7], [%9], " #size ", s; } cp.async.wait_all;",                           \
        stride, 0                                                                                  \
  }
#define SHORT_COPY(op, size, name, more, least)                                                    \
  SHORT_COPY_FROM (op, size, name, more, least, "", size),                                         \
      SHORT_COPY_FROM (op, size, name, more, least, ".apart", 128)

static const Access accesses[] = {
  { "ld.b8", PREDICATED ("ld.shared.u8 %0, [%7];"), 4, 0 },
  { "ld.b16", PREDICATED ("ld.shared.u16 %0, [%7];"), 4, 0 },
  { "ld.b32", PREDICATED ("ld.volatile.shared.u32 %0, [%7];"), 4, 0 },
  { "ld.b64", PREDICATED ("ld.volatile.shared.u64 %4, [%7];"), 4, 0 },
  { "ld.b128", PREDICATED ("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%7];"), 4, 0 },
  { "st.b8", PREDICATED ("st.shared.u8 [%7], %10;"), 4, 0 },
  { "st.b16", PREDICATED ("st.shared.u16 [%7], %10;"), 4, 0 },
  { "st.b32", PREDICATED ("st.shared.u32 [%7], %10;"), 4, 0 },
  { "st.b64", PREDICATED ("st.shared.u64 [%7], %12;"), 4, 0 },
  { "st.b128", PREDICATED ("st.shared.v4.u32 [%7], {%0, %1, %2, %3};"), 4, 0 },
  { "red.u32", PREDICATED ("red.shared.add.u32 [%7], %10;"), 4, 0 },
  { "ldmatrix.x1", COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%7];"), 4, 0 },
  { "ldmatrix.x2", COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%7];"), 4, 0 },
  { "ldmatrix.x4", COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%7];"),
    4, 0 },
  { "stmatrix.x1", COLLECTIVE ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%7], {%0};"), 4, 0 },
  { "stmatrix.x2", COLLECTIVE ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%7], {%0, %1};"), 4, 0 },
  { "stmatrix.x4", COLLECTIVE ("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%7], {%0, %1, %2, %3};"),
    4, 0 },
  { "stmatrix.x4.trans",
    COLLECTIVE ("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%7], {%0, %1, %2, %3};"), 4, 0 },
  { "cp.async.ca.4", WAITED ("cp.async.ca.shared.global [%7], [%9], 4;"), 4, 0 },
  { "cp.async.ca.8", WAITED ("cp.async.ca.shared.global [%7], [%9], 8;"), 8, 0 },
  { "cp.async.ca.16", WAITED ("cp.async.ca.shared.global [%7], [%9], 16;"), 16, 0 },
  { "cp.async.cg.16", WAITED ("cp.async.cg.shared.global [%7], [%9], 16;"), 16, 0 },
  /* The same from a cache line each. */
  { "cp.async.ca.4.apart", WAITED ("cp.async.ca.shared.global [%7], [%9], 4;"), 128, 0 },
  { "cp.async.cg.16.apart", WAITED ("cp.async.cg.shared.global [%7], [%9], 16;"), 128, 0 },
  /* All lanes take part; those that the mask leaves out read nothing, or half of what they write:
   * zeros are the rest. */
  SHORT_COPY ("ca", 4, "zero", 4, 0),
  SHORT_COPY ("ca", 4, "half", 2, 2),
  SHORT_COPY ("ca", 8, "zero", 8, 0),
  SHORT_COPY ("ca", 8, "half", 4, 4),
  SHORT_COPY ("ca", 16, "zero", 16, 0),
  SHORT_COPY ("ca", 16, "half", 8, 8),
  SHORT_COPY ("cg", 16, "zero", 16, 0),
  SHORT_COPY ("cg", 16, "half", 8, 8),
  /* The compiler uses a special instruction for adding a constant 1. */
  { "red.inc.u32", PREDICATED ("red.shared.add.u32 [%7], 1;"), 4, 0 },
  { "atom.add.u32", PREDICATED ("atom.shared.add.u32 %0, [%7], %10;"), 4, 0 },
  { "atom.exch.b32", PREDICATED ("atom.shared.exch.b32 %0, [%7], %10;"), 4, 0 },
  { "atom.cas.b32", PREDICATED ("atom.shared.cas.b32 %0, [%7], %10, %11;"), 4, 0 },
  { "atom.min.s32", PREDICATED ("atom.shared.min.s32 %0, [%7], %10;"), 4, 0 },
  { "red.add.u64", PREDICATED ("red.shared.add.u64 [%7], %12;"), 4, 0 },
  { "red.and.b64", PREDICATED ("red.shared.and.b64 [%7], %12;"), 4, 0 },
  { "atom.add.u64", PREDICATED ("atom.shared.add.u64 %4, [%7], %12;"), 4, 0 },
  { "atom.exch.b64", PREDICATED ("atom.shared.exch.b64 %4, [%7], %12;"), 4, 0 },
  { "atom.cas.b64", PREDICATED ("atom.shared.cas.b64 %4, [%7], %12, %13;"), 4, 0 },
  { "red.add.f32", PREDICATED ("red.shared.add.f32 [%7], %5;"), 4, 0 },
  { "atom.add.f32", PREDICATED ("atom.shared.add.f32 %5, [%7], %5;"), 4, 0 },
  { "red.add.f64", PREDICATED ("red.shared.add.f64 [%7], %6;"), 4, 0 },
  { "atom.add.f64", PREDICATED ("atom.shared.add.f64 %6, [%7], %6;"), 4, 0 },
  { "remote.ld.b32", PREDICATED ("ld.volatile.shared::cluster.u32 %0, [%7];"), 4, 0 },
  { "self.ld.b32", PREDICATED ("ld.volatile.shared::cluster.u32 %0, [%7];"), 4, 0 },
  { "remote.ld.b64", PREDICATED ("ld.volatile.shared::cluster.u64 %4, [%7];"), 4, 0 },
  { "self.ld.b64", PREDICATED ("ld.volatile.shared::cluster.u64 %4, [%7];"), 4, 0 },
  { "remote.ld.b128", PREDICATED ("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%7];"), 4,
    0 },
  { "self.ld.b128", PREDICATED ("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%7];"), 4,
    0 },
  { "remote.st.b32", PREDICATED ("st.shared::cluster.u32 [%7], %10;"), 4, 0 },
  { "self.st.b32", PREDICATED ("st.shared::cluster.u32 [%7], %10;"), 4, 0 },
  { "remote.st.b64", PREDICATED ("st.shared::cluster.u64 [%7], %12;"), 4, 0 },
  { "self.st.b64", PREDICATED ("st.shared::cluster.u64 [%7], %12;"), 4, 0 },
  { "remote.st.b128", PREDICATED ("st.shared::cluster.v4.u32 [%7], {%0, %1, %2, %3};"), 4, 0 },
  { "self.st.b128", PREDICATED ("st.shared::cluster.v4.u32 [%7], {%0, %1, %2, %3};"), 4, 0 },
  { "remote.red.u32", PREDICATED ("red.shared::cluster.add.u32 [%7], %10;"), 4, 0 },
  { "self.red.u32", PREDICATED ("red.shared::cluster.add.u32 [%7], %10;"), 4, 0 },
  { "remote.atom.add.u32", PREDICATED ("atom.shared::cluster.add.u32 %0, [%7], %10;"), 4, 0 },
  { "self.atom.add.u32", PREDICATED ("atom.shared::cluster.add.u32 %0, [%7], %10;"), 4, 0 },
  { "remote.atom.cas.b32", PREDICATED ("atom.shared::cluster.cas.b32 %0, [%7], %10, %11;"), 4, 0 },
  { "self.atom.cas.b32", PREDICATED ("atom.shared::cluster.cas.b32 %0, [%7], %10, %11;"), 4, 0 },
  { "remote.st_async.b32",
    PREDICATED ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%7], %10, [%14];"), 4,
    4 },
  { "remote.st_async.b64",
    PREDICATED ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%7], %12, [%14];"), 4,
    8 },
  { "remote.st_async.b128",
    PREDICATED ("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%7], {%0, %1, %2, "
                "%3}, [%14];"),
    4, 16 },
  { "remote.red_async.u32",
    PREDICATED ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%7], %10, [%14];"),
    4, 4 },
};

/* Shared memory is not initialized: its contents do not matter, and clearing it would be a second
 * access. */
static const char source_format[] =
    "/*! cured\n"
    " * [Kernel]\n"
    " * Title=One access\n"
    " * [Parameter n]\n"
    " * Kind=problem\n"
    " * Default=%d\n"
    " * [Buffer in]\n"
    " * Type=u32\n"
    " * Length=n\n"
    " * Fill=ramp\n"
    " * [Buffer out]\n"
    " * Type=u32\n"
    " * Length=n\n"
    " * Fill=poison\n"
    " * [Launch]\n"
    " * Entry=%s\n"
    " * Grid=%d\n"
    " * Block=32\n"
    "%s * Arguments=in,out\n"
    " */\n"
    "extern \"C\" __global__ void\n"
    "%s (const unsigned *in, unsigned *out)\n"
    "{\n"
    "  __shared__ __align__ (1024) unsigned char shared[%d];\n"
    "  __shared__ __align__ (8) unsigned long long done;\n"
    "  unsigned lane = threadIdx.x;\n"
    "  unsigned address = (unsigned) __cvta_generic_to_shared (shared) +\n"
    "                     in[lane];\n"
    "  unsigned active = in[%d] >> lane & 1;\n"
    "  unsigned times = in[%d], lanes = __popc (in[%d]);\n"
    "  const unsigned *values = in + %d;\n"
    "  const char *source = (const char *) values + %d * lane;\n"
    "  unsigned a = values[lane], b = values[lane + 32];\n"
    "  unsigned long long c = (unsigned long long) a << 32 | b, d = c + a;\n"
    "  unsigned r0 = a, r1 = b, r2 = a + b, r3 = a ^ b;\n"
    "  unsigned long long q = d;\n"
    "  float f = (float) (lane + 1);\n"
    "  double g = (double) (lane + 1);\n"
    "  unsigned barrier = (unsigned) __cvta_generic_to_shared (&done);\n"
    "  long long start, end;\n"
    "\n"
    "%s  start = clock64 ();\n"
    "#pragma unroll 1\n"
    "  for (unsigned n = 0; n < times; n++)\n"
    "  asm volatile (\"%s\"\n"
    "                : \"+r\"(r0), \"+r\"(r1), \"+r\"(r2), \"+r\"(r3),\n"
    "                  \"+l\"(q), \"+f\"(f), \"+d\"(g)\n"
    "                : \"r\"(address), \"r\"(active), \"l\"(source),\n"
    "                  \"r\"(a), \"r\"(b), \"l\"(c), \"l\"(d),\n"
    "                  \"r\"(barrier)\n"
    "                : \"memory\");\n"
    "%s  out[lane] = r0 + r1 * 3 + r2 * 5 + r3 * 7 + (unsigned) q +\n"
    "              (unsigned) (q >> 32) + __float_as_uint (f) +\n"
    "              (unsigned) __double_as_longlong (g);\n"
    "  end = clock64 ();\n"
    "  if (blockIdx.x == 0)\n"
    "    out[%d + lane] = (unsigned) (end - start);\n"
    "}\n";

/* For a cluster: the first block does the access. The second one waits for the data sent to
 * it, and each for the other. */
static const char before_cluster[] =
    "  const unsigned sent = %d;\n"
    "  unsigned own = barrier, is_told = sent != 0 && blockIdx.x == 1;\n"
    "  active &= blockIdx.x == 0;\n"
    "  if (is_told && lane == 0)\n"
    "    {\n"
    "      asm volatile (\"mbarrier.init.shared.b64 [%%0], 1;\" :: \"r\"(own) : \"memory\");\n"
    "      asm volatile (\"mbarrier.arrive.expect_tx.shared.b64 _, [%%0], %%1;\" :: \"r\"(own), "
    "\"r\"(sent * times * lanes) : \"memory\");\n"
    "    }\n"
    "  asm volatile (\"mapa.shared::cluster.u32 %%0, %%0, %d;\" : \"+r\"(address));\n"
    "  asm volatile (\"mapa.shared::cluster.u32 %%0, %%0, %d;\" : \"+r\"(barrier));\n"
    "  asm volatile (\"barrier.cluster.arrive; barrier.cluster.wait;\" ::: \"memory\");\n";

static const char after_cluster[] =
    "  if (is_told && lane == 0)\n"
    "    asm volatile (\"{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p "
    "bra W; }\" :: \"r\"(own) : \"memory\");\n"
    "  asm volatile (\"barrier.cluster.arrive; barrier.cluster.wait;\" ::: \"memory\");\n";

typedef struct
{
  CuredKernel *kernel;
  CuredProgram *program;
  CuredModule *module;
} Variant;

static char *
get_entry (const Access *access)
{
  return g_strdelimit (g_strconcat ("bank_", access->name, NULL), ".", '_');
}

static char *
get_source (const Access *access)
{
  g_autofree char *entry = get_entry (access);
  gboolean is_remote = g_str_has_prefix (access->name, "remote.");
  gboolean is_cluster = is_remote || g_str_has_prefix (access->name, "self.");
  g_autofree char *before =
      is_cluster ? g_strdup_printf (before_cluster, access->sent_bytes, is_remote, is_remote)
                 : g_strdup ("");

  return g_strdup_printf (source_format, IN_WORDS, entry, is_cluster ? 2 : 1,
                          is_cluster ? " * Cluster=2\n" : "", entry, SHARED_BYTES, MASK_WORD,
                          TIMES_WORD, MASK_WORD, SOURCE_WORD, access->source_stride, before,
                          access->text, is_cluster ? after_cluster : "", CYCLES_WORD);
}

static int
find_access (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
    if (g_str_equal (accesses[i].name, name))
      return (int) i;
  return -1;
}

static gboolean
compile_all (const char *folder, const char *arch, GError **error)
{
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (error);
  const CuredLimitInfo *infos;
  CuredLimits limits = { 0 };
  gsize n_limits;

  if (compiler == NULL)
    return FALSE;
  /* Without a device: only the kernels' syntax is checked. */
  infos = cured_limits_list (&n_limits);
  for (gsize i = 0; i < n_limits; i++)
    cured_limits_set (&limits, infos[i].name, 1 << 30);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_STORAGE, "%s: %s", folder, g_strerror (errno));
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
    {
      g_autofree char *source = get_source (&accesses[i]);
      g_autofree char *name = g_strconcat (accesses[i].name, ".cubin", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (CuredKernel) kernel =
          cured_kernel_new_from_text (source, "bank", "bank.cu", error);
      g_autoptr (CuredProgram) program = NULL;
      g_autoptr (GBytes) image = NULL;
      gint64 values[] = { IN_WORDS };

      if (kernel == NULL)
        return FALSE;
      program = cured_program_new (kernel, values, &limits, error);
      if (program == NULL)
        return FALSE;
      image = cured_compiler_compile (compiler, source, accesses[i].name, NULL, arch, NULL, error);
      if (image == NULL || !g_file_set_contents (path, g_bytes_get_data (image, NULL),
                                                 (gssize) g_bytes_get_size (image), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
prepare (CuredDevice *device, CuredCompiler *compiler, const Access *access, Variant *variant,
         GError **error)
{
  g_autofree char *source = get_source (access);
  g_autoptr (GBytes) image = NULL;
  gint64 values[] = { IN_WORDS };

  variant->kernel = cured_kernel_new_from_text (source, "bank", "bank.cu", error);
  if (variant->kernel == NULL)
    return FALSE;
  variant->program = cured_program_new (variant->kernel, values, &device->info.limits, error);
  if (variant->program == NULL)
    return FALSE;
  image =
      cured_compiler_compile (compiler, source, access->name, NULL, device->info.arch, NULL, error);
  if (image == NULL)
    return FALSE;
  variant->module = device->klass->launch->load (device, image, error);
  return variant->module != NULL;
}

/* Reads one line into @words; returns the number of its access, or -1. */
static int
parse_pattern (const char *line, guint32 *words, GError **error)
{
  g_auto (GStrv) fields = g_strsplit (line, "\t", -1);
  g_auto (GStrv) addresses = NULL;
  guint64 value;
  int access;

  if (g_strv_length (fields) < 3 || (access = find_access (fields[0])) < 0 ||
      !g_ascii_string_to_unsigned (fields[1], 16, 0, G_MAXUINT32, &value, NULL))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX,
                   "\"%s\": expected access, mask and addresses", line);
      return -1;
    }
  words[MASK_WORD] = (guint32) value;
  addresses = g_strsplit (fields[2], ",", -1);
  for (gsize i = 0; i < 32; i++)
    if (i >= g_strv_length (addresses) ||
        !g_ascii_string_to_unsigned (addresses[i], 10, 0, SHARED_BYTES - 1, &value, error))
      {
        if (error != NULL && *error == NULL)
          g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX, "\"%s\": fewer than 32 addresses",
                       line);
        return -1;
      }
    else
      words[i] = (guint32) value;
  return access;
}

/* Launches one pattern with @times accesses; @cycles: (optional): clock difference in lane 0,
 * the minimum of all repeats. */
static gboolean
launch (CuredDevice *device, const Variant *variant, const CuredDevicePtr *bindings, guint32 *words,
        guint32 times, guint32 *cycles, GError **error)
{
  const CuredLaunchClass *klass = device->klass->launch;
  guint32 outputs[CYCLES_WORD + 1];

  words[TIMES_WORD] = times;
  if (!klass->upload (device, bindings[0], words, IN_WORDS * sizeof *words, error))
    return FALSE;
  for (int i = 0; i < (cycles != NULL ? CYCLES_REPEATS : 1); i++)
    {
      if (!klass->run (device, variant->module, variant->program, bindings, error))
        return FALSE;
      if (cycles == NULL)
        continue;
      if (!klass->download (device, outputs, bindings[1], sizeof outputs, error))
        return FALSE;
      *cycles = i == 0 ? outputs[CYCLES_WORD] : MIN (*cycles, outputs[CYCLES_WORD]);
    }
  return TRUE;
}

/* @cycles_path: (nullable): path of the file for the clock's differences */
static gboolean
launch_all (const char *path, const char *cycles_path, GError **error)
{
  g_autoptr (GString) table = g_string_new ("# access\tactive mask\taddresses\tcycles\n");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (CuredDevice) device = NULL;
  g_autoptr (CuredCompiler) compiler = NULL;
  Variant variants[G_N_ELEMENTS (accesses)] = { 0 };
  CuredDevicePtr bindings[2];
  guint32 words[IN_WORDS];
  guint n_launches = 0;
  gboolean ok = TRUE;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  device = cured_device_open ("cuda:0", error);
  if (device == NULL)
    return FALSE;
  compiler = cured_compiler_new (error);
  if (compiler == NULL)
    return FALSE;
  g_print ("device: %s (%s), driver %s, %s\n", device->info.name, device->info.arch,
           device->info.driver, device->info.compiler);
  for (gsize i = 0; i < IN_WORDS; i++)
    words[i] = (guint32) i * 2654435761U;
  for (gsize i = 0; i < G_N_ELEMENTS (bindings); i++)
    if (!device->klass->launch->allocate (device, sizeof words, &bindings[i], error))
      return FALSE;

  for (gsize i = 0; ok && lines[i] != NULL; i++)
    {
      guint32 few = 0, many = 0;
      int access;

      if (*lines[i] == '\0' || *lines[i] == '#')
        continue;
      access = parse_pattern (lines[i], words, error);
      ok = access >= 0 &&
           (variants[access].module != NULL ||
            prepare (device, compiler, &accesses[access], &variants[access], error)) &&
           launch (device, &variants[access], bindings, words, cycles_path != NULL ? CYCLES_FEW : 1,
                   cycles_path != NULL ? &few : NULL, error) &&
           (cycles_path == NULL || launch (device, &variants[access], bindings, words,
                                           CYCLES_FEW + CYCLES_ACCESSES, &many, error));
      if (ok && cycles_path != NULL)
        g_string_append_printf (table, "%s\t%u\n", lines[i], many - few);
      if (ok)
        n_launches++;
      else
        g_prefix_error (error, "%s: line %" G_GSIZE_FORMAT ": ", path, i + 1);
    }
  g_print ("launches: %u\n", n_launches);

  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      /* A failed launch may have destroyed the device's context. */
      if (ok && variants[i].module != NULL)
        device->klass->launch->unload (device, variants[i].module);
      g_clear_pointer (&variants[i].program, cured_program_free);
      g_clear_pointer (&variants[i].kernel, cured_kernel_unref);
    }
  for (gsize i = 0; ok && i < G_N_ELEMENTS (bindings); i++)
    device->klass->launch->release (device, bindings[i]);
  return ok && (cycles_path == NULL ||
                g_file_set_contents (cycles_path, table->str, (gssize) table->len, error));
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (argc == 2 && g_str_equal (argv[1], "--list"))
    {
      for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
        g_print ("%s\n", accesses[i].name);
      return 0;
    }
  if ((argc == 3 || argc == 4) && g_str_equal (argv[1], "--compile-only"))
    compile_all (argv[2], argc == 4 ? argv[3] : "sm_90", &error);
  else if (argc == 2 && *argv[1] != '-')
    launch_all (argv[1], NULL, &error);
  else if (argc == 4 && g_str_equal (argv[1], "--cycles"))
    launch_all (argv[3], argv[2], &error);
  else
    {
      g_printerr ("usage: %s PATTERNS\n"
                  "       %s --cycles CYCLES.tsv PATTERNS\n"
                  "       %s --compile-only FOLDER [ARCH]\n"
                  "       %s --list\n",
                  argv[0], argv[0], argv[0], argv[0]);
      return 2;
    }
  if (error != NULL)
    {
      g_printerr ("%s\n", error->message);
      return g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_DEVICE) ||
                     g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER)
                 ? 77
                 : 1;
    }
  return 0;
}

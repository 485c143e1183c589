/* SPDX-License-Identifier: MIT
 * Makes single shared-memory accesses of one warp, for a profiler to count.
 *
 * usage: measure-banks PATTERNS
 *        measure-banks --compile-only FOLDER [ARCH]
 *        measure-banks --list
 *
 * PATTERNS has a line for each launch: the access, the active mask in hex and
 * 32 byte addresses with commas between them, with tabs between the three.
 * Launches come in the order of the lines, and each makes one access;
 * dev/measure-banks reads the counters. --compile-only needs no GPU and writes
 * a cubin for each access. --list names the accesses. */
#include <cured.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cured-limits-internal.h"
#include "device/cured-device-internal.h"

#define SHARED_BYTES 32768
#define IN_WORDS     2048
#define MASK_WORD    32
#define SOURCE_WORD  64

/* Every access has the same operands: %0 to %3 are 32-bit results (or what is
 * stored), %4 is a 64-bit one, %5 a float, %6 a double; %7 is the address, %8
 * whether the lane takes part, %9 a global address; %10 and %11 are 32-bit
 * values, %12 and %13 64-bit ones. */
typedef struct
{
  const char *name;
  const char *text;
  int source_stride; /* bytes between two lanes' global addresses */
} Access;

#define COLLECTIVE(text) text
#define PREDICATED(text) "{ .reg .pred p; setp.ne.u32 p, %8, 0; @p " text " }"
#define WAITED(text)     PREDICATED (text) " cp.async.wait_all;"

static const Access accesses[] = {
  { "ld.b8", PREDICATED ("ld.shared.u8 %0, [%7];"), 4 },
  { "ld.b16", PREDICATED ("ld.shared.u16 %0, [%7];"), 4 },
  { "ld.b32", PREDICATED ("ld.shared.u32 %0, [%7];"), 4 },
  { "ld.b64", PREDICATED ("ld.shared.u64 %4, [%7];"), 4 },
  { "ld.b128", PREDICATED ("ld.shared.v4.u32 {%0, %1, %2, %3}, [%7];"), 4 },
  { "st.b8", PREDICATED ("st.shared.u8 [%7], %10;"), 4 },
  { "st.b16", PREDICATED ("st.shared.u16 [%7], %10;"), 4 },
  { "st.b32", PREDICATED ("st.shared.u32 [%7], %10;"), 4 },
  { "st.b64", PREDICATED ("st.shared.u64 [%7], %12;"), 4 },
  { "st.b128", PREDICATED ("st.shared.v4.u32 [%7], {%0, %1, %2, %3};"), 4 },
  { "red.u32", PREDICATED ("red.shared.add.u32 [%7], %10;"), 4 },
  { "ldmatrix.x1",
    COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%7];"),
    4 },
  { "ldmatrix.x2",
    COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%7];"),
    4 },
  { "ldmatrix.x4",
    COLLECTIVE ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                "{%0, %1, %2, %3}, [%7];"),
    4 },
  { "stmatrix.x1",
    COLLECTIVE ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%7], {%0};"),
    4 },
  { "stmatrix.x2",
    COLLECTIVE ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%7], {%0, %1};"),
    4 },
  { "stmatrix.x4",
    COLLECTIVE ("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                "[%7], {%0, %1, %2, %3};"),
    4 },
  { "stmatrix.x4.trans",
    COLLECTIVE ("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                "[%7], {%0, %1, %2, %3};"),
    4 },
  { "cp.async.ca.4", WAITED ("cp.async.ca.shared.global [%7], [%9], 4;"), 4 },
  { "cp.async.ca.8", WAITED ("cp.async.ca.shared.global [%7], [%9], 8;"), 8 },
  { "cp.async.ca.16",
    WAITED ("cp.async.ca.shared.global [%7], [%9], 16;"),
    16 },
  { "cp.async.cg.16",
    WAITED ("cp.async.cg.shared.global [%7], [%9], 16;"),
    16 },
  /* The same from a cache line each. */
  { "cp.async.ca.4.apart",
    WAITED ("cp.async.ca.shared.global [%7], [%9], 4;"),
    128 },
  { "cp.async.cg.16.apart",
    WAITED ("cp.async.cg.shared.global [%7], [%9], 16;"),
    128 },
  /* The compiler has an instruction of its own for adding a constant 1. */
  { "red.inc.u32", PREDICATED ("red.shared.add.u32 [%7], 1;"), 4 },
  { "atom.add.u32", PREDICATED ("atom.shared.add.u32 %0, [%7], %10;"), 4 },
  { "atom.exch.b32", PREDICATED ("atom.shared.exch.b32 %0, [%7], %10;"), 4 },
  { "atom.cas.b32", PREDICATED ("atom.shared.cas.b32 %0, [%7], %10, %11;"), 4 },
  { "atom.min.s32", PREDICATED ("atom.shared.min.s32 %0, [%7], %10;"), 4 },
  { "red.add.u64", PREDICATED ("red.shared.add.u64 [%7], %12;"), 4 },
  { "red.and.b64", PREDICATED ("red.shared.and.b64 [%7], %12;"), 4 },
  { "atom.add.u64", PREDICATED ("atom.shared.add.u64 %4, [%7], %12;"), 4 },
  { "atom.exch.b64", PREDICATED ("atom.shared.exch.b64 %4, [%7], %12;"), 4 },
  { "atom.cas.b64", PREDICATED ("atom.shared.cas.b64 %4, [%7], %12, %13;"), 4 },
  { "red.add.f32", PREDICATED ("red.shared.add.f32 [%7], %5;"), 4 },
  { "atom.add.f32", PREDICATED ("atom.shared.add.f32 %5, [%7], %5;"), 4 },
  { "red.add.f64", PREDICATED ("red.shared.add.f64 [%7], %6;"), 4 },
  { "atom.add.f64", PREDICATED ("atom.shared.add.f64 %6, [%7], %6;"), 4 },
};

/* Shared memory is left as it is: what is in it does not matter, and clearing
 * it would be a second access. */
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
    " * Grid=1\n"
    " * Block=32\n"
    " * Arguments=in,out\n"
    " */\n"
    "extern \"C\" __global__ void\n"
    "%s (const unsigned *in, unsigned *out)\n"
    "{\n"
    "  __shared__ __align__ (1024) unsigned char shared[%d];\n"
    "  unsigned lane = threadIdx.x;\n"
    "  unsigned address = (unsigned) __cvta_generic_to_shared (shared) +\n"
    "                     in[lane];\n"
    "  unsigned active = in[%d] >> lane & 1;\n"
    "  const unsigned *values = in + %d;\n"
    "  const char *source = (const char *) values + %d * lane;\n"
    "  unsigned a = values[lane], b = values[lane + 32];\n"
    "  unsigned long long c = (unsigned long long) a << 32 | b, d = c + a;\n"
    "  unsigned r0 = a, r1 = b, r2 = a + b, r3 = a ^ b;\n"
    "  unsigned long long q = d;\n"
    "  float f = (float) (lane + 1);\n"
    "  double g = (double) (lane + 1);\n"
    "\n"
    "  asm volatile (\"%s\"\n"
    "                : \"+r\"(r0), \"+r\"(r1), \"+r\"(r2), \"+r\"(r3),\n"
    "                  \"+l\"(q), \"+f\"(f), \"+d\"(g)\n"
    "                : \"r\"(address), \"r\"(active), \"l\"(source),\n"
    "                  \"r\"(a), \"r\"(b), \"l\"(c), \"l\"(d)\n"
    "                : \"memory\");\n"
    "  out[lane] = r0 + r1 * 3 + r2 * 5 + r3 * 7 + (unsigned) q +\n"
    "              (unsigned) (q >> 32) + __float_as_uint (f) +\n"
    "              (unsigned) __double_as_longlong (g);\n"
    "}\n";

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

  return g_strdup_printf (source_format,
                          IN_WORDS,
                          entry,
                          entry,
                          SHARED_BYTES,
                          MASK_WORD,
                          SOURCE_WORD,
                          access->source_stride,
                          access->text);
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
  /* Those of no device: it is the kernels' form that is checked. */
  infos = cured_limits_list (&n_limits);
  for (gsize i = 0; i < n_limits; i++)
    cured_limits_set (&limits, infos[i].name, 1 << 30);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_STORAGE,
                   "%s: %s",
                   folder,
                   g_strerror (errno));
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
      image = cured_compiler_compile (
          compiler, source, accesses[i].name, NULL, arch, NULL, error);
      if (image == NULL ||
          !g_file_set_contents (path,
                                g_bytes_get_data (image, NULL),
                                (gssize) g_bytes_get_size (image),
                                error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
prepare (CuredDevice *device,
         CuredCompiler *compiler,
         const Access *access,
         Variant *variant,
         GError **error)
{
  g_autofree char *source = get_source (access);
  g_autoptr (GBytes) image = NULL;
  gint64 values[] = { IN_WORDS };

  variant->kernel =
      cured_kernel_new_from_text (source, "bank", "bank.cu", error);
  if (variant->kernel == NULL)
    return FALSE;
  variant->program =
      cured_program_new (variant->kernel, values, &device->info.limits, error);
  if (variant->program == NULL)
    return FALSE;
  image = cured_compiler_compile (
      compiler, source, access->name, NULL, device->info.arch, NULL, error);
  if (image == NULL)
    return FALSE;
  variant->module = device->klass->launch->load (device, image, error);
  return variant->module != NULL;
}

/* Reads one line into @words; the number of its access, or -1. */
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
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_SYNTAX,
                   "\"%s\": expected access, mask and addresses",
                   line);
      return -1;
    }
  words[MASK_WORD] = (guint32) value;
  addresses = g_strsplit (fields[2], ",", -1);
  for (gsize i = 0; i < 32; i++)
    if (i >= g_strv_length (addresses) ||
        !g_ascii_string_to_unsigned (
            addresses[i], 10, 0, SHARED_BYTES - 1, &value, error))
      {
        if (error != NULL && *error == NULL)
          g_set_error (error,
                       CURED_ERROR,
                       CURED_ERROR_SYNTAX,
                       "\"%s\": fewer than 32 addresses",
                       line);
        return -1;
      }
    else
      words[i] = (guint32) value;
  return access;
}

static gboolean
launch_all (const char *path, GError **error)
{
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
  g_print ("device: %s (%s), driver %s, %s\n",
           device->info.name,
           device->info.arch,
           device->info.driver,
           device->info.compiler);
  for (gsize i = 0; i < IN_WORDS; i++)
    words[i] = (guint32) i * 2654435761U;
  for (gsize i = 0; i < G_N_ELEMENTS (bindings); i++)
    if (!device->klass->launch->allocate (
            device, sizeof words, &bindings[i], error))
      return FALSE;

  for (gsize i = 0; ok && lines[i] != NULL; i++)
    {
      int access;

      if (*lines[i] == '\0' || *lines[i] == '#')
        continue;
      access = parse_pattern (lines[i], words, error);
      ok = access >= 0 &&
           (variants[access].module != NULL || prepare (device,
                                                        compiler,
                                                        &accesses[access],
                                                        &variants[access],
                                                        error)) &&
           device->klass->launch->upload (
               device, bindings[0], words, sizeof words, error) &&
           device->klass->launch->run (device,
                                       variants[access].module,
                                       variants[access].program,
                                       bindings,
                                       error);
      if (ok)
        n_launches++;
      else
        g_prefix_error (error, "%s: line %" G_GSIZE_FORMAT ": ", path, i + 1);
    }
  g_print ("launches: %u\n", n_launches);

  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      /* A launch that failed may have taken the device's context with it. */
      if (ok && variants[i].module != NULL)
        device->klass->launch->unload (device, variants[i].module);
      g_clear_pointer (&variants[i].program, cured_program_free);
      g_clear_pointer (&variants[i].kernel, cured_kernel_unref);
    }
  for (gsize i = 0; ok && i < G_N_ELEMENTS (bindings); i++)
    device->klass->launch->release (device, bindings[i]);
  return ok;
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
    launch_all (argv[1], &error);
  else
    {
      g_printerr ("usage: %s PATTERNS\n"
                  "       %s --compile-only FOLDER [ARCH]\n"
                  "       %s --list\n",
                  argv[0],
                  argv[0],
                  argv[0]);
      return 2;
    }
  if (error != NULL)
    {
      g_printerr ("%s\n", error->message);
      return g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_DEVICE) ||
                     g_error_matches (
                         error, CURED_ERROR, CURED_ERROR_NO_COMPILER)
                 ? 77
                 : 1;
    }
  return 0;
}

/* SPDX-License-Identifier: MIT
 * NVRTC, loaded at run time, and a cache of its output. */
#include "device/cured-compiler.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <glob.h>
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "sass/cured-image-internal.h"
#include "device/cured-assembler-private.h"
#include "device/cured-compiler-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-sources-internal.h"
#include "kernel/sources/cured-stub-headers-internal.h"

/* NVRTC's C interface, as far as it is used here (stable since CUDA 11.1; most machines that
 * have the library lack the toolkit's header). Source: NVRTC documentation, "User
 * Interface". */
typedef struct _nvrtcProgram *NvrtcProgram;
typedef int NvrtcResult;

#define NVRTC_SUCCESS           0
#define NVRTC_ERROR_COMPILATION 6

typedef struct
{
  const char *(*get_error_string) (NvrtcResult);
  NvrtcResult (*version) (int *major, int *minor);
  NvrtcResult (*create_program) (NvrtcProgram *program, const char *source, const char *name,
                                 int n_headers, const char *const *headers,
                                 const char *const *include_names);
  NvrtcResult (*destroy_program) (NvrtcProgram *program);
  NvrtcResult (*compile_program) (NvrtcProgram program, int n_options, const char *const *options);
  NvrtcResult (*get_ptx_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_ptx) (NvrtcProgram program, char *ptx);
  NvrtcResult (*get_cubin_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_cubin) (NvrtcProgram program, char *cubin);
  NvrtcResult (*get_log_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_log) (NvrtcProgram program, char *log);
  NvrtcResult (*add_name_expression) (NvrtcProgram program, const char *name);
  NvrtcResult (*get_lowered_name) (NvrtcProgram program, const char *name, const char **symbol);
} Nvrtc;

/* ORDER: as in the struct. */
static const char *const nvrtc_symbols[] = {
  "nvrtcGetErrorString", "nvrtcVersion",           "nvrtcCreateProgram", "nvrtcDestroyProgram",
  "nvrtcCompileProgram", "nvrtcGetPTXSize",        "nvrtcGetPTX",        "nvrtcGetCUBINSize",
  "nvrtcGetCUBIN",       "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcAddNameExpression",
  "nvrtcGetLoweredName",
};

/* NVRTC repeats a whole line with each warning about it: 20 KB of them can become 200 MB. */
#define MAX_LOG_BYTES ((gsize) 1024 * 1024)

/* Only since CUDA 12.8. Its callback stops a compilation by returning 1. */
typedef NvrtcResult (*SetFlowCallback) (NvrtcProgram program, int (*callback) (void *, void *),
                                        void *payload);

G_STATIC_ASSERT (sizeof (Nvrtc) == G_N_ELEMENTS (nvrtc_symbols) * sizeof (void *));

/* One variant. It is in the table from the first request on, so that a second thread that needs it
 * waits for the first instead of compiling it again. */
typedef struct
{
  char *key;
  gboolean is_done;
  gboolean is_live; /* first requested by cured_compiler_compile_live() */
  guint n_waiting;  /* number of threads that will read it */
  int is_abandoned; /* atomic: all waiting threads were cancelled */
  GBytes *image;    /* NULL: compiling failed */
  char *log;        /* nullable: NVRTC's log for a source that compiles */
  GError *error;
  gint64 compile_ns;
} Variant;

typedef struct
{
  Variant *variant;
  CuredSources *sources;
  char *file_name, **options, *arch;
  gboolean is_live; /* the source is being edited: keep it off the disk */
} Request;

struct _CuredCompiler
{
  void *handle;
  Nvrtc nvrtc;
  SetFlowCallback set_flow_callback; /* nullable */
  char *path, *version;
  char **include_options; /* for NVRTC; may be empty */
  char *cache_folder;
  guint64 cache_limit;
  guint64 cache_bytes; /* of the folder, if known; G_MAXUINT64: unknown */
  int ruleset;         /* ruleset of files that NVRTC's threads may read; -1: any */
  GMutex mutex;
  GCond cond;
  GHashTable *variants; /* (element-type utf8 Variant) */
  GQueue done;          /* keys of finished variants, oldest first */
  GThreadPool *pool;    /* for cured_compiler_prepare() */
  GThreadPool *live;    /* for cured_compiler_compile_live() */
};

/* Finished variants kept in memory. All are on disk; this only saves reading the file again, and a
 * worker looks ahead by fewer. */
#define VARIANTS_KEPT 256

/* Default limit of the folder on disk, unless CURED_CACHE_MIB is set; a variant has some ten
 * kilobytes. */
#define CACHE_MIB 1024

/* The size to which a cache that is too large is trimmed, so that not every new variant trims it
 * again. */
#define CACHE_LEFT(limit) ((limit) / 4 * 3)

/* First line of a cached file, so that a truncated or foreign one is not loaded: magic, compile
 * time, size of the log, and SHA-256 of what follows: the log and the image. */
#define CACHE_MAGIC "cured-image-2"

static void
variant_free (gpointer data)
{
  Variant *variant = data;

  g_free (variant->key);
  g_clear_pointer (&variant->image, g_bytes_unref);
  g_free (variant->log);
  g_clear_error (&variant->error);
  g_free (variant);
}

CURED_FREE_FUNC (Request, request_free, sources, cured_sources_unref, file_name, g_free, options,
                 g_strfreev, arch, g_free)

static gboolean
load_symbols (CuredCompiler *self, GError **error)
{
  gpointer *functions = (gpointer *) &self->nvrtc;

  for (gsize i = 0; i < G_N_ELEMENTS (nvrtc_symbols); i++)
    {
      functions[i] = dlsym (self->handle, nvrtc_symbols[i]);
      if (functions[i] == NULL)
        return cured_fail (error, CURED_ERROR_NO_COMPILER,
                           _ ("%s has no %s; install NVRTC of CUDA 12 or later"), self->path,
                           nvrtc_symbols[i]);
    }
  return TRUE;
}

/* Escapes a folder's name for glob(), since it may contain pattern characters. */
char *
_cured_escape_pattern (const char *folder)
{
  GString *pattern = g_string_new (NULL);

  for (const char *at = folder; *at != '\0'; at++)
    {
      if (strchr ("*?[]\\", *at) != NULL)
        g_string_append_c (pattern, '\\');
      g_string_append_c (pattern, *at);
    }
  return g_string_free (pattern, FALSE);
}

/* NVRTC opens its builtins by file name when it first compiles. In a folder that the loader does
 * not search, it finds them only if they are already loaded, as dlopen() finds loaded libraries by
 * name. */
static void
open_builtins_in (const char *folder)
{
  g_autofree char *escaped = _cured_escape_pattern (folder);
  g_autofree char *pattern = g_build_filename (escaped, "libnvrtc-builtins.so.*", NULL);
  glob_t found;

  if (glob (pattern, GLOB_NOSORT, NULL, &found) != 0)
    return;
  for (gsize i = 0; i < found.gl_pathc; i++)
    dlopen (found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree (&found);
}

/* The file that NVRTC was loaded from. */
static char *
find_path (void *handle)
{
  void *symbol = dlsym (handle, "nvrtcVersion");
  Dl_info info;

  if (symbol == NULL || dladdr (symbol, &info) == 0 || info.dli_fname == NULL)
    return g_strdup ("libnvrtc");
  g_autofree char *real = realpath (info.dli_fname, NULL);
  return g_strdup (real != NULL ? real : info.dli_fname);
}

/* The builtins are in NVRTC's real folder, or in that of a symbolic link to NVRTC. */
static void *
open_path (const char *library)
{
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL)
    return NULL;
  g_autofree char *path = find_path (handle), *folder = g_path_get_dirname (path);
  open_builtins_in (folder);
  if (strchr (library, '/') != NULL)
    {
      g_autofree char *named = g_path_get_dirname (library);

      if (!g_str_equal (named, folder))
        open_builtins_in (named);
    }
  return handle;
}

/* Opens a file that matches, trying the highest name first, so that 13 is preferred to 12. */
static void *
open_matching (const char *pattern)
{
  void *handle = NULL;
  glob_t found;

  /* GLOB_NOSORT, since sorting would use the locale's order. */
  if (glob (pattern, GLOB_NOSORT, NULL, &found) == 0)
    {
      g_autoptr (GPtrArray) paths = g_ptr_array_new ();

      for (gsize i = 0; i < found.gl_pathc; i++)
        g_ptr_array_add (paths, found.gl_pathv[i]);
      g_ptr_array_sort (paths, _cured_compare_texts);
      for (guint i = paths->len; i > 0 && handle == NULL; i--)
        handle = open_path (paths->pdata[i - 1]);
      globfree (&found);
    }
  return handle;
}

/* Searches the virtual environment that the user activated. Other folders are not searched, since
 * others might plant a library there. */
static void *
open_in_environment_of_wheels (void)
{
  const char *active = g_getenv ("VIRTUAL_ENV");

  if (active == NULL || !g_path_is_absolute (active))
    return NULL;
  g_autofree char *escaped = _cured_escape_pattern (active);
  g_autofree char *pattern =
      g_build_filename (escaped, "lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1[23]", NULL);
  return open_matching (pattern);
}

static void *
open_library (GError **error)
{
  static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12" };
  static const char *const patterns[] = {
    "/usr/local/cuda/lib64/libnvrtc.so.1[23]",
    "/usr/local/cuda-*/lib64/libnvrtc.so.1[23]",
    "/usr/lib/cuda/lib64/libnvrtc.so.1[23]",
    "/opt/cuda/lib64/libnvrtc.so.1[23]",
  };
  const char *chosen = g_getenv ("CURED_NVRTC");
  void *handle = NULL;

  if (chosen != NULL && *chosen != '\0')
    {
      handle = open_path (chosen);
      if (handle == NULL)
        g_set_error (error, CURED_ERROR, CURED_ERROR_NO_COMPILER,
                     _ ("CURED_NVRTC names %s, which can't be loaded: %s"), chosen, dlerror ());
      return handle;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names) && handle == NULL; i++)
    handle = open_path (names[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (patterns) && handle == NULL; i++)
    handle = open_matching (patterns[i]);
  if (handle == NULL)
    handle = open_in_environment_of_wheels ();
  if (handle == NULL)
    g_set_error_literal (
        error, CURED_ERROR, CURED_ERROR_NO_COMPILER,
        _ ("NVRTC (libnvrtc.so.13 or .12) was not found. Install the CUDA Toolkit or, with pip, "
           "cured[nvrtc], or nvidia-cuda-nvrtc and nvidia-cuda-runtime into an active virtual "
           "environment; or set CURED_NVRTC to the library's file"));
  return handle;
}

/* The toolkit's headers, for kernels that include them: beside the library in a toolkit, in a
 * sister package among Python's wheels. Since CUDA 13 the headers of the C++ library, which
 * cooperative_groups.h needs, have a folder of their own. */
static char **
find_include_options (const char *library)
{
  static const char *const places[] = {
    "../include",
    "../../include",
    "../../../include",
    "../../cuda_runtime/include",
  };
  g_autofree char *folder = g_path_get_dirname (library);
  g_autoptr (GPtrArray) options = g_ptr_array_new ();

  for (gsize i = 0; options->len == 0 && i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *include = g_build_filename (folder, places[i], NULL);
      g_autofree char *header = g_build_filename (include, "cuda_fp16.h", NULL);
      /* In a toolkit, and in wheels before CUDA 13. */
      g_autofree char *cccl = g_build_filename (include, "cccl", NULL);
      g_autofree char *wheel = g_build_filename (include, "../../cuda_cccl/include", NULL);

      if (!g_file_test (header, G_FILE_TEST_EXISTS))
        continue;
      g_ptr_array_add (options, g_strconcat ("-I", include, NULL));
      if (g_file_test (cccl, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (options, g_strconcat ("-I", cccl, NULL));
      else if (g_file_test (wheel, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (options, g_strconcat ("-I", wheel, NULL));
    }
  g_ptr_array_add (options, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&options), FALSE);
}

static GBytes *
read_cached (CuredCompiler *self, const char *key, char **log, gint64 *compile_ns)
{
  g_autofree char *path = g_build_filename (self->cache_folder, key, NULL), *contents = NULL;
  gsize size;

  if (!g_file_get_contents (path, &contents, &size, NULL))
    return NULL;
  char *end = memchr (contents, '\n', MIN (size, 256));
  if (end == NULL)
    return NULL;
  *end = '\0';
  end++;
  size -= (gsize) (end - contents);
  g_auto (GStrv) fields = g_strsplit (contents, " ", -1);
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) end, size);
  if (g_strv_length (fields) != 4 || !g_str_equal (fields[0], CACHE_MAGIC) ||
      !g_str_equal (fields[3], sum))
    return NULL;
  *compile_ns = g_ascii_strtoll (fields[1], NULL, 10);
  gsize log_size = (gsize) g_ascii_strtoull (fields[2], NULL, 10);
  if (log_size > size)
    return NULL;
  *log = log_size > 0 ? g_strndup (end, log_size) : NULL;
  return g_bytes_new (end + log_size, size - log_size);
}

/* One file of the cache. */
typedef struct
{
  char *name;
  guint64 size;
  gint64 written;
} CacheEntry;

CURED_CLEAR_FUNC (CacheEntry, cache_entry_clear, name, g_free)

CURED_COMPARE_FUNC (CacheEntry, compare_entries, written)

/* Scans the whole folder, and deletes the oldest files if they are too large together. Another
 * process may do the same: files that it has deleted count as deleted here, and readers have their
 * file open. Returns the remaining size. */
static guint64
trim_cache (const CuredCompiler *self)
{
  g_autoptr (GDir) folder = g_dir_open (self->cache_folder, 0, NULL);
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (CacheEntry));
  guint64 bytes = 0;
  const char *name;

  g_array_set_clear_func (entries, cache_entry_clear);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->cache_folder, name, NULL);
      CacheEntry entry = { 0 };
      GStatBuf info;

      if (g_lstat (path, &info) != 0 || !S_ISREG (info.st_mode))
        continue;
      entry.name = g_steal_pointer (&path);
      entry.size = (guint64) info.st_size;
      entry.written = (gint64) info.st_mtim.tv_sec * G_USEC_PER_SEC + info.st_mtim.tv_nsec / 1000;
      bytes += entry.size;
      g_array_append_val (entries, entry);
    }
  if (bytes <= self->cache_limit)
    return bytes;
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len && bytes > CACHE_LEFT (self->cache_limit); i++)
    {
      const CacheEntry *entry = &g_array_index (entries, CacheEntry, i);

      g_unlink (entry->name);
      bytes -= entry->size;
    }
  return bytes;
}

/* Called after @size bytes were written. */
static void
limit_cache (CuredCompiler *self, guint64 size)
{
  g_mutex_lock (&self->mutex);
  if (self->cache_bytes != G_MAXUINT64)
    self->cache_bytes += size;
  gboolean is_full = self->cache_bytes > self->cache_limit;
  g_mutex_unlock (&self->mutex);
  if (is_full)
    {
      guint64 bytes = trim_cache (self);

      g_mutex_lock (&self->mutex);
      self->cache_bytes = bytes;
      g_mutex_unlock (&self->mutex);
    }
}

static void
write_cached (CuredCompiler *self, const Variant *variant)
{
  g_autofree char *path = g_build_filename (self->cache_folder, variant->key, NULL);
  gsize log_size = variant->log != NULL ? strlen (variant->log) : 0;
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gsize size;
  gconstpointer data = g_bytes_get_data (variant->image, &size);

  g_byte_array_append (file, (const guint8 *) variant->log, (guint) log_size);
  g_byte_array_append (file, data, (guint) size);
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, file->data, file->len);
  g_autofree char *head =
      g_strdup_printf (CACHE_MAGIC " %" PRId64 " %zu %s\n", variant->compile_ns, log_size, sum);
  g_byte_array_prepend (file, (const guint8 *) head, (guint) strlen (head));
  /* Ignore errors: without the cache, only time is lost. */
  if (g_mkdir_with_parents (self->cache_folder, 0700) != 0 ||
      !g_file_set_contents (path, (const char *) file->data, (gssize) file->len, &error))
    g_debug ("%s is not cached: %s", path, error != NULL ? error->message : g_strerror (errno));
  else
    limit_cache (self, file->len);
}

static char *
make_key (CuredCompiler *self, const CuredSources *sources, const char *file_name,
          const char *const *options, const char *arch)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  /* Include each part's terminating 0, so that different lists have different sums. */
#define ADD(text) g_checksum_update (sum, (const guchar *) (text), (gssize) strlen (text) + 1)
  ADD (self->version);
  for (char **option = self->include_options; *option != NULL; option++)
    ADD (*option);
  ADD (arch);
  ADD (file_name);
  for (gsize i = 0; options != NULL && options[i] != NULL; i++)
    ADD (options[i]);
  ADD ("");
  ADD (sources->text);
  for (gsize i = 0; i < sources->n; i++)
    {
      ADD (sources->names[i]);
      ADD (sources->texts[i]);
    }
#undef ADD
  return g_strdup (g_checksum_get_string (sum));
}

static int
flow_cb (void *payload, void *reserved)
{
  return g_atomic_int_get (&((Variant *) payload)->is_abandoned) ? 1 : 0;
}

/* NVRTC's log of a program, NULL if it is empty. */
static char *
read_log (const Nvrtc *nvrtc, NvrtcProgram program)
{
  size_t size = 0;

  if (nvrtc->get_log_size (program, &size) != NVRTC_SUCCESS || size <= 1)
    return NULL;
  g_autofree char *log = g_malloc0 (size + 1);
  if (nvrtc->get_log (program, log) != NVRTC_SUCCESS)
    return NULL;
  g_strchomp (log);
  return *log != '\0' ? _cured_text_shorten (log, MAX_LOG_BYTES) : NULL;
}

/* Whether the kernel has a C++ symbol: all but `extern "C"` ones, and those not found in the text,
 * which a macro may make. */
static gboolean
has_symbol (const CuredSources *sources, const char *entry)
{
  if (strpbrk (entry, "<:") != NULL)
    return TRUE;
  for (gsize i = 0; i <= sources->n; i++)
    {
      g_autoptr (GPtrArray) functions =
          cured_header_draft_scan (i == 0 ? sources->text : sources->texts[i - 1], NULL);

      CURED_EACH_POINTER (const CuredDraftFunction, function, functions)
        if (g_str_equal (function->name, entry))
          return !function->is_extern_c;
    }
  return FALSE;
}

/* Takes the kernels and variables whose symbols are needed out of the options; @words gets the
 * other options. */
static char **
take_entries (const CuredSources *sources, char **words)
{
  GStrvBuilder *entries = g_strv_builder_new ();
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_has_prefix (words[i], CURED_PROGRAM_VARIABLE_OPTION))
      {
        g_strv_builder_add (entries, words[i] + strlen (CURED_PROGRAM_VARIABLE_OPTION) - 1);
        g_free (words[i]);
      }
    else if (g_str_has_prefix (words[i], CURED_PROGRAM_ENTRY_OPTION))
      {
        const char *entry = words[i] + strlen (CURED_PROGRAM_ENTRY_OPTION);

        if (has_symbol (sources, entry))
          g_strv_builder_add (entries, entry);
        g_free (words[i]);
      }
    else
      words[n++] = words[i];
  words[n] = NULL;
  char **list = g_strv_builder_end (entries);
  g_strv_builder_unref (entries);
  return list;
}

/* The arch to compile for: the request's, or the variant of the same chip that the kernel file
 * requests. */
static char *
take_arch (const Request *request, char **words)
{
  char *arch = g_strdup (request->arch);
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_has_prefix (words[i], CURED_PROGRAM_ARCH_OPTION))
      {
        const char *wanted = words[i] + strlen (CURED_PROGRAM_ARCH_OPTION);
        const char *digits = strchr (arch, '_');

        /* "90" in "90a". */
        if (digits != NULL && strlen (wanted) == strlen (digits + 1) + 1 &&
            g_str_has_prefix (wanted, digits + 1))
          {
            char *own = g_strdup_printf ("%.*s_%s", (int) (digits - arch), arch, wanted);

            g_free (arch);
            arch = own;
          }
        g_free (words[i]);
      }
    else
      words[n++] = words[i];
  words[n] = NULL;
  return arch;
}

/* (transfer full) (nullable): the symbol of the kernel with that plain name in @ptx. */
static char *
find_symbol (GBytes *ptx, const char *name)
{
  g_autofree char *head = g_strdup_printf (".entry _Z%zu%s", strlen (name), name);
  gsize size = 0;
  const char *text = ptx != NULL ? g_bytes_get_data (ptx, &size) : NULL;
  const char *at = text != NULL ? g_strstr_len (text, (gssize) size, head) : NULL;

  at = at != NULL ? at + strlen (".entry ") : NULL;
  return at != NULL ? g_strndup (at, strcspn (at, "( \t\n")) : NULL;
}

/* @entries with their symbols; for addresses of variables, those of the variables. @ptx:
 * (nullable): to look up entries that are not a name for the compiler. */
static char **
list_symbols (const Nvrtc *nvrtc, NvrtcProgram program, char **entries, GBytes *ptx)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (; *entries != NULL; entries++)
    {
      const char *symbol = NULL;

      if (nvrtc->get_lowered_name (program, *entries, &symbol) == NVRTC_SUCCESS && symbol != NULL)
        {
          g_strv_builder_add (names, *entries + (**entries == '&'));
          g_strv_builder_add (names, symbol);
        }
      else
        {
          g_autofree char *found = find_symbol (ptx, *entries);

          if (found == NULL)
            continue;
          g_strv_builder_add (names, *entries);
          g_strv_builder_add (names, found);
        }
    }
  return g_strv_builder_end (names);
}

/* The image of another compiler's PTX: the PTX itself, or its machine code. */
static GBytes *
take_ptx (CuredCompiler *self, const Request *request, char **log, GError **error)
{
  const char *ptx = request->sources->text;

  if (request->options != NULL && request->options[0] != NULL)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("%s is PTX, which was compiled before: NVRTC's option %s means nothing to "
           "it; leave it out"),
        request->file_name, request->options[0]);
  if (g_str_has_prefix (request->arch, "compute_"))
    return g_bytes_new (ptx, strlen (ptx) + 1);
  g_autofree char *folder = g_path_get_dirname (self->path);
  return _cured_assemble (ptx, request->file_name, request->arch, folder, log, error);
}

/* The compiled program; NULL if NVRTC fails. */
static GBytes *
read_image (const Nvrtc *nvrtc, NvrtcProgram program, gboolean is_ptx, NvrtcResult *result)
{
  size_t size = 0;

  *result = is_ptx ? nvrtc->get_ptx_size (program, &size) : nvrtc->get_cubin_size (program, &size);
  if (*result != NVRTC_SUCCESS)
    return NULL;
  g_autofree char *image = g_malloc (MAX (size, 1));
  *result = is_ptx ? nvrtc->get_ptx (program, image) : nvrtc->get_cubin (program, image);
  return *result != NVRTC_SUCCESS ? NULL : g_bytes_new_take (g_steal_pointer (&image), size);
}

/* @entries: (nullable): kernels and variables whose symbols are needed. */
static NvrtcResult
start_program (CuredCompiler *self, const Request *request, GPtrArray *options, char **entries,
               NvrtcProgram *program)
{
  const CuredSources *sources = request->sources;
  const Nvrtc *nvrtc = &self->nvrtc;
  NvrtcResult result = nvrtc->create_program (
      program, sources->text, request->file_name, (int) sources->n,
      (const char *const *) sources->texts, (const char *const *) sources->names);

  for (; entries != NULL && *entries != NULL && result == NVRTC_SUCCESS; entries++)
    result = nvrtc->add_name_expression (*program, *entries);
  if (result == NVRTC_SUCCESS && self->set_flow_callback != NULL)
    self->set_flow_callback (*program, flow_cb, request->variant);
  return result == NVRTC_SUCCESS ? nvrtc->compile_program (*program, (int) options->len,
                                                           (const char *const *) options->pdata)
                                 : result;
}

/* Messages of NVRTC's assembler for an unknown instruction, or when it fails itself. */
static const char *const too_new[] = {
  "Unknown modifier",
  "Not a name of any known instruction",
  "Unsupported .version",
  NULL,
};
static const char *const broken[] = {
  "nternal compiler error",
  "NVRTC_ERROR_INTERNAL_ERROR",
  "died due to signal",
  NULL,
};

static gboolean
has_one_of (const char *text, const char *const *phrases)
{
  while (text != NULL && *phrases != NULL && strstr (text, *phrases) == NULL)
    phrases++;
  return text != NULL && *phrases != NULL;
}

/* Whether an error of compiling to machine code is caused by the assembler, not the source, so that
 * the PTX may still run. */
gboolean
_cured_compiler_is_of_assembler (const GError *error)
{
  return g_error_matches (error, CURED_ERROR, CURED_ERROR_COMPILE) &&
         (has_one_of (error->message, too_new) || has_one_of (error->message, broken));
}

/* Compiles without any cache. @ptx: gets the PTX when compiling to machine code. */
static GBytes *
compile_here (CuredCompiler *self, const Request *request, GBytes **ptx, char **log, GError **error)
{
  g_autoptr (GPtrArray) options = g_ptr_array_new ();
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) names = NULL;
  GBytes *image = NULL;
  const CuredSources *sources = request->sources;
  const Nvrtc *nvrtc = &self->nvrtc;
  gboolean is_ptx = g_str_has_prefix (request->arch, "compute_");
  NvrtcProgram program = NULL;

  if (_cured_text_is_ptx (sources->text))
    return take_ptx (self, request, log, error);
  g_ptr_array_add (options, (gpointer) "-lineinfo");
  /* Remaining host functions, such as constexpr ones, have no mark. */
  g_ptr_array_add (options, (gpointer) "--device-as-default-execution-space");
  for (char **option = self->include_options; *option != NULL; option++)
    g_ptr_array_add (options, *option);
  /* Files in these folders were already read. */
  g_auto (GStrv) words =
      cured_compile_options_take_folders ((const char *const *) request->options, folders);
  g_auto (GStrv) entries = take_entries (sources, words);
  g_autofree char *own_arch = take_arch (request, words);
  g_autofree char *arch = g_strconcat ("--gpu-architecture=", own_arch, NULL);
  g_ptr_array_add (options, arch);
  for (char **word = words; *word != NULL; word++)
    g_ptr_array_add (options, *word);
  /* The toolkit's headers define some of the same macros. */
  if (g_strv_contains ((const char *const *) sources->names, CURED_STUB_BASE))
    {
      g_ptr_array_add (options, (gpointer) "--pre-include=" CURED_STUB_BASE);
      g_ptr_array_add (options, (gpointer) "--diag-suppress=47");
    }

  NvrtcResult result = start_program (self, request, options, entries, &program);
  /* A kernel with the name of a CUDA function, or an overloaded one, is not a valid name
   * expression. */
  if (result != NVRTC_SUCCESS && program != NULL)
    {
      g_autofree char *first_log = read_log (nvrtc, program);

      if (first_log != NULL && strstr (first_log, "overloaded function") != NULL)
        {
          nvrtc->destroy_program (&program);
          result = start_program (self, request, options, NULL, &program);
        }
    }
  if (result == NVRTC_SUCCESS)
    image = read_image (nvrtc, program, is_ptx, &result);
  if (program != NULL)
    *log = read_log (nvrtc, program);
  if (result == NVRTC_SUCCESS)
    {
      NvrtcResult of_ptx;

      *ptx = is_ptx ? NULL : read_image (nvrtc, program, TRUE, &of_ptx);
      names = list_symbols (nvrtc, program, entries, is_ptx ? image : *ptx);
    }
  if (result != NVRTC_SUCCESS)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_COMPILE,
                   _ ("%s does not compile for %s (%s)%s%s"), request->file_name, request->arch,
                   nvrtc->get_error_string (result), *log != NULL ? ":\n" : "",
                   *log != NULL ? *log : "");
      if (error != NULL && has_one_of (*log, too_new))
        {
          g_autofree char *message = g_steal_pointer (&(*error)->message);

          (*error)->message = g_strdup_printf (
              _ ("%s\nThe assembler of %s does not know this; a newer NVRTC may, which CURED_NVRTC "
                 "names."),
              g_strchomp (message), cured_compiler_get_version (self));
        }
      if (error != NULL && *log != NULL)
        cured_error_set_log (*error, *log);
    }
  if (program != NULL)
    nvrtc->destroy_program (&program);
  if (result != NVRTC_SUCCESS)
    return NULL;
  if (*ptx != NULL)
    *ptx = _cured_image_add_names (*ptx, (const char *const *) names);
  return _cured_image_add_names (image, (const char *const *) names);
}

typedef struct
{
  CuredCompiler *compiler;
  const Request *request;
  GBytes *image;
  GBytes *ptx; /* nullable: PTX of an image that is machine code */
  char *log;
  GError *error;
} Compilation;

static gpointer
compile_thread (gpointer data)
{
  Compilation *self = data;

  _cured_landlock_enter_thread (self->compiler->ruleset);
  self->image = compile_here (self->compiler, self->request, &self->ptx, &self->log, &self->error);
  return NULL;
}

/* NVRTC opens any file that a directive or an option names. So it runs in a separate thread, which
 * can open only the toolkit's files; a confined process can't open others anyway. */
static GBytes *
compile (CuredCompiler *self, const Request *request, GBytes **ptx, char **log, GError **error)
{
  Compilation compilation = { .compiler = self, .request = request };

  if (self->ruleset < 0)
    return compile_here (self, request, ptx, log, error);
  GThread *thread = g_thread_try_new ("cured-compile", compile_thread, &compilation, error);
  if (thread == NULL)
    return NULL;
  g_thread_join (thread);
  *log = compilation.log;
  *ptx = compilation.ptx;
  if (compilation.error != NULL)
    g_propagate_error (error, compilation.error);
  return compilation.image;
}

/* With the mutex held: drops a variant that will never be read. */
static void
drop_variant (CuredCompiler *self, Variant *variant)
{
  if (g_hash_table_lookup (self->variants, variant->key) == variant)
    g_hash_table_remove (self->variants, variant->key);
  else
    variant_free (variant);
}

/* NVRTC makes PTX on its way to machine code. Keep it for a later request for the same chip's PTX,
 * unless another thread is already making that. */
static void
keep_ptx (CuredCompiler *self, const Request *request, GBytes *ptx, const char *log,
          gint64 compile_ns)
{
  g_autofree char *arch = g_strconcat ("compute_", request->arch + strlen ("sm_"), NULL);
  g_autofree char *key = make_key (self, request->sources, request->file_name,
                                   (const char *const *) request->options, arch);
  Variant fresh = { .key = key, .image = ptx, .log = (char *) log, .compile_ns = compile_ns };

  if (!request->is_live)
    write_cached (self, &fresh);
  g_mutex_lock (&self->mutex);
  if (!g_hash_table_contains (self->variants, key))
    {
      Variant *variant =
          CURED_NEW (Variant, .key = g_steal_pointer (&key), .image = g_bytes_ref (ptx),
                     .log = g_strdup (log), .compile_ns = compile_ns, .is_done = TRUE);

      g_hash_table_insert (self->variants, variant->key, variant);
      g_queue_push_tail (&self->done, variant->key);
    }
  g_mutex_unlock (&self->mutex);
}

/* Makes the variant and wakes the threads that wait for it. Called without the mutex, only by the
 * thread that put the variant into the table. */
static void
make_variant (CuredCompiler *self, const Request *request)
{
  Variant *variant = request->variant;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) ptx = NULL;
  g_autofree char *log = NULL;
  gint64 compile_ns = 0;
  GBytes *image = NULL;

  if (!g_atomic_int_get (&variant->is_abandoned))
    image = read_cached (self, variant->key, &log, &compile_ns);
  if (image == NULL && !g_atomic_int_get (&variant->is_abandoned))
    {
      gint64 start = g_get_monotonic_time ();

      image = compile (self, request, &ptx, &log, &error);
      compile_ns = (g_get_monotonic_time () - start) * 1000;
      if (image != NULL && !request->is_live)
        {
          Variant fresh = {
            .key = variant->key, .image = image, .log = log, .compile_ns = compile_ns
          };

          write_cached (self, &fresh);
        }
      if (ptx != NULL)
        keep_ptx (self, request, ptx, log, compile_ns);
    }

  g_mutex_lock (&self->mutex);
  if (g_atomic_int_get (&variant->is_abandoned))
    {
      g_clear_pointer (&image, g_bytes_unref);
      drop_variant (self, variant);
      g_mutex_unlock (&self->mutex);
      return;
    }
  variant->image = image;
  variant->log = g_steal_pointer (&log);
  variant->error = g_steal_pointer (&error);
  variant->compile_ns = compile_ns;
  variant->is_done = TRUE;
  g_queue_push_tail (&self->done, variant->key);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->mutex);
}

static void
prepare_cb (gpointer data, gpointer user_data)
{
  Request *request = data;

  make_variant (user_data, request);
  request_free (request);
}

/* With the mutex held: drops the oldest finished variants from memory. */
static void
trim (CuredCompiler *self)
{
  guint n_looked_at = self->done.length;

  while (self->done.length > VARIANTS_KEPT && n_looked_at-- > 0)
    {
      char *key = g_queue_pop_head (&self->done);
      Variant *variant = g_hash_table_lookup (self->variants, key);

      if (variant->n_waiting > 0)
        g_queue_push_tail (&self->done, key);
      else
        g_hash_table_remove (self->variants, key);
    }
}

/* Folders that NVRTC reads: its own, with its builtins, and those of headers. */
static char **
list_folders (const char *library, char **include_options)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *own = g_path_get_dirname (library);

  g_strv_builder_add (folders, own);
  for (char **option = include_options; *option != NULL; option++)
    g_strv_builder_add (folders, *option + strlen ("-I"));
  return g_strv_builder_end (folders);
}

static guint64
get_cache_limit (void)
{
  const char *text = g_getenv ("CURED_CACHE_MIB");
  guint64 mib = CACHE_MIB;

  if (text != NULL && !g_ascii_string_to_unsigned (text, 10, 0, 1 << 30, &mib, NULL))
    mib = CACHE_MIB;
  return mib << 20;
}

/* Separate for confined processes, so that a GPU never runs an image compiled from a stranger's
 * source: an exploit of NVRTC could write anything there.
 *
 * Returns: (transfer full): the folder on the disk */
char *
_cured_compiler_get_cache (gboolean is_confined)
{
  return g_build_filename (g_get_user_cache_dir (), "cured", is_confined ? "confined" : "compiled",
                           NULL);
}

/* Loads NVRTC, and starts no thread.
 *
 * Returns: (transfer full) (array zero-terminated=1): folders that compiling reads; empty if there
 *   is no NVRTC */
char **
_cured_compiler_list_folders (void)
{
  void *handle = open_library (NULL);

  if (handle == NULL)
    return g_new0 (char *, 1);
  g_autofree char *path = find_path (handle);
  g_auto (GStrv) include_options = find_include_options (path);
  return list_folders (path, include_options);
}

/* Finds and loads NVRTC: the file that the environment variable `CURED_NVRTC` names, else
 * `libnvrtc.so.13` or `.12` where the loader finds it, in the CUDA Toolkit's usual folders, or in
 * the active virtual environment. Blocks while loading.
 * Returns: (transfer full): the compiler, or NULL with %CURED_ERROR_NO_COMPILER */
CuredCompiler *
cured_compiler_new (GError **error)
{
  int major = 0, minor = 0;
  void *handle = open_library (error);

  if (handle == NULL)
    return NULL;

  g_autoptr (CuredCompiler) self = g_new0 (CuredCompiler, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  g_queue_init (&self->done);
  self->handle = handle;
  self->variants = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, variant_free);
  self->cache_folder = _cured_compiler_get_cache (_cured_is_confined ());
  self->cache_limit = get_cache_limit ();
  self->cache_bytes = G_MAXUINT64;
  self->ruleset = -1;
  self->path = g_strdup ("libnvrtc");
  if (!load_symbols (self, error))
    return NULL;
  g_free (self->path);
  self->path = find_path (handle);
  *(void **) &self->set_flow_callback = dlsym (self->handle, "nvrtcSetFlowCallback");
  self->nvrtc.version (&major, &minor);
  self->version = g_strdup_printf ("NVRTC %d.%d", major, minor);
  self->include_options = find_include_options (self->path);
  if (!_cured_is_confined ())
    {
      g_auto (GStrv) folders = list_folders (self->path, self->include_options);

      self->ruleset = _cured_landlock_new ((const char *const *) folders, NULL);
    }
  /* Leave one core for the thread that measures. */
  self->pool =
      g_thread_pool_new_full (prepare_cb, self, request_free,
                              (int) CLAMP (g_get_num_processors (), 2, 16) - 1, FALSE, NULL);
  /* No limit, since cancelled compilations end by themselves. */
  self->live = g_thread_pool_new_full (prepare_cb, self, request_free, -1, FALSE, NULL);
  return g_steal_pointer (&self);
}

/* @self: (nullable) (transfer full): a compiler
 *
 * Waits for running compilations, and drops pending ones. NVRTC itself stays
 * loaded. */
void
cured_compiler_free (CuredCompiler *self)
{
  if (self == NULL)
    return;
  if (self->pool != NULL)
    g_thread_pool_free (self->pool, TRUE, TRUE);
  if (self->live != NULL)
    g_thread_pool_free (self->live, FALSE, TRUE);
  g_queue_clear (&self->done);
  g_hash_table_unref (self->variants);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  if (self->ruleset >= 0)
    close (self->ruleset);
  CURED_CLEAR (path, g_free, version, g_free, include_options, g_strfreev, cache_folder, g_free);
  g_free (self);
}

/* Returns: (transfer none): "NVRTC 13.0" */
CURED_GETTER (const char *, cured_compiler_get_version, const CuredCompiler, version)

/* Returns: (transfer none): the file that NVRTC was loaded from */
CURED_GETTER (const char *, cured_compiler_get_path, const CuredCompiler, path)

/* With the mutex held: the variant of @key, and whether the caller must make it. */
static Variant *
claim_variant (CuredCompiler *self, const char *key, gboolean *is_new)
{
  Variant *variant = g_hash_table_lookup (self->variants, key);

  /* The thread that makes it frees it. */
  if (variant != NULL && g_atomic_int_get (&variant->is_abandoned))
    {
      g_hash_table_steal (self->variants, key);
      variant = NULL;
    }
  *is_new = variant == NULL;
  if (variant == NULL)
    {
      variant = g_new0 (Variant, 1);
      variant->key = g_strdup (key);
      g_hash_table_insert (self->variants, variant->key, variant);
    }
  return variant;
}

static Request *
request_new (Variant *variant, CuredSources *sources, const char *file_name,
             const char *const *options, const char *arch)
{
  Request *request = CURED_NEW (Request, .variant = variant, .sources = cured_sources_ref (sources),
                                .file_name = g_strdup (file_name),
                                .options = g_strdupv ((char **) options), .arch = g_strdup (arch));

  return request;
}

/* @sources: all files that it may read besides the toolkit's headers
 * @file_name: its name in messages
 * @options: (nullable) (array zero-terminated=1): additional options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 * @compile_ns: (out) (optional): time of compiling, in nanoseconds, when it was done, possibly long
 *   ago: the result is cached
 *
 * Blocks until the variant exists; waits for a variant that another thread is making instead of
 * making it twice. May be called by any thread. A cubin's PTX is kept, too: a caller that needs
 * both should request the cubin first, to compile only once.
 * Returns: (transfer full): the cubin, or PTX with a terminating 0; NULL with %CURED_ERROR_COMPILE
 *   and NVRTC's log */
GBytes *
cured_compiler_compile_sources (CuredCompiler *self, CuredSources *sources, const char *file_name,
                                const char *const *options, const char *arch, gint64 *compile_ns,
                                GError **error)
{
  g_autofree char *key = make_key (self, sources, file_name, options, arch);
  GBytes *image = NULL;
  gboolean is_new;

  g_mutex_lock (&self->mutex);
  Variant *variant = claim_variant (self, key, &is_new);
  variant->n_waiting++;
  if (is_new)
    {
      Request *request = request_new (variant, sources, file_name, options, arch);

      g_mutex_unlock (&self->mutex);
      make_variant (self, request);
      request_free (request);
      g_mutex_lock (&self->mutex);
    }
  while (!variant->is_done)
    g_cond_wait (&self->cond, &self->mutex);
  if (compile_ns != NULL)
    *compile_ns = variant->compile_ns;
  if (variant->image != NULL)
    image = g_bytes_ref (variant->image);
  else if (error != NULL)
    *error = g_error_copy (variant->error);
  variant->n_waiting--;
  trim (self);
  g_mutex_unlock (&self->mutex);
  return image;
}

/* @source: CUDA C
 * @file_name: its name in messages
 * @options: (nullable) (array zero-terminated=1): additional options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 * @compile_ns: (out) (optional): as of cured_compiler_compile_sources()
 *
 * As cured_compiler_compile_sources(), for a text that includes only the toolkit's headers.
 * Returns: (transfer full): the image; %NULL with an error */
GBytes *
cured_compiler_compile (CuredCompiler *self, const char *source, const char *file_name,
                        const char *const *options, const char *arch, gint64 *compile_ns,
                        GError **error)
{
  g_autoptr (CuredSources) sources = cured_sources_new_from_text (source);

  return cured_compiler_compile_sources (self, sources, file_name, options, arch, compile_ns,
                                         error);
}

/* @sources: as of cured_compiler_compile_sources()
 * @file_name: its name in messages
 * @options: (nullable) (array zero-terminated=1): additional options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 *
 * Starts compiling on another core, unless a thread has already; a later
 * cured_compiler_compile_sources() with the same arguments finds it. Never blocks. */
void
cured_compiler_prepare (CuredCompiler *self, CuredSources *sources, const char *file_name,
                        const char *const *options, const char *arch)
{
  g_autofree char *key = make_key (self, sources, file_name, options, arch);
  gboolean is_new;

  g_mutex_lock (&self->mutex);
  Variant *variant = claim_variant (self, key, &is_new);
  if (is_new)
    g_thread_pool_push (self->pool, request_new (variant, sources, file_name, options, arch), NULL);
  g_mutex_unlock (&self->mutex);
}

/* @sources: as of cured_compiler_compile_sources(), being edited
 * @file_name: its name in messages
 * @options: (nullable) (array zero-terminated=1): additional options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 * @log: (out) (optional) (transfer full) (nullable): NVRTC's warnings about a source that compiles;
 *   %NULL: none
 * @cancellable: (nullable): stops waiting at once, and the compilation if nobody else waits for
 *   it
 *
 * As cured_compiler_compile_sources(), but the result is kept only in memory: a source that is
 * being edited changes with every letter.
 * Returns: (transfer full): %NULL with %CURED_ERROR_COMPILE and NVRTC's log, or with
 *   %G_IO_ERROR_CANCELLED */
GBytes *
cured_compiler_compile_live (CuredCompiler *self, CuredSources *sources, const char *file_name,
                             const char *const *options, const char *arch, char **log,
                             GCancellable *cancellable, GError **error)
{
  GBytes *image = NULL;
  gboolean is_new;

  g_return_val_if_fail (self != NULL, NULL);

  if (log != NULL)
    *log = NULL;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  g_autofree char *key = make_key (self, sources, file_name, options, arch);
  g_mutex_lock (&self->mutex);
  Variant *variant = claim_variant (self, key, &is_new);
  variant->n_waiting++;
  if (is_new)
    {
      Request *request = request_new (variant, sources, file_name, options, arch);

      request->is_live = TRUE;
      variant->is_live = TRUE;
      g_thread_pool_push (self->live, request, NULL);
    }
  /* A cancellable can't wake a condition without another lock; polling every hundredth of a second
   * is fast enough. */
  while (!variant->is_done && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->cond, &self->mutex, g_get_monotonic_time () + 10000);
  variant->n_waiting--;
  if (!variant->is_done)
    {
      g_cancellable_set_error_if_cancelled (cancellable, error);
      if (variant->is_live && variant->n_waiting == 0)
        g_atomic_int_set (&variant->is_abandoned, TRUE);
    }
  else if (variant->image != NULL)
    {
      image = g_bytes_ref (variant->image);
      if (log != NULL)
        *log = g_strdup (variant->log);
    }
  else
    g_propagate_error (error, g_error_copy (variant->error));
  trim (self);
  g_mutex_unlock (&self->mutex);
  return image;
}

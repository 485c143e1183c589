/* SPDX-License-Identifier: MIT
 * NVRTC, found at run time, and a cache of what it made. */
#include "config.h"

#include "device/cured-compiler.h"

#include <inttypes.h>
#include <dlfcn.h>
#include <glib/gi18n-lib.h>
#include <glob.h>
#include <string.h>

#include "base/cured-error.h"

/* NVRTC's C interface, as far as it is used here (stable since CUDA 11.1; the
 * toolkit's header is not there on most machines that have only the library).
 * Source: NVRTC documentation, "User Interface". */
typedef struct _nvrtcProgram *NvrtcProgram;
typedef int NvrtcResult;

#define NVRTC_SUCCESS           0
#define NVRTC_ERROR_COMPILATION 6

typedef struct
{
  const char *(*get_error_string) (NvrtcResult);
  NvrtcResult (*version) (int *major, int *minor);
  NvrtcResult (*create_program) (NvrtcProgram *program,
                                 const char *source,
                                 const char *name,
                                 int n_headers,
                                 const char *const *headers,
                                 const char *const *include_names);
  NvrtcResult (*destroy_program) (NvrtcProgram *program);
  NvrtcResult (*compile_program) (NvrtcProgram program,
                                  int n_options,
                                  const char *const *options);
  NvrtcResult (*get_ptx_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_ptx) (NvrtcProgram program, char *ptx);
  NvrtcResult (*get_cubin_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_cubin) (NvrtcProgram program, char *cubin);
  NvrtcResult (*get_log_size) (NvrtcProgram program, size_t *size);
  NvrtcResult (*get_log) (NvrtcProgram program, char *log);
} Nvrtc;

/* ORDER: that of the struct. */
static const char *const nvrtc_symbols[] = {
  "nvrtcGetErrorString", "nvrtcVersion",
  "nvrtcCreateProgram",  "nvrtcDestroyProgram",
  "nvrtcCompileProgram", "nvrtcGetPTXSize",
  "nvrtcGetPTX",         "nvrtcGetCUBINSize",
  "nvrtcGetCUBIN",       "nvrtcGetProgramLogSize",
  "nvrtcGetProgramLog",
};

/* Newer than the rest: since CUDA 12.8. Its callback ends a compilation by
 * returning 1. */
typedef NvrtcResult (*SetFlowCallback) (NvrtcProgram program,
                                        int (*callback) (void *, void *),
                                        void *payload);

G_STATIC_ASSERT (sizeof (Nvrtc) ==
                 G_N_ELEMENTS (nvrtc_symbols) * sizeof (void *));

/* One variant. Lives in the table from the first request on, so that a second
 * thread that wants it waits for the first instead of compiling it again. */
typedef struct
{
  char *key;
  gboolean is_done;
  gboolean is_live; /* asked for by cured_compiler_compile_live() first */
  guint n_waiting;  /* threads that will still read it */
  int is_abandoned; /* atomic: who asked was cancelled, and nobody else waits */
  GBytes *image;    /* nullable: compiling failed */
  char *log;        /* nullable: NVRTC's, of a source that compiles */
  GError *error;
  gint64 compile_ns;
} Variant;

typedef struct
{
  Variant *variant;
  char *source;
  char *file_name;
  char **options;
  char *arch;
  gboolean is_live; /* of a source that is being edited: not for the disk */
} Request;

struct _CuredCompiler
{
  void *handle;
  Nvrtc nvrtc;
  SetFlowCallback set_flow_callback; /* nullable */
  char *path;
  char *version;
  char **include_options; /* for NVRTC; may be empty */
  char *cache_folder;
  GMutex mutex;
  GCond cond;
  GHashTable *variants; /* (element-type utf8 Variant) */
  GQueue done;          /* keys of finished variants, oldest first */
  GThreadPool *pool;    /* for cured_compiler_prepare() */
  GThreadPool *live;    /* for cured_compiler_compile_live() */
};

/* Variants kept in memory after they are done. The disk has all of them; this
 * only spares reading the file again, and a worker looks ahead by fewer. */
#define VARIANTS_KEPT 256

/* First line of a cached file, so that a cut or foreign one is not loaded:
 * magic, compile time, size of the log, and SHA-256 of what follows: the log
 * and the image. */
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

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->source);
  g_free (request->file_name);
  g_strfreev (request->options);
  g_free (request->arch);
  g_free (request);
}

static gboolean
load_symbols (CuredCompiler *self, GError **error)
{
  gpointer *functions = (gpointer *) &self->nvrtc;

  for (gsize i = 0; i < G_N_ELEMENTS (nvrtc_symbols); i++)
    {
      functions[i] = dlsym (self->handle, nvrtc_symbols[i]);
      if (functions[i] == NULL)
        {
          g_set_error (error,
                       CURED_ERROR,
                       CURED_ERROR_NO_COMPILER,
                       _ ("%s has no %s; install NVRTC of CUDA 12 or later"),
                       self->path,
                       nvrtc_symbols[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* NVRTC opens its builtins by their name alone, when it first compiles. In a
 * folder that the linker does not search, it finds them only where they are
 * loaded already: dlopen() knows what is loaded by name. */
static void
open_builtins (const char *library)
{
  g_autofree char *folder = g_path_get_dirname (library);
  g_autofree char *pattern =
      g_build_filename (folder, "libnvrtc-builtins.so.*", NULL);
  glob_t found;

  if (glob (pattern, GLOB_NOSORT, NULL, &found) != 0)
    return;
  for (gsize i = 0; i < found.gl_pathc; i++)
    dlopen (found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree (&found);
}

static void *
open_path (const char *library)
{
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);

  if (handle != NULL && strchr (library, '/') != NULL)
    open_builtins (library);
  return handle;
}

/* Opens the first file that matches, the highest name first, so that 13 is
 * preferred to 12. */
static void *
open_matching (const char *pattern)
{
  void *handle = NULL;
  glob_t found;

  /* GLOB_NOSORT: the locale's order would decide otherwise. */
  if (glob (pattern, GLOB_NOSORT, NULL, &found) == 0)
    {
      g_autoptr (GPtrArray) paths = g_ptr_array_new ();

      for (gsize i = 0; i < found.gl_pathc; i++)
        g_ptr_array_add (paths, found.gl_pathv[i]);
      g_ptr_array_sort (paths, compare_paths);
      for (guint i = paths->len; i > 0 && handle == NULL; i--)
        handle = open_path (paths->pdata[i - 1]);
      globfree (&found);
    }
  return handle;
}

static void *
open_in_environment_of_wheels (void)
{
  g_autofree char *executable = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = NULL;
  const char *active = g_getenv ("VIRTUAL_ENV");
  void *handle = NULL;

  if (active != NULL)
    {
      g_autofree char *pattern = g_build_filename (
          active,
          "lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1[23]",
          NULL);

      handle = open_matching (pattern);
    }
  if (executable == NULL)
    return handle;
  /* dev/test and dev/demo make nvrtc-venv in the build folder; programs lie in
   * a folder of it. */
  folder = g_path_get_dirname (executable);
  for (int up = 0; up < 3 && handle == NULL; up++)
    {
      g_autofree char *pattern = g_build_filename (
          folder,
          "nvrtc-venv/lib/python3*/site-packages/nvidia/*/lib/"
          "libnvrtc.so.1[23]",
          NULL);
      g_autofree char *parent = g_path_get_dirname (folder);

      handle = open_matching (pattern);
      g_free (g_steal_pointer (&folder));
      folder = g_steal_pointer (&parent);
    }
  return handle;
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
        g_set_error (error,
                     CURED_ERROR,
                     CURED_ERROR_NO_COMPILER,
                     _ ("CURED_NVRTC names %s, which can't be loaded: %s"),
                     chosen,
                     dlerror ());
      return handle;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names) && handle == NULL; i++)
    handle = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  for (gsize i = 0; i < G_N_ELEMENTS (patterns) && handle == NULL; i++)
    handle = open_matching (patterns[i]);
  if (handle == NULL)
    handle = open_in_environment_of_wheels ();
  if (handle == NULL)
    g_set_error_literal (
        error,
        CURED_ERROR,
        CURED_ERROR_NO_COMPILER,
        _ ("NVRTC (libnvrtc.so.13 or .12) was not found. Install the CUDA "
           "Toolkit or, with pip, nvidia-cuda-nvrtc and "
           "nvidia-cuda-runtime into an active virtual environment; or set "
           "CURED_NVRTC to the library's file"));
  return handle;
}

/* The toolkit's headers, for kernels that include some: beside the library in
 * a toolkit, and in the sister package among Python's wheels. Since CUDA 13 the
 * headers of the C++ library, which cooperative_groups.h needs, have a folder
 * of their own. */
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
      g_autofree char *cccl = g_build_filename (include, "cccl", NULL);

      if (!g_file_test (header, G_FILE_TEST_EXISTS))
        continue;
      g_ptr_array_add (options, g_strconcat ("-I", include, NULL));
      if (g_file_test (cccl, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (options, g_strconcat ("-I", cccl, NULL));
    }
  g_ptr_array_add (options, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&options), FALSE);
}

static GBytes *
read_cached (CuredCompiler *self,
             const char *key,
             char **log,
             gint64 *compile_ns)
{
  g_autofree char *path = g_build_filename (self->cache_folder, key, NULL);
  g_autofree char *contents = NULL;
  g_autofree char *sum = NULL;
  g_auto (GStrv) fields = NULL;
  gsize log_size;
  gsize size;
  char *end;

  if (!g_file_get_contents (path, &contents, &size, NULL))
    return NULL;
  end = memchr (contents, '\n', MIN (size, 256));
  if (end == NULL)
    return NULL;
  *end = '\0';
  end++;
  size -= (gsize) (end - contents);
  fields = g_strsplit (contents, " ", -1);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) end, size);
  if (g_strv_length (fields) != 4 || !g_str_equal (fields[0], CACHE_MAGIC) ||
      !g_str_equal (fields[3], sum))
    return NULL;
  *compile_ns = g_ascii_strtoll (fields[1], NULL, 10);
  log_size = (gsize) g_ascii_strtoull (fields[2], NULL, 10);
  if (log_size > size)
    return NULL;
  *log = log_size > 0 ? g_strndup (end, log_size) : NULL;
  return g_bytes_new (end + log_size, size - log_size);
}

static void
write_cached (CuredCompiler *self, const Variant *variant)
{
  g_autofree char *path =
      g_build_filename (self->cache_folder, variant->key, NULL);
  g_autofree char *sum = NULL;
  g_autofree char *head = NULL;
  gsize log_size = variant->log != NULL ? strlen (variant->log) : 0;
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gconstpointer data;
  gsize size;

  data = g_bytes_get_data (variant->image, &size);
  g_byte_array_append (file, (const guint8 *) variant->log, (guint) log_size);
  g_byte_array_append (file, data, (guint) size);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, file->data, file->len);
  head = g_strdup_printf (
      CACHE_MAGIC " %" PRId64 " %zu %s\n", variant->compile_ns, log_size, sum);
  g_byte_array_prepend (file, (const guint8 *) head, (guint) strlen (head));
  /* A cache that can't be written costs time, not results. */
  if (g_mkdir_with_parents (self->cache_folder, 0700) != 0 ||
      !g_file_set_contents (
          path, (const char *) file->data, (gssize) file->len, &error))
    g_debug ("%s is not cached: %s",
             path,
             error != NULL ? error->message : g_strerror (errno));
}

static char *
make_key (CuredCompiler *self,
          const char *source,
          const char *file_name,
          const char *const *options,
          const char *arch)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  /* Each part with its terminating 0, so that no two lists run together. */
#define ADD(text)                                                              \
  g_checksum_update (sum, (const guchar *) (text), (gssize) strlen (text) + 1)
  ADD (self->version);
  ADD (arch);
  ADD (file_name);
  for (gsize i = 0; options != NULL && options[i] != NULL; i++)
    ADD (options[i]);
  ADD (source);
#undef ADD
  return g_strdup (g_checksum_get_string (sum));
}

static int
flow_cb (void *payload, void *reserved)
{
  return g_atomic_int_get (&((Variant *) payload)->is_abandoned) ? 1 : 0;
}

/* NVRTC's remarks on a program, NULL where there are none. */
static char *
read_log (const Nvrtc *nvrtc, NvrtcProgram program)
{
  g_autofree char *log = NULL;
  size_t size = 0;

  if (nvrtc->get_log_size (program, &size) != NVRTC_SUCCESS || size <= 1)
    return NULL;
  log = g_malloc0 (size + 1);
  if (nvrtc->get_log (program, log) != NVRTC_SUCCESS)
    return NULL;
  g_strchomp (log);
  return *log != '\0' ? g_steal_pointer (&log) : NULL;
}

/* Compiles without any cache. */
static GBytes *
compile (CuredCompiler *self,
         const Request *request,
         char **log,
         GError **error)
{
  g_autoptr (GPtrArray) options = g_ptr_array_new ();
  g_autofree char *arch = NULL;
  g_autofree char *image = NULL;
  const Nvrtc *nvrtc = &self->nvrtc;
  gboolean is_ptx = g_str_has_prefix (request->arch, "compute_");
  NvrtcProgram program = NULL;
  NvrtcResult result;
  size_t size = 0;

  arch = g_strconcat ("--gpu-architecture=", request->arch, NULL);
  g_ptr_array_add (options, arch);
  g_ptr_array_add (options, (gpointer) "-lineinfo");
  for (char **option = self->include_options; *option != NULL; option++)
    g_ptr_array_add (options, *option);
  for (gsize i = 0; request->options != NULL && request->options[i] != NULL;
       i++)
    g_ptr_array_add (options, request->options[i]);

  result = nvrtc->create_program (
      &program, request->source, request->file_name, 0, NULL, NULL);
  if (result == NVRTC_SUCCESS && self->set_flow_callback != NULL)
    self->set_flow_callback (program, flow_cb, request->variant);
  if (result == NVRTC_SUCCESS)
    result = nvrtc->compile_program (
        program, (int) options->len, (const char *const *) options->pdata);
  if (result == NVRTC_SUCCESS)
    result = is_ptx ? nvrtc->get_ptx_size (program, &size)
                    : nvrtc->get_cubin_size (program, &size);
  if (result == NVRTC_SUCCESS)
    {
      image = g_malloc (MAX (size, 1));
      result = is_ptx ? nvrtc->get_ptx (program, image)
                      : nvrtc->get_cubin (program, image);
    }
  if (program != NULL)
    *log = read_log (nvrtc, program);
  if (result != NVRTC_SUCCESS)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_COMPILE,
                 _ ("%s does not compile for %s (%s)%s%s"),
                 request->file_name,
                 request->arch,
                 nvrtc->get_error_string (result),
                 *log != NULL ? ":\n" : "",
                 *log != NULL ? *log : "");
  if (program != NULL)
    nvrtc->destroy_program (&program);
  if (result != NVRTC_SUCCESS)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&image), size);
}

/* With the mutex held: drops a variant that nobody will ever read. */
static void
drop_variant (CuredCompiler *self, Variant *variant)
{
  if (g_hash_table_lookup (self->variants, variant->key) == variant)
    g_hash_table_remove (self->variants, variant->key);
  else
    variant_free (variant);
}

/* Makes the variant and tells who waits for it. Called with the mutex free, by
 * the one thread that put the variant into the table. */
static void
make_variant (CuredCompiler *self, const Request *request)
{
  Variant *variant = request->variant;
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;
  gint64 compile_ns = 0;
  GBytes *image = NULL;

  if (!g_atomic_int_get (&variant->is_abandoned))
    image = read_cached (self, variant->key, &log, &compile_ns);
  if (image == NULL && !g_atomic_int_get (&variant->is_abandoned))
    {
      gint64 start = g_get_monotonic_time ();

      image = compile (self, request, &log, &error);
      compile_ns = (g_get_monotonic_time () - start) * 1000;
      if (image != NULL && !request->is_live)
        {
          Variant fresh = { .key = variant->key,
                            .image = image,
                            .log = log,
                            .compile_ns = compile_ns };

          write_cached (self, &fresh);
        }
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

/* With the mutex held: forgets the oldest finished variants. */
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

/**
 * cured_compiler_new:
 * @error: return location
 *
 * Finds and loads NVRTC: the file that the environment variable `CURED_NVRTC`
 * names, else `libnvrtc.so.13` or `.12` where the loader finds it, in the CUDA
 * Toolkit's usual folders, in the active virtual environment, or in
 * `nvrtc-venv` in a folder above the program. Blocks for the loading.
 *
 * Returns: (transfer full): the compiler, or NULL with
 *   %CURED_ERROR_NO_COMPILER
 */
CuredCompiler *
cured_compiler_new (GError **error)
{
  g_autoptr (CuredCompiler) self = NULL;
  Dl_info info;
  int major = 0;
  int minor = 0;
  void *handle = open_library (error);

  if (handle == NULL)
    return NULL;

  self = g_new0 (CuredCompiler, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  g_queue_init (&self->done);
  self->handle = handle;
  self->variants =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, variant_free);
  self->cache_folder =
      g_build_filename (g_get_user_cache_dir (), "cured", "compiled", NULL);
  self->path = g_strdup ("libnvrtc");
  if (!load_symbols (self, error))
    return NULL;
  if (dladdr (*(void **) &self->nvrtc.version, &info) != 0 &&
      info.dli_fname != NULL)
    {
      g_autofree char *real = realpath (info.dli_fname, NULL);

      g_free (self->path);
      self->path = g_strdup (real != NULL ? real : info.dli_fname);
    }
  *(void **) &self->set_flow_callback =
      dlsym (self->handle, "nvrtcSetFlowCallback");
  self->nvrtc.version (&major, &minor);
  self->version = g_strdup_printf ("NVRTC %d.%d", major, minor);
  self->include_options = find_include_options (self->path);
  /* One core stays free for the thread that measures. */
  self->pool =
      g_thread_pool_new_full (prepare_cb,
                              self,
                              request_free,
                              (int) CLAMP (g_get_num_processors (), 2, 16) - 1,
                              FALSE,
                              NULL);
  /* As many as there are: what is not wanted any more ends by itself. */
  self->live =
      g_thread_pool_new_full (prepare_cb, self, request_free, -1, FALSE, NULL);
  return g_steal_pointer (&self);
}

/**
 * cured_compiler_free:
 * @self: (nullable) (transfer full): a compiler
 *
 * Waits for compilations that run, and drops those that were only asked for.
 * NVRTC itself stays loaded.
 */
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
  g_free (self->path);
  g_free (self->version);
  g_strfreev (self->include_options);
  g_free (self->cache_folder);
  g_free (self);
}

/**
 * cured_compiler_get_version:
 * @self: a compiler
 *
 * Returns: (transfer none): "NVRTC 13.0"
 */
const char *
cured_compiler_get_version (const CuredCompiler *self)
{
  return self->version;
}

/**
 * cured_compiler_get_path:
 * @self: a compiler
 *
 * Returns: (transfer none): the file that NVRTC was loaded from
 */
const char *
cured_compiler_get_path (const CuredCompiler *self)
{
  return self->path;
}

/* With the mutex held: the variant of @key, and whether the caller is the one
 * who has to make it. */
static Variant *
claim_variant (CuredCompiler *self, const char *key, gboolean *is_new)
{
  Variant *variant = g_hash_table_lookup (self->variants, key);

  /* Who makes it frees it. */
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
request_new (Variant *variant,
             const char *source,
             const char *file_name,
             const char *const *options,
             const char *arch)
{
  Request *request = g_new0 (Request, 1);

  request->variant = variant;
  request->source = g_strdup (source);
  request->file_name = g_strdup (file_name);
  request->options = g_strdupv ((char **) options);
  request->arch = g_strdup (arch);
  return request;
}

/**
 * cured_compiler_compile:
 * @self: a compiler
 * @source: CUDA C
 * @file_name: the name that messages give it
 * @options: (nullable) (array zero-terminated=1): further options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 * @compile_ns: (out) (optional): what compiling took, in nanoseconds, when it
 *   was done (which may be long ago: the result is cached)
 * @error: return location
 *
 * Blocks until the variant is there; a variant that another thread is making
 * is waited for, not made twice. Any thread.
 *
 * Returns: (transfer full): the cubin, or PTX with a terminating 0; NULL with
 *   %CURED_ERROR_COMPILE and NVRTC's log
 */
GBytes *
cured_compiler_compile (CuredCompiler *self,
                        const char *source,
                        const char *file_name,
                        const char *const *options,
                        const char *arch,
                        gint64 *compile_ns,
                        GError **error)
{
  g_autofree char *key = make_key (self, source, file_name, options, arch);
  Variant *variant;
  GBytes *image = NULL;
  gboolean is_new;

  g_mutex_lock (&self->mutex);
  variant = claim_variant (self, key, &is_new);
  variant->n_waiting++;
  if (is_new)
    {
      Request *request =
          request_new (variant, source, file_name, options, arch);

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

/**
 * cured_compiler_prepare:
 * @self: a compiler
 * @source: CUDA C
 * @file_name: the name that messages give it
 * @options: (nullable) (array zero-terminated=1): further options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 *
 * Starts compiling on another core, if nobody has yet; a later
 * cured_compiler_compile() with the same arguments finds it. Never blocks.
 */
void
cured_compiler_prepare (CuredCompiler *self,
                        const char *source,
                        const char *file_name,
                        const char *const *options,
                        const char *arch)
{
  g_autofree char *key = make_key (self, source, file_name, options, arch);
  Variant *variant;
  gboolean is_new;

  g_mutex_lock (&self->mutex);
  variant = claim_variant (self, key, &is_new);
  if (is_new)
    g_thread_pool_push (self->pool,
                        request_new (variant, source, file_name, options, arch),
                        NULL);
  g_mutex_unlock (&self->mutex);
}

/**
 * cured_compiler_compile_live:
 * @self: a compiler
 * @source: CUDA C, as it is being edited
 * @file_name: the name that messages give it
 * @options: (nullable) (array zero-terminated=1): further options of NVRTC
 * @arch: "sm_90" for a cubin, "compute_90" for PTX
 * @log: (out) (optional) (transfer full) (nullable): what NVRTC remarks on a
 *   source that compiles: its warnings; %NULL: nothing
 * @cancellable: (nullable): ends the waiting at once, and the compilation where
 *   nobody else waits for it
 * @error: return location
 *
 * As cured_compiler_compile(), but what is made is kept in memory alone: a
 * source that is being edited is another one with every letter.
 *
 * Returns: (transfer full): %NULL with %CURED_ERROR_COMPILE and NVRTC's log,
 *   or with %G_IO_ERROR_CANCELLED
 */
GBytes *
cured_compiler_compile_live (CuredCompiler *self,
                             const char *source,
                             const char *file_name,
                             const char *const *options,
                             const char *arch,
                             char **log,
                             GCancellable *cancellable,
                             GError **error)
{
  g_autofree char *key = NULL;
  GBytes *image = NULL;
  Variant *variant;
  gboolean is_new;

  g_return_val_if_fail (self != NULL, NULL);

  if (log != NULL)
    *log = NULL;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  key = make_key (self, source, file_name, options, arch);
  g_mutex_lock (&self->mutex);
  variant = claim_variant (self, key, &is_new);
  variant->n_waiting++;
  if (is_new)
    {
      Request *request =
          request_new (variant, source, file_name, options, arch);

      request->is_live = TRUE;
      variant->is_live = TRUE;
      g_thread_pool_push (self->live, request, NULL);
    }
  /* A cancellable can't wake a condition without a lock of its own; a hundredth
   * of a second is soon enough. */
  while (!variant->is_done && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (
        &self->cond, &self->mutex, g_get_monotonic_time () + 10000);
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

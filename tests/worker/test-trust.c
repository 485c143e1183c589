/* SPDX-License-Identifier: MIT
 * What a stranger's kernel tries, and what a worker that lies gets believed. Each attack has a twin
 * that is as it should be, and works. */
#include <cured.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cured-confine-internal.h"
#include "inspect/cured-inspection-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "test-compiled.h"
#include "test.h"
#include "worker/cured-examiner-internal.h"
#include "base/cured-json-internal.h"
#include "record-fill.h"
#include "worker/cured-message-private.h"

static const char header[] = "/*! cured\n * [Kernel]\n * Title=Test\n *\n"
                             " * [Buffer out]\n * Type=i32\n * Length=32\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=test\n * Grid=1\n * Block=32\n"
                             " * Arguments=out\n *\n"
                             " * [Check]\n * Output=out\n * Reference=index\n */\n";
static const char entry[] = "#ifndef BEGIN\n"
                            "#define BEGIN(words) (words)\n"
                            "#endif\n"
                            "extern \"C\" __global__ void\ntest (int *out)\n{\n"
                            "  __shared__ int words[1025];\n"
                            "  int *tile = BEGIN (words);\n"
                            "  tile[32 * threadIdx.x] = threadIdx.x;\n"
                            "  __syncthreads ();\n"
                            "  out[threadIdx.x] = tile[32 * threadIdx.x];\n}\n";

/* What no answer may say. */
static const char secret_line[] = "int secret_of_a_person";

static char *folder;
static char *secret; /* a file in it */
static CuredExaminer *examiner;

static CuredKernel *
make_kernel (const char *body, const char *path)
{
  g_autofree char *text = g_strconcat (header, body, entry, NULL);
  return MUST (cured_kernel_new_from_text (text, "test", path, &fail));
}

/* As one that came in a result file; with @is_blind, as if its includes had not been
 * examined. */
static CuredInspection *
inspect (const char *body, const char *path, gboolean is_blind, GError **error)
{
  g_autoptr (CuredKernel) kernel = make_kernel (body, path);
  CuredBankQuery query;
  gint64 values[1] = { 0 };

  if (is_blind)
    {
      g_autoptr (CuredSources) sources = cured_sources_new_from_text (kernel->source);
      g_autoptr (CuredKernel) looked_through = g_steal_pointer (&kernel);

      kernel = _cured_kernel_new_from_sources (looked_through->text, looked_through->id,
                                               looked_through->path, sources, NULL, error);
      if (kernel == NULL)
        return NULL;
    }
  cured_bank_query_init (&query);
  return cured_examiner_inspect (examiner, kernel, values, &cured_profile_find ("sm_90")->limits,
                                 &query, CURED_INSPECTION_TIME_LIMIT_MS, NULL, error);
}

static gboolean
has_landlock (void)
{
  int ruleset = _cured_landlock_new (NULL, NULL);

  if (ruleset >= 0)
    close (ruleset);
  return ruleset >= 0;
}

/* All that is said of a kernel. */
static char *
describe (const CuredInspection *inspection)
{
  g_autoptr (GString) text = g_string_new (inspection->ptx);

  for (guint i = 0; i < inspection->diagnostics->len; i++)
    g_string_append_printf (text, "\n%s",
                            ((const CuredDiagnostic *) inspection->diagnostics->pdata[i])->text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
has_error (const CuredInspection *inspection)
{
  for (guint i = 0; i < inspection->diagnostics->len; i++)
    if (((const CuredDiagnostic *) inspection->diagnostics->pdata[i])->severity ==
        CURED_SEVERITY_ERROR)
      return TRUE;
  return FALSE;
}

static void
assert_works (const char *body, const char *path)
{
  g_autoptr (CuredInspection) inspection = MUST (inspect (body, path, FALSE, &fail));

  g_autofree char *text = describe (inspection);
  if (has_error (inspection))
    g_error ("%s: %s", body, text);
  g_assert_nonnull (inspection->banks);
  g_assert_cmpuint (inspection->banks->n_sites, ==, 2);
}

/* -- reading -- */

/* A private file, by each directive that could have it, looked through or not: none of its lines
 * comes back. */
TEST ("/trust/read")
{
  /* clang-format off */
  static const char *const forms[] = {
    "#include \"%s\"\n",
    "#include <%s>\n",
    "%%:include \"%s\"\n",
    "#include_next \"%s\"\n",
    "#import \"%s\"\n",
    "const char bytes[] = {\n#embed \"%s\"\n};\n",
    "#pragma include_alias(\"cuda_fp16.h\", \"%s\")\n#include \"cuda_fp16.h\"\nint broken = ;\n",
    "#pragma GCC dependency \"%s\"\nint broken = ;\n",
    "#line 1 \"%s\"\nint broken = ;\n",
    "#define M \"%s\"\n#include M\n",
    "__device__ void f () { asm volatile (\".file 1 \\\"%s\\\"\"); }\n__global__ void g () { f (); }\n",
    "__device__ void f () { asm volatile (\".incbin \\\"%s\\\"\"); }\n__global__ void g () { f (); }\n",
    "__device__ void f () { asm volatile (\".include \\\"%s\\\"\"); }\n__global__ void g () { f (); }\n",
  };
  /* clang-format on */
  g_autofree char *relative = g_build_filename ("..", "..", "..", "..", "..", "..", secret, NULL);
  const char *const names[] = { secret, relative };

  if (!need_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      for (int is_blind = 0; is_blind < (has_landlock () ? 2 : 1); is_blind++)
        {
          g_autoptr (GString) body = g_string_new (forms[i]);

          g_string_replace (body, "%%", "%", 0);
          g_string_replace (body, "%s", names[k], 0);
          g_autoptr (CuredInspection) inspection =
              MUST (inspect (body->str, NULL, is_blind != 0, &fail));
          g_autofree char *text = describe (inspection);
          if (strstr (text, secret_line) != NULL)
            g_error ("%s came back: %s", body->str, text);
        }
  /* The twins: the toolkit's header, and a file of the kernel's own folder. */
  assert_works ("#if __has_include(<cuda_fp16.h>)\n"
                "#include <cuda_fp16.h>\n"
                "#endif\n",
                NULL);
  {
    g_autofree char *path = g_build_filename (folder, "test.cu", NULL);

    assert_works ("#include \"own.cuh\"\nstatic_assert (OWN == 7);\n", path);
  }
}

/* Not even the existence of the file is revealed. */
/* A source that came in a result file is looked at where the reference that it names is not. */
TEST ("/trust/reference")
{
  g_autoptr (GString) text = g_string_new (header);
  CuredBankQuery query;
  gint64 values[1] = { 0 };

  if (!need_compiler ())
    return;
  g_string_replace (text, "Reference=index", "Reference=./other.cu", 1);
  g_string_append (text, entry);
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text->str, "test", NULL, &fail));
  cured_bank_query_init (&query);
  g_autoptr (CuredInspection) inspection =
      MUST (cured_examiner_inspect (examiner, kernel, values, &cured_profile_find ("sm_90")->limits,
                                    &query, CURED_INSPECTION_TIME_LIMIT_MS, NULL, &fail));
  g_assert_nonnull (inspection->banks);
}

TEST ("/trust/has-include")
{
  g_autofree char *body = g_strdup_printf ("#if __has_include(\"%s\")\n#endif\n", secret);

  if (!need_compiler ())
    return;
  g_autoptr (CuredInspection) inspection = MUST (inspect (body, NULL, FALSE, &fail));
  g_assert_true (has_error (inspection));
  assert_works ("#if __has_include(\"not-there.h\")\n#error there\n#endif\n", NULL);
}

/* -- writing -- */

static CuredState
measure (const char *unsafe_options, double limit_s, const char *body)
{
  g_autoptr (CuredKernel) kernel = make_kernel (body, NULL);
  CuredDevice *device = MUST (cured_device_open_confined ("emulator", &fail));
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  gint64 values[1] = { 0 };
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  g_assert_false (cured_device_has_time (device));
  cured_options_init (&options);
  options.cold = FALSE;
  options.hot = FALSE;
  options.limit_s = limit_s;
  options.unsafe_options = g_strdup (unsafe_options);
  MUST (cured_measure (device, &job, outcome, NULL, &fail));
  cured_device_close (device);
  if (outcome->reason != NULL)
    g_assert_null (strstr (outcome->reason, secret_line));
  return outcome->state;
}

/* Options that were let through all the same write nothing. */
TEST ("/trust/write")
{
  static const char *const options[] = { "--time=", "--fdevice-time-trace=" };

  if (!need_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (options) && has_landlock (); i++)
    {
      g_autofree char *path = g_build_filename (folder, "written", NULL);
      g_autofree char *option = g_strconcat (options[i], path, NULL);

      measure (option, 20, "");
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
  g_assert_cmpint (measure ("-DANY=1", 3000, ""), ==, CURED_STATE_OK);
}

/* -- wasting -- */

/* What never ends, or wants more than there is, ends with a sentence; the next question is
 * answered. */
TEST ("/trust/waste")
{
  static const char *const bodies[] = {
    /* 2^60 instances */
    "template <int D, int I> struct T\n"
    "{ static const int v = T<D - 1, 2 * I>::v + T<D - 1, 2 * I + 1>::v; };\n"
    "template <int I> struct T<0, I> { static const int v = I; };\n"
    "__device__ int x = T<60, 0>::v;\n",
    /* 10 GB of initialisers */
    "__device__ int a[2684354560ull] = { 1 };\n",
    /* 2^32 of them, of a few macros */
    "#define A(x) x x\n"
    "#define B(x) A(A(A(A(A(A(A(A(x))))))))\n"
    "#define C(x) B(B(B(B(x))))\n"
    "__device__ int y[] = { C(1,) };\n",
    /* A recursion that never ends */
    "template <int D> struct T { static const int v = T<D + 1>::v; };\n"
    "__device__ int x = T<0>::v;\n",
  };

  if (!need_compiler ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (GError) error = NULL;

      cured_examiner_set_limit (examiner, 2);
      g_autoptr (CuredInspection) inspection = inspect (bodies[i], NULL, FALSE, &error);
      cured_examiner_set_limit (examiner, 120);
      if (inspection != NULL)
        g_assert_true (has_error (inspection));
      else
        g_assert_true (g_error_matches (error, CURED_ERROR, CURED_ERROR_TIMED_OUT) ||
                       g_error_matches (error, CURED_ERROR, CURED_ERROR_CRASHED));
      assert_works ("template <int D> struct T\n"
                    "{ static const int v = T<D - 1>::v + 1; };\n"
                    "template <> struct T<0> { static const int v = 0; };\n"
                    "__device__ int x = T<50>::v;\n"
                    "__device__ int a[1000] = { 1 };\n",
                    NULL);
    }
}

TEST ("/trust/loop")
{
  g_autofree char *path = g_build_filename (folder, "test.cu", NULL);

  if (!need_compiler ())
    return;
  g_autoptr (CuredInspection) inspection =
      MUST (inspect ("#include \"loop.h\"\n", path, FALSE, &fail));
  g_assert_true (has_error (inspection));
  assert_works ("#include \"once.h\"\n", path);
}

/* -- the process -- */

static int
try_execute (void)
{
  char *argv[] = { (char *) "/bin/true", NULL };

  execv (argv[0], argv);
  return errno;
}

static int
try_fork (void)
{
  pid_t pid = fork ();

  if (pid == 0)
    _exit (0);
  if (pid > 0)
    waitpid (pid, NULL, 0);
  return pid < 0 ? errno : 0;
}

static int
try_socket (void)
{
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);

  if (fd >= 0)
    close (fd);
  return fd < 0 ? errno : 0;
}

static int
try_open (const char *path, int flags)
{
  int fd = open (path, flags, 0600);

  if (fd >= 0)
    close (fd);
  return fd < 0 ? errno : 0;
}

#define EXPECT(is_held, call)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    int number = (call);                                                                           \
                                                                                                   \
    if ((is_held) && number == 0)                                                                  \
      g_error ("a confined process could do this: %s", #call);                                     \
    if (!(is_held) && number != 0)                                                                 \
      g_error ("%s: %s", #call, g_strerror (number));                                              \
  }                                                                                                \
  G_STMT_END

static gpointer
do_nothing (gpointer data)
{
  return data;
}

static void
assert_limit (int resource, rlim_t most_soft, rlim_t most_hard)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit ((__rlimit_resource_t) resource, &limit), ==, 0);
  g_assert_cmpuint (limit.rlim_cur, <=, most_soft);
  g_assert_cmpuint (limit.rlim_max, <=, most_hard);
}

/* What docs/trust.md says of a confined process. */
static void
check_limits (guint held)
{
  const rlim_t file_bytes = (rlim_t) 256 << 20;

  assert_limit (RLIMIT_CORE, 0, 0);
  assert_limit (RLIMIT_FSIZE, file_bytes, file_bytes);
  assert_limit (RLIMIT_CPU, 100000, RLIM_INFINITY);
  if ((held & CURED_CONFINED_MEMORY) != 0)
    assert_limit (RLIMIT_AS, (rlim_t) 8 << 30,
                  (rlim_t) sysconf (_SC_PHYS_PAGES) * (rlim_t) sysconf (_SC_PAGESIZE));
  g_assert_cmpint (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), ==, 1);
}

/* A call whose sixth argument is this is asked for and never made. */
#define PROBE        0x43524544
#define PROBE_PASSED 4000

/* Before the filter that is tested: a call that it lets through fails by this one, since of two
 * errors the later filter's counts. @missing does not exist, as on an older kernel. */
static void
add_probe_filter (int missing)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) missing, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
              offsetof (struct seccomp_data, args[5]) + (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PROBE, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | PROBE_PASSED),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { .len = G_N_ELEMENTS (code), .filter = code };

  g_assert_cmpint (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
  g_assert_cmpint (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

static gboolean
is_let_through (long call, long first, long second)
{
  long result = syscall (call, first, second, -1L, -1L, -1L, (long) PROBE);

  g_assert_cmpint (result, ==, -1);
  if (errno != PROBE_PASSED && errno != EPERM && errno != ENOSYS)
    g_error ("call %ld: %s", call, g_strerror (errno));
  return errno == PROBE_PASSED;
}

/* uretprobe and uprobe, which no filter is asked about since Linux 6.14: they work from the kernel's
 * own code alone, and give whoever else calls them a SIGILL. */
static gboolean
is_probe_of_kernel (int call)
{
#ifdef __x86_64__
  return call == 335 || call == 336;
#else
  return call < 0;
#endif
}

/* Every number that a call has or may get; then, of those that depend on it, what they are asked. */
static void
check_calls (void)
{
  static const struct
  {
    const char *what;
    int number;
  } refused[] = {
#define CALL(name) { #name, __NR_##name },
    CALL (execve) CALL (execveat) CALL (socket) CALL (socketpair) CALL (connect) CALL (sendmsg)
        CALL (ptrace) CALL (process_vm_writev) CALL (rt_sigqueueinfo) CALL (rt_tgsigqueueinfo)
            CALL (tkill) CALL (timer_create) CALL (sched_setaffinity) CALL (sched_setscheduler)
                CALL (sched_setattr) CALL (setpriority) CALL (ioprio_set) CALL (memfd_create)
                    CALL (shmget) CALL (mq_open) CALL (fchmod) CALL (fchmodat) CALL (fchownat)
                        CALL (utimensat) CALL (setxattr) CALL (fsetxattr) CALL (truncate)
                            CALL (ftruncate) CALL (linkat) CALL (symlinkat) CALL (mknodat)
                                CALL (io_setup) CALL (bpf) CALL (unshare) CALL (setns) CALL (mount)
                                    CALL (setsid) CALL (setpgid) CALL (seccomp) CALL (vmsplice)
#undef CALL
                                        { "pidfd_send_signal", 424 },
    { "io_uring_setup", 425 },
    { "open_tree", 428 },
    { "pidfd_open", 434 },
    { "clone3", 435 },
    { "openat2", 437 },
    { "memfd_secret", 447 },
    { "fchmodat2", 452 },
    { "setxattrat", 463 },
    { "removexattrat", 466 },
    { "file_setattr", 469 },
  };
  const struct
  {
    const char *what;
    int number;
    long first, second;
    gboolean is_allowed;
  } asked[] = {
    { "a thread", __NR_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, 0, TRUE },
    { "a process", __NR_clone, SIGCHLD, 0, FALSE },
    { "a thread in a namespace", __NR_clone, CLONE_VM | CLONE_THREAD | CLONE_NEWUTS, 0, FALSE },
    { "a signal to itself", __NR_tgkill, getpid (), 0, TRUE },
    { "to its parent", __NR_kill, getppid (), 0, FALSE },
    { "to its group", __NR_kill, 0, 0, FALSE },
    { "to the parent's thread", __NR_tgkill, getppid (), 0, FALSE },
    { "its own limits", __NR_prlimit64, 0, RLIMIT_AS, TRUE },
    { "the parent's limits", __NR_prlimit64, getppid (), RLIMIT_AS, FALSE },
    { "a copy of a descriptor", __NR_fcntl, 0, F_DUPFD_CLOEXEC, TRUE },
    { "who gets SIGIO", __NR_fcntl, 0, F_SETOWN, FALSE },
    { "a larger pipe", __NR_fcntl, 0, F_SETPIPE_SZ, FALSE },
    { "the size of a terminal", __NR_ioctl, 0, TIOCGWINSZ, TRUE },
    { "input for a terminal", __NR_ioctl, 0, TIOCSTI, FALSE },
    { "a thread's name", __NR_prctl, PR_SET_NAME, 0, TRUE },
    { "the parent's death", __NR_prctl, PR_SET_PDEATHSIG, 0, FALSE },
  };
  g_autoptr (GString) numbers = g_string_new (NULL);
  guint n_allowed = 0;

  for (int call = 0; call < 1024; call++)
    if (!is_probe_of_kernel (call) && is_let_through (call, -1, -1))
      {
        g_string_append_printf (numbers, " %d", call);
        n_allowed++;
      }
  g_print ("# %u of 1,024 calls pass whatever they ask:%s\n", n_allowed, numbers->str);
  g_assert_cmpuint (n_allowed, >, 50);
  g_assert_cmpuint (n_allowed, <, 110);
  for (int call = 470; call < 1024; call++)
    g_assert_false (is_let_through (call, -1, -1));
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    if (is_let_through (refused[i].number, -1, -1))
      g_error ("a confined process could do this: %s", refused[i].what);
  for (gsize i = 0; i < G_N_ELEMENTS (asked); i++)
    if (is_let_through (asked[i].number, asked[i].first, asked[i].second) != asked[i].is_allowed)
      g_error ("%s: %s", asked[i].what, asked[i].is_allowed ? "refused" : "let through");
#ifdef __x86_64__
  /* The same calls by other numbers. */
  g_assert_false (is_let_through (0x40000000 + __NR_getpid, -1, -1));
#endif
}

/* In a process of its own, which is confined from here on. */
G_GNUC_NORETURN static void
run_confined (const char *where)
{
  g_autofree char *own = g_build_filename (where, "cache", NULL);
  g_autofree char *inside = g_build_filename (own, "inside", NULL);
  g_autofree char *outside = g_build_filename (where, "outside", NULL);
  g_autofree char *private = g_build_filename (where, "secret.txt", NULL);
  const char *writable[] = { own, NULL };
  const char *missing = g_getenv ("CURED_TEST_MISSING");
  gpointer memory;
  guint held = 0;

  add_probe_filter (g_strcmp0 (missing, "landlock") == 0 ? 444 /* landlock_create_ruleset */
                    : g_strcmp0 (missing, "proc") == 0   ? __NR_getdents64
                                                         : -1);
  for (int turn = 0; turn < 2; turn++)
    {
      gboolean files = (held & CURED_CONFINED_FILES) != 0;
      gboolean calls = (held & CURED_CONFINED_CALLS) != 0;

      EXPECT (files, try_open (private, O_RDONLY));
      EXPECT (files, try_open ("/etc/hostname", O_RDONLY));
      EXPECT (files, try_open (outside, O_WRONLY | O_CREAT));
      EXPECT (files, g_unlink (outside) == 0 ? 0 : errno);
      EXPECT (FALSE, try_open (inside, O_WRONLY | O_CREAT));
      EXPECT (FALSE, try_open (inside, O_RDONLY));
      EXPECT (FALSE, g_unlink (inside) == 0 ? 0 : errno);
      EXPECT (FALSE, try_open ("/usr/bin/env", O_RDONLY));
      EXPECT (calls, try_fork ());
      EXPECT (calls, try_socket ());
      if (calls || turn == 0)
        EXPECT (calls, kill (getppid (), 0) == 0 ? 0 : errno);
      EXPECT (FALSE, kill (getpid (), 0) == 0 ? 0 : errno);
      if (turn == 0)
        {
          /* So that it is there to be deleted. */
          EXPECT (FALSE, try_open (outside, O_WRONLY | O_CREAT));
          held = _cured_confine_process (NULL, writable);
        }
    }
  if ((held & CURED_CONFINED_FILES) == 0)
    g_print ("# no Landlock\n");
  if ((held & CURED_CONFINED_CALLS) != 0)
    {
      g_assert_cmpint (try_execute (), ==, ENOSYS);
      check_calls ();
    }
  if (g_strcmp0 (missing, "proc") == 0)
    g_assert_cmpint ((held & CURED_CONFINED_FILES) != 0, ==, has_landlock ());
  check_limits (held);
  if ((held & CURED_CONFINED_MEMORY) != 0)
    {
      memory = g_try_malloc ((gsize) 1 << 40);
      g_assert_null (memory);
    }
  /* Threads are what a compiler has. */
  g_thread_join (g_thread_new ("test", do_nothing, NULL));
  /* A sanitizer that looks for leaks at the end reads what is closed now. */
  fflush (stdout);
  _exit (0);
}

/* As this kernel is, and as one that lacks @user_data. */
static void
test_confined (gconstpointer user_data)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *cache = g_build_filename (folder, "cache", NULL);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);

  if (!g_file_test ("/etc/hostname", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no /etc/hostname to read");
      return;
    }
  g_mkdir (cache, 0700);
  g_subprocess_launcher_setenv (launcher, "CURED_TEST_CONFINED", folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "CURED_TEST_MISSING", user_data, TRUE);
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawn (launcher, &fail, self, NULL));
  MUST (g_subprocess_wait_check (process, NULL, &fail));
}

/* -- lies -- */

/* As it is sent, in one line. */
static char *
make_answer (void)
{
  g_autoptr (CuredInspection) inspection = MUST (inspect ("", NULL, FALSE, &fail));

  return record_to_text (&_cured_inspection_record, inspection);
}

/* NULL: refused, or no JSON */
static CuredInspection *
read_answer (const char *text, GError **error)
{
  g_autoptr (CuredInspection) inspection = _cured_inspection_new_empty ();
  g_autoptr (JsonNode) node = _cured_json_parse (text, CURED_MESSAGE_MAX_BYTES, error);

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  return _cured_record_from_json (&_cured_inspection_record, json_node_get_object (node),
                                  inspection, error)
             ? g_steal_pointer (&inspection)
             : NULL;
}

/* What is sent is what arrives. */
TEST ("/trust/answer")
{
  if (!need_compiler ())
    return;
  g_autofree char *answer = make_answer ();
  g_autoptr (CuredInspection) inspection = MUST (read_answer (answer, &fail));
  g_assert_cmpuint (inspection->banks->n_sites, ==, 2);
  g_assert_cmpuint (inspection->banks->sites[0].patterns[0].counts.conflicts, ==, 31);
  g_autofree char *again = record_to_text (&_cured_inspection_record, inspection);
  g_assert_cmpstr (answer, ==, again);
}

/* A view's faults come along; without faults, the list is empty. */
TEST ("/trust/fault")
{
  if (!need_compiler ())
    return;
  g_autoptr (CuredInspection) good = MUST (inspect ("", NULL, FALSE, &fail));
  g_assert_cmpuint (good->banks->faults->len, ==, 0);
  g_autoptr (CuredInspection) bad = MUST (
      inspect ("#define BEGIN(words) ((int *) ((char *) (words) + 2))\n", NULL, FALSE, &fail));
  g_assert_nonnull (bad->banks);
  g_assert_cmpuint (bad->banks->faults->len, >, 0);
  g_assert_cmpint (((const CuredFinding *) bad->banks->faults->pdata[0])->kind, ==,
                   CURED_FINDING_MISALIGNED);
}

/* Digits that were changed are refused, or make an answer that is as it should be in what others
 * rely on. */
TEST ("/trust/lies")
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint n_refused = 0;

  if (!need_compiler ())
    return;
  g_autofree char *answer = make_answer ();
  for (int turn = 0; turn < 1000; turn++)
    {
      g_autofree char *text = g_strdup (answer);
      gint length = (gint) strlen (text);

      if (turn % 7 == 0)
        text[g_rand_int_range (random, 0, length)] = '\0';
      for (int i = 0; i < 1 + turn % 5; i++)
        {
          char *at = text + g_rand_int_range (random, 0, length);

          while (*at != '\0' && !g_ascii_isdigit (*at))
            at++;
          if (*at != '\0')
            *at = "0123456789-]}\"n"[g_rand_int_range (random, 0, 15)];
        }
      g_autoptr (CuredInspection) inspection = read_answer (text, NULL);
      n_refused += inspection == NULL;
      for (gsize i = 0;
           inspection != NULL && inspection->banks != NULL && i < inspection->banks->n_events; i++)
        g_assert_cmpuint (inspection->banks->events[i].site, <, inspection->banks->n_sites);
    }
  g_assert_cmpuint (n_refused, >, 100);
  g_assert_cmpuint (n_refused, <, 1000);
}

/* Whether a view of so large a block is believed, in which each of the last
 * @n_touches threads touches an element. */
static gboolean
is_believed (guint x, guint y, guint z, guint n_warps, gsize n_touches)
{
  g_autoptr (CuredBankView) view = _cured_bank_view_new_empty ();
  g_autoptr (CuredBankView) received = _cured_bank_view_new_empty ();
  g_autoptr (GError) error = NULL;

  view->entry = g_strdup ("test");
  view->threads[0] = x;
  view->threads[1] = y;
  view->threads[2] = z;
  view->n_warps = n_warps;
  view->n_slices = 1;
  view->slices = g_new0 (CuredBankSlice, 1);
  view->slices[0].buffer = g_strdup ("out");
  view->slices[0].bytes = 1 << 20;
  view->slices[0].element_bytes = 4;
  view->slices[0].n_parts = 1;
  view->slices[0].parts = g_new0 (guint8, 1);
  view->n_touches = n_touches;
  view->touches = g_new0 (CuredBankTouch, n_touches + 1);
  for (gsize i = 0; i < n_touches; i++)
    {
      view->touches[i].element = i;
      view->touches[i].thread = x * y * z - 1;
      view->touches[i].flags = CURED_BANK_PART_READ;
    }
  g_autoptr (JsonNode) node = cured_record_to_json (&_cured_bank_view_record, view);
  gboolean ok = _cured_record_from_json (&_cured_bank_view_record, json_node_get_object (node),
                                         received, &error);
  if (!ok)
    g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
  return ok;
}

/* Threads are cells of a picture: as many as a block can have, which no product of three numbers
 * may hide. */
TEST ("/trust/block")
{
  g_assert_true (is_believed (32, 1, 1, 1, 1));
  g_assert_true (is_believed (33, 1, 1, 2, 1));
  g_assert_true (is_believed (16, 8, 8, 32, 16384));
  g_assert_true (is_believed (0, 0, 0, 0, 0));
  g_assert_false (is_believed (0, 0, 0, 0, 1));
  g_assert_false (is_believed (0, 0, 0, 1, 0));
  g_assert_false (is_believed (0, 5, 5, 0, 0));
  g_assert_false (is_believed (32, 1, 1, 2, 1));
  g_assert_false (is_believed (1025, 1, 1, 33, 1));
  g_assert_false (is_believed (32, 32, 2, 64, 1));
  g_assert_false (is_believed (16, 8, 8, 32, 16385));
  g_assert_false (is_believed (65535, 65535, 65535, 1, 0));
  g_assert_false (is_believed (1u << 31, 1u << 31, 4, 0, 0));
}

/* Messages that would cost the reader its stack, its memory, or its figures. */
TEST ("/trust/messages")
{
  g_autoptr (GString) deep = g_string_new ("{\"type\":\"outcome\",\"x\":");
  g_autoptr (GString) hidden = g_string_new ("{\"type\":/* ' */");
  g_autoptr (GString) quoted = g_string_new ("{\"type\":'\"',\"x\":");
  g_autoptr (GError) error = NULL;
  const char *type = NULL;

  for (int i = 0; i < 1000000; i++)
    {
      g_string_append_c (deep, '[');
      g_string_append_c (hidden, '[');
      g_string_append_c (quoted, '[');
    }
  FAILS (_cured_message_parse (deep->str, &type, &fail), CURED_ERROR, CURED_ERROR_PROTOCOL, "");
  FAILS (_cured_message_parse (hidden->str, &type, &fail), CURED_ERROR, CURED_ERROR_PROTOCOL, "");
  FAILS (_cured_message_parse (quoted->str, &type, &fail), CURED_ERROR, CURED_ERROR_PROTOCOL, "");
  g_autoptr (JsonNode) node = _cured_json_parse ("{\"a\":[1,2,3]}", 5, &error);
  g_assert_null (node);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
  g_clear_error (&error);
  node = MUST (_cured_json_parse ("{\"a\":[1,2,\"[['[[ /* \"]}", 100, &fail));
  g_assert_nonnull (node);
}

int
main (int argc, char **argv)
{
  const char *confined = g_getenv ("CURED_TEST_CONFINED");

  if (confined != NULL)
    run_confined (confined);
  /* The worker's cache has to be where the worker looks for it. */
  g_test_init (&argc, &argv, NULL);
  g_autofree char *made = g_dir_make_tmp ("cured-trust-XXXXXX", NULL);
  folder = realpath (made, NULL);
  secret = g_build_filename (folder, "secret.txt", NULL);
  {
    g_autofree char *own = g_build_filename (folder, "own.cuh", NULL);
    g_autofree char *loop = g_build_filename (folder, "loop.h", NULL);
    g_autofree char *once = g_build_filename (folder, "once.h", NULL);

    g_assert_true (g_file_set_contents (secret, secret_line, -1, NULL));
    g_assert_true (g_file_set_contents (own, "#define OWN 7\n", -1, NULL));
    g_assert_true (g_file_set_contents (loop, "#include \"loop.h\"\n", -1, NULL));
    g_assert_true (g_file_set_contents (once, "#pragma once\n#include \"once.h\"\n", -1, NULL));
  }
  examiner = cured_examiner_new (NULL);
  g_test_add_data_func ("/trust/confined", "", test_confined);
  g_test_add_data_func ("/trust/confined/no-landlock", "landlock", test_confined);
  g_test_add_data_func ("/trust/confined/no-proc", "proc", test_confined);
  int status = run_tests ();
  cured_examiner_free (examiner);
  g_free (secret);
  g_free (folder);
  return status;
}

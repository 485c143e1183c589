/* SPDX-License-Identifier: MIT
 * Confines a process or a thread. */
#include "base/cured-base-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sanitizers reserve terabytes of addresses, and look for leaks in a process of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Memory of compiler and emulator, besides the buffers of a kernel, if the machine has it: a large
 * header takes a hundredth of that. */
#define MEMORY_BYTES ((guint64) 8 << 30)

/* Limit of a file's size; only the cache's files are written. */
#define FILE_BYTES ((rlim_t) 256 << 20)

/* Processor time of one thread beyond the time limit, for compiling, which has none. */
#define CPU_GRACE_S 120.0

static gboolean is_confined;

/* -- Landlock -- */

/* Definitions of the kernel, from its documentation: linux/landlock.h of an older system lacks
 * some. The system calls' numbers are the same everywhere. */
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_ADD_RULE       445
#define LANDLOCK_RESTRICT_SELF  446
#define LANDLOCK_VERSION        (1u << 0)
#define LANDLOCK_PATH_BENEATH   1

enum
{
  ACCESS_EXECUTE = 1 << 0,
  ACCESS_WRITE_FILE = 1 << 1,
  ACCESS_READ_FILE = 1 << 2,
  ACCESS_READ_DIR = 1 << 3,
  ACCESS_REMOVE_FILE = 1 << 5,
  ACCESS_MAKE_REG = 1 << 8,
  ACCESS_REFER = 1 << 13,
  ACCESS_TRUNCATE = 1 << 14,
  ACCESS_IOCTL = 1 << 15,
};

#define ACCESS_FILE                                                                                \
  (ACCESS_EXECUTE | ACCESS_WRITE_FILE | ACCESS_READ_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL)

typedef struct
{
  guint64 fs, net, scoped;
} RulesetAttr;

typedef struct
{
  guint64 allowed;
  gint32 fd;
} __attribute__ ((packed)) PathAttr;

static void
allow_path (int ruleset, const char *path, guint64 allowed)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  struct stat info;
  PathAttr attr = { .allowed = allowed, .fd = fd };

  if (fd < 0)
    return;
  if (fstat (fd, &info) == 0 && !S_ISDIR (info.st_mode))
    attr.allowed &= ACCESS_FILE;
  syscall (LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &attr, 0);
  close (fd);
}

/* Files that each program reads: libraries, the installed toolkit, the number of processors. No
 * user data. */
static const char *const system_paths[] = {
  "/usr",
  "/lib",
  "/lib64",
  "/opt/cuda",
  "/etc/ld.so.cache",
  "/etc/localtime",
  "/etc/locale.alias",
  "/dev/null",
  "/dev/zero",
  "/dev/urandom",
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/self/maps",
  "/sys/devices/system/cpu",
};

/* A descriptor of a set of rules, or -1 if this kernel does not support them. */
int
_cured_landlock_new (const char *const *readable, const char *const *writable)
{
  long version = syscall (LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
  RulesetAttr attr = { 0 };
  gsize size = sizeof attr.fs;
  guint64 read_access = ACCESS_READ_FILE | ACCESS_READ_DIR;
  guint64 write_access =
      read_access | ACCESS_WRITE_FILE | ACCESS_REMOVE_FILE | ACCESS_MAKE_REG | ACCESS_TRUNCATE;

  if (version < 1)
    return -1;
  attr.fs = ACCESS_REFER - 1;
  if (version >= 2)
    attr.fs |= ACCESS_REFER;
  if (version >= 3)
    attr.fs |= ACCESS_TRUNCATE;
  if (version >= 5)
    attr.fs |= ACCESS_IOCTL;
  if (version >= 4)
    {
      attr.net = 3; /* bind and connect, TCP */
      size = offsetof (RulesetAttr, scoped);
    }
  if (version >= 6)
    {
      attr.scoped = 3; /* abstract sockets, signals */
      size = sizeof attr;
    }
  int ruleset = (int) syscall (LANDLOCK_CREATE_RULESET, &attr, size, 0);
  if (ruleset < 0)
    return -1;
  for (gsize i = 0; i < G_N_ELEMENTS (system_paths); i++)
    allow_path (ruleset, system_paths[i], read_access & attr.fs);
  allow_path (ruleset, "/dev/null", (read_access | ACCESS_WRITE_FILE) & attr.fs);
  for (gsize i = 0; readable != NULL && readable[i] != NULL; i++)
    allow_path (ruleset, readable[i], read_access & attr.fs);
  for (gsize i = 0; writable != NULL && writable[i] != NULL; i++)
    allow_path (ruleset, writable[i], write_access & attr.fs);
  return ruleset;
}

/* Restricts the calling thread, and those that it will start, to the files of @ruleset; -1: does
 * nothing. FALSE if it is not restricted. */
gboolean
_cured_landlock_enter_thread (int ruleset)
{
  return ruleset >= 0 && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall (LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0;
}

/* -- seccomp -- */

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

/* Numbers that headers of older systems lack, the same everywhere. */
#define CALL_CLOSE_RANGE      436
#define CALL_FACCESSAT2       439
#define CALL_FUTEX_WAITV      449
#define CALL_MAP_SHADOW_STACK 453
#define CALL_MSEAL            462

/* System calls that the compiler, the emulator and their libraries use, according to strace, and
 * those that other versions of the C library use instead. Other calls do not exist for the process,
 * whatever a later kernel adds: none that starts programs or processes, communicates, signals or
 * schedules, changes modes, owners or attributes, or allocates memory that RLIMIT_AS does not
 * count. */
/* clang-format off */
static const int allowed_calls[] = {
#define CALL(name) __NR_##name,
  /* memory */
  CALL (brk) CALL (mmap) CALL (munmap) CALL (mremap) CALL (mprotect)
  CALL (madvise) CALL (mincore) CALL (membarrier)
  CALL_MAP_SHADOW_STACK, CALL_MSEAL,
  /* threads */
  CALL (futex) CALL (set_robust_list) CALL (get_robust_list)
  CALL (set_tid_address) CALL (sched_yield) CALL (sched_getaffinity)
  CALL (exit) CALL (exit_group) CALL (restart_syscall)
  CALL_FUTEX_WAITV,
#ifdef __NR_rseq
  CALL (rseq)
#endif
  /* signals that arrive */
  CALL (rt_sigaction) CALL (rt_sigprocmask) CALL (rt_sigreturn)
  CALL (sigaltstack)
  /* files */
  CALL (openat) CALL (close) CALL (read) CALL (write) CALL (readv)
  CALL (writev) CALL (pread64) CALL (pwrite64) CALL (lseek) CALL (fstat)
  CALL (newfstatat) CALL (statx) CALL (statfs) CALL (fstatfs)
  CALL (faccessat) CALL (readlinkat) CALL (getdents64) CALL (getcwd)
  CALL (fallocate) CALL (fadvise64) CALL (fsync) CALL (fdatasync)
  CALL (mkdirat) CALL (unlinkat) CALL (renameat2)
  CALL (dup) CALL (dup3) CALL (pipe2) CALL (eventfd2)
  CALL (ppoll) CALL (pselect6) CALL (epoll_create1) CALL (epoll_ctl)
  CALL (epoll_pwait)
  CALL_CLOSE_RANGE, CALL_FACCESSAT2,
#ifdef __NR_renameat
  CALL (renameat)
#endif
  /* the same for older machines */
#ifdef __NR_open
  CALL (open) CALL (stat) CALL (lstat) CALL (access) CALL (readlink)
  CALL (mkdir) CALL (rmdir) CALL (unlink) CALL (rename) CALL (dup2)
  CALL (pipe) CALL (poll) CALL (select) CALL (epoll_create)
  CALL (epoll_wait) CALL (time)
#endif
  /* time, random numbers, and its own identity */
  CALL (clock_gettime) CALL (clock_getres) CALL (clock_nanosleep)
  CALL (nanosleep) CALL (gettimeofday) CALL (times) CALL (getrandom)
  CALL (getcpu) CALL (uname) CALL (sysinfo) CALL (getrusage)
  CALL (getrlimit) CALL (setrlimit) CALL (getpid) CALL (getppid)
  CALL (gettid) CALL (getuid) CALL (geteuid) CALL (getgid) CALL (getegid)
  /* further restrictions */
  LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF,
#undef CALL
};
/* clang-format on */

/* Placeholder for this process's pid. */
#define OWN_PID 0xffffffffu

/* Calls that are allowed only for some values of an argument; the list ends at the first 0 after
 * others. */
static const struct
{
  int call;
  guint argument;
  guint32 values[8];
} allowed_arguments[] = {
  /* abort() sends one. */
  { __NR_kill, 0, { OWN_PID } },
  { __NR_tgkill, 0, { OWN_PID } },
  { __NR_prlimit64, 0, { 0, OWN_PID } },
  { __NR_fcntl, 1, { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL } },
  /* isatty (), but not injecting terminal input. */
  { __NR_ioctl, 1, { TCGETS, 0x802c542a /* TCGETS2 */, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX } },
  { __NR_prctl,
    0,
    { PR_SET_NAME, PR_GET_NAME, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
      0x53564d41 /* PR_SET_VMA, by which the C library names memory */ } },
};

/* A thread shares everything with its process; a clone with new namespaces is not a thread. */
#define CLONE_NEW_FLAGS                                                                            \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |    \
   CLONE_NEWNET)

#ifdef FILTER_ARCH
static void
add_line (GArray *code, guint16 what, guint32 value, guint8 yes, guint8 no)
{
  struct sock_filter line = BPF_JUMP (what, value, yes, no);

  g_array_append_val (code, line);
}

static void
add_load (GArray *code, gsize offset)
{
  add_line (code, BPF_LD | BPF_W | BPF_ABS, (guint32) offset, 0, 0);
}

static void
add_return (GArray *code, guint32 action)
{
  add_line (code, BPF_RET | BPF_K, action, 0, 0);
}

/* Offset of the low half of an argument; for the arguments checked here, the kernel uses only this
 * half. */
static gsize
get_argument_offset (guint n)
{
  return offsetof (struct seccomp_data, args) + n * sizeof (guint64) +
         (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0);
}
#endif

static gboolean
allow_calls (void)
{
#ifdef FILTER_ARCH
  const guint32 refuse = SECCOMP_RET_ERRNO | EPERM;
  const guint16 is_equal = BPF_JMP | BPF_JEQ | BPF_K, has_bits = BPF_JMP | BPF_JSET | BPF_K;
  g_autoptr (GArray) code = g_array_new (FALSE, FALSE, sizeof (struct sock_filter));
  struct sock_fprog program = { 0 };

  add_load (code, offsetof (struct seccomp_data, arch));
  add_line (code, is_equal, FILTER_ARCH, 1, 0);
  add_return (code, refuse);
  add_load (code, offsetof (struct seccomp_data, nr));
  for (gsize i = 0; i < G_N_ELEMENTS (allowed_calls); i++)
    {
      add_line (code, is_equal, (guint32) allowed_calls[i], 0, 1);
      add_return (code, SECCOMP_RET_ALLOW);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (allowed_arguments); i++)
    {
      const guint32 *values = allowed_arguments[i].values;
      guint8 n = 1;

      while (n < G_N_ELEMENTS (allowed_arguments[i].values) && values[n] != 0)
        n++;
      add_line (code, is_equal, (guint32) allowed_arguments[i].call, 0, (guint8) (n + 3));
      add_load (code, get_argument_offset (allowed_arguments[i].argument));
      for (guint8 k = 0; k < n; k++)
        add_line (code, is_equal, values[k] == OWN_PID ? (guint32) getpid () : values[k],
                  (guint8) (n - k), 0);
      add_return (code, refuse);
      add_return (code, SECCOMP_RET_ALLOW);
    }
  /* The flags of clone3() can't be checked; the C library falls back to clone(). */
  add_line (code, is_equal, __NR_clone, 0, 5);
  add_load (code, get_argument_offset (0));
  add_line (code, has_bits, CLONE_NEW_FLAGS, 1, 0);
  add_line (code, has_bits, CLONE_THREAD, 1, 0);
  add_return (code, refuse);
  add_return (code, SECCOMP_RET_ALLOW);
  /* Like a kernel without such a call, so that programs fall back. */
  add_return (code, SECCOMP_RET_ERRNO | ENOSYS);
  program.len = (unsigned short) code->len;
  program.filter = (struct sock_filter *) (gpointer) code->data;
  return syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
#else
  return FALSE;
#endif
}

/* -- limits -- */

static guint64
get_most_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), page_bytes = sysconf (_SC_PAGESIZE);

  if (pages <= 0 || page_bytes <= 0)
    return MEMORY_BYTES;
  return (guint64) pages * (guint64) page_bytes / 4 * 3;
}

/* Sets the soft limit; keeps the hard one. */
static gboolean
set_soft_limit (int resource, rlim_t value)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0)
    return FALSE;
  limit.rlim_cur = MIN (value, limit.rlim_max);
  return setrlimit (resource, &limit) == 0;
}

static gboolean
set_hard_limit (int resource, rlim_t value)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0)
    return FALSE;
  limit.rlim_max = MIN (value, limit.rlim_max);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit (resource, &limit) == 0;
}

/* Bytes of address space for compiler and emulator, besides buffers. */
guint64
_cured_confine_get_memory (void)
{
  return MIN (MEMORY_BYTES, get_most_memory ());
}

/* In a confined process, before a task: allows @extra_bytes of memory, within three quarters
 * of the machine's, and processor time for @seconds on all processors. Otherwise does
 * nothing. */
void
_cured_confine_allow (guint64 extra_bytes, double seconds)
{
  struct rusage usage;

  if (!is_confined)
    return;
  if (!IS_SANITIZED)
    set_soft_limit (RLIMIT_AS, (rlim_t) MIN (_cured_confine_get_memory () +
                                                 MIN (extra_bytes, G_GUINT64_CONSTANT (1) << 50),
                                             get_most_memory ()));
  if (getrusage (RUSAGE_SELF, &usage) != 0)
    return;
  double cpu_s = (double) usage.ru_utime.tv_sec + (double) usage.ru_stime.tv_sec +
                 (CLAMP (seconds, 0.0, 1e9) + CPU_GRACE_S) * (double) g_get_num_processors ();
  set_soft_limit (RLIMIT_CPU, (rlim_t) ceil (cpu_s));
}

/* Whether this is the only thread: confinement applies to threads that it starts, not to existing
 * ones. A process with several threads may not unshare its thread group; if a container forbids
 * that call, its folder in /proc shows them. */
static gboolean
is_only_thread (void)
{
  if (unshare (CLONE_THREAD) == 0)
    return TRUE;
  if (errno == EINVAL)
    return FALSE;
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/task", 0, NULL);
  return folder != NULL && g_dir_read_name (folder) != NULL && g_dir_read_name (folder) == NULL;
}

gboolean
_cured_is_confined (void)
{
  return is_confined;
}

/* Permanently confines the calling process, which must have no other thread yet, as far as this
 * system supports it: it can only open files below @readable, system folders, or @writable; it
 * can't start programs or processes, open sockets, gain privileges or dump core, and its memory and
 * time are limited. A missing protection is not an error. Returns flags of CuredConfined. */
guint
_cured_confine_process (const char *const *readable, const char *const *writable)
{
  guint held = 0;
  gboolean is_only = is_only_thread ();
  int ruleset = _cured_landlock_new (readable, writable);

  is_confined = TRUE;
  /* A file that is too large is a write error, not a fatal signal. */
  signal (SIGXFSZ, SIG_IGN);
  set_hard_limit (RLIMIT_CORE, 0);
  set_hard_limit (RLIMIT_FSIZE, FILE_BYTES);
  if (!IS_SANITIZED && set_hard_limit (RLIMIT_AS, (rlim_t) get_most_memory ()))
    held |= CURED_CONFINED_MEMORY;
  _cured_confine_allow (0, 0.0);
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    held |= CURED_CONFINED_PRIVILEGES;
  if (_cured_landlock_enter_thread (ruleset) && is_only)
    held |= CURED_CONFINED_FILES;
  if (ruleset >= 0)
    close (ruleset);
  if (!IS_SANITIZED && allow_calls ())
    held |= CURED_CONFINED_CALLS;
  return held;
}

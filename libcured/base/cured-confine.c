/* SPDX-License-Identifier: MIT
 * What a process, or a thread, may no longer do. */
#include "config.h"

#include "base/cured-confine-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
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

/* What compiler and emulator have, beside the buffers of a kernel, as far as the machine has it: a
 * large header takes a hundredth of that. */
#define MEMORY_BYTES ((guint64) 8 << 30)

/* Of a file, of which the cache's are the only ones. */
#define FILE_BYTES ((rlim_t) 256 << 20)

/* Of one thread, beyond what the time limit allows: compiling has none. */
#define CPU_GRACE_S 120.0

static gboolean is_confined;

/* -- Landlock -- */

/* The kernel's, from its documentation: linux/landlock.h of an older system lacks some of them. The
 * system calls' numbers are the same everywhere. */
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
  guint64 fs;
  guint64 net;
  guint64 scoped;
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

/* What each program reads: libraries, the toolkit where it was installed, the number of processors.
 * Nothing that is a person's. */
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

/* A descriptor of a set of rules, or -1 where this kernel has none. */
int
_cured_landlock_new (const char *const *readable, const char *const *writable)
{
  long version = syscall (LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
  RulesetAttr attr = { 0 };
  gsize size = sizeof attr.fs;
  guint64 read_access = ACCESS_READ_FILE | ACCESS_READ_DIR;
  guint64 write_access =
      read_access | ACCESS_WRITE_FILE | ACCESS_REMOVE_FILE | ACCESS_MAKE_REG | ACCESS_TRUNCATE;
  int ruleset;

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
  ruleset = (int) syscall (LANDLOCK_CREATE_RULESET, &attr, size, 0);
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

/* Lets the calling thread, and those that it will start, open no file that
 * @ruleset does not have; -1: does nothing. FALSE: it may go on as it did. */
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

/* What neither a compiler nor an emulator asks for: to start programs and processes, to talk to
 * others, to look into them, to change what files are allowed, or anything of the machine's. */
/* clang-format off */
static const int denied_calls[] = {
#define CALL(name) __NR_##name,
  /* programs */
  CALL (execve) CALL (execveat)
  /* sockets */
  CALL (socket) CALL (socketpair) CALL (connect) CALL (bind) CALL (listen)
  CALL (accept) CALL (accept4) CALL (sendto) CALL (sendmsg) CALL (sendmmsg)
  /* other processes */
  CALL (ptrace) CALL (process_vm_readv) CALL (process_vm_writev) CALL (kcmp)
  CALL (move_pages) CALL (migrate_pages)
  /* signals */
  CALL (tkill) CALL (rt_sigqueueinfo) CALL (rt_tgsigqueueinfo)
  /* mounts, namespaces */
  CALL (mount) CALL (umount2) CALL (pivot_root) CALL (chroot) CALL (setns)
  CALL (unshare)
  /* ways into the kernel */
  CALL (bpf) CALL (perf_event_open) CALL (userfaultfd) CALL (io_setup)
  /* keys */
  CALL (keyctl) CALL (add_key) CALL (request_key)
  /* files by handle */
  CALL (open_by_handle_at) CALL (name_to_handle_at)
  /* modules */
  CALL (init_module) CALL (finit_module) CALL (delete_module) CALL (kexec_load)
  /* the machine */
  CALL (reboot) CALL (swapon) CALL (swapoff) CALL (syslog) CALL (acct)
  CALL (quotactl) CALL (sethostname) CALL (setdomainname)
  /* clocks */
  CALL (settimeofday) CALL (clock_settime) CALL (adjtimex) CALL (clock_adjtime)
  /* who it is */
  CALL (personality) CALL (setuid) CALL (setgid) CALL (setreuid) CALL (setregid)
  CALL (setresuid) CALL (setresgid) CALL (setgroups) CALL (setfsuid)
  CALL (setfsgid)
  /* files' owners and modes */
  CALL (fchmodat) CALL (fchownat) CALL (fchown) CALL (utimensat)
  /* attributes */
  CALL (setxattr) CALL (lsetxattr) CALL (fsetxattr) CALL (removexattr)
  CALL (lremovexattr) CALL (fremovexattr)
  /* shared memory */
  CALL (shmget) CALL (shmat) CALL (semget) CALL (msgget) CALL (mq_open)
  /* watching files */
  CALL (inotify_init1) CALL (fanotify_init)
  /* shares */
  CALL (mlockall) CALL (setpriority)
#ifdef __NR_chmod
  CALL (chmod) CALL (chown) CALL (lchown) CALL (utime) CALL (utimes)
  CALL (futimesat)
  CALL (fork) CALL (vfork) CALL (inotify_init)
#endif
#ifdef __NR_io_uring_setup
  CALL (io_uring_setup) CALL (io_uring_enter) CALL (io_uring_register)
#endif
#ifdef __NR_pidfd_open
  CALL (pidfd_open) CALL (pidfd_send_signal)
#endif
#ifdef __NR_pidfd_getfd
  CALL (pidfd_getfd)
#endif
#ifdef __NR_process_madvise
  CALL (process_madvise)
#endif
#ifdef __NR_open_tree
  CALL (open_tree) CALL (move_mount) CALL (fsopen) CALL (fsmount)
#endif
#ifdef __NR_mount_setattr
  CALL (mount_setattr)
#endif
#undef CALL
};
/* clang-format on */

static gboolean
deny_calls (void)
{
#ifdef FILTER_ARCH
  g_autoptr (GArray) code = g_array_new (FALSE, FALSE, sizeof (struct sock_filter));
  struct sock_fprog program = { 0 };
  guint32 pid = (guint32) getpid ();

#define ADD(...)                                                                                   \
  G_STMT_START                                                                                     \
  {                                                                                                \
    struct sock_filter line = __VA_ARGS__;                                                         \
    g_array_append_val (code, line);                                                               \
  }                                                                                                \
  G_STMT_END
#define LOAD(offset)       BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (guint32) (offset))
#define IF(value, yes, no) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) (value), yes, no)
#define RETURN(value)      BPF_STMT (BPF_RET | BPF_K, (guint32) (value))
#define REFUSE(number)     RETURN (SECCOMP_RET_ERRNO | (number))
#define ARGUMENT(n)                                                                                \
  (offsetof (struct seccomp_data, args) + (n) * sizeof (guint64) +                                 \
   (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0))

  ADD (LOAD (offsetof (struct seccomp_data, arch)));
  ADD (IF (FILTER_ARCH, 1, 0));
  ADD (REFUSE (EPERM));
  ADD (LOAD (offsetof (struct seccomp_data, nr)));
#if defined(__x86_64__)
  /* The same calls by other numbers. */
  ADD (BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1));
  ADD (REFUSE (EPERM));
#endif
  for (gsize i = 0; i < G_N_ELEMENTS (denied_calls); i++)
    {
      ADD (IF (denied_calls[i], 0, 1));
      ADD (REFUSE (EPERM));
    }
    /* The C library then uses clone, whose flags can be seen from here. */
#ifdef __NR_clone3
  ADD (IF (__NR_clone3, 0, 1));
  ADD (REFUSE (ENOSYS));
#endif
  ADD (IF (__NR_clone, 0, 4));
  ADD (LOAD (ARGUMENT (0)));
  ADD (BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  ADD (RETURN (SECCOMP_RET_ALLOW));
  ADD (REFUSE (EPERM));
  /* Signals to itself: abort() sends one. */
  ADD (IF (__NR_tgkill, 0, 4));
  ADD (LOAD (ARGUMENT (0)));
  ADD (IF (pid, 0, 1));
  ADD (RETURN (SECCOMP_RET_ALLOW));
  ADD (REFUSE (EPERM));
  ADD (IF (__NR_kill, 0, 4));
  ADD (LOAD (ARGUMENT (0)));
  ADD (IF (pid, 0, 1));
  ADD (RETURN (SECCOMP_RET_ALLOW));
  ADD (REFUSE (EPERM));
  /* Limits of other processes. */
  ADD (IF (__NR_prlimit64, 0, 5));
  ADD (LOAD (ARGUMENT (0)));
  ADD (IF (0, 1, 0));
  ADD (IF (pid, 0, 1));
  ADD (RETURN (SECCOMP_RET_ALLOW));
  ADD (REFUSE (EPERM));
  /* Words put into a terminal's input. */
  ADD (IF (__NR_ioctl, 0, 4));
  ADD (LOAD (ARGUMENT (1)));
  ADD (IF (TIOCSTI, 0, 1));
  ADD (REFUSE (EPERM));
  ADD (RETURN (SECCOMP_RET_ALLOW));
  ADD (RETURN (SECCOMP_RET_ALLOW));
#undef ADD
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
  long pages = sysconf (_SC_PHYS_PAGES);
  long page_bytes = sysconf (_SC_PAGESIZE);

  if (pages <= 0 || page_bytes <= 0)
    return MEMORY_BYTES;
  return (guint64) pages * (guint64) page_bytes / 4 * 3;
}

/* The limit that is in force; the one above it stays. */
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

/* Bytes of address space that compiler and emulator may have, beside
 * buffers. */
guint64
_cured_confine_get_memory (void)
{
  return MIN (MEMORY_BYTES, get_most_memory ());
}

/* In a confined process, before something is done: lets it have @extra_bytes of memory, as far as
 * the machine has three quarters for it, and processor time for @seconds on all processors.
 * Elsewhere, nothing. */
void
_cured_confine_allow (guint64 extra_bytes, double seconds)
{
  struct rusage usage;
  double cpu_s;

  if (!is_confined)
    return;
  if (!IS_SANITIZED)
    set_soft_limit (RLIMIT_AS, (rlim_t) MIN (_cured_confine_get_memory () +
                                                 MIN (extra_bytes, G_GUINT64_CONSTANT (1) << 50),
                                             get_most_memory ()));
  if (getrusage (RUSAGE_SELF, &usage) != 0)
    return;
  cpu_s = (double) usage.ru_utime.tv_sec + (double) usage.ru_stime.tv_sec +
          (CLAMP (seconds, 0.0, 1e9) + CPU_GRACE_S) * (double) g_get_num_processors ();
  set_soft_limit (RLIMIT_CPU, (rlim_t) ceil (cpu_s));
}

/* Threads that run now; what confines the calling one does not hold them. */
static guint
count_threads (void)
{
  DIR *folder = opendir ("/proc/self/task");
  guint n = 0;

  if (folder == NULL)
    return 0;
  for (struct dirent *entry = readdir (folder); entry != NULL; entry = readdir (folder))
    n += entry->d_name[0] != '.';
  closedir (folder);
  return n;
}

gboolean
_cured_is_confined (void)
{
  return is_confined;
}

/* For ever, and as far as this system can: the calling process, which has no other thread yet,
 * opens no file that is not below @readable, a system's folder, or @writable; it starts no program
 * or process, opens no socket, gains no privilege, leaves no core, and has only so much memory and
 * time. What is missing is not an error. Returns flags of CuredConfined. */
guint
_cured_confine_process (const char *const *readable, const char *const *writable)
{
  guint held = 0;
  int ruleset = _cured_landlock_new (readable, writable);

  is_confined = TRUE;
  /* Too large a file is an error of writing, not the end. */
  signal (SIGXFSZ, SIG_IGN);
  set_hard_limit (RLIMIT_CORE, 0);
  set_hard_limit (RLIMIT_FSIZE, FILE_BYTES);
  if (!IS_SANITIZED && set_hard_limit (RLIMIT_AS, (rlim_t) get_most_memory ()))
    held |= CURED_CONFINED_MEMORY;
  _cured_confine_allow (0, 0.0);
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    held |= CURED_CONFINED_PRIVILEGES;
  if (count_threads () == 1 && _cured_landlock_enter_thread (ruleset))
    held |= CURED_CONFINED_FILES;
  if (ruleset >= 0)
    close (ruleset);
  if (!IS_SANITIZED && deny_calls ())
    held |= CURED_CONFINED_CALLS;
  return held;
}

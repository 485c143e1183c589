/* SPDX-License-Identifier: MIT
 * The connection from a program to the emulator: socket, memory, errors, calling frames. */
#include "exec/client/cured-client-private.h"
#include "exec/client/cured-wire-private.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_FRAMES 48

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool is_started;
static int connection = -1;
static uint8_t *alias; /* all device memory, which is inaccessible at its own addresses */
static ExecDevice device;
static CudaError sticky;
static __thread CudaError last;

/* ---- Errors ---- */

static bool
is_sticky (CudaError error)
{
  return error >= CUDA_ILLEGAL_ADDRESS && error <= CUDA_LAUNCH_FAILURE &&
         error != CUDA_OUT_OF_RESOURCES;
}

CudaError
client_fail (CudaError error)
{
  if (error == CUDA_SUCCESS)
    return client_get_error ();
  if (is_sticky (error))
    sticky = error;
  return last = error;
}

/* The result of a successful function: success, unless the device is lost, which is permanent. */
CudaError
client_get_error (void)
{
  return sticky;
}

CudaError
client_take_error (bool is_kept)
{
  CudaError error = sticky != CUDA_SUCCESS ? sticky : last;

  if (!is_kept)
    last = CUDA_SUCCESS;
  return error;
}

void
client_reset_error (void)
{
  sticky = last = CUDA_SUCCESS;
}

/* ---- Messages ---- */

static CudaError
exchange (ExecCall *call, const void *data, const void *more, size_t n_more, ExecReply *reply,
          void **bytes, int *fd)
{
  void *text = NULL;

  /* The emulator has ended: Ctrl+C, or the limit. */
  if (!wire_exchange (connection, call, data, more, n_more, reply, &text, fd))
    _exit (130);
  if (bytes != NULL && reply->error == CUDA_SUCCESS)
    *bytes = text;
  else
    free (text);
  return (CudaError) reply->error;
}

void
client_lock (void)
{
  pthread_mutex_lock (&mutex);
}

void
client_unlock (void)
{
  pthread_mutex_unlock (&mutex);
}

CudaError
client_call (ExecCall *call, const void *data, const void *more, size_t n_more, ExecReply *reply,
             void **bytes)
{
  ExecReply spare;
  CudaError error = CUDA_NO_DEVICE;

  if (!client_start ())
    return error;
  pthread_mutex_lock (&mutex);
  error = exchange (call, data, more, n_more, reply != NULL ? reply : &spare, bytes, NULL);
  pthread_mutex_unlock (&mutex);
  return error;
}

/* ---- Memory ---- */

bool
client_is_device (const void *address)
{
  return (uintptr_t) address - EXEC_MEMORY_FIRST < EXEC_MEMORY_BYTES;
}

void *
client_get_bytes (const void *address)
{
  return client_is_device (address) && alias != NULL
             ? alias + ((uintptr_t) address - EXEC_MEMORY_FIRST)
             : (void *) address;
}

void
client_protect (uint64_t address, uint64_t size, bool is_open)
{
  if (size > 0)
    mprotect ((void *) (uintptr_t) address, size, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void
client_alias (void *pages, const void *address, size_t n_bytes)
{
  mremap (client_get_bytes (address), 0, n_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages);
}

/* The program accessed memory that only kernels may: it dies as with a GPU, but with a
 * message. */
static void
segv_cb (int number, siginfo_t *info, void *context)
{
  signal (number, SIG_DFL);
  if (client_is_device (info->si_addr))
    client_note (EXEC_NOTE_TOUCHED, "");
}

static bool
map_memory (int fd)
{
  struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = segv_cb };
  void *wanted = (void *) (uintptr_t) EXEC_MEMORY_FIRST;
  void *own = mmap (wanted, EXEC_MEMORY_BYTES, PROT_NONE,
                    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

  alias = mmap (NULL, EXEC_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close (fd);
  sigaction (SIGSEGV, &action, NULL);
  return own == wanted && alias != MAP_FAILED;
}

/* ---- The beginning ---- */

static bool
connect_emulator (const char *path)
{
  ExecCall call = { .op = EXEC_HELLO, .x = { EXEC_VERSION, (uint64_t) getpid () } };
  ExecReply reply;
  char program[4096];
  ssize_t length = readlink ("/proc/self/exe", program, sizeof program);
  void *bytes = NULL;
  int fd = -1;

  if (length < 0 || (connection = wire_connect (path)) < 0)
    return false;
  call.n_bytes = (uint32_t) length;
  if (exchange (&call, program, NULL, 0, &reply, &bytes, &fd) != CUDA_SUCCESS || fd < 0 ||
      reply.n_bytes != sizeof device)
    return false;
  memcpy (&device, bytes, sizeof device);
  free (bytes);
  return map_memory (fd);
}

/* Finds the emulator when the device is first needed; FALSE: there is none. */
bool
client_start (void)
{
  static bool is_there;

  pthread_mutex_lock (&mutex);
  if (!is_started)
    {
      const char *path = getenv (EXEC_SOCKET_VARIABLE);

      is_started = true;
      is_there = path != NULL && connect_emulator (path);
    }
  pthread_mutex_unlock (&mutex);
  return is_there;
}

const ExecDevice *
client_get_device (void)
{
  return client_start () ? &device : NULL;
}

/* ---- The thread's device ---- */

static __thread int current;

int
client_get_current (void)
{
  return current;
}

void
client_set_current (int number)
{
  current = number;
}

CudaError
client_check_device (int number)
{
  if (!client_start ())
    return client_fail (CUDA_NO_DEVICE);
  return number >= 0 && number < device.n_devices ? client_get_error ()
                                                  : client_fail (CUDA_INVALID_DEVICE);
}

/* ---- Calling frames ---- */

/* Frames of the program, without those of this library. */
size_t
client_get_frames (char *buffer)
{
  void *frames[MAX_FRAMES + 4];
  int n = backtrace (frames, MAX_FRAMES + 4);
  size_t length = 0;
  Dl_info own = { 0 };

  dladdr ((void *) (uintptr_t) client_get_frames, &own);
  buffer[0] = '\0';
  for (int i = 0; i < n; i++)
    {
      Dl_info info = { 0 };
      char self[] = "/proc/self/exe";
      char program[2048];
      ssize_t n_name = 0;
      uintptr_t offset = (uintptr_t) frames[i] - 1;

      if (dladdr (frames[i], &info) == 0 || info.dli_fbase == own.dli_fbase)
        continue;
      const char *name = info.dli_fname;
      if (name[0] != '/' && (n_name = readlink (self, program, sizeof program - 1)) > 0)
        {
          program[n_name] = '\0';
          name = program;
        }
      if (((const Elf64_Ehdr *) info.dli_fbase)->e_type != ET_EXEC)
        offset -= (uintptr_t) info.dli_fbase;
      n_name = snprintf (buffer + length, CLIENT_FRAMES_BYTES - length, "%s+0x%zx\n", name, offset);
      if (n_name < 0 || (size_t) n_name >= CLIENT_FRAMES_BYTES - length)
        break;
      length += (size_t) n_name;
    }
  buffer[length] = '\0';
  return length;
}

void
client_note (ExecNote note, const char *name)
{
  char text[CLIENT_FRAMES_BYTES + 256];
  size_t length = (size_t) snprintf (text, 256, "%s\n", name);
  ExecCall call = { .op = EXEC_NOTE, .x = { note } };

  /* Notes on libraries come from within the loader, where backtrace () must not be called. */
  if (note != EXEC_NOTE_CLOSED)
    length += client_get_frames (text + length);
  call.n_bytes = (uint32_t) length;
  client_call (&call, text, NULL, 0, NULL, NULL);
}

CudaError
client_miss (const char *name)
{
  client_note (EXEC_NOTE_MISSING, name);
  return client_fail (CUDA_NOT_SUPPORTED);
}

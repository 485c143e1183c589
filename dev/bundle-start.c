/* SPDX-License-Identifier: MIT
 * What `bin/cured` and `bin/cured-gtk` are in a bundle: maps the program of that name (PROGRAM) and
 * the C library's loader that are beside it, as the kernel does it for a program that names its
 * loader, and jumps there. The process stays what was started: its name, its arguments, its number
 * and /proc/self/exe. No C library is needed for that, so that it runs on any Linux. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The way into the kernel, and into this file: the stack as the kernel made it is handed over, and
 * given to the loader as it was. */
#if defined(__x86_64__)

#define MACHINE EM_X86_64
#define LOADER  "lib/ld-linux-x86-64.so.2"

__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rsp, %rbx\n"
        "  mov %rsp, %rdi\n"
        "  and $-16, %rsp\n"
        "  call cured_bundle_begin\n"
        "  mov %rbx, %rsp\n"
        "  xor %edx, %edx\n"
        "  jmp *%rax\n");

static long
call (long number, long a, long b, long c, long d, long e, long f)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;

  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

#define MACHINE EM_AARCH64
#define LOADER  "lib/ld-linux-aarch64.so.1"

__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x0, sp\n"
        "  bl cured_bundle_begin\n"
        "  mov x16, x0\n"
        "  mov x0, #0\n"
        "  mov x30, #0\n"
        "  br x16\n");

static long
call (long number, long a, long b, long c, long d, long e, long f)
{
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;

  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

#endif

#define PATH_BYTES  4096
#define MOST_LINKS  40
#define MOST_PARTS  64
#define EXIT_UNDONE 2

/* A file that was mapped. */
typedef struct
{
  uintptr_t base; /* what is added to the file's own addresses */
  uintptr_t entry;
  uintptr_t headers;
  long n_headers;
  Elf64_Phdr parts[MOST_PARTS];
} Image;

static size_t
get_length (const char *text)
{
  size_t length = 0;

  while (text[length] != '\0')
    length++;
  return length;
}

/* Cuts the text at the array's end. */
static void
append (char *path, const char *text)
{
  size_t length = get_length (path);

  while (*text != '\0' && length < PATH_BYTES - 1)
    path[length++] = *text++;
  path[length] = '\0';
}

_Noreturn static void
fail (const char *path, const char *why)
{
  char message[PATH_BYTES];

  message[0] = '\0';
  append (message, "cured: ");
  append (message, path);
  append (message, why);
  append (message, "; unpack the whole archive anew\n");
  call (SYS_write, 2, (long) message, (long) get_length (message), 0, 0, 0);
  for (;;)
    call (SYS_exit_group, EXIT_UNDONE, 0, 0, 0, 0, 0);
}

static int
can_open (const char *path)
{
  long fd = call (SYS_openat, AT_FDCWD, (long) path, O_RDONLY, 0, 0, 0);

  if (fd >= 0)
    call (SYS_close, fd, 0, 0, 0, 0, 0);
  return fd >= 0;
}

/* Cuts the last part off, with the slash before it. */
static void
cut (char *path)
{
  size_t length = get_length (path);

  while (length > 0 && path[length - 1] != '/')
    length--;
  path[length > 0 ? length - 1 : 0] = '\0';
}

/* Whether the bundle lies around the program of this path, which becomes the bundle's folder. The
 * kernel follows “..”, so that linked folders are
 * right. */
static int
find_around (char *path)
{
  char file[PATH_BYTES];

  cut (path);
  append (path, "/..");
  file[0] = '\0';
  append (file, path);
  append (file, "/" LOADER);
  return can_open (file);
}

/* The folder of the bundle; FALSE: nowhere. Where there is no /proc, the path that the program was
 * started by leads there. */
static int
find_bundle (const char *started, char *path)
{
  char target[PATH_BYTES];
  long size =
      call (SYS_readlinkat, AT_FDCWD, (long) "/proc/self/exe", (long) path, PATH_BYTES - 1, 0, 0);

  if (size > 0)
    {
      path[size] = '\0';
      if (find_around (path))
        return 1;
    }
  path[0] = '\0';
  if (started[0] != '/')
    {
      if (call (SYS_getcwd, (long) path, PATH_BYTES, 0, 0, 0, 0) < 0)
        return 0;
      append (path, "/");
    }
  append (path, started);
  for (int turn = 0; turn < MOST_LINKS; turn++)
    {
      size = call (SYS_readlinkat, AT_FDCWD, (long) path, (long) target, PATH_BYTES - 1, 0, 0);
      if (size <= 0)
        break;
      target[size] = '\0';
      if (target[0] == '/')
        path[0] = '\0';
      else
        {
          cut (path);
          append (path, "/");
        }
      append (path, target);
    }
  return find_around (path);
}

static uintptr_t
map (uintptr_t address, size_t size, int protection, int flags, long fd, long at)
{
  return (uintptr_t) call (SYS_mmap, (long) address, (long) size, protection, flags, fd, at);
}

static int
is_error (uintptr_t address)
{
  return address > (uintptr_t) -4096;
}

static int
get_protection (const Elf64_Phdr *part)
{
  return ((part->p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((part->p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((part->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/* One part of a file; what goes beyond the file's bytes is zeros. */
static int
map_part (const Image *image, const Elf64_Phdr *part, long fd, size_t page)
{
  uintptr_t start = (image->base + part->p_vaddr) & -page;
  uintptr_t in_file = image->base + part->p_vaddr + part->p_filesz;
  uintptr_t end = image->base + part->p_vaddr + part->p_memsz;
  uintptr_t mapped = (in_file + page - 1) & -page;
  int protection = get_protection (part);

  if (part->p_filesz > 0 &&
      is_error (map (start, in_file - start, protection, MAP_PRIVATE | MAP_FIXED, fd,
                     (long) (part->p_offset & -page))))
    return 0;
  if (part->p_filesz == 0)
    mapped = start;
  else if (end > in_file && (protection & PROT_WRITE) != 0)
    for (volatile char *at = (char *) in_file; at < (char *) mapped; at++)
      *at = 0;
  return end <= mapped || !is_error (map (mapped, end - mapped, protection,
                                          MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0));
}

static int
map_parts (Image *image, const Elf64_Ehdr *header, long fd, size_t page)
{
  uintptr_t low = UINTPTR_MAX;
  uintptr_t high = 0;
  size_t align = page;
  uintptr_t start;

  for (long i = 0; i < image->n_headers; i++)
    {
      const Elf64_Phdr *part = &image->parts[i];

      if (part->p_type != PT_LOAD)
        continue;
      if (part->p_vaddr < low)
        low = part->p_vaddr;
      if (part->p_vaddr + part->p_memsz > high)
        high = part->p_vaddr + part->p_memsz;
      if (part->p_align > align)
        align = part->p_align;
    }
  if (high <= low)
    return 0;
  low &= -page;
  start = map (0, high - low + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is_error (start))
    return 0;
  image->base = ((start + align - 1) & -align) - (low & -align);
  image->entry = image->base + header->e_entry;
  for (long i = 0; i < image->n_headers; i++)
    {
      const Elf64_Phdr *part = &image->parts[i];

      if (part->p_type == PT_PHDR)
        image->headers = image->base + part->p_vaddr;
      if (part->p_type != PT_LOAD)
        continue;
      if (!map_part (image, part, fd, page))
        return 0;
      if (image->headers == 0 && part->p_offset <= header->e_phoff &&
          header->e_phoff - part->p_offset < part->p_filesz)
        image->headers = image->base + part->p_vaddr + header->e_phoff - part->p_offset;
    }
  return image->headers != 0;
}

static void
load (Image *image, const char *path, size_t page)
{
  long fd = call (SYS_openat, AT_FDCWD, (long) path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  Elf64_Ehdr header;
  long size;

  if (fd < 0)
    fail (path, " is missing");
  size = call (SYS_pread64, fd, (long) &header, sizeof header, 0, 0, 0);
  if (size != sizeof header || *(uint32_t *) header.e_ident != 0x464c457f ||
      header.e_type != ET_DYN || header.e_machine != MACHINE ||
      header.e_phentsize != sizeof (Elf64_Phdr) || header.e_phnum > MOST_PARTS)
    fail (path, " is not a program of this machine");
  image->n_headers = header.e_phnum;
  image->headers = 0;
  size = image->n_headers * (long) sizeof (Elf64_Phdr);
  if (call (SYS_pread64, fd, (long) image->parts, size, (long) header.e_phoff, 0, 0) != size ||
      !map_parts (image, &header, fd, page))
    fail (path, " can't be mapped");
  call (SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Writes the folder of libraries over the place that dev/bundle kept free in the program: $ORIGIN
 * would need /proc, and LD_LIBRARY_PATH would go on to what the program starts. */
static int
set_library_path (const Image *image, const char *folder, size_t page)
{
  const Elf64_Dyn *dynamic = NULL;
  uintptr_t strings = 0;
  uintptr_t offset = 0;
  uintptr_t start;
  char *place;
  size_t length = get_length (folder);
  size_t kept;
  size_t span;
  int protection = PROT_READ;

  for (long i = 0; i < image->n_headers; i++)
    if (image->parts[i].p_type == PT_DYNAMIC)
      dynamic = (const Elf64_Dyn *) (image->base + image->parts[i].p_vaddr);
  for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++)
    {
      if (dynamic->d_tag == DT_STRTAB)
        strings = image->base + dynamic->d_un.d_ptr;
      if (dynamic->d_tag == DT_RPATH)
        offset = dynamic->d_un.d_val;
    }
  if (strings == 0 || offset == 0)
    return 0;
  place = (char *) (strings + offset);
  kept = get_length (place);
  if (length > kept)
    return 0;
  for (long i = 0; i < image->n_headers; i++)
    {
      const Elf64_Phdr *part = &image->parts[i];

      if (part->p_type == PT_LOAD &&
          (uintptr_t) place - image->base - part->p_vaddr < part->p_memsz)
        protection = get_protection (part);
    }
  start = (uintptr_t) place & -page;
  span = ((uintptr_t) place + kept - start + page) & -page;
  if (call (SYS_mprotect, (long) start, (long) span, PROT_READ | PROT_WRITE, 0, 0, 0) != 0)
    return 0;
  for (size_t i = 0; i <= length; i++)
    *(volatile char *) (place + i) = folder[i];
  call (SYS_mprotect, (long) start, (long) span, protection, 0, 0, 0);
  return 1;
}

uintptr_t cured_bundle_begin (uintptr_t *stack);

/**
 * cured_bundle_begin:
 * @stack: as the kernel made it: the arguments, the environment, and what it
 *   says of the machine and the program, which becomes what it would say of the
 *   program in the bundle
 *
 * Ends the process with a message where the bundle is not whole.
 *
 * Returns: where the loader begins
 */
__attribute__ ((used)) uintptr_t
cured_bundle_begin (uintptr_t *stack)
{
  char folder[PATH_BYTES];
  char path[PATH_BYTES];
  const char *started = "";
  size_t page = 4096;
  Elf64_auxv_t *facts;
  Image program;
  Image loader;
  uintptr_t *at = stack + 1 + stack[0] + 1;

  while (*at != 0)
    at++;
  facts = (Elf64_auxv_t *) (at + 1);
  for (Elf64_auxv_t *fact = facts; fact->a_type != AT_NULL; fact++)
    {
      if (fact->a_type == AT_PAGESZ)
        page = fact->a_un.a_val;
      if (fact->a_type == AT_EXECFN)
        started = (const char *) fact->a_un.a_val;
    }
  if (!find_bundle (started, folder))
    fail (LOADER, " does not lie beside the program's folder");
  path[0] = '\0';
  append (path, folder);
  append (path, "/" PROGRAM);
  load (&program, path, page);
  path[0] = '\0';
  append (path, folder);
  append (path, "/lib");
  if (!set_library_path (&program, path, page))
    fail (path, " is too long a path, or the program is another one");
  path[0] = '\0';
  append (path, folder);
  append (path, "/" LOADER);
  load (&loader, path, page);
  for (Elf64_auxv_t *fact = facts; fact->a_type != AT_NULL; fact++)
    {
      if (fact->a_type == AT_PHDR)
        fact->a_un.a_val = program.headers;
      if (fact->a_type == AT_PHENT)
        fact->a_un.a_val = sizeof (Elf64_Phdr);
      if (fact->a_type == AT_PHNUM)
        fact->a_un.a_val = (uint64_t) program.n_headers;
      if (fact->a_type == AT_ENTRY)
        fact->a_un.a_val = program.entry;
      if (fact->a_type == AT_BASE)
        fact->a_un.a_val = loader.base;
    }
  return loader.entry;
}

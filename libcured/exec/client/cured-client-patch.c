/* SPDX-License-Identifier: MIT
 * The CUDA runtime that is linked into a program: its functions are overwritten with jumps to those
 * of this library, before any code of the program runs. */
#include "exec/client/cured-client-private.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* movabs $target, %rax; jmp *%rax. Arguments of functions with variable arguments aside, %rax is
 * nobody's at a function's beginning. */
#define JUMP_BYTES 12

/* movabs $name, %rdi; movabs $client_miss, %rax; jmp *%rax */
#define MISS_BYTES 22

typedef struct
{
  void *self;  /* this library */
  char *stubs; /* code for what is missing */
  size_t n_stub_bytes;
  size_t used;
} Patch;

static void
put_address (char *code, uint16_t opcode, const void *address)
{
  memcpy (code, &opcode, 2);
  memcpy (code + 2, &address, 8);
}

static void
put_jump (char *code, const void *target)
{
  put_address (code, 0xb848, target);
  memcpy (code + 10, "\xff\xe0", 2);
}

/* Code that says that @name is missing. */
static void *
make_stub (Patch *self, const char *name)
{
  size_t length = strlen (name) + 1;
  char *text = NULL;
  char *code = NULL;

  if (self->used + MISS_BYTES + length > self->n_stub_bytes)
    return NULL;
  code = self->stubs + self->used;
  text = code + MISS_BYTES;
  put_address (code, 0xbf48, text);
  put_jump (code + 10, (const void *) (uintptr_t) client_miss);
  memcpy (text, name, length);
  self->used += MISS_BYTES + length;
  return code;
}

/* What has the name in this library; streams of threads of their own are as other streams. */
static void *
find (const Patch *self, const char *name)
{
  char plain[128];
  size_t length = strlen (name);
  void *found = dlsym (self->self, name);

  if (found != NULL || length >= sizeof plain || length < 5)
    return found;
  strcpy (plain, name);
  if (strcmp (plain + length - 5, "_ptsz") != 0 && strcmp (plain + length - 5, "_ptds") != 0)
    return NULL;
  plain[length - 5] = '\0';
  return dlsym (self->self, plain);
}

/* Whether a function with a capital letter behind "cuda" is the runtime's: its own are hidden. */
static bool
is_of_runtime (const Elf64_Sym *symbol, const char *name)
{
  if (ELF64_ST_TYPE (symbol->st_info) != STT_FUNC || symbol->st_value == 0 ||
      (symbol->st_size < JUMP_BYTES && symbol->st_value % 16 != 0))
    return false;
  return strncmp (name, "cuda", 4) == 0 ? name[4] >= 'A' && name[4] <= 'Z'
                                        : strncmp (name, "__cuda", 6) == 0;
}

/* Overwrites the functions of @symbols; FALSE: there is no runtime among them. */
static bool
patch_symbols (Patch *self, uintptr_t base, const Elf64_Sym *symbols, size_t n, const char *names,
               size_t n_names, uintptr_t low, uintptr_t high)
{
  bool has_runtime = false;

  /* A program's own function of such a name is let be: only a runtime has this one. */
  for (size_t i = 0; i < n && !has_runtime; i++)
    has_runtime = symbols[i].st_name < n_names && symbols[i].st_value != 0 &&
                  strcmp (names + symbols[i].st_name, "__cudaRegisterFatBinary") == 0;
  if (!has_runtime || mprotect ((void *) low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return has_runtime;
  for (size_t i = 0; i < n; i++)
    {
      const char *name = symbols[i].st_name < n_names ? names + symbols[i].st_name : "";
      uintptr_t address = base + symbols[i].st_value;
      void *target = NULL;

      if (!is_of_runtime (&symbols[i], name) || address < low || address + JUMP_BYTES > high)
        continue;
      target = find (self, name);
      if (target == NULL && ELF64_ST_BIND (symbols[i].st_info) == STB_LOCAL && name[0] == 'c')
        target = make_stub (self, name);
      if (target != NULL)
        put_jump ((char *) address, target);
    }
  mprotect ((void *) low, high - low, PROT_READ | PROT_EXEC);
  return true;
}

/* Whether a section of device code is in the file, which a runtime was then linked to. */
static bool
has_section (const Elf64_Ehdr *file, const Elf64_Shdr *sections, size_t size, const char *wanted)
{
  const Elf64_Shdr *names = &sections[file->e_shstrndx];

  for (size_t i = 0; i < file->e_shnum && file->e_shstrndx < file->e_shnum; i++)
    if (names->sh_offset < size && sections[i].sh_name < size - names->sh_offset &&
        strncmp ((const char *) file + names->sh_offset + sections[i].sh_name, wanted,
                 size - names->sh_offset - sections[i].sh_name) == 0)
      return true;
  return false;
}

/* Whether the file names a library; any string of it that begins so will do. */
static bool
needs (const Elf64_Ehdr *file, size_t size, const char *name)
{
  return memmem (file, size, name, strlen (name)) != NULL;
}

static void
patch_file (Patch *self, const Elf64_Ehdr *file, size_t size, uintptr_t base, uintptr_t low,
            uintptr_t high)
{
  const Elf64_Shdr *sections = (const void *) ((const char *) file + file->e_shoff);
  bool has_runtime = false;

  if (size < sizeof *file || memcmp (file->e_ident, ELFMAG, SELFMAG) != 0 ||
      file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_shoff > size ||
      file->e_shnum > (size - file->e_shoff) / sizeof *sections)
    return;
  for (size_t i = 0; i < file->e_shnum; i++)
    {
      const Elf64_Shdr *table = &sections[i];
      const Elf64_Shdr *strings = NULL;

      if (table->sh_type != SHT_SYMTAB || table->sh_link >= file->e_shnum)
        continue;
      strings = &sections[table->sh_link];
      if (table->sh_offset > size || table->sh_size > size - table->sh_offset ||
          strings->sh_offset > size || strings->sh_size > size - strings->sh_offset ||
          strings->sh_size == 0 ||
          ((const char *) file)[strings->sh_offset + strings->sh_size - 1] != '\0')
        continue;
      has_runtime |=
          patch_symbols (self, base, (const void *) ((const char *) file + table->sh_offset),
                         table->sh_size / sizeof (Elf64_Sym),
                         (const char *) file + strings->sh_offset, strings->sh_size, low, high);
    }
  /* A shared runtime is this library already. A static one that was stripped is not seen. */
  if (!has_runtime && has_section (file, sections, size, ".nv_fatbin") &&
      !needs (file, size, "libcudart.so."))
    client_note (EXEC_NOTE_UNCAUGHT, "");
}

static int
patch_object_cb (struct dl_phdr_info *info, size_t size, void *data)
{
  const char *path = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
  uintptr_t low = UINTPTR_MAX;
  uintptr_t high = 0;
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  struct stat status;
  int fd = -1;

  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const Elf64_Phdr *part = &info->dlpi_phdr[i];

      if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
        continue;
      low = info->dlpi_addr + part->p_vaddr < low ? info->dlpi_addr + part->p_vaddr : low;
      high = info->dlpi_addr + part->p_vaddr + part->p_memsz > high
                 ? info->dlpi_addr + part->p_vaddr + part->p_memsz
                 : high;
    }
  low = low / page * page;
  high = (high + page - 1) / page * page;
  fd = low < high ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0 && fstat (fd, &status) == 0 && status.st_size > 0)
    {
      void *file = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

      if (file != MAP_FAILED)
        {
          patch_file (data, file, (size_t) status.st_size, info->dlpi_addr, low, high);
          munmap (file, (size_t) status.st_size);
        }
    }
  if (fd >= 0)
    close (fd);
  return 0;
}

void *
client_get_library (void)
{
  static void *library;
  Dl_info own = { 0 };

  if (library == NULL && dladdr ((void *) (uintptr_t) client_patch, &own) != 0)
    library = dlopen (own.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  return library;
}

void
client_patch (void)
{
  Patch patch = { .n_stub_bytes = 1 << 16 };

  patch.self = client_get_library ();
  patch.stubs = mmap (NULL, patch.n_stub_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (patch.self == NULL || patch.stubs == MAP_FAILED)
    return;
  dl_iterate_phdr (patch_object_cb, &patch);
  mprotect (patch.stubs, patch.n_stub_bytes, PROT_READ | PROT_EXEC);
}

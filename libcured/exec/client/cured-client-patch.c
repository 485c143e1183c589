/* SPDX-License-Identifier: MIT
 * Patches a CUDA runtime that is linked into a program: overwrites its functions with jumps to
 * those of this library, before any code of the program runs. */
#include "exec/client/cured-client-private.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* movabs $target, %rax; jmp *%rax. Except in variadic functions, %rax is free at a function's
 * beginning. */
#define JUMP_BYTES 12

/* movabs $name, %rdi; movabs $client_miss, %rax; jmp *%rax */
#define MISS_BYTES 22

/* Room for stubs. */
#define STUB_BYTES (1 << 16)

typedef struct
{
  void *self;  /* this library */
  char *stubs; /* code for a missing function */
  size_t n_stub_bytes, used;
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

/* Makes code that reports that @name is missing. */
static void *
make_stub (Patch *self, const char *name)
{
  size_t length = strlen (name) + 1;

  if (self->used + MISS_BYTES + length > self->n_stub_bytes)
    return NULL;
  char *code = self->stubs + self->used, *text = code + MISS_BYTES;
  put_address (code, 0xbf48, text);
  put_jump (code + 10, (const void *) (uintptr_t) client_miss);
  memcpy (text, name, length);
  self->used += MISS_BYTES + length;
  return code;
}

/* This library's function of that name; per-thread default streams are like other streams. */
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

/* Whether a function with a capital letter behind "cuda" is the runtime's, whose symbols are
 * hidden. */
static bool
is_of_runtime (const Elf64_Sym *symbol, const char *name)
{
  if (ELF64_ST_TYPE (symbol->st_info) != STT_FUNC || symbol->st_value == 0 ||
      (symbol->st_size < JUMP_BYTES && symbol->st_value % 16 != 0))
    return false;
  return strncmp (name, "cuda", 4) == 0 ? name[4] >= 'A' && name[4] <= 'Z'
                                        : strncmp (name, "__cuda", 6) == 0;
}

/* Overwrites the functions of @symbols; FALSE if they contain no runtime. */
static bool
patch_symbols (Patch *self, uintptr_t base, const Elf64_Sym *symbols, size_t n, const char *names,
               size_t n_names, uintptr_t low, uintptr_t high)
{
  bool has_runtime = false;

  /* Don't patch a program's own functions with such names: only a runtime has this one. */
  for (size_t i = 0; i < n && !has_runtime; i++)
    has_runtime = symbols[i].st_name < n_names && symbols[i].st_value != 0 &&
                  strcmp (names + symbols[i].st_name, "__cudaRegisterFatBinary") == 0;
  if (!has_runtime || mprotect ((void *) low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return has_runtime;
  for (size_t i = 0; i < n; i++)
    {
      const char *name = symbols[i].st_name < n_names ? names + symbols[i].st_name : "";
      uintptr_t address = base + symbols[i].st_value;

      if (!is_of_runtime (&symbols[i], name) || address < low || address + JUMP_BYTES > high)
        continue;
      void *target = find (self, name);
      if (target == NULL && ELF64_ST_BIND (symbols[i].st_info) == STB_LOCAL && name[0] == 'c')
        target = make_stub (self, name);
      if (target != NULL)
        put_jump ((char *) address, target);
    }
  mprotect ((void *) low, high - low, PROT_READ | PROT_EXEC);
  return true;
}

/* Whether the file has a section of device code, and so a linked runtime. */
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

/* Whether the file names a library; any string with that prefix counts. */
static bool
needs (const Elf64_Ehdr *file, size_t size, const char *name)
{
  return memmem (file, size, name, strlen (name)) != NULL;
}

/* The code of a file in memory; FALSE if it has none. */
static bool
find_code (const Elf64_Ehdr *file, size_t size, uintptr_t base, uintptr_t *low, uintptr_t *high)
{
  const Elf64_Phdr *parts = (const void *) ((const char *) file + file->e_phoff);
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);

  *low = UINTPTR_MAX;
  *high = 0;
  if (file->e_phoff > size || file->e_phnum > (size - file->e_phoff) / sizeof *parts)
    return false;
  for (size_t i = 0; i < file->e_phnum; i++)
    if (parts[i].p_type == PT_LOAD && (parts[i].p_flags & PF_X) != 0)
      {
        uintptr_t begin = base + parts[i].p_vaddr;

        *low = begin < *low ? begin : *low;
        *high = begin + parts[i].p_memsz > *high ? begin + parts[i].p_memsz : *high;
      }
  *low = *low / page * page;
  *high = (*high + page - 1) / page * page;
  return *low < *high;
}

static void
patch_file (Patch *self, const Elf64_Ehdr *file, size_t size, uintptr_t base, const char *path,
            bool is_program)
{
  const Elf64_Shdr *sections = (const void *) ((const char *) file + file->e_shoff);
  bool has_runtime = false;
  uintptr_t low = 0, high = 0;

  if (size < sizeof *file || memcmp (file->e_ident, ELFMAG, SELFMAG) != 0 ||
      file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_shoff > size ||
      file->e_shnum > (size - file->e_shoff) / sizeof *sections ||
      !find_code (file, size, base, &low, &high))
    return;
  /* This library itself: mold and lld name its functions as a runtime's, GNU ld adds versions. */
  if ((uintptr_t) client_miss >= low && (uintptr_t) client_miss < high)
    return;
  for (size_t i = 0; i < file->e_shnum; i++)
    {
      const Elf64_Shdr *table = &sections[i];

      if (table->sh_type != SHT_SYMTAB || table->sh_link >= file->e_shnum)
        continue;
      const Elf64_Shdr *strings = &sections[table->sh_link];
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
  /* A shared runtime is already this library. A stripped static one can't be found. */
  if (!has_runtime && has_section (file, sections, size, ".nv_fatbin") &&
      !needs (file, size, "libcudart.so."))
    client_note (is_program ? EXEC_NOTE_UNCAUGHT : EXEC_NOTE_CLOSED, path);
}

static void
patch_object (Patch *self, uintptr_t base, const char *path, bool is_program)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  /* fstat () is a symbol only in newer C libraries. */
  off_t size = fd >= 0 ? lseek (fd, 0, SEEK_END) : -1;

  if (size > 0)
    {
      void *file = mmap (NULL, (size_t) size, PROT_READ, MAP_PRIVATE, fd, 0);

      if (file != MAP_FAILED)
        {
          patch_file (self, file, (size_t) size, base, path, is_program);
          munmap (file, (size_t) size);
        }
    }
  if (fd >= 0)
    close (fd);
}

static int
patch_object_cb (struct dl_phdr_info *info, size_t size, void *data)
{
  bool is_program = info->dlpi_name[0] == '\0';

  patch_object (data, info->dlpi_addr, is_program ? "/proc/self/exe" : info->dlpi_name, is_program);
  return 0;
}

void *
client_get_library (void)
{
  static void *library;
  Dl_info own = { 0 };

  if (library == NULL && dladdr ((void *) (uintptr_t) client_get_library, &own) != 0)
    library = dlopen (own.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  return library;
}

static bool
begin (Patch *self)
{
  *self = (Patch){ .n_stub_bytes = STUB_BYTES, .self = client_get_library () };
  self->stubs = mmap (NULL, self->n_stub_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return self->self != NULL && self->stubs != MAP_FAILED;
}

static void
end (Patch *self)
{
  if (self->used > 0)
    mprotect (self->stubs, self->n_stub_bytes, PROT_READ | PROT_EXEC);
  else
    munmap (self->stubs, self->n_stub_bytes);
}

/* Set when everything loaded at the start has been patched. */
int cured_client_is_ready;

/* Patches a library that was loaded later; for cured-audit.c. */
void
cured_client_patch (uintptr_t base, const char *path)
{
  Patch patch;

  if (base == 0 || path[0] == '\0' || !begin (&patch))
    return;
  patch_object (&patch, base, path, false);
  end (&patch);
}

/* Before the program's first instruction. */
static void __attribute__ ((constructor)) patch_all (void)
{
  Patch patch;

  if (!begin (&patch))
    return;
  dl_iterate_phdr (patch_object_cb, &patch);
  end (&patch);
  cured_client_is_ready = 1;
}

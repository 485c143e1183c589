// SPDX-License-Identifier: MIT
// Loads a library with kernels once it runs.
#include <cstdio>
#include <dlfcn.h>

int
main (int argc, char **argv)
{
  void *library = dlopen (argc > 1 ? argv[1] : "./late.so", RTLD_NOW);
  int (*work) () = library != NULL ? (int (*) ()) dlsym (library, "work") : NULL;

  puts (work != NULL && work () == 0 ? "as it should be" : "wrong");
  return 0;
}

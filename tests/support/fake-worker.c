/* SPDX-License-Identifier: MIT
 * A worker with the tests' fake device. Stands in for `cured worker` through
 * the environment variable CURED_WORKER; CURED_FAKE says what goes wrong. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake-device.h"
#include "worker/cured-worker.h"

int
main (int argc, char **argv)
{
  const char *id = "fake:0";
  const char *hello = g_getenv ("CURED_FAKE_HELLO");

  setlocale (LC_ALL, "");
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], "--device"))
      id = argv[i + 1];

  /* What a worker may say instead of a hello. */
  if (hello != NULL)
    {
      if (g_str_equal (hello, "mute"))
        while (TRUE)
          pause ();
      puts (hello);
      fflush (stdout);
      pause ();
    }
  return cured_worker_main (fake_device_open, id);
}

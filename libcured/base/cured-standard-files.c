/* SPDX-License-Identifier: MIT
 * Standard input, output and error, which a program may be started without. */
#include "config.h"

#include "base/cured-standard-files.h"

#include <fcntl.h>
#include <unistd.h>

/**
 * cured_standard_files_open:
 *
 * Opens /dev/null in the place of each standard file that is closed. A program
 * calls this before it opens anything: what it opens first would be standard
 * output or error otherwise, and messages would go into a result file.
 */
void
cured_standard_files_open (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close (fd);
}

/* SPDX-License-Identifier: MIT
 * Standard input, output and error, which a program may be started without. */
#include "base/cured-standard-files.h"

#include <fcntl.h>
#include <unistd.h>

/* Opens /dev/null in the place of each standard file that is closed. A program calls this before it
 * opens anything: what it opens first would be standard output or error otherwise, and messages
 * would go into a result file. Writing to standard output then fails, instead of losing the output
 * silently. */
void
cured_standard_files_open (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      /* It gets this number, since all before it are open. */
      open ("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

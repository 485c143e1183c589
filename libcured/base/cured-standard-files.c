/* SPDX-License-Identifier: MIT
 * Opens standard input, output and error if the program was started without them. */
#include "base/cured-standard-files.h"

#include <fcntl.h>
#include <unistd.h>

/* Opens /dev/null for each closed standard file. Must be called before anything is opened:
 * otherwise the first opened file would become standard output or error, and messages would go
 * into a result file. Writing to standard output then fails, instead of losing the output
 * silently. */
void
cured_standard_files_open (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      /* It gets this number, since all lower ones are open. */
      open ("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

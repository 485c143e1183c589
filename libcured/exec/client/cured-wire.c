/* SPDX-License-Identifier: MIT
 * A program's end of the socket to Cured. */
#include "exec/client/cured-wire-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* -1 if nobody listens. */
int
wire_connect (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = -1;

  if (strlen (path) >= sizeof address.sun_path)
    return -1;
  strcpy (address.sun_path, path);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect (fd, (const struct sockaddr *) &address, sizeof address) != 0)
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

static bool
send_all (int connection, const void *data, size_t size)
{
  const char *at = data;

  while (size > 0)
    {
      ssize_t n = send (connection, at, size, MSG_NOSIGNAL);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return false;
      at += n;
      size -= (size_t) n;
    }
  return true;
}

/* @fd: (nullable): gets a descriptor passed with the bytes */
static bool
receive_all (int connection, void *data, size_t size, int *fd)
{
  char *at = data;

  while (size > 0)
    {
      struct iovec part = { at, size };
      union
      {
        struct cmsghdr head;
        char bytes[CMSG_SPACE (sizeof (int))];
      } control;
      struct msghdr message = { .msg_iov = &part,
                                .msg_iovlen = 1,
                                .msg_control = fd != NULL ? &control : NULL,
                                .msg_controllen = fd != NULL ? sizeof control : 0 };
      ssize_t n = recvmsg (connection, &message, MSG_CMSG_CLOEXEC);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return false;
      struct cmsghdr *head = fd != NULL ? CMSG_FIRSTHDR (&message) : NULL;
      if (head != NULL && head->cmsg_type == SCM_RIGHTS)
        memcpy (fd, CMSG_DATA (head), sizeof *fd);
      at += n;
      size -= (size_t) n;
    }
  return true;
}

/* Sends a call with the bytes of @data, whose number is in @call, and @more. Returns the answer's
 * bytes, NUL-terminated, to be freed. FALSE if the other end has closed. */
bool
wire_exchange (int connection, ExecCall *call, const void *data, const void *more, size_t n_more,
               ExecReply *reply, void **bytes, int *fd)
{
  uint32_t n_data = call->n_bytes;
  char *text = NULL;

  call->n_bytes = (uint32_t) (n_data + n_more);
  if (!send_all (connection, call, sizeof *call) || !send_all (connection, data, n_data) ||
      !send_all (connection, more, n_more) || !receive_all (connection, reply, sizeof *reply, fd) ||
      (text = malloc ((size_t) reply->n_bytes + 1)) == NULL ||
      !receive_all (connection, text, reply->n_bytes, NULL))
    {
      free (text);
      return false;
    }
  text[reply->n_bytes] = '\0';
  *bytes = text;
  return true;
}

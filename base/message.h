/* Messages between processes of Culvert over a stream socket.  A message is its size (64 bits) and its content.
 *
 * Not thread-safe: a socket has one user at a time. */
#ifndef CULVERT_BASE_MESSAGE_H
#define CULVERT_BASE_MESSAGE_H

#include "base/bytes.h"

#include <stdint.h>

/* Send and receive a message.  They wait until deadline_ns (host_now_ns) at most, for bytes or for room in the socket;
 * 0: without a limit.  Return 0, ETIMEDOUT, ENOMEM or EPIPE (the other end is closed; no SIGPIPE is raised). */
int message_send(int socket, uint64_t deadline_ns, const struct bytes *message);
int message_receive(int socket, uint64_t deadline_ns, struct bytes *message);
/* Waits for the first byte of a message, or until the other end is closed.  Returns 0, ETIMEDOUT or EPIPE. */
int message_wait(int socket, uint64_t deadline_ns);

#endif

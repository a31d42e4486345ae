#include "config.h"

#include "base/message.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

/* Returns 0 when one of the events has happened or the other end is closed. */
static int wait_for(int socket, short events, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd poll_socket = {.fd = socket, .events = events};
		int timeout_ms = -1;
		if (deadline_ns) {
			uint64_t now_ns = host_now_ns();
			if (now_ns >= deadline_ns)
				return ETIMEDOUT;
			uint64_t rest_ms = (deadline_ns - now_ns) / 1000000 + 1;
			timeout_ms = rest_ms > 60000 ? 60000 : (int)rest_ms;
		}
		int ready = poll(&poll_socket, 1, timeout_ms);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return EPIPE;
	}
}

static int send_all(int socket, uint64_t deadline_ns, const char *data, size_t size_B)
{
	while (size_B) {
		ssize_t sent_B = send(socket, data, size_B, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent_B < 0 && errno == EAGAIN) {
			/* A process that was stopped or gets no processor time does not read, although its end is
			 * open. */
			const int error = wait_for(socket, POLLOUT, deadline_ns);
			if (error)
				return error;
			continue;
		}
		if (sent_B < 0 && errno == EINTR)
			continue;
		if (sent_B <= 0)
			return EPIPE;
		data += sent_B;
		size_B -= (size_t)sent_B;
	}
	return 0;
}

int message_send(int socket, uint64_t deadline_ns, const struct bytes *message)
{
	uint64_t size_B = message->size_B;
	if (bytes_failed(message))
		return ENOMEM;
	int error = send_all(socket, deadline_ns, (const char *)&size_B, sizeof(size_B));
	return error ? error : send_all(socket, deadline_ns, message->data, message->size_B);
}

static int receive_all(int socket, uint64_t deadline_ns, char *data, size_t size_B)
{
	while (size_B) {
		int error = wait_for(socket, POLLIN, deadline_ns);
		if (error)
			return error;
		ssize_t received_B = recv(socket, data, size_B, 0);
		if (received_B < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (received_B <= 0)
			return EPIPE;
		data += received_B;
		size_B -= (size_t)received_B;
	}
	return 0;
}

int message_wait(int socket, uint64_t deadline_ns)
{
	return wait_for(socket, POLLIN, deadline_ns);
}

int message_receive(int socket, uint64_t deadline_ns, struct bytes *message)
{
	static const size_t part_max_B = (size_t)4 << 20;
	uint64_t size_B;
	int error = receive_all(socket, deadline_ns, (char *)&size_B, sizeof(size_B));
	/* Memory is allocated in steps, as bytes arrive, not for the size that a damaged message may claim. */
	while (!error && size_B) {
		size_t part_B = size_B < part_max_B ? (size_t)size_B : part_max_B;
		void *room = bytes_extend(message, part_B);
		error = room ? receive_all(socket, deadline_ns, room, part_B) : ENOMEM;
		size_B -= part_B;
	}
	return error;
}

/* A second process of a test, which talks to the first by a socket: turns, and file
 * descriptors.  It is the same program with one argument, the number of its socket. */
#ifndef CULVERT_TESTS_API_SECOND_PROCESS_H
#define CULVERT_TESTS_API_SECOND_PROCESS_H

#include "tests/api/api_test.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static inline void fd_send(int socket, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	char byte = 'f';
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
	CHECK(sendmsg(socket, &message, MSG_NOSIGNAL) == 1);
}

static inline int fd_receive(int socket)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	int fd = -1;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return fd;
}

static inline void turn_give(int socket)
{
	CHECK(send(socket, "t", 1, MSG_NOSIGNAL) == 1);
}

static inline bool turn_wait(int socket)
{
	char byte;
	return recv(socket, &byte, 1, 0) == 1;
}

/* -1: there is none. */
static inline pid_t second_start(int *socket_out)
{
	char program[4096], number[16];
	int sockets[2];
	pid_t child = -1;
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (!CHECK(length > 0) || !CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets)))
		return -1;
	program[length] = '\0';
	CHECK(!fcntl(sockets[0], F_SETFD, FD_CLOEXEC));
	snprintf(number, sizeof(number), "%d", sockets[1]);
	char *const arguments[] = {program, number, NULL};
	CHECK(!posix_spawn(&child, program, NULL, NULL, arguments, environ));
	close(sockets[1]);
	*socket_out = sockets[0];
	return child;
}

/* The second one's end: it had nothing to complain about. */
static inline void second_end(pid_t child, int socket)
{
	int status = -1;
	/* It waits for no more than it should get. */
	CHECK(!shutdown(socket, SHUT_WR));
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	close(socket);
}

#endif

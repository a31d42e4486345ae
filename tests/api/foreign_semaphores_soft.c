/* The other API of the software device: a thread, a memfd and FIFOs. */
#include "config.h"

#include "tests/api/fifo.h"
#include "tests/api/partner.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEPS = 256, PATIENCE_MS = 20000 };

static struct {
	cl_uint *memory;
	int memory_fd;
	int semaphores[PARTNER_SEMAPHORES];
	int semaphore_count;
	cl_uint *rows;
	pthread_t thread;
	pthread_mutex_t lock;            /* guards the rest */
	pthread_cond_t changed;
	struct partner_step steps[STEPS];
	unsigned given, taken, done;
	bool failed, ending;
} soft = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static bool take(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	char byte;
	return poll(&polled, 1, PATIENCE_MS) == 1 && read(fd, &byte, 1) == 1;
}

static bool step_run(const struct partner_step *step)
{
	if (step->wait >= 0 && !take(soft.semaphores[step->wait]))
		return false;
	if (step->row >= 0)
		memcpy(soft.rows + (size_t)step->row * PARTNER_WORDS, soft.memory, PARTNER_SIZE_B);
	for (int i = 0; i < PARTNER_WORDS && step->fills; i++)
		soft.memory[i] = step->value;
	return step->signal < 0 || write(soft.semaphores[step->signal], "s", 1) == 1;
}

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&soft.lock);
	while (!soft.ending) {
		if (soft.taken == soft.given) {
			pthread_cond_wait(&soft.changed, &soft.lock);
			continue;
		}
		const struct partner_step step = soft.steps[soft.taken++];
		pthread_mutex_unlock(&soft.lock);
		const bool good = step_run(&step);
		pthread_mutex_lock(&soft.lock);
		soft.failed |= !good;
		soft.done++;
		pthread_cond_broadcast(&soft.changed);
	}
	pthread_mutex_unlock(&soft.lock);
	return NULL;
}

static const char *start(const unsigned char *uuid)
{
	(void)uuid;
	const int fd = memfd_create("partner", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	soft.rows = calloc(PARTNER_ROWS, PARTNER_SIZE_B);
	if (fd < 0 || !soft.rows || ftruncate(fd, PARTNER_SIZE_B) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return "no memory";
	soft.memory = mmap(NULL, PARTNER_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	soft.memory_fd = fd;
	if (soft.memory == MAP_FAILED || pthread_create(&soft.thread, NULL, work, NULL))
		return "no memory";
	return NULL;
}

static int memory(void)
{
	return fcntl(soft.memory_fd, F_DUPFD_CLOEXEC, 0);
}

static int semaphore(int *number_out)
{
	if (soft.semaphore_count == PARTNER_SEMAPHORES)
		return -1;
	const int fd = fifo_open();
	if (fd < 0)
		return -1;
	*number_out = soft.semaphore_count;
	soft.semaphores[soft.semaphore_count++] = fd;
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static bool step(const struct partner_step *wanted)
{
	pthread_mutex_lock(&soft.lock);
	const bool room = soft.given < STEPS;
	if (room)
		soft.steps[soft.given++] = *wanted;
	pthread_cond_broadcast(&soft.changed);
	pthread_mutex_unlock(&soft.lock);
	return room;
}

static bool finish(void)
{
	pthread_mutex_lock(&soft.lock);
	while (soft.done != soft.given)
		pthread_cond_wait(&soft.changed, &soft.lock);
	const bool good = !soft.failed;
	pthread_mutex_unlock(&soft.lock);
	return good;
}

static const cl_uint *row(int number)
{
	return soft.rows + (size_t)number * PARTNER_WORDS;
}

static void end(void)
{
	pthread_mutex_lock(&soft.lock);
	soft.ending = true;
	pthread_cond_broadcast(&soft.changed);
	pthread_mutex_unlock(&soft.lock);
	pthread_join(soft.thread, NULL);
	for (int i = 0; i < soft.semaphore_count; i++)
		close(soft.semaphores[i]);
	munmap(soft.memory, PARTNER_SIZE_B);
	close(soft.memory_fd);
	free(soft.rows);
}

const struct partner partner_soft = {
	.start = start, .memory = memory, .semaphore = semaphore, .step = step,
	.finish = finish, .row = row, .end = end, .waits_first = true,
};

/* Protects: how a compiler's process asks for its share of the cores. */
#include "config.h"

#include "icd/compile_wire.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void *asks(void *socket)
{
	static unsigned threads;
	threads = ocl_wire_ask_threads(*(int *)socket);
	return &threads;
}

static void a_question_is_answered(void)
{
	int sockets[2];
	pthread_t thread;
	void *answer;
	struct bytes question = BYTES_INIT;
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	for (unsigned threads = 1; threads < 100; threads += 33) {
		REQUIRE(!pthread_create(&thread, NULL, asks, &sockets[0]));
		CHECK_EQ(ocl_wire_receive(sockets[1], 0, &question), 0);
		CHECK(question.size_B == 1 && question.data[0] == OCL_WIRE_ASKS);
		CHECK(ocl_wire_tell_threads(sockets[1], threads));
		REQUIRE(!pthread_join(thread, &answer));
		CHECK_EQ(*(unsigned *)answer, threads);
		bytes_finish(&question);
	}
	close(sockets[0]);
	close(sockets[1]);
}

/* Who has nobody to ask works alone; so does who gets no number. */
static void without_an_answer_it_is_one(void)
{
	int sockets[2];
	struct bytes nothing = BYTES_INIT;
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	CHECK(ocl_wire_send(sockets[1], &nothing));
	CHECK(ocl_wire_tell_threads(sockets[1], 0));
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	close(sockets[1]);
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	close(sockets[0]);
}

TEST_MAIN(TEST(a_question_is_answered), TEST(without_an_answer_it_is_one))

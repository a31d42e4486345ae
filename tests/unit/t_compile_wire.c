/* Protects: how a compiler's process asks for its share of the cores; what does not answer; that a job
 * arrives there as it was sent. */
#include "config.h"

#include "backend/gpu.h"
#include "base/clock.h"
#include "base/message.h"
#include "icd/compile/compile_wire.h"
#include "tests/unit/test.h"

#include <errno.h>
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
		CHECK_EQ(message_receive(sockets[1], 0, &question), 0);
		CHECK(question.size_B == 1 && question.data[0] == OCL_WIRE_ASKS);
		CHECK_EQ(ocl_wire_tell_threads(sockets[1], 0, threads), 0);
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
	CHECK_EQ(message_send(sockets[1], 0, &nothing), 0);
	CHECK_EQ(ocl_wire_tell_threads(sockets[1], 0, 0), 0);
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	close(sockets[1]);
	CHECK_EQ(ocl_wire_ask_threads(sockets[0]), 1);
	close(sockets[0]);
}

/* Who is there and reads nothing is waited for, but not for ever. */
static void sending_has_an_end(void)
{
	int sockets[2];
	struct bytes large = BYTES_INIT;
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	REQUIRE(bytes_extend(&large, (size_t)8 << 20) != NULL);
	const uint64_t begun_ns = host_now_ns();
	CHECK_EQ(message_send(sockets[0], begun_ns + 20000000, &large), ETIMEDOUT);
	CHECK(host_now_ns() >= begun_ns + 20000000);
	close(sockets[1]);
	CHECK_EQ(message_send(sockets[0], 0, &large), EPIPE);
	close(sockets[0]);
	bytes_finish(&large);
}

/* The options are read in the host and not again: all that they say has to get over. */
static void options_arrive_as_they_were_read(void)
{
	static const char text[] =
		"-DX='a b' -I /tmp -cl-std=CLC++2021 -cl-denorms-are-zero -cl-mad-enable -g -w "
		"-cl-fp32-correctly-rounded-divide-sqrt -cl-nv-maxrregcount=40 -cl-opt-disable "
		"-cl-unsafe-math-optimizations -cl-uniform-work-group-size -cl-nv-verbose "
		"-cl-culvert-warp-synchronous";
	struct fe_options options;
	struct ocl_wire_job arrived;
	struct bytes log = BYTES_INIT, message = BYTES_INIT, sent = BYTES_INIT, read = BYTES_INIT;
	REQUIRE(!fe_options_parse(text, false, &options, &log));
	const struct ocl_job job = {
		.kind = OCL_JOB_SOURCE,
		.target = {.sm = 90, .max_local_B = 49152, .cubin_build = "a build"},
		.options = &options,
		.source = "kernel void k() {}",
		.source_size_B = 18,
	};
	ocl_wire_put_job(&job, "/", &message);
	REQUIRE(ocl_wire_get_job(&message, &arrived));
	fe_options_canonical(&options, &sent);
	fe_options_canonical(arrived.job.options, &read);
	CHECK(sent.size_B == read.size_B && !memcmp(sent.data, read.data, sent.size_B));
	CHECK_STRING(arrived.job.options->text, text);
	CHECK_STRING(arrived.job.target.cubin_build, "a build");
	ocl_wire_job_finish(&arrived);
	fe_options_finish(&options);
	bytes_finish(&message);
	bytes_finish(&sent);
	bytes_finish(&read);
	bytes_finish(&log);
}

TEST_MAIN(TEST(a_question_is_answered), TEST(without_an_answer_it_is_one),
	  TEST(sending_has_an_end), TEST(options_arrive_as_they_were_read))

/* Protects: tasks of builders run at once, whoever joins does what nobody has begun, and
 * foreign code after a task keeps no other task waiting. */
#include "config.h"

#include "icd/compile/builders.h"
#include "tests/unit/test.h"

#include <semaphore.h>
#include <unistd.h>

struct job {
	struct ocl_builder_task task;
	sem_t *mine, *other;
	bool ran;
};

typedef void after_function(struct ocl_builder_task *task);

/* Ends only if the other one runs meanwhile. */
static after_function *meet(struct ocl_builder_task *task)
{
	struct job *job = list_entry(task, struct job, task);
	sem_post(job->mine);
	sem_wait(job->other);
	job->ran = true;
	return NULL;
}

static void at_once(void)
{
	sem_t first, second;
	sem_init(&first, 0, 0);
	sem_init(&second, 0, 0);
	struct job a = {.task = {.run = meet, .joined = true}, .mine = &first, .other = &second};
	struct job b = {.task = {.run = meet, .joined = true}, .mine = &second, .other = &first};
	REQUIRE(ocl_builders_begin(&a.task));
	REQUIRE(ocl_builders_begin(&b.task));
	ocl_builders_join(&a.task);
	ocl_builders_join(&b.task);
	CHECK(a.ran && b.ran);
}

static after_function *count(struct ocl_builder_task *task)
{
	struct job *job = list_entry(task, struct job, task);
	job->ran = true;
	return NULL;
}

static void many(void)
{
	enum { JOBS = 200 };
	static struct job jobs[JOBS];
	for (int i = 0; i < JOBS; i++) {
		jobs[i].task = (struct ocl_builder_task){.run = count, .joined = true};
		REQUIRE(ocl_builders_begin(&jobs[i].task));
	}
	for (int i = JOBS; i-- > 0;) {
		ocl_builders_join(&jobs[i].task);
		CHECK(jobs[i].ran && jobs[i].task.done);
	}
}

static sem_t told, go_on;

static void foreign(struct ocl_builder_task *task)
{
	(void)task;
	sem_wait(&go_on);
	sem_post(&told);
}

static after_function *then_foreign(struct ocl_builder_task *task)
{
	(void)task;
	return foreign;
}

static after_function *release(struct ocl_builder_task *task)
{
	(void)task;
	for (int i = 0; i < 64; i++)
		sem_post(&go_on);
	return NULL;
}

/* More waiting callbacks than there are threads, and what ends their wait comes last. */
static void foreign_code_waits(void)
{
	static struct ocl_builder_task waiting[64];
	struct ocl_builder_task last = {.run = release, .joined = true};
	sem_init(&told, 0, 0);
	sem_init(&go_on, 0, 0);
	for (int i = 0; i < 64; i++) {
		waiting[i].run = then_foreign;
		REQUIRE(ocl_builders_begin(&waiting[i]));
	}
	REQUIRE(ocl_builders_begin(&last));
	for (int i = 0; i < 64; i++)
		sem_wait(&told);
	ocl_builders_join(&last);
	CHECK(last.done);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(at_once), TEST(many),
						 TEST(foreign_code_waits)};
	alarm(60);
	return test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
}

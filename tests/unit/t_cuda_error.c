#include "config.h"

#include "backend/cuda_error.h"
#include "backend/cuda_symbols.h"
#include "tests/unit/test.h"

static const CUresult rows[] = {
#define CUDA_ERROR_ROW(result, code, fate) result,
#include "backend/cuda_error.def"
#undef CUDA_ERROR_ROW
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void each_result_has_one_row(void)
{
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < i; j++)
			CHECK(rows[i] != rows[j]);
		CHECK_EQ(gpu_error_find(rows[i])->cu_result, rows[i]);
	}
}

static void each_code_is_an_error(void)
{
	for (int i = 0; i < ROWS; i++) {
		const struct gpu_error *error = gpu_error_find(rows[i]);
		CHECK(error->code < 0);
		CHECK(!strncmp(error->name, "CUDA_ERROR_", 11));
		/* Neither is a failure. */
		CHECK(rows[i] != CUDA_SUCCESS && rows[i] != CUDA_ERROR_NOT_READY);
	}
}

static void codes_and_fates(void)
{
	CHECK_EQ(gpu_error_find(CUDA_ERROR_OUT_OF_MEMORY)->code, CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_error_find(CUDA_ERROR_OUT_OF_MEMORY)->fate, GPU_FATE_RETRY);
	CHECK_EQ(gpu_error_find(CUDA_ERROR_ILLEGAL_ADDRESS)->fate, GPU_FATE_LOST);
	CHECK_EQ(gpu_error_find(CUDA_ERROR_INVALID_VALUE)->fate, GPU_FATE_BUG);
	CHECK_EQ(gpu_error_find(CUDA_ERROR_NO_BINARY_FOR_GPU)->code, CL_INVALID_BINARY);
}

static void unknown_results_are_out_of_resources(void)
{
	const struct gpu_error *error = gpu_error_find((CUresult)54321);
	CHECK_EQ(error->code, CL_OUT_OF_RESOURCES);
	CHECK_EQ(error->fate, GPU_FATE_CALLER);
	CHECK_STRING(error->name, "unknown error");
}

static void check_gives_the_code(void)
{
	CHECK_EQ(gpu_check(NULL, CUDA_SUCCESS), CL_SUCCESS);
	CHECK_EQ(gpu_check(NULL, CUDA_ERROR_MAP_FAILED), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_check_module(NULL, CUDA_SUCCESS, "", "", 0), CL_SUCCESS);
	/* Codes of builds and kernels are for those who load modules. */
	CHECK_EQ(gpu_check_module(NULL, CUDA_ERROR_NOT_FOUND, "", "", 0), CL_INVALID_KERNEL_NAME);
	CHECK_EQ(gpu_check(NULL, CUDA_ERROR_NOT_FOUND), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_check(NULL, CUDA_ERROR_INVALID_IMAGE), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_check(NULL, CUDA_ERROR_DEVICE_UNAVAILABLE), CL_OUT_OF_RESOURCES);
}

static void symbols_are_named_once(void)
{
	static const char *const names[] = {
#define CUDA_SYMBOL(name, need, parameters) #name,
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL
	};
	size_t count = sizeof(names) / sizeof(names[0]);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(names[i], names[j]));
}

TEST_MAIN(TEST(each_result_has_one_row), TEST(each_code_is_an_error), TEST(codes_and_fates),
	  TEST(unknown_results_are_out_of_resources), TEST(check_gives_the_code),
	  TEST(symbols_are_named_once))

/* Protects: softcuda's surfaces, and what it says of kernels and programs that use
 * arrays, textures and surfaces wrongly: faults, the checker, the oracle.
 *
 * Options are read once, so each test is a process of its own. */
#include "config.h"

#include "tests/unit/soft_image.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static char report[16384];
static const char *rules = "";       /* of calls that fail on purpose */
static bool counting;                /* the report is the counts instead */

/* Runs body in a child; its reports are in report.  Failures of checks count here. */
static void run_alone(const char *check, const char *oracle, void (*body)(void))
{
	char path[64];
	int status = 0;
	snprintf(path, sizeof(path), "t_soft_surface.%ld", (long)getpid());
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_CHECK", check, 1);
		setenv("CULVERT_SOFT_ORACLE", oracle, 1);
		setenv("CULVERT_SOFT_FAULT", rules, 1);
		setenv(counting ? "CULVERT_SOFT_COUNT" : "CULVERT_SOFT_REPORT", path, 1);
		if (ready())
			body();
		else
			printf("softcuda does not start\n");
		exit(!module || test_failures);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 0);
	memset(report, 0, sizeof(report));
	FILE *file = fopen(path, "r");
	if (!file)
		return;
	if (fread(report, 1, sizeof(report) - 1, file) == 0)
		printf("an empty report\n");
	fclose(file);
	unlink(path);
}

static void check_report(const char *wanted)
{
	if (wanted ? !strstr(report, wanted) : report[0]) {
		printf("the report is not \"%s\" but \"%s\"\n", wanted ? wanted : "", report);
		test_failures++;
	}
}

/* --- what surfaces do ---------- */

static CUsurfObject surface_create(CUarray array)
{
	CUsurfObject object = 0;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	resource.res.array.hArray = array;
	CHECK_EQ(cuSurfObjectCreate(&object, &resource), CUDA_SUCCESS);
	return object;
}

/* Every byte of an array by stores of each width; the array's bytes must be them, and
 * loads must give them back. */
static void check_surface(int shape, size_t width, size_t height, size_t depth, bool layered)
{
	enum { BYTES = 16 * 3 * 2 };
	unsigned char wanted[BYTES], bytes[BYTES];
	int32_t coordinates[BYTES][4];
	unsigned char values[BYTES][16];
	size_t rows = (height ? height : 1) * (depth ? depth : 1);
	/* Texels of 8 bytes, as wide as the widest access: a wider one is a fault. */
	CUarray array = array_create(width / 2, height, depth, CU_AD_FORMAT_UNSIGNED_INT16, 4,
				     CUDA_ARRAY3D_SURFACE_LDST |
					     (layered ? CUDA_ARRAY3D_LAYERED : 0));
	CUsurfObject object = surface_create(array);
	for (unsigned size_B = 1; size_B <= 8; size_B *= 2) {
		unsigned count = 0;
		char name[32];
		for (size_t row = 0; row < rows; row++)
			for (size_t x = 0; x < 4 * width; x += size_B, count++) {
				int32_t y = (int32_t)(height ? row % height : 0);
				int32_t z = (int32_t)(height ? row / height : row);
				const int32_t flat[4] = {(int32_t)x, y, z, 0};
				const int32_t line[4] = {z, (int32_t)x, 0, 0};
				const int32_t plane[4] = {z, (int32_t)x, y, 0};
				memcpy(coordinates[count], !layered ? flat : height ? plane : line,
				       sizeof(coordinates[count]));
				for (unsigned b = 0; b < size_B; b++) {
					values[count][b] = (unsigned char)random_below(256);
					wanted[row * 4 * width + x + b] = values[count][b];
				}
			}
		snprintf(name, sizeof(name), "sust_%s_%u", shape_names[shape], 8 * size_B);
		CHECK_EQ(run(name, object, coordinates, count, values), CUDA_SUCCESS);
		CHECK_EQ(array_copy(array, bytes, false), CUDA_SUCCESS);
		CHECK(!memcmp(bytes, wanted, rows * 4 * width));
		memset(values, 0, sizeof(values));
		snprintf(name, sizeof(name), "suld_%s_%u", shape_names[shape], 8 * size_B);
		CHECK_EQ(run(name, object, coordinates, count, values), CUDA_SUCCESS);
		for (unsigned i = 0; i < count; i++)
			CHECK(!memcmp(values[i], wanted + i * size_B, size_B));
	}
	CHECK_EQ(cuSurfObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

static void shapes(void)
{
	check_surface(0, 4, 0, 0, false);
	check_surface(1, 4, 3, 0, false);
	check_surface(2, 4, 3, 2, false);
	check_surface(3, 4, 0, 2, true);
	check_surface(4, 4, 3, 2, true);
}


/* A surface of 4 x 2 words, 0 to 7. */
static CUarray words;

static CUsurfObject words_create(CUarray_format format, unsigned channels)
{
	uint32_t in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	words = array_create(4, 2, 0, format, channels, CUDA_ARRAY3D_SURFACE_LDST);
	CHECK_EQ(array_copy(words, in, true), CUDA_SUCCESS);
	return surface_create(words);
}

static void edges(void)
{
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	static const int32_t at[5][4] = {{4, 1}, {-4, 0}, {400, 0}, {8, -3}, {4, 9}};
	/* PTX ISA, suld: "clamp loads data at the nearest surface location", "zero loads
	 * zero"; sust: "zero drops stores". */
	static const uint32_t nearest[5] = {5, 0, 3, 2, 5};
	uint32_t values[5][4], out[8];
	CHECK_EQ(run("load_clamp", object, at, 5, values), CUDA_SUCCESS);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(values[i][0], nearest[i]);
	static const int32_t rows[3][4] = {{0, 1}, {0, 2}, {-16, 0}};
	memset(values, 1, sizeof(values));
	CHECK_EQ(run("load_zero", object, rows, 3, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 4 && values[1][0] == 0 && values[2][0] == 0);
	for (uint32_t i = 0; i < 5; i++)
		values[i][0] = 100 + i;
	CHECK_EQ(run("store_zero", object, at, 5, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 8; i++)
		CHECK_EQ(out[i], i == 5 ? 100 : i);
	CHECK_EQ(run("store_clamp", object, at + 1, 3, values + 1), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	CHECK(out[0] == 101 && out[3] == 102 && out[2] == 103 && out[1] == 1 && out[4] == 4);
}

/* PTX ISA, sust.p: values are converted to the surface's format. */
static void formatted(void)
{
	static const int32_t at[4][4] = {{0}, {1}, {2}, {3}};
	static const int32_t whole[4][4] = {{1, -1, 127, -128}, {128, -129, 300, -300},
					    {INT32_MAX, INT32_MIN, 0, 5}, {-2, 2, 100, -100}};
	static const int8_t bytes[4][4] = {{1, -1, 127, -128}, {127, -128, 127, -128},
					   {127, -128, 0, 5}, {-2, 2, 100, -100}};
	static const float real[4][4] = {{1, -2, 0.5f, 65504}, {0.1f, 2e-7f, -0.0f, 1e6f},
					 {3, 4, 5, 6}, {7, 8, 9, 10}};
	int32_t values[4][4];
	int8_t out[8][4];
	uint16_t half[8][4];
	CUsurfObject object = words_create(CU_AD_FORMAT_SIGNED_INT8, 4);
	memcpy(values, whole, sizeof(values));
	CHECK_EQ(run("store_formatted", object, at, 4, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	CHECK(!memcmp(out, bytes, sizeof(bytes)));
	words = array_create(4, 2, 0, CU_AD_FORMAT_HALF, 4, CUDA_ARRAY3D_SURFACE_LDST);
	object = surface_create(words);
	memcpy(values, real, sizeof(values));
	CHECK_EQ(run("store_formatted", object, at, 4, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, half, false), CUDA_SUCCESS);
	/* A GPU cuts: 0.1 is 0x2e66, 2e-7 is 3.36 units of 2^-24, 1e6 is beyond. */
	CHECK(half[0][0] == 0x3c00 && half[0][1] == 0xc000 && half[0][2] == 0x3800 &&
	      half[0][3] == 0x7bff);
	CHECK(half[1][0] == 0x2e66 && half[1][1] == 3 && half[1][2] == 0x8000 &&
	      half[1][3] == 0x7bff);
}

static void reductions(void)
{
	enum { ITEMS = 300 };
	static int32_t at[ITEMS][4];
	static uint64_t values[ITEMS][2];
	uint32_t out[8];
	uint64_t wide;
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	for (int i = 0; i < ITEMS; i++) {
		at[i][0] = 8;
		at[i][1] = 1;
		values[i][0] = (uint64_t)i;
	}
	CHECK_EQ(run("add_u32", object, at, ITEMS, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	CHECK_EQ(out[6], 6 + ITEMS * (ITEMS - 1) / 2);
	values[77][0] = (uint32_t)-5;
	CHECK_EQ(run("min_s32", object, at, ITEMS, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	CHECK_EQ((int32_t)out[6], -5);
	/* Two words are one texel. */
	memcpy(out, (uint32_t[8]){0, 1, 2, 3, 4, 5, 6, 7}, sizeof(out));
	words = array_create(2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2, CUDA_ARRAY3D_SURFACE_LDST);
	CHECK_EQ(array_copy(words, out, true), CUDA_SUCCESS);
	object = surface_create(words);
	for (int i = 0; i < ITEMS; i++) {
		at[i][0] = 0;
		values[i][0] = UINT64_C(1) << 32 | 1;
	}
	CHECK_EQ(run("add_u64", object, at, ITEMS, values), CUDA_SUCCESS);
	CHECK_EQ(array_copy(words, out, false), CUDA_SUCCESS);
	memcpy(&wide, out + 4, sizeof(wide));
	CHECK(wide == (UINT64_C(5) << 32 | 4) + ((uint64_t)ITEMS << 32 | ITEMS));
}

static void test_surfaces(void)
{
	run_alone("all", "1", shapes);
	check_report(NULL);
	run_alone("", "", edges);
	run_alone("all", "1", formatted);
	check_report(NULL);
	run_alone("all", "1", reductions);
	check_report(NULL);
}

/* --- faults ---------- */

static const int32_t origin[2][4];
static uint32_t nothing[2][4];

static CUtexObject words_texture(void)
{
	CUtexObject object = 0;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	const CUDA_TEXTURE_DESC sampler = {.flags = 0};
	resource.res.array.hArray = words;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	return object;
}

static void trap_store(void)
{
	static const int32_t at[1][4] = {{16, 1}};
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("sust_2d_32", object, at, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void trap_load(void)
{
	static const int32_t at[1][4] = {{0, -1}};
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("suld_2d_32", object, at, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void misaligned(void)
{
	static const int32_t at[1][4] = {{2, 0}};
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("suld_2d_32", object, at, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void array_gone(void)
{
	words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CUtexObject object = words_texture();
	CHECK_EQ(run("tex_2d_s32", object, origin, 1, nothing), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(words), CUDA_SUCCESS);
	CHECK_EQ(run("tex_2d_s32", object, origin, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void object_gone(void)
{
	words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CUtexObject object = words_texture();
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	words_texture();
	CHECK_EQ(run("tex_2d_s32", object, origin, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void memory_gone(void)
{
	CUtexObject object;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
	const CUDA_TEXTURE_DESC sampler = {.flags = 0};
	resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
	resource.res.linear.numChannels = 1;
	resource.res.linear.sizeInBytes = 64;
	CHECK_EQ(cuMemAlloc_v2(&resource.res.linear.devPtr, 64), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(resource.res.linear.devPtr), CUDA_SUCCESS);
	CHECK_EQ(run("tex_1d_s32", object, origin, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void wrong_shape(void)
{
	words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("tex_1d_s32", words_texture(), origin, 1, nothing),
		 CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void surface_as_texture(void)
{
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("tex_2d_s32", object, origin, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void other_device(void)
{
	words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CUtexObject object = words_texture();
	module = NULL;
	CHECK_EQ(cuCtxSetCurrent(contexts[1]), CUDA_SUCCESS);
	struct text text = {0};
	say_header(&text);
	say_texture(&text, "tex_2d_s32", "tex", "2d", 0, "");
	CHECK_EQ(cuModuleLoadData(&module, text.data), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc_v2(&coordinates_at, 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc_v2(&values_at, 64), CUDA_SUCCESS);
	CHECK_EQ(run("tex_2d_s32", object, origin, 1, nothing), CUDA_ERROR_ILLEGAL_ADDRESS);
	free(text.data);
}

static void test_faults(void)
{
	static const struct { void (*body)(void); const char *report; } faults[] = {
		{trap_store, "surface coordinate (16,1) outside of 4 x 2 texels of 4 bytes"},
		{trap_load, "surface coordinate (0,-1) outside"},
		{misaligned, "misaligned access of 4 bytes at byte 2 of a surface's row"},
		{array_gone, "an object of an array that was destroyed"},
		{object_gone, "is no texture or surface object"},
		{memory_gone, "an object of memory that was freed"},
		{wrong_shape, "is 2D, the instruction 1D"},
		{surface_as_texture, "is a surface object, not a texture"},
		{other_device, "is an object of another device"}
	};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		run_alone("memory", "", faults[i].body);
		check_report(faults[i].report);
		/* The same without a report. */
		run_alone("", "", faults[i].body);
		check_report(NULL);
	}
}

/* --- the checker ---------- */

static void store_outside(void)
{
	static const int32_t at[2][4] = {{4, 1}, {16, 0}};
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("store_zero", object, at, 2, nothing), CUDA_SUCCESS);
}

static void load_outside(void)
{
	static const int32_t at[1][4] = {{4, 2}};
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("load_clamp", object, at, 1, nothing), CUDA_SUCCESS);
}

static void store_twice(void)
{
	CUsurfObject object = words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CHECK_EQ(run("store_zero", object, origin, 2, nothing), CUDA_SUCCESS);
}

static void test_checker(void)
{
	run_alone("memory", "", store_outside);
	check_report("softcuda: memory: kernel 'store_zero'");
	check_report("surface coordinate (16,0) outside of 4 x 2 texels of 4 bytes");
	run_alone("memory", "", load_outside);
	check_report("surface coordinate (4,2) outside");
	run_alone("race", "", store_outside);
	check_report(NULL);
	run_alone("race", "", store_twice);
	check_report("race");
	run_alone("memory", "", store_twice);
	check_report(NULL);
}

/* --- the oracle ---------- */

/* A texture is read in one stream while another fills its array. */
static void fill_and_fetch(bool ordered)
{
	CUstream first, second;
	CUevent event;
	CUfunction function;
	static const uint32_t texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	unsigned count = 1;
	words_create(CU_AD_FORMAT_UNSIGNED_INT32, 1);
	CUtexObject object = words_texture();
	void *parameters[] = {&object, &coordinates_at, &values_at, &count};
	const CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = 16,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = words, .WidthInBytes = 16,
		.Height = 2
	};
	CHECK_EQ(cuMemcpyHtoD_v2(coordinates_at, origin, sizeof(origin)), CUDA_SUCCESS);
	CHECK_EQ(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK_EQ(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
	CHECK_EQ(cuModuleGetFunction(&function, module, "tex_2d_s32"), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpy2DAsync_v2(&copy, first), CUDA_SUCCESS);
	CHECK_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
	if (ordered)
		CHECK_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
	CHECK_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, second, parameters, NULL),
		 CUDA_SUCCESS);
	CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

static void fetch_in_order(void)
{
	fill_and_fetch(true);
}

static void fetch_without_order(void)
{
	fill_and_fetch(false);
}

static void test_oracle(void)
{
	run_alone("", "1", fetch_in_order);
	check_report(NULL);
	run_alone("", "1", fetch_without_order);
	check_report("ordering: two operations touch the same bytes");
	check_report("bytes 0 to 3 of buffer");
	check_report("an array of device 0");
}

/* --- calls that fail on purpose, and counts ---------- */

static const CUDA_ARRAY3D_DESCRIPTOR small = {
	.Width = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
	.Flags = CUDA_ARRAY3D_SURFACE_LDST
};

static void create_with_faults(void)
{
	CUarray array;
	CUtexObject texture;
	CUsurfObject surface;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	const CUDA_TEXTURE_DESC sampler = {.flags = 0};
	CHECK_EQ(cuArray3DCreate_v2(&array, &small), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_EQ(cuArray3DCreate_v2(&array, &small), CUDA_SUCCESS);
	resource.res.array.hArray = array;
	CHECK_EQ(cuTexObjectCreate(&texture, &resource, &sampler, NULL), CUDA_ERROR_UNKNOWN);
	CHECK_EQ(cuTexObjectCreate(&texture, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_NOT_PERMITTED);
	CHECK_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_ERROR_UNKNOWN);
}

/* A context's end takes all of it along. */
static void end_context(void)
{
	CUarray array;
	CUtexObject texture;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	const CUDA_TEXTURE_DESC sampler = {.flags = 0};
	CHECK_EQ(cuCtxSetCurrent(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuArray3DCreate_v2(&array, &small), CUDA_SUCCESS);
	resource.res.array.hArray = array;
	CHECK_EQ(cuTexObjectCreate(&texture, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuDevicePrimaryCtxReset(1), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSetCurrent(contexts[0]), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
}

static void test_counts(void)
{
	counting = true;
	rules = "cuArray3DCreate_v2:1:OUT_OF_MEMORY,cuTexObjectCreate:1:UNKNOWN,"
		"cuSurfObject*:1:NOT_PERMITTED,cuArrayDestroy:1:UNKNOWN";
	run_alone("", "", create_with_faults);
	check_report("faults injected 4\n");
	check_report("live arrays 1\n");
	check_report("live textures 1\n");
	check_report("live surfaces 1\n");
	rules = "";
	run_alone("", "", end_context);
	check_report("live arrays 0\n");
	check_report("live textures 0\n");
	counting = false;
}

TEST_MAIN(TEST(test_surfaces), TEST(test_faults), TEST(test_checker), TEST(test_oracle),
	  TEST(test_counts))

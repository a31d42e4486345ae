/* Protects: what a kernel finds an image by (icd/memory/image_bind.c): each launch reads a descriptor whose
 * textures of its sampler states are there, on whatever stream it runs, and whatever call of the driver has
 * failed before.  Random launches on the fake GPU, each of which reads the descriptor in its turn.
 *
 * Seen to fail with each of these mistakes in image_bind.c: a launch does not come behind the last change; a
 * change behind which no event could be recorded is forgotten; what was not written stays as if it had been; a
 * texture is made twice, or its number is left in the descriptor when it has gone; a descriptor is freed under
 * the copy that fills it. */
#include "config.h"

#include "icd/memory/image.h"
#include "icd/memory/mem.h"

#include "tests/unit/fake_gpu_memory.h"

enum { STREAMS = 4, LAUNCHES = 60, SEEDS = 300, STATES = 6, TEXTURES = 1 << 16 };

static struct {
	struct ocl_image *image;
	struct ocl_storage *storage;
	struct _cl_mem mem;
	struct gpu_array array;
	struct gpu_stream *streams[STREAMS];
	bool textures[TEXTURES]; /* that are alive */
	uint64_t texture_count;
	unsigned alive;
} model;

const struct gpu_caps *gpu_device_caps(const struct gpu_device *device)
{
	static const struct gpu_caps caps = {.texture_align_B = 512};
	(void)device;
	return &caps;
}

cl_int gpu_array_surface(struct gpu_array *array, uint32_t level, uint64_t *surface_out)
{
	CHECK(array == &model.array && level < 3);
	*surface_out = 77;
	return fake_gpu_fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int gpu_texture_create(struct gpu_device *device, const struct gpu_texture_source *source,
			  const struct gpu_sampler *sampler, uint64_t *texture_out)
{
	(void)device, (void)sampler;
	CHECK(source->array == &model.array);
	if (fake_gpu_fails() || model.texture_count + 1 == TEXTURES)
		return CL_OUT_OF_RESOURCES;
	*texture_out = ++model.texture_count;
	model.textures[*texture_out] = true;
	model.alive++;
	return CL_SUCCESS;
}

void gpu_texture_destroy(struct gpu_device *device, uint64_t texture,
			 struct gpu_event *const *after, uint32_t count)
{
	(void)device, (void)after, (void)count;
	if (!texture)
		return;
	CHECK(model.textures[texture]);
	model.textures[texture] = false;
	model.alive--;
}

/* levels: 1, or of a mipmapped image. */
static void model_start(uint64_t seed, uint32_t levels)
{
	memset(&model, 0, sizeof(model));
	fake_gpu_start(seed);
	model.image = calloc(1, sizeof(*model.image) + sizeof(model.image->places[0]));
	model.storage = calloc(1, sizeof(*model.storage) + sizeof(model.storage->locations[0]));
	if (!model.image || !model.storage)
		abort();
	CHECK(!lock_init(&model.image->lock, LOCK_RANK_MEM));
	model.image->type = CL_MEM_OBJECT_IMAGE2D;
	model.image->width = 5;
	model.image->height = 3;
	model.image->num_mip_levels = levels;
	model.image->texel_B = 4;
	model.image->place_count = 1;
	model.storage->locations[0].gpu = &fake_gpu.devices[0];
	model.mem.image = model.image;
	model.mem.storage = model.storage;
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &model.streams[i]),
			 CL_SUCCESS);
}

static void model_end(void)
{
	struct ocl_image_place *place = &model.image->places[0];
	fake_gpu_finish();
	/* What the descriptor does not have has gone. */
	for (unsigned i = 0; i < ABI_SAMPLER_STATES; i++) {
		const uint64_t texture = place->content.texture[i];
		CHECK(!texture || model.textures[texture]);
		model.alive -= texture != 0;
		for (unsigned filter = 0; place->levels && filter < 2; filter++) {
			const uint64_t other = place->levels->texture[filter][i];
			CHECK(!other == !texture && (!other || model.textures[other]));
			model.alive -= other != texture;
		}
	}
	free(place->levels);
	CHECK_EQ(model.alive, 0);
	gpu_event_unref(place->written);
	CHECK_EQ(fake_gpu.events_live, 0);
	lock_finish(&model.image->lock);
	free(model.image);
	free(model.storage);
}

/* What a launch reads. */
struct launch {
	gpu_address descriptor;
	uint32_t states;
};

static bool is_alive(uint64_t texture)
{
	return texture && texture < TEXTURES && model.textures[texture];
}

static void launch_run(const struct fake_op *op)
{
	const struct launch *launch = op->data;
	const struct abi_image *seen = fake_bytes(launch->descriptor);
	CHECK(fake_gpu_may_touch(seen, sizeof(*seen)));
	CHECK(seen->width == 5 && seen->height == 3 && seen->surface == 77);
	const struct abi_mipmaps *levels = seen->num_mip_levels > 1 ? (const void *)(seen + 1) : NULL;
	CHECK(!levels || levels->surface[2] == 77);
	for (unsigned i = 0; i < ABI_SAMPLER_STATES; i++) {
		if (!(launch->states >> i & 1))
			continue;
		CHECK(is_alive(seen->texture[i]));
		/* Levels are read with normalized coordinates, which every second pair of states has. */
		for (unsigned filter = 0; levels && filter < 2; filter++)
			CHECK(is_alive(levels->texture[filter][i]) &&
			      (levels->texture[filter][i] == seen->texture[i]) == !(i & 2));
	}
	free(op->data);
}

static void launch_any(void)
{
	struct gpu_stream *stream = model.streams[fake_gpu_random(STREAMS)];
	const struct ocl_acquired at = {.array = &model.array, .stream = stream};
	struct launch launch = {.states = (uint32_t)fake_gpu_random(1u << STATES)};
	const bool may_fail = !fake_gpu_random(2);
	fake_gpu.fail_in = may_fail ? 1 + (unsigned)fake_gpu_random(8) : 0;
	const cl_int error = ocl_image_bind(&model.mem, &at, launch.states, &launch.descriptor);
	CHECK(!error || (may_fail && !fake_gpu.fail_in));
	fake_gpu.fail_in = 0;
	if (error)
		return;
	struct fake_op op = {.run = launch_run, .data = malloc(sizeof(launch))};
	if (!op.data)
		abort();
	memcpy(op.data, &launch, sizeof(launch));
	fake_gpu_put(stream, &op);
}

static void random_launches(void)
{
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		model_start(seed, seed & 1 ? 3 : 1);
		for (unsigned i = 0; i < LAUNCHES && !test_failures; i++) {
			launch_any();
			for (uint64_t k = fake_gpu_random(4); k > 0; k--)
				(void)fake_gpu_step();
			fake_gpu_tell(model.streams[fake_gpu_random(STREAMS)]);
		}
		/* A state's texture is made once; those of failed changes are made again. */
		model_end();
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

/* Without failures a texture is made once for each state. */
static void made_once(void)
{
	model_start(1, 1);
	for (unsigned i = 0; i < 3 * STATES; i++) {
		const struct ocl_acquired at = {.array = &model.array,
						.stream = model.streams[i % STREAMS]};
		gpu_address descriptor, first = model.image->places[0].descriptor;
		CHECK_EQ(ocl_image_bind(&model.mem, &at, 1u << i % STATES | 1, &descriptor),
			 CL_SUCCESS);
		CHECK(!first || descriptor == first);
	}
	CHECK_EQ(model.texture_count, STATES);
	model_end();
}

TEST_MAIN(TEST(random_launches), TEST(made_once))

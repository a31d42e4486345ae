// For programs of DPC++ 2025.3 that use oneMKL, to be preloaded (LD_PRELOAD) where the GPU is not one of Intel's.
// - DPC++'s runtime keeps the first images of its functions for bfloat16 that a library registers.  Those of oneMKL
//   come first and are compressed; the runtime compares their format with that of SPIR-V, before it has decompressed
//   them, and ends with "No device image found for external symbol __devicelib_ConvertBF16ToFINTEL".  They are left
//   out here, so that it keeps those of the next library.
// - ggml's SYCL backend asks any GPU for Intel's device ID, and ends without one.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COMPRESSED = 4, LIBRARIES = 8192 };

struct property_set {
	const char *name;
	const void *first, *end;
};
struct image {
	uint16_t version;
	uint8_t kind, format;
	const char *target, *compile_options, *link_options, *manifest, *manifest_end;
	const unsigned char *binary, *binary_end;
	const void *entries, *entries_end;
	const struct property_set *sets, *sets_end;
};
struct library {
	uint16_t version, images_count;
	struct image *images;
	const void *host_entries, *host_entries_end;
};

// sycl::device::get_info_impl<sycl::ext::intel::info::device::device_id>
int device_id(const void *) __asm__(
	"_ZNK4sycl3_V16device13get_info_implINS0_3ext5intel4info6device9device_idEEENS0_6detail"
	"11ABINeutralTINS8_19is_device_info_descIT_E11return_typeEE4typeEv");
void __sycl_register_lib(struct library *);
void __sycl_unregister_lib(struct library *);

static struct {
	const struct library *original;
	struct library *without;
} known[LIBRARIES]; // registered by constructors of libraries, one after another
static int known_count;

int device_id(const void *device)
{
	(void) device;
	return 0;
}

static int left_out(const struct image *image)
{
	if (image->format != COMPRESSED)
		return 0;
	for (const struct property_set *set = image->sets; set < image->sets_end; set++)
		if (!strcmp(set->name, "SYCL/devicelib metadata"))
			return 1;
	return 0;
}

static void pass_on(const char *name, struct library *library)
{
	void *runtime = dlopen("libsycl.so.8", RTLD_NOW);
	void (*function)(struct library *) = runtime ? (void (*)(struct library *)) dlsym(runtime, name) : NULL;
	if (function)
		function(library);
}

void __sycl_register_lib(struct library *original)
{
	struct library *without = malloc(sizeof(*without));
	struct image *images = malloc((original->images_count + 1) * sizeof(*images));
	if (known_count == LIBRARIES || !without || !images) {
		free(without);
		free(images);
		pass_on("__sycl_register_lib", original);
		return;
	}
	*without = *original;
	without->images = images;
	without->images_count = 0;
	for (int i = 0; i < original->images_count; i++)
		if (!left_out(&original->images[i]))
			images[without->images_count++] = original->images[i];
	known[known_count].original = original;
	known[known_count++].without = without;
	pass_on("__sycl_register_lib", without);
}

void __sycl_unregister_lib(struct library *original)
{
	for (int i = known_count - 1; i >= 0; i--)
		if (known[i].original == original) {
			pass_on("__sycl_unregister_lib", known[i].without);
			known[i].original = NULL;
			return;
		}
	pass_on("__sycl_unregister_lib", original);
}

/* picture FILE.png [WIDTH HEIGHT]: ray-marches a culvert, water running under a
 * road, and writes the picture.
 *
 * It counts the colours of what it wrote: a picture that is all one colour means
 * that the device drew nothing, and is a failure. */
#include "config.h"

#include "tests/apps/app.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"float box(float3 p, float3 b) {\n"
	"	float3 q = fabs(p) - b;\n"
	"	return length(fmax(q, 0.0f)) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0f);\n"
	"}\n"
	"float water(float3 p) {\n"
	"	float w = 0.05f * sin(p.z * 5.0f + 1.3f * sin(p.x * 3.0f)) + 0.03f * sin(p.x * 9.0f + p.z * 3.0f);\n"
	"	return p.y + 0.55f - w * 0.5f;\n"
	"}\n"
	"float land(float3 p) {\n"
	"	float hill = 0.25f * sin(p.x * 0.7f) * cos(p.z * 0.5f);\n"
	"	float valley = 1.1f * exp(-p.x * p.x * 0.55f);\n"
	"	float ground = (p.y + valley - hill) * 0.6f;\n"
	"	float bank = box(p - (float3)(0.0f, -0.2f, 0.0f), (float3)(9.0f, 0.95f, 1.25f)) - 0.08f;\n"
	"	float tube = length(p.xy - (float2)(0.0f, -0.35f)) - 0.62f;\n"
	"	float ring = fmax(fmax(tube - 0.14f, -tube), fabs(p.z) - 1.45f);\n"
	"	return fmin(fmax(fmin(ground, bank), -tube), ring);\n"
	"}\n"
	"float rail(float3 p) {\n"
	"	float3 q = p - (float3)(0.0f, 1.02f, 0.0f);\n"
	"	q.z = fabs(q.z) - 1.1f;\n"
	"	float bar = box(q - (float3)(0.0f, 0.1f, 0.0f), (float3)(9.0f, 0.03f, 0.03f));\n"
	"	q.x = q.x - 0.8f * rint(q.x / 0.8f);\n"
	"	return fmin(bar, box(q, (float3)(0.035f, 0.2f, 0.035f)));\n"
	"}\n"
	"float scene(float3 p) { return fmin(fmin(land(p), rail(p)), water(p)); }\n"
	"float3 normal_at(float3 p) {\n"
	"	float2 e = (float2)(0.004f, 0.0f);\n"
	"	return normalize((float3)(scene(p + e.xyy) - scene(p - e.xyy),\n"
	"		scene(p + e.yxy) - scene(p - e.yxy), scene(p + e.yyx) - scene(p - e.yyx)));\n"
	"}\n"
	"float march(float3 o, float3 d, float far) {\n"
	"	float t = 0.02f;\n"
	"	for (int i = 0; i < 110 && t < far; i++) {\n"
	"		float s = scene(o + d * t);\n"
	"		if (s < 0.002f * t) return t;\n"
	"		t += s * 0.8f;\n"
	"	}\n"
	"	return far;\n"
	"}\n"
	"float3 sky(float3 d) {\n"
	"	float3 s = mix((float3)(0.95f, 0.80f, 0.62f), (float3)(0.25f, 0.45f, 0.75f), "
	"clamp(d.y * 2.2f + 0.1f, 0.0f, 1.0f));\n"
	"	return s + (float3)(1.0f, 0.75f, 0.4f) * native_powr(clamp(dot(d, normalize((float3)(0.6f, 0.45f, "
	"0.5f))), 0.0f, 1.0f), 60.0f);\n"
	"}\n"
	"float3 shade(float3 p, float3 d, float t) {\n"
	"	float3 sun = normalize((float3)(0.6f, 0.75f, -0.55f)), n = normal_at(p), c;\n"
	"	float w = water(p), r = rail(p), l = land(p);\n"
	"	if (w < l && w < r) c = mix((float3)(0.05f, 0.22f, 0.26f), sky(d - 2.0f * dot(d, n) * n), 0.55f);\n"
	"	else if (r < l) c = (float3)(0.75f, 0.72f, 0.68f);\n"
	"	else if (p.y > 0.78f && fabs(p.z) < 1.25f) {\n"
	"		c = (float3)(0.17f, 0.17f, 0.19f);\n"
	"		if (fabs(p.z) < 0.045f && p.x - 1.0f * floor(p.x) < 0.55f) c = (float3)(0.95f, 0.85f, 0.45f);\n"
	"	} else if (fabs(p.z) < 1.5f && fabs(length(p.xy - (float2)(0.0f, "
	"-0.35f)) - 0.69f) < 0.09f) c = (float3)(0.62f, 0.60f, 0.56f);\n"
	"	else c = mix((float3)(0.20f, 0.34f, 0.12f), (float3)(0.42f, 0.36f, 0.20f), "
	"clamp(0.5f + 0.5f * sin(p.x * 7.0f) * sin(p.z * 6.0f + p.y * 9.0f), 0.0f, 1.0f));\n"
	"	float light = clamp(dot(n, sun), 0.0f, 1.0f);\n"
	"	if (light > 0.0f && march(p + n * 0.02f, sun, 6.0f) < 6.0f) light *= 0.25f;\n"
	"	c = c * (0.35f + 0.9f * light);\n"
	"	return mix(c, sky(d), 1.0f - exp(-0.0025f * t * t));\n"
	"}\n"
	"kernel void draw(global uchar4 *image, int width, int height) {\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	if (x >= width || y >= height) return;\n"
	"	float2 uv = ((float2)(x, height - 1 - y) * 2.0f - (float2)(width, height)) / (float)height;\n"
	"	float3 o = (float3)(2.1f, 1.35f, -5.2f), at = (float3)(0.0f, 0.1f, 0.0f);\n"
	"	float3 f = normalize(at - o), s = normalize(cross((float3)(0.0f, 1.0f, 0.0f), f)), u = cross(f, s);\n"
	"	float3 d = normalize(f * 1.6f + s * uv.x + u * uv.y);\n"
	"	float t = march(o, d, 40.0f);\n"
	"	float3 c = t < 40.0f ? shade(o + d * t, d, t) : sky(d);\n"
	"	c = native_powr(clamp(c, 0.0f, 1.0f), (float3)(0.4545f));\n"
	"	image[y * width + x] = (uchar4)(convert_uchar3_sat(c * 255.0f), 255);\n"
	"}\n";

static int write_png(const char *path, unsigned char *pixels, cl_int width, cl_int height)
{
	png_image image;
	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	image.width = (png_uint_32)width;
	image.height = (png_uint_32)height;
	image.format = PNG_FORMAT_RGBA;
	return png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
}

/* Different values of 12-bit colour. */
static unsigned count_colours(const unsigned char *pixels, size_t count)
{
	unsigned char seen[4096] = {0};
	unsigned colours = 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *p = pixels + 4 * i;
		unsigned colour = (unsigned)(p[0] >> 4 << 8 | (p[1] >> 4) << 4 | p[2] >> 4);
		colours += !seen[colour];
		seen[colour] = 1;
	}
	return colours;
}

int main(int argc, char **argv)
{
	cl_int width = argc > 3 ? atoi(argv[2]) : 480, height = argc > 3 ? atoi(argv[3]) : 300;
	if (argc < 2 || width < 8 || height < 8 || width > 16384 || height > 16384) {
		fprintf(stderr, "usage: picture FILE.png [WIDTH HEIGHT]\n");
		return 2;
	}
	struct app app;
	cl_int error;
	size_t count = (size_t)width * (size_t)height;
	unsigned char *pixels = calloc(count, 4);
	if (!pixels)
		return 2;
	app_start(&app, source, "-cl-fast-relaxed-math");
	cl_mem image = clCreateBuffer(app.context, CL_MEM_WRITE_ONLY, count * 4, NULL, &error);
	app_check(error, "clCreateBuffer");
	cl_kernel kernel = app_kernel(&app, "draw");
	app_check(clSetKernelArg(kernel, 0, sizeof(image), &image), "clSetKernelArg");
	app_check(clSetKernelArg(kernel, 1, sizeof(width), &width), "clSetKernelArg");
	app_check(clSetKernelArg(kernel, 2, sizeof(height), &height), "clSetKernelArg");
	size_t global[2] = {((size_t)width + 15) / 16 * 16, ((size_t)height + 7) / 8 * 8};
	cl_event event;
	app_check(clEnqueueNDRangeKernel(app.queue, kernel, 2, NULL, global, (size_t[]){16, 8}, 0,
					 NULL, &event), "the launch");
	app_check(clEnqueueReadBuffer(app.queue, image, CL_TRUE, 0, count * 4, pixels, 0, NULL, NULL),
		  "reading the picture");
	double seconds = app_seconds(event);
	int good = count_colours(pixels, count) > 50 && write_png(argv[1], pixels, width, height);
	printf("%s, %s: %d x %d picture in %.3f ms, %s %s\n", app.platform_name, app.device_name,
	       width, height, seconds * 1e3, good ? "written to" : "FAILED:", argv[1]);
	clReleaseMemObject(image);
	clReleaseKernel(kernel);
	app_finish(&app);
	free(pixels);
	return !good;
}

#include "config.h"

#include "backend/gpu_internal.h"

#include <pthread.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Stores that bypass the caches, in which the GPU would have to look for the bytes: on an H200 four threads copy 39
 * GB/s with them, and 22 with memcpy.  Wide stores are best: six threads and the GPU copy 1 MiB in 42 us with stores
 * of 64 bytes, and in 43 to 48 us with stores of 16. */

typedef void copier(unsigned char *to, const unsigned char *from, uint64_t size_B);

static void copy_plainly(unsigned char *to, const unsigned char *from, uint64_t size_B)
{
	memcpy(to, from, size_B);
}

#ifdef __x86_64__
/* The functions below copy multiples of this size. */
enum { BLOCK_B = 256 };

static void copy_by_16(unsigned char *to, const unsigned char *from, uint64_t size_B)
{
	for (uint64_t i = 0; i < size_B; i += 64) {
		const __m128i a = _mm_loadu_si128((const __m128i *)(from + i));
		const __m128i b = _mm_loadu_si128((const __m128i *)(from + i + 16));
		const __m128i c = _mm_loadu_si128((const __m128i *)(from + i + 32));
		const __m128i d = _mm_loadu_si128((const __m128i *)(from + i + 48));
		_mm_stream_si128((__m128i *)(to + i), a);
		_mm_stream_si128((__m128i *)(to + i + 16), b);
		_mm_stream_si128((__m128i *)(to + i + 32), c);
		_mm_stream_si128((__m128i *)(to + i + 48), d);
	}
	_mm_sfence();
}

__attribute__((target("avx2"))) static void copy_by_32(unsigned char *to,
						       const unsigned char *from, uint64_t size_B)
{
	for (uint64_t i = 0; i < size_B; i += 128) {
		const __m256i a = _mm256_loadu_si256((const __m256i *)(from + i));
		const __m256i b = _mm256_loadu_si256((const __m256i *)(from + i + 32));
		const __m256i c = _mm256_loadu_si256((const __m256i *)(from + i + 64));
		const __m256i d = _mm256_loadu_si256((const __m256i *)(from + i + 96));
		_mm256_stream_si256((__m256i *)(to + i), a);
		_mm256_stream_si256((__m256i *)(to + i + 32), b);
		_mm256_stream_si256((__m256i *)(to + i + 64), c);
		_mm256_stream_si256((__m256i *)(to + i + 96), d);
	}
	_mm_sfence();
}

__attribute__((target("avx512f"))) static void copy_by_64(unsigned char *to,
							  const unsigned char *from,
							  uint64_t size_B)
{
	for (uint64_t i = 0; i < size_B; i += 256) {
		const __m512i a = _mm512_loadu_si512(from + i);
		const __m512i b = _mm512_loadu_si512(from + i + 64);
		const __m512i c = _mm512_loadu_si512(from + i + 128);
		const __m512i d = _mm512_loadu_si512(from + i + 192);
		_mm512_stream_si512((__m512i *)(to + i), a);
		_mm512_stream_si512((__m512i *)(to + i + 64), b);
		_mm512_stream_si512((__m512i *)(to + i + 128), c);
		_mm512_stream_si512((__m512i *)(to + i + 192), d);
	}
	_mm_sfence();
}

static copier *copier_for_this_processor(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx512f") ? copy_by_64
	       : __builtin_cpu_supports("avx2")  ? copy_by_32
						 : copy_by_16;
}
#else
enum { BLOCK_B = 1 };

static copier *copier_for_this_processor(void)
{
	return copy_plainly;
}
#endif

static copier *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void copier_choose(void)
{
	chosen = copier_for_this_processor();
}

void gpu_copy_past_caches(unsigned char *to, const unsigned char *from, uint64_t size_B)
{
	const uint64_t blocks_B = size_B / BLOCK_B * BLOCK_B;
	pthread_once(&once, copier_choose);
	if (blocks_B)
		chosen(to, from, blocks_B);
	copy_plainly(to + blocks_B, from + blocks_B, size_B - blocks_B);
}

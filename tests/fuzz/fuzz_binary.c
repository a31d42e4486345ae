/* Program binaries, damaged, with the checksum made good again, as somebody with time on
 * his hands would: each is refused, or is what writing it again gives. */
#include "config.h"

#include "base/checksum.h"
#include "icd/compile/program_binary.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/binary-format.md */
enum { CHECKSUM_AT_B = 16, CHECKED_FROM_B = 32 };

static bool good_make(struct fuzz *fuzz, enum ocl_code_form form, struct bytes *whole)
{
	static char name[] = "kernel_of_fuzz", type[] = "float*", attributes[] = "";
	struct abi_argument arguments[2] = {
		{.kind = ABI_ARGUMENT_GLOBAL, .address = ABI_ADDRESS_GLOBAL, .size_B = 8,
		 .align_B = 4, .may_write = true, .name = name, .type_name = type},
		{.kind = ABI_ARGUMENT_VALUE, .size_B = 4, .align_B = 4, .name = name,
		 .type_name = type},
	};
	struct abi_kernel kernel = {.name = name, .entry = name, .attributes = attributes,
				    .arguments = arguments, .argument_count = 2,
				    .hidden = {ABI_HIDDEN_GLOBAL_SIZE_X}, .hidden_count = 1};
	struct abi_program abi = {.kernels = &kernel, .kernel_count = 1};
	struct ocl_code *code = ocl_code_create();
	if (!code)
		return false;
	code->type = fuzz_number(fuzz, 4) ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
					  : CL_PROGRAM_BINARY_TYPE_LIBRARY;
	code->sm = code->ptx_sm = 90;
	code->abi = code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? &abi : NULL;
	bytes_append_string(&code->object.bytes, "BC bitcode");
	bytes_append_string(&code->ptx.bytes, ".version 8.0\n.target sm_90\n");
	if (fuzz_number(fuzz, 2))
		bytes_append_string(&code->cubin, "ELF and so on");
	ocl_code_write(code, form, whole);
	code->abi = NULL;
	ocl_code_unref(code);
	return !bytes_failed(whole);
}

static void checksum_mend(struct bytes *binary)
{
	unsigned char both[CHECKSUM_AT_B + CHECKSUM_B];
	if (binary->size_B < CHECKED_FROM_B)
		return;
	struct checksum sum = checksum_of(binary->data + CHECKED_FROM_B, binary->size_B - CHECKED_FROM_B);
	memcpy(both, binary->data, CHECKSUM_AT_B);
	memcpy(both + CHECKSUM_AT_B, sum.bytes, CHECKSUM_B);
	sum = checksum_of(both, sizeof(both));
	memcpy(binary->data + CHECKSUM_AT_B, sum.bytes, CHECKSUM_B);
}

/* A second reading of what the first one wrote gives the same bytes.  What is packed may be
 * none: it is not looked at before it is asked for, and is then not there. */
static bool stable(struct ocl_code *code, enum ocl_code_form form)
{
	struct bytes once = BYTES_INIT, twice = BYTES_INIT;
	struct ocl_code *again = NULL;
	ocl_code_write(code, form, &once);
	if (bytes_failed(&once)) {
		bytes_finish(&once);
		return !packed_bytes_open(&code->object) || !packed_bytes_open(&code->ptx);
	}
	bool good = !ocl_code_read(once.data, once.size_B, form, 0, &again);
	if (good)
		ocl_code_write(again, form, &twice);
	good = good && once.size_B == twice.size_B && !memcmp(once.data, twice.data, once.size_B);
	ocl_code_unref(again);
	bytes_finish(&once);
	bytes_finish(&twice);
	return good;
}

static bool run(struct fuzz *fuzz)
{
	struct bytes good = BYTES_INIT, bad = BYTES_INIT;
	struct ocl_code *code = NULL;
	const enum ocl_code_form form = fuzz_number(fuzz, 2) ? OCL_CODE_KEPT : OCL_CODE_GIVEN;
	if (!good_make(fuzz, form, &good))
		return false;
	fuzz_mutate(fuzz, &good, &bad);
	checksum_mend(&bad);
	/* It ends where its memory does, so that a sanitizer sees a byte too far. */
	char *exact = malloc(bad.size_B ? bad.size_B : 1);
	bool held = exact != NULL;
	if (exact && bad.size_B)
		memcpy(exact, bad.data, bad.size_B);
	if (exact && !ocl_code_read(exact, bad.size_B, form, 0, &code))
		held = stable(code, OCL_CODE_KEPT) && stable(code, OCL_CODE_GIVEN);
	ocl_code_unref(code);
	free(exact);
	bytes_finish(&good);
	bytes_finish(&bad);
	return held;
}

int main(int argc, char **argv)
{
	return fuzz_main(argc, argv, run);
}

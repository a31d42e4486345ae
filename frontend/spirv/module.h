/* A SPIR-V module's words, and what the module says of its ids (names, decorations).
 *
 * spirv_read checks the form of the whole module: instructions end inside of it, each id is the result of at most one
 * instruction and is below the bound, and all capabilities are supported.  It does not check the operands of single
 * instructions; this is done when the module is compiled (reader.h).
 *
 * The process that creates programs uses this file as well: it needs no LLVM.
 *
 * Source: SPIR-V specification 1.6, 2.2 to 2.4.  Thread-safety: a module has one owner; functions of numbers alone
 * may be called by any thread. */
#ifndef CULVERT_FRONTEND_SPIRV_MODULE_H
#define CULVERT_FRONTEND_SPIRV_MODULE_H

#include "base/bytes.h"
#include "frontend/spirv.h"

/* The specification's numbers. */
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>

enum { SPIRV_NONE = UINT32_MAX, SPIRV_HEADER_WORDS = 5 };

/* Numbers that the SPIR-V headers of some distributions lack. */
enum {
	SPIRV_CAPABILITY_BFLOAT16_TYPE = 5116, SPIRV_CAPABILITY_BFLOAT16_DOT = 5117,
	SPIRV_CAPABILITY_BFLOAT16_CONVERSION = 6115,
	SPIRV_OP_F_TO_BFLOAT16 = 6116, SPIRV_OP_BFLOAT16_TO_F = 6117,
	SPIRV_ENCODING_BFLOAT16 = 0,
	/* SPV_KHR_cooperative_matrix, and types of components of SPV_INTEL_joint_matrix. */
	SPIRV_CAPABILITY_MATRIX = 6022, SPIRV_CAPABILITY_BFLOAT16_MATRIX = 5118, SPIRV_CAPABILITY_TF32_MATRIX = 6436,
	SPIRV_CAPABILITY_BFLOAT16_BITS_MATRIX = 6437,
	SPIRV_OP_TYPE_MATRIX = 4456, SPIRV_OP_MATRIX_LOAD = 4457, SPIRV_OP_MATRIX_STORE = 4458,
	SPIRV_OP_MATRIX_MULADD = 4459, SPIRV_OP_MATRIX_LENGTH = 4460
};

/* SPIRV_ONCE is LinkOnceODR: several modules may define the name, and the definitions are equal. */
enum spirv_linkage { SPIRV_INTERNAL, SPIRV_EXPORT, SPIRV_IMPORT, SPIRV_ONCE };

/* The name and the decorations of an id. */
struct spirv_facts {
	const char *name;           /* OpName, or NULL; may hold any text */
	const char *linkage_name;   /* NULL: the id is not linked */
	enum spirv_linkage linkage;
	uint32_t builtin;           /* SpvBuiltIn, or SPIRV_NONE */
	uint32_t rounding;          /* SpvFPRoundingMode, or SPIRV_NONE */
	uint32_t fast_math;         /* SpvFPFastMathMode bits, or SPIRV_NONE */
	uint32_t alignment_B;       /* Alignment; 0: not given */
	uint32_t alignment_id;      /* AlignmentId: id of a constant; 0: not given */
	uint32_t spec_id;           /* SpecId, or SPIRV_NONE */
	bool saturated;             /* SaturatedConversion */
	bool is_volatile;
	bool packed;                /* CPacked */
	bool by_value;              /* FuncParamAttr ByVal: a parameter that is passed as a pointer to a copy */
	bool no_write;              /* FuncParamAttr NoWrite, NonWritable, Constant */
	bool no_alias;              /* FuncParamAttr NoAlias, Restrict */
	bool no_contraction;
	bool no_signed_wrap, no_unsigned_wrap;
};

/* What is known of an id. */
struct spirv_id {
	uint32_t at;                /* index of the word where the instruction begins whose result it is; 0: none */
	uint32_t facts;             /* index into the module's facts, from 1 on; 0: it has none */
};

/* An instruction.  Its first word holds the opcode and the number of words. */
struct spirv_instruction {
	const uint32_t *words;
	unsigned op, count;
};

struct spirv_module {
	uint32_t *words;            /* owned; in the host's byte order */
	size_t word_count;
	uint32_t bound;             /* all ids are below it */
	struct spirv_id *ids;       /* owned; an array of bound elements */
	struct spirv_facts *facts;  /* owned */
	uint32_t fact_count, fact_room;
	uint32_t openclstd;         /* id of OpExtInstImport "OpenCL.std"; 0: not imported */
	uint32_t shader_debug;      /* id of the import of NonSemantic.Shader.DebugInfo.100; 0: not imported */
	bool is_physical_64;        /* OpMemoryModel names the addressing and memory model that are supported */
	bool is_opencl_1;           /* OpSource names OpenCL C before 2.0, or there is no OpSource */
};

/* Reads a module.  FE_COMPILE_FAILED leaves the reason in the log; *module needs spirv_finish after FE_OK only. */
enum fe_status spirv_read(const void *il, size_t size_B, struct spirv_module *module,
			  struct bytes *log);
void spirv_finish(struct spirv_module *module);

/* The instruction that begins at a word.  Its words belong to the module. */
static inline struct spirv_instruction spirv_at(const struct spirv_module *module, size_t at)
{
	const uint32_t *words = module->words + at;
	return (struct spirv_instruction){words, words[0] & SpvOpCodeMask,
					  words[0] >> SpvWordCountShift};
}

/* The instruction whose result the id is.  If there is none, op is OpNop and count is 0. */
struct spirv_instruction spirv_of(const struct spirv_module *module, uint32_t id);

/* The name and the decorations of an id; defaults if it has none.  Never NULL. */
const struct spirv_facts *spirv_facts(const struct spirv_module *module, uint32_t id);

/* As SpvHasResultAndType, but with the opcodes above. */
void spirv_has_result(unsigned op, bool *has_result, bool *has_type);

/* The literal string that begins at words[from]; NULL if it does not end inside of the instruction. */
const char *spirv_string(struct spirv_instruction instruction, unsigned from);

/* The number of words of a literal string with its NUL (SPIR-V 1.6, 2.2.1). */
unsigned spirv_string_words(const char *text);

/* The number of bits of a type that a specialization constant may have: 8 for a bool, the width of an integer or
 * floating-point number that is supported, which includes bfloat16.  0 for any other type. */
unsigned spirv_scalar_bits(const struct spirv_module *module, uint32_t type);

/* The bits of a scalar constant: OpConstant, OpConstantTrue, OpConstantFalse, OpConstantNull, or a specialization
 * constant.  False for other instructions, and for types of which spirv_scalar_bits gives 0. */
bool spirv_constant_bits(const struct spirv_module *module, uint32_t id, uint64_t *bits_out);

/* The value of an integer constant, such as a scope or an array's length.  False for anything else. */
bool spirv_integer(const struct spirv_module *module, uint32_t id, uint64_t *value_out);

/* How the reader treats a decoration. */
enum spirv_treatment {
	SPIRV_USED,
	SPIRV_HINT,                 /* ignored: what the program computes does not depend on it */
	SPIRV_REFUSED
};
enum spirv_treatment spirv_decoration(uint32_t decoration);

/* --- names of numbers, for messages -------------------------------------------------------------------------- */

enum spirv_name_kind {
	SPIRV_NAME_OPCODE, SPIRV_NAME_CAPABILITY, SPIRV_NAME_DECORATION, SPIRV_NAME_BUILTIN,
	SPIRV_NAME_STORAGE, SPIRV_NAME_MODE, SPIRV_NAME_EXTENDED    /* of OpenCL.std */
};

/* The name of a number without its kind: "IAdd", "Shader", "FPRoundingMode".  The names come from the SPIR-V headers of
 * the machine that builds Culvert; NULL for a number that is newer.  The strings are static. */
const char *spirv_name(enum spirv_name_kind kind, uint32_t number);

/* "OpIAdd", or "opcode 6543". */
struct spirv_opcode_name {
	char text[80];
};
struct spirv_opcode_name spirv_opcode_name(unsigned op);

#endif

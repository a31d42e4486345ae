/* Inside the SPIR-V reader: a module's words, and what the module says of its ids (names, decorations).
 *
 * spirv_read checks the form of the whole module: words lie inside it, each id is the result of one
 * instruction at most and below the bound, capabilities are supported.  It does not look at the operands of
 * single instructions.
 *
 * Needs no LLVM.  Thread-safety: none; one owner. */
#ifndef CULVERT_FRONTEND_SPIRV_MODULE_H
#define CULVERT_FRONTEND_SPIRV_MODULE_H

#include "base/bytes.h"
#include "frontend/spirv.h"

/* Numbers of the specification. */
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>

enum { SPIRV_NONE = UINT32_MAX, SPIRV_HEADER_WORDS = 5 };

/* SPIRV_ONCE: LinkOnceODR, several modules may define it, equally. */
enum spirv_linkage { SPIRV_INTERNAL, SPIRV_EXPORT, SPIRV_IMPORT, SPIRV_ONCE };

/* Names and decorations of an id. */
struct spirv_facts {
	const char *name;           /* OpName, or NULL; may hold any text */
	const char *linkage_name;   /* NULL: none */
	enum spirv_linkage linkage;
	uint32_t builtin;           /* SpvBuiltIn, or SPIRV_NONE */
	uint32_t rounding;          /* SpvFPRoundingMode, or SPIRV_NONE */
	uint32_t fast_math;         /* SpvFPFastMathMode bits, or SPIRV_NONE */
	uint32_t alignment_B;       /* 0: not given */
	uint32_t alignment_id;      /* of a constant that gives it; 0: none */
	uint32_t spec_id;           /* or SPIRV_NONE */
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
	uint32_t at;                /* where in the words the instruction begins that makes it; 0: none does */
	uint32_t facts;             /* index into the module's facts, from 1 on; 0: none */
};

/* An instruction: its words, of which the first holds the opcode and their number. */
struct spirv_instruction {
	const uint32_t *words;
	unsigned op, count;
};

struct spirv_module {
	uint32_t *words;            /* owned; in the host's byte order */
	size_t word_count;
	uint32_t bound;             /* ids are below it */
	struct spirv_id *ids;       /* owned; bound of them */
	struct spirv_facts *facts;  /* owned */
	uint32_t fact_count, fact_room;
	uint32_t openclstd;         /* id of OpExtInstImport "OpenCL.std"; 0: none */
	uint32_t opencl_debug, shader_debug;   /* ids of the imports of OpenCL.DebugInfo.100 and of
						* NonSemantic.Shader.DebugInfo.100; 0: none */
	bool is_physical_64;        /* there is an OpMemoryModel, and it is the one that is supported */
	bool is_opencl_1;           /* made from OpenCL C before 2.0, or the module does not say from what */
};

enum fe_status spirv_read(const void *il, size_t size_B, struct spirv_module *module,
			  struct bytes *log);
void spirv_finish(struct spirv_module *module);

/* The instruction that begins at a word; its words lie in the module. */
static inline struct spirv_instruction spirv_at(const struct spirv_module *module, size_t at)
{
	const uint32_t *words = module->words + at;
	return (struct spirv_instruction){words, words[0] & SpvOpCodeMask,
					  words[0] >> SpvWordCountShift};
}

/* The instruction whose result the id is; of an id that nothing makes, its op is OpNop and count 0. */
struct spirv_instruction spirv_of(const struct spirv_module *module, uint32_t id);

/* Never NULL: of an id without names and decorations, the defaults. */
const struct spirv_facts *spirv_facts(const struct spirv_module *module, uint32_t id);

/* A literal string from words[from] on; NULL where it does not end in the instruction. */
const char *spirv_string(struct spirv_instruction instruction, unsigned from);

/* The words of a literal string, its NUL included (SPIR-V 1.6, 2.2.1). */
unsigned spirv_string_words(const char *text);

/* The bits of a type that a specialization constant may have: 8 for a bool, the width of an integer or real
 * that is supported; 0 for any other type. */
unsigned spirv_scalar_bits(const struct spirv_module *module, uint32_t type);

/* The bits of an OpConstant, OpConstantTrue and the like, OpConstantNull or their specialization forms;
 * false for another instruction or another type than spirv_scalar_bits knows. */
bool spirv_constant_bits(const struct spirv_module *module, uint32_t id, uint64_t *bits_out);

/* The same of an integer only: constants that are operands, such as scopes and lengths. */
bool spirv_integer(const struct spirv_module *module, uint32_t id, uint64_t *value_out);

/* What a decoration that a module has comes to. */
enum spirv_treatment {
	SPIRV_USED,                 /* it is followed */
	SPIRV_HINT,                 /* it may be ignored: what the program computes does not depend on it */
	SPIRV_REFUSED
};
enum spirv_treatment spirv_decoration(uint32_t decoration);

#endif

/* A parsed program: what the decoder makes and the executor runs.
 * Immutable once parsed; any number of launches at once. */
#ifndef CULVERT_SOFTCUDA_EXEC_PROGRAM_H
#define CULVERT_SOFTCUDA_EXEC_PROGRAM_H

#include "softcuda/exec/exec.h"
#include "softcuda/exec/op.h"

/* Where generic addresses of the windows lie: bits 62 and 60 make them
 * non-canonical on every 64-bit host.  A const address is a global one. */
#define WINDOW_MASK   0xff00000000000000u
#define WINDOW_SHARED 0x4000000000000000u
#define WINDOW_LOCAL  0x5000000000000000u
/* The value of a function's address: the window plus the function's index. */
#define WINDOW_CODE   0x6000000000000000u

/* What an SM of compute capability 9 and later allows. */
#define LOCAL_MAX_B (512u * 1024u)
#define BLOCK_MAX_THREADS 1024u
#define BLOCK_REGISTERS 65536u
#define SHARED_MAX_B (228u * 1024u)

enum ptx_space {
	SPACE_GENERIC,
	SPACE_GLOBAL,
	SPACE_CONST,
	SPACE_SHARED,
	SPACE_LOCAL,
	SPACE_PARAM       /* an .entry's; a .func's parameters are local memory */
};

/* Constants that a launch fills in: the value of slot i of BANK_LAUNCH. */
enum launch_constant_kind { LAUNCH_GLOBAL, LAUNCH_SHARED };

struct launch_constant {
	enum launch_constant_kind kind;
	uint32_t index;           /* of the variable */
	uint8_t size_B;           /* 4 or 8 */
	uint32_t offset_B;        /* in BANK_LAUNCH */
	int64_t addend;
	bool generic;             /* as a generic address */
};

/* Where an instruction comes from, when the PTX says so: .loc */
struct source_place {
	uint32_t file;            /* as numbered by .file; 0: not known */
	uint32_t line;
	uint32_t column;          /* 0: not known */
};

struct source_file {
	uint32_t number;
	const char *name;
	const char *function;     /* that was inlined, and whose lines are numbered so; NULL: none was */
	bool turn;                /* of a loop that was unrolled: one of several files of this name */
};

/* A .local or .param variable in a frame. */
struct local_variable {
	uint32_t offset_B, size_B;
};

#define SHARED_UNUSED UINT64_MAX

struct shared_variable {
	const char *name;
	uint64_t size_B;
	uint32_t align_B;
	bool external;            /* its size comes with the launch */
};

/* An initialiser that names an address. */
struct relocation {
	uint32_t variable;        /* where it is written */
	uint64_t offset_B;
	uint8_t size_B;
	uint8_t shift;            /* mask(): which byte of the address */
	bool function;            /* index is of a function, else of a variable */
	uint32_t index;
	int64_t addend;
};

/* A piece of a call: an argument's place in the caller's local memory (from_B) or a
 * result's (to_B); the callee's own parameters say the other end. */
struct call_copy {
	uint32_t from_B;
	uint32_t to_B;
	uint32_t size_B;
	bool declared;                    /* a .param has it, which has a size of its own */
};

struct call_site {
	uint32_t callee;                  /* function index; indirect: OPERAND_NONE */
	uint32_t argument_count, result_count;
	struct call_copy *arguments;
	struct call_copy *results;
};

struct branch_table {
	uint32_t count;
	uint32_t *targets;
};

struct code {
	const char *name;
	bool entry, defined;
	uint32_t alias;                   /* index + 1 of the function it stands for */
	struct op *ops;
	uint32_t op_count;
	struct source_place *places;      /* by index of op */
	struct local_variable *locals;
	uint32_t local_count;
	uint32_t register_B;              /* of one frame, for all lanes */
	bool reads_unset;                 /* some register may be read before it is written: it is 0 */
	char *register_widths;            /* by offset / 4, where a register begins: the letter of its
					     width, as in op_row.shape; else 0 */
	uint32_t local_B;                 /* of one frame, per lane */
	uint32_t local_gap_B;             /* of these: the checker's gaps */
	uint32_t local_align_B;           /* the most that one of its variables wants */
	struct soft_parameter *parameters, *results;  /* offsets: local memory, or
							 the launch's buffer of an entry */
	uint32_t parameter_count, result_count;
	uint32_t parameter_size_B;
	uint32_t register_peak;           /* in 32-bit registers per lane */
	struct call_site *sites;
	uint32_t site_count;
	struct branch_table *tables;
	uint32_t table_count;
	uint32_t *shared;                 /* shared variables that the body names */
	uint32_t shared_count;
	bool calls_indirectly;
	bool moves_stack;                 /* stacksave, stackrestore, alloca */
	bool address_taken;
	uint32_t required_block[3];
	uint32_t max_block_threads;
	bool bounded;                     /* by .maxntid or .reqntid */
	/* Of an entry: where each shared variable of the module lies; SHARED_UNUSED: the entry and what it calls do not
	 * use it. */
	uint64_t *shared_offset_B;
	uint32_t static_shared_B;
	uint32_t shared_gap_B;            /* more than that: the checker's gaps */
};

struct tier;

struct soft_program {
	struct arena *arena;
	unsigned target;
	bool target_only;             /* sm_90a and similar targets: not for newer devices */
	struct code *codes;
	uint32_t code_count;
	struct soft_function *functions;  /* the entries */
	uint32_t function_count;
	uint32_t *entry_code;             /* index in codes of functions[i] */
	struct tier *tiers;               /* of functions[i]; the one part that launches change (exec/tier.h) */
	struct soft_variable *variables;
	uint32_t variable_count;
	struct shared_variable *shared;
	uint32_t shared_count;
	bool has_gaps;                    /* between variables, for the checker */
	struct relocation *relocations;
	uint32_t relocation_count;
	struct launch_constant *launch_constants;
	uint32_t launch_constant_count;
	uint32_t launch_constant_B;
	struct source_file *files;
	uint32_t file_count;
	char *constants;                  /* BANK_CONSTANT */
	uint32_t constant_B;
};

#endif

#include "config.h"

#include "softcuda/jit/image.h"

#include "softcuda/exec/compiled.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1, JUMP_B = 8 };

/* What objects of an architecture have of their own. */
struct machine {
	unsigned number;                  /* EM_* */
	/* The code of a stub, behind which the function's address is put when the code is loaded. */
	unsigned char jump[JUMP_B];
	unsigned wide;                    /* the type of references of 64 bits, or 0; others have 32 */
	/* Resolves a reference at `offset` in the image to `target`, an offset, too.  False if its type is not known,
	 * or the distance too large.  The ABIs of the processors have the names of the types and what they mean. */
	bool (*resolve)(char *image, int64_t offset, int64_t target, unsigned type);
};

struct maker {
	const char *object;
	size_t size_B;
	const struct machine *machine;
	const Elf64_Ehdr *head;
	const Elf64_Shdr *sections;
	const Elf64_Sym *symbols;
	uint32_t symbol_count;
	const char *names;                /* of the symbols */
	int64_t *place;                   /* by section: its offset in the image, or NOWHERE */
	const char *const *outside;
	uint32_t outside_count;
	int64_t *stub;                    /* by function outside: offset of its stub, or NOWHERE */
	struct bytes *image, *links, *why;
};

static bool fail(struct maker *m, const char *what, unsigned number)
{
	bytes_printf(m->why, "LLVM's object file: %s %u", what, number);
	return false;
}

/* --- sections ---------- */

static bool find_parts(struct maker *m)
{
	m->head = (const Elf64_Ehdr *)(const void *)m->object;
	if (m->size_B < sizeof(*m->head) || memcmp(m->head->e_ident, ELFMAG, SELFMAG) ||
	    m->head->e_ident[EI_CLASS] != ELFCLASS64 || m->head->e_type != ET_REL || m->head->e_shoff > m->size_B ||
	    (m->size_B - m->head->e_shoff) / sizeof(*m->sections) < m->head->e_shnum)
		return fail(m, "unknown type", 0);
	m->sections = (const Elf64_Shdr *)(const void *)(m->object + m->head->e_shoff);
	for (uint32_t i = 0; i < m->head->e_shnum; i++) {
		const Elf64_Shdr *s = &m->sections[i];
		if (s->sh_type != SHT_NOBITS && (s->sh_offset > m->size_B || s->sh_size > m->size_B - s->sh_offset))
			return fail(m, "bad section", i);
		if (s->sh_type != SHT_SYMTAB)
			continue;
		m->symbols = (const Elf64_Sym *)(const void *)(m->object + s->sh_offset);
		m->symbol_count = (uint32_t)(s->sh_size / sizeof(*m->symbols));
		m->names = m->object + m->sections[s->sh_link].sh_offset;
	}
	return m->symbols || fail(m, "no symbols", 0);
}

static const char *section_name(const struct maker *m, const Elf64_Shdr *section)
{
	return m->object + m->sections[m->head->e_shstrndx].sh_offset + section->sh_name;
}

/* Appends zeros up to a multiple of align_B, a power of two. */
static void align(struct bytes *image, size_t align_B)
{
	const size_t rest_B = align_B ? -image->size_B & (align_B - 1) : 0;
	if (rest_B)
		(void)bytes_extend(image, rest_B);
}

static bool place_sections(struct maker *m)
{
	for (uint32_t i = 0; i < m->head->e_shnum; i++) {
		const Elf64_Shdr *s = &m->sections[i];
		m->place[i] = NOWHERE;
		/* Nothing unwinds this code. */
		if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size || !strcmp(section_name(m, s), ".eh_frame"))
			continue;
		if (s->sh_flags & (SHF_WRITE | SHF_TLS) || s->sh_type == SHT_NOBITS || s->sh_addralign > 4096)
			return fail(m, "data that are not constant in section", i);
		align(m->image, s->sh_addralign);
		m->place[i] = (int64_t)m->image->size_B;
		bytes_append(m->image, m->object + s->sh_offset, s->sh_size);
	}
	return true;
}

/* --- symbols ---------- */

/* Appends a stub and its link.  Returns its offset. */
static int64_t make_stub(struct maker *m, uint32_t function)
{
	align(m->image, JUMP_B);
	const size_t offset_B = m->image->size_B;
	const struct compiled_link link = {(uint32_t)offset_B + JUMP_B, function};
	bytes_append(m->image, m->machine->jump, JUMP_B);
	(void)bytes_extend(m->image, sizeof(uint64_t));
	bytes_append(m->links, &link, sizeof(link));
	return (int64_t)offset_B;
}

/* The offset of the stub of a function outside of the image, or NOWHERE. */
static int64_t stub_of(struct maker *m, const char *name)
{
	for (uint32_t i = 0; i < m->outside_count; i++) {
		if (strcmp(m->outside[i], name))
			continue;
		if (m->stub[i] == NOWHERE)
			m->stub[i] = make_stub(m, i);
		return m->stub[i];
	}
	return NOWHERE;
}

/* The offset in the image of what a symbol names, or NOWHERE. */
static int64_t value_of(struct maker *m, uint32_t number)
{
	const Elf64_Sym *symbol = &m->symbols[number];
	if (number >= m->symbol_count)
		return NOWHERE;
	if (symbol->st_shndx == SHN_UNDEF)
		return stub_of(m, m->names + symbol->st_name);
	if (symbol->st_shndx >= m->head->e_shnum || m->place[symbol->st_shndx] == NOWHERE)
		return NOWHERE;
	return m->place[symbol->st_shndx] + (int64_t)symbol->st_value;
}

static bool find_functions(struct maker *m, struct image_symbol *functions, uint32_t count)
{
	for (uint32_t f = 0; f < count; f++) {
		uint32_t s = 0;
		while (s < m->symbol_count && (m->symbols[s].st_shndx == SHN_UNDEF ||
					       strcmp(m->names + m->symbols[s].st_name, functions[f].name)))
			s++;
		const int64_t value = s < m->symbol_count ? value_of(m, s) : NOWHERE;
		if (value == NOWHERE)
			return fail(m, "no function", f);
		functions[f].value = (uint64_t)value;
	}
	return true;
}

/* --- references ---------- */

/* Writes a signed number of 32 bits; false if it does not fit. */
static bool put_32(char *at, int64_t number)
{
	const int32_t narrow = (int32_t)number;
	memcpy(at, &narrow, sizeof(narrow));
	return narrow == number;
}

/* Inserts `count` bits of a number into an instruction, from bit `shift` on. */
static void insert(char *at, int64_t number, unsigned shift, unsigned count)
{
	const uint32_t mask = (uint32_t)((UINT64_C(1) << count) - 1) << shift;
	uint32_t word;
	memcpy(&word, at, sizeof(word));
	word = (word & ~mask) | ((uint32_t)number << shift & mask);
	memcpy(at, &word, sizeof(word));
}

static bool resolve_aarch64(char *image, int64_t offset, int64_t target, unsigned type)
{
	const int64_t distance = target - offset, page = (target >> 12) - (offset >> 12);
	char *at = image + offset;
	switch (type) {
	case R_AARCH64_PREL32:
		return put_32(at, distance);
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
		insert(at, distance >> 2, 0, 26);
		return distance >= -(INT64_C(1) << 27) && distance < INT64_C(1) << 27;
	case R_AARCH64_ADR_PREL_PG_HI21:
		insert(at, page, 29, 2);
		insert(at, page >> 2, 5, 19);
		return page >= -(INT64_C(1) << 20) && page < INT64_C(1) << 20;
	case R_AARCH64_ADD_ABS_LO12_NC:
	case R_AARCH64_LDST8_ABS_LO12_NC:
		insert(at, target & 4095, 10, 12);
		return true;
	case R_AARCH64_LDST16_ABS_LO12_NC:
		insert(at, (target & 4095) >> 1, 10, 12);
		return true;
	case R_AARCH64_LDST32_ABS_LO12_NC:
		insert(at, (target & 4095) >> 2, 10, 12);
		return true;
	case R_AARCH64_LDST64_ABS_LO12_NC:
		insert(at, (target & 4095) >> 3, 10, 12);
		return true;
	case R_AARCH64_LDST128_ABS_LO12_NC:
		insert(at, (target & 4095) >> 4, 10, 12);
		return true;
	default:
		return false;
	}
}

static bool resolve_x86_64(char *image, int64_t offset, int64_t target, unsigned type)
{
	const int64_t distance = target - offset;
	switch (type) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return put_32(image + offset, distance);
	case R_X86_64_PC64:
		memcpy(image + offset, &distance, sizeof(distance));
		return true;
	default:
		return false;
	}
}

static const struct machine machines[] = {
	{EM_X86_64, {0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}, R_X86_64_PC64, resolve_x86_64},     /* jmp *2(%rip) */
	{EM_AARCH64, {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6}, 0, resolve_aarch64}             /* ldr x16, 8; br x16 */
};

/* Resolves the references of a section of relocations. */
static bool relocate(struct maker *m, const Elf64_Shdr *section)
{
	const Elf64_Rela *list = (const Elf64_Rela *)(const void *)(m->object + section->sh_offset);
	const size_t count = section->sh_size / sizeof(*list);
	if (section->sh_info >= m->head->e_shnum || m->place[section->sh_info] == NOWHERE)
		return true;
	const uint64_t room_B = m->sections[section->sh_info].sh_size;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Rela *r = &list[i];
		const unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
		const int64_t value = value_of(m, (uint32_t)ELF64_R_SYM(r->r_info));
		if (bytes_failed(m->image) || value == NOWHERE || r->r_offset > room_B || room_B - r->r_offset < 4 ||
		    (type && type == m->machine->wide && room_B - r->r_offset < 8) ||
		    !m->machine->resolve(m->image->data, m->place[section->sh_info] + (int64_t)r->r_offset,
					 value + r->r_addend, type))
			return fail(m, "a reference of type", type);
	}
	return true;
}

static bool make(struct maker *m, struct image_symbol *functions, uint32_t count)
{
	if (!m->machine || m->head->e_machine != m->machine->number)
		return fail(m, "machine", m->head->e_machine);
	if (!place_sections(m))
		return false;
	for (uint32_t i = 0; i < m->head->e_shnum; i++)
		if (m->sections[i].sh_type == SHT_RELA && !relocate(m, &m->sections[i]))
			return false;
	if (bytes_failed(m->image) || bytes_failed(m->links))
		return fail(m, "no memory", 0);
	return find_functions(m, functions, count);
}

bool image_make(unsigned machine, const char *object, size_t size_B, struct image_symbol *functions, uint32_t count,
		const char *const *outside, uint32_t outside_count, struct bytes *image, struct bytes *links,
		struct bytes *why)
{
	struct maker m = {.object = object, .size_B = size_B, .outside = outside, .outside_count = outside_count,
			  .image = image, .links = links, .why = why};
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		m.machine = machines[i].number == machine ? &machines[i] : m.machine;
	if (!find_parts(&m))
		return false;
	m.place = calloc(m.head->e_shnum + 1u, sizeof(*m.place));
	m.stub = calloc(outside_count + 1u, sizeof(*m.stub));
	for (uint32_t i = 0; m.stub && i < outside_count; i++)
		m.stub[i] = NOWHERE;
	const bool right = m.place && m.stub ? make(&m, functions, count) : fail(&m, "no memory", 0);
	free(m.place);
	free(m.stub);
	return right;
}

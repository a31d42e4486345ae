#include "config.h"

#include "base/build_id.h"

#include "base/hash.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_HEADERS_MAX = 64, NOTES_B = 1024 };

static void append_hex(struct bytes *text, const unsigned char *data, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		bytes_printf(text, "%02x", data[i]);
}

/* The id among the notes of one segment. */
static bool find_note(const unsigned char *notes, size_t size_B, struct bytes *text)
{
	Elf64_Nhdr note;
	for (size_t at_B = 0; size_B - at_B >= sizeof(note);) {
		memcpy(&note, notes + at_B, sizeof(note));
		const size_t name_B = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		const size_t value_B = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at_B += sizeof(note);
		if (name_B > size_B - at_B || note.n_descsz > size_B - at_B - name_B)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at_B, "GNU", 4) && note.n_descsz) {
			append_hex(text, notes + at_B + name_B, note.n_descsz);
			return true;
		}
		/* The last one's padding may be missing. */
		if (value_B > size_B - at_B - name_B)
			return false;
		at_B += name_B + value_B;
	}
	return false;
}

static bool read_note(int fd, struct bytes *text)
{
	Elf64_Ehdr head;
	Elf64_Phdr segments[PROGRAM_HEADERS_MAX];
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*segments) || head.e_phnum > PROGRAM_HEADERS_MAX)
		return false;
	size_t size_B = head.e_phnum * sizeof(*segments);
	if (pread(fd, segments, size_B, (off_t)head.e_phoff) != (ssize_t)size_B)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		unsigned char notes[NOTES_B];
		if (segments[i].p_type != PT_NOTE)
			continue;
		size_t want_B = segments[i].p_filesz < NOTES_B ? segments[i].p_filesz : NOTES_B;
		ssize_t got_B = pread(fd, notes, want_B, (off_t)segments[i].p_offset);
		if (got_B > 0 && find_note(notes, (size_t)got_B, text))
			return true;
	}
	return false;
}

bool build_id_append(struct bytes *text, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool found = read_note(fd, text);
	close(fd);
	if (!found) {
		struct bytes content = BYTES_INIT;
		found = !bytes_read_file(&content, path);
		struct hash hash = hash_of(bytes_string(&content), content.size_B);
		bytes_finish(&content);
		if (found)
			append_hex(text, hash.bytes, HASH_B);
	}
	return found && !bytes_failed(text);
}

struct place {
	uintptr_t address;
	struct bytes *text;
	bool found;
};

static bool lies_in(uintptr_t address, const struct dl_phdr_info *object)
{
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &object->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD &&
		    address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static int look_into(struct dl_phdr_info *object, size_t size_B, void *data)
{
	struct place *place = data;
	(void)size_B;
	if (!lies_in(place->address, object))
		return 0;
	for (unsigned i = 0; i < object->dlpi_phnum && !place->found; i++) {
		const Elf64_Phdr *segment = &object->dlpi_phdr[i];
		const uintptr_t notes = object->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_NOTE)
			place->found = find_note((const unsigned char *)notes, segment->p_memsz,
						 place->text);
	}
	return 1;
}

bool build_id_append_at(struct bytes *text, const void *address)
{
	Dl_info info;
	struct place place = {.address = (uintptr_t)address, .text = text};
	(void)dl_iterate_phdr(look_into, &place);
	if (place.found)
		return !bytes_failed(text);
	return dladdr(address, &info) && info.dli_fname && build_id_append(text, info.dli_fname);
}

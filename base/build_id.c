#include "config.h"

#include "base/build_id.h"

#include "base/hash.h"
#include "base/own_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_HEADERS_MAX = 64, NOTES_B = 1024 };

/* Finds the build ID among the notes of a segment. */
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
			bytes_append_hex(text, notes + at_B + name_B, note.n_descsz);
			return true;
		}
		/* The last note may lack its padding. */
		if (value_B > size_B - at_B - name_B)
			return false;
		at_B += name_B + value_B;
	}
	return false;
}

/* The parts of a file that are read.  They are on the heap, because threads of the application may have small
 * stacks. */
struct headers {
	Elf64_Ehdr file;
	Elf64_Phdr segments[PROGRAM_HEADERS_MAX];
	unsigned char notes[NOTES_B];
};

static bool read_headers(int fd, struct headers *headers)
{
	const Elf64_Ehdr *file = &headers->file;
	if (pread(fd, &headers->file, sizeof(*file), 0) != (ssize_t)sizeof(*file) ||
	    memcmp(file->e_ident, ELFMAG, SELFMAG) || file->e_ident[EI_CLASS] != ELFCLASS64 ||
	    file->e_phentsize != sizeof(Elf64_Phdr) || file->e_phnum > PROGRAM_HEADERS_MAX)
		return false;
	const size_t size_B = file->e_phnum * sizeof(Elf64_Phdr);
	return pread(fd, headers->segments, size_B, (off_t)file->e_phoff) == (ssize_t)size_B;
}

static bool read_note(int fd, struct bytes *text)
{
	struct headers *headers = malloc(sizeof(*headers));
	bool found = false;
	if (!headers || !read_headers(fd, headers)) {
		free(headers);
		return false;
	}
	for (unsigned i = 0; i < headers->file.e_phnum && !found; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];
		if (segment->p_type != PT_NOTE)
			continue;
		const size_t want_B = segment->p_filesz < NOTES_B ? segment->p_filesz : NOTES_B;
		const ssize_t got_B = pread(fd, headers->notes, want_B, (off_t)segment->p_offset);
		found = got_B > 0 && find_note(headers->notes, (size_t)got_B, text);
	}
	free(headers);
	return found;
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
			bytes_append_hex(text, hash.bytes, HASH_B);
	}
	return found && !bytes_failed(text);
}

bool build_id_append_own(struct bytes *text, const char *name, const char *const *others, size_t count)
{
	struct bytes path = BYTES_INIT;
	bool found = own_library_find(name, &path) && build_id_append(text, bytes_string(&path));
	bytes_finish(&path);
	for (size_t i = 0; found && i < count; i++) {
		bytes_append_char(text, ' ');
		found = build_id_append(text, others[i]);
	}
	return found;
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

/* The options that a compiler library (libnvvm, the PTX compiler) is called with, as texts.
 *
 * Not thread-safe.  A list is not copied, as its pointers are into itself; it owns nothing. */
#ifndef CULVERT_BACKEND_OPTION_LIST_H
#define CULVERT_BACKEND_OPTION_LIST_H

enum { OPTION_LIST_MAX = 8, OPTION_LIST_B = 32 };

struct option_list {
	char text[OPTION_LIST_MAX][OPTION_LIST_B];
	const char *pointers[OPTION_LIST_MAX];
	int count;                       /* 0 at first */
};

/* Adds an option with a number, such as "-opt=%u"; with it, it has less than OPTION_LIST_B bytes. */
void option_list_add(struct option_list *list, const char *format, unsigned value);
/* Adds an option that outlives the list. */
void option_list_add_word(struct option_list *list, const char *word);

#endif

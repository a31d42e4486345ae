#include "config.h"

#include "backend/option_list.h"

#include <stdio.h>

void option_list_add(struct option_list *list, const char *format, unsigned value)
{
	char *text = list->text[list->count];
	snprintf(text, OPTION_LIST_B, format, value);
	option_list_add_word(list, text);
}

void option_list_add_word(struct option_list *list, const char *word)
{
	list->pointers[list->count++] = word;
}

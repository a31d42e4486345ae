#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/nvvm_ir.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void print_number(struct ir_printer *printer, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	bytes_append(printer->text, digits + at, sizeof(digits) - at);
}

static void print_local(struct ir_printer *printer, const char *prefix, uint32_t id)
{
	bytes_append_string(printer->text, prefix);
	print_number(printer, id);
}

static void print_operand(struct ir_printer *printer, LLVMValueRef value)
{
	if (LLVMIsConstant(value))
		fe_ir_constant(printer, value);
	else
		print_local(printer, "%v", fe_ir_value_id(printer, value));
}

static void print_typed(struct ir_printer *printer, LLVMValueRef value)
{
	fe_ir_type(printer, LLVMTypeOf(value));
	bytes_append_char(printer->text, ' ');
	print_operand(printer, value);
}

static void print_place(struct ir_printer *printer, const struct ir_place *place)
{
	fe_ir_pointer_type(printer, place->pointee,
			   fe_ir_address_space(LLVMTypeOf(place->pointer)));
	bytes_append_char(printer->text, ' ');
	switch (place->form) {
	case IR_PLACE_BYTES:
		print_operand(printer, place->pointer);
		break;
	case IR_PLACE_GLOBAL:
		fe_ir_global_name(printer, place->pointer);
		break;
	case IR_PLACE_CAST:
		print_local(printer, "%t", place->temporary);
		break;
	case IR_PLACE_NUMBER: /* an argument of inline PTX that is no pointer */
		break;
	}
}

static void print_directive(struct ir_printer *printer, char directive, va_list *arguments)
{
	switch (directive) {
	case 's':
		bytes_append_string(printer->text, va_arg(*arguments, const char *));
		break;
	case 'u':
		print_number(printer, va_arg(*arguments, unsigned));
		break;
	case 'l':
		print_number(printer, va_arg(*arguments, uint64_t));
		break;
	case 't':
		fe_ir_type(printer, va_arg(*arguments, LLVMTypeRef));
		break;
	case 'v':
		print_operand(printer, va_arg(*arguments, LLVMValueRef));
		break;
	case 'V':
		print_typed(printer, va_arg(*arguments, LLVMValueRef));
		break;
	case 'b':
		print_local(printer, "%b",
			    fe_ir_value_id(printer, LLVMBasicBlockAsValue(
						va_arg(*arguments, LLVMBasicBlockRef))));
		break;
	case 'i':
		print_local(printer, "%t", va_arg(*arguments, uint32_t));
		break;
	case 'p': {
		LLVMTypeRef pointee = va_arg(*arguments, LLVMTypeRef);
		fe_ir_pointer_type(printer, pointee, va_arg(*arguments, unsigned));
		break;
	}
	case 'a':
		print_place(printer, va_arg(*arguments, const struct ir_place *));
		break;
	case 'r':
		print_local(printer, "  %v",
			    fe_ir_value_id(printer, va_arg(*arguments, LLVMValueRef)));
		bytes_append_string(printer->text, " = ");
		break;
	default:        /* %% */
		bytes_append_char(printer->text, directive);
		break;
	}
}

void fe_ir_print(struct ir_printer *printer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	for (;;) {
		size_t plain_B = strcspn(format, "%");
		bytes_append(printer->text, format, plain_B);
		format += plain_B;
		if (!*format)
			break;
		print_directive(printer, format[1], &arguments);
		format += 2;
	}
	va_end(arguments);
}

void fe_ir_error(struct ir_printer *printer, const char *format, ...)
{
	enum { SHOWN_AT_MOST = 100 };
	if (printer->error_count++ >= SHOWN_AT_MOST)
		return;
	bytes_append_string(printer->log, "error: cannot be written as NVVM IR: ");
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(printer->log, format, arguments);
	va_end(arguments);
	if (printer->function)
		bytes_printf(printer->log, " (in function %s)", fe_function_name(printer->function));
	bytes_append_char(printer->log, '\n');
}

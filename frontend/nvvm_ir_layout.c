#include "config.h"

#include "frontend/local_pointers.h"
#include "frontend/nvvm_ir.h"

/* The data layout that libnvvm gets: local pointers have 32 bits in it where that cannot show. */

static const char before[] = "target datalayout = \"e-p:64:64:64-";
static const char narrow[] = "p3:32:32:32-";
static const char behind[] =
	"i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-"
	"i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-"
	"n16:32:64\"\n"
	"target triple = \"nvptx64-nvidia-cuda\"\n\n";

void fe_ir_layout_init(struct ir_printer *printer)
{
	bool is_narrow = !(printer->nvvm_lacks & NVVM_LACKS_NARROW_LOCAL) &&
			 fe_local_pointers_fit(printer->module, printer->typed_byval);
	LLVMValueRef next = LLVMGetFirstFunction(printer->module);
	for (; is_narrow && next; next = LLVMGetNextFunction(next))
		is_narrow = !fe_passes_local_pointers(next);
	printer->local_is_narrow = is_narrow;
}

void fe_ir_head(struct ir_printer *printer)
{
	fe_ir_print(printer, "%s%s%s", before, printer->local_is_narrow ? narrow : "", behind);
}

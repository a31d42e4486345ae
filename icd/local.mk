# The OpenCL driver, room by room: each may know those before it, as tests/layering.sh says.
noinst_LIBRARIES += icd/libicd.a
include icd/include/local.mk
include icd/object/local.mk
include icd/thread/local.mk
include icd/compile/local.mk
include icd/memory/local.mk
include icd/program/local.mk
include icd/order/local.mk
include icd/transfer/local.mk
include icd/launch/local.mk
include icd/graph/local.mk
include icd/api/local.mk
icd_libicd_a_SOURCES = $(icd_include_sources) \
	$(icd_object_sources) \
	$(icd_thread_sources) \
	$(icd_memory_sources) \
	$(icd_program_sources) \
	$(icd_order_sources) \
	$(icd_transfer_sources) \
	$(icd_launch_sources) \
	$(icd_graph_sources) \
	$(icd_api_sources)

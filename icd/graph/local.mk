# Command buffers, and the CUDA graphs that they become.
icd_graph_sources = \
	icd/graph/command_buffer.c icd/graph/command_buffer.h icd/graph/command_buffer_info.def \
	icd/graph/command_graph.c icd/graph/command_graph.h icd/graph/command_part.c icd/graph/command_part.h \
	icd/graph/command_remap.c icd/graph/command_remap.h \
	icd/graph/mutable_command.c icd/graph/mutable_command.h \
	icd/graph/mutable_command_info.def
EXTRA_DIST += icd/graph/README.md

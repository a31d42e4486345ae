# Commands that move bytes.
icd_transfer_sources = \
	icd/transfer/command_image.c icd/transfer/command_transfer.c icd/transfer/gl_command.c icd/transfer/svm_command.c \
	icd/transfer/svm_command.h
EXTRA_DIST += icd/transfer/README.md

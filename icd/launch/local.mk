# Commands that run kernels.
icd_launch_sources = \
	icd/launch/launch.c icd/launch/launch.h icd/launch/launch_complaint.c \
	icd/launch/launch_complaint.h icd/launch/launch_enqueue.c icd/launch/launch_memo.c icd/launch/launch_memo.h \
	icd/launch/launch_size.c icd/launch/launch_size.h
EXTRA_DIST += icd/launch/README.md

# What every OpenCL object has, the platform and its devices.
icd_object_sources = \
	icd/object/device.c icd/object/device.h icd/object/device_info.c icd/object/device_info.def \
	icd/object/device_info.h icd/object/extension.c icd/object/extension.h icd/object/info.c \
	icd/object/info.h icd/object/info_rows.h icd/object/object.c icd/object/object.h \
	icd/object/platform.c icd/object/platform.h icd/object/platform_info.def \
	icd/object/properties.c icd/object/properties.h \
	icd/object/sub_device.c icd/object/sub_device.h icd/object/svm_types.c icd/object/svm_types.h
EXTRA_DIST += icd/object/README.md

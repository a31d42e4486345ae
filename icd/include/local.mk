# Headers of extensions, as programs or older OpenCL headers need them.
icd_include_sources = \
	icd/include/cuda_interop.h icd/include/khr_command_buffer.h icd/include/khr_external_memory.h \
	icd/include/khr_semaphore.h icd/include/khr_unified_svm.h icd/include/nv_create_buffer.h
EXTRA_DIST += icd/include/README.md

# What programs include for our own extensions.
clincludedir = $(includedir)/CL
clinclude_HEADERS = icd/include/cl_culvert.h
# Written by the installation, which may be told another prefix than configure was.
pkgconfigdir = $(datadir)/pkgconfig
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(pkgconfigdir)'
	sed -e 's|@prefix[@]|$(prefix)|; s|@includedir[@]|$(includedir)|; s|@sysconfdir[@]|$(sysconfdir)|' \
		-e 's|=$(prefix)/|=$${prefix}/|; s|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
		-e '/^[a-z]*=/s/ /\\ /g' \
		$(srcdir)/icd/include/culvert.pc.in >'$(DESTDIR)$(pkgconfigdir)/culvert.pc'
uninstall-local:
	rm -f '$(DESTDIR)$(pkgconfigdir)/culvert.pc'
EXTRA_DIST += icd/include/culvert.pc.in

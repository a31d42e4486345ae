# The pages.  They are installed with the README, so that what it links to is there; but for those about
# the source, whose links become plain text.
pagesdir = $(docdir)
nobase_dist_pages_DATA = \
	docs/CHANGELOG.md \
	docs/README.md \
	docs/applications.md \
	docs/binary-format.md \
	docs/cache.md \
	docs/cl_culvert_cuda_interop.md \
	docs/cl_culvert_external_image.md \
	docs/cl_culvert_external_memory_export.md \
	docs/cl_culvert_grid_barrier.md \
	docs/cl_culvert_matrix.md \
	docs/clusters.md \
	docs/comparison.md \
	docs/codegen.md \
	docs/conformance.md \
	docs/containers.md \
	docs/debugging.md \
	docs/decisions.md \
	docs/install.md \
	docs/kernel-abi.md \
	docs/limits.md \
	docs/math-accuracy.md \
	docs/opengl.md \
	docs/ordering.md \
	docs/performance.md \
	docs/portability.md \
	docs/security.md \
	docs/softcuda.md \
	docs/spirv.md \
	docs/sycl.md \
	docs/tuning.md \
	docs/use.md \
	docs/culvert.png \
	docs/performance/a-launch-and-its-event-among-so-many.svg \
	docs/performance/a-launch-behind-one-of-so-many-user-events.svg \
	docs/performance/a-launch-by-threads-so-many.svg \
	docs/performance/a-launch-on-one-of-so-many-buffers.svg \
	docs/performance/a-launch-on-queues-in-turn-so-many.svg \
	docs/performance/alloc.svg \
	docs/performance/an-event-of-a-wait-list-of-so-many.svg \
	docs/performance/build-kernels.svg \
	docs/performance/build.svg \
	docs/performance/devices.svg \
	docs/performance/kernels.svg \
	docs/performance/launch.svg \
	docs/performance/matrix.svg \
	docs/performance/overlap.svg \
	docs/performance/transfer.svg \
	docs/performance/twins.svg \
	docs/pictures/doctor.svg \
	docs/pictures/timeline.svg
EXTRA_DIST += docs/contributing.md docs/testing.md docs/applications

install-data-hook:
	@cd '$(DESTDIR)$(docdir)' && sed -i -E \
		's,\[([^]]*)\]\((\.\./|docs/)?(HACKING|contributing|testing|tests/README)\.md(#[a-z-]*)?\),\1,g' README.md docs/*.md

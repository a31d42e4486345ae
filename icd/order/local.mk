# Queues, commands and events: what runs after what.
icd_order_sources = \
	icd/order/command.c icd/order/command.h icd/order/command_sync.c icd/order/command_sync.h icd/order/deferred.c icd/order/deferred.h \
	icd/order/event.c icd/order/event.h icd/order/event_info.def icd/order/event_pool.c \
	icd/order/event_pool.h icd/order/lanes.c icd/order/lanes.h icd/order/line.c icd/order/line.h \
	icd/order/native.c icd/order/native.h icd/order/printf.c icd/order/printf.h \
	icd/order/printf_format.c icd/order/printf_format.h icd/order/queue.c icd/order/queue.h \
	icd/order/queue_info.def icd/order/semaphore.c icd/order/semaphore.h \
	icd/order/semaphore_foreign.c icd/order/semaphore_foreign.h icd/order/semaphore_info.def \
	icd/order/semaphore_shared.c icd/order/semaphore_shared.h icd/order/stamps.c icd/order/stamps.h \
	icd/order/submit.c icd/order/submit.h icd/order/work.c icd/order/work.h
EXTRA_DIST += icd/order/README.md

#!/bin/sh
# Protects: functions that load, store, move and meet: vloadn, halves, shuffles, copies, atomics.
exec tests/builtins/values --quick memory half shuffle async atomic atomic_c11 workitem

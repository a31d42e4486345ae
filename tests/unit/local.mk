# One program per module.
unit_tests = tests/unit/t_bytes tests/unit/t_base
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
tests_unit_t_bytes_SOURCES = tests/unit/t_bytes.c tests/unit/test.h
tests_unit_t_bytes_LDADD = base/libbase.a
tests_unit_t_base_SOURCES = tests/unit/t_base.c tests/unit/test.h
tests_unit_t_base_LDADD = base/libbase.a

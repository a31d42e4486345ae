# Models of what threads share without a lock, one program per model: an ordinary program runs many rounds, and litmus.sh
# gives each to a model checker.  A model plays some of the functions that the product's libraries have as well.
litmus_libs = $(unit_libs)
litmus_flags = $(AM_LDFLAGS) -Wl,-z,muldefs
check_PROGRAMS += $(litmus_tests)
TESTS += $(litmus_tests) $(litmus_scripts)

# Programs on hostile schedules.
TESTS += tests/stress/seeds.sh
EXTRA_DIST += tests/stress/seeds.sh

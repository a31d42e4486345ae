#!/bin/sh
# Protects: functions of sub-groups and work-groups, and those that extensions add.
exec tests/builtins/values --quick sub_group work_group extended

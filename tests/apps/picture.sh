#!/bin/sh
# Protects: a program with float vectors, many functions and fast math, up to the file.
file=tests/apps/picture-test.$$.png
tests/apps/picture $file 96 60
status=$?
[ -s $file ] || status=1
rm -f $file
exit $status

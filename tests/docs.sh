#!/bin/sh
# Protects: the README's list of environment variables against base/config.def.
exec "${srcdir:-.}/scripts/option-table" --check

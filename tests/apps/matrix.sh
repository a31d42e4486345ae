#!/bin/sh
# Protects: the tiled matrix product (local memory, barriers, two dimensions).
exec tests/apps/matrix 128

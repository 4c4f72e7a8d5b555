#!/usr/bin/env bash
# Runs full reads, the worst bodies and a large import in a heap of 128 MiB. HEAP_SUBMISSIONS=5000
# HEAP_IMPORT_ROWS=1000000 makes it a long run. See small-heap.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/sizes/small-heap.ts

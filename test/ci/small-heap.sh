#!/usr/bin/env bash
# Full reads and the worst bodies in a heap of 128 MiB. HEAP_SUBMISSIONS=5000 makes it a long run. See small-heap.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/small-heap.ts

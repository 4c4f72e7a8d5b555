#!/usr/bin/env bash
# Imports rows that are drawn from a fresh seed, which it prints, and compares everything that the API shows of them, in
# every place; then looks for each planted mistake. ROUND_TRIP_ROWS=200000 makes it a long run, ROUND_TRIP_SEED repeats
# one.
cd "$(dirname "$0")/../../.." || exit 1
run=(node host-worker/launch/run.mjs test/round-trip/main.ts)
"${run[@]}" --seed "${ROUND_TRIP_SEED:-$((RANDOM * 100))}" --rows "${ROUND_TRIP_ROWS:-4000}" --rows-per-kind 200
status=$?
"${run[@]}" --mutants --seed 1 || status=1
exit "$status"

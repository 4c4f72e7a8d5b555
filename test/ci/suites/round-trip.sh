#!/usr/bin/env bash
# Imports rows that are drawn from a fresh seed, which it prints, and compares everything that the API shows of them, in
# every place; then looks for an eighth of the planted mistakes, others every day. ROUND_TRIP_ROWS=200000 makes it a long
# run, ROUND_TRIP_SEED repeats one, ROUND_TRIP_PART sets another part of the mistakes (0/1 are all).
# .ci/nightly draws more rows and plants all mistakes.
cd "$(dirname "$0")/../../.." || exit 1
run=(node host-worker/launch/run.mjs test/round-trip/main.ts)
part=${ROUND_TRIP_PART:-$(($(date -u +%s) / 86400 % 8))/8}
"${run[@]}" --seed "${ROUND_TRIP_SEED:-$((RANDOM * 100))}" --rows "${ROUND_TRIP_ROWS:-2000}" --rows-per-kind 200
status=$?
"${run[@]}" --mutants --seed 1 --part "$part" || status=1
exit "$status"

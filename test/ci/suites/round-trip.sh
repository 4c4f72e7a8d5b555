#!/usr/bin/env bash
# Imports rows that are drawn from a fresh seed, which it prints, and compares everything that the API shows of them, in
# every place of this process and in one of the Worker; then looks for a sixteenth of the planted mistakes. The place and
# the mistakes are others every day (CI_SHARE). ROUND_TRIP_ROWS=200000 makes it a long run, ROUND_TRIP_SEED repeats one.
# .ci/nightly draws more rows, in every place.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 16
case $CI_SHARE in
  1/1) workers=(worker-shared worker-own) ;;
  *[02468]/*) workers=(worker-own) ;;
  *) workers=(worker-shared) ;;
esac
places=(node-shared node-own "${workers[@]}")
run=(node host-worker/launch/run.mjs test/round-trip/main.ts)
"${run[@]}" --seed "${ROUND_TRIP_SEED:-$((RANDOM * 100))}" --rows "${ROUND_TRIP_ROWS:-2000}" --rows-per-kind 200 \
  "${places[@]/#/--place=}"
status=$?
"${run[@]}" --mutants --seed 1 --part "$CI_SHARE" || status=1
exit "$status"

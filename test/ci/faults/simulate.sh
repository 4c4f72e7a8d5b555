#!/usr/bin/env bash
# Simulates the service: with one in sixteen of the planted mistakes, others every day (CI_SHARE), each of which must be
# found; then for some seconds from fresh seeds, which it prints, half of the time with tiny sizes. SIMULATION_SECONDS sets
# for how long fresh seeds are simulated (8). .ci/nightly does so for longer, and comes across every kind of event.
cd "$(dirname "$0")/../../.." || exit 1
seconds=${SIMULATION_SECONDS:-8}
source test/support/runner/share.sh 16
simulate=(node host-worker/launch/run.mjs test/simulation/main.ts)
"${simulate[@]}" --mutants --part "$CI_SHARE" --seconds "$((seconds / 2))"
status=$?
"${simulate[@]}" --seconds "$((seconds / 2))" --tiny || status=1
exit "$status"

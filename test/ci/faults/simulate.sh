#!/usr/bin/env bash
# Simulates the service: with one in sixteen of the planted mistakes, others every day, each of which must be found; then for
# some seconds from fresh seeds, which it prints, half of the time with tiny sizes. SIMULATION_SECONDS sets for how long
# fresh seeds are simulated (8), SIMULATION_PART another part of the planted mistakes, such as 3/8; 0/1 are all of them.
# .ci/nightly does all for longer, and comes across every kind of event.
cd "$(dirname "$0")/../../.." || exit 1
seconds=${SIMULATION_SECONDS:-8}
part=${SIMULATION_PART:-$(($(date -u +%s) / 86400 % 16))/16}
simulate=(node host-worker/launch/run.mjs test/simulation/main.ts)
"${simulate[@]}" --mutants --part "$part" --seconds "$((seconds / 2))"
status=$?
"${simulate[@]}" --seconds "$((seconds / 2))" --tiny || status=1
exit "$status"

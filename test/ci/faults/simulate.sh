#!/usr/bin/env bash
# Simulates the service for some seconds from fresh seeds, which it prints: two thirds of the time as it is, one third
# with tiny sizes. SIMULATION_SECONDS sets for how long (40). The seeds that together come across every kind of event,
# and the planted mistakes, of which each must be found, take longer: .ci/nightly does them.
cd "$(dirname "$0")/../../.." || exit 1
seconds=${SIMULATION_SECONDS:-40}
simulate=(node host-worker/launch/run.mjs test/simulation/main.ts)
"${simulate[@]}" --seconds "$((seconds * 2 / 3))"
status=$?
"${simulate[@]}" --seconds "$((seconds / 3))" --tiny || status=1
exit "$status"

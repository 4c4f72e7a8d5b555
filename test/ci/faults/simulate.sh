#!/usr/bin/env bash
# Simulates the service for 40 seconds from fresh seeds, which it prints: two thirds of the time as it is, one third
# with tiny sizes. SIMULATION_SECONDS sets another duration. With SIMULATION_MUTANTS=yes, the simulation must also find
# every planted mistake.
cd "$(dirname "$0")/../../.." || exit 1
seconds=${SIMULATION_SECONDS:-40}
mutants=()
if [ "${SIMULATION_MUTANTS:-}" = yes ]; then mutants=(--mutants); fi
simulate=(node host-worker/launch/run.mjs test/simulation/main.ts)
"${simulate[@]}" --seconds "$((seconds * 2 / 3))" "${mutants[@]}"
status=$?
"${simulate[@]}" --seconds "$((seconds / 3))" --tiny || status=1
exit "$status"

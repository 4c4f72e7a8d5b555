#!/usr/bin/env bash
# Simulates the service from fresh seeds for a minute, and prints them. SIMULATION_SECONDS makes it shorter or longer, and
# SIMULATION_MUTANTS=yes also has every planted mistake found.
cd "$(dirname "$0")/../.." || exit 1
mutants=()
if [ "${SIMULATION_MUTANTS:-}" = yes ]; then mutants=(--mutants); fi
exec node host-worker/launch/run.mjs test/simulation/main.ts --seconds "${SIMULATION_SECONDS:-60}" "${mutants[@]}"

#!/usr/bin/env bash
# Simulates the service for ninety seconds from fresh seeds, which it prints. SIMULATION_SECONDS sets another duration. With
# SIMULATION_MUTANTS=yes, the simulation must also find every planted mistake.
cd "$(dirname "$0")/../.." || exit 1
mutants=()
if [ "${SIMULATION_MUTANTS:-}" = yes ]; then mutants=(--mutants); fi
exec node host-worker/launch/run.mjs test/simulation/main.ts --seconds "${SIMULATION_SECONDS:-90}" "${mutants[@]}"

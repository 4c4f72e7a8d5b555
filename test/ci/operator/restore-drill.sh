#!/usr/bin/env bash
# The restore drill of the manual (domain/whole/README.md): backs up every demo organization, loses the state, restores
# all of them in an empty service, and compares.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/operator/restore-drill.ts

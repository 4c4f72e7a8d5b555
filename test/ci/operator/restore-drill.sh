#!/usr/bin/env bash
# The restore drill, by the commands of the manual (domain/organizations/README.md): backs up every demo organization, restores all
# of them in an empty service, and compares. Then an encrypted backup, after the state is lost.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/operator/restore-drill.ts

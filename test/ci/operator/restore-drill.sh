#!/usr/bin/env bash
# On every third day (CI_SHARE) the restore drill, by the commands of the manual (domain/organizations/README.md): backs up
# every demo organization, restores all of them in an empty service, and compares. Then an encrypted backup, after the
# state is lost.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 3
in_share 2 || exit 0
exec node host-worker/launch/run.mjs test/ci/operator/restore-drill.ts

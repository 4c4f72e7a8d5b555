#!/usr/bin/env bash
# On one day exports and restores an organization with many rows, and kills both a few times
# (test/faults/kills/whole-kills.ts). On the next kills what deletes, erases and keeps no longer
# (test/faults/kills/removal-kills.ts). A long run of both:
# `CI_SHARE=1/1 WHOLE_ROWS=1000000 WHOLE_KILLS=100 REMOVAL_KILLS=50 test/ci/faults/whole-kills.sh`
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
status=0
if in_share 1; then
  WHOLE_ROWS=${WHOLE_ROWS:-10000} KILL_ROWS=${KILL_ROWS:-10000} node host-worker/launch/run.mjs test/faults/kills/whole-kills.ts || status=1
fi
if in_share 2; then
  KILL_ROWS=${REMOVED_ROWS:-2000} node host-worker/launch/run.mjs test/faults/kills/removal-kills.ts || status=1
fi
exit $status

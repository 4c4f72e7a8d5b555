#!/usr/bin/env bash
# Kills the runtime while it sends to 500 people, ten times, and makes each request again (test/faults/kills/send-kills.ts).
# A long run: `SEND_KILLS=200 test/ci/faults/send-kills.sh`
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/faults/kills/send-kills.ts

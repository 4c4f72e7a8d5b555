#!/usr/bin/env bash
# On every second day (CI_SHARE) runs the commands by their short name, from another folder, on real terminals and in bash,
# zsh and fish. See command-line.ts.
set -u
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
in_share 2 || exit 0

source test/support/runner/debian-packages.sh
if ! command -v zsh >/dev/null || ! command -v fish >/dev/null || ! command -v script >/dev/null; then
  debian_packages zsh fish bsdutils || {
    echo 'zsh, fish or script are missing and could not be installed.'
    echo '0 passed, 1 failed'
    exit 1
  }
fi
exec node host-worker/launch/run.mjs test/ci/operator/command-line.ts

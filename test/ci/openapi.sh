#!/usr/bin/env bash
# The contract document under redocly's recommended-strict and Spectral's spectral:oas. See openapi.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/openapi.ts

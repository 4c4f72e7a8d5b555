#!/usr/bin/env bash
# Lints the contract document by redocly's recommended-strict and Spectral's spectral:oas. See openapi.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/openapi/openapi.ts

#!/usr/bin/env bash
# Runs and checks a matrix product in every pair of access patterns; one JSON object a line on standard output.
# Usage: pattern_pairs.sh TEXELSCOPE DEVICE SHAPE [REST-OF-CONFIGURATION]
# e.g.   pattern_pairs.sh build/portable/bin/texelscope NVIDIA 1024,1024,1024 "T=8x8;W=8x4;G=16x16x1"
set -euo pipefail
if [[ $# -lt 3 || $# -gt 4 ]]; then
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
fi
texelscope=$1 device=$2 shape=$3 rest=${4:-T=4x4;W=8x8;G=8x8x1}
failures=0
for a in column row block2 block4 block8; do
    for b in column row block2 block4 block8; do
        "$texelscope" run --op matmul --shape "$shape" --config "A=$a,$b;$rest" --on "$device" --samples 15 --warm-up 5 \
            --json | tr -d '\n' | tr -s ' ' || failures=$((failures + 1))
        echo
    done
done
if [[ $failures -gt 0 ]]; then
    echo "pattern_pairs.sh: $failures of 25 runs failed or gave a wrong product" >&2
    exit 1
fi

#!/usr/bin/env bash
# Measures kernels of eight operators and shapes over all parts of a schedule, at random and by the model's first, into a result
# store; what the store has is not measured again. None of the shapes is among those of tune_shapes.sh.
# Usage: tune_parts.sh TEXELSCOPE PROFILE DEVICE STORE [RANDOM]
# e.g.   tune_parts.sh build/portable/bin/texelscope nvidia-h100 NVIDIA parts.sqlite 120
set -euo pipefail
if [[ $# -lt 4 || $# -gt 5 ]]; then
    sed -n '4,5s/^# //p' "$0" >&2
    exit 2
fi
texelscope=$1 profile=$2 device=$3 store=$4 random=${5:-120}
shapes="
    matmul 384,384,384
    matmul 640,768,512
    matmul 1,1024,4096
    conv2d 1,28,28,96,96,3,3,1
    conv2d 1,56,56,48,64,1,1,1
    dwconv2d 1,56,56,96,3,3,1
    softmax 2048,768
    layernorm 2048,768
"
failures=0
while read -r op shape; do
    [[ -n $op ]] || continue
    for search in "random --parts all --budget $random" "shortlist --budget 24"; do
        # shellcheck disable=SC2086
        "$texelscope" tune --op "$op" --shape "$shape" --device "$profile" --on "$device" --strategy $search \
            --samples 7 --seed 3 --time 45 --store "$store" --top 1 < /dev/null || failures=$((failures + 1))
    done
done <<< "$shapes"
if [[ $failures -gt 0 ]]; then
    echo "tune_parts.sh: $failures searches failed" >&2
    exit 1
fi

#!/usr/bin/env bash
# Measures kernels of sixteen operators and shapes densely, 300 to 700 each: the model's first 192, then at random over all parts,
# then by a learned search; all shapes side by side. What the stores have is not measured again.
# Usage: tune_dense.sh TEXELSCOPE PROFILE DEVICE FOLDER [SECONDS]
# e.g.   tune_dense.sh build/portable/bin/texelscope nvidia-h200 NVIDIA dense 900
set -euo pipefail
if [[ $# -lt 4 || $# -gt 5 ]]; then
    sed -n '4,5s/^# //p' "$0" >&2
    exit 2
fi
texelscope=$1 profile=$2 device=$3 folder=$4 seconds=${5:-900}
shapes="
    matmul 192,256,320
    matmul 448,704,576
    matmul 1,768,2048
    conv2d 1,24,24,48,64,3,3,1
    conv2d 1,48,48,96,96,3,3,1
    conv2d 1,40,40,128,160,1,1,1
    dwconv2d 1,40,40,80,3,3,1
    dwconv2d 2,96,96,144,5,5,1
    deconv2d 1,20,20,48,48,3,3,2
    deconv2d 1,40,40,96,64,3,3,2
    conv3d 1,8,20,20,16,24,3,3,3,1
    conv3d 1,8,24,24,48,32,3,3,3,1
    softmax 768,384
    softmax 6144,1536
    layernorm 640,896
    layernorm 8192,768
"
mkdir -p "$folder"
measure() {
    local op=$1 shape=$2 store="$folder/$1-${2//,/-}.sqlite" end=$((SECONDS + seconds)) left
    for search in "shortlist --budget 192" "random --parts all --budget 320 --seed 5" "learned --budget 192 --seed 1"; do
        left=$((end - SECONDS))
        [[ $left -gt 3 ]] || break
        # shellcheck disable=SC2086
        "$texelscope" tune --op "$op" --shape "$shape" --device "$profile" --on "$device" --strategy $search \
            --samples 9 --time $left --store "$store" --top 1 --quiet < /dev/null > /dev/null ||
            echo "tune_dense.sh: $op $shape: $search failed" >&2
    done
}
while read -r op shape; do
    [[ -n $op ]] || continue
    measure "$op" "$shape" &
done <<< "$shapes"
wait
"$texelscope" results merge "$folder/all.sqlite" "$folder"/*-*.sqlite
"$texelscope" results export "$folder/all.sqlite" --csv "$folder/all.csv"

#!/usr/bin/env bash
# Measures kernels of seven operators in 84 shapes, 128 or so configurations each, at random and by the bottleneck model, into a
# result store; what the store has is not measured again, so it can be stopped and started as often as wanted.
# Usage: tune_shapes.sh TEXELSCOPE PROFILE DEVICE STORE [small | large]
# e.g.   tune_shapes.sh build/portable/bin/texelscope nvidia-h200 NVIDIA h200.sqlite
set -euo pipefail
if [[ $# -lt 4 || $# -gt 5 ]]; then
    sed -n '4,5s/^# //p' "$0" >&2
    exit 2
fi
texelscope=$1 profile=$2 device=$3 store=$4 which=${5:-all}
small="
    conv2d 1,112,112,16,32,3,3,2
    conv2d 1,14,14,128,128,3,3,1
    conv2d 1,16,16,64,64,7,7,1
    conv2d 1,28,28,64,128,3,3,2
    conv2d 1,28,28,64,64,3,3,1
    conv2d 1,32,32,32,64,5,5,1
    conv2d 1,32,32,64,64,7,7,2
    conv2d 1,56,56,32,32,3,3,1
    conv2d 1,56,56,64,64,3,3,2
    conv2d 1,64,64,32,32,5,5,2
    conv3d 1,16,16,16,8,16,3,3,3,1
    conv3d 1,4,28,28,16,32,3,3,3,1
    conv3d 1,8,14,14,32,32,3,3,3,1
    conv3d 1,8,16,16,16,16,3,3,3,1
    conv3d 1,8,32,32,8,8,3,3,3,1
    deconv2d 1,14,14,64,32,7,7,1
    deconv2d 1,14,14,64,32,7,7,2
    deconv2d 1,16,16,64,64,3,3,1
    deconv2d 1,16,16,64,64,3,3,2
    deconv2d 1,28,28,32,32,3,3,1
    deconv2d 1,28,28,32,32,3,3,2
    deconv2d 1,32,32,32,16,5,5,1
    deconv2d 1,32,32,32,16,5,5,2
    deconv2d 1,56,56,16,16,3,3,1
    deconv2d 1,56,56,16,16,3,3,2
    dwconv2d 1,112,112,32,3,3,1
    dwconv2d 1,28,28,128,5,5,1
    dwconv2d 1,56,56,64,3,3,1
    dwconv2d 1,64,64,64,7,7,1
    dwconv2d 4,56,56,64,3,3,1
    layernorm 1024,1024
    layernorm 256,256
    layernorm 4096,256
    layernorm 512,2048
    layernorm 64,4096
    matmul 1024,256,512
    matmul 128,128,128
    matmul 256,256,256
    matmul 512,512,512
    matmul 64,1024,256
    softmax 1024,1024
    softmax 256,256
    softmax 4096,256
    softmax 512,2048
    softmax 64,4096
"
large="
    conv2d 1,112,112,32,64,3,3,1
    conv2d 1,112,112,64,128,3,3,2
    conv2d 1,128,128,16,64,7,7,2
    conv2d 1,14,14,256,256,3,3,1
    conv2d 1,28,28,128,128,3,3,1
    conv2d 1,28,28,256,256,3,3,2
    conv2d 1,56,56,128,128,3,3,2
    conv2d 1,56,56,64,64,3,3,1
    conv2d 1,64,64,64,128,5,5,2
    conv2d 1,64,64,64,64,5,5,1
    conv3d 1,16,28,28,16,32,3,3,3,1
    conv3d 1,16,32,32,16,16,3,3,3,1
    conv3d 1,4,56,56,16,32,3,3,3,1
    conv3d 1,8,14,14,64,64,3,3,3,1
    conv3d 1,8,28,28,32,32,3,3,3,1
    deconv2d 1,14,14,128,128,7,7,2
    deconv2d 1,14,14,256,128,3,3,1
    deconv2d 1,16,16,256,128,3,3,2
    deconv2d 1,28,28,128,64,3,3,1
    deconv2d 1,28,28,128,64,3,3,2
    deconv2d 1,32,32,128,64,5,5,2
    deconv2d 1,32,32,64,64,5,5,1
    deconv2d 1,56,56,64,32,3,3,1
    deconv2d 1,64,64,32,32,3,3,2
    deconv2d 1,64,64,32,32,7,7,1
    dwconv2d 1,112,112,96,3,3,1
    dwconv2d 1,224,224,64,3,3,1
    dwconv2d 2,64,64,256,7,7,1
    dwconv2d 4,56,56,128,3,3,1
    dwconv2d 8,28,28,256,5,5,1
    layernorm 16384,512
    layernorm 2048,2048
    layernorm 4096,1024
    matmul 1024,1024,1024
    matmul 128,2048,1024
    matmul 2048,512,1024
    softmax 16384,512
    softmax 2048,2048
    softmax 4096,1024
"
case $which in
    small) shapes=$small ;;
    large) shapes=$large ;;
    all) shapes=$small$large ;;
    *) echo "tune_shapes.sh: '$which' is neither small nor large" >&2; exit 2 ;;
esac
failures=0
while read -r op shape; do
    [[ -n $op ]] || continue
    for search in "random --budget 104" "shortlist --budget 24"; do
        # shellcheck disable=SC2086
        "$texelscope" tune --op "$op" --shape "$shape" --device "$profile" --on "$device" --strategy $search \
            --samples 7 --seed 3 --store "$store" --top 1 < /dev/null || failures=$((failures + 1))
    done
done <<< "$shapes"
if [[ $failures -gt 0 ]]; then
    echo "tune_shapes.sh: $failures searches failed" >&2
    exit 1
fi

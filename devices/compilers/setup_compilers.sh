# setup_compilers.sh STEP FAMILY FOLDER [PROGRAM]: brings Mesa's OpenCL compilers into FOLDER, step by step: index, download, unpack,
# program. FAMILY: adreno, or mali, whose driver Debian builds for 64-bit ARM alone and which runs under qemu. Packages are those
# of the Debian release after 12, with backports; apt checks their signatures. Nothing outside of FOLDER changes.
set -eu
step=$1 family=$2 folder=$3
[ "$family" = adreno ] && arch=amd64 || arch=arm64
apt=$folder/apt-$arch root=$folder/$arch key=/usr/share/keyrings/debian-archive-keyring.gpg
export APT_CONFIG=$apt/apt.conf LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
packages="mesa-opencl-icd mesa-drm-shim ocl-icd-libopencl1 libstdc++6"
[ "$family" = adreno ] || packages="$packages opencl-c-headers tcc libc6-dev"

fail() { echo "$1" >&2; exit 3; }

prepare() { # a configuration of apt that knows nothing of this system's packages; $1: architecture
    local at=$folder/apt-$1 mirror suite
    command -v apt-get > /dev/null || fail "there is no apt-get: Debian's packages cannot be fetched"
    command -v dpkg-deb > /dev/null || fail "there is no dpkg-deb to unpack Debian's packages with"
    [ -e "$key" ] || fail "there is no $key to check signatures with: install debian-archive-keyring"
    mirror=$(env -u APT_CONFIG apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2> /dev/null |
        grep -v security | grep debian | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
    mkdir -p "$at"/etc/apt/{apt.conf.d,preferences.d,trusted.gpg.d} "$at"/var/lib/{dpkg,apt/lists/partial} \
        "$at"/var/cache/apt/archives/partial
    : > "$at/var/lib/dpkg/status"
    for suite in trixie trixie-backports; do
        echo "deb [signed-by=$key] ${mirror:-http://deb.debian.org/debian} $suite main"
    done > "$at/etc/apt/sources.list"
    cp /etc/apt/apt.conf.d/*proxy* "$at/etc/apt/apt.conf.d/" 2> /dev/null || :
    cat > "$at/apt.conf" <<CONFIG
Dir "$at/";
Dir::State::status "$at/var/lib/dpkg/status";
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
CONFIG
}

unpack() { dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$root"; }

case $step in
index)
    prepare "$arch"
    apt-get update -qq
    if [ "$family" = mali ]; then
        prepare amd64
        APT_CONFIG=$folder/apt-amd64/apt.conf apt-get update -qq
    fi ;;
download)
    apt-get install -qq -y --download-only -t trixie-backports $packages
    if [ "$family" = mali ]; then
        cd "$folder/apt-amd64/var/cache/apt/archives"
        APT_CONFIG=$folder/apt-amd64/apt.conf apt-get download -qq qemu-user
    fi ;;
unpack)
    rm -rf "$root"
    mkdir -p "$root"/usr/{bin,lib,sbin,lib64} "$root"/{kit,dev,tmp}
    for link in bin lib sbin lib64; do ln -s "usr/$link" "$root/$link"; done # merged /usr
    for package in "$apt"/var/cache/apt/archives/*.deb; do
        case $package in */qemu-user_*) ;; *) unpack "$package" ;; esac
    done
    dpkg-deb --field "$apt"/var/cache/apt/archives/mesa-opencl-icd_*.deb Version > "$root/kit/version"
    # The stand-in for the hardware opens it; without privileges it is a file.
    mknod -m 666 "$root/dev/null" c 1 3 2> /dev/null || : > "$root/dev/null"
    if [ "$family" = mali ]; then
        dpkg-deb --fsys-tarfile "$folder"/apt-amd64/var/cache/apt/archives/qemu-user_*.deb |
            tar -x -C "$root/kit" --strip-components=3 ./usr/bin/qemu-aarch64
    fi ;;
program)
    cp "$4" "$root/kit/"
    [ "$(id -u)" = 0 ] && enter="chroot" || enter="unshare -r chroot"
    if [ "$family" = mali ]; then
        $enter "$root" /kit/qemu-aarch64 /usr/bin/tcc -w -rdynamic -o /kit/texelscope-build-kernel /kit/build_kernel.c -ldl
    fi
    rm -rf "$apt/var/cache/apt/archives" "$folder"/apt-amd64/var/cache/apt/archives/qemu-user_*.deb
    du -sb "$root" | cut -f 1 > "$root/kit/bytes" ;;
esac

# Shared by ./demo and ./check: says what goes on, keeps logs, installs what is missing.
# Sourced by bash with `root` set to the directory of the project; the caller runs under `set -euo pipefail`.

logs="$root/build/logs"

# die LINE: one line on what went wrong, then the end.
die() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit "${2:-1}"
}

say() { printf '==> %s\n' "$1"; }

# step NAME LINE COMMAND...: runs a command with its output in build/logs/NAME.log; where it fails, says so in one line.
step() {
    local name=$1 line=$2 from=$SECONDS
    shift 2
    mkdir -p "$logs" || die "cannot write to $root/build"
    if ! "$@" > "$logs/$name.log" 2>&1 < /dev/null; then
        if [[ -n ${show_log_on_failure:-} ]]; then tail -n 60 "$logs/$name.log" >&2; fi
        die "$line failed after $((SECONDS - from)) s; log: $logs/$name.log"
    fi
}

# The packages of packages.txt, and of the array extra_packages, that are not installed, one a line.
missing_packages() {
    local wanted installed
    wanted=$({ sed 's/#.*//' "$root/packages.txt"; printf '%s\n' "${extra_packages[@]:-}"; } | tr -s ' \t\n' '\n' | sed '/^$/d' | sort -u)
    # dpkg-query fails where it does not know a name; those it knows are still listed.
    installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2> /dev/null | sed -n 's/^.i  *//p' | sort -u || true)
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed")
}

apt_install() {
    # Lists that cannot be refreshed may still be good enough, so only the installation decides.
    "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update || echo "apt-get update failed; going on with the lists at hand"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
        -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
        install --no-install-recommends "$@"
}

# Installs what packages.txt names and this machine lacks; silent where nothing is missing.
set_up() {
    if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
        say "not a Debian system: packages.txt names what has to be there; going on without installing anything"
        return
    fi
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    if [[ ${#missing[@]} -eq 0 ]]; then return; fi
    if [[ $EUID -ne 0 ]]; then
        local by_hand="run as root: apt-get install --no-install-recommends ${missing[*]}"
        command -v sudo > /dev/null || die "missing packages (${#missing[@]}), and neither root nor sudo is there to install them; $by_hand"
        as_root=(sudo -n)
        if ! sudo -n true 2> /dev/null; then
            { [[ -t 0 ]] && sudo -v; } || die "missing packages (${#missing[@]}), and sudo wants a password; $by_hand"
        fi
    fi
    say "installing missing packages (${#missing[@]}; log: $logs/setup.log)"
    step setup "installing packages" apt_install "${missing[@]}"
}

# Says every half minute how far the build is whose log that is.
follow_build() {
    local step
    while true; do
        read -r -t 30 <> <(:) || true # waits without a process of its own, which would outlive this one
        step=$(grep -aoE '^\[[0-9]+/[0-9]+\]' "$1" | tail -n 1 || true)
        if [[ -n $step ]]; then printf '    %s\n' "$step"; fi
    done
}

# build PRESET [TARGET...]: configures and builds build/PRESET.
build() {
    local preset=$1 from=$SECONDS follower
    shift
    say "configuring and building build/$preset (log: $logs/build-$preset.log)"
    cd "$root"
    step "configure-$preset" "configuring build/$preset" cmake --preset "$preset"
    if [[ $# -eq 0 ]]; then sed -n 's/^-- Texelscope: /    /p' "$logs/configure-$preset.log"; fi
    follow_build "$logs/build-$preset.log" &
    follower=$!
    trap "kill $follower" EXIT
    step "build-$preset" "building build/$preset" cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}
    kill "$follower"
    trap - EXIT
    say "built in $((SECONDS - from)) s"
}

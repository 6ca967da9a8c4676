#!/usr/bin/env bash
# Drives the real program as a user would, by mouse and keyboard: end_to_end.sh PROGRAM FOLDER
# Each step is judged by what it leaves behind: a file, the window's title, another picture. FOLDER gets a picture of each step
# and the files. QT_SCALE_FACTOR is honoured: the screen grows with it. END_TO_END_LIMIT: seconds that a step may take.
set -uo pipefail

program=$(realpath -- "$1")
folder=$(realpath -m -- "$2")
limit=${END_TO_END_LIMIT:-40}
scale=${QT_SCALE_FACTOR:-1}

number=0
step="set up"

# ---------------------------------------------------------------------------------------------------------- the machinery

# begin NAME: what the next checks are about.
begin() {
    step=$1
    number=$((number + 1))
}

picture() { import -silent -window root "$1"; }

# done_with: keeps the picture of a step.
done_with() { picture "$folder/$(printf '%02d' "$number")-${step// /-}.png"; }

fail() {
    printf 'end_to_end: step %d, %s: %s\n' "$number" "$step" "$1" >&2
    picture "$folder/failed.png" 2> /dev/null
    tail -n 5 "$folder/program.log" >&2
    exit 1
}

# until_true LINE COMMAND...: tries the command until it succeeds; after the limit, fails with the line.
until_true() {
    local line=$1 end=$((SECONDS + limit))
    shift
    until "$@"; do
        [[ $SECONDS -lt $end ]] || fail "$line within $limit s"
        kill -0 "$program_id" 2> /dev/null || fail "the program has ended"
        sleep 0.1
    done
}

# A window whose title contains a text.
window() { xdotool search --onlyvisible --name "$1" 2> /dev/null | tail -n 1; }
has_window() { [[ -n $(window "$1") ]]; }
has_no_window() { ! has_window "$1"; }
title_contains() { [[ $(xdotool getwindowname "$main" 2> /dev/null) == *"$1"* ]]; }

keys() { xdotool key --clearmodifiers --delay 30 "$@"; }
write() { xdotool type --delay 3 "$1"; }

# point X Y: the mouse to a place of the main window, in thousandths of its size.
point() { xdotool mousemove --window "$main" $((width * $1 / 1000)) $((height * $2 / 1000)); }
click() { point "$1" "$2" && xdotool click 1; }

# part X Y WIDTH HEIGHT FILE: a picture of a part of the main window, in thousandths of its size.
part() {
    import -silent -window "$main" -crop \
        "$((width * $3 / 1000))x$((height * $4 / 1000))+$((width * $1 / 1000))+$((height * $2 / 1000))" +repage "$5"
}
heat_map() { part 180 60 475 580 "$1"; } # with the playback below it
right_dock() { part 740 60 255 900 "$1"; }
bottom_dock() { part 260 640 460 320 "$1"; }

# differs PART FILE: the part of the window no longer looks as it does in the file.
differs() {
    "$1" "$folder/now.png" || return 1
    ! compare -metric AE "$2" "$folder/now.png" null: 2> /dev/null
}
# rests PART: the part looks the same twice. A slow program is given longer to change it.
rests() {
    "$1" "$folder/now.png" && sleep $(((limit - 40) / 100)).3 && ! differs "$1" "$folder/now.png.before" 2> /dev/null
    local same=$?
    cp "$folder/now.png" "$folder/now.png.before"
    return $same
}

# in_dialog TITLE PATH: writes a path into a file dialog that has just been asked for.
in_dialog() {
    until_true "the dialog '$1' did not open" has_window "$1"
    xdotool windowfocus --sync "$(window "$1")"
    keys ctrl+a
    write "$2"
    keys Return
    until_true "the dialog '$1' did not close" has_no_window "$1"
    xdotool windowfocus --sync "$main"
}

# launch ARGUMENT...: starts the program, which shows its start page.
launch() {
    "$program" "$@" >> "$folder/program.log" 2>&1 &
    program_id=$!
    until_true "no window appeared" has_window Texelscope
    main=$(window Texelscope)
    xdotool windowfocus --sync "$main"
    eval "$(xdotool getwindowgeometry --shell "$main" | sed -n 's/^WIDTH=/width=/p; s/^HEIGHT=/height=/p')"
}

# quit: by the keyboard; the program must end well.
quit() {
    keys ctrl+q
    local end=$((SECONDS + limit))
    while kill -0 "$program_id" 2> /dev/null; do
        [[ $SECONDS -lt $end ]] || fail "the program did not end within $limit s"
        sleep 0.1
    done
    wait "$program_id" || fail "the program ended with $?"
}

for tool in Xvfb xdotool import compare identify; do
    command -v "$tool" > /dev/null || fail "there is no $tool; install xvfb, xdotool and imagemagick"
done
rm -rf "$folder"
mkdir -p "$folder/config" "$folder/kernels" "$folder/runtime"
chmod 700 "$folder/runtime"
pixels() { awk -v n="$1" -v s="$scale" 'BEGIN { printf "%d", n * s }'; }
mkfifo "$folder/display"
Xvfb -displayfd 5 -screen 0 "$(pixels 1600)x$(pixels 1000)x24" -nolisten tcp -noreset 5> "$folder/display" 2> "$folder/xvfb.log" &
xvfb_id=$!
program_id=
trap 'kill $program_id $xvfb_id 2> /dev/null' EXIT
read -r -t "$limit" display < "$folder/display" || fail "Xvfb did not start: $(tail -n 1 "$folder/xvfb.log")"
rm "$folder/display"
export DISPLAY=:$display XDG_CONFIG_HOME="$folder/config" XDG_RUNTIME_DIR="$folder/runtime"
export POCL_CACHE_DIR="$folder/kernels" # of its own, so that a kernel that was built leaves something
unset QT_QPA_PLATFORM WAYLAND_DISPLAY XDG_CURRENT_DESKTOP QT_QPA_PLATFORMTHEME # Qt's own dialogs

# -------------------------------------------------------------------------------------------------------------- the steps

cat > "$folder/study.xml" << 'XML'
<study>
    <operator name="matmul" shape="16,16,16"/>
    <configuration>A=row,row;T=4x4;W=8x8;G=8x8x1</configuration>
    <device name="adreno-740"/>
    <set key="l1.capacity">2048</set>
    <seed>3</seed>
</study>
XML

begin "take the tour"
launch
until_true "the start page did not come to rest" rests picture
done_with
keys Return # its button has the keyboard
until_true "the tour's study was not shown" title_contains "–"
for stop in 2 3 4 5; do
    until_true "the window did not come to rest" rests picture
    picture "$folder/before.png"
    keys Right
    until_true "the tour did not go on to its step $stop" differs picture "$folder/before.png"
done
done_with
picture "$folder/before.png"
keys Escape
until_true "the tour did not end" differs picture "$folder/before.png"

begin "look up a quantity"
keys ctrl+2 F1
until_true "the quantities did not open" has_window Quantities
xdotool windowfocus --sync "$(window Quantities)"
write confidence
done_with
keys Escape
until_true "the quantities did not close" has_no_window Quantities
xdotool windowfocus --sync "$main"

begin "open a study"
keys ctrl+o
in_dialog "Open a study" "$folder/study.xml"
until_true "the study was not shown" title_contains "matmul 16,16,16"
done_with

begin "run it"
keys ctrl+1
keys F5
until_true "the study was not shown" title_contains "A=row,row;T=4x4;W=8x8;G=8x8x1"
done_with

begin "zoom the heat map"
until_true "the heat map did not come to rest" rests heat_map
heat_map "$folder/before.png"
point 480 330
for _ in 1 2 3 4; do xdotool click 4; done
until_true "the wheel did not zoom" differs heat_map "$folder/before.png"
done_with

begin "step the playback"
keys ctrl+0
heat_map "$folder/before.png"
keys space
until_true "the playback did not play" differs heat_map "$folder/before.png"
until_true "the playback did not come to its end" rests heat_map
keys period period # a slow program may still be at the first access, from which there is no way back
until_true "the playback did not come to rest" rests heat_map
heat_map "$folder/before.png"
keys comma
until_true "the playback did not step back" differs heat_map "$folder/before.png"
done_with

begin "choose a configuration"
before=$(xdotool getwindowname "$main")
until_true "the ranking did not come to its end" rests bottom_dock
keys ctrl+5 # the filter has the keyboard
write "a=block2,block2 m=image,image" # a buffer has no heat map; images of one size have a difference
until_true "the filter did not come to its end" rests bottom_dock
keys Tab ctrl+Home Down Return
title_changed() { [[ $(xdotool getwindowname "$main") != "$before" ]]; }
until_true "the configuration of the ranking's second row did not run" title_changed
done_with

begin "see its kernel"
right_dock "$folder/before.png"
keys ctrl+3
until_true "the kernel did not come to the front" differs right_dock "$folder/before.png"
done_with

begin "run the kernel"
right_dock "$folder/before.png"
keys F6
until_true "the kernel's dock shows no run" differs right_dock "$folder/before.png"
kernel_built() { [[ -n $(find "$folder/kernels" -name '*.so' -print -quit) ]]; }
until_true "PoCL built no kernel" kernel_built
until_true "the run did not end" rests right_dock
done_with

begin "run the kernel by an agent"
right_dock "$folder/before.png"
keys ctrl+3 ctrl+a
write "agent:"
keys F6
until_true "the kernel's dock shows no run by an agent" differs right_dock "$folder/before.png"
until_true "the agent's run did not end" rests right_dock
done_with

begin "cross-check, by an agent"
keys ctrl+9 ctrl+a
write 4
keys Tab ctrl+a
write "agent:"
keys Tab # for later keys not to be typed there
bottom_dock "$folder/before.png"
keys F7
until_true "the cross-check's dock shows no run" differs bottom_dock "$folder/before.png"
# Its table can be exported once it is there; until then, the button is disabled and takes no key.
export_crosscheck() {
    keys alt+x && sleep 0.5 && has_window "Export the cross-check"
}
until_true "the cross-check's table cannot be exported" export_crosscheck
in_dialog "Export the cross-check" "$folder/crosscheck.csv"
until_true "crosscheck.csv was not written" test -s "$folder/crosscheck.csv"
[[ $(wc -l < "$folder/crosscheck.csv") -eq 5 ]] || fail "crosscheck.csv has not a heading and 4 configurations"
[[ $(grep -c ',passed$' "$folder/crosscheck.csv") -eq 4 ]] || fail "not all outputs of crosscheck.csv passed"
done_with

begin "compare A and B"
before=$(xdotool getwindowname "$main")
heat_map "$folder/before.png"
keys ctrl+b
until_true "nothing was kept as B" differs heat_map "$folder/before.png"
keys ctrl+5 ctrl+Home Down Down Return # the table had the keyboard last
until_true "the configuration of the ranking's third row did not run" title_changed
until_true "the heat map did not come to rest" rests heat_map
heat_map "$folder/before.png"
keys alt+3
until_true "the difference of A and B was not shown" differs heat_map "$folder/before.png"
done_with
keys alt+1 ctrl+shift+b
swapped() { [[ $(xdotool getwindowname "$main") == "$before" ]]; }
until_true "A and B were not swapped" swapped

begin "export the heat map"
keys ctrl+0 ctrl+e
in_dialog "Export heat map" "$folder/heatmap.png"
until_true "heatmap.png was not written" test -s "$folder/heatmap.png"
[[ $(identify -format '%m' "$folder/heatmap.png") == PNG ]] || fail "heatmap.png is no PNG file"
done_with

begin "export the ranking"
keys ctrl+shift+e
in_dialog "Export ranking" "$folder/ranking.csv"
until_true "ranking.csv was not written" test -s "$folder/ranking.csv"
head -n 1 "$folder/ranking.csv" | grep -q '^rank,configuration,' || fail "ranking.csv has no heading"
second=$(sed -n '3s/^[0-9]*,"\([^"]*\)",.*/\1/p' "$folder/ranking.csv")
title_contains "$second" || fail "the study's configuration is not the ranking's second, $second"
done_with

begin "save the study"
keys ctrl+shift+s
in_dialog "Save the study" "$folder/saved.xml"
until_true "saved.xml was not written" test -s "$folder/saved.xml"
grep -qF "<configuration>$second</configuration>" "$folder/saved.xml" || fail "saved.xml lacks the chosen configuration"
done_with

begin "close and open again"
before=$(xdotool getwindowname "$main")
quit
launch
until_true "the start page did not come to rest" rests picture
picture "$folder/before.png"
keys Return # its first card goes on with the study
until_true "no study was shown" title_contains "–"
[[ $(xdotool getwindowname "$main") == "$before" ]] || fail "another study came back: $(xdotool getwindowname "$main")"
keys ctrl+shift+s
in_dialog "Save the study" "$folder/again.xml"
until_true "again.xml was not written" test -s "$folder/again.xml"
cmp -s "$folder/saved.xml" "$folder/again.xml" || fail "the study that came back differs: saved.xml, again.xml"
done_with
quit
rm -f "$folder"/now.png* "$folder/before.png"

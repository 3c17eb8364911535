# Shared by the experiments; to be read with `.` from a script that has set $here.
# shellcheck shell=sh disable=SC2154

# The programs come first in PATH, so that a pipeline reads as it is explained; the system's own
# diff is out of reach inside these scripts, and not used.
for programs in "$here" "$here/../target/release"; do
    [ -x "$programs/summarize" ] && break
done
if [ ! -x "$programs/summarize" ]; then
    echo "${0##*/}: writelog's programs are not built; run: make build" >&2
    exit 1
fi
PATH=$programs:$PATH
export PATH

say() {
    printf '%s\n' "$*" >&2
}

# A command of ours as the user can type it: the launcher where it is installed, else the one here.
launcher=writelog
[ ! -x "$here/writelog" ] || launcher=$here/writelog

# A word as it must be typed, should it hold a blank.
quoted() {
    case $1 in
        *[!A-Za-z0-9_./,:+-]* | '') printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
        *) printf '%s' "$1" ;;
    esac
}

upper() {
    printf '%s' "$1" | tr '[:lower:]' '[:upper:]'
}

whole_number() { # NAME VALUE [NAME VALUE…]
    while [ $# -gt 1 ]; do
        case $2 in
            '' | *[!0-9]* | 0*)
                say "${0##*/}: $1 is '$2'; it takes a whole number from 1"
                exit 2
                ;;
        esac
        shift 2
    done
}

one_of() { # NAME VALUE CHOICE…
    name=$1
    value=$2
    shift 2
    for choice in "$@"; do
        [ "$value" != "$choice" ] || return 0
    done
    say "${0##*/}: $name is '$value'; it takes one of: $*"
    exit 2
}

# The file of an experiment's published figures, in a checkout or where it is installed.
published() { # EXPERIMENT
    for fixtures in "$here/../fixtures" "$here/fixtures"; do
        [ ! -f "$fixtures/$1/published.json" ] || break
    done
    printf '%s' "$fixtures/$1/published.json"
}

# An interrupt ends the round that runs, in order (the programs write what they measured); then
# the script stops. Finished rounds stay where they are.
interrupted=0
trap 'interrupted=1' INT TERM
trap 'status=$?; trap - EXIT; stopped "$status"' EXIT

stopped() { # STATUS
    status=$1
    # A second Ctrl-C must not keep what was changed from being put back.
    trap '' INT TERM
    put_back || :
    # What an interrupt broke off is an interrupt, whichever program noticed it.
    [ "$interrupted" -eq 0 ] || [ "$status" -eq 0 ] || status=130
    at_exit "$status"
    exit "$status"
}

# Runs a command that a Ctrl-C in the terminal does not reach.
undisturbed() { # COMMAND…
    (
        trap '' INT TERM
        # shellcheck disable=SC2046 # nothing where there is no setsid
        exec $(command -v setsid) "$@"
    )
}

# What must be undone however a script ends; nothing, unless it changed something that outlives it.
put_back() {
    [ -n "${durability_of-}" ] || return 0
    database=$durability_of
    durability_of=
    say "putting the delayed durability of $database back"
    undisturbed setup-db -d "$database" --no-table --delayed-durability before \
        --list-delayed-durability >>"$stream" || say "it could not be put back; to do so later:" \
        "$(quoted "$launcher") setup-db -d $(quoted "$database") --no-table --delayed-durability before"
}

# From here on put_back sets the database's delayed durability to what it was before; setup-db
# remembers that in the database itself.
put_back_delayed_durability() { # DATABASE
    durability_of=$1
}

at_exit() { # STATUS
    [ "$1" -ne 0 ] && [ -n "${stream-}" ] && [ -s "$stream" ] || return 0
    say "${0##*/}: stopped (exit code $1); the records are in $stream"
    say "  to go on where it stopped: RESUME=1, RESULTS=$(quoted "$RESULTS") and the same command"
    if written round; then
        say "  to see the rounds: $(quoted "$launcher") summarize <$(quoted "$stream")"
    fi
    # A server that with-labdb started takes its databases with it; one of the user's own stays.
    if written setup && [ -z "${WRITELOG_PASSING_SERVER-}${ADOPT-}" ]; then
        for left in ${DATABASES:-"$DATABASE"}; do
            say "  to drop the database, which was left: $(quoted "$launcher") setup-db -d $(quoted "$left") --drop"
        done
    fi
}

written() { # KIND
    grep -q "^{\"kind\":\"$1\"" "$stream"
}

stop_if_interrupted() {
    [ "$interrupted" -eq 0 ] || exit 130
}

# The variables that say what a series is. RESUME=1 takes from RESULTS what the series was begun
# with; another value for one of them would make it another series.
resume_settings() { # FOLDER NAME…
    one_of RESUME "${RESUME:=0}" 0 1
    [ "$RESUME" = 1 ] || return 0
    if [ ! -f "$1/settings" ] || [ ! -f "$1/stream.jsonl" ]; then
        say "${0##*/}: RESUME=1, but there is no series in $1 to go on with; leave RESUME out to begin one"
        exit 2
    fi
    settings=$1/settings
    shift
    for name in "$@"; do
        saved=$(sed -n "s/^$name=//p" "$settings")
        eval "given=\${$name-}"
        if [ -n "$given" ] && [ "$given" != "$saved" ]; then
            say "${0##*/}: RESUME=1, but $name is '$given' and the series was begun with '$saved'; leave $name out, or begin a new series"
            exit 2
        fi
        eval "$name=\$saved"
    done
}

# A round that was broken off may leave errors, and a line that was cut off. The round is run again,
# so they say nothing about the series any more: they go to a file beside the stream.
take_out_errors() { # FOLDER
    whole=$(wc -l <"$1/stream.jsonl")
    awk -v whole="$whole" -v errors="$1/errors.jsonl" '
        NR > whole || /^\{"kind":"error"/ { print >>errors; next }
        { print }
    ' "$1/stream.jsonl" >"$1/stream.jsonl.new"
    mv "$1/stream.jsonl.new" "$1/stream.jsonl"
}

# A results folder for a new series: what stood there is moved aside, never overwritten. A series
# that goes on keeps its own.
prepare_results() { # FOLDER NAME…
    results=$1
    if [ "$RESUME" = 1 ]; then
        take_out_errors "$results"
        return 0
    fi
    shift
    if [ -e "$results/stream.jsonl" ]; then
        number=1
        while [ -e "$results.$number" ]; do number=$((number + 1)); done
        mv "$results" "$results.$number"
        say "the results that were in $results are in $results.$number now"
    fi
    mkdir -p "$results"
    for name in "$@"; do
        eval "printf '%s=%s\n' \"$name\" \"\$$name\""
    done >"$results/settings"
    : >"$results/stream.jsonl"
}

# Whether a round is in the stream already and counts.
finished() { # EXPERIMENT ROUND BLOCK SLOT
    grep '^{"kind":"round"' "$stream" | grep -F "\"experiment\":\"$1\"" |
        grep -F "\"round\":$2,\"block\":$3,\"slot\":$4," | grep -qF '"validity":"valid"' || {
        # An interrupt ends a grep too: that does not say that the round is missing.
        stop_if_interrupted
        return 1
    }
}

# A round that was measured but cannot be trusted stays in the stream, marked, and the series goes
# on; summarize sets it aside. Any other failure ends the series.
set_aside=0
keep_invalid_round() { # STATUS
    [ "$1" -eq 8 ] || return "$1"
    set_aside=$((set_aside + 1))
}

# The last step: a series with rounds that cannot be trusted is complete, and says so with 8.
end_series() {
    [ "$set_aside" -ne 0 ] || return 0
    say "${0##*/}: rounds that cannot be trusted, set aside: $set_aside (exit code 8)"
    trap - EXIT
    exit 8
}

# The order of the variants in each block, as their numbers. `random` draws it anew for each block
# from SEED: then the test is right whatever the machine does meanwhile (docs/method.md). ABBA turns
# every second block round; ABAB never.
block_orders() { # BLOCKS ORDER SEED VARIANTS
    awk -v blocks="$1" -v order="$2" -v seed="$3" -v n="$4" 'BEGIN {
        srand(seed)
        for (block = 1; block <= blocks; block++) {
            for (i = 1; i <= n; i++) {
                place[i] = order == "ABBA" && block % 2 == 0 ? n + 1 - i : i
            }
            for (i = n; order == "random" && i > 1; i--) {
                j = 1 + int(rand() * i)
                kept = place[i]; place[i] = place[j]; place[j] = kept
            }
            line = place[1]
            for (i = 2; i <= n; i++) line = line " " place[i]
            print line
        }
    }'
}

new_seed() {
    od -An -N4 -tu4 /dev/urandom | awk '{ print 1 + $1 % 999999 }'
}

# Runs BLOCKS blocks of one round of each variant. What is finished is not run again.
rounds() { # EXPERIMENT BLOCKS ORDER SEED COMMAND VARIANT…
    experiment=$1 blocks=$2 order=$3 seed=$4 command=$5
    shift 5
    block=1
    round=1
    while read -r places <&3; do
        slot=1
        for place in $places; do
            eval "variant=\${$place}"
            if finished "$experiment" "$round" "$block" "$slot"; then
                say "round $round ($variant) is there already"
            else
                [ -t 2 ] && say "round $round of $((blocks * $#)): $variant"
                "$command" "$variant" "$round" "$block" "$slot"
                stop_if_interrupted
            fi
            slot=$((slot + 1))
            round=$((round + 1))
        done
        block=$((block + 1))
    done 3<<EOF
$(block_orders "$blocks" "$order" "$seed" $#)
EOF
}

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

# An interrupt ends the round that runs, in order (the programs write what they measured); then
# the script stops. Finished rounds stay where they are.
interrupted=0
trap 'interrupted=1' INT TERM
trap 'status=$?; trap - EXIT; at_exit "$status"; exit "$status"' EXIT

at_exit() { # STATUS
    [ "$1" -ne 0 ] && [ -n "${stream-}" ] && [ -s "$stream" ] || return 0
    say "${0##*/}: stopped (exit code $1); the records are in $stream"
    if written round; then
        say "  to see the rounds: $(quoted "$launcher") summarize <$(quoted "$stream")"
    fi
    # A server that with-labdb started takes its databases with it.
    if written setup && [ -z "${WRITELOG_PASSING_SERVER-}" ]; then
        say "  to drop the database, which was left: $(quoted "$launcher") setup-db -d $(quoted "$DATABASE") --drop"
    fi
}

written() { # KIND
    grep -q "^{\"kind\":\"$1\"" "$stream"
}

stop_if_interrupted() {
    [ "$interrupted" -eq 0 ] || exit 130
}

# A results folder for a new series: what stood there is moved aside, never overwritten.
prepare_results() { # FOLDER
    if [ -e "$1/stream.jsonl" ]; then
        number=1
        while [ -e "$1.$number" ]; do number=$((number + 1)); done
        mv "$1" "$1.$number"
        say "the results that were in $1 are in $1.$number now"
    fi
    mkdir -p "$1"
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

# Runs PAIRS blocks of two rounds each. ABBA turns every second block round, so that a drift of
# the machine does not favour one side; ABAB does not.
rounds() { # A B PAIRS ORDER COMMAND
    block=1
    round=1
    while [ "$block" -le "$3" ]; do
        first=$1
        second=$2
        if [ "$4" = ABBA ] && [ $((block % 2)) -eq 0 ]; then
            first=$2
            second=$1
        fi
        slot=1
        for variant in "$first" "$second"; do
            [ -t 2 ] && say "round $round of $((2 * $3)): $variant"
            "$5" "$variant" "$round" "$block" "$slot"
            stop_if_interrupted
            slot=$((slot + 1))
            round=$((round + 1))
        done
        block=$((block + 1))
    done
}

# Shared by the experiments; to be read with `.` from a script that has set $here.
# shellcheck shell=sh

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

# An interrupt ends the round that runs, in order (the programs write what they measured); then
# the script stops. Finished rounds stay where they are.
interrupted=0
trap 'interrupted=1' INT TERM
trap 'status=$?; trap - EXIT; at_exit "$status"; exit "$status"' EXIT

at_exit() { # STATUS
    [ "$1" -eq 0 ] && return
    [ -n "${stream-}" ] && [ -s "$stream" ] &&
        say "${0##*/}: stopped (exit code $1); what was measured is in $stream: summarize <$stream"
    [ -n "${DATABASE-}" ] && say "${0##*/}: the database $DATABASE was left; to drop it: setup-db -d $DATABASE --drop"
    return 0
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
keep_invalid_round() { # STATUS
    [ "$1" -eq 8 ] || return "$1"
}

# Runs PAIRS blocks of two rounds each. ABBA turns every second block round, so that a drift of
# the machine does not favour one side; ABAB does not.
rounds() { # A B PAIRS ORDER COMMAND
    case $4 in
        ABBA | ABAB) ;;
        *)
            say "${0##*/}: ORDER is '$4'; it takes ABBA or ABAB"
            exit 2
            ;;
    esac
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

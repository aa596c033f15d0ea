#!/bin/sh
# The main job on a real file: import, look, answer a request for information, erase, check.
# BIN: where agent-memory is installed; DATA: JSON lines to import; USER_ID: whose data is asked for.
set -eu
BIN=${BIN:-.venv/bin}
DATA=${DATA:-examples/memories.jsonl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AGENT_MEMORY_DB="$work/memory.db"

run() {
    printf '\n$ agent-memory %s\n' "$*"
    "$BIN/agent-memory" "$@"
}

run import "$DATA"
run users
USER_ID=${USER_ID:-$("$BIN/agent-memory" users | head -n 1 | cut -f 1)}
run search "${QUERY:-allergic to mushrooms}" --user "$USER_ID"
run export --user "$USER_ID" --out "$work/export.jsonl" --manifest
run verify-export "$work/export.jsonl"
run erase-user "$USER_ID" --yes --receipt "$work/receipt.json"
run list --user "$USER_ID"
run users
run doctor --strict

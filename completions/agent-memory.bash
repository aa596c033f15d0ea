# bash completion for agent-memory; made by scripts/generate.py
_agent_memory() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= skip= word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ -n $skip ]]; then skip=; continue; fi
        case $word in
            --agent|--backend|--before|--busy-timeout|--config|--db|--events-file|--expires-at|--expires-in|--file|--filter|--filter-json|--format|--id|--limit|--max-delete|--meta|--meta-json|--older-than|--out|--out-dir|--receipt|--require|--session|--since|--until|--user|-f|-k|-o) skip=1 ;;
            -*) ;;
            *) [[ -z $command ]] && command=$word ;;
        esac
    done
    COMPREPLY=()
    case $previous in
        --config|--db|--events-file|--file|--out|--out-dir|--receipt|-f|-o) compopt -o default; return ;;
        --agent|--backend|--before|--busy-timeout|--expires-at|--expires-in|--filter|--filter-json|--id|--limit|--max-delete|--meta|--meta-json|--older-than|--require|--session|--since|--until|--user|-k) return ;;
        --format) COMPREPLY=($(compgen -W "jsonl json csv" -- "$current")); return ;;
    esac
    local words
    case $command in
        "") words="add search list get delete users export verify-export erase-user import purge doctor config completion --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file --version --version --help" ;;
        add) words=" -f --file --user --session --agent --meta --meta-json --expires-in --expires-at --id --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        search) words=" --user --session --agent -k --limit --filter --filter-json --since --until --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        list) words=" --user --session --agent --all -k --limit --filter --filter-json --since --until --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        get) words=" --user --session --agent --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        delete) words=" --user --session --agent -y --yes --dry-run --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        users) words=" --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        export) words=" --user --session --agent --all --format -o --out --out-dir --manifest --force --include-expired --filter --filter-json --since --until --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        verify-export) words=" --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        erase-user) words=" --receipt -y --yes --dry-run --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        import) words=" --skip-invalid --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        purge) words=" --older-than --before --max-delete --user --session --agent -y --yes --dry-run --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        doctor) words=" --strict --require --fix --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        config) words=" --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
        completion) words="bash zsh fish --db --backend --config --busy-timeout --json -q --quiet -v --verbose --no-color --events --events-file" ;;
    esac
    if [[ $command =~ ^(verify-export|import)$ && $current != -* ]]; then
        compopt -o default; return
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _agent_memory agent-memory agent-memory-admin

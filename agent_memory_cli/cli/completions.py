"""Completion scripts for bash, zsh and fish, made from the commands: static, so that pressing the
tab key starts no interpreter and opens no store."""

from __future__ import annotations

from agent_memory_cli.cli.reference import Command, Option, commands, common_options

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("agent-memory", "agent-memory-admin")
_FILES = frozenset({"PATH", "FILE"})
_CHOICES = {"FORMAT": "jsonl json csv", "SHELL": "bash zsh fish"}


def script(shell: str) -> str:
    """The completion script of one of SHELLS."""
    made = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands(), common_options())
    return "\n".join(made) + "\n"


def _words(options: tuple[Option, ...]) -> str:
    return " ".join(name for option in options for name in option.names)


def _takers(all_: list[Command], common: tuple[Option, ...]) -> dict[str, list[str]]:
    """For each kind of value the option names that take it."""
    takers: dict[str, list[str]] = {}
    for option in (*common, *(option for command in all_ for option in command.options)):
        if option.takes is not None:
            names = takers.setdefault(option.takes, [])
            names += [name for name in option.names if name not in names]
    return takers


def _bash(all_: list[Command], common: tuple[Option, ...]) -> list[str]:
    takers = _takers(all_, common)
    files = [name for kind in _FILES for name in takers.get(kind, [])]
    values = [
        n for kind, names in takers.items() if kind not in {*_FILES, *_CHOICES} for n in names
    ]
    every = [name for names in takers.values() for name in names]
    lines = [
        "# bash completion for agent-memory; made by scripts/generate.py",
        "_agent_memory() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
        "    local command= skip= word",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        "        if [[ -n $skip ]]; then skip=; continue; fi",
        "        case $word in",
        f"            {'|'.join(sorted(every))}) skip=1 ;;",
        "            -*) ;;",
        "            *) [[ -z $command ]] && command=$word ;;",
        "        esac",
        "    done",
        "    COMPREPLY=()",
        "    case $previous in",
        f"        {'|'.join(sorted(files))}) compopt -o default; return ;;",
        f"        {'|'.join(sorted(values))}) return ;;",
    ]
    for kind, choices in _CHOICES.items():
        if names := takers.get(kind):
            lines.append(
                f"        {'|'.join(sorted(names))})"
                f' COMPREPLY=($(compgen -W "{choices}" -- "$current")); return ;;'
            )
    lines += ["    esac", "    local words", "    case $command in"]
    file_commands = [c.name for c in all_ if any(name in _FILES for name, _, _ in c.arguments)]
    all_names = " ".join(command.name for command in all_)
    lines.append(f'        "") words="{all_names} {_words(common)} --version --help" ;;')
    for command in all_:
        known = " ".join(_CHOICES.get(name, "") for name, _, _ in command.arguments).strip()
        lines.append(f'        {command.name}) words="{known} {_words(command.options)}" ;;')
    lines += [
        "    esac",
        f"    if [[ $command =~ ^({'|'.join(file_commands)})$ && $current != -* ]]; then",
        "        compopt -o default; return",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        f"complete -F _agent_memory {' '.join(PROGRAMS)}",
    ]
    return lines


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]")


def _zsh_action(takes: str) -> str:
    if takes in _FILES:
        return "_files"
    return f"({_CHOICES[takes]})" if takes in _CHOICES else " "


def _zsh_options(options: tuple[Option, ...]) -> list[str]:
    lines = []
    for option in options:
        for name in option.names:
            value = "" if option.takes is None else f":{option.takes}:{_zsh_action(option.takes)}"
            help_ = _quoted(option.help).replace(":", "\\:")
            again = "*" if option.repeatable else ""
            lines.append(f"'{again}{name}[{help_}]{value}'")
    return lines


def _zsh(all_: list[Command], common: tuple[Option, ...]) -> list[str]:
    lines = [
        f"#compdef {' '.join(PROGRAMS)}",
        "# zsh completion for agent-memory; made by scripts/generate.py",
        "_agent_memory() {",
        "    local context state line",
        "    typeset -A opt_args",
        "    _arguments -C \\",
        *(f"        {one} \\" for one in _zsh_options(common)),
        "        '--version[Show the version]' '--help[Show the help]' \\",
        "        '1: :->command' '*:: :->arguments'",
        "    case $state in",
        "    command)",
        "        local -a commands=(",
        *(
            f"            '{c.name}:{_quoted(c.summary.rstrip('.')).replace(':', chr(92) + ':')}'"
            for c in all_
        ),
        "        )",
        "        _describe -t commands command commands ;;",
        "    arguments)",
        "        case $line[1] in",
    ]
    for command in all_:
        arguments = [
            f"'*:{name}:{_zsh_action(name.removesuffix('...'))}'"
            for name, _, _ in command.arguments
        ]
        specs = [*_zsh_options(command.options), *arguments]
        lines.append(f"        {command.name})")
        lines.append("            _arguments \\")
        lines += [f"                {one} \\" for one in specs[:-1]]
        lines.append(f"                {specs[-1]} ;;")
    lines += ["        esac ;;", "    esac", "}", '_agent_memory "$@"']
    return lines


def _fish(all_: list[Command], common: tuple[Option, ...]) -> list[str]:
    lines = ["# fish completion for agent-memory; made by scripts/generate.py"]
    names = " ".join(command.name for command in all_)
    lines += [
        f"set -l commands {names}",
        f"for program in {' '.join(PROGRAMS)}",
        "    complete -c $program -f",
    ]
    lines += [f"    complete -c $program {_fish_option(option)}" for option in common]
    for command in all_:
        here = f"-n '__fish_seen_subcommand_from {command.name}'"
        summary = _fish_quoted(command.summary.rstrip("."))
        lines.append(
            '    complete -c $program -n "not __fish_seen_subcommand_from $commands"'
            f" -a {command.name} -d '{summary}'"
        )
        for name, _, _ in command.arguments:
            if name in _FILES:
                lines.append(f"    complete -c $program {here} -F")
            elif name in _CHOICES:
                lines.append(f"    complete -c $program {here} -a '{_CHOICES[name]}'")
        lines += [
            f"    complete -c $program {here} {_fish_option(option)}"
            for option in command.options
            if not option.common
        ]
    return [*lines, "end"]


def _fish_option(option: Option) -> str:
    spelled = " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )
    value = "" if option.takes is None else " -r -F" if option.takes in _FILES else " -x"
    if option.takes in _CHOICES:
        value += f" -a '{_CHOICES[option.takes]}'"
    return f"{spelled}{value} -d '{_fish_quoted(option.help)}'"


def _fish_quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")

"""Settings: option, then environment, then file, then default; each knows where it came from.

The file is TOML with the same names: `db`, `backend`, `retention_days`, `busy_timeout`,
`events_file`. An empty value counts as unset, in the environment as elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_memory_cli.errors import ConfigError
from agent_memory_cli.paths import expanded, on_disk, readable

APP = "agent-memory"
PREFIX = "AGENT_MEMORY_"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("is not text")
    return value


def _path(value: object) -> str:
    """A path with `~` expanded."""
    return expanded(_text(value))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("is not a number")
    try:
        return float(value)
    except ValueError:
        raise ValueError("is not a number") from None


def _above_zero(value: object) -> float:
    number = _number(value)
    if not 0 < number <= 365_000:
        raise ValueError("is not above 0 and at most 365000")
    return number


def _seconds(value: object) -> float:
    number = _number(value)
    if not 0 <= number <= 3600:
        raise ValueError("is not between 0 and 3600 seconds")
    return number


_PARSERS: dict[str, Callable[[object], object]] = {
    "db": _path,
    "backend": _text,
    "retention_days": _above_zero,
    "busy_timeout": _seconds,
    "events_file": _path,
}


@dataclass(frozen=True)
class Setting:
    """One value and where it came from: `option`, `environment`, `file` or `default`."""

    name: str
    value: str | float | None
    source: str


@dataclass(frozen=True)
class Settings:
    """All effective settings. `file` is the configuration file that was read, if any."""

    db: str
    backend: str
    retention_days: float | None
    busy_timeout: float
    events_file: str | None
    file: str | None
    all: tuple[Setting, ...]

    def source(self, name: str) -> str:
        """Where a setting came from."""
        return next(setting.source for setting in self.all if setting.name == name)


def resolve(
    options: Mapping[str, str | float | None], environ: Mapping[str, str] | None = None
) -> Settings:
    """The effective settings for `options` (by name; None is unset; `config` names the file).

    Raises ConfigError for an unknown key, a value that cannot be used, a file that cannot be read.
    """
    environ = os.environ if environ is None else environ
    file, from_file = _read_file(options.get("config"), environ)
    settings = {name: _resolve_one(name, options, environ, from_file) for name in _PARSERS}
    return Settings(
        **{name: setting.value for name, setting in settings.items()},  # type: ignore[arg-type]  # each parser gives its field's type
        file=file,
        all=tuple(settings.values()),
    )


def _resolve_one(
    name: str,
    options: Mapping[str, str | float | None],
    environ: Mapping[str, str],
    from_file: Mapping[str, object],
) -> Setting:
    for source, value in (
        ("option", options.get(name)),
        ("environment", environ.get(PREFIX + name.upper())),
        ("file", from_file.get(name)),
    ):
        if value is None:
            continue
        if value == "":
            if source == "option":
                raise ConfigError(f"--{name.replace('_', '-')} is empty")
            continue
        try:
            return Setting(name, _PARSERS[name](value), source)  # type: ignore[arg-type]  # parsers give text or numbers
        except ValueError as error:
            raise ConfigError(f"{_where(name, source)} {error}") from None
    return Setting(name, _default(name), "default")


def _where(name: str, source: str) -> str:
    return {
        "option": f"--{name.replace('_', '-')}",
        "environment": PREFIX + name.upper(),
        "file": f"`{name}` in the configuration file",
    }[source]


def _default(name: str) -> str | float | None:
    match name:
        case "db":
            return str(default_db())
        case "backend":
            return "sqlite"
        case "busy_timeout":
            return 5.0
    return None


def default_db() -> Path:
    """The store that is used when none is named; relative when there is no home directory."""
    from platformdirs import user_data_path

    return _folder(user_data_path) / "memory.db"


def default_file() -> Path:
    """The configuration file that is read when none is named."""
    from platformdirs import user_config_path

    return _folder(user_config_path) / "config.toml"


def _folder(place: Callable[..., Path]) -> Path:
    """One of platformdirs' folders; relative, which no caller uses, when there is no home."""
    try:
        return place(APP, appauthor=False)
    except RuntimeError:
        return Path(APP)


def _read_file(
    option: str | float | None, environ: Mapping[str, str]
) -> tuple[str | None, dict[str, object]]:
    named = option or environ.get(f"{PREFIX}CONFIG") or None
    if option == "":
        raise ConfigError("--config is empty")
    if named is not None:
        try:
            path = on_disk(_path(named))
        except ValueError as error:
            raise ConfigError(f"the path of the configuration file {error}") from None
    else:
        path = default_file()
        # os.path: a home that this user may not enter (as after sudo -u) has no file for us.
        if not path.is_absolute() or not os.path.isfile(path):  # noqa: PTH113
            return None, {}
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"the configuration file cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise ConfigError("the configuration file is not valid TOML") from None
    if unknown := sorted(content.keys() - _PARSERS.keys()):
        raise ConfigError(
            f"the configuration file has an unknown key: {unknown[0]}",
            hint=f"known are {', '.join(_PARSERS)}",
        )
    return readable(path), content

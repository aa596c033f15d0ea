"""The command itself: `agent-memory`, or `python -m agent_memory_cli`."""

import sys


def main() -> None:
    """Runs the command line. An interrupt while it is being imported is silent, too."""
    try:
        from agent_memory_cli.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

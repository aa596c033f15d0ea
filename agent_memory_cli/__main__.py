"""`python -m agent_memory_cli` is the same as `agent-memory`."""

from agent_memory_cli.cli.main import main

if __name__ == "__main__":
    main()

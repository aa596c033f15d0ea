"""The guard: the one place for rules that every backend needs.

`hooks` is what a backend fills in, `checks` what input must fulfil, `operations` what an agent may
ask, `administration` what an operator may ask besides, `twins` the blocking forms of both, `runner`
how they run. A backend inherits `GuardedMemory`.
"""

from agent_memory_cli.guard.twins import GuardedMemory

__all__ = ["GuardedMemory"]

from datetime import UTC, datetime

import pytest

from tests.cli.runner import Tool
from tests.helpers import Clock


@pytest.fixture
def am(path) -> Tool:
    return Tool(path)


@pytest.fixture
def clock() -> Clock:
    """Well in the past: the command, whose clock is real, reads what `memory` stored."""
    return Clock(datetime(2024, 6, 7, 12, tzinfo=UTC))

from tests.cli.conftest import clock  # noqa: F401 (a fixture: imports compare with the real time)

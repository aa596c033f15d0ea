from tests.cli.runner import run


def test_it_prints_a_script_for_each_shell_and_refuses_others():
    for shell in ("bash", "zsh", "fish"):
        data = run("completion", shell, "--json").data
        assert data["shell"] == shell
        assert "erase-user" in data["script"]
    unknown = run("completion", "tcsh")
    assert (unknown.code, unknown.out) == (2, "")
    assert "bash, zsh or fish" in unknown.err

"""The ways to write one remote's address are one address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.projects import remotes

SAME = "github.com/me/tool"
NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,12}", fullmatch=True)


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/me/tool",
        "https://github.com/me/tool.git",
        "https://github.com/Me/Tool/",
        "HTTPS://GitHub.com/me/tool.git/",
        "https://user:word@github.com:443/me/tool.git",
        "git@github.com:me/tool.git",
        "github.com:me/tool",
        "ssh://git@github.com/me/tool.git",
        "ssh://git@ssh.github.com:443/me/tool.git",
        "git://github.com//me/tool",
        " git+ssh://git@github.com:22/me/tool\n",
    ],
)
def test_ways_to_write_one_address(address: str) -> None:
    assert remotes.normalised(address) == SAME


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://git.example.org:8443/me/Tool.git", "git.example.org:8443/me/Tool"),
        ("ssh://git@git.example.org:2222/~me/tool", "git.example.org:2222/~me/tool"),
        ("https://[::1]:3000/me/tool", "[::1]:3000/me/tool"),
        ("/srv/git/tool.git", "file:/srv/git/tool"),
        ("file:///srv/git/tool.git", "file:/srv/git/tool"),
        ("git@git.example.org:Group/Tool%20Box.git", "git.example.org/Group/Tool Box"),
    ],
)
def test_what_makes_a_difference_stays(address: str, told: str) -> None:
    assert remotes.normalised(address) == told


@given(NAMES, NAMES, NAMES, st.sampled_from(["https://{}/{}/{}", "https://{}/{}/{}.git", "ssh://git@{}/{}/{}/"]))
def test_forms_of_one_remote_agree_and_others_differ(host: str, owner: str, name: str, form: str) -> None:
    told = remotes.normalised(form.format(f"{host}.org", owner, name))
    assert told == remotes.normalised(f"git@{host}.org:{owner}/{name}.git") == f"{host}.org/{owner}/{name}"
    assert told != remotes.normalised(f"git@{host}.org:{owner}/{name}x.git")


@given(st.text())
def test_any_text_has_one_form(text: str) -> None:
    assert isinstance(remotes.normalised(text), str)

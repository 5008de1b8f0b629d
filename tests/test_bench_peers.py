"""`dojo bench --peers`: what is put beside the engine, and how it is told."""

import pytest
from typer.testing import CliRunner

from dojo_core import bench_peers, peer
from dojo_core.bench_peers import OURS, PEERS
from dojo_core.cli import app
from dojo_core.errors import DojoError
from dojo_core.taking_turns import Side


def test_every_peer_has_a_side_that_plays_it():
    assert {each.side for each in (OURS, *PEERS)} == set(peer.SIDES)


def test_a_peer_is_compared_round_by_round():
    ours = [(10.0, 100.0), (20.0, 400.0), (30.0, 900.0)]
    theirs = [(5.0, 50.0), (5.0, 100.0), (5.0, 100.0)]
    found = bench_peers._beside(PEERS[0], theirs, ours)
    assert (found.plays, found.decisions) == (5.0, 100.0)
    assert (found.low, found.ratio, found.high) == (2.0, 4.0, 9.0)
    assert found.plays_ratio == 4.0
    assert found.rounds == 3


def test_the_table_says_what_each_counts_as_a_decision():
    rows = [bench_peers._beside(each, [(2.0, 3.0)], [(2.0, 3.0)]) for each in (OURS, *PEERS)]
    lines = list(bench_peers.table(rows))
    for each, line in zip((OURS, *PEERS), lines[2:], strict=True):
        assert line.startswith(each.name)
        assert line.endswith(each.decision)


def test_a_peer_that_is_not_installed_is_named_with_what_to_do(tmp_path):
    with (
        Side("a peer", ["-c", "import not_installed_anywhere"], tmp_path, {}) as side,
        pytest.raises(DojoError, match=r"a peer ended: .*uv run --group peers") as raised,
    ):
        bench_peers._wait_for(side)
    assert raised.value.exit_code == 3


def test_our_side_counts_the_decisions_of_the_plays_it_played():
    took, plays, decisions = peer.dojo()(0.001)
    assert took > 0
    assert plays >= 1
    # At most 100 rounds of 4 turns, each with a few steps.
    assert plays < decisions < plays * 400 * 24


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["players=4"], "OPTION=VALUE"),
        (["--against", "HEAD"], "--against"),
        (["--game", "labirinto"], "--game"),
        (["--no-compile"], "--compile"),
    ],
)
def test_what_the_peers_do_not_heed_is_refused(words, given):
    ended = CliRunner().invoke(app, ["bench", "--peers", *words])
    assert isinstance(ended.exception, DojoError)
    assert str(ended.exception).startswith(f"{given} has no meaning with --peers")

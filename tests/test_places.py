"""Places: a folder and a bucket of a real S3 server do the same, and sweeps live in both."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time

import pytest
from conftest import GRID
from sweep_runs import frozen, play, rows
from toy_game import GAME

from dojo_core.errors import DojoError
from sweep import places
from sweep.places import LOCK, Bucket, Folder, at
from sweep.queries import connect, sweeps
from sweep.store import Store


@pytest.fixture(params=["folder", "bucket"])
def place(request, tmp_path):
    if request.param == "folder":
        return at(tmp_path / "here")
    return at(request.getfixturevalue("bucket"))


def write(place, name, content=b"content"):
    place.prepare(["a", "b"])
    place.publish(name, content)


def test_what_is_published_is_read_back(place):
    write(place, "a/x")
    assert place.read("a/x") == b"content"
    assert place.open("a/x").read_at(4, 3) == b"tent"


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DojoError, match="No space left on device") as caught:
        at(tmp_path).publish("x", b"content")
    assert caught.value.exit_code == 3
    assert list(tmp_path.iterdir()) == []


def test_publishing_again_replaces_the_file(place):
    write(place, "x", b"old")
    write(place, "x", b"new, and longer")
    assert place.read("x") == b"new, and longer"


def test_files_and_folders_are_listed_without_those_with_a_dot(place):
    for name in ("a/y", "a/x", "a/.hidden", "z", "b/w"):
        write(place, name)
    assert (place.files("a"), place.files(), place.folders()) == (["x", "y"], ["z"], ["a", "b"])
    assert place.files("nowhere") == []


def test_a_stamp_changes_with_the_file_and_missing_files_have_none(place):
    write(place, "x")
    before = place.stamps(["x", "y"])
    assert list(before) == ["x"]
    assert place.stamps(["x"]) == before
    write(place, "x", b"something longer")
    assert place.stamps(["x"]) != before


def test_a_removed_file_is_gone_and_may_be_removed_again(place):
    write(place, "x")
    place.remove("x")
    place.remove("x")
    assert not place.exists("x")


def test_a_moved_file_is_only_in_its_new_place(place):
    write(place, "a/x")
    place.move("a/x", "b/c/y")
    assert (place.files("a"), place.read("b/c/y")) == ([], b"content")


def test_a_missing_file_is_an_os_error(place):
    with pytest.raises(FileNotFoundError):
        place.read("nothing")


def test_a_place_is_the_same_in_another_process(place):
    write(place, "x")
    assert pickle.loads(pickle.dumps(place)).read("x") == b"content"


def test_a_place_knows_its_name_and_what_is_above(place):
    assert ((place / "sweep").name, (place / "sweep").parent) == ("sweep", place)


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("s3://bucket/results", "bucket/results/x"),
        ("gs://bucket/a/b", "bucket/a/b/x"),
        ("abfs://container@account.dfs.core.windows.net/results", "container/results/x"),
    ],
)
def test_an_address_names_bucket_and_folder(address, path):
    assert at(address)._path("x") == path


# Locks


def test_a_second_holder_is_refused_by_name(place, monkeypatch):
    monkeypatch.setattr(places, "BEAT_SECONDS", 0.05)
    place.prepare([])
    with (
        place.lock(),
        pytest.raises(DojoError, match="run by another process") as caught,
        place.lock(),
    ):
        pass
    assert f"process {os.getpid()}" in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_lock_is_seen_and_released(place):
    place.prepare([])
    assert not place.is_locked()
    with place.lock() as lock:
        assert place.is_locked()
        assert json.loads(place.read(LOCK))["token"] == lock.token
        lock.confirm()
    assert not place.is_locked()
    with place.lock():
        pass


def test_of_many_at_once_one_holds_the_lock(bucket):
    place = at(bucket)
    held, refused = [], []
    barrier = threading.Barrier(8)
    done = threading.Event()

    def take():
        barrier.wait()
        try:
            with place.lock():
                held.append(1)
                done.wait(30)
        except DojoError:
            refused.append(1)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 60
    while len(refused) < 7 and time.monotonic() < until:
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert (len(held), len(refused)) == (1, 7)


HOLDER = """
import sys, time
from sweep.places import at
with at(sys.argv[1]).lock():
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_lock_of_a_killed_holder_is_taken_over_when_it_has_been_silent(bucket, monkeypatch):
    monkeypatch.setattr(places, "SILENCE_SECONDS", 1.0)
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, bucket], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.wait()
    with at(bucket).lock() as lock:
        lock.confirm()


def test_a_holder_that_lost_its_lock_publishes_no_manifest(write_grid, bucket):
    place = at(bucket) / "toy"
    opened = Store(place, GAME, frozen(write_grid())).open()
    store = opened.__enter__()
    before = place.read("manifest.json")
    place.publish(LOCK, b'{"token": "of another"}')
    store._dirty = True
    with pytest.raises(DojoError, match="was taken by another process") as caught:
        opened.__exit__(None, None, None)
    assert caught.value.exit_code == 3
    assert place.read("manifest.json") == before
    assert json.loads(place.read(LOCK))["token"] == "of another"


# Sweeps behind an address


def test_a_sweep_behind_an_address_has_the_same_rows(write_grid, tmp_path, bucket):
    path = write_grid()
    play(path, tmp_path)
    result, listener, _ = play(path, bucket)
    assert (result.plays, listener.notes) == (400, [])
    for view in ("plays", "seats", "squares", "points", "moments"):
        assert rows(bucket, view).equals(rows(tmp_path, view))
    assert [(i.name, i.state, i.plays_done) for i in sweeps(bucket)] == [("toy", "done", 400)]


def test_a_sweep_behind_an_address_is_resumed(write_grid, tmp_path, bucket):
    play(write_grid(), bucket)
    result, _, _ = play(write_grid(GRID.replace("plays = 100", "plays = 250")), bucket)
    assert result.plays == 600
    play(write_grid(GRID.replace("plays = 100", "plays = 250")), tmp_path)
    assert rows(bucket).equals(rows(tmp_path))


def test_a_torn_object_is_set_aside_and_its_plays_are_played_again(write_grid, tmp_path, bucket):
    path = write_grid()
    play(path, tmp_path)
    play(path, bucket)
    folder = at(bucket) / "toy"
    (name,) = folder.files("seats")
    torn = folder.read(f"seats/{name}")[:-100]
    folder.publish(f"seats/{name}", torn)
    with pytest.raises(DojoError, match="is broken"):
        connect(bucket)
    result, listener, _ = play(path, bucket)
    assert result.plays == 400
    assert "set aside" in listener.notes[0]
    assert folder.files("set_aside/seats") == [name]
    assert rows(bucket).equals(rows(tmp_path))


def test_workers_of_ray_write_to_the_bucket_themselves(
    write_grid, tmp_path, bucket, toy_environment
):
    path = write_grid()
    play(path, tmp_path)
    code = (
        "import toy_game, sweep.runner\n"
        "sweep.runner.write_block = None  # the driver publishes no block\n"
        "from sweep.cli import main; main()"
    )
    words = ["run", str(path), "--ray", "--workers", "2", "--results", bucket]
    environment = {**os.environ, "PYTHONPATH": toy_environment["PYTHONPATH"]}
    ran = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert rows(bucket).equals(rows(tmp_path))


def test_run_sql_and_trace_take_an_address(
    write_grid, bucket, toy_command, toy_environment, s3_server
):
    environment = {**os.environ, "PYTHONPATH": toy_environment["PYTHONPATH"]}

    def command(*words):
        words = [*toy_command, *map(str, words), "--results", bucket]
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)

    ran = command("run", write_grid(), "--no-ray")
    assert ran.returncode == 0, ran.stderr
    assert f"--results {bucket}" in ran.stdout
    answer = command("sql", "SELECT count(*) AS n FROM plays", "--format", "csv")
    assert answer.stdout.split() == ['"n"', "400"]
    assert command("trace", "toy", "1", "0").returncode == 0


@pytest.mark.parametrize(
    ("address", "words"),
    [("s3://no-such-bucket/x", "there is no bucket 'no-such-bucket'")],
)
def test_a_bucket_that_is_not_there_is_one_sentence(s3_server, address, words):
    with pytest.raises(DojoError, match=words) as caught:
        at(address).check_writable()
    assert caught.value.exit_code == 3


def test_an_endpoint_that_does_not_answer_is_one_sentence(toy_command, toy_environment, write_grid):
    environment = {
        **toy_environment,
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_REGION": "us-east-1",
    }
    words = [*toy_command, "run", str(write_grid()), "--results", "s3://bucket/x"]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 3
    assert len(ran.stderr.strip().splitlines()) == 1
    assert "s3://bucket/x" in ran.stderr


def test_folders_and_buckets_are_told_apart():
    assert isinstance(at("results"), Folder)
    assert isinstance(at("s3://bucket/results"), Bucket)


def test_things_asked_side_by_side_are_asked_at_a_time_and_answered_in_order():
    both = threading.Barrier(2, timeout=60)

    def ask(item):
        both.wait()  # nobody gets past it alone
        return -item

    assert places.side_by_side(ask, [3, 1]) == [-3, -1]
    assert places.side_by_side(ask, []) == []

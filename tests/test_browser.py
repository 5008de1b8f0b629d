"""The dashboard in a real browser, on real results of Il Labirinto del Dojo."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

import dashboard
from sweep.local_cluster import free_port

APP = Path(dashboard.__file__).parent / "app.py"
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GRID = """
[sweep]
name = "browsed"
game = "labirinto"
plays = 60
seed = 11

[fixed]
player = "greedy"
max_rounds = 60

[grid]
board = ["quadrant", "linked"]
players = [3, 4]
"""
PATIENCE = 60_000  # ms; a page takes one or two seconds, the first one on a busy machine many more


@pytest.fixture(scope="module")
def chromium():
    if shutil.which(CHROMIUM) is None:
        pytest.fail(
            f"there is no {CHROMIUM}; install it with"
            " `apt-get update && apt-get install -y chromium`"
        )
    return CHROMIUM


def command(*words):
    code = "import sys; from sweep.cli import main; sys.argv[0] = 'dojo-sweep'; main()"
    return [sys.executable, "-c", code, *map(str, words)]


def play(folder, results):
    grid = folder / "grid.toml"
    grid.write_text(GRID)
    words = ["run", grid, "--results", results, "--yes", "--no-ray", "--workers", 1]
    subprocess.run(command(*words), check=True, capture_output=True)


@pytest.fixture(scope="module")
def played(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("browsed")
    play(folder, folder)
    return folder


@pytest.fixture(scope="module")
def address(played):
    port = free_port()
    log = (played / "streamlit.log").open("wb")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "streamlit", "run", str(APP)),
            *("--server.port", str(port), "--server.headless", "true"),
            *("--", "--results", str(played)),
        ],
        stdout=log,
        stderr=log,
        cwd=played,
        start_new_session=True,
    )
    try:
        wait_until_served(f"http://127.0.0.1:{port}", server, played / "streamlit.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)
        log.close()


def wait_until_served(address, server, log):
    for _ in range(120):
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"Streamlit did not answer within a minute: {log.read_text()}")


@pytest.fixture(scope="module")
def page(chromium, address, tmp_path_factory):
    """The dashboard, open; complaints of the browser and requests to elsewhere end up in lists."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("chromium")),
            executable_path=chromium,
            args=ARGUMENTS,
            viewport={"width": 1280, "height": 800},
        )
        page = context.pages[0]
        page.complaints = []
        page.elsewhere = []
        page.on("console", lambda message: note_console(page, message))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: note_request(page, request, address))
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Sweeps", timeout=PATIENCE)
        yield page
        context.close()


def note_console(page, message):
    # below the address of a page Streamlit looks for its server in vain first
    looked_for = "/sweeps/_stcore/" in message.location["url"]
    if message.type == "error" and not looked_for:
        page.complaints.append(message.text)


def note_request(page, request, address):
    local = (address, address.replace("http", "ws"), "data:", "blob:")
    if not request.url.startswith(local):
        page.elsewhere.append(request.url)


@pytest.fixture(autouse=True)
def nothing_to_complain_about(page):
    yield
    settle(page)
    assert page.get_by_test_id("stException").count() == 0
    assert page.complaints == []
    assert page.elsewhere == []


def settle(page):
    """Wait until Streamlit has drawn everything."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE)


def visit(page, link):
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=link, exact=True).click()
    expect(page.locator("h1")).to_have_text(link, timeout=PATIENCE)
    settle(page)
    assert page.get_by_test_id("stAlertContentError").count() == 0


def choose(page, label, option):
    page.get_by_test_id("stSelectbox").filter(has_text=label).get_by_role("combobox").first.click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def title(page, number=0):
    return page.locator(".js-plotly-plot .gtitle").nth(number)


def test_sweeps_lists_the_sweep(page):
    visit(page, "Sweeps")
    expect(page.get_by_role("heading", name="browsed: Il Labirinto del Dojo")).to_be_visible(
        timeout=PATIENCE
    )
    expect(page.get_by_test_id("stDataFrame").nth(1)).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("stAlertContentSuccess")).to_contain_text("done", timeout=PATIENCE)


def test_sweeps_has_an_address_of_its_own(page, address):
    page.goto(f"{address}/sweeps")
    expect(page.locator("h1")).to_have_text("Sweeps", timeout=PATIENCE)
    settle(page)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_compare_redraws_for_another_metric(page):
    visit(page, "Compare")
    expect(title(page)).to_contain_text("Rounds by players", timeout=PATIENCE)
    expect(page.locator(".js-plotly-plot .errorbars").first).to_be_visible(timeout=PATIENCE)
    choose(page, "Metric", "Kumite")
    expect(title(page)).to_contain_text("Kumite by players", timeout=PATIENCE)


def test_fairness_draws_a_panel_for_each_number_of_players_and_a_verdict(page):
    visit(page, "Seats and fairness")
    expect(title(page)).to_contain_text("Win share by turn order", timeout=PATIENCE)
    expect(page.locator(".js-plotly-plot .annotation-text")).to_have_text(
        ["3 players", "4 players"], timeout=PATIENCE
    )
    expect(page.get_by_text(re.compile("beyond chance"))).to_be_visible(timeout=PATIENCE)
    choose(page, "Seats told apart by", "Corner")
    expect(title(page)).to_contain_text("Win share by corner", timeout=PATIENCE)


def test_length_switches_to_the_cumulative_line(page):
    visit(page, "Length")
    expect(title(page)).to_contain_text("How long a play lasts", timeout=PATIENCE)
    page.get_by_text("Cumulative", exact=True).click()
    expect(title(page)).to_contain_text("Plays over by then", timeout=PATIENCE)


def test_the_board_is_drawn_whole_folded_and_as_printed(page):
    visit(page, "Board")
    expect(title(page)).to_contain_text("Steps in a play", timeout=PATIENCE)
    letters = page.locator(".js-plotly-plot").first.locator(".hm text")
    expect(letters.filter(has_text="S")).to_have_count(4 * 9, timeout=PATIENCE)
    page.get_by_text("Quadrants folded", exact=True).click()
    expect(title(page)).to_contain_text("(folded)", timeout=PATIENCE)
    expect(letters.filter(has_text="S")).to_have_count(9, timeout=PATIENCE)
    choose(page, "Heat of", "Kinds of square")
    expect(title(page)).to_contain_text("The board", timeout=PATIENCE)


def test_sql_answers_and_tells_a_mistake_in_one_sentence(page):
    visit(page, "SQL")
    expect(page.get_by_text(re.compile("^4 rows"))).to_be_visible(timeout=PATIENCE)
    page.get_by_test_id("stTextArea").locator("textarea").fill("SELECT nothing FROM plays")
    page.get_by_role("button", name="Run").click()
    error = page.get_by_test_id("stAlertContentError")
    expect(error).to_contain_text("nothing", timeout=PATIENCE)
    assert "Traceback" not in error.inner_text()


def test_the_command_shows_results_behind_an_address(page, bucket, tmp_path):
    play(tmp_path, bucket)
    port, log = free_port(), tmp_path / "streamlit.log"
    words = command("dashboard", "--results", bucket, "--port", port)
    environment = {**os.environ, "STREAMLIT_SERVER_HEADLESS": "true"}
    with log.open("wb") as output:
        server = subprocess.Popen(words, env=environment, stdout=output, stderr=output)
    other = page.context.new_page()
    try:
        wait_until_served(f"http://127.0.0.1:{port}", server, log)
        other.goto(f"http://127.0.0.1:{port}")
        expect(other.get_by_label("Results folder")).to_have_value(bucket, timeout=PATIENCE)
        expect(other.get_by_test_id("stAlertContentSuccess")).to_contain_text(
            "done", timeout=PATIENCE
        )
        visit(other, "Compare")
        expect(title(other)).to_contain_text("Rounds by players", timeout=PATIENCE)
    finally:
        other.close()
        server.terminate()
        server.wait(10)

# SPDX-License-Identifier: BSD-3-Clause
"""The page of gpz view in Chromium, without a screen: what it shows, and what its controls do. scripts/test.sh --browser."""

import base64
import shutil
import time
import urllib.parse

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import gpz
import gpz.view

N, FRAMES = 216, 5
BOX = gpz.Box.from_bounds([10, 10, 10], [16, 16, 16])
GRID = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3) + 10.5
IDS = np.arange(1, N + 1)
TYPES = np.arange(N) % 3 + 1
PATIENCE = 60  # seconds until a test gives up; a busy machine draws slowly


@pytest.fixture(scope="session")
def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1000,800", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(PATIENCE)
    yield driver
    driver.quit()


def write(path, frames=FRAMES, append=False, starts=None, **changes):
    starts = [] if starts is None else starts
    with gpz.Writer(path, units="metal", elements=["Cu", "Ag", "Au"], key_interval=2, append=append) as writer:
        if not append:
            writer.write_tables({"bonds": {"type": [1, 1], "atom1": [1, 2], "atom2": [2, 3]}})
        for k in range(frames):
            starts.append(writer.size)
            values = {"positions": GRID + 0.01 * k, "ids": IDS, "types": TYPES, "box": BOX, "timestep": 100 * k, "pe": IDS / 10.0 + k,
                      "observables": {"Temp": (300.0 + k, "K")}}  # fmt: skip
            writer.write(**{**values, **changes})
        starts.append(writer.size)
    return path


class Page:
    """The page of a server, or of a file. Without a URL: what the driver has in front of it."""

    def __init__(self, driver, url=None):
        self.driver = driver
        if url is not None:
            driver.get(url)

    def value(self, script, *arguments):
        """Of an expression in JavaScript; `view` is the viewer."""
        return self.driver.execute_script(f"const view = window.gpzView; return {script}", *arguments)

    def until(self, script):
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.value(script):
            assert time.monotonic() < end, f"not true: {script}; the page says {self.message!r}, {self.driver.get_log('browser')}"

    def find(self, name):
        return self.driver.find_element(By.ID, name)

    def set(self, name, value, event="input"):
        self.value(
            "(() => { const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event(arguments[2])); })()",
            name, str(value), event,
        )  # fmt: skip

    @property
    def message(self):
        return self.find("message").text

    @property
    def drawn(self):
        return self.find("drawn").text

    def ready(self):
        self.until("view && view.pictures > 0 && !view.reading")
        return self

    def shown(self, frame):
        self.until(f"view.shown === {frame} && !view.reading")
        return self

    def pixels(self, script="true"):
        """(height, width, 3) of the picture, from the bottom, after `script`."""
        width, height, values = self.value(
            f"""(() => {{ {script}; const r = view.renderer, gl = r.gl;
            r.draw(view.camera, view.atoms.head.origin, view.look());
            const w = r.canvas.width, h = r.canvas.height, p = new Uint8Array(4 * w * h);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p); return [w, h, btoa(p.reduce((s, b) => s + String.fromCharCode(b), ""))]; }})()"""
        )
        return np.frombuffer(base64.b64decode(values), np.uint8).reshape(height, width, 4)[..., :3].astype(int)


@pytest.fixture
def shown(chromium, tmp_path):
    """shown(path or none, ...) -> the page of a server"""
    servers = []

    def show(path=None, **options):
        servers.append(gpz.view.serve(path or write(tmp_path / "grid.gpz"), **options))
        return Page(chromium, servers[-1].url)

    show.servers = servers
    yield show
    errors = [entry for entry in chromium.get_log("browser") if "net::" not in entry["message"] and " 4" not in entry["message"]]
    for server in servers:
        server.close()
    assert errors == []


def test_first_picture(shown):
    page = shown().ready()
    assert page.drawn == "216 of 216 drawn"
    assert page.find("name").text == "grid.gpz"
    assert page.message == ""
    image = page.pixels()
    background = (image == 255).all(axis=2)
    assert 0.2 < background.mean() < 0.9
    # Copper, silver and gold.
    for colour in ([200, 128, 51], [192, 192, 192], [255, 209, 35]):
        direction = np.array(colour) / np.linalg.norm(colour)
        pixels = image[~background] / np.maximum(1, np.linalg.norm(image[~background], axis=1))[:, None]
        assert ((pixels @ direction) > 0.998).mean() > 0.05, colour


def test_positions_are_where_they_belong(shown):
    """The centre of each particle that is in front is in the colour of its type."""
    page = shown().ready()
    found = page.value(
        """(() => { const v = view; v.camera.look("z"); document.getElementById("flat").checked = v.camera.isFlat = true;
        v.matrices = v.renderer.draw(v.camera, v.atoms.head.origin, v.look());
        const {view: m, projection: p} = v.matrices, c = document.getElementById("picture"), a = v.atoms.arrays.positions, made = [];
        for (let k = 0; k < a.length / 3; ++k) {
          const e = [0, 1, 2].map((r) => m[r] * a[3 * k] + m[4 + r] * a[3 * k + 1] + m[8 + r] * a[3 * k + 2] + m[12 + r]);
          made.push(v.at((p[0] * e[0] + 1) / 2 * c.clientWidth, (1 - p[5] * e[1]) / 2 * c.clientHeight));
        }
        return made; })()"""
    )
    front = [row - row % 6 + 5 for row in range(N)]  # of the same x and y, with the largest z
    assert found == front


def test_slider_and_keys(shown):
    page = shown().ready()
    page.set("slider", 3)
    page.shown(3)
    assert page.find("when").text == "timestep 300"
    assert page.value("view.atoms.arrays.positions[0]") == pytest.approx(0.53, abs=1e-3)
    page.find("picture").send_keys(Keys.ARROW_LEFT)
    page.shown(2)
    page.find("picture").send_keys(Keys.END)
    page.shown(FRAMES - 1)
    page.set("number", 1, "change")
    page.shown(1)
    assert page.find("slider").get_attribute("value") == "1"


def test_play(shown):
    page = shown().ready()
    page.find("play").click()
    page.until("view.shown === 3")
    page.until("view.shown === 0")  # and from the start again
    page.find("play").click()
    page.until("!view.isPlaying && !view.reading")
    assert page.message == ""


def test_ids_and_types_are_sent_once(shown):
    page = shown().ready()
    page.set("slider", 4)
    page.shown(4)
    sizes = page.value("[...view.kept.values()].map(({bytes}) => bytes)")
    assert 2 * N <= sizes[0] - sizes[1] <= 2 * N + 80  # a byte each, and their places


def test_selection_by_type(shown):
    page = shown().ready()
    page.driver.find_element(By.CSS_SELECTOR, '#types input[data-type="2"]').click()
    assert page.drawn == "144 of 216 drawn"
    page.set("slider", 1)
    page.shown(1)
    assert page.drawn == "144 of 216 drawn"
    page.find("noTypes").click()
    assert page.drawn == "0 of 216 drawn"
    page.find("everything").click()
    assert page.drawn == "216 of 216 drawn"


def test_selection_by_ids(shown):
    page = shown().ready()
    page.set("idLow", 11)
    page.set("idHigh", 20)
    assert page.drawn == "10 of 216 drawn"
    assert page.value("[...view.order]") == list(range(10, 20))


def test_selection_by_region(shown):
    page = shown().ready()
    page.set("xHigh", 0.5)
    page.set("zLow", 0.7)
    # x: 3 layers of 6; z: those at 4.5 and 5.5 of 6
    assert page.drawn == "36 of 216 drawn"


def test_colour_by_a_column(shown):
    page = shown().ready()
    assert page.value('[...document.getElementById("column").options].map((o) => o.value)') == ["", "id", "pe"]
    page.set("column", "pe")
    page.until("view.atoms.arrays.values && !view.reading")
    low, high = page.value("view.atoms.range")
    assert low == pytest.approx(0.1 + 0.01 * 21.5, abs=0.15) and high == pytest.approx(21.6 - 0.01 * 21.5, abs=0.15)
    colours = page.value('[...view.atoms.colours("pe").colours]')
    assert colours[:3] == [68, 1, 84]  # the ends of viridis
    assert colours[-4:-1] == [253, 231, 37]
    assert page.find("bar").is_displayed()


def test_turning_and_picking(shown):
    page = shown().ready()
    before = page.value("view.camera.turn")
    canvas = page.find("picture")
    ActionChains(page.driver).move_to_element(canvas).click_and_hold().move_by_offset(60, 10).release().perform()
    assert page.value("view.camera.turn") != before
    page.value('document.querySelector(\'[data-look="z"]\').click()')
    ActionChains(page.driver).move_to_element_with_offset(canvas, 20, 20).click().perform()
    page.until('!document.getElementById("picked").hidden')
    lines = page.find("picked").text.splitlines()
    assert lines[0].startswith("id ") and lines[1].startswith("type ") and lines[2].startswith("x ")


def test_the_curve_and_the_facts(shown):
    page = shown().ready()
    names = page.value('[...document.getElementById("series").options].map((o) => o.value)')
    assert names == ["Temp (K)", "bytes of the frame", "particles"]
    assert page.value("[...view.plot.values]") == [300 + k for k in range(FRAMES)]
    page.set("series", "bytes of the frame")
    assert page.value("[...view.plot.values]") == page.value("[...view.ofFrames.sizes]")
    page.value("view.plot.canvas.scrollIntoView()")
    ActionChains(page.driver).move_to_element_with_offset(page.find("plot"), page.find("plot").size["width"] // 2 - 4, 0).click().perform()
    page.shown(FRAMES - 1)
    rows = [row.text for row in page.find("facts").find_elements(By.TAG_NAME, "tr")]
    assert "Temp 304 K" in rows and "particles 216" in rows


def test_bonds(shown):
    page = shown().ready()
    assert page.find("style").get_attribute("value") == "sticks"
    assert page.value("view.renderer.counts.bonds") == 12  # corners of the triangles of two bonds
    page.set("idLow", 2)
    assert page.value("view.renderer.counts.bonds") == 6
    page.set("style", "spheres")
    assert page.value("view.renderer.counts.bonds") == 0


def test_a_wrong_token(shown, chromium):
    page = shown()
    parts = urllib.parse.urlsplit(shown.servers[0].url)
    page = Page(chromium, f"http://{parts.netloc}/wrong/")
    assert "the token of the URL is not that of this server" in page.driver.find_element(By.TAG_NAME, "body").text


def test_a_damaged_frame(shown, tmp_path):
    starts = []
    path = write(tmp_path / "damaged.gpz", starts=starts)
    data = bytearray(path.read_bytes())
    data[(starts[2] + starts[3]) // 2] ^= 0xFF
    path.write_bytes(data)
    page = shown(path).ready()
    page.set("slider", 2)
    page.until('!document.getElementById("message").hidden')
    assert page.message.startswith("frame 2: ") and "checksum" in page.message
    assert page.value("view.shown") == 0
    page.set("slider", 4)
    page.shown(4)
    assert page.message == ""


def test_a_damaged_first_frame(shown, tmp_path):
    starts = []
    path = write(tmp_path / "damaged.gpz", starts=starts)
    data = bytearray(path.read_bytes())
    data[(starts[0] + starts[1]) // 2] ^= 0xFF
    path.write_bytes(data)
    page = shown(path)
    page.until('!document.getElementById("message").hidden')
    assert page.message.startswith("frame 0: ")
    page.set("slider", 2)
    page.shown(2)
    assert page.drawn == "216 of 216 drawn" and page.message == ""


def test_a_file_without_frames_grows(shown, tmp_path):
    path = write(tmp_path / "empty.gpz", frames=0)
    page = shown(path)
    page.until('!document.getElementById("message").hidden')
    assert page.message == "empty.gpz has no complete frame yet"
    write(path, frames=2, append=True)
    page.find("reload").click()
    page.shown(0)
    assert page.drawn == "216 of 216 drawn" and page.message == ""


def test_a_file_that_grows(shown, tmp_path):
    path = write(tmp_path / "grows.gpz", frames=2)
    page = shown(path).ready()
    assert page.find("last").text == "1"
    write(path, frames=2, append=True)
    page.find("reload").click()
    page.until("view.index.n_frames === 4")
    page.set("slider", 3)
    page.shown(3)


def test_a_number_of_particles_that_changes(shown, tmp_path):
    path = tmp_path / "grows.gpz"
    with gpz.Writer(path) as writer:
        for n in (20, 0, 35):
            writer.write(positions=GRID[:n], ids=IDS[:n], types=TYPES[:n], box=BOX)
    page = shown(path).ready()
    for frame, text in ((1, "0 of 0 drawn"), (2, "35 of 35 drawn"), (0, "20 of 20 drawn")):
        page.set("slider", frame)
        page.shown(frame)
        assert page.drawn == text


def test_without_ids_types_and_box(shown, tmp_path):
    path = tmp_path / "bare.gpz"
    with gpz.Writer(path, order="place") as writer:
        writer.write(positions=GRID)
    page = shown(path).ready()
    assert page.drawn == "216 of 216 drawn"
    assert page.value("view.renderer.counts.lines") == 0
    assert not page.find("ids").is_displayed()
    assert ((page.pixels() == 255).all(axis=2)).mean() < 0.95


def test_in_two_dimensions(shown, tmp_path):
    box = gpz.Box.from_bounds([10, 10, -0.5], [16, 16, 0.5], dimension=2)
    path = write(tmp_path / "flat.gpz", positions=GRID * [1, 1, 0], box=box)
    page = shown(path).ready()
    assert page.value("view.camera.isFlat") is True
    assert page.value("view.camera.turn") == [0, 0, 0, 1]
    assert page.value("view.renderer.counts.lines") == 8


def test_a_sample(shown):
    page = shown(limit=50).ready()
    assert "of 216 particles: a sample" in page.find("note").text
    page.set("xHigh", 0.17)
    page.set("xHigh", 0.17, "change")
    page.until("view.atoms.count === 36")
    assert page.find("note").text == "36 of 216 particles: all of the region"
    assert page.drawn == "36 of 36 drawn"


def test_a_page_without_a_server(chromium, tmp_path):
    path = tmp_path / "page.html"
    gpz.view.write_html(write(tmp_path / "grid.gpz"), path, column="pe")
    page = Page(chromium, path.as_uri()).ready()
    assert page.drawn == "216 of 216 drawn"
    page.set("slider", 4)
    page.shown(4)
    np.testing.assert_allclose(page.value("[...view.atoms.arrays.positions]"), (GRID - 10 + 0.04).ravel(), atol=1e-3)
    page.set("idLow", 200)
    assert page.drawn == "17 of 216 drawn"
    assert not page.find("reload").is_displayed()
    assert page.value('[...document.getElementById("column").options].map((o) => o.value)') == ["", "pe"]


def test_a_page_whose_server_has_ended(shown):
    page = shown().ready()
    shown.servers[0].close()
    page.set("slider", 3)
    page.until('!document.getElementById("message").hidden')
    assert "gpz view has ended" in page.message


@pytest.mark.parametrize("embed", [False, True])
def test_in_a_notebook(chromium, tmp_path, embed):
    """A cell's output is a part of another page."""
    with gpz.open(write(tmp_path / "grid.gpz")) as trajectory:
        view = trajectory.view(embed=embed, height=500)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><html><body>{view._repr_html_()}</body></html>")
    chromium.get(path.as_uri())
    chromium.switch_to.frame(0)
    page = Page(chromium).ready()
    assert page.drawn == "216 of 216 drawn"
    page.set("slider", 2)
    page.shown(2)
    chromium.switch_to.default_content()
    view.close()

# SPDX-License-Identifier: BSD-3-Clause
"""Pages with their frames in them, and views in notebooks."""

import base64
import hashlib
import html
import os
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import FRAMES, Client, positions_of, write

import gpz
import gpz.view
from gpz.view import embedded, pages
from gpz.view.messages import unpack


def messages_of(text):
    found = re.findall(r'<script type="application/octet-stream" data-name="([^"]*)">([^<]*)</script>', text)
    return {name: unpack(base64.b64decode(data)) for name, data in found}


def policy_of(text):
    return html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1])


@pytest.fixture
def page(sample, tmp_path):
    path = tmp_path / "page.html"
    assert gpz.view.write_html(sample, path, column="vx") == path.stat().st_size
    return path.read_text()


class TestPage:
    def test_has_all_frames(self, page, sample):
        messages = messages_of(page)
        with gpz.open(sample) as trajectory:
            for k, frame in enumerate(trajectory):
                head, arrays = messages[f"frame/{k}"]
                steps = np.array(head["step"])
                found = np.array(head["origin"]) + head["low"] + arrays["packed"].reshape(-1, 3) * steps
                assert np.abs(found - frame.positions).max() <= steps.max() / 2 * 1.001 + 1e-6
                assert steps.max() < 16 / 65000
                assert head["bound"] == pytest.approx(1e-3 + steps.max() / 2)
                np.testing.assert_array_equal(arrays["values"], frame["vx"].astype(np.float32))
                _, identity = messages[f"identity/{head['identity']}"]
                np.testing.assert_array_equal(identity["ids"], frame.ids)
                np.testing.assert_array_equal(identity["types"], frame.types)
        assert messages["index"][0]["n_frames"] == FRAMES
        assert messages["bonds/0"][1]["atom1"].tolist() == [1, 2]

    def test_has_ids_and_types_once(self, page):
        assert len([name for name in messages_of(page) if name.startswith("identity/")]) == 1

    def test_runs_its_own_script_only_and_connects_to_nothing(self, page):
        policy = policy_of(page)
        script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert policy == (
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'"
        )
        assert not re.search(r"https?://", page)

    def test_a_live_page_connects_to_its_server_only(self):
        page = pages.live_page("x")
        assert policy_of(page).endswith("connect-src 'self'")
        assert not re.search(r"https?://", page)

    def test_names_are_text(self, tmp_path):
        path = write(tmp_path / "<script>&<!--DATA-->.gpz", frames=1)
        text = embedded.page(gpz.view.Scene(gpz.open(path)))
        assert "<title>&lt;script&gt;&amp;&lt;!--DATA--&gt;.gpz - gpz view</title>" in text
        assert messages_of(text)["index"][0]["name"] == path.name

    def test_a_name_that_is_no_text(self, tmp_path):
        path = write(tmp_path / os.fsdecode(b"\xff.gpz"), frames=1)
        assert embedded.page(gpz.view.Scene(gpz.open(path))).encode()

    def test_some_frames(self, sample, tmp_path):
        gpz.view.write_html(sample, tmp_path / "page.html", frames=slice(1, 4, 2))
        messages = messages_of((tmp_path / "page.html").read_text())
        assert messages["index"][1]["timesteps"].tolist() == [10, 30]
        assert "frame/1" in messages and "frame/2" not in messages

    def test_a_slice_of_a_trajectory(self, sample, tmp_path):
        with gpz.open(sample) as trajectory:
            gpz.view.write_html(trajectory[::-2], tmp_path / "page.html")
        assert messages_of((tmp_path / "page.html").read_text())["index"][1]["timesteps"].tolist() == [50, 30, 10]

    def test_values_that_are_not_finite_stay(self, tmp_path):
        positions = positions_of(0)
        positions[7, 0] = np.nan
        path = write(tmp_path / "nan.gpz", frames=1, positions=positions)
        _, arrays = messages_of(embedded.page(gpz.view.Scene(gpz.open(path))))["frame/0"]
        assert "packed" not in arrays and np.isnan(arrays["positions"]).sum() == 1

    def test_a_damaged_frame_has_its_error(self, tmp_path):
        starts = []
        path = write(tmp_path / "damaged.gpz", starts=starts)
        data = bytearray(path.read_bytes())
        data[(starts[4] + starts[5]) // 2] ^= 0xFF
        path.write_bytes(data)
        messages = messages_of(embedded.page(gpz.view.Scene(gpz.open(path))))
        assert "checksum" in messages["frame/4"][0]["error"]
        assert "error" not in messages["frame/3"][0]


LARGEST = 15_000  # bytes


class TestRefused:
    def test_a_page_that_would_be_too_large(self, sample, tmp_path):
        scene = gpz.view.Scene(gpz.open(sample))
        with pytest.raises(gpz.ArgumentError, match=r"a page with these 6 frames has 0 MB, and the most are 0 MB. Take one frame of"):
            embedded.write(scene, tmp_path / "page.html", largest=LARGEST)
        assert not list(tmp_path.glob("*.html"))

    def test_the_estimate_is_about_right(self, page, sample):
        """Up to the scripts of the page."""
        scripts = len(pages.live_page(""))
        embedded.page(gpz.view.Scene(gpz.open(sample)), "vx", largest=int((len(page) - scripts) * 1.1))
        with pytest.raises(gpz.ArgumentError):
            embedded.page(gpz.view.Scene(gpz.open(sample)), "vx", largest=int((len(page) - scripts) * 0.9))

    def test_what_is_said_to_help_helps(self, sample, tmp_path):
        with pytest.raises(gpz.ArgumentError) as refused:
            embedded.page(gpz.view.Scene(gpz.open(sample)), largest=LARGEST)
        step, particles = re.search(r"\(::(\d+)\), or at most (\d+) of", str(refused.value)).groups()
        embedded.page(gpz.view.Scene(gpz.open(sample), slice(None, None, int(step))), largest=LARGEST)
        embedded.page(gpz.view.Scene(gpz.open(sample), None, int(particles)), largest=LARGEST)

    def test_other_inputs(self, sample, tmp_path):
        with pytest.raises(gpz.ColumnError, match="no column q: there are x y z id type"):
            gpz.view.write_html(sample, tmp_path / "page.html", column="q")
        with pytest.raises(gpz.ArgumentError, match="there is no frame to show"):
            gpz.view.write_html(sample, tmp_path / "page.html", frames=slice(0, 0))
        with pytest.raises(gpz.FileError, match="nowhere"):
            gpz.view.write_html(sample, tmp_path / "nowhere" / "page.html")
        assert not list(tmp_path.glob("*.html"))

    def test_nothing_is_left_behind(self, sample, tmp_path):
        (tmp_path / "folder").mkdir()
        with pytest.raises(gpz.FileError):
            gpz.view.write_html(sample, tmp_path / "folder")
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "sample.gpz"]


class TestNotebook:
    def test_a_view_is_an_iframe_of_a_server(self, sample, served):
        with gpz.open(sample) as trajectory:
            view = trajectory[2:].view(height=300, width="50%")
            text = view._repr_html_()
            assert text == f'<iframe src="{view.url}" style="width:50%;height:300px;border:0"></iframe>'
            assert Client(view.url).message("index")[1]["timesteps"].tolist() == [20, 30, 40, 50]
            trajectory.close()  # the view has the file open for itself
            assert Client(view.url).message("frame/3")[0]["timestep"] == 50
            view.close()
            assert view.url is None

    def test_an_embedded_view(self, sample):
        with gpz.open(sample) as trajectory:
            text = trajectory.view(embed=True, column="vy")._repr_html_()
        page = html.unescape(re.search(r'srcdoc="([^"]*)"', text)[1])
        assert len(messages_of(page)) == FRAMES + 3

    def test_of_bytes_in_memory(self, sample):
        view = gpz.open(sample.read_bytes()).view()
        assert view.url
        view.close()

    def test_wrong_arguments(self, sample):
        with gpz.open(sample) as trajectory:
            with pytest.raises(gpz.ArgumentError, match="column: only with embed=True"):
                trajectory.view(column="vx")
            with pytest.raises(gpz.ArgumentError, match="height: pixels"):
                trajectory.view(height=3)
            with pytest.raises(gpz.ArgumentError, match="limit: a whole number from 1"):
                trajectory.view(limit=0)




def test_the_file_itself_is_no_page(sample, tmp_path):
    before = Path(sample).read_bytes()
    link = tmp_path / "link.gpz"
    os.symlink(sample, link)
    with gpz.open(sample) as trajectory:
        for source in (sample, trajectory, trajectory[1:]):
            for path in (sample, link):
                with pytest.raises(gpz.ArgumentError, match="input.*: write another file"):
                    gpz.view.write_html(source, path)
    assert Path(sample).read_bytes() == before

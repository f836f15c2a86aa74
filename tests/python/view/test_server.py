# SPDX-License-Identifier: BSD-3-Clause
"""What the server of gpz view sends, compared with the library; and what it does not send."""

import http.client
import json
import re
import threading

import numpy as np
import pytest
from conftest import BOX, FRAMES, PARTICLES, positions_of, write

import gpz
import gpz.view
from gpz.view.messages import compact, pack, unpack


class TestAddress:
    def test_the_page_is_at_the_url(self, sample, served):
        status, headers, body = served(sample).ask("")
        assert status == 200
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert b"<title>sample.gpz - gpz view</title>" in body

    def test_listens_on_the_loopback_interface_only(self, sample):
        server = gpz.view.serve(sample)
        try:
            assert server._server.server_address[0] == "127.0.0.1"
            assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/[A-Za-z0-9_-]{32}/", server.url)
        finally:
            server.close()

    def test_each_server_has_its_own_token(self, sample, served):
        assert served(sample).root != served(sample).root

    @pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/index", "/index", "//", "/%00/", "/favicon.ico"])
    def test_without_the_token_everything_is_forbidden(self, sample, served, path):
        status, text = served(sample).error("", path=path)
        assert (status, text) == (403, "the token of the URL is not that of this server")

    def test_a_part_of_the_token_is_no_token(self, sample, served):
        client = served(sample)
        token = client.root.strip("/")
        for wrong in (token[:-1], token + "x", token.swapcase(), token[1:], "%C3%A9"):
            assert client.ask("", path=f"/{wrong}/index")[0] == 403

    @pytest.mark.parametrize(
        "name", ["x", "sample.gpz", "../", "../../etc/passwd", "static/viewer.js", "frame", "frame/", "frame/x", "frame/-1",
                 "frame/1/2", "frame/99999999999999999999", "bonds/", "index/"]
    )  # fmt: skip
    def test_other_paths_are_not_found(self, sample, served, name):
        assert served(sample).ask(name)[0] == 404

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
    def test_other_methods_are_refused(self, sample, served, method):
        assert served(sample).ask("index", method=method)[0] == 501

    def test_head_has_no_body(self, sample, served):
        client = served(sample)
        status, headers, body = client.ask("index", method="HEAD")
        assert (status, body) == (200, b"")
        assert int(headers["Content-Length"]) == len(client.ask("index")[2])

    def test_nothing_is_kept_by_caches(self, sample, served):
        for name in ("", "index", "frame/0", "x"):
            assert served(sample).ask(name)[1]["Cache-Control"] == "no-store"

    def test_a_server_that_was_closed_does_not_answer(self, sample):
        server = gpz.view.serve(sample)
        port = server.port
        server.close()
        again = gpz.view.serve(sample, port=port)  # the port is free
        assert again.port == port
        with pytest.raises(OSError):
            gpz.view.serve(sample, port=port)
        again.close()


    def test_closing_ends_connections(self, sample):
        server = gpz.view.serve(sample)
        connection = http.client.HTTPConnection(server.url.split("/")[2], timeout=30)
        connection.request("GET", f"/{server.token}/index")
        connection.getresponse().read()
        server.close()
        with pytest.raises((OSError, http.client.HTTPException)):
            connection.request("GET", f"/{server.token}/index")
            connection.getresponse()
        connection.close()


class TestIndex:
    def test_of_all_frames(self, sample, served):
        head, arrays = served(sample).message("index")
        with gpz.open(sample) as trajectory:
            for name, expected in {
                "timesteps": trajectory.timesteps,
                "times": trajectory.times,
                "sizes": trajectory.sizes,
                "counts": trajectory.counts,
            }.items():
                np.testing.assert_array_equal(arrays[name], expected)
        assert head["n_frames"] == FRAMES
        assert head["name"] == "sample.gpz"
        assert head["size"] == sample.stat().st_size
        assert head["torn"] is False
        assert head["notes"] == []
        assert head["has_bonds"] is True

    def test_observables(self, sample, served):
        head, arrays = served(sample).message("index")
        assert head["observables"] == [{"name": "Temp", "unit": "K"}, {"name": "PotEng", "unit": ""}]
        np.testing.assert_array_equal(arrays["observable 0"], 300 + np.arange(FRAMES))
        np.testing.assert_array_equal(arrays["observable 1"], -np.arange(FRAMES))

    def test_species(self, sample, served):
        carbon, hydrogen = served(sample).message("index")[0]["species"]
        assert carbon == {"name": "1 C", "colour": "909090", "radius": 0.76}
        assert hydrogen["name"] == "2 H"

    def test_the_first_curve_is_not_the_step(self, tmp_path, served):
        """Curves are listed in the order of the file, those that tell how far the run is behind the others."""
        with gpz.Writer(tmp_path / "a.gpz", units="metal") as writer:
            writer.write(positions=np.zeros((2, 3)), observables={"Step": 7, "Temp": 1.0, "CPU": 0.5, "PotEng": 2.0})
        head, arrays = served(tmp_path / "a.gpz").message("index")
        assert [each["name"] for each in head["observables"]] == ["Temp", "PotEng", "Step", "CPU"]
        assert [arrays[f"observable {k}"][0] for k in range(4)] == [1.0, 2.0, 7.0, 0.5]

    def test_elements_by_mass(self, tmp_path, served):
        path = tmp_path / "masses.gpz"
        with gpz.Writer(path, units="nano") as writer:
            writer.write_tables({"types": {"type": [1, 2], "mass": [63.5, 500.0]}})
            writer.write(positions=np.zeros((2, 3)), types=[1, 2])
        with gpz.Writer(tmp_path / "real.gpz", units="real") as writer:
            writer.write_tables({"types": {"type": [1, 2, 4], "mass": [63.5, 0.0, 1.008]}})
            writer.write(positions=np.zeros((2, 3)), types=[1, 2])
        with gpz.Writer(tmp_path / "beads.gpz", units="real") as writer:
            writer.write_tables({"types": {"type": [1, 2], "mass": [72.0, 45.0]}})
            writer.write(positions=np.zeros((2, 3)), types=[1, 2])
        names = [[each["name"] for each in served(p).message("index")[0]["species"]] for p in (path, tmp_path / "real.gpz", tmp_path / "beads.gpz")]
        assert names == [["1", "2"], ["1 Cu", "2", "3", "4 H"], ["1", "2"]]  # masses of nano are attograms


class TestFrames:
    def test_positions_are_those_of_the_library(self, sample, served):
        client = served(sample)
        with gpz.open(sample) as trajectory:
            for k in (4, 0, 5, 2):
                head, arrays = client.message(f"frame/{k}")
                frame = trajectory[k]
                expected = (frame.positions - BOX.origin).astype(np.float32)
                assert arrays["positions"].tobytes() == expected.tobytes()
                np.testing.assert_array_equal(arrays["ids"], frame.ids)
                np.testing.assert_array_equal(arrays["types"], frame.types)
                assert (head["timestep"], head["time"], head["n_particles"]) == (10 * k, 0.5 * k, PARTICLES)
                assert head["size"] == trajectory.sizes[k]
                assert head["is_key"] == frame.is_key
                assert head["bound"] == 1e-3

    def test_box(self, sample, served):
        head, _ = served(sample).message("frame/0")
        assert head["origin"] == [-1, -2, -3]
        assert head["matrix"] == [[12, 0, 0], [0, 14, 0], [0, 0, 16]]
        assert head["periodic"] == [True, True, False]
        assert head["dimension"] == 3

    def test_positions_are_aligned(self, sample, served):
        """A browser makes arrays of the bytes as they are."""
        body = served(sample).ask("frame/0?column=vx")[2]
        text = int.from_bytes(body[:4], "little")
        assert text % 8 == 0 and len(body) % 8 == 0
        head = json.loads(body[8 : 8 + text])
        assert all(offset % 8 == 0 for _, offset, _ in head["arrays"].values())

    def test_a_column(self, sample, served):
        head, arrays = served(sample).message("frame/1?column=vx")
        with gpz.open(sample) as trajectory:
            np.testing.assert_array_equal(arrays["values"], trajectory[1]["vx"].astype(np.float32))
        assert head["column"] == "vx"
        assert head["columns"] == ["id", "type", "vx", "vy", "vz"]

    def test_a_column_that_the_frame_does_not_have(self, sample, served):
        head, arrays = served(sample).message("frame/1?column=charge")
        assert head["column"] is None and "values" not in arrays

    def test_ids_and_types_that_are_known_are_left_out(self, sample, served):
        client = served(sample)
        first, arrays = client.message("frame/0")
        second, rest = client.message(f"frame/1?known={first['identity']}")
        assert "ids" in arrays and "ids" not in rest and "types" not in rest
        assert second["identity"] == first["identity"]
        assert "ids" in client.message("frame/1?known=other")[1]

    def test_a_frame_that_there_is_not(self, sample, served):
        status, text = served(sample).error(f"frame/{FRAMES}")
        assert (status, text) == (404, f"no frame {FRAMES}: there are {FRAMES}")

    def test_some_frames(self, sample, served):
        client = served(sample, frames=slice(1, None, 2))
        assert client.message("index")[1]["timesteps"].tolist() == [10, 30, 50]
        head, _ = client.message("frame/1")
        assert (head["index"], head["index_in_file"], head["timestep"]) == (1, 3, 30)

    def test_several_at_once(self, sample, served):
        """As a browser asks that plays; the library decodes one after the other."""
        client, found = served(sample), {}
        expected = [client.ask(f"frame/{k}")[2] for k in range(FRAMES)]

        def ask(k):
            found[k] = client.ask(f"frame/{k}")[2]

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(FRAMES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[k] for k in range(FRAMES)] == expected

    def test_bonds(self, sample, served):
        head, arrays = served(sample).message("bonds/0")
        assert head["n_bonds"] == 2
        assert (arrays["atom1"].tolist(), arrays["atom2"].tolist()) == ([1, 2], [2, 3])

    def test_scaled_positions(self, tmp_path, served):
        path = tmp_path / "scaled.gpz"
        fractions = np.random.default_rng(1).random((20, 3))
        with gpz.Writer(path) as writer:
            writer.write(xs=fractions[:, 0], ys=fractions[:, 1], zs=fractions[:, 2], ids=range(1, 21), box=BOX)
        with gpz.open(path) as trajectory:
            expected = (trajectory[0].positions - BOX.origin).astype(np.float32)
        np.testing.assert_array_equal(served(path).message("frame/0")[1]["positions"].reshape(-1, 3), expected)


class TestOtherFiles:
    def test_without_ids_types_and_box(self, tmp_path, served):
        path = tmp_path / "bare.gpz"
        positions = np.random.default_rng(2).random((30, 3)) * 5 + 100
        with gpz.Writer(path, order="place", bound=1e-4) as writer:
            writer.write(positions=positions)
        head, arrays = served(path).message("frame/0")
        with gpz.open(path) as trajectory:
            stored = trajectory[0].positions
        assert sorted(arrays) == ["positions"]
        assert head["matrix"] is None and head["has_ids"] is False
        np.testing.assert_array_equal(head["origin"], stored.min(axis=0))
        np.testing.assert_array_equal(arrays["positions"].reshape(-1, 3), (stored - stored.min(axis=0)).astype(np.float32))

    def test_in_two_dimensions(self, tmp_path, served):
        box = gpz.Box.from_bounds([0, 0, -0.5], [10, 10, 0.5], dimension=2)
        path = write(tmp_path / "flat.gpz", box=box, positions=positions_of(0) * [1, 1, 0])
        head, arrays = served(path).message("frame/0")
        assert head["dimension"] == 2
        np.testing.assert_array_equal(arrays["positions"][2::3], 0.5)

    def test_a_number_of_particles_that_changes(self, tmp_path, served):
        path = tmp_path / "grows.gpz"
        with gpz.Writer(path) as writer:
            for n in (5, 7, 0, 3):
                writer.write(positions=np.ones((n, 3)), ids=np.arange(n) + 1, box=BOX)
        client = served(path)
        assert client.message("index")[1]["counts"].tolist() == [5, 7, 0, 3]
        assert [client.message(f"frame/{k}")[0]["n_shown"] for k in range(4)] == [5, 7, 0, 3]

    def test_large_ids(self, tmp_path, served):
        path = write(tmp_path / "large.gpz", frames=1, ids=np.arange(PARTICLES) + 2**40, types=np.arange(PARTICLES) % 2 + 1)
        _, arrays = served(path).message("frame/0")
        assert arrays["ids"].dtype == np.float64
        np.testing.assert_array_equal(arrays["ids"], np.arange(PARTICLES) + 2**40)

    def test_without_frames(self, tmp_path, served):
        path = write(tmp_path / "empty.gpz", frames=0)
        assert served(path).message("index")[0]["n_frames"] == 0

    def test_without_positions(self, tmp_path, served):
        path = tmp_path / "no_positions.gpz"
        with gpz.Writer(path) as writer:
            writer.write(q=np.ones(3), ids=[1, 2, 3])
        status, text = served(path).error("frame/0")
        assert status == 422 and "position" in text

    def test_values_that_are_not_finite(self, tmp_path, served):
        positions = positions_of(0)
        positions[7] = [np.nan, np.inf, 1]
        path = write(tmp_path / "nan.gpz", frames=1, positions=positions, box=None)
        head, arrays = served(path).message("frame/0")
        assert np.isfinite(head["origin"]).all()
        assert np.isnan(arrays["positions"]).sum() == 1 and np.isinf(arrays["positions"]).sum() == 1

    def test_what_is_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            gpz.view.serve(tmp_path / "none.gpz")
        (tmp_path / "text").write_text("text" * 100)
        with pytest.raises(gpz.NotGpzError):
            gpz.view.serve(tmp_path / "text")


class TestSamples:
    def test_a_sample_has_the_same_particles_in_all_frames(self, sample, served):
        client = served(sample, limit=100)
        assert client.message("index")[0]["limit"] == 100
        ids = [client.message(f"frame/{k}")[1]["ids"].tolist() for k in range(FRAMES)]
        assert 80 <= len(ids[0]) <= 100
        assert all(other == ids[0] for other in ids)
        head, _ = client.message("frame/0")
        assert (head["n_particles"], head["n_shown"], head["is_sample"]) == (PARTICLES, len(ids[0]), True)

    def test_a_sample_is_even(self, tmp_path, served):
        """Also over the ids, of which neighbouring ones are neighbours in lattices."""
        path = tmp_path / "many.gpz"
        n = 40_000
        with gpz.Writer(path) as writer:
            writer.write(positions=np.zeros((n, 3)), ids=np.arange(1, n + 1))
        ids = served(path, limit=4000).message("frame/0")[1]["ids"]
        counts = np.histogram(ids, 40, (1, n))[0]
        assert counts.min() >= 90 and counts.max() <= 105
        assert all(abs(np.mean(ids % m == 0) - 1 / m) < 0.02 for m in (2, 3, 4, 8))

    def test_a_region_has_all_its_particles(self, sample, served):
        client = served(sample, limit=100)
        head, arrays = client.message("frame/0?region=0,1,0.5,0.6,0,1")
        with gpz.open(sample) as trajectory:
            frame = trajectory[0]
            part = (frame.positions[:, 1] + 2) / 14
            inside = frame.ids[(part >= 0.5) & (part <= 0.6)]
        assert 20 < len(inside) < 100
        np.testing.assert_array_equal(arrays["ids"], inside)
        assert (head["n_shown"], head["is_sample"]) == (len(inside), False)

    def test_a_region_with_too_many_is_sampled(self, sample, served):
        head, arrays = served(sample, limit=50).message("frame/0?region=0,1,0,0.5,0,1")
        assert 30 <= head["n_shown"] <= 50
        assert (arrays["positions"].reshape(-1, 3)[:, 1] <= 7.01).all()

    @pytest.mark.parametrize("region", ["x", "1,2", "0,1,0,1,0,nan", "0,1,0,1,0,1,0"])
    def test_a_wrong_region(self, sample, served, region):
        assert served(sample).ask(f"frame/0?region={region}")[0] == 400

    def test_the_limit_is_checked(self, sample):
        with pytest.raises(gpz.ArgumentError, match="limit: a whole number from 1, not 0"):
            gpz.view.serve(sample, limit=0)
        with pytest.raises(TypeError, match="frames: a slice"):
            gpz.view.serve(sample, frames=3)


class TestDamage:
    def test_a_damaged_frame(self, tmp_path, served):
        """Its error is said, as is that of the frames that need it; the others are sent."""
        starts = []
        path = write(tmp_path / "damaged.gpz", starts=starts)
        data = bytearray(path.read_bytes())
        middle = (starts[3] + starts[4]) // 2
        data[middle : middle + 8] = bytes(value ^ 0xFF for value in data[middle : middle + 8])
        path.write_bytes(data)
        client = served(path)
        assert [client.ask(f"frame/{k}")[0] for k in range(FRAMES)] == [200, 200, 200, 422, 422, 422]
        status, text = client.error("frame/3")
        assert status == 422 and "damaged.gpz" in text and "checksum" in text
        assert client.message("index")[0]["n_frames"] == FRAMES

    def test_damaged_tables(self, tmp_path, served):
        """Frames are shown without bonds, and a note says so."""
        path = write(tmp_path / "damaged.gpz")
        data = bytearray(path.read_bytes())
        place = data.index(b"atom1")
        data[place] ^= 0xFF
        path.write_bytes(data)
        client = served(path)
        head, _ = client.message("index")
        assert head["has_bonds"] is False
        assert any("tables" in note for note in head["notes"])
        assert client.ask("frame/0")[0] == 200
        assert client.ask("bonds/0")[0] == 422

    def test_a_torn_end(self, tmp_path, served):
        starts = []
        path = write(tmp_path / "torn.gpz", starts=starts)
        path.write_bytes(path.read_bytes()[: starts[-1] - 100])
        client = served(path)
        head, _ = client.message("index")
        assert head["torn"] is True and head["n_frames"] == FRAMES - 1
        assert client.ask(f"frame/{FRAMES - 2}")[0] == 200

    def test_a_file_that_grows(self, tmp_path, served):
        path = write(tmp_path / "grows.gpz", frames=2)
        client = served(path)
        assert client.message("index")[0]["n_frames"] == 2
        write(path, frames=3, append=True)
        assert client.ask("frame/4")[0] == 404  # until the page asks for the index
        assert client.message("index")[0]["n_frames"] == 5
        assert client.message("frame/4")[0]["timestep"] == 20

    def test_some_frames_of_a_file_that_grows(self, tmp_path, served):
        path = write(tmp_path / "grows.gpz", frames=2)
        client = served(path, frames=slice(None, None, 2))
        assert client.message("index")[0]["n_frames"] == 1
        write(path, frames=3, append=True)
        assert client.message("index")[0]["n_frames"] == 3

    def test_a_file_that_vanishes(self, sample, served):
        """What is open can be read on."""
        client = served(sample)
        sample.unlink()
        assert client.ask("index")[0] == 200
        assert client.ask("frame/5")[0] == 200


class TestMessages:
    def test_there_and_back(self):
        arrays = {"a": np.arange(5, dtype=np.uint8), "b": np.linspace(0, 1, 3), "c": np.zeros(0, np.int32)}
        head, back = unpack(pack({"x": [1, None, "é"]}, arrays))
        assert head == {"x": [1, None, "é"]}
        assert all(back[name].dtype == arrays[name].dtype for name in arrays)
        assert all((back[name] == arrays[name]).all() for name in arrays)

    def test_nan_is_no_json(self):
        with pytest.raises(ValueError):
            pack({"x": float("nan")}, {})

    @pytest.mark.parametrize(
        ("values", "dtype"), [([], "uint8"), ([0, 255], "uint8"), ([-1], "int32"), ([256], "int32"), ([2**31], "float64")]
    )
    def test_whole_numbers(self, values, dtype):
        found = compact(np.array(values, np.int64))
        assert found.dtype == dtype and found.tolist() == values

# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that are cut: the whole frames are written, and the program says where they end."""

import os
import struct
import warnings

import numpy as np
import pytest
from cut_inputs import FRAMES, KINDS, TRUNCATED, cut, random_places, whole

import gpz
from gpz.convert import convert
from gpz.convert.whole_frames import extent_of

CUTS = int(os.environ.get("GPZ_CUTS", "4"))


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.name)
def original(request, tmp_path_factory):
    return whole(request.param, tmp_path_factory.mktemp("whole"))


def by_kind(name):
    return next(kind for kind in KINDS if kind.name == name)


def places(original):
    """Random ones, and those at which mistakes by one would show."""
    edges = {0, 1, len(original.data) - 1}
    # Whether mdcrd has boxes is seen behind its first frame.
    for end in original.ends[original.kind.digits : 2] + original.ends[-2:-1]:
        edges |= {end - 1, end, end + 1}
    return sorted(edges | set(random_places(original, CUTS)))


def test_whole_frames_are_kept_and_the_cut_is_named(original, tmp_path):
    for place in places(original):
        outcome = cut(original, tmp_path, place)
        expected = original.whole_before(place)
        assert outcome.equal
        assert (outcome.kept or 0) == expected
        if not original.is_cut(place):
            assert (outcome.code, "truncated" in outcome.text) == (0, False)
            continue
        assert outcome.code == TRUNCATED, (place, outcome.text)
        assert "Traceback" not in outcome.text and ".gpz-convert" not in outcome.text
        last = outcome.text.splitlines()[-1]
        assert last.startswith(f"gpz convert: {tmp_path / 'cut'}{original.kind.ending}: ")
        if expected == 0:
            assert outcome.kept is None
        else:
            end = original.ends[expected - 1] + original.kind.digits
            assert f"byte {end}: truncated after frame {expected - 1} ({expected}" in last
            assert f"{expected} complete frame" in last and last.endswith("written")


def test_a_file_that_is_not_cut(original, tmp_path):
    outcome = cut(original, tmp_path, len(original.data))
    assert (outcome.code, outcome.kept, outcome.equal) == (0, FRAMES, True)
    assert "truncated" not in outcome.text


def test_allow_truncated(original, tmp_path):
    place = len(original.data) * 2 // 3
    outcome = cut(original, tmp_path, place, "--allow-truncated")
    if not original.kind.keeps:
        assert (outcome.code, outcome.kept) == (TRUNCATED, None)
        return
    assert (outcome.code, outcome.kept, outcome.equal) == (0, original.whole_before(place), True)
    assert "note: " in outcome.text and "truncated after frame" in outcome.text


def test_python(tmp_path):
    original = whole(by_kind("DCD"), tmp_path)
    place = original.ends[3] + 7
    (tmp_path / "cut.dcd").write_bytes(original.data[:place])
    with pytest.raises(gpz.TruncatedError, match=r"truncated after frame 3 \(4 of 10 complete\)") as caught:
        convert(tmp_path / "cut.dcd", tmp_path / "a.gpz")
    assert (caught.value.position, caught.value.path) == (original.ends[3], str(tmp_path / "cut.dcd"))
    assert any("no types" in note for note in caught.value.notes)
    assert len(gpz.open(tmp_path / "a.gpz")) == 4
    with pytest.warns(UserWarning, match="truncated after frame 3"):
        notes = convert(tmp_path / "cut.dcd", tmp_path / "b.gpz", allow_truncated=True)
    assert "truncated after frame 3" in notes[-1]
    assert (tmp_path / "a.gpz").read_bytes() == (tmp_path / "b.gpz").read_bytes()


def test_chosen_frames_of_a_cut_file(tmp_path):
    original = whole(by_kind("XTC"), tmp_path)
    (tmp_path / "cut.xtc").write_bytes(original.data[: original.ends[5] - 1])
    with pytest.raises(gpz.TruncatedError, match="truncated after frame 4.*2 complete frames written"):
        convert(tmp_path / "cut.xtc", tmp_path / "a.gpz", frames=slice(-1, 1, -2))
    with gpz.open(tmp_path / "a.gpz") as made:
        assert made.timesteps.tolist() == [4, 2]


def test_frames_before_damage_can_be_chosen(tmp_path):
    original = whole(by_kind("XTC"), tmp_path)
    data = bytearray(original.data)
    data[original.ends[2] : original.ends[2] + 4] = bytes(4)
    (tmp_path / "bad.xtc").write_bytes(data)
    with pytest.raises(gpz.CorruptError, match="3 frames are before it complete|no frame of XTC") as caught:
        convert(tmp_path / "bad.xtc", tmp_path / "a.gpz")
    assert not isinstance(caught.value, gpz.TruncatedError) and caught.value.position == original.ends[2]
    assert not (tmp_path / "a.gpz").exists()
    notes = convert(tmp_path / "bad.xtc", tmp_path / "a.gpz", frames=slice(0, 3), bound=0)
    assert any("damaged" in note for note in notes)
    with gpz.open(tmp_path / "a.gpz") as made:
        for frame, expected in zip(made, original.frames, strict=False):
            assert np.array_equal(frame.positions, expected)
        assert len(made) == 3


def test_a_gpz_file_that_is_damaged_between_frames(tmp_path):
    original = whole(by_kind("gpz"), tmp_path)
    data = bytearray(original.data)
    data[original.ends[2] : original.ends[2] + 40] = bytes(40)
    (tmp_path / "bad.gpz").write_bytes(data[: original.ends[-1]])
    with pytest.raises(gpz.CorruptError, match="bad.gpz"):
        convert(tmp_path / "bad.gpz", tmp_path / "a.dcd")
    assert not (tmp_path / "a.dcd").exists()


# --- Files that are not ours ---


def test_a_dcd_whose_program_counts_no_frames(tmp_path):
    original = whole(by_kind("DCD"), tmp_path)
    data = bytearray(original.data)
    data[8:12] = struct.pack("<i", 0)
    (tmp_path / "running.dcd").write_bytes(data)
    assert extent_of(tmp_path / "running.dcd", "DCD").problem("") is None
    convert(tmp_path / "running.dcd", tmp_path / "a.gpz")
    assert len(gpz.open(tmp_path / "a.gpz")) == FRAMES
    (tmp_path / "running.dcd").write_bytes(data[:-1])
    with pytest.raises(gpz.TruncatedError, match=r"after frame 8 \(9 complete\)"):
        convert(tmp_path / "running.dcd", tmp_path / "a.gpz")


def test_big_endian_dcd_with_fixed_atoms(tmp_path):
    """By the description of the format: 2 of 5 atoms are fixed, and only the first frame has them."""

    def record(data):
        return struct.pack(">i", len(data)) + data + struct.pack(">i", len(data))

    header = [3, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0] + [0] * 8 + [24]
    file = record(b"CORD" + struct.pack(">20i", *header)) + record(struct.pack(">i", 1) + b" " * 80)
    file += record(struct.pack(">i", 5)) + record(struct.pack(">3i", 1, 3, 5))
    ends = []
    for atoms in (5, 3, 3):
        file += 3 * record(struct.pack(f">{atoms}f", *range(atoms)))
        ends.append(len(file))
    for place in range(ends[0] - 1, len(file) + 1):
        (tmp_path / "a.dcd").write_bytes(file[:place])
        extent = extent_of(tmp_path / "a.dcd", "DCD")
        assert extent.frames == sum(end <= place for end in ends)
        assert extent.cut == (place < len(file))


def test_large_xtc_and_double_trr(tmp_path):
    """Frames of XTC with lengths of 64 bits (magic number 2023), few atoms in XTC, and TRR in double precision."""
    large = struct.pack(">4i", 2023, 20, 0, 0) + bytes(36) + struct.pack(">i", 20) + bytes(28)
    large += struct.pack(">iq", 9, 5) + bytes(8)
    few = struct.pack(">4i", 1995, 3, 0, 0) + bytes(36) + struct.pack(">i", 3) + bytes(36)
    sizes = [0, 0, 72, 0, 0, 0, 0, 72, 0, 72]
    double = struct.pack(">3i", 1993, 13, 12) + b"GMX_trn_file" + struct.pack(">10i3i", *sizes, 3, 0, 0) + bytes(232)
    for form, frame in (("XTC", large), ("XTC", few), ("TRR", double)):
        for rest in (0, 1, len(frame) - 1):
            (tmp_path / "a").write_bytes(frame * 2 + frame[:rest])
            extent = extent_of(tmp_path / "a", form)
            assert (extent.frames, extent.end, extent.cut) == (2, 2 * len(frame), rest > 0)


def test_netcdf_with_a_single_variable_has_no_padding(tmp_path):
    from scipy.io import netcdf_file

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with netcdf_file(tmp_path / "a.nc", "w", version=2) as file:
            file.createDimension("frame", None)
            file.createDimension("atom", 3)
            file.createVariable("only", "h", ("frame", "atom"))[:] = np.ones((4, 3), "h")
    data = (tmp_path / "a.nc").read_bytes()
    begin = len(data) - 4 * 6
    for place in range(begin, len(data) + 1):
        (tmp_path / "a.nc").write_bytes(data[:place])
        extent = extent_of(tmp_path / "a.nc", "NCDF")
        assert (extent.frames, extent.cut) == ((place - begin) // 6, place < len(data))

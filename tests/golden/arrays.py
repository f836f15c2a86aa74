#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The golden frame arrays: how they are decoded, what is pinned of them, and how they are made. As make.py does for files:

  GPZ_GOLDEN_CODEC=build/bin/golden_codec python3 arrays.py --only NAME [NAME ...]
"""

import hashlib
import json

import array_data
import decoders
import make

from gpz_reference.codec import FLOAT64
from gpz_reference.conformance import digest
from gpz_reference.features import FRAME_ARRAY, names_of
from gpz_reference.frame_array import decode_frame_array

FILES = decoders.FILES / "arrays"
DIGESTS = FILES / "digests.json"
FEATURES = slice(12, 16)  # bytes of the required features


def path_of(name):
    return FILES / f"{name}.bin"


def encoded_each(source, ways):
    """As make.encoded_each."""
    return make.encoded_each(source, ways, command="encode-array")


def all_arrays():
    """By name: what makes the bytes."""
    arrays = {name: lambda source=source: next(encoded_each(source, [(1,)]))[0] for name, source in array_data.sources().items()}
    return arrays | {name: lambda content=content: content for name, content in array_data.by_hand().items()}


def by_library(path):
    """What is said of the array, and its bytes."""
    result = decoders.codec("decode-array", path)
    assert result.returncode == 0, result.stderr.decode()
    described, _, data = result.stdout.partition(b"\n")
    return json.loads(described), data


def by_reference(path):
    array = decode_frame_array(path.read_bytes())
    described = {key: getattr(array, key) for key in ("type", "frames", "particles", "components")}
    return {**described, "bound": decoders.double_bits(array.bound)}, array.data


def pinned(described, data):
    """What digests.json has of an array besides what its bytes say."""
    return {**described, "type": "f64" if described["type"] == FLOAT64 else "f32", "bound": f"{described['bound']:016x}", "values": digest(data)}


def facts_of_bytes(path):
    content = path.read_bytes()
    features = int.from_bytes(content[FEATURES], "little")
    return {"sha256": hashlib.sha256(content).hexdigest(), "features": names_of(features & ~FRAME_ARRAY)}


def read_digests():
    return json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}


def main():
    names = make.names_to_make(__doc__)
    digests, arrays = read_digests(), all_arrays()
    FILES.mkdir(exist_ok=True)
    for name in names:
        path = path_of(name)
        path.write_bytes(arrays[name]())
        found = pinned(*by_library(path))
        assert found == pinned(*by_reference(path)), f"{path}: the decoders disagree"
        digests[name] = {**facts_of_bytes(path), **found}
    lines = [f" {json.dumps(name)}: {json.dumps(described)}" for name, described in sorted(digests.items())]
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

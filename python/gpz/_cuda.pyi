# SPDX-License-Identifier: BSD-3-Clause
# The extension for GPUs (python/src/device_module.cpp). Nothing of it is for users.
from collections.abc import Sequence
from typing import Any

def zeros(shape: Sequence[int], dtype: str, device: int) -> Any: ...

class Reader:
    @staticmethod
    def open(path: bytes, device: int, max_memory: int, threads: int, ahead: int, least_chained: int) -> Reader: ...
    @property
    def n_frames(self) -> int: ...
    def read(
        self,
        frame: int,
        names: list[str],
        arrays: list[Any],
        components: list[int],
        sort_by_id: bool,
        stream: int,
        particles: int,
    ) -> tuple[bool, str]: ...

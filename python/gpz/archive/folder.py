# SPDX-License-Identifier: BSD-3-Clause
"""The folder of an archive: outputs, manifest, and what may be replaced."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from gpz.archive.errors import TaskFailed
from gpz.archive.files import digest_of, identity_of, make_folders, sync
from gpz.archive.manifest import DONE, Manifest
from gpz.archive.settings import Settings


@dataclass(frozen=True)
class Archive:
    """path: absolute. remove: inputs that are done. replace: outputs of inputs that have changed."""

    path: str
    manifest: Manifest
    settings: Settings
    remove: bool = False
    replace: bool = False

    def path_of(self, output: str) -> str:
        """Absolute."""
        return os.path.join(self.path, output)

    def has(self, path: str, output: str, joined: str | None = None) -> bool:
        """Whether the output was made of this input, which is unchanged, with these settings. joined: the folder of the
        inputs that were joined into it; None: it has the frames of this input alone."""
        line = self.manifest.done(path)
        if self.manifest.state(path) != DONE or line["output"] != output or line.get("joined") != joined:
            return False
        if line["settings"] != self.settings.as_json():
            return False
        with suppress(OSError):
            identity = identity_of(path)
            same = (identity.size, identity.mtime_ns) == (line["size"], line["mtime_ns"])
            return same and os.path.getsize(self.path_of(output)) == line["output_size"]
        return False

    def require_replaceable(self, path: str, digest: str, output: str, owner: str) -> None:
        """Raises TaskFailed if there is an output of other bytes than those of this input: it may be all that is left
        of them."""
        if not os.path.lexists(self.path_of(output)):
            return
        found, line = self.manifest.owner(output), self.manifest.done(path)
        if found not in (None, owner):
            if not self.replace:
                raise TaskFailed(f"{output} was made of {found}: give another folder, or --replace")
            if self.manifest.is_removed(found) or not os.path.lexists(found):
                raise TaskFailed(
                    f"{output} is all that is left of {found}: give another folder, or move the output away"
                )
        elif line and line["digest"] != digest:
            if not self.replace:
                raise TaskFailed(
                    f"it is not the file that was archived as {output}: --replace archives this one instead"
                )
            if self.manifest.is_removed(path):
                raise TaskFailed(
                    f"{output} is all that is left of the file that had this name: give another folder, or move the output away"
                )

    def publish(self, made: str, output: str, owner: str, digest: str, mode: int) -> None:
        """Gives a file that is on disk and was compared the name of the output, and these permissions. Raises TaskFailed
        for a file of that name which is not the one that the manifest tells of, unless it has the same bytes: then a run
        was killed before it wrote the line."""
        target = self.path_of(output)
        if not self.replace and os.path.lexists(target):
            known = self.manifest.output_digest(output) if self.manifest.owner(output) == owner else None
            if digest_of(target) not in (digest, known):
                what = "no output" if known is None else "not the output"
                raise TaskFailed(f"{output} is there, and is {what} of this archive: give another folder, or --replace")
        folder = os.path.dirname(target)
        make_folders(folder)
        os.chmod(made, mode)
        os.replace(made, target)
        sync(folder)

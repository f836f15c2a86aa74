# SPDX-License-Identifier: BSD-3-Clause
"""Remote files: on web servers, in object stores, in whatever fsspec knows.

    with gpz.open("https://host/melt.gpz") as trajectory:
        trajectory[5000].positions      # reads the frames from its key frame on, and nothing else

    gpz.open("s3://bucket/melt.gpz", remote=gpz.remote.Options(storage={"anon": True}))

Needs the packages of `pip install "gpz-md[remote]"`. Errors are gpz.FileError: FileNotFoundError and PermissionError as of
local files, gpz.remote.RemoteError for others, of which gpz.remote.ChangedError is one.
"""

from gpz.remote.errors import ChangedError, MissingPackageError, RemoteError
from gpz.remote.options import Options

__all__ = ["ChangedError", "MissingPackageError", "Options", "RemoteError"]

# SPDX-License-Identifier: BSD-3-Clause
"""The page: one file of HTML, style and scripts, which loads nothing from elsewhere."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
from collections.abc import Mapping
from importlib import resources

# In this order: each uses those before it.
SCRIPTS = ("vectors.js", "messages.js", "camera.js", "renderer.js", "plot.js", "atoms.js", "controls.js", "viewer.js")


@functools.cache
def _static(name: str) -> str:
    return resources.files("gpz.view").joinpath("static", name).read_text("utf-8")


@functools.cache
def _script() -> str:
    body = "\n".join(_static(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'


def live_page(title: str) -> str:
    """The page that asks its server for frames."""
    return _page(title, "'self'", "")


def embedded_page(title: str, messages: Mapping[str, bytes]) -> str:
    """A page that needs no server: messages by the names by which the server has them."""
    parts = "".join(
        f'<script type="application/octet-stream" data-name="{html.escape(name)}">{base64.b64encode(data).decode()}</script>\n'
        for name, data in messages.items()
    )
    return _page(title, "'none'", parts)


def _page(title: str, connections: str, data: str) -> str:
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        f"connect-src {connections}"
    )
    made = _static("page.html")
    for name, text in {
        "TITLE": html.escape(title),
        "POLICY": html.escape(policy, quote=True),
        "STYLE": _static("view.css"),
        "DATA": data,
        "SCRIPT": script,
    }.items():
        made = made.replace(f"<!--{name}-->", text, 1)
    return made

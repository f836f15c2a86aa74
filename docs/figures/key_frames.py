#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/settings.md: key frames and difference frames of a file, and what a reader decodes for one frame."""
from pathlib import Path

INTERVAL = 5
FRAMES = 12
WANTED = 8
KEY, DIFFERENCE, EDGE, TEXT = "#1f77b4", "#aec7e8", "#555", "#222"
WIDTH, GAP, LEFT, BOTTOM = 44, 12, 20, 120
HEIGHTS = {True: 80, False: 36}


def box(frame):
    """Left edge, height and whether it is a key frame."""
    key = frame % INTERVAL == 0
    return LEFT + frame * (WIDTH + GAP), HEIGHTS[key], key


def text(x, y, words, anchor="middle", size=13):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{TEXT}">{words}</text>'


def main():
    parts = []
    for frame in range(FRAMES):
        x, height, key = box(frame)
        parts.append(f'<rect x="{x}" y="{BOTTOM - height}" width="{WIDTH}" height="{height}" fill="{KEY if key else DIFFERENCE}" stroke="{EDGE}"/>')
        parts.append(text(x + WIDTH / 2, BOTTOM + 17, frame))
        if not key:
            # From the middle of the frame before to this one.
            parts.append(f'<path d="M {x - GAP - 4} {BOTTOM - 18} H {x + 4}" stroke="{EDGE}" marker-end="url(#arrow)"/>')
    first = box(WANTED - WANTED % INTERVAL)[0]
    last = box(WANTED)[0] + WIDTH
    parts.append(f'<path d="M {first} {BOTTOM + 28} v 6 H {last} v -6" stroke="{EDGE}" fill="none"/>')
    parts.append(text((first + last) / 2, BOTTOM + 50, f"a reader decodes these for frame {WANTED}"))
    parts.append(text(LEFT, 22, "tall: key frame, decoded by itself", "start"))
    parts.append(text(LEFT + 290, 22, "short: difference frame, decoded from the frame before", "start"))
    width = 2 * LEFT + FRAMES * (WIDTH + GAP) - GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {BOTTOM + 60}" width="{width}" font-family="sans-serif">'
    arrow = f'<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" fill="{EDGE}"/></marker></defs>'
    ground = '<rect width="100%" height="100%" fill="white"/>'
    Path(__file__).with_suffix(".svg").write_text("\n".join([head, arrow, ground, *parts, "</svg>", ""]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code blocks of a page for a compiler: extract.py PAGE LANGUAGE OUT.

LANGUAGE: the first block of this language, which is a program. fragments: the other blocks of C++, each in a function, behind the
headers of the program and those that the block names.
"""
import sys
from pathlib import Path

from pages import code_blocks

# What the text around the fragments explains.
GIVEN = """
extern const gpz::Reader reader;
extern gpz::Writer writer;
extern const std::size_t i, frames, particles;
extern const std::uint64_t begin, size;
extern const int descriptor;
extern const std::string url;
extern const float *values;
extern const std::vector<std::int64_t> type, first, second;
extern const std::int64_t timestep;
extern const gpz::FrameInfo info;
extern const std::vector<gpz::FieldInput> fields;
extern const gpz::Bytes head, body;
template <typename Thing>
void use(const Thing &) {}
"""
STORE = """
struct MyObjectStore final : gpz::Source {
  explicit MyObjectStore(const std::string &url);
  const std::string &name() const override;
  std::uint64_t size() const override;
  void read_at(std::uint64_t position, void *data, std::size_t size) const override;
};
"""


def fragments(page):
    program, *others = code_blocks(page, "cpp")
    text = "".join(f"{line}\n" for line in program.splitlines() if line.startswith("#include")) + GIVEN
    for number, block in enumerate(others):
        lines = block.splitlines()
        text += "".join(f"{line}\n" for line in lines if line.startswith("#include"))
        text += STORE if "MyObjectStore" in block else ""
        text += f"void fragment_{number}() {{\n" + "".join(f"{line}\n" for line in lines if not line.startswith("#include")) + "}\n"
    return text


page, language, out = sys.argv[1:]
blocks = code_blocks(page, "cpp" if language == "fragments" else language)
if not blocks:
    sys.exit(f"{page}: no block of {language}")
Path(out).write_text(fragments(page) if language == "fragments" else blocks[0])

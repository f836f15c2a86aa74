#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the documentation site in build/site (open index.html there). Warnings are errors.
#
#   scripts/docs.sh
#
# Manual pages are those that the program in build/ writes.
set -euo pipefail
for part in common progress packages build; do . "$(dirname "$0")/lib/$part.sh"; done
(($# == 0)) || show_help

install_packages "${demo_packages[@]}" "${docs_packages[@]}"
[[ -f $build/build.ninja ]] || configure_gpz "$build" -D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
build_gpz "$build" gpz_pages

pages=$build/site-pages
export GPZ_DOXYGEN_OUT=$build/site-doxygen GPZ_DOXYGEN_GENERATED=$build/gpz/include/gpz
rm -rf "$build/site" "$GPZ_DOXYGEN_OUT"
mkdir -p "$GPZ_DOXYGEN_OUT"
cd "$repository"
make_site() {
  doxygen docs/site/Doxyfile &&
    /usr/bin/python3 -B docs/site/stage.py "$build" "$pages" &&
    /usr/bin/python3 -B -m sphinx -q -W --keep-going -j auto -b html -c docs "$pages" "$build/site"
}
step "Building the site" no_progress "$build/site.log" make_site || die "cannot build the site, or there were warnings"
say "$build/site/index.html"

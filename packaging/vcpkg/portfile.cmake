# SPDX-License-Identifier: BSD-3-Clause
vcpkg_download_distfile(
  ARCHIVE
  URLS https://gpz.invalid/releases/gpz-${VERSION}.tar.gz
  FILENAME gpz-${VERSION}.tar.gz
  SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE ${ARCHIVE})

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES tools GPZ_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS ${options} -DGPZ_BUILD_TESTS=OFF -DGPZ_BUILD_BENCH=OFF -DGPZ_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gpz)
vcpkg_fixup_pkgconfig()
if(GPZ_BUILD_TOOLS)
  vcpkg_copy_tools(TOOL_NAMES gpz AUTO_CLEAN)
endif()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE ${SOURCE_PATH}/THIRD_PARTY.md)

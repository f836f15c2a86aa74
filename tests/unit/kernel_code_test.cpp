// SPDX-License-Identifier: BSD-3-Clause
// Which code of a library a GPU runs: CUDA's rules, without CUDA.
#include <gtest/gtest.h>

#include "gpz/cuda/host/architectures.hpp"

namespace gpz::cuda::kernel_code_test {
namespace {

TEST(KernelCode, MachineCodeRunsOnTheSameMajorVersionFromItsMinorOneOn) {
  EXPECT_EQ(code_for(90, {90}, {}), KernelCode::native);
  EXPECT_EQ(code_for(87, {80, 86}, {}), KernelCode::native);
  EXPECT_EQ(code_for(80, {86}, {}), KernelCode::none);
  EXPECT_EQ(code_for(100, {90}, {}), KernelCode::none);
  EXPECT_EQ(code_for(121, {80, 120}, {90}), KernelCode::native);
}

TEST(KernelCode, PtxIsCompiledForAllThatAreNotOlder) {
  EXPECT_EQ(code_for(90, {}, {90}), KernelCode::compiled_by_driver);
  EXPECT_EQ(code_for(110, {80, 100}, {90}), KernelCode::compiled_by_driver);
  EXPECT_EQ(code_for(75, {80}, {80}), KernelCode::none);
  EXPECT_EQ(code_for(89, {90}, {80, 90}), KernelCode::compiled_by_driver);
}

TEST(KernelCode, MachineCodeIsPreferred) { EXPECT_EQ(code_for(90, {90}, {80, 90}), KernelCode::native); }

}  // namespace
}  // namespace gpz::cuda::kernel_code_test

// SPDX-License-Identifier: BSD-3-Clause
// Loads kernels before their first launch. CUDA loads a kernel when it is launched for the first time, and the launch
// waits: the first frame of a trajectory took 4.8 ms more than later ones of its kind, its key frame 3.3 ms (H200).
#pragma once

namespace gpz::cuda {

// One of a file's kernels, by which its other kernels are found. Every file has an object whose kernels are loaded in
// advance.
class KernelFile {
 public:
  explicit KernelFile(const void *kernel) noexcept : kernel_(kernel), next_(first_) { first_ = this; }
  KernelFile(const KernelFile &) = delete;
  KernelFile &operator=(const KernelFile &) = delete;

  // Loads the kernels of all such files on the current device, which is `device`. Only the first call has work to do.
  // Without effect if the CUDA runtime or the driver cannot do that (before 12.5).
  static void load_all(int device);

 private:
  const void *kernel_;
  const KernelFile *next_;
  static inline const KernelFile *first_ = nullptr;
};

}  // namespace gpz::cuda

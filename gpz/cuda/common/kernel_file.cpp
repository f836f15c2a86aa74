// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/common/kernel_file.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <mutex>
#include <set>
#include <vector>

#include "gpz/cuda/common/memory.hpp"

namespace gpz::cuda {

#if CUDART_VERSION >= 12050

namespace {

// Functions of the driver, to which nothing links: it is absent where there is no GPU.
class Driver {
 public:
  Driver() {
    find("cuKernelGetLibrary", library_of_);
    find("cuLibraryGetKernelCount", kernel_count_);
    find("cuLibraryEnumerateKernels", enumerate_);
    find("cuKernelGetFunction", function_of_);
    find("cuFuncLoad", load_);
  }

  // Loads all kernels of the file of this one.
  void load_file(const void *kernel) const {
    if (!complete_) return;
    cudaKernel_t one = nullptr;
    CUlibrary library = nullptr;
    unsigned count = 0;
    if (cudaGetKernel(&one, kernel) != cudaSuccess || library_of_(&library, one) != CUDA_SUCCESS ||
        kernel_count_(&count, library) != CUDA_SUCCESS)
      return;
    std::vector<CUkernel> kernels(count);
    if (enumerate_(kernels.data(), count, library) != CUDA_SUCCESS) return;
    for (CUkern_st *const each : kernels) {
      CUfunction function = nullptr;
      if (function_of_(&function, each) == CUDA_SUCCESS) static_cast<void>(load_(function));
    }
  }

 private:
  template <typename Function>
  void find(const char *name, Function *&function) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    constexpr unsigned version = 12050;
    if (cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result) != cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
      complete_ = false;
    function = reinterpret_cast<Function *>(found);
  }

  bool complete_ = true;
  decltype(cuKernelGetLibrary) *library_of_ = nullptr;
  decltype(cuLibraryGetKernelCount) *kernel_count_ = nullptr;
  decltype(cuLibraryEnumerateKernels) *enumerate_ = nullptr;
  decltype(cuKernelGetFunction) *function_of_ = nullptr;
  decltype(cuFuncLoad) *load_ = nullptr;
};

}  // namespace

void KernelFile::load_all(int device) {
  static std::mutex mutex;
  static std::set<int> done;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!done.insert(device).second) return;
  const Driver driver;
  for (const KernelFile *file = first_; file != nullptr; file = file->next_) driver.load_file(file->kernel_);
  forget_last_error();  // kernels that cannot be loaded now fail at their launch
}

#else

void KernelFile::load_all(int) {}

#endif

}  // namespace gpz::cuda

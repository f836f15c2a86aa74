// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cusz: cuSZ of 2023, the version in the paper, with its defaults: Lorenzo prediction. Later versions have
// another API; of some arrays that of January 2026 makes archives longer than their buffers, not every time.
#include "psz_api.hpp"

namespace evaluation {

namespace {

class Cusz : public psz_api::ArrayProgram {
 public:
  std::string name() const override { return "cuSZ"; }

 protected:
  pszctx context(const Job &job) const override {
    pszctx context;
    context.mode = Abs;
    context.eb = job.bound;
    context.pred_type = Lorenzo;
    return context;
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<Cusz>(); }

}  // namespace evaluation

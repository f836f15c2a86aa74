// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cusz_paper: cuSZ of 2023, the version in the paper, with its defaults: Lorenzo prediction.
#include "psz_api.hpp"

namespace evaluation {

namespace {

class CuszPaper : public psz_api::ArrayProgram {
 public:
  std::string name() const override { return "cuSZ (paper)"; }

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

std::unique_ptr<Program> make_program() { return std::make_unique<CuszPaper>(); }

}  // namespace evaluation

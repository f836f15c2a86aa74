// SPDX-License-Identifier: BSD-3-Clause
// evaluate_cusz_i: cuSZ-i with its defaults: splines.
#include "psz_api.hpp"

namespace evaluation {

namespace {

class CuszI : public psz_api::ArrayProgram {
 public:
  std::string name() const override { return "cuSZ-i"; }

 protected:
  pszctx context(const Job &job) const override {
    pszctx context;
    context.mode = Abs;
    context.eb = job.bound;
    context.rel_eb = job.relative;
    context.pred_type = Spline;
    return context;
  }
};

}  // namespace

std::unique_ptr<Program> make_program() { return std::make_unique<CuszI>(); }

}  // namespace evaluation

// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/fit_kernels.hpp"

#include "gpz/kernels/float_lanes.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using core::StepKind;
using Reals = core::Vector<Floats>;

constexpr std::size_t vectors = core::step_lanes / float_lanes;

Reals between(const Row &to, const Row &from) { return core::reals_of(to - from); }
Floats length_of(const Reals &v) { return root_of(core::dot(v, v)); }
Reals unit_of(const Reals &v, float least) {
  return core::times(Floats{1.0F} / larger(length_of(v), Floats{least}), v);
}

class Pass {
 public:
  Pass(const StepTable &table, const std::uint8_t *classes, const FitBlock &block, const FitValues *values,
       FitRange range, FitSums *sums)
      : table_(table),
        classes_(classes),
        block_(block),
        now_(block.rows + block.now),
        before_(block.rows + 4 - block.now),
        values_(values),
        range_(range),
        sums_(sums) {}

  void run(std::size_t step) {
    const StepKind kind = table_.steps[step].kind;
    if (kind == StepKind::root)
      roots(step);
    else if (kind == StepKind::sphere)
      table_.key_root != nullptr ? bound<true, false>(step) : bound<false, false>(step);
    else
      table_.key_root != nullptr ? bound<true, true>(step) : bound<false, true>(step);
  }

 private:
  void put(unsigned sum, std::size_t j, Floats x) { store(&of_lanes_[sum][j * float_lanes], x); }

  void add(std::size_t step) {
    const std::uint8_t *const of = classes_of(step);
    for (std::size_t l = 0; l < table_.steps[step].lanes; ++l) {
      std::array<float, fit_sums> own;  // in a row, for sums in vectors
      for (unsigned k = range_.first; k < range_.end; ++k) own[k] = of_lanes_[k][l];
      FitSums &to = sums_[of[l]];
      for (unsigned k = range_.first; k < range_.end; ++k) to[k] += static_cast<double>(own[k]);
    }
  }
  const std::uint8_t *classes_of(std::size_t step) const {
    return classes_ + std::size_t{table_.steps[step].constants} * core::step_lanes;
  }
  std::size_t slot_of(std::size_t step, std::size_t j) const { return step * core::step_lanes + j * float_lanes; }
  const std::int32_t *own(const std::int32_t *frame, std::size_t slot) const {
    return frame + 8 * (slot - block_.first_slot);
  }
  // Rows of references.
  Row rows(const std::int32_t *frame, const std::uint32_t *of) const {
    const std::size_t first = 8 * block_.first_slot;
    return full_rows_of([&](int l) { return frame + (of[l] - first); }).row;
  }

  void roots(std::size_t step) {
    if (range_.first != fit_count) return;
    of_lanes_ = {};
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t slot = slot_of(step, j);
      Row last;
      if (const std::int32_t *const root = table_.key_root)
        last = {Integers{root[0]}, Integers{root[1]}, Integers{root[2]}};
      else
        last = rows_from(own(before_, slot));
      const Reals moved = between(rows_from(own(now_, slot)), last);
      put(fit_count, j, Floats{1.0F});
      put(fit_displaced, j, (magnitude(moved.x) + magnitude(moved.y) + magnitude(moved.z)) * Floats{1.0F / 3.0F});
    }
    add(step);
  }

  template <bool is_key, bool has_axis>
  void bound(std::size_t step) {
    of_lanes_ = {};
    for (std::size_t j = 0; j < vectors; ++j) add_bonds<is_key, has_axis>(step, j);
    add(step);
  }

  template <bool is_key, bool has_axis>
  void add_bonds(std::size_t step, std::size_t j) {
    const std::size_t slot = slot_of(step, j);
    Integers of_class;
    for (int l = 0; l < float_lanes; ++l)
      of_class.v[l] = static_cast<int>(fit_values) * classes_of(step)[j * float_lanes + static_cast<std::size_t>(l)];
    const auto value = [&](unsigned k) {
      return Floats{floats_of_bits(gather(reinterpret_cast<const std::uint32_t *>(values_->data() + k), of_class).v)};
    };
    const Row parent = rows(now_, table_.parent + slot);
    core::BondVectors<Floats> v;
    if constexpr (is_key) {
      core::start_from_class<has_axis>(
          v, [&](core::StepConstant c) { return value(c == core::class_towards ? value_towards : value_aside); });
    } else {
      const Row last_parent = rows(before_, table_.parent + slot);
      v.last = between(rows_from(own(before_, slot)), last_parent);
      v.moved = between(parent, last_parent);
      if constexpr (has_axis) {
        v.last_axis = between(rows(before_, table_.axis + slot), last_parent);
        v.last_second = between(rows(before_, table_.second + slot), last_parent);
      }
    }
    const Reals w = between(rows_from(own(now_, slot)), parent), &w0 = v.last;
    const Floats one{1.0F}, l = length_of(w);
    Reals a1{};
    if constexpr (has_axis) a1 = unit_of(between(rows(now_, table_.axis + slot), parent), 1.0F);
    if (range_.first == fit_count) {
      put(fit_count, j, one);
      put(fit_carried, j, core::dot(v.moved, w - w0));
      put(fit_moved, j, core::dot(v.moved, v.moved));
      put(fit_length, j, l);
      if constexpr (has_axis) put(fit_along, j, core::dot(w, a1));
      if (range_.end == fit_of_length) return;
    }
    const auto mean_of = [&](core::StepMean m, Floats last) {
      if constexpr (is_key) return last;
      Floats mean = load_floats(block_.means + core::index_of_mean(slot - block_.first_slot, m));
      core::take(mean, last, Floats{block_.gain});
      return mean;
    };
    // Adds the equations of a length; returns what is expected of it.
    const auto expect = [&](unsigned sum, unsigned weights, Floats last, Floats usual, Floats carried, Floats mean,
                            Floats now) {
      const std::array<Floats, fit_weights> step_to{usual - last, carried - last, mean - last};
      Floats expected = last;
      for (unsigned a = 0; a < fit_weights; ++a) {
        for (unsigned b = a; b < fit_weights; ++b) put(sum++, j, step_to[a] * step_to[b]);
        expected = expected + value(weights + a) * step_to[a];
      }
      for (unsigned a = 0; a < fit_weights; ++a) put(sum++, j, step_to[a] * (now - last));
      return expected;
    };
    const Reals carried = w0 + core::times(value(value_carried), v.moved);
    const Floats l0 = length_of(w0), carried_length = length_of(carried);
    const Floats expected = expect(fit_of_length, value_of_length, l0, value(value_length), carried_length,
                                   mean_of(core::mean_length, l0), l);
    put(fit_measured, j, one);
    put(fit_off_length, j, magnitude(l - expected));
    const auto bend = [&](Floats cosine) {
      put(fit_bends, j, one);
      put(fit_bend, j, one - cosine);
      put(fit_bend2, j, one - cosine * cosine);
    };
    if constexpr (!has_axis) {
      bend(core::dot(w, carried) / (larger(l, Floats{1e-3F}) * larger(carried_length, one)));
    } else {
      const Reals a0 = unit_of(v.last_axis, 1.0F);
      const Floats along0 = core::dot(w0, a0), along = core::dot(w, a1);
      const Floats expected_along = expect(fit_of_along, value_of_along, along0, value(value_along),
                                           core::dot(carried, a1), mean_of(core::mean_along, along0), along);
      put(fit_off_along, j, magnitude(along - expected_along));
      const Reals t = core::cross(a1, is_key ? core::least_first<Choice>(a1).unit(one) : carried);
      Reals sideways = unit_of(t, 0.5F), heading = core::cross(sideways, a1);
      Floats turn{0.0F};
      if (table_.steps[step].has_seconds) {
        const Reals s1 = between(rows(now_, table_.second + slot), parent), &s0 = v.last_second;
        const Reals t0 = core::cross(a0, s0), t1 = core::cross(a1, s1);
        const Floats across0 = core::dot(t0, t0), across1 = core::dot(t1, t1), part{0.01F};
        const Choice framed =
            both(both(less(one, across0), less(one, across1)),
                 both(less(part * core::dot(s0, s0), across0), less(part * core::dot(s1, s1), across1)));
        const Floats scale = root_of(larger(across0, one)), over_scale = one / scale;
        const Reals c0 = core::times(over_scale, t0), c1 = unit_of(t1, 1.0F);
        const Reals b1 = core::cross(c1, a1);
        Floats p = core::dot(w0, core::cross(c0, a0)), q = core::dot(w0, c0);
        const Floats mean_p = over_scale * mean_of(core::mean_towards, scale * p);
        const Floats mean_q = over_scale * mean_of(core::mean_aside, scale * q);
        // Sines of the angles from the last heading to the mean one, and to that of this frame.
        const Floats p1 = core::dot(w, b1), q1 = core::dot(w, c1);
        const auto radius = [](Floats a, Floats b) { return larger(root_of(a * a + b * b), Floats{0.5F}); };
        const Floats over = one / radius(p, q), none{0.0F};
        const Floats to_mean = select(framed, (p * mean_q - q * mean_p) * over / radius(mean_p, mean_q), none);
        const Floats to_now = (p * q1 - q * p1) * over / radius(p1, q1);
        put(fit_heading, j, to_mean * to_mean);
        put(fit_headed, j, to_mean * to_now);
        p = p + value(value_headed) * (mean_p - p);
        q = q + value(value_headed) * (mean_q - q);
        const Floats r = root_of(p * p + q * q);
        const Choice headed = both(framed, less(Floats{0.5F}, r));
        const Floats over_r = one / larger(r, Floats{0.5F});
        p = over_r * p;
        q = over_r * q;
        heading = core::select(headed, core::times(p, b1) + core::times(q, c1), heading);
        sideways = core::select(headed, core::times(p, c1) - core::times(q, b1), sideways);
        turn = select(headed, core::dot(carried, sideways), none);
      }
      put(fit_turn, j, turn * turn);
      put(fit_turned, j, turn * core::dot(w, sideways));
      const Floats r = root_of(larger(expected * expected - expected_along * expected_along, one));
      const Floats most = Floats{0.98F} * r;
      const Floats by = core::clamped(value(value_turned) * turn, Floats{0.0F} - most, most);
      const Reals direction = core::times(by, sideways) + core::times(root_of(r * r - by * by), heading);
      const Reals flat = w - core::times(along, a1);
      bend(core::dot(flat, direction) / (r * larger(length_of(flat), Floats{1e-3F})));
    }
  }

  const StepTable &table_;
  const std::uint8_t *classes_;
  const FitBlock &block_;
  const std::int32_t *now_, *before_;
  const FitValues *values_;
  FitRange range_;
  FitSums *sums_;
  alignas(64) std::array<std::array<float, core::step_lanes>, fit_sums> of_lanes_;
};

void add(const StepTable &table, const std::uint8_t *classes, const FitBlock &block, const std::uint32_t *steps,
         std::size_t count, const FitValues *values, FitRange range, FitSums *sums) {
  Pass pass(table, classes, block, values, range, sums);
  for (std::size_t k = 0; k < count; ++k) pass.run(steps[k]);
}

}  // namespace

constexpr FitKernels fit_kernels{add};

}  // namespace GPZ_ISA
}  // namespace gpz::codec

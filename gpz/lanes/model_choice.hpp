// SPDX-License-Identifier: BSD-3-Clause
// Encoder: which images, constants and tables a section of steps states, on CPU and GPU. What is done for all particles
// is behind an interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/lanes/fit.hpp"
#include "gpz/lanes/images.hpp"
#include "gpz/lanes/opened_section.hpp"
#include "gpz/lanes/words.hpp"

namespace gpz::lanes {

// Changes that take effect only if the section is kept.
struct Update {
  Models models;  // those that are new
  // Encoder: of the first frames with this plan.
  std::optional<Fit> fit;
  std::shared_ptr<Counts> counts;
  bool has_settled = false;        // encoder: nothing is fitted to sums of frames any more
  format::Column<float> means;     // encoder; empty: they were written over
  std::size_t words = 0;           // of the last section whose tables were compared with better ones
  std::uint64_t frames = 0;        // of the history, including this one
  bool is_key = false;             // of a key frame
  bool rests = false;              // the motion of particles ends in this frame
  std::size_t molecule_bytes = 0;  // of new molecules in the section
  std::size_t lasting_bytes = 0;   // the same with constants and tables, which later ones use as well

  // For a new plan: number of particles whose bond lengths hardly change between frames.
  std::size_t firmly_bound() const;
};

// An encoder's knowledge of the frames with the same molecules.
struct Learned {
  Models models;
  std::uint64_t sections = 0;  // of difference frames
  Fit fit;                     // empty after a decoder's section
  std::shared_ptr<const Counts> counts;
  std::size_t words = 0;  // as in Update

  // Whether what the history knows of motion may end with the next section, which has the same plan. Where particles
  // without bonds leave or arrive often, their motions begin with it.
  bool may_rest() const {
    constexpr std::uint64_t often = 16;  // sections
    return models.plan->molecules.have_bonds() || sections >= often;
  }
  void commit(Update &update);
};

// Edges of the box, of an encoder.
struct Edges {
  core::GridBox axes{};                       // of a box without tilts
  std::optional<format::TiltedEdges> tilted;  // of one with them
};

inline Cell cell_of(const Edges &edges, bool is_brick = false) {
  return edges.tilted ? Cell(edges.tilted->axes, edges.tilted->tilts, is_brick) : Cell(edges.axes);
}

// Images of the last frame stay, or wrap into the cell.
struct ImageRule {
  bool wraps;
  Cell cell;
};

// A frame whose rows are known.
class FrameCoder {
 public:
  virtual ~FrameCoder() = default;
  // Rows and means of the blocks Layout::sample(); not the templates of a key frame.
  virtual Fit::Frame sample() = 0;
  // Particles without bonds: these steps.
  virtual SampledMotions sample_motions(const std::vector<std::uint32_t> &steps) = 0;
  // Number of particles whose image is not that of each rule; SIZE_MAX if one is too far from it. Counts of rules after
  // one without such particles are unspecified.
  virtual std::vector<std::size_t> count_images(const std::vector<ImageRule> &rules) = 0;
  // These particles, of the rule with this number.
  virtual ImageExceptions list_images(std::size_t rule) = 0;
  virtual void find_items(const std::shared_ptr<Numbers> &numbers) = 0;
  virtual Counts count_items() = 0;
  // Codes the items. Returns the number of words of each block.
  virtual std::vector<std::uint32_t> code_items(const std::shared_ptr<const Codes> &codes) = 0;
  // Both; may leave no items.
  virtual std::vector<std::uint32_t> code_frame(const std::shared_ptr<Numbers> &numbers,
                                                const std::shared_ptr<const Codes> &codes) {
    find_items(numbers);
    return code_items(codes);
  }
};

class ModelChoice {
 public:
  // `plan`: of a new key interval; null: the last one.
  ModelChoice(FrameCoder &frame, const Learned &last, const std::shared_ptr<Plan> &plan, Update &update, int threads);

  // Before fit(), in a key frame: fit() finds the templates.
  void use(Templates &templates) { templates_ = &templates; }
  // Takes the frame into the sums. Constants are fitted to a first one.
  void fit();
  // The plan of this section is another one.
  void replace_plan(const std::shared_ptr<Plan> &plan);
  // Finds the images, constants and tables of the section, and codes its items. Call append() then. Returns false if
  // an image is too far from what any rule gives.
  bool choose(const Edges &edges);
  // Appends everything in front of the words.
  void append(const Edges &edges, bool rests, std::vector<std::uint8_t> &bytes);

  const Models &models() const { return models_; }
  std::uint64_t section_number() const { return is_new_ ? 0 : last_.sections; }
  bool is_first() const { return section_number() == 0; }

 private:
  bool choose_images(const Edges &edges);
  bool has_settled() const;
  bool refit();
  void choose_codes();
  std::shared_ptr<Codes> codes_for(const Counts &counts);
  void append_numbers(std::vector<std::uint8_t> &bytes) const;
  std::size_t take(std::vector<std::uint32_t> &&words);

  FrameCoder &frame_;
  const Learned &last_;
  Update &update_;
  Models models_;
  bool is_new_;
  int threads_;
  Templates *templates_ = nullptr;
  unsigned flags_ = 0;
  ImageExceptions images_;
  std::vector<std::uint32_t> words_;  // of each block
};

}  // namespace gpz::lanes

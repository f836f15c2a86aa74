// SPDX-License-Identifier: BSD-3-Clause
#include "writers/frame_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "counted.hpp"
#include "exit_code.hpp"
#include "particle_order.hpp"
#include "positions.hpp"
#include "selection/kept_columns.hpp"

namespace gpz::tool {
namespace {

// Rows and values of one job: about half a megabyte of text.
constexpr std::size_t most_rows = 16384;
constexpr std::size_t most_values = std::size_t{8} * most_rows;

// State that the jobs of one frame share.
struct PrintedFrame {
  Frame frame;
  std::vector<std::size_t> rows;
  std::vector<ColumnText> columns;  // point into frame
};

// Whether ids say no more than the number of the row, from 1.
bool are_row_numbers(const Frame &frame, const std::vector<std::size_t> &rows) {
  const Frame::Column *const ids = frame.find("id");
  if (ids == nullptr || ids->integers.size() != rows.size()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (ids->integers[rows[i]] != static_cast<std::int64_t>(i) + 1) return false;
  return true;
}

void hide_ids(Frame &frame) {
  const auto is_id = [&](const Frame::Column &column) { return frame.name(column) == "id"; };
  frame.columns.erase(std::remove_if(frame.columns.begin(), frame.columns.end(), is_id), frame.columns.end());
}

bool is_image_flag(const std::string &name) { return name == "ix" || name == "iy" || name == "iz"; }

}  // namespace

void FrameWriter::check_elements(const Frame &frame, const Frame::Column &column) const {
  if (!options_.every_type_named || column.integers.empty()) return;
  const std::int64_t highest = *std::max_element(column.integers.begin(), column.integers.end());
  const std::size_t names = options_.names.elements.size();
  if (highest > static_cast<std::int64_t>(names))
    throw Failure(ExitCode::usage, options_.input,
                  fmt::format("--elements has {}, but atom type {} occurs (timestep {})", counted(names, "name"),
                              highest, frame.info.timestep));
}

FrameWriter::FrameWriter(OutputFile &out, TextOptions options)
    : options_(std::move(options)), output_(out, options_.threads) {}

std::vector<bool> FrameWriter::wanted(const FrameInfo &info) const {
  const std::vector<std::string> &listed = options_.columns;
  std::vector<bool> wanted = fields_with(info, listed);
  for (std::size_t f = 0; f < info.fields.size(); ++f)
    for (const Field::Component &component : info.fields[f].components)
      if ((listed.empty() && prints_all()) || needs(component.name) || component.name == options_.sort ||
          (options_.unwrap && (is_image_flag(component.name) || is_position(component.name))))
        wanted[f] = true;
  return wanted;
}

std::vector<std::string> FrameWriter::columns_kept(const Frame &frame) const {
  std::vector<std::string> names = options_.columns;
  for (const Frame::Column &column : frame.columns)
    if (needs(frame.name(column)) && std::find(names.begin(), names.end(), frame.name(column)) == names.end())
      names.push_back(frame.name(column));
  return names;
}

void FrameWriter::write(Frame frame, const std::vector<Observable> &observables) {
  auto printed = std::make_shared<PrintedFrame>();
  printed->frame = std::move(frame);
  if (!options_.sort.empty() && (options_.sort_required || printed->frame.find(options_.sort) != nullptr))
    printed->rows = sorted_rows(printed->frame, options_.sort, options_.input);
  for (const Frame::Column &column : printed->frame.columns)
    if (printed->frame.info.fields[column.field].display == Display::element) check_elements(printed->frame, column);
  if (options_.hide_ids && are_row_numbers(printed->frame, printed->rows)) hide_ids(printed->frame);
  if (options_.unwrap) unwrap(printed->frame, options_.input);
  if (!options_.columns.empty()) keep_columns(printed->frame, columns_kept(printed->frame), options_.input);
  prepare(printed->frame);
  printed->columns = columns(printed->frame);

  const std::size_t particles = printed->frame.info.particles;
  // They take no bytes, so that there may be any number of them.
  if (printed->columns.empty() && particles > 0)
    throw Failure(ExitCode::limit, options_.input,
                  fmt::format("timestep {} has {} without columns: there is nothing to write of them",
                              printed->frame.info.timestep, counted(particles, "particle")));
  const std::size_t rows_per_job =
      std::clamp(most_values / std::max<std::size_t>(1, printed->columns.size()), std::size_t{1}, most_rows);
  std::string head = header(printed->frame, observables);
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(particles, first + rows_per_job);
    output_.submit([printed, first, last, head = std::move(head)](std::string &text) {
      text += head;
      append_rows(text, printed->columns, printed->rows, first, last);
    });
    head.clear();
    first = last;
  } while (first < particles);
}

}  // namespace gpz::tool

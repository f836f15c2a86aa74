// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_settings.hpp"

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

void append_settings(const PairSettings &settings, std::vector<std::uint8_t> &bytes) {
  format::ByteWriter out(bytes);
  out.u8(settings.steps);
  out.u8(settings.gain);
  out.u8(settings.trust);
  out.u8(static_cast<std::uint8_t>(settings.curve.knots.size()));
  out.u64(settings.cutoff);
  out.u16(static_cast<std::uint16_t>(settings.curve.close));
  for (const PairCurve::Knot &knot : settings.curve.knots) {
    out.u16(static_cast<std::uint16_t>(knot.bin));
    out.u32(static_cast<std::uint32_t>(knot.value));
    out.u32(static_cast<std::uint32_t>(knot.slope));
  }
}

std::size_t read_settings(const std::uint8_t *bytes, std::size_t size, PairSettings &settings) {
  format::ByteReader in(bytes, size);
  PairSettings read;
  read.steps = in.u8();
  if (read.steps == 0 || read.steps > PairSettings::most_steps) format::corrupt("steps of pair forces", 0);
  read.gain = in.u8();
  if (read.gain > PairSettings::most_gain) format::corrupt("gain of pair forces", 1);
  read.trust = in.u8();
  if (read.trust > PairSettings::most_trust) format::corrupt("trust of pair forces", 2);
  const std::uint8_t knots = in.u8();
  if (knots < 2 || knots > PairCurve::max_knots) format::corrupt("number of knots", 3);
  read.cutoff = in.u64();
  if (read.cutoff == 0 || read.cutoff > PairSettings::most_cutoff) format::corrupt("cutoff of pair forces", 4);
  read.curve.close = in.u16();
  if (read.curve.close > 0 && read.curve.close < 4) format::corrupt("close pairs", 12);
  for (std::uint8_t i = 0; i < knots; ++i) {
    PairCurve::Knot knot;
    knot.bin = in.u16();
    if (i > 0 && knot.bin <= read.curve.knots.back().bin) format::corrupt("order of knots", in.position());
    knot.value = static_cast<std::int32_t>(in.u32());
    if (knot.value > PairCurve::value_limit || knot.value < -PairCurve::value_limit)
      format::corrupt("value of a knot", in.position());
    knot.slope = static_cast<std::int32_t>(in.u32());
    read.curve.knots.push_back(knot);
  }
  settings = read;
  return in.position();
}

}  // namespace gpz::model

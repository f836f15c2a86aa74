// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: frames that the input describes are written and read again. Every finite value is within its bound, or
// exact where it is lossless; NaN and infinities come back bit by bit; every value is that of its particle.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::ValueType;
using gpz::fuzz::Program;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t most_fields = 4;
constexpr std::size_t most_frames = 8;
constexpr std::size_t most_rows = 4000;  // of all frames together: inputs are tried quickly

// The column that tells which particle a row has, whatever else the fields are.
constexpr const char *tag_name = "tag";

enum class Motion { still, drift, walk, gas, bits };

struct Column {
  std::string name;
  std::vector<std::uint64_t> bits;  // of each particle; of an f32 in the low half
};

struct Quantity {
  gpz::Field field;
  Motion motion = Motion::still;
  double scale = 1;
  std::vector<Column> columns;
};

double as_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
float as_float(std::uint64_t bits) {
  const auto half = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &half, sizeof value);
  return value;
}
std::uint64_t bits_of(double value, ValueType type) {
  if (type == ValueType::float32) {
    const auto narrow = static_cast<float>(value);
    std::uint32_t half;
    std::memcpy(&half, &narrow, sizeof half);
    return half;
  }
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool is_narrow(ValueType type) { return type == ValueType::float32; }

// Exact for f64 and f32: the two are near each other, or a bound in long double is wide enough to tell.
bool is_kept(std::uint64_t before, std::uint64_t after, const gpz::Field &field) {
  if (before == after) return true;
  if (field.bound == 0) return false;
  const bool narrow = is_narrow(field.type);
  const double x = narrow ? static_cast<double>(as_float(before)) : as_double(before);
  const double y = narrow ? static_cast<double>(as_float(after)) : as_double(after);
  if (!std::isfinite(x) || !std::isfinite(y)) return false;
  const long double error = static_cast<long double>(x) - static_cast<long double>(y);
  return std::fabs(error) <= static_cast<long double>(field.bound);
}

// A trajectory, frame after frame.
class Model {
 public:
  explicit Model(Program &program) : program_(program), random_(program.number<std::uint16_t>()) {
    constexpr std::size_t counts[] = {0, 1, 2, 31, 33, 64, 100, 200, 1023, 1024, 1025, 1500};
    particles_ = program.flag() ? program.one_of(counts) : program.number<std::uint8_t>();
    const std::size_t fields = 1 + program.choice(most_fields);
    for (std::size_t f = 0; f < fields; ++f) quantities_.push_back(make_quantity(f));
    has_ids_ = program.choice(4) != 0;
    if (has_ids_) quantities_.push_back(make_integers("id"));
    quantities_.push_back(make_integers(tag_name));
    make_box();
    for (Quantity &quantity : quantities_)
      for (Column &column : quantity.columns) column.bits.resize(particles_);
    for (std::size_t i = 0; i < particles_; ++i) born(i);
  }

  std::size_t particles() const { return particles_; }
  bool has_ids() const { return has_ids_; }
  const std::vector<Quantity> &quantities() const { return quantities_; }
  const gpz::Box &box() const { return box_; }

  // The next frame.
  void advance() {
    const std::size_t change = program_.choice(8);
    if (change == 1) leave(program_.number<std::uint8_t>());
    if (change == 2) arrive(program_.number<std::uint8_t>());
    if (change == 3) shuffle();
    for (Quantity &quantity : quantities_)
      for (Column &column : quantity.columns)
        for (std::uint64_t &bits : column.bits) move(quantity, bits);
    // A few values of the input itself.
    for (std::size_t i = program_.choice(4); i-- > 0;) put(program_.number<std::uint64_t>());
  }

 private:
  Quantity make_quantity(std::size_t f) {
    constexpr ValueType types[] = {ValueType::float64, ValueType::float32, ValueType::integer};
    constexpr double bounds[] = {0, 1e-3, 0.25, 1e-6, 1, 1e-30, 1e30, 5e-324, 1e-300, 1e-310, 1e-12, 100};
    constexpr double scales[] = {1, 1e-3, 10, 1e5, 1e30, 1e-30, 1e16, 3e38, 1e300, 1e-310};
    Quantity quantity;
    gpz::Field &field = quantity.field;
    field.type = program_.one_of(types);
    const std::size_t components = 1 + program_.choice(3);
    for (std::size_t c = 0; c < components; ++c) {
      const std::string name = std::string(1, "xuvw"[f]) + std::to_string(c);
      field.components.push_back({name, static_cast<std::uint16_t>(3 * f + c)});
      quantity.columns.push_back({name, {}});
    }
    if (field.type != ValueType::integer) {
      field.leading = f == 0 && program_.flag();
      field.bound = program_.one_of(bounds);
      if (field.bound == 0 && program_.flag()) field.bound = std::fabs(program_.number<double>());
    }
    quantity.motion = static_cast<Motion>(program_.choice(5));
    quantity.scale = program_.one_of(scales);
    return quantity;
  }

  Quantity make_integers(const char *name) {
    Quantity quantity;
    quantity.field.type = ValueType::integer;
    quantity.field.components.push_back({name, 40});
    quantity.columns.push_back({name, {}});
    return quantity;
  }

  void make_box() {
    constexpr double edges[] = {1, 10, 0.5, 1e6, 1e-3};
    box_.kind = static_cast<gpz::Box::Kind>(program_.choice(4));
    for (char &c : box_.boundary) c = program_.flag() ? 'p' : 'f';
    if (box_.kind == gpz::Box::Kind::none) return;
    const double edge = program_.one_of(edges);
    if (box_.kind == gpz::Box::Kind::general_triclinic)
      for (const std::size_t d : {0u, 4u, 8u}) box_.values[d] = edge;
    else
      for (const std::size_t d : {1u, 3u, 5u}) box_.values[d] = edge;
    if (box_.kind == gpz::Box::Kind::triclinic) box_.values[6] = edge / 3;
  }

  double uniform() { return static_cast<double>(random_()) / static_cast<double>(std::minstd_rand::max()); }

  std::uint64_t first_value(const Quantity &quantity, std::size_t i) {
    if (quantity.motion == Motion::bits) return truncated(random_() * 0x9E3779B97F4A7C15u, quantity.field.type);
    const double value = quantity.scale * (uniform() + (random_() % 2 == 0 ? 0 : static_cast<double>(i) / 64));
    if (quantity.field.type == ValueType::integer) return static_cast<std::uint64_t>(random_() % 97);
    return narrowed(value, quantity.field.type);
  }

  static std::uint64_t truncated(std::uint64_t bits, ValueType type) {
    return is_narrow(type) ? bits & 0xFFFFFFFFu : bits;
  }
  // The conversion of what an f32 cannot hold is not for the target to try.
  static std::uint64_t narrowed(double value, ValueType type) {
    constexpr double largest = std::numeric_limits<float>::max();
    if (is_narrow(type)) value = std::fmin(std::fmax(value, -largest), largest);
    return bits_of(value, type);
  }

  void born(std::size_t i) {
    for (Quantity &quantity : quantities_)
      for (Column &column : quantity.columns) {
        const bool is_tag = column.name == tag_name;
        const bool is_id = column.name == "id";
        column.bits[i] = is_tag || is_id ? (is_id ? 3 * next_ + 1 : next_) : first_value(quantity, i);
      }
    ++next_;
  }

  void move(const Quantity &quantity, std::uint64_t &bits) {
    const std::string &name = quantity.columns[0].name;
    if (name == tag_name || name == "id" || quantity.motion == Motion::still) return;
    if (quantity.motion == Motion::bits) {
      bits = truncated(bits * 6364136223846793005u + random_(), quantity.field.type);
      return;
    }
    if (quantity.field.type == ValueType::integer) {
      bits += quantity.motion == Motion::drift ? 1 : random_() % 3 - 1;
      return;
    }
    double value = is_narrow(quantity.field.type) ? static_cast<double>(as_float(bits)) : as_double(bits);
    const double step = quantity.motion == Motion::gas ? 1 : 1e-3;
    value += quantity.scale * step * (quantity.motion == Motion::drift ? 1 : uniform() - 0.5);
    bits = narrowed(value, quantity.field.type);
  }

  // Into some row of some column.
  void put(std::uint64_t bits) {
    Quantity &quantity = quantities_[program_.choice(quantities_.size())];
    std::vector<std::uint64_t> &column = quantity.columns[program_.choice(quantity.columns.size())].bits;
    if (column.empty() || quantity.columns[0].name == tag_name) return;
    column[program_.number<std::uint16_t>() % column.size()] = truncated(bits, quantity.field.type);
  }

  template <typename F>
  void for_each_column(F &&f) {
    for (Quantity &quantity : quantities_)
      for (Column &column : quantity.columns) f(column.bits);
  }
  void leave(std::size_t number) {
    const std::size_t from = particles_ == 0 ? 0 : random_() % particles_;
    const std::size_t gone = std::min(number, particles_ - from);
    for_each_column([&](auto &bits) {
      bits.erase(bits.begin() + static_cast<std::ptrdiff_t>(from),
                 bits.begin() + static_cast<std::ptrdiff_t>(from + gone));
    });
    particles_ -= gone;
  }
  void arrive(std::size_t number) {
    const std::size_t before = particles_;
    particles_ += number;
    for_each_column([&](auto &bits) { bits.resize(particles_); });
    for (std::size_t i = before; i < particles_; ++i) born(i);
  }
  void shuffle() {
    for (std::size_t i = particles_; i > 1; --i) {
      const std::size_t j = random_() % i;
      for_each_column([&](auto &bits) { std::swap(bits[i - 1], bits[j]); });
    }
  }

  Program &program_;
  std::minstd_rand random_;
  std::size_t particles_ = 0;
  std::uint64_t next_ = 0;
  bool has_ids_ = false;
  std::vector<Quantity> quantities_;
  gpz::Box box_;
};

// The arrays of a frame, as a caller has them: an f32 in 4 bytes.
struct Arrays {
  std::vector<gpz::FieldInput> fields;
  std::vector<std::unique_ptr<float[]>> narrow;

  explicit Arrays(const Model &model) {
    for (const Quantity &quantity : model.quantities()) {
      fields.push_back({quantity.field, {}});
      for (std::size_t c = 0; c < quantity.columns.size(); ++c) {
        const std::vector<std::uint64_t> &bits = quantity.columns[c].bits;
        gpz::ConstArray &array = fields.back().components[c];
        if (is_narrow(quantity.field.type)) {
          narrow.emplace_back(new float[bits.size() + 1]);
          for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&narrow.back()[i], &bits[i], sizeof(float));
          array = {narrow.back().get(), sizeof(float), gpz::ConstArray::Type::float32};
        } else {
          const bool is_integer = quantity.field.type == ValueType::integer;
          array = {bits.data(), sizeof(double),
                   is_integer ? gpz::ConstArray::Type::int64 : gpz::ConstArray::Type::float64};
        }
      }
    }
  }
};

// What a frame has to come back as.
struct Expected {
  std::vector<Quantity> quantities;
  std::size_t particles;
};

struct Settings {
  unsigned key_interval;
  gpz::Order order;
  std::size_t chunks;
  bool two_threads;
  gpz::Effort effort;
};

gpz::Metadata metadata_of(const Settings &settings) {
  gpz::Metadata metadata;
  metadata.features = gpz::features_of(settings.effort, settings.order, true);
  return metadata;
}

// Writes frames as one process does, or as several do, each with a chunk of its own.
class Recorder {
 public:
  Recorder(gpz::Bytes &bytes, const Settings &settings, int threads)
      : settings_(settings), writer_(bytes, metadata_of(settings), threads), schedule_(settings.key_interval) {
    writer_.set_key_interval(settings.key_interval);
    writer_.set_order(settings.order);
    writer_.set_effort(settings.effort);
    for (std::size_t k = 0; k < settings.chunks; ++k) {
      encoders_.emplace_back(threads);
      encoders_.back().set_order(settings.order);
      encoders_.back().set_effort(settings.effort);
    }
  }

  void write(const Model &model, std::int64_t timestep) {
    gpz::FrameInfo info;
    info.particles = model.particles();
    info.timestep = timestep;
    info.box = model.box();
    const Arrays arrays(model);
    if (settings_.chunks == 1)
      writer_.write(info, arrays.fields);
    else
      write_chunks(info, arrays);
  }

  void close() { writer_.close(); }

 private:
  void write_chunks(gpz::FrameInfo &info, const Arrays &arrays) {
    for (const gpz::FieldInput &input : arrays.fields) info.fields.push_back(input.field);
    info.since_key = schedule_.next(info.fields);
    const auto particles = static_cast<std::size_t>(info.particles);
    std::vector<gpz::EncodedChunk> chunks(encoders_.size());
    for (std::size_t k = 0, first = 0; k < chunks.size(); ++k) {
      const std::size_t end = particles * (k + 1) / chunks.size();
      std::vector<int> rows;
      for (; first < end; ++first) rows.push_back(static_cast<int>(first));
      rows.push_back(0);  // a list without rows would mean all of them
      encoders_[k].encode(arrays.fields, rows.size() - 1, rows.data(), info.box, info.since_key == 0, chunks[k]);
    }
    writer_.write(info, chunks);
    schedule_.written(info);
  }

  Settings settings_;
  gpz::Writer writer_;
  gpz::KeySchedule schedule_;
  std::vector<gpz::TrajectoryEncoder> encoders_;
};

std::vector<std::vector<std::uint64_t>> read_columns(const gpz::Reader &reader, std::size_t frame,
                                                     const Expected &expected, bool sort_by_id) {
  std::vector<std::vector<std::uint64_t>> values;
  std::vector<gpz::ColumnOutput> outputs;
  for (const Quantity &quantity : expected.quantities)
    for (const Column &column : quantity.columns) {
      values.emplace_back(expected.particles + 1);
      const auto type = quantity.field.type == ValueType::integer ? gpz::ConstArray::Type::int64
                        : is_narrow(quantity.field.type)          ? gpz::ConstArray::Type::float32
                                                                  : gpz::ConstArray::Type::float64;
      outputs.push_back({column.name, {values.back().data(), sizeof(std::uint64_t), type}});
    }
  const gpz::FrameInfo info = reader.read_columns(frame, outputs, expected.particles, {1, sort_by_id});
  require(info.particles == expected.particles, "particles were lost");
  return values;
}

void compare(const gpz::Reader &reader, std::size_t frame, const Expected &expected, bool sort_by_id) {
  const auto values = read_columns(reader, frame, expected, sort_by_id);
  // The row of each particle, by its tag.
  const std::vector<std::uint64_t> &tags = expected.quantities.back().columns[0].bits;
  std::vector<std::pair<std::uint64_t, std::size_t>> before;
  for (std::size_t i = 0; i < tags.size(); ++i) before.emplace_back(tags[i], i);
  std::sort(before.begin(), before.end());
  std::vector<bool> seen(tags.size());
  for (std::size_t i = 0; i < expected.particles; ++i) {
    const std::uint64_t tag = values.back()[i];
    const auto found = std::lower_bound(before.begin(), before.end(), std::make_pair(tag, std::size_t{0}));
    require(found != before.end() && found->first == tag, "a particle that was not there");
    const std::size_t row = found->second;
    require(!seen[row], "a particle came back twice");
    seen[row] = true;
    std::size_t c = 0;
    for (const Quantity &quantity : expected.quantities)
      for (const Column &column : quantity.columns)
        require(is_kept(column.bits[row], values[c++][i], quantity.field), "a value is not within its bound");
  }
  if (!sort_by_id) return;
  const std::vector<std::uint64_t> &ids = values[values.size() - 2];
  for (std::size_t i = 1; i < expected.particles; ++i)
    require(static_cast<std::int64_t>(ids[i - 1]) <= static_cast<std::int64_t>(ids[i]), "not in the order of ids");
}

Settings settings_of(Program &program) {
  constexpr unsigned intervals[] = {1, 2, 3, 100, 65535};
  Settings settings{};
  settings.key_interval = program.one_of(intervals);
  settings.order = program.flag() ? gpz::Order::id : gpz::Order::place;
  settings.chunks = program.choice(4) == 3 ? 2 : 1;
  const auto last = program.number<std::uint8_t>();
  settings.two_threads = last % 8 == 7;
  settings.effort = static_cast<gpz::Effort>(last / 8 % 3);
  return settings;
}

bool has_odd_bound(const Model &model) {
  for (const Quantity &quantity : model.quantities())
    if (!std::isfinite(quantity.field.bound)) return true;
  return false;
}

// Writes all frames that the program describes; `expected` may be nullptr.
Status record(Program program, int threads, gpz::Bytes &bytes, std::vector<Expected> *expected) {
  const Settings settings = settings_of(program);
  Model model(program);
  return status_of([&] {
    Recorder recorder(bytes, settings, threads);
    const std::size_t frames = 1 + program.choice(most_frames);
    for (std::size_t i = 0, rows = 0; i < frames && rows <= most_rows; ++i) {
      if (i != 0) model.advance();
      rows += model.particles();
      const Status status = status_of([&] { recorder.write(model, static_cast<std::int64_t>(i)); });
      require(status == Status::ok || has_odd_bound(model), "a frame is refused");
      if (status != Status::ok) throw gpz::Error(status, "refused");
      if (expected != nullptr) expected->push_back({model.quantities(), model.particles()});
    }
    recorder.close();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *input, std::size_t size) {
  const Program program(input, size);
  gpz::Bytes bytes;
  std::vector<Expected> expected;
  if (record(program, 1, bytes, &expected) != Status::ok) return 0;

  Program first = program;
  if (settings_of(first).two_threads) {
    gpz::Bytes again;
    require(record(program, 2, again, nullptr) == Status::ok && again == bytes,
            "the number of threads decides the bytes");
  }
  const gpz::Reader reader(bytes.data(), bytes.size(), "written");
  require(reader.frames() == expected.size(), "frames were lost");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t columns = expected[i].quantities.size();
    const bool has_ids = columns > 1 && expected[i].quantities[columns - 2].columns[0].name == "id";
    compare(reader, i, expected[i], has_ids && i % 2 == 1);
  }
  return 0;
}

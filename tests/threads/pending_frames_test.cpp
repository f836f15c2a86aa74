// SPDX-License-Identifier: BSD-3-Clause
// Frames that wait to be encoded: the file is the one that a writer without them writes, and errors leave whole frames.
#include <algorithm>
#include <cerrno>
#include <cmath>

#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {
namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

struct Settings {
  int threads = 3;
  unsigned key_interval = 4;  // 0: the writer chooses it
  Order order = Order::automatic;
  Effort effort = Effort::standard;
  std::uint64_t pending = plenty;
};

void apply(Writer &writer, const Settings &settings) {
  if (settings.key_interval == 0)
    writer.choose_key_interval();
  else
    writer.set_key_interval(settings.key_interval);
  writer.set_order(settings.order);
  writer.set_effort(settings.effort);
  writer.set_pending(settings.pending);
}

Bytes written(const std::vector<Snapshot> &snapshots, const Settings &settings) {
  Bytes bytes;
  Writer writer(bytes, small_metadata(), settings.threads);
  apply(writer, settings);
  write_all(writer, snapshots);
  writer.close();
  return bytes;
}

Bytes written_at_once(const std::vector<Snapshot> &snapshots, Settings settings) {
  settings.pending = 0;
  return written(snapshots, settings);
}

// Particles leave and arrive, and change their rows.
std::vector<Snapshot> changing(int frames, std::size_t particles = 400) {
  Gas gas(particles);
  return trajectory(gas, frames, {}, [&](int) {
    gas.shuffle();
    gas.thin(0.01);
    gas.add(2);
  });
}

TEST(PendingFrames, GiveTheSameFile) {
  const std::vector<Snapshot> snapshots = changing(14);
  for (const Order order : {Order::place, Order::id, Order::memory})
    for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense})
      for (const unsigned interval : {1, 3, 100}) {
        Settings settings;
        settings.order = order;
        settings.effort = effort;
        settings.key_interval = interval;
        const Bytes expected = written_at_once(snapshots, settings);
        for (const int threads : {1, 2, 4}) {
          settings.threads = threads;
          EXPECT_EQ(written(snapshots, settings), expected)
              << "order " << static_cast<int>(order) << ", effort " << static_cast<int>(effort) << ", interval "
              << interval << ", threads " << threads;
        }
      }
}

TEST(PendingFrames, WaitWhenTheFirstOnesHaveGivenTheKeyInterval) {
  const std::vector<Snapshot> snapshots = changing(90);
  Settings chosen;
  chosen.key_interval = 0;
  const Bytes bytes = written_at_once(snapshots, chosen);
  const Reader reader = reader_of(bytes);
  Settings asked;
  while (reader.info(asked.key_interval).since_key != 0) ++asked.key_interval;
  EXPECT_GT(asked.key_interval, 6u);
  EXPECT_LT(asked.key_interval, 60u);
  EXPECT_EQ(written_at_once(snapshots, asked), bytes);
  for (const int threads : {2, 3}) {
    chosen.threads = threads;
    EXPECT_EQ(written(snapshots, chosen), bytes) << threads;
  }
}

// What the encoder has found out of a box that the file does not name is forgotten at each key frame.
TEST(PendingFrames, GiveTheSameFileWithoutABox) {
  std::vector<Snapshot> snapshots = trajectory(300, 12);
  for (Snapshot &snapshot : snapshots) snapshot.info.box = {};
  EXPECT_EQ(written(snapshots, {}), written_at_once(snapshots, {}));
}

TEST(PendingFrames, TakeNoMoreMemoryThanTheyMay) {
  const std::vector<Snapshot> snapshots = changing(9);
  Settings settings;
  const Bytes expected = written_at_once(snapshots, settings);
  for (const std::uint64_t bytes : {1, 40'000, 100'000}) {
    settings.pending = bytes;
    EXPECT_EQ(written(snapshots, settings), expected) << bytes;
  }
}

TEST(PendingFrames, MayHaveOtherSettingsAndFields) {
  std::vector<Snapshot> snapshots = changing(12);
  for (std::size_t k = 5; k < 8; ++k) snapshots[k].quantities.erase(snapshots[k].quantities.begin() + 1);  // ids
  Bytes files[2];
  for (const std::uint64_t pending : {std::uint64_t{0}, plenty}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata(), 3);
    apply(writer, {});
    writer.set_pending(pending);
    for (std::size_t k = 0; k < snapshots.size(); ++k) {
      if (k == 2) writer.set_effort(Effort::fast);
      if (k == 3) writer.set_key_interval(2);
      if (k == 5 || k == 8) writer.set_order(k == 5 ? Order::place : Order::id);
      if (k == 10) writer.set_pending(0);
      const Status status = status_of([&] { writer.write(snapshots[k].info, snapshots[k].inputs()); });
      EXPECT_EQ(status, k >= 5 && k < 8 ? Status::invalid_argument : Status::ok) << k;
    }
    writer.close();
    files[pending == 0 ? 0 : 1] = bytes;
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(PendingFrames, StandBetweenRecordsAndStoredFrames) {
  const std::vector<Snapshot> snapshots = changing(8);
  const Bytes other = file_of(changing(3), 5);
  const Reader reader = reader_of(other);
  Bytes files[2];
  for (const std::uint64_t pending : {std::uint64_t{0}, plenty}) {
    Bytes bytes;
    Metadata metadata = small_metadata();
    metadata.features = feature::known;
    Writer writer(bytes, metadata, 3);
    apply(writer, {});
    writer.set_pending(pending);
    for (std::size_t k = 0; k < snapshots.size(); ++k) {
      writer.write(snapshots[k].info, snapshots[k].inputs());
      if (k == 2) writer.write(StoredRecord{0x80000001u, Bytes(8, 1), Bytes(16, 2)});
      if (k == 4) writer.write(reader.stored(0));
    }
    writer.close();
    files[pending == 0 ? 0 : 1] = bytes;
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(PendingFrames, AreInTheFileAfterSync) {
  const std::vector<Snapshot> snapshots = changing(6);
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata(), Writer::Mode::create, 2);
  apply(writer, {});
  write_all(writer, snapshots);
  EXPECT_EQ(writer.last_frame().timestep, snapshots.back().info.timestep);
  writer.sync();
  EXPECT_EQ(writer.frames().size(), snapshots.size());
  EXPECT_EQ(scan_bytes(file.bytes()).frames.size(), snapshots.size());
}

TEST(PendingFrames, ContinueAFile) {
  const std::vector<Snapshot> snapshots = changing(10);
  Bytes files[2];
  for (const std::uint64_t pending : {std::uint64_t{0}, plenty}) {
    const TemporaryFile file;
    for (const std::size_t begin : {0, 6}) {
      Writer writer(file.path(), small_metadata(), Writer::Mode::append, 3);
      apply(writer, {});
      writer.set_pending(pending);
      for (std::size_t k = begin; k < begin + (begin == 0 ? 6 : 4); ++k)
        writer.write(snapshots[k].info, snapshots[k].inputs());
      writer.close();
    }
    files[pending == 0 ? 0 : 1] = file.bytes();
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(PendingFrames, AreCheckedAtOnce) {
  std::vector<Snapshot> snapshots = changing(7);
  Bytes bytes;
  Writer writer(bytes, small_metadata(), 3);
  apply(writer, {});
  for (std::size_t k = 0; k < snapshots.size(); ++k) {
    std::vector<FieldInput> fields = snapshots[k].inputs();
    if (k == 3) fields[0].field.bound = std::nan("");
    if (k == 5) fields[0].components[1].data = nullptr;
    EXPECT_EQ(status_of([&] { writer.write(snapshots[k].info, fields); }),
              k == 3 || k == 5 ? Status::invalid_argument : Status::ok)
        << k;
  }
  writer.close();
  const std::vector<Frame> frames = read_all(bytes);
  ASSERT_EQ(frames.size(), 5u);
  const std::size_t given[] = {0, 1, 2, 4, 6};
  for (std::size_t k = 0; k < frames.size(); ++k) expect_true(snapshots[given[k]], frames[k]);
}

// Takes so many frames, and then some bytes of the next one.
class FullSink final : public Sink {
 public:
  FullSink(Bytes &bytes, int frames) : bytes_(bytes), frames_(frames) {}
  const std::string &name() const override { return name_; }
  void write(const std::vector<Span> &pieces) override {
    if (frames_-- == 0) {
      bytes_.resize(bytes_.size() + 10);
      throw Error(Status::io_error, "full", name_, bytes_.size(), ENOSPC);
    }
    for (const Span &piece : pieces) {
      const auto *const from = static_cast<const std::uint8_t *>(piece.data);
      bytes_.insert(bytes_.end(), from, from + piece.size);
    }
  }
  void cut(std::uint64_t size) override { bytes_.resize(size); }

 private:
  Bytes &bytes_;
  int frames_;
  std::string name_ = "full";
};

TEST(PendingFrames, BehindAnErrorAreLost) {
  const std::vector<Snapshot> snapshots = changing(12);
  Bytes bytes;
  Writer writer(std::make_unique<FullSink>(bytes, 1 + 5), small_metadata(), 3);  // a header and five frames
  apply(writer, {});
  writer.set_effort(Effort::fast);
  std::size_t errors = 0;
  for (const Snapshot &snapshot : snapshots) {
    errors += status_of([&] { writer.write(snapshot.info, snapshot.inputs()); }) == Status::io_error ? 1 : 0;
    if (errors != 0) break;
  }
  if (errors == 0) errors += status_of([&] { writer.sync(); }) == Status::io_error ? 1 : 0;
  EXPECT_EQ(errors, 1u);
  EXPECT_EQ(writer.frames().size(), 5u);
  // The writer goes on, with a key frame.
  writer.write(snapshots[6].info, snapshots[6].inputs());
  writer.close();
  const std::vector<Frame> frames = read_all(bytes);
  ASSERT_EQ(frames.size(), 6u);
  EXPECT_EQ(frames[5].info.since_key, 0);
  for (std::size_t k = 0; k < frames.size(); ++k) expect_true(snapshots[k < 5 ? k : 6], frames[k]);
}

TEST(PendingFrames, OfAWriterThatIsGoneAreDropped) {
  const std::vector<Snapshot> snapshots = changing(8);
  Bytes bytes;
  {
    Writer writer(bytes, small_metadata(), 3);
    apply(writer, {});
    write_all(writer, snapshots);
    Writer moved(std::move(writer));
    moved.write(snapshots[0].info, snapshots[0].inputs());
  }
  const Reader reader = reader_of(bytes);
  EXPECT_LE(reader.frames(), snapshots.size() + 1);
  for (std::size_t i = 0; i < std::min(reader.frames(), snapshots.size()); ++i)
    expect_true(snapshots[i], reader.read(i));
}

}  // namespace
}  // namespace gpz::test

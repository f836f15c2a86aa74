// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead: the bytes of frames are those of the file, whatever is asked for in which order; errors reach who
// takes the frame.
#include "gpz/cuda/reader/read_ahead.hpp"

#include <atomic>

#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {
namespace {

using api::FrameFile;
using cuda::ReadAhead;

// Bytes of which some cannot be read for a while.
class FailingSource final : public api::Source {
 public:
  struct Failure {
    std::atomic<std::uint64_t> position{Error::no_position};
  };

  FailingSource(const Bytes &bytes, Failure &failure)
      : whole_(bytes.data(), bytes.size(), "memory"), failure_(failure) {}
  const std::string &name() const override { return whole_.name(); }
  std::uint64_t size() const override { return whole_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    const std::uint64_t at = failure_.position;
    if (at >= position && at < position + size) throw Error(Status::io_error, "a read that fails", name(), at, EIO);
    whole_.read_at(position, data, size);
  }

 private:
  api::MemorySource whole_;
  Failure &failure_;
};

FrameFile file_from(const Bytes &bytes) {
  return FrameFile(std::make_unique<api::MemorySource>(bytes.data(), bytes.size(), "memory"));
}

ReadAhead::Settings settings_of(int threads, std::size_t frames, std::uint64_t bytes = UINT64_MAX,
                                std::size_t piece = 96, std::size_t load = 2) {
  ReadAhead::Settings settings;
  settings.threads = threads;
  settings.frames = frames;
  settings.bytes = bytes;
  settings.piece = piece;
  settings.load = load;
  return settings;
}

// Keeps a copy of what was sent, as a device would. Rooms are used in turn, and hold nothing when they are given out.
class CopyingLanding final : public cuda::ByteLanding {
 public:
  explicit CopyingLanding(std::size_t slots, const ReadAhead::Settings &settings = settings_of(1, 1))
      : room_(settings.room()), slots_(slots) {}

  void reserve(std::size_t slot, std::size_t size) override {
    if (failing_reserve) throw Error(Status::out_of_memory, "no room");
    slots_[slot].there.assign(size, 0xDD);
    slots_[slot].complete = false;
  }
  std::unique_ptr<Lane> lane() override {
    ++threads;
    if (failing_thread) throw Error(Status::internal, "a thread that does not begin");
    return std::make_unique<CopyingLane>(*this);
  }
  void complete(std::size_t slot) override { slots_[slot].complete = true; }

  const Bytes &there(std::size_t slot) const { return slots_[slot].there; }
  bool is_complete(std::size_t slot) const { return slots_[slot].complete; }

  std::atomic<bool> failing_reserve{false}, failing_copy{false}, failing_room{false}, failing_thread{false};
  std::atomic<int> threads{0};

 private:
  class CopyingLane final : public Lane {
   public:
    explicit CopyingLane(CopyingLanding &landing) : landing_(landing) {}
    std::uint8_t *room() override {
      if (landing_.failing_room) throw Error(Status::internal, "a room that is not free");
      turn_ = 1 - turn_;
      rooms_[turn_].assign(landing_.room_, 0xEE);
      return rooms_[turn_].data();
    }
    void send(std::size_t slot, std::size_t from, std::size_t size) override {
      if (landing_.failing_copy) throw Error(Status::internal, "a copy that fails");
      Slot &to = landing_.slots_[slot];
      EXPECT_FALSE(to.complete);
      EXPECT_LE(from + size, to.there.size());
      std::copy_n(rooms_[turn_].begin(), size, to.there.begin() + static_cast<std::ptrdiff_t>(from));
    }

   private:
    CopyingLanding &landing_;
    Bytes rooms_[2];
    std::size_t turn_ = 0;
  };
  struct Slot {
    Bytes there;
    bool complete = false;
  };

  std::size_t room_;
  std::vector<Slot> slots_;
};

// A file, and its frames read in a way that other tests have checked.
struct Trajectory {
  Bytes bytes;
  FrameFile file;
  std::vector<Bytes> frames;

  explicit Trajectory(const Bytes &given = chained_file(24, 5)) : bytes(given), file(file_from(bytes)) {
    const Reader reader = reader_of(bytes);
    for (std::size_t i = 0; i < reader.frames(); ++i) frames.push_back(reader.stored(i).bytes);
  }
  std::size_t count() const { return frames.size(); }
};

void expect_frame(const Trajectory &all, const CopyingLanding &landing, ReadAhead &ahead, std::size_t i) {
  const ReadAhead::Frame frame = ahead.take(i);
  EXPECT_EQ(frame.head->info.timestep, 100 * static_cast<std::int64_t>(i));
  EXPECT_TRUE(landing.is_complete(frame.slot));
  EXPECT_EQ(landing.there(frame.slot), all.frames[i]) << i;
  EXPECT_TRUE(std::equal(all.frames[i].begin(), all.frames[i].end(),
                         all.bytes.begin() + static_cast<std::ptrdiff_t>(frame.position)));
  EXPECT_EQ(ahead.head(i), frame.head);
  ahead.check(i);
}

TEST(ReadAheadThreads, FramesArriveInTheirOrder) {
  const Trajectory all;
  for (const int threads : {1, 2, 5})
    for (const std::size_t frames : {1u, 2u, 7u})
      for (const std::size_t piece : {8u, 3000u, 1u << 20}) {
        const ReadAhead::Settings settings = settings_of(threads, frames, UINT64_MAX, piece, 1 + piece % 7);
        CopyingLanding landing(frames, settings);
        ReadAhead ahead(all.file, landing, settings);
        ahead.aim(0, all.count());
        for (std::size_t i = 0; i < all.count(); ++i) {
          expect_frame(all, landing, ahead, i);
          ahead.give_back(i);
        }
        EXPECT_GE(landing.threads, 1);
        EXPECT_LE(landing.threads, threads);
      }
}

// Chunks of lengths at which pieces and blocks of the checksum begin and end.
Bytes file_of_lengths(const std::vector<std::vector<std::size_t>> &frames, Random &random) {
  Bytes out;
  Writer writer(out, small_metadata());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    Particles particles(0);
    particles.info.timestep = 100 * static_cast<std::int64_t>(f);
    particles.info.particles = frames[f].size();
    for (const FieldInput &field : particles.fields) particles.info.fields.push_back(field.field);
    std::vector<EncodedChunk> chunks(frames[f].size());
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      chunks[k].particles = 1;
      chunks[k].bytes.resize(frames[f][k]);
      for (std::uint8_t &byte : chunks[k].bytes) byte = static_cast<std::uint8_t>(random.below(256));
      chunks[k].checksum = chunk_checksum(chunks[k].bytes.data(), chunks[k].bytes.size());
      chunks[k].largest_error.assign(particles.fields.size(), 0);
    }
    writer.write(particles.info, chunks);
  }
  writer.close();
  return out;
}

TEST(ReadAheadThreads, ChunksOfAnyLength) {
  Random random(7);
  std::vector<std::vector<std::size_t>> lengths;
  for (const std::size_t around : {8u, 1024u, 2048u, 2112u, 3072u, 4096u, 5120u, 5184u, 9216u})
    for (const std::size_t length : {around - 8, around, around + 8, around + 56, around + 64, around + 72})
      lengths.push_back({length, 8 * random.below(40), length, 8 * random.below(3), 3 * length});
  const Bytes sound = file_of_lengths(lengths, random);
  for (const std::size_t piece : {1u, 1024u, 2500u, 4096u, 1u << 16}) {
    Bytes bytes = sound;
    const FrameFile file = file_from(bytes);
    const ReadAhead::Settings settings = settings_of(3, 4, UINT64_MAX, piece, 1 + piece % 4);
    CopyingLanding landing(4, settings);
    ReadAhead ahead(file, landing, settings);
    for (const bool is_damaged : {false, true}) {
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        std::uint64_t position = 0;
        const format::FrameHead head = file.head(i, &position);
        const std::size_t chunk = i % 2 * 2 + i % 3;  // 0 to 4
        std::size_t size = 0;
        std::size_t at = 0;
        for (std::size_t k = 0; k < head.chunks.size(); ++k) {
          if (k == chunk) at = size;
          size += static_cast<std::size_t>(head.chunks[k].length);
        }
        if (is_damaged && head.chunks[chunk].length != 0)
          bytes[static_cast<std::size_t>(position) + at + random.below(lengths[i][chunk])] ^= 4;
        const ReadAhead::Frame frame = ahead.take(i);
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(position);
        EXPECT_EQ(landing.there(frame.slot), Bytes(begin, begin + static_cast<std::ptrdiff_t>(size)));
        const auto status = status_of([&] { ahead.check(i); });
        EXPECT_EQ(status, is_damaged && head.chunks[chunk].length != 0 ? Status::corrupt : Status::ok) << i;
        ahead.give_back(i);
        ahead.aim(i + 1, i + 1);
      }
    }
  }
}

TEST(ReadAheadThreads, AimsAtOtherFrames) {
  const Trajectory all;
  CopyingLanding landing(4);
  ReadAhead ahead(all.file, landing, settings_of(3, 4));
  Random random(11);
  for (int step = 0; step < 300; ++step) {
    const std::size_t first = random.below(all.count());
    const std::size_t end = first + random.below(6);
    ahead.aim(first, end);
    std::size_t i = first;
    for (const std::size_t stop = first + random.below(5); i < std::min({stop, end, all.count()}); ++i) {
      expect_frame(all, landing, ahead, i);
      if (random.below(8) == 0) break;  // it stays taken
      ahead.give_back(i);
    }
    // Also what was not aimed at.
    if (random.below(4) == 0) expect_frame(all, landing, ahead, random.below(all.count()));
  }
}

TEST(ReadAheadThreads, ReadsNoMoreThanItShould) {
  const Trajectory all;
  const auto length = [&](std::size_t i) { return all.file.scan().frames[i].length; };
  const auto under_way = [&](const ReadAhead &ahead) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.count(); ++i) count += ahead.head(i) != nullptr;
    return count;
  };
  CopyingLanding landing(6);
  {
    ReadAhead ahead(all.file, landing, settings_of(2, 6));
    ahead.aim(0, 3);
    EXPECT_EQ(under_way(ahead), 3u);
    ahead.aim(1, all.count());
    EXPECT_EQ(under_way(ahead), 6u);
    EXPECT_EQ(ahead.head(0), nullptr);
    ahead.aim(4, 4);
    EXPECT_EQ(under_way(ahead), 0u);
    ahead.aim(all.count() - 1, all.count() + 9);
    EXPECT_EQ(under_way(ahead), 1u);
  }
  {
    ReadAhead ahead(all.file, landing, settings_of(2, 6, length(0) + length(1) + length(2)));
    ahead.aim(0, all.count());
    EXPECT_EQ(under_way(ahead), 3u);
  }
  {
    ReadAhead ahead(all.file, landing, settings_of(2, 6, 1));
    ahead.aim(0, all.count());
    EXPECT_EQ(under_way(ahead), 2u);
  }
}

TEST(ReadAheadThreads, DamageIsFoundWhereItIs) {
  Random random(5);
  const Bytes sound = chained_file(24, 5);
  for (int step = 0; step < 40; ++step) {
    Trajectory all(sound);
    const std::size_t damaged = random.below(all.count());
    std::uint64_t position = 0;
    all.file.head(damaged, &position);
    const std::size_t at = static_cast<std::size_t>(position) + random.below(all.frames[damaged].size());
    all.bytes[at] ^= static_cast<std::uint8_t>(1 + random.below(255));
    all.frames[damaged][at - static_cast<std::size_t>(position)] = all.bytes[at];
    CopyingLanding landing(3);
    ReadAhead ahead(all.file, landing, settings_of(2, 3));
    ahead.aim(0, all.count());
    for (std::size_t i = 0; i < all.count(); ++i) {
      const ReadAhead::Frame frame = ahead.take(i);
      EXPECT_EQ(landing.there(frame.slot), all.frames[i]);
      try {
        ahead.check(i);
        EXPECT_NE(i, damaged);
      } catch (const Error &error) {
        EXPECT_EQ(i, damaged);
        EXPECT_EQ(error.status(), Status::corrupt);
        EXPECT_EQ(error.file(), "memory");
        EXPECT_EQ(error.position(), position);
      }
      ahead.give_back(i);
    }
  }
}

TEST(ReadAheadThreads, ReadsThatFailCanBeRepeated) {
  const Trajectory all;
  FailingSource::Failure failure;
  const FrameFile file(std::make_unique<FailingSource>(all.bytes, failure));
  std::uint64_t position = 0;
  file.head(6, &position);
  failure.position = position + all.frames[6].size() / 2;
  CopyingLanding landing(4);
  ReadAhead ahead(file, landing, settings_of(3, 4));
  ahead.aim(0, all.count());
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (i == 6) {
      for (int times = 0; times < 3; ++times) EXPECT_EQ(status_of([&] { ahead.take(i); }), Status::io_error);
      failure.position = Error::no_position;
    }
    expect_frame(all, landing, ahead, i);
    ahead.give_back(i);
  }
}

TEST(ReadAheadThreads, FailuresOfTheLandingReachTheCaller) {
  const Trajectory all;
  {
    CopyingLanding landing(3);
    landing.failing_copy = true;
    ReadAhead ahead(all.file, landing, settings_of(2, 3));
    ahead.aim(0, all.count());
    EXPECT_EQ(status_of([&] { ahead.take(0); }), Status::internal);
    landing.failing_copy = false;
    expect_frame(all, landing, ahead, 0);
  }
  {
    CopyingLanding landing(3);
    ReadAhead ahead(all.file, landing, settings_of(2, 3));
    landing.failing_reserve = true;
    ahead.aim(0, all.count());
    EXPECT_EQ(status_of([&] { ahead.take(0); }), Status::out_of_memory);
    landing.failing_reserve = false;
    expect_frame(all, landing, ahead, 0);
  }
  {
    CopyingLanding landing(3);
    landing.failing_room = true;
    ReadAhead ahead(all.file, landing, settings_of(2, 3));
    ahead.aim(0, all.count());
    EXPECT_EQ(status_of([&] { ahead.take(0); }), Status::internal);
  }
  {
    CopyingLanding landing(3);
    landing.failing_thread = true;
    ReadAhead ahead(all.file, landing, settings_of(2, 3));
    ahead.aim(0, all.count());
    EXPECT_EQ(status_of([&] { ahead.take(0); }), Status::internal);
  }
}

TEST(ReadAheadThreads, GivesUpWhatIsUnderWay) {
  const Trajectory all;
  for (int step = 0; step < 50; ++step) {
    CopyingLanding landing(5);
    ReadAhead ahead(all.file, landing, settings_of(4, 5, UINT64_MAX, 8));
    ahead.aim(static_cast<std::size_t>(step) % all.count(), all.count());
    const std::size_t i = static_cast<std::size_t>(step) % all.count();
    if (step % 2 == 0) expect_frame(all, landing, ahead, i);
    EXPECT_EQ(ahead.head(i)->info.timestep, 100 * static_cast<std::int64_t>(i));
  }
}

TEST(ReadAheadThreads, FramesWithoutParticles) {
  const TemporaryFile written;
  {
    Writer writer(written.path(), small_metadata());
    for (int f = 0; f < 3; ++f) {
      Particles particles(f);
      if (f == 1) particles.info.particles = 0;
      writer.write(particles.info, particles.fields);
    }
    writer.close();
  }
  const Trajectory all(written.bytes());
  CopyingLanding landing(2);
  ReadAhead ahead(all.file, landing, settings_of(2, 2));
  ahead.aim(0, all.count());
  for (std::size_t i = 0; i < all.count(); ++i) {
    expect_frame(all, landing, ahead, i);
    ahead.give_back(i);
  }
}

TEST(ReadAheadThreads, NoSuchFrame) {
  const Trajectory all;
  CopyingLanding landing(2);
  ReadAhead ahead(all.file, landing, settings_of(2, 2));
  EXPECT_EQ(status_of([&] { ahead.take(all.count()); }), Status::not_found);
  expect_frame(all, landing, ahead, 0);
}

}  // namespace
}  // namespace gpz::test

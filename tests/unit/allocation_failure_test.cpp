// SPDX-License-Identifier: BSD-3-Clause
// Every allocation of the library fails once: the caller gets out_of_memory, nothing leaks, and objects go on.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <new>

#include "c_api_support.hpp"
#include "failing_allocations.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::test::allocation_failure_test {
namespace {

constexpr int particles = 60;
constexpr int frames = 5;

struct Trajectory {
  Motion motion{particles, frames};
  Image image;
  std::vector<Frame> decoded;

  explicit Trajectory(gpz_order order = GPZ_ORDER_ID) {
    motion.write_to(image, order);
    decoded = read_all(bytes());
  }
  Bytes bytes() const {
    const auto *first = static_cast<const std::uint8_t *>(image.bytes);
    return Bytes(first, first + image.size);
  }
  Reader reader() const { return Reader(static_cast<const std::uint8_t *>(image.bytes), image.size); }
};

const Trajectory &trajectory() {
  static const Trajectory only;
  return only;
}

// The result of a call.
template <class F>
Status outcome(Failing failing, const F &call) {
  try {
    call();
    return Status::ok;
  } catch (const Error &error) {
    return error.status();
  } catch (const std::bad_alloc &) {
    return failing == Failing::one ? Status::internal : Status::out_of_memory;  // one: there is memory for an Error
  }
}

// Runs call() again and again, each time with another allocation failing, until there are no more. `after(status)`
// looks at what has become of it. Returns how many failed.
template <class Call, class After>
std::size_t fail_each(Failing failing, const Call &call, const After &after) {
  for (std::size_t n = 1;; ++n) {
    Status status = Status::ok;
    bool happened = false;
    {
      const FailingAllocation failure(n, failing);
      status = outcome(failing, call);
      happened = failure.happened();
    }
    if (!happened) {
      EXPECT_EQ(status, Status::ok);
      return n - 1;
    }
    EXPECT_TRUE(status == Status::out_of_memory || status == Status::ok) << to_string(status) << ", allocation " << n;
    after(status);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "allocation " << n;
      return n;
    }
  }
}

class AllocationFailure : public testing::TestWithParam<int> {
 protected:
  // Each call makes all its objects: none of them may be left.
  template <class Call>
  void fail_fresh(const Call &call) {
    ASSERT_EQ(outcome(Failing::one, call), Status::ok);  // what is made once and kept is made here
    std::size_t failed = 0;
    for (const Failing failing : {Failing::one, Failing::all_from_it}) {
      const std::ptrdiff_t before = living_blocks();
      failed += fail_each(failing, call, [&](Status) { EXPECT_EQ(living_blocks(), before); });
    }
    EXPECT_GT(failed, 0u);
    count(failed);
  }

  // The call works on an object that lives longer; then `again` must succeed on it.
  template <class Call, class Again>
  void fail_reused(const Call &call, const Again &again) {
    std::size_t failed = 0;
    for (const Failing failing : {Failing::one, Failing::all_from_it})
      failed += fail_each(failing, call, [&](Status) { again(); });
    EXPECT_GT(failed, 0u);
    count(failed);
  }

  static int threads() { return GetParam(); }

 private:
  void count(std::size_t failed) {
    failed_ += failed;
    RecordProperty("failed_allocations", std::to_string(failed_));
  }

  std::size_t failed_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Threads, AllocationFailure, testing::Values(1, 2));

void expect_same(const Frame &frame, std::size_t i) { EXPECT_TRUE(same(frame, trajectory().decoded[i])) << i; }

void expect_within_bound(const Frame &found, int f) {
  const Particles frame(f);
  ASSERT_EQ(found.info.particles, frame.info.particles);
  const auto column = [&](const char *name) {
    for (const Frame::Column &candidate : found.columns)
      if (found.info.fields[candidate.field].components[candidate.component].name == name) return &candidate;
    throw Error(Status::not_found, name);
  };
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    const std::int64_t id = column("id")->integers[i];
    const std::size_t row = frame.id.size() - static_cast<std::size_t>(id);  // ids count down
    ASSERT_LT(row, frame.id.size());
    EXPECT_NEAR(column("x")->floats[i], frame.x[3 * row], 0.001);
    EXPECT_EQ(column("q")->floats[i], frame.q[row]);
  }
}

TEST_P(AllocationFailure, Reader) {
  for (const std::size_t i : {0, 2, 4}) {
    fail_fresh([&] {
      const Reader reader = trajectory().reader();
      const Frame frame = reader.read(i, threads());
      if (!same(frame, trajectory().decoded[i])) throw Error(Status::internal, "another frame");
    });
  }
}

TEST_P(AllocationFailure, ReaderOfAFile) {
  const TemporaryFile file;
  file.set(trajectory().bytes());
  fail_fresh([&] {
    const Reader reader(file.path());
    reader.verify(1, threads());
    reader.info(2);
    reader.chunk(0, 0);
    reader.chunk_kind(1, 0);
    reader.field_sizes(1);
    reader.stored(1);
    scan_file(file.path(), false);
  });
}

TEST_P(AllocationFailure, ReaderGoesOn) {
  const Reader reader = trajectory().reader();
  for (const std::size_t i : {0, 1, 2, 3, 4}) {
    const auto again = [&] { expect_same(reader.read(i, threads()), i); };
    fail_reused([&] { reader.read(i, ReadOptions{threads(), false}); }, again);
    fail_reused([&] { reader.read(i, ReadOptions{threads(), true}); }, again);
  }
}

TEST_P(AllocationFailure, ReadColumns) {
  const Reader reader = trajectory().reader();
  std::vector<double> x(particles);
  std::vector<std::int32_t> id(particles);
  const std::vector<ColumnOutput> columns = {{"x", {x.data(), sizeof(double), ConstArray::Type::float64}},
                                             {"id", {id.data(), sizeof(std::int32_t), ConstArray::Type::int32}}};
  const Motion &motion = trajectory().motion;
  for (const std::size_t i : {0, 2, 4}) {
    const auto read = [&] { reader.read_columns(i, columns, particles, ReadOptions{threads(), true}); };
    fail_reused(read, [&] {
      read();
      for (std::size_t k = 0; k < x.size(); ++k)
        EXPECT_NEAR(x[k], motion.frames[i].at(id[k]).x[0], Motion::bound) << "frame " << i << ", id " << id[k];
    });
  }
}

TEST_P(AllocationFailure, StreamReader) {
  const TemporaryFile file;
  file.set(trajectory().bytes());
  fail_fresh([&] {
    const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    struct Closed {
      int descriptor;
      ~Closed() { ::close(descriptor); }
    } const closed{descriptor};
    StreamReader stream(descriptor, "stream");
    Frame frame;
    for (std::size_t i = 0; stream.next(frame, threads()); ++i)
      if (!same(frame, trajectory().decoded[i])) throw Error(Status::internal, "another frame");
  });
}

// A new file of these bytes; takes no memory. (To empty the old one would wait for the disk.)
void put(const Bytes &bytes, const std::string &path) {
  ::unlink(path.c_str());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
  ::close(descriptor);
  if (written != static_cast<ssize_t>(bytes.size())) throw Error(Status::internal, "cannot write");
}

TEST_P(AllocationFailure, Writer) {
  const TemporaryFile file;
  const Metadata metadata = small_metadata();
  const Particles first(1);
  const Particles second(2);
  for (const bool appends : {false, true}) {
    const Bytes before = appends ? small_file(1, false) : Bytes();
    const auto write = [&] {
      put(before, file.path());
      Writer writer(file.path(), metadata, appends ? Writer::Mode::append : Writer::Mode::create, threads());
      writer.set_order(Order::id);
      writer.set_effort(Effort::fast);  // WriterGoesOn has the default one
      writer.write(first.info, first.fields);
      writer.write(second.info, second.fields);
      writer.close();
    };
    fail_fresh(write);
    fail_reused(write, [&] {
      const Bytes bytes = file.bytes();
      if (bytes.empty()) return;
      const FileScan scan = scan_bytes(bytes);
      EXPECT_FALSE(scan.torn || scan.damaged);
      EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes.begin()));
      for (const Frame &frame : read_all(bytes))
        expect_within_bound(frame, static_cast<int>(frame.info.timestep / 100));
    });
  }
}

// Frames that were written are there, those that failed are not, and the values are within their bound.
TEST_P(AllocationFailure, WriterGoesOn) {
  for (const Order order : {Order::place, Order::id}) {
    Bytes memory;
    Writer writer(memory, small_metadata(), threads());
    writer.set_key_interval(3);
    writer.set_order(order);
    std::vector<std::int64_t> written;
    for (int f = 0; f < 5; ++f) {
      const Particles frame(f);
      for (const Failing failing : {Failing::one, Failing::all_from_it}) {
        written.reserve(written.size() + 10000);  // the test itself does not fail
        fail_each(
            failing,
            [&] {
              writer.write(frame.info, frame.fields);
              written.push_back(frame.info.timestep);
            },
            [&](Status) { EXPECT_EQ(writer.frames().size(), written.size()); });
      }
    }
    writer.close();
    const std::vector<Frame> found = read_all(memory);
    ASSERT_EQ(found.size(), written.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].info.timestep, written[i]);
      expect_within_bound(found[i], static_cast<int>(written[i] / 100));
    }
  }
}

// A program in C: what it opened it closes, and after out_of_memory it may ask for the message.
gpz_status use_c_api(const Trajectory &from, int threads) {
  gpz_reader *reader = nullptr;
  gpz_status status = gpz_reader_open_memory(from.image.bytes, from.image.size, threads, &reader);
  std::array<double, 3 * particles> xyz{};
  std::array<std::int64_t, particles> id{};
  const gpz_output outputs[] = {gpz_into_interleaved("x y z", GPZ_FLOAT64, xyz.data()),
                                gpz_into_column("id", GPZ_INT64, id.data())};
  gpz_metadata metadata = gpz_new_metadata();
  gpz_frame info = gpz_new_frame(0, 0);
  std::size_t columns = 0;
  if (status == GPZ_OK) status = gpz_reader_metadata(reader, &metadata);
  if (status == GPZ_OK) status = gpz_reader_frame(reader, 2, &info);
  if (status == GPZ_OK) status = gpz_reader_column_count(reader, 2, &columns);
  if (status == GPZ_OK) status = gpz_reader_read(reader, 2, outputs, 2, particles, GPZ_SORT_BY_ID);
  if (status == GPZ_OK) status = gpz_reader_read_double(reader, 3, "y", xyz.data(), particles);
  if (status == GPZ_OK) status = gpz_reader_verify(reader, 4);
  gpz_reader_close(reader);

  gpz_writer *writer = nullptr;
  Image image;
  if (status == GPZ_OK) status = gpz_writer_open_memory(nullptr, threads, &writer);
  if (status == GPZ_OK) status = gpz_writer_set_order(writer, GPZ_ORDER_ID);
  if (writer != nullptr) {
    const gpz_field fields[] = {gpz_interleaved("x y z", GPZ_FLOAT64, xyz.data()),
                                gpz_column("id", GPZ_INT64, id.data())};
    const gpz_frame frame = gpz_new_frame(particles, 7);
    if (status == GPZ_OK) status = gpz_writer_write(writer, &frame, fields, 2);
    const gpz_status closed = gpz_writer_close_memory(writer, &image.bytes, &image.size);
    if (status == GPZ_OK) status = closed;
  }
  return status;
}

TEST_P(AllocationFailure, CApi) {
  fail_fresh([&] {
    const gpz_status status = use_c_api(trajectory(), threads());
    if (status == GPZ_OK) return;
    EXPECT_EQ(status, GPZ_OUT_OF_MEMORY) << gpz_last_error();
    EXPECT_NE(std::strstr(gpz_last_error(), "memory"), nullptr) << gpz_last_error();
    throw Error(Status::out_of_memory, "");
  });
}

}  // namespace
}  // namespace gpz::test::allocation_failure_test

// SPDX-License-Identifier: BSD-3-Clause
// A file that is continued: what differs from the file is refused and changes no byte of it; what is left out is that
// of the file.
#include "gpz/continuation.hpp"

#include "container_support.hpp"
#include "gpz/gpz.h"

namespace gpz::test::continuation_test {
namespace {

Metadata full_metadata() {
  Metadata metadata;
  metadata.units = "metal";
  metadata.atom_style = "atomic";
  metadata.elements = {"Cu", "O"};
  metadata.type_labels = {"copper", "oxygen"};
  metadata.timestep_size = 0.001;
  return metadata;
}

// One frame, positions and a float32 column with these bounds.
void write_bounds(Writer &writer, double position, double other, const char *x = "x") {
  Particles particles(1);
  particles.fields[0].field.bound = position;
  particles.fields[0].field.components[0].name = x;
  particles.fields[2].field.bound = other;
  writer.write(particles.info, particles.fields);
}

Bytes full_file(bool with_index = true) {
  const TemporaryFile file;
  Writer writer(file.path(), full_metadata());
  set_plain(writer);
  write_bounds(writer, 0.001, 0);
  if (with_index) writer.close();
  return file.bytes();
}

// The message of an Error with this status, which has to name the file.
std::string refusal(const TemporaryFile &file, const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::invalid_argument);
    EXPECT_EQ(error.file(), file.path());
    return error.cause();
  }
  return "not refused";
}

struct GivenCase {
  const char *name;
  void (*change)(Metadata &);
  const char *message;
};
const GivenCase given_cases[] = {
    {"units", [](Metadata &m) { m.units = "nano"; }, "with units nano: the file has units metal;"},
    {"atom style", [](Metadata &m) { m.atom_style = "full"; }, "with atom style full: the file has atom style atomic;"},
    {"elements", [](Metadata &m) { m.elements = {"Zn"}; }, "with elements Zn: the file has elements Cu O;"},
    {"labels",
     [](Metadata &m) {
       m.type_labels = {"c", "o"};
     },
     "with type labels c o: the file has type labels copper oxygen;"},
    {"timestep", [](Metadata &m) { m.timestep_size = 0.002; }, "with timestep 0.002: the file has timestep 0.001;"},
};

TEST(Continuation, WhatIsGivenHasToBeThatOfTheFile) {
  for (const Bytes &before : {full_file(), full_file(false)}) {
    for (const GivenCase &given : given_cases) {
      SCOPED_TRACE(given.name);
      const TemporaryFile file;
      file.set(before);
      for (const bool beside_others : {false, true}) {
        Metadata metadata = beside_others ? full_metadata() : Metadata();
        given.change(metadata);
        const std::string cause = refusal(file, [&] { Writer(file.path(), metadata, Writer::Mode::append); });
        EXPECT_NE(cause.find(given.message), std::string::npos) << cause;
        EXPECT_NE(cause.find("or write another file"), std::string::npos) << cause;
        EXPECT_EQ(file.bytes(), before);
      }
    }
  }
}

TEST(Continuation, WhatTheFileDoesNotSayCannotBeAdded) {
  const TemporaryFile file;
  { Writer(file.path(), {}).close(); }
  const Bytes before = file.bytes();
  for (const GivenCase &given : given_cases) {
    Metadata metadata;
    given.change(metadata);
    const std::string cause = refusal(file, [&] { Writer(file.path(), metadata, Writer::Mode::append); });
    EXPECT_NE(cause.find(": the file has no "), std::string::npos) << cause;
    EXPECT_EQ(file.bytes(), before);
  }
}

TEST(Continuation, WhatIsLeftOutIsThatOfTheFile) {
  for (const bool all : {false, true}) {
    const TemporaryFile file;
    file.set(full_file());
    Metadata metadata = all ? full_metadata() : Metadata();
    metadata.generator = "another program";  // says nothing of the simulation
    metadata.command = "another command";
    {
      Writer writer(file.path(), metadata, Writer::Mode::append);
      set_plain(writer);
      write_bounds(writer, 0.001, 0);
      writer.close();
    }
    const Reader reader(file.path());
    EXPECT_EQ(reader.frames(), 2u);
    EXPECT_EQ(reader.metadata().units, "metal");
    EXPECT_EQ(reader.metadata().elements, full_metadata().elements);
    EXPECT_EQ(reader.metadata().generator, "");
  }
}

TEST(Continuation, TheFirstFrameHasTheBoundsOfTheFile) {
  struct BoundCase {
    double position, other;
    const char *message;
  };
  const BoundCase cases[] = {
      {0.0005, 0, "column x with bound 0.0005: the file has it with bound 0.001;"},
      {0, 0, "column x with bound 0 (exact): the file has it with bound 0.001;"},
      {0.001, 0.25, "column q with bound 0.25: the file has it with bound 0 (exact);"},
  };
  for (const Bytes &before : {full_file(), full_file(false)}) {
    for (const BoundCase &bounds : cases) {
      SCOPED_TRACE(bounds.message);
      const TemporaryFile file;
      file.set(before);
      {
        Writer writer(file.path(), {}, Writer::Mode::append);
        set_plain(writer);
        const std::string cause = refusal(file, [&] { write_bounds(writer, bounds.position, bounds.other); });
        EXPECT_NE(cause.find(bounds.message), std::string::npos) << cause;
        EXPECT_EQ(file.bytes(), before);
        writer.sync();
        writer.close();
      }
      EXPECT_EQ(file.bytes(), before);
    }
  }
}

TEST(Continuation, AWriterGoesOnBehindARefusedFrame) {
  const TemporaryFile refused, plain;
  for (const TemporaryFile *file : {&refused, &plain}) {
    file->set(full_file());
    Writer writer(file->path(), {}, Writer::Mode::append);
    set_plain(writer);
    if (file == &refused) refusal(*file, [&] { write_bounds(writer, 0.25, 0); });
    write_bounds(writer, 0.001, 0);
    write_bounds(writer, 0.25, 0);  // later frames have any bounds, as in a new file
    writer.close();
  }
  EXPECT_EQ(refused.bytes(), plain.bytes());
}

// Values that have kept a smaller bound may follow a larger one, and only they.
TEST(Continuation, AnExceptionEndsWithItsFrame) {
  const TemporaryFile file;
  file.set(full_file());
  Writer writer(file.path(), {}, Writer::Mode::append);
  Particles particles(1);
  particles.fields[0].field.bound = 0.25;
  particles.fields[0].relative_bound = true;
  particles.fields[2].components[0].data = nullptr;
  EXPECT_EQ(status_of([&] { writer.write(particles.info, particles.fields); }), Status::invalid_argument);
  EXPECT_NE(refusal(file, [&] { write_bounds(writer, 0.25, 0); }), "not refused");
}

TEST(Continuation, AFileWithoutIdsGetsNone) {
  const TemporaryFile file;
  for (const bool appends : {false, true}) {
    Writer writer(file.path(), {}, appends ? Writer::Mode::append : Writer::Mode::create);
    set_plain(writer);
    Particles particles(1);
    std::vector<FieldInput> without = {particles.fields[0], particles.fields[2]};
    if (appends) {
      EXPECT_EQ(refusal(file, [&] { writer.write(particles.info, particles.fields); }),
                "frame 1 has ids, and the frames of the file that is continued have none: write it without ids, or "
                "another file");
    }
    writer.write(particles.info, without);
    writer.close();
  }
}

TEST(Continuation, OtherColumnsHaveBoundsOfTheirOwn) {
  const TemporaryFile file;
  file.set(full_file());
  Writer writer(file.path(), {}, Writer::Mode::append);
  Particles particles(1);
  particles.fields[0].field.components = {{"xu", 1}, {"yu", 2}, {"zu", 3}};
  particles.fields[0].field.bound = 0.25;
  writer.write(particles.info, particles.fields);
  writer.close();
  EXPECT_EQ(Reader(file.path()).frames(), 2u);
}

TEST(Continuation, WithoutANewFrameTheFileStays) {
  for (const Bytes &before : {full_file(), full_file(false)}) {
    const TemporaryFile file;
    file.set(before);
    { const Writer writer(file.path(), full_metadata(), Writer::Mode::append); }
    EXPECT_EQ(file.bytes(), before);
    Writer(file.path(), full_metadata(), Writer::Mode::append).close();  // adds an index where there is none
    EXPECT_EQ(file.bytes(), full_file());
  }
}

// Fractions of a box that has grown: the same distance, or the same fraction, as a program has it that always gives the
// field one bound.
TEST(Continuation, FractionsAreComparedAsDistancesAndAsFractions) {
  Particles particles(1);
  FrameInfo last = particles.info;
  for (const FieldInput &input : particles.fields) last.fields.push_back(input.field);
  last.fields[0].components = {{"xs", 1}, {"ys", 2}, {"zs", 3}};
  FrameInfo next = last;
  next.box.values[1] += 7.3;
  last.fields[0].bound = 0.001 / last.box.largest_edge_sum();
  next.fields[0].bound = 0.001 / next.box.largest_edge_sum();
  ASSERT_NE(last.fields[0].bound, next.fields[0].bound);
  EXPECT_NO_THROW(require_continuation(last, next));
  next.fields[0].bound = last.fields[0].bound;
  EXPECT_NO_THROW(require_continuation(last, next));
  next.fields[0].bound *= 1.001;
  EXPECT_THROW(require_continuation(last, next), Error);
}

TEST(Continuation, InC) {
  const TemporaryFile file;
  const Bytes before = full_file();
  file.set(before);
  gpz_metadata metadata = gpz_new_metadata();
  metadata.units = "nano";
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open(file.path().c_str(), GPZ_APPEND, &metadata, 1, &writer), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(writer, nullptr);
  EXPECT_NE(std::string(gpz_last_error()).find("the file has units metal"), std::string::npos) << gpz_last_error();
  EXPECT_EQ(file.bytes(), before);

  const std::vector<double> x = {1, 2, 4};
  const auto write = [&](gpz_bound_kind kind, double bound) {
    gpz_field field = gpz_column("x", GPZ_FLOAT64, x.data());
    field.bound_kind = kind;
    field.bound = bound;
    const gpz_frame frame = gpz_new_frame(3, 7);
    return gpz_writer_write(writer, &frame, &field, 1);
  };
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_APPEND, nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(write(GPZ_ABSOLUTE, 0.25), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(write(GPZ_LOSSLESS, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(file.bytes(), before);
  EXPECT_EQ(write(GPZ_RELATIVE, 1e-3), GPZ_OK) << gpz_last_error();  // each frame has another one
  EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
  EXPECT_EQ(Reader(file.path()).frames(), 2u);
}

}  // namespace
}  // namespace gpz::test::continuation_test

// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/c/callback_source.hpp"

#include <system_error>

#include "gpz/error.hpp"

namespace gpz::c {
namespace {

void close(const gpz_source &source) {
  if (source.close != nullptr) source.close(source.context);
}

}  // namespace

CallbackSource::CallbackSource(const gpz_source &source) : source_(source) {
  try {
    if (source.read_at == nullptr) throw Error(Status::invalid_argument, "gpz_source: read_at is a null pointer");
    name_ = source.name == nullptr ? "source" : source.name;
  } catch (...) {
    close(source_);
    throw;
  }
}

CallbackSource::~CallbackSource() { close(source_); }

void CallbackSource::read_at(std::uint64_t position, void *data, std::size_t size) const {
  if (position > source_.size || size > source_.size - position)
    throw Error(Status::truncated, "the file ends too early", name_, source_.size);
  if (size > 0) require_read(source_.read_at(source_.context, position, data, size), position);
}

void CallbackSource::read_pieces(const std::vector<Piece> &pieces) const {
  if (source_.read_pieces == nullptr) {
    Source::read_pieces(pieces);
    return;
  }
  if (pieces.empty()) return;
  std::vector<gpz_piece> given;
  given.reserve(pieces.size());
  for (const Piece &piece : pieces) given.push_back({piece.position, piece.data, piece.size});
  require_read(source_.read_pieces(source_.context, given.data(), given.size()), pieces.front().position);
}

void CallbackSource::require_read(int code, std::uint64_t position) const {
  if (code == 0) return;
  throw Error(Status::io_error, "cannot read: " + std::generic_category().message(code), name_, position, code);
}

}  // namespace gpz::c

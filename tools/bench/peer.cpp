// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "exit_code.hpp"

namespace gpz::bench {
namespace {

using tool::ExitCode;
using tool::Failure;

constexpr std::size_t kept_output = 4000;  // characters

std::pair<std::string, std::string> split(const char *option, const std::string &text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Failure(ExitCode::usage, "", fmt::format("{} {}: expected NAME=COMMAND", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string output_of(const std::string &log) {
  std::ifstream file(log, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  return all.size() > kept_output ? all.substr(all.size() - kept_output) : all;
}

}  // namespace

std::vector<Peer> parse_peers(const std::vector<std::string> &compress, const std::vector<std::string> &decompress) {
  std::vector<Peer> peers;
  const auto find = [&](const std::string &name) {
    return std::find_if(peers.begin(), peers.end(), [&](const Peer &peer) { return peer.name == name; });
  };
  for (const std::string &text : compress) {
    auto [name, command] = split("--peer", text);
    if (find(name) != peers.end())
      throw Failure(ExitCode::usage, "", fmt::format("--peer {}: there is a peer of that name already", text));
    peers.push_back({std::move(name), std::move(command), ""});
  }
  for (const std::string &text : decompress) {
    auto [name, command] = split("--peer-decompress", text);
    const auto peer = find(name);
    if (peer == peers.end())
      throw Failure(ExitCode::usage, "", fmt::format("--peer-decompress {}: there is no --peer of that name", text));
    peer->decompress = std::move(command);
  }
  return peers;
}

PeerRunner::PeerRunner(const Cloud &cloud, double longest_edge) : cloud_(cloud), longest_edge_(longest_edge) {
  const std::string path = folder_.file("in.raw");
  std::FILE *const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw tool::io_failure(path);
  const bool written = std::fwrite(cloud.data(), 1, cloud.bytes(), file) == cloud.bytes();
  if (!written) {
    const Failure failure = tool::io_failure(path);
    std::fclose(file);
    throw failure;
  }
  if (std::fclose(file) != 0) throw tool::io_failure(path);
}

std::string PeerRunner::filled_in(std::string command, double bound) const {
  const std::size_t values = cloud_.particles() * static_cast<std::size_t>(cloud_.components());
  const std::pair<const char *, std::string> places[] = {
      {"{in}", folder_.file("in.raw")},
      {"{out}", folder_.file("out")},
      {"{decoded}", folder_.file("decoded.raw")},
      {"{eb}", fmt::format("{}", bound)},
      {"{rel}", fmt::format("{}", bound / longest_edge_)},
      {"{n}", fmt::format("{}", cloud_.particles())},
      {"{values}", fmt::format("{}", values)},
      {"{components}", fmt::format("{}", cloud_.components())},
      {"{type}", cloud_.type() == ValueType::float32 ? "f32" : "f64"}};
  for (const auto &[place, text] : places)
    for (std::size_t at = command.find(place); at != std::string::npos; at = command.find(place, at + text.size()))
      command.replace(at, std::char_traits<char>::length(place), text);
  return command;
}

std::optional<Errors> PeerRunner::errors_of_decoded() const {
  const std::string path = folder_.file("decoded.raw");
  std::error_code missing;
  if (std::filesystem::file_size(path, missing) != cloud_.bytes() || missing) return std::nullopt;
  Cloud decoded(cloud_.type(), cloud_.layout(), cloud_.components(), cloud_.particles());
  std::ifstream file(path, std::ios::binary);
  if (!file.read(static_cast<char *>(decoded.data()), static_cast<std::streamsize>(decoded.bytes())))
    return std::nullopt;
  Errors errors;
  for (std::size_t i = 0; i < cloud_.particles(); ++i)
    for (int d = 0; d < cloud_.components(); ++d) errors.add(cloud_.get(i, d), decoded.get(i, d));
  return errors;
}

PeerOutcome PeerRunner::run(const Peer &peer, double bound, const Repeats &repeats) const {
  const std::string log = folder_.file("log");
  const auto timed = [&](const std::string &command) {
    std::vector<double> seconds;
    for (int k = -repeats.warm_up; k < repeats.runs; ++k) {
      const double taken = run_shell("peer " + peer.name, command, log);
      if (k >= 0) seconds.push_back(taken);
    }
    return timing_of(std::move(seconds));
  };
  // What a run before left is not to be taken for a result of this one.
  for (const char *name : {"out", "decoded.raw"}) std::filesystem::remove(folder_.file(name));

  PeerOutcome outcome;
  outcome.compress = timed(filled_in(peer.compress, bound));
  outcome.output = output_of(log);
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(folder_.file("out"), missing);
  if (!missing) outcome.bytes = size;
  if (!peer.decompress.empty()) {
    outcome.decompress = timed(filled_in(peer.decompress, bound));
    outcome.output += output_of(log);
    outcome.errors = errors_of_decoded();
  }
  stop_if_asked();
  return outcome;
}

}  // namespace gpz::bench

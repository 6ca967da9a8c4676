#pragma once

#include "model/walks/measured_walks.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace texelscope::model {

/// Reads walks from a CSV file, compressed (gzip, zstd) or not, with a row for each read. Header
/// "walk,step,x,y": the texel, with the steps of each walk from 0 in ascending order without gaps.
/// Header "walk,dx,dy": the stride from the read before to this one, the first from (0, 0); that
/// compresses to a twentieth. The walks may be in any order, even interleaved. Empty lines and
/// lines that begin with # do not count. The result is by walk number, ascending. Throws bad_input
/// with file and line for anything malformed.
[[nodiscard]] std::vector<TexelWalk> read_walks(const std::string& path);
/// The same of a text; `path` is what messages call it.
[[nodiscard]] std::vector<TexelWalk> parse_walks(std::istream& in, const std::string& path);

/// Reads the latencies of walks, header "walk,ns_per_read", one row a walk: nanoseconds by walk
/// number. Throws bad_input for anything malformed, a latency that is not positive, or a walk that
/// occurs twice.
[[nodiscard]] std::map<std::int64_t, double> read_walk_latencies(const std::string& path);
/// The same of a text.
[[nodiscard]] std::map<std::int64_t, double> parse_walk_latencies(std::istream& in,
                                                                  const std::string& path);

/// The comment in the first line of a file of latencies, without its mark; empty where there is
/// none.
[[nodiscard]] std::string read_walk_origin(const std::string& path);

/// The walks with their latencies. Throws bad_input where one has no latency (or a latency no
/// walk), and as validate().
[[nodiscard]] MeasuredWalks join_walks(std::vector<TexelWalk> walks,
                                       const std::map<std::int64_t, double>& latencies,
                                       const Image& image);

/// Writes what read_walks() reads, compressed where the name ends in .gz, .xz or .zst.
void write_walks(const std::string& path, const std::vector<TexelWalk>& walks);
/// Writes what read_walk_latencies() reads; numbers with as many digits as it takes to read the
/// same ones back. `origin`: one line, what read_walk_origin() finds again.
void write_walk_latencies(const std::string& path, const MeasuredWalks& measured,
                          const std::string& origin = {});

} // namespace texelscope::model

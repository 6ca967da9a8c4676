#include "traces/native/group_spool.hpp"

#include "base/error.hpp"
#include "traces/native/trace_framing.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace texelscope::traces {
namespace {

constexpr int spool_level = 1;

} // namespace

void GroupSpool::put(std::int64_t group, bool reads, const StepChunk& chunk)
{
    const std::string bytes = framing::chunk({framing::ChunkType::reads}, encode(chunk).bytes(), spool_level);
    const std::int64_t position = file_.append(bytes);
    pieces_.push_back({group, reads, chunk.steps.front().number, position, bytes.size()});
}

void GroupSpool::take(
    const ObjectCounts& objects,
    const std::function<void(std::int64_t group, bool reads, std::uint32_t step, std::span<const StepRow> rows)>& visit)
{
    const auto key = [](const Piece& p) { return std::tuple(p.group, !p.reads, p.first_step); };
    std::sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) { return key(a) < key(b); });
    std::optional<std::tuple<std::int64_t, bool, std::uint32_t>> last;
    for (const Piece& piece : pieces_) {
        const std::string bytes = file_.read(piece.position, piece.bytes);
        const StepChunk chunk =
            decode_steps(framing::payload(framing::parse_chunk_header(bytes),
                                          std::string_view(bytes).substr(framing::chunk_header_size)),
                         objects);
        for (const StepChunk::Step& step : chunk.steps) {
            const std::tuple now(piece.group, !piece.reads, step.number);
            if (last && now <= *last) {
                throw bad_input("a group comes twice", path_);
            }
            last = now;
            visit(piece.group, piece.reads, step.number, chunk.rows_of(step));
        }
    }
    pieces_.clear();
    file_.clear();
}

} // namespace texelscope::traces

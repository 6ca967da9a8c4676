#pragma once

#include "base/file_bytes.hpp"
#include "traces/native/group_table.hpp"
#include "traces/native/launch_description.hpp"
#include "traces/native/step_chunk.hpp"
#include "traces/native/trace_index.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::traces {

/// The chunks of a native trace file: where they are, and their contents when they are asked for.
/// Safe to use from several threads.
class TraceChunks {
public:
    using Place = ChunkPlace;
    struct LaunchChunks {
        TracedLaunch launch;
        TraceTotals totals;
        GroupTable groups;
        std::vector<Place> reads;
        std::vector<Place> others;
    };

    /// Throws bad_input where the file is damaged; with `salvage`, only where it is no native trace
    /// at all.
    TraceChunks(std::string name, std::unique_ptr<FileBytes> bytes, bool salvage);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& program() const { return program_; }
    [[nodiscard]] const std::vector<LaunchChunks>& launches() const { return launches_; }
    [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

    /// A decoded chunk; the last few are kept.
    [[nodiscard]] std::shared_ptr<const StepChunk> steps(int launch, const Place& place) const;

    /// Counts and groups as the chunks have them.
    struct Counted {
        TraceTotals totals;
        GroupTable groups;
    };
    [[nodiscard]] Counted count(int launch) const;

    /// Reads every access. Throws bad_input where one is damaged, or where their numbers are not
    /// those of the launches' totals.
    void verify() const;

private:
    [[nodiscard]] std::string_view bytes() const { return bytes_->view(); }
    void check_file_header() const;
    [[nodiscard]] std::vector<Place> read_index() const;
    void add(const Place& place, bool salvage);
    [[nodiscard]] std::string payload(const Place& place) const;
    [[noreturn]] void damaged(const std::string& what, std::int64_t offset) const;

    std::string name_;
    std::unique_ptr<FileBytes> bytes_;
    std::string program_;
    std::vector<LaunchChunks> launches_;
    std::vector<bool> ended_;
    std::vector<std::string> damages_;
    mutable std::mutex mutex_;
    /// The chunks that were decoded last, each with its offset.
    mutable std::deque<std::pair<std::int64_t, std::shared_ptr<const StepChunk>>> recent_;
};

/// The chunks that hold steps of a group; `places` are those of a launch, of one type.
[[nodiscard]] std::span<const TraceChunks::Place>
chunks_of(const std::vector<TraceChunks::Place>& places, std::int64_t group);

/// The steps of a group in a chunk.
struct StepRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
[[nodiscard]] StepRange steps_of(const StepChunk& chunk, std::int64_t group);

} // namespace texelscope::traces

#pragma once

#include "traces/native/spool_file.hpp"
#include "traces/native/step_chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::traces {

/// Steps of work-groups on disk, that come in any order of groups and go in the order of a trace.
class GroupSpool {
public:
    /// In a temporary file beside the one at `path`. Throws bad_input where it cannot be created.
    explicit GroupSpool(const std::string& path) : path_(path), file_(path) {}

    /// Steps of one group: image reads, or other accesses.
    void put(std::int64_t group, bool reads, const StepChunk& chunk);

    /// Takes everything out: `visit` for each step, groups ascending, reads first, steps ascending. Throws bad_input where
    /// a group came twice. `objects` are those that accesses may name.
    void take(const ObjectCounts& objects, const std::function<void(std::int64_t group, bool reads, std::uint32_t step,
                                                                    std::span<const StepRow> rows)>& visit);

private:
    struct Piece {
        std::int64_t group = 0;
        bool reads = false;
        std::uint32_t first_step = 0;
        std::int64_t position = 0;
        std::size_t bytes = 0;
    };

    std::string path_;
    SpoolFile file_;
    std::vector<Piece> pieces_;
};

} // namespace texelscope::traces

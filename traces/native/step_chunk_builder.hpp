#pragma once

#include "traces/native/step_chunk.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace texelscope::traces {

/// Puts steps together. Groups ascend, and the steps within a group.
class StepChunkBuilder {
public:
    void add(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows);
    [[nodiscard]] bool full() const;
    [[nodiscard]] bool empty() const { return chunk_.steps.empty(); }
    [[nodiscard]] StepChunk take();

private:
    std::uint32_t shape_of(std::span<const StepRow> rows);

    StepChunk chunk_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> shapes_; ///< by hash
};

} // namespace texelscope::traces

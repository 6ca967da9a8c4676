#pragma once

#include "traces/native/step_chunk.hpp"
#include "traces/native/trace_record.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

namespace texelscope::traces {

/// Collects steps in a StepChunk. Groups must ascend, and so must the steps of a group.
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

/// What the work-items of a group did, by steps: a step of its own for each image read of an item,
/// and for everything else the number of the access. Reads come first; steps ascend, and the items
/// of a step. Throws bad_input where an item is there twice.
void for_each_step(std::span<const TracedItem> items,
                   const std::function<void(bool reads, std::uint32_t step,
                                            std::span<const StepRow> rows)>& visit);

} // namespace texelscope::traces

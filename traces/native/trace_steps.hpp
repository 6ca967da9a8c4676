#pragma once

#include "traces/native/step_chunk.hpp"
#include "traces/native/trace_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace texelscope::traces {

struct StepChunk;

/// The steps of a launch one after the other, groups ascending: the image reads, or all other
/// accesses.
class TraceSteps {
public:
    TraceSteps(const TraceFile& file, int launch, bool reads);

    /// Goes on to the next step, which the functions below describe; false at the end.
    bool next();
    [[nodiscard]] std::int64_t group() const { return group_; }
    [[nodiscard]] std::uint32_t step() const { return step_; }
    [[nodiscard]] const std::vector<StepRow>& rows() const { return rows_; }

private:
    std::shared_ptr<const TraceChunks> chunks_;
    int launch_;
    bool reads_;
    std::size_t next_chunk_ = 0;
    std::shared_ptr<const StepChunk> chunk_;
    std::size_t segment_ = 0;
    std::size_t in_segment_ = 0;
    std::size_t position_ = 0;
    std::int64_t group_ = 0;
    std::uint32_t step_ = 0;
    std::vector<StepRow> rows_;
};

} // namespace texelscope::traces

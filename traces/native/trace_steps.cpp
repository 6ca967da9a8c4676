#include "traces/native/trace_steps.hpp"

#include "traces/native/trace_chunks.hpp"

namespace texelscope::traces {

TraceSteps::TraceSteps(const TraceFile& file, int launch, bool reads)
    : chunks_(file.chunks()), launch_(launch), reads_(reads)
{}

bool TraceSteps::next()
{
    const TraceChunks::LaunchChunks& launch =
        chunks_->launches()[static_cast<std::size_t>(launch_)];
    const std::vector<TraceChunks::Place>& places = reads_ ? launch.reads : launch.others;
    while (chunk_ == nullptr || position_ == chunk_->steps.size()) {
        if (next_chunk_ == places.size()) {
            return false;
        }
        chunk_ = chunks_->steps(launch_, places[next_chunk_++]);
        segment_ = 0;
        in_segment_ = 0;
        position_ = 0;
    }
    // A segment has the steps of one group.
    if (in_segment_ == chunk_->segments[segment_].steps) {
        ++segment_;
        in_segment_ = 0;
    }
    ++in_segment_;
    const StepChunk::Step& step = chunk_->steps[position_++];
    group_ = chunk_->segments[segment_].group;
    step_ = step.number;
    rows_.clear();
    for (const StepRow& row : chunk_->shape(step.shape)) {
        rows_.push_back(moved(row, step));
    }
    return true;
}

} // namespace texelscope::traces

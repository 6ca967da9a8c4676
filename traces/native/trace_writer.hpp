#pragma once

#include "traces/native/step_chunk.hpp"
#include "traces/native/trace_record.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace texelscope::traces {

/// Writes a native trace file (traces/FORMAT.md) as a stream: memory does not grow with the number
/// of accesses. The file gets its name only in finish(); without it nothing is left behind. The
/// bytes depend on what is written alone. The groups of a launch come in ascending order. Not for
/// several threads at once.
///
///     TraceWriter writer("t.tst", "./program --size 64");
///     writer.begin_launch(launch);
///     writer.add_group(0, items);
///     writer.end_launch();
///     writer.finish();
class TraceWriter {
public:
    /// `program`: what was recorded, in words, such as the command. Throws bad_input where the file
    /// cannot be created.
    TraceWriter(std::string path, const std::string& program);
    ~TraceWriter();
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;

    void begin_launch(TracedLaunch launch);
    /// All of a group at once; the items of it in any order, each once. Items that did nothing may
    /// be left out. Throws bad_input where an access names no object of the launch, and where the
    /// group does not come after the last one.
    void add_group(std::int64_t group, std::span<const TracedItem> items);
    /// One step of a group's image reads: the steps of a group ascend, and the rows are in
    /// ascending order of their items. Step k is the k-th image read of the items; where not
    /// `reads`, the rows are other accesses, and step k is the k-th access of any kind.
    void add_step(std::int64_t group, std::uint32_t step, std::span<const StepRow> rows,
                  bool reads = true);
    void end_launch();
    /// The file is complete and has its name. Throws bad_input where the disk is full or the like.
    void finish();

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace texelscope::traces

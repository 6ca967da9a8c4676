#pragma once

#include "traces/native/replay_options.hpp"
#include "traces/native/trace_chunks.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::traces {

/// A native trace file (traces/FORMAT.md), read a chunk at a time. Cheap to copy. Everything throws
/// bad_input for a file that is damaged, naming the offset of the chunk that is.
class TraceFile {
public:
    enum class Damage {
        refuse,
        salvage ///< reads the chunks that are intact, without the index
    };
    explicit TraceFile(const std::string& path, Damage damage = Damage::refuse);
    /// From the bytes of a file; `name` stands in messages.
    TraceFile(std::string name, std::string bytes, Damage damage = Damage::refuse);

    [[nodiscard]] const std::string& name() const { return chunks_->name(); }
    [[nodiscard]] const std::string& program() const { return chunks_->program(); }
    [[nodiscard]] int launch_count() const { return static_cast<int>(chunks_->launches().size()); }
    /// 0 <= number < launch_count(), here and below.
    [[nodiscard]] const TracedLaunch& launch(int number) const
    {
        return launch_chunks(number).launch;
    }
    [[nodiscard]] const TraceTotals& totals(int number) const
    {
        return launch_chunks(number).totals;
    }
    [[nodiscard]] const GroupTable& groups(int number) const
    {
        return launch_chunks(number).groups;
    }
    /// What was damaged, a line each; empty unless salvaged.
    [[nodiscard]] const std::vector<std::string>& damages() const { return chunks_->damages(); }

    /// Reads every access. Throws bad_input where one is damaged, or where their numbers are not
    /// those of the totals. (Opening the file reads the descriptions alone.)
    void verify() const { chunks_->verify(); }

    /// Everything that the work-items of a group did; empty for a group that is not there.
    [[nodiscard]] std::vector<TracedItem> group(int number, std::int64_t group) const;
    /// The reads of a launch, read lazily. Slices and layers are images of their own, and buffers
    /// rows of texels: see ReplayImages. Throws bad_input where the launch cannot be replayed so.
    [[nodiscard]] std::unique_ptr<TraceSource> source(int number,
                                                      const ReplayOptions& options = {}) const;

    [[nodiscard]] const std::shared_ptr<const TraceChunks>& chunks() const { return chunks_; }

private:
    [[nodiscard]] const TraceChunks::LaunchChunks& launch_chunks(int number) const
    {
        return chunks_->launches()[static_cast<std::size_t>(number)];
    }

    std::shared_ptr<const TraceChunks> chunks_;
};

/// Whether this is a file that begins like a native trace. Pipes are not looked at: no native trace
/// is read from one.
[[nodiscard]] bool is_native_trace(const std::string& path);

} // namespace texelscope::traces

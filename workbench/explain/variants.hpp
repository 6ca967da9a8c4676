#pragma once

#include "base/progress.hpp"
#include "traces/native/trace_file.hpp"
#include "workbench/explain/argument_reads.hpp"
#include "workbench/explain/kernel_time.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::explain {

/// A launch that was recorded with its buffers, and what is known of its kernel.
struct RecordedKernel {
    TraceFile trace;
    int launch = 0;
    KernelWork work;
    /// Why work-groups of another size would compute something else: "it has barriers". nullopt:
    /// they would not, as far as its text says.
    std::optional<std::string> fixed_local;

    [[nodiscard]] const TracedLaunch& traced() const { return trace.launch(launch); }
};

/// A change of a launch or of how its data lie, simulated.
struct Variant {
    std::string kind;     ///< of JSON: "local-size", "buffer", "image", "transposed" ...
    std::string argument; ///< that it changes; empty: none
    std::string words;    ///< what to do: "launch with a local size of 16x4x1"
    double ns = 0;
    double ratio = 1;  ///< time of the launch as it is over that with the change
    bool whole = true; ///< the launch was simulated as a whole, not its first work-groups alone
};
/// Faster by more than this counts as faster.
inline constexpr double least_gain = 1.03;

struct TriedVariants {
    std::vector<Variant> tried;       ///< best first
    std::vector<std::string> skipped; ///< kinds that were not tried, with the reason
};

/// Simulates the launch with one change each: work-groups of other shapes; each image as a buffer,
/// transposed, or with wider rows; each buffer that is not written as an image; one more warp. Of a
/// long launch the first work-groups are simulated with each change, and all of them with the best.
/// `source`: the launch as it is, with its buffers; `now`: its time; `reads`: what it reads.
/// Interrupted when `stop` answers true.
[[nodiscard]] TriedVariants try_variants(const RecordedKernel& kernel,
                                         const std::shared_ptr<const TraceSource>& source,
                                         const DeviceProfile& device, const KernelTime& now,
                                         std::span<const ArgumentReads> reads, int threads,
                                         const Progress& progress = {}, const StopToken& stop = {});

/// Local sizes to try: powers of two in each direction that divide the global size, of one to four
/// warps and at most `most` work-items, without the size `now`.
[[nodiscard]] std::vector<std::array<std::int64_t, 3>>
local_sizes(const std::array<std::int64_t, 3>& global, const std::array<std::int64_t, 3>& now,
            int warp_size, std::int64_t most);

} // namespace texelscope::workbench::explain

#pragma once

#include "traces/native/launch_description.hpp"
#include "traces/native/trace_record.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::traces {

/// One launch of a spool, complete.
struct SpooledLaunch {
    TracedLaunch launch;
    std::int64_t first_group = 0; ///< first group that was recorded, by linear number
    std::int64_t last_group = 0;  ///< last one, exclusive
    std::string file;             ///< path of the spool file

    /// A part of what a group did.
    struct Part {
        std::uint64_t offset = 0; ///< in the file
        std::uint64_t bytes = 0;
    };
    std::map<std::int64_t, std::vector<Part>> groups; ///< groups that did something; parts in order
};

/// What the plugin left behind (spool_format.hpp), in an order that does not depend on the timing
/// of threads: the launches of each host thread in program order, threads (of all processes) by
/// what they did.
struct CapturedSpool {
    std::vector<SpooledLaunch> launches;
    std::int64_t skipped = 0;          ///< launches of other kernels than the one asked for
    std::vector<std::string> failures; ///< launches that are not kept, with the reason, sorted
};

/// Reads all spool files of a folder. A file that breaks off, because the program was killed,
/// counts up to where it breaks off. Throws bad_input where a file cannot be read or is no spool,
/// and where the plugin could not write to it.
[[nodiscard]] CapturedSpool read_spool(const std::string& folder);

/// What was recorded of a launch.
struct CapturedLaunch {
    TracedLaunch launch;
    std::int64_t first_group = 0, last_group = 0;
    TraceTotals totals;
};

/// Writes the launches as a native trace file, whose bytes depend on what was recorded alone, and
/// says what is in it. `program`: as in TraceWriter. Throws bad_input where the file cannot be
/// written.
std::vector<CapturedLaunch> write_captured_trace(const CapturedSpool& spool,
                                                 const std::string& path,
                                                 const std::string& program);

} // namespace texelscope::traces

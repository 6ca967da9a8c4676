#pragma once

#include "tests/cli/program.hpp"
#include "traces/native/trace_file.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace texelscope::test {
using namespace traces;

/// Whether Oclgrind is installed; says so where it is not, and the test has nothing to do then.
[[nodiscard]] bool oclgrind_is_there();

/// `texelscope trace capture -o TRACE OPTIONS -- COMMAND`. `environment`: NAME=VALUE in front of
/// it.
[[nodiscard]] ProgramResult run_capture(const std::string& trace,
                                        const std::vector<std::string>& options,
                                        const std::vector<std::string>& command,
                                        const std::string& environment = {});

/// The program that the tests compile, in one of its modes.
[[nodiscard]] std::vector<std::string> host_program(const std::string& mode);

/// What a read of a kernel of the host program got, as it printed it: the red channel, and how far
/// from the first texel to the second it was along x, y and z.
struct Seen {
    double value = 0;
    double between[3] = {0, 0, 0};
};
/// By kernel, group, item and read. Where a kernel ran several times, of the last.
using AllSeen = std::map<std::tuple<std::string, std::int64_t, int, int>, Seen>;
[[nodiscard]] AllSeen parse_seen(const std::string& output);

/// The image reads of an item of a launch.
[[nodiscard]] std::vector<TracedAccess> accesses(const TraceFile& file, int launch,
                                                 std::int64_t group, int item,
                                                 AccessKind kind = AccessKind::image_read);

/// All image reads of a launch.
[[nodiscard]] std::int64_t image_reads(const TraceFile& file, int launch);

/// The number of the only launch of that kernel.
[[nodiscard]] int launch_of_kernel(const TraceFile& file, const std::string& kernel);

} // namespace texelscope::test

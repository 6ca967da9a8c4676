#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <numeric>
#include <sstream>

namespace texelscope::test {
using namespace traces;

bool oclgrind_is_there()
{
    const bool there = std::system("oclgrind --version >/dev/null 2>&1") ==
                       0; // NOLINT: as a user's shell finds it
    if (!there) {
        WARN("Oclgrind is not installed: nothing is tested");
    }
    return there;
}

ProgramResult run_capture(const std::string& trace, const std::vector<std::string>& options,
                          const std::vector<std::string>& command, const std::string& environment)
{
    std::vector<std::string> arguments{"trace", "capture", "-o", trace};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    // A program that was built with AddressSanitizer does not like libraries in front of it; and it
    // reports Oclgrind's runtime, which frees objects by another type than they were made by.
    return run_program(
        arguments,
        "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:new_delete_type_mismatch=0 " +
            environment);
}

std::vector<std::string> host_program(const std::string& mode)
{
    return {TEXELSCOPE_HOST_PROGRAM, mode};
}

AllSeen parse_seen(const std::string& output)
{
    AllSeen all;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kernel;
        std::int64_t group = 0;
        int item = 0;
        int read = 0;
        Seen seen;
        words >> kernel >> group >> item >> read >> seen.value >> seen.between[0] >>
            seen.between[1] >> seen.between[2];
        REQUIRE(words);
        all[{kernel, group, item, read}] = seen;
    }
    return all;
}

std::vector<TracedAccess> accesses(const TraceFile& file, int launch, std::int64_t group, int item,
                                   AccessKind kind)
{
    std::vector<TracedAccess> out;
    for (const TracedItem& each : file.group(launch, group)) {
        for (const TracedAccess& access : each.accesses) {
            if (each.item == item && access.kind == kind) {
                out.push_back(access);
            }
        }
    }
    return out;
}

std::int64_t image_reads(const TraceFile& file, int launch)
{
    const auto& reads = file.totals(launch).reads;
    return std::accumulate(reads.begin(), reads.end(), std::int64_t{0});
}

int launch_of_kernel(const TraceFile& file, const std::string& kernel)
{
    int found = -1;
    for (int i = 0; i < file.launch_count(); ++i) {
        if (file.launch(i).kernel == kernel) {
            REQUIRE(found == -1);
            found = i;
        }
    }
    REQUIRE(found >= 0);
    return found;
}

} // namespace texelscope::test

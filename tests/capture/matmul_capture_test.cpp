// What the kernel's text reads is what the generated trace says. The text is compiled without optimisation: an optimiser
// leaves reads out whose values nobody writes, such as those of a tile that is wider than the whole output.

#include "codegen/loop_nest.hpp"
#include "codegen/operator.hpp"
#include "tests/capture/captured.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace texelscope::test {
namespace {

constexpr int warp_size = 32;

/// The whole trace, an access a line.
std::vector<std::string> lines_of(const TraceSource& source)
{
    std::vector<std::string> lines;
    WarpAccess access;
    for (std::int64_t group = source.next_group(0); group < source.group_count();
         group = source.next_group(group + 1)) {
        for (const std::int32_t warp : source.warps(group, warp_size)) {
            const auto stream = source.open(group, warp, warp_size);
            while (stream->next(access)) {
                std::string line =
                    std::to_string(group) + " " + std::to_string(warp) + " " + std::to_string(access.step);
                for (const LaneRead& read : access.lanes) {
                    line += " " + std::to_string(read.lane) + ":" + std::to_string(read.image) + "," +
                            std::to_string(read.texel.x) + "," + std::to_string(read.texel.y);
                }
                lines.push_back(std::move(line));
            }
        }
    }
    return lines;
}

} // namespace

TEST_CASE("the captured trace of matrix products equals the generated one, without invalid accesses and races")
{
    if (!oclgrind_is_there()) {
        return;
    }
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Random random(seed);
        const Operator op = random_matmul(random, 24);
        const Schedule schedule = random_matmul_schedule(random, 64);
        std::string shape;
        for (const std::int64_t size : op.shape) {
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        }
        INFO("seed " << seed << ": matmul " << shape << " " << to_string(schedule));
        const TemporaryFolder folder;
        const ProgramResult result =
            run_capture(folder.file("t"), {"--kernel", "matmul"},
                        {TEXELSCOPE_PROGRAM, "run", "--op", "matmul", "--shape", shape, "--config", to_string(schedule),
                         "--on", "0", "--samples", "1", "--warm-up", "0", "--native-reads"},
                        "OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable");
        INFO(result.errors);
        REQUIRE(result.exit_code == 0);
        for (const char* complaint : {"Invalid", "race", "Oclgrind - ", "OCLGRIND", "Unaligned"}) {
            CHECK(result.errors.find(complaint) == std::string::npos);
        }
        const TraceFile file(folder.file("t"));
        REQUIRE(file.launch_count() == 1);
        const auto captured = file.source(0);
        const auto generated = make_trace_source(launch_of(op.nest(schedule)));
        REQUIRE(captured->images().size() >= generated->images().size()); // the output image, too
        for (std::size_t i = 0; i < generated->images().size(); ++i) {
            CHECK(captured->images()[i].extent == generated->images()[i].extent);
            CHECK(captured->images()[i].bytes_per_texel == generated->images()[i].bytes_per_texel);
        }
        const auto expected = lines_of(*generated);
        const auto found = lines_of(*captured);
        CHECK(found.size() == expected.size());
        CHECK((found == expected));
    }
}

} // namespace texelscope::test

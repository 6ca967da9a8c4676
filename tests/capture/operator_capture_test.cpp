// What the kernel's text reads is what the generated trace says. The text is compiled without
// optimisation: an optimiser leaves reads out whose values nobody writes, such as those of a tile
// that is wider than the whole output.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/capture/captured.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace texelscope::test {
using namespace codegen;

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
                std::string line = std::to_string(group) + " " + std::to_string(warp) + " " +
                                   std::to_string(access.step);
                for (const LaneRead& read : access.lanes) {
                    line += " " + std::to_string(read.lane) + ":" + std::to_string(read.image) +
                            "," + std::to_string(read.texel.x) + "," + std::to_string(read.texel.y);
                }
                lines.push_back(std::move(line));
            }
        }
    }
    return lines;
}

/// A random kernel, as run_configurations takes it.
struct RandomCase {
    Operator op;
    Schedule schedule;

    [[nodiscard]] std::string line() const
    {
        std::string shape;
        for (const std::int64_t size : op.shape) {
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        }
        return op.name + " " + shape + " " + (op.padding.empty() ? "-" : op.padding) + " " +
               to_string(schedule);
    }
};

RandomCase random_case(const std::string& name, int number)
{
    Random random(1000 + static_cast<std::uint64_t>(number));
    RandomCase drawn{random_operator(random, name), {}};
    do {
        drawn.schedule = random_schedule(random, drawn.op, 16);
    } while (drawn.schedule.vector !=
             4); // Oclgrind 21.10 does not survive vectors of sixteen numbers
    return drawn;
}

/// `texelscope trace capture` of all cases in one program, under the checks that `environment`
/// switches on.
ProgramResult run_cases(const std::vector<RandomCase>& cases, const TemporaryFolder& folder,
                        const std::string& environment)
{
    std::ofstream lines(folder.file("lines"));
    for (const RandomCase& each : cases) {
        lines << each.line() << '\n';
    }
    lines.close();
    return run_capture(folder.file("t"), {},
                       {"sh", "-c", TEXELSCOPE_RUN_CONFIGURATIONS " < " + folder.file("lines")},
                       environment +
                           " OCLGRIND_CHECK_API=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable");
}

void check_silence(const ProgramResult& result)
{
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    for (const char* complaint : {"Invalid", "race", "ninitialized", "Controlflow", "Oclgrind - ",
                                  "OCLGRIND", "Unaligned"}) {
        INFO(complaint);
        CHECK(result.errors.find(complaint) == std::string::npos);
    }
}

/// Runs random kernels of an operator under Oclgrind and compares each captured launch with the
/// generated one.
void compare_captured(const std::string& name, int count)
{
    if (!oclgrind_is_there()) {
        return;
    }
    std::vector<RandomCase> cases;
    for (int i = 0; i < count; ++i) {
        cases.push_back(random_case(name, i));
    }
    const TemporaryFolder folder;
    check_silence(run_cases(cases, folder, "OCLGRIND_DATA_RACES=1"));
    const TraceFile file(folder.file("t"));
    REQUIRE(file.launch_count() == count);
    for (int i = 0; i < count; ++i) {
        const RandomCase& each = cases[static_cast<std::size_t>(i)];
        INFO(each.line());
        const auto captured = file.source(i);
        const auto generated = make_trace_source(launch_of(loop_nest(each.op, each.schedule)));
        REQUIRE(captured->images().size() >= generated->images().size()); // the output image, too
        for (std::size_t image = 0; image < generated->images().size(); ++image) {
            CHECK(captured->images()[image].extent == generated->images()[image].extent);
            CHECK(captured->images()[image].bytes_per_texel ==
                  generated->images()[image].bytes_per_texel);
        }
        const auto expected = lines_of(*generated);
        const auto found = lines_of(*captured);
        CHECK(found.size() == expected.size());
        CHECK((found == expected));
    }
}

} // namespace

TEST_CASE("the captured trace of matrix products equals the generated one, without invalid "
          "accesses and races")
{
    compare_captured("matmul", 24);
}

TEST_CASE("the captured trace of convolutions equals the generated one, without invalid accesses "
          "and races")
{
    for (const char* name : {"conv2d", "dwconv2d", "deconv2d", "conv3d"}) {
        compare_captured(name, 12);
    }
}

TEST_CASE("the captured trace of row operators equals the generated one, without invalid accesses "
          "and races")
{
    for (const char* name : {"softmax", "layernorm", "softmax_dx", "layernorm_dx",
                             "layernorm_dgamma", "layernorm_dbeta"}) {
        compare_captured(name, 8);
    }
}

TEST_CASE(
    "the captured trace of gradients equals the generated one, without invalid accesses and races")
{
    for (const char* name : {"matmul_da", "matmul_db", "conv2d_dx", "conv2d_dw", "dwconv2d_dx",
                             "dwconv2d_dw", "deconv2d_dx", "deconv2d_dw"}) {
        compare_captured(name, 8);
    }
}

TEST_CASE("no kernel uses a value that nobody wrote")
{
    if (!oclgrind_is_there()) {
        return;
    }
    // All tensors in buffers: Oclgrind does not say of what an image read returns whether it was
    // written.
    std::vector<RandomCase> cases;
    for (const std::string& name : operator_names()) {
        for (int i = 0; i < 4; ++i) {
            RandomCase each = random_case(name, 100 + i);
            each.schedule.memory.assign(each.op.inputs.size() + 1, Memory::buffer);
            cases.push_back(std::move(each));
        }
    }
    const TemporaryFolder folder;
    check_silence(run_cases(cases, folder, "OCLGRIND_UNINITIALIZED=1"));
}

} // namespace texelscope::test

// Romou's figure 17: a kernel against a simulation of its own, the findings against made-up data.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "experiments/romou/romou_breakdown.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

Breakdown made_up(bool textures_only, const std::vector<double>& speedups)
{
    Breakdown data{textures_only, {}};
    for (const double speedup : speedups) {
        data.cases.push_back({"1,8,8,16,16,1,1,1", {"", 100 * speedup, 1}, {"", 100, speedup}});
    }
    return data;
}

Verdict verdict(const Breakdown& data, const std::string& start)
{
    return finding_of(romou_breakdown_findings(data), start).verdict;
}

} // namespace

TEST_CASE("Romou's figure 17: each kernel's time is its simulation's, and its memory what it says")
{
    const DeviceProfile device = find_profile("adreno-640");
    const BreakdownOptions options{
        .shapes = {"1,8,8,16,16,1,1,1"}, .runs = 8, .seed = 3, .most_accesses = 2'000};
    const Breakdown data = measure_breakdown({device}, options);
    CHECK(data.textures_only);
    REQUIRE(data.cases.size() == 1);
    const Operator op = parse_operator("conv2d", options.shapes[0]);
    for (const Breakdown::Kernel* kernel : {&data.cases[0].buffers, &data.cases[0].images}) {
        const LoopNest nest = loop_nest(op, parse_schedule(kernel->config));
        CHECK((nest.inputs[0].memory == Memory::buffer) == (kernel == &data.cases[0].buffers));
        CHECK(nest.inputs[1].memory == nest.inputs[0].memory);
        CHECK(kernel->ns == Approx(simulated_time(nest, device, 2'000).value));
        CHECK(kernel->gflops == Approx(op.flops / kernel->ns));
    }
}

TEST_CASE("Romou's figure 17: the findings follow the data, and the kind of device")
{
    const std::string each = "where the L1 is for textures only", twice = "and about twice",
                      similar = "where buffers have a first level";
    CHECK(verdict(made_up(true, {2, 2, 1.8, 2.1}), each) == Verdict::holds);
    CHECK(verdict(made_up(true, {2, 2, 1.8, 2.1}), twice) == Verdict::holds);
    CHECK(verdict(made_up(true, {2, 2, 0.9, 2.1}), each) == Verdict::does_not_hold);
    CHECK(verdict(made_up(true, {3, 3}), twice) == Verdict::does_not_hold);
    CHECK(verdict(made_up(true, {1.1, 1.2}), twice) == Verdict::does_not_hold);
    CHECK(verdict(made_up(true, {2, 2}), similar) == Verdict::not_tested);
    CHECK(verdict(made_up(false, {1.2, 1}), similar) == Verdict::holds);
    CHECK(verdict(made_up(false, {2, 2}), similar) == Verdict::does_not_hold);
    CHECK(verdict(made_up(false, {2, 2}), each) == Verdict::not_tested);
}

// What decides the time of a network's kernels by the model.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/kernel_operator.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"
#include "workbench/network_studies/network_prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

networks::Plan plan_of(const char* name)
{
    return networks::starting_plan(networks::simplified(networks::find_model(name)->make(1, 3)));
}

} // namespace

TEST_CASE("Parts of a kernel's time add up to the price of its schedule, and warps are those that "
          "the simulator keeps")
{
    const networks::Plan plan = plan_of("mlp-784-256-128-16");
    for (const char* name : {"adreno-740", "mali-g77"}) {
        const DeviceProfile device = find_profile(name);
        const auto kernels = predict_network(plan, device);
        REQUIRE(kernels.size() == plan.kernels.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const Operator op = networks::kernel_operator(plan, k);
            CHECK(kernels[k].time()->value ==
                  Approx(bottleneck_price(op, device, op.default_schedule)->value));
            const LoopNest nest = loop_nest(op, op.default_schedule);
            const SimulationResult simulated =
                sim::simulate(*make_trace_source(launch_of(nest)), options_for(nest, device));
            CHECK(kernels[k].occupancy == simulated.occupancy);
            CHECK(kernels[k].why_not.empty());
        }
    }
}

TEST_CASE("What is slow beyond all else decides the time of every kernel")
{
    const networks::Plan plan = plan_of("mlp-16-16-16-16");
    // What decides a hundredth of what the first of them does, or more.
    const auto decides = [&](const DeviceProfile& device) {
        const auto parts = parts_by_bottleneck(predict_network(plan, device));
        std::set<std::string> names;
        for (const TimePart& part : parts) {
            if (part.time.value > parts.front().time.value / 100) {
                names.insert(part.name);
            }
        }
        return names;
    };
    using Names = std::set<std::string>;
    const DeviceProfile phone = find_profile("adreno-740");
    DeviceProfile device = phone;
    device.simulation.machine.timing.launch_ns = 1e9;
    CHECK(decides(device) == Names{"the launch"});
    device = phone;
    device.simulation.machine.timing.launch_ns = 0;
    device.simulation.machine.timing.memory_bytes_per_cycle = 1e-3;
    CHECK(decides(device) == Names{"the bandwidth of memory"});
    device.simulation.machine.timing.memory_bytes_per_cycle =
        phone.simulation.machine.timing.memory_bytes_per_cycle;
    device.simulation.machine.l2().bytes_per_cycle = 1e-6;
    CHECK(decides(device) == Names{"the bandwidth of L2", "writes"}); // both go through its port
}

TEST_CASE("A kernel that the device has no room for is said, and the others have their times")
{
    const networks::Plan plan = plan_of("mlp-784-256-128-16");
    DeviceProfile device = find_profile("adreno-740");
    device.limits.image_width = device.limits.image_height = 200;
    const auto kernels = predict_network(plan, device);
    REQUIRE_FALSE(kernels.front().time());
    CHECK(kernels.front().bottleneck() == nullptr);
    CHECK_THAT(kernels.front().why_not, Catch::Matchers::Contains("200"));
    CHECK(kernels.back().time()->value > 0);
    CHECK(parts_by_kind(plan, kernels).front().kernels < std::ssize(kernels));
}

TEST_CASE("Kernels are of kinds by the windows of their convolutions, and every one is of one kind")
{
    const networks::Plan plan = plan_of("mobilenet-v2");
    std::map<std::string, int> kinds;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        ++kinds[kernel_kind(plan, k)];
    }
    // Sandler et al., CVPR 2018, table 2: 17 blocks, the first of which has no expansion, a 1x1
    // convolution behind them.
    CHECK(kinds["Conv 3x3"] == 1);
    CHECK(kinds["Conv 3x3 depthwise"] == 17);
    CHECK(kinds["Conv 1x1"] == 17 + 16 + 1);
    CHECK(kinds["Gemm"] == 1);
}

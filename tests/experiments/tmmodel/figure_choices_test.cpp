// What the figures share: shapes of kernels, searches of frameworks, choices by simulated times.

#include "base/averages.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "experiments/shared/choices.hpp"
#include "experiments/tmmodel/kernel_shapes.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>

using namespace texelscope::experiments;

TEST_CASE("Figure shapes: the nine kernels of table 3, each from small to large")
{
    const std::vector<PaperKernel> kernels = table3_kernels();
    std::vector<std::string> names;
    for (const PaperKernel& kernel : kernels) {
        names.push_back(kernel.name);
        REQUIRE(kernel.shapes.size() >= 2);
        CHECK(kernel.shapes.front().output.size() < kernel.shapes.back().output.size());
    }
    CHECK(names == std::vector<std::string>{"MatMul", "Conv2Ds1", "Conv2Ds2", "DeConv2Ds1",
                                            "DeConv2Ds2", "Conv3D", "DwConv2D", "SoftMax",
                                            "LayerNorm"});
    CHECK(to_string(kernels[0].shapes[2]) == "matmul 4096,4096,4096");
    CHECK(to_string(kernels[2].shapes[1]) == "conv2d 1,256,256,16,16,5,5,2");
    CHECK(image_channels(16) == 64);
    CHECK(image_channels(32) == 32);
    CHECK(image_channels(512) == 16);

    std::set<std::string> shapes;
    for (const Operator& op : table3_conv2d_shapes()) {
        CHECK(op.grid.extents[1] == op.grid.extents[2]);
        shapes.insert(to_string(op));
    }
    CHECK(shapes.size() == 6 * 3);
}

TEST_CASE("Framework searches: each has what table 2 says it optimises, and nothing else")
{
    const DeviceProfile device = find_profile("adreno-640");
    for (const Operator& op :
         {parse_operator("dwconv2d", "1,14,14,16,3,3,1"),
          parse_operator("conv2d", "1,14,14,16,16,3,3,1"), parse_operator("softmax", "32,64")}) {
        CAPTURE(to_string(op));
        const KernelChoice own = framework_kernel(op, device);
        const auto tiles = [](const FrameworkSearch& search) {
            std::set<std::vector<std::int32_t>> distinct;
            for (const KernelChoice& kernel : search.space.kernels()) {
                distinct.insert(kernel.tile);
            }
            return distinct.size();
        };
        const auto patterns = [](const FrameworkSearch& search) {
            std::set<std::vector<AccessPattern>> distinct;
            for (const KernelChoice& kernel : search.space.kernels()) {
                distinct.insert(kernel.patterns);
            }
            return distinct;
        };
        for (const Framework framework : all_frameworks) {
            CAPTURE(to_string(framework));
            const FrameworkSearch search = framework_search(framework, op, device);
            CHECK(search.space.size() > 0);
            CHECK(search.budget.runs > 0);
            if (framework == Framework::ppt_gpu) {
                CHECK(tiles(search) == 1);
                CHECK(patterns(search).size() > 1);
            } else {
                CHECK(patterns(search) == std::set{own.patterns});
            }
        }
        CHECK(framework_search(Framework::clml, op, device).space.kernel_count() == 1);
        CHECK(tiles(framework_search(Framework::tvm, op, device)) > 1);
        const ConfigurationSpace tvm = framework_search(Framework::tvm, op, device).space;
        std::set<std::string> elements;
        for (std::int64_t i = 0; i < tvm.size(); ++i) {
            const Schedule schedule = tvm.at(i);
            // W is not its to choose
            CHECK(schedule.warp == std::array{schedule.group[0], schedule.group[1]});
            elements.insert(to_string(schedule));
        }
        CHECK(std::ssize(elements) == tvm.size());
    }
    const Operator depthwise = parse_operator("dwconv2d", "1,14,14,16,3,3,1");
    CHECK(framework_search(Framework::mnn, depthwise, device).space.kernel_count() == 1);
    const Operator conv = parse_operator("conv2d", "1,14,14,16,16,3,3,1");
    CHECK(framework_search(Framework::tflite, conv, device).space.size() ==
          std::ssize(baseline_schedules(Baseline::tflite, conv, device)));
    CHECK_FALSE(runs(Framework::mnn, parse_operator("conv3d", "1,4,4,4,4,4,3,3,3,1")));
    CHECK_FALSE(runs(Framework::clml, parse_operator("layernorm", "8,8")));
    CHECK(runs(Framework::tvm, parse_operator("conv3d", "1,4,4,4,4,4,3,3,3,1")));
}

TEST_CASE("Choices: the best of all by simulated times is the one that a loop finds")
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("dwconv2d", "1,8,8,8,3,3,1");
    constexpr std::int64_t sample = 2000;
    const FrameworkSearch search = framework_search(Framework::mnn, op, device);
    KernelTimes times(op, {device}, sample);
    const Choice choice = chosen_by(Framework::mnn, times, {.of_all = 1000}).value();
    double best = 0;
    double sum = 0;
    for (std::int64_t i = 0; i < search.space.size(); ++i) {
        const double ns = simulated_time(loop_nest(op, search.space.at(i)), device, sample).value;
        sum += ns;
        best = i == 0 ? ns : std::min(best, ns);
    }
    CHECK(times.time(choice.schedule).value().value == best);
    CHECK(choice.trials == search.space.size());
    CHECK(choice.space == search.space.size());
    CHECK(choice.run_time.value == Approx(sum));

    Schedule illegal = choice.schedule;
    illegal.patterns.clear();
    CHECK_FALSE(times.time(illegal));
    const std::array values{2.0, 8.0};
    CHECK(geometric_mean(values) == Approx(4));
}

TEST_CASE("Choices: an interrupt ends a search")
{
    const DeviceProfile device = find_profile("adreno-740");
    KernelTimes times(parse_operator("matmul", "64,64,64"), {device}, 2000, [] { return true; });
    CHECK_THROWS_AS(chosen_by(Framework::clml, times), Interrupted);
}

TEST_CASE("Compared choices: ours and the frameworks' each have their time")
{
    const DeviceProfile device = find_profile("mali-g77");
    const Operator op = parse_operator("matmul", "16,16,16");
    const std::array frameworks{Framework::clml, Framework::ppt_gpu};
    const CompareOptions options{.sample = 2000, .tries = 8};
    const ComparedChoices compared =
        compare_choices(op, {device}, calibrate_profile(device, 1), frameworks, options);
    CHECK(compared.shortlist.choice.trials == 8);
    CHECK(compared.literal.choice.trials == 0);
    for (const Framework framework : all_frameworks) {
        const bool asked = std::count(frameworks.begin(), frameworks.end(), framework) > 0;
        CHECK(compared.speedup(framework).has_value() == asked);
    }
    const TimedChoice& clml =
        compared.frameworks[static_cast<std::size_t>(Framework::clml)].value();
    CHECK(
        compared.speedup(Framework::clml).value() ==
        Approx(
            simulated_time(loop_nest(op, clml.choice.schedule), device, 2000).value /
            simulated_time(loop_nest(op, compared.shortlist.choice.schedule), device, 2000).value));
}

// What an experiment runs on: names and words, what is left out, times of configurations from the
// simulator as it gives them and from PoCL, and the fastest that is known of a space.

#include "base/error.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/targets/target.hpp"
#include "experiments/shared/choices.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "experiments/shared/fastest_of_space.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/exhaustive.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <utility>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;

TEST_CASE("An experiment's device: a profile alone is simulated")
{
    const DeviceProfile profile = find_profile("adreno-640");
    const ExperimentDevice device{profile};
    CHECK_FALSE(device.real());
    CHECK(device.name() == "adreno-640");
    CHECK(device.word() == "simulated");
    CHECK(device.text() == "adreno-640, simulated");
    CHECK(device.both_text() == "adreno-640, simulated");
    CHECK(device.times_text(sampled_text(20)) == "simulated from samples of 20 warp accesses");
    const std::vector<Finding> findings{{"claim", "paper", "ours", Verdict::does_not_hold, "why"}};
    CHECK(decided_on(device, findings).front().explanation == "why");
}

TEST_CASE("An experiment's device: a real one is measured, and its profile named", "[opencl]")
{
    const DeviceProfile profile = find_profile("adreno-640");
    const OpenClDevice on("pocl");
    const ExperimentDevice device{profile, &on};
    CHECK(device.real());
    CHECK(device.name() == on.info().name);
    CHECK(device.word() == "measured");
    CHECK_THAT(device.text(), Contains(on.info().name + ", measured (a CPU") &&
                                  Contains("by the profile adreno-640, which describes another"));
    CHECK(device.both_text() ==
          "adreno-640, simulated; measured on " + on.info().name + ", medians");
    CHECK_THAT(device.times_text("simulated"),
               Contains("the median of 3 runs") && !Contains("simulated"));
    const std::vector<Finding> findings{{"claim", "paper", "ours", Verdict::does_not_hold, "why"}};
    CHECK(decided_on(device, findings).front().explanation.empty());
    CHECK(decided_on(device, findings).front().ours == "ours");
    CHECK_THROWS_WITH(gpu_target(on), Contains("it is a CPU") && Contains("choose a GPU"));
}

TEST_CASE("GPUs of a family are known by the names of profiles and of drivers")
{
    CHECK(gpu_family("adreno-640") == "adreno");
    CHECK(gpu_family("QUALCOMM Adreno(TM) 740") == "adreno");
    CHECK(gpu_family("mali-g77") == "mali");
    CHECK(gpu_family("Mali-G710 r0p0") == "mali");
    CHECK(gpu_family("NVIDIA H200").empty());
    CHECK(gpu_family("pocl-cpu").empty());
}

TEST_CASE("What a real device cannot run is left out and named; of a simulated one it is an error",
          "[opencl]")
{
    const DeviceProfile profile = find_profile("adreno-640");
    const auto refuse = [] { throw bad_input("no configuration can run", "matmul 8,8,8"); };
    const ExperimentDevice simulated{profile};
    CHECK_THROWS_WITH(LeftOut(simulated).run(refuse), Contains("no configuration can run"));

    const OpenClDevice on("pocl");
    const ExperimentDevice device{profile, &on};
    LeftOut left_out(device);
    int ran = 0;
    left_out.run([&] { ++ran; });
    CHECK(ran == 1);
    ExperimentResult::Conditions conditions;
    add_left_out(conditions, left_out.reasons());
    CHECK(conditions.empty());
    CHECK_NOTHROW(left_out.require(false)); // nothing was refused
    left_out.run(refuse);
    left_out.run(refuse);
    CHECK_NOTHROW(left_out.require(true));
    CHECK_THROWS_WITH(left_out.require(false),
                      Contains(on.info().name) && Contains("no configuration can run"));
    add_left_out(conditions, left_out.reasons());
    REQUIRE(conditions.size() == 1);
    CHECK(conditions.front().first == "left out");
    CHECK(conditions.front().second ==
          "matmul 8,8,8: no configuration can run; matmul 8,8,8: no configuration can run");
    // A device that is lost ends the experiment.
    CHECK_THROWS_WITH(left_out.run([] { throw missing("the phone is gone"); }),
                      Contains("the phone is gone"));
}

TEST_CASE("Times of configurations: those of a simulated device are the simulator's, to the bit")
{
    const DeviceProfile device = find_profile("adreno-740");
    for (const auto& [name, shape] :
         {std::pair{"matmul", "64,64,64"}, std::pair{"conv2d", "1,14,14,32,32,3,3,1"},
          std::pair{"dwconv2d_dx", "1,28,28,64,3,3,1"}, std::pair{"softmax", "256,256"},
          std::pair{"layernorm", "64,1024"}}) {
        const Operator op = parse_operator(name, shape);
        const ConfigurationSpace space = configuration_space(op, device);
        KernelTimes times(op, {device}, 500);
        for (const std::int64_t index : {std::int64_t{0}, space.size() / 2, space.size() - 1}) {
            const Schedule schedule = space.at(index);
            CAPTURE(to_string(op), to_string(schedule));
            const double ns = simulated_ns(op, device, schedule, 500);
            CHECK(times.time(schedule).value().value == ns);
            CHECK(times.time_of(space)(index).value().value == ns);
        }
    }
}

TEST_CASE("Times of configurations: those of a real device are of kernels that run there",
          "[opencl]")
{
    const DeviceProfile device = find_profile("adreno-640");
    const OpenClDevice on("pocl");
    const Operator op = parse_operator("matmul", "32,32,32");
    KernelTimes times(op, {device, &on}, 500);
    const Schedule schedule = parse_schedule("A=row,column;T=4x4;W=8x8;G=8x8x1");
    const double ns = times.time(schedule).value().value;
    CHECK(ns > 0);
    CHECK(ns != simulated_ns(op, device, schedule, 500));
    CHECK(times.time(schedule).value().value == ns); // it is not measured again
    Schedule illegal = schedule;
    illegal.patterns.clear();
    CHECK_FALSE(times.time(illegal));
    // More work-items than PoCL takes.
    CHECK_FALSE(times.time(parse_schedule("A=row,column;T=1x1;G=128x64x1")));

    const ConfigurationSpace space = configuration_space(op, device);
    const Choice first = first_of_model(ModelVariant::bottleneck, space, {}, times);
    CHECK(times.time(first.schedule));
    CHECK(first.trials == 0);
}

TEST_CASE("Times of configurations: a model's first on a simulated device is its ranking's first")
{
    const DeviceProfile device = find_profile("mali-g77");
    const Operator op = parse_operator("matmul", "32,32,32");
    const ConfigurationSpace space = configuration_space(op, device);
    const Calibration calibration = calibrate_profile(device, 1);
    KernelTimes times(op, {device}, 500);
    for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::bottleneck}) {
        const Ranking ranking = rank_by_model({op, device, space, calibration, variant}, 1);
        CHECK(first_of_model(variant, space, calibration, times).schedule ==
              ranking.best.front().schedule);
    }
}

TEST_CASE("The fastest of a space: on a simulated device the exhaustive search's")
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("softmax", "16,16");
    const ConfigurationSpace space = configuration_space(op, device);
    KernelTimes times(op, {device}, 200);
    KernelTimes closer(op, {device}, 10'000);
    const FastestOfSpace found = fastest_of_space(space, times, closer, {.again = 3});
    const ExhaustiveResult all = exhaustive(op, device, space, 200, 3);
    CHECK(found.index == all.fastest.front().index);
    CHECK(found.time.value == all.fastest.front().ns);
    CHECK(found.tried == all.simulated);
}

TEST_CASE("The fastest of a space: on a real device that of those that ran", "[opencl]")
{
    const DeviceProfile device = find_profile("adreno-740");
    const OpenClDevice on("pocl");
    const Operator op = parse_operator("softmax", "16,16");
    const ConfigurationSpace space = configuration_space(op, device);
    KernelTimes times(op, {device, &on}, 200);
    KernelTimes closer(op, {device, &on}, 200);
    const FastestOptions options{.again = 2, .first = 4, .drawn = 3};
    const FastestOfSpace found = fastest_of_space(space, times, closer, options);
    CHECK(found.tried == 7);
    CHECK(found.time == closer.time(space.at(found.index)).value());
    CHECK_THAT(fastest_text(options), Contains("first 4") && Contains("3 others"));
}

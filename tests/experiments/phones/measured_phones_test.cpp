// Logs of phones through the judges: what is counted where, and that a judge that is right is told.

#include "devices/profile/device_profile.hpp"
#include "experiments/phones/measured_phones.hpp"
#include "experiments/phones/phone_judges.hpp"
#include "experiments/phones/phone_plot.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope::devices;
using namespace texelscope::experiments;
using namespace texelscope::test;
using namespace texelscope::workbench::kernel_logs;

namespace {

/// A history of small 3x3 convolutions, each time told by `time_of`.
template <class TimeOf>
NamedLog history(const TimeOf& time_of)
{
    std::string text;
    for (const char* const fc : {"[-1, 1, 4]", "[-1, 2, 2]", "[-1, 1, 2]"}) {
        for (const char* const x : {"[-1, 1, 4]", "[-1, 4, 2]", "[-1, 2, 8]"}) {
            for (const char* const rcc : {"[-1, 1]", "[-1, 2]"}) {
                for (const int steps : {0, 512}) {
                    LogLine line{.data = "[1, 16, 16, 16]",
                                 .weights = "[32, 16, 3, 3]",
                                 .fc = fc,
                                 .y = "[-1, 1, 4]",
                                 .x = x,
                                 .rcc = rcc,
                                 .most_steps = steps};
                    const LogRow row = parse_autotvm_log(line.text()).rows.at(0);
                    line.seconds = fmt::format(
                        "[{:.17g}]", time_of(std::get<LoggedKernel>(read_row(row))) * 1e-9);
                    text += line.text() + "\n";
                }
            }
        }
    }
    text += LogLine{.task = "conv2d_nchw_winograd.image2d"}.text() + "\n";
    text += LogLine{.seconds = "[1e9]", .error = 4}.text() + "\nnonsense\n";
    return {"a.log", "adreno-740", parse_autotvm_log(text)};
}

PhoneOptions model_alone()
{
    PhoneOptions options;
    options.judges.simulator = false;
    options.threads = 1;
    options.profile = [](const std::string& name) { return std::optional(find_profile(name)); };
    return options;
}

} // namespace

TEST_CASE("phones: a judge whose times are the measured ones is told to be right", "[phones]")
{
    const DeviceProfile device = find_profile("adreno-740");
    const PhoneJudges judges{.simulator = false};
    LogFolder folder;
    folder.logs.push_back(history([&](const LoggedKernel& kernel) {
        const PhoneTimes times = judged(kernel, device, judges);
        INFO(times.refusal);
        REQUIRE(times.model_ns > 0);
        return times.model_ns + 5000; // the copies
    }));
    const MeasuredTasks tasks = measured_tasks(folder);
    REQUIRE(tasks.histories.size() == 1);
    CHECK(tasks.rows == 39);
    CHECK(tasks.left_out.at("malformed lines") == 1);
    CHECK(tasks.left_out.at("not measured: runtime device") == 1);
    CHECK(tasks.left_out.at("conv2d_nchw_winograd.image2d: a Winograd convolution, which we do not "
                            "have") == 1);
    const MeasuredPhones phones = measured_phones(tasks, model_alone());
    REQUIRE(phones.tasks.size() == 1);
    const PhoneTask& task = phones.tasks.front();
    CHECK(task.rows == 36);
    REQUIRE(task.model);
    CHECK(*task.model->tau > 0.99); // equal times differ by the rounding of seconds
    CHECK(task.model->choice == Approx(1));
    CHECK(task.model->error == Approx(0).margin(1e-6));
    CHECK(task.model->ten == Approx(1));
    REQUIRE(task.coverage);
    CHECK(*task.coverage > 0.5); // times that one of the machines has
    for (const PhoneResidual& residual : task.model_residuals) {
        CAPTURE(residual.trait);
        CHECK(residual.with == Approx(1).margin(1e-3));
        CHECK(residual.without == Approx(1).margin(1e-3));
    }
    CHECK_FALSE(task.simulator);
    CHECK(task.baselines.size() == 2);
}

TEST_CASE("phones: what cannot be judged is counted", "[phones]")
{
    LogFolder folder;
    folder.logs.push_back(
        history([](const LoggedKernel& kernel) { return kernel.counts.reads(); }));
    folder.logs.front().device = "";
    folder.others = {"README"};
    const MeasuredPhones phones = measured_phones(measured_tasks(folder), model_alone());
    CHECK(phones.tasks.empty());
    std::int64_t left_out = 0;
    for (const auto& [reason, rows] : phones.left_out) {
        left_out += rows;
    }
    CHECK(left_out == phones.lines + 1);
}

TEST_CASE("phones: layers of networks are held against the judges one by one", "[phones]")
{
    const DeviceProfile device = find_profile("adreno-740");
    NamedLog log{"best.log", "adreno-740", {}};
    for (const char* const channels : {"16", "24", "48"}) {
        const LogLine line{.data = fmt::format("[1, {}, 12, 12]", channels),
                           .weights = fmt::format("[32, {}, 3, 3]", channels),
                           .fc = "[-1, 1, 8]",
                           .x = "[-1, 2, 2]",
                           .seconds = "[0.0001]"};
        log.log.rows.push_back(parse_autotvm_log(line.text()).rows.at(0));
    }
    LogFolder folder;
    folder.logs.push_back(std::move(log));
    PhoneOptions options = model_alone();
    options.judges.simulator = true;
    const MeasuredPhones phones = measured_phones(measured_tasks(folder), options);
    CHECK(phones.tasks.empty());
    REQUIRE(phones.layers.size() == 3);
    for (const PhoneLayer& layer : phones.layers) {
        CHECK(layer.measured_ns == Approx(1e5));
        CHECK(layer.judged.model_ns > 0);
        CHECK(layer.judged.simulator_ns > 0);
    }
    REQUIRE(phones.ratios.size() == 2);
    CHECK(phones.ratios[0].judge == "model");
    const PhoneTimes& layer = phones.layers[1].judged;
    CHECK(layer.copies_ns > 0);
    CHECK(phones.ratios[0].median == Approx((layer.model_ns + layer.copies_ns) / 1e5));
    // The plot: a panel for each task and one for the layers of a device, with all points.
    const auto plot = phone_plot(phones);
    REQUIRE(plot.panels.size() == phones.tasks.size() + 1);
    const auto& drawn = plot.panels.back().curves.at(1).points;
    REQUIRE(drawn.size() == phones.layers.size());
    CHECK(drawn[1].x == Approx(phones.layers[1].measured_ns / 1e6));
    CHECK(drawn[1].y == Approx((layer.model_ns + layer.copies_ns) / 1e6));
    for (std::size_t t = 0; t < phones.tasks.size(); ++t) {
        CHECK(std::ssize(phones.tasks[t].points) == phones.tasks[t].rows);
    }
}

TEST_CASE("phones: memory does not slow down with the clock", "[phones]")
{
    const DeviceProfile fast = find_profile("adreno-750");
    const auto& a = fast.simulation.machine.timing;
    CHECK(at_clock(fast, Clock::fast) == fast);
    const DeviceProfile slow = at_clock(fast, Clock::slow);
    const auto& b = slow.simulation.machine.timing;
    CHECK(b.clock_mhz == Approx(a.clock_mhz * 220 / 680));
    CHECK(b.clock_mhz * b.memory_bytes_per_cycle == Approx(a.clock_mhz * a.memory_bytes_per_cycle));
    // What lies behind the last cache keeps its time; the way there is the core's.
    const auto behind = [](const DeviceProfile& of) {
        const Machine& machine = of.simulation.machine;
        const Cycles cycles{machine.timing.memory_latency.value -
                            machine.last_level().latency.value};
        return static_cast<double>(cycles.value) / machine.timing.clock_mhz;
    };
    CHECK(behind(slow) == Approx(behind(fast)).epsilon(0.02));
    CHECK(slow.simulation.machine.last_level().latency ==
          fast.simulation.machine.last_level().latency);
}

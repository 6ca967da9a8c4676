#include "base/error.hpp"
#include "tests/workbench/machines/random_kernels.hpp"
#include "workbench/machines/machine_loss.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace texelscope::workbench::machines {
namespace {

/// Kernels of two tasks, whose times alone matter.
std::vector<MeasuredKernel> timed_kernels(const std::vector<double>& first,
                                          const std::vector<double>& second, CopiesIn copies)
{
    std::vector<MeasuredKernel> kernels;
    for (const double ns : first) {
        kernels.push_back({.op = {}, .schedule = {}, .ns = ns, .task = "a"});
    }
    for (const double ns : second) {
        kernels.push_back({.op = {}, .schedule = {}, .ns = ns, .task = "b", .copies = copies});
    }
    return kernels;
}

TEST_CASE("The loss is worked out by hand for a few times", "[machines]")
{
    const DeviceProfile device = find_profile("adreno-750");
    const std::vector<MeasuredKernel> kernels =
        timed_kernels({100, 200, 300}, {50, 60, 70, 80}, CopiesIn::constant);
    const LossFunction loss(kernels, {});
    CHECK(loss.tasks().size() == 2);
    // The second task's times hold 10 ns of copies.
    const MachineLoss exact = loss(std::vector<double>{100, 200, 300, 40, 50, 60, 70}, device);
    CHECK(exact.all == Approx(0).margin(1e-12));
    CHECK(exact.constants == std::vector<double>{0, 10});
    // One of three pairs of the first task the other way round: tau is 1/3. Each task weighs the
    // same, and more than half of all weight has no error.
    const MachineLoss swapped = loss(std::vector<double>{200, 100, 300, 40, 50, 60, 70}, device);
    CHECK(swapped.order == Approx((1 - 1.0 / 3) / 2));
    CHECK(swapped.error == Approx(0).margin(1e-12));
    // Twice as slow, without copies to hide it.
    const LossFunction bare(timed_kernels({100, 200, 300}, {50, 60, 70, 80}, CopiesIn::nothing),
                            {});
    const MachineLoss twice = bare(std::vector<double>{200, 400, 600, 100, 120, 140, 160}, device);
    CHECK(twice.order == Approx(0).margin(1e-12));
    CHECK(twice.error == Approx(std::log(2)));
    CHECK(twice.residuals.front() == Approx(-std::log(2)));
    // A kernel that cannot run is an error of a factor of e.
    const double never = std::nan("");
    const MachineLoss none =
        bare(std::vector<double>{never, never, never, never, never, never, never}, device);
    CHECK(none.order == Approx(1));
    CHECK(none.error == Approx(1));
}

TEST_CASE("Figures are products of values, and count by their errors", "[machines]")
{
    const DeviceProfile device = find_profile("adreno-750");
    const double ghz = device.simulation.machine.timing.clock_mhz / 1000;
    const double gb_s = device.simulation.machine.l2().bytes_per_cycle * ghz;
    CHECK(quantity_on("bandwidth.l2*clock/1000", device) == Approx(gb_s));
    CHECK(quantity_on("latency.l1/clock*1000", device) ==
          Approx(static_cast<double>(device.simulation.machine.l1().latency.value) / ghz));
    CHECK_THROWS_AS(quantity_on("layout*2", device), Error);
    CHECK_THROWS_AS(quantity_on("no.such.key", device), Error);
    const std::vector<Figure> figures = parse_figures(
        "name,quantity,value,error\nL2,bandwidth.l2,998,1\nL1,latency.l1,76,0.1\n", "figures.csv");
    REQUIRE(figures.size() == 2);
    CHECK(figures[0] == Figure{"L2", "bandwidth.l2", 998, 1});
    // Half of what was published, with an error of a factor of two: one error. The other is right.
    const LossFunction loss(timed_kernels({1, 2}, {1, 2}, CopiesIn::nothing), figures);
    CHECK(loss(std::vector<double>{1, 2, 1, 2}, device).figures == Approx(0.5));
    for (const char* wrong : {"", "name,quantity\n", "name,quantity,value,error\na,clock,1\n",
                              "name,quantity,value,error\na,clock,-1,1\n",
                              "name,quantity,value,error\na,clock,1,0\n"}) {
        CHECK_THROWS_AS(parse_figures(wrong, "figures.csv"), Error);
    }
}

} // namespace
} // namespace texelscope::workbench::machines

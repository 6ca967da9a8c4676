#include "base/random.hpp"
#include "workbench/machines/next_kernels.hpp"
#include "workbench/machines/over_machines.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace texelscope::workbench::machines {
namespace {

/// Machines of equal weight.
MachineSet machines_alike(std::size_t count)
{
    MachineSet set;
    IdentifiedMachine machine;
    machine.weight = 1 / static_cast<double>(count);
    set.machines.assign(count, machine);
    return set;
}

TEST_CASE("The kernel is measured next that differs most, and no second one that tells the same",
          "[machines]")
{
    // Four machines, told by two values: kernel 0 tells a little of the first, 1 much, 2 the same
    // as 1, 3 something of the second, 4 nothing.
    const std::vector<std::vector<double>> ns{{100, 100, 110, 110},
                                              {100, 100, 400, 400},
                                              {50, 50, 200, 200},
                                              {100, 150, 100, 150},
                                              {70, 70, 70, 70}};
    const std::vector<NextKernel> chosen = next_kernels(machines_alike(4), ns, 2, 0.05);
    REQUIRE(chosen.size() == 2);
    CHECK((chosen[0].kernel == 1 || chosen[0].kernel == 2));
    CHECK(chosen[0].spread == Approx(std::log(4) / 2)); // of two values a factor of 4 apart
    CHECK(chosen[0].bits == Approx(std::log2(1 + std::pow(std::log(4) / 2 / 0.05, 2)) / 2));
    CHECK(chosen[1].kernel == 3);
    // Nothing is told by kernels that take the same on every machine, or do not run on one.
    CHECK(next_kernels(machines_alike(4), {ns[4], {1, 2, 3, std::nan("")}}, 5, 0.05).empty());
}

TEST_CASE("What the first kernels tell together is the volume of their covariance", "[machines]")
{
    // Bits add up to log2 det(1 + C / error^2) / 2, whatever the order.
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::size_t machines = 12;
        std::vector<std::vector<double>> ns(2);
        for (auto& kernel : ns) {
            for (std::size_t m = 0; m < machines; ++m) {
                kernel.push_back(std::exp(standard_normal(random)));
            }
        }
        double mean[2] = {0, 0};
        for (std::size_t k = 0; k < 2; ++k) {
            for (const double time : ns[k]) {
                mean[k] += std::log(time) / machines;
            }
        }
        double c[2][2] = {{0, 0}, {0, 0}};
        for (std::size_t m = 0; m < machines; ++m) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) {
                    c[i][j] +=
                        (std::log(ns[i][m]) - mean[i]) * (std::log(ns[j][m]) - mean[j]) / machines;
                }
            }
        }
        const double noise = 0.1 * 0.1;
        const double volume =
            (1 + c[0][0] / noise) * (1 + c[1][1] / noise) - c[0][1] / noise * (c[1][0] / noise);
        const auto chosen = next_kernels(machines_alike(machines), ns, 2, 0.1);
        REQUIRE(chosen.size() == 2);
        CHECK(chosen[0].bits + chosen[1].bits == Approx(std::log2(volume) / 2));
    }
}

TEST_CASE("Choices over machines are those of a small table", "[machines]")
{
    MachineSet set = machines_alike(2);
    set.machines[0].weight = 0.75;
    set.machines[1].weight = 0.25;
    const std::vector<std::vector<double>> ns{{100, 300}, {104, 100}, {200, std::nan("")}};
    const auto choices = choices_over_machines(set, ns);
    CHECK(choices[0].first == Approx(0.75));
    CHECK(choices[0].near_best == Approx(0.75));
    CHECK(choices[0].mean_loss == Approx(0.25 * 2));
    CHECK(choices[0].worst_loss == Approx(2));
    CHECK(choices[1].first == Approx(0.25));
    CHECK(choices[1].near_best == Approx(1));
    CHECK(choices[1].mean_loss == Approx(0.75 * 0.04));
    CHECK(choices[2].first == 0); // it cannot run on the second: the worst that does counts
    CHECK(choices[2].mean_loss == Approx(0.75 * 1 + 0.25 * 2));
    // One time: each machine's, with its residuals.
    set.machines[0].residuals = {-0.1, 0, 0, 0, 0.1};
    const auto time = over_machines(set, std::vector{100.0, std::nan("")}, 5);
    REQUIRE(time);
    CHECK(time->median_ns == Approx(105));
    CHECK(time->low_ns == Approx(105 * std::exp(-0.1)));
    CHECK(time->high_ns == Approx(105 * std::exp(0.1)));
    CHECK(time->machines == Approx(0.75));
    CHECK_FALSE(over_machines(set, std::vector{std::nan(""), std::nan("")}));
}

} // namespace
} // namespace texelscope::workbench::machines

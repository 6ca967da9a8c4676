#include "tests/workbench/machines/random_kernels.hpp"
#include "workbench/machines/prepared_kernel.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace texelscope::workbench::machines {
namespace {

TEST_CASE("A kernel that is priced on many machines takes the times that each of them predicts",
          "[machines]")
{
    const auto [name, op] =
        GENERATE(table<const char*, const char*>({{"adreno-750", "matmul 96,64,80"},
                                                  {"adreno-750", "conv2d 1,20,20,16,24,3,3,1"},
                                                  {"mali-g76", "dwconv2d 1,24,24,16,3,3,1"},
                                                  {"nvidia-h100", "softmax 128,96"},
                                                  {"mali-g710", "layernorm 96,64"},
                                                  {"nvidia-h100", "matmul 64,64,96"}}));
    const std::string text = op;
    const auto blank = text.find(' ');
    const Operator asked = parse_operator(text.substr(0, blank), text.substr(blank + 1));
    const DeviceProfile device = find_profile(name);
    const std::vector<Unknown> unknowns = unknowns_of(device);
    const std::uint64_t seed = 7;
    CAPTURE(name, op, seed);
    std::mt19937_64 random(seed);
    const std::vector<MeasuredKernel> kernels = random_kernels(asked, device, 6, random);
    std::vector<PricedMachine> machines;
    std::vector<DeviceProfile> profiles;
    for (int m = 0; m < 12; ++m) {
        const auto values = random_machine(device, unknowns, random);
        machines.push_back(*machine_of(device, unknowns, values));
        profiles.push_back(with_values(device, unknowns, values));
    }
    KernelPrices prices(kernels, device, 2);
    const auto ns = prices.ns(machines);
    std::size_t priced = 0;
    for (std::size_t m = 0; m < machines.size(); ++m) {
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            CAPTURE(m, to_string(kernels[k].schedule));
            const auto expected = tuning::bottleneck_price(asked, profiles[m], kernels[k].schedule);
            REQUIRE(expected.has_value() == !std::isnan(ns[m][k]));
            if (expected) {
                CHECK(ns[m][k] == Approx(expected->value).epsilon(1e-9));
                ++priced;
            }
        }
    }
    CHECK(priced > machines.size() * kernels.size() / 2);
    CHECK(prices.ns(machines) == ns); // what was kept makes no difference
}

TEST_CASE("A machine at a lower clock waits as long for memory as before", "[machines]")
{
    const Machine machine = find_profile("adreno-750").simulation.machine;
    const Machine slow = at_clock(machine, 0.5);
    const auto ns = [](const Machine& of, double cycles) {
        return cycles * 1000 / of.timing.clock_mhz;
    };
    CHECK(slow.timing.clock_mhz == machine.timing.clock_mhz / 2);
    const auto behind = [](const Machine& of) {
        return static_cast<double>((of.timing.memory_latency - of.l2().latency).value);
    };
    CHECK(ns(slow, behind(slow)) == Approx(ns(machine, behind(machine))).epsilon(0.02));
    // bytes a nanosecond
    CHECK(slow.timing.memory_bytes_per_cycle / ns(slow, 1) ==
          Approx(machine.timing.memory_bytes_per_cycle / ns(machine, 1)));
    CHECK(slow.l2() == machine.l2());
    CHECK(at_clock(machine, 1) == machine);
}

} // namespace
} // namespace texelscope::workbench::machines

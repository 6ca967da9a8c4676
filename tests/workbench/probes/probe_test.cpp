#include "base/error.hpp"
#include "devices/targets/simulated_target.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/probes/chases.hpp"
#include "workbench/probes/measurements.hpp"
#include "workbench/probes/probe.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace texelscope::workbench::probes;
using Catch::Matchers::Contains;

namespace {

/// To walk through its second level takes minutes: that is done once, by images.
bool has_large_l2(const DeviceProfile& profile)
{
    return profile.simulation.machine.l2().geometry.lines() > 100'000;
}

/// What all probes together find on a simulated device, by key.
Known probed(const DeviceProfile& profile, double noise)
{
    SimulatedTarget target(profile, noise, 11);
    ProbeOptions options;
    options.seed = 5;
    Known known;
    for (const Probe& probe : probes()) {
        // Rates of very many cores take long to simulate.
        const bool quick =
            probe.name != "image-bandwidth" || profile.simulation.machine.cores <= 32;
        const bool ours = std::count(probe.suites.begin(), probe.suites.end(), "archprobe") > 0;
        if (probe.name == "host" || !quick || !ours ||
            std::any_of(probe.needs.begin(), probe.needs.end(),
                        [&](const auto& need) { return !known.contains(need); })) {
            continue;
        }
        ProbeOptions its = options;
        if (probe.name == "buffer-caches" && has_large_l2(profile)) {
            its.largest_chase = its.largest_image;
        }
        try {
            for (const ProbeFinding& finding : probe.run(target, known, its).findings) {
                known[finding.key] = finding.value;
            }
        } catch (const Error&) { // e.g. arithmetic of a profile that does not say its lanes
        }
    }
    return known;
}

/// The caches of buffers as found, against the profile: with a first level of their own its
/// capacity, and the rest as the images'; else the second level at once.
void check_buffer_caches(Known known, const DeviceProfile& profile, double within)
{
    const SimulationOptions& o = profile.simulation;
    const bool own = profile.limits.buffer_l1->value > 0;
    const CacheGeometry& first = own ? o.machine.l1().geometry : o.machine.l2().geometry;
    const Bytes capacity = own ? *profile.limits.buffer_l1 : o.machine.l2().geometry.capacity;
    const Cycles latency = own ? o.machine.l1().latency : o.machine.l2().latency;
    CHECK(known["buffer.l1.capacity"] == static_cast<double>(capacity.value));
    CHECK(known["buffer.l1.line"] == static_cast<double>(first.line.value));
    CHECK(known["buffer.l1.ways"] == first.ways);
    const double sooner = o.machine.service_of(true).sooner;
    CHECK(known["buffer.latency.l1"] ==
          Approx(static_cast<double>(latency.value) - sooner).epsilon(within));
    CHECK(known["limits.buffer_l1"] == static_cast<double>(profile.limits.buffer_l1->value));
    if (own && !has_large_l2(profile)) {
        CHECK(known["buffer.l2.capacity"] ==
              static_cast<double>(o.machine.l2().geometry.capacity.value));
        CHECK(known["buffer.l2.line"] == static_cast<double>(o.machine.l2().geometry.line.value));
        CHECK(known["buffer.latency.memory"] ==
              Approx(static_cast<double>(o.machine.timing.memory_latency.value) - sooner)
                  .epsilon(within));
    } else {
        CHECK_FALSE(known.contains("buffer.l2.capacity"));
    }
}

/// Bytes a nanosecond that the device can deliver from behind L1: its port, or what its cores can
/// have under way.
struct Deliverable {
    double rate;
    bool by_port;
};

Deliverable deliverable(const SimulationOptions& o, double port, double latency)
{
    const double lines = o.machine.timing.outstanding_misses *
                         static_cast<double>(o.machine.l1().geometry.line.value) / latency;
    const double cores = lines * o.machine.cores;
    return {std::min(port, cores), port <= cores};
}

/// Probes the profile with 5 % noise on every sample, and compares.
void check_profile(const std::string& name)
{
    const DeviceProfile profile = find_profile(name);
    const SimulationOptions& o = profile.simulation;
    Known known = probed(profile, 0.05);
    CAPTURE(name);
    for (const auto& [key, value] : known) {
        UNSCOPED_INFO(key << " = " << value);
    }
    if (o.machine.warp_size > 1) {
        CHECK(known["warp.size"] == o.machine.warp_size);
    }
    if (o.machine.registers_per_core && known.contains("warp.size")) {
        // Where the largest work-group finds room with all that a thread can have, no limit can be
        // seen.
        SimulationOptions full = o;
        full.kernel.registers_per_item = 256;
        if (*registers_taken(full.machine, 256) * profile.limits.work_group_size >
            o.machine.registers_per_core) {
            CHECK(known["registers.per_core"] ==
                  static_cast<double>(*o.machine.registers_per_core));
        } else {
            CHECK_FALSE(known.contains("registers.per_core"));
        }
        if (known.contains("registers.step")) {
            CHECK(known["registers.step"] ==
                  (o.machine.register_rule == RegisterRule::pool ? o.machine.register_step : 32));
        }
    }
    CHECK(known["l1.capacity"] == static_cast<double>(o.machine.l1().geometry.capacity.value));
    CHECK(known["l1.line"] == static_cast<double>(o.machine.l1().geometry.line.value));
    CHECK(known["l1.ways"] == o.machine.l1().geometry.ways);
    if (o.machine.l1().geometry.sector.value > 0) {
        CHECK(known["l1.sector"] == static_cast<double>(o.machine.l1().geometry.sector.value));
    }
    constexpr double within = 0.05;
    const auto l2_latency = static_cast<double>(o.machine.l2().latency.value);
    CHECK(known["latency.l1"] ==
          Approx(static_cast<double>(o.machine.l1().latency.value)).epsilon(within));
    if (o.machine.has_l2()) {
        CHECK(known["l2.capacity"] == static_cast<double>(o.machine.l2().geometry.capacity.value));
        CHECK(known["l2.line"] == static_cast<double>(o.machine.l2().geometry.line.value));
        CHECK(known["latency.l2"] == Approx(l2_latency).epsilon(within));
        CHECK(known["latency.memory"] ==
              Approx(static_cast<double>(o.machine.timing.memory_latency.value)).epsilon(within));
    } else {
        CHECK(known["latency.l1_miss"] == Approx(l2_latency).epsilon(within));
        CHECK_FALSE(known.contains("l2.capacity"));
    }
    check_buffer_caches(known, profile, within);
    if (o.machine.timing.alu_lanes) {
        CHECK(known["alu.lanes"] == Approx(*o.machine.timing.alu_lanes).epsilon(within));
    }
    if (known.contains("bandwidth.stores")) {
        const Stores& stores = o.machine.stores;
        CHECK(known["bandwidth.stores"] == Approx(o.machine.store_bandwidth()).epsilon(0.15));
        CHECK(known["stores.sector"] == static_cast<double>(stores.sector.value));
        if (stores.sector.value > 0) {
            CHECK(known["stores.partial"] == Approx(stores.partial).epsilon(0.15));
            CHECK(known["stores.line"] == Approx(stores.line).epsilon(0.15));
        }
    }
    if (known.contains("bandwidth.lookups")) {
        CHECK(known["bandwidth.lookups"] ==
              Approx(o.machine.timing.lookups_per_cycle).epsilon(within));
        const Deliverable l2 = deliverable(o, o.machine.l2().bytes_per_cycle, l2_latency);
        CHECK(known["bandwidth.l2.reached"] * 1000 / o.machine.timing.clock_mhz ==
              Approx(l2.rate).epsilon(within));
        if (l2.by_port) {
            CHECK(known["bandwidth.l2"] == Approx(l2.rate).epsilon(within));
        } else {
            CHECK(known["outstanding_misses"] ==
                  Approx(o.machine.timing.outstanding_misses).epsilon(within));
        }
        if (known.contains("bandwidth.memory.reached")) {
            const Deliverable memory =
                deliverable(o, o.machine.timing.memory_bytes_per_cycle,
                            static_cast<double>(o.machine.timing.memory_latency.value));
            CHECK(known["bandwidth.memory.reached"] * 1000 / o.machine.timing.clock_mhz ==
                  Approx(memory.rate).epsilon(within));
            CHECK(known.contains("bandwidth.memory") == memory.by_port);
        }
    }
}

} // namespace

// Tests that can run side by side.
TEST_CASE("Probes find what a simulated Adreno was made with, with 5 % noise on every sample")
{
    check_profile("adreno-640");
}

TEST_CASE("Probes find what a simulated Mali was made with, with 5 % noise on every sample",
          "[long]")
{
    check_profile("mali-g76");
}

TEST_CASE(
    "Probes find what any other simulated Adreno was made with, with 5 % noise on every sample",
    "[long]")
{
    for (const std::string& name : profile_names()) {
        if (name.starts_with("adreno-") && name != "adreno-640") {
            check_profile(name);
        }
    }
}

TEST_CASE("Probes find what a simulated NVIDIA H100 was made with, with 5 % noise on every sample",
          "[long]")
{
    check_profile("nvidia-h100");
}

TEST_CASE("Probes find what a simulated NVIDIA H200 was made with, with 5 % noise on every sample",
          "[long]")
{
    check_profile("nvidia-h200");
}

TEST_CASE(
    "Probes find what any other simulated device was made with, with 5 % noise on every sample",
    "[long]")
{
    for (const std::string& name : profile_names()) {
        if (!name.starts_with("adreno-") && !name.starts_with("nvidia-") && name != "mali-g76") {
            check_profile(name);
        }
    }
}

namespace {

void check_found_buffer_caches(const std::string& name, std::int64_t first_level)
{
    DeviceProfile profile = find_profile(name);
    profile.limits.buffer_l1 = Bytes{first_level};
    const SimulationOptions& o = profile.simulation;
    SimulatedTarget target(profile, 0, 3);
    ProbeOptions options;
    options.samples = 3;
    // What texture-caches would have found.
    Known known{{"l1.capacity", static_cast<double>(o.machine.l1().geometry.capacity.value)},
                {"l2.capacity", static_cast<double>(o.machine.l2().geometry.capacity.value)},
                {"l2.line", static_cast<double>(o.machine.l2().geometry.line.value)},
                {"latency.l2.ns", static_cast<double>(o.machine.l2().latency.value) * 1000 /
                                      o.machine.timing.clock_mhz}};
    ProbeResult result = probe_buffer_caches(target, known, options);
    for (const ProbeFinding& finding : result.findings) {
        known[finding.key] = finding.value;
        UNSCOPED_INFO(finding.key << " = " << finding.value);
    }
    CAPTURE(name, first_level);
    check_buffer_caches(known, profile, 0.02);
}

} // namespace

TEST_CASE("The buffers' caches are found without noise, with a first level and without one")
{
    check_found_buffer_caches("adreno-640", 8192);
    check_found_buffer_caches("mali-g76", 0);
}

TEST_CASE("The buffers' caches are found without noise, whatever the profile gives them", "[long]")
{
    check_found_buffer_caches("adreno-640", 0);
    check_found_buffer_caches("mali-g72", 16384);
    check_found_buffer_caches("mali-g76", 65536);
    check_found_buffer_caches("pocl-cpu", 32768);
}

TEST_CASE("A simulated target reads as its profile says, and noise is as asked for")
{
    const DeviceProfile profile = find_profile("adreno-640");
    const double cycle = 1000 / profile.simulation.machine.timing.clock_mhz;
    SimulatedTarget exact(profile, 0, 1);
    Chase chase;
    chase.extent = {64, 64};
    chase.walk = {{5, 7}};
    chase.warm_passes = 1;
    chase.passes = 10;
    CHECK(exact.chase(chase, 2) == std::vector<double>(2, 76 * cycle));
    chase.warm_passes = 0;
    chase.passes = 1;
    CHECK(exact.chase(chase, 1).front() == Approx(196 * cycle));

    // Buffers have no first level here: a texel that came before is in the second.
    chase.memory = MemorySpace::buffer;
    chase.extent = {4096, 1};
    chase.walk = {{5, 0}};
    CHECK(exact.chase(chase, 1).front() == Approx(196 * cycle));
    chase.warm_passes = 1;
    CHECK(exact.chase(chase, 1).front() == Approx(111 * cycle));
    DeviceProfile other = profile;
    other.limits.buffer_l1 = Bytes{4096};
    CHECK(SimulatedTarget(other, 0, 1).chase(chase, 1).front() == Approx(76 * cycle));
    other.limits.buffer_l1.reset();
    CHECK_THROWS_WITH(SimulatedTarget(other, 0, 1).chase(chase, 1), Contains("limits.buffer_l1"));
    chase.memory = MemorySpace::local;
    CHECK_THROWS_WITH(exact.chase(chase, 1), Contains("local memory is not simulated"));
    CHECK_THROWS_WITH(exact.run(Stream{}, 1), Contains("rates of the texture unit"));
    CHECK_THROWS_WITH(exact.conditions(), Contains("does not get warm"));

    chase.memory = MemorySpace::image;
    chase.extent = {64, 64};
    chase.warm_passes = 0;
    SimulatedTarget noisy(profile, 0.05, 1);
    std::vector<double> logs;
    for (const double ns : noisy.chase(chase, 4000)) {
        logs.push_back(std::log(ns / (196 * cycle)));
    }
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / 4000;
    double squares = 0;
    for (const double log : logs) {
        squares += (log - mean) * (log - mean);
    }
    CHECK(std::abs(mean) < 0.003);
    CHECK(std::sqrt(squares / 4000) == Approx(0.05).epsilon(0.05));
    CHECK(SimulatedTarget(profile, 0.05, 9).chase(chase, 5) ==
          SimulatedTarget(profile, 0.05, 9).chase(chase, 5));
    CHECK_THROWS_WITH(SimulatedTarget(profile, -1, 1), Contains("noise of -1"));
}

TEST_CASE("Scattered texels lie in different cells, each of the image's equally likely")
{
    std::mt19937_64 random(4);
    const CellGrid grid{{64, 32}, {8, 8}};
    REQUIRE(grid.cells() == 32);
    std::map<std::int64_t, int> times;
    for (int draw = 0; draw < 2000; ++draw) {
        std::set<std::int64_t> cells;
        for (const Texel texel : scattered(grid, 8, draw % 2 == 0, random)) {
            REQUIRE(grid.extent.contains(texel));
            CHECK((draw % 2 == 1 || (texel.x % 8 == 0 && texel.y % 8 == 0)));
            cells.insert(texel.y / 8 * 8 + texel.x / 8);
        }
        REQUIRE(cells.size() == 8);
        for (const std::int64_t cell : cells) {
            ++times[cell];
        }
    }
    for (std::int64_t cell = 0; cell < 32; ++cell) {
        CHECK(times[cell] == Approx(500).margin(100)); // five standard deviations
    }
    CHECK(scattered(grid, 32, true, random).size() == 32);
    CHECK_THROWS_WITH(scattered(grid, 33, true, random), Contains("33 places of a grid of 32"));
}

TEST_CASE("The mean over draws is of the median of each")
{
    CHECK(mean_of_draws({1, 2, 9, 4, 4, 100}, 2) == 3);
}

// Stores by the sectors and lines that they go to: against counting byte by byte, and closed forms.

#include "sim/memory/image_storage.hpp"
#include "sim/simulate.hpp"
#include "sim/timed/store_sectors.hpp"
#include "tests/base/random.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// The same, byte by byte.
double slowly(const std::vector<std::int64_t>& addresses, std::int64_t texel,
              const Machine& machine)
{
    std::map<std::int64_t, std::set<std::int64_t>> written; // by sector
    std::set<std::int64_t> lines;
    for (const std::int64_t address : addresses) {
        for (std::int64_t byte = address; byte < address + texel; ++byte) {
            written[byte / machine.stores.sector.value].insert(byte);
            lines.insert(byte / machine.shared_level().geometry.line.value);
        }
    }
    double sectors = machine.stores.line * static_cast<double>(lines.size());
    for (const auto& [sector, bytes] : written) {
        sectors += std::ssize(bytes) == machine.stores.sector.value ? 1 : machine.stores.partial;
    }
    return sectors * static_cast<double>(machine.stores.sector.value);
}

/// One store of a texel by each work-item, at (x, y).
Launch stores_at(const IndexExpr& x, const IndexExpr& y, Dim3 groups, Dim3 local, Image output)
{
    Launch launch;
    launch.kernel = "stores";
    launch.groups = groups;
    launch.local = local;
    launch.body.emplace_back(Work{.stored = output.bytes_per_texel, .store = Store{x, y, {}}});
    launch.output = std::move(output);
    return launch;
}

SimulationOptions with_sectors()
{
    SimulationOptions options;
    options.machine.warp_size = 32;
    options.machine.stores = {.sector = Bytes{32}, .partial = 1.5, .line = 0.25};
    options.machine.l2().geometry.line = Bytes{128};
    return options;
}

double bytes_of(const Launch& launch, const SimulationOptions& options)
{
    return StoreSectors(launch, options).port_bytes(std::get<Work>(launch.body.front()));
}

} // namespace

TEST_CASE("a warp's store holds the port for its sectors and lines, as counted byte by byte")
{
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        Machine machine;
        machine.stores = {.sector = Bytes{random.pick(std::vector<std::int64_t>{16, 32, 64})},
                          .partial = 1 + 0.25 * random.small(0, 8),
                          .line = 0.25 * random.small(0, 8)};
        machine.l2().geometry.line = Bytes{random.pick(std::vector<std::int64_t>{64, 128})};
        const std::int64_t texel = random.pick(std::vector<std::int64_t>{4, 8, 16});
        std::vector<std::int64_t> addresses;
        const int lanes = random.small(0, 32);
        addresses.reserve(static_cast<std::size_t>(lanes));
        for (int lane = 0; lane < lanes; ++lane) {
            addresses.push_back(texel * random.small(0, 60)); // some of them twice
        }
        const double want = slowly(addresses, texel, machine);
        INFO("seed " << seed);
        REQUIRE(port_bytes_of(addresses, texel, machine) == Approx(want));
    }
}

TEST_CASE("stores of rows, columns and blocks take the sectors that one expects")
{
    const SimulationOptions options = with_sectors();
    const std::array ids = work_item_variables({4, 4, 1}, {32, 1, 1});
    const IndexExpr lane(ids[0]);
    const Image row{
        .name = "out", .extent = {4096, 1}, .bytes_per_texel = Bytes{16}, .buffer = true};
    // 32 texels side by side: 16 sectors in 4 lines.
    CHECK(bytes_of(stores_at(lane, 0, {4, 4, 1}, {32, 1, 1}, row), options) ==
          32 * (16 + 0.25 * 4));
    // Each in a line of its own: 32 sectors of which half is written.
    CHECK(bytes_of(stores_at(8 * lane, 0, {4, 4, 1}, {32, 1, 1}, row), options) ==
          32 * (32 * 1.5 + 0.25 * 32));
    // Two by two.
    CHECK(bytes_of(stores_at(8 * floor_div(lane, 2) + mod(lane, 2), 0, {4, 4, 1}, {32, 1, 1}, row),
                   options) == 32 * (16 + 0.25 * 16));
    // All at one place.
    CHECK(bytes_of(stores_at(5, 0, {4, 4, 1}, {32, 1, 1}, row), options) == 32 * (1.5 + 0.25));
    // Without sectors: as many bytes as a full warp stores.
    SimulationOptions plain = options;
    plain.machine.stores = {};
    CHECK(bytes_of(stores_at(5, 0, {4, 4, 1}, {32, 1, 1}, row), plain) == 32 * 16);
}

TEST_CASE("of a group, warps that write nothing count, and lanes outside of the output do not")
{
    const SimulationOptions options = with_sectors();
    const std::array ids = work_item_variables({1, 1, 1}, {32, 1, 4});
    const IndexExpr lane(ids[0]);
    const IndexExpr part(ids[2]);
    const Image row{.name = "out", .extent = {24, 1}, .bytes_per_texel = Bytes{16}, .buffer = true};
    Launch launch = stores_at(lane, 0, {1, 1, 1}, {32, 1, 4}, row);
    // 24 of 32 lanes, in each of four warps.
    CHECK(bytes_of(launch, options) == 32 * (12 + 0.25 * 3));
    // One of four warps writes.
    std::get<Work>(launch.body.front()).store->guards.push_back({part, 1});
    CHECK(bytes_of(launch, options) == 32 * (12 + 0.25 * 3) / 4);
    // And of that 8 lanes.
    launch.guards.push_back({lane, 8});
    CHECK(bytes_of(launch, options) == 32 * (4 + 0.25 * 1) / 4);
}

TEST_CASE("a launch that only stores takes as long as the port of the stores")
{
    SimulationOptions options = with_sectors();
    options.mode.timed = true;
    options.machine.stores.bytes_per_cycle = 4;
    options.machine.cores = 2;
    const std::array ids = work_item_variables({16, 1, 1}, {32, 1, 1});
    const IndexExpr lane(ids[0]);
    const Image row{
        .name = "out", .extent = {4096, 1}, .bytes_per_texel = Bytes{16}, .buffer = true};
    Launch launch = stores_at(8 * lane, 0, {16, 1, 1}, {32, 1, 1}, row);
    launch.images = {{"one", {1, 1}, Bytes{16}}};
    launch.body.emplace(launch.body.begin(), AccessFunction{0, 0, 0});
    const auto cycles = simulate(*make_trace_source(launch), options).cycles->value;
    const double port = 16 * 32 * (32 * 1.5 + 0.25 * 32) / 4;
    CHECK(static_cast<double>(cycles) >= port);
    CHECK(static_cast<double>(cycles) < port + 400);
}

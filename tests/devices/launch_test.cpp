// What a device makes of a kernel, where the simulated target asks for it; what studies ask is
// tested with them (tests of occupancy, of buffers, of registers).

#include "base/error.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/targets/simulated_target.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace texelscope::devices;

namespace {

/// A work-group of so many work-items that read one texel each and keep so many registers.
double time_of(const DeviceProfile& device, std::int32_t items, int registers)
{
    ReadKernel kernel;
    kernel.launch.kernel = "read";
    kernel.launch.images = {{.name = "data", .extent = {1, 1}, .bytes_per_texel = Bytes{16}}};
    kernel.launch.groups = {1, 1, 1};
    kernel.launch.local = {items, 1, 1};
    kernel.launch.body = {AccessFunction{0, 0, 0}};
    kernel.registers = registers;
    return SimulatedTarget(device, 0, 1).run(kernel, 1)[0];
}

/// Of a read, in cycles, by one work-item that goes through so many bytes again and again.
double chase_cycles(const DeviceProfile& device, MemorySpace memory, std::int64_t bytes)
{
    Chase chase;
    chase.memory = memory;
    chase.extent = {static_cast<std::int32_t>(bytes / 16), 1};
    for (std::int32_t texel = 0; texel < chase.extent.width; texel += 8) {
        chase.walk.push_back({texel, 0});
    }
    chase.warm_passes = 2;
    return SimulatedTarget(device, 0, 1).chase(chase, 1)[0] *
           device.simulation.machine.timing.clock_mhz / 1000;
}

double cycles_of(const CacheLevel& level)
{
    return static_cast<double>(level.latency.value);
}

} // namespace

TEST_CASE("What a work-item can have limits a kernel's registers, but not those of a probe")
{
    const DeviceProfile device = find_profile("adreno-640");
    REQUIRE(device.limits.registers_per_item == 192);
    // 384 work-items with 192 registers each fill the core; with more they come one group of warps
    // after the other.
    CHECK(time_of(device, 384, 250) > 1.3 * time_of(device, 384, 192));
    const KernelDemand demand = with_registers({}, device, 250, 384);
    CHECK(demand.registers_per_item == 192);
    CHECK(demand.spilled_registers == 250 - 192);
}

TEST_CASE("Where work-groups are resident as a whole, registers of all work-items fit the core")
{
    const DeviceProfile device = find_profile("nvidia-h100"); // 65536 registers, in steps of 8
    const KernelDemand demand = with_registers({}, device, 200, 1024);
    CHECK(demand.registers_per_item == 64);
    CHECK(demand.spilled_registers == 136);
    CHECK(with_registers({}, device, 200, 256).spilled_registers == 0);
}

TEST_CASE("A chase through a buffer takes the way that the profile gives buffers")
{
    const DeviceProfile adreno = find_profile("adreno-640"); // buffers go past the L1
    const Machine& machine = adreno.simulation.machine;
    CHECK(buffer_path(adreno).kind == BufferPath::Kind::l2);
    CHECK(chase_cycles(adreno, MemorySpace::buffer, 1024) == Approx(cycles_of(machine.l2())));
    CHECK(chase_cycles(adreno, MemorySpace::buffer, 4 * machine.l2().geometry.capacity.value) ==
          Approx(static_cast<double>(machine.timing.memory_latency.value)));

    // a cache beside that of the images, half as large
    DeviceProfile mali = find_profile("mali-g76");
    CHECK(buffer_path(mali).kind == BufferPath::Kind::own_l1);
    const std::int64_t fits = mali.limits.buffer_l1->value / 2;
    CHECK(chase_cycles(mali, MemorySpace::buffer, fits) ==
          Approx(cycles_of(mali.simulation.machine.l1())));
    CHECK(chase_cycles(mali, MemorySpace::buffer, 4 * fits) ==
          Approx(cycles_of(mali.simulation.machine.l2())));

    // one cache for both, whatever limits.buffer_l1 says
    DeviceProfile h100 = find_profile("nvidia-h100");
    h100.limits.buffer_l1 = Bytes{1024};
    CHECK(chase_cycles(h100, MemorySpace::buffer, 8192) ==
          Approx(*h100.simulation.machine.timing.buffers.latency));

    DeviceProfile none = adreno;
    none.simulation.machine.l2().geometry.capacity = Bytes{0};
    CHECK_THROWS_AS(buffer_path(none), Error);
}

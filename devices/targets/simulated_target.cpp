#include "devices/targets/simulated_target.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/targets/store_kernel.hpp"
#include "model/walks/simulated_walks.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/simulate.hpp"
#include "traces/launch_source.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr Bytes full_texel{16}; // RGBA float32

/// Notes the work-items in the order of their accesses.
class Arrivals : public SimulationObserver {
public:
    explicit Arrivals(int warp_size) : warp_size_(warp_size) {}

    void on_access(int, std::int64_t, std::int32_t warp, std::uint32_t, std::int64_t,
                   std::span<const LaneRead> lanes) override
    {
        for (const LaneRead& lane : lanes) {
            items_.push_back(warp * warp_size_ + lane.lane);
        }
    }
    [[nodiscard]] const std::vector<std::int32_t>& items() const { return items_; }

private:
    int warp_size_;
    std::vector<std::int32_t> items_;
};

/// A launch in which every work-item reads the texel (0, 0) once.
Launch one_read(const Dim3& groups, const Dim3& local)
{
    Launch launch;
    launch.kernel = "one_read";
    launch.images = {{.name = "data", .extent = {1, 1}, .bytes_per_texel = full_texel}};
    launch.groups = groups;
    launch.local = local;
    launch.body = {AccessFunction{0, 0, 0}};
    return launch;
}

/// The same addresses of a linear row as an image of many rows, whose tables are shorter.
void fold(Extent2D& extent, std::vector<Texel>& walk)
{
    constexpr std::int32_t width = 1024;
    for (Texel& texel : walk) {
        texel = {texel.x % width, texel.x / width};
    }
    extent = {width, (extent.width + width - 1) / width};
}

} // namespace

SimulatedTarget::SimulatedTarget(const DeviceProfile& profile, double noise, std::uint64_t seed,
                                 StopToken stop)
    : device_(profile), options_(one_read_at_a_time(profile.simulation)), noise_(noise),
      random_(seed), stop_(std::move(stop))
{
    validate(options_);
    if (!(noise >= 0 && noise < 1)) {
        throw bad_input(fmt::format("a noise of {}", noise), profile.name,
                        "give a share from 0 to below 1");
    }
    options_.mode.timed = true;
    info_.name = "simulated " + profile.name;
    info_.driver = "simulator";
    info_.simulated = true;
    info_.compute_units = options_.machine.cores;
    info_.max_work_group = profile.limits.work_group_size;
    info_.largest_image = {profile.limits.image_width, profile.limits.image_height};
    info_.largest_allocation = std::int64_t{8} << 30; // its texels are counted, not held
    info_.clock_mhz = options_.machine.timing.clock_mhz;
}

double SimulatedTarget::time(const TraceSource& source, const SimulationOptions& options) const
{
    return simulate(source, options, {}, stop_).time(options.machine).value().value;
}

/// The value times exp(noise z), z standard normal.
std::vector<double> SimulatedTarget::with_noise(double value, int samples)
{
    std::vector<double> noisy;
    for (int i = 0; i < samples; ++i) {
        noisy.push_back(value * std::exp(noise_ * standard_normal(random_)));
    }
    return noisy;
}

std::vector<double> SimulatedTarget::chase(const Chase& chase, int samples)
{
    if (chase.memory != MemorySpace::image && chase.memory != MemorySpace::buffer) {
        throw missing(to_string(chase.memory) + " memory is not simulated", info_.name);
    }
    SimulationOptions options = chase_options(options_);
    Image image{.name = "data", .extent = chase.extent, .bytes_per_texel = full_texel};
    std::vector<Texel> walk = chase.walk;
    if (chase.memory == MemorySpace::buffer) {
        image.buffer = true;
        options.kernel.buffers = buffer_path(device_);
        fold(image.extent, walk);
    }
    const auto passes = [&](int count) {
        return count > 0 ? time(*chase_source(image, walk, count), options) : 0;
    };
    const double warm = passes(chase.warm_passes);
    const double all = passes(chase.warm_passes + chase.passes);
    return with_noise((all - warm) / (static_cast<double>(chase.walk.size()) * chase.passes),
                      samples);
}

std::vector<double> SimulatedTarget::walk(const Walk& walk, int samples)
{
    const Image image{.name = "data", .extent = walk.extent, .bytes_per_texel = full_texel};
    return with_noise(simulated_walk_ns(options_, image, walk.texels, stop_), samples);
}

std::vector<double> SimulatedTarget::run(const ReadKernel& kernel, int samples)
{
    SimulationOptions options = options_;
    if (kernel.registers > 0) {
        // All of them stay in registers, whatever a compiler would keep in memory: the probe asks
        // how many work-items so many leave room for. A simulation takes no time for spilled ones.
        options.kernel.registers_per_item = kernel.registers;
    }
    if (has_double_warps(options, kernel.launch.group_size())) {
        options.machine = with_double_warps(options.machine);
    }
    options.kernel.alu_cycles_per_step = issue_cycles(options.machine, kernel.multiply_adds);
    return with_noise(time(*make_trace_source(kernel.launch), options), samples);
}

std::vector<double> SimulatedTarget::run(const Arithmetic& kernel, int samples)
{
    if (!options_.machine.timing.alu_lanes) {
        throw missing(
            "the profile does not say how many multiply-adds a core does in a cycle (alu.lanes)",
            info_.name);
    }
    if (kernel.storage != Storage::fp32) {
        throw missing("fp16 arithmetic is not simulated", info_.name);
    }
    // A warp takes as long as it has lanes, whether or not all of them take part.
    SimulationOptions options = options_;
    options.kernel.alu_cycles_per_step = issue_cycles(
        options.machine, static_cast<double>(kernel.turns) * kernel.chains * kernel.width);
    return with_noise(time(*make_trace_source(one_read(kernel.groups, kernel.local)), options),
                      samples);
}

std::vector<double> SimulatedTarget::run(const Stream& stream, int)
{
    throw missing(stream.memory == MemorySpace::image
                      ? "the simulator serves lines, and knows no rate of texels by their format"
                      : "a profile gives the rates of the texture unit, and none of other reads",
                  info_.name);
}

std::vector<double> SimulatedTarget::run(const StorePattern& pattern, int samples)
{
    return with_noise(time(*make_trace_source(store_launch(pattern)), options_), samples);
}

std::vector<std::int32_t> SimulatedTarget::arrival_order(const Dim3& local)
{
    Arrivals arrivals(options_.machine.warp_size);
    const std::array<SimulationObserver*, 1> observers{&arrivals};
    (void)simulate(*make_trace_source(one_read({1, 1, 1}, local)), options_, observers, stop_);
    std::vector<std::int32_t> order(arrivals.items().size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[static_cast<std::size_t>(arrivals.items()[i])] = static_cast<std::int32_t>(i);
    }
    return order;
}

std::vector<double> SimulatedTarget::copy(const Transfer&, int)
{
    throw missing("copies between host and device are not simulated", info_.name);
}

std::vector<double> SimulatedTarget::launch_overhead(int)
{
    throw missing("launch overhead is not simulated", info_.name);
}

Conditions SimulatedTarget::conditions()
{
    throw missing("a simulated device keeps the clock of its profile, and does not get warm",
                  info_.name);
}

} // namespace texelscope::devices

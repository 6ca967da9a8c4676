#include "workbench/study/memory_need.hpp"

#include "base/error.hpp"
#include "sim/result/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace texelscope::workbench::study {
namespace {

std::string size_text(Bytes bytes)
{
    constexpr double gib = 1024.0 * 1024 * 1024;
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes.value) / gib);
}

/// "MemAvailable:    123 kB" among the lines of /proc/meminfo.
std::optional<Bytes> machine_memory()
{
    std::ifstream in("/proc/meminfo");
    std::string key;
    std::int64_t value = 0;
    std::string unit;
    while (in >> key >> value && std::getline(in, unit)) {
        if (key == "MemAvailable:") {
            return Bytes{value * 1024};
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> number_in(const char* path)
{
    std::ifstream in(path);
    std::int64_t value = 0;
    return in >> value ? std::optional(value) : std::nullopt; // "max" is no number
}

std::optional<Bytes> group_memory()
{
    const auto most = number_in("/sys/fs/cgroup/memory.max");
    std::ifstream in("/sys/fs/cgroup/memory.stat");
    std::string key;
    std::int64_t used = 0; // anonymous memory alone: cached files give way
    if (!most || !(in >> key >> used) || key != "anon") {
        return std::nullopt;
    }
    return Bytes{std::max<std::int64_t>(0, *most - used)};
}

} // namespace

Bytes launch_memory(std::span<const Image> images, const SimulationOptions& options)
{
    // A line's number, in tables of an L1 of each core, of what is behind, and of coalescing.
    constexpr double table_entry = 4;
    const int tables = options.machine.cores + 2;
    // In floating point: the areas of several images of 2^31 x 2^31 texels do not fit 64 bits.
    double bytes = 0;
    for (const Image& image : images) {
        const auto texels = static_cast<double>(image.extent.width) * image.extent.height;
        const double lines = texels * static_cast<double>(image.bytes_per_texel.value) /
                             static_cast<double>(std::max<std::int64_t>(
                                 1, options.machine.l1().geometry.line.value));
        bytes += texels * 2 * sizeof(std::int64_t) * all_heat_quantities.size();
        bytes += lines * table_entry * tables;
    }
    constexpr double most = 9.0e18;
    return Bytes{static_cast<std::int64_t>(std::min(bytes, most))};
}

std::optional<Bytes> available_memory()
{
    const auto machine = machine_memory();
    const auto group = group_memory();
    if (machine && group) {
        return Bytes{std::min(machine->value, group->value)};
    }
    return machine ? machine : group;
}

void check_memory(Bytes needed, std::optional<Bytes> available, const std::string& where)
{
    if (available && needed.value > available->value) {
        throw bad_input(
            fmt::format("the heat maps of its images need about {} of memory, and {} are free",
                        size_text(needed), size_text(*available)),
            where, "give a smaller shape");
    }
}

} // namespace texelscope::workbench::study

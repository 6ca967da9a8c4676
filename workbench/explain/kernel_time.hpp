#pragma once

#include "base/stop.hpp"
#include "devices/compilers/compiled_kernel.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/native/trace_record.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace texelscope::workbench::explain {

/// What a recorded launch does beside its reads, and what a core needs for it.
struct KernelWork {
    std::optional<ExecutedOperations> executed; ///< nullopt: not counted, arithmetic takes no time
    std::optional<CompiledKernel> compiled;     ///< nullopt: registers are not known
    std::int64_t items = 1;                     ///< work-items that ran
    std::int64_t reads = 0;                     ///< of images and buffers, in all
    std::int64_t items_of_group = 1;
    std::int64_t local_bytes = 0; ///< local memory of a work-group
};

/// The same of a part of the work-items.
[[nodiscard]] KernelWork part_of(KernelWork work, double share);

/// The time of a launch on a simulated device: the timed simulation of its reads, with its
/// arithmetic spread evenly between them, and the bytes of spilled registers behind it.
struct KernelTime {
    SimulationOptions options;
    /// Of the reads; nullopt where there are none.
    std::optional<SimulationResult> simulation;
    double reading_ns = 0; ///< reads and arithmetic
    double spills_ns = 0;  ///< bytes of spilled registers

    [[nodiscard]] double ns() const { return reading_ns + spills_ns; }
};

/// Whether an image of the source is a buffer.
[[nodiscard]] bool has_buffers(const TraceSource& source);

/// What the kernel asks of the device, and how it is simulated. Throws as buffer_path() does.
[[nodiscard]] SimulationOptions options_of(const TraceSource& source, const KernelWork& work,
                                           const DeviceProfile& device, int more_warps);

/// Throws as simulate() and buffer_path() do. `more_warps`: as many more fit on a core as the
/// kernel's registers leave room for.
[[nodiscard]] KernelTime kernel_time(const TraceSource& source, const KernelWork& work,
                                     const DeviceProfile& device, int more_warps = 0,
                                     std::span<SimulationObserver* const> observers = {},
                                     const StopToken& stop = {});

/// Instructions that the kernel's work-items execute in all for arithmetic, in units of a
/// multiply-add on this device. Those that calculate addresses of reads belong to the reads
/// (Instructions::read), and are not among them; those of spilled registers are.
[[nodiscard]] double arithmetic_instructions(const KernelWork& work,
                                             const SimulationOptions& options);

/// What limits a launch.
struct KernelBound {
    std::string name;  ///< of JSON: "texture-unit", "memory-bandwidth" ...
    std::string words; ///< "the bandwidth of memory, 83 % of which is taken"
};
[[nodiscard]] KernelBound bound_of(const KernelTime& time);

} // namespace texelscope::workbench::explain

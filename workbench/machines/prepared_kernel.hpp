#pragma once

#include "base/stop.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/registers/register_estimate.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "traces/launch.hpp"
#include "workbench/machines/code_totals.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/machines/machine_point.hpp"
#include "workbench/machines/measured_kernel.hpp"
#include "workbench/study/nest_read_stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::machines {

/// One kernel, to be priced by the bottleneck model on many machines: the time is that of
/// bottleneck_kernel() and predict() up to rounding, but what machines have in common is worked out
/// once: what a level of cache makes of the reads, and what a compiler makes of the kernel.
/// Machines that read alike (PricedMachine::reads) should follow each other. An object serves one
/// thread at a time.
class PreparedKernel {
public:
    /// Keeps what so many levels of cache make of its reads. Throws bad_input for an illegal
    /// schedule, or one that breaks a limit of the device.
    PreparedKernel(Operator op, const Schedule& schedule, const DeviceProfile& device,
                   std::size_t kept_levels = 64, const ImageCopies& copies = {});

    /// With the copies before it. Nothing where the machine cannot run the kernel. `clock`: see
    /// MeasuredKernel.
    [[nodiscard]] std::optional<double> ns(const PricedMachine& machine, double clock = 1);

private:
    [[nodiscard]] ReadStream& stream_on(const PricedMachine& machine, const BufferPath& buffers);
    [[nodiscard]] int registers_on(const PricedMachine& machine);
    /// Whether the device computes the kernel in half precision.
    [[nodiscard]] bool half_on(const DeviceProfile& device) const;
    /// Registers alone.
    [[nodiscard]] KernelDemand demand_on(const PricedMachine& machine, const BufferPath& buffers);
    /// With the warps that the kernel runs in, and what its local memory leaves room for.
    [[nodiscard]] SimulationOptions options_on(const PricedMachine& machine,
                                               const BufferPath& buffers);

    Operator op_;
    Schedule schedule_;
    Launch launch_; ///< of a single work-item, its buffers as rows
    study::ReadStreams streams_;
    RegisterEstimator registers_;
    ImageCopies copies_;
    std::map<std::string, ReadStream> stream_of_; ///< of some machines, by PricedMachine::reads
    WorkGrid grid_;
    bool reads_buffers_ = false;
    CodeTotals code_;
    bool half_ = false;
    bool written_out_ = false;
    std::int64_t items_ = 1; ///< of a work-group
    /// Bytes of local memory of a work-group, by whether the device computes in half precision.
    std::array<std::int64_t, 2> local_bytes_{};
};

/// Kernels, prepared; and their times on several machines.
class KernelPrices {
public:
    /// Uses all processors. Throws as PreparedKernel does, and Interrupted.
    KernelPrices(const std::vector<MeasuredKernel>& kernels, const DeviceProfile& device,
                 int threads, const StopToken& stop = {});

    /// [machine][kernel]: with copies where these are to be foretold; NaN where a machine cannot
    /// run a kernel. Kernels are shared out among the threads, on which the times do not depend.
    [[nodiscard]] std::vector<std::vector<double>> ns(const std::vector<PricedMachine>& machines,
                                                      const StopToken& stop = {});
    [[nodiscard]] std::size_t size() const { return kernels_.size(); }

private:
    std::vector<std::optional<PreparedKernel>> kernels_;
    std::vector<double> clocks_;
    int threads_;
};

} // namespace texelscope::workbench::machines

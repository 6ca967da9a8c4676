#pragma once

#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "traces/launch.hpp"
#include "workbench/machines/code_totals.hpp"
#include "workbench/machines/machine_point.hpp"
#include "workbench/machines/measured_kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::machines {

/// One kernel, to be priced by the bottleneck model on many machines: the time is that of
/// bottleneck_kernel() and predict() up to rounding, but what machines have in common is worked out
/// once. Reads are kept for the machines that read alike (PricedMachine::reads), registers for
/// those whose compilers do alike. An object serves one thread at a time.
class PreparedKernel {
public:
    /// Throws bad_input for an illegal schedule, or one that breaks a limit of the device.
    PreparedKernel(Operator op, const Schedule& schedule, const DeviceProfile& device);

    /// Nothing where the machine cannot run the kernel. `clock`: see MeasuredKernel.
    [[nodiscard]] std::optional<double> ns(const PricedMachine& machine, double clock = 1);

    /// To be called before machines of these kinds (PricedMachine::reads) are asked for, again and
    /// again: where there is no room for the reads of all, those of other kinds are forgotten.
    void make_room(const std::set<std::string>& kinds);
    /// The reads of so many kinds are kept (each takes some 50 KB); of further ones, the last that
    /// was asked for.
    void keep(std::size_t kinds) { kept_ = kinds; }

private:
    struct Reads {
        ReadStream stream;
        WorkGrid grid;
        BufferPath buffers;
    };
    Reads& reads_on(const PricedMachine& machine);
    [[nodiscard]] int registers_on(const PricedMachine& machine);
    /// Registers alone.
    [[nodiscard]] KernelDemand demand_on(const PricedMachine& machine, const BufferPath& buffers);
    /// With the warps that the kernel runs in, and what its local memory leaves room for.
    [[nodiscard]] SimulationOptions options_on(const PricedMachine& machine,
                                               const BufferPath& buffers);

    Operator op_;
    Schedule schedule_;
    Launch launch_; ///< of a single work-item, its buffers as rows
    CodeTotals code_;
    bool half_ = false;
    std::int64_t items_ = 1; ///< of a work-group
    /// Bytes of local memory of a work-group, by whether the device computes in half precision.
    std::array<std::int64_t, 2> local_bytes_{};
    std::map<std::string, Reads> reads_; ///< by the kind of machine
    std::size_t kept_ = 16;
    std::optional<std::pair<std::string, Reads>> last_;
    /// By what registers depend on: reads under way, and whether there is half precision.
    std::map<std::pair<int, bool>, int> registers_;
};

/// Kernels, prepared; and their times on several machines.
class KernelPrices {
public:
    /// Uses all processors. Throws as PreparedKernel does, and Interrupted.
    KernelPrices(const std::vector<MeasuredKernel>& kernels, const DeviceProfile& device,
                 int threads, const StopToken& stop = {});

    /// [machine][kernel]; NaN where a machine cannot run a kernel. Kernels are shared out among the
    /// threads, on which the times do not depend.
    [[nodiscard]] std::vector<std::vector<double>> ns(const std::vector<PricedMachine>& machines,
                                                      const StopToken& stop = {});
    [[nodiscard]] std::size_t size() const { return kernels_.size(); }

private:
    std::vector<std::optional<PreparedKernel>> kernels_;
    std::vector<double> clocks_;
    int threads_;
};

} // namespace texelscope::workbench::machines

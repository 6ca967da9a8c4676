#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/target.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <random>

namespace texelscope::devices {

/// The simulator as a device. What a probe finds on it can be compared with the profile that it was
/// made from. Times are those of the timed mode, starting from empty caches. It cannot measure
/// bandwidths of buffers, local memory or copies from a host, and throws missing() for these.
///
/// Kernels are treated as devices/launch/ does it: buffers are read the way that buffer_path()
/// gives, and a kernel keeps as many registers as a work-item can have.
class SimulatedTarget : public Target {
public:
    /// Every sample is multiplied by exp(e), with an independent, normally distributed e whose
    /// standard deviation is `noise`; 0: no noise. Throws bad_input for a profile that does not
    /// validate or a negative noise.
    SimulatedTarget(const DeviceProfile& profile, double noise, std::uint64_t seed,
                    StopToken stop = {});

    [[nodiscard]] const TargetInfo& info() const override { return info_; }
    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override;
    [[nodiscard]] std::vector<double> walk(const Walk& walk, int samples) override;
    [[nodiscard]] std::vector<double> run(const ReadKernel& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Arithmetic& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Stream& stream, int samples) override;
    [[nodiscard]] std::vector<double> run(const StorePattern& pattern, int samples) override;
    [[nodiscard]] std::vector<std::int32_t> arrival_order(const Dim3& local) override;
    [[nodiscard]] std::vector<double> copy(const Transfer& transfer, int samples) override;
    [[nodiscard]] std::vector<double> launch_overhead(int samples) override;
    [[nodiscard]] Conditions conditions() override;

private:
    [[nodiscard]] double time(const TraceSource& source, const SimulationOptions& options) const;
    [[nodiscard]] std::vector<double> with_noise(double value, int samples);

    DeviceProfile device_;
    SimulationOptions options_; ///< those of the device, for chases
    TargetInfo info_;
    double noise_;
    std::mt19937_64 random_;
    StopToken stop_;
};

} // namespace texelscope::devices

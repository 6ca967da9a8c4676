#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/target.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <random>

namespace texelscope::devices {

/// The simulator as a device: what a probe finds on it can be compared with the profile that it was
/// made from. Times are those of the timed mode from empty caches; it has no rates of buffers, no
/// local memory and no host to copy from, and says so.
///
/// What it makes of a kernel is what devices/launch/ says: buffers are read the way that
/// buffer_path() gives, and a kernel keeps as many registers as a work-item can have.
class SimulatedTarget : public Target {
public:
    /// `noise`: standard deviation of the logarithm by which every sample is off, independently; 0:
    /// none. Throws bad_input for a profile that does not validate or a negative noise.
    SimulatedTarget(const DeviceProfile& profile, double noise, std::uint64_t seed,
                    StopToken stop = {});

    [[nodiscard]] const TargetInfo& info() const override { return info_; }
    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override;
    [[nodiscard]] std::vector<double> walk(const Walk& walk, int samples) override;
    [[nodiscard]] std::vector<double> run(const ReadKernel& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Arithmetic& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Stream& stream, int samples) override;
    [[nodiscard]] std::vector<std::int32_t> arrival_order(const Dim3& local) override;
    [[nodiscard]] std::vector<double> copy(const Transfer& transfer, int samples) override;
    [[nodiscard]] std::vector<double> launch_overhead(int samples) override;
    [[nodiscard]] Conditions conditions() override;

private:
    [[nodiscard]] double time(const TraceSource& source, const SimulationOptions& options) const;
    [[nodiscard]] std::vector<double> with_noise(double value, int samples);

    DeviceProfile device_;
    SimulationOptions options_; ///< the device's, as chases meet it
    TargetInfo info_;
    double noise_;
    std::mt19937_64 random_;
    StopToken stop_;
};

} // namespace texelscope::devices

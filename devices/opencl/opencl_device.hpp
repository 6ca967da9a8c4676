#pragma once

#include "base/stop.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::devices {

/// What became of a run: a value, not an exception.
struct Measurement {
    enum class Status {
        ok,
        unsupported, ///< the device's limits do not allow the launch
        failed,      ///< the kernel did not build, or the launch ended in an error
        timed_out,   ///< one launch took longer than RunOptions::timeout_seconds
    };
    Status status = Status::ok;
    std::string reason;             ///< one line; empty where ok
    std::vector<double> samples_ns; ///< kernel execution time by event profiling, after warm-up, in order
    std::vector<float> output;      ///< texels of the output image, 4 floats each; NaN where the kernel wrote nothing
    std::string build_log;
    DriverFootprint footprint; ///< what the driver tells of the kernel
    TexelBackend backend = TexelBackend::native;

    [[nodiscard]] double median_ns() const; ///< 0 where there is no sample
    [[nodiscard]] double min_ns() const;    ///< 0 where there is no sample
};
[[nodiscard]] std::string to_string(Measurement::Status status);

struct RunOptions {
    int warm_up = 2;
    int samples = 7;
    /// Stop taking samples when this much wall time has gone into the launches (at least one sample is taken).
    double budget_seconds = 10;
    /// Give up waiting for one launch after this long. OpenCL cannot recall it: further runs on the device fail until it
    /// has ended, and closing the device waits for it.
    double timeout_seconds = 60;
    bool optimise = true; ///< false: the compiler leaves the text as it is, which is quick to build and slow to run
    bool native_reads = false; ///< do not use the descriptor read even where it works
    StopToken stop = {};       ///< asked before every launch; where it answers true, the run throws Interrupted
};

/// A device that is open: context and queue with profiling.
class OpenClDevice {
public:
    /// Opens choose_device(opencl_devices(), selector). Throws missing where nothing fits or it cannot be opened.
    explicit OpenClDevice(const std::string& selector);
    ~OpenClDevice();
    OpenClDevice(OpenClDevice&&) noexcept;
    OpenClDevice& operator=(OpenClDevice&&) noexcept;

    [[nodiscard]] const OpenClDeviceInfo& info() const;
    /// The fastest read that passed its self-test on this device when it was opened.
    [[nodiscard]] TexelBackend best_backend() const;

    /// Builds and runs a nest on packed inputs (4 floats a texel, in the order of nest.inputs). Throws bad_input where
    /// the inputs are not those of the nest; whatever the device makes of it is the result's status.
    [[nodiscard]] Measurement run(const LoopNest& nest, const std::vector<std::vector<float>>& packed_inputs,
                                  const RunOptions& options = {}) const;

    /// Runs the nest once with TexelBackend::record and returns the reads of every work-item:
    /// [group number * group size + linear local id], in program order. Throws Error where the run fails.
    [[nodiscard]] std::vector<std::vector<ItemRead>> record(const LoopNest& nest,
                                                            const std::vector<std::vector<float>>& packed_inputs) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace texelscope::devices

#pragma once

#include "codegen/kernel_source.hpp"
#include "codegen/loop_nest.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope {

/// An OpenCL device of this machine.
struct OpenClDeviceInfo {
    int index = 0; ///< as `--on INDEX` takes it
    std::string platform;
    std::string name;
    std::string vendor;
    std::string driver;
    std::string version;
    bool cpu = false;
    int compute_units = 0;
    std::int64_t max_work_group = 0;
    std::vector<std::int64_t> max_work_item_sizes;
    bool images = false;
    std::int64_t image_width = 0;
    std::int64_t image_height = 0;
};

/// All devices of all platforms, in the loader's order; empty where there is no loader or no platform.
[[nodiscard]] std::vector<OpenClDeviceInfo> opencl_devices();

/// What became of a run: a value, not an exception.
struct Measurement {
    enum class Status { ok, unsupported, failed, timed_out };
    Status status = Status::ok;
    std::string reason;              ///< empty where ok
    std::vector<double> samples_ns;  ///< kernel execution time by event profiling, after warm-up, in order
    std::vector<float> output;       ///< texels of the output image
    std::string build_log;
    TexelBackend backend = TexelBackend::native;

    [[nodiscard]] double median_ns() const; ///< 0 where there is no sample
    [[nodiscard]] double min_ns() const;
};
[[nodiscard]] std::string to_string(Measurement::Status status);

struct RunOptions {
    int warm_up = 2;
    int samples = 7;
    /// Stop taking samples when this much wall time has gone into them (at least one is taken).
    double budget_seconds = 10;
    bool native_reads = false; ///< do not use the descriptor read even where it works
};

/// A device that is open: context and queue with profiling.
class OpenClDevice {
public:
    /// `selector`: an index, or part of a platform or device name in any case ("pocl" names the Portable Computing
    /// Language). Throws missing where nothing fits, listing what there is.
    explicit OpenClDevice(const std::string& selector);
    ~OpenClDevice();
    OpenClDevice(OpenClDevice&&) noexcept;
    OpenClDevice& operator=(OpenClDevice&&) noexcept;

    [[nodiscard]] const OpenClDeviceInfo& info() const;
    /// The fastest read that passed its self-test on this device when it was opened.
    [[nodiscard]] TexelBackend best_backend() const;

    /// Builds and runs a nest on packed inputs (4 floats a texel, in the order of nest.inputs).
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

} // namespace texelscope

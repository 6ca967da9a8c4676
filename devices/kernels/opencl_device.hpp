#pragma once

#include "base/stop.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/reference_times.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/runners/job_runner.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

/// What became of a run: a value, not an exception.
struct Measurement {
    RunStatus status = RunStatus::ok; ///< never wrong_output: nobody has compared it yet
    std::string reason;               ///< one line; empty where ok
    /// Kernel execution time by event profiling, after warm-up, in order.
    std::vector<double> samples_ns;
    /// The host's clock instead, from launch to end: the events' times cannot be.
    bool wall_clock = false;
    ReferenceTimes reference; ///< what tells the device's clock around the samples
    /// Texels of the output image, 4 floats each; NaN where the kernel wrote nothing.
    std::vector<float> output;
    std::string build_log;
    DriverFootprint footprint; ///< what the driver tells of the kernel
    TexelBackend backend = TexelBackend::native;
    Precision arithmetic = Precision::fp32; ///< of products and sums

    [[nodiscard]] double median_ns() const; ///< 0 where there is no sample
    [[nodiscard]] double min_ns() const;    ///< 0 where there is no sample
};

/// An OpenCL device that runs loop nests as jobs: of this machine, or one that texelscope-agent
/// opens here or elsewhere.
class OpenClDevice {
public:
    /// `on`: what parse_job_place() takes. Throws missing where nothing fits or it cannot be
    /// opened.
    explicit OpenClDevice(const std::string& on, const JobRunnerOptions& options = {});
    ~OpenClDevice();
    OpenClDevice(OpenClDevice&&) noexcept;
    OpenClDevice& operator=(OpenClDevice&&) noexcept;

    [[nodiscard]] const OpenClDeviceInfo& info() const { return info_; }
    /// The fastest read that passed its self-test on this device when it was opened.
    [[nodiscard]] TexelBackend best_backend() const { return best_; }

    /// Builds and runs a nest on packed inputs (4 floats a texel, in the order of nest.inputs).
    /// Throws bad_input where the inputs are not those of the nest; whatever the device makes of it
    /// is the result's status.
    [[nodiscard]] Measurement run(const LoopNest& nest,
                                  const std::vector<std::vector<float>>& packed_inputs,
                                  const RunOptions& options = {}) const;

    /// The same for several nests, one right after the other; a result for each, in order.
    [[nodiscard]] std::vector<Measurement>
    run_all(const std::vector<LoopNest>& nests,
            const std::vector<std::vector<std::vector<float>>>& packed_inputs,
            const RunOptions& options = {}) const;
    /// Whether several at once take little more time than one: behind a connection.
    [[nodiscard]] bool prefers_batches() const { return batches_; }
    /// Whether build_ahead() does anything.
    [[nodiscard]] bool builds_ahead() const { return runner_->builds_ahead(); }
    /// Told which nests probably run next, in that order, before others that it was told, so that
    /// their kernels can be built meanwhile.
    void build_ahead(const std::vector<LoopNest>& nests, const RunOptions& options = {}) const;
    /// Told that build_ahead() will be called.
    void expect_kernels() const { runner_->build_ahead({}); }

    /// Runs a job of any kind. Throws as JobRunner::run() does.
    [[nodiscard]] JobResult run(const Job& job, const StopToken& stop = {}) const;
    /// Runs jobs one right after the other, so that their times can be compared. One result for
    /// each, in order; throws as JobRunner::run() does.
    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs,
                                             const StopToken& stop = {}) const;

    /// Runs the nest once with TexelBackend::record and returns the reads of every work-item:
    /// [group number * group size + linear local id], in program order. Throws Error where the run
    /// fails.
    [[nodiscard]] std::vector<std::vector<ItemRead>>
    record(const LoopNest& nest, const std::vector<std::vector<float>>& packed_inputs) const;

private:
    struct Execution;
    /// `record_ints`: size of the record that the kernel of TexelBackend::record fills.
    [[nodiscard]] std::vector<Execution>
    execute(const std::vector<LoopNest>& nests,
            const std::vector<std::vector<std::vector<float>>>& inputs, TexelBackend backend,
            const RunOptions& options, std::size_t record_ints = 0) const;
    /// How reads are to be done.
    [[nodiscard]] TexelBackend backend_of(const RunOptions& options) const
    {
        return options.native_reads ? TexelBackend::native : best_;
    }

    bool batches_;
    std::unique_ptr<JobRunner> runner_;
    OpenClDeviceInfo info_;
    TexelBackend best_ = TexelBackend::native;
};

} // namespace texelscope::devices

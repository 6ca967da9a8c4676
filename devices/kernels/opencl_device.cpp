#include "devices/kernels/opencl_device.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/kernels/texel_self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace texelscope::devices {
namespace {

std::size_t items_of(const LoopNest& nest)
{
    std::size_t items = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        items *= static_cast<std::size_t>(nest.local[i]) * static_cast<std::size_t>(nest.groups[i]);
    }
    return items;
}

/// Takes over what became of a nest's job.
void take(Measurement& result, JobResult& done, const LoopNest& nest)
{
    result.status = done.status;
    result.reason = std::move(done.reason);
    result.wall_clock = done.wall_clock;
    result.reference = reference_times(done.reference_ns);
    result.footprint = done.footprint;
    // What the compiler's log tells of registers and spills is more than the driver's queries know.
    const DriverFootprint told = footprint_from_log(done.build_log);
    result.footprint.registers = told.registers;
    result.footprint.spilled_bytes = told.spilled_bytes;
    result.build_log = std::move(done.build_log);
    if (result.status == RunStatus::ok) {
        result.samples_ns = std::move(done.kernel_ns);
        result.output = stored_texels(nest.output.storage, done.outputs.front());
    }
}

} // namespace

/// A run, and what TexelBackend::record wrote: 4 ints for each read.
struct OpenClDevice::Execution {
    Measurement measurement;
    std::vector<std::int32_t> reads;
};

OpenClDevice::OpenClDevice(const std::string& on, const JobRunnerOptions& options)
    : batches_(parse_job_place(on).kind != JobPlace::Kind::here),
      runner_(make_job_runner(parse_job_place(on), options)), info_(device_of(*runner_))
{
    // The read through PoCL's image descriptor relies on how its CPU devices keep images: only
    // there, and only after it has been seen to work.
    if (info_.is_pocl() && info_.cpu && info_.images) {
        const RunWith run_with = [&](const auto& nest, const auto& inputs, TexelBackend backend) {
            return execute({nest}, {inputs}, backend, {.warm_up = 0, .samples = 1})
                .front()
                .measurement;
        };
        if (reads_agree(run_with, TexelBackend::pocl_descriptor)) {
            best_ = TexelBackend::pocl_descriptor;
        }
    }
}

OpenClDevice::~OpenClDevice() = default;
OpenClDevice::OpenClDevice(OpenClDevice&&) noexcept = default;
OpenClDevice& OpenClDevice::operator=(OpenClDevice&&) noexcept = default;

std::vector<OpenClDevice::Execution> OpenClDevice::execute(
    const std::vector<LoopNest>& nests, const std::vector<std::vector<std::vector<float>>>& inputs,
    TexelBackend backend, const RunOptions& options, std::size_t record_ints) const
{
    std::vector<Execution> executions(nests.size());
    std::vector<Job> jobs;
    std::vector<std::size_t> launched;
    for (std::size_t i = 0; i < nests.size(); ++i) {
        Measurement& result = executions[i].measurement;
        result.backend = backend;
        result.arithmetic = arithmetic_of(nests[i], options, info_);
        if (auto reason = beyond_limits(info_, nests[i])) {
            result.status = RunStatus::unsupported;
            result.reason = std::move(*reason);
            continue;
        }
        jobs.push_back(nest_job(nests[i], inputs[i], backend, options, info_, record_ints));
        launched.push_back(i);
    }
    std::vector<JobResult> done =
        jobs.empty() ? std::vector<JobResult>() : runner_->run(jobs, options.stop);
    for (std::size_t k = 0; k < done.size(); ++k) {
        const LoopNest& nest = nests[launched[k]];
        Execution& execution = executions[launched[k]];
        take(execution.measurement, done[k], nest);
        if (done[k].status == RunStatus::ok && record_ints > 0) {
            execution.reads.resize(record_ints);
            std::memcpy(execution.reads.data(), done[k].outputs.back().data(),
                        record_ints * sizeof(std::int32_t));
        }
    }
    return executions;
}

Measurement OpenClDevice::run(const LoopNest& nest,
                              const std::vector<std::vector<float>>& packed_inputs,
                              const RunOptions& options) const
{
    return std::move(run_all({nest}, {packed_inputs}, options).front());
}

std::vector<Measurement>
OpenClDevice::run_all(const std::vector<LoopNest>& nests,
                      const std::vector<std::vector<std::vector<float>>>& packed_inputs,
                      const RunOptions& options) const
{
    std::vector<Measurement> measurements;
    for (Execution& each : execute(nests, packed_inputs, backend_of(options), options)) {
        measurements.push_back(std::move(each.measurement));
    }
    return measurements;
}

void OpenClDevice::build_ahead(const std::vector<LoopNest>& nests, const RunOptions& options) const
{
    std::vector<Job> jobs;
    for (const LoopNest& nest : nests) {
        jobs.push_back(nest_kernel(nest, backend_of(options), options, info_));
    }
    runner_->build_ahead(jobs);
}

JobResult OpenClDevice::run(const Job& job, const StopToken& stop) const
{
    return std::move(run(std::vector{job}, stop).front());
}

std::vector<JobResult> OpenClDevice::run(const std::vector<Job>& jobs, const StopToken& stop) const
{
    return runner_->run(jobs, stop);
}

std::vector<std::vector<ItemRead>>
OpenClDevice::record(const LoopNest& nest,
                     const std::vector<std::vector<float>>& packed_inputs) const
{
    // An entry that was not written is zero, so its last number tells whether there was a read.
    constexpr std::size_t ints = 4; // image, x, y, 1
    const std::size_t items = items_of(nest);
    const auto per_item = static_cast<std::size_t>(reads_per_item(launch_of(nest).body));
    if (info_.largest_allocation > 0 &&
        items * per_item >
            static_cast<std::size_t>(info_.largest_allocation) / (ints * sizeof(std::int32_t))) {
        throw bad_input(
            fmt::format("{} reads are more than the device can record", items * per_item),
            nest.name, "choose a smaller shape");
    }
    const Execution execution =
        std::move(execute({nest}, {packed_inputs}, TexelBackend::record,
                          {.warm_up = 0, .samples = 1}, items * per_item * ints)
                      .front());
    if (execution.measurement.status != RunStatus::ok) {
        throw bad_input("the reads cannot be recorded: " + execution.measurement.reason, nest.name);
    }
    std::vector<std::vector<ItemRead>> reads(items);
    for (std::size_t item = 0; item < items; ++item) {
        for (std::size_t k = 0; k < per_item; ++k) {
            const std::int32_t* const entry = &execution.reads[(item * per_item + k) * ints];
            if (entry[3] != 0) {
                reads[item].push_back({entry[0], {entry[1], entry[2]}});
            }
        }
    }
    return reads;
}

double Measurement::median_ns() const
{
    return samples_ns.empty() ? 0 : median(samples_ns);
}

double Measurement::min_ns() const
{
    return samples_ns.empty() ? 0 : *std::min_element(samples_ns.begin(), samples_ns.end());
}

} // namespace texelscope::devices

#pragma once

#include "base/stop.hpp"
#include "codegen/nest/half_sums.hpp"
#include "codegen/nest/operand.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

struct RunOptions {
    int warm_up = 2;
    int samples = 7;
    /// Stop taking samples when this much wall time has gone into the launches (at least one sample
    /// is taken).
    double budget_seconds = 10;
    /// Give up waiting for one launch after this long. OpenCL cannot recall it: further runs on the
    /// device fail until it has ended, and closing the device waits for it.
    double timeout_seconds = 60;
    /// False: the compiler leaves the text as it is, which is quick to build and slow to run.
    bool optimise = true;
    bool native_reads = false;     ///< do not use the descriptor read even where it works
    bool float_arithmetic = false; ///< do not compute in half precision even where the device can
    StopToken stop = {};           ///< as JobRunner::run() takes it
};

/// An operand with those texels (4 floats each) as an argument of a job. Rows of what is only read
/// are padded where the backend reads images as the host had them, and rows would share few sets of
/// a CPU's caches.
[[nodiscard]] JobArgument argument_of(const Operand& operand, const std::vector<float>& texels,
                                      bool written, TexelBackend backend);

/// The nest as a job, on packed inputs (4 floats a texel, in the order of nest.inputs), for such a
/// device. Its outputs are the texels of the output image and, for TexelBackend::record, the record
/// of so many ints. Throws bad_input where the inputs are not those of the nest.
[[nodiscard]] Job nest_job(const LoopNest& nest, const std::vector<std::vector<float>>& inputs,
                           TexelBackend backend, const RunOptions& options,
                           const OpenClDeviceInfo& device, std::size_t record_ints = 0);

/// The same without arguments and work-items: what is built.
[[nodiscard]] Job nest_kernel(const LoopNest& nest, TexelBackend backend, const RunOptions& options,
                              const OpenClDeviceInfo& device);

/// The precision in which such a device computes the nest.
[[nodiscard]] Precision arithmetic_of(const LoopNest& nest, const RunOptions& options,
                                      const OpenClDeviceInfo& device);

/// Why the device cannot launch the nest at all, in one line; nothing where its limits allow it. A
/// kernel may have narrower limits of its own, known once it is built.
[[nodiscard]] std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device,
                                                       const LoopNest& nest);

/// Texels (4 floats each) as they are stored on a device, one after the other: float32, or rounded
/// to half precision.
[[nodiscard]] std::vector<std::byte> stored_bytes(Storage storage,
                                                  const std::vector<float>& texels);

/// The inverse: texels as floats from how they are stored.
[[nodiscard]] std::vector<float> stored_texels(Storage storage,
                                               const std::vector<std::byte>& bytes);

} // namespace texelscope::devices

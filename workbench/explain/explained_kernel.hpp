#pragma once

#include "workbench/explain/argument_reads.hpp"
#include "workbench/explain/kernel_arguments.hpp"
#include "workbench/explain/kernel_signature.hpp"
#include "workbench/explain/variants.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::explain {

// Explains a kernel that somebody else wrote. In order:
//
//   parse_signatures(), matched()   what the kernel takes, and what it is given (cli runs the
//                                   program that tells of it under Oclgrind)
//   RecordedKernel                  the launch as it was recorded, and what the compiler says
//   explain_kernel()                on one device: what it reads, what bounds it, what to change
//   explain_json(), explain_page()  the same for programs and people (explained_output.hpp)

/// A kernel on a device.
struct ExplainedKernel {
    std::string device;
    std::optional<CompiledKernel> compiled;
    std::string registers; ///< by which compiler, or why they are not known
    KernelTime time;
    KernelBound bound;
    std::vector<ArgumentReads> reads; ///< by image and buffer that the trace has
    TriedVariants variants;
};

/// Throws as simulate() does, and Interrupted when `stop` answers true.
[[nodiscard]] ExplainedKernel explain_kernel(const RecordedKernel& kernel,
                                             const DeviceProfile& device, std::string registers,
                                             int threads, const Progress& progress = {},
                                             const StopToken& stop = {});

/// The first thing in a program's text for which the size of the work-groups may matter:
/// "get_local_id", "barrier" ... nullopt where there is none. Comments do not count, nor do the
/// program's other kernels than `kernel` (empty: all count); functions that it does not call do.
[[nodiscard]] std::optional<std::string> needs_local_size(std::string_view text,
                                                          std::string_view kernel = {});

/// A local size for a launch without one: of powers of two that divide the global size, at most 64
/// work-items, as square as can be.
[[nodiscard]] std::array<std::int64_t, 3>
default_local_size(const std::array<std::int64_t, 3>& global);

} // namespace texelscope::workbench::explain

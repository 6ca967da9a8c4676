#pragma once

#include "workbench/kernel_logs/logged_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// The clock that a device was at when a kernel was measured.
enum class Clock {
    fast,
    slow,
    unknown, ///< cannot be told
};
[[nodiscard]] std::string to_string(Clock clock);
/// The slow clock over the fast one: the public logs of an Adreno 740 are at 220 and at 680 MHz.
inline constexpr double slow_clock = 220.0 / 680.0;

/// A measured kernel of one device.
struct TimedKernel {
    std::size_t task = 0;      ///< which task it belongs to
    std::string configuration; ///< kernels of a task with the same one are repeats
    double timestamp = 0;      ///< seconds; 0: not known
    double ns = 0;             ///< above 0
    KernelCounts counts;
};

/// Starts of sessions among timestamps in ascending order: places whose timestamp is more than
/// `gap` seconds after the one before; 0 the first.
[[nodiscard]] std::vector<std::size_t> session_starts(std::span<const double> timestamps,
                                                      double gap = 600);

/// The clock of each kernel. Phones were seen to measure at either of two clocks, one some three
/// times as fast, and to change without a trace in the log.
///
/// - Kernels of a task are put in the order of their timestamps and cut into sessions where ten
///   minutes pass (a kernel's own time limit is six).
/// - Of each task with 30 kernels or more, a regression of log time on kernel_features(), in which
///   the clock is a hidden chain (fit_chain()). Of repeats whose times differ by what a clock makes
///   (1.7 to 3.6 times) the longer is taken as slow, the shorter as fast.
/// - Where two clocks explain a task clearly better than one, each kernel is at the clock that it
/// is
///   at with a chance of 95 %, or unknown.
/// - Else the task was at one clock. Which, is told by how far its fastest fifth is from what reads
///   and arithmetic alone would take, against the same of the tasks with two clocks: it is at the
///   clock which is nearer. Where no task has two, it is fast.
/// - Kernels without timestamp, and those of tasks with fewer than 30, are fast.
[[nodiscard]] std::vector<Clock> clocks_of(const std::vector<TimedKernel>& kernels);

} // namespace texelscope::workbench::kernel_logs

#pragma once

#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::store {
struct StoredResult;
} // namespace texelscope::workbench::store

namespace texelscope::workbench::machines {

struct ImageCopies;

/// Copies of the inputs into images, which take the same for all kernels of a task.
enum class CopiesIn {
    nothing,  ///< the time is that of the kernel alone
    constant, ///< the time holds them: a constant of the task that is not known
    foretold, ///< the time holds them, and the machine foretells how long they take (copies_ns())
};

/// A kernel whose time was measured on a device. How its numbers are stored is a part of the
/// schedule.
struct MeasuredKernel {
    Operator op;
    Schedule schedule;
    double ns = 0; ///< greater than 0
    /// Kernels of one task compute the same thing, so that an order of them means something.
    std::string task;
    CopiesIn copies = CopiesIn::nothing;
    /// Core clock at which it ran, over that of the profile. Memory keeps its own pace.
    double clock = 1;
};

/// The copies in the kernel's time that have to be foretold; none where there are no such.
[[nodiscard]] ImageCopies foretold_copies(const MeasuredKernel& kernel);

/// The kernels of stored results that ran on a device with a right output, each operator and shape
/// a task of its own, without copies. The highest clock of the results is taken for the profile's
/// (store::result_clocks()); those during which the clock changed are left out. Of several runs of
/// a kernel the last counts. Throws bad_input, naming `where`, where there is none.
[[nodiscard]] std::vector<MeasuredKernel> measured_kernels(const std::vector<StoredResult>& results,
                                                           const std::string& where);

/// At most `most` kernels of each task (0: all), drawn by the seed, in the order of the list.
[[nodiscard]] std::vector<MeasuredKernel> thinned(std::vector<MeasuredKernel> kernels,
                                                  std::size_t most, std::uint64_t seed);

/// Kernels to identify by, and those that are kept for judging.
struct SplitKernels {
    std::vector<MeasuredKernel> known, held_out;
};
/// Holds the tasks out whose name contains one of the texts.
[[nodiscard]] SplitKernels split(std::vector<MeasuredKernel> kernels,
                                 const std::vector<std::string>& hold_out);

/// Places of the kernels of each task, the tasks by name.
struct Task {
    std::string name;
    std::vector<std::size_t> kernels;
};
[[nodiscard]] std::vector<Task> tasks_of(const std::vector<MeasuredKernel>& kernels);

} // namespace texelscope::workbench::machines

#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "experiments/shared/experiment_device.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Forms of a kernel that are said to make it faster, each against the same kernel without: Romou,
// sections 4.1 (addresses, scalars) and 5.3 (split reductions), and the study of training on
// phones, section III-A (blocks in local memory).

enum class KernelForm {
    addresses, ///< E: common parts of addresses are calculated once
    /// B: a scalar is multiplied with a vector as it is, not written out as a vector first
    /// ("autobroadcast").
    scalars,
    split,  ///< R: work-items share a reduction
    blocks, ///< S: a work-group copies texels to local memory
};
inline constexpr std::array all_kernel_forms{KernelForm::addresses, KernelForm::scalars,
                                             KernelForm::split, KernelForm::blocks};
[[nodiscard]] std::string to_string(KernelForm form);

/// A kernel with a form, and one without.
struct FormPair {
    KernelForm form{};
    Operator op;
    Schedule with;
    Schedule without;
    /// Whether both kernels differ in the form alone; otherwise each is the fastest of its kind
    /// that was found.
    bool same = true;
};

/// Times of a pair by one judge.
struct FormTimes {
    Nanoseconds with{0};
    Nanoseconds without{0};
    [[nodiscard]] double speedup() const { return without / with; }
};

struct JudgedPair {
    FormPair pair;
    FormTimes simulated; ///< instructions as the profile's compiler makes them
    /// Simulated with the instructions as they are written in the text, for forms that are about
    /// these.
    std::optional<FormTimes> as_written;
    std::optional<FormTimes> measured; ///< medians; nothing: not run, or it failed
    std::vector<double> rounds = {};   ///< speed-up of each round of runs
    std::string failure = {};          ///< why nothing was measured where a device was there
};

struct FormOptions {
    /// Romou's convolutions (figure 17) and fully connected operators (section 5.2), the study's
    /// sizes n of n x n.
    std::vector<std::string> convolutions{"1,64,64,512,256,1,1,1", "1,18,18,128,768,1,1,1",
                                          "1,56,56,128,128,1,1,1", "1,28,28,256,256,1,1,1"};
    std::vector<std::string> fully_connected{"1,3072,768", "1,768,3072"};
    std::vector<std::int64_t> sizes{256, 512};
    std::int64_t runs = 64;              ///< of a learned search over patterns, tile and work-group
    std::int64_t sample = 30'000;        ///< warp accesses of each run of a search (sampled_time())
    std::int64_t close_sample = 100'000; ///< of each kernel of a pair
    std::uint64_t seed = 1;              ///< of the search, and of the inputs
    RunOptions run = {.samples = 3};     ///< on the device
    int rounds = 5;                      ///< of runs of one kernel of a pair, then of the other
};

/// The pairs of kernels to compare. For addresses and scalars: the fastest kernel of each
/// convolution that the search finds, with and without the form. For a split reduction: the fastest
/// split kernel with and without its split, and that kernel against the fastest without a split.
/// For blocks: the study's kernels.
[[nodiscard]] std::vector<FormPair>
form_pairs(const DeviceProfile& device, const FormOptions& options, const StopToken& stop = {});

/// Time of a kernel of multiply-adds on the simulated device, if its compiler issues what the text
/// says: every operation on addresses, spread over the multiply-adds, and every move of a scalar
/// that is written out, which needs registers for one vector more. At most that many warp accesses.
[[nodiscard]] Nanoseconds simulated_as_written(const LoopNest& nest, const DeviceProfile& device,
                                               std::int64_t most_accesses,
                                               const StopToken& stop = {});

/// Simulated; on a real device the kernels run as well, with outputs checked.
[[nodiscard]] std::vector<JudgedPair>
judge_forms(const std::vector<FormPair>& pairs, const ExperimentDevice& device,
            const FormOptions& options, const Progress& progress = {}, const StopToken& stop = {});

/// What the papers say, decided by the simulator, and where `on` names a device, by that.
[[nodiscard]] std::vector<Finding> form_findings(const std::vector<JudgedPair>& pairs,
                                                 const std::string& on);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_kernel_forms;

} // namespace texelscope::experiments

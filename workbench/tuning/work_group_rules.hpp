#pragma once

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/simulate.hpp"
#include "workbench/space/configuration_space.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// The kernel that a framework has for an operator, where nothing but the work-group is left to
/// choose: MNN's first for a matrix product and conv2d (its patterns and tile, see
/// baseline_rules.hpp), else that of the operator's default schedule.
[[nodiscard]] KernelChoice framework_kernel(const Operator& op, const DeviceProfile& device);

/// What a search of local sizes in the manner of CLML chooses from: one kernel and a short list of
/// work-groups, each to be run once (TMModel, section 6.1 and table 2: CLML searches G alone, by
/// running; section 6.2: a limited set of candidates).
/// CLML is closed: neither its kernels nor its list are published. Assumed here are the framework's
/// kernel, and groups of 1, 2, 4, ... whole warps up to the device's limit, each in up to three
/// shapes of sides that are powers of two: as wide as they are high or twice, and four times wider
/// or higher than that, as far as the grid reaches; lanes in their natural order. On a warp of 64
/// and a limit of 1024 that is 15 groups at most.
[[nodiscard]] ConfigurationSpace local_size_space(const Operator& op, const DeviceProfile& device);

/// Rules I to V by which Jiang et al. choose a work-group ("Profiling and optimizing deep learning
/// inference on mobile GPUs", APSys 2020, section 4.1).
enum class WorkGroupRule {
    cores,      ///< I: the work-groups share out evenly among the shader cores
    alus,       ///< II: a work-group fills the ALUs of a core a whole number of times
    cache_line, ///< III: what a row of work-items reads at once is a whole number of cache lines
    padding,    ///< IV: no work-group reaches beyond the output
    accesses,   ///< V: the shape with which few data are read, which is known for two operators
};
inline constexpr std::array all_work_group_rules{WorkGroupRule::cores, WorkGroupRule::alus,
                                                 WorkGroupRule::cache_line, WorkGroupRule::padding,
                                                 WorkGroupRule::accesses};
[[nodiscard]] std::string to_string(WorkGroupRule rule); ///< "I" to "V"

/// What the rules compare, in the paper's axes: of an output with channels x is the width, y the
/// height, and z the channels, as TFLite has them (ours: y, z and x); else they are ours.
struct RuleTerms {
    std::array<std::int64_t, 3> problem{1, 1,
                                        /// (x, y, z): tiles, one for each work-item (the paper's
                                        /// ceil(x'/v_x)).
                                        1};
    std::array<std::int64_t, 3> group{1, 1, 1}; ///< (w_x, w_y, w_z)
    std::int64_t cores = 1;                     ///< N_sc
    std::int64_t simultaneous = 1;              ///< K_ac: work-items
    /// d_x * U: what a work-item reads along x in one step.
    std::int64_t block_bytes = 16;
    std::int64_t line_bytes = 64;   ///< W_cache
    std::int64_t most_items = 1024; ///< C_t: work-items of a group
    enum class Kind { convolution, depthwise, other } kind = Kind::other;
};

/// The terms for a schedule of the operator. Where the paper leaves a choice:
/// - K_ac: multiply-adds a cycle of a core (`alu.lanes`; not given: one warp), as the nearest
///   number of whole warps, but no more than the registers let run at once.
/// - d_x U: a texel of four numbers for each output of the tile along the paper's x, or for each
///   four where that axis is our x and its tile a multiple of four (TFLite's d_x of 8 are two
///   outputs of a work-item along the width).
/// - W_cache: a line of the L2; of the L1 where there is none.
/// - a matrix product is a convolution with a height of 1 and its rows as width.
///   `registers_per_item`: estimated_registers(), if they are known. A reduction that is split adds
///   its work-items to z.
[[nodiscard]] RuleTerms rule_terms(const Operator& op, const Schedule& schedule,
                                   const DeviceProfile& device,
                                   std::optional<int> registers_per_item);

/// Rule V is "about equal" in the paper: here within a factor of the square root of two. Operators
/// of which the paper says nothing follow it.
[[nodiscard]] bool follows(WorkGroupRule rule, const RuleTerms& terms);
/// The same of a schedule, whose nest is built for its registers; throws bad_input where it is
/// illegal.
[[nodiscard]] bool follows(WorkGroupRule rule, const Operator& op, const Schedule& schedule,
                           const DeviceProfile& device);

/// The elements of a space that follow the most rules, all five where some do: the paper applies
/// the rules one after the other until one size is left, and takes any of those that are left at
/// the end.
struct RuleSelection {
    std::vector<std::int64_t> candidates; ///< ascending
    /// That each of them follows.
    int rules = 0;
    /// Elements that follow a rule.
    std::array<std::int64_t, all_work_group_rules.size()> following{};
};
/// Kernels that the operator does not take have no candidates. Throws Interrupted.
[[nodiscard]] RuleSelection select_by_rules(const Operator& op, const DeviceProfile& device,
                                            const ConfigurationSpace& space,
                                            const StopToken& stop = {});

/// The importance of a rule (equation 8): over the M work-groups n that follow it,
///   S_r = 1/M sum_n (f(W_p) - f(W_n)) / (f(W_p) - f(W_b)),
/// with f the time, and p and b the slowest and the fastest of all work-groups given. In [0, 1]; 1:
/// only the fastest follow. Nothing where none follows or all times are equal. Throws bad_input
/// where the lengths differ.
[[nodiscard]] std::optional<double> importance_score(std::span<const Nanoseconds> times,
                                                     const std::vector<bool>& follows);

/// What the rules choose from: the kernel that TFLite's rule takes for a matrix product and conv2d
/// (the paper's engine; see baseline_rules.hpp), else that of the default schedule, with every size
/// of work-group up to the device's limit whose sides do not exceed the grid's.
[[nodiscard]] ConfigurationSpace work_group_space(const Operator& op, const DeviceProfile& device);

} // namespace texelscope::workbench::tuning

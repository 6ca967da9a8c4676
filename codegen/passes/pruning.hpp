#pragma once

#include "codegen/nest/schedule.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

struct LoopNest;

/// Why a configuration is left out of a search without being run: Romou's criteria (section 4.2,
/// table 1), then one more.
enum class PruningCriterion {
    /// The work-items of a group load more in one iteration of the innermost loop than the L1
    /// holds.
    l1,
    registers, ///< they need more registers than a core has
    buffer,    ///< a tensor lies in a buffer while the L1 is for textures only
    /// A reduction is split, which takes local memory, though the group has more than alpha * ALUs
    /// items.
    local_memory,
    warp,         ///< the group is smaller than a warp
    access_width, ///< an input is read one element at a time, not four
    /// A work-item needs more registers than it can have: what finds no room goes through memory.
    spills,
};
inline constexpr std::array all_pruning_criteria{
    PruningCriterion::l1,           PruningCriterion::registers, PruningCriterion::buffer,
    PruningCriterion::local_memory, PruningCriterion::warp,      PruningCriterion::access_width,
    PruningCriterion::spills};
/// The criteria of the paper.
inline constexpr std::array romou_criteria{
    PruningCriterion::l1,           PruningCriterion::registers, PruningCriterion::buffer,
    PruningCriterion::local_memory, PruningCriterion::warp,      PruningCriterion::access_width};

/// "l1", "registers", "buffer", "local-memory", "warp", "access-width", "spills".
[[nodiscard]] std::string to_string(PruningCriterion criterion);
/// Throws bad_input, listing the names, for another one.
[[nodiscard]] PruningCriterion parse_pruning_criterion(const std::string& text);

/// What the criteria need to know of a device. A value that is not known is empty, and switches off
/// the criteria that need it.
struct PruningLimits {
    std::optional<std::int64_t> l1_bytes;
    std::optional<std::int64_t> registers; ///< 32-bit, of a core
    std::optional<bool> l1_for_textures_only;
    std::optional<double> alus; ///< multiply-adds per cycle of a core
    std::optional<int> warp_size;
    std::optional<int> registers_per_item; ///< 32-bit, that a work-item can have
    bool half = false;                     ///< whether the device computes in half precision
};

/// How to count the bytes that a group loads in one iteration of the innermost loop.
enum class LoadCounting {
    each_item, ///< bytes of one work-item times the work-items: the rule as Romou states it
    /// Work-items along an axis of the grid on which an input does not depend share its texels.
    shared_once,
};

struct PruningOptions {
    std::vector<PruningCriterion> criteria{all_pruning_criteria.begin(),
                                           all_pruning_criteria.end()};
    double alpha = 3; ///< factor in the criterion local_memory; the default is Romou's
    LoadCounting counting = LoadCounting::each_item;

    [[nodiscard]] bool checks(PruningCriterion criterion) const;
};

/// What the criteria need to know of a kernel. It is the same for all work-groups, but for a side
/// of one work-item along an axis with one tile, where an index variable becomes a constant.
struct KernelFootprint {
    struct Input {
        std::string name;
        /// Texels that a work-item reads in one iteration of the innermost loop, or in all if there
        /// is no loop.
        std::int64_t texels = 0;
        int bytes_per_texel = 16;
        /// Whether its reads change with the work-item's place along x, y, z.
        std::array<bool, 3> varies{};
        bool one_element = false; ///< a texel holds one element
    };
    std::vector<Input> inputs;
    int registers = 0;      ///< 32-bit, of a work-item
    int half_registers = 0; ///< the same where the device computes in half precision
    /// Spill stores and loads, if a compiler has told them.
    std::optional<int> spilled;
    std::vector<std::string> in_buffers; ///< tensors
    bool local_blocks = false;           ///< whether blocks of inputs are read from local memory
};
/// Finds it. If there are several innermost loops, the one that reads the most bytes counts.
[[nodiscard]] KernelFootprint kernel_footprint(const LoopNest& nest);

struct Rejection {
    PruningCriterion criterion = PruningCriterion::l1;
    std::string reason; ///< one line with the numbers that are compared
};

/// Why the kernel spills registers, in one line with the numbers that are compared: those of a
/// compiler if there are any, else estimates. Nothing if it does not spill, or if it is not known
/// how many registers a work-item can have.
[[nodiscard]] std::optional<std::string> spill_reason(const KernelFootprint& kernel,
                                                      const PruningLimits& limits);

/// Whether one criterion excludes the kernel under a work-group (in tiles) with `split` work-items
/// for each tile, whether or not the options name it. False where a limit that it needs is not
/// known.
[[nodiscard]] bool violates(PruningCriterion criterion, const KernelFootprint& kernel,
                            const Dim3& group, std::int32_t split, const PruningLimits& limits,
                            const PruningOptions& options);

/// The first criterion, in the order of all_pruning_criteria, that is switched on and violated.
[[nodiscard]] std::optional<Rejection> prune(const KernelFootprint& kernel, const Dim3& group,
                                             std::int32_t split, const PruningLimits& limits,
                                             const PruningOptions& options = {});
/// The same for a nest and the schedule that it was made under.
[[nodiscard]] std::optional<Rejection> prune(const LoopNest& nest, const Schedule& schedule,
                                             const PruningLimits& limits,
                                             const PruningOptions& options = {});

/// The criteria of the options that are switched off because a limit of the device is not known,
/// each as "NAME: reason".
[[nodiscard]] std::vector<std::string> switched_off(const PruningLimits& limits,
                                                    const PruningOptions& options);

} // namespace texelscope::codegen

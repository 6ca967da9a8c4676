#pragma once

#include "networks/lowering/node_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::networks {

/// A kernel of a network, and how it is computed.
struct PlannedKernel {
    NodeKernel kernel;
    /// That it computes, by number; of a conversion, the one that asks for it.
    std::vector<std::size_t> nodes;
    bool conversion = false; ///< it only stores a value otherwise
    codegen::Schedule schedule;
    codegen::LoopNest nest; ///< under that schedule, with the plan's layouts
    int every = 1;          ///< it runs in the last of so many runs of the network

    /// Of a run, on average.
    [[nodiscard]] double share() const { return 1.0 / every; }
};

/// How values lie in one buffer.
struct ArenaRules {
    std::int64_t alignment = 4096; ///< bytes at whose multiples a value begins
    std::int32_t row_multiple =
        0; ///< texels of which the rows of images in it have a multiple; 0: there are only buffers
    std::int64_t widest = 0, highest = 0; ///< of such an image, in texels

    bool operator==(const ArenaRules&) const = default;
};

/// A network as kernels in order.
struct Plan {
    Graph graph; ///< the network, and a value for each conversion's result, after its own
    std::vector<PlannedKernel> kernels;
    /// Of values that the caller gives or kernels make: where they lie, by value. Constants lie as
    /// their kernel reads them; what takes the place of an input (Graph::carried) as that does, see
    /// place_of().
    std::vector<std::optional<codegen::TensorLayout>> layouts;
    /// What kernels make lies in one buffer; nothing: in images and buffers of its own, see
    /// MemoryPlan.
    std::optional<ArenaRules> arena;
};

/// The input of which a value takes the place for the next run (Graph::carried); of others,
/// themselves.
[[nodiscard]] ValueId place_of(const Graph& graph, ValueId value);

/// Whether the caller gives the value or a kernel makes it, so that where it lies is the plan's to
/// choose.
[[nodiscard]] bool is_made(const Plan& plan, ValueId value);

/// Where a value lies; nothing for constants.
[[nodiscard]] std::optional<codegen::TensorLayout>& layout_of(Plan& plan, ValueId value);
[[nodiscard]] const std::optional<codegen::TensorLayout>& layout_of(const Plan& plan,
                                                                    ValueId value);
/// Where the plan has a kernel's values, its inputs first, its output last; nothing for constants.
[[nodiscard]] codegen::GivenLayouts given_layouts(const Plan& plan, const NodeKernel& kernel);
/// The same without the gaps that kernels ask for: each schedule asks for its own.
[[nodiscard]] codegen::GivenLayouts open_layouts(const Plan& plan, const NodeKernel& kernel);
/// The schedule, saying of values that have a layout where they lie.
[[nodiscard]] codegen::Schedule noting(codegen::Schedule schedule,
                                       const codegen::GivenLayouts& layouts);

/// What a kernel begins with, whose output's texels hold neighbours along `packed` (-1: single
/// numbers).
[[nodiscard]] codegen::Schedule starting_schedule(const NodeKernel& kernel, int packed,
                                                  codegen::Storage storage);

/// Every node as it comes, but for those that the kernel before them takes in (`fuse`), and for
/// what takes the place of a carried input, which is made when all others have read that. Each
/// kernel has a schedule to start with, every value lies in an image whose rows go along the
/// dimension that texels hold. Values and weights are stored in `storage`. Throws bad_input, with
/// the node, for what no kernel computes.
[[nodiscard]] Plan starting_plan(const Graph& graph, bool fuse = true,
                                 codegen::Storage storage = codegen::Storage::fp32);

/// Lowers every kernel anew, after schedules or layouts have changed: under its schedule, with its
/// values in the plan's layouts, and zeros wherever a reader asks for what is not stored. Throws
/// bad_input for a schedule that is illegal in these layouts.
void lower(Plan& plan);

} // namespace texelscope::networks

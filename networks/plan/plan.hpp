#pragma once

// A network as a list of kernels with their schedules, and where each value lies.
//
// What goes in: starting_plan() makes a plan from a Graph, with a kernel for each node (or several
// nodes), a schedule to start with, and a layout for each value. Searches
// (workbench/network_studies) then change schedules and layouts, with_copies() (copies.hpp) adds
// conversions, in_arena() (arena_plan.hpp) puts values into one buffer. After any such change the
// caller must call lower(), which makes the nests anew. What comes out: memory_plan()
// (memory_plan.hpp) decides which values share memory, and network_job() (networks/execution) makes
// a job of the plan.
//
// What always holds after lower(): the kernel that makes a value and all that read it agree on its
// layout, and the layout has zeros wherever a reader asks for elements outside of the tensor.

#include "codegen/nest/loop_nest.hpp"
#include "networks/lowering/node_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::networks {

/// A kernel of a plan, with its schedule and the nest that follows from it.
struct PlannedKernel {
    NodeKernel kernel;
    /// Numbers of the nodes that it computes; for a conversion, the node that asked for it.
    std::vector<std::size_t> nodes;
    bool conversion = false; ///< whether it only stores a value in another layout
    codegen::Schedule schedule;
    codegen::LoopNest nest; ///< the nest under that schedule, with the plan's layouts
    int every = 1;          ///< it runs only in the last of each `every` runs of the network

    /// How often it runs in one run of the network, on average.
    [[nodiscard]] double share() const { return 1.0 / every; }
};

/// The rules for placing all values in one buffer (the arena).
struct ArenaRules {
    std::int64_t alignment = 4096; ///< a value begins at a multiple of so many bytes
    std::int32_t row_multiple =
        /// Rows of images in the arena are a multiple of so many texels; 0: no value can be an
        /// image there.
        0;
    std::int64_t widest = 0, highest = 0; ///< limits of such an image, in texels

    bool operator==(const ArenaRules&) const = default;
};

/// A network as kernels in the order of running.
struct Plan {
    /// The network, with a further value behind its own for the result of each conversion.
    Graph graph;
    std::vector<PlannedKernel> kernels;
    /// By value, the layout of each value that the caller gives or a kernel makes. Other entries
    /// are empty: a constant lies as its kernel reads it, and a value that takes the place of an
    /// input (Graph::carried) has the layout of that input (place_of()).
    std::vector<std::optional<codegen::TensorLayout>> layouts;
    /// If set, everything that kernels make lies in one buffer by these rules. Else values lie in
    /// images and buffers of their own, see MemoryPlan.
    std::optional<ArenaRules> arena;
};

/// The input whose place a value takes for the next run (Graph::carried); for any other value, the
/// value itself.
[[nodiscard]] ValueId place_of(const Graph& graph, ValueId value);

/// Whether the caller gives the value or a kernel makes it, so that the plan chooses its layout.
[[nodiscard]] bool is_made(const Plan& plan, ValueId value);

/// The layout of a value, that of place_of() for values that take a place; nothing for constants.
[[nodiscard]] std::optional<codegen::TensorLayout>& layout_of(Plan& plan, ValueId value);
[[nodiscard]] const std::optional<codegen::TensorLayout>& layout_of(const Plan& plan,
                                                                    ValueId value);
/// The plan's layouts of a kernel's values: its inputs, then its output; nothing for constants.
[[nodiscard]] codegen::GivenLayouts given_layouts(const Plan& plan, const NodeKernel& kernel);
/// The same layouts without their gaps of zeros, for trying other schedules: each asks for gaps of
/// its own.
[[nodiscard]] codegen::GivenLayouts open_layouts(const Plan& plan, const NodeKernel& kernel);
/// The schedule with its parts A, M and O changed to agree with the layouts that are given.
[[nodiscard]] codegen::Schedule noting(codegen::Schedule schedule,
                                       const codegen::GivenLayouts& layouts);

/// The schedule that a kernel starts with if the texels of its output hold neighbours along the
/// dimension `packed` (-1: single numbers).
[[nodiscard]] codegen::Schedule starting_schedule(const NodeKernel& kernel, int packed,
                                                  codegen::Storage storage);

/// Makes a plan: kernels for the nodes in their order. With `fuse`, a kernel takes in the nodes
/// behind it where it can (take_in()). A value that takes the place of a carried input is made
/// after all other kernels have read that input. Each kernel has its starting_schedule(), and every
/// value lies in an image whose rows go along the dimension that texels pack. Values and weights
/// are stored in `storage`. Throws bad_input, with the node, for what no kernel computes.
[[nodiscard]] Plan starting_plan(const Graph& graph, bool fuse = true,
                                 codegen::Storage storage = codegen::Storage::fp32);

/// Makes the nest of every kernel anew, after schedules or layouts have changed: under its
/// schedule, with the plan's layouts, which get gaps of zeros wherever a reader asks for elements
/// that are not stored. Throws bad_input for a schedule that is illegal in these layouts.
void lower(Plan& plan);

} // namespace texelscope::networks

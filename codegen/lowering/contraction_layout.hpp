#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/nest/tensor_layout.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::codegen {

/// The tile of sums of one work-item. Axes are 0, 1, 2 for x, y, z; -1 is none, as it is for
/// dimensions.
struct SumTile {
    /// A place in the tile, which has a sum: along the vectorised axis in vectors, along the others
    /// in outputs.
    using Place = std::array<std::int64_t, 3>;

    std::array<std::int64_t, 3> sizes{1, 1, 1}; ///< T, in outputs
    std::array<int, 3> dims{-1, -1, -1};        ///< slots of the dimensions that are tiled
    int vector_axis = -1;                       ///< axis of v: 0, 1 or -1; see lower()
    int vector = 1;                             ///< numbers that one sum holds
    Place places{1, 1, 1};                      ///< how many there are

    [[nodiscard]] bool has_vectors() const { return vector_axis >= 0; }
    /// Texels that a sum takes in the output, and in an input that packs v.
    [[nodiscard]] int texels_of_sum() const { return (vector + 3) / 4; }
    /// Calls `visit(place, number)` for every place, x running fastest; numbers count from 0.
    template <class Visit>
    void for_each_place(const Visit& visit) const
    {
        std::size_t number = 0;
        for (std::int64_t k = 0; k < places[2]; ++k) {
            for (std::int64_t j = 0; j < places[1]; ++j) {
                for (std::int64_t i = 0; i < places[0]; ++i) {
                    visit(Place{i, j, k}, number++);
                }
            }
        }
    }
};

/// How a contraction is computed under a schedule, as far as it takes no index expressions: the
/// tile of sums, what the components of texels hold, and the reduction loops.
struct ContractionLayout {
    static constexpr std::int64_t components = 4; ///< of a texel

    /// What the components of an input's texels are; see lower().
    /// `gathered`: another dimension, so that elements are picked out of texels.
    enum class Packs { vector, channels, other, nothing, gathered };
    struct Input {
        Packs packs = Packs::nothing;
        int packed = -1; ///< dimension of the tensor that is packed
        /// Whether reads depend on the place in the tile along x, y, z.
        std::array<bool, 3> varies{};
        /// Whether they depend on which of the packed channels is summed.
        bool varies_with_step = false;
    };
    /// A reduction loop. One iteration takes `texel` values, a texel of channels where these are
    /// packed; of each `parts` iterations that follow each other, a work-item takes one.
    struct Loop {
        int slot = -1;               ///< of the dimension
        std::int64_t iterations = 1; ///< of one work-item
        std::int64_t texel = 1;
        std::int64_t parts = 1;
        /// Iterations whose texels a work-group copies to local memory together; 0: it does not.
        std::int64_t block = 0;
        bool unrolled = false; ///< its iterations are written out
    };

    SumTile tile;
    /// Tiles that come together along each axis: a work-group where its work-items copy texels for
    /// each other, so that none may stay away; else 1.
    std::array<std::int64_t, 3> together{1, 1, 1};
    int channels = -1;            ///< dimension c
    bool channels_packed = false; ///< whether some input packs c
    /// Whether products are of whole texels of c, and their components are added up.
    bool dot = false;
    std::vector<Input> inputs;
    std::vector<Loop> loops; ///< outermost first

    /// Multiply-adds of one work-item, padding included.
    [[nodiscard]] double multiply_adds() const;
    /// Every value that a dimension takes in the launch, those of tiles and parts that reach beyond
    /// it included.
    [[nodiscard]] Range asked(const Variable& dim) const;
};

/// The slot of the dimension that an index of the output is, perhaps with an offset, as where a
/// kernel makes a part of a tensor; nothing where it is something else.
struct WrittenDim {
    int slot = -1;
    std::int64_t offset = 0;
};
[[nodiscard]] std::optional<WrittenDim> written_dim(const IndexExpr& output_index);

/// `order`: the reduction dimensions from the outermost loop to the innermost. The schedule has
/// been checked, but for its vectors: throws bad_input where they do not divide the tile, or where
/// a given layout of the output packs another dimension than they go along.
[[nodiscard]] ContractionLayout contraction_layout(const Contraction& contraction,
                                                   const Schedule& schedule,
                                                   const std::vector<int>& order,
                                                   const GivenLayouts& given);

} // namespace texelscope::codegen

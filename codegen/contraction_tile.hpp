#pragma once

#include "codegen/contraction.hpp"
#include "codegen/packing.hpp"
#include "codegen/work_item_grid.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope {

/// Builds the nest of a contraction: the tile of sums of one work-item, the reduction loops around the reads and products,
/// and the writes. A nest is built by one such object, once.
class ContractionTile {
public:
    /// `order`: the reduction dimensions from the outermost loop to the innermost. The schedule has been checked.
    ContractionTile(const Contraction& contraction, const Schedule& schedule, std::vector<int> order);

    /// `operator_text` goes into the header.
    [[nodiscard]] LoopNest build(const std::string& operator_text) &&;

private:
    /// What the components of an input's texels are; see lower().
    enum class Packs { vector, channels, other, nothing };
    struct Input {
        Packs packs = Packs::nothing;
        int packed = -1; ///< dimension of the tensor that is packed
        std::optional<Packing> packing;
        std::array<bool, 3> varies{}; ///< whether reads depend on the place in the tile along x, y, z
        bool varies_with_step = false;
        std::string prefix; ///< of its values' names
    };
    /// A place in the tile: along the vectorised dimension in vectors, along the others in elements.
    using Place = std::array<std::int64_t, 3>;
    /// A texel that has been read; `component` is -1 for all four.
    struct Factor {
        ValueId value = 0;
        int component = -1;
    };
    struct KnownRead {
        int input = 0;
        AccessFunction access;
        int texels = 1;
        ValueId value = 0;
    };
    struct KnownVector {
        std::vector<ValueId> texels;
        ValueId value = 0;
    };
    [[nodiscard]] AccessFunction access(std::size_t input, const Place& place, std::int64_t step) const;
    [[nodiscard]] ValueId read(AccessFunction access, int texels, LoopNest& nest, std::vector<NestStatement>& out);

    [[nodiscard]] const Variable& dim(int slot) const { return contraction_.dims[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] std::int64_t extent(int slot) const { return slot < 0 ? 1 : dim(slot).range.max + 1; }
    [[nodiscard]] static bool is_plain(const IndexExpr& index, int slot);
    [[nodiscard]] int plain_dimension(const Contraction::Input& input, int slot) const;
    [[nodiscard]] bool can_be_vector(int slot) const;

    void choose_components();
    void place_tiles(LoopNest& nest);
    [[nodiscard]] Range asked(int slot) const;
    [[nodiscard]] PackedDim packed_dim(std::size_t input, int dimension) const;
    [[nodiscard]] Operand input_operand(std::size_t input);
    [[nodiscard]] Operand output_operand();
    /// The value of every dimension, by slot.
    using Point = std::vector<const IndexExpr*>;
    [[nodiscard]] Point point(const Place& place, std::int64_t step) const;
    [[nodiscard]] IndexExpr at_point(const IndexExpr& index, const Point& point) const;

    void declare_sums(LoopNest& nest);
    void loops(std::size_t level, LoopNest& nest, std::vector<NestStatement>& out);
    void products(LoopNest& nest, std::vector<NestStatement>& out);
    [[nodiscard]] ValueId vector(std::size_t input, const Place& place, std::int64_t step, LoopNest& nest,
                                 std::vector<NestStatement>& out);
    [[nodiscard]] Factor factor(std::size_t input, const Place& place, std::int64_t step, LoopNest& nest,
                                std::vector<NestStatement>& out);
    [[nodiscard]] std::string product(const LoopNest& nest, ValueId sum, const Factor& a, const Factor& b) const;
    void forget_reads();
    void write(LoopNest& nest) const;
    [[nodiscard]] NestWrite write_of(const LoopNest& nest, ValueId sum, Place place, int texel) const;

    template <class Visit>
    void for_each_sum(const Visit& visit) const;

    const Contraction& contraction_;
    const Schedule& schedule_;
    std::vector<int> order_;
    std::array<std::int64_t, 3> tile_{1, 1, 1}; ///< T, in outputs
    std::array<int, 3> axis_{-1, -1, -1};       ///< dimension tiled along x, y, z
    int vector_axis_ = -1;                      ///< axis of v
    int other_axis_ = -1;                       ///< the other one of x and y
    int channels_ = -1;                         ///< dimension c
    bool channels_packed_ = false;              ///< whether some input packs c
    int split_ = -1;                            ///< reduction dimension that `split` work-items share
    std::vector<Input> inputs_;
    std::array<IndexExpr, 3> tile_number_; ///< of each axis
    std::vector<IndexExpr> fixed_;         ///< value of each dimension that neither tile nor loop decides
    std::vector<IndexExpr> loop_value_;    ///< of each reduction dimension: in texels for c where it is packed
    std::array<std::vector<IndexExpr>, 3> tile_index_; ///< along each axis, of each element of the tile
    std::array<IndexExpr, 4> channel_;                 ///< index along c at each step of a texel, in the present turn
    IndexExpr part_;
    std::vector<ValueId> sums_;
    std::vector<KnownRead> known_;                          ///< of the present run of statements without a loop
    std::map<std::array<std::int64_t, 5>, ValueId> texels_; ///< by input, place and step, of the present turn of loops
    std::vector<KnownVector> known_vectors_;                ///< there
    std::vector<int> next_name_;                            ///< of each input's values, there
    std::optional<Packing> output_packing_;
    int output_packed_ = -1; ///< dimension of the output tensor that is packed
};

} // namespace texelscope

#pragma once

#include "codegen/lowering/texel_storage.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/nest/work_item_grid.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// Which lines of a matrix a work-item owns and goes along.
enum class SweepLines { rows, columns };

/// Operators that go along the lines of a matrix [ROWS, COLS] several times, with a sum or a
/// maximum of each line between the passes. A tensor of any rank is such a matrix: its columns are
/// one of its dimensions, its rows the others together.
struct Sweep {
    std::string kernel; ///< name of the kernel function
    std::string operator_text;
    SweepLines lines = SweepLines::rows;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    /// The dimension of a matrix that columns are; for lines that are columns a matrix has two.
    std::size_t axis = 1;
    /// Matrices, and vectors along a line: of COLS elements for rows, of ROWS elements for columns.
    /// A matrix of one dimension has one row, and no vectors beside it.
    std::vector<Tensor> inputs;
    /// For rows the matrix; for columns a vector of COLS elements, one result a line.
    Tensor output;
    double flops = 0;
};

/// Builds the loop nest of a sweep under a schedule.
///
/// A texel packs four neighbouring columns; of a vector of ROWS elements it holds one, in its first
/// component. The size that T gives for x is in columns and a multiple of four, the one for y in
/// rows. Along the lines it is what one iteration of the loop reads and computes, written out;
/// across them it is the lines that a work-item owns (four a texel where they are columns). The
/// thread index of an access pattern is the last of the row's dimensions (the texel across, for
/// columns), the reduction index the texel along (the row); vectors have thread index 0. So it is
/// for the output, in the pattern that O gives. Layouts that are given hold four neighbouring
/// columns in a texel, too.
///
/// Work-groups take consecutive lines (LinearGrid): rows go along y of the grid, columns along x.
///
/// Split in R, part p takes every R-th place along the line from p on. What the parts found meets
/// in local memory, and each goes on with the places of its own. All work-items of a group take
/// part then; those beyond the last line read outside of the image, that is zeros, and write
/// nothing. With R = 1 reads leave the image only where the lines of a work-item are not all there,
/// with R > 1 also at the places of the last iteration that are not there.
///
/// Where COLS is no multiple of four, or a place may not be there, a select on the value makes the
/// components count that are there and no others; only the iterations at the end of a row, which
/// are written out, have one. Padding of the output is written as zero.
class SweepNest {
public:
    static constexpr int components = 4; ///< of a texel

    /// One texel of one line of the work-item.
    struct Point {
        std::size_t line = 0;            ///< among the work-item's
        std::vector<NestValue> read;     ///< the texel of each input of the pass
        IndexExpr place;                 ///< along the line
        std::string label;               ///< different for each point; part of names
        std::optional<NumberExpr> there; ///< the components that are there; nothing: all of them
    };
    using Meet = NestMeet::How;

    /// Throws bad_input, with the reason, for a schedule that is illegal.
    SweepNest(const Sweep& sweep, const Schedule& schedule, const GivenLayouts& given = {});

    [[nodiscard]] std::size_t lines() const { return static_cast<std::size_t>(own_); }

    /// The value where the components of the point are there, `otherwise` where they are not.
    [[nodiscard]] static NumberExpr counted(const Point& at, const NumberExpr& value,
                                            double otherwise);

    /// float4 PREFIX0, PREFIX1, ...: one for each line, starting from `start`.
    [[nodiscard]] std::vector<NestValue> accumulators(const std::string& prefix, double start);
    void assign(NestValue target, const NumberExpr& value);
    /// A constant float4 of one point.
    [[nodiscard]] NestValue define(const Point& at, const std::string& prefix,
                                   const NumberExpr& value);
    /// A constant of each line: a float where lines are rows, else a float4 of four columns.
    [[nodiscard]] std::vector<NestValue>
    line_values(const std::string& prefix, const std::function<NumberExpr(std::size_t)>& value_of);

    /// Goes along the lines: reads those inputs and calls `compute` for each point, to append what
    /// is done there.
    void pass(const std::vector<std::size_t>& inputs,
              const std::function<void(const Point&)>& compute);
    /// What the accumulators of a line come to: over the four components where lines are rows, and
    /// over all parts.
    [[nodiscard]] std::vector<NestValue> meet(const std::vector<NestValue>& accumulators,
                                              const std::string& prefix, Meet how);

    void write(const Point& at, const NumberExpr& value);       ///< lines are rows
    void write_line(std::size_t line, const NumberExpr& value); ///< lines are columns
    /// The nest; `multiply_adds`: operations on each component of a texel, all passes together.
    [[nodiscard]] LoopNest finish(double multiply_adds) &&;

private:
    using Body = std::vector<NestStatement>;

    [[nodiscard]] bool is_matrix(const Tensor& tensor) const;
    void add_storage(AccessPattern pattern, const GivenLayouts& given);
    [[nodiscard]] const Tensor& tensor(std::size_t number) const;
    [[nodiscard]] std::vector<IndexExpr> index(std::size_t number, const IndexExpr& row,
                                               const IndexExpr& texel) const;
    [[nodiscard]] Placement texel_at(std::size_t number, const IndexExpr& row,
                                     const IndexExpr& texel) const;
    [[nodiscard]] IndexExpr line(std::size_t number) const;
    [[nodiscard]] IndexExpr place(const IndexExpr& iteration, std::int64_t step) const;
    [[nodiscard]] Body iteration(const std::vector<std::size_t>& inputs, const IndexExpr& number,
                                 std::int64_t steps,
                                 const std::function<void(const Point&)>& compute);
    [[nodiscard]] std::vector<NestValue>
    declare_lines(bool constant, const std::string& prefix,
                  const std::function<NumberExpr(std::size_t)>& value_of);
    void exchange(const std::vector<NestValue>& values, Meet how);

    Sweep sweep_;
    Schedule schedule_;
    LinearGrid grid_;
    std::int64_t columns_;    ///< texels of a row
    std::int64_t all_lines_;  ///< rows, or texels across
    std::int64_t all_places_; ///< texels along a row, or rows
    std::int64_t own_;        ///< lines of a work-item
    std::int64_t step_;       ///< places of a part in one iteration
    /// Of the loop: those whose places are there with all their components.
    std::int64_t iterations_;
    std::int64_t rest_;                  ///< places of a part after the loop
    std::vector<TexelStorage> storages_; ///< inputs, then the output
    LoopNest nest_;
    Body body_; ///< what is being written
    int passes_ = 0;
    bool met_ = false; ///< local memory has been used
};

} // namespace texelscope::codegen

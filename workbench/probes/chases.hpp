#pragma once

#include "workbench/probes/probe.hpp"
#include "workbench/probes/scattered.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Pointer chases over random texels of an image, or of a buffer as one row of texels; each cell
/// (see CellGrid) has at most one.
class ScatteredChases {
public:
    ScatteredChases(Target& target, MemorySpace memory, const ProbeOptions& options);

    /// What is read, for labels.
    [[nodiscard]] std::string unit() const
    {
        return memory_ == MemorySpace::image ? "texels" : "elements of 16 B";
    }
    /// The cells of the largest image or buffer. A cell of a buffer has as many texels in a row as
    /// a square cell of an image has.
    [[nodiscard]] const CellGrid& grid() const { return grid_; }
    /// Grows the grid to four times as many cells; false where the device or the options do not
    /// allow it.
    [[nodiscard]] bool grow();
    /// Undoes a growth.
    void shrink_to(const CellGrid& grid) { grid_ = grid; }
    /// Latencies of reads that go round over `count` random texels, for `draws` different choices
    /// of the texels, with all samples of each. The first `warm_passes` passes are not timed.
    [[nodiscard]] std::vector<double> round(std::int64_t count, int draws);
    static constexpr int warm_passes = 2;
    /// From this number of texels on, reading takes long, and one choice of texels is enough.
    static constexpr std::int64_t many = std::int64_t{1} << 16;
    /// How many passes are timed: the launch must last longer than a tick of the clock.
    [[nodiscard]] int passes(std::int64_t count) const;
    /// round() with one choice of texels, where each texel is the first of a block of that size
    /// somewhere in its cell, and is followed by the texel `stride` from it. Sides of blocks divide
    /// those of cells.
    [[nodiscard]] std::vector<double> blocks(std::int64_t count, Extent2D block, Texel stride);
    /// Latencies of going round over the first texels of `count` cells, each followed by the texel
    /// `stride` from it.
    [[nodiscard]] std::vector<double> pairs(std::int64_t count, Texel stride);
    /// pairs() without the second texel.
    [[nodiscard]] std::vector<double> corners(std::int64_t count);
    /// Latencies of reading one texel again and again.
    [[nodiscard]] std::vector<double> same_texel();

private:
    [[nodiscard]] CellGrid grid_for(std::int64_t count) const;
    [[nodiscard]] std::vector<double> measure(const CellGrid& grid, std::vector<Texel> walk);

    Target& target_;
    MemorySpace memory_;
    const ProbeOptions& options_;
    CellGrid grid_;
    std::mt19937_64 random_;
};

/// The median of each draw's samples, averaged over the draws. `samples` has the draws one behind
/// the other.
[[nodiscard]] double mean_of_draws(const std::vector<double>& samples, int draws);

} // namespace texelscope::workbench::probes

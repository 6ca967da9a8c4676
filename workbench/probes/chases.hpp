#pragma once

#include "workbench/probes/probe.hpp"
#include "workbench/probes/scattered.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Chases over random texels of an image, or of a buffer as one row of them, one in a cell.
class ScatteredChases {
public:
    ScatteredChases(Target& target, MemorySpace memory, const ProbeOptions& options);

    /// What is read, for labels.
    [[nodiscard]] std::string unit() const
    {
        return memory_ == MemorySpace::image ? "texels" : "elements of 16 B";
    }
    /// Cells of the largest image or buffer. Those of a buffer are as many texels in a row as a
    /// square of an image has.
    [[nodiscard]] const CellGrid& grid() const { return grid_; }
    /// Makes room for four times the cells; false where the device or the options do not allow it.
    [[nodiscard]] bool grow();
    /// Takes a growth back.
    void shrink_to(const CellGrid& grid) { grid_ = grid; }
    /// Latencies of going round over `count` random texels, for `draws` choices of these, all
    /// samples of each. The first `warm_passes` are not timed.
    [[nodiscard]] std::vector<double> round(std::int64_t count, int draws);
    static constexpr int warm_passes = 2;
    /// So many texels take long to read, and one choice of them stands for all.
    static constexpr std::int64_t many = std::int64_t{1} << 16;
    /// Passes that are timed: a launch has to be longer than the grain of the clock.
    [[nodiscard]] int passes(std::int64_t count) const;
    /// The same once, where each texel is the first of a block of that size somewhere in its cell,
    /// and is followed by the texel `stride` from it. Block sides divide the cell's.
    [[nodiscard]] std::vector<double> blocks(std::int64_t count, Extent2D block, Texel stride);
    /// The same over the first texels of `count` cells, where each is followed by the texel
    /// `stride` from it.
    [[nodiscard]] std::vector<double> pairs(std::int64_t count, Texel stride);
    /// The same without the second texel.
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

/// The mean over draws of the median of each: `samples` follow each other by draw.
[[nodiscard]] double mean_of_draws(const std::vector<double>& samples, int draws);

} // namespace texelscope::workbench::probes

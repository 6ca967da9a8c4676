#pragma once

#include "model/curves/cache_curve.hpp"
#include "workbench/probes/chases.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Finds width and height of a cache line in texels, both powers of two, from pairs of texels: the
/// second read of a pair is a hit exactly where both texels share a line.
class LineShape {
public:
    /// `count`: pairs of a chase, more than the level can hold; `hit`: latency of a hit in the
    /// level whose line is measured; `next`: least latency of a read of another line. Latencies are
    /// in nanoseconds.
    LineShape(ScatteredChases& chases, std::int64_t count, double hit, double next);

    [[nodiscard]] bool shares(Texel stride);
    /// The side of the line along x or y: the largest power of two, up to the cell's side, whose
    /// last texel still shares the line. `level` names the curve of what was measured.
    [[nodiscard]] std::int32_t side(bool along_x, std::int32_t least, const std::string& level);
    [[nodiscard]] const std::vector<ProbeCurve>& curves() const { return curves_; }

private:
    ScatteredChases& chases_;
    std::int64_t count_;
    double hit_;
    double next_;
    [[nodiscard]] bool shares(const std::vector<double>& pair) const;

    double alone_ = 0;
    std::vector<ProbeCurve> curves_;
};

/// The block of texels that one tag covers, from the block that one fetch brings. A line of several
/// sectors is as large as the largest block of which a chase finds room for as many as of single
/// texels.
[[nodiscard]] Extent2D tagged_block(ScatteredChases& chases, const CacheFit& fit, Extent2D fetched);

} // namespace texelscope::workbench::probes

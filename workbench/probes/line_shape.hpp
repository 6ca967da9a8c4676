#pragma once

#include "model/curves/cache_curve.hpp"
#include "workbench/probes/chases.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Width and height of a line of one level in texels, powers of two, from pairs of texels: the
/// second comes at the price of a hit exactly where it lies in the line of the first.
class LineShape {
public:
    /// `count`: pairs of a chase, more than the level holds; `hit`: latency of what the line's
    /// level holds; `next`: the least that a read of another line can cost; both in nanoseconds.
    LineShape(ScatteredChases& chases, std::int64_t count, double hit, double next);

    [[nodiscard]] bool shares(Texel stride);
    /// The largest power of two, up to the cell's side, whose last texel shares the line; `level`
    /// names the curve of what was measured for it.
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

/// What one tag covers, from what one fetch brings: a line of several sectors is as large as the
/// block of which a chase finds room for as many as of single texels.
[[nodiscard]] Extent2D tagged_block(ScatteredChases& chases, const CacheFit& fit, Extent2D fetched);

} // namespace texelscope::workbench::probes

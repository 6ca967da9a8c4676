#pragma once

#include "model/identification/identify.hpp"
#include "model/walks/walk_design.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::model {

/// What to measure next.
struct ProposeOptions {
    std::size_t count = 10;
    std::size_t pool = 600; ///< designed walks to choose from
    WalkDesign design;      ///< its extent is the measured image's
    Bytes bytes_per_texel{16};
    std::int64_t first_number = 0; ///< of the proposed walks
    std::uint64_t seed = 1;
    int threads = 2;
};

/// The walks, of a seeded pool of design_walks(), that best tell the leading explanations (and the
/// first few equivalents of the best one) apart: one after the other, that which adds most to the
/// number of pairs told apart. A pair counts by how near the errors of both come to the least, and
/// as told apart by 1 - exp(-s / 8), where s sums over the walks chosen the squares of the
/// difference of the two predictions over the error of the best explanation (1 % at least). Throws
/// Interrupted.
[[nodiscard]] std::vector<TexelWalk> propose_walks(const Identification& identification,
                                                   const ProposeOptions& options,
                                                   const StopToken& stop = {});

} // namespace texelscope::model

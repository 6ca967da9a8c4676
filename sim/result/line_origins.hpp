#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// A texel of one of the images of a launch.
struct ImageTexel {
    std::uint16_t image = 0;
    Texel texel;

    bool operator==(const ImageTexel&) const = default;
};

/// For each line that the L1 of a core holds, the texel whose read brought it in (its origin).
/// Where a line is filled sector by sector, this is the texel of the first sector.
class LineOrigins {
public:
    /// By line, in whatever unit the caller numbers them.
    using Lines = std::unordered_map<std::int64_t, ImageTexel>;

    /// Records a miss that filled a line, or a sector of it.
    void fill(int core, std::int64_t line, ImageTexel origin)
    {
        lines_of(core).try_emplace(line, origin);
    }
    /// Removes a line that is thrown out, and returns its origin.
    ImageTexel evict(int core, std::int64_t line)
    {
        Lines& lines = lines_of(core);
        const auto found = lines.find(line);
        const ImageTexel origin = found->second;
        lines.erase(found);
        return origin;
    }
    [[nodiscard]] const std::vector<Lines>& lines() const { return lines_; } ///< by core
    void replace(std::vector<Lines> lines) { lines_ = std::move(lines); }

private:
    Lines& lines_of(int core)
    {
        if (lines_.size() <= static_cast<std::size_t>(core)) {
            lines_.resize(static_cast<std::size_t>(core) + 1);
        }
        return lines_[static_cast<std::size_t>(core)];
    }

    std::vector<Lines> lines_;
};

} // namespace texelscope::sim

#pragma once

#include "sim/last_touch.hpp"
#include "sim/observers/texel_cells.hpp"
#include "workbench/study/launch_result.hpp"

#include <QString>
#include <optional>

namespace texelscope::gui {

/// What a heat map can show of an image: the counts that every launch has, and what takes another
/// look at every access.
enum class HeatChoice {
    reads,
    misses,
    compulsory,
    capacity,
    conflict,
    evictions,
    reuse_distance,
    last_warp
};
inline constexpr std::array all_heat_choices{
    HeatChoice::reads,    HeatChoice::misses,    HeatChoice::compulsory,     HeatChoice::capacity,
    HeatChoice::conflict, HeatChoice::evictions, HeatChoice::reuse_distance, HeatChoice::last_warp};
[[nodiscard]] QString to_text(HeatChoice choice);
/// The quantity of the launch's own maps that shows the choice; nothing where there is none.
[[nodiscard]] std::optional<HeatQuantity> counted(HeatChoice choice);

/// Maps that are made only when they are first asked for, one per image.
struct LateMaps {
    std::vector<HeatMap> reuses;
    std::vector<HeatMap> reuse_distances;
    LastTouches last;
};
/// Simulates the launch once more and makes the maps of `choice`; the others stay empty.
[[nodiscard]] LateMaps late_maps(const LaunchResult& launch, HeatChoice choice,
                                 const StopToken& stop = {});

/// Values of one image, texel by texel, ready to be drawn.
struct HeatLayer {
    enum class Kind {
        counts,     ///< 0: none
        means,      ///< 1 + tenths; 0: no mean
        warps,      ///< WarpNumber::code(); 0: none
        difference, ///< of counts, of either sign
    };
    Kind kind = Kind::counts;
    HeatMap values;
    QString name; ///< of the quantity

    /// A value of the map in words, with its unit.
    [[nodiscard]] QString text(std::int64_t value) const { return text(kind, name, value); }
    /// A value of a map of means; of large ones without the tenths.
    [[nodiscard]] static QString mean_text(std::int64_t value);
    [[nodiscard]] static QString text(Kind kind, const QString& name, std::int64_t value);
};

/// The size of the innermost blocks of a layout that have more than a texel, in texels; nothing
/// where there are none.
[[nodiscard]] std::optional<Extent2D> innermost_block(const TexelLayout& layout);
/// The cells of an image at a resolution: nothing where they are its texels; blocks are the storage
/// layout's innermost.
[[nodiscard]] std::optional<TexelCells> heat_cells(HeatResolution::Kind kind,
                                                   const StoredImage& image, Bytes line);

/// The values of an image to be drawn, cell by cell: sums of counts, means of reuse distances over
/// the cell's reuses, or the last warp that read the cell. Each texel carries the value of its
/// cell. `late` may be null where the launch itself has the map. Throws bad_input for a choice
/// whose maps are not there.
[[nodiscard]] HeatLayer heat_layer(const LaunchResult& launch, std::size_t image, HeatChoice choice,
                                   const std::optional<TexelCells>& cells, const LateMaps* late);

/// a - b of counts of images of one size.
[[nodiscard]] HeatLayer difference_layer(const HeatLayer& a, const HeatLayer& b);

} // namespace texelscope::gui

#include "gui/heat_map/heat_layer.hpp"

#include "base/error.hpp"
#include "gui/widgets/controls.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace texelscope::gui {
namespace {

// Means are kept as whole numbers: 0 stands for none, and 1 + ten times the mean for a mean, which
// leaves a digit behind the point.
constexpr double tenths = 10;

using Cells = std::optional<TexelCells>; ///< nothing: texels

HeatMap summed(const HeatMap& map, const Cells& cells)
{
    return cells ? HeatMap{map.extent, cells->on_texels(cells->sums(map))} : map;
}

HeatMap mean_of(const HeatMap& sums, const HeatMap& counts, const Cells& cells)
{
    const std::vector<std::int64_t> distances = cells ? cells->sums(sums) : sums.counts;
    const std::vector<std::int64_t> reuses = cells ? cells->sums(counts) : counts.counts;
    std::vector<std::int64_t> means(distances.size(), 0);
    for (std::size_t cell = 0; cell < means.size(); ++cell) {
        if (reuses[cell] > 0) {
            means[cell] = 1 + std::llround(tenths * static_cast<double>(distances[cell]) /
                                           static_cast<double>(reuses[cell]));
        }
    }
    return {sums.extent, cells ? cells->on_texels(means) : means};
}

// Of the texels of a cell, the warp that read one of them last.
HeatMap latest(const HeatMap& warps, const HeatMap& accesses, const Cells& of)
{
    if (!of) {
        return warps;
    }
    const TexelCells& cells = *of;
    std::vector<std::int64_t> warp(static_cast<std::size_t>(cells.count()), 0);
    std::vector<std::int64_t> access_index(warp.size(), -1);
    for (std::int32_t y = 0; y < warps.extent.height; ++y) {
        for (std::int32_t x = 0; x < warps.extent.width; ++x) {
            const auto cell = static_cast<std::size_t>(cells.cell_of({x, y}));
            if (warps.at({x, y}) > 0 && accesses.at({x, y}) > access_index[cell]) {
                access_index[cell] = accesses.at({x, y});
                warp[cell] = warps.at({x, y});
            }
        }
    }
    return {warps.extent, cells.on_texels(warp)};
}

} // namespace

QString to_text(HeatChoice choice)
{
    if (const std::optional<HeatQuantity> quantity = counted(choice)) {
        return QString::fromStdString(to_string(*quantity));
    }
    return choice == HeatChoice::reuse_distance ? QStringLiteral("reuse distance")
                                                : QStringLiteral("last warp");
}

std::optional<HeatQuantity> counted(HeatChoice choice)
{
    const auto number = static_cast<std::size_t>(choice);
    return number < all_heat_quantities.size() ? std::optional(all_heat_quantities[number])
                                               : std::nullopt;
}

// Maps that a study does not make at once, because they take a simulation of their own: the last
// warp that read each texel, and reuse distances.
LateMaps late_maps(const LaunchResult& launch, HeatChoice choice, const StopToken& stop)
{
    LateMaps late;
    SimulationOptions options = launch.options;
    options.mode.timed = false;
    if (choice == HeatChoice::last_warp) {
        late.last = last_touches(*launch.source, options, stop);
    } else if (choice == HeatChoice::reuse_distance) {
        const HeatRequest request{{HeatQuantity::reuses, HeatQuantity::reuse_distances}, {}};
        const HeatMapResult result = heat_maps(*launch.source, options, request, stop);
        for (int image = 0; image < static_cast<int>(launch.images.size()); ++image) {
            late.reuses.push_back(result.maps.map(image, HeatQuantity::reuses));
            late.reuse_distances.push_back(result.maps.map(image, HeatQuantity::reuse_distances));
        }
    }
    return late;
}

QString HeatLayer::mean_text(std::int64_t value)
{
    const double mean = static_cast<double>(value - 1) / tenths;
    return mean < 1000 ? QString::number(mean, 'f', 1) : count_text(std::llround(mean));
}

QString HeatLayer::text(Kind kind, const QString& name, std::int64_t value)
{
    switch (kind) {
    case Kind::counts:
        return QStringLiteral("%1 %2").arg(name, count_text(value));
    case Kind::means:
        return value == 0 ? QStringLiteral("never looked up again")
                          : QStringLiteral("mean reuse distance %1 lines").arg(mean_text(value));
    case Kind::warps: {
        const WarpNumber warp = WarpNumber::of(value);
        return value == 0 ? QStringLiteral("never read")
                          : QStringLiteral("last read by warp %1 of group %2")
                                .arg(count_text(warp.warp), count_text(warp.group));
    }
    case Kind::difference:
        return QStringLiteral("%1, A − B: %2%3")
            .arg(name, value > 0 ? u"+" : u"", count_text(value));
    }
    return {};
}

std::optional<Extent2D> innermost_block(const TexelLayout& layout)
{
    const std::vector<Extent2D>& blocks = layout.blocks();
    const auto larger =
        std::find_if(blocks.begin(), blocks.end(), [](Extent2D block) { return block.area() > 1; });
    return larger == blocks.end() ? std::nullopt : std::optional(*larger);
}

std::optional<TexelCells> heat_cells(HeatResolution::Kind kind, const StoredImage& image,
                                     Bytes line)
{
    switch (kind) {
    case HeatResolution::Kind::block: {
        const std::optional<Extent2D> block = innermost_block(image.layout);
        return block ? std::optional(TexelCells::blocks(image.extent, *block)) : std::nullopt;
    }
    case HeatResolution::Kind::line:
        return TexelCells::lines(image, line);
    case HeatResolution::Kind::texel:
        break;
    }
    return std::nullopt;
}

HeatLayer heat_layer(const LaunchResult& launch, std::size_t image, HeatChoice choice,
                     const Cells& cells, const LateMaps* late)
{
    if (const std::optional<HeatQuantity> quantity = counted(choice)) {
        return {HeatLayer::Kind::counts, summed(launch.images[image].map(*quantity), cells),
                to_text(choice)};
    }
    if (late != nullptr && choice == HeatChoice::reuse_distance && image < late->reuses.size()) {
        return {HeatLayer::Kind::means,
                mean_of(late->reuse_distances[image], late->reuses[image], cells), to_text(choice)};
    }
    if (late != nullptr && choice == HeatChoice::last_warp && image < late->last.warps.size()) {
        return {HeatLayer::Kind::warps,
                latest(late->last.warps[image], late->last.accesses[image], cells),
                to_text(choice)};
    }
    throw bad_input("these maps were not made", to_text(choice).toStdString());
}

HeatLayer difference_layer(const HeatLayer& a, const HeatLayer& b)
{
    HeatLayer difference{HeatLayer::Kind::difference, a.values, a.name};
    std::transform(a.values.counts.begin(), a.values.counts.end(), b.values.counts.begin(),
                   difference.values.counts.begin(), std::minus<>{});
    return difference;
}

} // namespace texelscope::gui

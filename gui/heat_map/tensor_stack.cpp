// A tensor as an image: two of its dimensions run down and across a tile (y and x, or the two
// largest), and there is a tile for each index of the others, one below the other. So all elements
// have a cell, whatever the tensor's rank.

#include "gui/heat_map/tensor_stack.hpp"

#include "gui/heat_map/tensor_text.hpp"
#include "gui/widgets/controls.hpp"

#include <QStringList>
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace texelscope::gui {
namespace {

/// The two largest dimensions, of equal ones the later, in the tensor's order.
std::pair<std::size_t, std::size_t> two_largest(const std::vector<std::int64_t>& shape)
{
    std::vector<std::size_t> order;
    for (std::size_t d = shape.size(); d-- > 0;) {
        order.push_back(d);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return shape[a] > shape[b]; });
    return std::minmax(order[0], order[1]);
}

} // namespace

TensorStack::TensorStack(Operand operand) : operand_(std::move(operand))
{
    const Tensor& tensor = operand_.tensor;
    const auto named = [&](const char* name) {
        return static_cast<std::size_t>(std::find(tensor.dims.begin(), tensor.dims.end(), name) -
                                        tensor.dims.begin());
    };
    const std::size_t y = named("y");
    const std::size_t x = named("x");
    if (y < tensor.dims.size() && x < tensor.dims.size()) {
        down_ = y;
        across_ = x;
    } else if (tensor.shape.size() > 1) {
        std::tie(down_, across_) = two_largest(tensor.shape);
    }
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        if (d != across_ && d != down_) {
            tiled_.push_back(d);
        }
    }
}

std::int32_t TensorStack::rows() const
{
    return down_ ? static_cast<std::int32_t>(operand_.tensor.shape[*down_]) : 1;
}

Extent2D TensorStack::extent() const
{
    const auto across = static_cast<std::int32_t>(operand_.tensor.shape[across_]);
    return {across, static_cast<std::int32_t>(operand_.tensor.size() / across)};
}

ElementIndex TensorStack::element(Texel cell) const
{
    ElementIndex index(operand_.tensor.shape.size(), 0);
    index[across_] = cell.x;
    if (down_) {
        index[*down_] = cell.y % rows();
    }
    std::int64_t tile = cell.y / rows();
    for (auto d = tiled_.rbegin(); d != tiled_.rend(); ++d) {
        index[*d] = tile % operand_.tensor.shape[*d];
        tile /= operand_.tensor.shape[*d];
    }
    return index;
}

Texel TensorStack::cell(const ElementIndex& element) const
{
    std::int64_t y = 0;
    for (const std::size_t d : tiled_) {
        y = y * operand_.tensor.shape[d] + element[d];
    }
    y = y * rows() + (down_ ? element[*down_] : 0);
    return {static_cast<std::int32_t>(element[across_]), static_cast<std::int32_t>(y)};
}

std::vector<Texel> TensorStack::cells_of(Texel texel) const
{
    std::vector<Texel> cells;
    for (const auto& index : elements_of(operand_, texel)) {
        if (index) {
            cells.push_back(cell(*index));
        }
    }
    return cells;
}

// The value of each element is that of the texel that holds it.
HeatMap TensorStack::values(const HeatMap& texels) const
{
    // Row by row, for the expressions are evaluated faster for many elements at once.
    HeatMap map{extent(), {}};
    map.counts.resize(static_cast<std::size_t>(map.extent.area()));
    const auto width = static_cast<std::size_t>(map.extent.width);
    std::vector<std::vector<std::int32_t>> columns(operand_.tensor.shape.size(),
                                                   std::vector<std::int32_t>(width));
    const std::vector<std::span<const std::int32_t>> spans(columns.begin(), columns.end());
    std::vector<std::int32_t> x(width);
    std::vector<std::int32_t> y(width);
    for (std::int32_t row = 0; row < map.extent.height; ++row) {
        const ElementIndex first = element({0, row});
        for (std::size_t d = 0; d < columns.size(); ++d) {
            std::fill(columns[d].begin(), columns[d].end(), static_cast<std::int32_t>(first[d]));
        }
        std::iota(columns[across_].begin(), columns[across_].end(), 0);
        operand_.x.evaluate(spans, x);
        operand_.y.evaluate(spans, y);
        std::int64_t* into = map.counts.data() + static_cast<std::size_t>(row) * width;
        for (std::size_t i = 0; i < width; ++i) {
            into[i] = texels.at({x[i], y[i]});
        }
    }
    return map;
}

QString TensorStack::element_text(Texel cell) const
{
    const ElementIndex index = element(cell);
    QStringList parts;
    for (std::size_t d = 0; d < index.size(); ++d) {
        parts << dimension_text(operand_.tensor, d) + QLatin1Char(' ') + count_text(index[d]);
    }
    return parts.join(QStringLiteral(", "));
}

QString TensorStack::tile_text(std::int32_t tile) const
{
    const ElementIndex index = element({0, tile * rows()});
    QStringList parts;
    for (const std::size_t d : tiled_) {
        if (operand_.tensor.shape[d] > 1) {
            parts << dimension_text(operand_.tensor, d) + QLatin1Char(' ') + count_text(index[d]);
        }
    }
    return parts.join(QStringLiteral(", "));
}

QString TensorStack::place_text(bool down, std::int32_t at) const
{
    return dimension_text(operand_.tensor, down && down_ ? *down_ : across_) + QLatin1Char(' ') +
           count_text(at);
}

QString TensorStack::axes_text() const
{
    QString text = tr("across: %1").arg(dimension_text(operand_.tensor, across_));
    if (down_) {
        text = tr("down: %1, ").arg(dimension_text(operand_.tensor, *down_)) + text;
    }
    QStringList tiles;
    for (const std::size_t d : tiled_) {
        if (operand_.tensor.shape[d] > 1) {
            tiles << dimension_text(operand_.tensor, d);
        }
    }
    return tiles.isEmpty() ? text : text + tr("; a tile for each %1").arg(tiles.join(tr(" and ")));
}

} // namespace texelscope::gui

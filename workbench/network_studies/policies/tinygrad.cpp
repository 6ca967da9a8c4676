#include "workbench/network_studies/policies/policy_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace texelscope::workbench::network_studies {
namespace {

using codegen::TensorLayout;

/// The dimensions along which a reader asks for elements outside of the value, so that it has to
/// check bounds there.
std::set<int> checked_dims(const ValueToLay& value)
{
    std::set<int> checked;
    for (const ValueReader& reader : value.readers) {
        const networks::NodeKernel& kernel = value.plan.kernels[reader.kernel].kernel;
        for (std::size_t d = 0; kernel.contraction && d < value.shape().size(); ++d) {
            const codegen::Range bounds =
                kernel.contraction->inputs[reader.input].index[d].bounds();
            if (bounds.min < 0 || bounds.max >= value.shape()[d]) {
                checked.insert(static_cast<int>(d));
            }
        }
    }
    return checked;
}

/// How many of these checks the border of the image makes by itself: those along the outermost
/// dimension of each of its sides.
int checks_dropped(const ValueToLay& value, const Dims& across, const Dims& down,
                   const std::set<int>& checked)
{
    int dropped = 0;
    for (const Dims* side : {&across, &down}) {
        const auto outermost =
            std::ranges::find_if(*side, [&](int d) { return value.texels(d) > 1; });
        dropped += outermost != side->end() && checked.contains(*outermost) ? 1 : 0;
    }
    return dropped;
}

TensorLayout tinygrad_layout(const ValueToLay& value)
{
    constexpr std::int64_t pitch = 64;
    constexpr std::int64_t most = 16384;
    const Axes axes = axes_of(value);
    const Dims flat = joined({axes.batch, {axes.height, axes.width, axes.channels}});
    const std::int64_t all = length(value, flat);
    const std::set<int> checked = checked_dims(value);
    // An image of one row must be a multiple of 64 B; with several rows, each begins at a multiple
    // of the pitch, so the number of texels must be one as well.
    struct Cut {
        std::size_t at = 0;
        bool aligned = false;
        int dropped = -1;
    };
    std::optional<Cut> best;
    for (std::size_t at = 0; at <= flat.size(); ++at) {
        const Dims down(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(at));
        const Dims across(flat.begin() + static_cast<std::ptrdiff_t>(at), flat.end());
        const std::int64_t width = length(value, across);
        const std::int64_t height = length(value, down);
        if (width > most || height > most || (height > 1 && all % pitch != 0) ||
            (height == 1 && all * 16 % pitch != 0)) {
            continue;
        }
        const Cut cut{at, height == 1 || width % pitch == 0,
                      checks_dropped(value, across, down, checked)};
        const auto better = [](const Cut& a, const Cut& b) {
            // ties: the index with fewer terms
            return a.aligned != b.aligned ? a.aligned : a.dropped > b.dropped;
        };
        best = !best || better(cut, *best) ? cut : best;
    }
    if (!best) {
        return by_sides(value, Memory::buffer, flat, {});
    }
    const auto cut = flat.begin() + static_cast<std::ptrdiff_t>(best->at);
    return by_sides(value, Memory::image, {cut, flat.end()}, {flat.begin(), cut});
}

KernelRule tinygrad_kernel(const KernelToTile& kernel)
{
    KernelRule rule;
    std::array<std::int64_t, 3> left{codegen::ceil_div(kernel.channels, 4), kernel.width,
                                     kernel.height};
    const auto outputs = [&] { return left[0] * left[1] * left[2] * kernel.planes; };
    Dim3 tile = one_texel;
    const bool sums = kernel.kind != KernelClass::other;
    constexpr std::int64_t few = 2048, enough = 1024;
    if (sums && outputs() <= few) { // 16 work-items share each sum, and nothing else is done
        rule.tiles = {tile};
        rule.groups = {{1, 1, 1}};
        rule.split = 16;
        return rule;
    }
    // Where one of the buffers does not change along an axis, four or three outputs along it, until
    // a work-item has 32.
    std::int64_t each = 4;
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}, std::size_t{0}}) {
        for (const std::int32_t more : {4, 3}) {
            if (sums && kernel.kind != KernelClass::depthwise && outputs() >= enough && each < 32 &&
                left[axis] % more == 0) {
                tile[axis] *= more;
                left[axis] /= more;
                each *= more;
                break;
            }
        }
    }
    Dim3 group{1, 1, 1};
    std::int64_t items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const std::int32_t size : {16, 8, 4, 3, 2}) {
            if (left[axis] % size == 0 && items * size <= 128) {
                group[axis] = size;
                items *= size;
                break;
            }
        }
    }
    rule.tiles = {tile};
    rule.groups = {group};
    return rule;
}

} // namespace

/// Among the sides that need no padding to the pitch: those with which the image's border makes the
/// most bounds checks, and of these the ones with the simplest index. tinygrad may cut within a
/// dimension, and differently for each reader; here a value is cut between dimensions, once for all
/// readers. Schedules are its heuristics, which search nothing (BEAM=0).
LayoutPolicy tinygrad_policy()
{
    return {"tinygrad",
            "tinygrad",
            "N H W C in a row, cut where the border makes most bounds checks; else a buffer",
            "github.com/tinygrad/tinygrad: tinygrad/codegen/late/coalesce.py (image_valid_dims, "
            "transform_to_image), "
            "tinygrad/codegen/opt/heuristic.py",
            tinygrad_layout,
            tinygrad_kernel,
            nullptr};
}

} // namespace texelscope::workbench::network_studies

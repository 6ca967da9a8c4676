// Which texels a read with a sampler touches: one, or with linear filtering two along each axis.
// The formulas are those of the OpenCL specification, section 8.2 ("Image Addressing and
// Filtering").

#include "traces/capture/texels_touched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::traces {
namespace {

/// The texels along one axis: one, or the two neighbours.
struct AxisTexels {
    std::int32_t first = 0;
    std::int32_t second = 0;
};

std::int32_t whole(double value)
{
    if (std::isnan(value)) {
        return -1; // undefined; outside of every image
    }
    constexpr double low = std::numeric_limits<std::int32_t>::min();
    // the neighbour has a number, too
    constexpr double high = std::numeric_limits<std::int32_t>::max() - 1;
    return static_cast<std::int32_t>(std::clamp(std::floor(value), low, high));
}

// The neighbour of a linear filter lies at most one texel outside, so one addition is enough.
std::int32_t wrapped(std::int32_t value, std::int32_t size)
{
    return value < 0 ? value + size : value >= size ? value - size : value;
}

AxisTexels along(double coordinate, std::int32_t size, Sampler sampler)
{
    // Hardware and specification compute in single precision.
    const auto s = static_cast<float>(coordinate);
    const auto extent = static_cast<float>(size);
    const auto inside = [size](std::int32_t i) { return std::clamp(i, 0, size - 1); };
    switch (sampler.address) {
    case SamplerAddress::repeat: {
        const float u = (s - std::floor(s)) * extent;
        if (!sampler.linear) {
            const std::int32_t i = whole(u);
            return {inside(i > size - 1 ? i - size : i), 0};
        }
        const std::int32_t i = whole(u - 0.5F);
        return {inside(wrapped(i, size)), inside(wrapped(i + 1, size))};
    }
    case SamplerAddress::mirrored_repeat: {
        const float u = std::fabs(s - 2.0F * std::rint(0.5F * s)) * extent;
        if (!sampler.linear) {
            return {inside(whole(u)), 0};
        }
        const std::int32_t i = whole(u - 0.5F);
        return {inside(i), inside(i + 1)};
    }
    case SamplerAddress::none:
    case SamplerAddress::clamp_to_edge:
    case SamplerAddress::clamp:
        break;
    }
    std::int32_t i = 0;
    if (sampler.linear) {
        i = whole((sampler.normalized ? s * extent : s) - 0.5F);
    } else {
        // Integer coordinates stay exact beyond what a float holds.
        i = sampler.normalized ? whole(s * extent) : whole(coordinate);
    }
    if (sampler.address == SamplerAddress::clamp_to_edge) {
        return {inside(i), inside(i + 1)};
    }
    // clamp and none: the texel as it is, which may lie outside of the image and then is the
    // border.
    return {i, i + 1};
}

} // namespace

TouchedTexels::TouchedTexels(const SampledImage& image, Sampler sampler,
                             std::span<const double> coordinates)
{
    std::array<AxisTexels, 3> axes{};
    const auto dimensions = static_cast<std::size_t>(image.dimensions);
    for (std::size_t d = 0; d < dimensions && d < coordinates.size(); ++d) {
        axes[d] = along(coordinates[d], image.size[d], sampler);
    }
    std::int32_t layer = 0;
    if (image.layers > 0 && coordinates.size() > dimensions) {
        layer = std::clamp(whole(std::rint(coordinates[dimensions])), 0, image.layers - 1);
    }
    // Bit d of `corner` chooses the first or the second texel along axis d.
    count_ = sampler.linear ? std::size_t{1} << dimensions : 1;
    for (std::size_t corner = 0; corner < count_; ++corner) {
        const auto pick = [&](std::size_t d) {
            return (corner >> d & 1) != 0 ? axes[d].second : axes[d].first;
        };
        texels_[corner] = {pick(0), pick(1), image.layers > 0 ? layer : pick(2)};
    }
}

} // namespace texelscope::traces

#include "tests/base/random.hpp"
#include "traces/capture/texels_touched.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::traces;
using texelscope::test::Random;

namespace {

/// Along one axis, by walking: coordinates are sixteenths of a texel (or of the image, with
/// `normalized`), so that nothing is rounded. The texel that `position` is in, where texels repeat
/// or mirror as the sampler says.
std::int32_t texel_in(std::int64_t position, std::int64_t unit, std::int32_t size,
                      SamplerAddress address)
{
    std::int64_t i = 0; // floor(position / unit), by walking
    while (i * unit > position) {
        --i;
    }
    while ((i + 1) * unit <= position) {
        ++i;
    }
    switch (address) {
    case SamplerAddress::clamp_to_edge:
        while (i < 0) {
            ++i;
        }
        while (i >= size) {
            --i;
        }
        break;
    case SamplerAddress::repeat:
        while (i < 0) {
            i += size;
        }
        while (i >= size) {
            i -= size;
        }
        break;
    case SamplerAddress::mirrored_repeat:
        while (i < 0 || i >= size) {
            i = i < 0 ? -1 - i : 2 * size - 1 - i;
        }
        break;
    case SamplerAddress::none:
    case SamplerAddress::clamp:
        break;
    }
    return static_cast<std::int32_t>(i);
}

const SamplerAddress every_address[] = {SamplerAddress::none, SamplerAddress::clamp_to_edge,
                                        SamplerAddress::clamp, SamplerAddress::repeat,
                                        SamplerAddress::mirrored_repeat};

} // namespace

TEST_CASE(
    "texels that a read touches: every addressing mode and filter against walking along the axes")
{
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
        Random random(seed);
        SampledImage image;
        image.dimensions = random.small(1, 3);
        image.layers = image.dimensions < 3 && random.one_in(3) ? random.small(1, 5) : 0;
        Sampler sampler;
        sampler.address = every_address[random.between(0, 4)];
        sampler.linear = random.one_in(2);
        sampler.normalized = sampler.address == SamplerAddress::repeat ||
                             sampler.address == SamplerAddress::mirrored_repeat || random.one_in(2);
        std::vector<double> coordinates;
        std::vector<std::vector<std::int32_t>> expected; // the candidates along each axis
        for (int d = 0; d < image.dimensions; ++d) {
            // Powers of two: normalized coordinates are exact then.
            const auto size = static_cast<std::int32_t>(1 << random.small(0, 5));
            image.size[static_cast<std::size_t>(d)] = size;
            const std::int64_t sixteenths = random.between(-40 * size, 40 * size);
            // The middle of a sixteenth: between texels, where both neighbours are as far, no side
            // is the right one.
            const std::int64_t position = 2 * sixteenths + 1; // in 32nds of a texel
            coordinates.push_back(static_cast<double>(position) / 32 /
                                  (sampler.normalized ? size : 1));
            const std::int64_t first = sampler.linear ? position - 16 : position;
            expected.push_back({texel_in(first, 32, size, sampler.address)});
            if (sampler.linear) {
                expected.back().push_back(texel_in(first + 32, 32, size, sampler.address));
            }
        }
        std::int32_t layer = 0;
        if (image.layers > 0) {
            // rounds to the whole
            const std::int64_t quarters = 4 * random.between(-3, 8) + random.between(-1, 1);
            coordinates.push_back(static_cast<double>(quarters) / 4);
            layer = static_cast<std::int32_t>(std::clamp<std::int64_t>(
                quarters >= 0 ? (quarters + 2) / 4 : -((2 - quarters) / 4), 0, image.layers - 1));
        }
        std::vector<VolumeTexel> texels{{0, 0, layer}};
        for (int d = 0; d < image.dimensions; ++d) { // later axes vary slower
            std::vector<VolumeTexel> longer;
            for (const std::int32_t at : expected[static_cast<std::size_t>(d)]) {
                for (VolumeTexel texel : texels) {
                    (d == 0 ? texel.x : d == 1 ? texel.y : texel.z) = at;
                    longer.push_back(texel);
                }
            }
            texels = longer;
        }
        const TouchedTexels touched(image, sampler, coordinates);
        // Mirrored neighbours come out of the formula of the specification in the order of their
        // places.
        std::vector<VolumeTexel> found(touched.texels().begin(), touched.texels().end());
        if (sampler.address == SamplerAddress::mirrored_repeat) {
            std::sort(found.begin(), found.end());
            std::sort(texels.begin(), texels.end());
        }
        INFO("seed " << seed << ", address " << static_cast<int>(sampler.address)
                     << (sampler.linear ? ", linear" : ""));
        CHECK((found == texels));
    }
}

TEST_CASE(
    "integer coordinates are exact beyond what a float holds, and what is no number is outside")
{
    const SampledImage image{2, {8, 8, 1}, 0};
    const double far[] = {16777217, -16777217};
    const TouchedTexels touched(image, {SamplerAddress::clamp, false, false}, far);
    REQUIRE(touched.texels().size() == 1);
    CHECK(touched.texels()[0] == VolumeTexel{16777217, -16777217, 0});
    const double nothing[] = {std::nan(""), 3};
    CHECK(TouchedTexels(image, {SamplerAddress::clamp, false, false}, nothing).texels()[0] ==
          VolumeTexel{-1, 3, 0});
    const double endless[] = {HUGE_VAL, -HUGE_VAL};
    CHECK(TouchedTexels(image, {SamplerAddress::clamp_to_edge, true, false}, endless).texels()[0] ==
          VolumeTexel{7, 0, 0});
}

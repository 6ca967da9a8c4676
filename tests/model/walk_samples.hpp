#pragma once

#include "model/tmmodel/linear_model.hpp"
#include "model/walks/stride_walk.hpp"

#include <functional>
#include <vector>

namespace texelscope::test {
using namespace model;

/// Histograms of random walks over an image of 512 x 512, timed by `latency` of the histogram.
inline std::vector<WalkSample>
walk_samples(std::mt19937_64& random, int count,
             const std::function<double(const CrossBlockHistogram&)>& latency,
             std::span<const Extent2D> shapes = default_block_shapes())
{
    std::vector<WalkSample> samples;
    for (int i = 0; i < count; ++i) {
        const StrideDistribution distribution = draw_distribution(random, {});
        const std::vector<Texel> texels = walk(random, distribution, {512, 512}, 200 + i);
        const CrossBlockHistogram histogram = cross_block_histogram(texels, shapes);
        samples.push_back({histogram, Nanoseconds{latency(histogram)}});
    }
    return samples;
}

} // namespace texelscope::test

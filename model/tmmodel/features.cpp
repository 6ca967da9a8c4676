#include "model/tmmodel/features.hpp"

#include "base/error.hpp"

namespace texelscope::model {

std::vector<double> per_access_features(const CrossBlockHistogram& histogram)
{
    if (histogram.accesses <= 0) {
        throw bad_input("the histogram counts no access", "histogram", "take one of a sequence with texels in it");
    }
    const auto accesses = static_cast<double>(histogram.accesses);
    std::vector<double> features;
    features.reserve(2 * histogram.bins.size() + 1);
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        features.push_back(static_cast<double>(bin.x) / accesses);
        features.push_back(static_cast<double>(bin.y) / accesses);
    }
    features.push_back(1);
    return features;
}

std::vector<Extent2D> block_shapes(const CrossBlockHistogram& histogram)
{
    std::vector<Extent2D> shapes;
    shapes.reserve(histogram.bins.size());
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        shapes.push_back(bin.block);
    }
    return shapes;
}

} // namespace texelscope::model

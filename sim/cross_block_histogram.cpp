#include "sim/cross_block_histogram.hpp"

namespace texelscope {

const std::vector<Extent2D>& default_block_shapes()
{
    static const std::vector<Extent2D> shapes{{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32},
                                              {2, 1}, {4, 1}, {8, 1}, {1, 2}, {1, 4},   {1, 8}};
    return shapes;
}

CrossBlockHistogram cross_block_histogram(std::span<const Texel> texels, std::span<const Extent2D> shapes)
{
    CrossBlockHistogram histogram;
    histogram.accesses = static_cast<std::int64_t>(texels.size());
    for (const Extent2D shape : shapes) {
        CrossBlockHistogram::Bin bin{shape, 0, 0};
        for (std::size_t i = 1; i < texels.size(); ++i) {
            bin.x += floor_div(texels[i].x, shape.width) != floor_div(texels[i - 1].x, shape.width) ? 1 : 0;
            bin.y += floor_div(texels[i].y, shape.height) != floor_div(texels[i - 1].y, shape.height) ? 1 : 0;
        }
        histogram.bins.push_back(bin);
    }
    return histogram;
}

} // namespace texelscope

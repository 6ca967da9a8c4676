#include "devices/listed_walk.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace texelscope {
namespace {

// Triangular numbers go through all squares of an image whose side is a power of two, and so do multiples of an odd number; the
// two together leave rows, columns and diagonals of the walk before.
constexpr const char* source =
    R"(constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void listed_walk(read_only image2d_t data, global const int *restrict list, global int *launches,
                        local int *places, int steps, int reads, int width, int height, int across, int down)
{
    const int launch = launches[0];
    const int move_x = launch * 5 % across * 32;
    const int move_y = launch * (launch + 1) / 2 % down * 32;
    for (int i = 0; i < steps; ++i) {
        places[i] = ((list[i] & 0xffff) + move_x) % width | ((list[i] >> 16) + move_y) % height << 16;
    }
    int zero = 0;
    int next = 0;
    for (int i = 0; i < reads; ++i) {
        const int place = places[next] + zero;
        next = next + 1 == steps ? 0 : next + 1;
        zero = (int)read_imagef(data, texel_sampler, (int2)(place & 0xffff, place >> 16)).x;
    }
    launches[0] = launch + 1 + zero;
}
)";

} // namespace

Job listed_walk_job(Extent2D extent, std::span<const Texel> walk, std::int64_t reads, WalkPlace place)
{
    constexpr std::int32_t largest = 32768; // a place is two numbers of 16 bits, the upper one with a sign
    if (extent.width > largest || extent.height > largest) {
        throw bad_input(fmt::format("a listed walk through {}x{} texels", extent.width, extent.height), "walk",
                        "walk through an image of at most 32768 texels along a side");
    }
    if (walk.empty() || !std::all_of(walk.begin(), walk.end(), [&](Texel texel) { return extent.contains(texel); })) {
        throw bad_input("no texels, or one outside of the image", "walk");
    }
    std::vector<std::int32_t> list;
    for (const Texel texel : walk) {
        list.push_back(texel.x | texel.y << 16);
    }
    std::vector<std::byte> bytes(list.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), list.data(), bytes.size());
    const auto size = static_cast<std::int64_t>(bytes.size());

    constexpr std::int32_t side = 32;
    const bool moves = place == WalkPlace::moved && extent.width % side == 0 && extent.height % side == 0;
    Job job;
    job.name = "listed_walk";
    job.kernel = "listed_walk";
    job.source = source;
    job.arguments = {JobImage{extent.width, extent.height, TexelType::fp32, false, {}},
                     JobBuffer{size, false, std::move(bytes)},
                     JobBuffer{sizeof(std::int32_t), true, {}},
                     JobLocal{size},
                     static_cast<std::int32_t>(walk.size()),
                     static_cast<std::int32_t>(reads),
                     extent.width,
                     extent.height,
                     moves ? extent.width / side : 1, // 1: no move
                     moves ? extent.height / side : 1};
    job.outputs = {2};
    return job;
}

} // namespace texelscope

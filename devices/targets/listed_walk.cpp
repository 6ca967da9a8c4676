#include "devices/targets/listed_walk.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace texelscope::devices {
namespace {

// Where a launch moves the walk to: in y by triangular numbers, which go through all squares of an
// image whose side is a power of two, and in x by multiples of an odd number, which do so as well.
// The two together leave the rows, columns and diagonals of the walk before.
constexpr const char* listed_walk_source =
    R"(constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

int read_at(read_only image2d_t data, int place, int2 move, int2 extent, int zero)
{
    int2 at = (int2)(place & 0xffff, place >> 16) + move;
    at.x -= at.x >= extent.x ? extent.x : 0;
    at.y -= at.y >= extent.y ? extent.y : 0;
    return (int)read_imagef(data, texel_sampler, (int2)(at.x + zero, at.y)).x;
}

kernel void listed_walk(read_only image2d_t data, constant int4 *list, global int *launches, int quads, int reads,
                        int width, int height, int across, int down)
{
    const int launch = launches[0];
    const int2 extent = (int2)(width, height);
    const int2 move = (int2)(launch * 5 % across * 32, launch * (launch + 1) / 2 % down * 32);
    int zero = 0;
    int quad = 0;
    int4 next = list[0];
    int left = reads;
    for (; left >= 4; left -= 4) {
        const int4 places = next;
        quad = quad + 1 == quads ? 0 : quad + 1;
        next = list[quad];
        zero = read_at(data, places.x, move, extent, zero);
        zero = read_at(data, places.y, move, extent, zero);
        zero = read_at(data, places.z, move, extent, zero);
        zero = read_at(data, places.w, move, extent, zero);
    }
    if (left > 0) {
        zero = read_at(data, next.x, move, extent, zero);
    }
    if (left > 1) {
        zero = read_at(data, next.y, move, extent, zero);
    }
    if (left > 2) {
        zero = read_at(data, next.z, move, extent, zero);
    }
    launches[0] = launch + 1 + zero;
}
)";

/// The walk's places, over and over until whole quads of them are whole walks; once, filled up,
/// where no more is read.
std::vector<std::int32_t> quads_of(std::span<const Texel> walk, std::int64_t reads)
{
    const auto length = std::ssize(walk);
    // A list must be whole quads: after lcm(4, length) places, quads and walk begin together again.
    const std::int64_t turns = reads > length ? 4 / std::gcd(std::int64_t{4}, length) : 1;
    std::vector<std::int32_t> list;
    for (std::int64_t i = 0; i < turns * length || i % 4 != 0; ++i) {
        const Texel texel = walk[static_cast<std::size_t>(i % length)];
        list.push_back(texel.x | texel.y << 16);
    }
    return list;
}

} // namespace

Job listed_walk_job(Extent2D extent, std::span<const Texel> walk, std::int64_t reads,
                    WalkPlace place)
{
    // A place is two numbers of 16 bits; the upper one must stay below 2^15, as the int has a sign.
    constexpr std::int32_t largest = 32768;
    if (extent.width > largest || extent.height > largest) {
        throw bad_input(
            fmt::format("a listed walk through {}x{} texels", extent.width, extent.height), "walk",
            "walk through an image of at most 32768 texels along a side");
    }
    if (walk.empty() || !std::all_of(walk.begin(), walk.end(),
                                     [&](Texel texel) { return extent.contains(texel); })) {
        throw bad_input("no texels, or one outside of the image", "walk");
    }
    const std::vector<std::int32_t> list = quads_of(walk, reads);
    std::vector<std::byte> bytes(list.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), list.data(), bytes.size());
    const auto size = static_cast<std::int64_t>(bytes.size());

    constexpr std::int32_t side = 32;
    const bool moves =
        place == WalkPlace::moved && extent.width % side == 0 && extent.height % side == 0;
    Job job;
    job.name = "listed_walk";
    job.kernel = "listed_walk";
    job.source = listed_walk_source;
    job.arguments = {JobImage{extent.width, extent.height, TexelType::fp32, false, {}},
                     JobBuffer{size, false, std::move(bytes)},
                     JobBuffer{sizeof(std::int32_t), true, {}},
                     static_cast<std::int32_t>(list.size() / 4),
                     static_cast<std::int32_t>(reads),
                     extent.width,
                     extent.height,
                     moves ? extent.width / side : 1, // 1: no move
                     moves ? extent.height / side : 1};
    job.outputs = {2};
    return job;
}

} // namespace texelscope::devices

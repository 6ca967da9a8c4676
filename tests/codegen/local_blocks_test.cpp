#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <tuple>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

using Place = std::tuple<int, std::int32_t, std::int32_t>; // image, x, y

/// How often a work-group reads each texel of the images that it stages, over all of its
/// work-items.
std::map<Place, int> reads_of_group(const Launch& launch, const Dim3& group)
{
    std::map<Place, int> reads;
    const auto [bx, by, bz] = launch.local;
    for (int l = 0; l < bx * by * bz; ++l) {
        for (const ItemRead& read :
             item_reads(launch, group, {l % bx, l / bx % by, l / (bx * by)})) {
            if (launch.images[static_cast<std::size_t>(read.image)].extent.contains(read.texel)) {
                ++reads[{read.image, read.texel.x, read.texel.y}];
            }
        }
    }
    return reads;
}

Schedule without_blocks(Schedule schedule)
{
    schedule.stage = 0;
    return schedule;
}

/// A schedule of a matrix product that keeps blocks of both inputs.
Schedule staged_schedule(test::Random& random)
{
    Schedule schedule = test::random_matmul_schedule(random);
    const std::int32_t bx = random.pick<std::int32_t>({2, 4, 8});
    const std::int32_t by = random.pick<std::int32_t>({2, 4, 8});
    schedule.group = {bx, by, 1};
    schedule.warp = {random.one_in(2) ? bx : bx / 2, by};
    schedule.stage = std::max(bx, by) * random.small(1, 3);
    return schedule;
}

} // namespace

TEST_CASE("A work-group with blocks in local memory reads what it reads without, each texel once")
{
    test::Random random(21);
    for (int i = 0; i < 60; ++i) {
        const Operator op =
            matmul(random.between(2, 30), random.between(2, 30), random.between(9, 40));
        const Schedule schedule = staged_schedule(random);
        const LoopNest nest = op.nest(schedule);
        const Launch staged = launch_of(nest);
        const Launch plain = launch_of(op.nest(without_blocks(schedule)));
        CAPTURE(nest.operator_text, nest.schedule_text);
        REQUIRE(staged.groups == plain.groups);
        for (int g = 0; g < staged.group_count(); ++g) {
            const Dim3 group{g % staged.groups[0], g / staged.groups[0], 0};
            const auto own = reads_of_group(staged, group);
            const auto each = reads_of_group(plain, group);
            for (const auto& [place, times] : own) {
                CHECK(times == 1);
            }
            // A group at the edge may copy for tiles that nobody computes; what is computed has all
            // of its texels.
            for (const auto& [place, times] : each) {
                CHECK(own.contains(place));
            }
        }
    }
}

TEST_CASE("Blocks in local memory divide the reads of A by the group's width, of B by its height")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const Schedule schedule = parse_schedule("A=row,column;T=4x1;G=16x8;S=16");
    const auto reads = [&](const Schedule& s) {
        std::map<int, std::int64_t> of_image;
        for (const auto& [place, times] : reads_of_group(launch_of(op.nest(s)), {0, 0, 0})) {
            of_image[std::get<0>(place)] += times;
        }
        return of_image;
    };
    auto each = reads(without_blocks(schedule));
    auto blocks = reads(schedule);
    CHECK(each[0] == 16 * blocks[0]);
    CHECK(each[1] == 8 * blocks[1]);
    // A row of 8 work-items by 16 iterations, and four reads of B by 16 work-items by 16
    // iterations; float4.
    CHECK(local_memory_bytes(op.nest(schedule)) == (8 * 16 + 4 * 16 * 16) * 16);
}

TEST_CASE("An input of which every work-item needs its own part is read as without blocks")
{
    // The channels of a depthwise convolution and its columns both choose an element of X; of W
    // only the channels do.
    const Operator op = parse_operator("dwconv2d", "1,8,8,16,3,3,1");
    const LoopNest nest = op.nest(parse_schedule("A=column,row;T=4x1;G=4x4;S=4"));
    REQUIRE(nest.local_arrays.size() == 1);
    CHECK(nest.local_arrays[0].name == "w_block");
}

TEST_CASE("Blocks in local memory that are not possible are refused with a reason")
{
    const auto refused = [](const char* op, const char* shape, const char* configuration,
                            const char* because) {
        CAPTURE(configuration);
        CHECK_THROWS_WITH(loop_nest(parse_operator(op, shape), parse_schedule(configuration)),
                          Contains(because));
    };
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=8x8;S=7", "make S x 8 a multiple of 64");
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=8x8;S=8;R=2", "leave S or R out");
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=8x8x2;S=8", "G's third size 1");
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=1x1;S=8", "share no texels");
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=8x8;S=8;U=k", "take a loop out of U");
    refused("matmul", "32,32,32", "A=row,row;T=4x4;G=8x8;S=2000", "at most 1024");
    refused("matmul", "32,32,32", "A=row,row;T=8x8;G=8x8;S=1024", "would copy 2048 texels");
    refused("matmul", "32,32,3", "A=row,row;T=1x1;G=8x8;S=8", "no reduction loop has iterations");
    refused("conv2d", "1,8,8,8,8,3,3,1", "A=row,row;T=4x4;G=8x8;S=8;U=kh",
            "kh is written out around the blocks");
    refused("softmax", "8,8", "A=row;T=4x1;G=1x8;S=4", "share no texels");
    CHECK_NOTHROW(loop_nest(parse_operator("conv2d", "1,8,8,8,8,3,3,1"),
                            parse_schedule("A=row,row;T=4x4;G=8x8;S=8;L=kw,ci,kh;U=kh")));
}

#include "codegen/operator.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "traces/error.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

using namespace texelscope;
using Catch::Matchers::Contains;

namespace {

/// The numbers 1, 2, ... of a tensor's elements.
std::vector<float> numbered(const Tensor& tensor)
{
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
}

/// The element that a component of a texel of the operand holds; `packed`: its texels, of numbered elements. -1 outside
/// of the image or in the padding.
std::int64_t element_at(const Operand& operand, const std::vector<float>& packed, Texel texel, int component)
{
    if (!operand.image.extent.contains(texel)) {
        return -1;
    }
    const auto number = std::int64_t{texel.y} * operand.image.extent.width + texel.x;
    return static_cast<std::int64_t>(packed[static_cast<std::size_t>(number * 4 + component)]) - 1;
}

} // namespace

TEST_CASE("Packing and unpacking an operand gives the tensor back, and padding is zero")
{
    test::Random random(3);
    for (int i = 0; i < 60; ++i) {
        const Operator op = test::random_matmul(random, 20);
        const LoopNest nest = op.nest(test::random_matmul_schedule(random));
        for (const Operand& operand : {nest.inputs[0], nest.inputs[1], nest.output}) {
            const std::vector<float> values = numbered(operand.tensor);
            const std::vector<float> texels = pack(operand, values);
            CAPTURE(nest.operator_text, nest.schedule_text, operand.image.name);
            CHECK(unpack(operand, texels) == values);
            std::multiset<float> stored(texels.begin(), texels.end());
            CHECK(stored.size() - stored.count(0.0F) == values.size()); // each element once, the rest is padding
        }
    }
}

TEST_CASE("The reads of the work-items cover, for each output, exactly the row of A and the column of B")
{
    test::Random random(5);
    for (int i = 0; i < 40; ++i) {
        const Operator op = test::random_matmul(random, 13);
        const Schedule schedule = test::random_matmul_schedule(random, 64);
        const LoopNest nest = op.nest(schedule);
        const Launch launch = launch_of(nest);
        const auto sizes = op.shape;
        CAPTURE(nest.operator_text, nest.schedule_text);
        const std::vector<std::vector<float>> packed{pack(nest.inputs[0], numbered(nest.inputs[0].tensor)),
                                                     pack(nest.inputs[1], numbered(nest.inputs[1].tensor))};
        std::multiset<std::int64_t> read_a;
        std::multiset<std::int64_t> read_b;
        std::int64_t working_items = 0;
        const auto [bx, by, bz] = launch.local;
        for (int g = 0; g < launch.group_count(); ++g) {
            for (int l = 0; l < bx * by * bz; ++l) {
                const Dim3 group{g % launch.groups[0], g / launch.groups[0] % launch.groups[1], 0};
                const auto reads = item_reads(launch, group, {l % bx, l / bx % by, l / (bx * by)});
                working_items += reads.empty() ? 0 : 1;
                for (const ItemRead& read : reads) {
                    const auto image = static_cast<std::size_t>(read.image);
                    for (int component = 0; component < 4; ++component) {
                        const std::int64_t element =
                            element_at(nest.inputs[image], packed[image], read.texel, component);
                        if (element >= 0) {
                            (read.image == 0 ? read_a : read_b).insert(element);
                        }
                    }
                }
            }
        }
        // An element of A is needed by every tile along N, one of B by every tile along M.
        const std::int64_t tiles_n = (sizes[1] + schedule.tile[0] - 1) / schedule.tile[0];
        const std::int64_t tiles_m = (sizes[0] + schedule.tile[1] - 1) / schedule.tile[1];
        CHECK(working_items == tiles_n * tiles_m);
        for (std::int64_t e = 0; e < sizes[0] * sizes[2]; ++e) {
            CHECK(static_cast<std::int64_t>(read_a.count(e)) == tiles_n);
        }
        for (std::int64_t e = 0; e < sizes[2] * sizes[1]; ++e) {
            CHECK(static_cast<std::int64_t>(read_b.count(e)) == tiles_m);
        }
        CHECK(read_a.size() == static_cast<std::size_t>(sizes[0] * sizes[2] * tiles_n));
        CHECK(read_b.size() == static_cast<std::size_t>(sizes[2] * sizes[1] * tiles_m));
    }
}

TEST_CASE("Illegal schedules of matmul are refused with a reason")
{
    const Operator op = matmul(8, 8, 8);
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row;T=4x4;G=8x8")), Contains("1 access patterns"));
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row,row;T=4;G=8x8")), Contains("tile with 1 sizes"));
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row,row;T=64x64;G=8x8")), Contains("at most"));
}

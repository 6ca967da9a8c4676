#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

/// Elements of a tensor by the place that packing gives them: what pack() makes of the tensor's own
/// element numbers.
class Stored {
public:
    explicit Stored(const Operand& operand) : extent_(operand.image.extent)
    {
        std::vector<float> numbers(static_cast<std::size_t>(operand.tensor.size()));
        std::iota(numbers.begin(), numbers.end(), 1.0F);
        texels_ = pack(operand, numbers);
    }

    /// Of a component of a texel; -1 outside of the image or in the padding.
    [[nodiscard]] std::int64_t element_at(Texel texel, int component) const
    {
        if (!extent_.contains(texel)) {
            return -1;
        }
        const std::int64_t place =
            (std::int64_t{texel.y} * extent_.width + texel.x) * 4 + component;
        return static_cast<std::int64_t>(texels_[static_cast<std::size_t>(place)]) - 1;
    }

private:
    Extent2D extent_;
    std::vector<float> texels_;
};

} // namespace

TEST_CASE("Packing and unpacking an operand gives the tensor back, and padding is zero")
{
    test::Random random(3);
    for (int i = 0; i < 60; ++i) {
        const Operator op = test::random_matmul(random, 20);
        const LoopNest nest = op.nest(test::random_matmul_schedule(random));
        for (const Operand& operand : {nest.inputs[0], nest.inputs[1], nest.output}) {
            std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()));
            for (std::size_t e = 0; e < values.size(); ++e) {
                values[e] = static_cast<float>(e + 1);
            }
            const std::vector<float> texels = pack(operand, values);
            CAPTURE(nest.operator_text, nest.schedule_text, operand.image.name);
            CHECK(unpack(operand, texels) == values);
            std::multiset<float> stored(texels.begin(), texels.end());
            // each element once, the rest is padding
            CHECK(stored.size() - stored.count(0.0F) == values.size());
        }
    }
}

TEST_CASE(
    "The reads of the work-items cover, for each output, exactly the row of A and the column of B")
{
    test::Random random(5);
    for (int i = 0; i < 40; ++i) {
        const Operator op = test::random_matmul(random, 13);
        const Schedule schedule = test::random_matmul_schedule(random, 64);
        const LoopNest nest = op.nest(schedule);
        const Launch launch = launch_of(nest);
        const auto sizes = op.shape;
        CAPTURE(nest.operator_text, nest.schedule_text);
        const std::vector<Stored> stored{Stored(nest.inputs[0]), Stored(nest.inputs[1])};
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
                    for (int component = 0; component < 4; ++component) {
                        const std::int64_t element =
                            stored[static_cast<std::size_t>(read.image)].element_at(read.texel,
                                                                                    component);
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

TEST_CASE("The reference agrees with a product written out")
{
    const Operator op = matmul(2, 2, 3);
    CHECK(op.reference({{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}) ==
          std::vector<float>{58, 64, 139, 154});
}

TEST_CASE("Illegal shapes and schedules of matmul are refused with a reason")
{
    CHECK_THROWS_WITH(parse_operator("matmul", "4,0,4"), Contains("size 0"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,-1,4"), Contains("size -1"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,4"), Contains("2 sizes"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,x,4"), Contains("'x'"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,99999999999999999999,4"),
                      Contains("is not a whole number"));
    CHECK_THROWS_WITH(parse_operator("conv", "1"), Contains("no operator 'conv'"));
    const Operator op = matmul(8, 8, 8);
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row;T=4x4;G=8x8")), Contains("1 access patterns"));
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row,row;T=4;G=8x8")),
                      Contains("tile with 1 sizes"));
    CHECK_THROWS_WITH(op.nest(parse_schedule("A=row,row;T=64x64;G=8x8")), Contains("at most"));
}

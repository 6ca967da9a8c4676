#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/texel_elements.hpp"
#include "devices/launch/limits.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

/// The number of an element of a row-major tensor.
std::int64_t number_of(const Tensor& tensor, const ElementIndex& index)
{
    std::int64_t number = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
        number = number * tensor.shape[d] + index[d];
    }
    return number;
}

/// A tensor of unique numbers is packed as host programs do; then every texel is looked up. Returns
/// its texels.
std::int64_t check_operand(const Operand& operand)
{
    std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()));
    std::iota(values.begin(), values.end(), 1.0F); // 0: padding
    const std::vector<float> texels = pack(operand, values);
    const Extent2D extent = operand.image.extent;
    std::int64_t wrong = 0;
    std::int64_t elements = 0;
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            const auto found = elements_of(operand, {x, y});
            const auto first = static_cast<std::size_t>(std::int64_t{y} * extent.width + x) * 4;
            for (std::size_t component = 0; component < 4; ++component) {
                const float packed = texels[first + component];
                const auto& index = found[component];
                wrong += packed !=
                         (index ? static_cast<float>(number_of(operand.tensor, *index) + 1) : 0.0F);
                if (index) {
                    ++elements;
                    wrong += texel_of(operand, *index) != Texel{x, y};
                }
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(elements == operand.tensor.size());
    return extent.area();
}

} // namespace

TEST_CASE(
    "A texel has the elements that packing puts into it, of every operator, pattern and shape")
{
    std::int64_t texels = 0;
    for (const std::string& name : operator_names()) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            test::Random random(seed);
            const Operator op = test::random_operator(random, name);
            Schedule schedule = test::random_schedule(random, op);
            const LoopNest nest = loop_nest(op, schedule);
            CAPTURE(seed, to_string(op), to_string(schedule));
            for (const Operand& operand : nest.inputs) {
                CAPTURE(operand.tensor.name);
                CHECK(operand.tensor.dims.size() == operand.tensor.shape.size());
                texels += check_operand(operand);
            }
            CHECK(nest.output.tensor.dims.size() == nest.output.tensor.shape.size());
            texels += check_operand(nest.output);
        }
        for (const AccessPattern pattern : all_access_patterns) {
            test::Random random(static_cast<std::uint64_t>(pattern) + 77);
            const Operator op = test::random_operator(random, name);
            Schedule schedule = op.default_schedule;
            schedule.patterns.assign(op.inputs.size(), pattern);
            CAPTURE(to_string(op), to_string(pattern));
            for (const Operand& operand : loop_nest(op, schedule).inputs) {
                texels += check_operand(operand);
            }
        }
    }
    CHECK(texels > 10'000);
}

TEST_CASE("The elements of a texel, by hand")
{
    // A of matmul in rows: texel x has columns 4x..4x+3 of row y. Its last one is half padding.
    const Operator op = parse_operator("matmul", "8,8,10");
    Schedule schedule = op.default_schedule;
    schedule.patterns = {AccessPattern::row, AccessPattern::column};
    const LoopNest nest = loop_nest(op, schedule);
    const auto found = elements_of(nest.inputs[0], {1, 5});
    for (std::int64_t c = 0; c < 4; ++c) {
        CHECK(found[static_cast<std::size_t>(c)] == ElementIndex{5, 4 + c});
    }
    const auto last = elements_of(nest.inputs[0], {2, 5});
    CHECK(last[1] == ElementIndex{5, 9});
    CHECK_FALSE(last[2]);
    CHECK_FALSE(elements_of(nest.inputs[0], {3, 5})[0]); // beside the image
}

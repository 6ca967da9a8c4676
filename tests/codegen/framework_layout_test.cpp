// Where frameworks keep a texel, against their own formulas.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

using Index = std::vector<std::int64_t>;
/// Column and row of the texel of an element.
using Formula = std::function<std::array<std::int64_t, 2>(const Index&)>;

/// Compares every texel of a tensor with the formula, and the image's size with what it spans. With
/// a padding of zeros the image may be larger.
void check_texels(const Operand& operand, const Formula& formula)
{
    const auto& shape = operand.tensor.shape;
    std::int64_t width = 0;
    std::int64_t height = 0;
    for (std::int64_t number = 0; number < operand.tensor.size(); ++number) {
        Index index(shape.size());
        std::int64_t rest = number;
        for (std::size_t d = shape.size(); d-- > 0;) {
            index[d] = rest % shape[d];
            rest /= shape[d];
        }
        const auto [x, y] = formula(index);
        REQUIRE(operand.x.evaluate(index) == x);
        REQUIRE(operand.y.evaluate(index) == y);
        REQUIRE(operand.component.evaluate(index) == index.back() % 4);
        width = std::max(width, x + 1);
        height = std::max(height, y + 1);
    }
    CHECK(operand.image.extent.width == width);
    CHECK(operand.image.extent.height == height);
}

LoopNest nest_of(const char* op, const char* shape, const std::string& layouts)
{
    return loop_nest(parse_operator(op, shape, "valid"),
                     parse_schedule("A=row,row;T=4x1;G=8x8;F=" + layouts));
}

} // namespace

TEST_CASE("Frameworks' layouts of images and weights")
{
    // N, H, W = 2, 5, 6; C = 8, O = 12; taps 3 x 2
    const char* const conv = "2,5,6,8,12,3,2,1";
    constexpr std::int64_t H = 5;
    constexpr std::int64_t W = 6;
    constexpr std::int64_t C4 = 2;
    constexpr std::int64_t I = 8;
    constexpr std::int64_t O4 = 3;
    constexpr std::int64_t KH = 3;
    constexpr std::int64_t KW = 2;
    constexpr std::int64_t N = 2;

    SECTION("TVM")
    {
        const LoopNest nest = nest_of("conv2d", conv, "tvm,tvm,own");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{i[2], (i[0] * C4 + i[3] / 4) * H + i[1]};
        });
        check_texels(nest.inputs[1], [](const Index& i) {
            return std::array{i[1], (i[3] / 4 * I + i[2]) * KH + i[0]};
        });
    }
    SECTION("TVM, channels last")
    {
        const LoopNest nest = nest_of("conv2d", conv, "tvm-nhwc,tvm-nhwc,own");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{i[2] * C4 + i[3] / 4, i[0] * H + i[1]};
        });
        check_texels(nest.inputs[1], [](const Index& i) {
            return std::array{i[3] / 4, (i[0] * KW + i[1]) * I + i[2]};
        });
    }
    SECTION("TVM, channels last, where that fits")
    {
        const LoopNest nest = nest_of("conv2d", conv, "tvm-nhwc-rows,own,own");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{i[3] / 4, (i[0] * H + i[1]) * W + i[2]};
        });
    }
    SECTION("TVM, weights")
    {
        const LoopNest nest = nest_of("conv2d", conv, "tvm-weight,tvm-weight,own");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{(i[3] / 4 * H + i[1]) * W + i[2], i[0]};
        });
        check_texels(nest.inputs[1], [](const Index& i) {
            return std::array{(i[2] * KH + i[0]) * KW + i[1], i[3] / 4};
        });
    }
    SECTION("MNN")
    {
        const LoopNest nest = nest_of("conv2d", conv, "mnn,mnn,own");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{i[3] / 4 * W + i[2], i[0] * H + i[1]};
        });
        check_texels(nest.inputs[1], [](const Index& i) {
            return std::array{i[2], (i[3] / 4 * KH + i[0]) * KW + i[1]};
        });
    }
    SECTION("TFLite")
    {
        const LoopNest nest = nest_of("conv2d", conv, "tflite,own,tflite");
        check_texels(nest.inputs[0], [](const Index& i) {
            return std::array{i[2] * N + i[0], i[1] * C4 + i[3] / 4};
        });
        check_texels(nest.output, [](const Index& i) {
            return std::array{i[2] * N + i[0], i[1] * O4 + i[3] / 4};
        });
    }
}

TEST_CASE("Frameworks' layouts of depthwise weights")
{
    const char* const conv = "1,5,6,8,3,2,1"; // taps 3 x 2, 8 channels
    check_texels(nest_of("dwconv2d", conv, "own,tvm,own").inputs[1], [](const Index& i) {
        return std::array{i[1], i[2] / 4 * 3 + i[0]};
    });
    check_texels(nest_of("dwconv2d", conv, "own,tvm-weight,own").inputs[1], [](const Index& i) {
        return std::array{i[0] * 2 + i[1], i[2] / 4};
    });
    check_texels(nest_of("dwconv2d", conv, "own,mnn,own").inputs[1], [](const Index& i) {
        return std::array{i[0] * 2 + i[1], i[2] / 4};
    });
}

TEST_CASE("A layout of a framework replaces the access pattern of its tensor alone")
{
    const Operator op = parse_operator("conv2d", "1,8,8,8,8,3,3,1");
    const auto nest = [&](const char* text) {
        return loop_nest(op, parse_schedule(std::string("T=4x2;G=8x8;") + text));
    };
    const LoopNest mixed = nest("A=block4,row;F=own,tvm,own");
    CHECK(mixed.inputs[0].layout == nest("A=block4,column").inputs[0].layout);
    CHECK(mixed.inputs[1].layout == nest("A=row,block8;F=tvm,tvm,own").inputs[1].layout);
    CHECK(mixed.output.layout == nest("A=row,row").output.layout);
}

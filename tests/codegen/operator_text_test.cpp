#include "base/error.hpp"
#include "codegen/operators/conv.hpp"
#include "codegen/operators/conv_geometry.hpp"
#include "codegen/operators/operator.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

using Shape = std::vector<std::int64_t>;

/// Of an input or the output of the operator of that text.
std::vector<std::int64_t> shape_of(const std::string& op, const std::string& shape,
                                   const std::string& padding, const std::string& tensor)
{
    const Operator parsed = parse_operator(op, shape, padding);
    for (const Tensor& input : parsed.inputs) {
        if (input.name == tensor) {
            return input.shape;
        }
    }
    REQUIRE(parsed.output.name == tensor);
    return parsed.output.shape;
}

} // namespace

TEST_CASE("Padding gives the sizes of its closed forms")
{
    // H, K, stride, padding, output along H, first padding. W has size 1 and a kernel of 1.
    struct Row {
        std::int64_t h, k, s;
        std::string padding;
        std::int64_t output, before;
    };
    const std::vector<Row> direct{
        {5, 3, 1, "same", 5, 1},  {5, 3, 2, "same", 3, 1},  {4, 3, 2, "same", 2, 0},
        {7, 1, 3, "same", 3, 0},  {5, 2, 1, "same", 5, 0},  {5, 5, 1, "same", 5, 2},
        {2, 5, 2, "same", 1, 1},  {5, 3, 1, "valid", 3, 0}, {5, 3, 2, "valid", 2, 0},
        {6, 3, 2, "valid", 2, 0}, {5, 5, 4, "valid", 1, 0}, {5, 3, 1, "0", 3, 0},
        {5, 3, 1, "1", 5, 1},     {5, 3, 2, "1", 3, 1},     {1, 3, 1, "1", 1, 1},
        {2, 1, 1, "2", 6, 2},     {224, 7, 2, "3", 112, 3}, {224, 7, 2, "", 112, 2},
        {224, 11, 4, "2", 55, 2},
    };
    for (const Row& row : direct) {
        const Convolution conv = convolution(conv2d_family, Pass::forward,
                                             {1, row.h, 8, 1, 1, row.k, 1, row.s}, row.padding);
        CAPTURE(row.h, row.k, row.s, row.padding);
        CHECK(conv.axes[0].coarse == row.output);
        CHECK(conv.axes[0].before == row.before);
    }
    const std::vector<Row> transposed{
        {4, 3, 1, "same", 4, 1},   {4, 3, 2, "same", 8, 0}, {4, 4, 2, "same", 8, 1},
        {4, 1, 3, "same", 12, 0},  {4, 5, 2, "", 8, 1},     {4, 3, 2, "valid", 9, 0},
        {4, 1, 3, "valid", 10, 0}, {4, 3, 2, "1", 7, 1},    {4, 4, 2, "1", 8, 1},
        {1, 3, 1, "1", 1, 1},
    };
    for (const Row& row : transposed) {
        const Convolution conv = convolution(deconv2d_family, Pass::forward,
                                             {1, row.h, 8, 1, 1, row.k, 3, row.s}, row.padding);
        CAPTURE(row.h, row.k, row.s, row.padding);
        CHECK(conv.axes[0].fine == row.output);
        CHECK(conv.axes[0].before == row.before);
    }
}

TEST_CASE("Operators have the tensors that their shape says")
{
    const std::string shape = "2,9,8,3,5,3,2,2";
    CHECK(shape_of("conv2d", shape, "valid", "X") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv2d", shape, "valid", "W") == Shape{3, 2, 3, 5});
    CHECK(shape_of("conv2d", shape, "valid", "Y") == Shape{2, 4, 4, 5});
    CHECK(shape_of("conv2d_dx", shape, "", "dY") == Shape{2, 5, 4, 5});
    CHECK(shape_of("conv2d_dx", shape, "", "dX") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv2d_dw", shape, "", "dW") == Shape{3, 2, 3, 5});
    CHECK(shape_of("deconv2d", shape, "", "Y") == Shape{2, 18, 16, 5});
    CHECK(shape_of("deconv2d_dx", shape, "valid", "dY") == Shape{2, 19, 16, 5});
    CHECK(shape_of("deconv2d_dw", shape, "", "X") == Shape{2, 9, 8, 3});
    CHECK(shape_of("dwconv2d", "2,9,8,3,3,2,2", "", "W") == Shape{3, 2, 3});
    CHECK(shape_of("dwconv2d_dw", "2,9,8,3,3,2,2", "", "dY") == Shape{2, 5, 4, 3});
    CHECK(shape_of("dwconv2d_dx", "2,9,8,3,3,2,2", "", "dX") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv3d", "2,4,9,8,3,5,2,3,2,1", "", "Y") == Shape{2, 4, 9, 8, 5});
    CHECK(shape_of("conv3d", "2,4,9,8,3,5,2,3,1,1", "", "W") == Shape{2, 3, 1, 3, 5});
    CHECK(shape_of("matmul", "2,3,4", "", "B") == Shape{4, 3});
    CHECK(shape_of("matmul_da", "2,3,4", "", "dC") == Shape{2, 3});
    CHECK(shape_of("matmul_db", "2,3,4", "", "dB") == Shape{4, 3});
}

TEST_CASE("Dimensions and reduction loops have the names of the field")
{
    const auto loops = [](const std::string& name, const std::string& shape) {
        return parse_operator(name, shape).reduction_loops;
    };
    using Names = std::vector<std::string>;
    CHECK(loops("matmul", "2,2,2") == Names{"k"});
    CHECK(loops("matmul_da", "2,2,2") == Names{"n"});
    CHECK(loops("matmul_db", "2,2,2") == Names{"m"});
    CHECK(loops("conv2d", "1,4,4,2,2,3,3,1") == Names{"kh", "kw", "ci"});
    CHECK(loops("conv2d_dx", "1,4,4,2,2,3,3,1") == Names{"jh", "jw", "co"});
    CHECK(loops("conv2d_dw", "1,4,4,2,2,3,3,1") == Names{"n", "oh", "ow"});
    CHECK(loops("deconv2d", "1,4,4,2,2,3,3,2") == Names{"jh", "jw", "ci"});
    CHECK(loops("deconv2d_dx", "1,4,4,2,2,3,3,2") == Names{"kh", "kw", "co"});
    CHECK(loops("deconv2d_dw", "1,4,4,2,2,3,3,2") == Names{"n", "ih", "iw"});
    CHECK(loops("dwconv2d", "1,4,4,2,3,3,1") == Names{"kh", "kw"});
    CHECK(loops("conv3d", "1,4,4,4,2,2,3,3,3,1") == Names{"kd", "kh", "kw", "ci"});

    // Phases are dimensions only where there is more than one.
    const auto dims = [](std::int64_t stride) {
        std::vector<std::string> names;
        for (const Variable& dim : conv_contraction(convolution(deconv2d_family, Pass::forward,
                                                                {1, 4, 4, 2, 2, 3, 3, stride}))
                                       .dims) {
            names.push_back(dim.name);
        }
        return names;
    };
    CHECK(dims(1) == Names{"n", "qh", "qw", "co", "jh", "jw", "ci"});
    CHECK(dims(2) == Names{"n", "ph", "pw", "qh", "qw", "co", "jh", "jw", "ci"});
}

TEST_CASE("An operator prints as it was given")
{
    CHECK(to_string(parse_operator("matmul", "64,32,16")) == "matmul 64,32,16");
    CHECK(to_string(parse_operator("conv2d_dx", "1,8,8,4,4,3,3,2")) == "conv2d_dx 1,8,8,4,4,3,3,2");
    CHECK(to_string(parse_operator("conv2d", "1,8,8,4,4,3,3,2", "valid")) ==
          "conv2d 1,8,8,4,4,3,3,2 --padding valid");
    CHECK(parse_operator("conv2d", "1,8,8,4,4,3,3,2").padding == "same");
    CHECK(parse_operator("conv2d", "1,8,8,4,4,3,3,2", "02").padding == "2");
    CHECK(parse_operator("matmul", "1,8,8").padding.empty());
}

TEST_CASE("Every name makes an operator of that name")
{
    const std::vector<std::string> names = operator_names();
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (const std::string& name : names) {
        CAPTURE(name);
        // The message of a wrong count names the sizes.
        std::string sizes;
        try {
            (void)parse_operator(name, "1,1,1,1,1,1,1,1,1,1,1,1");
        } catch (const Error& error) {
            const std::string text = error.what();
            sizes = text.substr(text.rfind(' ') + 1);
        }
        std::string shape = "4";
        for (auto i = std::count(sizes.begin(), sizes.end(), ','); i > 0; --i) {
            shape += ",4";
        }
        const Operator op = parse_operator(name, shape);
        CHECK(op.name == name);
        CHECK(to_string(op) == name + " " + shape);
    }
}

TEST_CASE("Bad operators, shapes and paddings are refused with a reason")
{
    CHECK_THROWS_WITH(parse_operator("conv", "1"),
                      Contains("no operator 'conv'") && Contains("conv2d_dw"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,0,4"), Contains("size 0") && Contains("M,N,K"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,-1,4"), Contains("size -1"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,16777217,4"), Contains("size 16777217"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,4"), Contains("2 sizes"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,x,4"), Contains("'x'"));
    CHECK_THROWS_WITH(parse_operator("matmul", ""), Contains("'' is not a whole number"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,99999999999999999999,4"),
                      Contains("is not a whole number"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,4,4", "same"), Contains("takes no padding"));
    CHECK_THROWS_WITH(parse_operator("matmul", "65536,32768,1"),
                      Contains("C of 65536x32768") && Contains("2147483647"));
    CHECK_NOTHROW(parse_operator("matmul", "65536,32767,1"));
    CHECK_NOTHROW(parse_operator("matmul", "1,1,16777216"));

    const std::string shape = "1,8,8,4,4,3,3,2";
    for (const std::string padding :
         {"SAME", "-1", "1.5", "1,1", "16777217", " 1", "99999999999999999999"}) {
        CHECK_THROWS_WITH(parse_operator("conv2d", shape, padding),
                          Contains("padding '" + padding + "'"));
    }
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,8,4,4,3,3"),
                      Contains("7 sizes") && Contains("N,H,W,CIN,COUT,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("dwconv2d", shape),
                      Contains("8 sizes") && Contains("N,H,W,C,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("conv3d", shape),
                      Contains("N,D,H,W,CIN,COUT,KD,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,8,4,4,3,3,0"), Contains("size 0"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,2,4,4,3,3,2", "valid"),
                      Contains("empty along w"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,2,8,4,4,5,3,2", "1"), Contains("empty along h"));
    CHECK_THROWS_WITH(parse_operator("deconv2d", "1,2,8,4,4,1,1,1", "1"),
                      Contains("empty along h"));
    CHECK_THROWS_WITH(parse_operator("deconv2d", "1,8,16777216,1,1,1,1,2"),
                      Contains("along w would be 33554432"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,8,1,1,1,1,1", "16777216"),
                      Contains("along h would be 33554440"));
    CHECK_THROWS_WITH(parse_operator("deconv2d", "1,16384,16384,1,1,1,1,16"),
                      Contains("tensor Y of 1x262144x262144x1"));
    CHECK_THROWS_WITH(
        parse_operator("conv2d_dw", "16777216,16777216,16777216,16777216,16777216,1,1,1"),
        Contains("elements"));
    CHECK_THROWS_AS(convolution(conv2d_family, Pass::forward, {1, 8}), Error);
}

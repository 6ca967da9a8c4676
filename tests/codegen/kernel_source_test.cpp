#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/matmul.hpp"
#include "codegen/text/kernel_source.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

std::string body(const std::string& text)
{
    return text.substr(text.find("kernel __attribute__"));
}

} // namespace

TEST_CASE("Reads that cannot leave the image are read without a border check, the others with it")
{
    const std::string inside = body(opencl_text(
        matmul(64, 64, 64).nest(parse_schedule("A=block4,row;T=4x4;G=8x8")), TexelBackend::native));
    CHECK_THAT(inside, Contains("TEXEL("));
    CHECK_THAT(inside, !Contains("TEXEL_BORDER("));
    CHECK_THAT(inside, !Contains("if ("));
    const std::string odd = body(opencl_text(
        matmul(37, 53, 29).nest(parse_schedule("A=block4,row;T=4x4;G=8x8")), TexelBackend::native));
    CHECK_THAT(odd, Contains("TEXEL_BORDER("));
    CHECK_THAT(odd, Contains("return;"));
}

TEST_CASE("A sampler is there for reads that can leave their image alone")
{
    for (const TexelBackend backend : {TexelBackend::native, TexelBackend::record}) {
        const Schedule schedule = parse_schedule("A=block4,row;T=4x4;G=8x8");
        const std::string inside = opencl_text(matmul(64, 64, 64).nest(schedule), backend);
        CHECK_THAT(inside, Contains("read_imagef(image, (int2)(x, y))") && !Contains("sampler"));
        const std::string odd = opencl_text(matmul(37, 53, 29).nest(schedule), backend);
        CHECK_THAT(odd, Contains("read_imagef(image, (int2)(x, y))") &&
                            Contains("read_imagef(image, texel_sampler, (int2)(x, y))"));
    }
}

TEST_CASE("Half precision is the device's compiler's to choose, for sums of products alone")
{
    const auto text = [](const char* op, const char* shape, const char* config) {
        return opencl_text(loop_nest(parse_operator(op, shape), parse_schedule(config)),
                           TexelBackend::native);
    };
    const std::string half = text("matmul", "64,64,512", "A=block4,row;T=4x4;G=8x8;P=fp16");
    CHECK_THAT(half, Contains("#if defined(cl_khr_fp16) && !defined(FLOAT_ARITHMETIC)") &&
                         Contains("read_imageh") && Contains("number4 a0 = TEXEL(") &&
                         Contains("WRITE_TEXEL(C, ") && !Contains("CARRY"));
    const std::string longer = text("matmul", "64,64,1024", "A=block4,row;T=4x4;G=8x8;P=fp16");
    CHECK_THAT(longer, Contains("SUM(c0_0);") && Contains("RUN(c0_0) += a0.x * b0;") &&
                           Contains("CARRY(c0_0);") && Contains("#define K4_RUN_COUNT 2\n") &&
                           Contains("#define K4_COUNT 128\n"));
    for (const std::string& single : {text("matmul", "64,64,1024", "A=block4,row;T=4x4;G=8x8"),
                                      text("softmax", "64,64", "A=row;T=4x1;G=1x64;P=fp16")}) {
        CHECK_THAT(single, !Contains("half4") && !Contains("number") && Contains("float4"));
    }
}

TEST_CASE("The header comment says operator, configuration, launch and images")
{
    const std::string text =
        opencl_text(matmul(37, 53, 29).nest(parse_schedule("A=block4,row;T=4x4;W=4x4;G=8x8")),
                    TexelBackend::native);
    CHECK_THAT(text, Contains("// matmul 37,53,29\n"));
    CHECK_THAT(text, Contains("// configuration A=block4,row;T=4x4;W=4x4;G=8x8x1\n"));
    CHECK_THAT(text, Contains("// launch: global size 16x16x1, work-group 8x8x1\n"));
    CHECK_THAT(text, Contains("// A: 2x148 RGBA float texels, read\n"));
}

TEST_CASE("The body of a kernel does not depend on how texels are read")
{
    test::Random random(17);
    for (int i = 0; i < 20; ++i) {
        const LoopNest nest =
            test::random_matmul(random).nest(test::random_matmul_schedule(random));
        CHECK(body(opencl_text(nest, TexelBackend::native)) ==
              body(opencl_text(nest, TexelBackend::pocl_descriptor)));
    }
}

TEST_CASE("Ids of work-items are declared where a coordinate uses them, wherever it stands, and no "
          "others")
{
    LoopNest nest;
    nest.name = "reads";
    nest.groups = {4, 2, 1};
    nest.local = {8, 2, 1};
    nest.inputs = {texel_operand("data", {64, 64})};
    nest.output = texel_operand("out", {64, 64});
    const auto ids = work_item_variables(nest.groups, nest.local);
    const auto declared = [&] {
        const std::string text = opencl_text(nest, TexelBackend::native);
        std::string names;
        for (const Variable& id : ids) {
            names += text.find("const int " + id.name + " = get_") == std::string::npos
                         ? ""
                         : id.name + " ";
        }
        return names;
    };
    CHECK(declared().empty());
    const Variable iteration{slots::first_loop_slot, "iteration", {0, 3}};
    const NestValue value = nest.add_value("value", 4);
    nest.body = {NestLoop{
        iteration, {NestRead{value, {0, IndexExpr(ids[0]) + IndexExpr(iteration), IndexExpr(0)}}}}};
    CHECK(declared() == "lx ");
    nest.epilogue = {NestWrite{IndexExpr(ids[3]), IndexExpr(0), {{IndexExpr(ids[1]), 1}}, value}};
    CHECK(declared() == "lx ly gx ");
    nest.guards = {{IndexExpr(ids[4]), 1}};
    CHECK(declared() == "lx ly gx gy ");
}

TEST_CASE("Names of the ways to read texels parse back")
{
    for (const TexelBackend backend :
         {TexelBackend::native, TexelBackend::pocl_descriptor, TexelBackend::record}) {
        CHECK(parse_texel_backend(to_string(backend)) == backend);
    }
    CHECK_THROWS_AS(parse_texel_backend("fast"), Error);
}

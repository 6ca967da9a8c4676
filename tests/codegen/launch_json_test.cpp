#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "codegen/text/launch_json.hpp"
#include "tests/traces/c_expression.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <numeric>
#include <regex>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

struct Case {
    std::string op;
    std::string shape;
    std::string config;
};

const std::vector<Case> cases{
    {"matmul", "37,53,29", "A=block4,row;T=4x4;G=8x8"},
    {"matmul_da", "9,10,20", "A=row,block8;T=4x1;G=4x4;R=4;P=fp16"},
    {"matmul", "24,10,20", "A=row,row;T=1x8;G=2x2;R=2;V=8"},
    {"softmax", "5,9", "A=row;T=4x1;G=1x4;R=4"},
    {"conv2d", "2,7,6,5,6,3,2,1", "A=block2,column;T=4x2x1;G=4x4;M=image,buffer,buffer"},
    {"dwconv2d", "1,5,4,6,3,3,2", "A=column,block4;T=4x1x2;G=4x4;M=buffer,image,image;P=fp16"},
};

/// Every element lies where the expressions x, y and component say.
void check_places(const json& tensor, const Operand& operand)
{
    std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()));
    std::iota(values.begin(), values.end(), 1.0F);
    const std::vector<float> texels = pack(operand, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::map<std::string, std::int64_t> index;
        std::int64_t rest = static_cast<std::int64_t>(i);
        const auto shape = tensor.at("tensor").get<std::vector<std::int64_t>>();
        for (std::size_t d = shape.size(); d-- > 0;) {
            index["d" + std::to_string(d)] = rest % shape[d];
            rest /= shape[d];
        }
        const auto at = [&](const char* key) {
            return test::evaluate_c(tensor.at(key).get<std::string>(), index);
        };
        const auto place =
            (at("y") * tensor.at("width").get<std::int64_t>() + at("x")) * 4 + at("component");
        REQUIRE(texels.at(static_cast<std::size_t>(place)) == values[i]);
    }
}

/// As the kernel's text says it.
/// `number_bytes`: of what is float or half as the device decides.
std::int64_t local_bytes_in(const std::string& text, std::int64_t number_bytes = 4)
{
    const std::regex array(R"(\n +local (float|number)(\d*) \w+\[(\d+)\];)");
    std::int64_t bytes = 0;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), array);
         found != std::sregex_iterator(); ++found) {
        bytes += std::stoll((*found)[3]) * ((*found)[1] == "float" ? 4 : number_bytes) *
                 ((*found)[2].length() == 0 ? 1 : std::stoll((*found)[2]));
    }
    return bytes;
}

} // namespace

TEST_CASE("The launch description names sizes and images")
{
    const Operator op = parse_operator("matmul", "37,53,29");
    const json launch = json::parse(launch_json(op, parse_schedule("A=block4,row;T=4x4;G=8x8")));
    CHECK(launch["global"] == std::vector<int>{16, 16, 1});
    CHECK(launch["local"] == std::vector<int>{8, 8, 1});
    CHECK(launch["inputs"][0]["width"] == 2);
    CHECK(launch["inputs"][0]["height"] == 148);
    CHECK(launch["output"]["tensor"] == std::vector<int>{37, 53});
    CHECK(launch["local_memory_bytes"] == 0);
    CHECK(launch["collective"] == false);
}

TEST_CASE("The launch description agrees with the kernel's text and with the packing")
{
    for (const Case& of : cases) {
        CAPTURE(of.op, of.config);
        const Operator op = parse_operator(of.op, of.shape);
        const Schedule schedule = parse_schedule(of.config);
        const LoopNest nest = loop_nest(op, schedule);
        const std::string text = opencl_text(nest, TexelBackend::native);
        const json launch = json::parse(launch_json(op, schedule));

        std::string declarations;
        for (std::size_t i = 0; i <= nest.inputs.size(); ++i) {
            const bool is_output = i == nest.inputs.size();
            const json& tensor = is_output ? launch.at("output") : launch.at("inputs").at(i);
            CHECK(tensor.at("argument") == i);
            CHECK(tensor.at("channel_type") ==
                  (schedule.storage == Storage::fp32 ? "CL_FLOAT" : "CL_HALF_FLOAT"));
            CHECK(tensor.at("bytes") == (schedule.storage == Storage::fp32 ? 16 : 8));
            const bool image = tensor.at("memory") == "image";
            const std::string type = image                            ? "image2d_t "
                                     : tensor.at("storage") == "fp32" ? "float4 *restrict "
                                                                      : "half *restrict ";
            declarations += (i == 0 ? "" : ", ") + tensor.at("qualifier").get<std::string>() + " " +
                            type + tensor.at("id").get<std::string>();
            check_places(tensor, is_output ? nest.output : nest.inputs[i]);
        }
        CHECK_THAT(text, Contains("\nvoid " + launch.at("kernel").get<std::string>() + "(" +
                                  declarations + ")\n"));
        CHECK(launch.at("local_memory_bytes") == local_bytes_in(text));
        CHECK(launch.at("half_arithmetic").is_null() ==
              (text.find("cl_khr_fp16") == std::string::npos));
        if (nest.half_sums) {
            const json& half = launch.at("half_arithmetic");
            CHECK(half.at("local_memory_bytes") == local_bytes_in(text, 2));
            const bool carried = text.find("CARRY") != std::string::npos;
            CHECK(half.at("carried") == carried);
            CHECK((carried || half.at("registers_estimate") < launch.at("registers_estimate")));
        }
        CHECK(launch.at("collective") == (text.find("barrier(") != std::string::npos));
    }
}

TEST_CASE("The launch description counts address operations before and after their elimination")
{
    for (const Case& of : cases) {
        CAPTURE(of.op, of.config);
        const Operator op = parse_operator(of.op, of.shape);
        const json on =
            json::parse(launch_json(op, parse_schedule(of.config)))["address_operations"];
        const json off = json::parse(
            launch_json(op, parse_schedule(of.config + ";E=off")))["address_operations"];
        CHECK(off["before"] == off["after"]);
        CHECK(on["before"] == off["before"]);
        // A line has one address for each tensor and iteration: nothing to share.
        const int shared = of.op == "softmax" ? 0 : 1;
        CHECK(on["after"]["executed"].get<int>() + shared <= on["before"]["executed"].get<int>());
        CHECK(on["after"]["in_text"].get<int>() > 0);
    }
}

TEST_CASE("A launch description of an illegal configuration is refused")
{
    CHECK_THROWS_AS(
        launch_json(parse_operator("matmul", "8,8,8"), parse_schedule("A=row;T=4x4;G=8x8")), Error);
}

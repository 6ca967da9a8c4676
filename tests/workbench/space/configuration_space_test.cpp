#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/operator_space.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope::workbench::space;
using Catch::Matchers::Contains;

TEST_CASE("Every configuration of a space is legal, within the device's limits, and there once")
{
    const DeviceProfile device = find_profile("adreno-740");
    const std::vector<std::pair<const char*, const char*>> problems{
        {"matmul", "16,16,16"},    {"matmul", "37,5,29"},       {"matmul", "1,1,1"},
        {"matmul", "4096,64,16"},  {"softmax", "300,70"},       {"softmax", "1,1"},
        {"layernorm_dx", "64,33"}, {"layernorm_dbeta", "64,33"}};
    for (const auto& [name, shape] : problems) {
        const Operator op = parse_operator(name, shape);
        const ConfigurationSpace space = configuration_space(op, device);
        CAPTURE(name, shape, space.size());
        std::set<std::string> texts;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            const Schedule schedule = space.at(i);
            texts.insert(to_string(schedule));
            if (i % 97 == 0) {
                CHECK_NOTHROW(check_limits(loop_nest(op, schedule), device));
            }
        }
        CHECK(static_cast<std::int64_t>(texts.size()) == space.size());
    }
}

TEST_CASE("A space has just the kernels whose images fit the device")
{
    for (const auto& [name, shape] :
         std::vector<std::pair<const char*, const char*>>{{"matmul", "100,36,52"},
                                                          {"conv2d", "1,12,14,20,28,3,3,1"},
                                                          {"deconv2d", "1,9,7,12,20,4,4,2"},
                                                          {"conv2d_dw", "1,10,12,8,12,3,3,1"},
                                                          {"layernorm", "60,44"}}) {
        const Operator op = parse_operator(name, shape);
        DeviceProfile device = find_profile("mali-g77");
        SpaceOptions options;
        std::string memory = "buffer"; // of the first input
        for (std::size_t tensor = 0; tensor < op.inputs.size(); ++tensor) {
            memory += ",image";
        }
        options.values = {{'M', {"", memory}}, {'P', {"fp32", "fp16"}}};
        const ConfigurationSpace all = configuration_space(op, device, options);
        for (const std::int32_t limit : {16, 40, 90, 200}) {
            device.limits.image_width = limit;
            device.limits.image_height = 3 * limit;
            std::set<std::string> expected;
            for (const KernelChoice& kernel : all.kernels()) {
                try {
                    check_limits(loop_nest(op, schedule_of(kernel, {})), device);
                    expected.insert(to_string(schedule_of(kernel, {})));
                } catch (const Error&) {
                }
            }
            CAPTURE(name, limit, expected.size(), all.kernel_count());
            std::set<std::string> found;
            try {
                const ConfigurationSpace space = configuration_space(op, device, options);
                for (const KernelChoice& kernel : space.kernels()) {
                    found.insert(to_string(schedule_of(kernel, {})));
                }
            } catch (const Error&) { // nothing is left
            }
            CHECK(found == expected);
        }
    }
}

TEST_CASE(
    "A space that keeps some elements has them in their order, with its kernels or those alone")
{
    const ConfigurationSpace space =
        configuration_space(parse_operator("matmul", "16,16,16"), find_profile("adreno-740"));
    std::vector<bool> kept(static_cast<std::size_t>(space.size()));
    std::vector<std::string> expected;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        const bool of_first_kernel = i < space.first(1); // which keeps none
        kept[static_cast<std::size_t>(i)] =
            !of_first_kernel && (i % 7 == 3 || (i > 500 && i < 520));
        if (kept[static_cast<std::size_t>(i)]) {
            expected.push_back(to_string(space.at(i)));
        }
    }
    std::vector<std::string> found;
    const ConfigurationSpace part = space.keeping(kept);
    CHECK(part.kernel_count() == space.kernel_count());
    for (std::int64_t i = 0; i < part.size(); ++i) {
        found.push_back(to_string(part.at(i)));
        const ConfigurationSpace::Place place = part.place(i);
        CHECK(part.first(place.kernel) + static_cast<std::int64_t>(place.group) == i);
    }
    CHECK(found == expected);
    found.clear();
    const ConfigurationSpace flat = part.flattened();
    for (std::int64_t i = 0; i < flat.size(); ++i) {
        found.push_back(to_string(flat.at(i)));
    }
    CHECK(found == expected);
    CHECK(flat.kernel_count() < space.kernel_count());
    CHECK(space.keeping(std::vector<bool>(kept.size())).size() == 0);
}

TEST_CASE(
    "A configuration that breaks a limit of the device is refused, and the line names the limit")
{
    DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("matmul", "64,64,64");
    CHECK_THROWS_WITH(
        check_limits(loop_nest(op, parse_schedule("A=row,row;T=4x4;G=64x64")), device),
        Contains("work-group of 4096") && Contains("1024"));
    device.limits.image_height = 63;
    CHECK_THROWS_WITH(check_limits(loop_nest(op, parse_schedule("A=row,row;T=4x4;G=8x8")), device),
                      Contains("image A of 16x64"));
}

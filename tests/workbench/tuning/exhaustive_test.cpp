#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/exhaustive.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace texelscope::workbench::tuning;

namespace {

void check_exhaustive(const std::string& device_name, const std::string& op_name,
                      const std::string& shape)
{
    CAPTURE(device_name, op_name);
    const DeviceProfile device = find_profile(device_name);
    const Operator op = parse_operator(op_name, shape);
    const ConfigurationSpace space = configuration_space(op, device);
    constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max() / 100;
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < space.size(); ++i) {
        best = std::min(best, simulated_ns(op, device, space.at(i), whole));
    }
    const ExhaustiveResult found = exhaustive(op, device, space, whole, 3);
    REQUIRE(found.fastest.size() == 3);
    CHECK(found.fastest[0].ns == Approx(best).epsilon(1e-12));
    CHECK(found.fastest[0].ns ==
          Approx(simulated_ns(op, device, space.at(found.fastest[0].index), whole)));
    CHECK(found.fastest[0].ns <= found.fastest[1].ns);
    CHECK(found.simulated + found.ruled_out == space.size());
}

} // namespace

TEST_CASE("What exhaustive search rules out is never the fastest")
{
    check_exhaustive("mali-g77", "layernorm", "24,40");
}

TEST_CASE("What exhaustive search rules out is never the fastest, on other devices", "[long]")
{
    check_exhaustive("adreno-740", "softmax", "64,64");
    check_exhaustive("adreno-640", "layernorm_dgamma", "64,96");
}

TEST_CASE("A perfect cache makes nothing slower")
{
    const DeviceProfile device = find_profile("mali-g76");
    const Operator op = parse_operator("conv2d", "1,14,14,8,8,3,3,1");
    const ConfigurationSpace space = configuration_space(op, device);
    const SpaceBounds bounds = space_bounds(op, device, space);
    REQUIRE(std::ssize(bounds.least) == space.size());
    for (std::size_t i = 0; i < bounds.least.size(); ++i) {
        if (bounds.least[i] > bounds.expected[i] * (1 + 1e-12)) {
            CAPTURE(to_string(space.at(static_cast<std::int64_t>(i))));
            FAIL(bounds.least[i] << " > " << bounds.expected[i]);
        }
    }
}

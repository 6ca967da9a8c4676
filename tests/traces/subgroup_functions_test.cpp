// The sub-group functions against definitions that are written out one work-item at a time.

#include "traces/capture/subgroup_functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace traces;

namespace {

SubgroupFunction subgroup_function(const std::string& name)
{
    const auto all = subgroup_functions();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const SubgroupFunction& each) { return each.name == name; });
    REQUIRE(found != all.end());
    return *found;
}

/// Calls a function whose first operand is a T and whose second, if any, a uint. A work-item that
/// does not call keeps `untouched`.
template <class T, class Result = T>
struct SubgroupTest {
    std::size_t max = 8;
    std::vector<std::optional<T>> values; ///< by lane; empty where the work-item does not call
    std::vector<std::uint32_t> second;
    static constexpr unsigned char untouched = 0xa5;

    std::vector<Result> call(const std::string& name, const std::string& overload) const
    {
        Result mark;
        std::memset(&mark, untouched, sizeof mark);
        std::vector<Result> results(values.size(), mark);
        std::vector<SubgroupLane> lanes(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            lanes[i].calls = values[i].has_value();
            lanes[i].result = reinterpret_cast<unsigned char*>(&results[i]);
            if (values[i]) {
                lanes[i].operands[0] = reinterpret_cast<const unsigned char*>(&*values[i]);
            }
            if (!second.empty()) {
                lanes[i].operands[1] = reinterpret_cast<const unsigned char*>(&second[i]);
            }
        }
        call_subgroup(subgroup_function(name), subgroup_type(overload), sizeof(T), {max, 0, 1, 1},
                      lanes);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!values[i]) {
                CHECK(std::memcmp(&results[i], &mark, sizeof mark) == 0);
            }
        }
        return results;
    }
};

template <class T>
using Meets = std::function<T(T, T)>;

/// Reductions and scans of random values by random work-items, the definition for each by itself:
/// the values of the lanes [from, to) that call, met from the first on.
template <class T>
void check_folds(const std::string& overload, const std::string& word, T nothing,
                 const Meets<T>& meets, std::mt19937& random)
{
    for (int round = 0; round < 20; ++round) {
        SubgroupTest<T> test;
        test.max = std::size_t{1} << (random() % 8);
        test.values.resize(1 + random() % test.max);
        for (auto& value : test.values) {
            if (random() % 3 != 0) {
                value = static_cast<T>(static_cast<std::int32_t>(random() % 400) - 200);
            }
        }
        const auto part = static_cast<std::uint32_t>(std::size_t{1} << (random() % 8));
        test.second.assign(test.values.size(),
                           std::min<std::uint32_t>(part, static_cast<std::uint32_t>(test.max)));
        const auto folded = [&](std::size_t from, std::size_t to) {
            T out = nothing;
            for (std::size_t i = from; i < std::min(to, test.values.size()); ++i) {
                out = test.values[i] ? meets(out, *test.values[i]) : out;
            }
            return out;
        };
        CAPTURE(overload, word, test.max, test.values.size());
        const auto reduced = test.call("sub_group_non_uniform_reduce_" + word, overload);
        const auto with = test.call("sub_group_non_uniform_scan_inclusive_" + word, overload);
        const auto before = test.call("sub_group_non_uniform_scan_exclusive_" + word, overload);
        const auto clustered = test.call("sub_group_clustered_reduce_" + word, overload);
        for (std::size_t i = 0; i < test.values.size(); ++i) {
            if (test.values[i]) {
                const std::size_t begin = i / test.second[0] * test.second[0];
                CHECK(reduced[i] == folded(0, test.max));
                CHECK(with[i] == folded(0, i + 1));
                CHECK(before[i] == folded(0, i));
                CHECK(clustered[i] == folded(begin, begin + test.second[0]));
            }
        }
    }
}

template <class T>
void check_integers(const std::string& overload)
{
    std::mt19937 random(static_cast<unsigned>(sizeof(T)) * 2 + (T(-1) < T(0) ? 1 : 0));
    using Limits = std::numeric_limits<T>;
    __extension__ typedef __int128 Wide; // NOLINT: C++ has no name for it
    check_folds<T>(
        overload, "add", T{0}, [](T a, T b) { return T(Wide(a) + Wide(b)); }, random);
    check_folds<T>(
        overload, "mul", T{1}, [](T a, T b) { return T(Wide(a) * Wide(b)); }, random);
    check_folds<T>(
        overload, "min", Limits::max(), [](T a, T b) { return b < a ? b : a; }, random);
    check_folds<T>(
        overload, "max", Limits::min(), [](T a, T b) { return b > a ? b : a; }, random);
    check_folds<T>(
        overload, "and", T(~T{0}), [](T a, T b) { return T(a & b); }, random);
    check_folds<T>(
        overload, "or", T{0}, [](T a, T b) { return T(a | b); }, random);
    check_folds<T>(
        overload, "xor", T{0}, [](T a, T b) { return T(a ^ b); }, random);
}

} // namespace

TEST_CASE("sub-group reductions and scans of every type, by those that call")
{
    check_integers<std::int8_t>("c");
    check_integers<std::uint8_t>("h");
    check_integers<std::int16_t>("s");
    check_integers<std::uint16_t>("t");
    check_integers<std::int32_t>("i");
    check_integers<std::uint32_t>("j");
    check_integers<std::int64_t>("l");
    check_integers<std::uint64_t>("m");
    std::mt19937 random(5);
    // Whole numbers, whose sums are exact in any order.
    check_folds<float>(
        "f", "add", 0, [](float a, float b) { return a + b; }, random);
    check_folds<double>(
        "d", "max", -std::numeric_limits<double>::infinity(),
        [](double a, double b) { return std::max(a, b); }, random);
    check_folds<float>(
        "f", "min", std::numeric_limits<float>::infinity(),
        [](float a, float b) { return std::min(a, b); }, random);
    const auto truth = [](auto join) {
        return [join](std::int32_t a, std::int32_t b) {
            return std::int32_t{join(a != 0, b != 0) ? 1 : 0};
        };
    };
    check_folds<std::int32_t>("i", "logical_and", 1, truth(std::logical_and<>()), random);
    check_folds<std::int32_t>("i", "logical_or", 0, truth(std::logical_or<>()), random);
    check_folds<std::int32_t>("i", "logical_xor", 0, truth(std::not_equal_to<>()), random);
}

TEST_CASE("what OpenCL leaves open of a sub-group: a shuffle keeps the own value, the rest is said")
{
    SubgroupTest<float> test{8, {1.5F, std::nullopt, 3.5F, 4.5F}, {1, 0, 2, 100}};
    CHECK(test.call("sub_group_shuffle", "fj")[0] == 1.5F); // lane 1 does not call
    CHECK(test.call("sub_group_shuffle", "fj")[2] == 3.5F);
    CHECK(test.call("sub_group_shuffle", "fj")[3] == 4.5F); // there is no lane 100
    CHECK(test.call("sub_group_shuffle_down", "fj")[2] == 3.5F);
    CHECK(test.call("sub_group_shuffle_up", "fj")[2] == 1.5F);
    CHECK(test.call("sub_group_shuffle_up", "fj")[0] == 1.5F);
    CHECK_THROWS_AS(test.call("sub_group_broadcast", "fj"), std::runtime_error);
    CHECK_THROWS_AS(test.call("sub_group_clustered_reduce_add", "fj"), std::runtime_error);
    test.second.assign(4, 16); // more than a sub-group
    CHECK_THROWS_AS(test.call("sub_group_clustered_reduce_add", "fj"), std::runtime_error);
    test.second.assign(4, 2);
    CHECK(test.call("sub_group_broadcast", "fj")[0] == 3.5F);
    CHECK_THROWS_AS(test.call("sub_group_non_uniform_reduce_and", "f"), std::runtime_error);
    CHECK_THROWS_AS(test.call("sub_group_non_uniform_reduce_add", "P"), std::runtime_error);
}

TEST_CASE("half numbers of a sub-group are rounded after each step")
{
    // 1, 2048, 1, and one that does not call; above 2048 only every second whole number is a half.
    const SubgroupTest<std::uint16_t> test{4, {0x3c00, 0x6800, 0x3c00, std::nullopt}, {}};
    const auto sums = test.call("sub_group_non_uniform_scan_inclusive_add", "Dh");
    CHECK(sums[0] == 0x3c00);
    CHECK(sums[1] == 0x6800); // 2049 to the even 2048
    CHECK(sums[2] == 0x6800);
    CHECK(test.call("sub_group_non_uniform_reduce_max", "Dh")[0] == 0x6800);
    CHECK(test.call("sub_group_non_uniform_scan_exclusive_min", "Dh")[0] == 0x7c00); // infinity
    const SubgroupTest<std::uint16_t, std::int32_t> zeros{2, {0x0000, 0x8000}, {}};
    CHECK(zeros.call("sub_group_non_uniform_all_equal", "Dh")[0] == 1); // 0 and -0
}

TEST_CASE("the first that calls is elected, and its value is broadcast")
{
    const SubgroupTest<std::int32_t> test{4, {std::nullopt, 7, std::nullopt, 7}, {}};
    CHECK(test.call("sub_group_elect", "v")[1] == 1);
    CHECK(test.call("sub_group_elect", "v")[3] == 0);
    CHECK(test.call("sub_group_broadcast_first", "i")[3] == 7);
    CHECK(test.call("sub_group_non_uniform_all_equal", "i")[3] == 1);
    const SubgroupTest<std::int32_t> other{4, {2, 7, std::nullopt, 0}, {}};
    CHECK(other.call("sub_group_non_uniform_all_equal", "i")[3] == 0);
    CHECK(other.call("sub_group_non_uniform_all", "i")[0] == 0);
    CHECK(other.call("sub_group_non_uniform_any", "i")[3] == 1);
}

TEST_CASE("the type of a sub-group function's value, by its mangled parameters")
{
    CHECK(subgroup_type("f") == SubgroupType::f32);
    CHECK(subgroup_type("Dhj") == SubgroupType::f16);
    CHECK(subgroup_type("Dv4_fj") == SubgroupType::f32);
    CHECK(subgroup_type("Dv16_tS_j") == SubgroupType::u16);
    CHECK(subgroup_type("mj") == SubgroupType::u64);
    for (const char* none : {"", "v", "Dv", "Dv4", "Dv4_", "PU3AS1Kj"}) {
        CHECK_FALSE(subgroup_type(none).has_value());
    }
    std::set<std::string> names;
    for (const SubgroupFunction& each : subgroup_functions()) {
        CHECK(names.insert(each.name).second);
    }
}

} // namespace texelscope::test

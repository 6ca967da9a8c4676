#include "experiments/store/result_diff.hpp"

#include "base/edit_distance.hpp"
#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace texelscope::experiments {
namespace {

struct ValueText {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(double value) const
    {
        constexpr double exact = 9007199254740992.0; // 2^53
        return value == std::floor(value) && std::abs(value) <= exact ? fmt::format("{:.0f}", value)
                                                                      : fmt::format("{:.10g}", value);
    }
    std::string operator()(const std::string& value) const { return value; }
};

using Places = std::unordered_map<std::string_view, const ResultLeaf*>;

Places places_of(const ResultLeaves& leaves)
{
    Places places;
    for (const ResultLeaf& leaf : leaves) {
        places.emplace(leaf.path, &leaf);
    }
    return places;
}

} // namespace

std::string value_text(const ResultLeaf::Value& value)
{
    return std::visit(ValueText{}, value);
}

ResultDiff diff_results(const ResultLeaves& a, const ResultLeaves& b)
{
    ResultDiff diff;
    const Places in_a = places_of(a);
    const Places in_b = places_of(b);
    for (const ResultLeaf& leaf : a) {
        const auto found = in_b.find(leaf.path);
        if (found == in_b.end()) {
            diff.only_in_a.push_back(leaf.path);
        } else if (leaf.value != found->second->value) {
            const auto* left = std::get_if<double>(&leaf.value);
            const auto* right = std::get_if<double>(&found->second->value);
            if (left != nullptr && right != nullptr) {
                diff.numbers.push_back({leaf.path, *left, *right});
            } else {
                diff.others.push_back({leaf.path, value_text(leaf.value), value_text(found->second->value)});
            }
        }
    }
    for (const ResultLeaf& leaf : b) {
        if (!in_a.contains(leaf.path)) {
            diff.only_in_b.push_back(leaf.path);
        }
    }
    return diff;
}

std::optional<double> relative_change(double a, double b)
{
    if (a == b) {
        return 0.0;
    }
    return a == 0 ? std::nullopt : std::optional((b - a) / std::abs(a));
}

double number_at(const ResultLeaves& leaves, const std::string& path, const std::string& name)
{
    const ResultLeaf* nearest = nullptr;
    std::size_t least = 0;
    for (const ResultLeaf& leaf : leaves) {
        const auto* number = std::get_if<double>(&leaf.value);
        if (leaf.path == path) {
            if (number == nullptr) {
                throw bad_input("'" + path + "' is no number: " + value_text(leaf.value), name);
            }
            return *number;
        }
        if (number != nullptr) {
            const std::size_t distance = edit_distance(leaf.path, path);
            if (nearest == nullptr || distance < least) {
                nearest = &leaf;
                least = distance;
            }
        }
    }
    throw bad_input("there is no '" + path + "'", name,
                    nearest == nullptr ? "it holds no number at all" : "the nearest is '" + nearest->path + "'");
}

} // namespace texelscope::experiments

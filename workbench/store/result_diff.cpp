#include "workbench/store/result_diff.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

namespace texelscope::workbench::store {
// Two results are compared leaf by leaf (JsonResult::leaves). Conditions are for scripts: `diff
// --fail-if` fails if one holds.
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Error malformed(const std::string& text, const std::string& what)
{
    return bad_input(what, "condition '" + text + "'",
                     "write PATH OP LIMIT with OP > < >= <= and LIMIT +5%, -5%, +1000 or 0.3: "
                     "\"l1.misses>+5%\"");
}

double quantity_of(const DiffCondition& condition, double a, double b)
{
    switch (condition.quantity) {
    case DiffCondition::Quantity::value:
        return b;
    case DiffCondition::Quantity::change:
        return b - a;
    case DiffCondition::Quantity::relative_change:
        break;
    }
    // A change from zero is infinite, so that every limit notices it.
    constexpr double endless = std::numeric_limits<double>::infinity();
    return relative_change(a, b).value_or(b > a ? endless : -endless);
}

struct ValueText {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(double value) const
    {
        constexpr double exact = 9007199254740992.0; // 2^53
        return value == std::floor(value) && std::abs(value) <= exact
                   ? fmt::format("{:.0f}", value)
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

DiffCondition parse_diff_condition(const std::string& text)
{
    const auto place = text.find_first_of("<>");
    if (place == std::string::npos) {
        throw malformed(text, "there is no > or < in it");
    }
    const bool greater = text[place] == '>';
    const bool or_equal = place + 1 < text.size() && text[place + 1] == '=';
    DiffCondition condition;
    condition.text = text;
    condition.path = trimmed(std::string_view(text).substr(0, place));
    condition.comparison =
        greater
            ? (or_equal ? DiffCondition::Comparison::at_least : DiffCondition::Comparison::greater)
            : (or_equal ? DiffCondition::Comparison::at_most : DiffCondition::Comparison::less);
    if (condition.path.empty()) {
        throw malformed(text, "there is no path in front of the sign");
    }
    // The form of the limit decides what is compared: a sign makes it a change, a percent sign a
    // relative one.

    std::string_view limit = trimmed(std::string_view(text).substr(place + (or_equal ? 2 : 1)));
    const bool is_signed = limit.starts_with('+') || limit.starts_with('-');
    const bool percent = limit.ends_with('%');
    if (percent && !is_signed) {
        throw malformed(text, "a percentage is a change and needs its sign");
    }
    condition.quantity = percent     ? DiffCondition::Quantity::relative_change
                         : is_signed ? DiffCondition::Quantity::change
                                     : DiffCondition::Quantity::value;
    if (percent) {
        limit = trimmed(limit.substr(0, limit.size() - 1));
    }
    const bool minus = limit.starts_with('-');
    if (is_signed) {
        limit.remove_prefix(1);
    }
    double number = 0;
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), number);
    if (limit.starts_with('-') || error != std::errc{} || end != limit.data() + limit.size() ||
        !std::isfinite(number)) {
        throw malformed(text, "'" + std::string(limit) + "' is not a number");
    }
    condition.limit = (minus ? -number : number) / (percent ? 100 : 1);
    return condition;
}

bool holds(const DiffCondition& condition, double a, double b)
{
    const double quantity = quantity_of(condition, a, b);
    switch (condition.comparison) {
    case DiffCondition::Comparison::greater:
        return quantity > condition.limit;
    case DiffCondition::Comparison::less:
        return quantity < condition.limit;
    case DiffCondition::Comparison::at_least:
        return quantity >= condition.limit;
    case DiffCondition::Comparison::at_most:
        return quantity <= condition.limit;
    }
    return false;
}

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
                diff.others.push_back(
                    {leaf.path, value_text(leaf.value), value_text(found->second->value)});
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
                    nearest == nullptr ? "it holds no number at all"
                                       : "the nearest is '" + nearest->path + "'");
}

namespace {

/// Whether a path fits a pattern, in which at most one "*" stands for any text.
bool fits(const std::string& pattern, const std::string& path)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos) {
        return pattern == path;
    }
    const std::string_view before = std::string_view(pattern).substr(0, star);
    const std::string_view after = std::string_view(pattern).substr(star + 1);
    return path.size() > before.size() + after.size() && path.starts_with(before) &&
           path.ends_with(after);
}

/// The rows of an array that have a number of that name, by their path ("nodes.conv_1"). `array`:
/// the array to look in; if empty, it is set to the one with the most such rows.
std::map<std::string, double> rows_with(const ResultLeaves& leaves, const std::string& name,
                                        std::string& array)
{
    std::map<std::string, std::map<std::string, double>> arrays;
    for (const ResultLeaf& leaf : leaves) {
        const auto* const number = std::get_if<double>(&leaf.value);
        const std::size_t first = leaf.path.find('.');
        const std::size_t tail = leaf.path.size() - name.size() - 1;
        if (number == nullptr || first == std::string::npos ||
            leaf.path.size() <= name.size() + 1 || first >= tail ||
            !leaf.path.ends_with("." + name)) {
            continue;
        }
        const std::string key = leaf.path.substr(first + 1, tail - first - 1);
        // Arrays whose rows go by number are not layers or kernels, but cores and the like.
        if (key.find_first_not_of("0123456789") != key.find('.')) {
            arrays[leaf.path.substr(0, first)][leaf.path.substr(0, tail)] = *number;
        }
    }
    if (array.empty() && !arrays.empty()) {
        array = std::ranges::max_element(arrays, {}, [](const auto& each) {
                    return each.second.size();
                })->first;
    }
    const auto found = arrays.find(array);
    return found == arrays.end() ? std::map<std::string, double>() : found->second;
}

std::string word_at(const ResultLeaves& leaves, const std::string& path)
{
    const auto found = std::ranges::find(leaves, path, &ResultLeaf::path);
    const auto* const word =
        found == leaves.end() ? nullptr : std::get_if<std::string>(&found->value);
    return word == nullptr ? "" : *word;
}

BlamedRow blamed_row(const std::string& row, double before, double after, double share,
                     const ResultLeaves& a, const ResultLeaves& b)
{
    const std::string op = word_at(b, row + ".op");
    const std::string was = word_at(a, row + ".config");
    const std::string is = word_at(b, row + ".config");
    const bool same = was == is || was.empty() || is.empty();
    return {row,           op.empty() ? word_at(a, row + ".op") : op,
            before,        after,
            share,         same ? "" : was,
            same ? "" : is};
}

} // namespace

std::vector<ResultDiff::Number> numbers_of(const DiffCondition& condition, const ResultLeaves& a,
                                           const ResultLeaves& b, const std::string& a_name,
                                           const std::string& b_name)
{
    const std::string& pattern = condition.path;
    if (pattern.find('*') == std::string::npos) {
        return {{pattern, number_at(a, pattern, a_name), number_at(b, pattern, b_name)}};
    }
    if (pattern.find('*') != pattern.rfind('*')) {
        throw malformed(condition.text, "there are several * in its path");
    }
    std::vector<ResultDiff::Number> numbers;
    const Places in_a = places_of(a);
    for (const ResultLeaf& leaf : b) {
        const auto found = in_a.find(leaf.path);
        if (found == in_a.end() || !fits(pattern, leaf.path)) {
            continue;
        }
        const auto* const left = std::get_if<double>(&found->second->value);
        const auto* const right = std::get_if<double>(&leaf.value);
        if (left != nullptr && right != nullptr) {
            numbers.push_back({leaf.path, *left, *right});
        }
    }
    if (numbers.empty()) {
        throw bad_input("both have no number that fits '" + pattern + "'", a_name + ", " + b_name,
                        "diff without --fail-if shows the paths of what changed");
    }
    return numbers;
}

std::vector<BlamedRow> blamed_rows(const ResultDiff::Number& whole, const ResultLeaves& a,
                                   const ResultLeaves& b)
{
    const std::string name = whole.path.substr(whole.path.rfind('.') + 1);
    const double change = whole.b - whole.a;
    for (std::size_t end = whole.path.rfind('.'); end != std::string::npos && end > 0;
         end = whole.path.rfind('.', end - 1)) {
        // The longest path in front of the number that is a row by itself, as it has an operator.
        const std::string row = whole.path.substr(0, end);
        if (!word_at(b, row + ".op").empty()) { // the number is a row's own
            return {blamed_row(row, whole.a, whole.b, 1, a, b)};
        }
    }
    std::string array; // of both results, the same array
    std::map<std::string, std::pair<double, double>> rows;
    for (const auto& [row, number] : rows_with(b, name, array)) {
        rows[row].second = number;
    }
    for (const auto& [row, number] : rows_with(a, name, array)) {
        rows[row].first = number;
    }
    std::vector<BlamedRow> blamed;
    for (const auto& [row, numbers] : rows) {
        const double share = change == 0 ? 0 : (numbers.second - numbers.first) / change;
        if (share > 0) {
            blamed.push_back(blamed_row(row, numbers.first, numbers.second, share, a, b));
        }
    }
    std::ranges::stable_sort(blamed, std::ranges::greater(), &BlamedRow::share);
    return blamed;
}

} // namespace texelscope::workbench::store

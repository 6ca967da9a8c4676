#include "model/statistics/kendall.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

namespace texelscope::model {
namespace {

void require_comparable(std::span<const double> a, std::span<const double> b, const char* where)
{
    if (a.size() != b.size()) {
        throw bad_input("the two lists differ in length", where,
                        "give one value of each for every choice");
    }
    const auto nan = [](double value) { return std::isnan(value); };
    if (std::any_of(a.begin(), a.end(), nan) || std::any_of(b.begin(), b.end(), nan)) {
        throw bad_input("a value is not a number", where);
    }
}

std::int64_t pairs(std::int64_t count)
{
    return count * (count - 1) / 2;
}

/// Pairs of equal elements in a sequence where equal elements stand together.
template <class Equal>
std::int64_t tied_pairs(std::size_t count, const Equal& equal)
{
    std::int64_t tied = 0;
    std::int64_t run = 1;
    for (std::size_t i = 1; i < count; ++i) {
        run = equal(i - 1, i) ? run + 1 : 1;
        tied += run - 1;
    }
    return tied;
}

/// Sorts and returns the number of pairs that stood in strictly descending order.
std::int64_t sort_counting_inversions(std::span<double> values)
{
    if (values.size() < 2) {
        return 0;
    }
    const std::span<double> left = values.first(values.size() / 2);
    const std::span<double> right = values.subspan(left.size());
    std::int64_t inversions = sort_counting_inversions(left) + sort_counting_inversions(right);
    for (std::size_t l = 0, r = 0; l < left.size(); ++l) {
        while (r < right.size() && right[r] < left[l]) {
            ++r;
        }
        inversions += static_cast<std::int64_t>(r);
    }
    std::vector<double> merged;
    merged.reserve(values.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(merged));
    std::copy(merged.begin(), merged.end(), values.begin());
    return inversions;
}

} // namespace

std::optional<double> kendall_tau_b(std::span<const double> a, std::span<const double> b)
{
    require_comparable(a, b, "rank correlation");
    const std::size_t count = a.size();
    if (count < 2) {
        return std::nullopt;
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j];
    });
    const auto same_a = [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; };
    const auto same_both = [&](std::size_t i, std::size_t j) {
        return same_a(i, j) && b[order[i]] == b[order[j]];
    };
    const std::int64_t tied_a = tied_pairs(count, same_a);
    const std::int64_t tied_both = tied_pairs(count, same_both);

    // In the order of a, with ties of a in the order of b, exactly the discordant pairs are
    // inversions of b.
    std::vector<double> values(count);
    std::transform(order.begin(), order.end(), values.begin(), [&](std::size_t i) { return b[i]; });
    const std::int64_t discordant = sort_counting_inversions(values);
    const std::int64_t tied_b =
        tied_pairs(count, [&](std::size_t i, std::size_t j) { return values[i] == values[j]; });

    const std::int64_t all = pairs(static_cast<std::int64_t>(count));
    if (tied_a == all || tied_b == all) {
        return std::nullopt;
    }
    const std::int64_t concordant = all - tied_a - tied_b + tied_both - discordant;
    return static_cast<double>(concordant - discordant) /
           std::sqrt(static_cast<double>(all - tied_a) * static_cast<double>(all - tied_b));
}

double regret(std::span<const double> judge, std::span<const double> truth)
{
    require_comparable(judge, truth, "regret");
    if (judge.empty()) {
        throw bad_input("nothing to choose from", "regret");
    }
    const double best = *std::min_element(truth.begin(), truth.end());
    if (!(best > 0)) {
        throw bad_input("a true cost is not positive", "regret");
    }
    const auto chosen = std::min_element(judge.begin(), judge.end()) - judge.begin();
    return truth[static_cast<std::size_t>(chosen)] / best - 1;
}

} // namespace texelscope::model

#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {

// The one search by prices: coordinate descent over points of any kind - kernels of a space by
// their number, kernels of a network by schedule and layouts.
//
// What goes in is a problem, which says what a point costs and which points share an answer; knobs,
// the ways to change one part of a point; and a point to begin with.
//
// What comes out is the best point that is reached, and everything that was asked on the way, in
// its order, for a ranking.
//
// What always holds: every answer is asked for once. Of equals, the first that was looked at wins.
// The same calls in the same order give the same result.

inline constexpr double no_cost = std::numeric_limits<double>::infinity();

/// What an answer makes of a point: where several share the answer, the best of them.
template <class Point>
struct Priced {
    Point point;
    double ns = no_cost; ///< that: it has no price
};

/// A way to change one part: what can become of a point, itself perhaps among it.
template <class Point>
using Knob = std::function<std::vector<Point>(const Point& from)>;

/// A Problem has the types Point, Key (that std::hash takes) and Answer (with a member
/// `Priced<Point> best`), and the members
///
///     Key key(const Point&)      the same of points that share an answer
///     Answer ask(const Point&)   asked once for each key; what it throws, the search throws
///
/// and, where it answers several points sooner than one after the other,
///
///     std::vector<Answer> ask(std::span<const Point>)   the answers that ask() of each gives
template <class Problem>
class Descent {
public:
    using Point = typename Problem::Point;
    using Key = typename Problem::Key;
    using Answer = typename Problem::Answer;

    /// `worth`: a knob gains where it leaves less than this share of the time.
    explicit Descent(Problem problem, double worth = 1)
        : problem_(std::move(problem)), worth_(worth)
    {}

    [[nodiscard]] const Problem& problem() const { return problem_; }

    const Priced<Point>& price(const Point& point)
    {
        Key key = problem_.key(point);
        auto known = known_.find(key);
        if (known == known_.end()) {
            known = known_.emplace(std::move(key), problem_.ask(point)).first;
            asked_.push_back(&*known);
        }
        return known->second.best;
    }

    /// The best of a priced point and what the knob makes of it.
    Priced<Point> turn(const Priced<Point>& from, const Knob<Point>& knob)
    {
        Priced<Point> best = from;
        const std::vector<Point> others = knob(from.point);
        if constexpr (requires { problem_.ask(std::span<const Point>(others)); }) {
            price_all(others);
        }
        for (const Point& other : others) {
            if (const Priced<Point>& priced = price(other); priced.ns < best.ns) {
                best = priced;
            }
        }
        return best;
    }

    /// One knob after the other goes to its best value, until none gains.
    Priced<Point> descend(const Point& from, std::span<const Knob<Point>> knobs)
    {
        Priced<Point> best = price(from);
        std::size_t unchanged = 0;
        for (std::size_t k = 0; unchanged < knobs.size(); k = (k + 1) % knobs.size()) {
            const double before = best.ns;
            best = turn(best, knobs[k]);
            unchanged = best.ns < before * worth_ ? 1 : unchanged + 1;
        }
        return best;
    }

    using Asked = std::pair<const Key, Answer>;
    /// Every answer, in the order in which they were asked for.
    [[nodiscard]] std::span<const Asked* const> asked() const { return asked_; }

private:
    /// Has the answers of all that are not known yet.
    void price_all(std::span<const Point> points)
    {
        std::vector<Point> unknown;
        std::vector<Key> keys;
        std::unordered_set<Key> seen;
        for (const Point& point : points) {
            Key key = problem_.key(point);
            if (!known_.contains(key) && seen.insert(key).second) {
                unknown.push_back(point);
                keys.push_back(std::move(key));
            }
        }
        std::vector<Answer> answers = problem_.ask(std::span<const Point>(unknown));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            asked_.push_back(&*known_.emplace(std::move(keys[i]), std::move(answers[i])).first);
        }
    }

    Problem problem_;
    double worth_;
    std::unordered_map<Key, Answer> known_;
    std::vector<const Asked*> asked_; ///< of known_, whose elements stay where they are
};

} // namespace texelscope::workbench::tuning

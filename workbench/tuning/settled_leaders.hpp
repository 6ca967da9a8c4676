#pragma once

#include "base/stop.hpp"
#include "workbench/tuning/search.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace texelscope::workbench::tuning {

struct LeaderOptions {
    std::size_t leaders = 4; ///< at most, to begin with
    double margin = 0.05;    ///< leaders take so much more than the best at most
    int repeats = 8;         ///< of each, at most
    double alike = 0.005;    ///< smaller differences need not be settled
};

/// What repeats say of the fastest elements of a search.
struct SettledLeaders {
    struct Leader {
        std::int64_t index = 0;
        std::vector<double> ns; ///< of its repeats, in order; two or more
        /// Their geometric mean. The search's own time is not part of it: a leader leads because,
        /// among other reasons, that time was lucky.
        [[nodiscard]] Nanoseconds time() const;
    };
    std::vector<Leader> leaders; ///< ascending by time
    std::int64_t repeats = 0;    ///< of all together
    /// Standard deviation of the logarithm of an element's time from repeat to repeat, over all
    /// leaders.
    double noise = 0;
    /// Whether the first is faster than each other with 95 % confidence, or what is uncertain of
    /// their difference is less than `alike`.
    bool settled = false;
};

/// Repeats the leaders of a search in turn, so that what drifts is the same for all; each three
/// times; the best and the next after it are leaders in any case. Then come the fastest of those
/// whose one time is less than the first's repeats, until there is none; then the first and those
/// that may be as fast, until the order is settled. A leader that does not run again is none. When
/// `stop` answers true, or `again` throws Interrupted, or `more` says that there is no time for so
/// many runs, what is known counts.
[[nodiscard]] SettledLeaders settled_leaders(const SearchResult& search, const TimesOf& again,
                                             const LeaderOptions& options = {},
                                             const std::function<bool(std::int64_t)>& more = {},
                                             const StopToken& stop = {});

/// The search with the leaders' times from their repeats; its best is the first of them. A trial
/// that was not repeated and whose one time is less than the first's is Trial::rough: it was lucky,
/// or the device has become slower since.
[[nodiscard]] SearchResult with_leaders(SearchResult search, const SettledLeaders& leaders);

} // namespace texelscope::workbench::tuning

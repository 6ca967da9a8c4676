#pragma once

#include "sim/cache/cache_geometry.hpp"
#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/line_table.hpp"
#include "sim/cache/lru_sets.hpp"
#include "sim/cache/lru_stack.hpp"
#include "sim/cache/replacement.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace texelscope::sim {

/// Tags and sectors of a set-associative cache with any replacement policy. The policy chooses
/// which way of a full set is replaced.
class SetAssociative {
public:
    /// Line numbers are below `line_count`. Where sets are too wide to be searched, a table takes 4
    /// bytes for each of them.
    SetAssociative(SetOfLine set_of, int ways, ReplacementPolicy policy, std::int64_t line_count);

    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Uses the lines of a list, in order; only for a cache without sectors. Unless `missed` is
    /// null, missed[i] becomes 1 where line i was absent, else 0.
    LookupCount access_all(const LineList& lines, std::uint8_t* missed);

    struct Way {
        std::int64_t line = -1;
        std::uint64_t sectors = 0;

        bool operator==(const Way&) const = default;
    };

    /// Contents and state of the policy at one moment.
    struct Snapshot {
        std::vector<Way> ways;
        std::vector<int> used;
        ReplacementPolicy policy;
    };
    [[nodiscard]] Snapshot save() const { return {lines_, used_, policy_}; }
    void restore(const Snapshot& snapshot);
    /// Whether contents and policy are those of the snapshot, translated.
    [[nodiscard]] bool is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates contents and policy. The translation must rotate the sets, and the policy must be
    /// a TranslatablePolicy.
    void shift(const LineShift& shift);
    /// How many numbers a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const
    {
        return static_cast<std::int64_t>(4 * lines_.size());
    }

private:
    /// Way that holds the line, or -1.
    [[nodiscard]] int find(std::int64_t set, std::int64_t line) const;

    SetOfLine set_of_;
    int ways_;
    ReplacementPolicy policy_;
    std::vector<Way> lines_; ///< [set * ways + way]
    std::vector<int> used_;  ///< filled ways of each set
    /// By line: its way + 1, or 0 where it is absent. Empty where sets are searched instead.
    ZeroedArray<std::int32_t> way_of_line_;
};

/// The tags of a cache. LRU has two fast forms, for narrow sets and for a single wide set; all
/// other caches use the general form. All three have access(), contains(), access_all(), save(),
/// restore(), is_shifted(), shift() and snapshot_size(), as described in LruSets.
using TagStore = std::variant<LruSets, LruStack, SetAssociative>;
using TagSnapshot = std::variant<LruSets::Snapshot, LruStack::Snapshot, SetAssociative::Snapshot>;

/// The tags of an empty cache, for line numbers below `line_count`.
[[nodiscard]] TagStore make_tag_store(const CacheGeometry& geometry, std::int64_t line_count);

} // namespace texelscope::sim

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

/// Tags and sectors of a set-associative cache; which way gives way is the policy's business.
class SetAssociative {
public:
    /// Line numbers are below `line_count` (a table of 4 bytes for each where sets are too wide to
    /// be searched).
    SetAssociative(SetOfLine set_of, int ways, ReplacementPolicy policy, std::int64_t line_count);

    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1
    /// where line i was absent, else 0.
    LookupCount access_all(const LineList& lines, std::uint8_t* missed);

    struct Way {
        std::int64_t line = -1;
        std::uint64_t sectors = 0;

        bool operator==(const Way&) const = default;
    };

    /// Contents at one moment, and what the policy knows.
    struct Snapshot {
        std::vector<Way> ways;
        std::vector<int> used;
        ReplacementPolicy policy;
    };
    [[nodiscard]] Snapshot save() const { return {lines_, used_, policy_}; }
    void restore(const Snapshot& snapshot);
    /// Whether contents and policy are those of the snapshot, translated.
    [[nodiscard]] bool is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates contents and policy; the translation must rotate the sets, and the policy take
    /// part.
    void shift(const LineShift& shift);
    /// Numbers that a snapshot holds.
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
    /// Way + 1, 0: absent; only where a set is too wide to be searched.
    ZeroedArray<std::int32_t> way_of_line_;
};

/// What a cache holds. LRU has two forms of its own, for narrow sets and for one wide set;
/// everything else is general. All have access, contains, access_all, save, restore, is_shifted,
/// shift and snapshot_size, described at LruSets.
using TagStore = std::variant<LruSets, LruStack, SetAssociative>;
using TagSnapshot = std::variant<LruSets::Snapshot, LruStack::Snapshot, SetAssociative::Snapshot>;

/// Empty, for line numbers below `line_count`.
[[nodiscard]] TagStore make_tag_store(const CacheGeometry& geometry, std::int64_t line_count);

} // namespace texelscope::sim

#pragma once

#include "sim/lru_stack.hpp"
#include "sim/replacement.hpp"

#include <cstdint>
#include <vector>

namespace texelscope {

/// Tags and sectors of a set-associative cache; which way gives way is the policy's business.
class SetAssociative {
public:
    SetAssociative(std::int64_t sets, int ways, ReplacementPolicy policy, bool xor_index, std::int64_t line_count);

    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

private:
    struct Way {
        std::int64_t line = -1;
        std::uint64_t sectors = 0;
    };

    [[nodiscard]] std::int64_t set_of(std::int64_t line) const;
    /// Way that holds the line, or -1.
    [[nodiscard]] int find(std::int64_t set, std::int64_t line) const;

    std::int64_t sets_;
    int ways_;
    bool xor_index_;
    ReplacementPolicy policy_;
    std::vector<Way> lines_;                ///< [set * ways + way]
    std::vector<int> used_;                 ///< filled ways of each set
    std::vector<std::int32_t> way_of_line_; ///< only where a set is too wide to scan
};

} // namespace texelscope

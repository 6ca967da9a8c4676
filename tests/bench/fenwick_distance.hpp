#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::bench {

/// The baseline of the stack distances: a Fenwick tree over the times of last use, as one writes it
/// by hand, with a table of last uses by line. Four times as many times as lines (4096 at least),
/// renumbered when they are used up.
class FenwickDistance {
public:
    explicit FenwickDistance(std::size_t lines)
        : last_use_(lines, 0), tree_(std::max<std::size_t>(4096, 4 * lines) + 1, 0),
          counts_(lines, 0)
    {}

    void access(std::size_t line)
    {
        if (now_ + 1 == tree_.size()) {
            renumber();
        }
        const std::size_t time = ++now_;
        std::uint32_t& use = last_use_[line];
        if (use == 0) {
            ++used_;
        } else {
            ++counts_[static_cast<std::size_t>(used_ - sum_up_to(use))];
            add(use, -1);
        }
        use = static_cast<std::uint32_t>(time);
        add(time, 1);
    }

    /// By distance.
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }
    [[nodiscard]] std::int64_t first_touches() const { return used_; }

private:
    void add(std::size_t time, std::int32_t amount)
    {
        for (; time < tree_.size(); time += time & (~time + 1)) {
            tree_[time] += amount;
        }
    }
    [[nodiscard]] std::int64_t sum_up_to(std::size_t time) const
    {
        std::int64_t sum = 0;
        for (; time > 0; time &= time - 1) {
            sum += tree_[time];
        }
        return sum;
    }
    void renumber()
    {
        std::vector<std::pair<std::uint32_t, std::size_t>> by_time;
        for (std::size_t line = 0; line < last_use_.size(); ++line) {
            if (last_use_[line] > 0) {
                by_time.emplace_back(last_use_[line], line);
            }
        }
        std::sort(by_time.begin(), by_time.end());
        std::fill(tree_.begin(), tree_.end(), 0);
        now_ = 0;
        for (const auto& [time, line] : by_time) {
            last_use_[line] = static_cast<std::uint32_t>(++now_);
            add(now_, 1);
        }
    }

    std::vector<std::uint32_t> last_use_; ///< by line, from 1 on
    std::vector<std::int32_t> tree_;
    std::vector<std::int64_t> counts_;
    std::int64_t used_ = 0;
    std::size_t now_ = 0;
};

} // namespace texelscope::bench

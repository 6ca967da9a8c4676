#pragma once

#include "workbench/tuning/search.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace texelscope::workbench::tuning {

/// The trials of one search under way: asks for times, keeps to the budget, tells the progress.
class TrialLog {
public:
    /// Of a space of that size. Progress and stop must outlive this.
    TrialLog(std::int64_t size, TimesOf times_of, const SearchBudget& budget,
             const Progress& progress, const StopToken& stop);

    /// Judges an element that was not tried yet. False: the search is over, and the element was not
    /// judged.
    bool run(std::int64_t index) { return run(std::span(&index, 1)); }
    /// Judges elements that were not tried yet, as many at once as the budget has threads, or as
    /// are asked together; the trials are in the order of the list. `later`: what probably follows.
    /// False: the search is over, and not all were judged.
    bool run(std::span<const std::int64_t> indices, std::span<const std::int64_t> later = {});

    [[nodiscard]] bool tried(std::int64_t index) const { return tried_.contains(index); }
    [[nodiscard]] std::span<const Trial> trials() const { return result_.trials; }
    [[nodiscard]] SearchResult result() && { return std::move(result_); }

private:
    /// Answers, in order; nothing for what there was no time for.
    [[nodiscard]] std::vector<std::optional<Trial>> judged(std::span<const std::int64_t> indices);
    [[nodiscard]] double seconds() const; ///< since the search began
    [[nodiscard]] bool in_time() const;
    /// Tells the progress when so many trials are done.
    void tell_progress(std::int64_t done) const;

    TimesOf times_of_;
    SearchBudget budget_;
    const Progress& progress_;
    const StopToken& stop_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::unordered_set<std::int64_t> tried_;
    SearchResult result_;
};

/// 0 .. size-1 in random order, one by one. Memory grows with what was drawn, not with the size.
class DistinctDraws {
public:
    explicit DistinctDraws(std::int64_t size) : size_(size) {}

    /// Nothing when all were drawn.
    std::optional<std::int64_t> next(std::mt19937_64& random);

private:
    std::int64_t size_;
    std::int64_t drawn_ = 0;
    std::unordered_map<std::int64_t, std::int64_t>
        moved_; ///< by place: what the shuffle has left there, if not the place
};

} // namespace texelscope::workbench::tuning

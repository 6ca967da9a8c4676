#pragma once

#include "codegen/nest/schedule_parts.hpp"
#include "gui/ranking/ranked_space.hpp"
#include "workbench/space/where.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace texelscope::gui {

/// What a configuration must fulfil to be shown: all conditions hold, and all words occur in its
/// text, in upper or lower case. An empty filter shows all.
struct RowFilter {
    std::vector<Constraint> where;
    std::vector<std::string> words; ///< in lower case
};

/// Names that conditions on an operator's configurations can use, those of compiled numbers among
/// them.
[[nodiscard]] std::vector<std::string> parameter_names(const Operator& op);

/// Whether a text is a condition, as `tune --where` takes it, and not words: it compares (==, !=,
/// <, >), or names a parameter.
[[nodiscard]] bool is_condition(const std::string& text, const Operator& op);

/// Throws bad_input, with the column, for a condition that is malformed.
[[nodiscard]] RowFilter row_filter(const std::string& text, const Operator& op);

/// A time that was simulated or measured, and what said so: a device, a store.
struct KnownTime {
    double ns = 0;
    std::string source;
};
/// Up to this number of rows everything is computed while the window waits, for more in the
/// background.
inline constexpr std::size_t quick_rows = 20'000;

/// By number in the space.
using KnownTimes = std::unordered_map<std::int64_t, KnownTime>;

/// What the real compiler of the GPU reports on a configuration's kernel.
struct Compilation {
    std::int64_t registers = 0; ///< of a work-item
    std::int64_t warps = 0;     ///< of the profile's size, that a core holds
    std::int64_t spills = 0;    ///< stores and loads
    std::string about;          ///< in a line
};
/// By number in the space.
using Compilations = std::unordered_map<std::int64_t, Compilation>;
/// What conditions call its numbers, in their order.
inline constexpr std::array compiled_names{"compiled_registers", "compiled_warps",
                                           "compiled_spills"};

/// Columns of the ranking, in order; those from `first_pattern` on are the patterns of the inputs,
/// then the parts that are searched beside A, T, W and G.
struct RankingColumn {
    enum Fixed {
        rank,
        configuration,
        predicted,
        simulated,
        measured,
        registers,
        warps,
        spills,
        pruned,
        tile,
        warp,
        group,
        first_pattern
    };
};
[[nodiscard]] constexpr bool is_time(int column)
{
    return column >= RankingColumn::predicted && column <= RankingColumn::measured;
}

[[nodiscard]] constexpr bool is_compiled(int column)
{
    return column >= RankingColumn::registers && column <= RankingColumn::spills;
}

/// A unit of time in which the numbers of a column are easy to read.
struct TimeUnit {
    const char* name = "ns";
    double ns = 1;
};
[[nodiscard]] TimeUnit readable_unit(double ns);

/// All that is known of ranked configurations: what it points to does not change, so that other
/// threads can read it. Rows are those of `ranked`, whatever is shown.
struct RankingRows {
    std::shared_ptr<const RankedSpace> ranked;   ///< null: no rows
    std::shared_ptr<const SpacePruning> pruning; ///< null: not known
    std::shared_ptr<const KnownTimes> simulated = std::make_shared<const KnownTimes>();
    std::shared_ptr<const KnownTimes> measured = std::make_shared<const KnownTimes>();
    std::shared_ptr<const Compilations> compiled = std::make_shared<const Compilations>();

    [[nodiscard]] std::size_t size() const { return ranked ? ranked->size() : 0; }
    [[nodiscard]] int columns() const;
    /// The part that a column shows, of those beside A, T, W and G; null: it shows none of them.
    [[nodiscard]] const SchedulePart* part(int column) const;
    /// The unit in which all times of these rows are shown.
    [[nodiscard]] TimeUnit unit() const;
    [[nodiscard]] std::string title(int column) const;

    /// What a cell says; empty where nothing is known.
    [[nodiscard]] std::string text(std::size_t row, int column) const;
    /// The number by which a column is sorted and plotted. Times are in ns; of sizes it is their
    /// product, of a warp shape its width. NaN where nothing is known, and for texts.
    [[nodiscard]] double number(std::size_t row, int column) const;
    /// Where a simulated or measured time is from; nothing where there is none.
    [[nodiscard]] const KnownTime* known_time(std::size_t row, int column) const;
    /// The compiler's report on a row; null where it was not compiled.
    [[nodiscard]] const Compilation* compilation(std::size_t row) const;
    [[nodiscard]] CriteriaSet criteria(std::size_t row) const;
};

/// Copies what is known of configurations from one set of rows to the rows of another space, where
/// both have them.
void carry_over(const RankingRows& from, RankingRows& to);

/// Which rows are shown, and in what order.
struct RankingOrder {
    RowFilter filter;
    CriteriaSet hidden = 0; ///< rows that one of these criteria excludes are left out
    int column = RankingColumn::rank;
    bool descending = false;
};

/// Numbers of the rows that are shown. Equal ones stay in the order of their ranks; those without a
/// number come last in either direction. Throws bad_input where a condition divides by zero,
/// Interrupted where `stop` answers true.
[[nodiscard]] std::vector<std::size_t> arranged(const RankingRows& rows, const RankingOrder& order,
                                                const StopToken& stop = {});

/// CSV with a line for each of the rows `shown`. Columns: rank, configuration, predicted_ns,
/// simulated_ns, measured_ns, pruned_by, compiled_registers, compiled_warps, compiled_spills.
[[nodiscard]] std::string ranking_csv(const RankingRows& rows,
                                      const std::vector<std::size_t>& shown);

} // namespace texelscope::gui

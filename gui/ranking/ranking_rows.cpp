// What the table and the plot show of a ranking: the number and the text of each cell, filters, and
// the order of rows. A cell that is not known has no number (NaN) and an empty text.

#include "gui/ranking/ranking_rows.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "workbench/space/space_options.hpp"
#include "workbench/space/tunable_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <type_traits>

namespace texelscope::gui {
namespace {

std::vector<std::string> words_of(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        std::transform(word.begin(), word.end(), word.begin(), [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
        words.push_back(std::move(word));
    }
    return words;
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

template <class Sizes>
double product(const Sizes& sizes)
{
    return std::accumulate(std::begin(sizes), std::end(sizes), 1.0, std::multiplies<>());
}

template <class Sizes>
std::string joined(const Sizes& sizes)
{
    return fmt::format("{}", fmt::join(sizes, "x"));
}

/// The numbers of a compilation in the order of compiled_names.
std::vector<std::int64_t> numbers_of(const Compilation& compilation)
{
    return {compilation.registers, compilation.warps, compilation.spills};
}

/// Digits behind the point, so that the least of many times still has three significant digits.
int decimals(double least)
{
    return least >= 100 ? 1 : least >= 10 ? 2 : 3;
}

/// Whether a column is ordered by its texts.
bool has_texts(const RankingRows& rows, int column)
{
    const SchedulePart* part = rows.part(column);
    return column == RankingColumn::configuration || column == RankingColumn::pruned ||
           (column >= RankingColumn::first_pattern &&
            (part == nullptr || part->kind != SchedulePart::Kind::number));
}

/// Keys of the parts that are searched beside the paper's.
std::string further_parts(const RankedSpace& ranked)
{
    std::string parts;
    std::ranges::copy_if(ranked.searched().parts, std::back_inserter(parts), [](char key) {
        return std::string(paper_parts).find(key) == std::string::npos;
    });
    return parts;
}

/// The parts of a configuration that a row needs, without making a schedule.
struct Element {
    KernelChoice kernel;
    const GroupChoice& group;
};
Element element(const RankedSpace& ranked, std::size_t row)
{
    const ConfigurationSpace& space = *ranked.space();
    const ConfigurationSpace::Place place = space.place(ranked[row].index);
    return {space.kernel(place.kernel), space.groups(place.kernel)[place.group]};
}

/// By row, whether all words occur in its configuration, its warp shape, which a configuration may
/// leave out, or its criteria.
std::vector<bool> with_words(const RankingRows& rows, const std::vector<std::string>& words,
                             const StopToken& stop)
{
    constexpr std::size_t now_and_then = 1024;
    std::vector<bool> kept(rows.size());
    for (std::size_t row = 0; row < kept.size(); ++row) {
        if (row % now_and_then == 0 && stop && stop()) {
            throw Interrupted{};
        }
        std::string text = rows.text(row, RankingColumn::configuration) +
                           " W=" + rows.text(row, RankingColumn::warp) + " " +
                           rows.text(row, RankingColumn::pruned);
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
        kept[row] = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            return text.find(word) != std::string::npos;
        });
    }
    return kept;
}

/// Orders rows by keys, which are given by row.
template <class Key>
void sort_by(std::vector<std::size_t>& shown, const std::vector<Key>& keys, bool descending)
{
    std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
        return descending ? keys[b] < keys[a] : keys[a] < keys[b];
    });
}

} // namespace

std::vector<std::string> parameter_names(const Operator& op)
{
    Schedule any;
    any.patterns.resize(op.inputs.size());
    std::vector<std::string> names;
    for (const auto& [name, value] : all_parameters(any, op.inputs.size() + 1)) {
        names.push_back(name);
    }
    names.insert(names.end(), compiled_names.begin(), compiled_names.end());
    return names;
}

// A text with a comparison, or the name of a parameter, is a condition; anything else is words to
// look for.
bool is_condition(const std::string& text, const Operator& op)
{
    for (const char* sign : {"==", "!=", "<", ">"}) {
        if (text.find(sign) != std::string::npos) {
            return true;
        }
    }
    const std::vector<std::string> names = parameter_names(op);
    const std::vector<std::string> words = words_of(text);
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return std::find(names.begin(), names.end(), word) != names.end();
    });
}

RowFilter row_filter(const std::string& text, const Operator& op)
{
    if (!is_condition(text, op)) {
        return {{}, words_of(text)};
    }
    return {constraints({text}, op, {compiled_names.begin(), compiled_names.end()}), {}};
}

TimeUnit readable_unit(double ns)
{
    for (const TimeUnit unit : {TimeUnit{"s", 1e9}, TimeUnit{"ms", 1e6}, TimeUnit{"µs", 1e3}}) {
        if (ns >= unit.ns) {
            return unit;
        }
    }
    return {};
}

int RankingRows::columns() const
{
    return RankingColumn::first_pattern +
           (ranked ? static_cast<int>(ranked->op().inputs.size() + further_parts(*ranked).size())
                   : 0);
}

const SchedulePart* RankingRows::part(int column) const
{
    const int place = ranked ? column - RankingColumn::first_pattern -
                                   static_cast<int>(ranked->op().inputs.size())
                             : -1;
    return place < 0 ? nullptr
                     : &schedule_part(further_parts(*ranked)[static_cast<std::size_t>(place)]);
}

TimeUnit RankingRows::unit() const
{
    return size() == 0 ? TimeUnit{} : readable_unit((*ranked)[0].ns);
}

std::string RankingRows::title(int column) const
{
    if (const SchedulePart* shown = part(column)) {
        return std::string(1, shown->key) + ", " + shown->name;
    }
    if (column >= RankingColumn::first_pattern) {
        return ranked->op()
            .inputs[static_cast<std::size_t>(column - RankingColumn::first_pattern)]
            .name;
    }
    constexpr std::array titles{"Rank",      "Configuration", "Predicted",  "Simulated",
                                "Measured",  "Registers",     "Warps",      "Spills",
                                "Pruned by", "Tile",          "Warp shape", "Work-group"};
    const std::string title = titles.at(static_cast<std::size_t>(column));
    return is_time(column) ? fmt::format("{}, {}", title, unit().name) : title;
}

const KnownTime* RankingRows::known_time(std::size_t row, int column) const
{
    const KnownTimes& times = column == RankingColumn::simulated ? *simulated : *measured;
    const auto found = times.find((*ranked)[row].index);
    return found == times.end() || column == RankingColumn::predicted ? nullptr : &found->second;
}

const Compilation* RankingRows::compilation(std::size_t row) const
{
    const auto found = compiled->find((*ranked)[row].index);
    return found == compiled->end() ? nullptr : &found->second;
}

CriteriaSet RankingRows::criteria(std::size_t row) const
{
    return pruning ? pruning->criteria((*ranked)[row].index) : CriteriaSet{0};
}

double RankingRows::number(std::size_t row, int column) const
{
    switch (column) {
    case RankingColumn::rank:
        return static_cast<double>(row + 1);
    case RankingColumn::predicted:
        return (*ranked)[row].ns;
    case RankingColumn::simulated:
    case RankingColumn::measured: {
        const KnownTime* time = known_time(row, column);
        return time == nullptr ? none : time->ns;
    }
    case RankingColumn::registers:
    case RankingColumn::warps:
    case RankingColumn::spills: {
        const Compilation* compilation = this->compilation(row);
        return compilation == nullptr
                   ? none
                   : static_cast<double>(numbers_of(*compilation)[static_cast<std::size_t>(
                         column - RankingColumn::registers)]);
    }
    case RankingColumn::tile:
        return product(element(*ranked, row).kernel.tile);
    case RankingColumn::warp:
        // The width: sizes of warps are mostly the same, and would not order them.
        return element(*ranked, row).group.warp[0];
    case RankingColumn::group:
        return product(element(*ranked, row).group.group);
    default:
        break;
    }
    const SchedulePart* shown = part(column);
    return shown != nullptr && shown->kind == SchedulePart::Kind::number
               ? std::stod(shown->write(element(*ranked, row).kernel))
               : none;
}

std::string RankingRows::text(std::size_t row, int column) const
{
    switch (column) {
    case RankingColumn::rank:
        return std::to_string(row + 1);
    case RankingColumn::configuration:
        return to_string(ranked->schedule(row));
    case RankingColumn::predicted:
    case RankingColumn::simulated:
    case RankingColumn::measured: {
        const double time = number(row, column);
        const double scale = unit().ns;
        constexpr double long_number = 10'000; // in which digits behind the point say nothing
        return std::isnan(time) ? ""
               : time / scale >= long_number
                   ? base::count_text(std::llround(time / scale))
                   : fmt::format("{:.{}f}", time / scale, decimals((*ranked)[0].ns / scale));
    }
    case RankingColumn::registers:
    case RankingColumn::warps:
    case RankingColumn::spills: {
        const double count = number(row, column);
        return std::isnan(count) ? "" : fmt::format("{}", count);
    }
    case RankingColumn::pruned:
        return to_string_of_criteria(criteria(row));
    case RankingColumn::tile:
        return joined(element(*ranked, row).kernel.tile);
    case RankingColumn::warp:
        return joined(element(*ranked, row).group.warp);
    case RankingColumn::group:
        return joined(element(*ranked, row).group.group);
    default:
        break;
    }
    const KernelChoice kernel = element(*ranked, row).kernel;
    if (const SchedulePart* shown = part(column)) {
        const std::string value = shown->write(kernel);
        return value.empty() ? "–" : value;
    }
    return to_string(
        kernel.patterns[static_cast<std::size_t>(column - RankingColumn::first_pattern)]);
}

// Times and compilations of the old rows that the new space has, too, are kept: they are found by
// their kernel's text and their group.
void carry_over(const RankingRows& from, RankingRows& to)
{
    const ConfigurationSpace& old_space = *from.ranked->space();
    const ConfigurationSpace& space = *to.ranked->space();
    std::unordered_map<std::string, std::size_t> kernels;
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        kernels.emplace(to_string(space.kernel(k)), k);
    }
    const auto index = [&](std::int64_t old) -> std::optional<std::int64_t> {
        const Schedule schedule = old_space.at(old);
        const auto kernel = kernels.find(to_string(kernel_of(schedule)));
        return kernel == kernels.end() ? std::nullopt
                                       : index_in_kernel(space, kernel->second, schedule);
    };
    const auto moved = [&](const auto& known) {
        auto found = std::make_shared<std::remove_cvref_t<decltype(*known)>>();
        for (const auto& [old, what] : *known) {
            if (const auto place = index(old)) {
                found->emplace(*place, what);
            }
        }
        return found;
    };
    to.simulated = moved(from.simulated);
    to.measured = moved(from.measured);
    to.compiled = moved(from.compiled);
}

std::vector<std::size_t> arranged(const RankingRows& rows, const RankingOrder& order,
                                  const StopToken& stop)
{
    std::vector<bool> words;
    if (!order.filter.words.empty()) {
        words = with_words(rows, order.filter.words, stop);
    }
    std::vector<bool> elements;
    if (!order.filter.where.empty() && rows.ranked) {
        const FoundNumbers found{
            {compiled_names.begin(), compiled_names.end()}, [&](std::int64_t index) {
                const auto known = rows.compiled->find(index);
                return known == rows.compiled->end() ? std::vector<std::int64_t>()
                                                     : numbers_of(known->second);
            }};
        elements =
            narrowed(*rows.ranked->space(), conditions_of(order.filter.where, found), {}, stop)
                .kept;
    }
    std::vector<std::size_t> shown;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto index = static_cast<std::size_t>((*rows.ranked)[row].index);
        if ((words.empty() || words[row]) && (elements.empty() || elements[index]) &&
            (rows.criteria(row) & order.hidden) == 0) {
            shown.push_back(row);
        }
    }
    if (stop && stop()) {
        throw Interrupted{};
    }
    if (has_texts(rows, order.column)) {
        std::vector<std::string> keys(rows.size());
        for (const std::size_t row : shown) {
            keys[row] = rows.text(row, order.column);
        }
        if (stop && stop()) {
            throw Interrupted{};
        }
        sort_by(shown, keys, order.descending);
    } else {
        std::vector<double> keys(rows.size(), none);
        for (const std::size_t row : shown) {
            keys[row] = rows.number(row, order.column);
        }
        // Rows without a number come last, in either order.
        const auto last = std::stable_partition(
            shown.begin(), shown.end(), [&](std::size_t row) { return !std::isnan(keys[row]); });
        const std::vector<std::size_t> without(last, shown.end());
        shown.erase(last, shown.end());
        sort_by(shown, keys, order.descending);
        shown.insert(shown.end(), without.begin(), without.end());
    }
    return shown;
}

std::string ranking_csv(const RankingRows& rows, const std::vector<std::size_t>& shown)
{
    const auto number = [&](std::size_t row, int column) {
        const double known = rows.number(row, column);
        return std::isnan(known) ? std::string() : fmt::format("{}", known);
    };
    std::string csv =
        fmt::format("rank,configuration,predicted_ns,simulated_ns,measured_ns,pruned_by,{}\n",
                    fmt::join(compiled_names, ","));
    for (const std::size_t row : shown) {
        csv += fmt::format(
            "{},\"{}\",{},{},{},{},{},{},{}\n", row + 1,
            rows.text(row, RankingColumn::configuration), number(row, RankingColumn::predicted),
            number(row, RankingColumn::simulated), number(row, RankingColumn::measured),
            csv_field(rows.text(row, RankingColumn::pruned)), number(row, RankingColumn::registers),
            number(row, RankingColumn::warps), number(row, RankingColumn::spills));
    }
    return csv;
}

} // namespace texelscope::gui

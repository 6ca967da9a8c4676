#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/ranking/ranking_model.hpp"
#include "tests/gui/ranking_space.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/space/space_options.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;
using Catch::Matchers::Contains;

namespace {

std::vector<std::size_t> all_rows(const RankingRows& rows)
{
    std::vector<std::size_t> all(rows.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

RankingOrder by(int column, bool descending = false)
{
    RankingOrder order;
    order.column = column;
    order.descending = descending;
    return order;
}

std::vector<std::size_t> filtered(const RankingRows& rows, const std::string& filter)
{
    RankingOrder order;
    order.filter = row_filter(filter, rows.ranked->op());
    return arranged(rows, order);
}

/// The rows that a plain predicate keeps, in the order of their ranks.
template <class Keep>
std::vector<std::size_t> kept(const RankingRows& rows, Keep keep)
{
    std::vector<std::size_t> result;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (keep(rows.ranked->schedule(row))) {
            result.push_back(row);
        }
    }
    return result;
}

} // namespace

TEST_CASE("a ranked space has ascending costs, and finds each configuration again")
{
    const RankingRows rows = test::random_rows(1);
    const RankedSpace& ranked = *rows.ranked;
    REQUIRE(ranked.size() > 100);
    CHECK(static_cast<std::int64_t>(ranked.size()) < ranked.space()->size());
    for (std::size_t row = 0; row < ranked.size(); ++row) {
        CHECK((row == 0 || ranked[row - 1].ns <= ranked[row].ns));
        const auto index = index_of(*ranked.space(), ranked.schedule(row));
        REQUIRE(index == ranked[row].index);
        CHECK(ranked.row_of(*index) == row);
    }
    std::int64_t without = 0;
    for (std::int64_t index = 0; index < ranked.space()->size(); ++index) {
        without += ranked.row_of(index) ? 0 : 1;
    }
    CHECK(static_cast<std::int64_t>(ranked.size()) + without == ranked.space()->size());

    Schedule other = ranked.schedule(0);
    other.vector = 8; // which no kernel of a space chooses
    CHECK_FALSE(index_of(*ranked.space(), other));
    other = ranked.schedule(0);
    other.group[0] *= 3;
    CHECK_FALSE(index_of(*ranked.space(), other));
}

TEST_CASE("a study's space is ranked as the study ranks it, and pruned as predict says")
{
    const auto study = test::small_study();
    const auto made = ranked_and_pruned(study->request, paper_parts, study->calibration,
                                        study->variant.variant, {});
    const RankedSpace& ranked = *made.space;
    CHECK(static_cast<std::int64_t>(ranked.size()) == study->ranking.space);
    for (std::size_t row = 0; row < study->ranking.best.size(); ++row) {
        CHECK(test::has_cost_at(ranked, row, study->ranking.best[row]));
    }
    // The simulator has the word where the model has none.
    CHECK(made.simulated.size() >= 16);
    const auto simulated = [&](std::size_t row) {
        const auto known = made.simulated.find(ranked[row].index);
        return known == made.simulated.end() ? std::numeric_limits<double>::infinity()
                                             : known->second;
    };
    std::size_t alike = 0;
    for (std::size_t row = 1; row < ranked.size(); ++row) {
        if (same_time(ranked[row].ns, ranked[row - 1].ns)) {
            CHECK(simulated(row - 1) <= simulated(row));
            CHECK(ranked.alike(row) == ranked.alike(row - 1));
            ++alike;
        } else {
            CHECK(ranked[row - 1].ns < ranked[row].ns);
        }
    }
    CHECK(alike > 0);
    for (const auto& [index, ns] : made.simulated) {
        const LoopNest nest = loop_nest(study->request.op, ranked.space()->at(index));
        CHECK(ns == simulated_time(nest, study->request.device, most_simulated_accesses).value);
        const bool own = ranked.space()->at(index) == study->request.schedule;
        CHECK((own || ranked.row_of(index).value() < made.simulated.size()));
    }
    const std::optional<std::int64_t> own = index_of(*ranked.space(), study->request.schedule);
    REQUIRE(own);
    CHECK(made.simulated.contains(*own));
    const std::string note = first_note(made, study->request.schedule);
    const auto least =
        std::ranges::min_element(made.simulated, {}, [](const auto& each) { return each.second; });
    CHECK_THAT(note, Contains("rank " +
                              base::count_text(
                                  static_cast<std::int64_t>(*ranked.row_of(least->first) + 1)) +
                              " is fastest (" + base::time_text(Nanoseconds{least->second}) + ")"));
    CHECK_THAT(note,
               Contains("the study's own is rank " +
                        base::count_text(static_cast<std::int64_t>(*ranked.row_of(*own) + 1))));
    CHECK_THAT(first_note(made, parse_schedule("A=row,row;T=1x1;W=8x8;G=8x8x1;R=2")),
               Contains("is not among them"));
    const SpacePruning pruning(study->request.op, ranked.space(), study->request.device);
    const PruningLimits limits = pruning_limits(study->request.device);
    std::set<std::string> seen;
    for (std::int64_t index = 0; index < ranked.space()->size(); index += 37) {
        const Schedule schedule = ranked.space()->at(index);
        const LoopNest nest = loop_nest(study->request.op, schedule);
        std::vector<std::string> expected;
        for (const PruningCriterion criterion : all_pruning_criteria) {
            PruningOptions alone;
            alone.criteria = {criterion};
            if (const auto rejection = prune(nest, schedule, limits, alone)) {
                expected.push_back(to_string(criterion) + ": " + rejection->reason);
                seen.insert(to_string(criterion));
            }
        }
        CHECK(pruning.reasons(index) == expected);
        for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
            const std::string name = to_string(all_pruning_criteria[c]) + ": ";
            const bool named =
                std::any_of(expected.begin(), expected.end(),
                            [&](const std::string& line) { return line.starts_with(name); });
            CHECK(((pruning.criteria(index) >> c & 1U) != 0) == named);
        }
    }
    CHECK(seen.size() >= 2); // else the test shows little
    CHECK(to_string_of_criteria(0) == "");
    CHECK(to_string_of_criteria(0b10001) == "l1, warp");
}

TEST_CASE("the ranking is a well-behaved model, empty, filled and filled again")
{
    RankingModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy asked(&model, &RankingModel::order_asked);
    CHECK(model.rowCount() == 0);
    const RankingRows rows = test::random_rows(2);
    model.set_rows(rows);
    CHECK(model.rowCount() == 0);
    model.show({3, 1, 2});
    CHECK(model.rowCount() == 3);
    CHECK(model.columnCount() == RankingColumn::first_pattern + 2);
    CHECK(model.index(0, RankingColumn::rank).data().toString() == "4");
    model.sort(RankingColumn::tile, Qt::DescendingOrder);
    REQUIRE(asked.count() == 1);
    CHECK(asked.last()[0].toInt() == RankingColumn::tile);
    RankingRows later = rows;
    later.measured =
        std::make_shared<const KnownTimes>(KnownTimes{{(*rows.ranked)[1].index, {5, "my device"}}});
    later.compiled = std::make_shared<const Compilations>(
        Compilations{{(*rows.ranked)[1].index, {64, 12, 3, "my compiler"}}});
    model.set_known(later);
    CHECK(model.index(1, RankingColumn::registers).data().toString() == "64");
    CHECK(model.index(1, RankingColumn::warps).data().toString() == "12");
    CHECK(model.index(1, RankingColumn::spills).data().toString() == "3");
    CHECK(model.index(1, RankingColumn::spills).data(Qt::ToolTipRole).toString() == "my compiler");
    CHECK(model.index(0, RankingColumn::spills).data().toString() == QStringLiteral("–"));
    CHECK(model.index(0, RankingColumn::spills)
              .data(Qt::ToolTipRole)
              .toString()
              .contains("Compile selected"));
    CHECK(model.index(1, RankingColumn::measured)
              .data(Qt::ToolTipRole)
              .toString()
              .contains("my device"));
    CHECK(model.index(0, RankingColumn::measured).data().toString() == QStringLiteral("–"));
    model.set_rows({});
    CHECK(model.rowCount() == 0);
}

TEST_CASE("a row says what the configuration is, with one unit for all times")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    ConfigurationSpace space;
    space.add_kernel({{AccessPattern::block4, AccessPattern::column}, {4, 2}},
                     space.add_groups({{{8, 8}, {16, 8, 1}}, {{4, 16}, {16, 16, 1}}}));
    RankingRows rows;
    rows.ranked = std::make_shared<const RankedSpace>(
        op, std::make_shared<const ConfigurationSpace>(space),
        std::vector<ModelCosts::Cost>{{4321.5, 1}, {1234.56, 0}}, ModelVariant::refined);
    rows.simulated = std::make_shared<const KnownTimes>(KnownTimes{{1, {9'876'543, "test"}}});
    rows.compiled = std::make_shared<const Compilations>(Compilations{{0, {64, 12, 0, "test"}}});
    const auto shown = [&](std::size_t row, const std::string& title) {
        for (int column = 0; column < rows.columns(); ++column) {
            if (rows.title(column) == title) {
                return rows.text(row, column);
            }
        }
        return "no column " + title;
    };
    CHECK(shown(0, "Rank") == "1");
    CHECK(shown(0, "Configuration") == "A=block4,column;T=4x2;W=8x8;G=16x8x1");
    CHECK(shown(0, "Predicted, µs") == "1.235");
    CHECK(shown(1, "Predicted, µs") == "4.322");
    CHECK(shown(0, "Simulated, µs") == "");
    CHECK(shown(1, "Simulated, µs") == "9876.543");
    CHECK(shown(0, "A") == "block4");
    CHECK(shown(0, "B") == "column");
    CHECK(shown(0, "Tile") == "4x2");
    CHECK(shown(0, "Warp shape") == "8x8");
    CHECK(shown(0, "Work-group") == "16x8x1");
    CHECK(shown(0, "Registers") == "64");
    CHECK(shown(0, "Warps") == "12");
    CHECK(shown(0, "Spills") == "0");
    CHECK(shown(1, "Spills") == "");
    CHECK(std::isnan(rows.number(1, RankingColumn::registers)));
    CHECK(rows.number(1, RankingColumn::group) == 256);
    CHECK(std::isnan(rows.number(0, RankingColumn::simulated)));
    CHECK(std::string(readable_unit(999).name) == "ns");
    CHECK(std::string(readable_unit(2e6).name) == "ms");
    CHECK(ranking_csv(rows, {1, 0}) ==
          "rank,configuration,predicted_ns,simulated_ns,measured_ns,pruned_by,"
          "compiled_registers,compiled_warps,compiled_spills\n"
          "2,\"A=block4,column;T=4x2;W=4x16;G=16x16x1\",4321.5,9876543,,,,,\n"
          "1,\"A=block4,column;T=4x2;W=8x8;G=16x8x1\",1234.56,,,,64,12,0\n");
}

TEST_CASE(
    "rows are ordered by numbers where there are numbers, missing ones last, equal ones by rank")
{
    const RankingRows rows = test::random_rows(7);
    for (int column = 0; column < rows.columns(); ++column) {
        for (const bool descending : {false, true}) {
            CAPTURE(rows.title(column), descending);
            const std::vector<std::size_t> order = arranged(rows, by(column, descending));
            std::vector<std::size_t> sorted = order;
            std::sort(sorted.begin(), sorted.end());
            REQUIRE(sorted == all_rows(rows));
            const bool texts = column == RankingColumn::configuration ||
                               column == RankingColumn::pruned ||
                               column >= RankingColumn::first_pattern;
            for (std::size_t i = 1; i < order.size(); ++i) {
                bool equal = false;
                bool good = false;
                if (texts) {
                    const std::string a = rows.text(order[i - 1], column);
                    const std::string b = rows.text(order[i], column);
                    equal = a == b;
                    good = descending ? a > b : a < b;
                } else {
                    const double a = rows.number(order[i - 1], column);
                    const double b = rows.number(order[i], column);
                    equal = a == b || (std::isnan(a) && std::isnan(b));
                    good = std::isnan(b) || (descending ? a > b : a < b);
                }
                CHECK((good || (equal && order[i - 1] < order[i])));
            }
        }
    }
    CHECK_THROWS_AS(arranged(rows, {row_filter("block4", rows.ranked->op())}, [] { return true; }),
                    Interrupted);
}

TEST_CASE("words keep the rows in which every one of them occurs")
{
    const RankingRows rows = test::random_rows(3);
    const auto expected = kept(rows, [](const Schedule& schedule) {
        const std::string text = to_string(schedule);
        return text.find("block4") != std::string::npos && text.find("T=4x4") != std::string::npos;
    });
    CHECK_FALSE(expected.empty());
    CHECK(filtered(rows, "BLOCK4  T=4x4") == expected);
    CHECK(filtered(rows, "no such thing").empty());
    CHECK(filtered(rows, "").size() == rows.size());
    // A warp shape that a configuration leaves out because it follows from the group is found all
    // the same.
    const auto shaped = kept(rows, [](const Schedule& schedule) {
        return schedule.warp == std::array{16, 1};
    });
    CHECK(filtered(rows, "W=16x1") == shaped);
}

TEST_CASE("a filter that compares or names a parameter is a condition")
{
    const RankingRows rows = test::random_rows(5);
    const Operator& op = rows.ranked->op();
    for (const char* text :
         {"tile_x==4", "pattern_1 != 'row'", "2 < 3", "warp_x", "not split > 1"}) {
        CAPTURE(text);
        CHECK(is_condition(text, op));
    }
    for (const char* text : {"", "block4 8x8", "T=4x4", "A=row", "tile", "warp"}) {
        CAPTURE(text);
        CHECK_FALSE(is_condition(text, op));
    }
    const auto expected = kept(rows, [](const Schedule& schedule) {
        return schedule.tile[0] * schedule.tile[1] <= 4 &&
               schedule.patterns[0] != AccessPattern::row && schedule.warp[0] > schedule.warp[1];
    });
    CHECK_FALSE(expected.empty());
    CHECK(filtered(rows, "tile_x * tile_y <= 4 and pattern_1 != 'row' and warp_x > warp_y") ==
          expected);
    CHECK_THROWS_WITH(row_filter("tile_x <= ", op), Catch::Matchers::Contains("column"));
    CHECK_THROWS_WITH(row_filter("warp_x", op), Catch::Matchers::Contains("compare it"));
    CHECK_THROWS_AS(filtered(rows, "1 / tile_z == 1"), Error); // known only when it is worked out
}

TEST_CASE(
    "conditions on compiled numbers keep rows that have them, whatever else the condition says")
{
    const RankingRows rows = test::random_rows(11);
    CHECK(is_condition("compiled_spills", rows.ranked->op()));
    const auto expected = [&](const auto& keep) {
        std::vector<std::size_t> kept;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto found = rows.compiled->find((*rows.ranked)[row].index);
            if (found != rows.compiled->end() && keep(found->second, rows.ranked->schedule(row))) {
                kept.push_back(row);
            }
        }
        return kept;
    };
    const auto few = expected([](const Compilation& c, const Schedule& schedule) {
        return c.registers <= 32 && c.spills == 0 && c.warps < 2 && schedule.tile[0] == 4;
    });
    CHECK_FALSE(few.empty());
    CHECK(filtered(rows, "compiled_registers <= 32 and compiled_spills == 0 and compiled_warps < 2 "
                         "and tile_x == 4") == few);
    const auto either = expected([](const Compilation& c, const Schedule& schedule) {
        return c.spills > 0 || schedule.tile[0] == 4;
    });
    CHECK(filtered(rows, "compiled_spills > 0 or tile_x == 4") == either);
    CHECK(filtered(rows, "not compiled_spills > 0") ==
          expected([](const Compilation& c, const Schedule&) { return c.spills == 0; }));
    RankingRows without = rows;
    without.compiled = std::make_shared<const Compilations>();
    CHECK(filtered(without, "compiled_spills >= 0").empty());
}

TEST_CASE("rows that chosen criteria exclude are hidden")
{
    const RankingRows rows = test::random_rows(9);
    RankingOrder order;
    order.hidden = 0b10000; // warp
    const auto warps = arranged(rows, order);
    const auto expected = kept(rows, [](const Schedule& schedule) {
        // an Adreno 740's warp
        return schedule.group[0] * schedule.group[1] * schedule.group[2] >= 64;
    });
    CHECK(warps == expected);
    CHECK(warps.size() < rows.size());
    order.hidden = every_criterion;
    for (const std::size_t row : arranged(rows, order)) {
        CHECK(rows.pruning->reasons((*rows.ranked)[row].index).empty());
    }
}

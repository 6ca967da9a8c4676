#include "gui/ranking_model.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <algorithm>
#include <random>

using namespace texelscope;

namespace {

Ranking random_ranking(std::uint64_t seed, std::size_t size)
{
    std::mt19937_64 random(seed);
    const auto power = [&](int largest) { return std::int32_t{1} << (random() % static_cast<std::uint64_t>(largest)); };
    Ranking ranking{static_cast<std::int64_t>(size), static_cast<std::int64_t>(size), {}};
    double cost = 1;
    for (std::size_t i = 0; i < size; ++i) {
        cost *= 1.01 + static_cast<double>(random() % 100) / 100; // strictly, from 1 ns on, over several powers of ten
        Schedule schedule{{all_access_patterns[random() % 5], all_access_patterns[random() % 5]},
                          {power(4), power(4)},
                          {power(5), power(5)},
                          {power(6), power(6), 1}};
        ranking.best.push_back({std::move(schedule), {cost}});
    }
    return ranking;
}

QModelIndex header_column(const QAbstractItemModel& model, const char* title)
{
    for (int column = 0; column < model.columnCount(); ++column) {
        if (model.headerData(column, Qt::Horizontal).toString() == QLatin1String(title)) {
            return model.index(0, column);
        }
    }
    FAIL("no column " << title);
    return {};
}

} // namespace

TEST_CASE("the ranking is a well-behaved model, empty, filled and filled again")
{
    RankingModel model;
    RankingFilter filter;
    const QAbstractItemModelTester model_tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    filter.setSourceModel(&model);
    const QAbstractItemModelTester filter_tester(&filter, QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(model.rowCount() == 0);
    model.set_ranking(random_ranking(1, 50), {"A", "B"});
    CHECK(model.rowCount() == 50);
    CHECK(model.columnCount() == 8);
    filter.sort(RankingModel::time_column, Qt::DescendingOrder);
    filter.set_filter("block");
    model.set_ranking(random_ranking(2, 3), {"A", "B"});
    CHECK(model.rowCount() == 3);
}

TEST_CASE("a row says what the configuration is")
{
    RankingModel model;
    const Schedule schedule = parse_schedule("A=block4,column;T=4x2;W=8x8;G=16x8x1");
    model.set_ranking({1, 1, {{schedule, {1234.56}}}}, {"A", "B"});
    const auto shown = [&](const char* title) { return header_column(model, title).data().toString().toStdString(); };
    CHECK(shown("Rank") == "1");
    CHECK(shown("Configuration") == "A=block4,column;T=4x2;W=8x8;G=16x8x1");
    CHECK(shown("Predicted ns") == "1234.6");
    CHECK(shown("A") == "block4");
    CHECK(shown("B") == "column");
    CHECK(shown("Tile") == "4x2");
    CHECK(shown("Warp") == "8x8");
    CHECK(shown("Group") == "16x8x1");
    CHECK(model.row_of(schedule) == 0);
    CHECK(model.row_of(parse_schedule("A=row,column;T=4x2;W=8x8;G=16x8x1")) == -1);
    CHECK(ranking_csv(model.ranking()) ==
          "rank,configuration,predicted_ns\n1,\"A=block4,column;T=4x2;W=8x8;G=16x8x1\",1234.56\n");
}

TEST_CASE("numbers are sorted as numbers")
{
    const Ranking ranking = random_ranking(7, 60);
    RankingModel model;
    model.set_ranking(ranking, {"A", "B"});
    RankingFilter filter;
    filter.setSourceModel(&model);
    const auto source_row = [&](int row) { return filter.mapToSource(filter.index(row, 0)).row(); };

    filter.sort(RankingModel::time_column, Qt::DescendingOrder);
    for (int row = 0; row < filter.rowCount(); ++row) {
        CHECK(source_row(row) == filter.rowCount() - 1 - row); // costs ascend with the rank
    }
    filter.sort(RankingModel::rank_column, Qt::AscendingOrder);
    for (int row = 0; row < filter.rowCount(); ++row) {
        CHECK(source_row(row) == row);
    }
    filter.sort(header_column(model, "Group").column(), Qt::AscendingOrder);
    std::int64_t last = 0;
    for (int row = 0; row < filter.rowCount(); ++row) {
        const Dim3 group = ranking.best[static_cast<std::size_t>(source_row(row))].schedule.group;
        const std::int64_t items = std::int64_t{group[0]} * group[1] * group[2];
        CHECK(items >= last);
        last = items;
    }
}

TEST_CASE("the filter keeps the rows in which every word occurs")
{
    const Ranking ranking = random_ranking(3, 200);
    RankingModel model;
    model.set_ranking(ranking, {"A", "B"});
    RankingFilter filter;
    filter.setSourceModel(&model);
    filter.set_filter("BLOCK4  T=4x4");
    const auto expected =
        std::count_if(ranking.best.begin(), ranking.best.end(), [](const RankedConfiguration& ranked) {
            const std::string text = to_string(ranked.schedule);
            return text.find("block4") != std::string::npos && text.find("T=4x4") != std::string::npos;
        });
    CHECK(expected > 0);
    CHECK(filter.rowCount() == expected);
    filter.set_filter("no such thing");
    CHECK(filter.rowCount() == 0);
    filter.set_filter("");
    CHECK(filter.rowCount() == 200);
}

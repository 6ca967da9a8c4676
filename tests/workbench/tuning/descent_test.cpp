// The search by prices against looking at every point of small random problems.

#include "tests/base/random.hpp"
#include "workbench/tuning/descent.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::tuning;
using test::Random;

namespace {

/// So many values of each part, and a price of every combination.
struct Table {
    std::vector<int> values;
    std::vector<double> ns;

    [[nodiscard]] std::vector<std::vector<int>> points() const
    {
        std::vector<std::vector<int>> all{{}};
        for (const int count : values) {
            std::vector<std::vector<int>> longer;
            for (const std::vector<int>& point : all) {
                for (int value = 0; value < count; ++value) {
                    longer.push_back(point);
                    longer.back().push_back(value);
                }
            }
            all = std::move(longer);
        }
        return all;
    }
    [[nodiscard]] double of(const std::vector<int>& point) const
    {
        std::size_t place = 0;
        for (std::size_t part = 0; part < values.size(); ++part) {
            place = place * static_cast<std::size_t>(values[part]) +
                    static_cast<std::size_t>(point[part]);
        }
        return ns[place];
    }
};

/// The last part goes with the others for nothing: of a point, the best of its values is the
/// answer.
struct TableProblem {
    using Point = std::vector<int>;
    using Key = std::string;
    struct Answer {
        Priced<Point> best;
    };
    const Table* table;
    std::map<Key, int>* asked;

    [[nodiscard]] Key key(const Point& point) const { return {point.begin(), point.end() - 1}; }
    Answer ask(const Point& point)
    {
        ++(*asked)[key(point)];
        Answer answer{{point}};
        for (int value = 0; value < table->values.back(); ++value) {
            Point other = point;
            other.back() = value;
            if (table->of(other) < answer.best.ns) {
                answer.best = {other, table->of(other)};
            }
        }
        return answer;
    }
};

std::vector<Knob<std::vector<int>>> knobs_of(const Table& table)
{
    std::vector<Knob<std::vector<int>>> knobs;
    for (std::size_t part = 0; part + 1 < table.values.size(); ++part) {
        knobs.emplace_back([part, count = table.values[part]](const std::vector<int>& from) {
            std::vector<std::vector<int>> points(static_cast<std::size_t>(count), from);
            for (int value = 0; value < count; ++value) {
                points[static_cast<std::size_t>(value)][part] = value;
            }
            return points;
        });
    }
    return knobs;
}

Table random_table(Random& random)
{
    Table table;
    std::size_t points = 1;
    for (int parts = random.small(2, 4); parts > 0; --parts) {
        table.values.push_back(random.small(1, 5));
        points *= static_cast<std::size_t>(table.values.back());
    }
    for (std::size_t i = 0; i < points; ++i) { // some as good as each other, some without a price
        table.ns.push_back(random.one_in(6) ? no_cost
                                            : static_cast<double>(random.between(50, 90)));
    }
    return table;
}

} // namespace

TEST_CASE("Descent ends where no knob gains, having asked for every answer once")
{
    const auto seed = Catch::rngSeed();
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 200; ++round) {
        const Table table = random_table(random);
        const auto points = table.points();
        const auto knobs = knobs_of(table);
        std::map<std::string, int> asked;
        const double worth = random.one_in(2) ? 1 : 0.9;
        Descent search(TableProblem{&table, &asked}, worth);
        double least = no_cost;
        for (int start = 0; start < 3; ++start) {
            const std::vector<int> from = random.pick(points);
            const Priced<std::vector<int>> found = search.descend(from, knobs);
            CHECK(found.ns == (found.ns < no_cost ? table.of(found.point) : no_cost));
            CHECK(found.ns <= table.of(from));
            for (const std::vector<int>& other : points) {
                int differ = 0; // in other parts than the last
                for (std::size_t part = 0; part + 1 < other.size(); ++part) {
                    differ += other[part] != found.point[part] ? 1 : 0;
                }
                if (differ <= 1) {
                    CHECK_FALSE(table.of(other) < found.ns * worth);
                }
            }
            least = std::min(least, found.ns);
        }
        CHECK(search.asked().size() == asked.size());
        double seen = no_cost;
        for (const auto* const each : search.asked()) {
            CHECK(asked.at(each->first) == 1);
            seen = std::min(seen, each->second.best.ns);
        }
        CHECK(seen == least);
    }
}

TEST_CASE("Where every part has a price of its own, descent finds what looking at all finds")
{
    const auto seed = Catch::rngSeed();
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 100; ++round) {
        Table table = random_table(random);
        std::vector<std::vector<double>> of_part;
        for (const int count : table.values) {
            std::vector<double>& prices = of_part.emplace_back();
            for (int value = 0; value < count; ++value) {
                prices.push_back(static_cast<double>(random.between(1, 20)));
            }
        }
        const auto points = table.points();
        for (std::size_t i = 0; i < points.size(); ++i) {
            table.ns[i] = 0;
            for (std::size_t part = 0; part < points[i].size(); ++part) {
                table.ns[i] += of_part[part][static_cast<std::size_t>(points[i][part])];
            }
        }
        std::map<std::string, int> asked;
        Descent search(TableProblem{&table, &asked});
        CHECK(search.descend(random.pick(points), knobs_of(table)).ns ==
              *std::ranges::min_element(table.ns));
    }
}

TEST_CASE("Of equals the first that was looked at wins")
{
    const Table table{{3, 1}, {7, 5, 5}};
    std::map<std::string, int> asked;
    Descent search(TableProblem{&table, &asked});
    CHECK(search.descend({0, 0}, knobs_of(table)).point == std::vector<int>{1, 0});
    CHECK(search.descend({2, 0}, knobs_of(table)).point == std::vector<int>{2, 0});
}

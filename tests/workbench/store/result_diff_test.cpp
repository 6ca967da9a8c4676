// Differences of two results, and the conditions on them.

#include "base/error.hpp"
#include "workbench/store/json_result.hpp"
#include "workbench/store/result_diff.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace texelscope::workbench::store;
using Catch::Matchers::Contains;
using Comparison = DiffCondition::Comparison;
using Compared = DiffCondition::Quantity;

TEST_CASE("Conditions are parsed into path, comparison, quantity and limit")
{
    struct WrongText {
        std::string text;
        std::string path;
        Comparison comparison;
        Compared quantity;
        double limit;
    };
    const std::vector<WrongText> cases{
        {"l1.misses>+5%", "l1.misses", Comparison::greater, Compared::relative_change, 0.05},
        {"l1.misses<-5%", "l1.misses", Comparison::less, Compared::relative_change, -0.05},
        {"ns>=+1000", "ns", Comparison::at_least, Compared::change, 1000},
        {"l1.hits<=-3", "l1.hits", Comparison::at_most, Compared::change, -3},
        {"l1.miss_rate>0.3", "l1.miss_rate", Comparison::greater, Compared::value, 0.3},
        {" rows.A=row,row;T=4x4;G=8x8x1.ns  >  + 1e3 ", "rows.A=row,row;T=4x4;G=8x8x1.ns",
         Comparison::greater, Compared::change, 1000},
        {"x>+0.5 %", "x", Comparison::greater, Compared::relative_change, 0.005},
    };
    for (const WrongText& one : cases) {
        CAPTURE(one.text);
        // a blank between sign and number is no number
        if (one.text.find("+ 1e3") != std::string::npos) {
            CHECK_THROWS_WITH(parse_diff_condition(one.text), Contains("is not a number"));
            continue;
        }
        const DiffCondition condition = parse_diff_condition(one.text);
        CHECK(condition.text == one.text);
        CHECK(condition.path == one.path);
        CHECK(condition.comparison == one.comparison);
        CHECK(condition.quantity == one.quantity);
        CHECK(condition.limit == Approx(one.limit));
    }
}

TEST_CASE("Malformed conditions are refused and shown how to be written")
{
    for (const char* text :
         {"", "l1.misses", "l1.misses=5", ">+5%", "l1.misses>", "l1.misses>5%", "l1.misses>+%",
          "l1.misses>+-5", "l1.misses>--5", "l1.misses>+5%%", "l1.misses>five", "l1.misses>+inf",
          "l1.misses>nan", "l1.misses>1 2", "l1.misses>>5", "l1.misses=>5", "l1.misses>1e999"}) {
        CAPTURE(text);
        // the sign belongs to the path, which no result has
        if (std::string(text) == "l1.misses=>5") {
            CHECK(parse_diff_condition(text).path == "l1.misses=");
            continue;
        }
        CHECK_THROWS_WITH(parse_diff_condition(text), Contains("write PATH OP LIMIT"));
    }
}

TEST_CASE("Conditions hold as their arithmetic says")
{
    const auto decide = [](const char* text, double a, double b) {
        return holds(parse_diff_condition(text), a, b);
    };
    CHECK(decide("x>+5%", 100, 106));
    CHECK_FALSE(decide("x>+5%", 100, 105));
    CHECK(decide("x>=+5%", 100, 105));
    CHECK_FALSE(decide("x>+5%", 100, 50));
    CHECK(decide("x<-5%", 100, 94));
    CHECK_FALSE(decide("x<-5%", 100, 95));
    CHECK(decide("x<=-5%", 100, 95));
    CHECK(decide("x>+10", 5, 16));
    CHECK_FALSE(decide("x>+10", 5, 15));
    CHECK(decide("x>=+10", 5, 15));
    CHECK(decide("x<-1", 5, 3));
    CHECK(decide("x>0.3", 99, 0.31));
    CHECK_FALSE(decide("x>0.3", 99, 0.3));
    CHECK(decide("x<0.3", 99, 0.2));
    CHECK(decide("x<+0%", 3, 2));
    // Against zero: any growth is beyond every percentage, and no change is none.
    CHECK(decide("x>+1000000%", 0, 1));
    CHECK_FALSE(decide("x<-5%", 0, 1));
    CHECK(decide("x<-1000000%", 0, -1));
    CHECK_FALSE(decide("x>+0%", 0, 0));
    CHECK(decide("x<=+0%", 0, 0));
    // A share of a negative number grows with the number.
    CHECK(decide("x>+5%", -100, -90));
    CHECK_FALSE(decide("x>+5%", -100, -110));
}

TEST_CASE("Opposite conditions exclude each other on random numbers")
{
    constexpr unsigned seed = 11;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto number = [&] { return static_cast<double>(random() % 41) - 20; };
    for (int i = 0; i < 2000; ++i) {
        const double a = number();
        const double b = number();
        const std::string limit =
            std::vector<std::string>{"5", "+5", "-5", "+25%", "-25%", "0", "+0%"}[random() % 7];
        CAPTURE(a, b, limit);
        REQUIRE(holds(parse_diff_condition("x>" + limit), a, b) !=
                holds(parse_diff_condition("x<=" + limit), a, b));
        REQUIRE(holds(parse_diff_condition("x<" + limit), a, b) !=
                holds(parse_diff_condition("x>=" + limit), a, b));
    }
}

TEST_CASE("Relative change, also against zero")
{
    CHECK(relative_change(4, 5) == Approx(0.25));
    CHECK(relative_change(-4, -5) == Approx(-0.25));
    CHECK(relative_change(0, 0) == 0.0);
    CHECK(relative_change(5, 0) == -1.0);
    CHECK_FALSE(relative_change(0, 5));
}

TEST_CASE("Two results differ in numbers, other values and paths")
{
    const ResultLeaves a{{"device", std::string("x")}, {"n", 1.0},   {"same", 2.0},
                         {"cycles", nullptr},          {"ok", true}, {"gone", 3.0}};
    const ResultLeaves b{{"same", 2.0},   {"n", 4.0},   {"device", std::string("y")},
                         {"cycles", 7.0}, {"ok", true}, {"new", 3.0}};
    const ResultDiff diff = diff_results(a, b);
    REQUIRE(diff.numbers.size() == 1);
    CHECK(diff.numbers[0].path == "n");
    CHECK(diff.numbers[0].a == 1);
    CHECK(diff.numbers[0].b == 4);
    REQUIRE(diff.others.size() == 2);
    CHECK(diff.others[0].path == "device");
    CHECK(diff.others[0].b == "y");
    CHECK(diff.others[1].a == "null");
    CHECK(diff.others[1].b == "7");
    CHECK(diff.only_in_a == std::vector<std::string>{"gone"});
    CHECK(diff.only_in_b == std::vector<std::string>{"new"});
    CHECK_FALSE(diff.empty());
    CHECK(diff_results(a, a).empty());
}

TEST_CASE("A number is found by its path, and a wrong path brings the nearest")
{
    const ResultLeaves leaves{{"l1.hits", 3.0}, {"l1.misses", 4.0}, {"l1.name", std::string("L1")}};
    CHECK(number_at(leaves, "l1.misses", "a.json") == 4);
    CHECK_THROWS_WITH(number_at(leaves, "l1.mises", "a.json"),
                      Contains("a.json") && Contains("the nearest is 'l1.misses'"));
    CHECK_THROWS_WITH(number_at(leaves, "l1.name", "a.json"), Contains("no number"));
    CHECK_THROWS_WITH(number_at({}, "x", "a.json"), Contains("no number at all"));
}

TEST_CASE("Values are printed as a person reads them")
{
    CHECK(value_text(3072.0) == "3072");
    CHECK(value_text(-2.0) == "-2");
    CHECK(value_text(0.25) == "0.25");
    CHECK(value_text(1.0 / 3) == "0.3333333333");
    CHECK(value_text(std::string("lru")) == "lru");
    CHECK(value_text(nullptr) == "null");
    CHECK(value_text(true) == "true");
}

TEST_CASE("A star in a path asks every row that both results have")
{
    const ResultLeaves a{{"nodes.x.ns", 10.0},
                         {"nodes.y.ns", 20.0},
                         {"nodes.gone.ns", 1.0},
                         {"nodes.x.op", std::string("Conv")}};
    const ResultLeaves b{{"nodes.x.ns", 30.0},
                         {"nodes.y.ns", 20.0},
                         {"nodes.new.ns", 5.0},
                         {"nodes.x.op", std::string("Conv")}};
    const auto numbers = numbers_of(parse_diff_condition("nodes.*.ns>+10%"), a, b, "a", "b");
    REQUIRE(numbers.size() == 2);
    CHECK(numbers[0].path == "nodes.x.ns");
    CHECK((numbers[0].a == 10 && numbers[0].b == 30));
    CHECK(numbers[1].path == "nodes.y.ns");
    CHECK_THROWS_WITH(numbers_of(parse_diff_condition("nodes.*.us>+10%"), a, b, "a", "b"),
                      Contains("no number that fits"));
    CHECK_THROWS_WITH(numbers_of(parse_diff_condition("*.x.*>+10%"), a, b, "a", "b"),
                      Contains("several *"));
    CHECK(numbers_of(parse_diff_condition("nodes.y.ns>0"), a, b, "a", "b").front().b == 20);
    CHECK_THROWS_WITH(numbers_of(parse_diff_condition("nodes.new.ns>0"), a, b, "a.json", "b"),
                      Contains("a.json"));

    const auto blamed = blamed_rows(numbers[0], a, b); // a row is to blame itself
    REQUIRE(blamed.size() == 1);
    CHECK((blamed[0].row == "nodes.x" && blamed[0].op == "Conv" && blamed[0].share == 1));
}

TEST_CASE("The rows that make up a change are those to blame, in the order of their shares")
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        ResultLeaves a, b;
        double whole_a = 0, whole_b = 0;
        std::map<std::string, double> changes;
        const auto draw = [&] { return static_cast<double>(random() % 5) * 10; };
        for (int row = 0; row < 12; ++row) {
            // dots belong to names of ONNX
            const std::string name = "nodes.layer." + std::to_string(row);
            const double before = draw(), after = draw();
            const bool in_a = random() % 6 != 0, in_b = random() % 6 != 0;
            for (const auto& [leaves, there, number] :
                 {std::tuple(&a, in_a, before), std::tuple(&b, in_b, after)}) {
                if (there) {
                    leaves->push_back({name + ".ns", number});
                    leaves->push_back({name + ".op", std::string("Conv")});
                    leaves->push_back({name + ".config", "T=" + std::to_string(random() % 2)});
                }
            }
            whole_a += in_a ? before : 0;
            whole_b += in_b ? after : 0;
            changes[name] = (in_b ? after : 0) - (in_a ? before : 0);
        }
        a.push_back({"total.ns", whole_a});
        b.push_back({"total.ns", whole_b});
        const auto blamed = blamed_rows({"total.ns", whole_a, whole_b}, a, b);
        double sum = 0;
        for (std::size_t i = 0; i < blamed.size(); ++i) {
            CHECK(blamed[i].share == Approx(changes.at(blamed[i].row) / (whole_b - whole_a)));
            CHECK(blamed[i].b - blamed[i].a == Approx(changes.at(blamed[i].row)));
            CHECK((i == 0 || blamed[i].share <= blamed[i - 1].share));
            CHECK(blamed[i].op == "Conv");
            CHECK((blamed[i].before.empty() || blamed[i].before != blamed[i].after));
            sum += blamed[i].share;
        }
        double expected = 0;
        for (const auto& [name, change] : changes) {
            expected += whole_a != whole_b && change / (whole_b - whole_a) > 0
                            ? change / (whole_b - whole_a)
                            : 0;
        }
        CHECK(sum == Approx(expected));
        // what made it worse outweighs what made it better
        CHECK((whole_a == whole_b || sum >= 1 - 1e-9));
    }
}

TEST_CASE("Members with dots in their names stay apart from members of members")
{
    const JsonResult result = parse_json_result(
        R"({"schema": "texelscope.simulate/1", "l1.hits": 1, "l1": {"hits": 3}, "l1.hits#2": 4})",
        "f");
    std::vector<std::string> paths;
    for (const ResultLeaf& leaf : result.leaves) {
        paths.push_back(leaf.path);
    }
    CHECK(paths == std::vector<std::string>{"l1.hits", "l1.hits#2", "l1.hits#2#2"});
    CHECK(diff_results(result.leaves, result.leaves).empty());
}

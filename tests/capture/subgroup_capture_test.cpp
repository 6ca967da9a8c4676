// Kernels with sub-groups under capture compute what the definitions of the functions say, and
// what is recorded is what each work-item read.

#include "tests/capture/captured.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace traces;

namespace {

using Row = std::vector<int>;

struct SubgroupCase {
    std::string kernel;
    int size = 0;
    int seed = 0;
    int local[2] = {1, 1};
    int groups = 1;

    [[nodiscard]] int items() const { return local[0] * local[1]; }
};

/// What the program printed.
struct SubgroupRun {
    ProgramResult result;
    bool reported = false;
    Row in;
    std::vector<Row> out; ///< by work-item
};

SubgroupRun run_subgroups(const std::string& trace, const SubgroupCase& each,
                          std::vector<std::string> options = {},
                          const std::string& environment = {})
{
    if (each.size > 0) {
        options.insert(options.end(), {"--subgroup-size", std::to_string(each.size)});
    }
    SubgroupRun run;
    run.result = run_capture(trace, options,
                             {TEXELSCOPE_SUBGROUP_PROGRAM, each.kernel, std::to_string(each.seed),
                              std::to_string(each.local[0]), std::to_string(each.local[1]),
                              std::to_string(each.groups)},
                             environment);
    std::istringstream lines(run.result.output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        int item = 0;
        words >> what >> item;
        const Row values{std::istream_iterator<int>(words), std::istream_iterator<int>()};
        if (what == "in") {
            run.in = values;
        } else if (what == "reported") {
            run.reported = item == 1;
        } else if (what == each.kernel) {
            run.out.push_back(values);
        }
    }
    return run;
}

int sum_of_row(const Row& values)
{
    return std::accumulate(values.begin(), values.end(), 0);
}

int texel_value(int number)
{
    return 1000 + (number & 255);
}

/// What work-item `lane` of a sub-group computes: the first values of its row, and the numbers of
/// the texels that it reads.
struct Expected {
    Row row;
    Row texels;
};

Expected expected_uniform(const SubgroupCase& each, const Row& v, int subgroup, int lane)
{
    const int size = static_cast<int>(v.size());
    const int max = each.size;
    const int n = v[static_cast<std::size_t>(lane)];
    const auto at = [&](int i, int otherwise) {
        return i >= 0 && i < size ? v[static_cast<std::size_t>(i)] : otherwise;
    };
    const Row before(v.begin(), v.begin() + lane);
    const Row with(v.begin(), v.begin() + lane + 1);
    Row odd;
    int bits[2] = {0, 0};
    std::uint32_t product = 1;
    int small = 0;
    for (int i = 0; i < size; ++i) {
        const int value = at(i, 0);
        product *= static_cast<std::uint32_t>(value);
        small += i <= lane ? value & 7 : 0;
        if ((value & 1) != 0) {
            odd.push_back(i);
            if (i < 32 || i >= 96) {
                bits[i < 32 ? 0 : 1] |= static_cast<int>(1U << (i % 32));
            }
        }
    }
    const int largest = *std::max_element(v.begin(), v.end());
    const int other = (n + 100) % size;
    const int down = lane + 3 < max ? at(lane + 3, n) : at(lane + 3 - max, n - 1000) + 1000;
    const int up = lane >= 3 ? at(lane - 3, n) : at(lane + max - 3, n - 1000) + 1000;
    const bool beyond = lane + 3 >= max && lane + 3 - max >= size;
    const int below = lane >= 32 ? -1 : static_cast<int>((std::uint64_t{1} << lane) - 1);
    return {
        {size,
         max,
         (each.items() + max - 1) / max,
         subgroup,
         lane,
         sum_of_row(v),
         *std::min_element(v.begin(), v.end()),
         largest,
         sum_of_row(before),
         *std::max_element(with.begin(), with.end()),
         before.empty() ? INT_MAX : *std::min_element(before.begin(), before.end()),
         v.back(),
         std::all_of(v.begin(), v.end(), [](int x) { return x > -97; }) ? 1 : 0,
         std::any_of(v.begin(), v.end(), [](int x) { return x > 97; }) ? 1 : 0,
         at(other, 0),
         at(lane ^ 1, n),
         at(lane - 2, n),
         at(lane + 3, n),
         bits[0],
         bits[1],
         static_cast<int>(odd.size()),
         static_cast<int>(std::count_if(odd.begin(), odd.end(), [&](int i) { return i < lane; })),
         odd.empty() ? -1 : odd.back(),
         lane == 0 ? 1 : 0,
         2 * at(other, 0),
         beyond ? n : down,
         lane < 3 && (lane + max - 3 < 0 || lane + max - 3 >= size) ? n : up,
         1,
         std::max(at(lane & ~1, n), at(lane | 1, INT_MIN)),
         texel_value(largest + 100),
         texel_value(small),
         below,
         static_cast<std::int16_t>(product),
         static_cast<int>(odd.size() % 2),
         std::adjacent_find(v.begin(), v.end(), std::not_equal_to<>()) == v.end() ? 1 : 0,
         n & 1},
        {largest + 100, small}};
}

Expected expected_steps(const Row& v, int whole)
{
    const int sum = sum_of_row(v);
    return {{sum, whole, texel_value(sum)}, {sum & 255}};
}

Expected expected_branches(const Row& v, int lane)
{
    const auto branch = [](int n) { return n % 3 == 0 ? 0 : n % 3 == 1 ? 1 : 2; };
    int sums[3] = {0, 0, 0};
    int in_first = 0;
    int first_odd = -1;
    for (std::size_t i = 0; i < v.size(); ++i) {
        sums[branch(v[i])] += v[i] * (branch(v[i]) + 1);
        in_first += branch(v[i]) == 0 && i < 32 ? 1 : 0;
        if (branch(v[i]) == 0 && v[i] % 2 != 0 && first_odd == -1) {
            first_odd = v[i];
        }
    }
    int all = 0;
    int scan = 0;
    bool first = true;
    for (std::size_t i = 0; i < v.size(); ++i) {
        all += sums[branch(v[i])] & 15;
        scan += v[i] >= 0 && static_cast<int>(i) <= lane ? v[i] & 3 : 0;
        first = first && (v[i] < 0 || static_cast<int>(i) >= lane);
    }
    const int n = v[static_cast<std::size_t>(lane)];
    Expected out{{sums[branch(n)], -1, -1, all, -1, -1, -1}, {}};
    if (branch(n) == 0) {
        out.row[1] = n % 2 != 0 ? first_odd : -1;
        out.row[2] = in_first;
    }
    if (n >= 0) {
        out.row[4] = first ? 1 : 0;
        out.row[5] = v[0] >= 0 ? v[0] : n;
        out.row[6] = texel_value(scan);
        out.texels = {scan};
    }
    return out;
}

Expected expected_turns(const Row& v, int lane, int turns)
{
    const int n = v[static_cast<std::size_t>(lane)];
    if (n < 0) {
        return {{-1, -1}, {}};
    }
    const auto other = static_cast<std::size_t>(lane ^ 1);
    const int exchanged = other < v.size() && v[other] >= 0 ? v[other] : n;
    int sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
        sum += (turn % 2 == 0 ? n : exchanged) + turn;
    }
    return {{sum, texel_value(sum)}, {sum & 255}};
}

/// The case's results and its trace, by the sub-groups that the case says.
void check_case(const SubgroupCase& each)
{
    CAPTURE(each.kernel, each.size, each.seed, each.local[0], each.local[1], each.groups);
    const TemporaryFolder folder;
    const SubgroupRun run = run_subgroups(folder.file("t"), each, {"--buffers"});
    INFO(run.result.errors);
    REQUIRE(run.result.exit_code == 0);
    CHECK(run.reported);
    const int items = each.items();
    REQUIRE(run.in.size() == static_cast<std::size_t>(items * each.groups));
    REQUIRE(run.out.size() == run.in.size());
    const TraceFile file(folder.file("t"));
    for (int item = 0; item < items * each.groups; ++item) {
        const int group = item / items;
        const int subgroup = item % items / each.size;
        const int lane = item % items % each.size;
        const auto group_begin = run.in.begin() + group * items;
        const auto begin = group_begin + subgroup * each.size;
        const auto end = std::min(begin + each.size, group_begin + items);
        const Row v(begin, end);
        const Expected expected =
            each.kernel == "uniform_calls" ? expected_uniform(each, v, subgroup, lane)
            : each.kernel == "two_steps"
                ? expected_steps(v, std::accumulate(group_begin, group_begin + items, 0))
            : each.kernel == "every_turn" ? expected_turns(v, lane, run.in[0] + 100)
                                          : expected_branches(v, lane);
        INFO("work-item " << item);
        Row row = run.out[static_cast<std::size_t>(item)];
        row.resize(expected.row.size());
        CHECK(row == expected.row);

        const int number = item % items;
        const auto reads = accesses(file, 0, group, number);
        REQUIRE(reads.size() == expected.texels.size());
        for (std::size_t i = 0; i < reads.size(); ++i) {
            CHECK(reads[i].x == (expected.texels[i] & 15));
            CHECK(reads[i].y == (expected.texels[i] >> 4 & 15));
        }
        // Buffer accesses are those of the work-item itself, whoever ran it.
        const auto loads = accesses(file, 0, group, number, AccessKind::buffer_read);
        REQUIRE_FALSE(loads.empty());
        for (const TracedAccess& load : loads) {
            const bool of_out = file.launch(0).buffers.at(load.object).name == "out";
            const bool shared = each.kernel == "every_turn" && load.offset == 0;
            CHECK((of_out ? load.offset / 160 == item : load.offset == 4 * item || shared));
        }
        const auto stores = accesses(file, 0, group, number, AccessKind::buffer_write);
        CHECK(stores.empty() == (each.kernel == "every_turn" && expected.texels.empty()));
        for (const TracedAccess& store : stores) {
            CHECK(store.offset / 160 == item);
        }
    }
}

} // namespace

TEST_CASE("kernels whose work-items all call the sub-group functions compute by their definitions")
{
    if (!oclgrind_is_there()) {
        return;
    }
    std::mt19937 random(60);
    for (const int size : {2, 4, 8, 16, 32, 64, 128}) {
        SubgroupCase each{"uniform_calls", size, static_cast<int>(random() % 1000), {1, 1}, 2};
        each.local[0] = 1 + static_cast<int>(random() % 30);
        each.local[1] = 1 + static_cast<int>(random() % 6);
        check_case(each);
    }
}

TEST_CASE("sub-groups that meet apart from each other, in loops and behind barriers")
{
    if (!oclgrind_is_there()) {
        return;
    }
    std::mt19937 random(61);
    for (const int size : {1, 4, 16, 64}) {
        check_case({"two_steps",
                    size,
                    static_cast<int>(random() % 1000),
                    {size, 1 + static_cast<int>(random() % 5)},
                    3});
        check_case({"every_turn", size, static_cast<int>(random() % 1000), {27, 2}, 2});
    }
}

TEST_CASE("a part of a sub-group calls in branches and after others have returned")
{
    if (!oclgrind_is_there()) {
        return;
    }
    std::mt19937 random(62);
    for (const int size : {1, 2, 8, 32, 128}) {
        SubgroupCase each{"branches", size, static_cast<int>(random() % 1000), {1, 1}, 3};
        each.local[0] = 1 + static_cast<int>(random() % 40);
        each.local[1] = 1 + static_cast<int>(random() % 3);
        check_case(each);
    }
}

TEST_CASE("a trace with sub-groups does not depend on Oclgrind's threads")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const SubgroupCase each{"branches", 8, 5, {12, 2}, 9};
    std::string first;
    for (const char* threads : {"1", "2", "4"}) {
        const std::string trace = folder.file("t");
        REQUIRE(run_subgroups(trace, each, {}, std::string("OCLGRIND_NUM_THREADS=") + threads)
                    .result.exit_code == 0);
        first = first.empty() ? read_file(trace) : first;
        CHECK(read_file(trace) == first);
    }
}

TEST_CASE("a kernel that says how large its sub-groups are needs no option")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    for (const int size : {0, 8}) {
        const SubgroupCase each{"required", size, 3, {16, 2}, 1};
        const SubgroupRun run = run_subgroups(folder.file("t"), each);
        REQUIRE(run.result.exit_code == 0);
        CHECK(run.reported == (size != 0));
        REQUIRE(run.out.size() == 32);
        for (std::size_t i = 0; i < 32; ++i) {
            const auto begin = run.in.begin() + (i < 16 ? 0 : 16);
            CHECK(run.out[i][0] == 16);
            CHECK(run.out[i][1] == std::accumulate(begin, begin + 16, 0));
        }
        CHECK(image_reads(TraceFile(folder.file("t")), 0) == 32);
    }
}

TEST_CASE("what cannot be told of sub-groups is said in one line, and nothing is recorded")
{
    if (!oclgrind_is_there()) {
        return;
    }
    const TemporaryFolder folder;
    const auto says = [&](const std::string& kernel, int size, const std::string& word) {
        CAPTURE(kernel);
        const SubgroupCase each{kernel, size, 7, {20, 1}, 1};
        const SubgroupRun run = run_subgroups(folder.file("t"), each);
        INFO(run.result.errors);
        CHECK(run.result.exit_code == 2);
        CHECK(std::count(run.result.errors.begin(), run.result.errors.end(), '\n') == 1);
        CHECK(run.result.errors.find(kernel + ": ") != std::string::npos);
        CHECK(run.result.errors.find(word) != std::string::npos);
        CHECK(folder.files() == 0);
    };
    says("apart", 8, "sub_group_reduce_add is called by ");
    says("loop_apart", 8, "of one loop");
    says("some_turns", 8, "in some turns of a loop only");
    says("branches", 0, "give --subgroup-size");
    // The kernel cannot be created at all: Oclgrind names the function.
    const SubgroupRun run = run_subgroups(folder.file("t"), {"unsupported", 8, 7, {20, 1}, 1});
    CHECK(run.result.exit_code == 9);
    CHECK(run.result.errors.find("intel_sub_group_block_read") != std::string::npos);
    for (const char* size : {"0", "3", "-8", "256", "x"}) {
        CHECK(run_capture(folder.file("t"), {"--subgroup-size", size}, {"true"}).exit_code == 2);
    }
    CHECK(folder.files() == 0);
}

} // namespace texelscope::test

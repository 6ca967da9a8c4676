// The order in which a warp reads and works (sim/timed/warp_code.hpp).

#include "sim/timed/warp_code.hpp"
#include "tests/sim/launch_with_work.hpp"
#include "tests/sim/random_launch.hpp"
#include "traces/launch.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

using Kind = WarpCode::Kind;

/// Everything that the steps do, one after the other.
std::vector<WarpCode::Step> run(const WarpCode& code)
{
    std::vector<WarpCode::Step> steps;
    for (CodePosition at(code); at.step().kind != Kind::end; at.next()) {
        steps.push_back(at.step());
    }
    return steps;
}

/// What a work-item does in program order, and the texels that it reads.
struct InOrder {
    std::vector<ItemRead> reads;
    struct Use {
        std::int64_t needs = -1; ///< number of a read
        double operations = 0;
    };
    std::vector<Use> work;
};

void append(const std::vector<Statement>& body, std::vector<std::int64_t>& values, InOrder& all)
{
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            all.reads.push_back(
                {access->image, Texel{static_cast<std::int32_t>(access->x.evaluate(values)),
                                      static_cast<std::int32_t>(access->y.evaluate(values))}});
        } else if (const auto* work = std::get_if<Work>(&statement)) {
            const auto read = std::ssize(all.reads) - 1 - work->reads_since;
            all.work.push_back({work->reads_since < 0 ? -1 : read, work->operations});
        } else {
            const Loop& loop = std::get<Loop>(statement);
            for (std::int64_t i = 0; i < loop.extent(); ++i) {
                values[static_cast<std::size_t>(loop.variable.slot)] = i;
                append(loop.body, values, all);
            }
            values[static_cast<std::size_t>(loop.variable.slot)] = 0;
        }
    }
}

InOrder in_order(const Launch& launch)
{
    std::vector<std::int64_t> values(16, 0);
    InOrder all;
    append(launch.body, values, all);
    return all;
}

/// A loop of so many iterations over a body of reads and of work on each.
Launch reads_and_work(std::int64_t iterations, int reads)
{
    Launch launch;
    launch.images = {{"A", {1024, 16}, Bytes{16}}};
    launch.local = {32, 1, 1};
    const Variable k{slots::first_loop_slot, "k", {0, iterations - 1}};
    Loop loop{k, {}};
    for (int i = 0; i < reads; ++i) {
        loop.body.emplace_back(AccessFunction{0, IndexExpr(k) * 4, i});
    }
    for (int i = 0; i < reads; ++i) {
        loop.body.emplace_back(Work{.operations = 4, .reads_since = reads - 1 - i});
    }
    launch.body.emplace_back(loop);
    return launch;
}

/// A device whose compiler puts so many reads together, and does an operation of a warp in a cycle.
SimulationOptions compiler(int reads_in_flight)
{
    SimulationOptions options;
    options.machine.timing.alu_lanes = options.machine.warp_size;
    options.machine.instructions.reads_in_flight = reads_in_flight;
    return options;
}

/// r, w and s for reads, work and reads that are shared.
std::string letters(const WarpCode& code)
{
    std::string text;
    for (const WarpCode::Step& step : run(code)) {
        text += step.kind == Kind::read ? 'r' : step.kind == Kind::skip ? 's' : 'w';
    }
    return text;
}

} // namespace

TEST_CASE("a compiler puts as many reads as it keeps under way before the first that is needed")
{
    SimulationOptions options = compiler(1);
    const Launch launch = reads_and_work(3, 4);
    CHECK(letters(WarpCode(&launch, options)) == "rwrwrwrwrwrwrwrwrwrwrwrw");
    options.machine.instructions.reads_in_flight = 3;
    CHECK(letters(WarpCode(&launch, options)) == "rrrwwwrwrrrwwwrwrrrwwwrw");
    options.machine.instructions.reads_in_flight = 4;
    const WarpCode code(&launch, options);
    CHECK(letters(code) == "rrrrwwwwrrrrwwwwrrrrwwww");
    CHECK(run(code)[4].under_way == 3);
    CHECK(run(code)[7].under_way == 0);
    CHECK(code.totals().waits == 3);
    CHECK(code.totals().reads == 12);
    CHECK(code.totals().operations == 48);
    options.machine.instructions.reads_in_flight =
        9; // two iterations together, and the one that is left
    CHECK(letters(WarpCode(&launch, options)) == "rrrrrrrrwwwwwwwwrrrrwwww");
}

TEST_CASE("reads of a trace are waited for one by one once as many are under way as may be")
{
    for (const double cycles : {0.0, 3.0}) {
        SimulationOptions options = compiler(8);
        options.kernel.alu_cycles_per_step = cycles;
        const WarpCode::Totals totals = WarpCode(nullptr, options).totals();
        CHECK(totals.waits / totals.reads == Approx(1 / 8.0));
    }
}

TEST_CASE("a loop that is written out reads a texel once that several of its iterations need")
{
    SimulationOptions options = compiler(8);
    Launch launch = reads_and_work(3, 1);
    Loop& loop = std::get<Loop>(launch.body.front());
    loop.body = {AccessFunction{0, IndexExpr(loop.variable), 0},
                 AccessFunction{0, IndexExpr(loop.variable) + 1, 0},
                 Work{.operations = 1, .reads_since = 0}};
    // iterations of few reads are put together
    CHECK(letters(WarpCode(&launch, options)) == "rrsrsrwww");
    options.machine.instructions.reads_in_flight = 1;
    CHECK(letters(WarpCode(&launch, options)) == "rrwrrwrrw");
    options.machine.instructions.unroll_iterations = 3;
    options.machine.instructions.unroll_size = 9; // two reads and an operation, three times
    CHECK(letters(WarpCode(&launch, options)) == "rrswrswrw");
    CHECK(WarpCode(&launch, options).totals().skipped == 2);
    options.machine.instructions.unroll_size = 8;
    CHECK(letters(WarpCode(&launch, options)) == "rrwrrwrrw");
}

TEST_CASE("iterations with a store stay apart")
{
    const SimulationOptions options = compiler(8);
    Launch launch = reads_and_work(3, 1);
    std::get<Loop>(launch.body.front()).body.emplace_back(Work{.stored = Bytes{16}});
    CHECK(letters(WarpCode(&launch, options)) == "rwrwrw");
    CHECK(WarpCode(&launch, options).totals().stored == 3.0 * 16 * options.machine.warp_size);
    std::get<Loop>(launch.body.front()).body.emplace_back(Work{.local = Bytes{8}});
    CHECK(WarpCode(&launch, options).totals().local == 3.0 * 8 * options.machine.warp_size);
}

TEST_CASE("the code of a launch has its reads in order and its work after what it needs")
{
    std::int64_t shared = 0;
    std::int64_t ahead = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        LaunchCase c = random_launch_case(random);
        c.options.machine.timing.alu_lanes = 16;
        add_work(random, c);
        INFO("seed " << seed << "\n" << describe(c));
        const InOrder want = in_order(c.launch);
        if (want.work.empty()) {
            continue;
        }
        std::int64_t read = 0;             // in program order
        std::vector<std::int64_t> made;    // of those issued, the numbers
        std::vector<ItemRead> texels_made; // since the reads were last all apart
        double operations = 0;
        double expected = 0;
        std::size_t done = 0; // work in program order
        const WarpCode code(&c.launch, c.options);
        for (const WarpCode::Step& step : run(code)) {
            if (step.kind == Kind::work) {
                operations += step.operations;
                // All that it may be made of: what it needs is issued, and back.
                while (done < want.work.size() &&
                       expected + want.work[done].operations <= operations + 1e-9) {
                    expected += want.work[done].operations;
                    const std::int64_t needs = want.work[done++].needs;
                    const auto back =
                        std::ssize(made) - std::min<std::int64_t>(step.under_way, std::ssize(made));
                    const bool is_back =
                        needs < 0 ||
                        std::any_of(made.begin(), made.begin() + back, [&](std::int64_t number) {
                            return want.reads[static_cast<std::size_t>(number)] ==
                                   want.reads[static_cast<std::size_t>(needs)];
                        });
                    REQUIRE(is_back);
                    ahead += needs >= 0 && needs < read - 1 ? 1 : 0;
                }
                REQUIRE(expected == Approx(operations));
                continue;
            }
            if (step.kind == Kind::read) {
                made.push_back(read);
            } else { // another one reads the same
                REQUIRE(std::any_of(made.begin(), made.end(), [&](std::int64_t number) {
                    return want.reads[static_cast<std::size_t>(number)] ==
                           want.reads[static_cast<std::size_t>(read)];
                }));
                ++shared;
            }
            ++read;
        }
        REQUIRE(read == std::ssize(want.reads));
        REQUIRE(done == want.work.size());
        REQUIRE(code.totals().reads == Approx(static_cast<double>(made.size())));
        REQUIRE(code.totals().operations == Approx(operations));
    }
    CHECK(shared > 1000);
    CHECK(ahead > 1000);
}

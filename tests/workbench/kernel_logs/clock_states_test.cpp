// Clocks told apart on sessions that are made up, with flips at random places.

#include "base/random.hpp"
#include "workbench/kernel_logs/clock_states.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace texelscope::base;
using namespace texelscope::workbench::kernel_logs;

namespace {

double choice(std::mt19937_64& random, std::initializer_list<double> values)
{
    return values.begin()[uniform_below(random, values.size())];
}

/// A kernel whose time follows from its counts, up to what no feature says.
TimedKernel made_up(std::mt19937_64& random, std::size_t task, double noise)
{
    TimedKernel kernel;
    kernel.task = task;
    KernelCounts& c = kernel.counts;
    c.tile = {choice(random, {1, 2, 4}), choice(random, {1, 2, 3}), choice(random, {1, 2})};
    c.group = {choice(random, {2, 4, 8}), choice(random, {4, 8, 16}), choice(random, {1, 2, 4})};
    c.group_size = c.group[0] * c.group[1] * c.group[2];
    c.outputs = 4 * c.tile[0] * c.tile[1] * c.tile[2];
    c.iterations = 9 * 16;
    c.unrolled = choice(random, {1, 3, 9});
    c.explicit_unroll = uniform_below(random, 2) == 0;
    c.work_items = 4e6 / c.outputs;
    c.groups = c.work_items / c.group_size;
    c.data_reads = c.work_items * c.iterations * c.tile[1] * c.tile[2];
    c.weight_reads = c.work_items * c.iterations * 4 * c.tile[0];
    c.multiply_adds = 4e6 * c.iterations * 4;
    c.bytes_per_texel = 16;
    const double clocks = c.reads() / 8 + c.multiply_adds / 100;
    kernel.ns =
        clocks / 6 * (c.group_size < 64 ? 1.4 : 1) * std::exp(noise * standard_normal(random));
    kernel.configuration = std::to_string(random());
    return kernel;
}

struct Session {
    std::vector<TimedKernel> kernels;
    std::vector<bool> slow;
};

/// `sessions` of so many kernels; the clock changes with this chance from one to the next.
Session measured(std::uint64_t seed, int sessions, int kernels, double flip, double shift)
{
    std::mt19937_64 random(seed);
    Session all;
    double now = 1'600'000'000;
    for (int s = 0; s < sessions; ++s) {
        bool slow = uniform_below(random, 2) == 0;
        for (int i = 0; i < kernels; ++i) {
            slow = uniform_real(random) < flip ? !slow : slow;
            TimedKernel kernel = made_up(random, 0, 0.12);
            if (!all.kernels.empty() && uniform_below(random, 20) == 0) { // a repeat
                const std::size_t which = uniform_below(random, all.kernels.size());
                kernel = all.kernels[which];
                kernel.ns /= all.slow[which] ? shift : 1;
            }
            kernel.ns *= slow ? shift : 1;
            kernel.timestamp = now;
            now += 1 + 20 * uniform_real(random);
            all.kernels.push_back(kernel);
            all.slow.push_back(slow);
        }
        now += 5000;
    }
    return all;
}

} // namespace

TEST_CASE("kernel logs: clocks that flip at random places are told apart", "[kernel_logs]")
{
    for (const double flip : {0.0, 0.02, 0.08}) {
        for (const double shift : {2.3, 3.09}) {
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                const Session made = measured(seed, 3, 150, flip, shift);
                const auto slow = std::ranges::count(made.slow, true);
                if (slow < 20 || slow > 430) {
                    continue; // one clock alone
                }
                const std::vector<Clock> told = clocks_of(made.kernels);
                int right = 0, wrong = 0;
                for (std::size_t i = 0; i < told.size(); ++i) {
                    if (told[i] != Clock::unknown) {
                        ++((told[i] == Clock::slow) == made.slow[i] ? right : wrong);
                    }
                }
                INFO("flip " << flip << " shift " << shift << " seed " << seed);
                CHECK(right >= 425); // of 450
                CHECK(wrong <= 5);
            }
        }
    }
}

TEST_CASE("kernel logs: where there is one clock, none is made up", "[kernel_logs]")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Session made = measured(seed, 2, 200, 0, 1);
        INFO("seed " << seed);
        CHECK(std::ranges::count(clocks_of(made.kernels), Clock::fast) == 400);
    }
}

TEST_CASE("kernel logs: a task at one clock is held against those with two", "[kernel_logs]")
{
    for (const bool slow : {false, true}) {
        Session made = measured(3, 2, 150, 0.03, 3);
        std::mt19937_64 random(9);
        for (int i = 0; i < 100; ++i) {
            TimedKernel kernel = made_up(random, 1, 0.12);
            kernel.ns *= slow ? 3 : 1;
            kernel.timestamp = 1'700'000'000 + 5 * i;
            made.kernels.push_back(kernel);
        }
        const std::vector<Clock> told = clocks_of(made.kernels);
        CHECK(std::count(told.begin() + 300, told.end(), slow ? Clock::slow : Clock::fast) == 100);
    }
}

TEST_CASE("kernel logs: kernels without timestamp, and few of them, are fast", "[kernel_logs]")
{
    Session made = measured(4, 1, 200, 0.05, 3);
    for (TimedKernel& kernel : made.kernels) {
        kernel.timestamp = 0;
    }
    CHECK(std::ranges::count(clocks_of(made.kernels), Clock::fast) == 200);
    const Session few = measured(4, 1, 25, 0.05, 3);
    CHECK(std::ranges::count(clocks_of(few.kernels), Clock::fast) == 25);
}

TEST_CASE("kernel logs: sessions end where ten minutes pass", "[kernel_logs]")
{
    const std::vector<double> times{0, 100, 700, 1300.5, 1301, 9000};
    CHECK(session_starts(times) == std::vector<std::size_t>{0, 3, 5});
    CHECK(session_starts({}).empty());
}

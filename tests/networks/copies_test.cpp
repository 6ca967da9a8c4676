// Values that some readers read from a copy: where the conversions stand, and that every tensor
// stays what it is.

#include "networks/passes/simplify.hpp"
#include "networks/plan/copies.hpp"
#include "tests/networks/device_run.hpp"
#include "tests/networks/random_network.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace texelscope;
using namespace texelscope::networks;

namespace {

/// Of each value that several kernels read, a copy for some of them.
std::vector<ValueCopy> drawn_copies(const Plan& plan, std::mt19937_64& random)
{
    std::map<ValueId, std::set<std::size_t>> readers;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        for (const ValueId input : plan.kernels[k].kernel.inputs) {
            if (is_made(plan, input)) {
                readers[input].insert(k);
            }
        }
    }
    std::vector<ValueCopy> copies;
    for (const auto& [value, all] : readers) {
        ValueCopy copy{value, {}};
        std::ranges::copy_if(all, std::back_inserter(copy.readers),
                             [&](std::size_t) { return random() % 2 == 0; });
        if (all.size() > 1 && !copy.readers.empty()) {
            copies.push_back(std::move(copy));
        }
    }
    return copies;
}

} // namespace

TEST_CASE(
    "Copies of values in other layouts change no tensor, and each of their readers has its own",
    "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    std::mt19937_64 random(3);
    std::size_t copied = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Graph graph = simplified(networks::test::random_network(seed));
        const Plan before = starting_plan(graph);
        const std::vector<ValueCopy> copies = drawn_copies(before, random);
        Plan after = with_copies(before, copies);
        CAPTURE(seed);
        REQUIRE(after.kernels.size() == before.kernels.size() + copies.size());
        for (std::size_t i = 0; i < copies.size(); ++i) {
            const auto copy = static_cast<ValueId>(before.graph.values.size() + i);
            std::set<ValueId> read_it;
            std::size_t made = after.kernels.size();
            for (std::size_t k = 0; k < after.kernels.size(); ++k) {
                const NodeKernel& kernel = after.kernels[k].kernel;
                if (kernel.output == copy) {
                    CHECK(after.kernels[k].conversion);
                    CHECK(kernel.inputs == std::vector<ValueId>{copies[i].value});
                    made = k;
                } else if (std::ranges::find(kernel.inputs, copy) != kernel.inputs.end()) {
                    CHECK(k > made);
                    read_it.insert(kernel.output);
                }
            }
            std::set<ValueId> wanted;
            for (const std::size_t reader : copies[i].readers) {
                wanted.insert(before.kernels[reader].kernel.output);
            }
            CHECK(read_it == wanted);
            auto& layout = after.layouts[static_cast<std::size_t>(copy)];
            layout->pattern = all_access_patterns[random() % std::size(all_access_patterns)];
            ++copied;
        }
        lower(after);
        std::vector<Reals> inputs;
        for (const ValueId id : graph.inputs) {
            Reals& input = inputs.emplace_back(Reals{graph.value(id).shape, {}});
            for (std::int64_t n = 0; n < element_count(input.shape); ++n) {
                input.values.push_back(static_cast<double>(random() % 17) / 8 - 1);
            }
        }
        const std::vector<Reals> wanted = networks::test::run_on(device, before, inputs);
        const std::vector<Reals> found = networks::test::run_on(device, after, inputs);
        for (std::size_t id = 0; id < wanted.size(); ++id) {
            CAPTURE(id);
            CHECK(found[id].values == wanted[id].values);
        }
    }
    CHECK(copied > 3);
}

// Values in one buffer: where they lie, what is cleared, and that a network computes the same
// there.

#include "codegen/nest/loop_nest.hpp"
#include "networks/execution/network_job.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/arena.hpp"
#include "networks/plan/arena_plan.hpp"
#include "networks/plan/memory_plan.hpp"
#include "tests/base/random.hpp"
#include "tests/networks/device_run.hpp"
#include "tests/networks/random_network.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace texelscope;
using namespace texelscope::networks;
using texelscope::test::Random;

namespace {

std::vector<ArenaBlock> random_blocks(Random& random, int most, std::int64_t most_bytes)
{
    std::vector<ArenaBlock> blocks(static_cast<std::size_t>(random.between(1, most)));
    for (ArenaBlock& block : blocks) {
        block.bytes = random.between(1, most_bytes);
        block.first = static_cast<std::size_t>(random.between(0, most));
        block.last =
            block.first + static_cast<std::size_t>(random.between(0, random.one_in(4) ? most : 3));
    }
    return blocks;
}

/// What is needed at once where it is most: no placement takes less.
std::int64_t needed_at_once(const std::vector<ArenaBlock>& blocks)
{
    std::int64_t most = 0;
    for (const ArenaBlock& at : blocks) {
        std::int64_t bytes = 0;
        for (const ArenaBlock& block : blocks) {
            bytes += block.first <= at.first && at.first <= block.last ? block.bytes : 0;
        }
        most = std::max(most, bytes);
    }
    return most;
}

/// The least of all placements: in some order, each block as low as it can lie gives it.
std::int64_t least_of_all_orders(const std::vector<ArenaBlock>& blocks)
{
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::int64_t least = -1;
    do {
        std::vector<std::pair<std::int64_t, std::size_t>> placed;
        std::int64_t end = 0;
        for (const std::size_t b : order) {
            std::int64_t offset = 0;
            for (bool moved = true; moved;) {
                moved = false;
                for (const auto& [from, other] : placed) {
                    const bool at_once = blocks[b].first <= blocks[other].last &&
                                         blocks[other].first <= blocks[b].last;
                    if (at_once && offset < from + blocks[other].bytes &&
                        from < offset + blocks[b].bytes) {
                        offset = from + blocks[other].bytes;
                        moved = true;
                    }
                }
            }
            placed.emplace_back(offset, b);
            end = std::max(end, offset + blocks[b].bytes);
        }
        least = least < 0 ? end : std::min(least, end);
    } while (std::ranges::next_permutation(order).found);
    return least;
}

/// By texel of a value's memory, with the padding of its rows: whether it holds an element.
std::vector<bool> elements(const codegen::Operand& operand)
{
    const std::vector<float> ones(static_cast<std::size_t>(operand.tensor.size()), 1.0F);
    const std::vector<float> packed = codegen::pack(operand, ones);
    const auto width = static_cast<std::size_t>(operand.image.extent.width);
    const auto height = static_cast<std::size_t>(operand.image.extent.height);
    const std::size_t row = static_cast<std::size_t>(stored_size(operand)) / height / 16;
    std::vector<bool> stored(row * height, false);
    for (std::size_t i = 0; i < width * height; ++i) {
        stored[i / width * row + i % width] =
            std::any_of(&packed[4 * i], &packed[4 * i] + 4, [](float n) { return n != 0; });
    }
    return stored;
}

/// Goes through two runs texel by texel: wherever a kernel may read a zero between elements, there
/// is one.
void check_zeros(const Plan& plan, const MemoryPlan& memory)
{
    std::vector<bool> dirty(static_cast<std::size_t>(memory.slot_bytes() / 16) + 1, true);
    std::map<ValueId, const codegen::Operand*> made;
    for (const PlannedKernel& each : plan.kernels) {
        made.try_emplace(each.kernel.output, &each.nest.output);
    }
    const auto for_texels = [&](ValueId value, const auto& work) {
        const std::vector<bool> stored = elements(*made.at(value));
        const auto from =
            static_cast<std::size_t>(memory.offset_of[static_cast<std::size_t>(value)] / 16);
        const std::size_t row =
            stored.size() / static_cast<std::size_t>(made.at(value)->image.extent.height);
        for (std::size_t i = 0; i < stored.size(); ++i) {
            // not the padding of the row
            if (i % row < static_cast<std::size_t>(made.at(value)->image.extent.width)) {
                work(from + i, stored[i]);
            }
        }
    };
    for (const auto& [value, operand] : made) { // as the job makes the buffer
        if (!memory.cleared[static_cast<std::size_t>(value)]) {
            for_texels(value, [&](std::size_t texel, bool element) { dirty[texel] = element; });
        }
    }
    for (int run = 0; run < 2; ++run) {
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const ValueId value = plan.kernels[k].kernel.output;
            std::int64_t wrong = 0;
            for_texels(value, [&](std::size_t texel, bool element) {
                dirty[texel] = dirty[texel] && !memory.clears_before(plan, k);
                wrong += !element && dirty[texel] ? 1 : 0;
                dirty[texel] = dirty[texel] || element;
            });
            CAPTURE(run, k, plan.kernels[k].kernel.op.name);
            CHECK(wrong == 0);
        }
    }
}

ArenaRules rules_of(std::int32_t row_multiple)
{
    ArenaRules rules;
    rules.row_multiple = row_multiple;
    rules.widest = rules.highest = 16384;
    return rules;
}

std::vector<Reals> inputs_of(const Graph& graph, std::uint64_t seed)
{
    Random random(seed);
    std::vector<Reals> inputs;
    for (const ValueId id : graph.inputs) {
        Reals input{graph.value(id).shape, {}};
        for (std::int64_t i = 0; i < element_count(input.shape); ++i) {
            input.values.push_back(static_cast<float>(random.between(-100, 100)) / 100.0F);
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

/// The outputs of two runs on a device, in which values share memory.
std::vector<float> computed_in_arena(const devices::OpenClDevice& device, const Plan& plan,
                                     const std::vector<Reals>& inputs)
{
    TensorNumbers numbers;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        numbers[plan.graph.inputs[i]] = {inputs[i].values.begin(), inputs[i].values.end()};
    }
    NetworkRunOptions options;
    options.keep = plan.graph.outputs;
    options.samples = 1;
    const auto result =
        device.run(network_job(plan, numbers, device.best_backend(), device.info(), options));
    INFO(result.reason << result.build_log);
    REQUIRE(result.status == devices::RunStatus::ok);
    return kept_values(plan, options, result).at(plan.graph.outputs.front());
}

} // namespace

TEST_CASE("Blocks of an arena that are needed at once never overlap, and the arena ends where the "
          "last of them does")
{
    Random random(11);
    for (int round = 0; round < 300; ++round) {
        const std::vector<ArenaBlock> blocks = random_blocks(random, 30, 1000);
        const std::int64_t alignment = std::int64_t{1} << random.between(0, 6);
        const ArenaPlacement placement = place_in_arena(blocks, alignment);
        REQUIRE(placement.offsets.size() == blocks.size());
        std::int64_t end = 0;
        for (std::size_t a = 0; a < blocks.size(); ++a) {
            const std::int64_t from = placement.offsets[a];
            REQUIRE(from >= 0);
            REQUIRE(from % alignment == 0);
            end = std::max(end, from + blocks[a].bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool at_once =
                    blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
                const bool apart = from + blocks[a].bytes <= placement.offsets[b] ||
                                   placement.offsets[b] + blocks[b].bytes <= from;
                REQUIRE((!at_once || apart));
            }
        }
        CHECK(placement.bytes == end);
        CHECK(placement.bytes >= needed_at_once(blocks));
    }
    CHECK(place_in_arena({}, 16).bytes == 0);
}

TEST_CASE("Of few blocks the arena is hardly ever larger than it has to be")
{
    Random random(12);
    int as_small = 0;
    constexpr int rounds = 60;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<ArenaBlock> blocks = random_blocks(random, 6, 50);
        const std::int64_t least = least_of_all_orders(blocks);
        const std::int64_t found = place_in_arena(blocks, 1).bytes;
        CHECK(found >= least);
        CHECK(4 * found <= 5 * least);
        as_small += found == least ? 1 : 0;
    }
    CHECK(as_small >= rounds - 6);
}

TEST_CASE("In an arena values are where no other is, gaps of zeros are zeros, and no more is taken "
          "than a tenth above need")
{
    for (const char* name : {"resnet-18", "squeezenet-1.0", "densenet-121", "fsrcnn"}) {
        const Plan start = starting_plan(simplified(find_model(name)->make(1, 1)));
        for (const std::int32_t row_multiple : {0, 1, 64}) {
            const Plan plan = in_arena(start, rules_of(row_multiple));
            const MemoryPlan memory = memory_plan(plan);
            CAPTURE(name, row_multiple, memory.slot_bytes(), memory.alive_bytes);
            CHECK(memory.slot_sizes.size() == 1);
            CHECK(static_cast<double>(memory.slot_bytes()) <=
                  1.1 * static_cast<double>(memory.alive_bytes));
            for (const PlannedKernel& each : plan.kernels) {
                const codegen::Operand& made = each.nest.output;
                CHECK((row_multiple > 0 || made.memory == codegen::Memory::buffer));
                CHECK(made.image.row_multiple ==
                      (made.memory == codegen::Memory::image ? row_multiple : 0));
            }
        }
    }
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Plan start = starting_plan(simplified(networks::test::random_network(seed)));
        for (const std::int32_t row_multiple : {0, 1, 4}) {
            const Plan plan = in_arena(start, rules_of(row_multiple));
            CAPTURE(seed, row_multiple);
            check_zeros(plan, memory_plan(plan));
        }
    }
}

TEST_CASE("Random networks compute in an arena on PoCL what the reference does", "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    for (const std::uint64_t seed : {3U, 8U}) {
        const Graph graph = simplified(networks::test::random_network(seed));
        const std::vector<Reals> inputs = inputs_of(graph, seed);
        const Plan plan = in_arena(starting_plan(graph), arena_rules(device.info()));
        const std::vector<float> found = computed_in_arena(device, plan, inputs);
        const std::vector<double> wanted =
            reference_values(graph, inputs, true)[static_cast<std::size_t>(graph.outputs.front())]
                .values;
        REQUIRE(found.size() == wanted.size());
        const double largest =
            std::abs(*std::ranges::max_element(wanted, {}, [](double n) { return std::abs(n); }));
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK(found[i] == Approx(wanted[i]).margin(1e-4 * largest));
        }
    }
}

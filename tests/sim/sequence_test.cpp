// Launches one after the other, with an L2 that is kept: against the plain second simulator.

#include "base/error.hpp"
#include "sim/sampled_time.hpp"
#include "sim/simulate_next.hpp"
#include "tests/random_cases.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/random_launch.hpp"
#include "tests/sim/result_difference.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace texelscope;
using namespace texelscope::test;

namespace {

/// Images of a launch somewhere in the memory of the sequence, now and then two at one place; some
/// are buffers.
std::vector<std::int64_t> random_bases(Random& random, std::int64_t pages, std::size_t images)
{
    std::vector<std::int64_t> bases;
    for (std::size_t i = 0; i < images; ++i) {
        bases.push_back(random.between(0, pages - 1) * image_alignment);
    }
    return bases;
}

void make_buffers(Random& random, Launch& launch)
{
    for (Image& image : launch.images) {
        if (random.one_in(3)) {
            image.buffer = true;
        }
    }
}

SimulationResult without_kinds(SimulationResult result)
{
    result.l1 = result.l1.without_kinds();
    for (LevelStatistics& level : result.behind) {
        level.counts = level.counts.without_kinds();
    }
    for (CoreResult& core : result.cores) {
        core.l1 = core.l1.without_kinds();
    }
    return result;
}

} // namespace

namespace {

/// `further`: with a level of cache beside L1 and L2, or two.
void compare_sequences(std::uint64_t cases, bool further)
{
    std::int64_t jumped = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        Random random(seed);
        LaunchCase first = random_launch_case(random);
        while (!first.options.machine.has_l2() ||
               first.options.machine.l1().geometry.replacement == ReplacementKind::random ||
               first.options.machine.l2().geometry.replacement == ReplacementKind::random) {
            first = random_launch_case(random);
        }
        SimulationOptions options = first.options;
        options.mode.miss_kinds = true; // not told in a sequence, whoever asks
        options.kernel.buffers.kind = random.pick(std::vector{
            BufferPath::Kind::images_l1, BufferPath::Kind::own_l1, BufferPath::Kind::l2});
        options.kernel.buffers.capacity = options.kernel.buffers.kind == BufferPath::Kind::own_l1
                                              ? options.machine.l1().geometry.capacity
                                              : Bytes{0};
        const std::int64_t pages = random.between(40, 400);
        SequenceMemory memory{Bytes{0}, {}, {}};
        if (further) {
            add_level(seed + 4000, options);
        }
        OracleSequence oracle;
        for (const CacheLevel& level : options.machine.caches) {
            if (level.shared && level.geometry.capacity.value > 0) {
                oracle.shared.emplace_back(level.geometry);
            }
        }
        std::vector<Launch> launches{first.launch};
        for (int more = random.small(0, 3); more > 0; --more) {
            launches.push_back(random.one_in(2) ? launches.back()
                                                : random_launch_case(random).launch);
        }
        // Large enough for each image wherever it begins.
        std::int64_t largest = 0;
        for (Launch& launch : launches) {
            make_buffers(random, launch);
            for (const StoredImage& stored : store_images(launch.images, options)) {
                largest = std::max(largest, stored.layout.size().value);
            }
        }
        memory.size = Bytes{(pages + 1) * image_alignment + largest};
        SequenceMemory plain = memory;
        for (const Launch& launch : launches) {
            memory.bases = plain.bases = oracle.bases =
                random_bases(random, pages, launch.images.size());
            const auto source = make_trace_source(launch);
            const SimulationResult wanted = without_kinds(
                oracle_simulate(launch.images, rows_of(launch), options, &oracle).counters);
            options.mode.jump = true;
            const SimulationResult by_jumps = simulate_next(*source, options, memory);
            INFO("seed " << seed << "\n" << describe({launch, options}));
            CHECK(result_difference(wanted, by_jumps) == "");
            jumped += by_jumps.steps - by_jumps.simulated_steps;
            options.mode.jump = false;
            CHECK(result_difference(wanted, simulate_next(*source, options, plain)) == "");
            if (random.one_in(3)) { // somebody writes
                const StoredImage image =
                    store_images(launch.images, options, memory.bases).front();
                const TexelBox box{
                    {random.small(0, image.extent.width - 1),
                     random.small(0, image.extent.height - 1)},
                    {random.small(1, image.extent.width), random.small(1, image.extent.height)}};
                TexelBox inside = box;
                inside.extent.width = std::min(box.extent.width, image.extent.width - box.first.x);
                inside.extent.height =
                    std::min(box.extent.height, image.extent.height - box.first.y);
                store(memory, options, image, inside);
                store(plain, options, image, inside);
                std::set<std::int64_t> bytes; // those that begin a granule of the first
                std::int64_t unit = options.machine.shared_level().geometry.granule().value;
                for (int i = 0; i < inside.extent.area(); ++i) {
                    const Texel texel{inside.first.x + i % inside.extent.width,
                                      inside.first.y + i / inside.extent.width};
                    for (std::int64_t byte = 0; byte < image.bytes_per_texel; ++byte) {
                        bytes.insert((image.address(texel) + byte) / unit * unit);
                    }
                }
                std::vector<std::int64_t> asked(bytes.begin(), bytes.end());
                std::size_t number = 0;
                for (const CacheLevel& level : options.machine.caches) { // one after the other
                    if (!level.shared || level.geometry.capacity.value == 0) {
                        continue;
                    }
                    std::erase_if(asked, [&](std::int64_t byte) {
                        return oracle.shared[number].lookup(byte).hit();
                    });
                    unit = level.geometry.granule().value;
                    for (std::int64_t& byte : asked) {
                        byte = byte / unit * unit;
                    }
                    ++number;
                }
            }
        }
    }
    CHECK(jumped > 0);
}

} // namespace

TEST_CASE(
    "A sequence of launches hits and misses as the plain simulator says, by jumps and without")
{
    compare_sequences(static_cast<std::uint64_t>(random_cases(150, 3000)), false);
}

TEST_CASE("A sequence does so with a level of cache more")
{
    compare_sequences(static_cast<std::uint64_t>(random_cases(150, 3000)), true);
}

TEST_CASE("What the launch before left in L2 is not fetched again, and takes less time")
{
    Random random(7);
    Launch launch = random_launch_case(random).launch;
    SimulationOptions options;
    options.machine.cores = 2;
    options.machine.l2().geometry = {.capacity = Bytes{1 << 20}, .ways = 16};
    const auto source = make_trace_source(launch);
    const std::vector<StoredImage> stored = store_images(launch.images, options);
    SequenceMemory memory{storage_size(stored), {}, {}};
    for (const StoredImage& image : stored) {
        memory.bases.push_back(image.base);
    }
    const SequenceMemory empty = memory;
    const SimulationResult first = simulate_next(*source, options, memory);
    SimulationOptions plain = options;
    plain.mode.miss_kinds = false;
    CHECK(result_difference(simulate(*source, plain), first) == ""); // nothing was there
    const SequenceMemory warm = memory;
    const SimulationResult second = simulate_next(*source, options, memory);
    CHECK(second.l1 == first.l1);
    CHECK(second.l2().lookups == first.l2().lookups);
    CHECK(second.l2().misses() == 0);
    const double cold = sampled_time(launch, options, 1'000'000, {}, &empty).time.value;
    CHECK(cold == sampled_time(launch, plain, 1'000'000).time.value);
    CHECK(sampled_time(launch, options, 1'000'000, {}, &warm).time.value < cold);
    // Without an L2 there is nothing to keep.
    options.machine.l2().geometry.capacity = Bytes{0};
    SequenceMemory none = empty;
    plain.machine.l2().geometry.capacity = Bytes{0};
    CHECK(simulate_next(*source, options, none).l1 == simulate(*source, plain).l1);
    CHECK(none.shared.empty());
    store(none, options, stored.front(), {{0, 0}, {1, 1}});
    CHECK(none.shared.empty());
}

// What is looked up, or coalesced, many lines at a time against the same one by one.

#include "sim/cache/cache.hpp"
#include "sim/cache/full_sets.hpp"
#include "sim/memory/coalescer.hpp"
#include "sim/options/options.hpp"
#include "tests/sim/layout_oracle.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// A list of them, whose first line is not always 0.
struct RelativeLines {
    std::int32_t first = 0;
    std::vector<std::int32_t> deltas;

    RelativeLines(Random& random, const std::vector<std::int32_t>& lines)
        : first(random.small(0, 200)), deltas(lines)
    {
        for (std::int32_t& delta : deltas) {
            delta -= first;
        }
    }
    [[nodiscard]] LineList list() const
    {
        return {.first = first, .deltas = deltas, .distinct = true};
    }
};

/// Lines of which many come again: of a warp access, all different.
std::vector<std::int32_t> random_lines(Random& random, std::int32_t span)
{
    const auto most = static_cast<std::size_t>(random.small(1, random.one_in(3) ? 600 : 80));
    std::vector<std::int32_t> lines;
    std::int32_t at = random.small(0, span - 1);
    const std::int32_t stride = random.pick(std::vector<std::int32_t>{1, 1, 3, 16, 64});
    while (lines.size() < most) {
        lines.push_back(at % span);
        at += random.one_in(5) ? random.small(0, span) : stride;
    }
    std::set<std::int32_t> seen;
    std::erase_if(lines, [&](std::int32_t line) { return !seen.insert(line).second; });
    return lines;
}

} // namespace

TEST_CASE("Lines that are looked up together are found as those looked up one by one are")
{
    constexpr std::int32_t span = 1500;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        Random random(seed + 7000);
        const std::int64_t ways =
            random.pick(std::vector<std::int64_t>{0, 1, 2, 3, 4, 4, 8, 8, 16, 16});
        const std::int64_t sets =
            ways == 0 ? 1 : random.pick(std::vector<std::int64_t>{1, 2, 3, 4, 16, 32});
        CacheGeometry geometry{.capacity =
                                   Bytes{64 * sets * (ways == 0 ? random.small(1, 400) : ways)},
                               .ways = static_cast<int>(ways)};
        if (sets > 1 && sets != 3 && random.one_in(3)) {
            geometry.index = SetIndex::xor_folded;
        }
        const bool kinds = random.one_in(2);
        Cache cache(geometry, Bytes{64 * span}, kinds);
        OracleCache oracle(geometry);
        std::int64_t ideal = 0;
        for (int access = 0; access < 60; ++access) {
            const std::vector<std::int32_t> lines = random_lines(random, span);
            std::vector<std::uint8_t> missed(lines.size());
            const RelativeLines relative(random, lines);
            cache.look_up(relative.list(), random.one_in(3) ? nullptr : missed.data());
            for (const std::int32_t line : lines) {
                const LookupOutcome expected = oracle.lookup(64 * std::int64_t{line});
                ideal +=
                    expected.miss == MissKind::capacity || expected.miss == MissKind::compulsory
                        ? 1
                        : 0;
            }
            INFO("seed " << seed << ", access " << access << ", " << sets << " sets of " << ways
                         << " ways");
            REQUIRE(cache.counts().misses == oracle.statistics.misses());
            REQUIRE(cache.counts().evictions == oracle.statistics.evictions);
            REQUIRE((!kinds || cache.counts().ideal_misses == ideal));
        }
    }
}

TEST_CASE("Each lookup of a list tells whether its line was there")
{
    constexpr std::int32_t span = 700;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed + 8000);
        const int ways = random.pick(std::vector<int>{0, 2, 4, 8, 16});
        const CacheGeometry geometry{.capacity = Bytes{64 * (ways == 0 ? 100 : 8 * ways)},
                                     .ways = ways};
        Cache cache(geometry, Bytes{64 * span});
        OracleCache oracle(geometry);
        for (int access = 0; access < 60; ++access) {
            const std::vector<std::int32_t> lines = random_lines(random, span);
            std::vector<std::uint8_t> missed(lines.size(), 7);
            const RelativeLines relative(random, lines);
            cache.look_up(relative.list(), missed.data());
            std::vector<std::uint8_t> expected;
            for (const std::int32_t line : lines) {
                expected.push_back(oracle.lookup(64 * std::int64_t{line}).hit() ? 0 : 1);
            }
            INFO("seed " << seed << ", access " << access << ", " << ways << " ways");
            REQUIRE(missed == expected);
        }
    }
}

TEST_CASE("Full sets of four are the same by AVX2 and by AVX-512")
{
    if (!can_look_up_in_full_sets(4) || !has_short_avx512()) {
        WARN("this processor has one of the two at most");
        return;
    }
    constexpr std::int32_t span = 336; // a multiple of each number of sets
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed + 8500);
        const std::int64_t sets = random.pick(std::vector<std::int64_t>{1, 3, 8, 16});
        const SetOfLine set_of(sets, false);
        std::vector<std::int32_t> tags(static_cast<std::size_t>(4 * sets));
        for (std::size_t way = 0; way < tags.size(); ++way) { // each in its set
            tags[way] = span + static_cast<std::int32_t>(
                                   way / 4 + (way % 4) * static_cast<std::size_t>(sets) * 100);
        }
        std::vector<std::int32_t> others = tags;
        for (int access = 0; access < 60; ++access) {
            const std::vector<std::int32_t> lines = random_lines(random, span);
            std::vector<std::uint8_t> missed(lines.size(), 7);
            std::vector<std::uint8_t> others_missed(lines.size(), 7);
            const bool flags = random.one_in(2);
            const RelativeLines relative(random, lines);
            const std::int64_t misses = look_up_in_full_sets(
                4, tags.data(), set_of, relative.list(), flags ? missed.data() : nullptr, false);
            INFO("seed " << seed << ", access " << access << ", " << sets << " sets");
            REQUIRE(look_up_in_full_sets(4, others.data(), set_of, relative.list(),
                                         flags ? others_missed.data() : nullptr, true) == misses);
            REQUIRE(others == tags);
            REQUIRE(others_missed == missed);
        }
    }
}

TEST_CASE(
    "The granules of a warp access are those of its lanes' bytes, each once and in their order")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed + 9000);
        std::vector<Image> images;
        std::vector<StoredOffsets> stored;
        SimulationOptions options;
        options.machine.layout = random_layout(random);
        options.machine.l1().geometry.line =
            Bytes{random.pick(std::vector<std::int64_t>{16, 32, 64, 64, 128, 8192})};
        for (int i = 0; i < random.small(1, 2); ++i) {
            images.push_back({"image",
                              {random.small(1, 90), random.small(1, 70)},
                              Bytes{random.pick(std::vector<std::int64_t>{4, 8, 16, 16})},
                              random.one_in(2) ? AddressMode::border : AddressMode::edge});
            stored.push_back(stored_image(options.machine.layout, images.back().extent,
                                          images.back().bytes_per_texel.value));
        }
        const std::vector<StoredImage> places = store_images(images, options);
        Coalescer coalescer(places, options.machine.l1().geometry.line.value);
        for (int access = 0; access < 20; ++access) {
            // A row for each lane, a column, or anywhere; sometimes outside.
            const int form = random.small(0, 2);
            const int outside = random.one_in(4) ? 3 : 0;
            const auto extent_of = [&](const LaneRead& read) { return images[read.image].extent; };
            std::vector<LaneRead> lanes;
            const auto one =
                static_cast<std::uint16_t>(random.small(0, static_cast<int>(images.size()) - 1));
            for (int lane = 0; lane < random.pick(std::vector<int>{1, 15, 16, 32, 47, 64, 64});
                 ++lane) {
                LaneRead read{{}, one, static_cast<std::uint16_t>(lane)};
                if (images.size() > 1 && random.one_in(20)) {
                    read.image = static_cast<std::uint16_t>(1 - one);
                }
                read.texel = {random.small(-outside, extent_of(read).width - 1 + outside),
                              random.small(-outside, extent_of(read).height - 1 + outside)};
                if (form == 0) {
                    read.texel.y = lane % extent_of(read).height;
                } else if (form == 1) {
                    read.texel.x = lane % extent_of(read).width;
                }
                lanes.push_back(read);
            }
            std::vector<std::int32_t> expected;
            std::set<std::int64_t> seen;
            std::int64_t reads = 0;
            for (const LaneRead& read : lanes) {
                const Image& image = images[read.image];
                Texel texel = read.texel;
                if (!image.extent.contains(texel)) {
                    if (image.address_mode == AddressMode::border) {
                        continue;
                    }
                    texel = {std::clamp(texel.x, 0, image.extent.width - 1),
                             std::clamp(texel.y, 0, image.extent.height - 1)};
                }
                ++reads;
                const std::int64_t address = places[read.image].base + stored[read.image].at(texel);
                for (std::int64_t byte = address; byte < address + image.bytes_per_texel.value;
                     ++byte) {
                    if (seen.insert(byte / options.machine.l1().geometry.line.value).second) {
                        expected.push_back(static_cast<std::int32_t>(
                            byte / options.machine.l1().geometry.line.value));
                    }
                }
            }
            const Coalescer::Coalesced found = coalescer.coalesce(lanes);
            INFO("seed " << seed << ", access " << access);
            REQUIRE(std::vector<std::int32_t>(found.granules.begin(), found.granules.end()) ==
                    expected);
            REQUIRE(found.texel_reads == reads);
        }
    }
}

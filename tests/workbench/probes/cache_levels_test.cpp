#include "model/curves/cache_curve.hpp"
#include "tests/workbench/probes/bare_target.hpp"
#include "workbench/probes/cache_levels.hpp"
#include "workbench/probes/chases.hpp"
#include "workbench/probes/probe_plot.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <utility>

using namespace texelscope;
using namespace texelscope::workbench::probes;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// A device whose chases take what the formula of its levels says: lines of 2x2 texels in random
/// sets.
class LevelledTarget : public test::BareTarget {
public:
    LevelledTarget(TargetInfo info, std::vector<std::pair<RandomSetCache, double>> levels)
        : BareTarget(std::move(info)), levels_(std::move(levels))
    {}

    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override
    {
        most_area_ = std::max(most_area_, chase.extent.area());
        if (chase.extent.area() > takes_) {
            throw missing("too little memory", info().name);
        }
        std::set<Texel> lines;
        for (const Texel texel : chase.walk) {
            lines.insert({texel.x / 2, texel.y / 2});
        }
        const ChasePoint point{std::ssize(lines), chase.warm_passes, chase.passes, 1};
        double ns = 10;
        for (const auto& [cache, more] : levels_) {
            ns += more * miss_share(cache.sets, SetMisses(cache.ways, cache.replacement), point) *
                  static_cast<double>(lines.size()) / static_cast<double>(chase.walk.size());
        }
        return std::vector<double>(static_cast<std::size_t>(samples), ns);
    }

    std::int64_t takes_ = std::int64_t{1} << 40; ///< texels of an image
    std::int64_t most_area_ = 0;                 ///< that was asked for

private:
    std::vector<std::pair<RandomSetCache, double>> levels_;
};

TargetInfo with_memory(std::int64_t bytes)
{
    TargetInfo info;
    info.name = "the device";
    info.simulated = true;
    info.largest_image = {16384, 16384};
    info.largest_allocation = bytes;
    return info;
}

std::map<std::string, double> by_key(const ProbeResult& result)
{
    std::map<std::string, double> values;
    for (const ProbeFinding& finding : result.findings) {
        values[finding.key] = finding.value;
    }
    return values;
}

} // namespace

TEST_CASE("An image grows fourfold, as far as device and options allow")
{
    ProbeOptions options;
    options.largest_image = mebibyte;
    for (const auto& [allocation, largest, times] : {std::tuple(64 * mebibyte, 1024 * mebibyte, 2),
                                                     {1024 * mebibyte, 4 * mebibyte, 1},
                                                     {std::int64_t{0}, 1024 * mebibyte, 0}}) {
        LevelledTarget target(with_memory(allocation), {});
        options.largest_chase = largest;
        ScatteredChases chases(target, MemorySpace::image, options);
        const std::int64_t before = chases.grid().cells();
        int grown = 0;
        while (chases.grow()) {
            ++grown;
        }
        CHECK(grown == times);
        CHECK(chases.grid().cells() == before << (2 * times));
    }
}

TEST_CASE("Three levels are found, the last of them in a grown image")
{
    LevelledTarget target(with_memory(1024 * mebibyte),
                          {{{16, 4}, 20}, {{128, 8}, 70}, {{1024, 16}, 200}});
    ProbeOptions options;
    options.samples = 3;
    options.largest_image = 16 * mebibyte; // 16,384 lines
    options.largest_chase = 512 * mebibyte;
    const ProbeResult result = probe_cache_levels(target, MemorySpace::image, options);
    std::map<std::string, double> found = by_key(result);
    CHECK(found["l1.capacity"] == 16 * 4 * 64);
    CHECK(found["l2.capacity"] == 128 * 8 * 64);
    CHECK(found["l3.capacity"] == 1024 * 16 * 64);
    CHECK(found["latency.l1.ns"] == Approx(10).epsilon(0.02));
    CHECK(found["latency.l2.ns"] == Approx(30).epsilon(0.02));
    CHECK(found["latency.l3.ns"] == Approx(100).epsilon(0.02));
    CHECK(found["latency.memory.ns"] == Approx(300).epsilon(0.02));
    CHECK(target.most_area_ * 16 == 64 * mebibyte); // four times its lines, and no more
}

TEST_CASE("On a CPU chases keep to few pages, and what they find is of images and buffers alike")
{
    TargetInfo info = with_memory(1024 * mebibyte);
    info.simulated = false;
    info.cpu = true;
    LevelledTarget target(info, {{{64, 12}, 20}});
    ProbeOptions options;
    options.samples = 3;
    options.largest_image = options.largest_chase = 4 * mebibyte;
    std::map<std::string, double> found =
        by_key(probe_cache_levels(target, MemorySpace::buffer, options));
    CHECK(found["l1.capacity"] == 64 * 12 * 32);
    CHECK(found["l1.line"] == 32); // of 2 elements in a row here
    CHECK(found["l1.ways"] == 12);
    ScatteredChases chases(target, MemorySpace::buffer, options);
    target.most_area_ = 0;
    (void)chases.round(768, 1);
    // two lines of 64 B for each of the next power of two, of which half are read
    CHECK(target.most_area_ == 2048 * 8);
}

TEST_CASE("What a device does not take after all is said, and what was found before stays")
{
    LevelledTarget target(with_memory(1024 * mebibyte), {{{16, 4}, 20}});
    target.takes_ = 1 << 20; // 16 MiB
    ProbeOptions options;
    options.samples = 3;
    options.largest_image = 16 * mebibyte;
    const ProbeResult result = probe_cache_levels(target, MemorySpace::image, options);
    std::map<std::string, double> found = by_key(result);
    CHECK(found["l1.capacity"] == 16 * 4 * 64);
    CHECK(found["latency.l1_miss.ns"] == Approx(30).epsilon(0.02));
    REQUIRE(result.notes.size() == 2);
    CHECK_THAT(result.notes[0],
               Contains("more than 16384 texels") && Contains("too little memory"));
    CHECK_THAT(result.notes[1], Contains("no second level was seen up to 16384 lines"));
}

TEST_CASE("Titles fit above a plot, and one sample that went wrong does not flatten it")
{
    CHECK(plot_title("latency", "short") == "latency, short");
    const std::string title = plot_title("latency", std::string(50, 'x') + " and more");
    CHECK(title.size() <= 56);
    CHECK_THAT(title, Contains("...") && Contains("latency, xxx"));
    const std::vector<ProbePoint> points{{1, {9, 10, 11}}, {2, {19, 20, 1e6}}};
    const auto lines =
        extremes({&points[0], &points[1]}, [](std::size_t i) { return static_cast<double>(i); });
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].points[1].y == 19);
    CHECK(lines[1].points[0].y == 11);
    CHECK(lines[1].points[1].y == 60);
    CHECK(lines[1].name == "largest sample, cut off");
}

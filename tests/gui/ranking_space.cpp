#include "tests/gui/ranking_space.hpp"

#include "devices/profile/device_profile.hpp"
#include "workbench/space/operator_space.hpp"

#include <cmath>
#include <random>

namespace texelscope::test {
using namespace gui;

RankingRows random_rows(std::uint64_t seed)
{
    const Operator op = parse_operator("matmul", "16,16,16");
    const DeviceProfile device = find_profile("adreno-740");
    SpaceOptions options; // few of them
    options.patterns = {AccessPattern::row, AccessPattern::block4, AccessPattern::column};
    options.tile_sides = {1, 4};
    const auto space =
        std::make_shared<const ConfigurationSpace>(configuration_space(op, device, options));
    std::mt19937_64 random(seed);
    const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
    std::vector<ModelCosts::Cost> costs;
    auto simulated = std::make_shared<KnownTimes>();
    auto measured = std::make_shared<KnownTimes>();
    auto compiled = std::make_shared<Compilations>();
    for (std::int64_t index = 0; index < space->size(); ++index) {
        if (random() % 8 != 0) { // some have no cost
            costs.push_back({std::pow(10.0, 4 * share()), index});
        }
        if (random() % 3 == 0) {
            (*simulated)[index] = {std::pow(10.0, 5 * share()), "a simulation"};
        }
        if (random() % 5 == 0) {
            (*measured)[index] = {std::pow(10.0, 6 * share()), "a device"};
        }
        if (random() % 4 == 0) {
            const auto spills = static_cast<std::int64_t>(random() % 3); // a third has none
            (*compiled)[index] = {8 + static_cast<std::int64_t>(random() % 56), 1 + spills,
                                  7 * spills, "a compiler"};
        }
    }
    RankingRows rows;
    rows.ranked =
        std::make_shared<const RankedSpace>(op, space, std::move(costs), ModelVariant::literal);
    rows.pruning = std::make_shared<const SpacePruning>(op, space, device);
    rows.simulated = std::move(simulated);
    rows.measured = std::move(measured);
    rows.compiled = std::move(compiled);
    return rows;
}

bool has_cost_at(const RankedSpace& ranked, std::size_t row, const RankedConfiguration& expected)
{
    const auto index = index_of(*ranked.space(), expected.schedule);
    const auto place = index ? ranked.row_of(*index) : std::nullopt;
    return place && same_time(ranked[row].ns, expected.cost.value) &&
           same_time(ranked[*place].ns, expected.cost.value);
}

} // namespace texelscope::test

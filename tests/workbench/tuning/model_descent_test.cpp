// Coordinate descent over kernels against the ranking of the whole space.

#include "workbench/space/knobs.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;

namespace {

struct OperatorCase {
    const char* op;
    const char* shape;
};

} // namespace

TEST_CASE("Descent finds what no single knob makes cheaper, by the model's own costs")
{
    for (const char* name : {"adreno-740", "mali-g77"}) {
        const DeviceProfile device = find_profile(name);
        const Calibration calibration = calibrate_profile(device, 1);
        for (const OperatorCase& c :
             {OperatorCase{"matmul", "32,24,48"}, OperatorCase{"conv2d", "1,8,8,16,8,3,3,1"},
              OperatorCase{"dwconv2d", "1,20,18,16,3,3,2"}, OperatorCase{"softmax", "64,96"}}) {
            const Operator op = parse_operator(c.op, c.shape);
            const ConfigurationSpace space = configuration_space(op, device);
            for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::bottleneck}) {
                CAPTURE(name, c.op, to_string(variant));
                const Ranking whole = rank_by_model({op, device, space, calibration, variant}, 0);
                std::map<std::int64_t, double> cost;
                std::vector<double> least(space.kernel_count(), 1e300);
                for (const RankedConfiguration& one : whole.best) {
                    cost[one.index] = one.cost.value;
                    double& of_kernel = least[space.place(one.index).kernel];
                    of_kernel = std::min(of_kernel, one.cost.value);
                }
                const Ranking found = rank_by_descent({op, device, space, calibration, variant}, 0);
                CHECK(found.space == space.size());
                CHECK(found.evaluated == static_cast<std::int64_t>(found.best.size()));
                std::set<std::int64_t> seen;
                for (const RankedConfiguration& one : found.best) {
                    CHECK(one.cost.value == cost.at(one.index));
                    CHECK(seen.insert(one.index).second);
                }
                // No kernel that differs from the choice in one knob, or in the tile alone, has
                // anything cheaper.
                const KernelKnobs table(space);
                std::vector<KernelKnobs::Values> knobs;
                for (std::size_t k = 0; k < space.kernel_count(); ++k) {
                    knobs.push_back(table.of(k));
                }
                const std::size_t chosen = space.place(found.best.front().index).kernel;
                const auto& tile = space.kernel(chosen).tile;
                for (std::size_t k = 0; k < knobs.size(); ++k) {
                    int differing = 0;
                    for (std::size_t i = 0; i < knobs[k].size(); ++i) {
                        differing += knobs[k][i] != knobs[chosen][i] ? 1 : 0;
                    }
                    const bool tile_alone =
                        space.kernel(k).patterns == space.kernel(chosen).patterns;
                    if (differing <= 1 || tile_alone) {
                        CAPTURE(differing, tile);
                        CHECK(least[k] >= found.best.front().cost.value);
                    }
                }
                if (variant == ModelVariant::literal) { // seen for all of 240 shapes
                    CHECK(found.best.front().cost.value ==
                          Approx(whole.best.front().cost.value).epsilon(1e-9));
                }
            }
        }
    }
}

TEST_CASE("The first over all parts are what the model puts first, kernels of different times")
{
    const Operator op = parse_operator("matmul", "1,96,256");
    const DeviceProfile device = find_profile("mali-g77");
    const Calibration none;
    const ConfigurationSpace space =
        configuration_space(op, device, {.parts = priced_parts(op, device)});
    const Ranking ranking = first_by_model({op, device, space, none, ModelVariant::bottleneck}, 0);
    const auto first = first_over_all_parts(op, device, none, ModelVariant::bottleneck, 5);
    REQUIRE(first.size() == 5);
    CHECK(first[0] == ranking.best[0].schedule);
    std::set<std::string> kernels;
    double last = 0;
    for (const Schedule& schedule : first) {
        const double ns =
            std::ranges::find(ranking.best, schedule, &RankedConfiguration::schedule)->cost.value;
        CHECK(ns > last);
        last = ns;
        kernels.insert(to_string(kernel_of(schedule)));
    }
    CHECK(kernels.size() == 5);
    CHECK(first_over_all_parts(op, device, none, ModelVariant::bottleneck, 0).empty());
}

TEST_CASE("Descent keeps to the elements that take part, and to the kernels that a space has")
{
    const DeviceProfile device = find_profile("adreno-740");
    const Operator op = parse_operator("matmul", "32,32,32");
    const ConfigurationSpace whole = configuration_space(op, device);
    std::vector<bool> kept(static_cast<std::size_t>(whole.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i] = i % 3 == 1;
    }
    const Calibration none;
    const ConfigurationSpace part = whole.keeping(kept);
    const Ranking found = rank_by_descent({op, device, part, none, ModelVariant::bottleneck}, 0);
    REQUIRE(!found.best.empty());
    std::set<std::string> texts;
    for (std::int64_t i = 1; i < whole.size(); i += 3) {
        texts.insert(to_string(whole.at(i)));
    }
    for (const RankedConfiguration& one : found.best) {
        CHECK(texts.count(to_string(one.schedule)) == 1);
        CHECK(one.schedule == part.at(one.index));
    }
    const ConfigurationSpace flat = part.flattened();
    const Ranking of_flat = rank_by_descent({op, device, flat, none, ModelVariant::bottleneck}, 1);
    CHECK(of_flat.best.front().cost.value == found.best.front().cost.value);
    const Ranking nothing =
        rank_by_descent({op, device, ConfigurationSpace{}, none, ModelVariant::bottleneck}, 0);
    CHECK(nothing.best.empty());
}

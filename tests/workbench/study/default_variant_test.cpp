#include "devices/jobs/described_device.hpp"
#include "workbench/probes/profile/fitted_profile.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

using namespace texelscope;
using namespace texelscope::workbench::probes;

TEST_CASE("The variant that judges by default uses a calibration that was given")
{
    CHECK(default_variant(false).variant == ModelVariant::bottleneck);
    CHECK(default_variant(true).variant == ModelVariant::reuse_aware);
    for (const ModelVariant variant : all_model_variants) {
        CHECK(next_variant(variant) != variant);
    }
}

TEST_CASE("Ties of a ranking are counted, and ordered by the next judge and then by text")
{
    const Operator op = parse_operator("matmul", "64,48,32", "");
    const DeviceProfile device = find_profile("adreno-750");
    const ConfigurationSpace space = configuration_space(op, device);
    const Calibration none;
    const ModelCosts costs(op, device, space, none, ModelVariant::bottleneck);
    // A judge that knows two classes: odd numbers come first.
    const TieBreaker odd_first = [](const std::vector<std::int64_t>& elements) {
        std::vector<double> said;
        for (const std::int64_t element : elements) {
            said.push_back(element % 2 == 0 ? 2 : 1);
        }
        return said;
    };
    const Ranking all = rank_by_model(costs, 0, {}, odd_first);
    const Ranking few = rank_by_model(costs, 37, {}, odd_first);
    REQUIRE(few.best.size() == 37);
    bool tied = false;
    for (std::size_t i = 0; i < all.best.size(); ++i) {
        const RankedConfiguration& one = all.best[i];
        if (i < 200) { // a plain count
            const auto alike =
                std::ranges::count_if(all.best, [&](const RankedConfiguration& other) {
                    return same_time(one.cost.value, other.cost.value);
                });
            CHECK(one.alike == alike);
        }
        if (i < few.best.size()) { // where a tie is cut, its first are kept
            CHECK(few.best[i].index == one.index);
            CHECK(few.best[i].alike == one.alike);
        }
        if (i > 0) {
            const RankedConfiguration& before = all.best[i - 1];
            if (same_time(before.cost.value, one.cost.value)) {
                tied = true;
                const auto key = [](const RankedConfiguration& of) {
                    return std::pair{of.index % 2 == 0, to_string(of.schedule)};
                };
                REQUIRE(key(before) < key(one));
            } else {
                REQUIRE(before.cost.value < one.cost.value);
            }
        }
    }
    CHECK(tied);
}

TEST_CASE("A profile describes a device whose names have all of its words")
{
    OpenClDeviceInfo device;
    device.name = "NVIDIA H100 80GB HBM3";
    device.platform = "NVIDIA CUDA";
    CHECK(describes(find_profile("nvidia-h100"), device) == true);
    CHECK(describes(find_profile("nvidia-h200"), device) == false);
    CHECK(describes(find_profile("pocl-cpu"), device) == false);
    device.name = "Mali-G710 r0p0";
    device.platform = "ARM Platform";
    CHECK(describes(find_profile("mali-g710"), device) == true);
    CHECK(describes(find_profile("mali-g71"), device) == false);
    device = {};
    device.name = "pthread-some processor";
    device.platform = "Portable Computing Language";
    CHECK(describes(find_profile("pocl-cpu"), device) == false); // a GPU of PoCL's
    device.cpu = true;
    CHECK(describes(find_profile("pocl-cpu"), device) == true);
    CHECK_FALSE(describes(DeviceProfile{}, device).has_value());
    for (const std::string& name : profile_names()) {
        const DeviceProfile profile = find_profile(name);
        CAPTURE(name);
        CHECK_FALSE(profile.of.empty());
        DeviceProfile from_file = profile;
        from_file.machines.clear(); // which are files of their own
        CHECK(parse_profile(to_xml(profile), name) == from_file);
    }
}

TEST_CASE("What instructions cost is found again from the times of a device that is known")
{
    DeviceProfile truth = find_profile("pocl-cpu");
    const std::map<std::string, std::string> costs{{"alu.lanes", "5"},
                                                   {"issue.store", "60"},
                                                   {"issue.exponential", "45"},
                                                   {"issue.reads_in_flight", "16"},
                                                   {"launch", "20000"}};
    for (const auto& [key, value] : costs) {
        set(truth.simulation, key, value);
    }
    std::vector<TimedKernel> kernels = kernels_to_fit();
    for (TimedKernel& kernel : kernels) {
        const ConfigurationSpace one = space_of({kernel.schedule});
        kernel.time = rank_by_model({kernel.op, truth, one, {}, ModelVariant::bottleneck}, 1)
                          .best.front()
                          .cost;
    }
    CHECK(log_error(truth, kernels) < 1e-9);
    const DeviceProfile base = find_profile("pocl-cpu");
    const DeviceProfile fitted = fitted_profile(base, kernels, "a known device");
    CHECK(log_error(base, kernels) > 0.3);
    CHECK(log_error(fitted, kernels) < 0.1);
    for (const auto& [key, value] : costs) {
        CAPTURE(key, fitted.values.at(key).text);
        CHECK(std::stod(fitted.values.at(key).text) == Approx(std::stod(value)).epsilon(0.35));
        CHECK(fitted.values.at(key).source.find("a known device") != std::string::npos);
    }
}

TEST_CASE("Ties that the next judge has no cost for are ordered by text")
{
    const Operator op = parse_operator("matmul", "64,48,32", "");
    const DeviceProfile device = find_profile("adreno-750");
    const ConfigurationSpace space = configuration_space(op, device);
    const Calibration none;
    const ModelCosts costs(op, device, space, none, ModelVariant::bottleneck);
    const TieBreaker silent = [](const std::vector<std::int64_t>& elements) {
        return std::vector(elements.size(), std::numeric_limits<double>::infinity());
    };
    const Ranking all = rank_by_model(costs, 0, {}, silent);
    int tied = 0;
    for (std::size_t i = 1; i < all.best.size(); ++i) {
        const RankedConfiguration& before = all.best[i - 1];
        if (all.best[i].alike > 1 && same_time(before.cost.value, all.best[i].cost.value)) {
            CHECK(to_string(before.schedule) < to_string(all.best[i].schedule));
            ++tied;
        }
    }
    CHECK(tied > 100);
}

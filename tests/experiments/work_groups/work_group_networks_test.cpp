// Jiang et al. (APSys 2020), figures 3 and 6 and table 2: groups by hand and by trying all,
// findings from made-up networks, a small one.

#include "experiments/work_groups/work_group_networks.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

WorkGroupNetwork made_up(const std::string& device, const std::string& network, double saved,
                         double cores, double alus, double memory = 0.3, double trying = 200)
{
    return {device, network, 100, 100 * (1 - saved), cores, alus, memory, alus, 50, 100 * trying};
}

/// A 3x3 convolution of 8 channels of 12x12 to 16, then a depthwise one.
networks::Graph small_network()
{
    networks::Graph graph;
    graph.name = "small-network";
    const networks::ValueId input = graph.add_value("input", {1, 8, 12, 12});
    const auto conv = [&](networks::ValueId from, const networks::Shape& weights,
                          std::int64_t groups) {
        const networks::ValueId filter = graph.add_constant(
            "filter" + std::to_string(groups), weights,
            std::vector<float>(static_cast<std::size_t>(networks::element_count(weights)), 0.5F));
        const networks::ValueId output =
            graph.add_value("output" + std::to_string(groups), {1, weights[0], 12, 12});
        networks::Attributes attributes;
        attributes.set("kernel_shape", std::vector<std::int64_t>{3, 3});
        attributes.set("strides", std::vector<std::int64_t>{1, 1});
        attributes.set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
        attributes.set("group", groups);
        graph.nodes.push_back(
            {"conv" + std::to_string(groups), "Conv", {from, filter}, {output}, attributes});
        return output;
    };
    graph.inputs = {input};
    graph.outputs = {conv(conv(input, {16, 8, 3, 3}, 1), {16, 1, 3, 3}, 16)};
    return graph;
}

} // namespace

TEST_CASE("Work-groups of networks: TFLite's rule by hand")
{
    DeviceProfile device = find_profile("adreno-630");
    device.limits.work_group_size = 1024;
    // 256 / 64 work-items of a plane
    CHECK(tflite_fast_group({64, 56, 56}, false, device) == Dim3{64, 4, 1});
    // 42 of a plane: 7 wide, 6 high
    CHECK(tflite_fast_group({6, 7, 14}, false, device) == Dim3{6, 7, 6});
    // 26 = the largest divisor; 9 of a plane
    CHECK(tflite_fast_group({130, 8, 2}, false, device) == Dim3{26, 8, 1});
    // half of an even height
    CHECK(tflite_fast_group({1, 8, 8}, false, device) == Dim3{1, 8, 4});
    CHECK(tflite_fast_group({16, 56, 56}, true, device) == Dim3{8, 28, 4}); // 128 of a plane
    CHECK(tflite_fast_group({7, 5, 5}, true, device) == Dim3{7, 3, 5});
}

TEST_CASE("Work-groups of networks: the rules' size follows each rule that some size follows with "
          "those before it")
{
    std::set<Dim3> drawn;
    for (const RuleTerms::Kind kind : {RuleTerms::Kind::convolution, RuleTerms::Kind::depthwise}) {
        const RuleTerms terms{{12, 10, 6}, {1, 1, 1}, 2, 64, 32, 64, 256, kind};
        std::vector<WorkGroupRule> wanted;
        const auto follows_all = [&](const RuleTerms& one) {
            return std::ranges::all_of(wanted,
                                       [&](WorkGroupRule rule) { return follows(rule, one); });
        };
        for (const WorkGroupRule rule : all_work_group_rules) {
            wanted.push_back(rule);
            bool some = false;
            RuleTerms other = terms;
            for (std::int64_t i = 0; i < 12 * 10 * 6; ++i) {
                other.group = {i % 12 + 1, i / 12 % 10 + 1, i / 120 + 1};
                some = some || (other.group[0] * other.group[1] * other.group[2] <= 256 &&
                                follows_all(other));
            }
            if (!some) {
                wanted.pop_back();
            }
        }
        CHECK(wanted.size() >= 3);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto [z, x, y] = group_by_rules(terms, seed);
            RuleTerms chosen = terms;
            chosen.group = {x, y, z};
            CHECK(follows_all(chosen));
            CHECK(std::int64_t{x} * y * z <= 256);
            drawn.insert({z, x, y});
        }
    }
    CHECK(drawn.size() > 2); // not always the first
}

TEST_CASE("Work-groups of networks: findings follow the data")
{
    const std::vector<WorkGroupNetwork> good{made_up("adreno-630", "mobilenet-v1", 0.3, 0.9, 0.3),
                                             made_up("adreno-630", "vgg-16", 0.1, 0.92, 0.35, 0.49),
                                             made_up("mali-g72", "vgg-16", 0.05, 0.9, 0.5)};
    const std::vector<WorkGroupNetwork> bad{made_up("adreno-630", "mobilenet-v1", -0.3, 0.5, 0.9),
                                            made_up("adreno-630", "vgg-16", 0.1, 0.5, 0.9, 0.6),
                                            made_up("mali-g72", "vgg-16", -0.05, 0.5, 0.9, 0.1, 3)};
    for (const char* claim :
         {"adreno: with the rules'", "mali: with the rules'", "no network takes longer",
          "the largest gain", "adreno: cores are busy", "mali: cores are busy",
          "adreno: arithmetic", "mali: arithmetic", "the arithmetic units",
          "on every device and network memory", "where each size is run"}) {
        CAPTURE(claim);
        CHECK(finding_of(work_group_network_findings(good), claim).verdict == Verdict::holds);
        CHECK(finding_of(work_group_network_findings(bad), claim).verdict ==
              Verdict::does_not_hold);
        CHECK(finding_of(work_group_network_findings({}), claim).verdict == Verdict::not_tested);
    }
    test::check_nothing_clipped(work_group_network_plot(
        {good[0], good[1], good[2], made_up("mali-g72", "nasnet-mobile", 0, 1, 1)}));
}

TEST_CASE("Work-groups of networks: a small one with the groups of either")
{
    const WorkGroupNetworkOptions options{.networks = {}, .accesses = 1000, .trials = 2};
    for (const char* name : {"adreno-630", "mali-g72"}) {
        const WorkGroupNetwork found =
            measure_work_group_network(small_network(), {find_profile(name)}, options);
        CHECK(found.network == "small-network");
        CHECK(found.tflite_ns > 0);
        CHECK(found.rules_ns > 0);
        CHECK(found.sizes > 2);
        CHECK(found.trying_ns > found.tflite_ns); // several sizes of each kernel
        for (const double share :
             {found.core_utilisation, found.alu_utilisation, found.memory_utilisation}) {
            CHECK(share > 0);
            CHECK(share <= 1);
        }
    }
}

// The report of a judged network.

#include "base/number_text.hpp"
#include "networks/plan/memory_plan.hpp"
#include "tests/workbench/network_studies/judged_example.hpp"
#include "tests/workbench/report/parse_page.hpp"
#include "workbench/network_studies/kernel_bars.hpp"
#include "workbench/network_studies/network_plots.hpp"
#include "workbench/network_studies/network_report.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::string words_of(const pugi::xml_node& node)
{
    std::string text = node.value();
    for (const pugi::xml_node child : node.children()) {
        text += words_of(child);
    }
    return text;
}

std::string words_of(const pugi::xml_document& page, const std::string& path)
{
    const pugi::xml_node node = page.select_node(path.c_str()).node();
    CAPTURE(path);
    REQUIRE(node);
    return words_of(node);
}

/// A network of many kernels: the example's over and over.
JudgedNetwork long_example(std::size_t times)
{
    JudgedNetwork network = judged_example();
    const JudgedNetwork once = network;
    for (std::size_t i = 1; i < times; ++i) {
        const auto append = [](auto& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        append(network.planned.plan.kernels, once.planned.plan.kernels);
        append(network.planned.predicted, once.planned.predicted);
        append(network.simulated, once.simulated);
        append(network.measured->kernel_ns, once.measured->kernel_ns);
    }
    return network;
}

std::vector<std::size_t> numbers(std::size_t count)
{
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

} // namespace

TEST_CASE("The report of a network says what each judge found, and how every kernel is computed")
{
    const JudgedNetwork network = judged_example();
    const pugi::xml_document page = parse_page(network_report(network));
    CHECK(words_of(page, "//h1") == "an <example> & more on a phone");
    CHECK_THAT(words_of(page, "//header"),
               Contains("4 nodes in 5 kernels") && Contains("run on a \"device\""));
    const std::string cards = words_of(page, "//dl");
    CHECK_THAT(cards, Contains("15 \u00B5s") && Contains("98.77 \u00B5s") &&
                          Contains("100 \u00B5s in kernels"));
    CHECK_THAT(cards, Contains("1 of 2"));
    const auto memory = networks::memory_plan(network.planned.plan);
    CHECK_THAT(cards, Contains(bytes_text(Bytes{memory.slot_bytes()})));
    CHECK_THAT(cards, Contains(bytes_text(Bytes{memory.alive_bytes})));

    // Two kernels concatenate: 4000.4 and 5000.4 of 15002 ns are predicted for them.
    bool found = false;
    for (const pugi::xpath_node& row : page.select_nodes("//section[@id='time']//table/tbody/tr")) {
        if (std::string(row.node().first_child().text().get()) == "Concat") {
            found = true;
            CHECK(words_of(row.node()) ==
                  "Concat29.001 \u00B5s60 %5.3 \u00B5s48.2 %40.01 \u00B5s40 %");
        }
    }
    CHECK(found);

    CHECK_THAT(words_of(page, "//section[@id='agreement']"),
               Contains("model and simulator: Kendall \u03C4 -1.00") &&
                   Contains("model and device: Kendall \u03C4 1.00"));
    CHECK(page.select_nodes("//section[@id='agreement']//svg").size() == 3);
    CHECK(page.select_nodes("//section[@id='memory']//svg//rect/title").size() == 5);
    // L1 and L2 of the three kernels that look up.
    CHECK(page.select_nodes("//section[@id='caches']//svg//circle/title").size() == 6);

    const auto rows = page.select_nodes("//section[@id='kernels']//table/tbody/tr");
    REQUIRE(rows.size() == 5);
    const auto row = [&](std::size_t k) { return words_of(rows[k].node()); };
    CHECK_THAT(row(0), Contains("ConvRelu") && Contains("the_conv, the_relu") &&
                           Contains("1x8x6x6") && Contains("image row x") &&
                           Contains("constants: image") && Contains("image row the_relu_out"));
    CHECK_THAT(row(0), Contains(to_string(network.planned.plan.kernels[0].schedule)));
    CHECK_THAT(row(1), Contains("conversion 1x8x6x6for the_softmax"));
    // and the tensor that failed, twice
    CHECK(page.select_nodes("//section[@id='kernels']//strong").size() == 1 + 2);
    CHECK_THAT(row(2), Contains("1.5e-07") && Contains("89.8 %"));
    CHECK_THAT(row(4), Contains("2.5e-01"));
    CHECK_THAT(words_of(page, "//section[@id='kernels']/p"),
               Contains("1 of 5 kernels only store a value otherwise") &&
                   Contains("1 of 2 tensors agree"));

    CHECK_THAT(words_of(page, "//section[@id='kernels']/p[2]"),
               Contains("Not simulated: kernel 0: no <room>."));

    for (const pugi::xpath_node& link : page.select_nodes("//nav/a")) {
        const std::string target = std::string(link.node().attribute("href").value()).substr(1);
        words_of(page, "//section[@id='" + target + "']");
    }
}

TEST_CASE("Kernels have a bar for each judge, as long as its time")
{
    JudgedNetwork network = judged_example();
    const auto boxes = [&](const std::vector<std::size_t>& kernels) {
        std::vector<DrawnBox> found;
        for (const auto& shape : kernel_bars(network, kernels).shapes) {
            if (const auto* const box = std::get_if<DrawnBox>(&shape);
                box != nullptr && !box->about.empty()) {
                found.push_back(*box);
            }
        }
        return found;
    };
    CHECK_FALSE(bars_are_shares(network));
    const std::vector<DrawnBox> all = boxes(numbers(5));
    REQUIRE(all.size() == 5 + 4 + 5); // one is not simulated
    CHECK(all[0].width / all[1].width == Approx(1000.4 / 20'000));
    // kernel 1: predicted, simulated, measured
    CHECK(all[2].width / all[4].width == Approx(2000.4 / 20'001));
    CHECK(all[3].width / all[4].width == Approx(2900.0 / 20'001));
    CHECK_THAT(all[2].about,
               Contains("a conversion") && Contains("writes the_relu_out.along3: image"));
    CHECK(boxes({3, 1}).size() == 6);

    // A device a hundred times slower: shares of each judge's sum.
    for (double& time : network.measured->kernel_ns) {
        time *= 100;
    }
    CHECK(bars_are_shares(network));
    const std::vector<DrawnBox> shares = boxes(numbers(5));
    CHECK(shares[0].width / shares[1].width == Approx((1000.4 / 15'002) / (20'000.0 / 100'010)));
}

TEST_CASE("Of many kernels those that take most come first, and memory is seen beside a plan that "
          "takes far more")
{
    const JudgedNetwork network = long_example(40);
    const pugi::xml_document page = parse_page(network_report(network));
    CHECK(page.select_nodes("//section[@id='kernels']//table/tbody/tr").size() == 200);
    CHECK_THAT(words_of(page, "//section[@id='time']/h3"),
               Contains("The 40 kernels that take most"));
    CHECK_THAT(words_of(page, "//section[@id='time']//summary"),
               Contains("All 200 kernels in their order"));
    // none that is not simulated
    CHECK(page.select_nodes("//section[@id='time']/figure//rect/title").size() == 40 * 3);
    CHECK(page.select_nodes("//section[@id='time']/details//rect/title").size() == 200 * 3 - 40);
    // Of the measured time: kernel 4, forty times.
    CHECK_THAT(words_of(page, "//section[@id='time']/h3/small"),
               Contains("20 % of the measured time"));
}

TEST_CASE("The report of a plan alone, and of a network without kernels, is a page")
{
    JudgedNetwork network = judged_example();
    network.simulated.clear();
    network.measured.reset();
    const pugi::xml_document page = parse_page(network_report(network));
    CHECK_THAT(words_of(page, "//section[@id='agreement']"), Contains("One judge alone"));
    CHECK_THAT(words_of(page, "//section[@id='caches']"), Contains("were not simulated"));
    CHECK(page.select_nodes("//section[@id='time']/figure//rect/title").size() == 5);
    JudgedNetwork empty;
    empty.graph.name = "empty";
    CHECK_THAT(words_of(parse_page(network_report(empty)), "//header"),
               Contains("0 nodes in 0 kernels"));
}

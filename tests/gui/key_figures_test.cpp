#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "gui/study/results_panel.hpp"
#include "gui/widgets/controls.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("the key figures have every variant's prediction, with its interval where it has one")
{
    const auto study = test::small_study();
    const Prediction& prediction = study->prediction;
    const std::vector<KeyFigures> groups = key_figures(*study);
    const auto group = std::find_if(groups.begin(), groups.end(), [](const KeyFigures& each) {
        return each.title.startsWith("Prediction");
    });
    REQUIRE(group != groups.end());
    const auto find = [&](const QString& name) {
        const auto found =
            std::find_if(group->figures.begin(), group->figures.end(),
                         [&](const KeyFigure& each) { return each.name.trimmed() == name; });
        return found == group->figures.end() ? std::optional<KeyFigure>() : *found;
    };
    REQUIRE(study->over_machines);
    REQUIRE(find(QStringLiteral("over the machines")));
    CHECK(find(QStringLiteral("over the machines"))->number == study->over_machines->median_ns);
    REQUIRE(find(QStringLiteral("80 % within")));
    CHECK(find(QStringLiteral("80 % within"))->value ==
          QStringLiteral("%1 to %2")
              .arg(texelscope::gui::time_text(Nanoseconds{study->over_machines->low_ns}),
                   texelscope::gui::time_text(Nanoseconds{study->over_machines->high_ns})));
    const KernelIntervals intervals(study->calibration);
    for (const auto& [variant, name] :
         {std::pair{ModelVariant::literal, "L"}, std::pair{ModelVariant::refined, "refined"},
          std::pair{ModelVariant::reuse_aware, "reuse-aware"},
          std::pair{ModelVariant::bottleneck, "bottleneck"}}) {
        INFO(name);
        const auto figure = find(QStringLiteral("Kernel, ") + name);
        REQUIRE(figure);
        CHECK(figure->number == prediction.cost(variant).kernel.value);
        const auto shown = find(QStringLiteral("interval of ") + name);
        const auto interval = intervals.of(prediction.kernel, prediction.cost(variant), variant);
        REQUIRE(shown.has_value() == interval.has_value());
        if (interval && interval->bounded()) {
            CHECK(interval->low.value <= *figure->number);
            CHECK(*figure->number <= interval->high.value);
            CHECK(shown->value == QStringLiteral("%1 to %2 (90 %, errors of the fits alone)")
                                      .arg(texelscope::gui::time_text(interval->low),
                                           texelscope::gui::time_text(interval->high)));
        } else if (interval) {
            CHECK(shown->value.startsWith("none ("));
        }
    }
}

TEST_CASE("the key figures say where registers come from")
{
    const auto registers = [](const StudyResult& study) {
        for (const KeyFigures& group : key_figures(study)) {
            for (const KeyFigure& figure : group.figures) {
                if (figure.name == "Registers") {
                    CHECK(group.title == "Launch and occupancy");
                    return figure.value;
                }
            }
        }
        return QStringLiteral("nowhere");
    };
    StudyResult study = *test::small_study();
    CHECK(registers(study) == "estimated");
    const test::FakeCompiler compiler;
    study.request.device = with_registers(study.request.device, "compiled");
    CHECK(registers(study) == "compiled by Mesa for adreno-740");
    study.request.device = with_overrides(study.request.device, {"registers.per_item=40"}, "test");
    CHECK(registers(study) == "set by hand");
}

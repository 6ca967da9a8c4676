#include "gui/study/results_panel.hpp"
#include "gui/widgets/controls.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("the key figures have every variant's prediction, with its interval where it has one")
{
    const auto study = test::small_study();
    const Prediction& prediction = study->prediction;
    const std::vector<KeyFigures> groups = key_figures(*study);
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [](const KeyFigures& each) { return each.title.startsWith("Prediction"); });
    REQUIRE(group != groups.end());
    const auto find = [&](const QString& name) {
        const auto found = std::find_if(group->figures.begin(), group->figures.end(),
                                        [&](const KeyFigure& each) { return each.name.trimmed() == name; });
        return found == group->figures.end() ? std::optional<KeyFigure>() : *found;
    };
    const KernelIntervals intervals(study->calibration);
    for (const auto& [variant, name] :
         {std::pair{ModelVariant::literal, "L"}, std::pair{ModelVariant::refined, "refined"},
          std::pair{ModelVariant::reuse_aware, "reuse-aware"}, std::pair{ModelVariant::bottleneck, "bottleneck"}}) {
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
            CHECK(shown->value ==
                  QStringLiteral("%1 to %2 (90 %)")
                      .arg(texelscope::gui::time_text(interval->low), texelscope::gui::time_text(interval->high)));
        } else if (interval) {
            CHECK(shown->value.startsWith("none ("));
        }
    }
}

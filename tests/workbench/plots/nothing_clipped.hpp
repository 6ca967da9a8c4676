#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <catch2/catch.hpp>

#include <variant>

namespace texelscope::test {
using namespace workbench::plots;

/// Checks that everything of a plot lies on the drawing.
inline void check_nothing_clipped(const PanelPlot& plot)
{
    const Drawing drawing = draw(plot);
    int texts = 0;
    const auto inside = [&](double x, double y) {
        return x >= 0 && y >= 0 && x <= drawing.width && y <= drawing.height;
    };
    for (const auto& shape : drawing.shapes) {
        if (const auto* text = std::get_if<DrawnText>(&shape)) {
            const double width = text_width(text->words, text->size);
            const double before = before_anchor(*text, width);
            CAPTURE(text->words);
            ++texts;
            if (text->upright) {
                CHECK(inside(text->at.x - text->size, text->at.y - (width - before)));
                CHECK(inside(text->at.x + 0.25 * text->size, text->at.y + before));
            } else {
                CHECK(inside(text->at.x - before, text->at.y - text->size));
                CHECK(inside(text->at.x + width - before, text->at.y + 0.25 * text->size));
            }
        } else if (const auto* line = std::get_if<DrawnLine>(&shape)) {
            for (const DrawnPoint& at : line->through) {
                CHECK(inside(at.x, at.y));
            }
        } else if (const auto* mark = std::get_if<DrawnMark>(&shape)) {
            CHECK((inside(mark->centre.x - mark->radius, mark->centre.y - mark->radius) &&
                   inside(mark->centre.x + mark->radius, mark->centre.y + mark->radius)));
        } else if (const auto* box = std::get_if<DrawnBox>(&shape)) {
            CHECK((inside(box->corner.x, box->corner.y) &&
                   inside(box->corner.x + box->width, box->corner.y + box->height)));
            CHECK(box->height >= 0);
        }
    }
    CHECK(texts > 10);
}

} // namespace texelscope::test

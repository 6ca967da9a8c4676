#pragma once

#include "experiments/render/panel_plot.hpp"

#include <catch2/catch.hpp>

#include <variant>

namespace texelscope::test {
using namespace experiments;

/// Rough width of a text, generous.
inline double width_of(const DrawnText& text)
{
    return 0.62 * text.size * static_cast<double>(text.words.size());
}

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
            const double width = width_of(*text);
            const double before = text->anchor == DrawnText::Anchor::start    ? 0
                                  : text->anchor == DrawnText::Anchor::middle ? width / 2
                                                                              : width;
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
            CHECK((inside(line->from.x, line->from.y) && inside(line->to.x, line->to.y)));
        } else if (const auto* disc = std::get_if<DrawnDisc>(&shape)) {
            CHECK((inside(disc->centre.x - disc->radius, disc->centre.y - disc->radius) &&
                   inside(disc->centre.x + disc->radius, disc->centre.y + disc->radius)));
        } else if (const auto* box = std::get_if<DrawnBox>(&shape)) {
            CHECK((inside(box->corner.x, box->corner.y) &&
                   inside(box->corner.x + box->width, box->corner.y + box->height)));
            CHECK(box->height >= 0);
        }
    }
    CHECK(texts > 10);
}

} // namespace texelscope::test

#include "codegen/nest/loop_nest.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/tensor_stack.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <numeric>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

LoopNest nest_of(const std::string& name, const std::string& shape)
{
    const Operator op = parse_operator(name, shape);
    return loop_nest(op, op.default_schedule);
}

/// The index of an element by its number in row-major order.
ElementIndex index_of(const Tensor& tensor, std::int64_t number)
{
    ElementIndex index(tensor.shape.size());
    for (std::size_t d = tensor.shape.size(); d-- > 0;) {
        index[d] = number % tensor.shape[d];
        number /= tensor.shape[d];
    }
    return index;
}

} // namespace

TEST_CASE(
    "a tensor's plane has each element once, with the value of the texel that packing puts it into")
{
    for (const std::string& name : operator_names()) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            test::Random random(seed);
            const Operator op = test::random_operator(random, name);
            const Schedule schedule = test::random_schedule(random, op);
            CAPTURE(to_string(op), to_string(schedule));
            for (const Operand& operand : loop_nest(op, schedule).inputs) {
                const TensorStack stack(operand);
                REQUIRE(stack.extent().area() == operand.tensor.size());
                CHECK(stack.extent().height % stack.rows() == 0);
                std::set<Texel> cells;
                for (std::int64_t i = 0; i < operand.tensor.size(); ++i) {
                    const ElementIndex index = index_of(operand.tensor, i);
                    const Texel cell = stack.cell(index);
                    REQUIRE(stack.extent().contains(cell));
                    REQUIRE(stack.element(cell) == index);
                    cells.insert(cell);
                }
                CHECK(static_cast<std::int64_t>(cells.size()) == operand.tensor.size());

                // Each texel has a value of its own; packed unique numbers say which elements it
                // holds.
                HeatMap texels{operand.image.extent, {}};
                texels.counts.resize(static_cast<std::size_t>(texels.extent.area()));
                std::iota(texels.counts.begin(), texels.counts.end(), 1000);
                const HeatMap values = stack.values(texels);
                std::vector<float> numbers(static_cast<std::size_t>(operand.tensor.size()));
                std::iota(numbers.begin(), numbers.end(), 1.0F);
                const std::vector<float> packed = pack(operand, numbers);
                std::int64_t wrong = 0;
                for (std::size_t i = 0; i < packed.size(); ++i) {
                    if (packed[i] > 0) {
                        const Texel cell = stack.cell(
                            index_of(operand.tensor, static_cast<std::int64_t>(packed[i]) - 1));
                        wrong += values.at(cell) != texels.counts[i / 4];
                        wrong += texels.at(stack.texel_of(cell)) != texels.counts[i / 4];
                    }
                }
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("which dimensions of a tensor go down and across, and which number tiles")
{
    const LoopNest conv = nest_of("conv2d", "2,6,5,8,16,3,3,1");
    const TensorStack x(conv.inputs[0]);
    CHECK(x.axes_text() == "down: y, across: x; a tile for each batch and channel");
    CHECK(x.extent() == Extent2D{5, 6 * 2 * 8});
    CHECK(x.tile_text(9) == "batch 1, channel 1");
    CHECK(x.element_text({4, 6 * 9 + 2}) == "batch 1, y 2, x 4, channel 1");
    const TensorStack w(conv.inputs[1]);
    CHECK(w.axes_text() ==
          "down: input channel, across: output channel; a tile for each tap y and tap x");
    CHECK(w.rows() == 8);
    CHECK(w.tile_text(5) == "tap y 1, tap x 2");
    const TensorStack a(nest_of("matmul", "12,8,16").inputs[0]);
    CHECK(a.axes_text() == "down: row, across: column");
    CHECK(a.tile_text(0).isEmpty());
    CHECK(a.place_text(true, 7) == "row 7");
    CHECK(a.element_text({9, 5}) == "row 5, column 9");
    const TensorStack gamma(nest_of("layernorm", "4,1234").inputs[1]);
    CHECK(gamma.extent() == Extent2D{1234, 1});
    CHECK(gamma.place_text(false, 1200) == "column 1,200");
}

TEST_CASE("the heat map of a tensor in its own coordinates")
{
    HeatMapPanel panel;
    panel.resize(800, 600);
    panel.show();
    const auto study = test::small_study(); // A 16x16 in rows
    panel.show_study(study);
    auto& coordinates = test::find<QComboBox>(panel, "coordinates");
    test::find<QComboBox>(panel, "image").setCurrentIndex(0);
    test::find<QComboBox>(panel, "quantity")
        .setCurrentIndex(static_cast<int>(HeatChoice::compulsory));
    HeatMapView& view = panel.view();
    const HeatMap& map = study->images[0].map(HeatQuantity::compulsory);
    const std::string of_texels = panel.picture();
    REQUIRE(coordinates.isEnabled());
    coordinates.setCurrentIndex(1);
    CHECK(view.picture()->values().extent == Extent2D{16, 16});
    CHECK(panel.picture() != of_texels);
    CHECK_FALSE(test::find<QCheckBox>(panel, "block_grid").isEnabled()); // blocks are of texels
    for (std::int32_t row = 0; row < 16; ++row) {
        for (std::int32_t column = 0; column < 16; ++column) {
            const Texel texel{column / 4, row};
            CHECK(view.value_text({column, row}) ==
                  QStringLiteral("compulsory %1").arg(map.at(texel)));
            const auto readout =
                view.readout_at(view.viewport().to_widget({column + 0.5, row + 0.5}));
            REQUIRE(readout);
            CHECK(readout->texel == texel);
        }
    }
    QSignalSpy hovered(&view, &HeatMapView::hovered);
    // a mouse that is there already does not move
    QTest::mouseMove(&view, view.rect().topLeft() + QPoint(2, 2));
    QTest::mouseMove(&view, view.viewport().to_widget({9.5, 5.5}).toPoint());
    REQUIRE(hovered.count() > 0);
    CHECK(hovered.last().at(0).toString().startsWith(
        "row 5, column 9   A (2, 5)   row 5, column 8..11   "));
    view.go_to({3, 7});
    CHECK(view.cell_at(QRectF(view.rect()).center()) == Texel{12, 7});
    CHECK_FALSE(view.grab().isNull());

    SECTION("an image of a trace holds no tensor that is known")
    {
        auto trace = std::make_shared<LaunchResult>(*study);
        for (StudyImage& image : trace->images) {
            image.operand.reset();
        }
        panel.show_study(trace);
        CHECK_FALSE(coordinates.isEnabled());
        CHECK(view.picture()->values().extent == map.extent);
        panel.show_study(study);
        CHECK(view.picture()->values().extent == Extent2D{16, 16}); // as was chosen
    }
}

TEST_CASE("what another packing changes is compared element by element")
{
    // Of 8 by 32 elements both packings make 8 by 8 texels: row, column / 4 and column, row / 4.
    const auto study_with = [](const char* pattern) {
        StudyForm form = test::small_form();
        form.shape = "8,16,32";
        form.config = QStringLiteral("A=%1,column;T=4x4;W=4x2;G=4x2x1").arg(pattern).toStdString();
        form.rank = false;
        return std::make_shared<const StudyResult>(run_study(to_request(form)));
    };
    const auto rows = study_with("row");
    const auto columns = study_with("column");
    const HeatMap& of_rows = rows->images[0].map(HeatQuantity::compulsory);
    const HeatMap& of_columns = columns->images[0].map(HeatQuantity::compulsory);
    REQUIRE(of_rows.extent == Extent2D{8, 8});
    REQUIRE(of_columns.extent == Extent2D{8, 8});
    const HeatPicture difference = heat_picture(
        {rows, columns, 0, HeatChoice::compulsory, HeatResolution::Kind::texel, {}, true});
    REQUIRE(difference.kind == HeatLayer::Kind::difference);
    for (std::int32_t row = 0; row < 8; ++row) {
        for (std::int32_t column = 0; column < 32; ++column) {
            CHECK(difference.values().at({column, row}) ==
                  of_rows.at({column / 4, row}) - of_columns.at({row, column / 4}));
        }
    }
}

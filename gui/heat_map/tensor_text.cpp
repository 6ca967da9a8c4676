#include "gui/heat_map/tensor_text.hpp"

#include "codegen/nest/texel_elements.hpp"
#include "gui/widgets/controls.hpp"

#include <QStringList>
#include <algorithm>

namespace texelscope::gui {

QString dimension_text(const Tensor& tensor, std::size_t dimension)
{
    return dimension < tensor.dims.size() ? QString::fromStdString(tensor.dims[dimension])
                                          : tr("dimension %1").arg(dimension);
}

// The elements that a texel holds, as ranges along each dimension: "channel 4..7, x 2".
QString elements_text(const Operand& operand, Texel texel)
{
    std::vector<ElementIndex> elements;
    for (const auto& index : elements_of(operand, texel)) {
        if (index) {
            elements.push_back(*index);
        }
    }
    if (elements.empty()) {
        return tr("padding");
    }
    QStringList parts;
    for (std::size_t d = 0; d < operand.tensor.shape.size(); ++d) {
        // A texel packs one dimension, so along each the elements are one or follow each other.
        const auto [least, most] =
            std::minmax_element(elements.begin(), elements.end(),
                                [d](const auto& a, const auto& b) { return a[d] < b[d]; });
        const QString first = count_text((*least)[d]);
        const QString last = count_text((*most)[d]);
        parts << dimension_text(operand.tensor, d) + QLatin1Char(' ') +
                     (first == last ? first : first + QStringLiteral("..") + last);
    }
    const auto padding = 4 - static_cast<int>(elements.size());
    return parts.join(QStringLiteral(", ")) +
           (padding == 0 ? QString() : tr(" (%1 of 4 padding)").arg(padding));
}

} // namespace texelscope::gui

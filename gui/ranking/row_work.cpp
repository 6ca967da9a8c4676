#include "gui/ranking/row_work.hpp"

#include "gui/widgets/controls.hpp"

namespace texelscope::gui {

QString RowCount::text(const QString& in_words) const
{
    return error.empty() ? stopped ? tr("Cancelled: %1.").arg(in_words) : in_words + u'.'
                         : tr("%1; not all: %2").arg(in_words, QString::fromStdString(error));
}

} // namespace texelscope::gui

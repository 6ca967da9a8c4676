#include "gui/ranking/row_work.hpp"

#include "gui/widgets/controls.hpp"

namespace texelscope::gui {

QString RowCount::text(const QString& done) const
{
    return error.empty() ? stopped ? tr("Cancelled: %1.").arg(done) : done + u'.'
                         : tr("%1; not all: %2").arg(done, QString::fromStdString(error));
}

} // namespace texelscope::gui

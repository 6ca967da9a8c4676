#include "gui/device/device_panel.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "gui/device/profile_model.hpp"
#include "gui/study/session.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/table.hpp"
#include "workbench/study/study.hpp"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStringList>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// The colours of the origins that a table can have, as a line of text.
QString legend_text()
{
    QStringList entries;
    for (const ProfileModel::Origin& origin : ProfileModel::origins()) {
        entries << QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2")
                       .arg(origin.colour.name(), QString(origin.word).replace(u' ', "&nbsp;"));
    }
    return entries.join("  ");
}

QString row_text(const QAbstractItemModel& model, int row)
{
    QStringList fields;
    for (int column = 0; column < model.columnCount(); ++column) {
        fields << model.index(row, column).data().toString();
    }
    return fields.join(u'\t');
}

} // namespace

DevicePanel::DevicePanel(Session& session)
    : model_(new ProfileModel(this)), filter_(new QSortFilterProxyModel(this)), name_(new QLabel),
      text_(search_line("device_filter", tr("Filter of the device's values"),
                        tr("Filter, e.g. l1 or assumed"))),
      table_(named(new QTableView, "device_table", tr("Values of the device's profile")))
{
    name_->setObjectName("device_name");
    name_->setText(tr("Device"));
    name_->setWordWrap(true);
    filter_->setSourceModel(model_);
    filter_->setFilterKeyColumn(-1);
    filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    connect(text_, &QLineEdit::textChanged, filter_, &QSortFilterProxyModel::setFilterFixedString);
    build_table();

    auto* save = tool_button(tr("Export…"), tr("Write all values as CSV"));
    save->setAutoRaise(true);
    connect(save, &QToolButton::clicked, this, &DevicePanel::ask_and_export);
    auto* legend =
        named(new QLabel(legend_text()), "device_legend", tr("Where values are known from"));
    legend->setTextFormat(Qt::RichText);
    legend->setWordWrap(true);

    auto* row = new QHBoxLayout;
    row->addWidget(name_, 1);
    row->addWidget(save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->addLayout(row);
    layout->addWidget(text_);
    layout->addWidget(table_, 1);
    layout->addWidget(legend);
    connect(&session, &Session::study_shown, this,
            [this, &session] { show_device(session.study()->request.device); });
    connect(&session, &Session::trace_shown, this,
            [this, &session] { show_device(session.trace()->request.device); });
}

void DevicePanel::build_table()
{
    table_->setModel(filter_);
    set_up_rows(*table_);
    table_->setShowGrid(false);
    table_->setIconSize({10, 10}); // colours of the origins
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setMinimumSectionSize(fontMetrics().height());
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    hint_while_empty(*table_, [this] {
        return model_->rows().empty()
                   ? tr("No device yet.\nRun a study (F5) to see every value of its device.")
                   : tr("No value has this text.\nClear the filter to see them all.");
    });
    auto* copy = new QAction(tr("Copy"), table_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &DevicePanel::copy);
    table_->addAction(copy);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void DevicePanel::show_device(const DeviceProfile& device)
{
    name_->setText(QString::fromStdString(device.name));
    name_->setToolTip(QString::fromStdString(device.description));
    model_->set_device(device);
    table_->setColumnHidden(ProfileModel::machines_column, device.machines.empty());
    table_->resizeColumnsToContents();
    constexpr int widest_value = 76; // in pixels; layouts are longer, and tool tips have them
    table_->setColumnWidth(ProfileModel::value_column,
                           std::min(widest_value, table_->columnWidth(ProfileModel::value_column)));
}

void DevicePanel::export_to(const std::string& path) const
{
    if (model_->rows().empty()) {
        throw bad_input("there is no device to export", path, "run a study first");
    }
    write_file_atomically(path, profile_csv(model_->rows()));
}

void DevicePanel::copy() const
{
    QStringList lines;
    const QItemSelectionModel& selection = *table_->selectionModel();
    for (int row = 0; row < filter_->rowCount(); ++row) {
        if (!selection.hasSelection() || selection.isRowSelected(row)) {
            lines << row_text(*filter_, row);
        }
    }
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

void DevicePanel::ask_and_export()
{
    ask_and_write(this, tr("Export device"), "device.csv", tr("CSV tables (*.csv)"),
                  [this](const std::string& path) { export_to(path); });
}

} // namespace texelscope::gui

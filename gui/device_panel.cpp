#include "gui/device_panel.hpp"

#include "gui/profile_model.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QStringList>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope {
namespace {

/// The colours of the origins that a table can have, as a line of text.
QString legend_text()
{
    QStringList entries;
    for (const ProfileModel::Origin& origin : ProfileModel::origins()) {
        entries << QStringLiteral("<span style='white-space:nowrap' title='%3'><span style='color:%1'>■</span>&nbsp;%2</span>")
                       .arg(origin.colour.name(), QString(origin.word).replace(u' ', "&nbsp;"),
                            origin.about.toHtmlEscaped());
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

DevicePanel::DevicePanel(QWidget* parent)
    : QWidget(parent), model_(new ProfileModel(this)), filter_(new QSortFilterProxyModel(this)), name_(new QLabel),
      text_(new QLineEdit), table_(new QTableView)
{
    name_->setObjectName("device_name");
    name_->setText(tr("Run a study to see its device."));
    name_->setWordWrap(true);
    text_->setObjectName("device_filter");
    text_->setAccessibleName(tr("Filter of the device's values"));
    text_->setPlaceholderText(tr("Filter, e.g. l1 or assumed"));
    text_->setClearButtonEnabled(true);
    filter_->setSourceModel(model_);
    filter_->setFilterKeyColumn(-1);
    filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    connect(text_, &QLineEdit::textChanged, filter_, &QSortFilterProxyModel::setFilterFixedString);
    build_table();

    auto* save = new QToolButton;
    save->setText(tr("Export…"));
    save->setAutoRaise(true);
    save->setToolTip(tr("Write all values as CSV"));
    save->setAccessibleName(tr("Export the device's values"));
    connect(save, &QToolButton::clicked, this, &DevicePanel::ask_and_export);
    auto* legend = new QLabel(legend_text());
    legend->setObjectName("device_legend");
    legend->setAccessibleName(tr("Where values are known from"));
    legend->setWordWrap(true);

    auto* row = new QHBoxLayout;
    row->addWidget(text_, 1);
    row->addWidget(save);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(name_);
    layout->addLayout(row);
    layout->addWidget(table_, 1);
    layout->addWidget(legend);
}

void DevicePanel::build_table()
{
    table_->setObjectName("device_table");
    table_->setAccessibleName(tr("Values of the device's profile"));
    table_->setModel(filter_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setAlternatingRowColors(true);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->setShowGrid(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
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
    table_->resizeColumnsToContents();
    constexpr int widest = 130; // of a column in front of the sources; tool tips have what is cut
    for (int column = 0; column < ProfileModel::source_column; ++column) {
        table_->setColumnWidth(column, std::min(widest, table_->columnWidth(column)));
    }
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
    const QString path = QFileDialog::getSaveFileName(this, tr("Export device"), "device.csv", tr("CSV tables (*.csv)"));
    if (path.isEmpty()) {
        return;
    }
    try {
        export_to(path.toStdString());
    } catch (const std::exception& error) {
        QMessageBox::warning(this, tr("Export device"), error.what());
    }
}

} // namespace texelscope

#include "gui/store/store_panel.hpp"

#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/table.hpp"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

namespace texelscope::gui {

StorePanel::StorePanel(Session& session)
    : session_(session), model_(new StoreModel(this)),
      filter_(search_line("store_filter", tr("Filter of the store"),
                          tr("Filter: words that must all occur, e.g. matmul adreno ok"))),
      reload_(
          push_button(tr("Reload"), "store_reload", tr("Reload the store"),
                      tr("Read the store again (Ctrl+L): another program may have written to it"))),
      note_(text_label("store_note", tr("State of the store"))),
      table_(named_with_tip(new QTableView, "store_table", tr("Stored results"),
                            tr("Double click or Enter runs the study of a row"))),
      job_({[this](const QString&, double fraction) {
                set_note_text(*note_, tr("Reading… %1 %").arg(std::floor(100 * fraction)));
            },
            [this](const std::shared_ptr<StoreTable>& table) {
                const bool first = model_->size() == 0;
                model_->set_table(table);
                if (first) {
                    table_->resizeColumnsToContents(); // by the rows in sight alone
                }
                show_count();
                emit ended();
            },
            [this](const QString& line) {
                set_note_text(*note_, line, true);
                emit ended();
            },
            [this] {
                set_note_text(*note_, tr("Cancelled. Reload reads the store."));
                emit ended();
            }})
{
    setObjectName("store_panel");
    reload_->setShortcut(QKeySequence(tr("Ctrl+L")));
    table_->setModel(model_);
    add_table_export(*table_, QStringLiteral("stored-results.csv"));
    table_->setSortingEnabled(true);
    table_->sortByColumn(0, Qt::AscendingOrder);
    set_up_rows(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setResizeContentsPrecision(100);

    auto* row = new QHBoxLayout;
    row->addWidget(filter_, 1);
    row->addWidget(reload_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(row);
    layout->addWidget(note_);
    layout->addWidget(table_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        model_->set_filter(words);
        show_count();
    });
    connect(reload_, &QPushButton::clicked, this, &StorePanel::reload);
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { run_study_of(model_->row(index.row())); });
    connect(&session_, &Session::store_opened, this, &StorePanel::open);
    show_count();
}

void StorePanel::run_study_of(const StoreRow& row)
{
    const StoredStudy stored = study_of(row, session_.written_form());
    emit session_.form_chosen(
        stored.form, stored.has_device ? QString()
                                       : tr("There is no profile “%1”: the study is of %2")
                                             .arg(QString::fromStdString(row.device),
                                                  QString::fromStdString(stored.form.device)));
}

void StorePanel::open(const QString& path)
{
    if (path != path_) {
        model_->set_table(nullptr);
        filter_->clear();
    }
    path_ = path;
    emit session_.asked_for(this);
    reload();
}

void StorePanel::reload()
{
    job_.start([path = path_.toStdString()](const Progress& progress, const StopToken& stop) {
        return read_store(path, progress, stop);
    });
    set_note_text(*note_, tr("Reading…"));
    reload_->setEnabled(true);
    session_.jobs().started(*this);
}

void StorePanel::show_count()
{
    reload_->setEnabled(!path_.isEmpty());
    if (path_.isEmpty()) {
        set_note_text(*note_, tr("No store yet. File > Open, or a file dropped here, shows the "
                                 "results that tune --store and sweep "
                                 "have kept."));
        return;
    }
    set_note_text(*note_, tr("%1: %2 of %3 results. Double click or Enter runs the study of a row.")
                              .arg(QFileInfo(path_).fileName(), count_text(model_->rowCount()),
                                   count_text(static_cast<std::int64_t>(model_->size()))));
}

} // namespace texelscope::gui

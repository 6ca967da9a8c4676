#include "gui/ranking/ranking_filter.hpp"

#include "gui/widgets/controls.hpp"
#include "workbench/space/tunable_parameters.hpp"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStringListModel>
#include <algorithm>

namespace texelscope::gui {
namespace {

QStringList words_to_complete(const Operator& op)
{
    QStringList words;
    for (const std::string& name : parameter_names(op)) {
        words << QString::fromStdString(name);
        for (const std::string& word : parameter_words(name)) {
            words << QStringLiteral("'%1'").arg(QString::fromStdString(word));
        }
    }
    words.removeDuplicates();
    words.sort();
    return words;
}

} // namespace

// An editor of conditions that completes names of parameters and their words. QLineEdit's own
// completer replaces the whole text, so this one is attached by hand.
ConditionEdit::ConditionEdit(QWidget* parent)
    : QLineEdit(parent), names_(new QStringListModel(this)),
      completer_(new QCompleter(names_, this))
{
    completer_->setWidget(this);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this,
            &ConditionEdit::insert);
    connect(this, &QLineEdit::textEdited, this, [this] { complete(); });
}

void ConditionEdit::set_names(const QStringList& names)
{
    names_->setStringList(names);
}

// The start of the name that the cursor is in, with the quote in front of a word.
int ConditionEdit::begin_of_name() const
{
    int begin = cursorPosition();
    const QString all = text();
    while (begin > 0 && (all[begin - 1].isLetterOrNumber() || all[begin - 1] == u'_')) {
        --begin;
    }
    return begin > 0 && (all[begin - 1] == u'\'') ? begin - 1 : begin;
}

void ConditionEdit::complete()
{
    constexpr int enough = 2; // letters: fewer would offer something all the time
    const QString begun = text().mid(begin_of_name(), cursorPosition() - begin_of_name());
    completer_->setCompletionPrefix(begun);
    const bool whole =
        completer_->completionCount() == 1 && completer_->currentCompletion() == begun;
    if (begun.size() < enough || completer_->completionCount() == 0 || whole) {
        completer_->popup()->hide();
        return;
    }
    QRect place = cursorRect();
    place.setWidth(completer_->popup()->sizeHintForColumn(0) + 2 * fontMetrics().height());
    completer_->complete(place);
}

void ConditionEdit::insert(const QString& name)
{
    const int begin = begin_of_name();
    setSelection(begin, cursorPosition() - begin);
    QLineEdit::insert(name);
}

void ConditionEdit::keyPressEvent(QKeyEvent* event)
{
    const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                         event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab;
    if (chooses && completer_->popup()->isVisible()) {
        event->ignore(); // the popup's
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

RankingFilter::RankingFilter()
    : filter_(named_with_tip(
          new ConditionEdit, "ranking_filter", tr("Filter of the ranking"),
          tr("Words that must all occur, or a condition as tune --where takes it: a text that "
             "compares "
             "(==, !=, <, >) or names a parameter.\ncompiled_registers, compiled_warps and "
             "compiled_spills are those of “Compile selected”: a condition that names one of them "
             "leaves "
             "out every row that was not compiled."))),
      count_(new QLabel),
      error_(named(new QLabel, "ranking_filter_error", tr("What is wrong with the filter")))
{
    filter_->setPlaceholderText(
        tr("Filter: tile_x * tile_y <= 16 and pattern_1 != 'row', or words, e.g. block4 8x8"));
    filter_->setClearButtonEnabled(true);
    count_->setObjectName("ranking_count");
    // The message has one line; the tool tip has all of it.
    error_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    error_->hide();
    auto* row = new QHBoxLayout;
    row->addWidget(filter_, 1);
    row->addWidget(count_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(error_);
    connect(filter_, &QLineEdit::textChanged, this, &RankingFilter::changed);
}

QWidget* RankingFilter::line() const
{
    return filter_;
}

void RankingFilter::set_operator(const Operator& op)
{
    filter_->set_names(words_to_complete(op));
}

RowFilter RankingFilter::read(const Operator& op)
{
    refused_ = false;
    return row_filter(filter_->text().toStdString(), op);
}

void RankingFilter::refuse(const QString& line)
{
    refused_ = true;
    const qsizetype column = line.indexOf(QStringLiteral("\", column "));
    // The condition itself need not be repeated, since it stands above.
    const QString place = column < 0 ? line : tr("Column ") + line.mid(column + 10);
    set_note_text(*error_, place, true);
    error_->setToolTip(line);
    error_->show();
}

void RankingFilter::show_applied()
{
    error_->setVisible(refused_);
}

void RankingFilter::show_count(const RankingRows& rows, std::size_t shown, std::size_t selected)
{
    const auto text = [](std::size_t count) {
        return count_text(static_cast<std::int64_t>(count));
    };
    QString line = tr("%1 of %2").arg(text(shown), text(rows.size()));
    if (selected > 0) {
        line += tr(", %1 selected").arg(text(selected));
    }
    count_->setText(rows.ranked ? line : QString());
}

PruningChoice::PruningChoice()
    : hide_(named_with_tip(new QCheckBox(tr("Hide pr&uned")), "ranking_hide_pruned",
                           tr("Hide pruned configurations"),
                           tr("Leave out what one of the chosen criteria of Romou excludes"))),
      criteria_(new QMenu(this))
{
    auto* button = push_button(tr("Criteria"), "ranking_criteria", tr("Criteria that prune"));
    criteria_->setToolTipsVisible(true);
    button->setMenu(criteria_);
    for (const PruningCriterion criterion : all_pruning_criteria) {
        QAction* entry = criteria_->addAction(QString::fromStdString(to_string(criterion)));
        entry->setCheckable(true);
        entry->setChecked(true);
        connect(entry, &QAction::toggled, this, &PruningChoice::changed);
    }
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(hide_);
    layout->addWidget(button);
    connect(hide_, &QCheckBox::toggled, this, &PruningChoice::changed);
}

CriteriaSet PruningChoice::hidden() const
{
    const auto actions = criteria_->actions();
    unsigned hidden = 0;
    for (std::size_t c = 0; hide_->isChecked() && c < all_pruning_criteria.size(); ++c) {
        hidden |= (actions[static_cast<qsizetype>(c)]->isChecked() ? 1U : 0U) << c;
    }
    return static_cast<CriteriaSet>(hidden);
}

void PruningChoice::show_criteria(const SpacePruning& pruning)
{
    const auto actions = criteria_->actions();
    for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
        QAction* entry = actions[static_cast<qsizetype>(c)];
        const std::string name = to_string(all_pruning_criteria[c]) + ": ";
        // A criterion for which the profile lacks a limit cannot be chosen; its tool tip says which
        // limit.
        const auto& off = pruning.off();
        const auto found = std::find_if(off.begin(), off.end(), [&](const std::string& line) {
            return line.starts_with(name);
        });
        entry->setEnabled(found == off.end());
        entry->setToolTip(found == off.end() ? entry->text() : QString::fromStdString(*found));
    }
}

} // namespace texelscope::gui

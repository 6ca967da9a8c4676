#include "gui/ranking/ranking_filter.hpp"

#include "experiments/space/tunable_parameters.hpp"
#include "gui/ranking/condition_edit.hpp"
#include "gui/widgets/named_widget.hpp"
#include "gui/widgets/note_text.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
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

RankingFilter::RankingFilter()
    : filter_(
          named_with_tip(new ConditionEdit, "ranking_filter", tr("Filter of the ranking"),
                         tr("Words that must all occur, or a condition as tune --where takes it: a text that compares "
                            "(==, !=, <, >) or names a parameter"))),
      count_(new QLabel), error_(named(new QLabel, "ranking_filter_error", tr("What is wrong with the filter")))
{
    filter_->setPlaceholderText(tr("Filter: tile_x * tile_y <= 16 and pattern_1 != 'row', or words, e.g. block4 8x8"));
    filter_->setClearButtonEnabled(true);
    count_->setObjectName("ranking_count");
    error_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // one line, the tool tip has all of it
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
    const QString place = column < 0 ? line : tr("Column ") + line.mid(column + 10); // the text stands above
    set_note_text(*error_, place, true);
    error_->setToolTip(line);
    error_->show();
}

void RankingFilter::show_applied()
{
    error_->setVisible(refused_);
}

void RankingFilter::show_count(const QString& count)
{
    count_->setText(count);
}

PruningChoice::PruningChoice()
    : hide_(named_with_tip(new QCheckBox(tr("Hide pr&uned")), "ranking_hide_pruned", tr("Hide pruned configurations"),
                           tr("Leave out what one of the chosen criteria of Romou excludes"))),
      criteria_(new QMenu(this))
{
    auto* button = named_with_tip(new QPushButton(tr("by")), "ranking_criteria", tr("Criteria that prune"));
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
        const auto& off = pruning.off();
        const auto found =
            std::find_if(off.begin(), off.end(), [&](const std::string& line) { return line.starts_with(name); });
        entry->setEnabled(found == off.end());
        entry->setToolTip(found == off.end() ? entry->text() : QString::fromStdString(*found));
    }
}

} // namespace texelscope::gui

// The row of controls above the table: model variant, searched parts, pruning, buttons, and below
// them progress and note. It holds no state of the ranking: show_state() says what is possible, and
// signals what was asked for.

#include "gui/ranking/ranking_tools.hpp"

#include "gui/ranking/parts_choice.hpp"
#include "gui/ranking/ranking_filter.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace texelscope::gui {

RankingTools::RankingTools(PartsChoice* parts, PruningChoice* pruning, QMenu* more)
    : parts_(parts), pruning_(pruning),
      variant_(
          named_with_tip(new QComboBox, "ranking_variant", tr("Variant of the model that ranks"))),
      simulate_(push_button(
          tr("Simulate selec&ted"), "ranking_simulate", tr("Simulate the selected configurations"),
          tr("Time the selected configurations on the simulated device, in the background"))),
      compile_(push_button(
          tr("Compile selected"), "ranking_compile", tr("Compile the selected configurations"),
          tr("Registers, warps and spills of the selected configurations, by the real compiler of "
             "the device's GPU, in the background"))),
      more_(push_button(tr("More"), "ranking_more", tr("Copy, export, stored times, columns"))),
      progress_(progress_bar("ranking_progress", tr("Progress"))),
      cancel_(push_button(tr("Cancel"), "ranking_cancel", tr("Cancel what is under way (Esc)"))),
      note_(text_label("ranking_note", tr("State of the ranking")))
{
    for (const ModelVariant variant : all_model_variants) {
        variant_->addItem(QString::fromStdString(to_string(variant)));
    }
    auto* plot =
        push_button(tr("&Plot"), "ranking_show_plot", tr("Plot two columns beside the table"));
    plot->setCheckable(true);
    more_->setMenu(more);
    progress_->setTextVisible(false);
    progress_->setMaximumWidth(8 * fontMetrics().height());

    auto* row = new FlowLayout;
    row->add_labelled(tr("&Model"), variant_);
    for (QWidget* control :
         std::initializer_list<QWidget*>{parts_, pruning_, simulate_, compile_, plot, more_}) {
        row->addWidget(control);
    }
    auto* below = new QHBoxLayout;
    below->addWidget(progress_);
    below->addWidget(cancel_);
    note_->setWordWrap(true);
    below->addWidget(note_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addLayout(below);
    setFocusProxy(variant_);

    connect(variant_, &QComboBox::activated, this, &RankingTools::variant_chosen);
    connect(simulate_, &QPushButton::clicked, this, &RankingTools::simulation_asked);
    connect(compile_, &QPushButton::clicked, this, &RankingTools::compilation_asked);
    connect(plot, &QPushButton::toggled, this, &RankingTools::plot_toggled);
    connect(cancel_, &QPushButton::clicked, this, &RankingTools::cancelled);
}

ModelVariant RankingTools::variant() const
{
    return all_model_variants[static_cast<std::size_t>(variant_->currentIndex())];
}

void RankingTools::set_variant(ModelVariant variant)
{
    variant_->setCurrentText(QString::fromStdString(to_string(variant)));
}

void RankingTools::show_state(const State& state)
{
    variant_->setEnabled(state.study);
    parts_->setEnabled(state.study);
    pruning_->setEnabled(state.rows);
    simulate_->setEnabled(state.rows && state.selected);
    compile_->setEnabled(state.rows && state.selected);
    more_->setEnabled(state.rows);
    progress_->setVisible(state.ranks || state.finds_out);
    cancel_->setVisible(state.ranks || state.finds_out || state.reads);
}

void RankingTools::show_progress(const QString& stage, double fraction)
{
    show_share(*progress_, fraction);
    show_note(stage);
}

void RankingTools::show_note(const QString& line, bool error)
{
    set_note_text(*note_, line, error);
    note_->setToolTip(line); // where it is longer than its place
    note_->setVisible(!line.isEmpty());
}

} // namespace texelscope::gui

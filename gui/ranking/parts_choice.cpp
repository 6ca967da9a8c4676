// A menu of the parts of a configuration that are searched. An empty choice stands for the parts
// that both judges can price; which these are is only known when a ranking was made
// (show_searched()).

#include "gui/ranking/parts_choice.hpp"

#include "codegen/nest/schedule_parts.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/space/space_options.hpp"

#include <QMenu>
#include <QSignalBlocker>

namespace texelscope::gui {

using workbench::space::paper_parts;
using workbench::space::parse_parts;
using workbench::space::parts_text;

PartsChoice::PartsChoice() : letters_(parse_parts("all"))
{
    named_with_tip(
        this, "ranking_parts", tr("Parts of a configuration that are searched"),
        tr("Parts of a configuration that are searched; the others are the operator's defaults"));
    setText(tr("Parts"));
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    connect(menu->addAction(tr("What both judges &price")), &QAction::triggered, this,
            [this] { choose({}); });
    connect(
        menu->addAction(tr("&TMModel's: %1").arg(QString::fromStdString(parts_text(paper_parts)))),
        &QAction::triggered, this, [this] { choose(paper_parts); });
    menu->addSeparator();
    for (std::size_t number = 0; number < letters_.size(); ++number) {
        QAction* entry = entries_.emplace_back(menu->addAction(QString()));
        entry->setCheckable(true);
        connect(entry, &QAction::toggled, this, [this] {
            std::string ticked;
            for (std::size_t i = 0; i < letters_.size(); ++i) {
                ticked += entries_[i]->isChecked() ? std::string(1, letters_[i]) : "";
            }
            // Without any part there is nothing to rank, so the tick stays.
            ticked.empty() ? tick(parts_) : choose(ticked);
        });
    }
    setMenu(menu);
    show_searched({}, {}, {});
}

void PartsChoice::choose(const std::string& parts)
{
    if (parts != parts_) {
        parts_ = parts;
        tick(parts);
        emit chosen();
    }
}

void PartsChoice::show_searched(const std::string& asked, const std::string& searched,
                                const std::string& refused)
{
    parts_ = asked;
    tick(searched);
    setText(searched.empty() ? tr("Parts")
                             : tr("Parts: %1").arg(QString::fromStdString(parts_text(searched))));
    for (std::size_t i = 0; i < letters_.size(); ++i) {
        const QString about = QString::fromStdString(codegen::schedule_part(letters_[i]).about);
        const bool priced = refused.find(letters_[i]) == std::string::npos;
        entries_[i]->setText((priced ? QStringLiteral("%1: %2") : tr("%1: %2 (not all priced)"))
                                 .arg(QChar::fromLatin1(letters_[i]))
                                 .arg(about));
        entries_[i]->setToolTip(
            priced ? about
                   : tr("The bottleneck model or the simulator refuses some of its values in the "
                        "default configuration: what has no price is counted and left out"));
    }
}

void PartsChoice::tick(const std::string& letters)
{
    for (std::size_t i = 0; i < letters_.size(); ++i) {
        const QSignalBlocker quiet(entries_[i]);
        entries_[i]->setChecked(letters.find(letters_[i]) != std::string::npos);
    }
}

} // namespace texelscope::gui

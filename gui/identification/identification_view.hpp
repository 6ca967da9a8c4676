#pragma once

#include "workbench/probes/identified.hpp"

#include <QWidget>
#include <memory>
#include <vector>

class QLabel;
class QTabWidget;

namespace texelscope::gui {

class PlotView;
class ResultTableView;

/// What walks say of a texture cache, and the walks to measure next.
struct IdentifiedCache {
    Identified identified;
    std::vector<TexelWalk> next;
};

/// What was found, in a few lines; the walks as plots; the candidates, what is open, and what to
/// measure next as tables. It shows one identification at a time and starts none.
class IdentificationView : public QWidget {
    Q_OBJECT

public:
    explicit IdentificationView(QWidget* parent = nullptr);

    /// Shows that an identification is under way; with `waits` false, what was found before, or how
    /// to begin.
    void show_waiting(bool waits = true);
    void show_identified(std::shared_ptr<const IdentifiedCache> identified);
    /// Null where none is shown.
    [[nodiscard]] const std::shared_ptr<const IdentifiedCache>& identified() const
    {
        return identified_;
    }
    /// Writes the walks to measure next, as read_walks() takes them. Throws bad_input where there
    /// are none, or the file cannot be written.
    void write_next(const std::string& path) const;

private:
    ResultTableView* add_table(const char* object_name, const QString& tab, const QString& about);
    QWidget* build_next();

    std::shared_ptr<const IdentifiedCache> identified_;
    QLabel* summary_;
    QTabWidget* plots_;
    PlotView* walks_;
    PlotView* fit_;
    QTabWidget* tables_;
    ResultTableView* candidates_;
    ResultTableView* open_;
    ResultTableView* alike_;
    ResultTableView* next_;
};

} // namespace texelscope::gui

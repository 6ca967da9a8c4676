#pragma once

#include "model/tmmodel/model_variant.hpp"

#include <QWidget>

class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;

namespace texelscope::gui {

class PartsChoice;
class PruningChoice;

/// The controls of a ranking: the variant of the model that ranks, the parts that it searches, what
/// can be done with the selected rows, how far what is under way is, and how it ended.
class RankingTools : public QWidget {
    Q_OBJECT

public:
    /// What can be asked for now.
    struct State {
        bool study = false;
        bool rows = false;
        bool selected = false;
        bool ranks = false;
        bool finds_out = false; ///< simulates or compiles rows
        bool reads = false;     ///< a store
    };

    RankingTools(PartsChoice* parts, PruningChoice* pruning, QMenu* more);

    [[nodiscard]] ModelVariant variant() const;
    void set_variant(ModelVariant variant);

    void show_state(const State& state);
    void show_progress(const QString& stage, double fraction);
    void show_note(const QString& line, bool error = false);

signals:
    void variant_chosen();
    void simulation_asked();
    void compilation_asked();
    void plot_toggled(bool shown);
    void cancelled();

private:
    PartsChoice* parts_;
    PruningChoice* pruning_;
    QComboBox* variant_;
    QPushButton* simulate_;
    QPushButton* compile_;
    QPushButton* more_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QLabel* note_;
};

} // namespace texelscope::gui

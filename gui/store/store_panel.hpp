#pragma once

#include "gui/store/store_model.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace texelscope::gui {

class Session;

/// The rows of a store of results, a file that tune and sweep keep: sortable, filtered by words,
/// read in the background and again while others write to it. A double click or Enter runs the
/// study of a row.
class StorePanel : public QWidget {
    Q_OBJECT

public:
    explicit StorePanel(Session& session);

    void open(const QString& path);
    /// The same file once more; filter and order stay.
    void reload();
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] const StoreModel& model() const { return *model_; }

signals:
    /// It was read, or not, which the panel says.
    void ended();

private:
    void show_count();
    void run_study_of(const StoreRow& row);

    Session& session_;
    QString path_;
    StoreModel* model_;
    QLineEdit* filter_;
    QPushButton* reload_;
    QLabel* note_;
    QTableView* table_;
    BackgroundJob<StoreTable> job_;
};

} // namespace texelscope::gui

#pragma once

#include "experiments/study/crosscheck.hpp"

#include <QAbstractTableModel>
#include <array>
#include <optional>
#include <string>

namespace texelscope::gui {

/// Who says how long a configuration takes.
enum class Judge { model, simulator, device };
inline constexpr std::array all_judges{Judge::model, Judge::simulator, Judge::device};
[[nodiscard]] QString judge_text(Judge judge); ///< "model", "simulator", "device"

/// What a judge says; nothing where the device did not run the configuration.
[[nodiscard]] std::optional<double> time_ns(const CrosscheckRow& row, Judge judge);

/// The rows of a cross-check: configuration, predicted, simulated and measured time, what became of the output.
/// Qt::DisplayRole has the texts, sort_role numbers for times; a time that is not there is the longest.
class CrosscheckModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int sort_role = Qt::UserRole;
    enum Column { configuration_column, predicted_column, simulated_column, measured_column, output_column };

    explicit CrosscheckModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void set_result(CrosscheckResult result);
    [[nodiscard]] const CrosscheckResult& result() const { return result_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    CrosscheckResult result_;
};

/// "configuration,predicted_ns,simulated_ns,measured_ns,output" and one row for each configuration, in order.
[[nodiscard]] std::string crosscheck_csv(const CrosscheckResult& result);
/// Two lines: Kendall's tau and the regret of each pair of judges that has one.
[[nodiscard]] QString agreement_text(const CrosscheckResult& result);

} // namespace texelscope::gui

#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/study/crosscheck.hpp"

#include <array>
#include <optional>
#include <string>

namespace texelscope::gui {

[[nodiscard]] QString judge_text(Judge judge); ///< "model", "simulator", "device"

/// The rows of a cross-check: configuration, predicted, simulated and measured time, what became of
/// the output. Qt::DisplayRole has the texts, sort_role numbers for times; a time that is not there
/// is the longest.
class CrosscheckModel : public TableModel {
    Q_OBJECT

public:
    static constexpr int sort_role = Qt::UserRole;
    enum Column {
        configuration_column,
        predicted_column,
        simulated_column,
        measured_column,
        output_column
    };

    explicit CrosscheckModel(QObject* parent = nullptr) : TableModel(parent) {}

    void set_result(CrosscheckResult result);
    [[nodiscard]] const CrosscheckResult& result() const { return result_; }

private:
    [[nodiscard]] std::size_t height() const override { return result_.rows.size(); }
    [[nodiscard]] int width() const override { return output_column + 1; }
    [[nodiscard]] bool has_numbers(int column) const override
    {
        return column >= predicted_column && column <= measured_column;
    }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    CrosscheckResult result_;
};

/// agreement_text(), preceded by a warning where the device is another one than the profile's.
[[nodiscard]] QString summary_text(const CrosscheckResult& result);
/// A tool tip: where the rows come from, and a warning where profile and device are not the same
/// (unlike_note()).
[[nodiscard]] QString summary_tip(const CrosscheckResult& result);
/// In a line: Kendall's tau and the regret of each pair of judges that has one.
[[nodiscard]] QString agreement_text(const CrosscheckResult& result);

} // namespace texelscope::gui

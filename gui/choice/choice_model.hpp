#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/report/judged_configurations.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// What each judge would take, one a row: configuration, the three judges' times, and what the
/// choice costs.
class ChoiceModel : public TableModel {
    Q_OBJECT

public:
    enum Column {
        judge_column,
        configuration_column,
        predicted_column,
        simulated_column,
        measured_column,
        over_best_column
    };

    explicit ChoiceModel(QObject* parent = nullptr) : TableModel(parent) {}

    void show_choices(JudgedConfigurations judged);
    [[nodiscard]] const JudgedConfigurations& judged() const { return judged_; }
    /// Of a row of this table.
    [[nodiscard]] const Schedule& schedule(std::size_t row) const;

private:
    [[nodiscard]] std::size_t height() const override { return judged_.choices.by_judge.size(); }
    [[nodiscard]] int width() const override { return over_best_column + 1; }
    [[nodiscard]] bool has_numbers(int column) const override
    {
        return column >= predicted_column && column <= over_best_column;
    }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;

    JudgedConfigurations judged_;
};

/// The facts of a choice, one a row, beside those of its second and of the configuration in use,
/// with how far these are apart.
class FactsModel : public TableModel {
    Q_OBJECT

public:
    enum Column { fact_column, choice_column, second_column, in_use_column };

    explicit FactsModel(QObject* parent = nullptr) : TableModel(parent) {}

    /// Of that choice; nothing where it is null.
    void show_facts(const JudgeChoices& choices, const JudgeChoice* choice);

private:
    [[nodiscard]] std::size_t height() const override { return choice_.size(); }
    [[nodiscard]] int width() const override { return in_use_column + 1; }
    [[nodiscard]] bool has_numbers(int column) const override { return column != fact_column; }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    /// Where both have another number, its ratio to the choice's, and the number itself in the tool
    /// tip; else as it is.
    [[nodiscard]] QString beside(std::size_t row, const std::vector<KernelFact>& facts,
                                 int role) const;

    std::vector<KernelFact> choice_;
    std::vector<KernelFact> second_; ///< empty: there is none
    std::vector<KernelFact> in_use_; ///< likewise, or it is the choice
};

} // namespace texelscope::gui

#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/report/judged_configurations.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// The judges' choices, one per row: configuration, the three judges' times, and what the choice
/// costs over the best.
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
    /// The configuration of a row of this table.
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

/// The facts of a choice, one per row, beside those of the second choice and of the configuration
/// in use, with the ratios between them.
class FactsModel : public TableModel {
    Q_OBJECT

public:
    enum Column { fact_column, choice_column, second_column, in_use_column };

    explicit FactsModel(QObject* parent = nullptr) : TableModel(parent) {}

    /// Shows the facts of that choice; the table is empty where it is null.
    void show_facts(const JudgeChoices& choices, const JudgeChoice* choice);

private:
    [[nodiscard]] std::size_t height() const override { return choice_.size(); }
    [[nodiscard]] int width() const override { return in_use_column + 1; }
    [[nodiscard]] bool has_numbers(int column) const override { return column != fact_column; }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    /// The text of a fact beside the choice's: if both are numbers that differ, the ratio to the
    /// choice's number, with the number itself in the tool tip; else the fact's own text.
    [[nodiscard]] QString beside(std::size_t row, const std::vector<KernelFact>& facts,
                                 int role) const;

    std::vector<KernelFact> choice_;
    std::vector<KernelFact> second_; ///< empty: there is none
    std::vector<KernelFact> in_use_; ///< likewise, or it is the choice
};

} // namespace texelscope::gui

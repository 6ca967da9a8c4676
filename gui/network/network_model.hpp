#pragma once

#include "gui/network/network_request.hpp"
#include "gui/widgets/table.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::gui {

/// The kernels of a network in order: what each computes, how, from where to where, and its times.
/// Qt::DisplayRole has the texts, sort_role numbers of what is one; a number that is not there is
/// the largest. Conversions are marked by an arrow, and slanted.
class NetworkModel : public TableModel {
    Q_OBJECT

public:
    static constexpr int sort_role = Qt::UserRole;
    enum Column {
        kernel_column,
        computes_column,
        shape_column,
        pass_column,
        layer_column,
        configuration_column,
        reads_column,
        writes_column,
        predicted_column,
        simulated_column,
        measured_column,
        share_column,
        l1_column,
        l2_column,
        kept_column,
        error_column
    };

    explicit NetworkModel(QObject* parent = nullptr) : TableModel(parent) {}

    /// Null: no network.
    void set_result(std::shared_ptr<const NetworkResult> result);
    [[nodiscard]] const std::shared_ptr<const NetworkResult>& result() const { return result_; }
    /// Whether some kernel has something there; columns without are hidden.
    [[nodiscard]] bool has_column(int column) const;

private:
    [[nodiscard]] std::size_t height() const override
    {
        return result_ ? result_->kernels().size() : 0;
    }
    [[nodiscard]] int width() const override { return error_column + 1; }
    [[nodiscard]] bool has_numbers(int column) const override;
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;

    [[nodiscard]] QString text(std::size_t row, int column) const;
    [[nodiscard]] QString tip(std::size_t row, int column) const;

    std::shared_ptr<const NetworkResult> result_;
};

/// The layers of a network that is trained: times of their kernels in each pass by each judge, and
/// what is kept from the forward pass for the backward pass. Roles as of NetworkModel; empty where
/// a network is not trained.
class LayersModel : public TableModel {
    Q_OBJECT

public:
    explicit LayersModel(QObject* parent = nullptr) : TableModel(parent) {}

    void set_result(std::shared_ptr<const NetworkResult> result);

private:
    /// Times that there are.
    struct TimeColumn {
        Judge judge;
        networks::Pass pass;
    };

    [[nodiscard]] std::size_t height() const override
    {
        return result_ ? result_->layers.size() : 0;
    }
    [[nodiscard]] int width() const override;
    [[nodiscard]] bool has_numbers(int column) const override;
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    [[nodiscard]] std::optional<double> number(std::size_t row, int column) const;

    std::shared_ptr<const NetworkResult> result_;
    std::vector<TimeColumn> times_;
};

/// One row for each kernel, in order; times in ns, shares of one.
[[nodiscard]] std::string network_csv(const NetworkResult& network);

/// Of all kernels: how many, their time by each judge, how the judges agree, what the check says,
/// memory. Two lines.
[[nodiscard]] QString summary_text(const NetworkResult& network);

} // namespace texelscope::gui

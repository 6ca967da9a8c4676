#pragma once

#include "experiments/experiment.hpp"

#include <QAbstractItemModel>
#include <QString>
#include <map>
#include <string_view>
#include <vector>

namespace texelscope::gui {

[[nodiscard]] inline QString text_of(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// How many findings of a result hold, and how many do not; those that were not tested are neither.
struct FindingCounts {
    std::size_t hold = 0;
    std::size_t do_not = 0;
    std::size_t not_tested = 0;
};
[[nodiscard]] FindingCounts counted(const std::vector<Finding>& findings);

/// The experiments as a tree of two levels, below the papers that they are after: its name, what it
/// shows, and of those that were run, how many findings hold.
class ExperimentModel : public QAbstractItemModel {
public:
    enum Column { name_column, title_column, findings_column, columns };

    explicit ExperimentModel(QObject* parent = nullptr);

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Null for a paper.
    [[nodiscard]] const Experiment* experiment(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex index_of(const Experiment& experiment) const;
    /// An experiment was run.
    void set_counts(const Experiment& experiment, FindingCounts counts);

private:
    struct Paper {
        QString name;
        std::vector<const Experiment*> experiments;
    };
    std::vector<Paper> papers_;
    std::map<std::string_view, FindingCounts> counts_; ///< by the experiment's name
};

} // namespace texelscope::gui

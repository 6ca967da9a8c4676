#pragma once

#include <QPushButton>
#include <string>
#include <vector>

class QAction;

namespace texelscope::gui {

/// Which parts of a configuration a ranking searches: an entry for each, and two that choose
/// several at once.
class PartsChoice : public QPushButton {
    Q_OBJECT

public:
    PartsChoice();

    /// Keys in the order of a schedule's text; empty: those that both judges price.
    [[nodiscard]] const std::string& parts() const { return parts_; }
    /// As the user does: what is other than before is told of.
    void choose(const std::string& parts);
    /// What was asked for, what is searched, and parts of which a judge refuses some value.
    void show_searched(const std::string& asked, const std::string& searched,
                       const std::string& refused);

signals:
    void chosen();

private:
    void tick(const std::string& letters);

    std::string parts_;
    std::string letters_; ///< of the entries
    std::vector<QAction*> entries_;
};

} // namespace texelscope::gui

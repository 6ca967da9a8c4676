#pragma once

#include "workbench/study/study_form.hpp"

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace texelscope::gui {

/// The form that a file asks for: a study's own, or the given one on another device, for a device
/// profile. Throws bad_input for another file, and for one that is broken.
[[nodiscard]] StudyForm opened(const std::string& path, const StudyForm& present);

/// The configuration with the pattern of one input replaced. Throws bad_input where the text does
/// not parse or has no such input.
[[nodiscard]] std::string with_pattern(const std::string& config, std::size_t input,
                                       AccessPattern pattern);

class Session;

/// Where a study is written down, started and cancelled. What is wrong with it is said in one line,
/// while it is written.
class StudyPanel : public QWidget {
    Q_OBJECT

public:
    explicit StudyPanel(const StudyForm& form, QWidget* parent = nullptr);

    [[nodiscard]] StudyForm form() const;
    void set_form(const StudyForm& form);
    void set_config(const std::string& config);

    /// What the form asks for. Throws bad_input.
    [[nodiscard]] StudyRequest request() const;
    /// The line that is shown about the form or the last run; empty where all is well.
    [[nodiscard]] QString error() const;

    void show_progress(const QString& stage, double fraction);
    /// The run is over; `note` says how it ended.
    void show_idle(const QString& note);
    /// The run is over, and this is why it has no result.
    void show_error(const QString& line);

    /// Asks for a run, or says what is wrong.
    void run();

signals:
    void run_requested(const texelscope::workbench::study::StudyRequest& request);
    void cancel_requested();

private:
    void build_controls();
    void connect_controls();
    /// What is chosen, of the example's shape where it has a name.
    [[nodiscard]] OperatorInfo chosen_info() const;
    [[nodiscard]] Operator chosen_operator() const;
    [[nodiscard]] bool given_is_chosen() const;
    /// Puts a given operator last in the list, in place of the one before, and chooses it.
    void choose_given(std::shared_ptr<const Operator> op);
    void choose_operator();
    void open_profile();
    void choose_pattern(std::size_t input, int pattern);
    void rebuild_patterns();
    void show_patterns();
    void check();
    void set_error(const QString& line);

    std::shared_ptr<const Operator> given_; ///< last in the list; null: none is
    QComboBox* operator_;
    QLineEdit* shape_;
    QLineEdit* padding_;
    QLineEdit* config_;
    QWidget* pattern_row_;
    std::vector<QComboBox*> patterns_; ///< one for each input of the operator
    QComboBox* device_;
    QPlainTextEdit* overrides_;
    QComboBox* registers_;
    QLineEdit* seed_;
    QCheckBox* rank_;
    QPushButton* run_;
    QPushButton* cancel_;
    QProgressBar* progress_;
    QLabel* note_;
    QLabel* error_;
};

/// With a panel for the session's form, which scrolls where it is low.
[[nodiscard]] QWidget* study_dock(Session& session);

} // namespace texelscope::gui

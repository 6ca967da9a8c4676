#pragma once

#include "gui/kernel/line_diff.hpp"

#include <QPlainTextEdit>
#include <string>
#include <vector>

namespace texelscope::gui {

class OpenClHighlighter;

/// A kernel's text, read only, with colours; or the differences between two of them.
class KernelText : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit KernelText(QWidget* parent = nullptr);

    void show_text(const std::string& text);
    /// Removed lines start with "- ", added ones with "+ "; both have a ground of their own.
    void show_diff(const std::vector<DiffLine>& lines);

    [[nodiscard]] QSize sizeHint() const override { return {380, 300}; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void set_text(const QString& text);
    void colour_lines();

    OpenClHighlighter* highlighter_;
    std::vector<DiffLine> diff_; ///< empty where one text is shown
};

} // namespace texelscope::gui

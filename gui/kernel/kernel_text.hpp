#pragma once

#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>
#include <string>
#include <vector>

namespace texelscope::gui {

enum class DiffKind { same, removed, added };

struct DiffLine {
    DiffKind kind = DiffKind::same;
    std::string text; ///< without a line break

    bool operator==(const DiffLine&) const = default;
};

/// How text `a` becomes text `b`, line by line: keeps a longest common subsequence of the lines.
/// Removed lines stand before those that take their place. Time is the product of the numbers of
/// lines that differ in between, memory is linear.
[[nodiscard]] std::vector<DiffLine> line_diff(const std::string& a, const std::string& b);

/// Colours for OpenCL C: keywords and qualifiers, types, built-in functions, numbers, directives,
/// comments.
class OpenClHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    OpenClHighlighter(QTextDocument* document, bool dark);
    void set_dark(bool dark);

protected:
    void highlightBlock(const QString& text) override;

private:
    struct Rule {
        QRegularExpression pattern;
        QTextCharFormat format;
    };
    void build_rules(bool dark);
    void highlight_comments(const QString& text);

    std::vector<Rule> rules_;
    QTextCharFormat comment_;
};

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

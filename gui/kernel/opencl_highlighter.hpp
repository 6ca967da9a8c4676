#pragma once

#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>
#include <vector>

namespace texelscope::gui {

/// Colours for OpenCL C: keywords and qualifiers, types, built-in functions, numbers, directives, comments.
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

} // namespace texelscope::gui

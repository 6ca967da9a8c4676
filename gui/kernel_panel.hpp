#pragma once

#include <QPlainTextEdit>
#include <string>

namespace texelscope {

class OpenClHighlighter;

/// The kernel's text, read only, with colours.
class KernelPanel : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit KernelPanel(QWidget* parent = nullptr);

    void show_text(const std::string& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    OpenClHighlighter* highlighter_;
};

} // namespace texelscope

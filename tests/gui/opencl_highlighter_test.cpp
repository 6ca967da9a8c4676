#include "gui/kernel/kernel_text.hpp"

#include <catch2/catch.hpp>

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

using namespace texelscope::gui;

namespace {

/// The format that a document's text has at its first occurrence of `word`.
QTextCharFormat format_of(const QTextDocument& document, const QString& word)
{
    const int at = static_cast<int>(document.toPlainText().indexOf(word));
    const QTextBlock block = document.findBlock(at);
    for (const auto& range : block.layout()->formats()) {
        const int column = at - block.position();
        if (column >= range.start && column < range.start + range.length) {
            return range.format;
        }
    }
    return {};
}

} // namespace

TEST_CASE("words of OpenCL C, comments and everything else look different")
{
    QTextDocument document;
    OpenClHighlighter highlighter(&document, false);
    document.setPlainText("__kernel void f(float4 a) { plain = 12; } // float8 here\n"
                          "/* one kernelish\n   int2 inside */ half4 after; \"\n/**/ char16 last;");
    highlighter.rehighlight();
    const auto colour = [&](const char* word) {
        return format_of(document, word).foreground().color();
    };
    CHECK(format_of(document, "__kernel").fontWeight() == QFont::Bold);
    CHECK(colour("void") == colour("float4"));
    CHECK(colour("void") != colour("__kernel"));
    CHECK_FALSE(format_of(document, "plain").hasProperty(QTextFormat::ForegroundBrush));
    CHECK(format_of(document, "12").hasProperty(QTextFormat::ForegroundBrush));
    CHECK(format_of(document, "float8").fontItalic());
    CHECK(format_of(document, "int2").fontItalic());
    CHECK_FALSE(format_of(document, "half4").fontItalic());
    CHECK(colour("half4") == colour("void"));
    CHECK_FALSE(format_of(document, "char16").fontItalic());
    const QColor light = colour("void");
    highlighter.set_dark(true);
    CHECK(colour("void") != light);
}

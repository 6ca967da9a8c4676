#include "gui/kernel/kernel_text.hpp"

#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QFontDatabase>
#include <QScrollBar>
#include <QTextBlock>
#include <algorithm>
#include <span>
#include <sstream>
#include <unordered_map>

namespace texelscope::gui {
namespace {

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Lines as numbers, which are equal where the lines are.
using Ids = std::vector<std::size_t>;
using IdSpan = std::span<const std::size_t>;

// `known`: the numbers given so far; both texts share it.
Ids ids_of(const std::vector<std::string>& lines,
           std::unordered_map<std::string, std::size_t>& known)
{
    Ids ids;
    for (const std::string& line : lines) {
        ids.push_back(known.emplace(line, known.size()).first->second);
    }
    return ids;
}

/// Length of the longest common subsequence of `a` and the first j of `b`, for each j. One row of
/// the table is enough, because only lengths are wanted.
std::vector<std::size_t> common_lengths(IdSpan a, IdSpan b)
{
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const std::size_t id : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = id == b[j] ? diagonal + 1 : std::max(above, row[j]);
            diagonal = above;
        }
    }
    return row;
}

/// Appends what becomes of the lines when `a` turns into `b`. Hirschberg, "A linear space algorithm
/// for computing maximal common subsequences" (1975): one half of `a` goes with a part of `b`, the
/// other half with the rest, where the two lengths together are largest.
void append_kinds(IdSpan a, IdSpan b, std::vector<DiffKind>& kinds)
{
    const auto repeat = [&](std::size_t count, DiffKind kind) {
        kinds.insert(kinds.end(), count, kind);
    };
    // Kernels of neighbouring configurations are mostly alike: equal beginnings and ends cost no
    // table.
    const auto prefix = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    repeat(prefix, DiffKind::same);
    a = a.subspan(prefix);
    b = b.subspan(prefix);
    const auto suffix = static_cast<std::size_t>(
        std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
    a = a.first(a.size() - suffix);
    b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) {
        repeat(a.size(), DiffKind::removed);
        repeat(b.size(), DiffKind::added);
    } else if (a.size() == 1) {
        const auto at =
            static_cast<std::size_t>(std::find(b.begin(), b.end(), a.front()) - b.begin());
        const bool found = at < b.size();
        repeat(found ? 0 : 1, DiffKind::removed);
        repeat(at, DiffKind::added);
        repeat(found ? 1 : 0, DiffKind::same);
        repeat(found ? b.size() - at - 1 : 0, DiffKind::added);
    } else {
        const std::size_t half = a.size() / 2;
        const IdSpan tail = a.subspan(half);
        const auto before = common_lengths(a.first(half), b);
        const auto after =
            common_lengths(Ids(tail.rbegin(), tail.rend()), Ids(b.rbegin(), b.rend()));
        std::size_t cut = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            if (before[j] + after[b.size() - j] > before[cut] + after[b.size() - cut]) {
                cut = j;
            }
        }
        append_kinds(a.first(half), b.first(cut), kinds);
        append_kinds(tail, b.subspan(cut), kinds);
    }
    repeat(suffix, DiffKind::same);
}

QTextCharFormat coloured(QRgb light, QRgb dark, bool is_dark, bool bold = false)
{
    QTextCharFormat result;
    result.setForeground(QColor(is_dark ? dark : light));
    if (bold) {
        result.setFontWeight(QFont::Bold);
    }
    return result;
}

/// What Qt keeps for each line of text: whether a comment of several lines goes on behind it.
enum BlockState { outside = 0, in_comment = 1 };

} // namespace

std::vector<DiffLine> line_diff(const std::string& a, const std::string& b)
{
    const std::vector<std::string> a_lines = lines_of(a);
    const std::vector<std::string> b_lines = lines_of(b);
    std::unordered_map<std::string, std::size_t> known;
    const Ids a_ids = ids_of(a_lines, known);
    const Ids b_ids = ids_of(b_lines, known);
    std::vector<DiffKind> kinds;
    append_kinds(a_ids, b_ids, kinds);

    // Between two lines that stay, the order of removed and added lines is free: removed ones
    // first.
    for (auto from = kinds.begin(); from != kinds.end();) {
        const auto changed = [](DiffKind kind) { return kind != DiffKind::same; };
        from = std::find_if(from, kinds.end(), changed);
        const auto to = std::find_if_not(from, kinds.end(), changed);
        std::stable_partition(from, to, [](DiffKind kind) { return kind == DiffKind::removed; });
        from = to;
    }

    std::vector<DiffLine> diff;
    std::size_t i = 0;
    std::size_t j = 0;
    for (const DiffKind kind : kinds) {
        diff.push_back({kind, kind == DiffKind::added ? b_lines[j] : a_lines[i]});
        i += kind == DiffKind::added ? 0 : 1;
        j += kind == DiffKind::removed ? 0 : 1;
    }
    return diff;
}

OpenClHighlighter::OpenClHighlighter(QTextDocument* document, bool dark)
    : QSyntaxHighlighter(document)
{
    build_rules(dark);
}

void OpenClHighlighter::set_dark(bool dark)
{
    build_rules(dark);
    rehighlight();
}

void OpenClHighlighter::build_rules(bool dark)
{
    const auto rule = [&](const char* pattern, QTextCharFormat f) {
        rules_.push_back({QRegularExpression(pattern), f});
    };
    rules_.clear();
    rule(R"(\b(?:if|else|for|while|do|return|break|continue|const|constant|struct|typedef|)"
         R"(static|inline|switch|case|default)\b)",
         coloured(0xff7b2d8b, 0xffd7a6e8, dark, true));
    rule(
        R"(\b(?:__)?(?:kernel|global|local|private|read_only|write_only|read_write|attribute__|restrict)\b)",
        coloured(0xff7b2d8b, 0xffd7a6e8, dark, true));
    rule(R"(\b(?:void|bool|u?char|u?short|u?int|u?long|float|double|half|size_t)(?:2|3|4|8|16)?\b|)"
         R"(\b(?:image2d_t|sampler_t)\b)",
         coloured(0xff005f87, 0xff7fc8f0, dark));
    rule(R"(\b(?:get_(?:global|local|group)_(?:id|size)|read_image[fhi]|write_image[fhi]|)"
         R"(dot|mad|fma|min|max|clamp|select|barrier)\b)",
         coloured(0xff00695c, 0xff80cbc4, dark));
    rule(R"(\b(?:CLK_\w+|[A-Z][A-Z0-9_]{2,})\b)", coloured(0xff8a5a00, 0xffffcc80, dark));
    rule(R"(\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[uUlLfFhH]*\b)",
         coloured(0xff9c3b00, 0xfff0b27a, dark));
    rule(R"(^\s*#.*$)", coloured(0xff8a5a00, 0xffffcc80, dark));
    comment_ = coloured(0xff5f6b5f, 0xff9fb09f, dark);
    comment_.setFontItalic(true);
}

void OpenClHighlighter::highlightBlock(const QString& text)
{
    for (const Rule& rule : rules_) {
        auto matches = rule.pattern.globalMatch(text);
        while (matches.hasNext()) {
            const auto match = matches.next();
            setFormat(static_cast<int>(match.capturedStart()),
                      static_cast<int>(match.capturedLength()), rule.format);
        }
    }
    // Last, because a comment has its own colour whatever is in it.
    highlight_comments(text);
}

void OpenClHighlighter::highlight_comments(const QString& text)
{
    setCurrentBlockState(outside);
    qsizetype at = 0;
    bool inside = previousBlockState() == in_comment;
    while (at < text.size()) {
        qsizetype start = at;
        if (!inside) {
            const qsizetype line = text.indexOf(QLatin1String("//"), at);
            start = text.indexOf(QLatin1String("/*"), at);
            if (line >= 0 && (start < 0 || line < start)) {
                setFormat(static_cast<int>(line), static_cast<int>(text.size() - line), comment_);
                return;
            }
            if (start < 0) {
                return;
            }
        }
        const qsizetype end = text.indexOf(QLatin1String("*/"), inside ? start : start + 2);
        const qsizetype stop = end < 0 ? text.size() : end + 2;
        setFormat(static_cast<int>(start), static_cast<int>(stop - start), comment_);
        inside = end < 0;
        at = stop;
    }
    if (inside) {
        setCurrentBlockState(in_comment);
    }
}

KernelText::KernelText(QWidget* parent)
    : QPlainTextEdit(parent), highlighter_(new OpenClHighlighter(document(), is_dark(palette())))
{
    setObjectName("kernel");
    setAccessibleName(tr("OpenCL kernel"));
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    setFont(fixed);
    setTabStopDistance(4 * QFontMetricsF(fixed).horizontalAdvance(u' '));
}

void KernelText::show_text(const std::string& text)
{
    diff_.clear();
    set_text(QString::fromStdString(text));
}

void KernelText::show_diff(const std::vector<DiffLine>& lines)
{
    diff_ = lines;
    QString text;
    for (const DiffLine& line : diff_) {
        // The signs say without colours what the colours say.
        const char* sign = line.kind == DiffKind::added     ? "+ "
                           : line.kind == DiffKind::removed ? "- "
                                                            : "  ";
        text += QLatin1String(sign) + QString::fromStdString(line.text) + u'\n';
    }
    text.chop(1);
    set_text(text);
}

void KernelText::set_text(const QString& text)
{
    // another configuration's kernel is mostly alike: stay at the place
    const int at = verticalScrollBar()->value();
    setPlainText(text);
    colour_lines();
    verticalScrollBar()->setValue(at);
}

void KernelText::colour_lines()
{
    QList<QTextEdit::ExtraSelection> grounds;
    for (std::size_t i = 0; i < diff_.size(); ++i) {
        if (diff_[i].kind == DiffKind::same) {
            continue;
        }
        QTextEdit::ExtraSelection ground;
        ground.cursor = QTextCursor(document()->findBlockByNumber(static_cast<int>(i)));
        ground.format.setBackground(diff_[i].kind == DiffKind::added ? added_ground(palette())
                                                                     : removed_ground(palette()));
        ground.format.setProperty(QTextFormat::FullWidthSelection, true);
        grounds << ground;
    }
    setExtraSelections(grounds);
}

void KernelText::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
        highlighter_->set_dark(is_dark(palette()));
        colour_lines();
    }
    QPlainTextEdit::changeEvent(event);
}

} // namespace texelscope::gui

#include "gui/study/quantities.hpp"

#include "base/error.hpp"

#include <set>

namespace texelscope::gui {
namespace {

constexpr const char* source = "docs/quantities.md";

/// Without the marks of Markdown.
QString plain(QString text)
{
    text.remove(u'*');
    text.remove(u'`');
    return text;
}

QStringList keys_of(const QString& comment)
{
    QStringList keys;
    for (const QString& key : comment.split(u';')) {
        keys << key.trimmed();
    }
    return keys;
}

void finish(QuantityText& quantity)
{
    quantity.markdown = quantity.markdown.trimmed();
    const QString first = quantity.markdown.section("\n\n", 0, 0).simplified();
    quantity.summary = plain(first);
    if (quantity.keys.isEmpty() || quantity.summary.isEmpty()) {
        throw bad_input("'" + quantity.title.toStdString() + "' has no keys or no text", source,
                        "write <!-- KIND: NAME --> below the heading, then a sentence");
    }
}

} // namespace

std::vector<QuantityText> parse_quantities(std::string_view markdown)
{
    std::vector<QuantityText> quantities;
    const QString text = QString::fromUtf8(markdown.data(), static_cast<qsizetype>(markdown.size()));
    QString section;
    for (const QString& line : text.split(u'\n')) {
        const bool opens_section = line.startsWith(QStringLiteral("## "));
        if (opens_section || line.startsWith(QStringLiteral("### "))) {
            const QString title = line.section(u' ', 1);
            section = opens_section ? title : section;
            quantities.push_back({title, section, {}, {}, {}});
        } else if (quantities.empty()) {
            continue; // the introduction
        } else if (line.startsWith(QStringLiteral("<!-- "))) {
            quantities.back().keys << keys_of(line.sliced(5).section(QStringLiteral(" -->"), 0, 0));
        } else {
            quantities.back().markdown += line + u'\n';
        }
    }
    std::set<QString> seen;
    for (QuantityText& quantity : quantities) {
        finish(quantity);
        for (const QString& key : quantity.keys) {
            if (!seen.insert(key).second) {
                throw bad_input("'" + key.toStdString() + "' has two texts", source, "leave one of them out");
            }
        }
    }
    return quantities;
}

const std::vector<QuantityText>& all_quantities()
{
    static const std::vector<QuantityText> quantities = parse_quantities(quantities_markdown());
    return quantities;
}

int quantity_with(const QString& key)
{
    const std::vector<QuantityText>& all = all_quantities();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].keys.contains(key)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

QString quantity_tip(const QString& key)
{
    const int number = quantity_with(key);
    if (number < 0) {
        return {};
    }
    const QuantityText& quantity = all_quantities()[static_cast<std::size_t>(number)];
    const QString entry = QStringLiteral("\n- *%1*: ").arg(key.section(QStringLiteral(": "), 1));
    const qsizetype at = quantity.markdown.indexOf(entry);
    if (at < 0) {
        return quantity.summary;
    }
    // The entry of a list ends where the next one, or a paragraph, begins.
    const QString rest = quantity.markdown.sliced(at + entry.size());
    return plain(rest.section("\n\n", 0, 0).section("\n- ", 0, 0).simplified());
}

} // namespace texelscope::gui

#include "gui/kernel/line_diff.hpp"

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

Ids ids_of(const std::vector<std::string>& lines, std::unordered_map<std::string, std::size_t>& known)
{
    Ids ids;
    for (const std::string& line : lines) {
        ids.push_back(known.emplace(line, known.size()).first->second);
    }
    return ids;
}

/// Length of the longest common subsequence of `a` and the first j of `b`, for each j.
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

/// Hirschberg, "A linear space algorithm for computing maximal common subsequences" (1975): one half of `a` goes with a
/// part of `b`, the other half with the rest, where the two lengths together are largest.
void append_kinds(IdSpan a, IdSpan b, std::vector<DiffKind>& kinds)
{
    const auto repeat = [&](std::size_t count, DiffKind kind) { kinds.insert(kinds.end(), count, kind); };
    const auto prefix =
        static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    repeat(prefix, DiffKind::same);
    a = a.subspan(prefix);
    b = b.subspan(prefix);
    const auto suffix =
        static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
    a = a.first(a.size() - suffix);
    b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) {
        repeat(a.size(), DiffKind::removed);
        repeat(b.size(), DiffKind::added);
    } else if (a.size() == 1) {
        const auto at = static_cast<std::size_t>(std::find(b.begin(), b.end(), a.front()) - b.begin());
        const bool found = at < b.size();
        repeat(found ? 0 : 1, DiffKind::removed);
        repeat(at, DiffKind::added);
        repeat(found ? 1 : 0, DiffKind::same);
        repeat(found ? b.size() - at - 1 : 0, DiffKind::added);
    } else {
        const std::size_t half = a.size() / 2;
        const IdSpan tail = a.subspan(half);
        const auto before = common_lengths(a.first(half), b);
        const auto after = common_lengths(Ids(tail.rbegin(), tail.rend()), Ids(b.rbegin(), b.rend()));
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

    // Between two lines that stay, the order of removed and added lines is free: removed ones first.
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

} // namespace texelscope::gui

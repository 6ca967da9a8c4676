#include "gui/kernel/kernel_text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace texelscope::gui;

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines)
{
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

Lines random_lines(std::mt19937_64& random, std::size_t most, std::size_t alphabet)
{
    Lines lines(random() % (most + 1));
    std::generate(lines.begin(), lines.end(),
                  [&] { return std::string(random() % alphabet, 'x'); });
    return lines;
}

/// The length of a longest common subsequence, by trying everything.
std::size_t longest(const Lines& a, const Lines& b, std::size_t i = 0, std::size_t j = 0)
{
    if (i == a.size() || j == b.size()) {
        return 0;
    }
    if (a[i] == b[j]) {
        return 1 + longest(a, b, i + 1, j + 1);
    }
    return std::max(longest(a, b, i + 1, j), longest(a, b, i, j + 1));
}

Lines without(const std::vector<DiffLine>& diff, DiffKind kind)
{
    Lines lines;
    for (const DiffLine& line : diff) {
        if (line.kind != kind) {
            lines.push_back(line.text);
        }
    }
    return lines;
}

} // namespace

TEST_CASE("a diff holds both texts and keeps as many lines as can be kept")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::size_t alphabet = 1 + random() % 4;
        const Lines a = random_lines(random, 9, alphabet);
        const Lines b = random_lines(random, 9, alphabet);
        const std::vector<DiffLine> diff = line_diff(joined(a), joined(b));
        CHECK(without(diff, DiffKind::added) == a);
        CHECK(without(diff, DiffKind::removed) == b);
        const auto same = std::count_if(diff.begin(), diff.end(), [](const DiffLine& line) {
            return line.kind == DiffKind::same;
        });
        CHECK(static_cast<std::size_t>(same) == longest(a, b));
        for (std::size_t i = 1; i < diff.size(); ++i) {
            CHECK_FALSE((diff[i - 1].kind == DiffKind::added && diff[i].kind == DiffKind::removed));
        }
    }
}

TEST_CASE("a diff of long texts")
{
    std::mt19937_64 random(5);
    Lines a(3000);
    std::generate(a.begin(), a.end(), [&] { return std::to_string(random() % 1000); });
    Lines b = a;
    b[10] = "changed";
    b.erase(b.begin() + 1500);
    b.insert(b.begin() + 2000, "new");
    const std::vector<DiffLine> diff = line_diff(joined(a), joined(b));
    CHECK(without(diff, DiffKind::added) == a);
    CHECK(without(diff, DiffKind::removed) == b);
    CHECK(diff.size() == 3002); // 2998 lines stay, two go, two come
}

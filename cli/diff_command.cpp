#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "workbench/store/result_diff.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace texelscope::cli {
namespace {

// `diff`: compares two results that --json wrote: which numbers changed, by how much, and whether
// conditions on the change hold. Settings are listed by themselves, because they may be what the
// change comes from.
struct DiffArguments {
    std::string a;
    std::string b;
    std::vector<std::string> conditions;
};

/// A condition on one number; of a path with a "*" there are several.
struct JudgedCondition {
    DiffCondition condition;
    ResultDiff::Number number;
    bool holds = false;
    std::vector<BlamedRow> blamed; ///< where it holds
};

constexpr const char* settings_prefix = "settings.";

bool is_setting(const std::string& path)
{
    return path.starts_with(settings_prefix);
}

/// A change from zero has no percentage.
std::string percent_text(double a, double b)
{
    const auto change = relative_change(a, b);
    return change ? fmt::format("{:+.2f} %", 100 * *change) : "from zero";
}

/// Whole numbers without a fraction.
ordered_json number_json(double number)
{
    // Up to here a double holds every whole number, so nothing is lost by printing it as one.
    constexpr double exact = 9007199254740992.0; // 2^53
    return number == std::floor(number) && std::abs(number) <= exact
               ? ordered_json(static_cast<std::int64_t>(number))
               : ordered_json(number);
}

ordered_json percent_json(double a, double b)
{
    const auto change = relative_change(a, b);
    return change ? ordered_json(100 * *change) : ordered_json();
}

std::string change_text(double a, double b)
{
    return (b > a ? "+" : "") + value_text(b - a);
}

ordered_json diff_json(const JsonResult& a, const JsonResult& b, const ResultDiff& diff,
                       const std::vector<JudgedCondition>& conditions)
{
    ordered_json out = json_result("diff");
    out["compared"] = a.schema_name();
    for (const auto& [name, file] : {std::pair("a", &a), std::pair("b", &b)}) {
        out[name] = {{"file", file->path}, {"schema", file->schema}, {"texelscope", file->program}};
    }
    out["same"] = diff.empty();
    ordered_json settings = ordered_json::array();
    ordered_json numbers = ordered_json::array();
    ordered_json others = ordered_json::array();
    for (const ResultDiff::Number& one : diff.numbers) {
        (is_setting(one.path) ? settings : numbers)
            .push_back({{"path", one.path},
                        {"a", number_json(one.a)},
                        {"b", number_json(one.b)},
                        {"difference", number_json(one.b - one.a)},
                        {"percent", percent_json(one.a, one.b)}});
    }
    for (const ResultDiff::Other& one : diff.others) {
        (is_setting(one.path) ? settings : others)
            .push_back({{"path", one.path}, {"a", one.a}, {"b", one.b}});
    }
    out["settings"] = settings;
    out["numbers"] = numbers;
    out["others"] = others;
    out["only_in_a"] = diff.only_in_a;
    out["only_in_b"] = diff.only_in_b;
    out["conditions"] = json_list(conditions, [](const JudgedCondition& one) -> ordered_json {
        const auto [path, from, to] = one.number;
        return {{"condition", one.condition.text},
                {"path", path},
                {"a", number_json(from)},
                {"b", number_json(to)},
                {"difference", number_json(to - from)},
                {"percent", percent_json(from, to)},
                {"holds", one.holds},
                {"blamed", json_list(one.blamed, [](const BlamedRow& row) -> ordered_json {
                     return {{"row", row.row},          {"op", row.op},
                             {"a", number_json(row.a)}, {"b", number_json(row.b)},
                             {"share", row.share},      {"config_a", row.before},
                             {"config_b", row.after}};
                 })}};
    });
    return out;
}

std::string missing_text(const std::vector<std::string>& paths, const std::string& where)
{
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, paths.size()); ++i) {
        text += (i == 0 ? "" : ", ") + paths[i];
    }
    if (paths.size() > most) {
        text += fmt::format(" and {} more", paths.size() - most);
    }
    return paths.empty() ? "" : fmt::format("\nonly in {}: {}\n", where, text);
}

/// What a result is about: of a single kernel, its operator and configuration.
std::string subject_of(const ResultLeaves& leaves)
{
    std::string text;
    for (const char* const path : {"source", "network", "op", "device"}) {
        const auto found = std::ranges::find(leaves, path, &ResultLeaf::path);
        if (found != leaves.end() && std::holds_alternative<std::string>(found->value)) {
            text += (text.empty() ? "" : " on ") + std::get<std::string>(found->value);
        }
    }
    return text;
}

bool is_of_rows(const JudgedCondition& condition)
{
    return condition.condition.path.find('*') != std::string::npos;
}

/// "nodes.conv_1 (Conv)", with `between` behind it, and how its configuration changed where it did.
std::string row_text(const BlamedRow& row, const std::string& between)
{
    return fmt::format("  {}{}{}{}\n", row.row, row.op.empty() ? "" : " (" + row.op + ")", between,
                       row.before.empty() ? ""
                                          : fmt::format("; {} became {}", row.before, row.after));
}

/// What a change comes from: of a single kernel itself, else the first few rows.
std::string blamed_text(const JudgedCondition& condition, const std::string& subject)
{
    if (!condition.holds) {
        return "";
    }
    if (condition.blamed.empty()) {
        return subject.empty()
                   ? ""
                   : fmt::format("\n{}, to blame: {}\n", condition.number.path, subject);
    }
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, condition.blamed.size()); ++i) {
        const BlamedRow& row = condition.blamed[i];
        text += row_text(row, fmt::format(": {} to {}, {:.0f} % of the change", value_text(row.a),
                                          value_text(row.b), 100 * row.share));
    }
    const std::size_t others = condition.blamed.size() - std::min(most, condition.blamed.size());
    return fmt::format("\n{}, to blame:\n{}{}", condition.number.path, text,
                       others > 0 ? fmt::format("  and {} more\n", others) : std::string());
}

/// Of conditions on many rows, those rows alone for which they hold.
std::string conditions_text(const std::vector<JudgedCondition>& conditions,
                            const std::string& subject)
{
    const bool any_of_rows = std::ranges::any_of(conditions, is_of_rows);
    std::vector<Cells> rows;
    std::string blamed, failed_rows;
    for (const JudgedCondition& one : conditions) {
        if (one.holds || !is_of_rows(one)) {
            const auto& [path, a, b] = one.number;
            Cells row{one.condition.text, value_text(a),
                      value_text(b),      change_text(a, b),
                      percent_text(a, b), one.holds ? "holds: failed" : "does not hold"};
            if (any_of_rows) {
                row.insert(row.begin() + 1, is_of_rows(one) ? path : "");
            }
            rows.push_back(std::move(row));
        }
        if (!is_of_rows(one)) {
            blamed += blamed_text(one, subject);
        } else if (one.holds && !one.blamed.empty()) { // the row itself
            failed_rows += row_text(one.blamed.front(), "");
        }
    }
    if (rows.empty()) {
        return conditions.empty() ? "" : "\nno row fails\n";
    }
    Cells header{"fail if", "A", "B", "B - A", "change", "outcome"};
    if (any_of_rows) {
        header.insert(header.begin() + 1, "row");
    }
    return "\n" + format_table(header, rows) + blamed +
           (failed_rows.empty() ? "" : "\nrows that fail:\n" + failed_rows);
}

std::string diff_text(const JsonResult& a, const JsonResult& b, const ResultDiff& diff,
                      const std::vector<JudgedCondition>& conditions)
{
    std::vector<Cells> settings;
    std::vector<Cells> numbers;
    std::vector<Cells> others;
    for (const ResultDiff::Number& one : diff.numbers) {
        if (is_setting(one.path)) {
            settings.push_back({one.path, value_text(one.a), value_text(one.b)});
        } else {
            numbers.push_back({one.path, value_text(one.a), value_text(one.b),
                               change_text(one.a, one.b), percent_text(one.a, one.b)});
        }
    }
    for (const ResultDiff::Other& one : diff.others) {
        (is_setting(one.path) ? settings : others).push_back({one.path, one.a, one.b});
    }
    std::string text = fmt::format("{}: A is {}, B is {}\n", a.schema_name(), a.path, b.path);
    if (diff.empty()) {
        text += "no differences\n";
    }
    if (!settings.empty()) {
        text += "\n" + format_table({"setting", "A", "B"}, settings);
    }
    if (!numbers.empty()) {
        text += "\n" + format_table({"number", "A", "B", "B - A", "change"}, numbers);
    }
    if (!others.empty()) {
        text += "\n" + format_table({"other value", "A", "B"}, others);
    }
    text += missing_text(diff.only_in_a, "A") + missing_text(diff.only_in_b, "B");
    return text + conditions_text(conditions, subject_of(b.leaves));
}

/// The versions of schema and program may differ; the reader is told.
void note_versions(const JsonResult& a, const JsonResult& b, const GlobalOptions& global)
{
    if (a.schema != b.schema) {
        print_note(global,
                   fmt::format("the versions of the schema differ: {} and {}", a.schema, b.schema));
    }
    if (a.program != b.program) {
        print_note(global, fmt::format("the versions of texelscope differ: {} and {}",
                                       a.program.empty() ? "unknown" : a.program,
                                       b.program.empty() ? "unknown" : b.program));
    }
}

int diff_and_print(const DiffArguments& arguments, const GlobalOptions& global)
{
    std::vector<DiffCondition> asked;
    // a bad one is found out before the files are
    for (const std::string& text : arguments.conditions) {
        asked.push_back(parse_diff_condition(text));
    }
    const JsonResult a = read_result_file(arguments.a);
    const JsonResult b = read_result_file(arguments.b);
    if (a.schema_name() != b.schema_name()) {
        throw bad_input(
            fmt::format("{} is a {}, {} a {}", a.path, a.schema_name(), b.path, b.schema_name()),
            {}, "compare two results of one subcommand");
    }
    std::vector<JudgedCondition> conditions;
    for (const DiffCondition& condition : asked) {
        for (const ResultDiff::Number& number :
             numbers_of(condition, a.leaves, b.leaves, a.path, b.path)) {
            const bool failed = holds(condition, number.a, number.b);
            conditions.push_back(
                {condition, number, failed,
                 failed ? blamed_rows(number, a.leaves, b.leaves) : std::vector<BlamedRow>()});
        }
    }
    const ResultDiff diff = diff_results(a.leaves, b.leaves);
    note_versions(a, b, global);
    print_result(global, diff_json(a, b, diff, conditions), diff_text(a, b, diff, conditions));
    const bool failed = std::any_of(conditions.begin(), conditions.end(),
                                    [](const JudgedCondition& one) { return one.holds; });
    return failed ? exit_code::check_failed : exit_code::done;
}

} // namespace

Command diff_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("diff", "what two results, written with --json, do not share");
    const auto arguments = std::make_shared<DiffArguments>();
    parser->add_option("a", arguments->a, "a result: JSON file")->required();
    parser->add_option("b", arguments->b, "another one of the same subcommand")->required();
    add_repeatable(*parser, "--fail-if", arguments->conditions,
                   "PATH OP LIMIT, for example \"l1.misses>+5%\" or \"nodes.*.simulated_ns>+10%\": "
                   "ends with 1 where it "
                   "holds, and says which layers or operators are to blame (repeatable)");
    return {parser, [&global, arguments] { return diff_and_print(*arguments, global); }};
}

} // namespace texelscope::cli

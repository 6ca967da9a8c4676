#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/place_output.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "workbench/store/kernel_tuner_cache.hpp"
#include "workbench/store/result_clocks.hpp"
#include "workbench/store/result_files.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/store/results_csv.hpp"
#include "workbench/store/t4_results.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <string_view>
#include <variant>

namespace texelscope::cli {
namespace {

// `results`: lists, exports, imports and merges stores of results, the files in which tune and
// sweep keep every configuration that was judged.
struct ResultsArguments {
    std::string store;
    bool best = false;
    ResultFilter filter;
    std::string kernel_tuner, t4, csv;
    std::string file;
    std::vector<std::string> others;
};

void add_filter_to(CLI::App& parser, ResultFilter& filter)
{
    parser.add_option("--op", filter.op, "results of that operator alone");
    parser.add_option("--shape", filter.shape, "of that shape");
    parser.add_option("--padding", filter.padding, "of that padding");
    parser.add_option("--device", filter.device, "of that device, by its whole name");
    parser.add_option("--judge", filter.judge, "of that judge: device, simulator, model");
    parser.add_option("--driver", filter.driver, "of that version of the driver");
    parser.add_option("--program", filter.program, "of that version of texelscope");
    parser.add_option("--settings", filter.settings,
                      "of those settings, by the first digits of their digest");
}

/// Null where the number is not finite, since JSON has no infinity and no NaN.
ordered_json number(double value)
{
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json row_json(const StoredResult& row)
{
    const ordered_json samples = json_list(row.samples_ns, number);
    const ResultKey& key = row.key;
    return {{"op", row.op},
            {"shape", row.shape},
            {"padding", row.padding},
            {"config", row.config},
            {"judge", key.judge},
            {"device", key.device},
            {"driver", key.driver},
            {"program", key.program},
            {"settings", key.settings},
            {"kernel", key.kernel},
            {"status", to_string(row.status)},
            {"reason", row.reason},
            {"ns", {{"median", number(row.median_ns())}, {"samples", samples}}},
            {"wall_clock", row.wall_clock},
            {"reference", reference_json(row.reference)},
            {"check",
             {{"max_abs", number(row.check.max_abs)},
              {"max_rel", number(row.check.max_rel)},
              {"tolerance", number(row.check.tolerance)}}},
            {"times_ns",
             {{"compile", number(row.times.compile)},
              {"benchmark", number(row.times.benchmark)},
              {"verification", number(row.times.verification)},
              {"strategy", number(row.times.strategy)},
              {"framework", number(row.times.framework)},
              {"total", number(row.times.total)}}},
            {"timestamp", row.timestamp},
            {"seed", row.seed ? ordered_json(*row.seed) : ordered_json()}};
}

/// Empty for a result at the highest clock.
std::string clock_text(const ResultClock& clock)
{
    return !clock.steady      ? " (clock changed)"
           : !clock.highest() ? fmt::format(" (clock {:.2f})", clock.clock)
                              : "";
}

/// As print_json(), for text that need not be UTF-8: reasons hold messages of drivers.
void print_any_json(const ordered_json& value)
{
    print_text(value.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

std::string operator_text(const StoredResult& row)
{
    return row.op + " " + row.shape + (row.padding.empty() ? "" : " " + row.padding);
}

/// Who judges what, for people. It also names rows of `list --best --json`: diff compares rows of
/// the same name.
std::string name_of(const StoredResult& row)
{
    return fmt::format("{} on {} by the {}", operator_text(row), row.key.device, row.key.judge);
}

/// The fastest of each operator, device and judge, of those that ran; in the order of the first of
/// each.
std::vector<StoredResult> best_of(const std::vector<StoredResult>& rows)
{
    std::vector<StoredResult> best;
    std::map<std::string, std::size_t> places;
    for (const StoredResult& row : rows) {
        if (row.samples_ns.empty() || row.status != RunStatus::ok) {
            continue;
        }
        const auto [at, fresh] = places.try_emplace(name_of(row), best.size());
        if (fresh) {
            best.push_back(row);
        } else if (row.median_ns() < best[at->second].median_ns()) {
            best[at->second] = row;
        }
    }
    return best;
}

int list_results(const ResultsArguments& arguments, const GlobalOptions& global)
{
    const ResultStore store(arguments.store, StoreOpening::existing);
    std::vector<StoredResult> rows = store.select(arguments.filter);
    if (arguments.best) {
        rows = best_of(rows);
    }
    if (global.json) {
        ordered_json out = json_result("results");
        out["store"] = arguments.store;
        out["total"] = store.count();
        out["results"] = json_list(rows, row_json);
        for (std::size_t i = 0; arguments.best && i < rows.size(); ++i) {
            out["results"][i]["name"] = name_of(rows[i]);
        }
        print_any_json(out);
        return exit_code::done;
    }
    std::vector<Cells> table;
    const std::vector<ResultClock> clocks = result_clocks(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const StoredResult& row = rows[i];
        table.push_back(
            {operator_text(row), row.config, row.key.judge, row.key.device,
             row.samples_ns.empty()
                 ? "-"
                 : measured_time(row.median_ns(), row.wall_clock) + clock_text(clocks[i]),
             to_string(row.status) + (row.reason.empty() ? "" : ": " + printable(row.reason))});
    }
    if (!rows.empty()) {
        print_text(
            format_table({"operator", "configuration", "judge", "device", "median", "status"},
                         table) +
            "\n");
    }
    print_text(fmt::format("{} of {} results\n", count_text(static_cast<std::int64_t>(rows.size())),
                           count_text(store.count())));
    return exit_code::done;
}

int export_results(const ResultsArguments& arguments, const GlobalOptions& global)
{
    struct Output {
        const char* option;
        const std::string& file;
        std::string (*text_of)(const std::vector<StoredResult>&);
    };
    const std::vector<Output> outputs{
        {"--kernel-tuner", arguments.kernel_tuner, kernel_tuner_cache},
        {"--t4", arguments.t4, t4_results},
        {"--csv", arguments.csv, results_csv}};
    if (std::all_of(outputs.begin(), outputs.end(),
                    [](const Output& output) { return output.file.empty(); })) {
        throw bad_input("nothing says where to", "results export",
                        "give --kernel-tuner FILE, --t4 FILE or --csv FILE");
    }
    const std::vector<StoredResult> rows =
        ResultStore(arguments.store, StoreOpening::existing).select(arguments.filter);
    // All texts are made before the first file is written: an error in the second leaves no first.
    std::vector<std::string> texts;
    for (const Output& output : outputs) {
        texts.push_back(output.file.empty() ? std::string() : output.text_of(rows));
    }
    ordered_json out = json_result("results");
    out["exported"] = rows.size();
    out["files"] = ordered_json::array();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].file.empty()) {
            write_file_atomically(outputs[i].file, texts[i]);
            out["files"].push_back(outputs[i].file);
            print_note(global,
                       fmt::format("{} results written to {}", rows.size(), outputs[i].file));
        }
    }
    if (global.json) {
        print_any_json(out);
    }
    return exit_code::done;
}

void print_counts(const MergeCounts& counts, const ResultStore& store, const GlobalOptions& global)
{
    if (global.json) {
        ordered_json out = json_result("results");
        out["added"] = counts.added;
        out["replaced"] = counts.replaced;
        out["kept"] = counts.kept;
        out["total"] = store.count();
        print_any_json(out);
    } else {
        print_text(
            fmt::format("{} results added, {} replaced by later ones, {} were there; {} in all\n",
                        count_text(counts.added), count_text(counts.replaced),
                        count_text(counts.kept), count_text(store.count())));
    }
}

int import_results(const ResultsArguments& arguments, const GlobalOptions& global)
{
    const std::vector<StoredResult> rows = read_results(arguments.file);
    ResultStore store(arguments.store);
    print_counts(store.merge(rows), store, global);
    return exit_code::done;
}

/// Whether a file begins like a store. So, too, is what cannot be read or is as good as empty: the
/// store says best what is wrong with it.
bool may_be_store(const std::string& path)
{
    constexpr std::string_view magic = "SQLite format 3";
    std::string bytes(magic.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    return !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || bytes == magic;
}

int merge(const ResultsArguments& arguments, const GlobalOptions& global)
{
    // All are opened or read before the first is merged, so that a bad name changes nothing.
    using Other = std::variant<ResultStore, std::vector<StoredResult>>;
    std::vector<Other> others;
    for (const std::string& other : arguments.others) {
        others.push_back(may_be_store(other) ? Other(ResultStore(other, StoreOpening::existing))
                                             : Other(read_results(other)));
    }
    ResultStore store(arguments.store);
    MergeCounts sum;
    for (const Other& other : others) {
        const MergeCounts counts =
            std::visit([&](const auto& rows) { return store.merge(rows); }, other);
        sum = {sum.added + counts.added, sum.replaced + counts.replaced, sum.kept + counts.kept};
    }
    print_counts(sum, store, global);
    return exit_code::done;
}

} // namespace

Command results_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "results", "keeps judged configurations: lists, exports, imports, merges");
    std::vector<Command> subcommands;
    const auto add = [&](const char* name, const char* about, auto* work) {
        const auto added =
            add_subcommand<ResultsArguments>(subcommands, *parser, name, about, work, global);
        added.first->add_option("store", added.second->store, "a store of results")->required();
        return added;
    };
    const auto [listing, listed] = add("list", "the results of a store", list_results);
    add_filter_to(*listing, listed->filter);
    listing->add_flag("--best", listed->best,
                      "the fastest of each operator, device and judge alone; with --json, rows "
                      "that diff compares by name");
    const auto [exporting, exported] =
        add("export", "writes results for other programs", export_results);
    add_filter_to(*exporting, exported->filter);
    exporting->add_option("--kernel-tuner", exported->kernel_tuner,
                          "F.json: a cache file of Kernel Tuner");
    exporting->add_option("--t4", exported->t4, "F.json: the T4 format of auto-tuners");
    exporting->add_option("--csv", exported->csv, "F.csv: a table");
    const auto [importing, imported] =
        add("import", "takes over the results of a file; the store is made where it is not there",
            import_results);
    importing
        ->add_option("file", imported->file,
                     "a cache of Kernel Tuner, T4 results, a log of AutoTVM, or what export --csv, "
                     "run --json or phone wrote; may be packed (gzip, zstd, xz)")
        ->required();
    const auto [merging, merged] = add(
        "merge", "takes over the results of other stores and files, the later one of two", merge);
    merging->add_option("others", merged->others, "other stores, and files as import takes them")
        ->required()
        ->default_str("");
    return command_of(parser, std::move(subcommands));
}

} // namespace texelscope::cli

// bench_growth: time and memory of the program against the size of what it is asked, each point a
// process of its own. Writes a table, and pictures of it with logarithmic axes. Of a table that is
// there, what is not measured anew stays.

#include "base/atomic_file.hpp"
#include "base/csv.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/plots/result_table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace texelscope;
using namespace texelscope::workbench::plots;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

struct Cost {
    double wall = 0;      ///< seconds
    double processor = 0; ///< seconds
    double mib = 0;       ///< resident at most
};

/// Runs a command without its output. Throws where it fails.
Cost cost_of(const Words& words)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
        const int nowhere = ::open("/dev/null", O_WRONLY);
        (void)::dup2(nowhere, STDOUT_FILENO);
        (void)::dup2(nowhere, STDERR_FILENO);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    rusage used{};
    if (child < 0 || ::wait4(child, &status, 0, &used) != child || status != 0) {
        std::string text;
        for (const std::string& word : words) {
            text += " " + word;
        }
        throw std::runtime_error("failed:" + text);
    }
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
            static_cast<double>(used.ru_maxrss) / 1024};
}

struct Point {
    double size = 0;
    Cost cost;
};
struct Series {
    std::string name;
    std::string unit; ///< what the size counts
    std::vector<Point> points;
    bool now = false; ///< measured by this run
};

/// Each point the least of `rounds`: another program on the machine only adds. One round will do
/// for what takes a minute.
class Measuring {
public:
    Measuring(std::string program, fs::path folder, int rounds)
        : program_(std::move(program)), folder_(std::move(folder)), rounds_(rounds)
    {
        std::ifstream file(this->file("growth.csv"));
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const auto lines = base::parse_csv(text, "growth.csv");
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const auto& fields = lines[i];
            series_of(fields.at(0), fields.at(1))
                .points.push_back(
                    {std::stod(fields.at(2)),
                     {std::stod(fields.at(3)), std::stod(fields.at(4)), std::stod(fields.at(5))}});
        }
    }

    void measure(const std::string& name, const std::string& unit, double size, Words words,
                 const Words& launcher = {})
    {
        words.insert(words.begin(), program_);
        words.insert(words.begin(), launcher.begin(), launcher.end());
        Cost least;
        for (int round = 0; round < rounds_; ++round) {
            if (before_) {
                before_();
            }
            const Cost cost = cost_of(words);
            least = round == 0 || cost.processor < least.processor ? cost : least;
            if (cost.wall > 60) {
                break;
            }
        }
        Series& series = series_of(name, unit);
        if (!std::exchange(series.now, true)) {
            series.points.clear();
        }
        series.points.push_back({size, least});
        std::cout << fmt::format("{:<24} {:>10.4g} {:<20} {:>9.3f} s {:>9.3f} s {:>8.0f} MiB\n",
                                 name, size, unit, least.wall, least.processor, least.mib)
                  << std::flush;
    }
    /// The number in front of a word in the first line of what the program prints.
    [[nodiscard]] double number_before(const std::string& word, const Words& words) const
    {
        std::string command = program_;
        for (const std::string& each : words) {
            command += " '" + each + "'";
        }
        const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
        std::string line(4096, '\0');
        line.resize(output && std::fgets(line.data(), static_cast<int>(line.size()),
                                         output.get()) != nullptr
                        ? line.find('\n')
                        : 0);
        const std::size_t end = line.find(" " + word);
        if (end == std::string::npos) {
            throw std::runtime_error("no number in front of " + word + ": " + line);
        }
        std::string number =
            line.substr(line.rfind(' ', end - 1) + 1, end - line.rfind(' ', end - 1) - 1);
        std::erase(number, ',');
        return std::stod(number);
    }
    void before_each(std::function<void()> what) { before_ = std::move(what); }
    [[nodiscard]] std::string file(const std::string& name) const
    {
        return (folder_ / name).string();
    }
    [[nodiscard]] const std::vector<Series>& series() const { return series_; }

private:
    Series& series_of(const std::string& name, const std::string& unit)
    {
        const auto found = std::ranges::find(series_, name, &Series::name);
        return found != series_.end() ? *found
                                      : series_.emplace_back(Series{name, unit, {}, false});
    }

    std::string program_;
    fs::path folder_;
    int rounds_;
    std::function<void()> before_;
    std::vector<Series> series_;
};

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

constexpr const char* config = "A=row,column;T=2x2;W=8x8;G=8x8x1";

Words matmul(const std::string& command, std::int64_t n)
{
    return {command,    "--op", "matmul",   "--shape",   fmt::format("{0},{0},{0}", n),
            "--config", config, "--device", "adreno-740"};
}

/// Texel reads: each work-item has four outputs, and reads a texel of each of two rows and two
/// columns for four steps of the sum.
double reads_of(std::int64_t n)
{
    const auto side = static_cast<double>(n);
    return side * side / 4 * side / 4 * 4;
}

void measure_simulation(Measuring& measuring)
{
    for (const std::int64_t n : {128, 256, 512, 1024, 2048, 4096, 8192, 16384}) {
        measuring.measure("simulate", "reads", reads_of(n), matmul("simulate", n));
    }
    for (const std::int64_t n : {128, 256, 512, 1024, 2048}) {
        measuring.measure("simulate with jump=off", "reads", reads_of(n),
                          with(matmul("simulate", n), {"--set", "jump=off"}));
    }
    for (const std::int64_t n : {128, 256, 512, 1024}) {
        measuring.measure("simulate --timed", "reads", reads_of(n),
                          with(matmul("simulate", n), {"--timed"}));
    }
    for (const std::int64_t n : {128, 256, 512, 1024, 2048, 4096, 8192}) {
        measuring.measure("simulate --heatmap", "texels of the maps",
                          static_cast<double>(n * n / 2),
                          with(matmul("simulate", n), {"--heatmap", measuring.file("heat.npy")}));
    }
}

void measure_traces(Measuring& measuring)
{
    for (const std::int64_t n : {64, 128, 256, 512, 1024, 2048}) {
        Words words = matmul("generate", n);
        words.insert(words.begin(), "trace");
        words.resize(words.size() - 2); // a trace has no device
        words = with(words, {"-o", measuring.file(fmt::format("{}.tst", n))});
        measuring.measure("trace generate", "reads", reads_of(n), words);
    }
    for (const std::int64_t n : {64, 128, 256, 512, 1024, 2048}) {
        measuring.measure(
            "simulate TRACE", "reads", reads_of(n),
            {"simulate", measuring.file(fmt::format("{}.tst", n)), "--device", "adreno-740"});
    }
}

void measure_tuning(Measuring& measuring)
{
    const auto tune = [&](const std::string& strategy, const Words& op, const std::string& parts) {
        const Words words =
            with(with({"tune"}, op), {"--device", "adreno-740", "--strategy", strategy, "--variant",
                                      "bottleneck", "--parts", parts, "--top", "1"});
        measuring.measure("tune --strategy " + strategy, "configurations",
                          measuring.number_before("configurations", words), words);
    };
    const Words product{"--op", "matmul", "--shape", "256,256,256"};
    for (const char* const strategy : {"model", "descent"}) {
        for (const char* const parts : {"A,T", "A,T,V,M", "A,T,W,G", "A,T,W,G,L,V,M", "all"}) {
            tune(strategy, product, parts);
        }
    }
    const Words convolution{"--op", "conv2d", "--shape", "1,32,32,64,64,3,3,1"};
    for (const char* const parts : {"A,T,W,G,L,U,M", "all"}) {
        tune("descent", convolution, parts);
    }
}

void measure_sweeps(Measuring& measuring)
{
    const std::string store = measuring.file("sweep.db");
    measuring.before_each([store] { fs::remove(store); });
    for (const int processes : {1, 2, 4}) {
        measuring.measure(
            "sweep", "processes", processes,
            {"sweep", store, "--op", "matmul 256,256,256", "--op", "conv2d 1,32,32,64,64,3,3,1",
             "--device", "adreno-740", "--device", "mali-g77", "--budget", "64"},
            {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(processes)});
    }
    measuring.before_each({});
}

PanelPlot plot_of(const std::vector<Series>& series, const std::string& unit,
                  const std::string& label, const std::function<double(const Cost&)>& value)
{
    std::vector<PanelPlot::Curve> curves;
    for (const Series& one : series) {
        if (one.unit != unit) {
            continue;
        }
        PanelPlot::Curve curve;
        curve.name = one.name;
        curve.colour = series_colour(curves.size());
        for (const Point& point : one.points) {
            curve.points.push_back({point.size, value(point.cost), ""});
        }
        curves.push_back(std::move(curve));
    }
    PanelPlot plot = scatter_plot(std::move(curves), ScatterAxes::unrelated);
    for (PanelPlot::Curve& curve : plot.panels.front().curves) {
        curve.line = true;
    }
    plot.x_label = unit;
    plot.left_label = label;
    plot.panel_width = 420;
    plot.panel_height = 300;
    return plot;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::pair<std::string, void (*)(Measuring&)>> parts{
        {"simulation", measure_simulation},
        {"traces", measure_traces},
        {"tuning", measure_tuning},
        {"sweeps", measure_sweeps}};
    if (argc < 3) {
        std::cerr << "usage: bench_growth PROGRAM FOLDER [PART...]\n"
                     "measures the program texelscope: simulation, traces, tuning, sweeps (by "
                     "mpirun); all, or those "
                     "parts, or none (-). Writes growth.csv and pictures of it into the folder\n";
        return 2;
    }
    try {
        fs::create_directories(argv[2]);
        Measuring measuring(argv[1], argv[2], 3);
        const std::vector<std::string> asked(argv + 3, argv + argc);
        for (const auto& [name, measure] : parts) {
            if (asked.empty() || std::ranges::find(asked, name) != asked.end()) {
                measure(measuring);
            }
        }
        ResultTable table{{"series", "unit", "size", "wall_s", "processor_s", "resident_mib"}, {}};
        for (const Series& series : measuring.series()) {
            for (const Point& point : series.points) {
                table.rows.push_back({series.name, series.unit, point.size, point.cost.wall,
                                      point.cost.processor, point.cost.mib});
            }
        }
        base::write_file_atomically(measuring.file("growth.csv"), to_csv(table));
        const auto draw_to = [&](const std::string& name, const PanelPlot& plot) {
            base::write_file_atomically(measuring.file(name), to_png(to_picture(draw(plot), 2)));
        };
        for (const std::string unit : {"reads", "texels of the maps", "configurations"}) {
            if (std::ranges::find(measuring.series(), unit, &Series::unit) !=
                measuring.series().end()) {
                const std::string name = "growth-" + unit.substr(0, unit.find(' '));
                draw_to(name + "-time.png",
                        plot_of(measuring.series(), unit, "processor time, s",
                                [](const Cost& cost) { return cost.processor; }));
                draw_to(name + "-memory.png",
                        plot_of(measuring.series(), unit, "resident memory, MiB",
                                [](const Cost& cost) { return cost.mib; }));
            }
        }
    } catch (const std::exception& error) {
        std::cerr << "bench_growth: " << error.what() << '\n';
        return 1;
    }
}

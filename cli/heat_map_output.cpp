#include "cli/heat_map_output.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/terminal.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace texelscope::cli {
namespace {

/// "A:B", from A on and before B; where one is left out, the range is open on that side.
HalfOpenRange parse_range(const std::string& text, const std::string& option)
{
    const auto refuse = [&](const std::string& what) {
        throw bad_input("'" + text + "' " + what, option,
                        "use FIRST:END, for example 0:16 (END is not included)");
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        refuse("is no range");
    }
    const auto number = [&](std::size_t from, std::size_t to, std::int64_t absent) {
        std::int64_t value = absent;
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
        if (from != to && (error != std::errc{} || end != text.data() + to || value < 0)) {
            refuse("is no range");
        }
        return value;
    };
    const HalfOpenRange all;
    const HalfOpenRange range{number(0, colon, all.begin), number(colon + 1, text.size(), all.end)};
    if (range.begin >= range.end) {
        refuse("is empty");
    }
    return range;
}

/// Which texels are shown as one cell. Lines of L1 depend on the device, because its layout decides
/// which texels lie in a line.
TexelCells cells_of(const HeatResolution& resolution, std::span<const Image> images, int image,
                    const SimulationOptions& options)
{
    const auto number = static_cast<std::size_t>(image);
    switch (resolution.kind) {
    case HeatResolution::Kind::line:
        return TexelCells::lines(store_images(images, options)[number],
                                 options.machine.l1().geometry.line);
    case HeatResolution::Kind::block:
        return TexelCells::blocks(images[number].extent, resolution.block);
    case HeatResolution::Kind::texel:
        break;
    }
    return TexelCells::single(images[number].extent);
}

/// ", by L1 line" and the like, for a title.
std::string resolution_text(const HeatResolution& resolution)
{
    switch (resolution.kind) {
    case HeatResolution::Kind::line:
        return ", by L1 line";
    case HeatResolution::Kind::block:
        return fmt::format(", by {}x{} block", resolution.block.width, resolution.block.height);
    case HeatResolution::Kind::texel:
        break;
    }
    return "";
}

} // namespace

void SelectionArguments::add_to(CLI::App& parser)
{
    parser.add_option("--steps", steps,
                      "counts in heat maps and touches only these steps of the work-items: "
                      "FIRST:END, END excluded");
    parser.add_option("--accesses", accesses,
                      "likewise of all warp accesses, in the order of the simulation: FIRST:END");
}

AccessSelection SelectionArguments::selection() const
{
    AccessSelection selection;
    if (!steps.empty()) {
        selection.steps = parse_range(steps, "--steps");
    }
    if (!accesses.empty()) {
        selection.accesses = parse_range(accesses, "--accesses");
    }
    return selection;
}

std::string SelectionArguments::text() const
{
    return (steps.empty() ? "" : ", steps " + steps) +
           (accesses.empty() ? "" : ", accesses " + accesses);
}

int image_number(std::span<const Image> images, const std::string& name, const std::string& option)
{
    const auto found = std::find_if(images.begin(), images.end(),
                                    [&](const Image& image) { return image.name == name; });
    if (found == images.end()) {
        std::string known;
        for (const Image& image : images) {
            known += (known.empty() ? "" : ", ") + image.name;
        }
        throw bad_input("there is no image '" + name + "'", option, "images are " + known);
    }
    return static_cast<int>(found - images.begin());
}

void HeatMapArguments::add_to(CLI::App& parser)
{
    CLI::Option* const map =
        parser.add_option("--heatmap", file, "writes a heat map: F.png, F.csv or F.npy");
    parser.add_option("--heatmap-image", image, "its image (default: the first)")->needs(map);
    parser
        .add_option("--heatmap-of", of,
                    "reads, misses, compulsory, capacity, conflict, evictions, reuse (mean LRU "
                    "stack distance in "
                    "lines) or reuses (how many)")
        ->needs(map);
    parser
        .add_option("--heatmap-at", at, "its resolution: texel, line (of L1) or block:WIDTHxHEIGHT")
        ->needs(map);
    parser.add_option("--scale", scale, "colours: linear or log")
        ->check(CLI::IsMember({"linear", "log"}))
        ->needs(map);
}

HeatValue HeatMapArguments::value() const
{
    // The mean of distances: their sum, over how many there are.
    if (of == "reuse") {
        return {HeatQuantity::reuse_distances, HeatQuantity::reuses};
    }
    return {parse_heat_quantity(of), {}};
}

HeatRequest HeatMapArguments::request(std::span<const Image> images,
                                      const AccessSelection& selection) const
{
    if (!file.ends_with(".png") && !file.ends_with(".csv") && !file.ends_with(".npy")) {
        throw bad_input("'" + file + "' is neither .png nor .csv nor .npy", "--heatmap",
                        "choose one of these endings");
    }
    check_writable(file);
    if (images.empty()) {
        throw bad_input("the trace has no image", "--heatmap");
    }
    if (!image.empty()) {
        // Called for what they throw.
        (void)image_number(images, image, "--heatmap-image");
    }
    (void)parse_heat_resolution(at);
    const HeatValue shown = value();
    HeatRequest request{{shown.sum}, selection};
    if (shown.count) {
        request.quantities.push_back(*shown.count);
    }
    return request;
}

ordered_json HeatMapArguments::write(const HeatMaps& maps, const std::string& subject,
                                     std::span<const Image> images,
                                     const SimulationOptions& options,
                                     const SelectionArguments& selection,
                                     const GlobalOptions& global) const
{
    const int number = image.empty() ? 0 : image_number(images, image, "--heatmap-image");
    const HeatResolution resolution = parse_heat_resolution(at);
    const HeatTable table(maps, number, value(), cells_of(resolution, images, number, options),
                          resolution.kind);
    const Image& shown = images[static_cast<std::size_t>(number)];
    const std::string title = (of == "reuse" ? "mean reuse distance of " + shown.name + " in lines"
                                             : of + " of " + shown.name) +
                              resolution_text(resolution) + selection.text();
    write_file_atomically(file, file.ends_with(".png")
                                    ? to_png(table.picture(title + ": " + subject,
                                                           scale == "log" ? ColourScale::logarithmic
                                                                          : ColourScale::linear))
                                : file.ends_with(".csv") ? table.csv()
                                                         : table.npy());
    const auto& rectangle = table.cells().rectangle();
    print_note(
        global,
        fmt::format("heat map ({}) written to {}{}", title, file,
                    rectangle
                        ? ""
                        : "; the lines are no rectangles of one size, so each texel carries the "
                          "value of its line"));
    return {
        {"file", file},
        {"image", shown.name},
        {"of", of},
        {"at", to_string(resolution)},
        {"cells", table.cells().count()},
        {"cell", rectangle ? ordered_json{rectangle->width, rectangle->height} : ordered_json()}};
}

} // namespace texelscope::cli

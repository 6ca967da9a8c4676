#include "cli/output_folder.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "experiments/render/drawing.hpp"
#include "experiments/render/png.hpp"

#include <filesystem>
#include <system_error>

namespace texelscope::cli {

void make_output_folder(const std::string& path, const std::string& option)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!std::filesystem::is_directory(path)) {
        throw bad_input("this folder cannot be made" + (error ? ": " + error.message() : std::string()),
                        option + " " + path, "name another one");
    }
}

void write_plot(const std::string& base, const PanelPlot& plot)
{
    constexpr double pixels_per_unit = 2;
    const Drawing drawing = draw(plot);
    write_file_atomically(base + ".svg", to_svg(drawing, plot.title));
    write_file_atomically(base + ".png", to_png(to_picture(drawing, pixels_per_unit)));
}

} // namespace texelscope::cli

#include "workbench/plots/plot_files.hpp"

#include "base/atomic_file.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/plots/png.hpp"

namespace texelscope::workbench::plots {

void write_plot(const std::string& base, const PanelPlot& plot)
{
    constexpr double pixels_per_unit = 2;
    const Drawing drawing = draw(plot);
    write_file_atomically(base + ".svg", to_svg(drawing, plot.title));
    write_file_atomically(base + ".png", to_png(to_picture(drawing, pixels_per_unit)));
}

} // namespace texelscope::workbench::plots

#include "gui/tour/tour_steps.hpp"

#include "gui/widgets/translate.hpp"

namespace texelscope::gui {
StudyForm example_study()
{
    StudyForm form;
    form.op = "matmul";
    form.shape = "64,64,64";
    form.config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    form.device = "adreno-740";
    return form;
}

std::vector<TourStep> tour_steps()
{
    return {
        {tr("The study and its results"),
         tr("The example multiplies two 64×64 matrices on a simulated Adreno 740. The configuration says how: an "
            "access "
            "pattern for each input (A), the outputs of a work-item (T), the shape of a warp (W) and of a work-group "
            "(G). "
            "In the results, not one of the 3,072 lookups in the L1 hits, and the launch takes 27.73 µs. "
            "Try another pattern and run it with F5."),
         {"study_dock", "results_dock"}},
        {tr("The heat map"),
         tr("Each square is a texel of image A, in colour by how often it was read: 16 times, all of them. Choose "
            "misses "
            "under Quantity to see the texels at which a line had to be fetched. "
            "Zoom with the wheel, move with the mouse held down; the status bar reads out the texel under the mouse."),
         {"heat_map_view", "quantity"}},
        {tr("Playback"),
         tr("Playback goes through the warps' accesses one after the other: the texels that the lanes read, and the "
            "lines that the L1 of that core holds. The L1 has 32 lines here, and one access of image A brings in 8. "
            "Press Space in the heat map to play, comma and full stop to step."),
         {"playback"}},
        {tr("Ranking and histograms"),
         tr("The model looked at 30,400 configurations. It predicts 28.02 µs for this one and 5.92 µs for the first of "
            "the ranking. Double-click that row: its study runs, the simulated time falls to 6.77 µs, and the "
            "histograms' bars, "
            "the strides of a work-item that leave a block, get shorter."),
         {"ranking_dock", "histogram_dock"}},
        {tr("Kernel and cross-check"),
         tr("Every configuration has an OpenCL kernel. F6 times it on an OpenCL device of this machine and checks its "
            "output; PoCL is one that runs on the CPU. F7 asks model, simulator and device about a sample of the "
            "configurations "
            "and shows how well the three agree."),
         {"kernel_dock", "crosscheck_dock"}},
    };
}

} // namespace texelscope::gui

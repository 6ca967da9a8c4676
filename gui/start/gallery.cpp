#include "gui/start/gallery.hpp"

#include "gui/widgets/controls.hpp"

namespace texelscope::gui {
namespace {

StudyForm study(const char* op, const char* shape, const char* device, const char* config = "")
{
    StudyForm form;
    form.op = op;
    form.shape = shape;
    form.device = device;
    form.config = config;
    return form;
}

} // namespace

QString caption(const GalleryEntry& entry)
{
    if (std::holds_alternative<GalleryWalks>(entry.opens)) {
        return tr("latencies, ascending");
    }
    const auto* form = std::get_if<StudyForm>(&entry.opens);
    const std::string& device =
        form != nullptr ? form->device : std::get<GalleryTrace>(entry.opens).device;
    const bool kind = entry.quantity == HeatChoice::compulsory ||
                      entry.quantity == HeatChoice::capacity ||
                      entry.quantity == HeatChoice::conflict;
    return (kind ? tr("%1 misses, %2") : tr("%1, %2"))
        .arg(to_text(entry.quantity), QString::fromStdString(device));
}

std::vector<GalleryEntry> gallery()
{
    const QString operators = tr("Operators on a simulated Adreno 740");
    const QString misses = tr("Why lookups miss");
    const QString recorded = tr("Recorded and measured");
    return {
        {operators, tr("Matrix product"),
         tr("Each texel is read 16 times, yet no lookup hits: the L1 of 1 KiB loses each line "
            "before its other half is "
            "read."),
         study("matmul", "64,64,64", "adreno-740", "A=row,column;T=4x4;W=8x8;G=8x8x1"),
         HeatChoice::capacity},
        {operators, tr("Convolution"),
         tr("Windows of 3×3 overlap, so reads are far more than texels. More than half of the "
            "misses are for "
            "capacity."),
         study("conv2d", "1,14,14,32,32,3,3,1", "adreno-740"), HeatChoice::reads},
        {operators, tr("Depthwise convolution"),
         tr("No channel is summed with another, so little is used again: nine of ten lookups "
            "miss."),
         study("dwconv2d", "1,28,28,32,3,3,1", "adreno-740"), HeatChoice::misses},
        {operators, tr("Transposed convolution"),
         tr("A fifth of its reads lie outside of the image: they touch no memory, and the heat map "
            "has none of them."),
         study("deconv2d", "1,7,7,32,32,3,3,2", "adreno-740"), HeatChoice::capacity},
        {operators, tr("3D convolution"),
         tr("Slices lie side by side in one image. Windows share lines: four of ten lookups hit "
            "even this small L1."),
         study("conv3d", "1,4,8,8,16,16,3,3,3,1", "adreno-740"), HeatChoice::misses},
        {operators, tr("Softmax"),
         tr("Three sweeps over each row: every texel is read three times, and fetched anew each "
            "time."),
         study("softmax", "64,256", "adreno-740"), HeatChoice::capacity},
        {operators, tr("Layer normalisation"),
         tr("The rows are swept three times and miss; gamma and beta, one row each, are read by "
            "all work-items."),
         study("layernorm", "64,256", "adreno-740"), HeatChoice::compulsory},
        {operators, tr("Gradient of a convolution"),
         tr("The weight's gradient sums over all positions: three of four misses are for lines "
            "that were there "
            "before."),
         study("conv2d_dw", "1,14,14,32,32,3,3,1", "adreno-740"), HeatChoice::misses},
        {misses, tr("Conflict misses"),
         tr("Warps of one column: nine of ten misses are conflicts, none is for capacity. Lanes "
            "meet in the same "
            "sets."),
         study("matmul", "128,128,256", "mali-g77", "A=row,column;T=4x4;W=1x64;G=1x64x1"),
         HeatChoice::conflict},
        {misses, tr("The same without them"),
         tr("Warps of one row, 64×1 in place of 1×64: no conflict is left. Keep the study before "
            "as B (Ctrl+B)."),
         study("matmul", "128,128,256", "mali-g77", "A=row,column;T=4x4;W=64x1;G=64x1x1"),
         HeatChoice::misses},
        {misses, tr("A Mali with room"),
         tr("The first matrix product on a Mali-G710: its L1 keeps all that a core reads, each "
            "line misses once a "
            "core."),
         study("matmul", "64,64,64", "mali-g710", "A=row,column;T=4x4;W=8x8;G=8x8x1"),
         HeatChoice::misses},
        {recorded, tr("A rotation, recorded"),
         tr("An OpenCL program that knows nothing of Texelscope turns an image, four texels a "
            "sample: the reads are "
            "tilted."),
         GalleryTrace{"gallery/rotate-64x64.tst", 0, "mali-g77"}, HeatChoice::reads},
        {recorded, tr("A Gaussian blur, recorded"),
         tr("Launch 1 goes along columns and misses twice as often as launch 0 along rows. Choose "
            "above the heat map."),
         GalleryTrace{"gallery/gaussian_blur-64x48.tst", 1, "mali-g77"}, HeatChoice::misses},
        {recorded, tr("An H100's texture cache"),
         tr("Latencies of pointer chases on an NVIDIA H100: which texture caches and layouts "
            "explain them, and what "
            "stays open."),
         GalleryWalks{"measurements/h100-walks.csv.zst", "measurements/h100-walks-latencies.csv"}},
    };
}

} // namespace texelscope::gui

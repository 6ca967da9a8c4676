#include "experiments/papers/explanations.hpp"

#include <algorithm>
#include <array>

namespace texelscope::experiments {
namespace {

constexpr auto explanations = std::to_array<Explanation>({
    {"fig2", "the regression predicts walks",
     "model: a stride that leaves a block counts as a miss, though the block may be in the cache still; over strides "
     "into "
     "blocks that are not, held-out errors are below 4 % (calibrate)"},
    {"fig2", "two assumed shapes of blocks are too few",
     "wording: the paper calls its two shapes an example, not too few; 2x2 and 4x4 are the profile's L2 line and "
     "layout block"},
    {"fig4", "one thread is faster the larger its blocks",
     "profile: an L2 line of 64 B, carried over from the Adreno 640, is 2x2 texels of this layout, so that a column "
     "four high "
     "finds no more in it than one two high"},
    {"fig4", "one thread of block4 gains over column", "profile: as above: the L2 line ends at two rows"},
    {"fig4", "with the whole warp, column or row is the fastest",
     "profile: what the L1 loses the L2 has, 35 cycles farther; both latencies are carried over from the Adreno 640"},
    {"fig5", "that fall is linear",
     "wording: where n warps read the same data in step, one of them misses, which is 1 over n; no cache makes that a "
     "line"},
    {"fig5", "between the steps the time is the same",
     "set-up: the paper does not give its function; the 16 multiply-adds for each read assumed here fill the ALUs "
     "before "
     "all warps of a group are there"},
    {"fig5", "the time is that of one occupancy group times",
     "simulator: a later group finds some of the data in the L2, of which the image is 1.25 times, and starts while "
     "the one before ends"},
    {"fig5", "with the largest work-group, unrolling slows",
     "simulator: up to eight unrolled reads are under way together, which gains more than the lost warps cost; with "
     "issue.reads_in_flight=1 it holds"},
    {"table3", "the choices of the model as printed are",
     "model: equation 6 as printed counts work-groups, so that the smallest tile in the largest group wins; see "
     "readings"},
    {"table3", "for no kernel is a baseline's choice faster",
     "set-up: ours is the best of the bottleneck model's first eight, the baseline's of its own space's first four; "
     "for some "
     "kernels the first eight of the larger space miss what the smaller one has"},
    {"table3", "the gains over each baseline are the paper's",
     "set-up: all kernels come from one generator, so that what the frameworks' own kernel texts lose is not in it"},
    {"fig8", "MatMul: blocks are best",
     "profile: an L1 of 32 lines with an L2 close behind; few small products are bound by the latency of one thread"},
    {"fig8", "the choice is never slower",
     "set-up: the choice is the best of a short list by the bottleneck model, the base version's work-group is tuned "
     "by running all"},
    {"fig9", "predicted tiles alone are faster",
     "simulator: the convolution is so small that a tile leaves cores without warps: its best tile is none"},
    {"fig9", "predicted patterns make every kernel faster",
     "simulator: as above, rows are the convolution's best patterns"},
    {"fig9", "both together are at least as fast",
     "simulator: as above; the same kernel is a thousandth slower by its sample"},
    {"fig9", "the shortlist's choice is within 1 %",
     "model: the bottleneck model's first 64 do not have the best MatMul of 64x64x64, its first 512 do (fig10)"},
    {"fig9", "the choice of the model as printed", "model: equation 6 as printed counts work-groups; see readings"},
    {"fig10", "the model as printed chooses the best", "model: equation 6 as printed counts work-groups; see readings"},
    {"fig10", "where the model as printed is wrong", "model: equation 6 as printed counts work-groups; see readings"},
    {"readings", "they take 1.25 times the best",
     "model: L_t is the latency of dependent reads, groups of warps follow one another; what bounds these kernels is "
     "throughput"},
    {"readings", "they are within 1 % of the best", "model: as above"},
    {"readings", "on the shapes that a reading is chosen on",
     "set-up: it was chosen by the product over the simulated Adreno 740 and the H100, not on each by itself"},
    {"measured", "the model as printed chooses the best",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured", "where the model as printed is wrong",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured", "a choice that is not run takes 1.05", "model: an aim of ours that neither model reaches yet"},
    {"measured", "the best of the first eight", "model: an aim of ours that the worst shape misses"},
    {"measured-h100", "the model as printed chooses the best",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured-h100", "where the model as printed is wrong",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured-h100", "a choice that is not run takes 1.05", "model: an aim of ours that neither model reaches yet"},
    {"measured-h100", "the best of the first eight", "model: an aim of ours that the worst shape misses"},
    {"table5", "the model as printed takes less time",
     "set-up: a baseline's run costs its simulated time alone; building and starting kernels, seconds on a phone, is "
     "left out, "
     "so that the baselines with few runs pay next to nothing"},
    {"table5", "it takes at most 1 / 5.42", "set-up: as above"},
    {"table5", "no kernel runs until the model",
     "set-up: CLML's list is 15 work-groups at most and reuse distances run nothing; the paper does not say how many "
     "it runs"},
    {"table5", "reuse distances take the longest",
     "set-up: here they are computed in a pass over a sample, not from whole traces by PARDA"},
    {"table5", "one knob after the other", "set-up: as above: CLML's few runs cost next to nothing"},
    {"table5", "with 64 runs of each shape", "set-up: as above: CLML's few runs cost next to nothing"},
    {"table6", "the kernels of MobileNetV2 are faster",
     "wording: the paper's 68.8 times is of training, where MNN has no kernels for most gradients; forward kernels are "
     "compared here"},
    {"table6", "the gain is larger for MobileNetV2",
     "wording: as above: the gain is MNN's training, not its forward kernels"},
    {"table6", "the choices of the model as printed", "model: equation 6 as printed counts work-groups; see readings"},
    {"table6", "the gains carry over", "wording: as above: the gain is MNN's training, not its forward kernels"},
    {"romou-fig5", "up to 384 work-items take the same time",
     "profile: it is of the Adreno 640 (384 work-items); this device has other registers and warps: romou-fig5 "
     "--device adreno-640"},
    {"romou-fig5", "384 work-items run at once",
     "profile: it is of the Adreno 640, 384 x 181 registers; the Adreno 740 has 49152, which is 128 for as many "
     "work-items"},
    {"romou-fig7", "from 64 to 65",
     "simulator: warps of double size, two of which go through an ALU together, are not simulated"},
    {"romou-fig11", "with all data in the L1 the bound",
     "profile: the paper's figure is the Adreno 640's: romou-fig11 --device adreno-640"},
    {"romou-fig11", "a coarsening of 4x4 takes 48",
     "set-up: registers are those of Mesa's compiler, which has fewer live than the paper's 3 x 4 x 4"},
    {"romou-fig11", "no kernel is above the bound",
     "wording: the roof counts what work-items read; lanes that read one line share a lookup, so that kernels may be "
     "above it"},
    {"romou-pruning", "with L1 loads as the paper counts them",
     "set-up: the paper does not give its space; this one has more small tiles, which its loads exclude"},
    {"romou-fig17", "where the L1 is for textures only, images",
     "profile: the L2 serves buffers at 499 B a cycle to six cores, half of the L1's rate; with enough warps latency "
     "is hidden"},
    {"romou-fig17", "and about twice as fast",
     "profile: as above; the paper's ratio is that of bandwidths on the Adreno 640"},
    {"romou-fig18", "",
     "set-up: pruning by loads that every work-item makes excludes what is fastest here, kernels that keep many warps "
     "on a core; the paper prunes another space"},
    {"workgroup-fig4", "the higher the utilisation",
     "wording: the paper gives no number; tau is -0.79, our bound -0.8"},
    {"workgroup-fig5", "Conv: the share of sizes",
     "profile: of another device, and odd sizes leave part of each warp idle, which the simulated time follows more "
     "closely than a phone's"},
    {"workgroup-fig5", "Dw-Conv: the share of sizes", "profile: as above"},
    {"workgroup-fig5", "more sizes are within 15 %",
     "profile: the depthwise kernel is bound by memory on a phone, whose time hardly depends on its groups; the "
     "profile's bandwidth "
     "is assumed, seven times less than the L1's"},
    {"workgroup-table3", "sizes that follow a rule are better",
     "simulator: the sizes of few accesses for Dw-Conv (rule V) are wide and flat groups, whose warps end unevenly "
     "here"},
    {"workgroup-table3", "rule V, few data accesses",
     "simulator: as above; for Conv rules II and IV, which fill warps, weigh more than accesses, which the caches "
     "serve"},
    {"workgroup-table3", "every score is the paper's",
     "simulator: as above, and the paper's scores are means over its phones"},
    {"workgroup-table3", "sizes that follow the most rules",
     "simulator: as above: the sizes with all five rules are those of rule V"},
    {"training-fig3", "simulated: both optimisations",
     "simulator: local memory and barriers are left out of this experiment, so that tiling gains too much"},
    {"registers", "mali: whether threads are halved",
     "model: the estimate of registers is off by more than one around 32 for some kernels; a goal of ours"},
});

} // namespace

std::span<const Explanation> all_explanations()
{
    return explanations;
}

std::string explanation_of(std::string_view experiment, std::string_view claim)
{
    const auto found = std::ranges::find_if(explanations, [&](const Explanation& one) {
        return one.experiment == experiment && claim.find(one.claim) != std::string_view::npos;
    });
    return found == explanations.end() ? "" : std::string(found->why);
}

} // namespace texelscope::experiments

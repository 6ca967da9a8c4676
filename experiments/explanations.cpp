#include "experiments/explanations.hpp"

#include <algorithm>
#include <array>

namespace texelscope::experiments {
namespace {

constexpr auto explanations = std::to_array<Explanation>({
    {"fig2", "the regression predicts walks",
     "model: a stride that leaves a block counts as a miss, though the block may be in the cache still; over strides "
     "into blocks that are not, held-out errors are below 4 % (calibrate). The bound of 10 % is ours"},
    {"fig2", "two assumed shapes of blocks are too few",
     "wording: the paper calls its two shapes an example, not too few; 2x2 is the profile's L2 line, 4x4 its layout's "
     "block"},
    {"fig4", "one thread is faster the larger its blocks",
     "profile: a line of the L1 is two texels side by side (as in the paper's figure 3), so that half of the reads of "
     "any block pattern hit, however high. With L2 lines of 256 B, block4 gains over block2, but 1.34 to 1.27"},
    {"fig4", "one thread of block4 gains over column",
     "profile: with L1 lines of two texels half of the reads miss, which allows 1.34"},
    {"fig4", "with the whole warp, column or row is the fastest",
     "profile: what the L1 loses the L2 has, 35 cycles farther, as on the Adreno 640; it holds with latency.l2=196"},
    {"fig5", "that fall is linear",
     "wording: where n warps read the same data in step, one of them misses, which is 1 over n; no cache makes that a "
     "line"},
    {"fig5", "between the steps the time is the same",
     "set-up, probably: the paper does not give its function; the 16 multiply-adds for each read that are assumed here "
     "fill the ALUs before all warps of a group are there"},
    {"fig5", "the time is that of one occupancy group times",
     "simulator, probably: a later group finds some of the data in the L2"},
    {"fig5", "with the largest work-group, unrolling slows",
     "simulator: up to eight unrolled reads are under way together, which gains more than the lost warps cost; it "
     "holds with issue.reads_in_flight=1"},
    {"table3", "the choices of the model as printed are",
     "model: equation 6 as printed counts work-groups, so that small tiles in large groups win; see readings"},
    {"table3", "for no kernel is a baseline's choice faster",
     "set-up, probably: ours is the best of the bottleneck model's first eight in the whole space, a baseline's of its "
     "first four in a space that is much smaller"},
    {"table3", "the gains over each baseline are the paper's",
     "set-up: all kernels come from one generator, so that what the frameworks' own kernel texts lose is not in it"},
    {"fig8", "MatMul: blocks are best",
     "profile, probably: what the L1 loses the L2 has, 35 cycles farther, so that blocks lose little in large warps"},
    {"fig8", "the choice is never slower",
     "set-up, probably: the choice is the best of a short list by the bottleneck model, the base version's work-group "
     "that of all"},
    {"fig9", "predicted tiles alone are faster",
     "simulator: exhaustive search finds nothing better than the base version of this small convolution"},
    {"fig9", "predicted patterns make every kernel faster",
     "simulator: exhaustive search finds nothing better than rows for this small convolution"},
    {"fig9", "both together are at least as fast",
     "simulator: exhaustive search finds nothing better than the base version of this small convolution"},
    {"fig9", "the shortlist's choice is within 1 %",
     "model: the bottleneck model's first 64 do not have the best MatMul of 64x64x64, its first 512 do (fig10)"},
    {"fig9", "the choice of the model as printed", "model: equation 6 as printed counts work-groups; see readings"},
    {"fig10", "the model as printed chooses the best", "model: equation 6 as printed counts work-groups; see readings"},
    {"fig10", "where the model as printed is wrong", "model: equation 6 as printed counts work-groups; see readings"},
    {"readings", "they take 1.25 times the best",
     "model: L_t is the latency of dependent reads, and groups of warps follow one another; what bounds most of these "
     "kernels is throughput"},
    {"readings", "they are within 1 % of the best", "model: as for 1.25 times the best"},
    {"readings", "on the shapes that a reading is chosen on",
     "set-up: it was chosen by the product over the simulated Adreno 740 and the H100, not on each by itself"},
    {"measured", "the model as printed chooses the best",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured", "where the model as printed is wrong",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured", "choices of",
     "model: the 2,048 lines of the L1 hold all that a warp has between two reads of a line, so that L_w is L_t"},
    {"measured", "a choice that is not run takes 1.05", "model: an aim of ours that neither model reaches yet"},
    {"measured", "the best of the first eight", "model: an aim of ours that the worst shape misses"},
    {"measured-h100", "the model as printed chooses the best",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured-h100", "where the model as printed is wrong",
     "model: equation 6 as printed counts work-groups; see readings"},
    {"measured-h100", "choices of",
     "model: the 2,048 lines of the L1 hold all that a warp has between two reads of a line, so that L_w is L_t"},
    {"measured-h100", "a choice that is not run takes 1.05", "model: an aim of ours that neither model reaches yet"},
    {"measured-h100", "the best of the first eight", "model: an aim of ours that the worst shape misses"},
    {"table5", "the model as printed takes less time",
     "set-up: a run costs its simulated time alone; building and starting kernels is left out, so that baselines with "
     "few runs pay next to nothing"},
    {"table5", "it takes at most 1 / 5.42", "set-up: building and starting kernels is left out"},
    {"table5", "no kernel runs until the model",
     "set-up: CLML's list has 15 work-groups at most, and reuse distances run nothing; the paper does not say how many "
     "each runs"},
    {"table5", "reuse distances take the longest",
     "set-up, probably: here they are worked out from short samples of traces, there from whole ones"},
    {"table5", "one knob after the other",
     "set-up: building and starting kernels is left out, so that CLML's few runs cost next to nothing"},
    {"table5", "with 64 runs of each shape",
     "set-up: building and starting kernels is left out, so that CLML's few runs cost next to nothing"},
    {"table6", "the kernels of MobileNetV2 are faster",
     "set-up: the paper's 68.8 times is of training; the forward kernels are compared here"},
    {"table6", "the gain is larger for MobileNetV2",
     "set-up: the paper's 68.8 times is of training; the forward kernels are compared here"},
    {"table6", "the choices of the model as printed", "model: equation 6 as printed counts work-groups; see readings"},
    {"table6", "the gains carry over",
     "set-up: the paper's gains are of training; the forward kernels are compared here"},
    {"tmmodel-table7", "simulated: with DNNFusion's policy both",
     "set-up: all plans fuse alike, so that DNNFusion's own fusion is not in it; with SmartMem's layout the 3x3 "
     "convolutions of "
     "14x14 take 1.5 times as long as with MNN's, the others about as long"},
    {"tmmodel-table7", "simulated: the gain over MNN's policy is larger",
     "set-up: 83 to 90 % of ViT's time are products with constant weights in any of the three plans, and these take "
     "50, 48 and "
     "45 ms: where values lie hardly matters to them, and the 533 ms of the paper's MNN are of its own kernel texts"},
    {"tmmodel-table7", "simulated: the four gains",
     "set-up: all kernels come from one generator and fuse alike; with MNN's policy ViT takes 61 ms over these "
     "kernels, where the "
     "paper's MNN takes 533"},
    {"tmmodel-table7", "simulated: with our plans both",
     "profile: twice as many multiply-adds a cycle in half precision are assumed; in single floats, with the same 256 "
     "lanes as a core "
     "of the Adreno 630, ResNet-18 takes 5.8 ms"},
    {"romou-fig5", "up to 384 work-items take the same time",
     "profile: the paper's is of the Adreno 640, on which it holds"},
    {"romou-fig5", "384 work-items run at once",
     "profile: the paper's is of the Adreno 640, on which it holds; 49152 registers are 128 for each of 384"},
    {"romou-fig7", "from 64 to 65",
     "simulator: warps of double size, two of which go through an ALU together, are not simulated"},
    {"romou-fig11", "with all data in the L1 the bound",
     "profile: the paper's is of the Adreno 640, on which it holds"},
    {"romou-fig11", "a coarsening of 4x4 takes 48",
     "set-up: registers are those of Mesa's compiler, which keeps fewer than the paper's 3 x 4 x 4"},
    {"romou-fig11", "no kernel is above the bound",
     "wording: the roof counts what work-items read; lanes that read one line share a lookup"},
    {"romou-pruning", "with L1 loads as the paper counts them", "set-up, probably: the paper does not give its space"},
    {"romou-fig17", "where the L1 is for textures only, images",
     "simulator, probably: with enough warps the latency of the L2 is hidden, and its bandwidth serves one line for "
     "all lanes that read it"},
    {"romou-fig17", "and about twice as fast",
     "simulator, probably: with enough warps the latency of the L2 is hidden, and its bandwidth serves one line for "
     "all lanes that read it"},
    {"romou-fig18", "",
     "set-up, probably: the paper does not give its space; of this one, the loads that it counts exclude what is "
     "fastest here"},
    {"workgroup-fig4", "the higher the utilisation", "wording: the paper gives no number; the bound of -0.8 is ours"},
    {"workgroup-fig5", "the share of sizes",
     "simulator, probably: sizes that are no multiple of a warp lose more here than on the paper's phones"},
    {"workgroup-fig5", "more sizes are within 15 %",
     "simulator, probably: sizes that are no multiple of a warp lose more here than on the paper's phones, for both "
     "kernels alike"},
    {"workgroup-table3", "sizes that follow a rule are better",
     "simulator, probably: rule V counts accesses, which the simulated caches serve for any shape; for Dw-Conv its "
     "sizes are among the slowest"},
    {"workgroup-table3", "rule V, few data accesses",
     "simulator, probably: rule V counts accesses, which the simulated caches serve for any shape"},
    {"workgroup-table3", "every score is the paper's",
     "simulator, probably: as for rule V; the paper's scores are moreover over all of its phones"},
    {"workgroup-table3", "sizes that follow the most rules",
     "simulator, probably: as for rule V, which all of them follow"},
    {"judges", "simulator orders measured",
     "simulator: values of the profile were identified on the smaller shapes, on which it agrees better (table "
     "measured)"},
    {"judges", "simulator's choice takes", "simulator: as for its order"},
    {"judges", "simulator's times are", "simulator: as for its order"},
    {"judges", "bottleneck model orders measured",
     "model: it goes by the simulator's description of the device, of which values were identified on the smaller "
     "shapes"},
    {"judges", "bottleneck model's choice takes", "model: as for its order"},
    {"judges", "what the simulator puts first", "simulator: its order among the model's first decides"},
    {"romou-fig13", "adreno-640: each of these averages",
     "set-up: all kernels come from one generator, so that what TVM's own kernel texts lose is not in it; over these "
     "kernels textures make a "
     "network 1.5 to 1.8 times as fast as buffers, and the rest of our search 1.3 to 1.5 times"},
    {"romou-fig13", "mali-g76: each of these averages",
     "set-up: all kernels come from one generator, so that what TVM's own kernel texts lose is not in it; textures "
     "gain nothing on this "
     "device, whose buffers have a cache as good"},
    {"romou-fig13", "of all convolutions, 1x1 gain the most",
     "set-up: 1x1 convolutions have no taps, whose loops our search writes out and orders; with textures TVM's take "
     "1.06 times ours, its "
     "3x3 1.37 times"},
    {"workgroup-fig6", "adreno: with the rules'",
     "set-up: TFLite's rule is the current one, with 256 work-items that span all channels; the paper's table of 2020 "
     "is not at hand. Of "
     "ResNet-101's convolutions the rules' sizes take 1.2 times, sizes at random 2.3 times as long as that rule's; of "
     "InceptionV3's 1.7 and "
     "2.4 times. Leaving out any one rule does not bring them to it"},
    {"workgroup-fig6", "mali: with the rules'",
     "set-up: TFLite's is the fastest of eight that are run, the rules' is one of many that are left. Of MobileNetV1's "
     "convolutions the "
     "eight take 1.3 times the fastest's time on average, the rules' sizes 1.6 times, sizes at random 2.1 times"},
    {"workgroup-fig6", "no network takes longer", "set-up: as on average"},
    {"workgroup-fig6", "the largest gain is of", "set-up: as on average; only both VGGs gain, on the Adreno"},
    {"workgroup-fig6", "mali: arithmetic units are busy",
     "profile, probably: what an operation on addresses costs a Mali's core, and what is issued with it, is assumed"},
    {"workgroup-fig6", "where each size is run",
     "set-up: building a kernel for each size is not in it, which is most of an initialisation of minutes; sizes of "
     "other layers "
     "are not counted"},
    {"forms", "simulated: calculating common parts of addresses once makes each",
     "simulator, probably: the texture path bounds the largest convolution, and what is issued besides spreads its "
     "reads"},
    {"forms", "simulated: calculating common parts of addresses once makes one 6 times",
     "set-up: our addresses are sums; Romou's are made from a linear index at each access, by division and remainder"},
    {"forms", "simulated: multiplying by scalars that are not written out as vectors makes each",
     "simulator: the texture path bounds the largest convolution, and hides the moves"},
    {"forms", "simulated: multiplying by scalars that are not written out as vectors makes one 4.9 times",
     "set-up, probably: one vector more is taken to be live at a time; Romou's gain is from registers that no longer "
     "spill"},
    {"forms", "simulated: sharing a reduction among work-items makes one 2.2 times",
     "set-up, probably: Mace's kernel is another; of ours the fastest without a split has a texel of outputs for each "
     "work-item, and misses under way bound it"},
    {"forms", "simulated: copying blocks to local memory",
     "profile, probably: what local memory serves in a cycle is assumed, and the L1 serves lanes that read one line at "
     "once. Romou has local memory slower than cache, too; what the study's blocks gain over its naive kernel, square "
     "work-groups gain here"},
    {"registers", "mali: whether threads are halved",
     "model: the estimate's error around 32 registers; an aim of ours"},
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

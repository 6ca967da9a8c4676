#pragma once

#include "codegen/nest/access_pattern.hpp"
#include "traces/launch.hpp"

#include <array>
#include <string>
#include <vector>

namespace texelscope::codegen {

enum class FrameworkLayout;

/// Where a tensor lies on the device.
enum class Memory {
    image,  ///< a 2D image, read through the texture cache
    buffer, ///< a buffer of the same texels, one after the other
};
[[nodiscard]] std::string to_string(Memory memory);

/// How the numbers of every tensor are stored. Sums of numbers in half precision: see HalfSums.
enum class Storage { fp32, fp16 };
[[nodiscard]] std::string to_string(Storage storage);
[[nodiscard]] int bytes_per_texel(Storage storage); ///< 16 or 8

/// The precision of sums of numbers that are stored in half precision.
enum class Sums {
    carried, ///< half precision, and float32 where it would not do (HalfSums)
    fp32,    ///< products and sums in float32, as in TVM's kernels whose names end in "acc32"
    fp16,    ///< half precision to the end, as frameworks for phones have it
};

/// The axes of the grid in the order in which work-items and work-groups are numbered along them:
/// with `yzx` work-items that follow each other lie side by side along y.
enum class Numbering { xyz, xzy, yxz, yzx, zxy, zyx };
/// The axes (0, 1, 2 for x, y, z), from the one along which numbers run fastest.
[[nodiscard]] std::array<std::size_t, 3> axes_of(Numbering numbering);

/// How to compute an operator: an immutable value that prints and parses as
/// "A=block4,column;T=4x4;W=8x8;G=16x8x1", followed by those of the options below that differ from
/// their default, e.g. ";U=kh,kw;M=image,buffer,image;P=fp16". The letter before each member is its
/// key in this text. Legality depends on the operator; it is checked where an operator is lowered
/// (loop_nest()), which throws bad_input with the reason.
struct Schedule {
    /// A: one pattern for each input, in input order. Legal: every pattern for every input.
    std::vector<AccessPattern> patterns;
    /// T: outputs of one work-item along each output dimension, x (innermost) first; fully
    /// unrolled. What a texel packs follows from it: a multiple of four along x packs four
    /// neighbours along x, else along y. Legal: as many sizes as the operator has grid axes (2 or
    /// 3), at most 1024 outputs together.
    std::vector<std::int32_t> tile;
    /// W: shape of the block of work-items whose numbers are made consecutive, along the first two
    /// axes of N. Legal: it tiles the work-group (wx divides bx, wy divides by), because the
    /// remapping is done inside the kernel.
    std::array<std::int32_t, 2> warp{};
    /// G: work-group size in tiles, x first; `split` multiplies the number of its work-items.
    Dim3 group{};
    /// N: the axes in the order in which work-items are numbered. Legal: z is the last where there
    /// is no z; not together with S.
    Numbering numbering = Numbering::xyz;
    /// D: how many work-items take turns along each output dimension, x first. Where it is d, d
    /// work-items share d times T outputs: the first takes those of the first turn, the next those
    /// of the second, and so on, T/K times round. 1: the outputs of a work-item lie side by side.
    /// With d as large as the work-group they are the virtual threads of TVM.
    /// Legal: sizes that are missing, and those of axes that T does not have, are 1.
    std::vector<std::int32_t> turns = {};
    /// K: outputs of one turn, which lie side by side. Legal: it divides T, and the vectors divide
    /// it. A size that is missing: one vector along the dimension that is packed, one output along
    /// others.
    std::vector<std::int32_t> turn = {};
    /// L: names of the reduction loops, from the outermost to the innermost. Empty: the operator's
    /// own order. A loop can be split: "ci/2" is an outer loop over blocks of two iterations, "ci"
    /// further inside the loop over those of a block. Legal: each of the operator's reduction loops
    /// once; the blocks, outside of their loop, divide its iterations (a packed dimension has one
    /// for each texel).
    std::vector<std::string> order = {};
    /// U: reduction loops that are written out, by their names in L; texels that several of their
    /// iterations need are then read once. Legal: together at most 128 iterations.
    std::vector<std::string> unroll = {};
    /// R: number of work-items that share one reduction; each takes a part of it, and they add up
    /// their results in local memory. Legal: at most 256; not for an operator without a reduction.
    /// The loop that is divided is the one over channels, or the innermost where there is none.
    std::int32_t split = 1;
    /// S: block size of copies to local memory, in iterations of a reduction loop; 0: no copies,
    /// every work-item reads for itself. A work-group reads the texels of a block of S iterations
    /// once into local memory, and all of its work-items that need them take them from there.
    /// (Windows that overlap only in part are copied separately.) The loop is the innermost that is
    /// not written out; its iterations are rounded up to whole blocks, with zeros. Legal: in a
    /// block, each shared input has as many texels as the group has work-items, or a multiple of
    /// it, so that all copy equally; each work-item copies at most 256 texels; S is at most 1024;
    /// no loop around that one is written out; G's third size is 1, R is 1. Whether local memory
    /// suffices is checked for each device (check_limits()).
    std::int32_t stage = 0;
    /// M: memory of each input, then of the output. Empty: images all of them. Legal: one for each
    /// tensor.
    std::vector<Memory> memory = {};
    /// P: how the numbers of all tensors are stored.
    Storage storage = Storage::fp32;
    /// C: the precision of sums. Legal: fp16 only where numbers are stored so, and R is 1.
    Sums sums = Sums::carried;
    /// F: the layout of each input, then of the output, as a framework has it; it replaces A or O
    /// there. Empty: A and O hold. Legal: one for each tensor; only images and weights of
    /// convolutions have such layouts.
    std::vector<FrameworkLayout> frameworks = {};
    /// V: how many numbers one vector of sums holds: 4, 8 or 16. Wider vectors join texels that are
    /// neighbours along the packed dimension, which helps devices whose registers are vectors
    /// (CPUs). Legal: T is a multiple of it along that dimension.
    std::int32_t vector = 4;
    /// O: access pattern in which the output is written. The dimension along x is the pattern's
    /// reduction index, as it is for the next kernel that reads this output.
    AccessPattern output = AccessPattern::row;
    /// B: whether a product of a scalar and a vector is written as it is (auto), or with the scalar
    /// first written out as a vector (splat).
    bool splat = false;
    /// E: whether common parts of addresses are calculated once, outside of the loops that do not
    /// change them.
    bool eliminate_addresses = true;

    bool operator==(const Schedule&) const = default;

    [[nodiscard]] Memory memory_of(std::size_t tensor) const
    {
        return memory.empty() ? Memory::image : memory[tensor];
    }
    [[nodiscard]] FrameworkLayout framework_of(std::size_t tensor) const
    {
        return frameworks.empty() ? FrameworkLayout{} : frameworks[tensor];
    }
    /// D along an axis.
    [[nodiscard]] std::int64_t turns_along(std::size_t axis) const
    {
        return axis < turns.size() ? turns[axis] : 1;
    }
    /// G in the order of N: the sizes of the work-group as the launch has them.
    [[nodiscard]] Dim3 launched_group() const
    {
        const auto axes = axes_of(numbering);
        return {group[axes[0]], group[axes[1]], group[axes[2]]};
    }
};

/// Reads a schedule from text. Parts may come in any order; A, T and G exactly once, the others at
/// most once. If W is missing, it is the natural shape: G along the first two axes of N. A missing
/// third size of G is 1. Throws bad_input, naming the part, for text that is malformed or a number
/// below 1.
[[nodiscard]] Schedule parse_schedule(const std::string& text);
[[nodiscard]] std::string to_string(const Schedule& schedule);

/// Checks what every operator demands of a schedule: one pattern for each input, one memory for
/// each tensor or none at all, at most 1024 outputs of one work-item, at most 256 work-items to a
/// reduction. Throws bad_input with the reason; `where` is for the message.
void check_schedule(const Schedule& schedule, const std::vector<std::string>& input_names,
                    const std::string& where);

} // namespace texelscope::codegen

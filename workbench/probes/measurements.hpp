#pragma once

#include "workbench/probes/probe.hpp"

#include <cstdint>

namespace texelscope::workbench::probes {

/// Multiply-adds from registers a second by vector width and storage, all cores busy; where the
/// clock is known, lanes of a core that work together: multiply-adds a cycle and core.
[[nodiscard]] ProbeResult probe_arithmetic(Target& target, const Known& known,
                                           const ProbeOptions& options);

/// Bytes a second that all cores read from buffers, by the size of the array and by the width of
/// the reads, and from constant memory, where all work-items of a group read the same element or
/// each its own. Bytes are those that work-items get.
[[nodiscard]] ProbeResult probe_buffer_bandwidth(Target& target, const Known& known,
                                                 const ProbeOptions& options);

/// The caches that reads of images go through (probe_cache_levels()).
[[nodiscard]] ProbeResult probe_texture_caches(Target& target, const Known& known,
                                               const ProbeOptions& options);

/// The caches that reads of buffers go through, and from these and those of images
/// limits.buffer_l1: 0 where the first that buffers meet is the second level of images, by its
/// capacity and latency.
[[nodiscard]] ProbeResult probe_buffer_caches(Target& target, const Known& known,
                                              const ProbeOptions& options);

/// Clock and temperature before, during and after some seconds of arithmetic on all cores, as the
/// system tells them; a note where it does not.
[[nodiscard]] ProbeResult probe_conditions(Target& target, const Known& known,
                                           const ProbeOptions& options);

/// What the host pays: the time from the call to the end of a kernel that does nothing, and copies
/// between host and device by size, both directions, to buffers and images: of each the rate (least
/// time per further byte) and the fixed cost, by a line through the times. Then how copying
/// compares with computing for square SGEMMs whose operands lie in buffers; that needs
/// fp32.multiply_adds, and a note says so where it is not known.
[[nodiscard]] ProbeResult probe_host(Target& target, const Known& known,
                                     const ProbeOptions& options);

/// How fast images are read from each level: by all cores, and by fewer, which tells a port that
/// all share from what each core can have under way. Needs the caches' lines and capacities and
/// warp.size.
[[nodiscard]] ProbeResult probe_image_bandwidth(Target& target, const Known& known,
                                                const ProbeOptions& options);

/// Local memory: latency by a chase, over the size of the array, and bytes a second by the width of
/// the reads.
[[nodiscard]] ProbeResult probe_local_memory(Target& target, const Known& known,
                                             const ProbeOptions& options);

/// A kernel of one work-group of `items` work-items; each reads the same texel again and again and
/// keeps `registers` registers live.
[[nodiscard]] ReadKernel same_texel_kernel(std::int64_t items, int registers);

/// How many times as long as a kernel of few registers a kernel takes when some of its warps have
/// to wait for others.
inline constexpr double some_wait = 1.3;

/// Registers of a core and of a work-item (Romou, figure 5): one work-group of dependent reads,
/// with more and more registers and warps. Where the registers do not suffice for all warps at
/// once, the rest waits and the time jumps; for each number w of warps the largest number r of
/// registers without a jump says that the core has from r w to below (r + 1) w warps' worth of
/// them, or that a work-item cannot have more. Needs warp.size.
[[nodiscard]] ProbeResult probe_registers(Target& target, const Known& known,
                                          const ProbeOptions& options);

/// How long stores of a warp hold the port through which all cores reach the level they share
/// (Machine::stores): a line through the times of patterns of one to all lanes side by side, of 16
/// and 8 B each, in the sectors that are written whole and in part, and in lines. Needs warp.size.
/// Lines are l2.line, sectors l1.sector; where these are not known, 128 and 32 B.
[[nodiscard]] ProbeResult probe_stores(Target& target, const Known& known,
                                       const ProbeOptions& options);

/// Texels a second from the first level by their format: numbers of a texel (R, RG, RGBA) and their
/// type. A format that the device does not have is named in a note.
[[nodiscard]] ProbeResult probe_texel_formats(Target& target, const Known& known,
                                              const ProbeOptions& options);

/// Work-items of a warp, by two methods that have to agree:
/// - arithmetic in many work-groups takes time in steps of whole warps as the groups grow
///   (ArchProbe's method);
/// - work-items of a warp come to a shared counter one right after the other (Romou, listing 3);
///   how many warps take turns there is how many run together on a core.
[[nodiscard]] ProbeResult probe_warp_size(Target& target, const Known& known,
                                          const ProbeOptions& options);

/// TMModel 3.1, steps I and II: one work-item goes along random walks, each with a distribution of
/// strides of its own, and the time of an access is taken. The walks are calibration_walks() of the
/// options' seed, of the sizes in ProbeResult::given. How much a list of places adds to a read is
/// measured along: the same texel again and again, from a list and linked to itself.
[[nodiscard]] ProbeResult probe_tmmodel_walks(Target& target, const Known& known,
                                              const ProbeOptions& options);

/// TMModel 3.2.1: one warp of 1, 2, .. warp size lanes streams through texels of its own in five
/// patterns; the time of a step. The streams are calibration_streams() of ProbeResult::given. A
/// real device's launch of a single step is taken off. Needs warp.size; l2.capacity, where it is
/// known, says how much has to be streamed.
[[nodiscard]] ProbeResult probe_tmmodel_warps(Target& target, const Known& known,
                                              const ProbeOptions& options);

} // namespace texelscope::workbench::probes

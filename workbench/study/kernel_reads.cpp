#include "workbench/study/kernel_reads.hpp"

#include <algorithm>
#include <variant>

namespace texelscope::workbench::study {
namespace {

constexpr std::int64_t enough_reads = 256; ///< reads of one work-item that are looked at
constexpr std::int64_t enough_of_several =
    4096; ///< where loops follow each other, since a later loop reads what an earlier one did
constexpr std::int64_t most_lanes = 64;

/// The first read of each image in program order.
void first_reads(const std::vector<Statement>& body, std::vector<const AccessFunction*>& of_image)
{
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            auto& first = of_image[static_cast<std::size_t>(access->image)];
            first = first == nullptr ? access : first;
        } else if (const auto* loop = std::get_if<Loop>(&statement)) {
            first_reads(loop->body, of_image);
        }
    }
}

/// The first store in program order; null where there is none.
const Store* first_store(const std::vector<Statement>& body)
{
    for (const Statement& statement : body) {
        const Store* found = nullptr;
        if (const auto* work = std::get_if<Work>(&statement)) {
            found = work->store ? &*work->store : nullptr;
        } else if (const auto* loop = std::get_if<Loop>(&statement)) {
            found = first_store(loop->body);
        }
        if (found != nullptr) {
            return found;
        }
    }
    return nullptr;
}

Texel texel_at(const AccessFunction& access, const std::vector<std::int64_t>& values)
{
    return {static_cast<std::int32_t>(access.x.evaluate(values)),
            static_cast<std::int32_t>(access.y.evaluate(values))};
}

/// Sets every loop variable to that share (0 to 1) of its loop's iterations.
void set_loops(const std::vector<Statement>& body, double share, std::vector<std::int64_t>& values)
{
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            const auto slot = static_cast<std::size_t>(loop->variable.slot);
            values.resize(std::max(values.size(), slot + 1), 0);
            values[slot] = static_cast<std::int64_t>(share * static_cast<double>(loop->extent()));
            set_loops(loop->body, share, values);
        }
    }
}

/// The number of loops with that many iterations; a loop inside of another such loop does not
/// count.
std::int64_t loops_of(const std::vector<Statement>& body, std::int64_t iterations)
{
    std::int64_t count = 0;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            count += loop->extent() == iterations ? 1 : loops_of(loop->body, iterations);
        }
    }
    return count;
}

} // namespace

KernelReads::KernelReads(const Launch& launch) : launch_(launch)
{
    std::vector<const AccessFunction*> firsts(launch_.images.size(), nullptr);
    first_reads(launch_.body, firsts);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        images_.push_back(firsts[i] != nullptr ? of_image(*firsts[i], launch_.images[i].extent)
                                               : OfImage{});
    }
    find_output();
    all_ = reads_per_item(launch_.body);
    const Launch part = shortened(all_);
    reads_ = item_reads(part, middle(), {0, 0, 0});
    beside_ = neighbours(part);
    // Of a shortened loop only the second half counts: in the first half most places are read
    // for the first time.
    steady_ = reads_.size() < static_cast<std::size_t>(all_) ? reads_.size() / 2 : 0;
}

void KernelReads::find_output()
{
    const Store* const store = first_store(launch_.body);
    if (store == nullptr || !launch_.output) {
        return;
    }
    const Extent2D extent = launch_.output->extent;
    const AccessFunction place{0, store->x, store->y};
    output_ = of_image(place, extent);
    writers_ = 0;
    std::vector<std::int64_t> values = inner_read(place, extent);
    for (std::int64_t item = 0; item < launch_.group_size(); ++item) {
        set_local_id(values, item);
        const bool writes = std::ranges::all_of(store->guards, [&](const Guard& guard) {
            return guard.value.evaluate(values) < guard.bound;
        });
        writers_ += writes ? 1 : 0;
    }
}

KernelReads::OfImage KernelReads::of_image(const AccessFunction& access,
                                           const Extent2D& image) const
{
    OfImage reads;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reads.along[axis] = side_by_side(access, image, axis);
    }
    if (launch_.group_size() > 1) {
        reads.together = of_group(access, image);
    }
    return reads;
}

/// The work-item (or group) in the middle of the grid: at the edges, reads outside of the image
/// would distort the counts.
Dim3 KernelReads::middle() const
{
    return {launch_.groups[0] / 2, launch_.groups[1] / 2, launch_.groups[2] / 2};
}

/// Values of all variables for one read by the work-item in the middle. If possible they are
/// such that the read lies within the image: the first iteration of a loop may lie outside, and
/// so may a tap that a phase of a strided transposed convolution does not have.
std::vector<std::int64_t> KernelReads::inner_read(const AccessFunction& access,
                                                  const Extent2D& image) const
{
    std::vector<std::int64_t> values(slots::first_loop_slot, 0);
    const Dim3 at = middle();
    for (std::size_t i = 0; i < 3; ++i) {
        values[slots::group_x + i] = at[i];
    }
    for (const double share : {0.5, 0.25, 0.75, 0.0}) {
        set_loops(launch_.body, share, values);
        if (image.contains(texel_at(access, values))) {
            break;
        }
    }
    return values;
}

std::vector<Texel> KernelReads::side_by_side(const AccessFunction& access, const Extent2D& image,
                                             std::size_t axis) const
{
    const int slot = slots::group_x + static_cast<int>(axis);
    std::vector<Texel> texels;
    if (launch_.groups[axis] < 2 ||
        !(access.x.uses_slots(slot, slot + 1) || access.y.uses_slots(slot, slot + 1))) {
        return texels;
    }
    const std::int64_t lanes = std::min<std::int64_t>(most_lanes, launch_.groups[axis]);
    std::vector<std::int64_t> values = inner_read(access, image);
    const std::int64_t first =
        std::min<std::int64_t>(middle()[axis], launch_.groups[axis] - lanes) / most_lanes *
        most_lanes;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        values[static_cast<std::size_t>(slot)] = first + lane;
        texels.push_back(texel_at(access, values));
    }
    return texels;
}

std::vector<Texel> KernelReads::of_group(const AccessFunction& access, const Extent2D& image) const
{
    std::vector<std::int64_t> values = inner_read(access, image);
    std::vector<Texel> texels;
    for (std::int64_t item = 0; item < launch_.group_size(); ++item) {
        set_local_id(values, item);
        texels.push_back(texel_at(access, values));
    }
    return texels;
}

void KernelReads::set_local_id(std::vector<std::int64_t>& values, std::int64_t item) const
{
    const Dim3 id = local_id(item);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        values[slots::local_x + axis] = id[axis];
    }
}

Dim3 KernelReads::local_id(std::int64_t item) const
{
    return {static_cast<std::int32_t>(item % launch_.local[0]),
            static_cast<std::int32_t>(item / launch_.local[0] % launch_.local[1]),
            static_cast<std::int32_t>(item / launch_.local[0] / launch_.local[1])};
}

/// The launch with its longest loop shortened so that about `enough` reads of a work-item are
/// left.
Launch KernelReads::shortened(std::int64_t all_reads) const
{
    const std::int64_t iterations = longest_loop(launch_);
    const std::int64_t enough =
        loops_of(launch_.body, iterations) > 1 ? enough_of_several : enough_reads;
    const std::int64_t fewer =
        std::max<std::int64_t>(4, iterations * enough / std::max<std::int64_t>(1, all_reads));
    return fewer < iterations ? with_longest_loop(launch_, fewer) : launch_;
}

/// Those whose reads the work-item in the middle may find in the caches: its neighbours on both
/// sides along each axis, and other work-items of its group. Of large groups, 16 work-items are
/// looked at.
std::vector<Neighbour> KernelReads::neighbours(const Launch& part) const
{
    std::vector<Neighbour> beside;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int step : {-1, 1}) {
            Dim3 at = middle();
            at[axis] += step;
            if (at[axis] >= 0 && at[axis] < launch_.groups[axis]) {
                beside.push_back({static_cast<int>(axis), item_reads(part, at, {0, 0, 0})});
            }
        }
    }
    constexpr std::int64_t looked_at = 16;
    for (std::int64_t other = 1; other < std::min(looked_at, launch_.group_size()); ++other) {
        const std::int64_t item =
            launch_.group_size() <= looked_at ? other : other * launch_.group_size() / looked_at;
        beside.push_back({ReadStream::Return::itself, item_reads(part, middle(), local_id(item))});
    }
    return beside;
}

} // namespace texelscope::workbench::study

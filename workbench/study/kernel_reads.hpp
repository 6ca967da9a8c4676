#pragma once

#include "model/bottleneck/read_stream.hpp"
#include "traces/launch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::workbench::study {

/// The reads that another work-item makes in the same order.
struct Neighbour {
    int axis = ReadStream::Return::itself; ///< along which it is one; itself: of the same group
    std::vector<ItemRead> reads;
};

/// What a launch reads, on whatever machine.
class KernelReads {
public:
    /// What work-items read of one image in one read.
    struct OfImage {
        std::array<std::vector<Texel>, 3> along; ///< side by side; empty: it makes no difference
        std::vector<Texel> together;             ///< of a group of several work-items
    };

    explicit KernelReads(const Launch& launch);

    [[nodiscard]] const Launch& launch() const { return launch_; }
    [[nodiscard]] const std::vector<OfImage>& images() const { return images_; }
    /// The same of what they write in one store; empty where that is not known.
    [[nodiscard]] const OfImage& output() const { return output_; }
    /// Work-items of a group that pass the guards of that store.
    [[nodiscard]] std::int64_t writers() const { return writers_; }
    /// Of a work-item in the middle of the grid: a part of `all()`.
    [[nodiscard]] const std::vector<ItemRead>& reads() const { return reads_; }
    [[nodiscard]] std::int64_t all() const { return all_; }
    /// The number of the first read that stands for the rest.
    [[nodiscard]] std::size_t steady() const { return steady_; }
    [[nodiscard]] const std::vector<Neighbour>& beside() const { return beside_; }

private:
    void find_output();
    [[nodiscard]] OfImage of_image(const AccessFunction& access, const Extent2D& image) const;
    [[nodiscard]] Dim3 middle() const;
    [[nodiscard]] std::vector<std::int64_t> inner_read(const AccessFunction& access,
                                                       const Extent2D& image) const;
    [[nodiscard]] std::vector<Texel> side_by_side(const AccessFunction& access,
                                                  const Extent2D& image, std::size_t axis) const;
    [[nodiscard]] std::vector<Texel> of_group(const AccessFunction& access,
                                              const Extent2D& image) const;
    void set_local_id(std::vector<std::int64_t>& values, std::int64_t item) const;
    [[nodiscard]] Dim3 local_id(std::int64_t item) const;
    [[nodiscard]] Launch shortened(std::int64_t all_reads) const;
    [[nodiscard]] std::vector<Neighbour> neighbours(const Launch& part) const;

    Launch launch_;
    std::vector<OfImage> images_;
    OfImage output_;
    std::int64_t writers_ = 1;
    std::int64_t all_ = 0;
    std::vector<ItemRead> reads_;
    std::size_t steady_ = 0;
    std::vector<Neighbour> beside_;
};

} // namespace texelscope::workbench::study

#pragma once

#include "gui/heat_map/heat_layer.hpp"
#include "workbench/study/study_form.hpp"

#include <QString>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::gui {

/// A recorded program, simulated on the device of a profile.
struct GalleryTrace {
    std::string file; ///< of shipped_file()
    int launch = 0;
    std::string device;
};

/// Measured walks through an image, from which a texture cache is identified.
struct GalleryWalks {
    std::string walks;     ///< of shipped_file()
    std::string latencies; ///< likewise: "walk,ns_per_read"
};

/// Something ready to be opened that is worth a look: a study, a recorded program or measured
/// walks. The start page has a card for each.
struct GalleryEntry {
    QString section;
    QString title;
    QString look_for; ///< what is seen there; every number in it is one of the study's
    std::variant<StudyForm, GalleryTrace, GalleryWalks> opens;
    HeatChoice quantity = HeatChoice::misses; ///< that its picture shows, and the heat map at first
};

/// What its picture shows, and of which device: "capacity misses, adreno-740".
[[nodiscard]] QString caption(const GalleryEntry& entry);

/// All of them, those of a section one after the other. Adding one is adding a row.
[[nodiscard]] std::vector<GalleryEntry> gallery();

} // namespace texelscope::gui

#include "traces/native/step_row.hpp"

namespace texelscope::traces {

StepRow row_of(std::int32_t item, const TracedAccess& access)
{
    if (is_image(access.kind)) {
        return {item, access.kind, access.object, access.x, access.y, access.z, 0};
    }
    return {item, access.kind, access.object, access.offset, 0, 0, access.bytes};
}

TracedAccess access_of(const StepRow& row)
{
    TracedAccess access;
    access.kind = row.kind;
    access.object = row.object;
    if (is_image(row.kind)) {
        access.x = static_cast<std::int32_t>(row.x);
        access.y = row.y;
        access.z = row.z;
    } else {
        access.offset = row.x;
        access.bytes = row.bytes;
    }
    return access;
}

} // namespace texelscope::traces

#include "sim/result/core_statistics.hpp"

namespace texelscope::sim {

StallStatistics& StallStatistics::operator+=(const StallStatistics& other)
{
    issued += other.issued;
    waiting_for_data += other.waiting_for_data;
    alu_busy += other.alu_busy;
    texture_unit += other.texture_unit;
    outstanding_misses += other.outstanding_misses;
    merge_slots += other.merge_slots;
    latency_fifo += other.latency_fifo;
    idle += other.idle;
    return *this;
}

ReservationFailures& ReservationFailures::operator+=(const ReservationFailures& other)
{
    no_entry += other.no_entry;
    no_merge_slot += other.no_merge_slot;
    return *this;
}

} // namespace texelscope::sim

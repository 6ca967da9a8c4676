# The headers that other projects are meant to include. They and what they include are installed; the rest stays ours.
set(TEXELSCOPE_PUBLIC_HEADERS
    base/error.hpp base/units.hpp base/stop.hpp base/progress.hpp base/npy.hpp base/csv.hpp
    traces/trace_source.hpp traces/launch.hpp traces/launch_source.hpp traces/native/trace_file.hpp
    traces/native/trace_writer.hpp traces/formats/csv_trace.hpp traces/formats/trace_copy.hpp
    sim/simulate.hpp sim/simulate_next.hpp sim/sampled_time.hpp sim/last_touch.hpp sim/cache/cache.hpp
    sim/layout/texel_layout.hpp sim/layout/named_layouts.hpp sim/observers/cross_block_histogram.hpp
    sim/observers/texel_touches.hpp sim/reuse/reuse_distance.hpp sim/reuse/miss_ratio_curve.hpp
    model/tmmodel/calibrate.hpp model/tmmodel/kernel_cost.hpp model/bottleneck/bottleneck.hpp
    model/identification/identify.hpp model/statistics/kendall.hpp
    codegen/operators/operator.hpp codegen/text/kernel_source.hpp codegen/text/host_program.hpp
    codegen/nest/kernel_launch.hpp codegen/passes/pruning.hpp
    devices/profile/device_profile.hpp devices/targets/target.hpp devices/targets/simulated_target.hpp
    devices/compilers/mesa_compilers.hpp devices/targets/job_target.hpp devices/runners/job_runner.hpp
    workbench/space/operator_space.hpp workbench/space/where.hpp workbench/study/study.hpp
    workbench/study/crosscheck.hpp workbench/tuning/strategy.hpp workbench/tuning/sweep.hpp
    workbench/store/result_store.hpp workbench/plots/panel_plot.hpp workbench/plots/heat_map_picture.hpp
    workbench/probes/probe.hpp workbench/report/report.hpp experiments/experiment.hpp)

# texelscope_public_headers(RESULT): these and every header of the project that they include, over any number of steps.
function(texelscope_public_headers result)
    set(found "")
    set(waiting ${TEXELSCOPE_PUBLIC_HEADERS})
    while(waiting)
        list(POP_FRONT waiting header)
        list(APPEND found ${header})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
        file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
            if(NOT included IN_LIST found AND NOT included IN_LIST waiting)
                list(APPEND waiting ${included})
            endif()
        endforeach()
    endwhile()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

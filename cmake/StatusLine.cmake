# The last lines of configuring: what this build has, and why not where it has not.

function(texelscope_status part present reason)
    if(present)
        message(STATUS "Texelscope: ${part}: yes")
    else()
        message(STATUS "Texelscope: ${part}: no (${reason})")
    endif()
endfunction()

texelscope_status("workbench window" "${TEXELSCOPE_GUI}" "${TEXELSCOPE_GUI_REASON}")
texelscope_status("tests" "${TEXELSCOPE_TESTS}" "${TEXELSCOPE_TESTS_REASON}")

texelscope_status("benchmarks" "${TEXELSCOPE_BENCHMARKS}" "${TEXELSCOPE_BENCHMARKS_REASON}")

texelscope_status("capture plugin" "${TEXELSCOPE_CAPTURE}" "${TEXELSCOPE_CAPTURE_REASON}")

texelscope_status("sweeps over MPI" "${TEXELSCOPE_MPI}" "${TEXELSCOPE_MPI_REASON}")

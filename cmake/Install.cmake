# cmake --install: programs, libraries, headers, and a package for find_package(texelscope).
#
#   find_package(texelscope REQUIRED)
#   target_link_libraries(mine PRIVATE texelscope::sim)     # then #include "sim/cache/cache.hpp"
#
# The command line's and the window's own libraries serve their programs alone and are not installed; the portable
# build is there for its programs and installs no libraries at all.

include(CMakePackageConfigHelpers)
include(PublicHeaders)

# The programs without the tests: cmake --build --preset dev --target programs. Without the window: --target command-line.
add_custom_target(command-line DEPENDS texelscope texelscope-agent) # the agent installs itself
if(TARGET texelscope_capture)
    add_dependencies(command-line texelscope_capture) # trace capture loads it
endif()
add_custom_target(programs DEPENDS command-line)
foreach(program texelscope texelscope-gui)
    if(TARGET ${program})
        add_dependencies(programs ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
if(TARGET texelscope-gui) # what its gallery opens
    file(GLOB gallery_traces ${PROJECT_SOURCE_DIR}/experiments/gallery/*.tst)
    install(FILES ${gallery_traces} DESTINATION ${CMAKE_INSTALL_DATADIR}/texelscope/gallery)
    install(FILES ${PROJECT_SOURCE_DIR}/experiments/measurements/h100-walks.csv.zst
                  ${PROJECT_SOURCE_DIR}/experiments/measurements/h100-walks-latencies.csv
        DESTINATION ${CMAKE_INSTALL_DATADIR}/texelscope/measurements)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(NOT TEXELSCOPE_PORTABLE)
    set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/texelscope)
    get_property(layers GLOBAL PROPERTY TEXELSCOPE_LAYERS)
    list(REMOVE_ITEM layers cli gui)

    foreach(layer IN LISTS layers)
        install(TARGETS texelscope_${layer} EXPORT texelscope ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endforeach()
    texelscope_public_headers(headers)
    foreach(header IN LISTS headers)
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/texelscope/${folder})
    endforeach()
    install(EXPORT texelscope FILE texelscopeTargets.cmake NAMESPACE texelscope:: DESTINATION ${package_dir})

    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/texelscopeConfig.cmake.in
        ${PROJECT_BINARY_DIR}/package/texelscopeConfig.cmake INSTALL_DESTINATION ${package_dir})
    # Before 1.0 every minor version may break its users.
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/texelscopeConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/package/texelscopeConfig.cmake
        ${PROJECT_BINARY_DIR}/package/texelscopeConfigVersion.cmake DESTINATION ${package_dir})
endif()

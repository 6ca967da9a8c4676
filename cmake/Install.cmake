# cmake --install: programs, manual pages, libraries, headers, and a package for find_package(texelscope).
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
if(TARGET texelscope-gui)
    add_dependencies(programs texelscope-gui)
endif()

# Manual pages and completion are the program's own tables.
set(share ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share}/man/man1)
add_custom_command(OUTPUT ${share}/man/man1/texelscope.1.gz DEPENDS texelscope
    COMMAND texelscope manual --quiet --output ${share}/man/man1
    COMMAND sh -c "rm texelscope-gui.1 && gzip -9nf *.1" # the window's program has a page of its own
    COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions ${share}/zsh/vendor-completions
            ${share}/fish/vendor_completions.d
    COMMAND texelscope completion bash > ${share}/bash-completion/completions/texelscope
    COMMAND texelscope completion zsh > ${share}/zsh/vendor-completions/_texelscope
    COMMAND texelscope completion fish > ${share}/fish/vendor_completions.d/texelscope.fish
    WORKING_DIRECTORY ${share}/man/man1 COMMENT "Writing manual pages and completion" VERBATIM)
add_custom_target(manuals ALL DEPENDS ${share}/man/man1/texelscope.1.gz)
add_dependencies(command-line manuals)

# Parts, each of which becomes a package: program, agent, window, python; development is for those who link the libraries.
install(TARGETS texelscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
if(TARGET texelscope-gui)
    install(TARGETS texelscope-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT window)
    # What its gallery opens.
    file(GLOB gallery_traces ${PROJECT_SOURCE_DIR}/experiments/gallery/*.tst)
    install(FILES ${gallery_traces} DESTINATION ${CMAKE_INSTALL_DATADIR}/texelscope/gallery COMPONENT window)
    install(FILES ${PROJECT_SOURCE_DIR}/experiments/measurements/h100-walks.csv.zst
                  ${PROJECT_SOURCE_DIR}/experiments/measurements/h100-walks-latencies.csv
        DESTINATION ${CMAKE_INSTALL_DATADIR}/texelscope/measurements COMPONENT window)
    set(desktop ${PROJECT_SOURCE_DIR}/cmake/packages)
    install(FILES ${desktop}/texelscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT window)
    install(FILES ${desktop}/texelscope-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME texelscope.xml
        COMPONENT window)
    install(FILES ${desktop}/texelscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT window)
    install(FILES ${desktop}/texelscope-128.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/128x128/apps
        RENAME texelscope.png COMPONENT window)
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

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

include(Packages)

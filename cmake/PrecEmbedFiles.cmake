# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# prec_embed_files(Folder/Name COMPONENT FILES...): files as entries of a table of
# texts, include/prec/Folder/Name.inc, by their names without (NAME_WE) or with
# (NAME) extension. The target is PrecName.
set(PREC_EMBED_FILES ${CMAKE_CURRENT_LIST_DIR}/EmbedFiles.cmake)
function(prec_embed_files table component)
  set(output ${PROJECT_BINARY_DIR}/include/prec/${table}.inc)
  list(JOIN ARGN "|" files)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DCOMPONENT=${component}
            "-DFILES=${files}" -P ${PREC_EMBED_FILES}
    DEPENDS ${ARGN} ${PREC_EMBED_FILES} VERBATIM)
  get_filename_component(name ${table} NAME)
  add_custom_target(Prec${name} DEPENDS ${output})
endfunction()

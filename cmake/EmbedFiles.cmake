# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DOUTPUT=file -DCOMPONENT=NAME_WE -DFILES=a.json|b.json -P EmbedFiles.cmake
string(REPLACE "|" ";" files "${FILES}")
set(text "")
foreach(file ${files})
  get_filename_component(name ${file} ${COMPONENT})
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"file(${content})file\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")

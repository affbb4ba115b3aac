# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DHEADER=cublasLt.h -DOUTPUT=CublasLtNames.inc -P CublasLtNames.cmake:
# the tiles, stages and clusters that the header has names of, as calls of
# macros that the file takes back.
set(text "")
foreach(kind TILE STAGES CLUSTER)
  set(prefix CUBLASLT_MATMUL_${kind})
  if(kind STREQUAL CLUSTER)
    set(prefix CUBLASLT_CLUSTER_SHAPE)
  endif()
  string(APPEND text "#ifdef PREC_RT_${kind}\n")
  file(STRINGS ${HEADER} lines REGEX "^ *${prefix}_[0-9]+x[0-9A-Zx]+ = [0-9]+,")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^ *${prefix}_([0-9A-Zx]+) =.*" "PREC_RT_${kind}(\\1)\n"
           line "${line}")
    string(APPEND text "${line}")
  endforeach()
  string(APPEND text "#undef PREC_RT_${kind}\n#endif\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")

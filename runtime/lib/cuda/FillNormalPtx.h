//===- FillNormalPtx.h - normalDeviate on the GPU ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of common/NormalDeviate.h, one element a thread, by hand: the
// runtime is built without a CUDA compiler. Change both together.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_FILLNORMALPTX_H
#define PREC_RT_CUDA_FILLNORMALPTX_H

namespace prec::rt {

// Adds the four 16-bit parts of %bits to %sum.
#define PREC_RT_PTX_ADD_PARTS                                                  \
  "  cvt.u32.u64 %low, %bits;\n"                                               \
  "  shr.u64 %bits, %bits, 32;\n"                                              \
  "  cvt.u32.u64 %high, %bits;\n"                                              \
  "  and.b32 %part, %low, 65535;\n"                                            \
  "  add.s32 %sum, %sum, %part;\n"                                             \
  "  shr.u32 %part, %low, 16;\n"                                               \
  "  add.s32 %sum, %sum, %part;\n"                                             \
  "  and.b32 %part, %high, 65535;\n"                                           \
  "  add.s32 %sum, %sum, %part;\n"                                             \
  "  shr.u32 %part, %high, 16;\n"                                              \
  "  add.s32 %sum, %sum, %part;\n"

// One value of SplitMix64: advances %state by the golden ratio, hashes it.
#define PREC_RT_PTX_WORD                                                       \
  "  add.u64 %state, %state, 0x9e3779b97f4a7c15;\n"                            \
  "  shr.u64 %shifted, %state, 30;\n"                                          \
  "  xor.b64 %bits, %state, %shifted;\n"                                       \
  "  mul.lo.u64 %bits, %bits, 0xbf58476d1ce4e5b9;\n"                           \
  "  shr.u64 %shifted, %bits, 27;\n"                                           \
  "  xor.b64 %bits, %bits, %shifted;\n"                                        \
  "  mul.lo.u64 %bits, %bits, 0x94d049bb133111eb;\n"                           \
  "  shr.u64 %shifted, %bits, 31;\n"                                           \
  "  xor.b64 %bits, %bits, %shifted;\n" PREC_RT_PTX_ADD_PARTS

inline constexpr const char *fillNormalSymbol = "prec_fill_normal";

/// prec_fill_normal(f32 *target, u64 count, u64 length, u64 run, u64 begin,
///                  u64 stride, u64 first, u64 seed, f32 mean, f32 stddev)
///
/// Of `count` elements in pieces of `length`, element i is element i % length
/// of piece i / length. Piece p begins at p * run + begin of `target`, and at
/// p * stride + first of the whole tensor, whose indices are hashed.
inline constexpr const char *fillNormalPtx =
    ".version 7.8\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry prec_fill_normal(\n"
    "  .param .u64 p_target, .param .u64 p_count, .param .u64 p_length,\n"
    "  .param .u64 p_run, .param .u64 p_begin, .param .u64 p_stride,\n"
    "  .param .u64 p_first, .param .u64 p_seed, .param .f32 p_mean,\n"
    "  .param .f32 p_stddev)\n"
    "{\n"
    "  .reg .pred %outside;\n"
    "  .reg .b32 %block, %width, %thread, %low, %high, %part, %sum;\n"
    "  .reg .b64 %index, %lane, %count, %counter, %state, %shifted, %bits,\n"
    "            %address, %size, %piece, %whole;\n"
    "  .reg .f32 %value, %mean, %stddev;\n"
    "  mov.u32 %block, %ctaid.x;\n"
    "  mov.u32 %width, %ntid.x;\n"
    "  mov.u32 %thread, %tid.x;\n"
    "  mul.wide.u32 %index, %block, %width;\n"
    "  cvt.u64.u32 %lane, %thread;\n"
    "  add.u64 %index, %index, %lane;\n"
    "  ld.param.u64 %count, [p_count];\n"
    "  setp.ge.u64 %outside, %index, %count;\n"
    "  @%outside bra DONE;\n"
    "  ld.param.u64 %size, [p_length];\n"
    "  div.u64 %piece, %index, %size;\n"
    "  mul.lo.u64 %whole, %piece, %size;\n"
    "  sub.u64 %index, %index, %whole;\n"
    "  ld.param.u64 %size, [p_stride];\n"
    "  mad.lo.u64 %whole, %piece, %size, %index;\n"
    "  ld.param.u64 %size, [p_first];\n"
    "  add.u64 %whole, %whole, %size;\n"
    "  ld.param.u64 %size, [p_run];\n"
    "  mad.lo.u64 %index, %piece, %size, %index;\n"
    "  ld.param.u64 %size, [p_begin];\n"
    "  add.u64 %index, %index, %size;\n"
    "  ld.param.u64 %state, [p_seed];\n"
    "  mul.lo.u64 %counter, %whole, 3;\n"
    "  mad.lo.u64 %state, %counter, 0x9e3779b97f4a7c15, %state;\n"
    "  mov.u32 %sum, -393210;\n" //
    PREC_RT_PTX_WORD PREC_RT_PTX_WORD PREC_RT_PTX_WORD
    "  cvt.rn.f32.s32 %value, %sum;\n"
    "  mul.rn.f32 %value, %value, 0f37800000;\n" // 2^-16
    "  ld.param.f32 %mean, [p_mean];\n"
    "  ld.param.f32 %stddev, [p_stddev];\n"
    "  fma.rn.f32 %value, %value, %stddev, %mean;\n"
    "  ld.param.u64 %address, [p_target];\n"
    "  cvta.to.global.u64 %address, %address;\n"
    "  shl.b64 %index, %index, 2;\n"
    "  add.u64 %address, %address, %index;\n"
    "  st.global.f32 [%address], %value;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n";

#undef PREC_RT_PTX_WORD
#undef PREC_RT_PTX_ADD_PARTS

} // namespace prec::rt

#endif // PREC_RT_CUDA_FILLNORMALPTX_H

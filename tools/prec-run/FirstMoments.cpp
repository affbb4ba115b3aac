//===- FirstMoments.cpp - gradients out of a step -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstMoments.h"

#include "prec-rt/format.h"

using namespace prec::rt;
using namespace prec::run;

Result<Tensors> prec::run::readFirstMoments(Session &session,
                                            const std::string &option) {
  Tensors moments;
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool isCoded = bindings[i].slot == "exp_avg" PREC_CODES_SUFFIX ||
                   bindings[i].slot == "momentum_buffer" PREC_CODES_SUFFIX;
    if (isCoded)
      return Status::unsupported(
          option + " needs first moments in f32, but got '" + bindings[i].name +
          "' in 8 bits (moments=dynamic8)");
    bool isFirst =
        bindings[i].slot == "exp_avg" || bindings[i].slot == "momentum_buffer";
    if (bindings[i].role != Role::optimizerState || !isFirst)
      continue;
    std::vector<float> &values = moments[bindings[i].parameter];
    values.resize(session.bufferOf(bindings[i]).elements());
    PREC_RT_RETURN_IF_ERROR(
        session.get(static_cast<int>(i), DType::f32, values.data(),
                    static_cast<int64_t>(values.size() * sizeof(float))));
  }
  if (moments.empty())
    return Status::unsupported(option + " needs first moments (exp_avg or "
                                        "momentum_buffer), but got none");
  return moments;
}

/// Without what they keep and add, first moments become the gradients
/// themselves: beta1 of AdamW, beta2 of Lion, the others of SGD.
static constexpr const char *kDecays[] = {"beta1", "beta2", "momentum",
                                          "dampening", "weight_decay"};

Status prec::run::keepGradients(Session &session) {
  PREC_RT_RETURN_IF_ERROR(session.setHyper("lr", 0));
  for (const char *name : kDecays)
    if (session.hasHyper(name))
      PREC_RT_RETURN_IF_ERROR(session.setHyper(name, 0));
  // A step that clips nothing has no such norm.
  return session.find("max_norm") < 0 ? Status()
                                      : session.setHyper("max_norm", 1e30);
}

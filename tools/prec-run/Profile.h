//===- Profile.h - where a step spends its time -----------------*- C++ -*-===//
#ifndef PREC_RUN_PROFILE_H
#define PREC_RUN_PROFILE_H

#include "Session.h"

namespace prec::run {

/// Does one more step, command by command, and prints the commands that take
/// longest. The batch must be set.
rt::Status printProfile(rt::Session &session);

} // namespace prec::run

#endif // PREC_RUN_PROFILE_H

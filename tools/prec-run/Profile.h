//===- Profile.h - where a step spends its time -----------------*- C++ -*-===//
#ifndef PREC_RUN_PROFILE_H
#define PREC_RUN_PROFILE_H

#include "MetricsFile.h"

namespace prec::run {

/// Times the commands of some steps, prints those that take longest and writes
/// all to the metrics. The batch must be set; the state of the session is lost.
rt::Status printProfile(rt::Session &session, MetricsFile &metrics);

} // namespace prec::run

#endif // PREC_RUN_PROFILE_H

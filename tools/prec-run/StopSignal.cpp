//===- StopSignal.cpp - SIGTERM and SIGINT end a run in order -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopSignal.h"

#include <csignal>
#include <initializer_list>

using namespace prec::run;

/// A handler of signals can tell the program in no other way.
static volatile sig_atomic_t noted = 0;

static void note(int signal) { noted = signal; }

void prec::run::catchStopSignals() {
  for (int signal : {SIGTERM, SIGINT}) {
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) != 0 ||
        before.sa_handler == SIG_IGN)
      continue;
    struct sigaction action = {};
    action.sa_handler = note;
    // The second of a kind finds the default again.
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    (void)sigaction(signal, &action, nullptr);
  }
}

int prec::run::stopSignal() { return noted; }

void prec::run::dieBySignal(int signal) {
  (void)std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

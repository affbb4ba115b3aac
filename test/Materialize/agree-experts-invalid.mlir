// RUN: prec-opt %s --prec-agree-ranks="mesh=ep=2 experts" --verify-diagnostics

// agree_ranks_c1
// expected-error @+1 {{experts must be divided as the mesh says before formats are assigned, but got ep=2 and experts of ep=1}}
module {
}

// RUN: prec-opt %s --split-input-file --verify-diagnostics

// placement_c1
// expected-error @+1 {{offset must not be negative, but got -64}}
module attributes {a = #prec_sched.placement<state, -64>} {}

// -----

// expected-error @+2 {{to be one of: state, input, output, workspace, constants}}
// expected-error @+1 {{failed to parse Sched_PlacementAttr parameter 'segment'}}
module attributes {a = #prec_sched.placement<stack, 0>} {}

// -----

// expected-error @+2 {{to be one of: elementwise, row, column, transpose, scatter_add, sort}}
// expected-error @+1 {{failed to parse Sched_FamilyAttr parameter 'value'}}
module attributes {a = #prec_sched.family<tile>} {}

// -----

// launch_c1
// expected-error @+1 {{extent and shared must not be negative, but got -1 and 0}}
module attributes {a = #prec_sched.launch<extent = -1>} {}

// -----

// launch_c1
// expected-error @+1 {{extent and shared must not be negative, but got 0 and -4}}
module attributes {a = #prec_sched.launch<shared = -4>} {}

// -----

// launch_c2
// expected-error @+1 {{grid and block must be three positive numbers each, but got [64, 1] and [256, 1, 1]}}
module attributes {a = #prec_sched.launch<grid = [64, 1], block = [256, 1, 1]>} {}

// -----

// launch_c2
// expected-error @+1 {{grid and block must be three positive numbers each, but got [64, 1, 1] and []}}
module attributes {a = #prec_sched.launch<grid = [64, 1, 1]>} {}

// -----

// launch_c2
// expected-error @+1 {{grid and block must be three positive numbers each, but got [64, 1, 1] and [0, 1, 1]}}
module attributes {a = #prec_sched.launch<grid = [64, 1, 1], block = [0, 1, 1]>} {}

// -----

// launch_c3
// expected-error @+1 {{a launch has extent, grid, block and shared, but got 'blocks'}}
module attributes {a = #prec_sched.launch<blocks = 3>} {}

// -----

// expected-error @+1 {{unknown attribute `tile` in dialect `prec_sched`}}
module attributes {a = #prec_sched.tile<3>} {}

// -----

// view_c1
// expected-error @+1 {{a view must have dimensions and a stride for each, but got 2 and 1}}
module attributes {a = #prec_sched.view<[2, 3] strides [1]>} {}

// -----

// view_c2
// expected-error @+1 {{a view must have positive sizes and strides, the last of 1, and an offset that is not negative, but got [2, 0], [3, 1] and 0}}
module attributes {a = #prec_sched.view<[2, 0] strides [3, 1]>} {}

// -----

// view_c2
// expected-error @+1 {{a view must have positive sizes and strides, the last of 1, and an offset that is not negative, but got [2, 3], [0, 1] and 0}}
module attributes {a = #prec_sched.view<[2, 3] strides [0, 1]>} {}

// -----

// view_c2
// expected-error @+1 {{a view must have positive sizes and strides, the last of 1, and an offset that is not negative, but got [2, 3], [1, 2] and 0}}
module attributes {a = #prec_sched.view<[2, 3] strides [1, 2]>} {}

// -----

// view_c2
// expected-error @+1 {{a view must have positive sizes and strides, the last of 1, and an offset that is not negative, but got [2, 3], [3, 1] and -8}}
module attributes {a = #prec_sched.view<[2, 3] strides [3, 1] offset -8>} {}

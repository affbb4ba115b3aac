# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the closed set that nothing here computes, by the reason. None of them is decomposed either."""

_BY_REASON = {
    "its random numbers have no formula here, or were asked for in a form that has none": (
        "aten._standard_gamma.default", "aten.exponential.default", "aten.fractional_max_pool2d.default",
        "aten.fractional_max_pool2d_backward.default", "aten.fractional_max_pool3d.default",
        "aten.fractional_max_pool3d_backward.default", "aten.normal_functional.default", "aten.poisson.default",
        "aten.rrelu_with_noise_functional.default", "aten.uniform.default",
    ),
    "the shape of its result depends on values": (
        "aten._pack_padded_sequence.default", "aten._unique.default",
        "aten._unique2.default", "aten.bincount.default", "aten.masked_select.default", "aten.nonzero.default",
        "aten.repeat_interleave.Tensor", "aten.unique_consecutive.default",
        "aten.unique_dim.default",
    ),
    "a value that Python reads is not known in a trace": (
        "aten._local_scalar_dense.default",
    ),
    "sizes are numbers in a trace, not operations": (
        "aten.sym_numel.default", "aten.sym_size.int", "aten.sym_storage_offset.default", "aten.sym_stride.int",
    ),
    "a form of another operation that no trace holds": (
        "aten.atan2.out", "aten.resize_.default",
    ),
    "a factorization without a formula here": (
        "aten._linalg_eigvals.default", "aten.linalg_eig.default", "aten.linalg_ldl_factor_ex.default", "aten.linalg_ldl_solve.default",
    ),
    "a special function without a formula here": (
        "aten.igamma.default", "aten.igammac.default",
    ),
    "a form for one kind of device, which a trace on the CPU does not hold": (
        "aten._cudnn_rnn.default", "aten._cudnn_rnn_backward.default", "aten._efficient_attention_backward.default",
        "aten._flash_attention_backward.default", "aten._scaled_dot_product_cudnn_attention_backward.default",
        "aten._scaled_dot_product_efficient_attention_backward.default",
        "aten._scaled_dot_product_flash_attention_backward.default",
        "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
        "aten._scaled_dot_product_fused_attention_overrideable_backward.default",
        "aten._thnn_fused_lstm_cell_backward_impl.default", "aten.linear_backward.default",
        "aten.miopen_rnn_backward.default", "aten.mkldnn_adaptive_avg_pool2d_backward.default",
        "aten.mkldnn_linear_backward.default", "aten.mkldnn_max_pool2d_backward.default",
        "aten.mkldnn_max_pool3d_backward.default", "aten.mkldnn_rnn_layer.default",
        "aten.mkldnn_rnn_layer_backward.default",
    ),
    "tensors that are nested or sparse": (
        "aten._embedding_bag_sparse_backward.default", "aten._nested_select_backward.default",
        "aten._nested_sum_backward.default", "aten._sparse_log_softmax_backward_data.default",
        "aten._sparse_softmax_backward_data.default", "aten._sparse_sum_backward.default",
    ),
    "the bits of a float are no numbers here": ("aten.nextafter.default", "aten.view.dtype"),
    "of PyTorch's own tests": (
        "aten._test_autograd_multiple_dispatch.fullcoverage",
    ),
}
# Of an operation, why.
REFUSED = {name: reason for reason, names in _BY_REASON.items() for name in names}

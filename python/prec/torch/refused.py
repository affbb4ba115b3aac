# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the closed set that nothing here computes, by the reason. None of them is decomposed either."""

_BY_REASON = {
    "it draws random numbers, which a step has from dropout's own streams alone": (
        "aten._standard_gamma.default", "aten.bernoulli.Tensor", "aten.bernoulli.default", "aten.bernoulli.p",
        "aten.exponential.default", "aten.fractional_max_pool2d.default",
        "aten.fractional_max_pool2d_backward.default", "aten.fractional_max_pool3d.default",
        "aten.fractional_max_pool3d_backward.default", "aten.multinomial.default", "aten.native_dropout.default",
        "aten.normal_functional.default", "aten.poisson.default", "aten.rand.default", "aten.rand.generator",
        "aten.rand_like.default", "aten.randn.default", "aten.randn.generator", "aten.randn_like.default",
        "aten.randperm.default", "aten.rrelu_with_noise.default", "aten.rrelu_with_noise_functional.default",
        "aten.uniform.default",
    ),
    "the shape of its result depends on values": (
        "aten._pack_padded_sequence.default", "aten._segment_reduce_backward.default", "aten._unique.default",
        "aten._unique2.default", "aten.bincount.default", "aten.masked_select.default", "aten.nonzero.default",
        "aten.repeat_interleave.Tensor", "aten.segment_reduce.default", "aten.unique_consecutive.default",
        "aten.unique_dim.default",
    ),
    "a value that Python reads is not known in a trace": (
        "aten._local_scalar_dense.default",
    ),
    "sizes are numbers in a trace, not operations": (
        "aten.sym_numel.default", "aten.sym_size.int", "aten.sym_storage_offset.default", "aten.sym_stride.int",
    ),
    "complex numbers": (
        "aten._conj.default", "aten._fft_c2c.default", "aten._fft_c2r.default", "aten._fft_r2c.default",
        "aten.complex.default", "aten.conj_physical.default", "aten.imag.default", "aten.polar.default",
        "aten.real.default", "aten.view_as_complex.default", "aten.view_as_real.default",
    ),
    "a form of another operation that no trace holds": (
        "aten.atan2.out", "aten.resize_.default",
    ),
    "a factorization, whose gradient is another": (
        "aten._cholesky_solve_helper.default", "aten._linalg_det.default", "aten._linalg_eigh.default",
        "aten._linalg_eigvals.default", "aten._linalg_slogdet.default", "aten._linalg_solve_ex.default",
        "aten._linalg_svd.default", "aten.cholesky.default", "aten.cholesky_inverse.default",
        "aten.cholesky_solve.default", "aten.geqrf.default", "aten.linalg_cholesky_ex.default",
        "aten.linalg_eig.default", "aten.linalg_householder_product.default", "aten.linalg_inv_ex.default",
        "aten.linalg_ldl_factor_ex.default", "aten.linalg_ldl_solve.default", "aten.linalg_lstsq.default", "aten.linalg_lu.default",
        "aten.linalg_lu_factor_ex.default", "aten.linalg_lu_solve.default", "aten.linalg_matrix_exp.default",
        "aten.linalg_pinv.atol_rtol_tensor", "aten.linalg_qr.default", "aten.linalg_solve_triangular.default",
        "aten.lu_unpack.default", "aten.ormqr.default", "aten.triangular_solve.default",
    ),
    "a special function without a formula here": (
        "aten.digamma.default", "aten.erfc.default", "aten.erfinv.default", "aten.i0.default", "aten.igamma.default",
        "aten.igammac.default", "aten.lgamma.default", "aten.polygamma.default", "aten.special_erfcx.default",
        "aten.special_i0e.default", "aten.special_i1.default", "aten.special_i1e.default",
        "aten.special_ndtri.default", "aten.special_zeta.default",
    ),
    "a loss by dynamic programming": (
        "aten._ctc_loss.Tensor", "aten._ctc_loss.default", "aten._ctc_loss_backward.Tensor",
        "aten._ctc_loss_backward.default",
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
    "antialiased resampling, whose taps differ in number": (
        "aten._upsample_bicubic2d_aa.default", "aten._upsample_bicubic2d_aa_backward.default",
        "aten._upsample_bilinear2d_aa.default", "aten._upsample_bilinear2d_aa_backward.default",
        "aten._upsample_lanczos2d_aa.default", "aten._upsample_lanczos2d_aa_backward.default",
    ),
    "sampling of volumes": (
        "aten.grid_sampler_3d.default", "aten.grid_sampler_3d_backward.default",
    ),
    "tensors that are nested or sparse": (
        "aten._embedding_bag_sparse_backward.default", "aten._nested_select_backward.default",
        "aten._nested_sum_backward.default", "aten._sparse_log_softmax_backward_data.default",
        "aten._sparse_softmax_backward_data.default", "aten._sparse_sum_backward.default",
    ),
    "the bits of a float are no numbers here": ("aten.frexp.Tensor", "aten.nextafter.default", "aten.view.dtype"),
    "of PyTorch's own tests": (
        "aten._test_autograd_multiple_dispatch.fullcoverage",
    ),
}
# Of an operation, why.
REFUSED = {name: reason for reason, names in _BY_REASON.items() for name in names}

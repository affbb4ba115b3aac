module attributes {prec_train.framework = "torch 2.13.0", prec_train.model = "GPT2LMHeadModel", prec_train.verified = "verified", prec_train.padding = true} {
  func.func @step(
      %arg0: tensor<256x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.wte.weight", prec_train.source_dtype = "f32", prec_train.aliases = ["lm_head.weight"]},
      %arg1: tensor<128x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.wpe.weight", prec_train.source_dtype = "f32"},
      %arg2: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.ln_1.weight", prec_train.source_dtype = "f32"},
      %arg3: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.ln_1.bias", prec_train.source_dtype = "f32"},
      %arg4: tensor<64x192xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.attn.c_attn.weight", prec_train.source_dtype = "f32"},
      %arg5: tensor<192xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.attn.c_attn.bias", prec_train.source_dtype = "f32"},
      %arg6: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.attn.c_proj.weight", prec_train.source_dtype = "f32"},
      %arg7: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.attn.c_proj.bias", prec_train.source_dtype = "f32"},
      %arg8: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.ln_2.weight", prec_train.source_dtype = "f32"},
      %arg9: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.ln_2.bias", prec_train.source_dtype = "f32"},
      %arg10: tensor<64x256xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.mlp.c_fc.weight", prec_train.source_dtype = "f32"},
      %arg11: tensor<256xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.mlp.c_fc.bias", prec_train.source_dtype = "f32"},
      %arg12: tensor<256x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.mlp.c_proj.weight", prec_train.source_dtype = "f32"},
      %arg13: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.0.mlp.c_proj.bias", prec_train.source_dtype = "f32"},
      %arg14: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.ln_1.weight", prec_train.source_dtype = "f32"},
      %arg15: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.ln_1.bias", prec_train.source_dtype = "f32"},
      %arg16: tensor<64x192xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.attn.c_attn.weight", prec_train.source_dtype = "f32"},
      %arg17: tensor<192xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.attn.c_attn.bias", prec_train.source_dtype = "f32"},
      %arg18: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.attn.c_proj.weight", prec_train.source_dtype = "f32"},
      %arg19: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.attn.c_proj.bias", prec_train.source_dtype = "f32"},
      %arg20: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.ln_2.weight", prec_train.source_dtype = "f32"},
      %arg21: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.ln_2.bias", prec_train.source_dtype = "f32"},
      %arg22: tensor<64x256xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.mlp.c_fc.weight", prec_train.source_dtype = "f32"},
      %arg23: tensor<256xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.mlp.c_fc.bias", prec_train.source_dtype = "f32"},
      %arg24: tensor<256x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.mlp.c_proj.weight", prec_train.source_dtype = "f32"},
      %arg25: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.h.1.mlp.c_proj.bias", prec_train.source_dtype = "f32"},
      %arg26: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.ln_f.weight", prec_train.source_dtype = "f32"},
      %arg27: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "transformer.ln_f.bias", prec_train.source_dtype = "f32"},
      %arg28: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.wte.weight.exp_avg", prec_train.param_of = "transformer.wte.weight", prec_train.slot = "exp_avg"},
      %arg29: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.wte.weight.exp_avg_sq", prec_train.param_of = "transformer.wte.weight", prec_train.slot = "exp_avg_sq"},
      %arg30: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.wpe.weight.exp_avg", prec_train.param_of = "transformer.wpe.weight", prec_train.slot = "exp_avg"},
      %arg31: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.wpe.weight.exp_avg_sq", prec_train.param_of = "transformer.wpe.weight", prec_train.slot = "exp_avg_sq"},
      %arg32: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_1.weight.exp_avg", prec_train.param_of = "transformer.h.0.ln_1.weight", prec_train.slot = "exp_avg"},
      %arg33: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_1.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.ln_1.weight", prec_train.slot = "exp_avg_sq"},
      %arg34: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_1.bias.exp_avg", prec_train.param_of = "transformer.h.0.ln_1.bias", prec_train.slot = "exp_avg"},
      %arg35: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_1.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.ln_1.bias", prec_train.slot = "exp_avg_sq"},
      %arg36: tensor<64x192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_attn.weight.exp_avg", prec_train.param_of = "transformer.h.0.attn.c_attn.weight", prec_train.slot = "exp_avg"},
      %arg37: tensor<64x192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_attn.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.attn.c_attn.weight", prec_train.slot = "exp_avg_sq"},
      %arg38: tensor<192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_attn.bias.exp_avg", prec_train.param_of = "transformer.h.0.attn.c_attn.bias", prec_train.slot = "exp_avg"},
      %arg39: tensor<192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_attn.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.attn.c_attn.bias", prec_train.slot = "exp_avg_sq"},
      %arg40: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_proj.weight.exp_avg", prec_train.param_of = "transformer.h.0.attn.c_proj.weight", prec_train.slot = "exp_avg"},
      %arg41: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_proj.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.attn.c_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg42: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_proj.bias.exp_avg", prec_train.param_of = "transformer.h.0.attn.c_proj.bias", prec_train.slot = "exp_avg"},
      %arg43: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.attn.c_proj.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.attn.c_proj.bias", prec_train.slot = "exp_avg_sq"},
      %arg44: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_2.weight.exp_avg", prec_train.param_of = "transformer.h.0.ln_2.weight", prec_train.slot = "exp_avg"},
      %arg45: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_2.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.ln_2.weight", prec_train.slot = "exp_avg_sq"},
      %arg46: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_2.bias.exp_avg", prec_train.param_of = "transformer.h.0.ln_2.bias", prec_train.slot = "exp_avg"},
      %arg47: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.ln_2.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.ln_2.bias", prec_train.slot = "exp_avg_sq"},
      %arg48: tensor<64x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_fc.weight.exp_avg", prec_train.param_of = "transformer.h.0.mlp.c_fc.weight", prec_train.slot = "exp_avg"},
      %arg49: tensor<64x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_fc.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.mlp.c_fc.weight", prec_train.slot = "exp_avg_sq"},
      %arg50: tensor<256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_fc.bias.exp_avg", prec_train.param_of = "transformer.h.0.mlp.c_fc.bias", prec_train.slot = "exp_avg"},
      %arg51: tensor<256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_fc.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.mlp.c_fc.bias", prec_train.slot = "exp_avg_sq"},
      %arg52: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_proj.weight.exp_avg", prec_train.param_of = "transformer.h.0.mlp.c_proj.weight", prec_train.slot = "exp_avg"},
      %arg53: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_proj.weight.exp_avg_sq", prec_train.param_of = "transformer.h.0.mlp.c_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg54: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_proj.bias.exp_avg", prec_train.param_of = "transformer.h.0.mlp.c_proj.bias", prec_train.slot = "exp_avg"},
      %arg55: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.0.mlp.c_proj.bias.exp_avg_sq", prec_train.param_of = "transformer.h.0.mlp.c_proj.bias", prec_train.slot = "exp_avg_sq"},
      %arg56: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_1.weight.exp_avg", prec_train.param_of = "transformer.h.1.ln_1.weight", prec_train.slot = "exp_avg"},
      %arg57: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_1.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.ln_1.weight", prec_train.slot = "exp_avg_sq"},
      %arg58: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_1.bias.exp_avg", prec_train.param_of = "transformer.h.1.ln_1.bias", prec_train.slot = "exp_avg"},
      %arg59: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_1.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.ln_1.bias", prec_train.slot = "exp_avg_sq"},
      %arg60: tensor<64x192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_attn.weight.exp_avg", prec_train.param_of = "transformer.h.1.attn.c_attn.weight", prec_train.slot = "exp_avg"},
      %arg61: tensor<64x192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_attn.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.attn.c_attn.weight", prec_train.slot = "exp_avg_sq"},
      %arg62: tensor<192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_attn.bias.exp_avg", prec_train.param_of = "transformer.h.1.attn.c_attn.bias", prec_train.slot = "exp_avg"},
      %arg63: tensor<192xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_attn.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.attn.c_attn.bias", prec_train.slot = "exp_avg_sq"},
      %arg64: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_proj.weight.exp_avg", prec_train.param_of = "transformer.h.1.attn.c_proj.weight", prec_train.slot = "exp_avg"},
      %arg65: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_proj.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.attn.c_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg66: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_proj.bias.exp_avg", prec_train.param_of = "transformer.h.1.attn.c_proj.bias", prec_train.slot = "exp_avg"},
      %arg67: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.attn.c_proj.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.attn.c_proj.bias", prec_train.slot = "exp_avg_sq"},
      %arg68: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_2.weight.exp_avg", prec_train.param_of = "transformer.h.1.ln_2.weight", prec_train.slot = "exp_avg"},
      %arg69: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_2.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.ln_2.weight", prec_train.slot = "exp_avg_sq"},
      %arg70: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_2.bias.exp_avg", prec_train.param_of = "transformer.h.1.ln_2.bias", prec_train.slot = "exp_avg"},
      %arg71: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.ln_2.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.ln_2.bias", prec_train.slot = "exp_avg_sq"},
      %arg72: tensor<64x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_fc.weight.exp_avg", prec_train.param_of = "transformer.h.1.mlp.c_fc.weight", prec_train.slot = "exp_avg"},
      %arg73: tensor<64x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_fc.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.mlp.c_fc.weight", prec_train.slot = "exp_avg_sq"},
      %arg74: tensor<256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_fc.bias.exp_avg", prec_train.param_of = "transformer.h.1.mlp.c_fc.bias", prec_train.slot = "exp_avg"},
      %arg75: tensor<256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_fc.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.mlp.c_fc.bias", prec_train.slot = "exp_avg_sq"},
      %arg76: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_proj.weight.exp_avg", prec_train.param_of = "transformer.h.1.mlp.c_proj.weight", prec_train.slot = "exp_avg"},
      %arg77: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_proj.weight.exp_avg_sq", prec_train.param_of = "transformer.h.1.mlp.c_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg78: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_proj.bias.exp_avg", prec_train.param_of = "transformer.h.1.mlp.c_proj.bias", prec_train.slot = "exp_avg"},
      %arg79: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.h.1.mlp.c_proj.bias.exp_avg_sq", prec_train.param_of = "transformer.h.1.mlp.c_proj.bias", prec_train.slot = "exp_avg_sq"},
      %arg80: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.ln_f.weight.exp_avg", prec_train.param_of = "transformer.ln_f.weight", prec_train.slot = "exp_avg"},
      %arg81: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.ln_f.weight.exp_avg_sq", prec_train.param_of = "transformer.ln_f.weight", prec_train.slot = "exp_avg_sq"},
      %arg82: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.ln_f.bias.exp_avg", prec_train.param_of = "transformer.ln_f.bias", prec_train.slot = "exp_avg"},
      %arg83: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "transformer.ln_f.bias.exp_avg_sq", prec_train.param_of = "transformer.ln_f.bias", prec_train.slot = "exp_avg_sq"},
      %arg84: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "input_ids", prec_train.vocabulary = 256 : i64, prec_train.shift = 0 : i64},
      %arg85: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels", prec_train.vocabulary = 256 : i64, prec_train.ignore_index = -100 : i64, prec_train.shift = 0 : i64},
      %arg86: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 0.001 : f64},
      %arg87: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta1", prec_train.default = 0.9 : f64},
      %arg88: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta2", prec_train.default = 0.95 : f64},
      %arg89: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "eps", prec_train.default = 1.0e-08 : f64},
      %arg90: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "weight_decay", prec_train.default = 0.1 : f64},
      %arg91: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step", prec_train.default = 1.0 : f64},
      %arg92: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "max_norm", prec_train.default = 1.0 : f64}
  ) -> (
      tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<f32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "grad_norm"},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wte.weight", prec_train.donated_to = 0 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wpe.weight", prec_train.donated_to = 1 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.weight", prec_train.donated_to = 2 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.bias", prec_train.donated_to = 3 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.weight", prec_train.donated_to = 4 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.bias", prec_train.donated_to = 5 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.weight", prec_train.donated_to = 6 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.bias", prec_train.donated_to = 7 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.weight", prec_train.donated_to = 8 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.bias", prec_train.donated_to = 9 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.weight", prec_train.donated_to = 10 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.bias", prec_train.donated_to = 11 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.weight", prec_train.donated_to = 12 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.bias", prec_train.donated_to = 13 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.weight", prec_train.donated_to = 14 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.bias", prec_train.donated_to = 15 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.weight", prec_train.donated_to = 16 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.bias", prec_train.donated_to = 17 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.weight", prec_train.donated_to = 18 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.bias", prec_train.donated_to = 19 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.weight", prec_train.donated_to = 20 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.bias", prec_train.donated_to = 21 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.weight", prec_train.donated_to = 22 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.bias", prec_train.donated_to = 23 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.weight", prec_train.donated_to = 24 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.bias", prec_train.donated_to = 25 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.weight", prec_train.donated_to = 26 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.bias", prec_train.donated_to = 27 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wte.weight.exp_avg", prec_train.donated_to = 28 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wte.weight.exp_avg_sq", prec_train.donated_to = 29 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wpe.weight.exp_avg", prec_train.donated_to = 30 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.wpe.weight.exp_avg_sq", prec_train.donated_to = 31 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.weight.exp_avg", prec_train.donated_to = 32 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.weight.exp_avg_sq", prec_train.donated_to = 33 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.bias.exp_avg", prec_train.donated_to = 34 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_1.bias.exp_avg_sq", prec_train.donated_to = 35 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.weight.exp_avg", prec_train.donated_to = 36 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.weight.exp_avg_sq", prec_train.donated_to = 37 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.bias.exp_avg", prec_train.donated_to = 38 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_attn.bias.exp_avg_sq", prec_train.donated_to = 39 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.weight.exp_avg", prec_train.donated_to = 40 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.weight.exp_avg_sq", prec_train.donated_to = 41 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.bias.exp_avg", prec_train.donated_to = 42 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.attn.c_proj.bias.exp_avg_sq", prec_train.donated_to = 43 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.weight.exp_avg", prec_train.donated_to = 44 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.weight.exp_avg_sq", prec_train.donated_to = 45 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.bias.exp_avg", prec_train.donated_to = 46 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.ln_2.bias.exp_avg_sq", prec_train.donated_to = 47 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.weight.exp_avg", prec_train.donated_to = 48 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.weight.exp_avg_sq", prec_train.donated_to = 49 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.bias.exp_avg", prec_train.donated_to = 50 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_fc.bias.exp_avg_sq", prec_train.donated_to = 51 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.weight.exp_avg", prec_train.donated_to = 52 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.weight.exp_avg_sq", prec_train.donated_to = 53 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.bias.exp_avg", prec_train.donated_to = 54 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.0.mlp.c_proj.bias.exp_avg_sq", prec_train.donated_to = 55 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.weight.exp_avg", prec_train.donated_to = 56 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.weight.exp_avg_sq", prec_train.donated_to = 57 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.bias.exp_avg", prec_train.donated_to = 58 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_1.bias.exp_avg_sq", prec_train.donated_to = 59 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.weight.exp_avg", prec_train.donated_to = 60 : i64},
      tensor<64x192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.weight.exp_avg_sq", prec_train.donated_to = 61 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.bias.exp_avg", prec_train.donated_to = 62 : i64},
      tensor<192xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_attn.bias.exp_avg_sq", prec_train.donated_to = 63 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.weight.exp_avg", prec_train.donated_to = 64 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.weight.exp_avg_sq", prec_train.donated_to = 65 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.bias.exp_avg", prec_train.donated_to = 66 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.attn.c_proj.bias.exp_avg_sq", prec_train.donated_to = 67 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.weight.exp_avg", prec_train.donated_to = 68 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.weight.exp_avg_sq", prec_train.donated_to = 69 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.bias.exp_avg", prec_train.donated_to = 70 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.ln_2.bias.exp_avg_sq", prec_train.donated_to = 71 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.weight.exp_avg", prec_train.donated_to = 72 : i64},
      tensor<64x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.weight.exp_avg_sq", prec_train.donated_to = 73 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.bias.exp_avg", prec_train.donated_to = 74 : i64},
      tensor<256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_fc.bias.exp_avg_sq", prec_train.donated_to = 75 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.weight.exp_avg", prec_train.donated_to = 76 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.weight.exp_avg_sq", prec_train.donated_to = 77 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.bias.exp_avg", prec_train.donated_to = 78 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.h.1.mlp.c_proj.bias.exp_avg_sq", prec_train.donated_to = 79 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.weight.exp_avg", prec_train.donated_to = 80 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.weight.exp_avg_sq", prec_train.donated_to = 81 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.bias.exp_avg", prec_train.donated_to = 82 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "transformer.ln_f.bias.exp_avg_sq", prec_train.donated_to = 83 : i64}
  ) attributes {prec.entry = "step"} {
    %0 = arith.constant dense<0.5> : tensor<2x32x256xf32>
    %1 = arith.constant dense<0.044715> : tensor<2x32x256xf32>
    %2 = arith.constant dense<0.7978846> : tensor<2x32x256xf32>
    %3 = arith.constant dense<1.0> : tensor<2x32x256xf32>
    %4 = arith.constant dense<-100> : tensor<2x1xi32>
    %5 = arith.constant dense<1.0> : tensor<f32>
    %6 = arith.constant dense<3.0> : tensor<2x32x256xf32>
    %7 = prec_train.embedding %arg0, %arg84 {prec_train.seq = 0 : i64} : (tensor<256x64xf32>, tensor<2x32xi32>) -> tensor<2x32x64xf32> loc("transformer.wte")
    %8 = prec_train.iota dim 0 : tensor<32xi32> loc("transformer")
    %9 = tensor.expand_shape %8 [[0, 1]] output_shape [1, 32] : tensor<32xi32> into tensor<1x32xi32> loc("transformer")
    %10 = prec_train.embedding %arg1, %9 {prec_train.seq = 1 : i64} : (tensor<128x64xf32>, tensor<1x32xi32>) -> tensor<1x32x64xf32> loc("transformer.wpe")
    %11 = tensor.collapse_shape %10 [[0, 1], [2]] {prec_train.seq = 2 : i64} : tensor<1x32x64xf32> into tensor<32x64xf32> loc("transformer")
    %12 = prec_train.broadcast %11 dims [1, 2] {prec_train.seq = 2 : i64} : (tensor<32x64xf32>) -> tensor<2x32x64xf32> loc("transformer")
    %13 = arith.addf %7, %12 {prec_train.seq = 2 : i64} : tensor<2x32x64xf32> loc("transformer")
    %14:3 = prec_train.layer_norm %13, %arg2, %arg3 {eps = 1.0e-05 : f32, prec_train.seq = 3 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) loc("transformer.h.0.ln_1")
    %15 = tensor.collapse_shape %14#0 [[0, 1], [2]] {prec_train.seq = 4 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.0.attn.c_attn")
    %16 = prec_train.matmul %15, %arg4 {prec_train.seq = 5 : i64} : (tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32> loc("transformer.h.0.attn.c_attn")
    %17 = prec_train.broadcast %arg5 dims [1] {prec_train.seq = 5 : i64} : (tensor<192xf32>) -> tensor<64x192xf32> loc("transformer.h.0.attn.c_attn")
    %18 = arith.addf %16, %17 {prec_train.seq = 5 : i64} : tensor<64x192xf32> loc("transformer.h.0.attn.c_attn")
    %19 = tensor.expand_shape %18 [[0, 1], [2]] output_shape [2, 32, 192] {prec_train.seq = 6 : i64} : tensor<64x192xf32> into tensor<2x32x192xf32> loc("transformer.h.0.attn.c_attn")
    %20 = tensor.extract_slice %19[0, 0, 0] [2, 32, 64] [1, 1, 1] {prec_train.seq = 7 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %21 = tensor.extract_slice %19[0, 0, 64] [2, 32, 64] [1, 1, 1] {prec_train.seq = 7 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %22 = tensor.extract_slice %19[0, 0, 128] [2, 32, 64] [1, 1, 1] {prec_train.seq = 7 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %23 = tensor.expand_shape %21 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 8 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %24 = prec_train.transpose %23 permutation [0, 2, 1, 3] {prec_train.seq = 9 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.0.attn")
    %25 = tensor.expand_shape %22 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 10 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %26 = prec_train.transpose %25 permutation [0, 2, 1, 3] {prec_train.seq = 11 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.0.attn")
    %27 = tensor.expand_shape %20 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 12 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %28 = prec_train.transpose %27 permutation [0, 2, 1, 3] {prec_train.seq = 13 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.0.attn")
    %29:2 = prec_train.attention %28, %24, %26 {scale = 0.25 : f32, causal, prec_train.seq = 14 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("transformer.h.0.attn")
    %30 = prec_train.transpose %29#0 permutation [0, 2, 1, 3] {prec_train.seq = 16 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %31 = tensor.collapse_shape %30 [[0, 1], [2, 3]] {prec_train.seq = 18 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %32 = prec_train.matmul %31, %arg6 {prec_train.seq = 19 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %33 = prec_train.broadcast %arg7 dims [1] {prec_train.seq = 19 : i64} : (tensor<64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %34 = arith.addf %32, %33 {prec_train.seq = 19 : i64} : tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %35 = tensor.expand_shape %34 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 20 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.0.attn.c_proj")
    %36 = arith.addf %35, %13 : tensor<2x32x64xf32> loc("transformer.h.0")
    %37:3 = prec_train.layer_norm %36, %arg8, %arg9 {eps = 1.0e-05 : f32, prec_train.seq = 21 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) loc("transformer.h.0.ln_2")
    %38 = tensor.collapse_shape %37#0 [[0, 1], [2]] {prec_train.seq = 22 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.0.mlp.c_fc")
    %39 = prec_train.matmul %38, %arg10 {prec_train.seq = 23 : i64} : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32> loc("transformer.h.0.mlp.c_fc")
    %40 = prec_train.broadcast %arg11 dims [1] {prec_train.seq = 23 : i64} : (tensor<256xf32>) -> tensor<64x256xf32> loc("transformer.h.0.mlp.c_fc")
    %41 = arith.addf %39, %40 {prec_train.seq = 23 : i64} : tensor<64x256xf32> loc("transformer.h.0.mlp.c_fc")
    %42 = tensor.expand_shape %41 [[0, 1], [2]] output_shape [2, 32, 256] {prec_train.seq = 24 : i64} : tensor<64x256xf32> into tensor<2x32x256xf32> loc("transformer.h.0.mlp.c_fc")
    %43 = arith.mulf %42, %0 {prec_train.seq = 25 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %44 = arith.mulf %42, %42 {prec_train.seq = 26 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %45 = arith.mulf %44, %42 {prec_train.seq = 26 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %46 = arith.mulf %45, %1 {prec_train.seq = 27 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %47 = arith.addf %42, %46 : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %48 = arith.mulf %47, %2 {prec_train.seq = 28 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %49 = math.tanh %48 {prec_train.seq = 29 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %50 = arith.addf %49, %3 : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %51 = arith.mulf %43, %50 {prec_train.seq = 30 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %52 = tensor.collapse_shape %51 [[0, 1], [2]] {prec_train.seq = 31 : i64} : tensor<2x32x256xf32> into tensor<64x256xf32> loc("transformer.h.0.mlp.c_proj")
    %53 = prec_train.matmul %52, %arg12 {prec_train.seq = 32 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.mlp.c_proj")
    %54 = prec_train.broadcast %arg13 dims [1] {prec_train.seq = 32 : i64} : (tensor<64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.mlp.c_proj")
    %55 = arith.addf %53, %54 {prec_train.seq = 32 : i64} : tensor<64x64xf32> loc("transformer.h.0.mlp.c_proj")
    %56 = tensor.expand_shape %55 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 33 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.0.mlp.c_proj")
    %57 = arith.addf %36, %56 : tensor<2x32x64xf32> loc("transformer.h.0")
    %58:3 = prec_train.layer_norm %57, %arg14, %arg15 {eps = 1.0e-05 : f32, prec_train.seq = 34 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) loc("transformer.h.1.ln_1")
    %59 = tensor.collapse_shape %58#0 [[0, 1], [2]] {prec_train.seq = 35 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.1.attn.c_attn")
    %60 = prec_train.matmul %59, %arg16 {prec_train.seq = 36 : i64} : (tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32> loc("transformer.h.1.attn.c_attn")
    %61 = prec_train.broadcast %arg17 dims [1] {prec_train.seq = 36 : i64} : (tensor<192xf32>) -> tensor<64x192xf32> loc("transformer.h.1.attn.c_attn")
    %62 = arith.addf %60, %61 {prec_train.seq = 36 : i64} : tensor<64x192xf32> loc("transformer.h.1.attn.c_attn")
    %63 = tensor.expand_shape %62 [[0, 1], [2]] output_shape [2, 32, 192] {prec_train.seq = 37 : i64} : tensor<64x192xf32> into tensor<2x32x192xf32> loc("transformer.h.1.attn.c_attn")
    %64 = tensor.extract_slice %63[0, 0, 0] [2, 32, 64] [1, 1, 1] {prec_train.seq = 38 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %65 = tensor.extract_slice %63[0, 0, 64] [2, 32, 64] [1, 1, 1] {prec_train.seq = 38 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %66 = tensor.extract_slice %63[0, 0, 128] [2, 32, 64] [1, 1, 1] {prec_train.seq = 38 : i64} : tensor<2x32x192xf32> to tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %67 = tensor.expand_shape %65 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 39 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %68 = prec_train.transpose %67 permutation [0, 2, 1, 3] {prec_train.seq = 40 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.1.attn")
    %69 = tensor.expand_shape %66 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 41 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %70 = prec_train.transpose %69 permutation [0, 2, 1, 3] {prec_train.seq = 42 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.1.attn")
    %71 = tensor.expand_shape %64 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 43 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %72 = prec_train.transpose %71 permutation [0, 2, 1, 3] {prec_train.seq = 44 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.1.attn")
    %73:2 = prec_train.attention %72, %68, %70 {scale = 0.25 : f32, causal, prec_train.seq = 45 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("transformer.h.1.attn")
    %74 = prec_train.transpose %73#0 permutation [0, 2, 1, 3] {prec_train.seq = 47 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %75 = tensor.collapse_shape %74 [[0, 1], [2, 3]] {prec_train.seq = 49 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %76 = prec_train.matmul %75, %arg18 {prec_train.seq = 50 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %77 = prec_train.broadcast %arg19 dims [1] {prec_train.seq = 50 : i64} : (tensor<64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %78 = arith.addf %76, %77 {prec_train.seq = 50 : i64} : tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %79 = tensor.expand_shape %78 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 51 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.1.attn.c_proj")
    %80 = arith.addf %79, %57 : tensor<2x32x64xf32> loc("transformer.h.1")
    %81:3 = prec_train.layer_norm %80, %arg20, %arg21 {eps = 1.0e-05 : f32, prec_train.seq = 52 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) loc("transformer.h.1.ln_2")
    %82 = tensor.collapse_shape %81#0 [[0, 1], [2]] {prec_train.seq = 53 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.1.mlp.c_fc")
    %83 = prec_train.matmul %82, %arg22 {prec_train.seq = 54 : i64} : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32> loc("transformer.h.1.mlp.c_fc")
    %84 = prec_train.broadcast %arg23 dims [1] {prec_train.seq = 54 : i64} : (tensor<256xf32>) -> tensor<64x256xf32> loc("transformer.h.1.mlp.c_fc")
    %85 = arith.addf %83, %84 {prec_train.seq = 54 : i64} : tensor<64x256xf32> loc("transformer.h.1.mlp.c_fc")
    %86 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [2, 32, 256] {prec_train.seq = 55 : i64} : tensor<64x256xf32> into tensor<2x32x256xf32> loc("transformer.h.1.mlp.c_fc")
    %87 = arith.mulf %86, %0 {prec_train.seq = 56 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %88 = arith.mulf %86, %86 {prec_train.seq = 57 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %89 = arith.mulf %88, %86 {prec_train.seq = 57 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %90 = arith.mulf %89, %1 {prec_train.seq = 58 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %91 = arith.addf %86, %90 : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %92 = arith.mulf %91, %2 {prec_train.seq = 59 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %93 = math.tanh %92 {prec_train.seq = 60 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %94 = arith.addf %93, %3 : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %95 = arith.mulf %87, %94 {prec_train.seq = 61 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %96 = tensor.collapse_shape %95 [[0, 1], [2]] {prec_train.seq = 62 : i64} : tensor<2x32x256xf32> into tensor<64x256xf32> loc("transformer.h.1.mlp.c_proj")
    %97 = prec_train.matmul %96, %arg24 {prec_train.seq = 63 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.mlp.c_proj")
    %98 = prec_train.broadcast %arg25 dims [1] {prec_train.seq = 63 : i64} : (tensor<64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.mlp.c_proj")
    %99 = arith.addf %97, %98 {prec_train.seq = 63 : i64} : tensor<64x64xf32> loc("transformer.h.1.mlp.c_proj")
    %100 = tensor.expand_shape %99 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 64 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.1.mlp.c_proj")
    %101 = arith.addf %80, %100 : tensor<2x32x64xf32> loc("transformer.h.1")
    %102:3 = prec_train.layer_norm %101, %arg26, %arg27 {eps = 1.0e-05 : f32, prec_train.seq = 65 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) loc("transformer.ln_f")
    %103 = tensor.collapse_shape %102#0 [[0, 1], [2]] {prec_train.seq = 68 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("lm_head")
    %104 = prec_train.matmul %103, %arg0 {transpose_b, prec_train.seq = 69 : i64} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32> loc("lm_head")
    %105 = tensor.concat dim(1) %arg85, %4 : (tensor<2x32xi32>, tensor<2x1xi32>) -> tensor<2x33xi32> loc("GPT2LMHeadModel")
    %106 = tensor.extract_slice %105[0, 1] [2, 32] [1, 1] : tensor<2x33xi32> to tensor<2x32xi32> loc("GPT2LMHeadModel")
    %107 = tensor.collapse_shape %106 [[0, 1]] : tensor<2x32xi32> into tensor<64xi32> loc("GPT2LMHeadModel")
    %108:3 = prec_train.cross_entropy %104, %107 {ignore_index = -100 : i32, prec_train.seq = 74 : i64} : (tensor<64x256xf32>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) loc("GPT2LMHeadModel")
    %109 = prec_train.cross_entropy_grad %5, %104, %107, %108#1, %108#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 74 : i64} : (tensor<f32>, tensor<64x256xf32>, tensor<64xi32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x256xf32> loc("GPT2LMHeadModel")
    %110 = prec_train.matmul %109, %103 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 69 : i64} : (tensor<64x256xf32>, tensor<64x64xf32>) -> tensor<256x64xf32> loc("lm_head")
    %111 = prec_train.matmul %109, %arg0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 69 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> loc("lm_head")
    %112 = tensor.expand_shape %111 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 68 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("lm_head")
    %113:3 = prec_train.layer_norm_grad %112, %101, %arg26, %102#1, %102#2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.ln_f")
    %114 = tensor.collapse_shape %113#0 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 64 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.1.mlp.c_proj")
    %115 = prec_train.matmul %114, %arg24 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32> loc("transformer.h.1.mlp.c_proj")
    %116 = prec_train.matmul %96, %114 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : (tensor<64x256xf32>, tensor<64x64xf32>) -> tensor<256x64xf32> loc("transformer.h.1.mlp.c_proj")
    %117 = prec_train.reduce sum %114 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : (tensor<64x64xf32>) -> tensor<64xf32> loc("transformer.h.1.mlp.c_proj")
    %118 = tensor.expand_shape %115 [[0, 1], [2]] output_shape [2, 32, 256] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 62 : i64} : tensor<64x256xf32> into tensor<2x32x256xf32> loc("transformer.h.1.mlp.c_proj")
    %119 = arith.mulf %118, %87 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 61 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %120 = arith.mulf %118, %94 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 61 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %121 = arith.mulf %93, %93 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 60 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %122 = arith.subf %3, %121 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 60 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %123 = arith.mulf %119, %122 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 60 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %124 = arith.mulf %123, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 59 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %125 = arith.mulf %124, %1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 58 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %126 = arith.mulf %86, %86 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 57 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %127 = arith.mulf %126, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 57 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %128 = arith.mulf %125, %127 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 57 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %129 = arith.addf %124, %128 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %130 = arith.mulf %120, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 56 : i64} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %131 = arith.addf %129, %130 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x256xf32> loc("transformer.h.1.mlp.act")
    %132 = tensor.collapse_shape %131 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 55 : i64} : tensor<2x32x256xf32> into tensor<64x256xf32> loc("transformer.h.1.mlp.c_fc")
    %133 = prec_train.matmul %132, %arg22 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 54 : i64} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x64xf32> loc("transformer.h.1.mlp.c_fc")
    %134 = prec_train.matmul %82, %132 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 54 : i64} : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32> loc("transformer.h.1.mlp.c_fc")
    %135 = prec_train.reduce sum %132 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 54 : i64} : (tensor<64x256xf32>) -> tensor<256xf32> loc("transformer.h.1.mlp.c_fc")
    %136 = tensor.expand_shape %133 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.1.mlp.c_fc")
    %137:3 = prec_train.layer_norm_grad %136, %80, %arg20, %81#1, %81#2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 52 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_2")
    %138 = arith.addf %113#0, %137#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("transformer.h.1.ln_2")
    %139 = tensor.collapse_shape %138 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 51 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %140 = prec_train.matmul %139, %arg18 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %141 = prec_train.matmul %75, %139 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.1.attn.c_proj")
    %142 = prec_train.reduce sum %139 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : (tensor<64x64xf32>) -> tensor<64xf32> loc("transformer.h.1.attn.c_proj")
    %143 = tensor.expand_shape %140 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %144 = prec_train.transpose %143 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.1.attn")
    %145:3 = prec_train.attention_grad %144, %72, %68, %70, %73#0, %73#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 45 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) loc("transformer.h.1.attn")
    %146 = prec_train.transpose %145#0 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 44 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %147 = tensor.collapse_shape %146 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 43 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %148 = prec_train.transpose %145#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 42 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %149 = tensor.collapse_shape %148 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 41 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %150 = prec_train.transpose %145#1 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 40 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.1.attn")
    %151 = tensor.collapse_shape %150 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 39 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.1.attn")
    %152 = tensor.concat dim(2) %147, %151, %149 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 38 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) -> tensor<2x32x192xf32> loc("transformer.h.1.attn")
    %153 = tensor.collapse_shape %152 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 37 : i64} : tensor<2x32x192xf32> into tensor<64x192xf32> loc("transformer.h.1.attn.c_attn")
    %154 = prec_train.matmul %153, %arg16 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 36 : i64} : (tensor<64x192xf32>, tensor<64x192xf32>) -> tensor<64x64xf32> loc("transformer.h.1.attn.c_attn")
    %155 = prec_train.matmul %59, %153 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 36 : i64} : (tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32> loc("transformer.h.1.attn.c_attn")
    %156 = prec_train.reduce sum %153 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 36 : i64} : (tensor<64x192xf32>) -> tensor<192xf32> loc("transformer.h.1.attn.c_attn")
    %157 = tensor.expand_shape %154 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 35 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.1.attn.c_attn")
    %158:3 = prec_train.layer_norm_grad %157, %57, %arg14, %58#1, %58#2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 34 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_1")
    %159 = arith.addf %138, %158#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("transformer.h.1.ln_1")
    %160 = tensor.collapse_shape %159 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 33 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.0.mlp.c_proj")
    %161 = prec_train.matmul %160, %arg12 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32> loc("transformer.h.0.mlp.c_proj")
    %162 = prec_train.matmul %52, %160 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : (tensor<64x256xf32>, tensor<64x64xf32>) -> tensor<256x64xf32> loc("transformer.h.0.mlp.c_proj")
    %163 = prec_train.reduce sum %160 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : (tensor<64x64xf32>) -> tensor<64xf32> loc("transformer.h.0.mlp.c_proj")
    %164 = tensor.expand_shape %161 [[0, 1], [2]] output_shape [2, 32, 256] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 31 : i64} : tensor<64x256xf32> into tensor<2x32x256xf32> loc("transformer.h.0.mlp.c_proj")
    %165 = arith.mulf %164, %43 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %166 = arith.mulf %164, %50 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %167 = arith.mulf %49, %49 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %168 = arith.subf %3, %167 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %169 = arith.mulf %165, %168 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %170 = arith.mulf %169, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 28 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %171 = arith.mulf %170, %1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 27 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %172 = arith.mulf %42, %42 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 26 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %173 = arith.mulf %172, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 26 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %174 = arith.mulf %171, %173 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 26 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %175 = arith.addf %170, %174 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %176 = arith.mulf %166, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 25 : i64} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %177 = arith.addf %175, %176 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x256xf32> loc("transformer.h.0.mlp.act")
    %178 = tensor.collapse_shape %177 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 24 : i64} : tensor<2x32x256xf32> into tensor<64x256xf32> loc("transformer.h.0.mlp.c_fc")
    %179 = prec_train.matmul %178, %arg10 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x64xf32> loc("transformer.h.0.mlp.c_fc")
    %180 = prec_train.matmul %38, %178 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32> loc("transformer.h.0.mlp.c_fc")
    %181 = prec_train.reduce sum %178 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : (tensor<64x256xf32>) -> tensor<256xf32> loc("transformer.h.0.mlp.c_fc")
    %182 = tensor.expand_shape %179 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 22 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.0.mlp.c_fc")
    %183:3 = prec_train.layer_norm_grad %182, %36, %arg8, %37#1, %37#2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 21 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_2")
    %184 = arith.addf %159, %183#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("transformer.h.0.ln_2")
    %185 = tensor.collapse_shape %184 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 20 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %186 = prec_train.matmul %185, %arg6 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %187 = prec_train.matmul %31, %185 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transformer.h.0.attn.c_proj")
    %188 = prec_train.reduce sum %185 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : (tensor<64x64xf32>) -> tensor<64xf32> loc("transformer.h.0.attn.c_proj")
    %189 = tensor.expand_shape %186 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 17 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %190 = prec_train.transpose %189 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 16 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("transformer.h.0.attn")
    %191:3 = prec_train.attention_grad %190, %28, %24, %26, %29#0, %29#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 14 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) loc("transformer.h.0.attn")
    %192 = prec_train.transpose %191#0 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 13 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %193 = tensor.collapse_shape %192 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 12 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %194 = prec_train.transpose %191#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 11 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %195 = tensor.collapse_shape %194 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 10 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %196 = prec_train.transpose %191#1 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 9 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("transformer.h.0.attn")
    %197 = tensor.collapse_shape %196 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 8 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("transformer.h.0.attn")
    %198 = tensor.concat dim(2) %193, %197, %195 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 7 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) -> tensor<2x32x192xf32> loc("transformer.h.0.attn")
    %199 = tensor.collapse_shape %198 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 6 : i64} : tensor<2x32x192xf32> into tensor<64x192xf32> loc("transformer.h.0.attn.c_attn")
    %200 = prec_train.matmul %199, %arg4 {transpose_b, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x192xf32>, tensor<64x192xf32>) -> tensor<64x64xf32> loc("transformer.h.0.attn.c_attn")
    %201 = prec_train.matmul %15, %199 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32> loc("transformer.h.0.attn.c_attn")
    %202 = prec_train.reduce sum %199 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x192xf32>) -> tensor<192xf32> loc("transformer.h.0.attn.c_attn")
    %203 = tensor.expand_shape %200 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("transformer.h.0.attn.c_attn")
    %204:3 = prec_train.layer_norm_grad %203, %13, %arg2, %14#1, %14#2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_1")
    %205 = arith.addf %184, %204#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("transformer.h.0.ln_1")
    %206 = prec_train.reduce sum %205 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : (tensor<2x32x64xf32>) -> tensor<32x64xf32> loc("transformer")
    %207 = tensor.expand_shape %206 [[0, 1], [2]] output_shape [1, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : tensor<32x64xf32> into tensor<1x32x64xf32> loc("transformer")
    %208 = prec_train.embedding_grad %207, %9 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 1 : i64} : (tensor<1x32x64xf32>, tensor<1x32xi32>) -> tensor<128x64xf32> loc("transformer.wpe")
    %209 = prec_train.embedding_grad %205, %arg84 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 0 : i64} : (tensor<2x32x64xf32>, tensor<2x32xi32>) -> tensor<256x64xf32> loc("transformer.wte")
    %210 = arith.addf %110, %209 {prec_train.phase = #prec_train.phase<backward>} : tensor<256x64xf32> loc("transformer.wte")
    %211 = prec_train.global_norm %210, %208, %204#1, %204#2, %201, %202, %187, %188, %183#1, %183#2, %180, %181, %162, %163, %158#1, %158#2, %155, %156, %141, %142, %137#1, %137#2, %134, %135, %116, %117, %113#1, %113#2 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<f32> loc("optimizer")
    %212 = prec_train.clip %211, %arg92 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("optimizer")
    %213:3 = prec_train.adamw %arg0, %210, %arg28, %arg29, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) loc("transformer.wte.weight")
    %214:3 = prec_train.adamw %arg1, %208, %arg30, %arg31, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) loc("transformer.wpe.weight")
    %215:3 = prec_train.adamw %arg2, %204#1, %arg32, %arg33, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_1.weight")
    %216:3 = prec_train.adamw %arg3, %204#2, %arg34, %arg35, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_1.bias")
    %217:3 = prec_train.adamw %arg4, %201, %arg36, %arg37, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>) loc("transformer.h.0.attn.c_attn.weight")
    %218:3 = prec_train.adamw %arg5, %202, %arg38, %arg39, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<192xf32>, tensor<192xf32>, tensor<192xf32>) loc("transformer.h.0.attn.c_attn.bias")
    %219:3 = prec_train.adamw %arg6, %187, %arg40, %arg41, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("transformer.h.0.attn.c_proj.weight")
    %220:3 = prec_train.adamw %arg7, %188, %arg42, %arg43, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.attn.c_proj.bias")
    %221:3 = prec_train.adamw %arg8, %183#1, %arg44, %arg45, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_2.weight")
    %222:3 = prec_train.adamw %arg9, %183#2, %arg46, %arg47, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.ln_2.bias")
    %223:3 = prec_train.adamw %arg10, %180, %arg48, %arg49, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) loc("transformer.h.0.mlp.c_fc.weight")
    %224:3 = prec_train.adamw %arg11, %181, %arg50, %arg51, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) loc("transformer.h.0.mlp.c_fc.bias")
    %225:3 = prec_train.adamw %arg12, %162, %arg52, %arg53, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) loc("transformer.h.0.mlp.c_proj.weight")
    %226:3 = prec_train.adamw %arg13, %163, %arg54, %arg55, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.0.mlp.c_proj.bias")
    %227:3 = prec_train.adamw %arg14, %158#1, %arg56, %arg57, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_1.weight")
    %228:3 = prec_train.adamw %arg15, %158#2, %arg58, %arg59, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_1.bias")
    %229:3 = prec_train.adamw %arg16, %155, %arg60, %arg61, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x192xf32>, tensor<64x192xf32>, tensor<64x192xf32>) loc("transformer.h.1.attn.c_attn.weight")
    %230:3 = prec_train.adamw %arg17, %156, %arg62, %arg63, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<192xf32>, tensor<192xf32>, tensor<192xf32>) loc("transformer.h.1.attn.c_attn.bias")
    %231:3 = prec_train.adamw %arg18, %141, %arg64, %arg65, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("transformer.h.1.attn.c_proj.weight")
    %232:3 = prec_train.adamw %arg19, %142, %arg66, %arg67, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.attn.c_proj.bias")
    %233:3 = prec_train.adamw %arg20, %137#1, %arg68, %arg69, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_2.weight")
    %234:3 = prec_train.adamw %arg21, %137#2, %arg70, %arg71, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.ln_2.bias")
    %235:3 = prec_train.adamw %arg22, %134, %arg72, %arg73, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) loc("transformer.h.1.mlp.c_fc.weight")
    %236:3 = prec_train.adamw %arg23, %135, %arg74, %arg75, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) loc("transformer.h.1.mlp.c_fc.bias")
    %237:3 = prec_train.adamw %arg24, %116, %arg76, %arg77, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) loc("transformer.h.1.mlp.c_proj.weight")
    %238:3 = prec_train.adamw %arg25, %117, %arg78, %arg79, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.h.1.mlp.c_proj.bias")
    %239:3 = prec_train.adamw %arg26, %113#1, %arg80, %arg81, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.ln_f.weight")
    %240:3 = prec_train.adamw %arg27, %113#2, %arg82, %arg83, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %212 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("transformer.ln_f.bias")
    return %108#0, %211, %213#0, %214#0, %215#0, %216#0, %217#0, %218#0, %219#0, %220#0, %221#0, %222#0, %223#0, %224#0, %225#0, %226#0, %227#0, %228#0, %229#0, %230#0, %231#0, %232#0, %233#0, %234#0, %235#0, %236#0, %237#0, %238#0, %239#0, %240#0, %213#1, %213#2, %214#1, %214#2, %215#1, %215#2, %216#1, %216#2, %217#1, %217#2, %218#1, %218#2, %219#1, %219#2, %220#1, %220#2, %221#1, %221#2, %222#1, %222#2, %223#1, %223#2, %224#1, %224#2, %225#1, %225#2, %226#1, %226#2, %227#1, %227#2, %228#1, %228#2, %229#1, %229#2, %230#1, %230#2, %231#1, %231#2, %232#1, %232#2, %233#1, %233#2, %234#1, %234#2, %235#1, %235#2, %236#1, %236#2, %237#1, %237#2, %238#1, %238#2, %239#1, %239#2, %240#1, %240#2 : tensor<f32>, tensor<f32>, tensor<256x64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x192xf32>, tensor<64x192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}

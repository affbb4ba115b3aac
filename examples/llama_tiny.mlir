module attributes {prec_train.framework = "torch 2.13.0", prec_train.model = "LlamaForCausalLM", prec_train.verified = "verified", prec_train.padding = true} {
  func.func @step(
      %arg0: tensor<256x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.embed_tokens.weight", prec_train.source_dtype = "f32", prec_train.aliases = ["lm_head.weight"]},
      %arg1: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.self_attn.q_proj.weight", prec_train.source_dtype = "f32"},
      %arg2: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.self_attn.k_proj.weight", prec_train.source_dtype = "f32"},
      %arg3: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.self_attn.v_proj.weight", prec_train.source_dtype = "f32"},
      %arg4: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.self_attn.o_proj.weight", prec_train.source_dtype = "f32"},
      %arg5: tensor<176x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.mlp.gate_proj.weight", prec_train.source_dtype = "f32"},
      %arg6: tensor<176x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.mlp.up_proj.weight", prec_train.source_dtype = "f32"},
      %arg7: tensor<64x176xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.mlp.down_proj.weight", prec_train.source_dtype = "f32"},
      %arg8: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.input_layernorm.weight", prec_train.source_dtype = "f32"},
      %arg9: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.0.post_attention_layernorm.weight", prec_train.source_dtype = "f32"},
      %arg10: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.self_attn.q_proj.weight", prec_train.source_dtype = "f32"},
      %arg11: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.self_attn.k_proj.weight", prec_train.source_dtype = "f32"},
      %arg12: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.self_attn.v_proj.weight", prec_train.source_dtype = "f32"},
      %arg13: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.self_attn.o_proj.weight", prec_train.source_dtype = "f32"},
      %arg14: tensor<176x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.mlp.gate_proj.weight", prec_train.source_dtype = "f32"},
      %arg15: tensor<176x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.mlp.up_proj.weight", prec_train.source_dtype = "f32"},
      %arg16: tensor<64x176xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.mlp.down_proj.weight", prec_train.source_dtype = "f32"},
      %arg17: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.input_layernorm.weight", prec_train.source_dtype = "f32"},
      %arg18: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.layers.1.post_attention_layernorm.weight", prec_train.source_dtype = "f32"},
      %arg19: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "model.norm.weight", prec_train.source_dtype = "f32"},
      %arg20: tensor<8xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "model.rotary_emb.inv_freq", prec_train.source_dtype = "f32", prec_train.initial = dense<"0x0000803F9BE8A13ECDCCCC3DE386013D0AD7233C383E4F3B6F12833A60CBA539"> : tensor<8xf32>},
      %arg21: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.embed_tokens.weight.exp_avg", prec_train.param_of = "model.embed_tokens.weight", prec_train.slot = "exp_avg"},
      %arg22: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.embed_tokens.weight.exp_avg_sq", prec_train.param_of = "model.embed_tokens.weight", prec_train.slot = "exp_avg_sq"},
      %arg23: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.q_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.self_attn.q_proj.weight", prec_train.slot = "exp_avg"},
      %arg24: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.q_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.self_attn.q_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg25: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.k_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.self_attn.k_proj.weight", prec_train.slot = "exp_avg"},
      %arg26: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.k_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.self_attn.k_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg27: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.v_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.self_attn.v_proj.weight", prec_train.slot = "exp_avg"},
      %arg28: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.v_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.self_attn.v_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg29: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.o_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.self_attn.o_proj.weight", prec_train.slot = "exp_avg"},
      %arg30: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.self_attn.o_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.self_attn.o_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg31: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.gate_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.mlp.gate_proj.weight", prec_train.slot = "exp_avg"},
      %arg32: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.gate_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.mlp.gate_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg33: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.up_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.mlp.up_proj.weight", prec_train.slot = "exp_avg"},
      %arg34: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.up_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.mlp.up_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg35: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.down_proj.weight.exp_avg", prec_train.param_of = "model.layers.0.mlp.down_proj.weight", prec_train.slot = "exp_avg"},
      %arg36: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.mlp.down_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.mlp.down_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg37: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.input_layernorm.weight.exp_avg", prec_train.param_of = "model.layers.0.input_layernorm.weight", prec_train.slot = "exp_avg"},
      %arg38: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.input_layernorm.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.input_layernorm.weight", prec_train.slot = "exp_avg_sq"},
      %arg39: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.post_attention_layernorm.weight.exp_avg", prec_train.param_of = "model.layers.0.post_attention_layernorm.weight", prec_train.slot = "exp_avg"},
      %arg40: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.0.post_attention_layernorm.weight.exp_avg_sq", prec_train.param_of = "model.layers.0.post_attention_layernorm.weight", prec_train.slot = "exp_avg_sq"},
      %arg41: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.q_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.self_attn.q_proj.weight", prec_train.slot = "exp_avg"},
      %arg42: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.q_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.self_attn.q_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg43: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.k_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.self_attn.k_proj.weight", prec_train.slot = "exp_avg"},
      %arg44: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.k_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.self_attn.k_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg45: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.v_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.self_attn.v_proj.weight", prec_train.slot = "exp_avg"},
      %arg46: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.v_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.self_attn.v_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg47: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.o_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.self_attn.o_proj.weight", prec_train.slot = "exp_avg"},
      %arg48: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.self_attn.o_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.self_attn.o_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg49: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.gate_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.mlp.gate_proj.weight", prec_train.slot = "exp_avg"},
      %arg50: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.gate_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.mlp.gate_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg51: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.up_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.mlp.up_proj.weight", prec_train.slot = "exp_avg"},
      %arg52: tensor<176x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.up_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.mlp.up_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg53: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.down_proj.weight.exp_avg", prec_train.param_of = "model.layers.1.mlp.down_proj.weight", prec_train.slot = "exp_avg"},
      %arg54: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.mlp.down_proj.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.mlp.down_proj.weight", prec_train.slot = "exp_avg_sq"},
      %arg55: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.input_layernorm.weight.exp_avg", prec_train.param_of = "model.layers.1.input_layernorm.weight", prec_train.slot = "exp_avg"},
      %arg56: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.input_layernorm.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.input_layernorm.weight", prec_train.slot = "exp_avg_sq"},
      %arg57: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.post_attention_layernorm.weight.exp_avg", prec_train.param_of = "model.layers.1.post_attention_layernorm.weight", prec_train.slot = "exp_avg"},
      %arg58: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.layers.1.post_attention_layernorm.weight.exp_avg_sq", prec_train.param_of = "model.layers.1.post_attention_layernorm.weight", prec_train.slot = "exp_avg_sq"},
      %arg59: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.norm.weight.exp_avg", prec_train.param_of = "model.norm.weight", prec_train.slot = "exp_avg"},
      %arg60: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "model.norm.weight.exp_avg_sq", prec_train.param_of = "model.norm.weight", prec_train.slot = "exp_avg_sq"},
      %arg61: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "input_ids", prec_train.vocabulary = 256 : i64, prec_train.shift = 0 : i64},
      %arg62: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels", prec_train.vocabulary = 256 : i64, prec_train.ignore_index = -100 : i64, prec_train.shift = 0 : i64},
      %arg63: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 0.001 : f64},
      %arg64: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta1", prec_train.default = 0.9 : f64},
      %arg65: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta2", prec_train.default = 0.95 : f64},
      %arg66: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "eps", prec_train.default = 1.0e-08 : f64},
      %arg67: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "weight_decay", prec_train.default = 0.1 : f64},
      %arg68: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step", prec_train.default = 1.0 : f64},
      %arg69: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "max_norm", prec_train.default = 1.0 : f64}
  ) -> (
      tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<f32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "grad_norm"},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.embed_tokens.weight", prec_train.donated_to = 0 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.q_proj.weight", prec_train.donated_to = 1 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.k_proj.weight", prec_train.donated_to = 2 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.v_proj.weight", prec_train.donated_to = 3 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.o_proj.weight", prec_train.donated_to = 4 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.gate_proj.weight", prec_train.donated_to = 5 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.up_proj.weight", prec_train.donated_to = 6 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.down_proj.weight", prec_train.donated_to = 7 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.input_layernorm.weight", prec_train.donated_to = 8 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.post_attention_layernorm.weight", prec_train.donated_to = 9 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.q_proj.weight", prec_train.donated_to = 10 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.k_proj.weight", prec_train.donated_to = 11 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.v_proj.weight", prec_train.donated_to = 12 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.o_proj.weight", prec_train.donated_to = 13 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.gate_proj.weight", prec_train.donated_to = 14 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.up_proj.weight", prec_train.donated_to = 15 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.down_proj.weight", prec_train.donated_to = 16 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.input_layernorm.weight", prec_train.donated_to = 17 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.post_attention_layernorm.weight", prec_train.donated_to = 18 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.norm.weight", prec_train.donated_to = 19 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.embed_tokens.weight.exp_avg", prec_train.donated_to = 21 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.embed_tokens.weight.exp_avg_sq", prec_train.donated_to = 22 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.q_proj.weight.exp_avg", prec_train.donated_to = 23 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.q_proj.weight.exp_avg_sq", prec_train.donated_to = 24 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.k_proj.weight.exp_avg", prec_train.donated_to = 25 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.k_proj.weight.exp_avg_sq", prec_train.donated_to = 26 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.v_proj.weight.exp_avg", prec_train.donated_to = 27 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.v_proj.weight.exp_avg_sq", prec_train.donated_to = 28 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.o_proj.weight.exp_avg", prec_train.donated_to = 29 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.self_attn.o_proj.weight.exp_avg_sq", prec_train.donated_to = 30 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.gate_proj.weight.exp_avg", prec_train.donated_to = 31 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.gate_proj.weight.exp_avg_sq", prec_train.donated_to = 32 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.up_proj.weight.exp_avg", prec_train.donated_to = 33 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.up_proj.weight.exp_avg_sq", prec_train.donated_to = 34 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.down_proj.weight.exp_avg", prec_train.donated_to = 35 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.mlp.down_proj.weight.exp_avg_sq", prec_train.donated_to = 36 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.input_layernorm.weight.exp_avg", prec_train.donated_to = 37 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.input_layernorm.weight.exp_avg_sq", prec_train.donated_to = 38 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.post_attention_layernorm.weight.exp_avg", prec_train.donated_to = 39 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.0.post_attention_layernorm.weight.exp_avg_sq", prec_train.donated_to = 40 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.q_proj.weight.exp_avg", prec_train.donated_to = 41 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.q_proj.weight.exp_avg_sq", prec_train.donated_to = 42 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.k_proj.weight.exp_avg", prec_train.donated_to = 43 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.k_proj.weight.exp_avg_sq", prec_train.donated_to = 44 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.v_proj.weight.exp_avg", prec_train.donated_to = 45 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.v_proj.weight.exp_avg_sq", prec_train.donated_to = 46 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.o_proj.weight.exp_avg", prec_train.donated_to = 47 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.self_attn.o_proj.weight.exp_avg_sq", prec_train.donated_to = 48 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.gate_proj.weight.exp_avg", prec_train.donated_to = 49 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.gate_proj.weight.exp_avg_sq", prec_train.donated_to = 50 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.up_proj.weight.exp_avg", prec_train.donated_to = 51 : i64},
      tensor<176x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.up_proj.weight.exp_avg_sq", prec_train.donated_to = 52 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.down_proj.weight.exp_avg", prec_train.donated_to = 53 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.mlp.down_proj.weight.exp_avg_sq", prec_train.donated_to = 54 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.input_layernorm.weight.exp_avg", prec_train.donated_to = 55 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.input_layernorm.weight.exp_avg_sq", prec_train.donated_to = 56 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.post_attention_layernorm.weight.exp_avg", prec_train.donated_to = 57 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.layers.1.post_attention_layernorm.weight.exp_avg_sq", prec_train.donated_to = 58 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.norm.weight.exp_avg", prec_train.donated_to = 59 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "model.norm.weight.exp_avg_sq", prec_train.donated_to = 60 : i64}
  ) attributes {prec.entry = "step"} {
    %0 = arith.constant dense<64.0> : tensor<2x32xf32>
    %1 = arith.constant dense<1.0e-06> : tensor<2x32x1xf32>
    %2 = arith.constant dense<1.0> : tensor<2x32x176xf32>
    %3 = arith.constant dense<-100> : tensor<2x1xi32>
    %4 = arith.constant dense<1.0> : tensor<f32>
    %5 = arith.constant dense<-0.5> : tensor<2x32x1xf32>
    %6 = arith.constant dense<64.0> : tensor<2x32x64xf32>
    %7 = arith.constant dense<2.0> : tensor<2x32x64xf32>
    %8 = arith.constant dense<0.0> : tensor<2x2x32x8xf32>
    %9 = arith.constant dense<0.0> : tensor<2x4x32x8xf32>
    %10 = prec_train.embedding %arg0, %arg61 {prec_train.seq = 0 : i64} : (tensor<256x64xf32>, tensor<2x32xi32>) -> tensor<2x32x64xf32> loc("model.embed_tokens")
    %11 = prec_train.iota dim 0 : tensor<32xi32> loc("model")
    %12 = tensor.expand_shape %11 [[0, 1, 2]] output_shape [1, 32, 1] : tensor<32xi32> into tensor<1x32x1xi32> loc("model.rotary_emb")
    %13 = arith.sitofp %12 : tensor<1x32x1xi32> to tensor<1x32x1xf32> loc("model.rotary_emb")
    %14 = tensor.collapse_shape %13 [[0, 1, 2]] : tensor<1x32x1xf32> into tensor<32xf32> loc("model.rotary_emb")
    %15 = prec_train.broadcast %14 dims [1] : (tensor<32xf32>) -> tensor<1x32x8xf32> loc("model.rotary_emb")
    %16 = prec_train.broadcast %arg20 dims [2] : (tensor<8xf32>) -> tensor<1x32x8xf32> loc("model.rotary_emb")
    %17 = arith.mulf %15, %16 : tensor<1x32x8xf32> loc("model.rotary_emb")
    %18 = tensor.concat dim(2) %17, %17 : (tensor<1x32x8xf32>, tensor<1x32x8xf32>) -> tensor<1x32x16xf32> loc("model.rotary_emb")
    %19 = math.cos %18 : tensor<1x32x16xf32> loc("model.rotary_emb")
    %20 = math.sin %18 : tensor<1x32x16xf32> loc("model.rotary_emb")
    %21 = arith.mulf %10, %10 {prec_train.seq = 1 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %22 = prec_train.reduce sum %21 dims [2] {prec_train.seq = 2 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %23 = arith.divf %22, %0 {prec_train.seq = 2 : i64} : tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %24 = tensor.expand_shape %23 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.seq = 2 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %25 = arith.addf %24, %1 : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %26 = math.rsqrt %25 {prec_train.seq = 3 : i64} : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %27 = tensor.collapse_shape %26 [[0], [1, 2]] {prec_train.seq = 4 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %28 = prec_train.broadcast %27 dims [0, 1] {prec_train.seq = 4 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %29 = arith.mulf %10, %28 {prec_train.seq = 4 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %30 = prec_train.broadcast %arg8 dims [2] {prec_train.seq = 5 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %31 = arith.mulf %30, %29 {prec_train.seq = 5 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %32 = tensor.collapse_shape %31 [[0, 1], [2]] {prec_train.seq = 7 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.q_proj")
    %33 = prec_train.matmul %32, %arg1 {transpose_b, prec_train.seq = 8 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.q_proj")
    %34 = tensor.expand_shape %33 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 10 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("model.layers.0.self_attn")
    %35 = prec_train.transpose %34 permutation [0, 2, 1, 3] {prec_train.seq = 11 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %36 = tensor.collapse_shape %31 [[0, 1], [2]] {prec_train.seq = 13 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.k_proj")
    %37 = prec_train.matmul %36, %arg2 {transpose_b, prec_train.seq = 14 : i64} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> loc("model.layers.0.self_attn.k_proj")
    %38 = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 16 : i64} : tensor<64x32xf32> into tensor<2x32x2x16xf32> loc("model.layers.0.self_attn")
    %39 = prec_train.transpose %38 permutation [0, 2, 1, 3] {prec_train.seq = 17 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %40 = tensor.collapse_shape %31 [[0, 1], [2]] {prec_train.seq = 19 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.v_proj")
    %41 = prec_train.matmul %40, %arg3 {transpose_b, prec_train.seq = 20 : i64} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> loc("model.layers.0.self_attn.v_proj")
    %42 = tensor.expand_shape %41 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 22 : i64} : tensor<64x32xf32> into tensor<2x32x2x16xf32> loc("model.layers.0.self_attn")
    %43 = prec_train.transpose %42 permutation [0, 2, 1, 3] {prec_train.seq = 23 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %44 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.seq = 24 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %45 = prec_train.broadcast %44 dims [2, 3] {prec_train.seq = 24 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %46 = arith.mulf %35, %45 {prec_train.seq = 24 : i64} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %47 = tensor.extract_slice %35[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 25 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %48 = tensor.extract_slice %35[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 26 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %49 = arith.negf %48 {prec_train.seq = 27 : i64} : tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %50 = tensor.concat dim(3) %49, %47 {prec_train.seq = 28 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %51 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.seq = 29 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %52 = prec_train.broadcast %51 dims [2, 3] {prec_train.seq = 29 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %53 = arith.mulf %50, %52 {prec_train.seq = 29 : i64} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %54 = arith.addf %46, %53 : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %55 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.seq = 30 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %56 = prec_train.broadcast %55 dims [2, 3] {prec_train.seq = 30 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %57 = arith.mulf %39, %56 {prec_train.seq = 30 : i64} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %58 = tensor.extract_slice %39[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 31 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %59 = tensor.extract_slice %39[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 32 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %60 = arith.negf %59 {prec_train.seq = 33 : i64} : tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %61 = tensor.concat dim(3) %60, %58 {prec_train.seq = 34 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %62 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.seq = 35 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %63 = prec_train.broadcast %62 dims [2, 3] {prec_train.seq = 35 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %64 = arith.mulf %61, %63 {prec_train.seq = 35 : i64} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %65 = arith.addf %57, %64 : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %66:2 = prec_train.attention %54, %65, %43 {scale = 0.25 : f32, causal, prec_train.seq = 36 : i64} : (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("model.layers.0.self_attn")
    %67 = prec_train.transpose %66#0 permutation [0, 2, 1, 3] {prec_train.seq = 38 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("model.layers.0.self_attn")
    %68 = tensor.collapse_shape %67 [[0, 1], [2, 3]] {prec_train.seq = 41 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.o_proj")
    %69 = prec_train.matmul %68, %arg4 {transpose_b, prec_train.seq = 42 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.o_proj")
    %70 = tensor.expand_shape %69 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 43 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.self_attn.o_proj")
    %71 = arith.addf %10, %70 : tensor<2x32x64xf32> loc("model.layers.0")
    %72 = arith.mulf %71, %71 {prec_train.seq = 44 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %73 = prec_train.reduce sum %72 dims [2] {prec_train.seq = 45 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %74 = arith.divf %73, %0 {prec_train.seq = 45 : i64} : tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %75 = tensor.expand_shape %74 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.seq = 45 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %76 = arith.addf %75, %1 : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %77 = math.rsqrt %76 {prec_train.seq = 46 : i64} : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %78 = tensor.collapse_shape %77 [[0], [1, 2]] {prec_train.seq = 47 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %79 = prec_train.broadcast %78 dims [0, 1] {prec_train.seq = 47 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %80 = arith.mulf %71, %79 {prec_train.seq = 47 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %81 = prec_train.broadcast %arg9 dims [2] {prec_train.seq = 48 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %82 = arith.mulf %81, %80 {prec_train.seq = 48 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %83 = tensor.collapse_shape %82 [[0, 1], [2]] {prec_train.seq = 50 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.mlp.gate_proj")
    %84 = prec_train.matmul %83, %arg5 {transpose_b, prec_train.seq = 51 : i64} : (tensor<64x64xf32>, tensor<176x64xf32>) -> tensor<64x176xf32> loc("model.layers.0.mlp.gate_proj")
    %85 = tensor.expand_shape %84 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.seq = 52 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.0.mlp.gate_proj")
    %86 = arith.negf %85 {prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %87 = math.exp %86 {prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %88 = arith.addf %87, %2 {prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %89 = arith.divf %2, %88 {prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %90 = arith.mulf %85, %89 {prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %91 = tensor.collapse_shape %82 [[0, 1], [2]] {prec_train.seq = 55 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.mlp.up_proj")
    %92 = prec_train.matmul %91, %arg6 {transpose_b, prec_train.seq = 56 : i64} : (tensor<64x64xf32>, tensor<176x64xf32>) -> tensor<64x176xf32> loc("model.layers.0.mlp.up_proj")
    %93 = tensor.expand_shape %92 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.seq = 57 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.0.mlp.up_proj")
    %94 = arith.mulf %90, %93 {prec_train.seq = 58 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp")
    %95 = tensor.collapse_shape %94 [[0, 1], [2]] {prec_train.seq = 60 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.0.mlp.down_proj")
    %96 = prec_train.matmul %95, %arg7 {transpose_b, prec_train.seq = 61 : i64} : (tensor<64x176xf32>, tensor<64x176xf32>) -> tensor<64x64xf32> loc("model.layers.0.mlp.down_proj")
    %97 = tensor.expand_shape %96 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 62 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.mlp.down_proj")
    %98 = arith.addf %71, %97 : tensor<2x32x64xf32> loc("model.layers.0")
    %99 = arith.mulf %98, %98 {prec_train.seq = 63 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %100 = prec_train.reduce sum %99 dims [2] {prec_train.seq = 64 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %101 = arith.divf %100, %0 {prec_train.seq = 64 : i64} : tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %102 = tensor.expand_shape %101 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.seq = 64 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %103 = arith.addf %102, %1 : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %104 = math.rsqrt %103 {prec_train.seq = 65 : i64} : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %105 = tensor.collapse_shape %104 [[0], [1, 2]] {prec_train.seq = 66 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %106 = prec_train.broadcast %105 dims [0, 1] {prec_train.seq = 66 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %107 = arith.mulf %98, %106 {prec_train.seq = 66 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %108 = prec_train.broadcast %arg17 dims [2] {prec_train.seq = 67 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %109 = arith.mulf %108, %107 {prec_train.seq = 67 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %110 = tensor.collapse_shape %109 [[0, 1], [2]] {prec_train.seq = 69 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.q_proj")
    %111 = prec_train.matmul %110, %arg10 {transpose_b, prec_train.seq = 70 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.q_proj")
    %112 = tensor.expand_shape %111 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 72 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("model.layers.1.self_attn")
    %113 = prec_train.transpose %112 permutation [0, 2, 1, 3] {prec_train.seq = 73 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %114 = tensor.collapse_shape %109 [[0, 1], [2]] {prec_train.seq = 75 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.k_proj")
    %115 = prec_train.matmul %114, %arg11 {transpose_b, prec_train.seq = 76 : i64} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> loc("model.layers.1.self_attn.k_proj")
    %116 = tensor.expand_shape %115 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 78 : i64} : tensor<64x32xf32> into tensor<2x32x2x16xf32> loc("model.layers.1.self_attn")
    %117 = prec_train.transpose %116 permutation [0, 2, 1, 3] {prec_train.seq = 79 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %118 = tensor.collapse_shape %109 [[0, 1], [2]] {prec_train.seq = 81 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.v_proj")
    %119 = prec_train.matmul %118, %arg12 {transpose_b, prec_train.seq = 82 : i64} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> loc("model.layers.1.self_attn.v_proj")
    %120 = tensor.expand_shape %119 [[0, 1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 84 : i64} : tensor<64x32xf32> into tensor<2x32x2x16xf32> loc("model.layers.1.self_attn")
    %121 = prec_train.transpose %120 permutation [0, 2, 1, 3] {prec_train.seq = 85 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %122 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.seq = 86 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %123 = prec_train.broadcast %122 dims [2, 3] {prec_train.seq = 86 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %124 = arith.mulf %113, %123 {prec_train.seq = 86 : i64} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %125 = tensor.extract_slice %113[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 87 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %126 = tensor.extract_slice %113[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 88 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %127 = arith.negf %126 {prec_train.seq = 89 : i64} : tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %128 = tensor.concat dim(3) %127, %125 {prec_train.seq = 90 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %129 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.seq = 91 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %130 = prec_train.broadcast %129 dims [2, 3] {prec_train.seq = 91 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %131 = arith.mulf %128, %130 {prec_train.seq = 91 : i64} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %132 = arith.addf %124, %131 : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %133 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.seq = 92 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %134 = prec_train.broadcast %133 dims [2, 3] {prec_train.seq = 92 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %135 = arith.mulf %117, %134 {prec_train.seq = 92 : i64} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %136 = tensor.extract_slice %117[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 93 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %137 = tensor.extract_slice %117[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 94 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %138 = arith.negf %137 {prec_train.seq = 95 : i64} : tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %139 = tensor.concat dim(3) %138, %136 {prec_train.seq = 96 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %140 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.seq = 97 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %141 = prec_train.broadcast %140 dims [2, 3] {prec_train.seq = 97 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %142 = arith.mulf %139, %141 {prec_train.seq = 97 : i64} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %143 = arith.addf %135, %142 : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %144:2 = prec_train.attention %132, %143, %121 {scale = 0.25 : f32, causal, prec_train.seq = 98 : i64} : (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("model.layers.1.self_attn")
    %145 = prec_train.transpose %144#0 permutation [0, 2, 1, 3] {prec_train.seq = 100 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("model.layers.1.self_attn")
    %146 = tensor.collapse_shape %145 [[0, 1], [2, 3]] {prec_train.seq = 103 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.o_proj")
    %147 = prec_train.matmul %146, %arg13 {transpose_b, prec_train.seq = 104 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.o_proj")
    %148 = tensor.expand_shape %147 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 105 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.self_attn.o_proj")
    %149 = arith.addf %98, %148 : tensor<2x32x64xf32> loc("model.layers.1")
    %150 = arith.mulf %149, %149 {prec_train.seq = 106 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %151 = prec_train.reduce sum %150 dims [2] {prec_train.seq = 107 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %152 = arith.divf %151, %0 {prec_train.seq = 107 : i64} : tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %153 = tensor.expand_shape %152 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.seq = 107 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %154 = arith.addf %153, %1 : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %155 = math.rsqrt %154 {prec_train.seq = 108 : i64} : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %156 = tensor.collapse_shape %155 [[0], [1, 2]] {prec_train.seq = 109 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %157 = prec_train.broadcast %156 dims [0, 1] {prec_train.seq = 109 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %158 = arith.mulf %149, %157 {prec_train.seq = 109 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %159 = prec_train.broadcast %arg18 dims [2] {prec_train.seq = 110 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %160 = arith.mulf %159, %158 {prec_train.seq = 110 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %161 = tensor.collapse_shape %160 [[0, 1], [2]] {prec_train.seq = 112 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.mlp.gate_proj")
    %162 = prec_train.matmul %161, %arg14 {transpose_b, prec_train.seq = 113 : i64} : (tensor<64x64xf32>, tensor<176x64xf32>) -> tensor<64x176xf32> loc("model.layers.1.mlp.gate_proj")
    %163 = tensor.expand_shape %162 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.seq = 114 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.1.mlp.gate_proj")
    %164 = arith.negf %163 {prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %165 = math.exp %164 {prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %166 = arith.addf %165, %2 {prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %167 = arith.divf %2, %166 {prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %168 = arith.mulf %163, %167 {prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %169 = tensor.collapse_shape %160 [[0, 1], [2]] {prec_train.seq = 117 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.mlp.up_proj")
    %170 = prec_train.matmul %169, %arg15 {transpose_b, prec_train.seq = 118 : i64} : (tensor<64x64xf32>, tensor<176x64xf32>) -> tensor<64x176xf32> loc("model.layers.1.mlp.up_proj")
    %171 = tensor.expand_shape %170 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.seq = 119 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.1.mlp.up_proj")
    %172 = arith.mulf %168, %171 {prec_train.seq = 120 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp")
    %173 = tensor.collapse_shape %172 [[0, 1], [2]] {prec_train.seq = 122 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.1.mlp.down_proj")
    %174 = prec_train.matmul %173, %arg16 {transpose_b, prec_train.seq = 123 : i64} : (tensor<64x176xf32>, tensor<64x176xf32>) -> tensor<64x64xf32> loc("model.layers.1.mlp.down_proj")
    %175 = tensor.expand_shape %174 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 124 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.mlp.down_proj")
    %176 = arith.addf %149, %175 : tensor<2x32x64xf32> loc("model.layers.1")
    %177 = arith.mulf %176, %176 {prec_train.seq = 125 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %178 = prec_train.reduce sum %177 dims [2] {prec_train.seq = 126 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.norm")
    %179 = arith.divf %178, %0 {prec_train.seq = 126 : i64} : tensor<2x32xf32> loc("model.norm")
    %180 = tensor.expand_shape %179 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.seq = 126 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.norm")
    %181 = arith.addf %180, %1 : tensor<2x32x1xf32> loc("model.norm")
    %182 = math.rsqrt %181 {prec_train.seq = 127 : i64} : tensor<2x32x1xf32> loc("model.norm")
    %183 = tensor.collapse_shape %182 [[0], [1, 2]] {prec_train.seq = 128 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.norm")
    %184 = prec_train.broadcast %183 dims [0, 1] {prec_train.seq = 128 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.norm")
    %185 = arith.mulf %176, %184 {prec_train.seq = 128 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %186 = prec_train.broadcast %arg19 dims [2] {prec_train.seq = 129 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.norm")
    %187 = arith.mulf %186, %185 {prec_train.seq = 129 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %188 = tensor.collapse_shape %187 [[0, 1], [2]] {prec_train.seq = 131 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("lm_head")
    %189 = prec_train.matmul %188, %arg0 {transpose_b, prec_train.seq = 132 : i64} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32> loc("lm_head")
    %190 = tensor.concat dim(1) %arg62, %3 : (tensor<2x32xi32>, tensor<2x1xi32>) -> tensor<2x33xi32> loc("LlamaForCausalLM")
    %191 = tensor.extract_slice %190[0, 1] [2, 32] [1, 1] : tensor<2x33xi32> to tensor<2x32xi32> loc("LlamaForCausalLM")
    %192 = tensor.collapse_shape %191 [[0, 1]] : tensor<2x32xi32> into tensor<64xi32> loc("LlamaForCausalLM")
    %193:3 = prec_train.cross_entropy %189, %192 {ignore_index = -100 : i32, prec_train.seq = 137 : i64} : (tensor<64x256xf32>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) loc("LlamaForCausalLM")
    %194 = prec_train.cross_entropy_grad %4, %189, %192, %193#1, %193#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 137 : i64} : (tensor<f32>, tensor<64x256xf32>, tensor<64xi32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x256xf32> loc("LlamaForCausalLM")
    %195 = prec_train.matmul %194, %188 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 132 : i64} : (tensor<64x256xf32>, tensor<64x64xf32>) -> tensor<256x64xf32> loc("lm_head")
    %196 = prec_train.matmul %194, %arg0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 132 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> loc("lm_head")
    %197 = tensor.expand_shape %196 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 131 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("lm_head")
    %198 = prec_train.broadcast %arg19 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 129 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.norm")
    %199 = arith.mulf %197, %198 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 129 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %200 = arith.mulf %197, %185 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 129 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %201 = prec_train.reduce sum %200 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 129 : i64} : (tensor<2x32x64xf32>) -> tensor<64xf32> loc("model.norm")
    %202 = arith.mulf %199, %176 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %203 = tensor.collapse_shape %182 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.norm")
    %204 = prec_train.broadcast %203 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.norm")
    %205 = arith.mulf %199, %204 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %206 = prec_train.reduce sum %202 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.norm")
    %207 = tensor.expand_shape %206 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 128 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.norm")
    %208 = arith.mulf %182, %182 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 127 : i64} : tensor<2x32x1xf32> loc("model.norm")
    %209 = arith.mulf %208, %182 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 127 : i64} : tensor<2x32x1xf32> loc("model.norm")
    %210 = arith.mulf %207, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 127 : i64} : tensor<2x32x1xf32> loc("model.norm")
    %211 = arith.mulf %210, %209 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 127 : i64} : tensor<2x32x1xf32> loc("model.norm")
    %212 = tensor.collapse_shape %211 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 126 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.norm")
    %213 = prec_train.broadcast %212 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 126 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.norm")
    %214 = arith.divf %213, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 126 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %215 = arith.mulf %176, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 125 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %216 = arith.mulf %214, %215 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 125 : i64} : tensor<2x32x64xf32> loc("model.norm")
    %217 = arith.addf %205, %216 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.norm")
    %218 = tensor.collapse_shape %217 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 124 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.mlp.down_proj")
    %219 = prec_train.matmul %218, %173 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 123 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("model.layers.1.mlp.down_proj")
    %220 = prec_train.matmul %218, %arg16 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 123 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("model.layers.1.mlp.down_proj")
    %221 = tensor.expand_shape %220 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 122 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.1.mlp.down_proj")
    %222 = arith.mulf %221, %168 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 120 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp")
    %223 = arith.mulf %221, %171 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 120 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp")
    %224 = tensor.collapse_shape %222 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 119 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.1.mlp.up_proj")
    %225 = prec_train.matmul %224, %169 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 118 : i64} : (tensor<64x176xf32>, tensor<64x64xf32>) -> tensor<176x64xf32> loc("model.layers.1.mlp.up_proj")
    %226 = prec_train.matmul %224, %arg15 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 118 : i64} : (tensor<64x176xf32>, tensor<176x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.mlp.up_proj")
    %227 = tensor.expand_shape %226 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 117 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.mlp.up_proj")
    %228 = arith.negf %163 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %229 = math.exp %228 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %230 = arith.addf %229, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %231 = arith.divf %2, %230 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %232 = arith.mulf %223, %231 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %233 = arith.subf %2, %231 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %234 = arith.mulf %163, %233 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %235 = arith.addf %234, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %236 = arith.mulf %232, %235 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 115 : i64} : tensor<2x32x176xf32> loc("model.layers.1.mlp.act_fn")
    %237 = tensor.collapse_shape %236 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 114 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.1.mlp.gate_proj")
    %238 = prec_train.matmul %237, %161 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 113 : i64} : (tensor<64x176xf32>, tensor<64x64xf32>) -> tensor<176x64xf32> loc("model.layers.1.mlp.gate_proj")
    %239 = prec_train.matmul %237, %arg14 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 113 : i64} : (tensor<64x176xf32>, tensor<176x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.mlp.gate_proj")
    %240 = tensor.expand_shape %239 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 112 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.mlp.gate_proj")
    %241 = arith.addf %227, %240 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.mlp.gate_proj")
    %242 = prec_train.broadcast %arg18 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %243 = arith.mulf %241, %242 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %244 = arith.mulf %241, %158 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %245 = prec_train.reduce sum %244 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : (tensor<2x32x64xf32>) -> tensor<64xf32> loc("model.layers.1.post_attention_layernorm")
    %246 = arith.mulf %243, %149 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %247 = tensor.collapse_shape %155 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %248 = prec_train.broadcast %247 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %249 = arith.mulf %243, %248 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %250 = prec_train.reduce sum %246 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %251 = tensor.expand_shape %250 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %252 = arith.addf %217, %249 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %253 = arith.mulf %155, %155 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 108 : i64} : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %254 = arith.mulf %253, %155 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 108 : i64} : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %255 = arith.mulf %251, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 108 : i64} : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %256 = arith.mulf %255, %254 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 108 : i64} : tensor<2x32x1xf32> loc("model.layers.1.post_attention_layernorm")
    %257 = tensor.collapse_shape %256 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 107 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.post_attention_layernorm")
    %258 = prec_train.broadcast %257 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 107 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %259 = arith.divf %258, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 107 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %260 = arith.mulf %149, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 106 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %261 = arith.mulf %259, %260 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 106 : i64} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %262 = arith.addf %252, %261 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.post_attention_layernorm")
    %263 = tensor.collapse_shape %262 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.o_proj")
    %264 = prec_train.matmul %263, %146 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 104 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.o_proj")
    %265 = prec_train.matmul %263, %arg13 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 104 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.o_proj")
    %266 = tensor.expand_shape %265 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 101 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("model.layers.1.self_attn")
    %267 = prec_train.transpose %266 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 100 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %268:3 = prec_train.attention_grad %267, %132, %143, %121, %144#0, %144#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 98 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) loc("model.layers.1.self_attn")
    %269 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 97 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %270 = prec_train.broadcast %269 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 97 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %271 = arith.mulf %268#1, %270 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 97 : i64} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %272 = tensor.extract_slice %271[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 96 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %273 = tensor.extract_slice %271[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 96 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %274 = arith.negf %272 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 95 : i64} : tensor<2x2x32x8xf32> loc("model.layers.1.self_attn")
    %275 = tensor.concat dim(3) %8, %274 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 94 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %276 = tensor.concat dim(3) %273, %8 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 93 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %277 = arith.addf %275, %276 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %278 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 92 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %279 = prec_train.broadcast %278 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 92 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %280 = arith.mulf %268#1, %279 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 92 : i64} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %281 = arith.addf %277, %280 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x16xf32> loc("model.layers.1.self_attn")
    %282 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 91 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %283 = prec_train.broadcast %282 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 91 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %284 = arith.mulf %268#0, %283 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 91 : i64} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %285 = tensor.extract_slice %284[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 90 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %286 = tensor.extract_slice %284[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 90 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %287 = arith.negf %285 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 89 : i64} : tensor<2x4x32x8xf32> loc("model.layers.1.self_attn")
    %288 = tensor.concat dim(3) %9, %287 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 88 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %289 = tensor.concat dim(3) %286, %9 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 87 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %290 = arith.addf %288, %289 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %291 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 86 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.1.self_attn")
    %292 = prec_train.broadcast %291 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 86 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %293 = arith.mulf %268#0, %292 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 86 : i64} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %294 = arith.addf %290, %293 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x16xf32> loc("model.layers.1.self_attn")
    %295 = prec_train.transpose %268#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 85 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("model.layers.1.self_attn")
    %296 = tensor.collapse_shape %295 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 83 : i64} : tensor<2x32x2x16xf32> into tensor<64x32xf32> loc("model.layers.1.self_attn.v_proj")
    %297 = prec_train.matmul %296, %118 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 82 : i64} : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32> loc("model.layers.1.self_attn.v_proj")
    %298 = prec_train.matmul %296, %arg12 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 82 : i64} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.v_proj")
    %299 = tensor.expand_shape %298 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 81 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.self_attn.v_proj")
    %300 = prec_train.transpose %281 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 79 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("model.layers.1.self_attn")
    %301 = tensor.collapse_shape %300 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 77 : i64} : tensor<2x32x2x16xf32> into tensor<64x32xf32> loc("model.layers.1.self_attn.k_proj")
    %302 = prec_train.matmul %301, %114 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 76 : i64} : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32> loc("model.layers.1.self_attn.k_proj")
    %303 = prec_train.matmul %301, %arg11 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 76 : i64} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.k_proj")
    %304 = tensor.expand_shape %303 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 75 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.self_attn.k_proj")
    %305 = arith.addf %299, %304 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.self_attn.k_proj")
    %306 = prec_train.transpose %294 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 73 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("model.layers.1.self_attn")
    %307 = tensor.collapse_shape %306 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 71 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("model.layers.1.self_attn.q_proj")
    %308 = prec_train.matmul %307, %110 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 70 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.q_proj")
    %309 = prec_train.matmul %307, %arg10 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 70 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.1.self_attn.q_proj")
    %310 = tensor.expand_shape %309 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 69 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.1.self_attn.q_proj")
    %311 = arith.addf %305, %310 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.self_attn.q_proj")
    %312 = prec_train.broadcast %arg17 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 67 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %313 = arith.mulf %311, %312 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 67 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %314 = arith.mulf %311, %107 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 67 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %315 = prec_train.reduce sum %314 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 67 : i64} : (tensor<2x32x64xf32>) -> tensor<64xf32> loc("model.layers.1.input_layernorm")
    %316 = arith.mulf %313, %98 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %317 = tensor.collapse_shape %104 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %318 = prec_train.broadcast %317 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %319 = arith.mulf %313, %318 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %320 = prec_train.reduce sum %316 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %321 = tensor.expand_shape %320 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %322 = arith.addf %262, %319 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %323 = arith.mulf %104, %104 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %324 = arith.mulf %323, %104 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %325 = arith.mulf %321, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %326 = arith.mulf %325, %324 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : tensor<2x32x1xf32> loc("model.layers.1.input_layernorm")
    %327 = tensor.collapse_shape %326 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 64 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.1.input_layernorm")
    %328 = prec_train.broadcast %327 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 64 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %329 = arith.divf %328, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 64 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %330 = arith.mulf %98, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %331 = arith.mulf %329, %330 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %332 = arith.addf %322, %331 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.1.input_layernorm")
    %333 = tensor.collapse_shape %332 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 62 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.mlp.down_proj")
    %334 = prec_train.matmul %333, %95 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 61 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("model.layers.0.mlp.down_proj")
    %335 = prec_train.matmul %333, %arg7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 61 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("model.layers.0.mlp.down_proj")
    %336 = tensor.expand_shape %335 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 60 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("model.layers.0.mlp.down_proj")
    %337 = arith.mulf %336, %90 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 58 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp")
    %338 = arith.mulf %336, %93 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 58 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp")
    %339 = tensor.collapse_shape %337 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 57 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.0.mlp.up_proj")
    %340 = prec_train.matmul %339, %91 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 56 : i64} : (tensor<64x176xf32>, tensor<64x64xf32>) -> tensor<176x64xf32> loc("model.layers.0.mlp.up_proj")
    %341 = prec_train.matmul %339, %arg6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 56 : i64} : (tensor<64x176xf32>, tensor<176x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.mlp.up_proj")
    %342 = tensor.expand_shape %341 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 55 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.mlp.up_proj")
    %343 = arith.negf %85 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %344 = math.exp %343 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %345 = arith.addf %344, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %346 = arith.divf %2, %345 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %347 = arith.mulf %338, %346 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %348 = arith.subf %2, %346 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %349 = arith.mulf %85, %348 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %350 = arith.addf %349, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %351 = arith.mulf %347, %350 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 53 : i64} : tensor<2x32x176xf32> loc("model.layers.0.mlp.act_fn")
    %352 = tensor.collapse_shape %351 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 52 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("model.layers.0.mlp.gate_proj")
    %353 = prec_train.matmul %352, %83 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 51 : i64} : (tensor<64x176xf32>, tensor<64x64xf32>) -> tensor<176x64xf32> loc("model.layers.0.mlp.gate_proj")
    %354 = prec_train.matmul %352, %arg5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 51 : i64} : (tensor<64x176xf32>, tensor<176x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.mlp.gate_proj")
    %355 = tensor.expand_shape %354 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.mlp.gate_proj")
    %356 = arith.addf %342, %355 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.mlp.gate_proj")
    %357 = prec_train.broadcast %arg9 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %358 = arith.mulf %356, %357 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %359 = arith.mulf %356, %80 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %360 = prec_train.reduce sum %359 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : (tensor<2x32x64xf32>) -> tensor<64xf32> loc("model.layers.0.post_attention_layernorm")
    %361 = arith.mulf %358, %71 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %362 = tensor.collapse_shape %77 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %363 = prec_train.broadcast %362 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %364 = arith.mulf %358, %363 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %365 = prec_train.reduce sum %361 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %366 = tensor.expand_shape %365 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %367 = arith.addf %332, %364 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %368 = arith.mulf %77, %77 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 46 : i64} : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %369 = arith.mulf %368, %77 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 46 : i64} : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %370 = arith.mulf %366, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 46 : i64} : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %371 = arith.mulf %370, %369 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 46 : i64} : tensor<2x32x1xf32> loc("model.layers.0.post_attention_layernorm")
    %372 = tensor.collapse_shape %371 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 45 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.post_attention_layernorm")
    %373 = prec_train.broadcast %372 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 45 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %374 = arith.divf %373, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 45 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %375 = arith.mulf %71, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 44 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %376 = arith.mulf %374, %375 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 44 : i64} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %377 = arith.addf %367, %376 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.post_attention_layernorm")
    %378 = tensor.collapse_shape %377 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 43 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.o_proj")
    %379 = prec_train.matmul %378, %68 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 42 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.o_proj")
    %380 = prec_train.matmul %378, %arg4 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 42 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.o_proj")
    %381 = tensor.expand_shape %380 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 39 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("model.layers.0.self_attn")
    %382 = prec_train.transpose %381 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 38 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %383:3 = prec_train.attention_grad %382, %54, %65, %43, %66#0, %66#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 36 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) loc("model.layers.0.self_attn")
    %384 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 35 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %385 = prec_train.broadcast %384 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 35 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %386 = arith.mulf %383#1, %385 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 35 : i64} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %387 = tensor.extract_slice %386[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 34 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %388 = tensor.extract_slice %386[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 34 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %389 = arith.negf %387 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 33 : i64} : tensor<2x2x32x8xf32> loc("model.layers.0.self_attn")
    %390 = tensor.concat dim(3) %8, %389 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %391 = tensor.concat dim(3) %388, %8 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 31 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %392 = arith.addf %390, %391 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %393 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %394 = prec_train.broadcast %393 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : (tensor<32x16xf32>) -> tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %395 = arith.mulf %383#1, %394 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %396 = arith.addf %392, %395 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x16xf32> loc("model.layers.0.self_attn")
    %397 = tensor.collapse_shape %20 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %398 = prec_train.broadcast %397 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %399 = arith.mulf %383#0, %398 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %400 = tensor.extract_slice %399[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 28 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %401 = tensor.extract_slice %399[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 28 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %402 = arith.negf %400 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 27 : i64} : tensor<2x4x32x8xf32> loc("model.layers.0.self_attn")
    %403 = tensor.concat dim(3) %9, %402 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 26 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %404 = tensor.concat dim(3) %401, %9 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 25 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %405 = arith.addf %403, %404 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %406 = tensor.collapse_shape %19 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 24 : i64} : tensor<1x32x16xf32> into tensor<32x16xf32> loc("model.layers.0.self_attn")
    %407 = prec_train.broadcast %406 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 24 : i64} : (tensor<32x16xf32>) -> tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %408 = arith.mulf %383#0, %407 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 24 : i64} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %409 = arith.addf %405, %408 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x16xf32> loc("model.layers.0.self_attn")
    %410 = prec_train.transpose %383#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("model.layers.0.self_attn")
    %411 = tensor.collapse_shape %410 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 21 : i64} : tensor<2x32x2x16xf32> into tensor<64x32xf32> loc("model.layers.0.self_attn.v_proj")
    %412 = prec_train.matmul %411, %40 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 20 : i64} : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32> loc("model.layers.0.self_attn.v_proj")
    %413 = prec_train.matmul %411, %arg3 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 20 : i64} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.v_proj")
    %414 = tensor.expand_shape %413 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.self_attn.v_proj")
    %415 = prec_train.transpose %396 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 17 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("model.layers.0.self_attn")
    %416 = tensor.collapse_shape %415 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 15 : i64} : tensor<2x32x2x16xf32> into tensor<64x32xf32> loc("model.layers.0.self_attn.k_proj")
    %417 = prec_train.matmul %416, %36 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 14 : i64} : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32> loc("model.layers.0.self_attn.k_proj")
    %418 = prec_train.matmul %416, %arg2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 14 : i64} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.k_proj")
    %419 = tensor.expand_shape %418 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 13 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.self_attn.k_proj")
    %420 = arith.addf %414, %419 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.self_attn.k_proj")
    %421 = prec_train.transpose %409 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 11 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("model.layers.0.self_attn")
    %422 = tensor.collapse_shape %421 [[0, 1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 9 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("model.layers.0.self_attn.q_proj")
    %423 = prec_train.matmul %422, %32 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 8 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.q_proj")
    %424 = prec_train.matmul %422, %arg1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 8 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("model.layers.0.self_attn.q_proj")
    %425 = tensor.expand_shape %424 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 7 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("model.layers.0.self_attn.q_proj")
    %426 = arith.addf %420, %425 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.self_attn.q_proj")
    %427 = prec_train.broadcast %arg8 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %428 = arith.mulf %426, %427 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %429 = arith.mulf %426, %29 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %430 = prec_train.reduce sum %429 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<2x32x64xf32>) -> tensor<64xf32> loc("model.layers.0.input_layernorm")
    %431 = arith.mulf %428, %10 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %432 = tensor.collapse_shape %26 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %433 = prec_train.broadcast %432 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %434 = arith.mulf %428, %433 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %435 = prec_train.reduce sum %431 dims [2] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : (tensor<2x32x64xf32>) -> tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %436 = tensor.expand_shape %435 [[0], [1, 2]] output_shape [2, 32, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 4 : i64} : tensor<2x32xf32> into tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %437 = arith.addf %377, %434 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %438 = arith.mulf %26, %26 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %439 = arith.mulf %438, %26 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %440 = arith.mulf %436, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %441 = arith.mulf %440, %439 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<2x32x1xf32> loc("model.layers.0.input_layernorm")
    %442 = tensor.collapse_shape %441 [[0], [1, 2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : tensor<2x32x1xf32> into tensor<2x32xf32> loc("model.layers.0.input_layernorm")
    %443 = prec_train.broadcast %442 dims [0, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : (tensor<2x32xf32>) -> tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %444 = arith.divf %443, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %445 = arith.mulf %10, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 1 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %446 = arith.mulf %444, %445 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 1 : i64} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %447 = arith.addf %437, %446 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("model.layers.0.input_layernorm")
    %448 = prec_train.embedding_grad %447, %arg61 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 0 : i64} : (tensor<2x32x64xf32>, tensor<2x32xi32>) -> tensor<256x64xf32> loc("model.embed_tokens")
    %449 = arith.addf %195, %448 {prec_train.phase = #prec_train.phase<backward>} : tensor<256x64xf32> loc("model.embed_tokens")
    %450 = prec_train.global_norm %449, %423, %417, %412, %379, %353, %340, %334, %430, %360, %308, %302, %297, %264, %238, %225, %219, %315, %245, %201 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<f32> loc("optimizer")
    %451 = prec_train.clip %450, %arg69 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("optimizer")
    %452:3 = prec_train.adamw %arg0, %449, %arg21, %arg22, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) loc("model.embed_tokens.weight")
    %453:3 = prec_train.adamw %arg1, %423, %arg23, %arg24, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("model.layers.0.self_attn.q_proj.weight")
    %454:3 = prec_train.adamw %arg2, %417, %arg25, %arg26, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) loc("model.layers.0.self_attn.k_proj.weight")
    %455:3 = prec_train.adamw %arg3, %412, %arg27, %arg28, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) loc("model.layers.0.self_attn.v_proj.weight")
    %456:3 = prec_train.adamw %arg4, %379, %arg29, %arg30, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("model.layers.0.self_attn.o_proj.weight")
    %457:3 = prec_train.adamw %arg5, %353, %arg31, %arg32, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>) loc("model.layers.0.mlp.gate_proj.weight")
    %458:3 = prec_train.adamw %arg6, %340, %arg33, %arg34, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>) loc("model.layers.0.mlp.up_proj.weight")
    %459:3 = prec_train.adamw %arg7, %334, %arg35, %arg36, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>) loc("model.layers.0.mlp.down_proj.weight")
    %460:3 = prec_train.adamw %arg8, %430, %arg37, %arg38, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("model.layers.0.input_layernorm.weight")
    %461:3 = prec_train.adamw %arg9, %360, %arg39, %arg40, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("model.layers.0.post_attention_layernorm.weight")
    %462:3 = prec_train.adamw %arg10, %308, %arg41, %arg42, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("model.layers.1.self_attn.q_proj.weight")
    %463:3 = prec_train.adamw %arg11, %302, %arg43, %arg44, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) loc("model.layers.1.self_attn.k_proj.weight")
    %464:3 = prec_train.adamw %arg12, %297, %arg45, %arg46, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) loc("model.layers.1.self_attn.v_proj.weight")
    %465:3 = prec_train.adamw %arg13, %264, %arg47, %arg48, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("model.layers.1.self_attn.o_proj.weight")
    %466:3 = prec_train.adamw %arg14, %238, %arg49, %arg50, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>) loc("model.layers.1.mlp.gate_proj.weight")
    %467:3 = prec_train.adamw %arg15, %225, %arg51, %arg52, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>) loc("model.layers.1.mlp.up_proj.weight")
    %468:3 = prec_train.adamw %arg16, %219, %arg53, %arg54, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>) loc("model.layers.1.mlp.down_proj.weight")
    %469:3 = prec_train.adamw %arg17, %315, %arg55, %arg56, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("model.layers.1.input_layernorm.weight")
    %470:3 = prec_train.adamw %arg18, %245, %arg57, %arg58, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("model.layers.1.post_attention_layernorm.weight")
    %471:3 = prec_train.adamw %arg19, %201, %arg59, %arg60, %arg63, %arg64, %arg65, %arg66, %arg67, %arg68, %451 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("model.norm.weight")
    return %193#0, %450, %452#0, %453#0, %454#0, %455#0, %456#0, %457#0, %458#0, %459#0, %460#0, %461#0, %462#0, %463#0, %464#0, %465#0, %466#0, %467#0, %468#0, %469#0, %470#0, %471#0, %452#1, %452#2, %453#1, %453#2, %454#1, %454#2, %455#1, %455#2, %456#1, %456#2, %457#1, %457#2, %458#1, %458#2, %459#1, %459#2, %460#1, %460#2, %461#1, %461#2, %462#1, %462#2, %463#1, %463#2, %464#1, %464#2, %465#1, %465#2, %466#1, %466#2, %467#1, %467#2, %468#1, %468#2, %469#1, %469#2, %470#1, %470#2, %471#1, %471#2 : tensor<f32>, tensor<f32>, tensor<256x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<176x64xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}

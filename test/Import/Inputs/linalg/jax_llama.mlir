// Made by generate_jax.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0, d1) -> (d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map15 = affine_map<() -> ()>
#map16 = affine_map<(d0, d1, d2, d3) -> ()>
#map17 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map18 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#map19 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map20 = affine_map<(d0) -> ()>
#map21 = affine_map<(d0, d1) -> ()>
#map22 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map23 = affine_map<(d0, d1) -> (d1, d0)>
#map24 = affine_map<(d0, d1, d2) -> (d0)>
#map25 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#map26 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4, d3)>
#map27 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map28 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map29 = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0, d1)>
#map30 = affine_map<(d0, d1, d2) -> ()>
module {
  func.func @step(
      %arg0: tensor<256x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.embed.embedding", prec_train.source_dtype = "f32"},
      %arg1: tensor<128x256xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.head.kernel", prec_train.source_dtype = "f32"},
      %arg2: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.attn.k.kernel", prec_train.source_dtype = "f32"},
      %arg3: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.attn.o.kernel", prec_train.source_dtype = "f32"},
      %arg4: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.attn.q.kernel", prec_train.source_dtype = "f32"},
      %arg5: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.attn.v.kernel", prec_train.source_dtype = "f32"},
      %arg6: tensor<352x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.down.kernel", prec_train.source_dtype = "f32"},
      %arg7: tensor<128x352xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.gate.kernel", prec_train.source_dtype = "f32"},
      %arg8: tensor<128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.norm1.scale", prec_train.source_dtype = "f32"},
      %arg9: tensor<128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.norm2.scale", prec_train.source_dtype = "f32"},
      %arg10: tensor<128x352xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_0.up.kernel", prec_train.source_dtype = "f32"},
      %arg11: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.attn.k.kernel", prec_train.source_dtype = "f32"},
      %arg12: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.attn.o.kernel", prec_train.source_dtype = "f32"},
      %arg13: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.attn.q.kernel", prec_train.source_dtype = "f32"},
      %arg14: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.attn.v.kernel", prec_train.source_dtype = "f32"},
      %arg15: tensor<352x128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.down.kernel", prec_train.source_dtype = "f32"},
      %arg16: tensor<128x352xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.gate.kernel", prec_train.source_dtype = "f32"},
      %arg17: tensor<128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.norm1.scale", prec_train.source_dtype = "f32"},
      %arg18: tensor<128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.norm2.scale", prec_train.source_dtype = "f32"},
      %arg19: tensor<128x352xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.layers_1.up.kernel", prec_train.source_dtype = "f32"},
      %arg20: tensor<128xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "params.norm.scale", prec_train.source_dtype = "f32"},
      %arg21: tensor<i32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "state.1.0.count", prec_train.initial = dense<0> : tensor<1xi32>},
      %arg22: tensor<256x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.embed.embedding.mu", prec_train.param_of = "params.embed.embedding", prec_train.slot = "mu"},
      %arg23: tensor<128x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.head.kernel.mu", prec_train.param_of = "params.head.kernel", prec_train.slot = "mu"},
      %arg24: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.k.kernel.mu", prec_train.param_of = "params.layers_0.attn.k.kernel", prec_train.slot = "mu"},
      %arg25: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.o.kernel.mu", prec_train.param_of = "params.layers_0.attn.o.kernel", prec_train.slot = "mu"},
      %arg26: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.q.kernel.mu", prec_train.param_of = "params.layers_0.attn.q.kernel", prec_train.slot = "mu"},
      %arg27: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.v.kernel.mu", prec_train.param_of = "params.layers_0.attn.v.kernel", prec_train.slot = "mu"},
      %arg28: tensor<352x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.down.kernel.mu", prec_train.param_of = "params.layers_0.down.kernel", prec_train.slot = "mu"},
      %arg29: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.gate.kernel.mu", prec_train.param_of = "params.layers_0.gate.kernel", prec_train.slot = "mu"},
      %arg30: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.norm1.scale.mu", prec_train.param_of = "params.layers_0.norm1.scale", prec_train.slot = "mu"},
      %arg31: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.norm2.scale.mu", prec_train.param_of = "params.layers_0.norm2.scale", prec_train.slot = "mu"},
      %arg32: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.up.kernel.mu", prec_train.param_of = "params.layers_0.up.kernel", prec_train.slot = "mu"},
      %arg33: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.k.kernel.mu", prec_train.param_of = "params.layers_1.attn.k.kernel", prec_train.slot = "mu"},
      %arg34: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.o.kernel.mu", prec_train.param_of = "params.layers_1.attn.o.kernel", prec_train.slot = "mu"},
      %arg35: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.q.kernel.mu", prec_train.param_of = "params.layers_1.attn.q.kernel", prec_train.slot = "mu"},
      %arg36: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.v.kernel.mu", prec_train.param_of = "params.layers_1.attn.v.kernel", prec_train.slot = "mu"},
      %arg37: tensor<352x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.down.kernel.mu", prec_train.param_of = "params.layers_1.down.kernel", prec_train.slot = "mu"},
      %arg38: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.gate.kernel.mu", prec_train.param_of = "params.layers_1.gate.kernel", prec_train.slot = "mu"},
      %arg39: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.norm1.scale.mu", prec_train.param_of = "params.layers_1.norm1.scale", prec_train.slot = "mu"},
      %arg40: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.norm2.scale.mu", prec_train.param_of = "params.layers_1.norm2.scale", prec_train.slot = "mu"},
      %arg41: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.up.kernel.mu", prec_train.param_of = "params.layers_1.up.kernel", prec_train.slot = "mu"},
      %arg42: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.norm.scale.mu", prec_train.param_of = "params.norm.scale", prec_train.slot = "mu"},
      %arg43: tensor<256x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.embed.embedding.nu", prec_train.param_of = "params.embed.embedding", prec_train.slot = "nu"},
      %arg44: tensor<128x256xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.head.kernel.nu", prec_train.param_of = "params.head.kernel", prec_train.slot = "nu"},
      %arg45: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.k.kernel.nu", prec_train.param_of = "params.layers_0.attn.k.kernel", prec_train.slot = "nu"},
      %arg46: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.o.kernel.nu", prec_train.param_of = "params.layers_0.attn.o.kernel", prec_train.slot = "nu"},
      %arg47: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.q.kernel.nu", prec_train.param_of = "params.layers_0.attn.q.kernel", prec_train.slot = "nu"},
      %arg48: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.attn.v.kernel.nu", prec_train.param_of = "params.layers_0.attn.v.kernel", prec_train.slot = "nu"},
      %arg49: tensor<352x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.down.kernel.nu", prec_train.param_of = "params.layers_0.down.kernel", prec_train.slot = "nu"},
      %arg50: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.gate.kernel.nu", prec_train.param_of = "params.layers_0.gate.kernel", prec_train.slot = "nu"},
      %arg51: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.norm1.scale.nu", prec_train.param_of = "params.layers_0.norm1.scale", prec_train.slot = "nu"},
      %arg52: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.norm2.scale.nu", prec_train.param_of = "params.layers_0.norm2.scale", prec_train.slot = "nu"},
      %arg53: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_0.up.kernel.nu", prec_train.param_of = "params.layers_0.up.kernel", prec_train.slot = "nu"},
      %arg54: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.k.kernel.nu", prec_train.param_of = "params.layers_1.attn.k.kernel", prec_train.slot = "nu"},
      %arg55: tensor<4x32x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.o.kernel.nu", prec_train.param_of = "params.layers_1.attn.o.kernel", prec_train.slot = "nu"},
      %arg56: tensor<128x4x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.q.kernel.nu", prec_train.param_of = "params.layers_1.attn.q.kernel", prec_train.slot = "nu"},
      %arg57: tensor<128x2x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.attn.v.kernel.nu", prec_train.param_of = "params.layers_1.attn.v.kernel", prec_train.slot = "nu"},
      %arg58: tensor<352x128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.down.kernel.nu", prec_train.param_of = "params.layers_1.down.kernel", prec_train.slot = "nu"},
      %arg59: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.gate.kernel.nu", prec_train.param_of = "params.layers_1.gate.kernel", prec_train.slot = "nu"},
      %arg60: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.norm1.scale.nu", prec_train.param_of = "params.layers_1.norm1.scale", prec_train.slot = "nu"},
      %arg61: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.norm2.scale.nu", prec_train.param_of = "params.layers_1.norm2.scale", prec_train.slot = "nu"},
      %arg62: tensor<128x352xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.layers_1.up.kernel.nu", prec_train.param_of = "params.layers_1.up.kernel", prec_train.slot = "nu"},
      %arg63: tensor<128xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "params.norm.scale.nu", prec_train.param_of = "params.norm.scale", prec_train.slot = "nu"},
      %arg64: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids", prec_train.vocabulary = 256 : i64},
      %arg65: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "labels"}
  ) -> (
      tensor<256x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
      tensor<128x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 2 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 3 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 4 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 5 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 6 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 7 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 8 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 9 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 10 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 11 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 12 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 13 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 14 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 15 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 16 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 17 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 18 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 19 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 20 : i64},
      tensor<i32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 21 : i64},
      tensor<256x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 22 : i64},
      tensor<128x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 23 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 24 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 25 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 26 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 27 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 28 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 29 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 30 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 31 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 32 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 33 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 34 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 35 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 36 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 37 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 38 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 39 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 40 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 41 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 42 : i64},
      tensor<256x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 43 : i64},
      tensor<128x256xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 44 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 45 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 46 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 47 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 48 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 49 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 50 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 51 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 52 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 53 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 54 : i64},
      tensor<4x32x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 55 : i64},
      tensor<128x4x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 56 : i64},
      tensor<128x2x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 57 : i64},
      tensor<352x128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 58 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 59 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 60 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 61 : i64},
      tensor<128x352xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 62 : i64},
      tensor<128xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 63 : i64},
      tensor<f32> {prec_train.role = #prec_train.role<loss>}
  ) attributes {prec.entry = "step"} {
    %cst = arith.constant 1.562500e-02 : f32
    %cst_0 = arith.constant 5.65685415 : f32
    %cst_1 = arith.constant -1.000000e-03 : f32
    %cst_2 = arith.constant 9.99999993E-9 : f32
    %c1_i32 = arith.constant 1 : i32
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %cst_3 = arith.constant 9.990000e-01 : f32
    %cst_4 = arith.constant 1.000000e-03 : f32
    %cst_5 = arith.constant 0.899999976 : f32
    %cst_6 = arith.constant 1.000000e-01 : f32
    %cst_7 = arith.constant 6.400000e+01 : f32
    %cst_8 = arith.constant 0x7F800000 : f32
    %c255 = arith.constant 255 : index
    %cst_9 = arith.constant 1.000000e+00 : f32
    %cst_10 = arith.constant 0xFF800000 : f32
    %cst_11 = arith.constant -1.000000e+09 : f32
    %c0 = arith.constant 0 : index
    %cst_12 = arith.constant 1.000000e+04 : f32
    %cst_13 = arith.constant 1.600000e+01 : f32
    %cst_14 = arith.constant -5.000000e-01 : f32
    %cst_15 = arith.constant 9.99999974E-6 : f32
    %cst_16 = arith.constant 1.280000e+02 : f32
    %cst_17 = arith.constant 0.000000e+00 : f32
    %cst_18 = arith.constant 0x7FC00000 : f32
    %true = arith.constant true
    %c255_i32 = arith.constant 255 : i32
    %c256_i32 = arith.constant 256 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_19 = arith.constant dense<0> : tensor<1x1xi32>
    %cst_20 = arith.constant dense<0.000000e+00> : tensor<2x32x256xf32>
    %cst_21 = arith.constant dense<0.000000e+00> : tensor<1x2x32xf32>
    %cst_22 = arith.constant dense<0.000000e+00> : tensor<256x128xf32>
    %0 = tensor.empty() : tensor<2x32xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg64 : tensor<2x32xi32>) outs(%0 : tensor<2x32xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32xi1>
    %2 = tensor.empty() : tensor<2x32xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg64 : tensor<2x32xi32>) outs(%2 : tensor<2x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      %1067 = arith.addi %in, %c256_i32 : i32
      linalg.yield %1067 : i32
    } -> tensor<2x32xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg64 : tensor<2x32xi1>, tensor<2x32xi32>, tensor<2x32xi32>) outs(%2 : tensor<2x32xi32>) {
    ^bb0(%in: i1, %in_217: i32, %in_218: i32, %out: i32):
      %1067 = arith.select %in, %in_217, %in_218 : i32
      linalg.yield %1067 : i32
    } -> tensor<2x32xi32>
    %expanded = tensor.expand_shape %4 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xi32> into tensor<2x32x1xi32>
    %5 = tensor.empty() : tensor<2x32x1xi1>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x32x1xi32>) outs(%5 : tensor<2x32x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32x1xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x32x1xi32>) outs(%5 : tensor<2x32x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi sle, %in, %c255_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32x1xi1>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %7 : tensor<2x32x1xi1>, tensor<2x32x1xi1>) outs(%5 : tensor<2x32x1xi1>) {
    ^bb0(%in: i1, %in_217: i1, %out: i1):
      %1067 = arith.andi %in, %in_217 : i1
      linalg.yield %1067 : i1
    } -> tensor<2x32x1xi1>
    %9 = linalg.fill ins(%true : i1) outs(%0 : tensor<2x32xi1>) -> tensor<2x32xi1>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x32x1xi1>) outs(%9 : tensor<2x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      %1067 = arith.andi %out, %in : i1
      linalg.yield %1067 : i1
    } -> tensor<2x32xi1>
    %11 = tensor.empty() : tensor<2x32x1x128xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x32x1xi32>) outs(%11 : tensor<2x32x1x128xf32>) {
    ^bb0(%in: i32, %out: f32):
      %1067 = arith.index_cast %in : i32 to index
      %1068 = linalg.index 3 : index
      %extracted_217 = tensor.extract %arg0[%1067, %1068] : tensor<256x128xf32>
      linalg.yield %extracted_217 : f32
    } -> tensor<2x32x1x128xf32>
    %collapsed = tensor.collapse_shape %12 [[0], [1], [2, 3]] : tensor<2x32x1x128xf32> into tensor<2x32x128xf32>
    %13 = tensor.empty() : tensor<2x32x128xi1>
    %14 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x32xi1>) outs(%13 : tensor<2x32x128xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x32x128xi1>
    %15 = tensor.empty() : tensor<2x32x128xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %collapsed : tensor<2x32x128xi1>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_18 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %18 = tensor.empty() : tensor<2x32xf32>
    %19 = linalg.fill ins(%cst_17 : f32) outs(%18 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_23 = tensor.expand_shape %20 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %21 = tensor.empty() : tensor<2x32x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_15 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.rsqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %23 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_14 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x32x1xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %27 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8 : tensor<128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %29 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_24 = tensor.collapse_shape %30 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %collapsed_25 = tensor.collapse_shape %arg4 [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
    %31 = tensor.empty() : tensor<64x128xf32>
    %32 = linalg.fill ins(%cst_17 : f32) outs(%31 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %33 = linalg.matmul ins(%collapsed_24, %collapsed_25 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_26 = tensor.expand_shape %33 [[0, 1], [2, 3]] output_shape [2, 32, 4, 32] : tensor<64x128xf32> into tensor<2x32x4x32xf32>
    %collapsed_27 = tensor.collapse_shape %arg2 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %34 = tensor.empty() : tensor<64x64xf32>
    %35 = linalg.fill ins(%cst_17 : f32) outs(%34 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %36 = linalg.matmul ins(%collapsed_24, %collapsed_27 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%35 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_28 = tensor.expand_shape %36 [[0, 1], [2, 3]] output_shape [2, 32, 2, 32] : tensor<64x64xf32> into tensor<2x32x2x32xf32>
    %collapsed_29 = tensor.collapse_shape %arg5 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %37 = linalg.matmul ins(%collapsed_24, %collapsed_29 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%35 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_30 = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [2, 32, 2, 32] : tensor<64x64xf32> into tensor<2x32x2x32xf32>
    %38 = tensor.empty() : tensor<32xi32>
    %39 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%38 : tensor<32xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 0 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<32xi32>
    %40 = tensor.empty() : tensor<32xf32>
    %41 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%39 : tensor<32xi32>) outs(%40 : tensor<32xf32>) {
    ^bb0(%in: i32, %out: f32):
      %1067 = arith.sitofp %in : i32 to f32
      linalg.yield %1067 : f32
    } -> tensor<32xf32>
    %expanded_31 = tensor.expand_shape %41 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %42 = tensor.empty() : tensor<16xi32>
    %43 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%42 : tensor<16xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 0 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<16xi32>
    %44 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%43 : tensor<16xi32>) outs(%42 : tensor<16xi32>) {
    ^bb0(%in: i32, %out: i32):
      %1067 = arith.subi %c0_i32, %in : i32
      linalg.yield %1067 : i32
    } -> tensor<16xi32>
    %45 = tensor.empty() : tensor<16xf32>
    %46 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%44 : tensor<16xi32>) outs(%45 : tensor<16xf32>) {
    ^bb0(%in: i32, %out: f32):
      %1067 = arith.sitofp %in : i32 to f32
      linalg.yield %1067 : f32
    } -> tensor<16xf32>
    %47 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%46 : tensor<16xf32>) outs(%45 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_13 : f32
      linalg.yield %1067 : f32
    } -> tensor<16xf32>
    %48 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%47 : tensor<16xf32>) outs(%45 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.powf %cst_12, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<16xf32>
    %49 = tensor.empty() : tensor<32x16xf32>
    %50 = linalg.generic {indexing_maps = [#map8, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_31 : tensor<32x1xf32>) outs(%49 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x16xf32>
    %51 = linalg.generic {indexing_maps = [#map9, #map], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<16xf32>) outs(%49 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x16xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%50, %51 : tensor<32x16xf32>, tensor<32x16xf32>) outs(%49 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<32x16xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<32x16xf32>) outs(%49 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.cos %in : f32
      linalg.yield %1067 : f32
    } -> tensor<32x16xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<32x16xf32>) outs(%49 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sin %in : f32
      linalg.yield %1067 : f32
    } -> tensor<32x16xf32>
    %extracted_slice = tensor.extract_slice %expanded_26[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %extracted_slice_32 = tensor.extract_slice %expanded_26[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %55 = tensor.empty() : tensor<2x32x4x16xf32>
    %56 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<32x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x16xf32>
    %57 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %58 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<32x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x16xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_32, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %60 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %59 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %61 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_32, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %62 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %63 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %62 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %64 = tensor.empty() : tensor<2x32x4x32xf32>
    %inserted_slice = tensor.insert_slice %60 into %64[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %inserted_slice_33 = tensor.insert_slice %63 into %inserted_slice[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %extracted_slice_34 = tensor.extract_slice %expanded_28[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %extracted_slice_35 = tensor.extract_slice %expanded_28[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %65 = tensor.empty() : tensor<2x32x2x16xf32>
    %66 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<32x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x16xf32>
    %67 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_34, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %68 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<32x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x16xf32>
    %69 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_35, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %70 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %69 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %71 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_35, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %72 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_34, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %73 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %72 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %74 = tensor.empty() : tensor<2x32x2x32xf32>
    %inserted_slice_36 = tensor.insert_slice %70 into %74[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %inserted_slice_37 = tensor.insert_slice %73 into %inserted_slice_36[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %75 = tensor.empty() : tensor<2x32x2x2x32xf32>
    %76 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_37 : tensor<2x32x2x32xf32>) outs(%75 : tensor<2x32x2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x2x32xf32>
    %collapsed_38 = tensor.collapse_shape %76 [[0], [1], [2, 3], [4]] : tensor<2x32x2x2x32xf32> into tensor<2x32x4x32xf32>
    %77 = tensor.empty() : tensor<2x4x32x32xf32>
    %78 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_33 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %79 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_38 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_39 = tensor.collapse_shape %78 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_40 = tensor.collapse_shape %79 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %80 = tensor.empty() : tensor<8x32x32xf32>
    %81 = linalg.fill ins(%cst_17 : f32) outs(%80 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %82 = linalg.batch_matmul ins(%collapsed_39, %collapsed_40 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_41 = tensor.expand_shape %82 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %83 = tensor.empty() : tensor<f32>
    %84 = linalg.generic {indexing_maps = [#map15], iterator_types = []} outs(%83 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst_0 : f32
    } -> tensor<f32>
    %85 = linalg.generic {indexing_maps = [#map16, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84 : tensor<f32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %86 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_41, %85 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %87 = tensor.empty() : tensor<32x32xi32>
    %88 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%87 : tensor<32x32xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 0 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<32x32xi32>
    %89 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%87 : tensor<32x32xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 1 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<32x32xi32>
    %90 = tensor.empty() : tensor<32x32xi1>
    %91 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%88, %89 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%90 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_217: i32, %out: i1):
      %1067 = arith.cmpi sge, %in, %in_217 : i32
      linalg.yield %1067 : i1
    } -> tensor<32x32xi1>
    %92 = tensor.empty() : tensor<2x4x32x32xi1>
    %93 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%91 : tensor<32x32xi1>) outs(%92 : tensor<2x4x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x32x32xi1>
    %94 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %86 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_11 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %95 = tensor.empty() : tensor<2x4x32xf32>
    %96 = linalg.fill ins(%cst_10 : f32) outs(%95 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %97 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%94 : tensor<2x4x32x32xf32>) outs(%96 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.maximumf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %98 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%97 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %99 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %98 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %100 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%99 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.exp %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %101 = linalg.fill ins(%cst_17 : f32) outs(%95 : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %102 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%100 : tensor<2x4x32x32xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %expanded_42 = tensor.expand_shape %102 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %103 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%102 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %104 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%100, %103 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %105 = tensor.empty() : tensor<2x4x32x1xf32>
    %106 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_42 : tensor<2x4x32x1xf32>) outs(%105 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x1xf32>
    %107 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%106 : tensor<2x4x32x1xf32>) outs(%105 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x1xf32>
    %108 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_30 : tensor<2x32x2x32xf32>) outs(%75 : tensor<2x32x2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x2x32xf32>
    %collapsed_43 = tensor.collapse_shape %108 [[0], [1], [2, 3], [4]] : tensor<2x32x2x2x32xf32> into tensor<2x32x4x32xf32>
    %109 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_43 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %110 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%104 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_44 = tensor.collapse_shape %109 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_45 = tensor.collapse_shape %110 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %111 = linalg.batch_matmul ins(%collapsed_44, %collapsed_45 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_46 = tensor.expand_shape %111 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %112 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_46 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %collapsed_47 = tensor.collapse_shape %112 [[0, 1], [2, 3]] : tensor<2x32x4x32xf32> into tensor<64x128xf32>
    %collapsed_48 = tensor.collapse_shape %arg3 [[0, 1], [2]] : tensor<4x32x128xf32> into tensor<128x128xf32>
    %113 = linalg.matmul ins(%collapsed_47, %collapsed_48 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_49 = tensor.expand_shape %113 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %expanded_49 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%115 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_50 = tensor.expand_shape %116 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_50 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_15 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %119 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.rsqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %120 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119, %118 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %121 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_14 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %122 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119 : tensor<2x32x1xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %122 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %124 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123, %124 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_51 = tensor.collapse_shape %125 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %126 = tensor.empty() : tensor<64x352xf32>
    %127 = linalg.fill ins(%cst_17 : f32) outs(%126 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %128 = linalg.matmul ins(%collapsed_51, %arg7 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_52 = tensor.expand_shape %128 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %129 = linalg.matmul ins(%collapsed_51, %arg10 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_53 = tensor.expand_shape %129 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %130 = tensor.empty() : tensor<2x32x352xf32>
    %131 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_52 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %132 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.exp %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %133 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_9 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %134 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %135 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.subf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %136 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %135 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %137 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_52, %134 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %138 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %expanded_53 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %collapsed_54 = tensor.collapse_shape %138 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %139 = linalg.matmul ins(%collapsed_54, %arg6 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_55 = tensor.expand_shape %139 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %140 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %expanded_55 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %141 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %142 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%141 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_56 = tensor.expand_shape %142 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %143 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_56 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %144 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_15 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %145 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.rsqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %146 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145, %144 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %147 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_14 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %148 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145 : tensor<2x32x1xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %149 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %148 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %150 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg17 : tensor<128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %151 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149, %150 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_57 = tensor.collapse_shape %151 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %collapsed_58 = tensor.collapse_shape %arg13 [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
    %152 = linalg.matmul ins(%collapsed_57, %collapsed_58 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_59 = tensor.expand_shape %152 [[0, 1], [2, 3]] output_shape [2, 32, 4, 32] : tensor<64x128xf32> into tensor<2x32x4x32xf32>
    %collapsed_60 = tensor.collapse_shape %arg11 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %153 = linalg.matmul ins(%collapsed_57, %collapsed_60 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%35 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_61 = tensor.expand_shape %153 [[0, 1], [2, 3]] output_shape [2, 32, 2, 32] : tensor<64x64xf32> into tensor<2x32x2x32xf32>
    %collapsed_62 = tensor.collapse_shape %arg14 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %154 = linalg.matmul ins(%collapsed_57, %collapsed_62 : tensor<64x128xf32>, tensor<128x64xf32>) outs(%35 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %expanded_63 = tensor.expand_shape %154 [[0, 1], [2, 3]] output_shape [2, 32, 2, 32] : tensor<64x64xf32> into tensor<2x32x2x32xf32>
    %extracted_slice_64 = tensor.extract_slice %expanded_59[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %extracted_slice_65 = tensor.extract_slice %expanded_59[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %155 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_64, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %156 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_65, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %157 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%155, %156 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %158 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_65, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %159 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_64, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %160 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%158, %159 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %inserted_slice_66 = tensor.insert_slice %157 into %64[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %inserted_slice_67 = tensor.insert_slice %160 into %inserted_slice_66[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %extracted_slice_68 = tensor.extract_slice %expanded_61[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %extracted_slice_69 = tensor.extract_slice %expanded_61[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %161 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_68, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %162 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_69, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %163 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%161, %162 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %164 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_69, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %165 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_68, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %166 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%164, %165 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %inserted_slice_70 = tensor.insert_slice %163 into %74[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %inserted_slice_71 = tensor.insert_slice %166 into %inserted_slice_70[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %167 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_71 : tensor<2x32x2x32xf32>) outs(%75 : tensor<2x32x2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x2x32xf32>
    %collapsed_72 = tensor.collapse_shape %167 [[0], [1], [2, 3], [4]] : tensor<2x32x2x2x32xf32> into tensor<2x32x4x32xf32>
    %168 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_67 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %169 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_72 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_73 = tensor.collapse_shape %168 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_74 = tensor.collapse_shape %169 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %170 = linalg.batch_matmul ins(%collapsed_73, %collapsed_74 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_75 = tensor.expand_shape %170 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %171 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_75, %85 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %172 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %171 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_11 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %173 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%172 : tensor<2x4x32x32xf32>) outs(%96 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.maximumf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %174 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %175 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%172, %174 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %176 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.exp %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %177 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%176 : tensor<2x4x32x32xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %expanded_76 = tensor.expand_shape %177 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %178 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%177 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %179 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%176, %178 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %180 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_76 : tensor<2x4x32x1xf32>) outs(%105 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x1xf32>
    %181 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%180 : tensor<2x4x32x1xf32>) outs(%105 : tensor<2x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x1xf32>
    %182 = linalg.generic {indexing_maps = [#map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_63 : tensor<2x32x2x32xf32>) outs(%75 : tensor<2x32x2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x2x32xf32>
    %collapsed_77 = tensor.collapse_shape %182 [[0], [1], [2, 3], [4]] : tensor<2x32x2x2x32xf32> into tensor<2x32x4x32xf32>
    %183 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_77 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %184 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%179 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_78 = tensor.collapse_shape %183 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_79 = tensor.collapse_shape %184 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %185 = linalg.batch_matmul ins(%collapsed_78, %collapsed_79 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_80 = tensor.expand_shape %185 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %186 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_80 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %collapsed_81 = tensor.collapse_shape %186 [[0, 1], [2, 3]] : tensor<2x32x4x32xf32> into tensor<64x128xf32>
    %collapsed_82 = tensor.collapse_shape %arg12 [[0, 1], [2]] : tensor<4x32x128xf32> into tensor<128x128xf32>
    %187 = linalg.matmul ins(%collapsed_81, %collapsed_82 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_83 = tensor.expand_shape %187 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %188 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %expanded_83 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %189 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188 : tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %190 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%189 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_84 = tensor.expand_shape %190 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %191 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_84 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %192 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_15 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %193 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%192 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.rsqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %194 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%193, %192 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %195 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_14 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %196 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%193 : tensor<2x32x1xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %197 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %196 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %198 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg18 : tensor<128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197, %198 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_85 = tensor.collapse_shape %199 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %200 = linalg.matmul ins(%collapsed_85, %arg16 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_86 = tensor.expand_shape %200 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %201 = linalg.matmul ins(%collapsed_85, %arg19 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_87 = tensor.expand_shape %201 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %202 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_86 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%202 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.exp %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_9 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%204 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %206 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%205 : tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.subf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%205, %206 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %208 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_86, %205 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %209 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %expanded_87 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %collapsed_88 = tensor.collapse_shape %209 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %210 = linalg.matmul ins(%collapsed_88, %arg15 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_89 = tensor.expand_shape %210 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %211 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %expanded_89 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %212 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%211 : tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %213 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%212 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_90 = tensor.expand_shape %213 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_90 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %215 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%214 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_15 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %216 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.rsqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %217 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%216, %215 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %218 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%217 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_14 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %219 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%216 : tensor<2x32x1xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %220 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%211, %219 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %221 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20 : tensor<128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %222 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220, %221 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_91 = tensor.collapse_shape %222 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %223 = tensor.empty() : tensor<64x256xf32>
    %224 = linalg.fill ins(%cst_17 : f32) outs(%223 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %225 = linalg.matmul ins(%collapsed_91, %arg1 : tensor<64x128xf32>, tensor<128x256xf32>) outs(%224 : tensor<64x256xf32>) -> tensor<64x256xf32>
    %expanded_92 = tensor.expand_shape %225 [[0, 1], [2]] output_shape [2, 32, 256] : tensor<64x256xf32> into tensor<2x32x256xf32>
    %expanded_93 = tensor.expand_shape %arg65 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xi32> into tensor<2x32x1xi32>
    %226 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_93 : tensor<2x32x1xi32>) outs(%5 : tensor<2x32x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32x1xi1>
    %227 = tensor.empty() : tensor<2x32x1xi32>
    %228 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_93 : tensor<2x32x1xi32>) outs(%227 : tensor<2x32x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %1067 = arith.addi %in, %c256_i32 : i32
      linalg.yield %1067 : i32
    } -> tensor<2x32x1xi32>
    %229 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%226, %228, %expanded_93 : tensor<2x32x1xi1>, tensor<2x32x1xi32>, tensor<2x32x1xi32>) outs(%227 : tensor<2x32x1xi32>) {
    ^bb0(%in: i1, %in_217: i32, %in_218: i32, %out: i32):
      %1067 = arith.select %in, %in_217, %in_218 : i32
      linalg.yield %1067 : i32
    } -> tensor<2x32x1xi32>
    %expanded_94 = tensor.expand_shape %229 [[0], [1], [2, 3]] output_shape [2, 32, 1, 1] : tensor<2x32x1xi32> into tensor<2x32x1x1xi32>
    %230 = tensor.empty() : tensor<2x32x1x1xi1>
    %231 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_94 : tensor<2x32x1x1xi32>) outs(%230 : tensor<2x32x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32x1x1xi1>
    %232 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_94 : tensor<2x32x1x1xi32>) outs(%230 : tensor<2x32x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi sle, %in, %c255_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<2x32x1x1xi1>
    %233 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%231, %232 : tensor<2x32x1x1xi1>, tensor<2x32x1x1xi1>) outs(%230 : tensor<2x32x1x1xi1>) {
    ^bb0(%in: i1, %in_217: i1, %out: i1):
      %1067 = arith.andi %in, %in_217 : i1
      linalg.yield %1067 : i1
    } -> tensor<2x32x1x1xi1>
    %234 = linalg.fill ins(%true : i1) outs(%5 : tensor<2x32x1xi1>) -> tensor<2x32x1xi1>
    %235 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%233 : tensor<2x32x1x1xi1>) outs(%234 : tensor<2x32x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %1067 = arith.andi %out, %in : i1
      linalg.yield %1067 : i1
    } -> tensor<2x32x1xi1>
    %236 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%out: f32):
      %1067 = linalg.index 0 : index
      %1068 = linalg.index 1 : index
      %extracted_217 = tensor.extract %expanded_94[%1067, %1068, %c0, %c0] : tensor<2x32x1x1xi32>
      %1069 = arith.index_cast %extracted_217 : i32 to index
      %1070 = arith.maxsi %1069, %c0 : index
      %1071 = arith.minsi %1070, %c255 : index
      %extracted_218 = tensor.extract %expanded_92[%1067, %1068, %1071] : tensor<2x32x256xf32>
      linalg.yield %extracted_218 : f32
    } -> tensor<2x32x1xf32>
    %237 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%235, %236 : tensor<2x32x1xi1>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_18 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %238 = tensor.empty() : tensor<1xi1>
    %239 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%238 : tensor<1xi1>) {
    ^bb0(%out: i1):
      linalg.yield %true : i1
    } -> tensor<1xi1>
    %240 = tensor.empty() : tensor<i1>
    %241 = linalg.fill ins(%true : i1) outs(%240 : tensor<i1>) -> tensor<i1>
    %242 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%239 : tensor<1xi1>) outs(%241 : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      %1067 = arith.andi %out, %in : i1
      linalg.yield %1067 : i1
    } -> tensor<i1>
    %collapsed_95 = tensor.collapse_shape %237 [[0], [1, 2]] : tensor<2x32x1xf32> into tensor<2x32xf32>
    %243 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%242 : tensor<i1>) outs(%0 : tensor<2x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x32xi1>
    %244 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%243, %collapsed_95 : tensor<2x32xi1>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_18 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %245 = linalg.fill ins(%cst_10 : f32) outs(%18 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %246 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded_92 : tensor<2x32x256xf32>) outs(%245 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.maximumf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %247 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%246 : tensor<2x32xf32>) outs(%0 : tensor<2x32xi1>) {
    ^bb0(%in: f32, %out: i1):
      %1067 = math.absf %in : f32
      %1068 = arith.cmpf one, %1067, %cst_8 : f32
      linalg.yield %1068 : i1
    } -> tensor<2x32xi1>
    %248 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%247, %246 : tensor<2x32xi1>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %249 = tensor.empty() : tensor<2x32x256xf32>
    %250 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%248 : tensor<2x32xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x256xf32>
    %251 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_92, %250 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x256xf32>
    %252 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%251 : tensor<2x32x256xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.exp %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x256xf32>
    %253 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%252 : tensor<2x32x256xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %254 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%253 : tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.absf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %255 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%253 : tensor<2x32xf32>) outs(%0 : tensor<2x32xi1>) {
    ^bb0(%in: f32, %out: i1):
      %1067 = arith.cmpf oge, %in, %cst_17 : f32
      linalg.yield %1067 : i1
    } -> tensor<2x32xi1>
    %256 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%254 : tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.log %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %257 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%256, %248 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %258 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%257, %244 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.subf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %259 = linalg.fill ins(%cst_17 : f32) outs(%83 : tensor<f32>) -> tensor<f32>
    %260 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%258 : tensor<2x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %261 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%260 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_7 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %262 = linalg.generic {indexing_maps = [#map15], iterator_types = []} outs(%83 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<f32>
    %263 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%262 : tensor<f32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32xf32>
    %264 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%262 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %265 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%264 : tensor<f32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32xf32>
    %266 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%263, %254 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %267 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%255, %266 : tensor<2x32xi1>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %cst_17, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %268 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%255, %266 : tensor<2x32xi1>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %269 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%267 : tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %270 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%268, %269 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%18 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %271 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270 : tensor<2x32xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x256xf32>
    %272 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%271, %252 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x256xf32>
    %expanded_96 = tensor.expand_shape %265 [[0, 1, 2], [3]] output_shape [1, 1, 2, 32] : tensor<2x32xf32> into tensor<1x1x2x32xf32>
    %from_273 = arith.constant 0 : index
    %one_273 = arith.constant 1 : index
    %to_273 = arith.constant 1 : index
    %273 = scf.for %i = %from_273 to %to_273 step %one_273 iter_args(%so_far = %cst_21) -> (tensor<1x2x32xf32>) {
      %at_0 = arith.constant 0 : index
      %id_0 = tensor.extract %cst_19[%i, %at_0] : tensor<1x1xi32>
      %place_0 = arith.index_cast %id_0 : i32 to index
      %update = tensor.extract_slice %expanded_96[%i, 0, 0, 0] [1, 1, 2, 32] [1, 1, 1, 1] : tensor<1x1x2x32xf32> to tensor<1x2x32xf32>
      %old = tensor.extract_slice %so_far[%place_0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x32xf32>
      %sum = arith.addf %old, %update : tensor<1x2x32xf32>
      %new = tensor.insert_slice %sum into %so_far[%place_0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> into tensor<1x2x32xf32>
      scf.yield %new : tensor<1x2x32xf32>
    }
    %collapsed_97 = tensor.collapse_shape %273 [[0, 1, 2]] : tensor<1x2x32xf32> into tensor<64xf32>
    %274 = tensor.empty() : tensor<2x32x1x1xi32>
    %275 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%274 : tensor<2x32x1x1xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 0 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<2x32x1x1xi32>
    %276 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%274 : tensor<2x32x1x1xi32>) {
    ^bb0(%out: i32):
      %1067 = linalg.index 1 : index
      %1068 = arith.index_cast %1067 : index to i32
      linalg.yield %1068 : i32
    } -> tensor<2x32x1x1xi32>
    %277 = tensor.empty() : tensor<2x32x1x3xi32>
    %inserted_slice_98 = tensor.insert_slice %275 into %277[0, 0, 0, 0] [2, 32, 1, 1] [1, 1, 1, 1] : tensor<2x32x1x1xi32> into tensor<2x32x1x3xi32>
    %inserted_slice_99 = tensor.insert_slice %276 into %inserted_slice_98[0, 0, 0, 1] [2, 32, 1, 1] [1, 1, 1, 1] : tensor<2x32x1x1xi32> into tensor<2x32x1x3xi32>
    %inserted_slice_100 = tensor.insert_slice %expanded_94 into %inserted_slice_99[0, 0, 0, 2] [2, 32, 1, 1] [1, 1, 1, 1] : tensor<2x32x1x1xi32> into tensor<2x32x1x3xi32>
    %collapsed_101 = tensor.collapse_shape %inserted_slice_100 [[0, 1, 2], [3]] : tensor<2x32x1x3xi32> into tensor<64x3xi32>
    %from_278 = arith.constant 0 : index
    %one_278 = arith.constant 1 : index
    %to_278 = arith.constant 64 : index
    %278 = scf.for %i = %from_278 to %to_278 step %one_278 iter_args(%so_far = %cst_20) -> (tensor<2x32x256xf32>) {
      %at_0 = arith.constant 0 : index
      %id_0 = tensor.extract %collapsed_101[%i, %at_0] : tensor<64x3xi32>
      %place_0 = arith.index_cast %id_0 : i32 to index
      %at_1 = arith.constant 1 : index
      %id_1 = tensor.extract %collapsed_101[%i, %at_1] : tensor<64x3xi32>
      %place_1 = arith.index_cast %id_1 : i32 to index
      %at_2 = arith.constant 2 : index
      %id_2 = tensor.extract %collapsed_101[%i, %at_2] : tensor<64x3xi32>
      %place_2 = arith.index_cast %id_2 : i32 to index
      %update = tensor.extract %collapsed_97[%i] : tensor<64xf32>
      %old = tensor.extract %so_far[%place_0, %place_1, %place_2] : tensor<2x32x256xf32>
      %sum = arith.addf %old, %update : f32
      %new = tensor.insert %sum into %so_far[%place_0, %place_1, %place_2] : tensor<2x32x256xf32>
      scf.yield %new : tensor<2x32x256xf32>
    }
    %279 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%272, %278 : tensor<2x32x256xf32>, tensor<2x32x256xf32>) outs(%249 : tensor<2x32x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x256xf32>
    %280 = tensor.empty() : tensor<256x2x32xf32>
    %281 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279 : tensor<2x32x256xf32>) outs(%280 : tensor<256x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<256x2x32xf32>
    %collapsed_102 = tensor.collapse_shape %281 [[0], [1, 2]] : tensor<256x2x32xf32> into tensor<256x64xf32>
    %282 = tensor.empty() : tensor<256x128xf32>
    %283 = linalg.fill ins(%cst_17 : f32) outs(%282 : tensor<256x128xf32>) -> tensor<256x128xf32>
    %284 = linalg.matmul ins(%collapsed_102, %collapsed_91 : tensor<256x64xf32>, tensor<64x128xf32>) outs(%283 : tensor<256x128xf32>) -> tensor<256x128xf32>
    %285 = tensor.empty() : tensor<128x256xf32>
    %286 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%284 : tensor<256x128xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x256xf32>
    %collapsed_103 = tensor.collapse_shape %279 [[0, 1], [2]] : tensor<2x32x256xf32> into tensor<64x256xf32>
    %287 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<128x256xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<256x128xf32>
    %288 = linalg.matmul ins(%collapsed_103, %287 : tensor<64x256xf32>, tensor<256x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_104 = tensor.expand_shape %288 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %289 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220, %expanded_104 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %290 = tensor.empty() : tensor<128xf32>
    %291 = linalg.fill ins(%cst_17 : f32) outs(%290 : tensor<128xf32>) -> tensor<128xf32>
    %292 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%289 : tensor<2x32x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %expanded_105 = tensor.expand_shape %292 [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
    %293 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_104, %221 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %294 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_105 : tensor<1x1x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %295 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%211, %293 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %296 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%295 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_106 = tensor.expand_shape %296 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %297 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%293, %219 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %298 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_106, %218 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %299 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%298 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %300 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%299 : tensor<2x32x1xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %301 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%300 : tensor<2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %302 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%211, %301 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %303 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%297, %302 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %304 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%301, %211 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %305 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%303, %304 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %306 = tensor.empty() : tensor<128x2x32xf32>
    %307 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%305 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_107 = tensor.collapse_shape %307 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %308 = tensor.empty() : tensor<128x352xf32>
    %309 = linalg.fill ins(%cst_17 : f32) outs(%308 : tensor<128x352xf32>) -> tensor<128x352xf32>
    %310 = linalg.matmul ins(%collapsed_107, %collapsed_88 : tensor<128x64xf32>, tensor<64x352xf32>) outs(%309 : tensor<128x352xf32>) -> tensor<128x352xf32>
    %311 = tensor.empty() : tensor<352x128xf32>
    %312 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%310 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %collapsed_108 = tensor.collapse_shape %305 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %313 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %314 = linalg.matmul ins(%collapsed_108, %313 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_109 = tensor.expand_shape %314 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %315 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %expanded_109 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %316 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_109, %expanded_87 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %317 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_86, %316 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %318 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%316, %205 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %319 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%317, %207 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %320 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%318, %319 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %321 = tensor.empty() : tensor<352x2x32xf32>
    %322 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%315 : tensor<2x32x352xf32>) outs(%321 : tensor<352x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x2x32xf32>
    %collapsed_110 = tensor.collapse_shape %322 [[0], [1, 2]] : tensor<352x2x32xf32> into tensor<352x64xf32>
    %323 = linalg.fill ins(%cst_17 : f32) outs(%311 : tensor<352x128xf32>) -> tensor<352x128xf32>
    %324 = linalg.matmul ins(%collapsed_110, %collapsed_85 : tensor<352x64xf32>, tensor<64x128xf32>) outs(%323 : tensor<352x128xf32>) -> tensor<352x128xf32>
    %325 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%324 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %collapsed_111 = tensor.collapse_shape %315 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %326 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %327 = linalg.matmul ins(%collapsed_111, %326 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_112 = tensor.expand_shape %327 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %328 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%320 : tensor<2x32x352xf32>) outs(%321 : tensor<352x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x2x32xf32>
    %collapsed_113 = tensor.collapse_shape %328 [[0], [1, 2]] : tensor<352x2x32xf32> into tensor<352x64xf32>
    %329 = linalg.matmul ins(%collapsed_113, %collapsed_85 : tensor<352x64xf32>, tensor<64x128xf32>) outs(%323 : tensor<352x128xf32>) -> tensor<352x128xf32>
    %330 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%329 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %collapsed_114 = tensor.collapse_shape %320 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %331 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg16 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %332 = linalg.matmul ins(%collapsed_114, %331 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_115 = tensor.expand_shape %332 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %333 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_112, %expanded_115 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %334 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197, %333 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %335 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%334 : tensor<2x32x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %expanded_116 = tensor.expand_shape %335 [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
    %336 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%333, %198 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %337 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_116 : tensor<1x1x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %338 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %336 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %339 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%338 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_117 = tensor.expand_shape %339 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %340 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%336, %196 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %341 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%305, %340 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %342 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_117, %195 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %343 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%342 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %344 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%343 : tensor<2x32x1xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %345 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%344 : tensor<2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %346 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %345 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %347 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%341, %346 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %348 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%345, %188 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %349 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%347, %348 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %350 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%349 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_118 = tensor.collapse_shape %350 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %351 = tensor.empty() : tensor<128x128xf32>
    %352 = linalg.fill ins(%cst_17 : f32) outs(%351 : tensor<128x128xf32>) -> tensor<128x128xf32>
    %353 = linalg.matmul ins(%collapsed_118, %collapsed_81 : tensor<128x64xf32>, tensor<64x128xf32>) outs(%352 : tensor<128x128xf32>) -> tensor<128x128xf32>
    %expanded_119 = tensor.expand_shape %353 [[0], [1, 2]] output_shape [128, 4, 32] : tensor<128x128xf32> into tensor<128x4x32xf32>
    %354 = tensor.empty() : tensor<4x32x128xf32>
    %355 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_119 : tensor<128x4x32xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %collapsed_120 = tensor.collapse_shape %349 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %356 = tensor.empty() : tensor<128x4x32xf32>
    %357 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12 : tensor<4x32x128xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %collapsed_121 = tensor.collapse_shape %357 [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
    %358 = linalg.matmul ins(%collapsed_120, %collapsed_121 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_122 = tensor.expand_shape %358 [[0, 1], [2, 3]] output_shape [2, 32, 4, 32] : tensor<64x128xf32> into tensor<2x32x4x32xf32>
    %359 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_122 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %360 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%359 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_123 = tensor.collapse_shape %360 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %361 = linalg.batch_matmul ins(%collapsed_123, %collapsed_78 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_124 = tensor.expand_shape %361 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %collapsed_125 = tensor.collapse_shape %359 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_126 = tensor.collapse_shape %179 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %362 = linalg.batch_matmul ins(%collapsed_125, %collapsed_126 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_127 = tensor.expand_shape %362 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %363 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_127 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %expanded_128 = tensor.expand_shape %363 [[0], [1], [2, 3], [4]] output_shape [2, 32, 2, 2, 32] : tensor<2x32x4x32xf32> into tensor<2x32x2x2x32xf32>
    %364 = linalg.fill ins(%cst_17 : f32) outs(%74 : tensor<2x32x2x32xf32>) -> tensor<2x32x2x32xf32>
    %365 = linalg.generic {indexing_maps = [#map26, #map27], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_128 : tensor<2x32x2x2x32xf32>) outs(%364 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x32xf32>
    %366 = linalg.generic {indexing_maps = [#map28, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%181 : tensor<2x4x32x1xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %367 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_124, %366 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %368 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%367, %176 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %369 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%368 : tensor<2x4x32x32xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %370 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%369 : tensor<2x4x32xf32>) outs(%95 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %expanded_129 = tensor.expand_shape %370 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %371 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_124, %178 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %372 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_129 : tensor<2x4x32x1xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %373 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%372 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %374 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%371, %373 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %375 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%374, %176 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %376 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %375 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %377 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%376, %85 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %378 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%377 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_130 = tensor.collapse_shape %378 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %379 = linalg.batch_matmul ins(%collapsed_130, %collapsed_73 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_131 = tensor.expand_shape %379 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %380 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_131 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %381 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_72 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_132 = tensor.collapse_shape %377 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_133 = tensor.collapse_shape %381 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %382 = linalg.batch_matmul ins(%collapsed_132, %collapsed_133 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_134 = tensor.expand_shape %382 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %383 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_134 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %expanded_135 = tensor.expand_shape %380 [[0], [1], [2, 3], [4]] output_shape [2, 32, 2, 2, 32] : tensor<2x32x4x32xf32> into tensor<2x32x2x2x32xf32>
    %384 = linalg.generic {indexing_maps = [#map26, #map27], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_135 : tensor<2x32x2x2x32xf32>) outs(%364 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x32xf32>
    %extracted_slice_136 = tensor.extract_slice %384[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %extracted_slice_137 = tensor.extract_slice %384[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %385 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_137, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %386 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_137, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %387 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_136 : tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %388 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%387, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %389 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%386, %388 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %390 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_136, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %391 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%385, %390 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %inserted_slice_138 = tensor.insert_slice %391 into %74[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %inserted_slice_139 = tensor.insert_slice %389 into %inserted_slice_138[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %extracted_slice_140 = tensor.extract_slice %383[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %extracted_slice_141 = tensor.extract_slice %383[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %392 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_141, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %393 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_141, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %394 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_140 : tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %395 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%394, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %396 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%393, %395 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %397 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_140, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %398 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%392, %397 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %inserted_slice_142 = tensor.insert_slice %398 into %64[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %inserted_slice_143 = tensor.insert_slice %396 into %inserted_slice_142[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %399 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%365 : tensor<2x32x2x32xf32>) outs(%74 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x32xf32>
    %collapsed_144 = tensor.collapse_shape %399 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %400 = linalg.matmul ins(%collapsed_144, %collapsed_57 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_145 = tensor.expand_shape %400 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %401 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_145 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_146 = tensor.collapse_shape %365 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %402 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<128x2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %collapsed_147 = tensor.collapse_shape %402 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %403 = linalg.matmul ins(%collapsed_146, %collapsed_147 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_148 = tensor.expand_shape %403 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %404 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_139 : tensor<2x32x2x32xf32>) outs(%74 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x32xf32>
    %collapsed_149 = tensor.collapse_shape %404 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %405 = linalg.matmul ins(%collapsed_149, %collapsed_57 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_150 = tensor.expand_shape %405 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %406 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_150 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_151 = tensor.collapse_shape %inserted_slice_139 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %407 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11 : tensor<128x2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %collapsed_152 = tensor.collapse_shape %407 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %408 = linalg.matmul ins(%collapsed_151, %collapsed_152 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_153 = tensor.expand_shape %408 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %409 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_148, %expanded_153 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %410 = tensor.empty() : tensor<4x32x2x32xf32>
    %411 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_143 : tensor<2x32x4x32xf32>) outs(%410 : tensor<4x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x2x32xf32>
    %collapsed_154 = tensor.collapse_shape %411 [[0, 1], [2, 3]] : tensor<4x32x2x32xf32> into tensor<128x64xf32>
    %412 = linalg.matmul ins(%collapsed_154, %collapsed_57 : tensor<128x64xf32>, tensor<64x128xf32>) outs(%352 : tensor<128x128xf32>) -> tensor<128x128xf32>
    %expanded_155 = tensor.expand_shape %412 [[0, 1], [2]] output_shape [4, 32, 128] : tensor<128x128xf32> into tensor<4x32x128xf32>
    %413 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_155 : tensor<4x32x128xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %collapsed_156 = tensor.collapse_shape %inserted_slice_143 [[0, 1], [2, 3]] : tensor<2x32x4x32xf32> into tensor<64x128xf32>
    %414 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg13 : tensor<128x4x32xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %collapsed_157 = tensor.collapse_shape %414 [[0, 1], [2]] : tensor<4x32x128xf32> into tensor<128x128xf32>
    %415 = linalg.matmul ins(%collapsed_156, %collapsed_157 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_158 = tensor.expand_shape %415 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %416 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%409, %expanded_158 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %417 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149, %416 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %418 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%417 : tensor<2x32x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %expanded_159 = tensor.expand_shape %418 [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
    %419 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%416, %150 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %420 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_159 : tensor<1x1x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %421 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %419 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %422 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%421 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_160 = tensor.expand_shape %422 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %423 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%419, %148 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %424 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%349, %423 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %425 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_160, %147 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %426 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%425 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %427 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%426 : tensor<2x32x1xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %428 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%427 : tensor<2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %429 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %428 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %430 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%424, %429 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %431 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%428, %140 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %432 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%430, %431 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %433 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%432 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_161 = tensor.collapse_shape %433 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %434 = linalg.matmul ins(%collapsed_161, %collapsed_54 : tensor<128x64xf32>, tensor<64x352xf32>) outs(%309 : tensor<128x352xf32>) -> tensor<128x352xf32>
    %435 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%434 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %collapsed_162 = tensor.collapse_shape %432 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %436 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %437 = linalg.matmul ins(%collapsed_162, %436 : tensor<64x128xf32>, tensor<128x352xf32>) outs(%127 : tensor<64x352xf32>) -> tensor<64x352xf32>
    %expanded_163 = tensor.expand_shape %437 [[0, 1], [2]] output_shape [2, 32, 352] : tensor<64x352xf32> into tensor<2x32x352xf32>
    %438 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %expanded_163 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %439 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_163, %expanded_53 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %440 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_52, %439 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %441 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%439, %134 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %442 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%440, %136 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %443 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%441, %442 : tensor<2x32x352xf32>, tensor<2x32x352xf32>) outs(%130 : tensor<2x32x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x352xf32>
    %444 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%438 : tensor<2x32x352xf32>) outs(%321 : tensor<352x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x2x32xf32>
    %collapsed_164 = tensor.collapse_shape %444 [[0], [1, 2]] : tensor<352x2x32xf32> into tensor<352x64xf32>
    %445 = linalg.matmul ins(%collapsed_164, %collapsed_51 : tensor<352x64xf32>, tensor<64x128xf32>) outs(%323 : tensor<352x128xf32>) -> tensor<352x128xf32>
    %446 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%445 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %collapsed_165 = tensor.collapse_shape %438 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %447 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %448 = linalg.matmul ins(%collapsed_165, %447 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_166 = tensor.expand_shape %448 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %449 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%443 : tensor<2x32x352xf32>) outs(%321 : tensor<352x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x2x32xf32>
    %collapsed_167 = tensor.collapse_shape %449 [[0], [1, 2]] : tensor<352x2x32xf32> into tensor<352x64xf32>
    %450 = linalg.matmul ins(%collapsed_167, %collapsed_51 : tensor<352x64xf32>, tensor<64x128xf32>) outs(%323 : tensor<352x128xf32>) -> tensor<352x128xf32>
    %451 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%450 : tensor<352x128xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %collapsed_168 = tensor.collapse_shape %443 [[0, 1], [2]] : tensor<2x32x352xf32> into tensor<64x352xf32>
    %452 = linalg.generic {indexing_maps = [#map23, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<128x352xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %453 = linalg.matmul ins(%collapsed_168, %452 : tensor<64x352xf32>, tensor<352x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_169 = tensor.expand_shape %453 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %454 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_166, %expanded_169 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %455 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123, %454 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %456 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%455 : tensor<2x32x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %expanded_170 = tensor.expand_shape %456 [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
    %457 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%454, %124 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %458 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_170 : tensor<1x1x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %459 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %457 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %460 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%459 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_171 = tensor.expand_shape %460 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %461 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%457, %122 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %462 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%432, %461 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %463 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_171, %121 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %464 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%463 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %465 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%464 : tensor<2x32x1xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %466 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%465 : tensor<2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %467 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114, %466 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %468 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%462, %467 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %469 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%466, %114 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %470 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%468, %469 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %471 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%470 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_172 = tensor.collapse_shape %471 [[0], [1, 2]] : tensor<128x2x32xf32> into tensor<128x64xf32>
    %472 = linalg.matmul ins(%collapsed_172, %collapsed_47 : tensor<128x64xf32>, tensor<64x128xf32>) outs(%352 : tensor<128x128xf32>) -> tensor<128x128xf32>
    %expanded_173 = tensor.expand_shape %472 [[0], [1, 2]] output_shape [128, 4, 32] : tensor<128x128xf32> into tensor<128x4x32xf32>
    %473 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_173 : tensor<128x4x32xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %collapsed_174 = tensor.collapse_shape %470 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %474 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<4x32x128xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %collapsed_175 = tensor.collapse_shape %474 [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
    %475 = linalg.matmul ins(%collapsed_174, %collapsed_175 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_176 = tensor.expand_shape %475 [[0, 1], [2, 3]] output_shape [2, 32, 4, 32] : tensor<64x128xf32> into tensor<2x32x4x32xf32>
    %476 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_176 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %477 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%476 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_177 = tensor.collapse_shape %477 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %478 = linalg.batch_matmul ins(%collapsed_177, %collapsed_44 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_178 = tensor.expand_shape %478 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %collapsed_179 = tensor.collapse_shape %476 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_180 = tensor.collapse_shape %104 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %479 = linalg.batch_matmul ins(%collapsed_179, %collapsed_180 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_181 = tensor.expand_shape %479 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %480 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_181 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %expanded_182 = tensor.expand_shape %480 [[0], [1], [2, 3], [4]] output_shape [2, 32, 2, 2, 32] : tensor<2x32x4x32xf32> into tensor<2x32x2x2x32xf32>
    %481 = linalg.generic {indexing_maps = [#map26, #map27], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_182 : tensor<2x32x2x2x32xf32>) outs(%364 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x32xf32>
    %482 = linalg.generic {indexing_maps = [#map28, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%107 : tensor<2x4x32x1xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %483 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_178, %482 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %484 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%483, %100 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %485 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%484 : tensor<2x4x32x32xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %486 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%485 : tensor<2x4x32xf32>) outs(%95 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %expanded_183 = tensor.expand_shape %486 [[0], [1], [2, 3]] output_shape [2, 4, 32, 1] : tensor<2x4x32xf32> into tensor<2x4x32x1xf32>
    %487 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_178, %103 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %488 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_183 : tensor<2x4x32x1xf32>) outs(%101 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32xf32>
    %489 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%488 : tensor<2x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %490 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%487, %489 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %491 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%490, %100 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %492 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %491 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: i1, %in_217: f32, %out: f32):
      %1067 = arith.select %in, %in_217, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %493 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%492, %85 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x4x32x32xf32>
    %494 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%493 : tensor<2x4x32x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_184 = tensor.collapse_shape %494 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %495 = linalg.batch_matmul ins(%collapsed_184, %collapsed_39 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_185 = tensor.expand_shape %495 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %496 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_185 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %497 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_38 : tensor<2x32x4x32xf32>) outs(%77 : tensor<2x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x32x32xf32>
    %collapsed_186 = tensor.collapse_shape %493 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %collapsed_187 = tensor.collapse_shape %497 [[0, 1], [2], [3]] : tensor<2x4x32x32xf32> into tensor<8x32x32xf32>
    %498 = linalg.batch_matmul ins(%collapsed_186, %collapsed_187 : tensor<8x32x32xf32>, tensor<8x32x32xf32>) outs(%81 : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %expanded_188 = tensor.expand_shape %498 [[0, 1], [2], [3]] output_shape [2, 4, 32, 32] : tensor<8x32x32xf32> into tensor<2x4x32x32xf32>
    %499 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_188 : tensor<2x4x32x32xf32>) outs(%64 : tensor<2x32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x32xf32>
    %expanded_189 = tensor.expand_shape %496 [[0], [1], [2, 3], [4]] output_shape [2, 32, 2, 2, 32] : tensor<2x32x4x32xf32> into tensor<2x32x2x2x32xf32>
    %500 = linalg.generic {indexing_maps = [#map26, #map27], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_189 : tensor<2x32x2x2x32xf32>) outs(%364 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x32xf32>
    %extracted_slice_190 = tensor.extract_slice %500[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %extracted_slice_191 = tensor.extract_slice %500[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x32xf32> to tensor<2x32x2x16xf32>
    %501 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_191, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %502 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_191, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %503 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_190 : tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %504 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%503, %68 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %505 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%502, %504 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %506 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_190, %66 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %507 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%501, %506 : tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>) outs(%65 : tensor<2x32x2x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x2x16xf32>
    %inserted_slice_192 = tensor.insert_slice %507 into %74[0, 0, 0, 0] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %inserted_slice_193 = tensor.insert_slice %505 into %inserted_slice_192[0, 0, 0, 16] [2, 32, 2, 16] [1, 1, 1, 1] : tensor<2x32x2x16xf32> into tensor<2x32x2x32xf32>
    %extracted_slice_194 = tensor.extract_slice %499[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %extracted_slice_195 = tensor.extract_slice %499[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x32xf32> to tensor<2x32x4x16xf32>
    %508 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_195, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %509 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_195, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %510 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_194 : tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.negf %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %511 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%510, %58 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %512 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%509, %511 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %513 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_194, %56 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %514 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%508, %513 : tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) outs(%55 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x4x16xf32>
    %inserted_slice_196 = tensor.insert_slice %514 into %64[0, 0, 0, 0] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %inserted_slice_197 = tensor.insert_slice %512 into %inserted_slice_196[0, 0, 0, 16] [2, 32, 4, 16] [1, 1, 1, 1] : tensor<2x32x4x16xf32> into tensor<2x32x4x32xf32>
    %515 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%481 : tensor<2x32x2x32xf32>) outs(%74 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x32xf32>
    %collapsed_198 = tensor.collapse_shape %515 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %516 = linalg.matmul ins(%collapsed_198, %collapsed_24 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_199 = tensor.expand_shape %516 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %517 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_199 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_200 = tensor.collapse_shape %481 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %518 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5 : tensor<128x2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %collapsed_201 = tensor.collapse_shape %518 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %519 = linalg.matmul ins(%collapsed_200, %collapsed_201 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_202 = tensor.expand_shape %519 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %520 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_193 : tensor<2x32x2x32xf32>) outs(%74 : tensor<2x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x2x32xf32>
    %collapsed_203 = tensor.collapse_shape %520 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %521 = linalg.matmul ins(%collapsed_203, %collapsed_24 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_204 = tensor.expand_shape %521 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %522 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_204 : tensor<2x32x128xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %collapsed_205 = tensor.collapse_shape %inserted_slice_193 [[0, 1], [2, 3]] : tensor<2x32x2x32xf32> into tensor<64x64xf32>
    %523 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<128x2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %collapsed_206 = tensor.collapse_shape %523 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %524 = linalg.matmul ins(%collapsed_205, %collapsed_206 : tensor<64x64xf32>, tensor<64x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_207 = tensor.expand_shape %524 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %525 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_202, %expanded_207 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %526 = linalg.generic {indexing_maps = [#map29, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice_197 : tensor<2x32x4x32xf32>) outs(%410 : tensor<4x32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x2x32xf32>
    %collapsed_208 = tensor.collapse_shape %526 [[0, 1], [2, 3]] : tensor<4x32x2x32xf32> into tensor<128x64xf32>
    %527 = linalg.matmul ins(%collapsed_208, %collapsed_24 : tensor<128x64xf32>, tensor<64x128xf32>) outs(%352 : tensor<128x128xf32>) -> tensor<128x128xf32>
    %expanded_209 = tensor.expand_shape %527 [[0, 1], [2]] output_shape [4, 32, 128] : tensor<128x128xf32> into tensor<4x32x128xf32>
    %528 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_209 : tensor<4x32x128xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %collapsed_210 = tensor.collapse_shape %inserted_slice_197 [[0, 1], [2, 3]] : tensor<2x32x4x32xf32> into tensor<64x128xf32>
    %529 = linalg.generic {indexing_maps = [#map25, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<128x4x32xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %collapsed_211 = tensor.collapse_shape %529 [[0, 1], [2]] : tensor<4x32x128xf32> into tensor<128x128xf32>
    %530 = linalg.matmul ins(%collapsed_210, %collapsed_211 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%32 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %expanded_212 = tensor.expand_shape %530 [[0, 1], [2]] output_shape [2, 32, 128] : tensor<64x128xf32> into tensor<2x32x128xf32>
    %531 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%525, %expanded_212 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %532 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %531 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %533 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%532 : tensor<2x32x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %expanded_213 = tensor.expand_shape %533 [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
    %534 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%531, %29 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %535 = linalg.generic {indexing_maps = [#map22, #map24], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_213 : tensor<1x1x128xf32>) outs(%291 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %536 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %534 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %537 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%536 : tensor<2x32x128xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %expanded_214 = tensor.expand_shape %537 [[0], [1, 2]] output_shape [2, 32, 1] : tensor<2x32xf32> into tensor<2x32x1xf32>
    %538 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%534, %27 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %539 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%470, %538 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %540 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_214, %26 : tensor<2x32x1xf32>, tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %541 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%540 : tensor<2x32x1xf32>) outs(%21 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.divf %in, %cst_16 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x1xf32>
    %542 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%541 : tensor<2x32x1xf32>) outs(%19 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32xf32>
    %543 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%542 : tensor<2x32xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x128xf32>
    %544 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %543 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %545 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%539, %544 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %546 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%543, %16 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.mulf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %547 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%545, %546 : tensor<2x32x128xf32>, tensor<2x32x128xf32>) outs(%15 : tensor<2x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<2x32x128xf32>
    %collapsed_215 = tensor.collapse_shape %expanded [[0, 1], [2]] : tensor<2x32x1xi32> into tensor<64x1xi32>
    %collapsed_216 = tensor.collapse_shape %547 [[0, 1], [2]] : tensor<2x32x128xf32> into tensor<64x128xf32>
    %from_548 = arith.constant 0 : index
    %one_548 = arith.constant 1 : index
    %to_548 = arith.constant 64 : index
    %548 = scf.for %i = %from_548 to %to_548 step %one_548 iter_args(%so_far = %cst_22) -> (tensor<256x128xf32>) {
      %at_0 = arith.constant 0 : index
      %id_0 = tensor.extract %collapsed_215[%i, %at_0] : tensor<64x1xi32>
      %place_0 = arith.index_cast %id_0 : i32 to index
      %update = tensor.extract_slice %collapsed_216[%i, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
      %old = tensor.extract_slice %so_far[%place_0, 0] [1, 128] [1, 1] : tensor<256x128xf32> to tensor<1x128xf32>
      %sum = arith.addf %old, %update : tensor<1x128xf32>
      %new = tensor.insert_slice %sum into %so_far[%place_0, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<256x128xf32>
      scf.yield %new : tensor<256x128xf32>
    }
    %549 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%548 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %550 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%549 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %551 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%286 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %552 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%551 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %553 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%522 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %554 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%553 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %555 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%473 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %556 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%555 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %557 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%528 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %558 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%557 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %559 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%517 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %560 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%559 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %561 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%435 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %562 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%561 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %563 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%451 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %564 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%563 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %565 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%535 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %566 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%565 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %567 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%458 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %568 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%567 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %569 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%446 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %570 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%569 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %571 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%406 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %572 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%571 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %573 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%355 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %574 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%573 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %575 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%413 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %576 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%575 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %577 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%401 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %578 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%577 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %579 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%312 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %580 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%579 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %581 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%330 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %582 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%581 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %583 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%420 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %584 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%583 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %585 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%337 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %586 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%585 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %587 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%325 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %588 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%587 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %589 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%294 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %590 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%589 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %591 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%550 : tensor<256x128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %592 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%552 : tensor<128x256xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %593 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%554 : tensor<128x2x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %594 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%556 : tensor<4x32x128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %595 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%558 : tensor<128x4x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %596 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%560 : tensor<128x2x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %597 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%562 : tensor<352x128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %598 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%564 : tensor<128x352xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %599 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%566 : tensor<128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %600 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%568 : tensor<128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %601 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%570 : tensor<128x352xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %602 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%572 : tensor<128x2x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %603 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%574 : tensor<4x32x128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %604 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%576 : tensor<128x4x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %605 = linalg.generic {indexing_maps = [#map1, #map30], iterator_types = ["reduction", "reduction", "reduction"]} ins(%578 : tensor<128x2x32xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %606 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%580 : tensor<352x128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %607 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%582 : tensor<128x352xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %608 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%584 : tensor<128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %609 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%586 : tensor<128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %610 = linalg.generic {indexing_maps = [#map, #map21], iterator_types = ["reduction", "reduction"]} ins(%588 : tensor<128x352xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %611 = linalg.generic {indexing_maps = [#map7, #map20], iterator_types = ["reduction"]} ins(%590 : tensor<128xf32>) outs(%259 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %out, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %612 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%591 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %613 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%612, %592 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %614 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%613, %593 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %615 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%614, %594 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %616 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%615, %595 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %617 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%616, %596 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %618 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%617, %597 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %619 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%618, %598 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %620 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%619, %599 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %621 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%620, %600 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %622 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%621, %601 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %623 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%622, %602 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %624 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%623, %603 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %625 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%624, %604 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %626 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%625, %605 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %627 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%626, %606 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %628 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%627, %607 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %629 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%628, %608 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %630 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%629, %609 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %631 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%630, %610 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %632 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%631, %611 : tensor<f32>, tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %633 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%632 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %634 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%633 : tensor<f32>) outs(%240 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %1067 = arith.cmpf olt, %in, %cst_9 : f32
      linalg.yield %1067 : i1
    } -> tensor<i1>
    %635 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<256x128xf32>
    %636 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%548, %635 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %extracted = tensor.extract %634[] : tensor<i1>
    %637 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%548, %636 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %638 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x256xf32>
    %639 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%286, %638 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %640 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%286, %639 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %641 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %642 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%522, %641 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %643 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%522, %642 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %644 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %645 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%473, %644 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %646 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%473, %645 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %647 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %648 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%528, %647 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %649 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%528, %648 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %650 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%517, %641 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %651 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%517, %650 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %652 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %653 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%435, %652 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %654 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%435, %653 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %655 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%633 : tensor<f32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %656 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%451, %655 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %657 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%451, %656 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %658 = linalg.generic {indexing_maps = [#map20, #map7], iterator_types = ["parallel"]} ins(%633 : tensor<f32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128xf32>
    %659 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%535, %658 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %660 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%535, %659 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %661 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%458, %658 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %662 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%458, %661 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %663 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%446, %655 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %664 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%446, %663 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %665 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%406, %641 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %666 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%406, %665 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %667 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%355, %644 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %668 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%355, %667 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %669 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%413, %647 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %670 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%413, %669 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %671 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%401, %641 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %672 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%401, %671 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %673 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%312, %652 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %674 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%312, %673 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %675 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%330, %655 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %676 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%330, %675 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %677 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%420, %658 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %678 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%420, %677 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %679 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%337, %658 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %680 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%337, %679 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %681 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%325, %655 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %682 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%325, %681 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %683 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%294, %658 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %684 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%294, %683 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.select %extracted, %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %685 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%637 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %686 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg22 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %687 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%685, %686 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %688 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%640 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %689 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg23 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %690 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%688, %689 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %691 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%643 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %692 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg24 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %693 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%691, %692 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %694 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%646 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %695 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg25 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %696 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%694, %695 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %697 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%649 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %698 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg26 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %699 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%697, %698 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %700 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%651 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %701 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg27 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %702 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%700, %701 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %703 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%654 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %704 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg28 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %705 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%703, %704 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %706 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%657 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %707 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg29 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %708 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%706, %707 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %709 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%660 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %710 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg30 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %711 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%709, %710 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %712 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%662 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %713 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg31 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %714 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%712, %713 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %715 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%664 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %716 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg32 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %717 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%715, %716 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %718 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%666 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %719 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg33 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %720 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%718, %719 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %721 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%668 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %722 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg34 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %723 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%721, %722 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %724 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%670 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %725 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg35 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %726 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%724, %725 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %727 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%672 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %728 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg36 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %729 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%727, %728 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %730 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%674 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %731 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg37 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %732 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%730, %731 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %733 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%676 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %734 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg38 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %735 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%733, %734 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %736 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%678 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %737 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg39 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %738 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%736, %737 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %739 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%680 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %740 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg40 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %741 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%739, %740 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %742 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%682 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %743 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg41 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %744 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%742, %743 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %745 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%684 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %746 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg42 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_5 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %747 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%745, %746 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %748 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%637 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %749 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%748 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %750 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg43 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %751 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%749, %750 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %752 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%640 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %753 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%752 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %754 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg44 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %755 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%753, %754 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %756 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%643 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %757 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%756 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %758 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg45 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %759 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%757, %758 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %760 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%646 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %761 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%760 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %762 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg46 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %763 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%761, %762 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %764 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%649 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %765 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%764 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %766 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg47 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %767 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%765, %766 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %768 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%651 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %769 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%768 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %770 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg48 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %771 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%769, %770 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %772 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%654 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %773 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%772 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %774 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg49 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %775 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%773, %774 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %776 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%657 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %777 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%776 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %778 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg50 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %779 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%777, %778 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %780 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%660 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %781 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%780 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %782 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg51 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %783 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%781, %782 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %784 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%662 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %785 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%784 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %786 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg52 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %787 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%785, %786 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %788 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%664 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %789 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%788 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %790 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg53 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %791 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%789, %790 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %792 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%666 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %793 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%792 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %794 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg54 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %795 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%793, %794 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %796 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%668 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %797 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%796 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %798 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg55 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %799 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%797, %798 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %800 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%670 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %801 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%800 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %802 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg56 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %803 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%801, %802 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %804 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%672 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %805 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%804 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %806 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg57 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %807 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%805, %806 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %808 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%674 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %809 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%808 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %810 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg58 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %811 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%809, %810 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %812 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%676 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %813 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%812 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %814 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg59 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %815 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%813, %814 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %816 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%678 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %817 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%816 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %818 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg60 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %819 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%817, %818 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %820 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%680 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %821 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%820 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %822 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg61 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %823 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%821, %822 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %824 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%682 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %825 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%824 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %826 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg62 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %827 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%825, %826 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %828 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%684 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %829 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%828 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_4 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %830 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg63 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_3 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %831 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%829, %830 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %832 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%arg21 : tensor<i32>) outs(%240 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %1067 = arith.cmpi slt, %in, %c2147483647_i32 : i32
      linalg.yield %1067 : i1
    } -> tensor<i1>
    %833 = tensor.empty() : tensor<i32>
    %834 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%arg21 : tensor<i32>) outs(%833 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %1067 = arith.addi %in, %c1_i32 : i32
      linalg.yield %1067 : i32
    } -> tensor<i32>
    %835 = linalg.generic {indexing_maps = [#map15, #map15, #map15], iterator_types = []} ins(%832, %834 : tensor<i1>, tensor<i32>) outs(%833 : tensor<i32>) {
    ^bb0(%in: i1, %in_217: i32, %out: i32):
      %1067 = arith.select %in, %in_217, %c2147483647_i32 : i32
      linalg.yield %1067 : i32
    } -> tensor<i32>
    %836 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%835 : tensor<i32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %1067 = arith.sitofp %in : i32 to f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %837 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%836 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.powf %cst_5, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %838 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%837 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.subf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %839 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<256x128xf32>
    %840 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%687, %839 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %841 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x256xf32>
    %842 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%690, %841 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %843 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %844 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%693, %843 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %845 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %846 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%696, %845 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %847 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %848 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%699, %847 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %849 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%702, %843 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %850 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %851 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%705, %850 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %852 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%838 : tensor<f32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %853 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%708, %852 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %854 = linalg.generic {indexing_maps = [#map20, #map7], iterator_types = ["parallel"]} ins(%838 : tensor<f32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128xf32>
    %855 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%711, %854 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %856 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%714, %854 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %857 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%717, %852 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %858 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%720, %843 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %859 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%723, %845 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %860 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%726, %847 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %861 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%729, %843 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %862 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%732, %850 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %863 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%735, %852 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %864 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%738, %854 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %865 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%741, %854 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %866 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%744, %852 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %867 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%747, %854 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %868 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%836 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.powf %cst_3, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %869 = linalg.generic {indexing_maps = [#map15, #map15], iterator_types = []} ins(%868 : tensor<f32>) outs(%83 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.subf %cst_9, %in : f32
      linalg.yield %1067 : f32
    } -> tensor<f32>
    %870 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<256x128xf32>
    %871 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%751, %870 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %872 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x256xf32>
    %873 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%755, %872 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %874 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x2x32xf32>
    %875 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%759, %874 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %876 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x32x128xf32>
    %877 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%763, %876 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %878 = linalg.generic {indexing_maps = [#map30, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4x32xf32>
    %879 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%767, %878 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %880 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%771, %874 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %881 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<352x128xf32>
    %882 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%775, %881 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %883 = linalg.generic {indexing_maps = [#map21, #map], iterator_types = ["parallel", "parallel"]} ins(%869 : tensor<f32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x352xf32>
    %884 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%779, %883 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %885 = linalg.generic {indexing_maps = [#map20, #map7], iterator_types = ["parallel"]} ins(%869 : tensor<f32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128xf32>
    %886 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%783, %885 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %887 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%787, %885 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %888 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%791, %883 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %889 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%795, %874 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %890 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%799, %876 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %891 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%803, %878 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %892 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%807, %874 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %893 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%811, %881 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %894 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%815, %883 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %895 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%819, %885 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %896 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%823, %885 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %897 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%827, %883 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %898 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%831, %885 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %899 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%871 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %900 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%899 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %901 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%900 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %902 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%840, %901 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %903 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%873 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %904 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%903 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %905 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%904 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %906 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%842, %905 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %907 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%875 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %908 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%907 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %909 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%908 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %910 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%844, %909 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %911 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%877 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %912 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%911 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %913 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%912 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %914 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%846, %913 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %915 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%879 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %916 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%915 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %917 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%916 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %918 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%848, %917 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %919 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%880 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %920 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%919 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %921 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%920 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %922 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%849, %921 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %923 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%882 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %924 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%923 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %925 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%924 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %926 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%851, %925 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %927 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%884 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %928 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%927 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %929 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%928 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %930 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%853, %929 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %931 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%886 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %932 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%931 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %933 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%932 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %934 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%855, %933 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %935 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%887 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %936 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%935 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %937 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%936 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %938 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%856, %937 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %939 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%888 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %940 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%939 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %941 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%940 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %942 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%857, %941 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %943 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%889 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %944 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%943 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %945 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%944 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %946 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%858, %945 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %947 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%890 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %948 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%947 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %949 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%948 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %950 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%859, %949 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %951 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%891 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %952 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%951 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %953 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%952 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %954 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%860, %953 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %955 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%892 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %956 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%955 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %957 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%956 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %958 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%861, %957 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %959 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%893 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %960 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%959 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %961 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%960 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %962 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%862, %961 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %963 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%894 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %964 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%963 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %965 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%964 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %966 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%863, %965 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %967 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%895 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %968 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%967 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %969 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%968 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %970 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%864, %969 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %971 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%896 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %972 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%971 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %973 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%972 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %974 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%865, %973 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %975 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%897 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %976 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%975 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %977 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%976 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %978 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%866, %977 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %979 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%898 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_17 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %980 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%979 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = math.sqrt %in : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %981 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%980 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.addf %in, %cst_2 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %982 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%867, %981 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.divf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %983 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %984 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%902, %983 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %985 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %986 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%906, %985 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %987 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %988 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%910, %987 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %989 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %990 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%914, %989 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %991 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %992 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%918, %991 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %993 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %994 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%922, %993 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %995 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %996 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%926, %995 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %997 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %998 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%930, %997 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %999 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg8 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1000 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%934, %999 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1001 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg9 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1002 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%938, %1001 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1003 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1004 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%942, %1003 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1005 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1006 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%946, %1005 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1007 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1008 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%950, %1007 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1009 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg13 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1010 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%954, %1009 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1011 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1012 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%958, %1011 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1013 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1014 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%962, %1013 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1015 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg16 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1016 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%966, %1015 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1017 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg17 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1018 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%970, %1017 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1019 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg18 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1020 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%974, %1019 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1021 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1022 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%978, %1021 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1023 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg20 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_6 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1024 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%982, %1023 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1025 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%984 : tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %1026 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%986 : tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %1027 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%988 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1028 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%990 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1029 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%992 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1030 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%994 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1031 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%996 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1032 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%998 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1033 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%1000 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1034 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%1002 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1035 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1004 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1036 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1006 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1037 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1008 : tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1038 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1010 : tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1039 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1012 : tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1040 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1014 : tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1041 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1016 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1042 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%1018 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1043 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%1020 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1044 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1022 : tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1045 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%1024 : tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1067 = arith.mulf %in, %cst_1 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1046 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1025 : tensor<256x128xf32>, tensor<256x128xf32>) outs(%282 : tensor<256x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<256x128xf32>
    %1047 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %1026 : tensor<128x256xf32>, tensor<128x256xf32>) outs(%285 : tensor<128x256xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x256xf32>
    %1048 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2, %1027 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1049 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %1028 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1050 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %1029 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1051 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %1030 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1052 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6, %1031 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1053 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7, %1032 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1054 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%arg8, %1033 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1055 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%arg9, %1034 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1056 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg10, %1035 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1057 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11, %1036 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1058 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12, %1037 : tensor<4x32x128xf32>, tensor<4x32x128xf32>) outs(%354 : tensor<4x32x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<4x32x128xf32>
    %1059 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg13, %1038 : tensor<128x4x32xf32>, tensor<128x4x32xf32>) outs(%356 : tensor<128x4x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x4x32xf32>
    %1060 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg14, %1039 : tensor<128x2x32xf32>, tensor<128x2x32xf32>) outs(%306 : tensor<128x2x32xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x2x32xf32>
    %1061 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg15, %1040 : tensor<352x128xf32>, tensor<352x128xf32>) outs(%311 : tensor<352x128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<352x128xf32>
    %1062 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg16, %1041 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1063 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%arg17, %1042 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1064 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%arg18, %1043 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    %1065 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg19, %1044 : tensor<128x352xf32>, tensor<128x352xf32>) outs(%308 : tensor<128x352xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128x352xf32>
    %1066 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel"]} ins(%arg20, %1045 : tensor<128xf32>, tensor<128xf32>) outs(%290 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_217: f32, %out: f32):
      %1067 = arith.addf %in, %in_217 : f32
      linalg.yield %1067 : f32
    } -> tensor<128xf32>
    return %1046, %1047, %1048, %1049, %1050, %1051, %1052, %1053, %1054, %1055, %1056, %1057, %1058, %1059, %1060, %1061, %1062, %1063, %1064, %1065, %1066, %835, %687, %690, %693, %696, %699, %702, %705, %708, %711, %714, %717, %720, %723, %726, %729, %732, %735, %738, %741, %744, %747, %751, %755, %759, %763, %767, %771, %775, %779, %783, %787, %791, %795, %799, %803, %807, %811, %815, %819, %823, %827, %831, %261 : tensor<256x128xf32>, tensor<128x256xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<i32>, tensor<256x128xf32>, tensor<128x256xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<256x128xf32>, tensor<128x256xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128x2x32xf32>, tensor<4x32x128xf32>, tensor<128x4x32xf32>, tensor<128x2x32xf32>, tensor<352x128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x352xf32>, tensor<128xf32>, tensor<f32>
  }
}


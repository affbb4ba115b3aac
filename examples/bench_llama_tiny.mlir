module attributes {prec_train.framework = "torch 2.13.0", prec_train.model = "Llama", prec_train.verified = "verified", prec_train.padding = true} {
  func.func @step(
      %arg0: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "nf", prec_train.source_dtype = "f32"},
      %arg1: tensor<256x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "emb.weight", prec_train.source_dtype = "f32"},
      %arg2: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.n1", prec_train.source_dtype = "f32"},
      %arg3: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.n2", prec_train.source_dtype = "f32"},
      %arg4: tensor<128x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.qkv.weight", prec_train.source_dtype = "f32"},
      %arg5: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.o.weight", prec_train.source_dtype = "f32"},
      %arg6: tensor<352x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.gu.weight", prec_train.source_dtype = "f32"},
      %arg7: tensor<64x176xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.0.dn.weight", prec_train.source_dtype = "f32"},
      %arg8: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.n1", prec_train.source_dtype = "f32"},
      %arg9: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.n2", prec_train.source_dtype = "f32"},
      %arg10: tensor<128x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.qkv.weight", prec_train.source_dtype = "f32"},
      %arg11: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.o.weight", prec_train.source_dtype = "f32"},
      %arg12: tensor<352x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.gu.weight", prec_train.source_dtype = "f32"},
      %arg13: tensor<64x176xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "blocks.1.dn.weight", prec_train.source_dtype = "f32"},
      %arg14: tensor<32x8xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "rc", prec_train.source_dtype = "f32", prec_train.initial = dense<"0x0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F41510A3F95337B3FAAD17F3F42FE7F3FEFFF7F3FFFFF7F3F0000803F0000803F3311D5BE61FC6C3FB9467F3F08F97F3FBDFF7F3FFEFF7F3F0000803F0000803F26707DBFD2E2553F605F7E3F51F07F3F69FF7F3FFAFF7F3F0000803F0000803F305527BF99C4363FF11B7D3F1EE47F3FF4FE7F3FF6FF7F3F0000803F0000803F2C3C913E59CC103FE37C7B3F70D47F3F5DFE7F3FF0FF7F3F0000803F0000803FB8CD753FEDCCCA3ECB82793F46C17F3FA4FD7F3FE9FF7F3FFFFF7F3F0000803FBDFF403FC5CD583E602E773FA0AA7F3FCAFC7F3FE1FF7F3FFFFF7F3F0000803FF6FD14BE1A089F3C7B80743F80907F3FCEFB7F3FD8FF7F3FFFFF7F3F0000803FD53F69BF85CA31BE147A713FE4727F3FB1FA7F3FCDFF7F3FFEFF7F3F0000803F64CD56BFE565B8BE431C6E3FCF517F3F72F97F3FC1FF7F3FFEFF7F3F0000803F7205913B6E7E08BF40686A3F3F2D7F3F12F87F3FB4FF7F3FFDFF7F3F0000803FD006583FFBAB2FBF625F663F36057F3F90F67F3FA5FF7F3FFDFF7F3F0000803F6F4E683F9A4350BF2003623FB4D97E3FEDF47F3F95FF7F3FFCFF7F3F0000803FD7040C3E840C69BF0C555D3FBAAA7E3F28F37F3F84FF7F3FFBFF7F3F0000803FE87A42BFDB1879BFD956583F48787E3F41F17F3F72FF7F3FFBFF7F3F0000803F2C2975BF9ACE7FBF570A533F60427E3F39EF7F3F5FFF7F3FFAFF7F3F0000803F36E28CBE5FED7CBF6F714D3F01097E3F10ED7F3F4AFF7F3FF9FF7F3F0000803F840A293FCA9070BF288E473F2DCC7D3FC4EA7F3F34FF7F3FF8FF7F3F0000803FBF1B7D3F802F5BBFA462413FE48B7D3F58E87F3F1CFF7F3FF8FF7F3F0000803F22F0D03EAF963DBF1FF13A3F28487D3FCAE57F3F04FF7F3FF7FF7F3F0000803FFC370CBF5FE218BFEF3B343FF8007D3F1AE37F3FEAFE7F3FF6FF7F3F0000803F6FFD7FBFB2E5DCBE7F452D3F57B67C3F48E07F3FCFFE7F3FF5FF7F3F0000803FBF6708BF687D7FBE5610263F45687C3F56DD7F3FB2FE7F3FF4FF7F3F0000803FFE2DD93E776D6EBD109F1E3FC4167C3F41DA7F3F95FE7F3FF2FF7F3F0000803F78BF7D3FBA820A3E5FF4163FD4C17B3F0BD77F3F76FE7F3FF1FF7F3F0000803F819C253FB4B7A53E08130F3F76697B3FB4D37F3F56FE7F3FF0FF7F3FFFFF7F3F389395BEA7F7FF3EE6FD063FAC0D7B3F3BD07F3F34FE7F3FEFFF7F3FFFFF7F3F576D76BF914F283FCD6FFD3E77AE7A3FA0CC7F3F11FE7F3FEDFF7F3FFFFF7F3FB3803FBF06544A3F1188EC3ED84B7A3FE4C87F3FEDFD7F3FECFF7F3FFFFF7F3F18F41D3EB7C2643FB24ADB3ED1E5793F07C57F3FC8FD7F3FEBFF7F3FFFFF7F3F8E2C6A3FFE9D763FF4BDC93E637C793F08C17F3FA2FD7F3FE9FF7F3FFFFF7F3F"> : tensor<32x8xf32>},
      %arg15: tensor<32x8xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "rs", prec_train.source_dtype = "f32", prec_train.initial = dense<"0x0000000000000000000000000000000000000000000000000000000000000000A46A573FAA55453E7DFF193DC4F6EE3B1D5DB93AF8C88F39C4105F38A7072D37B7C7683FC1A2C13E9DE3993D24F56E3C115D393BF8C80F3AC410DF38A707AD37C381103E2DAC0C3FC78FE63DD235B33CBE058B3B72AD573A934C2739BDC50138CFBD41BFF040333F3D74193EA2EEEE3CE05CB93BF6C88F3AC4105F39A7072D38107C75BF661D533F0A693F3E1852153DEAB3E73B32BBB33A7A6A8B39914958388C0F8FBECA0F6B3F8D18653ED72A333D6C050B3C6EADD73A934CA739BDC581384630283F4A327A3F913A853E2601513DCF30223CA89FFB3AAC2EC339B266973895467D3FA6F37F3FA0B8973E9CD46E3D1E5C393CF0C80F3BC410DF39A707AD383201D33EA41C7C3FC4FFA93E6952863D5487503C0CC2213BDBF2FA399CA8C238F8440BBF1BD26E3F5D09BC3EAF38953D6FB2673C27BB333B7A6A0B3A9149D8385CFF7FBF9C93583FE5CECD3EEE1CA43D6BDD7E3C41B4453B865B193A86EAED38D85C09BFA0363A3FED49DF3EF1FEB23D24048B3C5AAD573B924C273ABDC501392220D73E8CDE143F2074F03E83DEC13D7F99963C73A6693B9E3D353A38960C3972987D3F89E3D33EA4A3003F73BBD03DC72EA23C899F7B3BAB2E433AB26617394479263FF4306C3EA8DE083F8A95DF3DF9C3AD3C4FCC863BB71F513A2D372239106893BE6E001F3D1EE8103F966CEE3D1459B93CDAC88F3BC2105F3AA7072D39251E76BF392E1EBE20BD183F6440FD3D18EEC43C64C5983BCE016D3A21D83739B34040BF3F17AFBED95A203F5F08063E0183D03CECC1A13BD9F27A3A9CA842396979193E844304BF85BE273FB96E0D3ECF17DC3C73BEAA3BF371843A16794D39C8B6693F13062CBF77E52E3F26D3143E80ACE73CFBBAB33B786A8B3A91495839102F563FB9554DBF1ACD353F8D351C3E1341F33C82B7BC3BFF62923A0B1A6339150511BCC2F266BFED723C3FD395233E86D5FE3C06B4C53B855B993A86EA6D39E6A158BF61E777BF89D4423FDFF32A3EEC34053D8AB0CE3B0A54A03A00BB7839FCD367BFE0907FBF9DEF483F974F323E04FF0A3D0EADD73B904CA73ABDC58139388707BEB2A57DBFF4C14E3FE2A8393E09C9103D91A9E03B1645AE3AFA2D87390837433F433872BF7349543FA5FF403EFB92163D11A6E93B9B3DB53A38968C390ED5743F40B65DBF1A84593FC853483ED95C1C3D91A2F23B2136BC3A75FE91392AB48A3E73E440BF02705E3F30A54F3EA326223D109FFB3BA72EC33AB2669739E9E329BF74D71CBF650B633FC5F3563E58F0273DC74D023C2D27CA3AEFCE9C39A4EF7CBF8BD2E5BE9954673F6D3F5E3EF7B92D3D04CC063CB21FD13A2D37A23906DECEBE935889BE0E4A6B3F0E88653E7F83333D424A0B3C3818D83A6A9FA739"> : tensor<32x8xf32>},
      %arg16: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "nf.exp_avg", prec_train.param_of = "nf", prec_train.slot = "exp_avg"},
      %arg17: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "nf.exp_avg_sq", prec_train.param_of = "nf", prec_train.slot = "exp_avg_sq"},
      %arg18: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "emb.weight.exp_avg", prec_train.param_of = "emb.weight", prec_train.slot = "exp_avg"},
      %arg19: tensor<256x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "emb.weight.exp_avg_sq", prec_train.param_of = "emb.weight", prec_train.slot = "exp_avg_sq"},
      %arg20: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.n1.exp_avg", prec_train.param_of = "blocks.0.n1", prec_train.slot = "exp_avg"},
      %arg21: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.n1.exp_avg_sq", prec_train.param_of = "blocks.0.n1", prec_train.slot = "exp_avg_sq"},
      %arg22: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.n2.exp_avg", prec_train.param_of = "blocks.0.n2", prec_train.slot = "exp_avg"},
      %arg23: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.n2.exp_avg_sq", prec_train.param_of = "blocks.0.n2", prec_train.slot = "exp_avg_sq"},
      %arg24: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.qkv.weight.exp_avg", prec_train.param_of = "blocks.0.qkv.weight", prec_train.slot = "exp_avg"},
      %arg25: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.qkv.weight.exp_avg_sq", prec_train.param_of = "blocks.0.qkv.weight", prec_train.slot = "exp_avg_sq"},
      %arg26: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.o.weight.exp_avg", prec_train.param_of = "blocks.0.o.weight", prec_train.slot = "exp_avg"},
      %arg27: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.o.weight.exp_avg_sq", prec_train.param_of = "blocks.0.o.weight", prec_train.slot = "exp_avg_sq"},
      %arg28: tensor<352x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.gu.weight.exp_avg", prec_train.param_of = "blocks.0.gu.weight", prec_train.slot = "exp_avg"},
      %arg29: tensor<352x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.gu.weight.exp_avg_sq", prec_train.param_of = "blocks.0.gu.weight", prec_train.slot = "exp_avg_sq"},
      %arg30: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.dn.weight.exp_avg", prec_train.param_of = "blocks.0.dn.weight", prec_train.slot = "exp_avg"},
      %arg31: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.0.dn.weight.exp_avg_sq", prec_train.param_of = "blocks.0.dn.weight", prec_train.slot = "exp_avg_sq"},
      %arg32: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.n1.exp_avg", prec_train.param_of = "blocks.1.n1", prec_train.slot = "exp_avg"},
      %arg33: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.n1.exp_avg_sq", prec_train.param_of = "blocks.1.n1", prec_train.slot = "exp_avg_sq"},
      %arg34: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.n2.exp_avg", prec_train.param_of = "blocks.1.n2", prec_train.slot = "exp_avg"},
      %arg35: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.n2.exp_avg_sq", prec_train.param_of = "blocks.1.n2", prec_train.slot = "exp_avg_sq"},
      %arg36: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.qkv.weight.exp_avg", prec_train.param_of = "blocks.1.qkv.weight", prec_train.slot = "exp_avg"},
      %arg37: tensor<128x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.qkv.weight.exp_avg_sq", prec_train.param_of = "blocks.1.qkv.weight", prec_train.slot = "exp_avg_sq"},
      %arg38: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.o.weight.exp_avg", prec_train.param_of = "blocks.1.o.weight", prec_train.slot = "exp_avg"},
      %arg39: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.o.weight.exp_avg_sq", prec_train.param_of = "blocks.1.o.weight", prec_train.slot = "exp_avg_sq"},
      %arg40: tensor<352x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.gu.weight.exp_avg", prec_train.param_of = "blocks.1.gu.weight", prec_train.slot = "exp_avg"},
      %arg41: tensor<352x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.gu.weight.exp_avg_sq", prec_train.param_of = "blocks.1.gu.weight", prec_train.slot = "exp_avg_sq"},
      %arg42: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.dn.weight.exp_avg", prec_train.param_of = "blocks.1.dn.weight", prec_train.slot = "exp_avg"},
      %arg43: tensor<64x176xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "blocks.1.dn.weight.exp_avg_sq", prec_train.param_of = "blocks.1.dn.weight", prec_train.slot = "exp_avg_sq"},
      %arg44: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "idx", prec_train.vocabulary = 256 : i64, prec_train.shift = 0 : i64},
      %arg45: tensor<2x32xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "tgt", prec_train.vocabulary = 256 : i64, prec_train.ignore_index = -100 : i64, prec_train.shift = 1 : i64},
      %arg46: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 0.0001 : f64},
      %arg47: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta1", prec_train.default = 0.9 : f64},
      %arg48: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta2", prec_train.default = 0.95 : f64},
      %arg49: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "eps", prec_train.default = 1.0e-08 : f64},
      %arg50: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "weight_decay", prec_train.default = 0.1 : f64},
      %arg51: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step", prec_train.default = 1.0 : f64},
      %arg52: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "max_norm", prec_train.default = 1.0 : f64}
  ) -> (
      tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<f32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "grad_norm"},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "nf", prec_train.donated_to = 0 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "emb.weight", prec_train.donated_to = 1 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n1", prec_train.donated_to = 2 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n2", prec_train.donated_to = 3 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.qkv.weight", prec_train.donated_to = 4 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.o.weight", prec_train.donated_to = 5 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.gu.weight", prec_train.donated_to = 6 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.dn.weight", prec_train.donated_to = 7 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n1", prec_train.donated_to = 8 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n2", prec_train.donated_to = 9 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.qkv.weight", prec_train.donated_to = 10 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.o.weight", prec_train.donated_to = 11 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.gu.weight", prec_train.donated_to = 12 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.dn.weight", prec_train.donated_to = 13 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "nf.exp_avg", prec_train.donated_to = 16 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "nf.exp_avg_sq", prec_train.donated_to = 17 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "emb.weight.exp_avg", prec_train.donated_to = 18 : i64},
      tensor<256x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "emb.weight.exp_avg_sq", prec_train.donated_to = 19 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n1.exp_avg", prec_train.donated_to = 20 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n1.exp_avg_sq", prec_train.donated_to = 21 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n2.exp_avg", prec_train.donated_to = 22 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.n2.exp_avg_sq", prec_train.donated_to = 23 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.qkv.weight.exp_avg", prec_train.donated_to = 24 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.qkv.weight.exp_avg_sq", prec_train.donated_to = 25 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.o.weight.exp_avg", prec_train.donated_to = 26 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.o.weight.exp_avg_sq", prec_train.donated_to = 27 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.gu.weight.exp_avg", prec_train.donated_to = 28 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.gu.weight.exp_avg_sq", prec_train.donated_to = 29 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.dn.weight.exp_avg", prec_train.donated_to = 30 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.0.dn.weight.exp_avg_sq", prec_train.donated_to = 31 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n1.exp_avg", prec_train.donated_to = 32 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n1.exp_avg_sq", prec_train.donated_to = 33 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n2.exp_avg", prec_train.donated_to = 34 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.n2.exp_avg_sq", prec_train.donated_to = 35 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.qkv.weight.exp_avg", prec_train.donated_to = 36 : i64},
      tensor<128x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.qkv.weight.exp_avg_sq", prec_train.donated_to = 37 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.o.weight.exp_avg", prec_train.donated_to = 38 : i64},
      tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.o.weight.exp_avg_sq", prec_train.donated_to = 39 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.gu.weight.exp_avg", prec_train.donated_to = 40 : i64},
      tensor<352x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.gu.weight.exp_avg_sq", prec_train.donated_to = 41 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.dn.weight.exp_avg", prec_train.donated_to = 42 : i64},
      tensor<64x176xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "blocks.1.dn.weight.exp_avg_sq", prec_train.donated_to = 43 : i64}
  ) attributes {prec.entry = "step"} {
    %0 = arith.constant dense<1.0> : tensor<2x32x176xf32>
    %1 = arith.constant dense<1.0> : tensor<f32>
    %2 = prec_train.embedding %arg1, %arg44 {prec_train.seq = 1 : i64} : (tensor<256x64xf32>, tensor<2x32xi32>) -> tensor<2x32x64xf32> loc("Llama")
    %3:2 = prec_train.rms_norm %2, %arg2 {eps = 1.0e-05 : f32, prec_train.seq = 3 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) loc("blocks.0")
    %4 = tensor.collapse_shape %3#0 [[0, 1], [2]] {prec_train.seq = 6 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.0.qkv")
    %5 = prec_train.matmul %4, %arg4 {transpose_b, prec_train.seq = 7 : i64} : (tensor<64x64xf32>, tensor<128x64xf32>) -> tensor<64x128xf32> loc("blocks.0.qkv")
    %6 = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 32, 128] {prec_train.seq = 8 : i64} : tensor<64x128xf32> into tensor<2x32x128xf32> loc("blocks.0.qkv")
    %7 = tensor.extract_slice %6[0, 0, 0] [2, 32, 64] [1, 1, 1] {prec_train.seq = 9 : i64} : tensor<2x32x128xf32> to tensor<2x32x64xf32> loc("blocks.0")
    %8 = tensor.extract_slice %6[0, 0, 64] [2, 32, 32] [1, 1, 1] {prec_train.seq = 9 : i64} : tensor<2x32x128xf32> to tensor<2x32x32xf32> loc("blocks.0")
    %9 = tensor.extract_slice %6[0, 0, 96] [2, 32, 32] [1, 1, 1] {prec_train.seq = 9 : i64} : tensor<2x32x128xf32> to tensor<2x32x32xf32> loc("blocks.0")
    %10 = tensor.expand_shape %7 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 10 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("blocks.0")
    %11 = prec_train.transpose %10 permutation [0, 2, 1, 3] {prec_train.seq = 11 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("blocks.0")
    %12 = tensor.expand_shape %8 [[0], [1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 12 : i64} : tensor<2x32x32xf32> into tensor<2x32x2x16xf32> loc("blocks.0")
    %13 = prec_train.transpose %12 permutation [0, 2, 1, 3] {prec_train.seq = 13 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("blocks.0")
    %14 = tensor.expand_shape %9 [[0], [1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 14 : i64} : tensor<2x32x32xf32> into tensor<2x32x2x16xf32> loc("blocks.0")
    %15 = prec_train.transpose %14 permutation [0, 2, 1, 3] {prec_train.seq = 15 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("blocks.0")
    %16 = tensor.extract_slice %11[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 17 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.0")
    %17 = tensor.extract_slice %11[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 17 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.0")
    %18 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 18 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %19 = arith.mulf %16, %18 {prec_train.seq = 18 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %20 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 19 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %21 = arith.mulf %17, %20 {prec_train.seq = 19 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %22 = arith.subf %19, %21 {prec_train.seq = 20 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %23 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 21 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %24 = arith.mulf %17, %23 {prec_train.seq = 21 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %25 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 22 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %26 = arith.mulf %16, %25 {prec_train.seq = 22 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %27 = arith.addf %24, %26 : tensor<2x4x32x8xf32> loc("blocks.0")
    %28 = tensor.concat dim(3) %22, %27 {prec_train.seq = 23 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("blocks.0")
    %29 = tensor.extract_slice %13[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 26 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.0")
    %30 = tensor.extract_slice %13[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 26 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.0")
    %31 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 27 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %32 = arith.mulf %29, %31 {prec_train.seq = 27 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %33 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 28 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %34 = arith.mulf %30, %33 {prec_train.seq = 28 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %35 = arith.subf %32, %34 {prec_train.seq = 29 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %36 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 30 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %37 = arith.mulf %30, %36 {prec_train.seq = 30 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %38 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 31 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %39 = arith.mulf %29, %38 {prec_train.seq = 31 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %40 = arith.addf %37, %39 : tensor<2x2x32x8xf32> loc("blocks.0")
    %41 = tensor.concat dim(3) %35, %40 {prec_train.seq = 32 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("blocks.0")
    %42:2 = prec_train.attention %28, %41, %15 {scale = 0.25 : f32, causal, prec_train.seq = 34 : i64} : (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("blocks.0")
    %43 = prec_train.transpose %42#0 permutation [0, 2, 1, 3] {prec_train.seq = 35 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("blocks.0")
    %44 = tensor.collapse_shape %43 [[0, 1], [2, 3]] {prec_train.seq = 39 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("blocks.0.o")
    %45 = prec_train.matmul %44, %arg5 {transpose_b, prec_train.seq = 40 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.0.o")
    %46 = tensor.expand_shape %45 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 41 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.0.o")
    %47 = arith.addf %2, %46 : tensor<2x32x64xf32> loc("blocks.0")
    %48:2 = prec_train.rms_norm %47, %arg3 {eps = 1.0e-05 : f32, prec_train.seq = 43 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) loc("blocks.0")
    %49 = tensor.collapse_shape %48#0 [[0, 1], [2]] {prec_train.seq = 46 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.0.gu")
    %50 = prec_train.matmul %49, %arg6 {transpose_b, prec_train.seq = 47 : i64} : (tensor<64x64xf32>, tensor<352x64xf32>) -> tensor<64x352xf32> loc("blocks.0.gu")
    %51 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [2, 32, 352] {prec_train.seq = 48 : i64} : tensor<64x352xf32> into tensor<2x32x352xf32> loc("blocks.0.gu")
    %52 = tensor.extract_slice %51[0, 0, 0] [2, 32, 176] [1, 1, 1] {prec_train.seq = 49 : i64} : tensor<2x32x352xf32> to tensor<2x32x176xf32> loc("blocks.0")
    %53 = tensor.extract_slice %51[0, 0, 176] [2, 32, 176] [1, 1, 1] {prec_train.seq = 49 : i64} : tensor<2x32x352xf32> to tensor<2x32x176xf32> loc("blocks.0")
    %54 = arith.negf %52 {prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %55 = math.exp %54 {prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %56 = arith.addf %55, %0 {prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %57 = arith.divf %0, %56 {prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %58 = arith.mulf %52, %57 {prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %59 = arith.mulf %58, %53 {prec_train.seq = 51 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %60 = tensor.collapse_shape %59 [[0, 1], [2]] {prec_train.seq = 54 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("blocks.0.dn")
    %61 = prec_train.matmul %60, %arg7 {transpose_b, prec_train.seq = 55 : i64} : (tensor<64x176xf32>, tensor<64x176xf32>) -> tensor<64x64xf32> loc("blocks.0.dn")
    %62 = tensor.expand_shape %61 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 56 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.0.dn")
    %63 = arith.addf %47, %62 : tensor<2x32x64xf32> loc("blocks.0")
    %64:2 = prec_train.rms_norm %63, %arg8 {eps = 1.0e-05 : f32, prec_train.seq = 58 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) loc("blocks.1")
    %65 = tensor.collapse_shape %64#0 [[0, 1], [2]] {prec_train.seq = 61 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.1.qkv")
    %66 = prec_train.matmul %65, %arg10 {transpose_b, prec_train.seq = 62 : i64} : (tensor<64x64xf32>, tensor<128x64xf32>) -> tensor<64x128xf32> loc("blocks.1.qkv")
    %67 = tensor.expand_shape %66 [[0, 1], [2]] output_shape [2, 32, 128] {prec_train.seq = 63 : i64} : tensor<64x128xf32> into tensor<2x32x128xf32> loc("blocks.1.qkv")
    %68 = tensor.extract_slice %67[0, 0, 0] [2, 32, 64] [1, 1, 1] {prec_train.seq = 64 : i64} : tensor<2x32x128xf32> to tensor<2x32x64xf32> loc("blocks.1")
    %69 = tensor.extract_slice %67[0, 0, 64] [2, 32, 32] [1, 1, 1] {prec_train.seq = 64 : i64} : tensor<2x32x128xf32> to tensor<2x32x32xf32> loc("blocks.1")
    %70 = tensor.extract_slice %67[0, 0, 96] [2, 32, 32] [1, 1, 1] {prec_train.seq = 64 : i64} : tensor<2x32x128xf32> to tensor<2x32x32xf32> loc("blocks.1")
    %71 = tensor.expand_shape %68 [[0], [1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.seq = 65 : i64} : tensor<2x32x64xf32> into tensor<2x32x4x16xf32> loc("blocks.1")
    %72 = prec_train.transpose %71 permutation [0, 2, 1, 3] {prec_train.seq = 66 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("blocks.1")
    %73 = tensor.expand_shape %69 [[0], [1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 67 : i64} : tensor<2x32x32xf32> into tensor<2x32x2x16xf32> loc("blocks.1")
    %74 = prec_train.transpose %73 permutation [0, 2, 1, 3] {prec_train.seq = 68 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("blocks.1")
    %75 = tensor.expand_shape %70 [[0], [1], [2, 3]] output_shape [2, 32, 2, 16] {prec_train.seq = 69 : i64} : tensor<2x32x32xf32> into tensor<2x32x2x16xf32> loc("blocks.1")
    %76 = prec_train.transpose %75 permutation [0, 2, 1, 3] {prec_train.seq = 70 : i64} : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32> loc("blocks.1")
    %77 = tensor.extract_slice %72[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 72 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.1")
    %78 = tensor.extract_slice %72[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.seq = 72 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.1")
    %79 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 73 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %80 = arith.mulf %77, %79 {prec_train.seq = 73 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %81 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 74 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %82 = arith.mulf %78, %81 {prec_train.seq = 74 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %83 = arith.subf %80, %82 {prec_train.seq = 75 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %84 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 76 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %85 = arith.mulf %78, %84 {prec_train.seq = 76 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %86 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 77 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %87 = arith.mulf %77, %86 {prec_train.seq = 77 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %88 = arith.addf %85, %87 : tensor<2x4x32x8xf32> loc("blocks.1")
    %89 = tensor.concat dim(3) %83, %88 {prec_train.seq = 78 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("blocks.1")
    %90 = tensor.extract_slice %74[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 81 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.1")
    %91 = tensor.extract_slice %74[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.seq = 81 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.1")
    %92 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 82 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %93 = arith.mulf %90, %92 {prec_train.seq = 82 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %94 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 83 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %95 = arith.mulf %91, %94 {prec_train.seq = 83 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %96 = arith.subf %93, %95 {prec_train.seq = 84 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %97 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.seq = 85 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %98 = arith.mulf %91, %97 {prec_train.seq = 85 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %99 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.seq = 86 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %100 = arith.mulf %90, %99 {prec_train.seq = 86 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %101 = arith.addf %98, %100 : tensor<2x2x32x8xf32> loc("blocks.1")
    %102 = tensor.concat dim(3) %96, %101 {prec_train.seq = 87 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("blocks.1")
    %103:2 = prec_train.attention %89, %102, %76 {scale = 0.25 : f32, causal, prec_train.seq = 89 : i64} : (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) loc("blocks.1")
    %104 = prec_train.transpose %103#0 permutation [0, 2, 1, 3] {prec_train.seq = 90 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("blocks.1")
    %105 = tensor.collapse_shape %104 [[0, 1], [2, 3]] {prec_train.seq = 94 : i64} : tensor<2x32x4x16xf32> into tensor<64x64xf32> loc("blocks.1.o")
    %106 = prec_train.matmul %105, %arg11 {transpose_b, prec_train.seq = 95 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.1.o")
    %107 = tensor.expand_shape %106 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 96 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.1.o")
    %108 = arith.addf %63, %107 : tensor<2x32x64xf32> loc("blocks.1")
    %109:2 = prec_train.rms_norm %108, %arg9 {eps = 1.0e-05 : f32, prec_train.seq = 98 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) loc("blocks.1")
    %110 = tensor.collapse_shape %109#0 [[0, 1], [2]] {prec_train.seq = 101 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.1.gu")
    %111 = prec_train.matmul %110, %arg12 {transpose_b, prec_train.seq = 102 : i64} : (tensor<64x64xf32>, tensor<352x64xf32>) -> tensor<64x352xf32> loc("blocks.1.gu")
    %112 = tensor.expand_shape %111 [[0, 1], [2]] output_shape [2, 32, 352] {prec_train.seq = 103 : i64} : tensor<64x352xf32> into tensor<2x32x352xf32> loc("blocks.1.gu")
    %113 = tensor.extract_slice %112[0, 0, 0] [2, 32, 176] [1, 1, 1] {prec_train.seq = 104 : i64} : tensor<2x32x352xf32> to tensor<2x32x176xf32> loc("blocks.1")
    %114 = tensor.extract_slice %112[0, 0, 176] [2, 32, 176] [1, 1, 1] {prec_train.seq = 104 : i64} : tensor<2x32x352xf32> to tensor<2x32x176xf32> loc("blocks.1")
    %115 = arith.negf %113 {prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %116 = math.exp %115 {prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %117 = arith.addf %116, %0 {prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %118 = arith.divf %0, %117 {prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %119 = arith.mulf %113, %118 {prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %120 = arith.mulf %119, %114 {prec_train.seq = 106 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %121 = tensor.collapse_shape %120 [[0, 1], [2]] {prec_train.seq = 109 : i64} : tensor<2x32x176xf32> into tensor<64x176xf32> loc("blocks.1.dn")
    %122 = prec_train.matmul %121, %arg13 {transpose_b, prec_train.seq = 110 : i64} : (tensor<64x176xf32>, tensor<64x176xf32>) -> tensor<64x64xf32> loc("blocks.1.dn")
    %123 = tensor.expand_shape %122 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.seq = 111 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.1.dn")
    %124 = arith.addf %108, %123 : tensor<2x32x64xf32> loc("blocks.1")
    %125:2 = prec_train.rms_norm %124, %arg0 {eps = 1.0e-05 : f32, prec_train.seq = 113 : i64} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) loc("Llama")
    %126 = tensor.collapse_shape %125#0 [[0, 1], [2]] {prec_train.seq = 116 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("Llama")
    %127 = prec_train.matmul %126, %arg1 {transpose_b, prec_train.seq = 117 : i64} : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32> loc("Llama")
    %128 = tensor.collapse_shape %arg45 [[0, 1]] : tensor<2x32xi32> into tensor<64xi32> loc("Llama")
    %129:3 = prec_train.cross_entropy %127, %128 {ignore_index = -100 : i32, prec_train.seq = 123 : i64} : (tensor<64x256xf32>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) loc("Llama")
    %130 = prec_train.cross_entropy_grad %1, %127, %128, %129#1, %129#2 {ignore_index = -100 : i32, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 123 : i64} : (tensor<f32>, tensor<64x256xf32>, tensor<64xi32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x256xf32> loc("Llama")
    %131 = prec_train.matmul %130, %126 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 117 : i64} : (tensor<64x256xf32>, tensor<64x64xf32>) -> tensor<256x64xf32> loc("Llama")
    %132 = prec_train.matmul %130, %arg1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 117 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> loc("Llama")
    %133 = tensor.expand_shape %132 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 116 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("Llama")
    %134:2 = prec_train.rms_norm_grad %133, %124, %arg0, %125#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 113 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>) loc("Llama")
    %135 = tensor.collapse_shape %134#0 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 111 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.1.dn")
    %136 = prec_train.matmul %135, %121 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("blocks.1.dn")
    %137 = prec_train.matmul %135, %arg13 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 110 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("blocks.1.dn")
    %138 = tensor.expand_shape %137 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 109 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("blocks.1.dn")
    %139 = arith.mulf %138, %119 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 106 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %140 = arith.mulf %138, %114 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 106 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %141 = arith.negf %113 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %142 = math.exp %141 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %143 = arith.addf %142, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %144 = arith.divf %0, %143 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %145 = arith.mulf %140, %144 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %146 = arith.subf %0, %144 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %147 = arith.mulf %113, %146 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %148 = arith.addf %147, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %149 = arith.mulf %145, %148 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 105 : i64} : tensor<2x32x176xf32> loc("blocks.1")
    %150 = tensor.concat dim(2) %149, %139 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 104 : i64} : (tensor<2x32x176xf32>, tensor<2x32x176xf32>) -> tensor<2x32x352xf32> loc("blocks.1")
    %151 = tensor.collapse_shape %150 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 103 : i64} : tensor<2x32x352xf32> into tensor<64x352xf32> loc("blocks.1.gu")
    %152 = prec_train.matmul %151, %110 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 102 : i64} : (tensor<64x352xf32>, tensor<64x64xf32>) -> tensor<352x64xf32> loc("blocks.1.gu")
    %153 = prec_train.matmul %151, %arg12 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 102 : i64} : (tensor<64x352xf32>, tensor<352x64xf32>) -> tensor<64x64xf32> loc("blocks.1.gu")
    %154 = tensor.expand_shape %153 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 101 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.1.gu")
    %155:2 = prec_train.rms_norm_grad %154, %108, %arg9, %109#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 98 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>) loc("blocks.1")
    %156 = arith.addf %134#0, %155#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("blocks.1")
    %157 = tensor.collapse_shape %156 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 96 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.1.o")
    %158 = prec_train.matmul %157, %105 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 95 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.1.o")
    %159 = prec_train.matmul %157, %arg11 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 95 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.1.o")
    %160 = tensor.expand_shape %159 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 91 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("blocks.1")
    %161 = prec_train.transpose %160 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 90 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("blocks.1")
    %162:3 = prec_train.attention_grad %161, %89, %102, %76, %103#0, %103#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 89 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) loc("blocks.1")
    %163 = tensor.extract_slice %162#1[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 87 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.1")
    %164 = tensor.extract_slice %162#1[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 87 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.1")
    %165 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 86 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %166 = arith.mulf %164, %165 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 86 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %167 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 85 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %168 = arith.mulf %164, %167 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 85 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %169 = arith.negf %163 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 84 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %170 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 83 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %171 = arith.mulf %169, %170 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 83 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %172 = arith.addf %168, %171 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x8xf32> loc("blocks.1")
    %173 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 82 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.1")
    %174 = arith.mulf %163, %173 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 82 : i64} : tensor<2x2x32x8xf32> loc("blocks.1")
    %175 = arith.addf %166, %174 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x8xf32> loc("blocks.1")
    %176 = tensor.concat dim(3) %175, %172 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 81 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("blocks.1")
    %177 = tensor.extract_slice %162#0[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 78 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.1")
    %178 = tensor.extract_slice %162#0[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 78 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.1")
    %179 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 77 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %180 = arith.mulf %178, %179 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 77 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %181 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 76 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %182 = arith.mulf %178, %181 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 76 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %183 = arith.negf %177 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 75 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %184 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 74 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %185 = arith.mulf %183, %184 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 74 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %186 = arith.addf %182, %185 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x8xf32> loc("blocks.1")
    %187 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 73 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.1")
    %188 = arith.mulf %177, %187 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 73 : i64} : tensor<2x4x32x8xf32> loc("blocks.1")
    %189 = arith.addf %180, %188 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x8xf32> loc("blocks.1")
    %190 = tensor.concat dim(3) %189, %186 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 72 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("blocks.1")
    %191 = prec_train.transpose %162#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 70 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("blocks.1")
    %192 = tensor.collapse_shape %191 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 69 : i64} : tensor<2x32x2x16xf32> into tensor<2x32x32xf32> loc("blocks.1")
    %193 = prec_train.transpose %176 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 68 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("blocks.1")
    %194 = tensor.collapse_shape %193 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 67 : i64} : tensor<2x32x2x16xf32> into tensor<2x32x32xf32> loc("blocks.1")
    %195 = prec_train.transpose %190 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 66 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("blocks.1")
    %196 = tensor.collapse_shape %195 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 65 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("blocks.1")
    %197 = tensor.concat dim(2) %196, %194, %192 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 64 : i64} : (tensor<2x32x64xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x128xf32> loc("blocks.1")
    %198 = tensor.collapse_shape %197 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 63 : i64} : tensor<2x32x128xf32> into tensor<64x128xf32> loc("blocks.1.qkv")
    %199 = prec_train.matmul %198, %65 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 62 : i64} : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<128x64xf32> loc("blocks.1.qkv")
    %200 = prec_train.matmul %198, %arg10 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 62 : i64} : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32> loc("blocks.1.qkv")
    %201 = tensor.expand_shape %200 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 61 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.1.qkv")
    %202:2 = prec_train.rms_norm_grad %201, %63, %arg8, %64#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 58 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>) loc("blocks.1")
    %203 = arith.addf %156, %202#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("blocks.1")
    %204 = tensor.collapse_shape %203 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 56 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.0.dn")
    %205 = prec_train.matmul %204, %60 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 55 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("blocks.0.dn")
    %206 = prec_train.matmul %204, %arg7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 55 : i64} : (tensor<64x64xf32>, tensor<64x176xf32>) -> tensor<64x176xf32> loc("blocks.0.dn")
    %207 = tensor.expand_shape %206 [[0, 1], [2]] output_shape [2, 32, 176] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 54 : i64} : tensor<64x176xf32> into tensor<2x32x176xf32> loc("blocks.0.dn")
    %208 = arith.mulf %207, %58 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 51 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %209 = arith.mulf %207, %53 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 51 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %210 = arith.negf %52 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %211 = math.exp %210 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %212 = arith.addf %211, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %213 = arith.divf %0, %212 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %214 = arith.mulf %209, %213 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %215 = arith.subf %0, %213 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %216 = arith.mulf %52, %215 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %217 = arith.addf %216, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %218 = arith.mulf %214, %217 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 50 : i64} : tensor<2x32x176xf32> loc("blocks.0")
    %219 = tensor.concat dim(2) %218, %208 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 49 : i64} : (tensor<2x32x176xf32>, tensor<2x32x176xf32>) -> tensor<2x32x352xf32> loc("blocks.0")
    %220 = tensor.collapse_shape %219 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 48 : i64} : tensor<2x32x352xf32> into tensor<64x352xf32> loc("blocks.0.gu")
    %221 = prec_train.matmul %220, %49 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : (tensor<64x352xf32>, tensor<64x64xf32>) -> tensor<352x64xf32> loc("blocks.0.gu")
    %222 = prec_train.matmul %220, %arg6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 47 : i64} : (tensor<64x352xf32>, tensor<352x64xf32>) -> tensor<64x64xf32> loc("blocks.0.gu")
    %223 = tensor.expand_shape %222 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 46 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.0.gu")
    %224:2 = prec_train.rms_norm_grad %223, %47, %arg3, %48#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 43 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>) loc("blocks.0")
    %225 = arith.addf %203, %224#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("blocks.0")
    %226 = tensor.collapse_shape %225 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 41 : i64} : tensor<2x32x64xf32> into tensor<64x64xf32> loc("blocks.0.o")
    %227 = prec_train.matmul %226, %44 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 40 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.0.o")
    %228 = prec_train.matmul %226, %arg5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 40 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("blocks.0.o")
    %229 = tensor.expand_shape %228 [[0, 1], [2, 3]] output_shape [2, 32, 4, 16] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 36 : i64} : tensor<64x64xf32> into tensor<2x32x4x16xf32> loc("blocks.0")
    %230 = prec_train.transpose %229 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 35 : i64} : (tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32> loc("blocks.0")
    %231:3 = prec_train.attention_grad %230, %28, %41, %15, %42#0, %42#1 {scale = 0.25 : f32, causal, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 34 : i64} : (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32xf32>) -> (tensor<2x4x32x16xf32>, tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) loc("blocks.0")
    %232 = tensor.extract_slice %231#1[0, 0, 0, 0] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.0")
    %233 = tensor.extract_slice %231#1[0, 0, 0, 8] [2, 2, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 32 : i64} : tensor<2x2x32x16xf32> to tensor<2x2x32x8xf32> loc("blocks.0")
    %234 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 31 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %235 = arith.mulf %233, %234 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 31 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %236 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %237 = arith.mulf %233, %236 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 30 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %238 = arith.negf %232 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 29 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %239 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 28 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %240 = arith.mulf %238, %239 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 28 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %241 = arith.addf %237, %240 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x8xf32> loc("blocks.0")
    %242 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 27 : i64} : (tensor<32x8xf32>) -> tensor<2x2x32x8xf32> loc("blocks.0")
    %243 = arith.mulf %232, %242 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 27 : i64} : tensor<2x2x32x8xf32> loc("blocks.0")
    %244 = arith.addf %235, %243 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x2x32x8xf32> loc("blocks.0")
    %245 = tensor.concat dim(3) %244, %241 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 26 : i64} : (tensor<2x2x32x8xf32>, tensor<2x2x32x8xf32>) -> tensor<2x2x32x16xf32> loc("blocks.0")
    %246 = tensor.extract_slice %231#0[0, 0, 0, 0] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.0")
    %247 = tensor.extract_slice %231#0[0, 0, 0, 8] [2, 4, 32, 8] [1, 1, 1, 1] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 23 : i64} : tensor<2x4x32x16xf32> to tensor<2x4x32x8xf32> loc("blocks.0")
    %248 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 22 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %249 = arith.mulf %247, %248 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 22 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %250 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 21 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %251 = arith.mulf %247, %250 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 21 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %252 = arith.negf %246 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 20 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %253 = prec_train.broadcast %arg15 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %254 = arith.mulf %252, %253 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 19 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %255 = arith.addf %251, %254 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x8xf32> loc("blocks.0")
    %256 = prec_train.broadcast %arg14 dims [2, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 18 : i64} : (tensor<32x8xf32>) -> tensor<2x4x32x8xf32> loc("blocks.0")
    %257 = arith.mulf %246, %256 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 18 : i64} : tensor<2x4x32x8xf32> loc("blocks.0")
    %258 = arith.addf %249, %257 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x32x8xf32> loc("blocks.0")
    %259 = tensor.concat dim(3) %258, %255 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 17 : i64} : (tensor<2x4x32x8xf32>, tensor<2x4x32x8xf32>) -> tensor<2x4x32x16xf32> loc("blocks.0")
    %260 = prec_train.transpose %231#2 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 15 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("blocks.0")
    %261 = tensor.collapse_shape %260 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 14 : i64} : tensor<2x32x2x16xf32> into tensor<2x32x32xf32> loc("blocks.0")
    %262 = prec_train.transpose %245 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 13 : i64} : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32> loc("blocks.0")
    %263 = tensor.collapse_shape %262 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 12 : i64} : tensor<2x32x2x16xf32> into tensor<2x32x32xf32> loc("blocks.0")
    %264 = prec_train.transpose %259 permutation [0, 2, 1, 3] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 11 : i64} : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32> loc("blocks.0")
    %265 = tensor.collapse_shape %264 [[0], [1], [2, 3]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 10 : i64} : tensor<2x32x4x16xf32> into tensor<2x32x64xf32> loc("blocks.0")
    %266 = tensor.concat dim(2) %265, %263, %261 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 9 : i64} : (tensor<2x32x64xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x128xf32> loc("blocks.0")
    %267 = tensor.collapse_shape %266 [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 8 : i64} : tensor<2x32x128xf32> into tensor<64x128xf32> loc("blocks.0.qkv")
    %268 = prec_train.matmul %267, %4 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 7 : i64} : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<128x64xf32> loc("blocks.0.qkv")
    %269 = prec_train.matmul %267, %arg4 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 7 : i64} : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32> loc("blocks.0.qkv")
    %270 = tensor.expand_shape %269 [[0, 1], [2]] output_shape [2, 32, 64] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 6 : i64} : tensor<64x64xf32> into tensor<2x32x64xf32> loc("blocks.0.qkv")
    %271:2 = prec_train.rms_norm_grad %270, %2, %arg2, %3#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<64xf32>, tensor<2x32xf32>) -> (tensor<2x32x64xf32>, tensor<64xf32>) loc("blocks.0")
    %272 = arith.addf %225, %271#0 {prec_train.phase = #prec_train.phase<backward>} : tensor<2x32x64xf32> loc("blocks.0")
    %273 = prec_train.embedding_grad %272, %arg44 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 1 : i64} : (tensor<2x32x64xf32>, tensor<2x32xi32>) -> tensor<256x64xf32> loc("Llama")
    %274 = arith.addf %131, %273 {prec_train.phase = #prec_train.phase<backward>} : tensor<256x64xf32> loc("Llama")
    %275 = prec_train.global_norm %134#1, %274, %271#1, %224#1, %268, %227, %221, %205, %202#1, %155#1, %199, %158, %152, %136 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>) -> tensor<f32> loc("optimizer")
    %276 = prec_train.clip %275, %arg52 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("optimizer")
    %277:3 = prec_train.adamw %arg0, %134#1, %arg16, %arg17, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("nf")
    %278:3 = prec_train.adamw %arg1, %274, %arg18, %arg19, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) loc("emb.weight")
    %279:3 = prec_train.adamw %arg2, %271#1, %arg20, %arg21, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("blocks.0.n1")
    %280:3 = prec_train.adamw %arg3, %224#1, %arg22, %arg23, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("blocks.0.n2")
    %281:3 = prec_train.adamw %arg4, %268, %arg24, %arg25, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) loc("blocks.0.qkv.weight")
    %282:3 = prec_train.adamw %arg5, %227, %arg26, %arg27, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("blocks.0.o.weight")
    %283:3 = prec_train.adamw %arg6, %221, %arg28, %arg29, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>) loc("blocks.0.gu.weight")
    %284:3 = prec_train.adamw %arg7, %205, %arg30, %arg31, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>) loc("blocks.0.dn.weight")
    %285:3 = prec_train.adamw %arg8, %202#1, %arg32, %arg33, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("blocks.1.n1")
    %286:3 = prec_train.adamw %arg9, %155#1, %arg34, %arg35, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("blocks.1.n2")
    %287:3 = prec_train.adamw %arg10, %199, %arg36, %arg37, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) loc("blocks.1.qkv.weight")
    %288:3 = prec_train.adamw %arg11, %158, %arg38, %arg39, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) loc("blocks.1.o.weight")
    %289:3 = prec_train.adamw %arg12, %152, %arg40, %arg41, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<352x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>) loc("blocks.1.gu.weight")
    %290:3 = prec_train.adamw %arg13, %136, %arg42, %arg43, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %276 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x176xf32>, tensor<64x176xf32>, tensor<64x176xf32>) loc("blocks.1.dn.weight")
    return %129#0, %275, %277#0, %278#0, %279#0, %280#0, %281#0, %282#0, %283#0, %284#0, %285#0, %286#0, %287#0, %288#0, %289#0, %290#0, %277#1, %277#2, %278#1, %278#2, %279#1, %279#2, %280#1, %280#2, %281#1, %281#2, %282#1, %282#2, %283#1, %283#2, %284#1, %284#2, %285#1, %285#2, %286#1, %286#2, %287#1, %287#2, %288#1, %288#2, %289#1, %289#2, %290#1, %290#2 : tensor<f32>, tensor<f32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>, tensor<64x176xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<352x64xf32>, tensor<352x64xf32>, tensor<64x176xf32>, tensor<64x176xf32>
  }
}

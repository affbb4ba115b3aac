//===- TrainConvolutions.cpp - convolutions -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, verifiers and numeric structure of convolutions. Each direction counts
// as the matrix product that it amounts to, a product for each group: forward
// the windows of the input [positions, places * channels] by the weight, the
// gradient of the input a product [positions, places * channels] whose elements
// are added back to where they were read, the gradient of the weight the
// output's gradient by the windows.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Train/Convolution.h"

#include "Dialect/Train/Shapes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return ShapedType::getNumElements(sizes);
}

template <typename OpTy>
static Convolution make(OpTy op, Type input, Type weight, Type output) {
  return {cast<RankedTensorType>(input),
          cast<RankedTensorType>(weight),
          cast<RankedTensorType>(output),
          op.getStrides(),
          op.getLow(),
          op.getHigh(),
          op.getDilations(),
          int64_t(op.getGroups())};
}

static Convolution sizesOf(ConvOp op) {
  return make(op, op.getInput().getType(), op.getWeight().getType(),
              op.getResult().getType());
}
static Convolution sizesOf(ConvGradInputOp op) {
  return make(op, op.getGradInput().getType(), op.getWeight().getType(),
              op.getGrad().getType());
}
static Convolution sizesOf(ConvGradWeightOp op) {
  return make(op, op.getInput().getType(), op.getGradWeight().getType(),
              op.getGrad().getType());
}

std::optional<Convolution> Convolution::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Convolution>>(op)
      .Case<ConvOp, ConvGradInputOp, ConvGradWeightOp>(
          [](auto conv) { return sizesOf(conv); })
      .Default(std::nullopt);
}

int64_t Convolution::countPlaces() const {
  return productOf(weight.getShape().drop_front().drop_back());
}

int64_t Convolution::countPositions() const {
  return productOf(output.getShape().drop_back());
}

int64_t Convolution::getPositions(unsigned dim) const {
  int64_t kernel = weight.getDimSize(dim + 1),
          room = input.getDimSize(dim + 1) + low[dim] + high[dim] -
                 dilations[dim] * (kernel - 1) - 1;
  return room < 0 ? 0 : room / strides[dim] + 1;
}

LogicalResult prec::train::verifyConvolution(Operation *op,
                                             const Convolution &of) {
  int64_t rank = of.input.getRank();
  // conv_c1
  if (rank < 3 || rank > 5 || of.weight.getRank() != rank ||
      of.output.getRank() != rank)
    return op->emitOpError("input, weight and output must have one rank of 3 "
                           "to 5, but got ")
           << of.input << ", " << of.weight << " and " << of.output;
  // conv_c2
  for (auto [name, values, least] :
       {std::tuple(StringRef("strides"), of.strides, 1),
        std::tuple(StringRef("low"), of.low, 0),
        std::tuple(StringRef("high"), of.high, 0),
        std::tuple(StringRef("dilations"), of.dilations, 1)}) {
    if (int64_t(values.size()) == rank - 2 &&
        llvm::all_of(values, [&, least = least](int64_t value) {
          return value >= least;
        }))
      continue;
    auto diagnostic = op->emitOpError()
                      << name << " must be " << rank - 2
                      << " numbers of at least " << least << ", but got [";
    llvm::interleaveComma(values, diagnostic);
    return diagnostic << "]";
  }
  // conv_c3
  if (llvm::is_contained(of.input.getShape(), 0) ||
      llvm::is_contained(of.weight.getShape(), 0) ||
      llvm::is_contained(of.output.getShape(), 0))
    return op->emitOpError("a convolution must have no size of 0, but got ")
           << of.input << ", " << of.weight << " and " << of.output;
  // conv_c4
  int64_t channels = of.input.getShape().back(),
          outputs = of.weight.getDimSize(0);
  if (of.groups < 1 || channels % of.groups || outputs % of.groups)
    return op->emitOpError("groups must divide ")
           << channels << " channels and " << outputs << " outputs, but got "
           << of.groups;
  // conv_c5
  if (of.weight.getShape().back() != channels / of.groups)
    return op->emitOpError("weight must have ")
           << channels / of.groups << " channels, but got " << of.weight;
  // conv_c6
  SmallVector<int64_t> expected{of.input.getDimSize(0)};
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    expected.push_back(of.getPositions(dim));
  expected.push_back(outputs);
  return checkShape(op, "output", of.output, expected);
}

LogicalResult ConvOp::verify() {
  return verifyConvolution(*this, sizesOf(*this));
}
LogicalResult ConvGradInputOp::verify() {
  return verifyConvolution(*this, sizesOf(*this));
}
LogicalResult ConvGradWeightOp::verify() {
  return verifyConvolution(*this, sizesOf(*this));
}

static double flopsOf(const Convolution &of) {
  return 2.0 * of.output.getNumElements() * of.countPlaces() * of.getChannels();
}

Structure ConvOp::getStructure() { return Structure::Contraction; }
int64_t ConvOp::getAccumulationLength() { return getContractionShape().k; }
double ConvOp::getFlops() { return flopsOf(sizesOf(*this)); }
prec::ContractionShape ConvOp::getContractionShape() {
  Convolution of = sizesOf(*this);
  return {of.countPositions(), of.getOutputs(),
          of.countPlaces() * of.getChannels(), of.groups};
}

Structure ConvGradInputOp::getStructure() { return Structure::Contraction; }
int64_t ConvGradInputOp::getAccumulationLength() {
  Convolution of = sizesOf(*this);
  return of.countPlaces() * of.getOutputs();
}
double ConvGradInputOp::getFlops() { return flopsOf(sizesOf(*this)); }
prec::ContractionShape ConvGradInputOp::getContractionShape() {
  Convolution of = sizesOf(*this);
  return {of.countPositions(), of.countPlaces() * of.getChannels(),
          of.getOutputs(), of.groups};
}

Structure ConvGradWeightOp::getStructure() { return Structure::Contraction; }
int64_t ConvGradWeightOp::getAccumulationLength() {
  return getContractionShape().k;
}
double ConvGradWeightOp::getFlops() { return flopsOf(sizesOf(*this)); }
prec::ContractionShape ConvGradWeightOp::getContractionShape() {
  Convolution of = sizesOf(*this);
  return {of.getOutputs(), of.countPlaces() * of.getChannels(),
          of.countPositions(), of.groups};
}

//===- FusionGraphs.cpp - fusion graphs by hand, and their laws -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "prec/Targets/RegisterAllTargets.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>

using namespace prec;
using namespace prec::test;

const ScheduleModel &prec::test::getMachine() {
  static const ScheduleModel model = [] {
    TargetRegistry targets;
    llvm::cantFail(registerAllTargets(targets));
    return *llvm::cantFail(targets.find("sm_90a")->loadMachine()).schedule;
  }();
  return model;
}

unsigned GraphBuilder::add(NodeKind kind, std::vector<FusionEdge> operands,
                           int64_t elements, int64_t reduced) {
  FusionNode node;
  node.kind = kind;
  node.operands.append(operands.begin(), operands.end());
  node.elements = elements;
  node.reduced = reduced;
  nodes.push_back(std::move(node));
  // A call reads its operands from memory.
  if (kind == NodeKind::Barrier)
    for (FusionEdge edge : operands)
      nodes[edge.node].stored = true;
  return nodes.size() - 1;
}

unsigned GraphBuilder::source(int64_t elements) {
  return add(NodeKind::Source, {}, elements);
}

unsigned GraphBuilder::elementwise(std::vector<unsigned> operands,
                                   int64_t elements) {
  std::vector<FusionEdge> edges;
  for (unsigned operand : operands)
    edges.push_back({operand, Access::Same});
  return add(NodeKind::Elementwise, edges, elements);
}

unsigned GraphBuilder::round(std::vector<unsigned> operands, int64_t elements) {
  unsigned node = elementwise(std::move(operands), elements);
  nodes[node].rounding = true;
  return node;
}

unsigned GraphBuilder::rowReduce(unsigned operand, int64_t rows,
                                 int64_t columns) {
  return add(NodeKind::RowReduce, {{operand, Access::Same}}, rows, columns);
}

unsigned GraphBuilder::columnReduce(unsigned operand, int64_t groups,
                                    int64_t rows, int64_t columns) {
  unsigned node = add(NodeKind::ColumnReduce, {{operand, Access::Same}},
                      groups * columns, rows);
  nodes[node].rows = groups * rows;
  nodes[node].columns = columns;
  return node;
}

unsigned GraphBuilder::tileReduce(unsigned operand, int64_t rows,
                                  int64_t columns) {
  unsigned node =
      add(NodeKind::TileReduce, {{operand, Access::Same}}, 1, rows * columns);
  nodes[node].rows = rows;
  nodes[node].columns = columns;
  nodes[node].tileRows = 128;
  return node;
}

unsigned GraphBuilder::transpose(unsigned operand, int64_t columns) {
  unsigned node = add(NodeKind::Transpose, {{operand, Access::Other}},
                      nodes[operand].elements);
  nodes[node].rows = nodes[operand].elements / columns;
  nodes[node].columns = columns;
  nodes[node].narrow = true;
  return store(node);
}

unsigned GraphBuilder::join(std::vector<unsigned> operands) {
  std::vector<FusionEdge> edges;
  int64_t elements = 0;
  for (unsigned operand : operands) {
    edges.push_back({operand, Access::Part});
    elements += nodes[operand].elements;
  }
  return add(NodeKind::Layout, edges, elements);
}

unsigned GraphBuilder::joinColumns(std::vector<unsigned> operands) {
  unsigned node = join(operands);
  nodes[node].joinsColumns = true;
  for (FusionEdge &edge : nodes[node].operands)
    if (nodes[edge.node].elements * int64_t(operands.size()) !=
        nodes[node].elements)
      edge.access = Access::Other;
  return node;
}

unsigned GraphBuilder::store(unsigned node) {
  nodes[node].stored = true;
  return node;
}

unsigned GraphBuilder::inPhase(unsigned phase, unsigned node) {
  nodes[node].phase = phase;
  return node;
}

namespace {

class Checker {
public:
  Checker(llvm::ArrayRef<FusionNode> nodes, const FusionResult &result)
      : nodes(nodes), result(result) {}

  std::string run() {
    checkMembership();
    for (unsigned unit = 0; unit < result.units.size(); ++unit) {
      checkKind(unit);
      checkColumns(unit);
      for (unsigned root : result.units[unit].roots)
        checkReads(unit, root);
    }
    checkDepths();
    return problem;
  }

private:
  void report(const std::string &text) {
    if (problem.empty())
      problem = text;
  }
  static std::string nodeName(unsigned node) {
    return "node " + std::to_string(node);
  }
  static bool mustBeRoot(const FusionNode &node) {
    return node.kind == NodeKind::RowReduce ||
           node.kind == NodeKind::TileReduce ||
           node.kind == NodeKind::ColumnReduce ||
           node.kind == NodeKind::Transpose || node.kind == NodeKind::Barrier ||
           (node.kind != NodeKind::Source && node.stored);
  }

  void checkMembership();
  void checkKind(unsigned unit);
  void checkColumns(unsigned unit);
  bool isRowValue(unsigned unit, unsigned root) const;
  void checkReads(unsigned unit, unsigned root);
  void checkDepths();
  /// Calls `visit` with every value in memory that `root` reads, and how.
  void forEachLeaf(unsigned root,
                   const std::function<void(unsigned, Access)> &visit) const;

  llvm::ArrayRef<FusionNode> nodes;
  const FusionResult &result;
  std::string problem;
};

} // namespace

void Checker::checkMembership() {
  std::vector<int> unitOf(nodes.size(), -1);
  for (unsigned unit = 0; unit < result.units.size(); ++unit) {
    const auto &roots = result.units[unit].roots;
    const auto &parts = result.units[unit].parts;
    bool ascends = !roots.empty() && !parts.empty() && parts.front() == 0 &&
                   parts.back() < roots.size() &&
                   std::is_sorted(parts.begin(), parts.end());
    for (size_t part = 0; ascends && part < parts.size(); ++part)
      ascends = std::is_sorted(roots.begin() + parts[part],
                               part + 1 < parts.size()
                                   ? roots.begin() + parts[part + 1]
                                   : roots.end());
    if (!ascends)
      report("roots of each part must ascend and not be empty");
    for (unsigned root : roots) {
      if (unitOf[root] >= 0)
        report(nodeName(root) + " is in two units");
      unitOf[root] = unit;
    }
  }
  if (unitOf != result.unitOf)
    report("units and nodes must name each other");
  for (unsigned node = 0; node < nodes.size(); ++node) {
    if (mustBeRoot(nodes[node]) && unitOf[node] < 0)
      report(nodeName(node) + " must be in memory, but no unit computes it");
    if (nodes[node].kind == NodeKind::Source && unitOf[node] >= 0)
      report(nodeName(node) + " is a source, but a unit computes it");
  }
}

void Checker::checkKind(unsigned unit) {
  unsigned barriers = 0, transposes = 0, rows = 0, columns = 0, tiles = 0;
  const FusionUnit &it = result.units[unit];
  for (unsigned root : it.roots) {
    barriers += nodes[root].kind == NodeKind::Barrier;
    transposes += nodes[root].kind == NodeKind::Transpose;
    rows += nodes[root].kind == NodeKind::RowReduce;
    columns += nodes[root].kind == NodeKind::ColumnReduce;
    tiles += nodes[root].kind == NodeKind::TileReduce;
  }
  size_t size = it.roots.size();
  bool legal = size <= 16;
  switch (it.kind) {
  case UnitKind::Barrier:
    legal &= barriers == 1 && size == 1;
    break;
  case UnitKind::Transpose:
    legal &= (tiles + columns > 0 || transposes == 1) && barriers + rows == 0;
    break;
  case UnitKind::Column:
    legal &= columns >= 1 && barriers + tiles + transposes + rows == 0;
    break;
  case UnitKind::Row:
    legal &= rows >= 1 && barriers + tiles + transposes == 0;
    break;
  case UnitKind::Elementwise:
    legal &= barriers + tiles + transposes + rows + columns == 0;
    break;
  }
  if (!legal)
    report("unit " + std::to_string(unit) + " holds what its kind must not");
}

/// Column reductions of a unit have equal extents; those beside reductions of
/// rows are over groups of these rows, which fit the registers of a block.
void Checker::checkColumns(unsigned unit) {
  const FusionUnit &it = result.units[unit];
  const FusionNode *first = nullptr;
  int64_t values = 0;
  for (unsigned root : it.roots) {
    const FusionNode &own = nodes[root];
    if (own.kind != NodeKind::ColumnReduce)
      continue;
    first = first ? first : &own;
    values += own.columns;
    if (own.elements != first->elements || own.reduced != first->reduced ||
        own.columns != first->columns)
      report(nodeName(root) + " has other extents than its unit's");
    bool isOfTiles = own.tileRows == own.reduced && own.columns == it.columns &&
                     own.elements * own.reduced == it.elements;
    if (it.kind == UnitKind::Transpose && !isOfTiles)
      report(nodeName(root) + " reduces columns of no tiles of its unit");
    if (it.kind != UnitKind::Row)
      continue;
    bool fits = own.columns > 1 && own.columns == it.columns &&
                own.columns <= 8192 && values <= 16384 &&
                own.elements / own.columns >= 128 && own.reduced % 8 == 0 &&
                own.elements * own.reduced == it.elements;
    if (!fits)
      report(nodeName(root) + " reduces columns that its unit has no room for");
  }
}

/// Whether a root of a row unit has one element for each row.
bool Checker::isRowValue(unsigned unit, unsigned root) const {
  const FusionUnit &it = result.units[unit];
  return it.kind == UnitKind::Row &&
         nodes[root].kind != NodeKind::ColumnReduce &&
         (nodes[root].kind == NodeKind::RowReduce ||
          nodes[root].elements < it.elements);
}

void Checker::forEachLeaf(
    unsigned root, const std::function<void(unsigned, Access)> &visit) const {
  std::set<std::tuple<unsigned, Access, int64_t>> seen;
  std::function<void(unsigned, Access, int64_t)> walk =
      [&](unsigned from, Access access, int64_t rows) {
        for (FusionEdge edge : nodes[from].operands) {
          // Through an expression: the same index stays, a row or part stays
          // one of what is read by the same index, and a row that of what is
          // moved within it; all else is out of step.
          bool isSame = access == Access::Same;
          int64_t kept = isSame ? edge.rows
                         : edge.access == Access::Same
                             ? rows
                             : std::gcd(rows, edge.rows);
          bool isOfRow = edge.access == Access::Row && access != Access::Row &&
                         rows % nodes[edge.node].elements == 0;
          Access reached = isSame || isOfRow             ? edge.access
                           : edge.access == Access::Same ? access
                                                         : Access::Other;
          if (!seen.insert({edge.node, reached, kept}).second)
            continue;
          if (result.unitOf[edge.node] >= 0 ||
              nodes[edge.node].kind == NodeKind::Source)
            visit(edge.node, reached);
          else
            walk(edge.node, reached, kept);
        }
      };
  walk(root, Access::Same, 1);
}

void Checker::checkReads(unsigned unit, unsigned root) {
  const FusionUnit &it = result.units[unit];
  const FusionNode &node = nodes[root];
  int64_t walked = node.elements * node.reduced;
  bool inSpace =
      walked == it.elements || node.kind == NodeKind::ColumnReduce ||
      (it.kind == UnitKind::Transpose && node.reduced == 1 &&
       walked % it.elements == 0) ||
      ((it.kind == UnitKind::Elementwise || it.kind == UnitKind::Row) &&
       node.kind == NodeKind::Layout && walked % it.elements == 0) ||
      (it.kind == UnitKind::Row && it.columns > 1 &&
       node.elements * it.columns == it.elements);
  if (!inSpace)
    report(nodeName(root) + " walks another space than its unit");
  if (node.kind == NodeKind::RowReduce && node.reduced != it.columns)
    report(nodeName(root) + " reduces rows of another length than its unit");
  forEachLeaf(root, [&](unsigned leaf, Access access) {
    if (result.unitOf[leaf] != int(unit))
      return;
    if (leaf >= root)
      report(nodeName(root) + " reads what its unit computes later");
    // A transposition reads its tile whole.
    if (it.kind == UnitKind::Transpose && node.kind == NodeKind::Transpose)
      return;
    bool joins = walked > it.elements;
    if (it.kind != UnitKind::Column && joins) {
      if (access != Access::Part || nodes[leaf].elements != it.elements)
        report(nodeName(root) + " joins what is not a part");
      return;
    }
    bool from = isRowValue(unit, leaf);
    bool to = node.kind == NodeKind::RowReduce ? false : isRowValue(unit, root);
    bool isColumn = nodes[leaf].kind == NodeKind::ColumnReduce;
    if (isColumn && (it.kind == UnitKind::Row || node.kind == nodes[leaf].kind))
      report(nodeName(root) + " reads columns that its unit reduces");
    bool inStep = (access == Access::Same && from == to) ||
                  (access == Access::Row && from && !to);
    if (!inStep)
      report(nodeName(root) + " reads " + nodeName(leaf) +
             " of its own unit out of step");
  });
}

/// Units in order of depth follow what they read, so there is no cycle.
void Checker::checkDepths() {
  for (unsigned unit = 0; unit < result.units.size(); ++unit) {
    unsigned depth = 1;
    for (unsigned root : result.units[unit].roots)
      forEachLeaf(root, [&](unsigned leaf, Access) {
        int from = result.unitOf[leaf];
        if (from >= 0 && from != int(unit))
          depth = std::max(depth, result.units[from].depth + 1);
      });
    if (depth != result.units[unit].depth)
      report("unit " + std::to_string(unit) + " must have depth " +
             std::to_string(depth) + ", but got " +
             std::to_string(result.units[unit].depth));
  }
}

std::string prec::test::findViolation(llvm::ArrayRef<FusionNode> nodes,
                                      const FusionResult &result) {
  return Checker(nodes, result).run();
}

Units prec::test::rootsOf(const GraphBuilder &graph) {
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(findViolation(graph.nodes, result), "");
  Units units;
  for (const FusionUnit &unit : result.units)
    units.emplace_back(unit.roots.begin(), unit.roots.end());
  return units;
}

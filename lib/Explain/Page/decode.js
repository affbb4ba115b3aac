// The folded map: templates of rows, and groups (a layer, or a run of equal
// ones) that each show one template so many times.
const data = JSON.parse(document.getElementById("data").textContent);
const text = (index) => data.strings[index];
const formats = ["e2m1", "e4m3", "e5m2", "bf16", "f16", "f32"];
const phases = ["forward", "recompute", "backward", "optimizer", "state"];
const phaseNames = {state: "parameters, state and inputs", forward: "forward", recompute: "recomputed forward",
  backward: "backward", optimizer: "optimizer"};
const bothSides = data.sides.length > 1;

const tags = data.tags.map(([format, scaling, accumulator, rule, reference, changes]) => ({
  format, scaling, accumulator, rule: text(rule), reference: text(reference), changes: changes.map(text)}));

const choices = data.choices.map(([winner, reason, candidates]) => ({
  winner, reason: text(reason),
  candidates: candidates.map(([lhs, rhs, result, veto, why, microseconds, changes]) => ({
    reads: [tags[lhs], tags[rhs]], result, veto, reason: text(why), microseconds, changes: changes.map(text)}))}));

function decodeSide(side) {
  if (!side)
    return null;
  const [values, reads, choice] = side;
  return {
    values: values.map(([shape, stored, bytes, tag, beaten]) => ({
      shape: text(shape), stored: !!stored, bytes, tag: tags[tag],
      beaten: beaten.map(([format, veto, reason]) => ({format, veto, reason: text(reason)}))})),
    reads: reads.map(([operand, bytes, tag]) => ({operand, bytes, tag: tags[tag]})),
    choice: choice < 0 ? null : choices[choice]};
}

const sameTag = (a, b) => a.format === b.format && a.scaling === b.scaling && a.accumulator === b.accumulator;

function differs(first, second) {
  if (!first || !second)
    return first !== second;
  const tagsOf = (side) => [...side.values, ...side.reads].map((decision) => decision.tag);
  const before = tagsOf(first), after = tagsOf(second);
  return before.length !== after.length || before.some((tag, i) => !sameTag(tag, after[i]));
}

function decodeRow([isArgument, path, name, tensorClass, phase, direction, module, mnk, flops, ...sides]) {
  const row = {isArgument: !!isArgument, path: text(path), name: text(name), class: text(tensorClass), phase: text(phase),
    direction: text(direction), module: text(module), mnk, flops, sides: sides.map(decodeSide)};
  const present = row.sides.filter((side) => side);
  row.isQuiet = present.every((side) => !side.reads.length && side.values.every((value) => !value.stored));
  row.isDifferent = bothSides && differs(...row.sides);
  row.formats = new Set();
  row.reasons = new Set();
  for (const side of present) {
    for (const {tag} of [...side.values, ...side.reads]) {
      row.formats.add(tag.format);
      row.reasons.add(tag.rule);
    }
    const losers = [...side.values.flatMap((value) => value.beaten), ...side.choice ? side.choice.candidates : []];
    for (const {veto} of losers)
      if (veto !== "none")
        row.reasons.add("veto:" + veto);
  }
  return row;
}

const rows = data.rows.map(decodeRow);
const templates = data.templates.map((members) => members.map((row) => rows[row]));
const groups = [];
for (const [name, members] of data.functions)
  for (const [stack, template, from, to] of members) {
    const isLayer = from >= 0;
    const range = !isLayer ? "" : from === to ? String(from) : `${from}–${to}`;
    groups.push({function: name, stack: text(stack), range, count: isLayer ? to - from + 1 : 1, rows: templates[template]});
  }

// Why: the panel beside the network.
const why = document.getElementById("why");

function makeChanges(changes) {
  const box = make("div");
  if (changes.length) {
    box.append(make("p", "detail", "What would change it:"));
    const list = make("ul", "changes");
    for (const change of changes)
      list.append(make("li", "", change));
    box.append(list);
  }
  return box;
}

function makeDecision(title, tag, facts) {
  const box = make("div", "decision");
  const line = make("div", "chips");
  line.append(make("span", "", title), makeChip(tag.format));
  const more = [tag.scaling, tag.accumulator].filter((part) => part !== "none" && part !== "full");
  line.append(make("span", "detail", [...more, ...facts].join(", ")));
  box.append(line, make("p", "", tag.rule));
  if (tag.reference)
    box.append(make("p", "detail", `From: ${tag.reference}`));
  box.append(makeChanges(tag.changes));
  return box;
}

const explainVeto = ({veto, reason}) => veto === "none" ? reason : `${veto.replace("_", " ")}: ${reason}`;

function makeBeaten(beaten) {
  const box = make("div", "candidate loser");
  const line = make("div", "chips");
  line.append(make("span", "verdict", "✗ beaten"), makeChip(beaten.format));
  box.append(line, make("p", "", explainVeto(beaten)));
  return box;
}

function getLossReason(choice, index) {
  const candidate = choice.candidates[index];
  if (candidate.veto !== "none")
    return explainVeto(candidate);
  if (choice.reason)
    return `permitted, but ${choice.reason}`;
  return "permitted, but comes after it";
}

function makeCandidate(choice, index) {
  const candidate = choice.candidates[index];
  const isWinner = index === choice.winner;
  const box = make("div", `candidate ${isWinner ? "winner" : "loser"}`);
  const line = make("div", "chips");
  line.append(make("span", "verdict", isWinner ? "✓ won" : "✗ beaten"), makeChip(candidate.reads[0].format), make("span", "", "×"),
    makeChip(candidate.reads[1].format), make("span", "arrow", "→"), makeChip(candidate.result));
  box.append(line);
  const scalings = candidate.reads.map((read) => read.scaling).filter((scaling) => scaling !== "none");
  const facts = [[...new Set(scalings)].join(" × "), candidate.reads[0].accumulator === "full" ? "" : candidate.reads[0].accumulator,
    candidate.microseconds === null ? "" : `predicted ${printTime(candidate.microseconds)}`].filter((part) => part);
  if (facts.length)
    box.append(make("p", "detail", facts.join(", ")));
  if (!isWinner)
    box.append(make("p", "", getLossReason(choice, index)));
  else if (choice.reason)
    box.append(make("p", "", choice.reason));
  box.append(makeChanges(candidate.changes));
  return box;
}

function makeSide(row, side, title) {
  const box = make("div", "side");
  if (title)
    box.append(make("h4", "", title));
  if (!side) {
    box.append(make("p", "", "Not in this one."));
    return box;
  }
  side.values.forEach((value, i) => {
    const name = row.isArgument ? "stored" : side.values.length > 1 ? `result ${i}` : "result";
    const facts = [value.shape, value.stored ? printBytes(value.bytes) : "not stored"];
    box.append(makeDecision(name, value.tag, value.stored && !value.bytes ? facts.slice(0, 1) : facts),
      ...value.beaten.map(makeBeaten));
  });
  for (const read of side.reads)
    box.append(makeDecision(`operand ${read.operand} read in`, read.tag, read.bytes ? [`a copy of ${printBytes(read.bytes)}`] : []));
  if (side.choice) {
    box.append(make("h4", "", "Ways to run it"));
    side.choice.candidates.forEach((_, i) => box.append(makeCandidate(side.choice, i)));
  }
  return box;
}

function showRow(group, row) {
  const path = [group.stack, group.range, row.path].filter((part) => part).join(".");
  const title = make("h3");
  title.append(make("span", "path", path || row.name));
  const facts = [row.name, row.class, phaseNames[row.phase], row.direction,
    row.mnk ? `${row.mnk.map((size) => size < 0 ? "?" : size).join(" × ")} (M × N × K)` : "",
    row.flops ? `${printCount(row.flops)}FLOP` : "", row.module ? `policy module ${row.module}` : "",
    group.count > 1 ? `the same in ${group.count} layers` : ""].filter((part) => part);
  const sides = make("div", "sides");
  row.sides.forEach((side, i) => sides.append(makeSide(row, side, bothSides ? sideName(i) : "")));
  why.replaceChildren(make("h2", "", "Why"), title, make("p", "facts", facts.join(", ")), sides);
  why.scrollTop = 0;
}

function showGroup(group) {
  const title = make("h3");
  title.append(make("span", "path", [group.stack, group.range].filter((part) => part).join(".")));
  const tables = data.sides.map((_, i) => makeTotalsTable([{rows: group.rows, count: 1}], i, sideName(i)));
  why.replaceChildren(make("h2", "", "Layer"), title,
    make("p", "facts", group.count > 1 ? `${group.count} equal layers, shown once; each has` : "Has"), ...tables);
  why.scrollTop = 0;
}

function showNothing() {
  why.replaceChildren(make("h2", "", "Why"), make("p", "facts", "Choose a layer and then a tensor to see why it has its format, " +
    "what was beaten, and what would change it."));
}

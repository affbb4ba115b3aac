// Filters, and what belongs to no part alone.
const filters = document.getElementById("filters");
const field = (name) => document.getElementById(`filter-${name}`);

function fill(select, all, values, print = (value) => value) {
  select.append(new Option(all, ""), ...values.map((value) => new Option(print(value), value)));
}

function collect(get) {
  return [...new Set(rows.flatMap((row) => [...get(row)]))].filter((value) => value).sort();
}

function fillFilters() {
  fill(field("class"), "all", collect((row) => [row.class]));
  const used = new Set(collect((row) => row.formats));
  fill(field("format"), "all", formats.filter((format) => used.has(format)), (format) => format.toUpperCase());
  const present = new Set(collect((row) => [row.phase]));
  fill(field("phase"), "all", phases.filter((phase) => present.has(phase)), (phase) => phaseNames[phase]);
  fill(field("reason"), "all", []);
  const reasons = collect((row) => row.reasons);
  const add = (title, values, print) => {
    const group = make("optgroup");
    group.label = title;
    group.append(...values.map((value) => new Option(print(value), value)));
    if (values.length)
      field("reason").append(group);
  };
  add("something was beaten by", reasons.filter((reason) => reason.startsWith("veto:")), (reason) => reason.slice(5).replace("_", " "));
  add("rule", reasons.filter((reason) => !reason.startsWith("veto:")), (rule) => rule.length > 90 ? rule.slice(0, 88) + " …" : rule);
}

let applied = null;

function applyFilters() {
  const wanted = Object.fromEntries(["class", "format", "phase", "reason"].map((name) => [name, field(name).value]));
  const part = field("text").value.trim().toLowerCase();
  const isQuietShown = field("quiet").checked;
  const isDifferent = field("different").checked;
  // A choice is told of twice, as input and as a change.
  const settings = JSON.stringify([wanted, part, isQuietShown, isDifferent]);
  if (settings === applied)
    return;
  applied = settings;
  const matches = (row) => (!wanted.class || row.class === wanted.class) && (!wanted.format || row.formats.has(wanted.format)) &&
    (!wanted.phase || row.phase === wanted.phase) && (!wanted.reason || row.reasons.has(wanted.reason)) &&
    (!isDifferent || row.isDifferent);
  // A path may be named by its layer as well.
  const hasPart = (row) => !part || row.path.toLowerCase().includes(part) || row.name.toLowerCase().includes(part);
  const isFiltered = part || isDifferent || Object.values(wanted).some((value) => value);
  showGroups((row) => (isQuietShown || !row.isQuiet) && matches(row) && hasPart(row),
    isFiltered ? "" : isQuietShown ? "all rows" : "rows but quiet ones");
  // What only passes through registers has no bytes: it counts or not alike.
  const sets = visibleGroups.map((group) => ({rows: group.shown, count: group.count}));
  const count = sets.reduce((all, set) => all + set.rows.length * set.count, 0);
  document.getElementById("found").textContent = `${count} operations and tensors`;
  document.getElementById("totals-title").textContent = isFiltered ? "Totals of what the filters leave" : "Totals";
  document.getElementById("totals-tables").replaceChildren(...data.sides.map((_, i) => makeTotalsTable(sets, i, sideName(i))));
  document.getElementById("nothing").hidden = visibleGroups.length > 0;
}

function reset() {
  select(null);
  showNothing();
  applyFilters();
}

filters.addEventListener("input", applyFilters);
filters.addEventListener("change", applyFilters);
filters.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("clear").addEventListener("click", () => {
  filters.reset();
  reset();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (why.contains(document.activeElement) || tree.contains(document.activeElement))) {
    const back = selected && selected.isConnected ? selected : getFocusable();
    select(null);
    showNothing();
    focusItem(back);
  } else if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement.tagName)) {
    event.preventDefault();
    field("text").focus();
  }
});

document.getElementById("about").textContent = data.sides.map((side, i) => `${sideName(i)}, legality of ${side.target}`).join("   ·   ");
document.title = `Precision map: ${data.sides.map((side) => side.recipe).join(" and ")}`;
document.getElementById("legend").append(...formats.map(makeChip));
document.getElementById("only-different").hidden = !bothSides;
if (bothSides) {
  document.body.classList.add("compare");
  const columns = document.getElementById("columns");
  columns.hidden = false;
  columns.append(make("span"), ...data.sides.map((_, i) => make("span", "column", sideName(i))));
}
fillFilters();
reset();

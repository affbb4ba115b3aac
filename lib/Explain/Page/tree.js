// The network: groups that open to rows. One element of the tree takes the
// focus of the keyboard at a time.
const tree = document.getElementById("tree");
let visibleGroups = [];
let current = null;
let selected = null;

/// Formats of the rows that a group shows, and their bytes.
function makeShare(group) {
  const {sums} = sumUp([{rows: group.shown, count: group.count}], 0);
  const share = make("span", "share");
  share.setAttribute("aria-hidden", "true");
  for (const [format, sum] of sums) {
    if (!sum.bytes)
      continue;
    const part = make("span");
    part.style.flex = String(sum.bytes);
    part.style.background = `var(--${format}-bar)`;
    share.append(part);
  }
  const size = printBytes([...sums.values()].reduce((all, sum) => all + sum.bytes, 0));
  return {rows: group.shown, elements: [share, make("span", "size", size)], size};
}

function makeGroup(group) {
  const item = make("div", "group");
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", "1");
  item.setAttribute("aria-expanded", "false");
  item.tabIndex = -1;
  const line = make("div", "line");
  const caret = make("span", "caret", "▸");
  caret.setAttribute("aria-hidden", "true");
  group.name = [group.stack, group.range].filter((part) => part).join(".");
  line.append(caret, make("span", "path", group.name));
  if (group.count > 1)
    line.append(make("span", "times", `× ${group.count}`));
  item.append(line);
  item.group = group;
  return item;
}

function makeChips(side) {
  const chips = make("span", "chips");
  if (!side)
    return make("span", "chips", "–");
  // Products have two factors; of what else is read the kinds are enough.
  const reads = side.reads.map((read) => read.tag.format);
  (side.choice ? reads : [...new Set(reads)]).forEach((format, i) => {
    if (i)
      chips.append(make("span", "arrow", side.choice ? "×" : ","));
    chips.append(makeChip(format));
  });
  if (side.reads.length && side.values.length)
    chips.append(make("span", "arrow", "→"));
  const shown = new Set(side.values.map((value) => value.tag.format));
  for (const format of shown)
    chips.append(makeChip(format));
  return chips;
}

function describeSide(side) {
  if (!side)
    return "absent";
  const reads = side.reads.map((read) => read.tag.format).join(" by ");
  const stores = [...new Set(side.values.map((value) => value.tag.format))].join(" and ");
  return [reads && `reads ${reads}`, stores && `gives ${stores}`].filter((part) => part).join(", ");
}

function makeRow(group, row) {
  const item = make("div", `line row${row.isDifferent ? " different" : ""}`);
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", "2");
  item.setAttribute("aria-selected", "false");
  item.tabIndex = -1;
  if (bothSides)
    item.append(make("span", "sign", row.isDifferent ? "≠" : ""));
  const what = make("span", "what");
  const operation = row.isArgument ? row.name : row.name.slice(row.name.indexOf(".") + 1);
  what.append(make("span", "path", row.path || operation), " ",
    make("span", "op", row.path ? [operation, row.direction].filter((part) => part).join(" ") : row.direction));
  what.title = row.path;
  item.append(what);
  for (const side of row.sides) {
    const chips = makeChips(side);
    chips.classList.toggle("two", bothSides);
    item.append(chips);
  }
  item.setAttribute("aria-label", [row.path, operation, row.direction, ...row.sides.map(describeSide),
    row.isDifferent ? "different" : ""].filter((part) => part).join(", "));
  item.row = row;
  item.parentGroup = group;
  return item;
}

/// Rows are made when they are first shown.
function fillBox(group) {
  group.rowItems ||= new Map();
  const items = [];
  for (const phase of phases) {
    const rows = group.shown.filter((row) => row.phase === phase);
    if (!rows.length)
      continue;
    const title = make("div", "phase", phaseNames[phase]);
    title.setAttribute("role", "presentation");
    items.push(title);
    for (const row of rows) {
      if (!group.rowItems.has(row))
        group.rowItems.set(row, makeRow(group, row));
      items.push(group.rowItems.get(row));
    }
  }
  group.box.replaceChildren(...items);
}

function open(group) {
  if (group.box)
    return;
  group.item.setAttribute("aria-expanded", "true");
  group.box = make("div");
  group.box.setAttribute("role", "group");
  fillBox(group);
  group.item.append(group.box);
}

function close(group) {
  if (!group.box)
    return;
  group.box.remove();
  group.box = null;
  group.item.setAttribute("aria-expanded", "false");
}

/// Brings a group's element in line with the rows that it shows.
function update(group) {
  group.item ||= makeGroup(group);
  if (group.share?.rows === group.shown)
    return;
  group.share?.elements.forEach((element) => element.remove());
  group.share = makeShare(group);
  group.item.firstChild.append(...group.share.elements);
  const times = group.count > 1 ? `, ${group.count} equal layers` : "";
  group.item.setAttribute("aria-label", `${group.name}${times}, ${group.share.size}`);
  if (group.box)
    fillBox(group);
}

const getFocusable = () => tree.querySelector("[role=treeitem][tabindex='0']");

function takeFocusAway() {
  const item = getFocusable();
  if (item)
    item.tabIndex = -1;
}

const rowsOfWhole = {};

/// Shows the groups that have rows that `keep` keeps; open ones stay open.
/// Where no filter is set, `whole` says which rows these are: they are found once.
function showGroups(keep, whole) {
  const cache = whole ? rowsOfWhole[whole] ||= new Map() : new Map();
  takeFocusAway();
  visibleGroups = [];
  const items = [];
  let name = null;
  for (const group of groups) {
    if (!cache.has(group.rows))
      cache.set(group.rows, group.rows.filter(keep));
    group.shown = cache.get(group.rows);
    if (!group.shown.length)
      continue;
    if (data.functions.length > 1 && group.function !== name) {
      name = group.function;
      items.push(make("div", "phase", `@${name}`));
    }
    update(group);
    items.push(group.item);
    visibleGroups.push(group);
  }
  tree.replaceChildren(...items);
  current = null;
  if (visibleGroups.length)
    visibleGroups[0].item.tabIndex = 0;
}

const getItems = () => [...tree.querySelectorAll("[role=treeitem]")];

function focusItem(item) {
  if (!item)
    return;
  takeFocusAway();
  item.tabIndex = 0;
  item.focus();
  current = item;
}

function select(item) {
  if (selected)
    selected.setAttribute("aria-selected", "false");
  selected = item;
  if (item)
    item.setAttribute("aria-selected", "true");
}

function activate(item) {
  if (item.group) {
    if (item.group.box)
      close(item.group);
    else
      open(item.group);
    select(item);
    showGroup(item.group);
    return;
  }
  select(item);
  showRow(item.parentGroup, item.row);
}

tree.addEventListener("click", (event) => {
  const item = event.target.closest("[role=treeitem]");
  if (!item)
    return;
  focusItem(item);
  activate(item);
});

function moveBy(step) {
  const items = getItems();
  const index = items.indexOf(current || getFocusable());
  focusItem(items[Math.max(0, Math.min(items.length - 1, index + step))]);
}

function goRight(item) {
  if (!item.group)
    return;
  if (item.group.box)
    focusItem(item.group.box.querySelector("[role=treeitem]"));
  else
    open(item.group);
}

function goLeft(item) {
  if (!item.group)
    focusItem(item.parentGroup.item);
  else
    close(item.group);
}

tree.addEventListener("keydown", (event) => {
  const item = event.target.closest("[role=treeitem]");
  if (!item || event.ctrlKey || event.metaKey || event.altKey)
    return;
  current = item;
  const actions = {
    ArrowDown: () => moveBy(1), ArrowUp: () => moveBy(-1), ArrowRight: () => goRight(item), ArrowLeft: () => goLeft(item),
    Home: () => focusItem(getItems()[0]), End: () => focusItem(getItems().pop()), " ": () => activate(item),
    Enter: () => {
      activate(item);
      if (item.row)
        why.focus();
    }};
  if (!(event.key in actions))
    return;
  event.preventDefault();
  actions[event.key]();
});

// Sums by format, as --assign-precision=summary counts: bytes of what is stored
// and of copies, FLOPs under the narrower format that a contraction reads.
function printBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit)
    bytes /= 1024;
  return `${bytes.toFixed(unit ? 1 : 0)} ${units[unit]}`;
}

function printCount(count) {
  const units = ["", "k", "M", "G", "T", "P", "E"];
  let unit = 0;
  for (; count >= 1000 && unit + 1 < units.length; ++unit)
    count /= 1000;
  return `${count.toFixed(unit ? 1 : 0)} ${units[unit]}`.trim();
}

function printTime(microseconds) {
  return microseconds >= 1000 ? `${(microseconds / 1000).toFixed(2)} ms` : `${microseconds.toFixed(1)} µs`;
}

function getTime(side) {
  const winner = side.choice && side.choice.candidates[side.choice.winner];
  return winner && winner.microseconds !== null ? winner.microseconds : null;
}

/// What one row adds to the sums, by format; computed when it is first asked for.
function getParts(row, sideIndex) {
  row.parts = row.parts || [];
  if (row.parts[sideIndex])
    return row.parts[sideIndex];
  const parts = row.parts[sideIndex] = [];
  const side = row.sides[sideIndex];
  if (!side)
    return parts;
  for (const {bytes, tag} of [...side.values, ...side.reads])
    if (bytes > 0)
      parts.push({format: tag.format, tensors: 1, bytes, flops: 0, time: null});
  const reads = side.reads.map((read) => formats.indexOf(read.tag.format));
  if (reads.length)
    parts.push({format: formats[Math.min(...reads)], tensors: 0, bytes: 0, flops: row.flops, time: getTime(side)});
  return parts;
}

const zeroSums = () => new Map(formats.map((format) => [format, {tensors: 0, bytes: 0, flops: 0, time: 0}]));
const sumsOfRows = new WeakMap();

/// Of rows once; summed up when they are first asked for.
function sumRows(rows, sideIndex) {
  if (!sumsOfRows.has(rows))
    sumsOfRows.set(rows, []);
  const known = sumsOfRows.get(rows);
  if (known[sideIndex])
    return known[sideIndex];
  const sums = zeroSums();
  let hasTime = false;
  for (const row of rows)
    for (const part of getParts(row, sideIndex)) {
      const sum = sums.get(part.format);
      sum.tensors += part.tensors;
      sum.bytes += part.bytes;
      sum.flops += part.flops;
      sum.time += part.time || 0;
      hasTime ||= part.time !== null;
    }
  return known[sideIndex] = {sums, hasTime};
}

/// By format: tensors, bytes, flops, microseconds; of `sets` of rows so many times.
function sumUp(sets, sideIndex) {
  const sums = zeroSums();
  let hasTime = false;
  for (const {rows, count} of sets) {
    const part = sumRows(rows, sideIndex);
    hasTime ||= part.hasTime;
    for (const [format, sum] of sums)
      for (const key in sum)
        sum[key] += part.sums.get(format)[key] * count;
  }
  return {sums, hasTime};
}

function makeTotalsTable(sets, sideIndex, caption) {
  const {sums, hasTime} = sumUp(sets, sideIndex);
  const whole = {bytes: 0, flops: 0, time: 0};
  for (const sum of sums.values())
    for (const key in whole)
      whole[key] += sum[key];
  const share = (part, total) => total > 0 ? `${(100 * part / total).toFixed(1)} %` : "–";
  const table = make("table", "totals");
  table.append(make("caption", "", caption));
  const head = make("tr");
  for (const title of ["format", "tensors", "bytes", "", "matmul FLOPs", "", ...(hasTime ? ["predicted time"] : [])])
    head.append(make("th", "", title));
  head.querySelectorAll("th").forEach((cell) => { cell.scope = "col"; });
  table.append(head);
  for (const [format, sum] of sums) {
    if (!sum.tensors && !sum.flops)
      continue;
    const row = make("tr");
    row.dataset.format = format;
    const label = make("td");
    label.append(makeChip(format));
    row.append(label, make("td", "number", String(sum.tensors)), make("td", "number bytes", printBytes(sum.bytes)),
      makeBar(format, sum.bytes, whole.bytes), make("td", "number flops", `${printCount(sum.flops)} (${share(sum.flops, whole.flops)})`),
      makeBar(format, sum.flops, whole.flops));
    if (hasTime)
      row.append(make("td", "number time", printTime(sum.time)));
    table.append(row);
  }
  const last = make("tr");
  last.append(make("td", "", "all"), make("td"), make("td", "number bytes", printBytes(whole.bytes)), make("td"),
    make("td", "number flops", printCount(whole.flops)), make("td"));
  if (hasTime)
    last.append(make("td", "number time", printTime(whole.time)));
  table.append(last);
  return table;
}

function makeBar(format, part, whole) {
  const cell = make("td", "bar");
  const bar = make("span");
  bar.style.width = `${whole > 0 ? 100 * part / whole : 0}%`;
  bar.style.background = `var(--${format}-bar)`;
  bar.title = format;
  cell.append(bar);
  return cell;
}

const sideName = (index) => `${bothSides ? "AB"[index] + ": " : ""}${data.sides[index].recipe}`;

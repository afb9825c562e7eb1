// A timeline as SVG: curves on top, then groups of rows with slices, flow arrows between them, and an axis of time.
// Its colours are readable on light and on dark ground, which it leaves as it is.

const kInk = '#737d87';
const kCurveColour = '#5b8fc7';
const kByKind = { collectives: '#5b5fc7', compute: '#2f7d4f', steps: '#6b6480', exposed: '#b4533c' };
const kByLink = ['#0f7b8a', '#b4531a', '#7a4fb5', '#4b7a1f', '#a33b6b', '#49698c'];

const kWidth = 1000;
const kLeft = 186; // of the time axis; names stand before it
const kRight = kWidth - 44;
const kGroupX = 12;
const kNameX = kLeft - 10;
const kTop = 34;
const kBar = 17;
const kGap = 3;
const kPadding = 6; // within a group, above and below
const kBetween = 8; // groups
const kCurve = 26;
const kCharacter = 5.9; // mean width at the size of labels

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const round = (value) => Math.round(value * 100) / 100;

function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024;
  return `${Number(bytes.toPrecision(4))} ${units[unit]}`;
}

// What may stand in a slice, best first: its name; on a link, where every slice bears the name of its step, what it
// carries.
function labelsOf(slice, kind) {
  if (kind !== 'link' || slice.chunk === null) return [slice.name];
  const last = slice.chunk + slice.atoms - 1;
  const numbers = last > slice.chunk ? `${slice.chunk}-${last}` : `${slice.chunk}`;
  const chunks = `chunk${last > slice.chunk ? 's' : ''} ${numbers}`;
  return [`${chunks} · ${formatBytes(slice.bytes)}`, chunks, numbers, ''];
}

// The first that fits, else what fits of the last.
function fit(labels, width) {
  const most = Math.floor((width - 6) / kCharacter);
  const found = labels.find((label) => label.length <= most);
  return found ?? (most < 4 ? '' : `${labels.at(-1).slice(0, most - 1).trimEnd()}…`);
}

// 1, 2 or 5 times a power of ten, so that a tick comes about every 80 points.
function tickStep(span) {
  const least = span / ((kRight - kLeft) / 80);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
}

export class Timeline {
  // Times in ns. groups: [{ name, rows: [{ name, ids, kind }] }]; a slice belongs to the row that has its track's id.
  constructor({ title, curves, groups, slices, flows }) {
    Object.assign(this, { title, curves, groups, flows });
    this.rowOf = new Map(groups.flatMap(({ rows }) => rows.flatMap((row) => row.ids.map((id) => [id, row]))));
    this.slices = new Map(slices.filter((slice) => this.rowOf.has(slice.track)).map((slice) => [slice.id, slice]));
    this.end = Math.max(1, ...slices.map((slice) => slice.end));
    const links = groups.flatMap(({ rows }) => rows).filter((row) => row.kind === 'link').map((row) => row.name);
    this.linkNames = [...new Set(links)].sort();
    this.#place();
  }

  svg() {
    const height = this.bottom + 34;
    const parts = [this.#ground(), this.#axis(), ...this.curves.map((curve) => this.#curve(curve)), this.#names(),
      ...[...this.slices.values()].map((slice) => this.#slice(slice)), ...this.flows.map((flow) => this.#flow(flow)),
      this.#key(height)];
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${kWidth} ${height}" width="${kWidth}"
  height="${height}" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="11" fill="${kInk}">
<title>${escape(this.title)}</title>
${parts.flat().filter(Boolean).join('\n')}
</svg>
`;
  }

  #place() {
    let y = kTop;
    for (const curve of this.curves) {
      curve.y = y;
      y += kCurve + kGap;
    }
    if (this.curves.length > 0) y += kBetween;
    for (const group of this.groups) {
      group.y = y;
      y += kPadding;
      for (const row of group.rows) {
        row.y = y;
        y += kBar + kGap;
      }
      y += kPadding - kGap;
      group.height = y - group.y;
      y += kBetween;
    }
    this.bottom = y;
  }

  #x(time) {
    return round(kLeft + (kRight - kLeft) * time / this.end);
  }

  #colour({ kind, name }) {
    return kind === 'link' ? kByLink[this.linkNames.indexOf(name) % kByLink.length] : kByKind[kind] ?? kInk;
  }

  #ground() {
    return [`<text x="${kGroupX}" y="20" font-size="13" font-weight="600">${escape(this.title)}</text>`,
      ...this.groups.map(({ y, height }) =>
        `<rect x="2" y="${y}" width="${kWidth - 4}" height="${height}" rx="5" fill="${kInk}" fill-opacity="0.1"/>`)];
  }

  #names() {
    const name = (text, y) => `<text x="${kNameX}" y="${y}" text-anchor="end">${escape(text)}</text>`;
    return [...this.curves.map((curve) => name(curve.name, curve.y + kCurve - 8)),
      ...this.groups.flatMap((group) => [
        `<text x="${kGroupX}" y="${group.y + kPadding + 12.5}" font-weight="600">${escape(group.name)}</text>`,
        ...group.rows.map((row) => name(row.name, row.y + 12.5))])];
  }

  #axis() {
    const step = tickStep(this.end / 1000);
    const parts = [];
    for (let us = 0; us <= this.end / 1000; us += step) {
      const x = this.#x(us * 1000);
      const label = `${Number(us.toPrecision(12))}${us ? '' : ' us'}`;
      parts.push(`<path d="M${x} ${kTop}V${this.bottom - 2}" stroke="${kInk}" stroke-opacity="0.3" stroke-width="0.7"/>`,
        `<text x="${x}" y="${this.bottom + 11}" text-anchor="middle">${label}</text>`);
    }
    return parts;
  }

  // As high as its largest value, which stands at its end.
  #curve({ y, name, samples }) {
    const most = Math.max(...samples.map(({ value }) => value));
    const base = y + kCurve;
    const height = (value) => round(base - (kCurve - 2) * value / (most || 1));
    const steps = samples.map(({ time, value }) => `H${this.#x(time)}V${height(value)}`).join('');
    const label = name.startsWith('bytes') ? formatBytes(most) : `${Number(most.toPrecision(3))} %`;
    const outline = `M${kLeft} ${base}${steps}H${kRight}V${base}Z`;
    return [`<path d="${outline}" fill="${kCurveColour}" fill-opacity="0.35" stroke="${kCurveColour}"/>`,
      `<text x="${kRight + 4}" y="${y + 10}" font-size="9.5">${label}</text>`];
  }

  #slice(slice) {
    const row = this.rowOf.get(slice.track);
    const x = this.#x(slice.start);
    if (row.kind === 'received') return ''; // drawn with the arrow that ends there
    const width = Math.max(this.#x(slice.end) - x - 0.7, 0.7);
    const bar = `<rect x="${x}" y="${row.y}" width="${round(width)}" height="${kBar}" rx="2" `
      + `fill="${this.#colour(row)}"><title>${escape(slice.name)}: ${slice.start / 1000} to ${slice.end / 1000} us</title></rect>`;
    const label = fit(labelsOf(slice, row.kind), width);
    if (!label) return bar;
    const centre = round(x + width / 2);
    return `${bar}<text x="${centre}" y="${row.y + 12.5}" text-anchor="middle" fill="#fff">${escape(label)}</text>`;
  }

  // From the end of one slice to the start of the other, bent to the right: both are at nearly the same time.
  #flow({ from, to }) {
    const [out, into] = [this.slices.get(from), this.slices.get(to)];
    if (!out || !into) return '';
    const [source, target] = [this.rowOf.get(out.track), this.rowOf.get(into.track)];
    const colour = this.#colour(source);
    const [x1, y1, x2] = [this.#x(out.end), source.y + kBar / 2, this.#x(into.start)];
    const y2 = target.y + kBar / 2 + (source.y < target.y ? -4 : 4); // two may arrive at once, from both sides
    const bend = 10 + Math.abs(y2 - y1) / 8;
    const line = `M${x1} ${y1}C${round(x1 + bend)} ${y1} ${round(x2 + 4 + bend)} ${y2} ${round(x2 + 4)} ${y2}`;
    return `<path d="${line}" fill="none" stroke="#fff" stroke-opacity="0.25" stroke-width="3"/>`
      + `<path d="${line}" fill="none" stroke="${colour}" stroke-width="1.3"/>`
      + `<path d="M${x2} ${y2}l7 -3.5v7z" fill="${colour}"/>`;
  }

  #key(height) {
    return `<text x="${kLeft}" y="${height - 4}" font-size="10">An arrow leads from where a message leaves to where `
      + 'it is received. The curves are the whole fabric\u2019s, their largest values beside them.</text>';
  }
}

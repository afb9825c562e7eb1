// Where a fabric's nodes and links lie. Every layout is a list of panels, {caption, width, height, nodes, links}:
// nodes {node, x, y}, links {link, path}, a path being that of an SVG element.

const kCell = 46; // from chip to chip
const kNode = 7; // half a chip
const kAside = 3.2; // of a link from the middle: its other direction is on the other side
const kMargin = 36;
const kRowWidth = 960; // of chips below their switches, where they are many
const kLetter = 5.4; // width of one, at most, of a label

// A line from a to b, aside to its right, from the one's rim to the other's.
function straight(a, b, rim = kNode) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const [sx, sy] = [-uy * kAside, ux * kAside];
  return `M${point(a.x + ux * rim + sx, a.y + uy * rim + sy)}L${point(b.x - ux * rim + sx, b.y - uy * rim + sy)}`;
}

const point = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;

export function linksOf({ links }) {
  return links.from.map((from, i) => ({
    from,
    to: links.to[i],
    name: links.name[i],
    share: links.utilization[i],
    busy: links.busy_s[i],
    wraps: Boolean(links.wraps[i]),
    members: links.members?.[i],
  }));
}

const kNames = 'xyzw'; // of dimensions, as links have them

// Several slices, counted by the first dimension.
const hasSwitches = ({ nodes }) => nodes.some(({ chip }) => !chip);

// The dimension that a link between chips goes along, which way, and whether around: from its name, "(1,0,2) x+",
// else from its ends.
function direction(link, fabric) {
  const [from, to] = [fabric.nodes[link.from].at, fabric.nodes[link.to].at];
  const steps = fabric.shape.map((size, d) => to[d] - from[d]);
  const named = /\s([a-z])([+-])$/.exec(link.name);
  const along = named ? kNames.indexOf(named[1]) : -1;
  if (along >= 0 && along < steps.length)
    return { along, sign: named[2] === '+' ? 1 : -1, around: link.wraps || Math.abs(steps[along]) > 1 };
  const longest = Math.max(...steps.map(Math.abs));
  const d = steps.findIndex((step) => Math.abs(step) === longest);
  return { along: d, sign: Math.sign(steps[d]) * (longest > 1 ? -1 : 1), around: longest > 1 };
}

// Chips by their coordinates; with switches, which have none, the slices that they join.
export const isGrid = (fabric) =>
  fabric.kind === 'grid' &&
  fabric.shape.length <= 4 &&
  fabric.nodes.every(({ chip, at }) => !chip || at?.length === fabric.shape.length);

// A ring is a circle; a line of chips is a line.
function ringPanel(fabric, along) {
  const count = fabric.shape[along];
  const radius = Math.max(70, (count * 26) / (2 * Math.PI));
  const middle = radius + kMargin + 8;
  const nodes = fabric.nodes.map((node, index) => {
    const turn = (2 * Math.PI * node.at[along]) / count - Math.PI / 2;
    return { node: index, x: middle + radius * Math.cos(turn), y: middle + radius * Math.sin(turn), turn };
  });
  return { width: 2 * middle, height: 2 * middle, nodes, links: linksBetween(fabric, nodes), round: true };
}

function linksBetween(fabric, places) {
  const at = new Map(places.map((place) => [place.node, place]));
  return linksOf(fabric).map((link) => ({ link, path: straight(at.get(link.from), at.get(link.to)) }));
}

function stub(place, dx, dy, into) {
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const turn = into ? -1 : 1;
  const [sx, sy] = [-uy * kAside * turn, ux * kAside * turn];
  const start = point(place.x + ux * kNode + sx, place.y + uy * kNode + sy);
  return `M${start}L${point(place.x + dx + sx, place.y + dy + sy)}`;
}

// Which way each dimension of a panel goes: across, down; the others, to other panels, aslant.
const kAcross = [1, 0];
const kDown = [0, 1];
const kAslant = [
  [0.62, -0.62],
  [-0.62, -0.62],
  [0.62, 0.62],
];

function directions(flat, deep) {
  const ways = new Map();
  flat.forEach((d, i) => ways.set(d, [kAcross, kDown][i]));
  deep.forEach((d, i) => ways.set(d, kAslant[i]));
  return ways;
}

const kOutside = [-0.62, 0.62]; // to and from the switches that join slices

function gridLink(link, fabric, panel, ways, flat) {
  const [from, to] = [panel.at.get(link.from), panel.at.get(link.to)];
  if (!from && !to) return [];
  const far = 0.42 * kCell;
  const out = (place, [dx, dy], into) => ({ link, path: stub(place, dx * far, dy * far, into) });
  if (!fabric.nodes[link.from].chip || !fabric.nodes[link.to].chip) return [out(from ?? to, kOutside, !from)];
  const { along, sign, around } = direction(link, fabric);
  const way = ways.get(along).map((part) => part * sign);
  if (!flat.includes(along)) return from ? [out(from, way, false)] : [];
  if (from && to && !around) return [{ link, path: straight(from, to) }];
  const back = way.map((part) => -part);
  return [from ? out(from, way, false) : null, to ? out(to, back, true) : null].filter(Boolean);
}

// Coordinates along the rims, beyond the stubs of links that wrap around: {text, x, y}.
function gridTicks(across, down = 0) {
  const along = (count, place) =>
    Array.from({ length: count }, (_, i) => ({ text: String(i), ...place(kMargin + i * kCell) }));
  return [...along(across, (x) => ({ x, y: kMargin - 24 })), ...along(down, (y) => ({ x: kMargin - 27, y: y + 3 }))];
}

function gridPanel(fabric, members, flat, deep) {
  const nodes = members.map((index) => {
    const { at } = fabric.nodes[index];
    return {
      node: index,
      x: kMargin + at[flat[0]] * kCell,
      y: kMargin + (flat.length > 1 ? at[flat[1]] * kCell : 0),
    };
  });
  const panel = { nodes, at: new Map(nodes.map((place) => [place.node, place])), links: [] };
  const ways = directions(flat, deep);
  for (const link of linksOf(fabric)) panel.links.push(...gridLink(link, fabric, panel, ways, flat));
  const axes = flat.map((d, i) => `${kNames[d]} ${'→↓'[i]}`);
  const place = deep.map(
    (d) => `${hasSwitches(fabric) && d === 0 ? 'slice' : kNames[d]} = ${fabric.nodes[members[0]].at[d]}`,
  );
  const [across, down] = flat.map((d) => fabric.shape[d]);
  return {
    ...panel,
    caption: [...place, ...axes].join('  '),
    ticks: gridTicks(across, down),
    width: 2 * kMargin + (across - 1) * kCell,
    height: 2 * kMargin + ((down ?? 1) - 1) * kCell,
  };
}

export function gridPanels(fabric) {
  const sliced = hasSwitches(fabric);
  const dimensions = fabric.shape.map((size, d) => d).filter((d) => fabric.shape[d] > 1 && !(sliced && d === 0));
  const linear = dimensions.length <= 1;
  const [along = fabric.shape.length - 1] = dimensions;
  if (linear && !sliced && fabric.wrap[along] && fabric.shape[along] > 2) return [ringPanel(fabric, along)];
  const flat = linear ? [along] : dimensions.slice(0, 2);
  const deep = [...dimensions.slice(2), ...(sliced ? [0] : [])];
  const planes = new Map();
  fabric.nodes.forEach(({ chip, at }, index) => {
    if (!chip) return;
    const key = [...deep]
      .reverse()
      .map((d) => String(at[d]).padStart(4, '0'))
      .join();
    if (!planes.has(key)) planes.set(key, []);
    planes.get(key).push(index);
  });
  return [...planes]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([, members]) => gridPanel(fabric, members, flat, deep));
}

// Of every node: chips 0, switches as far above as they are away. Where chips have several, those of fewer chips (of
// a node, say) lie below them, at -1.
export function levels(fabric) {
  const level = fabric.nodes.map(({ chip }) => (chip ? 0 : null));
  const links = linksOf(fabric);
  for (let depth = 0; level.includes(null); depth += 1) {
    const found = links.filter(({ from, to }) => level[from] === depth && level[to] === null).map(({ to }) => to);
    if (!found.length) return level.map((one) => one ?? depth + 1);
    for (const node of found) level[node] = depth + 1;
  }
  for (const node of innerSwitches(level, links)) level[node] = -1;
  return level;
}

// Switches each of whose chips has another one, too, that spans more.
function innerSwitches(level, links) {
  const chips = new Map();
  const switches = new Map();
  for (const { from, to } of links) {
    if (level[from] !== 0 || level[to] !== 1) continue;
    chips.set(to, [...(chips.get(to) ?? []), from]);
    switches.set(from, [...(switches.get(from) ?? []), to]);
  }
  const span = (node) => Math.max(...chips.get(node)) - Math.min(...chips.get(node));
  const isInner = (node) =>
    chips.get(node).every((chip) => switches.get(chip).some((other) => span(other) > span(node)));
  return [...chips.keys()].filter(isInner);
}

function layeredPlaces(fabric) {
  const level = fabric.levels ?? levels(fabric);
  const chips = level.filter((one) => one === 0).length;
  const gap = Math.min(64, Math.max(20, kRowWidth / chips));
  const rise = Math.min(120, 46 + chips);
  const top = Math.max(...level);
  const width = Math.max((chips - 1) * gap, 160);
  const places = new Map();
  const put = (node, x, depth) => places.set(node, { node, x: kMargin + x, y: kMargin + (top - depth) * rise });
  let next = 0;
  level.forEach((depth, node) => {
    if (depth === 0) put(node, ((next += 1) - 0.5) * (width / chips), 0);
  });
  const below = level.includes(-1) ? 1 : 0;
  if (below) placeSwitches(fabric, level, -1, places, put, width);
  for (let depth = 1; depth <= top; depth += 1) placeSwitches(fabric, level, depth, places, put, width);
  return { places, width: width + 2 * kMargin, height: (top + below) * rise };
}

// In the order of what lies below them, evenly apart where many lie above the same.
function placeSwitches(fabric, level, depth, places, put, width) {
  const below = new Map();
  for (const { from, to } of linksOf(fabric))
    if (level[to] === depth && level[from] === Math.max(0, depth - 1))
      below.set(to, [...(below.get(to) ?? []), places.get(from).x - kMargin]);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const order = [...below].map(([node, xs]) => ({ node, x: mean(xs) })).sort((a, b) => a.x - b.x || a.node - b.node);
  const crowded = order.length > 1 && order.at(-1).x - order[0].x < (0.7 * width * (order.length - 1)) / order.length;
  order.forEach(({ node, x }, i) => put(node, crowded ? ((i + 0.5) / order.length) * width : x, depth));
}

// Between two of a row: below it if they are chips, else above.
function arc(a, b, down) {
  const deep = (14 + Math.min(90, Math.abs(b.x - a.x) * 0.35)) * down;
  const [turn, side] = b.x > a.x ? [1, 0] : [-1, kAside];
  const y = a.y + kNode * down;
  const control = { x: (a.x + b.x) / 2, y: y + deep + 2 * side * down };
  const path = `M${point(a.x + turn * 3, y)}Q${point(control.x, control.y)} ${point(b.x - turn * 3, y)}`;
  return { path, reach: (y + control.y) / 2 };
}

const isBetween = (place, a, b) =>
  Math.abs(place.y - a.y) < 1 && (place.x - a.x) * (place.x - b.x) < 0 && place !== a && place !== b;

// {path, reach}: how far up or down the link comes.
function layerLink(a, b, all, chips) {
  const isRow = Math.abs(a.y - b.y) <= 1;
  if (isRow && (chips || all.some((place) => isBetween(place, a, b)))) return arc(a, b, chips ? 1 : -1);
  return { path: straight(a, b), reach: a.y };
}

// Names beside what they name, of each row those that have room: {text, x, y}; above switches, but for
// those below the chips.
function layerLabels(fabric, places) {
  const row = Math.max(...places.filter(({ node }) => fabric.nodes[node].chip).map(({ y }) => y));
  const taken = new Map();
  const labels = [];
  for (const { node, x, y } of [...places].sort((a, b) => a.x - b.x)) {
    const { name, chip } = fabric.nodes[node];
    const half = (name.length * kLetter) / 2;
    if (x - half < (taken.get(y) ?? -Infinity)) continue;
    taken.set(y, x + half + 6);
    labels.push({ text: name, x, y: chip ? y + 17 : y > row ? y + 19 : y - 13, half });
  }
  return labels;
}

export function layerPanel(fabric) {
  const { places, width, height } = layeredPlaces(fabric);
  const all = [...places.values()];
  const drawn = linksOf(fabric).map((link) => {
    const [a, b] = [places.get(link.from), places.get(link.to)];
    return { link, ...layerLink(a, b, all, fabric.nodes[link.from].chip) };
  });
  const labels = layerLabels(fabric, all);
  const reaches = [0, kMargin + height, ...drawn.map(({ reach }) => reach), ...labels.map(({ y }) => y)];
  const left = Math.min(0, ...labels.map(({ x, half }) => x - half - 4));
  const right = Math.max(width, ...labels.map(({ x, half }) => x + half + 4));
  const top = Math.min(0, Math.min(...reaches) - 12);
  const bottom = Math.max(...reaches) + 16;
  return { left, top, width: right - left, height: bottom - top, nodes: all, links: drawn, labels };
}

// Without switches: all on a circle.
export function circlePanel(fabric) {
  const count = fabric.nodes.length;
  const radius = Math.max(90, (count * 26) / (2 * Math.PI));
  const middle = radius + kMargin + 8;
  const nodes = fabric.nodes.map((_, node) => {
    const turn = (2 * Math.PI * node) / count - Math.PI / 2;
    return { node, x: middle + radius * Math.cos(turn), y: middle + radius * Math.sin(turn), turn };
  });
  return { width: 2 * middle, height: 2 * middle, nodes, links: linksBetween(fabric, nodes), round: true };
}

export function layOut(fabric) {
  if (isGrid(fabric)) return gridPanels(fabric);
  return [fabric.nodes.some(({ chip }) => !chip) ? layerPanel(fabric) : circlePanel(fabric)];
}

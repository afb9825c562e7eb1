// What a sweep varies, as axes of a chart: keys that move together are one, named by the key that tells most.

export const distinct = (values) => [...new Set(values)];

// The key of an axis that people know its values by: not one that says how much work there is, if another does; one
// whose values tell the most apart; of the machine.
function leadOf(sweep, members) {
  const { keys, points } = sweep;
  const rank = (i) => [!keys[i].work, distinct(points.map(({ labels }) => labels[i])).length, isOfMachine(keys[i])];
  return members.reduce((best, i) => (compare(rank(i), rank(best)) > 0 ? i : best));
}

const isOfMachine = ({ path }) => path.startsWith('machine.');

export function compare(one, other) {
  const at = one.findIndex((value, i) => Number(value) !== Number(other[i]));
  return at < 0 ? 0 : Number(one[at]) - Number(other[at]);
}

// The places of keys that move together, in the order of the keys.
function groupsOf({ keys, result }) {
  const groups = [];
  keys.forEach(({ path }, i) => {
    const zip = result.zip?.find((paths) => paths.includes(path)) ?? path;
    const known = groups.find((group) => group.zip === zip);
    if (known) known.members.push(i);
    else groups.push({ zip, members: [i] });
  });
  return groups.map(({ members }) => members);
}

// Where the sweep has what a point has of `members`; points come in another order where other keys change first.
function placeIn({ keys, result }, members) {
  const paths = members.map((i) => keys[i].path);
  const places = new Map();
  const lists = paths.map((path) => result.axes[path] ?? []);
  lists[0].forEach((_, i) => {
    const id = JSON.stringify(lists.map((list) => list[i]));
    if (!places.has(id)) places.set(id, i);
  });
  return ({ parameters }) => places.get(JSON.stringify(paths.map((path) => parameters[path]))) ?? 0;
}

// {keys, lead, label, numeric, unit, values: [{label, number}], at: by point, the place of its value in `values`}
function axisOf(sweep, members) {
  const { keys, points } = sweep;
  const lead = leadOf(sweep, members);
  const whole = ({ labels }) => members.map((i) => labels[i]).join('\n');
  const enough = distinct(points.map(({ labels }) => labels[lead])).length === distinct(points.map(whole)).length;
  const others = members.filter((i) => i !== lead);
  const says = ({ labels }) =>
    enough ? labels[lead] : `${labels[lead]} (${others.map((i) => `${keys[i].label} ${labels[i]}`).join(', ')})`;
  const seen = new Map(points.map((point) => [whole(point), point]));
  const numeric = keys[lead].numeric && enough;
  const { path } = keys[lead];
  const values = [...seen].map(([id, point]) => ({ id, point, label: says(point), number: point.parameters[path] }));
  const place = placeIn(sweep, members);
  values.sort(numeric ? (a, b) => a.number - b.number : (a, b) => place(a.point) - place(b.point));
  const places = new Map(values.map(({ id }, place) => [id, place]));
  const at = points.map((point) => places.get(whole(point)));
  return { keys: members, lead, label: keys[lead].label, numeric, unit: keys[lead].unit, values, at };
}

// How many values of an axis there are within one work, at most: 1 where it only tells works apart.
function spread(axis, points) {
  const works = new Map();
  points.forEach(({ work }, i) => works.set(work, (works.get(work) ?? new Set()).add(axis.at[i])));
  return Math.max(...[...works.values()].map((values) => values.size));
}

export function axesOf(sweep) {
  const axes = groupsOf(sweep).map((members) => axisOf(sweep, members));
  const varied = axes.filter(({ values }) => values.length > 1);
  return (varied.length ? varied : axes.slice(0, 1)).map((axis) => ({ ...axis, spread: spread(axis, sweep.points) }));
}

// Whether points that have the same values of `shown` have the same of `axis`.
export function isDetermined(axis, shown) {
  if (shown.includes(axis)) return true;
  const seen = new Map();
  return axis.at.every((value, i) => {
    const here = shown.map(({ at }) => at[i]).join();
    if (!seen.has(here)) seen.set(here, value);
    return seen.get(here) === value;
  });
}

// Which of `axes` have to be held, or told apart by series, where `shown` are on the chart.
export function openAxes(axes, shown) {
  const open = [];
  for (const axis of axes) if (!isDetermined(axis, [...shown, ...open])) open.push(axis);
  return open.filter((axis) => !isDetermined(axis, [...shown, ...open.filter((other) => other !== axis)]));
}

export const kMostSeries = 12;
export const kAll = null;

const seriesAt = (axes, i) => axes.map(({ at }) => at[i]).join();

// What the open axes are held at: all of their values while series are few, else those of the point `best`.
// Without series nothing tells them apart.
export function firstHeld(axes, x, by, best) {
  const held = new Map();
  if (by) held.set(by, kAll);
  for (const axis of openAxes(axes, by ? [x, by] : [x])) {
    const series = [...held.keys()].filter((other) => held.get(other) === kAll);
    const all = by && distinct(x.at.map((_, i) => seriesAt([...series, axis], i))).length <= kMostSeries;
    held.set(axis, all ? kAll : axis.at[best]);
  }
  held.delete(by);
  return held;
}

export const isShown = (held, i) => [...held].every(([axis, value]) => value === kAll || axis.at[i] === value);

// Sizes and the like along an axis say more than a few words would: from twice as many values on.
function firstAlong(axes) {
  const rank = (axis) => [axis.spread, axis.numeric, axis.values.length];
  const most = axes.reduce((top, axis) => (compare(rank(axis), rank(top)) > 0 ? axis : top));
  if (most.numeric) return most;
  const amounts = axes.filter((axis) => axis.numeric && axis.values.length >= 2 * most.values.length);
  return amounts.length ? amounts.reduce((top, axis) => (axis.values.length > top.values.length ? axis : top)) : most;
}

// The axes to open on: those that show the most points; of them what varies most within a work along the axis, and
// works as series.
export function firstChoice(axes, best) {
  const along = firstAlong(axes);
  let choice = null;
  for (const x of axes) {
    const others = axes.filter((axis) => !isDetermined(axis, [x]));
    for (const by of others.length ? others : [null]) {
      const held = firstHeld(axes, x, by, best);
      const shown = x.at.filter((_, i) => isShown(held, i)).length;
      const works = x.spread === 1 || by?.spread === 1;
      const series = by ? [by.values.length <= kMostSeries, works, by.values.length] : [0, 0, 0];
      const rank = [shown, x === along, x.spread, ...series];
      if (!choice || compare(rank, choice.rank) > 0) choice = { x, by, held, rank };
    }
  }
  return choice;
}

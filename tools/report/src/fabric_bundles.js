// Large networks of switches, made small enough to be drawn: the chips of a node are one, switches that join the same
// of what lies below them are one, and so are the links between two such.
import { levels, linksOf } from './fabric_layout.js';

const kMostChips = 32;

export const needsBundles = ({ nodes }) => nodes.filter(({ chip }) => chip).length > kMostChips;

// For each chip the switch that is its node's: one below it if there is, else that of the fewest chips.
function homes(fabric, links, level) {
  const chips = new Map();
  for (const { from, to } of links)
    if (fabric.nodes[from].chip && !fabric.nodes[to].chip) chips.set(to, (chips.get(to) ?? 0) + 1);
  const rank = (node) => (level[node] < 0 ? 0 : chips.get(node));
  const home = new Map();
  for (const { from, to } of links)
    if (fabric.nodes[from].chip && chips.has(to) && !(home.has(from) && rank(home.get(from)) <= rank(to)))
      home.set(from, to);
  return home;
}

// The group of every node: by its home, or its level and the groups below it.
function groupsOf(fabric, level) {
  const links = linksOf(fabric);
  const home = homes(fabric, links, level);
  const group = fabric.nodes.map(({ chip }, node) => (chip ? `of ${home.get(node) ?? `itself ${node}`}` : null));
  const below = new Map();
  for (const { from, to } of links) below.set(to, [...(below.get(to) ?? []), from]);
  const place = (depth) =>
    level.forEach((one, node) => {
      if (one !== depth || fabric.nodes[node].chip) return;
      const under = (below.get(node) ?? []).filter((other) => level[other] === Math.max(0, depth - 1));
      group[node] = `${depth}: ${[...new Set(under.map((other) => group[other]))].sort().join()}`;
    });
  for (let depth = Math.min(...level); depth <= Math.max(...level); depth += 1) place(depth);
  return group;
}

function groupName(members) {
  if (members.length === 1) return members[0].name;
  const [first, last] = [members[0].name, members.at(-1).name];
  const word = /^([a-z]+ )\d+$/.exec(first)?.[1];
  return word && last.startsWith(word) ? `${word.trim()}es ${first.slice(word.length)} to ${last.slice(word.length)}`
    : `${first} to ${last}`;
}

// A fabric of the groups; its links have {members: [link]}, are as busy as their busiest, and its nodes {count};
// `levels` are those of the fabric.
export function bundled(fabric) {
  const level = levels(fabric);
  const group = groupsOf(fabric, level);
  const names = [...new Set(group)];
  const index = new Map(names.map((name, i) => [name, i]));
  const members = names.map(() => []);
  group.forEach((name, node) => members[index.get(name)].push(fabric.nodes[node]));
  const bundles = new Map();
  for (const link of linksOf(fabric)) {
    const [from, to] = [link.from, link.to].map((node) => index.get(group[node]));
    const key = `${from} ${to}`;
    bundles.set(key, { from, to, members: [...(bundles.get(key)?.members ?? []), link] });
  }
  const all = [...bundles.values()];
  const most = (key) => all.map((bundle) => Math.max(...bundle.members.map((link) => link[key])));
  return {
    ...fabric,
    levels: names.map((name) => level[group.indexOf(name)]),
    nodes: members.map((nodes) => ({ name: groupName(nodes), chip: nodes[0].chip, count: nodes.length, at: null })),
    links: {
      from: all.map(({ from }) => from),
      to: all.map(({ to }) => to),
      name: all.map((bundle) => bundle.members[0].name),
      utilization: most('share'),
      busy_s: most('busy'),
      wraps: all.map(() => false),
      members: all.map((bundle) => bundle.members),
    },
  };
}

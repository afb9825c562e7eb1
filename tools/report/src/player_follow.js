// Where the data of one cell came from, and where it goes: the messages on its way. Pure: no page.

// Messages that carry the atom within the group of `actor`, in the order they are taken in.
function carriers(state, actor, atom) {
  const { actors, messages, chunks } = state.player;
  const carries = chunks.map((_, chunk) => state.chunkAtoms[chunk].includes(atom));
  const all = [];
  for (let m = 0; m < messages.chunk.length; m += 1)
    if (carries[messages.chunk[m]] && actors[messages.to[m]].group === actors[actor].group) all.push(m);
  return all;
}

// What made the cell what it is: backwards, each message as the sender's data when it was sent.
function before(state, all, actor, takenBefore) {
  const { from, to, op, after } = state.player.messages;
  const found = new Set();
  const back = (receiver, limit) => {
    for (let i = all.length; i-- > 0;) {
      const m = all[i];
      if (m >= limit || to[m] !== receiver) continue;
      if (found.has(m)) return;
      found.add(m);
      back(from[m], after[m]);
      if (op[m] === 0) return; // what was there before is gone
    }
  };
  back(actor, takenBefore);
  return found;
}

// What comes of it: every message that is sent from where it is, while it is there.
function since(state, all, actor, takenBefore) {
  const { from, to, after, op } = state.player.messages;
  const held = new Map([[actor, all.reduce((last, m) => (to[m] === actor && m < takenBefore ? m + 1 : last), 0)]]);
  const found = new Set();
  for (const m of all) {
    const sentHere = held.has(from[m]) && after[m] >= held.get(from[m]);
    if (sentHere) {
      found.add(m);
      if (!held.has(to[m])) held.set(to[m], m + 1);
    } else if (op[m] === 0 && held.has(to[m]) && to[m] !== actor && m >= held.get(to[m])) {
      held.delete(to[m]); // replaced by other data
    }
  }
  return found;
}

const farthest = (ways) => ways.reduce((most, way) => (way.hops > (most?.hops ?? 0) ? way : most), null);

// One way through the cell: back by what was taken in last, on by what goes farthest. In order.
function mainWay(state, actor, came, goes) {
  const { from, to, after } = state.player.messages;
  const back = [];
  for (let at = actor, limit = Infinity, i = came.length; i-- > 0;) {
    const m = came[i];
    if (to[m] !== at || m >= limit) continue;
    back.unshift(m);
    [at, limit] = [from[m], after[m]];
  }
  const on = [];
  const best = new Map(); // by message: the longest way that begins with it; the last messages first
  for (let i = goes.length; i-- > 0;) {
    const m = goes[i];
    const next = goes.slice(i + 1).filter((other) => from[other] === to[m] && after[other] > m);
    const long = farthest(next.map((other) => best.get(other)));
    best.set(m, { m, hops: (long?.hops ?? 0) + 1, next: long });
  }
  const starts = goes.filter((m) => from[m] === actor).map((m) => best.get(m));
  for (let at = farthest(starts); at; at = at.next) on.push(at.m);
  return [...back, ...on];
}

// At the step the state is at. `messages` in the order they are taken; `actors`: those that have it at some time;
// `main`: the messages of one way through it.
export function follow(state, actor, atom) {
  const all = carriers(state, actor, atom);
  const takenBefore = state.messageEnd[state.position];
  const came = before(state, all, actor, takenBefore);
  const goes = since(state, all, actor, takenBefore);
  const { from, to } = state.player.messages;
  const order = (set) => [...set].sort((a, b) => a - b);
  const actors = new Set([actor]);
  for (const m of [...came, ...goes]) actors.add(from[m]).add(to[m]);
  const [past, future] = [order(came), order(goes)];
  const main = mainWay(state, actor, past, future);
  return { actor, atom, step: state.position, came: past, goes: future, actors, main };
}

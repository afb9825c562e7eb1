// player_state.mjs: what every chip holds, step by step, from messages made up by hand. Needs no browser.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock } from '../../tools/report/src/player_clock.js';
import { follow } from '../../tools/report/src/player_follow.js';
import { Layout } from '../../tools/report/src/player_layout.js';
import { PlayerState } from '../../tools/report/src/player_state.js';
import { cellText, followText, promiseText, stepText } from '../../tools/report/src/player_text.js';
import { stateAt } from '../../tools/report/src/player_view.js';

// `rows`: [from, to, op, atom, start, delivered, after], taken when delivered unless an eighth says else.
function player(operation, chips, { origin, shard, kind = 'shard', columns = chips, rows, times, ...more }) {
  const names = Array.from({ length: chips }, (_, i) => ({ name: `(${i})`, chip: true, group: 0 }));
  const column = (pick) => rows.map(pick);
  return {
    operation,
    title: `${operation} over X`,
    complete: true,
    actors: names,
    groups: [names.map((_, i) => i)],
    slots: { kind, count: columns, pieces: 1 },
    atoms: { origin, shard, piece: shard.map(() => 0) },
    times_s: times,
    chunks: shard.map((_, atom) => ({ bytes: 8, atoms: [atom, 1] })),
    messages: {
      from: column((r) => r[0]),
      to: column((r) => r[1]),
      op: column((r) => r[2]),
      chunk: column((r) => r[3]),
      hops: column(() => 1),
      posted: column((r) => r[4]),
      start: column((r) => r[4]),
      delivered: column((r) => r[5]),
      taken: column((r) => r[7] ?? r[5]),
      after: column((r) => r[6]),
    },
    ...more,
  };
}

// Sums of two chips, each with shards 0 and 1; each shard goes to its owner, then back whole.
const kTwo = player('all_reduce', 2, {
  origin: [-1, -1],
  shard: [0, 1],
  times: [0, 1, 2],
  rows: [
    [1, 0, 1, 0, 0, 1, 0],
    [0, 1, 1, 1, 0, 1, 0],
    [0, 1, 0, 0, 1, 2, 1],
    [1, 0, 0, 1, 1, 2, 2],
  ],
});

const origins = (state, step) => {
  const layout = new Layout(state, 600);
  return stateAt(state, layout, step).map(({ slots }) =>
    slots.map(({ atoms }) => atoms.flatMap((atom) => atom.origins)),
  );
};

test('an AllReduce of two: own data, then sums where they are made, then sums everywhere', () => {
  const state = new PlayerState(kTwo);
  assert.equal(state.steps, 2);
  assert.deepEqual(state.stepTime, [0, 1, 2]);
  const [a, b, ab] = [['(0)'], ['(1)'], ['(0)', '(1)']];
  assert.deepEqual(origins(state, 0), [
    [a, a],
    [b, b],
  ]);
  assert.deepEqual(origins(state, 1), [
    [ab, a],
    [b, ab],
  ]);
  assert.deepEqual(origins(state, 2), [
    [ab, ab],
    [ab, ab],
  ]);
  assert.deepEqual(
    origins(state, 0),
    [
      [a, a],
      [b, b],
    ],
    'back again',
  );
  assert.equal(state.finallyMissing, null);
  assert.match(promiseText(state), /every chip ends with the sum of all/);
  state.seek(1);
  assert.deepEqual(state.promise, { promised: 4, kept: 2 });
  assert.equal(
    stepText(state),
    'step 1 of 2, 1 s: chip (0) receives shard 0 from chip (1), now the sum of all 2; ' +
      'chip (1) receives shard 1 from chip (0), now the sum of all 2',
  );
  assert.deepEqual(cellText(state, 0, 0), ['shard 0 on chip (0)', 'sum of 2 of 2: all 2 chips']);
  assert.deepEqual(cellText(state, 1, 0), [
    'shard 0 on chip (1)',
    'sum of 1 of 2: (1)',
    'sent on: its sum goes on elsewhere',
  ]);
});

test('what is added twice, or missing, breaks the promise', () => {
  const twice = structuredClone(kTwo);
  for (const [key, value] of Object.entries({
    from: 1,
    to: 0,
    op: 1,
    chunk: 0,
    hops: 1,
    posted: 0,
    start: 0,
    delivered: 1,
    taken: 1,
    after: 0,
  }))
    twice.messages[key].splice(1, 0, value);
  twice.messages.after = [0, 0, 0, 2, 3];
  const state = new PlayerState(twice);
  assert.deepEqual(state.finallyMissing, { actor: 0, atom: 0 });
  assert.match(promiseText(state), /chip \(0\) lacks shard 0 that all_reduce promises/);
  state.seek(1);
  assert.ok(cellText(state, 0, 0).includes('something was added twice'));

  const short = structuredClone(kTwo);
  for (const column of Object.values(short.messages)) column.pop();
  assert.deepEqual(new PlayerState(short).finallyMissing, { actor: 0, atom: 1 });
});

test('a message carries what its sender held when it was sent, not what came since', () => {
  // Chip 1 sends its own at once; that of chip 0 has arrived before the message of chip 1 does.
  const state = new PlayerState(
    player('all_reduce', 2, {
      origin: [-1],
      shard: [0],
      columns: 1,
      times: [0, 1, 2],
      rows: [
        [0, 1, 1, 0, 0, 1, 0],
        [1, 0, 1, 0, 0, 2, 0],
      ],
    }),
  );
  assert.equal(state.finallyMissing, null);
  assert.deepEqual(origins(state, 1), [[['(0)']], [['(0)', '(1)']]]);
});

test('an AllToAll: blocks leave their column, pass, and stand in that of their origin', () => {
  // Block 0 to 2 by way of 1, on a line of three.
  const grid = [0, 1, 2].flatMap((from) => [0, 1, 2].map((to) => [from, to]));
  const state = new PlayerState(
    player('all_to_all', 3, {
      origin: grid.map(([from]) => from),
      shard: grid.map(([, to]) => to),
      kind: 'block',
      times: [0, 1, 2],
      rows: [
        [0, 1, 0, 2, 0, 1, 0],
        [1, 2, 0, 2, 1, 2, 1],
      ],
    }),
  );
  const layout = new Layout(state, 600);
  const places = (step) =>
    stateAt(state, layout, step).map(({ slots, passing }) => ({
      slots: slots.map(({ atoms }) => atoms.map(({ atom }) => atom)),
      passing: passing.map(({ atom }) => atom),
    }));
  assert.deepEqual(places(0)[0], { slots: [[0], [1], [2]], passing: [] });
  assert.deepEqual(places(1)[0].slots, [[0], [1], []]);
  assert.deepEqual(places(1)[1].passing, [2]);
  assert.deepEqual(places(2)[1].passing, []);
  assert.deepEqual(places(2)[2].slots[0], [2, 6], 'what came from 0 beside what is still to go there');
  assert.notEqual(state.finallyMissing, null, 'the other blocks have not moved');
});

test('a permutation has an array of its own and one that it gets', () => {
  const state = new PlayerState(
    player('collective_permute', 3, {
      origin: [0, 1, 2],
      shard: [0, 1, 2],
      kind: 'array',
      columns: 2,
      pairs: [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
      times: [0, 1],
      rows: [
        [0, 1, 0, 0, 0, 1, 0],
        [1, 2, 0, 1, 0, 1, 0],
        [2, 0, 0, 2, 0, 1, 0],
      ],
    }),
  );
  assert.deepEqual(origins(state, 1), [
    [['(0)'], ['(2)']],
    [['(1)'], ['(0)']],
    [['(2)'], ['(1)']],
  ]);
  assert.equal(state.finallyMissing, null);
});

test('more than 32 positions', () => {
  const chips = 40;
  const rows = [];
  for (let i = 1; i < chips; i += 1) rows.push([i, 0, 1, 0, 0, 1, 0]);
  const state = new PlayerState(
    player('reduce', chips, { origin: [-1], shard: [0], kind: 'piece', columns: 1, root: 0, rows, times: [0, 1] }),
  );
  assert.equal(state.finallyMissing, null);
  state.seek(1);
  assert.deepEqual(
    state.cells.positions(state.cell(0, 0)),
    Array.from({ length: chips }, (_, i) => i),
  );
});

test('following goes back to where data came from and on to where it goes, and nowhere else', () => {
  // A line of four gathers shard 0 of chip 0: 0 -> 1 -> 2 -> 3; shard 3 comes the other way.
  const rows = [
    [0, 1, 0, 0, 0, 1, 0],
    [3, 2, 0, 3, 0, 1, 0],
    [1, 2, 0, 0, 1, 2, 1],
    [2, 1, 0, 3, 1, 2, 2],
    [2, 3, 0, 0, 2, 3, 3],
  ];
  const state = new PlayerState(
    player('all_gather', 4, { origin: [0, 1, 2, 3], shard: [0, 1, 2, 3], rows, times: [0, 1, 2, 3] }),
  );
  state.seek(2);
  const path = follow(state, 2, 0);
  assert.deepEqual(path.came, [0, 2]);
  assert.deepEqual(path.goes, [4]);
  assert.deepEqual([...path.actors].sort(), [0, 1, 2, 3]);
  assert.equal(
    followText(state, path),
    'following shard 0 on chip (2) as of step 2; it came (0) to (1) in step 1, ' +
      '(1) to (2) in step 2; it goes (2) to (3) in step 3',
  );
  state.seek(0);
  assert.deepEqual(follow(state, 0, 0).goes, [0, 2, 4]);
});

test('a sum is followed to all whose contributions it has', () => {
  const state = new PlayerState(kTwo);
  state.seek(1);
  const path = follow(state, 0, 0);
  assert.deepEqual(path.came, [0]);
  assert.deepEqual(path.goes, [2]);
});

test('a message that waits for its receiver says so', () => {
  const state = new PlayerState(
    player('broadcast', 2, {
      origin: [0],
      shard: [0],
      kind: 'piece',
      columns: 1,
      root: 0,
      times: [0, 1, 3],
      rows: [[0, 1, 0, 0, 0, 1, 0, 2]],
    }),
  );
  assert.deepEqual(state.stepTime, [0, 3]);
  state.seek(1);
  assert.match(stepText(state), /it had been there for 2 s/);
});

test('playing takes about as long, however many steps there are', () => {
  const lasts = (steps, speed = 1) => new Clock(steps).lasts(speed);
  assert.equal(lasts(2), '2.4 s'); // 1.2 s a step
  assert.equal(lasts(48), '12 s');
  assert.equal(lasts(400), '20 s'); // 20 steps a second
  assert.equal(lasts(6051), '24 s');
  assert.equal(lasts(6051, 8), '3 s');
});

test('fast, many steps go by in one frame', () => {
  const frames = [];
  globalThis.requestAnimationFrame = (frame) => frames.push(frame);
  globalThis.cancelAnimationFrame = () => {};
  const arrived = [];
  const shares = [];
  const clock = new Clock(
    2400, // 10 ms a step
    (share) => shares.push(Math.round(share * 1000) / 1000),
    (steps) => arrived.push(steps) < 3,
  );
  clock.start();
  for (const now of [1000, 1035, 1040, 1075]) frames.shift()(now);
  assert.deepEqual(arrived, [3, 1, 3]);
  assert.deepEqual(shares, [0, 0.5, 0]);
  assert.equal(frames.length, 0);
});

// An AllReduce of 8 chips along a line: sums go down to chip 0, and the sum of all comes back up.
test('of many messages one way through a cell is told and stands out', () => {
  const n = 8;
  const up = Array.from({ length: n - 1 }, (_, i) => [n - 1 - i, n - 2 - i, 1]);
  const down = Array.from({ length: n - 1 }, (_, i) => [i, i + 1, 0]);
  const ways = [...up, ...down];
  const instants = ways.map((_, m) => m + 1);
  const state = new PlayerState({
    operation: 'all_reduce',
    complete: true,
    title: 'AllReduce',
    actors: Array.from({ length: n }, (_, i) => ({ name: `(${i})`, chip: true, group: 0 })),
    groups: [Array.from({ length: n }, (_, i) => i)],
    slots: { kind: 'shard', count: 1, pieces: 1 },
    atoms: { origin: [0], shard: [0], piece: [0] },
    times_s: [0, ...instants],
    chunks: [{ bytes: 1, atoms: [0, 1] }],
    messages: {
      from: ways.map(([from]) => from),
      to: ways.map(([, to]) => to),
      op: ways.map(([, , op]) => op),
      chunk: ways.map(() => 0),
      start: ways.map((_, m) => m),
      delivered: instants,
      taken: instants,
      after: ways.map((_, m) => m),
    },
  });
  state.seek(7);
  const path = follow(state, 0, 0);
  assert.deepEqual(path.main, ways.map((_, m) => m));
  const text = followText(state, path);
  assert.match(text, /it came \(4\) to \(3\) in step 4, .*\(1\) to \(0\) in step 7 and 3 more;/);
  assert.match(text, /it goes \(0\) to \(1\) in step 8, .* and 3 more$/);
});

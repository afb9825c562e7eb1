// player.mjs HOPSIM: the chunk player in pages of hopsim: what it shows is what every operation is for, whatever the
// algorithm; it steps, plays, and follows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test, { after, before } from 'node:test';
import { Layout } from '../../tools/report/src/player_layout.js';
import { PlayerState } from '../../tools/report/src/player_state.js';
import { stateAt } from '../../tools/report/src/player_view.js';
import { kDark, kDesk, kPhone, launch, open, overflow, runHopsim, shoot } from './browser.mjs';

const kHopsim = process.argv[2];
const kRing = ['ring:4,bw=1GB/s,lat=1us', 'ring'];
// The first of these on which an algorithm does an operation is taken.
const kMachines = [
  'torus:4x4,bw=45GB/s,lat=1us',
  'ring:4,bw=45GB/s,lat=1us',
  'mesh:2x3,bw=45GB/s,lat=1us',
  'h100_sxm:2x4',
  'h100_sxm:4',
];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const make = (operation, [machine, algorithm], more = []) =>
  runHopsim(
    kHopsim,
    ['collective', operation, '--machine', machine, '--algorithm', algorithm, '--bytes', '64KiB', ...more],
    { json: false },
  ).page;

const page = (operation, on, more = [], look = kDesk) => open(browser, make(operation, on, more), look);

const ask = (opened, what, ...given) =>
  opened.evaluate(
    ([name, args]) => {
      const player = document.querySelector('.player').hopsimPlayer;
      return typeof player[name] === 'function' ? player[name](...args) : player[name];
    },
    [what, given],
  );

const originsAt = async (opened, step) =>
  (await ask(opened, 'state', step)).map(({ slots }) =>
    slots.map(({ atoms }) => atoms.map(({ origins }) => origins.join('+')).join('|')),
  );

// --- what each operation promises, by its definition: of the chip at position p of n, what slot s holds ---

const kPromises = {
  all_gather: ({ chips, s }) => [chips[s]],
  all_reduce: ({ chips }) => chips,
  reduce_scatter: ({ chips, p, s }) => (p === s ? chips : null),
  all_to_all: ({ chips, s }) => [chips[s]],
  broadcast: ({ chips, root }) => [chips[root]],
  reduce: ({ chips, p, root }) => (p === root ? chips : null),
  gather: ({ chips, p, s, root }) => (p === root ? [chips[s]] : null),
  scatter: ({ chips, p, s, root }) => (p === s ? [chips[root]] : null),
  // Each to the next.
  collective_permute: ({ chips, p, s }) => (s === 1 ? [chips[(p + chips.length - 1) % chips.length]] : [chips[p]]),
  send_recv: ({ chips, p, s }) => (s === 1 ? [chips[(p + chips.length - 1) % chips.length]] : [chips[p]]),
};

function checkEnd(operation, { start, end: rows }, what) {
  const chips = rows.filter(({ name }) => name.startsWith('(')).map(({ name }) => name);
  const whole = new Set(); // pieces of a slot, of whatever is there at the start
  start.forEach(({ slots }) =>
    slots.forEach(({ slot, atoms }) => {
      if (atoms.length) whole.add(`${slot} ${atoms.length}`);
    }),
  );
  let checked = 0;
  chips.forEach((chip, p) =>
    rows[p].slots.forEach(({ slot: s, atoms }) => {
      const wanted = kPromises[operation]({ chips, p, s, root: 0 });
      if (wanted === null) return;
      checked += 1;
      const pieces = atoms.length;
      assert.ok(pieces > 0, `${what}: ${chip} has nothing in slot ${s}`);
      if (!['collective_permute', 'send_recv', 'all_to_all'].includes(operation))
        assert.ok(whole.has(`${s} ${pieces}`), `${what}: ${chip} has ${pieces} pieces in slot ${s}`);
      for (const { origins, count } of atoms) {
        assert.deepEqual([...origins].sort(), [...wanted].sort(), `${what}: ${chip}, slot ${s}`);
        assert.equal(count, wanted.length, `${what}: ${chip}, slot ${s} counts something twice`);
      }
    }),
  );
  assert.ok(checked > 0);
}

function listed() {
  const { stdout } = spawnSync(kHopsim, ['list', 'algorithms', '--json', '-']);
  return JSON.parse(stdout).algorithms;
}

const able = (operation, algorithm) =>
  kMachines.find(
    (machine) =>
      spawnSync(kHopsim, [
        'collective',
        operation,
        '--machine',
        machine,
        '--algorithm',
        algorithm,
        '--bytes',
        '64KiB',
        '--quiet',
      ]).status === 0,
  );

// The player's data of a page, worked out without a browser: {steps, start, end}.
function workedOut(file) {
  const [, text] = /id="hopsim-data"[^>]*>([^]*?)<\/script>/.exec(fs.readFileSync(file, 'utf8'));
  const { players } = JSON.parse(text).collective;
  assert.equal(players.length, 1);
  const state = new PlayerState(players[0]);
  const layout = new Layout(state, 800);
  return { steps: state.steps, start: stateAt(state, layout, 0), end: stateAt(state, layout, state.steps) };
}

async function sameInThePage(file, { steps, end }, what) {
  const { page: opened, faults } = await open(browser, file);
  assert.equal(await ask(opened, 'steps'), steps, what);
  await ask(opened, 'go', steps);
  assert.deepEqual(await ask(opened, 'state', steps), end, what);
  const promise = await ask(opened, 'promise');
  assert.equal(promise.kept, promise.promised, what);
  assert.match(await opened.locator('.player-promise').textContent(), /^✓/, what);
  assert.deepEqual(faults, [], what);
  await opened.close();
}

test('all operations, by every algorithm: the right final state', async () => {
  const shown = new Set(); // in the browser: every operation and every algorithm at least once
  for (const { name: algorithm, does } of listed())
    for (const operation of does) {
      const what = `${operation} by ${algorithm}`;
      const machine = able(operation, algorithm);
      assert.ok(machine, `${what} runs on none of ${kMachines}`);
      const file = make(operation, [machine, algorithm]);
      const player = workedOut(file);
      assert.ok(player.steps > 0, what);
      checkEnd(operation, player, what);
      if (shown.has(operation) && shown.has(algorithm)) continue;
      shown.add(operation).add(algorithm);
      await sameInThePage(file, player, what);
    }
  for (const operation of Object.keys(kPromises)) assert.ok(shown.has(operation), operation);
});

// --- by hand: a one-way ring of 4; sums go down in number, copies up ---

const kFirst = [
  ['(0)', '(0)', '(0)', '(0)'],
  ['(1)', '(1)', '(1)', '(1)'],
  ['(2)', '(2)', '(2)', '(2)'],
  ['(3)', '(3)', '(3)', '(3)'],
];
const kAll = '(0)+(1)+(2)+(3)';

test('a one-way ring AllReduce of 4 chips: 6 steps, each as by hand', async () => {
  const { page: opened, faults } = await page('all_reduce', kRing);
  assert.equal(await ask(opened, 'steps'), 6);
  assert.deepEqual(await originsAt(opened, 0), kFirst);
  // Shard s starts its way on chip s - 1 and goes down: after round k it is on s - 1 - k with k + 1 contributions.
  const sums = structuredClone(kFirst);
  for (let k = 1; k <= 3; k += 1) {
    for (let s = 0; s < 4; s += 1) {
      const at = (s + 3 - k + 4) % 4;
      sums[at][s] = [...new Set(Array.from({ length: k + 1 }, (_, i) => (s + 3 - i + 4) % 4))]
        .sort()
        .map((c) => `(${c})`)
        .join('+');
    }
    assert.deepEqual(await originsAt(opened, k), sums, `round ${k}`);
  }
  for (let s = 0; s < 4; s += 1) assert.equal(sums[s][s], kAll);
  // Then the sums go up: after round k also on chip s + k.
  for (let k = 1; k <= 3; k += 1) {
    for (let s = 0; s < 4; s += 1) sums[(s + k) % 4][s] = kAll;
    assert.deepEqual(await originsAt(opened, 3 + k), sums, `round ${3 + k}`);
  }
  // 16 KiB over 1 GB/s and 1 us: 17.384 us a round.
  assert.deepEqual(
    (await ask(opened, 'times')).map((time) => Math.round(time * 1e9)),
    [0, 1, 2, 3, 4, 5, 6].map((k) => k * 17384),
  );
  await shoot(opened, 'player-ring-start');
  await ask(opened, 'go', 2);
  assert.match(
    await opened.locator('.player-words').textContent(),
    /^step 2 of 6, 34\.768 us: chip \(0\) receives shard 3 from chip \(1\), now a sum of 3/,
  );
  await shoot(opened, 'player-ring');
  await ask(opened, 'go', 6);
  assert.match(
    await opened.locator('.player-promise').textContent(),
    /^✓ as AllReduce promises, every chip ends with the sum/,
  );
  await shoot(opened, 'player-ring-end');
  assert.deepEqual(faults, []);
});

test('keyboard: step, ends, play, speed; a range and buttons too', async () => {
  const { page: opened, faults } = await page('all_reduce', kRing);
  const player = opened.locator('.player');
  await player.focus();
  const press = async (key, position) => {
    await opened.keyboard.press(key);
    assert.equal(await ask(opened, 'position'), position, key);
  };
  await press('ArrowRight', 1);
  await press('ArrowRight', 2);
  await press('ArrowLeft', 1);
  await press('End', 6);
  await press('ArrowRight', 6);
  await press('Home', 0);
  await press('ArrowLeft', 0);
  const speed = () => player.locator('select').evaluate((select) => select.value);
  await opened.keyboard.press('+');
  assert.equal(await speed(), '2x');
  for (let i = 0; i < 3; i += 1) await opened.keyboard.press('+');
  assert.equal(await speed(), '8x');
  await opened.keyboard.press('-');
  assert.equal(await speed(), '4x');
  await opened.keyboard.press(' ');
  assert.equal(await ask(opened, 'playing'), true);
  await opened.waitForFunction(() => document.querySelector('.player').hopsimPlayer.position === 6);
  await opened.waitForFunction(() => !document.querySelector('.player').hopsimPlayer.playing);
  await opened.keyboard.press(' ');
  assert.equal(await ask(opened, 'playing'), true, 'again from the start');
  await opened.keyboard.press(' ');
  assert.equal(await ask(opened, 'playing'), false);
  await player.locator('input[type=range]').fill('3');
  assert.equal(await ask(opened, 'position'), 3);
  await opened.getByRole('button', { name: 'step forward' }).click();
  assert.equal(await ask(opened, 'position'), 4);
  await opened.getByRole('button', { name: 'to the start' }).click();
  assert.equal(await ask(opened, 'position'), 0);
  assert.deepEqual(faults, []);
});

test('a click follows data from where it came to where it goes; Escape ends it; so do keys', async () => {
  const { page: opened, faults } = await page('all_gather', ['line:4,bw=1GB/s,lat=1us', 'line']);
  await ask(opened, 'go', 1);
  // Shard 0 is on chips 0 and 1 by now.
  const spot = await ask(opened, 'spot', 1, 0);
  const cells = opened.locator('.player-over');
  await cells.click({ position: { x: spot.x + spot.w / 2, y: spot.y + spot.h / 2 } });
  const path = opened.locator('.player-follow');
  const following =
    'following shard 0 on chip (1) as of step 1; it came (0) to (1) in step 1; it goes (1) to (2) in step 2, ' +
    '(2) to (3) in step 3';
  assert.equal(await path.textContent(), following);
  await shoot(opened, 'player-follow');
  await opened.locator('.player').focus();
  await opened.keyboard.press('ArrowRight');
  assert.equal(await path.textContent(), following, 'goes on with the steps');
  await opened.keyboard.press('Escape');
  assert.equal(await path.isVisible(), false);
  await ask(opened, 'go', 1);
  for (const key of ['ArrowRight', 'ArrowDown']) await opened.keyboard.press(`Shift+${key}`);
  assert.match(await path.textContent(), /^shard 0 on chip \(1\)/);
  await opened.keyboard.press('Enter');
  assert.equal(await path.textContent(), following);
  // An empty cell ends it, too.
  const empty = await ask(opened, 'spot', 3, 0);
  await cells.click({ position: { x: empty.x + empty.w / 2, y: empty.y + empty.h / 2 } });
  assert.equal(await ask(opened, 'following'), null);
  assert.deepEqual(faults, []);
});

test('hovering tells whose contributions a cell holds', async () => {
  const { page: opened } = await page('all_reduce', kRing);
  await ask(opened, 'go', 2);
  const spot = await ask(opened, 'spot', 0, 3);
  await opened.locator('.player-over').hover({ position: { x: spot.x + 4, y: spot.y + 4 } });
  assert.match(
    await opened.locator('.tip').innerText(),
    /shard 3 on chip \(0\)\s+sum of 3 of 4: \(0\), \(1\) and \(2\)/,
  );
});

test('what the tooltip names is what a click follows, and nothing moves under the pointer', async () => {
  // Two bands a slot; parts of a pixel below the edge between them, which whole pixels would put above it.
  const { page: opened, faults } = await page('all_reduce', ['tpu_v5e:8x8', 'nd_ring']);
  await ask(opened, 'go', 9);
  const cells = opened.locator('.player-over');
  await cells.scrollIntoViewIfNeeded();
  for (let i = 0; i < 12; i += 1) {
    const spot = await ask(opened, 'spot', 5 * i, (11 * i) % 64);
    const box = await cells.boundingBox();
    const [x, y] = [box.x + spot.x + spot.w * 0.43, box.y + spot.y + spot.h / 2 + 0.1 * (1 + (i % 4))];
    await opened.mouse.move(x, y);
    const told = (await opened.locator('.tip').innerText()).split('\n')[0];
    await opened.mouse.click(x, y);
    const followed = await opened.locator('.player-follow').textContent();
    assert.ok(followed.startsWith(`following ${told} as of step 9`), `${told}; ${followed}`);
    assert.deepEqual(await cells.boundingBox(), box);
    await opened.keyboard.press('Escape');
    assert.deepEqual(await cells.boundingBox(), box);
  }
  assert.deepEqual(faults, []);
});

test('64 chips: every step, forwards and backwards, and pictures of what else there is', async () => {
  const many = await page('all_reduce', ['ring:64,bw=45GB/s,lat=1us', 'ring']);
  assert.equal(await ask(many.page, 'steps'), 2 * 63);
  for (let step = 0; step <= 126; step += 1) await ask(many.page, 'go', step);
  assert.equal((await ask(many.page, 'promise')).kept, 64 * 64);
  await ask(many.page, 'go', 30);
  await shoot(many.page, 'player-64');
  assert.deepEqual(many.faults, []);
  const pictures = [
    ['player-64-phone', 'all_gather', ['tpu_v5e:8x8', 'nd_ring'], 20, kPhone],
    ['player-dark', 'all_reduce', kRing, 3, kDark],
    ['player-phone', 'all_reduce', kRing, 3, kPhone],
    ['player-blocks', 'all_to_all', ['tpu_v5e:4x4', 'nd_all_to_all'], 3, kDesk],
    ['player-switch', 'all_reduce', ['h100_sxm:8', 'nvls'], 8, kDesk],
  ];
  for (const [name, operation, on, step, look] of pictures) {
    const { page: opened, faults } = await page(operation, on, [], look);
    await ask(opened, 'go', step);
    await shoot(opened, name);
    assert.ok((await overflow(opened)) <= 0, name);
    assert.deepEqual(faults, [], name);
    await opened.close();
  }
});

test('groups are played at once; a step without a player says why', async () => {
  const { page: opened } = await page('all_gather', ['tpu_v5e:4x4', 'line'], ['--axis', 'Y']);
  const rows = await ask(opened, 'state', await ask(opened, 'steps'));
  assert.equal(rows.length, 16);
  for (const { name, slots } of rows)
    assert.deepEqual(
      slots.map(({ atoms }) => [...new Set(atoms.flatMap(({ origins }) => origins))].join()),
      [0, 1, 2, 3].map((y) => `(${name[1]},${y})`),
    );
  await shoot(opened, 'player-groups');
  const { page: without, faults } = await page('all_gather', ['ring:65,bw=1GB/s,lat=1us', 'ring']);
  assert.equal(await without.locator('.player').count(), 0);
  assert.match(await without.locator('body').innerText(), /65 chips, and a player shows up to 64/);
  assert.deepEqual(faults, []);
});
